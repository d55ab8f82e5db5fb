"""Find the suite that people judged, from a study, a table of items, the store or the answers."""

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
from .study.study import TRIALS, read_shown_items


@dataclass(frozen=True, slots=True)
class Design:
    """The items that people were shown, as a study's folder and a table of items describe them.

    Attributes:
        study: the file with the study's settings or rules, if there is one.
        suite: name of the suite that the study was designed from; "" if unknown.
        kinds: item id → kind of trial, from the table, or else from the study.
        is_study: True if a study's folder says which kinds its items are.
        items: the file with the table of items, if there is one.
        table: the content of that file, with the kinds that the study knows added.
        others: fillers, checks and practice items from the study's folder.
        unambiguous: ids of fillers with no doubt about the right answer; None if unknown.
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
    """The suite that people judged, as far as it is known before the answers are read."""

    suite: Suite | None = None
    suite_id: int | None = None  # its number in the store, if it is there
    is_newest: bool = False  # True if it was taken because nothing names a suite

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """Item id → item of the suite."""
        return {item.item_id: item for item in self.suite.items} if self.suite else {}


def read_design(study: str | Path | None, items: str | Path | None, language: str) -> Design:
    """Read which items people were shown, from a study and a table of items.

    Args:
        study: a study's folder, or a file with rules of exclusion. Only a file in a study's folder
            says which items were shown.
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
        manifest = read_manifest(folder)
        kinds, other_rows = read_shown_items(folder)
        location = str(folder / TRIALS)
        others = tuple(item_of(row, folder.name, row["language"], location) for row in other_rows)
    is_study, table = bool(kinds), None
    if item_file is not None:
        table = read_items(item_file, language)
        kinds = {**kinds, **table.kinds}  # what the table says counts more
        table = replace(table, kinds=kinds)
    unambiguous = table.unambiguous if table is not None else None
    if unambiguous is None and isinstance(ids := manifest.get("unambiguous"), list):
        unambiguous = frozenset(map(str, ids))
    suite = str(manifest.get("suite") or "")
    return Design(study_file, suite, kinds, is_study, item_file, table, others, unambiguous)


def find_judged(store: Store, suite: Suite | str | Path | None, design: Design) -> Judged:
    """Find the suite that people judged.

    It is the one that the user named, else the one that the study was designed from, else the
    newest of the store. But if the user named none and the table has targets, none of which are in
    that suite, it is not the one: the result then has no suite, as with an empty store.
    """
    judged = _likely_suite(store, suite or "", design.suite)
    if design.items is None or design.table is None:
        return judged
    table, by_id = design.table, judged.by_id
    targets = tuple(
        item for item in table.targets() if not design.is_study or item.item_id in table.kinds
    )
    is_in_suite = [item.item_id in by_id for item in targets]
    return judged if suite or not targets or any(is_in_suite) else Judged()


def _likely_suite(store: Store, suite: Suite | str | Path, study_suite: str) -> Judged:
    """Return the suite that the user named, else the one that the study names, else the newest of
    the store. Return an empty `Judged` if the store has no suite."""
    if isinstance(suite, Suite) or str(suite):
        found, suite_id = find_suite(store, suite)
        return Judged(found, suite_id)
    if study_suite:
        try:
            return _suite_by_id(store, suite_named(store, study_suite))
        except InputError as error:
            if error.kind != "missing":  # several suites have this name
                raise
            # else the study's suite is not in this store, and the newest may do
    try:
        return _suite_by_id(store, newest_suite(store), is_newest=True)
    except InputError:
        return Judged()


def _suite_by_id(store: Store, suite_id: int, *, is_newest: bool = False) -> Judged:
    """Load a suite of the store by its number."""
    return Judged(stored_suite(store, suite_id), suite_id, is_newest)


def known_items(judged: Judged, design: Design) -> dict[str, Item]:
    """Return id → item of all items that answers can be about: those of the suite, of the table,
    and of the study's folder."""
    by_id = dict(judged.by_id)
    for item in (*(design.table.items if design.table else ()), *design.others):
        by_id.setdefault(item.item_id, item)
    return by_id


def answered_suite(judged: Judged, design: Design, imported: Imported) -> Suite | None:
    """Return the suite that the answers are about: the judged one, or a new one made of the table's
    targets; None if there is neither.

    Raises `InputError` if there is a table, and answers are about targets that the judged suite
    does not have.
    """
    if design.items is None or design.table is None:
        return judged.suite
    trials = imported.trials
    if judged.suite is not None:
        # (item id, place that mentions it), from single answers or from totals
        shown = trials.filter(kind="target").select("item", "origin").unique("item", keep="first")
        totals = ((tally.item, str(design.items)) for tally in imported.tallies)
        demand_known((*shown.iter_rows(), *totals), judged.by_id)
        return judged.suite
    of_other_kinds = {*trials.filter(pl.col("kind") != "target")["item"]}
    targets = tuple(item for item in design.table.targets() if item.item_id not in of_other_kinds)
    return Suite(design.items.stem, targets) if targets else None
