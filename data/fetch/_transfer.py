"""Download a file over http(s), or from the one server of `COLORLESS_MIRROR`.

A file that was cut off is asked for again from its beginning.
"""

import hashlib
import os
import re
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import InputError
from ..progress import Progress
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
MOST_BYTES = 4 << 30  # packed; release 2.18 has 0.7 GB
TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
ELSEWHERE = f"a network connection, or another mirror ({MIRROR}), or later"


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
            if n_bytes > MOST_BYTES:
                right = f"{MOST_BYTES} bytes or less"
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
