"""Our own format: a judgment or a session per line, with our column names.

An import can write these files, and read them again. They are JSON lines, TSV or CSV. The fields of
a line tell if it is a judgment or a session. A text that a spreadsheet would run as a formula is
written with a `'` before it, which is removed when it is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import head_of, head_text
from ....data.records import json_lines
from ....data.tables import guard_cell, read_tsv, unguard_cell, write_jsonl, write_table
from ..claims import CELLS, OTHER_ROW, claim_frame
from ..imported import OWN_PLATFORM, Arrived, ImportOptions
from ..judgment import FACT, TRIALS
from ..sheet import read_sheet

JUDGMENT_COLUMNS = {name: kind for name, kind in TRIALS.items() if name != "origin"}


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Arrived:
    """Read judgments and sessions from our own files into claims (answers as files state them).

    Raises `InputError` for a line that is neither a judgment nor a session, and for a value of the
    wrong type.
    """
    claims, columns = [], dict[str, str]()
    for location, row in (line for path in paths for line in _rows(path)):
        columns |= {name: name if name in (*CELLS, "facts") else "" for name in row}
        cells = _cells(row, location)
        if "item" in row:
            claims.append((location, cells))
        elif "status" in row:
            claims.append((location, {**cells, "other": OTHER_ROW}))
        else:
            wrong = f"neither an answer nor a session; the fields are {', '.join(row)}"
            right = f"those of an answer: {', '.join(JUDGMENT_COLUMNS)}"
            raise InputError(location, wrong, right, kind="format")
    return Arrived(paths, claim_frame(claims), platform=OWN_PLATFORM, columns=columns)


def write_judgments(path: Path, trials: pl.DataFrame) -> None:
    """Write trials into a file that `read_judgments` reads.

    Args:
        path: ends in .jsonl (JSON lines), .tsv or .csv, also compressed (.tsv.gz). In tables, texts
            that a spreadsheet would run as formulas get a `'` before them.
        trials: a frame with all columns of `TRIALS`; `origin` is not written.

    Raises:
        InputError: for another ending, or if the file can't be written.

    >>> from colorless_green.humans import judgment_format, trials_of
    >>> answers = [{"participant": "anna", "item": "i1", "chosen": "are", "correct": 1}]
    >>> write_judgments(Path("answers.tsv"), trials_of(answers))
    >>> judgment_format(Path("answers.tsv"))
    'colorless'
    """
    write_frame(path, trials.select(*JUDGMENT_COLUMNS))


def write_sessions(path: Path, sessions: pl.DataFrame) -> None:
    """Write sessions into a file that `read_judgments` reads.

    Args:
        path: as in `write_judgments`.
        sessions: a frame with the columns of `SESSIONS`, and a column `fact:NAME` for each fact
            about people that was kept.

    Raises:
        InputError: for another ending, or if the file can't be written.

    >>> person = {"participant": "anna", "status": "APPROVED", "test_run": False, "fact:age": "30"}
    >>> write_sessions(Path("sessions.tsv"), pl.DataFrame([person]))
    >>> [(row["status"], row["fact:age"]) for row in read_tsv(Path("sessions.tsv"))]
    [('APPROVED', '30')]
    """
    write_frame(path, sessions.cast({"test_run": pl.Int64}))


def write_frame(path: Path, table: pl.DataFrame) -> None:
    """Write a frame as JSON lines, TSV or CSV, by the ending of the path."""
    name = path.name.removesuffix(".gz")
    if name.endswith(".jsonl"):
        write_jsonl(path, table.iter_rows(named=True))
        return
    if not name.endswith(".csv"):  # in a .csv file, `write_table` itself guards cells
        table = table.with_columns(
            pl.selectors.string().map_elements(guard_cell, return_dtype=pl.String)
        )
    write_table(path, table)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (location, row) for each line: values are text in tables, and have types in JSON."""
    head = head_text(head_of(path)).lstrip()
    if head.startswith("{"):
        yield from json_lines(path)
        return
    if "\t" in head.partition("\n")[0]:
        located = [(f"{path}:{n}", row) for n, row in enumerate(read_tsv(path), start=2)]
    else:
        located = read_sheet(path, JUDGMENT_COLUMNS).rows
    for location, row in located:
        yield location, {name: unguard_cell(cell) for name, cell in row.items()}


def _cells(row: Mapping[str, Any], location: str) -> dict[str, str]:
    """Return the fields of a line as text: name → cell.

    Raises `InputError` for a field that is a list or an object, and for a line without a
    participant.
    """
    cells = dict[str, str]()
    for name, value in {"participant": None, **row}.items():  # None is refused below
        if name == "facts" and isinstance(value, Mapping):
            cells |= {FACT + fact: str(text) for fact, text in value.items()}
        elif isinstance(value, list | dict) or (name == "participant" and type(value) is not str):
            right = "a text in quotes"
            raise InputError(location, f"{name} is {value!r}", right, kind="format")
        else:
            is_flag = name == "test_run" and isinstance(value, bool)
            cells[name] = "" if value is None else str(int(value) if is_flag else value)
    return cells
