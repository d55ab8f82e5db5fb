"""A study for another platform: its files in a folder."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_manifest, write_whole_bytes
from colorless_green.data.registry import load
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.humans.exports import EXPORTS, GROUP, Export
from colorless_green.humans.exports.table import ITEMS, TRIALS, is_choice, items
from colorless_green.humans.judgment import QUESTION
from colorless_green.humans.settings import SETTINGS, missing
from colorless_green.humans.study import Study, new_folder, read_study, write_private

COLUMNS = ("file", "size_bytes")
PLAIN = "csv"  # the only one without a page, which needs no consent
RESEARCHERS = (ITEMS, TRIALS)
BESIDE = {"filler": "fillers", "check": "attention checks", QUESTION: "questions"}
"""Sorts of trials that the suite may not have the items of, as they are told."""


def export_study(
    study: str | Path,
    to: str,
    out: str | Path,
    *,
    experiment: str = "",
    excel_safe: bool = False,
) -> Result:
    """Exports a study to another platform: static pages, JATOS, PCIbex, Mechanical Turk, tables.

    Where people choose about more than the suite's items, the table that the import of their
    answers needs goes to the study, beside the key: it holds what is right, and folders of an
    export are handed to others.

    Args:
        study: a folder that `design_study` made.
        to: static, jatos, datapipe, pcibex, mturk or csv.
        out: the folder to write, new or empty.
        experiment: DataPipe's id of the experiment.
        excel_safe: write tables without cells that a spreadsheet would run as formulas.

    Returns:
        The files and their sizes; its messages say how the answers come back.

    Raises:
        InputError: for a platform that is not known, consent texts that are missing, or a folder
            that holds something.

    >>> import colorless_green as cg
    >>> cg.export_study("study", "csv", "tables")  # doctest: +SKIP
    file        size_bytes
    trials.csv       12036
    items.csv         4127
    """
    export: Export = load(EXPORTS, to, "--to", GROUP)
    folder, target = Path(study), Path(out)
    own = read_study(folder)
    empty = missing(own.settings)
    if empty and to != PLAIN:
        wrong = f"not filled in: {', '.join(empty)}"
        raise InputError(str(folder / SETTINGS), wrong, "a text for each", kind="empty")
    files = export(own, experiment=experiment, excel_safe=excel_safe)
    new_folder(target, "a new folder for the export")
    rows: list[Row] = []
    for name, content in files.items():
        with write_whole_bytes(target / name) as stream:
            stream.write(content)
        rows.append({"file": name, "size_bytes": len(content)})
    if to != PLAIN and _beside(own):
        write_private(folder / ITEMS, items(own))
    return Result(rows, COLUMNS, [*_messages(own, to, target)])


def _beside(study: Study) -> list[str]:
    """What people choose about besides targets, in the answers that are imported."""
    kinds = {trial.kind for trial in study.trials if is_choice(trial)}
    return [told for kind, told in BESIDE.items() if kind in kinds]


def _messages(study: Study, to: str, out: Path) -> Iterator[str]:
    table = (out if to == PLAIN else study.folder) / ITEMS
    beside = _beside(study)
    command = ["colorless", "humans", "import", "FILE"]
    suite = read_manifest(study.folder).get("suite")
    command += ["--suite", str(suite)] if suite else []
    command += ["--study", str(study.folder / SETTINGS)]
    command += ["--items", str(table)] if beside else []
    yield f"answers come back with {shlex.join(command)}"
    if beside:
        yield f"--items tells it the {' and '.join(beside)}, which the suite may lack"
    if to == PLAIN:
        yield f"{' and '.join(RESEARCHERS)} hold what is right: keep them from participants"
    elif beside:
        yield f"{table} holds what is right: keep it from participants"
