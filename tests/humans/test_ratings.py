"""Ratings: right sentences beside wrong ones, as given and as z-scores of each person."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import fmean, stdev

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green import compare
from colorless_green.data import Item, Wording, cluster_interval
from colorless_green.data.tables import Row
from tests.builders import few_examples, mistake
from tests.humans.pages import numbers
from tests.humans.report_material import items, outcomes
from tests.humans.stored import Kept
from tests.humans.trial_records import Judgment

SUITE = tuple(item for item in items(2, 1) if item.agreement)[:8]  # 4 sources, 2 constructions
BY_ID = {item.item_id: item for item in SUITE}
SIDES = ("right", "wrong")
NEAR = 1e-9
RHO, CEILING = "ρ of rating, right − wrong, with margin", "noise ceiling of ratings"
MEANS = {side: f"mean rating of {side} sentences" for side in SIDES}
DIFFERENCE, HIGHER = "rating, right − wrong", "items rated higher when right"
FLAT = "people whose ratings are all alike"
UNPLACED = "ratings of sentences neither right nor wrong"
NO_MAGNITUDE = "magnitudes not above 0"
GIVEN, LOGARITHM, Z = "as given", "natural logarithm", "z per person"

Given = tuple[str, str, str, float]
"""(person, item or filler, side, rating)"""


def both_sentences(item: Item) -> tuple[str, str]:
    """Return the right and the wrong sentence."""
    right, wrong = (
        "".join(region.text for region in item.conditions[side][0]).strip() for side in SIDES
    )
    return right, wrong


def judgment(who: str, item: str, side: str, rating: float | None) -> Judgment:
    """Return a rating as a file has it; an item that is not of the suite is a filler."""
    if item not in BY_ID:
        return Judgment(
            who, trial_id=f"{who}/{item}/{side}", item=item, kind="filler", rating=rating
        )
    pair = both_sentences(BY_ID[item])
    assert pair is not None
    return Judgment(
        who,
        trial_id=f"{who}/{item}/{side}",
        item=item,
        option_1=pair[SIDES.index(side)],
        rating=rating,
    )


def kept_of(judgments: Sequence[Judgment], scale: str = "7", suite: Sequence[Item] = SUITE) -> Kept:
    """Ratings in a store, from a study with this scale, if with any."""
    kept = Kept()
    kept.suite(suite)
    study = f'task = "rating"\nscale = "{scale}"\n[exclude]\n' if scale else "[exclude]\n"
    if judgments:
        kept.people(judgments, study=kept.file("study.toml", study))
    return kept


def found(judgments: Sequence[Judgment], scale: str = "7") -> list[Row]:
    """Return what the analysis says of these ratings."""
    return [row for row in kept_of(judgments, scale).analyse().rows if "rat" in str(row)]


def of(rows: Sequence[Row], statistic: str, level: str, kind: str = "original") -> list[Row]:
    return [
        row
        for row in rows
        if (row["statistic"], row["level"], row["kind"], row["construction"])
        == (statistic, level, kind, "")
    ]


def one(rows: Sequence[Row], statistic: str, level: str, kind: str = "original") -> Row:
    (own,) = of(rows, statistic, level, kind)
    return own


def value(row: Row) -> float:
    assert isinstance(row["value"], float)
    return row["value"]


def people(n: int = 4) -> list[Judgment]:
    """Each person rates every sentence and two fillers, on a scale of their own."""
    made = []
    for person in range(n):
        for place, item in enumerate(BY_ID):
            for side in SIDES:
                rating = 1 + (3 * place + 5 * person + 4 * (side == "right")) % 7
                made.append(judgment(f"p{person}", item, side, float(rating)))
        made += [judgment(f"p{person}", f"f{n}", "", 1.0 + 6 * n) for n in range(2)]
    return made


def flat() -> list[Judgment]:
    """Somebody who gives one rating to all."""
    return [
        replace(each, participant="flat", trial_id=f"flat{n}", rating=5.0)
        for n, each in enumerate(people(1))
    ]


@st.composite
def rated(draw: st.DrawFn) -> list[Given]:
    """Return some of what some people could have rated, each sentence once a person."""
    names = [*BY_ID, "f0", "f1"]
    keys = draw(
        st.lists(
            st.tuples(
                st.sampled_from(("p0", "p1", "p2")), st.sampled_from(names), st.sampled_from(SIDES)
            ),
            unique=True,
            min_size=1,
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


@few_examples
@given(rated())
def test_means_differences_and_shares_are_those_of_their_definitions(case: list[Given]) -> None:
    rows = found([judgment(*each) for each in case])
    kinds = {BY_ID[item].kind for _, item, _, _ in case if item in BY_ID}
    plain = [(item, side, rating) for _, item, side, rating in case]
    for level, known, kind in (
        (level, known, kind)
        for level, known in ((GIVEN, plain), (Z, scores(case)))
        for kind in ("original", "nonce")
    ):
        by_item: dict[str, dict[str, list[float]]] = {side: {} for side in SIDES}
        for item, side, rating in known:
            if item in BY_ID and BY_ID[item].kind == kind:
                by_item[side].setdefault(item, []).append(rating)
        right, wrong = ({i: fmean(v) for i, v in by_item[side].items()} for side in SIDES)
        both = [right[item] - wrong[item] for item in right if item in wrong]
        higher = [0.5 if abs(d) < NEAR else float(d > 0) for d in both]
        for statistic, values in (
            (MEANS["right"], list(right.values())),
            (MEANS["wrong"], list(wrong.values())),
            (DIFFERENCE, both),
            (HIGHER, higher),
        ):
            if values:
                own = one(rows, statistic, level, kind)
                assert own["n"] == len(values)
                assert own["value"] == pytest.approx(fmean(values), abs=1e-7)
            else:
                assert not of(rows, statistic, level, kind)
    assert bool(rows) == bool(kinds)


@pytest.mark.slow
@settings(max_examples=8)
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
    mine, theirs = ([r for r in found(each) if r["level"] == Z] for each in (own, other))
    assert mine
    for before, after in zip(mine, theirs, strict=True):
        assert after["value"] == pytest.approx(before["value"], abs=NEAR)


@pytest.mark.slow
def test_right_and_wrong_exchanged_turn_the_difference_round() -> None:
    pairs = {text: other for i in SUITE if (p := both_sentences(i)) for text, other in (p, p[::-1])}
    own = people()
    other = [replace(each, option_1=pairs.get(each.option_1, "")) for each in own]
    for level in (GIVEN, Z):
        mine, theirs = one(found(own), DIFFERENCE, level), one(found(other), DIFFERENCE, level)
        assert value(mine) == pytest.approx(-value(theirs))
        shares = [value(one(found(each), HIGHER, level)) for each in (own, other)]
        assert sum(shares) == pytest.approx(1.0)


def test_intervals_are_over_sources() -> None:
    own = people()
    differences, sources = [], []
    originals = {name: item for name, item in BY_ID.items() if item.kind == "original"}
    for name, item in originals.items():
        side = {
            s: fmean(e.rating or 0.0 for e in own if e.item == name and e.trial_id.endswith(s))
            for s in SIDES
        }
        differences.append(side["right"] - side["wrong"])
        sources.append(item.cluster_id)
    limits = cluster_interval(differences, sources)
    measure = one(found(own), DIFFERENCE, GIVEN)
    assert limits is not None
    assert (measure["low"], measure["high"]) == (limits.low, limits.high)
    assert set(numbers(str(measure["note"]))) == {7}  # the scale; few sources widen the interval
    surely = [
        judgment("p", item, side, rating)
        for item in BY_ID
        for side, rating in (("right", 6.0), ("wrong", 2.0))
    ]
    sure, n = one(found(surely), HIGHER, GIVEN), len(set(sources))
    assert sure["low"] == pytest.approx(n / (n + 1.959964**2))  # Wilson, one source one case
    assert sure["high"] == 1.0
    (alone, *_) = (row for row in found(own[:2]) if row["statistic"] == DIFFERENCE)
    assert (alone["low"], alone["high"]) == (None, None)


def test_who_gives_one_rating_to_all_has_no_z_scores_and_is_counted() -> None:
    single = judgment("single", next(iter(BY_ID)), "right", 2.0)
    rows, plain = found([*people(), *flat(), single]), found(people())
    (left,) = (row for row in rows if row["statistic"] == FLAT)
    assert (left["value"], left["n"]) == (2.0, 6)
    for side in SIDES:
        assert one(rows, MEANS[side], Z) == one(plain, MEANS[side], Z)
    assert one(rows, MEANS["right"], GIVEN) != one(plain, MEANS["right"], GIVEN)


def test_every_kind_and_every_construction_has_its_numbers() -> None:
    cells = {(r["kind"], r["construction"]) for r in found(people()) if r["statistic"] == HIGHER}
    names = {e.agreement.construction for e in SUITE if e.agreement}
    assert cells == {(kind, name) for kind in ("original", "nonce") for name in ("", *names)}


def placed(each: Judgment) -> list[str]:
    told = {str(row["statistic"]) for row in found([each])}
    return [side for side in SIDES if MEANS[side] in told] or sorted(told & {UNPLACED})


def test_a_sentence_is_told_by_its_text_else_by_the_condition_else_it_is_neither() -> None:
    own = judgment("p", SUITE[0].item_id, "wrong", 3.0)
    assert placed(own) == ["wrong"]
    assert placed(replace(own, condition="original right")) == ["wrong"]
    digest = hashlib.md5(own.option_1.encode(), usedforsecurity=False).hexdigest()
    assert placed(replace(own, option_1=digest)) == ["wrong"]
    for condition in ("right", "original right"):
        assert placed(replace(own, option_1="", condition=condition)) == ["right"]
    assert placed(replace(own, option_1="", condition="original")) == [UNPLACED]
    assert placed(replace(own, option_1=f"{own.option_1} indeed")) == [UNPLACED]


def test_a_sentence_that_is_right_in_another_item_is_wrong_in_its_own() -> None:
    first = SUITE[0]
    turned: list[tuple[Wording, ...]] = [first.conditions[side] for side in reversed(SIDES)]
    other = replace(
        first,
        item_id="other",
        conditions=dict(zip(SIDES, turned, strict=True)),
        agreement=None,
        kind="suite",
    )
    own = judgment("p", first.item_id, "wrong", 3.0)
    both = [own, replace(own, item="other", trial_id="other")]
    rows = kept_of(both, suite=(*SUITE, other)).analyse().rows
    assert {row["statistic"] for row in rows if row["level"] == GIVEN} == set(MEANS.values())


def test_a_rating_beside_a_choice_is_none_of_a_sentence() -> None:
    item = SUITE[0]
    assert item.agreement is not None
    own = Judgment("p", trial_id="1", item=item.item_id, option_1=item.agreement.right, rating=3.0)
    own = replace(own, option_2=item.agreement.wrong)
    for other in (
        replace(own, chosen=item.agreement.right),
        replace(own, chosen_index=0),
        replace(own, rating=None),
    ):
        rows = kept_of([other, judgment("q", item.item_id, "right", 2.0)]).analyse().rows
        assert all(row["n"] == 1 for row in rows if row["statistic"] == MEANS["right"])
        assert not [row for row in rows if row["statistic"] == UNPLACED]


def test_magnitudes_are_compared_as_logarithms_and_those_not_above_zero_are_counted() -> None:
    name = SUITE[0].item_id
    own = [
        judgment("p", name, "right", 100.0),
        judgment("p", name, "wrong", 10.0),
        judgment("p", "f0", "", 0.0),
    ]
    rows = kept_of(own, "magnitude").analyse().rows
    assert value(one(rows, DIFFERENCE, LOGARITHM, "original")) == pytest.approx(math.log(10))
    assert value(one(rows, DIFFERENCE, Z, "original")) == pytest.approx(math.sqrt(2))
    assert not [row for row in rows if row["level"] == GIVEN]
    (gone,) = (row for row in rows if row["statistic"] == NO_MAGNITUDE)
    assert (gone["value"], gone["n"]) == (1.0, 3)
    assert value(one(found(own, ""), DIFFERENCE, GIVEN, "original")) == 90.0


@pytest.mark.parametrize(
    ("studies", "level"),
    [
        (("rating magnitude",), LOGARITHM),
        (("rating magnitude", "form 7"), LOGARITHM),  # every study file has a scale
        (("rating 7", "rating magnitude"), GIVEN),
        (("rating magnitude", ""), GIVEN),
        (("",), GIVEN),
    ],
)
def test_the_scale_is_known_where_all_studies_of_ratings_name_the_same(
    studies: Sequence[str], level: str
) -> None:
    kept = Kept()
    kept.suite(SUITE)
    for n, told in enumerate(studies):
        task, _, scale = told.partition(" ")
        facts = f'task = "{task}"\nscale = "{scale}"\n' if told else ""
        own = [
            replace(each, participant=f"{n}{each.participant}", trial_id=f"{n}{each.trial_id}")
            for each in people(1)
        ]
        study = kept.file(f"{n}.toml", f"{facts}[exclude]\n")
        kept.people(own, name=f"study{n}", study=study)
    levels = {row["level"] for row in kept.analyse().rows if row["statistic"] == DIFFERENCE}
    assert levels == {level, Z}


# Where there is nothing right or wrong to count, everybody is told what there is


GONE = ("min_judgments=99",)


@pytest.mark.parametrize(
    ("judged", "exclude", "told"),
    [
        (people(), (), {4, 64}),  # people, ratings that count
        (people(3), GONE, {3}),
    ],
    ids=["rated", "left out"],
)
def test_page_and_verbs_say_what_people_did_where_no_answer_is_right_or_wrong(
    judged: Sequence[Judgment],
    exclude: Sequence[str],
    told: set[int],
) -> None:
    kept = Kept()
    suite_id = kept.suite(SUITE)
    kept.run(suite_id, "m", outcomes(SUITE)["ngram:models/ngram"])
    kept.people(judged, exclude=exclude)
    (said,) = (each.text for each in kept.report().by_id["people"].all("p") if not each.all("a"))
    assert set(numbers(said)) == told
    for messages in (kept.analyse().messages, kept.compare().messages):
        assert told in [set(numbers(each.partition(":")[2])) for each in messages]
    assert kept.analyse().found == (told == {4, 64})
    assert not kept.report().by_id["people"].all("table")


def test_of_a_construction_only_its_own_ratings_are_told() -> None:
    kept = Kept()
    suite_id = kept.suite(SUITE)
    kept.run(suite_id, "m", outcomes(SUITE)["ngram:models/ngram"])
    kept.people(people())
    name = SUITE[0].construction
    n = sum(BY_ID[e.item].construction == name for e in people() if e.kind == "target")
    assert 0 < n < 64
    message = compare(construction=[name], store=kept.store).messages[1]
    assert set(numbers(message.partition(":")[2])) == {4, n}


def test_unanswered_items_are_no_judgments_that_models_could_stand_beside() -> None:
    kept = Kept()
    suite_id = kept.suite(SUITE)
    kept.run(suite_id, "m", outcomes(SUITE)["ngram:models/ngram"])
    kept.totals({item.item_id: (0, 0) for item in SUITE})
    assert not kept.report().by_id["people"].all("table")


# Beside models


@few_examples
@given(st.integers(0, 99))
def test_ratings_and_margins_correlate_by_the_definition(seed: int) -> None:
    rng = Random(seed)
    suite = [item for item in items(6, 0) if item.agreement]
    ease = {item.item_id: rng.gauss(1, 1) for item in suite}
    judgments = [
        replace(
            Judgment(f"p{person}", trial_id=f"{person}/{item.item_id}/{side}", item=item.item_id),
            option_1=pair[SIDES.index(side)],
            rating=round(4 + (side == "right") * ease[item.item_id] + rng.gauss(0, 1), 3),
        )
        for person in range(6)
        for item in suite
        for pair in [both_sentences(item)]
        for side in SIDES
    ]
    margins = {name: (1.0, value + rng.gauss(0, 1)) for name, value in ease.items()}
    kept = kept_of(judgments, suite=suite)
    for model, sign in (("same", 1.0), ("opposite", -1.0)):
        turned = {name: (1.0, sign * value) for name, (_, value) in margins.items()}
        kept.run(1, model, turned)
    rows = [row for row in kept.analyse().rows if row["statistic"] == RHO]
    by_model = {row["rater"]: row for row in rows}
    z: dict[tuple[str, str], list[float]] = {}
    for person in range(6):
        own = [each for each in judgments if each.participant == f"p{person}"]
        values = [each.rating or 0.0 for each in own]
        for each in own:
            side = each.trial_id.rpartition("/")[2]
            score = ((each.rating or 0.0) - fmean(values)) / stdev(values)
            z.setdefault((each.item, side), []).append(score)
    difference = [fmean(z[name, "right"]) - fmean(z[name, "wrong"]) for name in ease]
    expected = scipy.stats.spearmanr(difference, [margins[name][1] for name in ease]).statistic
    assert value(by_model["same"]) == pytest.approx(expected)
    assert value(by_model["opposite"]) == pytest.approx(-expected)
    assert by_model["same"]["n"] == len(suite)
    (ceiling,) = (row for row in kept.analyse().rows if row["statistic"] == CEILING)
    assert ceiling["value"] is None or expected - 0.35 < value(ceiling) <= 1


# From a file to the page


def test_imported_ratings_are_analysed_and_on_the_page() -> None:
    """From a table of another program's, whose columns are ours."""
    kept = Kept()
    kept.suite(SUITE)
    names = ("participant", "trial_id", "item", "kind", "option_1", "rating")
    lines = [names, *([str(getattr(each, name)) for name in names] for each in people())]
    table = "".join("\t".join(line) + "\n" for line in lines)
    kept.imported(kept.file("ratings.tsv", table))
    analysed = kept.analyse()
    assert analysed.found
    told_of = {str(row["statistic"]) for row in analysed.rows}
    assert told_of == {*MEANS.values(), DIFFERENCE, HIGHER, CEILING}
    assert [row["value"] for row in analysed.rows] == [row["value"] for row in found(people(), "")]
    with mistake("empty", "r"):
        kept.analyse(r=kept.folder / "r")
    page = kept.report()
    assert "ratings" in page.sections
    assert {row["statistic"] for row in page.file("measures.csv")} == told_of
    assert not [name for name in page.tables if name.startswith(("accuracy", "by-", "exclusion-e"))]


