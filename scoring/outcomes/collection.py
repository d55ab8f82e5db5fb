"""Scores over several suites: each counts once, however many items it has.

Hu et al. 2020 (§3.3) call the unweighted mean of suite accuracies the SG score; that of BLiMP is
the mean over its paradigms (Warstadt et al. 2020, §6.4). What counts once is a *unit*: a suite, or
a construction of a suite that has several. Units of one circuit (phenomenon) have a mean of their
own, and so have those of which there is another with a modifier (Hu et al. 2020, Figure 6).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import variance

from ...data.formats.syntaxgym import modifier_of
from ...data.items.item import Item, factors_of
from ...data.items.prediction import chance
from ...data.items.suite import Suite
from ...data.statistics.intervals import (
    OVER_SOURCES,
    ROUNDING,
    Interval,
    Proportion,
    accuracy_interval,
    proportion,
)

SuiteItem = tuple[str, str]
"""(suite, item id)"""
PHENOMENA = {"s-selection": "argument_structure"}  # two paradigms of BLiMP; so counted in its paper


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that counts once in a score over suites: a suite, or one of several constructions.

    Attributes:
        suite: the suite's name.
        name: the suite's or the construction's; unique among units.
        circuit: circuit, phenomenon or constraint; else the suite it is from.
        items: its items.
        chance: accuracy of guessing in the suite's first prediction, 0 to 1; `None` without one.
        clusters: the cluster of each of its items.
    """

    suite: str
    name: str
    circuit: str
    items: tuple[Item, ...]
    chance: float | None
    clusters: tuple[str, ...]

    @property
    def keys(self) -> tuple[SuiteItem, ...]:
        """(suite, item id) of each of its items."""
        return tuple((self.suite, item.item_id) for item in self.items)

    def only(self, rows: Sequence[int]) -> "Unit":
        """Return the unit with some of its items."""
        items = tuple(self.items[row] for row in rows)
        return replace(self, items=items, clusters=tuple(self.clusters[row] for row in rows))


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The score of one model, or of people, on one unit.

    Attributes:
        unit: the unit.
        credits: those of the items that have one, 0 to 1.
        clusters: the clusters of these items.
    """

    unit: Unit
    credits: tuple[float, ...] = field(repr=False)
    clusters: tuple[str, ...] = field(repr=False)

    @property
    def n_items(self) -> int:
        """The number of items with a credit."""
        return len(self.credits)

    @property
    def accuracy(self) -> float:
        """The mean credit, 0 to 1."""
        return math.fsum(self.credits) / len(self.credits)


@dataclass(frozen=True, slots=True)
class MeanScore:
    """An unweighted mean over units, of one rater."""

    n_units: int
    n_items: int
    accuracy: float
    items: Interval | None  # of other items in the same units
    units: Interval | None  # of other units of the sort; None with one
    chance: float | None  # the mean of the units'; None where one has none


def units_of(suites: Sequence[Suite]) -> tuple[Unit, ...]:
    """Find the units of suites: what counts once in a score over them.

    A mined suite, and one whose items are of one construction, is a unit; of any other each
    construction is one, under its suite's name too where another suite has one of that name.

    Args:
        suites: the suites.

    Returns:
        The units, in the order of suites and of the first item of each construction.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> [(unit.name, unit.chance) for unit in units_of([load_suite("keys.tsv")])]
    [('keys', 0.5)]
    """
    units = list(chain.from_iterable(_units(suite) for suite in suites))
    names = [unit.name for unit in units]
    return tuple(
        unit if names.count(unit.name) == 1 else replace(unit, name=f"{unit.suite}: {unit.name}")
        for unit in units
    )


def _units(suite: Suite) -> list[Unit]:
    value = chance(suite.predictions[0]).value if suite.predictions else None
    groups: dict[str, list[int]] = {}
    for row, item in enumerate(suite.items):
        name = "" if item.agreement else factors_of(item)["construction"]
        groups.setdefault(name, []).append(row)
    alone = len(groups) == 1
    whole = Unit(suite.name, "", "", tuple(suite.items), value, tuple(suite.table.clusters))
    return [
        replace(
            unit,
            name=suite.name if alone else name or suite.name,
            circuit=_circuit(unit.items[0]) or (name if alone else "") or suite.name,
        )
        for name, rows in groups.items()
        for unit in [whole.only(rows)]
    ]


def _circuit(item: Item) -> str:
    if item.agreement is not None:
        return f"{item.agreement.feature} agreement"
    phenomenon = item.facts.get("phenomenon") or item.facts.get("constraint") or ""
    return PHENOMENA.get(phenomenon, phenomenon)


def unit_scores(
    units: Sequence[Unit], credits: Mapping[SuiteItem, float | None]
) -> tuple[UnitScore, ...]:
    """Score one model, or people, on each unit that there are credits for.

    Args:
        units: the units.
        credits: (suite, item id) → credit, 0 to 1; `None` for an item that does not count.

    Returns:
        The scores, in the order of the units; none for a unit without credits.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("keys.tsv")])
    >>> [score.accuracy for score in unit_scores(units, {units[0].keys[0]: 0.5})]
    [0.5]
    """
    scores = []
    for unit in units:
        earned = {
            row: credit
            for row, key in enumerate(unit.keys)
            if (credit := credits.get(key)) is not None
        }
        if earned:
            clusters = tuple(unit.clusters[row] for row in earned)
            scores.append(UnitScore(unit, tuple(earned.values()), clusters))
    return tuple(scores)


def mean_of(scores: Sequence[UnitScore], *, shares: bool = False) -> MeanScore | None:
    """Average over units: the SG score of Hu et al. (2020, §3.3), BLiMP's overall accuracy.

    Args:
        scores: one model's scores.
        shares: credits are shares of several answers, as people's are, and vary less than choices.

    Returns:
        The unweighted mean with its intervals; `None` without any score.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("keys.tsv")])
    >>> mean = mean_of(unit_scores(units, {units[0].keys[0]: 0.5}))
    >>> mean.n_units, mean.accuracy
    (1, 0.5)
    """
    if not scores:
        return None
    accuracies = [score.accuracy for score in scores]
    chances = [score.unit.chance for score in scores]
    recorded = [value for value in chances if value is not None]
    return MeanScore(
        n_units=len(scores),
        n_items=sum(score.n_items for score in scores),
        accuracy=math.fsum(accuracies) / len(scores),
        items=accuracy_interval(
            [credit for score in scores for credit in score.credits],
            [f"{score.unit.suite}\t{name}" for score in scores for name in score.clusters],
            strata=[score.unit.name for score in scores for _ in score.credits],
            least_effect=0.0 if shares else 1.0,
        ),
        units=_over_units(accuracies),
        chance=math.fsum(recorded) / len(recorded) if len(recorded) == len(chances) else None,
    )


def _over_units(accuracies: Sequence[float]) -> Proportion | None:
    """Return the interval of a mean of accuracies over units, each of which is one case."""
    n = len(accuracies)
    if n < 2:
        return None
    mean = math.fsum(accuracies) / n
    spread = variance(accuracies)
    cases = n * mean * (1 - mean) / spread if spread > ROUNDING else n  # all alike
    return proportion(mean, cases, n - 1, OVER_SOURCES)


def by_circuit(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Group scores by circuit (phenomenon).

    Args:
        scores: one model's scores.

    Returns:
        Circuit → its scores, circuits in alphabetic order.

    >>> names = (("npi_1", "npi"), ("number", "agreement"), ("npi_2", "npi"))
    >>> units = [Unit("blimp", name, circuit, (), 0.5, ()) for name, circuit in names]
    >>> scores = [UnitScore(unit, (0.9,), ("a",)) for unit in units]
    >>> {circuit: len(group) for circuit, group in by_circuit(scores).items()}
    {'agreement': 1, 'npi': 2}
    """
    circuits: dict[str, list[UnitScore]] = {}
    for score in scores:
        circuits.setdefault(score.unit.circuit, []).append(score)
    return {circuit: tuple(circuits[circuit]) for circuit in sorted(circuits)}


WITHOUT, WITH = "without modifier", "with modifier"


def by_modifier(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Group the scores of suites that come with and without a modifier (Hu et al. 2020, Figure 6).

    Args:
        scores: one model's scores.

    Returns:
        `WITHOUT` and `WITH` → scores of the suites that have such a counterpart, in the same order;
        empty where there is no such pair.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> for name in ("cleft", "cleft_modifier"):
    ...     _ = Path(f"{name}.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("cleft.tsv"), load_suite("cleft_modifier.tsv")])
    >>> scores = unit_scores(units, {key: 1.0 for unit in units for key in unit.keys})
    >>> [score.unit.name for score in by_modifier(scores)[WITH]]
    ['cleft_modifier']
    """
    by_name = {score.unit.name: score for score in scores}
    pairs = modifier_of(by_name)
    if not pairs:
        return {}
    return {
        WITHOUT: tuple(by_name[base] for base, _ in pairs),
        WITH: tuple(by_name[modified] for _, modified in pairs),
    }
