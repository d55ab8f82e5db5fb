"""Judgments as a mixed model reads them: one answer a row, with what its item is like."""

import math
from collections.abc import Iterable, Mapping

import polars as pl

from colorless_green.humans.judgment import Judgment, tallied
from colorless_green.nonce.item import KINDS, Item

SCHEMA = {
    **dict.fromkeys(("participant", "source", "item", "condition", "construction"), pl.String),
    **dict.fromkeys(("attractors", "gap", "position"), pl.Int64),
    **dict.fromkeys(("margin", "rt_ms"), pl.Float64),
    "correct": pl.Int64,
}
"""An answered target a row; null: not known of this item or answer. `gap`: tokens between cue and
target; `position`: from 1, in the session; `margin`: a model's, in bits, how much less surprising
the right form is; `correct`: 0 or 1"""


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
