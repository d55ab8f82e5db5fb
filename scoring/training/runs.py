"""Tables of numbers that need not fit in memory: on disk, sorted in runs, merged in blocks.

A row is some 64-bit numbers, a table many rows in a file without a name, which is gone when it is
closed, also after Ctrl-C or a crash. Sorting writes runs, each as many rows as memory allows, in
order; merging reads a little of every run at a time:

    run 1   2 3 5 | 8 9 …       in memory: up to the bars
    run 2   1 4 6 | 7 …         everything up to 5, the least of the last numbers in memory, can be
    run 3   3 7 8 | 9 …         put in order and given out, since all that is still to come is more

(Knuth, The Art of Computer Programming 3, section 5.4.)
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.files import unwritable

Rows: TypeAlias = NDArray[np.uint64]  # (n_rows, n_columns)
Fold: TypeAlias = Callable[[Rows, int], Rows]
"""(rows in order, how many columns are the key) → rows with every key once"""

N_BYTES = 8  # of a number
FAN_IN = 128  # runs merged at a time: beyond, each one's share of memory makes reading slow
LEAST_ROWS = 256  # of each run in memory while merging, for the same reason


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one width on disk."""

    stream: IO[bytes]
    n_columns: int
    folder: Path  # what an error names

    def __len__(self) -> int:
        return self.stream.seek(0, 2) // (N_BYTES * self.n_columns)

    def append(self, rows: Rows) -> None:
        """Raises `InputError` where there is no room left."""
        left = np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data
        try:
            self.stream.seek(0, 2)
            while left:
                left = left[self.stream.write(left) :]
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def read(self, start: int, stop: int) -> Rows:
        """The rows from `start` to `stop`, exclusive, which must be there."""
        rows = np.empty((stop - start, self.n_columns), dtype=np.uint64)
        left = rows.reshape(-1).view(np.uint8).data
        self.stream.seek(start * N_BYTES * self.n_columns)
        while left:
            n_bytes = self.stream.readinto(left)  # type: ignore[attr-defined]  # a raw file has it
            assert n_bytes, "the table ends before the rows asked for"
            left = left[n_bytes:]
        return rows

    def blocks(self, n_bytes: int) -> Iterator[Rows]:
        """All rows in order, about `n_bytes` at a time, but always one row or more."""
        total, step = len(self), rows_in(n_bytes, self.n_columns)
        for start in range(0, total, step):
            yield self.read(start, min(start + step, total))

    def close(self) -> None:
        """Gives the room on disk back."""
        self.stream.close()


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where tables are made, and how much memory work on them may take."""

    folder: Path
    memory: int  # bytes of arrays; what is used is a little less or, below 1 MB, more
    stack: ExitStack  # closes what was not closed before

    @property
    def block(self) -> int:
        """Bytes of the pieces in which a table is read."""
        return self.memory // 64

    def table(self, n_columns: int) -> Table:
        """An empty one. Raises `InputError` where the folder cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            stream = TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115  # the stack's
        except OSError as error:
            raise unwritable(self.folder, error) from error
        return Table(self.stack.enter_context(stream), n_columns, self.folder)


@dataclass(frozen=True, slots=True)
class Runs:
    """A table that is in order from each bound to the next."""

    table: Table
    bounds: tuple[int, ...]  # the first 0, the last the table's length
    n_keys: int  # so many columns, the first the most important, are the key
    fold: Fold


