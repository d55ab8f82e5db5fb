"""CoNLL-U: file to rows or sentences, each with its place; sentence to text.

The file comes in chunks of whole lines, a sentence is the lines between two empty ones, and its
columns are made at C speed and compared with what a well-formed sentence looks like; only where
that fails are the lines looked at one by one (`faults.py`), to say what is wrong and where. Byte
order marks, CRLF line ends, blank lines made of spaces, doubled blank lines and a missing last one
are accepted. Speed beside other readers: `bench/reading.py`.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from colorless_green.data.errors import InputError
from colorless_green.miner.faults import fault_in, is_empty_node, row_fault_in
from colorless_green.miner.features import CACHED, PARSED, parse_feats
from colorless_green.miner.lines import WHOLE, Span, line_groups
from colorless_green.miner.tree import Range, Sentence

OnBad = Callable[[InputError], None]
Lines = list[str]
T = TypeVar("T")

LONGEST = 4_096  # words; longer sentences extend the tables below


class _Heads(dict[str, int]):
    """HEAD as written → 0-based index, −1 for the root; `KeyError` for anything else."""

    def extend(self, n_words: int) -> None:
        for number in range(len(self), n_words + 1):
            self[str(number)] = number - 1


HEADS = _Heads()
HEADS.extend(LONGEST)
IDS = tuple(str(number) for number in range(1, LONGEST + 1))
GOOD_FEATS: set[str] = set()  # strings that parse; a memory of the reader, not of sentences


class Rows(NamedTuple):
    """The lines of one sentence, split at tabs."""

    line: int  # of its first line in the file, from 1
    number: int  # 0-based place among the sentences of the file
    comments: list[str]  # raw lines above the first row, "#" included
    rows: list[list[str]]  # ten strings each: words, ranges and empty nodes, in order
    feats: list[Mapping[str, str]]  # one for each row, read-only, the same for equal strings
    strays: list[tuple[int, str]]  # other comments, each with the number of rows before it


def rows(path: Path) -> Iterator[Rows]:
    """Every sentence of a CoNLL-U file (`.gz` is unpacked) as rows, in order, one at a time.

    Raises `InputError` at the first line that is neither a comment nor ten columns, whose FEATS do
    not parse, or that is not UTF-8, and for a file without sentences. The other columns are not
    looked at.
    """
    return _each(path, _rows, row_fault_in)


def read(
    path: Path,
    *,
    on_bad: OnBad | None = None,
    only: Container[int] | None = None,
    span: Span = WHOLE,
    first_number: int = 0,
    on_end: Callable[[int], None] | None = None,
) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file (`.gz` is unpacked), in order, one at a time.

    Raises `InputError` at the first fault (`file:line: what is wrong; what would be right`); with
    `on_bad`, a faulty sentence is handed to it and left out. `only`: the numbers of the sentences
    wanted; the others are passed over unchecked. `span`: the part of the file to read, one of
    `spans(path, …)`; the number of its first sentence is `first_number`, and `on_end` is handed
    the number after its last one, once all are read (faulty and unwanted ones have numbers too).
    A file without sentences is a fault, a span without any is not.
    """
    name = path.name

    def make(line: int, number: int, lines: Lines) -> Sentence:
        return _sentence(name, line, number, lines)

    return _each(
        path,
        make,
        fault_in,
        on_bad=on_bad,
        only=only,
        span=span,
        first_number=first_number,
        on_end=on_end,
    )


def _each(
    path: Path,
    make: Callable[[int, int, Lines], T],
    explain: Callable[[Path, int, Lines], InputError | None],
    *,
    on_bad: OnBad | None = None,
    only: Container[int] | None = None,
    span: Span = WHOLE,
    first_number: int = 0,
    on_end: Callable[[int], None] | None = None,
) -> Iterator[T]:
    """What `make` makes of each sentence, given the number of its first line, its own number and
    its lines. It refuses what is odd with a `ValueError`, `KeyError` or `IndexError`; `explain`
    then says what is wrong with it, if anything is."""
    number = first_number
    for line, lines, sound in line_groups(path, span):
        wanted = only is None or number in only
        if not wanted and _is_one(lines):
            number += 1
            continue
        if wanted and sound:
            try:
                made = make(line, number, lines)
            except (ValueError, KeyError, IndexError):
                pass  # looked at closely below
            else:
                yield made
                number += 1
                continue
        for start, part in _parts(line, lines):
            if only is None or number in only:
                fault = explain(path, start, part)
                if fault is None:
                    yield make(start, number, part)
                elif on_bad is None:
                    raise fault
                else:
                    on_bad(fault)
            number += 1
    if number == first_number and span == WHOLE:
        raise InputError(str(path), "no sentence in it", "a CoNLL-U file", kind="empty")
    if on_end is not None:
        on_end(number)


def _is_one(lines: Lines) -> bool:
    """Whether lines that were not looked at are one sentence for sure."""
    return lines[-1][0] != "#" and not any(map(str.isspace, lines))


