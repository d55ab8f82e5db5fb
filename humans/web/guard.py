"""What holds for every request, whatever it asks for: hosts, origins, headers, size, how often one
visitor may ask, and which of their windows is at work (both only in memory)."""

import ipaddress
import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from colorless_green.humans.web.requests import RequestRefused

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
        request_headers, is_api, begun = Headers(scope=scope), scope["path"].startswith(API), False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if is_api:
                    headers["Cache-Control"] = "no-store"
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = TLS_ONLY
            await send(message)

        if not _is_asked(request_headers, self.hosts):
            await refusal(421, "another host")(scope, receive, sending)
            return
        origin = request_headers.get("origin", "")  # browsers send it with every POST
        if scope["method"] == "POST" and (
            not origin or urlsplit(origin).netloc != request_headers.get("host")
        ):
            await refusal(403, "another origin")(scope, receive, sending)
            return
        try:
            await self.app(scope, receive, sending)
        except Exception as error:  # ours: told to the log alone, by its sort
            route = scope["path"] if scope["path"].removeprefix(API).isalpha() else "a page"
            log.error("%s failed: %s", route, type(error).__name__)
            if begun:
                raise
            await refusal(500, "the server failed")(scope, receive, sending)


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


def refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """An error as the page understands it."""
    return JSONResponse({"error": reason}, status, headers)


async def refused(request: Request, error: Exception) -> JSONResponse:
    """The reply to a request that `RequestRefused` was raised for."""
    assert isinstance(error, RequestRefused)
    later = {"Retry-After": str(error.wait_s)} if error.wait_s else None
    return refusal(error.status, error.reason, later)


async def not_there(request: Request, error: Exception) -> JSONResponse:
    """The reply to a path or method that there is not; the path is not repeated."""
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail.lower())


async def body_of(request: Request) -> bytes:
    """The body. Raises `RequestRefused` as soon as more has come than `LARGEST_BODY`."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise RequestRefused(415, "not JSON")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise RequestRefused(413, "too large")
    return bytes(body)


Clock = Callable[[], float]
"""Seconds that only go forwards."""

KNOWN = 20_000  # visitors who are remembered; whoever was quiet longest is forgotten first
BURST = 100.0  # requests at once; then so many a second for good:
PER_TOKEN, PER_ADDRESS = 20.0, 5.0  # a classroom behind one address may start at once
LEASE_S = 25.0  # a page says every 10 s that it is there


class RateLimits:
    """A bucket of requests for each visitor, which fills up again with time. Visitors are
    remembered here and nowhere else."""

    def __init__(self, per_second: float, clock: Clock) -> None:
        self._per_second, self._clock = per_second, clock
        self._left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def take(self, visitor: object) -> None:
        """Takes one request. Raises `RequestRefused` for a visitor who asks faster than anybody who
        takes part."""
        now = self._clock()
        left, then = self._left.pop(visitor, (BURST, now))
        left = min(BURST, left + (now - then) * self._per_second)
        self._left[visitor] = (left - (left >= 1), now)
        _forget(self._left)
        if left < 1:
            raise RequestRefused(429, "too fast", wait_s=math.ceil((1 - left) / self._per_second))


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
        _forget(self._held)

    def leave(self, session: str, window: str) -> None:
        """Frees the session, if it was this window's."""
        if self._held.get(session, ("", 0.0))[0] == window:
            del self._held[session]


def _forget(remembered: OrderedDict[Any, Any]) -> None:
    while len(remembered) > KNOWN:
        remembered.popitem(last=False)
