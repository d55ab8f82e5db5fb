"""Suites of the store with everybody's answers to them, in one piece."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeAlias

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
from ...scoring.questions.outcome import outcomes_in
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


@dataclass(frozen=True, slots=True)
class CollectedAnswers:
    """Everybody's answers to several suites."""

    units: tuple[Unit, ...]
    groups: Mapping[str, tuple[str, ...]]  # group → its models, where there are several
    all_answers: Mapping[str, EarnedCredits]  # by rater: on all that it answered
    answers: Mapping[
        str, EarnedCredits
    ]  # by rater: on those that all have who stand in the same unit
    common: Mapping[
        str, SharedItems[SuiteItem]
    ]  # by unit: who stands there beside others, and on what
    scores: Mapping[str, tuple[UnitScore, ...]]  # by rater; on the units that it has answers to
    ties: Mapping[str, frozenset[SuiteItem]]  # by model: the items with equal sides
    unknown: Mapping[str, frozenset[SuiteItem]]  # by model: those with an unknown scored word
    majorities: Mapping[SuiteItem, float]  # 1 where most people are right, ½ of ties, else 0

    @property
    def raters(self) -> tuple[str, ...]:
        """People if anybody was asked, models, then groups of several models."""
        return tuple(self.all_answers)

    @property
    def listed(self) -> tuple[str, ...]:
        """The raters less those that a group stands for."""
        members = set(chain.from_iterable(self.groups.values()))
        return tuple(rater for rater in self.raters if rater not in members)

    @property
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


_Answers: TypeAlias = dict[str, dict[SuiteItem, tuple[float | None, float | None]]]


def _answers_by_rater(
    results: Sequence[SuiteResults],
) -> tuple[
    _Answers,
    dict[SuiteItem, float],
    dict[str, set[SuiteItem]],
    dict[str, set[SuiteItem]],
    dict[str, tuple[str, ...]],
]:
    """Return everybody's answers, those of a group averaged; people's majorities; by model the
    items with ties and with unknown words; and the groups of several models."""
    by_rater: _Answers = {}
    majorities: dict[SuiteItem, float] = {}
    ties: dict[str, set[SuiteItem]] = {}
    unknown: dict[str, set[SuiteItem]] = {}
    groups: dict[str, dict[str, None]] = {}
    for result in results:
        for tally in result.tallies:
            if tally.total:
                key = result.suite.name, tally.item
                by_rater.setdefault(HUMANS, {})[key] = tally.share, None
                majorities[key] = tally.majority
    for result in results:
        for run in result.runs:
            model, answers = run.model, by_rater.setdefault(run.model, {})
            for outcome in outcomes_in(run.primary):
                key = result.suite.name, outcome.item_id
                answers[key] = outcome.credit, outcome.margin_bits
                if outcome.tie and outcome.credit is not None:
                    ties.setdefault(model, set()).add(key)
            unknown.setdefault(model, set()).update((result.suite.name, i) for i in run.unknown)
            if run.group:
                groups.setdefault(run.group, {}).setdefault(model)
    pooled = {name: tuple(members) for name, members in groups.items() if len(members) > 1}
    for name, members in pooled.items():
        by_rater[name] = averaged([by_rater[member] for member in members])
    return by_rater, majorities, ties, unknown, pooled


def collected_answers(results: Sequence[SuiteResults]) -> CollectedAnswers:
    """Return the answers to several suites by rater. Models of one group of several are a rater
    together: the mean credit of an item over those that have one each. Originals and variants of a
    mined suite are a unit each: they are never pooled."""
    units = [
        unit if len(kinds) < 2 else replace(unit.only(rows), name=f"{unit.name}: {kind}")
        for unit in units_of([result.suite for result in results])
        for kinds in [levels(item.kind for item in unit.items)]
        for kind in kinds
        for rows in [[row for row, item in enumerate(unit.items) if item.kind == kind]]
    ]
    by_rater, majorities, ties, unknown, pooled = _answers_by_rater(results)
    credited = {rater: credits_in(answers) for rater, answers in by_rater.items()}
    shared = {
        unit.name: common(
            {rater: [key for key in unit.keys if key in c] for rater, c in credited.items()},
            len(unit.items),
        )
        for unit in units
    }
    matched = {
        rater: {
            key: answers[key]
            for unit in units
            if rater in shared[unit.name].together
            for key in unit.keys  # in their order, in which sums are formed
            if key in shared[unit.name].items
        }
        for rater, answers in by_rater.items()
    }
    return CollectedAnswers(
        units=tuple(units),
        groups=pooled,
        all_answers=by_rater,
        answers=matched,
        common=shared,
        scores={
            rater: unit_scores(units, credits_in(answers)) for rater, answers in matched.items()
        },
        ties={model: frozenset(keys) for model, keys in ties.items()},
        unknown={model: frozenset(keys) for model, keys in unknown.items()},
        majorities=majorities,
    )
