"""Which characters a subword stands for, and where a continuation begins among subwords.

    characters   T h e   k e y s   a r e          prefix "The keys", continuation " are"
    border                       |
    subwords    [The][  keys   ][  are ]          a blank goes with the subword after it

A text is always tokenised whole, never in pieces, for a piece is cut otherwise than the same
characters in running text. Tokenizers disagree on who has the blank between two words: byte pairs
and "▁" put it at the start of the next subword, trimmed offsets leave it out. So first every
uncovered blank is given to the subword after it (`tiled`). Then the subwords that the prefix has
when it stands alone are compared with those of the whole text. Normally all of them
are there again, and what follows them is the continuation. If the border falls where a tokenizer
joins (within a word, or anywhere in scripts without blanks), some are not:

    alone       [The][  k][e]                     prefix "The ke"
    border                  |
    subwords    [The][   keys   ][   are ]        continuation "ys are"

Then the surprisal of the continuation is still S(whole text) − S(prefix), the difference that it is
in the ordinary case too. So a surprisal never depends on which continuations it competes with, and
two of them compare as the two whole texts do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
"""Start and end, half-open, in characters (code points)."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as a tokenizer cuts it."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


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
