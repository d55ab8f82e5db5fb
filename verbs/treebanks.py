"""The verbs that get a treebank: fetch and parse."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..data import console
from .command import Function
from .options import Device, OutFile, advanced


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="treebanks and published test sets, such as UD_Italian-ISDT, it_isdt@2.16, "
            "blimp, multiblimp:nld or unimorph:ita",
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="all treebanks of this language (code or English name)")
    ] = "",
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="download the archive of the whole release; with names or --language, unpack only "
            "those treebanks",
        ),
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="list what is available and what is in the cache")
    ] = False,
    release: Annotated[
        str, typer.Option(help="UD release for names without @RELEASE [default: the newest]")
    ] = "",
    mirror: Annotated[
        str, advanced(help="download from this address instead of the usual hosts")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", help="store the data here instead of in the cache")
    ] = None,
) -> Function:
    """Download treebanks and published test sets; verify them and record their licences.

    Examples:
        colorless fetch UD_German-GSD
        colorless fetch --list --language Italian
    """
    from ..data.fetch.fetch import fetch

    return fetch


def parse(
    texts: Annotated[
        list[Path],
        typer.Argument(help="plain text, also gzipped; - for stdin"),
    ],
    language: Annotated[str, typer.Option(help="language of the text (BCP-47 code)")] = "",
    parser: Annotated[str, typer.Option(help="name of the parser")] = "stanza",
    models: Annotated[
        Path | None, advanced(help="folder with the parser's models [default: the parser's own]")
    ] = None,
    package: Annotated[str, advanced(help="which of the parser's models to use")] = "default",
    device: Device = "auto",
    download: Annotated[bool, typer.Option("--download", help="download missing models")] = False,
    paragraphs: Annotated[
        str,
        advanced(
            help="where paragraphs end: line (at every line end), blank (at blank lines) or auto"
        ),
    ] = "auto",
    batch: Annotated[int, advanced(min=1, help="number of paragraphs parsed at a time")] = 200,
    out: OutFile = None,
) -> Function:
    """Parse raw text to CoNLL-U with Stanza or another parser.

    Examples:
        colorless parse novel.txt --language it --download --out novel.conllu
        colorless parse - --language de --models ~/stanza
    """
    from ..miner.parse.parse_text import parse

    return partial(parse, write=console.write)
