"""The verbs that show results: compare, report and demo."""

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
    advanced,
)

ScoredSuites = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUITES]...",
        help="names or patterns ('fgd*') [default: the newest that was scored]",
        show_default=False,
    ),
]


def compare(
    scores: ScoredSuites = None,
    published: Annotated[
        str,
        typer.Option(
            help="set one's results in a paper's tables: gulordava2018, marvin2018, "
            "hu2020-syntaxgym, hu2020-reflexives or warstadt2020"
        ),
    ] = "",
    results: Annotated[
        Path | None,
        advanced(help="recompute a paper's figures from this file or folder of its results"),
    ] = None,
    construction: Constructions = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="also write it to this file, or all tables into this folder"),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Set models beside people, over one suite or several, and beside published figures.

    Examples:
        colorless compare
        colorless compare 'number_*' --published hu2020-syntaxgym --out published.tsv
    """
    return colorless_green.compare


def report(
    scores: ScoredSuites = None,
    out: Annotated[Path, typer.Option("--out", help="the page to write")] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(help="also write every drawing into this folder, as SVG and PDF"),
    ] = None,
    construction: Constructions = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Write one HTML page with everything, readable without this tool or a network.

    Examples:
        colorless report
        colorless report 'fgd*' --out gaps.html --figures drawings
    """
    return colorless_green.report


def demo(
    folder: Annotated[Path, typer.Argument(help="where everything goes")] = Path("demo"),
    seed: Seed = 0,
) -> Function:
    """Do all of this on the embedded sample, with simulated judgments labelled as such.

    Examples:
        colorless demo
        colorless demo try --seed 1
    """
    return colorless_green.run_demo
