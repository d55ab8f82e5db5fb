"""Imports of people's answers in the store: save, replace, read and delete them."""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from ...data.errors import ErrorKind, InputError
from ...data.files import sha256_file
from ...data.items.item import Item
from ...data.registry import counted, nearest
from ...data.result import Result
from ...data.store import Store, StoreLike, open_store
from ...data.tables import frame
from .imported import Imported
from .judgment import FACT, IS_RATING, SESSIONS, TRIALS, Tally, no_rows, tallies
from .rules import ExclusionRecord, Exclusions, Rules, is_of_sessions

Record = TypeVar("Record")
LISTING_COLUMNS = ("import", "suite", "format", "answers", "created")
SINGLE = "single answers"  # rather than totals
CONTENT_TABLES = ("judgment", "tally", "left_out", "exclusion", "reading", "participant")
"""Tables with the content of imports; only stores of version 1 have rows in `reading`."""


@dataclass(frozen=True, slots=True)
class StoredImport:
    """An import of answers, ready to be stored.

    Attributes:
        imported: the content of the files.
        exclusions: the answers that count, and what the rules left out.
        items: item id → item, for all items with answers.
        rules: the rules of exclusion.
        name: the names of the files.
        format_name: the format of the files.
        files: (name, SHA-256) of each file.
        study: the facts in the study file.
        simulated: True if a program made the answers.
    """

    imported: Imported
    exclusions: Exclusions
    items: Mapping[str, Item]
    rules: Rules
    name: str
    format_name: str
    files: Sequence[tuple[str, str]]
    study: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False

    @property
    def left_out(self) -> pl.DataFrame:
        """The trials that do not count."""
        return self.imported.trials.join(
            self.exclusions.kept, on="trial_id", how="anti", maintain_order="left"
        )


@dataclass(frozen=True, slots=True)
class StorageReport:
    """The changes that storing an import made.

    Attributes:
        is_new: False if the same answers under the same rules were already stored.
        is_post_hoc: True if the rules differ from those of the first import.
        n_repeated: number of answers that an earlier import has.
        n_replaced: number of earlier imports that were deleted.
        renamed: model → its name in the store, if another model has its name there.
    """

    is_new: bool
    is_post_hoc: bool
    n_repeated: int = 0
    n_replaced: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)


def _import_rows(store: Store, clause: str = "TRUE", *values: int) -> list[Mapping[str, Any]]:
    """Load the imports for which an SQL condition holds, oldest first: column → value."""
    query = f"SELECT * FROM judgment_set WHERE {clause} ORDER BY judgment_set_id"
    names = ("summary", "files", "rules", "study")
    return [r | {name: json.loads(r[name]) for name in names} for r in store.rows(query, values)]


def _all_trials(store: Store, clause: str, *values: int) -> pl.DataFrame:
    """Load all trials of the imports for which an SQL condition holds, also those left out."""
    tables = ("judgment", "left_out")
    return pl.concat(_stored_trials(store, table, clause, *values) for table in tables)


def _imports_to_replace(store: Store, source: StoredImport) -> Iterator[Mapping[str, Any]]:
    """Yield the stored imports that a new import replaces: those with a file of the same content,
    or with one of its trials, even if the answer differs."""
    digests = {digest for _, digest in source.files}
    for row in _import_rows(store):
        trials = _all_trials(store, "judgment_set_id = ?", row["judgment_set_id"])
        is_shared = trials["trial_id"].is_in(source.imported.trials["trial_id"].implode()).any()
        if is_shared or digests & {digest for _, digest in row["files"]}:
            yield row


def _delete_import(store: Store, set_id: int, *, content_only: bool = False) -> None:
    """Delete an import from the store; with `content_only`, keep its row in `judgment_set`."""
    for table in (*CONTENT_TABLES, *([] if content_only else ["judgment_set"])):
        store.execute(f"DELETE FROM {table} WHERE judgment_set_id = ?", (set_id,))


