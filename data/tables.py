"""Write data frames as text in every form, and JSON lines; read TSV.

TSV is written as the documentation promises: a header line, `.` as decimal point, an empty cell for
a missing value. A tab, line end or backslash in a cell is written `\\t`, `\\n`, `\\r`, `\\\\`,
so that one row is always one line. In CSV a text that a spreadsheet would take for a formula gets
an apostrophe in front; numbers and plain words (the level `+frame`) get none.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import polars as pl

from .errors import InputError
from .files import demand_file, numbered_lines, write_whole, write_whole_bytes
from .records import by_column, to_json
from .schema import Schema

Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Mapping[str, Cell]
TableForm: TypeAlias = Literal["table", "csv", "tsv", "jsonl", "markdown", "latex"]

ENDINGS: Mapping[str, TableForm] = {
    ".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex",
}  # fmt: skip
PARQUET = ".parquet"
ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {value: key for key, value in ESCAPES.items()}
ESCAPED = re.compile(r"\\[\\tnr]")
APOSTROPHE = "'"
# The beginning of a cell that a spreadsheet may take for a formula:
FORMULA_START = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
NO_FORMULA = re.compile(  # a number, or a word too long to be a column's name
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\+[a-z]{4,}"
)
LATEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
})  # fmt: skip
MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def frame(rows: Iterable[Row], columns: Schema | Collection[str] | None = None) -> pl.DataFrame:
    """Make a Polars frame of rows.

    Args:
        rows: one mapping a row; a missing key is a missing value.
        columns: the columns of the frame, in order: a schema with their types, or only names. By
            default all columns of the rows, in the order of their first use. A column whose type
            is not given gets the narrowest one that holds its values.

    Raises:
        TypeError: a value is not of the type in the schema, which is an error in our code.

    >>> frame([{"n": 1}, {"n": 2, "rate": 0.5}]).rows()
    [(1, None), (2, 0.5)]
    """
    rows = list(rows)
    if columns is None:
        columns = dict.fromkeys(name for row in rows for name in row).keys()
    cells = {name: [row.get(name) for row in rows] for name in columns}
    if isinstance(columns, Mapping):
        return pl.DataFrame(cells, columns)
    return pl.DataFrame({name: _column(values) for name, values in cells.items()})


def _column(values: Sequence[Cell]) -> pl.Series:
    """Return a column of values, of the narrowest type that holds them all."""
    types = {type(value) for value in values if value is not None}
    if types <= {int, float} and float in types:
        return pl.Series(values, dtype=pl.Float64, strict=False)
    if len(types) == 1:
        return pl.Series(values, dtype=pl.DataType.from_python(types.pop()))
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)


def cells_as_text(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with every cell as the text that a file has.

    Whole numbers have no decimal point and other numbers have all their digits; truth values are 1
    and 0; missing or empty cells are null.
    """

    def column_texts(name: str, dtype: pl.DataType) -> pl.Expr:
        """Return the expression that turns a column of this type into texts."""
        column = pl.col(name)
        if dtype.is_float():
            is_integral = (column == column.round(0)) & (column.abs() < 1e16)  # larger: 1e16
            integral = column.cast(pl.Int64, strict=False).cast(pl.String)
            return pl.when(is_integral).then(integral).otherwise(column.cast(pl.String))
        if dtype == pl.Boolean:
            column = column.cast(pl.Int64)
        return column.cast(pl.String).replace("", None)

    return table.select(
        column_texts(name, dtype).alias(name) for name, dtype in table.schema.items()
    )


