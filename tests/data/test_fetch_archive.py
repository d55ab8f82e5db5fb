"""Archives from outside: read member by member, refused where an honest one would differ."""

import gzip
import io
import random
import tarfile
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.data.fetch import _download
from colorless_green.data.fetch._download import ALWAYS_ALLOWED_BYTES, unpack
from tests.data.misbehaving_server import packed, refused

MEMBERS = [("ud/UD_A-B/a_b-ud-test.conllu", b"text\n" * 50), ("ud/UD_A-B/README.md", b"read me\n")]
names = st.lists(
    st.text(st.sampled_from("ab.-_ ü/"), min_size=1, max_size=8), min_size=1, max_size=4
).map("/".join)


def read(path: Path, **limits: Any) -> list[tuple[str, bytes]]:
    """(name, bytes) of the plain files, in the archive's order."""
    names: list[str] = []
    with tempfile.TemporaryDirectory() as folder:

        def target(name: str) -> Path:
            names.append(name)
            return Path(folder) / f"{len(names)}"

        with patch.multiple(_download, BLOCK_BYTES=1 << 16, **limits):
            unpack(path, target)
        return [(name, (Path(folder) / str(at)).read_bytes()) for at, name in enumerate(names, 1)]


def written(folder: Path, body: bytes) -> Path:
    path = folder / "x.tgz"
    path.write_bytes(body)
    return path


