"""Suites in a store: keep them, find them by name or number, and read them back."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from .errors import InputError
from .formats import read_suite, read_suites
from .formats.detect import is_suite
from .items.item import Item
from .items.item_record import from_record
from .items.item_table import table_of, unpacked_table
from .items.prediction import from_list, to_list
from .items.suite import Suite, content_hash
from .registry import nearest
from .store import MEMORY_NAMES, Store, StoredResult, StoreLike, now, open_store, reference_to

NUMBERED = re.compile(r"@[1-9][0-9]{0,17}")


def ensure_saved(suite: Suite, store: Store) -> Suite:
    """Save a suite in a store, with the kind "imported", unless it is there; return it with its
    place there."""
    stored = suite.kept
    if stored and stored.is_in(store):
        _, suite_id = find_suite(store, suite)
        if suite_id == stored.id:  # else it was changed, or is not in the store any more
            return suite
    return save_in(store, suite, "imported", None)


def save_in(store: Store, suite: Suite, kind: str, treebank_id: int | None) -> Suite:
    """Save a suite in a store and return it with its place there.

    `kind` and `treebank_id` are as for `save_suite`.
    """
    with store.transaction():
        suite_id = save_suite(store, suite, kind, treebank_id=treebank_id, now=now())
    return replace(suite, kept=StoredResult(reference_to(store), suite_id))


def save_suite(store: Store, suite: Suite, kind: str, *, treebank_id: int | None, now: str) -> int:
    """Add a suite to a store, unless one with the same content is there. Call in a transaction.

    Args:
        store: the store to write to.
        suite: the suite to keep.
        kind: how the suite was made, as `originals`, `nonce` or `imported`.
        treebank_id: id of the mining that it comes from; None for a suite from elsewhere.
        now: the present time, in ISO 8601.

    Returns:
        Its number in the store.

    >>> from colorless_green.data.store import MEMORY
    >>> with Store(MEMORY) as store, store.transaction():
    ...     save_suite(store, Suite("mine", ()), "imported", treebank_id=None, now=now())
    1
    """
    _upgrade_stored_suites(store)
    content = f"{treebank_id}:{suite.name}:{content_hash(suite)}"
    row = store.one("SELECT suite_id FROM suite WHERE content = ?", (content,))
    if row is not None:
        store.execute(
            "UPDATE suite SET used = ? WHERE suite_id = ?", (store.tick(), row["suite_id"])
        )
        return int(row["suite_id"])
    items = suite.table.frame
    kinds = dict(items["kind"].value_counts(sort=True).iter_rows())
    row = {
        "content": content,
        "name": suite.name,
        "kind": kind,
        "metric": suite.metric,
        "predictions": json.dumps([to_list(prediction) for prediction in suite.predictions]),
        "meta": json.dumps(suite.meta, ensure_ascii=False),
        "treebank_id": treebank_id,
        "items": _save_items(store, suite),
        "kinds": json.dumps(kinds),
        "language": items["language"].first() or "",
        "used": store.tick(),
        "created": now,
    }
    return store.insert("suite", row)


def _save_items(store: Store, suite: Suite) -> str:
    """Save the items of a suite, unless equal ones are there, and return their digest."""
    packed = suite.table.packed()
    digest = hashlib.sha256(packed).hexdigest()
    store.insert_many("items", ("digest", "parts"), [(digest, packed)], keep_old=True)
    return digest


def _upgrade_stored_suites(store: Store) -> None:
    """Rewrite the suites that an earlier version kept item by item: as one table, with a new hash.

    Without that, a suite that is saved again would count as another suite, one that has none of the
    old one's judgments and runs.
    """
    rows = list(store.rows("SELECT suite_id, treebank_id FROM suite WHERE items IS NULL"))
    if not rows:
        return
    with nullcontext() if store.connection.in_transaction else store.transaction():
        for row in rows:
            suite = stored_suite(store, row["suite_id"])
            content = f"{row['treebank_id']}:{suite.name}:{content_hash(suite)}"
            store.execute(
                "UPDATE suite SET content = ?, items = ? WHERE suite_id = ?",
                (content, _save_items(store, suite), row["suite_id"]),
            )


def stored_suite(store: Store, suite_id: int) -> Suite:
    """Return the suite with this number in a store."""
    row = store.one("SELECT * FROM suite WHERE suite_id = ?", (suite_id,))
    assert row is not None
    location = f"{store.path}: suite {row['name']}"
    return Suite(
        str(row["name"]),
        _stored_items(store, suite_id, row["items"], location),
        tuple(from_list(prediction, location) for prediction in json.loads(row["predictions"])),
        str(row["metric"]),
        json.loads(row["meta"]),
        kept=StoredResult(reference_to(store), suite_id),
    )


def mark_newest(store: Store, suite_id: int) -> Suite:
    """Make a suite the newest of its store, since it was asked for again, and return it."""
    with store.transaction():
        store.execute("UPDATE suite SET used = ? WHERE suite_id = ?", (store.tick(), suite_id))
    return stored_suite(store, suite_id)


def _stored_items(store: Store, suite_id: int, digest: str | None, location: str) -> Sequence[Item]:
    """Return the items of a stored suite.

    `digest` identifies their table; it is None for a suite that an earlier version kept item by
    item.
    """
    if digest is not None:
        row = store.one("SELECT parts FROM items WHERE digest = ?", (digest,))
        if row is None or hashlib.sha256(row["parts"]).hexdigest() != digest:
            raise store.damaged("the items of a suite are not those that were stored")
        return unpacked_table(row["parts"])
    rows = store.rows("SELECT record FROM item WHERE suite_id = ? ORDER BY position", (suite_id,))
    return tuple(from_record(json.loads(row["record"]), location) for row in rows)


@contextmanager
def store_of(spec: Suite | str | Path, named_store: StoreLike) -> Iterator[Store]:
    """Open the store in which to look up a suite that is only read.

    Args:
        spec: a suite, its file, or its name or number in the store; "" for the newest.
        named_store: the store that the caller names. If it is None, it is the one in which the
            suite is kept; it must exist, unless the suite needs no looking up.

    Raises:
        InputError: there is no such store.
    """
    _demand_suite_type(spec)
    if named_store is None and isinstance(spec, Suite) and spec.kept is not None:
        named_store = spec.kept.store
    needs_no_store = _is_suite_or_file(spec)
    if needs_no_store and isinstance(named_store, str | Path) and not Path(named_store).exists():
        named_store = None
    if not needs_no_store:
        demand_store(spec, named_store)
    with open_store(named_store, existing=not needs_no_store) as store:
        yield store


def demand_store(spec: object, named_store: StoreLike) -> None:
    """Raise `InputError` if a suite is to be looked up by a name in a store that does not exist.

    The message also speaks of files: most often the name is that of a file, mistyped.
    """
    if not str(spec or "") or isinstance(named_store, Store):
        return
    is_named = named_store is not None and str(named_store) not in MEMORY_NAMES
    if is_named and Path(str(named_store)).exists():
        return
    wrong = "this folder is no suite" if os.path.isdir(str(spec)) else "there is no such file"
    wrong += f", and no store{f' {named_store}' if is_named else ''} with a suite of this name"
    raise InputError(
        str(spec),
        wrong,
        "a file, or a name that colorless status lists (--store names another store)",
        kind="missing",
    )


def _is_suite_or_file(spec: Suite | str | Path | None) -> bool:
    """Return whether `spec` is a `Suite` or the path of a suite's file, not a name in a store."""
    return isinstance(spec, Suite) or (bool(str(spec or "")) and is_suite(Path(str(spec))))


