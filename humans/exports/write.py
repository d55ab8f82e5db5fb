"""Export a study: write the files that a platform needs into a folder."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from ...data.errors import InputError
from ...data.files import read_manifest, write_whole_bytes
from ...data.registry import load
from ...data.result import Result
from ...data.tables import Row
from ..study.settings import SETTINGS, missing_settings
from ..study.study import new_folder, read_study
from . import ITEMS, TRIALS, StudyExport, experiment_page, pcibex, tables

EXPORTS: Mapping[str, StudyExport] = {
    "csv": tables,
    "datapipe": experiment_page.datapipe,
    "download": experiment_page.download,
    "jatos": experiment_page.jatos,
    "pcibex": pcibex.files,
}
EXPORTS_GROUP = "colorless_green.exports"
"""Entry points of this group add platforms from other Python packages."""
PREVIEW = "preview"
COLUMNS = ("file", "size_bytes")
TABLES = "csv"  # the only export without a page; it needs no consent texts
ANSWERS_LOST = "answers leave the page at the end: a page that is closed before loses them"
STEPS = {  # messages: what to do with the files, how lists are dealt, what a closed page loses
    "download": (
        "open {out}/index.html in a browser: at the end it saves the answers as a file",
        "one browser deals the {n} lists in turn; on several machines add ?list=1 to ?list={n}",
        ANSWERS_LOST,
    ),
    "jatos": (
        "make {out} the assets of a study in JATOS, and index.html its component",
        "the batch session data deal the {n} lists in turn; ?list=N at a study link names one",
        "JATOS has each answer at once: of a page that is closed before the end, those so far",
    ),
    "datapipe": (
        "put {out} on a web host; at DataPipe enable data collection and condition assignment",
        "with {n} conditions DataPipe deals the {n} lists in turn; ?list=N names one",
        ANSWERS_LOST,
    ),
    "pcibex": ("PCIbex deals the {n} lists by its counter", ANSWERS_LOST),
}


def export_study(
    study: str | Path,
    *,
    to: str,
    out: str | Path,
    experiment: str = "",
    excel_safe: bool = False,
) -> Result:
    """Export a study to a platform: JATOS, DataPipe, PCIbex, a page that saves files, or tables.

    The study's folder stays with the researchers: it holds what is right, and the import of the
    answers needs it. Folders of an export are handed to others.

    Args:
        study: folder that colorless humans design made.
        to: platform: jatos, datapipe, pcibex, download (a page that saves files) or csv (tables).
        out: folder to write, new or empty.
        experiment: id of the experiment at DataPipe.
        excel_safe: write tables without cells that a spreadsheet would run as formulas.

    Returns:
        The files and their sizes; its messages say how the answers come back.

    Raises:
        InputError: for an unknown platform, missing consent texts, or a folder that is not empty.

    Commands:
        colorless humans export study --to jatos --out jatos
        colorless humans export study --to csv --out tables --excel-safe

    >>> import colorless_green as cg
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> suite = cg.load_suite("pairs.csv", language="en")
    >>> _ = cg.design_study(suite, "study", fillers="none")
    >>> cg.export_study("study", to="csv", out="tables").to_frame()["file"].to_list()
    ['trials.csv', 'items.csv']
    """
    export: StudyExport = load(EXPORTS, to, "to", EXPORTS_GROUP)
    folder, target = Path(study), Path(out)
    loaded = read_study(folder)
    empty = missing_settings(loaded.settings)
    if empty and to != TABLES:
        wrong = f"not filled in: {', '.join(empty)}"
        raise InputError(str(folder / SETTINGS), wrong, "fill in each of them", kind="empty")
    files = export(loaded, experiment=experiment, excel_safe=excel_safe)
    new_folder(target, "a new folder for the export")
    rows: list[Row] = []
    for name, content in files.items():
        with write_whole_bytes(target / name) as stream:
            stream.write(content)
        rows.append({"file": name, "size_bytes": len(content)})
    command = ["colorless", "humans", "import", "FILE"]
    suite = read_manifest(folder).get("suite")
    command += ["--suite", str(suite)] if suite else []
    command += ["--study", str(folder / SETTINGS)]
    messages = [step.format(out=target, n=len(loaded.lists)) for step in STEPS.get(to, ())]
    messages.append(f"answers come back with {shlex.join(command)}")
    if to == TABLES:
        messages.append(f"{ITEMS} and {TRIALS} hold what is right: keep them from participants")
    return Result(rows, COLUMNS, messages)


def write_preview(study: Path) -> Path:
    """Write a preview of a study's page into the study's folder; return the path of the page."""
    for name, content in experiment_page.preview_files(read_study(study)).items():
        with write_whole_bytes(study / PREVIEW / name) as stream:
            stream.write(content)
    return study / PREVIEW / "index.html"
