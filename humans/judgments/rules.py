"""Rules of exclusion: state which answers do not count, and apply the rules to trials.

Rules are in a study file or on the command line, and should be fixed before anybody looks at the
data. They are stored with the judgments, and their hash shows if they were changed later.

Rules are applied in a fixed order: to repeated trials, practice, people, single trials, items. What
one rule removes, the next rules do not see. If a person has nothing that a rule could measure (no
filler answered, no time recorded), the rule is undefined for that person, who stays.
"""

import hashlib
import json
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
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
    """Rules of exclusion. None switches a rule off; a value equal to a threshold is kept.

    `Rules()` leaves out only sessions that the platform or the researchers have marked.

    Attributes:
        statuses: sessions with one of these statuses (in capitals) are left out.
        test_runs: drop or keep the researchers' own sessions.
        required: fact about a person → accepted values; people without the fact are kept.
        first_session_only: keep only the first session of each person.
        planned: number of trials that a person was to see, for `min_answered_fraction`; None: the
            number in the data.
        min_answered_fraction: smallest share of trials that a person answered, from 0 to 1.
        max_filler_errors: largest share of wrong answers among a person's answers to fillers.
        unambiguous: ids of the fillers that count for `max_filler_errors`, sorted; None: all.
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


RULES_TABLE, CONSENT = "exclude", "consent"  # names of tables in a study file


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """The description of a rule."""

    words: str  # the reason for exclusion, in the report
    default: str = ""  # its value if the user gives none; "" if the user must give one
    level: str = ""  # what a rule with a limit measures: a person, a trial or an item


RULES: Mapping[str, ExclusionRule] = {  # rules about people are in the order of application
    "duplicate": ExclusionRule("a trial that was sent twice (the first is kept)"),
    "practice": ExclusionRule("practice"),
    "status": ExclusionRule("status on the platform"),
    "test_run": ExclusionRule("made by the researchers themselves"),
    "first_session_only": ExclusionRule("a later session of somebody who had taken part",
        default="true"),
    "min_answered_fraction": ExclusionRule("answered too few of the trials", "0.5", "person"),
    # Gulordava et al. 2018 leave out who is wrong in more than 20 % of the fillers
    "max_filler_errors": ExclusionRule("wrong on too many fillers", "0.2", "person"),
    "max_failed_checks": ExclusionRule("failed attention checks", "0", "person"),
    "min_median_rt_ms": ExclusionRule("too fast on the whole (median, ms)", "200", "person"),
    "max_blurs": ExclusionRule("left the page too often", level="person"),
    "min_rt_ms": ExclusionRule("answer too fast, ms", "150", "trial"),
    "max_rt_ms": ExclusionRule("answer too slow, ms", "20000", "trial"),
    # five: the least any item has in Gulordava et al. 2018
    "min_judgments": ExclusionRule("item with too few answers", "5", "item"),
    "planned": ExclusionRule("trials a person was to see"),  # for min_answered_fraction
}  # fmt: skip
KEYS = {"person": PERSON, "trial": (*SESSION, "item"), "item": ("item",)}
"""Level of a rule → the columns that identify one of that level."""
REQUIRED = "required."  # prefix of rules such as required.native
SWITCHED_OFF = "none"  # the value that switches a rule off


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
        study = _read_study_file(file)
        consent, table = study.get(CONSENT), study.get(RULES_TABLE)
        if study.get("title") or isinstance(consent, dict):
            values["first_session_only"] = True
        if isinstance(consent, dict) and consent.get("languages_required"):
            required["native"] = ("yes",)
        if not isinstance(table, dict):
            wrong, right = f"no table {RULES_TABLE!r}", f"[{RULES_TABLE}] with a line for each rule"
            raise InputError(str(file), wrong, right, kind="missing")
        values |= _rule_values(table.items(), f"{file}: {RULES_TABLE}", required)
    values |= _rule_values(map(_split_option, overrides), RULES_TABLE, required)
    return Rules(**values, required={fact: words for fact, words in required.items() if words})


def _split_option(text: str) -> tuple[str, str]:
    """Split RULE=VALUE of the command line into name and value; RULE alone gets its default.

    Raises `InputError` for a rule without value or default."""
    name, equals, value = text.partition("=")
    if not equals and not (value := RULES[name].default if name in RULES else ""):
        raise InputError(RULES_TABLE, f"{name!r} without a value", f"{name}=VALUE", kind="value")
    return name, value


def _rule_values(
    entries: Iterable[tuple[str, Any]], location: str, required: dict[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Return field of `Rules` → value, for the rules in `entries` (name and value of each).

    Requirements on people are added to `required` instead. Raises `InputError` with all faults.
    """
    values: dict[str, Any] = {}
    for name, value in entries:
        if name == "required" and isinstance(value, dict):
            required |= {fact: _words(words) for fact, words in value.items()}
        elif name.startswith(REQUIRED):
            required[name.removeprefix(REQUIRED)] = _words(value)
        elif name == "statuses":
            values[name] = tuple(word.upper() for word in _words(value))
        else:
            values[name] = _parse_value(value)
    raise_all(faults_in(Rules, values, location))
    # a whole number becomes a float where `Rules` has floats, so that 1 and 1.0 have one digest
    floats = {name for name, kind in get_type_hints(Rules).items() if float in get_args(kind)}
    return {n: float(v) if n in floats and v is not None else v for n, v in values.items()}


