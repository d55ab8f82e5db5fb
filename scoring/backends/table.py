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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from colorless_green.data.errors import InputError
from colorless_green.data.files import sha256_file
from colorless_green.data.registry import nearest
from colorless_green.scoring.align import Span
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.tables.alignment import laid
from colorless_green.scoring.tables.index import Index, fitting, index_of, spelling
from colorless_green.scoring.tables.line import Bare, Line, bare, letters_of
from colorless_green.scoring.tables.read import BASES, METRICS, How, read_lines
from colorless_green.scoring.words import SHORT, check_options, existing, signed

ALIGNMENT = 1  # raised whenever the same table and text give other spans or numbers
SAME_BITS = 1e-4  # numbers of one text that differ by less come of other batches, not of others
LONGEST = 120  # letters of a sentence that an error shows
CHOICES = {"base": tuple(BASES), "metric": METRICS}
RIGHT = "table:FILE with surprisals of tokens or regions"


def load(spec: str, options: LoadOptions) -> "Table":
    """The table of a file. Raises `InputError` for one that is none, and for options of others."""
    check_options(options, "a table")
    where, how = _split(spec)
    path = existing(where, "table", RIGHT)
    if path.is_dir():
        raise InputError(where, "this is a folder", RIGHT, kind="format")
    lines, name = read_lines(path, how)
    if not lines:
        raise InputError(
            str(path), "no sentence in it", "a table of surprisals, and its suite", kind="empty"
        )
    letters = "\n".join(unit.letters or "" for line in lines for unit in line.units)
    texts = hashlib.sha256(letters.encode()).hexdigest()[:SHORT]
    signature = signed(
        model="table",
        file=sha256_file(path)[:SHORT],
        texts=texts,
        base=how.base,
        metric=how.metric,
        alignment=ALIGNMENT,
        device="cpu",
        dtype="float64",
    )
    is_small = letters == letters.lower()
    end = "end" if all(line.end is not None for line in lines) else ""
    return Table(str(path), lines, index_of(lines), is_small, signature, end, name)


def _split(spec: str) -> tuple[str, How]:
    where, question, told = spec.partition("?")
    chosen = {"base": "2", "metric": "sum", "suite": ""}
    for each in told.split("&") if question else ():
        name, _, value = each.partition("=")
        if name not in chosen or value not in CHOICES.get(name, (value,)) or not value:
            known = [f"{key}={one}" for key, values in CHOICES.items() for one in values]
            right = nearest(each, ["suite=PATH", *known])
            raise InputError(spec, f"no such option {each!r}", right, kind="unknown")
        chosen[name] = value
    return where, How(chosen["base"], chosen["metric"], chosen["suite"])


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
    index: Index
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
        for sought in self._ways(query, continuation):
            letters = sought.text.letters
            for numbers in (
                spelling(self.index, letters, whole=sought.whole),
                fitting(self.index, letters),
            ):
                read = [_read(self.lines[number], sought) for number in numbers]
                found = [each for each in read if isinstance(each, _Found)]
                if found:
                    return _agreed(found)
                for each in read:
                    if isinstance(each, InputError):
                        raise each
        raise InputError(
            self.place,
            f"no sentence of it is {_shown(query.prefix, continuation, query.suffix)!r}",
            "a table of all sentences of the suite",
            kind="missing",
        )

    def _ways(self, query: Query, continuation: Stretch) -> Iterator[_Sought]:
        """The whole sentence, where it is told; if there is none, one that begins with it; then one
        that begins with all before the suffix."""
        prefix, asked = _text(query.prefix), _text(continuation)
        fold = self.is_small
        start = len(letters_of(prefix))
        stop = start + len(letters_of(asked))

        def sought(suffix: str, *, whole: bool) -> _Sought:
            text = bare(prefix + asked + suffix, fold=fold)
            return _Sought(text, start, stop, len(prefix), len(asked), whole, query.ends)

        suffix = _text(query.suffix or "")
        if query.suffix is not None or query.ends:
            yield sought(suffix, whole=True)
        if not query.ends:
            if suffix:
                yield sought(suffix, whole=False)
            yield sought("", whole=False)


def _text(stretch: Stretch) -> str:
    assert isinstance(stretch, str), "a scorer of unit 'text' is asked for text"
    return stretch


def _shown(prefix: Stretch, continuation: Stretch, suffix: Stretch | None) -> str:
    text = (_text(prefix) + _text(continuation) + _text(suffix or "")).strip()
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _read(line: Line, sought: _Sought) -> _Found | InputError | None:
    """What a line answers, why it cannot although it is the text, or `None` where it is another."""
    spans = laid(line.units, sought.text, whole=sought.whole)
    if spans is None:
        return None
    pairs = list(zip(line.units, spans, strict=False))
    for unit, (start, stop) in pairs:
        if any(start < border < stop for border in (sought.start, sought.stop)):
            wrong = f"a region begins or ends within {unit.shown!r}"
            return InputError(
                line.place, wrong, "a table whose units end where regions do", kind="unsupported"
            )
    n_letters = len(sought.text.letters)
    limit = sought.stop if sought.stop < n_letters else n_letters + 1
    inside = [(unit, span) for unit, span in pairs if sought.start <= span[0] < limit]
    bits = [unit.bits for unit, _ in inside]
    found = [_characters(span, sought) for _, span in inside]
    oov = [unit.oov for unit, _ in inside]
    if sought.ends:
        bits.append(line.end)
        found.append((sought.length, sought.length))
        oov.append(False)
    known = tuple(each for each in bits if each is not None)
    if len(known) < len(bits):
        names = (*(unit.shown for unit, _ in inside), "the end of the sentence")
        wrong = f"no number for {names[bits.index(None)]!r}"
        return InputError(line.place, wrong, "predictions about other regions", kind="missing")
    before = sum(unit.oov for unit, span in pairs if span[0] < sought.start)
    return _Found(line.place, Surprisals(known, tuple(found), tuple(oov)), before)


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
            raise InputError(
                each.place, wrong, "each sentence once, or a suite that tells them", kind="conflict"
            )
    return first
