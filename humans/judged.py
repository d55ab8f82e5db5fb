"""Find what people judged: a study, a table of items, the store and the answers tell it."""

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


@dataclass(frozen=True)
class Judged:
    """The suite and the items of an experiment, as far as known before the answers are read.

    Attributes:
        study: the file with the study's settings or rules, if there is one.
        table_file: the file with a table of the items shown, if there is one.
        table: the content of that file, with the kinds that the study knows added; empty without a
            file.
        others: fillers, checks and practice items from the study's folder.
        unambiguous: ids of fillers with no doubt about the right answer; None if unknown.
        suite: the suite that people judged; None if it has to be made of the table.
        suite_id: its number in the store, if it is there.
        is_newest: True if it was taken because nothing names a suite.
    """

    study: Path | None
    table_file: Path | None
    table: ItemSheet
    others: tuple[Item, ...]
    unambiguous: frozenset[str] | None
    suite: Suite | None = None
    suite_id: int | None = None
    is_newest: bool = False

    @cached_property
    def of_suite(self) -> dict[str, Item]:
        """Item id → item of the suite."""
        return {item.item_id: item for item in self.suite.items} if self.suite else {}

    @property
    def known_items(self) -> dict[str, Item]:
        """Id → item of all items that answers can be about: those of the suite, of the table, and
        of the study's folder."""
        by_id = dict(self.of_suite)
        for item in (*self.table.items, *self.others):
            by_id.setdefault(item.item_id, item)
        return by_id

    def answered_suite(self, imported: Imported) -> Suite | None:
        """Return the suite that the answers are about: the one that people judged, or a new one
        made of the table's targets; None if there is neither.

        Raises `InputError` if there is a table, and answers are about targets that the judged suite
        does not have.
        """
        trials = imported.trials
        if self.table_file is None:
            return self.suite
        if self.suite is not None:
            # (item id, place that mentions it), from single answers or from totals
            shown = (
                trials.filter(kind="target").select("item", "origin").unique("item", keep="first")
            )
            totals = ((tally.item, str(self.table_file)) for tally in imported.tallies)
            demand_known((*shown.iter_rows(), *totals), self.of_suite)
            return self.suite
        of_other_kinds = {*trials.filter(pl.col("kind") != "target")["item"]}
        targets = tuple(item for item in self.table.targets() if item.item_id not in of_other_kinds)
        return Suite(self.table_file.stem, targets) if targets else None


def find_judged(
    store: Store,
    suite: Suite | str | Path | None,
    study: str | Path | None,
    items: str | Path | None,
    language: str,
) -> Judged:
    """Find out what people judged, from what the user names and the store has.

    The suite is the one that the user named, else the one that the study was designed from, else
    the newest of the store. But if the user named none and the table has targets, none of which are
    in that suite, it is not the one: the result then has no suite, as with an empty store.

    Args:
        store: the store with the suites.
        suite: the suite that the user named, if any.
        study: a study's folder, or a file with rules of exclusion. Only a file in a study's folder
            says which items were shown.
        items: a table of the items shown.
        language: BCP-47 code of the table's items.
    """
    study_file, table_file = Path(study) if study else None, Path(items) if items else None
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
    table = read_items(table_file, language) if table_file else ItemSheet((), {}, None)
    table = replace(table, kinds={**kinds, **table.kinds})  # what the table says counts more
    unambiguous = table.unambiguous
    if unambiguous is None and isinstance(ids := manifest.get("unambiguous"), list):
        unambiguous = frozenset(map(str, ids))
    judged = Judged(study_file, table_file, table, others, unambiguous)
    likely, suite_id, is_newest = _likely_suite(
        store, suite or "", str(manifest.get("suite") or "")
    )
    with_suite = replace(judged, suite=likely, suite_id=suite_id, is_newest=is_newest)
    # if a study says which kinds its items are, other items of the table are no targets
    targets = [item for item in table.targets() if not kinds or item.item_id in table.kinds]
    is_in_suite = [item.item_id in with_suite.of_suite for item in targets]
    return with_suite if suite or not targets or any(is_in_suite) else judged


def _likely_suite(
    store: Store, suite: Suite | str | Path, study_suite: str
) -> tuple[Suite | None, int | None, bool]:
    """Return the suite that the user named, else the one that the study names, else the newest of
    the store; its number in the store; and True if it is the newest. Return None, None and False if
    the store has no suite."""
    if isinstance(suite, Suite) or str(suite):
        return *find_suite(store, suite), False
    if study_suite:
        try:
            suite_id = suite_named(store, study_suite)
            return stored_suite(store, suite_id), suite_id, False
        except InputError as error:
            if error.kind != "missing":  # several suites have this name
                raise
            # else the study's suite is not in this store, and the newest may do
    try:
        suite_id = newest_suite(store)
        return stored_suite(store, suite_id), suite_id, True
    except InputError:
        return None, None, False
