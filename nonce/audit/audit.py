"""Every baseline on every pair, summed up by cell, and the pairs on which all of them fail."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths
from ...data.items.item import Item
from ...data.progress import Progress, silent
from ...data.registry import look_up
from ...data.statistics.intervals import DECIMALS, Interval, cluster_intervals, clustered, numbered
from ..variants.frequencies import Frequencies
from ._learning import SCHEMES, Scheme
from .audited_pairs import (
    BETWEEN,
    RELATION,
    AuditPair,
    CellKey,
    cells_of,
    column_of,
    default_columns,
    pairs_of,
)
from .baselines import COMPOSED, NONE, Baseline, baselines_of

CREDITS = pl.Schema({"baseline": pl.String, "item_id": pl.String, "credit": pl.Float64})
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
        warning: `ABOVE`, `BELOW` (of a fixed rule, whose opposite is one too) or ""; " for VALUE"
            is added in a cell of one value.
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


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit.

    Attributes:
        columns: what makes a cell.
        figures: those of the whole first, then those of the cells.
        left_out: baseline → why it could judge no pair.
        verdict: a sentence on what the best baseline that does not find the cue makes of the whole.
            Of composed sets, guesses at what stands before the target are judged where that is not
            the head.
        best: that baseline; "" if none judges.
        hard: items on which no baseline that counts is better than undecided.
        hard_by_cell: cell → number of hard items and of their clusters; () is the whole.
        meeting: baseline → number of composed items in which it sees the head itself; its warnings
            and the verdict leave them out.
        n_pairs: items that are one right and one wrong sentence.
        n_clusters: their clusters.
    """

    columns: tuple[str, ...]
    figures: tuple[BaselineAccuracy, ...]
    left_out: Mapping[str, str]
    verdict: str
    best: str
    hard: tuple[Item, ...]
    hard_by_cell: Mapping[CellKey, tuple[int, int]]
    meeting: Mapping[str, int]
    n_pairs: int
    n_clusters: int


def audit_items(
    items: Sequence[Item],
    frequencies: Frequencies | None = None,
    *,
    by: Sequence[str] = (),
    against: Sequence[str] = (),
    split: str = "clusters",
    seed: int = 0,
    progress: Progress = silent,
) -> Audit:
    """Measure the accuracy of each baseline in each cell of a set of pairs.

    The order of the items does not matter (but in halves, where it says who teaches). A pair is
    hard if every baseline that counts and judges it has no more credit than its chance.

    Args:
        items: one pair at least; what is not one right and one wrong sentence is passed over.
        frequencies: those of the baseline `unigram`; None: counts of the items themselves.
        by: the columns of a cell; none: construction, value and kind of what was mined, and kind by
            relation (what is between cue and target), the construction of others.
        against: the baselines that count for hard items; none: all that do not find the cue by
            construction.
        split: learn from all other clusters (`clusters`) or from every other one (`halves`).
        seed: of the resamples.
        progress: called with (task, done, total) for each baseline that is done.

    Returns:
        A figure for each baseline and cell, the hard items, and the verdict in a sentence.

    Raises:
        InputError: a column that no item has, or an unknown baseline.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> audit_items(originals.items, by=["kind"]).verdict
    'a bag of bigrams solves 10 % more than chance (.60 [.55, .64], chance .50)'
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    for name in against:
        look_up(baselines, name, "against")
    columns, cells = _cells(pairs, by)
    judged = _judged_pairs(pairs, baselines, SCHEMES[split], progress)
    figures, fair_figures = _figures(judged, cells, seed)
    verdict, best = _verdict(fair_figures, baselines)
    is_hard = _hard_pairs(judged, against)
    hard_rows = {cell: rows[is_hard[rows]] for cell, rows in cells.items()}
    n_meeting = zip(baselines, judged.meets_head.sum(0).tolist(), strict=True)
    return Audit(
        columns=columns,
        figures=tuple(figures),
        left_out=judged.left_out,
        verdict=verdict,
        best=best,
        hard=tuple(pairs[n].item for n in np.flatnonzero(is_hard)),
        hard_by_cell={
            cell: (len(rows), len(np.unique(judged.owner[rows])))
            for cell, rows in hard_rows.items()
        },
        meeting={name: n for name, n in n_meeting if n},
        n_pairs=len(pairs),
        n_clusters=len(np.unique(judged.owner)),
    )


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Pairs, and what baselines make of them. An entry or row of each array is a pair.

    Attributes:
        baselines: by name, in the order of the columns.
        credits: a column a baseline, NaN where it does not judge.
        chances: credits of a fair guess.
        meets_head: whether a baseline sees the head itself.
        left_out: baseline → why it could judge no pair.
        owner: number of the pair's cluster.
        values: value of the cue; "" where it is not known.
        sets: number of the pair's set.
        sizes: number of pairs of each set; 0 for what is no set.
    """

    baselines: Mapping[str, Baseline]
    credits: Floats
    chances: Floats
    meets_head: Truths
    left_out: Mapping[str, str]
    owner: Integers
    values: NDArray[np.object_]
    sets: Integers
    sizes: Integers


