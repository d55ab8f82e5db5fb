"""Every baseline on every pair, summed up by cell, and the pairs on which all of them fail. In a
cell each has an accuracy, and a sentence names the strongest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.arrays import Floats, Integers, Truths
from ...data.items.item import Item
from ...data.progress import Progress, silent
from ...data.registry import look_up
from ...data.statistics.intervals import DECIMALS, Interval, accuracy_intervals, clustered, numbered
from ...data.tables import Row
from ..variants.frequencies import Frequencies
from .audited_pairs import FIRST_NOUN, OPPOSITE, RELATIONS, AuditPair, CellKey, cells_of, pairs_of
from .baselines import BASELINES, Baseline, baselines_of, leave_cluster_out

ABOVE, BELOW = "above chance", "its opposite is above chance"


@dataclass(frozen=True, slots=True)
class BaselineAccuracy:
    """The accuracy of one baseline in one cell.

    Attributes:
        cell: a value for each column of the audit, None where it is not held fixed; () is the
            whole.
        baseline: a key of `BASELINES`.
        n_items: pairs that it judged.
        n_clusters: their clusters.
        accuracy: mean credit, 0–1.
        interval: 95 %, over clusters; None for fewer than two.
        chance: mean credit of a fair guess.
        warning: `ABOVE`, `BELOW` (of a fixed rule, whose opposite is one too, but not where a cell
            holds the values of other nouns fixed) or ""; " for VALUE" is added in a cell of one
            value.
        n_sets: sets of two or more items all of whose items are in the cell and judged.
        joint: share of these in which every item is right, the product of credits where there are
            ties; None without sets.
        joint_chance: the same of a fair guess.
    """

    cell: CellKey
    baseline: str
    n_items: int
    n_clusters: int
    accuracy: float
    interval: Interval | None
    chance: float
    warning: str
    n_sets: int = 0
    joint: float | None = None
    joint_chance: float | None = None

    @property
    def row(self) -> Row:
        """Return the figures as columns."""
        low, high = (self.interval.low, self.interval.high) if self.interval else (None, None)
        names = ("joint", "n_sets", "joint_chance") if self.n_sets else ()
        return {
            "baseline": self.baseline, "n_items": self.n_items, "n_clusters": self.n_clusters,
            "accuracy": self.accuracy, "low": low, "high": high, "chance": self.chance,
            "warning": self.warning or None, **{name: getattr(self, name) for name in names},
        }  # fmt: skip

    @property
    def gain(self) -> float:
        """Return how far it, or its opposite where that is a rule, is above chance."""
        gain = self.accuracy - self.chance
        return -gain if self.warning.startswith(BELOW) else gain


def verdict_on(figures: Sequence[BaselineAccuracy], headline: CellKey) -> tuple[str, str]:
    """Return a sentence on the strongest baseline in all items and in the headline cell, and the
    name of the first."""
    best = _strongest([figure for figure in figures if not figure.cell])
    if best is None:
        return "no baseline judges an item", ""
    sentence = _claim(best)
    if best.baseline == FIRST_NOUN and best.warning and best.accuracy == 1:
        sentence = f"agreement with the first noun solves the set: it {_share_text(best)}"
    in_headline = [figure for figure in figures if figure.cell == headline != ()]
    if second := _strongest(in_headline, best.baseline):
        both = headline.count(OPPOSITE) > 1
        which = "first noun and attractor both oppose" if both else "an attractor opposes"
        sentence += f"; where {which} the cue, {_claim(second)}"
    return sentence, best.baseline


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
    if figure.interval:
        limits = f" [{_percent(figure.interval.low)}, {_percent(figure.interval.high)}]"
    share = f"{_percent(figure.accuracy)} %{limits}"
    return f"is right in {share} of {n_items} (chance {_percent(figure.chance)} %)"


def _percent(share: float) -> str:
    """Return a share in percent; 0 and 100 are exact."""
    percent = round(100 * share, 1)
    if 0 < share < 1:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:g}"


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        columns: what makes a cell.
        figures: those of the whole first, then those of the cells.
        left_out: baseline → why it could judge no pair.
        verdict: a sentence on the strongest baseline in all items, and on the strongest where first
            noun and attractor both oppose the cue.
        best: the strongest baseline in all items; "" if none judges.
        headline: the cell of the sentence's second part; () where no noun opposes the cue.
        hard: items on which no baseline that counts is better than undecided.
        hard_by_cell: cell → number of hard items and of their clusters; () is the whole.
        n_pairs: items that are one right and one wrong sentence.
        n_clusters: their clusters.
    """

    columns: tuple[str, ...]
    figures: tuple[BaselineAccuracy, ...]
    left_out: Mapping[str, str]
    verdict: str
    best: str
    headline: CellKey
    hard: tuple[Item, ...]
    hard_by_cell: Mapping[CellKey, tuple[int, int]]
    n_pairs: int
    n_clusters: int


