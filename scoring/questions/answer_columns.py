"""Questions to a model and its answers in columns: arrays for a whole chunk, no object a subword.

A question is a continuation after a prefix; each distinct one is asked once. Stretches are strings:
of a model of raw text the text itself, of a model of whole words the words joined by `WORD`.

The store keeps the answers to a chunk of questions as one row: their keys, and their columns as
bytes. That is 20 bytes a question, and for each subword 4 (float32) or 8 (float64) for −log p in
the model's own unit and 2 for its span, where subwords are not whole words.
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

from ...data.arrays import Integers, Truths
from ...data.errors import InputError
from .query import Query, Score, Scorer, Stretch, Surprisals

Reals: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

WORD = "\x1f"  # between the words of a stretch
PART = "\x1e"  # between the parts of a question
END = "\x1d"  # behind a question that is asked with the end of the sentence
BITS, LOG10, NATS = 1.0, math.log2(10), 1 / math.log(2)
"""What one unit of `Answers.raw` is in bits"""
KEY = np.dtype("S16")
TOGETHER = 64  # continuations of one prefix that make a `Query`


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """Continuations, each after its prefix: parallel lists.

    Texts are as the model's unit has them; of words, they are joined by `WORD`.

    Attributes:
        prefixes: what stands before each continuation.
        continuations: what is scored.
        suffixes: what follows each, for models that look ahead; else `None`.
        ends: whether each is asked with the end of the sentence behind it.
    """

    prefixes: Sequence[str]
    continuations: Sequence[str]
    suffixes: Sequence[str] | None = None
    ends: bool = False

    def __len__(self) -> int:
        return len(self.continuations)

    def take(self, rows: Iterable[int]) -> "Questions":
        """Return these rows, in this order."""
        rows = list(rows)
        return Questions(
            [self.prefixes[n] for n in rows],
            [self.continuations[n] for n in rows],
            None if self.suffixes is None else [self.suffixes[n] for n in rows],
            self.ends,
        )

    def texts(self, unit: str) -> Iterator[str]:
        """Each question as one string, by which equal ones are known."""
        suffixes = () if self.suffixes is None else (self.suffixes,)
        tail = PART + END if self.ends else ""
        for parts in zip(self.prefixes, self.continuations, *suffixes, strict=True):
            text = PART.join((unit, *parts))
            if text.count(PART) > len(parts):  # a text has such a sign itself: lengths tell them
                text = f"{[len(part) for part in (unit, *parts)]}{PART}{text}"
            yield text + tail

    def keys(self, unit: str) -> NDArray[np.bytes_]:
        """16 bytes for each question, under which the store keeps its answer."""
        digests = bytearray()
        for text in self.texts(unit):
            data = text.encode("utf-8", "surrogatepass")
            digests += hashlib.blake2b(data, digest_size=KEY.itemsize).digest()
        return np.frombuffer(digests, KEY)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers to some questions: flat columns over all their subwords.

    Attributes:
        offsets: (n + 1,) where the subwords of each question begin; a refused one has none.
        raw: (subwords,) −log p in units of `unit` bits, rounded as the store keeps it (float32, or
            float64), so that numbers from a model and from the store agree.
        starts: (subwords,) where each begins in the continuation, in characters or words; a first
            one may begin below 0 (see `Surprisals`).
        ends: (subwords,) where it ends, half-open.
        oov: (subwords,) whether the vocabulary lacks it.
        prefix_oov: (n,) unknown words of the prefix, and of a suffix looked at.
        unit: bits that `raw` counts in.
        refused: row → why the model cannot read it.
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
        """(subwords,): surprisals in bits."""
        return self.raw.astype(np.float64) * self.unit

    @property
    def positions(self) -> NDArray[np.int32]:
        """(subwords,): the character (or word) that says where a subword belongs: its last one."""
        return np.maximum(self.starts, self.ends - 1)

    def take(self, rows: Integers) -> "Answers":
        """Return these rows, in this order."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        index = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        refused = {
            n: self.refused[row] for n, row in enumerate(rows.tolist()) if row in self.refused
        }
        return Answers(
            offsets, self.raw[index], self.starts[index], self.ends[index], self.oov[index],
            self.prefix_oov[rows], self.unit, refused,
        )  # fmt: skip


