"""The verbs of people's judgments: `colorless humans` import and analyse."""

from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    OutFile,
    OutFolder,
    StorePath,
    advanced,
)


def import_(
    files: Annotated[list[Path], typer.Argument(help="judgments, and a Prolific export beside")],
    map: Annotated[
        list[str] | None,
        typer.Option(help="OURS=THEIRS, a column's name (repeat for several), or a map file"),
    ] = None,
    suite: Annotated[
        str, typer.Option(help="what was judged: a file, or a name [default: the newest]")
    ] = "",
    items: Annotated[
        Path | None, typer.Option(help="table of the items shown: fillers and checks, or all")
    ] = None,
    study: Annotated[
        Path | None, typer.Option(help="TOML or JSON with rules of exclusion, in [exclude]")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="RULE or RULE=VALUE, as max_filler_errors=0.2; repeat for several"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="show what would be imported, and store nothing")
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="in place of earlier imports of these files or trials"),
    ] = False,
    format: Annotated[
        str,
        advanced(
            help="colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or "
            "pcibex [default: by what the files hold]",
        ),
    ] = "",
    keep_columns: Annotated[
        list[str] | None,
        advanced(help="a column about people that is kept; repeat for several"),
    ] = None,
    language: Annotated[str, advanced(help="BCP-47 code of a file that brings its items")] = "",
    key: Annotated[
        Path | None, advanced(help="key of the pseudonyms [default: beside the store]")
    ] = None,
    platform: Annotated[
        str, advanced(help="whose ids people have [default: by what the files hold]")
    ] = "",
    out: OutFolder = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Read people's judgments into the store.

    Examples:
        colorless humans import answers.csv --map item=Item --exclude max_filler_errors=0.2
        colorless humans import jatos_results.zip prolific_export.csv --items items.csv
    """
    return colorless_green.read_judgments


def forget(
    what: Annotated[
        str, typer.Argument(help="an import's name, or its file [default: tell which there are]")
    ] = "",
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Remove one import of people's answers from the store.

    Examples:
        colorless humans forget
        colorless humans forget answers.csv
    """
    return colorless_green.forget_judgments


def analyse(
    suite: Annotated[str, typer.Argument(help="name [default: scored or judged last]")] = "",
    formula: Annotated[
        str,
        typer.Option(
            help="of the mixed model, as lme4 writes it: 'correct ~ condition * attractors + "
            "(1 | participant) + (1 | source)' [default: what varies, with both intercepts]"
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="whose margin stands in the formula")] = "",
    coding: Annotated[str, typer.Option(help="treatment or centred (±1/2)")] = "treatment",
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
) -> Function:
    """Give accuracies, agreement, reliability and a mixed model of people's judgments.

    Examples:
        colorless humans analyse
        colorless humans analyse --formula 'correct ~ condition + (1 | participant)' --tidy tidy
    """
    return colorless_green.analyse
