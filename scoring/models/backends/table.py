"""Surprisals computed by another tool, read from a file: `table:FILE[?base=e]`.

A table has one token a line: `sentence_id`, `token_id`, `token` and `surprisal`, separated by tabs,
as lm-zoo writes them. `?base=` is the base of their logarithm (default 2); here they become bits.

A sentence is found by all its letters, that is, its characters without blanks; a query without a
suffix ends after its continuation. Blanks do not count, so that it does not matter which of two
tokens has the blank between them:

    text     The company's car.          letters  Thecompany'scar.
    tokens   The|company|'s|car|.        spans    (0,3)(3,10)(10,12)(12,15)(15,16)

Known tokens match letter by letter, so only the length of an unknown token (`<unk>`) is open. It
stands for letters of one word, never across a blank: for the word without its punctuation if the
rest then fits, else for more of the word, else for less. Hence several unknown tokens in a row are
a word each, while syntaxgym-core assigns all of them to the region of the first.

A region border within a token is an error: the table does not divide its surprisal.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, TypeAlias

from ....data.errors import InputError
from ....data.files import sha256_file
from ....data.formats.detect import SURPRISAL_COLUMNS
from ....data.items.sentences import penn
from ....data.records import by_column, lines
from ...questions.query import LoadOptions, Query, Score, Span, Stretch, Surprisals
from ..words import DIGEST_DIGITS, check_options, path_of, signature_of, split_spec

UNKNOWN_TOKENS = frozenset({"<unk>", "[unk]"})
END_TOKENS = frozenset({"</s>", "<eos>", "[sep]", "<|end_of_text|>", "<|endoftext|>"})
SPECIAL_TOKENS = END_TOKENS | {  # not part of any text
    "<s>", "<bos>", "[cls]", "<|begin_of_text|>", "<|startoftext|>", "<pad>", "[pad]"
}  # fmt: skip
NO_NUMBER = frozenset({"", "na", "nan", "none", "null"})  # cells without a number, in lower case
MIN_SURPRISAL = -1e-6  # surprisals can be negative by rounding, down to this
BITS_PER_UNIT = {"2": 1.0, "e": 1 / math.log(2), "10": math.log2(10)}  # by `?base=`
ALIGNMENT_VERSION = 2  # raised when a change of this module changes spans or numbers
MAX_DIFFERENCE = 1e-4  # bits; smaller differences between numbers of one text come from batching
MAX_SHOWN = 120  # letters of a sentence that an error shows
EXPECTED = "table:FILE with surprisals of tokens"

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
PENN_SPELLINGS: Mapping[str, str] = {  # of the Penn Treebank
    "``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{",
    "-RCB-": "}",
}  # fmt: skip
MOSES_PUNCTUATION = re.compile(r"@(\W)@")  # `over @-@ the @-@ counter`
SUBWORD_MARK = re.compile(r"^(?:[\u0120\u2581]+|##(?=.))|(?:@@|</w>)$")  # of parts of words


@dataclass(frozen=True, slots=True)
class TableToken:
    """A token of a table and its surprisal."""

    text: str  # as spelt in the table
    letters: str | None  # the letters that it stands for; None: an unknown word
    bits: float | None  # None: the table has no number, as for a first word

    @property
    def is_unknown(self) -> bool:
        """True if the token is an unknown word."""
        return self.letters is None


@dataclass(frozen=True, slots=True)
class TableSentence:
    """One sentence of a table, with the surprisal of its end in bits; None if the table has
    none."""

    location: str
    tokens: tuple[TableToken, ...]
    end_bits: float | None = None


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text of a query, and the part of it that is scored."""

    text: str
    letters: str
    positions: tuple[int, ...]  # offset of each letter in the text
    border: int  # offset where the scored part begins
    end: int  # offset where it ends
    ends: bool  # whether the end of the sentence is scored too

    def ends_of_unknown(self, start: int) -> list[int]:
        """Return the letters at which an unknown token that begins at letter `start` may end, the
        likeliest first. A letter is any character but a blank."""
        if start == len(self.letters):
            return []
        word, *_ = self.text[self.positions[start] :].split(maxsplit=1)  # the rest of the word
        _, *token_ends = accumulate(map(len, penn(word)), initial=start)  # "car." is car and .
        return list(dict.fromkeys([*token_ends, *range(start + len(word), start, -1)]))


