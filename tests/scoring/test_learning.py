"""The verb train: which models, where, what is told of them, and that nothing is done twice."""

import csv
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.seeds import generator
from colorless_green.data.store import MEMORY, Store
from colorless_green.scoring import (
    PRESETS,
    TRAINERS,
    Line,
    NetworkSize,
    Schedule,
    Trained,
    TrainRequest,
    TransformerSize,
    load_model,
    read_curve,
    seeds_of,
    split_lines,
    train,
)
from tests.builders import colorless, mistake, refused, without_matplotlib
from tests.scoring.agreement_text import pairs, sentence

SHORT = Schedule(2, 2, 1e-2, "steadily", 1.0)
OWN = {
    "recurrent": TrainRequest(NetworkSize(8, 1, 0.1, True, 16, None, 1, "adam", SHORT)),
    "causal": TrainRequest(TransformerSize(16, 1, 2, 48, 300, 0.0, 16, 1, SHORT)),
}
NEURAL = ("recurrent", "causal")


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(MEMORY) as opened:
        yield opened


def write_text(folder: Path, n: int = 150) -> Path:
    """Sentences, one a line."""
    path, rng = folder / "text.txt", generator(0, "text")
    lines = [" ".join(sentence(rng).words) for _ in range(n)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_suite(folder: Path, n: int = 12) -> Path:
    """Minimal pairs as BLiMP has them."""
    path = folder / "toy.jsonl"
    fixed = {
        "field": "morphology", "linguistics_term": "agreement", "UID": "toy",
        "simple_LM_method": True, "one_prefix_method": True, "two_prefix_method": False,
        "lexically_identical": False, "one_prefix_prefix": "",
    }  # fmt: skip
    rows = [
        {
            "sentence_good": " ".join((*prefix, right)) + ".",
            "sentence_bad": " ".join((*prefix, wrong)) + ".",
            **{**fixed, "one_prefix_prefix": " ".join(prefix)},
            "one_prefix_word_good": right,
            "one_prefix_word_bad": wrong,
            "pairID": str(number),
        }
        for number, (prefix, right, wrong) in enumerate(pairs(n))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def trained(
    kind: str,
    store: Store,
    out: Path | None,
    request: TrainRequest | None = None,
    *,
    drawn: bool = False,
    **options: Any,
) -> Trained:
    """What training on the text beside `out` tells; a small network or Transformer by itself.
    Curves are drawn only where they are looked at."""
    texts = options.pop("texts", None)
    if texts is None:
        assert out is not None
        texts = [out.parent / "text.txt"]
        if not texts[0].exists():
            write_text(out.parent)
    asked = OWN.get(kind, TrainRequest()) if request is None else request
    given = {each.name: getattr(asked, each.name) for each in fields(asked)}
    given |= {"preset": asked.preset or "", "epochs": given.pop("n_epochs")}
    with nullcontext() if drawn else without_matplotlib():
        return train(kind, texts, out=out, store=store, **given, **options)


def own(kind: str, **changes: Any) -> TrainRequest:
    return TrainRequest(**{"size": OWN[kind].size, **changes})


def contents(folder: Path) -> dict[str, bytes]:
    """The files that the manifest of a model lists."""
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    return {name: (folder / name).read_bytes() for name in listed}


def about(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", NEURAL)
def test_several_seeds_are_trained_as_if_each_were_alone(
    kind: str, store: Store, tmp_path: Path
) -> None:
    told = trained(kind, store, tmp_path / "all", seeds="3,1")
    folders = [tmp_path / "all" / name for name in ("seed-3", "seed-1")]
    assert [row["folder"] for row in told.rows] == [str(each) for each in folders]
    assert [row["seed"] for row in told.rows] == [3, 1]
    assert [row["path"] for row in store.rows("SELECT path FROM trained ORDER BY trained_id")] == [
        str(each.resolve()) for each in folders
    ]
    assert len({about(each)["group"] for each in folders}) == 1
    trained(kind, store, tmp_path / "alone", seed=1)
    assert contents(tmp_path / "alone") == contents(folders[1]) != contents(folders[0])


def test_the_curves_of_all_seeds_stand_above_them(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "all", seeds="2", seed=4, drawn=True)
    with (tmp_path / "all" / "curve.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [(row["seed"], row["epoch"]) for row in rows] == [
        ("4", "1"), ("4", "2"), ("5", "1"), ("5", "2"),
    ]  # fmt: skip
    for folder in ("", "seed-4", "seed-5"):
        assert (tmp_path / "all" / folder / "curve.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_seeds_that_are_there_are_not_trained_again(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "all", seeds="0,1")
    before = contents(tmp_path / "all" / "seed-1")
    told = trained("recurrent", store, tmp_path / "all", seeds="3")
    said = [
        sum(message.startswith(f"{tmp_path / 'all' / name}: ") for message in told.messages)
        for name in ("seed-0", "seed-1", "seed-2")
    ]
    assert said[0] == said[1] == said[2] + 1
    assert contents(tmp_path / "all" / "seed-1") == before
    assert (tmp_path / "all" / "seed-2" / "manifest.json").is_file()


def test_seeds_do_not_go_into_a_model(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "m")
    with mistake("conflict", tmp_path / "m" / "model.json"):
        trained("recurrent", store, tmp_path / "m", seeds="2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("recurrent", own("recurrent"), own("recurrent", n_epochs=1)),
        ("recurrent", own("recurrent"), own("recurrent", rnn_type="gru")),
        ("recurrent", own("recurrent", vocabulary_size=20), own("recurrent")),
        ("causal", own("causal"), own("causal", n_epochs=1)),
        ("ngram", TrainRequest(), TrainRequest(order=3)),
        ("ngram", TrainRequest(order=3), TrainRequest()),
        ("ngram", TrainRequest(order=3), TrainRequest(order=3, prune=(0, 1))),
    ],
)
def test_a_model_of_another_request_is_not_taken_for_the_one_asked_for(
    kind: str, first: TrainRequest, second: TrainRequest, store: Store, tmp_path: Path
) -> None:
    trained(kind, store, tmp_path / "m", first)
    before = (tmp_path / "m" / "manifest.json").stat().st_mtime_ns
    with mistake("conflict", tmp_path / "m" / "model.json"):
        trained(kind, store, tmp_path / "m", second)
    again = trained(kind, store, tmp_path / "m", first)
    assert again.messages[-1].startswith(f"{tmp_path / 'm'}: ")
    assert (tmp_path / "m" / "manifest.json").stat().st_mtime_ns == before


def test_a_text_too_short_for_the_order_is_still_known_again(store: Store, tmp_path: Path) -> None:
    short = [f"a{n} b{n % 7}" for n in range(80)]
    (tmp_path / "text.txt").write_text("\n".join(short) + "\n", encoding="utf-8")
    trained("ngram", store, tmp_path / "m", TrainRequest(order=6))
    before = (tmp_path / "m" / "manifest.json").stat().st_mtime_ns
    trained("ngram", store, tmp_path / "m", TrainRequest(order=6))
    assert (tmp_path / "m" / "manifest.json").stat().st_mtime_ns == before
    with mistake("conflict", tmp_path / "m" / "model.json"):
        trained("ngram", store, tmp_path / "m", TrainRequest(order=3))


def test_a_text_that_is_too_large_for_memory_gives_the_same_model(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_text(tmp_path)
    trained("ngram", store, tmp_path / "small")
    monkeypatch.setattr(sys.modules[train.__module__], "LARGE", 1)
    trained("ngram", store, tmp_path / "large")
    for file in ("model.arpa", "seen.u64"):
        small, large = ((tmp_path / name / file).read_bytes() for name in ("small", "large"))
        assert small == large, file
    before = (tmp_path / "large" / "manifest.json").stat().st_mtime_ns
    trained("ngram", store, tmp_path / "large")
    assert (tmp_path / "large" / "manifest.json").stat().st_mtime_ns == before
    text.write_text(text.read_text("utf-8") + "another sentence\n", encoding="utf-8")
    with mistake("conflict", tmp_path / "large" / "model.json"):
        trained("ngram", store, tmp_path / "large")


def test_folders_are_named_by_text_request_and_seed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [write_text(tmp_path)]
    found = {
        str(trained("ngram", store, None, request, seed=seed, texts=texts).rows[0]["folder"])
        for request, seed in (
            (TrainRequest(), 0), (TrainRequest(order=5), 0), (TrainRequest(order=3), 0),
            (TrainRequest(order=3, prune=(0, 1)), 0), (TrainRequest(), 1), (TrainRequest(), 0),
        )
    }  # fmt: skip
    assert len(found) == 5
    assert all(name.startswith("models/text-") for name in found)


@pytest.mark.parametrize("kind", NEURAL)
def test_accuracy_on_a_suite_is_measured_after_every_epoch(
    kind: str, store: Store, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path)
    told = trained(kind, store, tmp_path / "m", accuracy_on=str(suite))
    epochs = read_curve(tmp_path / "m" / "curve.tsv")
    assert len(epochs) == 2
    assert all(each.suite == "toy" and each.accuracy is not None for each in epochs)
    best = min(epochs, key=lambda each: each.valid_loss)
    assert [row["accuracy"] for row in told.rows] == [best.accuracy]


def test_where_no_target_is_known_there_is_no_accuracy(store: Store, tmp_path: Path) -> None:
    lines = [f"a{n % 9} b{n % 7} c{n}" for n in range(90)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    suite = write_suite(tmp_path)
    told = trained("recurrent", store, tmp_path / "m", accuracy_on=str(suite))
    assert [row["accuracy"] for row in told.rows] == [None]
    assert {each.accuracy for each in read_curve(tmp_path / "m" / "curve.tsv")} == {None}


@pytest.mark.slow
def test_the_accuracy_of_the_kept_epoch_is_the_one_that_score_finds(tmp_path: Path) -> None:
    write_text(tmp_path, 300)
    write_suite(tmp_path, 40)
    command = ("train", "recurrent", "text.txt", "--seeds", "2", "--epochs", "3", "--out", "m")
    done = colorless(*command, "--accuracy-on", "toy.jsonl", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    scored = colorless("score", "toy.jsonl", "--out", "scores", cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    with (tmp_path / "scores" / "accuracy.tsv").open(encoding="utf-8") as lines:
        rows = [
            row
            for row in csv.DictReader(lines, delimiter="\t")
            if not any(row[name] for name in ("kind", "construction", "value", "n_attractors"))
        ]
    shown = [row for row in rows if row["prediction"] == rows[0]["prediction"]]
    by_model = {row["model"]: float(row["accuracy"]) for row in shown}
    found = [by_model["seed-0"], by_model["seed-1"]]
    assert found == pytest.approx([each["accuracy"] for each in told])
    assert by_model[""] == pytest.approx(sum(found) / 2)  # the row of the group
    assert {row["group"] for row in rows} == {rows[0]["group"]} != {""}


@pytest.mark.slow
def test_a_preset_holds_out_one_sentence_in_nine_as_the_paper_did_and_may_be_cut_short(
    store: Store, tmp_path: Path
) -> None:
    write_text(tmp_path, 1_200)
    preset = PRESETS["gulordava2018-srnn"]
    short = TrainRequest(preset="gulordava2018-srnn", n_epochs=1, vocabulary_size=30)
    trained("recurrent", store, tmp_path / "paper", short)
    trained("recurrent", store, tmp_path / "ours", own("recurrent", n_epochs=1))
    paper, ours = (about(tmp_path / name) for name in ("paper", "ours"))
    n_all = ours["n_sentences"] + ours["held_out_sentences"]
    assert paper["n_sentences"] + paper["held_out_sentences"] == n_all
    assert paper["held_out_sentences"] / n_all == pytest.approx(1 / 9, abs=0.03)
    assert ours["held_out_sentences"] / n_all == pytest.approx(1 / 20, abs=0.02)
    assert (paper["size"], paper["n_epochs"]) == ("gulordava2018-srnn", 1)
    assert paper["options"] == {
        "mixed": None,
        **asdict(preset),
        "max_vocabulary": 30,
        "schedule": {**asdict(preset.schedule), "n_epochs": 1, "patience": 1},
    }


def test_a_text_with_nothing_to_hold_out_for_a_preset_is_refused(
    store: Store, tmp_path: Path
) -> None:
    """Of a text it is one sentence in nine, by its letters."""

    def is_held_out(word: str) -> bool:
        digest = hashlib.sha256(word.encode()).digest()[:8]
        return int.from_bytes(digest, "big") % 9 == 0

    words = [f"w{n}" for n in range(300) if not is_held_out(f"w{n}")]
    (tmp_path / "text.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    with mistake("empty", "text"):
        trained("recurrent", store, tmp_path / "m", TrainRequest(preset="gulordava2018"))


@pytest.mark.parametrize("kind", NEURAL)
def test_a_model_that_does_no_better_than_counting_words_is_a_toy_everywhere(
    kind: str, store: Store, tmp_path: Path
) -> None:
    told = trained(kind, store, tmp_path / "m")
    card = about(tmp_path / "m")
    assert card["toy"] is (card["held_out_perplexity"] >= card["unigram_perplexity"]) is True
    assert told.toys == told.folders == (tmp_path / "m",)
    reason = told.rows[0]["toy"]
    assert reason
    assert any(str(reason) in message for message in told.messages)
    model = load_model(tmp_path / "m", device="cpu")
    assert model.toy == reason
    assert any(str(reason) in note for note in model.notes)


@pytest.mark.slow
def test_a_model_that_does_better_than_counting_words_is_no_toy(
    store: Store, tmp_path: Path
) -> None:
    write_text(tmp_path, 600)
    told = trained("recurrent", store, tmp_path / "m", TrainRequest("tiny", n_epochs=4))
    assert about(tmp_path / "m")["toy"] is False
    assert (told.toys, told.rows[0]["toy"], load_model(tmp_path / "m").toy) == ((), "", "")
    counted = trained("unigram", store, tmp_path / "u")
    assert (counted.toys, load_model(tmp_path / "u").toy) == ((), "")


@pytest.mark.slow
def test_words_are_counted_with_the_ends_of_sentences_as_a_model_knows_them(
    store: Store, tmp_path: Path
) -> None:
    """Against sums written out; what a network does not know is left out."""
    lines = write_text(tmp_path, 400).read_text("utf-8").splitlines()
    short = own("recurrent", n_epochs=1, vocabulary_size=20)
    trained("recurrent", store, tmp_path / "recurrent", short)
    trained("causal", store, tmp_path / "causal", own("causal", n_epochs=1))
    text = split_lines([Line(tuple(line.split()), line) for line in lines], "text")
    learned = [word for line in text.train for word in (*line.words, "end")]
    asked = [word for line in text.held_out for word in (*line.words, "end")]
    known = {*(tmp_path / "recurrent" / "vocabulary.txt").read_text("utf-8").split(), "end"}
    for kind, units in (
        ("causal", asked),
        ("recurrent", [each for each in asked if each in known]),
    ):
        odds = [(len(learned) + 1) / max(1, learned.count(word)) for word in units]
        wanted = math.exp(math.fsum(map(math.log, odds)) / len(odds))
        assert about(tmp_path / kind)["unigram_perplexity"] == pytest.approx(wanted)


def test_a_size_decides_all_that_is_not_asked_for(store: Store, tmp_path: Path) -> None:
    for name, request in (
        ("tiny", TrainRequest("tiny", n_epochs=1)),
        ("none", TrainRequest(n_epochs=1)),
    ):
        trained("recurrent", store, tmp_path / name, request)
    tiny, none = (about(tmp_path / name) for name in ("tiny", "none"))
    assert tiny["options"] == none["options"]
    assert tiny["options"]["max_vocabulary"] == 50_000


def test_without_matplotlib_there_is_a_note_in_place_of_the_figure(
    store: Store, tmp_path: Path
) -> None:
    told = trained("recurrent", store, tmp_path / "m")
    assert len(told.messages) == 1 + len(told.toys)
    assert told.messages[-1].startswith(f"{tmp_path / 'm'}: ")
    assert not (tmp_path / "m" / "curve.svg").exists()


LOOKED_AT = ("--vocabulary-size", "--epochs", "--mixed", "--seeds", "--accuracy-on")
LEARNS = ("--size", "--device", "--resume")
OPTIONS = {
    "all": LEARNS,
    "unigram": (),
    "ngram": ("--order", "--prune"),
    "recurrent": (*LEARNS, *LOOKED_AT, "--preset", "--rnn-type", "--order"),
    "causal": (*LEARNS, *LOOKED_AT),
}
GIVEN: dict[str, dict[str, Any]] = {  # an option alone
    "--size": {"request": TrainRequest("tiny")},
    "--preset": {"request": TrainRequest(preset="gulordava2018")},
    "--rnn-type": {"request": TrainRequest(rnn_type="lstm")},
    "--order": {"request": TrainRequest(order=4)},
    "--prune": {"request": TrainRequest(prune=(0, 1))},
    "--vocabulary-size": {"request": TrainRequest(vocabulary_size=900)},
    "--epochs": {"request": TrainRequest(n_epochs=2)},
    "--mixed": {"request": TrainRequest(mixed=True)},
    "--seeds": {"seeds": "2"},
    "--accuracy-on": {"accuracy_on": "toy.jsonl"},
    "--device": {"device": "cpu"},
    "--resume": {"resume": True},
}


def test_every_kind_that_can_be_trained_is_asked_about_its_options() -> None:
    assert set(OPTIONS) == {"all", *TRAINERS}
    assert set(GIVEN) == {each for options in OPTIONS.values() for each in options}


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("kind", OPTIONS)
def test_a_kind_takes_its_options_and_refuses_every_other_before_it_reads_a_text(
    kind: str, option: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path)
    takes = option in OPTIONS[kind]
    given: dict[str, Any] = {"request": TrainRequest(), **GIVEN[option]}
    with mistake("missing" if takes else "unknown", "none.txt" if takes else option):
        trained(kind, store, None, texts=[Path("none.txt")], **given)


@pytest.mark.parametrize(
    ("kind", "request_", "place", "wrong"),
    [
        ("all", TrainRequest("paper"), "--size", "unknown"),
        ("recurrent", TrainRequest(rnn_type="x"), "--rnn-type", "unknown"),
        ("causal", TrainRequest("paper"), "--size", "unknown"),
        (
            "recurrent",
            TrainRequest(size="small", preset="gulordava2018"),
            "--preset",
            "conflict",
        ),
        (
            "recurrent",
            TrainRequest(preset="gulordava2018", rnn_type="gru"),
            "--preset",
            "conflict",
        ),
        ("recurrent", TrainRequest(preset="gulordava2018", order=5), "--preset", "conflict"),
    ],
)
def test_what_does_not_go_together_is_refused_before_a_text_is_read(
    kind: str, request_: TrainRequest, place: str, wrong: Any, store: Store
) -> None:
    with mistake(wrong, place):
        trained(kind, store, None, request_, texts=[Path("none.txt")])


@given(st.integers(1, 30), st.integers(0, 10**6))
def test_a_number_of_seeds_counts_on_from_the_first(n: int, first: int) -> None:
    assert seeds_of(str(n), first) == tuple(range(first, first + n))


@given(st.lists(st.integers(0, 10**9), min_size=2, unique=True), st.sampled_from((",", " ")))
def test_seeds_may_be_named_one_by_one(seeds: list[int], blank: str) -> None:
    assert seeds_of(blank.join(map(str, seeds)), 0) == tuple(seeds)


@pytest.mark.parametrize(
    ("text", "first", "place", "kind"),
    [
        ("0", 0, "--seeds", "value"),
        ("1,2,1", 0, "--seeds", "conflict"),
        ("1,2", 7, "--seed", "conflict"),
        ("five", 0, "--seeds", "value"),
        ("1,", 0, "--seeds", "value"),
        ("-1", 0, "--seeds", "value"),
        ("٣", 0, "--seeds", "value"),
    ],
)
def test_what_are_no_seeds_is_refused(text: str, first: int, place: str, kind: Any) -> None:
    with mistake(kind, place):
        seeds_of(text, first)


def test_pruning_stands_between_commas_or_blanks(tmp_path: Path) -> None:
    write_text(tmp_path)
    for out, prune in (("a", "0,0,1"), ("b", "0 0 1")):
        done = colorless("train", "ngram", "text.txt", "--prune", prune, "--out", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert about(tmp_path / out)["prune"] == [0, 0, 1]
    done = colorless("train", "ngram", "text.txt", "--prune", "0,x", "--out", "c", cwd=tmp_path)
    refused(done, "value", "--prune")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("recurrent", "weights.safetensors"),
        pytest.param("causal", "model.safetensors", marks=pytest.mark.thorough),
    ],
)
def test_a_training_that_is_killed_after_an_epoch_ends_with_the_bytes_of_a_whole_one(
    kind: str, weights: str, tmp_path: Path
) -> None:
    write_text(tmp_path, 1_000)

    def start(out: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = (kind, "text.txt", "--out", out, "--epochs", "4", "--store", "none", "-q")
        return subprocess.Popen(
            [sys.executable, "-m", "colorless_green", "train", *arguments, *options], cwd=tmp_path
        )

    assert start("whole").wait() == 0
    stopped = start("cut")
    end = monotonic() + 120
    while not (tmp_path / "cut" / "checkpoint.safetensors").exists() and monotonic() < end:
        sleep(0.01)
    os.kill(stopped.pid, signal.SIGKILL)
    assert stopped.wait() == -signal.SIGKILL
    assert not (tmp_path / "cut" / "manifest.json").exists()
    assert start("cut", "--resume").wait() == 0
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert weights in contents(tmp_path / "whole")
