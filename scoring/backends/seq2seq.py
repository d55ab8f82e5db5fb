"""Sequence-to-sequence models (T5, BART, translators): a continuation as what the decoder writes.

    encoder   the prefix, with the specials that the tokenizer puts around a text
    decoder   [start] [specials that the tokenizer puts in front] continuation

The surprisal of a subword is −log2 p given the whole prefix and the subwords before it. On the
decoder's side the continuation is a text of its own, so the blank at its start is no part of it.
What follows it is not told. So the number says how well the continuation answers the prefix as an
output answers an input. That is what translators and summarisers are made for; a model that has
only learnt to fill spans marked by sentinels (T5 as released) has never seen such an output: its
numbers compare two forms, but are no probabilities of a text that goes on.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers.modeling_outputs import BaseModelOutput

from colorless_green.data.errors import InputError
from colorless_green.scoring.align import Cut
from colorless_green.scoring.batches import bits
from colorless_green.scoring.device import full_precision
from colorless_green.scoring.encoders import longest_row, open_model, split_spec, unknown_id
from colorless_green.scoring.pretrained import Source, special_ids
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
    batches,
    cut,
    logits_at,
    padded,
    place,
    places,
    read_off,
    scored,
    specials,
)

EOS = {"no": False, "yes": True}  # whether the end of the output is scored too
N_TOGETHER = 512  # continuations whose prefixes are encoded and kept together
BUDGET = {"cpu": 2_048, "cuda": 32_768}  # ids a batch
LOGITS = {"cpu": 1 << 24, "cuda": 1 << 27}  # at once: 64 and 512 MiB of float32

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """A model, and what its self-test found."""

    model: Any
    decoder: Any  # whose states the head reads; None where they cannot be told apart
    n_ids: int  # the vocabulary
    pad: int
    limits: Limits

    def encoded(self, texts: Sequence[Ids], device: torch.device) -> list[torch.Tensor]:
        """The encoder's states `(time, width)` of each text."""
        found: dict[int, torch.Tensor] = {}
        for batch in batches([len(ids) for ids in texts], [0] * len(texts), self.limits):
            ids, mask = padded([texts[index] for index in batch], self.pad, device)
            states = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            found |= {n: each[: len(texts[n])] for n, each in zip(batch, states, strict=True)}
        return [found[index] for index in range(len(texts))]

    def logits(
        self, states: Sequence[torch.Tensor], rows: Sequence[Ids], wanted: Sequence[tuple[int, int]]
    ) -> torch.Tensor:
        """Logits `(n, vocabulary)` at the `n` wanted places of rows, row by row with its states."""
        device = states[0].device
        ids, mask = padded(rows, self.pad, device)
        lengths = torch.tensor([len(each) for each in states], device=device)
        beside = pad_sequence(list(states), batch_first=True)
        seen = torch.arange(beside.shape[1], device=device) < lengths[:, None]
        inputs = {
            "encoder_outputs": BaseModelOutput(last_hidden_state=beside),
            "attention_mask": seen.long(),
            "decoder_input_ids": ids,
            "decoder_attention_mask": mask,
            "use_cache": False,
        }
        nth, index = torch.tensor(wanted, device=device).T
        return logits_at(self.model, self.decoder, inputs, nth, index)


