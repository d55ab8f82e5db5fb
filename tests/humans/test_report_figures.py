"""Figures: what is drawn is in their tables, and said by every mark."""

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from colorless_green.data import Item
from tests.humans.pages import Cell, Mark, Node, Page, marks, numbers, scale, strokes
from tests.humans.report_material import (
    HOSTILE,
    LABELS,
    agreement_item,
    items,
    originals,
    outcomes,
)
from tests.humans.report_pages import (
    answered_drawn,
    full,
)
from tests.humans.stored import Kept, of_margins

pytestmark = pytest.mark.slow  # what they look at is dear to make

MODEL = "causal:someone/small-model@main"
SHARES = ("constructions-figure", "attractors-figure", "distance-figure")
WHISKER = "stroke-width: 2;"
FEW = 5  # items


@pytest.fixture(scope="module")
def page() -> Page:
    return answered_drawn()


@pytest.fixture
def kept() -> Kept:
    return Kept()


# What is drawn


def of_panel(page: Page, figure: str, panel: Node) -> list[dict[str, Cell]]:
    """Return the numbers of a panel, which is one sort of sentences or of trials."""
    heading = panel.one("h4").text
    rows = page.data(figure)
    return [row for row in rows if heading in (each.text for each in row.values())]


def said_share(mark: Mark) -> float:
    found = re.search(r"(\d+\.\d) %", mark.alt)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("figure", SHARES)
def test_every_share_and_interval_that_is_drawn_is_in_the_file_of_the_table(
    page: Page, figure: str
) -> None:
    """Marks stand where their values are, to a hundredth of a pixel, and lines end at limits."""
    sideways = figure == "constructions-figure"
    for panel in page.panels(figure):
        found, rows = marks(panel), of_panel(page, figure, panel)
        assert len(found) == len(rows)
        at = 0 if sideways else 1
        for share, mark in zip(
            sorted(row["right, %"].value or 0.0 for row in rows),
            sorted(found, key=said_share),
            strict=True,
        ):
            assert said_share(mark) == pytest.approx(share, abs=0.051)
        values = sorted(row["right, %"].value or 0.0 for row in rows)
        places = sorted((m.x if sideways else m.y for m in found), reverse=not sideways)
        factor, shift = scale(places, values)
        limits = [
            row[name].value
            for row in rows
            for name in ("95 % low", "95 % high")
            if name in row and row[name].value is not None
        ]
        ends = [
            factor * end[at] + shift
            for each in strokes(panel)
            if WHISKER in each.style and "stroke: var(--r" in each.style
            for end in (each.start, each.end)
        ]
        assert len(ends) == len(limits)
        assert among(ends, [each or 0.0 for each in limits], abs(factor) * 0.02)


def among(values: Iterable[float], known: Sequence[float], near: float) -> bool:
    return all(any(math.isclose(v, k, abs_tol=near) for k in known) for v in values)


def test_marks_of_items_stand_at_their_margin_and_within_the_jitter_that_is_told(
    page: Page,
) -> None:
    caption = page.by_id["people-figure"].one("figcaption").text
    assert 0.3 in numbers(caption)
    rows = [
        (float(row[f"{MODEL}: margin_bits"]), int(row["people_right"]), int(row["people_total"]))
        for row in page.file("items.csv")
    ]
    known = sorted((margin, 2.0 * right - total) for margin, right, total in rows)
    _, panel = page.panels("people-figure")
    found = sorted((mark.x, mark.y) for mark in marks(panel))
    factor, _ = scale([x for x, _ in found], [margin for margin, _ in known])
    assert factor > 0
    heights = [y for _, y in found]
    values = [value for _, value in known]
    slope, shift = np.polyfit(heights, values, 1)
    assert slope < 0
    off = np.abs(slope * np.array(heights) + shift - np.array(values))
    assert off.max() <= 0.3 * 1.1
    assert off.max() > 0.1  # so that fewer hide each other


def test_every_mark_says_what_it_is(page: Page) -> None:
    rows = {row["item"]: row for row in page.file("items.csv")}
    texts = {f"{r['prefix']}: {r['right']} / {r['wrong']}" for r in rows.values()}
    for panel in page.panels("people-figure"):
        for mark in marks(panel):
            text, right, bits = mark.alt.split(" · ")
            assert text in texts or text.startswith("…")
            assert len(numbers(right)) == 2
            assert len(numbers(bits)) == 1
    for figure in page.figures:
        for panel in page.panels(figure):
            assert marks(panel)
            assert all(mark.alt for mark in marks(panel))


def asked_one(kept: Kept, item: Item) -> Page:
    """One item, judged by four of five and by a model whose name is hostile."""
    suite_id = kept.suite([item])
    kept.run(suite_id, f"m{HOSTILE}", {item.item_id: (1.0, 2.5)})
    kept.totals({item.item_id: (4, 5)})
    return kept.report(drawn=True)


