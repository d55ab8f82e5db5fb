"""A component oracle: tries in rows against plain loops. What a node sees is its own text up to
itself, whatever stands beside it."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from colorless_green.data.arrays import offsets_of, range_indices, shared_prefix_lengths
from colorless_green.scoring.models._causal_reader import (
    PackedRows,
    RowWidths,
    mask_of,
    packed_rows,
)

Text: TypeAlias = tuple[int, ...]

UNBOUNDED = 1 << 62
texts = st.lists(st.integers(0, 2), max_size=6).map(tuple)
wide_texts = st.lists(st.sampled_from([0, 1, 255, 256, 65_535, 70_000]), max_size=4).map(tuple)
several = st.one_of(st.lists(texts, max_size=12), st.lists(wide_texts, max_size=8))
shapes = st.builds(
    RowWidths,
    width=st.sampled_from([1, 3, 8, UNBOUNDED]),
    max_length=st.sampled_from([0, 1, 3, 9, UNBOUNDED]),
)
TOGETHER = RowWidths(UNBOUNDED, UNBOUNDED)


@dataclass
class Flat:
    """Sequences as the functions under test take them, with other ids between."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


def flat(found: Sequence[Text]) -> Flat:
    ids = [each for text in found for each in (*text, 2)]
    lengths = np.array([len(text) for text in found], np.int64)
    return Flat(np.array(ids, np.int32), offsets_of(lengths + 1)[:-1], lengths)


def plant(found: Sequence[Text], shape: RowWidths) -> PackedRows:
    given_ = flat(found)
    return packed_rows(given_.ids, given_.starts, given_.lengths, shape)


def rows_of(layout: PackedRows) -> list[slice]:
    return [slice(*pair) for pair in itertools.pairwise(layout.offsets.tolist())]


def seen(layout: PackedRows, node: int) -> Text:
    """Return the ids that a node sees by the mask, itself included; in a row read alone, all
    before it."""
    nth = int(np.searchsorted(layout.offsets, node, side="right")) - 1
    row = rows_of(layout)[nth]
    if nth >= layout.n_packed:
        return tuple(layout.ids[row.start : node + 1].tolist())
    mask = mask_of(torch.from_numpy(layout.ends[row][None]), torch.float32)[0, 0]
    return tuple(layout.ids[row][(mask[node - row.start] == 0).numpy()].tolist())


@given(several, shapes)
def test_what_stands_at_a_position_is_asked_of_a_node_that_sees_just_what_stands_before(
    found: list[Text], shape: RowWidths
) -> None:
    layout = plant(found, shape)
    for text, place in zip(found, layout.node_starts.tolist(), strict=True):
        for index in range(len(text)):
            node = int(layout.nodes[place + index])
            assert seen(layout, node) == text[: index + 1]
            assert layout.depths[node] == index


@given(several, shapes)
def test_equal_beginnings_are_asked_of_one_node(found: list[Text], shape: RowWidths) -> None:
    layout = plant(found, shape)
    asked = {
        (text[: index + 1], int(layout.nodes[place + index]))
        for text, place in zip(found, layout.node_starts.tolist(), strict=True)
        for index in range(len(text))
    }
    assert len(asked) == len({beginning for beginning, _ in asked})


@given(several)
def test_in_one_row_every_beginning_is_read_once(found: list[Text]) -> None:
    layout = plant(found, TOGETHER)
    beginnings = {text[:n] for text in found for n in range(1, len(text) + 1)}
    assert len(layout.ids) == len(beginnings)
    assert len(rows_of(layout)) == layout.n_packed == bool(beginnings)


@given(several, shapes)
def test_no_row_is_wider_than_allowed_and_a_longer_text_is_read_alone(
    found: list[Text], shape: RowWidths
) -> None:
    layout = plant(found, shape)
    for nth, row in enumerate(rows_of(layout)):
        width = row.stop - row.start
        if nth < layout.n_packed:
            assert width <= shape.max_length
        else:
            assert width > shape.max_length
            assert tuple(layout.ids[row].tolist()) in found


