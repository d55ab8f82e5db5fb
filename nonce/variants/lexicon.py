"""The words that may replace a word of an original, under the conditions of a rule.

Forms are indexed by what a slot (the place of a word) requires: POS, FEATS, class of the first
letter. So drawing a word looks at fitting forms only; the released scripts look at all forms for
every word, which takes nine tenths of their time.

A target is drawn as a pair of forms, the right and the wrong one, of one lemma.
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
from .ambiguity.pair import entries

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

CONTENT_UPOS = frozenset({"ADJ", "NOUN", "VERB", "PROPN", "NUM", "ADV"})
TREEBANK = "treebank"  # source of a wrong form that is not from UniMorph
MIN_REGULAR_LEMMAS = 3  # lemmas that must show a pair of endings, or a change of the stem


class Donor(NamedTuple):
    """A word that may replace another. If it is for a target, it also has a wrong form, whose FEATS
    differ from those of the right form in the agreeing feature alone."""

    form: str  # as it is written inside a sentence
    lemma: str
    wrong: str = ""  # of a target
    source: str = TREEBANK  # where the wrong form is from


def odd_pairs(pairs: Iterable[Donor]) -> frozenset[Donor]:
    """Return the target pairs whose right and wrong form differ in a stem letter in a way that
    hardly any other lemma shows.

    One of the two forms is then a spelling variant (Greek *επισκέφθηκε*, *επισκέφτηκαν*) or
    misspelt. A regular change of the stem is shown by several lemmas (German *gibt*, *geben*).

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
        endings.setdefault(_differing_endings(pair), set()).add(pair.lemma)
    regular = [
        ending_pair for ending_pair, lemmas in endings.items() if len(lemmas) >= MIN_REGULAR_LEMMAS
    ]
    irregular = [pair for pair in pairs if _differing_endings(pair) not in regular]
    changes_of = {pair: set(_stem_changes(pair, regular)) for pair in irregular}
    lemmas_with: dict[tuple[str, str], set[str]] = {}
    for pair, changes in changes_of.items():
        for change in changes:
            lemmas_with.setdefault(change, set()).add(pair.lemma)
    return frozenset(
        pair
        for pair, changes in changes_of.items()
        if changes and all(len(lemmas_with[change]) < MIN_REGULAR_LEMMAS for change in changes)
    )


def _common_beginning(word: str, other_word: str) -> int:
    """Return the number of letters that two words have in common at their beginning."""
    return common_ending(word[::-1], other_word[::-1])


def _differing_endings(pair: Donor) -> tuple[str, str]:
    """Return the endings of the right and the wrong form, that is, their letters after the
    beginning that both share."""
    n_before = _common_beginning(pair.form, pair.wrong)
    return pair.form[n_before:], pair.wrong[n_before:]


