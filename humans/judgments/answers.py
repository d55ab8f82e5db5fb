"""Answers of people in the store: what counts, what rules left out, why, from which file.

For comparison, analysis and report alike; `humans/judgments/stored.py` puts them in.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import polars as pl

from ...data.registry import counted
from ...data.store import Store
from ...data.tables import frame
from .judgment import (
    FACT,
    IS_RATING,
    SESSIONS,
    TRIALS,
    Tally,
    no_rows,
)
from .rules import ExclusionRecord, is_of_sessions

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """One import of answers as its researchers have to account for it.

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


@dataclass(frozen=True)
class SuiteAnswers:
    """People's answers to one suite: those that count, those that do not, and why.

    Attributes:
        imports: where they came from.
        tallies: right and all answers by item, those of several imports added up.
        trials: those of every kind that count; empty where only totals are known.
        trials_left_out: those that a rule left out.
        gone: who or what a rule left out.
        undefined: people whom a rule had nothing to measure in.
        sessions: what the files say of people and their sessions, with the columns of `SESSIONS`.
    """

    imports: tuple[ImportedSet, ...] = ()
    tallies: tuple[Tally, ...] = ()
    trials: pl.DataFrame = field(default_factory=lambda: no_rows(TRIALS))
    trials_left_out: pl.DataFrame = field(default_factory=lambda: no_rows(TRIALS))
    gone: tuple[ExclusionRecord, ...] = ()
    undefined: tuple[ExclusionRecord, ...] = ()
    sessions: pl.DataFrame = field(default_factory=lambda: no_rows(SESSIONS))

    @property
    def simulated(self) -> bool:
        """Tell whether a program made some of them."""
        return any(batch.is_simulated for batch in self.imports)


def answers_of(store: Store, suite_id: int, items: Collection[str] | None = None) -> SuiteAnswers:
    """Read all answers of people to one suite from a store.

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
    pooled: dict[str, Tally] = {}
    for tally in _records(store, suite_id, "tally", Tally):
        if (earlier := pooled.get(tally.item)) is not None:
            right, total = earlier.right + tally.right, earlier.total + tally.total
            tally = replace(tally, right=right, total=total)
        pooled[tally.item] = tally
    is_asked = pl.lit(True)
    if items is not None:
        is_asked = (pl.col("kind") != "target") | pl.col("item").is_in(list(items))
    counted, left_out = (
        stored_trials(store, table, "suite_id = ?", suite_id).filter(is_asked)
        for table in ("judgment", "left_out")
    )
    cases = [
        tuple(_records(store, suite_id, "exclusion", ExclusionRecord, f"AND undefined = {n}"))
        for n in (0, 1)
    ]
    return SuiteAnswers(
        imports=tuple(_imports(store, suite_id)),
        tallies=tuple(t for name, t in pooled.items() if items is None or name in items),
        trials=counted,
        trials_left_out=left_out,
        gone=cases[0],
        undefined=cases[1],
        sessions=_sessions(_records(store, suite_id, "participant", dict[str, Any])),
    )


def _records(
    store: Store, suite_id: int, table: str, record: Callable[..., Record], condition: str = ""
) -> list[Record]:
    """Return the records of a table that the imports of a suite have, in their order; `condition`
    is a further condition in SQL."""
    query = (
        f"SELECT {table}.record FROM {table} JOIN judgment_set USING (judgment_set_id) "
        f"WHERE suite_id = ? {condition} ORDER BY {table}.rowid"
    )
    texts = [text for (text,) in store.connection.execute(query, (suite_id,))]
    with store.decoding():
        return [record(**fields) for fields in json.loads(f"[{','.join(texts)}]")]


def _sessions(records: Sequence[dict[str, Any]]) -> pl.DataFrame:
    rows = [{**row, **{FACT + n: text for n, text in row["facts"].items()}} for row in records]
    facts = dict.fromkeys(name for row in rows for name in row if name.startswith(FACT))
    return frame(rows, {**SESSIONS, **dict.fromkeys(facts, str)})


def stored_trials(store: Store, table: str, clause: str, *values: int) -> pl.DataFrame:
    """Return the trials in a table of the store, of the imports that a clause in SQL names."""
    query = (
        f"SELECT {table}.record FROM {table} JOIN judgment_set USING (judgment_set_id) "
        f"WHERE {clause} ORDER BY {table}.rowid"
    )
    texts = [text for (text,) in store.connection.execute(query, values)]
    with store.decoding():
        records = pl.Series(texts, dtype=pl.String).str.json_decode(pl.Struct(pl.Schema(TRIALS)))
        trials = records.struct.unnest()
        return trials.with_columns(pl.selectors.string().fill_null(""))


def sessions_left_out(answers: SuiteAnswers, rule: str) -> set[tuple[str, str]]:
    """Return the sessions that a rule about people or sessions left out."""
    marked = {(gone.participant, gone.session) for gone in answers.gone if gone.rule == rule}
    trials = answers.trials_left_out.filter(is_of_sessions(marked))
    return {*trials.select("participant", "session").iter_rows()}


def recorded(answers: SuiteAnswers) -> pl.DataFrame:
    """Return the trials of everybody, whether they count or not, each once: what was sent twice
    has one trial_id. Trials without one are all there; the researchers' own runs are not."""
    trials = pl.concat([answers.trials, answers.trials_left_out])
    is_first = (pl.col("trial_id") == "") | pl.col("trial_id").is_first_distinct()
    return trials.filter(is_first & ~is_of_sessions(sessions_left_out(answers, "test_run")))


def unjudged(answers: SuiteAnswers) -> str:
    """Say what people did, where they gave no answer that is right or wrong and counts, as a
    clause: they rated sentences, or no answer of theirs counts. Empty where nobody was asked."""

    def people(trials: pl.DataFrame) -> str:
        return counted(trials["participant"].n_unique(), "person")

    ratings = answers.trials.filter(IS_RATING, kind="target")
    if len(ratings):
        return (
            f"{people(ratings)} rated sentences ({len(ratings):,} ratings count), and no"
            " choice between a right and a wrong form counts"
        )
    trials = pl.concat([answers.trials, answers.trials_left_out])
    if "target" in trials["kind"]:
        return f"of {people(trials)} asked, no answer to a target sentence counts"
    return "nothing of what was imported counts" if answers.imports else ""


def _imports(store: Store, suite_id: int) -> Iterator[ImportedSet]:
    for row in store.rows(
        "SELECT * FROM judgment_set WHERE suite_id = ? ORDER BY judgment_set_id", (suite_id,)
    ):
        values: dict[str, Any] = {name: row[name] for name in ("name", "format", "rules_digest")}
        values |= {name: json.loads(row[name]) for name in ("files", "summary", "rules", "study")}
        values["files"] = tuple(map(tuple, values["files"]))
        values |= {f"is_{old}": bool(row[old]) for old in ("post_hoc", "simulated")}
        yield ImportedSet(**values)
