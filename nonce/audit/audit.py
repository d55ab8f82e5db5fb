"""Audit of a suite: how much of it could be solved without grammar.

Every baseline guesses every pair and has an accuracy in each cell (a group of pairs with the same
values in some columns). A sentence, the verdict, names the strongest baseline. Pairs on which all
baselines fail are *hard*.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from ...data.arrays import Floats, Integers, Truths
from ...data.errors import InputError
from ...data.files import user_path
from ...data.formats import write_suite
from ...data.items.item import Item, is_pair
from ...data.items.suite import Suite, select_items
from ...data.progress import Progress, silent
from ...data.registry import Names, listed, look_up
from ...data.result import SOLVED, Result, n_solved
from ...data.statistics.intervals import DECIMALS, accuracy_intervals, clustered, number_clusters
from ...data.store import Store, StoreLike
from ...data.stored_suites import find_suite, mining_of_item, newest_note, store_of
from ...data.tables import Row, frame
from ...miner.mining_rows import load_mining, mined_treebank
from ...miner.treebank.surface import surface_of
from ...miner.treebank.treebank import sentences
from ..variants.frequencies import Frequencies, frequencies_from
from .audited_pairs import RELATIONS, AuditPair, CellKey, cells_of, pairs_of
from .baseline_accuracy import (
    ABOVE_CHANCE,
    BELOW_CHANCE,
    JOINT,
    JOINT_COLUMNS,
    BaselineAccuracy,
    verdict_on,
)
from .baselines import BASELINES, Baseline, baselines_of, has_originals, leave_cluster_out
from .text_overlap import TextOverlap, overlap_with

FIGURE_COLUMNS = ("baseline", "n_items", "accuracy", "low", "high", "chance")
FIXED_COLUMNS = ("suite", *FIGURE_COLUMNS, *JOINT_COLUMNS, "n_clusters", "warning", "verdict")
"""Columns of the result; any other column defines cells (groups of pairs)"""
COMPOSED = "composed"  # kind of items
HARD = "hard"  # value of `baseline` in the row that counts a cell's hard items
VERDICT = "verdict"  # column that only the row of the strongest baseline fills
BOTH_SENTENCES = "sentences, right and wrong alike"
NOTE_ON_HARD = (
    "By selection these baselines have 0 there (ties apart), a coin has 0.5, and the opposite of "
    "any baseline up to 1: report the whole suite, too"
)
COIN_ACCURACY = 0.5  # of a fair coin on pairs, however they were selected


@dataclass(frozen=True, repr=False, eq=False)
class AuditResult(Result):
    """The result of an audit, with a row for each cell and baseline, and for its hard items.

    Attributes:
        verdict: a sentence on the strongest baseline in all items, and on the strongest where first
            noun and attractor both oppose the cue.
        figures: accuracies of the baselines, those in all items first, then those in the cells.
        cell_columns: the columns that define the cells.
        headline: the cell of the verdict's second part; () where no noun opposes the cue.
        left_out: baseline → why it could judge no pair.
        hard: items on which no baseline that counts is better than undecided.
        credits: a row for each baseline and pair that it judges, with `baseline`, `item_id`,
            `credit` (0–1).
        overlap: how much of the suite is in a training text; None if none was named.
        by: the columns of cells that were asked for; people are shown those cells, else the whole.
    """

    verdict: str = ""
    figures: Sequence[BaselineAccuracy] = ()
    cell_columns: tuple[str, ...] = ()
    headline: CellKey = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    hard: Sequence[Item] = ()
    credits: pl.DataFrame = field(default_factory=pl.DataFrame)
    overlap: TextOverlap | None = None
    by: tuple[str, ...] = ()

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns for people; joint accuracy reads "3 of 10" sets."""
        rows = [
            {**row, SOLVED: n_solved(row.get(JOINT), row.get("n_sets"))}
            for row in self.rows
            if row["baseline"] != HARD and {x for x in row if x not in FIXED_COLUMNS} == {*self.by}
        ]
        figures = [SOLVED if name == JOINT else name for name in self.columns]
        return frame(rows, [*self.by, *figures])


