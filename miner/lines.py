"""A CoNLL-U file as lines: sentence by sentence, cut into spans, searched. Nothing is parsed."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened
from colorless_green.miner.features import parse_feats

CHUNK = 1 << 16  # bytes; larger ones leave the processor's cache, smaller ones cost more calls
BLOCK = 1 << 20  # bytes; for counting lines, where nothing is kept
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CARRIAGE_RETURNS = re.compile(r"\r+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a file that begins and ends between two sentences."""

    start: int  # offset of its first byte
    end: int  # offset after its last byte; may lie beyond the end of the file
    first_line: int  # number of its first line in the file, from 1


WHOLE = Span(0, sys.maxsize, 1)


def line_groups(path: Path, span: Span) -> Iterator[tuple[int, list[str], bool]]:
    """(number of the first line, lines between two empty lines, whether they are known to be UTF-8
    without NUL). Bytes that are not UTF-8 come as lone surrogates."""
    waiting: list[str] = []
    line = span.first_line
    sound = True
    for chunk in _chunks(path, span):
        try:
            text = chunk.decode()
        except UnicodeDecodeError:
            text = chunk.decode(errors="surrogateescape")
            sound = False  # from here on, every sentence is looked at closely
        if "\0" in text:
            sound = False
        if "\r" in text:
            text = CARRIAGE_RETURNS.sub("", text)
        lines = text.removesuffix("\n").split("\n")
        if "" not in lines:  # no sentence ends here, unless at blank lines made of spaces
            lines = ["" if each.isspace() else each for each in lines]
        start, end = 0, len(waiting)
        lines = [*waiting, *lines, ""]  # the last one stops the search
        while (end := lines.index("", end)) < len(lines) - 1:
            if end > start:
                yield line + start, lines[start:end], sound
            end += 1
            start = end
        waiting = lines[start:-1]
        line += start
    if waiting:
        yield line, waiting, sound


def _chunks(path: Path, span: Span) -> Iterator[bytes]:
    """The bytes of a span, less a byte order mark, in pieces of whole lines."""
    with opened(path) as stream:
        position = span.start
        if position:
            stream.seek(position)
        while position < span.end and (chunk := stream.read(min(CHUNK, span.end - position))):
            if not chunk.endswith(b"\n"):
                chunk += stream.readline()
            yield _first_chunk(path, chunk) if position == 0 else chunk
            position += len(chunk)


def _first_chunk(path: Path, chunk: bytes) -> bytes:
    """The file's first lines without byte order mark, if they can begin a CoNLL-U file."""
    chunk = chunk.removeprefix(BYTE_ORDER_MARK)
    if chunk.lstrip()[:1] == b"<":
        raise InputError(
            f"{path}:1", "this looks like HTML or XML", "a CoNLL-U file", kind="format"
        )
    return chunk


def spans(path: Path, n_bytes: int) -> list[Span]:
    """A file cut into spans of at least `n_bytes` bytes, in order (only the last may be shorter).

    Cuts stand below blank lines; so sentence by sentence the spans hold what the file holds. A
    file whose name ends in `.gz`, or that is no longer than `n_bytes`, is one span: `WHOLE`.
    """
    if path.suffix == ".gz":
        return [WHOLE]
    found: list[Span] = []
    start, line = 0, 1
    with opened(path) as stream:
        while True:
            n_lines = _to_blank_line(stream, n_bytes)
            end = stream.tell()
            if end == start:
                break
            found.append(Span(start, end, line))
            start, line = end, line + n_lines
    return found if len(found) > 1 else [WHOLE]


def _to_blank_line(stream: BinaryIO, n_bytes: int) -> int:
    """Moves below the first blank line that begins after `n_bytes` bytes, or to the end; the
    number of line ends passed."""
    n_lines = 0
    left = n_bytes
    while left > 0 and (block := stream.read(min(BLOCK, left))):
        n_lines += block.count(b"\n")
        left -= len(block)
    n_lines += stream.readline().count(b"\n")  # the line in which the last block ended
    for text in stream:
        n_lines += text.count(b"\n")
        if not text.strip():
            break
    return n_lines


def lines_with(path: Path, needle: bytes, span: Span = WHOLE) -> Iterator[bytes]:
    """The lines of a span (`.gz` is unpacked) that hold `needle`, in order, without line ends.

    Nothing is parsed or checked.
    """
    for chunk in _chunks(path, span):
        found = chunk.find(needle)
        while found >= 0:
            start = chunk.rfind(b"\n", 0, found) + 1
            end = chunk.find(b"\n", found)
            end = end if end >= 0 else len(chunk)
            yield chunk[start:end].rstrip(b"\r")
            found = chunk.find(needle, end)


def distinct_feats(path: Path, holding: str, span: Span = WHOLE) -> Iterator[str]:
    """The distinct FEATS of a span's rows that hold a text (`Tense=Pres`), in the order first seen.

    For a first look, before anything is read: rows of faulty sentences, ranges and empty nodes are
    among them; FEATS that do not parse are not.
    """
    needle = holding.encode()
    seen: set[bytes] = set()
    for line in lines_with(path, needle, span):
        feats = line.split(b"\t", 6)[5:6]
        if line.startswith(b"#") or not feats or needle not in feats[0] or feats[0] in seen:
            continue
        seen.add(feats[0])
        try:
            parse_feats(text := feats[0].decode())
        except ValueError:
            continue
        yield text
