"""The verbs that check a suite or change its format: audit, import and export."""

from pathlib import Path
from typing import Annotated

import typer

from .command import Function
from .options import DEFAULT_STORE, Constructions, Frequencies, Seed, StorePath, Suite, advanced


def audit(
    suite: Suite = "",
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="column that defines the cells; repeat for several [default: by the suite]"
        ),
    ] = None,
    construction: Constructions = None,
    hard: Annotated[
        Path | None,
        typer.Option(help="also write the hard items, which no baseline solves, to this file"),
    ] = None,
    against: Annotated[
        list[str] | None,
        advanced(
            help="baseline that --hard takes into account; repeat for several [default: those that "
            "do not find the cue by construction]"
        ),
    ] = None,
    split: Annotated[
        str,
        advanced(help="cross-validation of learned baselines: clusters (leave one out) or halves"),
    ] = "clusters",
    frequencies: Frequencies = "treebank",
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Measure how much of a suite can be solved without grammar, by simple baselines.

    Examples:
        colorless audit
        colorless audit set.jsonl --by construction --hard hard.jsonl
    """
    from ..nonce.audit.audit_suite import audit

    return audit


def import_(
    what: Annotated[str, typer.Argument(metavar="FILE", help="suite in another tool's format")],
    format: Annotated[
        str,
        typer.Option("--format", help="format of the file (docs/suites.md) [default: detected]"),
    ] = "",
    language: Annotated[str, typer.Option(help="BCP-47 code, if the file does not give one")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="refuse a file that needs repair")
    ] = False,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Import a suite from another tool's format (docs/suites.md) into the store.

    Examples:
        colorless import blimp/anaphor_number_agreement.jsonl
        colorless import pairs.csv --language de
    """
    from ..data.load import import_suites

    return import_suites


def export(
    suite: Suite = "",
    out: Annotated[Path, typer.Option("--out", help="file or folder to write")] = (
        Path("suite.tab")
    ),
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="jsonl, tab, gold, blimp, multiblimp, pair_table, syntaxgym, harness or "
            "huggingface (docs/suites.md) [default: by the ending of --out]",
        ),
    ] = "",
    construction: Constructions = None,
    license_ok: Annotated[
        bool,
        typer.Option("--license-ok", help="export items even if their licence is unknown"),
    ] = False,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Export a suite to another format: lm-eval harness, BLiMP, SyntaxGym, Hugging Face, .tab.

    Examples:
        colorless export --out set.jsonl
        colorless export mined/originals.jsonl --format harness --out tasks
    """
    from ..data.load import export

    return export
