"""The verbs that look for agreement in treebanks: mine and languages."""

from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    Features,
    Floor,
    MaxGap,
    MinGap,
    MinN,
    OutFolder,
    Quiet,
    Ray,
    SkipBad,
    StorePath,
    Unimorph,
    Vocabulary,
    Workers,
)
from colorless_green.verbs.wiring import now, open_optional_store


def mine(
    paths: Annotated[
        list[Path], typer.Argument(help="CoNLL-U files or folders, one treebank; - for stdin")
    ],
    rule: Annotated[
        str,
        typer.Option(
            help="released (what made the published sets), strict (the paper's "
            "words) or tested (more agreement than chance, and enough of it)"
        ),
    ] = "released",
    feature: Features = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            help="arc (any dependency), the name of a path such as subject-copula, all, "
            "or a TOML file of your own; again for more [default: arc; all and arc under tested]"
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="constructions by pos, by deprel (POS and relation) or coarse (direction, POS of "
            "the ends, relation) [default: pos; coarse under tested]"
        ),
    ] = "",
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    gap_in: Annotated[
        str, typer.Option(help="words of the text, or tokens of the tree (rule tested)")
    ] = "",
    direction: Annotated[str, typer.Option(help="dependent-first or head-first")] = "",
    relation: Annotated[
        list[str] | None,
        typer.Option(help="of dependencies, those of this relation only; again for more"),
    ] = None,
    projective: Annotated[
        bool | None,
        typer.Option("--projective/--any-order", help="all between hang on the head, or need not"),
    ] = None,
    filter_: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="leave out: conjuncts, quantities, collectives, expletives, clauses, typo, "
            "foreign, reparandum, goeswith, ambiguous, parallels, all or none; again for more "
            "[default: none; all under tested]",
        ),
    ] = None,
    min_n: MinN = None,
    alpha: Annotated[
        float | None, typer.Option(help="its false-discovery rate [default: 0.05]")
    ] = None,
    floor: Floor = None,
    vocabulary: Vocabulary = None,
    repair: Annotated[
        str, typer.Option(help="auto, none or ewt-2.0 (plural of English present verbs)")
    ] = "auto",
    no_ghosts: Annotated[
        bool, typer.Option("--no-ghosts", help="leave out arcs of words inside multiword tokens")
    ] = False,
    show_exceptions: Annotated[
        bool, typer.Option("--show-exceptions", help="the sentences that do not agree, instead")
    ] = False,
    name: Annotated[str, typer.Option(help="treebank's name [default: from the path]")] = "",
    language: Annotated[str, typer.Option(help="BCP-47 code [default: from the path]")] = "",
    unimorph: Unimorph = None,
    second: Annotated[
        list[Path] | None,
        typer.Option(help="another parser's parse of the same text; again for more files"),
    ] = None,
    min_agreement: Annotated[
        float | None,
        typer.Option(
            help="with --second: least share of a sentence's words parsed alike [default: 0.9]"
        ),
    ] = None,
    skip_bad: SkipBad = False,
    workers: Workers = None,
    ray: Ray = "",
    out: OutFolder = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Agreement constructions and original sentences of a treebank."""
    from colorless_green.data.executor import executor
    from colorless_green.miner.mine import Request
    from colorless_green.nonce.mining import mine_originals

    request = Request(
        rule=rule,
        features=tuple(feature or ["Number"]),
        repair=repair,
        ghosts=not no_ghosts,
        min_gap=min_gap,
        max_gap=max_gap,
        gap_in=gap_in,
        by=by,
        direction=direction,
        relations=tuple(relation or ()),
        projective=projective,
        patterns=tuple(pattern or ()),
        filters=tuple(filter_ or ()),
        min_n=min_n,
        alpha=alpha,
        floor=floor,
        min_agreement=min_agreement,
    )
    with (
        open_optional_store(store) as opened,
        drawn(not quiet) as progress,
        executor(workers, ray) as workforce,
    ):
        result = mine_originals(
            paths,
            opened,
            request,
            vocabulary=vocabulary,
            word_lists=unimorph or [],
            second=second or [],
            name=name,
            language=language,
            skip_bad=skip_bad,
            exceptions=show_exceptions,
            out=out,
            run=workforce.map,
            now=now(),
            progress=progress,
        )
    console.show(result, form, as_json, quiet)


def languages(
    folder: Annotated[Path, typer.Argument(help="a folder of treebanks, each a folder of its own")],
    rule: Annotated[str, typer.Option(help="released, strict or tested")] = "tested",
    feature: Features = None,
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    min_n: MinN = None,
    floor: Floor = None,
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="also write the table here")] = None,
    workers: Workers = None,
    ray: Ray = "",
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What each of many treebanks offers: constructions, originals, other forms."""
    from colorless_green.data.executor import executor
    from colorless_green.miner.commands import cover_languages
    from colorless_green.miner.mine import Request

    request = Request(
        rule=rule,
        features=tuple(feature or ["Number"]),
        min_gap=min_gap,
        max_gap=max_gap,
        min_n=min_n,
        floor=floor,
    )
    with drawn(not quiet) as progress, executor(workers, ray) as workforce:
        result = cover_languages(
            folder,
            request,
            word_lists=unimorph or [],
            skip_bad=skip_bad,
            csv=csv,
            run=workforce.map,
            progress=progress,
        )
    console.show(result, form, as_json, quiet)
