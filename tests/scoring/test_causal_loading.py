"""What a causal model must be to be loaded: whole, fast to tokenise, without a look ahead."""

import json
import logging
import pickle
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
import transformers
from tokenizers import processors

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query
from colorless_green.scoring.backends.causal import load
from colorless_green.scoring.pretrained import FOLDER, quiet, source, special_ids
from tests.scoring.tiny_models import causal_folder, gpt2, network_folder, tokenizer

OPTIONS = LoadOptions(device="cpu")
ASKED = [Query("The keys", (" are", " is"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return causal_folder(tmp_path / "gpt2", gpt2())


def refused(spec: str | Path, options: LoadOptions = OPTIONS) -> str:
    with pytest.raises(InputError) as error:
        load(str(spec), options)
    return str(error.value)


def change_weights(folder: Path, **changes: torch.Tensor | None) -> None:
    """Other tensors (None: left out); `a__b` is the tensor `a.b`."""
    path = folder / "model.safetensors"
    named = {name.replace("__", "."): value for name, value in changes.items()}
    tensors = {**safetensors.torch.load_file(path), **named}
    kept = {name: value for name, value in tensors.items() if value is not None}
    safetensors.torch.save_file(kept, path, metadata={"format": "pt"})


def test_weights_that_a_checkpoint_lacks_are_never_drawn_at_random(folder: Path) -> None:
    change_weights(folder, transformer__h__1__ln_1__bias=None)
    assert refused(folder) == (
        f"{folder}: the weights lack transformer.h.1.ln_1.bias; those of a causal model"
    )


def test_weights_of_another_shape_are_refused(folder: Path) -> None:
    change_weights(folder, transformer__ln_f__bias=torch.zeros(3))
    assert refused(folder) == (
        f"{folder}: transformer.ln_f.bias has the shape (3,), but config.json wants (16,); "
        "weights and config.json of one model"
    )


def test_pickled_weights_are_never_opened(folder: Path, tmp_path: Path) -> None:
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    assert refused(folder) == (
        f"{folder}: cannot be loaded (Error no file named model.safetensors found in directory "
        f"{folder}.); {FOLDER}"
    )
    (folder / "model.safetensors").write_bytes(pickle.dumps(tmp_path))
    assert refused(folder).startswith(f"{folder}: cannot be loaded (Error while deserializing")


def test_a_folder_without_tokenizer_files_is_not_taken_for_an_empty_tokenizer(
    folder: Path,
) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    assert refused(folder) == (f"{folder}: the tokenizer is empty: its files are missing; {FOLDER}")


def test_a_slow_tokenizer_is_refused(tmp_path: Path) -> None:
    config = transformers.CTRLConfig(vocab_size=9, n_embd=8, n_layer=1, n_head=2, dff=8)
    folder = causal_folder(tmp_path, config)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    (folder / "vocab.json").write_text(json.dumps({"a</w>": 0, "<unk>": 1}), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    assert refused(folder) == (
        f"{folder}: CTRLTokenizer is a slow tokenizer, without character offsets; "
        "a model with a tokenizer.json"
    )


def test_a_masked_model_that_loads_as_a_causal_one_is_refused(tmp_path: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=330,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    folder = causal_folder(tmp_path, config)
    assert refused(folder) == (
        f"{folder}: the model looks ahead: later ids change earlier answers; a causal model"
    )


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path).endswith(f"; {FOLDER}")


def test_a_folder_of_another_kind_made_by_train_is_refused(tmp_path: Path) -> None:
    network_folder(tmp_path)
    assert refused(tmp_path) == f"{tmp_path}: a model of kind 'recurrent'; one of kind 'causal'"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            replace(OPTIONS, dtype="int8"),
            "--dtype: no such type 'int8'; one of float32, bfloat16, float16",
        ),
        (replace(OPTIONS, bos="never"), "--bos: no such policy 'never'; auto, always or none"),
        (
            replace(OPTIONS, boundary="eos"),
            "--boundary: no such correction 'eos'; one of none, space+eos, space+eos+punct",
        ),
        (
            replace(OPTIONS, device="gpu"),
            "--device: no such device 'gpu'; auto, cpu, cuda or cuda:N",
        ),
    ],
)
def test_options_it_cannot_obey_are_refused(
    options: LoadOptions, message: str, folder: Path
) -> None:
    assert refused(folder, options) == message


def test_a_path_that_is_not_there_never_becomes_a_question_to_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "file").touch()
    wrong = f"there is no such folder; {FOLDER}, or NAME@REVISION on the hub"
    for spec in (f"{tmp_path}/no", "./no", "../no", "models/no", "a/b/c", "file", "gpt2@", "~/no"):
        assert refused(spec) == f"{spec}: {wrong}"
    assert refused("models@v1") == "models@v1: a folder has no revisions; its path alone"
    assert refused("").startswith("--model: no path or name after the kind; ")


