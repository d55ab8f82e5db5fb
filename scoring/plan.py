"""A suite to the queries a model must answer, each asked once.

Only the regions that predictions need are asked for: what stands before the first of them is the
prefix, what stands after the last is never computed, and told only to a model that looks ahead, as
the suffix. Wordings with the same prefix (and suffix) share one query; equal continuations of a
prefix are asked once, in whatever items they stand.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from colorless_green.nonce.item import Item, Wording
from colorless_green.nonce.prediction import Cell, Prediction
from colorless_green.nonce.suite import WHOLE, Suite, applies
from colorless_green.scoring.query import Query, Stretch, Surprisals

TOGETHER = 64  # continuations of one prefix that make a query; what is committed goes by queries
EOS = ("none", "sentence", "region")
"""What becomes of the end of the sentence where a model says it: not asked for; part of the whole
sentence (`*`) alone; part of its last region too, as syntaxgym-core has it."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A region's place in a continuation: half-open, in the stretch's own units."""

    region: str
    start: int
    end: int


class Asked(NamedTuple):
    """What an answer depends on, beside the model."""

    prefix: Stretch
    continuation: Stretch
    suffix: Stretch | None = None  # none for a model that does not look ahead
    ends: bool = False  # with the end of the sentence


@dataclass(frozen=True, slots=True)
class Request:
    """One wording of one condition of one item, as a prefix and a continuation with its regions."""

    item_id: str
    condition: str
    sentence_index: int
    asked: Asked
    regions: tuple[Slice, ...]
    holds_end: str = ""  # the region that the end of the sentence counts to, beside `*`


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted, and the queries that answer it."""

    requests: tuple[Request, ...]
    queries: tuple[Query, ...]


NOTHING_LESS: Mapping[Cell, Cell] = MappingProxyType({})


def plan_suite(
    suite: Suite,
    unit: str,
    *,
    looks_ahead: bool = False,
    eos: str = "none",
    less: Mapping[Cell, Cell] = NOTHING_LESS,
) -> Plan:
    """The requests of every item, and each distinct prefix with all its continuations, in the
    order of first appearance. A model that looks ahead gets the rest of each sentence too. `eos`
    is one of EOS; `less` tells which further (condition, region) each one needs."""
    how = _How(unit, looks_ahead, eos)
    requests = tuple(
        _request(item.item_id, condition, index, wording, regions, how)
        for item in suite.items
        for condition, regions in needed(suite.predictions, item, less).items()
        for index, wording in enumerate(item.conditions[condition])
    )
    return Plan(requests, queries_of(each.asked for each in requests))


def needed(
    predictions: Sequence[Prediction], item: Item, less: Mapping[Cell, Cell]
) -> dict[str, set[str]]:
    """Condition → regions that the predictions of an item ask for."""
    found: dict[str, set[str]] = {}
    for prediction in predictions:
        if applies(prediction, item):
            cells = prediction.cells()
            for condition, region in (*cells, *(less[cell] for cell in cells if cell in less)):
                found.setdefault(condition, set()).add(region)
    return found


def plan_sentences(items: Sequence[Item], unit: str, *, looks_ahead: bool, eos: str) -> Plan:
    """Every sentence of every condition as a whole, whatever is predicted of it."""
    how = _How(unit, looks_ahead, eos)
    requests = tuple(
        _request(item.item_id, condition, index, wording, {WHOLE}, how)
        for item in items
        for condition, wordings in item.conditions.items()
        for index, wording in enumerate(wordings)
    )
    return Plan(requests, queries_of(each.asked for each in requests))


def queries_of(wanted: Iterable[Asked]) -> tuple[Query, ...]:
    """Each distinct prefix (with its suffix, if there is one) with each of its distinct
    continuations once, at most TOGETHER in a query: then in their order as texts, so that those
    which begin alike stand together. What is empty needs no answer."""
    found: dict[tuple[Stretch, Stretch | None, bool], dict[Stretch, None]] = {}
    for each in wanted:
        if each.continuation or each.ends:
            around = (each.prefix, each.suffix, each.ends)
            found.setdefault(around, {}).setdefault(each.continuation)
    return tuple(
        Query(prefix, some, suffix, ends)
        for (prefix, suffix, ends), continuations in found.items()
        for some in _together(list(continuations))
    )


def _together(continuations: list[Stretch]) -> Iterable[tuple[Stretch, ...]]:
    if len(continuations) > TOGETHER:
        continuations.sort()
    for start in range(0, len(continuations), TOGETHER):
        yield tuple(continuations[start : start + TOGETHER])


@dataclass(frozen=True, slots=True)
class _How:
    """What the model wants to be asked."""

    unit: str
    looks_ahead: bool
    eos: str


def _request(
    item_id: str, condition: str, index: int, wording: Wording, needed: set[str], how: _How
) -> Request:
    wanted = [WHOLE in needed or region.region in needed for region in wording]
    first = wanted.index(True)
    last = len(wanted) - wanted[::-1].index(True)
    slices: list[Slice] = []
    position = 0
    for region in wording[first:last]:
        length = len(_stretch((region,), how.unit))
        slices.append(Slice(region.region, position, position + length))
        position += length
    to_the_end = not _stretch(wording[last:], how.unit)
    ends = to_the_end and (how.eos == "region" or (how.eos == "sentence" and WHOLE in needed))
    asked = Asked(
        _stretch(wording[:first], how.unit),
        _stretch(wording[first:last], how.unit),
        _stretch(wording[last:], how.unit) if how.looks_ahead else None,
        ends,
    )
    filled = [each.region for each in slices if each.end > each.start]
    holds_end = filled[-1] if ends and how.eos == "region" and filled else ""
    return Request(item_id, condition, index, asked, tuple(slices), holds_end)


def _stretch(regions: Wording, unit: str) -> Stretch:
    if unit == "words":
        return tuple(word for region in regions for word in region.words)
    return "".join(region.text for region in regions)


def query_hash(unit: str, asked: Asked) -> str:
    """32 hex digits that stand for one continuation after one prefix, in the store; for a model
    that looks ahead, before one suffix too, of which the empty one is another than none."""
    parts = [unit, _hashable(asked.prefix), _hashable(asked.continuation)]
    if asked.suffix is not None:
        parts.append(_hashable(asked.suffix))
    if asked.ends:
        parts.append("\x1d")
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()[:32]


def _hashable(stretch: Stretch) -> str:
    return stretch if isinstance(stretch, str) else "\x1f".join(stretch)


def region_bits(request: Request, answer: Surprisals, metric: str) -> dict[str, float]:
    """Surprisal in bits of each region of the request, by `metric` over the region's subwords.

    A subword belongs to the region its last character lies in, the end of the sentence to the one
    that `holds_end`. `*` is the whole continuation; it is asked for only where that is the
    sentence.
    """
    subwords: dict[str, list[float]] = {each.region: [] for each in request.regions}
    for bits, span in zip(answer.bits, answer.spans, strict=True):
        region = region_at(request, span)
        if region:
            subwords[region].append(bits)
    values = {region: METRICS[metric](bits) for region, bits in subwords.items()}
    values[WHOLE] = METRICS[metric](answer.bits)
    return values


def n_subwords(request: Request, answer: Surprisals, region: str) -> int:
    """How many subwords of the answer lie in a region."""
    return sum(region_at(request, span) == region for span in answer.spans)


def region_at(request: Request, span: tuple[int, int]) -> str:
    """The region a subword counts to; "" for none."""
    place = max(span[0], span[1] - 1)
    if request.regions and place >= request.regions[-1].end:
        return request.holds_end
    return next((each.region for each in request.regions if each.start <= place < each.end), "")


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": lambda bits: float(sum(bits)),
    "mean": lambda bits: sum(bits) / len(bits) if bits else math.nan,
    "median": lambda bits: _median(bits) if bits else math.nan,
    "range": lambda bits: max(bits) - min(bits) if bits else math.nan,
    "max": lambda bits: max(bits, default=math.nan),
    "min": lambda bits: min(bits, default=math.nan),
}
"""How a region's subwords become one number (SyntaxGym's `meta.metric`). Of a region without text
the sum is 0, and the others are none (NaN): a formula that meets one is undefined."""
