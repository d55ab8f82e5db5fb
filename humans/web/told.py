"""What pages send, checked to the last field before anything is done with it."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from colorless_green.humans.settings import Settings
from colorless_green.humans.study import N_OPTIONS, Trial

MOST_TRIALS = 200  # of one request
LONGEST_TEXT = 2_000  # characters
DEEPEST = 5  # brackets within brackets
LONGEST_MS = 3_600_000.0
RANGES: Mapping[str, tuple[float, float]] = {  # of a rating, by scale; magnitudes are above 0
    "5": (1, 5), "7": (1, 7), "slider": (0, 100), "magnitude": (0, 1e9),
}  # fmt: skip
INPUTS = ("keyboard", "mouse", "touch", "pen", "")
SIDES = ("left", "right", "top", "bottom", "")
DEVICES = ("touch", "mouse", "")
BROWSERS = ("chromium", "firefox", "safari", "other")
SCREENS = ("small", "medium", "large")
PLATFORMS = ("prolific", "mturk", "lab")
YES_NO = ("yes", "no", "")
HEX = re.compile(r"[0-9a-f]{32,64}")
AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")


class Refused(Exception):
    """A request that is not answered: an HTTP status, why, and when to ask again (0: never).
    Never holds what was sent."""

    def __init__(self, status: int, reason: str, wait_s: int = 0) -> None:
        super().__init__(status, reason, wait_s)
        self.status, self.reason, self.wait_s = status, reason, wait_s


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a page sends it. `content` is the whole of it, so that the same answer sent
    again is told from another one."""

    trial: str
    record: str  # the page's own random name for it
    content: str  # JSON, keys in order


@dataclass(frozen=True, slots=True)
class Start:
    """What a page says when somebody has consented."""

    request: str  # the page's random name for this start, so that asking again starts nothing new
    consent: str  # SHA-256 of the text that was agreed to
    platform: str  # "" or one of PLATFORMS
    identity: str  # the platform's id of the person; used for the pseudonym, never stored
    language: str
    device: str
    browser: str
    screen: str
    test_run: bool
    window: str


