"""What a pickled PyTorch module holds, read without running anything in it.

A pickle is a program: it names functions and calls them. So nothing of `torch.load` is used here.
Every instruction is looked at before the first one is carried out: only those that build plain
values are let through, and of names only the few that stand in a file of torch's. What is then
carried out knows no functions but this module's own, which make records and nothing else. Tensors
become `Piece`s, places in the file; no byte of them is read before their shapes are checked.

Both formats are read: the zip archive of torch 1.6 and later, and the older one, five pickles and
then the numbers (torch/serialization.py, `_save` and `_legacy_save`). The published checkpoints are
of the older kind (2018).
"""

import io
import mmap
import pickle
import pickletools
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from colorless_green.data.errors import InputError

RIGHT = "a whole model that torch.save wrote, as in PyTorch's word_language_model"
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of the older format
LONGEST = 4 << 20  # bytes of a pickle; one with the sources of its classes has some 100 kB
STORAGES = {  # what follows `torch.` or `torch.cuda.` → (torch's name of the number type, bytes)
    "FloatStorage": ("float32", 4),
    "DoubleStorage": ("float64", 8),
    "HalfStorage": ("float16", 2),
    "BFloat16Storage": ("bfloat16", 2),
}
PLAIN = """
    PROTO FRAME STOP MARK POP POP_MARK DUP NONE NEWTRUE NEWFALSE
    INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT
    STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINBYTES SHORT_BINBYTES
    EMPTY_LIST LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
    EMPTY_DICT DICT SETITEM SETITEMS EMPTY_SET ADDITEMS
    GET BINGET LONG_BINGET PUT BINPUT LONG_BINPUT MEMOIZE
    GLOBAL REDUCE NEWOBJ BUILD BINPERSID
"""  # instructions that build plain values, or call what `_Reader.find_class` gives
INSTRUCTIONS = frozenset(PLAIN.split())
PUTS = frozenset(("PUT", "BINPUT", "LONG_BINPUT"))


class Stub:
    """An instance of some class that is not run: its name and its attributes."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.attributes: dict[str, Any] = {}

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            self.attributes.update((k, v) for k, v in state.items() if isinstance(k, str))


@dataclass(frozen=True, slots=True)
class Storage:
    """Numbers in the file under a key."""

    key: str
    dtype: str
    n_numbers: int
    itemsize: int

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("what was checked may not be changed")


@dataclass(frozen=True, slots=True)
class Piece:
    """A tensor as it is described: nothing of it is checked or read."""

    storage: Storage
    offset: int  # in numbers
    size: tuple[int, ...]
    stride: tuple[int, ...]

    def __setstate__(self, state: object) -> None:
        """A parameter of torch 0.3 brings flags with it, which do not matter here."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The pickled object, and where each storage's bytes lie in the file: (start, end)."""

    root: object
    bytes_of: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def read_checkpoint(data: mmap.mmap, place: str) -> Checkpoint:
    """What the file says. Raises `InputError` where it is no checkpoint or asks for anything else
    than tensors in modules; nothing has been carried out by then."""
    try:
        if data[:4] == b"PK\x03\x04":
            return _from_zip(data, place)
        return _from_legacy(data, place)
    except InputError:
        raise
    except Exception as error:  # the library manual promises no list of what a bad pickle raises
        what = f"not a model file of PyTorch's ({type(error).__name__})"
        raise InputError(place, what, RIGHT, kind="format") from None


def _from_zip(data: mmap.mmap, place: str) -> Checkpoint:
    mapped: Any = data  # reads, seeks and tells as ZipFile needs it, though its type does not say
    with zipfile.ZipFile(mapped) as archive:
        entries = archive.infolist()
    spans = {entry.filename: _span(data, entry, place) for entry in entries}
    if len(spans) < len(entries):
        raise InputError(place, "two files in it have one name", RIGHT, kind="conflict")
    folder = next((name.removesuffix("data.pkl") for name in spans if _is_pickle(name)), None)
    if folder is None:
        raise InputError(place, "the archive has no data.pkl", RIGHT, kind="format")
    order = spans.get(f"{folder}byteorder")
    if order is not None and data[slice(*order)] != b"little":
        raise InputError(place, "its numbers are not little-endian", RIGHT, kind="format")
    start, end = spans[f"{folder}data.pkl"]
    reader = _run(data, start, place, end)
    head = f"{folder}data/"
    bytes_of = {
        name.removeprefix(head): span for name, span in spans.items() if name.startswith(head)
    }
    return Checkpoint(reader.root, bytes_of)


