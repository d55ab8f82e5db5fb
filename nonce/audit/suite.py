"""What of a suite could be solved without grammar: the public function `audit`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import Names, listed, named
from colorless_green.data.result import Result
from colorless_green.data.store import Where
from colorless_green.nonce.audit.audit import audit_items
from colorless_green.nonce.audit.elsewhere import SCHEMES
from colorless_green.nonce.audit.pair import is_pair
from colorless_green.nonce.audit.rows import FIGURES, audit_rows, hard_messages, left_out_messages
from colorless_green.nonce.audit.sources import frequencies_for, told
from colorless_green.nonce.formats import write_suite
from colorless_green.nonce.frequencies import TREEBANK
from colorless_green.nonce.load import find_suite, store_of
from colorless_green.nonce.suite import Suite, of_constructions

LEARNING = {
    "clusters": "what is learnt, from all clusters but the item's own",
    "halves": "what is learnt, from the 1st, 3rd, 5th … cluster; judged on the others",
}


def audit(
    suite: Suite | str | Path = "",
    *,
    by: Names = None,
    construction: Names = None,
    hard: str | Path | None = None,
    against: Names = None,
    split: str = "clusters",
    frequencies: str = TREEBANK,
    seed: int = 0,
    store: Where = None,
    progress: Progress = silent,
) -> Result:
    """Tells what of a suite could be solved without grammar: every baseline in every cell.

    Args:
        suite: the suite, its file or folder, or its name in the store; "" is the newest there.
        by: the columns of a cell; None: construction, value and kind of what was mined, the
            construction of others.
        construction: only items of these; names or patterns with `*`.
        hard: a file for the items that no baseline gets right; its ending tells the format.
        against: the baselines that count for `hard`; None: all.
        split: what learners learn from: `clusters` (all others), or `halves` (every other one).
        frequencies: of unigram: `treebank` (the mined one if the store knows it, else the suite
            itself), `wordfreq`, or a file of words and counts.
        seed: of the resampling.
        store: where names are looked up.
        progress: is told how far it is.

    Returns:
        A row a baseline and cell: accuracy (0-1), its interval, chance, a warning where the
        baseline is better than it should be.

    Raises:
        InputError: for a suite without pairs, an unknown split, baseline or column, and for `hard`
            in halves.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> originals = cg.mine(str(sample.treebank("en"))).originals
    >>> whole = cg.audit(originals).to_frame().head(1)
    >>> whole.select("baseline", "n_items").row(0)
    ('majority_value', 171)
    """
    _check(listed(by), hard, split)
    with store_of(suite, store) as kept_in:
        found_suite, suite_id = find_suite(kept_in, suite)
        cut = replace(found_suite, items=of_constructions(found_suite.items, listed(construction)))
        if not any(map(is_pair, cut.items)):
            wrong = "no item in it is a right and a wrong sentence"
            raise InputError(cut.name, wrong, "a suite of pairs", kind="empty")
        counts = frequencies_for(frequencies, cut, suite_id, kept_in)
    found = audit_items(
        cut.items, counts, by=listed(by), against=listed(against), split=split, seed=seed,
        progress=progress,
    )  # fmt: skip
    if split == "halves":
        found = replace(found, hard=(), hard_by_cell={})
    if hard is not None and found.hard:
        write_suite(replace(cut, name=f"{cut.name}/hard", items=found.hard), Path(hard))
    shown, hidden = audit_rows(cut.name, found)
    messages = [
        f"{cut.name}: {found.n_pairs} pairs, {found.n_clusters} clusters; {LEARNING[split]}; "
        f"seed {seed}",
        f"unigram: {told(counts, cut.items)}",
        *left_out_messages(found, len(cut.items)),
        *hard_messages(found, None if hard is None else Path(hard), listed(against)),
    ]
    columns = ("suite", *found.columns, *FIGURES)
    is_found = hard is None or bool(found.hard)
    return Result([*shown, *hidden], columns, messages, is_found, len(hidden))


def _check(by: Sequence[str], hard: str | Path | None, split: str) -> None:
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