def rows_in(n_bytes: int, n_columns: int) -> int:
    """How many rows fit, at least one."""
    return max(1, n_bytes // (N_BYTES * n_columns))


def group_starts(keys: Rows) -> NDArray[np.intp]:
    """Where a key differs from the one before; the first always does. `keys` has a row or more."""
    differs = np.ones(len(keys), dtype=bool)
    differs[1:] = keys[1:, -1] != keys[:-1, -1]
    for column in range(keys.shape[1] - 1):
        differs[1:] |= keys[1:, column] != keys[:-1, column]
    return np.flatnonzero(differs)


def each(rows: Rows, n_keys: int) -> Rows:
    """The fold for keys that are all different: nothing to do."""
    return rows


def first_of_each(rows: Rows, n_keys: int) -> Rows:
    """The fold that keeps one row of those with the same key."""
    return rows[group_starts(rows[:, :n_keys])]


def added_up(rows: Rows, n_keys: int) -> Rows:
    """The fold that adds the last column of rows with the same key."""
    starts = group_starts(rows[:, :n_keys])
    folded = rows[starts]
    folded[:, -1] = np.add.reduceat(rows[:, -1], starts)
    return folded


def sorted_runs(
    blocks: Iterable[Rows], n_columns: int, n_keys: int, fold: Fold, scratch: Scratch
) -> Runs:
    """The rows of `blocks`, as runs on disk; in memory a sixth of what is allowed, twice."""
    buffer = np.empty((rows_in(scratch.memory // 6, n_columns), n_columns), dtype=np.uint64)
    table, bounds, filled = scratch.table(n_columns), [0], 0
    for block in blocks:
        start = 0
        while start < len(block):
            taken = block[start : start + len(buffer) - filled]
            buffer[filled : filled + len(taken)] = taken
            start, filled = start + len(taken), filled + len(taken)
            if filled == len(buffer):
                filled = _flush(buffer, table, bounds, n_keys, fold)
    if filled:
        _flush(buffer[:filled], table, bounds, n_keys, fold)
    return Runs(table, tuple(bounds), n_keys, fold)


def _flush(rows: Rows, table: Table, bounds: list[int], n_keys: int, fold: Fold) -> int:
    """Writes a run; how full the buffer is then."""
    run = fold(_in_order(rows, n_keys), n_keys)
    table.append(run)
    bounds.append(bounds[-1] + len(run))
    return 0


def _in_order(rows: Rows, n_keys: int) -> Rows:
    if n_keys == 1:
        return rows[np.argsort(rows[:, 0])]  # a third of the time of a stable sort
    return rows[np.lexsort(rows[:, :n_keys].T[::-1])]


def merged(runs: Runs, scratch: Scratch) -> Iterator[Rows]:
    """All rows in order, in blocks of any length; a sixteenth of the memory allowed, thrice.

    The runs' table is closed at the end.
    """
    share = rows_in(scratch.memory // 16, runs.table.n_columns)
    most = min(FAN_IN, max(2, share // LEAST_ROWS))
    while len(runs.bounds) - 1 > most:
        runs = _fewer(runs, most, share, scratch)
    yield from _merged(runs, list(pairwise(runs.bounds)), share)
    runs.table.close()


def _fewer(runs: Runs, most: int, share: int, scratch: Scratch) -> Runs:
    """The same rows in runs `most` times as long."""
    spans = list(pairwise(runs.bounds))
    table, bounds = scratch.table(runs.table.n_columns), [0]
    for first in range(0, len(spans), most):
        for block in _merged(runs, spans[first : first + most], share):
            table.append(block)
        bounds.append(len(table))
    runs.table.close()
    return Runs(table, tuple(bounds), runs.n_keys, runs.fold)


def _merged(runs: Runs, spans: list[tuple[int, int]], share: int) -> Iterator[Rows]:
    """The rows of the runs at `spans` in order, with `share` rows in memory (but one of each)."""
    if not spans:
        return
    step = max(1, share // len(spans))
    rest = dict(enumerate(spans))  # what of each run is still on disk
    heads: dict[int, Rows] = {}  # and what of it is in memory
    while rest or heads:
        for run, (start, stop) in [item for item in rest.items() if item[0] not in heads]:
            heads[run] = runs.table.read(start, min(start + step, stop))
            rest[run] = (start + len(heads[run]), stop)
            if rest[run][0] == stop:
                del rest[run]
        pieces = _next_pieces(heads, rest, runs.n_keys)
        rows = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        yield rows if len(pieces) == 1 else runs.fold(_in_order(rows, runs.n_keys), runs.n_keys)


def _next_pieces(
    heads: dict[int, Rows], rest: dict[int, tuple[int, int]], n_keys: int
) -> list[Rows]:
    """What no row still on disk can come before; it is taken off `heads`."""
    if not rest:
        pieces = list(heads.values())
        heads.clear()
        return pieces
    pivot = min(tuple(heads[run][-1, :n_keys].tolist()) for run in rest)
    pieces = []
    for run, rows in list(heads.items()):
        n_rows = _up_to(rows, pivot)
        if n_rows:
            pieces.append(rows[:n_rows])
        if n_rows == len(rows):
            del heads[run]
        else:
            heads[run] = rows[n_rows:]
    return pieces


def _up_to(rows: Rows, pivot: tuple[int, ...]) -> int:
    """How many of `rows`, which are in order, have a key that is at most `pivot`."""
    low, high = 0, len(rows)
    for column, value in enumerate(pivot):
        numbers = np.ascontiguousarray(rows[low:high, column])
        wanted = np.uint64(value)
        low, high = (
            low + int(np.searchsorted(numbers, wanted, side="left")),
            low + int(np.searchsorted(numbers, wanted, side="right")),
        )
    return high


def whole_groups(
    blocks: Iterable[Rows], key: Callable[[Rows], Rows]
) -> Iterator[tuple[Rows, NDArray[np.intp]]]:
    """(rows, where each group starts in them): no group, rows of the same key, is cut in two.

    The rows must be in the order of the key. The largest group must fit in memory.
    """
    held: list[Rows] = []
    for block in blocks:
        if not len(block):
            continue
        rows = np.concatenate([*held, block]) if held else block
        starts = group_starts(key(rows))
        if len(starts) > 1:
            yield rows[: starts[-1]], starts[:-1]
        held = [rows[starts[-1] :]]
    for rows in held:
        yield rows, np.zeros(1, dtype=np.intp)


def taker(blocks: Iterable[Rows]) -> Callable[[int], Rows]:
    """A function that gives the next n ≥ 1 rows of `blocks`, however they are cut."""
    source = iter(blocks)
    held: list[Rows] = []

    def take(n_rows: int) -> Rows:
        while sum(map(len, held)) < n_rows:
            held.append(next(source))
        rows = held[0] if len(held) == 1 else np.concatenate(held)
        held[:] = [rows[n_rows:]]
        return rows[:n_rows]

    return take
