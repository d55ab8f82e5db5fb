"""The server as an ASGI application. Participants alone speak to it: what they answered is read
with `colorless humans answers`, on the machine where the file lies."""

import asyncio
import math
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from colorless_green.humans.pseudonym import key_in, pseudonym
from colorless_green.humans.study import Study, read_instructions
from colorless_green.humans.web import sessions, told
from colorless_green.humans.web.database import ANSWERS, Writer, open_answers
from colorless_green.humans.web.guard import (
    PER_ADDRESS,
    PER_TOKEN,
    Clock,
    Guard,
    Leases,
    Limits,
    body_of,
    not_there,
    refusal,
    refused,
)
from colorless_green.humans.web.sessions import Visit
from colorless_green.humans.web.site import File, Lists, consent_version, site_files
from colorless_green.humans.web.told import Closing, Refused, Window

PEOPLE_KEY = "people.key"
BEARER = "Bearer "

T = TypeVar("T")
Now: TypeAlias = Callable[[], datetime]
Handler: TypeAlias = Callable[["Server", Request], Awaitable[Response]]


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Server:
    """A study, its file of answers, and what is only remembered while the server runs."""

    study: Study
    writer: Writer
    lists: Lists
    people_key: Path
    now: Now
    leases: Leases
    per_token: Limits
    per_address: Limits
    consent: str
    files: Mapping[str, File]
    languages: frozenset[str]  # that the page speaks

    async def do(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What a job returns, once it is on the disk."""
        return await asyncio.wrap_future(self.writer.submit(job))

    def stamp(self, minutes_ago: float = 0) -> str:
        """When something that happens now, or happened then, is said to have happened."""
        return sessions.stamp(self.now() - timedelta(minutes=minutes_ago))


def application(
    study: Study,
    *,
    answers: Path | None = None,
    hosts: Collection[str] | None = None,
    now: Now = _utc,
    clock: Clock = time.monotonic,
    ready: Callable[[], None] = lambda: None,
) -> Starlette:
    """The application for a study; its answers go to a file in the study's folder, or to `answers`.
    Requests for other hosts than `hosts` are refused; None asks no host. `ready` is called when it
    begins to serve.

    Raises `InputError` as `site_files` and `open_answers` do.
    """
    files = site_files(study)
    spoken = {path.split("/")[2].removesuffix(".json") for path in files if "/texts/" in path}
    server = Server(
        study=study,
        writer=Writer(open_answers(answers or study.folder / ANSWERS, study)),
        lists=Lists(study),
        people_key=study.folder / PEOPLE_KEY,
        now=now,
        leases=Leases(clock),
        per_token=Limits(PER_TOKEN, clock),
        per_address=Limits(PER_ADDRESS, clock),
        consent=consent_version(study.settings),
        files=files,
        languages=frozenset({*spoken, *read_instructions(study.folder), study.settings.language}),
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ready()
        yield
        await asyncio.to_thread(server.writer.close)

    app = Starlette(
        routes=[
            Route("/healthz", _bound(server, health), methods=["GET"]),
            *(Route(f"/api/{name}", _bound(server, each), methods=["POST"]) for name, each in API),
            *(Route(path, _bound(server, page), methods=["GET"]) for path in files),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={Refused: refused, HTTPException: not_there},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _bound(server: Server, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def bound(request: Request) -> Response:
        return await handler(server, request)

    return bound


async def health(server: Server, request: Request) -> Response:
    """Whether the file of answers can be reached."""
    await server.do(lambda connection: connection.execute("SELECT 1 FROM about").fetchone())
    return JSONResponse({"status": "ok"})


async def page(server: Server, request: Request) -> Response:
    """A file that anybody may have."""
    found = server.files[request.url.path]
    headers = {"ETag": found.etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.type, headers=headers)


async def session(server: Server, request: Request) -> Response:
    """Somebody has consented: a session, its token and its trials. Asked again with the same
    `request` it is the same session under a new token. A platform's id begins a session once:
    ids are known to others, so coming back takes the token."""
    _demand_slow(server.per_address, request.client and request.client.host)
    start = told.start_in(told.parsed(await body_of(request)), server.languages)
    if start.consent != server.consent:
        raise Refused(409, "the consent text has changed")
    name = sessions.new_name()
    if start.platform:
        key = await asyncio.to_thread(key_in, server.people_key)
        name = pseudonym(key, start.platform, start.identity)
    token = sessions.new_token()
    now, abandoned = server.stamp(), server.stamp(server.study.settings.abandon_minutes)
    visit = await server.do(
        lambda connection: sessions.begin(
            connection,
            start,
            name,
            token,
            lists=tuple(server.lists.by_list),
            now=now,
            abandoned=abandoned,
        )
    )
    server.leases.take(visit.session, start.window)
    return JSONResponse({**await _opened(server, visit), "token": token}, 201)


async def resume(server: Server, request: Request) -> Response:
    """The session of a token, for a page that was loaded again. 423 while another window shows it;
    with `take` it becomes this window's."""
    visit, body = await _visit(server, request)
    asks = told.sent(Window, body)
    if asks.take:
        server.leases.take(visit.session, asks.window)
    elif not server.leases.claim(visit.session, asks.window):
        return refusal(423, "open elsewhere")
    return JSONResponse(await _opened(server, visit))


async def _opened(server: Server, visit: Visit) -> dict[str, Any]:
    answered = await server.do(lambda connection: sessions.contents(connection, visit.session))
    opened: dict[str, Any] = {
        "session": visit.session,
        "participant": visit.participant,
        "trials": server.lists.told(visit.list),
        "answered": list(answered),
        "finished": visit.finished,
    }
    return {**opened, **await _end(server, visit)} if visit.finished else opened


async def trials(server: Server, request: Request) -> Response:
    """Answers, which are on the disk when this is answered. `here` says whether the session is
    still this window's."""
    visit, body = await _visit(server, request)
    own = server.lists.by_list[visit.list]
    answers = told.answers_in(body, own, server.study.settings)
    here = server.leases.claim(visit.session, told.sent(Window, body).window)
    now = server.stamp()
    stored = await server.do(
        lambda connection: sessions.store(connection, visit.session, answers, now)
    )
    reply = {"accepted": stored.accepted, "conflicts": stored.conflicts, "here": here}
    return JSONResponse(reply, 409 if stored.conflicts else 200)


async def beat(server: Server, request: Request) -> Response:
    """A page that is still there; with `leave`, one that goes."""
    visit, body = await _visit(server, request)
    asks = told.sent(Window, body)
    if asks.leave:
        server.leases.leave(visit.session, asks.window)
        return JSONResponse({"here": False})
    return JSONResponse({"here": server.leases.claim(visit.session, asks.window)})


async def finish(server: Server, request: Request) -> Response:
    """The end, once every trial has its answer; before that, the trials that have none."""
    visit, body = await _visit(server, request)
    closing = told.sent(Closing, body)
    own, now = tuple(server.lists.by_list[visit.list]), server.stamp()
    missing = await server.do(
        lambda connection: sessions.finish(connection, visit.session, closing, own, now)
    )
    if missing:
        return JSONResponse({"missing": missing})
    ended = await _end(server, visit)
    return JSONResponse({"missing": [], "participant": visit.participant, **ended})


async def withdraw(server: Server, request: Request) -> Response:
    """Somebody stops, and all of theirs is deleted; that somebody did is counted."""
    visit, _ = await _visit(server, request)
    await server.do(lambda connection: sessions.withdraw(connection, visit.participant))
    return JSONResponse({"withdrawn": True})


async def _end(server: Server, visit: Visit) -> dict[str, str]:
    """What somebody is told who has finished: where they go ("" for nowhere), and what the study
    was about."""
    told = {"debriefing": server.study.settings.debriefing}
    addresses = server.study.settings.completion
    allowed = server.study.settings.exclusion.max_failed_checks
    contents = await server.do(lambda connection: sessions.contents(connection, visit.session))
    failed = server.lists.failed_checks(visit.list, contents)
    if allowed is not None and failed > allowed and addresses.get("failed_check"):
        return {**told, "completion": addresses["failed_check"]}
    return {**told, "completion": addresses.get("complete", "")}


async def decline(server: Server, request: Request) -> Response:
    """Somebody who does not consent is counted, and no more."""
    _demand_slow(server.per_address, request.client and request.client.host)
    await body_of(request)
    await server.do(sessions.decline)
    return JSONResponse({"completion": server.study.settings.completion.get("no_consent", "")})


API: tuple[tuple[str, Handler], ...] = (
    ("session", session),
    ("resume", resume),
    ("trials", trials),
    ("beat", beat),
    ("finish", finish),
    ("withdraw", withdraw),
    ("decline", decline),
)


async def _visit(server: Server, request: Request) -> tuple[Visit, dict[str, Any]]:
    """Whose request it is, and its body. Raises `Refused` without a token that opens a session."""
    token = request.headers.get("authorization", "").removeprefix(BEARER)
    if re.fullmatch("[0-9a-f]{32,64}", token) is None:
        raise Refused(401, "no session")
    _demand_slow(server.per_token, sessions.hashed(token))
    body = told.parsed(await body_of(request))
    visit = await server.do(lambda connection: sessions.visit_of(connection, token))
    if visit is None:
        _demand_slow(server.per_address, request.client and request.client.host)
        raise Refused(401, "no session")
    return visit, body


def _demand_slow(limits: Limits, visitor: object) -> None:
    """Raises `Refused` for a visitor who asks faster than anybody who takes part. Addresses are
    looked at here and kept nowhere else."""
    if (seconds := limits.wait(visitor)) > 0:
        raise Refused(429, "too fast", wait_s=math.ceil(seconds))
