"""Whose answers do not count, by rules that are stated before the data are looked at.

Rules are data: they stand in a study file or on the command line, are stored with the judgments
they were used on, and their hash tells whether they were changed afterwards. They are applied in
one order: repeated trials, practice, people, trials, items; whom a
rule removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.data.registry import nearest
from colorless_green.data.tables import Row
from colorless_green.humans.judgment import QUESTION, Judgment, Reading, Session, answered


@dataclass(frozen=True, slots=True)
class Rules:
    """Thresholds; None switches a rule off. As it is made, only what platforms or researchers
    themselves have marked goes."""

    statuses: tuple[str, ...] = ("REJECTED", "RETURNED", "TIMED-OUT")  # sessions that go
    test_runs: str = "drop"  # or "keep"
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # fact → values that stay
    first_session_only: bool | None = None  # of a person with several, the first alone
    planned: int | None = None  # trials a person was to see; None: as many as there are rows
    min_answered_fraction: float | None = None
    max_filler_errors: float | None = None  # share of the fillers answered; exactly this many stay
    unambiguous: tuple[str, ...] | None = None  # fillers that count for it, sorted; None: all
    max_failed_checks: int | None = None
    max_question_errors: float | None = None  # share of the questions answered; this many stay
    min_median_rt_ms: float | None = None
    max_blurs: int | None = None
    min_rt_ms: float | None = None  # of single trials
    max_rt_ms: float | None = None
    min_judgments: int | None = None  # of an item

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over the rules that are on: another digest, other rules."""
        stated = {name: value for name, value in asdict(self).items() if value is not None}
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


TABLE, CONSENT = "exclude", "consent"  # of a study file
SHARE, COUNT, TIME = "share", "count", "ms"  # what a threshold is


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as it is stated, applied and told."""

    words: str  # in a table of the report
    because: str = ""  # in its account of the method: "n participants were excluded because …"
    unit: str = ""  # of its threshold; "": none
    default: str = ""  # what it means if it is named without a value; "": nothing
    of_people: bool = False  # by a measure of all that a person did
    at_zero: str = ""  # `because` where the threshold is 0, if it is then another


RULES: Mapping[str, Rule] = {  # those about people in the order in which they are applied
    "duplicate": Rule("a trial that was sent twice (the first is kept)"),
    "practice": Rule("practice"),
    "status": Rule("status on the platform", "their status on the platform was {value}"),
    "test_run": Rule("made by the researchers themselves"),
    "first_session_only": Rule("a later session of somebody who had taken part",
        "{whose} had taken part before", default="true"),
    "min_answered_fraction": Rule("answered too few of the trials",
        "they had answered less than {threshold} of their trials", SHARE, "0.5", of_people=True),
    # Gulordava et al. 2018 leave out who is wrong in more than 20 % of the fillers
    "max_filler_errors": Rule("wrong on too many fillers",
        "they were wrong on more than {threshold} of the fillers they answered",
        SHARE, "0.2", of_people=True),
    "max_failed_checks": Rule("failed attention checks",
        "they had failed more than {threshold} attention checks", COUNT, "0", of_people=True,
        at_zero="they had failed an attention check"),
    "max_question_errors": Rule("wrong on too many questions",
        "they were wrong on more than {threshold} of the questions they answered",
        SHARE, "0.2", of_people=True),
    "min_median_rt_ms": Rule("too fast on the whole (median, ms)",
        "their median response time was below {threshold} ms", TIME, "200", of_people=True),
    "max_blurs": Rule("left the page too often",
        "they had left the page more than {threshold} times", COUNT, of_people=True),
    "min_rt_ms": Rule("answer too fast, ms",
        "the answer came in less than {threshold} ms", TIME, "150"),
    "max_rt_ms": Rule("answer too slow, ms",
        "the answer took more than {threshold} ms", TIME, "20000"),
    # five: the least any item has in Gulordava et al. 2018
    "min_judgments": Rule("item with too few answers",
        "they had fewer than {threshold} answers", COUNT, "5"),
    "planned": Rule("trials a person was to see", unit=COUNT),  # for min_answered_fraction
}  # fmt: skip
REQUIRED = "required."
NONE = "none"  # the value that switches a rule off
SWITCH = {"true": True, "false": None, NONE: None}
UTC = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")  # how a time is written that can be sorted


@dataclass(frozen=True, slots=True)
class Excluded:
    """Who or what a rule removed (or could not judge), by what measure, and how many trials."""

    level: str  # person, session, trial or item
    participant: str
    session: str
    item: str
    rule: str
    value: str
    threshold: str
    n_trials: int


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What stays, in the order it came; what went; and whom a rule could not judge."""

    kept: tuple[Judgment, ...]
    gone: tuple[Excluded, ...] = ()
    undefined: tuple[Excluded, ...] = ()