def _parse_value(value: Any) -> Any:
    """Turn a text of the command line into a number or True; other values stay as they are.

    None stands for a rule that is switched off: `none`, `false` or False.
    """
    if isinstance(value, str):
        value = {"true": True, "false": False, SWITCHED_OFF: None}.get(value.lower(), value)
    for number in (int, float):
        if isinstance(value, str):
            with suppress(ValueError):
                value = number(value)
    return None if value is False else value


def _words(value: Any) -> tuple[str, ...]:
    """Split `a|b` (from the command line) into words, or take those of a list (from a file).

    The word `none` is dropped.
    """
    values = value if isinstance(value, list) else str(value).split("|")
    return tuple(word for word in (str(value).strip() for value in values) if word != SWITCHED_OFF)


def facts_of(path: Path | None) -> dict[str, str | int | float]:
    """Read the facts about a study from its file: name → text or number.

    These are the entries at the top of the file and in the table `consent`, such as the researcher
    and the payment. Lists become texts with commas; other tables and empty entries are left out.
    """
    study = _read_study_file(path) if path is not None else {}
    consent = study.get(CONSENT)
    facts = {}
    for name, value in {**study, **(consent if isinstance(consent, dict) else {})}.items():
        value = ", ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(value, str | int | float) and value not in ("", 0):
            facts[name] = value
    return facts


def _read_study_file(path: Path) -> dict[str, Any]:
    """Read a study file, TOML or JSON. Raises `InputError` if it is neither."""
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


