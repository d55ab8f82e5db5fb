"""The verbs of people's judgments: `colorless humans` import and analyse."""

from pathlib import Path
from typing import Annotated

import typer

from .command import Function
from .options import DEFAULT_STORE, OutFile, OutFolder, StorePath, advanced


def import_(
    files: Annotated[
        list[Path], typer.Argument(help="files of judgments, optionally with a Prolific export")
    ],
    map: Annotated[
        list[str] | None,
        typer.Option(
            help="rename a column, OURS=THEIRS (repeat for several), or a file of such lines"
        ),
    ] = None,
    suite: Annotated[
        str, typer.Option(help="suite that was judged: a file or a name [default: the newest]")
    ] = "",
    items: Annotated[
        Path | None, typer.Option(help="table of the items shown: all, or fillers and checks only")
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(
            help="a study's folder, or a TOML or JSON file with exclusion rules in a section "
            "[exclude]"
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            help="exclusion rule, RULE or RULE=VALUE, such as max_filler_errors=0.2; repeat for "
            "several"
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="show what would be imported without storing it")
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="replace earlier imports of these files or trials"),
    ] = False,
    format: Annotated[
        str,
        advanced(
            help="colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or "
            "pcibex [default: detected]",
        ),
    ] = "",
    keep_columns: Annotated[
        list[str] | None,
        advanced(help="participant column to keep; repeat for several"),
    ] = None,
    language: Annotated[str, advanced(help="BCP-47 code, for files that contain their items")] = "",
    key: Annotated[
        Path | None, advanced(help="key file for pseudonyms [default: beside the store]")
    ] = None,
    platform: Annotated[
        str, advanced(help="platform that issued the participant ids [default: detected]")
    ] = "",
    out: OutFolder = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Import people's judgments into the store under pseudonyms.

    Examples:
        colorless humans import answers.csv --map item=Item --exclude max_filler_errors=0.2
        colorless humans import jatos_results.zip prolific_export.csv --items items.csv
    """
    from ..humans.read import read_judgments

    return read_judgments


def forget(
    what: Annotated[
        str, typer.Argument(help="name or file of an import [default: list all imports]")
    ] = "",
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Delete one import of people's judgments from the store.

    Examples:
        colorless humans forget
        colorless humans forget answers.csv
    """
    from ..humans.judgments.stored import forget_judgments

    return forget_judgments


def analyse(
    suite: Annotated[
        str, typer.Argument(help="name of a suite [default: the one scored or judged last]")
    ] = "",
    r: Annotated[
        Path | None,
        typer.Option(
            help="also write the single answers and an R script with mixed models (lme4) to this "
            "folder"
        ),
    ] = None,
    out: OutFile = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Analyse people's judgments: accuracy, agreement and reliability.

    Examples:
        colorless humans analyse
        colorless humans analyse --out figures.tsv --r for-r
    """
    from ..humans.analysis import analyse

    return analyse
