"""The demographic export of Prolific: who took part, under which status, when; no judgments.

Columns are found by name, whatever their case; only id, status and times are read, and what
`--keep-columns` names. Cells that say that consent was taken back are empty.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.names import keep_into
from colorless_green.humans.formats.sheet import Line, duration, read_sheet
from colorless_green.humans.judgment import Session

PLATFORM = "prolific"
COLUMNS = {  # ours → theirs, letters only
    "participant": "participantid",
    "status": "status",
    "started_at": "startedat",
    "ended_at": "completedat",
    "duration_s": "timetaken",
}
WITHDRAWN = ("CONSENT_REVOKED", "DATA_EXPIRED")
LETTERS = re.compile(r"[^a-z]")


def read_people(path: Path, keep: Sequence[str] = ()) -> tuple[Session, ...]:
    """A session without a name (so: all of a person's) for each line.

    Raises `InputError` for a file without the columns of id and status, or a line without an id.
    """
    sheet = read_sheet(path, ("Participant id", "Status"), ",")
    names = {
        ours: column
        for ours, theirs in COLUMNS.items()
        for column in sheet.columns
        if LETTERS.sub("", column.lower()) == theirs
    }
    for needed in ("participant", "status"):
        if needed not in names:
            raise InputError(
                f"{path}:1", f"no column for the {needed}", "an export of Prolific", kind="missing"
            )
    return tuple(_session(line, names, keep) for line in sheet.lines)


def _session(line: Line, names: dict[str, str], keep: Sequence[str]) -> Session:
    cells = {
        ours: "" if line.cells[column] in WITHDRAWN else line.cells[column]
        for ours, column in names.items()
    }
    if not cells["participant"]:
        raise InputError(line.place, "no participant id", "an export of Prolific", kind="format")
    facts: dict[str, str] = {}
    own = {name: "" if cell in WITHDRAWN else cell for name, cell in line.cells.items()}
    keep_into(facts, own, keep)
    return Session(
        participant=cells["participant"],
        status=cells["status"].upper(),
        started_at=cells.get("started_at", ""),
        ended_at=cells.get("ended_at", ""),
        duration_s=duration(Line(line.place, cells), "duration_s"),
        facts=facts,
    )
