"""Batches of rows: every place once, within limits, in halves where memory ends."""

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.reads import (
    Limits,
    Place,
    Read,
    Row,
    asked_once,
    batches,
    halved,
    places,
    read_off,
)

ids = st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple)
questions = st.tuples(
    st.builds(Row, ids, st.integers(0, 1)), st.tuples(st.just(0), st.integers(0, 4))
)
asked = st.lists(st.lists(questions, max_size=4), max_size=8)
limits = st.builds(Limits, st.integers(1, 12), st.integers(1, 6))


def number(row: Row, place: Place) -> float:
    return float(sum((n + 2) * each for n, each in enumerate((*row.ids, row.source, *place))))


@given(asked, limits)
def test_every_question_gets_its_answer_and_equal_rows_are_read_once(
    wanted: list[list[tuple[Row, Place]]], limit: Limits
) -> None:
    read: list[Row] = []

    def answer(reads: Sequence[Read]) -> list[float]:
        read.extend(each.row for each in reads)
        return [number(each.row, place) for each in reads for place in each.wanted]

    found = asked_once(wanted, answer, limit)
    assert found == [[number(row, place) for row, place in every] for every in wanted]
    assert len(read) == len(set(read)) == len({row for every in wanted for row, _ in every})


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), max_size=12), limits)
def test_batches_hold_what_they_may_and_one_row_always(
    rows: list[tuple[int, int]], limit: Limits
) -> None:
    lengths, n_wanted = [each[0] for each in rows], [each[1] for each in rows]
    found = list(batches(lengths, n_wanted, limit))
    assert sorted(index for batch in found for index in batch) == list(range(len(rows)))
    for batch in found:
        fits = (
            len(batch) * max(lengths[index] for index in batch) <= limit.n_ids
            and sum(n_wanted[index] for index in batch) <= limit.n_places
        )
        assert fits or len(batch) == 1
    order = [lengths[index] for batch in found for index in batch]
    assert order == sorted(order, reverse=True)


@given(st.integers(1, 9), st.integers(1, 9))
def test_a_batch_that_memory_cannot_hold_is_asked_in_halves(n_rows: int, n_fit: int) -> None:
    reads = [Read(Row((n,)), ((0, n),)) for n in range(n_rows)]

    def answer(some: Sequence[Read]) -> list[float]:
        if len(some) > n_fit:
            raise torch.OutOfMemoryError
        return [float(each.row.ids[0]) for each in some]

    assert list(halved(reads, answer)) == [float(n) for n in range(n_rows)]


def test_a_row_that_memory_cannot_hold_alone_is_no_endless_loop() -> None:
    def answer(_reads: Sequence[Read]) -> list[float]:
        raise torch.OutOfMemoryError

    with pytest.raises(torch.OutOfMemoryError):
        halved([Read(Row((1,)), ((0, 1),))] * 3, answer)


def test_probabilities_in_one_place_sum_to_one() -> None:
    logits = torch.tensor([[1.0, 2.0, -3.0, 0.5], [9.0, 9.0, 9.0, 9.0]])
    reads = [
        Read(Row((7,)), tuple((0, token) for token in range(4))),
        Read(Row((7, 8)), ((1, 2), (1, 3))),
    ]
    assert places(reads) == [(0, 0), (1, 1)]
    found = torch.tensor(read_off(logits, reads)).exp()
    assert found[:4].sum().item() == pytest.approx(1)
    assert found[4:].tolist() == pytest.approx([0.25, 0.25])
