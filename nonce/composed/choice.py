"""Choosing the words of sets: the least used words and phrases first, within limits on how many
sets may share a word.

A *modifier* is a phrase between head (the subject) and target (the word that agrees with it); an
*opening* is what precedes the head. A target is *closed* if it is a copula or auxiliary: there are
few of these, so they have a limit of their own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from heapq import nsmallest
from math import sqrt
from typing import NamedTuple

from ...data.seeds import generator, shuffled
from ._predicates import PredicateParadigm
from .blocks import SetMaterial
from .composed_set import (
    CLAUSE,
    FRONT,
    RELATIVE,
    ComposedSet,
    NounModifier,
    Opening,
    PredicateOption,
    PredicateOptions,
)
from .openings import FIRST, MatrixClause, Openings
from .phrase import Modifier, with_role
from .suffixes import FilledForm
from .thresholds import LIMIT
from .treebank_counts import NUMBERS

MIN_SETS = 100  # if the limits leave fewer sets, one of the limits is widened
MAX_NOUNS_TRIED = 20  # before a predicate or matrix clause is passed over
MAX_MODIFIERS_TRIED = 3  # of those that a head can have, and as many to combine each with
HEAD, NOUN, PREDICATE, VERB, KIND, OPENING = "head", "noun", "predicate", "verb", "kind", "opening"
"""Roles under which uses of words and kinds of phrases are counted; `FIRST` is another."""


class ShareLimits(NamedTuple):
    """The largest shares of all sets in which one word may be used. `wider` names the limits that
    are wider than in `thresholds.tsv`."""

    predicate: float = LIMIT["spread_predicate"]
    head: float = LIMIT["spread_head"]
    closed: float = LIMIT["spread_auxiliary"]  # copula and auxiliaries as target
    opener: float = LIMIT["spread_opener"]  # an object pronoun at the beginning
    wider: str = ""
    relative: bool = False  # the target is in an object relative clause


WIDER_LIMITS = (
    ShareLimits(closed=1.0, wider="auxiliary"),
    ShareLimits(opener=1.0, wider="opener"),
    ShareLimits(predicate=LIMIT["spread_wider"], wider="predicate"),
    ShareLimits(opener=1.0, predicate=LIMIT["spread_wider"], wider="opener, predicate"),
)
RELATIVE_LIMITS = ShareLimits(predicate=LIMIT["spread_wider"], relative=True)


class SetChoice(NamedTuple):
    """The sets that `choose` found, and how far its limits were widened for them."""

    sets: list[ComposedSet]
    n_within: int  # the most sets possible within all limits
    wider: str  # the limit that was widened to make more; "" for none
    relatives: list[ComposedSet]  # further sets, whose target is in a relative clause
    predicates: PredicateOptions  # from which they were chosen


def choose(material: SetMaterial, n_sets: int, seed: int, attractors: int) -> SetChoice:
    """Choose up to `n_sets` sets of main clauses and as many of relative clauses: as many as the
    limits on the spread of words allow.

    The limits are shares of all sets, so fewer sets allow a word fewer uses. Sizes are tried from
    `n_sets` downwards until one can be filled. If that gives fewer than `MIN_SETS`, the limits are
    widened: those in `WIDER_LIMITS` are tried in turn, and the first that give `MIN_SETS` are used,
    or else those that give the most sets. `attractors`: most modifiers of a set, 1 or 2.
    """
    predicates, openings = PredicateOptions(material), Openings(material)

    def chooser(limits: ShareLimits, size: int) -> _SetChooser:
        """Return a new attempt to choose `size` sets within limits."""
        return _SetChooser(predicates, openings, seed, attractors, limits, size)

    def largest(limits: ShareLimits, size: int = n_sets) -> list[ComposedSet]:
        """Return as many sets as can be made within limits, `size` at most; [] if none can."""
        size = size if material.modifier_pools else 0
        while size > 0:
            choice = chooser(limits, size)
            if choice.upper_bound >= size:
                sets = choice.sets()
                if len(sets) >= size:
                    return sets
                # Limits are stricter for fewer sets: try little more than this attempt gave.
                size = min(size, len(sets) + len(sets) // 8 + 1)
            size -= max(1, size // 12)  # in steps of about 8 %, to save attempts
        return []

    strict, relatives = largest(ShareLimits()), largest(RELATIVE_LIMITS)
    best = SetChoice(strict, len(strict), "", relatives, predicates)
    minimum = min(MIN_SETS, n_sets)
    if len(strict) >= minimum or not material.modifier_pools:
        return best
    for limits in WIDER_LIMITS:
        if len(chooser(limits, minimum).sets()) >= minimum:
            return best._replace(sets=largest(limits), wider=limits.wider)
    for limits in WIDER_LIMITS:
        sets = largest(limits, minimum)
        if len(sets) > len(best.sets):
            best = best._replace(sets=sets, wider=limits.wider)
    return best


class _SetChooser:
    """One attempt to choose `n_sets` sets within limits, which are turned from shares into numbers
    of sets (`max_…`)."""

    def __init__(
        self,
        predicate_options: PredicateOptions,
        openings: Openings,
        seed: int,
        attractors: int,
        limits: ShareLimits,
        n_sets: int,
    ) -> None:
        self.predicate_options = predicate_options
        self.openings, self.material = openings, openings.material
        self.options = predicate_options.relative if limits.relative else predicate_options.main
        self.n_sets, self.attractors, self.n_made = n_sets, attractors, 0
        self.max_per_predicate = max(1, int(limits.predicate * n_sets))
        self.max_per_head = max(1, int(limits.head * n_sets))
        self.max_closed = int(limits.closed * n_sets)
        self.max_per_opener = max(1, int(limits.opener * n_sets))
        self.rng = generator(seed, f"composed {self.material.language}")
        self.used: Counter[tuple[str, ...]] = Counter()  # (role, word or kind); combinations
        heads = (self.material.subjects[kind.case] for kind in self.material.kinds)
        pools = (*heads, *self.material.modifier_pools.values(), *openings.fronts.values())
        lemmas = sorted(set().union(*pools))
        # The place of each noun in a random order, which decides between nouns used alike.
        self.random_rank = {lemma: n for n, lemma in enumerate(shuffled(self.rng, lemmas))}

    @property
    def upper_bound(self) -> int:
        """Return an upper bound on the number of sets that the limits allow, found without choosing
        any."""
        names = {option.name for option in self.options if not option.is_closed}
        has_closed = any(option.is_closed for option in self.options)
        n_by_predicates = len(names) * self.max_per_predicate + has_closed * self.max_closed
        return min(n_by_predicates, len(self.random_rank) * self.max_per_head)

    def sets(self) -> list[ComposedSet]:
        """Choose the sets one by one, each with the least used predicate that fits. Copulas and
        auxiliaries get a third of the sets, or more if other predicates do not suffice."""
        # key of an option → the options that share it
        closed: dict[str, list[PredicateOption]] = {}
        others: dict[str, list[PredicateOption]] = {}
        for option in shuffled(self.rng, self.options):
            group = closed if option.is_closed else others
            group.setdefault(option.key, []).append(option)
        n_others = len(others) * self.max_per_predicate  # at the most
        n_closed = min(self.max_closed, max(self.n_sets // 3, self.n_sets - n_others))
        sets: list[ComposedSet] = []
        n_made_closed = 0
        while len(sets) < self.n_sets:
            # Closed targets come as soon as their share so far is below their share in the end.
            is_closed_due = n_made_closed * self.n_sets < n_closed * (len(sets) + 1)
            pools = [others]
            if n_made_closed < self.max_closed:
                pools.insert(0 if is_closed_due else 1, closed)
            chosen = next(filter(None, map(self._next_set, pools)), None)
            if chosen is None:
                break
            chosen = self._with_openings(chosen)
            n_made_closed += chosen.option.is_closed
            sets.append(chosen)
            self.n_made += 1
            self.used.update(_words_in_roles(chosen))
        return sets

    def _next_set(self, groups: dict[str, list[PredicateOption]]) -> ComposedSet | None:
        """Return a set with the least used predicate that can still make one, of several the one
        with most options; `None` if none can.

        `groups`: key of a predicate → its options. Predicates that can make no further set are
        deleted from it, and options that were tried move to the end of their list.
        """
        while groups:
            key = min(groups, key=lambda key: (self.used[PREDICATE, key], -len(groups[key])))
            options = groups[key]
            is_limited = options[0].name != ""
            if not is_limited or self.used[PREDICATE, key] < self.max_per_predicate:
                for option in list(options):
                    options.append(options.pop(0))
                    if (chosen := self._build_set(option)) is not None:
                        return chosen
            del groups[key]
        return None

    def _build_set(self, option: PredicateOption) -> ComposedSet | None:
        """Return a set with this predicate, the least used head and the modifiers that were used
        least in proportion to their frequency; `None` if no head and modifiers fit."""
        opener = option.object_opener
        if opener is not None and self.used[OPENING, opener.form] >= self.max_per_opener:
            return None
        target_forms = self.predicate_options.heads_fitting(option)  # head → number → form
        reserved = self.predicate_options.reserved_heads(option)
        heads = sorted(
            (noun for noun in target_forms if self.used[HEAD, noun] < self.max_per_head),
            key=lambda noun: (noun in reserved, self.used[HEAD, noun], self.random_rank[noun]),
        )
        modifiers = sorted(
            self.material.modifier_pools,
            key=lambda modifier: self._turn(KIND, modifier.name, modifier.n_subjects),
        )
        for head in heads[:MAX_NOUNS_TRIED]:
            for chosen in self._modifier_choices(modifiers, head, option):
                result = self._complete_set(option, target_forms[head], head, chosen)
                if result is not None and self.used[result.combination] < LIMIT["combination"]:
                    return result
        return None

    def _turn(self, role: str, name: str, n: int) -> tuple[float, str]:
        """Return the key by which kinds of phrases take turns in a role, the lowest first: how
        often this one was used so far, divided by the square root of its frequency `n` in the
        treebank; then its name."""
        return (self.used[role, name] + 1) / sqrt(1 + n), name

    def _least_used(
        self, pool: Iterable[str], excluded: Set[str], role: str, n: int = 1
    ) -> list[str]:
        """Return the `n` nouns that were used least in a role, compared with their uses as head.

        So each noun is used alike in all roles, and a bag of words does not tell which is the head.
        """
        return nsmallest(
            n,
            (noun for noun in pool if noun not in excluded),
            key=lambda noun: (
                self.used[role, noun] - self.used[HEAD, noun],
                self.random_rank[noun],
            ),
        )

    def _modifier_choices(
        self, modifiers: Sequence[Modifier], head: str, option: PredicateOption
    ) -> Iterator[tuple[Modifier, ...]]:
        """Yield the single modifiers and pairs of modifiers that go with a head and a predicate.
        `modifiers`: all of them, in order of preference."""
        is_bare_adjective = option.kind.target == "adjective"
        is_prefixed = self.material.writer.is_prefixed
        fitting: list[Modifier] = []
        for modifier in modifiers:
            is_oblique = modifier.position.kind == "obl"  # depends on the predicate, not the head
            governor = option.name if is_oblique else head
            is_allowed = option.relative is None or modifier.position.kind == "nmod"
            if is_allowed and (not modifier.heads or governor in modifier.heads):
                fitting.append(modifier)
        for first in fitting[:MAX_MODIFIERS_TRIED]:
            partners = [modifier for modifier in fitting if _can_combine(modifier, first)]
            seconds = partners[:MAX_MODIFIERS_TRIED] if self.attractors > 1 else []
            for chosen in (*((first, second) for second in seconds), (first,)):
                # A bare adjective would modify the noun: Hebrew *בבית גדול*, *in a big house*.
                if not (is_bare_adjective and any(map(is_prefixed, chosen))):
                    yield tuple(sorted(chosen, key=_row_position))

    def _complete_set(
        self,
        option: PredicateOption,
        forms: dict[str, FilledForm],
        head: str,
        chosen: tuple[Modifier, ...],
    ) -> ComposedSet | None:
        """Return a set with these words, the least used nouns in its modifiers, and its cells
        (sentences) that begin with its head; a set whose target is in a relative clause has no
        such cells. Return `None` if a modifier has no noun left, or no verb that agrees with it.

        `forms`: number → the target's form. `chosen`: the set's modifiers.
        """
        material = self.material
        nouns: list[str] = []
        verb: PredicateParadigm | None = None
        for modifier in chosen:
            pool = self._least_used(material.modifier_pools[modifier], {head, *nouns}, NOUN)
            if not pool:
                return None
            nouns.append(pool[0])
            if modifier.relative:  # at most one is
                verb = self._relative_verb(option)
                if verb is None or verb.pair(material.nouns.gender(pool[0])) is None:
                    return None
        result = ComposedSet(option, forms, head, chosen, tuple(nouns), verb)
        cells = () if option.relative else tuple(result.main_cells(material))
        return replace(result, cells=cells)

    def _relative_verb(self, option: PredicateOption) -> PredicateParadigm | None:
        """Return the least used verb for a relative clause between head and target, another one
        than the target; `None` if there is none."""
        return min(
            (verb for verb in self.material.transitive
             if verb.predicate.lemma != option.target.predicate.lemma),
            key=lambda verb: (self.used[VERB, verb.predicate.lemma], verb.predicate.lemma),
            default=None,
        )  # fmt: skip

    # cells with an opening

    def _turn_of_opening(self, opening: MatrixClause | Modifier) -> tuple[float, str]:
        """Return the key by which matrix clauses, or fronted phrases, take turns."""
        return self._turn(OPENING, opening.name, opening.n)

    def _with_openings(self, chosen: ComposedSet) -> ComposedSet:
        """Return a set with further cells (sentences) in which an opening with a noun of its own
        precedes the head, as far as openings fit. These cells have one of the set's modifiers:
        the first in every other set, the second in the rest."""
        index = self.n_made % len(chosen.modifiers)
        makers = (
            (self._relative_opening,)
            if chosen.option.relative
            else (self._clause_opening, self._front_opening)
        )
        used_nouns = {chosen.head, *chosen.nouns}
        openings = tuple(filter(None, (make(chosen, used_nouns) for make in makers)))
        cells = list(chosen.cells)
        for opening in openings:
            cells += chosen.opened_cells(self.material, opening, index)
        return replace(chosen, cells=tuple(cells), openings=openings)

    def _clause_opening(self, chosen: ComposedSet, excluded_nouns: Set[str]) -> Opening | None:
        """Return the least used matrix clause (*The editors say that*) that fits a set; `None` if
        none does. In two sets of every four its subject has a modifier whose noun is in the other
        number."""
        option, openings = chosen.option, self.openings
        opener, subjects = option.object_opener, self.material.subjects[option.kind.case]
        following = [opener.form] if opener else [
            words[0].form for words in subjects[chosen.head].values()
        ]  # fmt: skip
        used_verbs = {verb.predicate.lemma for verb in (option.target, chosen.verb) if verb}
        # Two sets in a row are alike in this, as the set's own modifiers alternate.
        is_modified = self.n_made // 2 % 2 == 1
        for clause in sorted(openings.clauses, key=self._turn_of_opening):
            marks = {openings.subordinator_form(clause.subordinator, word) for word in following}
            # The subordinator must have one form before the singular and the plural head.
            mark = marks.pop() if len(marks) == 1 else None
            if mark is None or clause.verb.predicate.lemma in used_verbs:
                continue
            pool = self.material.subjects[clause.kind.case]
            for noun in self._least_used(pool, excluded_nouns, FIRST, MAX_NOUNS_TRIED):
                gender = self.material.nouns.gender(noun)
                if clause.verb.pair(gender) is None or not self.material.agrees(clause.kind, noun):
                    continue
                after = self._modifier_after(noun, {*excluded_nouns, noun}) if is_modified else None
                words = openings.clause_words(clause, noun, mark, after.words if after else {})
                return Opening(CLAUSE, clause.name, noun, words, after)
        return None

    def _modifier_after(self, head: str, excluded_nouns: Set[str]) -> NounModifier | None:
        """Return the least used modifier that can follow the noun `head` of a matrix clause, with
        the least used noun in it; `None` if none can."""
        pools = self.material.modifier_pools
        for modifier in sorted(pools, key=lambda each: (self.used[KIND, each.name], each.name)):
            goes_with_head = not modifier.heads or head in modifier.heads
            if modifier.position.kind != "nmod" or not goes_with_head:
                continue
            if nouns := self._least_used(pools[modifier], excluded_nouns, NOUN):
                singular, plural = (pools[modifier][nouns[0]][number] for number in NUMBERS)
                return NounModifier(modifier.name, nouns[0], {"Sing": plural, "Plur": singular})
        return None

    def _front_opening(self, chosen: ComposedSet, excluded_nouns: Set[str]) -> Opening | None:
        """Return the least used fronted phrase that fits a set; `None` if none does. It has another
        adposition or case than the set's modifiers, and never precedes an opener."""
        case, fronts = chosen.option.kind.case, self.openings.fronts
        used_markings = {modifier.position.marking for modifier in chosen.modifiers}
        if chosen.option.opener is not None:
            return None
        for front in sorted(fronts, key=self._turn_of_opening):
            is_used = front.position.marking in used_markings
            if is_used or not self.openings.can_follow(front, chosen.head, case):
                continue
            if nouns := self._least_used(fronts[front], excluded_nouns, FIRST):
                words = self.openings.front_words(front, nouns[0])
                return Opening(FRONT, front.name, nouns[0], words)
        return None

    def _relative_opening(self, chosen: ComposedSet, excluded_nouns: Set[str]) -> Opening | None:
        """Return an opening with the least used noun as antecedent, and the relative word after it:
        *the papers that*."""
        relative, subjects = chosen.option.relative, self.material.subjects[chosen.option.kind.case]
        assert relative is not None
        (noun,) = self._least_used(subjects, excluded_nouns, FIRST)
        words = {
            number: [*with_role(phrase, FIRST), *relative.start]
            for number, phrase in subjects[noun].items()
        }
        return Opening(RELATIVE, relative.name, noun, words)


def _words_in_roles(chosen: ComposedSet) -> Iterator[tuple[str, ...]]:
    """Yield (role, word or phrase) for every word and phrase that a set uses, to be counted as
    used; and the combination of its words, which is counted, too."""
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


def _row_position(modifier: Modifier) -> tuple[bool, bool, int, str]:
    """Return the key by which the modifiers of a set are ordered in the sentence: genitives first,
    next to their noun, then adpositional phrases, and relative clauses last."""
    return (
        bool(modifier.relative),
        bool(modifier.position.adposition),
        -modifier.n_subjects,
        modifier.name,
    )


def _can_combine(modifier: Modifier, partner: Modifier) -> bool:
    """Tell whether two modifiers can stand in a row: with different function words, and at most one
    of them a relative clause. Two of one name (Latin *in* with two cases) would give two cells the
    same name."""
    if modifier.name == partner.name or (modifier.relative and partner.relative):
        return False
    position, other_position = modifier.position, partner.position
    return (position.adposition, position.case) != (other_position.adposition, other_position.case)
