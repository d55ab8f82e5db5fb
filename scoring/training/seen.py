"""The fingerprints of a text of any size, sorted on disk: those of `text.fingerprints`."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import numpy as np

from colorless_green.data.files import opened, write_whole_bytes
from colorless_green.scoring.training.runs import (
    Rows,
    Scratch,
    first_of_each,
    merged,
    rows_in,
    sorted_runs,
)
from colorless_green.scoring.training.text import Line, fingerprint


def sorted_fingerprints(lines: Iterable[Line], folder: Path, memory: int) -> Iterator[bytes]:
    """The fingerprints of all sentences, each once, as 64-bit big-endian integers, in blocks.

    `memory` is in bytes, `folder` where numbers lie for a while. Raises `InputError` where it is
    full or cannot be written.
    """
    with ExitStack() as stack:
        scratch = Scratch(folder, memory, stack)
        runs = sorted_runs(_blocks(lines, scratch), 1, 1, first_of_each, scratch)
        for rows in merged(runs, scratch):
            yield rows.astype(">u8").tobytes()


def _blocks(lines: Iterable[Line], scratch: Scratch) -> Iterator[Rows]:
    values = (fingerprint(line.words) for line in lines)
    while len(block := np.fromiter(islice(values, rows_in(scratch.block, 1)), dtype=np.uint64)):
        yield block[:, None]


def write_seen(path: Path, lines: Iterable[Line], memory: int) -> None:
    """The file of all fingerprints, whole or not at all."""
    with write_whole_bytes(path) as stream:
        for block in sorted_fingerprints(lines, path.parent, memory):
            stream.write(block)


def holds(path: Path, lines: Iterable[Line], memory: int) -> bool:
    """Whether the file is the one that `write_seen` would write for these sentences."""
    with opened(path) as stream:
        blocks = sorted_fingerprints(lines, path.parent, memory)
        return all(stream.read(len(block)) == block for block in blocks) and not stream.read(1)
