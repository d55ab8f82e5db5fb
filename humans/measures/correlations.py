"""Whether a model is sure where people are: Spearman's rho with the margin, two ways.

The paper correlates right minus wrong answers, which mixes accuracy with the number of answers (an
item that more people judged scores higher); the share of right answers does not. Both are told.
"""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.measures.measure import (
    Cell,
    Evidence,
    Measure,
    constructions,
    totals,
)
from colorless_green.humans.rated import FEWEST_CORRELATED, TOO_FEW, margins_of
from colorless_green.humans.statistics import (
    FREE,
    PERMUTATIONS,
    SCHEMES,
    SOURCES,
    WITHIN,
    permutation_p,
    spearman,
    spearman_interval,
)

ANSWERS, SHARES = "ρ of right − wrong with margin", "ρ of accuracy with margin"
NO_VARIATION = "no variation"
PERMUTED = {
    FREE: "items permuted",
    WITHIN: "permuted within sources",
    SOURCES: "sources permuted",
}
FLOOR = 1 / (PERMUTATIONS + 1)


def of_model(evidence: Evidence, model: str) -> Iterator[Measure]:
    """A model's correlations: overall and by kind under every scheme of permutation, then by
    construction with items permuted freely."""
    credits = evidence.outcomes[model]
    margins = margins_of(credits)
    for cell in totals(evidence):
        yield from of_cell(cell, model, margins, tuple(SCHEMES))
    for cell in constructions(evidence):
        yield from of_cell(cell, model, margins, (FREE,))


def of_cell(
    cell: Cell, model: str, margins: Mapping[str, float], schemes: Sequence[str]
) -> Iterator[Measure]:
    """Both correlations over the answered items of `cell` that have a margin; a row for each of
    `schemes`, keys of `SCHEMES`, of the one that is tested."""
    own = [each for each in cell.tallies if each.item in margins]
    if not own:
        return
    if len(own) < FEWEST_CORRELATED:
        named = cell.kind, cell.construction, model
        yield Measure(ANSWERS, None, *named, n=len(own), note=TOO_FEW)
        return
    y = [margins[each.item] for each in own]
    sources = [each.source for each in own]
    answers = [2.0 * each.right - each.total for each in own]
    shares = [each.right / each.total for each in own]
    for statistic, x in ((ANSWERS, answers), (SHARES, shares)):
        rho = spearman(x, y)
        limits = spearman_interval(x, y, sources) if rho is not None else None
        # One p for both ways of counting would be two looks at one question: the paper's has it.
        tested = schemes if statistic == ANSWERS and rho is not None else ("",)
        for scheme in tested:
            p = permutation_p(x, y, sources, scheme=scheme) if scheme else None
            if scheme not in ("", FREE) and p is None:
                continue  # nothing to permute within sources of one item
            yield Measure(
                statistic,
                rho,
                cell.kind,
                cell.construction,
                model,
                n=len(own),
                low=limits.low if limits else None,
                high=limits.high if limits else None,
                p=p,
                note=NO_VARIATION if rho is None else _said(scheme, p),
            )


def _said(scheme: str, p: float | None) -> str:
    """How the values were permuted; the smallest p there is is told to be that."""
    if p is None:
        return ""
    return f"{PERMUTED[scheme]}{f', p ≤ {FLOOR:.4f}' if p <= FLOOR else ''}"
