"""Find instances: pairs of words, some distance apart, that both carry the feature.

They are sought along dependencies (the paper's candidates) and along paths (`pattern.py`), in a
block of sentences at a time: first the pairs at the right distance, then among these those that
carry the feature. The *controller* has the feature by itself (a noun), the *agreeing* word takes it
from there; whichever comes first in the sentence is the *cue*, the other the *target*.

A noun without the feature may take its value from words that depend on it (`value_from`). Wolof
nouns show their class only on their determiners, French names their gender only on the article. The
search uses these values; the FEATS of the sentence stay as the treebank has them, and an original
names the words that give the value.
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
"""The unit of gaps: `words` of the text, or `tokens` of the tree."""
By: TypeAlias = Literal["pos", "deprel", "coarse"]
"""The facts that make a construction: POS of cue, context and target (`pos`, the paper's); these
and the relation (`deprel`); or direction, POS of cue and target, and relation (`coarse`)."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The conditions that make a pair of words an instance. Each rule has its own; settings change
    some of them."""

    min_gap: int  # tokens strictly between cue and target
    max_gap: int | None
    gap_in: GapIn
    merging: Merging
    projective: bool  # all words between are descendants of the head
    punctuation: bool  # punctuation may be cue or target
    directed: bool  # names of constructions tell which of the two depends on the other
    context: Literal["ends", "outside"]  # words between in a name: heads are the ends, or outside
    by: By = "pos"
    direction: Literal["", "L", "R"] = ""  # L: dependent first, R: head first, "": both
    relations: frozenset[str] = frozenset()  # of dependencies; empty: all
    patterns: tuple[str, ...] = (ARC,)  # names or TOML files; `arc` is every dependency
    filters: tuple[str, ...] = ()  # names in `filters.FILTERS`

    @property
    def gap_text(self) -> str:
        """The condition on the gap as text, for the messages of a run."""
        unit = "tokens" if self.merging != "apart" else self.gap_in
        if self.max_gap is None:
            return f"{self.min_gap} or more {unit} between"
        return f"{self.min_gap} to {self.max_gap} {unit} between"

    @property
    def conditions_text(self) -> str:
        """The other conditions on dependencies as text, for the messages of a run."""
        conditions = [
            "projective" if self.projective else "",
            "" if self.punctuation else "no punctuation at either end",
            {"": "", "L": "dependent first", "R": "head first"}[self.direction],
            " or ".join(sorted(self.relations)),
        ]
        return ", ".join(filter(None, conditions)) or "all of these"


def _positions(block: Block, selection: Selection) -> Integers:
    """Return the position of each word of a block, in words of the text or tokens of the tree, by
    which gaps are measured.

    There is one entry more than words, since a ghost may stand after the last word.
    """
    if selection.gap_in == "words" and len(block):
        return np.append(block.tokens, block.tokens[-1] + 1)
    return np.arange(len(block) + 1)


def _fit_gap(positions: Integers, left: Integers, right: Integers, selection: Selection) -> Truths:
    """Tell for each pair (`left[i]`, `right[i]`) whether its gap is one that the selection allows.

    `positions` has the position of each word.
    """
    distance: Integers = np.abs(positions[left] - positions[right])  # the gap plus one
    fit: Truths = distance > selection.min_gap
    if selection.max_gap is not None:
        fit &= distance <= selection.max_gap + 1
    return fit


def near_arcs(block: Block, selection: Selection) -> tuple[Arcs, dict[str, int]]:
    """Return a block's dependencies that meet the selection's conditions, and how many there were
    at each stage: all (`arcs`), those with the right gap (`near`), those returned (`kept`)."""
    arcs = arcs_of(block)
    n_arcs = len(arcs.head)
    fit = _fit_gap(_positions(block, selection), arcs.dependent, arcs.head, selection)
    if selection.direction:
        fit &= (arcs.dependent < arcs.head) == (selection.direction == "L")
    arcs = arcs.where(fit)
    n_near = len(arcs.head)
    if not selection.punctuation or selection.relations:
        upos, deprels, _ = block.dependent_columns(arcs)
        accepted = np.ones(n_near, bool)
        if not selection.punctuation:
            accepted = ~block.are_upos(upos, "PUNCT") & ~block.has_upos("PUNCT")[arcs.head]
        if selection.relations:
            accepted &= block.are_relations(deprels, *selection.relations)
        arcs = arcs.where(accepted)
    if selection.projective:
        arcs = arcs.where(_is_projective(block, arcs))
    return arcs, {"arcs": n_arcs, "near": n_near, "kept": len(arcs.head)}


def _is_projective(block: Block, arcs: Arcs) -> Truths:
    """Tell which arcs are projective: all words between the two ends descend from the head.

    A word at the position of a ghost (a word that merging deleted) counts if the ghost descends.
    """
    cue, target = np.minimum(arcs.dependent, arcs.head), np.maximum(arcs.dependent, arcs.head)
    row, word = ranges(cue + 1, np.maximum(target - cue - 1, 0))  # all words between, by arc
    head = arcs.head[row]
    descends = block.self_or_ancestor_is(word, lambda walkers, places: places == head[walkers])
    outside = np.flatnonzero(~descends)
    # Of the words outside, those at the position of a ghost get another chance.
    ghosts = arcs_of(block)
    ghosts = ghosts.where(ghosts.ghost >= 0)
    rows, ghost = joined(ghosts.dependent, word[outside])
    wanted = head[outside[rows]]
    ghost_descends = block.self_or_ancestor_is(
        ghosts.head[ghost], lambda walkers, places: places == wanted[walkers]
    )
    outside = np.delete(outside, rows[ghost_descends])
    projective: Truths = np.ones(len(cue), bool)
    projective[row[outside]] = False
    return projective


def path_pairs(block: Block, pattern: Pattern, selection: Selection) -> Arcs:
    """Find the matches of a pattern whose gap the selection allows, each pair of words once.

    Return them as arcs from the controller (as dependent) to the agreeing word (as head). All
    controllers are followed along the path at once: `nodes` are the words reached so far, `origin`
    the controllers from which they were reached.
    """
    positions = _positions(block, selection)
    nodes = origin = np.flatnonzero(block.fits(pattern.controller))
    for n_before, step in enumerate(pattern.path):
        is_last = n_before == len(pattern.path) - 1
        if step.up:
            can_go = block.heads[nodes] >= 0
            if step.relations:
                can_go &= block.has_relation(*step.relations)[nodes]
            origin, nodes = origin[can_go], block.heads[nodes[can_go]]
        else:
            limit = selection.max_gap if is_last else None
            origin, nodes = _step_down(block, origin, nodes, step, positions, limit)
        if n_before < len(pattern.via):  # there are conditions on the word after this step
            fits = block.fits(pattern.via[n_before])[nodes]
            origin, nodes = origin[fits], nodes[fits]
        if n_before and len(nodes):  # from the second step on, two ways may lead to the same word
            _, firsts = np.unique(origin * len(block) + nodes, return_index=True)
            firsts.sort()
            origin, nodes = origin[firsts], nodes[firsts]
    accepted = (origin != nodes) & _fit_gap(positions, origin, nodes, selection)
    for order in {pattern.order, selection.direction} - {""}:
        accepted &= (origin < nodes) == (order == "L")
    accepted &= block.fits(pattern.agreeing)[nodes]
    return Arcs(origin[accepted], nodes[accepted], np.full(int(accepted.sum()), -1))


def _step_down(
    block: Block,
    origin: Integers,
    nodes: Integers,
    step: Step,
    positions: Integers,
    limit: int | None,
) -> tuple[Integers, Integers]:
    """Go from each node to its dependents with the step's relations; return origins and dependents.

    With `limit`, only dependents with at most this gap to the origin are taken: of five thousand
    siblings, few are near. `positions` has the position of each word.
    """
    dependents = block.children(*step.relations)
    size = int(positions[-1]) + 1 if len(positions) else 1  # all positions are smaller
    # One number for (head, position); sorted, since the dependents of a head are in their order.
    keys = block.heads[dependents] * size + positions[dependents]
    lowest, highest = np.zeros_like(origin), np.full_like(origin, size - 1)
    if limit is not None:
        lowest = np.maximum(positions[origin] - limit - 1, 0)
        highest = np.minimum(positions[origin] + limit + 1, size - 1)
    start = np.searchsorted(keys, nodes * size + lowest, "left")
    stop = np.searchsorted(keys, nodes * size + highest, "right")
    row, index = ranges(start, stop - start)
    return origin[row], dependents[index]


NOUNS = frozenset({"NOUN", "PROPN"})
CIRCULAR = "value-from"  # a reason to leave out instances, like the names of filters


def value_words(
    sentence: Sentence, features: Sequence[str], relations: frozenset[str]
) -> dict[tuple[str, int], int]:
    """Find the dependents that give nouns their value.

    Return (feature, noun) → the noun's first dependent that carries the feature, for nouns without
    the feature whose dependents of these relations all have the same value.
    """
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
        for noun, carriers in by_noun.items():
            if len({value for value, _ in carriers}) == 1:
                (_, first_word), *_ = carriers
                words[feature, noun] = first_word
    return words


def with_dependent_values(sentence: Sentence, sources: Mapping[tuple[str, int], int]) -> Sentence:
    """Return the sentence with nouns that carry the values of their dependents, as `value_words`
    found them."""
    feats = list(sentence.feats)
    for (feature, noun), word in sources.items():
        value = value_of(sentence.feats[word], feature)
        assert value is not None
        feats[noun] = with_value(feats[noun], feature, value)
    return replace(sentence, feats=tuple(feats))


OF_FEATURE = "@"  # in a construction's name, before the feature if several are mined
BLOCK_SENTENCES = 1024  # sentences in a block


@dataclass(frozen=True, slots=True)
class Search:
    """A description of the instances to find, the same for all parts of a treebank."""

    selection: Selection
    patterns: tuple[Pattern, ...]  # those of `selection.patterns` without `arc`
    features: tuple[str, ...]
    language: str
    evidence: bool = False  # the rule makes a test, and needs the columns of `counts.EVIDENCE`
    value_from: frozenset[str] = frozenset()  # dependents that give a noun the value it lacks


class Finder:
    """A finder of instances, block by block, that keeps the distinct strings of all its blocks.

    The FEATS of sentences are as in the file; `repair` is applied when values are looked up.
    """

    def __init__(self, search: Search, repair: Repair | None = None) -> None:
        self.search, self.values = search, StringCodes()
        self.strings = Strings(StringCodes(), StringCodes(), StringCodes())
        self.left_out = (*search.selection.filters, CIRCULAR)  # reasons to leave out instances
        self._repair = repair
        by_pattern = [features_of(pattern, search.features) for pattern in search.patterns]
        for_arcs = [(feature, feature) for feature in search.features]
        # A kind is a pair: the controller's feature, the agreeing word's feature.
        self.kinds = list(dict.fromkeys([*chain.from_iterable(by_pattern), *for_arcs]))
        self._pattern_kinds = [[self.kinds.index(kind) for kind in kinds] for kinds in by_pattern]
        self._arc_kinds = [self.kinds.index(kind) for kind in for_arcs]

    def values_of(self, feature: str, feats: Integers) -> Integers:
        """Return the code of a feature's value for each entry of a column of FEATS; −1 for none."""

        def code(text: str) -> int:
            """Return the code of the value in a word's FEATS."""
            value = value_of(self._repair(text) if self._repair else text, feature)
            if value is None:
                return -1
            return self.values[agreement_value(feature, value) if self.search.evidence else value]

        codes: Integers = self.strings.feats.by_code(("value", feature), code, np.int64)[feats]
        return codes

    def blocks(self, surfaces: Iterable[Surface]) -> Iterator[Block]:
        """Yield sentences in blocks of about a thousand, as columns; nouns get the values of their
        dependents if the search says so."""
        block = Block(self.strings)
        for surface in surfaces:
            if relations := self.search.value_from:
                sources = value_words(surface.sentence, self.search.features, relations)
                start = sum(block.lengths)  # index of the sentence's first word in the block
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
        """Find a block's instances.

        Return (the instances; for each instance left out, the index of its reason in `left_out`;
        the number of dependencies at each stage, as in `near_arcs`).
        """
        selection = self.search.selection
        parts: list[InstanceColumns] = []
        for number, pattern in enumerate(self.search.patterns):
            if kinds := self._pattern_kinds[number]:
                pairs = path_pairs(block, pattern, selection)
                parts += [self._instances(block, pairs, kind, number) for kind in kinds]
        n_paths = sum(map(len, parts))
        stages: dict[str, int] = {}
        if ARC in selection.patterns:
            arcs, stages = near_arcs(block, selection)
            parts += [self._instances(block, arcs, kind, -1) for kind in self._arc_kinds]
        instances = concatenated(parts or [self._instances(block, NO_ARCS, 0, -1)])
        if n_paths:
            instances = self._once_per_feature(block, instances, n_paths)
        instances = instances.where(np.argsort(block.sentence[instances.agreeing], kind="stable"))
        reasons = left_out_by(block, instances, selection.filters, self.search.language)
        if block.sources:
            is_circular = self._are_circular(block, instances)
            reasons[is_circular & (reasons < 0)] = self.left_out.index(CIRCULAR)
        return instances.where(reasons < 0), reasons[reasons >= 0], stages

    def _once_per_feature(
        self, block: Block, instances: InstanceColumns, n_paths: int
    ) -> InstanceColumns:
        """Drop repetitions: a pair of words counts once per feature, for the first path that finds
        it. The first `n_paths` instances are those found by paths; among the others, found by
        dependencies, there are no repetitions."""
        cue, target = instances.ends
        # One number for (cue, target, kind); a ghost's position may be one after the last word.
        codes = (cue * (len(block) + 1) + target) * len(self.kinds) + instances.kind
        by_path, by_arc = codes[:n_paths], codes[n_paths:]
        _, firsts = np.unique(by_path, return_index=True)
        new_by_arc = n_paths + np.flatnonzero(~np.isin(by_arc, by_path))
        return instances.where(np.concatenate([np.sort(firsts), new_by_arc]))

    def _are_circular(self, block: Block, instances: InstanceColumns) -> Truths:
        """Tell in which instances a noun has its value from the word that it is paired with: that
        is no agreement."""
        is_circular = np.zeros(len(instances), bool)
        columns = instances.controller, instances.agreeing, instances.kind
        for row, (controller, agreeing, kind) in enumerate(zip(*columns, strict=True)):
            feature, agreeing_feature = self.kinds[kind]
            of_controller = block.sources.get((feature, controller))
            of_agreeing = block.sources.get((agreeing_feature, agreeing))
            is_circular[row] = of_controller == agreeing or of_agreeing == controller
        return is_circular

    def _instances(self, block: Block, arcs: Arcs, kind: int, pattern: int) -> InstanceColumns:
        """Turn pairs of words into instances, if both words carry their feature of the kind.

        `pattern` is the number of the path that found them, −1 for dependencies.
        """
        feature, agreeing_feature = self.kinds[kind]
        agreeing_values = self.values_of(agreeing_feature, block.feats[arcs.head])
        has_value = agreeing_values >= 0
        arcs, agreeing_values = arcs.where(has_value), agreeing_values[has_value]
        upos, deprels, feats = block.dependent_columns(arcs)
        values = self.values_of(feature, feats)
        is_multiple = self.values.by_code("several", lambda value: "," in value)
        n = len(values)
        return InstanceColumns(
            controller=arcs.dependent,
            agreeing=arcs.head,
            ghost=arcs.ghost,
            pattern=np.full(n, pattern),
            upos=upos,
            deprels=deprels,
            kind=np.full(n, kind),
            value=values,
            agreeing_value=agreeing_values,
            ambiguous=is_multiple[values] | is_multiple[agreeing_values],
            feature=np.full(n, feature),
        ).where(values >= 0)

    def compared(self, instances: InstanceColumns) -> tuple[Integers, Integers]:
        """Return the values of controllers and agreeing words, ready to be compared.

        Under a rule with evidence, a multiple value (`Fem,Masc`) is a set, and if the two sets have
        values in common, both words get these.
        """
        if not self.search.evidence or not instances.ambiguous.any():
            return instances.value, instances.agreeing_value
        names = list(self.values)
        values, agreeing_values = instances.value.copy(), instances.agreeing_value.copy()
        for row in np.flatnonzero(instances.ambiguous):
            value, agreeing_value = names[values[row]], names[agreeing_values[row]]
            if shared := {*value.split(",")}.intersection(agreeing_value.split(",")):
                values[row] = agreeing_values[row] = self.values[",".join(sorted(shared))]
        return values, agreeing_values


def feature_name(kind: tuple[str, str]) -> str:
    """Return the name of a feature that is compared: `Number`, or `Number~Number[abs]` if
    controller and agreeing word carry it under two names."""
    feature, agreeing_feature = kind
    return feature if feature == agreeing_feature else f"{feature}~{agreeing_feature}"


def features_of(pattern: Pattern, features: Sequence[str]) -> list[tuple[str, str]]:
    """Return the (controller's feature, agreeing word's feature) pairs that a pattern compares;
    none if the pattern is about a feature that is not mined."""
    mined = [x for x in features if pattern.feature in ("", x)]
    return [(feature, pattern.agreeing_feature or feature) for feature in mined]
