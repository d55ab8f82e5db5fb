"""A web server on this machine that can do everything wrong a server can do, and calls to it.

`Server` serves bytes by path. For each path a queue of faults is worked off, one a request; when it
is empty, the file is served as it should be. Every request is written down. `call` fetches without
waiting, `refused` claims of what sort a refusal is.
"""

import io
import os
import tarfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import _download
from colorless_green.data.fetch._download import MIRROR
from colorless_green.data.fetch.fetch import fetch
from colorless_green.data.result import Result

NOW = "2026-11-21T12:00:00+00:00"
NOWHERE = "http://127.0.0.1:1"


def call(
    *names: str,
    mirror: str = "",
    waits: list[float] | None = None,
    n_tries: int = 3,
    **options: Any,
) -> Result:
    """`fetch` at a time that is always the same; it writes down how long it would have waited."""
    module = import_module("colorless_green.data.fetch.fetch")
    written = [] if waits is None else waits
    with (
        patch.dict(os.environ, {MIRROR: mirror}),
        patch.multiple(module, now=lambda: NOW),
        patch.multiple(_download, MAX_TRIES=n_tries, TIMEOUT_S=0.5),
        patch.object(_download, "time", SimpleNamespace(sleep=written.append)),
    ):
        return fetch(names, **options)


@contextmanager
def refused(kind: str, place: object = None) -> Iterator[None]:
    """Expect the body to end in an `InputError` of this kind, in one printable line, about this
    place."""
    with pytest.raises(InputError) as caught:
        yield
    assert caught.value.kind == kind, str(caught.value)
    assert place is None or caught.value.location == str(place)
    assert str(caught.value).isprintable()


def files_in(folder: Path) -> list[str]:
    """Return the files below a folder but the lock, with slashes."""
    paths = (each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    return sorted(each for each in paths if each != "lock")


@dataclass(frozen=True, slots=True)
class Fault:
    """How one request goes wrong."""

    status: int = 200  # another one is sent with `headers` and an empty body
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None  # the connection ends after so many bytes of the body
    stall_s: float = 0.0  # silence in the middle of the body
    change: Callable[[bytes], bytes] = lambda body: body
    length: int | None = None  # what Content-Length says; -1 for no such header
    hang_up: bool = False  # no answer at all


class Server:
    """Serves `files` from a thread of its own while it is entered."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.asked: list[str] = []  # the paths of all requests
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def base(self) -> str:
        """Address of the server, without a slash at its end."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def n_asked(self, path: str) -> int:
        """How often a path was asked for."""
        return self.asked.count(path)

    def add_repository(self, repository: str, revision: str, files: Mapping[str, bytes]) -> None:
        """Pack the archive of a revision as the code host makes it."""
        self.files[archive_path(repository, revision)] = packed(in_folder(files), revision)


def archive_path(repository: str, revision: str) -> str:
    """Where the code host has the archive of a revision."""
    return f"/{repository}/archive/{revision}.tar.gz"


def in_folder(files: Mapping[str, bytes]) -> list[tuple[str, bytes]]:
    """Members of an archive of the code host."""
    return [(f"top/{path}", body) for path, body in files.items()]


def packed(members: Iterable[tuple[str, bytes]], commit: str = "") -> bytes:
    """Return a gzipped tar archive of plain files, in this order, without time stamps."""
    buffer = io.BytesIO()
    facts = {"comment": commit} if commit else {}
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1, pax_headers=facts) as archive:
        for name, body in members:
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return buffer.getvalue()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            server.asked.append(path)
            faults = server.faults.get(path) or [Fault()]
            fault = faults.pop(0)
            self.close_connection = True
            if fault.hang_up:
                return
            if fault.status != 200 or path not in server.files:
                self._send_status(fault.status if fault.status != 200 else 404, fault.headers)
                return
            self._send_file(fault, fault.change(server.files[path]))

        def _send_status(self, status: int, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": "0", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def _send_file(self, fault: Fault, body: bytes) -> None:
            self.send_response(200)
            if fault.length != -1:
                announced = len(body) if fault.length is None else fault.length
                self.send_header("Content-Length", str(announced))
            for name, value in fault.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self._write(body[: fault.cut_after], fault.stall_s)

        def _write(self, piece: bytes, stall_s: float) -> None:
            try:
                if stall_s:
                    self.wfile.write(piece[: len(piece) // 2])
                    self.wfile.flush()
                    time.sleep(stall_s)
                    piece = piece[len(piece) // 2 :]
                self.wfile.write(piece)
                self.wfile.flush()
            except OSError:
                pass  # the client has gone

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

    return Handler
