"""What is wrong with a CoNLL-U sentence, found line by line once the fast reader has refused it.

The names of the checks are those of the UD validator (levels 1 and 2).
"""

import re
from collections.abc import Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.miner.features import parse_feats
from colorless_green.miner.tree import Range

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
WORD_ID = re.compile(r"[1-9][0-9]*")
RANGE_ID = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
EMPTY_ID = re.compile(r"(?:0|[1-9][0-9]*)\.[1-9][0-9]*")
HEAD = re.compile(r"0|[1-9][0-9]*")  # str.isdecimal takes "007" and Arabic digits
NEEDED = (1, 2, 3, 5, 7)  # FORM, LEMMA, UPOS, FEATS, DEPREL: what the miner reads


def is_extra(name: str) -> bool:
    """Whether an ID belongs to a range or an empty node. Raises `ValueError` if it is no ID."""
    if WORD_ID.fullmatch(name):
        return False
    if RANGE_ID.fullmatch(name) or EMPTY_ID.fullmatch(name):
        return True
    raise ValueError("word id")


def check_range(name: str, row: str, n_before: int, ranges: Sequence[Range]) -> Range:
    """The multiword token of an `a-b` row that stands after `n_before` words."""
    match = RANGE_ID.fullmatch(name)
    if match is None:
        raise ValueError("word id")
    first, last = int(match[1]) - 1, int(match[2]) - 1
    if first >= last or first != n_before or (ranges and ranges[-1].last >= first):
        raise ValueError("range")
    cells = row.rstrip("\r\n").split("\t")
    if cells[1] == "":
        raise ValueError("an empty column")
    return Range(first, last, cells[1], cells[9])


def fault_in(
    file: str,
    line: int,
    comments: Sequence[str],
    rows: Sequence[str],
    strays: Sequence[tuple[int, str]],
) -> InputError | None:
    """The first fault of a block, with the line it stands on; `None` if nothing is wrong."""
    numbers = [
        line + len(comments) + index + sum(before <= index for before, _ in strays)
        for index in range(len(rows))
    ]
    places = [f"{file}:{number}" for number in numbers]
    cells = [row.rstrip("\r\n").split("\t") for row in rows]
    for place, row, row_cells in zip(places, rows, cells, strict=True):
        fault = _row_fault(place, row, row_cells)
        if fault is not None:
            return fault
    return _id_fault(places, cells) or _tree_fault(places, cells)


def _row_fault(place: str, row: str, cells: Sequence[str]) -> InputError | None:
    if any("\ud800" <= letter <= "\udfff" for letter in row):
        return InputError(place, "bytes that are not UTF-8", "a file saved as UTF-8")
    if len(cells) != len(COLUMNS):
        return InputError(place, f"{len(cells)} columns", "10 columns separated by tabs")
    try:
        extra = is_extra(cells[0])
    except ValueError:
        return InputError(place, f"ID is {cells[0]!r}", "a word number, a range 1-2 or a node 1.1")
    for index in NEEDED:
        if cells[index] == "":
            return InputError(place, f"{COLUMNS[index]} is empty", "a value, or _ for none")
    if extra:
        return None
    try:
        parse_feats(cells[5])
    except ValueError as error:
        return InputError(place, str(error), "Name=Value joined by |, each name once, or _")
    if HEAD.fullmatch(cells[6]) is None:
        return InputError(place, f"HEAD is {cells[6]!r}", "a word number, or 0 for the root")
    return None


def _id_fault(places: Sequence[str], cells: Sequence[Sequence[str]]) -> InputError | None:
    expected, covered = 1, 0
    for place, row in zip(places, cells, strict=True):
        name = row[0]
        match = RANGE_ID.fullmatch(name)
        if match is not None:
            first, last = int(match[1]), int(match[2])
            if first >= last or first != expected or first <= covered:
                return InputError(
                    place, f"the range {name} is out of place", f"a range that begins at {expected}"
                )
            covered = last
        elif EMPTY_ID.fullmatch(name) is None:
            if int(name) != expected:
                what = "comes twice" if int(name) < expected else "leaves a gap"
                return InputError(place, f"ID {name} {what}", f"ID {expected}")
            expected += 1
    if covered >= expected:
        return InputError(places[-1], f"the range to {covered} lacks words", "its words below it")
    if expected == 1:
        return InputError(places[0], "a sentence without words", "at least one word")
    return None


def _tree_fault(places: Sequence[str], cells: Sequence[Sequence[str]]) -> InputError | None:
    words = [
        (place, int(row[6]))
        for place, row in zip(places, cells, strict=True)
        if WORD_ID.fullmatch(row[0])
    ]
    heads = [head for _, head in words]
    for place, head in words:
        if head > len(words):
            return InputError(
                place, f"HEAD is {head}, but there is no such word", f"0 to {len(words)}"
            )
    roots = [index for index, head in enumerate(heads) if head == 0]
    if len(roots) > 1:
        return InputError(words[roots[1]][0], "a second root", "one word with HEAD 0")
    for index in range(len(words)):
        if not _reaches_root(heads, index):
            wrong = "its heads run in a cycle" if roots else "no root: its heads run in a cycle"
            return InputError(words[index][0], wrong, "heads that lead to a word with HEAD 0")
    return None


def _reaches_root(heads: Sequence[int], index: int) -> bool:
    for _ in heads:
        if heads[index] == 0:
            return True
        index = heads[index] - 1
    return False


def utf8_fault(path: Path) -> InputError:
    """Where a file stops being UTF-8."""
    try:
        for _ in numbered_lines(path):
            pass
    except InputError as error:
        return error
    raise AssertionError(f"{path} was not UTF-8 a moment ago")
