"""`+frequency`: a replacement is about as frequent as the word it replaces.

The two differ by one octave (a factor of two) at most, or by more octaves if there are too few
candidates. A pair of target forms has about the original's ratio of frequencies, since models
prefer the more frequent form whatever the grammar says (Wei et al. 2021, EMNLP). Adverbs of closed
classes and negations stay, as at every level above `morphology`: *not* is as frequent as *so*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....data.items.tree import Sentence
from ..frames.usable_forms import closed_class_reason, productive_endings
from ..frequencies import frequencies_from
from ..lexicon import Donor, Lexicon
from .level import Donors, Level, LevelSetting, Matcher, ReplaceableWord

WIDTHS = (1, 2, 3, 4)  # octaves by which old and new word may differ, tried in this order


@dataclass
class _WordCounter:
    """Counts the words of the treebank, unless the settings name other frequencies."""

    setting: LevelSetting
    counts: dict[str, int] = field(default_factory=dict)

    def observe(self, sentence: Sentence) -> None:
        """Count the words of a sentence."""
        if self.setting.frequencies is None:
            for form in sentence.forms:
                word = form.lower()
                self.counts[word] = self.counts.get(word, 0) + 1

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the matcher that admits only words about as frequent as the replaced word."""
        endings = productive_endings(lexicon.paradigms.counts)
        frequencies = self.setting.frequencies or frequencies_from(self.counts)
        log2_frequency = frequencies.frequency_class

        def octaves(word: ReplaceableWord | Donor) -> float:
            """Return the log2 frequency of a word; of a pair of target forms, by how much the right
            form's exceeds the wrong form's."""
            wrong_octaves = log2_frequency(word.wrong) if word.wrong else 0
            return log2_frequency(word.form) - wrong_octaves

        def narrow(word: ReplaceableWord, pool: Donors, width: int) -> Donors:
            """Return the candidates within `width` octaves of a word."""
            wanted = octaves(word)
            return tuple([donor for donor in pool if abs(octaves(donor) - wanted) <= width])

        def facts(replaced: Sequence[tuple[ReplaceableWord, Donor]], width: int) -> dict[str, str]:
            """Return notes for the item of a variant: where frequencies are from, the width in
            octaves, and the mean distance between new and old words in octaves."""
            notes = {"frequencies": frequencies.name, "octaves": str(width)}
            if replaced:
                distances = [
                    abs(log2_frequency(donor.form) - log2_frequency(word.form))
                    for word, donor in replaced
                ]
                notes["octaves_away"] = f"{sum(distances) / len(distances):.2f}"
            return notes

        def stays(word: ReplaceableWord) -> str:
            """Return the reason why a word must stay, or "" if it may be replaced."""
            return closed_class_reason(word.upos, word.form, word.feats, endings)

        return Matcher(narrow, stays, widths=WIDTHS, facts=facts)


LEVEL = Level("frequency", _WordCounter)
