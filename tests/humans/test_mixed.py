"""A component oracle of mixed models: stored results of lme4, and the approximation written out."""

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colorless_green.data.errors import InputError
from colorless_green.humans.coding import CENTRED, TREATMENT, coded
from colorless_green.humans.formula import parse
from colorless_green.humans.mixed import (
    RATIO,
    WALD,
    Fit,
    fit,
    maximised,
    measures,
    sentences,
    term_tests,
)
from colorless_green.humans.penalised import penalised
from tests.builders import mistake, shared
from tests.humans import laplace
from tests.humans.observed import made, observation, stored, tabled

pytest.importorskip("glmm")

BRACKETS = "(1 | participant) + (1 | source)"
WHOLE = f"condition * attractors + {BRACKETS}"
SLOPES = "condition * attractors + (condition | participant) + (condition | source)"

# Name in the stored results → formula, coding. lme4 1.1.31, R 4.2.2.
STORED = {
    "laplace": (WHOLE, TREATMENT),
    "laplace_null_no_condition": (f"attractors + {BRACKETS}", TREATMENT),
    "laplace_condition_only": (f"condition + {BRACKETS}", TREATMENT),
    "laplace_sum_coded": (WHOLE, CENTRED),
    "laplace_random_slopes": (SLOPES, TREATMENT),
    "laplace_participant_only": ("condition * attractors + (1 | participant)", TREATMENT),
}
CASES = [
    (data, name)
    for data in ("data", "singular")
    for name in STORED
    if data == "data" or name not in ("laplace_random_slopes", "laplace_participant_only")
]


def reference(data: str) -> dict[str, Any]:
    path = shared("published", "humans", "lme4", "reference.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))[data]
    return found


def fitted(data: str, name: str) -> Fit:
    formula, coding = STORED[name]
    rows = stored(shared("published", "humans", "lme4", f"{data}.csv"))
    return fit(tabled(rows), parse(formula), coding=coding)


@pytest.mark.shared
@pytest.mark.parametrize(("data", "name"), CASES)
def test_estimates_are_those_of_lme4(data: str, name: str) -> None:
    """Within 0.005, log-likelihood within 0.01. Standard errors within 2 %, with slopes 2.2 %:
    lme4's are from finite differences at a point a little off the optimum (see the test against
    the approximation written out)."""
    found, expected = fitted(data, name), reference(data)[name]
    estimates = [each.estimate for each in found.coefficients]
    errors = [each.se for each in found.coefficients]
    assert estimates == pytest.approx(list(expected["fixef"].values()), abs=0.005)
    tolerance = 0.022 if name == "laplace_random_slopes" else 0.02
    assert errors == pytest.approx(list(expected["se"].values()), rel=tolerance)
    assert found.log_likelihood == pytest.approx(expected["logLik"], abs=0.01)
    assert found.log_likelihood > expected["logLik"] - 1e-4  # a better optimum, if any
    assert found.n_parameters == expected["df"]
    assert found.aic == pytest.approx(expected["AIC"], abs=0.02)
    assert found.bic == pytest.approx(expected["BIC"], abs=0.02)
    assert (found.singular, found.converged) == (expected["singular"], True)


@pytest.mark.shared
@pytest.mark.parametrize(("data", "name"), CASES)
def test_spreads_and_their_correlations_are_those_of_lme4(data: str, name: str) -> None:
    """Standard deviations within 0.005; correlations within 0.01."""
    spreads: dict[tuple[str, str], Any] = {}
    correlations: dict[tuple[str, str], float] = {}
    for row in reference(data)[name]["varcorr"]:
        slope = row["var2"] if row["var2"] else row["var1"]
        key = (row["grp"], "(Intercept)" if slope == "(Intercept)" else "slope")
        (correlations if row["var2"] else spreads)[key] = row["sdcor"]
    for each in fitted(data, name).spreads:
        key = (each.grouping, "(Intercept)" if each.name == "(Intercept)" else "slope")
        assert each.sd == pytest.approx(spreads.pop(key), abs=0.005)
        assert list(each.correlations) == pytest.approx(
            [correlations[key]] if each.correlations else [], abs=0.01
        )
    assert not spreads


@pytest.mark.shared
@pytest.mark.parametrize("data", ["data", "singular"])
def test_the_likelihood_ratio_of_condition_is_that_of_lme4(data: str) -> None:
    rows = stored(shared("published", "humans", "lme4", f"{data}.csv"))
    whole = fit(tabled(rows), parse(WHOLE))
    condition, attractors = term_tests(tabled(rows), whole)
    expected = reference(data)["lrt_condition_terms"]
    assert (condition.variable, attractors.variable) == ("condition", "attractors")
    assert (condition.df, condition.method) == (expected["df"], RATIO)
    assert condition.chisq == pytest.approx(expected["chisq"], abs=0.02)
    assert condition.p == pytest.approx(expected["p"], rel=0.01)


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "laplace",
        "laplace_sum_coded",
        pytest.param("laplace_random_slopes", marks=pytest.mark.thorough),
    ],
)
def test_with_stored_data_it_is_the_optimum_of_the_approximation_written_out(name: str) -> None:
    formula, coding = STORED[name]
    rows = stored(shared("published", "humans", "lme4", "data.csv"))
    _is_the_optimum(coded(tabled(rows), parse(formula), coding), fitted("data", name))


