"""Section: how far people's judgments repeat, and how near to that any model comes."""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.measures.correlations import SHARES
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.repeatability import (
    BY_COUNTS,
    BY_PEOPLE,
    CEILING,
    CODINGS,
    OF_CEILING,
)
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, count, percent, signed
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.statistics import SPLITS

HALVES, WHOLE = "split-half ρ", "Spearman–Brown"
ALPHA, KAPPA, PAIRWISE = "Krippendorff's α", "Fleiss' κ, generalised", "pairwise agreement"
MAJORITY = "majority right"
SPLIT = {BY_PEOPLE: "participants", BY_COUNTS: "each item's answers"}  # what is split, for a reader
MAIN, OTHER = CODINGS
CAUTION = (
    "α and κ say how far people agree beyond chance, and chance is taken from how often each"
    " answer was given. Where nearly all answers are right, agreement by chance is high too, and"
    " both are low however much people agree: an easier set can have the lower α and κ. So the"
    " share of pairs of people that agree stands beside them."
)


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nobody was asked."""
    found = material.people.measures
    if not any(each.statistic == MAJORITY for each in found):
        return None
    tables = (
        _halves(found),
        _models(found, raters),
        _majorities(found),
        _agreement(found),
    )
    return Section(
        name="reliability",
        title="How far judgments repeat",
        text=tuple(_text(material)),
        tables=tuple(each for each in tables if each is not None),
    )


def _text(material: Material) -> Iterator[str]:
    found = material.people.measures
    statistics = {each.statistic for each in found}
    by = {each.note for each in found if each.statistic == HALVES}
    if HALVES in statistics:
        yield (
            f"Half of the judgments is set against the other half, {SPLITS:,} times. Spearman's ρ"
            " between the halves' accuracies of items says how well they repeat; Spearman and"
            " Brown's formula takes it to all judgments, and its root is the noise ceiling: how"
            " well a model that knew the truth would correlate with these judgments."
        )
    else:
        yield (
            "There is no split-half reliability: it needs two items with two answers each, and"
            " halves that vary in most splits."
        )
    if by and BY_PEOPLE not in by:
        yield (
            "Only totals are known, so it is each item's answers that are split, as if people were"
            " alike."
            if not material.people.answers.counted
            else "People could not be split: there are fewer than two, or their halves do not vary."
        )
    if PAIRWISE in statistics:
        yield CAUTION
        if all(each.level == MAIN for each in found if each.statistic == PAIRWISE):
            yield (
                "They are told for answers as right or wrong alone: which of two values of a"
                " feature was chosen is not known of these items."
            )
    else:
        yield "No item has two answers, so nothing can be said of agreement among people."


def _halves(found: Sequence[Measure]) -> Table | None:
    rows = _by_cell(found, (HALVES, WHOLE, CEILING))
    if not rows:
        return None
    return Table(
        name="reliability-halves",
        title="Split-half reliability of item accuracies",
        columns=(
            heading("sentences"),
            heading("what is split"),
            heading("items", "number"),
            heading("ρ of halves", "number"),
            heading(WHOLE, "number"),
            heading(CEILING, "number"),
        ),
        rows=tuple(
            (
                Cell(panel_name(kind), sort="short"),
                Cell(SPLIT[note]),
                _count(own[HALVES].n),
                _value(own.get(HALVES)),
                _value(own.get(WHOLE), "undefined: ρ is −1"),
                _value(own.get(CEILING), "undefined: not above 0"),
            )
            for (kind, note), own in rows.items()
        ),
    )


def _models(found: Sequence[Measure], raters: Sequence[Rater]) -> Table | None:
    """A model's rho and what it is of the ceiling, one row each; a ceiling that is undefined gives
    a row that says so."""
    labels = {rater.name: rater.label for rater in raters}
    rhos = [
        each
        for each in found
        if each.statistic == SHARES and not each.construction and each.rater in labels
    ]
    ceilings = [each for each in found if each.statistic == CEILING]
    ratios = {
        (each.kind, each.note, each.rater): each for each in found if each.statistic == OF_CEILING
    }
    rows = tuple(
        (
            Cell(labels[rho.rater]),
            Cell(panel_name(rho.kind), sort="short"),
            _value(rho, "no variation"),
            Cell(SPLIT[_split(ceiling)]),
            _value(ceiling, "undefined"),
            _value(
                ratios.get((rho.kind, _split(ceiling), rho.rater)),
                "undefined: no ρ" if rho.value is None else "undefined: no ceiling",
            ),
        )
        for rho in rhos
        for ceiling in ceilings
        if ceiling.kind == rho.kind
    )
    if not rows:
        return None
    return Table(
        name="reliability-models",
        title="Models against the ceiling",
        columns=(
            heading("model"),
            heading("sentences"),
            heading("ρ with people", "number"),
            heading("what is split"),
            heading(CEILING, "number"),
            heading("ρ / ceiling", "number"),
        ),
        rows=rows,
        note=(
            "ρ is Spearman's, of people's share of right answers with the model's margin in bits."
            " Its share of the ceiling stands beside it and does not replace it."
        ),
    )


def _split(ceiling: Measure) -> str:
    """The note of a ceiling less what it says of its value."""
    return next(name for name in SPLIT if ceiling.note.startswith(name))


def _majorities(found: Sequence[Measure]) -> Table:
    return Table(
        name="reliability-majority",
        title="Items that most people judge right",
        columns=(
            heading("sentences"),
            heading("items", "number"),
            heading("majority right, %", "number"),
            heading("how many"),
        ),
        rows=tuple(
            (
                Cell(panel_name(each.kind), sort="short"),
                _count(each.n),
                Cell(percent(each.value), sort="number", value=_hundred(each.value)),
                Cell(each.note),
            )
            for each in found
            if each.statistic == MAJORITY
        ),
    )


def _agreement(found: Sequence[Measure]) -> Table | None:
    rows = _by_cell(found, (PAIRWISE, ALPHA, KAPPA), by_level=True)
    if not rows:
        return None
    return Table(
        name="reliability-agreement",
        title="Agreement among people",
        columns=(
            heading("sentences"),
            heading("answers as"),
            heading("items", "number"),
            heading("pairs that agree, %", "number"),
            heading("α", "number"),
            heading("κ", "number"),
        ),
        rows=tuple(
            (
                Cell(panel_name(kind), sort="short"),
                Cell(level),
                _count(own[PAIRWISE].n),
                Cell(
                    percent(own[PAIRWISE].value),
                    sort="number",
                    value=_hundred(own[PAIRWISE].value),
                ),
                _value(own.get(ALPHA), "undefined: one answer only"),
                _value(own.get(KAPPA), "undefined: one answer only"),
            )
            for (kind, level), own in rows.items()
        ),
        note=(
            "α: Krippendorff's, nominal. κ: Fleiss', with each item's own number of answers."
            f" “{MAIN}” is the usual coding; “{OTHER}” takes the same answers by the value of the"
            " form that was chosen. Items with one answer are left out."
        ),
    )


def _by_cell(
    found: Sequence[Measure], statistics: Sequence[str], *, by_level: bool = False
) -> Mapping[tuple[str, str], dict[str, Measure]]:
    """People's measures by kind and by how they were split (or what they are coded as), in the
    order they came."""
    result: dict[tuple[str, str], dict[str, Measure]] = {}
    for each in found:
        if each.statistic in statistics and not each.construction:
            second = each.level if by_level else _split(each)
            result.setdefault((each.kind, second), {})[each.statistic] = each
    return result


def _value(measure: Measure | None, missing: str = NONE) -> Cell:
    if measure is None or measure.value is None:
        return Cell(missing, sort="number")
    return Cell(signed(measure.value, 3).removeprefix("+"), sort="number", value=measure.value)


def _count(n: int | None) -> Cell:
    return Cell(count(n), sort="number", value=n)


def _hundred(share: float | None) -> float | None:
    return None if share is None else 100 * share
