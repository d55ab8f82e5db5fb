"""Which sets are made: blocks in turn, those least used first, within limits on their spread."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from colorless_green.data.seeds import generator, shuffled
from colorless_green.nonce.composed.blocks import Blocks, Option
from colorless_green.nonce.composed.phrase import Modifier, Word
from colorless_green.nonce.composed.predicates import Target
from colorless_green.nonce.composed.suffixes import NUMBERS, Filled
from colorless_green.nonce.composed.thresholds import T

NONE, SAME, OPPOSITE = "none", "same", "opposite"
LEAST = 100  # sets; where limits leave fewer, one of them is widened
TRIES = 20  # heads that are tried with a predicate before it is passed over


class Cell(NamedTuple):
    """One cell of a set."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing"
    value: str
    relation: str  # none, same, opposite
    modifiers: tuple[int, ...]  # which of the set's modifiers stand between
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Set:
    """The words of a set, and its cells."""

    option: Option
    forms: Mapping[str, Filled]  # of the target
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: Target | None  # of a relative clause
    cells: tuple[Cell, ...]

    @property
    def combination(self) -> tuple[str, ...]:
        """Its blocks: no more than two sets share them."""
        kinds = tuple(each.name for each in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)


class Limits(NamedTuple):
    """Largest shares of all sets, and which of them are wider than `THRESHOLDS` says."""

    predicate: float
    head: float
    closed: float  # copula and auxiliaries as target
    wider: str = ""


STRICT = Limits(T["spread_predicate"], T["spread_head"], T["spread_auxiliary"])
WIDER = (
    STRICT._replace(closed=1.0, wider="auxiliary"),
    STRICT._replace(predicate=T["spread_wider"], wider="predicate"),
)


class Choice(NamedTuple):
    """Sets, how many there are within all limits, and which limit is wider where there are more."""

    sets: list[Set]
    n_within: int
    wider: str


def choose(blocks: Blocks, n_sets: int, seed: int, attractors: int) -> Choice:
    """As many sets as the limits on the spread of words allow, `n_sets` at most.

    The limits are shares of all sets, so fewer sets have narrower ones: from `n_sets` downwards,
    the first number that can be filled. Where that makes fewer than `LEAST`, one limit is widened:
    the first of `WIDER` that makes so many, else the one that makes most.
    """
    strict = _most(blocks, n_sets, seed, attractors, STRICT)
    least = min(LEAST, n_sets)
    best = Choice(strict, len(strict), "")
    for limits in WIDER if len(strict) < least else ():
        made = _most(blocks, n_sets, seed, attractors, limits)
        if len(made) > len(best.sets):
            best = Choice(made, len(strict), limits.wider)
        if len(made) >= least:
            break
    return best


