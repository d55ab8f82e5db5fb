"""Sections: how far people's judgments repeat, and a mixed model of single answers."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from colorless_green.humans.measures.correlations import (
    BY_COUNTS,
    BY_PEOPLE,
    CEILING,
    CODINGS,
    OF_CEILING,
    SHARES,
)
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.page.accuracies import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.parts import Section
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.tables import (
    NONE,
    THIN,
    Cell,
    Table,
    code,
    count,
    counted,
    decimal,
    p_cell,
    share,
    short,
    table,
)
from colorless_green.humans.statistics import SPLITS
from colorless_green.nonce.intervals import QUANTILE

HALVES, WHOLE = "split-half ρ", "Spearman–Brown"
ALPHA, KAPPA, PAIRWISE = "Krippendorff's α", "Fleiss' κ, generalised", "pairwise agreement"
MAJORITY = "majority right"
SPLIT = {BY_PEOPLE: "participants", BY_COUNTS: "each item's answers"}  # what is split, for a reader
COEFFICIENT, TEST = "coefficient", "χ² of a variable"
SPREAD, LIKELIHOOD = "standard deviation", "log-likelihood"
MOST = 1_000.0  # an odds ratio beyond this, or its inverse, is no number to be read


def reliability(material: Material, raters: Sequence[Rater]) -> Iterator[Section]:
    """How far judgments repeat, how near to that any model comes; nothing where nobody
    was asked."""
    found = material.people.measures
    if any(each.statistic == MAJORITY for each in found):
        yield Section(
            "reliability",
            "How far judgments repeat",
            tuple(_text(material)),
            tables=(
                *_halves(found),
                *_models(found, raters),
                *_majorities(found),
                *_agreement(found),
            ),
        )


def _text(material: Material) -> Iterator[str]:
    found = material.people.measures
    statistics = {each.statistic for each in found}
    by = {each.note for each in found if each.statistic == HALVES}
    if by:
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
    if PAIRWISE not in statistics:
        yield "No item has two answers, so nothing can be said of agreement among people."
        return
    yield (
        "α and κ say how far people agree beyond chance. Where nearly all answers are right,"
        " agreement by chance is high too, and both are low however much people agree: an easier"
        " set can have the lower α and κ. So the share of pairs of people that agree stands beside"
        " them."
    )
    if all(each.level == CODINGS[0] for each in found if each.statistic == PAIRWISE):
        yield (
            "They are told for answers as right or wrong alone: which of two values of a feature"
            " was chosen is not known of these items."
        )


def _split(ceiling: Measure) -> str:
    """What was split, of which a ceiling's note begins with the name."""
    return next(name for name in SPLIT if ceiling.note.startswith(name))


def _halves(found: Sequence[Measure]) -> Sequence[Table]:
    rows: dict[tuple[str, str], dict[str, Measure]] = {}
    for each in found:
        if each.statistic in (HALVES, WHOLE, CEILING) and not each.construction:
            rows.setdefault((each.kind, _split(each)), {})[each.statistic] = each

    def value(statistic: str, missing: str) -> Callable[[tuple[str, str]], Cell]:
        def cell(key: tuple[str, str]) -> Cell:
            each = rows[key].get(statistic)
            return decimal(each.value if each else None, 3, missing)

        return cell

    return table(
        "reliability-halves",
        "Split-half reliability of item accuracies",
        list(rows),
        {
            "sentences": lambda key: short(panel_name(key[0])),
            "what is split": lambda key: Cell(SPLIT[key[1]]),
            "items": lambda key: counted(rows[key][HALVES].n),
            "ρ of halves": value(HALVES, NONE),
            WHOLE: value(WHOLE, "undefined: ρ is −1"),
            CEILING: value(CEILING, "undefined: not above 0"),
        },
    )


def _models(found: Sequence[Measure], raters: Sequence[Rater]) -> Sequence[Table]:
    """A model's ρ with its interval beside the ceiling; their ratio only where it has an interval,
    since the ceiling is itself an estimate."""
    labels = {rater.name: rater.label for rater in raters}
    ratios = {
        (each.kind, each.note, each.rater): each
        for each in found
        if each.statistic == OF_CEILING and each.low is not None
    }
    rows = [
        (rho, ceiling)
        for rho in found
        if rho.statistic == SHARES and not rho.construction and rho.rater in labels
        for ceiling in found
        if ceiling.statistic == CEILING and ceiling.kind == rho.kind
    ]

    def with_limits(each: Measure | None, missing: str) -> Cell:
        if each is None or each.value is None:
            return Cell(missing, sort="number")
        ends = (decimal(end, 2).text for end in (each.low, each.high) if end is not None)
        return decimal(each.value, 3, below=" to ".join(ends))

    return table(
        "reliability-models",
        "Models beside the ceiling",
        rows,
        {
            "model": lambda row: Cell(labels[row[0].rater]),
            "sentences": lambda row: short(panel_name(row[0].kind)),
            "ρ with people": lambda row: with_limits(row[0], "no variation"),
            "what is split": lambda row: Cell(SPLIT[_split(row[1])]),
            CEILING: lambda row: decimal(row[1].value, 3, "undefined"),
            "ρ / ceiling": (
                lambda row: with_limits(
                    ratios.get((row[0].kind, _split(row[1]), row[0].rater)), "undefined"
                )
            )
            if ratios
            else None,
        },
        "ρ is Spearman's, of people's share of right answers with the model's margin in bits; below"
        f" it the 95{THIN}% interval. It can be expected to reach the ceiling, not 1.",
    )


