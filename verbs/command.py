"""Run a verb: call the function that it returns and print the result."""

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import typer

from ..data import console
from ..data.progress import drawn

Function: TypeAlias = Callable[..., Any]
"""A public function: it returns a `Result`, or a `Suite` with an account of how it was made."""
PANEL = "Printing"
As = Annotated[
    Literal["table", "csv", "tsv", "jsonl", "markdown", "latex"],
    typer.Option(
        "--as",
        metavar="FORM",
        help="table, csv, tsv, jsonl, markdown or latex",
        rich_help_panel=PANEL,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="JSON lines: every row and column (same as --as jsonl)",
        rich_help_panel=PANEL,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="no messages and no progress", rich_help_panel=PANEL),
]
PRINTING = {"form": (As, "table"), "as_json": (AsJson, False), "quiet": (Quiet, False)}
"""The options about printing, which every verb has: type and default."""


def command(verb: Callable[..., Function]) -> Callable[..., None]:
    """Return a verb as the command line runs it.

    Args:
        verb: declares the options of a public function, under the same names and with the same
            defaults (`tests/test_verbs.py` holds it to that), and returns this function.

    Returns:
        A function that takes these options and those about printing, calls the public function,
        and prints what that returns.
    """
    declared = inspect.signature(verb)
    printing = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in PRINTING.items()
    ]

    def run(form: Any, as_json: bool, quiet: bool, **options: Any) -> None:
        function = verb(**options)
        reports = "progress" in inspect.signature(function).parameters
        doing = re.split(r"[:;.\n]", verb.__doc__ or "", maxsplit=1)[0]
        with drawn(reports and not quiet, doing) as progress:
            result = function(**options, **({"progress": progress} if reports else {}))
        printed: Any = getattr(result, "account", result)
        console.show(printed, form, as_json, quiet)

    parameters = [*declared.parameters.values(), *printing]
    run.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = verb.__doc__
    return run
