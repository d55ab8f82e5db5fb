"""Suites of the store with everybody's answers to them, in one piece."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from colorless_green.data.errors import InputError
from colorless_green.data.registry import fits, nearest
from colorless_green.data.store import Store
from colorless_green.humans.common import Common, common
from colorless_green.humans.observation import levels
from colorless_green.humans.rated import HUMANS, Credits, averaged
from colorless_green.humans.rows import (
    StoredJudgments,
    StoredRun,
    judged_or_scored,
    load_judgments,
    load_runs,
    outcomes_of,
)
from colorless_green.nonce.load import stored_suite, suite_named
from colorless_green.nonce.suite import Suite, of_constructions
from colorless_green.scoring.collection import Key, Unit, UnitScore, unit_scores, units_of
from colorless_green.scoring.outcome import OOV, OOV_KEPT

Answers = Mapping[Key, tuple[float | None, float | None]]
"""(suite, item) → (credit, margin in bits) under the suite's first prediction; of people the share
of right answers, and no margin."""


@dataclass(frozen=True, slots=True)
class SuiteResults:
    """A suite of the store, its runs and its judgments."""

    suite_id: int
    suite: Suite
    runs: tuple[StoredRun, ...]
    judged: StoredJudgments

    def outcomes(self) -> dict[str, Credits]:
        """Model (then group of several) → item → (credit, margin) under the suite's first
        prediction."""
        return outcomes_of(self.runs)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everybody's answers to several suites."""

    suites: tuple[SuiteResults, ...]
    units: tuple[Unit, ...]
    raters: tuple[str, ...]  # people if anybody was asked, models, then groups of several models
    groups: Mapping[str, tuple[str, ...]]  # group → its models, where there are several
    answers: Mapping[
        str, Answers
    ]  # by rater; in each unit on the items that all have who stand there
    own: Mapping[str, Answers]  # by rater: on all that it answered
    common: Mapping[str, Common[Key]]  # by unit: who stands there beside others, and on what
    scores: Mapping[str, tuple[UnitScore, ...]]  # by rater; on the units that it has answers to
    ties: Mapping[str, frozenset[Key]]  # by model: the items with equal sides
    unknown: Mapping[str, frozenset[Key]]  # by model: those with an unknown scored word

    @property
    def shown(self) -> tuple[str, ...]:
        """The raters less those that a group stands for."""
        members = set(chain.from_iterable(self.groups.values()))
        return tuple(rater for rater in self.raters if rater not in members)

    @property
    def units_shared(self) -> Common[str]:
        """The units that all raters stand on, by name; a score over suites is over these."""
        own = {rater: [each.unit.name for each in scores] for rater, scores in self.scores.items()}
        return common(own, len(self.units))

    def shared(self, rater: str, units: Sequence[Unit]) -> list[Unit]:
        """The units with the items alone on which the rater is compared with others."""
        answers = self.answers[rater]
        return [
            replace(unit, items=items)
            for unit in units
            if (items := tuple(i for i in unit.items if (unit.suite, i.item_id) in answers))
        ]


def chosen(store: Store, names: Sequence[str]) -> list[int]:
    """The ids of the suites named, each once; of none the one that was scored or judged last.

    A name with `*` or `?` is a pattern, and stands for every suite that was scored or judged and
    fits it, by name. Raises `InputError` for a name, or a pattern, that no suite has.
    """
    if not names:
        return [judged_or_scored(store)]
    found: dict[int, None] = {}
    for name in names:
        for each in _fitting(store, name) if set(name) & set("*?") else [name]:
            found.setdefault(suite_named(store, each))
    return list(found)


def _fitting(store: Store, pattern: str) -> list[str]:
    query = (
        "SELECT DISTINCT name FROM suite WHERE suite_id IN (SELECT suite_id FROM run UNION "
        "SELECT suite_id FROM judgment_set) ORDER BY name"
    )
    names = [str(row["name"]) for row in store.rows(query)]
    fitting = [name for name in names if fits(name, pattern)]
    if not fitting:
        right = nearest(pattern, names) if names else "colorless score first"
        raise InputError(pattern, "no scored or judged suite has this name", right, kind="unknown")
    return fitting


