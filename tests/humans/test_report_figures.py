"""Figures: what is drawn is in their tables, said by every mark, and the same in files of their
own."""

import csv
import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.tables import Row
from colorless_green.humans.judgment import Reading
from colorless_green.humans.measures.correlations import ANSWERS, SHARES
from colorless_green.humans.measures.curves import BY_ATTRACTORS, BY_GAP
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.repeatability import BY_PEOPLE, CEILING, OF_CEILING
from colorless_green.humans.report import curve, dots, scatter, svg
from colorless_green.humans.report.downloads import table_csv
from colorless_green.humans.report.figurefiles import write_figures
from colorless_green.humans.report.marginals import marginal
from colorless_green.humans.report.material import Material, People
from colorless_green.humans.report.page import figures, style
from colorless_green.humans.report.parts import Figure, Panel, Table
from colorless_green.humans.report.people import participants_figure, times, word_times
from colorless_green.humans.report.raters import Rater, raters
from colorless_green.humans.statistics import curve as mean_by_level
from colorless_green.humans.statistics import spread
from colorless_green.humans.statistics.accuracy import WILSON
from colorless_green.nonce.item import Item, sentence_text
from tests.humans.asked_material import CARELESS, asked
from tests.humans.report_material import HOSTILE, agreement_item, items

MODEL = "causal:someone/small-model@main"
SVG = "{http://www.w3.org/2000/svg}"
XLINK = "http://www.w3.org/1999/xlink"


@pytest.fixture(scope="module")
def full() -> Material:
    return asked(items(4, 1))


