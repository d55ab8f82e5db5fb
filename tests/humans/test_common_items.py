"""Whoever stands beside others stands on the same items: in tables, figures, headlines, rows."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green import compare
from colorless_green.data import wilson
from colorless_green.humans import HUMANS, Credits, common_items, compared_accuracies, tally_of
from colorless_green.nonce import BASELINES
from tests.humans.pages import Node, Page, numbers
from tests.humans.report_material import agreement_item, items, originals
from tests.humans.report_pages import full
from tests.humans.stored import Kept, of_margins
from tests.humans.suites_material import margins, scored, suite
from tests.humans.test_collection_statistics import only, tables_of

SUITE = items(n_originals=4, n_variants=2)
MODELS = ("one", "two", "three")
FINDS_CUE = {name for name, each in BASELINES.items() if each.finds_cue}
KINDS = {"originals": "original", "nonce variants": "nonce"}

shares = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0]))
answers = st.fixed_dictionaries(
    {name: st.lists(shares, min_size=len(SUITE), max_size=len(SUITE)) for name in MODELS}
)
judged = st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=len(SUITE), max_size=len(SUITE))


def credits(found: list[float | None]) -> Credits:
    """Return a credit of half is a tie."""
    return {
        item.item_id: (credit, None if credit is None else 4 * credit - 2)
        for item, credit in zip(SUITE, found, strict=True)
    }


def shared_items(kind: str, *sets: set[str]) -> set[str]:
    own = {item.item_id for item in SUITE if item.kind == kind}
    return own.intersection(*(each for each in sets if each & own))


def lines(page: Page) -> dict[str, Node]:
    return {each.attrs["data-says"]: each for each in page.root.one("div", "answer").all("p")}


@given(
    st.dictionaries(st.sampled_from("abcde"), st.sets(st.integers(0, 40)), min_size=1, max_size=5)
)
def test_the_common_items_are_those_of_everybody_who_stands_together(
    answered: dict[str, set[int]],
) -> None:
    found = common_items(answered)
    present = {rater for rater, own in answered.items() if own}
    assert set(found.together) | set(found.apart) == present
    assert not set(found.together) & set(found.apart)
    if present:
        assert found.items == set.intersection(*(answered[each] for each in found.together))
        assert found.together
    for rater in present:
        assert found.items_of(rater) == (
            found.items if rater in found.together else answered[rater]
        )
    largest = max(map(len, answered.values()))
    if len(found.together) > 1:
        assert len(found.items) >= min(10, math.ceil(largest / 2))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(answers, judged)
def test_all_rows_of_a_cell_are_over_the_same_items(
    given_answers: dict[str, list[float | None]], counts: list[int | None]
) -> None:
    outcomes = {name: credits(found) for name, found in given_answers.items()}
    people = [
        tally_of(item, right or 0, 0 if right is None else 4)
        for item, right in zip(SUITE, counts, strict=True)
    ]
    rows = compared_accuracies("s", SUITE, people, outcomes)
    keys = [(row.kind, row.construction, row.rater) for row in rows]
    assert len(keys) == len(set(keys))  # no row twice
    cells: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        if "too few" not in row.note:  # stands apart, and says so
            cells.setdefault((row.kind, row.construction), set()).add(row.n_items)
    assert all(len(sizes) == 1 for sizes in cells.values())


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(
    st.fixed_dictionaries(
        {name: st.sets(st.integers(0, len(SUITE) - 1), max_size=len(SUITE) // 4)
         for name in (*MODELS, HUMANS)}
    )
)  # fmt: skip
def test_every_row_of_the_page_is_over_one_set_of_items(missing: dict[str, set[int]]) -> None:
    kept = Kept()
    suite_id = kept.suite(SUITE)
    answered = {}
    for place, model in enumerate(MODELS):
        own = {
            item.item_id: None if n in missing[model] else float((n * (place + 2)) % 5 - 2)
            for n, item in enumerate(SUITE)
        }
        kept.run(suite_id, model, of_margins(own))
        answered[model] = {item for item, margin in own.items() if margin is not None}
    judged_items = [item for n, item in enumerate(SUITE) if n not in missing[HUMANS]]
    kept.totals({item.item_id: (n % 5, 4 + n % 2) for n, item in enumerate(judged_items)})
    answered[HUMANS] = {item.item_id for item in judged_items}
    page = kept.report()
    shared = {kind: shared_items(kind, *answered.values()) for kind in KINDS.values()}
    for row in page.rows("accuracy"):
        assert row["items"].value == len(shared[KINDS[row["sentences"].text]])
    for name in ("by-value", "by-construction"):
        for row in page.rows(name):
            cells = list(row.values())[2:-1]
            assert len(cells) == len(MODELS) + 1
            assert len({numbers(cell.below)[-1] for cell in cells}) == 1
    for figure in ("constructions-figure", "attractors-figure", "distance-figure"):
        sizes: dict[tuple[str, str], list[float | None]] = {}
        for row in page.data(figure):
            first, sentences = list(row.values())[:2]
            sizes.setdefault((first.text, sentences.text), []).append(row["items"].value)
        assert sizes
        assert all(len(set(own)) == 1 and len(own) == 4 for own in sizes.values())
    kind = "nonce"
    told = {name: each.text for name, each in lines(page).items()}
    assert len(shared[kind]) in numbers(told["best"])
    assert len(shared[kind]) in numbers(told["people"])


@pytest.mark.slow
def test_what_each_could_not_answer_is_told_and_its_own_figure_is_named_as_such() -> None:
    page = full()
    (row,) = (
        row
        for row in page.rows("accuracy")
        if (row["rater"].text, row["sentences"].text) == ("ngram", "nonce variants")
    )
    own = [each for each in page.file("items.csv") if each["kind"] == "nonce"]
    answered = [float(c) for each in own if (c := each["ngram:models/ngram: credit"])]
    assert row["items"].value is not None
    assert row["items"].value < len(answered)
    all_of_it = row["right on all it answered, %"]
    assert all_of_it.value == pytest.approx(100 * sum(answered) / len(answered))
    assert numbers(all_of_it.below)[-1] == len(answered)
    said = lines(page)["items"]
    assert {row["items"].value, len(own)} <= set(numbers(said.text))


def test_how_many_items_each_answered_is_told_of_each_and_not_the_other_way_round() -> None:
    """One that answered fewer was named among those with answers to more."""
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(40)]
    kept = Kept()
    suite_id = kept.suite(suite)
    for model, n in (("few", 31), ("many", 40)):
        answers = {item.item_id: 1.0 if k < n else None for k, item in enumerate(suite)}
        kept.run(suite_id, model, of_margins(answers))
    told = lines(kept.report())["items"].text
    assert numbers(told) == [31, 40, 31, 40]  # in common, of all; then each
    assert "few 31" in told
    assert "many 40" in told
    assert "more" not in told


def test_of_people_who_judged_few_items_models_still_stand_on_all_that_they_share() -> None:
    suite, kept = originals(40), Kept()
    kept.scored(suite, {"m": 40, "n": 40})
    kept.totals({item.item_id: (1, 2) for item in suite[:3]})
    page = kept.report()
    sizes = {row["rater"].text: row["items"].value for row in page.rows("accuracy")}
    assert sizes == {"m": 40, "n": 40, "people": 3}
    panels = {row["sentences"].text for row in page.rows("accuracy")}
    assert len(panels) == 2  # people have one of their own
    found = {str(row["rater"]): row for row in kept.compare().rows if not row["construction"]}
    assert {rater: row["n_items"] for rater, row in found.items()} == {
        "humans": 3,
        "m": 40,
        "n": 40,
    }
    assert found["humans"]["note"]
    assert {row["difference"] for row in found.values()} == {None}


# What needs no grammar


def plural(kept: Kept, n_right: int, *, toy: bool = False) -> Page:
    """Return a model that is right on so many of 40 items, whose right form is always the
    plural."""
    suite = [agreement_item(f"a b{n} c d e", 1, 3, "x", number=n) for n in range(40)]
    kept.scored(suite, {"m": n_right}, toy=toy)
    return kept.report()


@pytest.mark.parametrize(("n_right", "above"), [(20, "no"), (40, "no")])
def test_a_model_that_is_not_above_a_blind_guess_is_told_beside_it(
    n_right: int, above: str
) -> None:
    said = lines(plural(Kept(), n_right))
    assert list(said)[:2] == ["best", "baseline"]
    assert said["baseline"].attrs["data-above"] == above
    assert said["baseline"].attrs["data-rater"] not in FINDS_CUE
    assert 100 in numbers(said["baseline"].text)


def test_a_model_that_is_always_right_is_told_beside_the_best_of_guesses() -> None:
    suite = [
        agreement_item(
            f"b{n} w{n} r{n} e", 1, 2, f"x{n}", number=n, value="Plur" if n % 2 else "Sing"
        )
        for n in range(60)
    ]
    kept = Kept()
    kept.scored(suite, {"m": 60})
    page = kept.report()
    strongest, said = lines(page)["baseline"], lines(page).get("blind", lines(page)["baseline"])
    assert said.attrs["data-above"] == "unclear"  # by five ties of letters: p .06
    rows = {row["baseline"].text: row for row in page.rows("baselines")}
    (sentences,) = (name for name in next(iter(rows.values())) if name.startswith("originals"))
    blind = {name: row[sentences].value or 0 for name, row in rows.items() if name not in FINDS_CUE}
    assert blind[said.attrs["data-rater"]] == max(blind.values())
    every = {name: row[sentences].value or 0 for name, row in rows.items()}
    assert every[strongest.attrs["data-rater"]] == max(every.values())
    cue = {name for name, row in rows.items() if row["finds the cue"].text == "yes"}
    assert cue == set(rows) & FINDS_CUE != set()
    assert {numbers(row[sentences].below)[-1] for row in rows.values()} == {60}
    for name in ("accuracy", "by-value", "by-construction"):
        assert page.columns(name).count("strongest rule, %") == 1
    assert lines(page)["values"].text.count("rule") == 1  # of both values


@pytest.mark.slow
def test_baselines_stand_on_the_items_that_models_and_people_share() -> None:
    page = full()
    sizes = {row["sentences"].text: row["items"].value for row in page.rows("accuracy")}
    for row in page.rows("baselines"):
        for kind, n in sizes.items():
            assert numbers(row[f"{kind}, %"].below)[-1] == n


def test_of_suites_that_are_no_pairs_nothing_is_said_of_baselines() -> None:
    kept = Kept()
    own = suite("s", 12)
    scored(kept, own, {"m": margins(own, "m")})
    page = kept.report("s")
    assert "baseline" not in lines(page)
    assert "baselines" not in page.tables


def test_suites_of_pairs_have_baselines_over_the_same_suites() -> None:
    kept = Kept()
    for name in ("one", "two"):
        own = [agreement_item(f"{name} b{n} c d e", 1, 3, "x", number=n) for n in range(20)]
        found = {item.item_id: 1.0 if n % 2 else -1.0 for n, item in enumerate(own)}
        kept.run(kept.suite(own, name), "m", of_margins(found))
    page = kept.report("*")
    assert lines(page)["baseline"].attrs["data-above"] == "no"
    assert {numbers(row["all items, %"].below)[-1] for row in page.rows("baselines")} == {40}


# Never crowned


def test_a_toy_is_marked_and_never_the_best() -> None:
    only_toy = plural(Kept(), 40, toy=True)
    assert "best" not in lines(only_toy)
    assert "toys" in lines(only_toy)
    kept = Kept()
    kept.scored(originals(12), {"small": 12}, toy=True)
    kept.scored(originals(12), {"grown": 0})
    page = kept.report()
    assert lines(page)["best"].attrs["data-rater"] == "grown"
    assert "small" not in lines(page)["best"].text
    for name, column in (("accuracy", "rater"), ("runs", "model")):
        labels = [row[column].text for row in page.rows(name)]
        assert len(labels) == 2
        assert ["toy" in each for each in labels] == [True, False]


def test_a_toy_is_not_the_best_over_suites_either() -> None:
    kept = Kept()
    for name in ("s", "t"):
        own = suite(name, 6)
        suite_id = scored(kept, own, {"grown": dict.fromkeys((i.item_id for i in own.items), -1.0)})
        found = of_margins({item.item_id: 1.0 for item in own.items})
        kept.run(suite_id, "small", found, prediction="p", about={"toy": True})
    said = lines(kept.report("*"))
    assert said["best"].attrs["data-rater"] == "grown"
    assert "small (toy)" in said["toys"].text


# Over suites


def test_scores_over_suites_are_over_the_items_and_suites_that_all_have() -> None:
    kept = Kept()
    for place, name in enumerate("stu"):
        own = suite(name, 12)
        found = margins(own, "one")
        some = {item: None if n < 3 + place else value for n, (item, value) in
                enumerate(found.items())}  # fmt: skip
        scored(kept, own, {"one": found, "two": some} if name != "u" else {"one": found})
    tables = tables_of(kept)
    rows = [row for row in tables["collection"] if row["level"] == "score"]
    assert {(row["n_suites"], row["n_items"]) for row in rows} == {("2", str(9 + 8))}
    assert len({row["accuracy"] for row in rows}) == 1  # the same margins on the same items
    own_row = only(tables["collection"], level="own", rater="one")
    assert (own_row["n_suites"], own_row["n_items"]) == ("3", "36")
    for name in "st":
        both = [r for r in tables["collection"] if (r["level"], r["name"]) == ("suite", name)]
        assert len({row["n_items"] for row in both}) == 1


def test_originals_and_variants_have_no_score_together() -> None:
    kept = Kept()
    for name, own in (("mixed", SUITE), ("more", items(3, 1))):
        named = [replace(item, item_id=f"{name}{item.item_id}"[:16]) for item in own]
        kept.scored(named, {"m": len(named)}, name)
    tables = tables_of(kept)
    scores = [row for row in tables["collection"] if row["level"] == "score"]
    assert [row["name"] for row in scores] == ["original", "nonce"]
    sizes = {
        kind: sum(item.kind == kind for item in (*SUITE, *items(3, 1)))
        for kind in ("original", "nonce")
    }
    assert {row["name"]: int(row["n_items"]) for row in scores} == sizes


# Rows that contradict nothing


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0])), min_size=2, max_size=12))
def test_an_interval_and_a_p_never_disagree(
    found: list[tuple[int, float]],
) -> None:
    own = [agreement_item(f"a b c d e{n}", 1, 3, "x", number=n) for n in range(len(found))]
    people = [tally_of(item, right, 4) for item, (right, _) in zip(own, found, strict=True)]
    outcomes: Mapping[str, Credits] = {
        "m": {item.item_id: (credit, credit) for item, (_, credit) in zip(own, found, strict=True)}
    }
    for row in compared_accuracies("s", own, people, outcomes):
        for difference in (row.compared.majority, row.compared.share) if row.compared else ():
            if difference is not None and difference.p is not None:
                assert (difference.sign != 0) == (difference.p < 0.05)


def test_always_right_has_the_same_interval_in_the_comparison_and_on_the_page() -> None:
    own, kept = originals(12), Kept()
    kept.scored(own, {"m": 12})
    kept.totals({item.item_id: (2, 2) for item in own})
    rows = {str(row["rater"]): row for row in kept.compare().rows if not row["construction"]}
    for row in kept.report().rows("accuracy"):
        name = {"people": "humans"}.get(row["rater"].text, row["rater"].text)
        for column, field in (("95 % low", "low"), ("95 % high", "high")):
            assert row[column].value == pytest.approx(100 * float(str(rows[name][field])))
        assert row["95 % high"].value == 100
    expected = wilson(12, 12)  # of one answer an item
    assert expected is not None
    assert float(str(rows["m"]["low"])) == pytest.approx(expected.low)


def test_only_the_newest_run_of_a_model_counts() -> None:
    kept = Kept()
    own = [agreement_item(f"a b c d e{n}", 1, 3, "x", number=n) for n in range(12)]
    suite_id = kept.suite(own)
    kept.run(suite_id, "m", of_margins({item.item_id: -1.0 for item in own}), options={"oov": "x"})
    part = of_margins({item.item_id: 1.0 for item in own[:5]})
    kept.run(suite_id, "m", part, method="sentence", options={"limit": "5"})
    found = compare(store=kept.store)
    totals = [row for row in found.rows if not row["construction"]]
    assert [(row["n_items"], row["accuracy"]) for row in totals] == [(5, 1.0)]
    told = [each for each in found.messages if each.startswith("m: ")]
    assert any(5 in numbers(each) for each in told)
    assert any("sentence" in each for each in told)


def test_the_table_by_value_comes_before_that_by_construction() -> None:
    shown = [name for name in full().tables if name.startswith("by-")]
    assert shown == ["by-value", "by-construction"]
