"""The columns that make a cell, and which pairs stand in each."""

from collections.abc import Sequence
from dataclasses import fields

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.audit.pair import PHENOMENON, Pair
from colorless_green.nonce.item import Agreement, Item
from colorless_green.nonce.suite import construction_of

CONSTRUCTION = "construction"
MINED = (CONSTRUCTION, "value", "kind")  # the default columns of mined items
OF_ITEM = ("kind", "language", "source", "licence", "set_id", "cell")
OF_AGREEMENT = frozenset(field.name for field in fields(Agreement))
TOLD = (*MINED, "feature", "gap", "level", "n_attractors", "target_upos", "variant")


def default_columns(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Construction, value and kind if there are items of agreement; of others the construction, or
    else the phenomenon; and before them the language, if there are several."""
    languages = {pair.item.language for pair in pairs}
    others = [pair.item for pair in pairs if pair.item.agreement is None]
    told = [
        name for name in (CONSTRUCTION, PHENOMENON) if any(column_of(each, name) for each in others)
    ]
    columns = (
        *(["language"] if len(languages) > 1 else []),
        *(MINED if len(others) < len(pairs) else ()),
        *told[:1],
    )
    return tuple(dict.fromkeys(columns))


def cells_of(pairs: Sequence[Pair], columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Cell → indices of its pairs: the whole under (), then the cells in the order of names.

    Raises `InputError` for a column that no item has.
    """
    for column in columns:
        if all(column_of(pair.item, column) is None for pair in pairs):
            raise InputError(
                "--by", f"no item has {column!r}", nearest(column, _known(pairs)), kind="unknown"
            )
    found: dict[tuple[str, ...], list[int]] = {}
    for index, pair in enumerate(pairs):
        cell = tuple(column_of(pair.item, column) or "" for column in columns)
        found.setdefault(cell, []).append(index)
    found.pop((), None)
    return {(): list(range(len(pairs))), **{cell: found[cell] for cell in sorted(found)}}


def column_of(item: Item, column: str) -> str | None:
    """What an item has under a name: a field of its own, its construction (BLiMP's paradigm), a
    fact of agreement (several joined by `|`), the number of its attractors, or another fact; `None`
    if nothing."""
    if column == CONSTRUCTION:
        return construction_of(item) or None
    if column in OF_ITEM:
        return str(getattr(item, column))
    if item.agreement is not None:
        if column in OF_AGREEMENT:
            value = getattr(item.agreement, column)
            return "|".join(map(str, value)) if isinstance(value, tuple) else str(value)
        if column == "n_attractors":
            return str(len(item.agreement.attractors))
    return item.facts.get(column)


def _known(pairs: Sequence[Pair]) -> list[str]:
    names = {name for pair in pairs for name in pair.item.facts}
    names.update(CONSTRUCTION for pair in pairs if construction_of(pair.item))
    told = TOLD if any(pair.item.agreement is not None for pair in pairs) else ()
    return sorted(names.union(OF_ITEM, told))
