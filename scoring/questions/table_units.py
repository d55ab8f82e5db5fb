"""What a table of surprisals has numbers for, laid on the letters of a text (for `table:FILE`)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ...data.items.penn import penn
from .query import Span

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
SPELLINGS: Mapping[str, str] = {  # of the Penn Treebank
    "``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{",
    "-RCB-": "}",
}  # fmt: skip
MOSES = re.compile(r"@(\W)@")  # `over @-@ the @-@ counter`
SENTINEL = re.compile(r"^(?:[\u0120\u2581]+|##(?=.))|(?:@@|</w>)$")  # a subword begins or goes on


@dataclass(frozen=True, slots=True)
class TableUnit:
    """A unit that a table has one number for: a token, or a region."""

    text: str  # as the table has it
    letters: str | None  # that it stands for; None: some word that the model does not know
    bits: float | None  # None where the table has no number, as before the first word
    oov: bool = False


@dataclass(frozen=True, slots=True)
class TableLine:
    """One sentence of a table. `end`: the surprisal of its end, if the table has it."""

    location: str
    units: tuple[TableUnit, ...]
    end: float | None = None


@dataclass(frozen=True, slots=True)
class UnspacedText:
    """A text without its blanks."""

    letters: str
    positions: tuple[int, ...]  # of each letter in the text
    chunks: tuple[int, ...]  # for each letter the one before which the next blank stands


def unspaced(text: str, *, fold: bool) -> UnspacedText:
    """`fold`: without capitals. Quotation marks are straight."""
    positions: list[int] = []
    chunks: list[int] = []
    for word in re.finditer(r"\S+", text):
        positions += range(*word.span())
        chunks += [len(positions)] * len(word[0])
    return UnspacedText(letters_of(text, fold=fold), tuple(positions), tuple(chunks))


def letters_of(text: str, *, fold: bool = False) -> str:
    """A text without blanks, quotation marks straight; `fold`: small letters where the small
    letter is one letter too."""
    letters = "".join(text.split()).translate(QUOTES)
    if fold:
        smalls = (letter.lower() for letter in letters)
        letters = "".join(s if len(s) == 1 else c for c, s in zip(letters, smalls, strict=True))
    return letters


def token_letters(token: str) -> str:
    """The letters of a text that a token stands for: without the signs of subwords (`Ġ`, `▁`,
    `##`, `@@`, `</w>`), the Penn Treebank's and Moses's spellings undone."""
    core = SENTINEL.sub("", token)
    moses = MOSES.fullmatch(core)
    return letters_of(moses[1] if moses else SPELLINGS.get(core, core))


def unit_spans(
    units: Sequence[TableUnit], text: UnspacedText, *, full: bool
) -> tuple[Span, ...] | None:
    """For each unit from the first on the letters it stands for, half-open; `None` where the units
    are not the text.

    `full`: the text is all units, not only the first of them. If not, the last span reaches over
    the end of a text that ends within a unit.
    """
    if not text.letters and not full:
        return ()
    waiting: list[tuple[int, int, Any]] = [(0, 0, None)]  # (unit, letter, the spans before it)
    tried: set[Span] = set()
    while waiting:
        index, start, previous_spans = waiting.pop()
        if index and start >= len(text.letters) and (not full or index == len(units)):
            spans = []
            while previous_spans is not None:
                previous_spans, span = previous_spans
                spans.append(span)
            return tuple(reversed(spans))
        if index == len(units) or (index, start) in tried:
            continue
        tried.add((index, start))
        letters, ends = units[index].letters, list[int]()  # where the unit can end, best first
        if letters is not None:
            piece = text.letters[start : start + len(letters)]
            if piece == letters or (not full and piece and letters.startswith(piece)):
                ends = [start + len(letters)]
        elif start < len(text.letters):
            chunk_end = text.chunks[start]
            words = map(len, penn(text.letters[start:chunk_end]))
            best = list(accumulate(words, initial=start))[1:]
            ends = list(dict.fromkeys([*best, *range(chunk_end, start, -1)]))
        waiting += [(index + 1, end, (previous_spans, (start, end))) for end in reversed(ends)]
    return None
