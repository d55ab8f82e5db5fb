"""Instances: pairs of words far apart that both carry the feature, found along dependencies (the
paper's candidates) and along paths, for a block of sentences at a time."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from colorless_green.miner.columns import Arcs, Block, Bools, Codes, Ints, Lookup, Strings, arcs_of
from colorless_green.miner.features import agreement_value, value_of
from colorless_green.miner.filters import left_out_by
from colorless_green.miner.patterns.pattern import ARC, Pattern, Step
from colorless_green.miner.projectivity import is_projective
from colorless_green.miner.repair import Repair
from colorless_green.miner.selection import Selection
from colorless_green.miner.surface import Arc, Surface, surface_of
from colorless_green.miner.tree import Sentence
from colorless_green.miner.values import CIRCULAR, tellers, with_told

OF_FEATURE = "@"
AT_ONCE = 1024  # sentences that make a block
ROW = ("controller", "agreeing", "ghost", "pattern", "kind")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in every sentence; the same wherever a part of the treebank is read."""

    selection: Selection
    patterns: tuple[Pattern, ...]  # those of `selection.patterns`, `arc` left out
    features: tuple[str, ...]
    language: str
    evidence: bool = False  # whether the rule looks at more than how often values meet
    value_from: frozenset[str] = frozenset()  # relations that tell a noun's value where it does not


class Instance(NamedTuple):
    """Two words that both carry the feature, with the construction they count for."""

    key: str
    feature: str  # `Number`, or `Number~Number[abs]` where the two carry it under two names
    cue_value: str
    target_value: str
    arc: Arc
    cue_feature: str
    target_feature: str
    pattern: str = ""  # the path that found it; empty for a dependency


@dataclass(slots=True)
class Found:
    """The instances of a block as columns, in the order of the sentences; in a sentence those of
    the paths come first. Words are counted through the block."""

    controller: Ints  # an arc's dependent
    agreeing: Ints  # an arc's head
    ghost: Ints
    pattern: Ints  # −1: found as a dependency
    upos: Ints  # the controller's own, also where it is a ghost
    deprels: Ints
    kind: Ints  # (controller's feature, agreeing word's feature), in `Finder.kinds`
    ours: Ints  # the controller's value, in `Finder.values`
    theirs: Ints
    ambiguous: Bools  # one of the two has several values
    feature: NDArray[np.str_]  # what is compared, as the controller carries it

    def __len__(self) -> int:
        return len(self.controller)

    def where(self, rows: Ints | Bools) -> "Found":
        """Some of the rows."""
        return Found(*(getattr(self, each.name)[rows] for each in fields(self)))

    @property
    def first(self) -> Bools:
        """Whether the controller is the cue."""
        return self.controller < self.agreeing


@dataclass(frozen=True, slots=True)
class Stage:
    """How many arcs of a block reached each stage."""

    n_arcs: int = 0  # all but the roots'
    n_near: int = 0  # of these, as far apart as is asked
    n_kept: int = 0  # of these, fit otherwise (projective, no punctuation …)


