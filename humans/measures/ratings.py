"""How sentences were rated: right ones beside wrong ones, as given and as z-scores of each person.

People use a scale in their own ways; a z-score says how a sentence stands among all that the person
rated. Magnitudes are ratios to a reference (Bard et al. 1996), so their logarithms are analysed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import Lookup, lookup_of, plain
from colorless_green.humans.measures.measure import Evidence, Measure
from colorless_green.humans.observation import levels
from colorless_green.humans.statistics import FEW_SOURCES, Limits, mean_interval
from colorless_green.nonce.intervals import BOOTSTRAP, cluster_interval

RIGHT, WRONG = "right", "wrong"  # conditions of an item
MEANS: Mapping[str, str] = {
    RIGHT: "mean rating of right sentences",
    WRONG: "mean rating of wrong sentences",
}
DIFFERENCE, HIGHER = "rating, right − wrong", "items rated higher when right"
FLAT = "people whose ratings are all alike"
UNPLACED = "ratings of sentences neither right nor wrong"
NO_MAGNITUDE = "magnitudes not above 0"
GIVEN, LOGARITHM, Z = "as given", "natural logarithm", "z per person"
MAGNITUDE = "magnitude"  # a scale of studies
RATED = ("target", "filler")  # the kinds of trial that a person's mean and spread are of
SAME = 1e-9  # ratings that differ by less are a tie


@dataclass(frozen=True, slots=True)
class _Rating:
    """A target's rating on one scale."""

    item: str
    source: str
    kind: str  # of the item
    construction: str
    side: str  # RIGHT or WRONG
    value: float


def rates(judgment: Judgment) -> bool:
    """Whether one sentence was rated, and nothing chosen: a choice may have a rating beside it
    that says how sure somebody was."""
    chose = judgment.chosen or judgment.option_2 or judgment.chosen_index is not None
    return judgment.rating is not None and not chose


def measures(evidence: Evidence) -> Iterator[Measure]:
    """By kind of item, then by construction: the mean rating of right and of wrong sentences (over
    people, then over items), their difference over items of which both were rated, and the share of
    these that were rated higher when right, ties half. Intervals are over sources. Each as given
    (magnitudes: as logarithms) and as z-scores; then how many people had none, and what was left
    out. Nothing where nobody rated a target.

    A z-score is over all of a person's targets and fillers, with the standard deviation of a sample
    (n − 1); who gave all sentences the same rating has none. Whether a sentence is right is told by
    its text, which is one of the item's condition `right` or `wrong`; where the text is not known
    or is of both, by the condition that the file names.
    """
    own = [each for each in evidence.judgments if each.kind in RATED and rates(each)]
    if not any(each.kind == "target" for each in own):
        return
    first = LOGARITHM if evidence.scale == MAGNITUDE else GIVEN
    values = {
        place: value for place, each in enumerate(own) if (value := _value(each, first)) is not None
    }
    scores = _scores(own, values)
    sides = _sides(own, evidence)
    for level, known in ((first, values), (Z, scores)):
        note = f"scale {evidence.scale or 'not known'}" if level == GIVEN else ""
        found = list(_placed(own, sides, known, evidence))
        for kind, construction, cell in _cells(found):
            yield from _of(cell, kind, construction, level, note)
    yield from _left_out(own, sides, values, scores)


def _value(judgment: Judgment, level: str) -> float | None:
    rating = judgment.rating
    if rating is None or level == GIVEN:
        return rating
    return math.log(rating) if rating > 0 else None


def _scores(own: Sequence[Judgment], values: Mapping[int, float]) -> dict[int, float]:
    """Place of a rating → its z-score among its person's; none where these are all alike."""
    by_person: dict[str, list[int]] = {}
    for place in values:
        by_person.setdefault(own[place].participant, []).append(place)
    found: dict[int, float] = {}
    for places in by_person.values():
        given = [values[place] for place in places]
        if len(set(given)) > 1:
            mean = _mean(given)
            spread = math.sqrt(math.fsum((x - mean) ** 2 for x in given) / (len(given) - 1))
            found.update((place, (values[place] - mean) / spread) for place in places)
    return found


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _sides(own: Sequence[Judgment], evidence: Evidence) -> dict[int, str]:
    """Place of a target's rating → RIGHT, WRONG, or "" for what is neither."""
    targets = {place: each for place, each in enumerate(own) if each.kind == "target"}
    names = dict.fromkeys(each.item for each in targets.values())
    lookup = lookup_of(evidence.items[name] for name in names if name in evidence.items)
    return {place: _side(each, lookup) for place, each in targets.items()}


