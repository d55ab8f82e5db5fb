"""Bytes from an address into a file: resumed, tried again with longer waits, checked, then shown.

A file grows as `NAME.part`, beside it `NAME.part.json` with what tells the server's version of it
(the validator of RFC 9110 §13.1.5); it gets its name only when its bytes are the right ones.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import TypeVar

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.wire import (
    LONGEST_WAIT_S,
    Interrupted,
    Wire,
    answer,
    passing_faults,
    shown,
)
from colorless_green.data.progress import Progress, silent

T = TypeVar("T")
BLOCK = 1 << 16
MOST_REQUESTS = 500  # for one file: a server that gives a byte at a time is given up
CONTENT_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/(?:[0-9]+|\*)")
KIB = 1024


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of a file before it comes."""

    most_bytes: int  # more is refused; equal to `size` where that is known
    size: int | None = None
    blob: str = ""  # git blob id, SHA-1 over a header and the bytes
    sha256: str = ""

    @property
    def checked(self) -> bool:
        """Whether a hash will tell right bytes from wrong ones."""
        return bool(self.blob or self.sha256)


def blob_id(path: Path) -> str:
    """The git blob id of a file: SHA-1 of `blob SIZE`, a zero byte, and the bytes."""
    return _hashed(path, hashlib.sha1(f"blob {path.stat().st_size}\0".encode()))


def _hashed(path: Path, digest: "hashlib._Hash") -> str:
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def fault_of(path: Path, expected: Expected) -> str:
    """What is wrong with a file's bytes; "" if nothing."""
    size = path.stat().st_size
    if expected.size is not None and size != expected.size:
        return f"{size} bytes came where {expected.size} are right"
    if expected.blob and (got := blob_id(path)) != expected.blob:
        return f"its blob id is {got}, not {expected.blob}"
    if expected.sha256 and (got := _hashed(path, hashlib.sha256())) != expected.sha256:
        return f"its SHA-256 is {got}, not {expected.sha256}"
    return ""


def download(
    url: str, path: Path, expected: Expected, wire: Wire, progress: Progress = silent
) -> None:
    """The bytes at `url` as the file `path`, whole and checked or not there.

    What an earlier call left is gone on with. Wrong bytes are asked for once more from the start.
    Raises `NotThere`, or `InputError`.
    """
    part = path.with_name(path.name + ".part")
    note = path.with_name(path.name + ".part.json")
    for again in (True, False):
        with _writable(part):
            retried(
                lambda: _go_on(url, part, note, expected, wire, progress),
                url,
                wire,
                grown=lambda: _size(part),
            )
            fault = fault_of(part, expected)
            if not fault:
                os.replace(part, path)
                note.unlink(missing_ok=True)
                return
            part.unlink()
            note.unlink(missing_ok=True)
        if not again:
            raise InputError(
                shown(url),
                f"{fault}, twice",
                "another --mirror; the server has another file",
                kind="conflict",
            )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """A full disk or a folder one may not write to, as an `InputError`."""
    try:
        yield
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        raise InputError(
            str(path), wrong, "a place with room to write", kind="unwritable"
        ) from error


def retried(
    attempt: Callable[[], T], url: str, wire: Wire, grown: Callable[[], int] = lambda: 0
) -> T:
    """`attempt()`, again after each `Interrupted`, with waits that double and vary.

    Given up after `wire.n_tries` tries in a row that brought nothing new (`grown`: bytes so far).
    """
    n_failures, before = 0, grown()
    for _ in range(MOST_REQUESTS):
        try:
            return attempt()
        except Interrupted as fault:
            n_failures = 1 if grown() > before else n_failures + 1
            before = grown()
            if n_failures >= wire.n_tries:
                raise InputError(
                    shown(url),
                    f"{shown(fault.what)}, {n_failures} times in a row",
                    "the same command later: it goes on where this one stopped",
                    kind="format",
                ) from fault
            wire.sleep(pause_s(n_failures, fault.wait_s, wire))
    raise InputError(
        shown(url), f"{MOST_REQUESTS} requests did not bring it", "another --mirror", kind="network"
    )


