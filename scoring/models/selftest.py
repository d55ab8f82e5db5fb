"""How a model may be read, found out at load by asking it the same in several ways.

Transformers of every kind take a mask and positions of our making; not all obey them, and those
that do not mostly say nothing (ALiBi goes by columns, state-space models have no mask at all,
windowed layers lose their window). So texts that begin alike are packed into one row only for a
model that, on ids of its own vocabulary, answers them as it answers each text alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from ...data.arrays import offsets_of, range_indices
from ...data.errors import InputError
from ._causal_reader import (
    NARROW,
    PART,
    CausalReader,
    IdQueries,
    OutputHead,
    RowWidths,
    body_output,
    prepared,
    read,
)
from .hf import longest_input
from .origin import reason
from .torch_device import LOGITS, MemoryBudget, full_precision, ids_at_once
from .weights import WideHead

NEAR = {  # how far numbers may differ, as a share of the largest logit, if that is above 1
    torch.float64: 1e-9,
    torch.float32: 2e-5,
    torch.bfloat16: 5e-2,
    torch.float16: 1e-2,
}
N_IDS = 16  # of the longest text that is tried
UNBOUNDED = 1 << 62
WINDOW = re.compile(r"(^|_)window(_size)?$|^attention_chunk_size$")  # not Qwen's max_window_layers
REFUSALS = (TypeError, ValueError, RuntimeError, IndexError, AttributeError, KeyError)
"""What models raise that cannot do with such a mask, or with positions"""


@dataclass(frozen=True, slots=True)
class Probe:
    """Texts of ids that begin alike, and what the model itself says of each alone."""

    texts: tuple[tuple[int, ...], ...]
    logits: tuple[torch.Tensor, ...]  # (time, vocabulary), float32 or float64


def reader(model: Any, device: torch.device, location: str) -> CausalReader:
    """Return how to read `model`. Raises `InputError` with `location` if it looks ahead, as masked
    models do that load as causal ones, or if it answers the same question in two ways."""
    assert not model.training, "a model in training drops states at random"
    with torch.inference_mode(), full_precision():
        probe = probe_texts(model, device)
        near = NEAR[model.dtype]
        _check(model, device, probe, near, location)
        head = found_head(model, probe, near)
        n_logits = probe.logits[0].shape[-1]
        n_ids = min(model.get_input_embeddings().weight.shape[0], n_logits)
        width = int(getattr(model.config.get_text_config(), "hidden_size", n_ids))
        n_rows = max(1, LOGITS[device.type] // n_logits)
        n_at_once = ids_at_once(model, device)
        memory = MemoryBudget(n_at_once if head is not None else min(n_at_once, n_rows), n_rows)
        usual = RowWidths(max(NARROW, width // PART), 0)
        plain = CausalReader(model, head, n_ids, n_logits, usual, "", device, memory)
        if not agrees(plain, probe, near):
            return replace(plain, memory=MemoryBudget(1, n_rows), why="padding changes its numbers")
        why = unpackable(plain, probe, near)
        if why:
            return replace(plain, why=why)
        return replace(plain, shape=replace(usual, widest=window(model)))


def probe_texts(model: Any, device: torch.device) -> Probe:
    """Three texts: two that part after a third of their ids, and one of another beginning."""
    n_ids = model.get_input_embeddings().weight.shape[0]
    n = min(longest_input(model) or N_IDS, max(2, window(model) // 2), N_IDS)
    line = [(7 * number + 1) % n_ids for number in range(3 * n)]
    shared = line[: max(1, n // 3)]
    texts = (
        tuple(line[:n]),
        (*shared, *line[n : 2 * n - len(shared)]),
        tuple(line[2 * n : 3 * n - 1]),
    )
    logits = (_whole(model, text, device) for text in texts)
    return Probe(texts, tuple(logits))


def _whole(model: Any, text: Sequence[int], device: torch.device) -> torch.Tensor:
    logits = body_output(model, False, input_ids=torch.tensor([list(text)], device=device))[0]
    return logits if logits.dtype == torch.float64 else logits.float()


def _check(model: Any, device: torch.device, probe: Probe, near: float, location: str) -> None:
    text, other_text = probe.texts[:2]
    shared = next(
        (n for n, pair in enumerate(zip(text, other_text, strict=False)) if len({*pair}) > 1), 0
    )
    if not within_tolerance(probe.logits[0][:shared], probe.logits[1][:shared], near):
        raise InputError(
            location,
            "the model looks ahead: later ids change earlier answers",
            "a causal model",
            kind="unsupported",
        )
    if not within_tolerance(_whole(model, text, device), probe.logits[0], near):
        raise InputError(
            location,
            "the model gives different answers to the same query",
            "a deterministic model",
            kind="unsupported",
        )


def found_head(model: Any, probe: Probe, near: float) -> OutputHead | None:
    """Return the linear head with what the model does to its logits, if that gives the model's own.

    A scale is measured, then read from the configuration where a number there is it.
    """
    head = model.get_output_embeddings()
    weight = getattr(head, "weight", None)
    if getattr(model, "hf_device_map", None):  # its head is elsewhere
        return None
    if model.base_model is model or weight is None or weight.dim() != 2:
        return None
    text, expected = probe.texts[0], probe.logits[0]
    ids = torch.tensor([list(text)], device=expected.device)
    try:
        hidden = body_output(model, True, input_ids=ids)[0]
        cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
        plain = OutputHead(weight, getattr(head, "bias", None), cap=cap)
        bare = replace(plain, cap=None).logits(hidden)
    except REFUSALS:
        return None
    if bare.shape != expected.shape:
        return None
    narrow = _narrowed(head, model, hidden)
    plain = replace(plain, weight=narrow)
    uncapped = expected if cap is None else cap * torch.atanh((expected / cap).clamp(-0.999, 0.999))
    scale = float((uncapped.double() * bare.double()).sum() / (bare.double() ** 2).sum())
    for factor in (1.0, _configured(model, scale), scale):
        tried = replace(plain, scale=factor)
        if within_tolerance(tried.logits(hidden), expected, near):
            return tried
    return None


def _narrowed(head: Any, model: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the head's weights: in half precision again where the device multiplies such and adds
    up in float32, which is as exact, for they came from there, and many times faster."""
    weight: torch.Tensor = head.weight
    if weight.device.type != "cuda" or not isinstance(head, WideHead):
        return weight
    narrow = weight.to(model.dtype)
    try:
        OutputHead(narrow, None).logits(hidden)
    except (RuntimeError, TypeError):  # an older torch, or an older GPU
        return weight
    head.weight = torch.nn.Parameter(narrow, requires_grad=False)
    return narrow


