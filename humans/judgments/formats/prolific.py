"""The demographic export of Prolific: who took part, under which status, when; no judgments.

Columns are found by name, whatever their case; only id, status and times are read, and what
a map file keeps. Cells that say that consent was taken back are empty.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....data.errors import InputError
from ..claims import facts_among
from ..sheet import read_sheet

PLATFORM = "prolific"
COLUMNS = {  # theirs, letters only → ours
    "participantid": "participant", "status": "status", "startedat": "started_at",
    "completedat": "ended_at", "timetaken": "duration_s",
}  # fmt: skip
WITHDRAWN = ("CONSENT_REVOKED", "DATA_EXPIRED")
LETTERS = re.compile(r"[^a-z]")


def people_in(path: Path, keep: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a claim without a session's name (so: about all of a person's) for each line.

    Raises `InputError` for a file without the columns of id and status, or a line without an id.
    """
    sheet = read_sheet(path, ("Participant id", "Status"))
    columns = {COLUMNS.get(LETTERS.sub("", name.lower()), ""): name for name in sheet.columns}
    for needed in ("participant", "status"):
        if needed not in columns:
            wrong = f"no column for the {needed}; there are {', '.join(sheet.columns)}"
            right = "a demographic export of Prolific, with Participant id and Status"
            raise InputError(f"{path}:1", wrong, right, kind="missing")
    for location, row in sheet.rows:
        texts = {name: "" if cell in WITHDRAWN else cell for name, cell in row.items()}
        cells = {ours: texts[columns[ours]] for ours in COLUMNS.values() if ours in columns}
        if not cells["participant"]:
            wrong, right = "the participant id is empty", "the id that Prolific gave the person"
            raise InputError(location, wrong, right, kind="format")
        yield location, {**cells, **facts_among(texts, keep)}
