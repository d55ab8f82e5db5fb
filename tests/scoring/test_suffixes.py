"""What follows the target: told to models that look ahead, and part of what is asked of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from colorless_green.data.store import Store
from colorless_green.nonce import Item, Region, Suite, Wording
from colorless_green.scoring import (
    Asked,
    Judge,
    Model,
    Plan,
    Query,
    Score,
    Surprisals,
    answers,
    load_answers,
    looks_ahead,
    plan_suite,
    query_hash,
    save_answers,
    save_model,
)
from tests.scoring.judging import outcomes


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
    return plan_suite(SUITE, scorer.unit, looks_ahead=looks_ahead(scorer))


def test_a_model_that_looks_ahead_gets_the_rest_and_one_query_for_each() -> None:
    assert planned(Ahead()).queries == (
        Query("the keys", (" are", " was"), " here"),
        Query("the keys", (" are", " was"), " there"),
    )
    words = plan_suite(SUITE, "words", looks_ahead=True).queries[0]
    assert words == Query(("the", "keys"), (("are",), ("was",)), ("here",))


def test_other_models_get_no_suffix_and_share_the_prefix() -> None:
    assert planned(Ahead(looks_ahead=False)).queries == (Query("the keys", (" are", " was")),)
    assert plan_suite(SUITE, "text").queries == planned(Ahead(looks_ahead=False)).queries


def test_a_sentence_that_ends_with_the_target_has_an_empty_suffix() -> None:
    one = item(1, "here")
    short = {name: tuple(each[:2] for each in both) for name, both in one.conditions.items()}
    suite = Suite("s", (replace(one, conditions=short),))
    assert [query.suffix for query in plan_suite(suite, "text", looks_ahead=True).queries] == [""]


def test_items_that_differ_in_the_rest_alone_get_answers_of_their_own() -> None:
    scorer = Ahead()
    wanted = planned(scorer)
    given = answers(scorer, wanted, {}, lambda new: None)
    bits = [given[request.asked].surprisals.bits for request in wanted.requests]
    assert bits == [(9.0,), (9.0,), (10.0,), (10.0,), (9.0,), (9.0,)]
    found = outcomes(SUITE, wanted, given, Judge("text", oov="keep"))
    assert [each.tie for each in found] == [True, True, True]


def test_the_store_keeps_them_apart_and_asks_nothing_twice(tmp_path: Path) -> None:
    scorer = Ahead()
    wanted = planned(scorer)
    with Store(tmp_path / "s.db") as store:
        with store.transaction():
            model_id, _ = save_model(store, Model("ahead", "ahead", scorer, None))
        first = answers(scorer, wanted, {}, lambda new: save_answers(store, model_id, "text", new))
        known = load_answers(store, model_id, wanted, "text")
        assert known == first
        again = Ahead()
        assert answers(again, wanted, known, lambda new: None) == first
        assert again.asked == []


def test_the_hash_tells_a_suffix_and_is_as_ever_without_one() -> None:
    """Answers kept before there were suffixes are still found."""
    assert query_hash("text", Asked("a b", " c")) == "6009c81fcaf9e2105856cb5aa35970df"
    hashes = {
        query_hash("text", Asked("a b", " c", suffix, ends))
        for suffix in (None, "", " d")
        for ends in (False, True)
    }
    assert len(hashes) == 6