def _cells(
    pairs: Sequence[AuditPair], by: Sequence[str]
) -> tuple[tuple[str, ...], dict[CellKey, Integers]]:
    """Return the columns that make a cell, and the numbers of the pairs of each cell: the whole, of
    composed sets then all pairs with something between, then the others."""
    columns = tuple(by) or default_columns(pairs)
    apart = "" if by else RELATION
    cells = {cell: np.array(rows) for cell, rows in cells_of(pairs, columns, apart).items()}
    passed = [
        number for number, pair in enumerate(pairs)
        if pair.item.kind == COMPOSED and column_of(pair.item, RELATION) != NONE
    ]  # fmt: skip
    if apart in columns and passed:
        between_cell = tuple(BETWEEN if column == apart else None for column in columns)
        cells = {(): cells.pop(()), between_cell: np.array(passed), **cells}
    return columns, cells


def _judged_pairs(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    scheme: Scheme,
    progress: Progress,
) -> JudgedPairs:
    """Let every baseline judge every pair."""
    credits, chances, left_out = _judged(pairs, baselines, scheme, progress)
    facts = [pair.item.agreement for pair in pairs]
    sets = numbered([pair.item.set_id for pair in pairs])[1]
    sizes = np.bincount(sets)
    sizes[sets[[not pair.item.set_id for pair in pairs]]] = 0
    meets_head: Truths = np.array(
        [[baseline.meets_head(pair) for baseline in baselines.values()] for pair in pairs],
        dtype=bool,
    )
    return JudgedPairs(
        baselines,
        credits,
        chances,
        meets_head,
        left_out,
        owner=numbered([pair.cluster for pair in pairs])[1],
        values=np.array([fact.value if fact else "" for fact in facts], dtype=object),
        sets=sets,
        sizes=sizes,
    )


def _hard_pairs(judged: JudgedPairs, against: Sequence[str]) -> Truths:
    """Return which pairs are judged, but not solved by any of the baselines that count."""
    counting = against or [name for name, base in judged.baselines.items() if not base.finds_cue]
    chosen = [n for n, name in enumerate(judged.baselines) if name in counting]
    is_judged = ~np.isnan(judged.credits[:, chosen])
    is_solved = np.greater(judged.credits, judged.chances)[:, chosen].any(1)
    is_hard: Truths = np.logical_and(is_judged.any(1), ~is_solved)
    return is_hard


def _figures(
    judged: JudgedPairs, cells: Mapping[CellKey, Integers], seed: int
) -> tuple[list[BaselineAccuracy], list[BaselineAccuracy]]:
    """Return a figure for each cell and baseline that judges in it, and those of the whole that
    leave out pairs in which a baseline sees the head itself."""
    groups: list[tuple[CellKey, int, Integers, Integers]] = []  # the last: those of a fair judgment
    for cell, rows in cells.items():
        for n in range(len(judged.baselines)):
            able = rows[~np.isnan(judged.credits[rows, n])]
            if len(able):
                groups.append((cell, n, able, able[~judged.meets_head[able, n]]))
    cluster_groups = [
        group
        for _, n, *row_sets in groups
        for rows in row_sets
        for group in clustered(judged.credits[rows, n], judged.owner[rows])
    ]
    intervals = iter(cluster_intervals(cluster_groups, seed=seed))
    has_several_values = len(set(judged.values)) > 1
    figures, fair_figures = [], []
    for cell, n, able, fair in groups:
        values = set(judged.values[cells[cell]])
        only = f" for {values.pop()}" if len(values) == 1 and has_several_values else ""
        full_figure, limits = _figure(judged, cell, n, able, next(intervals), only), next(intervals)
        warning = ""
        if len(fair):
            is_full = len(fair) == len(able)
            fair_figure = full_figure if is_full else _figure(judged, cell, n, fair, limits, only)
            warning = fair_figure.warning
            fair_figures += [] if cell else [fair_figure]
        figures.append(replace(full_figure, warning=warning))
    return figures, fair_figures


