"""Agreement accuracies out of a `.tab` with results (Gulordava et al. 2018, `evaluation_output`).

Two rows a sentence, `correct` and `wrong`; beside the columns of every `.tab` the frequency of the
form (`freq`), how many people chose it (`mturk_count`), and a column for each model with the
natural logarithm of its probability. As in the authors' `results.py` (mining facts §1.8) an item is
right where the right form has strictly more; ties are wrong. People's accuracy is the mean over
sentences of the share that chose the right form.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.nonce.formats.records import table
from colorless_green.nonce.formats.tab import COLUMNS as TAB_COLUMNS
from colorless_green.nonce.formats.tab import KIND_OF_TYPE

COLUMNS = ("file", "rater", "kind", "construction", "n_items", "accuracy", "n_ties")
FREQUENCY, PEOPLE = "freq", "mturk_count"
NAMES = {FREQUENCY: "unigram", PEOPLE: "humans"}
NO_RATER = (*TAB_COLUMNS, "full_id")
ALL = ""  # the kind and construction that are all of them

Counted = tuple[str, str, float, bool]
"""(kind, construction, credit, whether it is a tie)"""


def raters(file: Path) -> tuple[str, ...]:
    """The columns with results: frequency alone is none, since every set has it."""
    _, row = next(table(file, "\t", TAB_COLUMNS), ("", {}))
    found = tuple(name for name in row if name not in NO_RATER)
    return found if set(found) - {FREQUENCY} else ()


def recomputed(files: Sequence[Path]) -> Result:
    """Rows by file (with its folder where there are several), rater, kind and construction; empty
    ones are all. Raises `InputError` with the
    line of a number that is none."""
    rows: list[Row] = []
    apart = len({file.parent for file in files}) > 1
    for file in files:
        shown = f"{file.parent.name}/{file.name}" if apart else file.name
        pairs = list(_pairs(file))
        for name in raters(file):
            counted = [_counted(name, *pair) for pair in pairs]
            rater = NAMES.get(name, name)
            rows += [{"file": shown, "rater": rater, **row} for row in _rows(counted)]
    return Result(rows, COLUMNS)


Line = tuple[str, Mapping[str, str]]


def _pairs(file: Path) -> Iterator[tuple[Line, Line]]:
    lines = list(table(file, "\t", TAB_COLUMNS))
    if len(lines) % 2 or not lines:
        raise InputError(
            str(file), f"{len(lines)} rows", "two rows for each sentence", kind="format"
        )
    for right, wrong in zip(lines[::2], lines[1::2], strict=True):
        if (right[1]["class"], wrong[1]["class"]) != ("correct", "wrong"):
            raise InputError(
                right[0], "not a correct and a wrong row", "two rows for a sentence", kind="format"
            )
        yield right, wrong


def _counted(name: str, right: Line, wrong: Line) -> Counted:
    one, other = (_number(row[name], name, place) for place, row in (right, wrong))
    _, row = right
    kind = KIND_OF_TYPE.get(row["type"], row["type"])
    if name == PEOPLE:
        if min(one, other) < 0 or one + other == 0:
            raise InputError(
                right[0], f"{PEOPLE} is {one:g} and {other:g}", "numbers of people", kind="format"
            )
        return kind, row["pattern"], one / (one + other), False
    return kind, row["pattern"], float(one > other), one == other


def _number(cell: str, name: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(place, f"{name} is {cell!r:.20}", "a number", kind="format")
    return value


def _rows(counted: Sequence[Counted]) -> Iterator[Row]:
    cells: dict[tuple[str, str], list[Counted]] = {}
    for each in counted:
        for kind in (ALL, each[0]):
            for construction in (ALL, each[1]):
                cells.setdefault((kind, construction), []).append(each)
    for kind, construction in sorted(cells):
        members = cells[kind, construction]
        yield {
            "kind": kind,
            "construction": construction,
            "n_items": len(members),
            "accuracy": math.fsum(credit for _, _, credit, _ in members) / len(members),
            "n_ties": sum(tie for _, _, _, tie in members),
        }
