"""Answers as columns of numbers, and what can only be said where it is known who gave them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.humans.statistics.accuracy import item_interval
from colorless_green.humans.statistics.rank import BLOCK
from colorless_green.nonce.intervals import (
    COVERAGE,
    DECIMALS,
    RESAMPLES,
    SEED,
    WILSON,
    Floats,
    Integers,
    Interval,
    Limits,
    draws,
    numbered,
)

BY_BOTH = "bootstrap over sources and people"  # drawn independently of each other
PEOPLE_STREAM = 1  # added to the seed, so that people are not drawn as sources are


@dataclass(frozen=True, slots=True)
class Answers:
    """Targets that were answered right or wrong, sorted by item, then participant.

    Items and sources are numbered in the order of their names, people in that of their answers:
    names of people are pseudonyms, and nothing may hang on which they were given.
    """

    n_people: int
    n_sources: int
    person: Integers  # (answers,)
    correct: Floats  # (answers,): 0 or 1
    starts: Integers  # (items,): where the answers to each item begin
    owner: Integers  # (items,): its source

    @staticmethod
    def of(judgments: Sequence[Judgment]) -> "Answers":
        """Fillers, checks, practice and missing answers are left out."""
        own = [each for each in judgments if each.kind == "target" and each.correct is not None]
        ranks = _by_answers(own)
        own.sort(key=lambda each: (each.item, ranks[each.participant], each.correct))
        person = np.array([ranks[each.participant] for each in own], dtype=int)
        sources, owner = numbered([each.source for each in own])
        _, item = numbered([each.item for each in own])
        starts = np.flatnonzero(np.diff(item, prepend=-1))
        correct = np.array([each.correct for each in own], dtype=float)
        return Answers(len(ranks), len(sources), person, correct, starts, owner[starts])

    def by_item(self, weights: Floats) -> tuple[Floats, Floats]:
        """How many right and how many answers each item has if person p counts `weights[:, p]`
        times; both of shape (draws, items)."""
        each = weights[:, self.person]
        total: Floats = np.add.reduceat(each, self.starts, axis=1)
        right: Floats = np.add.reduceat(each * self.correct, self.starts, axis=1)
        return right, total

    def blocks(self, weights: Floats, cells: int) -> Iterator[slice]:
        """The draws in stretches of about so many cells."""
        step = max(1, cells // max(1, len(self.person)))
        for start in range(0, len(weights), step):
            yield slice(start, start + step)


def _by_answers(judgments: Sequence[Judgment]) -> dict[str, int]:
    """Everybody's number: who answered alike can change places without a trace."""
    given: dict[str, list[tuple[str, int | None]]] = {}
    for each in judgments:
        given.setdefault(each.participant, []).append((each.item, each.correct))
    ordered = sorted(given, key=lambda name: sorted(given[name]))
    return {name: place for place, name in enumerate(ordered)}


def people_limits(tallies: Sequence[Tally], judgments: Sequence[Judgment]) -> Limits | None:
    """The interval of the item accuracy on the items of `tallies`: over people and sources where it
    is known who answered, else over sources; Wilson's where all answers are right, or all wrong."""
    found = item_interval(tallies)
    if found is None or found.method == WILSON:
        return found
    items = {each.item for each in tallies}
    own = [each for each in judgments if each.item in items]
    both = two_way_interval(own) if own else None
    return Limits(both.low, both.high, BY_BOTH) if both else found


def two_way_interval(
    judgments: Sequence[Judgment],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    cells: int = BLOCK,
) -> Interval | None:
    """The interval of the item accuracy over people and sources, both drawn anew, independently.

    It is wider than the one over sources, for it asks what other people would do, too. An item
    that nobody drawn has answered is left out of that draw. The sources are drawn as in
    `cluster_interval`. None with fewer than two people or two sources. `cells` bounds the matrices
    that are held at once, and changes nothing.
    """
    answers = Answers.of(judgments)
    if answers.n_people < 2 or answers.n_sources < 2:
        return None
    people = np.concatenate(list(draws(answers.n_people, resamples, seed + PEOPLE_STREAM)))
    sources = np.concatenate(list(draws(answers.n_sources, resamples, seed)))
    values = []
    for block in answers.blocks(people, cells):
        right, total = answers.by_item(people[block])
        weights = sources[block][:, answers.owner] * (total > 0)
        share = np.divide(right, total, out=np.zeros_like(right), where=total > 0)
        size = weights.sum(axis=1)
        means = np.divide(
            (weights * share).sum(axis=1), size, out=np.full_like(size, np.nan), where=size > 0
        )
        values.append(means)
    found = np.concatenate(values)
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(found[~np.isnan(found)], [tail, 1 - tail])
    return Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))
