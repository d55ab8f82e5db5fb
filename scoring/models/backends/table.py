"""Surprisals that another tool found, so that no model need be at hand:
`table:FILE[?suite=SUITE&base=e&metric=mean]`.

What a table can be: tokens with their surprisals, one a line (`sentence_id`, `token_id`, `token`,
`surprisal` between tabs, as lm-zoo writes them); a SyntaxGym suite as syntaxgym-core evaluated it;
totals of regions, which need `?suite=` for their texts. `?base=` tells the base of their logarithm
(2 if nothing is said); here they are bits.

A sentence is looked up by its letters: the whole sentence if the suite says how it goes on, else
one that begins so. Texts are compared letter by letter without their blanks, so that it does not
matter to whom a table gives the blank between two tokens:

    text     The company's car.          letters  Thecompany'scar.
    units    The|company|'s|car|.        spans    (0,3)(3,10)(10,12)(12,15)(15,16)

Known units match letter by letter, so the only choice is how far an unknown one reaches. It stands
for letters of one word, never over a blank: for the word without its punctuation if what follows
then fits, else for more of it, else for less. Hence several unknown words in a row are a word each,
where syntaxgym-core gives all of them to the region of the first.

Never looked up: a part of a token or region. A region border within a token is an error, since the
table cannot tell what its two parts are worth.
"""

import hashlib
import math
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from ....data.errors import InputError
from ....data.files import sha256_file
from ....data.formats import read_suite
from ....data.formats.detect import SURPRISALS, TOKENS, TOTALS, table_with
from ....data.formats.syntaxgym import UNKNOWN as OOVS
from ....data.formats.syntaxgym import VALUES, document_of, evaluation, squeezed
from ....data.items.item import Wording
from ....data.opening import head_of, head_text
from ....data.records import by_column, get, headers, json_list, lines, table, text
from ....data.registry import nearest
from ...questions.query import LoadOptions, Query, Score, Span, Stretch, Surprisals
from ...questions.table_units import (
    TableLine,
    TableUnit,
    UnspacedText,
    letters_of,
    token_letters,
    unit_spans,
    unspaced,
)
from ..words import SHORT, check_options, existing, signed

