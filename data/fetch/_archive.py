"""Unpack an archive from outside, member by member and without trust in it.

The whole archive is refused for names that lead outside, links that do, devices, sparse files, too
many members, too much text, or more text than honest packing can hold. Links inside are left out.
"""

import gzip
import math
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..progress import Progress, silent

BLOCK = 1 << 16
MOST_HEADER_BYTES = 1 << 20  # tarfile reads a header whole, however long it says it is
MOST_MEMBERS = 100_000  # release 2.18 has about 3,000
MOST_BYTES = 64 << 30  # unpacked, all members
MOST_RATIO = 100.0  # unpacked to packed; treebanks come to about 8
FREE_BYTES = 64 << 20  # unpacked, before the ratio counts
LEADS_OUT = re.compile(r"^/|\\|(?:^|/)(?:\.\.(?:/|$)|[A-Za-z]:)")
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)


class _LimitedStream(gzip.GzipFile):
    """The unpacked stream of a packed file; it fails when it gets implausibly long."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed, self.n_bytes = packed, 0
        self.most_bytes = float(MOST_HEADER_BYTES)  # where the header that is read must have ended

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(min(size, BLOCK) if size and size > 0 else BLOCK)
        self.n_bytes += len(block)
        honest = max(FREE_BYTES, MOST_RATIO * self.packed.tell())
        if self.n_bytes > min(honest, MOST_BYTES, self.most_bytes):
            raise tarfile.FilterError(f"unpacks to more than {self.n_bytes - len(block)} bytes")
        return block


def unpack(archive: Path, target: Callable[[str], Path | None], progress: Progress = silent) -> str:
    """Write the plain files of a gzipped tar archive to new files, in the archive's order.

    Args:
        archive: the `.tgz` file.
        target: where to write a member, given its name; None to leave it out.
        progress: gets the number of packed KiB that were read.

    Returns:
        The archive's comment: the commit, in those that git makes.

    Raises:
        InputError: "unsafe" at the first member that an honest archive would not have, "format"
            where the archive is not whole; what was written until then stays.

    Example:
        unpack(Path("ud.tgz"), lambda name: folder / name.rpartition("/")[2])
    """
    size_kib = archive.stat().st_size >> 10
    try:
        with open(archive, "rb") as packed, _LimitedStream(packed) as unpacked:
            with tarfile.open(fileobj=unpacked, mode="r|", errorlevel=0) as members:
                for n_members, member in enumerate(members, 1):
                    unpacked.most_bytes = math.inf
                    _demand_honest(member, n_members)
                    progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                    name = "/".join(
                        part for part in member.name.split("/") if part not in ("", ".")
                    )
                    path = target(name) if member.isreg() and name.isprintable() else None
                    stream = members.extractfile(member) if path else None
                    if path and stream:
                        with open(path, "xb") as out:
                            shutil.copyfileobj(stream, out, BLOCK)
                    unpacked.most_bytes = members.offset + MOST_HEADER_BYTES
            unpacked.most_bytes = math.inf
            while unpacked.read(BLOCK):
                pass  # to the end of the packed data, where their checksum is
            return members.pax_headers.get("comment", "")
    except tarfile.FilterError as error:
        wrong, right = f"{str(error)!r:.200}", "the archive as it was released"
        raise InputError(str(archive), wrong, right, kind="unsafe") from error
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        # tarfile raises a ValueError at times
        wrong = f"this is not a complete archive ({str(error)!r:.200})"
        raise InputError(str(archive), wrong, "fetch it again", kind="format") from error


def _demand_honest(member: tarfile.TarInfo, n_members: int) -> None:
    """Raise `tarfile.FilterError` for a member that no honest archive has."""
    if n_members > MOST_MEMBERS:
        raise tarfile.FilterError(f"has more than {MOST_MEMBERS} members")
    if LEADS_OUT.search(member.name):
        raise tarfile.FilterError(f"{member.name!r} leads out of the archive")
    if member.type not in PLAIN or member.issparse():
        raise tarfile.FilterError(f"{member.name!r} is neither a plain file nor a folder")
    tarfile.data_filter(member, "/archive")  # refuses links that lead out
