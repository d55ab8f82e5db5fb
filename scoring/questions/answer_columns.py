"""Questions to a model and its answers, in columns: arrays over a chunk, which is a number of
questions answered together, without an object for each subword.

A question is a continuation, which is scored, after a prefix. Both are strings: for a model of raw
text the text itself, for a model of whole words the words joined by `WORD_SEP`.

The store keeps the answers to a chunk as one row: the keys of the questions, and the columns as
bytes. These are 20 bytes a question; and for each subword 4 (float32) or 8 (float64) for −log p in
the model's own unit, with 2 for its span if subwords are not whole words.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Integers, Truths, entries_of
from ...data.errors import InputError
from .query import Query, Score, Scorer, Stretch, Surprisals

Reals: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

WORD_SEP = "\x1f"  # separates the words of a prefix, continuation or suffix
PART_SEP = "\x1e"  # separates prefix, continuation and suffix in the text of a question
ASKS_END = "\x1d"  # marks a question that is asked with the end of the sentence
BITS, LOG10, NATS = 1.0, math.log2(10), 1 / math.log(2)
"""Units of `Answers.raw`, in bits: −log2 p, −log10 p and −ln p"""
KEY_TYPE = np.dtype("S16")  # of the keys of questions in the store: hashes of 16 bytes
MAX_CONTINUATIONS = 64  # of one prefix in a `Query`


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """Questions as parallel lists: a continuation each, with its prefix.

    A text is raw text or, for a model of whole words, its words joined by `WORD_SEP`.

    Attributes:
        prefixes: what stands before each continuation.
        continuations: what is scored.
        suffixes: what follows each continuation, for a model that looks ahead; else `None`.
        ends: True if each is asked with the end of the sentence behind it.
    """

    prefixes: Sequence[str]
    continuations: Sequence[str]
    suffixes: Sequence[str] | None = None
    ends: bool = False

    def __len__(self) -> int:
        return len(self.continuations)

    def take(self, rows: Iterable[int]) -> "Questions":
        """Return the questions in these rows, in this order."""
        rows = list(rows)
        return Questions(
            [self.prefixes[n] for n in rows],
            [self.continuations[n] for n in rows],
            None if self.suffixes is None else [self.suffixes[n] for n in rows],
            self.ends,
        )

    def texts(self, unit: str) -> Iterator[str]:
        """Yield a string for each question; two are the same only if the questions are equal.
        `unit` is what the model reads, `words` or `text`."""
        suffixes = () if self.suffixes is None else (self.suffixes,)
        tail = PART_SEP + ASKS_END if self.ends else ""
        for parts in zip(self.prefixes, self.continuations, *suffixes, strict=True):
            text = PART_SEP.join((unit, *parts))
            if text.count(PART_SEP) > len(parts):  # a text contains the separator: add lengths
                text = f"{[len(part) for part in (unit, *parts)]}{PART_SEP}{text}"
            yield text + tail

    def keys(self, unit: str) -> NDArray[np.bytes_]:
        """Return the key of each question in the store: a hash of 16 bytes. `unit` is what the
        model reads, `words` or `text`."""
        digests = bytearray()
        for text in self.texts(unit):
            data = text.encode("utf-8", "surrogatepass")
            digests += hashlib.blake2b(data, digest_size=KEY_TYPE.itemsize).digest()
        return np.frombuffer(digests, KEY_TYPE)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers to n questions: flat columns over the subwords of all their continuations.

    Attributes:
        offsets: (n + 1,) index at which the subwords of each question begin; a question that the
            model refuses has none.
        raw: (subwords,) −log p in units of `unit` bits, with the precision of the store (float32 or
            float64), so that numbers from a model and from the store are equal.
        starts: (subwords,) where each begins in the continuation, in characters or words; the first
            may begin below 0 (see `Surprisals`).
        ends: (subwords,) where it ends, half-open.
        oov: (subwords,) True if it is not in the vocabulary.
        prefix_oov: (n,) number of unknown words in the prefix, and in a suffix that was given.
        unit: the size of the unit of `raw`, in bits.
        refused: row of a question → why the model cannot read it.
    """

    offsets: Integers
    raw: Reals
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    oov: Truths
    prefix_oov: NDArray[np.int32]
    unit: float = BITS
    refused: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def bits(self) -> NDArray[np.float64]:
        """(subwords,): the surprisals in bits."""
        return self.raw.astype(np.float64) * self.unit

    @property
    def positions(self) -> NDArray[np.int32]:
        """(subwords,): the index of each subword's last character (or word), which decides the
        region that it belongs to."""
        return np.maximum(self.starts, self.ends - 1)

    def take(self, rows: Integers) -> "Answers":
        """Return the answers in these rows, in this order."""
        subwords, offsets = entries_of(self.offsets, rows)
        refused = {
            n: self.refused[row] for n, row in enumerate(rows.tolist()) if row in self.refused
        }
        return Answers(
            offsets, self.raw[subwords], self.starts[subwords], self.ends[subwords],
            self.oov[subwords], self.prefix_oov[rows], self.unit, refused,
        )  # fmt: skip