def _demand_suite_type(value: object) -> None:
    """Raise `InputError` for a value from Python that cannot stand for a suite."""
    if value is not None and not isinstance(value, Suite | str | Path):
        right = "a suite, its file or its name; the originals of a mining are mining.originals"
        raise InputError("suite", f"a {type(value).__name__}", right, kind="value")


def find_suite(store: Store, spec: Suite | str | Path | None) -> tuple[Suite, int | None]:
    """Return the suite that `spec` stands for, and its number in the store, None if it has none.

    Args:
        store: the store in which names are looked up.
        spec: a suite, a file or folder, a name, or @N; None or "" is the newest suite.

    Raises:
        InputError: there is no such suite, or the file is not one.
    """
    if _is_suite_or_file(spec) and not isinstance(spec, Suite):
        return read_suite(Path(str(spec))), None
    ((suite, suite_id),) = find_suites(store, spec)
    return suite, suite_id


def find_suites(store: Store, spec: Suite | str | Path | None) -> list[tuple[Suite, int | None]]:
    """Return all suites that `spec` stands for, each with its number in the store or None.

    These are several for a folder in which each file is a suite, else the one of `find_suite`.
    """
    _demand_suite_type(spec)
    _upgrade_stored_suites(store)
    if isinstance(spec, Suite):
        content_ending = f":{spec.name}:{content_hash(spec)}"  # after the id of its mining
        stored_id = spec.kept.id if spec.kept and spec.kept.is_in(store) else None
        row = store.one(  # a suite of this name and content; the one that it is kept as comes first
            "SELECT suite_id FROM suite WHERE substr(content, -length(?)) = ? "
            "ORDER BY suite_id IS ? DESC, used DESC LIMIT 1",
            (content_ending, content_ending, stored_id),
        )
        return [(spec, int(row["suite_id"]) if row else None)]
    if spec is None or not str(spec):
        suite_id = newest_suite(store)
    elif _is_suite_or_file(spec):
        return [(suite, None) for suite in read_suites(Path(spec))]
    else:
        suite_id = suite_named(store, str(spec))
    return [(stored_suite(store, suite_id), suite_id)]


