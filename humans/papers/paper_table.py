"""A paper's tables with one's own columns: values, and the rows and columns they are in."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...data.published import rows as published_rows
from ...data.statistics.intervals import Interval
from ...data.tables import Row
from ..statistics.accuracy_estimates import Estimate
from ..statistics.rater_accuracy import HUMANS

PUBLISHED, OWN = "published", "own"
OWN_COLUMN = "own: "  # begins the name of a column
ACCURACY, PERPLEXITY, HALF_WIDTH = "accuracy", "perplexity", "half-width"


@dataclass(frozen=True, slots=True)
class PublishedValue(Estimate):
    """One rater in one row of a published table.

    Attributes:
        table: the table's name in the paper.
        block: a part of the table, such as a language.
        row: the paper's label of the row.
        rater: a model or people.
        origin: published or own.
        value: the figure.
        measure: accuracy (from 0 to 1) or perplexity.
        half_width: of the paper's interval.
        sd: over the paper's models of one kind.
        limits: one's own 95 % interval.
        n: items; of a mean over suites or paradigms, their number.
        source: where in the paper a published value is.
    """

    table: str
    block: str
    row: str
    rater: str
    origin: str
    value: float
    measure: str = ACCURACY
    half_width: float | None = None
    sd: float | None = None
    limits: Interval | None = None
    n: int | None = None
    source: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """The row that it is in."""
        return self.block, self.row, self.measure


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The values in a paper's tables, and what a reader should know of them."""

    values: tuple[PublishedValue, ...]
    notes: tuple[str, ...] = ()
    across: frozenset[str] = frozenset()  # tables whose rows are raters, in the paper


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table as the paper has it: raters are columns, or rows where they are so there."""

    table: str
    raters: tuple[tuple[str, str], ...]  # (origin, rater), the publication's first
    rows: tuple[tuple[str, str, str], ...]  # (block, row, measure)
    cells: Mapping[
        tuple[str, str, str, str, str], PublishedValue
    ]  # (block, row, measure, origin, rater)
    across: bool

    def cell(self, row: tuple[str, str, str], rater: tuple[str, str]) -> PublishedValue | None:
        """Return the value of a rater in a row; None where the table has none."""
        return self.cells.get((*row, *rater))


def mixed(values: Iterable[PublishedValue]) -> Iterator[str]:
    """Yield that people and models are compared as the papers do, by unlike measures."""
    raters = {value.rater for value in values if value.origin == OWN}
    if HUMANS in raters and len(raters) > 1:
        yield (
            "a mixed comparison, as in the paper: people's share of right answers, models' choices "
            "(argmax); without --published, colorless compare compares like with like"
        )


def published(name: str) -> tuple[PublishedValue, ...]:
    """Return the values of a publication on controlled suites, in its order."""
    return tuple(
        PublishedValue(rater=cell.pop("model"), origin=PUBLISHED, **cell)
        for cell in published_rows(name)
    )


def layouts(figures: PaperFigures) -> tuple[PaperTable, ...]:
    """Return the tables of a paper, each with its rows in their order; raters as in its fullest
    rows."""
    tables = []
    for name in dict.fromkeys(value.table for value in figures.values):
        values = [value for value in figures.values if value.table == name]
        values.sort(key=lambda value: value.origin == OWN)  # stable
        in_row: dict[tuple[str, str, str], int] = {}
        for value in values:
            in_row[value.key] = in_row.get(value.key, 0) + 1
        fullest = sorted(values, key=lambda value: (value.origin == OWN, -in_row[value.key]))
        raters = dict.fromkeys((value.origin, value.rater) for value in fullest)
        cells = {(*value.key, value.origin, value.rater): value for value in values}
        tables.append(PaperTable(name, tuple(raters), tuple(in_row), cells, name in figures.across))
    return tuple(tables)


def wide(figures: PaperFigures, labels: Mapping[str, str]) -> tuple[list[Row], tuple[str, ...]]:
    """Return (rows, columns) for a terminal: a row for each of the paper's, a column for a rater,
    one's own first, as `own: LABEL`; under a row with intervals its half-widths."""
    rows: list[Row] = []
    raters: dict[str, None] = {}
    for layout in layouts(figures):
        columns = {
            rater: rater[1]
            if rater[0] == PUBLISHED
            else f"{OWN_COLUMN}{labels.get(rater[1], rater[1])}"
            for rater in layout.raters
        }
        raters.update(dict.fromkeys(columns.values()))
        for key in layout.rows:
            by_label = {label: layout.cell(key, rater) for rater, label in columns.items()}
            cells = {label: value for label, value in by_label.items() if value is not None}
            block, row, measure = key
            head = {"table": layout.table, "block": block, "row": row}
            rows.append({**head, "measure": measure, **{n: v.value for n, v in cells.items()}})
            halves = {n: v.half_width for n, v in cells.items() if v.half_width is not None}
            if halves:
                rows.append({**head, "measure": HALF_WIDTH, **halves})
    heads = ("table", "block", "row", "measure")
    used = [name for name in heads if name == "row" or len({row[name] for row in rows}) > 1]
    own = [name for name in raters if name.startswith(OWN_COLUMN)]
    return rows, (*used, *own, *(name for name in raters if name not in own))