def _figure(
    judged: JudgedPairs, cell: CellKey, n: int, rows: Integers, interval: Interval | None, only: str
) -> BaselineAccuracy:
    """Return how the n-th baseline does on the pairs with these numbers. `only` is added to a
    warning."""
    credits, chances = judged.credits[rows, n], judged.chances[rows, n]
    accuracy, chance = (round(float(array.mean()), DECIMALS) for array in (credits, chances))
    name, baseline = list(judged.baselines.items())[n]
    # A rule that is reliably wrong is a rule; but what is learnt from other clusters falls
    # below chance where a set is balanced over them, and the opposite of that is none.
    warning = ""
    if interval and interval.low > chance:
        warning = ABOVE + only
    elif interval and baseline.reversible and interval.high < chance:
        warning = BELOW + only
    sets = judged.sets[rows]
    n_judged = np.bincount(sets, minlength=len(judged.sizes))
    complete = np.logical_and(n_judged == judged.sizes, judged.sizes > 1)
    guessed = np.where(judged.meets_head[rows, n], chances, credits)
    joint = [_joint(scores, sets, complete) for scores in (guessed, chances)]
    return BaselineAccuracy(
        cell, name, len(rows), len(np.unique(judged.owner[rows])), accuracy, interval, chance,
        warning, int(complete.sum()), *joint,
    )  # fmt: skip


def _joint(shares: Floats, sets: Integers, complete: Truths) -> float | None:
    """Return the mean over whole sets of the product of their items' shares: 1 for a set that is
    right throughout, a tie's share where there is one."""
    if not complete.any():
        return None
    products = np.ones(len(complete))
    np.multiply.at(products, sets, shares)
    return round(float(products[complete].mean()), DECIMALS)


def _verdict(
    figures: Sequence[BaselineAccuracy], baselines: Mapping[str, Baseline]
) -> tuple[str, str]:
    """Say what can be solved without finding the cue, and name the baseline that this is about."""
    blind = [result for result in figures if not baselines[result.baseline].finds_cue]
    if not blind:
        return "no baseline without grammar judges an item", ""
    above_chance = [result for result in blind if result.warning]
    best = max(above_chance or blind, key=_gain)
    low_high = (best.interval.low, best.interval.high) if best.interval else ()
    accuracy, chance, *limits = (
        f"{share:.2f}".removeprefix("0") for share in (best.accuracy, best.chance, *low_high)
    )
    figure = f"{accuracy} [{', '.join(limits)}]" if limits else accuracy
    if not above_chance:
        text = "no baseline without grammar is above chance"
        return f"{text} (best: {best.baseline} {figure})", best.baseline
    gain = 100 * _gain(best)
    percent = f"{gain:.0f} %" if gain >= 1 else f"{gain:.1f} %"
    figure += f", chance {chance}"
    phrase = baselines[best.baseline].phrase
    if best.warning.startswith(BELOW):
        text = f"{phrase} is wrong {percent} more often than chance ({figure}): its opposite tells"
    else:
        text = f"{phrase} solves {percent} more than chance ({figure})"
    return text, best.baseline


def _gain(figure: BaselineAccuracy) -> float:
    """Return how far a baseline, or its opposite where that is a rule, is above chance."""
    gain = figure.accuracy - figure.chance
    return -gain if figure.warning.startswith(BELOW) else gain


def baseline_credits(
    items: Sequence[Item], frequencies: Frequencies | None = None, progress: Progress = silent
) -> pl.DataFrame:
    """Return what each baseline makes of each pair; it learns from all clusters but the pair's own.

    Args:
        items: what is not one right and one wrong sentence has no row.
        frequencies: as for `audit_items`.
        progress: told of each baseline that is done.

    Returns:
        A row a baseline and pair that it judges: `baseline`, `item_id`, `credit` (0–1).
    """
    pairs = pairs_of(items)
    baselines = baselines_of(pairs, frequencies)
    credits = _judged(pairs, baselines, SCHEMES["clusters"], progress)[0]
    frame = pl.DataFrame(
        {
            "baseline": np.repeat(list(baselines), len(pairs)),
            "item_id": [pair.item.item_id for pair in pairs] * len(baselines),
            "credit": credits.T.ravel(),
        },
        CREDITS,
    )
    return frame.filter(pl.col("credit").is_not_nan())


def _judged(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    scheme: Scheme,
    progress: Progress,
) -> tuple[Floats, Floats, dict[str, str]]:
    """Return credits and chances, of shape (pairs, baselines), NaN where a baseline does not judge;
    and the baselines that judge none, with the reason."""
    credits = np.full((len(pairs), len(baselines)), np.nan)
    chances = np.full((len(pairs), len(baselines)), np.nan)
    left_out: dict[str, str] = {}
    for number, (name, baseline) in enumerate(baselines.items()):
        lacking = [baseline.lacks(pair) for pair in pairs]
        able = [index for index, reason in enumerate(lacking) if not reason]
        judged = [pairs[index] for index in able]
        if not judged:
            left_out[name] = Counter(sorted(lacking)).most_common(1)[0][0]
        elif baseline.keys is None:
            credits[able, number] = [baseline.judge(pair, lambda key: 0) for pair in judged]
        else:  # None becomes NaN
            outcomes = scheme(judged, baseline.keys, baseline.judge, baseline.labels)
            credits[able, number] = np.array(outcomes, dtype=float)
        chances[able, number] = [baseline.chance(pair) for pair in judged]
        progress("baselines", number + 1, len(baselines))
    return credits, chances, left_out
