"""Masked models (BERT, RoBERTa and their kin): pseudo-log-likelihoods, both sides in view.

The surprisal of a subword is −log2 p where it stands, with a mask in its place and the rest of the
text around it, prefix and suffix. Of its own word it sees more or less, by variant:

    original     all other subwords (Salazar et al. 2020, "Masked Language Model Scoring")
    word-l2r     those before it (Kauf & Ivanova 2023, "A Better Way to Do Masked Language Model
                 Scoring"); the default, for "original" lets the end of a rare word tell its start
    whole-word   none (ibid.)

A word is what stands between blanks, less the punctuation at its ends, of which every mark is a
word of its own; the borders of a continuation are borders of words too. So what stands outside of
the continuation is never masked; and a target of one word gets, by "word-l2r", its probability
given both sides by the chain rule: one row for a pair whose forms are one subword each.
"""

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from colorless_green.data.errors import InputError
from colorless_green.scoring.align import Cut, Span, owner
from colorless_green.scoring.batches import bits
from colorless_green.scoring.device import full_precision
from colorless_green.scoring.encoders import longest_row, open_model, split_spec, unknown_id
from colorless_green.scoring.query import (
    LoadOptions,
    Query,
    Score,
    Surprisals,
    refusal,
    too_long,
)
from colorless_green.scoring.reads import (
    ONE_BY_ONE,
    Asked,
    Limits,
    Place,
    Read,
    Row,
    alike,
    asked_once,
    cut,
    logits_at,
    padded,
    place,
    places,
    read_off,
    scored,
    specials,
)

HIDDEN: dict[str, Callable[[range, int], range]] = {  # what is masked of a word, for one subword
    "word-l2r": lambda word, subword: range(subword, word.stop),
    "original": lambda word, subword: range(subword, subword + 1),
    "whole-word": lambda word, subword: word,
}
N_TOGETHER = 1_024  # continuations whose rows are sorted and batched together
BUDGET = {"cpu": 1_024, "cuda": 32_768}  # ids a batch; on a CPU 512 to 2,048 are alike
LOGITS = {"cpu": 1 << 24, "cuda": 1 << 27}  # at once: 64 and 512 MiB of float32
NONBLANK = re.compile(r"\S")
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Placed:
    """A continuation among the subwords of its text."""

    ids: tuple[int, ...]  # of the whole text
    words: tuple[range, ...]  # indices of subwords, word by word; one after the other
    spans: tuple[Span, ...]  # of its subwords, in the continuation
    refused: str = ""  # why the model cannot read it

    def subwords(self) -> Iterator[tuple[range, int]]:
        """Each subword of the continuation with its word."""
        return ((word, each) for word in self.words for each in word)


@dataclass(frozen=True, slots=True)
class Reader:
    """A model, and what its self-test found."""

    model: Any
    body: Any  # whose states the head reads; None where they cannot be told apart
    n_ids: int  # the vocabulary
    pad: int
    limits: Limits


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked model that scores raw text. What is no text, as CLS and SEP, is never scored."""

    tokenizer: Any
    reader: Reader
    around: tuple[tuple[int, ...], tuple[int, ...]]  # ids before and behind every text
    mask: int
    unknown: int | None
    longest: int | None
    variant: str
    device: torch.device
    signature: str
    name: str
    unit: str = "text"
    looks_ahead: bool = True

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; no suffix means that the text ends there.

        Equal rows are computed once, so that forms which the tokenizer makes alike tie exactly. A
        subword across a border of the continuation counts to it: its span may begin below 0.
        A text that is too long for the model is refused in its place. Raises `InputError` with the
        start of a text that leaves no subword.
        """
        return scored(queries, self._surprisals, N_TOGETHER)

    def _surprisals(self, asked: Sequence[Asked]) -> Iterator[tuple[Surprisals, int]]:
        around = [(prefix.rstrip(), suffix) for prefix, _, suffix in asked]
        cuts = cut(self.tokenizer, ("".join(each) for each in asked))
        outside = cut(self.tokenizer, (text for texts in around for text in texts))
        placed = [self._placed(each, cuts["".join(each)]) for each in asked]
        wanted = [tuple(self._rows(each)) for each in placed]
        found = asked_once(wanted, self._answer, self.reader.limits)
        for each, own, texts, nats in zip(asked, placed, around, found, strict=True):
            if own.refused:
                yield refusal(own.refused), 0
                continue
            if any(map(math.isnan, nats)):
                raise InputError(
                    place("".join(each)),
                    "the model answers NaN",
                    "--dtype float32",
                    kind="unsupported",
                )
            oov = tuple(own.ids[index] == self.unknown for _, index in own.subwords())
            n_unknown = sum(one == self.unknown for text in texts for one in outside[text].ids)
            yield Surprisals(bits(nats), own.spans, oov), n_unknown

    def _placed(self, asked: Asked, whole: Cut) -> Placed:
        prefix, continuation, _ = asked
        text = "".join(asked)
        if not continuation:
            return Placed(whole.ids, (), ())
        words = words_of(text, whole.spans, len(prefix), len(prefix) + len(continuation))
        if not words:
            raise InputError(
                place(text),
                f"the tokenizer makes no subword of the continuation {continuation!r}",
                "characters that it knows",
                kind="unsupported",
            )
        n_read = len(whole.ids) + sum(map(len, self.around))
        if self.longest is not None and n_read > self.longest:
            return Placed((), (), (), too_long(n_read, self.longest))
        if max(whole.ids, default=0) >= self.reader.n_ids:
            raise InputError(
                place(text),
                f"the tokenizer's id {max(whole.ids)} is not among the model's {self.reader.n_ids}",
                "model and tokenizer that belong together",
                kind="conflict",
            )
        spans = (whole.spans[index] for word in words for index in word)
        end = len(continuation)
        return Placed(
            whole.ids,
            tuple(words),
            tuple((start - len(prefix), min(stop - len(prefix), end)) for start, stop in spans),
        )

    def _rows(self, placed: Placed) -> Iterator[tuple[Row, Place]]:
        """For each subword of a continuation the row that tells of it, and what is wanted there."""
        before, behind = self.around
        for word, index in placed.subwords():
            hidden = HIDDEN[self.variant](word, index)
            masks = (self.mask,) * len(hidden)
            ids = placed.ids[: hidden.start] + masks + placed.ids[hidden.stop :]
            yield Row(before + ids + behind), (len(before) + index, placed.ids[index])

    def _answer(self, reads: Sequence[Read]) -> list[float]:
        with torch.inference_mode(), full_precision():
            rows = [read.row.ids for read in reads]
            return read_off(_logits(self.reader, rows, places(reads), self.device), reads)


