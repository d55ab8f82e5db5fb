"""Whose answers do not count: judgments under the rules of exclusion.

Rules are applied in one order: repeated trials, practice, people, trials, items; whom a rule
removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TypeAlias

from .judgment import Judgment, Session, answered, session_of
from .rules import RULES, Rules

UTC = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")  # how a time is written that can be sorted


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """Who or what a rule left out, or could not judge; an empty text means not applicable.

    Attributes:
        level: what was left out: person, session, trial or item.
        participant: whose trials these are.
        session: the session, where one session or its trials were left out.
        item: the item, where an item or single trials of it were left out.
        rule: the rule's name, as in `Rules`, or duplicate, practice, status, test_run or
            required.FACT.
        value: what was measured, or found.
        threshold: what it was compared with.
        n_trials: how many trials this concerns.
    """

    level: str
    participant: str = ""
    session: str = ""
    item: str = ""
    rule: str = ""
    value: str = ""
    threshold: str = ""
    n_trials: int = 0


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Judgments under the rules of exclusion, as `excluded` returns them.

    Attributes:
        kept: the trials that count, in their order.
        gone: who or what was removed, in the order of the rules.
        undefined: people whom a rule had nothing to measure in, and so did not remove.
    """

    kept: tuple[Judgment, ...]
    gone: tuple[ExclusionRecord, ...] = ()
    undefined: tuple[ExclusionRecord, ...] = ()


PersonMeasure: TypeAlias = Callable[[Sequence[Judgment]], float | None]
"""A number of one person's trials; None where there is nothing to measure."""


def excluded(
    judgments: Sequence[Judgment],
    rules: Rules,
    sessions: Sequence[Session] = (),
) -> Exclusions:
    """Apply the rules of exclusion to judgments.

    The order is: repeated trials, practice, sessions by status, test runs or required answers,
    later sessions, people, single trials by time, items with too few answers. What one rule removes
    is not measured by the next. Applied again to what was kept, the same rules remove nothing more,
    except `min_judgments` and the rules on single trials, which change what the others measure.

    Args:
        judgments: all trials, of every kind.
        rules: the rules and their thresholds.
        sessions: what platforms say of people and their sessions.

    Returns:
        The trials kept, in their order; a record for each removal; and one for each person in
        whom a rule had nothing to measure (they stay). The number of trials kept and the
        `n_trials` of the removals add up to the number of judgments.

    >>> from colorless_green.humans import Judgment, Rules, excluded
    >>> trials = [Judgment("anna", item="f1", kind="filler", correct=1),
    ...           Judgment("bert", item="f1", kind="filler", correct=0),
    ...           Judgment("bert", item="i1", correct=1)]
    >>> found = excluded(trials, Rules(max_filler_errors=0.2))
    >>> len(found.kept), [(gone.participant, gone.rule, gone.value) for gone in found.gone]
    (1, [('bert', 'max_filler_errors', '1')])
    """
    sieve = Sieve([*judgments])
    _apply_marks(sieve, rules, sessions)
    for name, measure in _measures(rules, sessions).items():
        _apply_measure(sieve, name, getattr(rules, name), measure)
    _apply_times(sieve, rules)
    _apply_minimum(sieve, rules.min_judgments)
    return Exclusions(tuple(sieve.valid), tuple(sieve.gone), tuple(sieve.undefined))


@dataclass(slots=True)
class Sieve:
    """Trials under the rules so far: those that are left, and what was removed or undefined."""

    valid: list[Judgment]
    gone: list[ExclusionRecord] = field(default_factory=list)
    undefined: list[ExclusionRecord] = field(default_factory=list)

    def remove(self, reason: Callable[[Judgment], ExclusionRecord | None]) -> None:
        """Take trials out; those with the same record are one line, with their number."""
        records = [reason(trial) for trial in self.valid]
        counts = Counter(record for record in records if record is not None)
        self.gone.extend(replace(record, n_trials=n) for record, n in counts.items())
        pairs = zip(self.valid, records, strict=True)
        self.valid = [trial for trial, record in pairs if record is None]


def _apply_marks(sieve: Sieve, rules: Rules, sessions: Sequence[Session]) -> None:
    """Remove repeated trials, practice, and sessions that the platform, the researchers, a required
    answer or an earlier session rule out."""
    seen: set[str] = set()

    def repeated(trial: Judgment) -> ExclusionRecord | None:
        was_seen = trial.trial_id in seen
        seen.update({trial.trial_id} - {""})
        record = ExclusionRecord("trial", *session_of(trial), rule="duplicate")
        return record if was_seen else None

    def practice(trial: Judgment) -> ExclusionRecord | None:
        record = ExclusionRecord("trial", trial.participant, rule="practice")
        return record if trial.kind == "practice" else None

    marks = _marks(sessions, rules)
    sieve.remove(repeated)
    sieve.remove(practice)
    sieve.remove(lambda trial: marks.get((trial.participant, "")) or marks.get(session_of(trial)))
    if rules.first_session_only:
        later = {
            key: ExclusionRecord("session", *key, rule="first_session_only", threshold="1")
            for key in later_sessions(sieve.valid, sessions)
        }
        sieve.remove(lambda trial: later.get(session_of(trial)))


