"""What a platform is: a function from a study to files."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from ...data.tables import guarded
from ..study.study import Study

Files: TypeAlias = Mapping[str, bytes]
"""Path in the folder (with `/`) → content."""


class StudyExport(Protocol):
    """A platform: a study as files. `experiment` is DataPipe's id; `excel_safe` asks for tables
    without a cell that a spreadsheet takes for a formula."""

    def __call__(self, study: Study, *, experiment: str, excel_safe: bool) -> Files: ...


def to_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, excel_safe: bool = False
) -> bytes:
    """Return a table as CSV (UTF-8, LF), quoted where needed; missing cells are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: guarded(v) for k, v in row.items()} if excel_safe else row)
    return text.getvalue().encode()