def as_row(excluded: Excluded) -> Row:
    """A line of `exclusions.tsv`."""
    return asdict(excluded)


Measure: TypeAlias = Callable[[Sequence[Judgment]], float | None]
"""A number of one person's trials; None where there is nothing to measure."""


def excluded(
    judgments: Sequence[Judgment],
    rules: Rules,
    sessions: Sequence[Session] = (),
) -> Exclusions:
    """`judgments` under `rules`.

    Kept and gone trials are all there were: `len(kept) + sum of n_trials == len(judgments)`.
    Applied to what it kept, with the same rules, it removes nothing more, save by `min_judgments`
    and the rules on single trials, which change what others look at.
    """
    left, gone, undefined = list(judgments), list[Excluded](), list[Excluded]()

    def remove(reason: Callable[[Judgment], Excluded | None]) -> None:
        """Takes trials out; those with the same record are one line, with their number."""
        records = [reason(each) for each in left]
        counts = Counter(record for record in records if record is not None)
        gone.extend(replace(record, n_trials=n) for record, n in counts.items())
        left[:] = [each for each, record in zip(left, records, strict=True) if record is None]

    seen: set[str] = set()

    def repeated(each: Judgment) -> Excluded | None:
        is_known = each.trial_id in seen
        seen.update({each.trial_id} - {""})
        who = each.participant, each.session
        return Excluded("trial", *who, "", "duplicate", "", "", 0) if is_known else None

    def practice(each: Judgment) -> Excluded | None:
        own = Excluded("trial", each.participant, "", "", "practice", "", "", 0)
        return own if each.kind == "practice" else None

    marks = _marks(sessions, rules)

    def marked(each: Judgment) -> Excluded | None:
        """Sessions that the platform, the researchers or a required answer rule out."""
        for key in ((each.participant, ""), (each.participant, each.session)):
            if key in marks:
                return Excluded("session" if key[1] else "person", *key, "", *marks[key], 0)
        return None

    def timed(each: Judgment) -> Excluded | None:
        if each.rt_ms is None or not answered(each):
            return None
        for name, limit, sign in (
            ("min_rt_ms", rules.min_rt_ms, -1),
            ("max_rt_ms", rules.max_rt_ms, 1),
        ):
            if limit is not None and sign * each.rt_ms > sign * limit:
                who = each.participant, each.session, each.item
                return Excluded("trial", *who, name, f"{each.rt_ms:g}", f"{limit:g}", 0)
        return None

    for reason in (repeated, practice, marked):
        remove(reason)
    if rules.first_session_only:
        later = later_sessions(left, sessions)

        def repeating(each: Judgment) -> Excluded | None:
            who = each.participant, each.session
            own = Excluded("session", *who, "", "first_session_only", "", "1", 0)
            return own if who in later else None

        remove(repeating)
    for name, measure in _measures(rules, sessions).items():
        limit, sign = getattr(rules, name), 1 if name.startswith("max_") else -1
        if limit is None:
            continue
        own: dict[str, list[Judgment]] = {}
        for each in left:
            own.setdefault(each.participant, []).append(each)
        out: dict[str, Excluded] = {}
        for participant, trials in own.items():
            value = measure(trials)
            shown = "" if value is None else f"{value:.4g}"
            record = Excluded("person", participant, "", "", name, shown, f"{limit:g}", 0)
            if value is None:
                undefined.append(replace(record, n_trials=len(trials)))
            elif sign * value > sign * limit:
                out[participant] = record
        remove(lambda each, out=out: out.get(each.participant))  # type: ignore[misc]
    remove(timed)
    if (least := rules.min_judgments) is not None:
        counts: Counter[str] = Counter()
        for each in left:
            counts[each.item] += each.kind == "target" and answered(each)

        def rare(each: Judgment) -> Excluded | None:
            n = counts[each.item]
            own = Excluded("item", "", "", each.item, "min_judgments", str(n), str(least), 0)
            return own if each.kind == "target" and n < least else None

        remove(rare)
    return Exclusions(tuple(left), tuple(gone), tuple(undefined))


