"""What the store has of people, and of models, on one suite: for analysis and report alike."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from colorless_green.data.store import Store
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import Judgment, Reading, Session, Tally
from colorless_green.humans.measures.measure import Evidence
from colorless_green.humans.measures.ratings import rates
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item

RATING = "rating"  # a task


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """One import of answers, as its researchers have to account for it."""

    name: str  # of its files
    format: str
    files: tuple[tuple[str, str], ...]  # name, SHA-256
    summary: Mapping[str, int | None]  # the counts of `Summary`
    rules: Mapping[str, Any]  # the fields of `Rules`
    rules_digest: str
    is_post_hoc: bool  # the rules are not those of the suite's first import
    is_simulated: bool
    study: Mapping[str, str | int | float]  # what the study file says; empty without one


@dataclass(frozen=True, slots=True)
class Answers:
    """Single answers of people on one suite: those that count, those that do not, and why."""

    imports: tuple[ImportedSet, ...] = ()
    counted: tuple[Judgment, ...] = ()  # of every kind of trial; empty where only totals are known
    left_out: tuple[Judgment, ...] = ()
    gone: tuple[Excluded, ...] = ()  # who or what a rule removed
    undefined: tuple[Excluded, ...] = ()  # whom a rule could not judge
    sessions: tuple[Session, ...] = ()
    readings: tuple[Reading, ...] = ()


def evidence_of(store: Store, results: SuiteResults) -> Evidence:
    """What statistics are drawn from: a suite, the answers that count, and every model (and group
    of models) on it."""
    return Evidence(
        suite=results.suite.name,
        items={item.item_id: item for item in results.suite.items},
        tallies=results.judged.tallies,
        judgments=tuple(_records(store, results.suite_id, "judgment", Judgment)),
        outcomes=results.outcomes(),
        scale=rating_scale(tuple(_imports(store, results.suite_id))),
    )


def answers_of(store: Store, suite_id: int) -> Answers:
    """All imports of a suite and their single answers."""
    exclusions = list(
        _rows(store, suite_id, "exclusion", "exclusion.record, exclusion.undefined AS undefined")
    )
    gone, undefined = (
        tuple(Excluded(**json.loads(row["record"])) for row in exclusions if row["undefined"] == n)
        for n in (0, 1)
    )
    return Answers(
        imports=tuple(_imports(store, suite_id)),
        counted=tuple(_records(store, suite_id, "judgment", Judgment)),
        left_out=tuple(_records(store, suite_id, "left_out", Judgment)),
        gone=gone,
        undefined=undefined,
        sessions=tuple(_records(store, suite_id, "participant", Session)),
        readings=tuple(_records(store, suite_id, "reading", Reading)),
    )


def everybody(answers: Answers, items: Mapping[str, Item]) -> tuple[Tally, ...]:
    """The tallies as they were without any rule of exclusion: of everybody's trials, each once."""
    return tallies(recorded(answers), items)


def recorded(answers: Answers) -> Iterator[Judgment]:
    """The trials of everybody, whether they count or not, each once: what was sent twice has one
    trial_id. Trials without one are all there."""
    seen: set[str] = set()
    for each in (*answers.counted, *answers.left_out):
        if each.trial_id not in seen:
            seen |= {each.trial_id} - {""}
            yield each


def unjudged(answers: Answers) -> str:
    """What people did, where they gave no answer that is right or wrong and counts, as a clause:
    they rated sentences, no answer of theirs counts, or they only read. Empty where nobody was
    asked."""
    readers = {each.participant for each in answers.readings}
    read = f"{_people(len(readers))} read sentences word by word"
    also = f"; {read}" if readers else ""
    ratings = [each for each in answers.counted if each.kind == "target" and rates(each)]
    if ratings:
        raters = {each.participant for each in ratings}
        return (
            f"{_people(len(raters))} rated sentences ({len(ratings):,} ratings count), and no"
            f" choice between a right and a wrong form counts{also}"
        )
    every = (*answers.counted, *answers.left_out)
    if any(each.kind == "target" for each in every):
        asked = {each.participant for each in every}
        return f"of {_people(len(asked))} asked, no answer to a target sentence counts{also}"
    if readers:
        return f"nobody judged a sentence: {read}"
    return "nothing of what was imported counts" if answers.imports else ""


def _people(n: int) -> str:
    return f"{n:,} {'person' if n == 1 else 'people'}"


def rating_scale(imports: Sequence[ImportedSet]) -> str:
    """The scale that the study files of all imports but those of another task name; empty where
    one names none, or they differ."""
    told = {
        str(each.study.get("scale", ""))
        for each in imports
        if each.study.get("task", RATING) == RATING
    }
    return told.pop() if len(told) == 1 else ""


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


def _records(store: Store, suite_id: int, table: str, record: Any) -> Iterator[Any]:
    for row in _rows(store, suite_id, table, f"{table}.record"):
        yield record(**json.loads(row["record"]))


def _rows(store: Store, suite_id: int, table: str, columns: str) -> Sequence[Mapping[str, Any]]:
    return list(
        store.rows(
            f"SELECT {columns} FROM {table} JOIN judgment_set USING (judgment_set_id) "
            f"WHERE suite_id = ? ORDER BY {table}.rowid",
            (suite_id,),
        )
    )
