"""The verbs of an experiment with people, before its answers are in: `colorless humans` design,
export, serve and answers."""

from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    Constructions,
    OutFolder,
    Seed,
    StorePath,
    Suite,
    advanced,
)

TRIALS = "trials"  # a group of advanced options
DesignedStudy = Annotated[Path, typer.Argument(help="folder made by colorless humans design")]
AnswersFile = Annotated[
    Path | None, typer.Option("--db", help="database of answers [default: STUDY/answers.db]")
]


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
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Design an experiment from a suite: lists, order, fillers, checks and practice trials.

    Examples:
        colorless humans design
        colorless humans design --construction "L__NOUN__VERB*" --participants 24 --out study
    """
    return colorless_green.design_study


def export(
    study: DesignedStudy,
    to: Annotated[
        str,
        typer.Option("--to", help="target platform: static, jatos, datapipe, pcibex, mturk or csv"),
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
    """Export a study to another platform: static pages, JATOS, PCIbex, Mechanical Turk, tables.

    Examples:
        colorless humans export study --to jatos --out jatos
        colorless humans export study --to csv --out tables --excel-safe
    """
    return colorless_green.export_study


def serve(
    study: DesignedStudy,
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="port to listen on; 0 for any free one")
    ] = 8000,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="host name under which participants reach the page; repeat for several"),
    ] = None,
    db: AnswersFile = None,
) -> Function:
    """Serve a study as a web page until Ctrl-C, then summarise the answers.

    Examples:
        colorless humans serve study
        colorless humans serve study --domain study.example.org --port 8000
    """
    return colorless_green.serve_study


def answers(
    study: Annotated[
        Path, typer.Argument(help="folder of a study that colorless humans serve has served")
    ],
    out: OutFolder = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="answers file that a participant saved from the page; repeat for several"
        ),
    ] = None,
    erase: Annotated[
        list[str] | None,
        typer.Option(
            help="delete all answers of the participant with this code; repeat for several"
        ),
    ] = None,
    db: AnswersFile = None,
) -> Function:
    """Summarise a study's answers; with --out, write tables for colorless humans import.

    Examples:
        colorless humans answers study
        colorless humans answers study --out answers --add saved.json
    """
    return colorless_green.collect_answers
