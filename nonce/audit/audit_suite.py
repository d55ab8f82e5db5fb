"""What of a suite could be solved without grammar: the public function `audit`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ...data.errors import InputError
from ...data.formats import write_suite
from ...data.items.item import is_pair
from ...data.items.suite import Suite, select_items
from ...data.progress import Progress, silent
from ...data.registry import Names, listed
from ...data.result import Result
from ...data.store import Store, StoreLike
from ...data.stored_suites import find_suite, mining_of_item, newest_note, store_of
from ...data.tables import Cell, Row
from ...data.validate import demand_at_least
from ...miner.mining_rows import load_mining, mined_treebank
from ...miner.treebank.surface import surface_of
from ...miner.treebank.treebank import Treebank, sentences
from ..variants.frequencies import Frequencies, frequencies_from
from .audit import Audit, audit_items, baseline_credits
from .audited_pairs import BETWEEN, RELATION
from .baselines import CUE_FINDERS, has_originals

FIGURES = ("baseline", "n_items", "n_clusters", "accuracy", "low", "high", "chance", "warning")
JOINT = ("n_sets", "joint", "joint_chance")  # where items stand in sets
HARD = "hard"  # the row that counts the hard items of a cell
VERDICT = "verdict"  # in the row of the baseline that it is about
COIN = 0.5  # what a fair coin has on a pair, however the pair was selected


@dataclass(frozen=True, repr=False, eq=False)
class AuditResult(Result):
    """The result of an audit, with one row per baseline and cell.

    Attributes:
        verdict: a sentence on what can be solved without finding the cue.
    """

    verdict: str = ""


def audit(
    suite: Suite | str | Path = "",
    *,
    by: Names = None,
    construction: Names = None,
    hard: str | Path | None = None,
    against: Names = None,
    seed: int = 0,
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
        seed: seed of the resampling
        store: where names are looked up
        progress: called with (task, done, total) as the work proceeds

    Returns:
        One row per baseline and cell: accuracy (0-1), its interval, chance, a warning where the
        baseline is better than it should be; of sets also how many a baseline has right in every
        item. Its `verdict` is one sentence on the whole; of composed sets, what precedes the
        target counts where it is not the head.

    Raises:
        InputError: for a suite without pairs, and an unknown baseline or column.

    Commands:
        colorless audit
        colorless audit set.jsonl --by construction --hard hard.jsonl

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> whole = cg.audit(originals).to_frame().head(1)
    >>> whole.select("baseline", "n_items").row(0)
    ('majority_value', 137)
    """
    demand_at_least(0, seed=seed)
    for column in listed(by):  # a fact may be called as a column of the result: no row holds both
        if column in ("suite", *FIGURES, *JOINT, VERDICT):
            wrong = f"{column!r} is a column of the figures"
            raise InputError("by", wrong, "another fact", kind="conflict")
    with store_of(suite, store) as opened_store:
        found_suite, suite_id = find_suite(opened_store, suite)
        cut = replace(found_suite, items=select_items(found_suite.items, listed(construction)))
        if not cut.table.is_pair().any():
            wrong = "no item in it is a right and a wrong sentence"
            raise InputError(cut.name, wrong, "a suite of pairs", kind="empty")
        counts = frequencies_for(cut, suite_id, opened_store)
    result = audit_items(
        cut.items, counts, by=listed(by), against=listed(against), seed=seed, progress=progress
    )
    if hard is not None and result.hard:
        write_suite(replace(cut, name=f"{cut.name}/hard", items=result.hard), Path(hard))
    main, hidden = _rows(cut.name, result)
    verdict = f"{cut.name}: {result.verdict}"
    messages = [
        verdict,
        *newest_note(suite, found_suite),
        f"{cut.name}: {result.n_pairs} pairs, {result.n_clusters} clusters; what is learnt, from "
        f"all clusters but the item's own; seed {seed}",
        f"unigram: {counts.name if counts is not None else _own_counts(cut)}",
        *_messages(result, len(cut.items), None if hard is None else Path(hard), listed(against)),
    ]
    in_sets = JOINT if any(figure.n_sets for figure in result.figures) else ()
    columns = ("suite", *result.columns, *FIGURES[:-1], *in_sets, FIGURES[-1])
    is_found = hard is None or bool(result.hard)
    return AuditResult([*main, *hidden], columns, messages, is_found, len(hidden), verdict)


def _own_counts(suite: Suite) -> str:
    """Say what is counted where the mined treebank is not known."""
    any_original = has_originals(filter(is_pair, suite.items))
    material = "originals" if any_original else "sentences, right and wrong alike"
    return f"counts of the suite's own {material}, in other clusters than the item's"


