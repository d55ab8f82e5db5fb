"""Tables of the page: columns declared once over a frame of rows, and the same as CSV."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

import polars as pl

from ...data.tables import guarded
from ._formats import NO_NUMBER, NONE, THIN, Format, TableCell, estimate, share, text


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, the fields of the frame that it shows, and their format.

    Attributes:
        title: the heading.
        fields: names of fields, separated by blanks; a tuple where names may have blanks.
        format: a function of their values; a field that holds a cell is that cell.
    """

    title: str
    fields: str | tuple[str, ...]
    format: Format = text

    def cell(self, row: Mapping[str, Any]) -> TableCell:
        """Return the cell of a row."""
        names = self.fields.split() if isinstance(self.fields, str) else self.fields
        values = [row[name] for name in names]
        return values[0] if isinstance(values[0], TableCell) else self.format(*values)


RIGHT = (
    Column("right, %", "accuracy", share),
    Column("95 % low", "low", share),
    Column("95 % high", "high", share),
)


def pivot(
    rows: Iterable[Mapping[str, Any]], key: Sequence[str], raters: Iterable[str]
) -> list[dict[str, Any]]:
    """Return a record for each value of a key, with the fields of its first row and a cell for
    each rater: the accuracy, its interval and the number of items."""
    empty = dict.fromkeys(raters, NO_NUMBER)
    records: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        record = records.setdefault(tuple(row[name] for name in key), {**row, **empty})
        ends = row["low"], row["high"]
        record[row["rater"]] = estimate(row["accuracy"], *ends, row["n_items"])
    return list(records.values())


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first cell of each row is its heading.

    Attributes:
        name: its id, unique on the page.
        title: its caption.
        columns: their declarations; a column in which no row has anything is not shown.
        rows: the frame, or records where fields are cells already.
        note: the words below it.
        is_folded: whether it is closed until somebody opens it.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: pl.DataFrame | Sequence[Mapping[str, Any]]
    note: str = ""
    is_folded: bool = False

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns that are shown."""
        return tuple(column.title for column, _ in self._shown)

    @cached_property
    def body(self) -> tuple[tuple[TableCell, ...], ...]:
        """The cells, by row."""
        return tuple(zip(*(cells for _, cells in self._shown), strict=True))

    @cached_property
    def sorts(self) -> tuple[str, ...]:
        """The setting of each column: that of the first cell that has something in it."""
        columns = [cells for _, cells in self._shown]
        return tuple(next((c.sort for c in cells if c.text != NONE), "text") for cells in columns)

    @cached_property
    def _shown(self) -> list[tuple[Column, list[TableCell]]]:
        rows = self.rows
        records = list(rows.iter_rows(named=True)) if isinstance(rows, pl.DataFrame) else rows
        columns = [(column, [column.cell(row) for row in records]) for column in self.columns]
        return [(c, cells) for c, cells in columns if any(e.text not in ("", NONE) for e in cells)]

    def csv(self) -> str:
        """Return the table as CSV: numbers unrounded, second lines in columns of their own, no cell
        a formula to a spreadsheet."""
        two = [any(cell.below for cell in column) for column in zip(*self.body, strict=True)]
        stream = StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        names = (
            [name, *([f"{name} (second line)"] if second else [])]
            for name, second in zip(self.headings, two, strict=True)
        )
        writer.writerow([guarded(heading) for pair in names for heading in pair])
        for row in self.body:
            values: list[str | float] = []
            for cell, second in zip(row, two, strict=True):
                values.append(_plain(cell.text, cell.sort) if cell.value is None else cell.value)
                values += [_plain(cell.below, cell.sort)] if second else []
            writer.writerow(map(guarded, values))
        return stream.getvalue()


def _plain(shown: str, sort: str) -> str:
    """Return a number as programs read it; other texts as they are."""
    if shown == NONE:
        return ""
    plain = shown.replace(THIN, " ")
    if sort != "number":
        return plain
    return plain.replace("\u2212", "-").replace(",", "").removeprefix("+")
