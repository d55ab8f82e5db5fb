"""How treebanks differ in what nonce variants they allow."""

import pytest

from bench.sets import LEVELS, levels
from colorless_green.data import sample


@pytest.mark.slow
def test_a_row_of_levels_has_what_is_left_out_and_what_each_level_serves() -> None:
    n, n_left, *served, n_variants, n_free, _, n_free_variants = map(
        int, map(str, levels(str(sample.treebank("it")), "tested"))
    )
    assert len(served) == len(LEVELS)
    assert served == sorted(served, reverse=True)
    assert n - n_left >= served[0] >= n_free > 0
    assert 0 < n_variants <= n_free_variants
