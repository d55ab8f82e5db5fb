"""Files from the hosts, or from a mirror in place of them all: resumed, tried again, checked.

`docs/mining.md` says where the hosts, a mirror's address and a mirror's folder have what.
"""

import hashlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress
from colorless_green.data.version import __version__

if TYPE_CHECKING:
    from httpx2 import Client, Response

T = TypeVar("T")
HOSTS = {
    "lists": "https://api.github.com",
    "github": "https://raw.githubusercontent.com",
    "hub": "https://huggingface.co",
    "lindat": "https://lindat.mff.cuni.cz",
}
PLACES = {"github": "{}/{}/{}", "hub": "datasets/{}/resolve/{}/{}"}  # repository, revision, path
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
PASSING = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT_S = 120.0  # a server that asks for more patience than this is not waited for
MOST_LIST_BYTES = 64 << 20  # the code host itself stops at 7 MB
MOST_FILE_BYTES = 4 << 30  # of one file; the largest of release 2.18 has a tenth of it
MOST_ARCHIVE_BYTES = 16 << 30  # packed; release 2.18 has 0.7 GB
PLAIN_FILE = ("100644", "100755")  # modes of git; 120000 is a link, 160000 another repository
COMMIT = re.compile(r"\A[0-9a-f]{40}\Z")
HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
SAFE_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How the network is used: patience, waiting, the time, and chance."""

    timeout_s: float = 30.0  # of one read
    n_tries: int = 6  # in a row that bring next to nothing
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time  # seconds since 1970, for servers that name a time of day
    # Waits need no seed: they change no result, and two processes should not wait in step.
    chance: Callable[[], float] = random.SystemRandom().random  # uniform in [0, 1)


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a revision, and what is known of its bytes."""

    path: str  # in the repository, with slashes
    size: int | None  # None: not known
    hash: str  # git blob id (40 hex digits), or SHA-256 (64) of a file kept elsewhere; "" unknown
    most: int = MOST_FILE_BYTES  # more is refused

    def fault_of(self, path: Path) -> str:
        """What is wrong with a file's bytes; "" if nothing."""
        if self.size not in (None, path.stat().st_size):
            return f"{path.stat().st_size} bytes came where {self.size} are right"
        got = hash_of(path, git=len(self.hash) == 40) if self.hash else ""
        return "" if got == self.hash else f"its hash is {got}, not {self.hash}"


def hash_of(path: Path, git: bool = False) -> str:
    """SHA-256 of a file, or its git blob id: SHA-1 of `blob SIZE`, a zero byte, and the bytes."""
    begun = hashlib.sha1(b"blob %d\0" % path.stat().st_size) if git else hashlib.sha256()
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, lambda: begun).hexdigest()


class NotFound(InputError):
    """There is nothing at an address; a caller may know what that says about a name."""

    def __init__(self, place: str) -> None:
        super().__init__(place, "is not there", "another name, release or --mirror", kind="missing")


class _TransientError(Exception):
    """Worth another try: what happened, and how many seconds the server asked to wait, or None."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A full disk or a folder one may not write to, as an `InputError`."""
    try:
        yield
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        right = "room there, or another folder in COLORLESS_CACHE or by --out"
        raise InputError(str(path), wrong, right, kind="unwritable") from error


@contextmanager
def locked(path: Path, cache: Path) -> Iterator[None]:
    """No other process works on `path` meanwhile. The system frees the lock of a dead one."""
    name = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:32]
    with writing(cache):
        (cache / "locks").mkdir(parents=True, exist_ok=True)
        handle = open(cache / "locks" / name, "ab")  # noqa: SIM115  # closed below
    with handle:
        with suppress(OSError):  # where the system or the disk has no locks, nothing waits
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
            else:
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


