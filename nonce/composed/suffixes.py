"""Suffix rules: one form of a word from another (*-y* → *-ies*), learned from a treebank.

They are learned from the words that show both forms, and used where enough of them bear a rule
out. Each word is left out in turn to see how often the rules are right; where they are weak they
are off.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .thresholds import T

if TYPE_CHECKING:
    from ...miner.originals.unimorph.wordlist import UniMorph

NUMBERS = ("Sing", "Plur")
VOWELS = re.compile("[aeiouyáéíóúäöüőű]+")
BACK, FRONT = "aouáóú", "äöyüőű"  # the last of these tells the vowels of suffixes
LONGEST = 5  # letters of a suffix that a rule looks at
TREEBANK, RULE, UNIMORPH = "treebank", "rule", "unimorph"


class FilledForm(NamedTuple):
    """A form and where it is from."""

    form: str
    source: str  # treebank, rule or unimorph
    n: int  # uses in the treebank


class SuffixRules:
    """Suffix rules that make one form of a word from another, learned from words that show both.

    Args:
        pairs: (class of the word, form, other form); one that comes twice counts once.

    Attributes:
        harmony: whether the class of a word's vowels counts too (Finnish *-vat* and *-vät*).
        counts: (class, suffix) → exchanges of endings, and how many words make them.
        n_right: words, each left out, whose other form the rules tell rightly.
        n_made: words, each left out, of which the rules tell a form.

    >>> stems = [begin + end for begin in ("ba", "lo", "mi", "pre", "sto") for end in "kndt"]
    >>> rules = SuffixRules(("noun", stem, stem + "s") for stem in stems)
    >>> rules.predict("noun", "lamp"), rules.is_sound
    ('lamps', True)
    """

    def __init__(self, pairs: Iterable[tuple[str, str, str]]) -> None:
        words = sorted(set(pairs))
        self.harmony = False
        self.counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
        self.n_right, self.n_made = self._learn(words)
        if self.n_right < self.n_made and any(vowel in new for *_, new in words for vowel in FRONT):
            without = self.counts, self.n_right, self.n_made
            self.harmony = True  # Finnish *-vat* and *-vät*
            n_right, n_made = self._learn(words)
            if n_right * self.n_made > self.n_right * n_made:
                self.n_right, self.n_made = n_right, n_made
            else:
                self.harmony = False
                self.counts, self.n_right, self.n_made = without

    def _learn(self, words: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
        """Counts suffixes; of the words, each left out, that a rule tells, how many are right."""
        self.counts = {}
        for kind, old, new in words:
            exchange = change(old, new)
            for suffix in _suffixes(old, len(exchange[0])):
                self.counts.setdefault((self._kind(kind, old), suffix), Counter())[exchange] += 1
        predictions = [(self.predict(kind, old, change(old, new)), new) for kind, old, new in words]
        return sum(got == new for got, new in predictions), sum(bool(got) for got, _ in predictions)

    def _kind(self, kind: str, form: str) -> str:
        """The class of a word, with that of its vowels where these make a difference."""
        if not self.harmony:
            return kind
        syllables = "".join(VOWELS.findall(form.lower())[-3:])  # Finnish *toimen|pide*
        last_vowel = next((vowel for vowel in reversed(syllables) if vowel in BACK + FRONT), "-")
        return f"{kind} {'back' if last_vowel in BACK else 'front'}"

    @property
    def is_sound(self) -> bool:
        """Whether the rules are right often enough about words that they did not see."""
        return self.n_made >= T["rule_words"] and self.n_right >= T["rule_accuracy"] * self.n_made

    def predict(
        self,
        kind: str,
        form: str,
        without: tuple[str, str] | None = None,
        floor: float = T["rule_consistency"],
    ) -> str:
        """The other form of a word, by the longest suffix that is sure of it.

        Args:
            kind: class of the word, as learned.
            form: of the word.
            without: an exchange that is counted once less, where the word itself was learned from.
            floor: share of the words with the suffix that must make the same exchange.

        Returns:
            The other form; "" if no suffix is sure.
        """
        for suffix in reversed(list(_suffixes(form, 0))):
            seen = self.counts.get((self._kind(kind, form), suffix))
            if seen is None:
                continue
            total = seen.total() - (without is not None)
            best, n = max(
                ((exchange, n - (exchange == without)) for exchange, n in seen.items()),
                key=lambda entry: (entry[1], entry[0]),
            )
            if total >= T["rule_support"] and n >= floor * total:
                strip, add = best
                return form[: len(form) - len(strip)] + add if form.endswith(strip) else ""
        return ""


def from_word_list(
    unimorph: "UniMorph", form: str, lemma: str, upos: str, feats: str, number: str
) -> FilledForm | None:
    """A form with another number from a word list, if there is just one."""
    from ...miner.originals.unimorph.wordlist import alternates

    forms = alternates(unimorph, form, lemma, upos, feats, "Number", number)
    return FilledForm(forms[0], UNIMORPH, 0) if len(forms) == 1 else None


def elected(votes: Counter[str]) -> FilledForm | None:
    """The form that nearly all sources lead to."""
    votes = +votes
    if not votes:
        return None
    form, n = max(sorted(votes.items()), key=lambda entry: entry[1])
    return FilledForm(form, RULE, 0) if n >= T["noun_top"] * votes.total() else None


def change(old: str, new: str) -> tuple[str, str]:
    """What is taken from the end of one form, and what is put there."""
    shared = 0
    for old_letter, new_letter in zip(old, new, strict=False):
        if old_letter != new_letter:
            break
        shared += 1
    return old[shared:], new[shared:]


def _suffixes(form: str, min_length: int) -> Iterable[str]:
    """The ends of a form, the empty one first, that hold at least what is taken off."""
    yield ""
    for length in range(max(1, min_length), min(LONGEST, len(form) - 1) + 1):
        yield form[-length:]