def test_a_right_to_left_text_is_kept_apart_from_the_counts(kept: Kept) -> None:
    item = agreement_item("הילדים שראו את הכלב רצים הביתה", 0, 4, "רץ", language="he")
    (panel,) = asked_one(kept, item).panels("people-figure")
    (mark,) = marks(panel)
    isolated, _, rest = mark.alt.partition("\u2069")
    assert isolated == "\u2068הילדים שראו את הכלב: רצים / רץ"
    assert numbers(rest) == [4, 5, 2.5]


def test_of_too_many_marks_nothing_is_told_but_in_the_file(kept: Kept) -> None:
    """More than a thousand texts would be most of the page."""
    suite = [
        agreement_item("a b c d e", 1, 3, "x", number=n % 4, variant=n // 4) for n in range(1001)
    ]
    suite_id = kept.suite(suite)
    margins = {item.item_id: (-1.0) ** n for n, item in enumerate(suite)}
    kept.run(suite_id, "m", of_margins(margins))
    kept.totals({item.item_id: (n % 2, 1 + n % 3) for n, item in enumerate(suite)})
    page = kept.report(drawn=True)
    (panel,) = page.panels("people-figure")
    assert not marks(panel)
    places = [
        each.attrs["d"].count("L") + 1
        for each in panel.all("path")
        if "marker" in each.attrs.get("style", "")
    ]
    places += [1 for each in panel.all("use") if "x" in each.attrs]
    assert sum(places) > len(suite)
    assert {row["item"] for row in page.file("items.csv")} == {item.item_id for item in suite}


# Curves


def test_points_from_fewer_than_five_items_are_hollow(page: Page) -> None:
    n_hollow = 0
    for figure in ("attractors-figure", "distance-figure"):
        for panel in page.panels(figure):
            sizes = {numbers(mark.alt)[-1] for mark in marks(panel)}
            assert sizes == {row["items"].value for row in of_panel(page, figure, panel)}
            for mark in marks(panel):
                hollow = "fill: var(--paper)" in mark.style
                assert hollow == (numbers(mark.alt)[-1] < FEW)
                n_hollow += hollow
    assert n_hollow


def test_single_points_have_no_interval(kept: Kept) -> None:
    suite = [
        agreement_item(" ".join(["a", *"bc"[:gap], "d", "e"]), 0, gap + 1, "x", number=gap)
        for gap in (0, 1, 2)
    ]
    kept.scored(suite, {"m": len(suite)})
    page = kept.report(drawn=True)
    assert page.figures == ["answer-figure", "distance-figure", "constructions-figure"]
    assert {row["items"].value for row in page.data("distance-figure")} == {1}
    assert "95 % low" not in page.columns("distance-figure-data")
    (panel,) = page.panels("distance-figure")
    assert not [each for each in strokes(panel) if WHISKER in each.style]


def test_a_single_distance_makes_no_curve(kept: Kept) -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(9)]
    kept.scored(suite, {"m": len(suite)})
    kept.totals({item.item_id: (1, 2) for item in suite})
    assert kept.report().figures == ["answer-figure", "constructions-figure", "people-figure"]


def test_distances_of_ten_and_more_are_one_point(kept: Kept) -> None:
    words = [*"abcdefghijklmnop"]
    suite = [agreement_item(" ".join(words), 0, gap + 1, "x", number=gap) for gap in range(8, 14)]
    kept.scored(suite, {"m": len(suite)})
    rows = kept.report().data("distance-figure")
    assert [(row["tokens between"].text, row["items"].value) for row in rows] == [
        ("8", 1),
        ("9", 1),
        ("10+", 4),
    ]


@pytest.mark.parametrize("figure", ["attractors-figure", "distance-figure"])
def test_people_and_models_are_as_the_analysis_has_them(page: Page, figure: str) -> None:
    measures = page.file("measures.csv")
    statistics = dict.fromkeys(
        row["statistic"]
        for row in measures
        if row["level"].removesuffix("+").isdigit() and row["se"] + row["n"]
    )
    wanted = [each for each in statistics if ("attractors" in each) == figure.startswith("attr")]
    expected = [
        (row["kind"], row["rater"], row["level"], float(row["n"]), 100 * float(row["value"]))
        for row in measures
        if row["statistic"] in wanted
    ]
    shown = page.data(figure)
    first = page.columns(f"{figure}-data")[0]
    labels = {"humans": "people", **LABELS}
    kinds = {"original": "originals", "nonce": "nonce variants"}
    known = {(kinds[kind], labels[rater], level): own for kind, rater, level, *own in expected}
    assert len(shown) == len(known) == len(expected)
    for row in shown:
        cells = row["items"].value, row["right, %"].value
        key = row["sentences"].text, row["rater"].text, row[first].text
        assert cells == pytest.approx(tuple(known[key]))
    assert {row["rater"].text for row in shown} > {"people"}


