"""Component oracle. What a spec means: paths, kinds and hub names; what a loaded model tells of
itself."""

import csv
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import pytest
import safetensors.torch
import transformers
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

import colorless_green as cg
from colorless_green.scoring.models.origin import backend_for
from tests.builders import mistake
from tests.scoring.test_score_command import TEXT, pair
from tests.scoring.tiny_encoders import (
    bart,
    bert,
    byte_pairs,
    masked_folder,
    seq2seq_folder,
    wordpiece,
)
from tests.scoring.tiny_models import causal_folder, change_weights, gpt2

CONFIGS = {  # architectures and type → the kind
    ("GPT2LMHeadModel", "gpt2"): "causal",
    ("LlamaForCausalLM", "llama"): "causal",
    ("BertForMaskedLM", "bert"): "masked",
    ("BertForPreTraining", "bert"): "masked",
    ("", "roberta"): "masked",
    ("T5ForConditionalGeneration", "t5"): "seq2seq",
    ("BartForConditionalGeneration", "bart"): "seq2seq",
}


def build_causal(place: Path) -> Path:
    return causal_folder(place, gpt2())


def build_masked(place: Path) -> Path:
    cutter = wordpiece()
    return masked_folder(place, bert(len(cutter)), cutter)


def build_seq2seq(place: Path) -> Path:
    cutter = byte_pairs()
    return seq2seq_folder(place, bart(len(cutter)), cutter)


BUILD: dict[str, Callable[[Path], Path]] = {
    "causal": build_causal,
    "masked": build_masked,
    "seq2seq": build_seq2seq,
}


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks the hub fails."""

    def from_pretrained(name: object, **_: object) -> None:
        raise AssertionError(f"{name} was looked up")

    for auto in (transformers.AutoConfig, transformers.AutoTokenizer):
        monkeypatch.setattr(auto, "from_pretrained", from_pretrained)
    monkeypatch.setattr(transformers.PretrainedConfig, "get_config_dict", from_pretrained)


@pytest.fixture
def no_hub_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks the hub by a name fails; folders load."""
    for auto in (transformers.AutoConfig, transformers.AutoTokenizer):
        load = auto.from_pretrained

        def from_pretrained(name: str, *, load: Any = load, **options: Any) -> Any:
            assert Path(name).is_dir(), f"{name} was looked up"
            return load(name, **options)

        monkeypatch.setattr(auto, "from_pretrained", from_pretrained)


@pytest.mark.parametrize("kind", BUILD)
def test_a_folder_of_transformers_says_itself_what_it_is(kind: str, tmp_path: Path) -> None:
    folder = BUILD[kind](tmp_path / "model")
    bare = cg.load_model(folder, device="cpu")
    assert bare.scorer.signature == cg.load_model(f"{kind}:{folder}", device="cpu").scorer.signature
    assert bare.name.partition("?")[0] == "model"


NAMED = ("mymodel", "gpt2", "ngram", "a:b", "weights.bin", "with space", "smolm2", "a@b")