def suite_credits(
    suite: Suite, suite_id: int, store: Store, progress: Progress = silent
) -> pl.DataFrame:
    """Return what each baseline makes of each pair of a suite, as `audit` without options has it,
    in the columns of `baseline_credits`. `suite_id` may be that of a suite of which it is a part.
    """
    counts = frequencies_for(suite, suite_id, store)
    return baseline_credits(suite.items, counts, progress)


def frequencies_for(suite: Suite, suite_id: int | None, store: Store) -> Frequencies | None:
    """Count the surface tokens of the treebank that the suite was mined from, if the store knows it
    and it lies there unchanged; else return `None`, for the suite's own counts."""
    mined = _mined_from(suite, suite_id, store)
    if mined is None:
        return None
    counts: Counter[str] = Counter()
    for _, sentence in sentences(mined, on_bad=lambda fault: None):
        counts.update(form.lower() for form in surface_of(sentence, "merged").forms)
    return frequencies_from(counts, f"counts of the treebank {mined.name}")


def _mined_from(suite: Suite, suite_id: int | None, store: Store) -> Treebank | None:
    """Return the treebank that a suite was mined from, if the store knows it and it lies there
    unchanged."""
    record = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    original = suite.items[0].cluster_id
    treebank_id = record["treebank_id"] if record else mining_of_item(store, original)
    if treebank_id is None:
        return None
    try:
        return mined_treebank(load_mining(store, int(treebank_id)))
    except InputError:
        return None


def _rows(suite: str, result: Audit) -> tuple[list[Row], list[Row]]:
    """Return rows to show a person (the whole, warnings, cells with hard items, the nearest noun by
    relation, what precedes the target of composed sets where this is not the head), and the other
    rows."""
    main: list[Row] = []
    hidden: list[Row] = []
    for cell in dict.fromkeys(figure.cell for figure in result.figures):
        values = dict(zip(result.columns, cell, strict=False))
        labels = {
            "suite": suite,
            **{name: value for name, value in values.items() if value is not None},
        }
        for entry in (figure for figure in result.figures if figure.cell == cell):
            finds = ": finds the cue" if entry.baseline in CUE_FINDERS else ""
            row: dict[str, Cell] = {
                **labels,
                "baseline": entry.baseline,
                "n_items": entry.n_items,
                "n_clusters": entry.n_clusters,
                "accuracy": entry.accuracy,
                "low": entry.interval.low if entry.interval else None,
                "high": entry.interval.high if entry.interval else None,
                "chance": entry.chance,
                "warning": entry.warning + (finds if entry.warning else "") or None,
            }
            if entry.n_sets:
                row.update(zip(JOINT, (entry.n_sets, entry.joint, entry.joint_chance), strict=True))
            if not cell and entry.baseline == result.best:
                row[VERDICT] = result.verdict
            is_nearest = entry.baseline == "nearest_noun" and bool(values.get(RELATION))
            is_fair = entry.baseline in result.meeting and values.get(RELATION) == BETWEEN
            (main if not cell or entry.warning or is_nearest or is_fair else hidden).append(row)
        if cell in result.hard_by_cell:
            n_items, n_clusters = result.hard_by_cell[cell]
            counts = {"n_items": n_items, "n_clusters": n_clusters, "chance": COIN}
            (main if not cell or n_items else hidden).append({**labels, "baseline": HARD, **counts})
    return main, hidden


def _messages(
    result: Audit, n_items: int, path: str | Path | None, against: Sequence[str]
) -> Iterator[str]:
    """Say what was left out, which baselines find the cue, what the hard items are and what their
    selection means for chance."""
    if result.n_pairs < n_items:
        n_left = n_items - result.n_pairs
        yield f"{n_left} of {n_items} items are no right and wrong sentence: left out"
    for reason in dict.fromkeys(result.left_out.values()):
        names = [name for name, why in result.left_out.items() if why == reason]
        yield f"{', '.join(names)}: left out, {reason}"
    finders = dict.fromkeys(
        figure.baseline for figure in result.figures if figure.baseline in CUE_FINDERS
    )
    if finders:
        yield f"{', '.join(finders)}: find the cue by construction, no part of the verdict"
    for n in dict.fromkeys(result.meeting.values()):
        names = [name for name, count in result.meeting.items() if count == n]
        yield (
            f"{', '.join(names)}: see the head itself in {n} items of composed sets, which "
            "warnings and verdict leave out"
        )
    if not result.hard_by_cell:
        return
    n_hard = len(result.hard)
    which = f"none of {', '.join(against)}" if against else "no baseline without grammar"
    yield f"hard: {n_hard} of {result.n_pairs} items, which {which} gets right"
    if path is None:
        return
    if not n_hard:
        yield f"{path} is not written: there is no hard item; --against names fewer baselines"
        return
    yield (
        f"{path}: {n_hard} items. By selection these baselines have 0 there (ties apart), a coin "
        "has 0.5, and the opposite of any baseline up to 1: report the whole suite, too"
    )
