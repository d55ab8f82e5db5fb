"""Made-up controlled suites with made-up outcomes, in a store."""

from collections.abc import Mapping, Sequence
from functools import cache

from colorless_green.data import Item, Region, Suite, item_id, parse_prediction
from colorless_green.data.seeds import generator
from tests.humans.pages import Page
from tests.humans.stored import Kept, of_margins

TWO = "(2;%a%) < (2;%b%) & (2;%c%) < (2;%d%)"
ONE = "(2;%a%) < (2;%b%)"


def item(suite: str, number: int, conditions: Sequence[str] = "abcd", **facts: str) -> Item:
    """Return an item of two regions in each condition."""
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
    """Return a suite of one construction and one prediction, `p`."""
    items = tuple(item(name, number, conditions, **facts) for number in range(1, n_items + 1))
    return Suite(name, items, (parse_prediction(formula, "p", name),))


def margins(of: Suite, model: str, level: float = 0.5) -> dict[str, float | None]:
    """Drawn for each item: positive in a share `level` of them."""
    return {
        each.item_id: round(level - generator(5, model + each.item_id).random(), 6)
        for each in of.items
    }


NAMES = ("number_prep", "number_src", "cleft", "cleft_modifier", "fgd_object")
CIRCUITS = ("Agreement", "Agreement", *["Long-Distance Dependencies"] * 3)
LEVELS = {"good": 0.9, "fair": 0.6, "seed-1": 0.3, "seed-2": 0.4}


def own_suite(place: int) -> Suite:
    return suite(NAMES[place], 12 + place, construction=CIRCUITS[place])


def own_margins(place: int, model: str) -> dict[str, float | None]:
    return margins(own_suite(place), model, LEVELS[model] - 0.05 * place)


def scored(kept: Kept, of: Suite, models: Mapping[str, Mapping[str, float | None]]) -> int:
    """Return a suite and what models made of its items (None: left out as unknown; 0: a tie)."""
    suite_id = kept.suite(of.items, of.name, of.predictions, kind="imported")
    for model, found in models.items():
        kept.run(
            suite_id,
            model,
            of_margins(found),
            prediction="p",
            group="seeds" if model.startswith("seed") else "",
            about={"held_out_perplexity": 100.0 / LEVELS[model]} if model in LEVELS and
            model != "good" else {},
        )  # fmt: skip
    return suite_id


def many(kept: Kept, *, people: bool = True) -> Kept:
    """Five suites, four models (two of them seeds of one group `seeds`), and people."""
    for place, name in enumerate(NAMES):
        own = own_suite(place)
        scored(kept, own, {model: own_margins(place, model) for model in LEVELS})
        if people:
            kept.totals({each.item_id: (9 - place, 10) for each in own.items}, suite=name)
    return kept


@cache
def stored() -> Kept:
    return many(Kept())


@cache
def suites_page() -> Page:
    return stored().report("*", drawn=True)
