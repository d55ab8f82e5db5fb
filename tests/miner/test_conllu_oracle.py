"""Component oracle: the fast reader beside a plain one, line by line, and the `conllu` library."""

import gzip
import re
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from conllu import parse_incr
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data import Sentence, parse_feats
from colorless_green.data.errors import InputError
from colorless_green.data.items.tree import MultiwordToken
from colorless_green.miner import read, to_conllu
from colorless_green.miner.treebank.conllu import N_PREPARED_WORDS, check
from colorless_green.miner.treebank.conllu_lines import CHUNK_BYTES
from tests.builders import conllu, shared, write_conllu
from tests.miner.mining import ALL_FILES, events

RICH = (
    "# sent_id = x\n# text = della  casa\n"
    "0.1\t_\t_\t_\t_\t_\t_\t_\t0:x\t_\n"
    "1-2\tdella\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "1\tdi\tdi\tADP\t_\t_\t3\tcase\t_\t_\n"
    "# stray\n"
    "1.1\tx\t_\t_\t_\tCase=Nom\t_\t_\t_\t_\n"
    "2\tla\til\tDET\t_\tNumber=Sing|Gender=Fem\t3\tdet\t_\t_\n"
    "3\tcasa\t_\tNOUN\tN\tNumber[psor]=Plur\t0\troot\t_\t_\n"
    "# after\twith\ttabs\ta\tb\tc\td\te\tf\tg\n\n"
)
PLAIN = conllu("a/NOUN/Sing/2", "b/VERB/Sing/0", "c/X/-/1")
ALONE = "1\tz\tz\tX\t_\t_\t0\troot\t_\t_\n\n"
COMMENTS = "# newdoc\n# newpar\n\n"

T = TypeVar("T")


