"""How far people's judgments repeat: halves against halves, and person against person."""

from collections.abc import Iterator, Mapping

from colorless_green.humans.agreement import agreement_of
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.measure import Cell, Evidence, Measure, totals
from colorless_green.humans.rated import FEWEST_CORRELATED, margins_of
from colorless_green.humans.statistics import (
    Reliability,
    raters,
    spearman,
    spearman_interval,
    split_by_counts,
    split_by_people,
)
from colorless_green.nonce.intervals import Interval
from colorless_green.nonce.item import Item

BY_COUNTS = "each item's answers split, as if people were alike"
BY_PEOPLE = "people split"
CEILING, OF_CEILING = "noise ceiling", "ρ of accuracy / ceiling"
CODINGS = ("correct or wrong", "form chosen")


def reliability(evidence: Evidence) -> Iterator[Measure]:
    """Split-half, Spearman–Brown, noise ceiling, and how near each model comes to that."""
    for cell in totals(evidence):
        split = split_by_people(evidence.answers.only({each.item for each in cell.tallies}))
        rhos = dict(_correlated(evidence, cell))
        for found, note in ((split, BY_PEOPLE), (split_by_counts(cell.tallies), BY_COUNTS)):
            if found is not None:
                yield from _of(cell, found, note, rhos)


def _correlated(
    evidence: Evidence, cell: Cell
) -> Iterator[tuple[str, tuple[float, Interval | None]]]:
    """Each model with ρ of item accuracies with its margins, and the interval of that."""
    for model, credits in evidence.outcomes.items():
        margins = margins_of(credits)
        own = [each for each in cell.tallies if each.item in margins]
        if len(own) < FEWEST_CORRELATED:
            continue
        x, y = [each.right / each.total for each in own], [margins[each.item] for each in own]
        rho = spearman(x, y)
        if rho is not None:
            yield model, (rho, spearman_interval(x, y, [each.source for each in own]))


def _of(
    cell: Cell,
    found: Reliability,
    note: str,
    rhos: Mapping[str, tuple[float, Interval | None]],
) -> Iterator[Measure]:
    """Reliability of a cell; the interval of what a model reaches is that of its ρ, with the
    ceiling taken as it is."""
    n, ceiling = len(cell.tallies), found.ceiling
    yield Measure("split-half ρ", found.halves, cell.kind, n=n, note=note)
    yield Measure("Spearman–Brown", found.whole, cell.kind, n=n, note=note)
    undefined = "" if ceiling else ", not above 0"
    yield Measure(CEILING, ceiling, cell.kind, n=n, note=f"{note}{undefined}")
    for model, (rho, limits) in rhos.items() if ceiling else ():
        assert ceiling
        yield Measure(
            OF_CEILING,
            rho / ceiling,
            cell.kind,
            rater=model,
            n=n,
            low=limits.low / ceiling if limits else None,
            high=limits.high / ceiling if limits else None,
            note=note,
        )


def among_people(evidence: Evidence) -> Iterator[Measure]:
    """Majorities, and agreement beyond chance under two codings of the same answers."""
    for cell in totals(evidence):
        found = agreement_of(cell.tallies)
        if found is not None:
            ties = "tie" if found.n_ties == 1 else "ties"
            note = f"{found.n_right:,} right, {found.n_ties:,} {ties} counted as not right"
            yield Measure("majority right", found.majority, cell.kind, n=found.n_items, note=note)
        counts = {CODINGS[0]: _correctness(cell), CODINGS[1]: _forms(cell, evidence.items)}
        for coding, counted in counts.items():
            among = raters(counted)
            if among is None:
                continue
            for statistic, value in (
                ("Krippendorff's α", among.alpha),
                ("Fleiss' κ, generalised", among.kappa),
                ("pairwise agreement", among.pairwise),
            ):
                yield Measure(
                    statistic,
                    value,
                    cell.kind,
                    level=coding,
                    n=among.n_items,
                    note="no variation" if value is None else "",
                )


def _correctness(cell: Cell) -> list[tuple[int, int]]:
    return [(each.right, each.total - each.right) for each in cell.tallies]


def _forms(cell: Cell, items: Mapping[str, Item]) -> list[tuple[int, int]]:
    """Counts of the two values of the feature, as far as the items know which form has which; empty
    where the right forms have more than two values (the wrong form's is then not known)."""
    known = [(each, _value(items.get(each.item))) for each in cell.tallies]
    values = sorted({value for _, value in known if value})
    if len(values) != 2:
        return []
    return [_counted(each, value == values[0]) for each, value in known if value]


def _value(item: Item | None) -> str:
    return item.agreement.value if item is not None and item.agreement is not None else ""


def _counted(tally: Tally, first: bool) -> tuple[int, int]:
    wrong = tally.total - tally.right
    return (tally.right, wrong) if first else (wrong, tally.right)
