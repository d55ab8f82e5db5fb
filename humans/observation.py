"""Judgments as a mixed model reads them: one answer a row, with what its item is like."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import TypeAlias

import polars as pl

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


Observed: TypeAlias = pl.DataFrame | Sequence[Observation]
"""Observations, as a table with a column for each of their fields or one by one"""
SCHEMA = {
    **dict.fromkeys(("participant", "source", "item", "condition", "construction"), pl.String),
    **dict.fromkeys(("attractors", "gap", "position"), pl.Int64),
    **dict.fromkeys(("margin", "rt_ms"), pl.Float64),
    "correct": pl.Int64,
}


def tabled(observed: Observed) -> pl.DataFrame:
    """As a table."""
    if isinstance(observed, pl.DataFrame):
        return observed
    return pl.DataFrame(list(map(astuple, observed)), SCHEMA, orient="row")


def observations(
    judgments: Iterable[Judgment],
    items: Mapping[str, Item],
    margins: Mapping[str, float | None],
) -> pl.DataFrame:
    """The answered targets in the order of the judgments, with the columns of `SCHEMA`. `margins`:
    item id → bits, of one model; empty for none."""
    about = {
        name: (
            item.cluster_id,
            item.kind,
            tallied(item, 0, 0).n_attractors,
            item.agreement.gap if item.agreement else None,
            margin if (margin := margins.get(name)) is not None and math.isfinite(margin) else None,
        )
        for name, item in items.items()
    }
    rows = []
    for each in judgments:
        if each.kind == "target" and each.correct is not None:
            source, kind, attractors, gap, margin = about[each.item]
            rows.append(
                (each.participant, source, each.item, each.condition or kind, each.construction,
                 attractors, gap, each.position, margin, each.rt_ms, each.correct)
            )  # fmt: skip
    return pl.DataFrame(rows, SCHEMA, orient="row")


def levels(values: Iterable[str]) -> tuple[str, ...]:
    """The levels of a factor, the base first: kinds of item in their own order (so that originals
    are the base), then others by name."""
    seen = set(values)
    return (*[kind for kind in KINDS if kind in seen], *sorted(seen.difference(KINDS)))
