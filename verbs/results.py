"""The verbs that show results: compare, report and demo."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green import humans
from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.call import call
from colorless_green.verbs.options import DEFAULT_STORE, As, AsJson, Quiet, Seed, StorePath
from colorless_green.verbs.wiring import now

MORE = "Advanced"
ScoredSuites = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUITES]...",
        help="names or patterns ('fgd*') [default: the newest that was scored]",
        show_default=False,
    ),
]
Constructions = Annotated[
    list[str] | None,
    typer.Option(help="only their items: a name, or a pattern ('VERB*'); repeat for several"),
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
        typer.Option(
            help="recompute a paper's figures from this file or folder of its results",
            rich_help_panel=MORE,
        ),
    ] = None,
    construction: Constructions = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="also write it to this file, or all tables into this folder"),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Set models beside people, over one suite or several, and beside published figures.

    Examples:

        colorless compare
        colorless compare 'number_*' --published hu2020-syntaxgym --out published.tsv
    """
    call(humans.compare, locals())


def report(
    scores: ScoredSuites = None,
    out: Annotated[Path, typer.Option("--out", help="the page to write")] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(help="also write every drawing into this folder, as SVG and PDF"),
    ] = None,
    construction: Constructions = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write one HTML page with everything, readable without this tool or a network.

    Examples:

        colorless report
        colorless report 'fgd*' --out gaps.html --figures drawings
    """
    call(humans.report, locals())


def demo(
    folder: Annotated[Path, typer.Argument(help="where everything goes")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """All of the above on the embedded sample, with simulated judgments labelled as such."""
    from colorless_green.humans.demo import run_demo

    with drawn(not quiet) as progress:
        for result in run_demo(folder, seed=seed, now=now(), progress=progress):
            console.print_result(result, "table", as_json=False, quiet=quiet)
