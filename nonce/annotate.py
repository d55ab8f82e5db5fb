"""What an original's own tree says of it: nominals between cue and target, leaks, doubts."""

from dataclasses import replace

from colorless_green.miner.cue_words import CueWordCounts
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.view import TreeView
from colorless_green.nonce.ambiguity import doubts, flags_of
from colorless_green.nonce.ambiguity.pair import MinimalPair
from colorless_green.nonce.item import Item, Leak, Nominal

DOUBTS = "doubts"  # the fact that tells why an item has its flags


def annotate(item: Item, paradigms: Paradigms, telling: CueWordCounts | None = None) -> Item:
    """An original with its nominals and leaks, a flag for each doubt about its label, and the
    reasons among its facts; with `telling`, words without the feature may tell its value, too.
    Unchanged where nothing is known of its tree."""
    agreement = item.agreement
    if agreement is None or agreement.tree is None:
        return item
    pair = MinimalPair(
        view=TreeView(agreement.tree),
        cue=agreement.cue_node,
        target=agreement.target_node,
        feature=agreement.feature,
        value=agreement.value,
        forms=paradigms.form_readings,
        telling=telling,
        right=agreement.word(agreement.right),
        wrong=agreement.word(agreement.wrong),
        lemma=agreement.lemma,
        language=item.language.partition("-")[0],
    )
    raised = doubts(pair)
    facts = {name: value for name, value in item.facts.items() if name != DOUBTS}
    if raised:
        facts[DOUBTS] = "; ".join(f"{doubt.flag}: {doubt.reason}" for doubt in raised)
    flags = tuple(sorted({*agreement.flags, *flags_of(raised)}))
    places = agreement.tree.tokens  # word of the tree → token
    agreement = replace(
        agreement,
        flags=flags,
        nominals=tuple(
            Nominal(places[node], depth, places[pair.target] - places[node], value)
            for node, depth, value in pair.nominals
        ),
        leaks=tuple(Leak(kind, places[node], value) for kind, node, value in pair.leaks),
        **pair.cue_words.on_tokens(places, pair.cue, pair.target),
    )
    return replace(item, facts=facts, agreement=agreement)
