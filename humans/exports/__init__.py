"""Other platforms that can run a study, one a file: a function from a study to files.

Nothing that goes to a participant's machine holds the answer key, save where a module says why.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colorless_green.humans.study import Study

EXPORTS = {
    "csv": "colorless_green.humans.exports.table:files",
    "datapipe": "colorless_green.humans.exports.bundle:datapipe",
    "jatos": "colorless_green.humans.exports.bundle:jatos",
    "mturk": "colorless_green.humans.exports.mturk:files",
    "pcibex": "colorless_green.humans.exports.pcibex:files",
    "static": "colorless_green.humans.exports.bundle:static",
}
GROUP = "colorless_green.exports"

Files: TypeAlias = Mapping[str, bytes]
"""Path in the folder (with `/`) → content."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What the command line can say of an export."""

    experiment: str = ""  # DataPipe's id
    excel_safe: bool = False  # no cell of a table that a spreadsheet takes for a formula


Export: TypeAlias = Callable[[Study, ExportOptions], Files]


def to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> bytes:
    """A table as CSV (UTF-8, LF), quoted where needed; missing cells are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
