"""The rule that made the published sets: the released scripts, not the paper's words.

Gulordava et al. 2018 with `extract_dependency_patterns.py` and `generate_nonsense.py` of their
repository. The test of agreement is determinism of the cue's value given the target's, single
exceptions are forgiven, six instances of each value are enough.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.features import Values, letter_class
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.rule import End, Found, Instance, Replacement, Rule
from colorless_green.miner.surface import Arc, Ghost, Surface, arcs_of

MIN_DISTANCE, MAX_DISTANCE = 4, 14  # 3 to 13 tokens between (scripts: 3 < |head − dependent| < 15)
FORGIVEN = 1  # cells of the table with so few instances are deleted
MORE_THAN = 5  # each value needs more instances than this
MAX_ENTROPY = 0.001  # nats
MIN_SHARE = 0.0001  # rarer cells add nothing to the entropy


def instances(surface: Surface, values: Values) -> Found:
    """Arcs with 3 to 13 tokens between, all of them descendants of the head."""
    heads, upos = surface.heads, surface.upos
    own = [values[feats] for feats in surface.feats]
    has_loop = surface.arcs is not None and _has_loop(heads)
    found: list[Instance] = []
    n_arcs = n_near = n_kept = 0
    for dependent, head, ghost in arcs_of(surface):
        n_arcs += 1
        cue, target = (dependent, head) if dependent < head else (head, dependent)
        if not MIN_DISTANCE <= target - cue <= MAX_DISTANCE:
            continue
        n_near += 1
        between = heads[cue + 1 : target]
        inside = ghost < 0 and not has_loop and min(between) >= cue and max(between) <= target
        if not inside and not _all_below(surface, range(cue + 1, target), head):
            continue
        n_kept += 1
        if ghost < 0:
            cue_value, target_value = own[cue], own[target]
            cue_upos, target_upos = upos[cue], upos[target]
        else:
            word = surface.ghosts[ghost]
            at_cue = dependent < head
            cue_value = values[word.feats] if at_cue else own[cue]
            target_value = own[target] if at_cue else values[word.feats]
            cue_upos = word.upos if at_cue else upos[cue]
            target_upos = upos[target] if at_cue else word.upos
        if cue_value is None or target_value is None:
            continue
        context = [
            upos[index]
            for index, above in enumerate(between, start=cue + 1)
            if above in (cue, target)
        ]
        direction = "L" if dependent < head else "R"
        key = f"{direction}__{'_'.join([cue_upos, *context, target_upos])}"
        found.append(Instance(key, cue_value, target_value, Arc(dependent, head, ghost)))
    return Found(found, n_arcs, n_near, n_kept)


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


def decide(feature: str, tables: Mapping[str, Table]) -> list[Construction]:
    """One verdict for each pair of cue values that is left after forgiving, `L` keys first."""
    ordered = sorted(tables, key=lambda key: not key.startswith("L"))  # sorting is stable
    return [verdict for key in ordered for verdict in _verdicts(feature, key, tables[key])]


def _verdicts(feature: str, key: str, table: Table) -> Iterator[Construction]:
    kept = {cell: n for cell, n in table.items() if n > FORGIVEN}
    cues = sorted({cue for cue, _ in kept})
    if len(cues) < 2:
        seen = tuple(sorted({cue for cue, _ in table}))
        yield Construction(key, feature, seen, table, False, _too_few_values(cues))
        return
    for pair in combinations(cues, 2):
        reason = "; ".join(_objections(kept, pair))
        yield Construction(key, feature, pair, table, not reason, reason)


def _too_few_values(cues: list[str]) -> str:
    if not cues:
        return "no pair of values more than once"
    return f"one value of the cue only ({cues[0]}) once single cases are forgiven"


def _objections(kept: Table, pair: tuple[str, str]) -> Iterator[str]:
    for value in pair:
        n_value = sum(n for (cue, _), n in kept.items() if cue == value)
        if n_value <= MORE_THAN:
            yield f"{n_value} with {value}, needs {MORE_THAN + 1}"
    entropy = conditional_entropy(kept, pair)
    if entropy >= MAX_ENTROPY:
        n_wrong = sum(n for (cue, target), n in kept.items() if cue in pair and cue != target)
        yield f"{n_wrong} do not agree (H = {entropy:.3f} nat)"


def conditional_entropy(table: Table, pair: tuple[str, str]) -> float:
    """H(cue value | target value) in nats over two rows of the table, as the scripts compute it:
    a target value that occurs with both cue values is entered as two identical columns."""
    columns = [target for value in pair for cue, target in table if cue == value]
    total = sum(table.get((cue, target), 0) for target in columns for cue in pair)
    entropy = 0.0
    for target in columns:
        column = sum(table.get((cue, target), 0) for cue in pair)
        for cue in pair:
            n = table.get((cue, target), 0)
            if n / column > MIN_SHARE:
                entropy -= n / total * math.log(n / column)
    return entropy


def unfit(cue: End, target: End) -> str:
    """Arcs with punctuation at an end are counted, but give no originals."""
    return "cue or target is punctuation" if "PUNCT" in (cue.upos, target.upos) else ""


def partner(
    paradigms: Paradigms, vocabulary: frozenset[str], target: End, feature: str, value: str
) -> tuple[str, str]:
    """The most frequent form of the target's lemma with the other value, if it is known and begins
    with the same class of letter. It may be the target's own form (the caller flags it)."""
    forms = paradigms.partners(target.lemma, target.upos, target.feats, feature, value)
    if not forms:
        return "", f"no paradigm: {target.lemma} with {feature}={value}"
    if forms[0] not in vocabulary:
        return "", f"the other form is out of vocabulary: {forms[0]}"
    if letter_class(forms[0]) != letter_class(target.form):
        return "", f"capital or vowel mismatch: {target.form}, {forms[0]}"
    return forms[0], ""


RULE = Rule(
    name="released",
    near="3 to 13 tokens between",
    kept="projective",
    ghosts=True,
    letters_only=True,
    instances=instances,
    decide=decide,
    unfit=unfit,
    partner=partner,
    replacement=Replacement(
        other_pos_share=0.0, min_count=2, letters_only=True, same_class=True, pure_lemma=True
    ),
)