@pytest.fixture(scope="module")
def existing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with checkpoints whose names mean something else, or are like one another."""
    place = tmp_path_factory.mktemp("existing")
    first = build_causal(place / NAMED[0])
    for name in (*NAMED[1:], "mymodel2", "sub/mymodel"):
        shutil.copytree(first, place / name)
    (place / "text.txt").write_text("\n".join(TEXT * 3) + "\n", encoding="utf-8")
    cg.train("ngram", place / "text.txt", order=2, out=place / "trained")
    return place


@pytest.mark.usefixtures("no_hub_name")
@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        *((name, "{}") for name in (*NAMED, "trained")),
        *(("mymodel", spelling) for spelling in ("./{}", "{}/", "{}/.", "sub/../{}", "{here}/{}")),
    ],
)
def test_what_exists_is_taken_however_it_is_written(
    name: str, spelling: str, existing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(existing)
    spec = spelling.format(name, here=existing)
    expected = cg.load_model(existing / name, device="cpu").scorer.signature
    for written in (spec, Path(spec)):
        model = cg.load_model(written, device="cpu")
        assert (model.scorer.signature, model.name) == (expected, name)


@pytest.mark.usefixtures("no_hub_name")
def test_a_model_in_this_folder_is_scored_by_its_name(
    existing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(existing)
    Path("pairs.jsonl").write_text(json.dumps(pair("key", 0)) + "\n", encoding="utf-8")
    by_path = cg.score("pairs.jsonl", existing / "mymodel", device="cpu").outcomes
    assert len(by_path) > 0
    for spec in ("mymodel", "./mymodel", "sub/mymodel"):
        outcomes = cg.score("pairs.jsonl", spec, device="cpu").outcomes
        assert outcomes["margin_bits"].to_list() == by_path["margin_bits"].to_list()


@pytest.mark.usefixtures("no_hub_name")
@pytest.mark.parametrize("spec", ["mymodel?pll=original", "mymodel@main"])
def test_an_option_that_a_folder_does_not_have_is_named(
    spec: str, existing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(existing)
    with mistake("format" if "@" in spec else "unknown", spec):
        cg.load_model(spec, device="cpu")


@pytest.mark.parametrize(("config", "kind"), CONFIGS.items(), ids=lambda each: str(each))
def test_every_family_is_known_by_its_config(
    config: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    made_as, family = config
    facts = {"model_type": family, "architectures": [made_as] if made_as else []}
    (tmp_path / "config.json").write_text(json.dumps(facts), encoding="utf-8")
    assert backend_for(str(tmp_path)) == kind


def test_a_checkpoint_that_is_no_language_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "vit"}', encoding="utf-8")
    with mistake("unsupported", tmp_path):
        cg.load_model(tmp_path)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize(
    "spec",
    [
        "./none", "../none", "/none/none", "~/none", "gone.arpa", "gone.arpa.gz", "gone.bin",
        "gone.pt", "gone.gguf", "gone.tsv", "a/b/c", "models/none", "causal:models/none",
        "masked:./none", "seq2seq:gone.bin", "ngram:none", "unigram:models/none", "table:gone.tsv",
        "recurrent:none", "uniform:none",
    ],
)  # fmt: skip
def test_what_can_only_be_a_path_is_never_asked_of_the_hub(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    with mistake("missing", spec.rpartition(":")[2]):
        cg.load_model(spec)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize("spec", ["models/ngarm", "ngram:models/ngarm", "causal:models/ngarm"])
def test_a_mistyped_path_is_answered_with_the_nearest_there(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ngram", "unigram"):
        (tmp_path / "models" / name).mkdir(parents=True)
    with pytest.raises(cg.InputError) as caught:
        cg.load_model(spec)
    assert "models/ngram" in caught.value.right
    assert "unigram" not in caught.value.right


@pytest.mark.usefixtures("no_hub")
def test_a_file_or_folder_that_says_nothing_of_itself_needs_its_kind(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a b c", encoding="utf-8")
    for spec in (tmp_path, tmp_path / "words.txt"):
        with mistake("format", spec):
            cg.load_model(spec)
    assert cg.load_model(f"uniform:{tmp_path / 'words.txt'}").name == "words.txt"


def answer(status: int) -> Any:
    import httpx2

    return httpx2.Response(status, request=httpx2.Request("GET", "https://huggingface.co/x"))


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (LocalEntryNotFoundError("a paragraph\nof many lines"), "network"),
        (ConnectionError("refused"), "network"),
        (RepositoryNotFoundError("404", response=answer(404)), "unknown"),
        (RevisionNotFoundError("404", response=answer(404)), "unknown"),
        (GatedRepoError("403", response=answer(403)), "unknown"),
        (ValueError("no such architecture"), "format"),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("spec", ["nobody/nothing", "causal:nobody/nothing", "masked:nothing"])
def test_what_the_hub_does_not_give_is_told_in_one_line(
    spec: str, cause: Exception, kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def from_pretrained(name: object, **_: object) -> None:
        raise OSError("We couldn't connect.\nCheck your internet connection") from cause

    assert issubclass(RepositoryNotFoundError, HfHubHTTPError)
    for auto in (transformers.AutoConfig, transformers.AutoTokenizer):
        monkeypatch.setattr(auto, "from_pretrained", from_pretrained)
    monkeypatch.setattr(transformers.PretrainedConfig, "get_config_dict", from_pretrained)
    with pytest.raises(cg.InputError) as caught:
        cg.load_model(spec)
    assert (caught.value.kind, caught.value.location) == (kind, spec.rpartition(":")[2])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answers", [True, False])
def test_a_hub_that_does_not_answer_is_not_waited_for_again(
    answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub's library asks it anew for each file, even of a model in its cache."""
    kept_local: list[bool] = []

    def from_pretrained(name: object, *, local_files_only: bool, **_: object) -> None:
        kept_local.append(local_files_only)
        raise ValueError("stop")

    monkeypatch.setattr(transformers.PretrainedConfig, "get_config_dict", from_pretrained)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.chdir(tmp_path)
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
        if answers:
            threading.Thread(target=server.handle_request).start()  # one request, no second
        else:
            server.server_close()
        for name in ("nobody/nothing", "nobody/other"):
            with pytest.raises(cg.InputError):
                cg.load_model(name)
    assert kept_local == [not answers] * 2


@pytest.mark.slow
def test_a_name_in_the_hubs_cache_is_known_without_the_hub_whatever_is_near_here(
    tmp_path: Path,
) -> None:
    commit = "0123456789" * 4
    names = {f"some/{kind}": build for kind, build in BUILD.items()} | {"mgg": build_causal}
    for name, build in names.items():
        folder = build(tmp_path / name)
        card = "---\nlanguage:\n- de\n- en\nlicense: mit\n---\n# A model\n"
        (folder / "README.md").write_text(card, encoding="utf-8")
        home = tmp_path / "cache" / f"models--{name.replace('/', '--')}"
        shutil.copytree(folder, home / "snapshots" / commit)
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text(commit, encoding="utf-8")
    (tmp_path / "here" / "mg").mkdir(parents=True)
    code = (
        f"import colorless_green as cg\nfor name in {list(names)}:\n"
        " m = cg.load_model(name, device='cpu')\n"
        " print(m.name.partition('?')[0], *m.languages, *m.scorer.signature.split('|')[:2])"
    )
    environment = {**os.environ, "HF_HUB_CACHE": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False,
        cwd=tmp_path / "here",
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        *(f"{kind} de en model:{kind} weights:some/{kind}@{commit}" for kind in BUILD),
        f"mgg de en model:causal weights:mgg@{commit}",
    ], done.stderr