def audit(
    suite: Suite | str | Path = "",
    *,
    by: Names = None,
    construction: Names = None,
    hard: str | Path | None = None,
    against: Names = None,
    text: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> AuditResult:
    """Measure how much of a suite can be solved without grammar, by simple baselines.

    Args:
        suite: a suite, its file or folder, or its name in the store [default: the newest]
        by: column that defines the cells, such as construction or value [default: by the suite]
        construction: only items of this construction, or of a pattern such as 'L__NOUN*'
        hard: file to write the hard items to, which none of the baselines that count gets right
        against: baseline that counts for hard items [default: all that do not find the cue by
            construction]
        text: training text in which whole sentences of the items and their prefixes are counted:
            plain text, packed or not
        store: where names are looked up
        progress: called with (task, done, total) as the work proceeds

    Returns:
        One row per baseline and cell: accuracy (0-1), its interval, chance, a warning where the
        baseline is better than it should be; of sets also how many a baseline has right in every
        item. Its `verdict` is one sentence on the strongest baselines.

    Raises:
        InputError: for a suite without pairs, an unknown baseline or column, and a text that
            cannot be read.

    Commands:
        colorless audit set.jsonl --by construction --hard hard.jsonl
        colorless audit set.jsonl --text corpus.txt.gz

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> whole = cg.audit(originals).to_frame().head(1)
    >>> whole.select("baseline", "n_items").row(0)
    ('majority_value', 137)
    """
    for column in listed(by):  # a row cannot hold a fact and a figure under the same name
        if column in FIXED_COLUMNS:
            wrong = f"{column!r} is a column of the figures"
            raise InputError("by", wrong, "another fact", kind="conflict")
    with store_of(suite, store) as opened_store:
        found_suite, suite_id = find_suite(opened_store, suite)
        part = replace(found_suite, items=select_items(found_suite.items, listed(construction)))
        if not part.table.is_pair().any():
            wrong = "no item in it is a right and a wrong sentence"
            raise InputError(part.name, wrong, "a suite of pairs", kind="empty")
        frequencies = _frequencies_for(part, suite_id, opened_store)
    overlap = None if text is None else overlap_with(part.items, user_path(text), progress)
    result = audit_items(
        part.items,
        frequencies,
        by=listed(by),
        against=listed(against),
        name=part.name,
        progress=progress,
    )
    if hard is not None and result.hard:
        write_suite(replace(part, name=f"{part.name}/hard", items=result.hard), Path(hard))
    verdict = f"{part.name}: {result.verdict}"
    material = "originals" if has_originals(filter(is_pair, part.items)) else BOTH_SENTENCES
    own_counts = f"counts of the suite's own {material}, in other clusters than the item's"
    sizes, *other_messages = result.messages  # the numbers of pairs and clusters
    messages = [
        verdict,
        *newest_note(suite, found_suite),
        f"{part.name}: {sizes}",
        f"unigram: {frequencies.name if frequencies is not None else own_counts}",
        *([f"{text}: {overlap.summary}"] if overlap else []),
        *other_messages,
    ]
    if hard is not None:
        messages.append(
            f"{hard}: {len(result.hard)} items. {NOTE_ON_HARD}" if result.hard
            else f"{hard} is not written: there is no hard item; --against names fewer baselines"
        )  # fmt: skip
    is_found = hard is None or bool(result.hard)
    return replace(result, messages=messages, found=is_found, verdict=verdict, overlap=overlap)


def suite_guesses(
    suite: Suite, suite_id: int, store: Store, progress: Progress = silent
) -> AuditResult:
    """Audit a suite as `audit` does without options, for the credits (0–1) that its baselines get
    for each pair. `suite_id` may be that of a stored suite of which `suite` is a part."""
    return audit_items(suite.items, _frequencies_for(suite, suite_id, store), progress=progress)


def _frequencies_for(suite: Suite, suite_id: int | None, store: Store) -> Frequencies | None:
    """Return the token frequencies of the treebank that a suite was mined from. Return None if the
    store does not know the treebank or its files have changed: the suite's own words are counted
    then."""
    record = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    original_id = suite.items[0].cluster_id  # a cluster is named after its original
    treebank_id = record["treebank_id"] if record else mining_of_item(store, original_id)
    if treebank_id is None:
        return None
    mined = None
    with suppress(InputError):
        mined = mined_treebank(load_mining(store, int(treebank_id)))
    if mined is None:
        return None
    counts: Counter[str] = Counter()
    for _, sentence in sentences(mined, on_bad=lambda fault: None):
        counts.update(form.lower() for form in surface_of(sentence, "merged").forms)
    return frequencies_from(counts, f"counts of the treebank {mined.name}")


def audit_items(
    items: Sequence[Item],
    frequencies: Frequencies | None = None,
    *,
    by: Sequence[str] = (),
    against: Sequence[str] = (),
    name: str = "",
    progress: Progress = silent,
) -> AuditResult:
    """Measure the accuracy of each baseline in each cell of a set of pairs.

    The order of the items does not matter. A pair is hard if no baseline that counts and judges it
    has more credit than chance.

    Args:
        items: one pair at least; items without one right and one wrong sentence are ignored.
        frequencies: frequencies of words for the baseline `unigram`; None: they are counted in the
            items themselves.
        by: the columns that define cells; none: construction, value and kind of mined items, the
            construction of others; and `first_noun` and `relation`, which compare the first noun
            and the nouns between with the cue.
        against: the baselines that count for hard items; none: all that do not find the cue by
            construction.
        name: the name of the suite, for the rows.
        progress: called with (task, done, total) for each baseline that is done.

    Returns:
        A row and a figure for each baseline and cell, the hard items, and the verdict in a
        sentence.

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
    for baseline in against:
        look_up(baselines, baseline, "against")
    columns, listed_cells, headline = cells_of(pairs, by)
    cells = {cell: np.array(indices) for cell, indices in listed_cells.items()}
    credits, left_out = _judge_pairs(pairs, baselines, progress)
    chances = np.array([[base.chance(pair) for base in baselines.values()] for pair in pairs])
    figures = _accuracies(pairs, baselines, credits, chances, columns, cells)
    verdict, best = verdict_on(figures, headline)
    counting = against or [name for name, base in baselines.items() if not base.finds_cue]
    judges = [name in counting for name in baselines]  # selects columns of the arrays
    is_judged = ~np.isnan(credits)[:, judges].all(1)
    is_solved = np.greater(credits, chances)[:, judges].any(1)
    is_hard = np.logical_and(is_judged, ~is_solved)
    clusters = np.array([pair.cluster for pair in pairs])
    cell_values = {cell: {"suite": name, **_values_of(columns, cell)} for cell in cells}
    rows: list[Row] = [
        {**cell_values[figure.cell], **figure.row, **({VERDICT: verdict} if figure is best else {})}
        for figure in figures
    ]
    for cell, indices in cells.items():
        hard_clusters = clusters[indices[is_hard[indices]]]  # of each hard item in the cell
        sizes = {"n_items": len(hard_clusters), "n_clusters": len({*hard_clusters})}
        rows.append({**cell_values[cell], "baseline": HARD, **sizes, "chance": COIN_ACCURACY})
    joint_column = [JOINT] if any(figure.n_sets for figure in figures) else []
    result = AuditResult(
        rows, (*FIGURE_COLUMNS, *joint_column, "warning"), verdict=verdict, figures=figures,
        cell_columns=columns, headline=headline, left_out=left_out,
        hard=[pairs[index].item for index in np.flatnonzero(is_hard)],
        credits=_credit_rows(credits, baselines, pairs), by=tuple(by),
    )  # fmt: skip
    n_clusters = len({*clusters})
    return replace(result, messages=[*_messages(result, items, n_clusters, len(pairs), against)])


def _credit_rows(
    credits: Floats, baselines: Iterable[str], pairs: Sequence[AuditPair]
) -> pl.DataFrame:
    """Return a row (baseline, item_id, credit) for each pair that a baseline judges, from an array
    of pairs × baselines with NaN where it does not."""
    item_ids = pl.Series("item_id", [pair.item.item_id for pair in pairs], pl.String)
    return (
        pl.DataFrame(credits, schema=list(baselines))
        .with_columns(item_ids)
        .unpivot(index="item_id", variable_name="baseline", value_name="credit")
        .filter(pl.col("credit").is_not_nan())
        .select("baseline", "item_id", "credit")
    )


def _values_of(columns: Sequence[str], cell: CellKey) -> dict[str, str]:
    """Return column → value for the columns in which all pairs of a cell have the same value."""
    values = zip(columns, cell, strict=False)  # the cell of all pairs is ()
    return {column: value for column, value in values if value is not None}


def _messages(
    result: AuditResult,
    items: Sequence[Item],
    n_clusters: int,
    n_pairs: int,
    against: Sequence[str],
) -> Iterator[str]:
    """Yield the messages of an audit: numbers of pairs and clusters, what was left out and why,
    which baselines find the cue, and how many items are hard."""
    source = "what is learnt, from all clusters but the item's own"
    yield f"{n_pairs} pairs, {n_clusters} clusters; {source}"
    if n_pairs < len(items):
        n_left = len(items) - n_pairs
        yield f"{n_left} of {len(items)} items are no right and wrong sentence: left out"
    for reason in dict.fromkeys(result.left_out.values()):
        names = [name for name, why in result.left_out.items() if why == reason]
        yield f"{', '.join(names)}: left out, {reason}"
    judging = {name: base for name, base in BASELINES.items() if name not in result.left_out}
    if finders := [name for name, baseline in judging.items() if baseline.finds_cue]:
        yield f"{', '.join(finders)}: go by the cue, too, and do not count for hard items"
    if any(item.kind == COMPOSED for item in items):
        names = [name for name, baseline in judging.items() if baseline.reach]
        yield f"{', '.join(names)}: see the head itself where few words or none are between"
    failing = f"none of {', '.join(against)}" if against else "no baseline that counts"
    yield f"hard: {len(result.hard)} of {n_pairs} items, which {failing} gets right"


def _judge_pairs(
    pairs: Sequence[AuditPair], baselines: Mapping[str, Baseline], progress: Progress
) -> tuple[Floats, dict[str, str]]:
    """Let every baseline judge every pair. Return its credits, an array of pairs × baselines: 1 for
    the right sentence, 0 for the wrong one, between them for a tie, NaN where a baseline cannot
    judge. Also return baseline → reason, for baselines that could judge no pair."""
    credits = np.full((len(pairs), len(baselines)), np.nan)
    left_out: dict[str, str] = {}
    for number, (name, baseline) in enumerate(baselines.items()):
        reasons = [baseline.lacks(pair) for pair in pairs]
        indices = [index for index, reason in enumerate(reasons) if not reason]
        judged = [pairs[index] for index in indices]
        if not judged:  # name the most frequent reason, of equal ones the first in the alphabet
            ((left_out[name], _),) = Counter(sorted(reasons)).most_common(1)
        elif baseline.keys is None:
            credits[indices, number] = [baseline.judge(pair, lambda key: 0) for pair in judged]
        else:
            credits[indices, number] = leave_cluster_out(
                judged, baseline.keys, baseline.judge, baseline.labels
            )
        progress("baselines", number + 1, len(baselines))
    return credits, left_out


def _accuracies(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    credits: Floats,
    chances: Floats,
    columns: Sequence[str],
    cells: Mapping[CellKey, Integers],
) -> list[BaselineAccuracy]:
    """Return the accuracy (mean credit) of each baseline in each cell in which it judges a pair.

    A cell is a group of pairs with the same values in some `columns`; `cells` has their indices.

    `credits` and `chances` (the credits of a fair guess) are arrays of pairs × baselines.
    """
    _, clusters = number_clusters([pair.cluster for pair in pairs])
    sets, set_sizes = _sets_of(pairs)
    agreements = [pair.item.agreement for pair in pairs]
    values = np.array([facts.value if facts else "" for facts in agreements], dtype=object)
    groups = [
        (cell, name, judged, credits[judged, n], chances[judged, n])
        for cell, indices in cells.items()
        for n, name in enumerate(baselines)
        if len(judged := indices[~np.isnan(credits[indices, n])])
    ]
    sums = [
        group_sums
        for _, _, judged, own_credits, _ in groups
        for group_sums in clustered(own_credits, clusters[judged])  # one, since they are one group
    ]
    intervals = accuracy_intervals(sums)
    figures = []
    for (cell, name, judged, own_credits, own_chances), interval in zip(
        groups, intervals, strict=True
    ):
        accuracy, chance = (round(float(x.mean()), DECIMALS) for x in (own_credits, own_chances))
        # A fixed rule that is reliably wrong gives a good rule when reversed. A learner does not:
        # it falls below chance where a set is balanced over clusters. Nor does a rule in a cell
        # that restricts other nouns' values, where rules that use these are wrong by definition.
        is_rule = baselines[name].reversible and not {*RELATIONS} & {*_values_of(columns, cell)}
        warning = ""
        if interval and interval.low > chance:
            warning = ABOVE_CHANCE
        elif interval and interval.high < chance and is_rule:
            warning = BELOW_CHANCE
        cell_values = set(values[cells[cell]])
        if warning and len(cell_values) == 1 < len(set(values)):
            warning += f" for {cell_values.pop()}"
        n_judged = np.bincount(sets[judged], minlength=len(set_sizes))
        complete = np.logical_and(n_judged == set_sizes, set_sizes > 1)
        figure = BaselineAccuracy(
            cell=cell,
            baseline=name,
            n_items=len(judged),
            n_clusters=len(np.unique(clusters[judged])),
            accuracy=accuracy,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            chance=chance,
            warning=warning,
            joint=_joint_accuracy(own_credits, sets[judged], complete),
            n_sets=int(complete.sum()),
            joint_chance=_joint_accuracy(own_chances, sets[judged], complete),
        )
        figures.append(figure)
    return figures


def _sets_of(pairs: Sequence[AuditPair]) -> tuple[Integers, Integers]:
    """Return the index of each pair's set, and the number of pairs in each set.

    The number is 0 for a set that does not count: the one of all items without a set, and, unless
    there are no others, those whose target is in a relative clause, as in scores.
    """
    _, sets = number_clusters([pair.item.set_id for pair in pairs])
    set_sizes = np.bincount(sets)
    set_sizes[sets[[not pair.item.set_id for pair in pairs]]] = 0
    is_relative = np.array([pair.item.facts.get("opening") == "relative" for pair in pairs])
    if not is_relative.all():
        set_sizes[sets[is_relative]] = 0
    return sets, set_sizes


def _joint_accuracy(shares: Floats, sets: Integers, complete: Truths) -> float | None:
    """Return the share of sets that a baseline has wholly right: the mean, over complete sets, of
    the product of their items' credits. Return None if no set is complete.

    Args:
        shares: credit (0–1) of each pair.
        sets: for each pair, the index of its set.
        complete: for each set, True if all its items are there.
    """
    if not complete.any():
        return None
    products = np.ones(len(complete))
    np.multiply.at(products, sets, shares)
    return round(float(products[complete].mean()), DECIMALS)
