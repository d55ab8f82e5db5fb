"""The verb humans serve: a study as a web page, until somebody stops it."""

import contextlib
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result
from colorless_green.humans.pay import pay_told
from colorless_green.humans.settings import SETTINGS
from colorless_green.humans.study import Study, missing, read_study
from colorless_green.humans.web.answers import COLUMNS, overview
from colorless_green.humans.web.database import ANSWERS

KEEP_ALIVE_S = 75  # longer than people look at one screen
FAREWELL_S = 5  # how long open requests are waited for
BACKLOG = 512


@dataclass(frozen=True, slots=True)
class Place:
    """Where the server listens and writes; each field is an option of the command line."""

    host: str = "127.0.0.1"
    port: int = 8000  # 0: any that is free
    answers: Path | None = None  # None: in the study's folder


def serve_study(folder: Path, place: Place, *, announce: Callable[[str], None]) -> Result:
    """Serves the study in a folder until the process is told to stop, then says what came in.

    Raises `InputError` for a study with empty required fields, an address that cannot be had, and
    as `read_study` and `application` do.
    """
    try:
        import uvicorn

        from colorless_green.humans.web.app import application
    except ModuleNotFoundError as error:
        raise InputError(
            "humans serve",
            f"{error.name} is not installed",
            "pip install colorless-green[humans]",
            kind="dependency",
        ) from error
    study = read_study(folder)
    _demand_whole(study)
    listening = _socket(place)
    with contextlib.closing(listening):
        lines = [f"{_address(listening)} shows {study.settings.title!r}; Ctrl-C ends it"]
        paid = pay_told(study.settings, study.settings.duration_minutes)
        lines += [f"paid, if it takes as long as people are told: {paid}"] if paid else []
        app = application(study, answers=place.answers, ready=lambda: announce("\n".join(lines)))
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
    rows, messages = overview(study, place.answers or study.folder / ANSWERS)
    return Result(rows, COLUMNS, messages)


def _demand_whole(study: Study) -> None:
    """Raises `InputError` where people could not be told what they consent to, or see nothing."""
    empty = missing(study.settings)
    if empty:
        raise InputError(
            str(study.folder / SETTINGS),
            f"nothing is said of {', '.join(empty)}",
            "every text that people read before they consent",
            kind="empty",
        )
    if not study.trials:
        raise InputError(
            str(study.folder), "there are no trials", "a study that has some", kind="empty"
        )


def _socket(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=BACKLOG)
    except OSError as error:
        known = (error.errno or 0) > 0  # names that lead nowhere have numbers of their own
        wrong = os.strerror(error.errno or 0) if known else error.strerror or str(error)
        raise InputError(
            f"--host {place.host} --port {place.port}",
            f"cannot be listened on ({wrong})",
            "an address of this machine and a free port",
            kind="resources",
        ) from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
