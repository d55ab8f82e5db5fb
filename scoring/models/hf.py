"""Checkpoints of the transformers library: model, tokenizer, and a signature of all that the scores
depend on; and the base class of the scorers of causal, masked and sequence-to-sequence models.

Wrong numbers often come from silent faults in loading: missing weights are drawn at random, a
folder without tokenizer files gives an empty tokenizer. Here each of these is an `InputError`.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import tokenizers
import torch
import transformers

from ...data.arrays import Integers
from ...data.errors import InputError
from ...data.files import sha256_file
from ...data.registry import nearest
from ..questions.answer_columns import Answers, Questions, scores_of
from ..questions.query import TOKENIZER, LoadOptions, Query, Score, too_long
from ._subwords import SubwordTokenizer
from .model_folder import InMemory, is_model_folder, read_model
from .origin import CONFIGS_OF_KIND, MODEL_FOLDER, ModelSource, kind_of_config, source_of
from .torch_device import choose_device, device_kind
from .weights import WEIGHT_FILES, LoadedWeights, read_weights, weights_in_memory
from .words import DIGEST_DIGITS, signature_of, text_digest

SEPARATOR = "<|endoftext|>"  # some tokenizers, like Qwen's, have it but do not declare it as BOS


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScorer(ABC):
    """The base of scorers with a model of transformers, which read raw text in subwords."""

    cutter: SubwordTokenizer
    unknown: int  # the id for what the vocabulary lacks; −1 if there is none
    longest: int | None  # most ids that the model can read at once; None: no limit
    signature: str
    chunk: int  # number of questions answered together
    name: str = ""  # shown in tables; "": the name of its folder or on the hub
    remarks: tuple[str, ...] = ()  # what a user should know of this model
    unit: str = "text"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on this model and on the texts scored so far."""
        return (*self.remarks, *self.cutter.notes)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield one score for each query, in order."""
        return scores_of(self, queries)

    def segmented(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the ids of the subwords of each text, written as strings ("464"), without special
        tokens."""
        cuts = self.cutter(texts)
        ids, bounds = list(map(str, cuts.ids.tolist())), cuts.offsets.tolist()
        return [tuple(ids[start:end]) for start, end in pairwise(bounds)]

    @abstractmethod
    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk, that is, to questions that are answered together. A
        question is a text whose surprisal, after a prefix, is wanted."""

    def refusals(self, n_read: Integers) -> dict[int, str]:
        """Return the texts that are too long for the model: their indices in `n_read`, each with
        the reason. `n_read` is the number of ids to read of each text."""
        limit = self.longest
        if limit is None:
            return {}
        rows = np.flatnonzero(n_read > limit).tolist()
        return {row: too_long(int(n_read[row]), limit) for row in rows}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model whose weights are not yet loaded, its tokenizer, and the options to load it with."""

    kind: str  # "causal", "masked" or "seq2seq"
    origin: ModelSource | InMemory
    tokenizer: Any
    options: LoadOptions

    def weights(self) -> LoadedWeights:
        """Load the model in evaluation mode onto its device; its head is always float32."""
        if isinstance(self.origin, InMemory):
            return weights_in_memory(self.origin)
        return read_weights(self.kind, self.origin, self.options)

    def signature(
        self, loaded: LoadedWeights, reading: Mapping[str, str] | None = None, **own: str
    ) -> str:
        """Return the signature, a text of all that the scores depend on.

        `reading` and `own` are further settings that this kind of model adds. The weights are given
        as `name@commit` on the hub (the cache is organised by commit), or as a digest of a folder's
        files or of the values in memory; the tokenizer as a digest of everything that decides how a
        text is cut.
        """
        return signature_of(
            model=self.kind,
            weights=weights_digest(self.origin),
            tokenizer=text_digest(self.tokenizer.backend_tokenizer.to_str()),
            **own,
            device=loaded.places or device_kind(loaded.device),
            dtype=loaded.dtype,
            attention=loaded.model.config._attn_implementation,
            **(reading or {}),
            torch=torch.__version__,
            transformers=transformers.__version__,
            tokenizers=tokenizers.__version__,
        )


def weights_digest(origin: ModelSource | InMemory) -> str:
    """Return a short text that identifies the weights in a signature (see `Checkpoint.signature`);
    for an adapter it identifies the weights of its base too."""
    if isinstance(origin, InMemory):
        digest = hashlib.sha256()
        for name, values in sorted(origin.model.state_dict().items()):
            digest.update(f"{name}\t{values.dtype}\t{tuple(values.shape)}\n".encode())
            digest.update(values.detach().cpu().contiguous().view(torch.uint8).numpy())
        return digest.hexdigest()[:DIGEST_DIGITS]
    if origin.folder is None:
        cached = huggingface_hub.try_to_load_from_cache(
            origin.name, "config.json", revision=origin.revision
        )
        commit = Path(cached).parent.name if isinstance(cached, str) else origin.revision
        return f"{origin.name}@{commit}"
    paths = {path for pattern in WEIGHT_FILES for path in origin.folder.glob(pattern)}
    files = [path for path in (origin.folder / "config.json", *sorted(paths)) if path.is_file()]
    digest_text = text_digest("".join(f"{path.name}\t{sha256_file(path)}\n" for path in files))
    if origin.base is None:
        return digest_text
    return f"{digest_text}+{weights_digest(origin.base)}"


