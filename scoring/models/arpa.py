r"""ARPA files: back-off n-gram models as text, written by us, SRILM, KenLM and others.

    \data\
    ngram 1=5              how many n-grams of each order
    ngram 2=7

    \1-grams:
    -0.4694    keys    -0.301      log10 p, the words, log10 of the back-off weight
    …
    \2-grams:
    -0.3771    the keys            none for the highest order
    …
    \end\

A word that follows a context that is not listed gets the probability after the shorter context,
times the back-off weight of the longer one (1 where that is not listed either). Scoring is KenLM's
work (`backends/ngram.py`); here files are written, and read where a line has to be named or only
the words are wanted.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats
from ...data.errors import InputError
from ...data.files import decoded, numbered_lines, write_whole
from ...data.opening import opened
from ...data.progress import Progress, silent

Ids: TypeAlias = NDArray[np.uint32]

HEAD, FOOT = "\\data\\", "\\end\\"
# separators of KenLM (`lm/read_arpa.cc`); `str.split()` would split at U+00A0 too
FIELDS = re.compile(r"[ \t]+")
COUNT = re.compile(r"ngram[ \t]+([0-9]+)[ \t]*=[ \t]*([0-9]+)[ \t]*")
BLOCK = 1 << 24  # bytes decoded at a time
CHUNK = 1 << 18  # n-grams turned into text at a time: as quick as more, in 50 MB


@dataclass(frozen=True, slots=True)
class NgramSection:
    """All n-grams of one order, each as a word before one of the order below."""

    head: Ids  # (n_grams,): the first word, as index into the vocabulary
    suffix: Ids  # (n_grams,): index of the rest in the section below; 0 in the lowest
    log10_p: Floats  # (n_grams,), ≤ 0
    log10_backoff: Floats  # (n_grams,); of no meaning in the highest order


@dataclass(frozen=True, slots=True)
class NgramEntry:
    """One n-gram as a file lists it."""

    words: tuple[str, ...]
    log10_p: float
    log10_backoff: float  # 0 where the file gives none


def write(
    path: Path,
    vocabulary: Sequence[str],
    sections: Sequence[NgramSection],
    progress: Progress = silent,
) -> None:
    """Write one section per order, from 1, whole or not at all.

    Every n-gram's prefix and suffix must be listed too (KenLM asks for it). Values have ten
    digits: enough for probabilities to sum to one within 1e-9; KenLM rounds them to float32.
    """
    names = pl.Series(vocabulary, dtype=pl.String)
    total, n_done = sum(len(section.head) for section in sections), 0
    with write_whole(path) as stream:
        stream.write(f"{HEAD}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"ngram {order}={len(section.head)}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"\n\\{order}-grams:\n")
            for start in range(0, len(section.head), CHUNK):
                rows = slice(start, start + CHUNK)
                words = [names.gather(ids) for ids in _words(sections[:order], rows)]
                columns = [
                    _ten_digits(section.log10_p[rows]),
                    pl.select(pl.concat_str(words, separator=" ")).to_series().alias("words"),
                    _ten_digits(section.log10_backoff[rows]).alias("backoff"),
                ]
                block = pl.DataFrame(columns[: 2 if order == len(sections) else 3])
                stream.write(
                    block.write_csv(include_header=False, separator="\t", quote_style="never")
                )
                n_done += len(block)
                progress("write the model", n_done, total)
        stream.write(f"\n{FOOT}\n")


def _words(sections: Sequence[NgramSection], rows: slice) -> Iterator[Ids]:
    """Yield the words of the n-grams of the last section, first words first."""
    selected: slice | Ids = rows
    for section in reversed(sections):
        yield section.head[selected]
        selected = section.suffix[selected]


def _ten_digits(values: Floats) -> pl.Series:
    return pl.Series(values).round_sig_figs(10).cast(pl.String).str.strip_suffix(".0")


def read_counts(path: Path) -> tuple[int, ...]:
    """Read the numbers of n-grams, by order from 1, in the head of an ARPA file (gzipped or not).

    Raises `InputError` for a file that is no ARPA file, skips an order, or is too short for its
    n-grams.
    """
    counts = _head(_Lines(path))
    n_bytes = path.stat().st_size
    if path.suffix != ".gz" and 4 * sum(counts) > n_bytes:  # the shortest line is "0\ta\n"
        wrong = f"{sum(counts):,} n-grams promised in {n_bytes:,} bytes"
        raise InputError(str(path), wrong, "the whole file", kind="format")
    return counts


def check_utf8(path: Path) -> None:
    """Raise `InputError` with the line of bytes that are not UTF-8, anywhere in a file."""
    with opened(path) as stream:
        number, remainder = 1, b""
        while block := stream.read(BLOCK):
            *ended, remainder = (remainder + block).rsplit(b"\n", 1)
            for lines in ended:
                decoded(lines, str(path), number)
                number += lines.count(b"\n") + 1
        decoded(remainder, str(path), number)


def read(path: Path) -> Iterator[NgramEntry]:
    """Yield the n-grams of an ARPA file, gzipped or not, in its order; nothing is kept in memory
    but the words.

    Fields may be separated by spaces or tabs, a back-off weight may be missing. Raises
    `InputError` with the line at the first that is wrong.
    """
    lines = _Lines(path)
    counts = _head(lines)
    listed_words: set[str] = set()
    for order, n_grams in enumerate(counts, start=1):
        lines.expect(f"\\{order}-grams:")
        for _ in range(n_grams):
            entry = _entry(lines, order, order == len(counts))
            if order == 1:
                listed_words.update(entry.words)
            elif not listed_words.issuperset(entry.words):
                unknown = next(word for word in entry.words if word not in listed_words)
                raise lines.fault(f"{unknown!r} is no 1-gram", "words that are listed there")
            yield entry
    lines.expect(FOOT)


class _Lines:
    """The lines of a file one by one, and what is wrong with the last that was read."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines, self.number = path, numbered_lines(path), 0

    def following(self) -> str | None:
        """Return the next line; None behind the last."""
        self.number, line = next(self.lines, (self.number, None))
        return line

    def fault(self, wrong: str, right: str) -> InputError:
        """Return an error at the last line."""
        location = f"{self.path}:{self.number}" if self.number else str(self.path)
        return InputError(location, wrong, right, kind="format")

    def expect(self, expected: str) -> None:
        """Pass over the next line that is not blank, which must read `expected`."""
        line = self.following()
        while line is not None and not line.strip():
            line = self.following()
        if line is None or line.strip() != expected:
            wrong = "the file ends here" if line is None else _excerpt(line)
            raise self.fault(wrong, f"{expected} in an ARPA file")


