"""The accuracy of a baseline in a cell, and the sentence on the strongest baseline."""

from collections.abc import Sequence
from typing import NamedTuple

from ...data.tables import Row
from .audited_pairs import FIRST_NOUN, OPPOSITE, CellKey
from .baselines import BASELINES

ABOVE_CHANCE, BELOW_CHANCE = "above chance", "its opposite is above chance"
JOINT = "joint"
JOINT_COLUMNS = (JOINT, "n_sets", "joint_chance")  # where items are in sets


class BaselineAccuracy(NamedTuple):
    """The accuracy of one baseline in one cell.

    Attributes:
        cell: a value for each column of the audit, None for a column that the cell does not
            restrict; () for all pairs.
        baseline: a key of `BASELINES`.
        n_items: number of pairs that it judged.
        n_clusters: number of their clusters.
        accuracy: mean credit, 0–1.
        low, high: 95 % interval of the accuracy over clusters; None for fewer than two.
        chance: mean credit of a fair guess.
        warning: `ABOVE_CHANCE` or `BELOW_CHANCE` if the accuracy is reliably above or below
            chance, else ""; " for VALUE" is added in a cell of one value. `BELOW_CHANCE` is only
            given to a fixed rule, whose opposite is a rule as well, and not in cells restricted by
            other nouns' values.
        joint: share of sets in which every item is right (with ties, the product of credits). Sets
            count that have two items or more, all in the cell and judged; None if there are none.
        n_sets: number of these sets.
        joint_chance: `joint` of a fair guess.
    """

    cell: CellKey
    baseline: str
    n_items: int
    n_clusters: int
    accuracy: float
    low: float | None
    high: float | None
    chance: float
    warning: str
    joint: float | None = None
    n_sets: int = 0
    joint_chance: float | None = None

    @property
    def row(self) -> Row:
        """Return the row of the result's table: column → value."""
        row = self._asdict() | {"warning": self.warning or None}
        absent = ("cell",) if self.n_sets else ("cell", *JOINT_COLUMNS)
        return {name: value for name, value in row.items() if name not in absent}

    @property
    def gain(self) -> float:
        """Return how far the accuracy is above chance, or with the warning `BELOW_CHANCE`, how far
        below: the gain of the opposite rule, which also is a way to solve the items."""
        if self.warning.startswith(BELOW_CHANCE):
            return self.chance - self.accuracy
        return self.accuracy - self.chance


def verdict_on(
    figures: Sequence[BaselineAccuracy], headline: CellKey
) -> tuple[str, BaselineAccuracy | None]:
    """Return the verdict, a sentence on the strongest baseline in all items and the strongest in
    the headline cell; and the accuracy of the former, or `None` if nothing was judged.

    The headline cell has the items in which other nouns oppose the cue; it is () if there are none.
    """
    best = _strongest([figure for figure in figures if not figure.cell])
    if best is None:
        return "no baseline judges an item", None
    sentence = _claim(best)
    if best.baseline == FIRST_NOUN and best.warning and best.accuracy == 1:
        sentence = f"agreement with the first noun solves the set: it {_share_text(best)}"
    in_headline = [figure for figure in figures if headline and figure.cell == headline]
    if second := _strongest(in_headline, preferred=best.baseline):
        both_oppose = headline.count(OPPOSITE) > 1
        nouns = "first noun and attractor both oppose" if both_oppose else "an attractor opposes"
        sentence += f"; where {nouns} the cue, {_claim(second)}"
    return sentence, best


def _strongest(
    figures: Sequence[BaselineAccuracy], preferred: str = FIRST_NOUN
) -> BaselineAccuracy | None:
    """Return the accuracy with the largest gain, `None` if there is none; those with a warning
    (reliably above or below chance) come first.

    If gains are equal, take the preferred baseline's accuracy, else that of a baseline which cannot
    use the cue (the word that decides the form), else one above ½.
    """

    def rank(figure: BaselineAccuracy) -> tuple[bool, float, bool, bool, bool]:
        """Return what accuracies are ordered by, the most important first."""
        is_preferred = figure.baseline == preferred
        ignores_cue = not BASELINES[figure.baseline].finds_cue
        has_warning, is_above_half = bool(figure.warning), figure.accuracy > 0.5
        return has_warning, figure.gain, is_preferred, ignores_cue, is_above_half

    return max(figures, key=rank, default=None)


def _claim(figure: BaselineAccuracy) -> str:
    """Return the clause of the verdict on one baseline: how often it is right, or that it is not
    reliably above chance."""
    text = f"{BASELINES[figure.baseline].phrase} {_share_text(figure)}"
    if not figure.warning:
        return f"no baseline is reliably above chance (best: {text})"
    return f"{text}, so its opposite is a rule" if figure.warning.startswith(BELOW_CHANCE) else text


def _share_text(figure: BaselineAccuracy) -> str:
    """Return a verb phrase on a baseline's accuracy: "is right in 61 % [50, 72] of 40 items
    (chance 50 %)"."""
    items = f"{figure.n_items:,} item{'s' if figure.n_items > 1 else ''}"
    if figure.accuracy in (0, 1):
        result = "right" if figure.accuracy else "wrong"
        return f"is {result} in all {items}"
    interval = ""
    if figure.low is not None and figure.high is not None:
        interval = f" [{_percent(figure.low)}, {_percent(figure.high)}]"
    share = f"{_percent(figure.accuracy)} %{interval}"
    return f"is right in {share} of {items} (chance {_percent(figure.chance)} %)"


def _percent(share: float) -> str:
    """Return a share (0–1) in percent as text; only exact shares of 0 and 1 give 0 and 100."""
    percent = round(100 * share, 1)
    if 0 < share < 1:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:g}"
