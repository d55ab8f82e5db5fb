"""The files of Gulordava et al. 2018: result tables, and the single answers behind one of them.

`best_model_mturk.tab` and its sisters have two rows an item, one for each form. `mturk_count` is
how many people chose that row's form; every other numeric column that is not one of the listed
ones is the natural-log probability that the model of that name gave to the form. The items
themselves are read as from any other `.tab` file (`data.formats.tab`).

The single answers are nine columns with tabs, with or without a header, as the authors' script
writes them from a batch of Mechanical Turk: quotes inside texts are doubled and no cell is quoted,
so that quoting is off here and `""` becomes `"`. Missing answers and rows of type `foil` are not in
it, nor are times and positions.
"""

import math
from collections.abc import Iterable, Sequence
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
from ....scoring.outcomes.evaluate import OUTCOMES
from ..claims import claim_frame
from ..imported import Arrived, Imported, ImportOptions, ImportSummary
from ..judgment import tallied
from ..sheet import SheetRow, is_number, number, read_sheet

COUNT = "mturk_count"
LISTED = (*TAB_COLUMNS, "freq", "full_id", COUNT)
RAW = {  # of the single answers: their column → ours
    "worker_id": "participant", "type": "type", "answer_status": "correct", "answer": "chosen",
    "correct_form": "correct_form", "opt1": "option_1", "opt2": "option_2", "full_id": "item",
    "sent": "prefix",
}  # fmt: skip
TYPES = {  # kind and condition
    "target_original": ("target", "original"),
    "target_generated": ("target", "nonce"),
    "control": ("filler", ""),
}
STATUS = ("T", "F")


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read a suite, its tallies (where people were asked) and what the published models make of it.

    The file brings its own items; `items` is not looked at. The language is that of the options,
    else that of the folder's name (`Italian`, `gulordava2018-italian`), else `und`. Raises
    `InputError` where the two rows of an item do not belong together or a number is none.
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
    pairs = list(zip(items_of_file, sheet.rows[::2], sheet.rows[1::2], strict=True))
    tallies = tuple(
        tallied(item, _people(right), _people(right) + _people(wrong))
        for item, right, wrong in pairs
        if COUNT in sheet.columns
    )
    first_cells = sheet.rows[0][1]  # a later cell that is no number is then an error
    models = [name for name in sheet.columns if name not in LISTED and is_number(first_cells[name])]
    return Imported(
        ImportSummary.of_totals(tallies, len(items_of_file), len(sheet.rows)),
        tallies=tallies,
        suite=replace(suite, name=f"gulordava2018-{language}", items=items_of_file),
        outcomes={model: _outcomes(pairs, model) for model in models},
    )


def _people(row: SheetRow) -> int:
    location, cells = row
    value = number(cells[COUNT], COUNT, location)
    if value is None or value < 0 or value != int(value):
        wrong = f"{COUNT} is {cells[COUNT]!r}"
        raise malformed(location, wrong, "how many people chose this form")
    return int(value)


def _outcomes(pairs: Iterable[tuple[Item, SheetRow, SheetRow]], model: str) -> pl.DataFrame:
    """Return what a model makes of items, each with the row of its right and of its wrong form."""
    rows = []
    for item, right, wrong in pairs:
        margin = _bits(wrong, model) - _bits(right, model)
        is_tie = abs(margin) <= TIE_BITS
        credit = 0.5 if is_tie else float(margin > 0)
        rows.append((item.item_id, "agreement", credit, margin, is_tie, False, ""))
    return pl.DataFrame(rows, OUTCOMES, orient="row")


def _bits(row: SheetRow, model: str) -> float:
    """Return −log2 p from ln p."""
    location, cells = row
    value = number(cells[model], model, location)
    if value is None or value > 0:
        wrong = f"{model} is {cells[model]!r}"
        raise malformed(location, wrong, "the natural logarithm of a probability, 0 or less")
    return abs(value) / math.log(2)


def read_raw(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read the single answers. Raises `InputError` for a line of another layout."""
    rows = []
    for path in paths:
        for line_number, line in numbered_lines(path):
            cells = [cell.strip().replace('""', '"') for cell in line.split("\t")]
            if not line.strip() or (line_number == 1 and cells[0] == next(iter(RAW))):
                continue
            location = f"{path}:{line_number}"
            if len(cells) != len(RAW):
                right = f"{len(RAW)}, between tabs: {', '.join(RAW)}"
                raise malformed(location, f"{len(cells)} cells in this row", right)
            row = dict(zip(RAW.values(), cells, strict=True))
            if row["type"] not in TYPES:
                wrong, right = f"type is {row['type']!r}", nearest(row["type"], TYPES)
                raise InputError(location, wrong, right, kind="unknown")
            if row["correct"] not in STATUS:
                wrong = f"answer_status is {row['correct']!r}"
                raise malformed(location, wrong, "T for right or F for wrong")
            row["kind"], row["condition"] = TYPES[row["type"]]
            rows.append((location, row))
    claims = claim_frame(rows)
    return Arrived(paths, claims, own_ids=False, platform="mturk", columns=RAW)