def checkpoint(kind: str, spec: str | InMemory, options: LoadOptions) -> Checkpoint:
    """Return the checkpoint that `spec` names: a folder, `NAME[@REVISION]` on the hub, or a model
    in memory. Its tokenizer is loaded here, its weights are loaded later.

    Raises `InputError` if it does not exist or was changed, for a slow tokenizer (only fast ones
    give the characters of a subword), and for a model whose configuration is of another kind;
    causal models are checked only after loading.
    """
    if isinstance(spec, InMemory):
        return Checkpoint(kind, spec, _checked_tokenizer(spec.tokenizer, spec.name), options)
    choose_device(options.device)  # raises the error for an unknown device early
    origin = source_of(spec, trusted=options.trust_remote_code)
    location = origin.spec
    if kind != "causal":
        if options.boundary != "none":
            wrong = f"{options.boundary!r} for a {kind} model, which has none"
            raise InputError("boundary", wrong, "none", kind="unsupported")
        config = origin.config
        config_kind = kind_of_config(config)
        is_bart = config_kind == "seq2seq" and kind == "masked"  # BART has a masked head too
        if is_bart or type(config) not in CONFIGS_OF_KIND[kind]:
            wrong = f"a model of type {config.model_type!r} is no {kind} model"
            right = f"{config_kind}:{location}" if config_kind else f"a {kind} model"
            raise InputError(location, wrong, right, kind="unsupported")
    elif origin.folder is not None and is_model_folder(origin.folder):
        read_model(origin.folder, kind)
    else:
        (origin.base or origin).check_config()
    return Checkpoint(kind, origin, _checked_tokenizer(origin.tokenizer, location), options)


def _checked_tokenizer(tokenizer: Any, location: str) -> Any:
    """Return `tokenizer` unchanged. Raises `InputError` if it does not give the character offsets
    of a subword, or makes no subwords."""
    if not getattr(tokenizer, "is_fast", False):
        wrong = f"{type(tokenizer).__name__} is a slow tokenizer, without character offsets"
        raise InputError(location, wrong, "a model with a tokenizer.json", kind="unsupported")
    if not tokenizer("a", add_special_tokens=False)["input_ids"]:
        wrong = "the tokenizer is empty: its files are missing"
        raise InputError(location, wrong, MODEL_FOLDER, kind="missing")
    return tokenizer


def special_ids(tokenizer: Any, policy: str) -> tuple[int, ...]:
    """Return the ids to put in front of every text, usually one or none. `policy` is the value of
    the option `bos`:

    `auto` gives the BOS that the model's files declare, or if there is none the EOS, or nothing.
    `none` gives nothing, `tokenizer` the ids that the tokenizer adds. Any other value is a token of
    the vocabulary. Texts are tokenised without special tokens, so none is added twice. Raises
    `InputError` for a token that the vocabulary lacks.
    """
    if policy == "none":
        return ()
    if policy == TOKENIZER:
        before, _ = special_ids_around(tokenizer)
        return before
    if policy == "auto":
        bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
        token_id = eos if bos is None else bos
        return () if token_id is None else (token_id,)
    token_id = tokenizer.get_vocab().get(policy)
    if token_id is None:
        choices = ["auto", "none", TOKENIZER, *tokenizer.all_special_tokens]
        right = "auto" if policy == "always" else nearest(policy, choices)
        raise InputError("bos", f"no such token {policy!r}", right, kind="unknown")
    return (int(token_id),)


def special_ids_around(
    tokenizer: Any, as_target: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two tuples: the special ids that the tokenizer adds before a text, and those that it
    adds after one. They are found by tokenising "a", as an output of the model if `as_target`."""
    text = {"text_target" if as_target else "text": "a"}
    plain = tokenizer(**text, add_special_tokens=False)["input_ids"]
    full = tokenizer(**text)["input_ids"]
    starts = (n for n in range(len(full)) if full[n : n + len(plain)] == plain)
    start = next(starts, 0)  # where the text's own ids begin
    return tuple(full[:start]), tuple(full[start + len(plain) :])


def longest_input(model: Any) -> int | None:
    """Return how many ids the model can read at once, specials included; None if there is no limit.

    RoBERTa and its kin begin counting positions after their padding id, so that 512 of 514
    positions can be used.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - unused
    config = model.config.get_text_config()
    names = ("max_position_embeddings", "max_seq_len")  # the second is MPT's
    lengths = [getattr(config, name, None) for name in names]
    return next((length for length in lengths if isinstance(length, int) and length > 0), None)


def unknown_id(tokenizer: Any) -> int:
    """Return the tokenizer's id for text that its vocabulary lacks; −1 if it has no such id.

    Some tokenizers (GPT-2's) name another special token so, which no text is ever cut into.
    """
    token_id = tokenizer.unk_token_id
    has_none = token_id in (None, tokenizer.bos_token_id, tokenizer.eos_token_id)
    return -1 if has_none else int(token_id)
