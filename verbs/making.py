"""The verbs that make test material: nonce and grammar."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.errors import InputError
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    Frequencies,
    OutFile,
    Quiet,
    Seed,
    StorePath,
    Unimorph,
    Vocabulary,
)
from colorless_green.verbs.wiring import now, open_store


class NonceWords(StrEnum):
    """What content words are exchanged for."""

    real = "real"
    pseudo = "pseudo"


class Tail(StrEnum):
    """What becomes of the words after a target."""

    REPLACE = "replace"
    KEEP = "keep"


def nonce(
    originals: Annotated[
        Path | None, typer.Argument(help="originals.jsonl [default: the newest mining]")
    ] = None,
    n_variants: Annotated[int, typer.Option("-n", min=1, help="variants of each original")] = 9,
    level: Annotated[
        str,
        typer.Option(help="how alike words must be: morphology, +frequency, +frame or +unseen"),
    ] = "morphology",
    fallback: Annotated[
        bool, typer.Option("--fallback", help="a lower level where an original asks too much of it")
    ] = False,
    words: Annotated[NonceWords, typer.Option(help="real, or pseudo: coined stems")] = (
        NonceWords.real
    ),
    balance: Annotated[
        bool,
        typer.Option("--balance", help="each wording in both values, with 0, 1, 2 attractors"),
    ] = False,
    attractors: Annotated[
        int | None,
        typer.Option(min=0, help="with --balance: only sets with every cell up to so many"),
    ] = None,
    tail: Annotated[
        Tail | None,
        typer.Option(help="words after the target [default: keep from +frame on, else replace]"),
    ] = None,
    all_targets: Annotated[
        bool, typer.Option("--all-targets", help="list every pair of forms that fits each prefix")
    ] = False,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            help="originals with this flag (docs/quality.md), all or none; again for more "
            "[default: undecidable forms (none under released), above morphology all]"
        ),
    ] = None,
    treebank: Annotated[
        list[Path] | None, typer.Option(help="where words come from [default: the one mined]")
    ] = None,
    vocabulary: Vocabulary = None,
    unimorph: Unimorph = None,
    frequencies: Frequencies = "treebank",
    seen_in: Annotated[
        list[Path] | None, typer.Option(help="text whose word pairs +unseen avoids too")
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
    page: Annotated[
        Path | None, typer.Option(help="also write a page to read and mark the set on (HTML)")
    ] = None,
    marks: Annotated[
        Path | None, typer.Option(help="leave out what was rejected on such a page (CSV)")
    ] = None,
    rejections: Annotated[
        Path | None, typer.Option(help="also write the originals left out, with reasons (TSV)")
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Nonce variants of mined originals: same morphology, other words."""
    from colorless_green.nonce.making import Outputs, Review, make_nonce
    from colorless_green.nonce.sources import Kind, Sources
    from colorless_green.nonce.substitute import Wanted

    keep_tail = None if tail is None else tail is Tail.KEEP
    if attractors is not None and not balance:
        raise InputError(
            "--attractors", "no balanced sets were asked for", "--balance", kind="conflict"
        )
    with open_store(store) as opened, drawn(not quiet) as progress:
        result = make_nonce(
            originals,
            opened,
            sources=Sources(
                tuple(treebank or ()),
                vocabulary,
                tuple(unimorph or ()),
                frequencies,
                tuple(seen_in or ()),
            ),
            kind=Kind(level, keep_tail, words is NonceWords.pseudo, balance, attractors),
            wanted=Wanted(n_variants, seed, fallback, all_targets),
            review=Review(tuple(exclude or ()), marks),
            outputs=Outputs(out, page, rejections),
            now=now(),
            progress=progress,
        )
    console.show(result, form, as_json, quiet)


def grammar(
    file: Annotated[
        str, typer.Argument(help="template grammar (TOML), or one that --list names")
    ] = "",
    shipped: Annotated[bool, typer.Option("--list", help="the grammars there are")] = False,
    count: Annotated[bool, typer.Option("--count", help="how many, and make none")] = False,
    suite: Annotated[
        bool, typer.Option("--suite", help="as items [default, if it has a section suite]")
    ] = False,
    conllu: Annotated[
        bool, typer.Option("--conllu", help="as a treebank in CoNLL-U [default otherwise]")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="template; again for more [default: all]")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="draw so many [default: all items; 100 sentences]"),
    ] = None,
    capital: Annotated[
        bool | None,
        typer.Option("--capital/--no-capital", help="first letter [default: as the grammar]"),
    ] = None,
    period: Annotated[
        bool | None,
        typer.Option("--period/--no-period", help="at the end [default: as the grammar]"),
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Items or sentences of a template grammar (docs/grammar.md): all, some drawn, or their number.

    Items are JSON lines, or what the ending of --out says.
    """
    from colorless_green.nonce.grammar import commands

    if shipped:
        console.show(commands.listed(), form, as_json, quiet)
    if suite and conllu:
        raise InputError(
            "colorless grammar", "--suite and --conllu", "one of them", kind="conflict"
        )
    found = commands.grammar_of(file, only=only or (), capital=capital, period=period)
    if count:
        console.show(commands.counted(found), form, as_json, quiet)
    treebank = conllu or not (suite or found.design)
    lines = (commands.conllu_lines if treebank else commands.item_lines)(found, sample, seed)
    if out is None:
        commands.print_lines(lines, sys.stdout)
    elif treebank:
        commands.write_lines(lines, out)
    else:
        commands.write_items(found, sample, seed, out)
