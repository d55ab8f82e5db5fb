"""Exclusion rules as people write them: a table of a study file, or `RULE=VALUE`."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.humans.exclusion import Rules

TABLE, CONSENT = "exclude", "consent"  # of a study file
DEFAULTS: Mapping[str, str] = {  # what a rule means that is named without a value (facts §3.8)
    "first_session_only": "true",
    "min_answered_fraction": "0.5",
    "max_filler_errors": "0.2",  # Gulordava et al. 2018: wrong in more than 20 % of the fillers
    "max_failed_checks": "0",
    "max_question_errors": "0.2",  # four in five right
    "min_median_rt_ms": "200",
    "min_rt_ms": "150",
    "max_rt_ms": "20000",
    "min_judgments": "5",  # the least any item has in Gulordava et al. 2018
}
SHARES = ("min_answered_fraction", "max_filler_errors", "max_question_errors")
COUNTS = ("max_failed_checks", "max_blurs", "min_judgments", "planned")
TIMES = ("min_median_rt_ms", "min_rt_ms", "max_rt_ms")
REQUIRED = "required."
NONE = "none"  # the value that switches a rule off
SWITCH = {"true": True, "false": None, NONE: None}


def rules_of(file: Path | None, stated: Sequence[str]) -> Rules:
    """The rules of a study file (its table `exclude`; TOML or JSON), those of the command line
    (`RULE=VALUE`, or `RULE` for its default) over them.

    What a study says elsewhere is a rule, too, unless its table says otherwise: whoever had to be a
    native speaker (`languages_required`) and says No goes, and of a study (it has a title) a person
    counts once. Raises `InputError` for a name or a value that is none.
    """
    values: dict[str, Any] = {}
    required: dict[str, tuple[str, ...]] = {}
    if file is not None:
        study = _study(file)
        consent = study.get(CONSENT)
        if study.get("title") or isinstance(consent, dict):
            values["first_session_only"] = True
        if isinstance(consent, dict) and consent.get("languages_required"):
            required["native"] = ("yes",)
    for place, name, value in (*_of_file(file), *map(_of_option, stated)):
        if name.startswith(REQUIRED):
            required[name.removeprefix(REQUIRED)] = () if value == NONE else _words(value)
        else:
            values[name] = _value(name, value, place)
    return Rules(**values, required={fact: words for fact, words in required.items() if words})


def facts_of(path: Path | None) -> dict[str, str | int | float]:
    """What a study file says in single texts and numbers, at its top and under `consent`: who asked
    whom for what. Lists are joined; rules and completion addresses are no facts, and what is empty
    is left out."""
    if path is None:
        return {}
    study = _study(path)
    consent = study.get(CONSENT)
    told = {**study, **(consent if isinstance(consent, dict) else {})}
    facts = {name: _fact(value) for name, value in told.items()}
    return {name: value for name, value in facts.items() if value not in (None, "", 0)}


def _fact(value: Any) -> str | int | float | None:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str | int | float) else None


def _study(path: Path) -> dict[str, Any]:
    place, text = str(path), read_text(path)
    try:
        study = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            place, f"not a study file ({error})", "TOML, or JSON as .json", kind="format"
        ) from None
    return study if isinstance(study, dict) else {}


def _of_file(path: Path | None) -> list[tuple[str, str, Any]]:
    """(place, rule, value) of each rule in a study file."""
    if path is None:
        return []
    place, table = str(path), _study(path).get(TABLE)
    if not isinstance(table, dict):
        raise InputError(
            place, f"no table {TABLE!r}", f"[{TABLE}] with a line for each rule", kind="missing"
        )
    found: list[tuple[str, str, Any]] = []
    for name, value in table.items():
        if name == "required" and isinstance(value, dict):
            found += [(place, REQUIRED + fact, values) for fact, values in value.items()]
        else:
            found.append((place, name, value))
    return found


def _of_option(stated: str) -> tuple[str, str, Any]:
    name, equals, value = stated.partition("=")
    if not equals:
        if name not in DEFAULTS:
            raise InputError("--exclude", f"{stated!r} has no default", "RULE=VALUE", kind="value")
        value = DEFAULTS[name]
    return "--exclude", name, value


def _value(name: str, value: Any, place: str) -> Any:
    if name == "statuses":
        return tuple(word.upper() for word in _words(value) if word != NONE)
    if name == "test_runs":
        if value not in ("drop", "keep"):
            raise InputError(place, f"test_runs is {value!r}", "drop or keep", kind="value")
        return value
    if name == "first_session_only":
        if str(value).lower() not in SWITCH:
            raise InputError(place, f"{name} is {value!r}", "true or false", kind="value")
        return SWITCH[str(value).lower()]
    known = (*SHARES, *COUNTS, *TIMES)
    if name not in known:
        right = nearest(
            name, (*known, "first_session_only", "statuses", "test_runs", "required.FACT")
        )
        raise InputError(place, f"no such rule {name!r}", right, kind="unknown")
    if value == NONE:
        return None
    return _number(name, value, place)


def _number(name: str, value: Any, place: str) -> float | int:
    highest = 1.0 if name in SHARES else float("inf")
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number <= highest or number == float("inf"):
        raise InputError(
            place,
            f"{name} is {value!r}",
            "a share, 0 to 1" if highest == 1 else "0 or more",
            kind="value",
        )
    if name not in COUNTS:
        return number
    if number != int(number):
        raise InputError(place, f"{name} is {value!r}", "a whole number", kind="value")
    return int(number)


def _words(value: Any) -> tuple[str, ...]:
    """`a|b` of the command line, or a list of a file."""
    values = value if isinstance(value, list) else str(value).split("|")
    return tuple(str(each).strip() for each in values)
