"""The demographic export of Prolific: who took part, under which status, when; no judgments.

Columns are found by name, whatever their case; only id, status and times are read, and what
a map file keeps. Cells that say that consent was taken back are empty.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from ....data.errors import InputError
from .._sheet import number, read_sheet
from ..column_names import kept_fields
from ..judgment import Session

PLATFORM = "prolific"
COLUMNS = {  # theirs, letters only → ours
    "participantid": "participant", "status": "status", "startedat": "started_at",
    "completedat": "ended_at", "timetaken": "duration_s",
}  # fmt: skip
WITHDRAWN = ("CONSENT_REVOKED", "DATA_EXPIRED")
LETTERS = re.compile(r"[^a-z]")


def read_people(path: Path, keep: Sequence[str] = ()) -> tuple[Session, ...]:
    """Return a session without a name (so: all of a person's) for each line.

    Raises `InputError` for a file without the columns of id and status, or a line without an id.
    """
    sheet = read_sheet(path, ("Participant id", "Status"))
    columns = {COLUMNS.get(LETTERS.sub("", name.lower()), ""): name for name in sheet.columns}
    for needed in ("participant", "status"):
        if needed not in columns:
            wrong = f"no column for the {needed}; there are {', '.join(sheet.columns)}"
            right = "a demographic export of Prolific, with Participant id and Status"
            raise InputError(f"{path}:1", wrong, right, kind="missing")
    sessions = []
    for line in sheet.lines:
        texts = {name: "" if cell in WITHDRAWN else cell for name, cell in line.cells.items()}
        cells = {name: texts[columns[name]] if name in columns else "" for name in COLUMNS.values()}
        if not cells["participant"]:
            wrong, right = "the participant id is empty", "the id that Prolific gave the person"
            raise InputError(line.location, wrong, right, kind="format")
        time = number(cells.pop("duration_s"), "duration_s", line.location, 0)
        cells["status"] = cells["status"].upper()
        sessions.append(Session(**cells, duration_s=time, facts=kept_fields(texts, keep)))
    return tuple(sessions)
