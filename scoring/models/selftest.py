"""A self-test at load: may texts of a causal model share rows, and may rows be padded?

Transformers take an attention mask and positions from the caller; not all obey them, and most of
those say nothing (ALiBi counts columns, state-space models have no mask at all, windowed layers
lose their window). So texts that begin alike are packed into one row only for a model that, on ids
of its own vocabulary, then gives the same log-probabilities as for each text alone.
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
    MIN_ROW_WIDTH,
    WIDTH_RATIO,
    CausalReader,
    IdQueries,
    OutputHead,
    RowWidths,
    body_output,
    forward_plan,
    read,
)
from .hf import longest_input
from .origin import reason
from .torch_device import LOGITS, MemoryBudget, full_precision, ids_at_once
from .weights import WideHead

TOLERANCE = {  # how much numbers may differ, as a share of the largest logit or of 1
    torch.float64: 1e-9,
    torch.float32: 2e-5,
    torch.bfloat16: 5e-2,
    torch.float16: 1e-2,
}
MAX_PROBE_IDS = 16  # ids in the longest test text
UNBOUNDED = 1 << 62
WINDOW = re.compile(r"(^|_)window(_size)?$|^attention_chunk_size$")  # not Qwen's max_window_layers
MASK_ERRORS = (TypeError, ValueError, RuntimeError, IndexError, AttributeError, KeyError)
"""Errors of models that cannot work with such a mask, or with positions"""


@dataclass(frozen=True, slots=True)
class Probe:
    """Test texts of ids, some of which begin alike, and the model's logits for each read alone."""

    texts: tuple[tuple[int, ...], ...]
    logits: tuple[torch.Tensor, ...]  # (time, vocabulary), float32 or float64