@pytest.mark.parametrize(
    ("spec", "name", "revision"),
    [("gpt2", "gpt2", None), ("org/some-model.v2@abc123", "org/some-model.v2", "abc123")],
)
def test_a_name_with_or_without_revision_is_one_on_the_hub(
    spec: str, name: str, revision: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = source(spec)
    assert (found.folder, found.name, found.revision) == (None, name, revision)


def bos_of(cutter: Any, policy: str) -> tuple[int, ...]:
    return special_ids(cutter, policy, "here")


def test_the_bos_policy_looks_at_what_the_tokenizer_does_then_at_what_it_has() -> None:
    cutter = tokenizer()
    assert [bos_of(cutter, each) for each in ("auto", "always", "none")] == [(0,), (0,), ()]

    adds = tokenizer()
    adds.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="T $A T", special_tokens=[("T", adds("T")["input_ids"][0])]
    )
    its_own = adds("T", add_special_tokens=False)["input_ids"][0]
    assert [bos_of(adds, each) for each in ("auto", "always", "none")] == [
        (its_own,),
        (its_own,),
        (),
    ]

    nameless = tokenizer()
    nameless.bos_token = nameless.eos_token = None
    assert bos_of(nameless, "auto") == (0,)  # the document separator is in its vocabulary


def test_a_tokenizer_without_any_bos_is_scored_without_or_refused() -> None:
    wrap: Any = transformers.PreTrainedTokenizerFast
    raw = json.loads(tokenizer().backend_tokenizer.to_str())
    raw["added_tokens"] = []
    raw["model"]["vocab"]["<|x|>"] = raw["model"]["vocab"].pop("<|endoftext|>")
    bare = wrap(tokenizer_object=type(tokenizer().backend_tokenizer).from_str(json.dumps(raw)))
    assert bos_of(bare, "auto") == ()
    with pytest.raises(InputError) as error:
        bos_of(bare, "always")
    assert str(error.value) == (
        "here: its tokenizer has no BOS and no EOS token; --bos auto or none"
    )


def test_a_moved_folder_keeps_its_signature_and_changed_weights_do_not(
    folder: Path, tmp_path: Path
) -> None:
    before = load(str(folder), OPTIONS).signature
    shutil.copytree(folder, tmp_path / "moved")
    assert load(str(tmp_path / "moved"), OPTIONS).signature == before
    change_weights(folder, transformer__ln_f__bias=torch.ones(16))
    assert load(str(folder), OPTIONS).signature != before


def test_the_signature_says_what_numbers_depend_on(folder: Path) -> None:
    found = load(str(folder), OPTIONS).signature
    pairs = dict(pair.split(":", 1) for pair in found.split("|"))
    assert list(pairs) == [
        "model", "weights", "tokenizer", "bos", "boundary", "device", "dtype", "attention",
        "reading", "torch", "transformers", "tokenizers", "colorless",
    ]  # fmt: skip
    assert (pairs["bos"], pairs["device"], pairs["dtype"]) == ("auto 0", "cpu", "float32")
    none = load(str(folder), replace(OPTIONS, bos="none")).signature
    assert "|bos:none none|" in none


def test_loading_is_silent_and_leaves_the_settings_of_transformers(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log: Any = transformers.utils.logging
    before = log.get_verbosity(), log.is_progress_bar_enabled()
    list(load(str(folder), OPTIONS).score(ASKED))
    assert capfd.readouterr() == ("", "")
    with suppress(ZeroDivisionError), quiet():
        assert log.get_verbosity() == logging.ERROR
        assert not log.is_progress_bar_enabled()
        raise ZeroDivisionError
    assert (log.get_verbosity(), log.is_progress_bar_enabled()) == before


def test_a_model_loaded_in_training_mode_is_scored_without_dropout(folder: Path) -> None:
    scorer = load(str(folder), OPTIONS)
    assert list(scorer.score(ASKED)) == list(scorer.score(ASKED))
