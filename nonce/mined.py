"""The one bridge from the miner: an original becomes an item, a mining a suite."""

from collections.abc import Sequence

from colorless_green.miner.construction import Original
from colorless_green.miner.mine import MinedTreebank
from colorless_green.miner.partner import UNIMORPH
from colorless_green.nonce.item import Agreement, Item, Region, Wording, item_id
from colorless_green.nonce.suite import Suite

UNIMORPH_LICENCE = "CC-BY-SA-3.0"  # as its language repositories state; joins the treebank's
RIGHT: str = "right"
WRONG: str = "wrong"
PREFIX: str = "prefix"
TARGET: str = "target"
REST: str = "rest"


def wording(tokens: Sequence[str], spaces: Sequence[str], target_index: int) -> Wording:
    """Prefix, target and rest of a sentence, in words and in raw text."""
    cuts = (0, target_index, target_index + 1, len(tokens))
    return tuple(
        Region(name, tuple(tokens[start:end]), raw_text(tokens[start:end], spaces[start:end]))
        for name, start, end in zip((PREFIX, TARGET, REST), cuts, cuts[1:], strict=False)
    )


def raw_text(tokens: Sequence[str], spaces: Sequence[str]) -> str:
    """Tokens as a person reads them; `spaces` are what stands before each."""
    return "".join(space + token for space, token in zip(spaces, tokens, strict=True))


def pair(agreement: Agreement) -> dict[str, tuple[Wording, ...]]:
    """The two conditions of an agreement item: the sentence with its right and its wrong form."""
    index = agreement.target_index
    swapped = (*agreement.tokens[:index], agreement.wrong, *agreement.tokens[index + 1 :])
    return {
        RIGHT: (wording(agreement.tokens, agreement.spaces, index),),
        WRONG: (wording(swapped, agreement.spaces, index),),
    }


def agreement_id(agreement: Agreement, number_in_file: int) -> str:
    """The item id of an original or a variant: a hash over everything that makes it."""
    return item_id(
        agreement.treebank,
        agreement.file,
        number_in_file,
        agreement.sent_id,
        agreement.cue_index,
        agreement.cue_upos,
        agreement.target_index,
        agreement.target_upos,
        agreement.construction,
        "|".join(agreement.values),
        agreement.feature,
        agreement.rule,
        agreement.level,
        agreement.seed,
        agreement.variant,
    )


def item_of(original: Original, mining: MinedTreebank) -> Item:
    """An original as an item with the conditions right and wrong."""
    source = mining.treebank
    agreement = Agreement(
        treebank=source.name,
        file=original.file.removesuffix(".gz"),
        sent_id=original.sent_id,
        rule=mining.rule,
        construction=original.construction,
        number=original.number,
        feature=original.feature,
        values=original.values,
        value=original.value,
        cue_index=original.cue_index,
        target_index=original.target_index,
        cue=original.cue,
        cue_upos=original.cue_upos,
        target_upos=original.target_upos,
        target_feats=original.target_feats,
        lemma=original.lemma,
        right=original.right,
        wrong=original.wrong,
        gap=original.target_index - original.cue_index - 1,
        attractors=original.attractors,
        tokens=original.forms,
        upos=original.upos,
        feats=original.feats,
        spaces=original.spaces,
        flags=original.flags,
        cue_feature=original.cue_feature,
        target_feature=original.target_feature,
        before=original.before,
        after=original.after,
        tree=original.tree,
        cue_node=original.cue_node,
        target_node=original.target_node,
        wrong_value=original.wrong_value,
        wrong_forms=original.wrong_forms,
        value_from=original.value_from,
        cues_before=original.cues_before,
        cues_between=original.cues_between,
        cues_beside_target=original.cues_beside_target,
    )
    identity = agreement_id(agreement, original.number_in_file)
    return Item(
        item_id=identity,
        kind="original",
        cluster_id=identity,
        language=source.language,
        source=source.name,
        licence=source.licence,
        conditions=pair(agreement),
        agreement=agreement,
        facts={
            "n_attr": str(original.n_attr),
            "repair": mining.repair,
            **({"parsed_by": mining.parsed_by} if mining.parsed_by else {}),
            **({"wrong_form_licence": UNIMORPH_LICENCE} if UNIMORPH in original.flags else {}),
        },
    )


def suite_of(mining: MinedTreebank) -> Suite:
    """The originals of a mining as a suite. Its name tells the features, unless it is Number."""
    items = tuple(item_of(original, mining) for original in mining.originals)
    told = "" if mining.feature == "Number" else f"/{mining.feature}"
    return Suite(f"{mining.treebank.name}/{mining.rule}{told}/originals", items)
