"""Suites of the store, each with the answers of people and models to its items.

A rater is a model, a group of models, or people (`humans`). Credit is what a rater earns on an
item: 1 if right, 0.5 for a tie, 0 if wrong; people earn their share of right answers. A unit is
what counts once in a score over suites: a suite, or one construction or kind of items in it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from statistics import fmean

import numpy as np
import polars as pl

from ...data.errors import InputError
from ...data.items.item import Entry, Item
from ...data.items.suite import Suite, select_items
from ...data.registry import fits, nearest
from ...data.store import Store
from ...data.stored_suites import stored_suite, suite_named
from ...scoring.outcomes.collection import SuiteItem, Unit, UnitScore, unit_scores, units_of
from ...scoring.outcomes.run import Run
from ..judgments.answers import SuiteAnswers, answers_of
from ..judgments.judgment import Tally, levels
from ..statistics.people import AnswerTable
from ..statistics.rater_accuracy import HUMANS, Credits, credits_in
from ..statistics.runs import groups_of, judged_or_scored, load_runs, outcomes_of
from ..statistics.shared_items import (
    SharedItems,
    answers_on_common_items,
    common_by_kind,
    common_items,
)

RATING = "rating"  # the task of studies in which people rate sentences
EarnedCredits = Mapping[SuiteItem, float]
"""(suite, item) → credit under the suite's first prediction, for the items that were answered."""


