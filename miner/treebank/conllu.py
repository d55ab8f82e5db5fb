"""Read CoNLL-U files as sentences that know their file and line; write a sentence as CoNLL-U.

A file is read in chunks of whole lines, and a sentence is the lines between two empty ones. Each is
first parsed the fast way, column by column, which fails for anything unusual. Then its lines are
checked one by one (`check`) to tell what is wrong in which line. Byte order marks, CRLF line ends,
blank lines made of spaces, doubled blank lines and a missing last one are accepted.
`bench/reading.py` compares the speed with other readers.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...data.errors import InputError
from ...data.files import printable
from ...data.items.features import CACHE_SIZE, parse_feats
from ...data.items.tree import MultiwordToken, Sentence
from .conllu_lines import WHOLE_FILE, Span, line_groups

OnBad = Callable[[InputError], None]
Lines = list[str]

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
NUMBER = "[1-9][0-9]{0,8}"  # str.isdecimal takes "007" and Arabic digits, int() no 5,000 digits
WORD_ID = re.compile(NUMBER)
RANGE_ID = re.compile(f"({NUMBER})-({NUMBER})")
EMPTY_ID = re.compile(rf"(?:0|{NUMBER})\.{NUMBER}")
HEAD = re.compile(f"0|{NUMBER}")
REQUIRED_COLUMNS = ("FORM", "LEMMA", "UPOS", "DEPREL")  # may not be empty
BAD_BYTE = re.compile("[\0\udc80-\udcff]")  # NUL, and the surrogates of bytes that are not UTF-8
RAW_TEXT_MESSAGE = "this looks like raw text"
N_PREPARED_WORDS = 4_096  # words of a sentence that the tables below are made for; they can grow


HEADS = {str(number): number - 1 for number in range(N_PREPARED_WORDS + 1)}
"""HEAD as written → 0-based index, −1 for the root; longer sentences add theirs."""
PREPARED_IDS = tuple(str(number) for number in range(1, N_PREPARED_WORDS + 1))
VALIDATED_FEATS: set[str] = set()  # FEATS that were parsed without fault, kept for speed


def read(
    path: Path,
    *,
    on_bad: OnBad | None = None,
    only: Container[int] | None = None,
    span: Span = WHOLE_FILE,
    first_number: int = 0,
) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-U file, in order, one at a time.

    Args:
        path: the file, plain or packed (gzip, bzip2).
        on_bad: called with the fault of each sentence that cannot be read, which is then left out;
            `None`: the first fault is raised.
        only: the numbers (0-based) of the sentences to read; the others are skipped unchecked.
            `None`: all.
        span: the part of the file to read, one of `spans(path, …)`.
        first_number: the number of the first sentence in `span`.

    Yields:
        Each sentence.

    Raises:
        InputError: a sentence is faulty (`file:line: what is wrong; what would be right`), or the
            file has none; a span without sentences is no fault.

    >>> from colorless_green.data import sample
    >>> next(read(sample.treebank("en"))).forms
    ('Some', 'old', 'editors', 'ignored', 'that', 'actor', '.')
    """
    number, name = first_number, printable(path.name)
    for line, lines, is_clean in line_groups(path, span):
        if lines[-1][0] == "#" and all(text[0] == "#" for text in lines):
            continue  # comments alone are no sentence
        if only is None or number in only:
            try:
                sentence = _checked_sentence(path, name, line, number, lines, is_clean)
            except InputError as fault:
                if on_bad is None:
                    raise
                on_bad(fault)
            else:
                yield sentence
        number += 1
    if number == first_number and span == WHOLE_FILE:
        raise InputError(str(path), "no sentence in it", "give a CoNLL-U file", kind="empty")


def _checked_sentence(
    path: Path, name: str, line: int, number: int, lines: Lines, is_clean: bool
) -> Sentence:
    """Parse the lines of a sentence; raise `InputError` for its first fault.

    `line` is the number of the first line, `number` that of the sentence, `name` the file's name in
    results. Lines that are not `is_clean` may have NUL characters, or bytes that are not UTF-8.
    """
    try:
        if is_clean:
            return _parse_sentence(name, line, number, lines)
    except (ValueError, KeyError, IndexError):
        pass  # its lines are checked one by one below
    check(path, line, lines)
    return _parse_sentence(name, line, number, lines)


