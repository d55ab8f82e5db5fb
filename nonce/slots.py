"""Original + lexicon + levels → what may stand where in its variants.

Every content word of the tree is a slot, words inside multiword tokens included where the token can
be rebuilt. `morphology` is the rule's own conditions; each further level narrows what the one
before it left, so an original climbs as high as its words allow.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from colorless_green.miner.tree import Tree
from colorless_green.nonce.item import Agreement, Item
from colorless_green.nonce.levels import MORPHOLOGY
from colorless_green.nonce.levels.level import Donors, Level, Matcher, Pairs, Place
from colorless_green.nonce.lexicon import Donor, TargetPair
from colorless_green.nonce.matching import Matching
from colorless_green.nonce.pseudo.coin import Pseudo
from colorless_green.nonce.realise.plan import Plan

CONTENT_UPOS = frozenset({"ADJ", "NOUN", "VERB", "PROPN", "NUM", "ADV"})


@dataclass(frozen=True, slots=True)
class Frame:
    """An original as its variants are made from it: its words, and how they become text."""

    item: Item
    agreement: Agreement
    tree: Tree
    cue: int  # words of the tree
    target: int
    plan: Plan

    @property
    def target_is_token(self) -> bool:
        """Whether the target is a whole multiword token, as rules that merge them have it."""
        agreement, tokens = self.agreement, self.tree.tokens
        alone = tokens.count(tokens[self.target]) == 1
        return not alone and not agreement.before and not agreement.after

    def place(self, node: int) -> Place:
        """A word as levels look at it."""
        tree, wrong = self.tree, ""
        form = tree.forms[node]
        if node == self.target:
            form = inside(self.agreement, self.agreement.right)
            wrong = inside(self.agreement, self.agreement.wrong)
        return Place(tree, node, form, tree.lemmas[node], tree.upos[node], tree.feats[node], wrong)


@dataclass(frozen=True, slots=True)
class Slots:
    """What may stand where at one level."""

    level: str
    pools: Mapping[int, Donors]  # word of the tree → candidates, at least one
    pairs: Pairs  # of the target; none: the original's own stays
    stays: Mapping[int, str]  # content words that are not replaced, and why
    width: int = 0  # the widest window that was needed
    matchers: tuple[Matcher, ...] = ()
    unrestrained: bool = False  # whether words are replaced that the levels above leave alone


def frame_of(item: Item, matching: Matching) -> Frame | str:
    """An original ready to be varied, or why it cannot be. Under a rule that asks for the class of
    the first letter, words have the capitals of their places without being given them."""
    agreement = item.agreement
    if agreement is None or not agreement.upos:
        return "its words carry no annotation"
    if agreement.right == agreement.wrong:
        return "its two forms are equal"
    tree, cue, target = agreement.tree, agreement.cue_node, agreement.target_node
    if tree is None:
        tree, cue, target = _flat(agreement), agreement.cue_index, agreement.target_index
    plan = matching.realiser.plan(tree, agreement.tokens, agreement.spaces)
    if matching.lexicon.conditions.same_class:
        plan = replace(plan, capitals={})
    return Frame(item, agreement, tree, cue, target, plan)


def _flat(agreement: Agreement) -> Tree:
    """Surface tokens as words of a tree of which nothing is known."""
    n = len(agreement.tokens)
    feats = list(agreement.feats)
    feats[agreement.target_index] = agreement.target_feats
    upos = list(agreement.upos)
    upos[agreement.target_index] = agreement.target_upos
    lemmas = [""] * n
    lemmas[agreement.target_index] = agreement.lemma
    return Tree(
        agreement.tokens,
        tuple(lemmas),
        tuple(upos),
        tuple(feats),
        (-1,) * n,
        ("_",) * n,
        tuple(range(n)),
    )


def inside(agreement: Agreement, token: str) -> str:
    """The word that agrees, of a target that is a multiword token."""
    return token[len(agreement.before) : len(token) - len(agreement.after)]


@dataclass(frozen=True, slots=True)
class Climb:
    """The levels that can serve an original, from `morphology` on, and why no more can."""

    reached: tuple[Slots, ...]
    reason: str  # why the next level cannot; empty where all can


def climb(frame: Frame, matching: Matching, n_wanted: int) -> Climb:
    """The slots of an original at each level that can serve it; `n_wanted`: candidates that a level
    with a window tries to have for each slot."""
    slots = _widest(frame, matching)
    if not slots.pools and not slots.pairs:
        return Climb((), "no word of it has a replacement")
    reached = [slots]
    for level, matcher in matching.levels:
        narrowed = _narrowed(frame, slots, level, matcher, matching.keep_tail, n_wanted)
        reason = _unserved(frame, narrowed)
        if reason:
            return Climb(tuple(reached), reason)
        slots = narrowed
        reached.append(slots)
    return Climb(tuple(reached), "")


def _widest(frame: Frame, matching: Matching) -> Slots:
    """What the rule's own conditions admit."""
    lexicon = matching.lexicon
    pools: dict[int, Donors] = {}
    stays: dict[int, str] = {}
    tree = frame.tree
    for node in _content(frame, matching.keep_tail or False):
        if not frame.plan.open(node):
            stays[node] = "part of a token that cannot be rebuilt"
            continue
        form = tree.forms[node]
        pool = lexicon.donors(form, tree.upos[node], tree.feats[node])
        if not lexicon.conditions.same_class and frame.plan.is_fixed(node):
            pool = tuple([each for each in pool if frame.plan.admits(node, each.form)])
        if matching.pseudo is not None:
            upos = tree.upos[node]
            pool = tuple([each for each in pool if matching.coinable(each.lemma, upos, each.form)])
        if pool:
            pools[node] = pool
        else:
            stays[node] = "no candidate"
    return Slots(MORPHOLOGY, pools, _pairs(frame, matching), stays)