SORTABLE_TIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d"  # times written so can be sorted as text


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """A person, session, trial or item that a rule left out, or for which it was undefined.

    A text is "" if it does not apply.

    Attributes:
        level: the sort of thing left out: person, session, trial or item.
        participant: the person whose trials these are.
        session: the session, if a session or its trials were left out.
        item: the item, if an item or single trials of it were left out.
        rule: the rule's name, as in `Rules`, or duplicate, practice, status, test_run or
            required.FACT.
        value: the value that the rule measured or found.
        threshold: the threshold that the value was compared with.
        n_trials: number of trials left out.
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
    """The result of applying the rules of exclusion, as `apply_rules` returns it.

    Attributes:
        kept: the trials that count, in the order given.
        gone: a record for each person, session, trial or item removed, in the order of the rules.
        undefined: a record for each person in whom a rule had nothing to measure.
    """

    kept: pl.DataFrame
    gone: tuple[ExclusionRecord, ...] = ()
    undefined: tuple[ExclusionRecord, ...] = ()


def apply_rules(
    trials: pl.DataFrame, rules: Rules, sessions: pl.DataFrame | None = None
) -> Exclusions:
    """Apply the rules of exclusion to trials.

    The order is: repeated trials, practice, sessions (by status, test run or required facts), later
    sessions, people, single trials (by time), items with too few answers. What one rule removes,
    the next does not measure. Applied again to the trials kept, the rules remove nothing more,
    except that `min_judgments` and the rules on single trials change what the others measure.

    Args:
        trials: all trials, of every kind, with the columns of `TRIALS`.
        rules: the rules and their thresholds.
        sessions: what platforms say of people and their sessions, with the columns of `SESSIONS`.

    Returns:
        The trials kept, in the order given; a record for each removal; and a record for each person
        in whom a rule had nothing to measure. The number of trials kept and the `n_trials` of all
        removals add up to the number of trials.

    >>> from colorless_green.humans import Rules, apply_rules, trials_of
    >>> trials = [{"participant": "anna", "item": "f1", "kind": "filler", "correct": 1},
    ...           {"participant": "bert", "item": "f1", "kind": "filler", "correct": 0},
    ...           {"participant": "bert", "item": "i1", "correct": 1}]
    >>> found = apply_rules(trials_of(trials), Rules(max_filler_errors=0.2))
    >>> len(found.kept), [(gone.participant, gone.rule, gone.value) for gone in found.gone]
    (1, [('bert', 'max_filler_errors', '1')])
    """
    sessions = no_rows(SESSIONS) if sessions is None else sessions
    sieve = Sieve(trials)
    is_repeated = (pl.col("trial_id") != "") & ~pl.col("trial_id").is_first_distinct()
    sieve.remove(is_repeated, SESSION, ExclusionRecord("trial", rule="duplicate"))
    is_practice = pl.col("kind") == "practice"
    sieve.remove(is_practice, PERSON, ExclusionRecord("trial", rule="practice"))
    is_of_person = pl.col("session") == ""  # a row about all sessions of a person
    rows_of_level: Sequence[tuple[str, Sequence[str], pl.DataFrame]] = (
        ("person", PERSON, sessions.filter(is_of_person)),
        ("session", SESSION, sessions.filter(~is_of_person)),
    )
    for level, columns, rows in rows_of_level:
        for rule, stated, is_refused, threshold in _session_rules(rules, sessions.columns):
            refused = rows.filter(is_refused).group_by(stated, maintain_order=True)
            for (value,), cases in refused:
                is_gone = is_one_of(columns, cases.select(columns).rows())
                record = ExclusionRecord(level, rule=rule, value=str(value), threshold=threshold)
                sieve.remove(is_gone, columns, record)
    if rules.first_session_only:
        is_later = is_one_of(SESSION, later_sessions(sieve.valid, sessions).rows())
        record = ExclusionRecord("session", rule="first_session_only", threshold="1")
        sieve.remove(is_later, SESSION, record)
    for rule, measure in _measures(rules, sessions).items():
        if (limit := getattr(rules, rule)) is not None:
            sieve.remove_beyond(limit, rule, measure)
    return Exclusions(sieve.valid.select(trials.columns), tuple(sieve.gone), tuple(sieve.undefined))


def _session_rules(
    rules: Rules, columns: Collection[str]
) -> Iterator[tuple[str, pl.Expr, pl.Expr, str]]:
    """Yield the rules about sessions (visits of a person), as expressions on a frame of sessions.

    Each is a tuple: the rule's name, an expression for what a session says, an expression that is
    True if the session does not count, and a text that says what is required.
    """
    yield "status", pl.col("status"), pl.col("status").is_in(rules.statuses), ""
    if rules.test_runs == "drop":
        yield "test_run", pl.lit(""), pl.col("test_run"), ""
    for name, values in rules.required.items():
        if FACT + name in columns:
            fact = pl.col(FACT + name)
            is_other = (fact != "") & ~fact.is_in(values)
            yield f"required.{name}", fact, is_other, " or ".join(values)


def _measures(rules: Rules, sessions: pl.DataFrame) -> dict[str, pl.Expr]:
    """Return the rules that have a limit, in the order of application: name → an expression that
    computes the measured value from trials (null if there is nothing to measure).

    A name begins with `min_` or `max_`.
    """
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
        **{rule: value.over(PERSON) for rule, value in of_people.items()},
        "min_rt_ms": time,
        "max_rt_ms": time,
        "min_judgments": n_answers,
    }


@dataclass(slots=True)
class Sieve:
    """The state while rules are applied: the trials still valid, and what was removed so far."""

    valid: pl.DataFrame
    gone: list[ExclusionRecord] = field(default_factory=list)
    undefined: list[ExclusionRecord] = field(default_factory=list)

    def remove(self, is_gone: pl.Expr, by: Sequence[str], record: ExclusionRecord) -> None:
        """Remove the trials for which `is_gone` is True from `valid`, and record the removal.

        There is one copy of `record` for all trials with the same values in the columns `by`, with
        these values in it.
        """
        marked = self.valid.with_columns(is_gone=is_gone.fill_null(False))
        removed = marked.filter("is_gone").group_by(by, maintain_order=True).len("n_trials")
        self.valid = marked.filter(~pl.col("is_gone")).drop("is_gone")
        self.gone += _exclusion_records(removed, record)

    def remove_beyond(self, limit: float, rule: str, measure: pl.Expr) -> None:
        """Remove trials whose `measure` is beyond a limit; record people without a measure as
        undefined."""
        level, measured = RULES[rule].level, pl.col("measure")
        record, by = ExclusionRecord(level, rule=rule, threshold=f"{limit:g}"), KEYS[level]
        self.valid = self.valid.with_columns(measure.cast(pl.Float64).alias("measure"))
        if level == "person":
            groups = self.valid.filter(measured.is_null()).group_by(by, maintain_order=True)
            self.undefined += _exclusion_records(groups.len("n_trials"), record)
        is_gone = measured > limit if rule.startswith("max_") else measured < limit
        self.remove(is_gone, (*by, "measure"), record)


def _exclusion_records(cases: pl.DataFrame, record: ExclusionRecord) -> Iterator[ExclusionRecord]:
    """Yield a copy of a record for each row of `cases` (persons, sessions, trials or items), with
    the row's cells in it; a `measure`, if the row has one, is the value."""
    number_format = ".4g" if record.level == "person" else "g"  # shares need no more digits
    for case in cases.iter_rows(named=True):
        if (measure := case.pop("measure", None)) is not None:
            case["value"] = format(measure, number_format)
        yield replace(record, **case)


