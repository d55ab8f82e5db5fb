"""A component oracle of model matrices: columns by hand, and what a fit stumbles over."""

import numpy as np
import pytest

from colorless_green.data.errors import ErrorKind
from colorless_green.humans.coding import CENTRED, TREATMENT, aliased, coded, complete, separating
from colorless_green.humans.formula import parse
from tests.builders import mistake
from tests.humans.observed import Observation, made, observation, tabled

BRACKETS = "(1 | participant) + (1 | source)"
ROWS = made()


def columns(text: str, coding: str = TREATMENT) -> dict[str, list[float]]:
    found = coded(tabled(ROWS), parse(f"{text} + {BRACKETS}"), coding).fixed
    return dict(zip(found.names, found.values.T.tolist(), strict=True))


def test_originals_are_the_base_and_a_column_stands_for_every_other_level() -> None:
    found = columns("condition + construction")
    assert list(found) == ["condition[nonce]", "construction[b]", "construction[c]"]
    assert found["condition[nonce]"] == [float(row.condition == "nonce") for row in ROWS]
    assert found["construction[c]"] == [float(row.construction == "c") for row in ROWS]


def test_centred_coding_keeps_differences_and_has_its_zero_in_the_middle() -> None:
    treatment, centred = columns("construction + gap"), columns("construction + gap", CENTRED)
    for name in ("construction[b]", "construction[c]"):
        shift = np.subtract(treatment[name], centred[name])
        assert shift.tolist() == pytest.approx([1 / 3] * len(ROWS))
    assert sum(centred["gap"]) == pytest.approx(0)
    assert set(columns("condition", CENTRED)["condition[nonce]"]) == {-0.5, 0.5}


def test_an_interaction_is_the_product_of_its_columns() -> None:
    found = columns("construction * attractors")
    for level in "bc":
        product = np.multiply(found[f"construction[{level}]"], found["attractors"])
        assert found[f"construction[{level}]:attractors"] == product.tolist()


def test_a_margin_is_standardised() -> None:
    (margin,) = columns("margin").values()
    assert np.mean(margin) == pytest.approx(0, abs=1e-12)
    assert np.std(margin, ddof=1) == pytest.approx(1)


def test_an_answer_that_lacks_a_variable_is_not_complete() -> None:
    rows = [observation("p", "s", 1), observation("p", "t", 1, attractors=None)]
    assert complete(tabled(rows), parse(f"attractors + {BRACKETS}")).equals(tabled(rows[:1]))
    assert complete(tabled(rows), parse(f"gap + {BRACKETS}")).equals(tabled(rows))


@pytest.mark.parametrize(
    ("rows", "text", "kind"),
    [
        ([], "gap", "empty"),
        # condition is the same in every answer; there is only one participant
        ([observation("p", "s", 1), observation("q", "t", 0)], "condition", "unsupported"),
        ([observation("p", "s", 1, gap=4), observation("p", "t", 0)], "gap", "unsupported"),
    ],
)
def test_what_cannot_be_coded_is_refused(
    rows: list[Observation], text: str, kind: ErrorKind
) -> None:
    formula = parse(f"{text} + {BRACKETS}")
    with mistake(kind, f"--formula {str(formula)!r}"):
        coded(tabled(rows), formula, TREATMENT)


def test_a_column_that_others_give_is_found() -> None:
    """Attractors follow from the construction here: b has one, the others none."""
    found = coded(tabled(ROWS), parse(f"construction + attractors + {BRACKETS}"), TREATMENT)
    assert aliased(found) == ("attractors",)
    assert aliased(coded(tabled(ROWS), parse(f"condition * gap + {BRACKETS}"), TREATMENT)) == ()


def test_answers_that_vary_in_every_cell_are_not_separated() -> None:
    assert separating(coded(tabled(ROWS), parse(f"condition + {BRACKETS}"), TREATMENT)) == ()


@pytest.mark.parametrize("right", [0, 1])
def test_a_condition_that_everybody_has_right_or_wrong_separates(right: int) -> None:
    rows = [
        observation(
            f"p{k % 5}",
            f"s{k % 7}",
            right if k % 2 else int(k % 3 == 0),
            condition="nonce" if k % 2 else "original",
            gap=3 + k % 4,
        )
        for k in range(70)
    ]
    found = coded(tabled(rows), parse(f"condition + gap + {BRACKETS}"), TREATMENT)
    assert separating(found) == ("condition[nonce]",)


def test_a_number_that_sorts_right_from_wrong_separates() -> None:
    rows = [observation(f"p{k % 3}", f"s{k % 4}", int(k > 11), gap=k) for k in range(24)]
    found = separating(coded(tabled(rows), parse(f"gap + {BRACKETS}"), TREATMENT))
    assert "gap" in found


def test_nothing_but_right_answers_separate_the_intercept() -> None:
    rows = [observation(f"p{k % 3}", f"s{k % 4}", 1, gap=k % 5) for k in range(24)]
    assert (
        separating(coded(tabled(rows), parse(f"gap + {BRACKETS}"), TREATMENT))[0] == "(Intercept)"
    )
