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
from typing import TYPE_CHECKING, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines, write_whole
from colorless_green.data.progress import Progress, silent

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Ids: TypeAlias = NDArray[np.uint32]
    Floats: TypeAlias = NDArray[np.float64]

HEAD, FOOT = "\\data\\", "\\end\\"
# separators of KenLM (`lm/read_arpa.cc`); `str.split()` would split at U+00A0 too
FIELDS = re.compile(r"[ \t]+")
COUNT = re.compile(r"ngram[ \t]+([0-9]+)[ \t]*=[ \t]*([0-9]+)[ \t]*")
CHUNK = 1 << 18  # n-grams turned into text at a time: as quick as more, in 50 MB


@dataclass(frozen=True, slots=True)
class Section:
    """All n-grams of one order, each as a word before one of the order below."""

    first: "Ids"  # (n_grams,): the first word, as index into the vocabulary
    suffix: "Ids"  # (n_grams,): index of the rest in the section below; 0 in the lowest
    log10_p: "Floats"  # (n_grams,), ≤ 0
    log10_backoff: "Floats"  # (n_grams,); of no meaning in the highest order


@dataclass(frozen=True, slots=True)
class Entry:
    """One n-gram as a file lists it."""

    words: tuple[str, ...]
    log10_p: float
    log10_backoff: float  # 0 where the file gives none


def write(
    path: Path,
    vocabulary: Sequence[str],
    sections: Sequence[Section],
    progress: Progress = silent,
) -> None:
    """Writes one section per order, from 1, whole or not at all.

    Every n-gram's prefix and suffix must be listed too (KenLM asks for it). Values have ten
    digits: enough for probabilities to sum to one within 1e-9; KenLM rounds them to float32.
    """
    import polars as pl

    names = pl.Series(vocabulary, dtype=pl.String)
    total, done = sum(len(section.first) for section in sections), 0
    with write_whole(path) as stream:
        stream.write(f"{HEAD}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"ngram {order}={len(section.first)}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"\n\\{order}-grams:\n")
            for start in range(0, len(section.first), CHUNK):
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
                done += len(block)
                progress("write the model", done, total)
        stream.write(f"\n{FOOT}\n")


def _words(sections: Sequence[Section], rows: slice) -> "Iterator[Ids]":
    """The words of the n-grams of the last section, first words first."""
    at: slice | Ids = rows
    for section in reversed(sections):
        yield section.first[at]
        at = section.suffix[at]


def _ten_digits(values: "Floats") -> "pl.Series":
    import polars as pl

    rounded = pl.Series(values).round_sig_figs(10)
    return rounded.cast(pl.String).str.strip_suffix(".0")


def read_counts(path: Path) -> tuple[int, ...]:
    """How many n-grams of each order, from 1, the head of an ARPA file (gzipped or not) promises.

    Raises `InputError` where it is no ARPA file, skips an order, or is too short for its promise.
    """
    counts, _ = _head(numbered_lines(path), path)
    n_bytes = path.stat().st_size
    if path.suffix != ".gz" and 4 * sum(counts) > n_bytes:  # the shortest line is "0\ta\n"
        raise InputError(
            str(path),
            f"{sum(counts):,} n-grams promised in {n_bytes:,} bytes",
            "the whole file",
            kind="format",
        )
    return counts


def read(path: Path) -> Iterator[Entry]:
    """The n-grams of an ARPA file, gzipped or not, in its order; nothing is kept in memory but
    the words.

    Fields may be separated by spaces or tabs, a back-off weight may be missing. Raises
    `InputError` with the line at the first that is wrong.
    """
    lines = numbered_lines(path)
    counts, number = _head(lines, path)
    known: set[str] = set()
    for order, n_grams in enumerate(counts, start=1):
        number = _expect(lines, f"\\{order}-grams:", path, number)
        for _ in range(n_grams):
            number, line = next(lines, (number, ""))
            entry = _entry(line, order, len(counts), f"{path}:{number}")
            if order == 1:
                known.update(entry.words)
            elif not known.issuperset(entry.words):
                strange = next(word for word in entry.words if word not in known)
                place = f"{path}:{number}"
                raise InputError(
                    place, f"{strange!r} is no 1-gram", "words that are listed there", kind="format"
                )
            yield entry
    _expect(lines, FOOT, path, number)


def _head(lines: Iterator[tuple[int, str]], path: Path) -> tuple[tuple[int, ...], int]:
    """The promised counts, and the number of the last line read."""
    number = _expect(lines, HEAD, path, 0)
    counts: list[int] = []
    for number, line in lines:
        if not line.strip():
            if counts:
                break
            continue
        match = COUNT.fullmatch(line)
        if match is None or int(match[1]) != len(counts) + 1:
            raise InputError(
                f"{path}:{number}",
                _shown(line),
                f"'ngram {len(counts) + 1}=' and a count",
                kind="format",
            )
        counts.append(int(match[2]))
    if not counts:
        raise InputError(f"{path}:{number}", "no counts", "lines like 'ngram 1=9'", kind="format")
    return tuple(counts), number


def _expect(lines: Iterator[tuple[int, str]], wanted: str, path: Path, number: int) -> int:
    """The number of the next line that is not blank, which must read `wanted`."""
    for number, line in lines:
        if line.strip():
            if line.strip() == wanted:
                return number
            raise InputError(
                f"{path}:{number}", _shown(line), f"{wanted} in an ARPA file", kind="format"
            )
    place = f"{path}:{number}" if number else str(path)
    raise InputError(place, "the file ends here", f"{wanted} in an ARPA file", kind="format")


def _entry(line: str, order: int, highest: int, place: str) -> Entry:
    fields = FIELDS.split(line.strip(" \t"))
    if len(fields) != order + 1 and (len(fields) != order + 2 or order == highest):
        weight = "" if order == highest else " and perhaps a back-off weight"
        words = "1 word" if order == 1 else f"{order} words"
        raise InputError(
            place, _shown(line), f"a log10 probability, {words}{weight}", kind="format"
        )
    log10_p = _number(fields[0], place)
    if log10_p > 0:
        raise InputError(
            place, f"the log10 probability {fields[0]}", "a number that is at most 0", kind="format"
        )
    log10_backoff = _number(fields[-1], place) if len(fields) == order + 2 else 0.0
    return Entry(tuple(fields[1 : order + 1]), log10_p, log10_backoff)


def _number(field: str, place: str) -> float:
    try:
        value = float(field)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(
            place, f"{field!r} is no number", "a log10 value like -0.30103", kind="format"
        )
    return value


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:59] + "…")
