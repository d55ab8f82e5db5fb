"""The files of Gulordava et al. 2018: tables of results, and single answers of people.

`best_model_mturk.tab` and similar tables have two rows per item, one for each form. `mturk_count`
is the number of people who chose the row's form. Every other numeric column that is not in
`NOT_MODELS` is named after a model, and has the natural logarithm of the probability that the model
gave to the form. The items are read as from any other `.tab` file (`data.formats.tab`).

The single answers are in nine columns separated by tabs, with or without a header, as the authors'
script writes them from a batch of Mechanical Turk. Quotation marks in texts are doubled but cells
are not quoted, so we turn `""` into `"`. The files have no missing answers, no rows of type `foil`,
no times and no positions.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from ....data.errors import InputError
from ....data.files import numbered_lines
from ....data.formats.tab import FORMAT as TAB
from ....data.formats.tab import LICENCE, SOURCE, TAB_COLUMNS, language_of_folder
from ....data.formula.expression import TIE_BITS
from ....data.items.item import Item
from ....data.records import malformed
from ....data.registry import nearest
from ....scoring.outcomes.evaluate import OUTCOME_DTYPES
from ..claims import claim_frame
from ..imported import Arrived, Imported, ImportOptions, ImportSummary
from ..judgment import tally_of
from ..sheet import SheetRow, is_number, number, read_sheet

COUNT = "mturk_count"
NOT_MODELS = (*TAB_COLUMNS, "freq", "full_id", COUNT)  # columns that are not named after a model
RAW_COLUMNS = {  # columns of the files of single answers → our names
    "worker_id": "participant", "type": "type", "answer_status": "correct", "answer": "chosen",
    "correct_form": "correct_form", "opt1": "option_1", "opt2": "option_2", "full_id": "item",
    "sent": "prefix",
}  # fmt: skip
TRIAL_TYPES = {  # the file's type → (kind of trial, condition)
    "target_original": ("target", "original"),
    "target_generated": ("target", "nonce"),
    "control": ("filler", ""),
}
ANSWER_STATUSES = ("T", "F")  # right or wrong


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read a table of results: its items as a suite, people's tallies if it has them, and the
    outcomes of the published models.

    `items` is ignored, since the table has its own items. The language is that of the options, else
    that of the folder's name (`Italian`, `gulordava2018-italian`), else `und`. Raises `InputError`
    for two rows that are not one item, or an invalid number.
    """
    if len(paths) != 1:
        wrong, right = f"{len(paths)} files", "one published table at a time"
        raise InputError("files", wrong, right, kind="value")
    path = paths[0]
    suite = TAB.read(path)
    language = options.table.language or language_of_folder(path) or "und"
    items_of_file = tuple(
        replace(item, language=language, source=SOURCE, licence=LICENCE) for item in suite.items
    )
    sheet = read_sheet(path, TAB_COLUMNS, "\t")
    # an item has two rows, that of the right form first
    pairs = list(zip(items_of_file, sheet.rows[::2], sheet.rows[1::2], strict=True))
    tallies = tuple(
        tally_of(item, _people_count(right), _people_count(right) + _people_count(wrong))
        for item, right, wrong in pairs
        if COUNT in sheet.columns
    )
    _, first_cells = sheet.rows[0]  # the first row tells which columns are models
    models = [
        name for name in sheet.columns if name not in NOT_MODELS and is_number(first_cells[name])
    ]
    return Imported(
        ImportSummary.of_totals(tallies, len(items_of_file), len(sheet.rows)),
        tallies=tallies,
        suite=replace(suite, name=f"gulordava2018-{language}", items=items_of_file),
        outcomes={model: _outcomes(pairs, model) for model in models},
    )


def _people_count(row: SheetRow) -> int:
    """Return the number of people who chose the form of a row."""
    right = "how many people chose this form"
    return int(_number_in(row, COUNT, lambda value: value >= 0 and value.is_integer(), right))


def _outcomes(pairs: Iterable[tuple[Item, SheetRow, SheetRow]], model: str) -> pl.DataFrame:
    """Return the outcomes of a model: for each item a credit (0, ½, 1) and a margin in bits.

    `pairs` has each item with the row of its right form and the row of its wrong form.
    """
    rows = []
    for item, right, wrong in pairs:
        margin = _surprisal(wrong, model) - _surprisal(right, model)
        is_tie = abs(margin) <= TIE_BITS
        credit = 0.5 if is_tie else float(margin > 0)
        rows.append((item.item_id, "agreement", credit, margin, is_tie, False, ""))
    return pl.DataFrame(rows, OUTCOME_DTYPES, orient="row")


def _surprisal(row: SheetRow, model: str) -> float:
    """Return the surprisal (−log₂ p, in bits) that a model gave to the form of a row."""
    right = "the natural logarithm of a probability, 0 or less"
    return abs(_number_in(row, model, lambda value: value <= 0, right)) / math.log(2)


def _number_in(row: SheetRow, column: str, is_valid: Callable[[float], bool], right: str) -> float:
    """Return the number in a column of a row.

    Raises `InputError`, with `right` as what would be right, if it is missing or not valid.
    """
    location, cells = row
    value = number(cells[column], column, location)
    if value is None or not is_valid(value):
        raise malformed(location, f"{column} is {cells[column]!r}", right)
    return value


def is_raw_row(cells: Sequence[str]) -> bool:
    """Tell whether a row of cells is the header, or an answer, of a file of single answers."""
    if len(cells) != len(RAW_COLUMNS):
        return False
    row = dict(zip(RAW_COLUMNS, cells, strict=True))
    is_answer = row["type"] in TRIAL_TYPES and row["answer_status"] in ANSWER_STATUSES
    return is_answer or tuple(cells) == tuple(RAW_COLUMNS)


def read_raw(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read files of single answers into claims (answers as files state them, not yet checked).

    Raises `InputError` for a line that does not fit the format.
    """
    rows = []
    for path in paths:
        for line_number, line in numbered_lines(path):
            cells = [cell.strip().replace('""', '"') for cell in line.split("\t")]
            is_header = line_number == 1 and cells[0] == next(iter(RAW_COLUMNS))
            if is_header or not line.strip():
                continue
            location = f"{path}:{line_number}"
            if len(cells) != len(RAW_COLUMNS):
                right = f"{len(RAW_COLUMNS)}, between tabs: {', '.join(RAW_COLUMNS)}"
                raise malformed(location, f"{len(cells)} cells in this row", right)
            row = dict(zip(RAW_COLUMNS.values(), cells, strict=True))
            if row["type"] not in TRIAL_TYPES:
                wrong, right = f"type is {row['type']!r}", nearest(row["type"], TRIAL_TYPES)
                raise InputError(location, wrong, right, kind="unknown")
            if row["correct"] not in ANSWER_STATUSES:
                wrong = f"answer_status is {row['correct']!r}"
                raise malformed(location, wrong, "T for right or F for wrong")
            row["kind"], row["condition"] = TRIAL_TYPES[row["type"]]
            rows.append((location, row))
    claims = claim_frame(rows)
    return Arrived(paths, claims, own_ids=False, platform="mturk", columns=RAW_COLUMNS)
