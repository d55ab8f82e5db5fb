"""Ratings: right sentences beside wrong ones, as given and as z-scores of each person."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Row
from colorless_green.humans.analysing import analyse
from colorless_green.humans.collection.gathered import results_of
from colorless_green.humans.commands import compare_suites
from colorless_green.humans.evidence import Answers, ImportedSet, rating_scale, unjudged
from colorless_green.humans.importing import Request, import_judgments
from colorless_green.humans.judgment import Judgment, Reading, Tally
from colorless_green.humans.lookup import sentences
from colorless_green.humans.measures import ratings
from colorless_green.humans.measures.measure import Evidence, Measure
from colorless_green.humans.measures.ratings import DIFFERENCE, GIVEN, HIGHER, LOGARITHM, MEANS, Z
from colorless_green.humans.report import curve, downloads
from colorless_green.humans.report.material import Material, People
from colorless_green.humans.report.page import render
from colorless_green.humans.report.paper.statistics import statistics
from colorless_green.humans.report.people import beside
from colorless_green.humans.report.people import ratings as ratings_section
from colorless_green.humans.report.people import study as study_section
from colorless_green.humans.report.raters import Rater, raters
from colorless_green.humans.reporting import material_of
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.item import Item, Wording
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite
from tests.humans.asked_material import of, rows, words
from tests.humans.report_material import items, without_people

SUITE = tuple(item for item in items(2, 1) if item.agreement)[:8]  # 4 sources, 2 constructions
BY_ID = {item.item_id: item for item in SUITE}
SIDES = ("right", "wrong")
NEAR = 1e-9

Given = tuple[str, str, str, float]
"""(person, item or filler, side, rating)"""


def judgment(who: str, item: str, side: str, rating: float | None) -> Judgment:
    """A rating as an import keeps it; an item that is not of the suite is a filler."""
    if item not in BY_ID:
        return Judgment(who, trial_id=f"{who}/{item}", item=item, kind="filler", rating=rating)
    known = BY_ID[item]
    pair = sentences(known)
    assert pair is not None
    assert known.agreement is not None
    return Judgment(
        who,
        trial_id=f"{who}/{item}/{side}",
        item=item,
        source=known.cluster_id,
        construction=known.agreement.construction,
        condition=known.kind,
        option_1=pair[SIDES.index(side)],
        rating=rating,
    )


def evidence(judgments: Sequence[Judgment], scale: str = "7") -> Evidence:
    return Evidence("s", BY_ID, (), tuple(judgments), {}, scale)


def found(judgments: Sequence[Judgment], scale: str = "7") -> list[Measure]:
    return list(ratings.measures(evidence(judgments, scale)))


def one(measures: Sequence[Measure], statistic: str, level: str, kind: str = "") -> Measure:
    (own,) = (
        each
        for each in measures
        if (each.statistic, each.level, each.kind) == (statistic, level, kind)
        and not each.construction
    )
    return own


def people(n: int = 4) -> list[Judgment]:
    """Each person rates every sentence and two fillers, on a scale of their own."""
    made = []
    for person in range(n):
        for place, item in enumerate(BY_ID):
            for side in SIDES:
                value = 1 + (3 * place + 5 * person + 4 * (side == "right")) % 7
                made.append(judgment(f"p{person}", item, side, float(value)))
        made += [judgment(f"p{person}", f"f{n}", "", 1.0 + 6 * n) for n in range(2)]
    return made


def surely_right() -> list[Judgment]:
    """One person, to whom every right sentence is better."""
    return [
        judgment("p", item, side, rating)
        for item in BY_ID
        for side, rating in (("right", 6.0), ("wrong", 2.0))
    ]


@st.composite
def rated(draw: st.DrawFn) -> list[Given]:
    """Some of what some people could have rated, each sentence once a person."""
    names = [*BY_ID, "f0", "f1"]
    keys = draw(
        st.lists(
            st.tuples(
                st.sampled_from(("p0", "p1", "p2")), st.sampled_from(names), st.sampled_from(SIDES)
            ),
            unique=True,
            max_size=30,
        )
    )
    return [(*key, float(draw(st.integers(1, 7)))) for key in keys]


def scores(given: Sequence[Given]) -> list[tuple[str, str, float]]:
    """(item, side, z) from the definition."""
    result = []
    for who, item, side, rating in given:
        own = [value for person, _, _, value in given if person == who]
        if len(set(own)) > 1:
            result.append((item, side, (rating - fmean(own)) / stdev(own)))
    return result


@settings(max_examples=50)
@given(rated())
def test_means_differences_and_shares_are_those_of_their_definitions(case: list[Given]) -> None:
    measures = found([judgment(*each) for each in case])
    kinds = {BY_ID[item].kind for _, item, _, _ in case if item in BY_ID}
    plain = [(item, side, rating) for _, item, side, rating in case]
    for level, known in ((GIVEN, plain), (Z, scores(case))):
        by_item: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
        for item, side, value in known:
            if item in BY_ID:
                by_item[side].setdefault(item, []).append(value)
        right, wrong = ({i: fmean(v) for i, v in by_item[side].items()} for side in SIDES)
        both = [right[item] - wrong[item] for item in right if item in wrong]
        higher = [0.5 if abs(d) < NEAR else float(d > 0) for d in both]
        there = {BY_ID[item].kind for item in (*right, *wrong)}
        kind = "" if len(there) > 1 else next(iter(there), "")
        for statistic, values in (
            (MEANS["right"], list(right.values())),
            (MEANS["wrong"], list(wrong.values())),
            (DIFFERENCE, both),
            (HIGHER, higher),
        ):
            if values:
                own = one(measures, statistic, level, kind)
                assert own.n == len(values)
                assert own.value == pytest.approx(fmean(values), abs=1e-7)
            else:
                assert not [e for e in measures if (e.statistic, e.level) == (statistic, level)]
    assert bool(measures) == bool(kinds)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(-5, 5)), min_size=4, max_size=4))
def test_how_somebody_uses_the_scale_is_no_matter_to_z_scores(
    uses: list[tuple[int, int]],
) -> None:
    own = people()
    other = [
        replace(each, rating=a * (each.rating or 0.0) + b)
        for each in own
        for a, b in [uses[int(each.participant[1:])]]
    ]
    mine, theirs = ([e for e in found(each) if e.level == Z] for each in (own, other))
    assert mine
    for before, after in zip(mine, theirs, strict=True):
        assert after.value == pytest.approx(before.value, abs=NEAR)


def test_right_and_wrong_exchanged_turn_the_difference_round() -> None:
    pairs = {text: other for i in SUITE if (p := sentences(i)) for text, other in (p, p[::-1])}
    own = people()
    other = [replace(each, option_1=pairs.get(each.option_1, "")) for each in own]
    for level in (GIVEN, Z):
        mine, theirs = one(found(own), DIFFERENCE, level), one(found(other), DIFFERENCE, level)
        assert mine.value == pytest.approx(-(theirs.value or 0.0))
        shares = [one(found(each), HIGHER, level).value or 0.0 for each in (own, other)]
        assert sum(shares) == pytest.approx(1.0)


def test_intervals_are_over_sources_and_few_are_told() -> None:
    own = people()
    differences, sources = [], []
    for name, item in BY_ID.items():
        side = {
            s: fmean(e.rating or 0.0 for e in own if e.item == name and e.trial_id.endswith(s))
            for s in SIDES
        }
        differences.append(side["right"] - side["wrong"])
        sources.append(item.cluster_id)
    limits = cluster_interval(differences, sources)
    measure = one(found(own), DIFFERENCE, GIVEN)
    assert limits is not None
    assert (measure.low, measure.high) == (limits.low, limits.high)
    assert measure.note == f"bootstrap over sources, only {len(set(sources))} sources, scale 7"
    sure = one(found(surely_right()), HIGHER, GIVEN)
    n = len(set(sources))
    assert sure.note.startswith("Wilson, one source one case")
    assert sure.low == pytest.approx(n / (n + 1.959964**2))
    assert sure.high == 1.0
    (alone, *_) = (e for e in found(own[:2]) if e.statistic == DIFFERENCE)
    assert (alone.low, alone.high) == (None, None)


def test_who_gives_one_rating_to_all_has_no_z_scores_and_is_counted() -> None:
    flat = [replace(each, participant="flat", rating=5.0) for each in people(1)]
    single = judgment("single", next(iter(BY_ID)), "right", 2.0)
    measures = found([*people(), *flat, single])
    (left,) = (each for each in measures if each.statistic == ratings.FLAT)
    assert (left.value, left.n) == (2.0, 6)
    for side in SIDES:
        assert one(measures, MEANS[side], Z) == one(found(people()), MEANS[side], Z)
    assert one(measures, MEANS["right"], GIVEN) != one(found(people()), MEANS["right"], GIVEN)


def test_every_kind_and_every_construction_has_its_numbers() -> None:
    cells = {(e.kind, e.construction) for e in found(people()) if e.statistic == HIGHER}
    names = {e.agreement.construction for e in SUITE if e.agreement}
    assert cells == {
        ("", ""),
        *((kind, name) for kind in ("original", "nonce") for name in ("", *names)),
    }


def placed(each: Judgment) -> list[str]:
    measures = found([each])
    sides = [side for side in SIDES if any(e.statistic == MEANS[side] for e in measures)]
    return sides or [e.statistic for e in measures if e.statistic == ratings.UNPLACED]


def test_a_sentence_is_told_by_its_text_else_by_the_condition_else_it_is_neither() -> None:
    own = judgment("p", SUITE[0].item_id, "wrong", 3.0)
    assert placed(own) == ["wrong"]
    assert placed(replace(own, condition="original right")) == ["wrong"]
    digest = hashlib.md5(own.option_1.encode(), usedforsecurity=False).hexdigest()
    assert placed(replace(own, option_1=digest)) == ["wrong"]
    for condition in ("right", "original right"):
        assert placed(replace(own, option_1="", condition=condition)) == ["right"]
    assert placed(replace(own, option_1="", condition="original")) == [ratings.UNPLACED]
    assert placed(replace(own, option_1=f"{own.option_1} indeed")) == [ratings.UNPLACED]


def test_a_sentence_that_is_right_in_another_item_is_wrong_in_its_own() -> None:
    first = SUITE[0]
    other = replace(
        first, item_id="other", conditions=dict(zip(SIDES, _turned(first), strict=True))
    )
    own = judgment("p", first.item_id, "wrong", 3.0)
    both = Evidence("s", {**BY_ID, "other": other}, (), (own, replace(own, item="other")), {}, "7")
    assert {each.statistic for each in ratings.measures(both) if each.level == GIVEN} == {
        MEANS["right"],
        MEANS["wrong"],
    }


def _turned(item: Item) -> list[tuple[Wording, ...]]:
    return [item.conditions[side] for side in reversed(SIDES)]


def test_a_rating_beside_a_choice_is_none_of_a_sentence() -> None:
    own = judgment("p", SUITE[0].item_id, "wrong", 3.0)
    assert ratings.rates(own)
    for other in (
        replace(own, chosen="is"),
        replace(own, option_2="are"),
        replace(own, chosen_index=0),
        replace(own, rating=None),
    ):
        assert not ratings.rates(other)
        assert found([other]) == []


def test_magnitudes_are_compared_as_logarithms_and_those_not_above_zero_are_counted() -> None:
    name = SUITE[0].item_id
    own = [
        judgment("p", name, "right", 100.0),
        judgment("p", name, "wrong", 10.0),
        judgment("p", "f0", "", 0.0),
    ]
    measures = found(own, "magnitude")
    assert one(measures, DIFFERENCE, LOGARITHM, "original").value == pytest.approx(math.log(10))
    assert one(measures, DIFFERENCE, Z, "original").value == pytest.approx(math.sqrt(2))
    assert not [each for each in measures if each.level == GIVEN]
    (gone,) = (each for each in measures if each.statistic == ratings.NO_MAGNITUDE)
    assert (gone.value, gone.n) == (1.0, 3)
    unknown = one(found(own, ""), DIFFERENCE, GIVEN, "original")
    assert unknown.value == 90.0
    assert "scale not known" in unknown.note


def imported(**study: str) -> ImportedSet:
    return ImportedSet("a", "colorless", (), {}, {}, "", False, False, study)


def test_the_scale_is_known_where_all_studies_of_ratings_name_the_same() -> None:
    seven, ratio = (imported(task="rating", scale=each) for each in ("7", "magnitude"))
    form = imported(task="form", scale="7")  # every study file has a scale
    assert rating_scale([ratio]) == rating_scale([ratio, ratio, form]) == "magnitude"
    assert rating_scale([seven, ratio]) == rating_scale([ratio, imported()]) == ""
    assert rating_scale([]) == ""


# Where there is nothing right or wrong to count, everybody is told what there is


def reading(who: str) -> Reading:
    item = SUITE[0]
    return Reading(
        who, who, who, item.item_id, "right", "", "", "", "target", "", 0, "the", 300.0, "", ""
    )


NOBODY = Answers()
RATED = Answers((imported(),), counted=tuple(people()), readings=(reading("r"),))
GONE = Answers((imported(),), left_out=tuple(people(3)))
READ = Answers((imported(),), readings=(reading("r1"), reading("r1"), reading("r2")))
EMPTY = Answers((imported(),))


def said(answers: Answers) -> str:
    return words(beside.section(Material("m", people=People(answers)), ()))


def test_the_page_says_what_people_did_where_no_answer_is_right_or_wrong() -> None:
    n = 4 * 2 * len(SUITE)
    assert said(NOBODY) == "No judgments of people have been imported for these items."
    assert said(RATED) == (
        f"4 people rated sentences ({n} ratings count), and no choice between a right and a wrong"
        " form counts; 1 person read sentences word by word."
    )
    assert said(GONE) == "Of 3 people asked, no answer to a target sentence counts."
    assert said(READ) == "Nobody judged a sentence: 2 people read sentences word by word."
    assert said(EMPTY) == "Nothing of what was imported counts."
    assert unjudged(NOBODY) == ""


def test_unanswered_items_are_no_judgments_that_models_could_stand_beside() -> None:
    row: Row = {"rater": "m", "suite": "s", "kind": "original", "accuracy": 0.5, "n_items": 4}
    made = Material("m", comparison=(row,), tallies=(Tally("i", "i", "", "original", 0, 0),))
    found = beside.section(
        replace(made, people=People(answers=GONE)), (Rater("m", "m", "circle", 0),)
    )
    assert found.tables == ()
    assert words(found) == said(GONE)


def test_a_paper_is_told_of_no_intervals_of_accuracies_where_there_are_only_ratings() -> None:
    made = Material("m", people=People(answers=RATED, measures=tuple(found(people()))))
    assert not [each for each in statistics(made) if "accurac" in each.text]


def test_the_table_of_people_counts_readers_and_ratings() -> None:
    def counts(answers: Answers) -> dict[str, str]:
        found = study_section.section(Material("m", people=People(answers)), ())
        return {row["what"].text: row["value"].text for row in rows(of(found, "study-people"))}

    assert counts(READ) == {"people": "2", "people who read word by word": "2", "sessions": "2"}
    rated = counts(RATED)
    assert (rated["people"], rated["people whose answers count"]) == ("5", "4")
    assert rated["ratings among them"] == rated["trials with target sentences that count"] == "64"


# From a file to the page


def storable(item: Item) -> Item:
    assert item.agreement is not None
    feats = ("_",) * len(item.agreement.tokens)
    return replace(item, agreement=replace(item.agreement, target_feats="_", feats=feats))


def store_of(tmp_path: Path, judgments: Sequence[Judgment], **request: object) -> Store:
    store = Store(MEMORY)
    suite = Suite("s", tuple(map(storable, SUITE)), ())
    with store.transaction():
        save_suite(store, suite, "nonce", treebank_id=None, now="")
    names = ("participant", "trial_id", "item", "kind", "option_1", "rating")
    lines = [names, *([str(getattr(each, name)) for name in names] for each in judgments)]
    path = tmp_path / "ratings.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    import_judgments([path], store, Request(**request), now="")  # type: ignore[arg-type]
    return store


def test_imported_ratings_are_analysed_and_on_the_page(tmp_path: Path) -> None:
    store = store_of(tmp_path, people())
    told = "4 people rated sentences (64 ratings count), and no choice between a right and a wrong"
    analysed = analyse("s", store)
    assert analysed.found
    assert analysed.messages == [f"s: {told} form counts"]
    told_of = {str(row["statistic"]) for row in analysed.rows}
    assert told_of == {*MEANS.values(), DIFFERENCE, HIGHER}
    assert [row["value"] for row in analysed.rows] == [
        pytest.approx(each.value)
        for detail in (False, True)
        for each in found(people(), "")
        if bool(each.construction) == detail
    ]
    with pytest.raises(InputError) as caught:
        analyse("s", store, formula="attractors + (1 | participant)")
    assert str(caught.value) == (
        "--formula: of s there are no answers that are right or wrong; "
        "choices between a right and a wrong form"
    )
    assert list(compare_suites(["s"], store, published="", out=None).messages) == [
        f"s: {told} form counts"
    ]
    material = material_of(store, results_of(store, [1])[0])
    (table,) = (each for each in downloads.files(material) if each.name == "measures.csv")
    assert all(statistic in table.content for statistic in told_of)
    page = render(material)
    assert '<section id="ratings">' in page
    assert told in page
    assert "No judgments of people" not in page


def test_where_everybody_is_excluded_the_verbs_say_so(tmp_path: Path) -> None:
    store = store_of(tmp_path, people(), exclude=("min_judgments=99",))
    message = "s: of 4 people asked, no answer to a target sentence counts"
    analysed = analyse("s", store)
    assert (analysed.found, analysed.messages) == (False, [message])
    assert list(compare_suites(["s"], store, published="", out=None).messages) == [message]


def test_ratings_take_no_curve_of_a_model_off_the_page() -> None:
    made = replace(without_people(), people=People(measures=tuple(found(people()))))
    shown = raters(made)
    names = [each.name for each in curve.figures(made, shown)]
    assert names == [each.name for each in curve.figures(without_people(), shown)] != []


def test_the_section_shows_every_number_and_says_who_has_no_z_scores() -> None:
    flat = [replace(each, participant="flat", rating=5.0) for each in people(1)]
    stray = replace(people(1)[0], option_1="", trial_id="x")
    measures = tuple(found([*people(), *flat, stray], ""))
    section = ratings_section.section(Material("m", people=People(measures=measures)), ())
    assert "1 of 5 people gave one rating to all sentences" in words(section)
    assert "1 of 81 ratings are of sentences that are not known to be" in words(section)
    assert "not as magnitudes" in words(section)
    shown = rows(of(section, "ratings-kinds"))
    assert [(row["sentences"].text, row["scored"].text) for row in shown] == [
        (kind, level)
        for kind in ("all items", "originals", "nonce variants")
        for level in ("as given", "z")
    ]
    for row, level in zip(shown[:2], (GIVEN, Z), strict=True):
        assert row["right"].value == one(measures, MEANS["right"], level).value
        assert row["wrong"].value == one(measures, MEANS["wrong"], level).value
        assert row["right − wrong"].value == one(measures, DIFFERENCE, level).value
        assert row["higher when right, %"].value == 100 * (
            one(measures, HIGHER, level).value or 0.0
        )
        assert row["items with both"].value == len(SUITE)
    assert len(of(section, "ratings-constructions").rows) == 8
    assert "fewer than 8 sources" in of(section, "ratings-kinds").note
    assert ratings_section.section(Material("m"), ()) is None
