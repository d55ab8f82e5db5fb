"""Pairs of words of a block with a gap of the selection: along dependencies, and along paths."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ...data.arrays import Integers, Truths
from ..treebank.surface import Merging
from .patterns.pattern import ARC, Pattern, Step
from .token_columns import Arcs, Block, arcs_of, joined, ranges

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
    has_gap = target > cue + 1
    heads = np.append(block.heads, 0)
    # the least and the greatest head of those between: reduceat takes pairs of bounds
    bounds = np.stack([cue + 1, target], axis=1)[has_gap].reshape(-1)
    projective: Truths = ~has_gap
    if len(bounds):
        projective[has_gap] = (np.minimum.reduceat(heads, bounds)[::2] >= cue[has_gap]) & (
            np.maximum.reduceat(heads, bounds)[::2] <= target[has_gap]
        )
    merged = np.isin(block.sentence[arcs.head], list(block.merged))  # may hold loops
    doubtful = np.flatnonzero(~projective | merged)
    row, word = ranges(cue[doubtful] + 1, np.maximum(target - cue - 1, 0)[doubtful])
    head = arcs.head[doubtful][row]
    outside = np.flatnonzero(~block.meets(word, lambda n, node: node == head[n]))
    ghosts = arcs_of(block)
    ghosts = ghosts.where(ghosts.ghost >= 0)
    rows, ghost = joined(ghosts.dependent, word[outside])
    below = block.meets(ghosts.head[ghost], lambda n, node: node == head[outside[rows[n]]])
    outside = np.delete(outside, rows[below])
    projective[doubtful] = True
    projective[doubtful[row[outside]]] = False
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
