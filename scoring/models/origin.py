"""Models of the transformers library: finding them, their kind, and loading their parts.

A model is a local folder, a GGUF file, an adapter with its base, a name on the hub, or in memory.
The network is used only for a name on the hub. Code that comes with a model is run only if the user
trusts it.

A spec is `PATH-or-hub-name[@revision][?option=value]`.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
import huggingface_hub
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

from ...data.errors import ErrorKind, InputError
from ...data.files import read_text, user_path
from ...data.records import parse_json
from .model_folder import InMemory
from .words import is_path, missing_path_error

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
MODEL_FOLDER = "a folder with config.json, weights (*.safetensors) and tokenizer.json"
FOLDER_OR_NAME = f"{MODEL_FOLDER}, or NAME@REVISION on the hub"  # both for messages
NOT_FOUND_ERRORS = (
    RepositoryNotFoundError, RevisionNotFoundError, GatedRepoError, HFValidationError
)  # fmt: skip
NO_ANSWER_ERRORS = (LocalEntryNotFoundError, OfflineModeIsEnabled, ConnectionError, TimeoutError)
CONFIGS_OF_KIND = {  # kind → configuration classes of its models; if several fit, the first counts
    "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
}
KIND_OF_ENDING = {  # ending of a class name → kind of model
    "ForCausalLM": "causal", "ForMaskedLM": "masked", "ForSeq2SeqLM": "seq2seq",
}  # fmt: skip
ADAPTER_CONFIG = "adapter_config.json"
TRUST_SETTING = "trust_remote_code"  # allows code that comes with a model to run
MAX_LAYERS = 10_000  # more than any real model has; larger configurations are refused
HUB_TIMEOUT_S = 5.0  # for a hub that does not answer
MAX_SUMMARY_LENGTH = 160  # characters of a library's own message; some list every class they know


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The source of a model: a local folder, or a name on the hub."""

    spec: str  # as the user wrote it; the location in messages
    folder: Path | None
    name: str  # on the hub, or the folder's path
    revision: str | None  # on the hub; None for the newest
    trusted: bool = False  # whether code that comes with it may be run
    base: "ModelSource | None" = None  # for an adapter: the model that it adapts

    @property
    def config(self) -> Any:
        """Return the configuration of the model, or of an adapter's base."""
        source = self.base or self
        source.check_config()
        return source.load(transformers.AutoConfig.from_pretrained)

    @property
    def tokenizer(self) -> Any:
        """Return the tokenizer; that of its base if an adapter has none."""
        has_own = self.folder is None or (self.folder / "tokenizer.json").is_file()
        source = self if has_own or self.base is None else self.base
        return source.load(transformers.AutoTokenizer.from_pretrained)

    def raw_config(self) -> dict[str, Any]:
        """Return the contents of config.json, without making an object or running code."""
        facts, _ = self.load(transformers.PretrainedConfig.get_config_dict)
        if not isinstance(facts, dict):
            raise InputError(self.spec, "its config.json is no table", MODEL_FOLDER, kind="format")
        return facts

    def check_config(self) -> None:
        """Raise `InputError` if the configuration has absurdly many layers, or if the model needs
        code of its own that the user does not trust."""
        facts = self.raw_config()
        # A model of several parts has their configurations within its own (`text_config`).
        nested = [part for part in facts.values() if isinstance(part, dict)]
        for part in (facts, *nested):
            for name, value in part.items():
                if "layer" in name and type(value) is int and value > MAX_LAYERS:
                    wrong = f"{name} in config.json is {value:,}"
                    right = f"the config.json of these weights (at most {MAX_LAYERS:,} layers)"
                    raise InputError(self.spec, wrong, right, kind="format")
        is_known = facts.get("model_type") in transformers.CONFIG_MAPPING
        if "auto_map" in facts and not self.trusted and not is_known:
            wrong = "it comes with code of its own, which would run with your rights"
            right = f"read that code; --set {TRUST_SETTING}=true runs it"
            raise InputError(self.spec, wrong, right, kind="unsafe")

    def load(self, read: Callable[..., Any], **options: Any) -> Any:
        """Return what a function of transformers, `read`, loads from this source.

        Its errors become `InputError`s of one line: the hub does not answer, the hub has no such
        model, or the model cannot be loaded.
        """
        try:
            with quiet():
                return read(
                    self.name,
                    revision=self.revision or "main",
                    local_files_only=self.folder is not None or not hub_answers(constants.ENDPOINT),
                    trust_remote_code=self.trusted,
                    **options,
                )
        except Exception as error:  # bad files can raise anything
            causes: list[BaseException] = [error]  # the error, and those that led to it
            while following := causes[-1].__cause__ or causes[-1].__context__:
                causes.append(following)
            wrong, right = f"cannot be loaded ({error_summary(error)})", MODEL_FOLDER
            kind: ErrorKind = "format"
            if self.folder is None:
                right = FOLDER_OR_NAME
                if any(isinstance(cause, NOT_FOUND_ERRORS) for cause in causes):
                    wrong, kind = "the hub has no such model that one may read", "unknown"
                elif any(isinstance(cause, NO_ANSWER_ERRORS) for cause in causes):
                    wrong, kind = "not in the cache here, and the hub does not answer", "network"
                    right = "a folder here, or a connection to the hub"
            raise InputError(self.spec, wrong, right, kind=kind) from error


