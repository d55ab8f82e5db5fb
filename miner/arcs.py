"""Instances among the dependencies of a sentence: the paper's candidates, and their kin."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from colorless_green.miner.features import Values
from colorless_green.miner.patterns.pattern import matches
from colorless_green.miner.selection import Selection
from colorless_green.miner.surface import Arc, Ghost, Surface, arcs_of


class Instance(NamedTuple):
    """Two words that both carry the feature, with the construction they count for."""

    key: str
    cue_value: str
    target_value: str
    arc: Arc
    cue_feature: str
    target_feature: str
    pattern: str = ""  # the path that found it; empty for a dependency

    @property
    def feature(self) -> str:
        """The feature it counts for: `Number`, or `Number~Number[abs]` where the controller and
        the agreeing word carry it under two names."""
        if self.cue_feature == self.target_feature:
            return self.cue_feature
        ours, theirs = self.cue_feature, self.target_feature
        first = self.arc.dependent < self.arc.head
        return f"{ours}~{theirs}" if first else f"{theirs}~{ours}"


@dataclass(slots=True)
class Found:
    """What one sentence gives: its instances, and how many arcs reached each stage."""

    instances: Sequence[Instance] = ()
    n_arcs: int = 0  # all but the root's
    n_near: int = 0  # of these, as far apart as is asked
    n_kept: int = 0  # of these, fit otherwise (projective, no punctuation …)
    left_out: Sequence[str] = ()  # for each instance left out, the filter's name


def find(surface: Surface, values: Values, selection: Selection) -> Found:
    """Dependencies both ends of which carry the feature, as `selection` asks for them."""
    found = Found()
    heads = surface.heads
    own = [values[feats] for feats in surface.feats]
    loops = surface.arcs is not None and _has_loop(heads)
    instances: list[Instance] = []
    punctuation, relations, projective = (
        selection.punctuation,
        selection.relations,
        selection.projective,
    )
    n_kept = 0
    for dependent, head, ghost in _near(surface, selection, found):
        cue, target = (dependent, head) if dependent < head else (head, dependent)
        word = surface.ghosts[ghost] if ghost >= 0 else None  # may stand after the last token
        if not punctuation and "PUNCT" in _ends(surface, dependent, head, word):
            continue
        if relations and not matches(_relation(surface, dependent, ghost), relations):
            continue
        if projective:
            between = heads[cue + 1 : target]
            inside = not between or (min(between) >= cue and max(between) <= target)
            if (not inside or ghost >= 0 or loops) and not _all_below(
                surface, range(cue + 1, target), head
            ):
                continue
        n_kept += 1
        ours = own[dependent] if word is None else values[word.feats]
        theirs = own[head]
        cue_value, target_value = (ours, theirs) if dependent < head else (theirs, ours)
        if cue_value is None or target_value is None:
            continue
        key = _key(surface, dependent, head, word, selection)
        instances.append(
            Instance(
                key,
                cue_value,
                target_value,
                Arc(dependent, head, ghost),
                values.feature,
                values.feature,
            )
        )
    found.instances, found.n_kept = instances, n_kept
    return found


def _near(surface: Surface, selection: Selection, found: Found) -> Iterable[tuple[int, int, int]]:
    """Arcs with the gap that is asked, in the direction that is asked, counted in `found`."""
    low = selection.min_gap + 1
    high = len(surface) if selection.max_gap is None else selection.max_gap + 1
    heads = surface.heads
    if surface.arcs is None and (surface.tokens is None or selection.gap_in == "tokens"):
        # by far the most sentences: no list of all arcs is made for them
        found.n_arcs = len(heads) - heads.count(-1)
        near = [
            (index, head, -1)
            for index, head in enumerate(heads)
            if head >= 0 and (low <= head - index <= high or low <= index - head <= high)
        ]
    else:
        arcs = arcs_of(surface)
        places = surface.tokens or range(len(surface) + 1)  # a ghost may stand after the last
        found.n_arcs = len(arcs)
        near = [arc for arc in arcs if low <= abs(places[arc[1]] - places[arc[0]]) <= high]
    if selection.direction:
        first = selection.direction == "L"
        near = [arc for arc in near if (arc[0] < arc[1]) is first]
    found.n_near = len(near)
    return near


def _ends(surface: Surface, dependent: int, head: int, ghost: Ghost | None) -> tuple[str, str]:
    """The POS of cue and target."""
    ours = surface.upos[dependent] if ghost is None else ghost.upos
    return (ours, surface.upos[head]) if dependent < head else (surface.upos[head], ours)


def _relation(surface: Surface, dependent: int, ghost: int) -> str:
    return surface.ghosts[ghost].deprel if ghost >= 0 else surface.deprels[dependent]


def _key(
    surface: Surface, dependent: int, head: int, ghost: Ghost | None, selection: Selection
) -> str:
    """Direction, POS, context and relation, as far as the construction's name tells them."""
    cue, target = (dependent, head) if dependent < head else (head, dependent)
    ends = _ends(surface, dependent, head, ghost)
    direction = ("L" if dependent < head else "R") if selection.directed else "X"
    if selection.by == "pos":
        return key_of(direction, ends, _context(surface, cue, target, selection))
    relation = ghost.deprel if ghost is not None else surface.deprels[dependent]
    context = _context(surface, cue, target, selection) if selection.by == "deprel" else None
    return key_of(direction, ends, context, relation)


def key_of(
    direction: str, ends: Sequence[str], context: Iterable[str] | None, relation: str = ""
) -> str:
    """A construction's name: `L__NOUN_VERB_VERB` by POS, `L__NOUN_VERB_VERB__nsubj` with the
    relation, `L__NOUN__VERB__nsubj` with any context (`None`)."""
    cue, target = ends
    words = f"{cue}__{target}" if context is None else "_".join((cue, *context, target))
    return f"{direction}__{words}__{relation}" if relation else f"{direction}__{words}"


def _context(surface: Surface, cue: int, target: int, selection: Selection) -> Iterator[str]:
    """POS of the top-level words between cue and target."""
    heads, upos = surface.heads, surface.upos
    if selection.context == "ends":
        return (upos[i] for i in range(cue + 1, target) if heads[i] == cue or heads[i] == target)
    return (upos[i] for i in range(cue + 1, target) if not cue < heads[i] < target or heads[i] == i)


def _has_loop(heads: tuple[int, ...]) -> bool:
    """Whether some token never reaches the root. Merging can tie a token to itself, or to a
    dependent of its other word (a → x → b, where a and b become one token)."""
    up = [*heads, -1]
    for _ in range(len(heads).bit_length()):
        up = [up[index] for index in up]
    return up.count(-1) <= len(heads)


def _all_below(surface: Surface, positions: range, head: int) -> bool:
    """Whether every position is a descendant of `head`, or the place of a ghost that is one."""
    return all(
        _is_below(surface, position, head)
        or any(
            ghost.position == position and _is_below(surface, above, head, itself=True)
            for ghost, above in _ghost_heads(surface)
        )
        for position in positions
    )


def _ghost_heads(surface: Surface) -> Iterator[tuple[Ghost, int]]:
    for arc in surface.arcs or ():
        if arc.ghost >= 0:
            yield surface.ghosts[arc.ghost], arc.head


def _is_below(surface: Surface, position: int, head: int, *, itself: bool = False) -> bool:
    """Whether climbing from `position` meets `head`; a token that is its own head ends it."""
    if itself and position == head:
        return True
    for _ in range(len(surface)):
        above = surface.heads[position]
        if above == head:
            return above != position or itself
        if above < 0 or above == position:
            return False
        position = above
    return False
