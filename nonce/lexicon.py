"""Words by kind: which forms may stand in a slot, under the conditions of a rule.

Forms are indexed by what a slot asks (POS, FEATS, class of the first letter), so drawing a word
looks at no form that does not fit. The released scripts look at all of them for every word: nine
tenths of their time (mining facts §1.11).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from colorless_green.miner.features import (
    UNTOLD_IN_PLURALS,
    letter_class,
    normal,
    value_of,
    with_value,
)
from colorless_green.miner.paradigms import MISSING, Paradigms
from colorless_green.miner.rule import End, Partner, Replacement

Slot: TypeAlias = tuple[str, str, tuple[bool, bool] | None]
"""(UPOS, normal FEATS, letter class or `None` where the rule does not ask)"""


@dataclass(frozen=True, slots=True)
class TargetPair:
    """A lemma whose two forms differ in the feature alone."""

    lemma: str
    right: str
    wrong: str


@dataclass(frozen=True)
class Lexicon:
    """The words of a treebank that may replace others."""

    paradigms: Paradigms
    vocabulary: frozenset[str]
    conditions: Replacement
    partner: Partner | None = None  # of the rule, where its conditions ask for it

    def slot(self, form: str, upos: str, feats: str) -> Slot:
        """What a word's replacement must share with it."""
        letters = letter_class(form) if self.conditions.same_class else None
        return upos, normal(feats), letters

    def candidates(self, form: str, upos: str, feats: str) -> tuple[str, ...]:
        """Forms that may replace a word, in the order in which the treebank shows them. A form
        with two fitting analyses (two lemmas) stands twice under a rule that asks for the class,
        as in the released scripts; else once."""
        pool = self.pools.get(self.slot(form, upos, feats), ())
        return tuple(each for each in pool if each != form)

    @cached_property
    def pools(self) -> dict[Slot, tuple[str, ...]]:
        """Slot → forms."""
        pools: dict[Slot, list[str]] = {}
        for (form, _, upos, feats), n in self.paradigms.counts.items():
            if n >= self.conditions.min_count and self._fits(form, upos):
                pools.setdefault(self.slot(form, upos, feats), []).append(form)
        if self.conditions.same_class:
            return {slot: tuple(forms) for slot, forms in pools.items()}
        return {slot: tuple(dict.fromkeys(forms)) for slot, forms in pools.items()}

    def _fits(self, form: str, upos: str) -> bool:
        """In the vocabulary, one word, and seldom enough of another POS."""
        if form not in self.vocabulary or any(letter.isspace() for letter in form):
            return False
        by_upos = self._uses.get(form, {upos: 1})  # `partner` may have changed a first letter
        others = sum(by_upos.values()) - by_upos.get(upos, 0)
        return others <= self.conditions.other_pos_share * sum(by_upos.values())

    @cached_property
    def _uses(self) -> dict[str, dict[str, int]]:
        """Form → UPOS → occurrences."""
        uses: dict[str, dict[str, int]] = {}
        for (form, _, upos, _), n in self.paradigms.counts.items():
            by_upos = uses.setdefault(form, {})
            by_upos[upos] = by_upos.get(upos, 0) + n
        return uses

    @cached_property
    def _pure_lemmas(self) -> frozenset[str]:
        """Lemmas all of whose forms have one POS."""
        seen: dict[str, set[str]] = {}
        for lemma, upos, _ in self.paradigms.forms:
            seen.setdefault(lemma, set()).add(upos)
        return frozenset(lemma for lemma, tags in seen.items() if len(tags) == 1)

    @cached_property
    def _lemmas(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """(UPOS, FEATS) → lemmas that have such a form, in the order first seen."""
        table: dict[tuple[str, str], list[str]] = {}
        for lemma, upos, feats in self.paradigms.forms:
            if lemma != MISSING:
                table.setdefault((upos, feats), []).append(lemma)
        return {key: tuple(lemmas) for key, lemmas in table.items()}

    def targets(
        self,
        form: str,
        upos: str,
        feats: str,
        feature: str,
        other_value: str,
        cue_feats: str = "_",
    ) -> tuple[TargetPair, ...]:
        """Pairs that may be the target of a variant: right form with the original's POS and FEATS,
        wrong form equal in all but the feature (or what the rule's `partner` gives); both known,
        never equal. `cue_feats`: FEATS of the word that the target agrees with."""
        if self.conditions.by_partner:
            gender = "|".join(
                f"{name}={value}"
                for name in UNTOLD_IN_PLURALS
                if (value := value_of(cue_feats, name))
            )
            pairs = self._partnered(upos, normal(feats), feature, other_value, gender or "_")
            capital = form[:1].isupper()
            return tuple(
                each for each in pairs if each.right != form and each.right[:1].isupper() is capital
            )
        found: list[TargetPair] = []
        key = (upos, normal(feats))
        swapped = with_value(feats, feature, other_value)
        for lemma in self._lemmas.get(key, ()):
            if self.conditions.pure_lemma:
                both = self._top_pairs(lemma, upos, key[1], swapped, letter_class(form))
            else:
                both = self._different_pairs(lemma, upos, key[1], swapped, form)
            found += [TargetPair(lemma, right, wrong) for right, wrong in both]
        return tuple(found)

    def _partnered(
        self, upos: str, feats: str, feature: str, value: str, cue_feats: str
    ) -> tuple[TargetPair, ...]:
        """Every right form with these FEATS and the wrong form that the rule pairs it with, both of
        which pass the share test; looked up once for all originals of one kind."""
        key = (upos, feats, feature, value, cue_feats)
        if key not in self._pairs:
            assert self.partner is not None
            found: list[TargetPair] = []
            for lemma in self._lemmas.get((upos, feats), ()):
                for right, _ in self.paradigms.forms[(lemma, upos, feats)]:
                    if not self._fits(right, upos):
                        continue
                    end = End(0, right, lemma, upos, feats, cue_feats)
                    wrong, _ = self.partner(self.paradigms, self.vocabulary, end, feature, value)
                    if wrong and self._fits(wrong, upos):
                        found.append(TargetPair(lemma, right, wrong))
            self._pairs[key] = tuple(found)
        return self._pairs[key]

    @cached_property
    def _pairs(self) -> dict[tuple[str, ...], tuple[TargetPair, ...]]:
        return {}

    def _top_pairs(
        self, lemma: str, upos: str, feats: str, swapped: str, letters: tuple[bool, bool]
    ) -> Iterable[tuple[str, str]]:
        """The most frequent form of each of the two, of a lemma with one POS (`released`)."""
        right = self.paradigms.forms[(lemma, upos, feats)][0][0]
        others = self.paradigms.forms.get((lemma, upos, swapped), ())
        if (
            lemma in self._pure_lemmas
            and others
            and others[0][0] != right
            and {right, others[0][0]} <= self.vocabulary
            and (
                not self.conditions.same_class
                or letter_class(right) == letter_class(others[0][0]) == letters
            )
        ):
            yield right, others[0][0]

    def _different_pairs(
        self, lemma: str, upos: str, feats: str, swapped: str, form: str
    ) -> Iterable[tuple[str, str]]:
        """Every right form with its most frequent different partner, both of which pass the share
        test (`strict`)."""
        others = [each for each, _ in self.paradigms.forms.get((lemma, upos, swapped), ())]
        for right, _ in self.paradigms.forms[(lemma, upos, feats)]:
            wrong = next(
                (each for each in others if each != right and each in self.vocabulary), None
            )
            if wrong and right != form and self._fits(right, upos) and self._fits(wrong, upos):
                yield right, wrong