def _content(frame: Frame, keep_tail: bool) -> Iterator[int]:
    """Words that might be replaced, the target left out."""
    tree, target = frame.tree, frame.target
    token = tree.tokens[target] if frame.target_is_token else -1
    for node in range(target if keep_tail else len(tree)):
        if node != target and tree.tokens[node] != token and tree.upos[node] in CONTENT_UPOS:
            yield node


def _pairs(frame: Frame, matching: Matching) -> Pairs:
    """Pairs of target forms that the rule's conditions admit; of one sound where a word before the
    target takes its shape from it."""
    agreement, lexicon = frame.agreement, matching.lexicon
    form = inside(agreement, agreement.right)
    values = [value for value in agreement.values if value != agreement.value]
    if lexicon.conditions.by_partner and agreement.wrong_value:
        values = [agreement.wrong_value]  # the one that the original's pair contrasts
    found = [
        each
        for value in values
        for each in lexicon.targets(
            form,
            agreement.target_upos,
            agreement.target_feats,
            agreement.target_feature or agreement.feature,
            value,
            frame.tree.feats[frame.cue],
        )
    ]
    plan, target = frame.plan, frame.target
    if not lexicon.conditions.same_class and plan.is_fixed(target):
        found = [
            each
            for each in found
            if plan.admits(target, each.right) and plan.admits(target, each.wrong)
        ]
    if plan.prefix_depends(target):
        sound = matching.realiser.sound
        found = [each for each in found if sound(each.right) == sound(each.wrong) == sound(form)]
    if matching.pseudo is not None:
        found = [
            each for each in found if _both_coinable(matching.pseudo, agreement.target_upos, each)
        ]
    return tuple(found)


def _both_coinable(pseudo: Pseudo, upos: str, pair: TargetPair) -> bool:
    """Whether one pseudo-word can have both forms of a pair."""
    cut = pseudo.cut_of(pair.lemma, upos, pair.right)
    return not isinstance(cut, str) and pair.wrong in cut.affixes


def _narrowed(
    frame: Frame,
    slots: Slots,
    level: Level,
    matcher: Matcher,
    keep_tail: bool | None,
    n_wanted: int,
) -> Slots:
    """What a level leaves of the slots of the one before it."""
    pools: dict[int, Donors] = {}
    stays = dict(slots.stays)
    widest = slots.width
    keeps = level.keeps_tail if keep_tail is None else keep_tail
    for node, pool in slots.pools.items():
        if keeps and node > frame.target:
            stays[node] = "after the target"
            continue
        place = frame.place(node)
        reason = matcher.stays(place)
        if reason:
            stays[node] = reason
            continue
        for width in matcher.widths:
            left = matcher.narrow(place, pool, width)
            if len(left) >= n_wanted:
                break
        if left:
            pools[node] = left
            widest = max(widest, width)
        else:
            stays[node] = f"no candidate at +{level.name}"
    pairs: Pairs = ()
    place = frame.place(frame.target)
    if not _closed_class(frame) and not matcher.stays(place):
        for width in matcher.widths:
            pairs = matcher.narrow_pairs(place, slots.pairs, width)
            if len(pairs) >= n_wanted:
                break
        if pairs:
            widest = max(widest, width)
    name = f"+{level.name}"
    return Slots(name, pools, pairs, stays, widest, (*slots.matchers, matcher))


def restrained(frame: Frame, slots: Slots, matching: Matching) -> Slots:
    """The slots of a lower level for an original that fell back to it: what the levels above would
    leave alone stays, but for the cue (and where they would leave that alone, it is told)."""
    pools = dict(slots.pools)
    stays = dict(slots.stays)
    cue_too = False
    for level, matcher in matching.levels:
        keeps = level.keeps_tail if matching.keep_tail is None else matching.keep_tail
        for node in slots.pools:
            after = keeps and node > frame.target
            reason = "after the target" if after else matcher.stays(frame.place(node))
            if reason and node == frame.cue:
                cue_too = True
            elif reason:
                pools.pop(node, None)
                stays.setdefault(node, reason)
    return replace(slots, pools=pools, stays=stays, unrestrained=cue_too)


def _closed_class(frame: Frame) -> bool:
    """Whether the target is a function word: another one would be another construction, so above
    `morphology` the original's own pair stays."""
    return frame.agreement.target_upos not in CONTENT_UPOS


def _unserved(frame: Frame, slots: Slots) -> str:
    """Why a level beyond `morphology` cannot serve an original: its cue and its target must both be
    replaced (but for a target of a closed class), or the set would be the treebank's own."""
    if not slots.pairs and not _closed_class(frame):
        return f"{slots.level}: no pair of forms for the target {frame.agreement.right!r}"
    if frame.tree.upos[frame.cue] in CONTENT_UPOS and frame.cue not in slots.pools:
        why = slots.stays.get(frame.cue, "no candidate")
        return f"{slots.level}: the cue {frame.tree.forms[frame.cue]!r} stays ({why})"
    standing = standing_words(frame, slots)
    for node, word in standing.items():
        if any(each.clashes(frame.tree, standing, node, word) for each in slots.matchers):
            return f"{slots.level}: {word.form!r} stays beside a word it was seen with"
    return ""


def standing_words(frame: Frame, slots: Slots) -> dict[int, Donor]:
    """Content words before the target that stay as they are."""
    tree = frame.tree
    return {
        node: Donor(tree.forms[node], tree.lemmas[node], 0)
        for node in range(frame.target)
        if tree.upos[node] in CONTENT_UPOS and node not in slots.pools
    }