def _parse_sentence(file: str, line: int, sentence_number: int, lines: Lines) -> Sentence:
    """Parse the lines of a sentence.

    Raises `ValueError`, `KeyError` or `IndexError`, without explanation, for faulty lines.
    """
    n_comments = 0
    while lines[n_comments][0] == "#":
        n_comments += 1
    texts = lines[n_comments:]
    table = [text.split("\t") for text in texts]
    ranges: tuple[MultiwordToken, ...] = ()
    extras: tuple[tuple[int, str], ...] = ()
    for number in range(len(HEADS), len(table) + 1):
        HEADS[str(number)] = number - 1
    last_id = table[-1][0]
    if last_id != str(len(table)):  # there are lines that are no words
        table, ranges, extras = _split_rows(texts, table)
    columns = zip(*table, strict=True)
    ids, forms, lemmas, upos, xpos, feats, heads, deprels, deps, misc = columns
    n_words = len(ids)
    if ids != PREPARED_IDS[:n_words] and ids != tuple(map(str, range(1, n_words + 1))):
        raise ValueError("word ids")
    if not (all(forms) and all(lemmas) and all(upos) and all(deprels)):
        raise ValueError("an empty column")
    if not VALIDATED_FEATS.issuperset(feats):
        for cell in feats:
            parse_feats(cell)
        if len(VALIDATED_FEATS) < CACHE_SIZE:
            VALIDATED_FEATS.update(feats)
    indices = tuple([HEADS[head] for head in heads])
    if _tree_fault(indices):
        raise ValueError("no tree")
    comments = tuple(lines[:n_comments])
    return Sentence(
        file, line, sentence_number, comments, forms, lemmas, upos, xpos, feats, indices, deprels,
        deps, misc, ranges, extras,
    )  # fmt: skip


class TreeFault(NamedTuple):
    """A fault of the heads of a sentence."""

    word: int  # index of the word that is wrong
    wrong: str
    right: str


def _tree_fault(heads: Sequence[int]) -> TreeFault | None:
    """Return the first fault of the words' heads, `None` if they make a tree: no head is outside,
    one word is the root (−1), and there is no cycle.

    Walk up from every word, and mark each word with the start of the first walk that passed it.
    """
    n_words, n_roots = len(heads), heads.count(-1)
    if max(heads) >= n_words:
        word = next(word for word, head in enumerate(heads) if head >= n_words)
        wrong = f"HEAD is {heads[word] + 1}, but there is no such word"
        return TreeFault(word, wrong, f"0 to {n_words}")
    if n_roots > 1:
        second_root = heads.index(-1, heads.index(-1) + 1)
        return TreeFault(second_root, "a second root", "one word with HEAD 0")
    passed_by: list[int | None] = [None] * n_words  # the start of the first walk over each word
    passed_by.append(n_words)  # index −1 finds this entry: above the root, where every walk ends
    for start in range(n_words):
        word = start
        while passed_by[word] is None:
            passed_by[word] = start
            word = heads[word]
        if passed_by[word] == start:
            wrong = "its heads run in a cycle" if n_roots else "no root: its heads run in a cycle"
            return TreeFault(start, wrong, "heads that lead to a word with HEAD 0")
    return None


def _split_rows(
    texts: Lines, table: list[list[str]]
) -> tuple[list[list[str]], tuple[MultiwordToken, ...], tuple[tuple[int, str], ...]]:
    """Separate the rows of words from all other lines of a sentence without its first comments.

    Return three things: the cells of the words' rows; the multiword tokens; and every line that is
    no word (multiword token, empty node, comment), each with the number of words before it.
    """
    words = list(table)
    ranges: list[MultiwordToken] = []
    extras: list[tuple[int, str]] = []
    other_rows = [index for index, row in enumerate(table) if not row[0].isdecimal()]
    for n_others, index in enumerate(other_rows):
        n_words, text = index - n_others, texts[index]  # the words before it, and the line
        row = words.pop(n_words)
        extras.append((n_words, text))
        if text[0] == "#":
            continue
        row_id, form, _, _, _, feats, _, _, _, misc = row
        parse_feats(feats)  # raises an error for malformed FEATS
        if not form:
            raise ValueError("an empty column")
        begin, dash, end = row_id.partition("-")
        if dash:
            first_index, last_index = HEADS[begin], HEADS[end]
            last_covered = ranges[-1].last if ranges else -1  # the last word of the range before
            if not last_covered < first_index == n_words < last_index:
                raise ValueError("range")
            ranges.append(MultiwordToken(first_index, last_index, form, misc))
        elif EMPTY_ID.fullmatch(row_id) is None:
            raise ValueError("id")
    if ranges and ranges[-1].last >= len(words):
        raise ValueError("a range without its words")
    return words, tuple(ranges), tuple(extras)


def check(path: Path, line: int, lines: Sequence[str]) -> None:
    """Raise `InputError` for the first fault of a sentence, naming its line.

    `line` is the number of the first line. Single rows are checked first, then ids, then the tree.
    """
    rows: list[tuple[str, list[str]]] = []
    heads: dict[str, int] = {}  # location of each word → index of its head, −1 for the root
    for number, text in enumerate(lines, start=line):
        location, cells = f"{path}:{number}", text.split("\t")
        if match := BAD_BYTE.search(text):
            code = ord(match[0]) & 0xFF  # a byte that is not UTF-8 was read as U+DC00 + byte
            wrong = f"byte {code:#04x} is not UTF-8" if code else "a NUL character"
            raise InputError(location, wrong, "a file saved as UTF-8", kind="unreadable")
        if text[0] != "#":
            _check_row(location, cells)
            rows.append((location, cells))
            row_id, _, _, _, _, _, head, *_ = cells
            if WORD_ID.fullmatch(row_id):
                heads[location] = int(head) - 1
    _check_ids(rows)
    if fault := _tree_fault([*heads.values()]):
        raise _fault([*heads][fault.word], fault.wrong, fault.right)


