"""What a published record says that our way of writing its item would not give: kept as a fact, so
that a file comes back value for value."""

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any, TypeAlias

from ..records import Record, from_facts, read_back, to_json

PUBLISHED = "published"  # the fact with what an item's file says and our way of writing it not
Names: TypeAlias = Callable[[Sequence[str]], Mapping[str, str]]
"""What a record with these columns calls a column of ours, where that is something else"""


def published_fact(
    format_name: str,
    raw: Sequence[Record],
    plain: Sequence[Record],
    more: Mapping[str, str] = {},
    names: Names = lambda columns: {},
) -> dict[str, str]:
    """Return the fact PUBLISHED of an item, from which `as_published` makes its records again.

    Args:
        format_name: of the file; only it writes these records again.
        raw, plain: the records of the item in its file, and those that we would write of it.
        more, names: facts of the item, by column; what the file calls columns of `plain`.

    Returns:
        Of each record its columns (null: `plain`'s) and the values that neither `plain` nor `more`
        has; nothing where `plain` is all there was.
    """
    notes: list[tuple[tuple[str, ...] | None, dict[str, Any]]] = []
    is_all = True
    for record, default in zip(raw, plain, strict=True):
        columns = tuple(record)
        is_plain = columns == tuple(default)
        if is_plain and all(map(is_, record.values(), default.values())):  # nearly always
            notes.append((None, {}))
            continue
        base = default if is_plain else {**from_facts(more), **_renamed(default, names(columns))}
        changed = {
            name: value
            for name, value in record.items()
            if value is not (ours := base.get(name))
            and not (value == ours and type(value) is type(ours))
        }
        is_all = is_all and is_plain and not changed
        notes.append((None if is_plain else columns, changed))
    return {} if is_all else {PUBLISHED: to_json([format_name, *notes])}


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    return {names.get(name, name): value for name, value in record.items()} if names else record


def as_published(
    format_name: str,
    facts: Mapping[str, str],
    plain: Sequence[Record],
    more: Mapping[str, Any] = {},
    sentences: frozenset[str] = frozenset(),
    names: Names = lambda columns: {},
) -> list[dict[str, Any]]:
    """Return the records of an item as `published_fact` saw them, or `plain` where it saw none or
    not as many.

    A column of `sentences` has what was published only where that is the same but for blanks: the
    item may have other words by now.
    """
    noted = read_back(facts[PUBLISHED]) if PUBLISHED in facts else None
    if not (isinstance(noted, list) and noted[:1] == [format_name] and len(noted) == 1 + len(plain)
            and all(map(_is_note, noted[1:]))):  # fmt: skip
        return [dict(record) for record in plain]
    records = []
    for default, (columns, values) in zip(plain, noted[1:], strict=True):
        renamed = names(columns or ())
        base = _renamed(default, renamed)
        changed = {
            name
            for name in (renamed.get(column, column) for column in sentences)
            if name in base and name in values and _bare(values[name]) != _bare(base[name])
        }
        records.append({
            name: values[name] if name in values and name not in changed
            else base.get(name, more.get(name))
            for name in (default if columns is None else columns)
        })  # fmt: skip
    return records


def _is_note(note: object) -> bool:
    if not (isinstance(note, list) and len(note) == 2 and isinstance(note[1], dict)):
        return False
    columns = note[0]
    is_list = isinstance(columns, list) and all(isinstance(column, str) for column in columns)
    return columns is None or is_list


def _bare(value: object) -> str:
    return "".join(str(value).split())
