"""The audit of an import: what each column was read as, and what looks wrong in the answers.

Every import is audited before anything is stored. `--dry-run` shows the audit as a table and stores
nothing; a real import prints its doubts among the messages.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

import polars as pl

from ...data.registry import counted
from ...data.tables import Row
from ..judgments.answers import StorageReport, StoredImport
from ..judgments.judgment import ANSWERED, FACT, tallies
from ..judgments.rules import RULES, is_of_sessions, later_sessions
from .accuracy_estimates import agreement_of, agreement_sentences

COLUMNS = ("about", "what", "found", "n", "doubt")
HASTY_MS, SLOW_MS = 100, 60_000  # answers outside this range are no reading times
READING_MS = float(RULES["min_median_rt_ms"].default)  # a person's median below this is doubtful
MAX_LISTED = 5  # answers to a question about the person that a message lists
MAX_ODD_SHARE = 0.2  # more missing, hasty or slow answers than this share are a doubt


def summary_row(source: StoredImport) -> Row:
    """Return the counts of an import, such as judgments, people and items, as one table row."""
    summary = source.imported.summary
    return {
        "files": summary.n_files,
        "rows": summary.n_rows,
        "judgments": summary.n_judgments,
        "participants": summary.n_participants,
        "items": summary.n_items_matched,
        "other_items": summary.n_items_unmatched,
        "missing": summary.n_missing,
        "duplicates": summary.n_duplicates,
        "other_rows": summary.n_others,
        "left_out": sum(case.n_trials for case in source.exclusions.gone),
    }


def audit_rows(source: StoredImport) -> list[Row]:
    """Return the audit as rows with the columns of `COLUMNS`, one row for each thing examined.

    The column `doubt` says what looks wrong; it is empty if nothing does.
    """
    imported = source.imported
    rows: list[Row] = [
        _row("file", name, f"{source.format_name}, sha256 {digest[:16]}")
        for name, digest in source.files
    ]
    columns = imported.columns.items()
    rows += [_row("column", column, field or "not used") for column, field in columns]
    rows += [_row("note", "", note, doubt=note) for note in imported.notes]
    kinds = imported.trials.group_by("kind", maintain_order=True).len()
    rows += [_row("kind", kind, counted(n, "trial"), n) for kind, n in kinds.iter_rows()]
    trials = _without_practice_and_tests(source, imported.trials)
    rows += _repeat_participants(trials, source)
    rows += _repeated_and_missing(trials)
    rows += _response_times(trials)
    rows += _eligibility(source, {*trials["participant"]})
    counts = Counter((case.rule, case.level) for case in source.exclusions.gone)
    for (rule, level), n in counts.items():
        n_trials = sum(case.n_trials for case in source.exclusions.gone if case.rule == rule)
        unit = "" if level == "trial" else f"{counted(n, level)}, "
        rows.append(_row("rule", rule, f"leaves out {unit}{counted(n_trials, 'trial')}", n))
    for rule, n in Counter(case.rule for case in source.exclusions.undefined).items():
        finding = f"nothing to measure in {counted(n, 'person')}, who stay in"
        rows.append(_row("rule", rule, finding, n, doubt=f"{rule}: {finding}"))
    return rows


def _row(topic: str, subject: str, finding: str, n: int | None = None, doubt: str = "") -> Row:
    """Return one row of the audit: topic, thing examined, finding, count, and what looks wrong."""
    return {"about": topic, "what": subject, "found": finding, "n": n, "doubt": doubt}


def _repeat_participants(trials: pl.DataFrame, source: StoredImport) -> Iterator[Row]:
    """Yield one row if some participants answered in several sessions: it gives their number, and
    says whether all their sessions count or only the first."""
    n = later_sessions(trials, source.imported.sessions)["participant"].n_unique()
    if not n:
        return
    sessions_counted = "all count; --exclude first_session_only keeps the first alone"
    if source.rules.first_session_only:
        sessions_counted = "only the first counts (first_session_only)"
    finding = f"{counted(n, 'person')} with more than one session"
    yield _row("people", "several sessions", finding, n, f"{finding}: {sessions_counted}")


def _repeated_and_missing(trials: pl.DataFrame) -> Iterator[Row]:
    """Yield a row for items that a person answered twice in one session, and a row for trials
    without an answer."""
    answered = trials.filter(ANSWERED)
    counts = answered.group_by("participant", "session", "item").len()
    if n_repeated := counts.filter(pl.col("len") > 1).height:
        doubt = f"{n_repeated} times a person answered an item more than once; all of them count"
        yield _row("answers", "repeated items", "the same person and item", n_repeated, doubt)
    if n_missing := len(trials) - len(answered):
        share, doubt = n_missing / len(trials), ""
        if share > MAX_ODD_SHARE:
            doubt = f"{n_missing} of {len(trials)} trials have no answer"
        yield _row("answers", "missing", f"{share:.1%} of the trials", n_missing, doubt)


def _response_times(trials: pl.DataFrame) -> Iterator[Row]:
    """Yield a row on all response times (in ms), and a row for people who answer too fast to have
    read the sentences."""
    timed = trials.filter(ANSWERED).drop_nulls("rt_ms")
    times = timed["rt_ms"]
    if len(times):
        n_hasty, n_slow = (times < HASTY_MS).sum(), (times > SLOW_MS).sum()
        middle = f"median {median(times):g} ms"
        finding = f"{middle}; {n_hasty} below {HASTY_MS:g} ms, {n_slow} above a minute"
        is_odd = max(n_hasty, n_slow) > MAX_ODD_SHARE * len(times)
        doubt = f"rt_ms: {finding}: seconds, or another decimal sign?" if is_odd else ""
        yield _row("times", "rt_ms", finding, len(times), doubt)
    medians = timed.group_by("participant").agg(pl.col("rt_ms").median())
    if n := medians.filter(pl.col("rt_ms") < READING_MS).height:
        finding = f"{counted(n, 'person')} with a median below {READING_MS:g} ms"
        yield _row("times", "people", finding, n, f"{finding}: hardly time to read")


def _eligibility(source: StoredImport, people: set[str]) -> Iterator[Row]:
    """Yield a row for each requirement of the study, such as a native language: how many people
    say that they do not meet it, and how many say nothing."""
    sessions = source.imported.sessions
    people = people - {*sessions.filter("test_run")["participant"]}
    for question, accepted in source.rules.required.items():
        answer_of = dict[str, str]()
        if FACT + question in sessions.columns:
            known = sessions.drop_nulls(FACT + question)
            answer_of = dict(known.select("participant", FACT + question).iter_rows())
        answers = [answer_of.get(participant, "") for participant in people]
        refused = Counter(answer for answer in answers if answer and answer not in accepted)
        n_silent = sum(not answer for answer in answers)
        requirement = f"{question} is {' or '.join(accepted)}"
        listed = ", ".join(f"{n} {answer!r}" for answer, n in refused.most_common(MAX_LISTED))
        finding = f"not so of {counted(refused.total(), 'person')}"
        finding += f" ({listed})" if listed else ""
        finding += f", not known of {counted(n_silent, 'person')}"
        finding += ", kept" if n_silent else ""
        doubt = f"{requirement}: {finding}" if refused or n_silent else ""
        yield _row("eligibility", requirement, finding, len(people), doubt)


def messages(
    source: StoredImport, stored: StorageReport | None, keep: Sequence[str]
) -> Iterator[str]:
    """Yield the messages of an import, for the user.

    `stored` reports what storing did (None for a dry run); `keep` are the columns about people that
    the user asked to keep.
    """
    audit = audit_rows(source)
    yield f"format: {source.format_name}"
    yield from (str(row["doubt"]) for row in audit if row["doubt"])
    for name in keep:
        if FACT + name not in source.imported.sessions.columns:
            yield f"no value in a column {name!r} to keep"
    yield from _storage_messages(stored)
    yield from (
        f"left out by {row['what']}: {str(row['found']).removeprefix('leaves out ')}"
        for row in audit
        if row["about"] == "rule" and not row["doubt"]
    )
    all_trials = _without_practice_and_tests(source, source.imported.trials)
    if source.exclusions.gone:
        parts = (_without_practice_and_tests(source, source.exclusions.kept), all_trials)
        people, all_people = (part["participant"].n_unique() for part in parts)
        n_kept, n_all = (part.filter(ANSWERED).height for part in parts)
        counted_people = f"{people} of {counted(all_people, 'person')}"
        yield f"{counted_people} and {n_kept:,} of {n_all:,} answers count"
    if stored is not None and stored.is_post_hoc:
        yield (
            "the rules are not those of the first import of single answers: these exclusions are"
            " POST HOC"
        )
    kept = source.imported.tallies or tallies(source.exclusions.kept, source.items)
    if (agreement := agreement_of(kept)) is not None:
        yield from agreement_sentences(agreement)
    if source.exclusions.gone and len(all_trials):
        agreement = agreement_of(tallies(all_trials, source.items))
        if agreement is not None:
            yield f"with nothing left out: {agreement.by_item:.2%} (mean over items)"


def _storage_messages(stored: StorageReport | None) -> Iterator[str]:
    """Yield messages on what storing an import did; None stands for a dry run."""
    if stored is None:
        yield "nothing is stored: --dry-run"
        return
    if stored.n_replaced:
        yield f"{counted(stored.n_replaced, 'import')} replaced"
    elif stored.n_repeated:
        yield f"{stored.n_repeated} answers were imported before and are not added again"
    elif not stored.is_new:
        yield "the same answers under the same rules were imported before"
    for model, stored_name in stored.renamed.items():
        yield f"another model is called {model} already: that of this file is {stored_name}"


def _without_practice_and_tests(source: StoredImport, trials: pl.DataFrame) -> pl.DataFrame:
    """Return trials without practice, and without sessions that are the researchers' test runs."""
    tests = {
        (record.participant, record.session)
        for record in source.exclusions.gone
        if record.rule == "test_run"
    }
    return trials.filter((pl.col("kind") != "practice") & ~is_of_sessions(tests))
