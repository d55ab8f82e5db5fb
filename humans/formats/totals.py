"""Tables with a row an item: how many answered, and how many of them rightly."""

from collections.abc import Mapping, Sequence

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.sheet import Line, Sheet, number, whole
from colorless_green.humans.imported import Imported, ImportOptions, Summary
from colorless_green.humans.join import demand_known
from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.humans.lookup import Lookup, lookup_of
from colorless_green.humans.tally import tallied
from colorless_green.nonce.item import Item

COLUMNS = ("item", "right", "total", "proportion", "n")
ROUNDING = 0.00501  # what a share given to two digits may be off


def has_totals(columns: Sequence[str]) -> bool:
    """Whether these are the columns of such a table."""
    return {"right", "total"} <= set(columns) or {"proportion", "n"} <= set(columns)


def aggregated(
    sheets: Sequence[Sheet], items: Sequence[Item], options: ImportOptions, n_left_out: int
) -> Imported:
    """Tallies of targets; totals of fillers and checks are checked and counted as other rows."""
    lookup = lookup_of(items)
    seen: dict[str, str] = {}
    result: list[Tally] = []
    lines = [line for sheet in sheets for line in sheet.lines]
    about = [_about(line, lookup) for line in lines]
    demand_known(zip(about, (line.place for line in lines), strict=True), lookup.by_id)
    for line, item in zip(lines, about, strict=True):
        if item in seen:
            raise InputError(
                line.place,
                f"item {item!r} again, after {seen[item]}",
                "one row for each item",
                kind="conflict",
            )
        seen[item] = line.place
        counted = tallied(lookup.by_id[item], *_totals(line))
        if options.kinds.get(item, "target") == "target":
            result.append(counted)
    return Imported(
        Summary(
            n_files=len(sheets),
            n_rows=len(lines) + n_left_out,
            n_judgments=sum(each.total for each in result),
            n_participants=None,
            n_items_matched=len(lines),
            n_items_unmatched=0,
            n_missing=sum(each.total == 0 for each in result),
            n_duplicates=0,
            n_others=n_left_out + len(lines) - len(result),
        ),
        tallies=tuple(result),
    )


def _about(line: Line, lookup: Lookup) -> str:
    """The item's id, stated or told by its texts."""
    cells: Mapping[str, str] = line.cells
    pair = cells.get("correct_form", ""), cells.get("wrong_form", "")
    told = Judgment(
        participant="",
        item=cells.get("item", ""),
        prefix=cells.get("prefix", ""),
        option_1=pair[0],
        option_2=pair[1],
        origin=line.place,
    )
    return lookup.identified(told).item


def _totals(line: Line) -> tuple[int, int]:
    """(right, total), from these columns or from `proportion` and `n`."""
    if "total" not in line.cells:
        return _of_proportion(line)
    right, total = whole(line, "right"), whole(line, "total")
    if right is None or total is None or not 0 <= right <= total:
        raise InputError(
            line.place,
            f"right is {line.cells['right']!r} and total {line.cells['total']!r}",
            "counts of answers, 0 ≤ right ≤ total",
            kind="format",
        )
    return right, total


def _of_proportion(line: Line) -> tuple[int, int]:
    """A share that is rounded to two digits or more is that of one whole number of at most 50."""
    share, n = number(line, "proportion"), whole(line, "n")
    if share is None or n is None or n < 0 or not 0 <= share <= 1:
        raise InputError(
            line.place,
            f"proportion is {line.cells['proportion']!r} and n {line.cells['n']!r}",
            "a share from 0 to 1, and how many answers it is of",
            kind="format",
        )
    right = round(share * n)
    if n and abs(right / n - share) > ROUNDING:
        raise InputError(
            line.place,
            f"{share:g} of {n} answers is no whole number",
            "right and total",
            kind="format",
        )
    return right, n
