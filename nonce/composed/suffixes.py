"""Suffix rules: one form of a word from another (*-y* → *-ies*), learned from a treebank.

They are learned from the words for which both forms are attested. Each word is left out in turn to
measure how often the rules are right; rules that are not right often enough are not used.

A *cell* is a combination of features (number, case and so on) that a word has a form for.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from ...data.items.features import with_value
from ..variants.ambiguity.pair import OTHER_NUMBER
from ..variants.frames.usable_forms import is_word
from .thresholds import LIMIT
from .treebank_counts import NUMBERS, Cell, Cells

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

VOWELS = re.compile("[aeiouyáéíóúäöüőű]+")
BACK_VOWELS, FRONT_VOWELS = "aouáóú", "äöyüőű"
"""In languages with vowel harmony the last of these in a word decides its suffixes."""
UMLAUTS = frozenset(FRONT_VOWELS) - {"y"}  # letters of languages that may have vowel harmony
MAX_SUFFIX_LETTERS = 5  # of the suffix that a rule looks at
TREEBANK, RULE, UNIMORPH = "treebank", "rule", "unimorph"
UNMARKED_CASES = ("Nom", "Abs", "")
Word = TypeVar("Word")


class FilledForm(NamedTuple):
    """A form and its source."""

    form: str
    source: str  # treebank, rule or unimorph
    n: int  # uses in the treebank


class SuffixRules:
    """Suffix rules that make one form of a word from another, learned from words that show both.

    Args:
        pairs: (class of the word, form, other form); one that comes twice counts once.

    Attributes:
        harmony: whether rules depend on the word's vowels (Finnish *-vat* and *-vät*).
        counts: (class, suffix) → (ending removed, ending added) → number of words.
        final_letters: last two letters → number of words whose other form ends in them.
        n_right: number of words whose other form the rules predict rightly when the word is left
            out.
        n_made: number of words for which they predict any form then.

    >>> stems = [begin + end for begin in ("ba", "lo", "mi", "pre", "sto") for end in "kndt"]
    >>> rules = SuffixRules(("noun", stem, stem + "s") for stem in stems)
    >>> rules.predict("noun", "lamp"), rules.is_sound
    ('lamps', True)
    """

    def __init__(self, pairs: Iterable[tuple[str, str, str]]) -> None:
        words = sorted(set(pairs))
        self.harmony = False
        self.counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
        self.final_letters: Counter[str] = Counter(new[-2:] for *_, new in words)
        self.n_right, self.n_made = self._learn(words)
        has_umlauts = any(not UMLAUTS.isdisjoint(new) for *_, new in words)
        if self.n_right < self.n_made and has_umlauts:
            # Learn again with vowel harmony, and keep these rules if more of them are right.
            other = copy(self)
            other.harmony = True
            other.n_right, other.n_made = other._learn(words)
            if other.n_right * self.n_made > self.n_right * other.n_made:
                vars(self).update(vars(other))

    def _learn(self, words: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
        """Learn the rules: count which endings words with each suffix exchange. Return the number
        of words whose other form is predicted rightly when the word itself is left out, and the
        number of words for which any form is predicted."""
        self.counts = {}
        for word_class, old, new in words:
            exchange = exchange_of(old, new)
            removed, _ = exchange
            full_class = self._with_harmony(word_class, old)
            for suffix in _suffixes(old, len(removed)):
                self.counts.setdefault((full_class, suffix), Counter())[exchange] += 1
        predictions = [
            (self.predict(word_class, old, without=exchange_of(old, new)), new)
            for word_class, old, new in words
        ]
        n_right = sum(predicted == new for predicted, new in predictions)
        n_made = sum(predicted != "" for predicted, _ in predictions)
        return n_right, n_made

    def _with_harmony(self, word_class: str, form: str) -> str:
        """Return the class of a word; with vowel harmony, "back" or "front" is added to it."""
        if not self.harmony:
            return word_class
        # Only the last three syllables count, as in compounds: Finnish *toimen|pide*.
        vowels = "".join(VOWELS.findall(form.lower())[-3:])
        decisive = [vowel for vowel in vowels if vowel in BACK_VOWELS + FRONT_VOWELS]
        is_back = bool(decisive) and decisive[-1] in BACK_VOWELS
        return f"{word_class} {'back' if is_back else 'front'}"

    @property
    def is_sound(self) -> bool:
        """Tell whether the rules may be used: they are right often enough on words that were left
        out."""
        return (
            self.n_made >= LIMIT["rule_words"]
            and self.n_right >= LIMIT["rule_accuracy"] * self.n_made
        )

    def predict(
        self,
        word_class: str,
        form: str,
        without: tuple[str, str] | None = None,
        min_share: float = LIMIT["rule_consistency"],
    ) -> str:
        """Return the other form of a word, by its longest suffix that enough words share and whose
        words mostly agree.

        A form is not predicted if fewer than half of the words that share a longer suffix, which
        are too few or too different to decide, change in this way (Polish *-ieć* makes *-iały*,
        although *-ć* makes *-ły*), or if none of many forms that were learned ends in the same two
        letters (Ukrainian *-чи*).

        Args:
            word_class: class of the word, as learned.
            form: of the word.
            without: (ending removed, ending added) of the word itself, to leave it out of the
                counts; None for a word that the rules were not learned from.
            min_share: share of the words with the suffix that must exchange the same endings.

        Returns:
            The other form; "" if no suffix decides it.
        """
        undecided: list[dict[tuple[str, str], int]] = []  # what words with longer suffixes exchange
        full_class = self._with_harmony(word_class, form)
        for suffix in reversed(list(_suffixes(form, 0))):
            seen = self.counts.get((full_class, suffix))
            if seen is None:
                continue
            uses = dict(seen)
            if without is not None:
                uses[without] = uses.get(without, 0) - 1
            total = sum(uses.values())
            n, endings = max((n, exchange) for exchange, n in uses.items())
            if total >= LIMIT["rule_support"] and n >= min_share * total:
                predicted = _exchanged(form, endings)
                own_form = _exchanged(form, without) if without else ""
                is_safe = self._ends_like_others(predicted, own_form) and all(
                    2 * rival_uses.get(endings, 0) >= sum(rival_uses.values())
                    for rival_uses in undecided
                )
                return predicted if is_safe else ""
            undecided.append(uses)
        return ""

    def _ends_like_others(self, form: str, own_form: str) -> bool:
        """Tell whether another form that was learned ends in the same two letters, or too few were
        learned to tell. `own_form`: one that does not count; "" for none."""
        n_others = self.final_letters[form[-2:]] - (form[-2:] == own_form[-2:])
        return n_others >= 1 or self.final_letters.total() < LIMIT["rule_endings"]


class CellFiller(Generic[Word]):
    """Forms of words in cells for which the treebank lacks one, from a word list or by suffix rules
    from their other forms.

    Args:
        forms: word → cell → its form there.
        class_of: returns the class of a word; each class has its own rules.
        word_list: of UniMorph.
    """

    def __init__(
        self,
        forms: Mapping[Word, Mapping[Cell, str]],
        class_of: Callable[[Word], str],
        word_list: "UniMorph | None",
    ) -> None:
        self.forms, self.class_of, self.word_list = forms, class_of, word_list
        self._learned: dict[tuple[Cell, Cell], SuffixRules] = {}

    def contradicts(self, word: Word, cell: Cell, seen: FilledForm) -> bool:
        """Tell whether the suffix rules predict another form than `seen`, the treebank's form in a
        cell, and the treebank has this too rarely to be trusted."""
        predicted = self._predict(word, cell, seen.form) if seen.n < LIMIT["against"] else ""
        return predicted not in ("", seen.form)

    def fill(
        self, word: Word, cell: Cell, lemma: str, upos: str, feats: str, *, by_rules: bool = True
    ) -> FilledForm | None:
        """Return a word's form in a cell: from the word list, which gives it for the form of the
        other number, or else by suffix rules; `None` if neither gives one. `feats`: those of the
        form besides its number; `by_rules`: false if rules do not fit this form."""
        base = self.forms[word].get(cell._replace(number=OTHER_NUMBER[cell.number]))
        if self.word_list is not None and base is not None:
            from ...miner.originals.wordlist import alternates

            feats = with_value(feats or "_", "Number", OTHER_NUMBER[cell.number])
            listed = alternates(self.word_list, base, lemma, upos, feats, "Number", cell.number)
            if len(listed) == 1:
                return FilledForm(listed[0], UNIMORPH, 0)
        form = self._predict(word, cell) if by_rules else ""
        return FilledForm(form, RULE, 0) if form else None

    def _predict(self, word: Word, cell: Cell, seen: str = "") -> str:
        """Return the form in a cell that nearly all rules from the word's other cells agree on; ""
        if they do not agree. `seen`: the treebank's form, if it is being checked; the rules then
        predict as if they had not learned from it."""
        votes: Counter[str] = Counter()
        word_class = self.class_of(word)
        min_share = LIMIT["rule_against" if seen else "rule_consistency"]
        for source, form in self.forms[word].items():
            is_trusted = bool(source.number) or self._is_regular(word, source)
            if source == cell or not is_word(form) or not is_trusted:
                continue
            ways = [(source, cell)]
            in_case_of_cell = source._replace(case=cell.case, definite=cell.definite)
            if in_case_of_cell == cell and source.case in UNMARKED_CASES:
                # Many languages have the same case suffix in both numbers, after that of number.
                ways.append((source._replace(number=""), cell._replace(number="")))
            without = exchange_of(form, seen) if seen else None
            all_rules = (rules for rules in map(self._rules, ways) if rules.is_sound)
            for rules in all_rules:
                if predicted := rules.predict(word_class, form, without, min_share):
                    votes[predicted] += 1
                    break
        form, n = most_used(votes)
        return form if n >= LIMIT["noun_top"] * votes.total() else ""

    def _is_regular(self, word: Word, lemma_cell: Cell) -> bool:
        """Tell whether rules from a word's lemma predict a form that the treebank has, and none
        that differs from it: Czech *odejít* has *odešel*, so that its plural is not *odejíly*."""
        forms, kind = self.forms[word], self.class_of(word)
        lemma = forms[lemma_cell]
        predicted = {
            cell: rules.predict(kind, lemma, exchange_of(lemma, form))
            for cell, form in forms.items()
            if cell != lemma_cell and (rules := self._rules((lemma_cell, cell))).is_sound
        }
        return {form == forms[cell] for cell, form in predicted.items() if form} == {True}

    def _rules(self, way: tuple[Cell, Cell]) -> SuffixRules:
        """Return the suffix rules that make forms of one cell from those of another; `way` is the
        two cells. For cells without a number, learn the rules from both numbers."""
        if way not in self._learned:
            source, cell = way
            ways = [way] if cell.number else [
                (source._replace(number=number), cell._replace(number=number)) for number in NUMBERS
            ]  # fmt: skip
            self._learned[way] = SuffixRules(
                (self.class_of(word), forms[old], forms[new])
                for word, forms in self.forms.items()
                for old, new in ways
                if old in forms and new in forms
            )
        return self._learned[way]


def most_used(seen: Mapping[str, int]) -> tuple[str, int]:
    """Return the most frequent form and its count, ("", 0) if there is none; of several equally
    frequent ones, the first in alphabetical order."""
    return max(sorted(seen.items()), key=itemgetter(1), default=("", 0))


def dominant_forms(cells: Cells) -> dict[Cell, FilledForm]:
    """Return cell → its most frequent form, for the cells in which one form predominates."""
    return {
        cell: FilledForm(form, TREEBANK, n)
        for cell, seen in sorted(cells.items())
        for form, n in [most_used(seen)]
        if n >= LIMIT["noun_top"] * seen.total()
    }


def exchange_of(old: str, new: str) -> tuple[str, str]:
    """Return the two endings that differ between two forms: what is removed from the first, and
    what is added instead (*city*, *cities* → `y`, `ies`)."""
    n_shared = 0
    for old_letter, new_letter in zip(old, new, strict=False):
        if old_letter != new_letter:
            break
        n_shared += 1
    return old[n_shared:], new[n_shared:]


def _exchanged(form: str, endings: tuple[str, str]) -> str:
    """Return a form with one ending removed and another added; "" if it does not end so."""
    removed, added = endings
    return form[: len(form) - len(removed)] + added if form.endswith(removed) else ""


def _suffixes(form: str, min_length: int) -> Iterable[str]:
    """Yield the suffixes of a form: the empty one, then those from `min_length` letters up."""
    yield ""
    for length in range(max(1, min_length), min(MAX_SUFFIX_LETTERS, len(form) - 1) + 1):
        yield form[-length:]
