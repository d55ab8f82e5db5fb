"""Conversion of whole-module PyTorch checkpoints of word-level networks to model folders.

The published checkpoints of Gulordava et al. (2018), and whatever PyTorch's example
word_language_model saved, are `torch.save(model)`: a pickle that can run any code when it is
loaded. Here it is read as data, its tensors are checked against each other and the vocabulary, and
only data are written: safetensors, config.json, vocabulary.txt.

`torch.load` is not used: with `weights_only` it refuses whole modules of the older format. The
pickle reader (`data/pickles.py`) accepts only the few names that torch writes, and replaces each by
a function of this module that only makes records. Tensors become `TensorStub`s; no byte of them is
read before their shapes are checked. Both formats are read: the zip archive of torch 1.6 and later,
and the older one, five pickles and then the numbers (torch/serialization.py, `_save` and
`_legacy_save`).
"""

import os
import pickle
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import torch

from ...data.errors import InputError
from ...data.files import read_text, sha256_file
from ...data.languages import checked_language
from ...data.pickles import CODE_OF_NAME, PickledData, PickleRefused, allowed_steps, to_dictionary
from ...data.registry import nearest
from ..models.model_folder import Trained, is_model_folder
from ..models.network import (
    LAYER_TYPES,
    NetworkConfig,
    check_config,
    check_special_words,
    fitting_network,
    write_network,
)
from ..models.training_text import TrainingText
from .trained_files import finish_model

KIND = "recurrent"
COLUMNS = ("model", "folder", "rnn_type", "vocabulary_size", "n_parameters", "source_sha256")
NO_TEXT = TrainingText((), ())
LAYER_PREFIX = "torch.nn.modules.rnn."
RIGHT = "a whole model that torch.save wrote, as in PyTorch's word_language_model"
ZIP_SIGNATURE = b"PK\x03\x04"
LEGACY_MAGIC, LEGACY_PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of the older format
COUNT_BYTES = 8  # of the number that precedes a storage's numbers in that format
N_LEGACY_PICKLES = 5  # magic number, protocol, system, the object, the keys of its storages
MAX_PICKLE_BYTES = 4 << 20  # even with its classes' source code a pickle has only some 100 kB
DTYPE_OF_STORAGE = {  # name of a class after `torch.` or `torch.cuda.` → type of its numbers
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
}


@dataclass(eq=False)
class ObjectStub:
    """A stand-in for an instance of any class, none of whose code is run: the class's name and the
    instance's attributes."""

    kind: str
    attributes: dict[str | int, Any] = field(default_factory=dict)

    def parts(self, name: str) -> Mapping[str | int, Any]:
        """Return an attribute if it is a dictionary, else an empty dictionary."""
        value = self.attributes.get(name)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class TensorStorage:
    """A block of numbers in the file, found by its key."""

    key: str
    dtype: torch.dtype
    n_numbers: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class TensorStub:
    """A tensor as the pickle describes it; nothing is checked or read yet."""

    storage: TensorStorage
    offset: int  # in numbers
    size: tuple[int, ...]
    stride: tuple[int, ...]


BytesOf: TypeAlias = Callable[[TensorStorage], bytes]


def convert_checkpoint(
    source: Path, words_file: Path, folder: Path, order: int | None, language: str
) -> Trained:
    """Read the network in the checkpoint file `source`, write it as a model folder, and return
    that; see `convert` for the parameters and errors."""
    location = str(source)
    if is_model_folder(folder):
        raise InputError(
            str(folder), "this folder holds a model", "another folder", kind="conflict"
        )
    words = _read_vocabulary(words_file)
    try:
        stream = source.open("rb")
    except OSError as error:
        wrong = f"cannot be read ({error.strerror})"
        raise InputError(location, wrong, RIGHT, kind="unreadable") from None
    with stream:
        if not stream.peek(1):
            raise InputError(location, "the file is empty", RIGHT, kind="unreadable")
        root, bytes_of = read_checkpoint(stream, location)
        weights = _weights(root, location)
        config = _network_config(root, weights, order, location)
        if config.ntoken != len(words):
            wrong = f"it has {len(words)} words, but the network {config.ntoken}"
            right = "the vocabulary it was trained with"
            raise InputError(str(words_file), wrong, right, kind="conflict")
        tensors = {name: _load(name, stub, bytes_of, location) for name, stub in weights.items()}
    files = write_network(folder, tensors, config, words)
    card = {
        "language": checked_language(language),
        "source": source.name,
        "source_sha256": sha256_file(source),
        "vocabulary_sha256": sha256_file(words_file),
        "rnn_type": config.rnn_type,
        "vocabulary_size": len(words),
        "n_parameters": sum(tensor.numel() for tensor in tensors.values()),
        "warnings": [],
    }
    finish_model(folder, KIND, card, files, NO_TEXT, made_by="colorless convert")
    cells: dict[str, Any] = {"model": KIND, "folder": str(folder), **card}
    row = {column: cells[column] for column in COLUMNS}
    return Trained([row], COLUMNS, folders=(folder,))


