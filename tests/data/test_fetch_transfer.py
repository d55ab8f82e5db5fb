"""Bytes over a bad line: resumed, repeated, checked, and never half a file under its name."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.transfer import Expected, blob_id, download, pause_s, text_at
from colorless_green.data.fetch.wire import NotThere, Wire
from tests.data.misbehaving_server import Fault, Server, blob

BODY = bytes(range(256)) * 40
NOW = 1_800_000_000.0
FILE = "/data/it_isdt-ud-test.conllu"


def wire(waits: list[float] | None = None, n_tries: int = 4) -> Wire:
    """A wire that does not wait but writes down how long it would have."""
    written = waits if waits is not None else []
    return Wire(0.3, n_tries, written.append, lambda: NOW, lambda: 0.0)


def known(body: bytes) -> Expected:
    return Expected(len(body), len(body), blob=blob(body))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.files[FILE] = BODY
        yield running


@pytest.fixture(scope="module")
def lasting() -> Iterator[Server]:
    """One server for all examples of a law."""
    with Server() as running:
        yield running


@settings(max_examples=40)
@given(st.binary(max_size=3000), st.lists(st.integers(0, 3000), max_size=3), st.booleans())
def test_a_file_cut_anywhere_any_number_of_times_comes_whole(
    lasting: Server, body: bytes, cuts: list[int], ranges: bool
) -> None:
    lasting.files[FILE], lasting.ranges = body, ranges
    lasting.faults[FILE] = [Fault(cut_after=cut) for cut in cuts]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.conllu"
        download(lasting.base + FILE, path, known(body), wire())
        assert path.read_bytes() == body
        assert [each.name for each in Path(folder).iterdir()] == ["x.conllu"]


@settings(max_examples=25)
@given(st.binary(min_size=1, max_size=400), st.data())
def test_a_byte_changed_anywhere_is_found_and_the_file_asked_for_again(
    lasting: Server, body: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(body) - 1))
    bit = 1 << data.draw(st.integers(0, 7))

    def changed(right: bytes) -> bytes:
        return right[:at] + bytes([right[at] ^ bit]) + right[at + 1 :]

    lasting.files[FILE], lasting.ranges = body, True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.conllu"
        lasting.faults[FILE] = [Fault(change=changed)]
        download(lasting.base + FILE, path, known(body), wire())
        assert path.read_bytes() == body
        path.unlink()
        lasting.faults[FILE] = [Fault(change=changed)] * 2
        with pytest.raises(InputError, match="its blob id is"):
            download(lasting.base + FILE, path, known(body), wire())
        assert not list(Path(folder).iterdir())


def test_the_rest_is_asked_for_by_range_under_the_same_tag(server: Server, tmp_path: Path) -> None:
    server.faults[FILE] = [Fault(cut_after=1000), Fault(cut_after=500)]
    download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert [asked.range for asked in server.asked] == [None, "bytes=1000-", "bytes=1500-"]
    tag = f'"{hashlib.sha256(BODY).hexdigest()[:16]}"'
    assert [asked.if_range for asked in server.asked] == [None, tag, tag]


def test_a_later_call_goes_on_where_one_gave_up(server: Server, tmp_path: Path) -> None:
    server.faults[FILE] = [Fault(cut_after=1000)]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire(n_tries=1))
    assert str(caught.value) == (
        f"{server.base}{FILE}: the connection ended after 1000 of 10240 bytes, 1 times in a row; "
        "the same command later: it goes on where this one stopped"
    )
    assert not (tmp_path / "x").exists()
    download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert (tmp_path / "x").read_bytes() == BODY
    assert server.asked[-1].range == "bytes=1000-"


def test_a_file_that_changed_meanwhile_is_begun_again(server: Server, tmp_path: Path) -> None:
    server.faults[FILE] = [Fault(cut_after=1000)]
    with pytest.raises(InputError):
        download(server.base + FILE, tmp_path / "x", Expected(1 << 20), wire(n_tries=1))
    server.files[FILE] = BODY[::-1]
    download(server.base + FILE, tmp_path / "x", Expected(1 << 20), wire())
    assert (tmp_path / "x").read_bytes() == BODY[::-1]


def test_without_tag_and_checksum_nothing_is_resumed(server: Server, tmp_path: Path) -> None:
    server.with_tags = False
    server.faults[FILE] = [Fault(cut_after=1000)]
    download(server.base + FILE, tmp_path / "x", Expected(1 << 20), wire())
    assert (tmp_path / "x").read_bytes() == BODY
    assert [asked.range for asked in server.asked] == [None, None]


def test_another_piece_than_was_asked_for_is_not_put_at_the_end(
    server: Server, tmp_path: Path
) -> None:
    server.faults[FILE] = [Fault(cut_after=1000), Fault(other_piece=True)]
    download(server.base + FILE, tmp_path / "x", Expected(1 << 20), wire())
    assert (tmp_path / "x").read_bytes() == BODY
    assert [asked.range for asked in server.asked] == [None, "bytes=1000-", None]


def test_a_weak_tag_is_no_ground_to_go_on_but_a_date_is(server: Server, tmp_path: Path) -> None:
    date = "Fri, 15 Jan 2027 08:00:07 GMT"
    server.with_tags = False
    weak = {"ETag": 'W/"1"', "Last-Modified": date}
    server.faults[FILE] = [Fault(cut_after=1000, headers=weak)]
    download(server.base + FILE, tmp_path / "x", Expected(1 << 20), wire())
    assert (tmp_path / "x").read_bytes() == BODY
    assert [asked.if_range for asked in server.asked] == [None, date]


def test_a_wrong_beginning_from_an_earlier_call_is_dropped(server: Server, tmp_path: Path) -> None:
    for rubbish in (b"rubbish", BODY[:-1] + b"x", BODY + b"more"):
        (tmp_path / "x.part").write_bytes(rubbish)
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
        assert (tmp_path / "x").read_bytes() == BODY


def test_a_server_that_falls_silent_is_left_and_asked_for_the_rest(
    server: Server, tmp_path: Path
) -> None:
    server.faults[FILE] = [Fault(stall_s=1.0)]
    download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert (tmp_path / "x").read_bytes() == BODY
    assert server.asked[-1].range == "bytes=5120-"


def test_a_server_that_hangs_up_is_asked_again_with_longer_waits(
    server: Server, tmp_path: Path
) -> None:
    waits: list[float] = []
    server.faults[FILE] = [Fault(hang_up=True), Fault(status=503), Fault(status=502)]
    download(server.base + FILE, tmp_path / "x", known(BODY), wire(waits))
    assert waits == [0.5, 1.0, 2.0]


def test_a_server_that_asks_for_patience_gets_it(server: Server, tmp_path: Path) -> None:
    waits: list[float] = []
    later = "Fri, 15 Jan 2027 08:00:07 GMT"  # seven seconds after NOW
    server.faults[FILE] = [
        Fault(status=429, headers={"Retry-After": "11"}),
        Fault(status=503, headers={"Retry-After": later}),
    ]
    download(server.base + FILE, tmp_path / "x", known(BODY), wire(waits))
    assert waits == [11.0, 7.0]


def test_a_server_that_asks_for_an_hour_is_an_error_that_says_until_when(
    server: Server, tmp_path: Path
) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) + 3600)}
    server.faults[FILE] = [Fault(status=403, headers=headers)]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: takes no more requests from here until 09:00 UTC; the same command "
        "then, --all (one file from another host), or --mirror"
    )


@given(st.integers(1, 30), st.floats(0, 1, exclude_max=True))
def test_a_wait_doubles_up_to_a_minute_and_varies_by_half(n_failures: int, chance: float) -> None:
    longest = min(60, 2 ** (n_failures - 1))
    settled = Wire(1, 1, lambda s: None, lambda: NOW, lambda: chance)
    assert longest / 2 <= pause_s(n_failures, None, settled) <= longest


def test_what_is_not_there_is_told_apart_and_not_asked_for_twice(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(NotThere):
        download(server.base + "/no", tmp_path / "x", known(BODY), wire())
    assert server.n_asked("/no") == 1
    assert not list(tmp_path.iterdir())


def test_a_refusal_is_an_error_at_once(server: Server, tmp_path: Path) -> None:
    server.faults[FILE] = [Fault(status=403)]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: refuses with status 403; another --mirror, or try later"
    )
    assert len(server.asked) == 1


def test_redirects_without_end_are_given_up(server: Server, tmp_path: Path) -> None:
    server.faults["/loop"] = [Fault(status=302, headers={"Location": "/loop"}) for _ in range(99)]
    with pytest.raises(InputError) as caught:
        download(server.base + "/loop", tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}/loop: more than 5 redirects; another --mirror, or try later"
    )
    assert server.n_asked("/loop") == 6


def test_a_redirect_is_followed_with_its_range(server: Server, tmp_path: Path) -> None:
    server.faults["/old"] = [Fault(status=301, headers={"Location": FILE})] * 2
    server.faults[FILE] = [Fault(cut_after=1000)]
    download(server.base + "/old", tmp_path / "x", known(BODY), wire())
    assert [asked.range for asked in server.asked] == [None, None, "bytes=1000-", "bytes=1000-"]


@pytest.mark.parametrize(
    "target",
    ["file:///etc/passwd", "ftp://example.org/x", "data:,x", "gopher://x/", "", "http://["],
)
def test_a_redirect_leads_nowhere_but_to_the_web(
    server: Server, tmp_path: Path, target: str
) -> None:
    server.faults[FILE] = [Fault(status=302, headers={"Location": target})]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: redirects to {target!r}; a server that stays with https"
    )


@pytest.mark.parametrize("size", [10, len(BODY) - 1, len(BODY) + 1])
def test_a_length_other_than_the_listed_one_is_refused_before_the_body(
    server: Server, tmp_path: Path, size: int
) -> None:
    server.files[FILE] = bytes(size)
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: {size} bytes are announced; the file of 10240 bytes"
    )


def test_a_length_announced_but_not_sent_is_a_cut(server: Server, tmp_path: Path) -> None:
    server.files[FILE] = BODY[:4000]
    server.faults[FILE] = [Fault(length=len(BODY))]
    with pytest.raises(InputError, match="ended after 4000 of 10240"):
        download(server.base + FILE, tmp_path / "x", known(BODY), wire(n_tries=1))


def test_a_body_without_length_may_not_be_longer_than_the_file(
    server: Server, tmp_path: Path
) -> None:
    server.files[FILE] = BODY * 50
    server.faults[FILE] = [Fault(length=-1)]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: sends more than 10240 bytes; another --mirror"
    )


def test_more_than_the_most_is_refused_where_the_size_is_not_known(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", Expected(9999), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: 10240 bytes are announced; at most 9999 bytes"
    )


def test_a_server_that_gives_a_byte_at_a_time_is_given_up(server: Server, tmp_path: Path) -> None:
    server.faults[FILE] = [Fault(cut_after=1) for _ in range(600)]
    with pytest.raises(InputError, match="500 requests did not bring it"):
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())


def test_a_server_that_always_sends_another_file_is_named(server: Server, tmp_path: Path) -> None:
    server.files[FILE] = BODY[::-1]
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "x", known(BODY), wire())
    assert str(caught.value) == (
        f"{server.base}{FILE}: its blob id is {blob(BODY[::-1])}, not {blob(BODY)}, twice; another "
        "--mirror; the server has another file"
    )


def test_no_server_at_all_is_an_error_with_what_the_system_said(tmp_path: Path) -> None:
    with Server() as gone:
        base = gone.base
    waits: list[float] = []
    with pytest.raises(InputError) as caught:
        download(base + FILE, tmp_path / "x", known(BODY), wire(waits))
    assert "ConnectionRefusedError: " in str(caught.value)
    assert "4 times in a row" in str(caught.value)
    assert len(waits) == 3


def test_a_folder_one_may_not_write_to_is_an_error(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        download(server.base + FILE, tmp_path / "file" / "x", known(BODY), wire())
    path = tmp_path / "file" / "x.part"
    assert str(caught.value) == (
        f"{path}: cannot be written (Not a directory); a place with room to write"
    )


def test_a_small_text_is_tried_again_too(server: Server) -> None:
    server.files["/list"] = json.dumps({"ü": 1}).encode()
    server.faults["/list"] = [Fault(cut_after=3), Fault(status=500)]
    assert json.loads(text_at(server.base + "/list", 99, wire())) == {"ü": 1}


@pytest.mark.parametrize(
    ("body", "wrong"),
    [(b"\xff", "what it sends is not UTF-8"), (b"x" * 100, "sends more than 99 bytes")],
)
def test_a_small_text_must_be_text_and_small(server: Server, body: bytes, wrong: str) -> None:
    server.files["/list"] = body
    with pytest.raises(InputError, match=wrong):
        text_at(server.base + "/list", 99, wire())


def test_a_blob_id_is_the_one_git_gives(tmp_path: Path) -> None:
    """`printf x | git hash-object --stdin`."""
    (tmp_path / "x").write_bytes(b"x")
    assert blob_id(tmp_path / "x") == "c1b0730e0133447badcfd47fd144e254807b06e1"


def test_progress_tells_kibibytes_done_and_in_all(server: Server, tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []

    def progress(task: str, done: int, total: int | None) -> None:
        told.append((task, done, total))

    download(server.base + FILE, tmp_path / "x", known(BODY), wire(), progress)
    assert told[-1] == ("it_isdt-ud-test.conllu (KiB)", 10, 10)
