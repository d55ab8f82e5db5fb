"""Whose answers do not count: the rules of exclusion, as they are stated before the data are looked
at, and judgments under them.

They stand in a study file or on the command line, are stored with the judgments they were used on,
and their hash tells whether they were changed afterwards.

They are applied in one order: repeated trials, practice, people, trials, items; whom a rule
removes is not asked by the next. A rule that has nothing to look at in a person (no filler
answered, no time measured) is undefined for them and removes nobody.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

import polars as pl
from annotated_types import Ge, Le

from ...data.errors import InputError
from ...data.files import read_text
from ...data.validate import faults_in, raise_all
from .judgment import ANSWERED, FACT, PERSON, SESSION, SESSIONS, no_rows

Share: TypeAlias = Annotated[float, Ge(0), Le(1)]
Count: TypeAlias = Annotated[int, Ge(0)]
Time: TypeAlias = Annotated[float, Ge(0), Le(sys.float_info.max)]


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
    test_runs: Literal["drop", "keep"] = "drop"
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_session_only: bool | None = None
    planned: Count | None = None
    min_answered_fraction: Share | None = None
    max_filler_errors: Share | None = None
    unambiguous: tuple[str, ...] | None = None
    max_failed_checks: Count | None = None
    min_median_rt_ms: Time | None = None
    max_blurs: Count | None = None
    min_rt_ms: Time | None = None
    max_rt_ms: Time | None = None
    min_judgments: Count | None = None

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the rules that are on, which shows whether they were changed."""
        active_rules = {name: value for name, value in asdict(self).items() if value is not None}
        return hashlib.sha256(json.dumps(active_rules, sort_keys=True).encode()).hexdigest()


TABLE, CONSENT = "exclude", "consent"  # of a study file


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """A rule as it is stated, applied and told."""

    words: str  # in a table of the report
    default: str = ""  # what it means if it is named without a value; "": nothing
    of_people: bool = False  # by a measure of all that a person did


RULES: Mapping[str, ExclusionRule] = {  # those about people in the order in which they are applied
    "duplicate": ExclusionRule("a trial that was sent twice (the first is kept)"),
    "practice": ExclusionRule("practice"),
    "status": ExclusionRule("status on the platform"),
    "test_run": ExclusionRule("made by the researchers themselves"),
    "first_session_only": ExclusionRule("a later session of somebody who had taken part",
        default="true"),
    "min_answered_fraction": ExclusionRule("answered too few of the trials", "0.5",
        of_people=True),
    # Gulordava et al. 2018 leave out who is wrong in more than 20 % of the fillers
    "max_filler_errors": ExclusionRule("wrong on too many fillers", "0.2", of_people=True),
    "max_failed_checks": ExclusionRule("failed attention checks", "0", of_people=True),
    "min_median_rt_ms": ExclusionRule("too fast on the whole (median, ms)", "200",
        of_people=True),
    "max_blurs": ExclusionRule("left the page too often", of_people=True),
    "min_rt_ms": ExclusionRule("answer too fast, ms", "150"),
    "max_rt_ms": ExclusionRule("answer too slow, ms", "20000"),
    # five: the least any item has in Gulordava et al. 2018
    "min_judgments": ExclusionRule("item with too few answers", "5"),
    "planned": ExclusionRule("trials a person was to see"),  # for min_answered_fraction
}  # fmt: skip
REQUIRED = "required."
NONE = "none"  # the value that switches a rule off


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
    if file is not None:
        study = _study(file)
        consent, table = study.get(CONSENT), study.get(TABLE)
        if study.get("title") or isinstance(consent, dict):
            values["first_session_only"] = True
        if isinstance(consent, dict) and consent.get("languages_required"):
            required["native"] = ("yes",)
        if not isinstance(table, dict):
            wrong, right = f"no table {TABLE!r}", f"[{TABLE}] with a line for each rule"
            raise InputError(str(file), wrong, right, kind="missing")
        values |= _stated(table.items(), f"{file}: {TABLE}", required)
    values |= _stated(map(_option, overrides), TABLE, required)
    return Rules(**values, required={fact: words for fact, words in required.items() if words})


def _option(text: str) -> tuple[str, str]:
    """Return name and value of a rule on the command line."""
    name, equals, value = text.partition("=")
    if not equals and not (value := RULES[name].default if name in RULES else ""):
        raise InputError(TABLE, f"{name!r} without a value", f"{name}=VALUE", kind="value")
    return name, value


def _stated(
    entries: Iterable[tuple[str, Any]], location: str, required: dict[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Return the fields of `Rules` that are stated; what is asked of people goes to `required`.
    Raises `InputError` with all faults."""
    values: dict[str, Any] = {}
    for name, value in entries:
        if name == "required" and isinstance(value, dict):
            required |= {fact: _words(words) for fact, words in value.items()}
        elif name.startswith(REQUIRED):
            required[name.removeprefix(REQUIRED)] = _words(value)
        elif name == "statuses":
            values[name] = tuple(word.upper() for word in _words(value))
        else:
            values[name] = _value(value)
    raise_all(faults_in(Rules, values, location))
    floats = {n for n, kind in get_type_hints(Rules).items() if float in get_args(kind)}
    return {n: float(v) if n in floats and v is not None else v for n, v in values.items()}


def _value(value: Any) -> Any:
    """Return a value as `Rules` may have it: words of the command line that are numbers or switches
    as such, and None for what switches a rule off."""
    if isinstance(value, str):
        value = {"true": True, "false": False, NONE: None}.get(value.lower(), value)
    for number in (int, float):
        if isinstance(value, str):
            with suppress(ValueError):
                value = number(value)
    return None if value is False else value


def _words(value: Any) -> tuple[str, ...]:
    """Return the words of `a|b`, as on the command line, or of a list in a file; none for
    `none`."""
    values = value if isinstance(value, list) else str(value).split("|")
    return tuple(word for word in (str(value).strip() for value in values) if word != NONE)


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
