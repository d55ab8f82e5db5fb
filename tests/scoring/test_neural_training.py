"""Training networks and Transformers: what they learn, that they repeat, and that they go on after
a stop."""

import csv
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green import Training, load_model
from colorless_green.data import sample
from colorless_green.scoring import (
    EpochSuite,
    Line,
    ModelFolder,
    Query,
    Scorer,
    TrainingText,
    read_curve,
    train_one,
)
from tests.builders import mistake
from tests.scoring.agreement_text import pairs, text
from tests.scoring.tiny_models import cutter_of, total

FALLING: dict[str, Any] = {
    "width": 8, "tied": False, "optimiser": "sgd", "epochs": 4, "rate": 5.0,
    "falls": "by quarters", "clip": 0.25,
}  # fmt: skip
SIZES: dict[str, dict[str, Any]] = {
    "sentences": {
        "width": 8, "n_layers": 2, "dropout": 0.3, "n_rows": 4, "epochs": 5, "patience": 3,
        "rate": 1e-2,
    },
    "streams": {**FALLING, "n_rows": 4, "chunk": 5},
    "ngram": {**FALLING, "n_rows": 16, "order": 3},
    "causal": {
        "width": 16, "n_layers": 1, "n_heads": 2, "n_positions": 48, "vocabulary_size": 300,
        "dropout": 0.1, "n_rows": 8, "epochs": 3, "rate": 1e-2,
    },
}  # fmt: skip
WEIGHTS = {"recurrent": "weights.safetensors", "causal": "model.safetensors"}
TEXT = text(60)
CPU: dict[str, Any] = {"device": "cpu"}
every_size = pytest.mark.parametrize("size", SIZES)
one_of_each = pytest.mark.parametrize("size", ["sentences", "causal"])


def kind_of(size: str) -> str:
    return "causal" if size == "causal" else "recurrent"


def trained(
    folder: Path, size: str = "sentences", of: TrainingText = TEXT, **options: Any
) -> ModelFolder:
    """Return a model of one of SIZES; further settings may be named."""
    said = {each.name: options.pop(each.name) for each in fields(Training) if each.name in options}
    training = Training(**{**SIZES[size], **said})
    return train_one(kind_of(size), of, folder, training, **{"device": "cpu", **options})


def scorer_of(folder: Path) -> Scorer:
    return load_model(str(folder), **CPU).scorer


def contents(folder: Path) -> dict[str, object]:
    """Every file, but for how long the epochs took."""
    found: dict[str, object] = {path.name: path.read_bytes() for path in folder.iterdir()}
    return {**found, "curve.tsv": [{**row, "seconds": ""} for row in curve(folder)]}


def curve(folder: Path) -> list[dict[str, str]]:
    with (folder / "curve.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


class Stop(Exception):
    """What a test interrupts a training with."""


def stop_at(n: int) -> Callable[[str, int, int | None], None]:
    """Return a progress that raises after so many steps."""
    steps = iter(range(1, n))

    def progress(task: str, done: int, of: int | None) -> None:
        if next(steps, None) is None:
            raise Stop

    return progress


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n"), [("recurrent", 2_500), pytest.param("causal", 8_000, marks=pytest.mark.thorough)]
)
def test_a_tiny_model_learns_agreement_across_what_stands_between(
    kind: str, n: int, tmp_path: Path
) -> None:
    """That a Transformer learns it, too, is claimed of the demo in CI."""
    made = train_one(kind, text(n), tmp_path, device="cpu")
    assert made.toy == ""
    scorer = scorer_of(tmp_path)
    by_words = scorer.unit == "words"
    queries = [
        Query(prefix, ((right,), (wrong,)))
        if by_words
        else Query(" ".join(prefix), (f" {right}", f" {wrong}"))
        for prefix, right, wrong in pairs(400)
    ]
    found = [
        total(one.continuations[0]) < total(one.continuations[1]) for one in scorer.score(queries)
    ]
    assert sum(found) / len(found) > 0.9


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModelFolder]:
    """Return the model of a size, trained without a stop; each once."""

    @cache
    def made(size: str) -> ModelFolder:
        return trained(tmp_path_factory.mktemp(size), size)

    return made


@pytest.mark.slow
@every_size
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    size: str, tmp_path: Path, whole: Callable[[str], ModelFolder]
) -> None:
    for name, seed in (("two", 0), ("other", 1)):
        trained(tmp_path / name, size, seed=seed)
    one, two, other = map(contents, (whole(size).path, tmp_path / "two", tmp_path / "other"))
    assert one == two
    weights = WEIGHTS[kind_of(size)]
    assert one[weights] != other[weights]
    assert {name for name in one if one[name] == other[name]} >= (
        {"tokenizer.json"} if size == "causal" else {"vocabulary.txt"}
    )


