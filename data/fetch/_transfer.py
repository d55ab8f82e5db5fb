"""Download a file over http(s), or from the one server of `COLORLESS_MIRROR`, into a file.

A file that was cut off is asked for again from its beginning.
"""

import hashlib
import re
import time
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import InputError
from ..progress import Progress
from ..version import __version__

if TYPE_CHECKING:
    from httpx2 import Client, Request, Response

MIRROR = "COLORLESS_MIRROR"  # environment variable with an address in place of all hosts
ADDRESS = re.compile(r"(https?://([\w.:@-]+|\[[0-9a-fA-F:.]+\](:[0-9]+)?)(/[^?#\s]*)?)?")
N_TRIES, TIMEOUT_S = 4, 30.0  # of a file; of one read
LONGEST_WAIT_S = 120  # a server that asks for more patience than this is not waited for
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
MOST_BYTES = 16 << 30  # packed; release 2.18 has 0.7 GB
TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
ELSEWHERE = f"a network connection, or another mirror ({MIRROR})"


class Network:
    """The web; or the server of an http(s) address, which gets the paths of all addresses."""

    def __init__(self, mirror: str, progress: Progress) -> None:
        self.mirror, self.progress = mirror.rstrip("/"), progress
        if not (ADDRESS.fullmatch(mirror) and mirror.isprintable()):
            wrong = f"{mirror!r} is not an http(s) address"
            right = "https://example.org/ud, say; verbs that take a treebank read folders as well"
            raise InputError(MIRROR, wrong, right, kind="value")

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    def save(self, url: str, path: Path, sha256: str = "", max_bytes: int = MOST_BYTES) -> str:
        """Write what an address has to `path`; return its SHA-256, which must be `sha256` if given.

        After a failure that may pass it starts again, when the server asks for it or after 1, 2,
        4 … seconds.
        """
        import httpx2

        if self.mirror:
            url = self.mirror + urlsplit(url)._replace(scheme="", netloc="").geturl()
        for n_tries in count(1):
            try:
                with self._client.stream("GET", url) as response:
                    response.raise_for_status()
                    digest = self._write(response, url, path, max_bytes)
                break
            except (
                httpx2.ConnectError,
                httpx2.ConnectTimeout,
                httpx2.InvalidURL,
                UnicodeError,
            ) as e:
                wrong = f"cannot be reached ({str(e)!r:.200})"
                raise InputError(url, wrong, ELSEWHERE, kind="network") from e
            except httpx2.HTTPError as error:
                wait_s = _seconds_to_wait(url, error)
                if n_tries >= N_TRIES:
                    wrong = f"{type(error).__name__}: {str(error)!r:.200}, {n_tries} times in a row"
                    raise InputError(url, wrong, "run it again later", kind="network") from error
                time.sleep(2.0 ** (n_tries - 1) if wait_s is None else wait_s)
        if sha256 not in ("", digest):
            wrong, right = f"its SHA-256 is {digest}, not {sha256}", "the file as it was"
            raise InputError(url, wrong, right, kind="changed")
        return digest

    def _write(self, response: "Response", url: str, path: Path, max_bytes: int) -> str:
        """Write the body of an answer to a file; return its SHA-256."""
        n_bytes, digest, length = 0, hashlib.sha256(), response.headers.get("Content-Length", "")
        total_kib = int(length) >> 10 if re.fullmatch("[0-9]{1,18}", length) else None
        with open(path, "wb") as out:
            for block in response.iter_raw():
                n_bytes += len(block)
                if n_bytes > max_bytes:
                    right = f"{max_bytes} bytes or less"
                    raise InputError(url, "sends too many bytes", right, kind="changed")
                out.write(block)
                digest.update(block)
                self.progress(f"{path.name} (KiB)", n_bytes >> 10, total_kib)
        return digest.hexdigest()

    @cached_property
    def _client(self) -> "Client":
        """The connections; from https they are led to https alone."""
        import httpx2

        schemes = ("https", "http") if self.mirror.startswith("http:") else ("https",)

        def demand_web(request: "Request") -> None:
            if request.url.scheme not in schemes:
                wrong, right = "it is not led to by https alone", "a server that stays with https"
                raise InputError(f"{str(request.url)!r:.200}", wrong, right, kind="unsafe")

        # "identity": the bytes of the file itself, since they are counted and hashed
        headers = {"User-Agent": f"colorless-green/{__version__}", "Accept-Encoding": "identity"}
        try:
            return httpx2.Client(
                headers=headers,
                timeout=TIMEOUT_S,
                follow_redirects=True,
                max_redirects=MOST_REDIRECTS,
                event_hooks={"request": [demand_web]},
            )
        except (ImportError, ValueError) as error:  # no SOCKS without a package of its own
            wrong, right = f"{str(error)!r:.200}", "a proxy that speaks HTTP, or none"
            raise InputError("the proxy", wrong, right, kind="dependency") from error


def _seconds_to_wait(url: str, error: Exception) -> int | None:
    """Return for how long a server asks to be left alone, None if it does not say.

    Raises `InputError` for an answer that another try would not change.
    """
    response = getattr(error, "response", None)
    if response is None:
        return None
    status, wait = response.status_code, response.headers.get("Retry-After", "")
    if status in (404, 410):
        raise InputError(url, "is not there", "another name, release or mirror", kind="missing")
    wait_s = int(wait) if re.fullmatch("[0-9]{1,9}", wait) else None
    if status not in TRANSIENT_STATUSES or (wait_s or 0) > LONGEST_WAIT_S:
        wrong = f"refuses with status {status}" + (f", for {wait_s} seconds" if wait_s else "")
        raise InputError(url, wrong, ELSEWHERE, kind="network")
    return wait_s
