"""Which model files Stanza is given, and what is said of those that are missing. Nothing is loaded:
Stanza's pipeline is one that only notes what it is given."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.miner import Parser, ParserModels, parser_named
from tests.builders import mistake

# The shape of Stanza's own resources.json (stanza.resources.prepare_resources, 1.15), cut short.
NEEDS = [{"model": name, "package": "conll17"} for name in ("pretrain", "forward_charlm")]
DEFAULT = {"tokenize": "combined", "mwt": "combined", "pos": "combined_charlm",
           "lemma": "combined_nocharlm", "depparse": "combined_charlm", "ner": "fbk"}  # fmt: skip
RESOURCES: Mapping[str, object] = {
    "url": "https://example.org/{lang}",
    "it": {
        "lang_name": "Italian",
        "packages": {
            "default": DEFAULT,
            "tokens": {"tokenize": "combined"},
            "outside": {"tokenize": "../../secret"},
            "absolute": {"tokenize": "/secret"},
            "variant": {**DEFAULT, "tokenize": "spacy"},
        },
        "tokenize": {"combined": {"md5": "0"}},
        "mwt": {"combined": {"md5": "0"}},
        "pos": {"combined_charlm": {"dependencies": NEEDS}},
        "lemma": {"combined_nocharlm": {"md5": "0"}},
        "depparse": {"combined_charlm": {"dependencies": NEEDS[:1]}},
    },
    "vi": {
        "packages": {
            "default": {"tokenize": "t", "pos": "p", "lemma": "identity", "depparse": "d"}
        },
        "tokenize": {"t": {}},
        "pos": {"p": {}},
        "depparse": {"d": {}},
    },
    "zh": {"alias": "vi"},
}
ITALIAN = {
    "tokenize_model_path": "it/tokenize/combined.pt",
    "mwt_model_path": "it/mwt/combined.pt",
    "pos_model_path": "it/pos/combined_charlm.pt",
    "pos_pretrain_path": "it/pretrain/conll17.pt",
    "pos_forward_charlm_path": "it/forward_charlm/conll17.pt",
    "lemma_model_path": "it/lemma/combined_nocharlm.pt",
    "depparse_model_path": "it/depparse/combined_charlm.pt",
    "depparse_pretrain_path": "it/pretrain/conll17.pt",
}
BARE = ("tokenize.pt", "pos.pt", "lemma.pt", "depparse.pt")
ALL_FIVE = ["tokenize", "mwt", "pos", "lemma", "depparse"]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options of the last pipeline that was made, its language among them."""
    stanza = pytest.importorskip("stanza")
    options: dict[str, Any] = {}

    def pipeline(lang: str, **others: object) -> object:
        options.clear()
        options.update(others, lang=lang)
        return object()

    monkeypatch.setattr(stanza, "Pipeline", pipeline)
    return options


def loaded(folder: Path, language: str = "it", package: str = "default") -> Parser:
    return parser_named("stanza")(language, ParserModels(folder, package, "cpu", download=False))


def paths_in(folder: Path, options: Mapping[str, Any]) -> dict[str, str]:
    """The model files among the options of a pipeline, as paths in the folder."""
    return {
        name: Path(path).relative_to(folder).as_posix()
        for name, path in options.items()
        if name.endswith("_path") and Path(path).is_relative_to(folder)
    }


def filled(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def stanza_folder(folder: Path) -> Path:
    filled(folder, *ITALIAN.values(), "vi/tokenize/t.pt", "vi/pos/p.pt", "vi/depparse/d.pt")
    (folder / "resources.json").write_text(json.dumps(RESOURCES))
    return folder


def test_a_folder_of_stanza_gives_the_models_of_a_package_and_what_they_need(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    loaded(stanza_folder(tmp_path), " IT")
    assert paths_in(tmp_path, given) == ITALIAN
    assert list(given["processors"]) == ALL_FIVE
    assert (given["lang"], given.get("lemma_use_identity")) == ("it", None)


def test_an_alias_leads_to_its_language_and_identity_needs_no_lemma_model(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    loaded(stanza_folder(tmp_path), "zh")
    assert (given["lang"], given["lemma_use_identity"]) == ("vi", True)
    assert list(given["processors"]) == ["tokenize", "pos", "lemma", "depparse"]
    assert "lemma_model_path" not in given


def test_a_folder_of_bare_models_needs_no_list(tmp_path: Path, given: dict[str, Any]) -> None:
    loaded(filled(tmp_path, *BARE), "xx")
    assert paths_in(tmp_path, given) == {
        f"{name.removesuffix('.pt')}_model_path": name for name in BARE
    }
    loaded(filled(tmp_path, "mwt.pt", "pretrain.pt"), "xx")
    assert list(given["processors"]) == ALL_FIVE
    assert paths_in(tmp_path, given)["depparse_pretrain_path"] == "pretrain.pt"


def test_the_signature_changes_with_any_model_and_not_with_the_folder(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    one, two = (filled(tmp_path / each, *BARE) for each in "ab")
    before = loaded(one, "xx").signature
    assert loaded(two, "xx").signature == before
    for name in BARE:
        filled(two, *BARE)
        (two / name).write_text("other")
        assert loaded(two, "xx").signature != before


def test_a_folder_that_is_missing_or_lacks_a_model_is_told(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    with mistake("missing", tmp_path / "none"):
        loaded(tmp_path / "none")
    with mistake("missing", tmp_path):
        loaded(tmp_path)
    with mistake("missing", tmp_path):
        loaded(filled(tmp_path, "tokenize.pt", "lemma.pt", "depparse.pt"))
    assert given == {}


def test_a_missing_model_is_named_with_the_folder_searched(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    (tmp_path / "resources.json").write_text(json.dumps(RESOURCES))
    with mistake("missing", tmp_path):
        loaded(tmp_path)
    (stanza_folder(tmp_path) / "it/pretrain/conll17.pt").unlink()
    with pytest.raises(InputError) as caught:
        loaded(tmp_path)
    assert "it/pretrain/conll17.pt" in str(caught.value).lower()


@pytest.mark.parametrize(
    ("language", "package", "kind"),
    [
        ("xx", "default", "unknown"),
        ("url", "default", "unknown"),
        ("it", "vit", "unknown"),
        ("it", "tokens", "unsupported"),
        ("it", "outside", "unknown"),  # a list cannot lead out of its folder
        ("it", "absolute", "unknown"),
        ("it", "variant", "unknown"),  # nor to another program
    ],
)
def test_a_language_or_package_that_is_not_listed_is_refused(
    tmp_path: Path, given: dict[str, Any], language: str, package: str, kind: ErrorKind
) -> None:
    with mistake(kind, tmp_path / "resources.json"):
        loaded(stanza_folder(tmp_path), language, package)
    assert given == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "format"),
        ("[]", "format"),
        ("{", "format"),
        ("[" * 9999, "format"),
        ('{"it": {"packages": []}}', "unknown"),
        ('{"it": {"packages": {"default": {"pos": 1}}}}', "unknown"),
        ('{"it": {"packages": {"default": 1}}}', "unknown"),
    ],
)
def test_a_broken_list_is_named(
    tmp_path: Path, given: dict[str, Any], text: str, kind: ErrorKind
) -> None:
    (tmp_path / "resources.json").write_text(text)
    with mistake(kind, tmp_path / "resources.json"):
        loaded(tmp_path)
