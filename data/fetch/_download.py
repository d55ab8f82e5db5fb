"""Bring a file or an archive from outside: download it, and unpack it without trust in it.

A file comes over http(s), or from the one server of `COLORLESS_MIRROR`; one that was cut off is
asked for again from its beginning.

An archive is unpacked member by member, and refused as soon as it shows what no honest one has: a
name or link that leads outside, a device, a sparse file, a long header, too many members, or more
text than honest packing can hold. So memory stays below a few MiB and the disk below the limits
here. Links inside are left out.
"""

import gzip
import hashlib
import math
import os
import re
import shutil
import tarfile
import time
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import InputError
from ..progress import Progress, silent
from ..version import __version__

if TYPE_CHECKING:
    from httpx2 import Response

MIRROR = "COLORLESS_MIRROR"  # environment variable with an address in place of all hosts
ADDRESS = re.compile(r"https?://([\w.:@-]+|\[[0-9a-fA-F:.]+\](:[0-9]+)?)(/[^?#\s]*)?")
# "identity": the bytes of the file itself, since they are counted and hashed
HEADERS = {"User-Agent": f"colorless-green/{__version__}", "Accept-Encoding": "identity"}
N_TRIES, TIMEOUT_S = 4, 30.0  # of a file; of one read
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
LONGEST_WAIT_S = 120  # a server that asks for more patience than this is not waited for
MOST_PACKED_BYTES = 4 << 30  # packed; release 2.18 has 0.7 GB
TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
ELSEWHERE = f"a network connection, or another mirror ({MIRROR}), or later"
BLOCK = 1 << 16
MOST_HEADER_BYTES = 1 << 16  # before one member; tarfile reads them whole
MOST_FACTS = 100  # of all members, which tarfile collects; git states one, the commit
MOST_MEMBERS = 30_000  # release 2.18 has about 3,000
MOST_BYTES = 32 << 30  # unpacked, all members
MOST_RATIO = 100.0  # unpacked to packed; treebanks come to about 8
FREE_BYTES = 64 << 20  # unpacked, before the ratio counts
PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)
LEADS_OUT = re.compile(r"^/|\\|(?:^|/)(?:\.\.(?:/|$)|[A-Za-z]:)")


def mirror_address() -> str:
    """Return the address of the mirror; "" if there is none.

    Raises `InputError` where it is no http(s) address.
    """
    mirror = os.environ.get(MIRROR, "")
    if mirror and not (ADDRESS.fullmatch(mirror) and mirror.isprintable()):
        wrong = f"{mirror!r} is not an http(s) address"
        right = "https://example.org/ud, say; verbs that take a treebank read folders as well"
        raise InputError(MIRROR, wrong, right, kind="value")
    return mirror.rstrip("/")


def download(url: str, path: Path, progress: Progress, sha256: str = "") -> str:
    """Write what an address has to a file; try again after failures that may pass.

    Args:
        url: the address; the mirror, if there is one, replaces its scheme and host.
        path: the file to write.
        progress: gets the number of KiB that have arrived.
        sha256: the SHA-256 that the file must have; "" for any.

    Returns:
        The file's SHA-256.

    Raises:
        InputError: "missing" or "network" where nothing comes, "changed" where it is not the file
            that was expected, "unsafe" where the server leads from https to http.
    """
    import httpx2

    if mirror := mirror_address():
        url = mirror + urlsplit(url)._replace(scheme="", netloc="").geturl()

    def demand_https(request: httpx2.Request) -> None:
        if url.startswith("https:") and request.url.scheme != "https":
            wrong = f"it leads away from https, to {str(request.url)!r:.200}"
            raise InputError(url, wrong, "a server that stays with https", kind="unsafe")

    options: Any = {
        "timeout": TIMEOUT_S,
        "max_redirects": MOST_REDIRECTS,
        "event_hooks": {"request": [demand_https]},
    }
    for n_tries in count(1):
        try:
            with (
                httpx2.Client(headers=HEADERS, follow_redirects=True, **options) as client,
                client.stream("GET", url) as response,
            ):
                response.raise_for_status()
                digest = _write(response, url, path, progress)
            break
        except (httpx2.HTTPError, httpx2.InvalidURL, ImportError, ValueError) as error:
            time.sleep(_seconds_to_wait(url, error, n_tries))  # the last two: names, proxies
    if sha256 not in ("", digest):
        wrong, right = f"its SHA-256 is {digest}, not {sha256}", "the file as it was"
        raise InputError(url, wrong, right, kind="changed")
    return digest


def _write(response: "Response", url: str, path: Path, progress: Progress) -> str:
    """Write the body of an answer to a file; return its SHA-256."""
    n_bytes, digest, length = 0, hashlib.sha256(), response.headers.get("Content-Length", "")
    total_kib = int(length) >> 10 if re.fullmatch("[0-9]{1,18}", length) else None
    with open(path, "wb") as out:
        for block in response.iter_raw():
            n_bytes += len(block)
            if n_bytes > MOST_PACKED_BYTES:
                right = f"{MOST_PACKED_BYTES} bytes or less"
                raise InputError(url, "sends too many bytes", right, kind="changed")
            out.write(block)
            digest.update(block)
            progress(f"{path.name} (KiB)", n_bytes >> 10, total_kib)
    return digest.hexdigest()


def _seconds_to_wait(url: str, error: Exception, n_tries: int) -> float:
    """Return after how many seconds to try again: what the server asks for, or 1, 2, 4 ….

    Raises `InputError` where another try would not help.
    """
    import httpx2

    wait, wrong = "", f"cannot be fetched ({str(error)!r:.200})"
    lasting = httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol
    may_pass = isinstance(error, httpx2.TransportError) and not isinstance(error, lasting)
    if isinstance(error, httpx2.HTTPStatusError):
        status, wait = error.response.status_code, error.response.headers.get("Retry-After", "")
        if status in (404, 410):
            raise InputError(url, "is not there", "another name or release", kind="missing")
        may_pass, wrong = status in TRANSIENT_STATUSES, f"answers with status {status}"
    wait_s = float(wait) if re.fullmatch("[0-9]{1,9}", wait) else 2.0 ** (n_tries - 1)
    if not may_pass or n_tries >= N_TRIES or wait_s > LONGEST_WAIT_S:
        raise InputError(url, wrong, ELSEWHERE, kind="network")
    return wait_s


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
