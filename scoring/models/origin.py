"""Models of the transformers library: where one is, and what may be read of it.

A model is a folder here, a GGUF file, an adapter with its base, a name on the hub, or in memory.
The network is used for nothing but a name on the hub; code that comes with a model is run for who
trusts it alone.

A spec is `PATH-or-hub-name[@revision][?option=value]`.
"""

import json
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
from .model_folder import InMemory
from .words import is_path, missing

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
FOLDER = "a folder with config.json, weights (*.safetensors) and tokenizer.json"
EITHER = f"{FOLDER}, or NAME@REVISION on the hub"
NOT_THERE = (RepositoryNotFoundError, RevisionNotFoundError, GatedRepoError, HFValidationError)
NO_ANSWER = (LocalEntryNotFoundError, OfflineModeIsEnabled, ConnectionError, TimeoutError)
HOMES = {  # where a model that is asked for as another kind is at home, best first
    "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
}
MADE_AS = {  # endings of architectures, and of the classes that own code stands for
    "ForCausalLM": "causal", "ForMaskedLM": "masked", "ForSeq2SeqLM": "seq2seq",
}  # fmt: skip
ADAPTER = "adapter_config.json"
TRUST = "trust_remote_code"  # a setting
MOST_LAYERS = 10_000  # no model has so many; a configuration that asks for more is never built
PATIENCE_S = 5.0  # for a hub that does not answer
REASON = 160  # characters of a library's own message; some list every class they know


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The source of a model: a folder here, or a name on the hub."""

    spec: str  # as the user wrote it; the location in messages
    folder: Path | None
    name: str  # on the hub, or the folder's path
    revision: str | None  # on the hub; None for the newest
    trusted: bool = False  # code that comes with it may be run
    base: "ModelSource | None" = None  # of an adapter: the model that it adapts

    @property
    def config(self) -> Any:
        """Return the configuration of the model, or of an adapter's base."""
        source = self.base or self
        source.check_config()
        return source.load(transformers.AutoConfig.from_pretrained)

    @property
    def tokenizer(self) -> Any:
        """Return the tokenizer; that of an adapter's base where it brings none."""
        has_own = self.folder is None or (self.folder / "tokenizer.json").is_file()
        return (self if has_own else self.base or self).load(
            transformers.AutoTokenizer.from_pretrained
        )

    def raw_config(self) -> dict[str, Any]:
        """Return config.json as it is written, of which no class is made and no code is run."""
        facts, _ = self.load(transformers.PretrainedConfig.get_config_dict)
        if not isinstance(facts, dict):
            raise InputError(self.spec, "its config.json is no table", FOLDER, kind="format")
        return facts

    def check_config(self) -> None:
        """Raise `InputError` for a configuration that nobody can build, and for one that needs code
        of its own which is not trusted."""
        facts = self.raw_config()
        nested = [part for part in facts.values() if isinstance(part, dict)]
        for part in (facts, *nested):
            for name, value in part.items():
                if "layer" in name and type(value) is int and value > MOST_LAYERS:
                    wrong = f"{name} in config.json is {value:,}"
                    right = f"the config.json of these weights (at most {MOST_LAYERS:,} layers)"
                    raise InputError(self.spec, wrong, right, kind="format")
        is_known = facts.get("model_type") in transformers.CONFIG_MAPPING
        if "auto_map" in facts and not self.trusted and not is_known:
            wrong = "it comes with code of its own, which would run with your rights"
            right = f"read that code; --set {TRUST}=true runs it"
            raise InputError(self.spec, wrong, right, kind="unsafe")

    def load(self, read: Callable[..., Any], **options: Any) -> Any:
        """Return what a function of transformers reads from here. Its refusals become `InputError`s
        of one line: the hub does not answer, or has no such model; or the model cannot be
        loaded."""
        try:
            with quiet():
                return read(
                    self.name,
                    revision=self.revision or "main",
                    local_files_only=self.folder is not None or not hub_answers(constants.ENDPOINT),
                    trust_remote_code=self.trusted,
                    **options,
                )
        except Exception as error:  # files are hostile: a wrong type in one fails anywhere within
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


def source(spec: str, *, trusted: bool = False) -> ModelSource:
    """Return what `PATH`, `NAME` or `NAME@REVISION` means: the folder if there is one, else the
    hub.

    A mistyped path does not become a question to the network.
    """
    if not spec:
        raise InputError("--model", "no path or name after the kind", EITHER, kind="value")
    folder = user_path(spec)
    if folder.is_dir():
        base = None
        if (folder / ADAPTER).is_file():
            base = base_of(spec, folder, trusted=trusted)
        return ModelSource(spec, folder, str(folder), None, trusted, base)
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
    return ModelSource(spec, None, name, revision or None, trusted)


