"""A release's archive, member by member, without trust in what it says.

Refused as a whole: names that lead outside, links and devices, sparse files, the same name twice,
too many members, too much text, or more text than honest packing can hold.
"""

import gzip
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.wire import shown
from colorless_green.data.progress import Progress

BLOCK = 1 << 16
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Limits:
    """What an archive may hold at most."""

    n_members: int = 100_000  # release 2.18 has about 3,000
    n_bytes: int = 64 << 30  # unpacked, all members
    ratio: float = 100.0  # unpacked to packed; treebanks come to about 8
    n_free_bytes: int = 64 << 20  # unpacked, before the ratio counts


RELEASE_LIMITS = Limits()


class _Guarded:
    """The unpacked stream of a packed file, which stops where it gets too long to be true."""

    def __init__(self, packed: IO[bytes], place: str, limits: Limits) -> None:
        self.packed, self.place, self.limits = packed, place, limits
        self.unpacked = gzip.GzipFile(fileobj=packed, mode="rb")
        self.n_bytes = 0

    def close(self) -> None:
        """Closes the unpacking; the packed file is its opener's."""
        self.unpacked.close()

    def read(self, size: int) -> bytes:
        """At most `size` bytes, b"" at the end."""
        block = self.unpacked.read(min(size, BLOCK))
        self.n_bytes += len(block)
        most = max(self.limits.n_free_bytes, self.limits.ratio * self.packed.tell())
        if self.n_bytes > min(most, self.limits.n_bytes):
            raise _refusal(self.place, f"unpacks to more than {self.n_bytes - len(block)} bytes")
        return block


def unpack(
    archive: Path,
    target: Callable[[tuple[str, ...]], Path | None],
    progress: Progress,
    limits: Limits = RELEASE_LIMITS,
) -> None:
    """Writes each plain file to the new file that `target` names for the parts of its name, if it
    names one, in the archive's order.

    Raises `InputError` at the first member that an honest archive would not have, and where the
    archive is not whole; what was written until then stays.
    """
    place, size_kib = str(archive), archive.stat().st_size >> 10
    seen: set[str] = set()
    with open(archive, "rb") as packed, closing(_Guarded(packed, place, limits)) as guarded:
        with _whole(place):
            stream_of = cast("IO[bytes]", guarded)  # tarfile asks it for `read` alone
            opened = tarfile.open(fileobj=stream_of, mode="r|", errorlevel=0)  # noqa: SIM115
        with opened:
            while True:
                with _whole(place):
                    member = opened.next()
                if member is None:
                    break
                parts = _checked(member, seen, place, limits)
                progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                path = target(parts) if member.isreg() else None
                if path is not None:
                    _write(opened, member, path, place)
        with _whole(place):
            while guarded.read(BLOCK):
                pass  # to the end of the packed data, where their checksum stands


def _write(opened: tarfile.TarFile, member: tarfile.TarInfo, path: Path, place: str) -> None:
    with open(path, "xb") as out:
        with _whole(place):
            stream = opened.extractfile(member)
        assert stream is not None  # a plain file has one
        while True:
            with _whole(place):
                block = stream.read(BLOCK)
            if not block:
                break
            out.write(block)


@contextmanager
def _whole(place: str) -> Iterator[None]:
    """What broken data raise, as an `InputError`; tarfile has a plain ValueError for some."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        wrong = f"this is no whole archive ({shown(str(error))})"
        raise InputError(place, wrong, "remove it and fetch again", kind="format") from error


def _checked(
    member: tarfile.TarInfo, seen: set[str], place: str, limits: Limits
) -> tuple[str, ...]:
    parts = name_parts(member.name, place)
    if not (member.isdir() or member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)):
        raise _refusal(place, f"{shown(member.name)!r} is neither a file nor a folder")
    if member.issparse():
        raise _refusal(place, f"{shown(member.name)!r} is a sparse file")
    folded = "/".join(parts).casefold()
    if folded in seen and not member.isdir():
        raise _refusal(place, f"{shown(member.name)!r} comes twice")
    seen.add(folded)
    if len(seen) > limits.n_members:
        raise _refusal(place, f"has more than {limits.n_members} members")
    return parts


def name_parts(name: str, place: str) -> tuple[str, ...]:
    """The parts of a member's name. Raises `InputError` if it leads out of the folder it is
    unpacked in, on any system, or holds control characters."""
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    bad = (
        name.startswith("/")
        or ".." in parts
        or "\\" in name
        or not name.isprintable()
        or any(DRIVE.match(part) for part in parts)
    )
    if bad:
        raise _refusal(place, f"{shown(name)!r} leads out of the archive")
    return parts


def _refusal(place: str, wrong: str) -> InputError:
    return InputError(place, wrong, "the archive as it was released", kind="format")
