"""`+unseen`: no two content words that stand together in a variant have stood together before.

Together means side by side, or one hanging on the other in the tree. Checked up to the target, the
part that a model has read when it chooses; what was seen is the treebank and, side by side only,
any further text that is named.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from ....data.files import numbered_lines
from ....data.items.tree import Sentence, Tree
from ..lexicon import Donor, Lexicon
from .level import Drawn, Level, LevelSetting, Matcher, ReplaceableWord

P = TypeVar("P")
WORD = re.compile(r"\w+(?:-\w+)*")  # elided words and signs stand apart, as in treebanks
CONTENT = frozenset({"ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"})


@dataclass
class _Pairs:
    """Pairs of content words of a treebank."""

    setting: LevelSetting
    beside: set[tuple[str, str]] = field(default_factory=set)  # forms in small letters
    above: set[tuple[str, str]] = field(default_factory=set)  # lemma of the head, of the dependent

    def observe(self, sentence: Sentence) -> None:
        forms = [form.lower() for form in sentence.forms]
        content = [upos in CONTENT for upos in sentence.upos]
        for index, (head, lemma) in enumerate(zip(sentence.heads, sentence.lemmas, strict=True)):
            if not content[index]:
                continue
            if index + 1 < len(forms) and content[index + 1]:
                self.beside.add((forms[index], forms[index + 1]))
            if head >= 0 and content[head]:
                self.above.add((sentence.lemmas[head], lemma))

    def matcher(self, lexicon: Lexicon) -> Matcher:
        for path in self.setting.texts:
            for _, line in numbered_lines(path):
                words = WORD.findall(line.lower())
                self.beside.update(pairwise(words))
        return Matcher(_everything, _everything, clashes=self.clashes)

    def clashes(self, words: Tree, drawn: Drawn, node: int, donor: Donor) -> bool:
        """Whether a word has been seen with one that stands in the sentence already."""
        form = donor.form.lower()
        if node - 1 in drawn and (drawn[node - 1].form.lower(), form) in self.beside:
            return True
        if node + 1 in drawn and (form, drawn[node + 1].form.lower()) in self.beside:
            return True
        head = words.heads[node]
        if head in drawn and (drawn[head].lemma, donor.lemma) in self.above:
            return True
        return any(
            words.heads[other] == node and (donor.lemma, placed.lemma) in self.above
            for other, placed in drawn.items()
        )


def _everything(place: ReplaceableWord, pool: P, width: int) -> P:
    return pool


LEVEL = Level("unseen", "no two content words together that were seen together", _Pairs, True)
