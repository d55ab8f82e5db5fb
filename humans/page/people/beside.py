"""Section: models beside people, over all items and item by item."""

from collections.abc import Sequence

from colorless_green.humans.page import comparisons, scatter
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.parts import Section
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.stored import unjudged


def section(material: Material, raters: Sequence[Rater]) -> Section:
    """Always there: that nobody was asked, or nothing compared, is told."""
    answered = any(each.total for each in material.tallies)
    table = comparisons.table(material, raters) if answered else None
    drawn = scatter.figure(material, raters)
    text = ""
    if not answered:
        text = _unanswered(material)
    elif table is None:
        text = "There are judgments, but nothing was compared with them yet."
    return Section(
        name="people",
        title="Models and people",
        text=(text,) if text else (),
        figures=(drawn,) if drawn else (),
        tables=(table,) if table else (),
    )


def _unanswered(material: Material) -> str:
    """What people did instead, as far as that is known: of several suites it is not."""
    told = unjudged(material.people.answers)
    if told:
        return f"{told[0].upper()}{told[1:]}."
    what = "judgments" if material.suites is None else "right or wrong answers"
    return f"No {what} of people have been imported for these items."