def _majorities(found: Sequence[Measure]) -> Sequence[Table]:
    return table(
        "reliability-majority",
        "Items that most people judge right",
        [each for each in found if each.statistic == MAJORITY],
        {
            "sentences": lambda each: short(panel_name(each.kind)),
            "items": lambda each: counted(each.n),
            "majority right, %": lambda each: share(each.value),
            "how many": lambda each: Cell(each.note),
        },
    )


def _agreement(found: Sequence[Measure]) -> Sequence[Table]:
    rows: dict[tuple[str, str], dict[str, Measure]] = {}
    for each in found:
        if each.statistic in (PAIRWISE, ALPHA, KAPPA) and not each.construction:
            rows.setdefault((each.kind, each.level), {})[each.statistic] = each

    def value(own: Mapping[str, Measure], statistic: str) -> Cell:
        each = own.get(statistic)
        return decimal(each.value if each else None, 3, "undefined: one answer only")

    return table(
        "reliability-agreement",
        "Agreement among people",
        rows.items(),
        {
            "sentences": lambda row: short(panel_name(row[0][0])),
            "answers as": lambda row: Cell(row[0][1]),
            "items": lambda row: counted(row[1][PAIRWISE].n),
            "pairs that agree, %": lambda row: share(row[1][PAIRWISE].value),
            "α": lambda row: value(row[1], ALPHA),
            "κ": lambda row: value(row[1], KAPPA),
        },
        "α: Krippendorff's, nominal. κ: Fleiss', with each item's own number of answers."
        f" “{CODINGS[0]}” is the usual coding; “{CODINGS[1]}” takes the same answers by the value"
        " of the form that was chosen. Items with one answer are left out.",
    )


def mixed(material: Material) -> Iterator[Section]:
    """A mixed model of single answers, or why there is none."""
    said, found = material.people.said, material.people.measures
    if not said:
        return
    coefficients = [each for each in found if each.statistic == COEFFICIENT]
    what = (
        "an original with its variants" if material.suites is None else "an item, or a set of them"
    )
    about = (
        f"What makes an answer right, with people and sources ({what}) as what they are: a sample"
        " of those there could have been. An odds ratio above 1 makes a right answer likelier; one"
        " of 0.5 halves its odds."
    )
    yield Section(
        "mixed",
        "Mixed model of single answers",
        (*([about] if coefficients else []), *map(sentence, said)),
        tables=(
            *_fixed(coefficients),
            *table(
                "mixed-tests",
                "What each variable adds, alone and in interactions",
                [each for each in found if each.statistic == TEST],
                {
                    "variable": lambda each: Cell(each.level),
                    "χ²": lambda each: decimal(_finite(each.value), 2),
                    "p": lambda each: p_cell(_finite(each.p)),
                    "test": lambda each: Cell(each.note),
                },
            ),
            *table(
                "mixed-random",
                "Random effects and fit",
                [e for e in found if e.statistic in (SPREAD, LIKELIHOOD) and coefficients],
                {
                    "what": lambda each: Cell(
                        f"SD, {each.level}" if each.statistic == SPREAD else each.statistic
                    ),
                    "value": lambda e: decimal(_finite(e.value), 3 if e.statistic == SPREAD else 2),
                    "n": lambda each: counted(each.n),
                    "remarks": lambda each: Cell(each.note),
                },
                "SD: how far people, sources or items differ, in log-odds.",
            ),
        ),
    )


def sentence(said: str) -> str:
    """With a capital at its begin and a full stop at its end."""
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


def _fixed(coefficients: Sequence[Measure]) -> Sequence[Table]:
    def odds(each: Measure, side: int) -> Cell:
        """The exponential of log-odds; beyond `MOST` only that it is."""
        estimate, se = _finite(each.value), _finite(each.se)
        if estimate is None or (side and se is None):
            return Cell(NONE, sort="number")
        log_odds = estimate + side * QUANTILE * (se or 0.0)
        if abs(log_odds) > math.log(MOST):
            shown = f"> {count(MOST)}" if log_odds > 0 else f"< {1 / MOST:g}"
            value = math.exp(log_odds) if log_odds < 700 else None  # else no float holds it
            return Cell(shown, sort="number", value=value)
        value = math.exp(log_odds)
        return decimal(value, 2 if value >= 0.1 else 3)

    def z(each: Measure) -> Cell:
        estimate, se = _finite(each.value), _finite(each.se)
        return decimal(estimate / se if estimate is not None and se else None, 2)

    return table(
        "mixed-fixed",
        "Fixed effects",
        coefficients,
        {
            "term": lambda each: code(each.level),
            "log-odds": lambda each: decimal(_finite(each.value), 3),
            "s.e.": lambda each: decimal(_finite(each.se), 3),
            "z": z,
            "p": lambda each: p_cell(_finite(each.p)),
            "odds ratio": lambda each: odds(each, 0),
            f"95{THIN}% from": lambda each: odds(each, -1),
            "to": lambda each: odds(each, 1),
        },
        "s.e., z and p are Wald's, and so is the interval: the odds ratio of the estimate ±"
        f" {QUANTILE:.2f} s.e. The first row is the log-odds of a right answer where every factor"
        " has its first level and every number is 0, unless the coding says otherwise.",
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
