"""The verb languages (`nonce/mining.py` has mine, whose originals become items)."""

from collections.abc import Sequence
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.tables import Row, demand_ending, frame, write_table
from colorless_green.miner.coverage import ACCEPTED, coverage
from colorless_green.miner.mine import Request
from colorless_green.miner.shards import Run
from colorless_green.miner.treebank import named_word_lists

SHOWN = (
    "language", "treebank", "feature", "verdict", "n_instances", "n_tested", "n_accepted",
    "n_originals", "n_unimorph", "constructions",
)  # fmt: skip


def cover_languages(
    folder: Path,
    request: Request,
    *,
    word_lists: Sequence[str],
    skip_bad: bool,
    csv: Path | None,
    run: Run = map,
    progress: Progress = silent,
) -> Result:
    """One row for each treebank of a folder and feature; to a CSV file too, if asked."""
    if csv is not None:
        demand_ending(csv, "--csv")
    found = coverage(
        folder,
        request,
        unimorph=named_word_lists(word_lists),
        skip_bad=skip_bad,
        run=run,
        progress=progress,
    )
    rows: list[Row] = list(found)
    if csv is not None:
        write_table(csv, frame(rows, schema.LANGUAGES))
    verdicts = [str(row["verdict"]) for row in rows]
    said = ", ".join(f"{name} {verdicts.count(name)}" for name in dict.fromkeys(sorted(verdicts)))
    return Result(rows, SHOWN, [f"{folder}: {said}"], found=ACCEPTED in verdicts)
