"""Audit of a suite: how much of it could be solved without grammar.

Every baseline guesses every pair and has an accuracy in each cell (a group of pairs with the same
values in some columns). A sentence, the verdict, names the strongest baseline. Pairs on which all
baselines fail are *hard*.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path

import polars as pl

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
CELL_AND_BASELINE = ("cell", "baseline")  # columns that name a group of judged pairs
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
    columns, cells, headline = cells_of(pairs, by)
    credits, left_out = _judge_pairs(pairs, baselines, progress)
    figures = _accuracies(pairs, baselines, credits, columns, cells)
    verdict, best = verdict_on(figures, headline)
    counting = against or [name for name, base in baselines.items() if not base.finds_cue]
    counted = credits.filter(pl.col("baseline").is_in(counting))
    by_pair = counted.group_by("pair").agg(is_hard=(pl.col("credit") <= pl.col("chance")).all())
    hard = by_pair.filter("is_hard")["pair"].sort().to_list()  # indices of pairs
    cell_values = {cell: {"suite": name, **_values_of(columns, cell)} for cell in cells}
    rows: list[Row] = [
        {**cell_values[figure.cell], **figure.row, **({VERDICT: verdict} if figure is best else {})}
        for figure in figures
    ]
    for cell, indices in cells.items():
        hard_clusters = [pairs[index].cluster for index in {*hard}.intersection(indices)]
        sizes = {"n_items": len(hard_clusters), "n_clusters": len({*hard_clusters})}
        rows.append({**cell_values[cell], "baseline": HARD, **sizes, "chance": COIN_ACCURACY})
    joint_column = [JOINT] if any(figure.n_sets for figure in figures) else []
    result = AuditResult(
        rows, (*FIGURE_COLUMNS, *joint_column, "warning"), verdict=verdict, figures=figures,
        cell_columns=columns, headline=headline, left_out=left_out,
        hard=[pairs[index].item for index in hard],
        credits=credits.select("baseline", "item_id", "credit"), by=tuple(by),
    )  # fmt: skip
    n_clusters = len({pair.cluster for pair in pairs})
    return replace(result, messages=[*_messages(result, items, n_clusters, len(pairs), against)])


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
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Let every baseline judge every pair. Return a row for each pair that a baseline can judge,
    with the index `pair`, `baseline`, `item_id`, `credit` (1 for the right sentence, 0 for the
    wrong one, between them for a tie) and `chance`, the credit of a fair guess. Also return
    baseline → reason, for baselines that could judge no pair."""
    rows: list[tuple[int, str, str, float, float]] = []
    left_out: dict[str, str] = {}
    for number, (name, baseline) in enumerate(baselines.items()):
        reasons = [baseline.lacks(pair) for pair in pairs]
        indices = [index for index, reason in enumerate(reasons) if not reason]
        judged = [pairs[index] for index in indices]
        if not judged:  # name the most frequent reason, of equal ones the first in the alphabet
            ((left_out[name], _),) = Counter(sorted(reasons)).most_common(1)
        for index, pair, credit in zip(indices, judged, _credits_of(baseline, judged), strict=True):
            rows.append((index, name, pair.item.item_id, credit, baseline.chance(pair)))
        progress("baselines", number + 1, len(baselines))
    schema = {"pair": int, "baseline": str, "item_id": str, "credit": float, "chance": float}
    return pl.DataFrame(rows, schema, orient="row"), left_out


def _credits_of(baseline: Baseline, pairs: Sequence[AuditPair]) -> list[float]:
    """Return the credit (0–1) that a baseline has for each pair; one that learns has not seen the
    pair's own cluster."""
    if baseline.keys is None:
        return [baseline.judge(pair, lambda key: 0) for pair in pairs]
    return leave_cluster_out(pairs, baseline.keys, baseline.judge, baseline.labels)


