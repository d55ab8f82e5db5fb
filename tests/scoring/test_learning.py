"""The verb train: which models, where, what is told of them, and that nothing is done twice."""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result
from colorless_green.data.seeds import generator
from colorless_green.data.store import MEMORY, Store
from colorless_green.scoring import (
    Query,
    Request,
    Schedule,
    Score,
    learning,
    read_curve,
    train_models,
)
from colorless_green.scoring.training import causal_size, recurrent_size
from colorless_green.scoring.words import whole_words
from tests.builders import colorless
from tests.scoring.agreement_text import pairs, sentence

NETWORK = recurrent_size.Size(
    8, 1, 0.1, True, 16, None, 1, "adam", Schedule(2, 2, 1e-2, "steadily", 1.0)
)
TRANSFORMER = causal_size.Size(16, 1, 2, 48, 300, 0.0, 16, 1, Schedule(2, 2, 1e-2, "steadily", 1.0))
SIZED = Request("mini")


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrent_size, "SIZES", {**recurrent_size.SIZES, "mini": NETWORK})
    monkeypatch.setattr(causal_size, "SIZES", {**causal_size.SIZES, "mini": TRANSFORMER})


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


def trained(kind: str, store: Store, out: Path, request: Request = SIZED, **options: Any) -> Result:
    """What training on the text beside `out` tells."""
    texts = [out.parent / "text.txt"]
    if not texts[0].exists():
        write_text(out.parent)
    options = {"device": "auto", "resume": False, "now": "2026-01-01", **options}
    return train_models(kind, texts, store, out=out, request=request, **options)


def contents(folder: Path) -> dict[str, bytes]:
    """The files that the manifest of a model lists."""
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    return {name: (folder / name).read_bytes() for name in listed}


@pytest.mark.parametrize("kind", ["recurrent", "causal"])
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
    abouts = [json.loads((each / "model.json").read_text("utf-8")) for each in folders]
    assert len({about["group"] for about in abouts}) == 1
    trained(kind, store, tmp_path / "alone", seed=1)
    assert contents(tmp_path / "alone") == contents(folders[1]) != contents(folders[0])


def test_the_curves_of_all_seeds_stand_above_them(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "all", seeds="2", seed=4)
    with (tmp_path / "all" / "curve.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [(row["seed"], row["epoch"]) for row in rows] == [
        ("4", "1"), ("4", "2"), ("5", "1"), ("5", "2"),
    ]  # fmt: skip
    for folder in ("", "seed-4", "seed-5"):
        assert (tmp_path / "all" / folder / "curve.svg").read_bytes().startswith(b"<?xml")


def test_seeds_that_are_there_are_not_trained_again(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "all", seeds="0,1")
    before = contents(tmp_path / "all" / "seed-1")
    told = trained("recurrent", store, tmp_path / "all", seeds="3")
    assert told.messages == [
        f"{tmp_path / 'all' / name}: trained before with the same options"
        for name in ("seed-0", "seed-1")
    ]
    assert contents(tmp_path / "all" / "seed-1") == before
    assert (tmp_path / "all" / "seed-2" / "manifest.json").is_file()


def test_seeds_do_not_go_into_a_model(store: Store, tmp_path: Path) -> None:
    trained("recurrent", store, tmp_path / "m")
    with pytest.raises(InputError) as error:
        trained("recurrent", store, tmp_path / "m", seeds="2")
    place = tmp_path / "m" / "model.json"
    assert str(error.value) == f"{place}: this folder is a model; --out with another folder"


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("recurrent", SIZED, Request("mini", n_epochs=1)),
        ("recurrent", SIZED, Request("mini", rnn_type="gru")),
        ("recurrent", Request("mini", vocabulary_size=20), SIZED),
        ("causal", SIZED, Request("mini", n_epochs=1)),
        ("ngram", Request(), Request(order=3)),
        ("ngram", Request(order=3), Request()),
        ("ngram", Request(order=3), Request(order=3, prune=(0, 1))),
    ],
)
def test_a_model_of_another_request_is_not_taken_for_the_one_asked_for(
    kind: str, first: Request, second: Request, store: Store, tmp_path: Path
) -> None:
    trained(kind, store, tmp_path / "m", first)
    with pytest.raises(InputError) as error:
        trained(kind, store, tmp_path / "m", second)
    place = tmp_path / "m" / "model.json"
    assert (
        str(error.value) == f"{place}: this folder holds another model; --out with another folder"
    )
    again = trained(kind, store, tmp_path / "m", first)
    assert again.messages[-1] == f"{tmp_path / 'm'}: trained before with the same options"


def test_a_text_too_short_for_the_order_is_still_known_again(store: Store, tmp_path: Path) -> None:
    short = [f"a{n} b{n % 7}" for n in range(80)]
    (tmp_path / "text.txt").write_text("\n".join(short) + "\n", encoding="utf-8")
    trained("ngram", store, tmp_path / "m", Request(order=6))
    again = trained("ngram", store, tmp_path / "m", Request(order=6))
    assert again.messages[-1] == f"{tmp_path / 'm'}: trained before with the same options"
    with pytest.raises(InputError):
        trained("ngram", store, tmp_path / "m", Request(order=3))


def test_folders_are_named_by_text_request_and_seed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = write_text(tmp_path)
    found = {
        str(
            train_models(
                "ngram", [text], store, out=None, request=request, seed=seed,
                device="auto", resume=False, now="2026-01-01",
            ).rows[0]["folder"]
        )
        for request, seed in (
            (Request(), 0), (Request(order=5), 0), (Request(order=3), 0),
            (Request(order=3, prune=(0, 1)), 0), (Request(), 1), (Request(), 0),
        )
    }  # fmt: skip
    assert len(found) == 5
    assert all(name.startswith("models/text-") for name in found)


