"""Which sets are made: blocks in turn, those least used first, within limits on their spread."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from heapq import nsmallest
from math import sqrt
from typing import NamedTuple

from ...data.seeds import generator, shuffled
from .blocks import SetMaterial
from .composed_set import (
    CLAUSE,
    FRONT,
    RELATIVE,
    ComposedCell,
    ComposedSet,
    NounModifier,
    Opening,
    Options,
    PredicateOption,
)
from .openings import FIRST, Openings
from .phrase import Modifier, with_role
from .suffixes import FilledForm
from .thresholds import T
from .treebank_counts import NUMBERS

MIN_SETS = 100  # sets; where limits leave fewer, one of them is widened
TRIES = 20  # heads that are tried with a predicate before it is passed over
HEAD, NOUN, PREDICATE, VERB, KIND, OPENING = "head", "noun", "predicate", "verb", "kind", "opening"
"""Roles that words and kinds of phrases are used in; `FIRST` is another"""


class ShareLimits(NamedTuple):
    """Largest shares of all sets, and which of them are wider than `THRESHOLDS` says."""

    predicate: float = T["spread_predicate"]
    head: float = T["spread_head"]
    closed: float = T["spread_auxiliary"]  # copula and auxiliaries as target
    opener: float = T["spread_opener"]  # an object pronoun at the beginning
    wider: str = ""
    relative: bool = False  # the target is in an object relative clause


WIDER = (
    ShareLimits(closed=1.0, wider="auxiliary"),
    ShareLimits(opener=1.0, wider="opener"),
    ShareLimits(predicate=T["spread_wider"], wider="predicate"),
    ShareLimits(opener=1.0, predicate=T["spread_wider"], wider="opener, predicate"),
)
RELATIVES = ShareLimits(predicate=T["spread_wider"], relative=True)


class SetChoice(NamedTuple):
    """Sets, how many there are within all limits, and which limit is wider where there are more;
    and the sets whose target is in a relative clause."""

    sets: list[ComposedSet]
    n_within: int
    wider: str
    relatives: list[ComposedSet]
    predicates: Options


def choose(material: SetMaterial, n_sets: int, seed: int, attractors: int) -> SetChoice:
    """Choose as many sets as the limits on the spread of words allow, `n_sets` a kind at most.

    The limits are shares of all sets, so fewer sets have narrower ones: from `n_sets` downwards,
    the first number that can be filled. Where that makes fewer than `MIN_SETS`, one limit is
    widened, at last two: the first of `WIDER` with which so many can be filled, else what makes
    most.
    """
    predicates, openings = Options(material), Openings(material)

    def chooser(limits: ShareLimits, size: int) -> _SetChooser:
        return _SetChooser(predicates, openings, seed, attractors, limits, size)

    def largest(limits: ShareLimits, size: int = n_sets) -> list[ComposedSet]:
        size = size if material.inner else 0
        while size > 0:
            choice = chooser(limits, size)
            if choice.upper_bound >= size:
                sets = choice.sets()
                if len(sets) >= size:
                    return sets
                size = min(size, len(sets) + len(sets) // 8 + 1)
            size -= max(1, size // 12)
        return []

    strict, relatives = largest(ShareLimits()), largest(RELATIVES)
    best = SetChoice(strict, len(strict), "", relatives, predicates)
    minimum = min(MIN_SETS, n_sets)
    if len(strict) >= minimum or not material.inner:
        return best
    for limits in WIDER:
        if len(chooser(limits, minimum).sets()) >= minimum:
            return best._replace(sets=largest(limits), wider=limits.wider)
    for limits in WIDER:
        sets = largest(limits, minimum)
        if len(sets) > len(best.sets):
            best = best._replace(sets=sets, wider=limits.wider)
    return best


class _SetChooser:
    """One choice of sets under the limits for so many."""

    def __init__(
        self,
        predicates: Options,
        openings: Openings,
        seed: int,
        attractors: int,
        limits: ShareLimits,
        n_sets: int,
    ) -> None:
        self.predicates, self.openings, self.material = predicates, openings, openings.material
        self.options = predicates.relative if limits.relative else predicates.main
        self.n_sets, self.attractors, self.n_made = n_sets, attractors, 0
        self.most_predicate = max(1, int(limits.predicate * n_sets))
        self.most_head = max(1, int(limits.head * n_sets))
        self.most_closed = int(limits.closed * n_sets)
        self.most_opener = max(1, int(limits.opener * n_sets))
        self.rng = generator(seed, f"composed {self.material.language}")
        self.used: Counter[tuple[str, ...]] = Counter()  # (role, word or kind); combinations
        heads = (self.material.subjects(kind.case) for kind in self.material.kinds)
        pools = (*heads, *self.material.inner.values(), *openings.fronts.values())
        lemmas = sorted(set().union(*pools))
        self.rank = {lemma: n for n, lemma in enumerate(shuffled(self.rng, lemmas))}

    @property
    def upper_bound(self) -> int:
        """Return a number of sets that the limits do not let pass."""
        names = {option.name for option in self.options if not option.is_closed}
        has_closed = any(option.is_closed for option in self.options)
        room = len(names) * self.most_predicate + has_closed * self.most_closed
        return min(room, len(self.rank) * self.most_head)

    def sets(self) -> list[ComposedSet]:
        """Choose the sets: predicates in turn, those least used first."""
        pools: dict[bool, dict[str, list[PredicateOption]]] = {True: {}, False: {}}
        for option in shuffled(self.rng, self.options):
            pools[option.is_closed].setdefault(option.key, []).append(option)
        room = len(pools[False]) * self.most_predicate
        n_closed = min(self.most_closed, max(self.n_sets // 3, self.n_sets - room))
        sets: list[ComposedSet] = []
        n_made_closed = 0
        while len(sets) < self.n_sets:
            closed_first = n_made_closed * self.n_sets < n_closed * (len(sets) + 1)
            order = [closed_first, not closed_first]
            if n_made_closed >= self.most_closed:
                order.remove(True)
            candidates = (self._next_set(pools[is_closed]) for is_closed in order)
            chosen = next((each for each in candidates if each is not None), None)
            if chosen is None:
                break
            chosen = self._opened(chosen)
            n_made_closed += chosen.option.is_closed
            sets.append(chosen)
            self.n_made += 1
            self.used.update(_uses(chosen))
        return sets

    def _next_set(self, groups: dict[str, list[PredicateOption]]) -> ComposedSet | None:
        """Return a set of the predicate least used that still goes with something; drop others."""
        while groups:
            name = min(groups, key=lambda key: (self.used[PREDICATE, key], -len(groups[key])))
            options = groups[name]
            is_limited = bool(options[0].name)
            if not is_limited or self.used[PREDICATE, name] < self.most_predicate:
                for option in list(options):
                    options.append(options.pop(0))
                    if (chosen := self._build_set(option)) is not None:
                        return chosen
            del groups[name]
        return None

    def _build_set(self, option: PredicateOption) -> ComposedSet | None:
        """Return a set with an option, its head and modifiers those least used for how frequent
        they are; none if none fits."""
        opener = option.object_opener
        if opener is not None and self.used[OPENING, opener.form] >= self.most_opener:
            return None
        fitting, reserved = self.predicates.fitting(option), self.predicates.reserved(option)
        pool = (noun for noun in fitting if self.used[HEAD, noun] < self.most_head)
        order = sorted(
            pool, key=lambda noun: (noun in reserved, self.used[HEAD, noun], self.rank[noun])
        )
        modifiers = sorted(
            self.material.inner,
            key=lambda each: (self._rate(KIND, each.name, each.n_subjects), each.name),
        )
        for head in order[:TRIES]:
            for chosen in self._modifiers(modifiers, head, option):
                result = self._complete_set(option, fitting[head], head, chosen)
                if result is not None and self.used[result.combination] < T["combination"]:
                    return result
        return None

    def _rate(self, role: str, name: str, n: int) -> float:
        """Return how often a kind of phrase was used for how frequent it is."""
        return (self.used[role, name] + 1) / sqrt(1 + n)

    def _least_used(
        self, pool: Iterable[str], barred: Set[str], role: str, n: int = 1
    ) -> list[str]:
        """Return the `n` nouns that were least often used in a role compared with as head, ties in
        a random order: with the nouns of all roles from one pool, no bag of words tells heads."""
        return nsmallest(
            n,
            (noun for noun in pool if noun not in barred),
            key=lambda noun: (self.used[role, noun] - self.used[HEAD, noun], self.rank[noun]),
        )

    def _modifiers(
        self, order: Sequence[Modifier], head: str, option: PredicateOption
    ) -> Iterator[tuple[Modifier, ...]]:
        """Yield modifiers that go with a head, or with a predicate between it and them; the first
        of `order` first."""
        is_bare = option.kind.target == "adjective"
        order = [
            modifier
            for modifier in order
            if not modifier.heads
            or (option.name if modifier.position.kind == "obl" else head) in modifier.heads
        ]
        if option.relative is not None:
            order = [modifier for modifier in order if modifier.position.kind == "nmod"]
        for first in order[:3]:
            partners = [modifier for modifier in order if _goes_with(modifier, first)]
            seconds = partners[:3] if self.attractors > 1 else []
            for chosen in (*((first, second) for second in seconds), (first,)):
                # Hebrew *בבית גדול* is a big house
                if not (is_bare and any(map(self.material.writer.is_prefixed, chosen))):
                    yield tuple(sorted(chosen, key=_closeness))

    def _complete_set(
        self,
        option: PredicateOption,
        forms: dict[str, FilledForm],
        head: str,
        chosen: tuple[Modifier, ...],
    ) -> ComposedSet | None:
        """Return a set with the cells that begin with its head, its nouns those least used; none
        where there are none."""
        nouns: list[str] = []
        for modifier in chosen:
            pool = self._least_used(self.material.inner[modifier], {head, *nouns}, NOUN)
            if not pool:
                return None
            nouns.append(pool[0])
        verb = None
        if any(modifier.relative for modifier in chosen):
            verb = min(
                (verb for verb in self.material.transitive
                 if verb.predicate.lemma != option.target.predicate.lemma),
                key=lambda verb: (self.used[VERB, verb.predicate.lemma], verb.predicate.lemma),
                default=None,
            )  # fmt: skip
        result = ComposedSet(option, forms, head, chosen, tuple(nouns), verb)
        if option.relative is not None:
            return result
        cells: list[ComposedCell] = []
        for cell in result.main_cells(self.material):
            if cell is None:
                return None
            cells.append(cell)
        return replace(result, cells=tuple(cells))

    # cells with an opening

    def _opened(self, chosen: ComposedSet) -> ComposedSet:
        """Return a set with its cells that begin with another noun than the head, where there are
        any; the modifier in them is one of the set's by turns."""
        index = self.n_made % len(chosen.modifiers)
        kinds = (
            (self._relative_opening,)
            if chosen.option.relative
            else (self._clause_opening, self._front_opening)
        )
        barred = {chosen.head, *chosen.nouns}
        openings = [opening for make in kinds if (opening := make(chosen, barred)) is not None]
        opened = (chosen.opened_cells(self.material, opening, index) for opening in openings)
        cells = (cell for cells in opened for cell in cells if cell is not None)
        return replace(chosen, cells=(*chosen.cells, *cells), openings=tuple(openings))

    def _clause_opening(self, chosen: ComposedSet, barred: Set[str]) -> Opening | None:
        """Return a matrix clause, the least used that fits; every second one has a modifier of the
        other number after its subject."""
        option, openings = chosen.option, self.openings
        opener, subjects = option.object_opener, self.material.subjects(option.kind.case)
        following = [opener.form] if opener else [
            words[0].form for words in subjects[chosen.head].values()
        ]  # fmt: skip
        verbs = {paradigm.predicate.lemma for paradigm in (option.target, chosen.verb) if paradigm}
        is_modified = self.n_made // 2 % 2  # the other factor, the modifier, takes turns too
        for clause in sorted(
            openings.clauses, key=lambda each: (self._rate(OPENING, each.name, each.n), each.name)
        ):
            marks = {openings.subordinator_form(clause.subordinator, word) for word in following}
            mark = marks.pop()
            if clause.verb.predicate.lemma in verbs or marks or mark is None:
                continue
            pool = self.material.subjects(clause.case)
            for noun in self._least_used(pool, barred, FIRST, TRIES):
                if clause.verb.pair(self.material.nouns.gender(noun)) is None:
                    continue
                after = self._modifier_after(noun, {*barred, noun}) if is_modified else None
                words = openings.clause_words(clause, noun, mark, after.words if after else {})
                return Opening(CLAUSE, clause.name, noun, words, after)
        return None

    def _modifier_after(self, head: str, barred: Set[str]) -> NounModifier | None:
        """Return the modifier least used that goes with a noun."""
        inner = self.material.inner
        for modifier in sorted(inner, key=lambda each: (self.used[KIND, each.name], each.name)):
            is_fitting = not modifier.heads or head in modifier.heads
            if modifier.position.kind != "nmod" or not is_fitting:
                continue
            for noun in self._least_used(inner[modifier], barred, NOUN):
                singular, plural = (inner[modifier][noun][number] for number in NUMBERS)
                return NounModifier(modifier.name, noun, {"Sing": plural, "Plur": singular})
        return None

    def _front_opening(self, chosen: ComposedSet, barred: Set[str]) -> Opening | None:
        """Return a fronted phrase, the least used that fits; none beside another opener, and none
        with a function word of the set's modifiers."""
        case, fronts = chosen.option.kind.case, self.openings.fronts
        own = {modifier.position.marking for modifier in chosen.modifiers}
        if chosen.option.opener is not None:
            return None
        for front in sorted(
            fronts, key=lambda each: (self._rate(OPENING, each.name, each.n), each.name)
        ):
            is_own = front.position.marking in own
            if is_own or not self.openings.can_follow(front, chosen.head, case):
                continue
            for noun in self._least_used(fronts[front], barred, FIRST):
                return Opening(FRONT, front.name, noun, self.openings.front_words(front, noun))
        return None

    def _relative_opening(self, chosen: ComposedSet, barred: Set[str]) -> Opening | None:
        """Return the noun least used with the relative word of its clause."""
        relative, subjects = chosen.option.relative, self.material.subjects(chosen.option.kind.case)
        assert relative is not None
        noun = self._least_used(subjects, barred, FIRST)[0]
        words = {
            number: [*with_role(phrase, FIRST), *relative.start]
            for number, phrase in subjects[noun].items()
        }
        return Opening(RELATIVE, relative.name, noun, words)


