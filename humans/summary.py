"""What an import says of itself: counts, whom rules left out, and how far people agree."""

from collections.abc import Iterator, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.agreement import agreement_of, sentences
from colorless_green.humans.exclusion import Exclusions, later_sessions
from colorless_green.humans.judgment import Judgment, Reading, answered
from colorless_green.humans.stored import Import, Stored
from colorless_green.humans.tally import tallies

PLURALS = {"person": "people"}


def summary_row(found: Import) -> Row:
    """The counts, as a row of a table."""
    summary = found.imported.summary
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
        "readings": summary.n_readings,
        "left_out": sum(each.n_trials for each in found.exclusions.gone),
    }


def messages(found: Import, stored: Stored, keep: Sequence[str]) -> Iterator[str]:
    """All that whoever imports should know; `keep` are the columns that were asked for."""
    yield f"format: {found.format_name}"
    yield from found.imported.notes
    kept = {name for session in found.imported.sessions for name in session.facts}
    for name in keep:
        if name not in kept:
            yield f"no value in a column {name!r} to keep"
    if stored.n_known:
        yield f"{stored.n_known} answers were imported before and are not added again"
    elif not stored.is_new:
        yield "the same answers under the same rules were imported before"
    yield from _returned(found)
    yield from _exclusion_messages(found.exclusions)
    if found.exclusions.gone:
        yield _left(found)
    if stored.is_post_hoc:
        yield (
            "the rules are not those of the first import of single answers: these exclusions are"
            " POST HOC"
        )
    agreed = agreement_of(found.imported.tallies or tallies(found.exclusions.kept, found.items))
    if agreed is not None:
        yield from sentences(agreed)
    if found.exclusions.gone and found.imported.judgments:
        everybody = agreement_of(tallies(_countable(found), found.items))
        if everybody is not None:
            yield f"with all that was left out: {everybody.by_item:.2%} (mean over items)"


def _returned(found: Import) -> Iterator[str]:
    """Whoever answered in more than one session, and whether all of these count."""
    every: list[Judgment | Reading] = [*found.imported.judgments, *found.imported.readings]
    trials = [each for each in every if each.kind != "practice"]
    n = len({participant for participant, _ in later_sessions(trials)})
    if n:
        which = "all of them may count; --exclude first_session_only keeps the first alone"
        if found.rules.first_session_only:
            which = "the first alone may count, by the rule first_session_only"
        yield f"{_counted(n, 'person')} answered in more than one session: {which}"


def _left(found: Import) -> str:
    """How much of everything counts after all rules."""
    kept, every = (
        [each for each in judgments if each.kind != "practice"]
        for judgments in (found.exclusions.kept, found.imported.judgments)
    )
    people, all_people = ({each.participant for each in part} for part in (kept, every))
    n, n_all = (sum(map(answered, part)) for part in (kept, every))
    who = f"{len(people)} of {_counted(len(all_people), 'person')}"
    return f"{who} and {n:,} of {n_all:,} answers count"


def _countable(found: Import) -> Sequence[Judgment]:
    return [each for each in found.imported.judgments if each.kind != "practice"]


def _exclusion_messages(exclusions: Exclusions) -> Iterator[str]:
    """A line for each rule that removed something or could not judge somebody."""
    rules: dict[tuple[str, str], list[int]] = {}
    for each in exclusions.gone:
        rules.setdefault((each.rule, each.level), []).append(each.n_trials)
    for (rule, level), counts in rules.items():
        n_trials = sum(counts)
        who = "" if level == "trial" else f"{_counted(len(counts), level)}, "
        yield f"left out by {rule}: {who}{_counted(n_trials, 'trial')}"
    unknown: dict[str, int] = {}
    for each in exclusions.undefined:
        unknown[each.rule] = unknown.get(each.rule, 0) + 1
    for rule, n in unknown.items():
        yield f"{rule}: nothing to measure in {_counted(n, 'person')}, who stay in"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {PLURALS.get(what, f'{what}s')}"
