"""Loading the weights of a checkpoint: safetensors or PyTorch's .bin, quantised, an adapter with
its base, on one device or several, or a model in memory.

Missing weights would be drawn at random, and weights that are not finite would look like a model
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
from .origin import ModelSource, error_summary
from .torch_device import choose_device

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
LOADERS: dict[str, Any] = {  # kind of model → class that loads it; untyped
    "causal": transformers.AutoModelForCausalLM,
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}
WEIGHT_FILES = (
    "*.safetensors", "pytorch_model*.bin", "adapter_config.json", "adapter_model*.bin"
)  # fmt: skip
"""Patterns of the files in a folder that decide a model's weights"""
MEMORY_FACTOR = 1.2  # memory that a model needs on a device, as a multiple of its weights


@dataclass(frozen=True, slots=True, eq=False)
class LoadedWeights:
    """A model with its weights, ready for use.

    Attributes:
        model: the model, in evaluation mode.
        device: the device of its first layer.
        dtype: its number type.
        places: the devices that it is spread over, joined by "+"; "" if it is on one device.
        notes: remarks for the user on the way it was loaded.
    """

    model: Any
    device: torch.device
    dtype: str
    places: str = ""
    notes: tuple[str, ...] = ()


def read_weights(kind: str, origin: ModelSource, options: LoadOptions) -> LoadedWeights:
    """Load a model of a kind with its weights onto its device; its head is always float32.

    Logits in half precision would be so coarse that two forms can tie (bfloat16: steps of 1/8
    between 16 and 32).

    Raises:
        InputError: a weight is missing, has another shape or is not finite; the number type does
            not exist; a package is not installed.
    """
    if options.dtype not in (AUTO, *DTYPES):
        right = nearest(options.dtype, (AUTO, *DTYPES))
        raise InputError("dtype", f"no such type {options.dtype!r}", right, kind="unknown")
    source, location, notes = origin.base or origin, origin.spec, []
    device = choose_device(options.device)
    spreading = spreading_options(kind, source, options)
    settings: dict[str, Any] = {
        "dtype": DTYPES.get(options.dtype, AUTO),
        "output_loading_info": True,
        "ignore_mismatched_sizes": True,  # reported below, with a name
        **spreading,
    }
    read = LOADERS[kind].from_pretrained
    try:
        model, report = source.load(read, use_safetensors=True, **settings)
    except InputError as error:
        if "safetensors" not in str(error.__cause__):
            raise
        model, report = source.load(read, use_safetensors=False, **settings)  # then a .bin
    check_whole(report, kind, source.spec)
    if origin.base is not None:
        model = merge_adapter(model, origin)
    places = ""
    device_of_part = getattr(model, "hf_device_map", None) if spreading else None
    if device_of_part:
        places = "+".join(dict.fromkeys(map(str, device_of_part.values())))
        first_place = next(iter(device_of_part.values()))
        device = torch.device("cpu" if first_place == "disk" else first_place)
        notes.append(f"{location}: one device does not hold it; it is spread over {places}")
    else:
        check_finite(model, location)
    dtype = str(model.dtype).removeprefix("torch.")
    if options.dtype == AUTO:
        notes.append(f"{location}: {dtype}, as the checkpoint has it")
    if dtype != "float32":
        widen_head(model, location)
    if not places and not getattr(model, "is_quantized", False):
        model = model.to(device)
    return LoadedWeights(model.eval(), device, dtype, places, tuple(notes))


def weights_in_memory(given: InMemory) -> LoadedWeights:
    """Return a model in memory, ready for use: in evaluation mode, and with a float32 head.

    Of the model itself only the mode is changed; one in half precision gets its new head in a
    shallow copy. Raises `InputError` for weights that are not finite, or a head that cannot be
    replaced.
    """
    model = given.model
    check_finite(model, given.name)
    dtype = str(model.dtype).removeprefix("torch.")
    if dtype != "float32":
        model = _copy_of_outermost(model)
        # In any other module a new head would change the model that was given.
        is_head_outermost = model.get_output_embeddings() in model._modules.values()
        if not is_head_outermost:
            wrong = f"it is {dtype}, and its head cannot be float32 alone"
            raise InputError(given.name, wrong, "a model in float32", kind="unsupported")
        widen_head(model, given.name)
    return LoadedWeights(model.eval(), given.model.device, dtype)


def _copy_of_outermost(model: Any) -> Any:
    """Return a copy of the outermost module of a model, with the same modules within it; to replace
    one of these in the copy leaves the model as it is."""
    outermost = copy(model)
    outermost.__dict__["_modules"] = dict(model._modules)  # the dictionary itself is not copied
    return outermost


