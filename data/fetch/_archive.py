"""Unpack an archive from outside, member by member and without trust in it.

An archive is refused as soon as it shows what no honest one has: a name or link that leads outside,
a device, a sparse file, a long header, too many members, or more text than honest packing can hold.
So memory stays below a few MiB and the disk below the limits here. Links inside are left out.
"""

import gzip
import math
import re
import shutil
import tarfile
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..progress import Progress, silent

BLOCK = 1 << 16
MOST_HEADER_BYTES = 1 << 16  # before one member; tarfile reads them whole
MOST_FACTS = 100  # of all members, which tarfile collects; git states one, the commit
MOST_MEMBERS = 30_000  # release 2.18 has about 3,000
MOST_BYTES = 32 << 30  # unpacked, all members
MOST_RATIO = 100.0  # unpacked to packed; treebanks come to about 8
FREE_BYTES = 64 << 20  # unpacked, before the ratio counts
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)
LEADS_OUT = re.compile(r"^/|\\|(?:^|/)(?:\.\.(?:/|$)|[A-Za-z]:)")


class _LimitedStream(gzip.GzipFile):
    """The unpacked stream of a packed file; it fails when it gets implausibly long."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed, self.n_bytes = packed, 0
        self.most_bytes = float(MOST_HEADER_BYTES)  # where the headers being read must have ended

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
        archive: the packed file.
        target: returns where to write a member, given its name; None to leave it out.
        progress: gets the number of packed KiB that were read.

    Returns:
        The archive's comment: the commit, in those that git makes.

    Raises:
        InputError: "unsafe" at the first member that an honest archive would not have, "conflict"
            where two members have one target, "format" where the archive is not complete; what was
            written until then stays.

    Example:
        unpack(Path("ud.tgz"), lambda name: folder / name.rpartition("/")[2])
    """
    size_kib = archive.stat().st_size >> 10
    try:
        with (
            open(archive, "rb") as packed,
            _LimitedStream(packed) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r|") as members,
        ):
            for n_members in count(1):
                unpacked.most_bytes = members.offset + MOST_HEADER_BYTES
                if (member := members.next()) is None:
                    break
                unpacked.most_bytes = math.inf
                members.members.clear()  # type: ignore[attr-defined]  # tarfile keeps all it read
                _demand_honest(member, n_members, len(members.pax_headers))
                progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                name = "/".join(part for part in member.name.split("/") if part not in ("", "."))
                path = target(name) if member.isreg() and name.isprintable() else None
                if path and (stream := members.extractfile(member)):
                    with open(path, "xb") as out:
                        shutil.copyfileobj(stream, out, BLOCK)
            unpacked.most_bytes = math.inf
            while unpacked.read(BLOCK):
                pass  # to the end of the packed data, where their checksum is
            return members.pax_headers.get("comment", "")
    except tarfile.FilterError as error:
        wrong, right = f"{str(error)!r:.200}", "the archive as it was released"
        raise InputError(str(archive), wrong, right, kind="unsafe") from error
    except FileExistsError as error:
        wrong = f"two of its files are called {Path(error.filename).name!r}"
        raise InputError(str(archive), wrong, "another revision", kind="conflict") from None
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        # tarfile raises a ValueError at times
        wrong = f"this is not a complete archive ({str(error)!r:.200})"
        raise InputError(str(archive), wrong, "fetch it again", kind="format") from error


def _demand_honest(member: tarfile.TarInfo, n_members: int, n_facts: int) -> None:
    """Raise `tarfile.FilterError` for a member that no honest archive has."""
    if n_members > MOST_MEMBERS or n_facts > MOST_FACTS:
        raise tarfile.FilterError(f"has more than {MOST_MEMBERS} members or {MOST_FACTS} headers")
    if LEADS_OUT.search(member.name):
        raise tarfile.FilterError(f"{member.name!r} leads out of the archive")
    if member.type not in PLAIN or member.issparse():
        raise tarfile.FilterError(f"{member.name!r} is neither a plain file nor a folder")
    if member.issym():
        tarfile.data_filter(member, "/archive")  # refuses links that lead out