def read_sentences(path: Path, bits_per_unit: float) -> Iterator[TableSentence]:
    """Yield the sentences of a table, without special tokens.

    The surprisals of end tokens after the last word are added up as the sentence's end. Raises
    `InputError` for a table without the columns, for a cell that is no surprisal, with its line,
    and for a sentence whose tokens are not together and in order.
    """
    cells = ((location, line.rstrip("\r\n").split("\t")) for location, line in lines(path))
    header = next(cells, (f"{path}:1", []))
    for identity, group in groupby(
        by_column(*header, cells, SURPRISAL_COLUMNS), key=lambda record: record[1]["sentence_id"]
    ):
        records = list(group)
        location = f"{path}: sentence {identity}"
        if [row["token_id"] for _, row in records] != [str(n + 1) for n in range(len(records))]:
            wrong = "its token_id do not count its tokens from 1"
            raise InputError(location, wrong, "1, 2, 3, …", kind="format")
        tokens: list[TableToken] = []
        end_bits: list[float | None] = []  # of end tokens since the last word
        for row_location, row in records:
            text, bits = row["token"], _bits(row["surprisal"], bits_per_unit, row_location)
            lower = text.lower()
            if lower in END_TOKENS:
                end_bits.append(bits)
            elif lower not in SPECIAL_TOKENS:
                letters = None if lower in UNKNOWN_TOKENS else token_letters(text)
                tokens.append(TableToken(text, letters, bits))
                end_bits = []
        known = [bits for bits in end_bits if bits is not None]
        end = math.fsum(known) if known and len(known) == len(end_bits) else None
        yield TableSentence(location, tuple(tokens), end)


def _bits(cell: str, bits_per_unit: float, location: str) -> float | None:
    """Return the surprisal that a table cell holds, converted to bits; None if it holds no number
    ("", "NA", …). Raises `InputError` for anything else."""
    if cell.strip().lower() in NO_NUMBER:
        return None
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not MIN_SURPRISAL <= number < math.inf:
        wrong, right = f"the surprisal is {cell!r:.40}", "a number from 0, or nothing"
        raise InputError(location, wrong, right, kind="format")
    return max(0.0, number) * bits_per_unit


def letters_of(text: str) -> str:
    """Return a text without blanks and with straight quotation marks."""
    return "".join(text.split()).translate(QUOTES)


def token_letters(token: str) -> str:
    """Return the letters of a text that a token stands for.

    Marks of subwords (`Ġ`, `▁`, `##`, `@@`, `</w>`) are removed, and spellings of the Penn Treebank
    and of Moses are undone.
    """
    core = SUBWORD_MARK.sub("", token)
    moses = MOSES_PUNCTUATION.fullmatch(core)
    return letters_of(moses[1] if moses else PENN_SPELLINGS.get(core, core))


def token_spans(tokens: Sequence[TableToken], query: QueryText) -> list[Span] | None:
    """Return the half-open range of letters of the query's text that each token stands for; `None`
    if the tokens do not spell the text.

    An unknown token may end at several letters; these are tried depth-first, the likeliest first.
    """
    letters = query.letters
    # (index of a token, its first letter, linked list of the spans before it: (list, last span))
    stack: list[tuple[int, int, Any]] = [(0, 0, None)]
    tried: set[tuple[int, int]] = set()  # (index, first letter): what follows does not fit
    while stack:
        index, start, before = stack.pop()
        if index == len(tokens):
            if start < len(letters):
                continue
            spans: list[Span] = []
            while before is not None:
                before, span = before
                spans.append(span)
            return spans[::-1]
        if (index, start) in tried:
            continue
        tried.add((index, start))
        known = tokens[index].letters
        if known is None:
            ends = query.ends_of_unknown(start)
        else:
            ends = [start + len(known)] if letters.startswith(known, start) else []
        stack += [(index + 1, end, (before, (start, end))) for end in reversed(ends)]
    return None


Answer: TypeAlias = tuple[Surprisals, int]
"""The surprisals of the scored part of a text, and the number of unknown words before it"""


def have_same_numbers(left: Surprisals, right: Surprisals) -> bool:
    """Return whether two answers have the same spans and, within `MAX_DIFFERENCE`, the same
    surprisals."""
    if (left.spans, left.oov) != (right.spans, right.oov):
        return False
    return all(abs(a - b) <= MAX_DIFFERENCE for a, b in zip(left.bits, right.bits, strict=True))


def answer_of(sentence: TableSentence, query: QueryText) -> Answer | None:
    """Return the surprisals that a sentence of the table gives for the scored part of a query's
    text, and the number of unknown words before it; `None` if the sentence is another text.

    Raises `InputError` if the scored part begins or ends within a token, or if a token of it has no
    number.
    """
    spans = token_spans(sentence.tokens, query)
    if spans is None:
        return None
    positions = (*query.positions, query.end)  # the last for a final token without letters
    low, high = (bisect_left(query.positions, edge) for edge in (query.border, query.end))
    scored: list[tuple[TableToken, Span]] = []  # letters `low` to `high` are scored
    n_unknown = 0
    for token, (start, stop) in zip(sentence.tokens, spans, strict=True):
        if start < low < stop or start < high < stop:
            wrong = f"a region begins or ends within {token.text!r}"
            right = "a table whose tokens end where regions do"
            raise InputError(sentence.location, wrong, right, kind="unsupported")
        n_unknown += token.is_unknown and start < low
        if low <= start and (start < high or high == len(query.letters)):
            begin = positions[start]  # a token without letters is placed before the next letter
            until = positions[stop - 1] + 1 if stop > start else begin
            scored.append((token, (begin - query.border, until - query.border)))
    if query.ends:
        length = query.end - query.border
        end = TableToken("the end of the sentence", "", sentence.end_bits)
        scored.append((end, (length, length)))
    bits = [token.bits for token, _ in scored if token.bits is not None]
    if len(bits) < len(scored):
        name = next(token.text for token, _ in scored if token.bits is None)
        wrong, right = f"no number for {name!r}", "predictions about other regions"
        raise InputError(sentence.location, wrong, right, kind="missing")
    surprisals = Surprisals(
        tuple(bits),
        tuple(span for _, span in scored),
        tuple(token.is_unknown for token, _ in scored),
    )
    return surprisals, n_unknown