def test_it_is_the_optimum_of_the_approximation_written_out() -> None:
    rows = made(10, 12, seed=3)
    formula = parse(f"condition + attractors + {BRACKETS}")
    found = fit(tabled(rows), formula)
    assert not found.singular
    _is_the_optimum(coded(tabled(rows), formula, TREATMENT), found)


def _is_the_optimum(design: Any, found: Fit) -> None:
    values = laplace.parameters(found)
    assert laplace.deviance(design, values) == pytest.approx(-2 * found.log_likelihood, abs=1e-6)
    assert np.abs(laplace.gradient(design, values)).max() < 0.01
    errors = [each.se for each in found.coefficients]
    assert errors == pytest.approx(laplace.standard_errors(design, values), rel=0.001)


def test_a_fit_is_the_same_twice_and_whatever_people_are_called() -> None:
    rows = made()
    formula = parse(f"condition + {BRACKETS}")
    first = fit(tabled(rows), formula)
    assert fit(tabled(rows), formula) == first
    renamed = [replace(row, participant=f"=1+{row.participant}') | x") for row in rows]
    assert fit(tabled(renamed), formula) == first


def test_centred_coding_changes_names_of_nothing_and_no_likelihood() -> None:
    rows = made(12, 12)
    formula = parse(f"condition * attractors + {BRACKETS}")
    treatment, centred = fit(tabled(rows), formula), fit(tabled(rows), formula, coding=CENTRED)
    assert [c.name for c in treatment.coefficients] == [c.name for c in centred.coefficients]
    assert treatment.log_likelihood == pytest.approx(centred.log_likelihood, abs=1e-4)
    assert treatment.coefficients[-1].estimate == pytest.approx(
        centred.coefficients[-1].estimate, abs=1e-3
    )


def test_a_variable_with_slopes_is_tested_by_wald() -> None:
    rows = made(12, 12)
    whole = fit(tabled(rows), parse("condition + gap + (condition | participant) + (1 | source)"))
    condition, gap = term_tests(tabled(rows), whole)
    assert (condition.method, gap.method) == (WALD, RATIO)
    (own,) = [each for each in whole.coefficients if each.variables == ("condition",)]
    assert condition.chisq == pytest.approx(own.z**2)
    assert condition.p == pytest.approx(own.p)