@pytest.mark.parametrize(
    ("front", "languages"),
    [
        ("language: fr", ("fr",)),
        ("language: [fr, pt-BR]", ("fr", "pt-BR")),
        ("license: mit", ()),
        ("language: [", ()),
        ("language:", ()),
    ],
)
def test_a_card_tells_the_languages_and_a_broken_one_hinders_nobody(
    front: str, languages: tuple[str, ...], tmp_path: Path
) -> None:
    folder = build_causal(tmp_path)
    (folder / "README.md").write_text(f"---\n{front}\n---\ntext", encoding="utf-8")
    assert cg.load_model(folder, device="cpu").languages == languages


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of pairs, a bigram model and a causal one."""
    place = tmp_path_factory.mktemp("models")
    lines = [json.dumps(pair(noun, n)) for n, noun in enumerate(("key", "keys", "dog"))]
    (place / "pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "text.txt").write_text("\n".join(TEXT * 3) + "\n", encoding="utf-8")
    cg.train("ngram", place / "text.txt", order=2, out=place / "ngram")
    build_causal(place / "causal")
    return place


@pytest.mark.parametrize("name", ["ngram", "causal"])
def test_the_words_of_sentences_have_the_surprisals_that_the_verb_writes(
    name: str, models: Path, tmp_path: Path
) -> None:
    cg.surprisal(models / "pairs.jsonl", models / name, device="cpu", out=tmp_path / "words.tsv")
    with (tmp_path / "words.tsv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    sentences = [
        pair(noun, 0)[f"sentence_{side}"] for noun in ("key", "keys", "dog")
        for side in ("good", "bad")
    ]  # fmt: skip
    found = cg.load_model(models / name, device="cpu").surprisals(iter(sentences))
    assert found["word"].to_list() == [row["word"] for row in rows]
    assert found["index"].to_list() == [int(row["index"]) for row in rows]
    assert found["surprisal_bits"].to_list() == pytest.approx(
        [float(row["surprisal_bits"]) for row in rows], abs=1e-4
    )
    assert found["sentence"].unique(maintain_order=True).to_list() == list(range(6))
    one = cg.load_model(models / name, device="cpu").surprisals(sentences[0])
    assert one["word"].to_list() == sentences[0].split()


def test_what_was_trained_is_loaded_where_it_is_one_model(models: Path, tmp_path: Path) -> None:
    one = cg.train("unigram", models / "text.txt", out=tmp_path / "one")
    assert cg.load_model(one).spec == str(one.folders[0])
    with mistake("value", "spec"):
        cg.load_model(cg.Trained())
    with mistake("value", "spec"):
        cg.load_model(cg.Trained(folders=one.folders * 2))


@pytest.mark.parametrize("spec", ["mgg", "smolm2"])
def test_a_name_that_the_hub_lacks_is_answered_with_what_is_like_it_here(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mg").mkdir()
    (tmp_path / "smolm2.d").write_text("", encoding="utf-8")
    with pytest.raises(cg.InputError) as caught:
        cg.load_model(spec)
    assert (caught.value.kind, caught.value.location) == ("network", spec)
    assert ("'mg'" in caught.value.right) == (spec == "mgg")
    assert ("'smolm2.d'" in caught.value.right) == (spec != "mgg")
    assert ("'package:smollm2'" in caught.value.right) == (spec != "mgg")


@pytest.mark.parametrize("name", ["ngram", "causal"])
def test_blanks_at_the_ends_of_a_sentence_change_nothing(name: str, models: Path) -> None:
    model = cg.load_model(models / name, device="cpu")
    plain, blank = model.surprisals("the  keys"), model.surprisals("  the  keys \n")
    assert plain.equals(blank)
    assert len(plain) == 2


def test_checkpoints_are_asked_in_the_order_of_their_steps(models: Path, tmp_path: Path) -> None:
    for step in (1000, 200, 30):
        folder = tmp_path / "run" / f"checkpoint-{step}"
        shutil.copytree(models / "causal", folder)
        tensors = safetensors.torch.load_file(folder / "model.safetensors")
        name = next(name for name, tensor in tensors.items() if tensor.ndim == 1)
        change_weights(folder, **{name.replace(".", "__"): tensors[name] + step / 1e6})
    scores = cg.score(models / "pairs.jsonl", str(tmp_path / "run" / "checkpoint-*"), device="cpu")
    told = scores.table.select("model", "step").unique(maintain_order=True).rows()
    assert told == [(f"checkpoint-{step}", step) for step in (30, 200, 1000)]
    with mistake("missing", tmp_path / "other-*"):
        cg.score(models / "pairs.jsonl", str(tmp_path / "other-*"))
