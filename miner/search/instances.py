"""Find instances: pairs of words far apart that both carry the feature, along dependencies (the
paper's candidates) and along paths, for a block of sentences at a time. First come
pairs of words with a gap of the selection, then what they carry.

A noun that does not carry the feature itself may have it from words that depend on it. Wolof nouns
show their class only on their determiners, French names their gender only on the article. What is
taken from there counts for the search; the FEATS of the sentence stay as the treebank has them, and
an original names the words that reveal the value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np

from ...data.arrays import Integers, Truths
from ...data.items.features import agreement_value, value_of, with_value
from ...data.items.tree import Sentence
from ..treebank.surface import Merging, Surface, surface_of
from ..treebank.treebank import Repair
from .filters import left_out_by
from .pattern import ARC, Pattern, Step, matches
from .token_columns import (
    NO_ARCS,
    Arcs,
    Block,
    InstanceColumns,
    StringCodes,
    Strings,
    arcs_of,
    concatenated,
    joined,
    ranges,
)

GapIn: TypeAlias = Literal["words", "tokens"]
"""Gaps are counted in surface words, or in the syntactic words of the tree."""
By: TypeAlias = Literal["pos", "deprel", "coarse"]
"""Constructions by POS of cue, context and target (the paper's); the same and the relation; or
direction, POS of the two ends and relation, whatever stands between."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The conditions on pairs of words that are instances. Every rule has its own; settings change
    parts of it."""

    min_gap: int  # tokens strictly between cue and target
    max_gap: int | None
    gap_in: GapIn
    merging: Merging
    projective: bool  # all between are descendants of the head
    punctuation: bool  # whether punctuation may be cue or target
    directed: bool  # whether the name tells which of the two depends on the other
    context: Literal["ends", "outside"]  # between: headed by cue or target, or from outside the gap
    by: By = "pos"
    direction: Literal["", "L", "R"] = ""  # dependent first, head first, or both
    relations: frozenset[str] = frozenset()  # of arcs; empty: all
    patterns: tuple[str, ...] = (ARC,)  # names or TOML files; `arc` is every dependency
    filters: tuple[str, ...] = ()  # names in `filters.FILTERS`

    @property
    def near(self) -> str:
        """The gap in words, for the messages of a run."""
        unit = "tokens" if self.merging != "apart" else self.gap_in
        if self.max_gap is None:
            return f"{self.min_gap} or more {unit} between"
        return f"{self.min_gap} to {self.max_gap} {unit} between"

    @property
    def conditions(self) -> str:
        """The other conditions on arcs, in words."""
        conditions = [
            "projective" if self.projective else "",
            "" if self.punctuation else "no punctuation at either end",
            {"": "", "L": "dependent first", "R": "head first"}[self.direction],
            " or ".join(sorted(self.relations)),
        ]
        return ", ".join(filter(None, conditions)) or "all of these"


def _gap_tokens(block: Block, selection: Selection) -> Integers:
    """Return the number of each word in the unit of gaps: tokens of the text, or words of the
    tree. There is one more than words, since a ghost may come after the last."""
    if selection.gap_in == "words" and len(block):
        return np.append(block.tokens, block.tokens[-1] + 1)
    return np.arange(len(block) + 1)


def _is_near(tokens: Integers, left: Integers, right: Integers, selection: Selection) -> Truths:
    distance: Integers = np.abs(tokens[left] - tokens[right])
    near: Truths = distance > selection.min_gap
    if selection.max_gap is not None:
        near &= distance <= selection.max_gap + 1
    return near


def near_arcs(block: Block, selection: Selection) -> tuple[Arcs, dict[str, int]]:
    """Return the dependencies of a selection, and how many reached each stage."""
    arcs = arcs_of(block)
    n_arcs = len(arcs.head)
    near = _is_near(_gap_tokens(block, selection), arcs.dependent, arcs.head, selection)
    if selection.direction:
        near &= (arcs.dependent < arcs.head) == (selection.direction == "L")
    arcs = arcs.where(near)
    n_near = len(arcs.head)
    if not selection.punctuation or selection.relations:
        upos, deprels, _ = block.dependent_columns(arcs)
        accepted = np.ones(n_near, bool)
        if not selection.punctuation:
            marks = frozenset({"PUNCT"})
            accepted = ~block.are_upos(upos, marks) & ~block.has_upos(marks)[arcs.head]
        if selection.relations:
            accepted &= block.are_relations(deprels, selection.relations)
        arcs = arcs.where(accepted)
    if selection.projective:
        arcs = arcs.where(_is_projective(block, arcs))
    return arcs, {"arcs": n_arcs, "near": n_near, "kept": len(arcs.head)}


def _is_projective(block: Block, arcs: Arcs) -> Truths:
    """Return whether all words between the ends of an arc descend from its head, or are the
    position of a ghost that does."""
    cue, target = np.minimum(*arcs[:2]), np.maximum(*arcs[:2])
    row, word = ranges(cue + 1, np.maximum(target - cue - 1, 0))
    head = arcs.head[row]
    outside = np.flatnonzero(~block.meets(word, lambda n, node: node == head[n]))
    ghosts = arcs_of(block)
    ghosts = ghosts.where(ghosts.ghost >= 0)
    rows, ghost = joined(ghosts.dependent, word[outside])
    below = block.meets(ghosts.head[ghost], lambda n, node: node == head[outside[rows[n]]])
    outside = np.delete(outside, rows[below])
    projective: Truths = np.ones(len(cue), bool)
    projective[row[outside]] = False
    return projective


def path_pairs(block: Block, pattern: Pattern, selection: Selection) -> Arcs:
    """Return controller and agreeing word of every match with a gap of the selection, as the ends
    of arcs; each pair once."""
    tokens = _gap_tokens(block, selection)
    nodes = origin = np.flatnonzero(block.fits(pattern.controller))
    for rank, step in enumerate(pattern.path):
        is_last = rank == len(pattern.path) - 1
        if step.up:
            goes = block.heads[nodes] >= 0
            if step.relations:
                goes &= block.has_relation(step.relations)[nodes]
            origin, nodes = origin[goes], block.heads[nodes[goes]]
        else:
            limit = selection.max_gap if is_last else None
            origin, nodes = _down(block, origin, nodes, step, tokens, limit)
        if rank < len(pattern.via):
            fits = block.fits(pattern.via[rank])[nodes]
            origin, nodes = origin[fits], nodes[fits]
        if rank and len(nodes):
            _, firsts = np.unique(origin * len(block) + nodes, return_index=True)
            firsts.sort()
            origin, nodes = origin[firsts], nodes[firsts]
    accepted = (origin != nodes) & _is_near(tokens, origin, nodes, selection)
    for order in {pattern.order, selection.direction} - {""}:
        accepted &= (origin < nodes) == (order == "L")
    accepted[accepted] = block.fits(pattern.agreeing)[nodes[accepted]]
    return Arcs(origin[accepted], nodes[accepted], np.full(int(accepted.sum()), -1))


def _down(
    block: Block, origin: Integers, nodes: Integers, step: Step, tokens: Integers, limit: int | None
) -> tuple[Integers, Integers]:
    """Go from words to their dependents; with `limit`, to those no further from where the walk
    began: of five thousand siblings a few are near."""
    kids = block.children(step.relations)
    size = int(tokens[-1]) + 1 if len(tokens) else 1
    order = block.heads[kids] * size + tokens[kids]  # grows: siblings stand in their order
    low, high = np.zeros_like(origin), np.full_like(origin, size - 1)
    if limit is not None:
        low = np.maximum(tokens[origin] - limit - 1, 0)
        high = np.minimum(tokens[origin] + limit + 1, size - 1)
    start = np.searchsorted(order, nodes * size + low, "left")
    row, position = ranges(start, np.searchsorted(order, nodes * size + high, "right") - start)
    return origin[row], kids[position]


NOUNS = frozenset({"NOUN", "PROPN"})
CIRCULAR = "value-from"  # why instances are left out, beside the names of filters


def value_words(
    sentence: Sentence, features: Sequence[str], relations: frozenset[str]
) -> dict[tuple[str, int], int]:
    """Return (feature, noun) → the first dependent that carries the feature, for nouns without it
    whose dependents of these relations all have one value."""
    words: dict[tuple[str, int], int] = {}
    for feature in features:
        by_noun: dict[int, list[tuple[str, int]]] = {}
        for word, head in enumerate(sentence.heads):
            if (
                head >= 0
                and sentence.upos[head] in NOUNS
                and matches(sentence.deprels[word], relations)
                and value_of(sentence.feats[head], feature) is None
                and (value := value_of(sentence.feats[word], feature)) is not None
            ):
                by_noun.setdefault(head, []).append((value, word))
        for noun, found in by_noun.items():
            if len({value for value, _ in found}) == 1:
                words[feature, noun] = found[0][1]
    return words


def with_dependent_values(sentence: Sentence, sources: Mapping[tuple[str, int], int]) -> Sentence:
    """Return the sentence as if its nouns carried the values of these dependents."""
    feats = list(sentence.feats)
    for (feature, noun), word in sources.items():
        value = value_of(sentence.feats[word], feature)
        assert value is not None
        feats[noun] = with_value(feats[noun], feature, value)
    return replace(sentence, feats=tuple(feats))


OF_FEATURE = "@"
BLOCK_SENTENCES = 1024  # sentences that make a block


@dataclass(frozen=True, slots=True)
class Search:
    """The pairs of words that are looked for in every sentence; the same wherever a part of the
    treebank is read."""

    selection: Selection
    patterns: tuple[Pattern, ...]  # those of `selection.patterns`, `arc` left out
    features: tuple[str, ...]
    language: str
    evidence: bool = False  # whether the rule looks at more than how often values meet
    value_from: frozenset[str] = frozenset()  # relations that tell a noun's value where it does not


class Finder:
    """Finds the instances of sentences whose FEATS are as the file has them; `repair` is applied
    before values are looked up. It remembers the strings it has seen."""

    def __init__(self, search: Search, repair: Repair | None = None) -> None:
        self.search, self.values = search, StringCodes()
        self.strings = Strings(StringCodes(), StringCodes(), StringCodes())
        self.left_out = (*search.selection.filters, CIRCULAR)  # why instances are left out
        self._repair = repair
        of_pattern = [features_of(pattern, search.features) for pattern in search.patterns]
        of_arcs = [(feature, feature) for feature in search.features]
        self.kinds = list(dict.fromkeys([*chain.from_iterable(of_pattern), *of_arcs]))
        self._of_pattern = [[self.kinds.index(kind) for kind in kinds] for kinds in of_pattern]
        self._of_arcs = [self.kinds.index(kind) for kind in of_arcs]

    def values_of(self, feature: str, feats: Integers) -> Integers:
        """Return codes of a feature's values in a column of FEATS, −1 for none."""

        def code(text: str) -> int:
            value = value_of(self._repair(text) if self._repair else text, feature)
            if value is None:
                return -1
            return self.values[agreement_value(feature, value) if self.search.evidence else value]

        codes: Integers = self.strings.feats.by_code(("value", feature), code, np.int64)[feats]
        return codes

    def blocks(self, surfaces: Iterable[Surface]) -> Iterator[Block]:
        """Yield sentences as columns, some hundreds at a time."""
        block = Block(self.strings)
        for surface in surfaces:
            if relations := self.search.value_from:
                sources = value_words(surface.sentence, self.search.features, relations)
                start = sum(block.lengths)
                for (feature, noun), word in sources.items():
                    block.sources[(feature, start + noun)] = start + word
                sentence = with_dependent_values(surface.sentence, sources)
                surface = surface_of(sentence, self.search.selection.merging)
            block.add(surface)
            if len(block.lengths) == BLOCK_SENTENCES:
                yield block
                block = Block(self.strings)
        if block.lengths:
            yield block

    def find(self, block: Block) -> tuple[InstanceColumns, Integers, dict[str, int]]:
        """Return a block's instances, the number of the filter that leaves out each of the others,
        and how many of its arcs reached each stage: all but the roots', of these those as far apart
        as is asked, and of these those fit otherwise (projective, no punctuation …)."""
        parts: list[InstanceColumns] = []
        for number, pattern in enumerate(self.search.patterns):
            if kinds := self._of_pattern[number]:
                pairs = path_pairs(block, pattern, self.search.selection)
                parts += [self._rows(block, pairs, kind, number) for kind in kinds]
        n_paths = sum(map(len, parts))
        stages: dict[str, int] = {}
        if ARC in self.search.selection.patterns:
            arcs, stages = near_arcs(block, self.search.selection)
            parts += [self._rows(block, arcs, kind, -1) for kind in self._of_arcs]
        instances = concatenated(parts or [self._rows(block, NO_ARCS, 0, -1)])
        if n_paths:  # a pair of words counts once for a feature: for the first path that finds it
            codes = self._pair_codes(block, instances)
            _, firsts = np.unique(codes[:n_paths], return_index=True)
            by_arc = n_paths + np.flatnonzero(~np.isin(codes[n_paths:], codes[:n_paths]))
            instances = instances.where(np.concatenate([np.sort(firsts), by_arc]))
        instances = instances.where(np.argsort(block.sentence[instances.agreeing], kind="stable"))
        reasons = left_out_by(block, instances, self.search.selection.filters, self.search.language)
        if block.sources:  # two words of which one has its value from the other agree with nothing
            ends = instances.controller, instances.agreeing
            circular = [
                block.sources.get((self.kinds[kind][0], controller)) == agreeing
                or block.sources.get((self.kinds[kind][1], agreeing)) == controller
                for controller, agreeing, kind in zip(*ends, instances.kind, strict=True)
            ]
            reasons[np.array(circular, bool) & (reasons < 0)] = len(self.left_out) - 1
        return instances.where(reasons < 0), reasons[reasons >= 0], stages

    def _pair_codes(self, block: Block, instances: InstanceColumns) -> Integers:
        """Return one number for cue, target and feature of each instance."""
        cue, target = instances.ends
        return (cue * (len(block) + 1) + target) * len(self.kinds) + instances.kind

    def _rows(self, block: Block, arcs: Arcs, kind: int, pattern: int) -> InstanceColumns:
        """Return the pairs both ends of which carry the feature."""
        feature, agreeing_feature = self.kinds[kind]
        agreed = self.values_of(agreeing_feature, block.feats[arcs.head])
        arcs, agreed = arcs.where(agreed >= 0), agreed[agreed >= 0]
        upos, deprels, feats = block.dependent_columns(arcs)
        values = self.values_of(feature, feats)
        multiple = self.values.by_code("several", lambda value: "," in value)
        return InstanceColumns(
            *arcs,
            np.full(len(values), pattern),
            upos,
            deprels,
            np.full(len(values), kind),
            values,
            agreed,
            multiple[values] | multiple[agreed],
            np.full(len(values), feature),
        ).where(values >= 0)

    def compared(self, instances: InstanceColumns) -> tuple[Integers, Integers]:
        """Return the values of controller and agreeing word as they are compared. Under a rule with
        evidence values are sets, and words that share some agree in these."""
        if not self.search.evidence or not instances.ambiguous.any():
            return instances.value, instances.agreed
        values, agreed, names = instances.value.copy(), instances.agreed.copy(), list(self.values)
        for row in np.flatnonzero(instances.ambiguous):
            shared = set(names[values[row]].split(",")) & set(names[agreed[row]].split(","))
            if shared:
                values[row] = agreed[row] = self.values[",".join(sorted(shared))]
        return values, agreed

    def keys(self, block: Block, instances: InstanceColumns) -> list[str]:
        """Return the name of each instance's construction: `L__NOUN_VERB_VERB` by POS,
        `L__NOUN_VERB_VERB__nsubj` with the relation, `L__NOUN__VERB__nsubj` with any context."""
        selection = self.search.selection
        coarse, inner = selection.by == "coarse", selection.context == "ends"
        multiple = len(self.search.features) > 1
        marks = [f"{OF_FEATURE}{feature_name(kind)}" if multiple else "" for kind in self.kinds]
        upos, deprels = list(self.strings.upos), list(self.strings.deprels)
        heads, tag_of = block.heads.tolist(), block.upos.tolist()
        forward, pattern, kind = instances.forward, instances.pattern, instances.kind
        ends = np.stack([instances.upos, block.upos[instances.agreeing]])
        cue_upos, target_upos = np.where(forward, ends, ends[::-1])
        relation = np.where(pattern < 0, instances.deprels, 0)
        rows = inverse = np.arange(len(instances))
        if coarse:  # one name for all that are alike
            number = (forward * len(upos) + cue_upos) * len(upos) + target_upos
            number = (number * (len(self.search.patterns) + 1) + pattern + 1) * len(deprels)
            number = (number + relation) * len(marks) + kind
            _, rows, inverse = np.unique(number, return_index=True, return_inverse=True)
        columns = (*instances.ends, forward, cue_upos, target_upos, pattern, relation, kind)
        names = []
        for cue, target, is_first, *tags, path, deprel, of_kind in zip(
            *(column[rows].tolist() for column in columns), strict=True
        ):
            # the top-level words between: headed by one of the two, or from outside the gap
            context = [
                upos[tag_of[word]]
                for word in (() if coarse else range(cue + 1, target))
                for head in (heads[word],)
                if (head in (cue, target) if inner else not cue < head < target or head == word)
            ]
            words = [upos[tags[0]], *([""] if coarse else context), upos[tags[1]]]
            is_directed = selection.directed or coarse or path >= 0
            name = f"{('L' if is_first else 'R') if is_directed else 'X'}__{'_'.join(words)}"
            if path >= 0:
                name += f"__{self.search.patterns[path].name}"
            elif selection.by != "pos":
                name += f"__{deprels[deprel]}"
            names.append(name + marks[of_kind])
        return [names[row] for row in inverse.tolist()]


def feature_name(kind: tuple[str, str]) -> str:
    """Return the feature an instance counts for: `Number`, or `Number~Number[abs]` where the
    controller and the agreeing word carry it under two names."""
    of_controller, of_agreeing = kind
    return of_controller if of_controller == of_agreeing else f"{of_controller}~{of_agreeing}"


def features_of(pattern: Pattern, features: Sequence[str]) -> list[tuple[str, str]]:
    """Return (controller's feature, agreeing word's feature) for which a pattern is counted: none
    where it is about a feature that is not mined."""
    if pattern.feature:
        is_mined = pattern.feature in features
        return [(pattern.feature, pattern.agreeing_feature)] if is_mined else []
    if pattern.agreeing_feature:
        return [(feature, pattern.agreeing_feature) for feature in features]
    return [(feature, feature) for feature in features]
