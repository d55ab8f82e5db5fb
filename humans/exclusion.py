"""Whose answers do not count, by rules that are stated before the data are looked at.

Rules are data: they stand in a study file or on the command line, are stored with the judgments
they were used on, and their hash tells whether they were changed afterwards. They are applied in
one order (facts of the project, §3.8): repeated trials, practice, people, trials, items; whom a
rule removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import TypeAlias

from colorless_green.data import schema
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


COLUMNS = schema.EXCLUSIONS
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
    work = _Work(list(judgments), [], [])
    work.remove(_repeated(work.left))
    work.remove(_practice(work.left))
    work.remove(_marked(work.left, sessions, rules))
    work.remove(_later(work.left, sessions, rules))
    for rule in _person_rules(rules, sessions):
        work.judge(rule)
    work.remove(_by_time(work.left, rules))
    work.remove(_by_item(work.left, rules))
    return Exclusions(tuple(work.left), tuple(work.gone), tuple(work.undefined))


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


_Measure: TypeAlias = Callable[[Sequence[Judgment]], float | None]
"""A number of one person's trials; None where there is nothing to measure."""

_Breaks: TypeAlias = Callable[[float, float], bool]
"""Whether what was measured is beyond the threshold."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule about people."""

    name: str
    threshold: float
    measure: _Measure
    breaks: _Breaks


@dataclass(frozen=True, slots=True)
class _Work:
    left: list[Judgment]
    gone: list[Excluded]
    undefined: list[Excluded]

    def remove(self, found: "_Found") -> None:
        """Takes trials out; those with the same record are one line, with their number."""
        counts: dict[Excluded, int] = {}
        for _, record in found:
            counts[record] = counts.get(record, 0) + 1
        self.gone.extend(replace(record, n_trials=n) for record, n in counts.items())
        removed = {place for place, _ in found}
        self.left[:] = [each for n, each in enumerate(self.left) if n not in removed]

    def judge(self, rule: _Rule) -> None:
        """Measures every person who is left."""
        own: dict[str, list[int]] = {}
        for n, each in enumerate(self.left):
            own.setdefault(each.participant, []).append(n)
        threshold = f"{rule.threshold:g}"
        found: _Found = []
        for participant, places in own.items():
            value = rule.measure([self.left[place] for place in places])
            shown = "" if value is None else f"{value:.4g}"
            record = Excluded("person", participant, "", "", rule.name, shown, threshold, 0)
            if value is None:
                self.undefined.append(replace(record, n_trials=len(places)))
            elif rule.breaks(value, rule.threshold):
                found += [(place, record) for place in places]
        self.remove(found)


_Found: TypeAlias = list[tuple[int, Excluded]]
"""Places in the list of trials that are left, each with what removes it."""


def _repeated(judgments: Sequence[Judgment]) -> _Found:
    seen: set[str] = set()
    found = []
    for n, each in enumerate(judgments):
        if each.trial_id and each.trial_id in seen:
            record = Excluded("trial", each.participant, each.session, "", "duplicate", "", "", 0)
            found.append((n, record))
        seen.add(each.trial_id)
    return found


def _practice(judgments: Sequence[Judgment]) -> _Found:
    return [
        (n, Excluded("trial", each.participant, "", "", "practice", "", "", 0))
        for n, each in enumerate(judgments)
        if each.kind == "practice"
    ]


def _marked(judgments: Sequence[Judgment], sessions: Sequence[Session], rules: Rules) -> _Found:
    """Trials of sessions that the platform, the researchers or a required answer rule out."""
    reasons = _marks(sessions, rules)
    found = []
    for n, each in enumerate(judgments):
        for key in ((each.participant, ""), (each.participant, each.session)):
            if key in reasons:
                level = "session" if key[1] else "person"
                found.append((n, Excluded(level, *key, "", *reasons[key], 0)))
                break
    return found


