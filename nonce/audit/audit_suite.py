"""Audit of a suite, what of it could be solved without grammar: the public function `audit`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from ...data.errors import InputError
from ...data.files import user_path
from ...data.formats import write_suite
from ...data.items.item import Item, is_pair
from ...data.items.suite import Suite, select_items
from ...data.progress import Progress, silent
from ...data.registry import Names, listed
from ...data.result import SOLVED, Result, solved
from ...data.store import Store, StoreLike
from ...data.stored_suites import find_suite, mining_of_item, newest_note, store_of
from ...data.tables import Cell, Row, frame
from ...miner.mining_rows import load_mining, mined_treebank
from ...miner.treebank.surface import surface_of
from ...miner.treebank.treebank import sentences
from ..variants.frequencies import Frequencies, frequencies_from
from .audit import Audit, audit_items, figures_of, judge_pairs, verdict_on
from .audited_pairs import RELATIONS, cells_of, pairs_of
from .baselines import BASELINES, CUE_FINDERS, baselines_of, has_originals
from .text_overlap import TextOverlap, overlap_with

FIGURES = ("baseline", "n_items", "accuracy", "low", "high", "chance")
JOINT = ("joint", "n_sets", "joint_chance")  # where items are in sets
OF_ROW = ("suite", *FIGURES, *JOINT, "n_clusters", "warning", "verdict")  # other columns: cells
COMPOSED = "composed"  # kind of items
HARD = "hard"  # the row that counts the hard items of a cell
VERDICT = "verdict"  # in the row of the baseline that it begins with
BOTH_SIDES = "sentences, right and wrong alike"
COIN = 0.5  # what a fair coin has on a pair, however the pair was selected


@dataclass(frozen=True, repr=False, eq=False)
class AuditResult(Result):
    """The result of an audit, with one row per baseline and cell.

    Attributes:
        verdict: a sentence on the strongest baseline in all items, and on the strongest where first
            noun and attractor both oppose the cue.
        overlap: what of the suite is in a training text; None if none was named.
        by: the columns of cells that were asked for; people are shown those cells, else the whole.
    """

    verdict: str = ""
    overlap: TextOverlap | None = None
    by: tuple[str, ...] = ()

    def shown(self) -> pl.DataFrame:
        """Return the rows and columns for people, joint accuracy as sets of sets."""
        rows = [
            {**row, SOLVED: solved(row.get(JOINT[0]), row.get(JOINT[1]))}
            for row in self.rows
            if row["baseline"] != HARD and {n for n in row if n not in OF_ROW} == {*self.by}
        ]
        figures = [SOLVED if name == JOINT[0] else name for name in self.columns if name in OF_ROW]
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
        cut.items, counts, by=listed(by), against=listed(against), progress=progress
    )
    if hard is not None and result.hard:
        write_suite(replace(cut, name=f"{cut.name}/hard", items=result.hard), Path(hard))
    main, hidden = _rows(cut.name, result)
    verdict = f"{cut.name}: {result.verdict}"
    material = "originals" if has_originals(filter(is_pair, cut.items)) else BOTH_SIDES
    own = f"counts of the suite's own {material}, in other clusters than the item's"
    messages = [
        verdict,
        *newest_note(suite, found_suite),
        f"{cut.name}: {result.n_pairs} pairs, {result.n_clusters} clusters; what is learnt, from "
        f"all clusters but the item's own",
        f"unigram: {counts.name if counts is not None else own}",
        *([f"{text}: {overlap.told}"] if overlap else []),
        *_messages(result, cut.items, None if hard is None else Path(hard), listed(against)),
    ]
    in_sets = JOINT[:1] if any(figure.n_sets for figure in result.figures) else ()
    fixed = [name for name in result.columns if any(name in row for row in main)]
    columns = (*fixed, *FIGURES, *in_sets, "warning")
    is_found = hard is None or bool(result.hard)
    return AuditResult(
        [*main, *hidden], columns, messages, is_found, len(hidden), verdict, overlap, listed(by)
    )


class SuiteGuesses(NamedTuple):
    """The guesses of baselines on a suite.

    Attributes:
        credits: a row for each baseline and pair that it judges, with `baseline`, `item_id`,
            `credit` (0–1).
        verdict: the sentence on the strongest that `audit` prints.
    """

    credits: pl.DataFrame
    verdict: str


def suite_guesses(
    suite: Suite, suite_id: int, store: Store, progress: Progress = silent
) -> SuiteGuesses:
    """Let the baselines guess as `audit` does without options. `suite_id` may be that of a suite of
    which it is a part."""
    pairs = pairs_of(suite.items)
    baselines = baselines_of(pairs, _frequencies_for(suite, suite_id, store))
    columns, cells, headline = cells_of(pairs, ())
    credits, _ = judge_pairs(pairs, baselines, progress)
    whole = {cell: np.array(rows) for cell, rows in cells.items() if cell in ((), headline)}
    verdict, _ = verdict_on(figures_of(pairs, baselines, credits, columns, whole), headline)
    frame = pl.DataFrame(
        {
            "baseline": np.repeat(list(baselines), len(pairs)),
            "item_id": [pair.item.item_id for pair in pairs] * len(baselines),
            "credit": credits.T.ravel(),
        },
        pl.Schema({"baseline": pl.String, "item_id": pl.String, "credit": pl.Float64}),
    )
    return SuiteGuesses(frame.filter(pl.col("credit").is_not_nan()), verdict)


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


def _rows(suite: str, result: Audit) -> tuple[list[Row], list[Row]]:
    """Return rows to show a person (of the whole and the headline cell; warnings and hard
    items of cells that hold no value fixed, by which rules are right in one and wrong in another),
    and the other rows."""
    main: list[Row] = []
    hidden: list[Row] = []
    for cell, entries in groupby(result.figures, key=lambda figure: figure.cell):
        values = dict(zip(result.columns, cell, strict=False))
        fixed = {name: value for name, value in values.items() if value is not None}
        is_first = cell in ((), result.headline)
        by_value = not fixed.keys().isdisjoint(("value", *RELATIONS))
        for entry in entries:
            row: dict[str, Cell] = {"suite": suite, **fixed, **entry.row}
            if not cell and entry.baseline == result.best:
                row[VERDICT] = result.verdict
            is_leak = entry.warning and not by_value and entry.baseline not in CUE_FINDERS
            (main if is_first or is_leak else hidden).append(row)
        n_items, n_clusters = result.hard_by_cell[cell]
        counts = {"n_items": n_items, "n_clusters": n_clusters, "chance": COIN}
        hard_row: Row = {"suite": suite, **fixed, "baseline": HARD, **counts}
        (main if is_first or (n_items and not by_value) else hidden).append(hard_row)
    return main, hidden


def _messages(
    result: Audit, items: Sequence[Item], path: str | Path | None, against: Sequence[str]
) -> Iterator[str]:
    """Say what was left out, which baselines find the cue, what the hard items are and what their
    selection means for chance."""
    if result.n_pairs < len(items):
        n_left = len(items) - result.n_pairs
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
    n_hard = len(result.hard)
    which = f"none of {', '.join(against)}" if against else "no baseline that counts"
    yield f"hard: {n_hard} of {result.n_pairs} items, which {which} gets right"
    if path is not None and not n_hard:
        yield f"{path} is not written: there is no hard item; --against names fewer baselines"
    elif path is not None:
        yield (
            f"{path}: {n_hard} items. By selection these baselines have 0 there (ties apart), a "
            "coin has 0.5, and the opposite of any baseline up to 1: report the whole suite, too"
        )
