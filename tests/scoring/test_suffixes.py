"""What follows the target: told to models that look ahead, and part of what is asked of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from colorless_green import Model
from colorless_green.data import Item, Region, Suite, Wording
from colorless_green.data.store import Store
from colorless_green.scoring import (
    JudgingRules,
    Plan,
    Query,
    Questions,
    Score,
    Surprisals,
    answer_plan,
    plan_suite,
    save_model,
    stored_answers,
    surprisal_of,
)
from tests.scoring.judging import outcomes, told


@dataclass
class Ahead:
    """As surprising as the text that follows is long; notes what it was asked."""

    looks_ahead: bool = True
    signature: str = "ahead"
    unit: str = "text"
    asked: list[Query] = field(default_factory=list)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            yield Score(
                tuple(
                    Surprisals(
                        (float(len(query.suffix or "") + len(each)),), ((0, len(each)),), (False,)
                    )
                    for each in query.continuations
                )
            )


def wording(target: str, rest: str) -> Wording:
    return (
        Region("prefix", ("the", "keys"), "the keys"),
        Region("target", (target,), f" {target}"),
        Region("rest", (rest,), f" {rest}"),
    )


def item(number: int, rest: str) -> Item:
    return Item(
        item_id=f"i{number}",
        kind="template",
        cluster_id=f"i{number}",
        language="en",
        source="here",
        licence="",
        conditions={"right": (wording("are", rest),), "wrong": (wording("was", rest),)},
    )


SUITE = Suite("s", (item(1, "here"), item(2, "there"), item(3, "here")))


def planned(scorer: Ahead) -> Plan:
    return plan_suite(SUITE, scorer.unit, looks_ahead=scorer.looks_ahead)


def test_items_that_differ_in_the_rest_alone_get_answers_of_their_own() -> None:
    scorer = Ahead()
    wanted = planned(scorer)
    given = list(answer_plan(scorer, wanted))
    assert surprisal_of(wanted, given).total.tolist() == [9.0, 9.0, 10.0, 10.0, 9.0, 9.0]
    found = outcomes(SUITE, wanted, given, JudgingRules(oov="keep"))
    assert [each.tie for each in found] == [True, True, True]


def test_the_store_keeps_them_apart_and_asks_nothing_twice(tmp_path: Path) -> None:
    scorer = Ahead()
    wanted = planned(scorer)
    with Store(tmp_path / "s.db") as store:
        with store.transaction():
            model_id, _ = save_model(store, Model("ahead", "ahead", scorer, None))
        first = told(answer_plan(scorer, wanted, store, model_id))
        assert len(first) == 4
        assert told(stored_answers(store, model_id, wanted)) == first
        again = Ahead()
        assert told(answer_plan(again, wanted, store, model_id)) == first
        assert again.asked == []


def test_the_key_tells_a_suffix_and_is_as_ever_without_one() -> None:
    """Answers kept by an earlier version of this schema are still found."""
    assert Questions(["a b"], [" c"]).keys("text")[0].hex() == "f0644de843609984f7a8d5c926a25a0b"
    keys = {
        Questions(["a b"], [" c"], suffixes, ends).keys("text")[0]
        for suffixes in (None, [""], [" d"])
        for ends in (False, True)
    }
    assert len(keys) == 6