def _read_vocabulary(path: Path) -> tuple[str, ...]:
    """Read a vocabulary as the paper's scripts do: split at all white space
    (src/language_models/dictionary_corpus.py). Raises `InputError` if a word occurs twice, or one
    that every network needs is missing."""
    words = tuple(read_text(path).split())
    repeated = next((word for word, n in Counter(words).items() if n > 1), None)
    if repeated is not None:
        wrong = f"{repeated!r} occurs twice"
        raise InputError(str(path), wrong, "every word once", kind="conflict")
    check_special_words(words, path)
    return words


def _weights(root: object, location: str) -> dict[str, TensorStub]:
    """Return all weights of a module and its submodules, keyed by their dotted names; the decoder's
    weight is left out if it is the same tensor as the embedding's.

    Raises `InputError` for a weight that is larger than its numbers in the file.
    """
    weights: dict[str, TensorStub] = {}
    waiting, visited = [("", root)], set()
    while waiting:
        prefix, module = waiting.pop(0)
        if not isinstance(module, ObjectStub) or id(module) in visited:
            continue
        visited.add(id(module))  # a pickle may hold a module that contains itself
        for name, value in module.parts("_parameters").items():
            if not isinstance(value, TensorStub):
                raise InputError(location, f"{prefix}{name} is no tensor", RIGHT, kind="format")
            weights[f"{prefix}{name}"] = value
        waiting += [(f"{prefix}{name}.", child) for name, child in module.parts("_modules").items()]
    for name, weight in weights.items():
        # with strides of 0 a small storage could make a huge tensor
        if not 0 < prod(weight.size) <= weight.storage.n_numbers:
            wrong = f"{name} ({' × '.join(map(str, weight.size))}) is not in the file"
            raise InputError(location, wrong, "a whole file", kind="format")
    if "decoder.weight" in weights and weights["decoder.weight"] == weights.get("encoder.weight"):
        del weights["decoder.weight"]
    return weights


def _network_config(
    root: object, weights: Mapping[str, TensorStub], order: int | None, location: str
) -> NetworkConfig:
    """Return the configuration of the network `root`, derived from its modules and the sizes of
    their weights; `order` is passed on to it.

    Raises `InputError` if modules and weights do not fit together.
    """
    modules = root.parts("_modules") if isinstance(root, ObjectStub) else {}
    layers, decoder, encoder = (modules.get(name) for name in ("rnn", "decoder", "encoder"))
    if not (
        isinstance(layers, ObjectStub)
        and isinstance(decoder, ObjectStub)
        and isinstance(encoder, ObjectStub)
    ):
        raise InputError(location, "it has no encoder, rnn and decoder", RIGHT, kind="format")
    name = layers.kind.removeprefix(LAYER_PREFIX)
    kind = layers.attributes.get("mode") if name == "RNN" else name  # RNN_TANH or RNN_RELU
    if not layers.kind.startswith(LAYER_PREFIX) or type(kind) is not str or kind not in LAYER_TYPES:
        raise InputError(
            location, f"its layers are {name!r}", nearest(name, LAYER_TYPES), kind="unknown"
        )
    with refusing(location):
        ntoken, ninp = weights["encoder.weight"].size
        nhid = weights["rnn.weight_hh_l0"].size[1]
    n_layers = sum(name.startswith("rnn.weight_hh_l") for name in weights)
    drop = modules.get("drop")
    dropout = drop.attributes.get("p", 0.0) if isinstance(drop, ObjectStub) else 0.0
    if type(dropout) not in (int, float):  # it could be too large to print
        dropout = -1.0  # which `check_config` refuses
    tied = "decoder.weight" not in weights
    config = NetworkConfig(kind, ntoken, ninp, nhid, n_layers, dropout, tied, order)
    check_config(config, location)
    sizes = {name: weight.size for name, weight in weights.items()}
    fitting_network(sizes, config, location, "weights of one network")
    return config


