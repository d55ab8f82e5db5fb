"""The verbs that show results: compare, report and demo."""

from pathlib import Path
from typing import Annotated

import typer

from .command import Function
from .options import DEFAULT_STORE, Constructions, Seed, StorePath

ScoredSuites = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUITES]...",
        help="suites: names or patterns ('fgd*') [default: the one scored last]",
        show_default=False,
    ),
]


def compare(
    scores: ScoredSuites = None,
    published: Annotated[
        str,
        typer.Option(
            help="show the results beside those of a paper, in its tables: gulordava2018, "
            "marvin2018, hu2020-syntaxgym, hu2020-reflexives or warstadt2020"
        ),
    ] = "",
    construction: Constructions = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="also write the table to this file, or all tables to this folder"
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Compare models with people and with published figures, on one suite or several.

    Examples:
        colorless compare
        colorless compare 'number_*' --published hu2020-syntaxgym --out published.tsv
    """
    from ..humans.comparison import compare

    return compare


def report(
    scores: ScoredSuites = None,
    out: Annotated[Path, typer.Option("--out", help="file for the page")] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(help="also write every figure to this folder, as SVG and PDF"),
    ] = None,
    construction: Constructions = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Write all results as one self-contained HTML page.

    Examples:
        colorless report
        colorless report 'fgd*' --out gaps.html --figures drawings
    """
    from ..humans.page.report import report

    return report


def demo(
    folder: Annotated[Path, typer.Argument(help="folder for all output")] = Path("demo"),
    seed: Seed = 0,
) -> Function:
    """Run every step on a bundled sample, with simulated judgments that are labelled so.

    Examples:
        colorless demo
        colorless demo try --seed 1
    """
    from ..humans.demo import run_demo

    return run_demo
