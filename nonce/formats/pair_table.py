"""Tables of pairs, one a row: the columns of the right and of the wrong sentence under any of the
names that published sets give them.

Read so are LM_syneval's `sample_sents.txt`, and sets after BLiMP that come as CSV or TSV (RuBLiMP,
TurBLiMP, JBLiMP and their like). Columns may be separated by tabs, commas or semicolons; all
others become facts under their own names. Written with commas in a `.csv`, else with tabs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.columns import (
    Entry,
    PairFormat,
    Record,
    format_of_pairs,
    write_table,
)
from colorless_green.nonce.formats.detect import header_of, pair_columns
from colorless_green.nonce.formats.pairs import Pair, parted
from colorless_green.nonce.formats.records import table, to_facts
from colorless_green.nonce.item import item_id

GROUPS = ("construction", "paradigm", "uid", "UID", "test case", "PID", "phenomenon")
"""Columns that name the construction, the finest first."""


def _records(path: Path) -> Iterator[tuple[str, Record]]:
    header, delimiter = header_of(path)
    columns = pair_columns(header)
    if columns is None:
        wrong = "no columns of right and wrong sentences"
        raise InputError(f"{path}:1", wrong, "sentence_good and sentence_bad, say", kind="missing")
    return table(path, delimiter, columns)


def _sentences(columns: Iterable[str]) -> tuple[str, str]:
    """The columns of the right and the wrong sentence, of which `_records` has seen that they are
    there."""
    found = pair_columns(columns)
    assert found is not None
    return found


def _pair(row: Record, place: str) -> Pair:
    right, wrong = (row[column].strip() for column in _sentences(row))
    if not (right and wrong):
        raise InputError(place, "an empty sentence", "two sentences", kind="format")
    return Pair(right, wrong, parted(right, wrong))


def _known(
    row: Record, stem: str, number: int, place: str
) -> tuple[dict[str, str], dict[str, str]]:
    columns = _sentences(row)
    others = {name: cell for name, cell in row.items() if name not in columns}
    identity = item_id(stem, number, *(row[column].strip() for column in columns))
    own = {
        "item_id": identity,
        "kind": "suite",
        "cluster_id": identity,
        "set_id": "",
        "cell": "",
        "language": "und",
        "source": stem,
        "licence": "",
    }
    group = next((row[name] for name in GROUPS if row.get(name)), stem)
    return own, {"construction": group, **to_facts(others, place)}


def _plain(entry: Entry) -> dict[str, Any]:
    return {
        "construction": entry.construction,
        "sentence_good": entry.pair.right,
        "sentence_bad": entry.pair.wrong,
    }


def _aliases(columns: Sequence[str]) -> Mapping[str, str]:
    found = pair_columns(columns)
    return dict(zip(found, ("sentence_good", "sentence_bad"), strict=True)) if found else {}


def _write(path: Path, records: Sequence[Record]) -> None:
    plain = path.name.removesuffix(".gz")
    write_table("," if plain.endswith(".csv") else "\t", path, records)


FORMAT = format_of_pairs(
    PairFormat(
        name="pair_table",
        endings=(".tsv", ".csv", ".txt"),
        wanted="a row for each pair",
        records=_records,
        pair=_pair,
        known=_known,
        plain=_plain,
        write_records=_write,
        sentences=frozenset(("sentence_good", "sentence_bad")),
        aliases=_aliases,
    )
)