@dataclass(frozen=True, slots=True)
class Seq2Seq:
    """A sequence-to-sequence model that scores raw text."""

    tokenizer: Any
    reader: Reader
    lead: Ids  # what the decoder reads first
    closing: Ids  # what ends an output, if that is scored; else nothing
    unknown: int | None
    longest: int | None
    device: torch.device
    signature: str
    name: str
    unit: str = "text"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; a text that is too long for the model is refused in
        its place.

        Raises `InputError` with the start of a text that the model cannot serve: without a prefix,
        or with no subword in a continuation.
        """
        return scored(queries, self._surprisals, N_TOGETHER)

    def _surprisals(self, asked: Sequence[Asked]) -> Iterator[tuple[Surprisals, int]]:
        prefixes = list(dict.fromkeys(prefix.rstrip() for prefix, _, _ in asked))
        texts = self.tokenizer(prefixes, verbose=False)["input_ids"]
        sources = [tuple(ids) for ids in texts]
        which = {prefix: index for index, prefix in enumerate(prefixes)}
        cuts = cut(self.tokenizer, (each.lstrip() for _, each, _ in asked), as_target=True)
        wanted: list[list[tuple[Row, Place]]] = []
        refused: list[str] = []
        for prefix, continuation, _ in asked:
            index = which[prefix.rstrip()]
            ids = cuts[continuation.lstrip()].ids
            self._check(prefix, continuation, sources[index], ids)
            refused.append(self._refused(sources[index], ids))
            asks = continuation and not refused[-1]
            wanted.append(list(self._rows(index, ids)) if asks else [])
        if self.longest is not None:  # of a text that is too long nothing is asked
            sources = [source[: self.longest] for source in sources]
        with torch.inference_mode(), full_precision():
            states = self.reader.encoded(sources, self.device)
            found = asked_once(
                wanted,
                partial(self._answer, states),
                self.reader.limits,
                lambda row: len(row.ids) + len(sources[row.source]),
            )
        for (prefix, continuation, _), why, nats in zip(asked, refused, found, strict=True):
            if why:
                yield refusal(why), 0
                continue
            if any(map(math.isnan, nats)):
                where = place(prefix + continuation)
                raise InputError(
                    where, "the model answers NaN", "--dtype float32", kind="unsupported"
                )
            n_unknown = sum(each == self.unknown for each in sources[which[prefix.rstrip()]])
            yield self._found(continuation, cuts[continuation.lstrip()], nats), n_unknown

    def _rows(self, index: int, ids: Ids) -> Iterator[tuple[Row, Place]]:
        """What the decoder reads of a continuation, and what is wanted there: each next id."""
        whole = self.lead + ids + self.closing
        row = Row(whole[:-1], index)
        return ((row, (each - 1, whole[each])) for each in range(len(self.lead), len(whole)))

    def _found(self, continuation: str, found: Cut, nats: Sequence[float]) -> Surprisals:
        """The end of the output, if it is scored, stands at the continuation's last character."""
        if not continuation:
            return Surprisals((), (), ())
        n_blanks = len(continuation) - len(continuation.lstrip())
        spans = [(start + n_blanks, end + n_blanks) for start, end in found.spans]
        spans[0] = (0, spans[0][1])
        spans += [(len(continuation) - 1, len(continuation)) for _ in self.closing]
        oov = [each == self.unknown for each in found.ids] + [False for _ in self.closing]
        return Surprisals(bits(nats), tuple(spans), tuple(oov))

    def _answer(self, states: Sequence[torch.Tensor], reads: Sequence[Read]) -> list[float]:
        beside = [states[read.row.source] for read in reads]
        rows = [read.row.ids for read in reads]
        return read_off(self.reader.logits(beside, rows, places(reads)), reads)

    def _refused(self, source: Ids, ids: Ids) -> str:
        """Why the model cannot read them; "" if it can."""
        n_read = max(len(source), len(self.lead + ids + self.closing) - 1)
        if self.longest is None or n_read <= self.longest:
            return ""
        return too_long(n_read, self.longest)

    def _check(self, prefix: str, continuation: str, source: Ids, ids: Ids) -> None:
        where = place(prefix + continuation)
        if not prefix.strip():
            raise InputError(
                where,
                "the encoder has no text to read, for it reads the prefix",
                "a suite whose predictions leave a prefix, or a causal or masked model",
                kind="empty",
            )
        if continuation and not ids:
            raise InputError(
                where,
                f"the tokenizer makes no subword of the continuation {continuation!r}",
                "characters that it knows",
                kind="unsupported",
            )
        highest = max(*source, *ids, 0)
        if highest >= self.reader.n_ids:
            raise InputError(
                where,
                f"the tokenizer's id {highest} is not among the model's {self.reader.n_ids}",
                "model and tokenizer that belong together",
                kind="conflict",
            )


