"""Whole-module PyTorch checkpoints of word-level networks to this tool's own folders.

The published checkpoints of Gulordava et al. (2018), and whatever PyTorch's example
word_language_model saved, are `torch.save(model)`: a pickle that runs what it likes when it is
loaded. Here it is read as data, its tensors are checked against each other and the vocabulary, and
only numbers are written: safetensors, config.json, vocabulary.txt.

Nothing of `torch.load` is used: with `weights_only` it refuses whole modules of the older format.
Of the names in a pickle (`data/pickles.py`) only the few that stand in a file of torch's are known,
and they stand for this module's own functions, which make records and nothing else. Tensors become
`TensorStub`s; no byte of them is read before their shapes are checked. Both formats are read: the
zip archive of torch 1.6 and later, and the older one, five pickles and then the numbers
(torch/serialization.py, `_save` and `_legacy_save`).
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
from ...data.pickles import CODES, PickledData, PickleRefused, paired, steps
from ...data.registry import nearest
from ..models.model_folder import Trained, is_model_folder
from ..models.network import (
    CELLS,
    NetworkConfig,
    check_shape,
    check_signs,
    fitting_network,
    write_network,
)
from ..models.training_text import TrainingText
from .trained_files import finish_model

KIND = "recurrent"
COLUMNS = ("model", "folder", "rnn_type", "vocabulary_size", "n_parameters", "source_sha256")
NO_TEXT = TrainingText((), ())
LAYERS = "torch.nn.modules.rnn."
RIGHT = "a whole model that torch.save wrote, as in PyTorch's word_language_model"
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of the older format
LONGEST = 4 << 20  # bytes of a pickle; one with the sources of its classes has some 100 kB
STORAGES = {  # what follows `torch.` or `torch.cuda.`
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
}


@dataclass(eq=False)
class ObjectStub:
    """An instance of some class that is not run: its name and its attributes."""

    kind: str
    attributes: dict[str | int, Any] = field(default_factory=dict)

    def part(self, name: str) -> Mapping[str | int, Any]:
        """Return the attribute of a name if it is a dictionary, else an empty one."""
        value = self.attributes.get(name)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class TensorStorage:
    """Numbers in the file under a key."""

    key: str
    dtype: torch.dtype
    n_numbers: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class TensorStub:
    """A tensor as it is described: nothing of it is checked or read."""

    storage: TensorStorage
    offset: int  # in numbers
    size: tuple[int, ...]
    stride: tuple[int, ...]


BytesOf: TypeAlias = Callable[[TensorStorage], bytes]


def convert_checkpoint(
    source: Path, words_file: Path, folder: Path, order: int | None, language: str
) -> Trained:
    """Write the network of a pickle as a model folder: see `convert`."""
    location = str(source)
    if is_model_folder(folder):
        raise InputError(
            str(folder), "this folder holds a model", "another folder", kind="conflict"
        )
    # As the paper's scripts read it: split at all white space
    # (src/language_models/dictionary_corpus.py).
    words = tuple(read_text(words_file).split())
    repeated = next((word for word, n in Counter(words).items() if n > 1), None)
    if repeated is not None:
        wrong = f"{repeated!r} occurs twice"
        raise InputError(str(words_file), wrong, "every word once", kind="conflict")
    check_signs(words, words_file)
    try:
        stream = source.open("rb")
    except OSError as error:
        wrong = f"cannot be read ({error.strerror})"
        raise InputError(location, wrong, RIGHT, kind="unreadable") from None
    with stream:
        if not stream.peek(1):
            raise InputError(location, "the file is empty", RIGHT, kind="unreadable")
        root, bytes_of = read_checkpoint(stream, location)
        pieces = _pieces(root, location)
        shape = _shape(root, pieces, order, location)
        if shape.ntoken != len(words):
            wrong = f"it has {len(words)} words, but the network {shape.ntoken}"
            right = "the vocabulary it was trained with"
            raise InputError(str(words_file), wrong, right, kind="conflict")
        tensors = {name: _tensor(name, piece, bytes_of, location) for name, piece in pieces.items()}
    files = write_network(folder, tensors, shape, words)
    card = {
        "language": checked_language(language),
        "source": source.name,
        "source_sha256": sha256_file(source),
        "vocabulary_sha256": sha256_file(words_file),
        "rnn_type": shape.rnn_type,
        "vocabulary_size": len(words),
        "n_parameters": sum(tensor.numel() for tensor in tensors.values()),
        "warnings": [],
    }
    model = finish_model(folder, KIND, card, files, NO_TEXT, made_by="colorless convert")
    row = {"model": KIND, "folder": str(folder), **{key: model.card[key] for key in COLUMNS[2:]}}
    return Trained([row], COLUMNS, folders=(folder,))


def _pieces(root: object, location: str) -> dict[str, TensorStub]:
    """Every weight under a module, names joined by dots; the decoder's left out if it is the
    embedding's."""
    pieces: dict[str, TensorStub] = {}
    waiting, seen = [("", root)], set()
    while waiting:
        prefix, module = waiting.pop(0)
        if not isinstance(module, ObjectStub) or id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in module.part("_parameters").items():
            if not isinstance(value, TensorStub):
                raise InputError(location, f"{prefix}{name} is no tensor", RIGHT, kind="format")
            pieces[f"{prefix}{name}"] = value
        waiting += [(f"{prefix}{name}.", child) for name, child in module.part("_modules").items()]
    for name, piece in pieces.items():
        if not 0 < prod(piece.size) <= piece.storage.n_numbers:  # strides of 0 repeat without end
            wrong = f"{name} ({' × '.join(map(str, piece.size))}) is not in the file"
            raise InputError(location, wrong, "a whole file", kind="format")
    if "decoder.weight" in pieces and pieces["decoder.weight"] == pieces.get("encoder.weight"):
        del pieces["decoder.weight"]
    return pieces


