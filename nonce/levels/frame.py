"""`+frame`: a replacement has been seen in the frame that the word stands in.

Verbs with the same objects, clauses, particles and adpositions, nouns with the same kind of
determiner and of number, modifiers in the same place; words of fixed use stay (`nonce/frames/`).
So *it stays the shuttle* (Gulordava et al. 2018, §2) is not made.
"""

from dataclasses import dataclass

from colorless_green.miner.tree import Sentence, Tree
from colorless_green.nonce.frames.index import FrameCounter, FrameIndex, Slot
from colorless_green.nonce.levels.level import (
    Donors,
    Level,
    Matcher,
    Observer,
    Pairs,
    Place,
    Setting,
)
from colorless_green.nonce.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class _Observer:
    counter: FrameCounter

    def observe(self, sentence: Sentence) -> None:
        self.counter.observe(sentence)

    def matcher(self, lexicon: Lexicon) -> Matcher:
        return matcher(self.counter.index())


def matcher(index: FrameIndex) -> Matcher:
    """The level with the frames of a treebank."""
    last: list[tuple[Tree, tuple[Slot, ...]]] = []  # of one sentence: its places come together

    def slot(place: Place) -> Slot:
        if not last or last[0][0] is not place.words:
            last[:] = [(place.words, index.slots(place.words))]
        return last[0][1][place.node]

    def stays(place: Place) -> str:
        if not place.in_tree:
            return "its sentence has no tree"
        return slot(place).bound

    def narrow(place: Place, pool: Donors, width: int) -> Donors:
        frame = slot(place).frame
        upos, feats = place.upos, place.feats
        return tuple(
            [each for each in pool if index.admits(frame, each.form, each.lemma, upos, feats)]
        )

    def narrow_pairs(place: Place, pool: Pairs, width: int) -> Pairs:
        frame = slot(place).frame
        upos, feats = place.upos, place.feats
        return tuple(
            [each for each in pool if index.admits(frame, each.right, each.lemma, upos, feats)]
        )

    return Matcher(narrow, narrow_pairs, stays)


def _observer(setting: Setting) -> Observer:
    return _Observer(FrameCounter(setting.language))


LEVEL = Level("frame", "seen in the same frame", _observer, keeps_tail=True)