class Finder:
    """Finds the instances of sentences whose FEATS are as the file has them; `repair` is applied
    before values are looked up. It remembers the strings it has seen."""

    def __init__(self, search: Search, repair: Repair | None = None) -> None:
        self.search, self.strings, self.values = search, Strings(), Codes()
        self.kinds: dict[tuple[str, str], int] = {}
        self.of_pattern = [
            [self._kind(pair) for pair in features_of(pattern, search.features)]
            for pattern in search.patterns
        ]
        self.of_arcs = [self._kind((feature, feature)) for feature in search.features]
        self.left_out = (*search.selection.filters, CIRCULAR)  # why instances are left out
        self._repair = repair
        self._lookups = [
            (self._value_of(ours), self._value_of(theirs)) for ours, theirs in self.kinds
        ]

    def _kind(self, pair: tuple[str, str]) -> int:
        return self.kinds.setdefault(pair, len(self.kinds))

    def _value_of(self, feature: str) -> Lookup:
        def code(feats: str) -> int:
            value = value_of(self._repair(feats) if self._repair else feats, feature)
            if value is None:
                return -1
            equivalent = self.search.evidence
            return self.values[agreement_value(feature, value) if equivalent else value]

        return self.strings.lookup(("value", feature), self.strings.feats, code, np.int64)

    def value_of(self, feature: str) -> Lookup:
        """FEATS → code of a feature's value, −1 for none."""
        return self._value_of(feature)

    def blocks(self, surfaces: Iterable[Surface]) -> Iterator[Block]:
        """Sentences as columns, some hundreds at a time."""
        asked = self.search.selection
        light = (
            not (self.search.patterns or asked.filters or asked.relations or self.search.evidence)
            and asked.by == "pos"
            and asked.merging != "apart"
        )
        block = Block(self.strings, light=light)
        for surface in surfaces:
            if asked_values := self.search.value_from:
                told = tellers(surface.sentence, self.search.features, asked_values)
                start = sum(block.lengths)
                for (feature, noun), word in told.items():
                    block.told[(feature, start + noun)] = start + word
                surface = surface_of(with_told(surface.sentence, told), asked.merging)
            block.add(surface)
            if len(block.lengths) == AT_ONCE:
                yield block
                block = Block(self.strings, light=light)
        if block.lengths:
            yield block

    def find(self, block: Block) -> tuple[Found, Ints, Stage]:
        """The instances of a block, the number of the filter that leaves out each of the others,
        and the stages of its arcs."""
        paths = [
            self._rows(block, arcs, kind, number)
            for number, pattern in enumerate(self.search.patterns)
            if self.of_pattern[number]
            for arcs in [_pairs(block, pattern, self.search.selection)]
            for kind in self.of_pattern[number]
        ]
        found = _joined(paths)
        if paths:  # a pair of words counts once for a feature: for the first path that finds it
            _, firsts = np.unique(self._claims(block, found), return_index=True)
            found = found.where(np.sort(firsts))
        stage = Stage()
        if ARC in self.search.selection.patterns:
            arcs, stage = _arcs(block, self.search.selection)
            others = _joined([self._rows(block, arcs, kind, -1) for kind in self.of_arcs])
            claimed = np.isin(self._claims(block, others), self._claims(block, found))
            found = _joined([found, others.where(~claimed)])
        found = found.where(np.argsort(block.sentence[found.agreeing], kind="stable"))
        reasons = left_out_by(block, found, self.search)
        if block.told:
            reasons[self._circular(block, found) & (reasons < 0)] = len(self.left_out) - 1
        return found.where(reasons < 0), reasons[reasons >= 0], stage

    def _circular(self, block: Block, found: Found) -> Bools:
        """Two words of which one has its value from the other agree with nothing."""
        kinds = list(self.kinds)
        rows = zip(
            found.controller.tolist(), found.agreeing.tolist(), found.kind.tolist(), strict=True
        )
        return np.array(
            [
                block.told.get((kinds[kind][0], ours)) == theirs
                or block.told.get((kinds[kind][1], theirs)) == ours
                for ours, theirs, kind in rows
            ],
            bool,
        )

    def _claims(self, block: Block, found: Found) -> Ints:
        """One number for cue, target and feature of each instance."""
        ends = found.controller, found.agreeing
        pair = np.minimum(*ends) * (len(block) + 1) + np.maximum(*ends)
        return pair * len(self.kinds) + found.kind

    def _rows(self, block: Block, arcs: Arcs, kind: int, pattern: int) -> Found:
        """The pairs both ends of which carry the feature."""
        value_of_ours, value_of_theirs = self._lookups[kind]
        theirs = value_of_theirs(block.feats[arcs.head])
        arcs, theirs = arcs.where(theirs >= 0), theirs[theirs >= 0]
        upos, deprels, feats = block.own(arcs)
        ours, name = value_of_ours(feats), list(self.kinds)[kind][0]
        found = Found(
            *arcs,
            np.full(len(ours), pattern),
            upos,
            deprels,
            np.full(len(ours), kind),
            ours,
            theirs,
            np.zeros(len(ours), bool),
            np.full(len(ours), name),
        ).where(ours >= 0)
        several = Lookup(self.values, lambda value: "," in value, bool)
        found.ambiguous = several(found.ours) | several(found.theirs)
        return found

    def compared(self, found: Found) -> tuple[Ints, Ints]:
        """The values of controller and agreeing word as they are set beside each other. Under a
        rule with evidence values are sets, and words that share some agree in these."""
        if not self.search.evidence or not found.ambiguous.any():
            return found.ours, found.theirs
        ours, theirs, names = found.ours.copy(), found.theirs.copy(), list(self.values)
        for row in np.flatnonzero(found.ambiguous):
            shared = set(names[ours[row]].split(",")) & set(names[theirs[row]].split(","))
            if shared:
                ours[row] = theirs[row] = self.values[",".join(sorted(shared))]
        return ours, theirs

    def keys(self, block: Block, found: Found) -> list[str]:
        """The name of each instance's construction."""
        selection = self.search.selection
        several = len(self.search.features) > 1
        kinds = [f"{OF_FEATURE}{feature_name(kind)}" if several else "" for kind in self.kinds]
        upos, deprels = list(self.strings.upos), list(self.strings.deprels)
        if selection.by == "coarse":
            columns = np.stack(
                [
                    found.first,
                    found.upos,
                    block.upos[found.agreeing],
                    np.where(found.pattern < 0, found.deprels, -1 - found.pattern),
                    found.kind,
                ]
            )
            different, same = np.unique(columns, axis=1, return_inverse=True)
            names = []
            for first, ours, theirs, relation, kind in different.T.tolist():
                ends = (upos[ours], upos[theirs]) if first else (upos[theirs], upos[ours])
                what = deprels[relation] if relation >= 0 else self._pattern(-1 - relation)
                names.append(_key("L" if first else "R", ends, None, what) + kinds[kind])
            return [names[index] for index in same.reshape(-1).tolist()]
        names = []
        heads, tags = block.heads.tolist(), block.upos.tolist()
        inner = selection.context == "ends"
        rows = (
            found.controller,
            found.agreeing,
            found.upos,
            found.deprels,
            found.pattern,
            found.kind,
        )
        for controller, agreeing, tag, relation, pattern, kind in zip(
            *(each.tolist() for each in rows), strict=True
        ):
            first = controller < agreeing
            cue, target = (controller, agreeing) if first else (agreeing, controller)
            ends = (upos[tag], upos[tags[agreeing]]) if first else (upos[tags[agreeing]], upos[tag])
            what = deprels[relation] if selection.by == "deprel" else ""
            if pattern >= 0:
                what = self._pattern(pattern)
            # the top-level words between: headed by one of the two, or from outside the gap
            context = [
                upos[tags[word]]
                for word in range(cue + 1, target)
                for head in (heads[word],)
                if (head in (cue, target) if inner else not cue < head < target or head == word)
            ]
            direction = ("L" if first else "R") if selection.directed or pattern >= 0 else "X"
            names.append(_key(direction, ends, context, what) + kinds[kind])
        return names

    def _pattern(self, number: int) -> str:
        return self.search.patterns[number].name

    def instances(self, sentences: Iterable[Sentence]) -> Iterator[tuple[Surface, list[Instance]]]:
        """The instances of each sentence, one by one."""
        held: list[Surface] = []

        def holding() -> Iterator[Surface]:
            for sentence in sentences:
                held.append(surface_of(sentence, self.search.selection.merging))
                yield held[-1]

        for block in self.blocks(holding()):
            of_sentence: list[list[Instance]] = [[] for _ in held]
            for number, instance in self._one_by_one(block, self.find(block)[0]):
                of_sentence[number].append(instance)
            yield from zip(held, of_sentence, strict=True)
            held.clear()

    def _one_by_one(self, block: Block, found: Found) -> Iterator[tuple[int, Instance]]:
        compared = self.compared(found)
        values, kinds = list(self.values), list(self.kinds)
        rows = zip(
            self.keys(block, found),
            block.sentence[found.agreeing].tolist(),
            *(getattr(found, each).tolist() for each in ROW),
            *(each.tolist() for each in compared),
            strict=True,
        )
        for key, number, controller, agreeing, ghost, pattern, kind, ours, theirs in rows:
            start = int(block.starts[number])
            one = (values[ours], values[theirs], *kinds[kind])
            cue, target, cue_feature, target_feature = (
                one if controller < agreeing else (one[1], one[0], one[3], one[2])
            )
            yield (
                number,
                Instance(
                    key,
                    feature_name(kinds[kind]),
                    cue,
                    target,
                    Arc(controller - start, agreeing - start, ghost),
                    cue_feature,
                    target_feature,
                    self._pattern(pattern) if pattern >= 0 else "",
                ),
            )


