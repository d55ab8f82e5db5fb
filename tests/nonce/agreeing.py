"""One mined item, of which a test says no more than it is about."""

from collections.abc import Sequence
from typing import Any

from colorless_green.data import Agreement, Item, pair


def agreeing(
    item_id: str,
    tokens: Sequence[str],
    cue: int,
    target: int,
    wrong: str,
    *,
    item: dict[str, Any] | None = None,
    **facts: Any,
) -> Item:
    """Return an original whose token `target` agrees with `cue`; `item` and `facts` are what is
    otherwise said of it and of its agreement."""
    known: dict[str, Any] = {
        "treebank": "UD_X-Y",
        "file": "x-ud-train.conllu",
        "sent_id": "s",
        "rule": "tested",
        "construction": "L__NOUN_VERB",
        "number": 0,
        "feature": "Number",
        "values": ("Plur", "Sing"),
        "value": "Plur",
        "cue_upos": "NOUN",
        "target_upos": "VERB",
        "target_feats": "Number=Plur",
        "lemma": "l",
        "attractors": (),
        "upos": ("X",) * len(tokens),
        "feats": ("_",) * len(tokens),
        "spaces": ("", *[" "] * (len(tokens) - 1)),
        **facts,
    }
    agreement = Agreement(
        cue_index=cue,
        target_index=target,
        cue=tokens[cue],
        right=tokens[target],
        wrong=wrong,
        tokens=tuple(tokens),
        **known,
    )
    of_item: dict[str, Any] = {
        "kind": "original",
        "cluster_id": item_id,
        "language": "en",
        "source": known["treebank"],
        "licence": "CC-BY-SA-4.0",
        **(item or {}),
    }
    return Item(item_id, conditions=pair(agreement), agreement=agreement, **of_item)