class ColumnScorer(Scorer, Protocol):
    """A scorer that takes `Questions` and returns `Answers`, chunk by chunk.

    It may read the next chunk while the model works at the one before.
    """

    @property
    def chunk(self) -> int:
        """The number of questions that the scorer prefers in a chunk."""
        ...

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of distinct questions, in the order of the questions."""
        ...


def answers_of(scorer: Scorer, chunks: Iterable[Questions]) -> Iterator[Answers]:
    """Ask any scorer: in columns if it can be asked so, else by `Query` objects.

    Args:
        scorer: the model.
        chunks: the questions, those that are answered together in a chunk.

    Yields:
        The answers to each chunk, in order.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> scorer = load_model("uniform:words.txt").scorer
    >>> next(answers_of(scorer, [Questions(["the", "the"], ["key", "keys"])])).bits
    array([3., 3.])
    """
    in_columns = getattr(scorer, "answers", None)
    if in_columns is not None:
        yield from in_columns(chunks)
        return
    for questions in chunks:
        queries = list(queries_of(questions, scorer.unit))
        yield answer_columns(list(scorer.score(queries)))


def demand_every_word(questions: Questions, rows: Sequence[int], answers: Answers) -> None:
    """Raise `InputError` unless a model of words gave one surprisal for each word.

    With a wrong number the surprisals of other items would be shifted. The end of the sentence has
    one more, if that was asked. `rows` are the questions that the answers belong to.
    """
    continuations = [questions.continuations[row] for row in rows]
    n_expected = n_words(continuations) + (1 if questions.ends else 0)
    n_answered = np.diff(answers.offsets)
    for n in np.flatnonzero(n_answered != n_expected).tolist():
        if n not in answers.refused:
            words = " ".join(stretch_words(continuations[n]))
            wrong = f"it gave {n_answered[n]} numbers for {words!r}"
            right = f"a model that gives each word one: {n_expected[n]}"
            raise InputError("--model", wrong, right, kind="conflict")


def queries_of(questions: Questions, unit: str) -> Iterator[Query]:
    """Yield questions as `Query` objects. Neighbours with equal prefix and suffix are put into one
    query, up to `MAX_CONTINUATIONS`."""

    def context(row: int) -> tuple[str, str | None]:
        """Return the prefix and the suffix of a question."""
        suffixes = questions.suffixes
        return questions.prefixes[row], None if suffixes is None else suffixes[row]

    for (prefix, suffix), group in groupby(range(len(questions)), context):
        rows = list(group)
        for start in range(0, len(rows), MAX_CONTINUATIONS):
            rows_of_query = rows[start : start + MAX_CONTINUATIONS]
            continuations = [questions.continuations[row] for row in rows_of_query]
            yield Query(
                stretch(prefix, unit),
                tuple(stretch(continuation, unit) for continuation in continuations),
                None if suffix is None else stretch(suffix, unit),
                questions.ends,
            )


def stretch(text: str, unit: str) -> Stretch:
    """Return a text of `Questions` as a `Query` has it: for a model of words a tuple of words."""
    return tuple(stretch_words(text)) if unit == "words" else text


def stretch_words(text: str) -> list[str]:
    """Return the words of a text of `Questions` for a model of whole words."""
    return text.split(WORD_SEP) if text else []


def n_words(texts: Sequence[str]) -> Integers:
    """Return the number of words of each text of `Questions` for a model of whole words."""
    return np.array([text.count(WORD_SEP) + (text != "") for text in texts], np.int64)


def answer_columns(scores: Sequence[Score]) -> Answers:
    """Return the scores of queries as columns, a row for each continuation."""
    answers = [answer for score in scores for answer in score.continuations]
    spans = np.array([span for answer in answers for span in answer.spans], dtype=np.int32)
    starts, ends = spans.reshape(-1, 2).T  # two columns, also if there is no subword
    return Answers(
        offsets=np.cumsum([0, *(len(answer.bits) for answer in answers)]),
        raw=np.array([bits for answer in answers for bits in answer.bits], dtype=np.float64),
        starts=starts,
        ends=ends,
        oov=np.array([oov for answer in answers for oov in answer.oov], dtype=bool),
        prefix_oov=np.array(
            [score.prefix_oov for score in scores for _ in score.continuations], np.int32
        ),
        unit=BITS,
        refused={n: answer.refused for n, answer in enumerate(answers) if answer.refused},
    )


def scores_of(scorer: ColumnScorer, queries: Iterable[Query]) -> Iterator[Score]:
    """Yield the score of each query, as `Scorer.score` does, from a scorer asked in columns."""
    waiting = iter(queries)
    while batch := list(islice(waiting, scorer.chunk)):
        # the questions of a chunk agree in having the end of the sentence and a suffix, or not
        for (ends, ahead), neighbours in groupby(batch, lambda q: (q.ends, q.suffix is not None)):
            group = list(neighbours)
            # a query without continuations asks about its prefix, by an empty continuation
            pairs = [(query, text) for query in group for text in query.continuations or ("",)]
            questions = Questions(
                [_string(query.prefix) for query, _ in pairs],
                [_string(text) for _, text in pairs],
                [_string(query.suffix or "") for query, _ in pairs] if ahead else None,
                ends,
            )
            (answers,) = scorer.answers([questions])
            first_row = 0  # of the query in `answers`
            for query in group:
                rows = range(first_row, first_row + len(query.continuations))
                scores = tuple(surprisals(answers, row) for row in rows)
                yield Score(scores, int(answers.prefix_oov[first_row]))
                first_row += max(1, len(rows))  # the empty continuation has a row, too


def surprisals(answers: Answers, row: int) -> Surprisals:
    """Return the answer to one question: the surprisals in bits of its subwords, with their spans
    and marks of unknown words."""
    first, stop = answers.offsets[row : row + 2]
    subwords = slice(first, stop)  # of this question
    return Surprisals(
        tuple((answers.raw[subwords].astype(float) * answers.unit).tolist()),
        tuple(zip(answers.starts[subwords].tolist(), answers.ends[subwords].tolist(), strict=True)),
        tuple(answers.oov[subwords].tolist()),
        answers.refused.get(row, ""),
    )


def _string(stretch: Stretch) -> str:
    """Return a text of a `Query` as one string, as `Questions` have it: words are joined by
    `WORD_SEP`."""
    return stretch if isinstance(stretch, str) else WORD_SEP.join(stretch)


def packed_answers(answers: Answers) -> bytes:
    """Pack answers into bytes, as the store keeps them: a line of JSON that describes the columns,
    then the columns.

    Args:
        answers: the answers.

    Returns:
        The bytes.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> from colorless_green.scoring import Questions
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> scorer = load_model("uniform:words.txt").scorer
    >>> (answers,) = answers_of(scorer, [Questions(["the"], ["keys"])])
    >>> unpacked_answers(packed_answers(answers)).bits
    array([3.])
    """
    lengths = np.diff(answers.offsets)
    first_of_question = np.repeat(answers.offsets[:-1], lengths)  # for each subword
    columns: dict[str, NDArray[Any]] = {
        "length": lengths, "raw": answers.raw, "prefix_oov": answers.prefix_oov,
    }  # fmt: skip
    place = np.arange(len(first_of_question)) - first_of_question  # in its continuation, from 0
    are_words = (answers.starts == place).all() and (answers.ends == place + 1).all()
    if not are_words:  # spans of whole words follow from their places
        previous_end = np.zeros(len(place), np.int64)
        previous_end[1:] = answers.ends[:-1]
        previous_end[place == 0] = 0
        columns |= {
            "gap": answers.starts - previous_end,
            "width": answers.ends - answers.starts,
        }
    if answers.oov.any():
        columns["oov"] = np.packbits(answers.oov)
    columns = {
        name: column if name == "raw" else _narrow(column) for name, column in columns.items()
    }
    header = {
        "unit": answers.unit,
        "columns": [[name, column.dtype.str, len(column)] for name, column in columns.items()],
        "refused": [[row, reason] for row, reason in answers.refused.items()],
    }
    head = json.dumps(header, ensure_ascii=False).encode()
    return b"\n".join((head, b"".join(column.tobytes() for column in columns.values())))


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the smallest integer type that can hold them."""
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    return column.astype(np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high)))


