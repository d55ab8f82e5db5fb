"""Figure: scores by circuit (Hu et al. 2020, Figure 5) or phenomenon."""

from collections.abc import Sequence

from colorless_green.humans.collection.scores import CIRCUIT
from colorless_green.humans.page import svg
from colorless_green.humans.page.blocks import Block, drawing
from colorless_green.humans.page.material import Suites
from colorless_green.humans.page.numbers import number, text
from colorless_green.humans.page.parts import Figure, Panel
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.suites.blocks import data, mark, of_level

NAME = "circuits-figure"
TITLE = "Score by circuit"


def figure(suites: Suites, raters: Sequence[Rater]) -> Figure | None:
    """A block for each circuit, a mark for each rater; None where there is but one circuit."""
    rows = of_level(suites.scores, CIRCUIT, raters)
    names = list(dict.fromkeys(text(row, "name") for row in rows))
    if len(names) < 2:
        return None
    blocks = []
    for name in names:
        own = {text(row, "rater"): row for row in rows if text(row, "name") == name}
        marks = tuple(mark(own[rater.name], rater) for rater in raters if rater.name in own)
        chances = [number(row, "chance") for row in own.values()]
        blocks.append(Block(name, marks, chances[0]))
    half = (len(blocks) + 1) // 2 if len(blocks) * len(raters) > 24 else len(blocks)
    parts = [part for part in (blocks[:half], blocks[half:]) if part]
    drawn = [
        Panel("", drawing(part, f"{NAME}-{n}", TITLE))
        for n, part in enumerate(parts)
        if svg.available()
    ]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=(
            "The unweighted mean of the accuracies of a circuit's (phenomenon's) suites, with 95 %"
            " intervals over items. Dashed: the mean chance of its suites."
        ),
        panels=tuple(drawn),
        legend=tuple(raters),
        data=data(
            NAME,
            f"{TITLE}: the numbers in the figure",
            "circuit",
            rows,
            {rater.name: rater.label for rater in raters},
        ),
    )