@dataclass(frozen=True, slots=True)
class Closing:
    """What a page says at the end."""

    count: int  # how many answers it has given
    native: str
    help: str
    n_blurs: int


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object of a request. Raises `Refused` for anything else, for NaN, for nesting
    beyond `DEEPEST`, and for texts that are too long or no Unicode."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "not JSON") from None
    if not isinstance(value, dict):
        raise Refused(400, "not an object")
    _demand_modest(value, 1)
    return value


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _demand_modest(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise Refused(400, "nested too deeply")
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise Refused(400, "a text is too long")
        if any("\ud800" <= each <= "\udfff" for each in value):
            raise Refused(400, "not Unicode")
    elif isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for each in parts:
            _demand_modest(each, depth + isinstance(each, list | dict))


def start_in(body: Mapping[str, Any]) -> Start:
    """Raises `Refused` as all functions here do."""
    platform = _text(body, "platform", lambda text: text in (*PLATFORMS, ""))
    identity = _text(body, "identity", lambda text: len(text) <= 200)
    if bool(platform) != bool(identity.strip()):
        raise Refused(400, "identity")
    return Start(
        request=_text(body, "request", _is_hex),
        consent=_text(body, "consent", _is_hex),
        platform=platform,
        identity=identity,
        language=_text(body, "language", lambda text: len(text) <= 35),
        device=_text(body, "device", lambda text: text in DEVICES),
        browser=_text(body, "browser", lambda text: text in BROWSERS),
        screen=_text(body, "screen", lambda text: text in SCREENS),
        test_run=_flag(body, "test_run"),
        window=window_in(body),
    )


def window_in(body: Mapping[str, Any]) -> str:
    """The random name of the window that asks."""
    return _text(body, "window", _is_hex)


def closing_in(body: Mapping[str, Any]) -> Closing:
    """The end of a session."""
    return Closing(
        count=_whole(body, "count", 1_000_000),
        native=_text(body, "native", lambda text: text in YES_NO),
        help=_text(body, "help", lambda text: text in YES_NO),
        n_blurs=_whole(body, "n_blurs", 1_000_000),
    )


def answers_in(
    body: Mapping[str, Any],
    trials: Mapping[str, Trial],
    settings: Settings,
    most: int = MOST_TRIALS,
) -> tuple[Answer, ...]:
    """The answers in a request, at least one, each to one of `trials`."""
    told = body.get("trials")
    if not isinstance(told, list) or not 1 <= len(told) <= most:
        raise Refused(400, "trials")
    return tuple(_answer(each, trials, settings) for each in told)


def _answer(told: Any, trials: Mapping[str, Trial], settings: Settings) -> Answer:
    if not isinstance(told, dict):
        raise Refused(400, "trials")
    trial = trials.get(_text(told, "trial", bool))
    if trial is None:
        raise Refused(400, "no such trial in this session")
    timed_out = _flag(told, "timed_out")
    if timed_out and not settings.deadline_ms:
        raise Refused(400, "timed_out")
    content: dict[str, Any] = {
        "seq": _whole(told, "seq", 1_000_000),
        "chosen_index": _chosen(told, trial, timed_out),
        "rating": _rating(told, trial, settings.scale, timed_out),
        "rt_ms": _number(told, "rt_ms", 0, LONGEST_MS),
        "words": _words(told, trial),
        "input": _text(told, "input", lambda text: text in INPUTS),
        "side": _text(told, "side", lambda text: text in SIDES),
        "n_changes": _whole(told, "n_changes", 100_000),
        "n_ignored": _whole(told, "n_ignored", 100_000),
        "timed_out": timed_out,
        "at": _text(told, "at", lambda text: AT.fullmatch(text) is not None),
    }
    if content["rt_ms"] is None and not timed_out:
        raise Refused(400, "rt_ms")
    return Answer(
        trial.trial_id, _text(told, "record", _is_hex), json.dumps(content, sort_keys=True)
    )


def _chosen(told: Mapping[str, Any], trial: Trial, timed_out: bool) -> int | None:
    """The place of the option chosen, which must be the text that was shown there."""
    index, text = told.get("chosen_index"), told.get("chosen")
    if N_OPTIONS.get(trial.task) != 2 or timed_out:
        if index is not None or text is not None:
            raise Refused(400, "chosen_index")
        return None
    if isinstance(index, bool) or index not in (0, 1) or trial.options[int(index)] != text:
        raise Refused(400, "chosen is not what was shown")
    return int(index)


def _rating(
    told: Mapping[str, Any], trial: Trial, scale: str, timed_out: bool
) -> float | int | None:
    if trial.task != "rating" or timed_out:
        if told.get("rating") is not None:
            raise Refused(400, "rating")
        return None
    value = _number(told, "rating", 0, math.inf)
    lowest, highest = RANGES[scale]
    if value is None or not lowest <= value <= highest:
        raise Refused(400, "rating")
    if value == 0 if scale == "magnitude" else value != int(value):
        raise Refused(400, "rating")
    return value


def _words(told: Mapping[str, Any], trial: Trial) -> list[float | int | None] | None:
    """How long each word stood, in the order of the words."""
    value = told.get("words")
    if trial.task != "reading":
        if value is not None:
            raise Refused(400, "words")
        return None
    if not isinstance(value, list) or len(value) != len(trial.options):
        raise Refused(400, "words")
    return [_number({"words": each}, "words", 0, LONGEST_MS) for each in value]


def _is_hex(text: str) -> bool:
    return HEX.fullmatch(text) is not None


def _text(told: Mapping[str, Any], name: str, fits: Callable[[str], bool]) -> str:
    value = told.get(name, "")
    if not isinstance(value, str) or not fits(value):
        raise Refused(400, name)
    return value


def _flag(told: Mapping[str, Any], name: str) -> bool:
    value = told.get(name, False)
    if not isinstance(value, bool):
        raise Refused(400, name)
    return value


def _number(told: Mapping[str, Any], name: str, low: float, high: float) -> float | int | None:
    value = told.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(400, name)
    if not low <= value <= high:  # nor NaN
        raise Refused(400, name)
    return value


def _whole(told: Mapping[str, Any], name: str, high: int) -> int:
    value = told.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= high:
        raise Refused(400, name)
    return value
