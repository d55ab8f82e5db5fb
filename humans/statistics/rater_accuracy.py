"""Models beside people, cell by cell: kinds and constructions of one suite.

A model and people are compared on the items for which both have an answer, by measures of the same
kind, whose intervals are over sources and people.

A model's choice of the more probable form has no noise; a person's answer has. So the choice is
held against the *majority* of people, and people's share of right answers against the share of the
probability of both forms that the model gives to the right one. The first understates people, the
more so the fewer they are; the second changes with a model's temperature although no choice does.
What both say is concluded, and nothing else; a share is never held against choices.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from ...data.formula.expression import TIE_BITS
from ...data.items.item import KINDS, Entry, Item
from ...data.statistics.crossed import Answers, majority_accuracy, people_accuracy
from ...data.statistics.differences import Difference, square_and_add
from ...data.statistics.intervals import Proportion, accuracy_interval
from ...data.statistics.rank_correlation import spearman
from ...data.statistics.significance import holm
from ...data.tables import Cell, Row
from ..judgments.judgment import Tally
from .accuracy_estimates import NO_ONE, Estimate
from .people import AnswerTable, Judged

HUMANS = "humans"
"""The name of people among raters."""
FEWEST_CORRELATED = 10  # items; of fewer a rank correlation says nothing
NO_VARIATION = "no ρ: one side does not vary"
NO_INTERVAL = "no test of the difference: fewer than two sources"
TOO_FEW = f"no ρ of fewer than {FEWEST_CORRELATED} items"
MAJORITY, SHARE = "majority − choice", "share − choice share"
FEW_RATERS = 5  # with fewer an item, a majority says little
PEOPLE, MODEL = "people", "model"  # that are better


ItemKey = TypeVar("ItemKey", bound=Hashable)
Credits: TypeAlias = Mapping[str, tuple[float | None, float | None]]
"""item_id → (credit 0–1, margin in bits), as outcomes have them; None where left out."""


@dataclass(frozen=True, slots=True)
class LikeWithLike:
    """People minus a model, by both measures, where there are both.

    Attributes:
        raters: answers an item, in the mean.
        majority: share of items of which most people are right minus that of which the model is.
        share: people's share of right answers minus the model's choice share.
    """

    raters: float
    majority: Difference | None
    share: Difference | None

    @property
    def measure(self) -> str:
        """The measure of the headline: `MAJORITY`, of few raters `SHARE`; empty without any."""
        order = [(MAJORITY, self.majority), (SHARE, self.share)]
        if self.raters < FEW_RATERS:
            order.reverse()
        return next((name for name, difference in order if difference is not None), "")

    @property
    def headline(self) -> Difference | None:
        """The difference by the measure of the headline."""
        return self.majority if self.measure == MAJORITY else self.share

    @property
    def better(self) -> str:
        """`PEOPLE` or `MODEL` where both intervals are on one side of 0; else empty."""
        if self.majority is None or self.share is None or self.majority.sign != self.share.sign:
            return ""
        return {1: PEOPLE, -1: MODEL}.get(self.share.sign, "")


def choice_share(margin: float) -> float:
    """Return the share of the right form in the probability of both, by its margin in bits.

    >>> choice_share(1.0)
    0.6666666666666666
    """
    if margin < -1_000:
        return 0.0
    return 1.0 / (1.0 + math.pow(2.0, -margin))


def choice_interval(shares: Sequence[float], sources: Sequence[str]) -> Proportion | None:
    """Return the mean choice share with its interval over sources: shares vary less than
    choices."""
    return accuracy_interval(shares, sources, least_effect=0.0)


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """People's accuracies on some items, by both measures.

    Attributes:
        raters: answers an item, in the mean.
        majority: share of items of which most people are right, ties half.
        share: share of right answers within an item, averaged over items.
    """

    raters: float
    majority: Proportion | None
    share: Proportion | None

    @staticmethod
    def of(answers: Answers) -> "PeopleFigures":
        """Return the figures of answers to items each of which has one."""
        raters = float(answers.total.sum()) / answers.total.shape[1]
        return PeopleFigures(raters, majority_accuracy(answers), people_accuracy(answers))

    def minus(self, accuracy: Proportion | None, choices: Proportion | None) -> LikeWithLike:
        """Compare people with a model on the same items.

        Args:
            accuracy: the model's.
            choices: its mean choice share, where it is known.
        """
        majority, share = (
            square_and_add(own, other) if own is not None and other is not None else None
            for own, other in ((self.majority, accuracy), (self.share, choices))
        )
        return LikeWithLike(self.raters, majority, share)


@dataclass(frozen=True, slots=True)
class RaterAccuracy(Estimate):
    """The accuracy of one rater, a model or people, in one cell, and its difference from people.

    Attributes:
        suite: the suite's name.
        kind: original, nonce or another kind of items.
        construction: the construction; "": all of the kind.
        rater: a model's name, or humans.
        n_items: items that the figures are over.
        accuracy: the mean over items, from 0 to 1: of people the share of right answers.
        limits: its 95 % interval, over sources, for people over people and sources where single
            answers are known; None with fewer than two sources.
        n_sources: sources of these items.
        raters: answers an item, of people; None of models.
        majority: share of items of which most people are right, ties half; None of models.
        choice_share: share of the right form in the probability of both, mean over items; None of
            people, and where margins are not known.
        compared: people minus the model over the same items; None without people.
        p_holm: p of the headline's difference, adjusted over all constructions and kinds of this
            model (Holm); None for totals.
        spearman: rank correlation of right minus wrong answers with the model's margin; None with
            fewer than ten items, or where one side does not vary.
        note: why there is no test of the difference, or no correlation.
    """

    suite: str
    kind: str
    construction: str
    rater: str
    n_items: int
    accuracy: float
    limits: Proportion | None
    n_sources: int = 0
    raters: float | None = None
    majority: float | None = None
    choice_share: float | None = None
    compared: LikeWithLike | None = None
    p_holm: float | None = None
    spearman: float | None = None
    note: str = ""

    @property
    def interval(self) -> str:
        """The method of `low` and `high`; empty without them."""
        return self.limits.method if self.limits else ""

    def as_row(self, columns: Iterable[str]) -> Row:
        """Return the values of these columns, those of the comparison among them."""
        values: dict[str, Cell] = {}
        if self.compared is not None:
            values = {
                "measure": self.compared.measure or None,
                "better": self.compared.better or None,
            }
            for prefix, difference in (
                ("", self.compared.headline),
                ("majority_", self.compared.majority),
                ("share_", self.compared.share),
            ):
                if difference is not None:
                    values |= {
                        f"{prefix}difference": difference.value,
                        f"{prefix}difference_low": difference.low,
                        f"{prefix}difference_high": difference.high,
                        f"{prefix}p": difference.p,
                    }
        return {name: values.get(name, getattr(self, name, None)) for name in columns}


def rated(
    suite: str,
    items: Sequence[Item | Entry],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
    judgments: Judged = NO_ONE,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> tuple[RaterAccuracy, ...]:
    """Compute the accuracy of people and models for each kind and construction.

    People's accuracy is the share of right answers within an item, averaged over items. Where
    people answered in a cell, a model is rated on the items that both answered, and compared with
    them there; else on all that it has a credit for.

    Args:
        suite: the suite's name, for the rows.
        items: its items.
        tallies: people's answers by item; empty: models alone.
        outcomes: model → item id → (credit from 0 to 1, margin in bits), None where left out.
        judgments: single answers, if known, for an interval over people and sources.
        groups: group among the models → its members among them, which differ in their seed alone.

    Returns:
        For each kind a row per rater over all its constructions, then over each construction in
        alphabetical order; people first, then the models in their order. A rater without items in a
        cell has no row. Holm's adjustment is over the single constructions of one model.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items, tallied
    >>> _ = Path("items.csv").write_text(
    ...     "item,prefix,correct_form,wrong_form\\ni1,the keys,are,is\\ni2,the key,is,are\\n")
    >>> items = read_items(Path("items.csv"), "en").items
    >>> people = [tallied(items[0], right=9, total=10), tallied(items[1], right=7, total=10)]
    >>> rows = rated("keys", items, people, {"lstm": {"i1": (1.0, 3.2), "i2": (0.0, -0.4)}})
    >>> [(row.rater, row.accuracy, row.majority) for row in rows]
    [('humans', 0.8, 1.0), ('lstm', 0.5, None)]
    """
    answers = {tally.item: tally for tally in tallies if tally.total}
    single = AnswerTable.of(judgments)
    rows: list[RaterAccuracy] = []
    for kind in KINDS:
        cells: dict[str, list[Item | Entry]] = {"": []}
        for item in (item for item in items if item.kind == kind):
            cells[""].append(item)
            if name := item.construction:
                cells.setdefault(name, []).append(item)
        for name in sorted(cells):
            cell = suite, kind, name
            members = cells[name]
            answered = [answers[item.item_id] for item in members if item.item_id in answers]
            judged = answers if answered else {}
            figures = _Memory(judged, single)
            if answered:
                rows.append(_people(cell, answered, figures))
            for model, credits in outcomes.items():
                runs = [outcomes[name] for name in (groups or {}).get(model, ())]
                rows += _model(cell, members, model, credits, figures, runs)
    return adjusted(rows)


def credits_in(
    credits: Mapping[ItemKey, tuple[float | None, float | None]],
) -> dict[ItemKey, float]:
    """Return the credits of the items that count."""
    return {item: credit for item, (credit, _) in credits.items() if credit is not None}


def margins_of(credits: Credits) -> dict[str, float]:
    """Return the margins of the items that count.

    Args:
        credits: item id → (credit, margin). An item without a credit was left out, for example for
            an unknown word, and its margin is left out too.

    Returns:
        Item id → margin in bits.

    >>> margins_of({"i1": (1.0, 2.5), "i2": (None, 0.3)})
    {'i1': 2.5}
    """
    return {
        item: margin
        for item, (credit, margin) in credits.items()
        if credit is not None and margin is not None
    }


def ties_wrong(credits: Credits) -> Credits:
    """Count ties as wrong: the right form has to be strictly more probable.

    This is how the scripts of Gulordava et al. 2018 count (`results.py`).

    Args:
        credits: item id → (credit, margin).

    Returns:
        The same with credits 1 and 0 only; None where the item was left out.

    >>> ties_wrong({"i1": (0.5, 0.0), "i2": (1.0, 2.5)})
    {'i1': (0.0, 0.0), 'i2': (1.0, 2.5)}
    """
    return {
        item: (None if credit is None or margin is None else float(margin > TIE_BITS), margin)
        for item, (credit, margin) in credits.items()
    }


def averaged(
    runs: Sequence[Mapping[ItemKey, tuple[float | None, float | None]]],
) -> dict[ItemKey, tuple[float | None, float | None]]:
    """Average the runs of one model with several seeds into one rater.

    Such models are not a sample to test over, so they are averaged before any test.

    Args:
        runs: one per seed, each item → (credit, margin); at least one.

    Returns:
        Each item of the first run → mean credit and mean margin. Either is None where one run has
        none; a margin also where one run has +∞ and another −∞.

    >>> averaged([{"i1": (1.0, 2.0), "i2": (1.0, 1.0)}, {"i1": (0.0, -1.0), "i2": (None, None)}])
    {'i1': (0.5, 0.5), 'i2': (None, None)}
    """
    result = {}
    for item in runs[0]:
        credits, margins = zip(*(run.get(item, (None, None)) for run in runs), strict=True)
        result[item] = _mean(credits), _mean(margins)
    return result


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) or {math.inf, -math.inf} <= set(numbers):
        return None  # what one model holds for certain and another for impossible has no mean
    return math.fsum(numbers) / len(numbers)


class _Memory(dict[tuple[str, ...], PeopleFigures]):
    """People's figures on items of a cell, by the ids of these; each worked out once."""

    def __init__(self, tallies: Mapping[str, Tally], single: AnswerTable) -> None:
        self.tallies, self.single = tallies, single

    def __missing__(self, names: tuple[str, ...]) -> PeopleFigures:
        answers = self.single.to([self.tallies[name] for name in names])
        self[names] = PeopleFigures.of(answers)
        return self[names]


