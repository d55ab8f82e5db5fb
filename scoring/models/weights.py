"""The weights of a checkpoint, in the forms in which people have them: safetensors or PyTorch's
.bin, quantised, an adapter over its base, on one device or several, or a model in memory.

What a checkpoint lacks would be drawn at random, and what is not finite would look like a model
that knows nothing; both are `InputError`s. A .bin is read as numbers alone (`torch.load` with
`weights_only`): a pickle that would run code is refused.
"""

from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers

from ...data.errors import InputError
from ...data.registry import nearest
from ..questions.query import AUTO, LoadOptions
from .model_folder import InMemory
from .origin import ModelSource, reason
from .torch_device import choose

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
AUTOS: dict[str, Any] = {  # untyped
    "causal": transformers.AutoModelForCausalLM,
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}
SAFE, BIN = "*.safetensors", "pytorch_model*.bin"
WEIGHTS = (SAFE, BIN, "adapter_config.json", "adapter_model*.bin")
"""Files of a folder that a model's numbers depend on"""
ROOM = 1.2  # a model's size on a device, with what is computed there


@dataclass(frozen=True, slots=True, eq=False)
class LoadedWeights:
    """A model that is ready to be read.

    Attributes:
        model: in evaluation mode.
        device: that its first layer is on.
        dtype: its number type.
        places: what it is spread over, if that is more than one device.
        notes: what a user should know of how it was read.
    """

    model: Any
    device: torch.device
    dtype: str
    places: str = ""
    notes: tuple[str, ...] = ()


def read_weights(kind: str, origin: ModelSource, options: LoadOptions) -> LoadedWeights:
    """Read the weights of a model of a kind, on its device; its head is float32 whatever the rest.

    In half precision single logits come in steps so large that two forms can tie (bfloat16: 1/8
    between 16 and 32).

    Raises:
        InputError: the checkpoint lacks a weight of its kind of model, has one of another shape or
            one that is not finite; the type does not exist; a package is not installed.
    """
    if options.dtype not in (AUTO, *DTYPES):
        right = nearest(options.dtype, (AUTO, *DTYPES))
        raise InputError("dtype", f"no such type {options.dtype!r}", right, kind="unknown")
    source, location, notes = origin.base or origin, origin.spec, []
    device = choose(options.device)
    placed = placement(kind, source, options)
    found: dict[str, Any] = {
        "dtype": DTYPES.get(options.dtype, AUTO),
        "output_loading_info": True,
        "ignore_mismatched_sizes": True,  # told below, with a name
        **placed,
    }
    try:
        model, loading = source.load(AUTOS[kind].from_pretrained, use_safetensors=True, **found)
    except InputError as error:
        if "safetensors" not in str(error.__cause__):
            raise
        model, loading = source.load(AUTOS[kind].from_pretrained, use_safetensors=False, **found)
    check_whole(loading, kind, source.spec)
    if origin.base is not None:
        model = adapted(model, origin)
    places = ""
    if spread := getattr(model, "hf_device_map", None) if placed else None:
        places = "+".join(dict.fromkeys(map(str, spread.values())))
        first = next(iter(spread.values()))
        device = torch.device("cpu" if first == "disk" else first)
        notes.append(f"{location}: one device does not hold it; it is spread over {places}")
    else:
        check_finite(model, location)
    dtype = str(model.dtype).removeprefix("torch.")
    if options.dtype == AUTO:
        notes.append(f"{location}: {dtype}, as the checkpoint has it")
    if dtype != "float32":
        widen(model, location)
    if not places and not getattr(model, "is_quantized", False):
        model = model.to(device)
    return LoadedWeights(model.eval(), device, dtype, places, tuple(notes))


def given_weights(given: InMemory) -> LoadedWeights:
    """Return a model in memory as it can be read; it is not changed but for its mode."""
    model = given.model
    check_finite(model, given.name)
    dtype = str(model.dtype).removeprefix("torch.")
    if dtype != "float32":
        model = copy(model)  # of the outermost module alone, which then has a head of its own
        model.__dict__["_modules"] = dict(given.model._modules)
        if model.get_output_embeddings() not in model._modules.values():
            wrong = f"it is {dtype}, and its head cannot be float32 alone"
            raise InputError(given.name, wrong, "a model in float32", kind="unsupported")
        widen(model, given.name)
    return LoadedWeights(model.eval(), given.model.device, dtype)


