"""A component oracle of fits under a weak prior: the approximation written out, glmm, and laws."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.arrays import Floats
from colorless_green.humans.coding import CENTRED, TREATMENT, FitData, coded
from colorless_green.humans.formula import parse
from colorless_green.humans.laplace import deviance_at, problem_of
from colorless_green.humans.mixed import WALD, Fit, fit, measures, prior_of, sentences, term_tests
from colorless_green.humans.penalised import penalised
from tests.builders import mistake, shared
from tests.humans import laplace as written_out
from tests.humans.observed import Observation, made, observation, stored, tabled

pytest.importorskip("scipy")

BRACKETS = "(1 | participant) + (1 | source)"
TINY = (
    f"condition + {BRACKETS}",
    "condition + (1 | participant)",
    "condition + gap + (1 + condition | source) + (1 | participant)",
    f"condition + {BRACKETS} + (1 | item)",
)


def design(rows: Sequence[Observation], formula: str, coding: str = TREATMENT) -> FitData:
    return coded(tabled(rows), parse(formula), coding)


def n_parameters(own: FitData) -> int:
    widths = [1 + len(slopes.names) for slopes in own.slopes]
    return 1 + len(own.fixed.names) + sum(width * (width + 1) // 2 for width in widths)


def reordered(own: FitData, values: Floats, order: Sequence[int]) -> Floats:
    """Parameters of groupings in the order of a problem, in the design's."""
    n_fixed = 1 + len(own.fixed.names)
    parts: dict[int, Floats] = {}
    start = n_fixed
    for place in order:
        width = 1 + len(own.slopes[place].names)
        size = width * (width + 1) // 2
        parts[place] = values[start : start + size]
        start += size
    return np.concatenate([values[:n_fixed], *(parts[place] for place in range(len(order)))])


@given(st.sampled_from(TINY), st.integers(0, 99), st.integers(0, 99))
def test_the_block_form_is_the_approximation_written_out_and_its_slope_is_right(
    formula: str, data: int, seed: int
) -> None:
    own = design(made(4, 6, seed=data), formula, CENTRED)
    values = np.random.Generator(np.random.PCG64(seed)).normal(scale=0.5, size=n_parameters(own))
    problem, order = problem_of(own)
    found = deviance_at(problem, values, np.zeros(problem.n_effects))
    assert math.isclose(
        found.deviance,
        written_out.deviance(own, reordered(own, values, order)),
        rel_tol=1e-9,
    )
    slope = [
        (
            deviance_at(problem, values + each, found.modes).deviance
            - deviance_at(problem, values - each, found.modes).deviance
        )
        / 2e-5
        for each in np.eye(len(values)) * 1e-5
    ]
    assert found.slope == pytest.approx(slope, abs=1e-4)


def test_the_modes_do_not_depend_on_where_their_search_begins() -> None:
    problem, _ = problem_of(design(made(), f"condition + {BRACKETS}"))
    values = np.array([1.0, -0.5, 0.8, 0.6])
    first = deviance_at(problem, values, np.zeros(problem.n_effects))
    far = deviance_at(problem, values, np.full(problem.n_effects, 30.0))
    assert first.modes == pytest.approx(far.modes, abs=1e-8)


@pytest.mark.parametrize("sd", [0.3, 2.5])
@pytest.mark.parametrize("formula", TINY[:2])
def test_with_tiny_data_a_search_by_brute_force_finds_the_same(formula: str, sd: float) -> None:
    """The approximation written out, plus Σ β²/sd², made small without any slope."""
    from scipy.optimize import minimize

    own = design(made(5, 6, seed=2), formula)

    def criterion(values: Floats) -> float:
        return written_out.deviance(own, values) + float(values[1]) ** 2 / sd**2

    start = np.array([1.0, 0.0, *[0.5] * len(own.members)])
    options = {"xatol": 1e-7, "fatol": 1e-10, "maxiter": 4000}
    brute = minimize(criterion, start, method="Nelder-Mead", options=options)  # type: ignore[call-overload]
    found = penalised(own, sd)
    spreads = [deviations[0] for deviations in found.spreads]
    assert [*found.coefficients, *spreads] == pytest.approx(
        [*brute.x[:2], *np.abs(brute.x[2:])], abs=1e-3
    )
    plain = written_out.deviance(own, np.array([*found.coefficients, *spreads]))
    assert found.log_likelihood == pytest.approx(-plain / 2, abs=1e-9)
    errors = np.sqrt(np.diag(np.array(found.covariance)))
    assert errors == pytest.approx(_errors(criterion, brute.x, np.array(spreads)), rel=0.01)


def _errors(criterion: Callable[[Floats], float], values: Floats, spreads: Floats) -> Floats:
    """From half the second differences over coefficients and the spreads that are not 0."""
    free = [0, 1, *[2 + place for place, each in enumerate(spreads) if each > 0]]
    values = np.array([*values[:2], *spreads])
    shifts = np.eye(len(values))[free] * 0.01
    hessian = [
        [
            criterion(values + a + b)
            - criterion(values + a - b)
            - criterion(values - a + b)
            + criterion(values - a - b)
            for b in shifts
        ]
        for a in shifts
    ]
    covariance = np.linalg.inv(np.array(hessian) / 4e-4 / 2)
    result: Floats = np.sqrt(np.diag(covariance))[:2]
    return result


