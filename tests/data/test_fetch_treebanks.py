"""Treebanks by name and language: from their repositories into the cache, and from it offline."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.data.fetch.fetched_folder import COLUMNS, cache_folder
from colorless_green.data.files import read_manifest
from colorless_green.miner import treebank
from tests.builders import conllu
from tests.data.misbehaving_server import (
    NOW,
    NOWHERE,
    Fault,
    Server,
    archive_path,
    call,
    files_in,
    refused,
)

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
ARCHIVE = archive_path(REPOSITORY, "r2.16")


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
    facts = read_manifest(folder)
    assert facts["files"] == {
        name: hashlib.sha256(body).hexdigest() for name, body in wanted.items()
    }
    assert facts["url"] == f"https://github.com{ARCHIVE}"  # wherever it came from
    assert facts["sha256"] == hashlib.sha256(server.files[ARCHIVE]).hexdigest()
    assert facts["retrieved"] == NOW
    assert names_in(folder.parent) == ["UD_Italian-ISDT"]


def test_the_miner_reads_what_was_fetched(server: Server) -> None:
    (row,) = call("UD_Italian-ISDT@r2.16", mirror=f"{server.base}/").rows  # as well with a slash
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
    (again,) = call("it_isdt", release="2.16", mirror=NOWHERE).rows
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


def test_an_interrupted_call_leaves_nothing(server: Server, cache: Path) -> None:
    server.faults[ARCHIVE] = [Fault(cut_after=100)] + [Fault(hang_up=True)] * 2
    with refused("network"):
        call("it_isdt@2.16", mirror=server.base)
    assert files_in(cache) == []
    (row,) = call("it_isdt@2.16", mirror=server.base).rows
    assert row["status"] == "fetched"


def test_a_tag_that_was_moved_is_noticed(server: Server, cache: Path) -> None:
    call("it_isdt@2.16", mirror=server.base)
    manifest = cache / "ud/r2.16/UD_Italian-ISDT/manifest.json"
    manifest.unlink()
    server.add_repository(REPOSITORY, "r2.16", dict(reversed(ISDT.items())))
    call("it_isdt@2.16", mirror=server.base)  # the order in the archive does not count
    moved = {**ISDT, "it_isdt-ud-dev.conllu": b"other\n"}
    server.add_repository(REPOSITORY, "r2.16", moved)
    manifest.unlink()
    with refused("changed", "content of UD_Italian-ISDT@2.16"):
        call("it_isdt@2.16", mirror=server.base)


def test_a_tag_that_is_not_there_is_an_error_that_names_the_release(server: Server) -> None:
    missing = server.base + archive_path(REPOSITORY, "r2.17")
    with refused("missing", missing):
        call("it_isdt@2.17", mirror=server.base)


def test_files_are_found_in_the_archive_not_guessed(server: Server) -> None:
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
    assert any("2.0-test" in message for message in result.messages)


def test_licences_that_contradict_each_other_are_reported_each_time(server: Server) -> None:
    server.add_repository(REPOSITORY, "r2.16", {**ISDT, "LICENSE.txt": b"CC BY-SA 4.0"})
    for _ in range(2):
        (message,) = call("it_isdt@2.16", mirror=server.base).messages
        for named in ("UD_Italian-ISDT", "CC-BY-NC-SA-3.0", "CC-BY-SA-4.0"):
            assert named in message


def test_a_treebank_without_text_comes_with_a_note_each_time(server: Server) -> None:
    files = {**ISDT, "README.md": README.format(text="no").encode()}
    server.add_repository(REPOSITORY, "r2.16", files)
    for _ in range(2):
        result = call("it_isdt@2.16", mirror=server.base)
        assert [row["licence"] for row in result.rows] == ["CC-BY-NC-SA-3.0"]
        (message,) = result.messages
        assert "UD_Italian-ISDT" in message
        assert "withheld" in message
    assert server.n_asked(ARCHIVE) == 1


def test_a_language_is_all_its_treebanks_of_the_release(server: Server, cache: Path) -> None:
    for name in ("PADT", "NYUAD", "PUD"):
        files = {"README.md": b"License: MIT", "ar_x-ud-test.conllu": b"\n"}
        server.add_repository(f"UniversalDependencies/UD_Arabic-{name}", "r2.1", files)
    for mirror, status in ((server.base, "fetched"), (NOWHERE, "cached")):
        result = call(language="ar", release="2.1", mirror=mirror)
        assert [(row["name"], row["status"]) for row in result.rows] == [
            ("UD_Arabic-NYUAD", status),
            ("UD_Arabic-PADT", status),
            ("UD_Arabic-PUD", status),
        ]


def test_out_gets_the_folder_itself(server: Server, tmp_path: Path, cache: Path) -> None:
    (row,) = call("it_isdt@2.16", mirror=server.base, out=tmp_path / "a").rows
    assert (row["path"], row["status"]) == (str(tmp_path / "a" / "UD_Italian-ISDT"), "fetched")
    assert not (cache / "ud").exists()
    assert names_in(tmp_path / "a") == ["UD_Italian-ISDT"]
    again = call("it_isdt@2.16", mirror=NOWHERE, out=tmp_path / "a").rows
    assert again == [{**row, "status": "cached"}]


def test_out_keeps_one_release_of_a_treebank(server: Server, tmp_path: Path) -> None:
    call("it_isdt@2.16", mirror=server.base, out=tmp_path)
    with refused("conflict", tmp_path / "UD_Italian-ISDT"):
        call("it_isdt@2.17", mirror=server.base, out=tmp_path)


def test_out_never_replaces_what_is_there(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Italian-ISDT"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with refused("conflict", folder):
        call("it_isdt@2.16", mirror=server.base, out=tmp_path)
    assert names_in(folder) == ["mine.txt"]


@pytest.mark.parametrize("text", ['{"content of UD_Italian-ISDT@2.16": 3}', "[]x", "3"])
def test_a_record_of_first_uses_that_is_broken_is_named(
    server: Server, cache: Path, text: str
) -> None:
    cache.mkdir()
    (cache / "first_use.json").write_text(text)
    with refused("format", cache / "first_use.json"):
        call("it_isdt@2.16", mirror=server.base)


def test_a_cache_that_cannot_be_written_is_named(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "file"))
    with refused("unwritable", tmp_path / "file"):
        call("it_isdt@2.16", mirror=server.base)


@pytest.mark.parametrize(
    ("names", "options", "kind", "place"),
    [
        ([], {}, "missing", "names"),
        (["UD_Italian-ISTD"], {}, "unknown", "'UD_Italian-ISTD'"),
        (["it_old@2.5"], {}, "unknown", "UD_Italian-Old@2.5"),
        (["it_isdt"], {"out": "~nosuchuser"}, "missing", "~nosuchuser"),
        (["it_isdt:x"], {}, "unknown", "'it_isdt:x'"),
        (["it_isdt@x"], {}, "value", "it_isdt"),
        ([], {"language": "wo", "release": "2.1"}, "unknown", "language"),
        ([], {"language": "Itallian"}, "unknown", "language"),
        (["it_isdt"], {"release": "1.4"}, "value", "release"),
        (["it_isdt"], {"mirror": "ftp://example.org"}, "value", "COLORLESS_MIRROR"),
        (["it_isdt"], {"mirror": "nowhere"}, "value", "COLORLESS_MIRROR"),
        (["it_isdt"], {"mirror": "https://example.org/?a=1"}, "value", "COLORLESS_MIRROR"),
        (["it_isdt"], {"mirror": "http://["}, "value", "COLORLESS_MIRROR"),
        (["it_isdt"], {"mirror": "https:///x"}, "value", "COLORLESS_MIRROR"),
    ],
)
def test_what_cannot_be_meant_is_an_error(
    names: list[str], options: dict[str, Any], kind: str, place: str
) -> None:
    with refused(kind, place):
        call(*names, **{"mirror": NOWHERE, **options})


def test_nothing_is_fetched_if_one_of_the_names_is_wrong(server: Server) -> None:
    with refused("unknown", "'it_isd'"):
        call("it_isdt@2.16", "it_isd", mirror=server.base)
    assert server.asked == []


@pytest.mark.parametrize(
    ("named", "kind"), [("", ""), ("~/data", ""), ("~nosuchuser/data", "missing")]
)
def test_the_cache_has_its_place_from_the_environment_or_the_system(
    cache: Path, monkeypatch: pytest.MonkeyPatch, named: str, kind: ErrorKind
) -> None:
    assert cache_folder() == cache
    monkeypatch.setenv("COLORLESS_CACHE", named)
    if kind:
        with refused(kind, named):
            call("it_isdt@2.16", mirror=NOWHERE)
    else:
        assert cache_folder().name == (Path(named).name or "colorless-green")


def test_the_record_of_first_uses_is_readable(server: Server, cache: Path) -> None:
    call("it_isdt@2.16", mirror=server.base)
    (key,) = record = json.loads((cache / "first_use.json").read_text())
    assert key == "content of UD_Italian-ISDT@2.16"
    sums = {name: hashlib.sha256(body).hexdigest() for name, body in ISDT.items() if name in KEPT}
    lines = sorted(f"{sums[name]} {name}\n" for name in sums)
    value = hashlib.sha256("".join(lines).encode()).hexdigest()  # as in version 1
    assert record[key] == {"value": value, "first_use": NOW}


HOSTILE = [
    "README./../../x.conllu",
    "README.//x",
    "/README.md",
    "../README.md",
    "README.\n",
    "README.a\\b",
    "README.c:x",
    "README./nul",
    "README./CON.txt",
    "README./.git",
    "README./-rf",
    "README.ü",
    "README." + "x" * 240,
]


@pytest.mark.parametrize("path", HOSTILE)
def test_paths_that_mean_harm_are_left_out_or_refused(
    server: Server, cache: Path, path: str
) -> None:
    server.add_repository(REPOSITORY, "r2.16", {**ISDT, path: b"x"})
    rows: list[Any] = []
    with suppress(InputError):
        rows = list(call("it_isdt@2.16", mirror=server.base).rows)
    for row in rows:
        assert names_in(Path(row["path"])) == KEPT
    left = [Path(file).parent for file in files_in(cache) if file != "first_use.json"]
    assert set(left) == ({Path("ud/r2.16/UD_Italian-ISDT")} if rows else set())


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.from_regex(r"README\.[./\\a-z:~-]{1,12}", fullmatch=True))
def test_whatever_path_an_archive_has_the_file_stays_in_its_folder(
    server: Server, path: str
) -> None:
    files = {"it_isdt-ud-dev.conllu": b"\n", path: b"x"}
    server.add_repository(REPOSITORY, "r2.16", files)
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLORLESS_CACHE", name)
        folder = Path(name) / "ud" / "r2.16" / "UD_Italian-ISDT"
        with suppress(InputError):
            call("it_isdt@2.16", mirror=server.base)
        files_there = [each for each in Path(name).rglob("*") if each.is_file()]
        written = [each for each in files_there if each.read_bytes() == b"x"]
        assert [each.parent for each in written] in ([], [folder])
        assert not any(set(each.name) & set('\\:*?"<>|~') for each in written)
