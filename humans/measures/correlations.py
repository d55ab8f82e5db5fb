"""Correlations of people's judgments with models' margins, and people's agreement with each other.

Spearman's rho over items tells if a model is sure where people are. People's split-half reliability
gives the noise ceiling, which is the highest rho that a model can reach.

Gulordava et al. 2018 correlate the number of right minus wrong answers. That mixes accuracy with
the number of answers, since an item that more people judged scores higher; the share of right
answers does not. We report both.

A majority of more people is right more often. To compare items and studies with different numbers
of people, we compute how often the majority of q people is right, if these are drawn from the n who
answered (by the hypergeometric distribution; a tie counts half; an even q is worth q − 1).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from ...data.registry import counted
from ...data.statistics.intervals import Interval
from ...data.statistics.rank_correlation import (
    PERMUTATIONS,
    spearman,
    spearman_interval,
    spearman_p,
    within_ps,
)
from ..collection.collect import SuiteResults
from ..judgments.judgment import Tally
from ..statistics.accuracy_estimates import agreement_of
from ..statistics.people import rater_agreement, split_by_people
from ..statistics.rater_accuracy import MIN_CORRELATED_ITEMS, TOO_FEW, margins_of
from . import Measure, tallies_by_kind

ANSWERS, SHARES = "ρ of right − wrong with margin", "ρ of accuracy with margin"
NO_VARIATION = "no variation"
BY_T = "t of as many items as the clusters are worth"
WITHIN = "permuted within sources"
LOWEST_P = 1 / (PERMUTATIONS + 1)  # lowest p that the permutation test can give
BY_PEOPLE = "people split"
CEILING, OF_CEILING = "noise ceiling", "ρ of accuracy / ceiling"
CODINGS = ("correct or wrong", "form chosen")
MAJORITY_OF = "majority of {} right, ties half"
MAJORITY_SIZES = (3, 5)  # numbers of people whose majority is computed


def margin_correlations(results: SuiteResults) -> Iterator[Measure]:
    """Yield the correlations of each model's margins with people's answers, for each kind of
    item."""
    margins = {model: margins_of(credits) for model, credits in results.matched.items()}
    by_kind = tallies_by_kind(results)
    p_values = {kind: _p_within_sources(tallies, margins) for kind, tallies in by_kind.items()}
    for model, model_margins in margins.items():
        for kind, tallies in by_kind.items():
            within = p_values[kind].get(model)
            yield from cell_correlations(kind, tallies, model, model_margins, within=within)


def _p_within_sources(
    answered: Sequence[Tally], margins: Mapping[str, Mapping[str, float]]
) -> dict[str, float | None]:
    """Test each model's correlation with people by permuting items within sources (original
    sentences), and return model → p. A model with too few items is left out.

    `margins` is model → item id → margin. Models with the same items are tested together.
    """
    models_by_items: dict[tuple[str, ...], list[str]] = {}
    for model, model_margins in margins.items():
        items = tuple(tally.item for tally in answered if tally.item in model_margins)
        models_by_items.setdefault(items, []).append(model)
    p_of: dict[str, float | None] = {}
    for items, models in models_by_items.items():
        if len(items) >= MIN_CORRELATED_ITEMS:
            any_model, *_ = models  # all of them have the same items
            tallies = [tally for tally in answered if tally.item in margins[any_model]]
            x, sources = map(_right_minus_wrong, tallies), [tally.source for tally in tallies]
            ys = [[margins[model][item] for item in items] for model in models]
            p_of.update(zip(models, within_ps(list(x), ys, sources), strict=True))
    return p_of


def _right_minus_wrong(tally: Tally) -> float:
    """Return the number of right answers to an item minus the number of wrong ones."""
    return 2.0 * tally.right - tally.total


def cell_correlations(
    kind: str, answered: Sequence[Tally], model: str, margins: Mapping[str, float],
    *, within: float | None = None,
) -> Iterator[Measure]:  # fmt: skip
    """Yield Spearman's rho of a model's margins with people's right minus wrong answers, and with
    their share of right answers.

    Only the first has a p, since both ask the same question. It comes with a second measure if
    there is a p from permuting within sources.

    Args:
        kind: the kind of the items.
        answered: people's answers to each item.
        model: the model's name.
        margins: item id → the model's margin in bits; items without a margin are left out.
        within: p of the permutation test within sources, if it was made.
    """
    tallies = [tally for tally in answered if tally.item in margins]
    names = kind, "", model  # kind, construction (all of them), rater
    if not tallies:
        return
    n = len(tallies)
    if n < MIN_CORRELATED_ITEMS:
        yield Measure(ANSWERS, None, *names, n=n, note=TOO_FEW)
        return
    y = [margins[tally.item] for tally in tallies]
    sources = [tally.source for tally in tallies]
    for statistic, score in ((ANSWERS, _right_minus_wrong), (SHARES, lambda tally: tally.share)):
        x = list(map(score, tallies))
        rho = spearman(x, y)
        if rho is None:
            yield Measure(statistic, None, *names, n=n, note=NO_VARIATION)
            continue
        limits = spearman_interval(x, y, sources)
        p = spearman_p(x, y, sources) if statistic == ANSWERS else None
        note = BY_T if p is not None else ""
        yield Measure(statistic, rho, *names, n=n, limits=limits, p=p, note=note)
        if statistic == ANSWERS and within is not None:
            note = WITHIN + (f", p ≤ {LOWEST_P:.4f}" if within <= LOWEST_P else "")
            yield Measure(statistic, rho, *names, n=n, p=within, note=note)


def reliability(results: SuiteResults) -> Iterator[Measure]:
    """Yield people's reliability on each kind of item, and each model's ρ divided by the noise
    ceiling.

    Reliability is the split-half correlation, the Spearman–Brown estimate and the noise ceiling.
    The interval of a model's quotient treats the ceiling as exact.
    """
    for kind, answered in tallies_by_kind(results).items():
        split = split_by_people(results.answers.only({tally.item for tally in answered}))
        if split is None:
            continue
        n, ceiling = len(answered), split.ceiling
        yield Measure("split-half ρ", split.halves, kind, n=n, note=BY_PEOPLE)
        yield Measure("Spearman–Brown", split.corrected, kind, n=n, note=BY_PEOPLE)
        undefined = "" if ceiling else ", not above 0"
        yield Measure(CEILING, ceiling, kind, n=n, note=f"{BY_PEOPLE}{undefined}")
        if ceiling is None:
            continue
        for model, credits in results.matched.items():
            margins = margins_of(credits)
            tallies = [tally for tally in answered if tally.item in margins]
            x, y = [tally.share for tally in tallies], [margins[tally.item] for tally in tallies]
            rho = spearman(x, y) if len(tallies) >= MIN_CORRELATED_ITEMS else None
            if rho is None:
                continue
            limits = spearman_interval(x, y, [tally.source for tally in tallies])
            scaled = Interval(limits.low / ceiling, limits.high / ceiling) if limits else None
            names, share = (kind, "", model), rho / ceiling
            yield Measure(OF_CEILING, share, *names, n=n, limits=scaled, note=BY_PEOPLE)


def people_agreement(results: SuiteResults) -> Iterator[Measure]:
    """Yield for each kind of item the share of items that most people get right, and people's
    agreement (Krippendorff's α and pairwise).

    Agreement is computed twice from the same answers: as right or wrong, and as the value of the
    form chosen (singular or plural).
    """
    for kind, tallies in tallies_by_kind(results).items():
        agreement = agreement_of(tallies)
        if agreement is not None and any(tally.total > 1 for tally in tallies):
            n, ties = agreement.n_items, counted(agreement.n_ties, "tie")
            note = f"{agreement.n_right:,} right, {ties} counted as not right"
            yield Measure("majority right", agreement.majority, kind, n=n, note=note)
        correctness = [(tally.right, tally.total - tally.right) for tally in tallies]
        values = _value_counts(results, tallies)
        for coding, counts in zip(CODINGS, (correctness, values), strict=True):
            among_people = rater_agreement(counts)
            if among_people is None:
                continue
            for statistic, value in (
                ("Krippendorff's α", among_people.alpha),
                ("pairwise agreement", among_people.pairwise),
            ):
                note = NO_VARIATION if value is None else ""
                n = among_people.n_items
                yield Measure(statistic, value, kind, level=coding, n=n, note=note)


def _value_counts(results: SuiteResults, tallies: Sequence[Tally]) -> list[tuple[int, int]]:
    """Count for each item how many people chose each of the two values of the agreement feature.

    Items without a value are left out. The result is empty unless the right forms have exactly two
    values, since the value of a wrong form is then unknown.
    """
    rows = []
    for tally in tallies:
        item = results.items.get(tally.item)
        if item is not None and item.agreement is not None and item.agreement.value:
            rows.append((item.agreement.value, tally.right, tally.total - tally.right))
    values = sorted({value for value, _, _ in rows})
    if len(values) != 2:
        return []
    first_value, _ = values
    return [
        (n_right, n_wrong) if value == first_value else (n_wrong, n_right)
        for value, n_right, n_wrong in rows
    ]


def majorities_of_few(results: SuiteResults) -> Iterator[Measure]:
    """Yield for each kind of item how often the majority of 3 and of 5 people is right, if every
    item has that many answers."""
    for kind, tallies in tallies_by_kind(results).items():
        fewest = min(tally.total for tally in tallies)
        for size in (size for size in MAJORITY_SIZES if size <= fewest):
            statistic, note = MAJORITY_OF.format(size), f"drawn from {fewest} or more"
            share = majority_of(tallies, size)
            yield Measure(statistic, share, kind, n=len(tallies), note=note)


def majority_of(tallies: Sequence[Tally], q: int) -> float:
    """Compute the expected share of items that most of q people get right, if the q are drawn from
    those who answered; a tie counts half.

    Args:
        tallies: people's answers to each item, at least q per item.
        q: number of people drawn.

    >>> majority_of([Tally("i1", "s1", "", "nonce", right=2, total=4)], 3)
    0.5
    """
    return math.fsum(_p_majority(tally.right, tally.total, q) for tally in tallies) / len(tallies)


def _p_majority(right: int, total: int, q: int) -> float:
    """Compute the probability that most of q answers are right, if they are drawn from `total`
    answers to an item of which `right` are right; a tie counts half."""
    n_won = 0.0  # draws with a majority of right answers
    for n_right in range(q + 1):
        n_draws = math.comb(right, n_right) * math.comb(total - right, q - n_right)
        n_won += n_draws * (1.0 if 2 * n_right > q else 0.5 if 2 * n_right == q else 0.0)
    return n_won / math.comb(total, q)
