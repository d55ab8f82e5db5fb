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
from ..lexicon import CONTENT_UPOS, Donor, Lexicon
from .level import Drawn, Level, LevelSetting, Matcher

WORD_PATTERN = re.compile(r"\w+(?:-\w+)*")  # elided words and signs are apart, as in treebanks


@dataclass
class _SeenPairs:
    """Collects the pairs of content words that stand together in a treebank."""

    setting: LevelSetting
    adjacent: set[tuple[str, str]] = field(default_factory=set)  # forms in small letters
    arcs: set[tuple[str, str]] = field(default_factory=set)  # (lemma of the head, of a dependent)

    def observe(self, sentence: Sentence) -> None:
        """Add the pairs of a sentence."""
        forms = [form.lower() for form in sentence.forms]
        is_content = [upos in CONTENT_UPOS for upos in sentence.upos]
        for left, right in pairwise(range(len(forms))):
            if is_content[left] and is_content[right]:
                self.adjacent.add((forms[left], forms[right]))
        for dependent, head in enumerate(sentence.heads):
            if head >= 0 and is_content[head] and is_content[dependent]:
                self.arcs.add((sentence.lemmas[head], sentence.lemmas[dependent]))

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the matcher that refuses pairs seen in the treebank or in further texts."""
        for path in self.setting.texts:
            for _, line in numbered_lines(path):
                words = WORD_PATTERN.findall(line.lower())
                self.adjacent.update(pairwise(words))
        return Matcher(clashes=self.clashes)

    def clashes(self, words: Tree, chosen: Drawn, node: int, donor: Donor) -> bool:
        """Tell whether a candidate for a place was seen together with a word already chosen
        (`chosen`, word of the tree → word): side by side, or one depending on the other."""
        form = donor.form.lower()
        before, after = (
            chosen[neighbour].form.lower() if neighbour in chosen else ""
            for neighbour in (node - 1, node + 1)
        )
        if (before, form) in self.adjacent or (form, after) in self.adjacent:
            return True
        with_donor = {**chosen, node: donor}
        return any(
            (with_donor[head].lemma, with_donor[dependent].lemma) in self.arcs
            for dependent, head in ((word, words.heads[word]) for word in with_donor)
            if node in (head, dependent) and head in with_donor
        )


LEVEL = Level("unseen", _SeenPairs, keeps_tail=True)
