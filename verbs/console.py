"""Printing, bars of progress and exit codes of the command line: results go to stdout, all else to
stderr, and a mistake is one line."""

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from threading import Timer
from typing import TYPE_CHECKING, Any

import typer

from ..data.errors import InputError
from ..data.files import printable
from ..data.progress import Progress, silent
from ..data.registry import EXTRAS, did_you_mean, nearest
from ..data.validate import in_our_words
from .gone import GONE

if TYPE_CHECKING:
    from rich.progress import TaskID

    from ..data.result import Result
    from ..data.tables import TableForm

BAD_INPUT, INTERRUPTED, NOT_FOUND = 2, 130, 1  # exit codes
PATIENCE_S = 0.7  # shorter work is not worth a bar; longer work is named within a second
HELP = ["-h", "--help"]  # options that ask for help
FORMS_FOR_PEOPLE = ("markdown", "latex")  # beside the form `table`
PLAIN_LETTERS = {  # what a terminal of few letters shows in place of ours
    "…": "~", "→": "->", "−": "-", "–": "-", "×": "x", "·": ".", "≥": ">=", "≤": "<=", "ρ": "rho",
    "\u2067": "", "\u2069": "",
}  # fmt: skip

UNNEEDED_WORDS = re.compile("Value error, |, unable to parse .*")  # in Typer's words about a value

# The class of all errors of usage. Typer exports only subclasses of it, from its copy of click.
UsageFault: type[BaseException] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)


def show(
    result: "Result", form: "TableForm", as_json: bool, quiet: bool, next_commands: str = ""
) -> None:
    """Print a result and the command lines in `next_commands` ("" for none), then end the program
    by `typer.Exit`, with code 1 if what the user asked for was not found."""
    print_result(result, form, as_json, quiet)
    if next_commands and result.found:
        typer.echo(f"next: {next_commands}", err=True)
    raise typer.Exit(0 if result.found else NOT_FOUND)


def print_result(result: "Result", form: "TableForm", as_json: bool, quiet: bool) -> None:
    """Print a result's messages to stderr and its rows to stdout. A form for people (table,
    Markdown, LaTeX) has the rows and columns meant for them, any other form has all."""
    from ..data.result import fold_text, terminal_width
    from ..data.tables import WRITERS

    form = "jsonl" if as_json else form
    text = left_out = ""
    if form == "table":
        text, left_out = result.to_text()
    elif result.rows or (result.columns and form in ("csv", "tsv")):
        is_for_people = form in FORMS_FOR_PEOPLE
        text = WRITERS[form](result.shown() if is_for_people else result.to_frame())
        left_out = f"all {len(result.rows):,} rows" if is_for_people and result.n_hidden else ""
    if not quiet:
        for message in result.messages:
            lines = fold_text(message, terminal_width(), 2) if sys.stderr.isatty() else [message]
            typer.echo("\n".join(lines), err=True)
    try:
        typer.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone (`| head`): not our mistake
        # what is still to be written goes to the null device, else Python reports the error again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if left_out and not quiet:
        typer.echo(f"{left_out}: --as csv", err=True)


def write(text: str) -> None:
    """Print a text to stdout without changing it."""
    typer.echo(text, nl=False)


def run(app: Callable[..., Any], arguments: Sequence[str]) -> int:
    """Run a command line.

    Args:
        app: the command.
        arguments: the words after its name.

    Returns:
        The exit code: 0 done, 1 not found, 2 bad usage or input, 130 stopped.
    """
    _write_plainly()
    try:
        code = int(app(list(arguments), prog_name="colorless", standalone_mode=False) or 0)
        if code == INTERRUPTED:  # Typer makes an exit code of Ctrl-C
            raise KeyboardInterrupt
        return code
    except (typer.Abort, KeyboardInterrupt):
        typer.echo(f"interrupted; what was finished before is kept; {_advice(arguments)}", err=True)
        return INTERRUPTED
    except Exception as error:
        is_refused = isinstance(error, InputError | UsageFault)
        message = (is_refused and _removed_feature(arguments)) or _message_of(error)
        if not message:
            raise
        typer.echo(message, err=True)
        return BAD_INPUT


