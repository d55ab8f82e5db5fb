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

If an n-gram is not listed, its probability is that of its last word after the context without its
first word, times the back-off weight of the full context (1 if that is not listed either). KenLM
reads the files and scores (`backends/ngram.py`); this module writes them and checks their heads.
"""

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
from ...data.files import decode_utf8, numbered_lines, write_whole
from ...data.opening import open_unpacked
from ...data.progress import Progress, silent

Ids: TypeAlias = NDArray[np.uint32]

FIRST_LINE, LAST_LINE = "\\data\\", "\\end\\"
MAX_SHOWN = 60  # characters of a line in an error message
COUNT_LINE = re.compile(r"ngram[ \t]+([0-9]+)[ \t]*=[ \t]*([0-9]+)[ \t]*")  # order, count
BYTES_PER_BLOCK = 1 << 24  # decoded at a time
NGRAMS_PER_BLOCK = 1 << 18  # written at a time: as fast as more, in 50 MB
MIN_BYTES_PER_NGRAM = 4  # the shortest line is "0\ta\n"


@dataclass(frozen=True, slots=True)
class NgramSection:
    """All n-grams of one order. Each is coded as two numbers: its first word, and the index of the
    remaining words, which are an n-gram of the order below."""

    head: Ids  # (n_grams,): the first word, as index into the vocabulary
    suffix: Ids  # (n_grams,): index of the rest in the section below; 0 in the lowest
    log10_p: Floats  # (n_grams,), ≤ 0
    log10_backoff: Floats  # (n_grams,); unused in the highest order


def write(
    path: Path,
    vocabulary: Sequence[str],
    sections: Sequence[NgramSection],
    progress: Progress = silent,
) -> None:
    """Write an ARPA file with one section per order, from 1, completely or not at all.

    Every n-gram's prefix and suffix must be listed too, as KenLM requires. Numbers have ten digits,
    enough for probabilities to sum to one within 1e-9; KenLM rounds them to float32.
    """
    names = pl.Series(vocabulary, dtype=pl.String)
    total, n_done = sum(len(section.head) for section in sections), 0
    with write_whole(path) as stream:
        stream.write(f"{FIRST_LINE}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"ngram {order}={len(section.head)}\n")
        for order, section in enumerate(sections, start=1):
            stream.write(f"\n\\{order}-grams:\n")
            for start in range(0, len(section.head), NGRAMS_PER_BLOCK):
                rows = slice(start, start + NGRAMS_PER_BLOCK)
                words = [names.gather(ids) for ids in _word_ids(sections[:order], rows)]
                columns = [
                    _ten_digits(section.log10_p[rows]),
                    pl.select(pl.concat_str(words, separator=" ")).to_series().alias("words"),
                ]
                if order < len(sections):  # the highest order has no back-off weights
                    columns.append(_ten_digits(section.log10_backoff[rows]).alias("backoff"))
                block = pl.DataFrame(columns)
                stream.write(
                    block.write_csv(include_header=False, separator="\t", quote_style="never")
                )
                n_done += len(block)
                progress("write the model", n_done, total)
        stream.write(f"\n{LAST_LINE}\n")


def _word_ids(sections: Sequence[NgramSection], rows: slice) -> Iterator[Ids]:
    """Yield the word ids of the n-grams `rows` of the last section, position by position: first an
    array of their first words, then one of their second words, and so on."""
    selected: slice | Ids = rows
    for section in reversed(sections):
        yield section.head[selected]
        selected = section.suffix[selected]  # the remaining words, in the section below


def _ten_digits(values: Floats) -> pl.Series:
    """Return numbers as text with ten significant digits."""
    return pl.Series(values).round_sig_figs(10).cast(pl.String).str.strip_suffix(".0")


def read_counts(path: Path) -> tuple[int, ...]:
    """Read the numbers of n-grams, by order from 1, in the head of an ARPA file (gzipped or not).

    Raises `InputError` for a file that is no ARPA file, skips an order, or is too short for its
    n-grams.
    """

    location, counts, has_begun = str(path), list[int](), False
    for line_number, text in numbered_lines(path):
        line, location = text.strip(), f"{path}:{line_number}"
        if not line:
            if counts:  # an empty line ends the head
                break
            continue
        shown = repr(line[:MAX_SHOWN])
        if not has_begun:
            if line != FIRST_LINE:
                raise InputError(location, shown, f"{FIRST_LINE} in an ARPA file", kind="format")
            has_begun = True
            continue
        order = len(counts) + 1
        match = COUNT_LINE.fullmatch(line)
        if match is None or int(match[1]) != order:
            raise InputError(location, shown, f"'ngram {order}=' and a count", kind="format")
        counts.append(int(match[2]))
    if not counts:
        raise InputError(location, "no counts", "lines like 'ngram 1=9'", kind="format")
    n_bytes = path.stat().st_size
    if path.suffix != ".gz" and MIN_BYTES_PER_NGRAM * sum(counts) > n_bytes:
        wrong = f"{sum(counts):,} n-grams promised in {n_bytes:,} bytes"
        raise InputError(str(path), wrong, "the whole file", kind="format")
    return tuple(counts)


def check_utf8(path: Path) -> None:
    """Raise `InputError` with the line number if any bytes of a file are not UTF-8."""
    with open_unpacked(path) as stream:
        line_number, remainder = 1, b""
        while block := stream.read(BYTES_PER_BLOCK):
            # Whole lines are decoded, since the block may end within a character.
            *whole_lines, remainder = (remainder + block).rsplit(b"\n", 1)
            for lines in whole_lines:  # one text of many lines; none if no line ends here
                decode_utf8(lines, str(path), line_number)
                line_number += lines.count(b"\n") + 1
        decode_utf8(remainder, str(path), line_number)
