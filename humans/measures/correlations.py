"""Whether a model is sure where people are (Spearman's rho with the margin), how far people's
judgments repeat, and what of that a model reaches.

The paper correlates right minus wrong answers, which mixes accuracy with the number of answers (an
item that more people judged scores higher); the share of right answers does not. Both are told.
"""

from collections.abc import Iterator, Mapping, Sequence

from ...data.statistics.intervals import Interval
from ..judgments.judgment import Tally
from ..statistics.correlation import (
    FREE,
    PERMUTATIONS,
    SCHEMES,
    SOURCES,
    WITHIN,
    permutation_p,
    permutation_ps,
    spearman,
    spearman_interval,
)
from ..statistics.human_agreement import agreement_of
from ..statistics.people import raters, split_by_people
from ..statistics.rater_accuracy import FEWEST_CORRELATED, HUMANS, TOO_FEW, margins_of
from .measure import AnalysisData, Measure, Stratum, constructions, totals

ANSWERS, SHARES = "ρ of right − wrong with margin", "ρ of accuracy with margin"
NO_VARIATION = "no variation"
PERMUTED = {
    FREE: "items permuted",
    WITHIN: "permuted within sources",
    SOURCES: "sources permuted",
}
FLOOR = 1 / (PERMUTATIONS + 1)
BY_PEOPLE = "people split"
CEILING, OF_CEILING = "noise ceiling", "ρ of accuracy / ceiling"
CODINGS = ("correct or wrong", "form chosen")


def of_models(evidence: AnalysisData) -> Iterator[Measure]:
    """Each model's correlations: overall and by kind under every scheme of permutation, then by
    construction with items permuted freely."""
    margins = {model: margins_of(credits) for model, credits in evidence.outcomes.items()}
    strata = [(cell, tuple(SCHEMES)) for cell in totals(evidence)]
    strata += [(cell, (FREE,)) for cell in constructions(evidence)]
    tested = [_tested(cell, margins, schemes) for cell, schemes in strata]
    for model, its_margins in margins.items():
        for (cell, schemes), ps in zip(strata, tested, strict=True):
            yield from cell_correlations(cell, model, its_margins, schemes, ps)


def _tested(
    cell: Stratum, margins: Mapping[str, Mapping[str, float]], schemes: Sequence[str]
) -> dict[tuple[str, str], float | None]:
    """The p of each model and scheme of permutation; models with the same items are tested at
    once."""
    models_by_items: dict[tuple[str, ...], list[str]] = {}
    for model, of_model in margins.items():
        items = tuple(tally.item for tally in cell.tallies if tally.item in of_model)
        models_by_items.setdefault(items, []).append(model)
    ps: dict[tuple[str, str], float | None] = {}
    for items, models in models_by_items.items():
        if len(items) < FEWEST_CORRELATED:
            continue
        tallies = [tally for tally in cell.tallies if tally.item in margins[models[0]]]
        x, sources = _answers(tallies), [tally.source for tally in tallies]
        ys = [[margins[model][item] for item in items] for model in models]
        for scheme in schemes:
            p_values = permutation_ps(x, ys, sources, scheme=scheme)
            ps.update(zip([(model, scheme) for model in models], p_values, strict=True))
    return ps


def _answers(tallies: Sequence[Tally]) -> list[float]:
    return [2.0 * tally.right - tally.total for tally in tallies]


def cell_correlations(
    cell: Stratum,
    model: str,
    margins: Mapping[str, float],
    schemes: Sequence[str],
    ps: Mapping[tuple[str, str], float | None] | None = None,
) -> Iterator[Measure]:
    """Both correlations over the answered items of `cell` that have a margin; a row for each of
    `schemes`, keys of `SCHEMES`, of the one that is tested. `ps`: by model and scheme, where these
    tests are made already."""
    tallies = [tally for tally in cell.tallies if tally.item in margins]
    names = cell.kind, cell.construction, model
    if not tallies:
        return
    if len(tallies) < FEWEST_CORRELATED:
        yield Measure(ANSWERS, None, *names, n=len(tallies), note=TOO_FEW)
        return
    y = [margins[tally.item] for tally in tallies]
    sources = [tally.source for tally in tallies]
    answers = _answers(tallies)
    shares = [tally.share for tally in tallies]
    for statistic, x in ((ANSWERS, answers), (SHARES, shares)):
        rho = spearman(x, y)
        limits = spearman_interval(x, y, sources) if rho is not None else None
        # One p for both ways of counting would be two looks at one question: the paper's has it.
        tested = schemes if statistic == ANSWERS and rho is not None else ("",)
        for scheme in tested:
            if scheme and ps is not None:
                p = ps[model, scheme]
            else:
                p = permutation_p(x, y, sources, scheme=scheme) if scheme else None
            if scheme not in ("", FREE) and p is None:
                continue  # nothing to permute within sources of one item
            note = NO_VARIATION if rho is None else ""
            if p is not None:
                note = PERMUTED[scheme] + (f", p ≤ {FLOOR:.4f}" if p <= FLOOR else "")
            yield Measure(statistic, rho, *names, n=len(tallies), limits=limits, p=p, note=note)


def reliability(evidence: AnalysisData) -> Iterator[Measure]:
    """Yield split-half, Spearman–Brown, noise ceiling, and how near each model comes to that; the
    interval of what a model reaches is that of its ρ, with the ceiling taken as it is."""
    for cell in totals(evidence):
        split = split_by_people(evidence.answers.only({tally.item for tally in cell.tallies}))
        if split is None:
            continue
        rhos: dict[str, tuple[float, Interval | None]] = {}
        for model, credits in evidence.outcomes.items():
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


def among_people(evidence: AnalysisData) -> Iterator[Measure]:
    """Majorities, and agreement beyond chance under two codings of the same answers."""
    for cell in totals(evidence):
        agreement = agreement_of(cell.tallies)
        if agreement is not None:
            ties = "tie" if agreement.n_ties == 1 else "ties"
            note = f"{agreement.n_right:,} right, {agreement.n_ties:,} {ties} counted as not right"
            yield Measure(
                "majority right", agreement.majority, cell.kind, n=agreement.n_items, note=note
            )
        correctness = [(tally.right, tally.total - tally.right) for tally in cell.tallies]
        for coding, counts in zip(CODINGS, (correctness, _forms(evidence, cell)), strict=True):
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


def _forms(evidence: AnalysisData, cell: Stratum) -> list[tuple[int, int]]:
    """Counts of the two values of the feature, as far as the items know which form has which; empty
    where the right forms have more than two values (the wrong form's is then not known)."""
    rows = []
    for tally in cell.tallies:
        item = evidence.items.get(tally.item)
        if item is not None and item.agreement is not None and item.agreement.value:
            rows.append((item.agreement.value, tally.right, tally.total - tally.right))
    values = sorted({value for value, _, _ in rows})
    if len(values) != 2:
        return []
    return [(r, w) if value == values[0] else (w, r) for value, r, w in rows]
