"""Component oracle: a CoNLL-U file in parts beside the whole."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data import Sentence
from colorless_green.miner.treebank.conllu_lines import (
    BLOCK_BYTES,
    CHUNK_BYTES,
    WHOLE_FILE,
    Span,
    spans,
)
from tests.builders import conllu, write_conllu
from tests.miner.mining import events

GOOD = conllu("a/NOUN/Sing/2", "b/VERB/Plur/0")

pieces = st.sampled_from(
    (
        GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n\n", "\n \t\n"),
        GOOD.replace("\n\n", "\n\u00a0\n"),
        GOOD.replace("\tb\t", "\t\u2028\u0085\f\t"),
        GOOD.replace("\t0\t", "\t9\t"),
        GOOD.replace("\tb\t", "\t\udcff\t"),
        "# only = a comment\n\n",
        "\n",
        " \r\n",
        "\f\n",
        "# a line without its end",
        "#" * CHUNK_BYTES + "\n",
    )
)
padding = st.one_of(st.just(0), st.integers(CHUNK_BYTES - 500, CHUNK_BYTES)).map(
    lambda n: "#" * n + "\n"
)
files = st.builds(
    lambda first, parts: "".join([first, *parts]).encode(errors="surrogateescape"),
    padding,  # so long that a chunk of the file may end anywhere
    st.lists(pieces, min_size=1, max_size=8),
)


def events_by_span(path: Path, parts: list[Span]) -> list[Sentence | str]:
    """Return the same, one span after the other, each beginning with the number at which the
    last one ended."""
    found: list[Sentence | str] = []
    for span in parts:
        found += events(path, span=span, first_number=len(found))
    return found


@settings(max_examples=100)
@given(files, st.integers(1, 300))
def test_spans_together_hold_what_the_file_holds(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, n_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("s") / "x.conllu"
    content += b"\n" + GOOD.encode()
    path.write_bytes(content)
    parts = spans(path, n_bytes)
    assert events_by_span(path, parts) == events(path)
    assert parts == [WHOLE_FILE] or are_cut_right(parts, content, n_bytes)


def are_cut_right(parts: list[Span], content: bytes, n_bytes: int) -> bool:
    """Spans cover a file, only the last may be shorter than was asked for, lines are counted."""
    assert [span.start for span in parts] == [0, *[span.end for span in parts[:-1]]]
    assert parts[-1].end == len(content)
    assert all(span.end - span.start >= n_bytes for span in parts[:-1])
    lines = [1 + content[: span.start].count(b"\n") for span in parts]
    return [span.first_line for span in parts] == lines


@pytest.mark.slow
def test_spans_may_be_longer_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD * (4 * BLOCK_BYTES // len(GOOD)))
    parts = spans(path, BLOCK_BYTES + 100)
    assert len(parts) == 4
    assert are_cut_right(parts, path.read_bytes(), BLOCK_BYTES + 100)
    assert events_by_span(path, parts) == events(path)


def test_a_file_is_cut_below_the_first_blank_line_after_the_bytes_asked_for(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD, GOOD, GOOD, GOOD)
    size = len(GOOD)
    assert spans(path, size + 1) == [Span(0, 2 * size, 1), Span(2 * size, 4 * size, 9)]


def test_a_short_file_and_a_packed_one_are_one_span(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "x.conllu", GOOD)
    packed = tmp_path / "x.conllu.gz"
    packed.write_bytes(gzip.compress((GOOD * 9).encode()))
    assert spans(path, 1_000) == spans(packed, 1) == [WHOLE_FILE]
