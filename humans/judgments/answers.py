"""Answers of people as the store has them: what counts, what rules left out, why, from which file.

For comparison, analysis and report alike; `humans/judgments/stored.py` puts them in.
"""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...data.store import Store
from .exclusion import ExclusionRecord
from .judgment import Judgment, Session, Tally, is_among, rates, session_of

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """One import of answers, as its researchers have to account for it.

    Attributes:
        name: of its files.
        format: of its files.
        files: (name, SHA-256) of each file.
        summary: the counts of `ImportSummary`.
        rules: the fields of `Rules`.
        rules_digest: of the rules.
        is_post_hoc: whether the rules are not those of the suite's first import.
        is_simulated: whether a program made the answers.
        study: what the study file says; empty without one.
    """

    name: str
    format: str
    files: tuple[tuple[str, str], ...]
    summary: Mapping[str, int | None]
    rules: Mapping[str, Any]
    rules_digest: str
    is_post_hoc: bool
    is_simulated: bool
    study: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class SuiteAnswers:
    """People's answers to one suite: those that count, those that do not, and why.

    Attributes:
        imports: where they came from.
        tallies: right and all answers by item, those of several imports added up.
        counted: trials of every kind that count; empty where only totals are known.
        left_out: trials that a rule left out.
        gone: who or what a rule left out.
        undefined: people whom a rule had nothing to measure in.
        sessions: what the files say of people and their sessions.
    """

    imports: tuple[ImportedSet, ...] = ()
    tallies: tuple[Tally, ...] = ()
    counted: tuple[Judgment, ...] = ()
    left_out: tuple[Judgment, ...] = ()
    gone: tuple[ExclusionRecord, ...] = ()
    undefined: tuple[ExclusionRecord, ...] = ()
    sessions: tuple[Session, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether a program made some of them."""
        return any(batch.is_simulated for batch in self.imports)


def answers_of(store: Store, suite_id: int, items: Container[str] | None = None) -> SuiteAnswers:
    """Reads all answers of people to one suite from a store.

    Args:
        store: an open store.
        suite_id: the suite's number in the store.
        items: ids of items; answers to targets about other items are not read. None: all items.

    Returns:
        The answers that count, those left out and why, and sessions, in the order of the imports.
        The tallies of several imports are added up by item.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("items.csv").write_text("item,correct_form,wrong_form\\ni1,are,is\\n")
    >>> _ = Path("answers.csv").write_text("participant,item,chosen\\nanna,i1,are\\nbert,i1,is\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv")
    >>> found = answers_of(people.kept.store, people.kept.id)
    >>> [(tally.item, tally.right, tally.total) for tally in found.tallies]
    [('i1', 1, 2)]
    """
    gone, undefined = (
        tuple(
            _records(
                store, suite_id, "exclusion", ExclusionRecord, f"AND exclusion.undefined = {n}"
            )
        )
        for n in (0, 1)
    )
    pooled: dict[str, Tally] = {}
    for tally in _records(store, suite_id, "tally", Tally):
        if (earlier := pooled.get(tally.item)) is not None:
            right, total = earlier.right + tally.right, earlier.total + tally.total
            tally = replace(tally, right=right, total=total)
        pooled[tally.item] = tally
    return SuiteAnswers(
        imports=tuple(_imports(store, suite_id)),
        tallies=tuple(t for name, t in pooled.items() if items is None or name in items),
        counted=_on_items(_records(store, suite_id, "judgment", Judgment), items),
        left_out=_on_items(_records(store, suite_id, "left_out", Judgment), items),
        gone=gone,
        undefined=undefined,
        sessions=tuple(_records(store, suite_id, "participant", Session)),
    )


def _records(
    store: Store, suite_id: int, table: str, record: Callable[..., Record], condition: str = ""
) -> list[Record]:
    """The records of a table that the imports of a suite have, in their order; `condition` is a
    further condition in SQL."""
    query = (
        f"SELECT {table}.record FROM {table} JOIN judgment_set USING (judgment_set_id) "
        f"WHERE suite_id = ? {condition} ORDER BY {table}.rowid"
    )
    texts = [text for (text,) in store.connection.execute(query, (suite_id,))]
    with store.decoding():
        return [record(**fields) for fields in json.loads(f"[{','.join(texts)}]")]


def _on_items(records: Iterable[Any], items: Container[str] | None) -> tuple[Any, ...]:
    """Without targets that are none of these items."""
    return tuple(
        record
        for record in records
        if items is None or record.kind != "target" or record.item in items
    )


def sessions_left_out(answers: SuiteAnswers, rule: str) -> set[tuple[str, str]]:
    """The sessions that a rule about people or sessions left out."""
    marked = {
        (exclusion.participant, exclusion.session)
        for exclusion in answers.gone
        if exclusion.rule == rule
    }
    return {session_of(trial) for trial in answers.left_out if is_among(trial, marked)}


def recorded(answers: SuiteAnswers) -> Iterator[Judgment]:
    """The trials of everybody, whether they count or not, each once: what was sent twice has one
    trial_id. Trials without one are all there; those of the researchers' own runs are not."""
    seen: set[str] = set()
    tests = sessions_left_out(answers, "test_run")
    for trial in (*answers.counted, *answers.left_out):
        if trial.trial_id not in seen and session_of(trial) not in tests:
            seen |= {trial.trial_id} - {""}
            yield trial


def unjudged(answers: SuiteAnswers) -> str:
    """Say what people did, where they gave no answer that is right or wrong and counts, as a
    clause: they rated sentences, or no answer of theirs counts. Empty where nobody was asked."""
    ratings = [trial for trial in answers.counted if trial.kind == "target" and rates(trial)]
    if ratings:
        raters = {rating.participant for rating in ratings}
        return (
            f"{_people(len(raters))} rated sentences ({len(ratings):,} ratings count), and no"
            " choice between a right and a wrong form counts"
        )
    trials = (*answers.counted, *answers.left_out)
    if any(trial.kind == "target" for trial in trials):
        participants = {trial.participant for trial in trials}
        return f"of {_people(len(participants))} asked, no answer to a target sentence counts"
    return "nothing of what was imported counts" if answers.imports else ""


def _people(n: int) -> str:
    return f"{n:,} {'person' if n == 1 else 'people'}"


def _imports(store: Store, suite_id: int) -> Iterator[ImportedSet]:
    for row in store.rows(
        "SELECT * FROM judgment_set WHERE suite_id = ? ORDER BY judgment_set_id", (suite_id,)
    ):
        yield ImportedSet(
            name=row["name"],
            format=row["format"],
            files=tuple((name, digest) for name, digest in json.loads(row["files"])),
            summary=json.loads(row["summary"]),
            rules=json.loads(row["rules"]),
            rules_digest=row["rules_digest"],
            is_post_hoc=bool(row["post_hoc"]),
            is_simulated=bool(row["simulated"]),
            study=json.loads(row["study"]),
        )
