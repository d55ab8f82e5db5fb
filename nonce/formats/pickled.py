"""Pickles of strings in tuples, lists and one dictionary, read without unpickling.

A pickle is a program. Python's own `Unpickler` runs it, and forbidding it to look up classes does
not make it tame: a few bytes can still ask it for gigabytes (the index of a PUT), or nest a tuple
in itself so often that hashing it never ends. Here the instructions that build texts, tuples and
lists of texts, and a dictionary of such lists are carried out, each with its types checked, and
every other is refused by name before anything of it is done. What is built can be no deeper than
dictionary, list, tuple, text, and no larger than the bounds below.
Instructions as in `pickletools` of the standard library, protocols 0 to 5.
"""

from codecs import escape_decode
from collections.abc import Callable, Mapping
from pathlib import Path
from pickletools import opcodes
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened

LARGEST = 1 << 26  # bytes unpacked; the largest of Marvin and Linzen's has 3 MiB
MOST = 1 << 21  # members of all lists together: texts in a list may be shared without end
LONGEST = 1 << 28  # characters of all members together, for the same reason
RIGHT = "a dictionary of lists of tuples of texts, and nothing else"

Members: TypeAlias = tuple[str, ...]
_Argument: TypeAlias = Callable[["_Machine"], Any]


class _Refused(Exception):
    """What is wrong with the pickle."""


_MARK = object()


class _Machine:
    """The stack and memo of a pickle that is being read."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def take(self, n_bytes: int) -> bytes:
        end = self.at + n_bytes
        if end > len(self.content):
            raise _Refused("it is cut off")
        taken, self.at = self.content[self.at : end], end
        return taken

    def line(self) -> bytes:
        end = self.content.find(b"\n", self.at)
        if end < 0:
            raise _Refused("it is cut off")
        taken, self.at = self.content[self.at : end], end + 1
        return taken

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise _Refused("it takes from an empty stack")
        return self.stack.pop()

    def since_mark(self) -> list[Any]:
        for start in range(len(self.stack) - 1, -1, -1):
            if self.stack[start] is _MARK:
                found = self.stack[start + 1 :]
                del self.stack[start:]
                return found
        raise _Refused("a mark is missing")

    def top(self, kind: type) -> Any:
        if not self.stack or type(self.stack[-1]) is not kind:
            raise _Refused(f"it adds to something that is no {kind.__name__}")
        return self.stack[-1]

    def keep(self, index: int) -> None:
        if not self.stack or self.stack[-1] is _MARK:
            raise _Refused("it remembers what is not there")
        self.memo[index] = self.stack[-1]

    def recall(self, index: int) -> None:
        if index not in self.memo:
            raise _Refused("it recalls what it did not remember")
        self.stack.append(self.memo[index])


def read_pickle(path: Path) -> dict[str, list[Members]]:
    """The lists of a pickle by their keys, in its order. Bytes of Python 2 are UTF-8 or Latin-1.

    Raises `InputError` for any other pickle: another instruction (a class, a call, a number),
    other types, more than LARGEST bytes or MOST members, and a pickle that is cut off.
    """
    with opened(path) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InputError(
            str(path), f"a pickle of more than {LARGEST >> 20} MiB", RIGHT, kind="unsafe"
        )
    try:
        return _checked(_run(_Machine(content)))
    except _Refused as error:
        raise InputError(
            str(path), f"a pickle that is refused: {error}", RIGHT, kind="unsafe"
        ) from None


def _run(machine: _Machine) -> Any:
    content, length = machine.content, len(machine.content)
    while machine.at < length:
        code = content[machine.at]
        machine.at += 1
        step = STEPS.get(code)
        if step is None:
            raise _Refused(f"it has the instruction {_name(code)}")
        if step is _stop:
            return machine.pop()
        step(machine)
    raise _Refused("it is cut off")


def _name(code: int) -> str:
    known = (each.name for each in opcodes if ord(each.code) == code)
    return next(known, f"{code:#04x}, which there is not")


def _checked(value: Any) -> dict[str, list[Members]]:
    if type(value) is not dict:
        raise _Refused(f"it holds a {type(value).__name__}")
    n_members = n_characters = 0
    for key, members in value.items():
        if type(members) is not list:
            raise _Refused(f"{key!r:.40} is a {type(members).__name__}")
        n_members += len(members)
        if n_members > MOST:
            raise _Refused(f"it has more than {MOST:,} members")
        for member in members:
            if type(member) is not tuple:
                raise _Refused(f"{key!r:.40} has a member that is a {type(member).__name__}")
            n_characters += sum(map(len, member))
        if n_characters > LONGEST:
            raise _Refused(f"it has more than {LONGEST:,} characters")
    return dict(value)


def _decoded(raw: bytes) -> str:
    """The text of a Python 2 string."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused("a text in it is not UTF-8") from None