def _stem_changes(pair: Donor, endings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the letters by which the stems of a pair differ, as (letters of the right form, letters
    of the wrong form), each with at most one letter. A pair of endings in `endings` that the two
    forms have is cut off to find the stems, so there can be several results, or none."""
    for right_end, wrong_end in endings:
        if not (pair.form.endswith(right_end) and pair.wrong.endswith(wrong_end)):
            continue
        right = pair.form.removesuffix(right_end)
        wrong = pair.wrong.removesuffix(wrong_end)
        n_before, n_after = _common_beginning(right, wrong), common_ending(right, wrong)
        n_after = min(n_after, len(right) - n_before, len(wrong) - n_before)  # no letter twice
        change = right[n_before : len(right) - n_after], wrong[n_before : len(wrong) - n_after]
        is_inside = n_after or all(change)  # *relax*, *relaxes* is another ending
        if n_before and is_inside and max(map(len, change)) == 1:
            yield change


DIGIT = re.compile(r"\d")
ALNUM = re.compile(r"[^\W_]")  # a letter or digit, which every drawn word has

MIN_SURE_USES = 3  # a form with so many uses is no slip, whatever its stem

LetterClass: TypeAlias = tuple[bool, bool] | None
"""Class of the first letter; `None` for a rule that does not compare first letters"""
SlotKey: TypeAlias = tuple[str, str, LetterClass, str]
"""(UPOS, normal FEATS, letter class, what must be alike in the spelling)"""


class TargetSlot(NamedTuple):
    """The conditions that a pair of target forms, the right and the wrong one, must meet."""

    upos: str
    feats: str  # of the right form, normal
    wrong_feats: str
    feature: str  # in which the two differ
    wrong_value: str
    cue_feats: str  # the cue's Gender etc., which the rule's partner may need
    letters: LetterClass

    def admits(self, right: str, wrong: str) -> bool:
        """Tell whether two forms differ and both begin with a letter of the required class."""
        letter_classes = {letter_class(right), letter_class(wrong)}
        return right != wrong and (self.letters is None or letter_classes == {self.letters})


@dataclass(frozen=True)
class Lexicon:
    """The words of a treebank that may replace others.

    Attributes:
        paradigms: all forms, with counts.
        vocabulary: words that may be written.
        conditions: conditions of the rule on a replacement.
        partner: the rule's function that finds wrong forms, if its conditions use one; else None.
        word_list: list with wrong forms that the treebank lacks; None: there is none.
        closed: whether words outside the vocabulary are unknown also in the word list.
        language: BCP-47 code without region.

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
    language: str = ""
    # what `targets` has found so far
    _pairs: dict[TargetSlot, tuple[Donor, ...]] = field(default_factory=dict, init=False)
    _odd_pairs: set[Donor] = field(default_factory=set, init=False)

    @cached_property
    def identity(self) -> str:
        """Return a digest of everything that decides which words may be drawn."""
        digest = hashlib.sha256(repr(self.conditions).encode())
        for analysis, n in self.paradigms.counts.items():
            digest.update(f"{analysis}{n}".encode())
        digest.update("\n".join(sorted(self.vocabulary)).encode())
        if self.word_list is not None:
            for row in self.word_list.paradigms.items():
                digest.update(repr(row).encode())
        return digest.hexdigest()

    def slot(self, form: str, upos: str, feats: str) -> SlotKey:
        """Return the properties that a word and its replacement must share: UPOS and FEATS; under
        rules that compare first letters, the class of the first letter (else `None`); under others
        the ending of an adjective whose declension FEATS do not show (German *ein großer Platz*,
        *der große Platz*), the capital of a name, and the digits (years for years), else ""."""
        if self.conditions.same_class:
            return upos, normal(feats), letter_class(form), ""
        alike = digit_shape(form)
        if upos == "ADJ" and not alike:
            endings = entries("adjective_ending", self.language)
            alike = max(filter(form.endswith, endings), key=len, default="")
        if upos == "PROPN" and form[:1].isupper():
            alike += "capital"
        return upos, normal(feats), None, alike

    def donors(self, form: str, upos: str, feats: str) -> tuple[Donor, ...]:
        """Return the words that may replace a word.

        A form with two fitting analyses (two lemmas) comes twice under a rule that compares first
        letters, as in the released scripts; else once.

        Args:
            form: form of the word.
            upos: its part of speech.
            feats: its FEATS.

        Returns:
            Words in the order of their first use in the treebank.
        """
        pool = self.pools.get(self.slot(form, upos, feats), ())
        if self.conditions.same_class:
            return tuple([donor for donor in pool if donor.form != form])
        return tuple([donor for donor in pool if donor.form not in (form, form.lower())])

    @cached_property
    def pools(self) -> dict[SlotKey, tuple[Donor, ...]]:
        """Return slot → the words that may fill it, in the order of the treebank."""
        pools: dict[SlotKey, dict[tuple[str, str], Donor]] = {}
        for (form, lemma, upos, feats), n in self.paradigms.counts.items():
            written = form if self.conditions.same_class else lowered(form, lemma)
            if n >= self.conditions.min_count and self._may_draw(written, upos):
                pool = pools.setdefault(self.slot(written, upos, feats), {})
                # a form of two lemmas comes twice in the released scripts, else once
                key = (written, lemma if self.conditions.same_class else "")
                pool.setdefault(key, Donor(written, lemma))
        return {slot: tuple(pool.values()) for slot, pool in pools.items()}

    def _may_draw(self, form: str, upos: str) -> bool:
        """Tell whether a form may be drawn as a word of this part of speech: it is in the
        vocabulary, is a single word with a letter or digit, and seldom has another part of speech
        in the treebank."""
        if form not in self.vocabulary or len(form.split()) != 1 or not ALNUM.search(form):
            return False
        by_upos = self._uses.get(form)  # None: the first letter was changed, see `lowered`
        if by_upos is None or (len(by_upos) == 1 and upos in by_upos):
            return True
        total = sum(by_upos.values())
        return total - by_upos.get(upos, 0) <= self.conditions.other_pos_share * total

    @cached_property
    def _uses(self) -> dict[str, dict[str, int]]:
        """Return form → part of speech → number of uses."""
        uses: dict[str, dict[str, int]] = {}
        for (form, _, upos, _), n in self.paradigms.counts.items():
            by_upos = uses.setdefault(form, {})
            by_upos[upos] = by_upos.get(upos, 0) + n
        return uses

    @cached_property
    def _pure_lemmas(self) -> frozenset[str]:
        """Return the lemmas whose forms all have the same part of speech."""
        upos_of: dict[str, set[str]] = {}
        for lemma, upos, _ in self.paradigms.forms:
            upos_of.setdefault(lemma, set()).add(upos)
        return frozenset(lemma for lemma, tags in upos_of.items() if len(tags) == 1)

    @cached_property
    def _lemmas(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return (UPOS, FEATS) → the lemmas that have a form with these FEATS, in the order of the
        treebank."""
        table: dict[tuple[str, str], list[str]] = {}
        for lemma, upos, feats in self.paradigms.forms:
            if lemma != MISSING:
                table.setdefault((upos, feats), []).append(lemma)
        return {key: tuple(lemmas) for key, lemmas in table.items()}

    def targets(
        self, form: str, upos: str, feats: str, feature: str, value: str, cue_feats: str = "_"
    ) -> tuple[Donor, ...]:
        """Return the pairs of forms that may be the target of a variant.

        The right form has the original's POS and FEATS. The wrong form differs from it in the
        feature alone, or is the one that the rule's `partner` finds, or that of the word list if
        the treebank has none. Both forms are known words, and they are never equal.

        Args:
            form: form of the original's target.
            upos: its part of speech.
            feats: its FEATS.
            feature: name of the feature that agrees.
            value: value of the wrong form.
            cue_feats: FEATS of the word that the target agrees with.

        Returns:
            Words with their wrong forms, in the order in which the treebank first shows their
            lemmas.
        """
        cue_gender = "_"
        if self.conditions.by_partner:
            features = [(name, value_of(cue_feats, name)) for name in UNMARKED_IN_PLURALS]
            cue_gender = "|".join(f"{name}={value}" for name, value in features if value) or "_"
        _, right_feats, letters, _ = self.slot(form, upos, feats)
        wrong_feats = with_value(right_feats, feature, value)
        slot = TargetSlot(upos, right_feats, wrong_feats, feature, value, cue_gender, letters)
        pairs = self._pairs_in(slot)
        if self.conditions.pure_lemma:
            return pairs
        return tuple([pair for pair in pairs if pair.form not in (form, form.lower())])

    def _pairs_in(self, slot: TargetSlot) -> tuple[Donor, ...]:
        """Return the pairs of all lemmas that meet the conditions of a slot, and remember which of
        them are odd. They are looked up once for all originals."""
        if slot not in self._pairs:
            lemmas = self._lemmas.get((slot.upos, slot.feats), ())
            pairs = tuple(pair for lemma in lemmas for pair in self._pairs_of(lemma, slot))
            self._pairs[slot] = pairs
            for pair in odd_pairs(pairs):
                n_uses = min(self._n_uses.get(form, 0) for form in (pair.form, pair.wrong))
                if n_uses < MIN_SURE_USES:
                    self._odd_pairs.add(pair)
        return self._pairs[slot]

    def is_odd(self, pair: Donor) -> bool:
        """Tell whether the two stems of a pair from `targets` differ in a way that hardly any other
        pair shows."""
        return pair in self._odd_pairs

    def _pairs_of(self, lemma: str, slot: TargetSlot) -> Iterator[Donor]:
        """Yield the pairs of right and wrong form of one lemma that meet the conditions of a slot.
        If the treebank has no wrong form, the one in the word list is taken (of several, the most
        frequent in the treebank)."""
        pairs = [Donor(right, lemma, wrong) for right, wrong in self._treebank_pairs(lemma, slot)]
        yield from pairs
        if pairs or self.word_list is None:
            return
        from ...miner.originals.wordlist import alternates

        upos, feats, feature, wrong_value = slot.upos, slot.feats, slot.feature, slot.wrong_value
        for right in self._right_forms(lemma, upos, feats):
            listed = alternates(
                self.word_list, right, lemma, upos, feats, feature, wrong_value,
                counts=self._n_uses,
            )  # fmt: skip
            for wrong in listed:
                in_vocabulary = wrong in self.vocabulary or not self.closed
                if in_vocabulary and slot.admits(right, wrong):
                    yield Donor(right, lemma, wrong, UNIMORPH)
                    break

    def _treebank_pairs(self, lemma: str, slot: TargetSlot) -> Iterator[tuple[str, str]]:
        """Yield the right and the wrong form for each pair of forms of a lemma that the treebank
        shows and the rule admits in a slot."""
        upos, feats, forms = slot.upos, slot.feats, self.paradigms.forms
        wrong_forms = [form for form, _ in forms.get((lemma, upos, slot.wrong_feats), ())]
        if self.conditions.by_partner:  # the rule finds the wrong form
            assert self.partner is not None
            for right in self._right_forms(lemma, upos, feats):
                end = InstanceEnd(0, right, lemma, upos, feats, slot.cue_feats)
                wrong, _ = self.partner(
                    self.paradigms, self.vocabulary, end, slot.feature, slot.wrong_value
                )
                if wrong and self._may_draw(wrong, upos):
                    yield right, wrong
        elif self.conditions.pure_lemma:  # rule `released`: the most frequent forms of pure lemmas
            (right, _), *_ = forms[(lemma, upos, feats)]
            for wrong in wrong_forms[:1] if lemma in self._pure_lemmas else ():
                are_known = right in self.vocabulary and wrong in self.vocabulary
                if are_known and slot.admits(right, wrong):
                    yield right, wrong
        else:  # rule `strict`: the most frequent form that differs from the right one
            written = [lowered(form, lemma) for form in wrong_forms]
            known_forms = [form for form in written if form in self.vocabulary]
            for right in self._right_forms(lemma, upos, feats):
                wrong = next((form for form in known_forms if form != right), "")
                if wrong and self._may_draw(wrong, upos):
                    yield right, wrong

    def _right_forms(self, lemma: str, upos: str, feats: str) -> dict[str, int]:
        """Return form → number of uses, for the forms of a lemma with these FEATS that may be
        drawn. Forms are spelled as they are inside a sentence."""
        forms: dict[str, int] = {}
        for form, n in self.paradigms.forms[(lemma, upos, feats)]:
            written = form if self.conditions.same_class else lowered(form, lemma)
            if self._may_draw(written, upos):
                forms[written] = forms.get(written, 0) + n
        return forms

    @cached_property
    def _n_uses(self) -> dict[str, int]:
        """Return form → number of uses."""
        return {form: sum(by_upos.values()) for form, by_upos in self._uses.items()}


def lowered(form: str, lemma: str) -> str:
    """Return a form as it is written inside a sentence: in small letters, unless its lemma begins
    with a capital (names, German nouns) or is missing."""
    if not form[:1].isupper() or lemma == MISSING or not lemma[:1].islower():
        return form
    is_in_capitals = len(form) > 1 and form.isupper()
    return form.lower() if is_in_capitals else form[:1].lower() + form[1:]


def digit_shape(form: str) -> str:
    """Return a form with every digit replaced by 0 (`0000` for a year), or "" if it has no digits.
    Two forms of the same shape may replace each other, so that years replace years."""
    return DIGIT.sub("0", form) if DIGIT.search(form) else ""
