"""A composed set: its words and its cells; and the predicates that sets can have, with the heads
that leave only one form possible.

A *head* is the subject that the target agrees with. A *cell* of a set is one combination of the
head's number, of what stands between head and target, and of what precedes the head; it becomes one
item.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

from ..variants.ambiguity.pair import entries
from ._predicates import PredicateParadigm, exceeds
from .blocks import Phrases, SetMaterial
from .phrase import ComposedWord, Modifier
from .suffixes import FilledForm
from .thresholds import LIMIT
from .treebank_counts import CLOSED, NUMBERS, Kind, PredicateWord


class PredicateOption(NamedTuple):
    """A predicate that sets can have: a target, and the words that must go with it.

    Where a copula or auxiliary is the target and follows its predicate (German *gelesen werden*),
    the predicate is in `preceding`.
    """

    kind: Kind
    target: PredicateParadigm
    preceding: PredicateWord | None = None
    opener: ComposedWord | None = None  # a subordinator or object pronoun before the subject
    relative: Modifier | None = None  # the object relative clause that the target is in

    @property
    def name(self) -> str:
        """Return the predicate's lemma, by which sets are counted: no predicate may have too many.

        It is "" for sentences that stop at a copula or auxiliary, before the predicate: these have
        no such limit.
        """
        return "" if self.is_closed and self.preceding is None else self.key

    @property
    def key(self) -> str:
        """Return the lemma by which uses are counted, so that all lemmas get sets in turn: the
        predicate's or, if the sentence has none, the copula's or auxiliary's."""
        return self.preceding.lemma if self.preceding else self.target.predicate.lemma

    @property
    def object_opener(self) -> ComposedWord | None:
        """Return the object pronoun that its sentences begin with, if any."""
        return self.opener if self.opener is not None and self.opener.upos == "PRON" else None

    @property
    def is_closed(self) -> bool:
        """Tell whether its target is a copula or auxiliary."""
        return self.kind.target in CLOSED

    def final_words(self, form: str, value: str) -> list[ComposedWord]:
        """Return the last words of a sentence: the target, or a predicate and the target (German
        *gelesen werden*). `form`: the target's form; `value`: its number."""
        target, first = self.target.predicate, self.preceding
        feats = target.feats_with(f"{self.kind.feature}={value}")
        words = [ComposedWord(first.form, first.upos, lemma=first.lemma)] if first else []
        return [*words, ComposedWord(form, target.upos, feats, "target", target.lemma)]


