"""Function words whose shape depends on a neighbour's sound: which rule a word follows, and which
neighbour, its *trigger*, decides. A word with its rule and its trigger is an `AlternatingWord`.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....data.items.features import parse_feats
from ....data.items.tree import Tree
from .language import ELSE, Alternation, ClosedWords, plain

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # they agree: what they depend on knows the feature
OPAQUE = re.compile(r"[,.;:!?…–—]|--")  # a sound does not reach over these; it does over quotes

AlternationRules: TypeAlias = Mapping[str, tuple[Alternation, ...]]
Undecided: TypeAlias = Literal["undecided"]
UNDECIDED: Undecided = "undecided"  # which rule a word follows is not told


@dataclass(frozen=True, slots=True)
class AlternatingWord:
    """A word, the rule it follows, and the neighbour that decides."""

    node: int
    rule: Alternation
    trigger: int  # the word whose beginning (or end, for a rule that looks behind) counts
    key: str  # the sound heard there now, as the rule sees it


@dataclass(frozen=True, slots=True)
class SoundClassifier:
    """The sounds of one language, form → class of its beginning and of its end; `loud` is a
    sentence in capitals, without abbreviations."""

    onset: Callable[[str], str]
    ending: Callable[[str], str]
    loud: bool = False

    def key(self, rule: Alternation, form: str, upos: str, *, backward: bool) -> str:
        """Return the sound of a neighbour as a rule sees it: `ELSE` for one it does not look at."""
        if rule.before and upos not in rule.before:
            return ELSE
        if rule.next and rule.next.fullmatch(plain(form)) is None:
            return ELSE
        if backward:
            return self.ending(form)
        return self.onset(form.lower() if self.loud else form)


def closes(rule: ClosedWords, tree: Tree, node: int, together: Sequence[bool]) -> bool:
    """Return whether a rule of the language forbids to exchange a word."""
    if rule.upos and tree.upos[node] not in rule.upos:
        return False
    if rule.form and rule.form.fullmatch(plain(tree.forms[node])) is None:
        return False
    feats = parse_feats(tree.feats[node])
    if any(feats.get(name) != value for name, value in rule.feats):
        return False
    next_node = node + 1 if together[node] else -1
    if (rule.before or rule.next) and next_node < 0:
        return False
    if rule.before and tree.upos[next_node] not in rule.before:
        return False
    if rule.next and rule.next.fullmatch(plain(tree.forms[next_node])) is None:
        return False
    if rule.previous is None:
        return True
    joined = node > 0 and together[node - 1]
    return joined and rule.previous.fullmatch(plain(tree.forms[node - 1])) is not None


def rule_of(
    rules: AlternationRules, tree: Tree, node: int, form: str
) -> Alternation | Undecided | None:
    """Return the rule for a word that looks like `form` at a node of the tree.

    A form can belong to several words (`l'` is `il` and `la`): the features decide, and where they
    do not decide, the rule is undecided. With one word only the form itself tells.
    """
    upos = tree.upos[node]
    fitting = [rule for rule in rules.get(plain(form), ()) if not rule.upos or upos in rule.upos]
    if len(fitting) > 1:
        fits = {rule: _fit(rule, tree, node) for rule in fitting}
        sure = [rule for rule in fitting if fits[rule]]
        fitting = sure[:1] or [rule for rule in fitting if fits[rule] is None]
    if len(fitting) > 1:
        return UNDECIDED if any(rule.varies for rule in fitting) else None
    return fitting[0] if fitting and fitting[0].varies else None


def _fit(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Return whether a word (or its head) has the features of a rule; `None` where that is not
    known."""
    bearers = [node, tree.heads[node]]
    if tree.upos[node] in HEAD_FIRST:
        bearers.reverse()
    feats = [parse_feats(tree.feats[bearer]) for bearer in bearers if bearer >= 0]
    fits: bool | None = True
    for name, value in rule.when:
        values = next((entry[name] for entry in feats if name in entry), None)
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


def by_trigger(
    rules: AlternationRules,
    classes: SoundClassifier,
    tree: Tree,
    surface: Sequence[str],
    fixed: Set[int],
    neighbour: Sequence[int],
    *,
    backward: bool = False,
) -> tuple[dict[int, AlternatingWord], set[int]]:
    """Return alternating words by their trigger, and the triggers of undecided words and of those
    `fixed` in a token no rule makes. `surface`: for each word how it sounds in the text."""
    words: dict[int, AlternatingWord] = {}
    undecided: set[int] = set()
    for node, form in enumerate(tree.forms) if rules else ():
        trigger = neighbour[node]
        rule = rule_of(rules, tree, node, form) if trigger >= 0 else None
        if rule == UNDECIDED or (rule is not None and node in fixed):
            undecided.add(trigger)
        elif isinstance(rule, Alternation):
            key = classes.key(rule, surface[trigger], tree.upos[trigger], backward=backward)
            words[trigger] = AlternatingWord(node, rule, trigger, key)
    return words, undecided
