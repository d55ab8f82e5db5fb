"""Models of the transformers library with their tokenizers: from a folder or the hub, checked.

Loading is where wrong numbers begin without a sound: weights that a checkpoint lacks are drawn at
random, a folder without tokenizer files gives an empty tokenizer. Each of these is an `InputError`
here. Weights are read from safetensors only, code that comes with a model is never run, and the
network is used for nothing but a name on the hub.

A spec is `PATH-or-hub-name[@revision][?option=value]`.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
import huggingface_hub
import numpy as np
import tokenizers
import torch
import transformers
from huggingface_hub import constants
from huggingface_hub.errors import (
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from safetensors import SafetensorError

from ...data.arrays import Integers
from ...data.errors import ErrorKind, InputError
from ...data.files import sha256_file, user_path
from ...data.registry import nearest
from ..questions.answer_columns import Answers, Questions, scores_of
from ..questions.query import LoadOptions, Query, Score, too_long
from ._subwords import SubwordTokenizer
from .model_folder import is_model_folder, read_model
from .torch_device import choose, describe
from .words import SHORT, is_path, missing, signed

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
FOLDER = "a folder with config.json, *.safetensors and tokenizer.json"
EITHER = f"{FOLDER}, or NAME@REVISION on the hub"
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
SEPARATOR = "<|endoftext|>"  # some, like Qwen, have it without naming it their BOS
LOAD_ERRORS = (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError)
NOT_THERE = (RepositoryNotFoundError, RevisionNotFoundError, GatedRepoError, HFValidationError)
NO_ANSWER = (LocalEntryNotFoundError, OfflineModeIsEnabled, ConnectionError, TimeoutError)
AUTOS = {
    "causal": transformers.AutoModelForCausalLM,
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}
HOMES = {  # where a model that is asked for as another kind is at home, best first
    "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
}
PATIENCE_S = 5.0  # for a hub that does not answer
REASON = 160  # characters of a library's own message; some list every class they know


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScorer(ABC):
    """A scorer that is a model of transformers: it reads raw text in subwords."""

    cutter: SubwordTokenizer
    unknown: int  # the id that stands for whatever the vocabulary lacks; −1 if there is none
    longest: int | None  # how many ids the model can read
    signature: str
    chunk: int  # how many questions are looked at together
    name: str = ""  # for tables, where its folder or hub name is none
    remarks: tuple[str, ...] = ()  # what a user should know of this model
    unit: str = "text"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on this model, and on what it was asked so far."""
        return (*self.remarks, *self.cutter.notes)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order, as `answers` gives them."""
        return scores_of(self, queries)

    @abstractmethod
    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """The answers to each chunk of questions."""

    def refused(self, n_read: Integers) -> dict[int, str]:
        """The texts that are too long, by how many ids are to be read of each, and why."""
        limit = self.longest
        if limit is None:
            return {}
        beyond = np.flatnonzero(n_read > limit).tolist()
        return {row: too_long(int(n_read[row]), limit) for row in beyond}


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The source of a model: a folder here, or a name on the hub."""

    spec: str  # as the user wrote it; the location in messages
    folder: Path | None
    name: str  # on the hub, or the folder's path
    revision: str | None  # on the hub; None for the newest

    def load(self, auto: Any, **options: Any) -> Any:
        """Return what `auto` loads from here. Its refusals become `InputError`s of one line: the
        hub does not answer, or has no such model; or the model cannot be loaded."""
        try:
            with quiet():
                return auto.from_pretrained(
                    self.name,
                    revision=self.revision or "main",
                    local_files_only=self.folder is not None or not hub_answers(constants.ENDPOINT),
                    trust_remote_code=False,
                    **options,
                )
        except LOAD_ERRORS as error:
            causes: list[BaseException] = [error]
            while following := causes[-1].__cause__ or causes[-1].__context__:
                causes.append(following)
            wrong, right = f"cannot be loaded ({reason(error)})", FOLDER
            kind: ErrorKind = "format"
            if self.folder is None:
                right = EITHER
                if any(isinstance(cause, NOT_THERE) for cause in causes):
                    wrong, kind = "the hub has no such model that one may read", "unknown"
                elif any(isinstance(cause, NO_ANSWER) for cause in causes):
                    wrong, kind = "not in the cache here, and the hub does not answer", "network"
                    right = "a folder here, or a connection to the hub"
            raise InputError(self.spec, wrong, right, kind=kind) from error


