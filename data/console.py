"""Printing and exit codes of the command line: results go to stdout, all else to stderr, and a
mistake is one line. Only `cli.py` and `verbs/` use this module."""

import codecs
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from .errors import InputError
from .files import printable
from .registry import EXTRAS, nearest

if TYPE_CHECKING:
    from .result import Result
    from .tables import TableForm

BAD_INPUT, INTERRUPTED, NOT_FOUND = 2, 130, 1
NOTHING: Mapping[str, str] = MappingProxyType({})

FOR_PEOPLE = ("markdown", "latex")
PLAIN = {  # what a terminal of few letters shows in place of ours
    "…": "~", "→": "->", "−": "-", "–": "-", "×": "x", "·": ".", "≥": ">=", "≤": "<=", "ρ": "rho",
    "\u2067": "", "\u2069": "",
}  # fmt: skip

# Typer's words about a value → plainer ones.
PLAINER = {
    "Value error, |, unable to parse .*": "",
    "Input should be": "it should be",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "a valid integer": "a whole number",
    "a valid number": "a number",
}

# Typer carries a copy of click and exports only the tips of its family of errors.
UsageFault: type[BaseException] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)


def show(
    result: "Result", form: "TableForm", as_json: bool, quiet: bool, following: str = ""
) -> None:
    """Print a result and what can be done `following` it, and end the verb, with code 1 if what was
    asked for was not found."""
    print_result(result, form, as_json, quiet)
    if following and result.found:
        typer.echo(f"next: {following}", err=True)
    raise typer.Exit(0 if result.found else NOT_FOUND)


def print_result(result: "Result", form: "TableForm", as_json: bool, quiet: bool) -> None:
    """Print a result's messages to stderr and its rows to stdout. A form for people (table,
    Markdown, LaTeX) has the rows and columns meant for them, any other form has all."""
    from .tables import WRITERS
    from .terminal import folded, terminal_width

    form = "jsonl" if as_json else form
    text = left_out = ""
    if form == "table":
        text, left_out = result.to_text()
    elif result.rows or (result.columns and form in ("csv", "tsv")):
        text = WRITERS[form](result.shown() if form in FOR_PEOPLE else result.to_frame())
        left_out = (
            f"all {len(result.rows):,} rows" if form in FOR_PEOPLE and result.n_hidden else ""
        )
    if not quiet:
        for message in result.messages:
            lines = folded(message, terminal_width(), 2) if sys.stderr.isatty() else [message]
            typer.echo("\n".join(lines), err=True)
    try:
        typer.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone (`| head`): not our mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if left_out and not quiet:
        typer.echo(f"{left_out}: --as csv", err=True)


def write(text: str) -> None:
    """Print a result that is no table to stdout, as it is."""
    typer.echo(text, nl=False)


def run(
    app: Callable[..., Any], arguments: Sequence[str], gone: Mapping[str, str] = NOTHING
) -> int:
    """Run a command line.

    Args:
        app: the command.
        arguments: the words after its name.
        gone: removed verbs, options and values of an earlier version, as they were written →
            what to do instead.

    Returns:
        The exit code: 0 done, 1 not found, 2 bad usage or input, 130 stopped.
    """
    _write_plainly()
    try:
        code = int(app(list(arguments), prog_name="colorless", standalone_mode=False) or 0)
        if code == INTERRUPTED:  # Typer makes an exit code of Ctrl-C
            raise KeyboardInterrupt
        return code
    except InputError as error:
        typer.echo(_removed_feature(arguments, gone) or str(error), err=True)
        return BAD_INPUT
    except PermissionError as error:  # of a file or folder somewhere below what was named
        wrong = f"cannot be used ({error.strerror or error})"
        right = "a file or folder that you may read and write"
        location = str(error.filename or "colorless")
        typer.echo(str(InputError(location, wrong, right, kind="unreadable")), err=True)
        return BAD_INPUT
    except UnicodeEncodeError as error:
        if "surrogates" not in error.reason:
            raise
        name, wrong = (
            printable(error.object)[:80],
            "a file name that is no UTF-8 cannot be kept",
        )
        fault = InputError(name, wrong, "rename the file or folder", kind="value")
        typer.echo(str(fault), err=True)
        return BAD_INPUT
    except ModuleNotFoundError as error:  # imported late, as by a plug-in
        wrong = f"the Python package {error.name!r} is not installed"
        right = EXTRAS.get(error.name or "", "install it")
        typer.echo(str(InputError("colorless", wrong, right, kind="dependency")), err=True)
        return BAD_INPUT
    except UsageFault as error:
        typer.echo(_removed_feature(arguments, gone) or _usage_message(error), err=True)
        return BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        typer.echo(f"interrupted; what was finished before is kept; {_advice(arguments)}", err=True)
        return INTERRUPTED


def _write_plainly() -> None:
    """Let streams of a code page write what it lacks in plain letters, or as an escape."""

    def plainly(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        lacking = error.object[error.start : error.end]
        escaped = (PLAIN.get(c, c.encode("ascii", "backslashreplace").decode()) for c in lacking)
        return "".join(escaped), error.end

    codecs.register_error("plainly", plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="plainly")


def _removed_feature(arguments: Sequence[str], gone: Mapping[str, str]) -> str:
    """Return the message for a command line that uses something removed; "" for any other."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for written, instead in gone.items():
        verb, dashes, option = written.partition(" --")
        removed, names = (dashes.strip() + option).split(), verb.split()
        following = words[len(names) :]
        runs = [following[n : n + len(removed)] for n in range(len(following))]
        if words[: len(names)] == names and (not removed or removed in runs):
            return f"colorless {written}: not in version 2; {instead}"
    return ""


def _advice(arguments: Sequence[str]) -> str:
    """Say how to go on after an interruption."""
    if list(arguments[:1]) == ["train"]:
        return "the same command starts again, and with --resume continues a neural model"
    return "the same command continues from there"


def _usage_message(error: BaseException) -> str:
    """Return a usage error on one line, as our own: location: what is wrong; what to do."""
    context = getattr(error, "ctx", None)
    location = context.command_path if context else "colorless"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    message = " ".join(message.split()).rstrip(".")
    for pattern, plain in PLAINER.items():
        message = re.sub(pattern, plain, message)
    if match := re.search(r"'([^']*)' is not one of (.+)", message):
        right = nearest(match[1], re.findall(r"'([^']*)'", match[2]))
        message = f"{message[: match.start()]}no such value {match[1]!r}; {right}"
    return f"{location}: {message}; see {location} --help"
