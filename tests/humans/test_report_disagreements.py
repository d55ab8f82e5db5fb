"""Items on which people and models disagree: all of them, in order, with where they are from."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.humans.judgment import Tally
from colorless_green.humans.report.parts import Cell
from colorless_green.humans.report.people import disagreements as disagreeing
from colorless_green.humans.report.people.disagreements import SHOWN, Case, disagreements
from colorless_green.humans.report.raters import raters
from colorless_green.humans.report.sources import ADDRESS, repository
from colorless_green.humans.statistics import wilson
from colorless_green.nonce.intervals import Interval
from colorless_green.nonce.item import Item, Region
from tests.humans.asked_material import asked, of, of_one_model, rows, treebank_item, words
from tests.humans.report_material import agreement_item, material


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[Tally], dict[str, tuple[float | None, float | None]]]:
    """Items, some of which nobody answered, no model was asked, or that are ties."""
    n = draw(st.integers(0, 30))
    total = st.integers(0, 4)
    bits = st.sampled_from((-2.0, -1.0, -0.5, 0.5, 1.0))
    own, credits = [], {}
    for name in draw(st.permutations([f"i{number:02}" for number in range(n)])):
        size = draw(total)
        own.append(Tally(name, name, "", "", draw(st.integers(0, size)), size))
        margin = draw(bits | st.none() | st.just(0.0))
        credit = None if margin is None else 0.5 if margin == 0 else float(margin > 0)
        if draw(st.booleans()) or margin is not None:
            credits[name] = (credit, margin)
    return own, credits


@given(judged())
def test_disagreements_are_all_that_brute_force_finds_in_their_order(
    case: tuple[list[Tally], dict[str, tuple[float | None, float | None]]],
) -> None:
    own, credits = case
    found = disagreements(own, credits)
    both: list[tuple[Tally, float]] = []
    for each in own:
        margin = credits.get(each.item, (None, None))[1]
        if each.total and margin is not None:
            both.append((each, margin))
    sure = [(t, m) for t, m in both if t.right != t.total - t.right and m != 0]
    people = {t.item for t, m in sure if t.right > t.total - t.right and m < 0}
    model = {t.item for t, m in sure if t.right < t.total - t.right and m > 0}
    assert found.n_items == len(both)
    assert {each.item for each in found.only_people} == people
    assert {each.item for each in found.only_model} == model
    assert not people & model
    keys = [(-limits(each).low, each.margin, each.item) for each in found.only_people]
    assert keys == sorted(set(keys))
    keys = [(limits(each).high, -each.margin, each.item) for each in found.only_model]
    assert keys == sorted(set(keys))


def limits(case: Case) -> Interval:
    found = wilson(case.right, case.total)
    assert found is not None
    return found


def test_what_one_person_said_comes_after_what_nearly_everybody_did() -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(3)]
    names = [item.item_id for item in suite]
    counts = dict(zip(names, ((1, 1), (9, 10), (2, 3)), strict=True))
    right = [Tally(item, item, "", "", *pair) for item, pair in counts.items()]
    found = disagreements(right, dict.fromkeys(counts, (0.0, -1.0)))
    assert [(each.right, each.total) for each in found.only_people] == [(9, 10), (2, 3), (1, 1)]
    wrong = [replace(each, right=each.total - each.right) for each in right]
    found = disagreements(wrong, dict.fromkeys(counts, (1.0, 1.0)))
    assert [(each.right, each.total) for each in found.only_model] == [(1, 10), (1, 3), (0, 1)]
    page = replace(of_one_model(suite, right=3, margin=-1.0), tallies=tuple(right))
    section = disagreeing.section(page, raters(page))
    assert [row["people right"].below for row in rows(of(section, "disagree-people-1"))] == [
        "of 10",
        "of 3",
        "of 1",
    ]
    assert "nine answers of ten go before one of one" in words(section)


def test_the_best_model_is_first_and_each_list_has_its_first_cases_with_all_numbers() -> None:
    made = asked()
    found = disagreeing.section(made, raters(made))
    assert found is not None
    answered = {each.item: each for each in made.tallies if each.total}
    accuracy = {
        model: sum(credit or 0.0 for item, (credit, _) in credits.items() if item in answered)
        for model, credits in made.outcomes.items()
    }
    first, second = sorted(accuracy, key=lambda name: -accuracy[name])
    for number, model in enumerate((first, second), start=1):
        own = disagreements(made.tallies, made.outcomes[model])
        for name, cases in (("people", own.only_people), ("model", own.only_model)):
            names = [each.name for each in found.tables]
            assert (f"disagree-{name}-{number}" in names) == bool(cases)
            if not cases:
                continue
            shown = rows(of(found, f"disagree-{name}-{number}"))
            assert len(shown) == min(SHOWN, len(cases))
            for row, case in zip(shown, cases, strict=False):
                tally, item = answered[case.item], made.items[case.item]
                assert item.agreement is not None
                assert row["people right"].value == tally.right
                assert row["people right"].below == f"of {tally.total}"
                assert row["margin, bits"].value == made.outcomes[model][case.item][1]
                both = f"{item.agreement.right} / {item.agreement.wrong}"
                assert row["right / wrong"] == Cell(both, language="en")
                assert f"{row['sentence up to the form'].text} {item.agreement.right}" in " ".join(
                    item.agreement.tokens
                )
                assert row["construction"].text == item.agreement.construction


def test_no_list_is_longer_than_is_said_and_how_many_there_are_in_all_is_told() -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(SHOWN + 5)]
    page = of_one_model(suite, right=3, margin=-1.0)
    found = disagreeing.section(page, raters(page))
    table = of(found, "disagree-people-1")
    assert len(table.rows) == SHOWN
    assert table.note == "25 in all, 5 not shown."
    assert "m: of 25 items that people judged too, 25 most people get right" in words(found)


def test_a_variant_is_shown_with_its_original_and_where_that_is_from() -> None:
    original = treebank_item("UD_Italian-ISDT", 0)
    variant = treebank_item("UD_Italian-ISDT", 3)
    page = of_one_model([original, variant], right=3, margin=-1.0)
    page = replace(page, outcomes={"m": {variant.item_id: (0.0, -1.0)}})
    (row,) = rows(of(disagreeing.section(page, raters(page)), "disagree-people-1"))
    assert row["from"].text == "UD_Italian-ISDT"
    assert row["from"].below == "variant 3 of s0"
    assert row["from"].link == "https://github.com/UniversalDependencies/UD_Italian-ISDT"
    assert row["its original"] == Cell("le case di ieri sono", language="it")
    assert row["attractors"] == Cell("di", language="it")


def test_pairs_without_agreement_show_both_sentences() -> None:
    pair = {"right": "The cats sleep.", "wrong": "The cats sleeps."}
    item = Item(
        item_id="island/1",
        kind="suite",
        cluster_id="island/1",
        language="en",
        source="BLiMP",
        licence="",
        conditions={name: ((Region("target", (), text),),) for name, text in pair.items()},
    )
    page = of_one_model([item], right=0, margin=2.0)
    (row,) = rows(of(disagreeing.section(page, raters(page)), "disagree-model-1"))
    assert row["right sentence"] == Cell("The cats sleep.", language="en")
    assert row["wrong sentence"] == Cell("The cats sleeps.", language="en")
    assert row["from"] == Cell("BLiMP", "island/1")


@given(st.text() | st.from_regex(r"UD_[\w/.:?#-]*", fullmatch=True))
def test_no_text_from_outside_becomes_an_address(name: str) -> None:
    found = repository(name)
    assert found == "" or re.fullmatch(re.escape(ADDRESS) + r"UD_[A-Za-z_]+-[A-Za-z0-9]+", found)


@pytest.mark.parametrize(
    ("name", "repo"),
    [
        ("UD_Hebrew-HTB-r2.0", "UD_Hebrew-HTB"),
        ("UD_Ancient_Greek-Perseus", "UD_Ancient_Greek-Perseus"),
        ("sample-en", ""),
        ("UD_Italian-VIT/../x", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_only_names_of_repositories_are_links(name: str, repo: str) -> None:
    assert repository(name) == (f"{ADDRESS}{repo}" if repo else "")


def test_simulated_people_are_called_so_in_every_title() -> None:
    page = material()
    found = disagreeing.section(page, raters(page))
    assert found is not None
    assert all("(simulated)" in each.title for each in found.tables)
    assert all("people right" not in [c.text for c in each.columns] for each in found.tables)