def _later(judgments: Sequence[Judgment], sessions: Sequence[Session], rules: Rules) -> _Found:
    if not rules.first_session_only:
        return []
    later = later_sessions(judgments, sessions)
    return [
        (n, Excluded("session", *key, "", "first_session_only", "", "1", 0))
        for n, each in enumerate(judgments)
        if (key := (each.participant, each.session)) in later
    ]


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


def _person_rules(rules: Rules, sessions: Sequence[Session]) -> Iterator[_Rule]:
    """The rules that have a threshold, in their order."""
    blurs: dict[str, int] = {}
    for session in sessions:
        if session.n_blurs is not None:
            blurs[session.participant] = blurs.get(session.participant, 0) + session.n_blurs

    def filler_errors(trials: Sequence[Judgment]) -> float | None:
        clear = rules.unambiguous
        counted = [each for each in trials if clear is None or each.item in clear]
        return _errors(counted, "filler")

    def answered_fraction(trials: Sequence[Judgment]) -> float:
        planned = rules.planned if rules.planned is not None else len(trials)
        return sum(map(answered, trials)) / planned if planned else 1.0

    possible: tuple[tuple[str, float | None, _Measure, _Breaks], ...] = (
        ("min_answered_fraction", rules.min_answered_fraction, answered_fraction, _below),
        ("max_filler_errors", rules.max_filler_errors, filler_errors, _above),
        ("max_failed_checks", rules.max_failed_checks, _failed_checks, _above),
        (
            "max_question_errors",
            rules.max_question_errors,
            lambda trials: _errors(trials, QUESTION),
            _above,
        ),
        ("min_median_rt_ms", rules.min_median_rt_ms, _median_rt, _below),
        ("max_blurs", rules.max_blurs, lambda trials: blurs.get(trials[0].participant), _above),
    )
    for name, threshold, measure, breaks in possible:
        if threshold is not None:
            yield _Rule(name, threshold, measure, breaks)


def _below(value: float, threshold: float) -> bool:
    return value < threshold


def _above(value: float, threshold: float) -> bool:
    return value > threshold


def _errors(trials: Sequence[Judgment], kind: str) -> float | None:
    """The share of wrong answers among those given to trials of a kind."""
    known = _verdicts(trials, kind)
    return known.count(0) / len(known) if known else None


def _failed_checks(trials: Sequence[Judgment]) -> float | None:
    """An unanswered check is neither failed nor passed."""
    known = _verdicts(trials, "check")
    return known.count(0) if known else None


def _verdicts(trials: Sequence[Judgment], kind: str) -> list[int]:
    return [each.correct for each in trials if each.kind == kind and each.correct is not None]


def _median_rt(trials: Sequence[Judgment]) -> float | None:
    times = [each.rt_ms for each in trials if answered(each) and each.rt_ms is not None]
    return median(times) if times else None


def _by_time(judgments: Sequence[Judgment], rules: Rules) -> _Found:
    found = []
    for n, each in enumerate(judgments):
        if each.rt_ms is None or not answered(each):
            continue
        for rule, threshold, breaks in (
            ("min_rt_ms", rules.min_rt_ms, _below),
            ("max_rt_ms", rules.max_rt_ms, _above),
        ):
            if threshold is not None and breaks(each.rt_ms, threshold):
                shown = (f"{each.rt_ms:g}", f"{threshold:g}")
                who = (each.participant, each.session, each.item)
                found.append((n, Excluded("trial", *who, rule, *shown, 0)))
                break
    return found


def _by_item(judgments: Sequence[Judgment], rules: Rules) -> _Found:
    """Targets with fewer answers than wanted, missing ones not counted."""
    if rules.min_judgments is None:
        return []
    counts: dict[str, int] = {}
    for each in judgments:
        if each.kind == "target":
            counts[each.item] = counts.get(each.item, 0) + answered(each)
    return [
        (
            n,
            Excluded(
                *("item", "", "", each.item, "min_judgments", str(counts[each.item])),
                str(rules.min_judgments),
                0,
            ),
        )
        for n, each in enumerate(judgments)
        if each.kind == "target" and counts[each.item] < rules.min_judgments
    ]
