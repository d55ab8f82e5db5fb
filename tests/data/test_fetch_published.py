"""Published sets: files of a repository at one commit, by part, with their licence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.catalogue import set_named
from colorless_green.data.fetch.commands import fetch
from colorless_green.data.fetch.wire import Wire
from colorless_green.data.tables import Result
from tests.data.misbehaving_server import Server, blob

WIRE = Wire(0.5, 3, lambda seconds: None, lambda: 0.0, lambda: 0.5)
NOWHERE = "http://127.0.0.1:1"
NEWEST = "a1" * 20


def commit(name: str, part: str = "") -> str:
    found = set_named(name)
    assert found is not None
    return dict(found.revisions)[part]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
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
        "now": "2026-11-21T12:00:00+00:00",
        "wire": WIRE,
    }
    return fetch(names, **(given | options))


def names_in(row: Any) -> list[str]:
    return sorted(path.name for path in Path(str(row["path"])).iterdir())


def add_blimp(server: Server) -> None:
    files = {
        "README.md": b"BLiMP",
        "BLiMP.zip": b"zip",
        "data/passive_1.jsonl": b"{}\n",
        "data/drop_argument.jsonl": b"{}\n",
    }
    server.add_repository("alexwarstadt/blimp", commit("blimp"), files)


def add_multiblimp(server: Server) -> None:
    revision = commit("multiblimp")
    files = {"README.md": b"card", "nld/data.tsv": b"a\tb\n", "eng/data.tsv": b"c\td\n"}
    rows = [
        {"type": "file", "path": path, "size": len(body), "oid": blob(body)}
        for path, body in files.items()
    ]
    base = "jumelet/multiblimp"
    server.files[f"/api/datasets/{base}/tree/{revision}"] = json.dumps(rows).encode()
    for path, body in files.items():
        server.files[f"/datasets/{base}/resolve/{revision}/{path}"] = body


def test_a_set_comes_at_its_commit_with_licence_and_readme(server: Server, cache: Path) -> None:
    add_blimp(server)
    (row,) = call("BLiMP", mirror=server.base).rows
    assert row["path"] == str(cache / "published" / "blimp" / commit("blimp"))
    assert (row["name"], row["version"], row["language"]) == ("blimp", commit("blimp"), "en")
    assert row["licence"] == "CC-BY-4.0"
    assert names_in(row) == [
        "README.md",
        "drop_argument.jsonl",
        "manifest.json",
        "passive_1.jsonl",
    ]
    assert call("blimp", mirror=NOWHERE).rows == [{**row, "status": "cached"}]


def test_a_set_with_parts_comes_whole_or_by_part(server: Server, cache: Path) -> None:
    add_multiblimp(server)
    (row,) = call("multiblimp:NLD", mirror=server.base).rows
    assert (row["name"], row["language"]) == ("multiblimp:nld", "nld")
    assert names_in(row) == ["README.md", "data.tsv", "manifest.json"]
    assert row["path"] == str(cache / "published" / "multiblimp" / commit("multiblimp") / "nld")
    both = call("multiblimp", mirror=server.base).rows
    assert [(each["name"], each["status"]) for each in both] == [
        ("multiblimp:eng", "fetched"),
        ("multiblimp:nld", "cached"),
    ]
    offline = call("multiblimp", mirror=NOWHERE).rows  # the list of its parts is kept
    assert [each["status"] for each in offline] == ["cached", "cached"]


def test_a_part_that_is_not_there_is_answered_with_those_that_are(server: Server) -> None:
    add_multiblimp(server)
    with pytest.raises(InputError) as caught:
        call("multiblimp:xyz", mirror=server.base)
    assert str(caught.value) == "multiblimp:xyz: it has no such part; one of eng, nld"


def test_the_sets_of_the_paper_are_parts_by_language(server: Server) -> None:
    files = {
        "LICENSE": b"CC BY-NC 4.0",
        "data/agreement/Italian/generated.tab": b"tab",
        "data/agreement/Italian/tmp/generated.tab": b"not wanted",
        "data/evaluation_output/Italian/best_model.tab": b"results",
        "data/agreement/English/generated.text": b"text",
        "data/agreement/README.md": b"not wanted",
        "data/linzen_testset/subj_agr_filtered.gold": b"gold",
    }
    repository = "facebookresearch/colorlessgreenRNNs"
    server.add_repository(repository, commit("gulordava2018"), files)
    rows = call("gulordava2018", mirror=server.base).rows
    assert [(row["name"], row["language"]) for row in rows] == [
        ("gulordava2018:english", "en"),
        ("gulordava2018:italian", "it"),
    ]
    assert names_in(rows[1]) == ["LICENSE", "best_model.tab", "generated.tab", "manifest.json"]
    (row,) = call("linzen2016", mirror=server.base).rows
    assert names_in(row) == ["LICENSE", "manifest.json", "subj_agr_filtered.gold"]


def test_a_lexicon_without_a_pinned_commit_stays_at_that_of_its_first_use(server: Server) -> None:
    files = {"README.md": b"", "ita": b"x", "ita.segmentations": b"y", "notes.txt": b"no"}
    server.files["/repos/unimorph/ita/commits/HEAD"] = json.dumps({"sha": NEWEST}).encode()
    server.add_repository("unimorph/ita", NEWEST, files)
    (row,) = call("unimorph:ita", mirror=server.base).rows
    assert (row["version"], row["language"]) == (NEWEST, "ita")
    assert names_in(row) == ["README.md", "ita", "ita.segmentations", "manifest.json"]
    server.files["/repos/unimorph/ita/commits/HEAD"] = json.dumps({"sha": "b2" * 20}).encode()
    assert call("unimorph:ita", mirror=server.base).rows == [{**row, "status": "cached"}]
    assert call("unimorph:ita", mirror=NOWHERE).rows == [{**row, "status": "cached"}]


def test_a_lexicon_with_a_pinned_commit_asks_for_no_other(server: Server) -> None:
    pinned = commit("unimorph", "heb")
    server.add_repository("unimorph/heb", pinned, {"heb": b"x", "from_UD_unvoc": b"y"})
    (row,) = call("unimorph:heb", mirror=server.base).rows
    assert row["version"] == pinned
    assert names_in(row) == ["from_UD_unvoc", "heb", "manifest.json"]
    assert server.n_asked("/repos/unimorph/heb/commits/HEAD") == 0


def test_a_commit_may_be_named(server: Server) -> None:
    server.add_repository("alexwarstadt/blimp", NEWEST, {"data/new.jsonl": b"{}\n"})
    (row,) = call(f"blimp@{NEWEST}", mirror=server.base).rows
    assert (row["version"], names_in(row)) == (NEWEST, ["manifest.json", "new.jsonl"])


def test_a_folder_as_mirror_gives_the_parts_it_has(tmp_path: Path) -> None:
    folder = tmp_path / "m/datasets/jumelet/multiblimp/resolve" / commit("multiblimp") / "ell"
    folder.mkdir(parents=True)
    (folder / "data.tsv").write_bytes(b"a\n")
    (row,) = call("multiblimp", mirror=str(tmp_path / "m"), out=tmp_path / "out").rows
    assert row["path"] == str(tmp_path / "out" / "multiblimp-ell")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("blimp:en", "blimp:en: this set has no parts; blimp"),
        ("unimorph", "unimorph: each language has a repository of its own; unimorph:ita, say"),
        ("unimorph:../x", "unimorph:../x: '../x' is no name of a part; unimorph:ita"),
        ("blimp@master", "blimp@master: this is no commit; its 40 hexadecimal digits"),
        ("unimorph:xxx", "unimorph:xxx: there is no repository unimorph/xxx; another language"),
        (
            "clams",
            f"clams: aaronmueller/clams has no commit {commit('clams')}; another commit, or "
            "another --mirror",
        ),
    ],
)
def test_what_cannot_be_had_is_an_error(server: Server, name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        call(name, mirror=server.base)
    assert str(caught.value) == said


def test_two_files_of_one_name_are_refused(server: Server) -> None:
    files = {
        "data/agreement/Italian/x.tab": b"1",
        "data/evaluation_output/Italian/x.tab": b"2",
    }
    repository = "facebookresearch/colorlessgreenRNNs"
    server.add_repository(repository, commit("gulordava2018"), files)
    with pytest.raises(InputError) as caught:
        call("gulordava2018:italian", mirror=server.base)
    assert str(caught.value) == (
        "gulordava2018:italian: two of its files have one name; another revision"
    )