def hub_answers(endpoint: str) -> bool:
    """Return whether the hub can be reached; the answer is kept for a minute.

    Without this check its library would wait half a minute for each model, even a cached one.
    """
    return _hub_answers(endpoint, int(monotonic() // 60))


@cache
def _hub_answers(endpoint: str, minute: int) -> bool:
    """Return whether the hub can be reached. `minute` is used only as a key of the cache, so that
    an answer is kept for no longer than a minute."""
    try:
        huggingface_hub.get_session().head(endpoint, timeout=HUB_TIMEOUT_S)  # any answer will do
    except (*NO_ANSWER_ERRORS, httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return True


def source_of(spec: str, *, trusted: bool = False) -> ModelSource:
    """Return the source that the spec `PATH`, `NAME` or `NAME@REVISION` names.

    If a folder of this name exists, it is the source; otherwise the spec is taken as a name on the
    hub. Raises `InputError` for what looks like a mistyped path, without asking the hub.
    """
    if not spec:
        raise InputError("--model", "no path or name after the kind", FOLDER_OR_NAME, kind="value")
    folder = user_path(spec)
    if folder.is_dir():
        base = None
        if (folder / ADAPTER_CONFIG).is_file():
            base = base_of(spec, folder, trusted=trusted)
        return ModelSource(spec, folder, str(folder), None, trusted, base)
    name, at_sign, revision = spec.partition("@")
    if at_sign and user_path(name).is_dir():
        raise InputError(spec, "a folder has no revisions", "its path alone", kind="format")
    path, question_mark, options = spec.partition("?")
    if question_mark and user_path(path).is_dir():
        wrong = f"a model of its kind has no option {options!r}"
        raise InputError(spec, wrong, f"name it without: {path}", kind="unknown")
    if folder.exists():
        raise InputError(spec, "a file, where a model is a folder", MODEL_FOLDER, kind="missing")
    if is_path(name) or not HUB_NAME.fullmatch(name) or (at_sign and not revision):
        raise missing_path_error(spec, FOLDER_OR_NAME)
    return ModelSource(spec, None, name, revision or None, trusted)


def base_of(spec: str, folder: Path, *, trusted: bool) -> ModelSource:
    """Return the source of the base model that the adapter in `folder` adapts.

    The adapter's adapter_config.json gives the base's name on the hub, or its path relative to
    `folder` or to the current folder. Raises `InputError` if there is no such model.
    """
    location, right = f"{spec}: {ADAPTER_CONFIG}", "the adapter's base, base_model_name_or_path"
    facts = parse_json(read_text(folder / ADAPTER_CONFIG), location, "a folder of PEFT")
    name = facts.get("base_model_name_or_path") if isinstance(facts, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError(location, "it names no base", right, kind="missing")
    local = folder / name
    try:
        base = source_of(str(local) if local.is_dir() else name, trusted=trusted)
    except InputError as error:
        wrong = f"its base {name!r} is not there"
        raise InputError(location, wrong, right, kind=error.kind) from None
    if base.base is not None:
        raise InputError(location, "its base is an adapter", "a whole model", kind="unsupported")
    return base


def backend_for(spec: str, *, trusted: bool = False) -> str:
    """Tell what a checkpoint of transformers is, by its own config.

    Args:
        spec: a folder, or a name on the hub, with `@revision` or without.
        trusted: whether code that comes with it may be run.

    Returns:
        `causal`, `masked` or `seq2seq`.

    Raises:
        InputError: it is none of them, or cannot be loaded.
    """
    origin = source_of(spec, trusted=trusted)
    origin.check_config()
    facts = (origin.base or origin).raw_config()
    architectures = facts.get("architectures")  # the class that was saved comes first
    names = [str(name) for name in architectures[:1]] if isinstance(architectures, list) else []
    auto_map = facts.get("auto_map")  # "AutoModelForCausalLM" → class of the model's own code
    class_names = [*names, *(auto_map if isinstance(auto_map, dict) else ())]
    for ending, kind in KIND_OF_ENDING.items():
        if any(name.endswith(ending) for name in class_names):
            return kind
    config = origin.config
    config_kind = kind_of_config(config)
    if config_kind is None:
        wrong = f"a model of type {config.model_type!r} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(spec, wrong, right, kind="unsupported")
    return config_kind


def kind_in_memory(in_memory: InMemory) -> tuple[str, InMemory]:
    """Return the kind of a model in memory (`causal`, `masked` or `seq2seq`), read from its class,
    and the same model with a name.

    The name is the given one; if that is "", the name in the model's configuration; if there is
    none, the name of its class. Raises `InputError` if it is not a model of transformers with its
    tokenizer.
    """
    model, class_name = in_memory.model, type(in_memory.model).__name__
    right = "(model, tokenizer) or (model, tokenizer, name), of transformers"
    if not isinstance(model, transformers.PreTrainedModel):
        wrong = f"a {class_name} is no model of transformers"
        raise InputError("model", wrong, right, kind="value")
    name = in_memory.name or Path(model.name_or_path or "").name or class_name
    if not isinstance(in_memory.tokenizer, transformers.PreTrainedTokenizerBase):
        raise InputError(name, "no tokenizer of transformers beside it", right, kind="value")
    endings = {**KIND_OF_ENDING, "LMHeadModel": "causal"}  # `GPT2LMHeadModel`
    class_kind = next((kind for end, kind in endings.items() if class_name.endswith(end)), None)
    kind = class_kind or kind_of_config(model.config)
    if kind is None:
        wrong = f"a {class_name} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(name, wrong, right, kind="unsupported")
    return kind, replace(in_memory, name=name)


def kind_of_config(config: Any) -> str | None:
    """Return the kind (`causal`, `masked` or `seq2seq`) of the model that a configuration
    describes; None if it is of no such kind."""
    return next((kind for kind, types in CONFIGS_OF_KIND.items() if type(config) in types), None)


def card_languages(spec: str) -> tuple[str, ...]:
    """Return the language codes on a model's card, which is the README.md in its folder or in the
    hub's cache. The result is empty if there is no card, or a bad one."""
    folder = user_path(spec)
    card: Any = folder / "README.md"
    if not folder.is_dir():
        name, _, revision = spec.partition("@")
        card = huggingface_hub.try_to_load_from_cache(name, card.name, revision=revision or None)
    try:
        facts = huggingface_hub.metadata_load(card) if card and Path(card).is_file() else None
    except Exception:  # a bad card must not keep the model from loading
        return ()
    declared = facts.get("language") if isinstance(facts, dict) else None  # a code, or a list
    return tuple(map(str, [declared] if isinstance(declared, str) else declared or ()))


def error_summary(error: BaseException) -> str:
    """Return the first line of a library's error message, shortened; with the second line if the
    first ends with a colon."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    n_lines = 2 if lines[0].endswith(":") else 1
    summary = " ".join(line.strip() for line in lines[:n_lines])
    return summary if len(summary) <= MAX_SUMMARY_LENGTH else f"{summary[:MAX_SUMMARY_LENGTH]}…"


@contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers and the hub's library within the block: no progress bars, no warnings,
    and only errors in the log. All settings are restored afterwards."""
    log: Any = transformers.utils.logging  # untyped
    hub: Any = huggingface_hub.logging
    log_level, hub_level = log.get_verbosity(), hub.get_verbosity()
    has_bars = log.is_progress_bar_enabled()
    log.set_verbosity_error()
    hub.set_verbosity_error()
    if has_bars:
        log.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.set_verbosity(log_level)
        hub.set_verbosity(hub_level)
        if has_bars:
            log.enable_progress_bar()
