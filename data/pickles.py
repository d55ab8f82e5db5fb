"""Pickles read as data: Python's own unpickler without what makes a pickle a program.

A pickle is a program: it names functions and calls them, and a few bytes can ask for gigabytes.
Here each format lists the instructions that its files need; the first that is not listed is refused
before it is carried out. Names are looked up by the format's own `find_class`, never imported. Keys
of dictionaries must be strings or integers, since hashing a tuple that holds another one twice, and
so on, never ends. The memo is a dictionary, so a huge index costs nothing (Python's unpickler in C
makes a table of that length).
"""

import io
import pickle
import pickletools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

CODES = {opcode.name: ord(opcode.code) for opcode in pickletools.opcodes}
NAMES = {code: name for name, code in CODES.items()}


class PickleRefused(Exception):
    """The error for a pickle that asks for what its format does not need."""


class PickleSteps(dict[int, Callable[[Any], None]]):
    """A table of the allowed instructions: code → the function that carries it out."""

    def __missing__(self, code: int) -> NoReturn:
        raise PickleRefused(
            f"it has the instruction {NAMES.get(code, f'{code:#04x}, which there is not')}"
        )


class PickledData(pickle._Unpickler):
    """An unpickler of bytes. A format's subclass sets `dispatch` to the `steps` it allows."""

    def __init__(self, content: bytes) -> None:
        self.stream = io.BytesIO(content)
        super().__init__(self.stream, encoding="utf-8", errors="replace")

    def find_class(self, module: str, name: str) -> Any:
        raise PickleRefused(f"it would run {module}.{name}")


def steps(instructions: str, **others: Callable[[Any], None]) -> PickleSteps:
    """Return the table of the named instructions and of `others`, which do something else."""
    handlers = {"SETITEM": _set_item, "SETITEMS": _set_items, "DICT": _dictionary, **others}
    return PickleSteps({
        CODES[name]: handlers.get(name, pickle._Unpickler.dispatch[CODES[name]])
        for name in (*instructions.split(), *others)
    })  # fmt: skip


def paired(items: Sequence[Any]) -> dict[str | int, Any]:
    """Return a dictionary of keys and values that are given in turn."""
    if len(items) % 2 or any(type(key) not in (str, int) for key in items[::2]):
        raise PickleRefused("a key in it is no text, or has no value")
    return dict(zip(items[::2], items[1::2], strict=True))


def _set_item(machine: Any) -> None:
    value = machine.stack.pop()
    _update(machine, [machine.stack.pop(), value])


def _set_items(machine: Any) -> None:
    _update(machine, machine.pop_mark())


def _update(machine: Any, items: Sequence[Any]) -> None:
    if not isinstance(machine.stack[-1], dict):
        raise PickleRefused("it adds to something that is no dictionary")
    machine.stack[-1].update(paired(items))


def _dictionary(machine: Any) -> None:
    items = machine.pop_mark()  # changes what `append` appends to
    machine.append(paired(items))
