"""Treebanks by name and language: from their repositories into the cache, and from it offline."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.cache import cache_folder, verified
from colorless_green.data.fetch.commands import COLUMNS, fetch
from colorless_green.data.fetch.wire import Wire
from colorless_green.data.tables import Result
from colorless_green.miner.treebank import treebank
from tests.builders import conllu
from tests.data.misbehaving_server import Fault, Server, blob

NOW = "2026-11-21T12:00:00+00:00"
WIRE = Wire(0.5, 3, lambda seconds: None, lambda: 0.0, lambda: 0.5)
README = """# Summary
=== Machine-readable metadata ===
License: CC BY-NC-SA 3.0
Includes text: {text}
"""
ISDT = {
    "README.md": README.format(text="yes").encode(),
    "LICENSE.txt": b"Attribution-NonCommercial-ShareAlike 3.0 Unported\n",
    "CONTRIBUTING.md": b"not wanted",
    "stats.xml": b"<not-wanted/>",
    "not-to-release/it_isdt-ud-train.conllu": b"not wanted",
    "it_isdt-ud-train.conllu": conllu("Sole/NOUN/Sing/0").encode() * 30,
    "it_isdt-ud-dev.conllu": conllu("Luna/NOUN/Sing/0").encode(),
    "it_isdt-ud-test.conllu": conllu("Mari/NOUN/Plur/0").encode(),
}
KEPT = [
    "LICENSE.txt",
    "README.md",
    "it_isdt-ud-dev.conllu",
    "it_isdt-ud-test.conllu",
    "it_isdt-ud-train.conllu",
    "manifest.json",
]
REPOSITORY = "UniversalDependencies/UD_Italian-ISDT"
TRAIN = f"/{REPOSITORY}/r2.16/it_isdt-ud-train.conllu"
TREE = f"/repos/{REPOSITORY}/git/trees/r2.16"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.add_repository(REPOSITORY, "r2.16", ISDT)
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


def call(*names: str, **options: Any) -> Result:
    given: dict[str, Any] = {
        "language": "",
        "everything": False,
        "listing": False,
        "release": "",
        "mirror": "",
        "out": None,
        "now": NOW,
        "wire": WIRE,
    }
    return fetch(names, **(given | options))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_treebank_comes_with_its_licence_and_a_manifest(server: Server, cache: Path) -> None:
    result = call("it_isdt@2.16", mirror=server.base)
    folder = cache / "ud" / "r2.16" / "UD_Italian-ISDT"
    wanted = {name: body for name, body in ISDT.items() if name in KEPT}
    assert result.columns == COLUMNS
    assert result.rows == [
        {
            "name": "UD_Italian-ISDT",
            "version": "2.16",
            "language": "it",
            "licence": "CC-BY-NC-SA-3.0",
            "path": str(folder),
            "size_bytes": sum(map(len, wanted.values())),
            "status": "fetched",
        }
    ]
    assert names_in(folder) == KEPT
    assert {name: (folder / name).read_bytes() for name in wanted} == wanted
    facts = verified(folder)
    assert facts is not None
    assert facts["hashes"] == {name: blob(body) for name, body in wanted.items()}
    assert (facts["repository"], facts["revision"], facts["retrieved"]) == (
        REPOSITORY,
        "r2.16",
        NOW,
    )
    assert names_in(folder.parent) == ["UD_Italian-ISDT"]


def test_the_miner_reads_what_was_fetched(server: Server) -> None:
    (row,) = call("UD_Italian-ISDT@r2.16", mirror=server.base).rows
    found = treebank([Path(str(row["path"]))])
    assert (found.name, found.language) == ("UD_Italian-ISDT", "it")
    assert [file.name.split("-")[2] for file in found.files] == [
        "train.conllu",
        "dev.conllu",
        "test.conllu",
    ]


def test_what_is_cached_needs_no_network(server: Server) -> None:
    (first,) = call("it_isdt@2.16", mirror=server.base).rows
    n_asked = len(server.asked)
    (again,) = call("it_isdt", release="2.16", mirror="http://127.0.0.1:1").rows
    assert again == {**first, "status": "cached"}
    assert len(server.asked) == n_asked


def test_a_cached_file_that_was_changed_is_fetched_again(server: Server, cache: Path) -> None:
    call("it_isdt@2.16", mirror=server.base)
    path = cache / "ud/r2.16/UD_Italian-ISDT/it_isdt-ud-dev.conllu"
    path.write_text("changed")
    (row,) = call("it_isdt@2.16", mirror=server.base).rows
    assert row["status"] == "fetched"
    assert path.read_bytes() == ISDT[path.name]
    assert names_in(cache / "ud/r2.16") == ["UD_Italian-ISDT"]


def test_an_interrupted_call_leaves_nothing_under_the_name_and_the_next_goes_on(
    server: Server, cache: Path
) -> None:
    server.faults[TRAIN] = [Fault(cut_after=500)] + [Fault(hang_up=True)] * 3
    with pytest.raises(InputError, match="3 times in a row"):
        call("it_isdt@2.16", mirror=server.base)
    assert names_in(cache / "ud/r2.16") == [".UD_Italian-ISDT.part"]
    (row,) = call("it_isdt@2.16", mirror=server.base).rows
    assert row["status"] == "fetched"
    asked = [each for each in server.asked if each.path == TRAIN]
    assert asked[-1].range == "bytes=500-"
    dev = TRAIN.replace("train", "dev")
    assert server.n_asked(dev) == 1  # it was whole already


def test_a_tag_that_was_moved_is_noticed(server: Server, cache: Path, tmp_path: Path) -> None:
    call("it_isdt@2.16", mirror=server.base)
    moved = {**ISDT, "it_isdt-ud-dev.conllu": b"other\n"}
    server.add_repository(REPOSITORY, "r2.16", moved)
    (cache / "ud/r2.16/UD_Italian-ISDT/manifest.json").unlink()
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.16", mirror=server.base)
    said = str(caught.value)
    assert said.startswith(
        f"UD_Italian-ISDT@r2.16: is not what it was on its first use ({NOW}): its hash is "
    )
    assert said.endswith(
        "; the old state; if you trust the new one, remove the entry from "
        f"{cache / 'first_use.json'}"
    )


def test_a_release_that_a_treebank_was_not_in_is_an_error_without_network() -> None:
    with pytest.raises(InputError) as caught:
        call("it_old@2.5", mirror="http://127.0.0.1:1")
    assert str(caught.value) == (
        "UD_Italian-Old@2.5: is not in this release, but in 2.13 to 2.18; it_old@2.18"
    )


def test_a_tag_that_is_not_there_is_an_error_that_names_the_release(server: Server) -> None:
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.17", mirror=server.base)
    assert str(caught.value) == (
        "it_isdt: its repository has no release 2.17; 2.18, or another --mirror"
    )


def test_a_full_name_that_no_table_has_is_tried_and_known_by_its_files(server: Server) -> None:
    files = {"README.md": b"", "LICENSE.txt": b"CC BY 4.0", "qtx_new-ud-test.conllu": b"\n"}
    server.add_repository("UniversalDependencies/UD_Klingon-New", "r2.18", files)
    (row,) = call("UD_Klingon-New", mirror=server.base).rows
    assert (row["language"], row["licence"]) == ("qtx", "CC-BY-4.0")
    with pytest.raises(InputError, match="neither a treebank nor a published set"):
        call("UD_Klingon-Newer", mirror=server.base)


def test_files_are_found_in_the_list_not_guessed(server: Server) -> None:
    """At r2.0 the files of UD_English, now UD_English-EWT, had no treebank in their names."""
    files = {"LICENSE.txt": b"CC BY-SA 4.0", "en-ud-train.conllu": b"\n", "README.txt": b""}
    server.add_repository("UniversalDependencies/UD_English-EWT", "r2.0", files)
    result = call("UD_English@2.0", mirror=server.base)
    (row,) = result.rows
    assert names_in(Path(str(row["path"]))) == [
        "LICENSE.txt",
        "README.txt",
        "en-ud-train.conllu",
        "manifest.json",
    ]
    assert result.messages == ("release 2.0 held its test files back; version 2.0-test has them",)


def test_licences_that_contradict_each_other_are_reported_each_time(server: Server) -> None:
    server.add_repository(REPOSITORY, "r2.16", {**ISDT, "LICENSE.txt": b"CC BY-SA 4.0"})
    for _ in range(2):
        assert call("it_isdt@2.16", mirror=server.base).messages == (
            "UD_Italian-ISDT: its README says CC-BY-NC-SA-3.0, its licence file CC-BY-SA-4.0",
        )


def test_a_treebank_without_text_is_refused_before_its_files_come(server: Server) -> None:
    server.add_repository(
        REPOSITORY, "r2.16", {**ISDT, "README.md": README.format(text="no").encode()}
    )
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.16", mirror=server.base)
    assert str(caught.value) == (
        "it_isdt@2.16: its texts are withheld, every form is '_', so that nothing can be mined "
        "from it; another treebank, or one rebuilt from the source that its README names"
    )
    assert server.n_asked(TRAIN) == 0


def test_a_language_is_all_its_treebanks_of_the_release_but_those_withheld(
    server: Server, cache: Path
) -> None:
    for name, text in (("PADT", "yes"), ("NYUAD", "no"), ("PUD", "yes")):
        files = {"README.md": README.format(text=text).encode(), "ar_x-ud-test.conllu": b"\n"}
        server.add_repository(f"UniversalDependencies/UD_Arabic-{name}", "r2.1", files)
    result = call(language="Arabic", release="2.1", mirror=server.base)
    assert [(row["name"], row["status"]) for row in result.rows] == [
        ("UD_Arabic-NYUAD", "withheld"),
        ("UD_Arabic-PADT", "fetched"),
        ("UD_Arabic-PUD", "fetched"),
    ]
    assert result.messages == ("UD_Arabic-NYUAD: its texts are withheld, so it was left out",)
    assert names_in(cache / "ud/r2.1") == ["UD_Arabic-PADT", "UD_Arabic-PUD"]
    offline = call(language="ar", release="2.1", mirror="http://127.0.0.1:1")
    assert [row["status"] for row in offline.rows] == ["withheld", "cached", "cached"]


def test_out_gets_the_folder_itself_and_the_cache_spares_the_network(
    server: Server, tmp_path: Path, cache: Path
) -> None:
    (row,) = call("it_isdt@2.16", mirror=server.base, out=tmp_path / "a").rows
    assert (row["path"], row["status"]) == (str(tmp_path / "a" / "UD_Italian-ISDT"), "fetched")
    assert not (cache / "ud").exists()
    call("it_isdt@2.16", mirror=server.base)
    (row,) = call("it_isdt@2.16", mirror="http://127.0.0.1:1", out=tmp_path / "b").rows
    assert (row["path"], row["status"]) == (str(tmp_path / "b" / "UD_Italian-ISDT"), "copied")
    assert verified(tmp_path / "b" / "UD_Italian-ISDT") == verified(
        cache / "ud/r2.16/UD_Italian-ISDT"
    )
    assert names_in(tmp_path / "b") == ["UD_Italian-ISDT"]


def test_out_keeps_one_release_of_a_treebank(server: Server, tmp_path: Path) -> None:
    call("it_isdt@2.16", mirror=server.base, out=tmp_path)
    with pytest.raises(InputError, match=r"is there and is not UD_Italian-ISDT 2\.17"):
        call("it_isdt@2.17", mirror=server.base, out=tmp_path)


def test_what_an_earlier_call_left_and_nobody_wants_now_does_not_come_along(
    server: Server, cache: Path
) -> None:
    left = cache / "ud/r2.16/.UD_Italian-ISDT.part"
    (left / "deep").mkdir(parents=True)
    (left / "it_isdt-ud-old.conllu").write_text("old")
    (row,) = call("it_isdt@2.16", mirror=server.base).rows
    assert names_in(Path(str(row["path"]))) == KEPT


def test_out_never_replaces_what_is_there(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Italian-ISDT"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.16", mirror=server.base, out=tmp_path)
    assert str(caught.value) == (
        f"{folder}: is there and is not UD_Italian-ISDT 2.16; another --out"
    )
    assert names_in(folder) == ["mine.txt"]


def test_a_folder_serves_as_a_mirror(tmp_path: Path) -> None:
    there = tmp_path / "mirror" / REPOSITORY / "r2.16"
    there.mkdir(parents=True)
    for name, body in ISDT.items():
        (there / name).parent.mkdir(exist_ok=True)
        (there / name).write_bytes(body)
    for mirror in (str(tmp_path / "mirror"), (tmp_path / "mirror").as_uri()):
        (row,) = call("it_isdt@2.16", mirror=mirror).rows
        assert names_in(Path(str(row["path"]))) == KEPT
    with pytest.raises(InputError, match="the mirror has no such folder"):
        call("it_vit@2.16", mirror=mirror)


def test_a_record_of_first_uses_that_is_broken_is_named(server: Server, cache: Path) -> None:
    cache.mkdir()
    (cache / "first_use.json").write_text('{"x": 3}')
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.16", mirror=server.base)
    assert str(caught.value) == (
        f"{cache / 'first_use.json'}: this is no record of first uses; the file as it was "
        "written, or none"
    )


def test_a_cache_that_cannot_be_written_is_named(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError) as caught:
        call("it_isdt@2.16", mirror=server.base)
    assert str(caught.value) == (
        f"{tmp_path / 'file'}: cannot be written (Not a directory); room there, or another folder "
        "in the environment variable COLORLESS_CACHE or by --out"
    )


def test_the_list_says_what_there_is_and_what_is_cached(server: Server) -> None:
    call("it_isdt@2.16", mirror=server.base)
    rows = call(listing=True, language="it", release="2.16").rows
    assert {
        "name": "it_isdt",
        "what": "UD_Italian-ISDT",
        "version": "2.16",
        "language": "it",
        "licence": "CC-BY-NC-SA-3.0",
        "status": "cached",
    } in rows
    names = [row["name"] for row in rows]
    assert names == [
        "it_isdt",
        "it_markit",
        "it_old",
        "it_pud",
        "it_partut",
        "it_parlamint",
        "it_postwita",
        "it_twittiro",
        "it_vit",
        "it_valico",
        "gulordava2018[:PART]",
        "multiblimp[:PART]",
        "unimorph:LANGUAGE",
    ]
    assert [row["status"] for row in rows].count("cached") == 1


def test_the_list_is_narrowed_by_names_and_says_if_nothing_is_left() -> None:
    assert [row["name"] for row in call("ewt", listing=True).rows] == ["en_ewt", "et_ewt"]
    nothing = call("xyz", listing=True)
    assert (nothing.rows, nothing.found) == ([], False)


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        ([], {}, "fetch: nothing is named; a name, --language CODE, or --all; --list shows names"),
        (
            ["it_isdt:x"],
            {},
            "it_isdt:x: a treebank has no parts; it_isdt alone",
        ),
        (
            ["it_isdt@x"],
            {},
            "it_isdt: 'x' is no release of Universal Dependencies 2; a version from 2.0 to 2.18",
        ),
        (
            [],
            {"language": "wo", "release": "2.1"},
            "--language: release 2.1 has no treebank of 'wo'; a newer --release",
        ),
    ],
)
def test_what_cannot_be_meant_is_an_error(
    names: list[str], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        call(*names, mirror="http://127.0.0.1:1", **options)
    assert str(caught.value) == said


def test_nothing_is_fetched_if_one_of_the_names_is_wrong(server: Server) -> None:
    with pytest.raises(InputError, match="'it_isd': neither a treebank nor a published set"):
        call("it_isdt@2.16", "it_isd", mirror=server.base)
    assert server.asked == []


def test_the_cache_has_its_place_from_the_environment_or_the_system(tmp_path: Path) -> None:
    assert cache_folder({"COLORLESS_CACHE": str(tmp_path)}) == tmp_path
    assert cache_folder({}).name == "colorless-green"
    assert cache_folder({"COLORLESS_CACHE": ""}) == cache_folder({})


def test_the_record_of_first_uses_is_readable(server: Server, cache: Path) -> None:
    call("it_isdt@2.16", mirror=server.base)
    (key,) = record = json.loads((cache / "first_use.json").read_text())
    assert key == "UD_Italian-ISDT@r2.16"
    assert record[key]["first_use"] == NOW
