"""Masked models (BERT, RoBERTa and their kin): pseudo-log-likelihoods, given both sides.

The surprisal of a subword is −log2 p at its place, with a mask put there and the rest of the text
around it, prefix and suffix. The variant decides how much of its own word the model sees:

    original     all other subwords (Salazar et al. 2020, "Masked Language Model Scoring")
    word-l2r     those before it (Kauf & Ivanova 2023, "A Better Way to Do Masked Language Model
                 Scoring"); the default: with "original" the end of a rare word gives away its start
    whole-word   none (ibid.)

Words are separated by blanks; each punctuation mark at the ends of a word is a word of its own.
With `?words=tokenizer` they are the tokenizer's words (`word_ids()`, as in minicons). Words also
end at the borders of a continuation, so nothing outside of it is ever masked. With "word-l2r" a
target of one word gets its probability given both sides by the chain rule: a single row serves a
pair whose forms are one subword each.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ....data.arrays import Integers, Truths, offsets_of, range_indices
from ....data.errors import InputError
from ...questions.answer_columns import NATS, Answers, Questions
from ...questions.query import AUTO, TOKENIZER, LoadOptions
from .._row_reader import RowReader, untested_reader
from .._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    attribution_offsets,
    check_ids,
    check_subwords,
    checked_surprisals,
    distinct_texts,
)
from ..hf import TextScorer, checkpoint, longest_input, special_ids_around, unknown_id
from ..torch_device import full_precision
from ..words import split_spec

MASKED_RANGES: dict[str, Callable[[Integers, Integers, Integers], tuple[Integers, Integers]]] = {
    # variant → function of (subword, start and end of its word) to the range of masked subwords
    "word-l2r": lambda subword, _, end: (subword, end),
    "original": lambda subword, _, __: (subword, subword + 1),
    "whole-word": lambda _, start, end: (start, end),
}
CHUNK_SIZE = 1_024  # questions, whose rows are sorted and batched together
MAX_PROBE_IDS = 12  # ids of the longer row of the self-test
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """The subwords of all continuations of a chunk, one array entry per subword."""

    rows: Integers  # index of its question
    index: Integers  # its index in the text
    word_starts: Integers  # index of the first subword of its word
    word_ends: Integers  # index after the last subword of its word

    def kept(self, keep: Truths) -> "Subwords":
        """Return the subwords for which `keep` is true."""
        columns = (self.rows, self.index, self.word_starts, self.word_ends)
        return Subwords(*(column[keep] for column in columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked(TextScorer):
    """A masked model that scores raw text. Special tokens such as CLS and SEP are never scored."""

    reader: RowReader
    around: tuple[tuple[int, ...], tuple[int, ...]]  # ids before and behind every text
    mask: int
    variant: str
    own_words: bool = False  # whether words are the tokenizer's
    looks_ahead: bool = True

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions (prefix, continuation to score, and suffix).

        Without a suffix the text ends after the continuation. Equal rows are computed once, so
        forms that the tokenizer cuts alike get equal numbers. A subword across a border of the
        continuation belongs to it, so its span may begin below 0. A text that is too long for the
        model is refused: its answer has a reason and no numbers. Raises `InputError` with the start
        of a text whose continuation has no subword.
        """
        return map(self._answer, chunks)

    def _answer(self, questions: Questions) -> Answers:
        """Return the surprisals of the continuations of one chunk, with the character span of each
        subword."""
        n, n_around = len(questions), sum(map(len, self.around))
        suffixes = questions.suffixes or [""] * n
        parts = zip(questions.prefixes, questions.continuations, suffixes, strict=True)
        wholes = list(map("".join, parts))
        texts, (full, prefix, suffix) = distinct_texts(
            wholes, map(str.rstrip, questions.prefixes), suffixes
        )
        cuts = self.cutter(texts)
        word_ids = self.cutter.word_ids(texts) if self.own_words else None
        pieces = subwords_to_score(questions, texts, cuts, full, word_ids)
        counts = np.bincount(pieces.rows, minlength=n)
        nonempty = np.fromiter(map(bool, questions.continuations), bool, n)
        check_subwords(wholes, questions.continuations, nonempty & (counts == 0))
        check_ids(texts, cuts.ids, cuts.offsets[:-1], self.reader.n_ids)
        refused = self.refusals((cuts.lengths[full] + n_around) * nonempty)
        is_refused = np.isin(np.arange(n), list(refused))
        counts[is_refused] = 0
        pieces = pieces.kept(~is_refused[pieces.rows])
        index = cuts.offsets[full[pieces.rows]] + pieces.index
        begin, size = part_lengths(questions)[pieces.rows].T  # of the continuation
        n_unknown = cuts.count(self.unknown)
        return Answers(
            offsets_of(counts),
            checked_surprisals(self._read(cuts, full[pieces.rows], pieces), wholes, pieces.rows),
            (cuts.starts[index] - begin).astype(np.int32),
            np.minimum(cuts.ends[index] - begin, size).astype(np.int32),
            cuts.ids[index] == self.unknown,
            (n_unknown[prefix] + n_unknown[suffix]).astype(np.int32),
            NATS,
            refused,
        )

    def _read(self, cuts: SubwordTexts, texts: Integers, pieces: Subwords) -> NDArray[np.float64]:
        """Return ln p of each subword of `pieces` at its place, where the text has a mask instead.

        `texts` holds for each subword the index of its text in `cuts`.
        """
        leading, trailing = (np.array(side, np.int32) for side in self.around)
        row_numbers: dict[bytes, int] = {}  # distinct row → its number
        row_of = []
        masked_range = MASKED_RANGES[self.variant]
        starts, ends = masked_range(pieces.index, pieces.word_starts, pieces.word_ends)
        for text, start, end in zip(texts.tolist(), starts.tolist(), ends.tolist(), strict=True):
            masked_ids = cuts.ids[cuts.offsets[text] : cuts.offsets[text + 1]].copy()
            masked_ids[start:end] = self.mask
            row = np.concatenate([leading, masked_ids, trailing]).tobytes()
            row_of.append(row_numbers.setdefault(row, len(row_numbers)))
        ids = [np.frombuffer(row, np.int32) for row in row_numbers]
        targets = cuts.ids[cuts.offsets[texts] + pieces.index].astype(np.int64)
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        logits = partial(_logits, self.reader, ids)
        with torch.inference_mode(), full_precision():
            return self.reader.read(
                lengths, np.array(row_of, np.int64), pieces.index + len(leading), targets, logits
            )


