"""Figure: the score over all suites, by model (Hu et al. 2020, Figure 1)."""

from collections.abc import Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.collection.scores import SCORE
from colorless_green.humans.page import svg
from colorless_green.humans.page.blocks import Block, drawing
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import number, text
from colorless_green.humans.page.parts import Figure, Panel
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.suites.blocks import data, mark, of_level

NAME = "scores-figure"
TITLE = "Score over all suites"


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """Raters by score, the best on top; None without scores."""
    rows = of_level(suites.scores, SCORE, raters)
    rows.sort(key=lambda row: (text(row, "name"), -(number(row, "accuracy") or 0.0)))
    if not rows:
        return None
    by_name = {rater.name: rater for rater in raters}
    blocks = [
        Block(_name(row, rater), (mark(row, rater),), number(row, "chance"))
        for row in rows
        for rater in [by_name[text(row, "rater")]]
    ]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "The unweighted mean of the accuracies of all suites (the SG score of Hu and others"
            " 2020; of a suite with several constructions each counts as one). Lines are 95 %"
            " intervals: other items in the same suites. The dashed line is chance: the mean of the"
            " suites'. All are over the items that every rater could answer."
        ),
        panels=(Panel("", drawing(blocks, NAME, TITLE)),) if svg.available() else (),
        legend=(),
        data=data(NAME, f"{TITLE}: the numbers in the figure", "score", rows, _labels(raters)),
    )


def _name(row: Row, rater: Rater) -> str:
    kind = text(row, "name")
    return f"{rater.label}, {panel_name(kind)}" if kind else rater.label


def _labels(raters: Sequence[Rater]) -> dict[str, str]:
    return {rater.name: rater.label for rater in raters}
