"""Models with an encoder, from what a spec says: `PATH-or-hub-name[@revision][?option=value]`."""

from collections.abc import Mapping
from typing import Any

import torch
import transformers

from colorless_green.data.errors import InputError
from colorless_green.scoring.pretrained import (
    DTYPES,
    EITHER,
    FOLDER,
    LOAD_ERRORS,
    Source,
    WideHead,
    longest_input,
    quiet,
    reason,
)

HOMES = {  # where a model that is asked for as another kind is at home, best first
    "seq2seq": transformers.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
    "masked": transformers.MODEL_FOR_MASKED_LM_MAPPING,
    "causal": transformers.MODEL_FOR_CAUSAL_LM_MAPPING,
}
AUTOS = {
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}


def split_spec(spec: str, options: Mapping[str, tuple[str, ...]]) -> tuple[str, dict[str, str]]:
    """A spec without its options, and the value of each option; of those it may have, the first
    is taken where none is named. Raises `InputError` for an option or value that is not there."""
    where, *named = spec.split("?")
    chosen = {name: values[0] for name, values in options.items()}
    for each in (part for parts in named for part in parts.split("&")):
        name, _, value = each.partition("=")
        if value not in options.get(name, ()):
            known = [f"{key}={one}" for key, values in options.items() for one in values]
            raise InputError(spec, f"no such option {each!r}", f"one of {', '.join(known)}")
        chosen[name] = value
    return where, chosen


def read_model(kind: str, origin: Source, dtype: str, device: torch.device) -> Any:
    """The model, in evaluation mode, on `device`; its head is float32 whatever `dtype` is.

    `kind` is "masked" or "seq2seq". Raises `InputError` for a model of another kind, for one that
    cannot be loaded, and where the checkpoint lacks a weight of the model.
    """
    if dtype not in DTYPES:
        raise InputError("--dtype", f"no such type {dtype!r}", f"one of {', '.join(DTYPES)}")
    config = _loaded(transformers.AutoConfig, origin)
    home = next((each for each, known in HOMES.items() if type(config) in known), None)
    other = home == "seq2seq" and kind == "masked"  # BART has a masked head, over a decoder
    if other or type(config) not in HOMES[kind]:
        raise InputError(
            origin.spec,
            f"a model of type {config.model_type!r} is no {kind} model",
            f"{home}:{origin.spec}" if home else f"a {kind} model",
        )
    model, told = _loaded(
        AUTOS[kind],
        origin,
        dtype=DTYPES[dtype],
        use_safetensors=True,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # told below, with a name
    )
    _check_weights(kind, origin, told)
    if dtype != "float32":
        _widen_head(model, origin)
    return model.to(device).eval()


def _loaded(auto: Any, origin: Source, **options: Any) -> Any:
    try:
        with quiet():
            return auto.from_pretrained(
                origin.name,
                revision=origin.revision or "main",
                local_files_only=origin.folder is not None,
                trust_remote_code=False,
                **options,
            )
    except LOAD_ERRORS as error:
        wrong = f"cannot be loaded ({reason(error)})"
        raise InputError(origin.spec, wrong, EITHER if origin.folder is None else FOLDER) from error


def _check_weights(kind: str, origin: Source, told: Mapping[str, Any]) -> None:
    missing = sorted(told["missing_keys"])
    if missing:
        raise InputError(origin.spec, f"the weights lack {missing[0]}", f"those of a {kind} model")
    for name, found, wanted in sorted(told["mismatched_keys"]):
        raise InputError(
            origin.spec,
            f"{name} has the shape {tuple(found)}, but config.json wants {tuple(wanted)}",
            "weights and config.json of one model",
        )


def _widen_head(model: Any, origin: Source) -> None:
    head = model.get_output_embeddings()
    if not isinstance(head, torch.nn.Linear):
        raise InputError(origin.spec, "its head cannot be kept in float32 alone", "--dtype float32")
    model.set_output_embeddings(WideHead(head))


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
