"""Models with an encoder, from what a spec says: `PATH-or-hub-name[@revision][?option=value]`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
import torch
import transformers

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.scoring.device import choose, describe
from colorless_green.scoring.pretrained import (
    Source,
    loaded,
    longest_input,
    model_identity,
    read_tokenizer,
    read_weights,
    source,
    tokenizer_identity,
)
from colorless_green.scoring.query import LoadOptions
from colorless_green.scoring.words import signed

HOMES = {  # where a model that is asked for as another kind is at home, best first
    "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
}
AUTOS = {
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}


def backend_for(where: str) -> str:
    """What a checkpoint is by its own config: "causal", "masked" or "seq2seq". Raises `InputError`
    where it is none of them."""
    config = loaded(transformers.AutoConfig, source(where))
    made_as = next(iter(config.architectures or ()), "")
    for ending, kind in (("ForCausalLM", "causal"), ("ForMaskedLM", "masked")):
        if made_as.endswith(ending):
            return kind
    home = next((each for each, known in HOMES.items() if type(config) in known), None)
    if home is None:
        wrong = f"a model of type {config.model_type!r} does not say how it reads a text"
        right = "a causal, a masked or an encoder-decoder language model"
        raise InputError(where, wrong, right, kind="unsupported")
    return home


def split_spec(spec: str, options: Mapping[str, tuple[str, ...]]) -> tuple[str, dict[str, str]]:
    """A spec without its options, and the value of each option; of those it may have, the first
    is taken where none is named. Raises `InputError` for an option or value that is not there."""
    where, *named = spec.split("?")
    chosen = {name: values[0] for name, values in options.items()}
    for each in (part for parts in named for part in parts.split("&")):
        name, _, value = each.partition("=")
        if value not in options.get(name, ()):
            known = [f"{key}={one}" for key, values in options.items() for one in values]
            raise InputError(spec, f"no such option {each!r}", nearest(each, known), kind="unknown")
        chosen[name] = value
    return where, chosen


@dataclass(frozen=True, slots=True)
class Opened:
    """A model with an encoder, its tokenizer, and what its numbers depend on."""

    kind: str  # "masked" or "seq2seq"
    origin: Source
    model: Any
    tokenizer: Any
    device: torch.device
    dtype: str

    def signature(self, **own: str) -> str:
        """What every such model depends on, and the choices of its kind."""
        return signed(
            model=self.kind,
            weights=model_identity(self.origin),
            tokenizer=tokenizer_identity(self.tokenizer),
            **own,
            device=describe(self.device),
            dtype=self.dtype,
            attention=self.model.config._attn_implementation,
            torch=torch.__version__,
            transformers=transformers.__version__,
            tokenizers=tokenizers.__version__,
        )


def open_model(kind: str, where: str, options: LoadOptions) -> Opened:
    """The model of a folder, or of `NAME[@REVISION]` on the hub, in evaluation mode.

    Raises `InputError` for what cannot be loaded whole, for a model of another kind, for a slow
    tokenizer, and for a boundary, which these models have none of.
    """
    if options.boundary != "none":
        raise InputError(
            "--boundary",
            f"{options.boundary!r} for a {kind} model, which has none",
            "none",
            kind="unsupported",
        )
    device = choose(options.device)
    origin = source(where)
    _check_kind(kind, origin)
    model = read_weights(AUTOS[kind], kind, origin, options.dtype).to(device).eval()
    return Opened(kind, origin, model, read_tokenizer(origin), device, options.dtype)


def _check_kind(kind: str, origin: Source) -> None:
    config = loaded(transformers.AutoConfig, origin)
    home = next((each for each, known in HOMES.items() if type(config) in known), None)
    other = home == "seq2seq" and kind == "masked"  # BART has a masked head, over a decoder
    if other or type(config) not in HOMES[kind]:
        raise InputError(
            origin.spec,
            f"a model of type {config.model_type!r} is no {kind} model",
            f"{home}:{origin.spec}" if home else f"a {kind} model",
            kind="unsupported",
        )


def longest_row(model: Any) -> int | None:
    """How many ids the model can read at once, specials included; None where nothing sets an end.

    RoBERTa and its kin count positions from behind their padding id, so that of 514 positions 512
    can be used.
    """
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            below = 0 if module.padding_idx is None else module.padding_idx + 1
            return module.num_embeddings - below
    return longest_input(model)


def unknown_id(tokenizer: Any) -> int | None:
    """The id for what the vocabulary lacks. Some give another special id that name too, but no
    text is ever cut into that."""
    found: int | None = tokenizer.unk_token_id
    return None if found in (tokenizer.bos_token_id, tokenizer.eos_token_id) else found
