"""Pairs of words that a pattern finds in a sentence."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from colorless_green.miner.arcs import Instance, key_of
from colorless_green.miner.features import Values, parse_feats
from colorless_green.miner.patterns.pattern import ABSENT, Pattern, Step, Word, matches
from colorless_green.miner.selection import Selection
from colorless_green.miner.surface import Arc, Surface

Children = Sequence[Sequence[int]]


def children_of(surface: Surface) -> Children:
    """For each word the positions of its dependents, in order."""
    table: list[list[int]] = [[] for _ in surface.heads]
    for index, head in enumerate(surface.heads):
        if head >= 0 and head != index:
            table[head].append(index)
    return table


def instances(
    surface: Surface,
    children: Children,
    relations: Mapping[str, Sequence[int]],
    pattern: Pattern,
    values: Mapping[str, Values],
    selection: Selection,
    features: Sequence[str],
) -> Iterator[Instance]:
    """Instances of a pattern: both ends carry the feature (the pattern's own, or each of
    `features`), with the gap that is asked. The controller stands as the arc's dependent; the
    construction's name ends in the pattern's name.

    `relations` is `by_relation` of the surface; `values` has every feature that is looked up.
    """
    pairs = list(pairs_of(surface, children, relations, pattern, selection))
    for ours, theirs in features_of(pattern, features):
        for controller, agreeing in pairs:
            first = values[ours][surface.feats[controller]]
            second = values[theirs][surface.feats[agreeing]]
            if first is None or second is None:
                continue
            arc = Arc(controller, agreeing)
            key = _key(surface, arc, pattern, selection)
            if controller < agreeing:
                yield Instance(key, first, second, arc, ours, theirs, pattern.name)
            else:
                yield Instance(key, second, first, arc, theirs, ours, pattern.name)


def features_of(pattern: Pattern, features: Sequence[str]) -> list[tuple[str, str]]:
    """(controller's feature, agreeing word's feature) under which a pattern is counted: none where
    it is about a feature that is not mined."""
    if pattern.feature:
        wanted = pattern.feature in features
        return [(pattern.feature, pattern.agreeing_feature)] if wanted else []
    if pattern.agreeing_feature:
        return [(feature, pattern.agreeing_feature) for feature in features]
    return [(feature, feature) for feature in features]


def _key(surface: Surface, arc: Arc, pattern: Pattern, selection: Selection) -> str:
    direction = "L" if arc.dependent < arc.head else "R"
    ends = (surface.upos[arc.cue], surface.upos[arc.target])
    context: list[str] | None = None
    if selection.by != "coarse":
        inside = range(arc.cue + 1, arc.target)
        outside = (i for i in inside if not arc.cue < surface.heads[i] < arc.target)
        context = [surface.upos[i] for i in outside]
    return key_of(direction, ends, context, pattern.name)


def pairs_of(
    surface: Surface,
    children: Children,
    relations: Mapping[str, Sequence[int]],
    pattern: Pattern,
    selection: Selection,
) -> Iterator[tuple[int, int]]:
    """(controller, agreeing word) of every match with the gap that is asked, in the order of the
    controllers; each pair once."""
    for controller in _starts(surface, pattern, relations):
        if not fits(surface, children, controller, pattern.controller):
            continue
        for agreeing in _walk(surface, children, controller, pattern):
            if (
                agreeing != controller
                and gap_fits(surface, controller, agreeing, selection)
                and _in_order(controller, agreeing, pattern.order, selection)
                and fits(surface, children, agreeing, pattern.agreeing)
            ):
                yield controller, agreeing


def by_relation(surface: Surface) -> dict[str, list[int]]:
    """Relation → the words that have it, in order; subtypes also under their universal part."""
    table: dict[str, list[int]] = {}
    for index, relation in enumerate(surface.deprels):
        table.setdefault(relation, []).append(index)
        if ":" in relation:
            table.setdefault(relation.partition(":")[0], []).append(index)
    return table


def is_possible(pattern: Pattern, relations: Container[str]) -> bool:
    """Whether a sentence with these relations can hold a match: a quick test that spares most
    sentences the walk."""
    return all(
        not step.relations or any(each in relations for each in step.relations)
        for step in pattern.path
    )


def _starts(
    surface: Surface, pattern: Pattern, relations: Mapping[str, Sequence[int]]
) -> Iterable[int]:
    """Words from which the path's first step can be taken, in order."""
    step = pattern.path[0]
    if not step.relations:
        return range(len(surface))
    found = {index for each in step.relations for index in relations.get(each, ())}
    return sorted(found if step.up else {surface.heads[index] for index in found} - {-1})


def _walk(surface: Surface, children: Children, word: int, pattern: Pattern) -> Iterable[int]:
    """The distinct words at the end of the pattern's path from `word`."""
    reached = [word]
    for rank, step in enumerate(pattern.path):
        ahead = dict.fromkeys(
            each for start in reached for each in _one_step(surface, children, start, step)
        )
        inner = rank < len(pattern.via)
        reached = [
            each for each in ahead if not inner or fits(surface, children, each, pattern.via[rank])
        ]
    return reached


def _one_step(surface: Surface, children: Children, word: int, step: Step) -> list[int]:
    if step.up:
        head = surface.heads[word]
        return [head] if head >= 0 and _is_one(surface.deprels[word], step.relations) else []
    return [i for i in children[word] if _is_one(surface.deprels[i], step.relations)]


def _is_one(relation: str, wanted: frozenset[str]) -> bool:
    return not wanted or matches(relation, wanted)


def _in_order(controller: int, agreeing: int, order: str, selection: Selection) -> bool:
    direction = "L" if controller < agreeing else "R"
    return order in ("", direction) and selection.direction in ("", direction)


def gap_fits(surface: Surface, one: int, other: int, selection: Selection) -> bool:
    """Whether as many words stand between two as the selection asks."""
    places = surface.tokens if selection.gap_in == "words" else None
    distance = abs(places[one] - places[other]) if places else abs(one - other)
    gap = distance - 1
    return selection.min_gap <= gap and (selection.max_gap is None or gap <= selection.max_gap)


def fits(surface: Surface, children: Children, index: int, word: Word) -> bool:
    """Whether a word is what a condition asks."""
    if word.upos and surface.upos[index] not in word.upos:
        return False
    if word.feats:
        feats = parse_feats(surface.feats[index])
        if any(feats.get(name, ABSENT) not in wanted for name, wanted in word.feats.items()):
            return False
    if word.lemma and surface.lemmas[index] not in word.lemma:
        return False
    if word.deprel and not matches(surface.deprels[index], word.deprel):
        return False
    if word.has or word.lacks:
        below = [surface.deprels[child] for child in children[index]]
        if not all(any(matches(each, frozenset({one})) for each in below) for one in word.has):
            return False
        return not any(matches(each, word.lacks) for each in below)
    return True
