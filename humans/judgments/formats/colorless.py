"""Our own tables: one judgment or one session a line, every field under its name.

What an experiment run by colorless writes, and what an import writes out again. JSON lines, TSV (as
all our tables) or CSV; which of the two records a line is, is told by its fields. Written tables
can be opened with a spreadsheet: a text that a spreadsheet would run has a `'` before it there,
which is taken off again when it is read.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args

import polars as pl

from ....data.errors import InputError
from ....data.items.item import Item
from ....data.opening import head_of, head_text
from ....data.records import json_lines
from ....data.registry import nearest
from ....data.schema import Schema
from ....data.tables import (
    frame,
    guarded,
    read_tsv,
    unguarded,
    write_jsonl,
    write_table,
)
from .._sheet import SheetRow, integer, number, read_sheet
from ..imported import OWN, Arrived, Imported, ImportOptions, assembled, without_readings
from ..judgment import KINDS, Judgment, Session, cells_of

JUDGMENT, SESSION = (
    {
        field.name: next(t for t in (*get_args(field.type), field.type) if t is not NoneType)
        for field in fields(record)
        if field.name != "origin"
    }
    for record in (Judgment, Session)
)
"""The fields of the two records, and their types."""
WHOLE = ("position", "chosen_index", "correct", "n_blurs")
NUMBERS = ("rating", "rt_ms", "duration_s")
COLLECTED_BY = "colorless humans answers"  # the maker of a folder of such files
FACT = "fact:"  # columns of what was kept of a session

Record = TypeVar("Record", Judgment, Session)


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """Read the judgments and sessions in our own files.

    Raises `InputError` for a line that is none of them, a value of another type, and as `join`
    does.
    """
    judgments: list[Judgment] = []
    sessions: list[Session] = []
    n_rows = n_words = 0
    for path in paths:
        for location, row in _rows(path):
            n_rows += 1
            if "word_index" in row:
                n_words += 1
            elif "item" in row:
                judgments.append(_record(Judgment, row, location))
            elif "status" in row:
                sessions.append(_record(Session, row, location))
            else:
                wrong = f"neither an answer nor a session; the fields are {', '.join(row)}"
                right = f"those of an answer: {', '.join(JUDGMENT)}"
                raise InputError(location, wrong, right, kind="format")
    arrived = Arrived(
        n_files=len(paths),
        n_rows=n_rows,
        judgments=judgments,
        sessions=sessions,
        n_others=len(sessions) + n_words,
        platform=OWN,
        notes=without_readings(str(paths[0]), n_words, len(judgments) + len(sessions)),
    )
    return assembled(arrived, items, options)


def write_judgments(path: Path, judgments: Iterable[Judgment]) -> None:
    """Writes judgments into a file that `read_judgments` reads.

    Args:
        path: ends in .jsonl (JSON lines), .tsv or .csv, also packed (.tsv.gz). In tables, texts
            that a spreadsheet would run as formulas get a `'` before them.
        judgments: one a row, with all fields of `Judgment` but `origin`.

    Raises:
        InputError: for another ending, or where the file cannot be written.

    >>> from colorless_green.humans import Judgment, judgment_format
    >>> write_judgments(Path("answers.tsv"), [Judgment("anna", item="i1", chosen="are", correct=1)])
    >>> judgment_format(Path("answers.tsv"))
    'colorless'
    """
    write_rows(path, JUDGMENT, map(cells_of, judgments))


def write_sessions(path: Path, sessions: Iterable[Session]) -> None:
    """Writes sessions into a file that `read_judgments` reads.

    Args:
        path: as in `write_judgments`.
        sessions: one a row; each fact that was kept of people is a column `fact:NAME`.

    Raises:
        InputError: for another ending, or where the file cannot be written.

    >>> from colorless_green.humans import Session
    >>> person = Session("anna", status="APPROVED", facts={"age": "30"})
    >>> write_sessions(Path("sessions.tsv"), [person])
    >>> [(row["status"], row["fact:age"]) for row in read_tsv(Path("sessions.tsv"))]
    [('APPROVED', '30')]
    """
    write_rows(path, *_sessions(sessions))


def judgment_frame(judgments: Iterable[Judgment]) -> pl.DataFrame:
    """Judgments as a frame, with the columns of their file."""
    return frame(map(cells_of, judgments), JUDGMENT)


def session_frame(sessions: Iterable[Session]) -> pl.DataFrame:
    """Sessions as a frame, with the columns of their file."""
    columns, rows = _sessions(sessions)
    return frame(rows, columns)


def _sessions(sessions: Iterable[Session]) -> tuple[Schema, list[dict[str, Any]]]:
    rows = []
    for session in sessions:
        row = cells_of(session)
        facts = {FACT + name: value for name, value in row.pop("facts").items()}
        rows.append({**row, "test_run": int(session.test_run), **facts})
    columns = {name: kind for name, kind in SESSION.items() if name != "facts"}
    facts = dict.fromkeys((name for row in rows for name in row if name.startswith(FACT)), str)
    return {**columns, "test_run": int, **facts}, rows


def write_rows(path: Path, columns: Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Rows with these columns, as a file whose name says its form."""
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        write_jsonl(path, ({name: row.get(name) for name in columns} for row in rows))
        return
    cells = ({name: guarded(row.get(name)) for name in columns} for row in rows)
    write_table(path, frame(cells, columns))


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(place, row) for each line, values as text, or with their types in JSON."""
    head = head_text(head_of(path)).lstrip()
    if head.startswith("{"):
        yield from json_lines(path)
        return
    if "\t" in head.partition("\n")[0]:
        for number, row in enumerate(read_tsv(path), start=2):
            yield f"{path}:{number}", {name: unguarded(cell) for name, cell in row.items()}
        return
    for line in read_sheet(path, tuple(JUDGMENT)).lines:
        yield line.location, {name: unguarded(cell) for name, cell in line.cells.items()}


def _record(kind: type[Record], row: Mapping[str, Any], location: str) -> Record:
    """The record in a row. Fields that it does not have are as the record leaves them."""
    field_names = {field.name for field in fields(kind)}
    values: dict[str, Any] = {"origin": location} if "origin" in field_names else {}
    facts: dict[str, str] = {}
    for name, value in row.items():
        if name.startswith(FACT):
            facts |= {name.removeprefix(FACT): str(value)} if value else {}
        elif name not in field_names:
            right = nearest(name, sorted(field_names))
            raise InputError(location, f"no such field {name!r}", right, kind="unknown")
        elif name != "origin":
            values[name] = _value(name, value, location)
    if facts or isinstance(row.get("facts"), Mapping):
        values["facts"] = {**values.get("facts", {}), **facts}
    for name in ("participant", "item"):
        if name in field_names - set(values):
            right = f"{name} beside {', '.join(row)}"
            raise InputError(location, f"no field {name!r}", right, kind="format")
    if values.get("kind", KINDS[0]) not in KINDS:
        right = nearest(str(values["kind"]), KINDS)
        raise InputError(location, f"kind is {values['kind']!r}", right, kind="unknown")
    return kind(**values)


def _value(name: str, value: Any, location: str) -> Any:
    wrong = f"{name} is {value!r}"
    if name in (*WHOLE, *NUMBERS):
        if isinstance(value, bool):
            right = "a number, or an empty cell"
            raise InputError(location, wrong, right, kind="format")
        line = SheetRow(location, {name: "" if value is None else str(value)})
        if name in WHOLE:
            return integer(line, name)
        return number(line, name, -math.inf if name == "rating" else 0)
    if name == "test_run":
        if value not in (True, False, "0", "1", ""):
            raise InputError(location, wrong, "0 or 1", kind="format")
        return value in (True, "1")
    if name == "facts" and isinstance(value, Mapping):
        return {str(key): str(fact) for key, fact in value.items()}
    if value is not None and not isinstance(value, str):
        raise InputError(location, wrong, "a text in quotes", kind="format")
    return value or ""
