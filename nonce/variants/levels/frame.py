"""`+frame`: a replacement has been seen in the frame that the word stands in.

The frame of a verb has its objects, clauses, particles and adpositions, that of a noun its kind of
determiner and number, that of a modifier its place; words of fixed use stay
(`nonce/variants/frames/`). So *it stays the shuttle* (Gulordava et al. 2018, §2) is not made.
"""

from functools import lru_cache

from ..frames import FrameCounter
from ..lexicon import Donor, Lexicon
from .level import Donors, Level, LevelSetting, Matcher, ReplaceableWord


class _Frames(FrameCounter):
    """Learns frames from the sentences of a treebank."""

    def __init__(self, setting: LevelSetting) -> None:
        super().__init__(setting.language)

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the matcher that admits only words seen in the frame of the replaced word."""
        index = self.index()
        slots_of = lru_cache(maxsize=1)(index.slots)  # the words of a sentence come together

        def stays(word: ReplaceableWord) -> str:
            """Return the reason why a word must stay, or "" if it may be replaced."""
            return slots_of(word.words)[word.node].stays

        def narrow(word: ReplaceableWord, pool: Donors, width: int) -> Donors:
            """Return the candidates that were seen in the frame of a word. `width` is not used."""
            frame = slots_of(word.words)[word.node].frame

            def fits(donor: Donor) -> bool:
                """Tell whether a candidate, and its wrong form if it has one, may fill the slot."""
                if not index.admits(frame, donor.form, donor.lemma, word.upos, word.feats):
                    return False
                return not donor.wrong or (
                    index.is_sound(donor.wrong, donor.lemma, word.upos)
                    and not lexicon.is_odd(donor)
                )

            return tuple([donor for donor in pool if fits(donor)])

        return Matcher(narrow, stays)


LEVEL = Level("frame", _Frames, keeps_tail=True, rereads=True)