def _fault(location: str, wrong: str, right: str) -> InputError:
    """Return the error for what is wrong at a location (FILE:LINE) and what would be right."""
    return InputError(location, wrong, right, kind="format")


def _check_row(location: str, cells: Sequence[str]) -> None:
    """Raise `InputError` for the first fault in the cells of one row; `location` is FILE:LINE."""
    if len(cells) != len(COLUMNS):
        wrong = f"{len(cells)} columns" if len(cells) > 1 else _guess_format(cells[0])
        right = "give a CoNLL-U file, with 10 columns separated by tabs"
        if wrong == RAW_TEXT_MESSAGE:
            right = "run colorless parse on it to make it a treebank"
        raise _fault(location, wrong, right)
    row = dict(zip(COLUMNS, cells, strict=True))
    row_id, head = row["ID"], row["HEAD"]
    try:
        parse_feats(row["FEATS"])
    except ValueError as error:
        right = "write Name=Value joined by | without blanks, each name once, or _"
        raise _fault(location, str(error), right) from None
    is_word = WORD_ID.fullmatch(row_id) is not None
    if not (is_word or RANGE_ID.fullmatch(row_id) or EMPTY_ID.fullmatch(row_id)):
        raise _fault(location, f"ID is {row_id!r}", "a word number, a range 1-2 or a node 1.1")
    for name in REQUIRED_COLUMNS if is_word else ("FORM",):
        if row[name] == "":
            raise _fault(location, f"{name} is empty", "a value, or _ for none")
    if is_word and HEAD.fullmatch(head) is None:
        raise _fault(location, f"HEAD is {head!r}", "a word number, or 0 for the root")


def _guess_format(line: str) -> str:
    """Return, as the text of an error, what kind of file a line without tabs seems to come from."""
    if line.lstrip()[0] in "{[":
        return "this looks like JSON"
    if len(line.split()) == len(COLUMNS) and WORD_ID.match(line):
        return "its columns are separated by blanks"
    if re.fullmatch(r"[^,;]+([,;][^\s,;]+)+", line):
        return "this looks like CSV"
    return RAW_TEXT_MESSAGE


def _check_ids(rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Raise `InputError` unless words are numbered 1, 2, 3 … and ranges begin at their words.

    `rows` are pairs of a location (FILE:LINE) and the cells of the row.
    """
    expected, covered = 1, 0  # the next word's number; the last number inside a range
    for location, (row_id, *_) in rows:
        if match := RANGE_ID.fullmatch(row_id):
            start, end = map(int, match.groups())
            if start >= end or start != expected or start <= covered:
                wrong = f"the range {row_id} is out of place"
                raise _fault(location, wrong, f"a range that begins at {expected}")
            covered = end
        elif EMPTY_ID.fullmatch(row_id) is None:
            if int(row_id) != expected:
                problem = "comes twice" if int(row_id) < expected else "leaves a gap"
                raise _fault(location, f"ID {row_id} {problem}", f"ID {expected}")
            expected += 1
    locations = [location for location, _ in rows]
    if covered >= expected:
        raise _fault(locations[-1], f"the range to {covered} lacks words", "its words below it")
    if expected == 1:
        raise _fault(locations[0], "a sentence without words", "at least one word")


def to_conllu(sentence: Sentence) -> str:
    """Return a sentence as CoNLL-U, line by line as it was in the file.

    Args:
        sentence: the sentence.

    Returns:
        Comments, words and other lines with LF line ends, and a blank line after them.

    >>> from colorless_green.data import sample
    >>> file = sample.treebank("en")
    >>> "".join(map(to_conllu, read(file))) == file.read_text(encoding="utf-8")
    True
    """
    lines = list(sentence.comments)
    extra_lines: dict[int, list[str]] = {}  # number of words before them → multiword tokens …
    for n_words_before, line in sentence.extras:
        extra_lines.setdefault(n_words_before, []).append(line)
    ids = range(1, len(sentence) + 1)
    heads = (head + 1 for head in sentence.heads)
    columns = (
        map(str, ids), sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos,
        sentence.feats, map(str, heads), sentence.deprels, sentence.deps, sentence.misc,
    )  # fmt: skip
    for index, cells in enumerate(zip(*columns, strict=True)):
        lines += [*extra_lines.get(index, ()), "\t".join(cells)]
    lines += extra_lines.get(len(sentence), ())
    return "\n".join(lines) + "\n\n"