def _is_pickle(name: str) -> bool:
    return name.count("/") == 1 and name.endswith("/data.pkl")


def _span(data: mmap.mmap, entry: zipfile.ZipInfo, place: str) -> tuple[int, int]:
    """Where an entry's bytes lie. torch packs nothing, so what is packed is a bomb or no model."""
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
        raise InputError(
            place, f"{entry.filename!r} in it is compressed or encrypted", RIGHT, kind="unsafe"
        )
    header = data[entry.header_offset : entry.header_offset + 30]
    n_name, n_extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:], "little")
    start = entry.header_offset + 30 + n_name + n_extra
    if header[:4] != b"PK\x03\x04" or start + entry.file_size > len(data):
        raise InputError(
            place, f"{entry.filename!r} in it leads out of the file", RIGHT, kind="unsafe"
        )
    return start, start + entry.file_size


def _from_legacy(data: mmap.mmap, place: str) -> Checkpoint:
    values: list[Any] = []
    position, model = 0, None
    for _ in range(5):  # magic number, protocol, system, the object, the keys of its storages
        reader = _run(data, position, place)
        values.append(reader.root)
        position = reader.end
        model = reader if len(values) == 4 else model
        if values[0] != MAGIC:
            raise InputError(place, "not a model file of PyTorch's", RIGHT, kind="format")
    if values[1] != PROTOCOL or not values[2].get("little_endian", False):
        raise InputError(place, "its numbers are not little-endian", RIGHT, kind="format")
    assert model is not None  # five values were read
    bytes_of: dict[str, tuple[int, int]] = {}
    for key in values[4]:
        storage = model.storages[key]
        n_numbers = int.from_bytes(data[position : position + 8], "little")
        start, position = position + 8, position + 8 + n_numbers * storage.itemsize
        if n_numbers != storage.n_numbers or position > len(data):
            raise InputError(
                place, "the file is cut off, or its sizes are wrong", RIGHT, kind="format"
            )
        bytes_of[key] = (start, position)
    return Checkpoint(values[3], bytes_of)


def _run(data: mmap.mmap, start: int, place: str, end: int | None = None) -> "_Reader":
    """The pickle that begins at `start`: looked through, then read."""
    stop = min(start + LONGEST, len(data) if end is None else end)
    program = data[start:stop]
    length = _looked_through(program, place)
    reader = _Reader(program[:length], place)
    reader.root = reader.load()
    reader.end = start + length
    return reader


def _looked_through(program: bytes, place: str) -> int:
    """The length of the pickle in bytes. Raises `InputError` at the first instruction or name that
    has no business in a model file."""
    for n_before, (instruction, argument, position) in enumerate(pickletools.genops(program)):
        name = instruction.name
        if name not in INSTRUCTIONS:
            raise InputError(
                place, f"the pickle uses {name}, which no model needs", RIGHT, kind="unsafe"
            )
        if name == "GLOBAL":
            module, _, attribute = str(argument).partition(" ")
            if _meant(module, attribute) is None:
                raise InputError(place, f"it would run {module}.{attribute}", RIGHT, kind="unsafe")
        if name in PUTS and int(str(argument)) > n_before:  # would make a table of that length
            raise InputError(place, f"the pickle counts to {argument}", RIGHT, kind="unsafe")
        if name == "STOP":
            return int(position or 0) + 1
    raise InputError(place, "the pickle has no end", RIGHT, kind="format")


def _meant(module: str, name: str) -> str | None:
    """What a name in a model file stands for; None for one that is refused."""
    whole = f"{module}.{name}"
    if whole in KNOWN:
        return KNOWN[whole]
    if module in ("torch", "torch.cuda") and name in STORAGES:
        return "storage"
    ours = module in ("model", "__main__") or name == "RNNModel"
    return "stub" if ours or module.startswith("torch.nn.modules.") else None


