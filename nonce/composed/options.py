"""The predicates that sets can have, with the heads that leave only one form possible."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

from ..variants.ambiguity.pair import entries
from ._predicates import CLOSED, PredicateParadigm, is_transitive, takes_clause, takes_object
from ._treebank_counts import Kind, PredicateWord, ValencyCounts
from .blocks import SetMaterial
from .phrase import ComposedWord, Modifier
from .suffixes import NUMBERS, FilledForm
from .thresholds import T

BARE = ("adjective", "participle")


class PredicateOption(NamedTuple):
    """A predicate of a set: its target, and the word before it where the language has one there."""

    kind: Kind
    target: PredicateParadigm
    preceding: PredicateWord | None = None
    opener: ComposedWord | None = None  # what stands before the subject
    relative: Modifier | None = None  # the object relative clause that it is in

    @property
    def name(self) -> str:
        """The predicate that counts for the spread; "" where text stops at copula or auxiliary."""
        if self.preceding is not None:
            return self.preceding.lemma
        return "" if self.kind.target in CLOSED else self.target.predicate.lemma

    @property
    def key(self) -> str:
        """What of it is used in turn: its predicate, or the copula or auxiliary itself."""
        return self.name or self.target.predicate.lemma

    @property
    def object_opener(self) -> ComposedWord | None:
        """The object pronoun that its sentences begin with."""
        return self.opener if self.opener is not None and self.opener.upos == "PRON" else None

    @property
    def is_closed(self) -> bool:
        """Whether its target is a copula or auxiliary."""
        return self.kind.target in CLOSED


@dataclass(frozen=True)
class Options:
    """The predicates of a language's sets, and the heads that go with them."""

    material: SetMaterial
    _fitting: dict[int, dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    _clear: dict[str, frozenset[str]] = field(default_factory=dict)
    _oblique: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def main(self) -> tuple[PredicateOption, ...]:
        """The predicates of main clauses, in a fixed order."""
        material, order = self.material, self.material.harvest.predicate_order
        options: list[PredicateOption] = []
        for kind, (seen, _) in material.targets.items():
            predicate_first = order[kind.target, True] > order[kind.target, False]
            for target in filter(partial(self._is_decided, kind), seen):
                if kind.target in CLOSED and (predicate_first or material.openers):
                    options += self._with_predicate_before(kind, target)
                elif not material.openers:
                    options.append(PredicateOption(kind, target))
                    if kind.target not in CLOSED and is_transitive(target):
                        openers = material.object_openers
                        options += (PredicateOption(kind, target, opener=word) for word in openers)
                elif not takes_object(kind, target):
                    openers = material.openers
                    options += (PredicateOption(kind, target, opener=word) for word in openers)
        return tuple(options)

    def _is_decided(self, kind: Kind, target: PredicateParadigm) -> bool:
        """Tell whether nothing that may follow a target decides its number."""
        material = self.material
        if material.openers and not self._infinitives.isdisjoint(_written(target)):
            return False  # *dass die Bücher gelesen werden* may go on with *kann*
        if kind.target in CLOSED and self._agrees_with_predicate(target):
            return False
        if material.rules.raised_subjects and takes_clause(target, T["verb_complement"]):
            return False  # Greek *οι έλεγχοι άρχισε να γίνονται*
        if kind.target not in BARE:
            return True
        cased = material.is_free and "Case=" in target.predicate.feats
        return not (cased or material.rules.verbs_alone)  # Lithuanian *laikomas vėliavas*

    def _with_predicate_before(
        self, kind: Kind, target: PredicateParadigm
    ) -> Iterator[PredicateOption]:
        """Yield a copula or auxiliary with each predicate that was seen before it in both numbers,
        or has none."""
        harvest, openers = self.material.harvest, self.material.openers
        key = target.predicate._replace(feats="")
        by_word: dict[PredicateWord, Counter[str]] = {}
        for (word, number, precedes, bare), n in harvest.predicates_of[key].items():
            if bare if openers else precedes:
                by_word.setdefault(word, Counter())[number] += n
        for word, numbers in sorted(by_word.items()):
            in_both_numbers = min(numbers[number] for number in NUMBERS) >= 1
            frame = harvest.frames.get(word.lemma, ValencyCounts())
            if openers and frame.n_oblique > T["verb_oblique"] * frame.n:
                continue  # *weil die Straße gestoßen war*
            if numbers.total() >= 2 and (in_both_numbers or not word.has_number):
                for opener in openers or (None,):
                    yield PredicateOption(kind, target, word, opener)

    @cached_property
    def relative(self) -> tuple[PredicateOption, ...]:
        """The predicates of object relative clauses, where the order is fixed: *the papers that the
        author near the door reads*."""
        material = self.material
        if material.is_free:
            return ()
        return tuple(
            PredicateOption(kind, target, relative=relative)
            for kind, (seen, _) in material.targets.items()
            for relative in (material.relatives(kind.case, T["relative_uses"]) if seen else ())
            for target in seen
            if target in material.transitive and target.frame.n >= T["relative_verb"]
        )

    def _agrees_with_predicate(self, target: PredicateParadigm) -> bool:
        """Tell whether a word is a copula that may agree with a predicate noun after it, as in
        Italian *il problema sono i soldi*."""
        code = self.material.language.partition("-")[0]
        return (
            not self.material.openers
            and not self._copulas.isdisjoint(_written(target))
            and bool(entries("copula", code))
        )

    @cached_property
    def _copulas(self) -> frozenset[str]:
        """The forms that are a copula, whatever their lemma: Portuguese *foram* is *went* too."""
        return frozenset(
            form.form
            for predicate, forms in self.material.harvest.predicates.items()
            if predicate.target == "copula"
            for form in forms
        )

    @cached_property
    def _infinitives(self) -> frozenset[str]:
        """The forms that are infinitives, in small letters."""
        return frozenset(
            form.lower()
            for form, _, _, feats in self.material.harvest.analyses
            if "VerbForm=Inf" in feats.split("|")
        )

    def fitting(self, option: PredicateOption) -> dict[str, dict[str, FilledForm]]:
        """The heads that go with one of `options`, with the target's two forms."""
        if id(option) not in self._fitting:
            heads = self.material.subjects(option.kind.case)
            genders = {self.material.nouns.gender(head) for head in heads}
            pairs = {gender: option.target.pair(gender) for gender in genders}
            self._fitting[id(option)] = {
                head: pair
                for head in heads
                if (pair := pairs[self.material.nouns.gender(head)]) is not None
                and self._goes_with(option, head)
            }
        return self._fitting[id(option)]

    def _goes_with(self, option: PredicateOption, head: str) -> bool:
        """Tell whether only one form of a target is possible with a head."""
        kind = option.kind
        neuter = self.material.nouns.gender(head)[0] == "Neut"
        if kind.target == "adjective" and neuter and "Short" in option.target.predicate.feats:
            return False  # looks like an adverb
        if (
            self.material.is_free
            and kind.feature == "Number"
            and self.material.nouns.is_adverbial(head)
        ):
            return False
        free = self.material.is_free and not self.material.openers and kind.feature == "Number"
        if free and head in self._oblique_heads(kind.case):
            return False
        if not free or option.preceding is not None or not takes_object(kind, option.target):
            return True
        if option.opener is None:
            return not self.looks_like_object(head, kind.case)
        is_filled = not takes_clause(option.target, T["opener_clause"])
        return is_filled and self.looks_like_object(head, kind.case)

    def _oblique_heads(self, case: str) -> frozenset[str]:
        """Return the heads a form of which may be in another case that stands without an adposition
        below verbs: Lithuanian *kompanijos*, of the company, may begin a clause of negation."""
        if case not in self._oblique:
            seen = self.material.harvest.dependent_cases
            floor = T["bare_case"] * seen.total()
            cases = [each for each in ("Gen", "Dat") if seen[each] >= floor]
            definite = self.material.definite(case)
            self._oblique[case] = frozenset(
                head
                for head in (self.material.subjects(case) if case else ())
                if self.material.nouns.may_be_in(cases, head, case, definite)
            )
        return self._oblique[case]

    def looks_like_object(self, head: str, case: str) -> bool:
        """Whether a head may be read as an object, in either number."""
        return self.material.nouns.looks_like_object(head, case, self.material.definite(case))

    def reserved(self, option: PredicateOption) -> frozenset[str]:
        """The heads that other predicates have more need of: those that cannot look like objects
        where these are few."""
        closed_or_bare = option.opener is None and takes_object(option.kind, option.target)
        if not self.material.is_free or self.material.openers or closed_or_bare:
            return frozenset()
        case = option.kind.case
        if case not in self._clear:
            clear = frozenset(
                head
                for head in self.material.subjects(case)
                if not self.looks_like_object(head, case)
            )
            self._clear[case] = clear if len(clear) * T["spread_head"] < 1 else frozenset()
        return self._clear[case]


def _written(target: PredicateParadigm) -> set[str]:
    """Return the forms of a target as they are written."""
    return {form.form for by_gender in target.forms.values() for form in by_gender.values()}
