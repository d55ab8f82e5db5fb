"""The verbs that get a treebank: fetch and parse."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.data import console
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import Device, OutFile, advanced


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="treebanks and published sets: it_isdt@2.16, UD_Italian-ISDT, blimp, "
            "multiblimp:nld, unimorph:ita",
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="all treebanks of a language (code or English name)")
    ] = "",
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="the whole release, from its archive; with names or --language only these from it",
        ),
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="show what there is and what the cache has")
    ] = False,
    release: Annotated[
        str, typer.Option(help="of names without @RELEASE [default: the newest]")
    ] = "",
    mirror: Annotated[str, advanced(help="an address or a folder in the place of all hosts")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", help="put the folders here instead of in the cache")
    ] = None,
) -> Function:
    """Fetch treebanks and published test sets, checked and with their licence.

    Examples:
        colorless fetch UD_German-GSD
        colorless fetch --list --language Italian
    """
    return colorless_green.fetch


def parse(
    texts: Annotated[
        list[Path],
        typer.Argument(help="plain text, .gz or not; - for stdin; with --gold a parse in CoNLL-U"),
    ],
    language: Annotated[str, typer.Option(help="BCP-47 code")] = "",
    parser: Annotated[str, typer.Option(help="the parser's name")] = "stanza",
    models: Annotated[
        Path | None, advanced(help="folder of its models [default: the parser's own]")
    ] = None,
    package: Annotated[str, advanced(help="which of its models")] = "default",
    device: Device = "auto",
    download: Annotated[
        bool, typer.Option("--download", help="fetch models that are not there")
    ] = False,
    paragraphs: Annotated[
        str, advanced(help="where they end: line (each is one), blank (a blank line) or auto")
    ] = "auto",
    batch: Annotated[int, advanced(min=1, help="paragraphs parsed at a time")] = 200,
    gold: Annotated[
        list[Path] | None,
        advanced(help="set a parse beside the treebank of the same text, instead"),
    ] = None,
    out: OutFile = None,
) -> Function:
    """Parse raw text to CoNLL-U, with Stanza or another parser.

    Examples:
        colorless parse novel.txt --language it --download --out novel.conllu
        colorless parse parsed.conllu --gold UD_Italian-VIT
    """
    return partial(colorless_green.parse, write=console.write)
