"""Unpack an archive from outside, member by member and without trust in it.

The whole archive is refused for names that lead outside, links and devices, sparse files, the same
name twice, too many members, too much text, or more text than honest packing can hold.
"""

import gzip
import math
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..progress import Progress, silent

BLOCK = 1 << 16
MOST_HEADER_BYTES = 1 << 20  # tarfile reads a header whole, however long it says it is
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits on what an archive may hold."""

    n_members: int = 100_000  # release 2.18 has about 3,000
    n_bytes: int = 64 << 30  # unpacked, all members
    ratio: float = 100.0  # unpacked to packed; treebanks come to about 8
    n_free_bytes: int = 64 << 20  # unpacked, before the ratio counts


class _LimitedStream(gzip.GzipFile):
    """The unpacked stream of a packed file; it fails when it gets implausibly long."""

    def __init__(self, packed: IO[bytes], location: str, limits: ArchiveLimits) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed, self.location, self.limits, self.n_bytes = packed, location, limits, 0
        self.most_bytes = float(MOST_HEADER_BYTES)  # where the header that is read must have ended

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(min(size, BLOCK) if size and size > 0 else BLOCK)
        self.n_bytes += len(block)
        honest = max(self.limits.n_free_bytes, self.limits.ratio * self.packed.tell())
        if self.n_bytes > min(honest, self.limits.n_bytes, self.most_bytes):
            raise _refusal(self.location, f"unpacks to more than {self.n_bytes - len(block)} bytes")
        return block


def unpack(
    archive: Path,
    target: Callable[[tuple[str, ...]], Path | None],
    progress: Progress = silent,
    limits: ArchiveLimits = ArchiveLimits(),
) -> None:
    """Write the plain files of a gzipped tar archive to new files, in the archive's order.

    Args:
        archive: the `.tgz` file.
        target: where to write a member, given the parts of its name; None to skip it.
        progress: gets the number of packed KiB that were read.
        limits: what the archive may hold at most.

    Raises:
        InputError: "unsafe" at the first member that an honest archive would not have, "format"
            where the archive is not whole; what was written until then stays.
        FileExistsError: `target` named a file that is there.

    Example:
        unpack(Path("ud.tgz"), lambda parts: folder / parts[-1])
    """
    location, size_kib, seen = str(archive), archive.stat().st_size >> 10, set[str]()
    try:
        with open(archive, "rb") as packed, _LimitedStream(packed, location, limits) as unpacked:
            with tarfile.open(fileobj=unpacked, mode="r|", errorlevel=0) as members:
                for member in members:
                    unpacked.most_bytes = math.inf
                    parts = _checked(member, seen, location, limits)
                    progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                    path = target(parts) if member.isreg() else None
                    stream = members.extractfile(member) if path else None
                    if path and stream:
                        with open(path, "xb") as out:
                            shutil.copyfileobj(stream, out, BLOCK)
                    unpacked.most_bytes = members.offset + MOST_HEADER_BYTES
            unpacked.most_bytes = math.inf
            while unpacked.read(BLOCK):
                pass  # to the end of the packed data, where their checksum is
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        # tarfile raises a ValueError at times
        wrong = f"this is not a complete archive ({str(error)!r:.200})"
        raise InputError(location, wrong, "remove it and fetch again", kind="format") from error


def _checked(
    member: tarfile.TarInfo, seen: set[str], location: str, limits: ArchiveLimits
) -> tuple[str, ...]:
    """Return the parts of a member's name. Raise `InputError` if no honest archive has it."""
    name, quoted_name = member.name, f"{member.name!r:.200}"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    folded = "/".join(parts).casefold()
    leads_out = name.startswith("/") or ".." in parts or any(map(DRIVE.match, parts))
    if leads_out or "\\" in name or not name.isprintable():
        raise _refusal(location, f"{quoted_name} leads out of the archive")
    if member.type not in (tarfile.DIRTYPE, tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
        raise _refusal(location, f"{quoted_name} is neither a plain file nor a folder")
    if folded in seen and not member.isdir():
        raise _refusal(location, f"{quoted_name} comes twice")
    seen.add(folded)
    if len(seen) > limits.n_members:
        raise _refusal(location, f"has more than {limits.n_members} members")
    return parts


def _refusal(location: str, wrong: str) -> InputError:
    return InputError(location, wrong, "the archive as it was released", kind="unsafe")
