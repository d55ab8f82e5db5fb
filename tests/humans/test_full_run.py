"""The whole way in one call: it does what its steps do by hand, says what cannot be made, and takes
what is there before it looks anywhere else."""

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.fetch.catalogue import published_sets, releases
from tests.builders import colorless, conllu, mistake, refused, shared, write_conllu
from tests.data.misbehaving_server import Server
from tests.humans.test_gulordava_import import COLUMNS, ROWS

NEWEST = list(releases())[-1]
PAIRS = "good,bad\nThe keys are old.,The keys is old.\nThe key is old.,The key are old.\n"


def rows_of(printed: str) -> list[dict[str, object]]:
    """Return the rows that `--json` printed."""
    return [json.loads(line) for line in printed.splitlines()]


def commands_in(messages: str) -> Iterator[list[str]]:
    """Yield the words of each command that a run says it has done."""
    for line in messages.splitlines():
        if line.startswith("  colorless "):
            yield shlex.split(line)[1:]


@pytest.mark.slow
def test_a_run_does_what_its_commands_do_by_hand(tmp_path: Path) -> None:
    """And once more in the same place nothing new: the same rows, no further run."""
    whole, by_hand = tmp_path / "whole", tmp_path / "by hand"
    for folder in (whole, by_hand):
        folder.mkdir()
        shutil.copy(str(sample.treebank("en")), folder / "en_sample.conllu")
    done = colorless("run", "en_sample.conllu", "--language", "en", "--json", cwd=whole)
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    assert {row["kind"] for row in rows} == {"original", "nonce", "composed", "composed, opposed"}
    assert (whole / "report.html").stat().st_size > 100_000
    typed = [*commands_in(done.stderr)]
    assert [words[0] for words in typed] == [
        *("mine", "nonce", "compose", "train", "score", "report"),
    ]
    assert [word for word in typed[-1] if word.startswith("@")] == ["@2", "@3"]  # on one page
    for words in typed:
        step = colorless(*words, cwd=by_hand)
        assert step.returncode == 0, step.stderr
    scores = next(words for words in typed if words[0] == "score")
    printed = rows_of(colorless(*scores, "--by", "kind", "--json", cwd=by_hand).stdout)
    for row in rows:
        if row["rater"] == "ngram" and row["kind"] in ("original", "nonce"):
            (same,) = [
                other
                for other in printed
                if (other["model"], other["kind"], other["value"], other["construction"])
                == ("ngram", row["kind"], None, None)
                and other["n_attractors"] is None
                and other["prediction"] == "agreement"
            ]
            assert (row["n_items"], row["accuracy"]) == (same["n_items"], same["accuracy"])
    again = colorless("run", "en_sample.conllu", "--language", "en", "--json", cwd=whole)
    assert again.stdout == done.stdout
    with cg.Store(whole / "colorless.db") as store:
        assert {row["n"] for row in store.rows("SELECT count(*) AS n FROM run")} == {2}