def _measures(rules: Rules, sessions: Sequence[Session]) -> Mapping[str, Measure]:
    """What each rule about people measures, in order."""
    blurs: Counter[str] = Counter()
    for session in sessions:
        if session.n_blurs is not None:
            blurs[session.participant] += session.n_blurs

    def errors(kind: str, only: Sequence[str] | None = None) -> Measure:
        """The share of wrong answers among those given to trials of a kind."""

        def measure(trials: Sequence[Judgment]) -> float | None:
            known = _verdicts([e for e in trials if only is None or e.item in only], kind)
            return known.count(0) / len(known) if known else None

        return measure

    def answered_fraction(trials: Sequence[Judgment]) -> float:
        planned = rules.planned if rules.planned is not None else len(trials)
        return sum(map(answered, trials)) / planned if planned else 1.0

    def failed_checks(trials: Sequence[Judgment]) -> float | None:
        """An unanswered check is neither failed nor passed."""
        known = _verdicts(trials, "check")
        return known.count(0) if known else None

    def median_rt(trials: Sequence[Judgment]) -> float | None:
        times = [each.rt_ms for each in trials if answered(each) and each.rt_ms is not None]
        return median(times) if times else None

    measures: dict[str, Measure] = {
        "min_answered_fraction": answered_fraction,
        "max_filler_errors": errors("filler", rules.unambiguous),
        "max_failed_checks": failed_checks,
        "max_question_errors": errors(QUESTION),
        "min_median_rt_ms": median_rt,
        "max_blurs": lambda trials: blurs.get(trials[0].participant),
    }
    return {name: measures[name] for name, rule in RULES.items() if rule.of_people}


def _verdicts(trials: Sequence[Judgment], kind: str) -> list[int]:
    return [each.correct for each in trials if each.kind == kind and each.correct is not None]


def counted_readings(
    readings: Sequence[Reading],
    exclusions: Exclusions,
    rules: Rules,
    sessions: Sequence[Session] = (),
) -> tuple[Reading, ...]:
    """The words read that count: no practice, and nothing of people or sessions that went."""
    gone = {(e.participant, e.session) for e in exclusions.gone if e.level in ("person", "session")}
    gone |= _marks(sessions, rules).keys()

    def counted(each: Reading) -> bool:
        own = [(each.participant, ""), (each.participant, each.session)]
        return each.kind != "practice" and gone.isdisjoint(own)

    left = [each for each in readings if counted(each)]
    if rules.first_session_only:
        gone |= later_sessions(left, sessions)
    return tuple(each for each in left if counted(each))


def later_sessions(
    trials: Iterable[Judgment | Reading], sessions: Sequence[Session] = ()
) -> set[tuple[str, str]]:
    """(participant, session) of all but the first session of everybody who answered in several.

    The first is that which began first, or had the first answer, where the times of all of them are
    known; else that which stands first among the trials.
    """
    begun: dict[str, dict[str, str]] = {}
    for each in trials:
        own = begun.setdefault(each.participant, {})
        own[each.session] = min(filter(None, (own.get(each.session), each.at)), default="")
    told = {(e.participant, e.session): e.started_at for e in sessions if e.started_at}
    found = set()
    for participant, own in begun.items():
        times = {name: told.get((participant, name)) or at for name, at in own.items()}
        in_order = list(own)
        if all(UTC.match(at) for at in times.values()):
            in_order.sort(key=lambda name: times[name])
        found |= {(participant, name) for name in in_order[1:]}
    return found


def _marks(
    sessions: Sequence[Session], rules: Rules
) -> dict[tuple[str, str], tuple[str, str, str]]:
    """(participant, session) → why the session goes; an empty session stands for all of them."""
    reasons: dict[tuple[str, str], tuple[str, str, str]] = {}
    for session in sessions:
        reason = _mark(session, rules)
        if reason is not None:
            reasons.setdefault((session.participant, session.session), reason)
    return reasons


def _mark(session: Session, rules: Rules) -> tuple[str, str, str] | None:
    """(rule, value, threshold) if the session goes."""
    if session.status in rules.statuses:
        return "status", session.status, ""
    if session.test_run and rules.test_runs == "drop":
        return "test_run", "", ""
    for fact, values in rules.required.items():
        value = session.facts.get(fact, "")
        if value and value not in values:
            return f"required.{fact}", value, " or ".join(values)
    return None


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
        if name not in RULES or not RULES[name].default:
            raise InputError("--exclude", f"{stated!r} has no default", "RULE=VALUE", kind="value")
        value = RULES[name].default
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
    known = [n for unit in (SHARE, COUNT, TIME) for n, each in RULES.items() if each.unit == unit]
    if name not in known:
        right = nearest(
            name, (*known, "first_session_only", "statuses", "test_runs", "required.FACT")
        )
        raise InputError(place, f"no such rule {name!r}", right, kind="unknown")
    if value == NONE:
        return None
    return _number(name, value, place)


def _number(name: str, value: Any, place: str) -> float | int:
    unit = RULES[name].unit
    highest = 1.0 if unit == SHARE else float("inf")
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number <= highest or number == float("inf"):
        right = "a share, 0 to 1" if highest == 1 else "0 or more"
        raise InputError(place, f"{name} is {value!r}", right, kind="value")
    if unit != COUNT:
        return number
    if number != int(number):
        raise InputError(place, f"{name} is {value!r}", "a whole number", kind="value")
    return int(number)


def _words(value: Any) -> tuple[str, ...]:
    """`a|b` of the command line, or a list of a file."""
    values = value if isinstance(value, list) else str(value).split("|")
    return tuple(str(each).strip() for each in values)
