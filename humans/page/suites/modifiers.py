"""Figure: are scores stable when a modifier is put in? (Hu et al. 2020, Figure 6)"""

from collections.abc import Sequence

from colorless_green.humans.collection.scores import MODIFIER
from colorless_green.humans.page import svg
from colorless_green.humans.page.blocks import Block, drawing
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import THIN, number, points, text, whole
from colorless_green.humans.page.parts import Figure, Panel
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.suites.blocks import data, mark, of_level
from colorless_green.scoring.collection import WITH, WITHOUT

NAME = "modifiers-figure"
TITLE = "With and without modifiers"


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """Two marks for each rater; None where no suite is another with a modifier."""
    rows = of_level(suites.scores, MODIFIER, raters)
    if not rows:
        return None
    at = {(text(row, "rater"), text(row, "name")): row for row in rows}
    both = [rater for rater in raters if all((rater.name, each) in at for each in (WITHOUT, WITH))]
    blocks = []
    for rater in both:
        plain, modified = at[rater.name, WITHOUT], at[rater.name, WITH]
        change = (number(modified, "accuracy") or 0.0) - (number(plain, "accuracy") or 0.0)
        marks = (mark(plain, rater), mark(modified, rater, hollow=True))
        blocks.append(
            Block(f"{rater.label}: {points(change)} points", marks, number(plain, "chance"))
        )
    n_pairs = max(whole(row, "n_suites") for row in rows)
    pairs = "one pair of suites" if n_pairs == 1 else f"{n_pairs} pairs of suites"
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            f"The mean of {pairs}, the one without a modifier (filled) and the same with one"
            f" (hollow), with 95{THIN}% intervals over items; points are the difference. Dashed:"
            " chance."
        ),
        panels=(Panel("", drawing(blocks, NAME, TITLE)),) if svg.available() else (),
        legend=(),
        data=data(
            NAME,
            f"{TITLE}: the numbers in the figure",
            "modifier",
            rows,
            {rater.name: rater.label for rater in raters},
        ),
    )
