"""What a causal model must be to be loaded: whole, fast to tokenise, without a look ahead."""

import json
import logging
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
import transformers
from tokenizers import processors

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer, policy_of
from tests.builders import mistake
from tests.scoring.tiny_models import (
    causal_folder,
    change_weights,
    gpt2,
    network_folder,
    tokenizer,
)

OPTIONS: dict[str, Any] = {"device": "cpu"}
ASKED = [Query("The keys", (" are", " is"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return causal_folder(tmp_path / "gpt2", gpt2())


def load(spec: str | Path, **changes: Any) -> Scorer:
    return load_model(f"causal:{spec}", **{**OPTIONS, **changes}).scorer


def test_weights_that_a_checkpoint_lacks_are_never_drawn_at_random(folder: Path) -> None:
    change_weights(folder, transformer__h__1__ln_1__bias=None)
    with mistake("format", folder):
        load(folder)


def test_weights_of_another_shape_are_refused(folder: Path) -> None:
    change_weights(folder, transformer__ln_f__bias=torch.zeros(3))
    with mistake("format", folder):
        load(folder)


class Malice:
    """A pickle that makes a file where it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.path), "w")


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
def test_no_code_of_pickled_weights_is_run(folder: Path, tmp_path: Path, name: str) -> None:
    made = tmp_path / "made"
    (folder / "model.safetensors").unlink()
    torch.save({"transformer.wte.weight": Malice(made)}, folder / name)
    with mistake("format", folder):
        load(folder)
    (folder / name).write_bytes(pickle.dumps(Malice(made)))
    with mistake("format", folder):
        load(folder)
    assert not made.exists()


def test_weights_of_numbers_alone_are_read_from_a_bin(folder: Path) -> None:
    query = Query("the keys", (" are", " is"))
    scorer = load(folder)
    (before,) = scorer.score([query])
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    other = load(folder)
    assert [*other.score([query])] == [before]
    assert other.signature != scorer.signature


def test_a_folder_without_tokenizer_files_is_not_taken_for_an_empty_tokenizer(
    folder: Path,
) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    with mistake("missing", folder):
        load(folder)


def test_a_slow_tokenizer_is_refused(tmp_path: Path) -> None:
    config = transformers.CTRLConfig(vocab_size=9, n_embd=8, n_layer=1, n_head=2, dff=8)
    folder = causal_folder(tmp_path, config)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    (folder / "vocab.json").write_text(json.dumps({"a</w>": 0, "<unk>": 1}), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    with mistake("unsupported", folder):
        load(folder)


def test_a_masked_model_that_loads_as_a_causal_one_is_refused(tmp_path: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=330,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
    )
    with mistake("unsupported", tmp_path):
        load(causal_folder(tmp_path, config))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with mistake("format", tmp_path):
        load(tmp_path)


def test_a_folder_of_another_kind_made_by_train_is_refused(tmp_path: Path) -> None:
    with mistake("unsupported", tmp_path):
        load(network_folder(tmp_path))


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [
        ("dtype", "int8", "unknown"),
        ("bos", "never", "unknown"),
        ("bos", "always", "unknown"),
        ("boundary", "eos", "unknown"),
        ("device", "gpu", "unknown"),
    ],
)
def test_options_it_cannot_obey_are_refused(
    option: str, value: str, kind: Any, folder: Path
) -> None:
    with mistake(kind, option):
        load(folder, **{option: value})


def test_a_path_that_is_not_there_never_becomes_a_question_to_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "file").touch()
    for spec in (f"{tmp_path}/no", "./no", "../no", "models/no", "a/b/c", "file", "gpt2@", "~/no"):
        with mistake("missing", spec):
            load(spec)
    with mistake("format", "models@v1"):
        load("models@v1")
    with mistake("value", "--model"):
        load("")


@pytest.mark.parametrize(
    ("spec", "name", "revision"),
    [("gpt2", "gpt2", None), ("org/some-model.v2@abc123", "org/some-model.v2", "abc123")],
)
def test_a_name_with_or_without_revision_is_one_on_the_hub(
    spec: str, name: str, revision: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, object]] = []

    def from_pretrained(name: object, **options: object) -> None:
        asked.append((name, options.get("revision")))
        raise OSError("not in the cache")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", from_pretrained)
    monkeypatch.setattr(transformers.PretrainedConfig, "get_config_dict", from_pretrained)
    with mistake("format", spec):
        load(spec)
    assert asked == [(name, revision or "main")] or asked == [(name, revision)]


def bos_of(folder: Path, cutter: Any, policy: str) -> tuple[str, str]:
    """Return the id before every text, from the signature, and what is said of it."""
    causal_folder(folder, gpt2(), cutter=cutter)
    scorer = load(folder, bos=policy)
    return dict(pair.split(":", 1) for pair in scorer.signature.split("|"))["bos"], policy_of(
        scorer
    )


def test_what_stands_before_a_text_is_declared_or_named_or_nothing(tmp_path: Path) -> None:
    found = [bos_of(tmp_path, tokenizer(), each) for each in ("auto", "none", "T", "<|endoftext|>")]
    (letter,) = tokenizer()("T")["input_ids"]
    declared = ("0", "bos=<|endoftext|>")
    assert found == [declared, ("none", "bos=none"), (str(letter), "bos=T"), declared]

    ended = tokenizer()
    ended.bos_token = None
    assert bos_of(tmp_path, ended, "auto") == declared

    nameless = tokenizer()
    nameless.bos_token = nameless.eos_token = None
    assert bos_of(tmp_path, nameless, "auto") == ("none", "bos=none")


def test_what_the_tokenizer_puts_around_a_text_by_itself_is_left_out(tmp_path: Path) -> None:
    adds = tokenizer()
    (its_own,) = adds("T")["input_ids"]
    adds.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="T $A T", special_tokens=[("T", its_own)]
    )
    assert bos_of(tmp_path, adds, "auto") == ("0", "bos=<|endoftext|>")


def test_what_else_moves_the_numbers_is_said_too(folder: Path) -> None:
    scorer = load(folder, dtype="bfloat16", boundary="space+eos")
    assert policy_of(scorer) == "bos=<|endoftext|> dtype=bfloat16 boundary=space+eos"


def test_a_moved_folder_keeps_its_signature_and_changed_weights_do_not(
    folder: Path, tmp_path: Path
) -> None:
    before = load(folder).signature
    shutil.copytree(folder, tmp_path / "moved")
    assert load(tmp_path / "moved").signature == before
    change_weights(folder, transformer__ln_f__bias=torch.ones(16))
    assert load(folder).signature != before


def test_the_signature_says_what_numbers_depend_on(folder: Path) -> None:
    pairs = dict(pair.split(":", 1) for pair in load(folder).signature.split("|"))
    assert list(pairs) == [
        "model", "weights", "tokenizer", "bos", "boundary", "device", "dtype", "attention",
        "reading", "torch", "transformers", "tokenizers", "colorless",
    ]  # fmt: skip
    assert (pairs["bos"], pairs["device"], pairs["dtype"]) == ("0", "cpu", "float32")


def test_loading_is_silent_and_leaves_the_settings_of_transformers(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log: Any = transformers.utils.logging
    log.set_verbosity(logging.INFO)
    try:
        list(load(folder).score(ASKED))
        assert (log.get_verbosity(), log.is_progress_bar_enabled()) == (logging.INFO, True)
        (folder / "tokenizer.json").write_text("{", "utf-8")
        with mistake("format", folder):
            load(folder)
        assert (log.get_verbosity(), log.is_progress_bar_enabled()) == (logging.INFO, True)
    finally:
        log.set_verbosity_warning()
    assert capfd.readouterr() == ("", "")


def test_a_model_loaded_in_training_mode_is_scored_without_dropout(folder: Path) -> None:
    scorer = load(folder)
    assert list(scorer.score(ASKED)) == list(scorer.score(ASKED))