def feature_name(kind: tuple[str, str]) -> str:
    """The feature an instance counts for: `Number`, or `Number~Number[abs]` where the controller
    and the agreeing word carry it under two names."""
    ours, theirs = kind
    return ours if ours == theirs else f"{ours}~{theirs}"


def features_of(pattern: Pattern, features: Sequence[str]) -> list[tuple[str, str]]:
    """(controller's feature, agreeing word's feature) under which a pattern is counted: none where
    it is about a feature that is not mined."""
    if pattern.feature:
        wanted = pattern.feature in features
        return [(pattern.feature, pattern.agreeing_feature)] if wanted else []
    if pattern.agreeing_feature:
        return [(feature, pattern.agreeing_feature) for feature in features]
    return [(feature, feature) for feature in features]


def _joined(parts: Sequence[Found]) -> Found:
    if not parts:
        none, flag, name = np.empty(0, np.int64), np.empty(0, bool), np.empty(0, np.str_)
        return Found(none, none, none, none, none, none, none, none, none, flag, name)
    return Found(
        *(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Found))
    )


def _places(block: Block, selection: Selection) -> Ints:
    """What gaps are counted in: tokens of the text, or words of the tree. One more than there are
    words, since a ghost may stand after the last."""
    if selection.gap_in == "words" and len(block):
        return np.append(block.tokens, block.tokens[-1] + 1)
    return np.arange(len(block) + 1)


