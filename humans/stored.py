"""Answers of people in the store: what counts, what rules left out, why, and from which file.

`save_import` puts in what files held, `answers_of` and `evidence_of` give it back, for analysis and
report alike.
"""

import hashlib
import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import sha256_file
from colorless_green.data.registry import nearest
from colorless_green.data.result import Result
from colorless_green.data.store import Store, Where, open_store
from colorless_green.humans.collection.gathered import SuiteResults
from colorless_green.humans.exclusion import Excluded, Exclusions, Rules, counted_readings
from colorless_green.humans.imported import Imported
from colorless_green.humans.judgment import Judgment, Reading, Session, Tally
from colorless_green.humans.measures.measure import Evidence
from colorless_green.humans.measures.ratings import rates
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item

RATING = "rating"  # a task
FORGOTTEN = ("import", "suite", "format", "answers", "created")
CHILDREN = ("judgment", "tally", "left_out", "exclusion", "reading", "participant")


@dataclass(frozen=True, slots=True)
class Import:
    """An import as it is to be stored."""

    imported: Imported  # all of it
    exclusions: Exclusions
    items: Mapping[str, Item]  # what the answers are about
    rules: Rules
    name: str  # of the files, for people
    format_name: str
    files: Sequence[tuple[str, str]]  # name, SHA-256
    study: Mapping[str, Any] = field(default_factory=dict)  # what its file says, for a reader
    simulated: bool = False

    @property
    def left_out(self) -> tuple[Judgment, ...]:
        """The trials that do not count."""
        stays = {each.trial_id for each in self.exclusions.kept}
        return tuple(each for each in self.imported.judgments if each.trial_id not in stays)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The words read that count."""
        told = self.imported
        return counted_readings(told.readings, self.exclusions, self.rules, told.sessions)


@dataclass(frozen=True, slots=True)
class Stored:
    """How storing went."""

    is_new: bool  # false: the same answers under the same rules were there
    is_post_hoc: bool  # the rules are not those of the first import
    n_known: int = 0  # answers that an earlier import had
    n_replaced: int = 0  # imports that went for it


def replaced_by(store: Store, found: Import) -> list[Mapping[str, Any]]:
    """The earlier imports that another one of the same answers is to replace: whichever read a file
    with the same content, or has one of the trials, be it as another answer."""
    own = {each.trial_id for each in found.imported.judgments}
    digests = {digest for _, digest in found.files}
    result = []
    for row in stored_imports(store):
        before = {digest for _, digest in json.loads(row["files"])}
        trials = (
            json.loads(each["record"])["trial_id"]
            for table in ("judgment", "left_out")
            for each in store.rows(
                f"SELECT record FROM {table} WHERE judgment_set_id = ?", (row["judgment_set_id"],)
            )
        )
        if before & digests or any(trial in own for trial in trials):
            result.append(row)
    return result


def stored_imports(store: Store) -> list[Mapping[str, Any]]:
    """The rows of all imports, in the order in which they came."""
    return list(store.rows("SELECT * FROM judgment_set ORDER BY judgment_set_id"))


def remove_import(store: Store, set_id: int) -> None:
    """Takes an import out of the store, with all that was made of it. Call in a transaction."""
    for table in CHILDREN:
        store.execute(f"DELETE FROM {table} WHERE judgment_set_id = ?", (set_id,))
    store.execute("DELETE FROM judgment_set WHERE judgment_set_id = ?", (set_id,))


def save_import(
    store: Store, found: Import, *, suite_id: int, now: str, replace_earlier: bool = False
) -> Stored:
    """Adds an import to a suite's judgments; the same again changes nothing.

    With `replace_earlier` those that `replaced_by` finds go first; where their rules were others,
    these exclusions are post hoc.

    The same answers under other rules replace what counted before. Answers that an earlier import
    of the suite had (same trial, same content) are not added again. Raises `InputError` for a trial
    that an earlier import had with another content, and for answers of another sort than the
    suite's: totals and single answers, or people's and simulated ones, have no statistics in
    common. Call in a transaction.
    """
    gone = replaced_by(store, found) if replace_earlier else []
    for row in gone:
        remove_import(store, row["judgment_set_id"])
    told = found.imported
    without_origin = (
        [replace(each, origin="") for each in records]
        for records in (told.judgments, told.readings)
    )
    material = (suite_id, found.simulated, *without_origin, told.tallies)
    content = hashlib.sha256(repr(material).encode()).hexdigest()  # wherever the file lies
    digest = found.rules.digest
    stated = {
        "rules": json.dumps(asdict(found.rules), sort_keys=True),
        "rules_digest": digest,
        "study": json.dumps(dict(found.study), ensure_ascii=False, sort_keys=True),
    }
    known = store.one(
        "SELECT judgment_set_id, rules_digest, post_hoc FROM judgment_set WHERE content = ?",
        (content,),
    )
    if known is not None and known["rules_digest"] == digest:
        return Stored(is_new=False, is_post_hoc=bool(known["post_hoc"]))
    if known is not None:
        set_id = int(known["judgment_set_id"])
        for table in CHILDREN:
            store.execute(f"DELETE FROM {table} WHERE judgment_set_id = ?", (set_id,))
        store.execute(
            "UPDATE judgment_set SET rules = ?, rules_digest = ?, study = ?, post_hoc = 1, "
            "used = ? WHERE judgment_set_id = ?",
            (*stated.values(), store.tick(), set_id),
        )
        _insert_parts(store, set_id, found, frozenset())
        return Stored(is_new=True, is_post_hoc=True)
    _demand_same_sort(store, suite_id, found)
    repeated = _repeated(told.judgments, _trials_before(store, suite_id, found.simulated))
    if repeated and len(repeated) == len(told.judgments) and not told.readings:
        return Stored(is_new=False, is_post_hoc=False, n_known=len(repeated))
    first = store.one(  # import of single answers of people
        "SELECT rules_digest FROM judgment_set WHERE suite_id = ? AND simulated = 0 "
        "AND judgment_set_id IN (SELECT judgment_set_id FROM judgment UNION "
        "SELECT judgment_set_id FROM left_out) ORDER BY judgment_set_id LIMIT 1",
        (suite_id,),
    )
    is_single = bool(told.judgments) and not found.simulated
    stated_first = [*gone, first] if first is not None else gone
    post_hoc = is_single and any(row["rules_digest"] != digest for row in stated_first)
    set_id = store.insert(
        "judgment_set",
        {
            "content": content,
            "name": found.name,
            "suite_id": suite_id,
            "simulated": int(found.simulated),
            "summary": json.dumps(asdict(told.summary)),
            **stated,
            "post_hoc": int(post_hoc),
            "format": found.format_name,
            "files": json.dumps(list(found.files)),
            "used": store.tick(),
            "created": now,
        },
    )
    _insert_parts(store, set_id, found, repeated)
    return Stored(True, post_hoc, n_known=len(repeated), n_replaced=len(gone))


def _demand_same_sort(store: Store, suite_id: int, found: Import) -> None:
    def sort(simulated: bool, single: bool, n_answers: int) -> str:
        """What answers are to statistics; "" where there are none."""
        if not (single or n_answers):
            return ""
        return f"{'simulated ' if simulated else ''}{'single answers' if single else 'totals'}"

    told = found.imported
    new = sort(found.simulated, bool(told.judgments), told.summary.n_judgments)
    for row in store.rows(
        "SELECT name, simulated, summary, EXISTS (SELECT 1 FROM judgment WHERE "
        "judgment.judgment_set_id = judgment_set.judgment_set_id UNION ALL SELECT 1 FROM left_out "
        "WHERE left_out.judgment_set_id = judgment_set.judgment_set_id) AS single "
        "FROM judgment_set WHERE suite_id = ? ORDER BY judgment_set_id",
        (suite_id,),
    ):
        n_answers = json.loads(row["summary"])["n_judgments"]
        old = sort(bool(row["simulated"]), bool(row["single"]), n_answers)
        if old and new and old != new:
            wrong = f"{new}, and of this suite there are {old} ({row['name']})"
            right = "another --store, since the two cannot be counted together"
            raise InputError(found.name, wrong, right, kind="conflict")


def _trials_before(store: Store, suite_id: int, simulated: bool) -> dict[str, Judgment]:
    """Trials of earlier imports of the same sort, by trial_id, without their origin."""
    found: dict[str, Judgment] = {}
    for table in ("judgment", "left_out"):
        for row in store.rows(
            f"SELECT record FROM {table} JOIN judgment_set USING (judgment_set_id) "
            "WHERE suite_id = ? AND simulated = ?",
            (suite_id, int(simulated)),
        ):
            judgment = Judgment(**json.loads(row["record"]))
            found[judgment.trial_id] = replace(judgment, origin="")
    return found


def _repeated(judgments: Sequence[Judgment], before: Mapping[str, Judgment]) -> frozenset[str]:
    """The trial_ids that came before with the same content."""
    found = set()
    for each in judgments:
        earlier = before.get(each.trial_id)
        if earlier is None:
            continue
        if earlier != replace(each, origin=""):
            raise InputError(
                each.origin,
                "an earlier import has this trial with another answer",
                "--replace if this one is right; else a session or trial_id that tells them apart",
                kind="conflict",
            )
        found.add(each.trial_id)
    return frozenset(found)


def _insert_parts(store: Store, set_id: int, found: Import, known: frozenset[str]) -> None:
    def text(record: Any) -> str:
        return json.dumps(asdict(record), ensure_ascii=False)

    kept = [each for each in found.exclusions.kept if each.trial_id not in known]
    records: Mapping[str, Sequence[Any]] = {
        "judgment": kept,
        "left_out": [each for each in found.left_out if each.trial_id not in known],
        "tally": found.imported.tallies or tallies(kept, found.items),
        "reading": found.readings,
    }
    for table, own in records.items():
        rows: Iterator[tuple[Any, ...]] = ((set_id, text(each)) for each in own)
        store.insert_many(table, ("judgment_set_id", "record"), rows)
    parts = enumerate((found.exclusions.gone, found.exclusions.undefined))
    rows = ((set_id, undefined, text(each)) for undefined, part in parts for each in part)
    store.insert_many("exclusion", ("judgment_set_id", "undefined", "record"), rows)
    sessions = found.imported.sessions
    rows = ((set_id, each.participant, text(each)) for each in sessions)
    store.insert_many("participant", ("judgment_set_id", "participant", "record"), rows)


def forget_judgments(what: str | Path = "", *, store: Where = None) -> Result:
    """Deletes one import of people's judgments from a store; without a name, lists all imports.

    Args:
        what: the import's name, as the table of imports has it; or a file, which is known by what
            it holds, wherever it lies.
        store: where the answers are.

    Returns:
        One row per import: those that are gone, or all there are.

    Raises:
        InputError: for a name that none has or several have.

    >>> import colorless_green as cg
    >>> cg.forget_judgments("answers.csv", store="colorless.db")  # doctest: +SKIP
    import       suite  format   answers  created
    answers.csv  items  generic        3  2026-03-01T10:00:00+00:00
    """
    with open_store(store, existing=True) as keeper, keeper.transaction():
        every = stored_imports(keeper)
        digest = sha256_file(Path(what)) if what and os.path.isfile(what) else ""
        own = [
            row
            for row in every
            if row["name"] == str(what) or digest in [each for _, each in json.loads(row["files"])]
        ]
        if what and len(own) != 1:
            wrong = f"{len(own)} imports have this name" if own else "no such import"
            right = nearest(str(what), (row["name"] for row in every))
            raise InputError(str(what), wrong, right, kind="unknown" if not own else "conflict")
        rows = []
        for row in own if what else every:
            suite = keeper.one("SELECT name FROM suite WHERE suite_id = ?", (row["suite_id"],))
            rows.append(
                {
                    "import": row["name"],
                    "suite": suite["name"] if suite else "",
                    "format": row["format"],
                    "answers": json.loads(row["summary"])["n_judgments"],
                    "created": row["created"],
                }
            )
            if what:
                remove_import(keeper, row["judgment_set_id"])
    said = [f"forgotten: {what}"] if what else []
    return Result(rows, FORGOTTEN, said, found=bool(rows))


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
    items = {item.item_id: item for item in results.suite.items}
    return Evidence(
        suite=results.suite.name,
        items=items,
        tallies=results.judged.tallies,
        judgments=_about(results.judged.answers, items),
        outcomes=results.outcomes(),
        scale=rating_scale(tuple(_imports(store, results.suite_id))),
    )


def answers_of(
    store: Store,
    suite_id: int,
    items: Container[str] | None = None,
    counted: tuple[Judgment, ...] | None = None,
) -> Answers:
    """All imports of a suite and their single answers; of the targets those about `items`. Those
    that count are read unless they are given."""
    exclusions = list(
        _rows(store, suite_id, "exclusion", "exclusion.record, exclusion.undefined AS undefined")
    )
    gone, undefined = (
        tuple(Excluded(**json.loads(row["record"])) for row in exclusions if row["undefined"] == n)
        for n in (0, 1)
    )
    return Answers(
        imports=tuple(_imports(store, suite_id)),
        counted=_about(_records(store, suite_id, "judgment", Judgment), items)
        if counted is None
        else counted,
        left_out=_about(_records(store, suite_id, "left_out", Judgment), items),
        gone=gone,
        undefined=undefined,
        sessions=tuple(_records(store, suite_id, "participant", Session)),
        readings=_about(_records(store, suite_id, "reading", Reading), items),
    )


def _about(records: Iterable[Any], items: Container[str] | None) -> tuple[Any, ...]:
    """Without targets that are none of these items."""
    return tuple(
        each for each in records if items is None or each.kind != "target" or each.item in items
    )


def everybody(answers: Answers, items: Mapping[str, Item]) -> tuple[Tally, ...]:
    """The tallies as they were without any rule of exclusion: of everybody's trials, each once."""
    return tallies(recorded(answers), items)