def save_import(
    store: Store, source: StoredImport, *, suite_id: int, now: str, replace_earlier: bool = False
) -> StorageReport:
    """Add an import to the judgments of a suite. Call in a transaction.

    The same answers under the same rules change nothing; under other rules they replace what
    counted before. Trials that an earlier import of the suite has are not added again. With
    `replace_earlier`, imports with one of the files or trials are deleted first; if their rules
    were different, the new exclusions are post hoc. Raises `InputError` for a trial that is stored
    with another answer, and for answers that can't be counted with those of the suite (totals with
    single answers, people's with simulated ones).
    """
    replaced = [*_imports_to_replace(store, source)] if replace_earlier else []
    for row in replaced:
        _delete_import(store, row["judgment_set_id"])
    content = _content_digest(source, suite_id)
    query = "SELECT judgment_set_id, rules_digest, post_hoc FROM judgment_set WHERE content = ?"
    stored = store.one(query, (content,))
    if stored is not None:
        return _save_rules(store, source, stored)
    earlier = _import_rows(store, "suite_id = ?", suite_id)
    sort = _sort_of_answers(asdict(source.imported.summary), source.simulated)
    for row in earlier:
        other = _sort_of_answers(row["summary"], row["simulated"])
        if sort and other and sort != other:
            wrong = f"{sort}, and of this suite there are {other} ({row['name']})"
            right = "another --store, since the two cannot be counted together"
            raise InputError(source.name, wrong, right, kind="conflict")
    repeated = _repeated_trial_ids(store, suite_id, source)
    files = [list(file) for file in source.files]
    if repeated and len(repeated) == len(source.imported.trials):
        for row in earlier:
            if row["files"] == files:  # an earlier version computed another digest of them
                return _save_rules(store, source, row)
        return StorageReport(is_new=False, is_post_hoc=False, n_repeated=len(repeated))
    single = [e for e in earlier if _sort_of_answers(e["summary"], e["simulated"]) == SINGLE]
    digests = {row["rules_digest"] for row in (*replaced, *single[:1])}  # of `single` the oldest
    is_post_hoc = sort == SINGLE and bool(digests - {source.rules.digest})
    row = {
        "content": content,
        "name": source.name,
        "suite_id": suite_id,
        "simulated": int(source.simulated),
        "summary": json.dumps(asdict(source.imported.summary)),
        **_rule_columns(source),
        "post_hoc": int(is_post_hoc),
        "format": source.format_name,
        "files": json.dumps(files),
        "used": store.tick(),
        "created": now,
    }
    _insert_content(store, store.insert("judgment_set", row), source, repeated)
    return StorageReport(True, is_post_hoc, n_repeated=len(repeated), n_replaced=len(replaced))


def _content_digest(source: StoredImport, suite_id: int) -> str:
    """Return a digest of the answers to a suite, which does not depend on the file's place."""
    imported = source.imported
    trials = imported.trials.drop("origin").write_csv() if len(imported.trials) else []
    # Version 1 had reading times in place of the empty list; so old digests stay valid.
    material: tuple[object, ...] = suite_id, source.simulated, trials, [], imported.tallies
    return hashlib.sha256(repr(material).encode()).hexdigest()


def _rule_columns(source: StoredImport) -> dict[str, str]:
    """Return the columns of `judgment_set` about rules and study: column → value."""
    return {
        "rules": json.dumps(asdict(source.rules), sort_keys=True),
        "rules_digest": source.rules.digest,
        "study": json.dumps(dict(source.study), ensure_ascii=False, sort_keys=True),
    }


def _save_rules(store: Store, source: StoredImport, stored: Mapping[str, Any]) -> StorageReport:
    """Apply other rules of a new import to answers stored already, in the import `stored`."""
    if stored["rules_digest"] == source.rules.digest:
        return StorageReport(is_new=False, is_post_hoc=bool(stored["post_hoc"]))
    set_id = int(stored["judgment_set_id"])
    _delete_import(store, set_id, content_only=True)
    store.execute(
        "UPDATE judgment_set SET rules = ?, rules_digest = ?, study = ?, post_hoc = 1, "
        "used = ? WHERE judgment_set_id = ?",
        (*_rule_columns(source).values(), store.tick(), set_id),
    )
    _insert_content(store, set_id, source, set())
    return StorageReport(is_new=True, is_post_hoc=True)


def _sort_of_answers(summary: Mapping[str, Any], simulated: bool) -> str:
    """Return `totals` or `single answers`, perhaps with `simulated` before; "" without any."""
    sort = "totals" if summary["n_participants"] is None else SINGLE
    sort = f"simulated {sort}" if simulated else sort
    return sort if summary["n_judgments"] else ""


def _repeated_trial_ids(store: Store, suite_id: int, source: StoredImport) -> set[str]:
    """Return the ids of an import's trials that are stored already. Raises `InputError` if one of
    them is stored with another answer."""
    trials = source.imported.trials
    earlier = _all_trials(store, "suite_id = ? AND simulated = ?", suite_id, int(source.simulated))
    known = trials.join(earlier, on="trial_id", how="semi", maintain_order="left")
    content = [name for name in TRIALS if name != "origin"]
    changed = known.join(earlier, on=content, how="anti", nulls_equal=True, maintain_order="left")
    if len(changed):
        wrong = "an earlier import has this trial with another answer"
        right = "--replace if this one is right; else a session or trial_id tells them apart"
        raise InputError(changed["origin"][0], wrong, right, kind="conflict")
    return {*known["trial_id"]}