def _load(name: str, weight: TensorStub, bytes_of: BytesOf, location: str) -> torch.Tensor:
    """Return a weight as a float32 tensor, copied from the file. Raises `InputError` if it is not
    finite."""
    storage = weight.storage
    with refusing(location):
        data = bytearray(bytes_of(storage))
        numbers = torch.frombuffer(data, dtype=storage.dtype, count=storage.n_numbers)
        values = numbers.as_strided(weight.size, weight.stride, weight.offset).float()
    if not values.isfinite().all():
        right = "a network with finite weights"
        raise InputError(location, f"{name} is not finite", right, kind="format")
    return values.contiguous().clone()  # without the numbers of the storage that it does not use


@contextmanager
def refusing(location: str) -> Iterator[None]:
    """Turn any error within the block into an `InputError` about the file, since there is no list
    of the errors that a bad pickle or archive raises."""
    try:
        yield
    except PickleRefused as error:
        raise InputError(location, str(error), RIGHT, kind="unsafe") from None
    except Exception as error:
        wrong = f"not a model file of PyTorch's ({type(error).__name__} {str(error)!r:.80})"
        raise InputError(location, wrong, RIGHT, kind="format") from None


def read_checkpoint(stream: BinaryIO, location: str) -> tuple[object, BytesOf]:
    """Return the pickled object of a file as stubs, and a function that reads a storage's bytes
    from the file, which must stay open.

    Raises `InputError` for a file that is no checkpoint or has anything but tensors in modules; no
    code of the file is run.
    """
    with refusing(location):
        is_zip = stream.read(len(ZIP_SIGNATURE)) == ZIP_SIGNATURE
        length = stream.seek(0, os.SEEK_END)
        return _read_zip(stream, length) if is_zip else _read_legacy(stream, length)


def _read_zip(stream: BinaryIO, length: int) -> tuple[object, BytesOf]:
    """Read a checkpoint in torch's zip format from a file of `length` bytes, without running code.

    Returns the pickled object with stubs for modules and tensors, and a function that reads the
    bytes of a storage (a block of numbers) from the file.
    """
    archive = zipfile.ZipFile(stream)
    names = archive.namelist()
    for entry in archive.infolist():  # torch never compresses; a compressed entry may be a bomb
        is_compressed, is_encrypted = entry.compress_type != zipfile.ZIP_STORED, entry.flag_bits & 1
        if is_compressed or is_encrypted or entry.file_size > length:
            raise PickleRefused(
                f"{entry.filename!r} in it is compressed, encrypted or longer than the file"
            )
    if len(set(names)) < len(names):
        raise PickleRefused("two of its entries have the same name")
    (pickle_name,) = (name for name in names if name.count("/") == 1 and name.endswith("/data.pkl"))
    folder = pickle_name.removesuffix("data.pkl")
    if f"{folder}byteorder" in names and archive.read(f"{folder}byteorder") != b"little":
        raise ValueError("its numbers are not little-endian")
    with archive.open(pickle_name) as stored:
        root = _ModulePickle(stored.read(MAX_PICKLE_BYTES)).load()
    return root, lambda storage: archive.read(f"{folder}data/{storage.key}")


def _read_legacy(stream: BinaryIO, length: int) -> tuple[object, BytesOf]:
    """Read a checkpoint in torch's older format, five pickles and then the numbers, from a file of
    `length` bytes. Returns the same two results as `_read_zip`."""
    position = 0
    values: list[Any] = []
    storages: dict[str, TensorStorage] = {}
    for _ in range(N_LEGACY_PICKLES):
        stream.seek(position)
        reader = _ModulePickle(stream.read(MAX_PICKLE_BYTES))
        values.append(reader.load())
        storages |= reader.storages
        position += reader.stream.tell()
    magic, protocol, system, root, keys = values
    if (magic, protocol, system["little_endian"]) != (LEGACY_MAGIC, LEGACY_PROTOCOL, True):
        raise ValueError("another format, or numbers that are not little-endian")
    starts: dict[str, int] = {}  # key of a storage → position of its numbers
    for storage in (storages[key] for key in keys):
        stream.seek(position)
        n_numbers = int.from_bytes(stream.read(COUNT_BYTES), "little")
        starts[storage.key] = position + COUNT_BYTES
        position += COUNT_BYTES + storage.n_bytes
        if n_numbers != storage.n_numbers or position > length:
            raise ValueError("the file is cut off, or its sizes are wrong")

    def bytes_of(storage: TensorStorage) -> bytes:
        """Read the bytes of a storage from the file."""
        stream.seek(starts[storage.key])
        return stream.read(storage.n_bytes)

    return root, bytes_of


