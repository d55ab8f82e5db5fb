"""A sentence with one noun in another value of a feature, and all that agrees with it following.

*The key to the old cabinets that he opens is* → *The keys to the old cabinets that he opens are*.
What belongs together is found through the tree (`concord`); what cannot follow, or would be left
behind in bad company (*a keys*, *two key*, *between the man*), is a reason not to do it. The law
that holds it all: taking a change back gives the sentence it was made from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from colorless_green.miner.features import conflict, loosened, value_of
from colorless_green.miner.tree import Tree
from colorless_green.nonce.balance.company import determiner_of
from colorless_green.nonce.balance.concord import children_of
from colorless_green.nonce.balance.group import NOMINAL, Group, group_of
from colorless_green.nonce.balance.inflection import Inflected, Inflection, Word
from colorless_green.nonce.balance.obstacles import obstacles

Changes = Mapping[int, tuple[str, str]]
"""Word of the tree → (form, FEATS)"""


@dataclass(frozen=True, slots=True)
class Reinflected:
    """What changes: word of the tree → (form, FEATS), the noun itself included, in order."""

    changed: Changes


def reinflected(
    tree: Tree, node: int, feature: str, value: str, forms: Inflection, *, target: int = -1
) -> Reinflected | str:
    """The changes that give `node` the value, or why it cannot be done.

    `node` and `target` are 0-based words of the tree. The target is passed over: its two forms are
    the item's. Nothing changes where the node has the value already.
    """
    assert forms.feature == feature, "forms of another feature"
    old = value_of(tree.feats[node], feature)
    if old is None:
        return f"does not carry {feature}: {tree.forms[node]}"
    changes = _changes(tree, node, value, forms, target)
    if isinstance(changes, str):
        return changes
    back = _changes(with_changes(tree, changes), node, old, forms, target, tree.feats)
    if isinstance(back, str):
        return f"no way back: {back}"
    lost = next((i for i in sorted(changes) if not _comes_back(tree, i, back, feature)), None)
    if lost is not None:
        there, again = changes[lost][0], back[lost][0] if lost in back else changes[lost][0]
        return f"no way back: {tree.forms[lost]}, {there}, {again}"
    return Reinflected(changes)


def with_changes(tree: Tree, changes: Changes) -> Tree:
    """The tree with other forms and FEATS."""
    forms, feats = list(tree.forms), list(tree.feats)
    for index, (form, new) in changes.items():
        forms[index], feats[index] = form, new
    return replace(tree, forms=tuple(forms), feats=tuple(feats))


def _comes_back(tree: Tree, index: int, back: Changes, feature: str) -> bool:
    """Whether a word is again what it was; of determiners any form with the same FEATS will do
    (*l'* and *lo*, which their neighbour chooses)."""
    if index not in back:
        return False
    form, feats = back[index]
    if form == tree.forms[index]:
        return True
    same = loosened(feats, feature) == loosened(tree.feats[index], feature)
    return tree.upos[index] == "DET" and same and not conflict(feats, tree.feats[index])


def _changes(
    tree: Tree,
    node: int,
    value: str,
    forms: Inflection,
    target: int,
    known: Sequence[str] | None = None,
) -> dict[int, tuple[str, str]] | str:
    old = value_of(tree.feats[node], forms.feature)
    if old == value:
        return {}
    group = group_of(tree, node, forms, target)
    if group.clash:
        return f"does not agree: {group.clash}"
    reason = next(obstacles(tree, group, node, value, forms, target), "")
    return reason or _inflected(tree, group, node, value, forms, target, known)


def _inflected(
    tree: Tree,
    group: Group,
    node: int,
    value: str,
    forms: Inflection,
    target: int,
    known: Sequence[str] | None,
) -> dict[int, tuple[str, str]] | str:
    """The members' other forms: nouns first, then determiners, then what looks at both. `known`:
    FEATS of each word from which Gender and Animacy are taken where it tells none; else those of
    its controller."""
    children = children_of(tree)
    new: dict[int, tuple[str, str]] = {}
    for index in _controllers_first(tree, group, node):
        if index == target:
            continue
        word = Word(tree.forms[index], tree.lemmas[index], tree.upos[index], tree.feats[index])
        controller = group.controllers.get(index, index)
        feats = new[controller][1] if controller in new else tree.feats[controller]
        feats = known[index] if known is not None else feats
        determiner = determiner_of(tree, children[controller])
        told = "" if determiner < 0 else new.get(determiner, (tree.forms[determiner],))[0].lower()
        found: Inflected | str
        if index == node or tree.upos[index] in NOMINAL:
            found = forms.distinct(word, value, feats)
        else:
            found = forms.companion(word, value, feats, told)
        if isinstance(found, str):
            return found
        new[index] = (found.form, found.feats)
    return dict(sorted(new.items()))


def _controllers_first(tree: Tree, group: Group, node: int) -> list[int]:
    """The members, each after what it agrees with, determiners before what looks at them."""

    def depth(index: int) -> int:
        seen = {index}
        while index in group.controllers and group.controllers[index] not in seen:
            index = group.controllers[index]
            seen.add(index)
        return len(seen)

    return sorted(
        group.members, key=lambda i: (i != node, depth(i), tree.upos[i] not in ("DET", "PRON"), i)
    )