@pytest.mark.slow
@pytest.mark.parametrize("judged", ["nonce", "composed"])
def test_people_are_those_who_judged_one_of_the_sets(
    tmp_path: Path, judged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the sets it was; and beside them the models on the same items."""
    monkeypatch.chdir(tmp_path)  # where the model is trained
    treebank, store = str(sample.treebank("en")), tmp_path / "colorless.db"
    mining = cg.mine(treebank, store=store)
    made = cg.make_nonce(mining, store=store)
    composed = cg.compose(mining, sets=100, store=store)
    suite = made if judged == "nonce" else composed
    asked = [item.agreement for item in suite.items[:60] if item.agreement]
    answers = pl.DataFrame(
        {
            "item": [item.item_id for item in suite.items[:60] for _ in range(5)],
            "participant": ["anna", "bert", "cleo", "dora", "emil"] * len(asked),
            "chosen": [(facts.right, facts.wrong)[n == 0] for facts in asked for n in range(5)],
        }
    )
    answers.write_csv(tmp_path / "answers.csv")
    done = cg.run(
        treebank, people=tmp_path / "answers.csv", out=tmp_path / "r.html", store=store,
    )  # fmt: skip
    people = [row for row in done.rows if row["rater"] == "humans"]
    assert {row["suite"] for row in people} == {suite.name}
    for row in people:
        beside = [other for other in done.rows if other["kind"] == row["kind"]]
        assert {other["n_items"] for other in beside if other["rater"] in ("humans", "ngram")} == {
            row["n_items"]
        }
    assert any("humans import" in message for message in done.messages)


def test_a_treebank_without_agreement_gives_no_page(tmp_path: Path) -> None:
    words = conllu("我/PRON/-/2", "看/VERB/-/0", "书/NOUN/-/2")
    write_conllu(
        tmp_path / "zh_none-ud-train.conllu", *[words.replace("s1", f"s{n}") for n in range(9)]
    )
    done = colorless("run", "zh_none-ud-train.conllu", cwd=tmp_path)
    assert done.returncode == 1
    assert "nothing to test" in done.stderr
    assert not (tmp_path / "report.html").exists()


@pytest.mark.slow
def test_a_test_set_needs_a_model_and_gets_a_page(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "words.txt").write_text("the keys key are is old .", encoding="utf-8")
    named = ("run", "pairs.csv", "--language", "en")
    without = colorless(*named, cwd=tmp_path)
    assert without.returncode == 2
    assert without.error is not None
    assert "--model" in without.error.right or "model" in without.error.location
    done = colorless(*named, "--model", "uniform:words.txt", "--out", "my page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "my page.html").exists()
    assert ["report", "@1", "--out", "my page.html"] in [*commands_in(done.stderr)]


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["Italian", "gulordava2018-italian"])
def test_a_published_folder_brings_its_people_and_its_language(tmp_path: Path, folder: str) -> None:
    published = tmp_path / folder
    published.mkdir()
    table = "\n".join(("\t".join(COLUMNS), *ROWS)) + "\n"
    (published / "best_model_mturk.tab").write_text(table, encoding="utf-8")
    (published / "generated.tab").write_text(table, encoding="utf-8")
    (tmp_path / "words.txt").write_text("la nuvola che vede i sassi cade cadono", encoding="utf-8")
    model = cg.load_model("uniform:" + str(tmp_path / "words.txt"))
    done = cg.run(published, model=model, out=tmp_path / "r.html", store=tmp_path / "s.db")
    originals = {row["rater"]: row for row in done.rows if row["kind"] == "original"}
    assert originals["humans"]["accuracy"] == 0.9
    assert originals["some-model"]["accuracy"] == 1
    assert originals["humans"]["suite"] == "gulordava2018-it"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Yield a host of everything that is fetched, and a cache of the test's own."""
    with Server() as server:
        monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("COLORLESS_MIRROR", server.base)
        yield server


@pytest.mark.slow
def test_the_set_of_2018_is_fetched_by_its_name_with_its_people(
    tmp_path: Path, mirror: Server
) -> None:
    """And the second time nothing is asked of the network."""
    table = ("\n".join(("\t".join(COLUMNS), *ROWS)) + "\n").encode()
    files = {
        "data/agreement/Italian/generated.tab": table,
        "data/evaluation_output/Italian/best_model_mturk.tab": table,
    }
    (part,) = (part for part in published_sets()["gulordava2018"] if part.part == "Italian")
    mirror.add_repository("facebookresearch/colorlessgreenRNNs", part.revision, files)
    (tmp_path / "words.txt").write_text("la nuvola che vede i sassi cade cadono", encoding="utf-8")
    named = ("run", "gulordava2018", "--language", "it", "--model", "uniform:words.txt", "--json")
    done = colorless(*named, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    people = {row["kind"]: row for row in rows_of(done.stdout) if row["rater"] == "humans"}
    assert people["original"]["accuracy"] == 0.9
    assert people["original"]["suite"] == "gulordava2018-it"
    n_asked = len(mirror.asked)
    assert n_asked > 0
    assert colorless(*named, cwd=tmp_path).stdout == done.stdout
    assert len(mirror.asked) == n_asked


@pytest.mark.slow
def test_a_treebank_is_fetched_by_its_name(tmp_path: Path, mirror: Server) -> None:
    sentences = sample.treebank("it").read_bytes()
    files = {"it_isdt-ud-train.conllu": sentences, "LICENSE.txt": b"CC BY-NC-SA 3.0"}
    mirror.add_repository("UniversalDependencies/UD_Italian-ISDT", f"r{NEWEST}", files)
    done = colorless("run", "it_isdt", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["suite"] for row in rows_of(done.stdout)} == {"UD_Italian-ISDT/tested/nonce"}
    assert [words[0] for words in commands_in(done.stderr)][:2] == ["fetch", "mine"]


@pytest.mark.slow
@pytest.mark.shared
def test_the_italian_set_of_2018_gives_the_papers_people(tmp_path: Path) -> None:
    """Gulordava et al. 2018, §6: people are right in 94.5 % of originals, 88.4 % of nonce ones."""
    published = tmp_path / "gulordava2018-italian"
    published.mkdir()
    for part in ("agreement", "evaluation_output"):
        for file in shared("published", "colorless", part, "Italian").iterdir():
            shutil.copyfile(file, published / file.name)
    forms = pl.read_csv(published / "generated.tab", separator="\t", quote_char=None)["form"]
    (tmp_path / "words.txt").write_text(" ".join(forms.unique().sort()), encoding="utf-8")
    model = f"uniform:{tmp_path / 'words.txt'}"
    done = cg.run(published, model=model, out=tmp_path / "r.html", store=tmp_path / "s.db")
    people = done.to_frame().filter(rater="humans").select("kind", "n_items", "accuracy")
    figures = [(kind, n, round(share, 3)) for kind, n, share in people.iter_rows()]
    assert figures == [("original", 119, 0.945), ("nonce", 1070, 0.884)]


def test_what_is_there_comes_before_what_could_be_fetched(tmp_path: Path) -> None:
    (tmp_path / "blimp").mkdir()
    (tmp_path / "blimp" / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "words.txt").write_text("the keys key are is old .", encoding="utf-8")
    done = colorless(
        "run", "blimp", "--model", "uniform:words.txt", "--language", "en", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert not any(words[0] == "fetch" for words in commands_in(done.stderr))


def test_a_name_in_several_languages_asks_which(tmp_path: Path) -> None:
    done = colorless("run", "gulordava2018", cwd=tmp_path)
    refused(done, "missing", "--language")
    assert "it" in done.stderr
    refused(colorless("run", "UD_Polsh-PDB", cwd=tmp_path), "unknown", "'UD_Polsh-PDB'")
    with mistake("missing", "what"):
        cg.run([])


def test_a_page_that_cannot_be_written_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    treebank = str(sample.treebank("en"))
    refused(colorless("run", treebank, "--out", "folder", cwd=tmp_path), "conflict", "folder")
    assert not (tmp_path / "colorless.db").exists()
