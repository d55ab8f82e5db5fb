"""Any table of answers: one row an answer, or one row an item with its totals.

Columns are found by our names (`item`, `participant`, `chosen`, `correct_form`, … or `item`,
`right`, `total`); a file with other names is read with a map from ours to its own.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.sheet import Line, Sheet, number, read_sheet, whole
from colorless_green.humans.imported import Imported, ImportOptions, Summary
from colorless_green.humans.join import demand_known, join, normal
from colorless_green.humans.judgment import KINDS, Judgment, Tally
from colorless_green.humans.tally import tally
from colorless_green.nonce.item import Item

SINGLE = (
    "participant",
    "session",
    "trial_id",
    "item",
    "condition",
    "kind",
    "position",
    "list",
    "prefix",
    "option_1",
    "option_2",
    "chosen",
    "chosen_index",
    "correct_form",
    "correct",
    "rating",
    "rt_ms",
    "at",
)
AGGREGATED = ("item", "right", "total")

MISSING = ("NA", "N/A", "NaN", "NULL", "null", "None")
"""What other programs write for no answer; taken as a word where it is one of the options."""


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Single judgments, or tallies, from one or more tables of the same kind.

    `options.columns` maps our names to the files'. Raises `InputError` as `join` does, and where
    totals do not add up.
    """
    for name in options.columns:
        if name not in {*SINGLE, *AGGREGATED}:
            raise InputError(
                "--map", f"no such column {name!r}", f"one of {', '.join((*SINGLE, *AGGREGATED))}"
            )
    sheets = [_renamed(path, options) for path in paths]
    if not sheets:
        raise InputError("humans import", "no file", "one table of answers or more")
    with_totals = [sheet for sheet in sheets if {"right", "total"} <= set(sheet.columns)]
    if with_totals and len(with_totals) < len(sheets):
        other = next(sheet for sheet in sheets if sheet not in with_totals)
        raise InputError(
            str(other.path), "single answers beside files with totals", "one sort at a time"
        )
    return _aggregated(sheets, items) if with_totals else _single(sheets, items)


def _renamed(path: Path, options: ImportOptions) -> Sheet:
    """The table with our names for its columns; columns that we have no name for keep theirs."""
    theirs = {name: options.columns.get(name, name) for name in (*SINGLE, *AGGREGATED)}
    sheet = read_sheet(path, list(theirs.values()))
    for name in options.columns:
        if theirs[name] not in sheet.columns:
            raise InputError(
                f"{path}:1",
                f"no column {theirs[name]!r} for {name}",
                f"one of {', '.join(sheet.columns)}",
            )
    ours = {name: column for name, column in theirs.items() if column in sheet.columns}
    _demand_columns(sheet, ours)
    lines = tuple(
        Line(line.place, {name: line.cells[column] for name, column in ours.items()})
        for line in sheet.lines
    )
    return Sheet(path, sheet.delimiter, tuple(ours), lines)


def _demand_columns(sheet: Sheet, ours: dict[str, str]) -> None:
    place, there = f"{sheet.path}:1", f"the columns are {', '.join(sheet.columns)}"
    if "item" not in ours:
        raise InputError(place, f"no column item; {there}", "name it with --map item=COLUMN")
    if {"right", "total"} <= ours.keys():
        if {"chosen", "chosen_index"} & ours.keys():
            raise InputError(
                place, "both single answers and totals", "either chosen or right and total"
            )
        return
    for needed in ("participant", "chosen"):
        if needed not in ours and not (needed == "chosen" and "chosen_index" in ours):
            raise InputError(
                place,
                f"no column {needed}; {there}",
                f"name it with --map {needed}=COLUMN (or give item, right and total)",
            )


def _single(sheets: Sequence[Sheet], items: Sequence[Item]) -> Imported:
    claimed = [judgment for sheet in sheets for judgment in _claimed(sheet)]
    joined = join(claimed, items, MISSING)
    answers = [each for each in joined.judgments if each.chosen]
    summary = Summary(
        n_files=len(sheets),
        n_rows=len(claimed),
        n_judgments=len(answers),
        n_participants=len({each.participant for each in joined.judgments}),
        n_items_matched=joined.n_items_matched,
        n_items_unmatched=joined.n_items_unmatched,
        n_missing=len(joined.judgments) - len(answers),
        n_duplicates=joined.n_duplicates,
    )
    return Imported(summary, judgments=joined.judgments)


