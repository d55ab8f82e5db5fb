"""Section: a mixed model of single answers, or why there is none."""

import math
from collections.abc import Sequence

from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, THIN, count, p_value, signed
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.nonce.intervals import QUANTILE

COEFFICIENT, TEST = "coefficient", "χ² of a variable"
SPREAD, LIKELIHOOD = "standard deviation", "log-likelihood"
MOST = 1_000.0  # an odds ratio beyond this, or its inverse, is no number to be read


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nothing is said of a mixed model: nobody was asked."""
    said, found = material.people.said, material.people.measures
    if not said:
        return None
    coefficients = [each for each in found if each.statistic == COEFFICIENT]
    tables: list[Table] = []
    if coefficients:
        tables.append(_fixed(coefficients))
        tables += _tests([each for each in found if each.statistic == TEST])
        tables.append(_random([each for each in found if each.statistic in (SPREAD, LIKELIHOOD)]))
    what = (
        "an original with its variants" if material.suites is None else "an item, or a set of them"
    )
    about = (
        f"What makes an answer right, with people and sources ({what}) as what they are: a sample"
        " of those there could have been. An odds ratio above 1 makes a right answer likelier; one"
        " of 0.5 halves its odds."
    )
    return Section(
        name="mixed",
        title="Mixed model of single answers",
        text=(*([about] if coefficients else []), *map(_sentence, said)),
        tables=tuple(tables),
    )


def _sentence(said: str) -> str:
    """With a capital at its begin and a full stop at its end."""
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith('.') else '.'}"


def _fixed(coefficients: Sequence[Measure]) -> Table:
    return Table(
        name="mixed-fixed",
        title="Fixed effects",
        columns=(
            heading("term", "code"),
            heading("log-odds", "number"),
            heading("s.e.", "number"),
            heading("z", "number"),
            heading("p", "number"),
            heading("odds ratio", "number"),
            heading(f"95{THIN}% from", "number"),
            heading("to", "number"),
        ),
        rows=tuple(_coefficient(each) for each in coefficients),
        note=(
            "s.e., z and p are Wald's, and so is the interval: the odds ratio of the estimate"
            f" ± {QUANTILE:.2f} s.e. The first row is the log-odds of a right answer where every"
            " factor has its first level and every number is 0, unless the coding says otherwise."
        ),
    )


def _coefficient(each: Measure) -> tuple[Cell, ...]:
    estimate, se = _finite(each.value), _finite(each.se)
    z, low, high = None, None, None
    if estimate is not None and se is not None:
        z = estimate / se if se else None
        low, high = estimate - QUANTILE * se, estimate + QUANTILE * se
    p = _finite(each.p)
    return (
        Cell(each.level, sort="code"),
        _number(estimate, 3),
        Cell(NONE if se is None else f"{se:.3f}", sort="number", value=se),
        _number(z, 2),
        Cell(p_value(p), sort="number", value=p),
        *(_odds(log_odds) for log_odds in (estimate, low, high)),
    )


def _odds(log_odds: float | None) -> Cell:
    """The exponential of log-odds; beyond `MOST` only that it is."""
    if log_odds is None:
        return Cell(NONE, sort="number")
    if abs(log_odds) > math.log(MOST):
        shown = f"> {count(MOST)}" if log_odds > 0 else f"< {1 / MOST:g}"
        return Cell(shown, sort="number", value=_exponential(log_odds))
    value = math.exp(log_odds)
    return Cell(f"{value:.2f}" if value >= 0.1 else f"{value:.3f}", sort="number", value=value)


def _exponential(log_odds: float) -> float | None:
    """None where it is more than a number can be."""
    try:
        return math.exp(log_odds)
    except OverflowError:
        return None


def _tests(tests: Sequence[Measure]) -> list[Table]:
    if not tests:
        return []
    return [
        Table(
            name="mixed-tests",
            title="What each variable adds, alone and in interactions",
            columns=(
                heading("variable"),
                heading("χ²", "number"),
                heading("p", "number"),
                heading("test"),
            ),
            rows=tuple(
                (
                    Cell(each.level),
                    _number(_finite(each.value), 2),
                    Cell(p_value(_finite(each.p)), sort="number", value=_finite(each.p)),
                    Cell(each.note),
                )
                for each in tests
            ),
        )
    ]


def _random(measures: Sequence[Measure]) -> Table:
    """Standard deviations, then the line on the fit."""
    return Table(
        name="mixed-random",
        title="Random effects and fit",
        columns=(
            heading("what"),
            heading("value", "number"),
            heading("n", "number"),
            heading("remarks"),
        ),
        rows=tuple(
            (
                Cell(f"SD, {each.level}" if each.statistic == SPREAD else each.statistic),
                _number(_finite(each.value), 3 if each.statistic == SPREAD else 2),
                Cell(count(each.n), sort="number", value=each.n),
                Cell(each.note),
            )
            for each in measures
        ),
        note="SD: how far people, sources or items differ, in log-odds.",
    )


def _number(value: float | None, decimals: int) -> Cell:
    if value is None:
        return Cell(NONE, sort="number")
    return Cell(signed(value, decimals).removeprefix("+"), sort="number", value=value)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
