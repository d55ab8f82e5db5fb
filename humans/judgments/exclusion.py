"""Whose answers do not count: judgments under the rules of exclusion.

Rules are applied in one order: repeated trials, practice, people, trials, items; whom a rule
removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from .judgment import ANSWERED, FACT, PERSON, SESSION, SESSIONS, no_rows
from .rules import Rules

UTC = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d"  # how a time is written that can be sorted


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


def excluded(
    trials: pl.DataFrame, rules: Rules, sessions: pl.DataFrame | None = None
) -> Exclusions:
    """Apply the rules of exclusion to trials.

    The order is: repeated trials, practice, sessions by status, test runs or required answers,
    later sessions, people, single trials by time, items with too few answers. What one rule removes
    is not measured by the next. Applied again to what was kept, the same rules remove nothing more,
    except `min_judgments` and the rules on single trials, which change what the others measure.

    Args:
        trials: all trials, of every kind, with the columns of `TRIALS`.
        rules: the rules and their thresholds.
        sessions: what platforms say of people and their sessions, with the columns of `SESSIONS`.

    Returns:
        The trials kept, in their order; a record for each removal; and one for each person in
        whom a rule had nothing to measure (they stay). The number of trials kept and the
        `n_trials` of the removals add up to the number of trials.

    >>> from colorless_green.humans import Rules, excluded, trials_of
    >>> trials = [{"participant": "anna", "item": "f1", "kind": "filler", "correct": 1},
    ...           {"participant": "bert", "item": "f1", "kind": "filler", "correct": 0},
    ...           {"participant": "bert", "item": "i1", "correct": 1}]
    >>> found = excluded(trials_of(trials), Rules(max_filler_errors=0.2))
    >>> len(found.kept), [(gone.participant, gone.rule, gone.value) for gone in found.gone]
    (1, [('bert', 'max_filler_errors', '1')])
    """
    sessions = no_rows(SESSIONS) if sessions is None else sessions
    sieve = Sieve(trials)
    is_again = (pl.col("trial_id") != "") & ~pl.col("trial_id").is_first_distinct()
    sieve.remove(is_again, SESSION, "trial", "duplicate")
    sieve.remove(pl.col("kind") == "practice", PERSON, "trial", "practice")
    levels: Mapping[str, Sequence[str]] = {"person": PERSON, "session": SESSION}
    for level, by in levels.items():
        visits = sessions.filter((pl.col("session") == "") == (level == "person"))
        for rule, mark, is_marked, threshold in _marks(rules, sessions.columns):
            marked = visits.filter(is_marked).with_columns(mark.alias("mark"))
            for value in marked["mark"].unique(maintain_order=True):
                is_gone = is_one_of(by, marked.filter(mark=value).select(by).rows())
                sieve.remove(is_gone, by, level, rule, value, threshold)
    if rules.first_session_only:
        is_later = is_one_of(SESSION, later_sessions(sieve.valid, sessions).rows())
        sieve.remove(is_later, SESSION, "session", "first_session_only", threshold="1")
    for rule, (level, by, measure) in _measures(rules, sessions).items():
        if (limit := getattr(rules, rule)) is not None:
            sieve.limit(rule, limit, level, by, measure)
    return Exclusions(sieve.valid.select(trials.columns), tuple(sieve.gone), tuple(sieve.undefined))


def _marks(rules: Rules, columns: Collection[str]) -> Iterator[tuple[str, pl.Expr, pl.Expr, str]]:
    """Yield the rules on what platforms say of sessions: name, what is said, whether such sessions
    do not count, and what was asked for."""
    yield "status", pl.col("status"), pl.col("status").is_in(rules.statuses), ""
    if rules.test_runs == "drop":
        yield "test_run", pl.lit(""), pl.col("test_run"), ""
    for name, values in rules.required.items():
        if FACT + name in columns:
            fact = pl.col(FACT + name)
            is_other = (fact != "") & ~fact.is_in(values)
            yield f"required.{name}", fact, is_other, " or ".join(values)


def _measures(
    rules: Rules, sessions: pl.DataFrame
) -> dict[str, tuple[str, Sequence[str], pl.Expr]]:
    """Return each rule with a limit, in the order in which they are applied: the level of what it
    leaves out, the columns that name one of these, and what it measures; null: nothing to
    measure. The rule's name begins with the end of the scale that the limit is."""
    is_wrong, kind = pl.col("correct") == 0, pl.col("kind")
    is_clear = True if rules.unambiguous is None else pl.col("item").is_in(rules.unambiguous)
    planned = pl.len() if rules.planned is None else pl.lit(rules.planned)
    blurs = dict(sessions.drop_nulls("n_blurs").group_by(PERSON).agg(pl.sum("n_blurs")).rows())
    of_people = {
        "min_answered_fraction": pl.when(planned > 0).then(ANSWERED.sum() / planned).otherwise(1.0),
        "max_filler_errors": is_wrong.filter((kind == "filler") & is_clear).mean(),
        "max_failed_checks": pl.when((is_wrong.is_not_null() & (kind == "check")).any()).then(
            is_wrong.filter(kind == "check").sum()
        ),
        "min_median_rt_ms": pl.col("rt_ms").filter(ANSWERED).median(),
        "max_blurs": pl.col("participant").first().replace_strict(blurs, default=None),
    }
    time = pl.when(ANSWERED).then("rt_ms")
    is_target = kind == "target"
    n_answers = pl.when(is_target).then((is_target & ANSWERED).sum().over("item"))
    return {
        **{rule: ("person", PERSON, e.over(PERSON)) for rule, e in of_people.items()},
        "min_rt_ms": ("trial", (*SESSION, "item"), time),
        "max_rt_ms": ("trial", (*SESSION, "item"), time),
        "min_judgments": ("item", ("item",), n_answers),
    }


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
        """Take trials out; those alike in the columns `by` are one record, with their number. In
        the column `measure` of these is what was measured."""
        marked = self.valid.with_columns(is_gone=is_gone.fill_null(False))
        out = marked.filter("is_gone").group_by(by, maintain_order=True).len("n_trials")
        self.valid = marked.filter(~pl.col("is_gone")).drop("is_gone")
        self.gone += _records(out, level, rule, value, threshold)

    def limit(
        self, rule: str, limit: float, level: str, by: Sequence[str], measure: pl.Expr
    ) -> None:
        """Take out what is beyond a limit, and note the people in whom nothing is measured."""
        threshold, value = f"{limit:g}", pl.col("measure")
        self.valid = self.valid.with_columns(measure.cast(pl.Float64).alias("measure"))
        if level == "person":
            unmeasured = self.valid.filter(value.is_null()).group_by(by, maintain_order=True)
            self.undefined += _records(unmeasured.len("n_trials"), level, rule, "", threshold)
        is_gone = value > limit if rule.startswith("max_") else value < limit
        self.remove(is_gone, (*by, "measure"), level, rule, threshold=threshold)


