"""The verbs of an experiment with people, before its answers are in: `colorless humans` power,
design, export, serve and answers."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    OutFolder,
    Quiet,
    Seed,
    StorePath,
    Suite,
)
from colorless_green.verbs.wiring import now, open_store

DesignedStudy = Annotated[Path, typer.Argument(help="a folder that colorless humans design made")]
AnswersFile = Annotated[
    Path | None, typer.Option("--db", help="file of answers [default: STUDY/answers.db]")
]


def design(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="a new folder for the study")] = Path("study"),
    task: Annotated[str, typer.Option(help="form, sentence, rating or reading")] = "form",
    lists: Annotated[
        int | None, typer.Option(min=1, help="how many [default: as many as versions]")
    ] = None,
    construction: Annotated[
        list[str] | None, typer.Option(help="only its items are targets; again for more")
    ] = None,
    per_construction: Annotated[
        int | None, typer.Option(min=1, help="most sources of each [default: all]")
    ] = None,
    drop_flagged: Annotated[
        bool,
        typer.Option("--drop-flagged", help="no targets of sources with doubts (docs/quality.md)"),
    ] = False,
    fillers: Annotated[
        str,
        typer.Option(
            help="a table or suite to draw as many fillers as targets from; rest: the "
            "constructions that --construction leaves [its default]; or none"
        ),
    ] = "",
    checks: Annotated[
        int | None, typer.Option(min=0, help="attention checks [default: 1 for 25 trials]")
    ] = None,
    practice: Annotated[int, typer.Option(min=0, help="trials with feedback before all")] = 3,
    blocks: Annotated[int, typer.Option(min=1, help="parts with a break between them")] = 1,
    scale: Annotated[str, typer.Option(help="of ratings: 5, 7, slider or magnitude")] = "7",
    questions: Annotated[
        Path | None,
        typer.Option(
            help="on what is read (task reading): a table with item, question, right, wrong"
        ),
    ] = None,
    question_share: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="most of the targets, and of the fillers, with a question [default: a third]",
            show_default=False,
        ),
    ] = 1 / 3,
    language: Annotated[str, typer.Option(help="BCP-47 code [default: the items']")] = "",
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A study from a suite: lists, order, fillers, checks, practice, in a folder to fill in."""
    from colorless_green.humans.designing import Plan, design_study

    plan = Plan(
        task=task,
        n_lists=lists,
        constructions=construction or (),
        per_construction=per_construction,
        fillers=fillers,
        n_checks=checks,
        n_practice=practice,
        n_blocks=blocks,
        seed=seed,
        language=language,
        scale=scale,
        questions=questions,
        question_share=question_share,
        drop_flagged=drop_flagged,
    )
    with open_store(store) as opened:
        result = design_study(suite, opened, plan, out=out)
    console.show(result, form, as_json, quiet)


def power(
    sources: Annotated[
        list[int], typer.Option(min=2, help="originals each person sees one version of; or more")
    ],
    participants: Annotated[
        list[int] | None,
        typer.Option(min=2, help="how many people; again for more [default: 10 to 160]"),
    ] = None,
    accuracy_1: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the first condition")
    ] = 0.94,
    accuracy_2: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the second condition")
    ] = 0.88,
    base_log_odds: Annotated[
        float | None, typer.Option(help="of the first condition, in place of the shares")
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="second minus first condition, in log-odds")
    ] = None,
    versions: Annotated[int, typer.Option(min=2, help="of a source, one in condition 1")] = 2,
    per_participant: Annotated[
        int | None, typer.Option(min=1, help="sources a person sees [default: all]")
    ] = None,
    spread_participants: Annotated[float, typer.Option(min=0, help="SD, in log-odds")] = 0.8,
    spread_sources: Annotated[float, typer.Option(min=0, help="SD, in log-odds")] = 0.73,
    spread_effect: Annotated[float, typer.Option(min=0, help="SD over sources")] = 0.0,
    dropout: Annotated[float, typer.Option(min=0, max=0.9, help="share of people lost")] = 0.1,
    test: Annotated[
        str, typer.Option(help="sign-flip (over sources) or mixed (a logit mixed model)")
    ] = "sign-flip",
    alpha: Annotated[float, typer.Option(min=0.001, max=0.5, help="of the test")] = 0.05,
    target: Annotated[float, typer.Option(min=0.1, max=0.99, help="power wanted")] = 0.8,
    studies: Annotated[
        int | None,
        typer.Option(min=50, help="made up for each number [default: 500, mixed 200]"),
    ] = None,
    seed: Seed = 0,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """How many people a difference between two conditions needs, by simulation."""
    from colorless_green.humans.planning import Assumed, plan_power
    from colorless_green.humans.power import PowerPlan

    assumed = Assumed(
        accuracies=(accuracy_1, accuracy_2),
        log_odds=(base_log_odds, effect),
        spreads=(spread_participants, spread_sources, spread_effect),
    )
    plan = PowerPlan(
        n_sources=0,
        n_versions=versions,
        per_participant=per_participant,
        dropout=dropout,
        alpha=alpha,
        test=test,
        studies=studies,
        seed=seed,
    )
    with drawn(not quiet) as progress:
        result = plan_power(
            assumed, plan, sources, participants or (), target=target, progress=progress
        )
    console.show(result, form, as_json, quiet)


def export(
    study: DesignedStudy,
    to: Annotated[str, typer.Option("--to", help="static, jatos, datapipe, pcibex, mturk or csv")],
    out: Annotated[Path, typer.Option("--out", help="the folder to write")],
    experiment: Annotated[str, typer.Option(help="DataPipe's id of the experiment")] = "",
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="no cell of a table that is run as a formula")
    ] = False,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A study for another platform: pages without a server, PCIbex, Mechanical Turk, a table."""
    from colorless_green.humans.exporting import export_study
    from colorless_green.humans.exports import ExportOptions

    result = export_study(study, to, out, ExportOptions(experiment, excel_safe))
    console.show(result, form, as_json, quiet)


def serve(
    study: DesignedStudy,
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8000,
    db: AnswersFile = None,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A study as a web page, until Ctrl-C; then how many answers there are."""
    from colorless_green.humans.web.serving import Place, serve_study

    place = Place(host, port, db)
    result = serve_study(study, place, announce=lambda line: typer.echo(line, err=True))
    console.show(result, form, as_json, quiet)


def answers(
    study: Annotated[Path, typer.Argument(help="a folder that colorless humans serve has served")],
    out: OutFolder = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(help="a file that the page gave to a participant; again for more"),
    ] = None,
    erase: Annotated[
        list[str] | None, typer.Option(help="a participant's code: all of theirs goes; again")
    ] = None,
    db: AnswersFile = None,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What a served study has collected; with --out, tables that humans import takes."""
    from colorless_green.humans.web.answers import Asked, collect_answers

    asked = Asked(answers=db, out=out, add=add or (), erase=erase or ())
    console.show(collect_answers(study, asked, now=now()), form, as_json, quiet)
