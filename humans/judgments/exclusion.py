"""Whose answers do not count: judgments under the rules of exclusion.

Rules are applied in one order: repeated trials, practice, people, trials, items; whom a rule
removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from .judgment import ANSWERED, Session
from .rules import RULES, Rules

UTC = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")  # how a time is written that can be sorted
SESSION = ("participant", "session")
RECORD = (*SESSION, "item")


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """A person, session, trial or item that a rule left out, or could not judge; an empty text
    means not applicable.

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
    """Trials under the rules of exclusion, as `excluded` returns them.

    Attributes:
        kept: the trials that count, in their order.
        gone: who or what was removed, in the order of the rules.
        undefined: people whom a rule had nothing to measure in, and so did not remove.
    """

    kept: pl.DataFrame
    gone: tuple[ExclusionRecord, ...] = ()
    undefined: tuple[ExclusionRecord, ...] = ()


def excluded(trials: pl.DataFrame, rules: Rules, sessions: Sequence[Session] = ()) -> Exclusions:
    """Apply the rules of exclusion to trials.

    The order is: repeated trials, practice, sessions by status, test runs or required answers,
    later sessions, people, single trials by time, items with too few answers. What one rule removes
    is not measured by the next. Applied again to what was kept, the same rules remove nothing more,
    except `min_judgments` and the rules on single trials, which change what the others measure.

    Args:
        trials: all trials, of every kind, with the columns of `TRIALS`.
        rules: the rules and their thresholds.
        sessions: what platforms say of people and their sessions.

    Returns:
        The trials kept, in their order; a record for each removal; and one for each person in
        whom a rule had nothing to measure (they stay). The number of trials kept and the
        `n_trials` of the removals add up to the number of trials.

    >>> from colorless_green.humans import Judgment, Rules, excluded, trials_of
    >>> trials = [Judgment("anna", item="f1", kind="filler", correct=1),
    ...           Judgment("bert", item="f1", kind="filler", correct=0),
    ...           Judgment("bert", item="i1", correct=1)]
    >>> found = excluded(trials_of(trials), Rules(max_filler_errors=0.2))
    >>> len(found.kept), [(gone.participant, gone.rule, gone.value) for gone in found.gone]
    (1, [('bert', 'max_filler_errors', '1')])
    """
    sieve = Sieve(trials)
    is_again = (pl.col("trial_id") != "") & ~pl.col("trial_id").is_first_distinct()
    sieve.remove(is_again, SESSION, "trial", "duplicate")
    sieve.remove(pl.col("kind") == "practice", ("participant",), "trial", "practice")
    for columns, level in ((("participant",), "person"), (SESSION, "session")):
        cases = [e for e in sessions if bool(e.session) == (level == "session")]
        marks: dict[tuple[str, ...], tuple[str, str, str]] = {}
        for visit in cases:
            key = tuple(str(getattr(visit, name)) for name in columns)
            for reason in _reasons(visit, rules):
                marks.setdefault(key, reason)
        for reason in dict.fromkeys(marks.values()):
            keys = [key for key, of_visit in marks.items() if of_visit == reason]
            sieve.remove(is_one_of(columns, keys), columns, level, *reason)
    if rules.first_session_only:
        later = sorted(later_sessions(sieve.valid, sessions))
        is_later = is_one_of(SESSION, later)
        sieve.remove(is_later, SESSION, "session", "first_session_only", threshold="1")
    _apply_measures(sieve, rules, sessions)
    for name in ("min_rt_ms", "max_rt_ms"):
        if (limit := getattr(rules, name)) is not None:
            beyond = pl.col("rt_ms") < limit if name == "min_rt_ms" else pl.col("rt_ms") > limit
            by = (*SESSION, "item", "rt_ms")
            sieve.remove(beyond & ANSWERED, by, "trial", name, threshold=f"{limit:g}")
    if rules.min_judgments is not None:
        is_target = pl.col("kind") == "target"
        n_answers = (is_target & ANSWERED).sum().over("item").alias("n")
        sieve.valid = sieve.valid.with_columns(n_answers)
        is_rare = is_target & (pl.col("n") < rules.min_judgments)
        sieve.remove(is_rare, ("item", "n"), "item", "min_judgments", "", str(rules.min_judgments))
    return Exclusions(sieve.valid.select(trials.columns), tuple(sieve.gone), tuple(sieve.undefined))


MEASURED = {"n": "{}", "rt_ms": "{:g}", "measure": "{:.4g}"}
"""Columns that hold what a rule measured, and how it is written"""


