"""Table: models beside people, with tests over originals."""

from collections.abc import Sequence
from dataclasses import replace

from colorless_green.data.tables import Row
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import (
    NONE,
    count,
    limits,
    number,
    p_value,
    points,
    text,
)
from colorless_green.humans.page.parts import Cell, Table, heading
from colorless_green.humans.page.raters import Rater, labels_of
from colorless_green.humans.page.values import decimal, share
from colorless_green.humans.rated import HUMANS

LEVEL = 0.05
HIGH_FLOOR = LEVEL / 4  # with a smallest p above this, four such cells have none below LEVEL (Holm)
ALONE = 1.0  # the only p that one original can give


def table(material: Material, raters: Sequence[Rater]) -> Table | None:
    """One row a model of `raters` and cell, people's accuracy beside it; None without models."""
    shown = {HUMANS, *(rater.name for rater in raters)}
    rows = [row for row in material.comparison if text(row, "rater") in shown]
    humans = {_cell(row): row for row in rows if text(row, "rater") == HUMANS}
    models = [row for row in rows if text(row, "rater") != HUMANS]
    if not models:
        return None
    labels = labels_of(material, list(dict.fromkeys(text(row, "rater") for row in models)))
    people = "simulated, %" if material.simulated else "people, %"
    with_suites = len({text(row, "suite") for row in rows}) > 1
    return Table(
        name="comparison",
        title="Models beside people" + (" (simulated judgments)" if material.simulated else ""),
        columns=(
            heading("construction"),
            heading("model"),
            heading("model, %", "number"),
            heading(people, "number"),
            heading("difference", "number"),
            heading("p", "number"),
            heading("p (Holm)", "number"),
            heading("ρ", "number"),
        ),
        rows=tuple(
            _row(row, humans.get(_cell(row)), labels[text(row, "rater")], with_suites)
            for row in models
        ),
        note=_note(rows, "originals" if material.suites is None else "items (or sets of items)"),
    )


def _cell(row: Row) -> tuple[str, str, str]:
    return text(row, "suite"), text(row, "kind"), text(row, "construction")


def _row(row: Row, human: Row | None, label: str, with_suites: bool) -> tuple[Cell, ...]:
    construction, kind = text(row, "construction"), text(row, "kind")
    rho = number(row, "spearman")
    why = [each for each in text(row, "note").split("; ") if each]
    without = [each for each in why if each.startswith("no ρ")]
    disagree = "; ".join(each for each in why if each not in without)
    no_rho = without[0].removeprefix("no ρ").strip(": ") if without else NONE
    return (
        Cell(
            construction or "all constructions",
            " · ".join([panel_name(kind), *([text(row, "suite")] if with_suites else [])]),
            sort="code" if construction else "text",
        ),
        Cell(label),
        _accuracy(row),
        _accuracy(human) if human else Cell(NONE, sort="number"),
        _difference(row),
        Cell(p_value(p := number(row, "p")), disagree, sort="number", value=p),
        Cell(p_value(p := number(row, "p_holm")), sort="number", value=p),
        Cell(no_rho, sort="number") if rho is None else decimal(rho, 2),
    )


def _accuracy(row: Row) -> Cell:
    interval = limits(number(row, "low"), number(row, "high"))
    below = "" if interval == NONE else f"{interval}, "
    return replace(
        share(number(row, "accuracy")), below=f"{below}n {count(number(row, 'n_items'))}"
    )


def _difference(row: Row) -> Cell:
    found = number(row, "difference")
    low, high = number(row, "difference_low"), number(row, "difference_high")
    return Cell(
        points(found),
        "" if low is None or high is None else f"{points(low)} to {points(high)}",
        sort="number",
        value=None if found is None else 100 * found,
    )


def _note(rows: Sequence[Row], units: str) -> str:
    """What the columns are; and what few units do to p, where cells have so few."""
    note = (
        "Difference is people minus model, in percentage points, over the items that all have."
        f" p is from flipping the sign of whole {units}, each of which weighs the same; Holm's"
        " adjustment is over the constructions of one model, totals apart. ρ is Spearman's"
        " correlation of right minus wrong answers with the model's log-odds."
    )
    floors = [floor for floor in (number(row, "p_floor") for row in rows) if floor is not None]
    several = [floor for floor in floors if floor < ALONE]
    if several and max(several) > HIGH_FLOOR:
        note += f" The smallest cells have too few {units} to give any p below {max(several):.3f}."
    if ALONE in floors:
        note += f" Where there is only one, p is {ALONE:.0f} whatever the difference."
    return note