def results_of(
    store: Store,
    suite_ids: Sequence[int],
    run_ids: Collection[int] | None = None,
    constructions: Sequence[str] = (),
) -> tuple[SuiteResults, ...]:
    """The suites of these ids with the newest run of each model.

    Args:
        store: where they are.
        suite_ids: each once.
        run_ids: no other runs than these; None for all.
        constructions: patterns; of every rater only the items of these constructions. A suite that
            has none of them is left out.

    Raises:
        InputError: no suite has a construction that fits one of the patterns.
    """
    suites = {suite_id: stored_suite(store, suite_id) for suite_id in suite_ids}
    if constructions:
        every = [item for suite in suites.values() for item in suite.items]
        wanted = set(map(id, of_constructions(every, constructions)))
        for suite_id, suite in list(suites.items()):
            items = tuple(item for item in suite.items if id(item) in wanted)
            suites[suite_id] = replace(suite, items=items)
        suites = {suite_id: suite for suite_id, suite in suites.items() if suite.items}
    found = []
    for suite_id, suite in suites.items():
        runs = load_runs(store, suite_id, suite.name, run_ids)
        judged = load_judgments(store, suite_id)
        if constructions:
            own = {item.item_id for item in suite.items}
            runs = [
                replace(run, outcomes=tuple(o for o in run.outcomes if o.item_id in own))
                for run in runs
            ]
            judged = replace(judged, tallies=tuple(t for t in judged.tallies if t.item in own))
        found.append(SuiteResults(suite_id, suite, tuple(runs), judged))
    return tuple(found)


def collected(results: Sequence[SuiteResults]) -> Gathered:
    """The answers to several suites by rater. Models of one group of several are a rater together:
    the mean credit of an item over those that have one each."""
    units = tuple(chain.from_iterable(map(_by_kind, units_of([each.suite for each in results]))))
    answers: dict[str, dict[Key, tuple[float | None, float | None]]] = {}
    ties: dict[str, set[Key]] = {}
    unknown: dict[str, set[Key]] = {}
    groups: dict[str, dict[str, None]] = {}
    for each in results:
        for tally in each.judged.tallies:
            if tally.total:
                share = tally.right / tally.total
                answers.setdefault(HUMANS, {})[each.suite.name, tally.item] = share, None
    for each in results:
        for run in each.runs:
            own = answers.setdefault(run.label.model, {})
            own.update({(each.suite.name, item): found for item, found in run.credits().items()})
            for outcome in (one for one in run.outcomes if one.prediction == run.prediction):
                key = each.suite.name, outcome.item_id
                if outcome.tie and outcome.credit is not None:
                    ties.setdefault(run.label.model, set()).add(key)
                if {OOV, OOV_KEPT} & set(outcome.note.split(";")):
                    unknown.setdefault(run.label.model, set()).add(key)
            if run.label.group:
                groups.setdefault(run.label.group, {}).setdefault(run.label.model)
    several = {name: tuple(members) for name, members in groups.items() if len(members) > 1}
    for name, members in several.items():
        answers[name] = _averaged([answers[member] for member in members])
    shared = {unit.name: _common(unit, answers) for unit in units}
    kept: dict[str, Answers] = {}
    for rater, own in answers.items():
        here = [each.items for each in shared.values() if rater in each.together]
        kept[rater] = {key: own[key] for key in chain.from_iterable(here)}
    return Gathered(
        suites=tuple(results),
        units=units,
        raters=tuple(answers),
        groups=several,
        answers=kept,
        own=answers,
        common=shared,
        scores={rater: _scores(units, own) for rater, own in kept.items()},
        ties={model: frozenset(keys) for model, keys in ties.items()},
        unknown={model: frozenset(keys) for model, keys in unknown.items()},
    )


def _by_kind(unit: Unit) -> list[Unit]:
    """Originals and variants of a mined suite, each a unit: they are never pooled."""
    kinds = levels(item.kind for item in unit.items)
    if len(kinds) < 2:
        return [unit]
    return [
        replace(
            unit,
            name=f"{unit.name}: {kind}",
            items=tuple(item for item in unit.items if item.kind == kind),
        )
        for kind in kinds
    ]


def _common(unit: Unit, answers: Mapping[str, Answers]) -> Common[Key]:
    answered = {
        rater: [key for key in unit.keys if own.get(key, (None, None))[0] is not None]
        for rater, own in answers.items()
    }
    return common(answered, len(unit.items))


def _averaged(members: Sequence[Answers]) -> dict[Key, tuple[float | None, float | None]]:
    """As `averaged` of one suite has it, for the items that every member was asked."""
    shared = [key for key in members[0] if all(key in each for each in members)]
    names = {f"{suite}\t{item}": (suite, item) for suite, item in shared}
    runs = [{name: each[key] for name, key in names.items()} for each in members]
    return {names[name]: found for name, found in averaged(runs).items()}


def _scores(units: Sequence[Unit], answers: Answers) -> tuple[UnitScore, ...]:
    credits = {key: credit for key, (credit, _) in answers.items()}
    return unit_scores(units, credits)
