"""Correlations of people with models: is a model sure where people are (Spearman's rho with the
margin), how far people's judgments repeat, and what of that a model reaches; and how far people
agree.

The paper correlates right minus wrong answers, which mixes accuracy with the number of answers (an
item that more people judged scores higher); the share of right answers does not. Both are told.

A majority is right more often the more people it is of. That of q drawn from an item's n answers is
right in a share that the hypergeometric distribution gives, so that items and studies with other
numbers of people can be compared (ties half; an even q is worth q − 1).
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
from ..statistics.people import raters, split_by_people
from ..statistics.rater_accuracy import FEWEST_CORRELATED, HUMANS, TOO_FEW, margins_of
from . import Measure, Stratum, totals

ANSWERS, SHARES = "ρ of right − wrong with margin", "ρ of accuracy with margin"
NO_VARIATION = "no variation"
BY_T = "t of as many items as the clusters are worth"
WITHIN = "permuted within sources"
FLOOR = 1 / (PERMUTATIONS + 1)
BY_PEOPLE = "people split"
CEILING, OF_CEILING = "noise ceiling", "ρ of accuracy / ceiling"
CODINGS = ("correct or wrong", "form chosen")
MAJORITY_OF = "majority of {} right, ties half"
DRAWN = (3, 5)  # people


def of_models(results: SuiteResults) -> Iterator[Measure]:
    """Yield each model's correlations by kind, with a test within sources, too."""
    margins = {model: margins_of(credits) for model, credits in results.matched.items()}
    cells = list(totals(results))
    tested = [_within(cell, margins) for cell in cells]
    for model, of_model in margins.items():
        for cell, ps in zip(cells, tested, strict=True):
            yield from cell_correlations(cell, model, of_model, within=ps.get(model))


def _within(cell: Stratum, margins: Mapping[str, Mapping[str, float]]) -> dict[str, float | None]:
    """Return the p within sources of each model; models with the same items are tested at once."""
    models_by_items: dict[tuple[str, ...], list[str]] = {}
    for model, of_model in margins.items():
        items = tuple(tally.item for tally in cell.tallies if tally.item in of_model)
        models_by_items.setdefault(items, []).append(model)
    ps: dict[str, float | None] = {}
    for items, models in models_by_items.items():
        if len(items) >= FEWEST_CORRELATED:
            tallies = [tally for tally in cell.tallies if tally.item in margins[models[0]]]
            x, sources = map(_answers, tallies), [tally.source for tally in tallies]
            ys = [[margins[model][item] for item in items] for model in models]
            ps.update(zip(models, within_ps(list(x), ys, sources), strict=True))
    return ps


def _answers(tally: Tally) -> float:
    return 2.0 * tally.right - tally.total


def cell_correlations(
    cell: Stratum, model: str, margins: Mapping[str, float], *, within: float | None = None
) -> Iterator[Measure]:
    """Yield both correlations over the answered items of `cell` that have a margin. That of the
    paper is tested: p for both ways of counting would be two looks at one question.

    Args:
        cell: the items.
        model: its name.
        margins: its margins by item.
        within: p within sources, which has a row of its own.
    """
    tallies = [tally for tally in cell.tallies if tally.item in margins]
    names = cell.kind, "", model
    if not tallies:
        return
    n = len(tallies)
    if n < FEWEST_CORRELATED:
        yield Measure(ANSWERS, None, *names, n=n, note=TOO_FEW)
        return
    y = [margins[tally.item] for tally in tallies]
    sources = [tally.source for tally in tallies]
    for statistic, count in ((ANSWERS, _answers), (SHARES, lambda tally: tally.share)):
        x = list(map(count, tallies))
        rho = spearman(x, y)
        if rho is None:
            yield Measure(statistic, None, *names, n=n, note=NO_VARIATION)
            continue
        limits = spearman_interval(x, y, sources)
        p = spearman_p(x, y, sources) if statistic == ANSWERS else None
        note = BY_T if p is not None else ""
        yield Measure(statistic, rho, *names, n=n, limits=limits, p=p, note=note)
        if statistic == ANSWERS and within is not None:
            note = WITHIN + (f", p ≤ {FLOOR:.4f}" if within <= FLOOR else "")
            yield Measure(statistic, rho, *names, n=n, p=within, note=note)


