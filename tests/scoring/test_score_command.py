"""The verb score from files to tables: methods, choices, workers, what is told."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builders import colorless, refused

TEXT = [
    f"the {noun}{end} {place} the {other} {verb} {adjective} ."
    for noun, other in (("key", "cabinets"), ("dog", "cats"), ("author", "pilots"))
    for end, verb in (("", "is"), ("s", "are"))
    for place in ("near", "behind")
    for adjective in ("old", "new")
]


def pair(noun: str, number: int) -> dict[str, str]:
    right, wrong = ("are", "is") if noun.endswith("s") else ("is", "are")
    return {
        "sentence_good": f"the {noun} near the cats {right} old .",
        "sentence_bad": f"the {noun} near the cats {wrong} old .",
        "UID": "plural" if noun.endswith("s") else "singular",
        "pairID": str(number),
        "one_prefix_prefix": f"the {noun} near the cats",
        "one_prefix_word_good": right,
        "one_prefix_word_bad": wrong,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of 12 pairs, a unigram and a bigram model."""
    place = tmp_path_factory.mktemp("score")
    nouns = ["key", "keys", "dog", "dogs", "author", "authors"] * 2
    lines = [json.dumps(pair(noun, number)) for number, noun in enumerate(nouns)]
    (place / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "text.txt").write_text("\n".join(TEXT * 3) + "\n", encoding="utf-8")
    for kind in ("unigram", "ngram"):
        done = colorless("train", kind, "text.txt", "--out", kind, "--store", "none", cwd=place)
        assert done.returncode == 0, done.stderr
    return place


def scored(folder: Path, store: Path, *options: str) -> list[dict[str, object]]:
    done = colorless("score", "pairs.jsonl", "--store", str(store), "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def overall(rows: Sequence[Mapping[str, object]], prediction: str) -> Mapping[str, object]:
    factors = ("kind", "construction", "value", "n_attractors", "level")
    (row,) = (
        row
        for row in rows
        if row["prediction"] == prediction and not any(row.get(each) for each in factors)
    )
    return row


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_the_method_stands_in_every_row_and_in_the_store(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    rows = scored(folder, store, "--model", "ngram", "--method", "one-prefix")
    assert {row["method"] for row in rows} == {"one-prefix"}
    assert overall(rows, "prefix")["n_items"] == 12
    rows = scored(folder, store, "--model", "ngram", "--method", "marvin2018-ngram")
    assert {row["method"] for row in rows} == {"sentence eos=sentence period=add"}


@pytest.mark.slow
def test_workers_change_no_byte_of_the_tables(folder: Path, tmp_path: Path) -> None:
    for name, options in (("one", ()), ("two", ("--workers", "2"))):
        scored(
            folder, tmp_path / f"{name}.db", "--model", "ngram", "--method", "sentence",
            "--out", str(tmp_path / name), *options,
        )  # fmt: skip
    for file in ("scores.tsv", "outcomes.tsv", "accuracy.tsv"):
        one, two = ((tmp_path / name / file).read_bytes() for name in ("one", "two"))
        assert one == two, file


def test_a_sample_takes_as_many_of_each_construction(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    scored(
        folder, tmp_path / "a.db", "--model", "unigram", "--model", "ngram", "--set", "sample=2",
        "--out", str(out),
    )  # fmt: skip
    rows = table(out / "outcomes.tsv")
    chosen = {
        model: {row["item_id"] for row in rows if row["model"] == model}
        for model in ("unigram", "ngram")
    }
    assert chosen["unigram"] == chosen["ngram"]
    assert len(chosen["ngram"]) == 4


def test_suites_of_one_name_go_by_what_they_were_called(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "pairs.jsonl"
    other.write_text(json.dumps(pair("key", 0)) + "\n", encoding="utf-8")
    rows = scored(folder, tmp_path / "a.db", str(other), "--model", "ngram")
    for name, n_items in (("pairs.jsonl", 12), (str(other), 1)):
        own = [row for row in rows if row["suite"] == name]
        assert overall(own, "full")["n_items"] == n_items


def test_what_is_told_of_unknown_words_fits_what_was_asked(folder: Path, tmp_path: Path) -> None:
    odd = {
        **pair("key", 0),
        "sentence_good": "the zebra is .",
        "sentence_bad": "the zebra are .",
        "one_prefix_prefix": "the zebra",
    }
    (tmp_path / "odd.jsonl").write_text(json.dumps(odd) + "\n", encoding="utf-8")
    told = {}
    for method in ("one-prefix", "sentence"):
        done = colorless(
            "score", str(tmp_path / "odd.jsonl"), "--store", str(tmp_path / "a.db"),
            "--model", "ngram", "--method", method, "--out", str(tmp_path / method), cwd=folder,
        )  # fmt: skip
        assert done.returncode == (1 if method == "sentence" else 0), done.stderr
        (row, *_) = table(tmp_path / method / "outcomes.tsv")
        told[method] = row["oov"], bool(row["credit"])
    assert told == {"one-prefix": ("1", True), "sentence": ("1", False)}  # one counts all the same


def test_slor_weighs_by_the_frequencies_of_a_text(folder: Path, tmp_path: Path) -> None:
    rows = scored(
        folder,
        tmp_path / "a.db",
        "--model",
        "ngram",
        "--method",
        "slor",
        "--set",
        "unigrams=text.txt",
    )
    assert overall(rows, "full")["n_items"] == 12


@pytest.mark.parametrize(
    ("options", "place", "kind"),
    [
        (
            ("--model", "unigram", "--method", "sentence", "--set", "eos=sentence"),
            "--set: eos",
            "unsupported",
        ),
        (("--model", "ngram", "--method", "best"), "--method", "unknown"),
        (
            ("--model", "ngram", "--device", "cuda:0,cuda:1", "--ray", "local"),
            "--device",
            "conflict",
        ),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    folder: Path, tmp_path: Path, options: tuple[str, ...], place: str, kind: Any
) -> None:
    store = str(tmp_path / "a.db")
    done = colorless("score", "pairs.jsonl", "-q", "--store", store, *options, cwd=folder)
    refused(done, kind, place)


def test_an_unknown_target_of_a_table_leaves_its_item_out(folder: Path, tmp_path: Path) -> None:
    rows = [("sentence_id", "token_id", "token", "surprisal")]
    lines = (folder / "pairs.jsonl").read_text("utf-8").splitlines()[:6]
    for number, line in enumerate(lines):
        for nth, key in enumerate(("sentence_good", "sentence_bad")):
            words = json.loads(line)[key].split()
            if number == 0:
                words[5] = "<unk>"
            rows += [
                (str(2 * number + nth + 1), str(n + 1), word, "2.0") for n, word in enumerate(words)
            ]
    table_file, suite = tmp_path / "t.txt", tmp_path / "six.jsonl"
    table_file.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    suite.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = colorless(
        "score", str(suite), "--model", f"table:{table_file}", "--method", "one-prefix",
        "--store", str(tmp_path / "a.db"), "--json", "--out", str(tmp_path / "out"), cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = overall([json.loads(line) for line in done.stdout.splitlines()], "prefix")
    assert (found["n_items"], found["n_oov"]) == (5, 1)
    flagged = {row["oov"] for row in table(tmp_path / "out" / "scores.tsv")}
    assert flagged == {"0", "1"}
