"""Download files from the hosts, or from one address for them all; try again and check.

`docs/mining.md` says what such an address has to serve.
"""

import hashlib
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from ..errors import InputError
from ..files import write_whole_bytes
from ..progress import Progress
from ..version import __version__

if TYPE_CHECKING:
    from httpx2 import Client, Response

T = TypeVar("T")
HOSTS = {
    "lists": "https://api.github.com",
    "github": "https://raw.githubusercontent.com",
    "hub": "https://huggingface.co",
    "lindat": "https://lindat.mff.cuni.cz",
}
PATHS = {
    "github": "{repository}/{revision}/{path}",
    "hub": "datasets/{repository}/resolve/{revision}/{path}",
}
ADDRESS = re.compile(r"https?://([\w.:@-]+|\[[0-9a-fA-F:.]+\](:[0-9]+)?)(/[^?#\s]*)?|")
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT_S = 120.0  # a server that asks for more patience than this is not waited for
MOST_LIST_BYTES = 64 << 20  # the code host itself stops at 7 MB
MOST_FILE_BYTES = 4 << 30  # of one file; the largest of release 2.18 has a tenth of it
MOST_ARCHIVE_BYTES = 16 << 30  # packed; release 2.18 has 0.7 GB
PLAIN_FILE = ("100644", "100755")  # modes of git; 120000 is a link, 160000 another repository
COMMIT = re.compile(r"\A[0-9a-f]{40}\Z")
SHA256 = re.compile(r"[0-9a-f]{64}|")
MIRROR = "COLORLESS_MIRROR"  # environment variable with an address to use in place of all hosts
ELSEWHERE = f"another mirror ({MIRROR}), or try later"


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Settings for requests: how long to wait, and how often to try."""

    timeout_s: float = 30.0  # of one read
    n_tries: int = 4
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a revision."""

    path: str  # in the repository, with slashes
    size: int | None = None  # None: not known
    sha256: str = ""  # "": not known


