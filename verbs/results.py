"""The verbs that show results: compare, report and demo."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import DEFAULT_STORE, As, AsJson, Quiet, Seed, StorePath
from colorless_green.verbs.wiring import now, open_existing_store

ScoredSuites = Annotated[
    list[str] | None,
    typer.Argument(help="names or patterns ('fgd*') [default: the newest that was scored]"),
]


def compare(
    suites: ScoredSuites = None,
    published: Annotated[
        str,
        typer.Option(
            help="set one's results in a paper's tables: gulordava2018, marvin2018, "
            "hu2020-syntaxgym, hu2020-reflexives or warstadt2020"
        ),
    ] = "",
    results: Annotated[
        Path | None,
        typer.Option(help="recompute a paper's figures from this file or folder of its results"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="also write it to this file, or all tables into this folder"),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Models beside people, over several suites, and beside published figures."""
    from colorless_green.humans.commands import compare_suites, recompute_results

    if results is not None:
        console.show(recompute_results(results, out=out), form, as_json, quiet)
    with open_existing_store(store) as opened:
        result = compare_suites(suites or (), opened, published=published, out=out)
    console.show(result, form, as_json, quiet)


def report(
    suites: ScoredSuites = None,
    out: Annotated[Path, typer.Option("--out", help="the page to write")] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(help="also write every drawing into this folder, as SVG and PDF"),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """One HTML page with everything, readable without this tool or a network."""
    from colorless_green.humans.commands import write_report

    with open_existing_store(store) as opened, drawn(not quiet) as progress:
        result = write_report(suites or (), opened, out=out, figures=figures, progress=progress)
    console.show(result, form, as_json, quiet)


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
