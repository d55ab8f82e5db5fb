"""Section: how sentences were rated, right ones beside wrong ones."""

from collections.abc import Iterator, Sequence

from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.ratings import (
    DIFFERENCE,
    FLAT,
    GIVEN,
    HIGHER,
    LOGARITHM,
    MEANS,
    NO_MAGNITUDE,
    RIGHT,
    UNPLACED,
    WRONG,
    Z,
)
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, THIN, count, limits, percent, signed
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.values import counted
from colorless_green.humans.statistics import FEW_SOURCES

FEW = (
    f"Intervals from fewer than {FEW_SOURCES} sources are too narrow to be trusted; measures.csv"
    " says which those are."
)
SCORED = {GIVEN: "as given", LOGARITHM: "logarithm", Z: "z"}  # in the order of a table


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nobody rated a sentence."""
    found = material.people.measures
    own = [each for each in found if each.statistic in (*MEANS.values(), DIFFERENCE, HIGHER)]
    left_out = {each.statistic: each for each in found}
    if not own and UNPLACED not in left_out:
        return None
    by_construction = [each for each in own if each.construction]
    tables = (
        _table("ratings-kinds", "Ratings", [each for each in own if not each.construction]),
        _table("ratings-constructions", "Ratings by construction", by_construction),
    )
    return Section(
        name="ratings",
        title="How sentences were rated",
        text=(" ".join(_text(material, own)), *_told(left_out)),
        tables=tuple(each for each in tables if each.rows),
    )


def _text(material: Material, own: Sequence[Measure]) -> Iterator[str]:
    if material.simulated:
        yield "The ratings are simulated."
    if not own:
        return
    agreeing = material.suites is None
    units = "originals, each with its variants" if agreeing else "items (or sets of items)"
    yield (
        "Means are over people, then over items; the difference is over items of which the right"
        " and the wrong sentence were rated, and so is the share of those that were rated higher"
        f" when right (ties half). Intervals are 95{THIN}%, from resamples of {units}. People"
        " use a scale in their own ways: a z-score says by how many standard"
        " deviations a rating lies above the mean of all that the same person rated, fillers"
        " included."
    )
    if any(each.level == LOGARITHM for each in own):
        yield "The ratings are magnitudes, so their natural logarithms are averaged and compared."
    elif any("not known" in each.note for each in own):
        yield (
            "No study file says on which scale, or not all say the same; the numbers are taken as"
            " they were given, not as magnitudes."
        )


def _told(found: dict[str, Measure]) -> Iterator[str]:
    """How many people and ratings stand outside, and why."""
    if FLAT in found:
        yield (
            f"{_of(found[FLAT])} people gave one rating to all sentences: they have no z-scores and"
            " are left out of these."
        )
    if UNPLACED in found:
        yield (
            f"{_of(found[UNPLACED])} ratings are of sentences that are not known to be the right or"
            " the wrong one of their item; they count only in the mean and spread of who gave them."
        )
    if NO_MAGNITUDE in found:
        yield f"{_of(found[NO_MAGNITUDE])} magnitudes are not above 0 and count nowhere."


def _of(each: Measure) -> str:
    return f"{count(each.value)} of {count(each.n)}"


def _table(name: str, title: str, own: Sequence[Measure]) -> Table:
    cells: dict[tuple[str, str, str], dict[str, Measure]] = {}
    for level in SCORED:
        for each in own:
            if each.level == level:
                key = each.kind, each.construction, level
                cells.setdefault(key, {})[each.statistic] = each
    places = list(dict.fromkeys((each.kind, each.construction) for each in own))
    ordered = sorted(cells, key=lambda key: places.index(key[:2]))
    return Table(
        name=name,
        title=title,
        columns=(
            heading("sentences"),
            heading("scored", "short"),
            heading("right", "number"),
            heading("wrong", "number"),
            heading("right − wrong", "number"),
            heading("higher when right, %", "number"),
            heading("items with both", "number"),
        ),
        rows=tuple(_row(key, cells[key]) for key in ordered),
        note=FEW if any("only" in each.note for each in own) else "",
    )


def _row(key: tuple[str, str, str], own: dict[str, Measure]) -> tuple[Cell, ...]:
    kind, construction, level = key
    both = own.get(DIFFERENCE)
    where = Cell(construction, panel_name(kind), sort="code") if construction else None
    return (
        where or Cell(panel_name(kind)),
        Cell(SCORED[level], sort="short"),
        _number(own.get(MEANS[RIGHT])),
        _number(own.get(MEANS[WRONG])),
        _number(both, sign=True),
        _share(own.get(HIGHER)),
        counted(both.n if both is not None else 0),
    )


def _number(each: Measure | None, *, sign: bool = False) -> Cell:
    if each is None or each.value is None:
        return Cell(NONE, sort="number")
    shown = signed(each.value, 2) if sign else signed(each.value, 2).removeprefix("+")
    between = ""
    if each.low is not None and each.high is not None:
        between = f"{signed(each.low, 2)} to {signed(each.high, 2)}"
        between = between if sign else between.replace("+", "")
    return Cell(shown, between, sort="number", value=each.value)


def _share(each: Measure | None) -> Cell:
    if each is None or each.value is None:
        return Cell(NONE, sort="number")
    between = limits(each.low, each.high) if each.low is not None else ""
    return Cell(percent(each.value), between, sort="number", value=100 * each.value)
