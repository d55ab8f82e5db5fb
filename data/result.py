"""The result of a public function: a table to show, to write or to convert."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from .errors import InputError
from .tables import Row, frame, to_html, write_table
from .terminal import MOST, laid_out

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Result:
    """A table and messages about it, as a public function returns them.

    The command line prints what a notebook shows: the rows and columns for people, and the
    messages.

    Attributes:
        rows: the whole table, a mapping from column to cell for each row.
        columns: names of the columns that people are shown, in order.
        messages: notes on the result; the command line prints them to stderr.
        found: whether what was asked for was found; if not, the exit code is 1.
        n_hidden: rows at the end of `rows` that people are not shown.

    >>> result = Result([{"model": "ngram", "accuracy": 0.75, "seed": 1}], ["model", "accuracy"])
    >>> result
    model: ngram
    accuracy: 0.750
    >>> result.to_frame().columns
    ['model', 'accuracy', 'seed']
    """

    rows: Sequence[Row] = ()
    columns: Collection[str] = ()
    messages: Sequence[str] = ()
    found: bool = True
    n_hidden: int = 0

    def to_frame(self) -> pl.DataFrame:
        """Return all rows and columns as a Polars frame.

        Returns:
            One row for each of `rows`, in order.
        """
        return frame(self.rows, None if self.rows else self.columns)

    def to_pandas(self) -> "pd.DataFrame":
        """Return all rows and columns as a pandas frame.

        Returns:
            One row for each of `rows`, in order.

        Raises:
            InputError: pandas is not installed (extra `[pandas]`).
        """
        return to_pandas(self.to_frame())

    def write(self, path: str | Path) -> None:
        """Write all rows and columns in the form that the name's ending says.

        Args:
            path: ends in .tsv, .csv, .jsonl, .md, .tex or .parquet.

        Raises:
            InputError: for another ending, or where the file cannot be written.
        """
        write_table(Path(path), self.to_frame())

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns that people are shown.

        Returns:
            `columns` of all but the last `n_hidden` rows.
        """
        return frame(self.rows[: len(self.rows) - self.n_hidden], self.columns)

    def to_text(self) -> tuple[str, str]:
        """Return the table as a terminal shows it.

        Returns:
            The table, and what it leaves out ("" for nothing).
        """
        if not self.rows:
            return "", ""
        shown = self.shown()
        text, lacking = laid_out(shown.head(MOST))
        left_out = (
            [f"all {len(self.rows):,} rows"] if min(MOST, shown.height) < len(self.rows) else []
        )
        left_out += [f"columns {', '.join(lacking)}"] if lacking else []
        return text, "; ".join(left_out)

    def __repr__(self) -> str:
        text, left_out = self.to_text()
        lines = [*self.messages, *([f"{left_out}: to_frame()"] if left_out else [])]
        return "".join([text, *(f"{line}\n" for line in lines)]).rstrip("\n")

    def _repr_html_(self) -> str:
        notes = "".join(f"<br>{escape(message)}" for message in self.messages)
        return f"{to_html(self.shown())}<small>{notes}</small>"


@dataclass(frozen=True, repr=False)
class Shown(Result):
    """A result that people read as a text in place of its table."""

    text: str = ""

    def to_text(self) -> tuple[str, str]:
        """Return the text, which leaves out nothing."""
        return self.text, ""


def to_pandas(table: pl.DataFrame) -> "pd.DataFrame":
    """Convert a Polars frame to a pandas one, column by column (without pyarrow)."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        right = "pip install 'colorless-green[pandas]'"
        raise InputError(
            "to_pandas", "pandas is not installed", right, kind="dependency"
        ) from error
    return pd.DataFrame(table.to_dict(as_series=False))
