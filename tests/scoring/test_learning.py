"""The verb train: which models, where, what is told of them, and that nothing is done twice."""

import csv
import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import Trained, Training, load_model, train
from colorless_green.data.configuration import configured
from colorless_green.data.errors import InputError
from colorless_green.data.seeds import generator
from colorless_green.data.store import MEMORY, Store
from colorless_green.scoring import Line, read_curve, seeds_of, size_of, split_lines, train_one
from tests.builders import colorless, mistake
from tests.scoring.agreement_text import pairs, sentence

OWN: dict[str, dict[str, Any]] = {
    "recurrent": {"width": 8, "n_rows": 16, "epochs": 2, "rate": 1e-2},
    "causal": {
        "width": 16, "n_layers": 1, "n_heads": 2, "n_positions": 48, "vocabulary_size": 300,
        "n_rows": 16, "epochs": 2, "rate": 1e-2,
    },
}  # fmt: skip
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
    training: Training | None = None,
    **options: Any,
) -> Trained:
    """Return what training on the text beside `out` tells; a small network or Transformer by
    itself."""
    texts = options.pop("texts", None)
    if texts is None:
        assert out is not None
        texts = [out.parent / "text.txt"]
        if not texts[0].exists():
            write_text(out.parent)
    training = training or own(kind)
    return train(kind, texts, training=training, out=out, store=store, **options)


