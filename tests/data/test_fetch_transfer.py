"""Bytes over a bad line: asked for again, checked, and never half a file under its name."""

import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.fetch import _download
from colorless_green.data.fetch.catalogue import published_sets
from tests.builders import few_examples
from tests.data.misbehaving_server import (
    Fault,
    Server,
    archive_path,
    call,
    files_in,
    in_folder,
    packed,
    refused,
)

BODY = bytes(range(256)) * 400
REPOSITORY = "facebookresearch/colorlessgreenRNNs"
COMMIT = published_sets()["linzen2016"][0].revision
IN_REPOSITORY = "data/linzen_testset/subj_agr_filtered.text"
FILE = archive_path(REPOSITORY, COMMIT)
NAME = "ud-treebanks-v2.17.tgz"  # its checksum is not known before its first use
ARCHIVE = f"/repository/server/api/core/bitstreams/handle/11234/1-6036/{NAME}"
PACKED = packed([("ud/UD_Wolof-WTB/wo_wtb-ud-test.conllu", BODY)])


def serve(server: Server, body: bytes) -> None:
    server.add_repository(REPOSITORY, COMMIT, {IN_REPOSITORY: body})
    server.files[ARCHIVE] = PACKED


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        serve(running, BODY)
        yield running


@pytest.fixture(scope="module")
def lasting() -> Iterator[Server]:
    """One server for all examples of a law."""
    with Server() as running:
        yield running


@pytest.fixture(autouse=True, scope="module")
def direct() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1")
        yield


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLORLESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def got(server: Server, **options: Any) -> bytes:
    """Return the one file of a set as it was fetched."""
    (row,) = call("linzen2016", mirror=server.base, **{"n_tries": 4, **options}).rows
    return (Path(str(row["path"])) / "subj_agr_filtered.text").read_bytes()


def got_archive(server: Server, **options: Any) -> bytes:
    """Return the one treebank of an archive that has no checksum in the table."""
    (row,) = call(all_=True, release="2.17", mirror=server.base, **options).rows
    return (Path(str(row["path"])) / "wo_wtb-ud-test.conllu").read_bytes()


@few_examples
@given(st.binary(max_size=3000), st.lists(st.integers(0, 3000), max_size=3))
def test_a_file_cut_anywhere_up_to_the_most_tries_comes_whole(
    lasting: Server, body: bytes, cuts: list[int]
) -> None:
    serve(lasting, body)
    lasting.faults[FILE] = [Fault(cut_after=cut) for cut in cuts]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLORLESS_CACHE", folder)
        assert got(lasting) == body
        names = sorted(each.rpartition("/")[2] for each in files_in(Path(folder)))
        assert names == ["first_use.json", "manifest.json", "subj_agr_filtered.text"]


@pytest.mark.slow
@settings(max_examples=20)
@given(st.binary(min_size=1, max_size=400), st.data())
def test_a_byte_changed_anywhere_since_the_first_use_is_found(
    lasting: Server, body: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(body) - 1))
    bit = 1 << data.draw(st.integers(0, 7))

    def changed(right: bytes) -> bytes:
        return right[:at] + bytes([right[at] ^ bit]) + right[at + 1 :]

    serve(lasting, body)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLORLESS_CACHE", folder)
        assert got(lasting) == body
        shutil.rmtree(Path(folder) / "published")
        serve(lasting, changed(body))
        with refused("changed", f"content of linzen2016@{COMMIT}"):
            got(lasting)
        assert not [each for each in files_in(Path(folder)) if "subj_agr" in each]
        serve(lasting, body)
        assert got(lasting) == body


def test_a_server_that_falls_silent_is_left_and_asked_again(server: Server) -> None:
    server.faults[FILE] = [Fault(stall_s=1.0)]
    assert got(server) == BODY
    assert server.n_asked(FILE) == 2


def test_a_server_that_hangs_up_is_asked_again_with_longer_waits(server: Server) -> None:
    waits: list[float] = []
    server.faults[FILE] = [Fault(hang_up=True), Fault(status=503), Fault(status=502)]
    assert got(server, waits=waits) == BODY
    assert waits == [1.0, 2.0, 4.0]


def test_a_server_that_asks_for_patience_gets_it(server: Server) -> None:
    waits: list[float] = []
    server.faults[FILE] = [Fault(status=429, headers={"Retry-After": "11"}), Fault(status=503)]
    assert got(server, waits=waits) == BODY
    assert waits == [11, 2]


def test_an_archive_is_tried_again_and_its_place_stays_empty_until_it_is_whole(
    server: Server, cache: Path
) -> None:
    server.faults[ARCHIVE] = [Fault(cut_after=50), Fault(status=500)]
    with refused("network", server.base + ARCHIVE):
        got_archive(server, n_tries=2)
    assert files_in(cache) == []
    assert got_archive(server) == BODY


def leading(target: str) -> Fault:
    return Fault(status=302, headers={"Location": target})