UNKNOWN = frozenset({"<unk>", "[unk]"})
ENDING = frozenset({"</s>", "<eos>", "[sep]", "<|end_of_text|>", "<|endoftext|>"})
SIGNS = ENDING | {  # no part of any text
    "<s>", "<bos>", "[cls]", "<|begin_of_text|>", "<|startoftext|>", "<pad>", "[pad]"
}  # fmt: skip
NONE = frozenset({"", "na", "nan", "none", "null"})  # how tables write that there is no number
NEGATIVE = -1e-6  # rounding gives less than nothing by less than this
BASES = {"2": 1.0, "e": 1 / math.log(2), "10": math.log2(10)}
METRICS = ("sum", "mean", "median", "max", "min")  # of one number `range` says nothing
TABLES = (
    f"a table with {', '.join(TOKENS)} between tabs, an evaluated SyntaxGym suite, "
    f"or a table with {','.join(TOTALS)}"
)
ALIGNMENT = 1  # raised whenever the same table and text give other spans or numbers
SAME_BITS = 1e-4  # numbers of one text that differ by less come of other batches, not of others
LONGEST = 120  # letters of a sentence that an error shows
CHOICES = {"base": tuple(BASES), "metric": METRICS}
LAST = chr(sys.maxunicode)  # sorts behind whatever follows the same letters
RIGHT = "table:FILE with surprisals of tokens or regions"


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options that a spec can give for a table."""

    base: str = "2"  # of the logarithm, one of BASES
    metric: str = "sum"  # the value to take of an evaluated region, one of METRICS
    suite: str = ""  # the suite, or the folder of suites, with the texts of a table of totals


def read_lines(path: Path, options: TableOptions) -> tuple[tuple[TableLine, ...], str]:
    """The sentences of a table, and the name of its model where it says one, else "".

    Raises `InputError` for a file of another kind, with the line of a number that is none or that
    no surprisal can be, and for a table of totals without its suite.
    """
    head = head_text(head_of(path))
    if head.lstrip().startswith("{"):
        return _evaluated(path, options)
    if name := table_with(headers(head).values(), SURPRISALS):
        return tuple({"tokens": _tokens, "regions": _totals}[name](path, options)), ""
    raise InputError(str(path), "no table of surprisals", TABLES, kind="format")


def _tokens(path: Path, options: TableOptions) -> Iterator[TableLine]:
    """Signs in a sentence are left out; the numbers of those behind its last token are its end."""
    seen: set[str] = set()
    cells = ((location, line.rstrip("\r\n").split("\t")) for location, line in lines(path))
    location, header = next(cells)
    records = table(path, TOKENS)
    if len(header) > 1:  # between tabs, quotation marks are tokens like others
        records = by_column(location, header, cells, TOKENS)
    for identity, rows in groupby(records, key=lambda row: row[1]["sentence_id"]):
        tokens = list(rows)
        location = f"{path}: sentence {identity}"
        if identity in seen:
            wrong, right = f"sentence {identity!r} comes twice", "its tokens together"
            raise InputError(tokens[0][0], wrong, right, kind="conflict")
        seen.add(identity)
        if [row["token_id"] for _, row in tokens] != [str(n) for n in range(1, len(tokens) + 1)]:
            wrong = "its token_id do not count its tokens from 1"
            raise InputError(location, wrong, "1, 2, 3, …", kind="format")
        units = [
            TableUnit(
                token,
                None if oov else token_letters(token),
                _bits(row["surprisal"], options, row_location),
                oov,
            )
            for row_location, row in tokens
            for token in (row["token"],)
            for oov in (token.lower() in UNKNOWN,)
        ]
        signs = [unit.text.lower() in SIGNS for unit in units]
        end_index = len(units) - [*reversed(signs), False].index(False)
        yield TableLine(
            location,
            tuple(unit for unit, is_sign in zip(units, signs, strict=True) if not is_sign),
            _total_of([u.bits for u in units[end_index:] if u.text.lower() in ENDING]),
        )


def _total_of(bits: Sequence[float | None]) -> float | None:
    """The sum; `None` of nothing, and where a number is missing."""
    numbers = [number for number in bits if number is not None]
    return math.fsum(numbers) if numbers and len(numbers) == len(bits) else None


def _evaluated(path: Path, options: TableOptions) -> tuple[tuple[TableLine, ...], str]:
    document = document_of(path)
    sentences = []
    for item in json_list(document, "items", str(path)):
        number = get(item, "item_number", int, str(path))
        for condition in json_list(item, "conditions", f"{path}: item {number}"):
            location = f"{path}: item {number}: {text(condition, 'condition_name', str(path))}"
            units = []
            for region in json_list(condition, "regions", location):
                content, measured = (
                    squeezed(text(region, "content", location)),
                    evaluation(region, location),
                )
                values = measured.get(VALUES, {})
                if options.metric not in values:
                    available = [name for name in METRICS if name in values]
                    wrong = f"a region without the {options.metric!r} of its surprisals"
                    right = f"?metric={available[0]}" if available else "an evaluated suite"
                    raise InputError(location, wrong, right, kind="missing")
                value = values[options.metric]
                bits = None if value is None else _bits(str(value), options, location)
                units.append(
                    TableUnit(content, letters_of(content), bits, bool(measured.get(OOVS)))
                )
            sentences.append(_regions(location, units))
    return tuple(sentences), str(get(document, "meta", dict, str(path)).get("model", ""))


def _regions(location: str, units: Sequence[TableUnit]) -> TableLine:
    """Regions without text have no number, but for the last ones: what they have is the end of the
    sentence, which syntaxgym-core may leave there."""
    last_filled = max((n for n, unit in enumerate(units) if unit.letters), default=-1)
    end = _total_of([unit.bits for unit in units[last_filled + 1 :] if unit.bits])
    return TableLine(location, tuple(unit for unit in units if unit.letters), end)


def _totals(path: Path, options: TableOptions) -> Iterator[TableLine]:
    """Rows may come in any order; a region without a row has no number."""
    if not options.suite:
        right = f"table:{path}?suite= and their suite"
        raise InputError(str(path), "it has no texts", right, kind="empty")
    rows: dict[tuple[str, str, str], list[tuple[str, str, str]]] = {}
    for location, row in table(path, TOTALS):
        suite, number, condition, region, value = (row[name] for name in TOTALS)
        rows.setdefault((suite, number, condition), []).append((location, region, value))
    suites = {suite: _wordings(suite, Path(options.suite)) for suite, _, _ in rows}
    if rows and not any(suites.values()):
        right = f"?suite= and {nearest(Path(options.suite).stem, suites)}"
        raise InputError(str(path), f"none of its suites is {options.suite}", right, kind="unknown")
    for (suite, number, condition), entries in rows.items():
        wordings = suites[suite]
        if wordings is None:
            continue  # of another suite than the one that was named
        location = f"{path}: {suite}: item {number}: {condition}"
        if (number, condition) not in wordings:
            wrong = "its suite has no such item"
            raise InputError(location, wrong, "the items of the suite", kind="missing")
        regions = {part.region: squeezed(part.text) for part in wordings[number, condition]}
        bits: dict[str, float | None] = {}
        for row_location, name, value in entries:
            if name not in regions or name in bits:
                wrong = f"region {name!r} comes twice" if name in bits else f"no region {name!r}"
                raise InputError(
                    row_location, wrong, f"each of {', '.join(regions)} once", kind="conflict"
                )
            bits[name] = _bits(value, options, row_location)
        units = [
            TableUnit(content, letters_of(content), bits.get(name))
            for name, content in regions.items()
        ]
        yield _regions(location, units)


def _wordings(name: str, source: Path) -> dict[tuple[str, str], Wording] | None:
    """The sentences of the suite of a name, by item number and condition: a file of that name in a
    folder, or the file itself; `None` where it has another name."""
    path: Path | None = source
    if source.is_dir():
        files = (file for file in sorted(source.iterdir()) if file.name.partition(".")[0] == name)
        path = next((file for file in files if file.is_file()), None)
    if path is None:
        wrong, right = f"no suite {name!r} in it", "a folder with that file"
        raise InputError(str(source), wrong, right, kind="empty")
    suite = read_suite(path)
    if suite.name != name:
        return None
    return {
        (item.facts.get("item_number", ""), condition): wordings[0]
        for item in suite.items
        for condition, wordings in item.conditions.items()
    }


def _bits(cell: str, options: TableOptions, location: str) -> float | None:
    """Raises `InputError` for what is no number, and for one that no surprisal can be."""
    if cell.strip().lower() in NONE:
        return None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        wrong, right = f"the surprisal is {cell!r:.40}", "a number, or nothing"
        raise InputError(location, wrong, right, kind="format")
    if number < NEGATIVE:
        wrong = f"the surprisal is negative: {cell:.40}"
        right = "surprisals, which are minus the logarithm of a probability"
        raise InputError(location, wrong, right, kind="format")
    return max(0.0, number) * BASES[options.base]


LineAnswer: TypeAlias = tuple[str, Surprisals, int]
"""What a line answers: its place, the answer, unknown words before it."""


@dataclass(frozen=True)
class SurprisalTable:
    """Sentences with a number for each unit."""

    location: str
    lines: tuple[TableLine, ...]
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
            answers = [self._answer(query, continuation) for continuation in query.continuations]
            n_unknown = max((n for _, _, n in answers), default=0)
            yield Score(tuple(surprisals for _, surprisals, _ in answers), n_unknown)

    def _answer(self, query: Query, continuation: Stretch) -> LineAnswer:
        prefix, scored, suffix = map(str, (query.prefix, continuation, query.suffix or ""))
        # The whole sentence where it is told; if there is none, one that begins with it; then one
        # that begins with all before the suffix.
        attempts = [(suffix, True)] if query.suffix is not None or query.ends else []
        attempts += [] if query.ends else dict.fromkeys([(suffix, False), ("", False)])
        for following, full in attempts:
            text = unspaced(prefix + scored + following, fold=self.is_small)
            for numbers in self._candidates(text.letters, full):
                read = [
                    _read(self.lines[number], text, prefix, scored, full, query.ends)
                    for number in numbers
                ]
                answers = [answer for answer in read if isinstance(answer, tuple)]
                if answers:
                    return _agreed(answers)
                for error in read:
                    if isinstance(error, InputError):
                        raise error
        excerpt = "".join((prefix, scored, suffix)).strip()
        excerpt = excerpt if len(excerpt) <= LONGEST else excerpt[: LONGEST - 1] + "…"
        right = "a table of all sentences of the suite"
        raise InputError(self.location, f"no sentence of it is {excerpt!r}", right, kind="missing")

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

    def _candidates(self, letters: str, full: bool) -> Iterator[list[int]]:
        """The lines whose known words have these letters, all of them or (not `full`) at the
        start; then the lines that have an unknown word where these letters go on."""

        def line_numbers(*ends: tuple[str, int]) -> list[int]:
            start, stop = (bisect_left(self._heads, (*end, -1)) for end in ends)
            return [number for *_, number in self._heads[start:stop]]

        yield line_numbers((letters, 0), (letters, 1) if full else (letters + LAST, 0))
        heads = [letters[:length] for length in self._open_lengths if length <= len(letters)]
        yield [number for head in heads for number in line_numbers((head, 1), (head, 2))]


def _read(
    line: TableLine, text: UnspacedText, prefix: str, scored: str, full: bool, ends: bool
) -> LineAnswer | InputError | None:
    """Return a line's answer, the reason why it has none, or `None` if it is another text's.

    `text` is the sentence as far as it is known; `full`: nothing follows it; `ends`: the end of
    the sentence is asked for too.
    """
    spans = unit_spans(line.units, text, full=full)
    if spans is None:
        return None
    start_letter, end_letter = len(letters_of(prefix)), len(letters_of(prefix + scored))
    border, end = len(prefix), len(prefix + scored)
    n_letters = len(text.letters)
    positions = (*text.positions, end)
    answer: list[tuple[float | None, Span, bool, str]] = []
    n_before = 0
    for unit, (start, stop) in zip(line.units, spans, strict=False):
        if start < start_letter < stop or start < end_letter < stop:
            wrong = f"a region begins or ends within {unit.text!r}"
            right = "a table whose units end where regions do"
            return InputError(line.location, wrong, right, kind="unsupported")
        n_before += unit.oov and start < start_letter
        if start_letter <= start and (start < end_letter or end_letter == n_letters):
            # A unit without letters stands before the next one.
            begin = positions[min(start, n_letters)]
            until = positions[stop - 1] + 1 if stop > start else begin
            answer.append((unit.bits, (begin - border, until - border), unit.oov, unit.text))
    if ends:
        answer.append((line.end, (end - border,) * 2, False, "the end of the sentence"))
    for number, _, _, unit_text in answer:
        if number is None:
            wrong, right = f"no number for {unit_text!r}", "predictions about other regions"
            return InputError(line.location, wrong, right, kind="missing")
    bits = tuple(number for number, *_ in answer if number is not None)
    oov = tuple(unknown for _, _, unknown, _ in answer)
    return line.location, Surprisals(bits, tuple(span for _, span, *_ in answer), oov), n_before


def _agreed(answers: Sequence[LineAnswer]) -> LineAnswer:
    """The first of several answers, which must be the same but for SAME_BITS."""
    (location, reference, _), *remaining = answers
    for other_location, other, _ in remaining:
        if (other.spans, other.oov) != (reference.spans, reference.oov) or any(
            abs(left - right) > SAME_BITS
            for left, right in zip(reference.bits, other.bits, strict=True)
        ):
            wrong = f"the same text as {location}, with other numbers"
            right = "each sentence once, or a suite that tells them"
            raise InputError(other_location, wrong, right, kind="conflict")
    return answers[0]


def load(spec: str, options: LoadOptions) -> SurprisalTable:
    """The table of a file. Raises `InputError` for one that is none, and for options of others."""
    check_options(options, "a table")
    file_name, question, query = spec.partition("?")
    chosen = {"base": "2", "metric": "sum", "suite": ""}
    for option in query.split("&") if question else ():
        name, _, value = option.partition("=")
        if name not in chosen or value not in CHOICES.get(name, (value,)) or not value:
            choices = [f"{key}={choice}" for key, values in CHOICES.items() for choice in values]
            right = nearest(option, ["suite=PATH", *choices])
            raise InputError(spec, f"no such option {option!r}", right, kind="unknown")
        chosen[name] = value
    path = existing(file_name, "table", RIGHT)
    if path.is_dir():
        raise InputError(file_name, "this is a folder", RIGHT, kind="format")
    sentences, model = read_lines(path, TableOptions(**chosen))
    if not sentences:
        right = "a table of surprisals, and its suite"
        raise InputError(str(path), "no sentence in it", right, kind="empty")
    letters = "\n".join(unit.letters or "" for line in sentences for unit in line.units)
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
    end = "end" if all(line.end is not None for line in sentences) else ""
    return SurprisalTable(str(path), sentences, letters == letters.lower(), signature, end, model)
