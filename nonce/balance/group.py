"""The words of a sentence that have one value together."""

from collections.abc import Mapping
from dataclasses import dataclass

from colorless_green.miner.features import value_of
from colorless_green.miner.tree import Tree
from colorless_green.nonce.balance.concord import Kind, links
from colorless_green.nonce.balance.inflection import Inflection

NOMINAL = frozenset({"NOUN", "PROPN"})


@dataclass(frozen=True, slots=True)
class Group:
    """The words that have one value together, in order, and what holds them."""

    members: tuple[int, ...]
    controllers: Mapping[int, int]  # agreeing word → the noun (or other word) it agrees with
    loose: tuple[tuple[int, int, Kind], ...]  # pairs that often, but not always, have one value
    idle: frozenset[int]  # words that stand where others agree, but they do not
    untold: frozenset[int]  # words that agree with one that does not carry the feature
    clash: str  # a member and a word that ought to agree with it and does not; or nothing


def group_of(tree: Tree, node: int, forms: Inflection, target: int = -1) -> Group:
    """All that has the value of `node` because of it, through any number of links."""
    bonds: dict[int, list[int]] = {}
    clashes: dict[int, int] = {}
    controllers: dict[int, int] = {}
    loose: list[tuple[int, int, Kind]] = []
    idle: set[int] = set()
    untold: set[int] = set()
    for controller, agreeing, kind in links(tree):
        ours = value_of(tree.feats[controller], forms.feature)
        theirs = value_of(tree.feats[agreeing], forms.feature)
        if ours is None and theirs is not None and controller != target:
            untold.add(agreeing)
        if ours is None or theirs is None:
            continue
        if forms.concord.is_idle(kind):
            idle.add(agreeing)
        elif not forms.concord.binds(kind):
            loose.append((controller, agreeing, kind))
        elif ours == theirs or target in (controller, agreeing):
            bonds.setdefault(controller, []).append(agreeing)
            bonds.setdefault(agreeing, []).append(controller)
            controllers.setdefault(agreeing, controller)
        elif kind[0] != "gap":  # a clause about an object: its subject is not said
            clashes[controller], clashes[agreeing] = agreeing, controller
    value = value_of(tree.feats[node], forms.feature)
    found = {node}
    waiting = [node]
    while waiting:
        for each in bonds.get(waiting.pop(), ()):
            fits = each == target or value_of(tree.feats[each], forms.feature) == value
            if fits and each not in found:
                found.add(each)
                waiting.append(each)
    members = tuple(sorted(found))
    clash = next(
        (f"{tree.forms[i]}, {tree.forms[clashes[i]]}" for i in members if i in clashes), ""
    )
    return Group(members, controllers, tuple(loose), frozenset(idle), frozenset(untold), clash)
