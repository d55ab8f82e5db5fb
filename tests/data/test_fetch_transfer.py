"""Bytes over a bad line: asked for again, checked, and never half a file under its name."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.fetch._transfer import HttpSettings
from colorless_green.data.fetch.catalogue import set_named
from tests.builders import few_examples
from tests.data.misbehaving_server import Fault, Server, call, files_in, packed, refused, tree

BODY = bytes(range(256)) * 400
published = set_named("linzen2016")
assert published is not None
COMMIT = published.revision
IN_REPOSITORY = "data/linzen_testset/subj_agr_filtered.text"
FILE = f"/{published.repository}/{COMMIT}/{IN_REPOSITORY}"
TREE = f"/repos/{published.repository}/git/trees/{COMMIT}"
NAME = "ud-treebanks-v2.17.tgz"  # its checksum is not known before its first use
ARCHIVE = f"/repository/server/api/core/bitstreams/handle/11234/1-6036/{NAME}"
OTHER_WAY = f"/repository/xmlui/bitstream/handle/11234/1-6036/{NAME}"
PACKED = packed([("ud/UD_Wolof-WTB/wo_wtb-ud-test.conllu", BODY)])


def wire(waits: list[float] | None = None, n_tries: int = 4) -> HttpSettings:
    """A wire that does not wait but writes down how long it would have."""
    written = waits if waits is not None else []
    return HttpSettings(0.3, n_tries, written.append)


def serve(server: Server, body: bytes) -> None:
    assert published is not None
    server.add_repository(published.repository, COMMIT, {IN_REPOSITORY: body})
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
    """The one file of a set as it was fetched."""
    (row,) = call("linzen2016", mirror=server.base, **{"wire": wire(), **options}).rows
    return (Path(str(row["path"])) / "subj_agr_filtered.text").read_bytes()


def got_archive(server: Server, **options: Any) -> bytes:
    """The one treebank of an archive that has no checksum in the table."""
    given: dict[str, Any] = {"wire": wire(), **options}
    (row,) = call("wo_wtb@2.17", all_=True, mirror=server.base, **given).rows
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
        names = [each.rpartition("/")[2] for each in files_in(Path(folder))]
        lists = [name for name in names if name.endswith(f"@{COMMIT}.json")]
        listed = ["first_use.json", "manifest.json", "subj_agr_filtered.text", *lists]
        assert sorted(names) == sorted(listed)


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
        lasting.faults[FILE] = [Fault(change=changed)]
        with refused("changed", f"content of linzen2016@{COMMIT}"):
            got(lasting)
        assert not [each for each in files_in(Path(folder)) if "subj_agr" in each]
        assert got(lasting) == body


def test_a_server_that_falls_silent_is_left_and_asked_again(server: Server) -> None:
    server.faults[FILE] = [Fault(stall_s=1.0)]
    assert got(server) == BODY
    assert server.n_asked(FILE) == 2


def test_a_server_that_hangs_up_is_asked_again_with_longer_waits(server: Server) -> None:
    waits: list[float] = []
    server.faults[FILE] = [Fault(hang_up=True), Fault(status=503), Fault(status=502)]
    assert got(server, wire=wire(waits)) == BODY
    assert waits == [1.0, 2.0, 4.0]


def test_a_server_that_asks_for_patience_gets_it(server: Server) -> None:
    waits: list[float] = []
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 60)}
    server.faults[FILE] = [
        Fault(status=429, headers={"Retry-After": "11"}),
        Fault(status=403, headers={"Retry-After": "7"}),
        Fault(status=403, headers=reset),
    ]
    assert got(server, wire=wire(waits)) == BODY
    assert waits[:2] == [11.0, 7.0]
    assert 0 < waits[2] <= 60


def test_a_server_that_asks_for_an_hour_is_an_error_at_once(server: Server) -> None:
    waits: list[float] = []
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 3600)}
    server.faults[FILE] = [Fault(status=403, headers=headers)]
    with refused("network", server.base + FILE):
        got(server, wire=wire(waits))
    assert (waits, server.n_asked(FILE)) == ([], 1)


def test_an_archive_is_tried_again_and_its_place_stays_empty_until_it_is_whole(
    server: Server, cache: Path
) -> None:
    server.faults[ARCHIVE] = [Fault(cut_after=50), Fault(status=500)]
    with refused("network", server.base + ARCHIVE):
        got_archive(server, wire=wire(n_tries=2))
    assert files_in(cache) == []
    assert got_archive(server) == BODY


def test_what_is_not_there_is_not_asked_for_twice(server: Server) -> None:
    del server.files[FILE]
    with refused("missing", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


def test_a_refusal_is_an_error_at_once(server: Server) -> None:
    server.faults[FILE] = [Fault(status=403)]
    with refused("network", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


def test_five_redirects_are_followed_and_no_sixth(server: Server) -> None:
    for number in range(9):
        server.faults[f"/{number}"] = [
            Fault(status=302, headers={"Location": f"/{number + 1}"}) for _ in range(2)
        ]
    server.faults[FILE] = [Fault(status=302, headers={"Location": "/0"})]
    server.faults["/4"] = [Fault(status=307, headers={"Location": FILE})]
    with refused("network", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1
    server.faults[FILE] = [Fault(status=302, headers={"Location": "/1"})]
    server.faults["/4"] = [Fault(status=307, headers={"Location": FILE})]
    assert got(server) == BODY


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.org/x", "gopher://x/"])
def test_a_redirect_leads_nowhere_but_to_the_web(server: Server, target: str) -> None:
    server.faults[FILE] = [Fault(status=302, headers={"Location": target})]
    with refused("unsafe", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


@pytest.mark.parametrize("target", ["", "http://[", "data:,x"])
def test_a_redirect_to_nothing_brings_nothing(server: Server, target: str) -> None:
    server.faults[FILE] = [Fault(status=302, headers={"Location": target})] * 9
    with refused("network", server.base + FILE):
        got(server)


@pytest.mark.parametrize("size", [10, len(BODY) - 1, len(BODY) + 1])
def test_a_length_other_than_the_listed_one_is_refused_before_the_body(
    server: Server, size: int
) -> None:
    server.files[FILE] = bytes(size)
    with refused("changed", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


def test_a_length_announced_but_not_sent_is_a_cut(server: Server) -> None:
    server.files[FILE] = BODY[:4000]
    server.faults[FILE] = [Fault(length=len(BODY))]
    with refused("network"):
        got(server, wire=wire(n_tries=1))


def test_a_body_without_length_may_not_be_longer_than_the_file(server: Server) -> None:
    server.files[FILE] = BODY * 50
    server.faults[FILE] = [Fault(length=-1)]
    with refused("changed", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 1


def test_a_body_without_length_that_ends_early_is_a_cut(server: Server) -> None:
    server.faults[FILE] = [Fault(length=-1, cut_after=1000)]
    assert got(server) == BODY
    assert server.n_asked(FILE) == 2


def test_a_list_of_absurd_length_is_refused_before_it_comes(server: Server) -> None:
    server.faults[TREE] = [Fault(length=(64 << 20) + 1)]
    with refused("changed"):
        got(server)
    assert server.n_asked(TREE) == 1


def test_a_list_is_tried_again_too(server: Server) -> None:
    server.faults[TREE] = [Fault(cut_after=3), Fault(status=500)]
    assert got(server) == BODY


def test_a_server_that_gives_a_byte_at_a_time_is_given_up(server: Server) -> None:
    server.faults[FILE] = [Fault(cut_after=1) for _ in range(99)]
    with refused("network", server.base + FILE):
        got(server)
    assert server.n_asked(FILE) == 4


def test_where_no_server_was_ever_reached_it_is_not_tried_again() -> None:
    with Server() as gone:
        pass
    waits: list[float] = []
    with refused("network"):
        got(gone, wire=wire(waits))
    assert waits == []


@pytest.mark.parametrize("mirror", ["http://a..b/", "http://é..x/"])
def test_an_address_that_is_none_is_an_error(mirror: str) -> None:
    with refused("value"):
        call("linzen2016", mirror=mirror)


def test_the_same_archive_at_its_older_address_will_do(server: Server) -> None:
    server.files[OTHER_WAY] = server.files.pop(ARCHIVE)
    assert got_archive(server) == BODY


def test_progress_tells_kibibytes_done_and_in_all(server: Server) -> None:
    told: list[tuple[str, int, int | None]] = []
    got(server, progress=lambda task, done, total: told.append((task, done, total)))
    assert told[-1] == ("subj_agr_filtered.text (KiB)", 100, 100)


def streamed(body: bytes) -> httpx2.Response:
    return httpx2.Response(200, stream=httpx2.ByteStream(body))


def mocked(monkeypatch: pytest.MonkeyPatch, answers: dict[str, httpx2.Response]) -> list[str]:
    """The addresses asked for; each is answered from `answers`, without any network."""
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        return answers.get(asked[-1], httpx2.Response(404))

    client = partial(httpx2.Client, transport=httpx2.MockTransport(answer))
    monkeypatch.setattr(httpx2, "Client", client)
    return asked


def test_a_server_that_answered_before_and_cannot_be_reached_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base, waits = "https://example.org/ud", list[float]()

    def answer(request: httpx2.Request) -> httpx2.Response:
        if str(request.url).startswith(f"{base}{TREE}"):
            return streamed(tree({IN_REPOSITORY: BODY}))
        if len(waits) < 2:
            raise httpx2.ConnectError("refused", request=request)
        return streamed(BODY)

    client = partial(httpx2.Client, transport=httpx2.MockTransport(answer))
    monkeypatch.setattr(httpx2, "Client", client)
    assert len(call("linzen2016", mirror=base, wire=wire(waits)).rows) == 1
    assert len(waits) == 2


@pytest.mark.parametrize("target", ["http://example.org/x", "https://elsewhere.org/x"])
def test_https_never_becomes_http(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    base = "https://example.org/ud"
    answers = {
        f"{base}{TREE}?recursive=1": streamed(tree({IN_REPOSITORY: BODY})),
        f"{base}{FILE}": httpx2.Response(302, headers={"Location": target}),
        target: streamed(BODY),
    }
    asked = mocked(monkeypatch, answers)
    if target.startswith("https"):
        assert len(call("linzen2016", mirror=base).rows) == 1
    else:
        with refused("unsafe", f"{base}{FILE}"):
            call("linzen2016", mirror=base)
        assert target not in asked


@pytest.mark.parametrize(
    ("name", "everything", "hosts"),
    [
        ("linzen2016", False, {"api.github.com"}),
        ("it_isdt", False, {"api.github.com"}),
        ("multiblimp", False, {"huggingface.co"}),
        ("it_isdt@2.17", True, {"lindat.mff.cuni.cz"}),
    ],
)
def test_without_a_mirror_the_hosts_themselves_are_asked_by_https(
    monkeypatch: pytest.MonkeyPatch, name: str, everything: bool, hosts: set[str]
) -> None:
    asked = mocked(monkeypatch, {})
    with refused("missing"):
        call(name, all_=everything)
    assert {urlsplit(url).hostname for url in asked} == hosts
    assert all(url.startswith("https://") for url in asked)


def test_a_proxy_that_cannot_be_spoken_to_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("all_proxy", "nonsense://127.0.0.1:1")
    with refused("dependency", "the proxy"):
        got(server)
