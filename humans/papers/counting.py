"""How papers count: strictly, over the items of a row."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.rows import StoredRun
from colorless_green.nonce.intervals import Interval, cluster_interval
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import TIE_BITS
from colorless_green.scoring.outcome import Outcome

RowKey = tuple[str, str]
"""(block, row) of a published table"""
ByPrediction = Mapping[str, Outcome]
"""An item's outcomes by prediction"""
SHOWN = 6  # names in a message


@dataclass(frozen=True, slots=True)
class Counted:
    """One item in a row, of one rater."""

    item: Item
    credit: float


Rows = Mapping[str, Mapping[RowKey, Sequence[Counted]]]
"""rater → row → items"""


def strictly(outcome: Outcome) -> float | None:
    """1 where the prediction holds with no tie, else 0, as the papers' scripts have it; an
    undefined prediction does not hold. None for an item that was left out."""
    if outcome.credit is None:
        return None
    return float(outcome.margin_bits is not None and outcome.margin_bits > TIE_BITS)


def counted(
    results: Sequence[SuiteResults],
    row_of: Callable[[Item], RowKey | None],
    credit_of: Callable[[Item, ByPrediction, StoredRun], float | None],
) -> Rows:
    """The items of every rater by row: people by their share of right answers, models by
    `credit_of`, which has None for an item that is not counted."""
    found: dict[str, dict[RowKey, list[Counted]]] = {}
    for each in results:
        items = {item.item_id: (item, row_of(item)) for item in each.suite.items}
        for tally in each.judged.tallies:
            item, row = items[tally.item]
            if row is not None and tally.total:
                own = found.setdefault(HUMANS, {}).setdefault(row, [])
                own.append(Counted(item, tally.right / tally.total))
        for run in each.runs:
            for identity, outcomes in by_item(run).items():
                item, row = items[identity]
                credit = None if row is None else credit_of(item, outcomes, run)
                if row is not None and credit is not None:
                    own = found.setdefault(run.label.model, {}).setdefault(row, [])
                    own.append(Counted(item, credit))
    return found


def by_item(run: StoredRun) -> dict[str, dict[str, Outcome]]:
    """Item → prediction → outcome."""
    found: dict[str, dict[str, Outcome]] = {}
    for each in run.outcomes:
        found.setdefault(each.item_id, {})[each.prediction] = each
    return found


def of_whole(name: str, outcomes: ByPrediction, run: StoredRun) -> Outcome | None:
    """The outcome under a prediction about whole sentences. `--method sentence` makes one of those
    that so become equal, under the name of the first."""
    if name in outcomes or not run.label.method.startswith("sentence"):
        return outcomes.get(name)
    return outcomes.get(run.prediction)


def mean(members: Sequence[Counted]) -> float:
    """The mean credit of some items, at least one."""
    return math.fsum(each.credit for each in members) / len(members)


def interval(members: Sequence[Counted]) -> Interval | None:
    """Its interval over clusters."""
    return cluster_interval(
        [each.credit for each in members], [each.item.cluster_id for each in members]
    )


def unknown_rows(
    results: Sequence[SuiteResults], row_of: Callable[[Item], RowKey | None]
) -> dict[str, int]:
    """What the paper has no row for: suite or construction → how many items."""
    from colorless_green.humans.tally import construction

    found: dict[str, int] = {}
    for each in results:
        for item in each.suite.items:
            if row_of(item) is None:
                name = construction(item) or each.suite.name
                found[name] = found.get(name, 0) + 1
    return found


def abridged(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def notes_on_rows(unknown: Mapping[str, int], missing: Sequence[str]) -> Iterator[str]:
    """That constructions are not the paper's, and that some of the paper's are not here."""
    if unknown:
        n = sum(unknown.values())
        yield f"{n} items are in no row of the paper: {abridged(list(unknown))}"
    if missing:
        yield f"rows of the paper without items here: {abridged(list(missing))}"


def notes_on_methods(
    results: Sequence[SuiteResults], methods: Sequence[str], setup: str
) -> Iterator[str]:
    """Which models were scored in another way than the paper's."""
    others: dict[str, dict[str, None]] = {}
    for each in results:
        for run in each.runs:
            if run.label.method not in methods:
                others.setdefault(run.label.method, {}).setdefault(run.label.model)
    for method, models in others.items():
        who = abridged(list(models))
        yield f"{who}: scored with the method {method!r}; the paper's: score --{setup}"
    left_out: dict[str, int] = {}
    for each in results:
        for run in each.runs:
            own = (one for one in run.outcomes if one.prediction == run.prediction)
            n = sum(one.credit is None for one in own)
            left_out[run.label.model] = left_out.get(run.label.model, 0) + n
    for model, n in left_out.items():
        if n:
            yield f"{model}: {n} items were left out; the paper leaves out none (score --oov keep)"
