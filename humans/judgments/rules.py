"""The rules of exclusion, as they are stated before the data are looked at.

They stand in a study file or on the command line, are stored with the judgments they were used on,
and their hash tells whether they were changed afterwards. `exclusion.excluded` applies them.
"""

import hashlib
import json
import math
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import read_text
from ...data.registry import nearest


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of exclusion; None switches a rule off, and a value equal to a threshold is kept.

    Without arguments only what platforms or researchers themselves have marked is left out.

    Attributes:
        statuses: a session with one of these statuses is left out; in capitals.
        test_runs: sessions of the researchers themselves: drop or keep.
        required: fact about a person → values that are kept; nobody is left out for lack of the
            fact.
        first_session_only: of several sessions of a person keep the first alone.
        planned: trials that a person was to see, for `min_answered_fraction`; None: those in the
            data.
        min_answered_fraction: smallest share of trials that a person answered, from 0 to 1.
        max_filler_errors: largest share of wrong answers among a person's answers to fillers.
        unambiguous: ids of the fillers that this is measured on, sorted; None: all.
        max_failed_checks: largest number of a person's failed attention checks.
        min_median_rt_ms: smallest median response time of a person, in milliseconds.
        max_blurs: largest number of times that a person left the page.
        min_rt_ms: smallest response time of a single trial, in milliseconds.
        max_rt_ms: largest response time of a single trial, in milliseconds.
        min_judgments: smallest number of answers to an item.
    """

    statuses: tuple[str, ...] = ("REJECTED", "RETURNED", "TIMED-OUT")
    test_runs: str = "drop"
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_session_only: bool | None = None
    planned: int | None = None
    min_answered_fraction: float | None = None
    max_filler_errors: float | None = None
    unambiguous: tuple[str, ...] | None = None
    max_failed_checks: int | None = None
    min_median_rt_ms: float | None = None
    max_blurs: int | None = None
    min_rt_ms: float | None = None
    max_rt_ms: float | None = None
    min_judgments: int | None = None

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the rules that are on, which shows whether they were changed."""
        active_rules = {name: value for name, value in asdict(self).items() if value is not None}
        return hashlib.sha256(json.dumps(active_rules, sort_keys=True).encode()).hexdigest()


TABLE, CONSENT = "exclude", "consent"  # of a study file
SHARE, COUNT, TIME = "share", "count", "ms"  # what a threshold is


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """A rule as it is stated, applied and told."""

    words: str  # in a table of the report
    unit: str = ""  # of its threshold; "": none
    default: str = ""  # what it means if it is named without a value; "": nothing
    of_people: bool = False  # by a measure of all that a person did


RULES: Mapping[str, ExclusionRule] = {  # those about people in the order in which they are applied
    "duplicate": ExclusionRule("a trial that was sent twice (the first is kept)"),
    "practice": ExclusionRule("practice"),
    "status": ExclusionRule("status on the platform"),
    "test_run": ExclusionRule("made by the researchers themselves"),
    "first_session_only": ExclusionRule("a later session of somebody who had taken part",
        default="true"),
    "min_answered_fraction": ExclusionRule("answered too few of the trials", SHARE, "0.5",
        of_people=True),
    # Gulordava et al. 2018 leave out who is wrong in more than 20 % of the fillers
    "max_filler_errors": ExclusionRule("wrong on too many fillers", SHARE, "0.2", of_people=True),
    "max_failed_checks": ExclusionRule("failed attention checks", COUNT, "0", of_people=True),
    "min_median_rt_ms": ExclusionRule("too fast on the whole (median, ms)", TIME, "200",
        of_people=True),
    "max_blurs": ExclusionRule("left the page too often", COUNT, of_people=True),
    "min_rt_ms": ExclusionRule("answer too fast, ms", TIME, "150"),
    "max_rt_ms": ExclusionRule("answer too slow, ms", TIME, "20000"),
    # five: the least any item has in Gulordava et al. 2018
    "min_judgments": ExclusionRule("item with too few answers", COUNT, "5"),
    "planned": ExclusionRule("trials a person was to see", unit=COUNT),  # for min_answered_fraction
}  # fmt: skip
REQUIRED = "required."
NONE = "none"  # the value that switches a rule off
SWITCH = {"true": True, "false": None, NONE: None}
THRESHOLDS: Mapping[str, tuple[Callable[[str], float], float, str]] = {  # parser, most, in words
    SHARE: (float, 1, "a share, from 0 to 1, or none"),
    COUNT: (int, math.inf, "a whole number, or none"),
    TIME: (float, sys.float_info.max, "a number from 0, or none"),
}
OTHERS = ("first_session_only", "statuses", "test_runs", "required.FACT")  # without a threshold


