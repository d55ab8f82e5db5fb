"""Scores and judgments as objects: in memory, between stores, and cut to constructions."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, cast

import polars as pl
import pytest

from colorless_green import Judgments, Scores, compare, read_judgments, report
from colorless_green.data import Suite, save_suite
from colorless_green.data.errors import InputError
from colorless_green.data.store import MEMORY, Store, StoredResult
from tests.builders import mistake
from tests.humans import stored
from tests.humans.answer_material import import_answers
from tests.humans.pages import Page
from tests.humans.study_material import suite, tells

ITEMS = suite((4, 4), 1)  # constructions S_0 and S_1
MARGINS = {item.item_id: (1.0, 2.0 + n) for n, item in enumerate(ITEMS)}


def answers(folder: Path) -> Path:
    """Two people on every item: anna is right, bert is wrong."""
    lines = [
        f"{who},{item.item_id},{item.conditions[form][0][1].text.strip()}"
        for who, form in (("anna", "right"), ("bert", "wrong"))
        for item in ITEMS
    ]
    path = folder / "answers.csv"
    path.write_text("\n".join(("participant,item,chosen", *lines)) + "\n", encoding="utf-8")
    return path


def judged(folder: Path, store: Store | Path | None = None) -> Judgments:
    return import_answers(answers(folder), suite=Suite("s", ITEMS), store=store, hashed=False)


class Run(NamedTuple):
    """What a comparison asks of a run."""

    run_id: int
    suite_id: int


def scored(
    models: tuple[str, ...] = ("m",), path: Path = MEMORY, n_items: int = len(ITEMS)
) -> Scores:
    """Models that are always right, on the first items of the suite in a store."""
    kept = stored.Kept()
    kept.store = store = Store(path)  # not closed with `kept`
    suite_id = kept.suite(ITEMS, "s", kind="imported")
    for model in models:
        kept.run(suite_id, model, dict(list(MARGINS.items())[:n_items]))
    runs = [Run(int(row["run_id"]), suite_id) for row in store.rows("SELECT run_id FROM run")]
    return Scores(store=store, runs=tuple(cast("Any", runs)))


def test_the_frames_of_judgments_are_all_that_was_read(tmp_path: Path) -> None:
    found = import_answers(
        answers(tmp_path), suite=Suite("s", ITEMS), exclude=["min_judgments=3"], hashed=False
    )
    assert (found.answers.height, found.left_out.height) == (0, 2 * len(ITEMS))
    assert found.exclusions["rule"].unique().to_list() == ["min_judgments"]
    found = judged(tmp_path)
    assert found.answers["correct"].sum() == len(ITEMS)
    assert found.answers.schema["rt_ms"] == pl.Float64  # though nobody's time is known
    assert found.tallies.select("right", "total").unique().rows() == [(1, 2)]
    assert found.to_frame()["judgments"].to_list() == [2 * len(ITEMS)]


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "folder"])
def test_written_judgments_are_read_again(tmp_path: Path, name: str) -> None:
    found = judged(tmp_path)
    found.write(tmp_path / name)
    path = tmp_path / name / "judgments.tsv" if name == "folder" else tmp_path / name
    again = import_answers(path, suite=Suite("s", ITEMS), hashed=False)
    assert again.answers.equals(found.answers)


def test_a_suite_tells_where_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "colorless.db"
    with Store(path) as store, store.transaction():
        suite_id = save_suite(store, Suite("s", ITEMS), "nonce", treebank_id=None, now="")
    own = Suite("s", ITEMS, kept=StoredResult(path, suite_id))
    found = read_judgments(answers(tmp_path), suite=own)
    assert found.kept == StoredResult(path, suite_id)
    assert not list(tmp_path.glob("*.db-*"))  # closed
    elsewhere = read_judgments(answers(tmp_path), suite=own, store=tmp_path / "other.db")
    assert elsewhere.kept.store == tmp_path / "other.db"


@pytest.mark.slow
def test_people_kept_in_memory_are_compared_and_reported(tmp_path: Path) -> None:
    people = judged(tmp_path)
    assert compare(people=people).cells.row(0, named=True)["accuracy"] == 0.5
    report(people=people, out=tmp_path / "r.html")
    assert "s" in Page((tmp_path / "r.html").read_text("utf-8")).root.one("h1").text


def test_people_from_another_store_stand_beside_scores_once(tmp_path: Path) -> None:
    scores, people = scored(), judged(tmp_path, tmp_path / "people.db")
    alone = compare(scores)
    assert set(alone.cells["rater"]) == {"m"}
    shares = [1 / (1 + 2 ** -MARGINS[x.item_id][1]) for x in ITEMS if x.kind == "original"]
    for _ in range(2):
        cells = compare(scores, people).cells.filter(kind="original", construction="")
        told = cells.select("rater", "n_items", "accuracy").rows()
        assert told == [("humans", 8, 0.5), ("m", 8, 1.0)]
        difference = cells["difference"].to_list()  # share of answers − the model's choice share
        assert difference == [None, pytest.approx(0.5 - fmean(shares))]
    with Store(tmp_path / "people.db") as store:
        assert store.one("SELECT 1 FROM run") is None  # nothing goes the other way


@pytest.mark.parametrize("name", [":memory:", "scores.db"])
def test_the_same_answers_read_again_into_memory_count_once(tmp_path: Path, name: str) -> None:
    path = MEMORY if name == str(MEMORY) else tmp_path / name
    scores = scored(path=path)
    assert isinstance(scores.store, Store)
    for _ in range(3):
        compare(scores, read_judgments(answers(tmp_path), suite=Suite("s", ITEMS)))
        counted = scores.store.one("SELECT COUNT(*) AS n FROM judgment")
        assert counted == {"n": 2 * len(ITEMS)}


def test_scores_and_people_that_are_none_are_refused(tmp_path: Path) -> None:
    scores, people, page = scored(), judged(tmp_path), tmp_path / "x.html"
    wrong: list[tuple[str, Any, Any]] = [
        ("scores", people, scores),
        ("scores", [scores], None),
        ("people", scores, [people]),
        ("people", scores, "answers.csv"),
        ("people", scores, str(page)),
    ]
    for place, first, second in wrong:
        with mistake("value", place):
            compare(first, second)
        with mistake("value", place):
            report(first, second, page)
    assert not page.exists()


def test_a_store_that_is_not_that_of_the_scores_is_refused(tmp_path: Path) -> None:
    in_memory, in_file = scored(), scored(path=tmp_path / "scores.db")
    assert isinstance(in_file.store, Store)
    for scores, store in (
        (in_memory, tmp_path / "scores.db"),
        (in_memory, Store(MEMORY)),
        (in_file, str(tmp_path / "x.db")),
    ):
        with mistake("conflict", "store"):
            compare(scores, store=store)
        with mistake("conflict", "store"):
            report(scores, out=tmp_path / "x.html", store=store)
    for scores, own in ((in_memory, in_memory.store), (in_file, str(tmp_path / "scores.db"))):
        assert compare(scores, store=own).found


def test_constructions_that_nobody_was_asked_about_are_refused(tmp_path: Path) -> None:
    scores = scored(n_items=8)  # those of S_0
    assert compare(scores, construction=["S_0"]).found
    with mistake("empty", "construction"):
        compare(scores, construction=["S_1"])
    with mistake("empty", "construction"):
        report(scores, out=tmp_path / "x.html", construction=["S_1"])
    assert compare(scores, judged(tmp_path), construction=["S_1"]).found


def test_people_who_judged_more_than_was_scored_are_told_how_much_more(tmp_path: Path) -> None:
    kept = stored.Kept()
    kept.store = Store(MEMORY)  # not closed with `kept`
    kept.run(kept.suite(ITEMS[:5], "s", kind="imported"), "m", MARGINS)
    with pytest.raises(InputError) as caught:
        compare("s", judged(tmp_path), store=kept.store)
    assert (caught.value.kind, caught.value.location) == ("conflict", "people")
    assert tells([caught.value.wrong], len(ITEMS), len(ITEMS) - 5)


def test_whether_two_comparisons_are_equal_can_be_asked_though_frames_cannot_tell() -> None:
    one = compare(scored(), published="gulordava2018")
    assert one.figures is not None
    assert isinstance(one == replace(one, figures=one.figures.clone()), bool)


def test_only_the_runs_of_the_scores_are_compared() -> None:
    scores = scored(("one", "other"))
    assert set(compare(scores).cells["rater"]) == {"one", "other"}
    for run in scores.runs:
        assert compare(replace(scores, runs=(run,))).cells["rater"].n_unique() == 1


def test_people_who_judged_other_items_are_refused(tmp_path: Path) -> None:
    scores = scored()
    with mistake("conflict", "people"):
        compare(scores, read_judgments(_others(tmp_path), suite=Suite("o", suite((3,), name="o"))))


def _others(folder: Path) -> Path:
    path = folder / "others.csv"
    path.write_text("participant,item,chosen\nanna,o1-0,sing\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["S_0", "*_0"])
def test_a_construction_cuts_every_rater_to_its_items(tmp_path: Path, pattern: str) -> None:
    scores, people = scored(), judged(tmp_path)
    found = compare(scores, people, construction=[pattern]).cells
    whole = compare(scores, people).cells
    assert set(found["construction"]) == {"", "S_0"}
    assert (
        found.filter(construction="S_0")
        .drop("p_holm")
        .equals(whole.filter(construction="S_0").drop("p_holm"))
    )
    totals = found.filter(construction="").drop("construction", "p_holm")
    parts = found.filter(construction="S_0").drop("construction", "p_holm")
    assert totals.equals(parts)
    report(scores, people, tmp_path / "r.html", construction=[pattern])
    text = (tmp_path / "r.html").read_text("utf-8")
    assert "S_0" in text
    assert "S_1" not in text


def test_a_construction_that_nothing_has_is_refused() -> None:
    with mistake("unknown", "construction"):
        compare(scored(), construction=["VERB*"])


def test_a_comparison_is_written_as_one_table_or_all(tmp_path: Path) -> None:
    found = compare(scored(), judged(tmp_path))
    found.write(tmp_path / "c.tsv")
    found.write(tmp_path / "all")
    one, all_ = (tmp_path / "c.tsv", tmp_path / "all" / "comparison.tsv")
    assert one.read_bytes() == all_.read_bytes()
    assert {each.stem for each in (tmp_path / "all").glob("*.tsv")} == {
        "comparison", "collection", "paired", "correlations", "regions",
    }  # fmt: skip
