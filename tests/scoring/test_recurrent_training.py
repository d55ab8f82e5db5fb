"""Training networks: what they learn, that they repeat, and that they go on after a stop."""

import csv
import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import (
    PRESETS,
    Line,
    LoadOptions,
    ModelFolder,
    NetworkSize,
    Query,
    Quiz,
    Request,
    Schedule,
    Scorer,
    TrainingText,
)
from colorless_green.scoring.backends.recurrent import EOS, Network, load
from colorless_green.scoring.training import recurrent, recurrent_size
from colorless_green.scoring.training.loop import IGNORED, by_length
from colorless_green.scoring.training.recurrent import train
from colorless_green.scoring.training.recurrent_size import SIZES
from colorless_green.scoring.training.schedule import rate
from colorless_green.scoring.training.streams import (
    joined,
    sentences_batch,
    streams,
    veiled,
    veiled_text,
    vocabulary,
    windows,
)
from colorless_green.scoring.words import UNKNOWN
from tests.scoring.agreement_text import pairs, text
from tests.scoring.tiny_models import SHAPE, total

MINI = NetworkSize(8, 2, 0.3, True, 4, None, 1, "adam", Schedule(5, 3, 1e-2, "steadily", 1.0))
STREAMS = NetworkSize(8, 1, 0.1, False, 4, 5, 1, "sgd", Schedule(5, 5, 5.0, "by quarters", 0.25))
NGRAM = NetworkSize(
    8, 1, 0.1, False, 16, None, 1, "sgd", Schedule(4, 4, 5.0, "by quarters", 0.25), order=3
)
TEXT = text(120)
CPU = LoadOptions(device="cpu")
sentences = st.lists(
    st.lists(st.integers(2, 9), min_size=1, max_size=6).map(lambda ids: [1, *ids, 1]), min_size=1
)


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"mini": MINI, "streams": STREAMS, "ngram": NGRAM}
    monkeypatch.setattr(recurrent_size, "SIZES", {**SIZES, **ours})


def stopped_clock() -> float:
    return 0.0