def _is_near(places: Ints, one: Ints, other: Ints, selection: Selection) -> Bools:
    distance: Ints = np.abs(places[one] - places[other])
    near: Bools = distance > selection.min_gap
    if selection.max_gap is not None:
        near &= distance <= selection.max_gap + 1
    return near


def _arcs(block: Block, selection: Selection) -> tuple[Arcs, Stage]:
    """Dependencies as `selection` asks for them."""
    arcs = arcs_of(block)
    n_arcs = len(arcs.head)
    near = _is_near(_places(block, selection), arcs.dependent, arcs.head, selection)
    if selection.direction:
        near &= (arcs.dependent < arcs.head) == (selection.direction == "L")
    arcs = arcs.where(near)
    n_near = len(arcs.head)
    if not selection.punctuation or selection.relations:
        upos, deprels, _ = block.own(arcs)
        kept = np.ones(n_near, bool)
        if not selection.punctuation:
            marks = frozenset({"PUNCT"})
            kept = ~block.are_upos(upos, marks) & ~block.has_upos(marks)[arcs.head]
        if selection.relations:
            kept &= block.are_relations(deprels, selection.relations)
        arcs = arcs.where(kept)
    if selection.projective:
        arcs = arcs.where(is_projective(block, arcs))
    return arcs, Stage(n_arcs, n_near, len(arcs.head))


def _pairs(block: Block, pattern: Pattern, selection: Selection) -> Arcs:
    """Controller and agreeing word of every match with the gap that is asked, as the ends of arcs;
    each pair once."""
    places = _places(block, selection)
    at = origin = np.flatnonzero(block.fits(pattern.controller))
    for rank, step in enumerate(pattern.path):
        last = rank == len(pattern.path) - 1
        if step.up:
            goes = block.heads[at] >= 0
            if step.relations:
                goes &= block.has_relation(step.relations)[at]
            origin, at = origin[goes], block.heads[at[goes]]
        else:
            reach = selection.max_gap if last else None
            origin, at = _down(block, origin, at, step, places, reach)
        if rank < len(pattern.via):
            fits = block.fits(pattern.via[rank])[at]
            origin, at = origin[fits], at[fits]
        if rank and len(at):
            _, firsts = np.unique(origin * len(block) + at, return_index=True)
            firsts.sort()
            origin, at = origin[firsts], at[firsts]
    kept = (origin != at) & _is_near(places, origin, at, selection)
    for order in {pattern.order, selection.direction} - {""}:
        kept &= (origin < at) == (order == "L")
    kept[kept] = block.fits(pattern.agreeing)[at[kept]]
    return Arcs(origin[kept], at[kept], np.full(int(kept.sum()), -1))


def _down(
    block: Block, origin: Ints, at: Ints, step: Step, places: Ints, reach: int | None
) -> tuple[Ints, Ints]:
    """From words to their dependents; with `reach`, to those no further from where the walk began:
    of five thousand siblings a few are near."""
    kids = block.children(step.relations)
    size = int(places[-1]) + 1 if len(places) else 1
    order = block.heads[kids] * size + places[kids]  # grows: siblings stand in their order
    low, high = np.zeros_like(origin), np.full_like(origin, size - 1)
    if reach is not None:
        low = np.maximum(places[origin] - reach - 1, 0)
        high = np.minimum(places[origin] + reach + 1, size - 1)
    start = np.searchsorted(order, at * size + low, "left")
    counts = np.searchsorted(order, at * size + high, "right") - start
    rows = np.repeat(np.arange(len(at)), counts)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return origin[rows], kids[start[rows] + nth]


def _key(direction: str, ends: Sequence[str], context: Iterable[str] | None, relation: str) -> str:
    """A construction's name: `L__NOUN_VERB_VERB` by POS, `L__NOUN_VERB_VERB__nsubj` with the
    relation, `L__NOUN__VERB__nsubj` with any context (`None`)."""
    cue, target = ends
    words = f"{cue}__{target}" if context is None else "_".join((cue, *context, target))
    return f"{direction}__{words}__{relation}" if relation else f"{direction}__{words}"
