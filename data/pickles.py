"""Read pickles as data, with Python's own unpickler but without running the programs in them.

A pickle is a program: it names functions and calls them, and a few bytes can ask for gigabytes.
Here each format lists the instructions that its files need; any other instruction is refused before
it is carried out. Names are looked up by the format's own `find_class` and never imported. Keys of
dictionaries must be strings or integers: a tuple that holds another tuple twice, which holds
another twice, and so on, takes for ever to hash. The pure-Python unpickler keeps its memo in a
dictionary, so that a huge index costs nothing (the one in C makes a table of that length).
"""

import io
import pickle
import pickletools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

CODE_OF_NAME = {opcode.name: ord(opcode.code) for opcode in pickletools.opcodes}
NAME_OF_CODE = {code: name for name, code in CODE_OF_NAME.items()}


class PickleRefused(Exception):
    """The error for a pickle that asks for something that its format does not need."""


class PickleSteps(dict[int, Callable[[Any], None]]):
    """The instructions that a format allows: code → the function that carries it out."""

    def __missing__(self, code: int) -> NoReturn:
        raise PickleRefused(
            f"it has the instruction {NAME_OF_CODE.get(code, f'{code:#04x}, which there is not')}"
        )


class PickledData(pickle._Unpickler):
    """An unpickler of bytes. The subclass of a format sets `dispatch` to its `allowed_steps`."""

    def __init__(self, content: bytes) -> None:
        self.stream = io.BytesIO(content)
        super().__init__(self.stream, encoding="utf-8", errors="replace")

    def find_class(self, module: str, name: str) -> Any:
        raise PickleRefused(f"it would run {module}.{name}")


def allowed_steps(instructions: str, **others: Callable[[Any], None]) -> PickleSteps:
    """Return a table of allowed instructions.

    Those named in `instructions`, with blanks between them, do what they do in any pickle; each of
    `others` does what its function says.
    """
    handlers = {"SETITEM": _set_item, "SETITEMS": _set_items, "DICT": _dictionary, **others}
    return PickleSteps({
        CODE_OF_NAME[name]: handlers.get(name, pickle._Unpickler.dispatch[CODE_OF_NAME[name]])
        for name in (*instructions.split(), *others)
    })  # fmt: skip


def to_dictionary(items: Sequence[Any]) -> dict[str | int, Any]:
    """Return a dictionary of `items`: key, value, key, value …. Refuse keys of other types."""
    if len(items) % 2 or any(type(key) not in (str, int) for key in items[::2]):
        raise PickleRefused("a key in it is no text, or has no value")
    return dict(zip(items[::2], items[1::2], strict=True))


def _set_item(machine: Any) -> None:
    """Carry out SETITEM: take a key and a value off the stack and add them to the dictionary."""
    value = machine.stack.pop()
    _add_items(machine, [machine.stack.pop(), value])


def _set_items(machine: Any) -> None:
    """Carry out SETITEMS: do so for all keys and values down to the last mark on the stack."""
    _add_items(machine, machine.pop_mark())


def _add_items(machine: Any, items: Sequence[Any]) -> None:
    """Add `items` (key, value, key, value …) to the dictionary on top of the unpickler's stack."""
    if not isinstance(machine.stack[-1], dict):
        raise PickleRefused("it adds to something that is no dictionary")
    machine.stack[-1].update(to_dictionary(items))


def _dictionary(machine: Any) -> None:
    """Carry out DICT: replace the keys and values down to the last mark by one dictionary."""
    items = machine.pop_mark()  # first: it changes the list that `append` appends to
    machine.append(to_dictionary(items))
