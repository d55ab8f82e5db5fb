"""A logit mixed model with crossed random effects: P(correct) from what an answer is about.

log-odds = fixed effects + what is a participant's own + what is a source's own (+ slopes), fitted
by maximum likelihood with Laplace's approximation, as `lme4::glmer` does (Bates et al. 2015). The
work is done by the package `glmm` (an extra; its results are held against stored ones of lme4 in
the tests). Standard errors are from the exact second derivatives over all parameters, where lme4
takes finite differences: the two differ by a percent or two.

Where some kind of item has only right answers, no estimate is largest. A weak prior on coefficients
keeps them finite (`penalised.py`, which does without the package).
"""

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent, with_progress
from colorless_green.humans.coding import (
    INTERCEPT,
    TREATMENT,
    Columns,
    FitData,
    aliased,
    coded,
    complete,
    separating,
)
from colorless_green.humans.formula import OPTION, MixedFormula, without
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.penalised import Estimates, penalised

LARGE, UNSURE = 10.0, 5.0  # |estimate| and standard error, in log-odds, of one that runs away
RATIO, WALD = "likelihood ratio", "Wald"
PACKAGES = ("glmm", "scipy")
FEWEST_MEMBERS = 5  # of a grouping: of fewer nothing can be said of how much they differ
FEWEST_ANSWERS = 10  # for each coefficient and spread
PRIOR = "--prior"
NO_PRIOR, WEAK = "none", "weak"
WEAK_SD = 2.5  # log-odds; the scale of the prior of Gelman et al. 2008


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A fixed effect, in log-odds."""

    name: str
    estimate: float
    se: float
    z: float
    p: float  # two-sided, Wald
    variables: tuple[str, ...]  # none of the intercept


@dataclass(frozen=True, slots=True)
class RandomEffect:
    """How much the members of a grouping differ in their intercept or one slope, in log-odds."""

    grouping: str
    name: str
    sd: float
    correlations: tuple[float, ...]  # with the spreads of the same grouping that stand before


@dataclass(frozen=True, slots=True)
class Fit:
    """A model that was fitted by maximum likelihood (Laplace), or under a prior."""

    formula: MixedFormula
    coefficients: tuple[Coefficient, ...]  # the intercept first
    covariance: tuple[tuple[float, ...], ...]  # of their estimates
    spreads: tuple[RandomEffect, ...]
    log_likelihood: float  # at the estimates; under a prior without the prior, and not the largest
    n_parameters: int
    n_rows: int
    n_left_out: int  # answers that lack a variable
    members: tuple[int, ...]  # of each grouping
    aliased: tuple[str, ...]  # columns that say what others say; left out
    singular: bool  # a spread is 0, or slopes and intercepts are perfectly correlated
    converged: bool
    runaway: tuple[str, ...]  # coefficients beyond LARGE or UNSURE: nearly separated
    prior: float | None = None  # standard deviation on all coefficients but the intercept
    separated: tuple[str, ...] = ()  # coefficients that have an estimate by the prior alone

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz' criterion, with rows as the sample."""
        return self.n_parameters * math.log(self.n_rows) - 2 * self.log_likelihood


@dataclass(frozen=True, slots=True)
class TermTest:
    """What a variable adds, alone and in interactions: χ² over all its coefficients."""

    variable: str
    chisq: float
    df: int
    p: float
    method: str  # RATIO or WALD


def prior_of(text: str) -> float | None:
    """What the option --prior says: the standard deviation of a normal prior; None for none."""
    if text == NO_PRIOR:
        return None
    if text == WEAK:
        return WEAK_SD
    try:
        sd = float(text)
    except ValueError:
        sd = math.nan
    if not 0 < sd < math.inf:
        raise InputError(
            PRIOR,
            f"{text!r}",
            f"{NO_PRIOR}, {WEAK} (a standard deviation of {WEAK_SD}), or a standard deviation of "
            "your own, as in 1.5",
            kind="value",
        )
    return sd