def _head(lines: _Lines) -> tuple[int, ...]:
    """Return the promised counts."""
    lines.expect(HEAD)
    counts: list[int] = []
    while (line := lines.following()) is not None and (line.strip() or not counts):
        match = COUNT.fullmatch(line)
        if line.strip() and (match is None or int(match[1]) != len(counts) + 1):
            raise lines.fault(_excerpt(line), f"'ngram {len(counts) + 1}=' and a count")
        counts += [int(match[2])] if match else []
    if not counts:
        raise lines.fault("no counts", "lines like 'ngram 1=9'")
    return tuple(counts)


def _entry(lines: _Lines, order: int, is_highest: bool) -> NgramEntry:
    line = lines.following() or ""
    fields = FIELDS.split(line.strip(" \t"))
    if len(fields) != order + 1 and (len(fields) != order + 2 or is_highest):
        words = "1 word" if order == 1 else f"{order} words"
        right = f"a log10 probability, {words}" + " and perhaps a back-off weight" * (
            not is_highest
        )
        raise lines.fault(_excerpt(line), right)
    values = []
    for field in (fields[0], *fields[order + 1 :]):
        try:
            values.append(float(field))
        except ValueError:
            values.append(math.nan)
        if math.isnan(values[-1]):
            raise lines.fault(f"{field!r} is no number", "a log10 value like -0.30103")
    if values[0] > 0:
        raise lines.fault(f"the log10 probability {fields[0]}", "a number that is at most 0")
    return NgramEntry(tuple(fields[1 : order + 1]), values[0], values[1] if values[1:] else 0.0)


def _excerpt(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:59] + "…")
