"""Where in a TOML file something stands: the standard library's reader does not say."""

import re
from dataclasses import dataclass

HEADER = re.compile(r"""\s*\[\[?\s*([\w."'\s-]+?)\s*\]\]?\s*(?:#.*)?""")
KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w-]+)\s*[=.]""")


@dataclass(frozen=True, slots=True)
class Source:
    """A TOML file's name and lines."""

    path: str
    lines: tuple[str, ...]


def place(source: Source, *keys: str, number: int = 0, shows: str = "") -> str:
    """`path:line` (from 1) of a key, given as its table's names and its own.

    `number` counts tables of the same name (`[[sandhi]]`) from 0. `shows`: the first line from the
    key on in which this text stands, so that an element of a long array is found. What cannot be
    found by reading line by line falls back to the nearest key or header above it.
    """
    best, line = 0, 1
    for depth in range(len(keys) + 1):
        header = _header(source, keys[:depth], number)
        if header is None:
            continue
        found, at = _keys_below(source, header, keys[depth:])
        if depth + found >= best:
            best, line = depth + found, at
    if shows:
        line = next(
            (n for n in range(line, len(source.lines) + 1) if shows in source.lines[n - 1]), line
        )
    return f"{source.path}:{line}"


def _header(source: Source, names: tuple[str, ...], number: int) -> int | None:
    """Line of the header of a table; 0 for the part of the file before any header."""
    if not names:
        return 0
    wanted = ".".join(names)
    lines = [
        at
        for at, line in enumerate(source.lines, start=1)
        if (match := HEADER.fullmatch(line)) and re.sub(r"[\s\"']", "", match[1]) == wanted
    ]
    return lines[number] if number < len(lines) else None


def _keys_below(source: Source, header: int, keys: tuple[str, ...]) -> tuple[int, int]:
    """How many of `keys` (0 or 1) are found between a header and the next, and the line."""
    for at, line in enumerate(source.lines[header:], start=header + 1):
        if HEADER.fullmatch(line):
            break
        match = KEY.match(line)
        if keys and match and match[1].strip("\"'") == keys[0]:
            return 1, at
    return 0, max(header, 1)
