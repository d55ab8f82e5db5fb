"""The command `colorless`: the names of its verbs and the order in which help tells them. What a
verb takes and does stands in `verbs/`."""

import gc
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from colorless_green import __version__
from colorless_green.data import console
from colorless_green.verbs import (
    experiments,
    judgments,
    making,
    mining,
    models,
    results,
    suites,
    treebanks,
)
from colorless_green.verbs.help import GroupedCommand

CYCLES = 50_000  # what mining makes is freed by counting: looking for cycles often costs 7 %

VERBS: dict[str, Callable[..., None]] = {
    "fetch": treebanks.fetch,
    "mine": mining.mine,
    "parse": treebanks.parse,
    "languages": mining.languages,
    "nonce": making.nonce,
    "audit": suites.audit,
    "grammar": making.grammar,
    "import": suites.import_,
    "export": suites.export,
    "train": models.train,
    "convert": models.convert,
    "score": models.score,
    "compare": results.compare,
    "report": results.report,
    "demo": results.demo,
}
HUMANS_VERBS: dict[str, Callable[..., None]] = {
    "import": judgments.import_,
    "analyse": judgments.analyse,
    "design": experiments.design,
    "power": experiments.power,
    "export": experiments.export,
    "serve": experiments.serve,
    "answers": experiments.answers,
}

app = typer.Typer(
    help="Targeted syntactic evaluation: mine agreement from treebanks, make nonce twins, score "
    "language models, compare them with people.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
humans_app = typer.Typer(
    help="Judgments of people: design and run an experiment, import and analyse answers.",
    rich_markup_mode=None,
)
app.add_typer(humans_app, name="humans")
for name, verb in VERBS.items():
    app.command(name, cls=GroupedCommand)(verb)
for name, verb in HUMANS_VERBS.items():
    humans_app.command(name, cls=GroupedCommand)(verb)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="show the version")] = False,
) -> None:
    if version:
        typer.echo(f"colorless-green {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@humans_app.callback(invoke_without_command=True)
def about_humans(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """The command `colorless`."""
    gc.set_threshold(CYCLES)
    sys.exit(console.run(app, sys.argv[1:]))
