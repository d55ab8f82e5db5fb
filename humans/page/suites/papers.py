"""Tables: a paper's own, in its layout, with one's own results in further columns or rows."""

from collections.abc import Iterator, Mapping

from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import NONE, count, limits, percent
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import short_labels
from colorless_green.humans.papers.layout import OWN, PERPLEXITY, Beside, Layout, Value, layouts

HYPHEN = "\u2011"  # that does not break: the name of a model stays on one line
PAPERS = {
    "marvin2018": "Marvin & Linzen 2018",
    "hu2020-syntaxgym": "Hu and others 2020",
    "hu2020-reflexives": "Hu, Chen & Levy 2020",
    "warstadt2020": "Warstadt and others 2020",
}


def tables(suites: Suites) -> list[Table]:
    """Every table that holds something of one's own."""
    return [table for name, found in suites.papers for table in _tables(name, found)]


def _tables(name: str, found: Beside) -> Iterator[Table]:
    own = [value.rater for value in found.values if value.origin == OWN]
    labels = short_labels(list(dict.fromkeys(own)))
    made = [layout for layout in layouts(found) if any(r[0] == OWN for r in layout.raters)]
    for number, layout in enumerate(made):
        sources = dict.fromkeys(v.source for v in layout.cells.values() if v.source)
        last = number == len(made) - 1
        yield Table(
            name=f"paper-{name}-{number}",
            title=f"{PAPERS.get(name, name)}, {layout.table}",
            columns=tuple(_columns(layout, labels)),
            rows=tuple(_across(layout, labels) if layout.across else _down(layout, labels)),
            note=" ".join(
                (
                    f"Published: {'; '.join(sources)}. Ties are wrong here, as in the paper.",
                    *((f"To note: {'; '.join(found.notes)}.",) if last and found.notes else ()),
                )
            ),
        )


def _columns(layout: Layout, labels: Mapping[str, str]) -> Iterator[Cell]:
    if layout.across:
        yield heading("model")
        for _, row, _ in layout.rows:
            yield heading(row.replace("_", " "), "number")
        return
    yield heading(layout.table)
    for rater in _own_first(layout):
        yield heading(_label(rater, labels).replace("-", HYPHEN), "number")


def _own_first(layout: Layout) -> list[tuple[str, str]]:
    """One's own columns stand where they are seen without scrolling."""
    return sorted(layout.raters, key=lambda rater: rater[0] != OWN)


def _label(rater: tuple[str, str], labels: Mapping[str, str]) -> str:
    origin, name = rater
    return f"own: {labels[name]}" if origin == OWN else name


def _across(layout: Layout, labels: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    for rater in layout.raters:
        cells = (_cell(layout.cell(row, rater)) for row in layout.rows)
        yield Cell(_label(rater, labels), sort="short"), *cells


def _down(layout: Layout, labels: Mapping[str, str]) -> Iterator[tuple[Cell, ...]]:
    raters = _own_first(layout)
    for row in layout.rows:
        block, name, _ = row
        yield Cell(name, block), *(_cell(layout.cell(row, rater)) for rater in raters)


def _cell(value: Value | None) -> Cell:
    if value is None:
        return Cell(NONE, sort="number")
    if value.measure == PERPLEXITY:
        return Cell(f"{value.value:,.2f}", sort="number")
    below = ""
    if value.half_width is not None:
        below = f"± {percent(value.half_width)}"
    elif value.low is not None:
        below = limits(value.low, value.high)
    if value.origin == OWN and value.n is not None:
        below = f"{below}, n {count(value.n)}" if below else f"n {count(value.n)}"
    return Cell(percent(value.value), below, sort="number")