@dataclass(frozen=True)
class SuiteResults:
    """A suite with its runs and judgments, from which comparison, analysis and report are made.

    Attributes:
        suite_id: number of the suite in the store.
        suite: the suite without the items whose two forms are the same word.
        runs: the newest run of each model.
        judged: people's answers.
        n_equal: number of items left out because their two forms are the same word.
    """

    suite_id: int
    suite: Suite
    runs: tuple[Run, ...]
    judged: SuiteAnswers
    n_equal: int = 0

    @cached_property
    def items(self) -> dict[str, Item]:
        """Item id → item."""
        return {item.item_id: item for item in self.suite.items}

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The items with their clusters (groups of items from one source), in the suite's order."""
        return tuple(self.suite.table.entries())

    @cached_property
    def clusters(self) -> dict[str, str]:
        """Item id → its cluster (the items of the same source), by which intervals and tests go."""
        ids = self.suite.table.frame["item_id"].to_list()
        return dict(zip(ids, self.suite.table.clusters, strict=True))

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """For each item the numbers of people's right answers and of all, and the item's cluster as
        its source. Items without answers are among them."""
        return with_clusters(self.judged.tallies, self.clusters)

    @cached_property
    def outcomes(self) -> dict[str, Credits]:
        """Model or group of models → item → (credit, margin in bits) under the first prediction."""
        return outcomes_of(self.runs)

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Group → its models, for groups with at least two."""
        return groups_of(self.runs)

    @cached_property
    def answers(self) -> AnswerTable:
        """The single answers of people that count and are right or wrong."""
        return AnswerTable.of(self.judged.trials)

    @cached_property
    def shared(self) -> dict[str, SharedItems[str]]:
        """Kind of items → the raters that are compared, and the items that all of them answered."""
        return common_by_kind(self.entries, self.tallies, self.outcomes)

    @cached_property
    def matched(self) -> dict[str, Credits]:
        """Model or group → item → (credit, margin in bits), on the items that all models and people
        answered. One that has too few of these items keeps all that it answered."""
        _, outcomes = answers_on_common_items(self.shared, self.tallies, self.outcomes)
        return outcomes

    @property
    def is_answered(self) -> bool:
        """True if people gave an answer that counts and is right or wrong."""
        return any(tally.total for tally in self.tallies)

    @property
    def scale(self) -> str:
        """The scale of the ratings, as the study files name it; "" if one names none, or if they
        differ. Imports of other tasks are left out of account."""
        studies = (batch.study for batch in self.judged.imports)
        scales = {
            str(study.get("scale", "")) for study in studies if study.get("task", RATING) == RATING
        }
        return scales.pop() if len(scales) == 1 else ""


@dataclass(frozen=True)
class CollectedAnswers:
    """The answers of all raters to several suites.

    The originals and the variants of a suite are separate units: they are never pooled. A group of
    models is a rater of its own, which earns the mean credit of its models on each item.
    """

    results: tuple[SuiteResults, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The suites or constructions over which scores average. One with items of several kinds
        (such as original and nonce) is split by kind."""
        units = units_of([result.suite for result in self.results])
        return tuple(part for unit in units for part in _split_by_kind(unit))

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Group → its models, for groups with at least two."""
        return groups_of([run for result in self.results for run in result.runs])

    @cached_property
    def all_answers(self) -> Mapping[str, EarnedCredits]:
        """Rater (people, model, or group of models) → its credits. A group has the mean credit of
        its models, on the items that all of them answered."""
        people = {key: tally.share for key, tally in self._tallies.items()}
        by_rater: dict[str, dict[SuiteItem, float]] = {HUMANS: people} if people else {}
        for result in self.results:
            for run in result.runs:
                credits = credits_in(run.credits())
                keyed = {(result.suite.name, item): credit for item, credit in credits.items()}
                by_rater.setdefault(run.model, {}).update(keyed)
        for group, models in self.groups.items():
            first, *others = (by_rater[model] for model in models)
            shared = [key for key in first if all(key in credits for credits in others)]
            by_rater[group] = {key: fmean(by_rater[m][key] for m in models) for key in shared}
        return by_rater

    @cached_property
    def majorities(self) -> Mapping[SuiteItem, float]:
        """(suite, item) → 1 if most people are right, 0.5 for a tie, else 0."""
        return {key: tally.majority for key, tally in self._tallies.items()}

    @property
    def _tallies(self) -> dict[SuiteItem, Tally]:
        """(suite, item) → people's answers to it, for the items that people answered."""
        return {
            (result.suite.name, tally.item): tally
            for result in self.results
            for tally in result.tallies
            if tally.total
        }

    @cached_property
    def ties(self) -> Mapping[str, set[SuiteItem]]:
        """Model → the items on which it is tied: both sides of the prediction are equal."""
        is_tie = pl.col("tie") & pl.col("credit").is_not_null()
        return self._items_of_models(lambda run: run.primary.filter(is_tie)["item_id"])

    @cached_property
    def unknown(self) -> Mapping[str, set[SuiteItem]]:
        """Model → the items in which a scored word is not in its vocabulary."""
        return self._items_of_models(lambda run: run.unknown_items)

    def _items_of_models(self, items: Callable[[Run], Iterable[str]]) -> dict[str, set[SuiteItem]]:
        """Return model → the (suite, item) keys of the items whose ids a function picks from each
        of its runs."""
        by_model: dict[str, set[SuiteItem]] = {}
        for result in self.results:
            for run in result.runs:
                keys = ((result.suite.name, item) for item in items(run))
                by_model.setdefault(run.model, set()).update(keys)
        return by_model

    @cached_property
    def common(self) -> Mapping[str, SharedItems[SuiteItem]]:
        """Unit (suite or construction) → the raters that are compared on it, and the items that all
        of these answered."""
        common = {}
        for unit in self.units:
            answered = {
                rater: [key for key in unit.keys if key in credits]
                for rater, credits in self.all_answers.items()
            }
            common[unit.name] = common_items(answered, len(unit.items))
        return common

    @cached_property
    def answers(self) -> Mapping[str, EarnedCredits]:
        """Rater → its credits on the items on which it is compared with others. A rater is a model,
        a group of models, or people."""
        return {
            rater: {
                key: credits[key]
                for unit in self.units
                if rater in self.common[unit.name].together
                for key in unit.keys  # this order keeps floating-point sums the same
                if key in self.common[unit.name].items
            }
            for rater, credits in self.all_answers.items()
        }

    @cached_property
    def scores(self) -> Mapping[str, tuple[UnitScore, ...]]:
        """Rater → its accuracies (as `UnitScore`) on the units on which it is compared."""
        return {rater: unit_scores(self.units, credits) for rater, credits in self.answers.items()}

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of all raters: people if they answered, models, groups of models."""
        return tuple(self.all_answers)

    @property
    def listed(self) -> tuple[str, ...]:
        """The raters in tables: all but the models of a group, for which the group stands."""
        members = set(chain.from_iterable(self.groups.values()))
        return tuple(rater for rater in self.raters if rater not in members)

    @cached_property
    def units_shared(self) -> SharedItems[str]:
        """The names of the units on which all raters are compared; scores are means over these."""
        names = {
            rater: [score.unit.name for score in scores] for rater, scores in self.scores.items()
        }
        return common_items(names, len(self.units))

    def units_answered_by(self, rater: str, units: Sequence[Unit]) -> list[Unit]:
        """Return the units (suites or constructions) with only the items that a rater has answered.

        A unit of which the rater answered nothing is left out.
        """
        answers = self.answers[rater]
        return [
            unit.only(rows)
            for unit in units
            if (rows := [row for row, key in enumerate(unit.keys) if key in answers])
        ]


def _split_by_kind(unit: Unit) -> list[Unit]:
    """Return a unit (suite or construction) as it is, or, if its items are of several kinds, a unit
    for each kind."""
    kinds = levels(item.kind for item in unit.items)
    if len(kinds) < 2:
        return [unit]
    parts = []
    for kind in kinds:
        rows = [row for row, item in enumerate(unit.items) if item.kind == kind]
        parts.append(replace(unit.only(rows), name=f"{unit.name}: {kind}"))
    return parts


def with_clusters(tallies: Sequence[Tally], clusters: Mapping[str, str]) -> tuple[Tally, ...]:
    """Return tallies (counts of people's answers to an item) with their source replaced by the
    cluster of their item."""
    return tuple(replace(tally, source=clusters.get(tally.item, tally.source)) for tally in tallies)


def chosen_suites(store: Store, names: Sequence[str]) -> list[int]:
    """Return the ids of the named suites, each once; without names, the id of the suite that was
    scored or judged last.

    A name with `*` or `?` is a pattern for all scored or judged suites whose names match, in
    alphabetical order. Raises `InputError` if no suite has a name or matches a pattern.
    """
    if not names:
        return [judged_or_scored(store)]
    suite_ids: dict[int, None] = {}
    for name in names:
        fitting = [name]
        if set(name) & set("*?"):
            query = (
                "SELECT DISTINCT name FROM suite WHERE suite_id IN (SELECT suite_id FROM run UNION "
                "SELECT suite_id FROM judgment_set) ORDER BY name"
            )
            candidates = [str(row["name"]) for row in store.rows(query)]
            fitting = [candidate for candidate in candidates if fits(candidate, name)]
            if not fitting:
                right = nearest(name, candidates) if candidates else "colorless score first"
                wrong = "no scored or judged suite has this name"
                raise InputError(name, wrong, right, kind="unknown")
        suite_ids |= dict.fromkeys(suite_named(store, suite_name) for suite_name in fitting)
    return list(suite_ids)


def results_of(
    store: Store,
    suite_ids: Sequence[int],
    run_ids: Collection[int] | None = None,
    constructions: Sequence[str] = (),
    *,
    equal_forms: bool = False,
) -> tuple[SuiteResults, ...]:
    """Return suites with people's answers and the newest run of each model.

    Args:
        store: the store that has the suites.
        suite_ids: ids of the suites, each once.
        run_ids: the runs that may be taken; None for all.
        constructions: patterns; only items of constructions that match are kept. A suite without
            such items is left out.
        equal_forms: keep items whose two forms are the same word. Answers to them are neither right
            nor wrong, but papers counted them.

    Raises:
        InputError: no suite has a construction that matches one of the patterns.
    """
    suites = {suite_id: stored_suite(store, suite_id) for suite_id in suite_ids}
    if constructions:
        all_items = [item for suite in suites.values() for item in suite.items]
        # Python's identities, since two suites may have items with the same id
        selected = set(map(id, select_items(all_items, constructions)))
        suites = {
            suite_id: replace(suite, items=items)
            for suite_id, suite in suites.items()
            if (items := tuple(item for item in suite.items if id(item) in selected))
        }
    results = []
    for suite_id, suite in suites.items():
        runs = load_runs(store, suite_id, run_ids)
        left_out = suite.table.frame["equal_forms"].to_numpy() & (not equal_forms)
        if n_equal := int(left_out.sum()):
            suite = replace(suite, items=suite.table.take(np.flatnonzero(~left_out)))
        item_ids = frozenset(suite.table.frame["item_id"])
        if constructions or n_equal:
            present = pl.col("item_id").is_in(sorted(item_ids))
            runs = [replace(run, outcomes=run.outcomes.filter(present)) for run in runs]
        judged = answers_of(store, suite_id, item_ids)
        results.append(SuiteResults(suite_id, suite, tuple(runs), judged, n_equal))
    return tuple(results)