def check_whole(report: dict[str, Any], kind: str, location: str) -> None:
    """Raise `InputError` if a weight is missing or has another shape. `report` is what transformers
    tells about loading the model."""
    for name in sorted(report["missing_keys"]):
        wrong, right = f"the weights lack {name}", f"those of a {kind} model"
        raise InputError(location, wrong, right, kind="format")
    for name, actual, expected in sorted(report["mismatched_keys"]):
        wrong = f"{name} has the shape {tuple(actual)}, but config.json wants {tuple(expected)}"
        raise InputError(location, wrong, "weights and config.json of one model", kind="format")


def check_finite(model: Any, location: str) -> None:
    """Raise `InputError` if a weight of the model is infinite or NaN."""
    for name, values in model.named_parameters():
        if values.is_floating_point() and not bool(values.isfinite().all()):
            wrong = f"the weights of {name} are not all finite"
            raise InputError(location, wrong, "a checkpoint from before that", kind="format")


def merge_adapter(model: Any, origin: ModelSource) -> Any:
    """Merge the weights of the adapter `origin` into the base model `model`, and return it."""
    if find_spec("peft") is None:
        wrong, right = "it is an adapter, and reading one needs peft", "pip install peft"
        raise InputError(origin.spec, wrong, right, kind="dependency")
    from peft import PeftModel

    def load_adapter(name: str, **options: Any) -> Any:
        """Load the adapter onto the base model, and return the model with both."""
        del options["trust_remote_code"]  # peft does not take it
        return PeftModel.from_pretrained(model, name, **options).merge_and_unload()

    return origin.load(load_adapter)


def spreading_options(kind: str, source: ModelSource, options: LoadOptions) -> dict[str, Any]:
    """Return the options that make transformers spread a model over devices.

    They are empty if the user named a device, or if one device holds the model. If they are not, a
    temporary folder is made for the weights that no device holds; it is removed as the process
    ends. Raises `InputError` if the package that spreading needs is not installed.
    """
    if options.device != AUTO:
        return {}
    limits = memory_limits()
    gpus = [n_bytes for place, n_bytes in limits.items() if place != "cpu"]
    largest = max(gpus) if gpus else limits.get("cpu", 0)
    if model_bytes(kind, source, options) * MEMORY_FACTOR <= largest:
        return {}
    if find_spec("accelerate") is None:
        wrong = "no device here holds it, and spreading it needs accelerate"
        raise InputError(source.spec, wrong, "pip install accelerate", kind="dependency")
    folder = TemporaryDirectory(prefix="colorless-")
    _offload_folders.append(folder)
    return {"device_map": AUTO, "max_memory": limits, "offload_folder": folder.name}


_offload_folders: list[TemporaryDirectory[str]] = []  # so that they last as long as the process


def memory_limits() -> dict[int | str, int]:
    """Return the free memory, in bytes, of each CUDA device by its number, and of `cpu`."""
    limits: dict[int | str, int] = {
        n: torch.cuda.mem_get_info(n)[0] for n in range(torch.cuda.device_count())
    }
    return {**limits, "cpu": free_memory()}


def free_memory() -> int:
    """Return the free memory of this machine in bytes; practically infinite if it is unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as stream:
            facts = dict(line.split(":", 1) for line in stream)
        return int(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 1 << 62


def model_bytes(kind: str, source: ModelSource, options: LoadOptions) -> int:
    """Return the size of a model's weights in bytes, computed from its configuration."""
    config = source.config
    try:
        with torch.device("meta"):
            model = LOADERS[kind].from_config(config, trust_remote_code=source.trusted)
    except Exception as error:  # a bad configuration can raise anything in a model's code
        wrong = f"config.json makes no model ({error_summary(error)})"
        raise InputError(source.spec, wrong, "that of these weights", kind="format") from error
    dtype = DTYPES.get(options.dtype) or getattr(config, "dtype", None) or torch.float32
    n_numbers = sum(int(values.numel()) for values in model.parameters())
    return n_numbers * int(getattr(dtype, "itemsize", 4))


def widen_head(model: Any, location: str) -> None:
    """Replace the head of a model in half precision by one in float32, in place. Raises
    `InputError` if the head is not a plain linear layer."""
    head = model.get_output_embeddings()
    if not isinstance(head, torch.nn.Linear):
        wrong = "its head cannot be kept in float32 alone"
        raise InputError(location, wrong, "dtype float32", kind="unsupported")
    model.set_output_embeddings(WideHead(head))


class WideHead(torch.nn.Module):
    """A head in float32 for a half-precision model; it converts its input to float32."""

    def __init__(self, head: torch.nn.Linear) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(head.weight.detach().float())
        bias = head.bias
        self.bias = None if bias is None else torch.nn.Parameter(bias.detach().float())

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return logits `(…, vocabulary)` for hidden states `(…, width)`."""
        return torch.nn.functional.linear(hidden.float(), self.weight.float(), self.bias)