def check_whole(loading: dict[str, Any], kind: str, location: str) -> None:
    """Raise `InputError` for a weight that a checkpoint lacks, or has in another shape."""
    for name in sorted(loading["missing_keys"]):
        wrong, right = f"the weights lack {name}", f"those of a {kind} model"
        raise InputError(location, wrong, right, kind="format")
    for name, actual, expected in sorted(loading["mismatched_keys"]):
        wrong = f"{name} has the shape {tuple(actual)}, but config.json wants {tuple(expected)}"
        raise InputError(location, wrong, "weights and config.json of one model", kind="format")


def check_finite(model: Any, location: str) -> None:
    """Raise `InputError` for weights that are not finite, which no text would show."""
    for name, values in model.named_parameters():
        if values.is_floating_point() and not bool(values.isfinite().all()):
            wrong = f"the weights of {name} are not all finite"
            raise InputError(location, wrong, "a checkpoint from before that", kind="format")


def adapted(model: Any, origin: ModelSource) -> Any:
    """Return the base of an adapter with the adapter's changes merged into its weights."""
    if find_spec("peft") is None:
        wrong, right = "it is an adapter, and reading one needs peft", "pip install peft"
        raise InputError(origin.spec, wrong, right, kind="dependency")
    from peft import PeftModel

    def merged(name: str, **options: Any) -> Any:
        del options["trust_remote_code"]
        return PeftModel.from_pretrained(model, name, **options).merge_and_unload()

    return origin.load(merged)


def placement(kind: str, source: ModelSource, options: LoadOptions) -> dict[str, Any]:
    """Return how a model is spread over devices, as transformers takes it: not at all where a
    device is named, or where one holds the model."""
    if options.device != AUTO:
        return {}
    limits = memory_limits()
    largest = max((size for place, size in limits.items() if place != "cpu"), default=0)
    n_bytes = model_bytes(kind, source, options)
    if n_bytes * ROOM <= (largest or limits.get("cpu", 0)):
        return {}
    if find_spec("accelerate") is None:
        wrong = "no device here holds it, and spreading it needs accelerate"
        raise InputError(source.spec, wrong, "pip install accelerate", kind="dependency")
    folder = TemporaryDirectory(prefix="colorless-")
    _OFFLOADED.append(folder)  # removed as the process ends
    return {"device_map": AUTO, "max_memory": limits, "offload_folder": folder.name}


_OFFLOADED: list[TemporaryDirectory[str]] = []


def memory_limits() -> dict[int | str, int]:
    """Return the free memory, in bytes, of each CUDA device by its number, and of `cpu`."""
    limits: dict[int | str, int] = {
        n: torch.cuda.mem_get_info(n)[0] for n in range(torch.cuda.device_count())
    }
    return {**limits, "cpu": free_memory()}


def free_memory() -> int:
    """Return the bytes of this machine's memory that are free; no limit where nobody says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as stream:
            facts = dict(line.split(":", 1) for line in stream)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 1 << 62


def model_bytes(kind: str, source: ModelSource, options: LoadOptions) -> int:
    """Return the bytes of a model's weights, by its configuration alone."""
    config = source.config
    try:
        with torch.device("meta"):
            model = AUTOS[kind].from_config(config, trust_remote_code=source.trusted)
    except Exception as error:  # what a configuration makes of a model's code is not ours
        wrong = f"config.json makes no model ({reason(error)})"
        raise InputError(source.spec, wrong, "that of these weights", kind="format") from error
    dtype = DTYPES.get(options.dtype) or getattr(config, "dtype", None) or torch.float32
    n_numbers = sum(int(values.numel()) for values in model.parameters())
    return n_numbers * int(getattr(dtype, "itemsize", 4))


def widen(model: Any, location: str) -> None:
    """Give a model in half precision a head in float32."""
    head = model.get_output_embeddings()
    if not isinstance(head, torch.nn.Linear):
        wrong = "its head cannot be kept in float32 alone"
        raise InputError(location, wrong, "dtype float32", kind="unsupported")
    model.set_output_embeddings(WideHead(head))


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
