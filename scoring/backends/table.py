"""Surprisals that another tool found, so that no model need be at hand:
`table:FILE[?suite=SUITE&base=e&metric=mean]`.

A sentence is looked up by its letters (`scoring/tables`): the whole sentence if the suite says how
it goes on, else one that begins so. What a table can be: tokens with their surprisals, one a line
(`sentence_id`, `token_id`, `token`, `surprisal` between tabs, as lm-zoo writes them); a SyntaxGym
suite as syntaxgym-core evaluated it; totals of regions, which need `?suite=` for their texts.
`?base=` tells the base of their logarithm (2 if nothing is said); here they are bits.

Never looked up: a part of a token or region. A region border within a token is an error, since the
table cannot tell what its two parts are worth.
"""

import hashlib
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import sha256_file
from colorless_green.data.registry import nearest
from colorless_green.scoring.query import LoadOptions, Query, Score, Span, Stretch, Surprisals
from colorless_green.scoring.tables import (
    BASES,
    METRICS,
    Bare,
    How,
    Line,
    bare,
    laid,
    letters_of,
    read_lines,
)
from colorless_green.scoring.words import SHORT, check_options, existing, signed

ALIGNMENT = 1  # raised whenever the same table and text give other spans or numbers
SAME_BITS = 1e-4  # numbers of one text that differ by less come of other batches, not of others
LONGEST = 120  # letters of a sentence that an error shows
CHOICES = {"base": tuple(BASES), "metric": METRICS}
LAST = chr(sys.maxunicode)  # sorts behind whatever follows the same letters
RIGHT = "table:FILE with surprisals of tokens or regions"


def load(spec: str, options: LoadOptions) -> "Table":
    """The table of a file. Raises `InputError` for one that is none, and for options of others."""
    check_options(options, "a table")
    where, question, told = spec.partition("?")
    chosen = {"base": "2", "metric": "sum", "suite": ""}
    for each in told.split("&") if question else ():
        name, _, value = each.partition("=")
        if name not in chosen or value not in CHOICES.get(name, (value,)) or not value:
            known = [f"{key}={one}" for key, values in CHOICES.items() for one in values]
            right = nearest(each, ["suite=PATH", *known])
            raise InputError(spec, f"no such option {each!r}", right, kind="unknown")
        chosen[name] = value
    path = existing(where, "table", RIGHT)
    if path.is_dir():
        raise InputError(where, "this is a folder", RIGHT, kind="format")
    lines, model = read_lines(path, How(**chosen))
    if not lines:
        right = "a table of surprisals, and its suite"
        raise InputError(str(path), "no sentence in it", right, kind="empty")
    letters = "\n".join(unit.letters or "" for line in lines for unit in line.units)
    signature = signed(
        model="table",
        file=sha256_file(path)[:SHORT],
        texts=hashlib.sha256(letters.encode()).hexdigest()[:SHORT],
        base=chosen["base"],
        metric=chosen["metric"],
        alignment=ALIGNMENT,
        device="cpu",
        dtype="float64",
    )
    end = "end" if all(line.end is not None for line in lines) else ""
    return Table(str(path), lines, letters == letters.lower(), signature, end, model)


Found: TypeAlias = tuple[str, Surprisals, int]
"""What a line answers: its place, the answer, unknown words before it."""


