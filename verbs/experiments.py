"""The verbs of an experiment with people, before its answers are in: `colorless humans` power,
design, export, serve and answers."""

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

TRIALS, READING, ASSUMED = "trials", "reading", "assumptions"  # groups of advanced options
DesignedStudy = Annotated[Path, typer.Argument(help="a folder that colorless humans design made")]
AnswersFile = Annotated[
    Path | None, typer.Option("--db", help="file of answers [default: STUDY/answers.db]")
]


def design(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="a new folder for the study")] = Path("study"),
    task: Annotated[str, typer.Option(help="form, sentence, rating or reading")] = "form",
    participants: Annotated[
        int | None, typer.Option(min=1, help="how many people: a list and an order for each")
    ] = None,
    versions: Annotated[
        int, typer.Option(min=1, help="versions of a source (original, variants) one person sees")
    ] = 1,
    lists: Annotated[
        int | None,
        advanced(min=1, group=TRIALS, help="how many [default: as many as there are versions]"),
    ] = None,
    construction: Constructions = None,
    per_construction: Annotated[
        int | None, typer.Option(min=1, help="most sources of each [default: all]")
    ] = None,
    fillers: Annotated[
        str,
        typer.Option(
            help="a table or suite to draw as many fillers as targets from; rest: the "
            "constructions that --construction leaves [its default]; or none"
        ),
    ] = "",
    drop_flagged: Annotated[
        bool, advanced(group=TRIALS, help="no targets of sources with doubts (docs/quality.md)")
    ] = False,
    checks: Annotated[
        int | None,
        advanced(min=0, group=TRIALS, help="attention checks [default: 1 for 25 trials]"),
    ] = None,
    practice: Annotated[
        int, advanced(min=0, group=TRIALS, help="trials with feedback before all others")
    ] = 3,
    blocks: Annotated[
        int, advanced(min=1, group=TRIALS, help="parts with a break between them")
    ] = 1,
    scale: Annotated[
        str, advanced(group=TRIALS, help="of ratings: 5, 7, slider or magnitude")
    ] = "7",
    questions: Annotated[
        Path | None,
        advanced(
            group=READING,
            help="on what is read (task reading): a table with item, question, right, wrong",
        ),
    ] = None,
    question_share: Annotated[
        float,
        advanced(
            min=0,
            max=1,
            group=READING,
            help="most of the targets, and of the fillers, with a question [default: a third]",
            show_default=False,
        ),
    ] = 1 / 3,
    texts: Annotated[
        Path | None,
        advanced(group=TRIALS, help="file of texts, where none come with the language"),
    ] = None,
    language: Annotated[
        str, advanced(group=TRIALS, help="BCP-47 code of the page [default: the items']")
    ] = "",
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Make a study of a suite: lists, order, fillers, checks and practice, in a folder to fill in.

    Examples:
        colorless humans design --task form --fillers none
        colorless humans design --participants 24 --versions 2 --fillers none --out study
    """
    return colorless_green.design_study


def power(
    sources: Annotated[
        list[int],
        typer.Option(min=2, help="originals each person sees one version of; repeat for several"),
    ],
    participants: Annotated[
        list[int] | None,
        typer.Option(min=2, help="how many people; repeat for several [default: 10 to 160]"),
    ] = None,
    accuracy_1: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the first condition")
    ] = 0.94,
    accuracy_2: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the second condition")
    ] = 0.88,
    versions: Annotated[int, typer.Option(min=2, help="of a source, one in condition 1")] = 2,
    per_participant: Annotated[
        int | None, typer.Option(min=1, help="sources a person sees [default: all]")
    ] = None,
    test: Annotated[
        str, typer.Option(help="sign-flip (over sources) or mixed (a logit mixed model)")
    ] = "sign-flip",
    target: Annotated[float, typer.Option(min=0.1, max=0.99, help="power wanted")] = 0.8,
    base_log_odds: Annotated[
        float | None, advanced(group=ASSUMED, help="of condition 1, in place of the shares")
    ] = None,
    effect: Annotated[
        float | None, advanced(group=ASSUMED, help="condition 2 minus condition 1, in log-odds")
    ] = None,
    spread_participants: Annotated[
        float, advanced(min=0, group=ASSUMED, help="SD of people, in log-odds")
    ] = 0.8,
    spread_sources: Annotated[
        float, advanced(min=0, group=ASSUMED, help="SD of sources, in log-odds")
    ] = 0.73,
    spread_effect: Annotated[
        float, advanced(min=0, group=ASSUMED, help="SD of the effect over sources, in log-odds")
    ] = 0.0,
    dropout: Annotated[
        float, advanced(min=0, max=0.9, group=ASSUMED, help="share of people lost")
    ] = 0.1,
    alpha: Annotated[float, advanced(min=0.001, max=0.5, help="of the test")] = 0.05,
    studies: Annotated[
        int | None,
        advanced(min=50, help="made up for each number [default: 500, mixed 200]"),
    ] = None,
    seed: Seed = 0,
) -> Function:
    """Tell how many people a difference between two conditions needs, by simulation.

    Examples:
        colorless humans power --sources 24
        colorless humans power --sources 24 --sources 48 --accuracy-2 0.85 --test mixed
    """
    return colorless_green.plan_power


def export(
    study: DesignedStudy,
    to: Annotated[str, typer.Option("--to", help="static, jatos, datapipe, pcibex, mturk or csv")],
    out: Annotated[Path, typer.Option("--out", help="the folder to write")],
    experiment: Annotated[str, typer.Option(help="DataPipe's id of the experiment")] = "",
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="no cell of a table that is run as a formula")
    ] = False,
) -> Function:
    """Write a study for another platform: pages without a server, PCIbex, Mechanical Turk, tables.

    Examples:
        colorless humans export study --to jatos --out jatos
        colorless humans export study --to csv --out tables --excel-safe
    """
    return colorless_green.export_study


def serve(
    study: DesignedStudy,
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8000,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="name by which people reach the page; repeat for several"),
    ] = None,
    db: AnswersFile = None,
) -> Function:
    """Serve a study as a web page until Ctrl-C; then tell how many answers there are.

    Examples:
        colorless humans serve study
        colorless humans serve study --domain study.example.org --port 8000
    """
    return colorless_green.serve_study


def answers(
    study: Annotated[Path, typer.Argument(help="a folder that colorless humans serve has served")],
    out: OutFolder = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(help="a file that the page gave to a participant; repeat for several"),
    ] = None,
    erase: Annotated[
        list[str] | None,
        typer.Option(help="a participant's code: all of theirs goes; repeat for several"),
    ] = None,
    db: AnswersFile = None,
) -> Function:
    """Tell what a served study has collected; with --out, tables that humans import takes.

    Examples:
        colorless humans answers study
        colorless humans answers study --out answers --add saved.json
    """
    return colorless_green.collect_answers