def _logits(
    reader: Reader,
    rows: Sequence[tuple[int, ...]],
    wanted: Sequence[tuple[int, int]],
    device: torch.device,
) -> torch.Tensor:
    ids, mask = padded(rows, reader.pad, device)
    nth, index = torch.tensor(wanted, device=device).T
    inputs = {"input_ids": ids, "attention_mask": mask}
    return logits_at(reader.model, reader.body, inputs, nth, index)


def words_of(text: str, spans: Sequence[Span], start: int, end: int) -> list[range]:
    """The subwords that reach into `text[start:end]`, as indices, word by word.

    `spans` are `tiled`. Where a subword reaches over the border of two words, they count as one. A
    subword of blanks alone (a lone "▁") is part of the word after it.
    """
    starts = sorted({start, *(start + each for each in word_starts(text[start:end]))})
    words: list[range] = []
    last = -1
    for index, span in enumerate(spans):
        found = NONBLANK.search(text, span[0])
        first = found.start() if found else owner(text, span)
        before, last = last, max(first, owner(text, span))
        if last < start or first >= end:
            continue
        if words and bisect_right(starts, before) == bisect_right(starts, first):
            words[-1] = range(words[-1].start, index + 1)
        else:
            words.append(range(index, index + 1))
    return words


def word_starts(text: str) -> Iterator[int]:
    """Where words begin, in characters: after blanks, and at punctuation at a word's ends."""
    for found in WORD.finditer(text):
        marks = [unicodedata.category(each)[0] in "PS" for each in found.group()]
        inner = [index for index, mark in enumerate(marks) if not mark] or [len(marks)]
        for index in range(len(marks)):
            if index <= inner[0] or index > inner[-1]:
                yield found.start() + index


def load(spec: str, options: LoadOptions) -> Masked:
    """The model of `spec`: a folder, or `NAME[@REVISION]` on the hub, and `?pll=VARIANT` if not
    word-l2r.

    Raises `InputError` for what cannot be loaded whole, for a slow tokenizer or one without a mask,
    for a model that does not look ahead, and for options it cannot obey.
    """
    where, chosen = split_spec(spec, {"pll": tuple(HIDDEN)})
    if options.bos != "auto":
        raise InputError(
            "--bos",
            f"{options.bos!r} for a masked model, which reads its own specials around every text",
            "auto",
            kind="value",
        )
    opened = open_model("masked", where, options)
    tokenizer = opened.tokenizer
    if tokenizer.mask_token_id is None:
        raise InputError(
            where, "its tokenizer has no mask token", "that of a masked model", kind="unsupported"
        )
    around = specials(tokenizer)
    sides = (",".join(map(str, ids)) or "none" for ids in around)
    return Masked(
        tokenizer,
        reader(opened.model, opened.device, where),
        around,
        tokenizer.mask_token_id,
        unknown_id(tokenizer),
        longest_row(opened.model),
        chosen["pll"],
        opened.device,
        opened.signature(pll=chosen["pll"], specials="+".join(sides)),
        f"{Path(where).name}?pll={chosen['pll']}",
    )


def reader(model: Any, device: torch.device, where: str) -> Reader:
    """How `model` is read, found out on two short rows: whether its head can be given the wanted
    places alone, and whether padding leaves its answers as they are.

    Raises `InputError` if later ids do not change earlier answers, as in a causal model.
    """
    longest = longest_row(model) or 12
    n_ids = model.get_input_embeddings().weight.shape[0]
    row = tuple((7 * n + 5) % n_ids for n in range(min(longest, 12)))
    half = len(row) // 2
    found = Reader(model, None, n_ids, _pad(model), ONE_BY_ONE)
    wanted = [(0, index) for index in range(half)]
    with torch.inference_mode(), full_precision():
        alone = _logits(found, [row[:half]], wanted, device)
        whole = _logits(found, [row], wanted, device)
        if alike(alone, whole, model.dtype):
            raise InputError(
                where,
                "the model does not look ahead: later ids leave earlier answers as they are",
                f"causal:{where}",
                kind="unsupported",
            )
        beside = _logits(found, [row[:half], row], wanted, device)
        body = model.base_model if model.base_model is not model else None
        apart = _logits(replace(found, body=body), [row], wanted[1:], device)
    if not alike(apart, whole[1:], model.dtype):
        body = None
    exact = alike(beside, alone, model.dtype)
    limits = Limits(BUDGET[device.type], max(1, LOGITS[device.type] // whole.shape[-1]))
    return Reader(
        model, body, min(n_ids, whole.shape[-1]), found.pad, limits if exact else ONE_BY_ONE
    )


def _pad(model: Any) -> int:
    found = model.config.get_text_config().pad_token_id
    return found if isinstance(found, int) and found >= 0 else 0