def _insert_content(
    store: Store, set_id: int, source: StoredImport, repeated: Collection[str]
) -> None:
    """Insert trials, tallies, exclusions and sessions of an import, without repeated trials."""
    is_new = ~pl.col("trial_id").is_in(list(repeated))
    kept, left_out = source.exclusions.kept.filter(is_new), source.left_out.filter(is_new)
    for table, trials in (("judgment", kept), ("left_out", left_out)):
        texts = trials.select(pl.struct(*TRIALS).struct.json_encode()).to_series()
        store.insert_many(table, ("judgment_set_id", "record"), ((set_id, text) for text in texts))

    def insert(table: str, records: Iterable[Any], **cells: Any) -> None:
        """Insert records as JSON, each with the same further cells (column → value)."""
        rows = (
            (set_id, *cells.values(), json.dumps(record, ensure_ascii=False)) for record in records
        )
        store.insert_many(table, ("judgment_set_id", *cells, "record"), rows)

    insert("tally", map(asdict, source.imported.tallies or tallies(kept, source.items)))
    insert("exclusion", map(asdict, source.exclusions.gone), undefined=0)
    insert("exclusion", map(asdict, source.exclusions.undefined), undefined=1)
    for session in source.imported.sessions.iter_rows(named=True):
        facts = {n.removeprefix(FACT): v for n, v in session.items() if n not in SESSIONS and v}
        record = {**{name: session[name] for name in SESSIONS}, "facts": facts}
        insert("participant", [record], participant=session["participant"])


def forget_judgments(what: str | Path = "", *, store: StoreLike = None) -> Result:
    """Delete one import of people's judgments from the store; without a name, list all imports.

    Args:
        what: name of an import, or a file, known by what it holds [default: list all imports].
        store: where the answers are.

    Returns:
        One row per import: those that are gone, or all there are.

    Raises:
        InputError: for a name that none has or several have.

    Commands:
        colorless humans forget
        colorless humans forget answers.csv

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text("item,correct_form,wrong_form\\ni1,are,is\\n")
    >>> _ = Path("answers.csv").write_text("participant,item,chosen\\nanna,i1,are\\n")
    >>> _ = cg.read_judgments("answers.csv", items="items.csv", store="people.db")
    >>> gone = cg.forget_judgments("answers.csv", store="people.db")
    >>> gone.to_frame().select("import", "suite", "answers").rows()
    [('answers.csv', 'items', 1)]
    """
    name = str(what)
    with open_store(store, existing=True) as opened, opened.transaction():
        rows = _import_rows(opened)
        if name:
            names = [row["name"] for row in rows]
            digest = sha256_file(Path(name)) if os.path.isfile(name) else ""
            rows = [r for r in rows if name == r["name"] or digest in {d for _, d in r["files"]}]
            if len(rows) != 1:
                wrong = f"{len(rows)} imports have this name" if rows else "no such import"
                kind: ErrorKind = "conflict" if rows else "unknown"
                raise InputError(name, wrong, nearest(name, names), kind=kind)
            _delete_import(opened, rows[0]["judgment_set_id"])
        suites = dict(opened.connection.execute("SELECT suite_id, name FROM suite"))
    listing = [
        {
            "import": row["name"],
            "suite": suites.get(row["suite_id"], ""),
            "format": row["format"],
            "answers": row["summary"]["n_judgments"],
            "created": row["created"],
        }
        for row in rows
    ]
    messages = [f"forgotten: {name}"] if name else []
    return Result(listing, LISTING_COLUMNS, messages, found=bool(listing))


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """The facts about one import of answers that a report has to tell.

    Attributes:
        name: the names of its files.
        format: the format of its files.
        files: (name, SHA-256) of each file.
        summary: the counts of `ImportSummary`.
        rules: the fields of `Rules`.
        rules_digest: the SHA-256 of the rules.
        is_post_hoc: True if the rules differ from those of the suite's first import.
        is_simulated: True if a program made the answers.
        study: the facts in the study file; empty without a file.
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
    """People's answers to one suite, from all imports, and what the rules left out.

    Attributes:
        imports: the imports that the answers are from.
        tallies: number of right answers and of all answers for each item, added up over imports.
        trials: trials of every kind that count; empty if only totals are known.
        trials_left_out: trials that a rule left out.
        gone: a record for each person, session, trial or item that a rule left out.
        undefined: a record for each person in whom a rule had nothing to measure.
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
        """True if a program made some of the answers."""
        return any(imported.is_simulated for imported in self.imports)