def load(spec: str, options: LoadOptions) -> Seq2Seq:
    """The model of `spec`: a folder, or `NAME[@REVISION]` on the hub, and `?eos=yes` if the end of
    the output is scored.

    Raises `InputError` for what cannot be loaded whole, for a slow tokenizer, and for options it
    cannot obey.
    """
    where, chosen = split_spec(spec, {"eos": tuple(EOS)})
    opened = open_model("seq2seq", where, options)
    model, tokenizer = opened.model, opened.tokenizer
    lead = decoder_lead(model, tokenizer, options.bos, opened.origin)
    return Seq2Seq(
        tokenizer,
        reader(model, opened.device),
        lead,
        _end(tokenizer, opened.origin) if EOS[chosen["eos"]] else (),
        unknown_id(tokenizer),
        longest_row(model),
        opened.device,
        opened.signature(decoder=f"{options.bos} {','.join(map(str, lead))}", eos=chosen["eos"]),
        Path(spec).name,
    )


def decoder_lead(model: Any, tokenizer: Any, policy: str, origin: Source) -> Ids:
    """The ids that the decoder reads before every output: the model's start, and what the tokenizer
    puts in front of one (BART's BOS, a translator's language), unless `policy` is "none" or another
    token, as for causal models."""
    known = (model.generation_config, model.config)
    starts = [getattr(each, "decoder_start_token_id", None) for each in known]
    start = next((each for each in starts if isinstance(each, int)), None)
    if start is None:
        raise InputError(
            origin.spec,
            "its config.json does not say what the decoder starts with",
            "one with a decoder_start_token_id",
            kind="unsupported",
        )
    if policy == "auto":
        return (start, *specials(tokenizer, as_target=True)[0])
    return (start, *special_ids(tokenizer, policy))


def _end(tokenizer: Any, origin: Source) -> Ids:
    behind = specials(tokenizer, as_target=True)[1]
    if behind:
        return behind[:1]
    if tokenizer.eos_token_id is None:
        raise InputError(
            origin.spec, "its tokenizer has no EOS token", "?eos=no", kind="unsupported"
        )
    return (tokenizer.eos_token_id,)


def reader(model: Any, device: torch.device) -> Reader:
    """How `model` is read, found out on two short rows: whether its head can be given the wanted
    places alone, and whether padding leaves its answers as they are."""
    n_ids = model.get_input_embeddings().weight.shape[0]
    pad = model.config.get_text_config().pad_token_id
    found = Reader(model, None, n_ids, pad if isinstance(pad, int) else 0, Limits(64, 64))
    texts = [tuple((7 * n + 5) % n_ids for n in range(length)) for length in (4, 9)]
    rows = [tuple((5 * n + 3) % n_ids for n in range(length)) for length in (3, 6)]
    wanted = [(0, index) for index in range(3)]
    with torch.inference_mode(), full_precision():
        (own,) = found.encoded(texts[:1], device)
        alone = found.logits([own], rows[:1], wanted)
        beside = found.logits(found.encoded(texts, device), rows, wanted)
        decoder = model.get_decoder()
        apart = replace(found, decoder=decoder).logits([own], rows[:1], wanted[1:])
    if not alike(apart, alone[1:], model.dtype):
        decoder = None
    n_places = max(1, LOGITS[device.type] // alone.shape[-1])
    exact = alike(beside, alone, model.dtype)
    limits = Limits(BUDGET[device.type], n_places) if exact else ONE_BY_ONE
    return Reader(model, decoder, min(n_ids, alone.shape[-1]), found.pad, limits)