def _logits(
    reader: RowReader,
    ids: Sequence[NDArray[np.int32]],
    rows: Integers,
    nth: torch.Tensor,
    index: torch.Tensor,
) -> torch.Tensor:
    """Read a batch, the rows of `ids` that are numbered `rows`; return logits at n places of it,
    `(n, vocabulary)`. Place i is the position `index[i]` of the batch's row `nth[i]`."""
    padded_ids, mask = reader.padded([ids[row] for row in rows])
    return reader.logits({"input_ids": padded_ids, "attention_mask": mask}, nth, index)


def subwords_to_score(
    questions: Questions,
    texts: Sequence[str],
    cuts: SubwordTexts,
    full: Integers,
    word_ids: Integers | None = None,
) -> Subwords:
    """Return the subwords that reach into a continuation, each with the range of its word.

    `full` holds for each question the index of its whole text in `texts`. `word_ids` holds for each
    subword the index of its word by the tokenizer; None: words are separated by blanks and
    punctuation. Two words count as one if a subword covers part of both. A subword of blanks alone
    (a lone "▁") belongs to the word after it.
    """
    n = len(questions)
    begin, sizes = part_lengths(questions).T  # of the continuation, in characters
    counts = cuts.lengths[full]
    rows, index = np.repeat(np.arange(n), counts), range_indices(np.zeros(n, np.int64), counts)
    deciding, first = attribution_offsets(texts, cuts, full, np.zeros(n, np.int64))
    last = np.maximum(deciding, first)  # `first` is later in a subword of blanks alone
    inside = (last >= begin[rows]) & (first < (begin + sizes)[rows]) & (sizes[rows] > 0)
    rows, index, first, last = (column[inside] for column in (rows, index, first, last))
    if word_ids is None:
        numbers = _word_numbers(questions, np.tile(rows, 2), np.append(first, last))
        word_of_first, word_of_last = np.split(numbers, 2)
    else:
        word_of_first = word_of_last = word_ids[cuts.offsets[full[rows]] + index]
    # A subword begins a word if it begins in another word than the one before ends in.
    begins_word = np.ones(len(rows), bool)
    begins_word[1:] = (rows[1:] != rows[:-1]) | (word_of_first[1:] != word_of_last[:-1])
    word_of = np.cumsum(begins_word) - 1
    first_of_word = np.flatnonzero(begins_word)
    last_of_word = np.append(first_of_word[1:], len(rows))[: len(first_of_word)] - 1
    starts, ends = index[first_of_word][word_of], index[last_of_word][word_of] + 1
    return Subwords(rows, index, starts, ends)


def _word_numbers(questions: Questions, rows: Integers, offsets: Integers) -> Integers:
    """Return a number for the word that each character is in; character i is at `offsets[i]` in the
    text of question `rows[i]`. All words of all continuations have different numbers."""
    begin, sizes = part_lengths(questions).T
    width = 1 + max(int(offsets.max(initial=0)), int((begin + sizes).max(initial=0)))
    # A character is coded as one number, of its question and its offset.
    borders = [
        row * width + start + offset
        for row, start in enumerate(begin.tolist())
        for offset in sorted({0, *word_starts(questions.continuations[row])})
    ]
    numbers: Integers = np.searchsorted(borders, rows * width + offsets, "right")
    return numbers