def _people(
    cell: tuple[str, str, str], tallies: Sequence[Tally], figures: _Memory
) -> RaterAccuracy:
    n = len(tallies)
    people = figures[tuple(tally.item for tally in tallies)]
    return RaterAccuracy(
        *cell,
        HUMANS,
        n,
        math.fsum(tally.share for tally in tallies) / n,
        people.share,
        n_sources=len({tally.source for tally in tallies}),
        raters=people.raters,
        majority=math.fsum(tally.majority for tally in tallies) / n,
    )


def _model(
    cell: tuple[str, str, str],
    items: Sequence[Item | Entry],
    model: str,
    outcomes: Credits,
    figures: _Memory,
    runs: Sequence[Credits] = (),
) -> Iterator[RaterAccuracy]:
    """Yield the model's row, on the items that people answered alone, if there are any. `runs`: of
    a group those of its members."""
    answers = figures.tallies
    scored = [
        (item, credit, margin)
        for item in items
        for credit, margin in [outcomes.get(item.item_id, (None, None))]
        if credit is not None and (not answers or item.item_id in answers)
    ]
    if not scored:
        return
    credits = [credit for _, credit, _ in scored]
    sources = [item.cluster_id for item, _, _ in scored]
    names = [item.item_id for item, _, _ in scored]
    seeds = [math.fsum(run[name][0] or 0.0 for name in names) / len(names) for run in runs]
    limits = accuracy_interval(credits, sources, seeds=seeds)
    shares = _choice_shares(names, runs or [outcomes])
    alone = RaterAccuracy(
        *cell,
        model,
        len(names),
        math.fsum(credits) / len(names),
        limits,
        n_sources=len(set(sources)),
        choice_share=math.fsum(shares) / len(shares) if shares else None,
    )
    if not answers:
        yield alone
        return
    people = [answers[name] for name in names]
    choices = choice_interval(shares, sources) if shares else None
    compared = figures[tuple(names)].minus(limits, choices)
    both = [
        (2.0 * tally.right - tally.total, margin)
        for tally, (_, _, margin) in zip(people, scored, strict=True)
        if margin is not None
    ]
    enough = len(both) >= FEWEST_CORRELATED
    rho = spearman([x for x, _ in both], [y for _, y in both]) if enough else None
    notes = [] if compared.headline else [NO_INTERVAL]
    if rho is None:
        notes.append(NO_VARIATION if enough else TOO_FEW)
    yield replace(alone, compared=compared, spearman=rho, note="; ".join(notes))


def _choice_shares(names: Sequence[str], runs: Sequence[Credits]) -> list[float]:
    """Return the choice share of each item, the mean over runs; empty where one is not known."""
    margins = [[run.get(name, (None, None))[1] for name in names] for run in runs]
    known = [[margin for margin in row if margin is not None] for row in margins]
    if any(len(row) < len(names) for row in known):
        return []
    columns = zip(*([choice_share(margin) for margin in row] for row in known), strict=True)
    return [math.fsum(column) / len(column) for column in columns]


def adjusted(rows: Sequence[RaterAccuracy]) -> tuple[RaterAccuracy, ...]:
    """Return the rows with Holm's p over the constructions of each model; totals are not part of
    the family."""
    result = list(rows)
    for model in dict.fromkeys(row.rater for row in rows):
        indices = [
            index for index, row in enumerate(rows) if row.rater == model and row.construction
        ]
        headlines = [each.headline if (each := rows[n].compared) else None for n in indices]
        p_values = holm([headline.p if headline else None for headline in headlines])
        for index, p in zip(indices, p_values, strict=True):
            result[index] = replace(rows[index], p_holm=p)
    return tuple(result)
