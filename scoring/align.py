"""Which characters a subword stands for, and to which side of a border it belongs.

    characters   T h e   k e y s   a r e          prefix "The keys", continuation " are"
    border                       |
    subwords    [The][  keys   ][  are ]          a blank goes with the subword after it
    owner         e         s        e            the last character that is not a blank

A text is always tokenised whole, never in pieces, and its subwords are then told apart by their
character offsets (half-open). Tokenizers disagree on who has the blank between two words: byte
pairs and "▁" put it at the start of the next subword, trimmed offsets leave it out. So first every
uncovered blank is given to the subword after it (`tiled`); then a subword belongs where its last
non-blank character stands (`owner`), whatever blanks it carries. The bytes of one character all
have its offsets, so they stay together.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
"""Start and end, half-open, in characters (code points)."""


def tiled(text: str, offsets: Sequence[Span]) -> tuple[Span, ...]:
    """`offsets` of a tokenizer, each stretched left over blanks that no subword covers."""
    spans: list[Span] = []
    covered = 0
    for start, end in offsets:
        if start > covered and text[covered:start].isspace():
            start = covered
        spans.append((start, max(start, end)))
        covered = max(covered, end)
    return tuple(spans)


def owner(text: str, span: Span) -> int:
    """The character that says where a subword belongs: its last one that is not a blank.

    Its last one if all are blanks; the one it stands before if it has none (a lone "▁").
    """
    start, end = span
    if start == end:
        return start
    bare = len(text[start:end].rstrip())
    return start + bare - 1 if bare else end - 1


def first_after(text: str, spans: Sequence[Span], border: int) -> int:
    """Index of the first subword that belongs after `border`; `len(spans)` if there is none.

    A subword that straddles the border belongs after it (its owner stands there).
    """
    found = (index for index, span in enumerate(spans) if owner(text, span) >= border)
    return next(found, len(spans))


def scored_from(sequences: Sequence[Sequence[int]], firsts: Sequence[int]) -> tuple[int, ...]:
    """From which subword on each of the competing texts is scored.

    `sequences` are their subword ids, `firsts` where each one's continuation begins. As long as
    all have the same subwords before it, that is where. If the shared prefix is cut differently
    before different continuations, their conditions differ and so would the meaning of their
    surprisals; then all are scored from the end of the subwords that all have in common.
    """
    contexts = {tuple(ids[:first]) for ids, first in zip(sequences, firsts, strict=True)}
    if len(contexts) <= 1:
        return tuple(firsts)
    return (min(common_length(sequences), *firsts),) * len(firsts)


def common_length(sequences: Sequence[Sequence[int]]) -> int:
    """How many ids at the start all sequences share."""
    columns = zip(*sequences, strict=False)
    differ = (index for index, column in enumerate(columns) if len(set(column)) > 1)
    return next(differ, min(map(len, sequences)))


def regions(owners: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
    """For each subword the 0-based index of its region.

    `owners` are positions in the regions joined (characters of text, or words), `lengths` the
    regions' lengths in the same unit. A position before the first region counts to the first one
    that is not empty, a position after the last to the last such.
    """
    ends = list(accumulate(lengths))
    filled = [index for index, length in enumerate(lengths) if length]
    found = []
    for position in owners:
        held = (index for index in filled if position < ends[index])
        found.append(next(held, filled[-1]))
    return tuple(found)
