"""Accuracies that others have published, each with its source, for comparison with one's own.

There are two shapes of file: the agreement tables of Gulordava et al. 2018 (languages ×
constructions × originals and variants; percentages as printed), and tables of controlled suites
with one row for each printed figure (table, block, row, model; shares from 0 to 1).
"""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import polars as pl

AGREEMENT = ("gulordava2018",)  # papers with agreement tables; NAME_models has their single models
SUITES = ("marvin2018", "hu2020-syntaxgym", "hu2020-reflexives", "warstadt2020")


def published(name: str) -> pl.DataFrame:
    """Return the published table called `name`, in the order of the publication.

    Args:
        name: a name in `AGREEMENT` (columns language, model, condition, construction, accuracy,
            sd, source); the same with `_models` at its end (single models rather than means); or a
            name in `SUITES` (table, block, row, model, measure, value, half_width of the
            publication's own 95 % interval, n items, source).

    Returns:
        One row for each printed figure; accuracies as shares, a missing text empty, a missing
        number null.

    >>> published("marvin2018").filter(block="agreement", row="Simple", model="RNN")["value"][0]
    0.94
    """
    text = files(__name__).joinpath(f"{name.replace('-', '_')}.csv").read_bytes()
    # the types of columns that can be empty, which Polars would take for texts
    types = {"half_width": pl.Float64, "n": pl.Int64} if name in SUITES else {"sd": pl.Float64}
    table = pl.read_csv(text, infer_schema_length=None, schema_overrides=types)
    if name not in SUITES:  # percentages; rounded, since 94.7 / 100 is 0.9470000000000001
        table = table.with_columns((pl.selectors.matches("^accuracy|^sd$") / 100).round(6))
    return table.with_columns(pl.selectors.string().fill_null(""))


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the published table called `name`, each as column → value."""
    return published(name).iter_rows(named=True)