def newest_suite(store: Store, kinds: Sequence[str] = ()) -> int:
    """Return the number of the suite that was last saved or asked for.

    Args:
        store: the store to look in.
        kinds: the kinds, as for `save_suite`, that count; with none, all kinds do.

    Returns:
        The suite's number in the store.

    Raises:
        InputError: the store has no such suite.

    >>> from colorless_green.data.store import MEMORY
    >>> with Store(MEMORY) as store:
    ...     _ = save_in(store, Suite("mine", ()), "imported", None)
    ...     newest_suite(store, ["imported"])
    1
    """
    marks = ", ".join("?" * len(kinds))
    condition = f"WHERE kind IN ({marks})" if kinds else ""
    row = store.one(
        f"SELECT suite_id FROM suite {condition} ORDER BY used DESC LIMIT 1", tuple(kinds)
    )
    if row is None:
        wrong = f"no {' or '.join(kinds) or 'suite'} in the store yet"
        right = "run colorless mine first, or name a file"
        raise InputError(str(store.path), wrong, right, kind="empty")
    return int(row["suite_id"])


def originals_of_mining(store: Store, treebank_id: int) -> int | None:
    """Return the number of the suite that has the originals (mined items) of a mining.

    It is None if the store has no such suite.
    """
    row = store.one(
        "SELECT suite_id FROM suite WHERE treebank_id = ? AND kind = 'originals'", (treebank_id,)
    )
    return int(row["suite_id"]) if row else None


def mining_of_item(store: Store, item_id: str) -> int | None:
    """Return the id of the newest mining (a treebank mined once) that has this original item.

    It is None if no mining in the store has it.
    """
    query = (
        "SELECT suite_id, treebank_id, items FROM suite "
        "WHERE kind = 'originals' AND treebank_id IS NOT NULL ORDER BY used DESC"
    )
    for row in list(store.rows(query)):
        items = table_of(_stored_items(store, row["suite_id"], row["items"], str(store.path)))
        if item_id in items.frame["item_id"]:
            return int(row["treebank_id"])
    return None


def stored_original_tokens(store: Store) -> Iterator[tuple[str, ...]]:
    """Yield the tokens of every original item of all suites in a store."""
    for row in list(store.rows("SELECT suite_id, items FROM suite")):
        items = _stored_items(store, row["suite_id"], row["items"], str(store.path))
        yield from table_of(items).tokens_of_originals()


def suite_named(store: Store, name: str) -> int:
    """Return the number of the suite with this name in a store; the name `@N` is the number itself.

    Raises:
        InputError: there is no such suite, or suites of several contents have this name.
    """
    if NUMBERED.fullmatch(name):
        row = store.one("SELECT suite_id FROM suite WHERE suite_id = ?", (int(name[1:]),))
        if row is None:
            right = "a number that colorless status shows"
            raise InputError(
                name, f"no suite of this number in {store.path}", right, kind="missing"
            )
        return int(row["suite_id"])
    rows = list(store.rows("SELECT * FROM suite WHERE name = ? ORDER BY used DESC", (name,)))
    if not rows:
        names = [str(entry["name"]) for entry in store.rows("SELECT DISTINCT name FROM suite")]
        description = "neither a file nor"
        if os.path.isfile(name):
            description = "a file, and not"
        elif os.path.isdir(name):
            description = "a folder that is no suite, and not"
        right = f"{nearest(name, names)}, or a file"
        if not names:
            right = "the path of a file, or colorless mine, which puts suites into the store"
        raise InputError(name, f"{description} a suite of the store", right, kind="missing")
    digests = {str(row["content"]).rpartition(":")[2] for row in rows}  # content: ID:NAME:DIGEST
    if len(digests) > 1:
        candidates = "; ".join(
            f"@{row['suite_id']}: {_description(row)}"
            for row in sorted(rows, key=lambda row: int(row["suite_id"]))
        )
        wrong = f"{len(rows)} suites of the store have this name ({candidates})"
        raise InputError(
            name, wrong, f"one of them, such as @{rows[0]['suite_id']}", kind="conflict"
        )
    return int(rows[0]["suite_id"])


def _description(row: Mapping[str, Any]) -> str:
    """Return a text on a suite, given its row in the store: its size, how and when it was made."""
    n_items = sum(json.loads(row["kinds"]).values())
    made = json.loads(row["meta"]).get("made") or row["kind"]
    minute = str(row["created"])[:16].replace("T", " ")
    return f"{n_items:,} items, {made}, {minute}"


def newest_note(spec: object, suite: Suite) -> list[str]:
    """Return a list with the message that the newest suite was taken; [] if the user named one.

    `spec` is what the user named, `suite` the suite that was found.
    """
    if (spec is not None and str(spec)) or suite.kept is None:
        return []
    return [f"{suite.name} (@{suite.kept.id}): the newest suite; name another, or @N, to change it"]
