"""The verbs that make test material: nonce, grammar and benchmark."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..data import console
from .command import Function
from .options import (
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
        str | None,
        typer.Argument(
            help="originals: a file or a name in the store [default: the newest mining]"
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--per-original",
            "-n",
            min=1,
            help="number of variants per original [default: 3; with --level morphology 9]",
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            help="how similar a replacement must be: morphology, +frequency, +frame or +unseen "
            "[default: the highest that an original allows, at least +frequency]"
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gulordava2018: the matching level of the published test sets")
    ] = "",
    construction: Constructions = None,
    words: Annotated[
        Literal["real", "pseudo"],
        typer.Option(help="real words, or pseudo-words with invented stems"),
    ] = "real",
    composed: Annotated[
        bool,
        advanced(
            "--composed",
            group="composed sets",
            help="composed sets: short prefixes built from productive phrases of the treebank",
        ),
    ] = False,
    sets: Annotated[
        int,
        advanced(
            "--sets", min=1, group="composed sets", help="with --composed: maximum number of sets"
        ),
    ] = 500,
    attractors: Annotated[
        int | None,
        advanced(
            min=0,
            group="composed sets",
            help="with --composed: maximum number of modifiers between head and target",
        ),
    ] = None,
    fallback: Annotated[
        bool,
        advanced(
            "--fallback",
            group="the variants",
            help="with --level: use a lower level for originals that it cannot serve; words that "
            "the level keeps are still kept",
        ),
    ] = False,
    tail: Annotated[
        Literal["replace", "keep"] | None,
        advanced(
            group="the variants",
            help="words after the target [default: keep at +frame and +unseen, else replace]",
        ),
    ] = None,
    all_targets: Annotated[
        bool,
        advanced(
            "--all-targets",
            group="the variants",
            help="list every pair of target forms that fits each prefix",
        ),
    ] = False,
    exclude: Annotated[
        list[str] | None,
        advanced(
            group="the variants",
            help="leave out originals with this flag (docs/sets.md), or all or none; repeat for "
            "several [default: all; with --level morphology undecidable forms only]",
        ),
    ] = None,
    treebank: Annotated[
        list[Path] | None,
        advanced(
            group="words", help="treebank that the new words come from [default: the one mined]"
        ),
    ] = None,
    lexicon: Annotated[
        list[Path] | None,
        advanced(
            group="words",
            help="additional CoNLL-U file or folder of the language; repeat for several",
        ),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        advanced(
            group="words", help="file with the models' vocabulary [default: that of the mining]"
        ),
    ] = None,
    unimorph: Annotated[
        list[str] | None,
        advanced(
            group="words", help="LANGUAGE=FILE: a UniMorph list for forms missing from the treebank"
        ),
    ] = None,
    frequencies: Annotated[
        str,
        advanced(
            group="words",
            help="source of word frequencies: treebank, wordfreq, or a file of words and counts",
        ),
    ] = "treebank",
    seen_in: Annotated[
        list[Path] | None,
        advanced(group="words", help="text whose word pairs +unseen avoids as well"),
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
    page: Annotated[
        Path | None,
        advanced(
            group="reading and marking", help="also write an HTML page for reviewing the items"
        ),
    ] = None,
    marks: Annotated[
        Path | None,
        advanced(
            group="reading and marking", help="leave out items rejected on such a page (CSV file)"
        ),
    ] = None,
    rejections: Annotated[
        Path | None,
        advanced(
            group="reading and marking",
            help="also write the originals that were left out, with reasons",
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Make nonce variants of mined originals: same syntax and morphology, other words.

    Examples:
        colorless nonce
        colorless nonce --construction 'L__NOUN*' --level +frame --out set.jsonl
    """
    from ..nonce.make import make_nonce

    return make_nonce


def grammar(
    file: Annotated[
        str, typer.Argument(help="template grammar: a TOML file, or a name from --list")
    ] = "",
    shipped: Annotated[bool, typer.Option("--list", help="list the bundled grammars")] = False,
    count: Annotated[
        bool, typer.Option("--count", help="print the number of items and make none")
    ] = False,
    suite: Annotated[
        bool, typer.Option("--suite", help="make items [default if the grammar defines a suite]")
    ] = False,
    conllu: Annotated[
        bool, typer.Option("--conllu", help="make a treebank in CoNLL-U [default otherwise]")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="only this template; repeat for several [default: all]")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="draw a random sample of N [default: all items; 100 sentences]"),
    ] = None,
    capital: Annotated[
        bool | None,
        advanced(
            "--capital/--no-capital",
            help="capitalise the first letter [default: as the grammar says]",
        ),
    ] = None,
    period: Annotated[
        bool | None,
        advanced(
            "--period/--no-period",
            help="end sentences with a period [default: as the grammar says]",
        ),
    ] = None,
    seed: Seed = 0,
    out: OutFile = None,
) -> Function:
    """Make items or sentences from a template grammar (docs/suites.md).

    Items are written as JSON lines, or in the format given by the ending of --out.

    Examples:
        colorless grammar --list
        colorless grammar marvin_linzen --sample 200 --out marvin_linzen.jsonl
    """
    from ..nonce.grammar.generate import generate

    return partial(generate, write=console.write)


def benchmark(
    paths: Annotated[
        list[Path],
        typer.Argument(help="treebanks or folders of treebanks, of one or more languages"),
    ],
    out: Annotated[Path, typer.Option("--out", help="the folder to write")] = Path("benchmark"),
    n_sets: Annotated[
        int, typer.Option("--sets", min=1, help="maximum number of sets per language")
    ] = 500,
    attractors: Annotated[
        int, typer.Option(min=1, max=2, help="maximum number of modifiers between head and target")
    ] = 2,
    only: Annotated[
        list[str] | None,
        typer.Option(help="only this language (code); repeat for several [default: all]"),
    ] = None,
    language: Annotated[
        str, typer.Option(help="BCP-47 code for treebanks whose names do not show the language")
    ] = "",
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    license_ok: Annotated[
        bool,
        typer.Option("--license-ok", help="include languages whose licence is unknown"),
    ] = False,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = "",
) -> Function:
    """Make a benchmark from treebanks: audited composed sets per language, ready to publish.

    After an interruption the same command continues with the languages that are not finished.

    Examples:
        colorless benchmark treebanks --sets 500 --workers 4
        colorless benchmark UD_Italian-VIT UD_German-GSD --out agreement
    """
    from ..nonce.benchmark.benchmark import benchmark

    return benchmark
