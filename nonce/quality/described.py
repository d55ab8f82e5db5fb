"""What an original's own tree says of it: nominals between cue and target, leaks, doubts."""

from dataclasses import replace

from colorless_green.miner.paradigms import Paradigms
from colorless_green.nonce.doubts import doubts, marks
from colorless_green.nonce.item import Agreement, Item, Leak, Nominal
from colorless_green.nonce.quality.leaks import leaks, nominals

DOUBTS = "doubts"  # the fact that tells why an item has its flags


def described(item: Item, paradigms: Paradigms) -> Item:
    """An original with its nominals and leaks, a flag for each doubt about its label, and the
    reasons among its facts. Unchanged where nothing is known of its tree."""
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
    )
    facts = {name: value for name, value in item.facts.items() if name != DOUBTS}
    if found:
        facts[DOUBTS] = "; ".join(f"{each.flag}: {each.reason}" for each in found)
    tokens = tree.tokens
    return replace(
        item,
        facts=facts,
        agreement=replace(
            agreement,
            flags=tuple(sorted({*agreement.flags, *marks(found)})),
            nominals=tuple(
                Nominal(tokens[node], depth, agreement.target_index - tokens[node], value)
                for node, depth, value in nominals(tree, cue, target, feature)
            ),
            leaks=tuple(
                Leak(kind, tokens[node], value)
                for kind, node, value in leaks(
                    tree, cue, target, feature, agreement.value, paradigms=paradigms
                )
            ),
        ),
    )


def _word(agreement: Agreement, token: str) -> str:
    """The word that agrees, without what a multiword token adds."""
    return token[len(agreement.before) : len(token) - len(agreement.after)]
