"""The layout of the help: commands in groups, options in groups, and examples."""

from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

HELP = frozenset(("-h", "--help"))


class VerbCommand(TyperCommand):
    """A command such as `colorless mine`. Its help puts an option into the group that
    `rich_help_panel` names, by default Options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a request for help is answered first and ends the program. Typer
        would first load pydantic to convert options, which takes 0.1 s."""
        if not HELP.isdisjoint(args):
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the groups of options in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                panel = getattr(param, "rich_help_panel", None) or "Options"
                if param.param_type_name == "argument":
                    name, text = record
                    panel, record = "Arguments", (name.partition(" <")[0], text)  # without its type
                groups.setdefault(panel, []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        lines = [line.strip() for line in (self.epilog or "").splitlines() if line.strip()]
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Verbs(TyperGroup):
    """The program `colorless` with its commands ("verbs") in groups. A command is made when it is
    first needed, so that help is fast."""

    groups: ClassVar[dict[str, dict[str, tuple[str, Any]]]] = {}
    """Title of a group → name of a command → its line in the help, and a function that makes it"""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [name for group in self.groups.values() for name in group]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name, made at the first call; None for an unknown name."""
        for group in self.groups.values():
            if cmd_name in group and cmd_name not in self.commands:
                _, make = group[cmd_name]
                self.commands[cmd_name] = make()
        return self.commands.get(cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer a request for a command's help by that command, without converting options."""
        if args and args[0] in self.list_commands(ctx) and not HELP.isdisjoint(args):
            self.get_command(ctx, args[0]).make_context(args[0], args[1:], parent=ctx)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the groups of commands, each command with its line."""
        for title, group in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (line, _) in group.items()])
