"""Judgments as a mixed model reads them: one answer a row, with what its item is like."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from colorless_green.humans.judgment import Judgment
from colorless_green.humans.tally import tallied
from colorless_green.nonce.item import KINDS, Item


@dataclass(frozen=True, slots=True)
class Observation:
    """An answered target. `None`: not known of this item or answer."""

    participant: str
    source: str
    item: str
    condition: str
    construction: str
    attractors: int | None
    gap: int | None  # tokens between cue and target
    position: int | None  # from 1, in the session
    margin: float | None  # the model's, in bits: how much less surprising the right form is
    rt_ms: float | None
    correct: int  # 0 or 1


def observations(
    judgments: Iterable[Judgment],
    items: Mapping[str, Item],
    margins: Mapping[str, float | None],
) -> tuple[Observation, ...]:
    """The answered targets in the order of the judgments. `margins`: item id → bits, of one model;
    empty for none."""
    return tuple(_observations(judgments, items, margins))


def _observations(
    judgments: Iterable[Judgment],
    items: Mapping[str, Item],
    margins: Mapping[str, float | None],
) -> Iterator[Observation]:
    for each in judgments:
        if each.kind != "target" or each.correct is None:
            continue
        item = items[each.item]
        margin = margins.get(each.item)
        yield Observation(
            participant=each.participant,
            source=item.cluster_id,
            item=each.item,
            condition=each.condition or item.kind,
            construction=each.construction,
            attractors=tallied(item, 0, 0).n_attractors,
            gap=item.agreement.gap if item.agreement else None,
            position=each.position,
            margin=margin if margin is not None and math.isfinite(margin) else None,
            rt_ms=each.rt_ms,
            correct=each.correct,
        )


def levels(values: Iterable[str]) -> tuple[str, ...]:
    """The levels of a factor, the base first: kinds of item in their own order (so that originals
    are the base), then others by name."""
    seen = set(values)
    return (*[kind for kind in KINDS if kind in seen], *sorted(seen.difference(KINDS)))
