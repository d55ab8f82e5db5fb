"""The table of facts: every number that a method section needs is on the page, and only what was
done is in it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Item, sample
from tests.humans.pages import Page, numbers
from tests.humans.report_material import agreement_item, constructions
from tests.humans.report_pages import (
    ASKED,
    STUDY,
    answered_page,
    asked,
    trials,
    undrawn,
    visits,
    without_people,
)
from tests.humans.stored import Kept, of_margins

TESTS = "tests of Spearman's ρ"


@pytest.fixture
def kept() -> Kept:
    return Kept()


def facts(page: Page) -> dict[str, str]:
    rows = page.rows("facts")
    names = [row["what"].text for row in rows]
    assert len(set(names)) == len(names)
    assert all(row["how"].text for row in rows)
    return {row["what"].text: row["how"].text for row in rows}


def scored(kept: Kept, suite: list[Item], margins: Mapping[str, float | None]) -> dict[str, str]:
    kept.run(kept.suite(suite), "m", of_margins(margins))
    return facts(kept.report())


def sentences(n: int, source: str = "Synthetic") -> list[Item]:
    made = [agreement_item("a b c d e", 1, 3, "x", number=number) for number in range(n)]
    return [replace(item, source=source) for item in made]


def test_where_nobody_was_asked_there_is_no_fact_about_people() -> None:
    found, asked_too = facts(without_people()), facts(answered_page())
    for name in ("answers analysed", "reliability", "agreement among people"):
        assert name not in found
        assert name in asked_too
    assert "simulated" in facts(undrawn())["judgments"]
    assert "judgments" not in asked_too


def test_the_numbers_of_people_are_those_of_their_answers() -> None:
    given, found = trials(ASKED), facts(answered_page())
    cases = answered_page().file("exclusions.csv")
    gone = {case["participant"] for case in cases if case["level"] in ("person", "session")}
    own = [
        each
        for each in given
        if each.participant not in gone and each.kind == "target" and each.correct is not None
    ]
    n_people, n_items = (len({getattr(e, name) for e in own}) for name in ("participant", "item"))
    assert numbers(found["answers analysed"]) == [len(own), n_people, n_items]
    sizes = [sum(e.item == item for e in own) for item in {each.item for each in own}]
    assert numbers(found["answers an item"]) == [
        min(sizes), max(sizes), round(len(own) / n_items, 1),
    ]  # fmt: skip


def test_a_rule_that_spared_everybody_is_there_with_how_many_it_could_not_judge() -> None:
    for measured in (True, False):
        given = trials(ASKED)
        if not measured:
            given = tuple(replace(each, rt_ms=None) for each in given)
        study = "[exclude]\nmin_median_rt_ms = 123\n"
        page = asked(ASKED, given, visits(), models=(), study=study).report()
        (row,) = (r for r in page.rows("exclusion-rules") if r["threshold"].text == "123")
        assert (row["people"].value, row["trials"].value) == (0, 0)
        if not measured:
            assert (row["people without a trial for it"].value or 0) > 0


def test_statistics_that_were_not_computed_are_not_there(kept: Kept) -> None:
    """One answer an item has no agreement and no halves."""
    suite = sentences(20)
    kept.suite(suite)
    kept.totals({item.item_id: (1, 1) for item in suite})
    assert not {"reliability", "agreement among people", TESTS} & set(facts(kept.report()))


@pytest.mark.slow
def test_a_test_that_was_not_made_is_not_there() -> None:
    alone = facts(asked(ASKED, trials(ASKED), visits(), models=(), study=STUDY).report())
    assert not {"tests of differences", TESTS} & set(alone)
    found = facts(answered_page())
    assert found[TESTS]
    assert 5000 in numbers(found["tests of ρ within sources"])
    assert found["tests of differences"]
    assert "people" in found["95 % intervals"]


def test_mined_items_have_their_treebank_rule_and_counts(kept: Kept) -> None:
    suite = [
        replace(
            agreement_item("a b c d e", 1, 3, "x", number=n, variant=v), source="UD_Italian-VIT"
        )
        for n in range(3)
        for v in range(3)
    ]
    kept.run(kept.suite(suite, mined=constructions()), "m", {})
    found = facts(kept.report())
    assert found["source of the items"] == "UD_Italian-VIT"
    assert numbers(found["constructions accepted"]) == [4, 5]
    assert found["items"] == "3 original and 6 nonce"
    assert numbers(found["seed of the variants"]) == [0]


@pytest.mark.slow
def test_composed_sets_have_the_rule_of_their_mining(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    treebank = str(sample.treebank("en"))
    suite = cg.compose(cg.mine(treebank, language="en", store=store), sets=5, store=store)
    model = cg.train("unigram", treebank, language="en", out=tmp_path / "unigram", store=store)
    cg.report(cg.score(suite, model, store=store), out=tmp_path / "report.html")
    found = facts(Page((tmp_path / "report.html").read_text(encoding="utf-8")))
    assert found["rule of agreement"] == "tested"
    assert found["composed sets"] == str(len({item.set_id for item in suite.items}))
    assert cg.__version__ in found["program"]


@pytest.mark.parametrize("rights", [8, 4])
def test_there_is_one_interval_whether_or_not_somebody_is_always_right(
    kept: Kept, rights: int
) -> None:
    suite = [agreement_item(f"a{n} b c d e", 1, 3, "x", number=n) for n in range(8)]
    margins = {item.item_id: 1.0 if n < rights else -1.0 for n, item in enumerate(suite)}
    clustered = [replace(item, cluster_id=f"c{n % 4}") for n, item in enumerate(suite)]
    found = scored(kept, clustered, margins)["95 % intervals"]
    assert "Wilson" in found
