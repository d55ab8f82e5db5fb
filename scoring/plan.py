"""A suite to the queries a model must answer, each asked once.

Only the regions that predictions need are asked for: what stands before the first of them is the
prefix, what stands after the last is never computed, and told only to a model that looks ahead, as
the suffix. Wordings with the same prefix (and suffix) share one query; equal continuations of a
prefix are asked once, in whatever items they stand.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.nonce.item import Item, Wording
from colorless_green.nonce.suite import WHOLE, Suite
from colorless_green.scoring.query import Query, Stretch, Surprisals


@dataclass(frozen=True, slots=True)
class Slice:
    """A region's place in a continuation: half-open, in the stretch's own units."""

    region: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Request:
    """One wording of one condition of one item, as a prefix and a continuation with its regions."""

    item_id: str
    condition: str
    sentence_index: int
    prefix: Stretch
    continuation: Stretch
    regions: tuple[Slice, ...]
    suffix: Stretch | None = None  # for a model that looks ahead

    @property
    def asked(self) -> tuple[Stretch, Stretch, Stretch | None]:
        """What its answer depends on: (prefix, continuation, suffix)."""
        return self.prefix, self.continuation, self.suffix


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted, and the queries that answer it."""

    requests: tuple[Request, ...]
    queries: tuple[Query, ...]


def plan(suite: Suite, unit: str, *, looks_ahead: bool = False) -> Plan:
    """The requests of every item, and each distinct prefix once with all its continuations, in the
    order of first appearance. A model that looks ahead gets the rest of each sentence too."""
    needed: dict[str, set[str]] = {}
    for prediction in suite.predictions:
        for condition, region in prediction.cells():
            needed.setdefault(condition, set()).add(region)
    requests = tuple(
        request for item in suite.items for request in _requests_of(item, needed, unit, looks_ahead)
    )
    return Plan(requests, queries_of(requests))


def queries_of(requests: Iterable[Request]) -> tuple[Query, ...]:
    """Each distinct prefix (with its suffix, if there is one) once, with each of its distinct
    continuations once."""
    asked: dict[tuple[Stretch, Stretch | None], dict[Stretch, None]] = {}
    for request in requests:
        around = (request.prefix, request.suffix)
        asked.setdefault(around, {}).setdefault(request.continuation)
    return tuple(
        Query(prefix, tuple(continuations), suffix)
        for (prefix, suffix), continuations in asked.items()
    )


def _requests_of(
    item: Item, needed: Mapping[str, set[str]], unit: str, looks_ahead: bool
) -> Iterable[Request]:
    for condition, regions in needed.items():
        for index, wording in enumerate(item.conditions[condition]):
            yield _request(item.item_id, condition, index, wording, regions, unit, looks_ahead)


def _request(
    item_id: str,
    condition: str,
    index: int,
    wording: Wording,
    needed: set[str],
    unit: str,
    looks_ahead: bool,
) -> Request:
    wanted = [WHOLE in needed or region.region in needed for region in wording]
    first = wanted.index(True)
    last = len(wanted) - wanted[::-1].index(True)
    slices: list[Slice] = []
    position = 0
    for region in wording[first:last]:
        length = len(_stretch((region,), unit))
        slices.append(Slice(region.region, position, position + length))
        position += length
    return Request(
        item_id,
        condition,
        index,
        _stretch(wording[:first], unit),
        _stretch(wording[first:last], unit),
        tuple(slices),
        _stretch(wording[last:], unit) if looks_ahead else None,
    )


def _stretch(regions: Wording, unit: str) -> Stretch:
    if unit == "words":
        return tuple(word for region in regions for word in region.words)
    return "".join(region.text for region in regions)


def query_hash(
    unit: str, prefix: Stretch, continuation: Stretch, suffix: Stretch | None = None
) -> str:
    """32 hex digits that stand for one continuation after one prefix, in the store; for a model
    that looks ahead, before one suffix too, of which the empty one is another than none."""
    stretches = (prefix, continuation) if suffix is None else (prefix, continuation, suffix)
    parts = [unit, *map(_hashable, stretches)]
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()[:32]


def _hashable(stretch: Stretch) -> str:
    return stretch if isinstance(stretch, str) else "\x1f".join(stretch)


def region_bits(request: Request, answer: Surprisals, metric: str) -> dict[str, float]:
    """Surprisal in bits of each region of the request, by `metric` over the region's subwords.

    A subword belongs to the region its last character lies in. `*` is the whole continuation; it
    is asked for only where that is the sentence.
    """
    subwords: dict[str, list[float]] = {each.region: [] for each in request.regions}
    for bits, (start, end) in zip(answer.bits, answer.spans, strict=True):
        place = max(start, end - 1)
        for each in request.regions:
            if each.start <= place < each.end:
                subwords[each.region].append(bits)
                break
    values = {region: METRICS[metric](bits) for region, bits in subwords.items()}
    values[WHOLE] = METRICS[metric](list(answer.bits))
    return values


def n_subwords(request: Request, answer: Surprisals, region: str) -> int:
    """How many subwords of the answer lie in a region."""
    places = [max(start, end - 1) for start, end in answer.spans]
    inside = [each for each in request.regions if each.region == region]
    return sum(each.start <= place < each.end for place in places for each in inside)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


METRICS: dict[
    str, Callable[[Sequence[float]], float]
] = {  # how a region's subwords become one number (SyntaxGym's `meta.metric`); empty: 0
    "sum": lambda bits: float(sum(bits)),
    "mean": lambda bits: sum(bits) / len(bits) if bits else 0.0,
    "median": lambda bits: _median(bits) if bits else 0.0,
    "range": lambda bits: max(bits) - min(bits) if bits else 0.0,
    "max": lambda bits: max(bits, default=0.0),
    "min": lambda bits: min(bits, default=0.0),
}
