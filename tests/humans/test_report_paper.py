"""Text for a paper: its numbers are the page's, and it cites what was used and nothing else."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.nonce import Item
from tests.humans.pages import Page, numbers
from tests.humans.report_material import agreement_item, constructions, items
from tests.humans.report_pages import (
    ASKED,
    answered_page,
    asked,
    trials,
    undrawn,
    visits,
    without_people,
)
from tests.humans.stored import Kept, of_margins

OF_PEOPLE = {"krippendorff2004", "fleiss1971", "spearman1910", "brown1910", "holm1979"}


@pytest.fixture
def kept() -> Kept:
    return Kept()


def text(page: Page) -> str:
    """The paragraphs of the section."""
    return " ".join(each.text for each in page.by_id["paper"].all("p") if not each.all("a"))


def scored(kept: Kept, suite: list[Item], margins: Mapping[str, float | None]) -> Page:
    suite_id = kept.suite(suite)
    kept.run(suite_id, "m", of_margins(margins))
    return kept.report()


def sentences(n: int, source: str = "Synthetic") -> list[Item]:
    made = [agreement_item("a b c d e", 1, 3, "x", number=number) for number in range(n)]
    return [replace(item, source=source) for item in made]


def test_where_nobody_was_asked_no_work_about_people_is_cited() -> None:
    assert without_people().works()
    assert not OF_PEOPLE & set(without_people().works())
    assert set(answered_page().works()) >= OF_PEOPLE


def test_the_numbers_of_people_are_those_of_their_answers() -> None:
    given = trials(ASKED)
    page = answered_page()
    gone = {row["who or what"].text for row in page.rows("exclusion-people")}
    own = [
        each
        for each in given
        if each.participant not in gone and each.kind == "target" and each.correct is not None
    ]
    by_item = {each.item: [e for e in own if e.item == each.item] for each in own}
    sizes = [len(each) for each in by_item.values()]
    said = text(page)
    assert "2026-03-01" in said
    assert "2026-03-05" in said
    told = numbers(said)
    n_people = len({each.participant for each in own})
    expected = [20, 24, 10, 1, 3, len(own), n_people, len(by_item), min(sizes), max(sizes)]
    assert set(expected) <= set(told)
    assert round(len(own) / len(by_item), 1) in told
    assert {2.5} <= set(told)  # euros, as the study says


def test_each_rule_that_removed_somebody_is_told_with_how_many() -> None:
    told = numbers(text(answered_page()))
    assert told.count(35) == 3  # trials of each of three people
    assert 20 in told  # trials of practice; and per cent of fillers


@pytest.mark.slow
@pytest.mark.parametrize(("measured", "is_told"), [(True, True), (False, False)])
def test_a_rule_that_spared_everybody_is_told_where_there_was_something_to_measure(
    measured: bool, is_told: bool
) -> None:
    given = trials(ASKED)
    if not measured:
        given = tuple(replace(each, rt_ms=None) for each in given)
    study = "[exclude]\nmin_median_rt_ms = 123\n"
    page = asked(ASKED, given, visits(), models=(), study=study).report()
    assert (123 in numbers(text(page))) == is_told


def test_statistics_that_were_not_computed_are_not_cited(kept: Kept) -> None:
    """One answer an item has no agreement and no halves."""
    suite = sentences(20)
    kept.suite(suite)
    kept.totals({item.item_id: (1, 1) for item in suite})
    assert not {"krippendorff2004", "fleiss1971", "spearman1910"} & set(kept.report().works())


@pytest.mark.slow
def test_a_test_that_was_not_made_is_not_cited() -> None:
    alone = asked(ASKED, trials(ASKED), visits(), models=()).report()
    assert "holm1979" not in alone.works()
    assert 5000 in numbers(text(answered_page()))  # permutations
    assert 5000 not in numbers(text(alone))


def totals() -> Page:
    other = Kept()
    suite_id = other.suite(ASKED)
    other.run(suite_id, "m", of_margins({item.item_id: 1.0 for item in ASKED}))
    other.totals({item.item_id: (3, 4) for item in ASKED})
    return other.report()


PAGES: dict[str, Callable[[], Page]] = {
    "single answers": answered_page,
    "simulated": undrawn,
    "models": without_people,
    "totals": totals,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_work_cited_is_listed_and_every_work_listed_is_cited(name: str) -> None:
    known = {
        row["cited as"].below: row["cited as"].text
        for made in PAGES.values()
        for row in made().rows("paper-references")
    }
    assert len(set(known.values())) == len(known)  # names tell works apart
    page = PAGES[name]()
    keys = [row["cited as"].below for row in page.rows("paper-references")]
    assert keys == page.works()
    assert len(keys) == len(set(keys))
    assert set(keys) == {key for key, cited in known.items() if cited in text(page)}


@pytest.mark.slow
def test_the_bibtex_file_is_ascii_with_balanced_braces_and_escaped_ampersands() -> None:
    for made in PAGES.values():
        bibliography = made().files["references.bib"]
        assert bibliography.isascii()
        depth = 0
        for letter in bibliography:
            depth += (letter == "{") - (letter == "}")
            assert depth >= 0
        assert depth == 0
        assert not re.search(r"(?<!\\)&", bibliography)
        for row in made().rows("paper-references"):
            assert not set("{}\\") & set(row["work"].text)


@pytest.mark.parametrize(
    ("source", "key"), [("BLiMP", "warstadt2020"), ("Gulordava et al. 2018", "gulordava2018")]
)
def test_published_items_are_cited_by_whose_they_are(kept: Kept, source: str, key: str) -> None:
    page = scored(kept, sentences(1, source=source), {})
    assert key in page.works()
    assert "nivre2020" not in page.works()


def test_mined_items_are_told_with_their_treebank_and_how_many(kept: Kept) -> None:
    suite = [
        replace(
            agreement_item("a b c d e", 1, 3, "x", number=n, variant=v), source="UD_Italian-VIT"
        )
        for n in range(3)
        for v in range(3)
    ]
    suite_id = kept.suite(suite, mined=constructions())
    kept.run(suite_id, "m", {})
    page = kept.report()
    assert "nivre2020" in page.works()
    assert "UD_Italian-VIT" in text(page)
    told = numbers(text(page))
    assert {4, 5, 3, 6, 1, 2, 0} <= set(told)  # accepted of all; originals, variants, each, seed


@pytest.mark.slow
def test_composed_sets_are_told_with_the_rule_of_their_mining(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    treebank = str(sample.treebank("en"))
    suite = cg.compose(cg.mine(treebank, language="en", store=store), n_sets=5, store=store)
    model = cg.train("unigram", treebank, language="en", out=tmp_path / "unigram", store=store)
    cg.report(cg.score(suite, model, store=store), out=tmp_path / "report.html")
    told = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "accepted by the rule “tested”" in told
    assert "the rule “composed”" not in told
    assert "in 5 sets" in told


def test_ties_and_unknown_words_are_told_as_they_were_counted(kept: Kept) -> None:
    suite = sentences(4)
    margins = dict(zip((i.item_id for i in suite), (2.0, 0.0, 1e-10, None), strict=True))
    told = numbers(text(scored(kept, suite, margins)))
    assert {2, 1} <= set(told)
    without = numbers(text(scored(Kept(), suite, {i.item_id: 1.0 for i in suite})))
    assert told.count(2) == without.count(2) + 1


@pytest.mark.parametrize("rights", [8, 4])
def test_wilsons_interval_is_cited_where_somebody_is_always_right(kept: Kept, rights: int) -> None:
    suite = sentences(8)
    margins = {item.item_id: 1.0 if n < rights else -1.0 for n, item in enumerate(suite)}
    suite_id = kept.suite([replace(item, cluster_id=f"c{n % 4}") for n, item in enumerate(suite)])
    kept.run(suite_id, "m", of_margins(margins))
    assert ("wilson1927" in kept.report().works()) == (rights == 8)


@pytest.mark.slow
def test_a_format_that_says_where_answers_are_from_is_cited(kept: Kept) -> None:
    assert not [key for key in answered_page().works() if key.startswith("deleeuw")]
    suite = list(items(2, 1))
    kept.suite(suite)
    choices = [
        {
            "trial_type": "html-button-response", "participant": f"P{n}", "trial_index": place,
            "item": item.item_id, "choices": [item.agreement.right, item.agreement.wrong],
            "response": (n + place) % 2, "rt": 900,
        }
        for n in range(3)
        for place, item in enumerate(suite)
        if item.agreement is not None
    ]  # fmt: skip
    kept.imported(kept.file("data.json", json.dumps(choices)))
    assert [key for key in kept.report().works() if key.startswith("deleeuw")]