def _quoted(machine: _Machine) -> str:
    """The text of STRING: a literal of Python 2 with its quotes and escapes."""
    line = machine.line().strip()
    if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
        raise _Refused("a text in it has no quotes")
    try:
        return _decoded(escape_decode(line[1:-1])[0])
    except ValueError:
        raise _Refused("a text in it has a broken escape") from None


def _escaped(machine: _Machine) -> str:
    """The text of UNICODE."""
    try:
        return machine.line().decode("raw-unicode-escape")
    except UnicodeDecodeError:
        raise _Refused("a text in it has a broken escape") from None


def _integer(machine: _Machine) -> int:
    """The index of PUT and GET."""
    line = machine.line()
    if not line.isdigit() or len(line) > 18:
        raise _Refused("an index in it is no number")
    return int(line)


def _sized(n_bytes: int) -> _Argument:
    """How the unsigned number of so many bytes is read."""
    return lambda machine: int.from_bytes(machine.take(n_bytes), "little")


def _counted(n_bytes: int, decode: Callable[[bytes], str]) -> _Argument:
    """How a text behind its length in bytes is read."""
    size = _sized(n_bytes)
    return lambda machine: decode(machine.take(size(machine)))


def _pushed(argument: _Argument) -> Callable[[_Machine], None]:
    return lambda machine: machine.stack.append(argument(machine))


def _remembered(argument: _Argument) -> Callable[[_Machine], None]:
    return lambda machine: machine.keep(argument(machine))


def _recalled(argument: _Argument) -> Callable[[_Machine], None]:
    return lambda machine: machine.recall(argument(machine))


def _tuple_of(n: int) -> Callable[[_Machine], None]:
    def build(machine: _Machine) -> None:
        members = [machine.pop() for _ in range(n)]
        machine.stack.append(_texts(members[::-1]))

    return build


def _texts(members: list[Any]) -> tuple[str, ...]:
    if any(type(each) is not str for each in members):
        raise _Refused("a tuple in it holds something else than texts")
    return tuple(members)


def _append(machine: _Machine) -> None:
    _extend(machine, [machine.pop()])


def _extend(machine: _Machine, members: list[Any]) -> None:
    if any(type(each) is not tuple for each in members):
        raise _Refused("a list in it holds something else than tuples")
    machine.top(list).extend(members)


def _set_item(machine: _Machine) -> None:
    value = machine.pop()
    _set_items(machine, [machine.pop(), value])


def _set_items(machine: _Machine, pairs: list[Any]) -> None:
    found: dict[str, Any] = machine.top(dict)
    if len(pairs) % 2:
        raise _Refused("a key in it has no value")
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if type(key) is not str or type(value) is not list:
            raise _Refused("its dictionary holds something else than lists under texts")
        found[key] = value


def _dictionary(machine: _Machine) -> None:
    pairs = machine.since_mark()
    machine.stack.append({})
    _set_items(machine, pairs)


def _list(machine: _Machine) -> None:
    members = machine.since_mark()
    machine.stack.append([])
    _extend(machine, members)


def _stop(machine: _Machine) -> None:
    """Known by itself: the loop ends at it."""


STEPS: Mapping[int, Callable[[_Machine], None]] = {
    ord(code): step
    for code, step in {
        "\x80": lambda machine: None if machine.take(1)[0] <= 5 else _protocol(),
        "\x95": lambda machine: machine.take(8),  # FRAME: says how much follows
        "(": lambda machine: machine.stack.append(_MARK),
        ".": _stop,
        "0": lambda machine: machine.pop(),
        "1": lambda machine: machine.since_mark(),
        "S": _pushed(_quoted),
        "V": _pushed(_escaped),
        "T": _pushed(_counted(4, _decoded)),
        "U": _pushed(_counted(1, _decoded)),
        "X": _pushed(_counted(4, _utf8)),
        "\x8c": _pushed(_counted(1, _utf8)),
        "\x8d": _pushed(_counted(8, _utf8)),
        ")": _pushed(lambda machine: ()),
        "t": lambda machine: machine.stack.append(_texts(machine.since_mark())),
        "\x85": _tuple_of(1),
        "\x86": _tuple_of(2),
        "\x87": _tuple_of(3),
        "]": _pushed(lambda machine: []),
        "l": _list,
        "a": _append,
        "e": lambda machine: _extend(machine, machine.since_mark()),
        "}": _pushed(lambda machine: {}),
        "d": _dictionary,
        "s": _set_item,
        "u": lambda machine: _set_items(machine, machine.since_mark()),
        "p": _remembered(_integer),
        "q": _remembered(_sized(1)),
        "r": _remembered(_sized(4)),
        "\x94": _remembered(lambda machine: len(machine.memo)),
        "g": _recalled(_integer),
        "h": _recalled(_sized(1)),
        "j": _recalled(_sized(4)),
    }.items()
}


def _protocol() -> None:
    raise _Refused("its protocol is newer than 5")
