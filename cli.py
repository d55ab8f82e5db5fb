"""The command `colorless`, as a table of its verbs (subcommands) and the functions they call.

The options of a verb are the parameters of its function.
"""

import gc
import sys
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from .data.version import __version__
from .verbs import console
from .verbs.help import Verbs

GC_THRESHOLD = 50_000  # allocations between two garbage collections; frequent ones cost mining 7 %

# group → verb → (line in the help, name of the public function)
GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "All steps": {
        "run": ("Go the whole way: from a treebank, or a published set, to the report.", "run"),
        "demo": ("Run every step on a bundled sample, with simulated people.", "run_demo"),
    },
    "Treebanks": {
        "fetch": ("Download treebanks and published test sets.", "fetch"),
        "parse": ("Parse raw text to CoNLL-U with Stanza.", "parse"),
        "mine": ("Mine agreement constructions and original sentences from a treebank.", "mine"),
        "languages": ("Survey many treebanks: constructions, originals and forms.", "languages"),
    },
    "Test sets": {
        "nonce": (
            "Make nonce variants of mined originals: same syntax, other words.",
            "make_nonce",
        ),
        "compose": ("Make composed sets: short sentences, all attractors, same words.", "compose"),
        "grammar": ("Make items or sentences from a template grammar.", "generate"),
        "benchmark": ("Make audited composed sets of many languages, to publish.", "benchmark"),
        "import": ("Import a suite from another tool's format into the store.", "import_suites"),
        "export": ("Export a suite to another format.", "export"),
        "audit": ("Measure how much of a suite can be solved without grammar.", "audit"),
        "show": ("Show a suite, or a rule, recipe, method or training as TOML.", "show"),
    },
    "Models": {
        "train": ("Train a small model on text or on a treebank.", "train"),
        "convert": ("Convert a pickled recurrent network to a model folder.", "convert"),
        "score": ("Score models on suites: surprisals, outcomes, accuracies.", "score"),
        "surprisal": ("Measure the surprisal of each word of texts.", "surprisal"),
    },
    "Results": {
        "compare": ("Compare models with people and with published figures.", "compare"),
        "report": ("Write all results as one self-contained HTML page.", "report"),
    },
    "Information": {"status": ("List what the store holds, and what is installed.", "status")},
}
HUMANS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Commands": {
        "design": ("Design an experiment from a suite.", "design_study"),
        "export": ("Export a study to a platform.", "export_study"),
        "import": ("Import people's judgments into the store, under pseudonyms.", "read_judgments"),
        "forget": ("Delete one import of judgments from the store.", "forget_judgments"),
        "analyse": ("Analyse judgments: accuracy, agreement, reliability.", "analyse"),
    }
}
VERBS = {name: function for group in GROUPS.values() for name, (_, function) in group.items()}
HUMANS_VERBS = {name: function for name, (_, function) in HUMANS["Commands"].items()}
HUMANS_HELP = "Experiments with people: design and run a study, import and analyse judgments."


def make_command(name: str, function: str) -> Any:
    """Return the command of a verb, given its name and the name of its public function."""
    from .verbs.command import command  # takes long to import

    return command(name, function)


def lazy_commands(
    groups: Mapping[str, Mapping[str, tuple[str, str]]],
) -> dict[str, dict[str, tuple[str, Any]]]:
    """Return a table of verbs in which each function's name is replaced by a call that makes the
    verb's command, so that only the verb that runs is made."""
    return {
        title: {
            name: (line, partial(make_command, name, function))
            for name, (line, function) in group.items()
        }
        for title, group in groups.items()
    }


class HumansVerbs(Verbs):
    """The verbs of `colorless humans`."""

    groups = lazy_commands(HUMANS)


class AllVerbs(Verbs):
    """The verbs of `colorless`."""

    groups = lazy_commands(GROUPS)


app = typer.Typer(
    suggest_commands=False,  # Typer knows only the verbs made so far; `verbs.console` knows all
    cls=AllVerbs,
    help="Targeted syntactic evaluation: mine agreement from treebanks, make nonce variants, "
    "score language models, compare them with people.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
humans_app = typer.Typer(
    suggest_commands=False, cls=HumansVerbs, help=HUMANS_HELP, rich_markup_mode=None
)


@app.callback(invoke_without_command=True)
def show_version_or_help(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="show the version")] = False,
) -> None:
    """Print the version for `--version`, or the help if no verb is given."""
    if version:
        typer.echo(f"colorless-green {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@humans_app.callback(invoke_without_command=True)
def show_humans_help(context: typer.Context) -> None:
    """Print the help of `colorless humans` if no verb is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


AllVerbs.groups["People"] = {"humans": (HUMANS_HELP, lambda: typer.main.get_command(humans_app))}


def main() -> None:
    """Run the command `colorless`."""
    gc.set_threshold(GC_THRESHOLD)
    code = console.run(app, sys.argv[1:])
    gc.freeze()  # skip the last search for cycles: the process gives up all its memory anyway
    sys.exit(code)
