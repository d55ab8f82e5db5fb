"""What an import found before anything is stored: what each column was read as, what is doubtful.

Everything here is looked at on every import. `--dry-run` shows it as a table and stores nothing;
else its doubts are among the messages.
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
from .accuracy_estimates import agreement_of, sentences

COLUMNS = ("about", "what", "found", "n", "doubt")
HASTY_MS, SLOW_MS = 100, 60_000  # nobody answers sooner; whoever takes longer did something else
READING_MS = float(RULES["min_median_rt_ms"].default)  # whose median is below has not read
MOST_SAID = 5  # other answers that are listed
MANY = 0.2  # share of answers that are missing, or hasty, from which on that is a doubt


def summary_row(source: StoredImport) -> Row:
    """Return the counts, as a row of a table."""
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


def audited(source: StoredImport) -> list[Row]:
    """Return a row for everything that was looked at; `doubt` is empty where nothing is odd."""
    imported = source.imported
    rows: list[Row] = [
        _row("file", name, f"{source.format_name}, sha256 {digest[:16]}")
        for name, digest in source.files
    ]
    columns = imported.columns.items()
    rows += [_row("column", column, use or "not used") for column, use in columns]
    rows += [_row("note", "", note, doubt=note) for note in imported.notes]
    kinds = imported.trials.group_by("kind", maintain_order=True).len()
    rows += [_row("kind", kind, counted(n, "trial"), n) for kind, n in kinds.iter_rows()]
    trials = _countable(source, imported.trials)
    rows += _sessions(trials, source)
    rows += _answers(trials)
    rows += _times(trials)
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
    return {"about": topic, "what": subject, "found": finding, "n": n, "doubt": doubt}


def _sessions(trials: pl.DataFrame, source: StoredImport) -> Iterator[Row]:
    """Yield how many answered in more than one session, and whether all of these count."""
    n = later_sessions(trials, source.imported.sessions)["participant"].n_unique()
    if not n:
        return
    which = "all count; --exclude first_session_only keeps the first alone"
    if source.rules.first_session_only:
        which = "only the first counts (first_session_only)"
    finding = f"{counted(n, 'person')} with more than one session"
    yield _row("people", "several sessions", finding, n, f"{finding}: {which}")


def _answers(trials: pl.DataFrame) -> Iterator[Row]:
    """Yield items that one person answered twice in a session, and answers that are missing."""
    answered = trials.filter(ANSWERED)
    counts = answered.group_by("participant", "session", "item").len()
    if n_again := counts.filter(pl.col("len") > 1).height:
        finding = f"{n_again} times a person answered an item more than once; all of them count"
        yield _row("answers", "repeated items", "the same person and item", n_again, finding)
    if n_missing := len(trials) - len(answered):
        share = n_missing / len(trials)
        odd = f"{n_missing} of {len(trials)} trials have no answer" if share > MANY else ""
        yield _row("answers", "missing", f"{share:.1%} of the trials", n_missing, odd)


def _times(trials: pl.DataFrame) -> Iterator[Row]:
    """Yield how long answers took, and how many times are no times of somebody who reads."""
    timed = trials.filter(ANSWERED).drop_nulls("rt_ms")
    times = timed["rt_ms"]
    if len(times):
        n_hasty, n_slow = (times < HASTY_MS).sum(), (times > SLOW_MS).sum()
        middle = f"median {median(times):g} ms"
        finding = f"{middle}; {n_hasty} below {HASTY_MS:g} ms, {n_slow} above a minute"
        odd = max(n_hasty, n_slow) > MANY * len(times)
        doubt = f"rt_ms: {finding}: seconds, or another decimal sign?" if odd else ""
        yield _row("times", "rt_ms", finding, len(times), doubt)
    medians = timed.group_by("participant").agg(pl.col("rt_ms").median())
    if n := medians.filter(pl.col("rt_ms") < READING_MS).height:
        finding = f"{counted(n, 'person')} with a median below {READING_MS:g} ms"
        yield _row("times", "people", finding, n, f"{finding}: hardly time to read")


def _eligibility(source: StoredImport, people: set[str]) -> Iterator[Row]:
    """Yield what people say of themselves, against what the study demands of them."""
    sessions = source.imported.sessions
    people -= {*sessions.filter("test_run")["participant"]}
    for fact, values in source.rules.required.items():
        facts = dict[str, str]()
        if FACT + fact in sessions.columns:
            known = sessions.drop_nulls(FACT + fact)
            facts = dict(known.select("participant", FACT + fact).iter_rows())
        answers = [facts.get(participant, "") for participant in people]
        others = Counter(answer for answer in answers if answer and answer not in values)
        n_silent = sum(not answer for answer in answers)
        requirement = f"{fact} is {' or '.join(values)}"
        listed = ", ".join(f"{n} {answer!r}" for answer, n in others.most_common(MOST_SAID))
        seen = f"not so of {counted(others.total(), 'person')}{listed and f' ({listed})'}"
        seen += f", not known of {counted(n_silent, 'person')}"
        seen += ", kept" if n_silent else ""
        odd = f"{requirement}: {seen}" if others or n_silent else ""
        yield _row("eligibility", requirement, seen, len(people), odd)


def messages(
    source: StoredImport, stored: StorageReport | None, keep: Sequence[str]
) -> Iterator[str]:
    """Yield what whoever imports should know; `keep` are the columns that were asked for, `stored`
    how storing went (None for a dry run)."""
    audit = audited(source)
    yield f"format: {source.format_name}"
    yield from (str(row["doubt"]) for row in audit if row["doubt"])
    for name in keep:
        if FACT + name not in source.imported.sessions.columns:
            yield f"no value in a column {name!r} to keep"
    if stored is None:
        yield "nothing is stored: --dry-run"
    elif stored.n_replaced:
        yield f"{counted(stored.n_replaced, 'import')} replaced"
    elif stored.n_repeated:
        yield f"{stored.n_repeated} answers were imported before and are not added again"
    elif not stored.is_new:
        yield "the same answers under the same rules were imported before"
    for model, stored_name in stored.renamed.items() if stored else ():
        yield f"another model is called {model} already: that of this file is {stored_name}"
    yield from (
        f"left out by {row['what']}: {str(row['found']).removeprefix('leaves out ')}"
        for row in audit
        if row["about"] == "rule" and not row["doubt"]
    )
    all_trials = _countable(source, source.imported.trials)
    if source.exclusions.gone:
        parts = (_countable(source, source.exclusions.kept), all_trials)
        people, all_people = (part["participant"].n_unique() for part in parts)
        n, n_all = (part.filter(ANSWERED).height for part in parts)
        counted_people = f"{people} of {counted(all_people, 'person')}"
        yield f"{counted_people} and {n:,} of {n_all:,} answers count"
    if stored is not None and stored.is_post_hoc:
        yield (
            "the rules are not those of the first import of single answers: these exclusions are"
            " POST HOC"
        )
    agreed = agreement_of(source.imported.tallies or tallies(source.exclusions.kept, source.items))
    if agreed is not None:
        yield from sentences(agreed)
    if source.exclusions.gone and len(all_trials):
        everybody = agreement_of(tallies(all_trials, source.items))
        if everybody is not None:
            yield f"with nothing left out: {everybody.by_item:.2%} (mean over items)"


def _countable(source: StoredImport, trials: pl.DataFrame) -> pl.DataFrame:
    """Return trials without practice, and without sessions of the researchers themselves."""
    tests = {(e.participant, e.session) for e in source.exclusions.gone if e.rule == "test_run"}
    return trials.filter((pl.col("kind") != "practice") & ~is_of_sessions(tests))
