"""Which sets are made: blocks in turn, those least used first, within limits on their spread."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

from ...data.seeds import generator, shuffled
from .blocks import SetMaterial
from .composed_set import (
    CLAUSE,
    FRONT,
    NONE,
    OPPOSITE,
    RELATIVE,
    SAME,
    ComposedCell,
    ComposedSet,
    NounModifier,
    Opening,
)
from .openings import COMMA, FIRST, Openings
from .options import Options, PredicateOption
from .phrase import ComposedWord, Modifier
from .suffixes import NUMBERS, FilledForm
from .thresholds import T

MIN_SETS = 100  # sets; where limits leave fewer, one of them is widened
TRIES = 20  # heads that are tried with a predicate before it is passed over


class ShareLimits(NamedTuple):
    """Largest shares of all sets, and which of them are wider than `THRESHOLDS` says."""

    predicate: float
    head: float
    closed: float  # copula and auxiliaries as target
    opener: float  # an object pronoun at the beginning
    wider: str = ""
    relative: bool = False  # the target is in an object relative clause


STRICT = ShareLimits(
    T["spread_predicate"], T["spread_head"], T["spread_auxiliary"], T["spread_opener"]
)
WIDER = (
    STRICT._replace(closed=1.0, wider="auxiliary"),
    STRICT._replace(opener=1.0, wider="opener"),
    STRICT._replace(predicate=T["spread_wider"], wider="predicate"),
    STRICT._replace(opener=1.0, predicate=T["spread_wider"], wider="opener, predicate"),
)


RELATIVES = STRICT._replace(predicate=T["spread_wider"], relative=True)


class SetChoice(NamedTuple):
    """Sets, how many there are within all limits, and which limit is wider where there are more;
    and the sets whose target is in a relative clause."""

    sets: list[ComposedSet]
    n_within: int
    wider: str
    relatives: list[ComposedSet]
    predicates: Options


def choose(blocks: SetMaterial, n_sets: int, seed: int, attractors: int) -> SetChoice:
    """Choose as many sets as the limits on the spread of words allow, `n_sets` a kind at most.

    The limits are shares of all sets, so fewer sets have narrower ones: from `n_sets` downwards,
    the first number that can be filled. Where that makes fewer than `MIN_SETS`, one limit is
    widened, at last two: the first of `WIDER` that makes so many, else what makes most.
    """
    predicates = Options(blocks)
    largest = partial(_largest_choice, predicates, Openings(blocks), n_sets, seed, attractors)
    strict, relatives = largest(STRICT), largest(RELATIVES)
    minimum = min(MIN_SETS, n_sets)
    best = SetChoice(strict, len(strict), "", relatives, predicates)
    for limits in WIDER if len(strict) < minimum else ():
        sets = largest(limits)
        if len(sets) > len(best.sets):
            best = best._replace(sets=sets, wider=limits.wider)
        if len(sets) >= minimum:
            break
    return best


def _largest_choice(
    predicates: Options,
    openings: Openings,
    n_sets: int,
    seed: int,
    attractors: int,
    limits: ShareLimits,
) -> list[ComposedSet]:
    size = n_sets
    while size > 0:
        choice = _SetChooser(predicates, openings, size, seed, attractors, limits)
        if choice.upper_bound >= size:
            sets = choice.sets()
            if len(sets) >= size:
                return sets
            size = min(size, len(sets) + len(sets) // 8 + 1)
        size -= max(1, size // 12)
    return []


class _SetChooser:
    """One choice of sets under the limits for so many."""

    def __init__(
        self,
        predicates: Options,
        openings: Openings,
        n_sets: int,
        seed: int,
        attractors: int,
        limits: ShareLimits,
    ) -> None:
        self.openings, self.blocks, self.source = openings, openings.material, predicates
        self.options = predicates.relative if limits.relative else predicates.main
        self.n_sets, self.attractors, blocks = n_sets, attractors, self.blocks
        self.n_made = 0
        self.rng = generator(seed, f"composed {blocks.language}")
        self.most_predicate = max(1, int(limits.predicate * n_sets))
        self.most_head = max(1, int(limits.head * n_sets))
        self.most_closed = int(limits.closed * n_sets)
        self.most_opener = max(1, int(limits.opener * n_sets))
        self.predicates: Counter[str] = Counter()
        self.heads: Counter[str] = Counter()
        self.nouns: Counter[str] = Counter()  # of modifiers
        self.first_nouns: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()  # names of openings
        self.verbs: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.combinations: Counter[tuple[str, ...]] = Counter()
        heads = (blocks.subjects(kind.case) for kind in blocks.kinds)
        pools = (*heads, *blocks.inner.values(), *openings.fronts.values())
        lemmas = sorted(set().union(*pools))
        self.rank = {lemma: n for n, lemma in enumerate(shuffled(self.rng, lemmas))}

    @property
    def upper_bound(self) -> int:
        """A number of sets that the limits do not let pass."""
        names = {option.name for option in self.options if not option.is_closed}
        closed = any(option.is_closed for option in self.options)
        room = len(names) * self.most_predicate + closed * self.most_closed
        return min(room, len(self.rank) * self.most_head)

    def sets(self) -> list[ComposedSet]:
        """The sets: predicates in turn, those least used first."""
        if not self.blocks.inner:
            return []
        groups: dict[str, list[PredicateOption]] = {}
        closed: dict[str, list[PredicateOption]] = {}
        for option in shuffled(self.rng, self.options):
            bucket = closed if option.is_closed else groups
            bucket.setdefault(option.key, []).append(option)
        room = len(groups) * self.most_predicate
        n_closed = min(self.most_closed, max(self.n_sets // 3, self.n_sets - room))
        sets: list[ComposedSet] = []
        n_made_closed = 0
        while len(sets) < self.n_sets:
            pool = closed if n_made_closed * self.n_sets < n_closed * (len(sets) + 1) else groups
            if pool is closed and n_made_closed >= self.most_closed:
                pool = groups
            chosen = self._next_set(pool)
            if chosen is None:
                fallback = groups if pool is closed else closed
                if fallback is groups or n_made_closed < self.most_closed:
                    chosen = self._next_set(fallback)
            if chosen is None:
                break
            n_made_closed += chosen.option.is_closed
            chosen = self._opened(chosen)
            sets.append(chosen)
            self.n_made += 1
            self.opened.update(opening.name for opening in chosen.openings)
            if (opener := chosen.option.object_opener) is not None:
                self.opened[opener.form] += 1
            self.first_nouns.update(opening.noun for opening in chosen.openings)
            for after in (opening.after for opening in chosen.openings if opening.after):
                self.nouns[after.noun] += 1
                self.kinds[after.name] += 1
            self.predicates[chosen.option.key] += 1
            self.heads[chosen.head] += 1
            self.nouns.update(chosen.nouns)
            self.kinds.update(modifier.name for modifier in chosen.modifiers)
            self.combinations[chosen.combination] += 1
            self.verbs.update([chosen.verb.predicate.lemma] if chosen.verb else [])
        return sets

    def _next_set(self, groups: dict[str, list[PredicateOption]]) -> ComposedSet | None:
        """A set of the predicate least used that still goes with something; others are dropped."""
        while groups:
            name = min(groups, key=lambda group: (self.predicates[group], -len(groups[group])))
            limited = bool(groups[name][0].name)
            if limited and self.predicates[name] >= self.most_predicate:
                del groups[name]
                continue
            for _ in range(len(groups[name])):
                option = groups[name].pop(0)
                groups[name].append(option)
                chosen = self._build_set(option)
                if chosen is not None:
                    return chosen
            del groups[name]
        return None

    def _build_set(self, option: PredicateOption) -> ComposedSet | None:
        """A set with an option, its head and modifiers those least used for how frequent they are;
        none if none fits."""
        blocks = self.blocks
        opener = option.object_opener
        if opener is not None and self.opened[opener.form] >= self.most_opener:
            return None
        fitting = self.source.fitting(option)
        pool = (noun for noun in fitting if self.heads[noun] < self.most_head)
        reserved = self.source.reserved(option)
        order = sorted(pool, key=lambda noun: (noun in reserved, self._usage(noun)))
        modifiers = sorted(
            blocks.inner,
            key=lambda modifier: (
                (self.kinds[modifier.name] + 1) / (1 + modifier.n_subjects) ** 0.5,
                modifier.name,
            ),
        )
        for head in order[:TRIES]:
            forms = fitting[head]
            for chosen in self._modifiers(modifiers, head, option):
                if option.kind.target == "adjective" and any(map(blocks.writer.attaches, chosen)):
                    continue  # Hebrew *בבית גדול* is a big house
                result = self._complete_set(option, forms, head, chosen)
                if result is not None and self.combinations[result.combination] < T["combination"]:
                    return result
        return None

    def _usage(self, lemma: str) -> tuple[int, int]:
        """Return how often a noun was a head, and its place in a random order."""
        return self.heads[lemma], self.rank[lemma]

    def _excess(self, lemma: str, uses: Counter[str]) -> tuple[int, int]:
        """Return how much more often a noun was used elsewhere than as head, and its place in a
        random order: with the nouns of all roles from one pool, no bag of words tells heads."""
        return uses[lemma] - self.heads[lemma], self.rank[lemma]

    def _modifiers(
        self, order: Sequence[Modifier], head: str, option: PredicateOption
    ) -> Iterator[tuple[Modifier, ...]]:
        """Modifiers that go with a head, or with a predicate between it and them; the first of
        `order` first."""
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
            for second in partners[:3] if self.attractors > 1 else ():
                yield tuple(sorted((first, second), key=_closeness))
            yield (first,)

    def _complete_set(
        self,
        option: PredicateOption,
        forms: Mapping[str, FilledForm],
        head: str,
        chosen: tuple[Modifier, ...],
    ) -> ComposedSet | None:
        """A set with all its cells (each modifier with its noun, and all of them in a row), its
        nouns those least used; none where there are none."""
        nouns: list[str] = []
        for modifier in chosen:
            pool = (noun for noun in self.blocks.inner[modifier] if noun not in (head, *nouns))
            noun = min(pool, key=lambda lemma: self._excess(lemma, self.nouns), default=None)
            if noun is None:
                return None
            nouns.append(noun)
        verb = None
        if any(modifier.relative for modifier in chosen):
            verb = min(
                (target for target in self.blocks.transitive
                 if target.predicate.lemma != option.target.predicate.lemma),
                key=lambda target: (self.verbs[target.predicate.lemma], target.predicate.lemma),
                default=None,
            )  # fmt: skip
        blocks = self.blocks
        alone = [((index, noun),) for index, noun in enumerate(nouns)]
        together = [tuple(enumerate(nouns))] if len(chosen) > 1 else []
        cells: list[ComposedCell] = []
        opening = [option.opener] if option.opener else []
        for value in NUMBERS if option.relative is None else ():
            subject = opening + blocks.subjects(option.kind.case)[head][value]
            end = _end(option, forms[value].form, value)
            cells.append(ComposedCell(f"{value}.{NONE}", value, NONE, (), (*subject, *end)))
            for filled in (*alone, *together):
                names = "+".join(chosen[index].name for index, _ in filled)
                for number in NUMBERS:
                    words = list(subject)
                    for index, lemma in filled:
                        part = blocks.between(chosen[index], lemma, number, verb)
                        if part is None:
                            return None
                        words += part
                    relation = SAME if number == value else OPPOSITE
                    indices = tuple(index for index, _ in filled)
                    name = f"{value}.{names}.{number}"
                    cells.append(ComposedCell(name, value, relation, indices, (*words, *end)))
        return ComposedSet(option, forms, head, chosen, tuple(nouns), verb, tuple(cells))

    def _opened(self, chosen: ComposedSet) -> ComposedSet:
        """Return a set with its cells that begin with another noun than the head, where there are
        any: number of that noun × of the head × of one modifier, the set's by turns."""
        index = self.n_made % len(chosen.modifiers)
        modifier, noun = chosen.modifiers[index], chosen.nouns[index]
        case = chosen.option.kind.case
        openings = [
            opening
            for make in (
                (self._relative_opening,)
                if chosen.option.relative
                else (self._clause_opening, self._front_opening)
            )
            if (opening := make(chosen)) is not None
        ]
        cells = list(chosen.cells)
        for opening in openings:
            option = chosen.option
            own = option.object_opener
            for first, value, number in product(NUMBERS, repeat=3):
                between = self.blocks.between(modifier, noun, number, chosen.verb)
                assert between is not None  # of a set that is complete
                words = (
                    *opening.words[first], *([own] if own else []),
                    *self.blocks.subjects(case)[chosen.head][value], *between,
                    *_end(option, chosen.forms[value].form, value),
                )  # fmt: skip
                cells.append(
                    ComposedCell(
                        f"{opening.kind}.{first}.{value}.{modifier.name}.{number}",
                        value,
                        SAME if number == value else OPPOSITE,
                        (index,),
                        words,
                        opening.kind,
                        SAME if first == value else OPPOSITE,
                    )
                )
        return replace(chosen, cells=tuple(cells), openings=tuple(openings))

    def _clause_opening(self, chosen: ComposedSet) -> Opening | None:
        """Return a matrix clause, the least used that fits; every second one has a modifier of the
        other number after its subject."""
        option, openings = chosen.option, self.openings
        following = [
            words[0].form for words in self.blocks.subjects(option.kind.case)[chosen.head].values()
        ]
        if (opener := option.object_opener) is not None:
            following = [opener.form]
        verbs = {option.target.predicate.lemma}
        verbs |= {chosen.verb.predicate.lemma} if chosen.verb else set()
        clauses = sorted(
            (each for each in openings.clauses
             if each.verb.predicate.lemma not in verbs),
            key=lambda each: ((self.opened[each.name] + 1) / (1 + each.n) ** 0.5, each.name),
        )  # fmt: skip
        barred = {chosen.head, *chosen.nouns}
        for clause in clauses:
            marks = {openings.subordinator_form(clause.subordinator, after) for after in following}
            if len(marks) != 1 or (mark := marks.pop()) is None:
                continue
            pool = (lemma for lemma in openings.matrix_subjects(clause) if lemma not in barred)
            order = sorted(pool, key=lambda lemma: self._excess(lemma, self.first_nouns))
            for lemma in order[:TRIES]:
                is_modified = (
                    self.n_made // 2 % 2
                )  # the other factor, the modifier, takes turns too
                after = self._modifier_after(lemma, {*barred, lemma}) if is_modified else None
                words = openings.clause_words(clause, lemma, mark, after.words if after else {})
                if words is not None:
                    return Opening(CLAUSE, clause.name, lemma, words, after)
        return None

    def _relative_opening(self, chosen: ComposedSet) -> Opening | None:
        """Return the noun least used with the relative word of its clause."""
        relative, case = chosen.option.relative, chosen.option.kind.case
        assert relative is not None
        subjects, barred = self.blocks.subjects(case), {chosen.head, *chosen.nouns}
        noun = min(subjects.keys() - barred, key=lambda each: self._excess(each, self.first_nouns))
        start = [COMMA] if relative.comma else []
        word = ComposedWord(relative.relative, "PRON", "PronType=Rel", "", relative.relative)
        words = {
            number: [each._replace(role=FIRST) if each.role else each for each in phrase]
            + [*start, word]
            for number, phrase in subjects[noun].items()
        }
        return Opening(RELATIVE, relative.name, noun, words)

    def _modifier_after(self, head: str, barred: Set[str]) -> NounModifier | None:
        """Return the modifier least used that goes with a noun."""
        fitting = (
            modifier
            for modifier in self.blocks.inner
            if modifier.position.kind == "nmod" and (not modifier.heads or head in modifier.heads)
        )
        for modifier in sorted(fitting, key=lambda each: (self.kinds[each.name], each.name)):
            pool = (noun for noun in self.blocks.inner[modifier] if noun not in barred)
            noun = min(pool, key=lambda lemma: self._excess(lemma, self.nouns), default=None)
            if noun is not None:
                singular, plural = (self.blocks.inner[modifier][noun][n] for n in NUMBERS)
                return NounModifier(modifier.name, noun, {"Sing": plural, "Plur": singular})
        return None

    def _front_opening(self, chosen: ComposedSet) -> Opening | None:
        """Return a fronted phrase, the least used that fits; none beside another opener, and none
        with a function word of the set's modifiers."""
        if chosen.option.opener is not None:
            return None
        case = chosen.option.kind.case
        own = {each.position.adposition or each.position.case for each in chosen.modifiers}
        fronts = sorted(
            self.openings.fronts,
            key=lambda each: ((self.opened[each.name] + 1) / (1 + each.n) ** 0.5, each.name),
        )
        barred = {chosen.head, *chosen.nouns}
        for front in fronts:
            place = front.position.adposition or front.position.case
            if place in own or not self.openings.can_follow(front, chosen.head, case):
                continue
            pool = (noun for noun in self.openings.fronts[front] if noun not in barred)
            noun = min(pool, key=lambda lemma: self._excess(lemma, self.first_nouns), default=None)
            if noun is not None:
                return Opening(FRONT, front.name, noun, self.openings.fronts[front][noun])
        return None


