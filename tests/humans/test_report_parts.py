"""Figures, tables and sentences of the report, before they are HTML."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.tables import Row
from colorless_green.humans.agreement import agreement_of as agreement, sentences
from colorless_green.humans.comparison import HUMANS
from colorless_green.humans.judgment import Tally
from colorless_green.humans.measures.accuracies import BY_BOTH
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.report import accuracies, comparisons, curve, dots, flags, scatter, svg
from colorless_green.humans.report.answer import answer
from colorless_green.humans.report.constructions import MOST_REJECTED, tables
from colorless_green.humans.report.examples import Piece, direction, groups, pieces
from colorless_green.humans.report.marginals import marginal
from colorless_green.humans.report.material import Material, People, Run
from colorless_green.humans.report.numbers import THIN, p_value, percent, points, signed
from colorless_green.humans.report.raters import raters, short_labels
from colorless_green.humans.statistics import item_accuracy
from colorless_green.nonce.doubts import AMBIGUOUS
from colorless_green.nonce.doubts import FLAGS as DOUBTS
from tests.humans.report_material import agreement_item, hebrew, items, material, outcomes, tallies

FULL = material()
RATERS = raters(FULL)


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are asked for here, drawings in the tests of the page."""
    monkeypatch.setattr(svg, "available", lambda: False)


def test_people_come_first_and_every_rater_has_a_shape_and_colour_of_its_own() -> None:
    assert RATERS[0].name == HUMANS
    assert RATERS[0].label == "people (simulated)"
    assert len({(rater.shape, rater.colour) for rater in RATERS}) == len(RATERS) == 5
    assert {rater.shape for rater in RATERS} <= svg.MARKERS.keys() == svg.PATHS.keys()


def test_labels_are_short_but_never_shared() -> None:
    names = ["ngram:a/ngram", "recurrent:a/recurrent-1", "causal:x/m", "causal:y/m", "uniform"]
    assert list(short_labels(names).values()) == [
        "ngram",
        "recurrent-1",
        "causal:x/m",
        "causal:y/m",
        "uniform",
    ]


def test_seeds_of_one_group_are_drawn_as_their_mean() -> None:
    rows: list[Row] = [
        {"model": f"r{n}", "group": "r", "kind": "nonce", "accuracy": 0.5 + n / 10, "n_items": 8}
        for n in range(3)
    ]
    rows.append({"group": "r", "kind": "nonce", "accuracy": 0.6, "sd": 0.1, "n_items": 8})
    made = Material(title="x", accuracy=tuple(rows))
    assert [rater.name for rater in raters(made)] == ["r"]
    (table,) = accuracies.tables(made, raters(made))
    assert [row[0].text for row in table.rows] == ["r0", "r1", "r2", "r"]
    assert table.rows[-1][4].below == "sd 10.0"


def test_points_of_people_are_recomputed_from_their_answers() -> None:
    found = [p for p in marginal(FULL, RATERS, "n_attractors") if p.rater.name == HUMANS]
    for point in found:
        own = [
            tally
            for tally in FULL.tallies
            if str(tally.n_attractors) == point.value
            and {"original": "originals", "nonce": "nonce variants"}[tally.condition] == point.panel
        ]
        assert point.n_items == len(own)
        assert point.accuracy == item_accuracy(own)
    assert [p.value for p in found] == ["0", "1", "2", "0", "1", "2"]


def test_originals_come_before_variants_and_totals_before_constructions() -> None:
    figure = dots.figure(FULL, RATERS)
    assert figure is not None
    panels = list(dict.fromkeys(row[1].text for row in figure.data.rows))
    assert panels == ["originals", "nonce variants"]
    assert figure.data.rows[0][0].text == "all constructions"
    assert len(figure.data.rows) == 2 * 5 * 5


def test_too_many_constructions_leave_the_drawing_but_not_the_table() -> None:
    rows: list[Row] = [
        {"model": "m", "kind": "nonce", "construction": f"L__C{n}", "accuracy": 0.5, "n_items": n}
        for n in range(60)
    ]
    made = Material(title="x", accuracy=tuple(rows))
    figure = dots.figure(made, raters(made))
    assert figure is not None
    assert len(figure.data.rows) == 60
    assert "The 20 constructions with the fewest items are only in the table." in figure.caption


def test_no_figure_where_there_is_nothing_to_plot() -> None:
    empty = Material(title="x")
    assert dots.figure(empty, ()) is None
    assert curve.figures(empty, ()) == []
    assert scatter.figure(empty, ()) is None


def test_the_scatters_table_has_every_answered_item_with_each_models_margin() -> None:
    figure = scatter.figure(FULL, RATERS)
    assert figure is not None
    assert len(figure.data.rows) == len(FULL.tallies)
    assert [panel.heading for panel in figure.panels] == [
        f"{rater.label}: right − wrong answers" for rater in RATERS[1:]
    ]


