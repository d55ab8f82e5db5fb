"""The verb languages (`nonce/mining.py` has mine, whose originals become items)."""

import csv as csv_module
from collections.abc import Sequence
from pathlib import Path

from colorless_green.data.files import write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.miner.coverage import ACCEPTED, COLUMNS, coverage
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
        write_csv(csv, rows)
    verdicts = [str(row["verdict"]) for row in rows]
    said = ", ".join(f"{name} {verdicts.count(name)}" for name in dict.fromkeys(sorted(verdicts)))
    return Result(rows, SHOWN, [f"{folder}: {said}"], found=ACCEPTED in verdicts)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Rows as CSV with all columns, empty for missing. A cell that a spreadsheet would take for a
    formula is written with an apostrophe before it."""
    with write_whole(path) as stream:
        writer = csv_module.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([_cell(row.get(column)) for column in COLUMNS])


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
