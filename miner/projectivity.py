"""Whether all words between the ends of an arc hang on its head, also where tokens were merged."""

from collections.abc import Iterable, Sequence

import numpy as np

from colorless_green.miner.columns import Arcs, Block, Bools
from colorless_green.miner.surface import Surface


def is_projective(block: Block, arcs: Arcs) -> Bools:
    """Whether all words between the ends of an arc descend from its head."""
    dependent, head = arcs.dependent, arcs.head
    cue, target = np.minimum(dependent, head), np.maximum(dependent, head)
    between = target > cue + 1
    heads = np.append(block.heads, 0)
    # the least and the greatest head of those between: reduceat takes pairs of bounds
    bounds = np.stack([cue + 1, target], axis=1)[between].reshape(-1)
    inside = ~between
    if len(bounds):
        inside[between] = (np.minimum.reduceat(heads, bounds)[::2] >= cue[between]) & (
            np.maximum.reduceat(heads, bounds)[::2] <= target[between]
        )
    loops = np.zeros(len(block.lengths), bool)
    for number, surface in block.merged.items():
        loops[number] = _has_loop(surface.heads)
    doubtful = ~inside | (arcs.ghost >= 0) | loops[block.sentence[head]]
    for row in np.flatnonzero(doubtful):
        number = int(block.sentence[head[row]])
        start = int(block.starts[number])
        positions = range(int(cue[row]) - start + 1, int(target[row]) - start)
        merged = block.merged.get(number)
        heads_here = merged.heads if merged else _local(block, number)
        ghosts = [] if merged is None else _ghosts(merged)
        inside[row] = _all_below(heads_here, ghosts, positions, int(head[row]) - start)
    return inside


def _has_loop(heads: Sequence[int]) -> bool:
    """Whether some token never reaches the root. Merging can tie a token to itself, or to a
    dependent of its other word (a → x → b, where a and b become one token)."""
    up = [*heads, -1]
    for _ in range(len(heads).bit_length()):
        up = [up[index] for index in up]
    return up.count(-1) <= len(heads)


def _local(block: Block, number: int) -> tuple[int, ...]:
    """The heads of a sentence, counted from its first word."""
    start, end = block.starts[number], block.starts[number + 1]
    return tuple(np.maximum(block.heads[start:end] - start, -1).tolist())


def _ghosts(surface: Surface) -> list[tuple[int, int]]:
    """(place, head) of every ghost."""
    arcs = surface.arcs or ()
    return [(surface.ghosts[arc.ghost].position, arc.head) for arc in arcs if arc.ghost >= 0]


def _all_below(
    heads: Sequence[int], ghosts: Iterable[tuple[int, int]], positions: range, head: int
) -> bool:
    """Whether every position is a descendant of `head`, or the place of a ghost that is one."""
    return all(
        _is_below(heads, position, head)
        or any(
            place == position and _is_below(heads, above, head, itself=True)
            for place, above in ghosts
        )
        for position in positions
    )


def _is_below(heads: Sequence[int], position: int, head: int, *, itself: bool = False) -> bool:
    """Whether climbing from `position` meets `head`; a token that is its own head ends it."""
    if itself and position == head:
        return True
    for _ in range(len(heads)):
        above = heads[position]
        if above == head:
            return above != position or itself
        if above < 0 or above == position:
            return False
        position = above
    return False