@dataclass(frozen=True)
class SurprisalTable:
    """A table of sentences, with a surprisal for each token, that answers queries as a model
    does."""

    location: str
    sentences: tuple[TableSentence, ...]
    signature: str
    end: str  # "end" if every sentence has the surprisal of its end, otherwise ""
    unit: str = "text"
    word_level: bool = True  # `<unk>` stands for whole words
    looks_ahead: bool = True  # so that a query has the whole sentence, by which it is found

    @cached_property
    def is_lower_case(self) -> bool:
        """True if the table has no capitals; then texts are lowercased for comparison."""
        letters = (token.letters or "" for one in self.sentences for token in one.tokens)
        return all(text == text.lower() for text in letters)

    @cached_property
    def by_beginning(self) -> dict[tuple[str, bool], list[TableSentence]]:
        """The sentences, keyed by their letters up to the first unknown token and by whether they
        have one."""
        by_beginning: dict[tuple[str, bool], list[TableSentence]] = {}
        for sentence in self.sentences:
            letters = [token.letters for token in sentence.tokens]
            has_unknown = None in letters
            n_known = letters.index(None) if has_unknown else len(letters)
            beginning = "".join(filter(None, letters[:n_known]))
            by_beginning.setdefault((beginning, has_unknown), []).append(sentence)
        return by_beginning

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield a score for each query (a prefix, its continuations and a suffix), in order.

        Raises `InputError` for a text that the table lacks, for a region border within a token, and
        for a text that the table has twice with different numbers.
        """
        for query in queries:
            answers = [self._answer(query, continuation) for continuation in query.continuations]
            n_unknown = max((n for _, n in answers), default=0)
            yield Score(tuple(surprisals for surprisals, _ in answers), n_unknown)

    def _answer(self, query: Query, continuation: Stretch) -> Answer:
        """Return the answer of the sentences that spell the query's text.

        Sentences with unknown words are asked only if none without them spells it. Raises
        `InputError` if no sentence does, or if several do with different numbers.
        """
        border, end = len(query.prefix), len(query.prefix) + len(continuation)
        text = f"{query.prefix}{continuation}{query.suffix or ''}"
        if self.is_lower_case:  # a letter that becomes two (İ) stays, so that offsets stay
            text = "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
        positions = tuple(n for n, character in enumerate(text) if not character.isspace())
        query_text = QueryText(text, letters_of(text), positions, border, end, query.ends)
        without_unknown = [(query_text.letters, False)]
        with_unknown = [(query_text.letters[:n], True) for n in range(len(positions))]
        for keys in (without_unknown, with_unknown):
            sentences = [one for key in keys for one in self.by_beginning.get(key, ())]
            matches = [(one, answer) for one in sentences if (answer := answer_of(one, query_text))]
            if not matches:
                continue
            (first_sentence, first_answer), *others = matches
            expected, _ = first_answer
            for sentence, (surprisals, _) in others:
                if not have_same_numbers(surprisals, expected):
                    wrong = f"the same text as {first_sentence.location}, with other numbers"
                    right = "each sentence once, or a suite that tells them"
                    raise InputError(sentence.location, wrong, right, kind="conflict")
            return first_answer
        excerpt = text.strip()[:MAX_SHOWN]
        right = "a table of all sentences of the suite"
        raise InputError(self.location, f"no sentence of it is {excerpt!r}", right, kind="missing")


def load(spec: str, options: LoadOptions) -> SurprisalTable:
    """Read a table of surprisals, and return it as a scorer; `spec` is its path, and `?base=`
    behind it the base of the logarithm. Raises `InputError` for a file that is no table, and for
    options that a table does not support."""
    check_options(options, "a table")
    file_name, chosen = split_spec(spec, {"base": tuple(BITS_PER_UNIT)})
    path = path_of(file_name, "table", EXPECTED)
    sentences = tuple(read_sentences(path, BITS_PER_UNIT[chosen["base"]]))
    if not sentences:
        right = "a table of surprisals, and its suite"
        raise InputError(str(path), "no sentence in it", right, kind="empty")
    signature = signature_of(
        model="table", file=sha256_file(path)[:DIGEST_DIGITS], base=chosen["base"],
        alignment=ALIGNMENT_VERSION, device="cpu", dtype="float64",
    )  # fmt: skip
    end = "end" if all(sentence.end_bits is not None for sentence in sentences) else ""
    return SurprisalTable(str(path), sentences, signature, end)
