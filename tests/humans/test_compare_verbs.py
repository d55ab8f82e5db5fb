"""compare and report over several suites, from the command line; what the store remembers."""

import json
from pathlib import Path

import pytest

from colorless_green.data.store import Store
from colorless_green.data.tables import read_tsv
from colorless_green.humans.collection.gathered import chosen, collected, results_of
from colorless_green.humans.collection.regions import region_rows
from colorless_green.humans.collection.shallow import sentences_of
from colorless_green.humans.collection.tables import known_of
from tests.builders import colorless, shared

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
    """A store with the suites number_src and number_prep, scored by two models."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    for name, singular in (("number_src", True), ("number_prep", False)):
        found = json.dumps(suite_file(name, singular=singular))
        (folder / f"{name}.json").write_text(found, encoding="utf-8")
    for kind in ("ngram", "unigram"):
        assert colorless("train", kind, "text.txt", "-q", cwd=folder).returncode == 0
    files = ("number_src.json", "number_prep.json")
    done = colorless("score", *files, "--oov", "keep", "-q", cwd=folder)
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
    assert "… and 4 more rows: --json shows all" in shown.stderr
    assert "ngram − unigram: " in shown.stderr


def test_one_suite_is_compared_by_kind_and_construction_as_ever(project: Path) -> None:
    rows = rows_of(project, "compare", "number_src")
    assert [(row["kind"], row["construction"], row["rater"]) for row in rows] == [
        ("suite", "", "ngram"), ("suite", "", "unigram"),
        ("suite", "Agreement", "ngram"), ("suite", "Agreement", "unigram"),
    ]  # fmt: skip


def test_a_folder_gets_all_tables_and_a_file_the_comparison(project: Path) -> None:
    colorless("compare", "*", "--out", "tables", cwd=project)
    names = sorted(path.name for path in (project / "tables").iterdir())
    assert names == [
        "collection.tsv", "comparison.tsv", "correlations.tsv", "manifest.json", "paired.tsv",
        "regions.tsv", "shallow.tsv",
    ]  # fmt: skip
    colorless("compare", "*", "--out", "one.tsv", cwd=project)
    one, other = (list(read_tsv(project / each)) for each in ("one.tsv", "tables/comparison.tsv"))
    assert one == other
    assert {row["suite"] for row in one} == {"number_src", "number_prep"}


def test_a_pattern_that_no_suite_fits_is_refused(project: Path) -> None:
    done = colorless("compare", "fgd*", cwd=project)
    assert done.returncode == 2
    assert done.stderr == (
        "fgd*: no suite that was scored or judged has such a name; one of number_prep, number_src\n"
    )


def test_a_paper_that_nobody_knows_is_refused_with_those_there_are(project: Path) -> None:
    done = colorless("compare", "*", "--published", "hu2021", cwd=project)
    assert done.returncode == 2
    assert done.stderr == (
        "--published: no such name 'hu2021'; one of gulordava2018, hu2020-reflexives, "
        "hu2020-syntaxgym, marvin2018, warstadt2020\n"
    )


def test_results_stand_in_the_papers_tables_strictly_counted(project: Path) -> None:
    """The unigram model's ties, a half each in our count, are wrong in the paper's."""
    ours = {(row["name"], row["rater"]): row for row in rows_of(project, "compare", "*")}
    done = colorless(
        "compare", "*", "--published", "hu2020-syntaxgym", "--out", "p.tsv", cwd=project
    )
    assert done.returncode == 0
    assert "own: ngram" in done.stdout.splitlines()[0]
    assert "suites of the paper that are not here: center_embed" in done.stderr
    found = {(row["row"], row["rater"]): row for row in read_tsv(project / "p.tsv")}
    ngram = found["number_src", "ngram"]
    assert (ngram["origin"], ngram["table"]) == ("own", "by suite")
    assert float(ngram["value"]) <= float(str(ours["number_src", "ngram"]["accuracy"]))


def test_what_belongs_into_no_table_of_the_paper_ends_with_1(project: Path) -> None:
    done = colorless("compare", "number_src", "--published", "marvin2018", cwd=project)
    assert done.returncode == 1
    assert "nothing here belongs into the tables of marvin2018" in done.stderr


@pytest.mark.shared
def test_a_papers_figures_are_recomputed_from_its_released_results(project: Path) -> None:
    path = shared("published", "syntaxgym", "perplexity.csv")
    rows = rows_of(project, "compare", "--results", str(path))
    at = {(row["model"], row["corpus"]): row["perplexity"] for row in rows}
    assert at["RNNG", "bllip-lg"] == pytest.approx(69.57, abs=0.005)


def test_results_that_are_none_are_refused(project: Path) -> None:
    done = colorless("compare", "--results", "text.txt", cwd=project)
    assert done.returncode == 2
    assert done.stderr.startswith("text.txt: no released results in it; ")


def test_a_report_over_several_suites_is_one_page_and_its_figures_are_files(
    project: Path,
) -> None:
    done = colorless("report", "*", "--out", "all.html", "--figures", "drawn", cwd=project)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (project / "drawn").iterdir()}
    assert {"scores-figure.pdf", "scores-figure.svg", "manifest.json"} <= names
    assert f"drawn: {len(names) // 2} drawings, as SVG and PDF" in done.stderr
    page = (project / "all.html").read_text(encoding="utf-8")
    assert "2 suites: number_prep, number_src" in page
    assert "Of 2 models, " in page


def test_the_store_remembers_regions_and_after_surprisals_whole_sentences(project: Path) -> None:
    """A run asks for the verb alone; its surprisals are the margin's. With --surprisals all is
    asked."""
    store_path = project / "colorless.db"
    with Store(store_path) as store:
        (one,) = results_of(store, chosen(store, ["number_src"]))
        found = dict(known_of(store, one))
        assert set(found) == {"ngram", "unigram"}
        assert not any(each.whole for each in found.values())
        assert sentences_of(found["ngram"]) == {}
        units = collected([one]).units
        rows = list(region_rows(one.suite, units, "ngram", found["ngram"]))
        assert [(r["condition"], r["region"], r["predicted"]) for r in rows] == [
            ("good", "2 verb", 1), ("bad", "2 verb", 1),
        ]  # fmt: skip
        margins = [margin or 0.0 for _, margin in one.outcomes()["ngram"].values()]
        good, bad = (float(row["surprisal_bits"] or 0.0) for row in rows)
        assert bad - good == pytest.approx(sum(margins) / len(margins))
    done = colorless(
        "score", "number_src", "--oov", "keep", "--surprisals", "words.tsv", "-q", cwd=project
    )
    assert done.returncode == 0, done.stderr
    with Store(store_path) as store:
        (one,) = results_of(store, chosen(store, ["number_src"]))
        found = dict(known_of(store, one))
        assert all(each.whole for each in found.values())
        rows = list(region_rows(one.suite, units, "ngram", found["ngram"]))
        assert [row["position"] for row in rows] == [0, 1, 2, 0, 1, 2]
        assert [row["predicted"] for row in rows] == [0, 1, 0, 0, 1, 0]
        verbs = [float(row["surprisal_bits"] or 0.0) for row in rows if row["predicted"]]
        assert verbs == pytest.approx([good, bad])
        said = sentences_of(found["ngram"])
        first = one.suite.items[0].item_id
        words = [r for r in read_tsv(project / "words.tsv") if r["item_id"] == first
                 and r["model"] == "ngram"]  # fmt: skip
        total = sum(float(row["surprisal_bits"]) for row in words)
        assert said[first].bits == pytest.approx(total / 2)
        assert said[first].bits_per_word == pytest.approx(total / 8)


def test_a_run_over_all_items_goes_before_a_newer_one_over_some(tmp_path: Path) -> None:
    rows = [
        {
            "sentence_good": f"the key{end} {place} the cats {right} old .",
            "sentence_bad": f"the key{end} {place} the cats {wrong} old .",
            "UID": "toy",
            "pairID": str(number),
        }
        for number, (end, right, wrong, place) in enumerate(
            (end, *forms, place)
            for end, forms in (("", ("is", "are")), ("s", ("are", "is")))
            for place in ("near", "behind", "above")
        )
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "toy.jsonl").write_text(lines, encoding="utf-8")
    text = TEXT + "".join(f"{row['sentence_good']}\n" for row in rows)
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    store = ("--store", "s.db")
    for arguments in (
        ("train", "ngram", "text.txt", "--out", "m"),
        ("score", "toy.jsonl", "--model", "m", "--oov", "keep"),
        ("score", "toy", "--model", "m", "--method", "sentence", "--limit", "2", "--oov", "keep"),
    ):
        done = colorless(*arguments, *store, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    done = colorless("compare", "toy", "--json", *store, cwd=tmp_path)
    found = [json.loads(line)["n_items"] for line in done.stdout.splitlines()]
    assert max(found) == 6
    done = colorless(
        "score", "toy", "--model", "m", "--method", "sentence", "--oov", "keep", *store,
        cwd=tmp_path,
    )  # fmt: skip
    done = colorless("compare", "toy", *store, cwd=tmp_path)
    assert "m: asked by sentence" in done.stderr
