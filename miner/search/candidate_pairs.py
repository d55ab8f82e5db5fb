"""Pairs of words of a block, as far apart as is asked: along dependencies, and along paths."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ...data.arrays import Integers, Truths
from ..treebank.surface import Merging
from .patterns.pattern import ARC, Pattern, Step
from .token_columns import Arcs, Block, arcs_of, same, stretches

GapIn: TypeAlias = Literal["words", "tokens"]
"""Gaps are counted in surface words, or in the syntactic words of the tree."""
By: TypeAlias = Literal["pos", "deprel", "coarse"]
"""Constructions by POS of cue, context and target (the paper's); the same and the relation; or
direction, POS of the two ends and relation, whatever stands between."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pairs of words are instances. Every rule has one, of which the command line may change
    parts."""

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
        """The gap in words, for the run's story."""
        unit = "tokens" if self.merging != "apart" else self.gap_in
        if self.max_gap is None:
            return f"{self.min_gap} or more {unit} between"
        return f"{self.min_gap} to {self.max_gap} {unit} between"

    @property
    def kept(self) -> str:
        """What arcs must be beside near, in words."""
        conditions = [
            "projective" if self.projective else "",
            "" if self.punctuation else "no punctuation at either end",
            {"": "", "L": "dependent first", "R": "head first"}[self.direction],
            " or ".join(sorted(self.relations)),
        ]
        return ", ".join(filter(None, conditions)) or "all of these"


def _places(block: Block, selection: Selection) -> Integers:
    """What gaps are counted in: tokens of the text, or words of the tree. One more than there are
    words, since a ghost may stand after the last."""
    if selection.gap_in == "words" and len(block):
        return np.append(block.tokens, block.tokens[-1] + 1)
    return np.arange(len(block) + 1)


def _is_near(places: Integers, one: Integers, other: Integers, selection: Selection) -> Truths:
    distance: Integers = np.abs(places[one] - places[other])
    near: Truths = distance > selection.min_gap
    if selection.max_gap is not None:
        near &= distance <= selection.max_gap + 1
    return near


def near_arcs(block: Block, selection: Selection) -> tuple[Arcs, dict[str, int]]:
    """Dependencies as `selection` asks for them, and how many reached each stage."""
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
        arcs = arcs.where(_is_projective(block, arcs))
    return arcs, {"arcs": n_arcs, "near": n_near, "kept": len(arcs.head)}


def _is_projective(block: Block, arcs: Arcs) -> Truths:
    """Whether all words between the ends of an arc descend from its head, or are the place of a
    ghost that does."""
    cue, target = np.minimum(*arcs[:2]), np.maximum(*arcs[:2])
    between = target > cue + 1
    heads = np.append(block.heads, 0)
    # the least and the greatest head of those between: reduceat takes pairs of bounds
    bounds = np.stack([cue + 1, target], axis=1)[between].reshape(-1)
    projective: Truths = ~between
    if len(bounds):
        projective[between] = (np.minimum.reduceat(heads, bounds)[::2] >= cue[between]) & (
            np.maximum.reduceat(heads, bounds)[::2] <= target[between]
        )
    merged = np.isin(block.sentence[arcs.head], list(block.merged))  # may hold loops
    doubtful = np.flatnonzero(~projective | merged)
    row, word = stretches(cue[doubtful] + 1, np.maximum(target - cue - 1, 0)[doubtful])
    head = arcs.head[doubtful][row]
    outside = np.flatnonzero(~block.above(word, lambda n, at: at == head[n]))
    ghosts = arcs_of(block)
    ghosts = ghosts.where(ghosts.ghost >= 0)
    place, ghost = same(ghosts.dependent, word[outside])
    below = block.above(ghosts.head[ghost], lambda n, at: at == head[outside[place[n]]])
    outside = np.delete(outside, place[below])
    projective[doubtful] = True
    projective[doubtful[row[outside]]] = False
    return projective


def path_pairs(block: Block, pattern: Pattern, selection: Selection) -> Arcs:
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
    block: Block, origin: Integers, at: Integers, step: Step, places: Integers, reach: int | None
) -> tuple[Integers, Integers]:
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
    row, place = stretches(start, np.searchsorted(order, at * size + high, "right") - start)
    return origin[row], kids[place]