def guard_cell(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    Any other value is returned unchanged.

    >>> guard_cell("=SUM(A1)"), guard_cell("-0.5"), guard_cell("+frame"), guard_cell(-0.5)
    ("'=SUM(A1)", '-0.5', '+frame', -0.5)
    """
    if isinstance(value, str) and FORMULA_START.match(value) and not NO_FORMULA.fullmatch(value):
        return APOSTROPHE + value
    return value


def unguard_cell(text: str) -> str:
    """Return the text that `guard_cell` was given."""
    without_guard = text.removeprefix(APOSTROPHE)
    return without_guard if guard_cell(without_guard) == text else text


def to_tsv(table: pl.DataFrame) -> str:
    """Return a table as TSV; tabs, line ends and backslashes in its cells are escaped."""
    escapes = pl.all().str.replace_many(list(ESCAPES), list(ESCAPES.values()))
    return cells_as_text(table).with_columns(escapes).write_csv(separator="\t", quote_style="never")


def to_csv(table: pl.DataFrame) -> str:
    """Return a table as CSV, its texts and names of columns guarded against spreadsheets."""
    guard = pl.selectors.string().map_elements(guard_cell, return_dtype=pl.String)
    safe = cells_as_text(table.with_columns(guard))
    safe = safe.rename(guard_cell)  # names of models can be names of columns
    return safe.write_csv(quote_style="necessary")


def to_jsonl(table: pl.DataFrame) -> str:
    """Return a table as JSON lines, one object for each row."""
    return "".join(to_json(row) + "\n" for row in table.iter_rows(named=True))


def to_markdown(table: pl.DataFrame) -> str:
    """Return a table in Markdown, its special characters escaped."""
    lines, numeric = lines_for_people(table)
    lines = [
        [MARKDOWN_SPECIAL.sub(r"\\\1", cell.replace("&", "&amp;")) for cell in line]
        for line in lines
    ]
    rule = ["--:" if is_number else "---" for is_number in numeric]
    return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))


def to_latex(table: pl.DataFrame) -> str:
    """Return a table as a LaTeX `tabular` with the rules of the package booktabs."""
    lines, numeric = lines_for_people(table)
    head, *body = [
        " & ".join(cell.translate(LATEX_ESCAPES) for cell in line) + r" \\" for line in lines
    ]
    spec = "".join("r" if is_number else "l" for is_number in numeric)
    rows = (f"\\begin{{tabular}}{{{spec}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule")
    return "\n".join([*rows, r"\end{tabular}"]) + "\n"


def to_html(table: pl.DataFrame) -> str:
    """Return a table as HTML for a notebook."""
    lines, numeric = lines_for_people(table)
    alignments = ["right" if is_number else "left" for is_number in numeric]
    tags = ("th", *["td"] * (len(lines) - 1))
    head, *body = [
        "".join(
            f'<{tag} style="text-align: {side}; padding: 2px 8px">{escape(cell)}</{tag}>'
            for cell, side in zip(line, alignments, strict=True)
        )
        for tag, line in zip(tags, lines, strict=True)
    ]
    rows = "".join(f"<tr>{line}</tr>" for line in body)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def lines_for_people(table: pl.DataFrame) -> tuple[list[list[str]], list[bool]]:
    """Return the cells of a table for people, and for each column whether it has numbers.

    The cells come line by line, the heading first; floats are rounded, and no cell has a line end.
    """
    floats = pl.selectors.float().map_elements(_format_float, return_dtype=pl.String)
    cells = cells_as_text(table.with_columns(floats)).fill_null("").rows()
    lines = [[" ".join(cell.split()) for cell in line] for line in (table.columns, *cells)]
    return lines, [dtype.is_numeric() or dtype == pl.Null for dtype in table.dtypes]


def _format_float(value: float) -> str:
    """Return a number with three decimals, or with one digit if it would be rounded to 0."""
    return f"{value:.3f}" if not value or abs(value) >= 0.0005 else f"{value:.0e}"


WRITERS: Mapping[str, Callable[[pl.DataFrame], str]] = {
    "csv": to_csv, "tsv": to_tsv, "jsonl": to_jsonl, "markdown": to_markdown,
    "latex": to_latex,
}  # fmt: skip
assert {*WRITERS, "table"} == set(get_args(TableForm))  # the form "table" is in data/result.py


def demand_ending(path: Path, option: str = "--out") -> None:
    """Raise `InputError` if a file's ending names no form of table, or if it cannot be written."""
    if _file_ending(path) not in (*ENDINGS, PARQUET):
        wrong = f"unknown file ending {_file_ending(path)!r}"
        right = f"a name that ends in one of {', '.join((*ENDINGS, PARQUET))}"
        raise InputError(f"{option} {path}", wrong, right, kind="unknown")
    demand_file(path)


def _file_ending(path: Path) -> str:
    """Return the ending of a file's name, not counting `.gz`."""
    return Path(path.name.removesuffix(".gz")).suffix


def write_table(path: Path, table: pl.DataFrame) -> int:
    """Write a table to a file, whole or not at all, in the form that the ending of its name says.

    Args:
        path: ends in .tsv, .csv, .jsonl, .md, .tex (each also packed: .tsv.gz) or .parquet.

    Returns:
        The number of rows.

    Raises:
        InputError: for another ending, or if the file cannot be written.
    """
    demand_ending(path)
    if path.suffix == PARQUET:
        with write_whole_bytes(path) as binary:
            table.write_parquet(binary)
    else:
        with write_whole(path) as stream:
            stream.write(WRITERS[ENDINGS[_file_ending(path)]](table))
    return table.height


def read_tsv(path: Path, needed: Collection[str] = ()) -> Iterator[dict[str, str]]:
    """Yield the rows of a TSV file that `write_table` wrote, each as column → text.

    Raises:
        InputError: for an empty file, a missing column of `needed`, or a row of another length.
    """
    lines = ((f"{path}:{number}", line.split("\t")) for number, line in numbered_lines(path))
    header = next(lines, None)
    if header is None:
        raise InputError(str(path), "the file is empty", "a table with a header line", kind="empty")
    for _, row in by_column(*header, lines, needed):
        yield {name: _unescaped(cell) for name, cell in row.items()}


def _unescaped(cell: str) -> str:
    """Return a cell of TSV with `\\t`, `\\n`, `\\r` and `\\\\` replaced by what they stand for."""
    return ESCAPED.sub(lambda match: UNESCAPES[match[0]], cell) if "\\" in cell else cell


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write records as JSON lines, whole or not at all, and return their number."""
    n_rows = 0
    with write_whole(path) as stream:
        for row in rows:
            stream.write(to_json(row) + "\n")
            n_rows += 1
    return n_rows
