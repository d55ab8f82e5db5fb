"""CoNLL-U: file to sentences, each line with its place; sentence to text.

The fast path splits a sentence into columns at C speed and compares what it finds with what a
well-formed sentence looks like; only where that fails are the lines looked at one by one
(`faults.py`), to say what is wrong and where. Byte order marks, CRLF line ends, blank lines made of
spaces, doubled blank lines and a missing last one are accepted.
"""

import io
from collections.abc import Callable, Container, Iterator
from itertools import compress
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened
from colorless_green.miner.faults import check_range, fault_in, is_extra, utf8_fault
from colorless_green.miner.features import CACHED, parse_feats
from colorless_green.miner.tree import Range, Sentence

OnBad = Callable[[InputError], None]
LONGEST = 4_096  # words; longer sentences extend the tables below


class _Heads(dict[str, int]):
    """HEAD as written → 0-based index, −1 for the root; `KeyError` for anything else."""

    def extend(self, n_words: int) -> None:
        for number in range(len(self), n_words + 1):
            self[str(number)] = number - 1


HEADS = _Heads()
HEADS.extend(LONGEST)
GOOD_FEATS: set[str] = set()  # strings that parse; a memory of the reader, not of sentences
IDS = tuple(str(number) for number in range(1, LONGEST + 1))


def read(
    path: Path, *, on_bad: OnBad | None = None, only: Container[int] | None = None
) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file (`.gz` is unpacked), in order, one at a time.

    Raises `InputError` at the first fault (`file:line: what is wrong; what would be right`); with
    `on_bad`, a faulty sentence is handed to it and left out. `only`: the 0-based numbers of the
    sentences wanted; the others are passed over unparsed and unchecked.
    """
    name = path.name
    number = -1
    try:
        for number, (line, comments, rows, extras) in enumerate(_blocks(path, on_bad is not None)):
            if only is not None and number not in only:
                continue
            try:
                if on_bad is not None:
                    "".join(rows).encode()  # lone surrogates stand for bytes that are not UTF-8
                yield _sentence(name, line, number, comments, rows, extras)
            except (ValueError, KeyError, InputError) as error:
                fault = fault_in(str(path), line, comments, rows, extras) or error
                if not isinstance(fault, InputError):
                    raise
                if on_bad is None:
                    raise fault from None
                on_bad(fault)
    except UnicodeDecodeError:
        raise utf8_fault(path) from None
    if number < 0:
        raise InputError(str(path), "no sentence in it", "a CoNLL-U file")


_Block = tuple[int, list[str], list[str], list[tuple[int, str]]]
"""(line of the first line, comments, rows, other lines with the number of rows before them)"""


def _blocks(path: Path, lenient: bool) -> Iterator[_Block]:
    """The lines of each sentence. Lenient: bytes that are not UTF-8 come as lone surrogates."""
    with opened(path) as stream:
        text = io.TextIOWrapper(
            stream, "utf-8", errors="surrogateescape" if lenient else "strict", newline="\n"
        )
        comments: list[str] = []
        rows: list[str] = []
        strays: list[tuple[int, str]] = []
        start = 1
        for number, line in enumerate(text, start=1):
            first = line[0]
            if "0" <= first <= "9":
                rows.append(line)
            elif first == "#":
                if rows:
                    strays.append((len(rows), line.rstrip("\r\n")))
                else:
                    comments.append(line.rstrip("\r\n"))
            elif first == "\n" or line.isspace():
                if rows:
                    yield start, comments, rows, strays
                    comments, rows, strays = [], [], []
                elif comments:  # comments without words: an empty sentence, left out
                    comments = []
                start = number + 1
            else:
                if number == 1:
                    line = _first_line(line, path)
                if line.strip():
                    (comments if line.startswith("#") else rows).append(line)
        if rows:
            yield start, comments, rows, strays


def _first_line(line: str, path: Path) -> str:
    """The file's first line without byte order mark, if it can begin a CoNLL-U file."""
    line = line.removeprefix("\ufeff")
    if line.lstrip()[:1] == "<":
        raise InputError(f"{path}:1", "this looks like HTML or XML", "a CoNLL-U file")
    return line.rstrip("\r\n") if line.startswith("#") else line


def _sentence(
    file: str,
    line: int,
    number: int,
    comments: list[str],
    rows: list[str],
    strays: list[tuple[int, str]],
) -> Sentence:
    """The columns of a block. Raises `ValueError` or `KeyError` where something is wrong."""
    table = list(zip(*[row.split("\t") for row in rows], strict=True))
    ranges: tuple[Range, ...] = ()
    extras = tuple(strays)
    if table[0] != IDS[: len(rows)]:
        is_word = [name.isdecimal() for name in table[0]]
        ranges, extras = _set_apart(is_word, rows, strays)
        table = [tuple(compress(column, is_word)) for column in table]
    ids, forms, lemmas, upos, xpos, feats, heads, deprels, deps, misc = table
    indices = _indices(ids, heads)
    if "" in forms or "" in lemmas or "" in upos or "" in deprels:
        raise ValueError("an empty column")
    if not GOOD_FEATS.issuperset(feats):
        for each in feats:
            parse_feats(each)
        if len(GOOD_FEATS) < CACHED:
            GOOD_FEATS.update(feats)
    return Sentence(
        file,
        line,
        number,
        tuple(comments),
        forms,
        lemmas,
        upos,
        xpos,
        feats,
        indices,
        deprels,
        deps,
        tuple([each.rstrip("\r\n") for each in misc]),
        ranges,
        extras,
    )


def _indices(ids: tuple[str, ...], heads: tuple[str, ...]) -> tuple[int, ...]:
    """0-based heads of a well-formed tree: ids 1 … n, one root, no head outside, no cycle."""
    n_words = len(ids)
    if n_words > LONGEST:
        HEADS.extend(n_words)
    if ids != (IDS if n_words <= LONGEST else tuple(map(str, range(1, n_words + 1))))[:n_words]:
        raise ValueError("word ids")
    indices = tuple([HEADS[head] for head in heads])
    if max(indices) >= n_words or indices.count(-1) != 1:
        raise ValueError("heads")
    up = [*indices, -1]  # −1 finds the last place, which is −1: above the root is the root
    steps = 1
    while up.count(-1) <= n_words:
        if steps > n_words:  # more steps up than there are words, and still not at the root
            raise ValueError("a cycle")
        up = [up[index] for index in up]  # twice as many steps up
        steps *= 2
    return indices


def _set_apart(
    is_word: list[bool], rows: list[str], strays: list[tuple[int, str]]
) -> tuple[tuple[Range, ...], tuple[tuple[int, str], ...]]:
    """Ranges, and every line that is no word with the number of words before it."""
    n_words = 0
    ranges: list[Range] = []
    extras: list[tuple[int, str]] = []
    waiting = list(strays)
    for index, (word, row) in enumerate(zip(is_word, rows, strict=True)):
        while waiting and waiting[0][0] <= index:
            extras.append((n_words, waiting.pop(0)[1]))
        if word:
            n_words += 1
            continue
        extras.append((n_words, row.rstrip("\r\n")))
        name = row[: row.index("\t")]
        if "-" in name:
            ranges.append(check_range(name, row, n_words, ranges))
        elif not is_extra(name):
            raise ValueError("word id")
    extras += [(n_words, text) for _, text in waiting]
    if n_words == 0 or (ranges and ranges[-1].last >= n_words):
        raise ValueError("a range without its words")
    return tuple(ranges), tuple(extras)


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
