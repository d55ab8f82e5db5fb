"""Component oracle. How near a decision may be before the number type makes it."""

import pytest

from colorless_green.scoring.outcomes.evaluate import fragile_bits


def test_errors_of_many_subwords_add_up_in_half_precision_only() -> None:
    for dtype in ("bfloat16", "float16"):
        assert fragile_bits(dtype, 25) == pytest.approx(5 * fragile_bits(dtype, 1))
    assert (
        fragile_bits("float32", 25) == fragile_bits("float32", 1) == pytest.approx(1e-4, rel=0.02)
    )


def test_less_exact_types_leave_more_in_doubt() -> None:
    limits = [fragile_bits(dtype) for dtype in ("float64", "float32", "float16", "bfloat16")]
    assert limits[0] == limits[1] < limits[2] < limits[3]
