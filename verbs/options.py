"""The options that several verbs share, as types: a verb gives the name and the default."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..data.store import DEFAULT as DEFAULT_STORE
from .help import ADVANCED

__all__ = ["DEFAULT_STORE"]


def advanced(*names: str, help: str, group: str = "", **more: Any) -> Any:
    """Declare an option that most users never need, in an Advanced group of the help.

    Args:
        *names: as on the command line; none: made from the parameter's name.
        help: its line in the help.
        group: the Advanced group; "": the one without a name of its own.
        **more: further arguments of `typer.Option`.

    Returns:
        The option, for `Annotated`.

    >>> advanced(help="significance level").rich_help_panel
    'Advanced'
    """
    panel = f"{ADVANCED}: {group}" if group else ADVANCED
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


StorePath = Annotated[
    str, typer.Option("--store", help="the project's database; none to keep nothing")
]
Seed = Annotated[int, typer.Option(help="random seed; the same seed gives the same result")]
OutFolder = Annotated[
    Path | None, typer.Option("--out", help="also write the tables to this folder")
]
OutFile = Annotated[Path | None, typer.Option("--out", help="also write the result to this file")]
Features = Annotated[
    list[str] | None,
    typer.Option(help="agreement feature, such as Number; repeat for several [default: Number]"),
]
Constructions = Annotated[
    list[str] | None,
    typer.Option(help="only this construction; * matches anything; repeat for several"),
]
MinGap = Annotated[
    int | None,
    advanced(
        min=0,
        group="which instances",
        help="minimum number of words between cue and target [default: 3]",
    ),
]
MaxGap = Annotated[
    int | None,
    advanced(
        min=0,
        group="which instances",
        help="maximum number of words between cue and target; 0 for no limit [default: 13; strict: "
        "no limit]",
    ),
]
MinN = Annotated[
    int | None,
    advanced(
        min=1, group="the test", help="minimum number of instances, for rule tested [default: 10]"
    ),
]
Floor = Annotated[
    float | None,
    advanced(
        group="the test",
        help="lower bound that the agreement rate must reach, for rule tested [default: 0.85]",
    ),
]
Vocabulary = Annotated[
    Path | None,
    typer.Option(help="file with the models' vocabulary [default: the words of the treebank]"),
]
Unimorph = Annotated[
    list[str] | None,
    advanced(
        group="the treebank",
        help="LANGUAGE=FILE: a UniMorph list for forms missing from the treebank",
    ),
]
SkipBad = Annotated[
    bool,
    advanced("--skip-bad", group="the treebank", help="skip malformed sentences and report them"),
]
Renumber = Annotated[
    bool,
    advanced(
        "--renumber",
        group="the treebank",
        help="where a file repeats a sentence id, append the line number to each id",
    ),
]

Suite = Annotated[
    str, typer.Argument(help="suite: a file, a folder or a name in the store [default: the newest]")
]
Frequencies = Annotated[
    str,
    advanced(help="source of word frequencies: treebank, wordfreq, or a file of words and counts"),
]

Device = Annotated[str, typer.Option(help="auto, cpu or cuda[:N]")]
Workers = Annotated[
    int | None,
    advanced(
        group="work",
        help="number of worker processes [default: 1; with --ray, the whole cluster]",
    ),
]
Ray = Annotated[
    str,
    advanced(
        "--ray",
        group="work",
        help="run on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local",
    ),
]
