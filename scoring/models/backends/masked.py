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

from ....data.arrays import Integers, offsets_of, range_indices
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
    distinct,
)
from ..hf import TextScorer, checkpoint, longest_input, specials, unknown_id
from ..torch_device import full_precision
from ..words import split_spec

MASKED_RANGES: dict[str, Callable[[Integers, Integers, Integers], tuple[Integers, Integers]]] = {
    # variant → function of (subword, start and end of its word) to the range of masked subwords
    "word-l2r": lambda subword, _, end: (subword, end),
    "original": lambda subword, _, __: (subword, subword + 1),
    "whole-word": lambda _, start, end: (start, end),
}
CHUNK_SIZE = 1_024  # questions, whose rows are sorted and batched together
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """The subwords of all continuations of a chunk, one array entry per subword."""

    rows: Integers  # index of its question
    index: Integers  # its index in the text
    starts: Integers  # index of the first subword of its word
    ends: Integers  # index after the last subword of its word


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
        texts, (full, prefix, suffix) = distinct(
            wholes, map(str.rstrip, questions.prefixes), suffixes
        )
        cuts = self.cutter(texts)
        word_ids = self.cutter.word_ids(texts) if self.own_words else None
        pieces = subwords(questions, texts, cuts, full, word_ids)
        counts = np.bincount(pieces.rows, minlength=n)
        nonempty = np.fromiter(map(bool, questions.continuations), bool, n)
        check_subwords(wholes, questions.continuations, nonempty & (counts == 0))
        check_ids(texts, cuts.ids, cuts.offsets[:-1], self.reader.n_ids)
        refused = self.refused((cuts.lengths[full] + n_around) * nonempty)
        too_long = np.isin(np.arange(n), list(refused))
        counts[too_long] = 0
        keep = ~too_long[pieces.rows]
        pieces = Subwords(
            *(column[keep] for column in (pieces.rows, pieces.index, pieces.starts, pieces.ends))
        )
        index = cuts.offsets[full[pieces.rows]] + pieces.index
        begin, size = sizes_of(questions)[pieces.rows].T
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
        rows: dict[bytes, int] = {}  # distinct row → its number
        row_of = []
        masked = MASKED_RANGES[self.variant](pieces.index, pieces.starts, pieces.ends)
        for text, start, end in zip(texts.tolist(), *map(np.ndarray.tolist, masked), strict=True):
            row = cuts.ids[cuts.offsets[text] : cuts.offsets[text + 1]].copy()
            row[start:end] = self.mask
            sequence = np.concatenate([leading, row, trailing])
            row_of.append(rows.setdefault(sequence.tobytes(), len(rows)))
        ids = [np.frombuffer(row, np.int32) for row in rows]
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
    read, mask = reader.padded([ids[row] for row in rows])
    return reader.logits({"input_ids": read, "attention_mask": mask}, nth, index)


def subwords(
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
    width = 1 + max(map(len, texts), default=0)
    begin, sizes = sizes_of(questions).T
    borders = [
        row * width + start + offset
        for row, start in enumerate(begin.tolist())
        for offset in sorted({0, *word_starts(questions.continuations[row])})
    ]
    counts = cuts.lengths[full]
    rows, index = np.repeat(np.arange(n), counts), range_indices(np.zeros(n, np.int64), counts)
    owner, head = attribution_offsets(texts, cuts, full, np.zeros(n, np.int64))
    tail = np.maximum(owner, head)
    inside = (tail >= begin[rows]) & (head < (begin + sizes)[rows]) & (sizes[rows] > 0)
    rows, index, head, tail = (column[inside] for column in (rows, index, head, tail))
    if word_ids is None:
        word_of_first, word_of_last = (
            np.searchsorted(borders, rows * width + position, "right") for position in (head, tail)
        )
    else:
        word_of_first = word_of_last = word_ids[cuts.offsets[full[rows]] + index]
    begins = np.ones(len(rows), bool)
    begins[1:] = (rows[1:] != rows[:-1]) | (word_of_first[1:] != word_of_last[:-1])
    nth = np.cumsum(begins) - 1
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(rows))[: len(firsts)] - 1
    return Subwords(rows, index, index[firsts][nth], index[lasts][nth] + 1)


def sizes_of(questions: Questions) -> Integers:
    """Return an array `(n, 2)`: the lengths in characters of each question's prefix and
    continuation."""
    pairs = zip(questions.prefixes, questions.continuations, strict=True)
    return np.array([[len(p), len(c)] for p, c in pairs], np.int64).reshape(-1, 2)


def word_starts(text: str) -> Iterator[int]:
    """Yield the index of each character that begins a word. A punctuation mark at the start or end
    of a run of non-blanks is a word of its own; the rest of the run is one word."""
    for match in WORD.finditer(text):
        is_mark = [unicodedata.category(character)[0] in "PS" for character in match.group()]
        inner = [index for index, mark in enumerate(is_mark) if not mark] or [len(is_mark)]
        starts = (*range(inner[0] + 1), *range(inner[-1] + 1, len(is_mark)))
        yield from (match.start() + index for index in starts if index < len(is_mark))


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
    around = specials(tokenizer)
    sides = (",".join(map(str, ids)) or "none" for ids in around)
    weights = pretrained.weights()
    name = f"{Path(pretrained.origin.spec).name}?pll={chosen['pll']}"
    own = {} if chosen["words"] == "blanks" else {"words": chosen["words"]}
    if own:
        name += "&words=tokenizer"
    elif chosen["pll"] != "original":
        note = (
            f"{name}: words as blanks and punctuation part them; words=tokenizer: the tokenizer's"
        )
        weights = replace(weights, notes=(*weights.notes, note))
    return Masked(
        cutter=SubwordTokenizer(tokenizer),
        reader=reader(weights.model, weights.device, pretrained.origin.spec),
        around=around,
        mask=tokenizer.mask_token_id,
        unknown=unknown_id(tokenizer),
        longest=longest_input(weights.model),
        variant=chosen["pll"],
        own_words=bool(own),
        signature=pretrained.signature(weights, own, pll=chosen["pll"], specials="+".join(sides)),
        chunk=CHUNK_SIZE,
        name=name,
        remarks=weights.notes,
    )


def reader(model: Any, device: torch.device, location: str) -> RowReader:
    """Return a reader of `model` with the settings that a self-test on two short rows allows.

    The test finds out if the head can be given the needed positions alone, and if padding leaves
    the logits unchanged. Raises `InputError` if later ids do not change earlier answers, as in a
    causal model.
    """
    candidate = untested_reader(model, device)
    ids = (7 * np.arange(min(longest_input(model) or 12, 12)) + 5) % candidate.n_ids
    full = ids.astype(np.int32)
    half = full[: len(full) // 2]

    def test(read: RowReader, padded: bool, nth: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        """Return logits of the shorter test row, read beside the longer if `padded`."""
        return _logits(read, [half, full], np.arange(1 + padded), nth, index)

    with torch.inference_mode(), full_precision():
        index = torch.arange(len(half), device=device)
        nth = torch.zeros_like(index)
        longer = _logits(candidate, [full], nth[:1].cpu().numpy(), nth, index)
        if candidate.agrees(test(candidate, False, nth, index), longer):
            wrong = "the model does not look ahead: later ids do not change earlier answers"
            raise InputError(location, wrong, f"causal:{location}", kind="unsupported")
        body = model.base_model if model.base_model is not model else None
        return candidate.tested(body, len(half), test)