def base_of(spec: str, folder: Path, *, trusted: bool) -> ModelSource:
    """Return the model that the adapter in a folder adapts, as its adapter_config.json names it: a
    name on the hub, or a path (from here, or from the folder). Raises `InputError` if there is
    none."""
    location, right = f"{spec}: {ADAPTER}", "the adapter's base, base_model_name_or_path"
    try:
        facts = json.loads(read_text(folder / ADAPTER))
    except ValueError:
        raise InputError(location, "no JSON", "a folder of PEFT", kind="format") from None
    name = facts.get("base_model_name_or_path") if isinstance(facts, dict) else None
    if not isinstance(name, str) or not name:
        raise InputError(location, "it names no base", right, kind="missing")
    beside = folder / name
    try:
        found = source(str(beside) if beside.is_dir() else name, trusted=trusted)
    except InputError as error:
        wrong = f"its base {name!r} is not there"
        raise InputError(location, wrong, right, kind=error.kind) from None
    if found.base is not None:
        raise InputError(location, "its base is an adapter", "a whole model", kind="unsupported")
    return found


def backend_for(spec: str, *, trusted: bool = False) -> str:
    """Tell what a checkpoint of transformers is, by its own config.

    Args:
        spec: a folder, or a name on the hub, with `@revision` or without.
        trusted: code that comes with it may be run.

    Returns:
        `causal`, `masked` or `seq2seq`.

    Raises:
        InputError: it is none of them, or cannot be loaded.
    """
    origin = source(spec, trusted=trusted)
    origin.check_config()
    facts = (origin.base or origin).raw_config()
    architectures = facts.get("architectures")
    names = [str(name) for name in architectures[:1]] if isinstance(architectures, list) else []
    auto_map = facts.get("auto_map")  # of code of its own
    names += auto_map if isinstance(auto_map, dict) else []
    for ending, kind in MADE_AS.items():
        if any(name.endswith(ending) for name in names):
            return kind
    config = origin.config
    home = home_of(config)
    if home is None:
        wrong = f"a model of type {config.model_type!r} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(spec, wrong, right, kind="unsupported")
    return home


def kind_of(given: InMemory) -> tuple[str, InMemory]:
    """Return the kind of a model in memory, by its class, and the model with a name: its own, or
    that of its configuration, or its class's.

    Raises `InputError` for what is no model of transformers with its tokenizer.
    """
    model, called = given.model, type(given.model).__name__
    right = "(model, tokenizer) or (model, tokenizer, name), of transformers"
    if not isinstance(model, transformers.PreTrainedModel):
        wrong = f"a {called} is no model of transformers"
        raise InputError("model", wrong, right, kind="value")
    name = given.name or Path(model.name_or_path or "").name or called
    if not isinstance(given.tokenizer, transformers.PreTrainedTokenizerBase):
        raise InputError(name, "no tokenizer of transformers beside it", right, kind="value")
    endings = {**MADE_AS, "LMHeadModel": "causal"}
    kind = next((kind for end, kind in endings.items() if called.endswith(end)), None)
    kind = kind or home_of(model.config)
    if kind is None:
        wrong = f"a {called} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(name, wrong, right, kind="unsupported")
    return kind, replace(given, name=name)


def home_of(config: Any) -> str | None:
    """Return the kind of model that a configuration is of; None if it is none of ours."""
    return next((home for home, configs in HOMES.items() if type(config) in configs), None)


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
    """Return the first line of what a library says, shortened, and the next where that one only
    begins."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    line = " ".join(part.strip() for part in lines[: 1 + lines[0].endswith(":")])
    return line if len(line) <= REASON else f"{line[:REASON]}…"


@contextmanager
def quiet() -> Iterator[None]:
    """Within it transformers draws no bars, warns of nothing and logs errors only, and the hub does
    not tell of every try to reach it; all settings come back after."""
    log: Any = transformers.utils.logging  # untyped
    hub: Any = huggingface_hub.logging
    loudness, bars = (log.get_verbosity(), hub.get_verbosity()), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    hub.set_verbosity_error()
    if bars:
        log.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.set_verbosity(loudness[0])
        hub.set_verbosity(loudness[1])
        if bars:
            log.enable_progress_bar()
