"""Suites of the store with everybody's answers to them, in one piece."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

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
from ..statistics.rater_accuracy import HUMANS, Credits, averaged, credits_in
from ..statistics.runs import groups_of, judged_or_scored, load_runs, outcomes_of
from ..statistics.shared_items import SharedItems, common, common_by_kind, on_common

RATING = "rating"  # a task of studies
EarnedCredits = Mapping[SuiteItem, tuple[float | None, float | None]]
"""(suite, item) → (credit, margin in bits) under the suite's first prediction; of people the share
of right answers, and no margin."""


@dataclass(frozen=True)
class SuiteResults:
    """A suite of the store, its runs and its judgments: what comparison, analysis and report are
    made from.

    Attributes:
        suite_id: its number in the store.
        suite: its items, less those whose two forms are one word.
        runs: one for each model.
        judged: what people answered.
        n_equal: items whose two forms are one word, of which nobody can be right or wrong.
    """

    suite_id: int
    suite: Suite
    runs: tuple[Run, ...]
    judged: SuiteAnswers
    n_equal: int = 0

    @cached_property
    def items(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.item_id: item for item in self.suite.items}

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The items, with the clusters that intervals are over."""
        return tuple(self.suite.table.entries())

    @cached_property
    def clusters(self) -> dict[str, str]:
        """The cluster of each item, that intervals and tests are over."""
        ids = self.suite.table.frame["item_id"].to_list()
        return dict(zip(ids, self.suite.table.clusters, strict=True))

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """Right and all answers by item, of items with answers or without, and its cluster as its
        source."""
        return with_clusters(self.judged.tallies, self.clusters)

    @cached_property
    def outcomes(self) -> dict[str, Credits]:
        """Model (then group of several) → item → (credit, margin) under the first prediction."""
        return outcomes_of(self.runs)

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The models of every group that has several."""
        return groups_of(self.runs)

    @cached_property
    def answers(self) -> AnswerTable:
        """The answers that count and are right or wrong, by person and item."""
        return AnswerTable.of(self.judged.trials)

    @cached_property
    def shared(self) -> dict[str, SharedItems[str]]:
        """The items on which raters are compared, by kind, and who they are."""
        return common_by_kind(self.entries, self.tallies, self.outcomes)

    @cached_property
    def matched(self) -> dict[str, Credits]:
        """The outcomes on the items that all have; of a rater apart its own."""
        return on_common(self.shared, self.tallies, self.outcomes)[1]

    @property
    def is_answered(self) -> bool:
        """True where somebody gave an answer that is right or wrong and counts."""
        return any(tally.total for tally in self.tallies)

    @property
    def scale(self) -> str:
        """The scale of ratings, as the study files of all imports but those of another task say;
        empty where one names none, or they differ."""
        studies = (batch.study for batch in self.judged.imports)
        scales = {str(s.get("scale", "")) for s in studies if s.get("task", RATING) == RATING}
        return scales.pop() if len(scales) == 1 else ""


@dataclass(frozen=True)
class CollectedAnswers:
    """Everybody's answers to several suites.

    Originals and variants of a mined suite are a unit each: they are never pooled. Models of one
    group of several are a rater together: the mean credit of an item over those that have one each.
    """

    results: tuple[SuiteResults, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The suites or constructions that count once in a score."""
        return tuple(
            unit if len(kinds) < 2 else replace(unit.only(rows), name=f"{unit.name}: {kind}")
            for unit in units_of([result.suite for result in self.results])
            for kinds in [levels(item.kind for item in unit.items)]
            for kind in kinds
            for rows in [[row for row, item in enumerate(unit.items) if item.kind == kind]]
        )

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The models of every group that has several."""
        return groups_of([run for result in self.results for run in result.runs])

    @cached_property
    def all_answers(self) -> Mapping[str, EarnedCredits]:
        """Rater → all that it answered."""
        by_rater: dict[str, dict[SuiteItem, tuple[float | None, float | None]]] = {}
        for result in self.results:
            for tally in (tally for tally in result.tallies if tally.total):
                key = result.suite.name, tally.item
                by_rater.setdefault(HUMANS, {})[key] = tally.share, None
        for result in self.results:
            for run in result.runs:
                own = by_rater.setdefault(run.model, {})
                own |= {(result.suite.name, i): answer for i, answer in run.credits().items()}
        means = {
            group: averaged([by_rater[model] for model in models])
            for group, models in self.groups.items()
        }
        return {**by_rater, **means}

    @cached_property
    def majorities(self) -> Mapping[SuiteItem, float]:
        """1 where most people are right, ½ of ties, else 0."""
        return {
            (result.suite.name, tally.item): tally.majority
            for result in self.results
            for tally in result.tallies
            if tally.total
        }

    @cached_property
    def ties(self) -> Mapping[str, set[SuiteItem]]:
        """Model → the items with equal sides."""
        is_tie = pl.col("tie") & pl.col("credit").is_not_null()
        return self._marked(lambda run: run.primary.filter(is_tie)["item_id"])

    @cached_property
    def unknown(self) -> Mapping[str, set[SuiteItem]]:
        """Model → the items with an unknown scored word."""
        return self._marked(lambda run: run.unknown)

    def _marked(self, items: Callable[[Run], Iterable[str]]) -> dict[str, set[SuiteItem]]:
        marked: dict[str, set[SuiteItem]] = {}
        for result in self.results:
            for run in result.runs:
                keys = ((result.suite.name, item) for item in items(run))
                marked.setdefault(run.model, set()).update(keys)
        return marked

    @cached_property
    def common(self) -> Mapping[str, SharedItems[SuiteItem]]:
        """Unit → who is compared there, and on what."""
        credited = {rater: credits_in(answers) for rater, answers in self.all_answers.items()}
        return {
            unit.name: common(
                {rater: [key for key in unit.keys if key in c] for rater, c in credited.items()},
                len(unit.items),
            )
            for unit in self.units
        }

    @cached_property
    def answers(self) -> Mapping[str, EarnedCredits]:
        """Rater → what it answered of the items that all have who are compared in their unit."""
        return {
            rater: {
                key: answers[key]
                for unit in self.units
                if rater in self.common[unit.name].together
                for key in unit.keys  # in their order, in which sums are formed
                if key in self.common[unit.name].items
            }
            for rater, answers in self.all_answers.items()
        }

    @cached_property
    def scores(self) -> Mapping[str, tuple[UnitScore, ...]]:
        """Rater → its scores on the units that it has answers to."""
        return {
            rater: unit_scores(self.units, credits_in(answers))
            for rater, answers in self.answers.items()
        }

    @property
    def raters(self) -> tuple[str, ...]:
        """People if anybody was asked, models, then groups of several models."""
        return tuple(self.all_answers)

    @property
    def listed(self) -> tuple[str, ...]:
        """The raters less those that a group stands for."""
        members = set(chain.from_iterable(self.groups.values()))
        return tuple(rater for rater in self.raters if rater not in members)

    @cached_property
    def units_shared(self) -> SharedItems[str]:
        """The units that all raters stand on, by name; a score over suites is over these."""
        names = {
            rater: [score.unit.name for score in scores] for rater, scores in self.scores.items()
        }
        return common(names, len(self.units))

    def shared(self, rater: str, units: Sequence[Unit]) -> list[Unit]:
        """Return the units with the items alone on which the rater is compared with others."""
        answers = self.answers[rater]
        return [
            unit.only(rows)
            for unit in units
            if (rows := [row for row, key in enumerate(unit.keys) if key in answers])
        ]


def with_clusters(tallies: Sequence[Tally], clusters: Mapping[str, str]) -> tuple[Tally, ...]:
    """Return the tallies with the clusters of their items as their sources."""
    return tuple(
        tally if (cluster := clusters.get(tally.item, tally.source)) == tally.source
        else replace(tally, source=cluster)
        for tally in tallies
    )  # fmt: skip


def chosen_suites(store: Store, names: Sequence[str]) -> list[int]:
    """Return the ids of the suites named, each once; of none the one that was scored or judged
    last.

    A name with `*` or `?` is a pattern, and stands for every suite that was scored or judged and
    fits it, by name. Raises `InputError` for a name, or a pattern, that no suite has.
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
    """Return the suites of these ids with the newest run of each model.

    Args:
        store: where they are.
        suite_ids: each once.
        run_ids: no other runs than these; None for all.
        constructions: patterns; of every rater only the items of these constructions. A suite that
            has none of them is left out.
        equal_forms: keep what people and models said of items whose two forms are one word; it is
            neither right nor wrong, but papers counted it.

    Raises:
        InputError: no suite has a construction that fits one of the patterns.
    """
    suites = {suite_id: stored_suite(store, suite_id) for suite_id in suite_ids}
    if constructions:
        all_items = [item for suite in suites.values() for item in suite.items]
        selected = set(map(id, select_items(all_items, constructions)))
        suites = {
            suite_id: replace(suite, items=items)
            for suite_id, suite in suites.items()
            if (items := tuple(item for item in suite.items if id(item) in selected))
        }
    results = []
    for suite_id, suite in suites.items():
        runs = load_runs(store, suite_id, run_ids)
        equal = suite.table.frame["equal_forms"].to_numpy() & (not equal_forms)
        if n_equal := int(equal.sum()):
            suite = replace(suite, items=suite.table.take(np.flatnonzero(~equal)))
        item_ids = frozenset(suite.table.frame["item_id"])
        if constructions or n_equal:
            present = pl.col("item_id").is_in(sorted(item_ids))
            runs = [replace(run, outcomes=run.outcomes.filter(present)) for run in runs]
        judged = answers_of(store, suite_id, item_ids)
        results.append(SuiteResults(suite_id, suite, tuple(runs), judged, n_equal))
    return tuple(results)