class NotFound(InputError):
    """The error for an address with nothing at it; a caller may conclude something about a name."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "is not there", "another name, release or mirror", kind="missing")


class _TransientError(Exception):
    """An error worth another try: what happened; the seconds the server asks to wait, or None."""


class DownloadSource:
    """The hosts to download from (`mirror` is ""), or an http(s) address in place of them all.

    Raises `InputError` for what is not an address.
    """

    def __init__(self, mirror: str, wire: HttpSettings, progress: Progress) -> None:
        self.mirror, self.wire, self.progress = mirror.rstrip("/"), wire, progress
        self._answered = False  # whether any server has answered yet
        if not (ADDRESS.fullmatch(mirror) and mirror.isprintable()):
            wrong = f"{mirror!r} is not an http(s) address"
            right = "https://example.org/ud, say; verbs that take a treebank read folders as well"
            raise InputError(MIRROR, wrong, right, kind="value")

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    def bring(self, source: Mapping[str, str], file: RemoteFile, path: Path) -> str:
        """Write a file of a revision to `path`, whole or not at all; return its SHA-256."""
        host = source["host"]
        return self._save(host, PATHS[host].format(path=file.path, **source), file, path)

    def bring_archive(self, handle: str, path: Path, sha256: str) -> str:
        """Write a release's archive to `path`, whole or not at all; return its SHA-256.

        The repository moved once, hence two addresses.
        """
        file, suffix = RemoteFile(path.name, None, sha256), f"handle/11234/{handle}/{path.name}"
        try:
            new = f"repository/server/api/core/bitstreams/{suffix}"
            return self._save("lindat", new, file, path)
        except NotFound:
            return self._save("lindat", f"repository/xmlui/bitstream/{suffix}", file, path)

    def listing(self, source: Mapping[str, str]) -> list[RemoteFile]:
        """Return all plain files of a revision, by path."""
        repository, revision = source["repository"], source["revision"]
        if source["host"] == "hub":
            url = self._url("hub", f"api/datasets/{repository}/tree/{revision}") + "?recursive=true"
        else:
            top_suffices = repository.startswith("UniversalDependencies/")
            url = self._url("lists", f"repos/{repository}/git/trees/{revision}")
            url += "" if top_suffices else "?recursive=1"
        return self._json(url, _files)

    def newest(self, repository: str) -> str:
        """Return the commit that a repository's default branch is at."""
        url = self._url("lists", f"repos/{repository}/commits/HEAD")
        return self._json(url, lambda value: str(COMMIT.findall(value["sha"])[0]))

    def _url(self, host: str, path: str) -> str:
        return f"{self.mirror or HOSTS[host]}/{quote(path)}"

    def _json(self, url: str, read: Callable[[Any], T]) -> T:
        """Return what `read` makes of the JSON at an address; raise `InputError` if it cannot."""
        body = io.BytesIO()
        self._download(url, RemoteFile("list"), body, MOST_LIST_BYTES)
        try:
            return read(json.loads(body.getvalue()))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            wrong = "the answer is not a complete list"
            raise InputError(url, wrong, ELSEWHERE, kind="format") from None

    def _save(self, host: str, remote_path: str, file: RemoteFile, path: Path) -> str:
        url = self._url(host, remote_path)
        with write_whole_bytes(path) as out:
            digest = self._download(url, file, out, MOST_ARCHIVE_BYTES)
            if file.sha256 not in ("", digest):
                wrong = f"its SHA-256 is {digest}, not {file.sha256}"
                right = "another mirror; the server has another file"
                raise InputError(url, wrong, right, kind="changed")
        return digest

    def _download(self, url: str, file: RemoteFile, out: IO[bytes], max_bytes: int) -> str:
        """Write a file into a stream, `max_bytes` bytes at most; return its SHA-256.

        After a failure it starts again, when the server asks for it or after 1, 2, 4 … seconds.
        """
        for n_failures in count(1):
            out.seek(0)
            out.truncate()
            try:
                with self._answer(url) as response:
                    return self._write_body(response, url, file, out, max_bytes)
            except _TransientError as passing:
                message, wait_s = passing.args
                if n_failures >= self.wire.n_tries:
                    wrong = f"{message}, {n_failures} times in a row"
                    raise InputError(url, wrong, "run it again later", kind="network") from passing
                self.wire.sleep(2.0 ** (n_failures - 1) if wait_s is None else wait_s)
        raise AssertionError("tries are counted")

    def _write_body(
        self, response: "Response", url: str, file: RemoteFile, out: IO[bytes], max_bytes: int
    ) -> str:
        """Write the body of an answer into a stream; return its SHA-256."""
        length = response.headers.get("Content-Length", "")
        total = int(length) if re.fullmatch("[0-9]{1,18}", length) else file.size
        max_bytes = max_bytes if file.size is None else file.size
        wrong = "sends the wrong number of bytes"
        too_many = InputError(url, wrong, f"{max_bytes} bytes or less", kind="changed")
        if (total or 0) > max_bytes or file.size not in (None, total):
            raise too_many
        n_read, digest, task = 0, hashlib.sha256(), f"{file.path.rpartition('/')[2]} (KiB)"
        for block in response.iter_raw():
            n_read += len(block)
            if n_read > max_bytes:
                raise too_many
            out.write(block)
            digest.update(block)
            self.progress(task, n_read >> 10, total and total >> 10)
        if n_read < (file.size or 0):
            raise _TransientError(f"the connection ended after {n_read} of {file.size} bytes", None)
        return digest.hexdigest()

    @cached_property
    def _client(self) -> "Client":
        import httpx2

        # "identity": the bytes of the file itself, since they are counted and hashed
        headers = {"User-Agent": f"colorless-green/{__version__}", "Accept-Encoding": "identity"}
        try:
            return httpx2.Client(headers=headers, timeout=self.wire.timeout_s)
        except (ImportError, ValueError) as error:  # no SOCKS without a package of its own
            wrong, right = f"{str(error)!r:.200}", "a proxy that speaks HTTP, or none"
            raise InputError("the proxy", wrong, right, kind="dependency") from error

    @contextmanager
    def _answer(self, url: str) -> Iterator["Response"]:
        """Yield the answer to a GET, with status 200; errors while reading its body are transient.

        Until some server has answered, one that cannot be reached is not tried again. Only `http`
        and `https` are allowed, and from `https` only a redirect to `https`.
        """
        import httpx2

        try:
            target = httpx2.URL(url)
            for _ in range(MOST_REDIRECTS + 1):
                with self._client.stream("GET", target) as response:
                    self._answered = True
                    if response.next_request is None:
                        _demand_file(url, response)
                        yield response
                        return
                    scheme, target = target.scheme, response.next_request.url
                if target.scheme not in ("https", scheme):
                    wrong = f"redirects to {str(target)!r:.200}"
                    raise InputError(url, wrong, "a server that stays with https", kind="unsafe")
        except httpx2.TransportError as error:
            unreachable = isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout))
            if unreachable and not self._answered:
                wrong = f"cannot be reached ({str(error)!r:.200})"
                right = f"a network connection, or a mirror ({MIRROR})"
                raise InputError(url, wrong, right, kind="network") from error
            raise _TransientError(f"{type(error).__name__}: {str(error)!r:.200}", None) from error
        except (httpx2.InvalidURL, UnicodeError) as error:
            wrong = "is not a valid address"
            raise InputError(url, wrong, "another mirror", kind="value") from error
        wrong = f"more than {MOST_REDIRECTS} redirects"
        raise InputError(url, wrong, ELSEWHERE, kind="network")


