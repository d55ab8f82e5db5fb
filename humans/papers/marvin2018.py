"""Marvin & Linzen 2018, Table 1: 15 conditions, each pooled over animate and inanimate files.

The larger of two sums of log-probabilities wins, a tie is wrong; all items of a condition count the
same. Which comparison of an NPI triple a row shows is told by the item's fact `table`.
"""

from collections.abc import Sequence

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

NAME, TABLE = "marvin2018", "Table 1"
METHODS = ("sentence period=add", "sentence eos=sentence period=add")


def beside(results: Sequence[SuiteResults]) -> Beside:
    """The table with one's own columns; a row that has no items here has no cell of theirs."""
    theirs = tuple(published(NAME))
    rows = dict.fromkeys((each.block, each.row) for each in theirs)

    def row_of(item: Item) -> RowKey | None:
        key = item.facts.get("phenomenon", ""), item.facts.get("condition", "")
        return key if key in rows else None

    found = counted(results, row_of, _credit)
    own = [
        Value(
            TABLE,
            *row,
            rater,
            OWN,
            mean(members),
            low=limits.low if (limits := interval(members)) else None,
            high=limits.high if limits else None,
            n=len(members),
        )
        for rater, by_row in found.items()
        for row, members in by_row.items()
    ]
    seen = {(each.block, each.row) for each in own}
    missing = [": ".join(row) for row in rows if row not in seen]
    sources = {item.source for each in results for item in each.suite.items if row_of(item)}
    pooled = [f"items of several sources in one row: {', '.join(sorted(sources))}"]
    notes = (
        *notes_on_rows(unknown_rows(results, row_of), missing),
        *(pooled if len(sources) > 1 else ()),
        *notes_on_methods(results, METHODS, "setup marvin2018"),
    )
    return Beside((*theirs, *own), notes)


def _credit(item: Item, outcomes: ByPrediction, run: StoredRun) -> float | None:
    outcome = of_whole(item.facts.get("table", FULL.name), outcomes, run)
    return None if outcome is None else strictly(outcome)
