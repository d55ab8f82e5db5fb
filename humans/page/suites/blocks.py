"""What drawings of shares have in common on the page on controlled suites: marks and a table from
rows of collection.tsv."""

from collections.abc import Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.page.blocks import Mark
from colorless_green.humans.page.numbers import number, text, whole
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import INTERVAL, counted, interval, share


def mark(row: Row, rater: Rater, *, hollow: bool = False) -> Mark:
    """The mark of a row of collection.tsv."""
    return Mark(
        rater,
        number(row, "accuracy") or 0.0,
        number(row, "low"),
        number(row, "high"),
        whole(row, "n_items"),
        hollow,
    )


def data(name: str, title: str, what: str, rows: Sequence[Row], labels: dict[str, str]) -> Table:
    """The numbers of a drawing: rows of collection.tsv, by name and rater."""
    return Table(
        name=f"{name}-data",
        title=title,
        columns=(
            heading(what),
            heading("rater"),
            heading("suites", "number"),
            heading("items", "number"),
            heading("right, %", "number"),
            *INTERVAL,
            heading("chance, %", "number"),
        ),
        rows=tuple(
            (
                Cell(text(row, "name") or "all suites"),
                Cell(labels[text(row, "rater")]),
                counted(whole(row, "n_suites")),
                counted(whole(row, "n_items")),
                share(number(row, "accuracy")),
                *interval(number(row, "low"), number(row, "high")),
                share(number(row, "chance")),
            )
            for row in rows
        ),
    )


def of_level(rows: Sequence[Row], level: str, raters: Sequence[Rater]) -> list[Row]:
    """The rows of collection.tsv of one level, those of the raters that are shown."""
    names = [rater.name for rater in raters]
    return [row for row in rows if text(row, "level") == level and text(row, "rater") in names]
