"""Only what is wanted is projected, and it is what the whole matrix says."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.memory import Memory
from colorless_green.scoring.projection import Head, Projection, normalise

CPU = torch.device("cpu")


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


wanted_of_states = st.lists(
    st.lists(st.integers(-2, 4), min_size=1, max_size=4), min_size=1, max_size=9
)
scales = st.sampled_from([1.0, 0.0625])
caps = st.sampled_from([None, 3.0])


@given(wanted_of_states, st.integers(1, 9), scales, caps, st.booleans())
def test_answers_are_those_of_the_whole_matrix(
    asked: list[list[int]], n_rows: int, scale: float, cap: float | None, biased: bool
) -> None:
    hidden, weight, bias = drawn(len(asked), 3), drawn(5, 3, seed=1), drawn(5, seed=2)
    sets = torch.tensor([[1.0, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    z = (hidden @ weight.T + (bias if biased else 0)).double() * scale
    every = (z if cap is None else cap * (z / cap).tanh()).log_softmax(-1)
    masses = (every.exp() @ sets.double()).log()
    head = Head(weight, bias if biased else None, scale, cap)
    projection = Projection(head, sets, Memory(1, n_rows), CPU)
    for n, every_one in enumerate(asked):
        projection.add(hidden[n : n + 1], [[(w, (n, k)) for k, w in enumerate(every_one)]])
    projection.flush()
    for n, every_one in enumerate(asked):
        for k, what in enumerate(every_one):
            wanted = every[n, what] if what >= 0 else masses[n, -1 - what]
            assert projection.answers[n, k] == pytest.approx(wanted.item(), abs=2e-6)


@given(st.integers(1, 40), st.floats(-200, 200))
def test_the_normaliser_neither_overflows_nor_depends_on_the_blocks(
    together: int, shift: float
) -> None:
    logits = drawn(7, 11) + shift
    wanted = logits.double().logsumexp(-1)
    found, masses = normalise(logits.clone(), None, together)
    assert masses is None
    assert found.tolist() == pytest.approx(wanted.tolist(), rel=1e-6, abs=1e-6)


def test_every_column_counts_padding_of_the_vocabulary_and_end_of_text_included() -> None:
    """The model's own distribution: to leave out a column would make all others too likely."""
    logits = torch.zeros(1, 64)
    found, _ = normalise(logits, None, 1 << 10)
    assert found.item() == pytest.approx(torch.tensor(64.0).log().item())
