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


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """The values in a paper's tables, and what a reader should know of them."""

    values: tuple[PublishedValue, ...]
    notes: tuple[str, ...] = ()


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


def wide(figures: PaperFigures, labels: Mapping[str, str]) -> tuple[list[Row], tuple[str, ...]]:
    """Return (rows, columns) for a terminal: a row for each of the paper's, a column for a rater,
    one's own first, as `own: LABEL`; under a row with intervals its
    half-widths."""
    rows: list[Row] = []
    raters: dict[str, None] = {}

    def column(value: PublishedValue) -> str:
        is_own = value.origin == OWN
        return f"{OWN_COLUMN}{labels.get(value.rater, value.rater)}" if is_own else value.rater

    for table in dict.fromkeys(value.table for value in figures.values):
        members: dict[tuple[str, str, str], list[PublishedValue]] = {}
        for value in sorted(figures.values, key=lambda value: value.origin == OWN):  # stable
            if value.table == table:
                members.setdefault((value.block, value.row, value.measure), []).append(value)
        fullest = sorted(members.values(), key=lambda values: -len(values))
        raters |= dict.fromkeys(column(value) for values in fullest for value in values)
        for (block, row, measure), values in members.items():
            head = {"table": table, "block": block, "row": row}
            rows.append({**head, "measure": measure, **{column(v): v.value for v in values}})
            halves = {column(v): v.half_width for v in values if v.half_width is not None}
            if halves:
                rows.append({**head, "measure": HALF_WIDTH, **halves})
    heads = ("table", "block", "row", "measure")
    used = [name for name in heads if name == "row" or len({row[name] for row in rows}) > 1]
    own = [name for name in raters if name.startswith(OWN_COLUMN)]
    return rows, (*used, *own, *(name for name in raters if name not in own))