def _records(
    cases: pl.DataFrame, level: str, rule: str, value: str, threshold: str
) -> Iterator[ExclusionRecord]:
    digits = ".4g" if level == "person" else "g"
    for case in cases.iter_rows(named=True):
        measure = case.pop("measure", None)
        found = value if measure is None else format(measure, digits)
        yield ExclusionRecord(level, **case, rule=rule, value=found, threshold=threshold)


def is_one_of(columns: Sequence[str], keys: Collection[tuple[str, ...]]) -> pl.Expr:
    """Return whether a row has one of these tuples in some columns of text."""
    joined = ["\0".join(key) for key in keys]
    return pl.concat_str(columns, separator="\0").is_in(joined)


def is_of_sessions(sessions: Collection[tuple[str, ...]]) -> pl.Expr:
    """Return whether a trial is of one of these sessions; one without a name stands for all of a
    person's."""
    everywhere = [key[:1] for key in sessions if not key[1]]
    return is_one_of(SESSION, sessions) | is_one_of(PERSON, everywhere)


def later_sessions(trials: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Return participant and session of all but the first session of everybody who answered in
    several.

    The first is that which began first, or had the first answer, where the times of all of them are
    known; else that which stands first among the trials.
    """
    started = sessions.filter(pl.col("started_at") != "").unique(SESSION, keep="last")
    visits = trials.group_by(SESSION, maintain_order=True).agg(
        pl.col("at").filter(pl.col("at") != "").min().fill_null("")
    )
    visits = visits.join(started, on=SESSION, how="left", maintain_order="left")
    time = pl.coalesce("started_at", "at")
    is_comparable = time.str.contains(UTC).all().over("participant")
    ordered = visits.sort(
        pl.when(is_comparable).then(time).otherwise(pl.lit("")), maintain_order=True
    )
    return ordered.filter(~pl.col("participant").is_first_distinct()).select(SESSION)