KNOWN = {
    "collections.OrderedDict": "dict",
    "__builtin__.set": "set",
    "builtins.set": "set",
    "torch.Size": "tuple",
    "torch._utils._rebuild_tensor": "tensor",
    "torch._utils._rebuild_tensor_v2": "tensor",
    "torch._utils._rebuild_parameter": "parameter",
    "torch.nn.parameter.Parameter": "parameter",  # torch 0.3
    "torch.nn.backends.thnn._get_thnn_function_backend": "stub",  # until torch 1.0
    "torch.backends.cudnn.rnn.Unserializable": "stub",  # dropout's state in torch 0.3
}


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that the pickle may call: what it stands for decides what the call makes."""

    whole: str
    meant: str

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("what was checked may not be changed")

    def __call__(self, *arguments: Any) -> object:
        if self.meant == "tensor":
            return _piece(*arguments)
        if self.meant == "parameter":
            return arguments[0]
        if self.meant == "stub":
            return Stub(self.whole)
        made: object = {"dict": OrderedDict, "set": set, "tuple": tuple}[self.meant](*arguments)
        return made


class _Reader(pickle.Unpickler):
    """Runs a pickle that has been looked through; it finds this module's names and no others."""

    def __init__(self, program: bytes, place: str) -> None:
        super().__init__(io.BytesIO(program), encoding="utf-8", errors="replace")
        self.place = place
        self.storages: dict[str, Storage] = {}
        self.root: Any = None
        self.end = 0

    def find_class(self, module: str, name: str) -> Any:
        meant = _meant(module, name)
        if meant is None:
            raise InputError(self.place, f"it would run {module}.{name}", RIGHT, kind="unsafe")
        if meant == "stub":
            return _stub_class(f"{module}.{name}")
        return _Name(f"{module}.{name}", meant)

    def persistent_load(self, pid: Any) -> Any:
        """`('storage', type, key, location, n, …)`, or `('module', class, file, source)`."""
        if pid[0] == "module":
            return pid[1]
        kind, key, n_numbers = pid[1], str(pid[2]), pid[4]
        dtype, itemsize = STORAGES[kind.whole.rpartition(".")[2]]
        views = pid[5:]  # of the older format: (None,), or the part of another storage
        if pid[0] != "storage" or type(n_numbers) is not int or any(views):
            raise ValueError("an unknown reference")
        return self.storages.setdefault(key, Storage(key, dtype, n_numbers, itemsize))


def _stub_class(whole: str) -> Any:
    """A class that takes any arguments and keeps none, for REDUCE and NEWOBJ alike."""

    class Named(Stub):
        def __init__(self, *arguments: object) -> None:
            super().__init__(whole)

        def __new__(cls, *arguments: object) -> "Named":
            made = super().__new__(cls)
            Stub.__init__(made, whole)
            return made

    return Named


def _piece(storage: object, offset: object, size: object, stride: object, *_: object) -> Piece:
    if not isinstance(storage, Storage) or type(offset) is not int:
        raise ValueError("a tensor without numbers")
    if not isinstance(size, tuple) or not isinstance(stride, tuple):
        raise ValueError("a tensor without a shape")
    if not all(type(each) is int and each >= 0 for each in (offset, *size, *stride)):
        raise ValueError("a tensor with a shape that is none")
    return Piece(storage, offset, size, stride)


def parameters(root: object) -> Iterator[tuple[str, object]]:
    """(name, what stands there) for every parameter under a module, names joined by dots."""
    waiting: list[tuple[str, object]] = [("", root)]
    seen: set[int] = set()
    while waiting:
        prefix, module = waiting.pop(0)
        if not isinstance(module, Stub) or id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in _mapping(module, "_parameters").items():
            yield f"{prefix}{name}", value
        for name, below in _mapping(module, "_modules").items():
            waiting.append((f"{prefix}{name}.", below))


def module_at(root: object, name: str) -> Stub | None:
    """The module called `name` under another one."""
    found = _mapping(root, "_modules").get(name)
    return found if isinstance(found, Stub) else None


def _mapping(module: object, name: str) -> Mapping[object, object]:
    found = module.attributes.get(name) if isinstance(module, Stub) else None
    return found if isinstance(found, dict) else {}
