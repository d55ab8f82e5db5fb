"""How far two parses of one text agree, and the sentences on which they agree enough.

A parser's mistakes are not marked in what it writes, but a second parser (or the same one with
other models) seldom makes the same: where both give the same tree, the tree is more often right
(Sagae and Tsujii 2007 choose training sentences so). The two may split the text into sentences
otherwise, and one may lack some of it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from colorless_green.data.errors import InputError
from colorless_green.miner.parse.text import raw_text
from colorless_green.miner.tree import Sentence

WINDOW = 1_000  # sentences looked ahead for one that both parses have
NO_COUNTERPART = "the second parse has no such sentence"
OTHER_WORDS = "the second parse splits it into other words"
TOO_LOW = "the parses agree too little"

OnDropped = Callable[[Sentence, str], None]
"""Told each sentence that goes, and which of the three reasons it is."""


def agreement(one: Sentence, other: Sentence) -> float:
    """The share (0–1) of words with the same UPOS, HEAD and universal DEPREL in both.

    All words count, punctuation too; a subtype (`nsubj:pass`) does not. 0 where the two are not
    the same words: another form, another multiword token. The order of the two does not matter.
    """
    if not _same_words(one, other):
        return 0.0
    return sum(a == b for a, b in zip(_analyses(one), _analyses(other), strict=True)) / len(one)


def _same_words(one: Sentence, other: Sentence) -> bool:
    spans = [[(each.first, each.last) for each in sentence.ranges] for sentence in (one, other)]
    return one.forms == other.forms and spans[0] == spans[1]


def _analyses(sentence: Sentence) -> Iterator[tuple[str, int, str]]:
    universal = (deprel.partition(":")[0] for deprel in sentence.deprels)
    return zip(sentence.upos, sentence.heads, universal, strict=True)


def concordant(
    sentences: Iterable[Sentence],
    others: Iterable[Sentence],
    minimum: float,
    *,
    on_dropped: OnDropped = lambda sentence, reason: None,
) -> Iterator[tuple[Sentence, float]]:
    """The sentences whose agreement with their counterpart in `others` is `minimum` or more, in
    order, each with it; all others go to `on_dropped`.

    A sentence without counterpart always goes. Raises `InputError` for a `minimum` outside 0–1.
    """
    if not 0 <= minimum <= 1:
        raise InputError(
            "--min-agreement", f"{minimum:g} is no share", "a number from 0 to 1", kind="value"
        )
    for sentence, other in paired(sentences, others):
        if other is None:
            on_dropped(sentence, NO_COUNTERPART)
            continue
        share = agreement(sentence, other)
        if share >= minimum:
            yield sentence, share
        else:
            on_dropped(sentence, TOO_LOW if _same_words(sentence, other) else OTHER_WORDS)


def paired(
    sentences: Iterable[Sentence], others: Iterable[Sentence], window: int = WINDOW
) -> Iterator[tuple[Sentence, Sentence | None]]:
    """Each of `sentences`, in order, with the one of `others` that has the same text, or `None`.

    Texts are compared without blanks. Where they part, first the characters are followed: if the
    same text was only split into sentences otherwise, the two meet again where both have a
    sentence end, and every sentence with the same two ends in both is paired. Where the texts
    themselves differ (one lacks a stretch), they meet at the nearest pair of equal sentences, at
    most `window` ahead on either side. No pairs cross, and no sentence is in two.
    """
    ours, theirs = _Ahead(sentences, window), _Ahead(others, window)
    while ours.key(0) is not None:
        n_ours, n_theirs = 0, 0
        if theirs.key(0) is None:
            n_ours = 1
        elif ours.key(0) != theirs.key(0):
            n_ours, n_theirs = _same_stretch(ours, theirs) or _nearest(ours, theirs)
        for _ in range(n_ours):
            yield ours.pop(), None
        for _ in range(n_theirs):
            theirs.pop()
        if not n_ours and not n_theirs:
            yield ours.pop(), theirs.pop()


class _Ahead:
    """A stream of sentences that can be looked into, fewer than `window` ahead."""

    def __init__(self, sentences: Iterable[Sentence], window: int) -> None:
        self.stream = iter(sentences)
        self.window = window
        self.waiting: deque[tuple[str, Sentence]] = deque()

    def key(self, index: int) -> str | None:
        """The text, without blanks, of the sentence `index` places ahead; `None` if there is none
        so near."""
        while len(self.waiting) <= index < self.window:
            sentence = next(self.stream, None)
            if sentence is None:
                return None
            self.waiting.append(("".join(raw_text(sentence).split()), sentence))
        return self.waiting[index][0] if index < self.window else None

    def pop(self) -> Sentence:
        """The next sentence, which is then behind."""
        return self.waiting.popleft()[1]


def _same_stretch(ours: _Ahead, theirs: _Ahead) -> tuple[int, int] | None:
    """How many sentences of each make up the same characters; `None` if the characters differ."""
    n_ours, n_theirs = 1, 1
    our_rest, their_rest = ours.key(0), theirs.key(0)
    while our_rest is not None and their_rest is not None:
        if our_rest == their_rest:
            return n_ours, n_theirs
        if our_rest.startswith(their_rest):
            our_rest = our_rest[len(their_rest) :]
            their_rest = theirs.key(n_theirs)
            n_theirs += 1
        elif their_rest.startswith(our_rest):
            their_rest = their_rest[len(our_rest) :]
            our_rest = ours.key(n_ours)
            n_ours += 1
        else:
            return None
    return None


def _nearest(ours: _Ahead, theirs: _Ahead) -> tuple[int, int]:
    """How many sentences of each to pass over until two have the same text: neither more than
    need be, then few in all, then few of ours. If no two have, all of ours that can be seen."""
    our_places: dict[str | None, int] = {}
    their_places: dict[str | None, int] = {}
    seen = 0
    for distance in range(ours.window):
        our_key, their_key = ours.key(distance), theirs.key(distance)
        if our_key is None and their_key is None:
            break
        our_places.setdefault(our_key, distance)
        their_places.setdefault(their_key, distance)
        seen += our_key is not None
        meetings = []
        if our_key is not None and our_key in their_places:
            meetings.append((distance, their_places[our_key]))
        if their_key is not None and their_key in our_places:
            meetings.append((our_places[their_key], distance))
        if meetings:
            return min(meetings, key=lambda places: (sum(places), places[0]))
    return seen, 0