@pytest.fixture(scope="module")
def written(full: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn") / "figures"
    write_figures(folder, figures(full), style())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def marks(panel: Panel) -> tuple[list[tuple[float, float]], list[float]]:
    """(places of the marks, ends of all lines under them), in the units of the axes."""
    assert panel.drawing is not None
    with svg.canvas(panel.drawing.width, panel.drawing.height) as (_, axes):
        panel.drawing.paint(axes)
        places, ends = [], []
        for line in axes.lines:
            xs, ys = (np.asarray(each, dtype=float) for each in line.get_data())
            if line.get_gid() == svg.TOLD:
                places += list(zip(xs.tolist(), ys.tolist(), strict=True))
            elif line.get_linewidth() == 2.0:
                ends += [*xs.tolist(), *ys.tolist()]
    return places, ends


def numbers(table: Table) -> list[float]:
    found = []
    for row in csv.reader(StringIO(table_csv(table))):
        for cell in row:
            try:
                found.append(float(cell))
            except ValueError:
                continue
    return found


def among(values: Iterable[float], known: Sequence[float]) -> bool:
    return all(any(math.isclose(v, k, abs_tol=1e-9) for k in known) for v in values)


def titles(panel: Panel) -> list[str]:
    """What the marks of a drawing say, read as a browser reads it."""
    text = panel.svg.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" xmlns:xlink="{XLINK}" ', 1)
    root = ElementTree.fromstring(text)
    said = [m.find(f"{SVG}title") for tag in ("use", "path") for m in root.iter(f"{SVG}{tag}")]
    return [each.text or "" for each in said if each is not None]


def drawn(figure: Figure | None) -> Figure:
    assert figure is not None
    assert figure.panels
    return figure


# Files


def test_the_same_figures_give_the_same_files(
    full: Material, written: Path, tmp_path: Path
) -> None:
    made = [each for each in figures(full) if each.name in (dots.NAME, times.NAME)]
    names = write_figures(tmp_path / "again", made, style())
    before, after = contents(written), contents(tmp_path / "again")
    assert len(names) == 3
    for name in names:
        for kind in ("svg", "pdf"):
            assert after[f"{name}.{kind}"] == before[f"{name}.{kind}"]


def test_every_panel_is_a_file_of_each_kind_under_a_name_that_tells_it(written: Path) -> None:
    names = sorted(contents(written))
    stems = [name.removesuffix(".pdf") for name in names if name.endswith(".pdf")]
    assert [name.removesuffix(".svg") for name in names if name.endswith(".svg")] == stems
    assert "constructions-figure-nonce-variants" in stems
    assert "people-figure-causal-small-model-main-right-wrong-answers" in stems
    assert "times-figure" in stems
    manifest = json.loads((written / "manifest.json").read_text())
    assert sorted(manifest["captions"]) == stems
    assert "ρ = " in manifest["captions"]["people-figure-recurrent-1-right-wrong-answers"]


def test_files_have_the_light_colours_of_the_page_and_no_date(written: Path) -> None:
    light = re.findall(r"--r1: #([0-9a-f]{6})", style())[0]  # dark and print come later
    red, green, blue = (each / 255 for each in bytes.fromhex(light))
    placeholder = f"{0x0A / 255:.10f}".rstrip("0").encode()
    for name, content in contents(written).items():
        if name.endswith(".pdf"):
            assert content.startswith(b"%PDF-")
            assert b"Date" not in content
            assert placeholder not in content
            assert b"/Type3" not in content
        elif name.endswith(".svg"):
            assert not re.search(rb"#0a0c|var\(|<dc:date", content)
            ElementTree.fromstring(content)
    pdf = contents(written)["constructions-figure-originals.pdf"].replace(b"\n", b" ")
    assert " ".join(f"{each:.10f}".rstrip("0").rstrip(".") for each in (red, green, blue)) in (
        pdf.decode("latin-1")
    )


def test_a_palette_is_gone_when_the_drawing_is_done() -> None:
    from matplotlib.colors import is_color_like

    with svg.canvas(100, 100):
        assert is_color_like(svg.INK)
    assert not is_color_like(svg.INK)


def test_panels_with_one_heading_are_told_apart_by_number(full: Material, tmp_path: Path) -> None:
    one = drawn(dots.figure(full, raters(full)))
    twice = replace(one, panels=(one.panels[0], replace(one.panels[0], heading="Originals!")))
    assert write_figures(tmp_path / "f", [twice], style()) == (
        "constructions-figure-1",
        "constructions-figure-2",
    )


def test_without_matplotlib_files_are_refused(
    full: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError) as caught:
        write_figures(tmp_path / "f", figures(full), style())
    assert str(caught.value) == (
        "--figures: the drawings need Matplotlib, which is not installed;"
        " pip install 'colorless-green[humans]'"
    )


# What is drawn


def test_every_share_and_interval_that_is_drawn_is_in_the_file_of_the_table(
    full: Material,
) -> None:
    shown = raters(full)
    for figure in (
        drawn(dots.figure(full, shown)),
        *curve.figures(full, shown),
        drawn(participants_figure.figure(full, shown)),
    ):
        known = numbers(figure.data)
        for panel in figure.panels:
            places, ends = marks(panel)
            assert places
            sideways = figure.name == dots.NAME
            assert among([x if sideways else y for x, y in places], known)
            shares = [end for n, end in enumerate(ends) if (n % 4 < 2) == sideways]
            assert among(shares, known)


def test_marks_of_items_stand_at_their_margin_and_within_the_jitter_that_is_told(
    full: Material,
) -> None:
    figure = drawn(scatter.figure(full, raters(full)))
    assert "by less than 0.3 answers or 1.5 points" in figure.caption
    rows = list(csv.DictReader(StringIO(table_csv(figure.data))))
    column = next(name for name in rows[0] if name.startswith("causal"))
    for panel, name, most in zip(
        figure.panels[2:], ("right − wrong", "right, %"), (0.3, 1.5), strict=True
    ):
        known = [(float(row[column]), float(row[name])) for row in rows]
        places, _ = marks(panel)
        assert len(places) == len(known)
        assert places == marks(panel)[0]
        for x, y in places:
            assert any(abs(x - m) < 1e-9 and abs(y - v) <= most for m, v in known)


def test_every_mark_says_what_it_is(full: Material) -> None:
    shown = raters(full)
    for figure in figures(full):
        for panel in figure.panels:
            said = titles(panel)
            assert all(said)
            if figure.name != times.NAME:
                assert len(said) == len(marks(panel)[0])
    item = next(iter(full.items.values()))
    assert item.agreement is not None
    text = f"{item.agreement.right} / {item.agreement.wrong} · "
    assert any(text in each for each in titles(drawn(scatter.figure(full, shown)).panels[0]))


def test_what_marks_say_is_text_whatever_is_in_it() -> None:
    item = agreement_item(f'x {HOSTILE} "><b a=\'" d e', 1, 3, "<i>is</i> & ]]>")
    evil = replace(asked_one(item), title="x")
    (panel,) = drawn(scatter.figure(evil, raters(evil))).panels
    assert "<script" not in panel.svg
    assert "<b" not in panel.svg
    (said,) = titles(panel)
    assert HOSTILE in said
    assert "<i>is</i> & ]]>" in said


def asked_one(item: Item) -> Material:
    """One item, judged by four of five and by a model whose name is hostile."""
    from colorless_green.humans.tally import tallied as tally

    model = f"m{HOSTILE}"
    return Material(
        title="",
        accuracy=({"model": model, "accuracy": 1.0, "n_items": 1, "kind": item.kind},),
        outcomes={model: {item.item_id: (1.0, 2.5)}},
        tallies=(tally(item, 4, 5),),
        items={item.item_id: item},
    )


def test_a_right_to_left_text_is_kept_apart_from_the_counts() -> None:
    made = asked_one(agreement_item("הילדים שראו את הכלב רצים הביתה", 0, 4, "רץ", language="he"))
    (said,) = titles(drawn(scatter.figure(made, raters(made))).panels[0])
    assert said == "\u2068הילדים שראו את הכלב: רצים / רץ\u2069 · 4 of 5 right · +2.5 bits"


def test_where_every_item_has_as_many_answers_one_drawing_tells_both(full: Material) -> None:
    alike = replace(full, tallies=tuple(replace(each, right=4, total=5) for each in full.tallies))
    two, one = (drawn(scatter.figure(made, raters(made))) for made in (full, alike))
    assert 2 * len(one.panels) == len(two.panels)
    assert "would look the same" in one.caption
    assert "1.5 points" not in one.caption


def test_of_too_many_marks_only_the_ids_are_told(
    full: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scatter, "MOST_QUOTED", 3)
    first = titles(drawn(scatter.figure(full, raters(full))).panels[0])[0]
    assert first.partition(" · ")[0] in full.items


# Curves


def point(level: str, n: int, value: float, rater: str = MODEL) -> Measure:
    few = f", only {n} items" if n < 5 else ""
    se = 0.05 if n > 1 else None
    return Measure(BY_GAP, value, "nonce", "", rater, level, n, se, note=f"se over items{few}")


def curve_of(*points: Measure) -> Figure:
    made = Material(
        title="",
        accuracy=({"model": MODEL, "accuracy": 0.5, "n_items": 9, "kind": "nonce"},),
        people=People(measures=points),
    )
    (figure,) = curve.figures(made, raters(made))
    return figure


def test_points_from_fewer_than_five_items_are_hollow() -> None:
    figure = curve_of(point("3", 5, 0.9), point("4", 4, 0.6), point("10+", 40, 0.7))
    drawing = figure.panels[0].drawing
    assert drawing is not None
    with svg.canvas(drawing.width, drawing.height) as (_, axes):
        drawing.paint(axes)
        hollow = [
            line.get_markerfacecolor() == svg.PAPER
            for line in axes.lines
            if line.get_gid() == svg.TOLD
        ]
    assert hollow == [False, True, False]
    said = "causal:small-model@main, 4 tokens between: 60.0 ± 5.0 %, n = 4"
    assert titles(figure.panels[0])[1] == said


def test_a_curve_says_what_its_lines_are_and_where_it_comes_from() -> None:
    figure = curve_of(point("3", 9, 0.9), point("4", 9, 0.6))
    assert "Lines are one standard error over items to each side" in figure.caption
    assert "Gulordava et al. 2018, Figure 2" in figure.caption
    assert "10 and more are one point" in figure.caption
    assert "people judged" not in figure.caption
    alone = curve_of(point("3", 1, 0.9), point("4", 1, 0.6))
    assert "standard error" not in alone.caption


def test_a_single_distance_makes_no_curve() -> None:
    made = Material(title="", people=People(measures=(point("3", 9, 0.9),)))
    assert curve.figures(made, (Rater(MODEL, "m", "square", 1),)) == []


def test_where_nobody_was_asked_models_are_drawn_on_all_items(full: Material) -> None:
    alone = replace(full, tallies=(), people=People(), comparison=())
    attractors, _ = curve.figures(alone, raters(alone))
    rows = [row for row in attractors.data.rows if row[1].text == "nonce variants"]
    credits = full.outcomes[MODEL]
    nonce = [each for each in full.items.values() if each.kind == "nonce"]
    expected = mean_by_level(
        [len(each.agreement.attractors) for each in nonce if each.agreement],
        [credits[each.item_id][0] or 0.0 for each in nonce],
        last=3,
    )
    own = [row for row in rows if row[2].text.startswith("causal")]
    assert [(row[0].text, row[3].value, row[4].value) for row in own] == [
        (each.level, each.n_items, 100 * each.mean) for each in expected
    ]


def test_people_and_models_are_as_the_analysis_has_them(full: Material) -> None:
    attractors = curve.figures(full, raters(full))[0]
    expected = [
        (each.level, each.n, 100 * each.value)
        for each in full.people.measures
        if each.statistic == BY_ATTRACTORS and each.value is not None
    ]
    assert [(row[0].text, row[3].value, row[4].value) for row in attractors.data.rows] == expected
    assert {row[2].text for row in attractors.data.rows} > {"people"}


# Dots and scatter


def test_a_model_that_is_always_right_gets_the_interval_that_people_get() -> None:
    row: Row = {"model": "m", "kind": "nonce", "accuracy": 1.0, "n_items": 50, "n_clusters": 10}
    made = Material(title="", accuracy=({**row, "low": 1.0, "high": 1.0},))
    (found,) = marginal(made, raters(made))
    assert found.limits is not None
    assert found.limits.method == WILSON
    assert found.low == pytest.approx(0.7225, abs=1e-4)  # Wilson, 10 of 10
    assert WILSON in drawn(dots.figure(made, raters(made))).caption


def test_correlations_and_ceiling_are_those_of_the_analysis(full: Material) -> None:
    known = (
        Measure(ANSWERS, 0.111, "nonce", "", MODEL, n=9, low=0.0, high=0.2, p=0.0213,
                note="items permuted"),
        Measure(ANSWERS, 0.111, "nonce", "", MODEL, n=9, low=0.0, high=0.2, p=0.0002,
                note="sources permuted, p ≤ 0.0002"),
        Measure(SHARES, 0.222, "nonce", "", MODEL, n=9, low=0.1, high=0.3),
        Measure(CEILING, 0.888, "nonce", n=9, note=BY_PEOPLE),
        Measure(OF_CEILING, 0.25, "nonce", "", MODEL, n=9, note=BY_PEOPLE),
    )  # fmt: skip
    nonce = tuple(each for each in full.tallies if each.condition == "nonce")
    made = replace(full, tallies=nonce, people=People(measures=known))
    only = [rater for rater in raters(made) if rater.name == MODEL]
    difference, shares = drawn(scatter.figure(made, only)).panels
    assert difference.notes == (
        "nonce variants: ρ = 0.11 [0.00, 0.20], p = 0.021 (items permuted),"
        " p ≤ 0.0002 (sources permuted), n = 9.",
    )
    assert shares.notes == (
        "nonce variants: ρ = 0.22 [0.10, 0.30], n = 9; noise ceiling 0.89 (people split),"
        " ρ / ceiling = 0.25.",
    )


# People


def test_people_stand_by_accuracy_and_who_was_left_out_has_another_shape(full: Material) -> None:
    figure = drawn(participants_figure.figure(full, ()))
    targets = [row for row in figure.data.rows if row[2].text == "target sentences"]
    values = [row[6].value or 0.0 for row in targets]
    assert values == sorted(values)
    assert [row[1].value for row in targets] == list(range(1, len(targets) + 1))
    assert {row[0].text: row[3].text for row in targets}[CARELESS] == "left out"
    assert [each.shape for each in figure.legend] == ["circle", "cross"]
    assert "fewest fillers right" in figure.caption
    assert participants_figure.figure(Material(title=""), ()) is None


def test_times_are_told_apart_by_kind_and_by_whether_the_answer_was_right(
    full: Material,
) -> None:
    section = times.section(full, ())
    assert section is not None
    (figure,) = section.figures
    counted = [each for each in full.people.answers.counted if each.kind == "target"]
    for row in figure.data.rows:
        kind = {"originals": "original", "nonce variants": "nonce"}[row[0].text]
        own = [
            each.rt_ms
            for each in counted
            if each.condition == kind
            and each.correct == {"right": 1, "wrong": 0}[row[1].text]
            and each.rt_ms is not None
        ]
        expected = [len(own), *np.percentile(own, [5, 25, 50, 75, 95])]
        assert [cell.value for cell in row[2:8]] == pytest.approx(expected)
    assert len(figure.data.rows) == 4
    assert len(titles(figure.panels[0])) == 4
    assert "dashed" not in figure.caption


def test_slow_answers_and_those_without_a_time_are_counted(full: Material) -> None:
    given = full.people.answers
    targets = [each for each in given.counted if each.kind == "target" and each.correct][:20]
    slow = [
        replace(each, rt_ms=(25_000.0, 20_000.0, None, 0.0)[place % 4])
        for place, each in enumerate(targets)
    ]
    made = replace(full, people=People(answers=replace(given, counted=tuple(slow))))
    section = times.section(made, ())
    assert section is not None
    assert section.text == (
        "Of 10 answers to target sentences that count, 5 took longer than 20 seconds; they are"
        " among the numbers below. Of 10 more no time is known.",
    )
    assert sum(row[8].value or 0 for row in section.figures[0].data.rows) == 5
    assert "The dashed line is 20 seconds." in section.figures[0].caption


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=40))
def test_a_spread_is_what_numpy_finds(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    expected = np.percentile(values, [5, 25, 50, 75, 95])
    assert [found.p05, found.p25, found.p50, found.p75, found.p95] == pytest.approx(expected)
    assert found.n == len(values)


def test_no_values_have_no_spread() -> None:
    assert spread([]) is None


# Words read one by one


def read(item: Item, shown: str, times_ms: Sequence[float | None], who: str = "p") -> list[Reading]:
    words = sentence_text(item.conditions[shown][0]).split()
    return [
        Reading(
            who, "s", f"{who}/{item.item_id}/{shown}", item.item_id, shown, item.cluster_id, "",
            f"{item.kind} {shown}", "target", " ".join(words), place, word, ms, "", "",
        )
        for place, (word, ms) in enumerate(zip(words, times_ms, strict=True))
    ]  # fmt: skip


def reading_figure(*readings: Reading, items: Iterable[Item]) -> Figure | None:
    made = Material(title="", items={each.item_id: each for each in items})
    answers = replace(made.people.answers, readings=readings)
    return word_times.figure(replace(made, people=People(answers=answers)))


def test_words_are_counted_from_the_target_and_times_averaged_over_items() -> None:
    one = agreement_item("the keys of it are gone", 1, 4, "is", number=1)
    two = agreement_item("keys are gone", 0, 1, "is", number=2)
    found = reading_figure(
        *read(one, "right", [300, 300, 300, 99, 200, 400]),
        *read(one, "right", [300, 300, 300, 300, 800, None], "q"),
        *read(two, "right", [100, 100, 3001]),
        items=(one, two),
    )
    figure = drawn(found)
    rows = {row[2].text: row for row in figure.data.rows}
    assert list(rows) == ["−3", "−2", "−1", "0", "+1"]
    target = rows["0"]
    assert (target[3].value, target[4].value) == (2, 3)
    assert target[5].value == pytest.approx(200)  # of 400 (200 and 800) and 100
    assert rows["−1"][5].value == pytest.approx(math.sqrt(300 * 100))
    assert "3 of 13 words are left out" in figure.caption


def test_readings_of_people_who_were_left_out_are_not_drawn(full: Material) -> None:
    item = agreement_item("the keys of it are gone", 1, 4, "is")
    answers = replace(full.people.answers, readings=tuple(read(item, "right", [300] * 6, CARELESS)))
    made = Material(title="", items={item.item_id: item}, people=People(answers=answers))
    assert word_times.figure(made) is None


def test_the_target_is_found_in_words_between_blanks() -> None:
    item = agreement_item("the keys of it are gone", 1, 4, "is")
    assert word_times.target_word(item, "right") == 4
    assert word_times.target_word(item, "wrong") == 4
    assert word_times.target_word(item, "other") is None
    attached = agreement_item("ho visto l' amica cara", 2, 3, "amiche")
    assert attached.agreement is not None
    regions = attached.conditions["right"][0]
    joined = tuple(
        replace(each, text=each.text.lstrip() if each.region == "target" else each.text)
        for each in regions
    )
    conditions = {**attached.conditions, "right": (joined,)}
    assert word_times.target_word(replace(attached, conditions=conditions), "right") == 2
    whole = {
        name: ((replace(regions[0], region="sentence", text=text),),)
        for name, text in (("right", "she sees him now"), ("wrong", "she see him now"))
    }
    assert word_times.target_word(replace(item, conditions=whole), "wrong") == 1


def test_there_is_no_section_on_times_where_none_was_taken() -> None:
    assert times.section(Material(title=""), ()) is None