def test_a_correlation_without_variation_is_said_so() -> None:
    suite = items(3, 2)
    unanimous = tuple(replace(tally, right=tally.total) for tally in tallies(suite))
    made = Material(title="x", tallies=unanimous, outcomes=outcomes(suite))
    named = replace(made, runs=FULL.runs)
    figure = scatter.figure(named, raters(named))
    assert figure is not None
    assert figure.panels[2].notes == (
        "originals: n = 12, no variation, so no correlation.",
        "nonce variants: n = 24, no variation, so no correlation.",
    )


def test_the_answer_names_the_best_model_its_interval_and_chance() -> None:
    first, originals, weakest, people = answer(FULL, RATERS)
    best = max(
        (p for p in marginal(FULL, RATERS) if p.panel == "nonce variants" and p.rater != RATERS[0]),
        key=lambda p: p.accuracy,
    )
    assert first == (
        f"Of 4 models, {best.rater.label} does best: it prefers the right form in"
        f" {percent(best.accuracy)}{THIN}% of 192 nonce variants (95{THIN}% interval"
        f" {percent(best.low)}–{percent(best.high)}, chance 50{THIN}%)."
    )
    assert originals.startswith("On the 48 originals, where meaning can help, it reaches ")
    assert weakest.startswith("The weakest, unigram, reaches ")
    shown = next(
        p for p in marginal(FULL, RATERS) if p.panel == "nonce variants" and p.rater == RATERS[0]
    )
    assert people == (
        f"Simulated judgments are right {percent(shown.accuracy)}{THIN}% of the time (mean over"
        f" 192 nonce variants, {percent(shown.low)}–{percent(shown.high)})."
    )


@pytest.mark.parametrize(
    ("accuracy", "low", "high", "verdict"),
    [
        (0.6, 0.4, 0.8, ", which cannot be told from guessing."),
        (0.3, 0.2, 0.4, ", which is worse than guessing."),
        (0.8, 0.7, 0.9, "."),
    ],
)
def test_the_answer_says_where_a_model_stands_to_chance(
    accuracy: float, low: float, high: float, verdict: str
) -> None:
    row: Row = {"model": "m", "kind": "nonce", "accuracy": accuracy, "n_items": 9}
    made = Material(title="x", accuracy=({**row, "low": low, "high": high},))
    assert answer(made, raters(made)) == (
        f"m prefers the right form in {percent(accuracy)}{THIN}% of 9 nonce variants (95{THIN}%"
        f" interval {percent(low)}–{percent(high)}, chance 50{THIN}%){verdict}",
    )


def test_before_scoring_the_answer_is_what_was_mined() -> None:
    rows: tuple[Row, ...] = (
        {"construction": "L__A_B", "verdict": "accepted", "n_originals": 25},
        {"construction": "L__A_C", "verdict": "rejected", "n_originals": 0},
    )
    assert answer(Material(title="x", constructions=rows), ()) == (
        "1 construction was accepted, with 25 originals; no model has been scored yet.",
    )


def test_accepted_constructions_are_all_listed_and_of_the_others_the_largest() -> None:
    rows = tuple(
        {"construction": f"L__C{n}", "n": n, "verdict": "accepted" if n < 50 else "rejected"}
        for n in range(100)
    )
    (table,) = tables(Material(title="x", constructions=rows))
    verdicts = [row[-1].text for row in table.rows]
    assert verdicts == ["accepted"] * 50 + ["rejected"] * MOST_REJECTED
    assert table.rows[50][0].text == "L__C99"
    assert "Of 50 constructions that were not accepted, the 30 with most instances" in table.note


def test_the_comparison_puts_people_beside_each_model() -> None:
    table = comparisons.table(FULL, RATERS)
    assert table is not None
    n_models = sum(row["rater"] != HUMANS for row in FULL.comparison)
    assert len(table.rows) == n_models
    assert table.title == "Models beside people (simulated judgments)"
    assert comparisons.table(Material(title="x"), ()) is None


def test_pieces_join_to_the_sentence_with_its_right_form() -> None:
    for item in (*items(2, 1), *hebrew()):
        assert item.agreement is not None
        joined = "".join(piece.before + piece.text for piece in pieces(item.agreement))
        assert joined == " ".join(item.agreement.tokens)
        roles = [piece.role for piece in pieces(item.agreement)]
        assert roles.count("cue") == roles.count("target") == 1


def test_words_that_differ_from_the_originals_are_new() -> None:
    original = agreement_item("the keys of it are gone", 1, 4, "is").agreement
    variant = agreement_item("the clouds of it are mild", 1, 4, "is", variant=1).agreement
    assert original is not None
    assert variant is not None
    assert [piece.text for piece in pieces(variant, original) if piece.new] == ["clouds", "mild"]
    assert not any(piece.new for piece in pieces(original))
    assert pieces(replace(variant, substitutions=(2,)))[2] == Piece(" ", "of", new=True)


