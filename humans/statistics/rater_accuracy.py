"""Accuracies of models and people, and their differences, in each cell of one suite.

A *cell* is the items of one kind (original, nonce, …) and one construction. A *source* is an
original sentence with all items made from it. A model and people are compared on the items that
both have answered; intervals are over sources and people.

A model's choice of the more probable form has no noise; a person's answer has. So there are two
measures, and each compares like with like. The first compares the model's choice with the
*majority* of people. The second compares people's share of right answers with the model's *choice
share*: the probability of the right form divided by that of both forms. The first understates
people, the more so the fewer they are; the second depends on a model's temperature, which changes
no choice. We call people or the model better only if both measures say so.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, TypeAlias, TypeVar

from ...data.formula.expression import TIE_BITS
from ...data.items.item import KINDS, Entry, Item
from ...data.statistics.crossed import majority_accuracy, people_accuracy
from ...data.statistics.differences import Difference, square_and_add
from ...data.statistics.intervals import Proportion, accuracy_interval
from ...data.statistics.rank_correlation import spearman
from ...data.statistics.significance import holm
from ...data.tables import Cell, Row
from ..judgments.judgment import Tally
from .accuracy_estimates import NO_ANSWERS, Estimate
from .people import AnswerTable, Judged

HUMANS = "humans"
"""The name of people among raters."""
MIN_CORRELATED_ITEMS = 10  # items that a rank correlation needs
NO_VARIATION = "no ρ: one side does not vary"
NO_INTERVAL = "no test of the difference: fewer than two sources"
TOO_FEW = f"no ρ of fewer than {MIN_CORRELATED_ITEMS} items"
MAJORITY, SHARE = "majority − choice", "share − choice share"
FEW_RATERS = 5  # with fewer answers per item, a majority says little
PEOPLE, MODEL = "people", "model"  # values of `LikeWithLike.better`


ItemKey = TypeVar("ItemKey", bound=Hashable)
Credits: TypeAlias = Mapping[str, tuple[float | None, float | None]]
"""A model's results: item id → (credit, margin), both None if the item was left out. The credit is
1 for the right form, 0 for the wrong one, 0.5 for a tie; the margin is the surprisal of the wrong
form minus that of the right one, in bits."""


@dataclass(frozen=True, slots=True)
class LikeWithLike:
    """People's accuracy minus a model's, by the two measures of this module.

    Attributes:
        raters: the mean number of people's answers per item.
        majority: the share of items that most people get right, minus the share of items that the
            model gets right; None if there is no interval.
        share: people's share of right answers minus the model's choice share; None if there is no
            interval.
    """

    raters: float
    majority: Difference | None
    share: Difference | None

    @property
    def measure(self) -> str:
        """The measure that is reported first: `MAJORITY`, or `SHARE` with few answers per item.

        If it is not known it is the other one; "" if neither is known.
        """
        measures = [(MAJORITY, self.majority), (SHARE, self.share)]
        if self.raters < FEW_RATERS:
            measures.reverse()
        return next((name for name, difference in measures if difference is not None), "")

    @property
    def headline(self) -> Difference | None:
        """The difference that is reported first, by `measure`."""
        return self.majority if self.measure == MAJORITY else self.share

    @property
    def better(self) -> str:
        """`PEOPLE` or `MODEL` if both intervals lie on the same side of 0; else empty."""
        if self.majority is None or self.share is None or self.majority.sign != self.share.sign:
            return ""
        return {1: PEOPLE, -1: MODEL}.get(self.share.sign, "")


def choice_share(margin: float) -> float:
    """Convert a margin in bits to P(right form) / (P(right form) + P(wrong form)).

    >>> choice_share(1.0)
    0.6666666666666666
    """
    if margin < -1_000:  # here 2 to the power of −margin is near the largest float
        return 0.0
    return 1.0 / (1.0 + math.pow(2.0, -margin))


class PeopleAccuracies(NamedTuple):
    """People's accuracies on a set of items, by the two measures, with their intervals."""

    raters: float  # the mean number of answers per item
    majority: Proportion | None  # share of items that most people get right; a tie counts half
    share: Proportion | None  # each item's share of right answers, averaged over items


