"""Component oracle. The same numbers as minicons and lm-evaluation-harness where all condition on
the same: harness and minicons have no BOS before a prefix; the harness has one before a
sentence."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers

from colorless_green import load_model
from colorless_green.scoring import Query
from colorless_green.scoring.outcomes.evaluate import fragile_bits
from tests.scoring.tiny_models import causal_folder, cutter_of, gpt2, total

OPTIONS: dict[str, Any] = {"device": "cpu"}
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
    return auto.from_pretrained(folder).eval()


def ours(folder: Path, bos: str, method: str) -> list[float]:
    queries = TARGETS if method == "target" else SENTENCES
    return [each for every in totals(folder, queries, bos=bos) for each in every]


def totals(folder: Path, queries: Sequence[Query], **changes: Any) -> list[list[float]]:
    """Return the surprisals of the continuations of each query."""
    scorer = load_model(f"causal:{folder}", **{**OPTIONS, **changes}).scorer
    return [[total(answer) for answer in score.continuations] for score in scorer.score(queries)]


@pytest.mark.parametrize(("method", "bos"), [("target", "none"), ("whole", "auto")])
def test_the_harness_gives_the_same_numbers(
    method: str, bos: str, folder: Path, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        instance = pytest.importorskip("lm_eval.api.instance")
        harness = pytest.importorskip("lm_eval.models.huggingface")
        cutter = cutter_of(folder)
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
        lm = peer.IncrementalLMScorer(model, "cpu", tokenizer=cutter_of(folder))
        prefixes, forms = zip(*REQUESTS["target"], strict=True)
        theirs = lm.conditional_score(
            list(prefixes),
            [form.removeprefix(" ") for form in forms],
            reduction=lambda x: -x.sum(0).item() / 0.6931471805599453,
        )
    assert ours(folder, "none", "target") == pytest.approx(theirs, abs=SENTENCE)


@pytest.mark.parametrize(("dtype", "nats"), [("bfloat16", 0.2), ("float16", 0.03)])
def test_half_precision_moves_no_decision_that_is_not_near(
    dtype: str, nats: float, folder: Path
) -> None:
    """Scores of `fragile_bits` margins may turn over; none beyond it does, and none ties."""
    assert fragile_bits(dtype) == pytest.approx(nats / 0.6931471805599453)

    def margins(dtype: str) -> list[float]:
        scores = totals(folder, TARGETS, dtype=dtype)
        return [one - other for s in scores for one in s for other in s if one is not other]

    for one, other in zip(margins(dtype), margins("float32"), strict=True):
        assert one != 0
        assert abs(other) < fragile_bits(dtype) or (one > 0) == (other > 0)