def rules_of(file: Path | None, overrides: Sequence[str]) -> Rules:
    """Read rules of exclusion from a study file and from the command line.

    Two rules follow from the rest of the file, unless its table says otherwise: people who say that
    they are not native speakers are left out if it has `languages_required`, and only a person's
    first session counts if it has a title or a table `consent`.

    Args:
        file: TOML, or JSON in a file that ends in .json, with a table `exclude`; None: no file.
        overrides: rules that override the file's: RULE=VALUE, or RULE for its default value.

    Returns:
        The rules.

    Raises:
        InputError: for a file without the table, an unknown rule, or a value that a rule cannot
            have.

    >>> rules = rules_of(None, ["max_filler_errors", "min_rt_ms=200"])
    >>> rules.max_filler_errors, rules.min_rt_ms
    (0.2, 200.0)
    """
    values: dict[str, Any] = {}
    required: dict[str, tuple[str, ...]] = {}
    entries: list[tuple[str, str, Any]] = []  # location, rule, value
    if file is not None:
        location, study = str(file), _study(file)
        consent, table = study.get(CONSENT), study.get(TABLE)
        if study.get("title") or isinstance(consent, dict):
            values["first_session_only"] = True
        if isinstance(consent, dict) and consent.get("languages_required"):
            required["native"] = ("yes",)
        if not isinstance(table, dict):
            wrong, right = f"no table {TABLE!r}", f"[{TABLE}] with a line for each rule"
            raise InputError(location, wrong, right, kind="missing")
        for name, value in table.items():
            if name == "required" and isinstance(value, dict):
                entries += [(location, REQUIRED + fact, values) for fact, values in value.items()]
            else:
                entries.append((location, name, value))
    for option in overrides:
        name, equals, value = option.partition("=")
        if not equals:
            value = RULES[name].default if name in RULES else ""
            if not value:
                wrong, right = f"{name!r} without a value", f"{name}=VALUE"
                raise InputError("exclude", wrong, right, kind="value")
        entries.append(("exclude", name, value))
    for location, name, value in entries:
        if name.startswith(REQUIRED):
            required[name.removeprefix(REQUIRED)] = () if value == NONE else _words(value)
        else:
            values[name] = _value(name, value, location)
    return Rules(**values, required={fact: words for fact, words in required.items() if words})


def _value(name: str, value: Any, location: str) -> Any:
    """Return the value of a rule as `Rules` has it."""

    def refused(right: str) -> InputError:
        return InputError(location, f"{name} is {value!r}", right, kind="value")

    if name == "statuses":
        return tuple(word.upper() for word in _words(value) if word != NONE)
    if name == "test_runs":
        if value not in ("drop", "keep"):
            raise refused("drop or keep, for the runs of the researchers themselves")
        return value
    if name == "first_session_only":
        if str(value).lower() not in SWITCH:
            raise refused("true or false")
        return SWITCH[str(value).lower()]
    unit = RULES[name].unit if name in RULES else ""
    if not unit:
        names = (*(rule for rule, definition in RULES.items() if definition.unit), *OTHERS)
        raise InputError(location, f"no such rule {name!r}", nearest(name, names), kind="unknown")
    if value == NONE:
        return None
    parse, most, right = THRESHOLDS[unit]
    try:
        threshold = parse(str(value))
    except ValueError:
        threshold = -1
    if not 0 <= threshold <= most:
        raise refused(right)
    return threshold


def _words(value: Any) -> tuple[str, ...]:
    """Return the words of `a|b`, as on the command line, or of a list in a file."""
    values = value if isinstance(value, list) else str(value).split("|")
    return tuple(str(word).strip() for word in values)


def facts_of(path: Path | None) -> dict[str, str | int | float]:
    """Return what a study file says in single texts and numbers, at its top and under `consent`:
    who asked whom for what. Lists are joined; rules and completion addresses are no facts, and what
    is empty is left out."""
    study = _study(path) if path is not None else {}
    consent = study.get(CONSENT)
    facts = {}
    for name, value in {**study, **(consent if isinstance(consent, dict) else {})}.items():
        value = ", ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(value, str | int | float) and value not in ("", 0):
            facts[name] = value
    return facts


def _study(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        study = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        wrong, right = f"not a study file ({error})", "TOML, or JSON in a file that ends in .json"
        raise InputError(str(path), wrong, right, kind="format") from None
    if not isinstance(study, dict):
        return {}
    if study.get("task") == "reading":
        wrong = "'reading' was self-paced reading, which is gone since version 2"
        right = "run it on PCIbex; design a study with --task form, sentence or rating"
        raise InputError(f"{path}: task", wrong, right, kind="unsupported")
    return study
