"""The format of tables of pairs: a pair in each row, the two sentences in columns with one of the
names that published sets use.

It reads LM_syneval's `sample_sents.txt`, and sets like BLiMP that come as CSV or TSV (RuBLiMP,
TurBLiMP, JBLiMP), also as spreadsheets save them: cells separated by tabs, commas, semicolons or
bars, perhaps with a line `sep=;` before the header. All other columns become facts under their own
names. A `.csv` file is written with commas, any other with tabs.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..errors import InputError
from ..items.item import item_id
from ..opening import head_of, head_text
from ..records import Record, headers, table, to_facts, write_table
from .detect import PAIR_COLUMNS, pair_columns
from .pair_formats import PairEntry, PairFormat, RecordFacts, SentencePair, divide

SENTENCE_COLUMNS = ("sentence_good", "sentence_bad")  # in tables that we write
CONSTRUCTION_COLUMNS = ("construction", "paradigm", "uid", "UID", "test case", "PID", "phenomenon")
"""Columns that may name the construction, the most specific first"""


def _records(path: Path) -> Iterator[tuple[str, Record]]:
    """Read a table and return an iterator over its rows as (location, column → cell).

    Raises `InputError` if no column, or more than two, can have the sentences of a pair.
    """
    possible_headers = headers(head_text(head_of(path))).values()  # one for each delimiter
    for header in possible_headers:
        if columns := pair_columns(header):
            names = {column.strip().casefold() for column in columns}
            candidates = [name for name in header if name.strip().casefold() in names]
            if len(candidates) > 2:
                wrong = f"{len(candidates)} columns for two sentences: {', '.join(candidates)}"
                raise InputError(f"{path}:1", wrong, "rename one of them", kind="conflict")
            return table(path, columns)
    likeliest = max(possible_headers, key=len, default=[])  # the delimiter that cuts most often
    wrong = f"no columns of a right and a wrong sentence in {', '.join(likeliest)[:60]!r}"
    examples = ", ".join(" and ".join(pair) for pair in (("right", "wrong"), *PAIR_COLUMNS[:2]))
    right = f"name two columns {examples}, or those of another format (docs/suites.md)"
    raise InputError(f"{path}:1", wrong, right, kind="missing")


def _pair(row: Record, location: str) -> SentencePair:
    """Return the pair of sentences in a row, cut where they differ; `location` is not used."""
    right, wrong = (row[name].strip() for name in pair_columns(row) or SENTENCE_COLUMNS)
    return SentencePair(right, wrong, divide(right, wrong))


def _record_facts(row: Record, stem: str, number: int, location: str) -> RecordFacts:
    """Return the fields of a row's item (only its id), and its facts: the construction and all
    columns except those of the sentences."""
    columns = pair_columns(row) or SENTENCE_COLUMNS
    other_columns = {name: cell for name, cell in row.items() if name not in columns}
    construction = next((row[name] for name in CONSTRUCTION_COLUMNS if row.get(name)), stem)
    fields = {"item_id": item_id(stem, number, *(row[name].strip() for name in columns))}
    return fields, {"construction": construction, **to_facts(other_columns, location)}


def _row_to_write(entry: PairEntry) -> dict[str, str]:
    """Return the row (column → cell) to write for a pair."""
    sentences = {"sentence_good": entry.pair.right, "sentence_bad": entry.pair.wrong}
    return {"construction": entry.construction, **sentences}


def _sentence_column_names(columns: Iterable[str]) -> Mapping[str, str]:
    """Return our name → the name in this table for the two columns of sentences. Return {} if none
    of the columns can have them."""
    pair = pair_columns(columns)
    return dict(zip(SENTENCE_COLUMNS, pair, strict=True)) if pair else {}


FORMAT = PairFormat(
    name="pair_table",
    endings=(".tsv", ".csv", ".txt"),
    expected="a row for each pair",
    records=_records,
    pair=_pair,
    record_facts=_record_facts,
    record_to_write=_row_to_write,
    write_records=write_table,
    sentences=frozenset(SENTENCE_COLUMNS),
    names=_sentence_column_names,
).format()
