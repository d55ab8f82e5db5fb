"""Tables: the constructions that were found, and the sentences that were turned down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from colorless_green.data.tables import Row
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import (
    NONE,
    count,
    limits,
    number,
    p_value,
    percent,
    text,
    whole,
)
from colorless_green.humans.page.parts import Cell, Table, heading

ACCEPTED = "accepted"
MOST_REJECTED = 30  # constructions turned down that are listed; a treebank has thousands


def tables(material: Material) -> list[Table]:
    """Constructions (accepted ones first), and reasons why matches gave no original."""
    result = []
    if material.constructions:
        result.append(_constructions(material.constructions))
    if material.rejections:
        result.append(_rejections(material))
    return result


def _constructions(rows: Sequence[Row]) -> Table:
    accepted = [row for row in rows if text(row, "verdict") == ACCEPTED]
    others = [row for row in rows if text(row, "verdict") != ACCEPTED]
    others.sort(key=lambda row: (-whole(row, "n"), text(row, "construction")))
    shown = [*accepted, *others[:MOST_REJECTED]]
    columns = [each for each in COLUMNS if any(text(row, each.needs) for row in shown)]
    note = (
        "Agreeing is the share of instances whose cue and target have the same value; by value"
        " counts them as cue-target."
    )
    if len(others) > MOST_REJECTED:
        note += (
            f" Of {count(len(others))} constructions that were not accepted, the"
            f" {MOST_REJECTED} with most instances are listed."
        )
    return Table(
        name="constructions",
        title="Constructions",
        columns=tuple(each.heading for each in columns),
        rows=tuple(tuple(each.cell(row) for each in columns) for row in shown),
        note=note,
    )


def _agreeing(row: Row) -> Cell:
    interval = limits(number(row, "low"), number(row, "high"))
    return Cell(percent(number(row, "rate")), "" if interval == NONE else interval, sort="number")


def _verdict(row: Row) -> Cell:
    verdict = text(row, "verdict")
    return Cell(verdict, sort="yes" if verdict == ACCEPTED else "no")


def _feature(row: Row) -> Cell:
    return Cell(text(row, "feature"), text(row, "values").replace("|", ", "), sort="short")


def _count(column: str) -> Callable[[Row], Cell]:
    return lambda row: Cell(count(number(row, column)), sort="number")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of constructions; left out where no row has what it needs."""

    heading: Cell
    needs: str  # column of constructions.tsv
    cell: Callable[[Row], Cell]


COLUMNS = (
    Column(
        heading("construction"),
        "construction",
        lambda row: Cell(text(row, "construction"), sort="code"),
    ),
    Column(heading("feature"), "feature", _feature),
    Column(heading("instances", "number"), "n", _count("n")),
    Column(
        heading("by value", "code"),
        "n_by_value",
        lambda row: Cell(text(row, "n_by_value"), sort="code"),
    ),
    Column(heading("agreeing, %", "number"), "rate", _agreeing),
    Column(heading("q", "number"), "q", lambda row: Cell(p_value(number(row, "q")), sort="number")),
    Column(heading("originals", "number"), "n_originals", _count("n_originals")),
    Column(heading("verdict"), "verdict", _verdict),
    Column(heading("reason"), "reason", lambda row: Cell(text(row, "reason"))),
)


def _rejections(material: Material) -> Table:
    return Table(
        name="rejections",
        title="Matches that gave no original",
        columns=(heading("reason"), heading("sentences", "number")),
        rows=tuple(
            (Cell(reason), Cell(count(how_many), sort="number"))
            for reason, how_many in material.rejections
        ),
        note="Nothing is left out without being counted here.",
    )