def plain_sentences(path: Path) -> Iterator[Sentence | str]:
    """Yield what the fast reader gives, and the messages of faults, one line after the other."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as stream:
        raw = stream.read().removeprefix(b"\xef\xbb\xbf")
    texts = [line.decode(errors="surrogateescape").rstrip("\r") for line in raw.split(b"\n")]
    number, block = 0, list[str]()
    for line, text in enumerate([*texts, ""], start=1):
        if text.strip():
            block.append(text)
            continue
        if any(not each.startswith("#") for each in block):
            start = line - len(block)
            try:
                check(path, start, block)
            except InputError as fault:
                yield str(fault)
            else:
                yield plain_sentence(path.name, start, number, block)
            number += 1
        block = []


def plain_sentence(file: str, line: int, number: int, block: Sequence[str]) -> Sentence:
    comments: list[str] = []
    words: list[list[str]] = []
    ranges: list[MultiwordToken] = []
    extras: list[tuple[int, str]] = []
    for text in block:
        cells = text.split("\t")
        if text.startswith("#") and not words and not extras:
            comments.append(text)
        elif re.fullmatch("[0-9]+", cells[0]):
            words.append(cells)
        else:
            extras.append((len(words), text))
            bounds = re.fullmatch("([0-9]+)-([0-9]+)", cells[0])
            if bounds:
                ranges.append(
                    MultiwordToken(int(bounds[1]) - 1, int(bounds[2]) - 1, cells[1], cells[9])
                )
    heads = tuple(int(cells[6]) - 1 for cells in words)
    _, forms, lemmas, upos, xpos, feats, _, deprels, deps, misc = zip(*words, strict=True)
    rest = (deprels, deps, misc, tuple(ranges), tuple(extras))
    return Sentence(
        file, line, number, tuple(comments), forms, lemmas, upos, xpos, feats, heads, *rest
    )


LONG = "#" * CHUNK_BYTES  # a chunk of the file ends behind such a line
CELLS = (
    *("_", "", " ", "0", "1", "2", "3", "4", "01", "1-2", "2-3", "3-3", "1.1", "0.1", "9" * 5_000),
    *("Number=Sing", "Number", "A=1|A=2", "a b", "\u2028", "\u00a0", "#", "\udcff", "\0", "٣", "-"),
)
edits = st.one_of(
    st.tuples(st.just("cell"), st.integers(0, 40), st.integers(0, 9), st.sampled_from(CELLS)),
    st.tuples(st.just("drop"), st.integers(0, 40), st.just(0), st.just("")),
    st.tuples(st.just("twice"), st.integers(0, 40), st.just(0), st.just("")),
    st.tuples(
        st.just("add"),
        st.integers(0, 40),
        st.just(0),
        st.sampled_from(
            ("", " ", "\t" * 9, "\u00a0\t\u00a0", "# x", "#" + "\t" * 9, "x", "\r", LONG)
        ),
    ),
    st.tuples(st.just("end"), st.integers(0, 40), st.just(0), st.sampled_from(("\r", "\r\r", " "))),
)


def until_fault(found: Iterator[T]) -> list[T | str]:
    """Return what comes before the first fault, and its message."""
    result: list[T | str] = []
    try:
        result.extend(found)
    except InputError as error:
        result.append(str(error))
    return result


def until_text(found: Iterator[T | str]) -> list[T | str]:
    """Return the same of a plain reader."""
    result: list[T | str] = []
    for each in found:
        result.append(each)
        if isinstance(each, str):
            break
    return result


def edited(text: str, changes: Sequence[tuple[str, int, int, str]]) -> bytes:
    """Return a file's bytes after changes to its lines."""
    texts = text.split("\n")
    for kind, place, column, value in changes:
        index = place % len(texts)
        if kind == "cell":
            cells = texts[index].split("\t")
            cells[column % len(cells)] = value
            texts[index] = "\t".join(cells)
        elif kind == "drop" and len(texts) > 1:
            del texts[index]
        elif kind == "twice":
            texts.insert(index, texts[index])
        elif kind == "add":
            texts.insert(index, value)
        elif kind == "end":
            texts[index] += value
    return "\n".join(texts).encode(errors="surrogateescape")


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a first sentence that may be so long that a chunk ends anywhere in the others, and
    these."""
    blocks = draw(st.lists(st.sampled_from((RICH, PLAIN, ALONE, COMMENTS)), min_size=1, max_size=4))
    n_before = draw(st.one_of(st.just(0), st.integers(CHUNK_BYTES - 1_200, CHUNK_BYTES - 40)))
    changes = draw(st.lists(edits, max_size=4))
    return b"#" + b"x" * n_before + b"\n" + ALONE.encode() + edited("".join(blocks), changes)


@pytest.mark.slow
@settings(max_examples=100)
@given(files())
def test_whatever_the_file_holds_the_fast_reader_gives_what_a_plain_one_gives(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("c") / "x.conllu"
    path.write_bytes(content)
    assert events(path) == list(plain_sentences(path))


@settings(max_examples=100)
@given(files())
def test_without_a_listener_the_first_fault_ends_the_reading(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("c") / "x.conllu"
    path.write_bytes(content)
    assert until_fault(read(path)) == until_text(plain_sentences(path))


@given(files(), st.sets(st.integers(0, 5)), st.integers(0, 9))
def test_sentences_that_are_not_wanted_are_counted_and_no_more(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, wanted: set[int], first: int
) -> None:
    path = tmp_path_factory.mktemp("c") / "x.conllu"
    path.write_bytes(content)
    everything = events(path, first_number=first)
    numbers = {first + number for number in wanted}
    found = events(path, only=numbers, first_number=first)
    assert found == [event for number, event in enumerate(everything) if number in wanted]


def heads_of(n_words: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, n_words + 1), min_size=n_words, max_size=n_words)


@settings(max_examples=100)
@given(st.integers(1, 6).flatmap(heads_of))
def test_heads_are_a_tree_if_and_only_if_one_word_is_the_root_and_all_others_lead_to_it(
    tmp_path_factory: pytest.TempPathFactory, heads: list[int]
) -> None:
    path = tmp_path_factory.mktemp("c") / "x.conllu"
    write_conllu(path, conllu(*[f"w/X/-/{head}" for head in heads]))
    below = {number for number, head in enumerate(heads, start=1) if head == 0}
    one_root = len(below) == 1
    for _ in heads:
        below |= {number for number, head in enumerate(heads, start=1) if head in below}
    found = list(read(path, on_bad=lambda fault: None))
    assert len(found) == (one_root and len(below) == len(heads))


def test_a_sentence_may_be_longer_than_the_tables_of_the_reader(tmp_path: Path) -> None:
    n_words = N_PREPARED_WORDS + 3
    words = [f"{n}\tw\tw\tX\t_\t_\t{n - 1}\tdep\t_\t_" for n in range(1, n_words + 1)]
    words.insert(-2, f"{n_words - 1}-{n_words}\tww" + "\t_" * 8)
    path = write_conllu(tmp_path / "x.conllu", "\n".join(words) + "\n\n")
    (sentence,) = read(path)
    assert sentence.heads == tuple(range(-1, n_words - 1))
    assert sentence.ranges == (MultiwordToken(n_words - 2, n_words - 1, "ww", "_"),)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.conllu", "x.conllu.gz"])
@pytest.mark.parametrize("blank", ["", "  "])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str, blank: str) -> None:
    sentence = RICH.replace("\n\n", f"\n{blank}\n").encode()
    path = tmp_path / name
    peaks = []
    for n_sentences in (1_000, 4_000):
        content = sentence * n_sentences
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        tracemalloc.start()
        try:
            assert sum(1 for _ in read(path)) == n_sentences
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000 < len(content)


COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
AS_WRITTEN = {name: lambda cells, index: cells[index] for name in COLUMNS if name != "feats"}
"""For the library: every column but FEATS as its string."""


@pytest.mark.shared
@ALL_FILES
def test_every_treebank_is_read_as_the_conllu_library_reads_it_and_given_back(path: Path) -> None:
    """Sentence by sentence: words, ranges and empty nodes; and each byte comes back."""
    shared("treebanks")
    texts: list[str] = []
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        library = parse_incr(stream, field_parsers=AS_WRITTEN)
        for sentence, theirs in zip(read(path), library, strict=True):
            rows = [[token[name] for name in COLUMNS if name != "feats"] for token in theirs]
            words = [index for index, row in enumerate(rows) if row[0].isdecimal()]
            ours = list(zip(*columns(sentence), strict=True))
            assert [row[:5] + row[6:] for row in map(list, ours)] == [rows[x] for x in words]
            assert [dict(parse_feats(feats)) for feats in sentence.feats] == [
                theirs[index]["feats"] or {} for index in words
            ]
            others = [text.split("\t") for _, text in sentence.extras if text[0] != "#"]
            assert [row[:5] + row[6:] for row in others] == [
                row for row in rows if not row[0].isdecimal()
            ]
            assert sentence.sent_id == theirs.metadata["sent_id"]
            texts.append(to_conllu(sentence))
    assert "".join(texts) == gzip.decompress(path.read_bytes()).decode()


def columns(sentence: Sentence) -> list[tuple[str, ...]]:
    """Return the ten columns as strings."""
    return [
        tuple(str(index + 1) for index in range(len(sentence))),
        *(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats),
        tuple(str(head + 1) for head in sentence.heads),
        *(sentence.deprels, sentence.deps, sentence.misc),
    ]
