"""Releases from their one archive: checked as a whole, taken apart, kept while it may be needed."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.address import Origin
from colorless_green.data.fetch.cache import Errand, verified
from colorless_green.data.fetch.catalogue import Release
from colorless_green.data.fetch.commands import fetch
from colorless_green.data.fetch.release import archive_of
from colorless_green.data.fetch.wire import Wire
from colorless_green.data.progress import silent
from colorless_green.data.tables import Result
from tests.data.misbehaving_server import Fault, Server, packed

NOW = "2026-11-21T12:00:00+00:00"
WIRE = Wire(0.5, 3, lambda seconds: None, lambda: 0.0, lambda: 0.5)
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


def call(*names: str, **options: Any) -> Result:
    given: dict[str, Any] = {
        "language": "",
        "everything": True,
        "listing": False,
        "release": "2.17",
        "mirror": "",
        "out": None,
        "now": NOW,
        "wire": WIRE,
    }
    return fetch(names, **(given | options))


def tree(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def test_all_of_a_release_comes_from_one_file(server: Server, cache: Path) -> None:
    result = call(mirror=server.base)
    assert [(row["name"], row["language"], row["status"]) for row in result.rows] == [
        ("UD_Alemannic-UZH", "gsw", "fetched"),  # called Swiss_German in the archive
        ("UD_Italian-ISDT", "it", "fetched"),
        ("UD_Italian-VIT", "it", "fetched"),
        ("UD_Wolof-WTB", "wo", "fetched"),
    ]
    assert tree(cache / "ud" / "r2.17" / "UD_Italian-VIT") == [
        "LICENSE.txt",
        "README.md",
        "it_vit-ud-test.conllu",
        "manifest.json",
    ]
    assert result.messages[-1].endswith("left out, since their texts are withheld: UD_Arabic-NYUAD")
    assert len(server.asked) == 1
    assert tree(cache / "archives") == []


def test_a_whole_release_is_at_hand_offline_and_so_is_each_part_of_it(server: Server) -> None:
    call(mirror=server.base)
    nowhere = "http://127.0.0.1:1"
    assert [row["status"] for row in call(mirror=nowhere).rows] == ["cached"] * 4
    assert [row["name"] for row in call(language="it", mirror=nowhere).rows] == [
        "UD_Italian-ISDT",
        "UD_Italian-VIT",
    ]
    (row,) = call("wo_wtb@2.17", everything=False, mirror=nowhere).rows
    assert row["status"] == "cached"


def test_of_an_archive_only_what_is_wanted_is_taken_and_the_archive_stays(
    server: Server, cache: Path
) -> None:
    assert [row["name"] for row in call("wo_wtb", mirror=server.base).rows] == ["UD_Wolof-WTB"]
    assert [row["name"] for row in call(language="Italian", mirror="http://127.0.0.1:1").rows] == [
        "UD_Italian-ISDT",
        "UD_Italian-VIT",
    ]
    assert tree(cache / "archives") == [NAME]
    assert len(server.asked) == 1


def test_an_archive_is_resumed_by_the_next_call(server: Server, cache: Path) -> None:
    server.faults[ARCHIVE] = [Fault(cut_after=100)] + [Fault(hang_up=True)] * 3
    with pytest.raises(InputError, match="3 times in a row"):
        call(mirror=server.base)
    assert not (cache / "ud").exists() or tree(cache / "ud") == []
    assert len(call(mirror=server.base).rows) == 4
    assert server.asked[-1].range == "bytes=100-"


def test_what_an_interrupted_unpacking_left_does_not_matter(server: Server, cache: Path) -> None:
    left = cache / "ud" / "r2.17" / ".release-2.17.part" / "UD_Wolof-WTB"
    left.mkdir(parents=True)
    (left / "wo_wtb-ud-test.conllu").write_text("half")
    (row,) = call("wo_wtb", mirror=server.base).rows
    assert (Path(str(row["path"])) / "wo_wtb-ud-test.conllu").read_text() == "wolof\n"
    assert not left.exists()


def test_another_archive_than_the_first_time_is_an_error(server: Server, cache: Path) -> None:
    first = server.files[ARCHIVE]
    call("wo_wtb", mirror=server.base)
    (cache / "archives" / NAME).unlink()
    server.files[ARCHIVE] = packed([*MEMBERS, (f"{TOP}/UD_X-Y/x_y-ud-test.conllu", b"more")])
    with pytest.raises(InputError) as caught:
        call("it_vit", mirror=server.base)
    other = hashlib.sha256(server.files[ARCHIVE]).hexdigest()
    assert str(caught.value) == (
        f"{server.base}{ARCHIVE}: its SHA-256 is {other}, not {hashlib.sha256(first).hexdigest()}, "
        "twice; another --mirror; the server has another file"
    )
    assert tree(cache / "archives") == []


def test_a_page_in_place_of_the_archive_is_not_remembered(server: Server, cache: Path) -> None:
    right = server.files[ARCHIVE]
    server.files[ARCHIVE] = b"<html>this repository has moved</html>"
    with pytest.raises(InputError, match="this is no whole archive"):
        call(mirror=server.base)
    assert [each for each in tree(cache) if not each.startswith("locks/")] == []
    server.files[ARCHIVE] = right
    assert len(call(mirror=server.base).rows) == 4


def test_an_archive_whose_checksum_the_table_has_must_have_it(server: Server, cache: Path) -> None:
    body = packed(MEMBERS)
    server.files["/repository/xmlui/bitstream/handle/11234/1-1/ud-treebanks-v9.9.tgz"] = body
    errand = Errand(Origin(server.base), cache, None, NOW, WIRE, silent)
    right = hashlib.sha256(body).hexdigest()
    release = Release("9.9", "2030-01-01", 4, "1-1", right)
    path, sha256 = archive_of(release, errand)
    assert (path.read_bytes(), sha256) == (body, right)
    path.unlink()
    with pytest.raises(InputError, match=f"its SHA-256 is {right}, not {'0' * 64}, twice"):
        archive_of(Release("9.9", "2030-01-01", 4, "1-1", "0" * 64), errand)
    assert not path.exists()


def test_a_wrong_archive_of_a_known_release_gives_no_treebank(server: Server, cache: Path) -> None:
    place = "/repository/server/api/core/bitstreams/handle/11234/1-5901/ud-treebanks-v2.16.tgz"
    server.files[place] = packed(MEMBERS)
    with pytest.raises(InputError, match="not 87710204b6441736a8a9fed779585aa8"):
        call(release="2.16", mirror=server.base)
    assert [each for each in tree(cache) if not each.startswith("locks/")] == []


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
    with pytest.raises(InputError, match=r"leads out of the archive|comes twice"):
        call(mirror=server.base)
    assert [each for each in tree(cache) if each.startswith("ud/")] == []
    assert not list(cache.rglob("*.part"))


def test_a_name_that_the_archive_has_not_is_an_error(server: Server) -> None:
    with pytest.raises(InputError) as caught:
        call("it_vit", "it_old", mirror=server.base)
    assert str(caught.value) == (
        "UD_Italian-Old@2.17: is not in the archive, or without text; another release"
    )


def test_an_archive_that_is_nowhere_is_an_error_with_both_ways_out(server: Server) -> None:
    with pytest.raises(InputError) as caught:
        call(release="2.18", mirror=server.base)
    assert str(caught.value) == (
        "release 2.18: its archive is not where it was; single treebanks, or --mirror with the "
        "archive"
    )
    assert len(server.asked) == 2


def test_where_the_archive_of_an_unknown_release_lies_is_not_guessed() -> None:
    with pytest.raises(InputError) as caught:
        call(release="2.99", mirror="http://127.0.0.1:1")
    assert str(caught.value) == (
        "release 2.99: where its archive lies is not known; single treebanks"
    )


def test_out_gets_the_treebanks_of_an_archive_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(packed(MEMBERS))
    before = sorted(tmp_path.iterdir())
    result = call(mirror=str(tmp_path), out=tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "cache", tmp_path / "out"])
    assert [row["status"] for row in result.rows] == ["fetched"] * 4
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == [
        "UD_Alemannic-UZH",
        "UD_Italian-ISDT",
        "UD_Italian-VIT",
        "UD_Wolof-WTB",
    ]
    facts = verified(tmp_path / "out" / "UD_Wolof-WTB")
    assert facts is not None
    assert facts["sha256"] == hashlib.sha256((tmp_path / NAME).read_bytes()).hexdigest()
    call(mirror=str(tmp_path))
    assert (tmp_path / NAME).exists()  # a mirror is not ours to tidy up
