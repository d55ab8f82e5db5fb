"""Words by kind: which forms may stand in a slot, under the conditions of a rule.

Forms are indexed by what a slot asks (POS, FEATS, class of the first letter), so drawing a word
looks at no form that does not fit. The released scripts look at all of them for every word: nine
tenths of their time.

A target is drawn as a pair of forms, unless the two differ in more than the value.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...data.items.features import UNMARKED_IN_PLURALS, letter_class, normal, value_of, with_value
from ...miner.originals.wrong_form import UNIMORPH, common_ending
from ...miner.treebank.paradigms import MISSING, Paradigms
from ...miner.verdict.construction import InstanceEnd, Partner, Replacement

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

TREEBANK = "treebank"  # where a wrong form is from, if not from UniMorph
MANY = 3  # lemmas that show an alternation of endings, or of a letter in the stem


class Donor(NamedTuple):
    """A word that may stand in another's place; for a target with its wrong form, which differs in
    the feature alone."""

    form: str  # as it is written in the middle of a sentence
    lemma: str
    wrong: str = ""
    source: str = TREEBANK  # where the wrong form is from


def odd_pairs(pairs: Iterable[Donor]) -> frozenset[Donor]:
    """Return the pairs of a cell whose stems differ in a letter as those of hardly any other do.

    One of the two forms is then spelled otherwise (Greek *επισκέφθηκε*, *επισκέφτηκαν*) or
    misspelt. Regular changes of stems are shown by several lemmas (German *gibt*, *geben*).

    Args:
        pairs: all pairs of lemmas with the same FEATS.

    >>> regular = ["ora", "amica", "casa", "rosa"]
    >>> pairs = [Donor(word, word, word[:-1] + "e") for word in regular]
    >>> odd = Donor("stella", "stella", "stalle")
    >>> odd_pairs([*pairs, odd]) == {odd}
    True
    """
    pairs = list(pairs)
    endings: dict[tuple[str, str], set[str]] = {}
    for pair in pairs:
        endings.setdefault(_endings(pair), set()).add(pair.lemma)
    usual = [ends for ends, lemmas in endings.items() if len(lemmas) >= MANY]
    changes: dict[tuple[str, str], set[str]] = {}
    by_pair: dict[Donor, set[tuple[str, str]]] = {}
    for pair in pairs:
        if _endings(pair) not in usual and (found := set(_stem_changes(pair, usual))):
            by_pair[pair] = found
            for change in found:
                changes.setdefault(change, set()).add(pair.lemma)
    return frozenset(
        pair
        for pair, found in by_pair.items()
        if all(len(changes[change]) < MANY for change in found)
    )


def _endings(pair: Donor) -> tuple[str, str]:
    """Return what follows the letters that the two forms begin with."""
    start = common_ending(pair.form[::-1], pair.wrong[::-1])
    return pair.form[start:], pair.wrong[start:]


def _stem_changes(pair: Donor, usual: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the letters by which the stems differ, one at most on either side, if the endings are
    usual ones."""
    for right_end, wrong_end in usual:
        if not (pair.form.endswith(right_end) and pair.wrong.endswith(wrong_end)):
            continue
        right = pair.form.removesuffix(right_end)
        wrong = pair.wrong.removesuffix(wrong_end)
        start, end = common_ending(right[::-1], wrong[::-1]), common_ending(right, wrong)
        end = min(end, len(right) - start, len(wrong) - start)
        change = right[start : len(right) - end], wrong[start : len(wrong) - end]
        inside = end or all(change)  # *relax*, *relaxes* is another ending
        if start and inside and max(map(len, change)) == 1:
            yield change


DIGIT = re.compile(r"\d")
ALNUM = re.compile(r"[^\W_]")  # a word has a letter or a digit; signs replace nothing

SURE = 3  # uses from which a form is no slip, whatever its stem

LetterClass: TypeAlias = tuple[bool, bool] | None
"""Of the first letter, or `None` where the rule does not ask."""
SlotKey: TypeAlias = tuple[str, str, LetterClass]
"""(UPOS, normal FEATS, letter class)"""


class TargetSlot(NamedTuple):
    """The forms of a target as the rule asks for them."""

    upos: str
    feats: str  # of the right form, normal
    other_feats: str  # of the wrong form
    feature: str
    value: str  # of the wrong form
    cue_feats: str  # those features of the cue that the rule's partner looks at
    letters: LetterClass

    def admits(self, right: str, wrong: str) -> bool:
        """Tell whether two forms differ and begin as the rule asks."""
        alike = self.letters in (None, letter_class(right)) and self.letters in (
            None, letter_class(wrong)
        )  # fmt: skip
        return right != wrong and alike


