"""Warstadt et al. 2020, Tables 3 and 4, with the figures of the authors' corrected results.

The whole right sentence must be more probable than the wrong one, a tie is wrong; a phenomenon is
the mean over its paradigms, and so is the whole set.
"""

import math
from collections.abc import Iterator, Sequence

from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers.counting import (
    ByPrediction,
    RowKey,
    counted,
    interval,
    mean,
    notes_on_methods,
    notes_on_rows,
    of_whole,
    strictly,
    unknown_rows,
)
from colorless_green.humans.papers.layout import OWN, Beside, Value, published
from colorless_green.humans.rows import StoredRun
from colorless_green.nonce.formats.pairs import FULL
from colorless_green.nonce.item import Item

NAME, PHENOMENA, PARADIGMS = "warstadt2020", "Table 3", "Table 4"
OVERALL = "overall"
METHODS = ("sentence",)


def beside(results: Sequence[SuiteResults]) -> Beside:
    """Both tables with one's own columns. Where paradigms are missing, a phenomenon has the mean
    of those that are here, beside the paper's over all, and a note says how many there are."""
    theirs = tuple(published(NAME))
    blocks = {each.row: each.block for each in theirs if each.table == PARADIGMS}

    def row_of(item: Item) -> RowKey | None:
        uid = item.facts.get("uid", "")
        return (blocks[uid], uid) if uid in blocks else None

    found = counted(results, row_of, _credit)
    own: list[Value] = []
    for rater, by_row in found.items():
        paradigms = [
            Value(
                PARADIGMS,
                *row,
                rater,
                OWN,
                mean(members),
                low=limits.low if (limits := interval(members)) else None,
                high=limits.high if limits else None,
                n=len(members),
            )
            for row, members in by_row.items()
        ]
        own += [*_means(rater, paradigms), *paradigms]
    seen = {each.row for each in own if each.table == PARADIGMS}
    missing = [uid for uid in blocks if uid not in seen]
    notes = (
        *notes_on_rows(unknown_rows(results, row_of), missing),
        *([f"{len(seen)} of {len(blocks)} paradigms are here"] if missing else ()),
        *notes_on_methods(results, METHODS, "setup warstadt2020"),
    )
    return Beside((*theirs, *own), notes, frozenset((PHENOMENA,)))


def _means(rater: str, paradigms: Sequence[Value]) -> Iterator[Value]:
    groups: dict[str, list[float]] = {OVERALL: [each.value for each in paradigms]}
    for each in paradigms:
        groups.setdefault(each.block, []).append(each.value)
    for name, values in groups.items():
        value = math.fsum(values) / len(values)
        yield Value(PHENOMENA, "", name, rater, OWN, value, n=len(values))


def _credit(item: Item, outcomes: ByPrediction, run: StoredRun) -> float | None:
    outcome = of_whole(FULL.name, outcomes, run)
    return None if outcome is None else strictly(outcome)
