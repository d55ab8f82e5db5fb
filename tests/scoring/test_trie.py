"""A component oracle: tries in rows against plain loops. What a node sees is its own text up to
itself, whatever stands beside it."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.align import common_length
from colorless_green.scoring.batches import Chain
from colorless_green.scoring.packed import pack, visible
from colorless_green.scoring.trie import Grove, distinct, filled, grow, plant, rows_of

texts = st.lists(st.integers(0, 2), min_size=1, max_size=6).map(tuple)
crossovers = st.sampled_from([1e-9, 3.0, 30.0, math.inf])
CPU = torch.device("cpu")


@st.composite
def chains(draw: st.DrawFn) -> list[Chain]:
    """Sequences over a small vocabulary, so that many begin alike; some want masses."""
    found = []
    for ids in draw(st.lists(texts, max_size=12)):
        masses = draw(
            st.lists(st.tuples(st.integers(0, len(ids) - 1), st.integers(-2, -1)), max_size=2)
        )
        found.append(Chain(ids, draw(st.integers(1, len(ids))), tuple(masses)))
    return found


def seen(grove: Grove, node: int) -> tuple[int, ...]:
    """The ids that a node sees by the mask, itself included."""
    mask = visible(torch.tensor([grove.ends]))[0, node].tolist()
    return tuple(id_ for id_, visible_ in zip(grove.ids, mask, strict=True) if visible_)


@given(chains(), crossovers, st.integers(1, 9))
def test_every_question_is_put_to_a_node_that_sees_just_what_stands_before(
    asked: list[Chain], crossover: float, widest: int
) -> None:
    planting = plant(asked, crossover, widest)
    for chain, places in zip(asked, planting.places, strict=True):
        for (index, what), (nth, slot) in zip(chain.wanted(), places, strict=True):
            grove = planting.groves[nth]
            node, asked_for = grove.wanted[slot]
            assert asked_for == what
            assert seen(grove, node) == chain.ids[: index + 1]
            assert grove.depths[node] == index


@given(chains(), crossovers)
def test_equal_questions_are_put_to_one_node(asked: list[Chain], crossover: float) -> None:
    planting = plant(asked, crossover, 1 << 62)
    questions = [
        (seen(grove, node), what) for grove in planting.groves for node, what in grove.wanted
    ]
    assert len(set(questions)) == len(questions)


@given(chains())
def test_in_one_row_every_beginning_is_read_once(asked: list[Chain]) -> None:
    groves = plant(asked, math.inf, 1 << 62).groves
    beginnings = {each.read()[:n] for each in asked for n in range(1, len(each.read()) + 1)}
    assert sum(len(grove.ids) for grove in groves) == len(beginnings)
    assert len(groves) <= 1


@given(chains(), crossovers, st.integers(1, 9))
def test_no_row_is_wider_than_allowed_but_for_a_longer_text(
    asked: list[Chain], crossover: float, widest: int
) -> None:
    longest = max((len(each.read()) for each in asked), default=0)
    for grove in plant(asked, crossover, widest).groves:
        assert len(grove.ids) <= max(widest, longest)


@given(st.lists(texts, min_size=1, max_size=7), st.sampled_from([2.0, 8.0, 40.0]))
def test_rows_are_cut_where_it_is_cheapest(found: list[tuple[int, ...]], crossover: float) -> None:
    sequences, _ = distinct(found)

    def cost(borders: tuple[int, ...]) -> float:
        sizes = [len(grow(sequences[a:b])[0].ids) for a, b in itertools.pairwise(borders)]
        return sum(n + n**2 / crossover for n in sizes)

    inner = range(1, len(sequences))
    every = [
        (0, *cuts, len(sequences))
        for n in range(len(sequences))
        for cuts in itertools.combinations(inner, n)
    ]
    shared = [0, *(common_length(*pair) for pair in itertools.pairwise(sequences))]
    chosen = (0, *(end for _, end, _ in rows_of(sequences, shared, crossover, 1 << 62)))
    assert cost(chosen) == pytest.approx(min(map(cost, every)))


@given(st.lists(st.integers(1, 9)), st.integers(1, 20))
def test_rows_are_filled_with_everything_once(sizes: list[int], width: int) -> None:
    rows = filled(sizes, width)
    assert sorted(index for row in rows for index in row) == list(range(len(sizes)))
    for row in rows:
        assert len(row) == 1 or sum(sizes[index] for index in row) <= width
    loads = sorted(sum(sizes[index] for index in row) for row in rows)
    assert all(one + other > width for one, other in itertools.pairwise(loads))


@given(st.lists(texts, min_size=1, max_size=9))
def test_one_comparison_gives_the_mask_of_all_ancestors(found: list[tuple[int, ...]]) -> None:
    sequences, _ = distinct(found)
    grove, _ = grow(sequences)
    parents: list[int] = []
    latest: dict[int, int] = {}
    for node, depth in enumerate(grove.depths):
        parents.append(latest.get(depth - 1, -1) if depth else -1)
        latest[depth] = node
    wanted = np.zeros((len(parents), len(parents)), dtype=bool)
    for node in range(len(parents)):
        above = node
        while above >= 0:
            wanted[node, above] = True
            above = parents[above]
    assert visible(torch.tensor([grove.ends]))[0].tolist() == wanted.tolist()


def test_the_mask_is_added_and_never_infinite() -> None:
    """Eager attention adds it: a boolean one would hide nothing, −inf would make NaN."""
    grove, _ = grow([(5, 6), (5, 7)])
    batch = pack([grove, replace(grove, ids=(4,), depths=(0,), ends=(0,))], torch.float32, CPU)
    lowest = torch.finfo(torch.float32).min
    assert batch.mask.dtype == torch.float32
    assert batch.mask[0, 0].tolist() == [[0, lowest, lowest], [0, 0, lowest], [0, lowest, 0]]
    assert batch.ids.tolist() == [[5, 6, 7], [4, 0, 0]]
    assert batch.positions.tolist() == [[0, 1, 1], [0, 0, 0]]


def test_padding_sees_itself_alone_and_nobody_sees_it() -> None:
    long, _ = grow([(1, 2, 3)])
    short, _ = grow([(1,)])
    mask = pack([long, short], torch.float32, CPU).mask[1, 0] == 0
    assert mask.tolist() == torch.eye(3, dtype=torch.bool).tolist()
