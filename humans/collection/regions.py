"""Surprisal by region and condition: where in a sentence the conditions part."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from ...data.items.suite import Suite
from ...data.records import from_facts
from ...data.statistics.intervals import cluster_interval
from ...data.tables import Row
from ...scoring.outcomes.collection import Unit
from ...scoring.outcomes.run import Asked

MOST_UNITS = 40  # of which regions are told; BLiMP's paradigms have but the target


def region_rows(suite: Suite, units: Sequence[Unit], rater: str, recalled: Asked) -> Iterator[Row]:
    """Yield rows by unit, condition and region: the mean over items (over the sentences of a
    condition first), with an interval over clusters, by the suite's metric.

    `position` is the region's place in the sentence, from 0; `predicted` is 1 where the suite's
    first prediction names the region in some condition. Regions that were not asked for have no
    row, nor have those without text in every item.
    """
    values = _region_values(recalled)
    planned = {item.item_id: item for item in recalled.plan.table}
    meta = from_facts(suite.meta).get("region_meta")  # numbers → names, as in SyntaxGym's files
    names = meta if isinstance(meta, dict) else {}
    predicted = {region for _, region in suite.predictions[0].cells()}
    for unit in units:
        order: dict[tuple[str, str], tuple[int, int]] = {}  # as in the first item that has them
        by_cell: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for item, cluster in zip(unit.items, unit.clusters, strict=True):
            if item.item_id in planned:
                for rank, (name, wordings) in enumerate(planned[item.item_id].conditions.items()):
                    for position, region in enumerate(wordings[0]):
                        order.setdefault((name, region.region), (rank, position))
            for cell, bits in values.get(item.item_id, {}).items():
                by_cell.setdefault(cell, []).append((bits, cluster))
        for condition, number in sorted(by_cell, key=lambda cell: order[cell]):
            measured, clusters = zip(*by_cell[condition, number], strict=True)
            limits = cluster_interval(measured, clusters)
            name = names.get(number, number)
            yield {
                "suite": unit.name,
                "rater": rater,
                "condition": condition,
                "position": order[condition, number][1],
                "region": name if name == number else f"{number} {name}",
                "predicted": int(number in predicted),
                "n_items": len(measured),
                "surprisal_bits": math.fsum(measured) / len(measured),
                "low": limits.low if limits else None,
                "high": limits.high if limits else None,
            }


def _region_values(recalled: Asked) -> dict[str, dict[tuple[str, str], float]]:
    """Return item → (condition, region) → bits, mean over the condition's sentences, where it has
    text."""
    plan, sentences = recalled.plan, recalled.plan.table.sentences
    readable = np.ones(len(plan.sentence), bool)
    readable[list(recalled.surprisal.refused)] = False
    rows = readable[plan.owner] & (plan.end > plan.start) & ~np.isnan(recalled.surprisal.region)
    of = plan.owner[rows]
    means = (
        pl.DataFrame(
            {
                "item": plan.table.frame["item_id"].gather(plan.item[of]),
                "condition": plan.condition[of],
                "region": plan.name[rows],
                "bits": recalled.surprisal.region[rows],
            }
        )
        .group_by("item", "condition", "region", maintain_order=True)
        .agg(pl.col("bits").mean())
    )
    collected: dict[str, dict[tuple[str, str], float]] = {}
    for item, condition, region, bits in means.iter_rows():
        cell = sentences.conditions[condition], sentences.names[region]
        collected.setdefault(item, {})[cell] = bits
    return collected
