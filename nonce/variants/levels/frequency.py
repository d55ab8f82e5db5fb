"""`+frequency`: a replacement is about as frequent as the word it replaces.

Within one octave (a factor of two), widened by one until there are enough candidates; a pair of
target forms has about the original's ratio of frequencies, since models prefer the more frequent
form whatever the grammar says (Wei et al. 2021, EMNLP). Adverbs of closed classes and
negations stay, as at every level above `morphology`: *not* is about as frequent as *so*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....data.items.tree import Sentence
from ..frames.usable_forms import closed_class, productive_endings
from ..frequencies import frequencies_from
from ..lexicon import Donor, Lexicon
from .level import Donors, Level, LevelSetting, Matcher, ReplaceableWord

WIDTHS = (1, 2, 3, 4)  # octaves


@dataclass
class _WordCounter:
    """Counts the words of the treebank, unless frequencies were given."""

    setting: LevelSetting
    counts: dict[str, int] = field(default_factory=dict)

    def observe(self, sentence: Sentence) -> None:
        """Count the words of a sentence."""
        if self.setting.frequencies is None:
            for form in sentence.forms:
                word = form.lower()
                self.counts[word] = self.counts.get(word, 0) + 1

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the level with the frequencies of words."""
        endings = productive_endings(lexicon.paradigms.counts)
        frequencies = self.setting.frequencies or frequencies_from(self.counts)
        class_of = frequencies.frequency_class

        def level_of(word: ReplaceableWord | Donor) -> float:
            """Return a word's class, or by how much the right form's exceeds the wrong one's."""
            return class_of(word.form) - (class_of(word.wrong) if word.wrong else 0)

        def narrow(word: ReplaceableWord, pool: Donors, width: int) -> Donors:
            level = level_of(word)
            return tuple([donor for donor in pool if abs(level_of(donor) - level) <= width])

        def facts(replaced: Sequence[tuple[ReplaceableWord, Donor]], width: int) -> dict[str, str]:
            notes = {"frequencies": frequencies.name, "octaves": str(width)}
            if replaced:
                away = [abs(class_of(donor.form) - class_of(word.form)) for word, donor in replaced]
                notes["octaves_away"] = f"{sum(away) / len(away):.2f}"  # mean of the words replaced
            return notes

        def stays(word: ReplaceableWord) -> str:
            return closed_class(word.upos, word.form, word.feats, endings)

        return Matcher(narrow, stays, widths=WIDTHS, facts=facts)


LEVEL = Level("frequency", _WordCounter)
