"""The verbs that check a suite or change its format: audit, import and export."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    Frequencies,
    Quiet,
    Seed,
    StorePath,
    Suite,
)
from colorless_green.verbs.wiring import now, open_store


def audit(
    suite: Annotated[str, typer.Argument(help="file, folder or name [default: the newest]")] = "",
    by: Annotated[
        list[str] | None,
        typer.Option(help="columns that make a cell; again for more [default: by the suite]"),
    ] = None,
    hard: Annotated[
        Path | None, typer.Option(help="write the items that every baseline fails here")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="baselines that count for --hard; again for more [default: all]"),
    ] = None,
    split: Annotated[
        str, typer.Option(help="what learners leave out: clusters, or halves (every other item)")
    ] = "clusters",
    frequencies: Frequencies = "treebank",
    seed: Seed = 0,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What of a suite could be solved without grammar: frequencies, word lists, nearest nouns."""
    from colorless_green.nonce.audit.commands import audit_suite

    with open_store(store) as opened, drawn(not quiet) as progress:
        result = audit_suite(
            suite,
            opened,
            by=by or (),
            seed=seed,
            hard=hard,
            against=against or (),
            split=split,
            frequencies=frequencies,
            progress=progress,
        )
    console.show(result, form, as_json, quiet)


def import_(
    file: Annotated[Path, typer.Argument(help="a suite in another format")],
    format_name: Annotated[
        str, typer.Option("--format", help="docs/formats.md lists them [default: by its content]")
    ] = "",
    language: Annotated[str, typer.Option(help="BCP-47 code, where the file has none")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="refuse a file of which something must be mended")
    ] = False,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A suite from another format (docs/formats.md) into the store."""
    from colorless_green.nonce.commands import import_suite

    with open_store(store) as opened:
        result = import_suite(
            file,
            opened,
            format_name=format_name,
            language=language,
            now=now(),
            strict=strict,
        )
    console.show(result, form, as_json, quiet)


def export(
    suite: Suite = "",
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="jsonl, tab, blimp, harness, huggingface, syntaxgym or syntaxgym_csv [default: by "
            "the ending of --out]",
        ),
    ] = "",
    out: Annotated[Path, typer.Option("--out", help="the file or folder to write")] = (
        Path("suite.tab")
    ),
    licence_ok: Annotated[
        bool,
        typer.Option("--license-ok", help="also where an item's licence is not known"),
    ] = False,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A suite to another format: the harness, BLiMP, SyntaxGym, Hugging Face, .tab."""
    from colorless_green.nonce.commands import export_suite

    with open_store(store) as opened:
        result = export_suite(
            suite, opened, format_name=format_name, out=out, licence_ok=licence_ok
        )
    console.show(result, form, as_json, quiet)
