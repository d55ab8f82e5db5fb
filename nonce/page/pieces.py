"""A sentence's raw text, cut where its tokens are, and the side it is read from."""

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

BLANKS = " \t\n\u00a0\u3000"  # what may stand before a token in its piece; `draw.js` has the same


def pieces(tokens: Sequence[str], spaces: Sequence[str], text: str) -> tuple[str, ...]:
    """`text` in as many stretches as there are tokens, each with the blank before its token.

    Joined they are `text`, whatever it is. Where it is not the tokens one after the other (an
    article was elided, a hyphen lost), the cuts go along with the characters that both share, and a
    token of which nothing is left has an empty piece. Without tokens there is no piece.
    """
    if not tokens:
        return ()
    blanks = spaces or ("", *[" "] * (len(tokens) - 1))
    plain = tuple(blank + token for blank, token in zip(blanks, tokens, strict=True))
    joined = "".join(plain)
    if joined == text:
        return plain
    shared = SequenceMatcher(None, joined, text, autojunk=False).get_opcodes()
    cuts, end = [0], 0
    for piece in plain[:-1]:
        end += len(piece)
        cuts.append(_moved(end, shared))
    return tuple(text[start:stop] for start, stop in pairwise([*cuts, len(text)]))


def _moved(place: int, shared: Sequence[tuple[str, int, int, int, int]]) -> int:
    """Where a cut of one text falls in the other: inside what differs, at its end, so that what was
    written instead of two tokens' edges stays with the first (l'amico)."""
    for kind, start, stop, other, other_stop in shared:
        if start <= place < stop:
            step = place - start
            return other + step if kind == "equal" or not step else other_stop
    return shared[-1][4]


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters of the texts are of scripts written from right to left (Unicode classes
    R and AL against L); no letters and as many of both: no."""
    balance = 0
    for text in texts:
        for character in text:
            side = unicodedata.bidirectional(character)
            balance += side in ("R", "AL")
            balance -= side == "L"
    return balance > 0


def has_right_to_left(text: str) -> bool:
    """Whether any letter of the text is of a script written from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
