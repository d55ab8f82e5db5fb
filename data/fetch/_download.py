"""Download a file, and unpack an archive that is not to be trusted.

Files come over http(s), all from the server of `COLORLESS_MIRROR` if that is set. A download that
breaks off begins again from the first byte.

An archive is unpacked member by member. It is refused at the first member that no honest archive
has: a name or link that leads outside, a device, a sparse file, a long header, too many members, or
more text than the packed bytes can hold. So memory stays below a few MiB, and the disk below the
limits here. Links that stay inside the archive are left out.
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
MAX_TRIES, TIMEOUT_S = 4, 30.0  # downloads of a file; seconds that one read may take
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
LONGEST_WAIT_S = 120  # a server that asks for a longer wait is given up
MOST_PACKED_BYTES = 4 << 30  # of a download; release 2.18 has 0.7 GB
TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
NETWORK_REMEDY = f"connect to the network, or set {MIRROR}, or try later"
BLOCK_BYTES = 1 << 16
MOST_HEADER_BYTES = 1 << 16  # of the headers before one member, which tarfile reads whole
MOST_FACTS = 100  # header entries for the whole archive; git writes one, the commit
MOST_MEMBERS = 30_000  # release 2.18 has about 3,000
MOST_BYTES = 32 << 30  # unpacked, all members
MOST_RATIO = 100.0  # of unpacked to packed bytes; treebanks come to about 8
ALWAYS_ALLOWED_BYTES = 64 << 20  # unpacked bytes that are allowed whatever the ratio
PLAIN_TYPES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE)
LEADS_OUT = re.compile(r"^/|\\|(?:^|/)(?:\.\.(?:/|$)|[A-Za-z]:)")


def mirror_address() -> str:
    """Return the address that COLORLESS_MIRROR holds; "" if it is not set.

    Raises `InputError` if it is not an http(s) address.
    """
    mirror = os.environ.get(MIRROR, "")
    if mirror and not (ADDRESS.fullmatch(mirror) and mirror.isprintable()):
        wrong = f"{mirror!r} is not an http(s) address"
        right = "give one, as https://example.org/ud; verbs that take a treebank also read folders"
        raise InputError(MIRROR, wrong, right, kind="value")
    return mirror.rstrip("/")


def download(url: str, path: Path, progress: Progress, sha256: str = "") -> str:
    """Download the content of an address into a file; try again after failures that may pass.

    Args:
        url: the address; the mirror, if there is one, replaces its scheme and host.
        path: the file to write.
        progress: gets the number of KiB that have arrived.
        sha256: the SHA-256 that the file must have; "" for any.

    Returns:
        The file's SHA-256.

    Raises:
        InputError: of the kind "missing" or "network" if nothing comes, "changed" if it is not the
            file that was expected, "unsafe" if the server leads from https to http.
    """
    import httpx2

    if mirror := mirror_address():
        path_and_query = urlsplit(url)._replace(scheme="", netloc="").geturl()
        url = mirror + path_and_query

    def demand_https(request: httpx2.Request) -> None:
        """Raise `InputError` for a redirection from https to another scheme."""
        if url.startswith("https:") and request.url.scheme != "https":
            wrong = f"it leads away from https, to {str(request.url)!r:.200}"
            raise InputError(url, wrong, "use a server that stays with https", kind="unsafe")

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
                digest = _write_body(response, url, path, progress)
            break
        except (httpx2.HTTPError, httpx2.InvalidURL, ImportError, ValueError) as error:
            # ImportError: a proxy that needs another package; ValueError: an impossible host name
            time.sleep(_seconds_to_wait(url, error, n_tries))
    if sha256 not in ("", digest):
        wrong, right = f"its SHA-256 is {digest}, not {sha256}", "use a server that has that file"
        raise InputError(url, wrong, right, kind="changed")
    return digest


def _write_body(response: "Response", url: str, path: Path, progress: Progress) -> str:
    """Write the body of a server's answer to a file and return the file's SHA-256 (hex)."""
    n_bytes, digest = 0, hashlib.sha256()
    length = response.headers.get("Content-Length", "")  # what the server says, perhaps anything
    total_kib = int(length) >> 10 if re.fullmatch("[0-9]{1,18}", length) else None
    with open(path, "wb") as out:
        for block in response.iter_raw():
            n_bytes += len(block)
            if n_bytes > MOST_PACKED_BYTES:
                right = f"use a server that sends {MOST_PACKED_BYTES} bytes or less"
                raise InputError(url, "sends too many bytes", right, kind="changed")
            out.write(block)
            digest.update(block)
            progress(f"{path.name} (KiB)", n_bytes >> 10, total_kib)
    return digest.hexdigest()


def _seconds_to_wait(url: str, error: Exception, n_tries: int) -> float:
    """Return the seconds to wait before the next try: what the server asks for, else 1, 2, 4 ….

    Raises `InputError` if another try would not help.
    """
    import httpx2

    retry_after, wrong = "", f"cannot be fetched ({str(error)!r:.200})"
    # Of the errors in transport, these do not pass by waiting.
    lasting = httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol
    may_pass = isinstance(error, httpx2.TransportError) and not isinstance(error, lasting)
    if isinstance(error, httpx2.HTTPStatusError):
        status, headers = error.response.status_code, error.response.headers
        retry_after = headers.get("Retry-After", "")
        if status in (404, 410):
            raise InputError(url, "is not there", "ask for another name or release", kind="missing")
        may_pass, wrong = status in TRANSIENT_STATUSES, f"answers with status {status}"
    is_number = re.fullmatch("[0-9]{1,9}", retry_after)
    wait_s = float(retry_after) if is_number else 2.0 ** (n_tries - 1)
    if not may_pass or n_tries >= MAX_TRIES or wait_s > LONGEST_WAIT_S:
        raise InputError(url, wrong, NETWORK_REMEDY, kind="network")
    return wait_s


class _LimitedStream(gzip.GzipFile):
    """A stream of unpacked bytes that fails once there are more of them than an honest file has."""

    def __init__(self, packed: IO[bytes]) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed, self.n_bytes = packed, 0
        self.most_bytes = float(MOST_HEADER_BYTES)  # the limit at present; `unpack` moves it

    def read(self, size: int | None = -1) -> bytes:
        """Read at most BLOCK_BYTES bytes. Raise `tarfile.FilterError` if there are too many."""
        block = super().read(min(size, BLOCK_BYTES) if size and size > 0 else BLOCK_BYTES)
        self.n_bytes += len(block)
        plausible = max(ALWAYS_ALLOWED_BYTES, MOST_RATIO * self.packed.tell())
        if self.n_bytes > min(plausible, MOST_BYTES, self.most_bytes):
            raise tarfile.FilterError(f"unpacks to more than {self.n_bytes - len(block)} bytes")
        return block


def unpack(archive: Path, target: Callable[[str], Path | None], progress: Progress = silent) -> str:
    """Write the plain files of a gzipped tar archive to new files, in the archive's order.

    Args:
        archive: the packed file.
        target: a function from a member's name to the path to write it to, or to None: skip it.
        progress: gets the number of packed KiB that were read.

    Returns:
        The archive's comment: the commit, in those that git makes.

    Raises:
        InputError: of the kind "unsafe" at the first member that an honest archive would not have,
            "conflict" if two members have the same target, "format" if the archive is not complete.
            Files that were written until then stay.

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
                # `next` skips the rest of a member and reads the headers of the following one.
                unpacked.most_bytes = members.offset + MOST_HEADER_BYTES
                if (member := members.next()) is None:
                    break
                unpacked.most_bytes = math.inf  # for its data, only the other two limits hold
                members.members.clear()  # type: ignore[attr-defined]  # tarfile keeps all it read
                _demand_honest(member, n_members, len(members.pax_headers))
                progress(f"{archive.name} (KiB)", packed.tell() >> 10, size_kib)
                name = "/".join(part for part in member.name.split("/") if part not in ("", "."))
                path = target(name) if member.isreg() and name.isprintable() else None
                if path and (stream := members.extractfile(member)):
                    with open(path, "xb") as out:
                        shutil.copyfileobj(stream, out, BLOCK_BYTES)
            unpacked.most_bytes = math.inf
            while unpacked.read(BLOCK_BYTES):
                pass  # read to the end: the checksum of the packed data stands there
            return members.pax_headers.get("comment", "")
    except tarfile.FilterError as error:
        wrong, right = f"{str(error)!r:.200}", "fetch the archive as it was released"
        raise InputError(str(archive), wrong, right, kind="unsafe") from error
    except FileExistsError as error:
        wrong = f"two of its files are called {Path(error.filename).name!r}"
        raise InputError(str(archive), wrong, "fetch another revision", kind="conflict") from None
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        # tarfile sometimes raises a ValueError for a broken header
        wrong = f"this is not a complete archive ({str(error)!r:.200})"
        raise InputError(str(archive), wrong, "fetch it again", kind="format") from error


def _demand_honest(member: tarfile.TarInfo, n_members: int, n_facts: int) -> None:
    """Raise `tarfile.FilterError` for a member of an archive that no honest archive has.

    `n_members` counts the members so far, `n_facts` the header entries for the whole archive.
    """
    if n_members > MOST_MEMBERS or n_facts > MOST_FACTS:
        raise tarfile.FilterError(f"has more than {MOST_MEMBERS} members or {MOST_FACTS} headers")
    if LEADS_OUT.search(member.name):
        raise tarfile.FilterError(f"{member.name!r} leads out of the archive")
    if member.type not in PLAIN_TYPES or member.issparse():
        raise tarfile.FilterError(f"{member.name!r} is neither a plain file nor a folder")
    if member.issym():
        tarfile.data_filter(member, "/archive")  # refuses links that lead out
