"""The accuracy of a baseline in a cell, and the sentence on the strongest baseline."""

from collections.abc import Sequence
from typing import NamedTuple

from ...data.tables import Row
from .audited_pairs import FIRST_NOUN, OPPOSITE, CellKey
from .baselines import BASELINES

ABOVE, BELOW = "above chance", "its opposite is above chance"
JOINT = ("joint", "n_sets", "joint_chance")  # where items are in sets


class BaselineAccuracy(NamedTuple):
    """The accuracy of one baseline in one cell.

    Attributes:
        cell: a value for each column of the audit, None where it is not held fixed; () is the
            whole.
        baseline: a key of `BASELINES`.
        n_items: pairs that it judged.
        n_clusters: their clusters.
        accuracy: mean credit, 0–1.
        low, high: 95 % interval over clusters; None for fewer than two.
        chance: mean credit of a fair guess.
        warning: `ABOVE`, `BELOW` (of a fixed rule, whose opposite is one too, but not where a cell
            holds the values of other nouns fixed) or ""; " for VALUE" is added in a cell of one
            value.
        joint: share of the sets of two or more items, all in the cell and judged, in which every
            item is right, the product of credits where there are ties; None without sets.
        n_sets: these sets.
        joint_chance: what `joint` is of a fair guess.
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
        """Return the figures as columns."""
        row = self._asdict() | {"warning": self.warning or None}
        absent = ("cell",) if self.n_sets else ("cell", *JOINT)
        return {name: value for name, value in row.items() if name not in absent}

    @property
    def gain(self) -> float:
        """Return how far it, or its opposite where that is a rule, is above chance."""
        gain = self.accuracy - self.chance
        return -gain if self.warning.startswith(BELOW) else gain


def verdict_on(
    figures: Sequence[BaselineAccuracy], headline: CellKey
) -> tuple[str, BaselineAccuracy | None]:
    """Return a sentence on the strongest baseline in all items and in the headline cell, and the
    figure of the first."""
    best = _strongest([figure for figure in figures if not figure.cell])
    if best is None:
        return "no baseline judges an item", None
    sentence = _claim(best)
    if best.baseline == FIRST_NOUN and best.warning and best.accuracy == 1:
        sentence = f"agreement with the first noun solves the set: it {_share_text(best)}"
    in_headline = [figure for figure in figures if figure.cell == headline != ()]
    if second := _strongest(in_headline, best.baseline):
        both = headline.count(OPPOSITE) > 1
        which = "first noun and attractor both oppose" if both else "an attractor opposes"
        sentence += f"; where {which} the cue, {_claim(second)}"
    return sentence, best


def _strongest(
    figures: Sequence[BaselineAccuracy], named: str = FIRST_NOUN
) -> BaselineAccuracy | None:
    """Return the figure that is furthest above chance; of equals the one named, else a baseline
    that does not find the cue, else one that is right rather than wrong."""

    def rank(figure: BaselineAccuracy) -> tuple[bool, float, bool, bool, bool]:
        name = figure.baseline
        is_blind = not BASELINES[name].finds_cue
        return bool(figure.warning), figure.gain, name == named, is_blind, figure.accuracy > 0.5

    return max(figures, key=rank, default=None)


def _claim(figure: BaselineAccuracy) -> str:
    """Say how often a baseline is right, or that it is not reliably above chance."""
    text = f"{BASELINES[figure.baseline].phrase} {_share_text(figure)}"
    if not figure.warning:
        return f"no baseline is reliably above chance (best: {text})"
    return f"{text}, so its opposite is a rule" if figure.warning.startswith(BELOW) else text


def _share_text(figure: BaselineAccuracy) -> str:
    """Say in how many items a baseline is right, or wrong where its opposite is the rule."""
    n_items = f"{figure.n_items:,} item{'s' if figure.n_items > 1 else ''}"
    if figure.accuracy in (0, 1):
        how = "right" if figure.accuracy else "wrong"
        return f"is {how} in all {n_items}"
    limits = ""
    if figure.low is not None and figure.high is not None:
        limits = f" [{_percent(figure.low)}, {_percent(figure.high)}]"
    share = f"{_percent(figure.accuracy)} %{limits}"
    return f"is right in {share} of {n_items} (chance {_percent(figure.chance)} %)"


def _percent(share: float) -> str:
    """Return a share in percent; 0 and 100 are exact."""
    percent = round(100 * share, 1)
    if 0 < share < 1:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:g}"
