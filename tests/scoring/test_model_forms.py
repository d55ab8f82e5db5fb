"""Models in every form that people have them: in memory, as an adapter, spread over places, with
code of their own, damaged."""

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import safetensors.torch
import torch
import transformers

import colorless_green as cg
from colorless_green.data.errors import ErrorKind
from tests.builders import mistake
from tests.scoring.test_specs import BUILD
from tests.scoring.tiny_models import causal_folder, change_weights, gpt2, hushed

PAIRS = [("the keys are old .", "the keys is old ."), ("a dog barks", "a dog bark")]
AUTOS = {
    "causal": transformers.AutoModelForCausalLM,
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}


def margins(model: Any, **options: Any) -> list[float]:
    return cg.score_pairs(PAIRS, model, device="auto", **options)["margin_bits"].to_list()


def in_memory(folder: Path, kind: str = "causal", **options: Any) -> tuple[Any, Any]:
    with hushed():
        auto: Any = AUTOS[kind]
        model = auto.from_pretrained(folder, **options)
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    return model, tokenizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return causal_folder(tmp_path / "model", gpt2())


def configured(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")
    return folder


@pytest.mark.parametrize("kind", BUILD)
def test_a_model_in_memory_scores_as_its_folder_does(kind: str, tmp_path: Path) -> None:
    folder = BUILD[kind](tmp_path / "model")
    model, tokenizer = in_memory(folder, kind)
    options = {"method": "one-prefix" if kind == "seq2seq" else "sentence"}
    expected = margins(folder, **options)
    assert margins((model, tokenizer), **options) == pytest.approx(expected, abs=1e-4)
    loaded = cg.load_model((model, tokenizer, "step-7"), device="cpu")
    assert (loaded.name, loaded.device, loaded.dtype) == ("step-7", "cpu", "float32")
    if kind != "seq2seq":  # whose encoder must have something to read
        assert loaded.surprisals("the keys").height == 2


def test_scores_of_a_model_in_memory_follow_its_weights(folder: Path, tmp_path: Path) -> None:
    """In one store: what is asked again is not computed, what was trained on is; and training goes
    on as it did."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\n" + "".join(f"{a},{b}\n" for a, b in PAIRS), encoding="utf-8")
    model, tokenizer = in_memory(folder)
    model.train()
    found = []
    for step in range(2):
        given = [(model, tokenizer, f"step-{step}")]
        scores = cg.score(pairs, given, method="sentence", store=tmp_path / "s.db")
        found.append(scores.outcomes["margin_bits"].to_list())
        assert model.training
        with torch.no_grad():
            weight = model.get_input_embeddings().weight
            weight += torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))
    assert found[0] == pytest.approx(margins(folder), abs=1e-4)
    assert found[0] != pytest.approx(found[1], abs=1e-3)


def test_a_model_in_half_precision_keeps_its_own_head(folder: Path) -> None:
    model, tokenizer = in_memory(folder, dtype=torch.bfloat16)
    assert margins((model, tokenizer)) == pytest.approx(margins(folder), abs=0.5)
    assert model.lm_head.weight.dtype == torch.bfloat16
    assert type(model.lm_head) is torch.nn.Linear


@pytest.mark.parametrize("given", [(1, 2), (torch.nn.Linear(2, 2), None), ("a", "b", "c", "d")])
def test_what_is_no_model_in_memory_is_told(given: Any) -> None:
    with pytest.raises(cg.InputError):
        cg.score_pairs(PAIRS, given)


def test_a_type_is_taken_from_the_checkpoint_and_said(tmp_path: Path, folder: Path) -> None:
    model, tokenizer = in_memory(folder, dtype=torch.bfloat16)
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path / "half")
    loaded = cg.load_model(tmp_path / "half", device="cpu", dtype="auto")
    assert loaded.dtype == "bfloat16"
    assert any("bfloat16" in note for note in loaded.notes)
    assert cg.load_model(tmp_path / "half", device="cpu").dtype == "float32"


def test_a_model_that_one_place_does_not_hold_is_spread_and_scores_alike(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = margins(folder)
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    monkeypatch.setattr(
        "colorless_green.scoring.models.weights.memory_limits", lambda: {"cpu": size * 9 // 10}
    )
    loaded = cg.load_model(folder)
    assert loaded.device == "cpu+disk"
    assert any("cpu+disk" in note for note in loaded.notes)
    assert margins(loaded) == pytest.approx(expected, abs=1e-4)
    assert cg.load_model(folder, device="cpu").device == "cpu"


def adapter(folder: Path, target: Path, base: str = "") -> tuple[Path, Any]:
    """Return an adapter of the model in a folder, which names `base` if that is given; and the
    model with it."""
    peft = pytest.importorskip("peft")
    model, tokenizer = in_memory(folder)
    torch.manual_seed(3)
    config = peft.LoraConfig(
        task_type="CAUSAL_LM", r=2, target_modules=["c_attn"], fan_in_fan_out=True,
        init_lora_weights=False,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapted = peft.get_peft_model(model, config)
        adapted.save_pretrained(target)
    facts = json.loads((target / "adapter_config.json").read_text("utf-8"))
    facts["base_model_name_or_path"] = base or str(folder)
    (target / "adapter_config.json").write_text(json.dumps(facts), "utf-8")
    return target, (adapted.merge_and_unload(), tokenizer)


@pytest.mark.parametrize("base", ["", "../model"])
def test_an_adapter_is_merged_into_its_base(folder: Path, tmp_path: Path, base: str) -> None:
    path, whole = adapter(folder, tmp_path / "adapter", base)
    found = margins(path)
    assert found == pytest.approx(margins(whole), abs=1e-4)
    assert found != pytest.approx(margins(folder), abs=1e-2)
    signatures = {cg.load_model(each, device="cpu").scorer.signature for each in (path, folder)}
    assert len(signatures) == 2


@pytest.mark.parametrize("facts", ["", "[]", "{}", '{"base_model_name_or_path": "gone/nowhere/x"}'])
def test_an_adapter_without_its_base_is_one_line(tmp_path: Path, facts: str) -> None:
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "adapter_config.json").write_text(facts, "utf-8")
    with pytest.raises(cg.InputError) as caught:
        cg.load_model(tmp_path / "adapter")
    assert caught.value.location == f"{tmp_path / 'adapter'}: adapter_config.json"
    assert "\n" not in str(caught.value)


def test_code_that_comes_with_a_model_is_run_for_who_trusts_it_alone(
    folder: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    code = f"""
import pathlib
import transformers

pathlib.Path({str(made)!r}).write_text("run")

class OwnConfig(transformers.GPT2Config):
    model_type = "own"

class OwnForCausalLM(transformers.GPT2LMHeadModel):
    config_class = OwnConfig
"""
    (folder / "own.py").write_text(code, "utf-8")
    autos = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"}
    configured(folder, model_type="own", architectures=["OwnForCausalLM"], auto_map=autos)
    with mistake("unsafe", folder):
        cg.load_model(folder)
    assert not made.exists()
    expected = margins(causal_folder(tmp_path / "plain", gpt2()))
    loaded = cg.load_model(folder, device="cpu", trust_remote_code=True)
    assert made.exists()
    assert margins(loaded) == pytest.approx(expected, abs=1e-4)


def without_numbers(folder: Path) -> None:
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    name = "transformer.h.0.mlp.c_fc.weight"
    weights[name][0, 0] = float("nan")
    change_weights(folder, **{name: weights[name]})


@pytest.mark.parametrize(
    ("damage", "kind", "told"),
    [
        (without_numbers, "format", "mlp.c_fc"),
        (lambda folder: configured(folder, n_layer=10**9), "format", "n_layer"),
        (lambda folder: configured(folder, n_embd="x"), "format", "n_embd"),
        (lambda folder: configured(folder, n_layer=[1]), "format", "n_layer"),
        (lambda folder: configured(folder, n_head=0), "format", ""),
        (lambda folder: configured(folder, vocab_size=-3), "format", ""),
        (
            lambda folder: configured(
                folder, quantization_config={"quant_method": "gptq", "bits": 4}
            ),
            "format",
            "GPTQ",
        ),
        (lambda folder: (folder / "config.json").write_text("[1]", "utf-8"), "format", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_loaded_is_one_line_that_names_the_reason(
    damage: Callable[[Path], object], kind: ErrorKind, told: str, folder: Path
) -> None:
    damage(folder)
    with pytest.raises(cg.InputError) as caught:
        cg.load_model(folder)
    assert (caught.value.kind, caught.value.location) == (kind, str(folder))
    assert told in caught.value.wrong
    assert "\n" not in str(caught.value)


def test_a_model_that_reads_few_subwords_is_not_called_untrained(tmp_path: Path) -> None:
    """The texts of the sanity gate do not fit in: a text that is refused is none of 0 bits."""
    folder = causal_folder(tmp_path, gpt2(n_positions=24))
    assert not [note for note in cg.load_model(folder, device="cpu").notes if "untrained" in note]


def test_a_gguf_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(64))
    with mistake("unreadable", path):
        cg.load_model(path)


def test_what_stands_beside_a_model_does_not_change_what_it_is(folder: Path) -> None:
    shutil.copy(folder / "model.safetensors", folder / "other.txt")
    assert cg.load_model(folder, device="cpu").name == "model"


@pytest.mark.slow
def test_a_suite_is_scored_while_a_model_is_trained(folder: Path, tmp_path: Path) -> None:
    """Of two pairs whose good sentences it is trained on, at every second of six steps."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\n" + "".join(f"{a},{b}\n" for a, b in PAIRS), encoding="utf-8")
    model, tokenizer = in_memory(folder)
    texts = [tokenizer(good)["input_ids"] for good, _ in PAIRS] * 12
    rows = [{"input_ids": ids, "labels": ids} for ids in texts]
    curve = cg.scoring_callback(
        pairs, tokenizer, every=2, name="tiny", method="sentence", store=tmp_path / "s.db"
    )
    with hushed(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = transformers.TrainingArguments(
            output_dir=str(tmp_path / "out"), max_steps=5, per_device_train_batch_size=1,
            learning_rate=0.02, report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no",
            logging_strategy="no",
        )  # fmt: skip
        transformers.Trainer(
            model=model, args=arguments, train_dataset=rows, callbacks=[curve]
        ).train()
    found = curve.accuracy.filter(pl.col("prediction") == "full")
    assert found["step"].to_list() == [2, 4, 5]
    assert found["model"].to_list() == ["tiny@2", "tiny@4", "tiny@5"]
    scored = cg.compare("pairs", store=tmp_path / "s.db").cells
    assert {*scored["rater"]} == {"tiny@2", "tiny@4", "tiny@5"}