def _side(judgment: Judgment, lookup: Lookup) -> str:
    shown = lookup.by_sentence.get(plain(judgment.option_1), ())
    told = {condition for item, condition in shown if item == judgment.item}
    named = judgment.condition.rpartition(" ")[2]  # of a study of our own: "nonce wrong"
    side = told.pop() if len(told) == 1 else named
    return side if side in MEANS else ""


def _placed(
    own: Sequence[Judgment],
    sides: Mapping[int, str],
    known: Mapping[int, float],
    evidence: Evidence,
) -> Iterator[_Rating]:
    for place, side in sides.items():
        each = own[place]
        if side and place in known:
            kind = evidence.items[each.item].kind if each.item in evidence.items else each.condition
            yield _Rating(each.item, each.source, kind, each.construction, side, known[place])


def _cells(found: Sequence[_Rating]) -> Iterator[tuple[str, str, list[_Rating]]]:
    """(kind, construction, ratings): all where there are several kinds, each kind, then each
    kind's constructions by name."""
    kinds = levels(each.kind for each in found)
    if len(kinds) > 1:
        yield "", "", list(found)
    by_kind = {kind: [each for each in found if each.kind == kind] for kind in kinds}
    for kind, own in by_kind.items():
        yield kind, "", own
    for kind, own in by_kind.items():
        for name in sorted({each.construction for each in own} - {""}):
            yield kind, name, [each for each in own if each.construction == name]


def _of(
    own: Sequence[_Rating], kind: str, construction: str, level: str, note: str
) -> Iterator[Measure]:
    sources = {each.item: each.source for each in own}
    means = {side: _by_item(each for each in own if each.side == side) for side in MEANS}
    both = {
        item: right - means[WRONG][item]
        for item, right in means[RIGHT].items()
        if item in means[WRONG]
    }
    higher = {item: 0.5 if abs(d) <= SAME else float(d > 0) for item, d in both.items()}
    for statistic, found in (
        *((MEANS[side], means[side]) for side in MEANS),
        (DIFFERENCE, both),
        (HIGHER, higher),
    ):
        if not found:
            continue
        clusters = [sources[item] for item in found]
        limits = _limits(list(found.values()), clusters, is_share=statistic == HIGHER)
        n_sources = len(set(clusters))
        notes = (
            limits.method if limits else "",
            f"only {n_sources} sources" if n_sources < FEW_SOURCES else "",
            note,
        )
        yield Measure(
            statistic,
            _mean(list(found.values())),
            kind,
            construction,
            level=level,
            n=len(found),
            low=limits.low if limits else None,
            high=limits.high if limits else None,
            note=", ".join(filter(None, notes)),
        )


def _limits(values: Sequence[float], clusters: Sequence[str], *, is_share: bool) -> Limits | None:
    if is_share:
        return mean_interval(values, clusters)
    found = cluster_interval(values, clusters)
    return Limits(found.low, found.high, BOOTSTRAP) if found is not None else None


def _by_item(own: Iterable[_Rating]) -> dict[str, float]:
    """Item → its mean over people."""
    given: dict[str, list[float]] = {}
    for each in own:
        given.setdefault(each.item, []).append(each.value)
    return {item: _mean(given[item]) for item in sorted(given)}


def _left_out(
    own: Sequence[Judgment],
    sides: Mapping[int, str],
    values: Mapping[int, float],
    scores: Mapping[int, float],
) -> Iterator[Measure]:
    people = {own[place].participant for place in values}
    flat = people - {own[place].participant for place in scores}
    unplaced = sum(not side for side in sides.values())
    for statistic, n, of, what in (
        (FLAT, len(flat), len(people), "n: people; they have no z-scores"),
        (UNPLACED, unplaced, len(sides), "n: ratings"),
        (NO_MAGNITUDE, len(own) - len(values), len(own), "n: ratings; they have no logarithm"),
    ):
        if n:
            yield Measure(statistic, float(n), n=of, note=what)
