"""Section: models beside people, over all items and item by item."""

from collections.abc import Sequence

from colorless_green.humans.report import comparisons, scatter
from colorless_green.humans.report.material import Material
from colorless_green.humans.report.parts import Section
from colorless_green.humans.report.raters import Rater


def section(material: Material, raters: Sequence[Rater]) -> Section:
    """Always there: that nobody was asked, or nothing compared, is told."""
    table = comparisons.table(material, raters)
    drawn = scatter.figure(material, raters)
    text = ""
    if table is None:
        text = "No judgments of people have been imported for these items."
        if material.tallies:
            text = "There are judgments, but nothing was compared with them yet."
    return Section(
        name="people",
        title="Models and people",
        text=(text,) if text else (),
        figures=(drawn,) if drawn else (),
        tables=(table,) if table else (),
    )
