"""Models beside people, cell by cell: kinds and constructions of one suite.

A model and people are compared on the items for which both have an answer, so that a difference
is one of paired items. Chance that a whole model was lucky is tested over sources (originals with
their variants), never over single items.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from ...data.formula.expression import TIE_BITS
from ...data.items.item import KINDS, Entry, Item
from ...data.statistics.intervals import Limits, mean_interval
from ..judgments.imported import FormSurprisal
from ..judgments.judgment import Tally
from .accuracy_estimates import Estimate
from .correlation import spearman
from .flips import SignFlip, holm, sign_flip
from .people import AnswerTable, Judged, people_limits

HUMANS = "humans"
"""The name of people among raters."""
FEWEST_CORRELATED = 10  # items; of fewer a rank correlation says nothing
NO_VARIATION = "no ρ: one side does not vary"
NO_INTERVAL = "no interval of the difference: with so few sources no p is below .05"
TOO_FEW = f"no ρ of fewer than {FEWEST_CORRELATED} items"


ItemKey = TypeVar("ItemKey", bound=Hashable)
Credits: TypeAlias = Mapping[str, tuple[float | None, float | None]]
"""item_id → (credit 0–1, margin in bits), as outcomes have them; None where left out."""


@dataclass(frozen=True, slots=True)
class RaterAccuracy(Estimate):
    """The accuracy of one rater, a model or people, in one cell, and its difference from people.

    Attributes:
        suite: the suite's name.
        kind: original, nonce or another kind of items.
        construction: the construction; "": all of the kind.
        rater: a model's name, or humans.
        n_items: items that the figures are over.
        accuracy: the mean over items, from 0 to 1.
        limits: its 95 % interval, over sources, for people over people and sources where single
            answers are known; None with fewer than two sources.
        n_sources: sources of these items.
        difference: people minus the model over the same items; None without people.
        test: of the difference, by sign flips over sources; None without people.
        p_holm: the test's p, adjusted over all constructions and kinds of this model (Holm); None
            for totals.
        spearman: rank correlation of right minus wrong answers with the model's margin; None with
            fewer than ten items, or where one side does not vary.
        note: why there is no interval of the difference, or no correlation.
    """

    suite: str
    kind: str
    construction: str
    rater: str
    n_items: int
    accuracy: float
    limits: Limits | None
    n_sources: int = 0
    difference: float | None = None
    test: SignFlip | None = None
    p_holm: float | None = None
    spearman: float | None = None
    note: str = ""

    @property
    def interval(self) -> str:
        """The method of `low` and `high`; empty without them."""
        return self.limits.method if self.limits else ""

    @property
    def p(self) -> float | None:
        """The two-sided p of a difference of 0, by sign flips over sources."""
        return self.test.p if self.test else None

    @property
    def p_floor(self) -> float | None:
        """The smallest p that is possible with so few sources."""
        return self.test.floor if self.test else None

    @property
    def difference_low(self) -> float | None:
        """The least difference that the test does not reject at 5 %."""
        return self.test.low if self.test else None

    @property
    def difference_high(self) -> float | None:
        """The largest difference that the test does not reject at 5 %."""
        return self.test.high if self.test else None


def rated(
    suite: str,
    items: Sequence[Item | Entry],
    tallies: Sequence[Tally],
    outcomes: Mapping[str, Credits],
    judgments: Judged = (),
) -> tuple[RaterAccuracy, ...]:
    """Computes the accuracy of people and models for each kind and construction.

    People's accuracy is the share of right answers within an item, averaged over items. Where
    people answered in a cell, a model is rated on the items that both answered, and compared with
    them there; else on all that it has a credit for.

    Args:
        suite: the suite's name, for the rows.
        items: its items.
        tallies: people's answers by item; empty: models alone.
        outcomes: model → item id → (credit from 0 to 1, margin in bits), None where left out.
        judgments: single answers, if known, for an interval over people and sources.

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
    >>> [(row.rater, row.accuracy, row.difference) for row in rows]
    [('humans', 0.8, None), ('lstm', 0.5, 0.3)]
    """
    answers = {tally.item: tally for tally in tallies if tally.total}
    single = AnswerTable.of(judgments)
    rows: list[RaterAccuracy] = []
    for kind in KINDS:
        groups: dict[str, list[Item | Entry]] = {"": []}
        for item in (item for item in items if item.kind == kind):
            groups[""].append(item)
            if name := item.construction:
                groups.setdefault(name, []).append(item)
        for name in sorted(groups):
            cell = suite, kind, name
            members = groups[name]
            answered = [answers[item.item_id] for item in members if item.item_id in answers]
            if answered:
                shares = [tally.share for tally in answered]
                sources = [tally.source for tally in answered]
                limits = people_limits(answered, single)
                rows.append(_alone(cell, HUMANS, shares, sources, limits))
            for model, credits in outcomes.items():
                rows += _model(cell, members, model, credits, answers if answered else {})
    return adjusted(rows)


def credits_of(surprisals: Iterable[FormSurprisal]) -> dict[str, Credits]:
    """Turns the surprisals of models that came with a file into credits and margins.

    Args:
        surprisals: of the two forms of items, in bits.

    Returns:
        Model → item id → (credit, margin). The margin is the wrong form's surprisal minus the right
        form's, in bits; the credit is 1 where it is positive, 0.5 within 1e-9 bits of 0, else 0.

    >>> from colorless_green.humans import FormSurprisal
    >>> credits_of([FormSurprisal("lstm", "i1", right_bits=3.0, wrong_bits=5.5)])
    {'lstm': {'i1': (1.0, 2.5)}}
    """
    result: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for surprisal in surprisals:
        is_tie = surprisal.wrong_bits == surprisal.right_bits  # also where both are infinite
        margin = 0.0 if is_tie else surprisal.wrong_bits - surprisal.right_bits
        credit = 0.5 if abs(margin) <= TIE_BITS else float(margin > 0)
        result.setdefault(surprisal.model, {})[surprisal.item_id] = credit, margin
    return dict(result)


def credits_in(
    credits: Mapping[ItemKey, tuple[float | None, float | None]],
) -> dict[ItemKey, float]:
    """Item → credit, of the items that count."""
    return {item: credit for item, (credit, _) in credits.items() if credit is not None}


def margins_of(credits: Credits) -> dict[str, float]:
    """Returns the margins of the items that count.

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
    """Counts ties as wrong: the right form has to be strictly more probable.

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
    """Averages the runs of one model with several seeds into one rater.

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


