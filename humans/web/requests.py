"""What pages send, checked by pydantic to the last field before anything is done with it."""

import json
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from colorless_green.humans.settings import POINTS, Settings
from colorless_green.humans.study import N_OPTIONS, Trial

MOST_TRIALS = 200  # of one request
LONGEST_TEXT = 2_000  # characters
DEEPEST = 5  # brackets within brackets
HIGHEST_MAGNITUDE = 1e9
Hex: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32,64}$")]
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
Few: TypeAlias = Annotated[int, Field(ge=0, le=100_000)]
Milliseconds: TypeAlias = Annotated[int | float, Field(ge=0, le=3_600_000)]
Moment: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$")
]
YesNo: TypeAlias = Literal["yes", "no", ""]


class RequestRefused(Exception):
    """A request that is not answered: an HTTP status, why, and when to ask again (0: never).
    Never holds what was sent."""

    def __init__(self, status: int, reason: str, wait_s: int = 0) -> None:
        super().__init__(status, reason, wait_s)
        self.status, self.reason, self.wait_s = status, reason, wait_s


class PageMessage(BaseModel):
    """Something that a page sends. Fields that it sends besides are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)


class StartMessage(PageMessage):
    """What a page says when somebody has consented."""

    request: Hex  # the page's random name for this start, so that asking again starts nothing new
    consent: Hex  # SHA-256 of the text that was agreed to
    platform: Literal["prolific", "mturk", "lab", ""] = ""
    identity: Annotated[str, Field(max_length=200)] = ""  # the platform's id; never stored
    language: str = ""
    device: Literal["touch", "mouse", ""] = ""
    browser: Literal["chromium", "firefox", "safari", "other"]
    screen: Literal["small", "medium", "large"]
    test_run: bool = False
    window: Hex


class WindowMessage(PageMessage):
    """Which window asks: to have the session (`take`), or to leave it."""

    window: Hex
    take: bool = False
    leave: bool = False


class ClosingMessage(PageMessage):
    """What a page says at the end."""

    count: Count = 0  # how many answers it has given
    native: YesNo = ""
    help: YesNo = ""
    n_blurs: Count = 0


class _AnswerMessage(PageMessage):
    """An answer as a page sends it."""

    trial: str
    record: Hex  # the page's own random name for it
    seq: Count = 0
    chosen_index: Literal[0, 1] | None = None
    chosen: str | None = None
    rating: int | float | None = None
    rt_ms: Milliseconds | None = None
    words: list[Milliseconds | None] | None = None
    input: Literal["keyboard", "mouse", "touch", "pen", ""] = ""
    side: Literal["left", "right", "top", "bottom", ""] = ""
    n_changes: Few = 0
    n_ignored: Few = 0
    timed_out: bool = False
    at: Moment


class _Answers(PageMessage):
    trials: Annotated[list[_AnswerMessage], Field(min_length=1)]


class Answer(NamedTuple):
    """An answer that fits its trial. `content` is the whole of it, so that the same answer sent
    again is told from another one."""

    trial: str
    record: str
    content: str  # JSON, keys in order


T = TypeVar("T", bound=PageMessage)


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object of a request. Raises `RequestRefused` for anything else, for NaN, for nesting
    beyond `DEEPEST`, and for texts that are too long or no Unicode."""

    def no_constant(name: str) -> None:
        raise ValueError(name)

    try:
        value = json.loads(body.decode("utf-8"), parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise RequestRefused(400, "not JSON") from None
    if not isinstance(value, dict):
        raise RequestRefused(400, "not an object")
    _demand_modest(value, 1)
    return value


def _demand_modest(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise RequestRefused(400, "nested too deeply")
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise RequestRefused(400, "a text is too long")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise RequestRefused(400, "not Unicode")
    elif isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            _demand_modest(part, depth + isinstance(part, list | dict))


def validated_body(model: type[T], body: Mapping[str, Any]) -> T:
    """A request's body as what it should be. Raises `RequestRefused` with the field that is not."""
    try:
        return model.model_validate(dict(body))
    except ValidationError as error:
        fields = error.errors(include_url=False, include_context=False, include_input=False)
        names = [name for name in fields[0]["loc"] if isinstance(name, str)]
        raise RequestRefused(400, names[0] if len(names) < 2 else names[1]) from None


def start_in(body: Mapping[str, Any], languages: Collection[str]) -> StartMessage:
    """The start of a session, in one of the languages of the page (or in one not said)."""
    start = validated_body(StartMessage, body)
    if bool(start.platform) != bool(start.identity.strip()):
        raise RequestRefused(400, "identity")
    if start.language and start.language not in languages:
        raise RequestRefused(400, "language")
    return start


def answers_in(
    body: Mapping[str, Any],
    trials: Mapping[str, Trial],
    settings: Settings,
    most: int = MOST_TRIALS,
) -> tuple[Answer, ...]:
    """The answers in a request, at least one, each to one of `trials`: an option that was shown at
    its place, a rating on the scale, a time for every word."""
    given = validated_body(_Answers, body).trials
    if len(given) > most:
        raise RequestRefused(400, "trials")
    return tuple(_answer(answer, trials, settings) for answer in given)


def _answer(given: _AnswerMessage, trials: Mapping[str, Trial], settings: Settings) -> Answer:
    trial = trials.get(given.trial)
    if trial is None:
        raise RequestRefused(400, "no such trial in this session")
    index, rating, late = given.chosen_index, given.rating, given.timed_out
    is_choice, is_rating = N_OPTIONS.get(trial.task) == 2, trial.task == "rating"
    n_words = None if given.words is None else len(given.words)
    faults = {
        "timed_out": late and not settings.deadline_ms,
        "rt_ms": given.rt_ms is None and not late,
        "chosen is not what was shown": (index is None or trial.options[index] != given.chosen)
        if is_choice and not late
        else (index, given.chosen) != (None, None),
        "rating": (rating is not None) != (is_rating and not late),
        "words": n_words != (len(trial.options) if trial.task == "reading" else None),
    }
    if rating is not None and settings.scale == "magnitude":
        faults["rating"] |= not 0 < rating <= HIGHEST_MAGNITUDE
    elif rating is not None:
        faults["rating"] |= rating not in POINTS[settings.scale]
    for name, is_fault in faults.items():
        if is_fault:
            raise RequestRefused(400, name)
    content = given.model_dump(exclude={"trial", "record", "chosen"})
    return Answer(trial.trial_id, given.record, json.dumps(content, sort_keys=True))
