"""Which suite people judged, as a study, a table of items, a store or the answers say it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from ..data.errors import InputError
from ..data.files import MANIFEST, read_manifest
from ..data.items.item import Item
from ..data.items.suite import Suite
from ..data.store import Store
from ..data.stored_suites import find_suite, newest_suite, stored_suite, suite_named
from .judgments.claims import demand_known
from .judgments.imported import Imported
from .judgments.lookup import ItemSheet, item_of, read_items
from .study.settings import SETTINGS
from .study.study import TRIALS, shown_in


@dataclass(frozen=True, slots=True)
class Design:
    """The design of a study, and a table of the items that were shown.

    Attributes:
        study: the file with the study's settings or rules, if there is one.
        suite: name of the suite that the study was designed from; "" where nothing says it.
        kinds: item id → kind of trial, as the table says, else the study.
        is_study: whether a study's folder says what its items are.
        items: the file of the table, if there is one.
        table: what it says; of kinds also what the study does.
        others: fillers, checks and practice, as a study's folder has them.
        unambiguous: ids of fillers with no doubt about the right answer; None where nobody says.
    """

    study: Path | None
    suite: str
    kinds: Mapping[str, str]
    is_study: bool
    items: Path | None
    table: ItemSheet | None
    others: tuple[Item, ...]
    unambiguous: frozenset[str] | None


@dataclass(frozen=True)
class Judged:
    """The suite that was judged, its number if the store has it, and whether nothing named it."""

    suite: Suite | None = None
    suite_id: int | None = None
    is_newest: bool = False

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """The suite's items by their ids."""
        return {item.item_id: item for item in self.suite.items} if self.suite else {}


def read_design(study: str | Path | None, items: str | Path | None, language: str) -> Design:
    """Return what is said of what was shown.

    Args:
        study: a study's folder, or a file with its rules of exclusion; of a file that is in no
            study's folder only the rules count.
        items: a table of the items shown.
        language: BCP-47 code of the table's items.
    """
    study_file, item_file = Path(study) if study else None, Path(items) if items else None
    if study_file is not None and study_file.is_dir():
        study_file /= SETTINGS
    manifest: Mapping[str, object] = {}
    kinds: Mapping[str, str] = {}
    others: tuple[Item, ...] = ()
    if study_file is not None and (study_file.parent / MANIFEST).is_file():
        folder = study_file.parent
        manifest, (kinds, shown) = read_manifest(folder), shown_in(folder)
        others = tuple(
            item_of(cells, folder.name, cells["language"], str(folder / TRIALS)) for cells in shown
        )
    is_study, table = bool(kinds), None
    if item_file is not None:
        table = read_items(item_file, language)
        kinds = {**kinds, **table.kinds}
        table = replace(table, kinds=kinds)
    clear = table.unambiguous if table is not None else None
    if clear is None and isinstance(unambiguous := manifest.get("unambiguous"), list):
        clear = frozenset(map(str, unambiguous))
    suite = str(manifest.get("suite") or "")
    return Design(study_file, suite, kinds, is_study, item_file, table, others, clear)


def find_judged(store: Store, suite: Suite | str | Path | None, design: Design) -> Judged:
    """Return the suite that was judged; without a suite where the answers must say it.

    It is the one named, else the one that the study was designed from, else the newest, unless a
    table has targets and it has none of these; none in an empty store (a file that brings its own
    items needs none).
    """
    judged = _named(store, suite or "", design.suite)
    if design.items is None or design.table is None:
        return judged
    table, by_id = design.table, judged.by_id
    targets = tuple(
        item for item in table.targets() if not design.is_study or item.item_id in table.kinds
    )
    is_own = [item.item_id in by_id for item in targets]
    return judged if suite or all(is_own) or any(is_own) else Judged()


def _named(store: Store, suite: Suite | str | Path, of_study: str) -> Judged:
    """Return the suite that is named, that the study was designed from, or the newest."""
    if isinstance(suite, Suite) or str(suite):
        return Judged(*find_suite(store, suite))
    if of_study:
        try:
            return _stored(store, suite_named(store, of_study))
        except InputError as error:
            if error.kind != "missing":  # a name of several suites
                raise
    try:
        return _stored(store, newest_suite(store), is_newest=True)
    except InputError:
        return Judged()


def _stored(store: Store, suite_id: int, *, is_newest: bool = False) -> Judged:
    return Judged(stored_suite(store, suite_id), suite_id, is_newest)


def known_items(judged: Judged, design: Design) -> dict[str, Item]:
    """Return the items that answers can be about: those of the suite, then those of the table."""
    by_id = dict(judged.by_id)
    for item in (*(design.table.items if design.table else ()), *design.others):
        by_id.setdefault(item.item_id, item)
    return by_id


def answered_suite(judged: Judged, design: Design, imported: Imported) -> Suite | None:
    """Return the suite that was judged, or the items of a table that the answers are about; None
    where nothing says it. Raises `InputError` for answers about no item of the suite."""
    if design.items is None or design.table is None:
        return judged.suite
    trials = imported.trials
    if judged.suite is not None:
        asked = trials.filter(kind="target").select("item", "origin").unique("item", keep="first")
        totals = ((tally.item, str(design.items)) for tally in imported.tallies)
        demand_known((*asked.iter_rows(), *totals), judged.by_id)
        return judged.suite
    others = {*trials.filter(pl.col("kind") != "target")["item"]}
    targets = tuple(item for item in design.table.targets() if item.item_id not in others)
    return Suite(design.items.stem, targets) if targets else None
