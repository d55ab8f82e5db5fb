"""The verbs of an experiment with people, before its answers are in: `colorless humans` design and
export."""

from pathlib import Path
from typing import Annotated

import typer

from .command import Function
from .options import DEFAULT_STORE, Constructions, Seed, StorePath, Suite, advanced

TRIALS = "trials"  # a group of advanced options
DesignedStudy = Annotated[Path, typer.Argument(help="folder made by colorless humans design")]


def design(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="new folder for the study")] = Path("study"),
    task: Annotated[
        str,
        typer.Option(help="form (choose a form), sentence (choose a sentence) or rating"),
    ] = "form",
    participants: Annotated[
        int | None,
        typer.Option(
            min=1, help="number of participants; each gets a list and an order of their own"
        ),
    ] = None,
    versions: Annotated[
        int,
        typer.Option(
            min=1, help="versions (original, variants) of a source that one participant sees"
        ),
    ] = 1,
    lists: Annotated[
        int | None,
        advanced(
            min=1, group=TRIALS, help="number of lists [default: as many as there are versions]"
        ),
    ] = None,
    construction: Constructions = None,
    per_construction: Annotated[
        int | None,
        typer.Option(min=1, help="maximum number of originals per construction [default: all]"),
    ] = None,
    fillers: Annotated[
        str,
        typer.Option(
            help="where fillers are drawn from, as many as targets: a table, a suite, rest (the "
            "constructions that --construction does not select) or none [default: rest if it has "
            "enough, else none]"
        ),
    ] = "",
    drop_flagged: Annotated[
        bool,
        advanced(group=TRIALS, help="leave out targets whose original is flagged (docs/sets.md)"),
    ] = False,
    checks: Annotated[
        int | None,
        advanced(min=0, group=TRIALS, help="number of attention checks [default: 1 per 25 trials]"),
    ] = None,
    practice: Annotated[
        int, advanced(min=0, group=TRIALS, help="number of practice trials with feedback")
    ] = 3,
    blocks: Annotated[
        int, advanced(min=1, group=TRIALS, help="number of blocks, with a break between them")
    ] = 1,
    scale: Annotated[
        str, advanced(group=TRIALS, help="rating scale: 5, 7, slider or magnitude")
    ] = "7",
    texts: Annotated[
        Path | None,
        advanced(
            group=TRIALS, help="file with the page's texts, for a language that has none bundled"
        ),
    ] = None,
    language: Annotated[
        str, advanced(group=TRIALS, help="BCP-47 code of the page's language [default: the items']")
    ] = "",
    preview: Annotated[
        bool,
        advanced(
            group=TRIALS,
            help="also write the page with placeholder texts: STUDY/preview/index.html",
        ),
    ] = False,
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Design an experiment from a suite: lists, order, fillers, checks and practice trials.

    Examples:
        colorless humans design
        colorless humans design --construction "L__NOUN__VERB*" --participants 24 --out study
    """
    from ..humans.design import design_study

    return design_study


def export(
    study: DesignedStudy,
    to: Annotated[
        str,
        typer.Option("--to", help="target platform: jatos, datapipe, pcibex, download or csv"),
    ],
    out: Annotated[Path, typer.Option("--out", help="folder to write")],
    experiment: Annotated[str, typer.Option(help="id of the experiment at DataPipe")] = "",
    excel_safe: Annotated[
        bool,
        typer.Option(
            "--excel-safe",
            help="write tables without cells that a spreadsheet would run as formulas",
        ),
    ] = False,
) -> Function:
    """Export a study to a platform: JATOS, DataPipe, PCIbex, a page that saves files, or tables.

    Examples:
        colorless humans export study --to jatos --out jatos
        colorless humans export study --to csv --out tables --excel-safe
    """
    from ..humans.exports.write import export_study

    return export_study
