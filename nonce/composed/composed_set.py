"""A composed set: its words and its cells; and the predicates that sets can have, with the heads
that leave only one form possible.
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
from .thresholds import T
from .treebank_counts import CLOSED, NUMBERS, Kind, PredicateWord


class PredicateOption(NamedTuple):
    """A predicate of a set: its target, and the word before it where the language has one there."""

    kind: Kind
    target: PredicateParadigm
    preceding: PredicateWord | None = None
    opener: ComposedWord | None = None  # what stands before the subject
    relative: Modifier | None = None  # the object relative clause that it is in

    @property
    def name(self) -> str:
        """Return the predicate that counts for the spread; "" where text stops at copula or
        auxiliary."""
        return "" if self.is_closed and self.preceding is None else self.key

    @property
    def key(self) -> str:
        """Return what is used in turn: its predicate, or the copula or auxiliary itself."""
        return self.preceding.lemma if self.preceding else self.target.predicate.lemma

    @property
    def object_opener(self) -> ComposedWord | None:
        """Return the object pronoun that its sentences begin with."""
        return self.opener if self.opener is not None and self.opener.upos == "PRON" else None

    @property
    def is_closed(self) -> bool:
        """Tell whether its target is a copula or auxiliary."""
        return self.kind.target in CLOSED

    def end(self, form: str, value: str) -> list[ComposedWord]:
        """Return the target, with the predicate before it where the language has it there."""
        predicate, word = self.target.predicate, self.preceding
        feats = predicate.feats_with(f"{self.kind.feature}={value}")
        preceding = [ComposedWord(word.form, word.upos, lemma=word.lemma)] if word else []
        return [*preceding, ComposedWord(form, predicate.upos, feats, "target", predicate.lemma)]


@dataclass(frozen=True)
class Options:
    """The predicates of a language's sets, and the heads that go with them."""

    material: SetMaterial
    _fitting: dict[int, dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    _reserved: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def main(self) -> tuple[PredicateOption, ...]:
        """The predicates of main clauses, in a fixed order."""
        material, order = self.material, self.material.counts.predicate_order
        options: list[PredicateOption] = []
        for kind, (seen, _) in material.targets.items():
            predicate_first = order[kind.target, True] > order[kind.target, False]
            for target in seen:
                openers: tuple[ComposedWord | None, ...] = material.openers
                if not self._is_decided(kind, target):
                    continue
                if kind.target in CLOSED and (predicate_first or openers):
                    options += self._with_predicate_before(kind, target)
                    continue
                if not openers:
                    is_opened = kind.target not in CLOSED and target.is_transitive
                    openers = (None, *(material.object_openers if is_opened else ()))
                elif target.takes_object:
                    continue
                options += (PredicateOption(kind, target, opener=opener) for opener in openers)
        return tuple(options)

    def _is_decided(self, kind: Kind, target: PredicateParadigm) -> bool:
        """Tell whether nothing that may follow a target decides its number."""
        material = self.material
        if material.openers and not self._infinitives.isdisjoint(target.written):
            return False  # *dass die Bücher gelesen werden* may go on with *kann*
        may_agree = bool(entries("copula", material.code)) and not material.openers
        if may_agree and kind.target in CLOSED and not self._copulas.isdisjoint(target.written):
            return False  # Italian *il problema sono i soldi*
        if material.rules.raised_subjects and exceeds(
            target.frame, "complement", "verb_complement"
        ):
            return False  # Greek *οι έλεγχοι άρχισε να γίνονται*
        if kind.target not in ("adjective", "participle"):
            return True
        is_attribute = material.is_free and "Case=" in target.predicate.feats
        return not (is_attribute or material.rules.verbs_alone)  # Lithuanian *laikomas vėliavas*

    def _with_predicate_before(
        self, kind: Kind, target: PredicateParadigm
    ) -> Iterator[PredicateOption]:
        """Yield a copula or auxiliary with each predicate that was seen before it in both numbers,
        or has none."""
        counts, openers = self.material.counts, self.material.openers
        by_word: dict[PredicateWord, Counter[str]] = {}
        seen = counts.predicates_of[target.predicate._replace(feats="", feature="", part="")]
        for (word, number, precedes, is_bare), n in seen.items():
            if is_bare if openers else precedes:
                by_word.setdefault(word, Counter())[number] += n
        for word, numbers in sorted(by_word.items()):
            in_both_numbers = all(numbers[number] for number in NUMBERS)
            if openers and exceeds(counts.frames[word.lemma], "oblique", "verb_oblique"):
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
            for relative in material.relatives(kind.case)
            for target in seen
            if target in material.transitive and target.frame["n"] >= T["relative_verb"]
        )

    @cached_property
    def _copulas(self) -> frozenset[str]:
        """The forms that are a copula, whatever their lemma: Portuguese *foram* is *went* too."""
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
        """The forms that are infinitives, in small letters."""
        return frozenset(
            form.lower()
            for form, _, _, feats in self.material.counts.analyses
            if "VerbForm=Inf" in feats
        )

    def fitting(self, option: PredicateOption) -> dict[str, dict[str, FilledForm]]:
        """Return the heads that go with one of `options`, with the target's two forms."""
        if id(option) not in self._fitting:
            nouns = self.material.nouns
            heads = self.material.subjects(option.kind.case)
            genders = {nouns.gender(head) for head in heads}
            pairs = {gender: option.target.pair(gender) for gender in genders}
            self._fitting[id(option)] = {
                head: pair
                for head in heads
                if (pair := pairs[nouns.gender(head)]) is not None and self._goes_with(option, head)
            }
        return self._fitting[id(option)]

    def _goes_with(self, option: PredicateOption, head: str) -> bool:
        """Tell whether only one form of a target is possible with a head."""
        kind, target, material = option.kind, option.target, self.material
        is_neuter = material.nouns.gender(head)[0] == "Neut"
        if kind.target == "adjective" and is_neuter and "Short" in target.predicate.feats:
            return False  # looks like an adverb
        if not material.is_free or kind.feature != "Number":
            return True
        if material.nouns.is_adverbial(head):
            return False
        if material.openers:
            return True
        if (kind.case, head) in self._oblique_heads:
            return False
        if option.preceding is not None or not target.takes_object:
            return True
        if option.opener is None:
            return not self.looks_like_object(head, kind.case)
        is_filled = not exceeds(target.frame, "complement", "opener_clause")
        return is_filled and self.looks_like_object(head, kind.case)

    @cached_property
    def _oblique_heads(self) -> frozenset[tuple[str, str]]:
        """(case, head) of the heads a form of which may be in another case that stands without an
        adposition below verbs: Lithuanian *kompanijos*, of the company, may begin a clause of
        negation."""
        material, seen = self.material, self.material.counts.dependent_cases
        cases = [each for each in ("Gen", "Dat") if seen[each] >= T["bare_case"] * seen.total()]
        return frozenset(
            (case, head)
            for case in {kind.case for kind in material.kinds} - {""}
            for head in material.subjects(case)
            if material.nouns.may_be_in(cases, head, case, material.definite(case))
        )

    def looks_like_object(self, head: str, case: str) -> bool:
        """Tell whether a head may be read as an object, in either number."""
        return self.material.nouns.looks_like_object(head, case, self.material.definite(case))

    def reserved(self, option: PredicateOption) -> frozenset[str]:
        """Return the heads that other predicates have more need of: those that cannot look like
        objects where these are few."""
        material, case = self.material, option.kind.case
        needs_them = option.opener is None and option.target.takes_object
        if not material.is_free or material.openers or needs_them:
            return frozenset()
        if case not in self._reserved:
            clear = frozenset(
                head for head in material.subjects(case) if not self.looks_like_object(head, case)
            )
            is_few = len(clear) * T["spread_head"] < 1
            self._reserved[case] = clear if is_few else frozenset()
        return self._reserved[case]


