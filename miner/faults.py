"""What is wrong with a CoNLL-U sentence, found line by line once the fast reader has refused it.

The names of the checks are those of the UD validator (levels 1 and 2).
"""

import re
from collections.abc import Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.miner.features import parse_feats

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
NUMBER = "[1-9][0-9]{0,8}"  # str.isdecimal takes "007" and Arabic digits, int() no 5,000 digits
WORD_ID = re.compile(NUMBER)
RANGE_ID = re.compile(f"({NUMBER})-({NUMBER})")
EMPTY_ID = re.compile(rf"(?:0|{NUMBER})\.{NUMBER}")
HEAD = re.compile(f"0|{NUMBER}")
NEEDED = (1, 2, 3, 7)  # FORM, LEMMA, UPOS, DEPREL: with FEATS and HEAD, what the miner reads
UNSOUND = re.compile("[\0\udc80-\udcff]")  # NUL, and what stands for bytes that are not UTF-8


def is_empty_node(name: str) -> bool:
    """Whether an ID is that of an empty node (`8.1`)."""
    return EMPTY_ID.fullmatch(name) is not None


def row_fault_in(path: Path, line: int, lines: Sequence[str]) -> InputError | None:
    """The first line of a sentence that is neither comment nor row, by its number; `None` if there
    is none. `line`: the number of the first line."""
    for number, text in enumerate(lines, start=line):
        fault = _line_fault(f"{path}:{number}", text)
        if fault is not None:
            return fault
    return None


def fault_in(path: Path, line: int, lines: Sequence[str]) -> InputError | None:
    """The first fault of a sentence, with the line it stands on; `None` if nothing is wrong.

    `line`: the number of the first line. Rows come before ids, ids before the tree.
    """
    rows: list[tuple[str, list[str]]] = []
    for number, text in enumerate(lines, start=line):
        place, cells = f"{path}:{number}", text.split("\t")
        fault = _line_fault(place, text)
        if fault is None and text[0] != "#":
            fault = _cell_fault(place, cells)
            rows.append((place, cells))
        if fault is not None:
            return fault
    return _id_fault(rows) or _tree_fault(rows)


def _fault(place: str, wrong: str, right: str) -> InputError:
    return InputError(place, wrong, right, kind="format")


def _line_fault(place: str, text: str) -> InputError | None:
    """What is wrong with a line that is neither comment nor ten columns with FEATS."""
    match = UNSOUND.search(text)
    if match is not None:
        code = ord(match[0]) & 0xFF  # a byte that is not UTF-8 was read as U+DC00 + byte
        wrong = f"byte {code:#04x} is not UTF-8" if code else "a NUL character"
        return InputError(place, wrong, "a file saved as UTF-8", kind="unreadable")
    if text[0] == "#":
        return None
    cells = text.split("\t")
    if len(cells) != len(COLUMNS):
        return _fault(place, f"{len(cells)} columns", "10 columns separated by tabs")
    if cells[5] == "":
        return _empty_fault(place, 5)
    try:
        parse_feats(cells[5])
    except ValueError as error:
        return _fault(place, str(error), "Name=Value joined by |, each name once, or _")
    return None


def _empty_fault(place: str, index: int) -> InputError:
    return _fault(place, f"{COLUMNS[index]} is empty", "a value, or _ for none")


def _cell_fault(place: str, cells: Sequence[str]) -> InputError | None:
    is_word = WORD_ID.fullmatch(cells[0]) is not None
    if not (is_word or RANGE_ID.fullmatch(cells[0]) or EMPTY_ID.fullmatch(cells[0])):
        return _fault(place, f"ID is {cells[0]!r}", "a word number, a range 1-2 or a node 1.1")
    for index in NEEDED if is_word else (1,):
        if cells[index] == "":
            return _empty_fault(place, index)
    if is_word and HEAD.fullmatch(cells[6]) is None:
        return _fault(place, f"HEAD is {cells[6]!r}", "a word number, or 0 for the root")
    return None


def _id_fault(rows: Sequence[tuple[str, Sequence[str]]]) -> InputError | None:
    expected, covered = 1, 0
    for place, cells in rows:
        name = cells[0]
        match = RANGE_ID.fullmatch(name)
        if match is not None:
            first, last = int(match[1]), int(match[2])
            if first >= last or first != expected or first <= covered:
                wrong = f"the range {name} is out of place"
                return _fault(place, wrong, f"a range that begins at {expected}")
            covered = last
        elif EMPTY_ID.fullmatch(name) is None:
            if int(name) != expected:
                what = "comes twice" if int(name) < expected else "leaves a gap"
                return _fault(place, f"ID {name} {what}", f"ID {expected}")
            expected += 1
    if covered >= expected:
        return _fault(rows[-1][0], f"the range to {covered} lacks words", "its words below it")
    if expected == 1:
        return _fault(rows[0][0], "a sentence without words", "at least one word")
    return None


def _tree_fault(rows: Sequence[tuple[str, Sequence[str]]]) -> InputError | None:
    words = [(place, int(cells[6])) for place, cells in rows if WORD_ID.fullmatch(cells[0])]
    for place, head in words:
        if head > len(words):
            wrong = f"HEAD is {head}, but there is no such word"
            return _fault(place, wrong, f"0 to {len(words)}")
    roots = [place for place, head in words if head == 0]
    if len(roots) > 1:
        return _fault(roots[1], "a second root", "one word with HEAD 0")
    sound = {0}  # numbers of words that lead to the root
    for number, (place, _) in enumerate(words, start=1):
        passed: set[int] = set()
        while number not in sound and number not in passed:
            passed.add(number)
            number = words[number - 1][1]
        if number in passed:
            wrong = "its heads run in a cycle" if roots else "no root: its heads run in a cycle"
            return _fault(place, wrong, "heads that lead to a word with HEAD 0")
        sound |= passed
    return None
