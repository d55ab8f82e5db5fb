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
from .origin import error_summary
from .torch_device import MAX_LOGITS, MemoryBudget, full_precision, ids_at_once
from .weights import WideHead

TOLERANCE = {  # how much numbers may differ, as a share of the largest logit or of 1
    torch.float64: 1e-9,
    torch.float32: 2e-5,
    torch.bfloat16: 5e-2,
    torch.float16: 1e-2,
}
MAX_PROBE_IDS = 16  # ids in the longest test text
UNBOUNDED = 1 << 62
WINDOW_SETTING = re.compile(  # not Qwen's max_window_layers
    r"(^|_)window(_size)?$|^attention_chunk_size$"
)
MASK_ERRORS = (TypeError, ValueError, RuntimeError, IndexError, AttributeError, KeyError)
"""Errors of models that cannot work with such a mask, or with positions"""


@dataclass(frozen=True, slots=True)
class Probe:
    """Test texts of ids, some of which begin alike, and the model's logits for each read alone."""

    texts: tuple[tuple[int, ...], ...]
    logits: tuple[torch.Tensor, ...]  # (time, vocabulary), float32 or float64


def tested_reader(model: Any, device: torch.device, location: str) -> CausalReader:
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
        model_width = int(getattr(model.config.get_text_config(), "hidden_size", n_ids))
        n_rows = max(1, MAX_LOGITS[device.type] // n_logits)
        n_at_once = ids_at_once(model, device)
        if head is None:  # then the model gives logits for every id that it reads
            n_at_once = min(n_at_once, n_rows)
        memory = MemoryBudget(n_at_once, n_rows)
        unshared = RowWidths(max(MIN_ROW_WIDTH, model_width // WIDTH_RATIO), max_length=0)
        plain = CausalReader(model, head, n_ids, n_logits, unshared, "", device, memory)
        if not agrees(plain, probe, tolerance):
            reason = "padding changes its numbers"
            return replace(plain, memory=MemoryBudget(1, n_rows), why_unshared=reason)
        reason = reason_against_packing(plain, probe, tolerance)
        if reason:
            return replace(plain, why_unshared=reason)
        return replace(plain, row_widths=replace(unshared, max_length=shortest_window(model)))


def probe_texts(model: Any, device: torch.device) -> Probe:
    """Return three test texts of ids with the model's logits for each: two texts share the first
    third of their ids, and the third text begins with other ids."""
    n_ids = model.get_input_embeddings().weight.shape[0]
    half_window = max(2, shortest_window(model) // 2)  # so that two texts fit in one row
    n = min(longest_input(model) or MAX_PROBE_IDS, half_window, MAX_PROBE_IDS)
    ids = [(7 * number + 1) % n_ids for number in range(3 * n)]  # arbitrary, few of them equal
    beginning = ids[: max(1, n // 3)]
    texts = (
        tuple(ids[:n]),
        (*beginning, *ids[n : 2 * n - len(beginning)]),
        tuple(ids[2 * n : 3 * n - 1]),  # shorter, so that it is padded
    )
    logits = (_logits(model, text, device) for text in texts)
    return Probe(texts, tuple(logits))


def _logits(model: Any, text: Sequence[int], device: torch.device) -> torch.Tensor:
    """Return the model's logits `(time, vocabulary)` for a text alone, in float32 or float64."""
    ids = torch.tensor([list(text)], device=device)  # a batch of one
    logits: torch.Tensor
    (logits,) = body_output(model, is_separate=False, input_ids=ids)
    return logits if logits.dtype == torch.float64 else logits.float()


def _check_is_causal(
    model: Any, device: torch.device, probe: Probe, tolerance: float, location: str
) -> None:
    """Raise `InputError` if later ids change earlier logits, or a second reading changes any."""
    text, other_text, _ = probe.texts  # the first two begin alike
    logits, other_logits, _ = probe.logits
    pairs = enumerate(zip(text, other_text, strict=False))
    n_shared = next((n for n, (token, other_token) in pairs if token != other_token), 0)
    if not within_tolerance(logits[:n_shared], other_logits[:n_shared], tolerance):
        wrong = "the model looks ahead: later ids change earlier answers"
        raise InputError(location, wrong, "a causal model", kind="unsupported")
    if not within_tolerance(_logits(model, text, device), logits, tolerance):
        wrong = "the model gives different answers to the same query"
        raise InputError(location, wrong, "a deterministic model", kind="unsupported")


def linear_head(model: Any, probe: Probe, tolerance: float) -> OutputHead | None:
    """Return the model's head as a linear map with scale and cap; None if such a map does not give
    the model's own logits on the first test text.

    The scale is estimated by least squares, and replaced by 1 or the nearest number of the
    configuration, or inverse of one, if that gives these logits.
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
        (hidden,) = body_output(model, is_separate=True, input_ids=ids)
        cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
        bias = getattr(head, "bias", None)
        products = OutputHead(weight, bias).logits(hidden)  # neither scaled nor capped
    except MASK_ERRORS:
        return None
    if products.shape != expected.shape:
        return None
    unscaled = OutputHead(_narrowed_weight(head, model, hidden), bias, cap=cap)
    # Undo cap · tanh(x / cap), within limits that keep atanh finite.
    scaled = expected if cap is None else cap * torch.atanh((expected / cap).clamp(-0.999, 0.999))
    # The scale s with the least sum of squares of scaled − s · products.
    scale = float((scaled.double() * products.double()).sum() / (products.double() ** 2).sum())
    settings = model.config.get_text_config().to_dict().values()
    numbers = [value for value in settings if type(value) is float and value]
    configured = min((1.0, *numbers, *(1 / n for n in numbers)), key=lambda n: abs(n - scale))
    for factor in (configured, scale):
        candidate = replace(unscaled, scale=factor)
        if within_tolerance(candidate.logits(hidden), expected, tolerance):
            return candidate
    return None


def _narrowed_weight(head: Any, model: Any, hidden: torch.Tensor) -> torch.Tensor:
    """Return the head's weights; on a GPU, convert them first, in `head` itself, to the model's
    half precision.

    If the GPU cannot multiply such weights, they stay as they are. A GPU adds up products of such
    numbers in float32: as exact, since the weights came from half precision, and many times faster.
    `hidden` are hidden states to try the product on.
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


def reason_against_packing(plain: CausalReader, probe: Probe, tolerance: float) -> str:
    """Return the reason why texts of this model may not share rows; "" if they may.

    The test texts are read in one row if it may be so long, then in rows of different lengths.
    """
    for width, fault in (
        (UNBOUNDED, "texts that share a row change each other's numbers"),
        (1, "padding changes its numbers under a mask of ours"),
    ):
        try:
            row_widths = RowWidths(width, max_length=shortest_window(plain.model))
            if not agrees(replace(plain, row_widths=row_widths), probe, tolerance):
                return fault
        except MASK_ERRORS as error:
            return f"it does not take a mask of ours ({error_summary(error)})"
    return ""


def agrees(reader: CausalReader, probe: Probe, tolerance: float) -> bool:
    """Return whether a reader that is given all test texts at once gives the same log-probabilities
    as the model gives for each text alone."""
    lengths = np.array([len(text) for text in probe.texts])
    ids = np.array([token_id for text in probe.texts for token_id in text], np.int32)
    starts = offsets_of(lengths)[:-1]
    n_predicted = lengths - 1  # all ids of a text but the first
    positions = range_indices(np.zeros_like(starts), n_predicted)
    sequences = np.repeat(np.arange(len(starts)), n_predicted)
    next_ids = ids[starts[sequences] + positions + 1].astype(np.int64)
    queries = IdQueries(ids, starts, sequences, positions, next_ids)
    log_p = torch.from_numpy(read(reader, forward_plan(queries, reader)))
    for n, (text, logits) in enumerate(zip(probe.texts, probe.logits, strict=True)):
        actual = log_p[torch.from_numpy(sequences == n)]
        expected = logits[:-1].log_softmax(-1)[range(len(text) - 1), list(text[1:])].cpu()
        scale = max(1.0, logits.abs().max().item())
        if (actual - expected.double()).abs().max().item() > tolerance * scale:
            return False
    return True


def shortest_window(model: Any) -> int:
    """Return the shortest attention window of the model's layers, in ids; `UNBOUNDED` if there is
    none.

    No row may be wider: the mask of shared rows would override the window, and some models
    (GPT-Neo) count columns. It is found by its setting's name, `sliding_window`, `window_size`, ….
    """
    settings = model.config.get_text_config().to_dict()
    values = [value for name, value in settings.items() if WINDOW_SETTING.search(name)]
    widths = [value for value in values if type(value) is int and value > 0]
    return min(widths, default=UNBOUNDED)


def within_tolerance(actual: torch.Tensor, expected: torch.Tensor, tolerance: float) -> bool:
    """Return whether two tensors have one shape and nowhere differ by more than `tolerance` times
    the largest absolute value in `expected` (times 1 if that value is below 1)."""
    if actual.shape != expected.shape:
        return False
    scale = max(1.0, expected.abs().max().item())
    return (actual - expected).abs().max().item() <= tolerance * scale
