"""Pickles of strings in tuples, lists and one dictionary, read as data (`data/pickles.py`)."""

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened, write_whole_bytes
from colorless_green.data.pickles import PickledData, Refused, steps

LARGEST = 1 << 26  # bytes unpacked; the largest of Marvin and Linzen's has 3 MiB
MOST = 1 << 21  # members of all lists together: texts in a list may be shared without end
LONGEST = 1 << 28  # characters of all members together, for the same reason
WIDEST = 1_000  # texts of a member, likewise
PROTOCOL = 2
RIGHT = "a dictionary of lists of tuples of texts, and nothing else"

Members: TypeAlias = tuple[str, ...]


class _Texts(PickledData):
    """Texts, tuples, lists and dictionaries."""

    dispatch = steps("""
        PROTO FRAME STOP MARK POP POP_MARK STRING UNICODE BINSTRING SHORT_BINSTRING BINUNICODE
        SHORT_BINUNICODE BINUNICODE8 EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST LIST APPEND
        APPENDS EMPTY_DICT DICT SETITEM SETITEMS PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET
        LONG_BINGET
    """)

    def _decode_string(self, raw: bytes) -> str:
        """The text of a Python 2 string."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("latin-1")


def read_pickle(path: Path) -> dict[str, list[Members]]:
    """The lists of a pickle by their keys, in its order. Bytes of Python 2 are UTF-8 or Latin-1.

    Raises `InputError` for any other pickle: another instruction (a class, a call, a number),
    other types, more than LARGEST bytes or MOST members, and a pickle that is cut off.
    """
    with opened(path) as stream:
        content = stream.read(LARGEST + 1)
    try:
        if len(content) > LARGEST:
            raise Refused(f"it has more than {LARGEST >> 20} MiB")
        return _checked(_Texts(content).load())
    except Refused as error:
        wrong = f"a pickle that is refused: {error}"
        raise InputError(str(path), wrong, RIGHT, kind="unsafe") from None
    except Exception as error:  # the library manual promises no list of what a bad pickle raises
        wrong = f"a pickle that is refused: it is broken ({type(error).__name__})"
        raise InputError(str(path), wrong, RIGHT, kind="unsafe") from None


def write_pickle(path: Path, members: Mapping[str, Sequence[Members]]) -> None:
    """Lists by their keys as a pickle of Python 2's newest protocol; a text that comes again is
    one object, so that the same lists are the same bytes."""
    seen: dict[str, str] = {}
    content = {
        seen.setdefault(key, key): [
            tuple(seen.setdefault(t, t) for t in own) for own in members[key]
        ]
        for key in members
    }
    with write_whole_bytes(path) as stream:
        stream.write(pickle.dumps(content, PROTOCOL))


def _checked(value: Any) -> dict[str, list[Members]]:
    if type(value) is not dict:
        raise Refused(f"it holds a {type(value).__name__}")
    n_members = n_characters = 0
    for key, members in value.items():
        if type(key) is not str or type(members) is not list:
            raise Refused(f"{key!r:.40} is a {type(members).__name__}")
        n_members += len(members)
        if n_members > MOST:
            raise Refused(f"it has more than {MOST:,} members")
        for member in members:
            if type(member) is not tuple or len(member) > WIDEST or set(map(type, member)) - {str}:
                raise Refused(f"{key!r:.40} has a member that is no tuple of texts")
            n_characters += sum(map(len, member))
        if n_characters > LONGEST:
            raise Refused(f"it has more than {LONGEST:,} characters")
        "".join(text for member in members for text in member).encode()  # no half of a surrogate
    return value
