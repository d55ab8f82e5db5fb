"""Made-up controlled suites with made-up outcomes, as they come out of a store."""

from collections.abc import Mapping, Sequence

from colorless_green.data.seeds import generator
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.judgment import Tally
from colorless_green.humans.rows import NO_JUDGMENTS, StoredJudgments, StoredRun
from colorless_green.humans.tally import tallied as tally
from colorless_green.nonce.item import Item, Region, item_id
from colorless_green.nonce.prediction import parse
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.accuracy import RunLabel
from colorless_green.scoring.outcome import Outcome

TWO = "(2;%a%) < (2;%b%) & (2;%c%) < (2;%d%)"
ONE = "(2;%a%) < (2;%b%)"


def item(suite: str, number: int, conditions: Sequence[str] = "abcd", **facts: str) -> Item:
    """An item of two regions in each condition."""
    identity = item_id(suite, number)
    return Item(
        item_id=identity,
        kind="suite",
        cluster_id=identity,
        language="en",
        source=suite,
        licence="",
        conditions={
            name: (
                (
                    Region("1", ("the", f"x{number}"), f"the x{number}"),
                    Region("2", (name,), f" {name}"),
                ),
            )
            for name in conditions
        },
        facts={"construction": "Made-up", **facts},
    )


def suite(
    name: str,
    n_items: int = 8,
    formula: str = TWO,
    conditions: Sequence[str] = "abcd",
    **facts: str,
) -> Suite:
    """A suite of one construction and one prediction, `p`."""
    items = tuple(item(name, number, conditions, **facts) for number in range(1, n_items + 1))
    return Suite(name, items, (parse(formula, "p", name),))


def run(
    of: Suite,
    model: str,
    margins: Mapping[str, float | None],
    *,
    number: int = 1,
    group: str = "",
    method: str = "target",
    prediction: str = "p",
    about: Mapping[str, object] | None = None,
) -> StoredRun:
    """A run whose items have these margins (None: left out as unknown; 0: a tie, half right)."""
    outcomes = tuple(
        Outcome(each.item_id, prediction, None, None, False, True, "oov")
        if (margin := margins[each.item_id]) is None
        else Outcome(
            each.item_id, prediction, 0.5 if margin == 0 else float(margin > 0), margin,
            margin == 0, False,
        )
        for each in of.items
    )  # fmt: skip
    label = RunLabel(str(number), model, group, method, of.name)
    return StoredRun(label, f"signature:{model}", "cpu", about or {}, None, outcomes, prediction)


def margins(of: Suite, model: str, level: float = 0.5) -> dict[str, float | None]:
    """Drawn for each item: positive in a share `level` of them."""
    return {
        each.item_id: round(level - generator(5, model + each.item_id).random(), 6)
        for each in of.items
    }


def results(
    of: Suite, runs: Sequence[StoredRun], tallies: Sequence[Tally] = (), suite_id: int = 1
) -> SuiteResults:
    judged = StoredJudgments("people", False, tuple(tallies)) if tallies else NO_JUDGMENTS
    return SuiteResults(suite_id, of, tuple(runs), judged)


NAMES = ("number_prep", "number_src", "cleft", "cleft_modifier", "fgd_object")
CIRCUITS = ("Agreement", "Agreement", *["Long-Distance Dependencies"] * 3)
LEVELS = {"good": 0.9, "fair": 0.6, "seed-1": 0.3, "seed-2": 0.4}


def many(*, people: bool = True) -> tuple[SuiteResults, ...]:
    """Five suites, four models (two of them seeds of one group `seeds`), and people."""
    found = []
    for place, (name, circuit) in enumerate(zip(NAMES, CIRCUITS, strict=True)):
        own = suite(name, 12 + place, construction=circuit)
        runs = [
            run(
                own,
                model,
                margins(own, model, level - 0.05 * place),
                number=number,
                group="seeds" if model.startswith("seed") else "",
                about={"held_out_perplexity": 100.0 / level} if model != "good" else {},
            )
            for number, (model, level) in enumerate(LEVELS.items(), start=1)
        ]
        tallies = [tally(each, 9 - place, 10) for each in own.items] if people else []
        found.append(results(own, runs, tallies, place + 1))
    return tuple(found)