def special(**facts: object) -> bytes:
    """Return an archive with one member that has these attributes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("ud/UD_A-B/x")
        for name, value in facts.items():
            setattr(member, name, value)
        archive.addfile(member, io.BytesIO(bytes(member.size)))
    return buffer.getvalue()


@contextmanager
def memory_below(most: int) -> Iterator[None]:
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most


@settings(max_examples=40)
@given(st.dictionaries(names, st.binary(max_size=2000), max_size=5))
def test_plain_files_come_out_as_they_went_in(members: dict[str, bytes]) -> None:
    parts = {
        name: "/".join(each for each in name.split("/") if each not in ("", "."))
        for name in members
    }
    assume(len({each.casefold() for each in parts.values()}) == len(members))
    assume(all(parts.values()))
    assume(not any(name.startswith("/") or ".." in name.split("/") for name in members))
    with tempfile.TemporaryDirectory() as folder:
        found = read(written(Path(folder), packed(members.items())))
    assert found == [(parts[name], body) for name, body in members.items()]


harmful = st.one_of(
    names.map(lambda name: f"/{name}"),
    names.map(lambda name: f"../{name}"),
    names.map(lambda name: f"{name}/../../x"),
    names.map(lambda name: f"{name}\\x"),
    names.map(lambda name: f"C:/{name}"),
    names.map(lambda name: f"{name}/D:x"),
)


@settings(max_examples=60)
@given(harmful)
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), packed([(name, b"x"), *MEMBERS]))
        with refused("unsafe", path):
            read(path)


@given(st.text(max_size=12))
def test_a_name_that_is_let_through_stays_inside(name: str) -> None:
    base = Path("/base/of/it")
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), packed([(f"{name}/x", b"")]))
        try:
            found = read(path)
        except InputError:
            return
    for inside, _ in found:
        assert (base / "x" / inside).resolve().is_relative_to(base / "x")


@settings(max_examples=40)
@given(st.data())
def test_an_archive_cut_anywhere_is_refused(data: st.DataObject) -> None:
    body = packed(MEMBERS)
    at = data.draw(st.integers(0, len(body) - 1))
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), body[:at])
        with refused("format", path):
            read(path)


@settings(max_examples=60)
@given(st.data())
def test_a_byte_changed_anywhere_gives_an_error_or_the_same_files(data: st.DataObject) -> None:
    """The packing has a checksum of its own; what it does not cover changes no file."""
    body = bytearray(packed(MEMBERS))
    body[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), bytes(body))
        try:
            assert read(path) == MEMBERS
        except InputError:
            return


def broken_in_the_middle() -> bytes:
    body = bytearray(packed([("ud/UD_A-B/x", b"".join(b"%d\n" % n for n in range(100_000)))]))
    body[len(body) // 2 : len(body) // 2 + 200] = b"\xff" * 200
    return bytes(body)


SPARSE = {"GNU.sparse.map": "0,512", "GNU.sparse.size": "512"}
NONSENSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99"}
REFUSED: dict[str, tuple[ErrorKind, bytes, dict[str, int]]] = {
    "a link to a file outside": (
        "unsafe", special(type=tarfile.SYMTYPE, linkname="/etc/passwd"), {},
    ),
    "a link out": ("unsafe", special(type=tarfile.SYMTYPE, linkname="../../../x"), {}),
    "a hard link": ("unsafe", special(type=tarfile.LNKTYPE, linkname="ud/other"), {}),
    "a device": ("unsafe", special(type=tarfile.CHRTYPE), {}),
    "a disk": ("unsafe", special(type=tarfile.BLKTYPE), {}),
    "a pipe": ("unsafe", special(type=tarfile.FIFOTYPE), {}),
    "an odd type": ("unsafe", special(type=tarfile.CONTTYPE), {}),
    "a sparse file": ("unsafe", special(pax_headers=SPARSE, size=512), {}),
    "nonsense headers": ("format", special(pax_headers=NONSENSE, size=512), {}),
    "broken in the middle of a file": ("format", broken_in_the_middle(), {}),
    "too many members": (
        "unsafe", packed([(f"ud/x/{n}", b"") for n in range(20)]), {"MOST_MEMBERS": 10},
    ),
    "too much in all": (
        "unsafe", packed([("ud/x/a", bytes(5000)), ("ud/x/b", bytes(5000))]), {"MOST_BYTES": 8000},
    ),
    "empty": ("format", b"", {}),
    "a page": ("format", b"<html>not found</html>", {}),
    "no tar": ("format", gzip.compress(b"no tar at all"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_honest_archive_has_is_refused(tmp_path: Path, name: str) -> None:
    kind, body, limits = REFUSED[name]
    path = written(tmp_path, body)
    with refused(kind, path):
        read(path, **limits)


@pytest.mark.parametrize(
    "facts",
    [{"type": tarfile.SYMTYPE, "linkname": "y"}, {"name": "ud/UD_A-B/\n"}, {"name": "x/\udc80"}],
    ids=str,
)
def test_links_inside_and_names_that_cannot_be_printed_are_left_out(
    tmp_path: Path, facts: dict[str, object]
) -> None:
    assert read(written(tmp_path, special(**facts))) == []


def test_text_that_grows_out_of_nothing_is_refused_before_it_is_there(tmp_path: Path) -> None:
    zeros = bytes(40 << 20)  # packs to one part in a thousand
    path = written(tmp_path, packed([("ud/UD_A-B/x", zeros)]))
    del zeros
    with memory_below(2 << 20), refused("unsafe", path):
        read(path, ALWAYS_ALLOWED_BYTES=1 << 20)


def test_a_header_that_claims_to_be_huge_is_refused_without_filling_the_memory(
    tmp_path: Path,
) -> None:
    """tarfile reads an extended header whole, however long it says it is."""
    member = tarfile.TarInfo("x")
    member.type, member.size = tarfile.XHDTYPE, (1 << 33) - 1
    path = written(tmp_path, gzip.compress(member.tobuf() + bytes(30 << 20), 1))
    with memory_below(64 << 20), refused("unsafe", path):
        read(path, ALWAYS_ALLOWED_BYTES=1 << 20)


@pytest.mark.parametrize("before", [0, 3 << 20], ids=["first", "after a file"])
def test_a_long_header_is_refused_however_badly_it_packs(tmp_path: Path, before: int) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("ud/UD_A-B/x")
        member.size = before
        archive.addfile(member, io.BytesIO(bytes(before)))
        member = tarfile.TarInfo("x")
        member.type, member.size = tarfile.XHDTYPE, 24 << 20
        archive.addfile(member, io.BytesIO(random.Random(1).randbytes(24 << 20)))
    path = written(tmp_path, gzip.compress(buffer.getvalue(), 0))
    del buffer
    with memory_below(4 << 20), refused("unsafe", path):
        read(path)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE], ids=["one", "all"])
def test_headers_in_plenty_fill_no_memory(tmp_path: Path, kind: bytes) -> None:
    """Facts about all members are kept by tarfile, and so are the members themselves."""
    buffer = io.BytesIO()
    for number in range(400):
        records = b"".join(b"13 %04d%03d=\n" % (fact, number) for fact in range(4000))
        header = tarfile.TarInfo("x")
        header.type, header.size = kind, len(records)
        buffer.write(header.tobuf() + records + bytes(-len(records) % 512))
        buffer.write(tarfile.TarInfo("ud/UD_A-B/x").tobuf())
    path = written(tmp_path, gzip.compress(buffer.getvalue() + bytes(1024), 1))
    del buffer
    found: list[str] = []
    with memory_below(16 << 20), suppress(InputError):
        unpack(path, found.append)


def test_what_is_written_before_an_archive_is_refused_is_limited(tmp_path: Path) -> None:
    archive = tmp_path / "x.tgz"
    with tarfile.open(archive, "w:gz", compresslevel=9) as members:
        for number in range(20):
            member = tarfile.TarInfo(f"ud/UD_A-B/{number}")
            member.size = 8 << 20
            members.addfile(member, io.BytesIO(bytes(member.size)))
    (out := tmp_path / "out").mkdir()
    with refused("unsafe", archive):
        unpack(archive, lambda name: out / Path(name).name)
    assert sum(file.stat().st_size for file in out.iterdir()) <= ALWAYS_ALLOWED_BYTES


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = written(tmp_path, packed(MEMBERS))
    (tmp_path / "there").write_text("mine")
    with refused("conflict", path):
        unpack(path, lambda name: tmp_path / "there")
    assert (tmp_path / "there").read_text() == "mine"
