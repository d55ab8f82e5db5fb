"""Hu, Chen & Levy 2020, Table 3: the mean over three pronouns of the accuracy over items.

An item is right where the pronoun surprises more in the ungrammatical condition than in both
others; three equal surprisals count 1/3 (the paper draws at random), any other tie is wrong. Of
items read out of the authors' files, those that are not behind the table are left out.
"""

from collections.abc import Iterator, Sequence

from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.papers.counting import (
    ByPrediction,
    Counted,
    RowKey,
    Rows,
    counted,
    interval,
    mean,
    notes_on_methods,
    notes_on_rows,
    strictly,
    unknown_rows,
)
from colorless_green.humans.papers.layout import OWN, Beside, Value, published
from colorless_green.humans.rows import StoredRun
from colorless_green.nonce.formats.reflexives import LICENSING
from colorless_green.nonce.item import Item

NAME, TABLE = "hu2020-reflexives", "Table 3"
PRONOUNS = ("himself", "herself", "themselves")
METHODS = ("target",)
ELSEWHERE = "(M&L)"  # rows that the paper takes from others, of pairs


def beside(results: Sequence[SuiteResults]) -> Beside:
    """The table with one's own columns."""
    theirs = tuple(published(NAME))
    rows = dict.fromkeys((each.block, each.row) for each in theirs)

    def row_of(item: Item) -> RowKey | None:
        key = item.facts.get("constraint", ""), item.facts.get("construction", "")
        return key if key in rows else None

    found = counted(results, row_of, _credit)
    own = [
        _value(row, rater, members)
        for rater, by_row in found.items()
        for row, members in by_row.items()
    ]
    seen = {(each.block, each.row) for each in own}
    missing = [row for block, row in rows if (block, row) not in seen and ELSEWHERE not in row]
    notes = (
        *notes_on_rows(unknown_rows(results, row_of), missing),
        *_incomplete(found),
        *notes_on_methods(results, METHODS, "method target"),
    )
    return Beside((*theirs, *own), notes)


def _value(row: RowKey, rater: str, members: Sequence[Counted]) -> Value:
    means = [mean(own) for own in _by_pronoun(members).values()]
    limits = interval(members)
    return Value(
        TABLE,
        *row,
        rater,
        OWN,
        sum(means) / len(means),
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        n=len(members),
    )


def _by_pronoun(members: Sequence[Counted]) -> dict[str, list[Counted]]:
    found: dict[str, list[Counted]] = {}
    for each in members:
        found.setdefault(each.item.facts.get("pronoun", ""), []).append(each)
    return found


def _incomplete(found: Rows) -> Iterator[str]:
    rows = {row: members for by_row in found.values() for row, members in by_row.items()}
    for (_, row), members in rows.items():
        lacking = [each for each in PRONOUNS if each not in _by_pronoun(members)]
        if lacking:
            yield f"{row}: no items with {', '.join(lacking)}"


def _credit(item: Item, outcomes: ByPrediction, run: StoredRun) -> float | None:
    outcome = outcomes.get(LICENSING.name)
    if outcome is None or item.facts.get("in_paper") == "no":
        return None
    parts = [each for name, each in outcomes.items() if name.startswith(f"{LICENSING.name}: ")]
    if outcome.credit is not None and parts and all(each.tie for each in parts):
        return 1 / 3
    return strictly(outcome)
