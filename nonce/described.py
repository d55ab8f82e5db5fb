"""What an original's own tree says of it: nominals between cue and target, leaks, doubts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from colorless_green.miner.cues.leaks import cue_words, leaks, nominals
from colorless_green.miner.cues.telling import Telling
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.tree import Tree
from colorless_green.nonce.doubts import doubts, marks
from colorless_green.nonce.item import Agreement, Item, Leak, Nominal

DOUBTS = "doubts"  # the fact that tells why an item has its flags


def described(item: Item, paradigms: Paradigms, telling: Telling | None = None) -> Item:
    """An original with its nominals and leaks, a flag for each doubt about its label, and the
    reasons among its facts; with `telling`, words without the feature may tell its value, too.
    Unchanged where nothing is known of its tree."""
    agreement = item.agreement
    if agreement is None or agreement.tree is None:
        return item
    tree, cue, target = agreement.tree, agreement.cue_node, agreement.target_node
    feature = agreement.feature
    found = doubts(
        tree,
        cue,
        target,
        feature=feature,
        value=agreement.value,
        right=_word(agreement, agreement.right),
        wrong=_word(agreement, agreement.wrong),
        lemma=agreement.lemma,
        paradigms=paradigms,
        language=item.language,
        telling=telling,
    )
    facts = {name: value for name, value in item.facts.items() if name != DOUBTS}
    if found:
        facts[DOUBTS] = "; ".join(f"{each.flag}: {each.reason}" for each in found)
    return replace(
        item,
        facts=facts,
        agreement=replace(
            agreement,
            flags=tuple(sorted({*agreement.flags, *marks(found)})),
            **evidence(
                tree, tree.tokens, cue, target, feature, agreement.value, paradigms, telling
            ),
        ),
    )


def evidence(
    tree: Tree,
    places: Sequence[int],
    cue: int,
    target: int,
    feature: str,
    value: str,
    paradigms: Paradigms,
    telling: Telling | None = None,
) -> dict[str, Any]:
    """Nominals, leaks and words that tell the value, as the columns of an item; `places`: word of
    the tree → token."""
    told = cue_words(tree, cue, target, feature, value, paradigms=paradigms, telling=telling)
    return {
        "nominals": tuple(
            Nominal(places[node], depth, places[target] - places[node], own)
            for node, depth, own in nominals(tree, cue, target, feature)
        ),
        "leaks": tuple(
            Leak(kind, places[node], own)
            for kind, node, own in leaks(
                tree, cue, target, feature, value, paradigms=paradigms, telling=telling
            )
        ),
        **told.on_tokens(places, cue, target),
    }


def _word(agreement: Agreement, token: str) -> str:
    """The word that agrees, without what a multiword token adds."""
    return token[len(agreement.before) : len(token) - len(agreement.after)]
