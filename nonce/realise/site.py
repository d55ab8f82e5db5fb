"""Sites: function words of a sentence whose shape hangs on a neighbour's sound."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colorless_green.miner.features import parse_feats
from colorless_green.miner.tree import Tree
from colorless_green.nonce.realise.language import ELSE, Alternation, Language, plain
from colorless_green.nonce.realise.sound import Endings, Sounds

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # they agree: what they hang on knows the feature
OPAQUE = re.compile(r"[,.;:!?…–—]|--")  # a sound does not reach over these; it does over quotes

Rules: TypeAlias = Mapping[str, tuple[Alternation, ...]]
Unsettled: TypeAlias = Literal["unsettled"]
UNSETTLED: Unsettled = "unsettled"


@dataclass(frozen=True, slots=True)
class Site:
    """A word, the rule it follows, and the neighbour that decides."""

    node: int
    rule: Alternation
    ear: int  # the word whose beginning (or end, for a rule that looks behind) counts
    key: str  # the sound heard there now, as the rule sees it


@dataclass(frozen=True, slots=True)
class Ears:
    """The sounds of one language; `loud` is a sentence in capitals, without abbreviations."""

    ahead: Sounds
    behind: Endings
    loud: bool = False

    def key(self, rule: Alternation, form: str, upos: str, *, behind: bool) -> str:
        """The sound of a neighbour as a rule sees it: `ELSE` for one it does not look at."""
        if rule.before and upos not in rule.before:
            return ELSE
        if rule.next and rule.next.fullmatch(plain(form)) is None:
            return ELSE
        if behind:
            return self.behind[form]
        return self.ahead[form.lower() if self.loud else form]


def rule_of(rules: Rules, tree: Tree, node: int, form: str) -> Alternation | Unsettled | None:
    """The rule for a word that looks like `form` at a place of the tree.

    A form can belong to several words (`l'` is `il` and `la`): the features decide, and where they
    do not tell, the rule is unsettled. With one word only the form itself tells.
    """
    upos = tree.upos[node]
    found = [rule for rule in rules.get(plain(form), ()) if not rule.upos or upos in rule.upos]
    if len(found) > 1:
        fits = {rule: _fit(rule, tree, node) for rule in found}
        found = [rule for rule in found if fits[rule] is not False]
        sure = [rule for rule in found if fits[rule]]
        if sure:
            found = sure[:1]
    if len(found) > 1:
        return UNSETTLED if any(rule.varies for rule in found) else None
    return found[0] if found and found[0].varies else None


def _fit(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Whether a word has the features of a rule; `None` where that is not told."""
    told = [_agrees(tree, node, name, value) for name, value in rule.when]
    if False in told:
        return False
    return None if None in told else True


def _agrees(tree: Tree, node: int, name: str, value: str) -> bool | None:
    head = tree.heads[node]
    bearers = [node, head] if tree.upos[node] not in HEAD_FIRST else [head, node]
    for bearer in bearers:
        own = parse_feats(tree.feats[bearer]).get(name) if bearer >= 0 else None
        if own is not None:
            return value in own.split(",")
    return None


def neighbours(tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each word the next and the previous one with a sound, −1 for none. Quotes, brackets and
    the like are passed over; a comma or a full stop ends what can be heard."""
    n_words = len(tree)
    ahead, behind = [-1] * n_words, [-1] * n_words
    last = -1
    for node in range(n_words):
        form = tree.forms[node]
        behind[node] = last  # also for a mere apostrophe, which can be a word
        if any(map(str.isalnum, form)):
            if last >= 0:
                ahead[last] = node
            last = node
        elif OPAQUE.search(form):
            last = -1
    return tuple(ahead), tuple(behind)


def sites_of(
    language: Language, ears: Ears, tree: Tree, heard: Sequence[str], stuck: Set[int]
) -> tuple[dict[int, Site], dict[int, Site], frozenset[int]]:
    """Sites that look ahead and behind, each by its ear, and the ears of unsettled words and of
    those that are `stuck` in a token no rule makes. `heard`: for each word how it sounds in the
    text."""
    ahead, behind = neighbours(tree)
    found: list[dict[int, Site]] = []
    unsettled: set[int] = set()
    for rules, side, is_behind in ((language.ahead, ahead, False), (language.behind, behind, True)):
        sites: dict[int, Site] = {}
        for node, form in enumerate(tree.forms) if rules else ():
            ear = side[node]
            rule = rule_of(rules, tree, node, form) if ear >= 0 else None
            if rule is not None and (rule == UNSETTLED or node in stuck):
                unsettled.add(ear)
            elif isinstance(rule, Alternation):
                key = ears.key(rule, heard[ear], tree.upos[ear], behind=is_behind)
                sites[ear] = Site(node, rule, ear, key)
        found.append(sites)
    return found[0], found[1], frozenset(unsettled)