@one_of_each
def test_training_is_silent_and_leaves_randomness_and_threads_alone(
    size: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(5)
    before, n_threads = torch.get_rng_state(), torch.get_num_threads()
    trained(tmp_path, size)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == n_threads
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "n_steps"),
    [
        *((size, n) for size in ("sentences", "streams", "ngram") for n in (1, 20, 50)),
        ("causal", 1),
        ("causal", 10),
    ],
)
def test_an_interrupted_training_that_goes_on_ends_as_if_it_had_not_stopped(
    size: str, n_steps: int, tmp_path: Path, whole: Callable[[str], ModelFolder]
) -> None:
    with pytest.raises(Stop):
        trained(tmp_path / "cut", size, progress=stop_at(n_steps))
    assert not (tmp_path / "cut" / "manifest.json").exists()
    before = read_curve(tmp_path / "cut" / "curve.tsv")
    made = trained(tmp_path / "cut", size, resume=True)
    assert contents(tmp_path / "cut") == contents(whole(size).path)
    assert made.card == whole(size).card
    assert read_curve(tmp_path / "cut" / "curve.tsv")[: len(before)] == before


@one_of_each
def test_a_finished_model_is_not_trained_again(
    size: str, whole: Callable[[str], ModelFolder]
) -> None:
    made = whole(size)
    assert trained(made.path, size, resume=True, progress=stop_at(1)) == made


def stopped(folder: Path) -> Path:
    """Return the checkpoint of a training that was interrupted."""
    with pytest.raises(Stop):
        trained(folder, progress=stop_at(50))
    return folder / "checkpoint.safetensors"


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    place = stopped(tmp_path)
    with mistake("changed", place):
        trained(tmp_path, seed=1, resume=True)


