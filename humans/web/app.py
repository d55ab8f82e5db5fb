"""The server as an ASGI application. Participants alone speak to it: what they answered is read
with `colorless humans answers`, on the machine where the file lies."""

import asyncio
import re
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
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
from colorless_green.humans.study import Study
from colorless_green.humans.web import sessions
from colorless_green.humans.web.database import ANSWERS, DatabaseWriter, open_answers
from colorless_green.humans.web.guard import (
    PER_ADDRESS,
    PER_TOKEN,
    Clock,
    Guard,
    Leases,
    RateLimits,
    body_of,
    not_there,
    refusal,
    refused,
)
from colorless_green.humans.web.requests import (
    ClosingMessage,
    RequestRefused,
    WindowMessage,
    answers_in,
    parsed,
    start_in,
    validated_body,
)
from colorless_green.humans.web.sessions import ServerSession
from colorless_green.humans.web.site import (
    consent_version,
    end_of,
    page_languages,
    site_files,
    trials_of,
)

PEOPLE_KEY = "people.key"
API = ("session", "resume", "trials", "beat", "finish", "withdraw", "decline")

T = TypeVar("T")
Now: TypeAlias = Callable[[], datetime]


def application(
    study: Study,
    *,
    answers: Path | None = None,
    hosts: Collection[str] | None = None,
    now: Now = lambda: datetime.now(UTC),
    clock: Clock = time.monotonic,
    ready: Callable[[], None] = lambda: None,
) -> Starlette:
    """Makes the ASGI application that serves a study to participants and stores their answers.

    Args:
        study: as `read_study` returns it.
        answers: the file of answers; None: `answers.db` in the study's folder.
        hosts: host names; requests to others are refused. None: any.
        now: returns the date and time that are stored with answers.
        clock: returns seconds that never run backwards, for rate limits and open windows.
        ready: called when the server begins to serve.

    Returns:
        The application, for an ASGI server such as uvicorn.

    Raises:
        InputError: for a file of answers to another study, faulty texts of the page, and a page
            that is not built.
    """
    server = Server(study, answers or study.folder / ANSWERS, now, clock)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ready()
        yield
        await asyncio.to_thread(server.writer.close)

    app = Starlette(
        routes=[
            Route("/healthz", server.health, methods=["GET"]),
            *(Route(f"/api/{name}", getattr(server, name), methods=["POST"]) for name in API),
            *(Route(path, server.page, methods=["GET"]) for path in server.files),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={RequestRefused: refused, HTTPException: not_there},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


class Server:
    """A study, its file of answers, and what is only remembered while the server runs. Each method
    that takes a request alone is what an address does."""

    def __init__(self, study: Study, answers: Path, now: Now, clock: Clock) -> None:
        self.study, self.now = study, now
        self.files, self.languages = site_files(study), page_languages(study)
        self.consent = consent_version(study.settings)
        self.writer = DatabaseWriter(open_answers(answers, study, write=True))
        self.leases = Leases(clock)
        self.per_token, self.per_address = (
            RateLimits(PER_TOKEN, clock),
            RateLimits(PER_ADDRESS, clock),
        )

    async def health(self, request: Request) -> Response:
        """Whether the file of answers can be reached."""
        await self._do(lambda connection: connection.execute("SELECT 1 FROM about").fetchone())
        return JSONResponse({"status": "ok"})

    async def page(self, request: Request) -> Response:
        """A file that anybody may have."""
        file = self.files[request.url.path]
        headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.type, headers=headers)

    async def session(self, request: Request) -> Response:
        """Somebody has consented: a session, its token and its trials. Asked again with the same
        `request` it is the same session under a new token. A platform's id begins a session once:
        ids are known to others, so coming back takes the token."""
        self.per_address.take(request.client and request.client.host)
        start = start_in(parsed(await body_of(request)), self.languages)
        if start.consent != self.consent:
            raise RequestRefused(409, "the consent text has changed")
        name = sessions.new_name()
        if start.platform:
            key = await asyncio.to_thread(key_in, self.study.folder / PEOPLE_KEY)
            name = pseudonym(key, start.platform, start.identity)
        token = secrets.token_hex(32)
        now, abandoned = self._stamp(), self._stamp(self.study.settings.abandon_minutes)
        lists = tuple(self.study.lists)
        visit = await self._do(
            lambda connection: sessions.begin(
                connection, start, name, token, lists=lists, now=now, abandoned=abandoned
            )
        )
        self.leases.take(visit.session, start.window)
        return JSONResponse({**await self._opened(visit), "token": token}, 201)

    async def resume(self, request: Request) -> Response:
        """The session of a token, for a page that was loaded again. 423 while another window shows
        it; with `take` it becomes this window's."""
        visit, body = await self._visit(request)
        asks = validated_body(WindowMessage, body)
        if asks.take:
            self.leases.take(visit.session, asks.window)
        elif not self.leases.claim(visit.session, asks.window):
            return refusal(423, "open elsewhere")
        return JSONResponse(await self._opened(visit))

    async def trials(self, request: Request) -> Response:
        """Answers, which are on the disk when this is answered. `here` says whether the session is
        still this window's."""
        visit, body = await self._visit(request)
        answers = answers_in(body, self.study.lists[visit.list], self.study.settings)
        here, now = (
            self.leases.claim(visit.session, validated_body(WindowMessage, body).window),
            self._stamp(),
        )
        accepted, conflicts = await self._do(
            lambda connection: sessions.store(connection, visit.session, answers, now)
        )
        reply = {"accepted": accepted, "conflicts": conflicts, "here": here}
        return JSONResponse(reply, 409 if conflicts else 200)

    async def beat(self, request: Request) -> Response:
        """A page that is still there; with `leave`, one that goes."""
        visit, body = await self._visit(request)
        asks = validated_body(WindowMessage, body)
        if asks.leave:
            self.leases.leave(visit.session, asks.window)
            return JSONResponse({"here": False})
        return JSONResponse({"here": self.leases.claim(visit.session, asks.window)})

    async def finish(self, request: Request) -> Response:
        """The end, once every trial has its answer; before that, the trials that have none."""
        visit, body = await self._visit(request)
        closing, now = validated_body(ClosingMessage, body), self._stamp()
        trial_ids = tuple(self.study.lists[visit.list])
        missing = await self._do(
            lambda connection: sessions.finish(connection, visit.session, closing, trial_ids, now)
        )
        if missing:
            return JSONResponse({"missing": missing})
        opened = await self._opened(visit._replace(finished=True))
        fields = ("participant", "debriefing", "completion")
        return JSONResponse({"missing": [], **{name: opened[name] for name in fields}})

    async def withdraw(self, request: Request) -> Response:
        """Somebody stops, and all of theirs is deleted; that somebody did is counted."""
        visit, _ = await self._visit(request)
        await self._do(lambda connection: sessions.withdraw(connection, visit.participant))
        return JSONResponse({"withdrawn": True})

    async def decline(self, request: Request) -> Response:
        """Somebody who does not consent is counted, and no more."""
        self.per_address.take(request.client and request.client.host)
        await body_of(request)
        await self._do(sessions.decline)
        completion = self.study.settings.completion.get("no_consent", "")
        return JSONResponse({"completion": completion})

    async def _do(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """What a job returns, once it is on the disk."""
        return await asyncio.wrap_future(self.writer.submit(job))

    def _stamp(self, minutes_ago: float = 0) -> str:
        return sessions.stamp(self.now() - timedelta(minutes=minutes_ago))

    async def _visit(self, request: Request) -> tuple[ServerSession, dict[str, Any]]:
        """Whose request it is, and its body. Raises `RequestRefused` without a token that opens a
        session."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if re.fullmatch("[0-9a-f]{32,64}", token) is None:
            raise RequestRefused(401, "no session")
        self.per_token.take(sessions.hashed(token))
        body = parsed(await body_of(request))
        visit = await self._do(lambda connection: sessions.visit_of(connection, token))
        if visit is None:
            self.per_address.take(request.client and request.client.host)
            raise RequestRefused(401, "no session")
        return visit, body

    async def _opened(self, visit: ServerSession) -> dict[str, Any]:
        """What a page is told of its session, and, of one that is finished, of its end."""
        contents = await self._do(lambda connection: sessions.contents(connection, visit.session))
        return {
            "session": visit.session,
            "participant": visit.participant,
            "trials": trials_of(self.study, visit.list),
            "answered": list(contents),
            "finished": visit.finished,
            **(end_of(self.study, visit.list, contents) if visit.finished else {}),
        }