def _configured(model: Any, scale: float) -> float:
    """Return the number of the configuration that `scale` or 1 / `scale` nearly is; else
    `scale`."""
    numbers = [v for v in model.config.get_text_config().to_dict().values() if type(v) is float]
    candidates = [number for v in numbers if v for number in (v, 1 / v)]
    return next(
        (candidate for candidate in candidates if abs(candidate - scale) <= 1e-4 * abs(scale)),
        scale,
    )


def unpackable(plain: CausalReader, probe: Probe, near: float) -> str:
    """Why texts of this model may not share rows; "" if they may."""
    for width, otherwise in (
        (UNBOUNDED, "texts that share a row change each other's numbers"),
        (1, "padding changes its numbers under a mask of ours"),
    ):
        try:
            tried = replace(plain, shape=RowWidths(width, window(plain.model)))
            if not agrees(tried, probe, near):
                return otherwise
        except REFUSALS as error:
            return f"it does not take a mask of ours ({reason(error)})"
    return ""


def agrees(tried: CausalReader, probe: Probe, near: float) -> bool:
    """Return whether a reader answers the texts of the probe, all at once, as the model does one by
    one."""
    lengths = np.array([len(text) for text in probe.texts])
    ids = np.array([token_id for text in probe.texts for token_id in text], np.int32)
    starts = offsets_of(lengths)[:-1]
    positions = range_indices(np.zeros_like(starts), lengths - 1)
    sequences = np.repeat(np.arange(len(starts)), lengths - 1)
    questions = IdQueries(
        ids, starts, sequences, positions, ids[starts[sequences] + positions + 1].astype(np.int64)
    )
    log_p = torch.from_numpy(read(tried, prepared(questions, tried)))
    for n, (text, logits) in enumerate(zip(probe.texts, probe.logits, strict=True)):
        part = log_p[torch.from_numpy(sequences == n)]
        expected = logits[:-1].log_softmax(-1)[range(len(text) - 1), list(text[1:])].cpu()
        scale = max(1.0, logits.abs().max().item())
        if (part - expected.double()).abs().max().item() > near * scale:
            return False
    return True


def window(model: Any) -> int:
    """Return how many ids the layer with the shortest window looks back; a mask of ours would not
    keep to that, and some models (GPT-Neo) count columns, so that no row may be wider either.

    Found by the names that configurations have for it: `sliding_window`, `window_size`, ….
    """
    config = model.config.get_text_config().to_dict()
    widths = [v for k, v in config.items() if WINDOW.search(k) and type(v) is int and v > 0]
    return min(widths, default=UNBOUNDED)


def within_tolerance(actual: torch.Tensor, expected: torch.Tensor, near: float) -> bool:
    """Return whether the two differ by no more than `near`, or by that share of the largest number
    in `expected`."""
    if actual.shape != expected.shape:
        return False
    scale = max(1.0, expected.abs().max().item())
    return (actual - expected).abs().max().item() <= near * scale