GIVEN_UP: dict[str, tuple[list[Fault], int | None]] = {  # faults → how often it is asked for
    "asks for an hour": ([Fault(status=429, headers={"Retry-After": "3600"})], 1),
    "refuses": ([Fault(status=403)], 1),
    "gives a byte at a time": ([Fault(cut_after=1) for _ in range(99)], 4),
    **{target: ([leading(target)], 1) for target in ("file:///x", "ftp://e.org/x", "gopher://x/")},
    **{target: ([leading(target)] * 30, None) for target in ("", "http://[", "data:,x")},
}


@pytest.mark.parametrize("name", GIVEN_UP)
def test_what_will_not_pass_is_given_up(server: Server, name: str) -> None:
    waits: list[float] = []
    server.faults[FILE], n_asked = GIVEN_UP[name]
    with refused("network", server.base + FILE):
        got(server, waits=waits)
    assert n_asked in (None, server.n_asked(FILE))
    assert n_asked != 1 or waits == []


def test_what_is_not_there_is_not_asked_for_twice(server: Server) -> None:
    del server.files[FILE]
    with refused("missing", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


def test_redirects_are_followed_but_not_for_ever(server: Server) -> None:
    server.faults[FILE] = [Fault(status=302, headers={"Location": FILE})] * 99
    with refused("network", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) < 99
    server.faults[FILE] = [Fault(status=302, headers={"Location": "/0"})]
    server.faults["/0"] = [Fault(status=307, headers={"Location": FILE})]
    assert got(server) == BODY


def test_a_length_announced_but_not_sent_is_a_cut(server: Server) -> None:
    server.faults[FILE] = [Fault(length=len(server.files[FILE]) + 1)]
    with refused("network"):
        got(server, n_tries=1)


def test_a_body_without_length_that_ends_early_is_refused_and_forgotten(
    server: Server, cache: Path
) -> None:
    server.faults[FILE] = [Fault(length=-1, cut_after=100)]
    with refused("format"):
        got(server)
    assert files_in(cache) == []
    assert got(server) == BODY


def test_more_bytes_than_the_most_are_refused_while_they_come(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_download, "MOST_PACKED_BYTES", 50)
    server.faults[FILE] = [Fault(length=-1)]
    with refused("changed", server.base + FILE):
        got(server)
    assert files_in(cache) == []


def test_where_no_server_was_ever_reached_it_is_not_tried_again() -> None:
    with Server() as gone:
        pass
    waits: list[float] = []
    with refused("network"):
        got(gone, waits=waits)
    assert waits == []


@pytest.mark.parametrize("mirror", ["http://a..b/", "http://é..x/"])
def test_an_address_that_is_none_is_an_error(mirror: str) -> None:
    with refused("network"):
        call("linzen2016", mirror=mirror)


def test_progress_tells_kibibytes_done_and_in_all(server: Server) -> None:
    told: list[tuple[str, int, int | None]] = []
    got(server, progress=lambda task, done, total: told.append((task, done, total)))
    size = len(server.files[FILE]) >> 10
    assert [each[1:] for each in told if each[1] == each[2]][-1] == (size, size)
    assert all(task.endswith(".tar.gz (KiB)") for task, _, _ in told)


def streamed(body: bytes) -> httpx2.Response:
    return httpx2.Response(200, stream=httpx2.ByteStream(body))


def mocked(monkeypatch: pytest.MonkeyPatch, answers: dict[str, httpx2.Response]) -> list[str]:
    """Return the addresses asked for; each is answered from `answers`, without any network."""
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return answers.get(asked[-1], httpx2.Response(404))

    client = partial(httpx2.Client, transport=httpx2.MockTransport(answer))
    monkeypatch.setattr(httpx2, "Client", client)
    return asked


@pytest.mark.parametrize("target", ["http://example.org/x", "https://elsewhere.org/x"])
def test_https_never_becomes_http(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    base = "https://example.org/ud"
    answers = {
        f"{base}{FILE}": httpx2.Response(302, headers={"Location": target}),
        target: streamed(packed(in_folder({IN_REPOSITORY: BODY}))),
    }
    asked = mocked(monkeypatch, answers)
    if target.startswith("https"):
        assert len(call("linzen2016", mirror=base).rows) == 1
    else:
        with refused("unsafe", base + FILE):
            call("linzen2016", mirror=base)
        assert target not in asked


@pytest.mark.parametrize(
    ("name", "everything", "hosts"),
    [
        ("linzen2016", False, {"github.com"}),
        ("it_isdt", False, {"github.com"}),
        ("multiblimp:nld", False, {"huggingface.co"}),
        ("", True, {"lindat.mff.cuni.cz"}),
    ],
)
def test_without_a_mirror_the_hosts_themselves_are_asked_by_https(
    monkeypatch: pytest.MonkeyPatch, name: str, everything: bool, hosts: set[str]
) -> None:
    asked = mocked(monkeypatch, {})
    with refused("missing"):
        call(*filter(None, [name]), all_=everything)
    assert {urlsplit(url).hostname for url in asked} == hosts
    assert all(url.startswith("https://") for url in asked)


def test_a_proxy_that_cannot_be_spoken_to_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("all_proxy", "nonsense://127.0.0.1:1")
    with refused("network", server.base + FILE):
        got(server)