def _parts(line: int, lines: Lines) -> Iterator[tuple[int, Lines]]:
    """The sentences between blank lines made of spaces, each with its first line's number; what
    holds nothing but comments is none."""
    part: Lines = []
    for number, text in enumerate([*lines, ""], start=line):
        text = text if part else text.removeprefix("\ufeff")  # of files put together with theirs
        if text and not text.isspace():
            part.append(text)
            continue
        if any(each[0] != "#" for each in part):
            yield number - len(part), part
        part = []


def _n_comments(lines: Lines) -> int:
    """How many comments stand above the first row. Raises `IndexError` if there is no row."""
    n_comments = 0
    while lines[n_comments][0] == "#":
        n_comments += 1
    return n_comments


def _rows(line: int, number: int, lines: Lines) -> Rows:
    n_comments = _n_comments(lines)
    texts = lines[n_comments:]
    strays: list[tuple[int, str]] = []
    if min(texts) < "$":  # the character after "#"
        for index, text in enumerate(texts):
            if text[0] == "#":
                strays.append((index - len(strays), text))
        texts = [text for text in texts if text[0] != "#"]
    table = [text.split("\t") for text in texts]
    feats = [PARSED[each] for _, _, _, _, _, each, _, _, _, _ in table]
    return Rows(line, number, lines[:n_comments], table, feats, strays)


def _sentence(file: str, line: int, number: int, lines: Lines) -> Sentence:
    n_comments = _n_comments(lines)
    texts = lines[n_comments:]
    table = [text.split("\t") for text in texts]
    ranges: tuple[Range, ...] = ()
    extras: tuple[tuple[int, str], ...] = ()
    if len(table) > LONGEST:
        HEADS.extend(len(table))
    if table[-1][0] != str(len(table)):
        table, ranges, extras = _set_apart(texts, table)
    columns = zip(*table, strict=True)
    ids, forms, lemmas, upos, xpos, feats, heads, deprels, deps, misc = columns
    n_words = len(ids)
    if ids != (IDS if n_words <= LONGEST else tuple(map(str, range(1, n_words + 1))))[:n_words]:
        raise ValueError("word ids")
    if not (all(forms) and all(lemmas) and all(upos) and all(deprels)):
        raise ValueError("an empty column")
    if not GOOD_FEATS.issuperset(feats):
        for each in feats:
            parse_feats(each)
        if len(GOOD_FEATS) < CACHED:
            GOOD_FEATS.update(feats)
    indices = tuple([HEADS[head] for head in heads])
    _check_tree(indices)
    return Sentence(
        file,
        line,
        number,
        tuple(lines[:n_comments]),
        forms,
        lemmas,
        upos,
        xpos,
        feats,
        indices,
        deprels,
        deps,
        misc,
        ranges,
        extras,
    )


def _check_tree(heads: tuple[int, ...]) -> None:
    """Raises `ValueError` or `IndexError` unless there is one root, no head outside, no cycle."""
    if heads.count(-1) != 1:
        raise ValueError("roots")
    outside = len(heads)
    passed: list[int | None] = [None] * outside  # where the first walk that came by began
    passed.append(outside)  # index −1, above the root; as index `outside` it is no head
    for start in set(heads):
        index = start
        while passed[index] is None:
            passed[index] = start
            index = heads[index]
        if passed[index] == start:
            raise ValueError("a cycle, or a head outside")


def _set_apart(
    texts: Lines, table: list[list[str]]
) -> tuple[list[list[str]], tuple[Range, ...], tuple[tuple[int, str], ...]]:
    """The words, the ranges, and every line that is no word with the number of words before it."""
    words = list(table)
    ranges: list[Range] = []
    extras: list[tuple[int, str]] = []
    others = [index for index, row in enumerate(table) if not row[0].isdecimal()]
    for n_others, index in enumerate(others):
        n_words, text = index - n_others, texts[index]  # words above it
        row = words.pop(n_words)
        extras.append((n_words, text))
        if text[0] == "#":
            continue
        name, form, _, _, _, feats, _, _, _, misc = row
        parse_feats(feats)
        if not form:
            raise ValueError("an empty column")
        begin, dash, end = name.partition("-")
        if dash:
            first, last = HEADS[begin], HEADS[end]
            if not (ranges[-1].last if ranges else -1) < first == n_words < last:
                raise ValueError("range")
            ranges.append(Range(first, last, form, misc))
        elif not is_empty_node(name):
            raise ValueError("id")
    if ranges and ranges[-1].last >= len(words):
        raise ValueError("a range without its words")
    return words, tuple(ranges), tuple(extras)


def to_conllu(sentence: Sentence) -> str:
    """The sentence's block as it stood in the file, with LF line ends and the blank line."""
    lines = list(sentence.comments)
    extras = list(sentence.extras)
    for index in range(len(sentence)):
        while extras and extras[0][0] <= index:
            lines.append(extras.pop(0)[1])
        cells = (
            str(index + 1),
            sentence.forms[index],
            sentence.lemmas[index],
            sentence.upos[index],
            sentence.xpos[index],
            sentence.feats[index],
            str(sentence.heads[index] + 1),
            sentence.deprels[index],
            sentence.deps[index],
            sentence.misc[index],
        )
        lines.append("\t".join(cells))
    lines += [text for _, text in extras]
    return "\n".join(lines) + "\n\n"