def is_one_of(columns: Sequence[str], keys: Collection[tuple[str, ...]]) -> pl.Expr:
    """Return an expression that is True for rows whose texts in `columns` are one of `keys`."""
    return pl.concat_str(columns, separator="\0").is_in(["\0".join(key) for key in keys])


def is_of_sessions(sessions: Collection[tuple[str, ...]]) -> pl.Expr:
    """Return an expression that is True for trials of these sessions, (participant, session).

    A session with the name "" stands for all sessions of the participant.
    """
    people = [(participant,) for participant, session in sessions if not session]
    return is_one_of(SESSION, sessions) | is_one_of(PERSON, people)


def later_sessions(trials: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Return all sessions but the first of each person, with the columns of `SESSION`.

    If times are known for all sessions of a person, the first session is the one that began first
    or had the first answer; if not, it is the one whose trials come first.
    """
    started = sessions.filter(pl.col("started_at") != "").unique(SESSION, keep="last")
    visits = trials.group_by(SESSION, maintain_order=True).agg(
        pl.col("at").filter(pl.col("at") != "").min().fill_null("")
    )
    visits = visits.join(started, on=SESSION, how="left", maintain_order="left")
    time = pl.coalesce("started_at", "at")
    is_comparable = time.str.contains(SORTABLE_TIME).all().over("participant")
    ordered = visits.sort(
        pl.when(is_comparable).then(time).otherwise(pl.lit("")), maintain_order=True
    )
    return ordered.filter(~pl.col("participant").is_first_distinct()).select(SESSION)