def too_little(observations: pl.DataFrame, formula: MixedFormula, coding: str) -> str:
    """What a model of `formula` lacks, as a clause; empty where there is enough to fit it to."""
    rows = complete(observations, formula)
    design = coded(rows, formula, coding)
    n_spreads = sum(len(s) * (len(s) + 1) // 2 for s in ((1, *e.names) for e in design.slopes))
    wanted = FEWEST_ANSWERS * (1 + len(design.fixed.names) + n_spreads)
    if len(rows) < wanted:
        return f"{len(rows)} answers, and its parameters ask for {wanted}"
    for grouping, members in zip(formula.groupings, design.members, strict=True):
        n = 1 + max(members)
        if n < FEWEST_MEMBERS:
            return f"{n} of {grouping.name}, and a spread asks for {FEWEST_MEMBERS}"
    return ""


def fit(
    observations: pl.DataFrame,
    formula: MixedFormula,
    *,
    coding: str = TREATMENT,
    prior: float | None = None,
) -> Fit:
    """The model of `formula` on the observations that have all its variables; under a normal prior
    on its coefficients, if a standard deviation (in log-odds) is given.

    Raises `InputError` where a package is missing, a variable does not vary, a grouping has fewer
    than two members, or the answers are separated, so that there is no estimate to be had: without
    a prior if any kind of item has only right or only wrong answers, with one if all are alike.
    """
    demand_packages(OPTION, PACKAGES if prior is None else PACKAGES[1:])
    rows = complete(observations, formula)
    place = f"{OPTION} {str(formula)!r}"
    design, redundant = _reduced(coded(rows, formula, coding), place)
    separated = _separated(design, place, prior)
    estimates = maximised(design) if prior is None else penalised(design, prior)
    coefficients = []
    names, variables = (INTERCEPT, *design.fixed.names), ((), *design.fixed.variables)
    for at, (name, made_of) in enumerate(zip(names, variables, strict=True)):
        estimate, variance = estimates.coefficients[at], estimates.covariance[at][at]
        se = math.sqrt(variance) if variance > 0 else math.nan
        z = estimate / se
        p = math.erfc(abs(z) / math.sqrt(2))
        coefficients.append(Coefficient(name, estimate, se, z, p, made_of))
    spreads = [
        RandomEffect(grouping.name, *effect)
        for at, grouping in enumerate(formula.groupings)
        for effect in zip(
            (INTERCEPT, *design.slopes[at].names),
            estimates.spreads[at],
            estimates.correlations[at],
            strict=True,
        )
    ]
    return Fit(
        formula=formula,
        coefficients=tuple(coefficients),
        covariance=estimates.covariance,
        spreads=tuple(spreads),
        log_likelihood=estimates.log_likelihood,
        n_parameters=estimates.n_parameters,
        n_rows=len(rows),
        n_left_out=len(observations) - len(rows),
        members=tuple(1 + max(members) for members in design.members),
        aliased=redundant,
        singular=estimates.singular,
        converged=estimates.converged,
        runaway=tuple(
            effect.name
            for effect in coefficients
            if not (abs(effect.estimate) <= LARGE and effect.se <= UNSURE)  # NaN counts as runaway
        ),
        prior=prior,
        separated=separated,
    )


def term_tests(
    observations: pl.DataFrame,
    whole: Fit,
    *,
    coding: str = TREATMENT,
    progress: Progress = silent,
) -> tuple[TermTest, ...]:
    """One test for each variable among the fixed terms of a fit of the same observations.

    The likelihood ratio: twice the difference of log-likelihoods to the model without the variable,
    on the same rows. For a variable with random slopes, which the package does not fit without the
    fixed term, Wald's test of the same coefficients; under a prior, where no likelihood is the
    largest, Wald's for all.
    """
    rows = complete(observations, whole.formula)
    variables = dict.fromkeys(name for term in whole.formula.terms for name in term)
    by_wald = {name for grouping in whole.formula.groupings for name in grouping.slopes}

    def tests() -> Iterator[TermTest]:
        from scipy.special import gammaincc

        for name in variables:
            if name in by_wald or whole.prior is not None:
                method = WALD
                places = [
                    at for at, effect in enumerate(whole.coefficients) if name in effect.variables
                ]
                estimates = np.array([whole.coefficients[at].estimate for at in places])
                covariance = np.array(whole.covariance)[np.ix_(places, places)]
                chisq, df = float(estimates @ np.linalg.solve(covariance, estimates)), len(places)
            else:
                # What separates no answers with all variables separates none with fewer.
                smaller = coded(rows, without(whole.formula, name), coding)
                part = maximised(_reduced(smaller, OPTION)[0])
                # Two optimisers' stops can differ by rounding; a negative χ² would have no p.
                chisq = max(0.0, 2 * (whole.log_likelihood - part.log_likelihood))
                method, df = RATIO, whole.n_parameters - part.n_parameters
            p = float(gammaincc(df / 2, chisq / 2)) if df else 1.0
            yield TermTest(name, chisq, df, p, method)

    return tuple(with_progress(tests(), "tests of variables", progress, len(variables)))


def demand_packages(place: str, names: Sequence[str]) -> None:
    """Raises `InputError` at `place` unless all are installed."""
    for name in names:
        if find_spec(name) is None:
            wrong = f"a mixed model needs the package {name!r}, which is not installed"
            right = "pip install 'colorless-green[humans]'"
            raise InputError(place, wrong, right, kind="dependency")


def _separated(design: FitData, place: str, prior: float | None) -> tuple[str, ...]:
    """The coefficients that the answers leave without an estimate. Raises `InputError` unless a
    prior gives them one."""
    if len(set(design.correct)) < 2:
        which = "right" if design.correct[0] else "wrong"
        raise InputError(
            place, f"all answers are {which}", "right answers and wrong ones", kind="unsupported"
        )
    separated = separating(design)
    if separated and prior is None:
        raise InputError(
            place,
            f"the answers are separated by {', '.join(separated)}: some kind of item has only right"
            " (or only wrong) answers, and the estimates would run to infinity",
            f"{PRIOR} {WEAK}, a normal prior (SD {WEAK_SD}) on coefficients; or a formula without"
            " it; --tidy FOLDER writes the answers with analysis.R, which fits the same model in R",
            kind="unsupported",
        )
    return separated


def _reduced(design: FitData, place: str) -> tuple[FitData, tuple[str, ...]]:
    """The design without the columns that say what others say, and which these are."""
    redundant = aliased(design)
    for name in (name for slopes in design.slopes for name in slopes.names if name in redundant):
        wrong = f"slopes of {name}, which other terms already give"
        raise InputError(place, wrong, "a formula without them", kind="conflict")
    kept = [place for place, name in enumerate(design.fixed.names) if name not in redundant]
    fixed = Columns(
        tuple(design.fixed.names[place] for place in kept),
        tuple(design.fixed.variables[place] for place in kept),
        design.fixed.values[:, kept],
    )
    return replace(design, fixed=fixed), redundant


def maximised(design: FitData) -> Estimates:
    """The maximum-likelihood fit, by the package. Columns go to it as numbers under names of ours,
    so that neither its coding of factors nor a name in the data matters; answers that differ in
    nothing go as one row with their share of right ones. The answers are not separated, and no
    column says what others say."""
    import glmm

    labels = {name: f"x{place}" for place, name in enumerate(design.fixed.names)}
    columns: dict[str, Any] = dict(zip(labels.values(), design.fixed.values.T, strict=True))
    terms = ["1", *labels.values()]
    for place, (members, slopes) in enumerate(zip(design.members, design.slopes, strict=True)):
        columns[f"g{place}"] = members
        inner = ["1", *[labels[name] for name in slopes.names]]
        terms.append(f"({' + '.join(inner)} | g{place})")
    table = pl.DataFrame({**columns, "right": design.correct})
    rows = table.group_by(*columns, maintain_order=True).agg(
        pl.col("right").sum(), pl.len().alias("n")
    )
    data: dict[str, Any] = {name: rows[name].to_numpy() for name in columns} | {
        name: [f"{member:09d}" for member in rows[name]] for name in columns if name.startswith("g")
    }
    data["y"] = (rows["right"] / rows["n"]).to_numpy()
    # Of a row of n answers the package counts the orders in which they could come; we do not.
    orders = sum(
        math.lgamma(n + 1) - math.lgamma(right + 1) - math.lgamma(n - right + 1)
        for right, n in rows.filter(pl.col("n") > 1).select("right", "n").iter_rows()
    )
    with warnings.catch_warnings():  # what they say stands in the result: singular, converged
        warnings.simplefilter("ignore", glmm.DiagnosticWarning)
        fitted = glmm.fit(
            data,
            f"y ~ {' + '.join(terms)}",
            "binomial",
            weights=rows["n"].to_numpy().astype(float),
        )
    with np.errstate(invalid="ignore"):  # a correlation with what does not vary is nan
        random = [fitted.stddev_corr(place) for place in range(len(design.members))]
    return Estimates(
        coefficients=tuple(map(float, fitted.beta)),
        covariance=tuple(tuple(map(float, row)) for row in np.asarray(fitted.vcov)),
        spreads=tuple(tuple(map(float, deviations)) for deviations, _ in random),
        correlations=tuple(
            tuple(tuple(map(float, row[:place])) for place, row in enumerate(correlations))
            for _, correlations in random
        ),
        log_likelihood=float(fitted.loglik) - orders,
        n_parameters=int(fitted.df),
        singular=bool(fitted.singular),
        converged=bool(fitted.converged),
    )


def measures(fit: Fit, tests: Sequence[TermTest]) -> Iterator[Measure]:
    """Coefficients, tests of variables, spreads and fit; log-odds, n in judgments or members."""
    n = fit.n_rows
    for effect in fit.coefficients:
        note = f"log-odds, z {effect.z:.2f}; n: judgments"
        yield Measure(
            "coefficient",
            effect.estimate,
            level=effect.name,
            n=n,
            se=effect.se,
            p=effect.p,
            note=note,
        )
    for test in tests:
        note, name = f"{test.method}, {test.df} df", test.variable
        yield Measure("χ² of a variable", test.chisq, level=name, n=n, p=test.p, note=note)
    sizes = dict(
        zip((grouping.name for grouping in fit.formula.groupings), fit.members, strict=True)
    )
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
    note = f"Laplace, {fit.n_parameters} parameters{criteria}"
    yield Measure("log-likelihood", fit.log_likelihood, n=n, note=note)


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