def reader(model: Any, device: torch.device, location: str) -> CausalReader:
    """Return a reader of `model` with the settings that its self-test allows.

    Raises `InputError` with `location` if the model looks ahead (as a masked model does that is
    loaded as a causal one), or if it gives different logits when it reads a text again.
    """
    assert not model.training, "a model in training drops states at random"
    with torch.inference_mode(), full_precision():
        probe = probe_texts(model, device)
        tolerance = TOLERANCE[model.dtype]
        _check_is_causal(model, device, probe, tolerance, location)
        head = linear_head(model, probe, tolerance)
        n_logits = probe.logits[0].shape[-1]
        n_ids = min(model.get_input_embeddings().weight.shape[0], n_logits)
        width = int(getattr(model.config.get_text_config(), "hidden_size", n_ids))
        n_rows = max(1, LOGITS[device.type] // n_logits)
        n_at_once = ids_at_once(model, device)
        memory = MemoryBudget(n_at_once if head is not None else min(n_at_once, n_rows), n_rows)
        unshared = RowWidths(max(MIN_ROW_WIDTH, width // WIDTH_RATIO), 0)
        plain = CausalReader(model, head, n_ids, n_logits, unshared, "", device, memory)
        if not agrees(plain, probe, tolerance):
            return replace(plain, memory=MemoryBudget(1, n_rows), why="padding changes its numbers")
        why = reason_against_packing(plain, probe, tolerance)
        if why:
            return replace(plain, why=why)
        return replace(plain, shape=replace(unshared, widest=window(model)))


def probe_texts(model: Any, device: torch.device) -> Probe:
    """Return three test texts of ids with the model's logits for each: two texts share the first
    third of their ids, and the third text begins with other ids."""
    n_ids = model.get_input_embeddings().weight.shape[0]
    n = min(longest_input(model) or MAX_PROBE_IDS, max(2, window(model) // 2), MAX_PROBE_IDS)
    line = [(7 * number + 1) % n_ids for number in range(3 * n)]
    shared = line[: max(1, n // 3)]
    texts = (
        tuple(line[:n]),
        (*shared, *line[n : 2 * n - len(shared)]),
        tuple(line[2 * n : 3 * n - 1]),
    )
    logits = (_logits(model, text, device) for text in texts)
    return Probe(texts, tuple(logits))


def _logits(model: Any, text: Sequence[int], device: torch.device) -> torch.Tensor:
    """Return the model's logits `(time, vocabulary)` for a text alone, in float32 or float64."""
    logits = body_output(model, False, input_ids=torch.tensor([list(text)], device=device))[0]
    return logits if logits.dtype == torch.float64 else logits.float()


def _check_is_causal(
    model: Any, device: torch.device, probe: Probe, tolerance: float, location: str
) -> None:
    """Raise `InputError` if later ids change earlier logits, or a second reading changes any."""
    text, other_text = probe.texts[:2]
    n_shared = next(
        (n for n, pair in enumerate(zip(text, other_text, strict=False)) if len({*pair}) > 1), 0
    )
    if not within_tolerance(probe.logits[0][:n_shared], probe.logits[1][:n_shared], tolerance):
        wrong = "the model looks ahead: later ids change earlier answers"
        raise InputError(location, wrong, "a causal model", kind="unsupported")
    if not within_tolerance(_logits(model, text, device), probe.logits[0], tolerance):
        wrong = "the model gives different answers to the same query"
        raise InputError(location, wrong, "a deterministic model", kind="unsupported")


def linear_head(model: Any, probe: Probe, tolerance: float) -> OutputHead | None:
    """Return the model's head as a linear map with scale and cap; None if such a map does not give
    the model's own logits on the first test text.

    The scale is estimated by least squares, and replaced by a number of the configuration that is
    nearly the same.
    """
    head = model.get_output_embeddings()
    weight = getattr(head, "weight", None)
    if getattr(model, "hf_device_map", None):  # the head may be on another device
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
    except MASK_ERRORS:
        return None
    if bare.shape != expected.shape:
        return None
    narrow = _narrow_head(head, model, hidden)
    plain = replace(plain, weight=narrow)
    uncapped = expected if cap is None else cap * torch.atanh((expected / cap).clamp(-0.999, 0.999))
    scale = float((uncapped.double() * bare.double()).sum() / (bare.double() ** 2).sum())
    for factor in (1.0, _configured_scale(model, scale), scale):
        tried = replace(plain, scale=factor)
        if within_tolerance(tried.logits(hidden), expected, tolerance):
            return tried
    return None


def _narrow_head(head: Any, model: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the head's weights; on a GPU, convert them in `head` to the model's half precision.

    If the GPU cannot multiply such weights, they stay as they are. A GPU adds up products of such
    numbers in float32: as exact, since the weights came from half precision, and many times faster.
    """
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


def _configured_scale(model: Any, scale: float) -> float:
    """Return the number in the configuration, or the inverse of one, that nearly equals `scale`; if
    there is none, return `scale` itself."""
    numbers = [v for v in model.config.get_text_config().to_dict().values() if type(v) is float]
    candidates = [number for v in numbers if v for number in (v, 1 / v)]
    return next(
        (candidate for candidate in candidates if abs(candidate - scale) <= 1e-4 * abs(scale)),
        scale,
    )


def reason_against_packing(plain: CausalReader, probe: Probe, tolerance: float) -> str:
    """Return the reason why texts of this model may not share rows; "" if they may."""
    for width, fault in (
        (UNBOUNDED, "texts that share a row change each other's numbers"),
        (1, "padding changes its numbers under a mask of ours"),
    ):
        try:
            tried = replace(plain, shape=RowWidths(width, window(plain.model)))
            if not agrees(tried, probe, tolerance):
                return fault
        except MASK_ERRORS as error:
            return f"it does not take a mask of ours ({reason(error)})"
    return ""


def agrees(tried: CausalReader, probe: Probe, tolerance: float) -> bool:
    """Return whether a reader that is given all test texts at once gives the same log-probabilities
    as the model gives for each text alone."""
    lengths = np.array([len(text) for text in probe.texts])
    ids = np.array([token_id for text in probe.texts for token_id in text], np.int32)
    starts = offsets_of(lengths)[:-1]
    positions = range_indices(np.zeros_like(starts), lengths - 1)
    sequences = np.repeat(np.arange(len(starts)), lengths - 1)
    questions = IdQueries(
        ids, starts, sequences, positions, ids[starts[sequences] + positions + 1].astype(np.int64)
    )
    log_p = torch.from_numpy(read(tried, forward_plan(questions, tried)))
    for n, (text, logits) in enumerate(zip(probe.texts, probe.logits, strict=True)):
        part = log_p[torch.from_numpy(sequences == n)]
        expected = logits[:-1].log_softmax(-1)[range(len(text) - 1), list(text[1:])].cpu()
        scale = max(1.0, logits.abs().max().item())
        if (part - expected.double()).abs().max().item() > tolerance * scale:
            return False
    return True


def window(model: Any) -> int:
    """Return the shortest attention window of the model's layers, in ids; `UNBOUNDED` if there is
    none.

    No row may be wider: the mask of shared rows would override the window, and some models
    (GPT-Neo) count columns. It is found by its setting's name, `sliding_window`, `window_size`, ….
    """
    config = model.config.get_text_config().to_dict()
    widths = [v for k, v in config.items() if WINDOW.search(k) and type(v) is int and v > 0]
    return min(widths, default=UNBOUNDED)


def within_tolerance(actual: torch.Tensor, expected: torch.Tensor, tolerance: float) -> bool:
    """Return whether two tensors have one shape and nowhere differ by more than `tolerance` times
    the largest absolute value in `expected` (times 1 if that value is below 1)."""
    if actual.shape != expected.shape:
        return False
    scale = max(1.0, expected.abs().max().item())
    return (actual - expected).abs().max().item() <= tolerance * scale
