"""The command `colorless`: the names of its verbs, in the order in which the help lists them. The
options of each verb are declared in `verbs/`."""

import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar

import typer

from .data import console
from .data.version import __version__
from .verbs import experiments, judgments, making, mining, models, results, state, suites, treebanks
from .verbs.command import Function, command
from .verbs.gone import GONE
from .verbs.help import GroupedCommand, GroupedVerbs

CYCLES = 50_000  # mining needs no search for cycles; frequent ones cost it 7 % of its time

GROUPS: dict[str, dict[str, Callable[..., Function]]] = {
    "Treebanks": {
        "fetch": treebanks.fetch,
        "parse": treebanks.parse,
        "mine": mining.mine,
        "languages": mining.languages,
    },
    "Test sets": {
        "nonce": making.nonce,
        "grammar": making.grammar,
        "benchmark": making.benchmark,
        "import": suites.import_,
        "export": suites.export,
        "audit": suites.audit,
    },
    "Models": {"train": models.train, "convert": models.convert, "score": models.score},
    "Results": {"compare": results.compare, "report": results.report},
    "Information": {"status": state.status, "demo": results.demo},
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}
HUMANS_VERBS: dict[str, Callable[..., Function]] = {
    "import": judgments.import_,
    "forget": judgments.forget,
    "analyse": judgments.analyse,
    "design": experiments.design,
    "export": experiments.export,
}


class Verbs(GroupedVerbs):
    """The command `colorless`, with its verbs in groups."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        **{name: tuple(group) for name, group in GROUPS.items()},
        "People": ("humans",),
    }


app = typer.Typer(
    cls=Verbs,
    help="Targeted syntactic evaluation: mine agreement from treebanks, make nonce variants, "
    "score language models, compare them with people.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
humans_app = typer.Typer(
    cls=GroupedVerbs,
    help="Experiments with people: design and run a study, import and analyse judgments.",
    rich_markup_mode=None,
)
app.add_typer(humans_app, name="humans")
for name, verb in VERBS.items():
    app.command(name, cls=GroupedCommand)(command(verb))
for name, verb in HUMANS_VERBS.items():
    humans_app.command(name, cls=GroupedCommand)(command(verb))


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
    """Run the command `colorless`."""
    gc.set_threshold(CYCLES)
    code = console.run(app, sys.argv[1:], GONE)
    gc.freeze()  # all memory goes with the process: skip the last search for cycles
    sys.exit(code)
