"""Which sentences of a table a text may be, without trying them all."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.scoring.tables.line import Line


@dataclass(frozen=True, slots=True)
class Index:
    """Lines by their letters."""

    whole: Mapping[str, Sequence[int]]  # the letters of lines without unknown words
    heads: Sequence[tuple[str, int]]  # of all lines, sorted
    opened: Mapping[str, Sequence[int]]  # the heads of lines with unknown words
    lengths: Sequence[int]  # of those heads, each once


def index_of(lines: Sequence[Line]) -> Index:
    """The index of a table's sentences, which keep their numbers (from 0)."""
    whole: dict[str, list[int]] = defaultdict(list)
    opened: dict[str, list[int]] = defaultdict(list)
    heads: list[tuple[str, int]] = []
    for number, line in enumerate(lines):
        head = line.head
        heads.append((head, number))
        (opened if line.is_open else whole)[head].append(number)
    return Index(whole, sorted(heads), opened, sorted(set(map(len, opened))))


def spelling(index: Index, letters: str, *, whole: bool) -> Iterator[int]:
    """The lines whose known words have these letters: all of them, or (not `whole`) at the
    start."""
    if whole:
        yield from index.whole.get(letters, ())
        return
    at = bisect_left(index.heads, (letters, -1))
    while at < len(index.heads) and index.heads[at][0].startswith(letters):
        yield index.heads[at][1]
        at += 1


def fitting(index: Index, letters: str) -> Iterator[int]:
    """The lines that have an unknown word where these letters go on."""
    for length in index.lengths:
        if length <= len(letters):
            yield from index.opened.get(letters[:length], ())
