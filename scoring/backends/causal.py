"""Causal Transformers and their kin: whatever transformers loads as a causal language model.

Prefix and continuation are tokenised as one text, and the subwords are told apart by their
characters (`scoring/align.py`). Blanks at the end of a prefix count to the continuation, as the
subword after them has them. A first subword that begins before the continuation has a span that
begins below 0; where it replaces subwords of the prefix, its bits are the difference
S(whole text) − S(prefix), which alone of all bits can be below 0.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tokenizers
import torch
import transformers

from colorless_green.data.errors import InputError
from colorless_green.scoring.align import Cut, Span, boundary, tiled
from colorless_green.scoring.batches import Chain, ahead, bits, weighed
from colorless_green.scoring.boundary import Borders, borders, corrected
from colorless_green.scoring.device import choose, describe
from colorless_green.scoring.pretrained import (
    longest_input,
    model_identity,
    read_causal,
    read_tokenizer,
    reason,
    source,
    special_ids,
    tokenizer_identity,
)
from colorless_green.scoring.query import (
    LoadOptions,
    Query,
    Score,
    Stretch,
    Surprisals,
    refusal,
    too_long,
)
from colorless_green.scoring.reading import Reader, answers
from colorless_green.scoring.sanity import sanity_fault
from colorless_green.scoring.selftest import reader
from colorless_green.scoring.training.folder import is_model_folder, read_model
from colorless_green.scoring.words import signed

N_TEXTS = (128, 8_192)  # looked at together, at least and at most: to share and to fill batches
WORK = {"cpu": 1 << 37, "cuda": 1 << 41}  # texts × parameters looked at together: some seconds
SHOWN = 40  # characters of a query in a message


@dataclass(frozen=True, slots=True)
class Asked:
    """A continuation as the model will be asked for it."""

    whole: Chain
    instead: Chain | None  # what the prefix alone has in place of the first subword
    n_first: int  # how many wanted ids of `whole` are reported as the first subword; normally 1
    spans: tuple[Span, ...]  # of what is reported, in the continuation
    refused: str = ""  # why the model cannot read it; then nothing is asked

    def chains(self) -> tuple[Chain, ...]:
        """What the model must be asked."""
        if self.refused:
            return ()
        return (self.whole,) if self.instead is None else (self.whole, self.instead)


NOTHING = Asked(Chain((), 0), None, 1, ())  # an empty continuation


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
    borders: Borders | None = None  # of words, where their probabilities are corrected
    end: str = ""  # the tokenizer's sign for the end of a text, if it has one
    notes: tuple[str, ...] = ()  # what a user should know of this model
    name: str = ""  # for tables, where its folder or hub name is none
    languages: tuple[str, ...] = ()

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; a text that is too long for the model is refused in
        its place. The texts of what comes next are cut while the model reads.

        Raises `InputError` with the start of a query that has nothing before its first subword, or
        no subword in a continuation.
        """
        chosen = weighed(queries, lambda query: len(query.continuations), self._n_texts())
        for chunk, asked, n_unknown in ahead(self._prepared, chosen):
            chains = [chain for every in asked for each in every for chain in each.chains()]
            values = iter(answers(self.reader, chains))
            for query, every, n in zip(chunk, asked, n_unknown, strict=True):
                yield Score(tuple(self._surprisals(query, each, values) for each in every), n)

    def _prepared(
        self, queries: Sequence[Query]
    ) -> tuple[Sequence[Query], list[list[Asked]], list[int]]:
        """Queries with what is asked for each, and how many unknown ids its prefix has."""
        cuts = self.cut(text for query in queries for text in _texts(query))
        asked = [self._asked(query, cuts) for query in queries]
        return queries, asked, [sum(self._oov(cuts[_texts(each)[0]].ids)) for each in queries]

    def segmented(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Each text in the characters of its subwords, as answers have them."""
        cuts = self.cut(texts)
        return [tuple(text[start:end] for start, end in cuts[text].spans) for text in texts]

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
            self._placed(cuts[bare], text, cuts[text], border, query.ends)
            if len(text) > border
            else NOTHING
            for text in texts
        ]

    def _placed(self, bare: Cut, text: str, cut: Cut, border: int, ends: bool) -> Asked:
        at = boundary(bare, text, cut, len(text[:border].rstrip()))
        if ends:
            last = self.tokenizer.convert_tokens_to_ids(self.end)
            cut = Cut((*cut.ids, last), (*cut.spans, (len(text), len(text))))
        whole = self._chain(text, cut.ids, at.shared, ended=not ends)
        n_wanted = len(whole.ids) - whole.first
        instead, n_first = None, 1
        if at.shared < len(bare.ids):
            ended = text[:border] != text[:border].rstrip() or text[border].isspace()
            instead = self._chain(text, bare.ids, at.shared, ended=ended)
            n_first = n_wanted - (len(cut.ids) - at.reaching) + 1
        refused = self._refused(whole) or (instead and self._refused(instead))
        if refused:
            return Asked(whole, None, 1, (), refused)
        if n_wanted < n_first:
            raise InputError(
                _place(text),
                f"the tokenizer makes no subword of the continuation {text[border:]!r}",
                "characters that it knows",
                kind="unsupported",
            )
        spans = cut.spans[len(cut.ids) - n_wanted :]
        spans = ((spans[0][0], spans[n_first - 1][1]), *spans[n_first:])
        return Asked(whole, instead, n_first, tuple((s - border, e - border) for s, e in spans))

    def _chain(self, text: str, ids: tuple[int, ...], start: int, *, ended: bool) -> Chain:
        """`ids`, of which those from `start` on are wanted, behind the special ids.

        A text may bring these itself; they never stand there twice. `ended`: a word ends with it.
        """
        own = ids[: len(self.lead)] == self.lead
        every = ids if own else self.lead + ids
        chain = Chain(every, max(len(every) - len(ids) + start, len(self.lead)))
        if self.borders is not None:
            chain = self.borders.asking(chain, len(self.lead), ended=ended)
        self._check(_place(text), chain)
        return chain

    def _check(self, place: str, chain: Chain) -> None:
        ids = chain.ids
        if chain.first == 0 and ids:
            raise InputError(
                place,
                "nothing stands before its first subword, which so has no probability",
                "a prefix, or --bos auto or always",
                kind="unsupported",
            )
        if max(ids, default=0) >= self.reader.n_ids:
            raise InputError(
                place,
                f"the tokenizer's id {max(ids)} is not among the model's {self.reader.n_ids}",
                "model and tokenizer that belong together",
                kind="conflict",
            )

    def _refused(self, chain: Chain) -> str:
        """Why the model cannot read it; "" if it can."""
        n_read = len(chain.read())
        if self.longest is None or n_read <= self.longest:
            return ""
        return too_long(n_read, self.longest)

    def _surprisals(
        self, query: Query, asked: Asked, values: Iterator[tuple[float, ...]]
    ) -> Surprisals:
        if asked.refused:
            return refusal(asked.refused)
        every = [bits(corrected(chain, next(values))) for chain in asked.chains()]
        if any(math.isnan(each) for found in every for each in found):
            raise InputError(
                _place(_texts(query)[-1]),
                "the model answers NaN",
                "--dtype float32",
                kind="unsupported",
            )
        found, n = every[0], asked.n_first
        wanted = self._oov(asked.whole.ids[asked.whole.first :])
        if asked.instead is not None:
            found = (math.fsum(found[:n]) - math.fsum(every[1]), *found[n:])
            wanted = (any(wanted[:n]), *wanted[n:])
        return Surprisals(found, asked.spans, wanted)

    def _oov(self, ids: Sequence[int]) -> tuple[bool, ...]:
        return tuple(each == self.unknown for each in ids)

    def _n_texts(self) -> int:
        n_parameters: int = sum(each.numel() for each in self.reader.model.parameters())
        wanted = WORK[self.device.type] // max(1, n_parameters)
        return min(max(wanted, N_TEXTS[0]), N_TEXTS[1])


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
    """The model and tokenizer of `spec`, with a note if it fails the sanity gate (`sanity.py`).

    A note, not a refusal: an untrained model is a control. Raises `InputError` as `loaded` does.
    """
    scorer = loaded(spec, options)
    try:
        wrong = sanity_fault(scorer)
    except InputError:  # it cannot read a text of thirty words; that says nothing of its weights
        wrong = ""
    return replace(scorer, notes=(*scorer.notes, f"{spec}: {wrong}")) if wrong else scorer


def loaded(spec: str, options: LoadOptions) -> Causal:
    """The model and tokenizer of `spec`: a folder, or `NAME` or `NAME@REVISION` on the hub.

    Raises `InputError` for what cannot be loaded whole, for a slow tokenizer, for a model that
    looks ahead, and for options it cannot obey.
    """
    device = choose(options.device)
    origin = source(spec)
    if origin.folder is not None and is_model_folder(origin.folder):
        read_model(origin.folder, "causal")
    tokenizer = read_tokenizer(origin)
    lead = special_ids(tokenizer, options.bos, spec)
    model = read_causal(origin, options.dtype, device)
    how = _compiled(model, device, spec) if options.compile else reader(model, device, spec)
    words = borders(tokenizer, options.boundary, how.n_logits, device)
    signature = signed(
        model="causal",
        weights=model_identity(origin),
        tokenizer=tokenizer_identity(tokenizer),
        bos=f"{options.bos} {','.join(map(str, lead)) or 'none'}",
        boundary=options.boundary,
        device=describe(device),
        dtype=options.dtype,
        attention=model.config._attn_implementation,
        reading="packed" if how.packs_to else "plain",
        **({"compiled": "yes"} if options.compile else {}),
        torch=torch.__version__,
        transformers=transformers.__version__,
        tokenizers=tokenizers.__version__,
    )
    return Causal(
        tokenizer,
        how if words is None else replace(how, sets=words.sets),
        lead,
        _unknown(tokenizer),
        longest_input(model),
        device,
        signature,
        borders=words,
        end=tokenizer.eos_token or "",
        notes=(f"{spec}: every text is read alone: {how.why}",) if how.why else (),
    )


def _compiled(model: Any, device: torch.device, spec: str) -> Reader:
    """The reader of a model whose body was compiled; the self-test runs what was made."""
    from torch._dynamo.exc import TorchDynamoException
    from torch._inductor.exc import InductorError

    model.base_model.compile(dynamic=True)
    try:
        return reader(model, device, spec)
    except (TorchDynamoException, InductorError) as error:
        raise InputError(
            "--compile", f"torch cannot ({reason(error)})", "no --compile", kind="unsupported"
        ) from None


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
        tokenizer,
        how,
        lead,
        _unknown(tokenizer),
        longest_input(model),
        device,
        signature,
        end=tokenizer.eos_token or "",
    )


def _unknown(tokenizer: Any) -> int | None:
    """GPT-2 calls its document separator `unk_token` too, but no text is ever cut into that."""
    found = tokenizer.unk_token_id
    return None if found in (tokenizer.bos_token_id, tokenizer.eos_token_id) else found
