"""Function words whose shape depends on a neighbour's sound: which rule a word follows, and which
neighbour, its *trigger*, decides. A word with its rule and its trigger is an `AlternatingWord`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ....data.items.features import value_of
from ....data.items.tree import Tree
from .language import Alternation, ClosedWords, plain

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # they agree: what they depend on knows the feature
OPAQUE = re.compile(r"[,.;:!?…–—]|--")  # a sound does not reach over these; it does over quotes

AlternationRules: TypeAlias = Mapping[str, Sequence[Alternation]]


class AlternatingWord(NamedTuple):
    """A word, the rule it follows, and the neighbour that decides."""

    node: int
    rule: Alternation
    trigger: int  # the word whose beginning (or end, for a rule that looks behind) counts
    key: str  # the sound heard there now, as the rule sees it


def closes(rule: ClosedWords, tree: Tree, node: int, together: Sequence[bool]) -> bool:
    """Return whether a rule of the language forbids to exchange a word; `together`: for each word
    whether the next one is written to it."""
    next_node = node + 1 if together[node] else -1
    previous = node - 1 if node and together[node - 1] else -1

    def looks(pattern: re.Pattern[str] | None, index: int) -> bool:
        form = plain(tree.forms[index]) if index >= 0 else None
        return pattern is None or (form is not None and pattern.fullmatch(form) is not None)

    return (
        (not rule.upos or tree.upos[node] in rule.upos)
        and all(value_of(tree.feats[node], name) == value for name, value in rule.feats)
        and (not rule.before or (next_node >= 0 and tree.upos[next_node] in rule.before))
        and looks(rule.form, node)
        and looks(rule.next, next_node)
        and looks(rule.previous, previous)
    )


def rules_of(rules: AlternationRules, tree: Tree, node: int, form: str) -> Sequence[Alternation]:
    """Return the rule for a word that looks like `form` at a node of the tree; several, where it is
    not told which, and none where it does not change.

    A form can belong to several words (`l'` is `il` and `la`): the features decide. With one word
    only the form itself tells.
    """
    upos = tree.upos[node]
    fitting = [rule for rule in rules.get(plain(form), ()) if not rule.upos or upos in rule.upos]
    if len(fitting) > 1:
        fits = [(rule, _fits(rule, tree, node)) for rule in fitting]
        sure = [rule for rule, fit in fits if fit]
        fitting = sure[:1] or [rule for rule, fit in fits if fit is None]
    return fitting if any(len(rule.shapes) > 1 for rule in fitting) else ()


def _fits(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Return whether a word (or its head) has the features of a rule; `None` where that is not
    known."""
    bearers = [node, tree.heads[node]]
    if tree.upos[node] in HEAD_FIRST:
        bearers.reverse()
    fits: bool | None = True
    for name, value in rule.when:
        found = (value_of(tree.feats[bearer], name) for bearer in bearers if bearer >= 0)
        values = next(filter(None, found), None)
        if values is None:
            fits = None
        elif value not in values.split(","):
            return False
    return fits


def neighbours(tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return for each word the next and the previous one with a sound, −1 for none. Quotes,
    brackets and the like are passed over; a comma or a full stop ends what can be heard."""
    following, preceding = [-1] * len(tree), [-1] * len(tree)
    last_sounding = -1
    for node, form in enumerate(tree.forms):
        preceding[node] = last_sounding  # also for a mere apostrophe, which can be a word
        if any(map(str.isalnum, form)):
            if last_sounding >= 0:
                following[last_sounding] = node
            last_sounding = node
        elif OPAQUE.search(form):
            last_sounding = -1
    return tuple(following), tuple(preceding)