class ColumnScorer(Scorer, Protocol):
    """A scorer that is asked in columns: each chunk's answers come in the order of its questions.

    The next chunk may be prepared while the model works at one.
    """

    @property
    def chunk(self) -> int:
        """The number of questions that the scorer prefers to be asked at once."""
        ...

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of distinct questions."""
        ...


def answers_of(scorer: Scorer, chunks: Iterable[Questions]) -> Iterator[Answers]:
    """Asks any scorer, in columns where it knows them, else `Query` by `Query`.

    Args:
        scorer: the model.
        chunks: the questions, as many at a time as are answered together.

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
    """Raise `InputError` unless a model of words gave each word of these rows its own number, and
    one to the end where that was asked: else the numbers of other items would be shifted."""
    continuations = [questions.continuations[row] for row in rows]
    expected, given = n_words(continuations) + questions.ends, np.diff(answers.offsets)
    for n in np.flatnonzero(given != expected).tolist():
        if n not in answers.refused:
            words = " ".join(stretch_words(continuations[n]))
            wrong = f"it gave {given[n]} numbers for {words!r}"
            right = f"a model that gives each word one: {expected[n]}"
            raise InputError("--model", wrong, right, kind="conflict")


def queries_of(questions: Questions, unit: str) -> Iterator[Query]:
    """Questions as objects, neighbours that share prefix and suffix in one query."""

    def around(row: int) -> tuple[str, str | None]:
        suffixes = questions.suffixes
        return questions.prefixes[row], None if suffixes is None else suffixes[row]

    for (prefix, suffix), rows in groupby(range(len(questions)), around):
        numbers = list(rows)
        for start in range(0, len(numbers), TOGETHER):
            continuations = [questions.continuations[n] for n in numbers[start : start + TOGETHER]]
            yield Query(
                stretch(prefix, unit),
                tuple(stretch(continuation, unit) for continuation in continuations),
                None if suffix is None else stretch(suffix, unit),
                questions.ends,
            )


def stretch(text: str, unit: str) -> Stretch:
    """Return a string of `Questions` as scorers of objects take it."""
    return tuple(stretch_words(text)) if unit == "words" else text


def stretch_words(text: str) -> list[str]:
    """Return the words of a string of `Questions` to a model of whole words."""
    return text.split(WORD) if text else []


def n_words(texts: Sequence[str]) -> Integers:
    """Count the words of strings of `Questions` to a model of whole words."""
    return np.array([text.count(WORD) + (text != "") for text in texts], np.int64)


def answer_columns(scores: Sequence[Score]) -> Answers:
    """Return the scores of queries in columns."""
    answers = [answer for score in scores for answer in score.continuations]
    spans = np.array([span for answer in answers for span in answer.spans], dtype=np.int32)
    spans = spans.reshape(-1, 2)
    return Answers(
        np.cumsum([0, *(len(answer.bits) for answer in answers)]),
        np.array([bits for answer in answers for bits in answer.bits], dtype=np.float64),
        spans[:, 0],
        spans[:, 1],
        np.array([oov for answer in answers for oov in answer.oov], dtype=bool),
        np.array([score.prefix_oov for score in scores for _ in score.continuations], np.int32),
        BITS,
        {n: answer.refused for n, answer in enumerate(answers) if answer.refused},
    )


