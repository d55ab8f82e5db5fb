"""Read a CoNLL-U file as lines, sentence by sentence, and cut it into spans; parse nothing."""

import codecs
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.opening import as_utf8, open_unpacked

CHUNK_BYTES = 1 << 16  # larger ones leave the processor's cache, smaller ones cost more calls
BLOCK_BYTES = 1 << 20  # read at a time to count lines
MAX_SENTENCE_BYTES = 1 << 24  # without a blank line: 280 times the longest of 58 treebanks
N_HEAD_BYTES = 1 << 13  # bytes from which the type of a file is recognised
ZIP_MARK = b"PK\3\4"  # the first bytes of a ZIP archive
TAR_MARK = b"ustar"  # at byte 257 of a tar archive
BYTE_ORDER_MARKS = re.compile("^\ufeff+", re.MULTILINE)
CARRIAGE_RETURNS = re.compile(r"\r+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file that begins and ends between two sentences."""

    start: int  # offset of its first byte
    end: int  # offset after its last byte; may lie beyond the end of the file
    first_line: int  # number of its first line in the file, from 1


WHOLE_FILE = Span(0, sys.maxsize, 1)


def line_groups(path: Path, span: Span) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the stretches of lines between two blank lines in a span of a file.

    Each comes as (number of its first line, its lines, whether they are known to be UTF-8 without
    NUL). Bytes that are not UTF-8 become lone surrogates.
    """
    waiting: list[str] = []  # lines of a sentence whose end has not been read
    line = span.first_line  # number of the first line of `waiting`
    is_clean = True
    n_waiting = 0  # roughly the bytes in `waiting`
    for chunk in _chunks(path, span):
        try:
            text = chunk.decode()
        except UnicodeDecodeError:
            text = chunk.decode(errors="surrogateescape")
            is_clean = False  # from here on, every sentence is checked line by line
        if "\0" in text:
            is_clean = False
        if "\r" in text:
            text = CARRIAGE_RETURNS.sub("", text)
        if "\ufeff" in text:  # files may have been joined
            text = BYTE_ORDER_MARKS.sub("", text)
        lines = text.removesuffix("\n").split("\n")
        if any(map(str.isspace, lines)):
            lines = ["" if row.isspace() else row for row in lines]
        if "" not in lines:  # no sentence ends here
            waiting += lines
            if (n_waiting := n_waiting + len(chunk)) > MAX_SENTENCE_BYTES:
                raise _too_long(path)
            continue
        n_waiting = len(chunk)
        start, end = 0, len(waiting)  # of a sentence in `lines`; none ends inside `waiting`
        lines = [*waiting, *lines, ""]  # the last "" stops the search below
        while (end := lines.index("", end)) < len(lines) - 1:  # the next empty line
            if end > start:
                yield line + start, lines[start:end], is_clean
            end += 1
            start = end
        waiting = lines[start:-1]
        line += start
    if waiting:
        yield line, waiting, is_clean


def _chunks(path: Path, span: Span) -> Iterator[bytes]:
    """Yield the bytes of a span in pieces of whole lines, as UTF-8.

    Raises `InputError` for a line that is longer than any sentence can be.
    """
    with _utf8_stream(path) as stream:
        position = span.start
        if position:
            stream.seek(position)
        while position < span.end and (chunk := stream.read(min(CHUNK_BYTES, span.end - position))):
            if not chunk.endswith(b"\n"):
                chunk += stream.readline(MAX_SENTENCE_BYTES)
                if len(chunk) > MAX_SENTENCE_BYTES:
                    raise _too_long(path)
            yield chunk
            position += len(chunk)


def _too_long(path: Path) -> InputError:
    """Return the error for a file in which no blank line ends a sentence."""
    wrong = f"no sentence ends within {MAX_SENTENCE_BYTES >> 20} MB"
    return InputError(str(path), wrong, "a blank line below each sentence", kind="unsafe")


@contextmanager
def _utf8_stream(path: Path) -> Iterator[Any]:
    """Open a file as a stream of UTF-8 bytes with LF line ends, unpacked and recoded if need be.

    The stream has the methods of a binary file; it is an `io.BufferedReader` if the bytes are those
    of the file itself. Raises `InputError` if its first bytes show that it cannot be CoNLL-U.
    """
    with open_unpacked(path) as stream:
        head = stream.peek(N_HEAD_BYTES)  # type: ignore[attr-defined]
        if head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"<":
            wrong = "this looks like HTML or XML"
            raise InputError(f"{path}:1", wrong, "a CoNLL-U file", kind="format")
        if head.startswith(ZIP_MARK) or head[257:262] == TAR_MARK:
            wrong, right = "an archive (ZIP or tar)", "unpack it and name the folder"
            raise InputError(str(path), wrong, right, kind="unsupported")
        with as_utf8(stream, path) as utf8_stream:
            yield utf8_stream


def spans(path: Path, n_bytes: int) -> list[Span]:
    """Cut a file into spans of at least `n_bytes` bytes, in order (only the last may be shorter).

    Cuts follow blank lines, so that no sentence is cut. A file is one span, `WHOLE_FILE`, if it is
    packed, has to be recoded, or is no longer than `n_bytes`.
    """
    pieces: list[Span] = []
    start, line = 0, 1  # offset and line number at which the next span begins
    with _utf8_stream(path) as stream:
        if not isinstance(stream, io.BufferedReader):  # packed or recoded: offsets mean nothing
            return [WHOLE_FILE]
        while True:
            n_lines, n_left = 0, n_bytes  # line ends so far; bytes until the span may end
            while n_left > 0 and (block := stream.read(min(BLOCK_BYTES, n_left))):
                n_lines += block.count(b"\n")
                n_left -= len(block)
            n_lines += stream.readline().count(b"\n")  # the rest of the line that a block cut
            for row in stream:  # go on to the next blank line
                n_lines += row.count(b"\n")
                if not row.strip():
                    break
            end = stream.tell()
            if end == start:
                break
            pieces.append(Span(start, end, line))
            start, line = end, line + n_lines
    return pieces if len(pieces) > 1 else [WHOLE_FILE]
