"""Items on which people and models disagree: all of them, in order, with where they are from."""

import random

import pytest

from colorless_green.data import Item, Region, wilson
from colorless_green.humans import Tally
from tests.humans.pages import Page, numbers
from tests.humans.report_material import agreement_item, of_treebank
from tests.humans.report_pages import answered, answered_page, full
from tests.humans.stored import Kept, of_margins

pytestmark = pytest.mark.slow  # what they look at is dear to make

SHOWN = 20  # of each list
PEOPLE, MODEL = "disagree-people-1", "disagree-model-1"


def page_of(suite: list[Item], counts: list[tuple[int, int]], *margins: float | None
) -> Page:  # fmt: skip
    """Items with people's answers and a model's margins, in this order."""
    kept = Kept()
    suite_id = kept.suite(suite)
    names = [item.item_id for item in suite]
    kept.run(suite_id, "m", of_margins(dict(zip(names, margins, strict=True))))
    kept.totals(dict(zip(names, counts, strict=True)))
    return kept.report()


def sentences(n: int) -> list[Item]:
    return [agreement_item("a b c d e", 1, 3, "x", number=number) for number in range(n)]


@pytest.mark.parametrize("seed", range(4))
def test_disagreements_are_all_that_brute_force_finds_in_their_order(seed: int) -> None:
    """Items, some of which nobody answered, no model was asked, or that are ties."""
    rng = random.Random(seed)
    suite = sentences(24)
    counts = [(rng.randint(0, total), total) for total in (rng.randint(0, 4) for _ in suite)]
    margins = [rng.choice((-2.0, -1.0, -0.5, 0.5, 1.0, 0.0, None)) for _ in suite]
    page = page_of(suite, counts, *margins)
    both = [
        (Tally(item.item_id, item.item_id, "", "", *count), margin)
        for item, count, margin in zip(suite, counts, margins, strict=True)
        if count[1] and margin is not None
    ]
    sure = [(t, m) for t, m in both if t.right != t.total - t.right and m != 0]

    def limits(tally: Tally) -> tuple[float, float]:
        found = wilson(tally.right, tally.total)
        assert found is not None
        return found.low, found.high

    people = sorted(
        ((t, m) for t, m in sure if t.right > t.total - t.right and m < 0),
        key=lambda each: (-limits(each[0])[0], each[1], each[0].item),
    )
    model = sorted(
        ((t, m) for t, m in sure if t.right < t.total - t.right and m > 0),
        key=lambda each: (limits(each[0])[1], -each[1], each[0].item),
    )
    told = numbers(page.by_id["disagreements"].text)
    assert {len(both), len(people), len(model)} <= set(told)
    origins = {item.item_id: item.agreement.sent_id for item in suite if item.agreement}
    for name, expected in ((PEOPLE, people), (MODEL, model)):
        assert [
            (row["people right"].value, row["margin, bits"].value, row["from"].below)
            for row in page.rows(name)
        ] == [(t.right, m, origins[t.item]) for t, m in expected[:SHOWN]]
        assert all(
            numbers(row["people right"].below) == [t.total]
            for row, (t, _) in zip(page.rows(name), expected, strict=False)
        )


def test_what_one_person_said_comes_after_what_nearly_everybody_did() -> None:
    page = page_of(sentences(3), [(1, 1), (9, 10), (2, 3)], -1.0, -1.0, -1.0)
    assert [numbers(row["people right"].below) for row in page.rows(PEOPLE)] == [[10], [3], [1]]


def test_no_list_is_longer_than_is_said_and_how_many_there_are_in_all_is_told() -> None:
    n = SHOWN + 5
    page = page_of(sentences(n), [(3, 3)] * n, *[-1.0] * n)
    assert len(page.rows(PEOPLE)) == SHOWN
    assert numbers(page.note(PEOPLE)) == [n, 5]


def test_the_best_model_is_first_and_each_case_has_its_sentence() -> None:
    page, kept = answered_page(), answered()
    totals: dict[str, float] = {}
    for each in kept.compare().rows:
        if each["rater"] != "humans" and not each["construction"]:
            share = float(str(each["accuracy"])) * int(str(each["n_items"]))
            totals[str(each["rater"])] = totals.get(str(each["rater"]), 0.0) + share
    best = max(totals, key=lambda name: totals[name])
    about = {row["item"]: row for row in page.file("items.csv")}
    for number, model in enumerate((best, *(totals.keys() - {best})), start=1):
        for name in (f"disagree-people-{number}", f"disagree-model-{number}"):
            assert page.rows(name)
            for row in page.rows(name):
                margin = row["margin, bits"].value
                (own,) = (e for e in about.values() if float(e[f"{model}: margin_bits"]) == margin)
                assert row["people right"].value == float(own["people_right"])
                assert numbers(row["people right"].below) == [float(own["people_total"])]
                assert row["right / wrong"].text == f"{own['right']} / {own['wrong']}"
                assert row["right / wrong"].language == "en"
                assert row["sentence up to the form"].text == own["prefix"]
                assert row["construction"].text == own["construction"]


def test_a_variant_is_shown_with_where_its_original_is_from() -> None:
    original, variant = (
        of_treebank(
            "UD_Italian-ISDT",
            agreement_item(
                f"le {word} di ieri sono", 1, 4, "è",
                variant=n, language="it", attractors=(2,),
            ),
        )
        for word, n in (("case", 0), ("cose", 3))
    )  # fmt: skip
    page = page_of([original, variant], [(3, 3), (3, 3)], None, -1.0)
    (row,) = page.rows(PEOPLE)
    assert row["from"].text == "UD_Italian-ISDT"
    assert numbers(row["from"].below)[0] == 3


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
    (row,) = page_of([item], [(0, 3)], 2.0).rows(MODEL)
    for name, text in pair.items():
        assert (row[f"{name} sentence"].text, row[f"{name} sentence"].language) == (text, "en")
    assert (row["from"].text, row["from"].below) == ("BLiMP", "island/1")


def test_simulated_people_are_called_so_in_every_title() -> None:
    page = full()
    names = [each for each in page.tables if each.startswith("disagree")]
    assert len(names) == 4
    for name in names:
        assert "simulated" in page.by_id[name].one("caption").text
        assert "people right" not in page.columns(name)
