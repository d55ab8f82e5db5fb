"""The verbs of people's judgments: `colorless humans` import and analyse."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    OutFile,
    OutFolder,
    Quiet,
    StorePath,
)
from colorless_green.verbs.wiring import now, open_existing_store, open_store


def import_(
    files: Annotated[list[Path], typer.Argument(help="judgments, and a Prolific export beside")],
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or "
            "pcibex [default: told by the files]",
        ),
    ] = "",
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", help="OURS=THEIRS: a column's name; again for more; or a map file"),
    ] = None,
    suite: Annotated[str, typer.Option(help="what was judged [default: the newest]")] = "",
    items: Annotated[
        Path | None, typer.Option(help="table of the items shown: fillers and checks, or all")
    ] = None,
    language: Annotated[str, typer.Option(help="BCP-47 code of a file with its own items")] = "",
    study: Annotated[
        Path | None, typer.Option(help="TOML or JSON with the rules of exclusion, [exclude]")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="RULE or RULE=VALUE, as max_filler_errors=0.2; again for more"),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="key of the pseudonyms [default: beside the store]")
    ] = None,
    platform: Annotated[
        str, typer.Option(help="whose ids people have [default: told by the files]")
    ] = "",
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep-columns", help="a column about people to keep; again for more"),
    ] = None,
    out: OutFolder = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judgments of people into the store."""
    from colorless_green.humans.importing import Request, import_judgments

    request = Request(
        format_name=format_name,
        maps=maps or (),
        suite=suite,
        items=items,
        language=language,
        study=study,
        exclude=exclude or (),
        key=key,
        platform=platform,
        keep=keep or (),
        out=out,
    )
    with open_store(store) as opened:
        result = import_judgments(files, opened, request, now=now())
    console.show(result, form, as_json, quiet)


def analyse(
    suite: Annotated[str, typer.Argument(help="name [default: scored or judged last]")] = "",
    formula: Annotated[
        str,
        typer.Option(
            help="of the mixed model, as lme4 writes it: 'correct ~ condition * attractor + "
            "(1 | participant) + (1 | source)' [default: what varies, with both intercepts]"
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="whose margin stands in the formula")] = "",
    coding: Annotated[str, typer.Option(help="of conditions: treatment or sum")] = "treatment",
    prior: Annotated[
        str,
        typer.Option(
            help="on coefficients, where answers are separated: none, weak (SD 2.5) or an SD"
        ),
    ] = "none",
    tidy: Annotated[
        Path | None, typer.Option(help="folder for single answers and an R script that fits them")
    ] = None,
    out: OutFile = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Accuracies, agreement, reliability and a mixed model of people's judgments."""
    from colorless_green.humans.analysing import analyse

    with open_existing_store(store) as opened, drawn(not quiet) as progress:
        result = analyse(
            suite,
            opened,
            formula=formula,
            model=model,
            coding=coding,
            prior=prior,
            tidy=tidy,
            out=out,
            progress=progress,
        )
    console.show(result, form, as_json, quiet)
