"""compare and report over several suites, from the command line; what the store remembers."""

import json
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green import compare
from colorless_green.data.tables import read_tsv
from tests.builders import colorless, refused
from tests.humans.pages import Page, marks, number, numbers

TEXT = "".join(
    f"the cats sleep word{n} .\nthe cat sleeps word{n} .\na dog sees word{n} cats .\n"
    for n in range(40)
)


def suite_file(name: str, *, singular: bool) -> dict[str, object]:
    """Two conditions, three regions, three items; the prediction is about region 2."""
    nouns = ("cat", "dog", "cat") if singular else ("cats", "dogs", "cats")
    good, bad = ("sleeps", "sleep") if singular else ("sleep", "sleeps")

    def condition(label: str, noun: str, verb: str) -> dict[str, object]:
        texts = (f"the {noun}", verb, ".")
        regions = [{"region_number": n, "content": t} for n, t in enumerate(texts, start=1)]
        return {"condition_name": label, "regions": regions}

    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "end"},
        "predictions": [{"type": "formula", "formula": "(2;%good%) < (2;%bad%)"}],
        "items": [
            {
                "item_number": number,
                "conditions": [condition("good", noun, good), condition("bad", noun, bad)],
            }
            for number, noun in enumerate(nouns, start=1)
        ],
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with the suites number_src and number_prep, scored by two models."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    for name, singular in (("number_src", True), ("number_prep", False)):
        found = json.dumps(suite_file(name, singular=singular))
        (folder / f"{name}.json").write_text(found, encoding="utf-8")
    for kind in ("ngram", "unigram"):
        assert colorless("train", kind, "text.txt", "-q", cwd=folder).returncode == 0
    files = ("number_src.json", "number_prep.json")
    done = colorless("score", *files, "--set", "oov=keep", "-q", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def rows_of(folder: Path, *arguments: str) -> list[dict[str, object]]:
    done = colorless(*arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_compare_takes_patterns_and_tells_scores_over_suites(project: Path) -> None:
    rows = rows_of(project, "compare", "number_*")
    levels = [(row["level"], row["name"]) for row in rows if row["rater"] == "ngram"]
    assert levels == [
        ("score", ""), ("circuit", "Agreement"), ("suite", "number_prep"), ("suite", "number_src"),
    ]  # fmt: skip
    by = {(row["name"], row["rater"]): row["accuracy"] for row in rows}
    mean = (float(str(by["number_src", "ngram"])) + float(str(by["number_prep", "ngram"]))) / 2
    assert by["", "ngram"] == pytest.approx(mean)
    shown = colorless("compare", "*", cwd=project)
    assert len(shown.stdout.splitlines()) < len(rows) + 1  # of the suites there is only a count
    assert any(numbers(line) == [len(rows)] for line in shown.stderr.splitlines())
    assert "ngram − unigram" in shown.stderr


def test_one_suite_is_compared_by_kind_and_construction_as_ever(project: Path) -> None:
    rows = rows_of(project, "compare", "number_src")
    assert [(row["kind"], row["construction"], row["rater"]) for row in rows] == [
        ("suite", "", "ngram"), ("suite", "", "unigram"),
        ("suite", "Agreement", "ngram"), ("suite", "Agreement", "unigram"),
    ]  # fmt: skip


def test_a_comparison_without_any_item_that_counts_says_so(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(
        json.dumps({"sentence_good": "The keys are.", "sentence_bad": "The keys is."}) + "\n"
    )
    (tmp_path / "words.txt").write_text("other\nwords\n<unk>\n")
    store, suite = tmp_path / "s.db", tmp_path / "pairs.jsonl"
    cg.score(suite, f"uniform:{tmp_path / 'words.txt'}", store=store)
    found = compare(store=store)
    assert (found.rows, found.found) == ([], False)
    assert any("oov=keep" in message for message in found.messages)


def test_a_folder_gets_all_tables_and_a_file_the_comparison(project: Path) -> None:
    colorless("compare", "*", "--out", "tables", cwd=project)
    names = sorted(path.name for path in (project / "tables").iterdir())
    assert names == [
        "collection.tsv", "comparison.tsv", "correlations.tsv", "manifest.json", "paired.tsv",
        "regions.tsv",
    ]  # fmt: skip
    colorless("compare", "*", "--out", "one.tsv", cwd=project)
    one, other = (list(read_tsv(project / each)) for each in ("one.tsv", "tables/comparison.tsv"))
    assert one == other
    assert {row["suite"] for row in one} == {"number_src", "number_prep"}


def test_a_pattern_that_no_suite_fits_and_a_paper_that_nobody_knows_are_refused(
    project: Path,
) -> None:
    refused(colorless("compare", "fgd*", cwd=project), "unknown", "fgd*")
    done = colorless("compare", "*", "--published", "hu2021", cwd=project)
    refused(done, "unknown", "--published")


def test_what_belongs_into_no_table_of_the_paper_ends_with_1(project: Path) -> None:
    done = colorless("compare", "number_src", "--published", "marvin2018", cwd=project)
    assert done.returncode == 1
    assert "marvin2018" in done.stderr


@pytest.mark.slow
def test_a_report_over_several_suites_is_one_page(project: Path) -> None:
    done = colorless("report", "*", "--out", "all.html", cwd=project)
    assert done.returncode == 0, done.stderr
    page = Page((project / "all.html").read_text(encoding="utf-8"))
    title = page.root.one("h1").text
    assert [name in title for name in ("number_prep", "number_src")] == [True, True]
    assert 2 in numbers(page.root.one("div", "answer").text)


def regions(project: Path, *names: str) -> list[dict[str, str]]:
    compare(names, out=project / "out", store=project / "colorless.db")
    return [row for row in read_tsv(project / "out" / "regions.tsv") if row["rater"] == "ngram"]


def test_the_store_remembers_regions_where_they_were_asked(
    project: Path,
) -> None:
    """A run asks for the verb alone; its surprisals are the margin's. The method sentence asks
    all."""
    rows = regions(project, "number_src")
    assert [(r["condition"], r["region"], r["predicted"]) for r in rows] == [
        ("good", "2 verb", "1"), ("bad", "2 verb", "1"),
    ]  # fmt: skip
    good, bad = (float(row["surprisal_bits"]) for row in rows)
    done = colorless(
        "score", "number_src", "--method", "sentence", "--set", "oov=keep", "-q",
        "--out", "whole", cwd=project,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = regions(project, "number_src")
    assert [row["position"] for row in rows] == ["0", "1", "2", "0", "1", "2"]
    assert [row["predicted"] for row in rows] == ["0", "1", "0", "0", "1", "0"]
    verbs = [float(row["surprisal_bits"]) for row in rows if row["predicted"] == "1"]
    assert verbs == pytest.approx([good, bad])


@pytest.mark.slow
def test_regions_are_drawn_with_those_of_the_prediction_marked(project: Path) -> None:
    """Numbers, limits and marks are those of regions.tsv, condition by condition."""
    rows = regions(project, "number_src")
    done = colorless("report", "number_src", "--out", "one.html", cwd=project)
    assert done.returncode == 0, done.stderr
    page = Page((project / "one.html").read_text(encoding="utf-8"))
    (name,) = (each.id for each in page.by_id["regions"].all("figure"))
    shown = [row for row in page.data(name) if row["model"].text == "ngram"]
    for row, own in zip(shown, rows, strict=True):
        assert (row["condition"].text, row["region"].text) == (own["condition"], own["region"])
        assert (row["in the prediction"].text != "") == (own["predicted"] == "1")
        for column, field in (
            ("bits", "surprisal_bits"),
            ("95 % low", "low"),
            ("95 % high", "high"),
        ):
            assert row[column].value == (pytest.approx(float(own[field])) if own[field] else None)
    legend = [each.text.strip() for each in page.by_id[name].one("ul", "legend").all("li")]
    assert legend == ["good", "bad"]
    bits = [round(float(own["surprisal_bits"]), 2) for own in rows]
    said = [numbers(mark.alt) for panel in page.panels(name) for mark in marks(panel)]
    assert all(any(each in told for told in said) for each in bits)
    assert number(rows[0]["surprisal_bits"]) is not None