def hub_answers(endpoint: str) -> bool:
    """Return whether the hub can be reached. It is asked once, and the answer holds for a minute:
    its library waits half a minute for each model, also for one in the cache."""
    return _hub_answers(endpoint, int(monotonic() // 60))


@cache
def _hub_answers(endpoint: str, minute: int) -> bool:
    try:
        huggingface_hub.get_session().head(endpoint, timeout=PATIENCE_S)
    except (*NO_ANSWER, httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return True


def source(spec: str) -> ModelSource:
    """Return what `PATH`, `NAME` or `NAME@REVISION` means: the folder if there is one, else the
    hub.

    A mistyped path does not become a question to the network.
    """
    if not spec:
        raise InputError("--model", "no path or name after the kind", EITHER, kind="value")
    folder = user_path(spec)
    if folder.is_dir():
        return ModelSource(spec, folder, str(folder), None)
    name, mark, revision = spec.partition("@")
    if mark and user_path(name).is_dir():
        raise InputError(spec, "a folder has no revisions", "its path alone", kind="format")
    path, question, options = spec.partition("?")
    if question and user_path(path).is_dir():
        wrong = f"a model of its kind has no option {options!r}"
        raise InputError(spec, wrong, f"name it without: {path}", kind="unknown")
    if folder.exists():
        raise InputError(spec, "a file, where a model is a folder", FOLDER, kind="missing")
    if is_path(name) or not HUB_NAME.fullmatch(name) or bool(mark) != bool(revision):
        raise missing(spec, EITHER)
    return ModelSource(spec, None, name, revision or None)


def backend_for(spec: str) -> str:
    """Tells what a checkpoint of transformers is, by its own config.

    Args:
        spec: a folder, or a name on the hub, with `@revision` or without.

    Returns:
        `causal`, `masked` or `seq2seq`.

    Raises:
        InputError: it is none of them, or cannot be loaded.
    """
    config = source(spec).load(transformers.AutoConfig)
    made_as = next(iter(config.architectures or ()), "")
    for ending, kind in (("ForCausalLM", "causal"), ("ForMaskedLM", "masked")):
        if made_as.endswith(ending):
            return kind
    home = _home(config)
    if home is None:
        wrong = f"a model of type {config.model_type!r} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(spec, wrong, right, kind="unsupported")
    return home


def split_spec(spec: str, options: Mapping[str, tuple[str, ...]]) -> tuple[str, dict[str, str]]:
    """A spec without its options, and the value of each option; of those it may have, the first
    is taken where none is named. Raises `InputError` for an option or value that is not there."""
    base, *option_texts = spec.split("?")
    chosen = {name: values[0] for name, values in options.items()}
    for option in (part for parts in option_texts for part in parts.split("&")):
        name, _, value = option.partition("=")
        if value not in options.get(name, ()):
            choices = [f"{key}={choice}" for key, values in options.items() for choice in values]
            raise InputError(
                spec, f"no such option {option!r}", nearest(option, choices), kind="unknown"
            )
        chosen[name] = value
    return base, chosen


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model that is there to be read, its tokenizer, and where it is to run."""

    kind: str  # "causal", "masked" or "seq2seq"
    origin: ModelSource
    tokenizer: Any
    device: torch.device
    dtype: str

    def model(self) -> Any:
        """The model with its weights, in evaluation mode, on its device; its head is float32
        whatever `dtype` is.

        In half precision single logits come in steps so large that two forms can tie (bfloat16: 1/8
        between 16 and 32). Raises `InputError` where the checkpoint lacks a weight of its kind of
        model, or has one of another shape.
        """
        if self.dtype not in DTYPES:
            right = nearest(self.dtype, DTYPES)
            raise InputError("dtype", f"no such type {self.dtype!r}", right, kind="unknown")
        location = self.origin.spec
        model, loading = self.origin.load(
            AUTOS[self.kind],
            dtype=DTYPES[self.dtype],
            use_safetensors=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, with a name
        )
        for name in sorted(loading["missing_keys"]):
            wrong, right = f"the weights lack {name}", f"those of a {self.kind} model"
            raise InputError(location, wrong, right, kind="format")
        for name, actual, expected in sorted(loading["mismatched_keys"]):
            wrong = f"{name} has the shape {tuple(actual)}, but config.json wants {tuple(expected)}"
            raise InputError(location, wrong, "weights and config.json of one model", kind="format")
        if self.dtype != "float32":
            head = model.get_output_embeddings()
            if not isinstance(head, torch.nn.Linear):
                wrong = "its head cannot be kept in float32 alone"
                raise InputError(location, wrong, "dtype float32", kind="unsupported")
            model.set_output_embeddings(WideHead(head))
        return model.to(self.device).eval()

    def signature(self, model: Any, reading: Mapping[str, str] | None = None, **own: str) -> str:
        """Return what the numbers depend on; `own` are the choices of this kind of model.

        The weights are `name@commit` on the hub, in whose cache files are under their commit, or a
        digest of a folder's files; the tokenizer a digest of everything that decides how a text is
        cut.
        """
        folder, name, revision = self.origin.folder, self.origin.name, self.origin.revision
        if folder is None:
            cached = huggingface_hub.try_to_load_from_cache(name, "config.json", revision=revision)
            commit = Path(cached).parent.name if isinstance(cached, str) else revision
            weights = f"{name}@{commit}"
        else:
            files = [folder / "config.json", *sorted(folder.glob("*.safetensors"))]
            weights = _digest("".join(f"{path.name}\t{sha256_file(path)}\n" for path in files))
        return signed(
            model=self.kind,
            weights=weights,
            tokenizer=_digest(self.tokenizer.backend_tokenizer.to_str()),
            **own,
            device=describe(self.device),
            dtype=self.dtype,
            attention=model.config._attn_implementation,
            **(reading or {}),
            torch=torch.__version__,
            transformers=transformers.__version__,
            tokenizers=tokenizers.__version__,
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT]


def checkpoint(kind: str, spec: str, options: LoadOptions) -> Checkpoint:
    """The checkpoint of a folder, or of `NAME[@REVISION]` on the hub; its weights are read later.

    Raises `InputError` for what is not there or was changed, for a slow tokenizer (only fast ones
    say which characters a subword is), and by its configuration for a model of another kind. What
    may be causal is only seen when it is read.
    """
    device, origin = choose(options.device), source(spec)
    location = origin.spec
    if kind != "causal":
        if options.boundary != "none":
            wrong = f"{options.boundary!r} for a {kind} model, which has none"
            raise InputError("boundary", wrong, "none", kind="unsupported")
        config = origin.load(transformers.AutoConfig)
        home = _home(config)
        barred = home == "seq2seq" and kind == "masked"  # BART has a masked head, over a decoder
        if barred or type(config) not in HOMES[kind]:
            wrong = f"a model of type {config.model_type!r} is no {kind} model"
            right = f"{home}:{location}" if home else f"a {kind} model"
            raise InputError(location, wrong, right, kind="unsupported")
    elif origin.folder is not None and is_model_folder(origin.folder):
        read_model(origin.folder, kind)
    tokenizer = origin.load(transformers.AutoTokenizer)
    if not tokenizer.is_fast:
        wrong = f"{type(tokenizer).__name__} is a slow tokenizer, without character offsets"
        raise InputError(location, wrong, "a model with a tokenizer.json", kind="unsupported")
    if not tokenizer("a", add_special_tokens=False)["input_ids"]:
        wrong = "the tokenizer is empty: its files are missing"
        raise InputError(location, wrong, FOLDER, kind="missing")
    return Checkpoint(kind, origin, tokenizer, device, options.dtype)


def _home(config: Any) -> str | None:
    return next((home for home, configs in HOMES.items() if type(config) in configs), None)


def is_cached(spec: str) -> bool:
    """Return whether the hub's cache here has a model of this name, which it must then mean."""
    name, _, revision = spec.partition("@")
    if not HUB_NAME.fullmatch(name):
        return False
    try:
        cached = huggingface_hub.try_to_load_from_cache(
            name, "config.json", revision=revision or None
        )
    except HFValidationError:
        return False
    return isinstance(cached, str)


def card_languages(spec: str) -> tuple[str, ...]:
    """Return the languages that a card names: README.md of a folder, or in the hub's cache."""
    card: Any = user_path(spec) / "README.md"
    if not card.parent.is_dir():
        name, _, revision = spec.partition("@")
        card = huggingface_hub.try_to_load_from_cache(name, card.name, revision=revision or None)
    try:
        facts = huggingface_hub.metadata_load(card) if card and Path(card).is_file() else None
    except Exception:  # a card is for people: whatever is wrong with it, the model is read
        return ()
    declared = facts.get("language") if isinstance(facts, dict) else None
    return tuple(map(str, [declared] if isinstance(declared, str) else declared or ()))


def reason(error: BaseException) -> str:
    """The first line of what a library says, shortened."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= REASON else f"{lines[0][:REASON]}…"


@contextmanager
def quiet() -> Iterator[None]:
    """Within it transformers draws no bars and logs errors only, and the hub does not tell of every
    try to reach it; all settings come back after."""
    log: Any = transformers.utils.logging  # untyped
    hub: Any = huggingface_hub.logging
    loudness, bars = (log.get_verbosity(), hub.get_verbosity()), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    hub.set_verbosity_error()
    if bars:
        log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(loudness[0])
        hub.set_verbosity(loudness[1])
        if bars:
            log.enable_progress_bar()


class WideHead(torch.nn.Module):
    """The head of a half-precision model in float32: it widens what comes in."""

    def __init__(self, head: torch.nn.Linear) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(head.weight.detach().float())
        bias = head.bias
        self.bias = None if bias is None else torch.nn.Parameter(bias.detach().float())

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits `(…, vocabulary)` for `(…, width)`."""
        return torch.nn.functional.linear(hidden.float(), self.weight.float(), self.bias)


def special_ids(tokenizer: Any, policy: str) -> tuple[int, ...]:
    """The ids that stand before every text, one or none.

    `auto`: the BOS that the model's files declare, else its EOS, else nothing. `none`: nothing. Any
    other: that token of the vocabulary. Texts are tokenised without specials, so it is never two.
    Raises `InputError` for what is no token.
    """
    if policy == "none":
        return ()
    if policy == "auto":
        declared = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        return tuple(token for token in declared if token is not None)[:1]
    token_id = tokenizer.get_vocab().get(policy)
    if token_id is None:
        choices = ["auto", "none", *tokenizer.all_special_tokens]
        right = "auto" if policy == "always" else nearest(policy, choices)
        raise InputError("bos", f"no such token {policy!r}", right, kind="unknown")
    return (int(token_id),)


def longest_input(model: Any) -> int | None:
    """Return how many ids the model can read at once, specials included; None if there is no limit.

    RoBERTa and its kin count positions from behind their padding id, so that of 514 positions 512
    can be used.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            below = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - below
    config = model.config.get_text_config()
    names = ("max_position_embeddings", "max_seq_len")  # the second is MPT's
    lengths = [getattr(config, name, None) for name in names]
    return next((length for length in lengths if isinstance(length, int) and length > 0), None)


def unknown_id(tokenizer: Any) -> int:
    """The id for what the vocabulary lacks, −1 if there is none. Some (GPT-2) give another special
    id that name too, but no text is ever cut into that."""
    token_id = tokenizer.unk_token_id
    excluded = (None, tokenizer.bos_token_id, tokenizer.eos_token_id)
    return -1 if token_id in excluded else int(token_id)
