"""Open files for reading: unpack packed ones, and recode text that is not UTF-8 with LF line ends.

Such text is UTF-16, which Windows calls Unicode, and text with the line ends of old Excel (CR).
"""

import bz2
import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .errors import ErrorKind, InputError

UTF_16 = {  # first bytes of UTF-16 files: a byte order mark, or the first character of CoNLL-U
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"#\0": "utf-16-le",
    b"\0#": "utf-16-be",
    b"1\0": "utf-16-le",
    b"\0001": "utf-16-be",
}
HEAD_BYTES = 1 << 16  # at a file's beginning; by these its format is recognised
GZIP, BZIP2 = b"\x1f\x8b", b"BZh"  # in bzip2 a digit and the digits of π follow
BZIP2_BLOCK = b"1AY&"
OTHER_PACKINGS = {  # first bytes of a file that is not unpacked here → the program that packed it
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
}


@contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked if they are gzip or bzip2, whatever its name.

    Raises `InputError` if the file is missing, is a folder, cannot be read, or is packed in another
    way; and, also while it is being read, if its packed data are broken or cut off.
    """
    try:
        with open(path, "rb") as stream:
            head = stream.peek(8)[:8]  # `peek` may return more
            for start, program in OTHER_PACKINGS.items():
                if head.startswith(start):
                    wrong = f"packed with {program}, which is not read here"
                    raise InputError(str(path), wrong, "unpack it", kind="unsupported")
            if head.startswith(GZIP):
                yield gzip.GzipFile(fileobj=stream)  # type: ignore[misc]  # reads like a BinaryIO
            elif head.startswith(BZIP2) and head[4:] == BZIP2_BLOCK:
                yield bz2.BZ2File(stream)  # type: ignore[misc]
            else:
                yield stream
    except (OSError, EOFError, zlib.error) as error:
        wrong, right, kind = _read_fault(error)
        raise InputError(str(path), wrong, right, kind=kind) from None


def _read_fault(error: Exception) -> tuple[str, str, ErrorKind]:
    """Return for a file that cannot be read what is wrong, what would be right, and the kind."""
    match error:
        case FileNotFoundError():
            return "there is no such file", "the path of a file", "missing"
        case IsADirectoryError():
            return "this is a folder", "the path of a file", "unreadable"
        case EOFError():
            return "the packed file is cut off", "download it again", "format"
        case gzip.BadGzipFile() | zlib.error():
            return f"not a whole packed file ({error})", "download it again", "format"
    reason = getattr(error, "strerror", None) or error
    return f"cannot be read ({reason})", "a file you may read", "unreadable"


@contextmanager
def open_utf8(path: Path) -> Iterator[BinaryIO]:
    """Open a text file for reading bytes in UTF-8, as `open_unpacked` and `as_utf8` make them."""
    with open_unpacked(path) as stream, as_utf8(stream, path) as utf8_stream:
        yield utf8_stream


def head_of(path: Path) -> bytes:
    """Return the first bytes of a text file, recoded to UTF-8; formats are recognised by them."""
    with open_utf8(path) as stream:
        return stream.read(HEAD_BYTES)


def head_text(raw: bytes) -> str:
    """Return the bytes that `head_of` returned as text, without a byte order mark."""
    return raw.decode("utf-8", errors="replace").removeprefix("\ufeff")


@contextmanager
def as_utf8(stream: Any, path: Path) -> Iterator[BinaryIO]:
    """Yield the stream of a text file's bytes as one of UTF-8 with LF line ends.

    Only UTF-16, and text whose lines all end in CR, are recoded. Raises `InputError` for broken
    UTF-16, also while it is being read.
    """
    head = stream.peek(HEAD_BYTES)
    encoding = next((name for start, name in UTF_16.items() if head.startswith(start)), "")
    if b"\r" in head and b"\n" not in head:  # lines that end in CR
        encoding = encoding or "utf-8"
    try:
        yield _Recoded(stream, encoding) if encoding else stream  # type: ignore[misc]
    except UnicodeDecodeError:
        wrong, right = "it is not UTF-16 to its end", "save the file as UTF-8"
        raise InputError(str(path), wrong, right, kind="unreadable") from None


class _Recoded:
    """A stream of bytes that turns text of another encoding, or with CR, into UTF-8 with LF."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        # bytes that are not UTF-8 stay as they are; `files.decode_utf8` reports their line
        errors = "surrogateescape" if encoding == "utf-8" else "strict"
        self.text = io.TextIOWrapper(stream, encoding, errors, newline=None)

    def read(self, n: int = -1) -> bytes:
        return self.text.read(n).encode(errors="surrogateescape")

    def readline(self, n: int = -1) -> bytes:
        return self.text.readline(n).encode(errors="surrogateescape")

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")
