"""Minings as rows of tables and of the store, and the treebank that one was made of again."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..data import schema
from ..data.errors import InputError
from ..data.files import read_text, sha256_file
from ..data.memo import request_key
from ..data.registry import plugin_file
from ..data.store import Store
from ..data.tables import Row
from .rules import GROUP, RULES
from .treebank.treebank import Treebank, treebank
from .treebank_mining import MinedTreebank, MineRequest


def construction_rows(mining: MinedTreebank) -> Iterator[Row]:
    """One row for each construction and pair of values the rule judged; `p` to `judged_on` stay
    empty under a rule that makes no test."""
    n_originals = Counter(
        (original.feature, original.construction, original.values) for original in mining.originals
    )
    for construction in mining.constructions:
        evidence = construction.evidence
        row: dict[str, Any] = {
            "treebank": mining.treebank.name,
            "rule": mining.rule,
            "construction": construction.name,
            "values": "|".join(construction.values),
            "n_by_value": " ".join(
                f"{cue}-{target}:{n}" for (cue, target), n in construction.table.items()
            ),
            "n_originals": n_originals[
                (construction.feature, construction.name, construction.values)
            ],
        }
        if evidence is not None:
            row["design_effect"] = evidence.deff
            row["judged_on"] = "half of the documents" if construction.halved else "all"
        yield {
            name: row[name]
            if name in row
            else getattr(construction, name, getattr(evidence, name, None))
            for name in schema.CONSTRUCTIONS
        }


def rejection_rows(mining: MinedTreebank) -> Iterator[Row]:
    """One row for each instance of an accepted construction that gave no original."""
    for rejection in mining.rejections:
        yield {"treebank": mining.treebank.name, **asdict(rejection)}


def mining_key(
    source: Treebank,
    request: MineRequest,
    *,
    skip_bad: bool,
    vocabulary: Path | None,
    word_list: Path | None,
) -> str:
    """Return a digest of everything the result of a mining depends on."""
    return request_key(
        "mine", source.name, source.language, *source.files, request,
        *(read_text(Path(name)) for name in request.patterns if name.endswith(".toml")),
        *plugin_file(RULES, request.rule, GROUP), skip_bad, vocabulary, word_list,
    )  # fmt: skip


def save_mining(
    store: Store,
    mining: MinedTreebank,
    constructions: Sequence[Row],
    *,
    key: str,
    vocabulary: Path | None,
    skipped: Sequence[str],
    from_stdin: bool,
    now: str,
) -> int:
    """Adds treebank, constructions (as `construction_rows` has them) and rejections; the treebank's
    id. Call in a transaction.

    Of a treebank that came from standard input no files are kept.
    """
    source = mining.treebank
    treebank_id = store.insert(
        "treebank",
        {
            "key": key,
            "name": source.name,
            "language": source.language,
            "licence": source.licence,
            "files": _resolved(() if from_stdin else source.files),
            "vocabulary": str(vocabulary.resolve()) if vocabulary else "",
            "rule": mining.rule,
            "feature": mining.feature,
            "repair": mining.repair,
            "request": json.dumps(asdict(mining.request)),
            "parsed_by": mining.parsed_by,
            "stages": json.dumps(asdict(mining.stages)),
            "skipped": json.dumps(list(skipped), ensure_ascii=False),
            "digests": json.dumps([sha256_file(path) for path in source.files]),
            "used": store.tick(),
            "created": now,
        },
    )
    for table, columns, rows in (
        ("construction", schema.CONSTRUCTIONS, constructions),
        ("rejection", schema.REJECTIONS, rejection_rows(mining)),
    ):
        store.insert_many(
            table,
            ("treebank_id", "position", *columns),
            (
                (treebank_id, position, *(row.get(column) for column in columns))
                for position, row in enumerate(rows)
            ),
        )
    return treebank_id


def _resolved(paths: Sequence[Path]) -> str:
    return json.dumps([str(path.resolve()) for path in paths])


def load_constructions(store: Store, treebank_id: int) -> list[Row]:
    """The rows of constructions.tsv that a mining stored."""
    return _load(store, "construction", schema.CONSTRUCTIONS, treebank_id)


def load_rejections(store: Store, treebank_id: int) -> list[Row]:
    """The rows of rejections.tsv that a mining stored."""
    return _load(store, "rejection", schema.REJECTIONS, treebank_id)


def _load(store: Store, table: str, columns: Iterable[str], treebank_id: int) -> list[Row]:
    names = ", ".join(f'"{column}"' for column in columns)
    query = f"SELECT {names} FROM {table} WHERE treebank_id = ? ORDER BY position"
    return list(store.rows(query, (treebank_id,)))


def load_mining(store: Store, treebank_id: int | None = None) -> dict[str, Any] | None:
    """A mining's row: the one of an id, or the one asked for last; `None` if there is none."""
    if treebank_id is None:
        return store.one("SELECT * FROM treebank ORDER BY used DESC LIMIT 1")
    return store.one("SELECT * FROM treebank WHERE treebank_id = ?", (treebank_id,))


def touch_mining(store: Store, treebank_id: int, source: Treebank, vocabulary: Path | None) -> None:
    """Makes a mining the newest, and its files those that lie here now. Call in a transaction."""
    used = store.tick()
    store.execute(
        "UPDATE treebank SET used = ?, vocabulary = ? WHERE treebank_id = ?",
        (used, str(vocabulary.resolve()) if vocabulary else "", treebank_id),
    )
    store.execute(
        "UPDATE treebank SET files = ? WHERE treebank_id = ? AND files != '[]'",
        (_resolved(source.files), treebank_id),
    )
    store.execute(
        "UPDATE suite SET used = ? WHERE treebank_id = ? AND kind = 'originals'",
        (used, treebank_id),
    )


def mined_treebank(row: Mapping[str, Any] | None) -> Treebank | None:
    """The treebank of a mining, as it was read then; `None` where it came from standard input, or
    where there is no mining.

    Raises `InputError` for a file that is gone or was changed since.
    """
    if row is None:
        return None
    paths = [Path(name) for name in json.loads(row["files"])]
    for path, digest in zip(paths, json.loads(row["digests"]), strict=False):
        if not path.is_file():
            wrong, right = "the mined file is gone", "mine it where it lies now, or name it"
        elif sha256_file(path) != digest:
            wrong, right = "the file was changed since it was mined", "mine it again"
        else:
            continue
        raise InputError(str(path), wrong, right, kind="changed")
    if not paths:
        return None
    renumber = bool(json.loads(row["request"]).get("renumber"))
    return treebank(paths, name=row["name"], language=row["language"], renumber=renumber)