@dataclass(frozen=True, slots=True)
class RaterAccuracy(Estimate):
    """The accuracy of one rater (a model, or people) in one cell, and its difference from people.

    Attributes:
        suite: the suite's name.
        kind: the kind of the items, such as original or nonce.
        construction: the construction of the items; "" for all constructions of the kind.
        rater: a model's name, or humans.
        n_items: number of items that the row is about.
        accuracy: the mean over items, from 0 to 1: of a model's credits, of people's share of right
            answers.
        limits: the 95 % interval of `accuracy`: over sources; over people and sources if people's
            single answers are known. None with fewer than two sources.
        n_sources: number of sources of these items.
        raters: mean number of people's answers per item; None for models.
        majority: share of items that most people get right, a tie counts half; None for models.
        choice_share: P(right form) / (P(right) + P(wrong)), averaged over items; None for people
            and for models without margins.
        compared: people minus the model on the same items; None without people.
        p_holm: p of `compared.headline`, adjusted by Holm over all constructions and kinds of this
            model; None for rows over all constructions.
        spearman: rank correlation over items of people's right minus wrong answers with the model's
            margin; None with fewer than ten items, or if one of them does not vary.
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
        """The name of the method that gave `low` and `high`; "" if there is no interval."""
        return self.limits.method if self.limits else ""

    def as_row(self, columns: Iterable[str]) -> Row:
        """Return column → value; columns such as `majority_p` and `better` are from `compared`."""
        compared_values: dict[str, Cell] = {}
        if self.compared is not None:
            compared_values = {
                "measure": self.compared.measure or None,
                "better": self.compared.better or None,
            }
            for prefix, difference in (
                ("", self.compared.headline),
                ("majority_", self.compared.majority),
                ("share_", self.compared.share),
            ):
                if difference is not None:
                    compared_values |= {
                        f"{prefix}difference": difference.value,
                        f"{prefix}difference_low": difference.low,
                        f"{prefix}difference_high": difference.high,
                        f"{prefix}p": difference.p,
                    }
        return {name: compared_values.get(name, getattr(self, name, None)) for name in columns}


def rater_accuracies(
    suite: str,
    items: Sequence[Item | Entry],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
    judgments: Judged = NO_ANSWERS,
    groups: Mapping[str, Sequence[str]] | None = None,
) -> tuple[RaterAccuracy, ...]:
    """Compute the accuracies of people and models in each cell: one kind and one construction.

    The accuracy of people is each item's share of right answers, averaged over items; that of a
    model is its mean credit. If people answered items of a cell, models are rated on the items that
    people answered too, and compared with people on them; if not, on all items with a credit.

    Args:
        suite: the suite's name, for the rows.
        items: the suite's items.
        tallies: number of people's right answers and of all answers for each item; empty to rate
            only models.
        outcomes: model → item id → (credit from 0 to 1, margin in bits), both None for an item that
            was left out.
        judgments: people's single answers, if known, for an interval over people and sources.
        groups: name of a group → the models in it, which differ only in their seed. Both the group
            (as the mean of its models) and these models are keys of `outcomes`.

    Returns:
        For each kind of item: the rows over all its constructions, then those of each construction
        in alphabetical order. In each cell people come first, then the models in the order of
        `outcomes`; a rater without items in a cell has no row. Holm's adjustment of p is over all
        single constructions of one model.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items, tally_of
    >>> _ = Path("items.csv").write_text(
    ...     "item,prefix,correct_form,wrong_form\\ni1,the keys,are,is\\ni2,the key,is,are\\n")
    >>> items = read_items(Path("items.csv"), "en").items
    >>> people = [tally_of(items[0], right=9, total=10), tally_of(items[1], right=7, total=10)]
    >>> lstm = {"i1": (1.0, 3.2), "i2": (0.0, -0.4)}
    >>> rows = rater_accuracies("keys", items, people, {"lstm": lstm})
    >>> [(row.rater, row.accuracy, row.majority) for row in rows]
    [('humans', 0.8, 1.0), ('lstm', 0.5, None)]
    """
    tally_of = {tally.item: tally for tally in tallies if tally.total}
    answers = AnswerTable.of(judgments)
    rows: list[RaterAccuracy] = []
    for kind in KINDS:
        by_construction: dict[str, list[Item | Entry]] = {"": []}  # "": all items of the kind
        for item in (item for item in items if item.kind == kind):
            by_construction[""].append(item)
            if item.construction:
                by_construction.setdefault(item.construction, []).append(item)
        for construction, cell_items in sorted(by_construction.items()):
            cell = _Cell((suite, kind, construction), cell_items, tally_of, answers)
            if cell.answered:
                rows.append(cell.people_row())
            for model, credits in outcomes.items():
                members = [outcomes[name] for name in (groups or {}).get(model, ())]
                rows += cell.model_row(model, credits, members)
    return add_holm_p(rows)


def credits_in(
    credits: Mapping[ItemKey, tuple[float | None, float | None]],
) -> dict[ItemKey, float]:
    """Return item → credit, for the items that were not left out."""
    return {item: credit for item, (credit, _) in credits.items() if credit is not None}


def margins_of(credits: Credits) -> dict[str, float]:
    """Return the margins of the items that were not left out.

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