@dataclass(frozen=True)
class Table:
    """Sentences with a number for each unit."""

    place: str
    lines: tuple[Line, ...]
    is_small: bool  # no capitals in it, so that texts are compared without theirs
    signature: str
    end: str  # not empty if every sentence has the surprisal of its end
    name: str
    unit: str = "text"
    word_level: bool = True  # `<unk>` stands for whole words
    looks_ahead: bool = True  # to tell a sentence from others that begin alike

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Raises `InputError` for a text that the table lacks, for one whose parts are not its
        units, and for one that it has twice with other numbers."""
        for query in queries:
            found = [self._answer(query, continuation) for continuation in query.continuations]
            n_unknown = max((n for _, _, n in found), default=0)
            yield Score(tuple(surprisals for _, surprisals, _ in found), n_unknown)

    def _answer(self, query: Query, continuation: Stretch) -> Found:
        prefix, asked, suffix = map(str, (query.prefix, continuation, query.suffix or ""))
        # The whole sentence where it is told; if there is none, one that begins with it; then one
        # that begins with all before the suffix.
        ways = [(suffix, True)] if query.suffix is not None or query.ends else []
        ways += [] if query.ends else dict.fromkeys([(suffix, False), ("", False)])
        for following, whole in ways:
            text = bare(prefix + asked + following, fold=self.is_small)
            for numbers in self._candidates(text.letters, whole):
                read = [
                    _read(self.lines[number], text, prefix, asked, whole, query.ends)
                    for number in numbers
                ]
                found = [each for each in read if isinstance(each, tuple)]
                if found:
                    return _agreed(found)
                for error in read:
                    if isinstance(error, InputError):
                        raise error
        shown = "".join((prefix, asked, suffix)).strip()
        shown = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
        right = "a table of all sentences of the suite"
        raise InputError(self.place, f"no sentence of it is {shown!r}", right, kind="missing")

    @cached_property
    def _heads(self) -> list[tuple[str, int, int]]:
        """For each line, sorted: its letters up to the first unit whose letters are not known, 1 if
        there is such a unit, else 0, and the line's number."""
        heads = []
        for number, line in enumerate(self.lines):
            letters = [unit.letters for unit in line.units]
            n_known = letters.index(None) if None in letters else len(letters)
            heads.append(("".join(filter(None, letters[:n_known])), int(None in letters), number))
        return sorted(heads)

    @cached_property
    def _open_lengths(self) -> list[int]:
        return sorted({len(head) for head, is_open, _ in self._heads if is_open})

    def _candidates(self, letters: str, whole: bool) -> Iterator[list[int]]:
        """The lines whose known words have these letters, all of them or (not `whole`) at the
        start; then the lines that have an unknown word where these letters go on."""

        def between(*ends: tuple[str, int]) -> list[int]:
            start, stop = (bisect_left(self._heads, (*each, -1)) for each in ends)
            return [number for *_, number in self._heads[start:stop]]

        yield between((letters, 0), (letters, 1) if whole else (letters + LAST, 0))
        heads = [letters[:length] for length in self._open_lengths if length <= len(letters)]
        yield [number for head in heads for number in between((head, 1), (head, 2))]


def _read(
    line: Line, text: Bare, prefix: str, asked: str, whole: bool, ends: bool
) -> Found | InputError | None:
    """What a line answers, why it cannot although it is the text, or `None` where it is another.

    `text` is the sentence as far as it is told; `whole`: nothing follows it; `ends`: the end of the
    sentence is asked for too.
    """
    spans = laid(line.units, text, whole=whole)
    if spans is None:
        return None
    first, last = len(letters_of(prefix)), len(letters_of(prefix + asked))
    border, end = len(prefix), len(prefix + asked)
    n_letters = len(text.letters)
    places = (*text.places, end)
    answer: list[tuple[float | None, Span, bool, str]] = []
    n_before = 0
    for unit, (start, stop) in zip(line.units, spans, strict=False):
        if start < first < stop or start < last < stop:
            wrong = f"a region begins or ends within {unit.shown!r}"
            right = "a table whose units end where regions do"
            return InputError(line.place, wrong, right, kind="unsupported")
        n_before += unit.oov and start < first
        if first <= start and (start < last or last == n_letters):
            # A unit without letters stands before the next one.
            begin = places[min(start, n_letters)]
            until = places[stop - 1] + 1 if stop > start else begin
            answer.append((unit.bits, (begin - border, until - border), unit.oov, unit.shown))
    if ends:
        answer.append((line.end, (end - border,) * 2, False, "the end of the sentence"))
    for number, _, _, shown in answer:
        if number is None:
            wrong, right = f"no number for {shown!r}", "predictions about other regions"
            return InputError(line.place, wrong, right, kind="missing")
    bits = tuple(number for number, *_ in answer if number is not None)
    oov = tuple(each for _, _, each, _ in answer)
    return line.place, Surprisals(bits, tuple(span for _, span, *_ in answer), oov), n_before


def _agreed(found: Sequence[Found]) -> Found:
    """The first of several answers, which must be the same but for SAME_BITS."""
    (place, one, _), *others = found
    for other_place, other, _ in others:
        if (other.spans, other.oov) != (one.spans, one.oov) or any(
            abs(left - right) > SAME_BITS for left, right in zip(one.bits, other.bits, strict=True)
        ):
            wrong = f"the same text as {place}, with other numbers"
            right = "each sentence once, or a suite that tells them"
            raise InputError(other_place, wrong, right, kind="conflict")
    return found[0]
