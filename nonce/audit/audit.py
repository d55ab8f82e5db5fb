"""Audit of a suite: what of it could be solved without grammar.

Every baseline guesses every pair; in each cell it has an accuracy, a sentence names the strongest,
and the pairs on which all of them fail are hard.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from ...data.result import SOLVED, Result, solved
from ...data.statistics.intervals import DECIMALS, accuracy_intervals, clustered, numbered
from ...data.store import Store, StoreLike
from ...data.stored_suites import find_suite, mining_of_item, newest_note, store_of
from ...data.tables import Row, frame
from ...miner.mining_rows import load_mining, mined_treebank
from ...miner.treebank.surface import surface_of
from ...miner.treebank.treebank import sentences
from ..variants.frequencies import Frequencies, frequencies_from
from .audited_pairs import RELATIONS, AuditPair, CellKey, cells_of, pairs_of
from .baseline_accuracy import ABOVE, BELOW, JOINT, BaselineAccuracy, verdict_on
from .baselines import BASELINES, Baseline, baselines_of, has_originals, leave_cluster_out
from .text_overlap import TextOverlap, overlap_with

FIGURES = ("baseline", "n_items", "accuracy", "low", "high", "chance")
OF_ROW = ("suite", *FIGURES, *JOINT, "n_clusters", "warning", "verdict")  # other columns: cells
COMPOSED = "composed"  # kind of items
HARD = "hard"  # the row that counts the hard items of a cell
VERDICT = "verdict"  # in the row of the baseline that it begins with
BOTH_SIDES = "sentences, right and wrong alike"
OF_HARD = (
    "By selection these baselines have 0 there (ties apart), a coin has 0.5, and the opposite of "
    "any baseline up to 1: report the whole suite, too"
)
COIN = 0.5  # what a fair coin has on a pair, however the pair was selected


@dataclass(frozen=True, repr=False, eq=False)
class AuditResult(Result):
    """The result of an audit, with a row for each cell and baseline, and for its hard items.

    Attributes:
        verdict: a sentence on the strongest baseline in all items, and on the strongest where first
            noun and attractor both oppose the cue.
        figures: those of the whole first, then those of the cells.
        cell_columns: what makes a cell.
        headline: the cell of the verdict's second part; () where no noun opposes the cue.
        left_out: baseline → why it could judge no pair.
        hard: items on which no baseline that counts is better than undecided.
        credits: a row for each baseline and pair that it judges, with `baseline`, `item_id`,
            `credit` (0–1).
        overlap: what of the suite is in a training text; None if none was named.
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
        """Return the rows and columns for people, joint accuracy as sets of sets."""
        rows = [
            {**row, SOLVED: solved(row.get(JOINT[0]), row.get(JOINT[1]))}
            for row in self.rows
            if row["baseline"] != HARD and {n for n in row if n not in OF_ROW} == {*self.by}
        ]
        figures = [SOLVED if name == JOINT[0] else name for name in self.columns]
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
    for column in listed(by):  # a fact may be called as a column of the result: no row holds both
        if column in OF_ROW:
            wrong = f"{column!r} is a column of the figures"
            raise InputError("by", wrong, "another fact", kind="conflict")
    with store_of(suite, store) as opened_store:
        found_suite, suite_id = find_suite(opened_store, suite)
        cut = replace(found_suite, items=select_items(found_suite.items, listed(construction)))
        if not cut.table.is_pair().any():
            wrong = "no item in it is a right and a wrong sentence"
            raise InputError(cut.name, wrong, "a suite of pairs", kind="empty")
        counts = _frequencies_for(cut, suite_id, opened_store)
    overlap = None if text is None else overlap_with(cut.items, user_path(text), progress)
    result = audit_items(
        cut.items, counts, by=listed(by), against=listed(against), name=cut.name, progress=progress
    )
    if hard is not None and result.hard:
        write_suite(replace(cut, name=f"{cut.name}/hard", items=result.hard), Path(hard))
    verdict = f"{cut.name}: {result.verdict}"
    material = "originals" if has_originals(filter(is_pair, cut.items)) else BOTH_SIDES
    own = f"counts of the suite's own {material}, in other clusters than the item's"
    pairs, *others = result.messages
    messages = [
        verdict,
        *newest_note(suite, found_suite),
        f"{cut.name}: {pairs}",
        f"unigram: {counts.name if counts is not None else own}",
        *([f"{text}: {overlap.told}"] if overlap else []),
        *others,
    ]
    if hard is not None:
        messages.append(
            f"{hard}: {len(result.hard)} items. {OF_HARD}" if result.hard
            else f"{hard} is not written: there is no hard item; --against names fewer baselines"
        )  # fmt: skip
    is_found = hard is None or bool(result.hard)
    return replace(result, messages=messages, found=is_found, verdict=verdict, overlap=overlap)