def average_runs(
    runs: Sequence[Mapping[ItemKey, tuple[float | None, float | None]]],
) -> dict[ItemKey, tuple[float | None, float | None]]:
    """Average the runs of one model with several seeds into one rater.

    Such models are not a sample to test over, so they are averaged before any test.

    Args:
        runs: one per seed, each item → (credit, margin); at least one.

    Returns:
        Each item of the first run → mean credit and mean margin. Either is None where one run has
        none; a margin also where one run has +∞ and another −∞.

    >>> seed_1 = {"i1": (1.0, 2.0), "i2": (1.0, 1.0)}
    >>> average_runs([seed_1, {"i1": (0.0, -1.0), "i2": (None, None)}])
    {'i1': (0.5, 0.5), 'i2': (None, None)}
    """
    result = {}
    for item in runs[0]:
        credits, margins = zip(*(run.get(item, (None, None)) for run in runs), strict=True)
        result[item] = _mean(credits), _mean(margins)
    return result


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; None if a value is None, or if both +∞ and −∞ are among the values."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) or {math.inf, -math.inf} <= set(numbers):
        return None
    return math.fsum(numbers) / len(numbers)


class _Cell:
    """The items of one suite, kind and construction, with people's answers to them.

    If people answered any of the items, `items` has only these, and models are compared with people
    on them.
    """

    def __init__(
        self,
        key: tuple[str, str, str],
        items: Sequence[Item | Entry],
        tally_of: Mapping[str, Tally],
        answers: AnswerTable,
    ) -> None:
        self.key, self.tally_of, self.answers = key, tally_of, answers
        judged = [item for item in items if item.item_id in tally_of]
        self.items, self.answered = judged or items, bool(judged)
        # models are often compared on the same items, and the intervals take time
        self.people_on = cache(self._people_on)

    def _people_on(self, *item_ids: str) -> PeopleAccuracies:
        """Compute people's accuracies on answered items of the cell."""
        given = self.answers.answers_to([self.tally_of[item_id] for item_id in item_ids])
        raters = float(given.total.sum()) / given.total.shape[1]
        return PeopleAccuracies(raters, majority_accuracy(given), people_accuracy(given))

    def people_row(self) -> RaterAccuracy:
        """Return the row of people's accuracy on the answered items; there must be one."""
        tallies = [self.tally_of[item.item_id] for item in self.items]
        accuracies = self.people_on(*(tally.item for tally in tallies))
        return RaterAccuracy(
            *self.key,
            rater=HUMANS,
            n_items=len(tallies),
            accuracy=math.fsum(tally.share for tally in tallies) / len(tallies),
            limits=accuracies.share,
            n_sources=len({tally.source for tally in tallies}),
            raters=accuracies.raters,
            majority=math.fsum(tally.majority for tally in tallies) / len(tallies),
        )

    def model_row(
        self, model: str, outcomes: Credits, members: Sequence[Credits]
    ) -> Iterator[RaterAccuracy]:
        """Yield the row of a model; nothing if it has a credit (1 if right, 0 if wrong) for no item
        of the cell. If `model` is a group, `members` has the results of each model in it."""
        credits = credits_in(outcomes)
        scored = [item for item in self.items if item.item_id in credits]
        if not scored:
            return
        ids, sources = [item.item_id for item in scored], [item.cluster_id for item in scored]
        earned = [credits[name] for name in ids]
        # a member has a credit where its group has one, unless another model is named like it
        member_credits = [credits_in(member) for member in members]
        seeds = [math.fsum(own.get(name, 0.0) for name in ids) / len(ids) for own in member_credits]
        limits = accuracy_interval(earned, sources, seeds=seeds)
        shares = _choice_shares(ids, members or [outcomes])
        row = RaterAccuracy(
            *self.key,
            rater=model,
            n_items=len(ids),
            accuracy=math.fsum(earned) / len(ids),
            limits=limits,
            n_sources=len(set(sources)),
            choice_share=math.fsum(shares) / len(shares) if shares else None,
        )
        if not self.answered:
            yield row
            return
        # no lower limit on the variance, since shares vary less than choices do
        choices = accuracy_interval(shares, sources, least_effect=0.0) if shares else None
        people = self.people_on(*ids)
        compared = LikeWithLike(
            people.raters, _minus(people.majority, limits), _minus(people.share, choices)
        )
        margins = margins_of(outcomes)
        pairs = [
            (2.0 * tally.right - tally.total, margins[tally.item])
            for tally in map(self.tally_of.__getitem__, ids)
            if tally.item in margins
        ]
        is_enough = len(pairs) >= MIN_CORRELATED_ITEMS
        rho = spearman(*zip(*pairs, strict=True)) if is_enough else None
        notes = [] if compared.headline else [NO_INTERVAL]
        if rho is None:
            notes.append(NO_VARIATION if is_enough else TOO_FEW)
        yield replace(row, compared=compared, spearman=rho, note="; ".join(notes))


