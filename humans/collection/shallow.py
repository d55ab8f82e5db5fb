"""Does success hang on what has nothing to do with grammar? (Warstadt et al. 2020, §5.2, Figure 2)

Items stand in bins of equal size by the length of the sentence, by how probable it is, and by how
sure the model is of its choice; each has its accuracy, and the point-biserial correlation says how
far the predictor goes with success. A model whose accuracy grows with its confidence is calibrated;
one whose accuracy falls with length or rises with probability does not go by grammar alone.

And surprisal by region and condition: where in a sentence the conditions part.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...data.items.item import RIGHT, Item, sentence_words
from ...data.items.suite import Suite
from ...data.records import from_facts
from ...data.statistics.intervals import accuracy_interval, cluster_interval
from ...data.statistics.rank_correlation import pearson
from ...data.tables import Row
from ...scoring.outcomes.collection import SuiteItem, Unit
from ...scoring.outcomes.run import Asked
from ..statistics.rater_accuracy import credits_in
from ..statistics.shared_items import common
from .collect import CollectedAnswers

N_BINS = 10
MOST_UNITS = 40  # of which regions are told; BLiMP's paradigms have but the target
FEWEST = 10  # items that a bin should have: of few items there are fewer bins
LENGTH, PROBABILITY, PERPLEXITY, CONFIDENCE = (
    "length",
    "log2 probability",
    "perplexity",
    "confidence",
)
PREDICTORS: Mapping[str, str] = {
    LENGTH: "words of the sentence",
    PROBABILITY: "of the sentence, in bits; nearer to 0 is more probable",
    PERPLEXITY: "per word, over all sentences of the item; the correlation is with its logarithm",
    CONFIDENCE: "absolute margin of the prediction, in bits",
}
"""What each is. The sentence is the right one, or the mean over conditions where there is none."""


@dataclass(frozen=True, slots=True)
class SentenceBits:
    """The bits that a model gives to an item's sentences."""

    bits: float  # of the right one, or the mean
    bits_per_word: float  # over all


def sentences_of(recalled: Asked) -> dict[str, SentenceBits]:
    """Return item → its sentences' surprisals, where whole sentences are known."""
    if recalled.sentences is None:
        return {}
    bits: dict[str, dict[str, list[float]]] = {}
    plan, names = recalled.plan, recalled.plan.table.sentences.conditions
    ids = plan.table.frame["item_id"].to_list()
    rows = zip(
        plan.item.tolist(), plan.condition.tolist(), recalled.sentences.tolist(), strict=True
    )
    for number, (item, condition, value) in enumerate(rows):
        if number not in recalled.surprisal.refused:
            bits.setdefault(ids[item], {}).setdefault(names[condition], []).append(value)
    lengths = {item.item_id: _lengths(item) for item in plan.table}
    return {
        item: SentenceBits(
            _right_or_mean(
                {
                    name: math.fsum(surprisals) / len(surprisals)
                    for name, surprisals in conditions.items()
                }
            ),
            math.fsum(math.fsum(surprisals) for surprisals in conditions.values())
            / sum(sum(lengths[item][name]) for name in conditions),
        )
        for item, conditions in bits.items()
    }


def _lengths(item: Item) -> dict[str, list[int]]:
    """Return condition → the words of each of its sentences."""
    return {
        name: [max(1, len(sentence_words(wording))) for wording in wordings]
        for name, wordings in item.conditions.items()
    }


def _right_or_mean(values: Mapping[str, float]) -> float:
    return values[RIGHT] if RIGHT in values else math.fsum(values.values()) / len(values)


def shallow_rows(
    collection: CollectedAnswers, sentences: Mapping[str, Mapping[SuiteItem, SentenceBits]]
) -> Iterator[Row]:
    """Yield rows of shallow.tsv: every predictor of the raters that have it, over the items that
    all of them have it for, with its correlation (None where a side does not vary) and no bin; then
    its bins, from 1, with the values that they begin and end with. A rater with too few of these
    items (`common`) is left out.

    Models of a group stand for themselves, the group for nothing. `sentences` are by rater; a rater
    without has no predictors that need them.
    """
    items = {
        key: (item, cluster)
        for unit in collection.units
        for key, item, cluster in zip(unit.keys, unit.items, unit.clusters, strict=True)
    }
    lengths = {
        key: _right_or_mean(
            {name: math.fsum(counts) / len(counts) for name, counts in _lengths(item).items()}
        )
        for key, (item, _) in items.items()
    }
    by_predictor: dict[str, dict[str, dict[SuiteItem, float]]] = {}
    credits: dict[str, dict[SuiteItem, float]] = {}
    for rater in (name for name in collection.raters if name not in collection.groups):
        answers, by_item = collection.answers[rater], sentences.get(rater, {})
        earned = {key: c for key, c in credits_in(answers).items() if key in items}
        margins = ((key, answers[key][1]) for key in earned)
        values: dict[str, dict[SuiteItem, float]] = {
            LENGTH: {key: lengths[key] for key in earned},
            PROBABILITY: {key: -by_item[key].bits for key in earned if key in by_item},
            PERPLEXITY: {key: by_item[key].bits_per_word for key in earned if key in by_item},
            CONFIDENCE: {k: abs(m) for k, m in margins if m is not None and math.isfinite(m)},
        }
        credits[rater] = earned
        for predictor, by_key in values.items():
            if by_key:
                by_predictor.setdefault(predictor, {})[rater] = by_key
    shared = {predictor: common(by_rater) for predictor, by_rater in by_predictor.items()}
    for rater, earned in credits.items():
        for predictor, basis in shared.items():
            if rater in basis.together:
                own_values = by_predictor[predictor][rater]
                points = [
                    (own_values[key], credit, items[key][1])
                    for key, credit in earned.items()
                    if key in basis.items
                ]
                head: Row = {"rater": rater, "predictor": predictor}
                yield from ({**head, **row} for row in _predictor_rows(predictor, points))


def _predictor_rows(predictor: str, points: Sequence[tuple[float, float, str]]) -> Iterator[Row]:
    """Yield the rows of a predictor by `points`: (value, credit, cluster) of items."""
    values, credits, _ = zip(*points, strict=True)
    yield {"n_items": len(points), "correlation": pearson(values, credits)}
    bins: dict[int, list[tuple[float, float, str]]] = {}
    owner = binned(values, max(1, min(N_BINS, len(points) // FEWEST)))
    for number, point in zip(owner, points, strict=True):
        bins.setdefault(number, []).append(point)
    for bin_number, number in enumerate(sorted(bins), start=1):
        inside, earned, clusters = zip(*bins[number], strict=True)
        ends = [min(inside), max(inside)]
        if predictor == PERPLEXITY:  # correlated and binned as bits per word
            ends = [2.0 ** min(end, 1_000.0) for end in ends]
        limits = accuracy_interval(earned, clusters)
        yield {
            "bin": bin_number,
            "from": ends[0],
            "to": ends[1],
            "n_items": len(earned),
            "accuracy": math.fsum(earned) / len(earned),
            "low": limits.low if limits else None,
            "high": limits.high if limits else None,
        }


def binned(values: Sequence[float], n_bins: int) -> list[int]:
    """Return the bin (from 0) of each value: quantiles, with equal values in one bin, so that there
    may be fewer bins than `n_bins` and a number without a value."""
    inner = np.quantile(np.asarray(values, dtype=float), np.arange(1, n_bins) / n_bins)
    bins = np.searchsorted(np.unique(inner), np.asarray(values, dtype=float), side="left")
    return [int(number) for number in bins]


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
