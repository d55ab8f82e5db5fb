"""A study as a web page, until somebody stops it."""

import contextlib
import logging
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import Names, listed
from colorless_green.data.result import Result
from colorless_green.humans.settings import SETTINGS, missing, pay_text
from colorless_green.humans.study import read_study
from colorless_green.humans.web.answers import COLUMNS, overview
from colorless_green.humans.web.database import ANSWERS

KEEP_ALIVE_S = 75  # longer than people look at one screen
FAREWELL_S = 5  # how long open requests are waited for
BACKLOG = 512
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")


def serve_study(
    study: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    domain: Names = None,
    db: str | Path | None = None,
    announce: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> Result:
    """Serves a study as a web page until the process is told to stop, then says what came in.

    Args:
        study: a folder that `design_study` made, filled in.
        host: the address to listen on.
        port: 0 for any that is free.
        domain: names by which people reach the page, as through a proxy; others are refused.
        db: the file of answers; by default `answers.db` in the folder.
        announce: called with the lines that say where the page is.

    Returns:
        A row for each list, as `collect_answers` has it.

    Raises:
        InputError: for a study with empty required fields or that was changed, an address that
            cannot be had, and where the server is not installed (extra `[humans]`).

    >>> import colorless_green as cg
    >>> cg.serve_study("study", port=0)  # doctest: +SKIP
    """
    try:
        import uvicorn

        from colorless_green.humans.web.app import application
    except ModuleNotFoundError as error:
        wrong, right = f"{error.name} is not installed", "pip install 'colorless-green[humans]'"
        raise InputError("humans serve", wrong, right, kind="dependency") from error
    loaded = read_study(Path(study))
    empty = missing(loaded.settings)
    if empty:  # people could not be told what they consent to
        wrong = f"empty texts: {', '.join(empty)}"
        right = "every text that people read before they consent"
        raise InputError(str(loaded.folder / SETTINGS), wrong, right, kind="empty")
    if not loaded.trials:
        raise InputError(
            str(loaded.folder), "there are no trials", "a study that has some", kind="empty"
        )
    answers = Path(db) if db is not None else loaded.folder / ANSWERS
    listening = _socket(host, port)
    with contextlib.closing(listening):
        name, at = listening.getsockname()[:2]
        address = f"http://{f'[{name}]' if ':' in name else name}:{at}/"
        lines = [f"{address} shows {loaded.settings.title!r}; Ctrl-C ends it"]
        paid = pay_text(loaded.settings, loaded.settings.duration_minutes)
        lines += [f"paid, if it takes as long as people are told: {paid}"] if paid else []
        hosts = {host.lower(), *LOOPBACK, *(name.lower() for name in listed(domain))}
        hosts |= {"*"} if host in EVERYWHERE else set()
        if host.lower() not in LOOPBACK:
            lines.append(
                "WARNING: no TLS: whoever is on the way can read and change what people answer; "
                "listen on 127.0.0.1, behind a proxy with TLS (docs/people.md)"
            )
        app = application(
            loaded, answers=answers, hosts=hosts, ready=lambda: announce("\n".join(lines))
        )
        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=FAREWELL_S,
            ws="none",
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    rows, messages = overview(loaded, answers)
    return Result(rows, COLUMNS, messages)


def _socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        has_errno = (error.errno or 0) > 0  # names that lead nowhere have numbers of their own
        wrong = os.strerror(error.errno or 0) if has_errno else error.strerror or str(error)
        raise InputError(
            f"--host {host} --port {port}",
            f"cannot be opened ({wrong})",
            "an address of this machine and a free port",
            kind="resources",
        ) from error