def _most(blocks: Blocks, n_sets: int, seed: int, attractors: int, limits: Limits) -> list[Set]:
    wanted = n_sets
    while wanted > 0:
        choice = _Choosing(blocks, wanted, seed, attractors, limits)
        if choice.bound >= wanted:
            made = choice.sets()
            if len(made) >= wanted:
                return made
            wanted = min(wanted, len(made) + len(made) // 8 + 1)
        wanted -= max(1, wanted // 12)
    return []


class _Choosing:
    """One choice of sets under the limits for so many."""

    def __init__(
        self, blocks: Blocks, wanted: int, seed: int, attractors: int, limits: Limits
    ) -> None:
        self.blocks, self.wanted, self.attractors = blocks, wanted, attractors
        self.rng = generator(seed, f"composed {blocks.language}")
        self.most_predicate = max(1, int(limits.predicate * wanted))
        self.most_head = max(1, int(limits.head * wanted))
        self.most_closed = int(limits.closed * wanted)
        self.predicates: Counter[str] = Counter()
        self.heads: Counter[str] = Counter()
        self.nouns: Counter[str] = Counter()
        self.verbs: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.combinations: Counter[tuple[str, ...]] = Counter()
        heads = (blocks.subjects(kind.case) for kind in blocks.kinds)
        lemmas = sorted(set().union(*heads, *blocks.inner.values()))
        self.rank = {lemma: n for n, lemma in enumerate(shuffled(self.rng, lemmas))}

    @property
    def bound(self) -> int:
        """A number of sets that the limits do not let pass."""
        names = {each.name for each in self.blocks.options if not each.is_closed}
        closed = any(each.is_closed for each in self.blocks.options)
        room = len(names) * self.most_predicate + closed * self.most_closed
        return min(room, len(self.rank) * self.most_head)

    def sets(self) -> list[Set]:
        """The sets: predicates in turn, those least used first."""
        if not self.blocks.inner:
            return []
        groups: dict[str, list[Option]] = {}
        closed: dict[str, list[Option]] = {}
        for option in shuffled(self.rng, self.blocks.options):
            own = closed if option.is_closed else groups
            own.setdefault(_counted(option), []).append(option)
        room = len(groups) * self.most_predicate
        n_closed = min(self.most_closed, max(self.wanted // 3, self.wanted - room))
        made: list[Set] = []
        n_made_closed = 0
        while len(made) < self.wanted:
            first = closed if n_made_closed * self.wanted < n_closed * (len(made) + 1) else groups
            if first is closed and n_made_closed >= self.most_closed:
                first = groups
            each = self._next(first)
            if each is None:
                other = groups if first is closed else closed
                if other is groups or n_made_closed < self.most_closed:
                    each = self._next(other)
            if each is None:
                break
            n_made_closed += each.option.is_closed
            made.append(each)
            self.predicates[_counted(each.option)] += 1
            self.heads[each.head] += 1
            self.nouns.update(each.nouns)
            self.kinds.update(modifier.name for modifier in each.modifiers)
            self.combinations[each.combination] += 1
            self.verbs.update([each.verb.predicate.lemma] if each.verb else [])
        return made

    def _next(self, groups: dict[str, list[Option]]) -> Set | None:
        """A set of the predicate least used that still goes with something; others are dropped."""
        while groups:
            name = min(groups, key=lambda each: (self.predicates[each], -len(groups[each])))
            limited = bool(groups[name][0].name)
            if limited and self.predicates[name] >= self.most_predicate:
                del groups[name]
                continue
            for _ in range(len(groups[name])):
                option = groups[name].pop(0)
                groups[name].append(option)
                made = self._made(option)
                if made is not None:
                    return made
            del groups[name]
        return None

    def _made(self, option: Option) -> Set | None:
        """A set with an option, its head and modifiers those least used for how frequent they are;
        none if none fits."""
        blocks = self.blocks
        fitting = blocks.fitting(option)
        pool = (each for each in fitting if self.heads[each] < self.most_head)
        reserved = blocks.reserved(option)
        order = sorted(pool, key=lambda each: (each in reserved, self._use(each)))
        modifiers = sorted(
            blocks.inner,
            key=lambda each: (
                (self.kinds[each.name] + 1) / (1 + each.n_subjects) ** 0.5,
                each.name,
            ),
        )
        for head in order[:TRIES]:
            forms = fitting[head]
            for chosen in self._modifiers(modifiers, head, option):
                if option.kind.target == "adjective" and any(map(blocks.writer.leans, chosen)):
                    continue  # Hebrew *בבית גדול* is a big house
                made = self._filled(option, forms, head, chosen)
                if made is not None and self.combinations[made.combination] < T["combination"]:
                    return made
        return None

    def _use(self, lemma: str) -> tuple[int, int]:
        """How often a noun was used, and its place in a random order."""
        return self.heads[lemma] + self.nouns[lemma], self.rank[lemma]

    def _modifiers(
        self, order: Sequence[Modifier], head: str, option: Option
    ) -> Iterator[tuple[Modifier, ...]]:
        """Modifiers that go with a head, or with a predicate between it and them; the first of
        `order` first."""
        order = [
            each
            for each in order
            if not each.heads or (option.name if each.place.kind == "obl" else head) in each.heads
        ]
        for first in order[:3]:
            others = [each for each in order if _goes_with(each, first)]
            for second in others[:3] if self.attractors > 1 else ():
                yield tuple(sorted((first, second), key=_closeness))
            yield (first,)

    def _filled(
        self, option: Option, forms: Mapping[str, Filled], head: str, chosen: tuple[Modifier, ...]
    ) -> Set | None:
        """A set with all its cells (each modifier with its noun, and all of them in a row), its
        nouns those least used; none where there are none."""
        nouns: list[str] = []
        for each in chosen:
            pool = (noun for noun in self.blocks.inner[each] if noun not in (head, *nouns))
            noun = min(pool, key=self._use, default=None)
            if noun is None:
                return None
            nouns.append(noun)
        verb = None
        if any(each.relative for each in chosen):
            verb = min(
                (each for each in self.blocks.transitive
                 if each.predicate.lemma != option.target.predicate.lemma),
                key=lambda each: (self.verbs[each.predicate.lemma], each.predicate.lemma),
                default=None,
            )  # fmt: skip
        blocks = self.blocks
        alone = [((index, noun),) for index, noun in enumerate(nouns)]
        together = [tuple(enumerate(nouns))] if len(chosen) > 1 else []
        cells: list[Cell] = []
        first = [option.opener] if option.opener else []
        for value in NUMBERS:
            subject = first + blocks.subjects(option.kind.case)[head][value]
            end = _end(option, forms[value].form, value)
            cells.append(Cell(f"{value}.{NONE}", value, NONE, (), (*subject, *end)))
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
                    cells.append(Cell(name, value, relation, indices, (*words, *end)))
        return Set(option, forms, head, chosen, tuple(nouns), verb, tuple(cells))


def _closeness(each: Modifier) -> tuple[bool, bool, int, str]:
    """Genitives stand next to their noun, relative clauses after all else."""
    return bool(each.relative), bool(each.place.adposition), -each.n_subjects, each.name


def _counted(option: Option) -> str:
    """What of an option is used in turn: its predicate, or the copula or auxiliary itself."""
    return option.name or option.target.predicate.lemma


def _goes_with(one: Modifier, other: Modifier) -> bool:
    """Whether two modifiers can stand in a row: of different words, one relative at most. Those of
    one name (Latin *in* with two cases) would make two cells of one name."""
    if one.name == other.name or (one.relative and other.relative):
        return False
    return (one.place.adposition, one.place.case) != (other.place.adposition, other.place.case)


def _end(option: Option, form: str, value: str) -> list[Word]:
    """The target, with the predicate before it where the language has it there."""
    predicate = option.target.predicate
    own = predicate.feats.rpartition("@")[0].strip("|")
    feats = "|".join(sorted(filter(None, (own, f"{option.kind.feature}={value}"))))
    target = Word(form, predicate.upos, feats, "target", predicate.lemma)
    if option.before is None:
        return [target]
    before = option.before
    return [Word(before.form, before.upos, "_", "", before.lemma), target]