def suite_guesses(
    suite: Suite, suite_id: int, store: Store, progress: Progress = silent
) -> AuditResult:
    """Let the baselines guess as `audit` does without options. `suite_id` may be that of a suite of
    which it is a part."""
    return audit_items(suite.items, _frequencies_for(suite, suite_id, store), progress=progress)


def _frequencies_for(suite: Suite, suite_id: int | None, store: Store) -> Frequencies | None:
    """Count the surface tokens of the treebank that the suite was mined from, if the store knows it
    and it lies there unchanged; else return `None`, for the suite's own counts."""
    record = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    original = suite.items[0].cluster_id
    treebank_id = record["treebank_id"] if record else mining_of_item(store, original)
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
        name: of the suite.
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
    credits, left_out = _judge(pairs, baselines, progress)
    chances = np.array([[base.chance(pair) for base in baselines.values()] for pair in pairs])
    figures = _figures_of(pairs, baselines, credits, chances, columns, cells)
    verdict, best = verdict_on(figures, headline)
    counting = against or [name for name, base in baselines.items() if not base.finds_cue]
    counts = [name in counting for name in baselines]
    is_solved = np.greater(credits, chances)[:, counts].any(1)
    is_hard = np.logical_and(~np.isnan(credits)[:, counts].all(1), ~is_solved)
    owner = np.array([pair.cluster for pair in pairs])
    fixed = {cell: {"suite": name, **_fixed(columns, cell)} for cell in cells}
    rows: list[Row] = [
        {**fixed[figure.cell], **figure.row, **({VERDICT: verdict} if figure is best else {})}
        for figure in figures
    ]
    for cell, indices in cells.items():
        owners = owner[indices[is_hard[indices]]]
        counts_of_hard = {"n_items": len(owners), "n_clusters": len({*owners}), "chance": COIN}
        rows.append({**fixed[cell], "baseline": HARD, **counts_of_hard})
    in_sets = JOINT[:1] if any(figure.n_sets for figure in figures) else ()
    guesses = (
        pl.DataFrame(credits, schema=list(baselines))
        .with_columns(pl.Series("item_id", [pair.item.item_id for pair in pairs], pl.String))
        .unpivot(index="item_id", variable_name="baseline", value_name="credit")
        .filter(pl.col("credit").is_not_nan())
    )
    result = AuditResult(
        rows, (*FIGURES, *in_sets, "warning"), verdict=verdict, figures=figures,
        cell_columns=columns, headline=headline, left_out=left_out,
        hard=[pairs[n].item for n in np.flatnonzero(is_hard)],
        credits=guesses.select("baseline", "item_id", "credit"), by=tuple(by),
    )  # fmt: skip
    n_clusters = len({*owner})
    return replace(result, messages=[*_messages(result, items, n_clusters, len(pairs), against)])


def _fixed(columns: Sequence[str], cell: CellKey) -> dict[str, str]:
    """Return the values that a cell holds fixed, by column."""
    values = zip(columns, cell, strict=False)
    return {column: value for column, value in values if value is not None}


def _messages(
    result: AuditResult,
    items: Sequence[Item],
    n_clusters: int,
    n_pairs: int,
    against: Sequence[str],
) -> Iterator[str]:
    """Say what the pairs are and what was left out, which baselines find the cue, and how many
    items are hard."""
    learnt = "what is learnt, from all clusters but the item's own"
    yield f"{n_pairs} pairs, {n_clusters} clusters; {learnt}"
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
    which = f"none of {', '.join(against)}" if against else "no baseline that counts"
    yield f"hard: {len(result.hard)} of {n_pairs} items, which {which} gets right"


def _judge(
    pairs: Sequence[AuditPair], baselines: Mapping[str, Baseline], progress: Progress
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


def _figures_of(
    pairs: Sequence[AuditPair],
    baselines: Mapping[str, Baseline],
    credits: Floats,
    chances: Floats,
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
        (cell, name, able, credits[able, n], chances[able, n])
        for cell, rows in cells.items()
        for n, name in enumerate(baselines)
        if len(able := rows[~np.isnan(credits[rows, n])])
    ]
    intervals = accuracy_intervals([clustered(own, owner[rows])[0] for *_, rows, own, _ in groups])
    figures = []
    for (cell, name, rows, *shares), interval in zip(groups, intervals, strict=True):
        accuracy, chance = (round(float(array.mean()), DECIMALS) for array in shares)
        # A rule that is reliably wrong is a rule; but what is learnt from other clusters falls
        # below chance where a set is balanced over them, and the opposite of that is none. Where a
        # cell fixes the values of other nouns, a rule that goes by these is wrong by definition.
        is_rule = baselines[name].reversible and not {*RELATIONS} & {*_fixed(columns, cell)}
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
        joint = [_joint(array, sets[rows], complete) for array in shares]
        low, high = (interval.low, interval.high) if interval else (None, None)
        figure = BaselineAccuracy(
            cell, name, len(rows), len(np.unique(owner[rows])), accuracy, low, high, chance,
            warning, joint[0], int(complete.sum()), joint[1],
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
