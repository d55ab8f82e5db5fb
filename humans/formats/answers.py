"""What was chosen in a trial of a browser: by button, by key, or on a scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.humans.formats.trials import Trial, number_of, texts
from colorless_green.humans.lookup import normal

KEYS = {  # of the first and the second option, where the experiment does not say
    "f": 0, "arrowleft": 0, "leftarrow": 0, "1": 0,
    "j": 1, "arrowright": 1, "rightarrow": 1, "2": 1,
}  # fmt: skip
CODES = {"70": "f", "74": "j", "37": "arrowleft", "39": "arrowright", "49": "1", "50": "2"}
"""What version 6 wrote for keys (JavaScript's `keyCode`)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was done: an option by its place (0 or 1), or a rating; empty where nothing was."""

    index: int | None = None
    rating: float | None = None


def options_in(trial: Trial, stated: tuple[str, str]) -> tuple[str, str]:
    """The two options in the order shown: those stated, else the two labels of the buttons; empty
    where the trial has none (a scale, or a sentence to read)."""
    choices = texts(trial.get("choices"))
    if any(stated) or len(choices) != 2 or _by_key(trial):
        return stated
    return choices[0], choices[1]


def answer_in(trial: Trial, options: tuple[str, str], keys: tuple[str, str]) -> Answer:
    """The answer of a trial with two options, or with a scale (a slider, a Likert page, or more
    than two buttons with numbers on them).

    `keys` are those of the two options, where the experiment says so. A response is only looked at
    for the option it stands for, so that a word `null` is a word. Raises `InputError` for a
    response that fits none.
    """
    plugin, choices = trial.text("trial_type"), texts(trial.get("choices"))
    value = trial.get("response", "button_pressed", "key_press")
    if "slider" in plugin or "likert" in plugin:
        return Answer(rating=_rating(value, trial))
    if not any(options) and len(choices) > 2 and not _by_key(trial):
        return _on_scale(value, choices, trial)
    if value is None:
        return Answer()
    if not all(options):
        raise InputError(
            trial.place,
            f"response is {value!r}, and nothing says what the options were",
            "save the choices (save_trial_parameters), or --map option_1=FIELD "
            "--map option_2=FIELD",
            kind="format",
        )
    return Answer(_index(value, options, keys, choices if _by_key(trial) else (), trial))


def _by_key(trial: Trial) -> bool:
    return "keyboard" in trial.text("trial_type")


def _index(
    value: Any, options: Sequence[str], keys: Sequence[str], pressed: Sequence[str], trial: Trial
) -> int:
    """0 or 1. `pressed` are the keys of a keyboard trial in their order, if it has them."""
    text = str(value).strip()
    by_key = _by_key(trial)
    if not by_key and text in ("0", "1"):
        return int(text)
    key = CODES.get(text, text).lower() if by_key else text
    if all(keys):
        known = {each.lower(): place for place, each in enumerate(keys)}
    elif len(pressed) == 2:
        known = {CODES.get(each, each).lower(): place for place, each in enumerate(pressed)}
    else:
        known = KEYS
    if by_key and key in known:
        return known[key]
    shown = [normal(option) for option in options]
    if shown.count(normal(text)) == 1:
        return shown.index(normal(text))
    raise InputError(
        trial.place,
        f"response is {value!r}",
        f"0 or 1 for a button, one of the keys {', '.join(known)} (others: --map key_1=FIELD "
        "--map key_2=FIELD), or null",
        kind="format",
    )


def _on_scale(value: Any, choices: Sequence[str], trial: Trial) -> Answer:
    """Three buttons or more: a scale, if they are numbers."""
    place = number_of(value, "response", trial.place)
    if place is None:
        return Answer()
    if place not in range(len(choices)):
        raise InputError(
            trial.place,
            f"response is {value!r}",
            f"a button from 0 to {len(choices) - 1}",
            kind="format",
        )
    return Answer(rating=number_of(choices[int(place)], "the button", trial.place))


def _rating(value: Any, trial: Trial) -> float | None:
    """A slider's number, or the one answer of a Likert page."""
    if isinstance(value, dict):
        if len(value) > 1:
            raise InputError(
                trial.place, f"{len(value)} answers on one page", "one scale a trial", kind="format"
            )
        value = next(iter(value.values()), None)
    return number_of(value, "response", trial.place)
