"""`+unseen`: no two content words that stand together in a variant have stood together before.

Together means side by side, or one depending on the other in the tree. Only the words up to the
target are checked, the part that a model has read when it chooses. Pairs come from the treebank
and, side by side only, from further texts that the recipe names.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from ....data.files import numbered_lines
from ....data.items.tree import Sentence, Tree
from ..lexicon import Donor, Lexicon
from .level import Drawn, Level, LevelSetting, Matcher

WORD = re.compile(r"\w+(?:-\w+)*")  # elided words and signs are apart, as in treebanks
CONTENT = frozenset({"ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"})


@dataclass
class _SeenPairs:
    """Collects the pairs of content words that stand together in a treebank."""

    setting: LevelSetting
    adjacent: set[tuple[str, str]] = field(default_factory=set)  # forms in small letters
    arcs: set[tuple[str, str]] = field(default_factory=set)  # (lemma of the head, of a dependent)

    def observe(self, sentence: Sentence) -> None:
        """Add the pairs of a sentence."""
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
        """Return the matcher that refuses pairs seen in the treebank or in further texts."""
        for path in self.setting.texts:
            for _, line in numbered_lines(path):
                words = WORD.findall(line.lower())
                self.adjacent.update(pairwise(words))
        return Matcher(clashes=self.clashes)

    def clashes(self, words: Tree, chosen: Drawn, node: int, donor: Donor) -> bool:
        """Tell whether a candidate for a place was seen together with a word already chosen
        (`chosen`, word of the tree → word): side by side, or one depending on the other."""
        known, form = {**chosen, node: donor}, donor.form.lower()
        before, after = (
            chosen[n].form.lower() if n in chosen else "" for n in (node - 1, node + 1)
        )
        arcs = [(words.heads[n], n) for n in known]
        return not self.adjacent.isdisjoint({(before, form), (form, after)}) or any(
            (known[head].lemma, known[n].lemma) in self.arcs
            for head, n in arcs
            if node in (head, n) and head in known
        )


LEVEL = Level("unseen", _SeenPairs, True)