def _claimed(sheet: Sheet) -> Iterator[Judgment]:
    decimal = "." if sheet.delimiter == "," else ","  # `1,5` can stand in a cell only there
    for line in sheet.lines:
        get = line.cells.get
        for needed in ("item", "participant"):
            if not get(needed):
                raise InputError(line.place, f"no {needed}", "a value in every row")
        yield Judgment(
            participant=line.cells["participant"],
            session=get("session", ""),
            trial_id=get("trial_id", ""),
            item=line.cells["item"],
            source="",
            construction="",
            condition=get("condition", ""),
            kind=_kind(line),
            position=_position(line),
            list=get("list", ""),
            prefix=get("prefix", ""),
            option_1=get("option_1", ""),
            option_2=get("option_2", ""),
            chosen=_chosen(line),
            chosen_index=_chosen_index(line),
            correct_form=get("correct_form", ""),
            correct=_either(line, "correct"),
            rating=number(line, "rating", decimal),
            rt_ms=_duration(line, decimal),
            at=get("at", ""),
            origin=line.place,
        )


def _kind(line: Line) -> str:
    kind = line.cells.get("kind", "") or "target"
    if kind not in KINDS:
        raise InputError(line.place, f"kind is {kind!r}", f"one of {', '.join(KINDS)}")
    return kind


def _chosen(line: Line) -> str:
    """The chosen text, from the column or from its place among the options shown."""
    shown = [line.cells.get("option_1", ""), line.cells.get("option_2", "")]
    text = line.cells.get("chosen", "")
    index = _either(line, "chosen_index")
    if index is None:
        return text
    if not all(shown):
        raise InputError(
            line.place, "chosen_index without the options", "columns option_1 and option_2"
        )
    if text and normal(text) != normal(shown[index]):
        raise InputError(
            line.place,
            f"chosen is {text!r}, but chosen_index {index} is {shown[index]!r}",
            "the same answer in both",
        )
    return shown[index]


def _chosen_index(line: Line) -> int | None:
    """0 or 1: which option was chosen, where both were noted and tell themselves apart."""
    stated = _either(line, "chosen_index")
    shown = [normal(line.cells.get(name, "")) for name in ("option_1", "option_2")]
    chosen = normal(line.cells.get("chosen", ""))
    if stated is None and chosen and shown.count(chosen) == 1:
        return shown.index(chosen)
    return stated


def _either(line: Line, column: str) -> int | None:
    """0, 1 or nothing; also as true/false and T/F, as other programs write them."""
    text = line.cells.get(column, "")
    words = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}
    if text.lower() not in words and text not in MISSING:
        raise InputError(line.place, f"{column} is {text!r}", "0, 1 or nothing")
    return words.get(text.lower())


def _position(line: Line) -> int | None:
    value = whole(line, "position")
    if value is not None and value < 1:
        raise InputError(line.place, f"position is {value}", "1 or more")
    return value


def _duration(line: Line, decimal: str) -> float | None:
    if line.cells.get("rt_ms", "") in MISSING:
        return None
    value = number(line, "rt_ms", decimal)
    if value is not None and value < 0:
        raise InputError(line.place, f"rt_ms is {value:g}", "0 or more")
    return value


def _aggregated(sheets: Sequence[Sheet], items: Sequence[Item]) -> Imported:
    known = {item.item_id: item for item in items}
    seen: dict[str, str] = {}
    result: list[Tally] = []
    lines = [line for sheet in sheets for line in sheet.lines]
    demand_known(((line.cells["item"], line.place) for line in lines), known)
    for line in lines:
        item = line.cells["item"]
        if item in seen:
            raise InputError(
                line.place, f"item {item!r} again, after {seen[item]}", "one row for each item"
            )
        seen[item] = line.place
        result.append(tally(known[item], *_totals(line)))
    return Imported(
        Summary(
            n_files=len(sheets),
            n_rows=len(lines),
            n_judgments=sum(each.total for each in result),
            n_participants=None,
            n_items_matched=len(result),
            n_items_unmatched=0,
            n_missing=sum(each.total == 0 for each in result),
            n_duplicates=0,
        ),
        tallies=tuple(result),
    )


def _totals(line: Line) -> tuple[int, int]:
    right, total = whole(line, "right"), whole(line, "total")
    if right is None or total is None or not 0 <= right <= total:
        raise InputError(
            line.place,
            f"right is {line.cells['right']!r} and total {line.cells['total']!r}",
            "counts of answers, 0 ≤ right ≤ total",
        )
    return right, total
