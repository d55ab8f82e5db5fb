"""A study for other platforms, one a file: a function from a study to files.

Nothing that goes to a participant's machine holds the answer key, but for practice trials. The
tables of trials (`tables`) are for the researchers, and hold it.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from ...data.files import read_manifest
from ...data.tables import guarded
from ..study import Trial
from ..study.study import Study

Files: TypeAlias = Mapping[str, bytes]
"""Path in the folder (with `/`) → content."""
ITEMS, TRIALS = "items.csv", "trials.csv"
TRIAL_COLUMNS = (
    *("trial_id", "list", "block", "position", "kind", "task", "item", "source", "construction"),
    *("condition", "prefix", "option_1", "option_2", "right", "language"),
)
ITEM_COLUMNS = (
    *("item", "kind", "source", "construction", "condition", "prefix"),
    *("correct_form", "wrong_form", "unambiguous"),
)


class StudyExport(Protocol):
    """A platform: a study as files. `experiment` is DataPipe's id; `excel_safe` asks for tables
    without a cell that a spreadsheet takes for a formula."""

    def __call__(self, study: Study, *, experiment: str, excel_safe: bool) -> Files: ...


def cells(trial: Trial) -> dict[str, Any]:
    """Return what a table may have of a trial, by column."""
    first, second = trial.options if len(trial.options) == 2 else (*trial.options, "")
    return {**trial.shown(), "option_1": first, "option_2": second, "right": trial.right}


def to_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, excel_safe: bool = False
) -> bytes:
    """Return columns of a table as CSV (UTF-8, LF), quoted where needed; missing cells are
    empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, "", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: guarded(v) for k, v in row.items()} if excel_safe else row)
    return text.getvalue().encode()


def tables(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return `trials.csv`, the trials of each list in the order shown, and `items.csv`, a row for
    each item that people choose about: what `humans import --items` takes."""
    unambiguous = read_manifest(study.folder).get("unambiguous")
    clear = unambiguous if isinstance(unambiguous, list) else []
    items: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        if trial.item not in items and len(trial.options) == 2 and trial.right in trial.options:
            wrong = trial.options[trial.right == trial.options[0]]
            about = {"correct_form": trial.right, "wrong_form": wrong}
            items[trial.item] = {**cells(trial), **about, "unambiguous": int(trial.item in clear)}
    columns = ITEM_COLUMNS if unambiguous is not None else ITEM_COLUMNS[:-1]
    return {
        TRIALS: to_csv(TRIAL_COLUMNS, map(cells, study.trials), excel_safe=excel_safe),
        ITEMS: to_csv(columns, items.values(), excel_safe=excel_safe),
    }
