"""Section: how long answers took, right and wrong ones apart; and how long words were read."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from colorless_green.humans.coding import levels
from colorless_green.humans.judgment import Reading, answered, is_among, session_of
from colorless_green.humans.lookup import TARGET
from colorless_green.humans.measures.accuracies import FEW_ITEMS
from colorless_green.humans.page.drawings import Axis, Box, Mark, boxes, lines
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.parts import (
    Cell,
    Figure,
    Panel,
    Section,
    code,
    count,
    counted,
    figure,
    panel_name,
    series,
    short,
    signed,
)
from colorless_green.humans.statistics.accuracy import Quantiles, curve, spread
from colorless_green.nonce.item import Item, sentence_text

SLOW_MS = 20_000  # beyond it people did something else
ANSWERS = {1: "right", 0: "wrong", None: "given"}  # what is neither right nor wrong is a rating
TICKS_MS = tuple(step * 10**power for power in range(1, 7) for step in (1, 2, 5))
FASTEST_MS, SLOWEST_MS = 100, 3000  # of one word; beyond them it was not read
BEFORE, AFTER = 3, 3  # words on either side of the target


def times(material: Material) -> Iterator[Section]:
    """How long people took; nothing where no time is known."""
    groups = list(_groups(material))
    figures = (*_times(groups), *_words(material))
    if not figures:
        return
    totals = [sum(each) for each in zip(*((g[2].n, g[3], g[4]) for g in groups), strict=True)]
    names = ("n", "n_slow", "n_unknown")
    facts = dict(zip(names, totals, strict=False), slow_s=SLOW_MS // 1000)
    yield Section("times", "How long people took", facts, figures)


_Group = tuple[str, int | None, Quantiles, int, int]
"""Kind, right (1), wrong (0) or rated, the times in ms, how many are slow, how many are unknown"""


def _groups(material: Material) -> Iterator[_Group]:
    """Right before wrong answers, kind by kind, of those that count."""
    own = [e for e in material.people.answers.counted if e.kind == "target" and answered(e)]
    for kind in levels(each.condition for each in own):
        for correct in ANSWERS:
            same = [e for e in own if e.condition == kind and e.correct == correct]
            found = [  # what has a place on a logarithmic scale; no answer takes no time
                each.rt_ms for each in same
                if each.rt_ms is not None and 0 < each.rt_ms < math.inf
            ]  # fmt: skip
            quantiles = spread(found)
            if quantiles is not None:
                n_slow = sum(time > SLOW_MS for time in found)
                yield kind, correct, quantiles, n_slow, len(same) - len(found)


def _times(groups: Sequence[_Group]) -> Iterator[Figure]:
    if not groups:
        return
    margin = 10**0.1  # of the scale on both sides
    low = min(own.p05 for _, _, own, *_ in groups) / margin
    high = max(own.p95 for _, _, own, *_ in groups) * margin
    has_slow = low < SLOW_MS < high
    shown = []
    for kind, correct, own, *_ in groups:
        name = f"{panel_name(kind)}, {ANSWERS[correct]} answers"
        says = (
            f"{name}: median {count(own.p50)} ms, half between {count(own.p25)} and"
            f" {count(own.p75)} ms, n = {count(own.n)}"
        )
        shown.append(Box(name, (own.p05, own.p25, own.p50, own.p75, own.p95), correct == 0, says))
    ticks = {float(each): f"{each / 1000:g}" for each in TICKS_MS if low <= each <= high}
    across = Axis("seconds", ticks, (low, high))
    yield figure(
        "times-figure",
        "Time taken for an answer",
        "On a logarithmic scale: the box holds the middle half of the answers, the line in it is"
        " the median, and the thin line holds nine in ten. Boxes of wrong answers are empty."
        + (f" The dashed line is {SLOW_MS // 1000} seconds." if has_slow else ""),
        [boxes(shown, across, SLOW_MS if has_slow else None)],
        (),
        groups,
        {
            "sentences": lambda row: short(panel_name(row[0])),
            "answers": lambda row: Cell(ANSWERS[row[1]]),
            "n": lambda row: counted(row[2].n),
            "5 %": lambda row: counted(row[2].p05),
            "25 %": lambda row: counted(row[2].p25),
            "median": lambda row: counted(row[2].p50),
            "75 %": lambda row: counted(row[2].p75),
            "95 %": lambda row: counted(row[2].p95),
            f"over {SLOW_MS // 1000} s": lambda row: counted(row[3]),
            "no time": lambda row: counted(row[4]),
        },
        data_title="Time taken for an answer, ms",
    )


_Point = tuple[str, str, int, int, int, float, float | None]
"""Kind, version, place (0 is the target), items, words, mean of logarithms of ms, its error"""


def _words(material: Material) -> Iterator[Figure]:
    """How long the words around the target were read, one by one (self-paced reading): a panel for
    each kind, a line for each version. Nothing where nothing was read so, or no sentence has a
    place in which its versions differ."""
    words = list(_near(material))
    good = [
        each
        for each in words
        if each[0].rt_ms is not None and FASTEST_MS <= each[0].rt_ms <= SLOWEST_MS
    ]
    found = list(_points(good))
    if not found:
        return
    versions = {rater.name: rater for rater in series(dict.fromkeys(p[1] for p in found))}
    ends = [log + side * (error or 0.0) for *_, log, error in found for side in (-1, 1)]
    span = min(ends) - 0.02, max(ends) + 0.02
    low, high = map(math.exp, span)
    step = next(each for each in (10, 20, 50, 100, 200, 500, 1000) if (high - low) / each <= 10)
    ticks = {
        math.log(ms): count(ms) for ms in range(step, SLOWEST_MS + step, step) if low <= ms <= high
    }

    def panel(kind: str) -> Panel:
        own = [point for point in found if point[0] == kind]
        places = sorted({point[2] for point in own})
        marks = [
            Mark(
                versions[shown], log,
                None if error is None else log - error, None if error is None else log + error,
                f"{shown or 'sentence'}, word {signed(place, 0)}: {math.exp(log):.0f} ms,"
                f" n = {count(n)} items",
                place,
                n < FEW_ITEMS,
            )
            for _, shown, place, n, _, log, error in own
        ]  # fmt: skip
        words = {float(each): signed(each, 0) if each else "target" for each in places}
        across = Axis("words from the target", words, (places[0] - 0.5, places[-1] + 0.5))
        return lines(panel_name(kind), marks, across, Axis("ms", ticks, span))

    yield figure(
        "reading-figure",
        "Reading times around the target",
        "Geometric means (of items' means) on a logarithmic scale; lines are one standard error"
        " over items to each side. 0 is the target, or the first word in which an item's versions"
        f" differ. {count(len(words) - len(good))} of {count(len(words))} words are left out:"
        f" faster than {FASTEST_MS} ms, slower than {count(SLOWEST_MS)} ms, or without a time."
        f" Points from fewer than {FEW_ITEMS} items are hollow.",
        [panel(kind) for kind in levels(point[0] for point in found)],
        versions.values(),
        found,
        {
            "sentences": lambda p: short(panel_name(p[0])),
            "version": lambda p: code(p[1]),
            "word": lambda p: Cell(signed(p[2], 0), "", "number", p[2]),
            "items": lambda p: counted(p[3]),
            "words read": lambda p: counted(p[4]),
            "ms": lambda p: counted(math.exp(p[5])),
            "minus one standard error": lambda p: counted(_moved(p, -1)),
            "plus one": lambda p: counted(_moved(p, 1)),
        },
    )


def _moved(point: _Point, side: int) -> float | None:
    return None if point[6] is None else math.exp(point[5] + side * point[6])


def _near(material: Material) -> Iterator[tuple[Reading, str, int]]:
    """The words near the target of everybody whose answers count, with kind and place."""
    trials: dict[tuple[str, str, str], list[Reading]] = {}
    gone = material.people.answers.gone
    out = {(each.participant, each.session) for each in gone if each.level in ("person", "session")}
    for each in material.people.answers.readings:
        known = each.kind == "target" and each.item in material.items
        if known and not is_among(each, out):
            trials.setdefault((*session_of(each), each.trial_id), []).append(each)
    targets: dict[tuple[str, str], int | None] = {}
    for words in trials.values():
        words.sort(key=lambda each: each.word_index)
        item, shown = material.items[words[0].item], words[0].shown
        if (item.item_id, shown) not in targets:
            targets[item.item_id, shown] = _target_word(item, shown)
        target = targets[item.item_id, shown]
        if target is not None:
            ends = accumulate(len(each.word.split()) for each in words)  # several at once can be
            at = next((place for place, end in enumerate(ends) if end > target), len(words))
            near = enumerate(words[max(0, at - BEFORE) : at + AFTER + 1], -min(at, BEFORE))
            yield from ((each, item.kind, place) for place, each in near)


def _target_word(item: Item, shown: str) -> int | None:
    """Which word (between blanks, from 0) of the version `shown` holds its target, or is the first
    in which it differs from another version; None where neither is there."""
    if shown not in item.conditions:
        return None
    wording = item.conditions[shown][0]
    names = [region.region for region in wording]
    if names.count(TARGET) == 1:
        before, whole = (sentence_text(wording[: names.index(TARGET) + k]) for k in (0, 1))
        apart = before[-1:].isspace() or whole[len(before) :][:1].isspace() or not before
        return len(before.split()) - (not apart)
    own = sentence_text(wording).split()
    others = (sentence_text(each[0]).split() for n, each in item.conditions.items() if n != shown)
    pairs = (pair for other in others for pair in enumerate(zip(own, other, strict=False)))
    return min((place for place, (one, two) in pairs if one != two), default=None)


def _points(words: Sequence[tuple[Reading, str, int]]) -> Iterator[_Point]:
    cells: dict[tuple[str, str, int], dict[str, list[float]]] = {}
    for reading, kind, place in words:
        assert reading.rt_ms is not None
        cell = cells.setdefault((kind, reading.shown, place), {})
        cell.setdefault(reading.item, []).append(math.log(reading.rt_ms))
    kinds = levels(kind for kind, *_ in cells)
    for kind, shown, place in sorted(cells, key=lambda c: (kinds.index(c[0]), c[1], c[2])):
        items = cells[kind, shown, place]
        means = [math.fsum(own) / len(own) for own in items.values()]
        (mean,) = curve([0] * len(means), means, last=1)
        n_words = sum(map(len, items.values()))
        yield kind, shown, place, len(means), n_words, mean.mean, mean.se