def test_answers_that_lack_a_variable_are_counted_and_in_no_model() -> None:
    rows = [*made(), observation("p0", "s0", 1, attractors=None)]
    whole = fit(tabled(rows), parse(f"attractors + {BRACKETS}"))
    assert (whole.n_rows, whole.n_left_out) == (len(rows) - 1, 1)
    (test,) = term_tests(tabled(rows), whole)
    assert test.df == 1


def test_columns_that_say_the_same_are_named_and_left_out() -> None:
    found = fit(tabled(made()), parse(f"construction + attractors + {BRACKETS}"))
    assert found.aliased == ("attractors",)
    assert "attractors" not in [each.name for each in found.coefficients]
    assert any("attractors" in each for each in list(sentences(found))[1:])


def test_slopes_of_what_other_terms_give_are_refused() -> None:
    formula = parse("construction + attractors + (attractors | participant)")
    with mistake("conflict", f"--formula {str(formula)!r}"):
        fit(tabled(made()), formula)


def test_a_spread_of_nothing_is_singular_and_said() -> None:
    """Each person is right on exactly the same number of sources: no one is better."""
    rows = [
        observation(f"p{p}", f"s{s}", int((p + s) % 4 > 0), gap=3 + (s + p // 2) % 3)
        for p in range(8)
        for s in range(8)
    ]
    found = fit(tabled(rows), parse(f"gap + {BRACKETS}"))
    assert found.singular
    assert len(list(sentences(found))) == 2  # it is said


def test_separated_answers_are_refused_with_what_separates_them() -> None:
    rows = [row for row in made() if row.condition == "original" or row.correct]
    formula = parse(f"condition + {BRACKETS}")
    with pytest.raises(InputError) as caught:
        fit(tabled(rows), formula)
    found = caught.value
    assert (found.kind, found.place) == ("unsupported", f"--formula {str(formula)!r}")
    assert "condition[nonce]" in found.wrong.lower()
    assert "--prior weak" in found.right.lower()


def test_nearly_separated_answers_are_fitted_and_said() -> None:
    """A number so steep that one answer alone keeps its coefficient finite."""
    rows = [
        observation(f"p{k % 8}", f"s{k % 10}", int(k % 40 >= 20), gap=int(k % 40 >= 20))
        for k in range(400)
    ]
    rows[0] = observation("p0", "s0", 1, gap=0)
    rows[30] = observation("p6", "s0", 0, gap=1)
    found = fit(tabled(rows), parse(f"gap + {BRACKETS}"))
    assert found.runaway == ("gap",)
    assert any("gap" in each for each in list(sentences(found))[1:])


def test_without_the_package_there_is_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "glmm", None)  # as if it were not installed
    with mistake("dependency", "--formula"):
        fit(tabled(made()), parse(WHOLE))


def test_rows_tell_every_number_of_a_fit() -> None:
    rows = made(12, 12)
    whole = fit(tabled(rows), parse("condition + (condition | participant) + (1 | source)"))
    found = list(measures(whole, term_tests(tabled(rows), whole)))
    names = [(each.statistic, each.level) for each in found]
    assert names == [
        ("coefficient", "(Intercept)"),
        ("coefficient", "condition[nonce]"),
        ("χ² of a variable", "condition"),
        ("standard deviation", "participant: (Intercept)"),
        ("standard deviation", "participant: condition[nonce]"),
        ("standard deviation", "source: (Intercept)"),
        ("log-likelihood", ""),
    ]
    assert [each.n for each in found] == [144, 144, 144, 12, 12, 12, 144]


def test_answers_that_differ_in_nothing_are_fitted_as_single_ones_are() -> None:
    """Of a row of several answers the likelihood is that of the answers in their order."""
    design = coded(tabled(made(12, 12) * 3), parse(WHOLE), TREATMENT)
    one, other = maximised(design), penalised(design, 1e6)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-3)
    assert one.coefficients == pytest.approx(other.coefficients, abs=5e-3)
