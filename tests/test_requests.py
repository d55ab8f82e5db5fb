"""What is newest, what is the same, and what lies elsewhere now: requests one after another."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.store import Store
from tests.builders import colorless, conllu, refused, write_conllu
from tests.test_cli import treebank

TOY = "xx_toy-ud-train.conllu"


def items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_was_asked_for_last_is_newest_also_when_it_was_known(tmp_path: Path) -> None:
    treebank(tmp_path)
    (tmp_path / "other").mkdir()
    treebank(tmp_path / "other", copies=2)
    colorless(f"mine --rule released {TOY} --name first", cwd=tmp_path)
    colorless(f"mine --rule released other/{TOY} --name second", cwd=tmp_path)
    colorless(f"mine --rule released {TOY} --name first", cwd=tmp_path)
    done = colorless("nonce --recipe gulordava2018 --out n.jsonl", cwd=tmp_path)
    assert done.stderr.startswith("first/released: the newest mining")
    assert {each["treebank"] for each in items(tmp_path / "n.jsonl")} == {"first"}


@pytest.mark.slow
def test_a_seed_asked_for_again_is_the_newest_suite(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY}", cwd=tmp_path)
    for seed in ("0", "1", "0"):
        colorless("nonce", "--recipe", "gulordava2018", "--seed", seed, cwd=tmp_path)
    colorless("export --out n.jsonl", cwd=tmp_path)
    assert {each["seed"] for each in items(tmp_path / "n.jsonl")} == {None, 0}


def test_a_mining_without_originals_is_not_passed_over_for_an_older_one(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY}", cwd=tmp_path)
    write_conllu(tmp_path / "poor.conllu", conllu("a/NOUN/Sing/2", "b/VERB/Sing/0"))
    assert colorless("mine --rule released poor.conllu --language en", cwd=tmp_path).returncode == 1
    done = colorless("nonce --recipe gulordava2018", cwd=tmp_path)
    refused(done, "empty", "poor")


def test_minings_with_equal_originals_keep_each_their_own(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY} --out m1", cwd=tmp_path)
    for out in ("m2", "m3"):  # the second time from the store
        colorless(
            "mine", "--rule", "released", TOY, "--set", "repair=none", "--out", out, cwd=tmp_path
        )
    files = [(tmp_path / out / "originals.jsonl").read_bytes() for out in ("m1", "m2", "m3")]
    assert files[0] == files[1] == files[2] != b""


def test_the_vocabulary_of_a_mining_goes_along(tmp_path: Path) -> None:
    treebank(tmp_path)
    words = "the cat cats dog dogs fox foxs near often . jump jumps bark barks"
    (tmp_path / "few.txt").write_text(words)
    mined = ("mine", "--rule", "released", TOY, "--vocabulary", "few.txt", "--out", "m")
    assert colorless(*mined, cwd=tmp_path).returncode == 0
    known = set(words.split())
    for arguments in ([], ["--treebank", TOY], ["m/originals.jsonl"]):
        done = colorless(
            "nonce", "--recipe", "gulordava2018", *arguments, "--out", "n.jsonl", cwd=tmp_path
        )
        assert "vocabulary few.txt" in done.stderr, done.stderr
        for item in items(tmp_path / "n.jsonl"):
            tokens, changed = item["tokens"], item["substitutions"]
            assert isinstance(tokens, list)
            assert isinstance(changed, list)
            assert {tokens[index] for index in changed} <= known


def test_a_treebank_that_moved_is_found_again_by_mining_it_there(tmp_path: Path) -> None:
    path = treebank(tmp_path)
    colorless(f"mine --rule released {TOY}", cwd=tmp_path)
    (tmp_path / "there").mkdir()
    path.rename(tmp_path / "there" / TOY)
    refused(colorless("nonce --recipe gulordava2018", cwd=tmp_path), "changed", path)
    colorless(f"mine --rule released there/{TOY}", cwd=tmp_path)
    assert colorless("nonce --recipe gulordava2018", cwd=tmp_path).returncode == 0


def test_a_treebank_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = treebank(tmp_path)
    colorless(f"mine --rule released {TOY}", cwd=tmp_path)
    treebank(tmp_path, copies=2)
    for verb in (("nonce", "--recipe", "gulordava2018"), ("train", "unigram")):
        refused(colorless(*verb, cwd=tmp_path), "changed", path)


def test_skipping_bad_sentences_is_part_of_the_request(tmp_path: Path) -> None:
    good = treebank(tmp_path).read_text(encoding="utf-8")
    write_conllu(tmp_path / "bad.conllu", conllu("a/X/-/7", sent_id="bad"), good)
    for _ in range(2):
        skipped = colorless(
            "mine --rule released bad.conllu --language en --skip-bad", cwd=tmp_path
        )
        assert skipped.returncode == 0
        assert skipped.stderr.count("bad.conllu:2") == 1
        assert (
            colorless("mine --rule released bad.conllu --language en", cwd=tmp_path).returncode == 2
        )


def test_a_bad_sentence_of_a_file_that_is_named_is_never_dropped_in_silence(tmp_path: Path) -> None:
    good = treebank(tmp_path).read_text(encoding="utf-8")
    colorless(f"mine --rule released {TOY} --out m", cwd=tmp_path)
    write_conllu(tmp_path / "bad.conllu", conllu("a/X/-/7", sent_id="bad"), good)
    for arguments in (
        ("nonce", "--recipe", "gulordava2018", "m/originals.jsonl", "--treebank", "bad.conllu"),
        ("train", "unigram", "bad.conllu"),
    ):
        refused(colorless(*arguments, cwd=tmp_path), "format", "bad.conllu:2")


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    treebank(tmp_path)
    refused(colorless(f"mine --rule released {TOY} {TOY}", cwd=tmp_path), "conflict", TOY)


@pytest.mark.slow
def test_two_minings_at_once_both_succeed(tmp_path: Path) -> None:
    treebank(tmp_path, copies=20)
    command = [sys.executable, "-m", "colorless_green", "mine", "--rule", "released", TOY]
    running = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    outputs = [each.communicate() for each in running]
    assert [each.returncode for each in running] == [0, 0], outputs
    with Store(tmp_path / "colorless.db") as store:
        assert store.one("SELECT COUNT(*) AS n FROM treebank") == {"n": 1}
        assert store.one("SELECT COUNT(*) AS n FROM suite") == {"n": 1}


def test_json_rows_are_the_same_from_the_store(tmp_path: Path) -> None:
    treebank(tmp_path)
    first, second = (
        colorless(f"mine --rule released {TOY} --json", cwd=tmp_path).stdout for _ in range(2)
    )
    assert first == second != ""


@pytest.mark.slow
def test_originals_of_two_rules_in_one_file_are_each_varied_under_their_own(tmp_path: Path) -> None:
    treebank(tmp_path)
    for rule in ("released", "strict"):
        colorless("mine", TOY, "--rule", rule, "--out", rule, cwd=tmp_path)
        source = ("--treebank", TOY, "--store", "none")
        colorless(
            "nonce",
            "--recipe",
            "gulordava2018",
            f"{rule}/originals.jsonl",
            *source,
            "--out",
            f"{rule}.jsonl",
            cwd=tmp_path,
        )
    both = "".join(
        (tmp_path / rule / "originals.jsonl").read_text() for rule in ("released", "strict")
    )
    (tmp_path / "both.jsonl").write_text(both)
    colorless(
        f"nonce --recipe gulordava2018 both.jsonl --treebank {TOY} --store none --out n.jsonl",
        cwd=tmp_path,
    )
    apart = [each for rule in ("released", "strict") for each in items(tmp_path / f"{rule}.jsonl")]
    together = items(tmp_path / "n.jsonl")
    assert together == apart


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored")
    treebank(folder)
    sample = Path(__file__).resolve().parents[1] / "data" / "sample" / "en.conllu"
    for step in (
        ("mine", "--rule", "released", TOY),
        ("nonce", "--recipe", "gulordava2018"),
        ("train", "unigram", str(sample)),
    ):
        done = colorless(*step, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def accuracy(folder: Path, verb: str, *options: str) -> list[tuple[object, object]]:
    shown = colorless(verb, "--json", *options, cwd=folder).stdout
    rows = [json.loads(line) for line in shown.splitlines()]
    if verb == "score":
        rows = [row for row in rows if row.get("kind") and not row.get("value")]
        rows = [row for row in rows if not row.get("n_attractors") and row["n_items"]]
    key = [(row["kind"], row.get("construction") or "", row["accuracy"]) for row in rows]
    return [(kind, value) for kind, _, value in sorted(key, key=repr)]


@pytest.mark.slow
def test_compare_shows_the_scores_that_were_asked_for_last(scored: Path) -> None:
    for options in (
        ("--set", "oov=keep"),
        ("--set", "oov=keep", "--set", "ties=wrong"),
        ("--set", "oov=keep"),
    ):
        assert accuracy(scored, "score", *options) == accuracy(scored, "compare")


@pytest.mark.slow
def test_a_second_batch_of_answers_adds_to_the_first(scored: Path) -> None:
    colorless("export --out s.jsonl", cwd=scored)
    item = next(each for each in items(scored / "s.jsonl") if each["kind"] == "original")
    for name, form in (("b1", item["right"]), ("b2", item["wrong"]), ("b1", item["right"])):
        rows = f"item,participant,chosen,correct_form\n{item['item_id']},{name},{form},\n"
        (scored / f"{name}.csv").write_text(rows)
        done = colorless("humans", "import", f"{name}.csv", cwd=scored)
        assert done.returncode == 0, done.stderr
    people = [
        json.loads(line)
        for line in colorless("compare --json", cwd=scored).stdout.splitlines()
        if '"rater": "humans"' in line
    ]
    assert people[0]["accuracy"] == 0.5


def test_a_table_without_answers_is_refused(scored: Path) -> None:
    (scored / "none.csv").write_text("item,participant,chosen,correct_form\n")
    refused(colorless("humans import none.csv", cwd=scored), "empty", "none.csv")


def test_a_model_folder_that_was_not_finished_is_made_again(scored: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(f"the cat {number} waits ." for number in range(80)) + "\n")
    train = ("train", "unigram", str(text), "--out", "m", "--store", "none")
    assert colorless(*train, cwd=tmp_path).returncode == 0
    (tmp_path / "m" / "manifest.json").unlink()
    again = colorless(*train, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "m" / "manifest.json").exists()


def test_another_text_with_the_same_letters_is_another_model(tmp_path: Path) -> None:
    for name, words in (("a", "it is n't {}"), ("b", "it isn't {}")):
        lines = [words.format(number) for number in range(80)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    out = ("--out", "m", "--store", "none")
    assert colorless("train", "unigram", "a.txt", *out, cwd=tmp_path).returncode == 0
    refused(colorless("train", "unigram", "b.txt", *out, cwd=tmp_path), "conflict", "m/model.json")


def test_a_treebanks_name_cannot_lead_out_of_the_models_folder(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY} --name ../../evil", cwd=tmp_path)
    done = colorless("train unigram", cwd=tmp_path)
    if done.returncode == 0:
        assert [path.name for path in tmp_path.iterdir() if "evil" in path.name] == []
        assert len(list((tmp_path / "models").iterdir())) == 1
    assert not list(tmp_path.parent.glob("evil*"))


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    done = colorless("humans", "import", "x" * 300 + ".csv", cwd=tmp_path)
    refused(done, "unreadable", "x" * 300 + ".csv")


def test_a_report_of_nothing_scored_is_refused(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY}", cwd=tmp_path)
    refused(colorless("report", cwd=tmp_path), "empty", "colorless.db")


def test_a_treebanks_folder_is_a_text_to_learn_from_in_its_language(tmp_path: Path) -> None:
    sentences = [conllu(f"w{n}/X/-/0", "x/X/-/1", sent_id=f"s{n}") for n in range(80)]
    folder = tmp_path / "UD_Italian-Toy"
    write_conllu(folder / "it_toy-ud-dev.conllu", *sentences[40:])
    write_conllu(folder / "it_toy-ud-train.conllu", *sentences[:40])
    (folder / "README.md").write_text("no sentence\n")
    files = [f"{folder.name}/it_toy-ud-{part}.conllu" for part in ("train", "dev")]
    for out, texts in (("a", [folder.name]), ("b", [*files, "--language", "it"])):
        done = colorless("train", "unigram", *texts, "--out", out, "--store", "none", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a/model.json").read_bytes() == (tmp_path / "b/model.json").read_bytes()
    assert json.loads((tmp_path / "a/model.json").read_text())["language"] == "it"


def test_a_model_is_not_trained_into_the_output_of_another_verb(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless(f"mine --rule released {TOY} --out mined", cwd=tmp_path)
    before = (tmp_path / "mined/manifest.json").read_bytes()
    done = colorless(f"train unigram {TOY} --out mined", cwd=tmp_path)
    refused(done, "conflict", "mined")
    assert (tmp_path / "mined/manifest.json").read_bytes() == before


def test_a_folder_of_folders_names_them(tmp_path: Path) -> None:
    (tmp_path / "suites/json").mkdir(parents=True)
    done = colorless("import suites", cwd=tmp_path)
    refused(done, "format", "suites")
    assert "json" in done.stderr