def audit_items(
    items: Sequence[Item],
    frequencies: Frequencies | None = None,
    *,
    by: Sequence[str] = (),
    against: Sequence[str] = (),
    progress: Progress = silent,
) -> Audit:
    """Measure the accuracy of each baseline in each cell of a set of pairs.

    The order of the items does not matter. A pair is hard if every baseline that counts and judges
    it has no more credit than its chance.

    Args:
        items: one pair at least; what is not one right and one wrong sentence is passed over.
        frequencies: those of the baseline `unigram`; None: counts of the items themselves.
        by: the columns of a cell; none: construction, value and kind of what was mined, the
            construction of others; and `first_noun` and `relation` (of the nouns between) to
            the cue.
        against: the baselines that count for hard items; none: all that do not find the cue by
            construction.
        progress: called with (task, done, total) for each baseline that is done.

    Returns:
        A figure for each baseline and cell, the hard items, and the verdict in a sentence.

    Raises:
        InputError: a column that no item has, or an unknown baseline.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> audit_items(originals.items).verdict.partition(";")[0]
    'agreement with the first noun solves the set: it is right in all 137 items'
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    for name in against:
        look_up(baselines, name, "against")
    columns, listed_cells, headline = cells_of(pairs, by)
    cells = {cell: np.array(rows) for cell, rows in listed_cells.items()}
    credits, left_out = judge_pairs(pairs, baselines, progress)
    figures = figures_of(pairs, baselines, credits, columns, cells)
    verdict, best = verdict_on(figures, headline)
    counting = against or [name for name, base in baselines.items() if not base.finds_cue]
    counts = [name in counting for name in baselines]
    chances = [[baseline.chance(pair) for baseline in baselines.values()] for pair in pairs]
    is_solved = np.greater(credits, chances)[:, counts].any(1)
    is_hard = np.logical_and(~np.isnan(credits)[:, counts].all(1), ~is_solved)
    owner = np.array([pair.cluster for pair in pairs])
    hard_owners = {cell: owner[rows[is_hard[rows]]] for cell, rows in cells.items()}
    return Audit(
        columns=columns,
        figures=tuple(figures),
        left_out=left_out,
        verdict=verdict,
        best=best,
        headline=headline,
        hard=tuple(pairs[n].item for n in np.flatnonzero(is_hard)),
        hard_by_cell={
            cell: (len(owners), len(set(owners))) for cell, owners in hard_owners.items()
        },
        n_pairs=len(pairs),
        n_clusters=len(set(owner)),
    )


def judge_pairs(
    pairs: Sequence[AuditPair], baselines: Mapping[str, Baseline], progress: Progress = silent
) -> tuple[Floats, dict[str, str]]:
    """Return the credits of each pair (a row), a column a baseline, NaN where it does not judge;
    and baseline → why it could judge no pair. It learns from all clusters but the pair's own."""
    credits = np.full((len(pairs), len(baselines)), np.nan)
    left_out: dict[str, str] = {}
    for number, (name, baseline) in enumerate(baselines.items()):
        lacking = [baseline.lacks(pair) for pair in pairs]
        able = [index for index, reason in enumerate(lacking) if not reason]
        judged = [pairs[index] for index in able]
        if not judged:
            left_out[name] = Counter(sorted(lacking)).most_common(1)[0][0]
        elif baseline.keys is None:
            credits[able, number] = [baseline.judge(pair, lambda key: 0) for pair in judged]
        else:
            credits[able, number] = leave_cluster_out(
                judged, baseline.keys, baseline.judge, baseline.labels
            )
        progress("baselines", number + 1, len(baselines))
    return credits, left_out


def figures_of(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    credits: Floats,
    columns: Sequence[str],
    cells: Mapping[CellKey, Integers],
) -> list[BaselineAccuracy]:
    """Return a figure for each cell and baseline that judges in it."""
    owner, sets = (numbered(names)[1] for names in ([pair.cluster for pair in pairs],
                   [pair.item.set_id for pair in pairs]))  # fmt: skip
    sizes = np.bincount(sets)
    sizes[sets[[not pair.item.set_id for pair in pairs]]] = 0  # no set
    in_relatives = np.array([pair.item.facts.get("opening") == "relative" for pair in pairs])
    if not in_relatives.all():
        sizes[sets[in_relatives]] = 0  # sets of another kind, as in scores
    facts = [pair.item.agreement for pair in pairs]
    values = np.array([fact.value if fact else "" for fact in facts], dtype=object)
    groups = [
        (cell, name, able, credits[able, n])
        for cell, rows in cells.items()
        for n, name in enumerate(baselines)
        if len(able := rows[~np.isnan(credits[rows, n])])
    ]
    sums = [clustered(own, owner[rows])[0] for _, _, rows, own in groups]
    intervals = accuracy_intervals(sums)
    figures = []
    for (cell, name, rows, own), interval in zip(groups, intervals, strict=True):
        chances = np.array([baselines[name].chance(pairs[n]) for n in rows])
        accuracy, chance = (round(float(array.mean()), DECIMALS) for array in (own, chances))
        # A rule that is reliably wrong is a rule; but what is learnt from other clusters falls
        # below chance where a set is balanced over them, and the opposite of that is none. Where a
        # cell fixes the values of other nouns, a rule that goes by these is wrong by definition.
        fixed = {column for column, value in zip(columns, cell, strict=False) if value is not None}
        is_rule = baselines[name].reversible and fixed.isdisjoint(RELATIONS)
        warning = ""
        if interval and interval.low > chance:
            warning = ABOVE
        elif interval and interval.high < chance and is_rule:
            warning = BELOW
        here = set(values[cells[cell]])
        if warning and len(here) == 1 < len(set(values)):
            warning += f" for {here.pop()}"
        n_judged = np.bincount(sets[rows], minlength=len(sizes))
        complete = np.logical_and(n_judged == sizes, sizes > 1)
        joint = [_joint(shares, sets[rows], complete) for shares in (own, chances)]
        figure = BaselineAccuracy(
            cell, name, len(rows), len(np.unique(owner[rows])), accuracy, interval, chance,
            warning, int(complete.sum()), *joint,
        )  # fmt: skip
        figures.append(figure)
    return figures


def _joint(shares: Floats, sets: Integers, complete: Truths) -> float | None:
    """Return the mean over whole sets of the product of their items' shares: 1 for a set that is
    right throughout, a tie's share where there is one."""
    if not complete.any():
        return None
    products = np.ones(len(complete))
    np.multiply.at(products, sets, shares)
    return round(float(products[complete].mean()), DECIMALS)
