"""Lists of files from outside: read strictly, and no path that leads anywhere else."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.address import Origin, origin
from colorless_green.data.fetch.listing import Blob, blobs, fingerprint, is_safe, newest_revision
from colorless_green.data.fetch.transfer import blob_id
from colorless_green.data.fetch.wire import NotThere, Wire
from tests.builders import shared
from tests.data.misbehaving_server import Server, blob

WIRE = Wire(0.5, 2, lambda s: None, lambda: 0.0, lambda: 0.5)
NAME, TAG = "UniversalDependencies/UD_Toy-Test", "r2.16"
PATH = f"/repos/{NAME}/git/trees/{TAG}"
HASH = "ab" * 20


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def listed(server: Server, host: str = "github") -> tuple[Blob, ...]:
    return blobs(Origin(server.base), host, NAME, TAG, WIRE)


def test_files_come_by_path_with_size_and_hash(server: Server) -> None:
    server.add_repository(NAME, TAG, {"b.txt": b"bb", "a/c.txt": b""})
    assert listed(server) == (Blob("a/c.txt", 0, blob(b"")), Blob("b.txt", 2, blob(b"bb")))


def test_links_folders_and_other_repositories_are_no_files(server: Server) -> None:
    rows: list[dict[str, Any]] = [
        {"path": "link", "mode": "120000", "type": "blob", "size": 1, "sha": HASH},
        {"path": "folder", "mode": "040000", "type": "tree", "sha": HASH},
        {"path": "other", "mode": "160000", "type": "commit", "sha": HASH},
        {"path": "file", "mode": "100644", "type": "blob", "size": 1, "sha": HASH},
    ]
    server.files[PATH] = json.dumps({"tree": rows}).encode()
    assert [each.path for each in listed(server)] == ["file"]


def test_a_list_of_the_hub_tells_big_files_by_sha256(server: Server) -> None:
    rows = [
        {"type": "file", "path": "nld/data.tsv", "size": 3, "oid": HASH},
        {
            "type": "file",
            "path": "big.tsv",
            "size": 130,
            "oid": HASH,
            "lfs": {"oid": "cd" * 32, "size": 9, "pointerSize": 130},
        },
        {"type": "directory", "path": "nld", "size": 0, "oid": HASH},
    ]
    server.files[f"/api/datasets/{NAME}/tree/{TAG}"] = json.dumps(rows).encode()
    big, small = listed(server, "hub")
    assert (big.expected.sha256, big.expected.size, big.expected.blob) == ("cd" * 32, 9, "")
    assert (small.expected.blob, small.expected.size, small.expected.sha256) == (HASH, 3, "")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "<html>",
        "{}",
        "3",
        '{"tree": 3}',
        '{"tree": [3]}',
        '{"tree": [{"type": "blob"}]}',
        '{"tree": [{"type": "blob", "path": 3, "size": 1, "sha": "' + HASH + '"}]}',
        '{"tree": [{"type": "blob", "path": "x", "size": "1", "sha": "' + HASH + '"}]}',
        '{"tree": [{"type": "blob", "path": "x", "size": true, "sha": "' + HASH + '"}]}',
        '{"tree": [{"type": "blob", "path": "x", "size": 1, "sha": "../../etc"}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_list_is_an_error(server: Server, answer: str) -> None:
    server.files[PATH] = answer.encode()
    with pytest.raises(InputError) as caught:
        listed(server)
    assert str(caught.value) == (
        f"{server.base}{PATH}: what it sends is no list of files; another --mirror, or try later"
    )


def test_a_list_cut_short_by_the_host_is_an_error(server: Server) -> None:
    server.files[PATH] = b'{"tree": [], "truncated": true}'
    with pytest.raises(InputError, match="its list of files is cut short"):
        listed(server)


def test_a_tag_that_is_not_there_is_told_apart(server: Server) -> None:
    with pytest.raises(NotThere):
        listed(server)


@given(st.text(max_size=30) | st.from_regex(r"[./\\a-z:~-]{1,12}", fullmatch=True))
def test_a_safe_path_stays_in_its_folder_on_any_system(path: str) -> None:
    if is_safe(path):
        assert all(each.isascii() and each.isprintable() for each in path)
        assert not set(path) & set('\\:*?"<>|')
        assert not any(part in ("", ".", "..") or part[-1] == " " for part in path.split("/"))
        base = Path("/a/b")
        assert base in (base / path).resolve().parents


@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a/../../x", "a//b", ".git/config", "C:/x", "nul", "CON.txt", "a\nb", "-rf", ""],
)
def test_paths_that_mean_harm_are_left_out(server: Server, path: str) -> None:
    rows = [{"path": path, "mode": "100644", "type": "blob", "size": 1, "sha": HASH}]
    server.files[PATH] = json.dumps({"tree": rows}).encode()
    assert listed(server) == ()


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from([HASH, "cd" * 20])), max_size=5))
def test_a_fingerprint_knows_no_order_but_every_hash(files: list[tuple[str, str]]) -> None:
    found = [Blob(path, 1, digest) for path, digest in files]
    assert fingerprint(found) == fingerprint(reversed(found))
    if found:
        other = [*found[:-1], Blob(found[-1].path, 1, "ef" * 20)]
        assert fingerprint(found) != fingerprint(other)


def test_the_newest_revision_must_be_a_commit(server: Server) -> None:
    path = f"/repos/{NAME}/commits/HEAD"
    server.files[path] = json.dumps({"sha": HASH}).encode()
    assert newest_revision(Origin(server.base), NAME, WIRE) == HASH
    server.files[path] = b'{"sha": "../.."}'
    with pytest.raises(InputError) as caught:
        newest_revision(Origin(server.base), NAME, WIRE)
    assert str(caught.value) == (
        f"{server.base}{path}: what it sends names no commit; another --mirror"
    )


def test_a_folder_lists_itself(tmp_path: Path) -> None:
    folder = tmp_path / NAME / TAG
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_bytes(b"a")
    (folder / ".hidden").write_bytes(b"")
    assert blobs(Origin(folder=tmp_path), "github", NAME, TAG, WIRE) == (
        Blob("deep/a.txt", 1, blob(b"a")),
    )
    with pytest.raises(InputError, match="the mirror has no such folder"):
        blobs(Origin(folder=tmp_path), "github", NAME, "r2.17", WIRE)


def test_a_mirror_is_an_address_or_a_folder(tmp_path: Path) -> None:
    assert origin("") == Origin()
    assert origin("https://example.org/ud/") == Origin("https://example.org/ud")
    assert origin(str(tmp_path)) == origin(tmp_path.as_uri()) == Origin(folder=tmp_path)


@pytest.mark.parametrize(
    ("mirror", "said"),
    [
        ("ftp://example.org", "there is no folder 'ftp://example.org'; a folder, or an http(s)"),
        ("nowhere", "there is no folder 'nowhere'; a folder, or an http(s) address"),
        ("https://example.org/?a=1", "'https://example.org/?a=1' has a query; an address that"),
        ("http://[", "'http://[' is no address; an http(s) address"),
    ],
)
def test_another_mirror_is_refused(mirror: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        origin(mirror)
    assert str(caught.value).startswith(f"--mirror: {said}")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("part", "known"),
    [
        ("train", "b44e8c79a18a2362b0039462d2ffc53b9a4e1dcc"),
        ("dev", "49f0a804b47112cb7f36d8df1d757cb30d96688a"),
        ("test", "5c0ace468c7b0fec41952807ed7a0670e65f5d0d"),
    ],
)
def test_the_files_of_the_paper_have_the_blob_ids_of_their_tag(
    tmp_path: Path, part: str, known: str
) -> None:
    """UD_English at r2.0 (train, dev) and r2.0-test (test), the English of Gulordava et al."""
    kept = shared("treebanks", "UD_English-EWT-r2.0", f"en-ud-{part}.conllu.gz")
    path = tmp_path / "x.conllu"
    path.write_bytes(gzip.decompress(kept.read_bytes()))
    assert blob_id(path) == known
