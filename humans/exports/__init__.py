"""Exports of a study, a module for each platform: a function from a study to files.

What goes to a participant's machine contains no right answers, except for practice trials. The
tables of trials (`tables`) are for the researchers and contain them.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from ...data.files import read_manifest
from ...data.tables import guard_cell
from ..study import Trial
from ..study.study import Study

Files: TypeAlias = Mapping[str, bytes]
"""Path in the export's folder (with `/`) → content of the file."""
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
    """A function that turns a study into the files of a platform.

    `experiment` is an id at DataPipe; with `excel_safe` no cell of a table is one that a
    spreadsheet would run as a formula.
    """

    def __call__(self, study: Study, *, experiment: str, excel_safe: bool) -> Files: ...


def row_of(trial: Trial) -> dict[str, Any]:
    """Return a trial as a row of a table: column → value, with the right answer."""
    first, second = trial.options if len(trial.options) == 2 else (*trial.options, "")
    return {**trial.shown(), "option_1": first, "option_2": second, "right": trial.right}


def to_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, excel_safe: bool = False
) -> bytes:
    """Write the given columns of rows as CSV (UTF-8, LF); missing cells are empty."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, columns, "", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: guard_cell(v) for name, v in row.items()} if excel_safe else row)
    return stream.getvalue().encode()


def tables(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return the study as two tables with right answers.

    `trials.csv` has the trials of each list in the order shown. `items.csv` has a row for each item
    with two options, as `humans import --items` reads it.
    """
    # ids of fillers with no doubt about the right answer; None if the study was made without them
    unambiguous = read_manifest(study.folder).get("unambiguous")
    ids = unambiguous if isinstance(unambiguous, list) else []
    items: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        if trial.item not in items and len(trial.options) == 2 and trial.right in trial.options:
            first, second = trial.options
            wrong = second if trial.right == first else first
            forms = {"correct_form": trial.right, "wrong_form": wrong}
            items[trial.item] = {**row_of(trial), **forms, "unambiguous": int(trial.item in ids)}
    columns = [n for n in ITEM_COLUMNS if n != "unambiguous" or unambiguous is not None]
    return {
        TRIALS: to_csv(TRIAL_COLUMNS, map(row_of, study.trials), excel_safe=excel_safe),
        ITEMS: to_csv(columns, items.values(), excel_safe=excel_safe),
    }