def _apply_measure(sieve: Sieve, name: str, limit: float | None, measure: PersonMeasure) -> None:
    """Remove the people whose measure is beyond a rule's limit, and note those who have none."""
    if limit is None:
        return
    sign = 1 if name.startswith("max_") else -1
    by_person: dict[str, list[Judgment]] = {}
    for trial in sieve.valid:
        by_person.setdefault(trial.participant, []).append(trial)
    out: dict[str, ExclusionRecord] = {}
    for participant, trials in by_person.items():
        value = measure(trials)
        formatted = "" if value is None else f"{value:.4g}"
        record = ExclusionRecord(
            "person", participant, rule=name, value=formatted, threshold=f"{limit:g}"
        )
        if value is None:
            sieve.undefined.append(replace(record, n_trials=len(trials)))
        elif sign * value > sign * limit:
            out[participant] = record
    sieve.remove(lambda trial: out.get(trial.participant))


def _apply_times(sieve: Sieve, rules: Rules) -> None:
    """Remove single answers that were too fast or too slow."""

    def timed(trial: Judgment) -> ExclusionRecord | None:
        if trial.rt_ms is None or not answered(trial):
            return None
        for name, sign in (("min_rt_ms", -1), ("max_rt_ms", 1)):
            limit = getattr(rules, name)
            if limit is not None and sign * trial.rt_ms > sign * limit:
                measured = f"{trial.rt_ms:g}", f"{limit:g}"
                return ExclusionRecord("trial", *session_of(trial), trial.item, name, *measured)
        return None

    sieve.remove(timed)


def _apply_minimum(sieve: Sieve, minimum: int | None) -> None:
    """Remove the items with too few answers."""
    if minimum is None:
        return
    counts: Counter[str] = Counter()
    for trial in sieve.valid:
        counts[trial.item] += trial.kind == "target" and answered(trial)
    rare = {
        item: ExclusionRecord(
            "item", item=item, rule="min_judgments", value=str(n), threshold=str(minimum)
        )
        for item, n in counts.items()
        if n < minimum
    }
    sieve.remove(lambda trial: rare.get(trial.item) if trial.kind == "target" else None)


def _measures(rules: Rules, sessions: Sequence[Session]) -> Mapping[str, PersonMeasure]:
    """What each rule about people measures, in order."""
    blurs: Counter[str] = Counter()
    for session in sessions:
        if session.n_blurs is not None:
            blurs[session.participant] += session.n_blurs

    def verdicts(trials: Sequence[Judgment], kind: str) -> list[int]:
        """Of those answered; an unanswered check is neither failed nor passed."""
        return [
            trial.correct for trial in trials if trial.kind == kind and trial.correct is not None
        ]

    def errors(kind: str, only: Sequence[str] | None = None) -> PersonMeasure:
        """The share of wrong answers among those given to trials of a kind."""

        def measure(trials: Sequence[Judgment]) -> float | None:
            scored = verdicts([e for e in trials if only is None or e.item in only], kind)
            return scored.count(0) / len(scored) if scored else None

        return measure

    def answered_fraction(trials: Sequence[Judgment]) -> float:
        planned = rules.planned if rules.planned is not None else len(trials)
        return sum(map(answered, trials)) / planned if planned else 1.0

    def failed_checks(trials: Sequence[Judgment]) -> float | None:
        scored = verdicts(trials, "check")
        return scored.count(0) if scored else None

    def median_rt(trials: Sequence[Judgment]) -> float | None:
        times = [trial.rt_ms for trial in trials if answered(trial) and trial.rt_ms is not None]
        return median(times) if times else None

    measures: dict[str, PersonMeasure] = {
        "min_answered_fraction": answered_fraction,
        "max_filler_errors": errors("filler", rules.unambiguous),
        "max_failed_checks": failed_checks,
        "min_median_rt_ms": median_rt,
        "max_blurs": lambda trials: blurs.get(trials[0].participant),
    }
    return {name: measures[name] for name, rule in RULES.items() if rule.of_people}


def later_sessions(
    trials: Iterable[Judgment], sessions: Sequence[Session] = ()
) -> set[tuple[str, str]]:
    """(participant, session) of all but the first session of everybody who answered in several.

    The first is that which began first, or had the first answer, where the times of all of them are
    known; else that which stands first among the trials.
    """
    begun: dict[str, dict[str, str]] = {}
    for trial in trials:
        by_session = begun.setdefault(trial.participant, {})
        by_session[trial.session] = min(
            filter(None, (by_session.get(trial.session), trial.at)), default=""
        )
    started = {(e.participant, e.session): e.started_at for e in sessions if e.started_at}
    later = set()
    for participant, by_session in begun.items():
        times = {name: started.get((participant, name)) or t for name, t in by_session.items()}
        in_order = list(by_session)
        if all(UTC.match(t) for t in times.values()):
            in_order.sort(key=lambda name: times[name])
        later |= {(participant, name) for name in in_order[1:]}
    return later


def _marks(sessions: Sequence[Session], rules: Rules) -> dict[tuple[str, str], ExclusionRecord]:
    """(participant, session) → why the session goes; an empty session stands for all of them."""

    def reasons(session: Session) -> Iterator[tuple[str, str, str]]:
        """(rule, value, threshold)"""
        if session.status in rules.statuses:
            yield "status", session.status, ""
        if session.test_run and rules.test_runs == "drop":
            yield "test_run", "", ""
        for fact, values in rules.required.items():
            value = session.facts.get(fact, "")
            if value and value not in values:
                yield f"required.{fact}", value, " or ".join(values)

    marks: dict[tuple[str, str], ExclusionRecord] = {}
    for visit in sessions:
        key = visit.participant, visit.session
        for reason in reasons(visit):
            level = "session" if visit.session else "person"
            marks.setdefault(key, ExclusionRecord(level, *key, "", *reason))
    return marks