def session_of(trial: Judgment | Reading) -> tuple[str, str]:
    """Who, and in which visit."""
    return trial.participant, trial.session


def left_by(answers: Answers, rule: str) -> set[tuple[str, str]]:
    """The sessions that a rule about people or sessions left out."""
    marked = {(each.participant, each.session) for each in answers.gone if each.rule == rule}
    return {
        session_of(each)
        for each in answers.left_out
        if not marked.isdisjoint({session_of(each), (each.participant, "")})
    }


def recorded(answers: Answers) -> Iterator[Judgment]:
    """The trials of everybody, whether they count or not, each once: what was sent twice has one
    trial_id. Trials without one are all there; those of the researchers' own runs are not."""
    seen: set[str] = set()
    tests = left_by(answers, "test_run")
    for each in (*answers.counted, *answers.left_out):
        if each.trial_id not in seen and session_of(each) not in tests:
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
    records = [row["record"] for row in _rows(store, suite_id, table, f"{table}.record")]
    return (record(**each) for each in json.loads(f"[{','.join(records)}]"))


def _rows(store: Store, suite_id: int, table: str, columns: str) -> Sequence[Mapping[str, Any]]:
    return list(
        store.rows(
            f"SELECT {columns} FROM {table} JOIN judgment_set USING (judgment_set_id) "
            f"WHERE suite_id = ? ORDER BY {table}.rowid",
            (suite_id,),
        )
    )
