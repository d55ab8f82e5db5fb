"""The verb audit: what of a suite could be solved without grammar, and what could not."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.nonce.audit.audit import audit_items
from colorless_green.nonce.audit.elsewhere import SCHEMES
from colorless_green.nonce.audit.pair import is_pair
from colorless_green.nonce.audit.rows import FIGURES, audit_rows, hard_messages, left_out_messages
from colorless_green.nonce.audit.sources import frequencies_for, told
from colorless_green.nonce.commands import find_suite
from colorless_green.nonce.formats import write_suite
from colorless_green.nonce.frequencies import TREEBANK

LEARNING = {
    "clusters": "what is learnt, from all clusters but the item's own",
    "halves": "what is learnt, from the 1st, 3rd, 5th … cluster; judged on the others",
}


def audit_suite(
    name: str,
    store: Store,
    *,
    by: Sequence[str] = (),
    seed: int = 0,
    hard: Path | None = None,
    against: Sequence[str] = (),
    split: str = "clusters",
    frequencies: str = TREEBANK,
    progress: Progress = silent,
) -> Result:
    """Every baseline in every cell of a suite (a file, one of the store, or the newest).

    `by`: the columns of a cell, instead of construction, value and kind or the paradigm. `hard`: a
    file for the items that no baseline (none of `against`, where that names some) gets right; its
    ending tells the format. `split`: learn from all other clusters, or from every other cluster
    (`halves`). `frequencies` of unigram: `treebank` (the mined one if the store knows it, else the
    suite itself), `wordfreq` or a file. Raises `InputError` for a suite without pairs, an unknown
    split, baseline or column, and for `hard` in halves.
    """
    _check(by, hard, split)
    suite, suite_id = find_suite(store, name)
    if not any(map(is_pair, suite.items)):
        wrong = "no item in it is a right and a wrong sentence"
        raise InputError(suite.name, wrong, "a suite of pairs", kind="empty")
    counts = frequencies_for(frequencies, suite, suite_id, store)
    found = audit_items(
        suite.items, counts, by=by, against=against, split=split, seed=seed, progress=progress
    )
    if split == "halves":
        found = replace(found, hard=(), hard_by_cell={})
    if hard is not None and found.hard:
        write_suite(replace(suite, name=f"{suite.name}/hard", items=found.hard), hard)
    shown, hidden = audit_rows(suite.name, found)
    messages = [
        f"{suite.name}: {found.n_pairs} pairs, {found.n_clusters} clusters; {LEARNING[split]}; "
        f"seed {seed}",
        f"unigram: {told(counts, suite.items)}",
        *left_out_messages(found, len(suite.items)),
        *hard_messages(found, hard, against),
    ]
    columns = ("suite", *found.columns, *FIGURES)
    is_found = hard is None or bool(found.hard)
    return Result([*shown, *hidden], columns, messages, is_found, len(hidden))


def _check(by: Sequence[str], hard: Path | None, split: str) -> None:
    named(SCHEMES, split, "--split")
    if hard is not None and split == "halves":
        raise InputError(
            "--hard", "in halves, one half is not judged", "--split clusters", kind="conflict"
        )
    for column in by:  # a fact may be called as a column of the result is: no row can hold both
        if column in ("suite", *FIGURES):
            raise InputError(
                "--by", f"{column!r} is a column of the figures", "another fact", kind="conflict"
            )
