"""What the command line prints and how it ends: results to stdout, all else to stderr, mistakes in
one line, and the exit codes. Used by `cli.py` and `verbs/` alone."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result

BAD_INPUT, INTERRUPTED, NOT_FOUND = 2, 130, 1

# Typer carries a copy of click and exports only the tips of its family of errors.
UsageFault: type[BaseException] = next(
    each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException"
)


def show(result: Result, as_json: bool, quiet: bool) -> None:
    """Prints a result and ends the verb, with code 1 where what was asked for was not found."""
    print_result(result, as_json, quiet)
    raise typer.Exit(0 if result.found else NOT_FOUND)


def print_result(result: Result, as_json: bool, quiet: bool) -> None:
    """Messages to stderr; rows to stdout, as a table for people or as JSON lines."""
    from colorless_green.data.tables import to_json_line, to_table

    if not quiet:
        for message in result.messages:
            typer.echo(message, err=True)
    try:
        if as_json:
            for row in result.rows:
                typer.echo(to_json_line(row))
        elif result.rows:
            shown = result.rows[: len(result.rows) - result.n_hidden]
            typer.echo(to_table(shown, result.columns))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone (`| head`): not our mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not as_json and result.n_hidden and not quiet:
        typer.echo(f"… and {result.n_hidden:,} more rows: --json shows all", err=True)


def write(text: str) -> None:
    """Text to stdout as it is: a result that is no table."""
    typer.echo(text, nl=False)


def run(app: Callable[..., Any], arguments: Sequence[str]) -> int:
    """The exit code of a command line: 0 done, 1 not found, 2 bad usage or input, 130 stopped."""
    try:
        code = int(app(list(arguments), prog_name="colorless", standalone_mode=False) or 0)
        if code == INTERRUPTED:  # Typer makes an exit code of Ctrl-C
            raise KeyboardInterrupt
        return code
    except InputError as error:
        typer.echo(str(error), err=True)
        return BAD_INPUT
    except UsageFault as error:
        typer.echo(_one_line(error), err=True)
        return BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("interrupted; what was stored before is kept", err=True)
        return INTERRUPTED


def _one_line(error: BaseException) -> str:
    """A mistake of usage in the shape of ours: place: what is wrong; what would be right."""
    context = getattr(error, "ctx", None)
    place = context.command_path if context else "colorless"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    return f"{place}: {' '.join(message.split()).rstrip('.')}; see {place} --help"
