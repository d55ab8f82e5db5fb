"""Sequences to rows and back: everything is answered, once, whatever the batches."""

import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.batches import (
    Chain,
    Row,
    batches,
    bits,
    chunks,
    log_probabilities,
    padded,
    projected,
    shared_rows,
)

ids = st.lists(st.integers(0, 2), min_size=1, max_size=6).map(tuple)


@st.composite
def chains(draw: st.DrawFn) -> list[Chain]:
    """Sequences over a small vocabulary, so that many begin alike."""
    found = draw(st.lists(ids, max_size=12))
    return [Chain(each, draw(st.integers(1, len(each)))) for each in found]


def pretend(before: tuple[int, ...], following: int) -> float:
    """A number that depends on all that stands before."""
    return -float(hash((before, following)) % 10_007)


class Answers:
    """Remembers the batches it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[Row]] = []

    def __call__(self, rows: Sequence[Row]) -> list[float]:
        self.asked.append(list(rows))
        return [pretend(row.ids[: at + 1], token) for row in rows for at, token in row.wanted]


@given(chains(), st.integers(1, 30))
def test_every_chain_gets_the_numbers_of_its_own_prefixes(asked: list[Chain], budget: int) -> None:
    wanted = [
        tuple(pretend(each.ids[:n], each.ids[n]) for n in range(each.first, len(each.ids)))
        for each in asked
    ]
    assert log_probabilities(asked, Answers(), budget) == wanted


@given(chains(), st.integers(1, 30))
def test_batches_keep_the_budget_and_no_question_comes_twice(
    asked: list[Chain], budget: int
) -> None:
    answers = Answers()
    log_probabilities(asked, answers, budget)
    rows = [row for batch in answers.asked for row in batch]
    for batch in answers.asked:
        assert len(batch) == 1 or len(batch) * max(len(row.ids) for row in batch) <= budget
    assert len({row.ids for row in rows}) == len(rows)
    questions = [(row.ids[: at + 1], token) for row in rows for at, token in row.wanted]
    assert len(set(questions)) == len(questions)


@given(chains())
def test_no_row_begins_another_one(asked: list[Chain]) -> None:
    rows, _ = shared_rows(asked)
    for one in rows:
        for other in rows:
            assert one is other or other.ids[: len(one.ids)] != one.ids


def test_one_token_continuations_of_a_prefix_are_one_row() -> None:
    rows, places = shared_rows([Chain((5, 6, 7), 2), Chain((5, 6, 8), 2), Chain((5, 6, 7, 9), 2)])
    assert rows == [Row((5, 6, 7), ((1, 7), (1, 8), (2, 9)))]
    assert places == [[0], [0], [0, 0]]


@given(st.lists(st.integers(1, 9)), st.integers(1, 30))
def test_batches_hold_every_index_once_longest_first(lengths: list[int], budget: int) -> None:
    found = list(batches(lengths, budget))
    flat = [index for batch in found for index in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[index] for index in flat] == sorted(lengths, reverse=True)


def test_padding_is_told_by_length_and_not_by_id() -> None:
    found, mask = padded([Row((3, 0), ()), Row((0, 0, 4), ())], torch.device("cpu"))
    assert found.tolist() == [[3, 0, 0], [0, 0, 4]]
    assert mask.tolist() == [[1, 1, 0], [1, 1, 1]]


@given(
    st.lists(
        st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 9),
)
def test_projecting_wanted_places_is_projecting_all_places(
    wanted: list[set[tuple[int, int]]], n_at_once: int
) -> None:
    rows = [Row((0,) * 4, tuple(sorted(pairs))) for pairs in wanted]
    made = torch.Generator().manual_seed(0)
    hidden = torch.randn(len(rows), 4, 3, generator=made)
    head = torch.randn(5, 3, generator=made)
    every = (hidden.double() @ head.double().T).log_softmax(-1)
    found = projected(hidden, rows, lambda some: some @ head.T, n_at_once)
    plain = [
        every[nth, at, token].item() for nth, row in enumerate(rows) for at, token in row.wanted
    ]
    assert found == pytest.approx(plain, abs=1e-6)


def test_bits_are_never_below_zero_and_never_hide_a_nan() -> None:
    found = bits([math.log(0.5), 1e-9, 0.0, -math.inf, math.nan])
    assert found[:4] == (1.0, 0.0, 0.0, math.inf)
    assert math.isnan(found[4])


@given(st.lists(st.integers()), st.integers(1, 5))
def test_chunks_lose_nothing(values: list[int], n: int) -> None:
    found = list(chunks(iter(values), n))
    assert [value for chunk in found for value in chunk] == values
    assert all(len(chunk) == n for chunk in found[:-1])