def reliability(results: SuiteResults) -> Iterator[Measure]:
    """Yield split-half, Spearman–Brown, noise ceiling, and how near each model comes to that; the
    interval of what a model reaches is that of its ρ, with the ceiling taken as it is."""
    for cell in totals(results):
        split = split_by_people(results.answers.only({tally.item for tally in cell.tallies}))
        if split is None:
            continue
        rhos: dict[str, tuple[float, Interval | None]] = {}
        for model, credits in results.matched.items():
            margins = margins_of(credits)
            tallies = [tally for tally in cell.tallies if tally.item in margins]
            x, y = [tally.share for tally in tallies], [margins[tally.item] for tally in tallies]
            rho = spearman(x, y) if len(tallies) >= FEWEST_CORRELATED else None
            if rho is not None:
                rhos[model] = rho, spearman_interval(x, y, [tally.source for tally in tallies])
        n = len(cell.tallies)
        yield Measure("split-half ρ", split.halves, cell.kind, n=n, note=BY_PEOPLE)
        yield Measure("Spearman–Brown", split.corrected, cell.kind, n=n, note=BY_PEOPLE)
        undefined = "" if split.ceiling else ", not above 0"
        yield Measure(CEILING, split.ceiling, cell.kind, n=n, note=f"{BY_PEOPLE}{undefined}")
        for model, (rho, limits) in rhos.items():
            if (top := split.ceiling) is None:
                break
            part = Interval(limits.low / top, limits.high / top) if limits else None
            yield Measure(
                OF_CEILING, rho / top, cell.kind, "", model, n=n, limits=part, note=BY_PEOPLE
            )


def among_people(results: SuiteResults) -> Iterator[Measure]:
    """Yield majorities, and agreement beyond chance under two codings of the same answers."""
    for cell in totals(results):
        agreement = agreement_of(cell.tallies)
        if agreement is not None and any(tally.total > 1 for tally in cell.tallies):
            ties = counted(agreement.n_ties, "tie")
            note = f"{agreement.n_right:,} right, {ties} counted as not right"
            yield Measure(
                "majority right", agreement.majority, cell.kind, n=agreement.n_items, note=note
            )
        correctness = [(tally.right, tally.total - tally.right) for tally in cell.tallies]
        for coding, counts in zip(CODINGS, (correctness, _forms(results, cell)), strict=True):
            among = raters(counts)
            if among is None:
                continue
            for statistic, value in (
                ("Krippendorff's α", among.alpha),
                ("pairwise agreement", among.pairwise),
            ):
                note = NO_VARIATION if value is None else ""
                names = cell.kind, "", HUMANS, coding
                yield Measure(statistic, value, *names, among.n_items, note=note)


def _forms(results: SuiteResults, cell: Stratum) -> list[tuple[int, int]]:
    """Return counts of the two values of the feature, as far as the items know which form has
    which; empty where the right forms have more than two values (the wrong form's is then not
    known)."""
    rows = []
    for tally in cell.tallies:
        item = results.items.get(tally.item)
        if item is not None and item.agreement is not None and item.agreement.value:
            rows.append((item.agreement.value, tally.right, tally.total - tally.right))
    values = sorted({value for value, _, _ in rows})
    if len(values) != 2:
        return []
    return [(r, w) if value == values[0] else (w, r) for value, r, w in rows]


def majorities_of_few(results: SuiteResults) -> Iterator[Measure]:
    """Yield the shares of majorities of few people that are right, by kind, where every item has so
    many answers."""
    for cell in totals(results):
        fewest = min(tally.total for tally in cell.tallies)
        for q in (q for q in DRAWN if q <= fewest):
            statistic, note = MAJORITY_OF.format(q), f"drawn from {fewest} or more"
            share = majority_of(cell.tallies, q)
            yield Measure(statistic, share, cell.kind, n=len(cell.tallies), note=note)


def majority_of(tallies: Sequence[Tally], q: int) -> float:
    """Return the share of items of which most of q people are right, ties half, the q drawn from
    those who answered.

    Args:
        tallies: each with a total of q or more.
        q: how many people.

    >>> majority_of([Tally("i1", "s1", "", "nonce", right=2, total=4)], 3)
    0.5
    """
    return math.fsum(_majority_of(tally.right, tally.total, q) for tally in tallies) / len(tallies)


def _majority_of(right: int, total: int, q: int) -> float:
    ways = math.comb(total, q)
    counts = ((k, math.comb(right, k) * math.comb(total - right, q - k)) for k in range(q + 1))
    return sum(n * ((2 * k > q) + (2 * k == q) / 2) for k, n in counts) / ways