@pytest.mark.shared
@pytest.mark.parametrize("data", ["data", "singular"])
def test_as_the_prior_grows_wide_the_fit_becomes_that_without_one(data: str) -> None:
    """On the data that lme4's results are stored of, by another program altogether."""
    pytest.importorskip("glmm")
    rows = stored(shared("published", "humans", "lme4", f"{data}.csv"))
    formula = parse(f"condition * attractors + {BRACKETS}")
    plain = fit(tabled(rows), formula)
    distances = []
    for sd in (0.5, 2.5, 25.0, 1e4):
        found = fit(tabled(rows), formula, prior=sd)
        assert (found.converged, found.singular) == (True, plain.singular)
        assert found.log_likelihood < plain.log_likelihood + 1e-4
        distances.append(
            max(
                abs(one.estimate - other.estimate)
                for one, other in zip(found.coefficients, plain.coefficients, strict=True)
            )
        )
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-4
    assert [each.se for each in found.coefficients] == pytest.approx(
        [each.se for each in plain.coefficients], rel=1e-3
    )
    assert [each.sd for each in found.spreads] == pytest.approx(
        [each.sd for each in plain.spreads], abs=1e-3
    )
    assert found.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-4)
    assert (found.n_parameters, found.n_rows) == (plain.n_parameters, plain.n_rows)


def separated(seed: int = 0) -> list[Observation]:
    """Everybody is right on every original."""
    return [
        replace(row, correct=1) if row.condition == "original" else row for row in made(seed=seed)
    ]


def under_prior(rows: Sequence[Observation], sd: float = 2.5, formula: str = TINY[0]) -> Fit:
    return fit(tabled(rows), parse(formula), prior=sd)


@pytest.mark.parametrize("seed", range(3))
def test_where_a_cell_is_all_right_estimates_are_finite_and_point_where_it_does(seed: int) -> None:
    found = under_prior(separated(seed))
    intercept, nonce = found.coefficients
    assert found.converged
    assert found.separated == ("(Intercept)", "condition[nonce]")
    assert intercept.estimate > 0 > nonce.estimate
    assert abs(nonce.estimate) < 3 * 2.5
    assert 0 < nonce.se < 5
    wider = under_prior(separated(seed), 5.0).coefficients[1]
    assert wider.estimate < nonce.estimate  # without end, were there no prior


def test_right_and_wrong_exchanged_exchange_the_signs() -> None:
    rows = separated()
    found = under_prior(rows)
    other = under_prior([replace(row, correct=1 - row.correct) for row in rows])
    assert [each.estimate for each in found.coefficients] == pytest.approx(
        [-each.estimate for each in other.coefficients], abs=1e-4
    )
    assert [each.se for each in found.coefficients] == pytest.approx(
        [each.se for each in other.coefficients], rel=1e-3
    )
    assert [each.sd for each in found.spreads] == pytest.approx(
        [each.sd for each in other.spreads], abs=1e-3
    )


def test_a_narrow_prior_leaves_the_intercept_free() -> None:
    rows = made(12, 12)
    found = under_prior(rows, 0.01)
    intercept, nonce = found.coefficients
    assert abs(nonce.estimate) < 0.01
    free = under_prior(rows, 0.01, f"attractors + {BRACKETS}").coefficients[0]
    assert intercept.estimate == pytest.approx(free.estimate, abs=0.01)
    assert intercept.estimate > 0.5


def test_the_prior_is_on_predictors_as_they_are_coded() -> None:
    """A difference between conditions is the same coefficient in both codings, an intercept is not:
    one prior on it would give two models; on the difference alone it gives one."""
    rows, formula = made(12, 12), parse(TINY[0])
    treatment = fit(tabled(rows), formula, prior=0.5)
    centred = fit(tabled(rows), formula, coding=CENTRED, prior=0.5)
    assert treatment.coefficients[1].estimate == pytest.approx(
        centred.coefficients[1].estimate, abs=1e-4
    )
    assert treatment.log_likelihood == pytest.approx(centred.log_likelihood, abs=1e-4)


def test_a_fit_under_a_prior_is_the_same_twice() -> None:
    assert under_prior(separated()) == under_prior(separated())


def test_a_spread_of_nothing_is_exactly_nothing() -> None:
    rows = [
        observation(f"p{p}", f"s{s}", int((p + s) % 4 > 0), gap=3 + (s + p // 2) % 3)
        for p in range(8)
        for s in range(8)
    ]
    found = under_prior(rows, formula=f"gap + {BRACKETS}")
    assert found.singular
    assert [each.sd for each in found.spreads] == [0.0, 0.0]
    assert found.converged


def test_under_a_prior_every_variable_is_tested_by_wald() -> None:
    rows = separated()
    found = under_prior(rows, formula=f"condition + gap + {BRACKETS}")
    condition, gap = term_tests(tabled(rows), found)
    assert (condition.method, gap.method) == (WALD, WALD)
    assert gap.p == pytest.approx(found.coefficients[2].p)


def test_a_prior_and_what_it_alone_decides_are_said() -> None:
    rows = separated()
    found = under_prior(rows)
    said = list(sentences(found))[1:]
    assert any("2.5" in each for each in said)
    assert any("condition[nonce]" in each for each in said)
    *_, likelihood = measures(found, term_tests(tabled(rows), found))
    assert "AIC" not in likelihood.note  # which is of the largest likelihood
    assert "AIC" in list(measures(fit(tabled(made()), parse(TINY[0])), ()))[-1].note


def test_answers_that_are_all_alike_are_refused_under_any_prior() -> None:
    for correct in (0, 1):
        with mistake("unsupported", f"--formula {str(parse(TINY[0]))!r}"):
            under_prior([replace(row, correct=correct) for row in made()])


def test_without_glmm_a_fit_under_a_prior_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "glmm", None)  # as if it were not installed
    assert under_prior(made()).converged


def test_a_prior_is_none_weak_or_a_standard_deviation() -> None:
    assert (prior_of("none"), prior_of("weak"), prior_of("1.5")) == (None, 2.5, 1.5)
    for text in ("strong", "0", "-1", "inf", "nan", ""):
        with mistake("value", "--prior"):
            prior_of(text)