@dataclass(frozen=True)
class Lexicon:
    """The words of a treebank that may replace others.

    Attributes:
        paradigms: all forms, with counts.
        vocabulary: words that may be written.
        conditions: what the rule asks of a replacement.
        partner: how the rule finds wrong forms, where its conditions ask for that; else None.
        word_list: where wrong forms are looked up that the treebank lacks; None: nowhere.
        closed: whether words outside the vocabulary are unknown also in the word list.

    >>> from colorless_green.miner import procedure_named
    >>> seen = Paradigms({("key", "key", "NOUN", "_"): 3, ("lamp", "lamp", "NOUN", "_"): 2})
    >>> lexicon = Lexicon(seen, frozenset({"key", "lamp"}), procedure_named("tested").replacement)
    >>> lexicon.donors("key", "NOUN", "_")
    (Donor(form='lamp', lemma='lamp', wrong='', source='treebank'),)
    """

    paradigms: Paradigms
    vocabulary: frozenset[str]
    conditions: Replacement
    partner: Partner | None = None
    word_list: "UniMorph | None" = None
    closed: bool = False
    _pairs: dict[TargetSlot, tuple[Donor, ...]] = field(default_factory=dict, init=False)
    _odd_pairs: set[Donor] = field(default_factory=set, init=False)

    @cached_property
    def identity(self) -> str:
        """Return a digest of everything that says which words may be drawn."""
        digest = hashlib.sha256(repr(self.conditions).encode())
        for analysis, n in self.paradigms.counts.items():
            digest.update(f"{analysis}{n}".encode())
        digest.update("\n".join(sorted(self.vocabulary)).encode())
        if self.word_list is not None:
            for row in self.word_list.paradigms.items():
                digest.update(repr(row).encode())
        return digest.hexdigest()

    def slot(self, form: str, upos: str, feats: str) -> SlotKey:
        """Return what a word's replacement must share with it."""
        return upos, normal(feats), letter_class(form) if self.conditions.same_class else None

    def donors(self, form: str, upos: str, feats: str) -> tuple[Donor, ...]:
        """Return what may replace a word.

        A form with two fitting analyses (two lemmas) stands twice under a rule that asks for the
        class of the first letter, as in the released scripts; else once.

        Args:
            form: of the word.
            upos: its part of speech.
            feats: its FEATS.

        Returns:
            Words in the order in which the treebank first shows them.
        """
        pool = self.pools.get(self.slot(form, upos, feats), ())
        if self.conditions.same_class:
            return tuple([donor for donor in pool if donor.form != form])
        lower = form.lower()
        if upos == "NUM" or DIGIT.search(form):  # years for years, words for words
            pool = tuple([donor for donor in pool if shape(donor.form) == shape(form)])
        return tuple([donor for donor in pool if donor.form != form and donor.form != lower])

    @cached_property
    def pools(self) -> dict[SlotKey, tuple[Donor, ...]]:
        """Return slot → words."""
        pools: dict[SlotKey, dict[tuple[str, str], Donor]] = {}
        for (form, lemma, upos, feats), n in self.paradigms.counts.items():
            written = form if self.conditions.same_class else lowered(form, lemma)
            if n >= self.conditions.min_count and self._fits(written, upos):
                pool = pools.setdefault(self.slot(written, upos, feats), {})
                key = (written, lemma if self.conditions.same_class else "")
                pool.setdefault(key, Donor(written, lemma))
        return {slot: tuple(pool.values()) for slot, pool in pools.items()}

    def _fits(self, form: str, upos: str) -> bool:
        """Tell whether a form is in the vocabulary, one word, and seldom enough of another POS."""
        if form not in self.vocabulary or len(form.split()) != 1 or not ALNUM.search(form):
            return False
        by_upos = self._uses.get(form)  # none where `partner` has changed a first letter
        if by_upos is None or (len(by_upos) == 1 and upos in by_upos):
            return True
        total = sum(by_upos.values())
        return total - by_upos.get(upos, 0) <= self.conditions.other_pos_share * total

    @cached_property
    def _uses(self) -> dict[str, dict[str, int]]:
        """Return form → UPOS → occurrences."""
        uses: dict[str, dict[str, int]] = {}
        for (form, _, upos, _), n in self.paradigms.counts.items():
            by_upos = uses.setdefault(form, {})
            by_upos[upos] = by_upos.get(upos, 0) + n
        return uses

    @cached_property
    def _pure_lemmas(self) -> frozenset[str]:
        """Return the lemmas all of whose forms have one POS."""
        seen: dict[str, set[str]] = {}
        for lemma, upos, _ in self.paradigms.forms:
            seen.setdefault(lemma, set()).add(upos)
        return frozenset(lemma for lemma, tags in seen.items() if len(tags) == 1)

    @cached_property
    def _lemmas(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return (UPOS, FEATS) → lemmas that have such a form, in the order first seen."""
        table: dict[tuple[str, str], list[str]] = {}
        for lemma, upos, feats in self.paradigms.forms:
            if lemma != MISSING:
                table.setdefault((upos, feats), []).append(lemma)
        return {key: tuple(lemmas) for key, lemmas in table.items()}

    def targets(
        self, form: str, upos: str, feats: str, feature: str, value: str, cue_feats: str = "_"
    ) -> tuple[Donor, ...]:
        """Return the pairs of forms that may be the target of a variant.

        The right form has the original's POS and FEATS; the wrong form is equal in all but the
        feature, or what the rule's `partner` gives, or that of the word list where the treebank has
        none. Both are known, and never equal.

        Args:
            form: of the original's target.
            upos: its part of speech.
            feats: its FEATS.
            feature: that agrees.
            value: of the wrong form.
            cue_feats: FEATS of the word that the target agrees with.

        Returns:
            Words with their wrong forms, in the order in which the treebank first shows their
            lemmas.
        """
        gender = "_"
        if self.conditions.by_partner:
            entries = [(name, value_of(cue_feats, name)) for name in UNMARKED_IN_PLURALS]
            gender = "|".join(f"{name}={value}" for name, value in entries if value) or "_"
        own_feats = self.slot(form, upos, feats)
        other_feats = with_value(own_feats[1], feature, value)
        slot = TargetSlot(*own_feats[:2], other_feats, feature, value, gender, own_feats[2])
        if slot not in self._pairs:  # looked up once for all originals
            lemmas = self._lemmas.get((upos, slot.feats), ())
            self._pairs[slot] = tuple(
                pair for lemma in lemmas for pair in self._pairs_of(lemma, slot)
            )
            self._odd_pairs.update(
                pair
                for pair in odd_pairs(self._pairs[slot])
                if min(self._totals.get(form, 0) for form in (pair.form, pair.wrong)) < SURE
            )
        if self.conditions.pure_lemma:
            return self._pairs[slot]
        return tuple([pair for pair in self._pairs[slot] if pair.form not in (form, form.lower())])

    def is_odd(self, pair: Donor) -> bool:
        """Tell whether the stems of a pair that `targets` returned differ as no other pair's do."""
        return pair in self._odd_pairs

    def _pairs_of(self, lemma: str, slot: TargetSlot) -> Iterator[Donor]:
        """Yield the pairs of a lemma; where the treebank has none, those with a wrong form of the
        word list, which differs in the feature alone: of several the one that the treebank shows
        most often."""
        conditions, (upos, feats, other_feats, *query, cue_feats, _) = self.conditions, slot
        others = [form for form, _ in self.paradigms.forms.get((lemma, upos, other_feats), ())]
        rights = self._rights(lemma, upos, feats)
        pairs: list[tuple[str, str]] = []
        if conditions.by_partner:  # the wrong form that the rule pairs it with
            assert self.partner is not None
            for right in rights:
                end = InstanceEnd(0, right, lemma, upos, feats, cue_feats)
                wrong, _ = self.partner(self.paradigms, self.vocabulary, end, *query)
                pairs += [(right, wrong)] if wrong and self._fits(wrong, upos) else []
        elif conditions.pure_lemma:  # `released`: the most frequent form of each, of pure lemmas
            right = self.paradigms.forms[(lemma, upos, feats)][0][0]
            for wrong in others[:1] if lemma in self._pure_lemmas else ():
                known = right in self.vocabulary and wrong in self.vocabulary
                pairs += [(right, wrong)] if known and slot.admits(right, wrong) else []
        else:  # `strict`: the most frequent different one
            rivals = [
                form for other in others if (form := lowered(other, lemma)) in self.vocabulary
            ]
            for right in rights:
                wrong = next((form for form in rivals if form != right), "")
                pairs += [(right, wrong)] if wrong and self._fits(wrong, upos) else []
        yield from (Donor(right, lemma, wrong) for right, wrong in pairs)
        if pairs or self.word_list is None:
            return
        from ...miner.originals.wordlist import alternates

        for right in rights:
            listed = alternates(
                self.word_list, right, lemma, upos, feats, *query, counts=self._totals
            )
            for wrong in listed:
                in_vocabulary = wrong in self.vocabulary or not self.closed
                if in_vocabulary and slot.admits(right, wrong):
                    yield Donor(right, lemma, wrong, UNIMORPH)
                    break

    def _rights(self, lemma: str, upos: str, feats: str) -> dict[str, int]:
        """Return the forms of a lemma with these FEATS as they are written inside a sentence, and
        their uses; those that may be drawn."""
        forms: dict[str, int] = {}
        for form, n in self.paradigms.forms[(lemma, upos, feats)]:
            written = form if self.conditions.same_class else lowered(form, lemma)
            if self._fits(written, upos):
                forms[written] = forms.get(written, 0) + n
        return forms

    @cached_property
    def _totals(self) -> dict[str, int]:
        """Return form → occurrences."""
        return {form: sum(by_upos.values()) for form, by_upos in self._uses.items()}


def lowered(form: str, lemma: str) -> str:
    """Return a form as it is written in the middle of a sentence: small letters, unless its lemma
    begins with a capital (names, German nouns) or is not told."""
    if not form[:1].isupper() or lemma == MISSING or not lemma[:1].islower():
        return form
    return form.lower() if len(form) > 1 and form.isupper() else form[:1].lower() + form[1:]


def shape(form: str) -> str:
    """Return how a number is written: its digits all alike (`0000` for a year); nothing for one in
    letters."""
    return DIGIT.sub("0", form) if DIGIT.search(form) else ""
