"""Files that the page carries with it: every table as CSV, and the data behind all of them.

They are data addresses (RFC 2397), so that nothing is fetched. No cell is a formula to a
spreadsheet. Single answers are not among them: whether those may be shown to everybody is for the
consent of those who gave them to say.
"""

import csv
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from colorless_green.data import schema
from colorless_green.data.schema import Schema
from colorless_green.data.tables import Cell as Value
from colorless_green.data.tables import Row, frame, guarded, to_csv
from colorless_green.humans.exclusion import as_row as excluded_row
from colorless_green.humans.lookup import forms, prefix
from colorless_green.humans.measures.measure import as_row
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, THIN
from colorless_green.humans.page.parts import Cell, Download, Table
from colorless_green.nonce.item import Item, factors_of

CSV = "text/csv"
ITEM_COLUMNS = (
    *("item", "source", "kind", "construction", "value", "n_attractors", "gap", "language"),
    *("prefix", "right", "wrong", "people_right", "people_total"),
)


def address(content: str, media_type: str) -> str:
    """The data address of a text; the same bytes for the same text."""
    return f"data:{media_type};charset=utf-8;base64,{b64encode(content.encode()).decode('ascii')}"


def table_csv(table: Table) -> str:
    """A table of the page as CSV: numbers unrounded where the cells have them, second lines in
    columns of their own."""
    two = [any(row[n].below for row in table.rows) for n in range(len(table.columns))]
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(guarded, _names(table.columns, two)))
    for row in table.rows:
        writer.writerow(map(guarded, _values(row, two)))
    return stream.getvalue()


def _names(headings: Sequence[Cell], two: Sequence[bool]) -> Iterator[str]:
    for heading, has_second in zip(headings, two, strict=True):
        yield heading.text
        if has_second:
            yield f"{heading.text} (second line)"


def _values(row: Sequence[Cell], two: Sequence[bool]) -> Iterator[Value]:
    for cell, has_second in zip(row, two, strict=True):
        yield cell.value if cell.value is not None else _plain(cell.text, cell.sort)
        if has_second:
            yield _plain(cell.below, cell.sort)


def _plain(text: str, sort: str) -> str:
    """A number as programs read it; other texts as they are."""
    if text == NONE:
        return ""
    plain = text.replace(THIN, " ")
    if sort != "number":
        return plain
    return plain.replace("\u2212", "-").replace(",", "").removeprefix("+")


def files(material: Material) -> tuple[Download, ...]:
    """What the page's numbers are made of, as far as there is anything."""
    found = (
        (
            "accuracy.csv",
            "accuracy of every model on all that it could answer, in all and along each dimension",
            _table(schema.ACCURACY, material.accuracy),
        ),
        (
            "comparison.csv",
            "people and models by kind and construction",
            _table(schema.COMPARISON, material.comparison),
        ),
        (
            "measures.csv",
            "all other statistics, with intervals and how they were made",
            _table(schema.MEASURES, map(as_row, material.people.measures)),
        ),
        (
            "exclusions.csv",
            "who or what was left out, by which rule",
            _table(schema.EXCLUSIONS, map(excluded_row, material.people.answers.gone)),
        ),
        (
            "items.csv",
            "every item with its answers, and each model's credit and margin in bits",
            _items(material),
        ),
    )
    return tuple(Download(name, about, CSV, text) for name, about, text in found if text)


def _table(columns: Schema | Sequence[str], rows: Iterable[Row]) -> str:
    """Empty without rows."""
    table = frame(rows, columns)
    return to_csv(table) if table.height else ""


def _items(material: Material) -> str:
    tallies = {tally.item: tally for tally in material.tallies}
    models = {name: credits for name, credits in material.outcomes.items() if credits}
    columns = [*ITEM_COLUMNS]
    for name in models:
        columns += [f"{name}: credit", f"{name}: margin_bits"]
    rows = []
    for item in material.items.values():
        tally = tallies.get(item.item_id)
        row: dict[str, Value] = {
            **_about(item),
            "people_right": tally.right if tally else None,
            "people_total": tally.total if tally else None,
        }
        for name, credits in models.items():
            credit, margin = credits.get(item.item_id, (None, None))
            row |= {f"{name}: credit": credit, f"{name}: margin_bits": margin}
        if tally or any(item.item_id in credits for credits in models.values()):
            rows.append(row)
    return _table(columns, rows)


def _about(item: Item) -> Row:
    factors, pair = factors_of(item), forms(item) or ("", "")
    return {
        "item": item.item_id,
        "source": item.cluster_id,
        "kind": item.kind,
        "construction": factors["construction"],
        "value": factors["value"],
        "n_attractors": factors["n_attractors"],
        "gap": item.agreement.gap if item.agreement else None,
        "language": item.language,
        "prefix": prefix(item),
        "right": pair[0],
        "wrong": pair[1],
    }
