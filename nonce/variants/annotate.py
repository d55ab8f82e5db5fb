"""What an item's own tree, and the items before it, say of it: nominals between cue and target,
leaks, doubts, near-duplicates.

Near-duplicates are items whose words before the target are nearly the same, so that they count as
less than two observations: variants of one original that differ in one word only; originals that
are one frame, the same words but for one or two content words. Of each pair it is the later item
that has the flag.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import ne

from ...data.items.item import Item, Leak, Nominal
from ...miner.treebank.view import TreeView
from .ambiguity import doubts, flags_of
from .ambiguity.pair import MinimalPair
from .levels import LOWEST, MORPHOLOGY
from .slots import CONTENT_UPOS, Matching

DOUBTS = "doubts"  # the fact that tells why an item has its flags
NEAR_DUPLICATE = "near_duplicate"
REPEATED_FRAME = "repeated_frame"
VARIANT_LIMIT = 1  # words in which variants of one original may differ
ORIGINAL_LIMIT = 2  # content words in which originals may, where most of their words are the same


def pair_of(item: Item, matching: Matching) -> MinimalPair | None:
    """Return an original as the tests for doubts look at it; `None` where its tree is unknown."""
    agreement = item.agreement
    if agreement is None or agreement.tree is None:
        return None
    return MinimalPair(
        view=TreeView(agreement.tree),
        cue=agreement.cue_node,
        target=agreement.target_node,
        feature=agreement.feature,
        value=agreement.value,
        forms=matching.paradigms.form_readings,
        cue_counts=matching.cue_counts.get(agreement.feature),
        right=agreement.word(agreement.right),
        wrong=agreement.word(agreement.wrong),
        lemma=agreement.lemma,
        language=item.language.partition("-")[0],
        verbs=matching.verbs,
    )


def annotate(item: Item, matching: Matching) -> Item:
    """Return an original with its nominals and leaks, a flag for each doubt about its label, and
    the reasons among its facts. Unchanged where nothing is known of its tree."""
    pair, agreement = pair_of(item, matching), item.agreement
    if pair is None or agreement is None or agreement.tree is None:
        return item
    raised = doubts(pair)
    facts = {name: value for name, value in item.facts.items() if name != DOUBTS}
    if raised:
        facts[DOUBTS] = "; ".join(f"{doubt.flag}: {doubt.reason}" for doubt in raised)
    flags = tuple(sorted({*agreement.flags, *flags_of(raised)}))
    token_of = agreement.tree.tokens  # word of the tree → token
    agreement = replace(
        agreement,
        flags=flags,
        nominals=tuple(
            Nominal(token_of[node], depth, token_of[pair.target] - token_of[node], value)
            for node, depth, value in pair.nominals
        ),
        leaks=tuple(Leak(kind, token_of[node], pair.value) for kind, node in pair.leaks),
        **pair.cue_columns(token_of),
    )
    return replace(item, facts=facts, agreement=agreement)


def with_near_duplicates(items: Sequence[Item]) -> tuple[Item, ...]:
    """Flag the items whose words before the target nearly repeat those of an earlier item.

    Variants are compared within their original: one word may differ. All others are compared where
    they are equal but for content words of the same POS: up to two may differ, of originals fewer
    than half of the words.

    Args:
        items: of a suite, in its order.

    Returns:
        The same items; the later one of each two has the flag `near_duplicate`.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> items = with_near_duplicates(cg.mine(str(sample.treebank("en"))).originals.items)
    >>> sum(map(is_near_duplicate, items)), len(items)
    (13, 137)
    """
    seen: dict[tuple[str, ...], list[Sequence[str]]] = defaultdict(list)
    result: list[Item] = []
    for item in items:
        facts = item.agreement
        if facts is not None:
            words = tuple(word.casefold() for word in facts.tokens[: facts.target_index])
            key, limit = [item.cluster_id], VARIANT_LIMIT
            if item.kind != "nonce":  # the words, of a content word its part of speech alone
                tags = facts.upos or ("",) * len(facts.tokens)
                pairs = zip(words, tags, strict=False)
                key = [tag if tag in CONTENT_UPOS else word for word, tag in pairs]
                limit = ORIGINAL_LIMIT
            earlier = seen[(item.kind, *key)]
            if any(_is_near(words, prefix, limit, item.kind == "original") for prefix in earlier):
                flags = tuple(sorted({*facts.flags, NEAR_DUPLICATE}))
                item = replace(item, agreement=replace(facts, flags=flags))
            earlier.append(words)
        result.append(item)
    return tuple(result)


def is_near_duplicate(item: Item) -> bool:
    """Tell whether an item nearly repeats an earlier one of its suite.

    Args:
        item: as `with_near_duplicates` returns it.

    Returns:
        Whether it has the flag `near_duplicate`.
    """
    return item.agreement is not None and NEAR_DUPLICATE in item.agreement.flags


def with_repeated_frames(items: Sequence[Item]) -> tuple[Item, ...]:
    """Flag the variants whose frame comes back with one value only: one answers the others.

    A frame is what stays of the words before the target, if half of the content words do, so that a
    reader knows it again. Below `+frame` too few words stay.

    Args:
        items: of a suite.

    Returns:
        The same items, such variants with the flag `repeated_frame`.
    """
    frames = [_frame(item) for item in items]
    values: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for item, frame in zip(items, frames, strict=True):
        if item.agreement is not None:
            values[frame].append(item.agreement.value)
    result: list[Item] = []
    for item, frame in zip(items, frames, strict=True):
        facts = item.agreement
        if facts is not None and frame and len(values[frame]) > 1 == len({*values[frame]}):
            flags = tuple(sorted({*facts.flags, REPEATED_FRAME}))
            item = replace(item, agreement=replace(facts, flags=flags))
        result.append(item)
    return tuple(result)


def _frame(item: Item) -> tuple[str, ...]:
    """Return the words before the target of a variant, "" for those that were replaced; none where
    less than half of the content words stay."""
    facts = item.agreement
    if item.kind != "nonce" or facts is None or facts.level in ("", MORPHOLOGY, LOWEST):
        return ()
    before = range(facts.target_index)
    kept = [index for index in before if index not in facts.substitutions]
    n_content = sum(facts.upos[index] in CONTENT_UPOS for index in before)
    if 2 * sum(facts.upos[index] in CONTENT_UPOS for index in kept) < max(1, n_content):
        return ()
    return tuple(facts.tokens[index].casefold() if index in kept else "" for index in before)


def _is_near(prefix: Sequence[str], earlier: Sequence[str], limit: int, mostly: bool) -> bool:
    """Tell whether two prefixes differ in at most so many words; `mostly`: and in under half."""
    if len(prefix) != len(earlier):
        return False
    n_different = sum(map(ne, prefix, earlier))
    return n_different <= limit and (not mostly or 2 * n_different < len(prefix))
