"""The verbs that make test material: nonce, grammar and benchmark."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

import colorless_green
from colorless_green.data import console
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    Constructions,
    OutFile,
    Ray,
    Seed,
    SkipBad,
    StorePath,
    Unimorph,
    Workers,
    advanced,
)


def nonce(
    originals: Annotated[
        str | None, typer.Argument(help="file or name of originals [default: the newest mining]")
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--per-original",
            "-n",
            min=1,
            help="variants of each original [default: 3; with morphology 9, as published]",
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            help="how alike words must be: morphology, +frequency, +frame or +unseen [default: the "
            "highest that serves an original, +frequency at the least]"
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gulordava2018: the level of the published sets")
    ] = "",
    construction: Constructions = None,
    words: Annotated[
        Literal["real", "pseudo"], typer.Option(help="real, or pseudo: coined stems")
    ] = "real",
    balance: Annotated[
        bool,
        typer.Option("--balance", help="each wording in both values, with 0, 1, 2 attractors"),
    ] = False,
    composed: Annotated[
        bool,
        advanced(
            "--composed",
            group="composed sets",
            help="sets of short beginnings, built of what the treebank shows to be productive",
        ),
    ] = False,
    sets: Annotated[
        int, advanced("--sets", min=1, group="composed sets", help="with --composed: most sets")
    ] = 500,
    fallback: Annotated[
        bool,
        advanced(
            "--fallback",
            group="the variants",
            help="with --level: a lower one where an original asks too much; words that the level "
            "leaves alone stay",
        ),
    ] = False,
    attractors: Annotated[
        int | None,
        advanced(
            min=0,
            group="the variants",
            help="with --balance: only sets with every cell up to this many; with --composed: most",
        ),
    ] = None,
    tail: Annotated[
        Literal["replace", "keep"] | None,
        advanced(
            group="the variants",
            help="words after the target [default: keep from +frame on, else replace]",
        ),
    ] = None,
    all_targets: Annotated[
        bool,
        advanced(
            "--all-targets",
            group="the variants",
            help="list every pair of forms that fits each prefix",
        ),
    ] = False,
    exclude: Annotated[
        list[str] | None,
        advanced(
            group="the variants",
            help="originals with this flag (docs/sets.md), all or none; repeat for several "
            "[default: all; with morphology: undecidable forms]",
        ),
    ] = None,
    treebank: Annotated[
        list[Path] | None,
        advanced(group="words", help="where words come from [default: the one mined]"),
    ] = None,
    lexicon: Annotated[
        list[Path] | None,
        advanced(
            group="words",
            help="further CoNLL-U of the language, a file or folder; repeat for several",
        ),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        advanced(group="words", help="file of the words that models know [default: the mining's]"),
    ] = None,
    unimorph: Annotated[
        list[str] | None,
        advanced(group="words", help="LANGUAGE=FILE: a UniMorph list, for missing forms"),
    ] = None,
    frequencies: Annotated[
        str,
        advanced(group="words", help="treebank, wordfreq, or a file of words and counts"),
    ] = "treebank",
    seen_in: Annotated[
        list[Path] | None, advanced(group="words", help="text whose word pairs +unseen avoids too")
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
    page: Annotated[
        Path | None,
        advanced(
            group="reading and marking", help="also write a page to read and mark the set on (HTML)"
        ),
    ] = None,
    marks: Annotated[
        Path | None,
        advanced(
            group="reading and marking", help="leave out what was rejected on such a page (CSV)"
        ),
    ] = None,
    rejections: Annotated[
        Path | None,
        advanced(
            group="reading and marking", help="also write the originals left out, with reasons"
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Make nonce variants of mined originals: the same morphology, other words.

    Examples:
        colorless nonce
        colorless nonce --construction 'L__NOUN*' --level +frame --out set.jsonl
    """
    return colorless_green.make_nonce


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
        list[str] | None, typer.Option(help="template; repeat for several [default: all]")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="draw this many [default: all items; 100 sentences]"),
    ] = None,
    capital: Annotated[
        bool | None,
        advanced("--capital/--no-capital", help="first letter [default: as the grammar]"),
    ] = None,
    period: Annotated[
        bool | None,
        advanced("--period/--no-period", help="at the end [default: as the grammar]"),
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
) -> Function:
    """Make items or sentences of a template grammar (docs/suites.md): all, some, or their number.

    Items are JSON lines, or what the ending of --out says.

    Examples:
        colorless grammar --list
        colorless grammar marvin_linzen --sample 200 --out marvin_linzen.jsonl
    """
    from colorless_green.nonce.grammar.generate import generate

    return partial(generate, write=console.write)


def benchmark(
    paths: Annotated[
        list[Path],
        typer.Argument(help="treebanks, or folders of treebanks, of one or many languages"),
    ],
    out: Annotated[Path, typer.Option("--out", help="the folder to write")] = Path("benchmark"),
    n_sets: Annotated[int, typer.Option("--sets", min=1, help="most sets of a language")] = 500,
    attractors: Annotated[
        int, typer.Option(min=1, max=2, help="most modifiers between head and target")
    ] = 2,
    only: Annotated[
        list[str] | None, typer.Option(help="code of a language; repeat for several [default: all]")
    ] = None,
    language: Annotated[
        str, typer.Option(help="BCP-47 code, of treebanks whose names tell none")
    ] = "",
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    license_ok: Annotated[
        bool,
        typer.Option("--license-ok", help="publish languages whose licence is not known, too"),
    ] = False,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = "",
) -> Function:
    """Make a benchmark of treebanks: audited composed sets of each language, ready to publish.

    A language that is finished is not made again: the same command goes on after an interruption.

    Examples:
        colorless benchmark treebanks --sets 500 --workers 4
        colorless benchmark UD_Italian-VIT UD_German-GSD --out agreement
    """
    return colorless_green.benchmark
