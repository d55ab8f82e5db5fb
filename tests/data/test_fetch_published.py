"""Published sets: files of a repository at one commit, by part, with their licence."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green.data import sentence_text
from colorless_green.data.fetch.catalogue import published_sets
from tests.data.misbehaving_server import (
    NOWHERE,
    Server,
    archive_path,
    call,
    files_in,
    in_folder,
    packed,
    refused,
)

NEWEST = "a1" * 20
HEAD = archive_path("unimorph/ita", "HEAD")


def commit(name: str, part: str = "") -> str:
    return next(row.revision for row in published_sets()[name] if part in ("", row.part))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


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
    base = f"/datasets/jumelet/multiblimp/resolve/{commit('multiblimp')}"
    server.files[f"{base}/nld/data.tsv"] = b"a\tb\n"


def test_a_set_comes_at_its_commit_with_licence_and_readme(server: Server, cache: Path) -> None:
    add_blimp(server)
    (row,) = call("BLiMP", mirror=server.base).rows
    assert row["path"] == str(cache / "published" / "blimp" / commit("blimp"))
    assert (row["name"], row["version"], row["language"]) == ("blimp", commit("blimp"), "en")
    assert row["licence"] == "CC-BY-4.0"
    assert names_in(row) == ["README.md", "drop_argument.jsonl", "manifest.json", "passive_1.jsonl"]
    assert call("blimp", mirror=NOWHERE).rows == [{**row, "status": "cached"}]


def test_a_part_may_be_one_file(server: Server, cache: Path) -> None:
    add_multiblimp(server)
    (row,) = call("multiblimp:NLD", mirror=server.base).rows
    assert (row["name"], row["language"]) == ("multiblimp:nld", "nld")
    assert row["licence"] == "LicenseRef-UD-treebanks"
    assert names_in(row) == ["data.tsv", "manifest.json"]
    assert row["path"] == str(cache / "published" / "multiblimp" / commit("multiblimp") / "nld")
    assert call("multiblimp:nld", mirror=NOWHERE).rows == [{**row, "status": "cached"}]


def test_a_set_with_parts_comes_whole_or_by_part(server: Server, cache: Path) -> None:
    files = {f"{part}_evalset/simple.txt": part.encode() for part in ("de", "en", "fr", "he", "ru")}
    server.add_repository("aaronmueller/clams", commit("clams"), files)
    (row,) = call("clams:fr", mirror=server.base).rows
    assert (row["name"], row["language"]) == ("clams:fr", "fr")
    assert row["path"] == str(cache / "published" / "clams" / commit("clams") / "fr")
    rows = call("clams", mirror=server.base).rows
    assert [(row["name"], row["status"]) for row in rows] == [
        ("clams:de", "fetched"),
        ("clams:en", "fetched"),
        ("clams:fr", "cached"),
        ("clams:he", "fetched"),
        ("clams:ru", "fetched"),
    ]
    assert {row["status"] for row in call("clams", mirror=NOWHERE).rows} == {"cached"}


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
    server.files[HEAD] = packed(in_folder(files), NEWEST)
    (row,) = call("unimorph:ita", mirror=server.base).rows
    assert (row["version"], row["language"]) == (NEWEST, "ita")
    assert names_in(row) == ["README.md", "ita", "ita.segmentations", "manifest.json"]
    assert len(server.asked) == 1
    server.files[HEAD] = packed(in_folder(files), "b2" * 20)
    assert call("unimorph:ita", mirror=server.base).rows == [{**row, "status": "cached"}]
    assert call("unimorph:ita", mirror=NOWHERE).rows == [{**row, "status": "cached"}]


def test_a_lexicon_with_a_pinned_commit_asks_for_no_other(server: Server) -> None:
    pinned = commit("unimorph", "heb")
    server.add_repository("unimorph/heb", pinned, {"heb": b"x", "from_UD_unvoc": b"y"})
    (row,) = call("unimorph:heb", mirror=server.base).rows
    assert row["version"] == pinned
    assert names_in(row) == ["from_UD_unvoc", "heb", "manifest.json"]
    assert server.asked == [archive_path("unimorph/heb", pinned)]


LAYOUTS = {  # of files with words of our own: path, text
    "turblimp": (
        "ezgibasar/TurBLiMP",
        "data/augmented/augmented_number.csv",
        "good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon\n"
        "Ben, sen geldik.;Ben, sen geldim.;geldik;geldim;geldik;number\n",
    ),
    "rublimp": (
        "RussianNLP/RuBLiMP",
        "datasets/number_of_verbs.csv",
        "id,source_sentence,target_sentence,source_word,target_word,level,phenomenon,PID,subtype,"
        'domain,tree_depth\n7,"Дом, где я жил, стоит.","Дом, где я жил, стоят.",стоит,стоят,Syntax,'
        "Agreement,number,number_verb,own,2\n",
    ),
    "zhoblimp": (
        "sjtu-compling/ZhoBLiMP",
        "BA_number.jsonl",
        '{"UID":"number","phenomenon":"BA","sentence_good":"他把书看完了。","sentence_bad":"他把看完了书。",'
        '"pairID":0}\n',
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_sets_after_blimp_are_read_with_their_language(name: str, server: Server) -> None:
    repository, path, text = LAYOUTS[name]
    if name == "zhoblimp":  # an archive in the repository
        address = f"/{repository}/raw/{commit(name)}/data/ZhoBLiMP.tar.gz"
        server.files[address] = packed(in_folder({path: text.encode(), "._x.jsonl": b"no"}), "")
    else:
        server.add_repository(repository, commit(name), {path: text.encode(), "README.md": b"r"})
    (row,) = call(name, mirror=server.base).rows
    suite = cg.load_suite(str(row["path"]))
    (item,) = suite.items
    assert (item.language, item.source) == (row["language"], name)
    assert (item.licence, item.construction) == (row["licence"], "number")
    right, wrong = (sentence_text(item.conditions[key][0]) for key in ("right", "wrong"))
    assert right in text
    assert wrong in text
    assert right != wrong
    assert suite.name == {"zhoblimp": name}.get(name, Path(path).stem)
    if name == "zhoblimp":
        assert item.facts["phenomenon"] == "BA"
    else:
        assert item.facts["phenomenon"] in text


def test_what_a_file_tells_of_itself_stays(server: Server) -> None:
    path = "data/own.jsonl"
    line = '{"sentence_good":"Die Schlüssel liegen.","sentence_bad":"Die Schlüssel liegt.",'
    line += '"item_id":"a1","language":"de","licence":"CC0-1.0","source":"own"}\n'
    server.add_repository("alexwarstadt/blimp", NEWEST, {path: line.encode()})
    (row,) = call(f"blimp@{NEWEST}", mirror=server.base).rows
    suite = cg.load_suite(str(row["path"]))
    (item,) = suite.items
    assert (item.language, item.licence, item.source) == ("de", "CC0-1.0", "own")
    assert suite.name == "blimp"


def test_a_commit_may_be_named(server: Server) -> None:
    server.add_repository("alexwarstadt/blimp", NEWEST, {"data/new.jsonl": b"{}\n"})
    (row,) = call(f"blimp@{NEWEST}", mirror=server.base).rows
    assert (row["version"], names_in(row)) == (NEWEST, ["manifest.json", "new.jsonl"])


def test_a_part_under_out_has_its_name(server: Server, tmp_path: Path) -> None:
    add_multiblimp(server)
    (row,) = call("multiblimp:nld", mirror=server.base, out=tmp_path / "out").rows
    assert row["path"] == str(tmp_path / "out" / "multiblimp-nld")


@pytest.mark.parametrize(
    ("name", "kind", "place"),
    [
        ("blimp:en", "unknown", "blimp"),
        ("clams:it", "unknown", "clams"),
        ("unimorph", "unknown", "unimorph"),
        ("multiblimp", "unknown", "multiblimp"),
        ("unimorph:../x", "unknown", "unimorph"),
        ("blimp@master", "value", "blimp@master"),
    ],
)
def test_what_cannot_be_meant_is_an_error_without_network(
    server: Server, name: str, kind: str, place: str
) -> None:
    with refused(kind, place):
        call(name, mirror=server.base)
    assert server.asked == []


@pytest.mark.parametrize("name", ["unimorph:xxx", "multiblimp:xyz", "clams"])
def test_what_is_not_there_is_an_error(server: Server, name: str) -> None:
    with refused("missing"):
        call(name, mirror=server.base)
    assert len(server.asked) == 1


def test_a_commit_without_the_files_of_a_set_is_an_error(server: Server) -> None:
    server.add_repository("alexwarstadt/blimp", NEWEST, {"README.md": b""})
    with refused("missing", f"blimp@{NEWEST}"):
        call(f"blimp@{NEWEST}", mirror=server.base)


@pytest.mark.parametrize("commit", ["../..", "A1" * 20, NEWEST + "0", ""])
def test_the_newest_revision_must_be_a_commit(server: Server, cache: Path, commit: str) -> None:
    server.files[HEAD] = packed(in_folder({"ita": b"x"}), commit)
    with refused("format", f"https://github.com{HEAD}"):
        call("unimorph:ita", mirror=server.base)
    assert files_in(cache) == []


def test_two_files_of_one_name_are_refused(server: Server) -> None:
    files = {"data/agreement/Italian/x.tab": b"1", "data/evaluation_output/Italian/x.tab": b"2"}
    repository = "facebookresearch/colorlessgreenRNNs"
    server.add_repository(repository, commit("gulordava2018"), files)
    with refused("conflict"):
        call("gulordava2018:italian", mirror=server.base)
