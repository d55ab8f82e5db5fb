"""Section: how long answers took, right and wrong ones apart; and how long words were read."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from colorless_green.humans.judgment import Reading, answered, is_among, levels, session_of
from colorless_green.humans.lookup import TARGET
from colorless_green.humans.measures.accuracies import FEW_ITEMS
from colorless_green.humans.page.drawings import Axis, Box, PlotMark, boxes, lines
from colorless_green.humans.page.parts import (
    Figure,
    Panel,
    Section,
    TableCell,
    code,
    count,
    count_cell,
    figure,
    panel_name,
    series,
    short,
    signed,
)
from colorless_green.humans.page.report_data import ReportData
from colorless_green.humans.statistics.accuracy import Quantiles, curve, spread
from colorless_green.nonce.item import Item, sentence_text

SLOW_MS = 20_000  # beyond it people did something else
ANSWERS = {1: "right", 0: "wrong", None: "given"}  # what is neither right nor wrong is a rating
TICKS_MS = tuple(step * 10**power for power in range(1, 7) for step in (1, 2, 5))
FASTEST_MS, SLOWEST_MS = 100, 3000  # of one word; beyond them it was not read
BEFORE, AFTER = 3, 3  # words on either side of the target


def times(material: ReportData) -> Iterator[Section]:
    """How long people took; nothing where no time is known."""
    groups = list(_groups(material))
    figures = (*_times(groups), *_words(material))
    if not figures:
        return
    totals = [sum(counts) for counts in zip(*((g[2].n, g[3], g[4]) for g in groups), strict=True)]
    names = ("n", "n_slow", "n_unknown")
    facts = dict(zip(names, totals, strict=False), slow_s=SLOW_MS // 1000)
    yield Section("times", "How long people took", facts, figures)


_Group = tuple[str, int | None, Quantiles, int, int]
"""Kind, right (1), wrong (0) or rated, the times in ms, how many are slow, how many are unknown"""


def _groups(material: ReportData) -> Iterator[_Group]:
    """Right before wrong answers, kind by kind, of those that count."""
    trials = [e for e in material.people.answers.counted if e.kind == "target" and answered(e)]
    for kind in levels(trial.condition for trial in trials):
        for correct in ANSWERS:
            same = [e for e in trials if e.condition == kind and e.correct == correct]
            durations = [  # what has a place on a logarithmic scale; no answer takes no time
                trial.rt_ms for trial in same
                if trial.rt_ms is not None and 0 < trial.rt_ms < math.inf
            ]  # fmt: skip
            quantiles = spread(durations)
            if quantiles is not None:
                n_slow = sum(time > SLOW_MS for time in durations)
                yield kind, correct, quantiles, n_slow, len(same) - len(durations)


def _times(groups: Sequence[_Group]) -> Iterator[Figure]:
    if not groups:
        return
    margin = 10**0.1  # of the scale on both sides
    low = min(ms.p05 for _, _, ms, *_ in groups) / margin
    high = max(ms.p95 for _, _, ms, *_ in groups) * margin
    has_slow = low < SLOW_MS < high
    shown = []
    for kind, correct, ms, *_ in groups:
        name = f"{panel_name(kind)}, {ANSWERS[correct]} answers"
        says = (
            f"{name}: median {count(ms.p50)} ms, half between {count(ms.p25)} and"
            f" {count(ms.p75)} ms, n = {count(ms.n)}"
        )
        shown.append(Box(name, (ms.p05, ms.p25, ms.p50, ms.p75, ms.p95), correct == 0, says))
    ticks = {float(tick): f"{tick / 1000:g}" for tick in TICKS_MS if low <= tick <= high}
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
            "answers": lambda row: TableCell(ANSWERS[row[1]]),
            "n": lambda row: count_cell(row[2].n),
            "5 %": lambda row: count_cell(row[2].p05),
            "25 %": lambda row: count_cell(row[2].p25),
            "median": lambda row: count_cell(row[2].p50),
            "75 %": lambda row: count_cell(row[2].p75),
            "95 %": lambda row: count_cell(row[2].p95),
            f"over {SLOW_MS // 1000} s": lambda row: count_cell(row[3]),
            "no time": lambda row: count_cell(row[4]),
        },
        data_title="Time taken for an answer, ms",
    )


_Point = tuple[str, str, int, int, int, float, float | None]
"""Kind, version, place (0 is the target), items, words, mean of logarithms of ms, its error"""


def _words(material: ReportData) -> Iterator[Figure]:
    """How long the words around the target were read, one by one (self-paced reading): a panel for
    each kind, a line for each version. Nothing where nothing was read so, or no sentence has a
    place in which its versions differ."""
    words = list(_near(material))
    good = [
        word
        for word in words
        if word[0].rt_ms is not None and FASTEST_MS <= word[0].rt_ms <= SLOWEST_MS
    ]
    points = list(_points(good))
    if not points:
        return
    versions = {rater.name: rater for rater in series(dict.fromkeys(p[1] for p in points))}
    ends = [log + side * (error or 0.0) for *_, log, error in points for side in (-1, 1)]
    span = min(ends) - 0.02, max(ends) + 0.02
    low, high = map(math.exp, span)
    step = next(size for size in (10, 20, 50, 100, 200, 500, 1000) if (high - low) / size <= 10)
    ticks = {
        math.log(ms): count(ms) for ms in range(step, SLOWEST_MS + step, step) if low <= ms <= high
    }

    def panel(kind: str) -> Panel:
        of_kind = [point for point in points if point[0] == kind]
        places = sorted({point[2] for point in of_kind})
        marks = [
            PlotMark(
                versions[shown], log,
                None if error is None else log - error, None if error is None else log + error,
                f"{shown or 'sentence'}, word {signed(place, 0)}: {math.exp(log):.0f} ms,"
                f" n = {count(n)} items",
                place,
                n < FEW_ITEMS,
            )
            for _, shown, place, n, _, log, error in of_kind
        ]  # fmt: skip
        words = {float(place): signed(place, 0) if place else "target" for place in places}
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
        [panel(kind) for kind in levels(point[0] for point in points)],
        versions.values(),
        points,
        {
            "sentences": lambda p: short(panel_name(p[0])),
            "version": lambda p: code(p[1]),
            "word": lambda p: TableCell(signed(p[2], 0), "", "number", p[2]),
            "items": lambda p: count_cell(p[3]),
            "words read": lambda p: count_cell(p[4]),
            "ms": lambda p: count_cell(math.exp(p[5])),
            "minus one standard error": lambda p: count_cell(_moved(p, -1)),
            "plus one": lambda p: count_cell(_moved(p, 1)),
        },
    )


def _moved(point: _Point, side: int) -> float | None:
    return None if point[6] is None else math.exp(point[5] + side * point[6])


def _near(material: ReportData) -> Iterator[tuple[Reading, str, int]]:
    """The words near the target of everybody whose answers count, with kind and place."""
    trials: dict[tuple[str, str, str], list[Reading]] = {}
    cases = material.people.answers.gone
    out = {
        (case.participant, case.session) for case in cases if case.level in ("person", "session")
    }
    for reading in material.people.answers.readings:
        known = reading.kind == "target" and reading.item in material.items
        if known and not is_among(reading, out):
            trials.setdefault((*session_of(reading), reading.trial_id), []).append(reading)
    targets: dict[tuple[str, str], int | None] = {}
    for words in trials.values():
        words.sort(key=lambda word: word.word_index)
        item, shown = material.items[words[0].item], words[0].shown
        if (item.item_id, shown) not in targets:
            targets[item.item_id, shown] = _target_word(item, shown)
        target = targets[item.item_id, shown]
        if target is not None:
            ends = accumulate(len(word.word.split()) for word in words)  # several at once can be
            at = next((place for place, end in enumerate(ends) if end > target), len(words))
            near = enumerate(words[max(0, at - BEFORE) : at + AFTER + 1], -min(at, BEFORE))
            yield from ((word, item.kind, place) for place, word in near)


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
    words = sentence_text(wording).split()
    others = (
        sentence_text(wordings[0]).split() for n, wordings in item.conditions.items() if n != shown
    )
    pairs = (pair for other in others for pair in enumerate(zip(words, other, strict=False)))
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
        means = [math.fsum(logs) / len(logs) for logs in items.values()]
        (mean,) = curve([0] * len(means), means, last=1)
        n_words = sum(map(len, items.values()))
        yield kind, shown, place, len(means), n_words, mean.mean, mean.se
