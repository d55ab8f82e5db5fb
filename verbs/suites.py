"""The verbs that check a suite or change its format: audit, import and export."""

from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    Constructions,
    Frequencies,
    Seed,
    StorePath,
    Suite,
    advanced,
)


def audit(
    suite: Suite = "",
    by: Annotated[
        list[str] | None,
        typer.Option(help="column that makes a cell; repeat for several [default: by the suite]"),
    ] = None,
    construction: Constructions = None,
    hard: Annotated[
        Path | None, typer.Option(help="write the items that no baseline that counts solves here")
    ] = None,
    against: Annotated[
        list[str] | None,
        advanced(
            help="baseline that counts for --hard; repeat for several [default: those that do not "
            "find the cue]"
        ),
    ] = None,
    split: Annotated[
        str, advanced(help="what learners leave out: clusters, or halves (every other item)")
    ] = "clusters",
    frequencies: Frequencies = "treebank",
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Tell what of a suite could be solved without grammar: frequencies, word lists, nearest nouns.

    Examples:
        colorless audit
        colorless audit set.jsonl --by construction --hard hard.jsonl
    """
    return colorless_green.audit


def import_(
    what: Annotated[str, typer.Argument(metavar="FILE", help="a suite in another format")],
    format: Annotated[
        str, typer.Option("--format", help="docs/suites.md lists them [default: by its content]")
    ] = "",
    language: Annotated[str, typer.Option(help="BCP-47 code, where the file has none")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="refuse a file of which something must be mended")
    ] = False,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Read a suite in another format (docs/suites.md) into the store.

    Examples:
        colorless import blimp/anaphor_number_agreement.jsonl
        colorless import pairs.csv --language de
    """
    from colorless_green.nonce.load import import_suites

    return import_suites


def export(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="the file or folder to write")] = (
        Path("suite.tab")
    ),
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="jsonl, tab, blimp, harness, huggingface, syntaxgym or syntaxgym_csv [default: by "
            "the ending of --out]",
        ),
    ] = "",
    construction: Constructions = None,
    license_ok: Annotated[
        bool,
        typer.Option("--license-ok", help="also where an item's licence is not known"),
    ] = False,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Write a suite in another format: the harness, BLiMP, SyntaxGym, Hugging Face, .tab.

    Examples:
        colorless export --out set.jsonl
        colorless export mined/originals.jsonl --format harness --out tasks
    """
    return colorless_green.export
