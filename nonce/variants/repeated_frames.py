"""Variants whose frame comes back with one value only, so that one of them answers the others.

The frame of a variant is the words before its target that were kept from the original.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ...data.items.item import Item
from .levels import LOWEST, MORPHOLOGY
from .lexicon import CONTENT_UPOS

REPEATED_FRAME = "repeated_frame"


def with_repeated_frames(items: Sequence[Item]) -> tuple[Item, ...]:
    """Flag the variants whose frame comes back with one value only.

    A frame counts if half of the content words before the target were kept, so that a reader
    recognises it. Below the level `+frame` too few words are kept.

    Args:
        items: of a suite.

    Returns:
        The same items, such variants with the flag `repeated_frame`.
    """
    frames = [_kept_frame(item) for item in items]
    values_of: dict[tuple[str, ...], list[str]] = defaultdict(list)  # a value for each variant
    for item, frame in zip(items, frames, strict=True):
        if item.agreement is not None:
            values_of[frame].append(item.agreement.value)
    result: list[Item] = []
    for item, frame in zip(items, frames, strict=True):
        facts, values = item.agreement, values_of[frame]
        is_repeated = frame != () and len(values) > 1 and len(set(values)) == 1
        if facts is not None and is_repeated:
            flags = tuple(sorted({*facts.flags, REPEATED_FRAME}))
            item = replace(item, agreement=replace(facts, flags=flags))
        result.append(item)
    return tuple(result)


def _kept_frame(item: Item) -> tuple[str, ...]:
    """Return the frame of a variant: the words before its target in lower case, with "" in place of
    each that was replaced.

    The frame is empty if the item is no variant above the level `+frequency`, or if less than half
    of the content words were kept.
    """
    facts = item.agreement
    if item.kind != "nonce" or facts is None or facts.level in ("", MORPHOLOGY, LOWEST):
        return ()
    before = range(facts.target_index)
    kept = [index for index in before if index not in facts.substitutions]
    n_content = sum(facts.upos[index] in CONTENT_UPOS for index in before)
    n_kept_content = sum(facts.upos[index] in CONTENT_UPOS for index in kept)
    if not n_kept_content or n_kept_content < n_content / 2:
        return ()
    return tuple(facts.tokens[index].casefold() if index in kept else "" for index in before)
