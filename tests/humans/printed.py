"""The text of a PDF that Chromium printed, as far as a test needs it: what is painted, not what is
clipped or hidden."""

import re
import zlib
from collections.abc import Iterator
from unicodedata import normalize

OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"stream\n(.*)\nendstream", re.DOTALL)
UNICODE = re.compile(rb"/ToUnicode (\d+) 0 R")
RANGES = re.compile(rb"beginbfrange\n(.*?)endbfrange", re.DOTALL)
SINGLES = re.compile(rb"beginbfchar\n(.*?)endbfchar", re.DOTALL)
PAINTED = re.compile(rb"/F(\d+) [-\d.]+ Tf|<([0-9A-Fa-f]+)>")


def pages_of(pdf: bytes) -> list[str]:
    """Return the letters of each page in the order in which they are painted, without blanks;
    ligatures as the letters they are made of.

    Chromium names a font by the number of its object and writes letters as glyphs of 16 bits.
    """
    objects = {int(number): content for number, content in OBJECT.findall(pdf)}
    letters = {
        number: _letters(_stream(objects[int(found[1])]))
        for number, content in objects.items()
        if (found := UNICODE.search(content))
    }
    contents = (
        re.search(rb"/Type /Page\n.*/Contents (\d+) 0 R", each, re.DOTALL)
        for each in objects.values()
    )
    return ["".join(_painted(_stream(objects[int(each[1])]), letters)) for each in contents if each]


def _stream(content: bytes) -> bytes:
    found = STREAM.search(content)
    assert found is not None
    return zlib.decompress(found[1])


def _letters(cmap: bytes) -> dict[int, str]:
    """Glyph → letters, from a font's ToUnicode map (PDF 32000-1, §9.10.3)."""
    found = {}
    for block in SINGLES.findall(cmap):
        for code, text in re.findall(rb"<(\w+)> <(\w+)>", block):
            found[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in RANGES.findall(cmap):
        for low, high, first in re.findall(rb"<(\w+)> <(\w+)> <(\w+)>", block):
            for step in range(int(high, 16) - int(low, 16) + 1):
                found[int(low, 16) + step] = chr(int(first, 16) + step)
    return found


def _painted(stream: bytes, letters: dict[int, dict[int, str]]) -> Iterator[str]:
    known: dict[int, str] = {}
    for font, codes in PAINTED.findall(stream):
        if font:
            known = letters.get(int(font), {})
        for start in range(0, len(codes), 4):
            yield normalize("NFKC", known.get(int(codes[start : start + 4], 16), "")).strip()