@dataclass(frozen=True)
class PredicateOptions:
    """The predicates of a language's sets, and the heads that go with them."""

    material: SetMaterial
    _heads_fitting: dict[int, dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    """`id` of an option → the result of `heads_fitting`, since options cannot be hashed"""
    _reserved: dict[str, frozenset[str]] = field(default_factory=dict)
    """case of the subject → nouns that cannot be read as objects, if they are scarce"""

    @cached_property
    def main(self) -> tuple[PredicateOption, ...]:
        """The predicates of main clauses, in a fixed order."""
        material, order = self.material, self.material.counts.predicate_order
        options: list[PredicateOption] = []
        for kind, (targets, _) in material.targets.items():
            is_closed = kind.target in CLOSED
            n_predicate_first, n_target_first = order[kind.target, True], order[kind.target, False]
            for target in targets:
                if not self._is_number_decided(kind, target):
                    continue
                if is_closed and (n_predicate_first > n_target_first or material.openers):
                    options += self._with_predicate_before(kind, target)
                    continue
                openers: list[ComposedWord | None] = [*material.openers]
                if not material.openers:
                    openers = [None]
                    if target.is_transitive and not is_closed:
                        openers += material.object_openers
                elif target.takes_object:
                    continue  # the noun before it might be its object
                options += (PredicateOption(kind, target, opener=opener) for opener in openers)
        return tuple(options)

    def _is_number_decided(self, kind: Kind, target: PredicateParadigm) -> bool:
        """Tell whether the words before a target (the word that agrees) leave only one number
        right, whatever words may follow the target."""
        material = self.material
        if material.openers and not self._infinitives.isdisjoint(target.spellings):
            return False  # *dass die Bücher gelesen werden* may go on with *kann*
        may_agree = bool(entries("copula", material.code)) and not material.openers
        if may_agree and kind.target in CLOSED and not self._copulas.isdisjoint(target.spellings):
            return False  # Italian *il problema sono i soldi*
        if material.rules.raised_subjects and exceeds(
            target.frame, "complement", "verb_complement"
        ):
            return False  # Greek *οι έλεγχοι άρχισε να γίνονται*
        if kind.target not in ("adjective", "participle"):
            return True
        is_attribute = material.has_free_order and "Case=" in target.predicate.feats
        return not (is_attribute or material.rules.verbs_alone)  # Lithuanian *laikomas vėliavas*

    def _with_predicate_before(
        self, kind: Kind, target: PredicateParadigm
    ) -> Iterator[PredicateOption]:
        """Yield an option for each predicate that can precede a copula or auxiliary, `target`: the
        two were seen together with singular and plural subjects, or the predicate does not inflect
        for number."""
        counts, openers = self.material.counts, self.material.openers
        by_word: dict[PredicateWord, Counter[str]] = {}  # → uses by the subject's number
        # Combinations are counted by the lemma of the copula or auxiliary, without its features.
        by_lemma = target.predicate._replace(feats="", feature="", part="")
        for (word, number, precedes, is_bare), n in counts.predicates_of[by_lemma].items():
            fits = is_bare if openers else precedes
            if fits:
                by_word.setdefault(word, Counter())[number] += n
        for word, uses in sorted(by_word.items()):
            is_in_both_numbers = all(uses[number] for number in NUMBERS)
            if openers and exceeds(counts.frames[word.lemma], "oblique", "verb_oblique"):
                continue  # incomplete without its oblique: *weil die Straße gestoßen war*
            if uses.total() >= 2 and (is_in_both_numbers or not word.has_number):
                for opener in openers or (None,):
                    yield PredicateOption(kind, target, word, opener)

    @cached_property
    def relative(self) -> tuple[PredicateOption, ...]:
        """The predicates of object relative clauses, if word order is fixed: *the papers that the
        author near the door reads*."""
        material = self.material
        if material.has_free_order:
            return ()
        return tuple(
            PredicateOption(kind, target, relative=relative)
            for kind, (targets, _) in material.targets.items()
            for relative in material.relatives(kind.case)
            for target in targets
            if target in material.transitive and target.frame["n"] >= LIMIT["relative_verb"]
        )

    @cached_property
    def _copulas(self) -> frozenset[str]:
        """All forms that copulas have; another verb may have the same form (Portuguese *foram* also
        means *went*)."""
        predicates = self.material.counts.predicates.items()
        return frozenset(
            form
            for predicate, cells in predicates
            if predicate.target == "copula"
            for seen in cells.values()
            for form in seen
        )

    @cached_property
    def _infinitives(self) -> frozenset[str]:
        """All forms that can be infinitives, in lowercase."""
        return frozenset(
            form.lower()
            for form, _, _, feats in self.material.counts.analyses
            if "VerbForm=Inf" in feats
        )

    def heads_fitting(self, option: PredicateOption) -> dict[str, dict[str, FilledForm]]:
        """Return the heads (subjects) that go with a predicate option: noun → number → the target's
        form."""
        if id(option) not in self._heads_fitting:
            nouns = self.material.nouns
            heads = self.material.subjects[option.kind.case]
            genders = {nouns.gender(head) for head in heads}
            pairs = {gender: option.target.pair(gender) for gender in genders}
            self._heads_fitting[id(option)] = {
                head: pair
                for head in heads
                if (pair := pairs[nouns.gender(head)]) is not None and self._goes_with(option, head)
            }
        return self._heads_fitting[id(option)]

    def _goes_with(self, option: PredicateOption, head: str) -> bool:
        """Tell whether a head can only be the subject of an option's target, so that only one of
        the target's forms is right."""
        kind, target, material = option.kind, option.target, self.material
        is_neuter = material.nouns.gender(head)[0] == "Neut"
        if not material.agrees(kind, head):
            return False
        if kind.target == "adjective" and is_neuter and "Short" in target.predicate.feats:
            return False  # the neuter short form looks like an adverb
        if not material.has_free_order or kind.feature != "Number":
            return True
        if material.nouns.is_adverbial(head):
            return False
        if material.openers:
            return True  # `main` has no target that takes an object then
        if (kind.case, head) in self._oblique_heads:
            return False
        if option.preceding is not None or not target.takes_object:
            return True
        if option.opener is None:
            return not self.looks_like_object(head, kind.case)
        # The opening pronoun fills the object's place, so the head can be no object. Heads that can
        # be none anyway have options without a pronoun.
        is_place_filled = not exceeds(target.frame, "complement", "opener_clause")
        return is_place_filled and self.looks_like_object(head, kind.case)

    @cached_property
    def _oblique_heads(self) -> frozenset[tuple[str, str]]:
        """The (case, head) pairs whose form may also be a genitive or dative that depends on the
        verb: Lithuanian *kompanijos* is also *of the company*, the object of a negated verb."""
        material, seen = self.material, self.material.counts.dependent_cases
        cases = [name for name in ("Gen", "Dat") if seen[name] >= LIMIT["bare_case"] * seen.total()]
        return frozenset(
            (case, head)
            for case in {kind.case for kind in material.kinds} - {""}
            for head in material.subjects[case]
            if material.nouns.may_be_in(cases, head, case, material.definite(case))
        )

    def looks_like_object(self, head: str, case: str) -> bool:
        """Tell whether a head may be read as an object, in either number."""
        return self.material.nouns.looks_like_object(head, case, self.material.definite(case))

    def reserved_heads(self, option: PredicateOption) -> frozenset[str]:
        """Return the heads (subjects) that an option should leave to options that need them: nouns
        that cannot be read as objects, if these are too few to be the heads of all sets. Return an
        empty set if the option needs such nouns itself or word order is fixed."""
        material, case = self.material, option.kind.case
        needs_them = option.opener is None and option.target.takes_object
        if not material.has_free_order or material.openers or needs_them:
            return frozenset()
        if case not in self._reserved:
            unambiguous = frozenset(
                head for head in material.subjects[case] if not self.looks_like_object(head, case)
            )
            # heads are scarce if not even all of them, each in its largest share, fill all sets
            max_share_per_head = LIMIT["spread_head"]
            is_scarce = len(unambiguous) * max_share_per_head < 1
            self._reserved[case] = unambiguous if is_scarce else frozenset()
        return self._reserved[case]


# number of a noun compared with the head's; NONE if there is no such noun
NONE, SAME, OPPOSITE = "none", "same", "opposite"
CLAUSE, FRONT, RELATIVE = "clause", "front", "relative"


class Opening(NamedTuple):
    """The words before the head in some cells of a set: a matrix clause, a fronted phrase, or the
    antecedent of a relative clause."""

    kind: str  # CLAUSE, FRONT or RELATIVE
    name: str  # "say that", "obl:in", "relative:that"
    noun: str  # lemma of the sentence's first noun
    words: Phrases  # number of that noun → the words before the head
    after: "NounModifier | None" = None  # a modifier of that noun

    @property
    def parts(self) -> list[str]:
        """Return the name and the noun of the opening, and those of its noun's modifier if there is
        one; they become part of the set's id."""
        modifier = (self.after.name, self.after.noun) if self.after else ()
        return [self.name, self.noun, *modifier]


class NounModifier(NamedTuple):
    """A modifier of a matrix clause's subject. Its noun has the other number than the subject."""

    name: str
    noun: str
    words: Phrases  # number of the subject → the modifier's words


class ComposedCell(NamedTuple):
    """One cell of a set: a sentence that ends with the right form of the target."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing", "clause.Plur.Sing.nmod:of.Plur"
    value: str  # the head's number
    words: tuple[ComposedWord, ...]
    facts: Mapping[str, str]
    """`relation`: number of the nouns between head and target compared with the head's (none, same,
    opposite); `modifier` and `n_modifiers` there; the kind of `opening`; `first_noun`: number of a
    noun before the head, likewise compared"""


@dataclass(frozen=True)
class ComposedSet:
    """The words of a set, and its cells."""

    option: PredicateOption
    forms: dict[str, FilledForm]  # number → the target's form
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: PredicateParadigm | None  # of a modifier that is a relative clause
    openings: tuple[Opening, ...] = ()
    cells: tuple[ComposedCell, ...] = ()

    @property
    def combination(self) -> tuple[str, ...]:
        """Return the head, the predicate and the names of the modifiers, by which it is limited how
        many sets may be alike in all three."""
        kinds = tuple(modifier.name for modifier in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)

    def main_cells(self, material: SetMaterial) -> Iterator[ComposedCell]:
        """Yield the cells (sentences) that begin with the head, singular and plural: with nothing
        between head and target, with each modifier there, and with both; modifiers have singular
        and plural nouns."""
        alone = [(index,) for index in range(len(self.modifiers))]
        together = [tuple(range(len(self.modifiers)))] if len(self.modifiers) > 1 else []
        for value in NUMBERS:
            yield self._cell(material, value, indices=(), number="")
            for indices, number in product((*alone, *together), NUMBERS):
                yield self._cell(material, value, indices, number)

    def opened_cells(
        self, material: SetMaterial, opening: Opening, index: int
    ) -> Iterator[ComposedCell]:
        """Yield the cells (sentences) that begin with an opening and have the modifier number
        `index` of the set: one for each combination of the numbers of the opening's noun, the head
        and the modifier's noun."""
        for first_number, value, number in product(NUMBERS, repeat=3):
            yield self._cell(material, value, (index,), number, opening, first_number)

    def _cell(
        self,
        material: SetMaterial,
        value: str,
        indices: Sequence[int],
        number: str,
        opening: Opening | None = None,
        first_number: str = "",
    ) -> ComposedCell:
        """Return one cell (sentence) of the set.

        Args:
            material: the words and phrases of the language.
            value: number of the head, and so of the target.
            indices: which of the set's modifiers stand between head and target.
            number: of the nouns of these modifiers; "" without modifiers.
            opening: the words before the head, if any.
            first_number: number of the opening's noun; "" without an opening.
        """
        option = self.option
        words = [*opening.words[first_number]] if opening else []
        # A matrix clause ends with its own subordinator, which takes the place of the option's.
        opener = option.object_opener if opening else option.opener
        words += [opener] if opener else []
        words += material.subjects[option.kind.case][self.head][value]
        for index in indices:
            words += material.phrase(self.modifiers[index], self.nouns[index], number, self.verb)
        words += option.final_words(self.forms[value].form, value)
        names = "+".join(self.modifiers[index].name for index in indices)
        name_parts = [opening.kind, first_number] if opening else []
        name_parts += [value, names, number] if indices else [value, NONE]
        facts = {
            "relation": (SAME if number == value else OPPOSITE) if indices else NONE,
            "modifier": names,
            "n_modifiers": str(len(indices)),
            "opening": opening.kind if opening else "",
            "first_noun": (SAME if first_number == value else OPPOSITE) if opening else NONE,
        }
        return ComposedCell(".".join(name_parts), value, tuple(words), facts)
