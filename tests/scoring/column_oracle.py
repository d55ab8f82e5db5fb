"""What is asked of a suite and what its regions are worth, by plain loops over items."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.data import Item, Suite, Wording
from colorless_green.scoring import Stretch, Surprisals

Key = tuple[str, str, int]
"""(item, condition, sentence)"""


@dataclass(frozen=True)
class Wanted:
    """One sentence, as a continuation after its prefix, with (region, start, end)."""

    prefix: Stretch
    continuation: Stretch
    suffix: Stretch | None
    ends: bool
    regions: tuple[tuple[str, int, int], ...]
    holds_end: str
    empty: bool  # without any text

    @property
    def question(self) -> tuple[Stretch, Stretch, Stretch | None, bool]:
        return self.prefix, self.continuation, self.suffix, self.ends


def wanted(suite: Suite, unit: str, looks_ahead: bool, eos: str) -> dict[Key, Wanted]:
    return {
        (item.item_id, condition, index): _wanted(wording, regions, unit, looks_ahead, eos)
        for item in suite.items
        for condition, regions in _needed(suite, item).items()
        for index, wording in enumerate(item.conditions[condition])
    }


def _needed(suite: Suite, item: Item) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for prediction in suite.predictions:
        cells = prediction.cells()
        if all(
            condition in item.conditions
            and all(
                region == "*" or region in {each.region for each in wording}
                for wording in item.conditions[condition]
            )
            for condition, region in cells
        ):
            for condition, region in cells:
                found.setdefault(condition, set()).add(region)
    return found


def _wanted(wording: Wording, needed: set[str], unit: str, looks_ahead: bool, eos: str) -> Wanted:
    asked = ["*" in needed or region.region in needed for region in wording]
    first = asked.index(True)
    last = len(asked) - asked[::-1].index(True)
    regions = []
    position = 0
    for region in wording[first:last]:
        length = len(stretch((region,), unit))
        regions.append((region.region, position, position + length))
        position += length
    to_the_end = not stretch(wording[last:], unit)
    ends = to_the_end and (eos == "region" or (eos == "sentence" and "*" in needed))
    filled = [name for name, start, end in regions if end > start]
    return Wanted(
        stretch(wording[:first], unit),
        stretch(wording[first:last], unit),
        stretch(wording[last:], unit) if looks_ahead else None,
        ends,
        tuple(regions),
        filled[-1] if ends and eos == "region" and filled else "",
        not any(region.text.strip() for region in wording),
    )


def stretch(wording: Wording, unit: str) -> Stretch:
    if unit == "words":
        return tuple(word for region in wording for word in region.words)
    return "".join(region.text for region in wording)


def region_at(asked: Wanted, span: tuple[int, int]) -> str:
    """Return the region that a subword counts to: the one its last character lies in."""
    place = max(span[0], span[1] - 1)
    if asked.regions and place >= asked.regions[-1][2]:
        return asked.holds_end
    return next((name for name, start, end in asked.regions if start <= place < end), "")


def values(asked: Wanted, answer: Surprisals, metric: str) -> dict[str, tuple[float, int, bool]]:
    """Region → bits, number of subwords, whether one is unknown; `*` is all that was asked."""
    inside: dict[str, list[int]] = {name: [] for name, _, _ in asked.regions}
    for n, span in enumerate(answer.spans):
        if name := region_at(asked, span):
            inside[name].append(n)
    inside["*"] = list(range(len(answer.bits)))
    return {
        name: (
            PLAIN[metric]([answer.bits[n] for n in own]),
            len(own),
            any(answer.oov[n] for n in own),
        )
        for name, own in inside.items()
    }


def _sum(bits: Sequence[float]) -> float:
    total = 0.0
    for each in bits:  # in their order; `sum` of later Pythons is more exact than that
        total += each
    return total


def _median(bits: Sequence[float]) -> float:
    ordered = sorted(bits)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


PLAIN: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": _sum,
    "mean": lambda bits: _sum(bits) / len(bits) if bits else math.nan,
    "median": lambda bits: _median(bits) if bits else math.nan,
    "range": lambda bits: max(bits) - min(bits) if bits else math.nan,
    "max": lambda bits: max(bits, default=math.nan),
    "min": lambda bits: min(bits, default=math.nan),
}