def _demand_file(url: str, response: "Response") -> None:
    """Raise an error that says what to do about an answer without a file."""
    status, headers = response.status_code, response.headers
    if status == 200:
        return
    if status in (404, 410):
        raise NotFound(url)
    retry_after, reset_time, wait_s = headers.get("Retry-After", ""), "", None
    if headers.get("X-RateLimit-Remaining") == "0":
        reset_time = headers.get("X-RateLimit-Reset", "")
    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        wait_s = float(retry_after)
    elif re.fullmatch(r"[0-9]{1,10}", reset_time):
        wait_s = max(0.0, float(reset_time) - time.time())
    if status not in TRANSIENT_STATUSES and not (status == 403 and wait_s is not None):
        raise InputError(url, f"refuses with status {status}", ELSEWHERE, kind="network")
    if wait_s is None or wait_s <= LONGEST_WAIT_S:
        raise _TransientError(f"status {status}", wait_s)
    free_at = datetime.fromtimestamp(time.time() + wait_s, UTC)
    wrong = f"accepts no more requests from this address until {free_at:%H:%M} UTC"
    right = "the same command then, --all (one file from another host), or a mirror"
    raise InputError(url, wrong, right, kind="network")


def _files(value: Any) -> list[RemoteFile]:
    """Return the plain files in a list of the code host or of the hub, by path.

    A list of a wrong shape raises whatever reading it raises.
    """
    files = []
    if isinstance(value, dict) and value.get("truncated"):
        raise ValueError
    for entry in value["tree"] if isinstance(value, dict) else value:
        if entry["type"] not in ("blob", "file") or entry.get("mode", "100644") not in PLAIN_FILE:
            continue
        large = entry.get("lfs") or {}  # the hub knows the SHA-256 of such files
        path, size, sha256 = entry["path"], (large or entry)["size"], large.get("oid", "")
        if not isinstance(path, str) or type(size) is not int or not SHA256.fullmatch(sha256):
            raise ValueError
        if 0 <= size <= MOST_FILE_BYTES:
            files.append(RemoteFile(path, size, sha256))
    return sorted(files, key=lambda file: file.path)