def _uses(chosen: ComposedSet) -> Iterator[tuple[str, ...]]:
    """Yield the words and phrases of a set, in their roles."""
    option = chosen.option
    yield chosen.combination
    yield PREDICATE, option.key
    yield HEAD, chosen.head
    yield from ((NOUN, noun) for noun in chosen.nouns)
    yield from ((KIND, modifier.name) for modifier in chosen.modifiers)
    if chosen.verb is not None:
        yield VERB, chosen.verb.predicate.lemma
    if option.object_opener is not None:
        yield OPENING, option.object_opener.form
    for opening in chosen.openings:
        yield OPENING, opening.name
        yield FIRST, opening.noun
        if opening.after is not None:
            yield NOUN, opening.after.noun
            yield KIND, opening.after.name


def _closeness(modifier: Modifier) -> tuple[bool, bool, int, str]:
    """Return where a modifier stands: genitives next to their noun, relative clauses after all."""
    return (
        bool(modifier.relative),
        bool(modifier.position.adposition),
        -modifier.n_subjects,
        modifier.name,
    )


def _goes_with(modifier: Modifier, partner: Modifier) -> bool:
    """Tell whether two modifiers can stand in a row: of different words, one relative at most.
    Those of one name (Latin *in* with two cases) would make two cells of one name."""
    if modifier.name == partner.name or (modifier.relative and partner.relative):
        return False
    return modifier.position[1::2] != partner.position[1::2]