NONE, SAME, OPPOSITE = "none", "same", "opposite"
CLAUSE, FRONT, RELATIVE = "clause", "front", "relative"


class Opening(NamedTuple):
    """The words before the head in some cells of a set, in both numbers of its first noun."""

    kind: str  # CLAUSE, FRONT or RELATIVE
    name: str  # "say that", "obl:in", "relative:that"
    noun: str
    words: Phrases
    after: "NounModifier | None" = None  # of its noun

    @property
    def parts(self) -> list[str]:
        """Return the names and nouns of it and of the modifier of its noun."""
        return [self.name, self.noun, *(self.after[:2] if self.after else ())]


class NounModifier(NamedTuple):
    """A modifier of a matrix subject, by the number of the subject: in the other one itself."""

    name: str
    noun: str
    words: Phrases


class ComposedCell(NamedTuple):
    """One cell of a set."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing", "clause.Plur.Sing.nmod:of.Plur"
    value: str
    words: tuple[ComposedWord, ...]
    facts: Mapping[str, str]
    """`relation` of the nouns between head and target (none, same, opposite), the `modifier` there
    and `n_modifiers`, what `opening` precedes the head, and the `first_noun` where it is another"""


@dataclass(frozen=True)
class ComposedSet:
    """The words of a set, and its cells."""

    option: PredicateOption
    forms: dict[str, FilledForm]  # of the target
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: PredicateParadigm | None  # of a relative clause
    openings: tuple[Opening, ...] = ()
    cells: tuple[ComposedCell, ...] = ()

    @property
    def combination(self) -> tuple[str, ...]:
        """Return the blocks of the set, which no more than two share."""
        kinds = tuple(modifier.name for modifier in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)

    def main_cells(self, material: SetMaterial) -> Iterator[ComposedCell | None]:
        """Yield the cells that begin with the head: nothing, each modifier and all of them in a row
        between it and the target; `None` for one that cannot be written."""
        alone = [(index,) for index in range(len(self.modifiers))]
        together = [tuple(range(len(self.modifiers)))] if len(self.modifiers) > 1 else []
        for value in NUMBERS:
            yield self._cell(material, value, (), "")
            for indices, number in product((*alone, *together), NUMBERS):
                yield self._cell(material, value, indices, number)

    def opened_cells(
        self, material: SetMaterial, opening: Opening, index: int
    ) -> Iterator[ComposedCell | None]:
        """Yield the cells with an opening: number of its noun × of the head × of one modifier."""
        for first, value, number in product(NUMBERS, repeat=3):
            yield self._cell(material, value, (index,), number, opening, first)

    def _cell(
        self,
        material: SetMaterial,
        value: str,
        indices: Sequence[int],
        number: str,
        opening: Opening | None = None,
        first: str = "",
    ) -> ComposedCell | None:
        option = self.option
        words = [*opening.words[first]] if opening else []
        opener = option.object_opener if opening else option.opener
        words += [opener] if opener else []
        words += material.subjects(option.kind.case)[self.head][value]
        for index in indices:
            part = material.between(self.modifiers[index], self.nouns[index], number, self.verb)
            if part is None:
                return None
            words += part
        words += option.end(self.forms[value].form, value)
        names = "+".join(self.modifiers[index].name for index in indices)
        parts = [opening.kind, first] if opening else []
        parts += [value, names, number] if indices else [value, NONE]
        facts = {
            "relation": (SAME if number == value else OPPOSITE) if indices else NONE,
            "modifier": names,
            "n_modifiers": str(len(indices)),
            "opening": opening.kind if opening else "",
            "first_noun": (SAME if first == value else OPPOSITE) if opening else NONE,
        }
        return ComposedCell(".".join(parts), value, tuple(words), facts)