def _shape(
    root: object, pieces: Mapping[str, TensorStub], order: int | None, location: str
) -> NetworkConfig:
    """Return the network's configuration from the modules and the sizes of their tensors, checked
    against each other."""
    modules = root.part("_modules") if isinstance(root, ObjectStub) else {}
    layers, decoder, encoder = (modules.get(name) for name in ("rnn", "decoder", "encoder"))
    if not (
        isinstance(layers, ObjectStub)
        and isinstance(decoder, ObjectStub)
        and isinstance(encoder, ObjectStub)
    ):
        raise InputError(location, "it has no encoder, rnn and decoder", RIGHT, kind="format")
    name = layers.kind.removeprefix(LAYERS)
    kind = layers.attributes.get("mode") if name == "RNN" else name
    if not layers.kind.startswith(LAYERS) or type(kind) is not str or kind not in CELLS:
        raise InputError(location, f"its layers are {name!r}", nearest(name, CELLS), kind="unknown")
    with refusing(location):
        ntoken, ninp = pieces["encoder.weight"].size
        nhid = pieces["rnn.weight_hh_l0"].size[1]
    n_layers = sum(name.startswith("rnn.weight_hh_l") for name in pieces)
    drop = modules.get("drop")
    rate = drop.attributes.get("p", 0.0) if isinstance(drop, ObjectStub) else 0.0
    rate = rate if type(rate) in (int, float) else -1.0  # printing another value may never end
    tied = "decoder.weight" not in pieces
    shape = NetworkConfig(kind, ntoken, ninp, nhid, n_layers, rate, tied, order)
    check_shape(shape, location)
    sizes = {name: piece.size for name, piece in pieces.items()}
    fitting_network(sizes, shape, location, "weights of one network")
    return shape


def _tensor(name: str, piece: TensorStub, bytes_of: BytesOf, location: str) -> torch.Tensor:
    """Return the numbers of a piece, copied out of the file, float32."""
    storage = piece.storage
    with refusing(location):
        data = bytearray(bytes_of(storage))
        numbers = torch.frombuffer(data, dtype=storage.dtype, count=storage.n_numbers)
        values = numbers.as_strided(piece.size, piece.stride, piece.offset).float()
    if not values.isfinite().all():
        right = "a network with finite weights"
        raise InputError(location, f"{name} is not finite", right, kind="format")
    return values.contiguous().clone()


@contextmanager
def refusing(location: str) -> Iterator[None]:
    """Turn any error inside into one of the file: the manual promises no list of what a bad pickle
    or archive raises."""
    try:
        yield
    except PickleRefused as error:
        raise InputError(location, str(error), RIGHT, kind="unsafe") from None
    except Exception as error:
        wrong = f"not a model file of PyTorch's ({type(error).__name__} {str(error)!r:.80})"
        raise InputError(location, wrong, RIGHT, kind="format") from None


def read_checkpoint(stream: BinaryIO, location: str) -> tuple[object, BytesOf]:
    """Yield the pickled object of a file, which stays open, and how the bytes of a storage are
    read. Raises `InputError` where it is no checkpoint or asks for anything else than tensors in
    modules; nothing has been run by then."""
    with refusing(location):
        is_zip = stream.read(4) == b"PK\x03\x04"
        length = stream.seek(0, os.SEEK_END)
        return _from_zip(stream, length) if is_zip else _from_legacy(stream, length)


def _from_zip(stream: BinaryIO, length: int) -> tuple[object, BytesOf]:
    archive = zipfile.ZipFile(stream)
    names = archive.namelist()
    for entry in archive.infolist():  # torch packs nothing: what is packed is a bomb or no model
        is_packed = entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1
        if is_packed or entry.file_size > length:
            raise PickleRefused(f"{entry.filename!r} in it is packed, or longer than the file")
    if len(set(names)) < len(names):
        raise PickleRefused("two files in it have one name")
    (pickled,) = (name for name in names if name.count("/") == 1 and name.endswith("/data.pkl"))
    folder = pickled.removesuffix("data.pkl")
    if f"{folder}byteorder" in names and archive.read(f"{folder}byteorder") != b"little":
        raise ValueError("its numbers are not little-endian")
    with archive.open(pickled) as program:
        root = _ModulePickle(program.read(LONGEST)).load()
    return root, lambda storage: archive.read(f"{folder}data/{storage.key}")