def _minus(people: Proportion | None, model: Proportion | None) -> Difference | None:
    """Subtract a model's accuracy from people's; None if one of them has no interval."""
    return square_and_add(people, model) if people and model else None


def _choice_shares(item_ids: Sequence[str], runs: Sequence[Credits]) -> list[float]:
    """Return each item's choice share, averaged over runs; an empty list if any margin is
    unknown."""
    margins = [margins_of(run) for run in runs]
    if not all(name in of_run for of_run in margins for name in item_ids):
        return []
    shares = ([choice_share(of_run[name]) for of_run in margins] for name in item_ids)
    return [math.fsum(of_item) / len(of_item) for of_item in shares]


def add_holm_p(rows: Sequence[RaterAccuracy]) -> tuple[RaterAccuracy, ...]:
    """Set `p_holm` of the rows: Holm's adjustment for each model over its single constructions.

    Rows over all constructions of a kind are not part of the family of tests.
    """
    result = list(rows)
    for model in dict.fromkeys(row.rater for row in rows):
        indices = [
            index for index, row in enumerate(rows) if row.rater == model and row.construction
        ]
        headlines = [
            compared.headline if (compared := rows[index].compared) else None for index in indices
        ]
        p_values = holm([headline.p if headline else None for headline in headlines])
        for index, p in zip(indices, p_values, strict=True):
            result[index] = replace(rows[index], p_holm=p)
    return tuple(result)
