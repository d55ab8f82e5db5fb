"""`+frame`: a replacement has been seen in the frame that the word stands in.

Verbs with the same objects, clauses, particles and adpositions, nouns with the same kind of
determiner and of number, modifiers in the same place; words of fixed use stay
(`nonce/variants/frames/`). So *it stays the shuttle* (Gulordava et al. 2018, §2) is not made.
"""

from ....data.items.tree import Tree
from ..frames.index import FrameCounter, FrameSlot
from ..lexicon import Lexicon
from .level import Donors, Level, LevelSetting, Matcher, Pairs, ReplaceableWord


class _Frames(FrameCounter):
    """The frames of the sentences seen."""

    def __init__(self, setting: LevelSetting) -> None:
        super().__init__(setting.language)

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the level with the frames of a treebank."""
        index = self.index()
        cached: list[tuple[Tree, tuple[FrameSlot, ...]]] = []  # one sentence: words come together

        def slot(word: ReplaceableWord) -> FrameSlot:
            if not cached or cached[0][0] is not word.words:
                cached[:] = [(word.words, index.slots(word.words))]
            return cached[0][1][word.node]

        def stays(word: ReplaceableWord) -> str:
            return slot(word).bound if word.in_tree else "its sentence has no tree"

        def narrow(word: ReplaceableWord, pool: Donors, width: int) -> Donors:
            tags = (word.upos, word.feats)
            frame = slot(word).frame
            return tuple([w for w in pool if index.admits(frame, w.form, w.lemma, *tags)])

        def narrow_pairs(word: ReplaceableWord, pool: Pairs, width: int) -> Pairs:
            tags = (word.upos, word.feats)
            frame = slot(word).frame
            return tuple(
                [
                    w
                    for w in pool
                    if index.admits(frame, w.right, w.lemma, *tags)
                    and index.is_sound(w.wrong, w.lemma, word.upos)
                    and not lexicon.is_odd(w)
                ]
            )

        return Matcher(narrow, narrow_pairs, stays)


LEVEL = Level("frame", "seen in the same frame", _Frames, keeps_tail=True, rereads=True)
