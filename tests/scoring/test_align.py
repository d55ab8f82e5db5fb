"""Subwords and characters: blanks, borders, and where a continuation begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring.align import Boundary, Cut, Span, boundary, common_length, owner, tiled

cuts = st.lists(st.text("aб ", min_size=1, max_size=3), max_size=8)


def spans_of(pieces: list[str]) -> list[Span]:
    """Where pieces stand in the text they make."""
    starts = [sum(map(len, pieces[:n])) for n in range(len(pieces))]
    return [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]


def trimmed(pieces: list[str]) -> list[Span]:
    """The same without the blanks at the start of each piece, as some tokenizers say it."""
    return [
        (end - len(piece.lstrip()), end)
        for piece, (_, end) in zip(pieces, spans_of(pieces), strict=True)
    ]


@given(cuts)
def test_spans_are_the_same_whether_a_tokenizer_trims_its_offsets_or_not(
    pieces: list[str],
) -> None:
    text = "".join(pieces)
    assert tiled(text, spans_of(pieces)) == tuple(spans_of(pieces))
    if all(piece.strip() for piece in pieces):
        assert tiled(text, trimmed(pieces)) == tuple(spans_of(pieces))


def test_characters_that_a_tokenizer_drops_belong_to_no_subword() -> None:
    assert tiled("a\u200bb", [(0, 1), (2, 3)]) == ((0, 1), (2, 3))


def test_bytes_of_one_character_keep_its_span() -> None:
    assert tiled("a б", [(0, 1), (2, 3), (2, 3)]) == ((0, 1), (1, 3), (2, 3))


@pytest.mark.parametrize(
    ("text", "span", "found"),
    [
        (" keys", (0, 5), 4),
        ("keys ", (0, 5), 3),  # a tokenizer that puts blanks at the end
        ("a  b", (1, 3), 2),
        ("The", (0, 0), 0),  # a lone "▁" before the first word
        ("a б", (2, 3), 2),
    ],
)
def test_a_subword_belongs_where_its_last_character_but_blanks_stands(
    text: str, span: Span, found: int
) -> None:
    assert owner(text, span) == found


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_the_common_length_is_the_longest_shared_start(one: list[int], other: list[int]) -> None:
    n = common_length(one, other)
    assert one[:n] == other[:n]
    assert one[: n + 1] != other[: n + 1] or n == len(one) == len(other)


def cut(*pieces: str) -> Cut:
    """A text in these pieces, each one's id a number of its own."""
    ids = tuple(int.from_bytes(piece.encode()) for piece in pieces)
    return Cut(ids, tuple(spans_of(list(pieces))))


@pytest.mark.parametrize(
    ("prefix", "whole", "n_characters", "found"),
    [
        (("The", " keys"), ("The", " keys", " are"), 8, Boundary(2, 2)),
        ((), ("The", " keys"), 0, Boundary(0, 0)),
        (("The", " k", "e"), ("The", " keys", " are"), 6, Boundary(1, 1)),
        (("The", " ke"), ("The", " k", "e", "ys"), 6, Boundary(1, 3)),  # `[e]` ends at the border
        (("The", " keys"), ("The", " keys"), 8, Boundary(2, 2)),
        (("a",), ("b",), 1, Boundary(0, 1)),  # no subword reaches into the continuation
    ],
)
def test_a_continuation_begins_behind_what_prefix_and_whole_have_in_common(
    prefix: tuple[str, ...], whole: tuple[str, ...], n_characters: int, found: Boundary
) -> None:
    assert boundary(cut(*prefix), "".join(whole), cut(*whole), n_characters) == found