def _from_legacy(stream: BinaryIO, length: int) -> tuple[object, BytesOf]:
    position = 0
    values: list[Any] = []
    storages: dict[str, TensorStorage] = {}
    for _ in range(5):  # magic number, protocol, system, the object, the keys of its storages
        stream.seek(position)
        reader = _ModulePickle(stream.read(LONGEST))
        values.append(reader.load())
        storages |= reader.storages
        position += reader.stream.tell()
    magic, protocol, system, root, keys = values
    if (magic, protocol, system["little_endian"]) != (MAGIC, PROTOCOL, True):
        raise ValueError("another format, or numbers that are not little-endian")
    starts: dict[str, int] = {}
    for storage in (storages[key] for key in keys):
        stream.seek(position)
        n_numbers = int.from_bytes(stream.read(8), "little")
        starts[storage.key] = position + 8
        position += 8 + storage.n_bytes
        if n_numbers != storage.n_numbers or position > length:
            raise ValueError("the file is cut off, or its sizes are wrong")

    def bytes_of(storage: TensorStorage) -> bytes:
        stream.seek(starts[storage.key])
        return stream.read(storage.n_bytes)

    return root, bytes_of


def _described(storage: Any, offset: Any, size: Any, stride: Any, *_: object) -> TensorStub:
    if not isinstance(storage, TensorStorage) or any(
        type(number) is not int or number < 0 for number in (offset, *size, *stride)
    ):
        raise ValueError("a tensor without numbers or shape")
    return TensorStub(storage, offset, tuple(size), tuple(stride))


def _ordered(pairs: Sequence[tuple[Any, Any]] = ()) -> dict[str | int, Any]:
    return paired([item for key, value in pairs for item in (key, value)])


def _same(value: object = (), *_: object) -> object:
    return value


KNOWN: Mapping[str, Callable[..., object]] = {
    "collections.OrderedDict": _ordered,
    "__builtin__.set": _same,
    "builtins.set": _same,
    "torch.Size": _same,
    "torch._utils._rebuild_tensor": _described,
    "torch._utils._rebuild_tensor_v2": _described,
    "torch._utils._rebuild_parameter": _same,
    "torch.nn.parameter.Parameter": _same,  # torch 0.3
}
CLASSES = (  # besides modules
    "torch.nn.backends.thnn._get_thnn_function_backend",  # until torch 1.0
    "torch.backends.cudnn.rnn.Unserializable",  # dropout's state in torch 0.3
)


def _build(machine: Any) -> None:
    """Attributes of an instance; a parameter of torch 0.3 brings flags, which do not matter."""
    state, instance = machine.stack.pop(), machine.stack[-1]
    if isinstance(instance, ObjectStub) and isinstance(state, dict):
        instance.attributes.update(state)
    elif not isinstance(instance, ObjectStub | TensorStub):
        raise ValueError("attributes of something that is no module")


class _ModulePickle(PickledData):
    """Modules as stubs, tensors as pieces."""

    dispatch = steps(
        """
        PROTO STOP MARK POP POP_MARK NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1
        LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE BINBYTES
        SHORT_BINBYTES EMPTY_LIST LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
        EMPTY_DICT DICT SETITEM SETITEMS GET BINGET LONG_BINGET PUT BINPUT LONG_BINPUT GLOBAL REDUCE
        BINPERSID
        """,
        NEWOBJ=pickle._Unpickler.dispatch[CODES["REDUCE"]],  # names are functions, not classes
        BUILD=_build,
    )

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.storages: dict[str, TensorStorage] = {}

    def find_class(self, module: str, name: str) -> Any:
        full_name = f"{module}.{name}"
        if module in ("torch", "torch.cuda") and name in STORAGES:
            return STORAGES[name]
        is_module = module.startswith("torch.nn.modules.") or name == "RNNModel"
        if is_module or module in ("model", "__main__") or full_name in CLASSES:
            return lambda *_: ObjectStub(full_name)
        return KNOWN[full_name] if full_name in KNOWN else super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Any:
        """`('storage', type, key, location, n, …)`, or `('module', class, file, source)`."""
        if pid[0] == "module":
            return pid[1]
        kind, dtype, key, _, n_numbers, *views = pid  # of the older format: of another storage
        if kind != "storage" or not isinstance(dtype, torch.dtype) or any(views):
            raise ValueError("an unknown reference")
        if type(key) is not str or type(n_numbers) is not int or n_numbers < 0:
            raise ValueError("a storage without a size")
        storage = TensorStorage(key, dtype, n_numbers, n_numbers * dtype.itemsize)
        return self.storages.setdefault(key, storage)