@given(several, shapes)
def test_the_widest_rows_come_first(found: list[Text], shape: RowWidths) -> None:
    layout = plant(found, shape)
    widths = np.diff(layout.offsets).tolist()
    for part in (widths[: layout.n_packed], widths[layout.n_packed :]):
        assert part == sorted(part, reverse=True)


@given(st.lists(st.integers(1, 9), max_size=9), st.integers(1, 20))
def test_a_row_is_filled_up_before_the_next_is_begun(sizes: list[int], width: int) -> None:
    """Of texts that share nothing, in their order."""
    layout = plant([(n,) * size for n, size in enumerate(sizes)], RowWidths(width, UNBOUNDED))
    rows = sorted((layout.ids[row].tolist() for row in rows_of(layout)), reverse=True)
    assert [each for row in rows for each in dict.fromkeys(row)] == [*range(len(sizes))][::-1]
    for one, other in itertools.pairwise(rows):
        assert len(one) + sizes[other[0]] > width
    assert all(len(row) <= width or len({*row}) == 1 for row in rows)


def test_a_long_beginning_is_not_read_again_for_the_sake_of_a_narrow_row() -> None:
    start = tuple(range(100))
    found = [(*start, n, n) for n in range(20)]
    assert np.diff(plant(found, RowWidths(64, UNBOUNDED)).offsets).tolist() == [140]
    apart = [(n, *start[1:]) for n in range(20)]
    assert np.diff(plant(apart, RowWidths(64, UNBOUNDED)).offsets).tolist() == [100] * 20


@given(several)
def test_one_comparison_gives_the_mask_of_all_ancestors(found: list[Text]) -> None:
    layout = plant(found, TOGETHER)
    parents: list[int] = []
    latest: dict[int, int] = {}
    for node, depth in enumerate(layout.depths.tolist()):
        parents.append(latest.get(depth - 1, -1) if depth else -1)
        latest[depth] = node
    wanted = np.zeros((len(parents), len(parents)), dtype=bool)
    for node in range(len(parents)):
        above = node
        while above >= 0:
            wanted[node, above] = True
            above = parents[above]
    mask = mask_of(torch.from_numpy(layout.ends[None]), torch.float32)[0, 0]
    assert (mask == 0).tolist() == wanted.tolist()


def test_the_mask_is_added_and_never_infinite() -> None:
    """Eager attention adds it: a boolean one would hide nothing, −inf would make NaN."""
    layout = plant([(5, 6), (5, 7)], TOGETHER)
    lowest = torch.finfo(torch.float32).min
    mask = mask_of(torch.from_numpy(layout.ends[None]), torch.float32)
    assert mask.dtype == torch.float32
    assert mask[0, 0].tolist() == [[0, lowest, lowest], [0, 0, lowest], [0, lowest, 0]]
    assert layout.depths.tolist() == [0, 1, 1]


@given(several)
def test_what_two_rows_share_is_counted_as_a_loop_counts_it(found: list[Text]) -> None:
    given_ = flat(found)
    pairs = list(itertools.product(range(len(found)), repeat=2))
    ones, others = (np.array([pair[n] for pair in pairs], np.int64) for n in (0, 1))
    most = np.minimum(given_.lengths[ones], given_.lengths[others])
    counted = shared_prefix_lengths(given_.ids, given_.starts[ones], given_.starts[others], most)
    for (one, other), n in zip(pairs, counted.tolist(), strict=True):
        pairs_ = zip(found[one], found[other], strict=False)
        assert n == len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs_)))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4))))
def test_places_of_rows_stand_behind_each_other(rows: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array([row[n] for row in rows], np.int64) for n in (0, 1))
    wanted = [start + n for start, length in rows for n in range(length)]
    assert range_indices(starts, lengths).tolist() == wanted
    assert offsets_of(lengths).tolist() == [0, *itertools.accumulate(lengths.tolist())]
