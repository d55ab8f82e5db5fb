"""The command `colorless`, as a table of its verbs (subcommands) and the functions they call.

The options of a verb are the parameters of its function.
"""

import gc
import sys
from typing import Annotated, Any, ClassVar, TypeAlias

import typer
from typer.core import TyperGroup

from .data.version import __version__
from .verbs import console
from .verbs.console import HELP

GC_THRESHOLD = 50_000  # allocations between two garbage collections; frequent ones cost mining 7 %

Groups: TypeAlias = dict[str, dict[str, tuple[str, str]]]
"""Title of a group → verb → (its line in the help, name of its public function)"""

GROUPS: Groups = {
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
HUMANS: Groups = {
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


class Verbs(TyperGroup):
    """A program with its commands ("verbs") in groups. A command is made when it is first needed,
    so that help is fast."""

    groups: ClassVar[Groups]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [name for group in self.groups.values() for name in group]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name, made at the first call; None for an unknown name."""
        for group in self.groups.values():
            if cmd_name in group and cmd_name not in self.commands:
                from .verbs.command import command  # takes long to import

                _, function = group[cmd_name]
                self.commands[cmd_name] = command(cmd_name, function)
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer a request for a command's help by that command, without converting options."""
        if args and args[0] in self.list_commands(ctx) and not {*HELP}.isdisjoint(args):
            self.get_command(ctx, args[0]).make_context(args[0], args[1:], parent=ctx)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups of commands, each command with its line."""
        for title, group in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (line, _) in group.items()])


class HumansVerbs(Verbs):
    """The verbs of `colorless humans`."""

    groups = HUMANS


class AllVerbs(Verbs):
    """The verbs of `colorless`."""

    groups = GROUPS | {"People": {"humans": (HUMANS_HELP, "")}}  # `humans_app`, not a function


app = typer.Typer(
    suggest_commands=False,  # Typer knows only the verbs made so far; `verbs.console` knows all
    cls=AllVerbs,
    help="Targeted syntactic evaluation: mine agreement from treebanks, make nonce variants, "
    "score language models, compare them with people.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": HELP, "max_content_width": 100},
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


app.add_typer(humans_app, name="humans")


def main() -> None:
    """Run the command `colorless`."""
    gc.set_threshold(GC_THRESHOLD)
    code = console.run(app, sys.argv[1:])
    gc.freeze()  # skip the last search for cycles: the process gives up all its memory anyway
    sys.exit(code)