@pytest.mark.parametrize("what", ["nothing of it", "the half of it", "an empty one"])
def test_a_damaged_checkpoint_is_refused(what: str, tmp_path: Path) -> None:
    place = stopped(tmp_path)
    whole = place.read_bytes()
    damaged = {
        "nothing of it": b"{",
        "the half of it": whole[: len(whole) // 2],
        "an empty one": b"",
    }
    place.write_bytes(damaged[what])
    with mistake("format", place):
        trained(tmp_path, resume=True)


def test_a_checkpoint_is_one_file_that_goes_in_the_end(tmp_path: Path) -> None:
    place = stopped(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {place.name, "curve.tsv"}
    trained(tmp_path, resume=True)
    assert not place.exists()


def test_a_network_is_described_by_what_its_scorer_says(
    whole: Callable[[str], ModelFolder],
) -> None:
    folder, about = whole("sentences").path, whole("sentences").card
    queries = [Query((), ((*line.words, "<eos>"),)) for line in TEXT.held_out]
    answers = [score.continuations[0] for score in scorer_of(folder).score(queries)]
    bits = [
        each
        for answer in answers
        for each, oov in zip(answer.bits, answer.oov, strict=True)
        if not oov
    ]
    assert about["held_out_perplexity"] == pytest.approx(2 ** (math.fsum(bits) / len(bits)))
    assert about["held_out_oov"] + len(bits) == about["held_out_words"] + len(TEXT.held_out)
    assert about["n_epochs"] == len(about["held_out_nats"])
    assert about["best_epoch"] == 1 + about["held_out_nats"].index(min(about["held_out_nats"]))
    vocabulary = (folder / "vocabulary.txt").read_text("utf-8").splitlines()
    assert about["vocabulary_size"] == len(vocabulary)
    assert about == json.loads((folder / "model.json").read_text("utf-8"))


def test_a_transformer_is_described_by_what_its_scorer_says_per_word_and_per_subword(
    whole: Callable[[str], ModelFolder],
) -> None:
    folder, about = whole("causal").path, whole("causal").card
    queries = [Query("", (line.text,), ends=True) for line in TEXT.held_out]
    scores = scorer_of(folder).score(queries)
    bits = [each for score in scores for each in score.continuations[0].bits]
    n_words = sum(len(line.words) + 1 for line in TEXT.held_out)
    per_subword = 2 ** (math.fsum(bits) / len(bits))
    assert about["held_out_perplexity"] == pytest.approx(2 ** (math.fsum(bits) / n_words))
    assert about["held_out_perplexity_per_subword"] == pytest.approx(per_subword)
    assert math.exp(min(about["held_out_nats"])) == pytest.approx(per_subword, rel=1e-5)
    assert about["warnings"] == []
    assert about == json.loads((folder / "model.json").read_text("utf-8"))


@pytest.mark.slow
def test_a_model_that_was_measured_when_it_was_trained_is_not_called_untrained(
    whole: Callable[[str], ModelFolder], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "colorless_green.scoring.models.backends.causal.sanity_fault", lambda scorer: "!"
    )
    folder = whole("causal").path
    assert not any(note.endswith("!") for note in load_model(f"causal:{folder}").notes)
    bare = shutil.copytree(folder, tmp_path / "bare")
    (bare / "manifest.json").unlink()
    assert any(note.endswith("!") for note in load_model(f"causal:{bare}").notes)


def test_held_out_loss_and_scorer_agree_where_all_words_are_known(tmp_path: Path) -> None:
    lines = tuple(TEXT.train)
    known = TrainingText(lines * 2, lines[:20])
    made = trained(tmp_path, of=known)
    loss = min(made.card["held_out_nats"])
    assert math.exp(loss) == pytest.approx(made.card["held_out_perplexity"], rel=1e-5)


def test_sentences_too_long_are_cut_in_training_and_left_out_of_the_perplexity(
    tmp_path: Path,
) -> None:
    long = Line(("z",) * 60, " ".join("z" * 60))
    of = TrainingText((*TEXT.train, long), (*TEXT.held_out, long))
    about = trained(tmp_path, "causal", of).card
    assert len(about["warnings"]) == 1
    assert about["held_out_sentences"] == len(TEXT.held_out)


@one_of_each
def test_the_folder_lists_what_is_needed_and_nothing_of_the_way_there(
    size: str, whole: Callable[[str], ModelFolder]
) -> None:
    manifest = whole(size).path / "manifest.json"
    listed = json.loads(manifest.read_text("utf-8"))["files"]
    own = {
        "sentences": {"config.json", "vocabulary.txt", "weights.safetensors"},
        "causal": {
            "config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
            "tokenizer_config.json",
        },
    }  # fmt: skip
    assert set(listed) == {*own[size], "model.json", "seen.u64"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rnn_type", "order"),
    [
        ("lstm", "LSTM", None),
        pytest.param("lstm", "LSTM", 4, marks=pytest.mark.thorough),
        ("gru", "GRU", None),
        ("srnn", "RNN_TANH", None),
        ("srnn-relu", "RNN_RELU", 3),
    ],
)
def test_every_kind_of_network_learns_something(
    kind: str, rnn_type: str, order: int | None, tmp_path: Path
) -> None:
    about = trained(tmp_path, of=text(120), rnn_type=kind, order=order).card
    assert min(about["held_out_nats"]) < 0.9 * math.log(about["vocabulary_size"])
    shape = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert (shape["rnn_type"], shape["order"]) == (rnn_type, order)


def test_the_learning_curve_has_a_row_for_each_epoch(tmp_path: Path) -> None:
    made = trained(tmp_path, "streams", quiz=EpochSuite("toy", lambda _: 0.25))
    rows = curve(tmp_path)
    losses = made.card["held_out_nats"]
    assert [int(row["epoch"]) for row in rows] == list(range(1, len(losses) + 1))
    assert [float(row["valid_loss"]) for row in rows] == losses
    assert [float(row["valid_perplexity"]) for row in rows] == [math.exp(each) for each in losses]
    rates = [FALLING["rate"]]
    for n in range(1, len(losses)):  # "by quarters": after each epoch that was not the best
        rates.append(
            rates[-1] / 4 if n > 1 and losses[n - 1] >= min(losses[: n - 1]) else rates[-1]
        )
    assert [float(row["lr"]) for row in rows] == pytest.approx(rates)
    n_words = sum(len(line.words) + 1 for line in TEXT.train)
    n_steps = -(-(n_words // 4) // 5)  # four streams, five words of each at once
    assert [int(row["step"]) for row in rows] == [n_steps * (n + 1) for n in range(len(losses))]
    assert all(float(row["seconds"]) > 0 for row in rows)
    assert {(row["accuracy"], row["suite"]) for row in rows} == {("0.25", "toy")}
    assert float(rows[-1]["train_loss"]) < float(rows[0]["train_loss"])


@pytest.mark.slow
@one_of_each
def test_accuracy_is_asked_of_the_model_as_it_stands_and_changes_nothing(
    size: str, tmp_path: Path, whole: Callable[[str], ModelFolder]
) -> None:
    seen: list[float] = []

    def accuracy(scorer: Scorer) -> float:
        query = Query((), (("the",),)) if scorer.unit == "words" else Query("", ("the keys",))
        (score,) = scorer.score([query])
        seen.append(total(score.continuations[0]))
        return len(seen) / 4

    trained(tmp_path, size, quiz=EpochSuite("toy", accuracy))
    folders = tmp_path, whole(size).path
    watched, alone = (read_curve(folder / "curve.tsv") for folder in folders)
    assert [each.accuracy for each in watched] == [(n + 1) / 4 for n in range(len(watched))]
    assert {each.suite for each in watched} == {"toy"}
    assert {(each.accuracy, each.suite) for each in alone} == {(None, "")}
    assert len(set(seen)) == len(seen) == len(watched) == len(alone)
    for name in (WEIGHTS[kind_of(size)], "manifest.json"):
        one, other = ((folder / name).read_bytes() for folder in folders)
        assert one == other


@one_of_each
def test_mixed_precision_without_a_gpu_is_refused(size: str, tmp_path: Path) -> None:
    with mistake("value", "mixed"):
        trained(tmp_path, size, mixed=True)


@pytest.mark.gpu
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("size", ["streams", "causal"])
def test_a_training_on_a_gpu_that_goes_on_ends_as_if_it_had_not_stopped(
    size: str, mixed: bool, tmp_path: Path
) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    options: dict[str, Any] = {"device": "cuda", "mixed": mixed}
    trained(tmp_path / "whole", size, **options)
    with pytest.raises(Stop):
        trained(tmp_path / "cut", size, progress=stop_at(10), **options)
    trained(tmp_path / "cut", size, resume=True, **options)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def of_lines(*sentences: str) -> TrainingText:
    lines = tuple(Line(tuple(each.split("_")), each) for each in sentences)
    return TrainingText(lines, lines)


@pytest.mark.parametrize(
    ("sentences", "n", "words"),
    [
        pytest.param(("b_a_c_c", "a_b_d"), 3, "a b c", id="by frequency, then by character"),
        pytest.param(("b_a_c_c", "a_b_d_e"), 5, "a b c d e", id="all"),
        pytest.param(
            ("con gái_con\u00a0gái_x", "x_y"), 50, "con\u00a0gái x y", id="spellings of one word"
        ),
    ],
)
def test_the_vocabulary_is_the_most_frequent_words(
    sentences: tuple[str, ...], n: int, words: str, tmp_path: Path
) -> None:
    trained(tmp_path, of=of_lines(*sentences), vocabulary_size=n, epochs=1)
    found = (tmp_path / "vocabulary.txt").read_text("utf-8").split("\n")[:-1]
    assert found == ["<unk>", "<eos>", *words.split(" ")]


@pytest.mark.slow
def test_unknown_words_are_learned_where_no_word_is_left_out(tmp_path: Path) -> None:
    """From words seen once, which are hidden in half of the cases."""
    rare = [f"the key near w{n} is here" for n in range(150)]
    common = ["the key near it is here"] * 150
    bits = []
    for name, lines in (("rare", rare), ("common", common)):
        known = tuple(Line(tuple(each.split()), each) for each in lines)
        train_one("recurrent", TrainingText(known, known[:9]), tmp_path / name, device="cpu")
        asked = [Query(("the", "key", "near"), (("unheard",),))]
        (score,) = scorer_of(tmp_path / name).score(asked)
        assert score.continuations[0].oov == (True,)
        bits.append(total(score.continuations[0]))
    assert bits[0] < 2 < bits[1]


def test_a_reserved_word_in_the_text_is_refused(tmp_path: Path) -> None:
    with mistake("format", "training text"):
        trained(tmp_path, of=of_lines("a_<eos>"))


@pytest.fixture(scope="module")
def cutter(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the tokenizer of a Transformer that has at most 400 subwords."""
    folder = tmp_path_factory.mktemp("cutter")
    trained(folder, "causal", vocabulary_size=400, epochs=1)
    return cutter_of(folder)


@given(st.text(max_size=20))
def test_no_text_is_unknown_to_the_tokenizer(cutter: Any, some: str) -> None:
    some = some.encode("utf-8", "ignore").decode()
    assert cutter.decode(cutter(some)["input_ids"]) == some


def test_a_word_seen_often_is_one_subword_with_its_blank(cutter: Any) -> None:
    assert cutter.tokenize(" near the") == ["Ġnear", "Ġthe"]
    assert len(cutter) <= 400
    ends = cutter.bos_token_id, cutter.eos_token_id, cutter.get_vocab()["<|endoftext|>"]
    assert ends == (0, 0, 0)


@pytest.mark.slow
def test_all_kinds_are_trained_with_a_size_that_only_networks_have(tmp_path: Path) -> None:
    blocks = sample.treebank("en").read_text(encoding="utf-8").split("\n\n")
    (tmp_path / "few.conllu").write_text("\n\n".join(blocks[:100]) + "\n\n", encoding="utf-8")
    trained = cg.train("all", tmp_path / "few.conllu", training="tiny", out=tmp_path / "m")
    assert [folder.name for folder in trained.folders] == [
        "unigram",
        "ngram",
        "recurrent",
        "causal",
    ]