def _message_of(error: Exception) -> str:
    """Return the message for an error that a user can mend; "" for an error in this program."""
    match error:
        case InputError():
            return str(error)
        case PermissionError():  # of a file or folder somewhere below what was named
            location, wrong = error.filename, f"cannot be used ({error.strerror or error})"
            right = "a file or folder that you may read and write"
            return str(InputError(str(location or "colorless"), wrong, right, kind="unreadable"))
        case UnicodeEncodeError() if "surrogates" in error.reason:
            location, wrong = printable(error.object)[:80], "a name that is no UTF-8 cannot be kept"
            return str(InputError(location, wrong, "rename the file or folder", kind="value"))
        case ModuleNotFoundError():  # imported late, as by a plug-in
            wrong = f"the Python package {error.name!r} is not installed"
            right = EXTRAS.get(error.name or "", "install it")
            return str(InputError("colorless", wrong, right, kind="dependency"))
    return _usage_message(error) if isinstance(error, UsageFault) else ""


def _write_plainly() -> None:
    """Change stdout and stderr, unless they are UTF-8: a character that their encoding lacks is
    written in plain letters, or as an escape."""

    def plainly(error: UnicodeError) -> tuple[str, int]:
        """Return the text to write instead of the characters that failed, and where they end."""
        assert isinstance(error, UnicodeEncodeError)
        failed = error.object[error.start : error.end]
        escaped = (
            PLAIN_LETTERS.get(letter, letter.encode("ascii", "backslashreplace").decode())
            for letter in failed
        )
        return "".join(escaped), error.end

    codecs.register_error("plainly", plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="plainly")


def _removed_feature(arguments: Sequence[str]) -> str:
    """Return the message for a command line with a command, option or value that version 1 had and
    version 2 has not; "" for any other command line."""
    words = (word for argument in arguments for word in argument.split("=", 1))
    written = f"{' '.join(words)} "
    for removed, instead in GONE.items():  # as "doctor" or "humans export --to static"
        verb, dashes, option = removed.partition(" --")
        has_option = f"{dashes}{option} " in written[len(verb) :]  # True for a verb alone
        if written.startswith(f"{verb} ") and has_option:
            return f"colorless {removed}: not in version 2; {instead}"
    return ""


def _advice(arguments: Sequence[str]) -> str:
    """Return advice on how to continue after an interruption, for a message."""
    if list(arguments[:1]) == ["train"]:
        return "the same command starts again, and with --resume continues a neural model"
    return "the same command continues from there"


def _usage_message(error: BaseException) -> str:
    """Return the message of Typer for bad usage in the form of our own, on one line: the command,
    what is wrong, and what to do."""
    context = getattr(error, "ctx", None)
    location = context.command_path if context else "colorless"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    message = " ".join(message.split()).replace("Input should", "it should")
    message = in_our_words(UNNEEDED_WORDS.sub("", message))
    if match := re.search(r"'([^']*)' is not one of (.+)", message):
        right = nearest(match[1], re.findall(r"'([^']*)'", match[2]))
        message = f"{message[: match.start()]}no such value {match[1]!r}; {right}"
    if (unknown := re.fullmatch(r"No such command '([^']*)'", message)) and context:
        question = did_you_mean(unknown[1], context.command.list_commands(context))
        message = f"{message}; {question}".rstrip("; ")
    return f"{location}: {message}; see {location} --help"


@contextmanager
def progress_bars(show: bool, first_task: str = "") -> Iterator[Progress]:
    """Show progress bars with rate and time left on stderr while the block runs.

    Args:
        show: whether to show them; nothing appears where stderr is not a terminal.
        first_task: the task to show until the work reports one of its own.

    Yields:
        The function that the work calls with (task, done, total). Nothing appears within the first
        `PATIENCE_S` seconds.
    """
    if not show or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        # rich would send what is printed to stdout to stderr, also where stdout is a file
        redirect_stdout=sys.stdout.isatty(),
    )
    ids: dict[str, TaskID] = (
        {first_task: bars.add_task(first_task, total=None)} if first_task else {}
    )
    timer = Timer(PATIENCE_S, bars.start)
    timer.daemon = True
    timer.start()

    def progress(task: str, n_done: int, total: int | None) -> None:
        """Show the progress of a task; its bar replaces that of `first_task`."""
        if first_task in ids and task != first_task:
            bars.remove_task(ids.pop(first_task))
        if task not in ids:
            ids[task] = bars.add_task(task, total=total)
        bars.update(ids[task], completed=n_done, total=total)

    try:
        yield progress
    finally:
        timer.cancel()
        timer.join()
        bars.stop()
