"""Near-duplicates: items whose prefixes are nearly the same words, so that they count as less than
two observations.

Variants of one original are near-duplicates where their prefixes differ in one word only; originals
where theirs are one frame, the same words but for one or two content words. Of each pair it is the
later item that has the flag.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from colorless_green.nonce.item import Agreement, Item
from colorless_green.nonce.slots import CONTENT_UPOS

NEAR_DUPLICATE = "near_duplicate"
OF_VARIANTS = 1  # words in which variants of one original may differ
OF_ORIGINALS = 2  # content words in which originals may, where most of their words are the same


def with_near_duplicates(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items, those flagged that nearly repeat an earlier one. In a balanced set only items of
    one cell are compared: its cells are meant to be alike."""
    seen: dict[tuple[str, ...], list[Sequence[str]]] = defaultdict(list)
    made: list[Item] = []
    for item in items:
        facts = item.agreement
        if facts is not None:
            words, kind = _prefix(facts), item.kind
            key = (
                (item.cell, item.cluster_id)
                if kind == "nonce"
                else (item.cell, *_skeleton(facts, words))
            )
            at_most = OF_VARIANTS if kind == "nonce" else OF_ORIGINALS
            earlier = seen[(kind, *key)]
            if any(_is_near(words, each, at_most, kind == "original") for each in earlier):
                flags = tuple(sorted({*facts.flags, NEAR_DUPLICATE}))
                item = replace(item, agreement=replace(facts, flags=flags))
            earlier.append(words)
        made.append(item)
    return tuple(made)


def is_near_duplicate(item: Item) -> bool:
    """Whether an item nearly repeats an earlier one of its suite."""
    return item.agreement is not None and NEAR_DUPLICATE in item.agreement.flags


def _prefix(facts: Agreement) -> tuple[str, ...]:
    return tuple(word.casefold() for word in facts.tokens[: facts.target_index])


def _skeleton(facts: Agreement, words: Iterable[str]) -> tuple[str, ...]:
    """The words of a prefix, of a content word its part of speech alone."""
    tags = facts.upos or ("",) * len(facts.tokens)
    return tuple(
        tag if tag in CONTENT_UPOS else word for word, tag in zip(words, tags, strict=False)
    )


def _is_near(one: Sequence[str], other: Sequence[str], at_most: int, mostly: bool) -> bool:
    """Whether two prefixes differ in at most so many words; `mostly`: and in fewer than half."""
    if len(one) != len(other):
        return False
    n_different = 0
    for mine, theirs in zip(one, other, strict=True):
        n_different += mine != theirs
        if n_different > at_most:
            return False
    return not mostly or 2 * n_different < len(one)
