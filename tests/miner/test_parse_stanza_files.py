"""Which model files Stanza is given, and what is said of those that are missing. Without Stanza."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.miner.parse.stanza_files import digest, find_files

# The shape of Stanza's own resources.json (stanza.resources.prepare_resources, 1.15), cut short.
RESOURCES: Mapping[str, object] = {
    "url": "https://example.org/{lang}",
    "it": {
        "lang_name": "Italian",
        "packages": {
            "default": {
                "tokenize": "combined",
                "mwt": "combined",
                "pos": "combined_charlm",
                "lemma": "combined_nocharlm",
                "depparse": "combined_charlm",
                "ner": "fbk",
            },
            "tokens": {"tokenize": "combined"},
            "outside": {"tokenize": "../../secret"},
        },
        "tokenize": {"combined": {"md5": "0"}},
        "mwt": {"combined": {"md5": "0"}},
        "pos": {
            "combined_charlm": {
                "dependencies": [
                    {"model": "pretrain", "package": "conll17"},
                    {"model": "forward_charlm", "package": "conll17"},
                ]
            }
        },
        "lemma": {"combined_nocharlm": {"md5": "0"}},
        "depparse": {
            "combined_charlm": {"dependencies": [{"model": "pretrain", "package": "conll17"}]}
        },
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


def relative(folder: Path, paths: Mapping[str, Path]) -> dict[str, str]:
    return {option: path.relative_to(folder).as_posix() for option, path in paths.items()}


def refused(folder: Path, language: str = "it", package: str = "default") -> str:
    with pytest.raises(InputError) as caught:
        find_files(folder, language, package)
    return str(caught.value)


def test_a_folder_of_stanza_gives_the_models_of_a_package_and_what_they_need(
    tmp_path: Path,
) -> None:
    files = find_files(stanza_folder(tmp_path), " IT", "default")
    assert relative(tmp_path, files.paths) == ITALIAN
    assert files.processors == ("tokenize", "mwt", "pos", "lemma", "depparse")
    assert (files.language, files.identity_lemmas) == ("it", False)


def test_an_alias_leads_to_its_language_and_identity_needs_no_lemma_model(tmp_path: Path) -> None:
    files = find_files(stanza_folder(tmp_path), "zh", "default")
    assert (files.language, files.identity_lemmas) == ("vi", True)
    assert files.processors == ("tokenize", "pos", "lemma", "depparse")
    assert "lemma_model_path" not in files.paths


def test_a_folder_of_bare_models_needs_no_list(tmp_path: Path) -> None:
    names = ("tokenize.pt", "pos.pt", "lemma.pt", "depparse.pt")
    files = find_files(filled(tmp_path, *names), "xx", "default")
    assert relative(tmp_path, files.paths) == {
        f"{name.removesuffix('.pt')}_model_path": name for name in names
    }
    filled(tmp_path, "mwt.pt", "pretrain.pt")
    files = find_files(tmp_path, "xx", "default")
    assert files.processors == ("tokenize", "mwt", "pos", "lemma", "depparse")
    assert files.paths["depparse_pretrain_path"] == tmp_path / "pretrain.pt"


def test_the_digest_changes_with_any_model_and_not_with_the_folder(tmp_path: Path) -> None:
    names = ("tokenize.pt", "pos.pt", "lemma.pt", "depparse.pt")
    one, two = (filled(tmp_path / each, *names) for each in "ab")
    assert digest(find_files(one, "xx", "")) == digest(find_files(two, "yy", ""))
    before = digest(find_files(two, "xx", ""))
    (two / "lemma.pt").write_text("other")
    assert digest(find_files(two, "xx", "")) != before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == (
        f"{tmp_path}/none: there is no such folder of Stanza models; --models, or --download"
    )


def test_a_folder_without_models_is_told_both_ways_to_fill_it(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        f"{tmp_path}: neither resources.json nor tokenize.pt is in it; a folder filled by Stanza, "
        "or one with tokenize.pt, pos.pt, lemma.pt, depparse.pt"
    )


def test_a_missing_bare_model_is_named_with_the_folder_searched(tmp_path: Path) -> None:
    filled(tmp_path, "tokenize.pt", "lemma.pt", "depparse.pt")
    assert refused(tmp_path) == (
        f"{tmp_path}: the file pos.pt is missing, which pos of 'it' needs; put it there"
    )


def test_a_missing_model_is_named_with_the_folder_searched(tmp_path: Path) -> None:
    folder = stanza_folder(tmp_path)
    (folder / "it/pretrain/conll17.pt").unlink()
    assert refused(folder) == (
        f"{folder}: the file it/pretrain/conll17.pt is missing, which pos of 'it' needs; "
        "--download, or another folder in --models"
    )


def test_a_language_whose_models_were_not_fetched_is_told_its_first_file(tmp_path: Path) -> None:
    (tmp_path / "resources.json").write_text(json.dumps(RESOURCES))
    assert refused(tmp_path).startswith(f"{tmp_path}: the file it/tokenize/combined.pt is missing")


def test_a_language_that_is_not_listed_is_answered_with_those_that_are_there(
    tmp_path: Path,
) -> None:
    assert refused(stanza_folder(tmp_path), "xx") == (
        f"{tmp_path}/resources.json: it lists no language 'xx'; one whose models are there: it, vi"
    )
    assert refused(tmp_path, "url").startswith(f"{tmp_path}/resources.json: it lists no language")


def test_a_package_that_is_not_listed_is_named(tmp_path: Path) -> None:
    assert refused(stanza_folder(tmp_path), package="vit") == (
        f"{tmp_path}/resources.json: it lists no package 'vit' of 'it'; --package default"
    )


def test_a_package_that_only_tokenises_is_refused(tmp_path: Path) -> None:
    assert refused(stanza_folder(tmp_path), package="tokens") == (
        f"{tmp_path}/resources.json: the package 'tokens' of 'it' has no pos; a package that parses"
    )


def test_a_list_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    assert "it lists no package 'outside'" in refused(stanza_folder(tmp_path), package="outside")


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 9999])
def test_a_broken_list_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "resources.json").write_text(text)
    assert refused(tmp_path) == (
        f"{tmp_path}/resources.json: this is no list of Stanza models; --download"
    )


@pytest.mark.parametrize(
    "entry", [{"packages": []}, {"packages": {"default": {"pos": 1}}}, {"packages": {"default": 1}}]
)
def test_a_list_of_another_shape_is_no_traceback(tmp_path: Path, entry: object) -> None:
    (tmp_path / "resources.json").write_text(json.dumps({"it": entry}))
    assert "it lists no package 'default' of 'it'" in refused(tmp_path)
