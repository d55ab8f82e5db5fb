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
from .level import Donors, Level, LevelSetting, Matcher, Pairs, ReplaceableWord

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

        def narrow(word: ReplaceableWord, pool: Donors, width: int) -> Donors:
            level = class_of(word.form)
            return tuple([donor for donor in pool if abs(class_of(donor.form) - level) <= width])

        def narrow_pairs(word: ReplaceableWord, pool: Pairs, width: int) -> Pairs:
            ratio = class_of(word.form) - class_of(word.wrong)
            return tuple(
                [p for p in pool if abs(class_of(p.right) - class_of(p.wrong) - ratio) <= width]
            )

        def facts(replaced: Sequence[tuple[ReplaceableWord, Donor]], width: int) -> dict[str, str]:
            notes = {"frequencies": frequencies.name, "octaves": str(width)}
            if replaced:
                away = [abs(class_of(donor.form) - class_of(word.form)) for word, donor in replaced]
                notes["octaves_away"] = f"{sum(away) / len(away):.2f}"  # mean of the words replaced
            return notes

        def stays(word: ReplaceableWord) -> str:
            return closed_class(word.upos, word.form, word.feats, endings)

        return Matcher(narrow, narrow_pairs, stays, widths=WIDTHS, facts=facts)


LEVEL = Level("frequency", "about as frequent as the word replaced", _WordCounter)