# Dots and scatter


def test_too_many_constructions_leave_the_drawing_but_not_the_table(kept: Kept) -> None:
    suite = [
        agreement_item("a b c d e", 1, 3, "x", construction=f"L__C{size}", number=n)
        for size in range(1, 60)
        for n in range(1 + size // 20)
    ]
    kept.scored(suite, {"m": len(suite)})
    page = kept.report(drawn=True)
    rows = page.rows("by-construction")
    assert len(rows) == 59
    (panel,) = page.panels("constructions-figure")
    _, *drawn = (mark.alt.partition(",")[0] for mark in marks(panel))  # all of them, then each
    assert len(drawn) == len(page.data("constructions-figure")) - 1 == 40
    sizes = {row["construction"].text: numbers(row["m"].below)[-1] for row in rows}
    left_out = set(sizes) - set(drawn)
    assert max(sizes[each] for each in left_out) <= min(sizes[each] for each in drawn)
    assert 19 in numbers(page.by_id["constructions-figure"].one("figcaption").text)


def test_correlations_are_those_of_the_analysis(page: Page) -> None:
    """Below each drawing, kind by kind: ρ, its interval, p by each scheme, n."""
    measures = [row for row in page.file("measures.csv") if not row["construction"]]

    def two(value: str) -> float:
        return round(float(value), 2) + 0.0

    panels = page.panels("people-figure")
    for model, panel in zip(("recurrent", MODEL), panels, strict=True):
        for kind, note in zip(("original", "nonce"), panel.all("p"), strict=True):
            rows = [
                row
                for row in measures
                if row["statistic"].startswith("ρ of right − wrong")
                and row["rater"].startswith(model)
                and row["kind"] == kind
            ]
            told = numbers(note.text)
            assert told[:3] == [two(rows[0][name]) for name in ("value", "low", "high")]
            digits = [4 if "≤" in row["note"] else 3 for row in rows if row["p"]]
            ps = [float(row["p"]) for row in rows if row["p"]]
            assert told[3 : 3 + len(ps)] == [round(p, n) for p, n in zip(ps, digits, strict=True)]
            assert told[3 + len(ps) :] == [float(rows[0]["n"])]


def test_no_correlation_of_fewer_than_ten_items_is_told(kept: Kept) -> None:
    suite = items(2, 1)[:9]
    kept.run(kept.suite(suite), "m", outcomes(suite)[MODEL])
    kept.totals({item.item_id: (n % 5, 5) for n, item in enumerate(suite)})
    (panel,) = kept.report(drawn=True).panels("people-figure")
    sizes = [sum(item.kind == kind for item in suite) for kind in ("original", "nonce")]
    assert [numbers(each.text) for each in panel.all("p")] == [[n, 10] for n in sizes]


def test_every_item_that_people_and_a_model_answered_is_a_mark() -> None:
    page = full()
    rows = [row for row in page.file("items.csv") if int(row["people_total"])]
    shared = [row for row in rows if all(row[f"{model}: credit"] for model in LABELS)]
    assert {len(marks(panel)) for panel in page.panels("people-figure")} == {len(shared)}
    headings = [panel.one("h4").text for panel in page.panels("people-figure")]
    assert [each.partition(":")[0] for each in headings] == [
        "unigram", "ngram", "recurrent-1", "causal",
    ]  # fmt: skip


def test_checkpoints_are_drawn_by_their_steps() -> None:
    """Of one run, in the order of training; a single checkpoint has no curve."""
    kept = Kept()
    for step, n_right in ((1000, 36), (100, 20), (500, 30)):
        kept.scored(originals(40), {f"run-checkpoint-{step}": n_right})
        if step == 1000:
            assert "learning-figure" not in kept.report().figures
    page = kept.report()
    assert "learning-figure" in page.figures
    rows = page.rows("learning-figure-data")
    told = [(row["training step"].value, row["right, %"].value) for row in rows]
    assert told == [(100, 50.0), (500, 75.0), (1000, 90.0)]


def test_a_correlation_without_variation_is_no_number(kept: Kept) -> None:
    suite = items(3, 2)
    kept.run(kept.suite(suite), "m", outcomes(suite)[MODEL])
    kept.totals({item.item_id: (10, 10) for item in suite})
    (panel,) = kept.report(drawn=True).panels("people-figure")
    assert [numbers(each.text) for each in panel.all("p")] == [[12], [24]]