def unpacked_answers(data: bytes) -> Answers:
    """Unpack answers.

    Args:
        data: the bytes that `packed_answers` returned.

    Returns:
        The answers.
    """
    head, _, body = data.partition(b"\n")
    header = json.loads(head)
    columns: dict[str, NDArray[Any]] = {}
    first_byte = 0
    for name, dtype, n_entries in header["columns"]:
        columns[name] = np.frombuffer(body, dtype, n_entries, first_byte)
        first_byte += columns[name].nbytes
    offsets = np.concatenate([[0], np.cumsum(columns["length"], dtype=np.int64)])
    n_subwords = int(offsets[-1])
    first_of_question = np.repeat(offsets[:-1], columns["length"])  # for each subword
    starts = np.arange(n_subwords) - first_of_question  # whole words
    ends = starts + 1
    if "gap" in columns:  # the distance of each start from the end before it
        width = columns["width"].astype(np.int64)
        # ends as if all continuations stood one behind the other
        running_ends = np.concatenate([[0], np.cumsum(columns["gap"].astype(np.int64) + width)])
        ends = running_ends[1:] - running_ends[first_of_question]
        starts = ends - width
    oov = np.zeros(n_subwords, bool)
    if "oov" in columns:
        oov = np.unpackbits(columns["oov"], count=n_subwords).astype(bool)
    return Answers(
        offsets, columns["raw"], starts.astype(np.int32), ends.astype(np.int32), oov,
        columns["prefix_oov"].astype(np.int32), header["unit"], dict(header["refused"]),
    )  # fmt: skip