@dataclass(slots=True)
class Sieve:
    """Trials under the rules so far: those that are left, and what was removed or undefined."""

    valid: pl.DataFrame
    gone: list[ExclusionRecord] = field(default_factory=list)
    undefined: list[ExclusionRecord] = field(default_factory=list)

    def remove(
        self,
        is_gone: pl.Expr,
        by: Sequence[str],
        level: str,
        rule: str,
        value: str = "",
        threshold: str = "",
    ) -> None:
        """Take trials out; those alike in the columns `by` are one record, with their number."""
        marked = self.valid.with_columns(is_gone=is_gone.fill_null(False))
        out = marked.filter("is_gone").group_by(by, maintain_order=True).len()
        self.valid = marked.filter(~pl.col("is_gone")).drop("is_gone")
        for case in out.iter_rows(named=True):
            measures = [MEASURED[n].format(cell) for n, cell in case.items() if n in MEASURED]
            names = {name: cell for name, cell in case.items() if name in RECORD}
            found = "".join(measures) or value
            record = ExclusionRecord(level, **names, rule=rule, value=found, threshold=threshold)
            self.gone.append(replace(record, n_trials=case["len"]))


def is_one_of(columns: Sequence[str], keys: Collection[tuple[str, ...]]) -> pl.Expr:
    """Return whether a row has one of these tuples in some columns of text."""
    joined = ["\0".join(key) for key in keys]
    return pl.concat_str(columns, separator="\0").is_in(joined)


def is_of_sessions(sessions: Collection[tuple[str, str]]) -> pl.Expr:
    """Return whether a trial is of one of these sessions; one without a name stands for all of a
    person's."""
    everywhere = [key[:1] for key in sessions if not key[1]]
    return is_one_of(SESSION, [*sessions]) | is_one_of(SESSION[:1], everywhere)


def _reasons(session: Session, rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Yield why a session does not count: rule, value, threshold."""
    if session.status in rules.statuses:
        yield "status", session.status, ""
    if session.test_run and rules.test_runs == "drop":
        yield "test_run", "", ""
    for fact, values in rules.required.items():
        value = session.facts.get(fact, "")
        if value and value not in values:
            yield f"required.{fact}", value, " or ".join(values)


def _apply_measures(sieve: Sieve, rules: Rules, sessions: Sequence[Session]) -> None:
    """Remove the people whose measure is beyond a rule's limit, and note those who have none."""
    blurs = Counter[str]()
    for session in sessions:
        if session.n_blurs is not None:
            blurs[session.participant] += session.n_blurs
    is_wrong, kind = pl.col("correct") == 0, pl.col("kind")
    filler = is_wrong.filter(
        (kind == "filler")
        & (True if rules.unambiguous is None else pl.col("item").is_in(list(rules.unambiguous)))
    ).drop_nulls()
    check = is_wrong.filter(kind == "check").drop_nulls()
    planned = pl.len() if rules.planned is None else pl.lit(rules.planned)
    measures: dict[str, pl.Expr] = {
        "min_answered_fraction": pl.when(planned > 0).then(ANSWERED.sum() / planned).otherwise(1.0),
        "max_filler_errors": filler.mean(),
        "max_failed_checks": pl.when(check.len() > 0).then(check.sum()),
        "min_median_rt_ms": pl.col("rt_ms").filter(ANSWERED).drop_nulls().median(),
        "max_blurs": pl.col("participant").first().replace_strict(blurs, default=None),
    }
    for name in (rule for rule, definition in RULES.items() if definition.of_people):
        if (limit := getattr(rules, name)) is None:
            continue
        people = sieve.valid.group_by("participant", maintain_order=True).agg(
            measures[name].cast(pl.Float64).alias("measure"), pl.len().alias("n_trials")
        )
        threshold = f"{limit:g}"
        for participant, _, n_trials in people.filter(pl.col("measure").is_null()).iter_rows():
            sieve.undefined.append(
                ExclusionRecord(
                    "person", participant, rule=name, threshold=threshold, n_trials=n_trials
                )
            )
        measure = pl.col("measure")
        is_gone = measure > limit if name.startswith("max_") else measure < limit
        sieve.valid = sieve.valid.join(
            people.drop("n_trials"), on="participant", how="left", maintain_order="left"
        )
        by = ("participant", "measure")
        sieve.remove(is_gone, by, "person", name, threshold=threshold)
        sieve.valid = sieve.valid.drop("measure")


def later_sessions(trials: pl.DataFrame, sessions: Sequence[Session] = ()) -> set[tuple[str, str]]:
    """Return (participant, session) of all but the first session of everybody who answered in
    several.

    The first is that which began first, or had the first answer, where the times of all of them are
    known; else that which stands first among the trials.
    """
    started = {(e.participant, e.session): e.started_at for e in sessions if e.started_at}
    visits = trials.group_by(SESSION, maintain_order=True).agg(
        pl.col("at").filter(pl.col("at") != "").min().fill_null("")
    )
    by_person: dict[str, list[tuple[str, str]]] = {}
    for participant, session, at in visits.iter_rows():
        time = started.get((participant, session)) or at
        by_person.setdefault(participant, []).append((time, session))
    later = set()
    for participant, own in by_person.items():
        if all(UTC.match(time) for time, _ in own):
            own.sort(key=lambda visit: visit[0])
        later |= {(participant, session) for _, session in own[1:]}
    return later
