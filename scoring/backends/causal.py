"""Causal Transformers and their kin: whatever transformers loads as a causal language model.

Prefix and continuation are tokenised as one text, and the subwords are told apart by their
characters (`scoring/align.py`). Blanks at the end of a prefix count to the continuation, as the
subword after them has them. A first subword that begins before the continuation has a span that
begins below 0; where it replaces subwords of the prefix, its bits are the difference
S(whole text) − S(prefix), which alone of all bits can be below 0.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import tokenizers
import torch
import transformers

from colorless_green.data.errors import InputError
from colorless_green.scoring.align import Cut, Span, boundary, tiled
from colorless_green.scoring.batches import (
    Chain,
    Row,
    bits,
    chunks,
    log_probabilities,
    padded,
    projected,
)
from colorless_green.scoring.device import choose, describe, full_precision
from colorless_green.scoring.pretrained import (
    longest_input,
    model_identity,
    read_causal,
    read_tokenizer,
    source,
    special_ids,
    tokenizer_identity,
)
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.training.folder import is_model_folder, read_model
from colorless_green.scoring.words import signed

N_QUERIES = 2_048  # looked at together: enough to share prefixes and to fill batches
BUDGET = {"cpu": 4_096, "cuda": 16_384}  # ids a batch
LOGITS = {"cpu": 1 << 24, "cuda": 1 << 27}  # projected at once: 64 and 512 MiB of float32
NEAR = {torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 1e-2}  # of logits that agree
SHOWN = 40  # characters of a query in a message


@dataclass(frozen=True, slots=True)
class Asked:
    """A continuation as the model will be asked for it."""

    whole: Chain
    instead: Chain | None  # what the prefix alone has in place of the first subword
    n_first: int  # how many wanted ids of `whole` are reported as the first subword; normally 1
    spans: tuple[Span, ...]  # of what is reported, in the continuation

    def chains(self) -> tuple[Chain, ...]:
        """What the model must be asked."""
        return (self.whole,) if self.instead is None else (self.whole, self.instead)


NOTHING = Asked(Chain((), 0), None, 1, ())  # an empty continuation


@dataclass(frozen=True, slots=True)
class Reader:
    """A model in two steps, so that only what is wanted is projected onto the vocabulary."""

    states: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    """ids and mask `(batch, time)` to `(batch, time, width)`"""
    project: Callable[[torch.Tensor], torch.Tensor]
    """`(n, width)` to logits `(n, vocabulary)`"""
    n_ids: int  # the vocabulary
    budget: int  # ids a batch


@dataclass(frozen=True, slots=True)
class Causal:
    """A causal model that scores raw text."""

    tokenizer: Any
    reader: Reader
    lead: tuple[int, ...]  # special ids in front of every text
    unknown: int | None  # the id that stands for whatever the vocabulary lacks
    longest: int | None  # how many ids the model can read
    device: torch.device
    signature: str
    unit: str = "text"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order.

        Raises `InputError` with the start of a query that the model cannot answer: one that is too
        long, has nothing before its first subword, or no subword in a continuation.
        """
        for chunk in chunks(queries, N_QUERIES):
            yield from self._score(chunk)

    def _score(self, queries: Sequence[Query]) -> Iterator[Score]:
        cuts = self.cut(text for query in queries for text in _texts(query))
        asked = [self._asked(query, cuts) for query in queries]
        chains = [chain for every in asked for each in every for chain in each.chains()]
        answers = iter(log_probabilities(chains, self._answer, self.reader.budget))
        for query, every in zip(queries, asked, strict=True):
            found = tuple(self._surprisals(query, each, answers) for each in every)
            yield Score(found, sum(self._oov(cuts[_texts(query)[0]].ids)))

    def cut(self, texts: Iterable[str]) -> dict[str, Cut]:
        """Each distinct text in its subwords, without specials, nothing cut off."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        found = self.tokenizer(
            distinct,
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,
        )
        parts = zip(distinct, found["input_ids"], found["offset_mapping"], strict=True)
        return {text: Cut(tuple(ids), tiled(text, offsets)) for text, ids, offsets in parts}

    def _asked(self, query: Query, cuts: Mapping[str, Cut]) -> list[Asked]:
        bare, *texts = _texts(query)
        border = len(query.prefix)
        return [
            self._placed(cuts[bare], text, cuts[text], border) if len(text) > border else NOTHING
            for text in texts
        ]

    def _placed(self, bare: Cut, text: str, cut: Cut, border: int) -> Asked:
        at = boundary(bare, text, cut, len(text[:border].rstrip()))
        whole = self._chain(text, cut.ids, at.shared)
        n_wanted = len(whole.ids) - whole.first
        instead, n_first = None, 1
        if at.shared < len(bare.ids):
            instead = self._chain(text, bare.ids, at.shared)
            n_first = n_wanted - (len(cut.ids) - at.reaching) + 1
        if n_wanted < n_first:
            raise InputError(
                _place(text),
                f"the tokenizer makes no subword of the continuation {text[border:]!r}",
                "characters that it knows",
            )
        spans = cut.spans[len(cut.ids) - n_wanted :]
        spans = ((spans[0][0], spans[n_first - 1][1]), *spans[n_first:])
        return Asked(whole, instead, n_first, tuple((s - border, e - border) for s, e in spans))

    def _chain(self, text: str, ids: tuple[int, ...], start: int) -> Chain:
        """`ids`, of which those from `start` on are wanted, behind the special ids.

        A text may bring these itself; they never stand there twice.
        """
        own = ids[: len(self.lead)] == self.lead
        chain = ids if own else self.lead + ids
        first = max(len(chain) - len(ids) + start, len(self.lead))
        self._check(_place(text), chain, first)
        return Chain(chain, first)

    def _check(self, place: str, ids: tuple[int, ...], first: int) -> None:
        n_read = len(ids) - 1  # the last one is not read
        if first == 0 and ids:
            raise InputError(
                place,
                "nothing stands before its first subword, which so has no probability",
                "a prefix, or --bos auto or always",
            )
        if self.longest is not None and n_read > self.longest:
            raise InputError(
                place,
                f"{n_read} subwords to read, where the model reads {self.longest} at most",
                "a shorter text, or a model of longer reach",
            )
        if max(ids, default=0) >= self.reader.n_ids:
            raise InputError(
                place,
                f"the tokenizer's id {max(ids)} is not among the model's {self.reader.n_ids}",
                "model and tokenizer that belong together",
            )

    def _surprisals(
        self, query: Query, asked: Asked, answers: Iterator[tuple[float, ...]]
    ) -> Surprisals:
        every = [bits(next(answers)) for _ in asked.chains()]
        if any(math.isnan(each) for found in every for each in found):
            raise InputError(_place(_texts(query)[-1]), "the model answers NaN", "--dtype float32")
        found, n = every[0], asked.n_first
        wanted = self._oov(asked.whole.ids[asked.whole.first :])
        if asked.instead is not None:
            found = (math.fsum(found[:n]) - math.fsum(every[1]), *found[n:])
            wanted = (any(wanted[:n]), *wanted[n:])
        return Surprisals(found, asked.spans, wanted)

    def _oov(self, ids: Sequence[int]) -> tuple[bool, ...]:
        return tuple(each == self.unknown for each in ids)

    def _answer(self, rows: Sequence[Row]) -> list[float]:
        with torch.inference_mode(), full_precision():
            ids, mask = padded(rows, self.device)
            n_at_once = max(1, LOGITS[self.device.type] // self.reader.n_ids)
            return projected(self.reader.states(ids, mask), rows, self.reader.project, n_at_once)


def _texts(query: Query) -> list[str]:
    """The prefix without blanks at its end, and the whole text for each continuation."""
    prefix = _raw(query.prefix)
    return [prefix.rstrip(), *(prefix + _raw(each) for each in query.continuations)]


def _raw(stretch: Stretch) -> str:
    assert isinstance(stretch, str), "a scorer of unit 'text' is asked for raw text"
    return stretch


def _place(text: str) -> str:
    return f"query {text if len(text) <= SHOWN else text[:SHOWN] + '…'!r}"


def load(spec: str, options: LoadOptions) -> Causal:
    """The model and tokenizer of `spec`: a folder, or `NAME` or `NAME@REVISION` on the hub.

    Raises `InputError` for what cannot be loaded whole, for a slow tokenizer, for a model that
    looks ahead, and for options it cannot obey.
    """
    if options.boundary != "none":
        raise InputError("--boundary", f"no such correction {options.boundary!r}", "none")
    device = choose(options.device)
    origin = source(spec)
    if origin.folder is not None and is_model_folder(origin.folder):
        read_model(origin.folder, "causal")
    tokenizer = read_tokenizer(origin)
    lead = special_ids(tokenizer, options.bos, spec)
    model = read_causal(origin, options.dtype, device)
    signature = signed(
        model="causal",
        weights=model_identity(origin, model),
        tokenizer=tokenizer_identity(tokenizer),
        bos=f"{options.bos} {','.join(map(str, lead)) or 'none'}",
        boundary=options.boundary,
        device=describe(device),
        dtype=options.dtype,
        attention=model.config._attn_implementation,
        torch=torch.__version__,
        transformers=transformers.__version__,
        tokenizers=tokenizers.__version__,
    )
    return assemble(model, tokenizer, lead, device, spec, signature)


def assemble(
    model: Any,
    tokenizer: Any,
    lead: tuple[int, ...],
    device: torch.device,
    place: str,
    signature: str,
) -> Causal:
    """The scorer of a model and tokenizer in memory, `lead` before every text.

    Raises `InputError` with `place` for a model that looks ahead.
    """
    how = reader(model, device, place)
    return Causal(
        tokenizer, how, lead, _unknown(tokenizer), longest_input(model), device, signature
    )


def _unknown(tokenizer: Any) -> int | None:
    """GPT-2 calls its document separator `unk_token` too, but no text is ever cut into that."""
    found = tokenizer.unk_token_id
    return None if found in (tokenizer.bos_token_id, tokenizer.eos_token_id) else found


def reader(model: Any, device: torch.device, place: str) -> Reader:
    """How `model` is read: body and head apart where that gives its own logits, else as a whole.

    Some models work on their logits after the head (soft caps, scales); two short rows tell. The
    same rows tell whether the model looks ahead, as masked models do that load as causal ones.
    Raises `InputError` if it does.
    """
    n_read = min(longest_input(model) or 12, 12)
    n_ids = model.get_input_embeddings().weight.shape[0]
    row = [(7 * n + 1) % n_ids for n in range(n_read)]
    half = n_read // 2
    ids = torch.tensor([row, [*row[:half], *((each + 1) % n_ids for each in row[half:])]])
    ids, mask = ids.to(device), torch.ones_like(ids, device=device)
    near = NEAR[model.dtype]
    with torch.inference_mode(), full_precision():
        logits = _logits(model, ids, mask).float()
        n_ids = min(n_ids, logits.shape[-1])
        if not _alike(logits[0, :half], logits[1, :half], near):
            raise InputError(
                place, "the model looks ahead: later ids change earlier answers", "a causal model"
            )
        if _comes_apart(model):
            head = model.get_output_embeddings()
            if _alike(head(_hidden(model, ids, mask)), logits, near):
                budget = BUDGET[device.type]
                return Reader(partial(_hidden, model), head, n_ids, budget)
    return Reader(partial(_logits, model), torch.Tensor.float, n_ids, LOGITS[device.type] // n_ids)


def _logits(model: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    return found


def _hidden(model: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    body = model.base_model
    found: torch.Tensor = body(
        input_ids=ids, attention_mask=mask, use_cache=False
    ).last_hidden_state
    return found


def _comes_apart(model: Any) -> bool:
    return model.base_model is not model and model.get_output_embeddings() is not None


def _alike(found: torch.Tensor, wanted: torch.Tensor, near: float) -> bool:
    if found.shape != wanted.shape:
        return False
    scale = max(1.0, wanted.abs().max().item())
    return (found.float() - wanted.float()).abs().max().item() <= near * scale