def test_ratings_take_no_curve_of_a_model_off_the_page() -> None:
    kept, suite = Kept(), items(2, 1)
    suite_id = kept.suite(suite)
    kept.run(suite_id, "m", outcomes(suite)["ngram:models/ngram"])
    before = kept.report().figures
    kept.people(people())
    assert kept.report().figures == before
    assert "distance-figure" in before


def test_the_section_shows_every_number_and_says_who_has_no_z_scores() -> None:
    stray = replace(people(1)[0], option_1="", trial_id="x")
    kept = kept_of([*people(), *flat(), stray], "")
    rows, page = kept.analyse().rows, kept.report()
    told = [numbers(each.text) for each in page.by_id["ratings"].all("p")]
    assert [1, 5] in told  # of five people one gave one rating to all
    assert [1, 81] in told  # of 81 ratings one is of neither sentence
    shown = page.rows("ratings-table")
    for level in (GIVEN, Z):
        for statistic in (MEANS["right"], MEANS["wrong"], DIFFERENCE, HIGHER):
            (row,) = (
                each
                for each in shown
                if (each["statistic"].text, each["sentences"].text, each["construction"].text)
                == (statistic, "originals", "")
                and each["answers as"].text == level
            )
            assert row["value"].value == value(one(rows, statistic, level))
            if statistic == DIFFERENCE:
                assert row["items"].value == sum(item.kind == "original" for item in SUITE)
    assert sum(bool(row["construction"].text) for row in shown) == 8 * 4
