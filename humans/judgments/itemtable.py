"""A table of items that came with an experiment: its fillers and checks, or all it showed.

Columns by name, first found: `item`; `correct_form` (or `good`, `sentence_good`); `wrong_form` (or
`bad`, `sentence_bad`); and, where there are, `prefix`, `kind`, `source`, `construction` (or
`paradigm`, `uid`), `condition`, `n_attr`, `unambiguous`. Other columns become facts of the item.
A table without ids gets them from the texts. Of an item without a kind the study or the answers say
what it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import InputError
from ...data.items.item import KINDS as ITEM_KINDS
from ...data.items.item import Item, Region, item_id
from ...data.items.sentences import penn
from ._sheet import read_sheet
from .column_names import ColumnNames, first_of
from .judgment import kind_at

ALIASES: ColumnNames = {
    "item": ("item", "item_id"),
    "correct_form": ("correct_form", "good", "sentence_good"),
    "wrong_form": ("wrong_form", "bad", "sentence_bad"),
    "prefix": ("prefix",),
    "kind": ("kind",),
    "source": ("source", "cluster_id"),
    "construction": ("construction", "paradigm", "uid"),
    "condition": ("condition",),
    "n_attr": ("n_attr", "n_attractors"),
    "unambiguous": ("unambiguous",),
}
NO = ("0", "false", "no", "f")


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """Items of a table with the kind of trial of each, as `read_items` returns them.

    Attributes:
        items: in the order of the table.
        kinds: item id → target, filler, check or practice, where the table says it.
        unambiguous: ids of fillers with no doubt about the right answer; None without this column.
    """

    items: tuple[Item, ...]
    kinds: Mapping[str, str]
    unambiguous: frozenset[str] | None

    @property
    def is_silent(self) -> bool:
        """Tell whether there are items of which nobody has said what they are."""
        return any(item.item_id not in self.kinds for item in self.items)

    def targets(self) -> tuple[Item, ...]:
        """Return the items that the experiment is about, or may be for all that is known."""
        kinds = (self.kinds.get(item.item_id, "target") for item in self.items)
        return tuple(e for e, kind in zip(self.items, kinds, strict=True) if kind == "target")


def read_items(path: Path, language: str) -> ItemSheet:
    """Read a table of the items that people were shown: all of them, or fillers and checks only.

    Args:
        path: a CSV or TSV file; its columns are in this module's docstring.
        language: BCP-47 code of the items; "": und (undetermined).

    Returns:
        The items, each with the conditions right and wrong and the regions prefix, target and rest,
        and what kind of trial each is.

    Raises:
        InputError: for a missing column, an item without two different forms, an unknown kind, and
            an item that comes twice.

    >>> _ = Path("items.csv").write_text(
    ...     "item,kind,prefix,correct_form,wrong_form\\ni1,target,the keys,are,is\\n")
    >>> found = read_items(Path("items.csv"), "en")
    >>> [region.text for region in found.items[0].conditions["right"][0]], found.kinds
    (['the keys', ' are', ''], {'i1': 'target'})
    """
    sheet = read_sheet(path, [alias for names in ALIASES.values() for alias in names])
    for name in ("correct_form", "wrong_form"):
        if {*ALIASES[name]}.isdisjoint(sheet.columns):
            wrong = f"no column {name}; the columns are {', '.join(sheet.columns)}"
            right = f"one of {', '.join(ALIASES[name])}"
            raise InputError(f"{path}:1", wrong, right, kind="missing")
    used = {next((n for n in names if n in sheet.columns), "") for names in ALIASES.values()}
    items: dict[str, Item] = {}
    kinds: dict[str, str] = {}
    clear = set()
    for location, row in sheet.rows:
        cells = first_of(row, ALIASES)
        extra = {name: cell for name, cell in row.items() if name not in used}
        item = item_of(cells, path.stem, language, location, extra)
        if item.item_id in items:
            wrong, right = f"item {item.item_id!r} comes twice", "one row for each item"
            raise InputError(location, wrong, right, kind="conflict")
        items[item.item_id] = item
        if cells["kind"]:
            kinds[item.item_id] = kind_at(cells["kind"], location)
        if cells["unambiguous"].lower() not in ("", *NO):
            clear.add(item.item_id)
    unambiguous = frozenset(clear) if "unambiguous" in sheet.columns else None
    return ItemSheet(tuple(items.values()), kinds, unambiguous)


def item_of(
    cells: Mapping[str, str],
    source: str,
    language: str,
    location: str,
    extra: Mapping[str, str] | None = None,
) -> Item:
    """Return the item that cells describe, with further cells among its facts. Raises `InputError`
    without two different forms."""
    right, wrong, prefix = cells["correct_form"], cells["wrong_form"], cells["prefix"]
    if not right or not wrong or right == wrong:
        problem = f"the forms are {right!r} and {wrong!r}"
        raise InputError(location, problem, "two different forms of the item", kind="conflict")

    def wording(form: str) -> tuple[Region, ...]:
        """Return prefix, target and nothing more; without a prefix the target is the sentence."""
        parts = ("prefix", prefix), ("target", f" {form}" if prefix else form), ("rest", "")
        return tuple(Region(name, penn(text), text) for name, text in parts)

    identity = cells["item"] or item_id(source, prefix, right, wrong)
    facts = {name: cells.get(name, "") for name in ("construction", "condition", "n_attr")}
    return Item(
        item_id=identity,
        kind=cells["condition"] if cells["condition"] in ITEM_KINDS else "suite",
        cluster_id=cells["source"] or identity,
        language=language or "und",
        source=source,
        licence="",
        conditions={"right": (wording(right),), "wrong": (wording(wrong),)},
        facts={name: value for name, value in {**(extra or {}), **facts}.items() if value},
    )
