"""Function words whose shape hangs on a neighbour's sound: which rule a word follows, and which
neighbour, its *ear*, decides. A word with its rule and its ear is a *site*.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....data.items.features import parse_feats
from ....data.items.tree import Tree
from .language import ELSE, Alternation, ClosedWords, plain

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # they agree: what they hang on knows the feature
OPAQUE = re.compile(r"[,.;:!?…–—]|--")  # a sound does not reach over these; it does over quotes

AlternationRules: TypeAlias = Mapping[str, tuple[Alternation, ...]]
Unsettled: TypeAlias = Literal["unsettled"]
UNSETTLED: Unsettled = "unsettled"  # which rule a word follows is not told


@dataclass(frozen=True, slots=True)
class AlternationSite:
    """A word, the rule it follows, and the neighbour that decides."""

    node: int
    rule: Alternation
    ear: int  # the word whose beginning (or end, for a rule that looks behind) counts
    key: str  # the sound heard there now, as the rule sees it


@dataclass(frozen=True, slots=True)
class SoundClassifier:
    """The sounds of one language, form → class of its beginning and of its end; `loud` is a
    sentence in capitals, without abbreviations."""

    ahead: Callable[[str], str]
    behind: Callable[[str], str]
    loud: bool = False

    def key(self, rule: Alternation, form: str, upos: str, *, behind: bool) -> str:
        """The sound of a neighbour as a rule sees it: `ELSE` for one it does not look at."""
        if rule.before and upos not in rule.before:
            return ELSE
        if rule.next and rule.next.fullmatch(plain(form)) is None:
            return ELSE
        if behind:
            return self.behind(form)
        return self.ahead(form.lower() if self.loud else form)


def closes(rule: ClosedWords, tree: Tree, node: int, together: Sequence[bool]) -> bool:
    """Whether a rule of the language forbids to exchange a word."""
    if rule.upos and tree.upos[node] not in rule.upos:
        return False
    if rule.form and rule.form.fullmatch(plain(tree.forms[node])) is None:
        return False
    feats = parse_feats(tree.feats[node])
    if any(feats.get(name) != value for name, value in rule.feats):
        return False
    after = node + 1 if together[node] else -1
    if (rule.before or rule.next) and after < 0:
        return False
    if rule.before and tree.upos[after] not in rule.before:
        return False
    if rule.next and rule.next.fullmatch(plain(tree.forms[after])) is None:
        return False
    if rule.previous is None:
        return True
    joined = node > 0 and together[node - 1]
    return joined and rule.previous.fullmatch(plain(tree.forms[node - 1])) is not None


def rule_of(
    rules: AlternationRules, tree: Tree, node: int, form: str
) -> Alternation | Unsettled | None:
    """The rule for a word that looks like `form` at a place of the tree.

    A form can belong to several words (`l'` is `il` and `la`): the features decide, and where they
    do not tell, the rule is unsettled. With one word only the form itself tells.
    """
    upos = tree.upos[node]
    fitting = [rule for rule in rules.get(plain(form), ()) if not rule.upos or upos in rule.upos]
    if len(fitting) > 1:
        fits = {rule: _fit(rule, tree, node) for rule in fitting}
        sure = [rule for rule in fitting if fits[rule]]
        fitting = sure[:1] or [rule for rule in fitting if fits[rule] is None]
    if len(fitting) > 1:
        return UNSETTLED if any(rule.varies for rule in fitting) else None
    return fitting[0] if fitting and fitting[0].varies else None


def _fit(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Whether a word (or what it hangs on) has the features of a rule; `None` where that is not
    told."""
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
    """For each word the next and the previous one with a sound, −1 for none. Quotes, brackets and
    the like are passed over; a comma or a full stop ends what can be heard."""
    ahead, behind = [-1] * len(tree), [-1] * len(tree)
    last = -1
    for node, form in enumerate(tree.forms):
        behind[node] = last  # also for a mere apostrophe, which can be a word
        if any(map(str.isalnum, form)):
            if last >= 0:
                ahead[last] = node
            last = node
        elif OPAQUE.search(form):
            last = -1
    return tuple(ahead), tuple(behind)


def sites_of(
    rules: AlternationRules,
    ears: SoundClassifier,
    tree: Tree,
    heard: Sequence[str],
    stuck: Set[int],
    neighbour: Sequence[int],
    *,
    behind: bool = False,
) -> tuple[dict[int, AlternationSite], set[int]]:
    """Sites by their ear, and the ears of unsettled words and of those that are `stuck` in a token
    no rule makes. `heard`: for each word how it sounds in the text."""
    sites: dict[int, AlternationSite] = {}
    unsettled: set[int] = set()
    for node, form in enumerate(tree.forms) if rules else ():
        ear = neighbour[node]
        rule = rule_of(rules, tree, node, form) if ear >= 0 else None
        if rule == UNSETTLED or (rule is not None and node in stuck):
            unsettled.add(ear)
        elif isinstance(rule, Alternation):
            key = ears.key(rule, heard[ear], tree.upos[ear], behind=behind)
            sites[ear] = AlternationSite(node, rule, ear, key)
    return sites, unsettled