def mini(
    folder: Path,
    size: str = "mini",
    seed: int = 0,
    resume: bool = False,
    request: Request | None = None,
    **options: Any,
) -> ModelFolder:
    options = {"clock": stopped_clock, "device": "cpu", **options}
    return train(TEXT, folder, request or Request(size), seed=seed, resume=resume, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_tiny_network_learns_agreement_across_what_stands_between(tmp_path: Path) -> None:
    train(text(2_500), tmp_path, Request("tiny"), device="cpu")
    asked = pairs(400)
    scores = load(str(tmp_path), CPU).score(
        Query(prefix, ((right,), (wrong,))) for prefix, right, wrong in asked
    )
    found = [total(one.continuations[0]) < total(one.continuations[1]) for one in scores]
    assert sum(found) / len(found) > 0.9


@pytest.mark.parametrize("size", ["mini", "streams", "ngram"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    size: str, tmp_path: Path
) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        mini(tmp_path / name, size, seed)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    weights = "weights.safetensors"
    assert contents(tmp_path / "one")[weights] != contents(tmp_path / "other")[weights]


def test_training_leaves_the_randomness_and_the_threads_of_others_alone(tmp_path: Path) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    n_threads = torch.get_num_threads()
    mini(tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == n_threads


class Stop(Exception):
    """What a test interrupts a training with."""


class StopAt:
    """A progress that raises after so many steps."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, task: str, done: int, of: int | None) -> None:
        self.left -= 1
        if self.left == 0:
            raise Stop


@pytest.mark.parametrize("size", ["mini", "streams", "ngram"])
@pytest.mark.parametrize("n_steps", [1, 40, 100])
def test_an_interrupted_training_that_goes_on_ends_as_if_it_had_not_stopped(
    size: str, n_steps: int, tmp_path: Path
) -> None:
    mini(tmp_path / "whole", size)
    with pytest.raises(Stop):
        mini(tmp_path / "cut", size, progress=StopAt(n_steps))
    assert not (tmp_path / "cut" / "manifest.json").exists()
    mini(tmp_path / "cut", size, resume=True)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_finished_model_is_not_trained_again(tmp_path: Path) -> None:
    made = mini(tmp_path)

    def progress(task: str, done: int, of: int | None) -> None:
        raise Stop

    again = mini(tmp_path, resume=True, progress=progress)
    assert again == made


def stopped(folder: Path) -> Path:
    """A folder with a checkpoint."""
    with pytest.raises(Stop):
        mini(folder, progress=StopAt(100))
    return folder / "checkpoint"


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    place = stopped(tmp_path)
    with pytest.raises(InputError) as error:
        mini(tmp_path, seed=1, resume=True)
    assert str(error.value) == (
        f"{place}: the checkpoint belongs to another text, seed, size or option; "
        "the same ones, or train without --resume"
    )


@pytest.mark.parametrize("name", ["state.json", "weights-*", "optimiser-*"])
def test_a_damaged_checkpoint_is_refused(name: str, tmp_path: Path) -> None:
    place = stopped(tmp_path)
    for path in place.glob(name):
        path.write_bytes(b"{")
    with pytest.raises(InputError) as error:
        mini(tmp_path, resume=True)
    assert str(error.value) == f"{place}: the checkpoint is damaged; train without --resume"


def test_a_checkpoint_holds_two_epochs_at_most_and_goes_in_the_end(tmp_path: Path) -> None:
    names = sorted(path.name.partition("-")[0] for path in stopped(tmp_path).iterdir())
    assert names in (
        ["optimiser", "state.json", "weights"],
        ["optimiser", "state.json", "weights", "weights"],
    )
    mini(tmp_path, resume=True)
    assert not (tmp_path / "checkpoint").exists()


def test_a_model_is_described_by_what_its_scorer_says(tmp_path: Path) -> None:
    made = mini(tmp_path)
    bits = [
        each
        for score in load(str(tmp_path), CPU).score(
            Query((), ((*line.words, EOS),)) for line in TEXT.held_out
        )
        for each, oov in zip(score.continuations[0].bits, score.continuations[0].oov, strict=True)
        if not oov
    ]
    about = made.about
    assert about["held_out_perplexity"] == pytest.approx(2 ** (math.fsum(bits) / len(bits)))
    assert about["held_out_oov"] + len(bits) == about["held_out_words"] + len(TEXT.held_out)
    assert about["n_epochs"] == len(about["held_out_nats"])
    assert about["best_epoch"] == 1 + about["held_out_nats"].index(min(about["held_out_nats"]))
    assert (
        about["vocabulary_size"] == len((tmp_path / "vocabulary.txt").read_text().split("\n")) - 1
    )
    assert about == json.loads((tmp_path / "model.json").read_text("utf-8"))


def test_held_out_loss_and_scorer_agree_where_all_words_are_known(tmp_path: Path) -> None:
    known = TrainingText(TEXT.train * 2, TEXT.train[:20])
    made = train(known, tmp_path, Request("mini"), device="cpu")
    loss = min(made.about["held_out_nats"])
    assert math.exp(loss) == pytest.approx(made.about["held_out_perplexity"], rel=1e-5)


def test_seeds_of_one_setting_are_a_group(tmp_path: Path) -> None:
    one, two = mini(tmp_path / "0"), mini(tmp_path / "1", seed=1)
    other = mini(tmp_path / "2", "streams")
    assert one.about["group"] == two.about["group"] != other.about["group"]


@pytest.mark.parametrize(
    ("kind", "order"),
    [("lstm", None), ("lstm", 4), ("gru", None), ("srnn", None), ("srnn-relu", 3)],
)
def test_every_kind_of_network_learns_something(
    kind: str, order: int | None, tmp_path: Path
) -> None:
    made = mini(tmp_path, request=Request("mini", rnn_type=kind, order=order))
    assert min(made.about["held_out_nats"]) < 0.9 * math.log(made.about["vocabulary_size"])
    shape = load(str(tmp_path), CPU).shape
    assert (shape.rnn_type, shape.order) == (recurrent_size.TYPES[kind], order)


def curve(folder: Path) -> list[dict[str, str]]:
    with (folder / "curve.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def test_the_learning_curve_has_a_row_for_each_epoch(tmp_path: Path) -> None:
    ticks = iter(range(1_000))
    made = mini(
        tmp_path, "streams", clock=lambda: float(next(ticks)), quiz=Quiz("toy", lambda _: 0.25)
    )
    rows = curve(tmp_path)
    losses = made.about["held_out_nats"]
    assert [int(row["epoch"]) for row in rows] == list(range(1, len(losses) + 1))
    assert [float(row["valid_loss"]) for row in rows] == losses
    assert [float(row["valid_perplexity"]) for row in rows] == [math.exp(each) for each in losses]
    assert [float(row["lr"]) for row in rows] == [
        rate(STREAMS.schedule, 0.0, losses[:n]) for n in range(len(losses))
    ]
    n_steps = len(streams(joined(TEXT.train, {UNKNOWN: 0, EOS: 1}), 4, 5))
    assert [int(row["step"]) for row in rows] == [n_steps * (n + 1) for n in range(len(losses))]
    assert {row["seconds"] for row in rows} == {"1"}
    assert {(row["accuracy"], row["suite"]) for row in rows} == {("0.25", "toy")}
    assert float(rows[-1]["train_loss"]) < float(rows[0]["train_loss"])


def test_the_curve_of_a_resumed_training_has_the_epochs_before_the_stop(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        mini(tmp_path / "cut", progress=StopAt(100))
    before = curve(tmp_path / "cut")
    assert before
    mini(tmp_path / "cut", resume=True)
    mini(tmp_path / "whole")
    assert curve(tmp_path / "cut")[: len(before)] == before
    assert curve(tmp_path / "cut") == curve(tmp_path / "whole")


def test_accuracy_is_asked_of_the_network_as_it_stands_and_changes_nothing(
    tmp_path: Path,
) -> None:
    seen: list[float] = []

    def accuracy(scorer: Scorer) -> float:
        (score,) = scorer.score([Query((), ((EOS,),))])
        seen.append(total(score.continuations[0]))
        return 0.5

    mini(tmp_path / "watched", quiz=Quiz("toy", accuracy))
    mini(tmp_path / "alone")
    assert len(set(seen)) == len(seen) == len(curve(tmp_path / "watched"))
    weights = "weights.safetensors"
    assert contents(tmp_path / "watched")[weights] == contents(tmp_path / "alone")[weights]


def test_mixed_precision_without_a_gpu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        mini(tmp_path, request=Request("mini", mixed=True))
    assert str(error.value) == "--mixed: there is no gain of it on cpu; --device cuda"


@pytest.mark.gpu
@pytest.mark.parametrize("mixed", [False, True])
def test_a_training_on_a_gpu_that_goes_on_ends_as_if_it_had_not_stopped(
    mixed: bool, tmp_path: Path
) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    options: dict[str, Any] = {"device": "cuda", "request": Request("streams", mixed=mixed)}
    mini(tmp_path / "whole", **options)
    with pytest.raises(Stop):
        mini(tmp_path / "cut", progress=StopAt(40), **options)
    mini(tmp_path / "cut", resume=True, **options)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_the_papers_presets_are_those_of_its_supplement() -> None:
    # Gulordava et al. 2018, supplement, "Hyperparameters" and Tables 1-3
    lstm, srnn, ngram = (PRESETS[f"gulordava2018{end}"] for end in ("", "-srnn", "-5gram"))
    for size in (lstm, srnn, ngram):
        assert (size.width, size.n_layers, size.tied, size.optimiser) == (650, 2, False, "sgd")
        assert (size.schedule.clip, size.schedule.falls) == (0.25, "by quarters")
        assert size.schedule.patience == size.schedule.n_epochs  # it never ends early
    assert (lstm.n_rows, lstm.chunk, lstm.dropout, lstm.schedule.rate) == (128, 35, 0.2, 20.0)
    assert (srnn.n_rows, srnn.chunk, srnn.dropout, srnn.schedule.rate) == (64, 35, 0.0, 1.0)
    assert (ngram.n_rows, ngram.order, ngram.dropout, ngram.schedule.rate) == (1024, 5, 0.2, 10.0)
    assert [size.schedule.n_epochs for size in (lstm, srnn, ngram)] == [40, 60, 40]
    assert (lstm.rnn_type, srnn.rnn_type, ngram.rnn_type) == ("LSTM", "RNN_TANH", "LSTM")


def lines(*sentences: str) -> list[Line]:
    return [Line(tuple(each.split("_")), each) for each in sentences]


def test_the_vocabulary_is_by_frequency_then_by_character() -> None:
    words, rare = vocabulary(lines("b_a_c_c", "a_b_d"), 3)
    assert words == ("<unk>", "<eos>", "a", "b", "c")
    assert not rare


def test_words_seen_once_stand_in_for_unknown_ones_where_no_word_is_left_out() -> None:
    words, rare = vocabulary(lines("b_a_c_c", "a_b_d_e"), 5)
    assert words == ("<unk>", "<eos>", "a", "b", "c", "d", "e")
    assert rare == {5, 6}


@given(sentences, st.frozensets(st.integers(2, 9)), st.integers())
def test_only_rare_words_are_ever_veiled(
    found: list[list[int]], rare: frozenset[int], seed: int
) -> None:
    shown = veiled(found, rare, 0, random.Random(seed))
    for before, after in zip(found, shown, strict=True):
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            assert other == one or (other == 0 and one in rare)


def test_a_rare_word_is_veiled_in_half_of_the_cases() -> None:
    shown = veiled([[5]] * 2_000, frozenset({5}), 0, random.Random(0))
    assert 900 < sum(each == [0] for each in shown) < 1_100


def test_spellings_of_one_word_with_a_blank_are_counted_together() -> None:
    words, rare = vocabulary(lines("con gái_con\u00a0gái_x", "x_y"), 50)
    assert words == ("<unk>", "<eos>", "con\u00a0gái", "x", "y")
    assert rare == {4}


def test_a_reserved_word_in_the_text_is_refused() -> None:
    with pytest.raises(InputError) as error:
        vocabulary(lines("a_<eos>"), 5)
    assert str(error.value) == "training text: it has the word '<eos>'; text without <eos>"


@pytest.mark.parametrize(
    ("request_", "wrong"),
    [
        (
            Request("huge"),
            "--size: no such name 'huge'; one of mini, ngram, paper, small, streams, tiny",
        ),
        (
            Request("gulordava2018"),
            "--size: 'gulordava2018' is a published setting; --preset gulordava2018",
        ),
        (
            Request(preset="linzen2016"),
            "--preset: no such name 'linzen2016'; one of gulordava2018, gulordava2018-5gram, "
            "gulordava2018-srnn",
        ),
        (
            Request("mini", rnn_type="LSTM"),
            "--rnn-type: no such name 'LSTM'; one of gru, lstm, srnn, srnn-relu",
        ),
    ],
)
def test_what_there_is_not_is_refused(request_: Request, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        mini(tmp_path, request=request_)
    assert str(error.value) == wrong


@given(sentences)
@settings(max_examples=20)
def test_padding_a_batch_of_sentences_changes_no_loss(found: list[list[int]]) -> None:
    network = Network(replace(SHAPE, dropout=0.0)).eval()
    loss = recurrent._loss(network)
    together, n_units = loss(sentences_batch(found))
    alone = [loss(sentences_batch([each])) for each in found]
    assert n_units == sum(n for _, n in alone) == sum(len(each) - 1 for each in found)
    assert together.item() == pytest.approx(sum(each.item() for each, _ in alone), rel=1e-4)


@given(st.lists(st.integers(2, 9), min_size=2), st.integers(1, 5), st.integers(1, 7))
def test_streams_are_the_text_in_its_order(whole: list[int], n_rows: int, chunk: int) -> None:
    batches = streams(torch.tensor(whole), n_rows, chunk)
    ids = torch.cat([each.ids for each in batches]).T.flatten().tolist()
    targets = torch.cat([each.targets for each in batches]).T.flatten().tolist()
    assert ids == whole[: len(ids)]
    assert targets == whole[1 : len(ids) + 1]
    assert len(whole) - 1 - len(ids) < n_rows
    assert [each.goes_on for each in batches] == [False] + [True] * (len(batches) - 1)
    assert all(len(each.ids) <= chunk for each in batches)
    assert IGNORED not in targets


def test_a_stream_learned_in_chunks_has_the_loss_of_one_piece() -> None:
    network = Network(replace(SHAPE, dropout=0.0)).eval()
    found = [[1, *random.Random(n).choices(range(2, 9), k=7), 1] for n in range(6)]
    whole = torch.tensor([1, *(each for sentence in found for each in sentence[1:])])
    loss = recurrent._loss(network)
    at_once = sum(loss(each)[0].item() for each in streams(whole, 2, 100))
    assert sum(loss(each)[0].item() for each in streams(whole, 2, 3)) == pytest.approx(at_once)


@given(st.lists(st.integers(2, 9), min_size=5, max_size=40), st.integers(1, 5), st.integers(2, 5))
def test_windows_are_all_of_each_stream(whole: list[int], n_rows: int, order: int) -> None:
    """Against cutting each stream by itself."""
    found = windows(torch.tensor(whole), n_rows, order)
    length, n_streams = found.ids.shape
    wanted = sorted(
        tuple(whole[start + at : start + at + order])
        for start in range(0, length * n_streams, length)
        for at in range(length - order + 2)
    )
    seen = sorted(
        (*batch.ids[:, row].tolist(), batch.targets[-1, row].item())
        for batch in found
        for row in range(n_streams)
    )
    assert seen == wanted
    assert len(found) == length - order + 2 > 0
    assert all((batch.targets[:-1] == IGNORED).all() for batch in found)
    assert not any(batch.goes_on for batch in found)


def test_a_joined_text_has_every_sentence_once_between_its_ends() -> None:
    ids = {UNKNOWN: 0, EOS: 1, "a": 2, "b": 3}
    found = joined(lines("a_b", "b", "a_a_x"), ids).tolist()
    assert found[0] == found[-1] == 1
    pieces = "".join(map(str, found)).strip("1").split("1")
    assert sorted(pieces) == ["220", "23", "3"]
    assert found == joined(lines("a_b", "b", "a_a_x"), ids).tolist()


def test_a_joined_text_is_veiled_in_half_of_its_rare_words_and_anew_each_epoch() -> None:
    whole = torch.tensor([1, *[5, 6] * 2_000, 1], dtype=torch.int32)
    shown = veiled_text(whole, frozenset({5}), 0, seed=3, epoch=0)
    assert 900 < (shown == 0).sum() < 1_100
    assert torch.equal(shown[whole != 5], whole[whole != 5])
    assert torch.equal(shown, veiled_text(whole, frozenset({5}), 0, seed=3, epoch=0))
    assert not torch.equal(shown, veiled_text(whole, frozenset({5}), 0, seed=3, epoch=1))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=400), st.integers(1, 9))
def test_batches_by_length_hold_every_sentence_once(lengths: list[int], n_rows: int) -> None:
    found = by_length(lengths, n_rows, seed=3, epoch=0)
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    assert all(len(batch) <= n_rows for batch in found)
    assert by_length(lengths, n_rows, seed=3, epoch=0) == found
