"""Releases from their one archive: checked as a whole, taken apart, kept while it may be needed."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.fetch.catalogue import releases, treebanks_of_release
from colorless_green.data.files import read_manifest
from colorless_green.data.result import Result
from tests.data.misbehaving_server import NOWHERE, Server, call, files_in, packed, refused

NAME = "ud-treebanks-v2.17.tgz"  # no checksum in the table
ARCHIVE = f"/repository/server/api/core/bitstreams/handle/11234/1-6036/{NAME}"
TOP = "ud-treebanks-v2.17"
MEMBERS = [
    (f"{TOP}/UD_Italian-VIT/LICENSE.txt", b"CC BY-NC-SA 3.0"),
    (f"{TOP}/UD_Italian-VIT/README.md", b"Includes text: yes\n"),
    (f"{TOP}/UD_Italian-VIT/it_vit-ud-test.conllu", b"vit\n"),
    (f"{TOP}/UD_Italian-VIT/it_vit-ud-test.txt", b"plain text, not kept"),
    (f"{TOP}/UD_Italian-VIT/deep/it_vit-ud-dev.conllu", b"not kept"),
    (f"{TOP}/UD_Italian-ISDT/it_isdt-ud-test.conllu", b"isdt\n"),
    (f"{TOP}/UD_Wolof-WTB/wo_wtb-ud-test.conllu", b"wolof\n"),
    (f"{TOP}/UD_Arabic-NYUAD/README.md", b"Includes text: no\n"),
    (f"{TOP}/UD_Arabic-NYUAD/ar_nyuad-ud-test.conllu", b"_\n"),
    (f"{TOP}/UD_Swiss_German-UZH/gsw_uzh-ud-test.conllu", b"alemannic\n"),
]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.files[ARCHIVE] = packed(MEMBERS)
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


def archived(**options: Any) -> Result:
    """`call` with `--all`, release 2.17 unless another is given."""
    return call(all_=True, **{"release": "2.17", **options})


def test_all_of_a_release_comes_from_one_file(server: Server, cache: Path, tmp_path: Path) -> None:
    result = archived(mirror=server.base)
    assert [(row["name"], row["language"], row["status"]) for row in result.rows] == [
        ("UD_Alemannic-UZH", "gsw", "fetched"),  # called Swiss_German in the archive
        ("UD_Arabic-NYUAD", "ar", "fetched"),
        ("UD_Italian-ISDT", "it", "fetched"),
        ("UD_Italian-VIT", "it", "fetched"),
        ("UD_Wolof-WTB", "wo", "fetched"),
    ]
    assert files_in(cache / "ud" / "r2.17" / "UD_Italian-VIT") == [
        "LICENSE.txt",
        "README.md",
        "it_vit-ud-test.conllu",
        "manifest.json",
    ]
    assert any("NYUAD" in note and "withheld" in note for note in result.messages)
    facts = read_manifest(cache / "ud" / "r2.17" / "UD_Wolof-WTB")
    assert facts["sha256"] == hashlib.sha256(server.files[ARCHIVE]).hexdigest()
    assert len(server.asked) == 1
    assert not list(cache.rglob("*.tgz"))
    rows = archived(mirror=server.base, out=tmp_path / "out").rows
    assert [row["path"] for row in rows] == sorted(map(str, (tmp_path / "out").iterdir()))
    assert len(rows) == len(result.rows)


def test_a_whole_release_is_at_hand_offline_and_so_is_each_part_of_it(server: Server) -> None:
    """Here with as many treebanks as the table has."""
    entries = treebanks_of_release("2.17")
    server.files[ARCHIVE] = packed(
        (f"{TOP}/{entry.repository}/{entry.code}-ud-test.conllu", b"\n") for entry in entries
    )
    assert len(archived(mirror=server.base).rows) == len(entries)
    assert {row["status"] for row in archived(mirror=NOWHERE).rows} == {"cached"}
    rows = call("wo_wtb@2.17", language="it", release="2.17", mirror=NOWHERE).rows
    assert {row["status"] for row in rows} == {"cached"}


def test_what_a_killed_call_left_does_not_matter_and_goes(server: Server, cache: Path) -> None:
    left = cache / "arriving" / "_UD_Wolof-WTB"
    left.mkdir(parents=True)
    (left / "wo_wtb-ud-test.conllu").write_text("half")
    (left.parent / NAME).write_bytes(server.files[ARCHIVE][:100])
    row = archived(mirror=server.base).rows[-1]
    assert (Path(str(row["path"])) / "wo_wtb-ud-test.conllu").read_text() == "wolof\n"
    assert not (cache / "arriving").exists()


def test_another_archive_than_the_first_time_is_an_error(
    server: Server, cache: Path, tmp_path: Path
) -> None:
    archived(mirror=server.base)
    server.files[ARCHIVE] = packed([*MEMBERS, (f"{TOP}/UD_X-Y/x_y-ud-test.conllu", b"more")])
    with refused("changed", server.base + ARCHIVE):
        archived(mirror=server.base, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_page_in_place_of_the_archive_is_not_remembered(server: Server, cache: Path) -> None:
    right = server.files[ARCHIVE]
    server.files[ARCHIVE] = b"<html>this repository has moved</html>"
    with refused("format"):
        archived(mirror=server.base)
    assert files_in(cache) == []
    server.files[ARCHIVE] = right
    assert len(archived(mirror=server.base).rows) == 5


def test_an_archive_whose_checksum_the_table_has_must_have_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = hashlib.sha256(server.files[ARCHIVE]).hexdigest()
    for known in ("0" * 64, right):
        monkeypatch.setitem(releases()["2.17"], "sha256", known)
        if known != right:
            with refused("changed", server.base + ARCHIVE):
                archived(mirror=server.base)
    assert len(archived(mirror=server.base).rows) == 5


def test_a_wrong_archive_of_a_known_release_gives_no_treebank(server: Server, cache: Path) -> None:
    place = "/repository/server/api/core/bitstreams/handle/11234/1-5901/ud-treebanks-v2.16.tgz"
    server.files[place] = packed(MEMBERS)
    with refused("changed", server.base + place):
        archived(release="2.16", mirror=server.base)
    assert files_in(cache) == []


@pytest.mark.parametrize(
    "member",
    [
        f"{TOP}/UD_Wolof-WTB/../../../x.conllu",
        "/etc/x",
        f"{TOP}/UD_Wolof-WTB/wo_wtb-ud-test.conllu",
    ],
)
def test_a_hostile_archive_gives_nothing_at_all(server: Server, cache: Path, member: str) -> None:
    server.files[ARCHIVE] = packed([*MEMBERS, (member, b"evil")])
    with refused("conflict" if member.startswith(f"{TOP}/UD_Wolof-WTB/wo") else "unsafe"):
        archived(mirror=server.base)
    assert files_in(cache) == []


def test_where_the_archive_of_an_unknown_release_lies_is_not_guessed() -> None:
    with refused("unknown", "release 2.99"):
        archived(release="2.99", mirror=NOWHERE)
