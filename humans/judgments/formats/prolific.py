"""The demographic export of Prolific: participants with their status and times, no judgments.

Columns are found by name, in upper or lower case. Only id, status and times are read, and the
columns that a map file keeps. Cells that say that consent was withdrawn are read as empty.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....data.errors import InputError
from ..claims import facts_among
from ..sheet import read_sheet

PLATFORM = "prolific"
COLUMNS = {  # Prolific's column, as lower-case letters only → ours
    "participantid": "participant", "status": "status", "startedat": "started_at",
    "completedat": "ended_at", "timetaken": "duration_s",
}  # fmt: skip
WITHDRAWN = ("CONSENT_REVOKED", "DATA_EXPIRED")
NOT_LETTERS = re.compile(r"[^a-z]")


def people_in(path: Path, keep: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (location, cells) for each participant in an export.

    The cells name no session, which means that they are about all sessions of the person. `keep`
    are further columns to keep. Raises `InputError` for a file without the columns of id and
    status, and for a line without an id.
    """
    sheet = read_sheet(path, ("Participant id", "Status"))
    # our name → column of the file; "" for those that we do not use
    columns = {COLUMNS.get(NOT_LETTERS.sub("", name.lower()), ""): name for name in sheet.columns}
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