def scores_of(scorer: ColumnScorer, queries: Iterable[Query]) -> Iterator[Score]:
    """Yield what `Scorer.score` promises, from a scorer that is asked in columns."""
    waiting = iter(queries)
    while batch := list(islice(waiting, scorer.chunk)):
        # questions of one chunk end alike, and have suffixes or none
        for (ends, looks), neighbours in groupby(batch, lambda q: (q.ends, q.suffix is not None)):
            group = list(neighbours)
            # of a query without continuations the prefix is asked about all the same
            pairs = [(query, text) for query in group for text in query.continuations or ("",)]
            questions = Questions(
                [_string(query.prefix) for query, _ in pairs],
                [_string(text) for _, text in pairs],
                [_string(query.suffix or "") for query, _ in pairs] if looks else None,
                ends,
            )
            (answers,) = scorer.answers([questions])
            row = 0
            for query in group:
                n = len(query.continuations)
                scores = tuple(surprisals(answers, number) for number in range(row, row + n))
                yield Score(scores, int(answers.prefix_oov[row]))
                row += max(1, n)


def surprisals(answers: Answers, row: int) -> Surprisals:
    """One row of answers as an object."""
    span = slice(*answers.offsets[row : row + 2])
    return Surprisals(
        tuple((answers.raw[span].astype(float) * answers.unit).tolist()),
        tuple(zip(answers.starts[span].tolist(), answers.ends[span].tolist(), strict=True)),
        tuple(answers.oov[span].tolist()),
        answers.refused.get(row, ""),
    )


def _string(stretch: Stretch) -> str:
    return stretch if isinstance(stretch, str) else WORD.join(stretch)


def packed_answers(answers: Answers) -> bytes:
    """Packs answers as bytes: a line of JSON about the columns, then the columns.

    Args:
        answers: the answers.

    Returns:
        The bytes, as the store keeps them.

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
    row = np.repeat(np.arange(len(answers)), lengths)
    columns: dict[str, NDArray[Any]] = {
        "length": lengths, "raw": answers.raw, "prefix_oov": answers.prefix_oov,
    }  # fmt: skip
    index = np.arange(len(row)) - answers.offsets[:-1][row]
    if (answers.starts != index).any() or (answers.ends != index + 1).any():  # no whole words
        previous = np.zeros(len(row), np.int64)
        previous[1:] = answers.ends[:-1]
        previous[index == 0] = 0
        columns |= {
            "gap": answers.starts - previous,
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
        "refused": [[n, why] for n, why in answers.refused.items()],
    }
    head = json.dumps(header, ensure_ascii=False).encode()
    return b"\n".join((head, b"".join(column.tobytes() for column in columns.values())))


def _narrow(column: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them."""
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    return column.astype(np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high)))


def unpacked_answers(data: bytes) -> Answers:
    """Unpacks what `packed_answers` packed.

    Args:
        data: the bytes.

    Returns:
        The answers.
    """
    head, _, body = data.partition(b"\n")
    header = json.loads(head)
    columns: dict[str, NDArray[Any]] = {}
    start = 0
    for name, dtype, n in header["columns"]:
        columns[name] = np.frombuffer(body, dtype, n, start)
        start += columns[name].nbytes
    offsets = np.concatenate([[0], np.cumsum(columns["length"], dtype=np.int64)])
    n = int(offsets[-1])
    base = np.repeat(offsets[:-1], columns["length"])
    starts = np.arange(n) - base
    ends = starts + 1
    if "gap" in columns:  # each from the end of the one before
        width = columns["width"].astype(np.int64)
        reach = np.concatenate([[0], np.cumsum(columns["gap"].astype(np.int64) + width)])
        ends = reach[1:] - reach[base]
        starts = ends - width
    oov = np.zeros(n, bool)
    if "oov" in columns:
        oov = np.unpackbits(columns["oov"], count=n).astype(bool)
    return Answers(
        offsets, columns["raw"], starts.astype(np.int32), ends.astype(np.int32), oov,
        columns["prefix_oov"].astype(np.int32), header["unit"], dict(header["refused"]),
    )  # fmt: skip
