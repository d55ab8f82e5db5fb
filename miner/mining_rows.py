"""Minings as rows of tables and of the store, and the treebank that one was made of again."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..data import schema
from ..data.errors import InputError
from ..data.files import sha256_file
from ..data.memo import request_key
from ..data.registry import plugin_file
from ..data.store import Store, now
from ..data.tables import Row
from .rule import Rule
from .rules import GROUP, RULES
from .treebank.treebank import Treebank, treebank
from .treebank_mining import MinedTreebank

TABLES = {"construction": schema.CONSTRUCTIONS, "rejection": schema.REJECTIONS}  # of the store


def construction_rows(mining: MinedTreebank) -> Iterator[Row]:
    """Yield a row for each construction and pair of values the rule judged; `p` to `judged_on` stay
    empty under a rule that makes no test."""
    n_originals = Counter((x.feature, x.construction, x.values) for x in mining.agreements)
    for construction in mining.constructions:
        name, values, evidence = construction.name, construction.values, construction.evidence
        cells = (f"{cue}-{target}:{n}" for (cue, target), n in construction.table.items())
        own: dict[str, Any] = {
            "treebank": mining.treebank.name,
            "rule": mining.rule.extends,
            "construction": name,
            "values": "|".join(values),
            "n_by_value": " ".join(cells),
            "n_originals": n_originals[construction.feature, name, values],
            "design_effect": evidence and evidence.deff,
            "judged_on": evidence and ("half of the documents" if construction.halved else "all"),
        }
        yield {
            x: own[x] if x in own else getattr(construction, x, getattr(evidence, x, None))
            for x in schema.CONSTRUCTIONS
        }


def rejection_rows(mining: MinedTreebank) -> Iterator[Row]:
    """Yield a row for each instance of an accepted construction that gave no original."""
    for rejection in mining.rejections:
        yield {"treebank": mining.treebank.name, **asdict(rejection)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningRequest:
    """A treebank to mine, the rule, and the files that this draws on.

    Attributes:
        source: the treebank.
        rule: the rule.
        features: names of the features that agree.
        vocabulary: the file with the models' vocabulary; `None`: the words of the treebank.
        word_list: the UniMorph list of the treebank's language; `None`: none.
        skip_bad: leave out bad sentences and report them.
        from_stdin: the treebank came from standard input, and its files are gone afterwards.
    """

    source: Treebank
    rule: Rule
    features: tuple[str, ...]
    vocabulary: Path | None
    word_list: Path | None
    skip_bad: bool
    from_stdin: bool

    @property
    def key(self) -> str:
        """A digest of everything the result depends on."""
        return request_key(
            "mine", self.source.name, self.source.language, *self.source.files,
            sorted(self.rule.contents().items()), self.features,
            *plugin_file(RULES, self.rule.extends, "rule", GROUP), self.skip_bad, self.vocabulary,
            self.word_list,
        )  # fmt: skip

    @property
    def differing(self) -> dict[str, Any]:
        """The contents that differ from the named rule alone: settings, and the files given."""
        files = {"vocabulary": self.vocabulary, "unimorph": self.word_list}
        return self.rule.differing() | {name: path for name, path in files.items() if path}


def save_mining(
    store: Store,
    mining: MinedTreebank,
    *,
    request: MiningRequest,
    skipped: Sequence[str],
) -> int:
    """Add treebank, constructions and rejections, and return the treebank's id. Call in a
    transaction.

    Of a treebank that came from standard input no files are kept.
    """
    source = mining.treebank
    treebank_id = store.insert(
        "treebank",
        {
            "key": request.key,
            "name": source.name,
            "language": source.language,
            "licence": source.licence,
            "files": _resolved(() if request.from_stdin else source.files),
            "vocabulary": _path_text(request.vocabulary),
            "rule": mining.rule.label,
            "feature": mining.feature,
            "repair": mining.repair,
            "request": json.dumps(mining.rule.contents(), ensure_ascii=False),
            "parsed_by": mining.parsed_by,
            "stages": json.dumps(asdict(mining.stages)),
            "skipped": json.dumps(list(skipped), ensure_ascii=False),
            "digests": json.dumps([sha256_file(path) for path in source.files]),
            "used": store.tick(),
            "created": now(),
        },
    )
    for table, rows in (
        ("construction", construction_rows(mining)),
        ("rejection", rejection_rows(mining)),
    ):
        cells = ((treebank_id, n, *map(row.get, TABLES[table])) for n, row in enumerate(rows))
        store.insert_many(table, ("treebank_id", "position", *TABLES[table]), cells)
    return treebank_id


def _path_text(path: Path | None) -> str:
    return str(path.resolve()) if path else ""


def _resolved(paths: Sequence[Path]) -> str:
    return json.dumps([str(path.resolve()) for path in paths])


def load_rows(store: Store, table: str, treebank_id: int) -> list[Row]:
    """Return the rows of constructions.tsv (`construction`) or rejections.tsv (`rejection`) that a
    mining stored."""
    names = ", ".join(f'"{column}"' for column in TABLES[table])
    query = f"SELECT {names} FROM {table} WHERE treebank_id = ? ORDER BY position"
    return list(store.rows(query, (treebank_id,)))


def load_mining(store: Store, treebank_id: int | None = None) -> dict[str, Any] | None:
    """Return a mining's row: that of an id, or the one asked for last; `None` if there is none."""
    if treebank_id is None:
        return store.one("SELECT * FROM treebank ORDER BY used DESC LIMIT 1")
    return store.one("SELECT * FROM treebank WHERE treebank_id = ?", (treebank_id,))


def touch_mining(store: Store, treebank_id: int, request: MiningRequest) -> None:
    """Make a mining the newest, and its files those that are here now. Call in a transaction."""
    used = store.tick()
    store.execute(
        "UPDATE treebank SET used = ?, vocabulary = ? WHERE treebank_id = ?",
        (used, _path_text(request.vocabulary), treebank_id),
    )
    store.execute(
        "UPDATE treebank SET files = ? WHERE treebank_id = ? AND files != '[]'",
        (_resolved(request.source.files), treebank_id),
    )
    store.execute(
        "UPDATE suite SET used = ? WHERE treebank_id = ? AND kind = 'originals'",
        (used, treebank_id),
    )


def mined_treebank(row: Mapping[str, Any] | None) -> Treebank | None:
    """Return the treebank of a mining, as it was read then; `None` where it came from standard
    input, or where there is no mining.

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
    return treebank(paths, name=row["name"], language=row["language"])
