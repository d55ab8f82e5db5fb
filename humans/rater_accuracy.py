"""Models beside people, cell by cell: kinds and constructions of one suite.

A model and people are compared on the items for which both have an answer, so that a difference
is one of paired items. Chance that a whole model was lucky is tested over sources (originals with
their variants), never over single items.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from colorless_green.humans.imported import FormSurprisal
from colorless_green.humans.judgment import Tally
from colorless_green.humans.statistics.accuracy import Estimate
from colorless_green.humans.statistics.correlation import spearman
from colorless_green.humans.statistics.flips import SignFlip, holm, sign_flip
from colorless_green.humans.statistics.people import AnswerTable, Judged, people_limits
from colorless_green.nonce.intervals import Limits, mean_interval
from colorless_green.nonce.item import KINDS, Entry, Item
from colorless_green.nonce.prediction import TIE_BITS

HUMANS = "humans"
FEWEST_CORRELATED = 10  # items; of fewer a rank correlation says nothing
NO_VARIATION = "no ρ: one side does not vary"
NO_INTERVAL = "no interval of the difference: with so few sources no p is below .05"
TOO_FEW = f"no ρ of fewer than {FEWEST_CORRELATED} items"


ItemKey = TypeVar("ItemKey", bound=Hashable)
Credits: TypeAlias = Mapping[str, tuple[float | None, float | None]]
"""item_id → (credit 0–1, margin in bits), as outcomes have them; None where left out."""


@dataclass(frozen=True, slots=True)
class RaterAccuracy(Estimate):
    """One rater in one cell. An empty `kind` or `construction` means all of them."""

    suite: str
    kind: str
    construction: str
    rater: str  # a model, or "humans"
    n_items: int
    accuracy: float
    limits: Limits | None  # of the accuracy, over sources; None with fewer than two
    n_sources: int = 0
    difference: float | None = None  # human − model over the same items
    test: SignFlip | None = None  # of the difference, over sources
    p_holm: float | None = None  # adjusted over all constructions × kinds of this model
    spearman: float | None = None  # of (right − wrong answers) with the margin; None: no variation
    note: str = ""  # why there is no interval of the difference, or no correlation

    @property
    def interval(self) -> str:
        """The method of `low` and `high`; empty without them."""
        return self.limits.method if self.limits else ""

    @property
    def p(self) -> float | None:
        """That the difference is 0: sign flips over sources."""
        return self.test.p if self.test else None

    @property
    def p_floor(self) -> float | None:
        """No p can be smaller with so few sources."""
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
    """People first, then the models in their order, for each kind and construction of `items`.

    Cells are the kinds (those of all constructions together, then each construction in alphabetic
    order). People stand in a cell on every item that somebody answered, with the paper's accuracy
    (mean within the item, then over items); its interval is over people and sources where single
    `judgments` are known. A model stands on the items that it has a credit for and, where the cell
    has answers, people too; without answers its difference, p and correlation are None. A cell in
    which a rater has no item gives no row. Holm's adjustment is over the single constructions (not
    the totals) of one model.
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
    """Outcomes of models whose numbers came with a file, by model; a tie is half right."""
    result: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for surprisal in surprisals:
        alike = surprisal.wrong_bits == surprisal.right_bits  # also where both are infinite
        margin = 0.0 if alike else surprisal.wrong_bits - surprisal.right_bits
        credit = 0.5 if abs(margin) <= TIE_BITS else float(margin > 0)
        result.setdefault(surprisal.model, {})[surprisal.item_id] = credit, margin
    return dict(result)


def credits_in(
    credits: Mapping[ItemKey, tuple[float | None, float | None]],
) -> dict[ItemKey, float]:
    """Item → credit, of the items that count."""
    return {item: credit for item, (credit, _) in credits.items() if credit is not None}


def margins_of(credits: Credits) -> dict[str, float]:
    """item_id → margin in bits, of the items that count: one that was left out (for a word that
    the model does not know) has a margin, too, but says nothing."""
    return {
        item: margin
        for item, (credit, margin) in credits.items()
        if credit is not None and margin is not None
    }


def ties_wrong(credits: Credits) -> Credits:
    """The same outcomes as the paper's scripts count them: right is strictly more probable."""
    return {
        item: (None if credit is None or margin is None else float(margin > TIE_BITS), margin)
        for item, (credit, margin) in credits.items()
    }


def averaged(
    runs: Sequence[Mapping[ItemKey, tuple[float | None, float | None]]],
) -> dict[ItemKey, tuple[float | None, float | None]]:
    """One rater from several seeds of one setting: the mean credit and margin of each item.

    The models are no sample to test over, so they are averaged before any test. An item that a run
    left out is left out.
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
        places = [
            place for place, row in enumerate(rows) if row.rater == model and row.construction
        ]
        adjusted = holm([rows[place].p for place in places])
        for place, p in zip(places, adjusted, strict=True):
            result[place] = replace(rows[place], p_holm=p)
    return tuple(result)