def part_lengths(questions: Questions) -> Integers:
    """Return an array `(n, 2)`: the lengths in characters of each question's prefix and
    continuation."""
    pairs = zip(questions.prefixes, questions.continuations, strict=True)
    lengths = [(len(prefix), len(continuation)) for prefix, continuation in pairs]
    return np.array(lengths, np.int64).reshape(-1, 2)  # also if there are no questions


def word_starts(text: str) -> Iterator[int]:
    """Yield the index of each character that begins a word. A punctuation mark at the start or end
    of a run of non-blanks is a word of its own; the rest of the run is one word."""
    for match in WORD.finditer(text):
        categories = [unicodedata.category(character) for character in match.group()]
        n = len(categories)
        letters = [i for i, category in enumerate(categories) if category[0] not in "PS"] or [n]
        leading_marks, trailing_marks = range(letters[0]), range(letters[-1] + 1, n)
        inner_word = letters[:1] if letters[0] < n else []
        yield from (match.start() + i for i in (*leading_marks, *inner_word, *trailing_marks))


def load(spec: str, options: LoadOptions) -> Masked:
    """Return the scorer of the model that `spec` names: a folder, or `NAME[@REVISION]` on the hub.

    Two options may stand behind it: `?pll=VARIANT` says what is masked (by default word-l2r), and
    with `words=tokenizer` words are those of the tokenizer.

    Raises `InputError` for a model that cannot be loaded completely or does not look ahead, for a
    slow tokenizer or one without a mask, and for options that it does not support.
    """
    base, chosen = split_spec(spec, {"pll": tuple(MASKED_RANGES), "words": ("blanks", "tokenizer")})
    if options.pll != AUTO:
        if base != spec:
            wrong = f"it says itself what is masked, and the method says {options.pll}"
            raise InputError(str(spec), wrong, "one of the two", kind="conflict")
        variant, _, words = options.pll.partition("+")
        chosen = {"pll": variant, "words": words or "blanks"}
    if options.bos not in (AUTO, TOKENIZER):
        wrong = (
            f"{options.bos!r} for a masked model, which reads its own specials around every text"
        )
        raise InputError("bos", wrong, "auto", kind="value")
    pretrained = checkpoint("masked", base, options)
    tokenizer = pretrained.tokenizer
    if tokenizer.mask_token_id is None:
        wrong = "its tokenizer has no mask token"
        raise InputError(
            pretrained.origin.spec, wrong, "that of a masked model", kind="unsupported"
        )
    around = special_ids_around(tokenizer)
    specials = "+".join(",".join(map(str, ids)) or "none" for ids in around)
    weights = pretrained.weights()
    name = f"{Path(pretrained.origin.spec).name}?pll={chosen['pll']}"
    words_setting = {} if chosen["words"] == "blanks" else {"words": chosen["words"]}
    if words_setting:
        name += "&words=tokenizer"
    elif chosen["pll"] != "original":
        note = (
            f"{name}: words as blanks and punctuation part them; words=tokenizer: the tokenizer's"
        )
        weights = replace(weights, notes=(*weights.notes, note))
    return Masked(
        cutter=SubwordTokenizer(tokenizer),
        reader=tested_reader(weights.model, weights.device, pretrained.origin.spec),
        around=around,
        mask=tokenizer.mask_token_id,
        unknown=unknown_id(tokenizer),
        longest=longest_input(weights.model),
        variant=chosen["pll"],
        own_words=bool(words_setting),
        signature=pretrained.signature(
            weights, words_setting, pll=chosen["pll"], specials=specials
        ),
        chunk=CHUNK_SIZE,
        name=name,
        remarks=weights.notes,
    )


def tested_reader(model: Any, device: torch.device, location: str) -> RowReader:
    """Return a reader of `model` with the settings that a self-test on two short rows allows.

    The test finds out if the head can be given the needed positions alone, and if padding leaves
    the logits unchanged. Raises `InputError` if later ids do not change earlier answers, as in a
    causal model.
    """
    untested = untested_reader(model, device)
    n = min(longest_input(model) or MAX_PROBE_IDS, MAX_PROBE_IDS)
    full = ((7 * np.arange(n) + 5) % untested.n_ids).astype(np.int32)  # arbitrary ids
    half = full[: n // 2]

    def probe(
        reader: RowReader, is_padded: bool, nth: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        """Return logits of the shorter test row, read beside the longer if `is_padded`."""
        return _logits(reader, [half, full], np.arange(2 if is_padded else 1), nth, index)

    with torch.inference_mode(), full_precision():
        index = torch.arange(len(half), device=device)
        nth = torch.zeros_like(index)
        with_later_ids = _logits(untested, [full], np.zeros(1, np.int64), nth, index)
        if untested.agrees(probe(untested, False, nth, index), with_later_ids):
            wrong = "the model does not look ahead: later ids do not change earlier answers"
            raise InputError(location, wrong, f"causal:{location}", kind="unsupported")
        body = model.base_model if model.base_model is not model else None
        return untested.self_tested(body, len(half), probe)
