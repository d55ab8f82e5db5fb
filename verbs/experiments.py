"""The verbs of an experiment with people, before its answers are in: `colorless humans` power,
design and export."""

from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    Constructions,
    Seed,
    StorePath,
    Suite,
    advanced,
)

TRIALS, READING, ASSUMED = "trials", "reading", "assumptions"  # groups of advanced options
DesignedStudy = Annotated[Path, typer.Argument(help="folder made by colorless humans design")]


def design(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="new folder for the study")] = Path("study"),
    task: Annotated[
        str,
        typer.Option(help="form (choose a form), sentence (choose a sentence), rating or reading"),
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
            "constructions that --construction does not select) or none [default with "
            "--construction: rest]"
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
    questions: Annotated[
        Path | None,
        advanced(
            group=READING,
            help="table of comprehension questions (task reading): item, question, right, wrong",
        ),
    ] = None,
    question_share: Annotated[
        float,
        advanced(
            min=0,
            max=1,
            group=READING,
            help="maximum share of targets, and of fillers, with a question [default: 1/3]",
            show_default=False,
        ),
    ] = 1 / 3,
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
        colorless humans design --task form --fillers none
        colorless humans design --participants 24 --versions 2 --fillers none --out study
    """
    return colorless_green.design_study


def power(
    sources: Annotated[
        list[int],
        typer.Option(
            min=2,
            help="number of originals; a participant sees one version of each; repeat for several",
        ),
    ],
    participants: Annotated[
        list[int] | None,
        typer.Option(min=2, help="number of participants; repeat for several [default: 10 to 160]"),
    ] = None,
    accuracy_1: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="accuracy in condition 1")
    ] = 0.94,
    accuracy_2: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="accuracy in condition 2")
    ] = 0.88,
    versions: Annotated[
        int,
        typer.Option(min=2, help="number of versions of an original; one of them is condition 1"),
    ] = 2,
    per_participant: Annotated[
        int | None,
        typer.Option(min=1, help="number of originals that a participant sees [default: all]"),
    ] = None,
    test: Annotated[
        str,
        typer.Option(help="sign-flip (permutation over originals) or mixed (logit mixed model)"),
    ] = "sign-flip",
    target: Annotated[float, typer.Option(min=0.1, max=0.99, help="desired power")] = 0.8,
    base_log_odds: Annotated[
        float | None,
        advanced(group=ASSUMED, help="log-odds of condition 1, instead of the accuracies"),
    ] = None,
    effect: Annotated[
        float | None,
        advanced(group=ASSUMED, help="effect: condition 2 minus condition 1, in log-odds"),
    ] = None,
    spread_participants: Annotated[
        float, advanced(min=0, group=ASSUMED, help="SD between participants, in log-odds")
    ] = 0.8,
    spread_sources: Annotated[
        float, advanced(min=0, group=ASSUMED, help="SD between originals, in log-odds")
    ] = 0.73,
    spread_effect: Annotated[
        float,
        advanced(min=0, group=ASSUMED, help="SD of the effect between originals, in log-odds"),
    ] = 0.0,
    dropout: Annotated[
        float, advanced(min=0, max=0.9, group=ASSUMED, help="share of participants lost")
    ] = 0.1,
    alpha: Annotated[float, advanced(min=0.001, max=0.5, help="significance level")] = 0.05,
    studies: Annotated[
        int | None,
        advanced(
            min=50, help="simulated studies per number of participants [default: 500; mixed 200]"
        ),
    ] = None,
    seed: Seed = 0,
) -> Function:
    """Estimate by simulation how many participants a difference between conditions needs.

    Examples:
        colorless humans power --sources 24
        colorless humans power --sources 24 --sources 48 --accuracy-2 0.85 --test mixed
    """
    return colorless_green.plan_power


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
    return colorless_green.export_study
