"""The layout of a verb's help: options in named groups, the rare ones last, and two examples."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

ADVANCED = "Advanced"  # groups with this prefix hold what most users never need, and come last
HELP = frozenset(("-h", "--help"))
EXAMPLES = "\n\nExamples:\n"  # begins the block of a verb's docstring with command lines
PLACEHOLDERS = (
    (re.compile(r"<list\[Path\]>|<path>"), "PATH"),
    (re.compile(r"<list\[str\]>|<str>"), "TEXT"),
    (re.compile(r"<(?:list\[)?int(?: range)?\]?>"), "N"),
    (re.compile(r"<float(?: range)?>"), "X"),
    (re.compile(r"<\[?([^<>]*\|[^<>]*?)\]?>"), r"\1"),
)
RANGE = re.compile(
    r"\s*\[(?:[\d.]+<=)?x[<>]=?[\d.]+\]|(?<=; )[\d.]*<?=?x[<>]=?[\d.]+(?=\])|"
    r"(?<=\[)(?:[\d.]+<=)?x[<>]=?[\d.]+; "
)


class GroupedCommand(TyperCommand):
    """A verb. An option's group is its `rich_help_panel`; one without is in the first, Options."""

    def __init__(self, *args: Any, help: str | None = None, **kwargs: Any) -> None:
        text, _, self.examples = (help or "").partition(EXAMPLES)
        super().__init__(*args, help=text, **kwargs)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show help without converting any option, for which Typer loads pydantic (0.1 s)."""
        if not HELP.isdisjoint(args):
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, the groups in the order they are met, Advanced, and the examples."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                is_argument = param.param_type_name == "argument"
                panel = getattr(param, "rich_help_panel", None) or "Options"
                groups.setdefault("Arguments" if is_argument else panel, []).append(_plain(*record))
        ordered = sorted(groups, key=lambda name: name.startswith(ADVANCED))
        for name, records in ((title, groups[title]) for title in ordered):
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)
        lines = [line.strip() for line in self.examples.splitlines() if line.strip()]
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class GroupedVerbs(TyperGroup):
    """The command itself: its verbs in groups, each with the whole first sentence of its help."""

    groups: ClassVar[Mapping[str, Sequence[str]]] = {}  # name → verbs; verbs of no group come last

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Hand a request for a verb's help to the verb, without converting options."""
        if args and args[0] in self.commands and not HELP.isdisjoint(args):
            self.commands[args[0]].make_context(args[0], args[1:], parent=ctx)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups in their order."""
        grouped = [name for names in self.groups.values() for name in names]
        ungrouped = [name for name in self.commands if name not in grouped]
        for title, names in {**self.groups, "Commands": ungrouped}.items():
            records = [(name, self._sentence(name)) for name in names if name in self.commands]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def _sentence(self, name: str) -> str:
        return " ".join((self.commands[name].help or "").partition("\n\n")[0].split())


def _plain(name: str, text: str) -> tuple[str, str]:
    """Return an option and its help without the names of Python's types."""
    for pattern, word in PLACEHOLDERS:
        name = pattern.sub(word, name)
    return name, re.sub(r"; ?\]", "]", RANGE.sub("", text)).replace("[]", "").strip()