def answers_of(store: Store, suite_id: int, items: Collection[str] | None = None) -> SuiteAnswers:
    """Read all answers of people to one suite from a store.

    Args:
        store: an open store.
        suite_id: the suite's number in the store.
        items: ids of items; answers to other target items are not read. None: all items.

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
    is_wanted = pl.lit(True)
    if items is not None:
        is_wanted = (pl.col("kind") != "target") | pl.col("item").is_in(list(items))
    kept, left_out = (
        _stored_trials(store, table, "suite_id = ?", suite_id).filter(is_wanted)
        for table in ("judgment", "left_out")
    )
    gone, undefined = (
        tuple(_records(store, suite_id, "exclusion", ExclusionRecord, f"AND undefined = {flag}"))
        for flag in (0, 1)
    )
    return SuiteAnswers(
        imports=tuple(_import_facts(store, suite_id)),
        tallies=tuple(t for name, t in pooled.items() if items is None or name in items),
        trials=kept,
        trials_left_out=left_out,
        gone=gone,
        undefined=undefined,
        sessions=_session_frame(_records(store, suite_id, "participant", dict[str, Any])),
    )


def _record_texts(store: Store, table: str, clause: str, *values: int) -> list[str]:
    """Load the JSON texts in a table, of the imports for which an SQL condition holds."""
    query = (
        f"SELECT {table}.record FROM {table} JOIN judgment_set USING (judgment_set_id) "
        f"WHERE {clause} ORDER BY {table}.rowid"
    )
    return [text for (text,) in store.connection.execute(query, values)]


def _records(
    store: Store, suite_id: int, table: str, record: Callable[..., Record], condition: str = ""
) -> list[Record]:
    """Load the records in a table for a suite, as objects that `record` makes of their fields."""
    texts = _record_texts(store, table, f"suite_id = ? {condition}", suite_id)
    with store.decoding():
        return [record(**fields) for fields in json.loads(f"[{','.join(texts)}]")]


def _session_frame(records: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Make a frame of sessions from stored records, with a column for each fact about people."""
    rows = [{**row, **{FACT + n: text for n, text in row["facts"].items()}} for row in records]
    facts = dict.fromkeys(name for row in rows for name in row if name.startswith(FACT))
    return frame(rows, {**SESSIONS, **dict.fromkeys(facts, str)})


def _stored_trials(store: Store, table: str, clause: str, *values: int) -> pl.DataFrame:
    """Load the trials in a table of the imports for which an SQL condition holds."""
    texts = _record_texts(store, table, clause, *values)
    with store.decoding():
        records = pl.Series(texts, dtype=pl.String).str.json_decode(pl.Struct(pl.Schema(TRIALS)))
        return records.struct.unnest().with_columns(pl.selectors.string().fill_null(""))


def sessions_left_out(answers: SuiteAnswers, rule: str) -> set[tuple[str, str]]:
    """Return the sessions that a rule about people or sessions left out: (participant, session)."""
    sessions = {(gone.participant, gone.session) for gone in answers.gone if gone.rule == rule}
    trials = answers.trials_left_out.filter(is_of_sessions(sessions))
    return {*trials.select("participant", "session").iter_rows()}


def trials_recorded(answers: SuiteAnswers) -> pl.DataFrame:
    """Return people's trials, also those left out, each once; test runs are dropped."""
    trials = pl.concat([answers.trials, answers.trials_left_out])
    is_first = (pl.col("trial_id") == "") | pl.col("trial_id").is_first_distinct()
    return trials.filter(is_first & ~is_of_sessions(sessions_left_out(answers, "test_run")))


def why_unjudged(answers: SuiteAnswers) -> str:
    """Return a text that says why no choices of people count; "" if nothing was imported."""

    def count_people(trials: pl.DataFrame) -> str:
        return counted(trials["participant"].n_unique(), "person")

    ratings = answers.trials.filter(IS_RATING, kind="target")
    if len(ratings):
        return (
            f"{count_people(ratings)} rated sentences ({len(ratings):,} ratings count), and no"
            " choice between a right and a wrong form counts"
        )
    trials = pl.concat([answers.trials, answers.trials_left_out])
    if "target" in trials["kind"]:
        return f"of {count_people(trials)} asked, no answer to a target sentence counts"
    return "nothing of what was imported counts" if answers.imports else ""


def _import_facts(store: Store, suite_id: int) -> Iterator[ImportedSet]:
    """Yield a record of facts about each import of people's answers to a suite."""
    as_stored = ("name", "format", "summary", "rules", "rules_digest", "study")
    for row in _import_rows(store, "suite_id = ?", suite_id):
        yield ImportedSet(
            **{name: row[name] for name in as_stored},
            files=tuple(map(tuple, row["files"])),
            is_post_hoc=bool(row["post_hoc"]),
            is_simulated=bool(row["simulated"]),
        )
