"""Does success hang on what has nothing to do with grammar? (Warstadt et al. 2020, §5.2, Figure 2)

Items stand in bins of equal size by the length of the sentence, by how probable it is, and by how
sure the model is of its choice; each has its accuracy, and the point-biserial correlation says how
far the predictor goes with success. A model whose accuracy grows with its confidence is calibrated;
one whose accuracy falls with length or rises with probability does not go by grammar alone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from colorless_green.data.tables import Row
from colorless_green.humans.collection.gathered import Gathered
from colorless_green.humans.common import common
from colorless_green.humans.statistics import pearson
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.item import RIGHT, Item, sentence_words
from colorless_green.scoring.collection import Key
from colorless_green.scoring.run import Recalled

N_BINS = 10
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
class Bin:
    """Items with like values of a predictor; values from `start` to `end`, both among them."""

    start: float
    end: float
    n_items: int
    accuracy: float
    low: float | None  # over clusters
    high: float | None


@dataclass(frozen=True, slots=True)
class Shallow:
    """One predictor of one rater."""

    rater: str
    predictor: str
    bins: tuple[Bin, ...]
    n_items: int
    correlation: float | None  # point-biserial, over items; None where a side does not vary


@dataclass(frozen=True, slots=True)
class Sentences:
    """What a model makes of an item's sentences."""

    bits: float  # of the right one, or the mean
    bits_per_word: float  # over all


def sentences_of(found: Recalled) -> dict[str, Sentences]:
    """Item → its sentences' surprisals, where whole sentences are known."""
    if not found.whole:
        return {}
    bits: dict[str, dict[str, list[float]]] = {}
    plan, names = found.plan, found.plan.table.sentences.conditions
    ids = plan.table.frame["item_id"].to_list()
    rows = zip(plan.item.tolist(), plan.condition.tolist(), found.sentences.tolist(), strict=True)
    for number, (item, condition, value) in enumerate(rows):
        if number not in found.surprisal.refused:
            bits.setdefault(ids[item], {}).setdefault(names[condition], []).append(value)
    lengths = {item.item_id: _lengths(item) for item in plan.table}
    return {
        item: Sentences(
            _of_right({name: math.fsum(own) / len(own) for name, own in conditions.items()}),
            math.fsum(math.fsum(own) for own in conditions.values())
            / sum(sum(lengths[item][name]) for name in conditions),
        )
        for item, conditions in bits.items()
    }


def _lengths(item: Item) -> dict[str, list[int]]:
    """Condition → the words of each of its sentences."""
    return {
        name: [max(1, len(sentence_words(each))) for each in wordings]
        for name, wordings in item.conditions.items()
    }


def _of_right(values: Mapping[str, float]) -> float:
    return values[RIGHT] if RIGHT in values else math.fsum(values.values()) / len(values)


def shallow(
    collection: Gathered, sentences: Mapping[str, Mapping[Key, Sentences]]
) -> tuple[Shallow, ...]:
    """Every predictor of the raters that have it, over the items that all of them have it for; a
    rater with too few of these (`common`) is left out.

    Models of a group stand for themselves, the group for nothing. `sentences` are by rater; a rater
    without has no predictors that need them.
    """
    items = {
        key: item
        for unit in collection.units
        for key, item in zip(unit.keys, unit.items, strict=True)
    }
    lengths = {key: _length(item) for key, item in items.items()}
    known: dict[str, dict[str, dict[Key, float]]] = {}
    earned: dict[str, dict[Key, float]] = {}
    for rater in (each for each in collection.raters if each not in collection.groups):
        answers = collection.answers[rater]
        credits = {key: c for key, (c, _) in answers.items() if c is not None and key in items}
        earned[rater], own = credits, sentences.get(rater, {})
        values: dict[str, dict[Key, float]] = {
            LENGTH: {key: lengths[key] for key in credits},
            PROBABILITY: {key: -own[key].bits for key in credits if key in own},
            PERPLEXITY: {key: own[key].bits_per_word for key in credits if key in own},
            CONFIDENCE: {
                key: abs(margin)
                for key in credits
                if (margin := answers[key][1]) is not None and math.isfinite(margin)
            },
        }
        for predictor, by_key in values.items():
            if by_key:
                known.setdefault(predictor, {})[rater] = by_key
    shared = {predictor: common(by_rater) for predictor, by_rater in known.items()}
    found = []
    for rater, credits in earned.items():
        for predictor, both in shared.items():
            if rater in both.together:
                keys = [key for key in credits if key in both.items]
                own_values = [known[predictor][rater][key] for key in keys]
                clusters = [items[key].cluster_id for key in keys]
                gained = [credits[key] for key in keys]
                found.append(_shallow(rater, predictor, own_values, gained, clusters))
    return tuple(found)


def _length(item: Item) -> float:
    means = {name: math.fsum(own) / len(own) for name, own in _lengths(item).items()}
    return _of_right(means)


def _shallow(
    rater: str,
    predictor: str,
    values: list[float],
    credits: list[float],
    clusters: Sequence[str],
) -> Shallow:
    owner = binned(values, max(1, min(N_BINS, len(values) // FEWEST)))
    bins = []
    for number in sorted(set(owner)):
        places = [place for place, each in enumerate(owner) if each == number]
        own = [credits[place] for place in places]
        limits = cluster_interval(own, [clusters[place] for place in places])
        edges = [_shown(predictor, values[place]) for place in places]
        bins.append(
            Bin(
                min(edges),
                max(edges),
                len(own),
                math.fsum(own) / len(own),
                limits.low if limits else None,
                limits.high if limits else None,
            )
        )
    return Shallow(rater, predictor, tuple(bins), len(values), pearson(values, credits))


def _shown(predictor: str, value: float) -> float:
    """Perplexities are correlated and binned as bits per word."""
    return float(2.0 ** min(value, 1_000.0)) if predictor == PERPLEXITY else value


def binned(values: Sequence[float], n_bins: int) -> list[int]:
    """The bin (from 0) of each value: quantiles, with equal values in one bin, so that there may be
    fewer bins than `n_bins` and a number without a value."""
    inner = np.quantile(np.asarray(values, dtype=float), np.arange(1, n_bins) / n_bins)
    found = np.searchsorted(np.unique(inner), np.asarray(values, dtype=float), side="left")
    return [int(each) for each in found]


def rows(found: Sequence[Shallow]) -> Iterator[Row]:
    """Rows of shallow.tsv: a predictor's correlation (without a bin), then its bins from 1."""
    for each in found:
        head: Row = {"rater": each.rater, "predictor": each.predictor}
        yield {**head, "n_items": each.n_items, "correlation": each.correlation}
        for number, own in enumerate(each.bins, start=1):
            measures = asdict(own)
            start, end = measures.pop("start"), measures.pop("end")
            yield {**head, "bin": number, "from": start, "to": end, **measures}