def _alone(
    cell: tuple[str, str, str],
    rater: str,
    values: Sequence[float],
    sources: Sequence[str],
    limits: Limits | None,
) -> RaterAccuracy:
    """A rater's row before it is held against another's. `values` and `sources` are of items."""
    mean = math.fsum(values) / len(values)
    return RaterAccuracy(*cell, rater, len(values), mean, limits, n_sources=len(set(sources)))


def _model(
    cell: tuple[str, str, str],
    items: Sequence[Item | Entry],
    model: str,
    outcomes: Credits,
    answers: Mapping[str, Tally],
) -> Iterator[RaterAccuracy]:
    """The model's row; on the items of `answers` alone, if there are any."""
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
    alone = _alone(cell, model, credits, sources, mean_interval(credits, sources))
    if not answers:
        yield alone
        return
    people = [answers[item.item_id] for item, _, _ in scored]
    differences = [tally.share - credit for tally, credit in zip(people, credits, strict=True)]
    test = sign_flip(differences, sources)
    both = [
        (2.0 * tally.right - tally.total, margin)
        for tally, (_, _, margin) in zip(people, scored, strict=True)
        if margin is not None
    ]
    enough = len(both) >= FEWEST_CORRELATED
    rho = spearman([x for x, _ in both], [y for _, y in both]) if enough else None
    assert test is not None  # there are items
    notes = [] if test.limits else [NO_INTERVAL]
    if rho is None:
        notes.append(NO_VARIATION if enough else TOO_FEW)
    yield replace(
        alone,
        difference=math.fsum(differences) / len(differences),
        test=test,
        spearman=rho,
        note="; ".join(notes),
    )


def adjusted(rows: Sequence[RaterAccuracy]) -> tuple[RaterAccuracy, ...]:
    """With Holm's p over the constructions of each model; totals are not part of the family."""
    result = list(rows)
    for model in dict.fromkeys(row.rater for row in rows):
        indices = [
            index for index, row in enumerate(rows) if row.rater == model and row.construction
        ]
        adjusted = holm([rows[index].p for index in indices])
        for index, p in zip(indices, adjusted, strict=True):
            result[index] = replace(rows[index], p_holm=p)
    return tuple(result)