def test_an_item_without_agreement_shows_its_conditions() -> None:
    item = agreement_item("the keys of it are gone", 1, 4, "is")
    bare = replace(item, agreement=None, kind="suite")
    (group,) = groups(Material(title="x", examples=(replace(FULL.examples[0], original=bare,
                                                            variants=()),)), ())  # fmt: skip
    assert [shown.name for shown in group.sentences] == ["right", "wrong"]
    assert [shown.pieces[0].text for shown in group.sentences] == [
        "the keys of it are gone",
        "the keys of it is gone",
    ]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *((code, "rtl") for code in ("he", "ar", "fa", "ur", "yi", "he-IL", "ku-Arab", "AR_eg")),
        *((code, "ltr") for code in ("en", "it", "und", "", "az-Latn", "fa-Latn", "hy", "sr")),
    ],
)
def test_direction_follows_the_script(language: str, expected: str) -> None:
    assert direction(language) == expected


@given(st.floats(-1000, 1000))
def test_signed_numbers_have_a_true_minus_and_no_signed_zero(value: float) -> None:
    shown = signed(value, 1)
    assert "-" not in shown
    assert (shown[0] in "+−") == (shown.strip("+−") != "0.0")
    assert float(shown.replace("−", "-")) == pytest.approx(value, abs=0.0501)


def test_missing_numbers_are_a_dash_and_small_p_values_a_bound() -> None:
    assert percent(None) == points(None) == p_value(None) == "–"
    assert p_value(0.0004) == "< 0.001"
    assert p_value(0.0156) == "0.016"


def test_people_on_one_item_or_on_items_of_no_kind_are_told_in_english() -> None:
    for condition, n, said in (("original", 1, "1 original)"), ("", 2, "2 items")):
        asked = tuple(Tally(f"i{k}", f"i{k}", "", condition, 3, 4) for k in range(n))
        made = Material(title="x", tallies=asked)
        assert f"(mean over {said}" in answer(made, raters(made))[-1]


def test_captions_claim_of_ceiling_and_of_hollow_marks_what_is_so() -> None:
    figure = scatter.figure(FULL, RATERS)
    assert figure is not None
    assert "a model that knew the truth would be expected to reach" in figure.caption
    assert "No model" not in figure.caption
    (attractors, *_) = curve.figures(FULL, RATERS)
    assert "fewer than 5 items are hollow" in attractors.caption


def test_the_smallest_p_is_told_only_where_it_says_something() -> None:
    """One original gives no other p than 1, and many give small ones."""

    def note(*floors: float) -> str:
        rows: list[Row] = [
            {"rater": "m", "kind": "nonce", "difference": 0.1, "p": 1.0, "p_floor": floor}
            for floor in floors
        ]
        made = Material(title="x", runs=(Run("m", "model:m"),), comparison=tuple(rows))
        table = comparisons.table(made, raters(made))
        assert table is not None
        return table.note

    assert "too few originals to give any p below 0.031." in note(0.001, 1 / 32, 1.0)
    assert "Where there is only one, p is 1 whatever the difference." in note(1.0)
    assert "too few" not in note(1.0)
    assert "too few" not in note(0.001)
    assert "only one" not in note(0.001)


def test_the_accuracy_table_has_peoples_interval_over_originals_and_people() -> None:
    both = Measure("accuracy over items", 0.8, "nonce", n=192, low=0.612, high=0.934, note=BY_BOTH)
    made = replace(FULL, people=People(measures=(both,)))
    found = accuracies.tables(made, RATERS)[0]
    people = {row[1].text: row for row in found.rows if row[0].text == RATERS[0].label}
    assert [cell.below for cell in people["nonce variants"][5:7]] == ["61.2", "93.4"]
    assert [cell.below for cell in people["originals"][5:7]] == ["", ""]
    assert accuracies.SECOND_LINE in found.note
    assert accuracies.SECOND_LINE not in accuracies.tables(FULL, RATERS)[0].note


def test_every_flag_that_an_item_can_have_has_words() -> None:
    assert set(DOUBTS) | {AMBIGUOUS} <= set(flags.FLAGS)
    assert not any("_" in said for said in flags.FLAGS.values())
    assert flags.in_words("equal_forms") == "right and wrong form are spelled alike"
    assert flags.in_words("of_another_tool") == "flag “of_another_tool”"


def test_both_ways_to_agree_are_told_with_plurals_and_thousands() -> None:
    one = agreement([Tally("i", "i", "c", "", 1, 1)])
    assert one is not None
    assert list(sentences(one)) == [
        "intended judgment, individual: 100.00% (mean over 1 item), 100.00% (over 1 construction),"
        " 100.00% (pooled over 1 judgment)",
        "intended judgment, majority: 1 of 1 item (100.00%); ties, counted as not right: 0 (as"
        " half: 100.00%); 1 of 1 construction with it in at least 80% of the items",
    ]
    many = agreement([Tally(f"i{n}", "", f"c{n % 2}", "", 9, 10) for n in range(1200)])
    assert many is not None
    assert "(mean over 1,200 items), 90.00% (over 2 constructions)" in "".join(sentences(many))
    assert "(pooled over 12,000 judgments)" in "".join(sentences(many))