def _accuracies(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    credits: pl.DataFrame,
    columns: Sequence[str],
    cells: Mapping[CellKey, Sequence[int]],
) -> list[BaselineAccuracy]:
    """Return the accuracy (mean credit) of each baseline in each cell in which it judges a pair.

    A cell is a group of pairs with the same values in some `columns`; `cells` has their indices.
    `credits` has the rows that `_judge_pairs` returns.
    """
    values = [pair.item.agreement.value if pair.item.agreement else "" for pair in pairs]
    members = [(number, index) for number, cell in enumerate(cells) for index in cells[cell]]
    pairs_of_cells = pl.DataFrame(members, ("cell", "pair"), orient="row")
    judged = (  # a row for each cell, baseline and pair, in this order
        credits.join(_clusters_and_sets(pairs), on="pair", maintain_order="left")
        .join(pairs_of_cells, on="pair", maintain_order="left")
        .sort("cell", maintain_order=True)
        .with_columns(group=pl.struct(CELL_AND_BASELINE).rle_id())
    )
    groups = judged.group_by(CELL_AND_BASELINE, maintain_order=True).agg(
        pl.len().alias("n_items"),
        pl.col("cluster").n_unique().alias("n_clusters"),
        pl.col("credit").mean().round(DECIMALS).alias("accuracy"),
        pl.col("chance").mean().round(DECIMALS),
    )
    with_joint = groups.join(
        _joint_accuracies(judged), on=CELL_AND_BASELINE, how="left", maintain_order="left"
    ).with_columns(pl.col("n_sets").fill_null(0))
    own_credits, own_clusters, own_groups = (
        judged[name].to_numpy() for name in ("credit", "cluster", "group")
    )
    intervals = accuracy_intervals(
        clustered(own_credits, own_clusters, own_groups, n_groups=len(groups))
    )
    figures = []
    for row, interval in zip(with_joint.iter_rows(named=True), intervals, strict=True):
        cell = [*cells][row["cell"]]
        # A fixed rule that is reliably wrong gives a good rule when reversed. A learner does not:
        # it falls below chance where a set is balanced over clusters. Nor does a rule in a cell
        # that restricts other nouns' values, where rules that use these are wrong by definition.
        restricts_nouns = bool({*RELATIONS}.intersection(_values_of(columns, cell)))
        is_rule = baselines[row["baseline"]].reversible and not restricts_nouns
        warning = ""
        if interval and interval.low > row["chance"]:
            warning = ABOVE_CHANCE
        elif interval and interval.high < row["chance"] and is_rule:
            warning = BELOW_CHANCE
        cell_values = {values[index] for index in cells[cell]}
        if warning and len(cell_values) == 1 < len({*values}):
            warning += f" for {cell_values.pop()}"
        limits = {"low": interval and interval.low, "high": interval and interval.high}
        figures.append(BaselineAccuracy(**row | limits | {"cell": cell, "warning": warning}))
    return figures


def _clusters_and_sets(pairs: Sequence[AuditPair]) -> pl.DataFrame:
    """Return a row for each pair: its index `pair`, the number of its `cluster`, its `set_id`, and
    `set_size`, the number of pairs in its set.

    The size is 0 for a set that does not count: the one of all items without a set, and, unless
    there are no others, those whose target is in a relative clause, as in scores.
    """
    items = [pair.item for pair in pairs]
    _, clusters = number_clusters([pair.cluster for pair in pairs])
    is_relative = [item.facts.get("opening") == "relative" for item in items]
    relative_sets = [item.set_id for item in compress(items, is_relative)]
    not_counted = ["", *([] if all(is_relative) else relative_sets)]
    size = pl.when(pl.col("set_id").is_in(not_counted)).then(0).otherwise(pl.len().over("set_id"))
    return pl.DataFrame({
        "pair": range(len(items)), "cluster": clusters, "set_id": [item.set_id for item in items],
    }).with_columns(set_size=size)  # fmt: skip


def _joint_accuracies(judged: pl.DataFrame) -> pl.DataFrame:
    """Return, for each cell and baseline in which a set of two pairs or more is complete: `joint`,
    the share of sets that the baseline has wholly right (the mean of the products of their items'
    credits), `n_sets`, their number, and `joint_chance`, the share for a fair guess.

    `judged` has a row for each cell, baseline and pair.
    """
    sets = judged.filter(pl.col("set_size") > 1).group_by(
        *CELL_AND_BASELINE, "set_id", "set_size", maintain_order=True
    )
    products = sets.agg(pl.len(), pl.col("credit").product(), pl.col("chance").product())
    complete = products.filter(pl.col("len") == pl.col("set_size"))
    return complete.group_by(CELL_AND_BASELINE).agg(
        pl.col("credit").mean().round(DECIMALS).alias("joint"),
        pl.len().alias("n_sets"),
        pl.col("chance").mean().round(DECIMALS).alias("joint_chance"),
    )