def _rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any, *_: object) -> TensorStub:
    """Stand in for torch's function of this name: return the described tensor as a stub."""
    if not isinstance(storage, TensorStorage) or any(
        type(number) is not int or number < 0 for number in (offset, *size, *stride)
    ):
        raise ValueError("a tensor without numbers or shape")
    return TensorStub(storage, offset, tuple(size), tuple(stride))


def _ordered_dict(pairs: Sequence[tuple[Any, Any]] = ()) -> dict[str | int, Any]:
    """Stand in for `OrderedDict`: return a dictionary of the pairs, after a check of its keys."""
    return to_dictionary([item for key, value in pairs for item in (key, value)])


def _first_argument(value: object = (), *_: object) -> object:
    """Stand in for classes that wrap a value, such as `Parameter`: return the value alone."""
    return value


STAND_INS: Mapping[str, Callable[..., object]] = {
    "collections.OrderedDict": _ordered_dict,
    "__builtin__.set": _first_argument,
    "builtins.set": _first_argument,
    "torch.Size": _first_argument,
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor,
    "torch._utils._rebuild_parameter": _first_argument,
    "torch.nn.parameter.Parameter": _first_argument,  # torch 0.3
}
OTHER_CLASSES = (  # accepted besides modules
    "torch.nn.backends.thnn._get_thnn_function_backend",  # until torch 1.0
    "torch.backends.cudnn.rnn.Unserializable",  # dropout's state in torch 0.3
)


def _set_attributes(machine: Any) -> None:
    """Carry out the pickle instruction BUILD: take a dictionary from the stack of `machine`, the
    pickle reader, and set the attributes of the stub below it.

    Attributes of a tensor (flags of torch 0.3) are ignored.
    """
    state, instance = machine.stack.pop(), machine.stack[-1]
    if isinstance(instance, ObjectStub) and isinstance(state, dict):
        instance.attributes.update(state)
    elif not isinstance(instance, ObjectStub | TensorStub):
        raise ValueError("attributes of something that is no module")


class _ModulePickle(PickledData):
    """A reader of pickles that makes stubs of modules and tensors."""

    dispatch = allowed_steps(
        """
        PROTO STOP MARK POP POP_MARK NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1
        LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE BINBYTES
        SHORT_BINBYTES EMPTY_LIST LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
        EMPTY_DICT DICT SETITEM SETITEMS GET BINGET LONG_BINGET PUT BINPUT LONG_BINPUT GLOBAL REDUCE
        BINPERSID
        """,
        # names are functions, not classes
        NEWOBJ=pickle._Unpickler.dispatch[CODE_OF_NAME["REDUCE"]],
        BUILD=_set_attributes,
    )

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.storages: dict[str, TensorStorage] = {}

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in for the class or function of this name: a number type, a function
        that makes a stub, or one of `STAND_INS`. Other names are refused with an error."""
        full_name = f"{module}.{name}"
        if module in ("torch", "torch.cuda") and name in DTYPE_OF_STORAGE:
            return DTYPE_OF_STORAGE[name]
        is_module = module.startswith("torch.nn.modules.") or name == "RNNModel"
        if is_module or module in ("model", "__main__") or full_name in OTHER_CLASSES:
            return lambda *_: ObjectStub(full_name)
        return STAND_INS[full_name] if full_name in STAND_INS else super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Any:
        """Return what the reference `pid` of a pickle stands for: a storage if it is
        `('storage', type, key, location, n, …)`, the class if it is `('module', class, …)`."""
        if pid[0] == "module":
            return pid[1]
        kind, dtype, key, _, n_numbers, *views = pid  # views: of other storages, in the old format
        if kind != "storage" or not isinstance(dtype, torch.dtype) or any(views):
            raise ValueError("an unknown reference")
        if type(key) is not str or type(n_numbers) is not int or n_numbers < 0:
            raise ValueError("a storage without a size")
        storage = TensorStorage(key, dtype, n_numbers, n_numbers * dtype.itemsize)
        return self.storages.setdefault(key, storage)
