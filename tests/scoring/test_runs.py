"""A component oracle: sorting and merging on disk give what sorting in memory gives, with however
little."""

import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.training.packing import Packing, packing_of
from colorless_green.scoring.training.runs import (
    Rows,
    Scratch,
    added_up,
    each,
    first_of_each,
    merged,
    sorted_runs,
    taker,
    whole_groups,
)
from tests.builders import mistake

Row: TypeAlias = tuple[int, ...]

memories = st.sampled_from([1, 500, 5_000, 100_000])
numbers = st.integers(0, 6) | st.integers(0, 2**64 - 1)
rows = st.lists(st.tuples(numbers, numbers, st.integers(1, 9)), max_size=80)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@contextmanager
def scratch_in(folder: Path, memory: int) -> Iterator[Scratch]:
    with ExitStack() as stack:
        yield Scratch(folder, memory, stack)
    assert list(folder.iterdir()) == []


def array_of(values: list[Row], n_columns: int = 3) -> Rows:
    return np.array(values, dtype=np.uint64).reshape(-1, n_columns)


def cut(values: list[Row], size: int) -> Iterator[Rows]:
    return (array_of(values[start : start + size]) for start in range(0, len(values), size))


def listed(blocks: Iterator[Rows]) -> list[Row]:
    return [tuple(row) for block in blocks for row in block.tolist()]


@given(rows, st.integers(1, 9), memories)
def test_counts_of_equal_keys_are_added_and_come_in_order(
    folder: Path, values: list[Row], size: int, memory: int
) -> None:
    expected = [
        (*key, sum(row[2] for row in group))
        for key, group in groupby(sorted(values), key=lambda row: row[:2])
    ]
    with scratch_in(folder, memory) as scratch:
        runs = sorted_runs(cut(values, size), 3, 2, added_up, scratch)
        assert listed(merged(runs, scratch)) == expected


@given(rows, memories)
def test_one_of_equal_keys_is_kept(folder: Path, values: list[Row], memory: int) -> None:
    with scratch_in(folder, memory) as scratch:
        runs = sorted_runs(cut(values, 7), 3, 3, first_of_each, scratch)
        assert listed(merged(runs, scratch)) == sorted(set(values))


@given(st.permutations(range(70)), memories)
def test_rows_are_put_back_in_the_order_of_their_index(
    folder: Path, order: list[int], memory: int
) -> None:
    with scratch_in(folder, memory) as scratch:
        runs = sorted_runs(cut([(i, i * i, 1) for i in order], 9), 3, 1, each, scratch)
        assert listed(merged(runs, scratch)) == [(i, i * i, 1) for i in range(70)]


@given(rows, st.integers(1, 9))
def test_no_group_is_cut_and_none_is_lost(values: list[Row], size: int) -> None:
    values = sorted(values)
    found = list(whole_groups(cut(values, size), lambda block: block[:, :1]))
    groups = [
        [tuple(row) for row in part.tolist()]
        for block, starts in found
        for part in np.split(block, starts[1:])
    ]
    assert groups == [list(group) for _, group in groupby(values, key=lambda row: row[0])]


@given(rows.filter(bool), st.integers(1, 9), st.data())
def test_rows_are_taken_however_they_are_cut(
    values: list[Row], size: int, data: st.DataObject
) -> None:
    take, taken = taker(cut(values, size)), 0
    while taken < len(values):
        n_rows = data.draw(st.integers(1, len(values) - taken))
        expected = values[taken : taken + n_rows]
        assert [tuple(row) for row in take(n_rows).tolist()] == expected
        taken += n_rows


def test_a_table_is_read_in_parts(folder: Path) -> None:
    with scratch_in(folder, 1) as scratch:
        table = scratch.table(3)
        table.append(array_of([]))
        assert (len(table), list(table.blocks(48))) == (0, [])
        table.append(array_of([(1, 2, 3), (4, 5, 6)]))
        table.append(array_of([(7, 8, 9)]))
        assert table.read(1, 3).tolist() == [[4, 5, 6], [7, 8, 9]]
        assert table.read(2, 2).shape == (0, 3)
        assert [block.tolist() for block in table.blocks(48)] == [
            [[1, 2, 3], [4, 5, 6]],
            [[7, 8, 9]],
        ]


def test_sorting_takes_no_more_memory_than_is_allowed(folder: Path) -> None:
    n_rows, memory = 200_000, 1 << 20  # 4.8 MB of rows
    generator = np.random.default_rng(0)

    def blocks() -> Iterator[Rows]:
        for _ in range(0, n_rows, 1000):
            yield generator.integers(0, 1 << 40, (1000, 3), dtype=np.uint64)

    with scratch_in(folder, memory) as scratch:
        tracemalloc.start()
        try:
            runs = sorted_runs(blocks(), 3, 2, each, scratch)
            previous, total = (0, 0, 0), 0
            for block in merged(runs, scratch):
                assert previous <= tuple(block[0].tolist())
                previous, total = tuple(block[-1].tolist()), total + len(block)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert total == n_rows
    assert peak < memory


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with ExitStack() as stack, mistake("unwritable", file / "folder"):
        Scratch(file / "folder", 1 << 20, stack).table(1)


@given(st.integers(1, 9), st.integers(1, 2**32), st.data())
def test_packed_ngrams_sort_as_their_words_do_and_come_back(
    n_words: int, n_types: int, data: st.DataObject
) -> None:
    packing = packing_of(n_types)
    word = st.integers(0, n_types - 1)
    grams = data.draw(st.lists(st.tuples(*[word] * n_words), min_size=1, max_size=20))
    columns = list(np.array(grams, dtype=np.uint64).reshape(-1, n_words).T)
    packed = packing.packed(columns)
    assert packed.shape == (len(grams), packing.n_numbers(n_words))
    in_order = sorted(range(len(grams)), key=lambda i: tuple(packed[i].tolist()))
    assert [grams[i] for i in in_order] == sorted(grams)
    for index in range(n_words):
        assert packing.word(packed, index).tolist() == [gram[index] for gram in grams]
    for n in range(1, n_words):
        shorter = packing.packed(columns[:n])
        assert packing.leading(packed, n).tolist() == shorter.tolist()


def test_as_many_words_as_fit_whole_share_a_number() -> None:
    assert packing_of(1 << 20) == Packing(20)
    assert [Packing(20).n_numbers(n) for n in range(1, 8)] == [1, 1, 1, 2, 2, 2, 3]
    assert packing_of(1) == packing_of(2) == Packing(1)
