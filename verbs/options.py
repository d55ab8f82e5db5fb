"""The options that several verbs share, as types: a verb gives the name and the default."""

from pathlib import Path
from typing import Annotated, Literal

import typer

DEFAULT_STORE = "colorless.db"
StorePath = Annotated[str, typer.Option("--store", help="the project's file; 'none' keeps nothing")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same bytes")]
OutFolder = Annotated[Path | None, typer.Option("--out", help="also write the tables here")]
OutFile = Annotated[Path | None, typer.Option("--out", help="also write it to this file")]
As = Annotated[
    Literal["table", "csv", "tsv", "jsonl", "markdown", "latex"],
    typer.Option("--as", metavar="FORM", help="table, csv, tsv, jsonl, markdown or latex"),
]
AsJson = Annotated[bool, typer.Option("--json", help="the same as --as jsonl: all there is")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no messages and no progress")]

Features = Annotated[
    list[str] | None,
    typer.Option(help="feature that agrees, by its exact name; again for more [default: Number]"),
]
MinGap = Annotated[int | None, typer.Option(min=0, help="least words between [default: 3]")]
MaxGap = Annotated[
    int | None,
    typer.Option(min=0, help="most; 0 for no limit [default: 13; no limit under strict]"),
]
MinN = Annotated[
    int | None, typer.Option(min=1, help="least instances, for rule tested [default: 10]")
]
Floor = Annotated[float | None, typer.Option(help="least share that agrees [default: 0.9]")]
Vocabulary = Annotated[
    Path | None,
    typer.Option(help="words the models know, at white space; without it, those of the treebank"),
]
Unimorph = Annotated[
    list[str] | None,
    typer.Option(help="LANGUAGE=FILE: a UniMorph list, for forms that the treebank lacks"),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="leave out bad sentences and report them")
]

Suite = Annotated[str, typer.Argument(help="file or name [default: the newest]")]
Frequencies = Annotated[
    str, typer.Option(help="of words: treebank, wordfreq, or a file (word and count)")
]

Device = Annotated[str, typer.Option(help="auto, cpu or cuda[:n]")]
Workers = Annotated[
    int | None,
    typer.Option(
        help="processes to share the work; the result is the same [default: 1, with --ray all of "
        "the cluster]"
    ),
]
Ray = Annotated[
    str,
    typer.Option(
        "--ray", help="do the work on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local"
    ),
]
