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
from itertools import takewhile

from colorless_green.data.errors import InputError
from colorless_green.data.files import sha256_file
from colorless_green.data.registry import nearest
from colorless_green.scoring.align import Span
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.tables.line import Bare, Line, bare, laid, letters_of
from colorless_green.scoring.tables.read import BASES, METRICS, How, read_lines
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


@dataclass(frozen=True, slots=True)
class _Sought:
    """What is looked up."""

    text: Bare  # the sentence as far as it is told
    start: int  # letters before what is asked for
    stop: int  # letters before what follows
    border: int  # characters before what is asked for
    length: int  # its characters
    whole: bool  # nothing follows the text
    ends: bool  # with the end of the sentence


@dataclass(frozen=True, slots=True)
class _Found:
    """What one line answers."""

    place: str
    surprisals: Surprisals
    prefix_oov: int


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
            answers = tuple(each.surprisals for each in found)
            yield Score(answers, max((each.prefix_oov for each in found), default=0))

    def _answer(self, query: Query, continuation: Stretch) -> _Found:
        parts = (query.prefix, continuation, query.suffix or "")
        assert all(isinstance(each, str) for each in parts), "a scorer of unit 'text' asks for text"
        prefix, asked, suffix = map(str, parts)
        start = len(letters_of(prefix))
        stop = start + len(letters_of(asked))
        # The whole sentence where it is told; if there is none, one that begins with it; then one
        # that begins with all before the suffix.
        ways = [(suffix, True)] if query.suffix is not None or query.ends else []
        ways += [] if query.ends else dict.fromkeys([(suffix, False), ("", False)])
        for following, whole in ways:
            text = bare(prefix + asked + following, fold=self.is_small)
            sought = _Sought(text, start, stop, len(prefix), len(asked), whole, query.ends)
            for numbers in self._candidates(text.letters, whole):
                read = [_read(self.lines[number], sought) for number in numbers]
                found = [each for each in read if isinstance(each, _Found)]
                if found:
                    return _agreed(found)
                for each in read:
                    if isinstance(each, InputError):
                        raise each
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
            known = takewhile(lambda each: each is not None, letters)
            heads.append(("".join(filter(None, known)), int(None in letters), number))
        return sorted(heads)

    @cached_property
    def _open_lengths(self) -> list[int]:
        return sorted({len(head) for head, is_open, _ in self._heads if is_open})

    def _candidates(self, letters: str, whole: bool) -> Iterator[list[int]]:
        """The lines whose known words have these letters, all of them or (not `whole`) at the
        start; then the lines that have an unknown word where these letters go on."""
        yield self._between((letters, 0), (letters, 1) if whole else (letters + LAST, 0))
        heads = [letters[:length] for length in self._open_lengths if length <= len(letters)]
        yield [number for head in heads for number in self._between((head, 1), (head, 2))]

    def _between(self, first: tuple[str, int], last: tuple[str, int]) -> list[int]:
        start, stop = (bisect_left(self._heads, (*each, -1)) for each in (first, last))
        return [number for *_, number in self._heads[start:stop]]


def _read(line: Line, sought: _Sought) -> _Found | InputError | None:
    """What a line answers, why it cannot although it is the text, or `None` where it is another."""
    spans = laid(line.units, sought.text, whole=sought.whole)
    if spans is None:
        return None
    pairs = list(zip(line.units, spans, strict=False))
    for unit, (start, stop) in pairs:
        if any(start < border < stop for border in (sought.start, sought.stop)):
            wrong = f"a region begins or ends within {unit.shown!r}"
            right = "a table whose units end where regions do"
            return InputError(line.place, wrong, right, kind="unsupported")
    n_letters = len(sought.text.letters)
    limit = sought.stop if sought.stop < n_letters else n_letters + 1
    answer = [
        (unit.bits, _characters(span, sought), unit.oov, unit.shown)
        for unit, span in pairs
        if sought.start <= span[0] < limit
    ]
    if sought.ends:
        end = (sought.length, sought.length)
        answer.append((line.end, end, False, "the end of the sentence"))
    known = tuple(bits for bits, *_ in answer if bits is not None)
    if len(known) < len(answer):
        wrong = f"no number for {next(shown for bits, *_, shown in answer if bits is None)!r}"
        return InputError(line.place, wrong, "predictions about other regions", kind="missing")
    places, oov = tuple(span for _, span, *_ in answer), tuple(oov for *_, oov, _ in answer)
    before = sum(unit.oov for unit, span in pairs if span[0] < sought.start)
    return _Found(line.place, Surprisals(known, places, oov), before)


def _characters(span: Span, sought: _Sought) -> Span:
    """Letters of the text as characters of what is asked for. A unit without letters stands before
    the next one."""
    start, stop = span
    places = sought.text.places
    first = places[start] - sought.border if start < len(places) else sought.length
    return first, places[stop - 1] + 1 - sought.border if stop > start else first


def _agreed(found: Sequence[_Found]) -> _Found:
    """The first of several answers, which must be the same but for SAME_BITS."""
    first = found[0]
    one = first.surprisals
    for each in found[1:]:
        other = each.surprisals
        if (other.spans, other.oov) != (one.spans, one.oov) or any(
            abs(left - right) > SAME_BITS for left, right in zip(one.bits, other.bits, strict=True)
        ):
            wrong = f"the same text as {first.place}, with other numbers"
            right = "each sentence once, or a suite that tells them"
            raise InputError(each.place, wrong, right, kind="conflict")
    return first