class DownloadSource:
    """Where files are from: the hosts themselves (`mirror` is ""), an address, or a folder.

    Raises `InputError` for what is neither an http(s) address nor a folder that exists.
    """

    def __init__(self, mirror: str, wire: HttpSettings, progress: Progress) -> None:
        self.wire, self.progress, self.base = wire, progress, ""
        self._answered = False  # whether any server has answered yet
        self.folder = Path(mirror) if mirror else None
        try:
            parts = urlsplit(mirror)
        except ValueError:  # brackets without an IPv6 address in them
            parts = urlsplit("http:")
        if parts.scheme in ("http", "https"):
            self.base, self.folder = mirror.rstrip("/"), None
            if not parts.netloc or parts.query or parts.fragment or not mirror.isprintable():
                wrong = f"{mirror!r} is not an address of a folder"
                raise InputError("--mirror", wrong, "https://example.org/ud, say", kind="value")
        elif parts.scheme == "file":
            self.folder = Path(unquote(parts.path))
        if self.folder and not self.folder.is_dir():
            wrong, right = f"there is no folder {mirror!r}", "a folder, or an http(s) address"
            raise InputError("--mirror", wrong, right, kind="missing")

    def close(self) -> None:
        """Ends the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    def bring(self, host: str, repository: str, revision: str, blob: Blob, path: Path) -> None:
        """One file of a revision as `path`, whole and checked or not there."""
        where = PLACES[host].format(repository, revision, blob.path)
        if not self.folder:
            self._download(self._url(host, where), blob, path)
            return
        file = self.folder / where
        if not file.is_file():
            raise NotFound(str(file))
        with writing(path):
            shutil.copyfile(file, path)
        if fault := blob.fault_of(path):
            raise InputError(str(file), fault, "a mirror that nobody changes", kind="changed")

    def archive(self, handle: str, path: Path, sha256: str) -> Path:
        """Where a release's archive is, its checksum (if known) right: brought as `path`, or in
        the folder that serves as mirror. The repository moved once, hence two addresses."""
        ways = [
            f"repository/{way}/handle/11234/{handle}/{path.name}"
            for way in ("server/api/core/bitstreams", "xmlui/bitstream")
        ]
        blob = Blob(path.name, None, sha256, MOST_ARCHIVE_BYTES)
        if self.folder:
            paths = [self.folder / way for way in (path.name, *ways)]
            path = next((candidate for candidate in paths if candidate.is_file()), paths[0])
            if not path.is_file():
                raise NotFound(str(path))
            if fault := blob.fault_of(path):
                raise InputError(str(path), fault, "the archive of this release", kind="changed")
        elif not path.is_file() or blob.fault_of(path):
            try:
                self._download(self._url("lindat", ways[0]), blob, path)
            except NotFound:
                self._download(self._url("lindat", ways[1]), blob, path)
        return path

    def listing(self, host: str, repository: str, revision: str) -> list[Blob]:
        """All plain files of a revision whose path is safe, by path; for a folder, those there."""
        if self.folder:
            folder = self.folder / PLACES[host].format(repository, revision, "")
            if not folder.is_dir():
                raise NotFound(str(folder))
            paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
            blobs = [
                Blob(name, path.stat().st_size, hash_of(path, git=True))
                for name, path in paths.items()
                if path.is_file() and _is_safe(name)
            ]
        elif host == "hub":
            url = self._url(host, f"api/datasets/{repository}/tree/{revision}") + "?recursive=true"
            blobs = self._told(url, _blobs)
        else:
            top_suffices = repository.startswith("UniversalDependencies/")
            url = self._url("lists", f"repos/{repository}/git/trees/{revision}")
            blobs = self._told(url if top_suffices else f"{url}?recursive=1", _blobs)
        return sorted((blob for blob in blobs if _is_safe(blob.path)), key=lambda blob: blob.path)

    def newest(self, repository: str) -> str:
        """The commit a repository's default branch is at."""
        url = self._url("lists", f"repos/{repository}/commits/HEAD")
        return self._told(url, lambda value: str(COMMIT.findall(value["sha"])[0]))

    def _told(self, url: str, meaning: Callable[[Any], T]) -> T:
        """What the JSON at an address means; `InputError` where it means nothing."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list"
            self._download(url, Blob("", None, "", MOST_LIST_BYTES), path)
            try:
                return meaning(json.loads(path.read_bytes()))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                wrong, right = "what it sends is no whole list", "another --mirror, or try later"
                raise InputError(url, wrong, right, kind="format") from None

    def _url(self, host: str, where: str) -> str:
        return f"{self.base or HOSTS[host]}/{quote(where)}"

    def _download(self, url: str, blob: Blob, path: Path) -> None:
        """What an earlier call left as `NAME.part` is gone on with, if the server's file is still
        what `NAME.part.tag` says; wrong bytes are asked for once more from the start."""
        part, tag = (path.with_name(path.name + end) for end in (".part", ".part.tag"))
        with writing(part):
            part.parent.mkdir(parents=True, exist_ok=True)
            for _ in range(2):
                self._go_on_until_whole(url, blob, part, tag)
                fault = blob.fault_of(part)
                tag.unlink(missing_ok=True)
                if not fault:
                    os.replace(part, path)
                    return
                part.unlink()
        right = "another --mirror; the server has another file"
        raise InputError(url, f"{fault}, twice", right, kind="changed")

    def _go_on_until_whole(self, url: str, blob: Blob, part: Path, tag: Path) -> None:
        """Requests for the rest of `part`, with a wait after each failure: what the server asked
        for and up to a second more; else 1, 2, 4 … 60 seconds, or down to half of it by chance."""
        n_failures, wire = 0, self.wire
        while True:
            before = _size(part)
            try:
                return self._go_on(url, blob, part, tag)
            except _TransientError as passing:
                what, wait_s = passing.args
                n_failures = 1 if _size(part) >= before + BLOCK else n_failures + 1
                if n_failures >= wire.n_tries:
                    wrong = f"{what}, {n_failures} times in a row"
                    right = "the same command later, which continues where this one stopped"
                    raise InputError(url, wrong, right, kind="network") from passing
                doubled_s = min(60.0, 2.0 ** (n_failures - 1)) * (0.5 + wire.chance() / 2)
                wire.sleep(doubled_s if wait_s is None else wait_s + wire.chance())

    def _go_on(self, url: str, blob: Blob, part: Path, tag: Path) -> None:
        """One request for the rest of `part`; it returns when the whole file is there."""
        done, headers = _size(part), {}
        if part.exists() and blob.hash and done == blob.size:
            return
        of, _, validator = tag.read_text("utf-8").partition("\n") if tag.exists() else ("", "", "")
        if done and validator and of == url:
            headers = {"Range": f"bytes={done}-", "If-Range": validator}
        elif done and blob.hash:
            headers = {"Range": f"bytes={done}-"}
        with self._answer(url, headers) as response:
            piece = response.headers.get("Content-Range", "")
            if response.status_code == 200:
                done = 0
                part.unlink(missing_ok=True)
                tag.write_text(f"{url}\n{_validator(response)}", encoding="utf-8")
            elif not headers or not piece.startswith(f"bytes {done}-"):  # 416 has none either
                part.unlink(missing_ok=True)  # of no use with another piece than was asked for
                raise _TransientError(f"status {response.status_code} with {piece!r:.200}", None)
            self._pour(response, url, blob, part, done)

    def _pour(self, response: "Response", url: str, blob: Blob, part: Path, done: int) -> None:
        """The body to the end of `part`, which has `done` bytes."""
        length = response.headers.get("Content-Length", "")
        total = done + int(length) if re.fullmatch("[0-9]{1,18}", length) else blob.size
        most = blob.most if blob.size is None else blob.size
        wrong = "sends the wrong number of bytes"
        too_many = InputError(url, wrong, f"{most} bytes or less", kind="changed")
        if (total or 0) > most or blob.size not in (None, total):
            raise too_many
        with open(part, "ab") as stream:
            for block in response.iter_raw():
                done += len(block)
                if done > most:
                    raise too_many
                stream.write(block)
                self.progress(f"{part.stem} (KiB)", done >> 10, total and total >> 10)
            stream.flush()
            os.fsync(stream.fileno())
        if blob.size is not None and done < blob.size:
            raise _TransientError(f"the connection ended after {done} of {blob.size} bytes", None)

    @cached_property
    def _client(self) -> "Client":
        import httpx2

        # "identity": the bytes as they lie there, since they are checked against a hash of the file
        headers = {"User-Agent": f"colorless-green/{__version__}", "Accept-Encoding": "identity"}
        try:
            return httpx2.Client(headers=headers, timeout=self.wire.timeout_s)
        except (ImportError, ValueError) as error:  # no SOCKS without a package of its own
            wrong, right = f"{str(error)!r:.200}", "a proxy that speaks HTTP, or none"
            raise InputError("the proxy", wrong, right, kind="dependency") from error

    @contextmanager
    def _answer(self, url: str, headers: dict[str, str]) -> Iterator["Response"]:
        """The answer to a GET, its status 200, 206 or 416; what its body raises is passing too.
        Where no server has answered yet, one that cannot be reached is not tried again.

        Only `http` and `https` are spoken, and from `https` only to `https`.
        """
        import httpx2

        try:
            at = httpx2.URL(url)
            for _ in range(MOST_REDIRECTS + 1):
                with self._client.stream("GET", at, headers=headers) as response:
                    self._answered = True
                    if response.next_request is None:
                        self._refuse_faults(url, response)
                        yield response
                        return
                    scheme, at = at.scheme, response.next_request.url
                if at.scheme not in ("https", scheme):
                    wrong = f"redirects to {str(at)!r:.200}"
                    raise InputError(url, wrong, "a server that stays with https", kind="unsafe")
        except httpx2.TransportError as error:
            if not self._answered and isinstance(
                error, (httpx2.ConnectError, httpx2.ConnectTimeout)
            ):
                wrong = f"cannot be reached ({str(error)!r:.200})"
                right = "a network connection, or another --mirror"
                raise InputError(url, wrong, right, kind="network") from error
            raise _TransientError(f"{type(error).__name__}: {str(error)!r:.200}", None) from error
        except (httpx2.InvalidURL, UnicodeError) as error:
            wrong = "is not a valid address"
            raise InputError(url, wrong, "another --mirror", kind="value") from error
        wrong = f"more than {MOST_REDIRECTS} redirects"
        raise InputError(url, wrong, "another --mirror, or try later", kind="network")

    def _refuse_faults(self, url: str, response: "Response") -> None:
        """Nothing for an answer that can be used; else the exception that says what to do."""
        status, headers = response.status_code, response.headers
        if status in (200, 206, 416):
            return
        if status in (404, 410):
            raise NotFound(url)
        limited = headers.get("X-RateLimit-Remaining") == "0"
        if status not in PASSING and not (status == 403 and (limited or "Retry-After" in headers)):
            wrong, right = f"refuses with status {status}", "another --mirror, or try later"
            raise InputError(url, wrong, right, kind="network")
        until = headers.get("X-RateLimit-Reset", "") if limited else ""
        wait_s = _asked_wait_s(headers.get("Retry-After", ""), until, self.wire.now())
        if wait_s is None or wait_s <= LONGEST_WAIT_S:
            raise _TransientError(f"status {status}", wait_s)
        free_at = datetime.fromtimestamp(self.wire.now() + wait_s, UTC)
        wrong = f"accepts no more requests from this address until {free_at:%H:%M} UTC"
        right = "the same command then, --all (one file from another host), or --mirror"
        raise InputError(url, wrong, right, kind="network")


def _asked_wait_s(retry_after: str, until: str, now: float) -> float | None:
    """Seconds a server asks to wait; None if it names none that can be read."""
    from email.utils import parsedate_to_datetime

    if re.fullmatch(r"[0-9]{1,9}", retry_after):
        return float(retry_after)
    if re.fullmatch(r"[0-9]{1,10}", until):
        return max(0.0, float(until) - now)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _validator(response: "Response") -> str:
    """A strong ETag, else the date: a weak one may not be used with a range (RFC 9110 §13.1.5)."""
    tag = response.headers.get("ETag", "")
    validator = tag if tag.startswith('"') else response.headers.get("Last-Modified", "")
    return validator if validator.isascii() and validator.isprintable() else ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _blobs(value: Any) -> list[Blob]:
    """The files in a list of the code host or of the hub. Raises what a wrong shape raises."""
    blobs = []
    if isinstance(value, dict) and value.get("truncated"):
        raise ValueError
    for entry in value["tree"] if isinstance(value, dict) else value:
        if entry["type"] not in ("blob", "file") or entry.get("mode", "100644") not in PLAIN_FILE:
            continue
        big = entry.get("lfs") or entry
        path, size, digest = entry["path"], big["size"], big["oid" if "oid" in big else "sha"]
        if not isinstance(path, str) or type(size) is not int or not HASH.fullmatch(digest):
            raise ValueError
        if 0 <= size <= MOST_FILE_BYTES:
            blobs.append(Blob(path, size, digest))
    return blobs


def _is_safe(path: str) -> bool:
    """Whether every part of a path is a plain name, on any system."""
    parts = path.split("/")
    return len(path) <= 240 and all(
        SAFE_PART.fullmatch(part) and not DEVICES.fullmatch(part) for part in parts
    )
