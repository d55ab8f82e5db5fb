"""How much one visitor may ask for, and which of their windows is at work: both only in memory."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

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