def pause_s(n_failures: int, asked_s: float | None, wire: Wire) -> float:
    """Seconds to wait after the n-th failure in a row (from 1): 1, 2, 4 … 60, between half and the
    whole of it by chance; or what the server asked for, and up to a second more."""
    if asked_s is not None:
        return min(asked_s, LONGEST_WAIT_S) + wire.chance()
    longest = min(60.0, 2.0 ** (n_failures - 1))
    return longest * (0.5 + wire.chance() / 2)


def _go_on(
    url: str, part: Path, note: Path, expected: Expected, wire: Wire, progress: Progress
) -> None:
    """One request that brings the rest of `part`; it returns when the whole file is there."""
    done = _size(part)
    if part.exists() and done == expected.size and expected.checked:
        return
    validator = _noted(note, url)
    headers = {}
    if done and (validator or expected.checked):
        headers["Range"] = f"bytes={done}-"
        if validator:
            headers["If-Range"] = validator
    with answer(url, wire, headers) as response:
        start = _start(response, done if headers else 0, part)
        total = None if response.length is None else start + response.length
        _refuse_length(url, total, expected)
        if not start:
            part.unlink(missing_ok=True)
            _note(note, url, response)
        with open(part, "ab") as stream:
            _pour(response, stream.write, url, start, total, expected, progress)
            stream.flush()
            os.fsync(stream.fileno())


def _refuse_length(url: str, total: int | None, expected: Expected) -> None:
    """An error for a length announced that cannot be right; None is a body without one."""
    if total is None or total == expected.size:
        return
    if expected.size is not None:
        raise InputError(
            shown(url),
            f"{total} bytes are announced",
            f"the file of {expected.size} bytes",
            kind="format",
        )
    if total > expected.most_bytes:
        raise InputError(
            shown(url),
            f"{total} bytes are announced",
            f"at most {expected.most_bytes} bytes",
            kind="format",
        )


def _start(response: HTTPResponse, asked: int, part: Path) -> int:
    """At which byte the body begins. What is there already is dropped if it is of no use."""
    if response.status == 200:
        return 0
    match = CONTENT_RANGE.match(response.headers.get("Content-Range") or "")
    if response.status == 206 and asked and match is not None and int(match[1]) == asked:
        return asked
    part.unlink(missing_ok=True)  # 416, or another piece than was asked for: from the start
    raise Interrupted(f"status {response.status} with another piece than bytes {asked}-")


def _pour(
    response: HTTPResponse,
    write: Callable[[bytes], object],
    url: str,
    start: int,
    total: int | None,
    expected: Expected,
    progress: Progress,
) -> None:
    done, task = start, f"{url.rpartition('/')[2]} (KiB)"
    while True:
        with passing_faults(url):
            block = response.read1(BLOCK)
        if not block:
            break
        done += len(block)
        if done > expected.most_bytes:
            raise InputError(
                shown(url),
                f"sends more than {expected.most_bytes} bytes",
                "another --mirror",
                kind="unsafe",
            )
        write(block)
        progress(task, done // KIB, None if total is None else total // KIB)
    end = expected.size if total is None else total
    if end is not None and done < end:
        raise Interrupted(f"the connection ended after {done} of {end} bytes")


def _noted(note: Path, url: str) -> str:
    """The validator under which `part` was begun; "" if none, or for another address."""
    try:
        about = json.loads(note.read_text(encoding="utf-8"))
        return str(about["validator"]) if about["url"] == url else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _note(note: Path, url: str, response: HTTPResponse) -> None:
    """Keeps a strong ETag, else the date: a weak one may not be used with a range."""
    tag = response.headers.get("ETag") or ""
    validator = tag if tag.startswith('"') else response.headers.get("Last-Modified") or ""
    if not validator.isprintable():
        validator = ""
    note.write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")


def text_at(url: str, most_bytes: int, wire: Wire, accept: str = "*/*") -> str:
    """A small UTF-8 text at an address, never on disk. Raises `NotThere`, or `InputError`."""

    def attempt() -> bytes:
        blocks: list[bytes] = []
        with answer(url, wire, {"Accept": accept}) as response:
            if response.status != 200:
                raise Interrupted(f"status {response.status} to a plain request")
            expected = Expected(most_bytes)
            _pour(response, blocks.append, url, 0, response.length, expected, silent)
        return b"".join(blocks)

    raw = retried(attempt, url, wire)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            shown(url), "what it sends is not UTF-8", "another --mirror", kind="unreadable"
        ) from None
