"""One request to a server, and what each way of going wrong means.

Two outcomes besides an answer: `Interrupted`, worth another try, and `InputError`, which is not. A
file that is not there is `NotThere`, since only the caller knows what that says about the name.
"""

import random
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from colorless_green import __version__
from colorless_green.data.errors import InputError

REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 5  # the longest honest chain seen is 2 (a renamed repository, then a store)
PASSING = (408, 425, 429, 500, 502, 503, 504)
LONGEST_WAIT_S = 120.0  # a server that asks for more patience than this is not waited for
AGENT = f"colorless-green/{__version__}"


@dataclass(frozen=True, slots=True)
class Wire:
    """How the network is used: time-out of one read, tries without progress, waiting, chance."""

    timeout_s: float
    n_tries: int
    sleep: Callable[[float], None]
    now: Callable[[], float]  # seconds since 1970, for servers that name a time of day
    chance: Callable[[], float]  # uniform in [0, 1)


# Waits need no seed: they change no result, and two processes should not wait in step.
REAL = Wire(30.0, 6, time.sleep, time.time, random.SystemRandom().random)


class Interrupted(Exception):
    """Worth another try. Says what happened, and how long the server asked to wait."""

    def __init__(self, what: str, wait_s: float | None = None) -> None:
        super().__init__(what, wait_s)
        self.what, self.wait_s = what, wait_s


class NotThere(Exception):
    """The server says that there is nothing at this address."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@contextmanager
def answer(
    url: str, wire: Wire, headers: Mapping[str, str] | None = None
) -> Iterator[HTTPResponse]:
    """The server's answer to a GET, its status one of 200, 206 and 416; redirects are followed.

    Only `http` and `https` are spoken, and from `https` only to `https`. Raises `Interrupted`,
    `NotThere`, or `InputError` with what the user can do.
    """
    opener = _opener()
    for _ in range(MOST_REDIRECTS + 1):
        response = _asked(opener, url, wire, headers or {})
        with response:
            if response.status not in REDIRECTS:
                _refuse_faults(url, response.status, response.headers, wire)
                yield response
                return
            url = _redirected(url, response.headers.get("Location") or "")
    raise InputError(
        shown(url),
        f"more than {MOST_REDIRECTS} redirects",
        "another --mirror, or try later",
        kind="network",
    )


def _opener() -> OpenerDirector:
    """An opener without handlers for files, FTP, redirects or errors."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    return opener


def _asked(
    opener: OpenerDirector, url: str, wire: Wire, headers: Mapping[str, str]
) -> HTTPResponse:
    # "identity": the bytes as they lie there, since they are checked against a hash of the file
    own = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    with passing_faults(url):
        response = opener.open(Request(url, headers={**own, **headers}), timeout=wire.timeout_s)
    assert isinstance(response, HTTPResponse)  # the opener speaks nothing but HTTP
    return response


@contextmanager
def passing_faults(url: str) -> Iterator[None]:
    """What the network raises, as `Interrupted`; a certificate that does not hold is an error."""
    try:
        yield
    except (OSError, HTTPException) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise InputError(
                shown(url),
                f"its certificate does not hold ({reason.verify_message})",
                "the right time on this computer, or its certificates brought up to date",
                kind="format",
            ) from error
        raise Interrupted(f"{type(reason).__name__}: {reason}".rstrip(": ")) from error
    except UnicodeError as error:  # not ASCII, or a host name with an empty part
        raise InputError(
            shown(url), "this is no proper address", "one in plain ASCII", kind="format"
        ) from error


def _redirected(url: str, location: str) -> str:
    try:
        target = urljoin(url, location)
        allowed = urlsplit(target).scheme in ("https", urlsplit(url).scheme)
        whole = bool(location and urlsplit(target).netloc)
    except ValueError:  # brackets without an IPv6 address in them
        allowed = whole = False
    if not (allowed and whole):
        raise InputError(
            shown(url),
            f"redirects to {shown(location)!r}",
            "a server that stays with https",
            kind="format",
        )
    return target


def _refuse_faults(url: str, status: int, headers: Message, wire: Wire) -> None:
    """Nothing for an answer that can be used; else the exception that says what to do."""
    if status in (200, 206, 416):
        return
    if status in (404, 410):
        raise NotThere(url)
    limited = headers.get("X-RateLimit-Remaining") == "0" or "Retry-After" in headers
    if status in PASSING or (status == 403 and limited):
        wait_s = _asked_wait(headers, wire)
        if wait_s is None or wait_s <= LONGEST_WAIT_S:
            raise Interrupted(f"status {status}", wait_s)
        free_at = datetime.fromtimestamp(wire.now() + wait_s, UTC)
        raise InputError(
            shown(url),
            f"takes no more requests from here until {free_at:%H:%M} UTC",
            "the same command then, --all (one file from another host), or --mirror",
            kind="network",
        )
    raise InputError(
        shown(url),
        f"refuses with status {status}",
        "another --mirror, or try later",
        kind="network",
    )


def _asked_wait(headers: Message, wire: Wire) -> float | None:
    """Seconds a server asks to wait; None if it names none that can be read."""
    text = headers.get("Retry-After") or ""
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    reset = headers.get("X-RateLimit-Reset") or ""
    if headers.get("X-RateLimit-Remaining") == "0" and re.fullmatch(r"[0-9]{1,11}", reset):
        return max(0.0, float(reset) - wire.now())
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - wire.now())
    except (TypeError, ValueError, OverflowError):
        return None


def shown(text: str) -> str:
    """A text from outside on one line: control characters escaped, not longer than 200."""
    plain = "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text)
    return plain if len(plain) <= 200 else plain[:199] + "…"