def own(kind: str, **changes: Any) -> Training:
    return Training(**{**OWN.get(kind, {}), **changes})


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files that the manifest of a model lists."""
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
    trained(kind, store, tmp_path / "alone", seeds=[1])
    assert contents(tmp_path / "alone") == contents(folders[1]) != contents(folders[0])


def test_the_curves_of_all_seeds_stand_above_them(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "all", seeds="4,5")
    with (tmp_path / "all" / "curve.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [(row["seed"], row["epoch"]) for row in rows] == [
        ("4", "1"), ("4", "2"), ("5", "1"), ("5", "2"),
    ]  # fmt: skip


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
        ("recurrent", own("recurrent"), own("recurrent", epochs=1)),
        ("recurrent", own("recurrent"), own("recurrent", rnn_type="gru")),
        ("recurrent", own("recurrent", vocabulary_size=20), own("recurrent")),
        ("causal", own("causal"), own("causal", epochs=1)),
        ("ngram", Training(), Training(order=3)),
        ("ngram", Training(order=3), Training()),
        ("ngram", Training(order=3), Training(order=3, prune=(0, 1))),
    ],
)
def test_a_model_of_another_request_is_not_taken_for_the_one_asked_for(
    kind: str, first: Training, second: Training, store: Store, tmp_path: Path
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
    trained("ngram", store, tmp_path / "m", Training(order=6))
    before = (tmp_path / "m" / "manifest.json").stat().st_mtime_ns
    trained("ngram", store, tmp_path / "m", Training(order=6))
    assert (tmp_path / "m" / "manifest.json").stat().st_mtime_ns == before
    with mistake("conflict", tmp_path / "m" / "model.json"):
        trained("ngram", store, tmp_path / "m", Training(order=3))


def test_a_text_that_stays_in_its_files_gives_the_same_model(tmp_path: Path, store: Store) -> None:
    text = write_text(tmp_path)
    in_memory = [Line(tuple(line.split()), line) for line in text.read_text("utf-8").splitlines()]
    (tmp_path / "memory").mkdir()
    train_one("ngram", split_lines(in_memory, "text"), tmp_path / "memory")
    trained("ngram", store, tmp_path / "files")
    for file in ("model.arpa", "seen.u64"):
        memory, files = ((tmp_path / name / file).read_bytes() for name in ("memory", "files"))
        assert memory == files, file
    before = (tmp_path / "files" / "manifest.json").stat().st_mtime_ns
    trained("ngram", store, tmp_path / "files")
    assert (tmp_path / "files" / "manifest.json").stat().st_mtime_ns == before
    text.write_text(text.read_text("utf-8") + "another sentence\n", encoding="utf-8")
    with mistake("conflict", tmp_path / "files" / "model.json"):
        trained("ngram", store, tmp_path / "files")


def test_folders_are_named_by_text_request_and_seed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = [write_text(tmp_path)]
    found = {
        str(trained("recurrent", store, None, training, seeds=seeds, texts=texts).rows[0]["folder"])
        for training, seeds in (
            (own("recurrent"), "0,"), (own("recurrent", rnn_type="gru"), "0,"),
            (own("recurrent"), "1,"), (own("recurrent"), "1"), (own("recurrent"), "0,1"),
        )
    }  # fmt: skip
    assert len(found) == 4  # "1" is seed 0
    assert all(name.startswith("models/text-") for name in found)


@pytest.mark.parametrize("kind", NEURAL)
def test_accuracy_on_a_suite_is_measured_after_every_epoch(
    kind: str, store: Store, tmp_path: Path
) -> None:
    suite = write_suite(tmp_path)
    told = trained(kind, store, tmp_path / "m", own(kind, accuracy_on=str(suite)))
    epochs = read_curve(tmp_path / "m" / "curve.tsv")
    assert len(epochs) == 2
    assert all(each.suite == "toy" and each.accuracy is not None for each in epochs)
    best = min(epochs, key=lambda each: each.valid_loss)
    assert [row["accuracy"] for row in told.rows] == [best.accuracy]


def test_where_no_target_is_known_there_is_no_accuracy(store: Store, tmp_path: Path) -> None:
    lines = [f"a{n % 9} b{n % 7} c{n}" for n in range(90)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    suite = write_suite(tmp_path)
    training = own("recurrent", accuracy_on=str(suite))
    told = trained("recurrent", store, tmp_path / "m", training)
    assert [row["accuracy"] for row in told.rows] == [None]
    assert {each.accuracy for each in read_curve(tmp_path / "m" / "curve.tsv")} == {None}


@pytest.mark.slow
def test_the_accuracy_of_the_kept_epoch_is_the_one_that_score_finds(tmp_path: Path) -> None:
    write_text(tmp_path, 300)
    write_suite(tmp_path, 40)
    command = ("train", "recurrent", "text.txt", "--seeds", "2", "--set", "epochs=3", "--out", "m")
    done = colorless(*command, "--set", "accuracy_on=toy.jsonl", "--json", cwd=tmp_path)
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
def test_a_published_training_holds_out_one_sentence_in_nine_as_the_paper_did_and_may_be_cut_short(
    store: Store, tmp_path: Path
) -> None:
    write_text(tmp_path, 1_200)
    short = Training(extends="gulordava2018-srnn", epochs=1, vocabulary_size=30)
    trained("recurrent", store, tmp_path / "paper", short)
    trained("recurrent", store, tmp_path / "ours", own("recurrent", epochs=1))
    paper, ours = (about(tmp_path / name) for name in ("paper", "ours"))
    n_all = ours["n_sentences"] + ours["held_out_sentences"]
    assert paper["n_sentences"] + paper["held_out_sentences"] == n_all
    assert paper["held_out_sentences"] / n_all == pytest.approx(1 / 9, abs=0.03)
    assert ours["held_out_sentences"] / n_all == pytest.approx(1 / 20, abs=0.02)
    assert (paper["training"], paper["n_epochs"]) == (short.label, 1)
    assert paper["options"] == {"mixed": None, **asdict(size_of("recurrent", short))}


def test_a_text_with_nothing_to_hold_out_for_a_published_training_is_refused(
    store: Store, tmp_path: Path
) -> None:
    """Of a text it is one sentence in nine, by its letters."""

    def is_held_out(word: str) -> bool:
        digest = hashlib.sha256(word.encode()).digest()[:8]
        return int.from_bytes(digest, "big") % 9 == 0

    words = [f"w{n}" for n in range(300) if not is_held_out(f"w{n}")]
    (tmp_path / "text.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    with mistake("empty", "text"):
        trained("recurrent", store, tmp_path / "m", Training(extends="gulordava2018"))


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
    told = trained("recurrent", store, tmp_path / "m", Training(epochs=4))
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
    short = own("recurrent", epochs=1, vocabulary_size=20)
    trained("recurrent", store, tmp_path / "recurrent", short)
    trained("causal", store, tmp_path / "causal", own("causal", epochs=1))
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


GIVEN: dict[str, tuple[str, dict[str, Any]]] = {  # what is said alone → who can serve it
    "training": ("all recurrent causal", {"training": "small"}),
    "rnn_type": ("recurrent", {"training": Training(rnn_type="gru")}),
    "order": ("ngram recurrent", {"order": 4}),
    "prune": ("ngram", {"training": Training(prune=(0, 1))}),
    "vocabulary_size": ("recurrent causal", {"training": Training(vocabulary_size=900)}),
    "epochs": ("recurrent causal", {"training": Training(epochs=2)}),
    "mixed": ("recurrent causal", {"training": Training(mixed=True)}),
    "accuracy_on": ("recurrent causal", {"training": Training(accuracy_on="toy.jsonl")}),
    "width": ("recurrent causal", {"training": Training(width=64)}),
    "n_heads": ("causal", {"training": Training(n_heads=2)}),
    "tied": ("recurrent", {"training": Training(tied=False)}),
    "seeds": ("all recurrent causal", {"seeds": "2"}),
    "device": ("all recurrent causal", {"device": "cpu"}),
    "resume": ("all recurrent causal", {"resume": True}),
}


@pytest.mark.parametrize("setting", GIVEN)
@pytest.mark.parametrize("kind", ["all", "unigram", "ngram", "recurrent", "causal"])
def test_a_kind_takes_its_settings_and_refuses_every_other_before_it_reads_a_text(
    kind: str, setting: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path)
    serving, given = GIVEN[setting]
    takes = kind in serving.split()
    with mistake("missing" if takes else "unknown", "none.txt" if takes else setting):
        train(kind, "none.txt", store=store, **given)


@pytest.mark.parametrize(
    ("kind", "given", "location", "fault"),
    [
        ("all", {"training": "paper"}, "training", "unknown"),
        ("causal", {"training": "paper"}, "training", "unknown"),
        ("recurrent", {"training": "base"}, "training", "unknown"),
        ("recurrent", {"training": "huge"}, "training", "unknown"),
        ("causal", {"training": Training(vocabulary_size=256)}, "vocabulary_size", "value"),
        ("causal", {"training": Training(n_heads=5)}, "n_heads", "conflict"),
        ("ngram", {"order": 2, "training": Training(prune=(0, 0, 0))}, "training: prune", "value"),
        ("ngram", {"order": 2.5}, "order", "value"),
    ],
)
def test_what_does_not_go_together_is_refused_before_a_text_is_read(
    kind: str, given: dict[str, Any], location: str, fault: Any, store: Store
) -> None:
    with mistake(fault, location):
        train(kind, "none.txt", store=store, **given)


NUMBERS = st.one_of(st.integers(max_value=0), st.sampled_from([2.5, "4", True, [2]]))
BAD: dict[str, st.SearchStrategy[Any]] = {
    "rnn_type": st.one_of(st.text("LSTMGRU", min_size=1), st.integers()),
    "order": st.one_of(NUMBERS, st.just(1)),
    "prune": st.one_of(
        st.sampled_from([(1,), (0, 2, 1), (0,) * 6, (0, -1), (0, "1"), (0, True), 3, "0"]),
        st.integers(1, 9).map(lambda n: (n,)),
    ),
    "mixed": st.sampled_from([0, 1, "yes", 1.0]),
    "accuracy_on": st.sampled_from([3, 0.5, False]),
    "dropout": st.one_of(st.floats(1, 9), st.floats(max_value=-0.01), st.just("0.1")),
    "tied": st.sampled_from([0, 1, "no"]),
    "optimiser": st.sampled_from(["Adam", "rmsprop", 1]),
    "rate": st.one_of(st.floats(max_value=0), st.just("fast")),
    "falls": st.sampled_from(["slowly", 4]),
    "clip": st.one_of(st.floats(max_value=0), st.just("hard")),
}


@given(st.data())
def test_a_bad_setting_is_named_whoever_says_it(data: st.DataObject) -> None:
    names = [each.name for each in fields(Training) if each.name != "extends"]
    name = data.draw(st.sampled_from(names))
    bad = data.draw(BAD.get(name, NUMBERS))
    toml = json.dumps(bad).replace("Infinity", "inf")
    with TemporaryDirectory() as folder:
        file = Path(folder, "bad.toml")
        file.write_text(f"{name} = {toml}\n", encoding="utf-8")
        ways: tuple[Callable[[], object], ...] = (
            lambda: Training(**{name: bad}),
            lambda: configured(Training, None, [f"{name}={toml}"]),
            lambda: configured(Training, file),
        )
        for say in ways:
            with pytest.raises(InputError) as caught:
                say()
            assert caught.value.location.endswith(name)


def test_what_is_published_is_said_in_full() -> None:
    """Gulordava et al. 2018, supplement, "Hyperparameters" and Tables 1-3."""
    lstm, srnn, ngram = (Training(extends=f"gulordava2018{end}") for end in ("", "-srnn", "-5gram"))
    for each in (lstm, srnn, ngram):
        assert (each.width, each.n_layers, each.tied, each.optimiser) == (650, 2, False, "sgd")
        assert (each.clip, each.falls, each.held_out) == (0.25, "by quarters", 9)
        assert (each.vocabulary_size, each.patience) == (50_000, None)  # it never ends early
    assert (lstm.n_rows, lstm.chunk, lstm.dropout, lstm.rate) == (128, 35, 0.2, 20.0)
    assert (srnn.n_rows, srnn.chunk, srnn.dropout, srnn.rate) == (64, 35, 0.0, 1.0)
    assert (ngram.n_rows, ngram.order, ngram.dropout, ngram.rate) == (1024, 5, 0.2, 10.0)
    assert [each.epochs for each in (lstm, srnn, ngram)] == [40, 60, 40]
    assert (lstm.rnn_type, srnn.rnn_type, ngram.rnn_type) == ("lstm", "srnn", "lstm")


@given(st.integers(1, 30))
def test_a_number_of_seeds_counts_on_from_0(n: int) -> None:
    assert seeds_of(str(n)) == seeds_of(n) == tuple(range(n))


@given(st.lists(st.integers(0, 10**9), min_size=1, unique=True), st.sampled_from((",", " ,", ", ")))
def test_seeds_may_be_named_one_by_one(seeds: list[int], comma: str) -> None:
    assert seeds_of(comma.join(map(str, seeds)) + ",") == seeds_of(seeds) == tuple(seeds)


@pytest.mark.parametrize(
    ("seeds", "fault"),
    [
        ("0", "value"), (0, "value"), ("1,2,1", "conflict"), ("five", "value"), ("", "value"),
        ("-1", "value"), ("٣", "value"), (True, "value"), ([1.5], "value"), ([-1], "value"),
        ([], "value"), (2.5, "value"), (None, "value"),
    ],
)  # fmt: skip
def test_what_are_no_seeds_is_refused(seeds: Any, fault: Any) -> None:
    with mistake(fault, "seeds"):
        seeds_of(seeds)


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
        arguments = (kind, "text.txt", "--out", out, "--set", "epochs=4", "--store", "none", "-q")
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
