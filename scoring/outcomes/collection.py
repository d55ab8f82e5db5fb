"""Mean accuracies over several suites, each of which counts once, however many items it has.

What counts once is called a *unit*: a suite, or a construction of a suite with several. The
unweighted mean over units is the SG score of Hu et al. (2020, §3.3); for BLiMP, whose units are
paradigms, it is the overall accuracy (Warstadt et al. 2020, §6.4). There are also means over the
units of one circuit (a phenomenon), and over units with and without a modifier (Hu et al. 2020,
Figure 6).
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
# two paradigms of BLiMP that its paper counts to another phenomenon than their files say
PHENOMENA = {"s-selection": "argument_structure"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that counts once in a score over suites: a suite, or one of several constructions.

    Attributes:
        suite: the suite's name.
        name: the suite's or the construction's; unique among units.
        circuit: its circuit, phenomenon or constraint; if it has none, the name of its suite.
        items: its items.
        chance: the accuracy of guessing under the suite's first prediction, 0 to 1; `None` for a
            suite without predictions.
        clusters: the cluster of each item.
    """

    suite: str
    name: str
    circuit: str
    items: tuple[Item, ...]
    chance: float | None
    clusters: tuple[str, ...]

    @property
    def keys(self) -> tuple[SuiteItem, ...]:
        """(suite, item id) of each item."""
        return tuple((self.suite, item.item_id) for item in self.items)

    def only(self, rows: Sequence[int]) -> "Unit":
        """Return a copy of the unit that has only the items in these rows."""
        items = tuple(self.items[row] for row in rows)
        return replace(self, items=items, clusters=tuple(self.clusters[row] for row in rows))


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The score of one model, or of people, on one unit: a suite or a construction.

    Attributes:
        unit: the unit.
        credits: the credits, 0 to 1, of the items that have one.
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
    """The mean accuracy of one model, or of people, over units: suites or constructions that count
    once each, however many items they have."""

    n_units: int
    n_items: int
    accuracy: float
    items: Interval | None  # interval of the mean if the items of these units vary
    units: Interval | None  # interval of the mean if the units vary; None for one unit
    chance: float | None  # the mean chance of the units; None if one has none


def units_of(suites: Sequence[Suite]) -> tuple[Unit, ...]:
    """Find the units of suites, which count once each in a mean over them.

    A mined suite is a unit, and so is a suite with one construction. In any other suite each
    construction is a unit; its name has the suite's before it if another suite has one so named.

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
    """Divide one suite into units, which count once each in a mean: the whole suite if it was mined
    or has one construction, else each of its constructions."""
    guessing = chance(suite.predictions[0]).value if suite.predictions else None
    rows_by_construction: dict[str, list[int]] = {}
    for row, item in enumerate(suite.items):
        construction = "" if item.agreement else factors_of(item)["construction"]
        rows_by_construction.setdefault(construction, []).append(row)
    is_one_unit = len(rows_by_construction) == 1
    whole = Unit(suite.name, "", "", tuple(suite.items), guessing, tuple(suite.table.clusters))
    units = []
    for construction, rows in rows_by_construction.items():
        name = suite.name if is_one_unit else construction or suite.name
        first_item = suite.items[rows[0]]
        circuit = _circuit(first_item) or (construction if is_one_unit else "") or suite.name
        units.append(replace(whole.only(rows), name=name, circuit=circuit))
    return units


def _circuit(item: Item) -> str:
    """Return the circuit, phenomenon or constraint of an item; "" if it has none."""
    if item.agreement is not None:
        return f"{item.agreement.feature} agreement"
    phenomenon = item.facts.get("phenomenon") or item.facts.get("constraint") or ""
    return PHENOMENA.get(phenomenon, phenomenon)


def unit_scores(
    units: Sequence[Unit], credits: Mapping[SuiteItem, float | None]
) -> tuple[UnitScore, ...]:
    """Collect the credits of one model, or of people, by unit.

    Args:
        units: the units.
        credits: (suite, item id) → credit, 0 to 1; `None` for an item that does not count.

    Returns:
        The scores, in the order of the units. A unit without credits has none.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("keys.tsv")])
    >>> [score.accuracy for score in unit_scores(units, {units[0].keys[0]: 0.5})]
    [0.5]
    """
    scores = []
    for unit in units:
        credit_of_row = {
            row: credit
            for row, key in enumerate(unit.keys)
            if (credit := credits.get(key)) is not None
        }
        if credit_of_row:
            clusters = tuple(unit.clusters[row] for row in credit_of_row)
            scores.append(UnitScore(unit, tuple(credit_of_row.values()), clusters))
    return tuple(scores)


def mean_of(scores: Sequence[UnitScore], *, shares: bool = False) -> MeanScore | None:
    """Average accuracies over units: the SG score of Hu et al. (2020, §3.3) or the overall accuracy
    of BLiMP.

    Args:
        scores: the scores of one model, or of people.
        shares: True if credits are shares of several answers, as for people, which vary less than
            the credits of single answers.

    Returns:
        The unweighted mean with its intervals; `None` if there is no score.

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
    known_chances = [value for value in chances if value is not None]
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
        chance=math.fsum(known_chances) / len(chances) if None not in chances else None,
    )


def _over_units(accuracies: Sequence[float]) -> Proportion | None:
    """Return the interval of a mean accuracy over units (suites or constructions) if other units of
    the kind were drawn; None for fewer than two."""
    n = len(accuracies)
    if n < 2:
        return None
    mean = math.fsum(accuracies) / n
    squares = variance(accuracies)
    # the number of independent yes-no answers whose mean would vary as much
    n_answers = n * mean * (1 - mean) / squares if squares > ROUNDING else n
    return proportion(mean, n_answers, n - 1, OVER_SOURCES)


def by_circuit(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Group scores by circuit (phenomenon).

    Args:
        scores: one model's scores.

    Returns:
        Circuit → its scores, in alphabetic order of circuits.

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


WITHOUT_MODIFIER, WITH_MODIFIER = "without modifier", "with modifier"


def by_modifier(scores: Sequence[UnitScore]) -> dict[str, tuple[UnitScore, ...]]:
    """Group the scores of suites that exist with and without a modifier (Hu et al. 2020, Figure 6).

    Args:
        scores: one model's scores.

    Returns:
        `WITHOUT_MODIFIER` and `WITH_MODIFIER` → the scores of the suites that have such a
        counterpart, in the same order; empty if there is no such pair of suites.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> for name in ("cleft", "cleft_modifier"):
    ...     _ = Path(f"{name}.tsv").write_text("right\\twrong\\nthe keys are\\tthe keys is\\n")
    >>> units = units_of([load_suite("cleft.tsv"), load_suite("cleft_modifier.tsv")])
    >>> scores = unit_scores(units, {key: 1.0 for unit in units for key in unit.keys})
    >>> [score.unit.name for score in by_modifier(scores)[WITH_MODIFIER]]
    ['cleft_modifier']
    """
    by_name = {score.unit.name: score for score in scores}
    pairs = modifier_of(by_name)
    if not pairs:
        return {}
    return {
        WITHOUT_MODIFIER: tuple(by_name[base] for base, _ in pairs),
        WITH_MODIFIER: tuple(by_name[modified] for _, modified in pairs),
    }