@pytest.mark.parametrize("kind", ["recurrent", "causal"])
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


def test_the_accuracy_of_the_kept_epoch_is_the_one_that_score_finds(tmp_path: Path) -> None:
    write_text(tmp_path, 300)
    write_suite(tmp_path, 40)
    train = ("train", "recurrent", "text.txt", "--seeds", "2", "--epochs", "3", "--out", "m")
    done = colorless(*train, "--accuracy-on", "toy.jsonl", "--json", cwd=tmp_path)
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


def test_a_preset_holds_out_one_sentence_in_nine_as_the_paper_did(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrent_size, "PRESETS", {"gulordava2018": NETWORK})
    write_text(tmp_path, 1_800)
    trained("recurrent", store, tmp_path / "paper", Request(preset="gulordava2018", n_epochs=1))
    trained("recurrent", store, tmp_path / "ours", Request("mini", n_epochs=1))
    paper, ours = (
        json.loads((tmp_path / name / "model.json").read_text("utf-8"))
        for name in ("paper", "ours")
    )
    n_all = ours["n_sentences"] + ours["held_out_sentences"]
    assert paper["n_sentences"] + paper["held_out_sentences"] == n_all
    assert paper["held_out_sentences"] / n_all == pytest.approx(1 / 9, abs=0.03)
    assert ours["held_out_sentences"] / n_all == pytest.approx(1 / 20, abs=0.02)


def test_a_text_with_nothing_to_hold_out_for_a_preset_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrent_size, "PRESET_SHARE", 10**30)
    with pytest.raises(InputError) as error:
        trained("recurrent", store, tmp_path / "m", Request(preset="gulordava2018"))
    assert str(error.value) == "text: 150 sentences of text; a hundred or so"


def test_where_no_target_is_known_there_is_no_accuracy(tmp_path: Path) -> None:
    from colorless_green.nonce.commands import find_suite
    from colorless_green.scoring.learning import overall

    class Ignorant:
        """A word-level model that knows no word."""

        unit, signature = "words", ""

        def score(self, queries: Iterator[Query]) -> Iterator[Score]:
            for query in queries:
                n = [len(each) for each in query.continuations]
                yield Score(tuple(whole_words([1.0] * each, [True] * each) for each in n), 0)

    with Store(MEMORY) as store:
        suite, _ = find_suite(store, str(write_suite(tmp_path)))
    assert overall(suite, Ignorant()) is None  # type: ignore[arg-type]


def test_without_matplotlib_there_is_a_note_in_place_of_the_figure(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from colorless_green.scoring.training import figure

    monkeypatch.setattr(figure, "available", lambda: False)
    told = trained("recurrent", store, tmp_path / "m")
    assert told.messages == [
        f"{tmp_path / 'm'}: no curve.svg, for want of Matplotlib: "
        "pip install 'colorless-green[humans]'"
    ]
    assert not (tmp_path / "m" / "curve.svg").exists()


def test_options_are_looked_at_before_the_text(store: Store, tmp_path: Path) -> None:
    for kind, request in (
        ("ngram", Request(preset="gulordava2018")),
        ("all", Request("paper")),
        ("recurrent", Request(rnn_type="x")),
        ("causal", Request("paper")),
    ):
        with pytest.raises(InputError) as error:
            train_models(
                kind, [tmp_path / "none.txt"], store, out=None, request=request,
                device="auto", resume=False, now="2026-01-01",
            )  # fmt: skip
        assert error.value.place.startswith("--")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "weights"), [("recurrent", "weights.safetensors"), ("causal", "model.safetensors")]
)
def test_a_training_that_is_killed_after_an_epoch_ends_with_the_bytes_of_a_whole_one(
    kind: str, weights: str, tmp_path: Path
) -> None:
    write_text(tmp_path, 2_000)

    def start(out: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = (kind, "text.txt", "--out", out, "--epochs", "4", "--store", "none", "-q")
        return subprocess.Popen(
            [sys.executable, "-m", "colorless_green", "train", *arguments, *options], cwd=tmp_path
        )

    assert start("whole").wait() == 0
    stopped = start("cut")
    end = monotonic() + 120
    while not (tmp_path / "cut" / "checkpoint" / "state.json").exists() and monotonic() < end:
        sleep(0.01)
    os.kill(stopped.pid, signal.SIGKILL)
    assert stopped.wait() == -signal.SIGKILL
    assert not (tmp_path / "cut" / "manifest.json").exists()
    assert start("cut", "--resume").wait() == 0
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert weights in contents(tmp_path / "whole")


def test_a_text_that_is_too_large_for_memory_gives_the_same_model(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_text(tmp_path)

    def trained(name: str) -> Result:
        return train_models(
            "ngram", [text], store, out=tmp_path / name, device="auto", resume=False, now="now"
        )

    trained("small")
    monkeypatch.setattr(learning, "LARGE", 1)
    trained("large")
    for file in ("model.arpa", "seen.u64"):
        small, large = ((tmp_path / name / file).read_bytes() for name in ("small", "large"))
        assert small == large, file
    again = trained("large")
    assert again.messages[-1].endswith("trained before with the same options")
    text.write_text(text.read_text("utf-8") + "another sentence\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        trained("large")
    assert str(error.value).endswith("this folder holds another model; --out with another folder")
