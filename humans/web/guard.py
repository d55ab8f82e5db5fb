"""What holds for every request, whatever it asks for: hosts, origins, headers, size, how often one
visitor may ask, and which of their windows is at work (both only in memory)."""

import ipaddress
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from colorless_green.humans.web.told import Refused

LARGEST_BODY = 64 * 1024  # bytes; also the most that a browser sends from a page that closes
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
}
TLS_ONLY = "max-age=31536000"  # browsers are to remember that there is TLS
API = "/api/"

log = logging.getLogger("colorless_green.serve")


class Guard:
    """Wraps the application: refuses requests for other hosts and POSTs of other origins, adds the
    headers, answers a fault of ours with 500 and nothing about it. What is logged is the route and
    the sort of fault."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _add_headers(MutableHeaders(scope=message), scope)
            await send(message)

        if not _is_asked(Headers(scope=scope), self.hosts):
            await refusal(421, "another host")(scope, receive, sending)
            return
        if scope["method"] == "POST" and not same_origin(Headers(scope=scope)):
            await refusal(403, "another origin")(scope, receive, sending)
            return
        try:
            await self.app(scope, receive, sending)
        except Exception as error:  # ours: told to the log alone, by its sort
            log.error("%s failed: %s", _route(scope), type(error).__name__)
            if begun:
                raise
            await refusal(500, "the server failed")(scope, receive, sending)


def _route(scope: Scope) -> str:
    path = scope["path"]
    return path if path.startswith(API) and path.removeprefix(API).isalpha() else "a page"


def _add_headers(headers: MutableHeaders, scope: Scope) -> None:
    for name, value in HEADERS.items():
        headers[name] = value
    if scope["path"].startswith(API):
        headers["Cache-Control"] = "no-store"
    if scope["scheme"] == "https":
        headers["Strict-Transport-Security"] = TLS_ONLY


def _is_asked(headers: Headers, hosts: Collection[str] | None) -> bool:
    """Whether a request names one of the hosts. A page elsewhere whose name leads to this machine
    (DNS rebinding) has another one; `*` stands for every address in numbers, which no name is."""
    if hosts is None:
        return True
    try:
        name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        return name in hosts or ("*" in hosts and bool(ipaddress.ip_address(name)))
    except ValueError:
        return False


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own page: browsers send `Origin` with every POST."""
    origin = headers.get("origin", "")
    return bool(origin) and urlsplit(origin).netloc == headers.get("host")


def refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as the page understands it."""
    return JSONResponse({"error": reason}, status, headers)


async def refused(request: Request, error: Exception) -> JSONResponse:
    """The reply to a request that `Refused` was raised for."""
    assert isinstance(error, Refused)
    later = {"Retry-After": str(error.wait_s)} if error.wait_s else None
    return refusal(error.status, error.reason, later)


async def not_there(request: Request, error: Exception) -> JSONResponse:
    """The reply to a path or method that there is not; the path is not repeated."""
    status = getattr(error, "status_code", 404)
    return refusal(status, HTTPStatus(status).phrase.lower())


async def body_of(request: Request) -> bytes:
    """The body. Raises `Refused` as soon as more has come than `LARGEST_BODY`."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise Refused(415, "not JSON")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise Refused(413, "too large")
    return bytes(body)


Clock = Callable[[], float]
"""Seconds that only go forwards."""

KNOWN = 20_000  # visitors who are remembered; whoever was quiet longest is forgotten first
LEASE_S = 25.0  # a page says every 10 s that it is there


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests at once, and so many a second for good."""

    burst: float
    per_second: float


PER_TOKEN = Allowance(100, 20)
PER_ADDRESS = Allowance(100, 5)  # new sessions: a classroom behind one address may start at once


class Limits:
    """A bucket of requests for each visitor, which fills up again with time."""

    def __init__(self, allowance: Allowance, clock: Clock) -> None:
        self._allowance, self._clock = allowance, clock
        self._left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def wait(self, visitor: object) -> float:
        """Takes one request; 0 if it may go on, else the seconds until it might."""
        now = self._clock()
        left, then = self._left.pop(visitor, (self._allowance.burst, now))
        left = min(self._allowance.burst, left + (now - then) * self._allowance.per_second)
        allowed = left >= 1
        self._left[visitor] = (left - allowed, now)
        while len(self._left) > KNOWN:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._allowance.per_second


class Leases:
    """Which window shows a session. A window that falls silent loses it after `LEASE_S`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def claim(self, session: str, window: str) -> bool:
        """Whether the session is this window's now: it had it, or nobody did."""
        now = self._clock()
        holder, until = self._held.get(session, (window, now))
        if holder != window and until > now:
            return False
        self.take(session, window)
        return True

    def take(self, session: str, window: str) -> None:
        """Gives the session to this window, whoever had it."""
        self._held.pop(session, None)
        self._held[session] = (window, self._clock() + LEASE_S)
        while len(self._held) > KNOWN:
            self._held.popitem(last=False)

    def leave(self, session: str, window: str) -> None:
        """Frees the session, if it was this window's."""
        if self._held.get(session, ("", 0.0))[0] == window:
            del self._held[session]
