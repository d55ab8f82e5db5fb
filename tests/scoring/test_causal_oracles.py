"""The same numbers as plain code, minicons and lm-evaluation-harness where all condition on the
same: harness and minicons have no BOS before a prefix; the harness has one before a sentence."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from colorless_green.scoring import LoadOptions, Query
from colorless_green.scoring.backends.causal import Causal, load
from colorless_green.scoring.pretrained import in_one_step, quiet
from tests.scoring.tiny_models import causal_folder, gpt2, plain_bits, plain_model, total

OPTIONS = LoadOptions(device="cpu")
SENTENCE = 1e-3  # bits
PREFIXES = ("The keys to the cabinet", "The key", "The keys to the cabinets", "Ключи от шкафа")
FORMS = (" is", " are", " cabinet", " to the keys")
TARGETS = tuple(Query(prefix, FORMS) for prefix in PREFIXES)
SENTENCES = tuple(Query("", tuple(f"{prefix}{form}." for form in FORMS)) for prefix in PREFIXES)
REQUESTS = {
    "target": [(str(q.prefix), str(each)) for q in TARGETS for each in q.continuations],
    "whole": [("", str(each)) for q in SENTENCES for each in q.continuations],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("gpt2"), gpt2())


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    auto: Any = transformers.AutoModelForCausalLM
    with quiet():
        return auto.from_pretrained(folder).eval()


def ours(folder: Path, bos: str, method: str) -> list[float]:
    scorer = load(str(folder), replace(OPTIONS, bos=bos))
    queries = TARGETS if method == "target" else SENTENCES
    return [total(answer) for score in scorer.score(queries) for answer in score.continuations]


@pytest.mark.parametrize(("method", "bos"), [("target", "none"), ("whole", "always")])
def test_the_harness_gives_the_same_numbers(
    method: str, bos: str, folder: Path, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        instance = pytest.importorskip("lm_eval.api.instance")
        harness = pytest.importorskip("lm_eval.models.huggingface")
        cutter = load(str(folder), OPTIONS).tokenizer
        lm = harness.HFLM(pretrained=model, tokenizer=cutter, backend="causal", batch_size=4)
        instances = [
            instance.Instance(request_type="loglikelihood", doc={}, arguments=each, idx=0)
            for each in REQUESTS[method]
        ]
        theirs = [-nats / 0.6931471805599453 for nats, _ in lm.loglikelihood(instances, True)]
    assert ours(folder, bos, method) == pytest.approx(theirs, abs=SENTENCE)


def test_minicons_gives_the_same_numbers(folder: Path, model: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = pytest.importorskip("minicons.scorer")
        lm = peer.IncrementalLMScorer(model, "cpu", tokenizer=load(str(folder), OPTIONS).tokenizer)
        prefixes, forms = zip(*REQUESTS["target"], strict=True)
        theirs = lm.conditional_score(
            list(prefixes),
            [form.removeprefix(" ") for form in forms],
            reduction=lambda x: -x.sum(0).item() / 0.6931471805599453,
        )
    assert ours(folder, "none", "target") == pytest.approx(theirs, abs=SENTENCE)


def test_in_float64_nothing_but_rounding_is_left(folder: Path) -> None:
    """So what float32 differs by is float32, and no other mask or position."""
    from colorless_green.scoring.selftest import reader

    scorer = load(str(folder), OPTIONS)
    double = plain_model(folder)
    exact = replace(scorer, reader=reader(double, scorer.device, "here"))
    assert exact.reader.packs_to
    for query, score in zip(TARGETS, exact.score(TARGETS), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            ids = scorer.tokenizer(f"{query.prefix}{continuation}")["input_ids"]
            wanted = plain_bits(double, [0, *ids])[-len(answer.bits) :]
            assert answer.bits == pytest.approx(wanted, abs=1e-9)


def test_gelu_in_one_step_is_gelu_in_six(folder: Path, model: Any) -> None:
    auto: Any = transformers.AutoModelForCausalLM
    with quiet():
        other = auto.from_pretrained(folder).eval()
    in_one_step(other)
    kinds = {type(module).__name__ for module in other.modules()}
    assert "GELU" in kinds
    assert "NewGELUActivation" not in kinds
    ids = torch.tensor([[0, 5, 7, 90]])
    with torch.inference_mode():
        torch.testing.assert_close(other(ids).logits, model(ids).logits, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize(("dtype", "nats"), [("bfloat16", 0.2), ("float16", 0.03)])
def test_half_precision_moves_no_decision_that_is_not_near(
    dtype: str, nats: float, folder: Path
) -> None:
    """Scores of `fragile_bits` margins may turn over; none beyond it does, and none ties."""
    from colorless_green.scoring.precision import fragile_bits

    assert fragile_bits(dtype) == pytest.approx(nats / 0.6931471805599453)
    half = load(str(folder), replace(OPTIONS, dtype=dtype))
    full = load(str(folder), OPTIONS)

    def margins(scorer: Causal) -> list[float]:
        scores = [
            [total(answer) for answer in score.continuations] for score in scorer.score(TARGETS)
        ]
        return [one - other for s in scores for one in s for other in s if one is not other]

    for one, other in zip(margins(half), margins(full), strict=True):
        assert one != 0
        assert abs(other) < fragile_bits(dtype) or (one > 0) == (other > 0)
