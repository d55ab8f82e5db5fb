"""Which model files Stanza is given, and what is said of those that are missing."""

import json
from pathlib import Path

import pytest

from colorless_green import parse
from colorless_green.miner import parsed_by
from tests.builders import mistake
from tests.miner.fake_parser import FakePipeline, bare_models

pytestmark = pytest.mark.slow  # Stanza and torch take seconds to import

# The shape of Stanza's own resources.json (stanza.resources.prepare_resources, 1.15), cut short.
DEFAULT = {"tokenize": "combined", "pos": "combined", "lemma": "combined", "depparse": "combined"}
RESOURCES = {
    "url": "https://example.org/{lang}",
    "it": {
        "packages": {"default": DEFAULT, "tokens": {"tokenize": "combined"}},
        **{name: {"combined": {"md5": "0"}} for name in DEFAULT},
    },
}


def signature(folder: Path, model: Path, language: str = "la") -> str:
    """Return the signature of the parser with these models, as it is in what it parses."""
    text = folder / "text.txt"
    text.write_text("Una riga.", encoding="utf-8")
    return parsed_by(parse([text], language=language, model=model).conllu.splitlines()[:2])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakePipeline]:
    """Return the pipeline notes what it is given; nothing is loaded."""
    monkeypatch.setattr(pytest.importorskip("stanza"), "Pipeline", FakePipeline)
    return FakePipeline


def test_a_folder_of_bare_models_needs_no_list(tmp_path: Path, fake: type[FakePipeline]) -> None:
    models = bare_models(tmp_path / "models")
    assert "tokenize+pos+lemma+depparse" in signature(tmp_path, models)
    assert fake.given["pos_model_path"] == str(models / "pos.pt")
    bare_models(models, "mwt", "pretrain")
    assert "tokenize+mwt+pos+lemma+depparse" in signature(tmp_path, models)
    assert fake.given["depparse_pretrain_path"] == str(models / "pretrain.pt")
    assert fake.given["download_method"] is None


def test_the_signature_changes_with_any_model_and_not_with_the_folder(
    tmp_path: Path, fake: type[FakePipeline]
) -> None:
    one, two = (bare_models(tmp_path / name) for name in "ab")
    before = signature(tmp_path, one)
    assert before.startswith("stanza ")
    assert signature(tmp_path, two) == before
    for path in sorted(two.iterdir()):
        text = path.read_text()
        path.write_text("other")
        assert signature(tmp_path, two) != before
        path.write_text(text)


def test_a_folder_that_is_missing_or_lacks_a_model_is_named(
    tmp_path: Path, fake: type[FakePipeline]
) -> None:
    with mistake("missing", tmp_path / "none"):
        signature(tmp_path, tmp_path / "none")
    with mistake("missing", tmp_path):
        signature(tmp_path, tmp_path)
    models = bare_models(tmp_path / "models")
    (models / "depparse.pt").unlink()
    with mistake("missing", models):
        signature(tmp_path, models)


@pytest.mark.parametrize(
    ("language", "content"),
    [
        ("it", RESOURCES),  # a file of which is no model
        ("la", RESOURCES),
        ("de", RESOURCES),
        ("it", []),
        ("it", {"it": {"packages": []}}),
        ("it", {"it": {"packages": {"default": 1}}}),
    ],
)
def test_what_stanza_cannot_load_is_named(tmp_path: Path, language: str, content: object) -> None:
    pytest.importorskip("stanza")
    models = tmp_path / "models"
    (models / "it" / "tokenize").mkdir(parents=True)
    (models / "it" / "tokenize" / "combined.pt").write_text("no model")
    (models / "resources.json").write_text(json.dumps(content))
    with mistake("format", models):
        signature(tmp_path, models, language)
