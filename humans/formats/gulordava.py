"""The published result tables of Gulordava et al. 2018: items, people's answers, a model's numbers.

`best_model_mturk.tab` and its sisters have two rows an item, one for each form. `mturk_count` is
how many people chose that row's form; every other numeric column that is not one of the listed
ones is the natural-log probability that the model of that name gave to the form. The items
themselves are read as from any other `.tab` file (`nonce.formats.tab`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.sheet import Line, Sheet, is_number, number, read_sheet
from colorless_green.humans.imported import FormSurprisal, Imported, ImportOptions, Summary
from colorless_green.humans.tally import tallied
from colorless_green.nonce.formats import tab
from colorless_green.nonce.item import Item

COUNT = "mturk_count"
LISTED = (*tab.COLUMNS, "freq", "full_id", COUNT)
LANGUAGES = {"English": "en", "Hebrew": "he", "Italian": "it", "Russian": "ru"}
SOURCE = "Gulordava et al. 2018"
LICENCE = "CC-BY-NC-4.0"

Pair: TypeAlias = tuple[Line, Line]
"""The correct and the wrong row of one item."""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """A suite, its tallies (where people were asked) and the published models' surprisals.

    The file brings its own items; `items` is not looked at. The language is that of the options,
    else that of the folder's name as the authors have it (`Italian`), else `und`. Raises
    `InputError` where the two rows of an item do not belong together or a number is none.
    """
    if len(paths) != 1:
        raise InputError(
            "humans import", f"{len(paths)} files", "one published table at a time", kind="value"
        )
    path = paths[0]
    suite = tab.read(path)
    language = options.language or LANGUAGES.get(path.resolve().parent.name, "und")
    found = tuple(
        replace(item, language=language, source=SOURCE, licence=LICENCE) for item in suite.items
    )
    sheet = read_sheet(path, tab.COLUMNS, "\t")
    pairs: list[Pair] = list(zip(sheet.lines[::2], sheet.lines[1::2], strict=True))
    tallies = tuple(
        tallied(item, _people(right), _people(right) + _people(wrong))
        for item, (right, wrong) in zip(found, pairs, strict=True)
        if COUNT in sheet.columns
    )
    summary = Summary(
        n_files=1,
        n_rows=len(sheet.lines),
        n_judgments=sum(each.total for each in tallies),
        n_participants=None,
        n_items_matched=len(found),
        n_items_unmatched=0,
        n_missing=sum(each.total == 0 for each in tallies),
        n_duplicates=0,
    )
    return Imported(
        summary,
        tallies=tallies,
        suite=replace(suite, name=f"gulordava2018-{language}", items=found),
        surprisals=tuple(_surprisals(sheet, pairs, found)),
    )


def _people(line: Line) -> int:
    value = number(line, COUNT)
    if value is None or value < 0 or value != int(value):
        raise InputError(
            line.place, f"{COUNT} is {line.cells[COUNT]!r}", "a number of people", kind="format"
        )
    return int(value)


def _surprisals(
    sheet: Sheet, pairs: Sequence[Pair], items: Sequence[Item]
) -> Iterator[FormSurprisal]:
    for model in _models(sheet):
        for item, (right, wrong) in zip(items, pairs, strict=True):
            yield FormSurprisal(model, item.item_id, _bits(right, model), _bits(wrong, model))


def _models(sheet: Sheet) -> tuple[str, ...]:
    """Columns with a model's log probabilities: not listed, and a number in the first row (a later
    cell that is none is then an error)."""
    first: Mapping[str, str] = sheet.lines[0].cells
    return tuple(
        column for column in sheet.columns if column not in LISTED and is_number(first[column])
    )


def _bits(line: Line, model: str) -> float:
    """−log2 p from ln p."""
    value = number(line, model)
    if value is None or value > 0:
        raise InputError(
            line.place,
            f"{model} is {line.cells[model]!r}",
            "the natural logarithm of a probability, 0 or less",
            kind="format",
        )
    return abs(value) / math.log(2)
