"""What was imported, in the store: what counts, what rules left out, why, and from which file."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.store import Store
from colorless_green.humans.exclusion import Exclusions, Rules, counted_readings
from colorless_green.humans.imported import Imported
from colorless_green.humans.judgment import Judgment, Reading
from colorless_green.humans.tally import tallies
from colorless_green.nonce.item import Item

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


def save_import(store: Store, found: Import, *, suite_id: int, now: str) -> Stored:
    """Adds an import to a suite's judgments; the same again changes nothing.

    The same answers under other rules replace what counted before. Answers that an earlier import
    of the suite had (same trial, same content) are not added again. Raises `InputError` for a trial
    that an earlier import had with another content, and for answers of another sort than the
    suite's: totals and single answers, or people's and simulated ones, have no statistics in
    common. Call in a transaction.
    """
    content = _content(suite_id, found)
    digest = found.rules.digest
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
            (_rules(found), digest, _study(found), store.tick(), set_id),
        )
        _insert_parts(store, set_id, found, frozenset())
        return Stored(is_new=True, is_post_hoc=True)
    _demand_same_sort(store, suite_id, found)
    before = _trials_before(store, suite_id, found.simulated)
    repeated = _repeated(found.imported.judgments, before)
    if repeated and len(repeated) == len(found.imported.judgments) and not found.imported.readings:
        return Stored(is_new=False, is_post_hoc=False, n_known=len(repeated))
    first = _first_digest(store, suite_id) if found.imported.judgments else ""
    post_hoc = bool(first) and first != digest and not found.simulated
    set_id = _insert_set(store, found, content, suite_id, post_hoc, now)
    _insert_parts(store, set_id, found, repeated)
    return Stored(is_new=True, is_post_hoc=post_hoc, n_known=len(repeated))


def _demand_same_sort(store: Store, suite_id: int, found: Import) -> None:
    new = _sort(found.simulated, bool(found.imported.judgments), found.imported.summary.n_judgments)
    for row in store.rows(
        "SELECT name, simulated, summary, EXISTS (SELECT 1 FROM judgment WHERE "
        "judgment.judgment_set_id = judgment_set.judgment_set_id UNION ALL SELECT 1 FROM left_out "
        "WHERE left_out.judgment_set_id = judgment_set.judgment_set_id) AS single "
        "FROM judgment_set WHERE suite_id = ? ORDER BY judgment_set_id",
        (suite_id,),
    ):
        n_answers = json.loads(row["summary"])["n_judgments"]
        old = _sort(bool(row["simulated"]), bool(row["single"]), n_answers)
        if old and new and old != new:
            raise InputError(
                found.name,
                f"{new}, and of this suite there are {old} ({row['name']})",
                "another --store, since the two cannot be counted together",
                kind="conflict",
            )


def _sort(simulated: bool, single: bool, n_answers: int) -> str:
    """What answers are to statistics; "" where there are none."""
    if not (single or n_answers):
        return ""
    return f"{'simulated ' if simulated else ''}{'single answers' if single else 'totals'}"


def _content(suite_id: int, found: Import) -> str:
    """A hash of the answers, wherever their file lies."""
    judgments = [replace(each, origin="") for each in found.imported.judgments]
    readings = [replace(each, origin="") for each in found.imported.readings]
    material = (suite_id, found.simulated, judgments, readings, found.imported.tallies)
    return hashlib.sha256(repr(material).encode()).hexdigest()


def _rules(found: Import) -> str:
    return json.dumps(asdict(found.rules), sort_keys=True)


def _study(found: Import) -> str:
    return json.dumps(dict(found.study), ensure_ascii=False, sort_keys=True)


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
                "a session or trial_id that tells the two apart, or --platform for other people",
                kind="conflict",
            )
        found.add(each.trial_id)
    return frozenset(found)


def _first_digest(store: Store, suite_id: int) -> str:
    """The rules of the first import of single answers of people; "" without one."""
    row = store.one(
        "SELECT rules_digest FROM judgment_set WHERE suite_id = ? AND simulated = 0 "
        "AND judgment_set_id IN (SELECT judgment_set_id FROM judgment UNION "
        "SELECT judgment_set_id FROM left_out) ORDER BY judgment_set_id LIMIT 1",
        (suite_id,),
    )
    return str(row["rules_digest"]) if row else ""


def _insert_set(
    store: Store, found: Import, content: str, suite_id: int, post_hoc: bool, now: str
) -> int:
    return store.insert(
        "judgment_set",
        {
            "content": content,
            "name": found.name,
            "suite_id": suite_id,
            "simulated": int(found.simulated),
            "summary": json.dumps(asdict(found.imported.summary)),
            "rules": _rules(found),
            "rules_digest": found.rules.digest,
            "study": _study(found),
            "post_hoc": int(post_hoc),
            "format": found.format_name,
            "files": json.dumps(list(found.files)),
            "used": store.tick(),
            "created": now,
        },
    )


def _insert_parts(store: Store, set_id: int, found: Import, known: frozenset[str]) -> None:
    kept = [each for each in found.exclusions.kept if each.trial_id not in known]
    stays = {each.trial_id for each in found.exclusions.kept}
    gone = [
        each
        for each in found.imported.judgments
        if each.trial_id not in stays and each.trial_id not in known
    ]
    for table, records in (
        ("judgment", kept),
        ("left_out", gone),
        ("tally", found.imported.tallies or tallies(kept, found.items)),
        ("reading", found.readings),
    ):
        _insert_records(store, table, set_id, records)
    store.insert_many(
        "exclusion",
        ("judgment_set_id", "undefined", "record"),
        (
            (set_id, undefined, _json(each))
            for undefined, part in enumerate((found.exclusions.gone, found.exclusions.undefined))
            for each in part
        ),
    )
    store.insert_many(
        "participant",
        ("judgment_set_id", "participant", "record"),
        ((set_id, each.participant, _json(each)) for each in found.imported.sessions),
    )


def _insert_records(store: Store, table: str, set_id: int, records: Iterable[Any]) -> None:
    rows: Iterator[tuple[int, str]] = ((set_id, _json(each)) for each in records)
    store.insert_many(table, ("judgment_set_id", "record"), rows)


def _json(record: Any) -> str:
    return json.dumps(asdict(record), ensure_ascii=False)
