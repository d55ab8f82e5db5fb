"""A table under our names: columns renamed, cells taken apart, wide rows made long."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.humans.formats.sheet import Line, Sheet, is_number
from colorless_green.humans.tablemap import Source, TableMap

NUMBERS = ("rating", "rt_ms", "proportion")  # may have a decimal comma
MAY_LACK = (*NUMBERS, "position", "chosen_index", "correct_index", "correct", "at", "status")
"""Where a word such as NA means nothing; elsewhere it may be a form, a text or a name."""
WIDE = ("item", "chosen", "chosen_index", "rt_ms", "rating", "correct", "position")
"""What the columns of a wide table may hold."""


def relabelled(
    sheet: Sheet, theirs: Mapping[str, Source], table: TableMap, missing: Collection[str]
) -> tuple[Sheet, int]:
    """The table with our names for its columns, and how many rows `where` leaves out.

    Numbers, indices and the like that are one of `missing` are empty; numbers have a decimal point.
    Columns that we have no name for are gone. Raises `InputError` for a column that the map names
    and the table lacks.
    """
    there = (*sheet.columns, *(WIDE if table.items else ()))
    for name, column in (
        *((name, source.column) for name, source in table.columns.items()),
        *(("`where`", column) for column in table.where),
    ):
        if column not in there:
            raise InputError(
                f"{sheet.path}:1",
                f"no column {column!r} for {name}",
                nearest(column, sheet.columns),
                kind="missing",
            )
    lines = [
        line
        for line in sheet.lines
        if all(line.cells[column] == value for column, value in table.where.items())
    ]
    n_left_out = len(sheet.lines) - len(lines)
    ours = {name: source for name, source in theirs.items() if source.column in there}
    decimal = table.decimal or ("." if sheet.delimiter == "," else ",")
    result: list[Line] = []
    for line in lines:
        for cells in _wide(line, table) if table.items else [line.cells]:
            found = {
                name: (source.taken(cells[source.column]), source.scale)
                for name, source in ours.items()
                if source.column in cells
            }
            named = {
                name: _cell(name, text, scale, decimal, missing)
                for name, (text, scale) in found.items()
            }
            result.append(Line(line.place, {**table.constants, **named}))
    columns = tuple(dict.fromkeys(name for line in result for name in line.cells)) or tuple(ours)
    return Sheet(sheet.path, sheet.delimiter, columns, tuple(result)), n_left_out


def _wide(line: Line, table: TableMap) -> Iterator[dict[str, str]]:
    """The trials of a person's row, in the order of their first columns."""
    assert table.items is not None
    trials: dict[str, dict[str, str]] = {}
    shared: dict[str, str] = {}
    for column, cell in line.cells.items():
        found = table.items.search(column)
        if found is None:
            shared[column] = cell
            continue
        groups = found.groupdict()
        item = groups.get("item") or (found[1] if table.items.groups else found[0])
        name = groups.get("field") or "chosen"
        if name not in WIDE:
            raise InputError(
                line.place,
                f"column {column!r} holds {name!r}",
                f"one of {', '.join(WIDE)}",
                kind="format",
            )
        trials.setdefault(item, {})[name] = cell
    if not trials:
        raise InputError(
            line.place, "no column is an item's", "another `items` in the map", kind="missing"
        )
    for item, cells in trials.items():
        yield {**shared, "item": item, **cells}


def _cell(name: str, text: str, scale: str, decimal: str, missing: Collection[str]) -> str:
    """The cell as our own tables would have it; what is no number is left for its reader."""
    if text in missing and name in MAY_LACK:
        return ""
    if name not in NUMBERS:
        return text
    pointed = text.replace(decimal, ".")
    if not is_number(pointed):
        return text
    return str(Decimal(pointed) * Decimal(scale)) if scale else pointed