def _closeness(modifier: Modifier) -> tuple[bool, bool, int, str]:
    """Genitives stand next to their noun, relative clauses after all else."""
    return (
        bool(modifier.relative),
        bool(modifier.position.adposition),
        -modifier.n_subjects,
        modifier.name,
    )


def _goes_with(modifier: Modifier, partner: Modifier) -> bool:
    """Whether two modifiers can stand in a row: of different words, one relative at most. Those of
    one name (Latin *in* with two cases) would make two cells of one name."""
    if modifier.name == partner.name or (modifier.relative and partner.relative):
        return False
    return (modifier.position.adposition, modifier.position.case) != (
        partner.position.adposition,
        partner.position.case,
    )


def _end(option: PredicateOption, form: str, value: str) -> list[ComposedWord]:
    """The target, with the predicate before it where the language has it there."""
    predicate = option.target.predicate
    bare_feats = predicate.feats.rpartition("@")[0].strip("|")
    feats = "|".join(sorted(filter(None, (bare_feats, f"{option.kind.feature}={value}"))))
    target = ComposedWord(form, predicate.upos, feats, "target", predicate.lemma)
    if option.preceding is None:
        return [target]
    preceding = option.preceding
    return [ComposedWord(preceding.form, preceding.upos, "_", "", preceding.lemma), target]
