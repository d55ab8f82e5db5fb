"""A fitted mixed model as rows."""

import math
from collections.abc import Iterator, Sequence

from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.mixed import Fit, TermTest


def measures(fit: Fit, tests: Sequence[TermTest]) -> Iterator[Measure]:
    """Coefficients, tests of variables, spreads and fit; log-odds, n in judgments or members."""
    for each in fit.coefficients:
        yield Measure(
            "coefficient",
            each.estimate,
            level=each.name,
            n=fit.n_rows,
            se=each.se,
            p=each.p,
            note=f"log-odds, z {each.z:.2f}; n: judgments",
        )
    for test in tests:
        yield Measure(
            "χ² of a variable",
            test.chisq,
            level=test.variable,
            n=fit.n_rows,
            p=test.p,
            note=f"{test.method}, {test.df} df",
        )
    sizes = dict(zip((each.name for each in fit.formula.groupings), fit.members, strict=True))
    for spread in fit.spreads:
        beside = ", ".join(
            "undefined" if math.isnan(value) else f"{value:.2f}" for value in spread.correlations
        )
        yield Measure(
            "standard deviation",
            spread.sd,
            level=f"{spread.grouping}: {spread.name}",
            n=sizes[spread.grouping],
            note=f"log-odds{f', correlation {beside}' if beside else ''}; n: {spread.grouping}s",
        )
    criteria = f", AIC {fit.aic:.2f}, BIC {fit.bic:.2f}"
    if fit.prior is not None:  # both are of the largest likelihood
        criteria = "; at the estimates under the prior, without it"
    yield Measure(
        "log-likelihood",
        fit.log_likelihood,
        n=fit.n_rows,
        note=f"Laplace, {fit.n_parameters} parameters{criteria}",
    )


def sentences(fit: Fit) -> Iterator[str]:
    """What a reader must know of a fit, in words."""
    yield f"mixed model: {fit.formula} (logit, Laplace), {fit.n_rows:,} judgments"
    if fit.n_left_out == 1:
        yield "1 judgment lacks one of its variables and is left out"
    elif fit.n_left_out:
        yield f"{fit.n_left_out:,} judgments lack one of its variables and are left out"
    if fit.aliased:
        yield f"left out, because other terms say the same: {', '.join(fit.aliased)}"
    if fit.prior is not None:
        yield (
            f"under a normal prior (SD {fit.prior:g} log-odds) on all coefficients but the"
            " intercept, on the predictors as coded: estimates are drawn towards 0, and tests are"
            " Wald's alone"
        )
    if fit.separated:
        yield (
            f"separated: {', '.join(fit.separated)}; how far from 0 they are the prior says, not"
            " the answers"
        )
    if not fit.converged:
        yield "the fit did NOT converge: its figures are no estimates"
    if fit.singular:
        yield (
            "the fit is singular: a standard deviation is 0 or a correlation ±1; the data do not"
            " show that part of the random effects"
        )
    if fit.runaway:
        yield (
            f"nearly separated: {', '.join(fit.runaway)} (beyond ±10 or with a standard error above"
            " 5 log-odds); read them as large, not as numbers"
        )
