"""Training small Transformers: their tokenizer, what they learn, and that they repeat."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import (
    Line,
    LoadOptions,
    ModelFolder,
    Query,
    Quiz,
    Request,
    Schedule,
    Scorer,
    TrainingText,
    TransformerSize,
    read_curve,
)
from colorless_green.scoring.backends.causal import load
from colorless_green.scoring.pretrained import SEPARATOR
from colorless_green.scoring.training import causal_size
from colorless_green.scoring.training.causal import FILES, batch, byte_pairs, train
from colorless_green.scoring.training.causal_size import SIZES
from colorless_green.scoring.training.loop import IGNORED
from tests.scoring.agreement_text import pairs, text
from tests.scoring.tiny_models import TEXTS, total

MINI = TransformerSize(16, 1, 2, 48, 300, 0.1, 8, 1, Schedule(3, 3, 1e-2, "steadily", 1.0))
TEXT = text(120)
CPU = LoadOptions(device="cpu")


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal_size, "SIZES", {**SIZES, "mini": MINI})


def stopped_clock() -> float:
    return 0.0


def mini(
    folder: Path,
    seed: int = 0,
    resume: bool = False,
    of: TrainingText = TEXT,
    request: Request = Request("mini"),
    **options: Any,
) -> ModelFolder:
    options = {"clock": stopped_clock, "device": "cpu", **options}
    return train(of, folder, request, seed=seed, resume=resume, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_a_tiny_transformer_learns_agreement_across_what_stands_between(tmp_path: Path) -> None:
    train(text(8_000), tmp_path, Request("tiny"), device="cpu")
    asked = pairs(400)
    scores = load(str(tmp_path), CPU).score(
        Query(" ".join(prefix), (f" {right}", f" {wrong}")) for prefix, right, wrong in asked
    )
    found = [total(one.continuations[0]) < total(one.continuations[1]) for one in scores]
    assert sum(found) / len(found) > 0.9


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("one", 0), ("two", 0), ("other", 1)):
        mini(tmp_path / name, seed)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    weights = "model.safetensors"
    assert contents(tmp_path / "one")[weights] != contents(tmp_path / "other")[weights]
    assert (
        contents(tmp_path / "one")["tokenizer.json"]
        == (contents(tmp_path / "other")["tokenizer.json"])
    )


class Stop(Exception):
    """What a test interrupts a training with."""


def test_an_interrupted_training_that_goes_on_ends_as_if_it_had_not_stopped(
    tmp_path: Path,
) -> None:
    steps = []

    def stop(task: str, done: int, of: int | None) -> None:
        steps.append(done)
        if done == 20:
            raise Stop

    mini(tmp_path / "whole")
    with pytest.raises(Stop):
        mini(tmp_path / "cut", progress=stop)
    assert steps == list(range(1, 21))
    mini(tmp_path / "cut", resume=True)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    assert mini(tmp_path / "cut", resume=True).about == mini(tmp_path / "whole").about


def test_training_is_silent_and_leaves_the_randomness_of_others_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    mini(tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    assert capfd.readouterr() == ("", "")


def test_the_perplexity_is_that_of_the_scorer_per_word_and_per_subword(tmp_path: Path) -> None:
    made = mini(tmp_path)
    scores = load(str(tmp_path), CPU).score(
        Query("", (line.text + SEPARATOR,)) for line in TEXT.held_out
    )
    bits = [each for score in scores for each in score.continuations[0].bits]
    n_words = sum(len(line.words) + 1 for line in TEXT.held_out)
    about = made.about
    assert about["held_out_perplexity"] == pytest.approx(2 ** (math.fsum(bits) / n_words))
    per_subword = 2 ** (math.fsum(bits) / len(bits))
    assert about["held_out_perplexity_per_subword"] == pytest.approx(per_subword)
    assert math.exp(min(about["held_out_nats"])) == pytest.approx(per_subword, rel=1e-5)
    assert about["warnings"] == []
    assert about == json.loads((tmp_path / "model.json").read_text("utf-8"))


def test_sentences_too_long_are_cut_in_training_and_left_out_of_the_perplexity(
    tmp_path: Path,
) -> None:
    long = Line(("z",) * 60, " ".join("z" * 60))
    made = mini(tmp_path, of=TrainingText((*TEXT.train, long), (*TEXT.held_out, long)))
    assert made.about["warnings"] == ["sentences cut after 48 subwords: 1"]
    assert made.about["held_out_sentences"] == len(TEXT.held_out)


def test_the_folder_lists_what_transformers_needs(tmp_path: Path) -> None:
    mini(tmp_path)
    listed = json.loads((tmp_path / "manifest.json").read_text("utf-8"))["files"]
    assert set(listed) == {*FILES, "model.json", "seen.u64"}


def test_accuracy_is_asked_after_every_epoch_and_changes_nothing(tmp_path: Path) -> None:
    seen: list[float] = []

    def accuracy(scorer: Scorer) -> float:
        (score,) = scorer.score([Query("", ("the keys",))])
        seen.append(total(score.continuations[0]))
        return len(seen) / 4

    made = mini(tmp_path / "watched", quiz=Quiz("toy", accuracy))
    mini(tmp_path / "alone")
    watched, alone = (read_curve(tmp_path / name / "curve.tsv") for name in ("watched", "alone"))
    assert [each.valid_loss for each in watched] == made.about["held_out_nats"]
    assert [(each.accuracy, each.suite) for each in watched] == [
        (0.25, "toy"), (0.5, "toy"), (0.75, "toy")
    ]  # fmt: skip
    assert [(each.accuracy, each.suite) for each in alone] == [(None, "")] * 3
    assert len(set(seen)) == 3
    for name in ("model.safetensors", "manifest.json"):
        assert contents(tmp_path / "watched")[name] == contents(tmp_path / "alone")[name]


def test_seeds_of_one_setting_are_a_group(tmp_path: Path) -> None:
    one, two = mini(tmp_path / "0"), mini(tmp_path / "1", seed=1)
    other = mini(tmp_path / "2", request=Request("mini", n_epochs=2))
    assert one.about["group"] == two.about["group"] != other.about["group"]


def test_epochs_and_vocabulary_are_those_asked_for(tmp_path: Path) -> None:
    made = mini(tmp_path, request=Request("mini", n_epochs=2, vocabulary_size=270))
    assert (made.about["n_epochs"], made.about["vocabulary_size"]) == (2, 270)


@pytest.mark.parametrize(
    ("request_", "wrong"),
    [
        (Request("huge"), "--size: no such name 'huge'; one of base, medium, mini, small, tiny"),
        (
            Request("mini", vocabulary_size=256),
            "--vocabulary-size: 256 subwords; 257 or more: every byte, and the end of a text",
        ),
        (Request("mini", mixed=True), "--mixed: there is no gain of it on cpu; --device cuda"),
    ],
)
def test_what_it_cannot_serve_is_refused(request_: Request, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        mini(tmp_path, request=request_)
    assert str(error.value) == wrong


@pytest.mark.gpu
@pytest.mark.parametrize("mixed", [False, True])
def test_a_training_on_a_gpu_that_goes_on_ends_as_if_it_had_not_stopped(
    mixed: bool, tmp_path: Path
) -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    options: dict[str, Any] = {"device": "cuda", "request": Request("mini", mixed=mixed)}

    def stop(task: str, done: int, of: int | None) -> None:
        if done == 20:
            raise Stop

    mini(tmp_path / "whole", **options)
    with pytest.raises(Stop):
        mini(tmp_path / "cut", progress=stop, **options)
    mini(tmp_path / "cut", resume=True, **options)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


@given(st.text(max_size=20))
def test_no_text_is_unknown_to_the_tokenizer(some: str) -> None:
    some = some.encode("utf-8", "ignore").decode()
    cutter = byte_pairs(TEXTS, 290)
    assert cutter.decode(cutter(some)["input_ids"]) == some


def test_a_word_seen_often_is_one_subword_with_its_blank() -> None:
    cutter = byte_pairs(["the keys are here"] * 3, 400)
    assert cutter.tokenize("the keys are here") == ["the", "Ġkeys", "Ġare", "Ġhere"]
    assert len(cutter) < 400
    assert cutter.get_vocab()[SEPARATOR] == cutter.bos_token_id == cutter.eos_token_id == 0


def test_a_batch_is_padded_behind_its_ends() -> None:
    found = batch([[0, 5, 0], [0, 6, 7, 0]])
    assert found.ids.tolist() == [[0, 5, 0], [0, 6, 7]]
    assert found.targets.tolist() == [[5, 0, IGNORED], [6, 7, 0]]
