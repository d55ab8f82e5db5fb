"""Sections: how far people's judgments repeat, and a mixed model of single answers."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from colorless_green.humans.measures.correlations import (
    BY_COUNTS,
    BY_PEOPLE,
    CEILING,
    CODINGS,
    OF_CEILING,
    SHARES,
)
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.parts import (
    NO_NUMBER,
    NONE,
    THIN,
    Cell,
    Rater,
    Section,
    Table,
    count,
    counted,
    decimal,
    p_cell,
    panel_name,
    share,
    short,
    table,
)
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
        by = {each.note for each in found if each.statistic == HALVES}
        codings = {each.level for each in found if each.statistic == PAIRWISE}
        yield Section(
            "reliability",
            "How far judgments repeat",
            {
                "by": by,
                "by_people": BY_PEOPLE in by,
                "codings": codings,
                "first_coding": {CODINGS[0]},
            },
            tables=(
                *_halves(found),
                *_models(found, raters),
                *_agreement(found),
            ),
        )


def _pivot(
    found: Sequence[Measure], statistics: Collection[str], key: Callable[[Measure], str]
) -> dict[tuple[str, str], dict[str, Measure]]:
    """(kind, key) → statistic → measure, of those over all constructions."""
    rows: dict[tuple[str, str], dict[str, Measure]] = {}
    for each in found:
        if each.statistic in statistics and not each.construction:
            rows.setdefault((each.kind, key(each)), {})[each.statistic] = each
    return rows


def _value(statistic: str, missing: str) -> Callable[[tuple[Any, Mapping[str, Measure]]], Cell]:
    """A column of what `_pivot` gives."""
    return lambda row: decimal(row[1][statistic].value if statistic in row[1] else None, 3, missing)


def _split(ceiling: Measure) -> str:
    """What was split, of which a ceiling's note begins with the name."""
    return next(name for name in SPLIT if ceiling.note.startswith(name))


def _halves(found: Sequence[Measure]) -> Sequence[Table]:
    return table(
        "reliability-halves",
        "Split-half reliability of item accuracies",
        _pivot(found, (HALVES, WHOLE, CEILING), _split).items(),
        {
            "sentences": lambda row: short(panel_name(row[0][0])),
            "what is split": lambda row: Cell(SPLIT[row[0][1]]),
            "items": lambda row: counted(row[1][HALVES].n),
            "ρ of halves": _value(HALVES, NONE),
            WHOLE: _value(WHOLE, "undefined: ρ is −1"),
            CEILING: _value(CEILING, "undefined: not above 0"),
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
        (rho, ceiling, ratios.get((rho.kind, _split(ceiling), rho.rater)))
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
            "ρ / ceiling": (lambda row: with_limits(row[2], "undefined")) if ratios else None,
        },
        "ρ is Spearman's, of people's share of right answers with the model's margin in bits; below"
        f" it the 95{THIN}% interval. It can be expected to reach the ceiling, not 1.",
    )


def _agreement(found: Sequence[Measure]) -> Iterator[Table]:
    yield from table(
        "reliability-majority",
        "Items that most people judge right",
        [each for each in found if each.statistic == MAJORITY],
        {
            "sentences": "kind panel",
            "items": "n count",
            "majority right, %": "value share",
            "how many": "note",
        },
    )
    undefined = "undefined: one answer only"
    yield from table(
        "reliability-agreement",
        "Agreement among people",
        _pivot(found, (PAIRWISE, ALPHA, KAPPA), lambda each: each.level).items(),
        {
            "sentences": lambda row: short(panel_name(row[0][0])),
            "answers as": lambda row: Cell(row[0][1]),
            "items": lambda row: counted(row[1][PAIRWISE].n),
            "pairs that agree, %": lambda row: share(row[1][PAIRWISE].value),
            "α": _value(ALPHA, undefined),
            "κ": _value(KAPPA, undefined),
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
    yield Section(
        "mixed",
        "Mixed model of single answers",
        {"fitted": bool(coefficients), "said": said},
        tables=(
            *_fixed(coefficients),
            *table(
                "mixed-tests",
                "What each variable adds, alone and in interactions",
                [each for each in found if each.statistic == TEST],
                {
                    "variable": "level",
                    "χ²": lambda each: decimal(_finite(each.value), 2),
                    "p": lambda each: p_cell(_finite(each.p)),
                    "test": "note",
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
                    "n": "n count",
                    "remarks": "note",
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
            return NO_NUMBER
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
            "term": "level code",
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
