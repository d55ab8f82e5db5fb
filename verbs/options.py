"""The options that several verbs share, as types: a verb gives the name and the default."""

from pathlib import Path
from typing import Annotated, Any

import typer

from colorless_green.verbs.help import ADVANCED

DEFAULT_STORE = "colorless.db"


def advanced(*names: str, help: str, group: str = "", **more: Any) -> Any:
    """An option that most never need, in a group of such."""
    panel = f"{ADVANCED}: {group}" if group else ADVANCED
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


StorePath = Annotated[str, typer.Option("--store", help="the project's file; 'none' keeps nothing")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same result")]
OutFolder = Annotated[Path | None, typer.Option("--out", help="also write the tables here")]
OutFile = Annotated[Path | None, typer.Option("--out", help="also write it to this file")]
Features = Annotated[
    list[str] | None,
    typer.Option(help="feature that agrees, as Number; repeat for several [default: Number]"),
]
Constructions = Annotated[
    list[str] | None,
    typer.Option(help="only these constructions; * stands for anything; repeat for several"),
]
MinGap = Annotated[
    int | None, advanced(min=0, group="which instances", help="fewest words between [default: 3]")
]
MaxGap = Annotated[
    int | None,
    advanced(
        min=0,
        group="which instances",
        help="most words between; 0 for no limit [default: 13; strict: no limit]",
    ),
]
MinN = Annotated[
    int | None,
    advanced(min=1, group="the test", help="fewest instances, for rule tested [default: 10]"),
]
Floor = Annotated[
    float | None,
    advanced(
        group="the test",
        help="least lower bound of the share that agrees, for rule tested [default: 0.85]",
    ),
]
Vocabulary = Annotated[
    Path | None,
    typer.Option(help="file of the words that models know [default: those of the treebank]"),
]
Unimorph = Annotated[
    list[str] | None,
    advanced(
        group="the treebank",
        help="LANGUAGE=FILE: a UniMorph list, for forms that the treebank lacks",
    ),
]
SkipBad = Annotated[
    bool,
    advanced("--skip-bad", group="the treebank", help="leave out bad sentences and report them"),
]
Renumber = Annotated[
    bool,
    advanced(
        "--renumber",
        group="the treebank",
        help="sentence ids come twice in a file: add its line to each",
    ),
]

Suite = Annotated[str, typer.Argument(help="file, folder or name [default: the newest]")]
Frequencies = Annotated[
    str, advanced(help="of words: treebank, wordfreq, or a file of words and counts")
]

Device = Annotated[str, typer.Option(help="auto, cpu or cuda[:n]")]
Workers = Annotated[
    int | None,
    advanced(
        group="work",
        help="processes that share the work [default: 1, with --ray all of the cluster]",
    ),
]
Ray = Annotated[
    str,
    advanced(
        "--ray", group="work", help="a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local"
    ),
]
