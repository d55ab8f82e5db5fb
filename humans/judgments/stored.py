"""Imports of people's answers in the store: what files held goes in, is replaced, is forgotten."""

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ...data.errors import ErrorKind, InputError
from ...data.files import sha256_file
from ...data.items.item import Item
from ...data.registry import nearest
from ...data.result import Result
from ...data.store import Store, StoreLike, open_store
from .answers import stored_trials
from .imported import Imported
from .judgment import FACT, SESSIONS, TRIALS, tallies
from .rules import Exclusions, Rules

FORGOTTEN = ("import", "suite", "format", "answers", "created")
SINGLE = "single answers"
CHILDREN = ("judgment", "tally", "left_out", "exclusion", "reading", "participant")
"""Tables of what an import holds; `reading` is filled in stores of version 1 alone, and its rows go
with their import."""


@dataclass(frozen=True, slots=True)
class StoredImport:
    """An import as it is stored.

    Attributes:
        imported: all that the files held.
        exclusions: the answers that count, those that do not, and why.
        items: item id → item, of all that the answers are about.
        rules: the rules of exclusion.
        name: of the files.
        format_name: of the files.
        files: (name, SHA-256) of each file.
        study: what the study file says.
        simulated: whether a program made the answers.
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
        """Return the trials that do not count."""
        return self.imported.trials.join(
            self.exclusions.kept, on="trial_id", how="anti", maintain_order="left"
        )


@dataclass(frozen=True, slots=True)
class StorageReport:
    """The changes that storing an import made.

    Attributes:
        is_new: false where the same answers under the same rules were there already.
        is_post_hoc: whether the rules are not those of the first import.
        n_repeated: answers that an earlier import had, also all of them.
        n_replaced: earlier imports that were taken out for it.
        renamed: name → name in the store, of models whose name another model has there.
    """

    is_new: bool
    is_post_hoc: bool
    n_repeated: int = 0
    n_replaced: int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)


def _stored_imports(
    store: Store, clause: str = "TRUE", *values: int | str
) -> list[Mapping[str, Any]]:
    """Return the rows of imports, in the order in which they came."""
    query = f"SELECT * FROM judgment_set WHERE {clause} ORDER BY judgment_set_id"
    rows = store.rows(query, values)
    return [row | {name: json.loads(row[name]) for name in ("summary", "files")} for row in rows]


def _trials(store: Store, clause: str, *values: int) -> pl.DataFrame:
    """Return the single answers of some imports, whether they count or not."""
    tables = ("judgment", "left_out")
    return pl.concat(stored_trials(store, table, clause, *values) for table in tables)


def _earlier(store: Store, source: StoredImport) -> Iterator[Mapping[str, Any]]:
    """Yield the earlier imports that another one of the same answers is to replace: whichever
    read a file with the same content, or has one of the trials, be it as another answer."""
    digests = {digest for _, digest in source.files}
    for row in _stored_imports(store):
        trials = _trials(store, "judgment_set_id = ?", row["judgment_set_id"])
        is_shared = trials["trial_id"].is_in(source.imported.trials["trial_id"].implode()).any()
        if is_shared or digests & {digest for _, digest in row["files"]}:
            yield row


def _remove(store: Store, set_id: int, *, content_only: bool = False) -> None:
    """Take an import, or all that was made of it, out of the store."""
    for table in (*CHILDREN, *([] if content_only else ["judgment_set"])):
        store.execute(f"DELETE FROM {table} WHERE judgment_set_id = ?", (set_id,))


def save_import(
    store: Store, source: StoredImport, *, suite_id: int, now: str, replace_earlier: bool = False
) -> StorageReport:
    """Add an import to a suite's judgments; the same again changes nothing.

    With `replace_earlier` those go first that read one of the files, or have one of the trials;
    where their rules were others, these exclusions are post hoc.

    The same answers under other rules replace what counted before. Answers that an earlier import
    of the suite had (same trial, same content) are not added again. Raises `InputError` for a trial
    that an earlier import had with another content, and for answers of another sort than the
    suite's: totals and single answers, or people's and simulated ones, have no statistics in
    common. Call in a transaction.
    """
    replaced = [*_earlier(store, source)] if replace_earlier else []
    for row in replaced:
        _remove(store, row["judgment_set_id"])
    content = _content(source, suite_id)
    stored = store.one(
        "SELECT judgment_set_id, rules_digest, post_hoc FROM judgment_set WHERE content = ?",
        (content,),
    )
    if stored is not None:
        return _save_rules(store, source, stored)
    earlier = _stored_imports(store, "suite_id = ?", suite_id)
    sort = _sort(asdict(source.imported.summary), source.simulated)
    for row in earlier:
        other = _sort(row["summary"], row["simulated"])
        if sort and other and sort != other:
            wrong = f"{sort}, and of this suite there are {other} ({row['name']})"
            right = "another --store, since the two cannot be counted together"
            raise InputError(source.name, wrong, right, kind="conflict")
    repeated = _repeated(store, suite_id, source)
    files = [list(file) for file in source.files]
    if repeated and len(repeated) == len(source.imported.trials):
        for row in earlier:
            if row["files"] == files:  # stored by an earlier version, with another digest
                return _save_rules(store, source, row)
        return StorageReport(is_new=False, is_post_hoc=False, n_repeated=len(repeated))
    same = [row for row in earlier if _sort(row["summary"], row["simulated"]) == SINGLE]
    digests = {row["rules_digest"] for row in (*replaced, *same[:1])}
    post_hoc = sort == SINGLE and bool(digests - {source.rules.digest})
    row = {
        "content": content,
        "name": source.name,
        "suite_id": suite_id,
        "simulated": int(source.simulated),
        "summary": json.dumps(asdict(source.imported.summary)),
        **_rule_columns(source),
        "post_hoc": int(post_hoc),
        "format": source.format_name,
        "files": json.dumps(files),
        "used": store.tick(),
        "created": now,
    }
    _insert_parts(store, store.insert("judgment_set", row), source, repeated)
    return StorageReport(True, post_hoc, n_repeated=len(repeated), n_replaced=len(replaced))


def _content(source: StoredImport, suite_id: int) -> str:
    """Return the digest by which the same answers are known, wherever their file is."""
    imported = source.imported
    trials = imported.trials.drop("origin").write_csv() if len(imported.trials) else []
    # The empty list is where version 1 had reading times: the same totals keep their digest.
    material: tuple[object, ...] = suite_id, source.simulated, trials, [], imported.tallies
    return hashlib.sha256(repr(material).encode()).hexdigest()


def _rule_columns(source: StoredImport) -> dict[str, str]:
    return {
        "rules": json.dumps(asdict(source.rules), sort_keys=True),
        "rules_digest": source.rules.digest,
        "study": json.dumps(dict(source.study), ensure_ascii=False, sort_keys=True),
    }


def _save_rules(store: Store, source: StoredImport, stored: Mapping[str, Any]) -> StorageReport:
    """Store the same answers under the rules of a later import, where these are others."""
    if stored["rules_digest"] == source.rules.digest:
        return StorageReport(is_new=False, is_post_hoc=bool(stored["post_hoc"]))
    set_id = int(stored["judgment_set_id"])
    _remove(store, set_id, content_only=True)
    store.execute(
        "UPDATE judgment_set SET rules = ?, rules_digest = ?, study = ?, post_hoc = 1, "
        "used = ? WHERE judgment_set_id = ?",
        (*_rule_columns(source).values(), store.tick(), set_id),
    )
    _insert_parts(store, set_id, source, set())
    return StorageReport(is_new=True, is_post_hoc=True)


def _sort(summary: Mapping[str, Any], simulated: bool) -> str:
    """Return what the answers of an import are to statistics; "" where there are none."""
    sort = "totals" if summary["n_participants"] is None else SINGLE
    return f"{'simulated ' if simulated else ''}{sort}" if summary["n_judgments"] else ""


def _repeated(store: Store, suite_id: int, source: StoredImport) -> set[str]:
    """Return the trial_ids that earlier imports of the same sort had with the same content."""
    trials = source.imported.trials
    earlier = _trials(store, "suite_id = ? AND simulated = ?", suite_id, int(source.simulated))
    again = trials.join(earlier, on="trial_id", how="semi", maintain_order="left")
    content = [name for name in TRIALS if name != "origin"]
    changed = again.join(earlier, on=content, how="anti", nulls_equal=True, maintain_order="left")
    if len(changed):
        wrong = "an earlier import has this trial with another answer"
        right = "--replace if this one is right; else a session or trial_id tells them apart"
        raise InputError(changed["origin"][0], wrong, right, kind="conflict")
    return {*again["trial_id"]}


def _insert_parts(
    store: Store, set_id: int, source: StoredImport, repeated: Collection[str]
) -> None:
    is_new = ~pl.col("trial_id").is_in(list(repeated))
    counted, left_out = (e.filter(is_new) for e in (source.exclusions.kept, source.left_out))
    for table, trials in (("judgment", counted), ("left_out", left_out)):
        texts = trials.select(pl.struct(*TRIALS).struct.json_encode()).to_series()
        store.insert_many(table, ("judgment_set_id", "record"), ((set_id, text) for text in texts))

    def insert(table: str, records: Iterable[Any], **also: Any) -> None:
        rows = (
            (set_id, *also.values(), json.dumps(record, ensure_ascii=False)) for record in records
        )
        store.insert_many(table, ("judgment_set_id", *also, "record"), rows)

    insert("tally", map(asdict, source.imported.tallies or tallies(counted, source.items)))
    insert("exclusion", map(asdict, source.exclusions.gone), undefined=0)
    insert("exclusion", map(asdict, source.exclusions.undefined), undefined=1)
    for visit in source.imported.sessions.iter_rows(named=True):
        facts = {
            n.removeprefix(FACT): fact for n, fact in visit.items() if n not in SESSIONS and fact
        }
        record = {**{name: visit[name] for name in SESSIONS}, "facts": facts}
        insert("participant", [record], participant=visit["participant"])


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
    with open_store(store, existing=True) as keeper, keeper.transaction():
        rows = _stored_imports(keeper)
        if what:
            names = [row["name"] for row in rows]
            digest = sha256_file(Path(what)) if os.path.isfile(what) else ""
            rows = [
                row
                for row in rows
                if row["name"] == str(what) or digest in [sha for _, sha in row["files"]]
            ]
            if len(rows) != 1:
                wrong = f"{len(rows)} imports have this name" if rows else "no such import"
                kind: ErrorKind = "conflict" if rows else "unknown"
                raise InputError(str(what), wrong, nearest(str(what), names), kind=kind)
            _remove(keeper, rows[0]["judgment_set_id"])
        suites = dict(keeper.connection.execute("SELECT suite_id, name FROM suite"))
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
    messages = [f"forgotten: {what}"] if what else []
    return Result(listing, FORGOTTEN, messages, found=bool(listing))
