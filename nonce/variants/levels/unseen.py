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
class _SeenPairs:
    """Pairs of content words of a treebank."""

    setting: LevelSetting
    adjacent: set[tuple[str, str]] = field(default_factory=set)  # forms in small letters
    arcs: set[tuple[str, str]] = field(default_factory=set)  # lemma of the head, of the dependent

    def observe(self, sentence: Sentence) -> None:
        forms = [form.lower() for form in sentence.forms]
        content = [upos in CONTENT for upos in sentence.upos]
        for index, (head, lemma) in enumerate(zip(sentence.heads, sentence.lemmas, strict=True)):
            if not content[index]:
                continue
            if index + 1 < len(forms) and content[index + 1]:
                self.adjacent.add((forms[index], forms[index + 1]))
            if head >= 0 and content[head]:
                self.arcs.add((sentence.lemmas[head], lemma))

    def matcher(self, lexicon: Lexicon) -> Matcher:
        for path in self.setting.texts:
            for _, line in numbered_lines(path):
                words = WORD.findall(line.lower())
                self.adjacent.update(pairwise(words))
        return Matcher(_keep_all, _keep_all, clashes=self.clashes)

    def clashes(self, words: Tree, chosen: Drawn, node: int, donor: Donor) -> bool:
        """Tell whether a word has been seen with one that stands in the sentence already."""
        form = donor.form.lower()
        if node - 1 in chosen and (chosen[node - 1].form.lower(), form) in self.adjacent:
            return True
        if node + 1 in chosen and (form, chosen[node + 1].form.lower()) in self.adjacent:
            return True
        head = words.heads[node]
        if head in chosen and (chosen[head].lemma, donor.lemma) in self.arcs:
            return True
        return any(
            words.heads[n] == node and (donor.lemma, placed.lemma) in self.arcs
            for n, placed in chosen.items()
        )


def _keep_all(word: ReplaceableWord, pool: P, width: int) -> P:
    return pool


LEVEL = Level("unseen", "no two content words together that were seen together", _SeenPairs, True)
