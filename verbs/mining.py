"""The verbs that mine agreement from treebanks: mine and languages."""

from pathlib import Path
from typing import Annotated

import typer

from .command import Function
from .options import (
    DEFAULT_STORE,
    Features,
    Floor,
    MaxGap,
    MinGap,
    MinN,
    OutFolder,
    Ray,
    Renumber,
    SkipBad,
    StorePath,
    Unimorph,
    Vocabulary,
    Workers,
    advanced,
)


def mine(
    paths: Annotated[
        list[Path], typer.Argument(help="treebank: CoNLL-U files or folders; - for stdin")
    ],
    rule: Annotated[
        str | None,
        typer.Option(
            help="tested (statistical test of agreement), strict (the criteria stated in Gulordava "
            "et "
            "al. 2018) or released (the criteria of the scripts behind their test sets) "
            "[default: tested]"
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gulordava2018: all settings as for the published test sets")
    ] = "",
    feature: Features = None,
    language: Annotated[
        str, typer.Option(help="BCP-47 code of the language [default: from the path]")
    ] = "",
    name: Annotated[str, typer.Option(help="name of the treebank [default: from the path]")] = "",
    vocabulary: Vocabulary = None,
    show_exceptions: Annotated[
        bool,
        typer.Option("--show-exceptions", help="show sentences in which the words do not agree"),
    ] = False,
    pattern: Annotated[
        list[str] | None,
        advanced(
            group="which instances",
            help="pairs of words to look at: arc (any dependency), a named path such as "
            "subject-copula, all (named paths), or your own TOML file; repeat for several "
            "[default: arc; tested: all and arc]",
        ),
    ] = None,
    by: Annotated[
        str,
        advanced(
            group="which instances",
            help="what distinguishes constructions: pos, deprel (POS and relation) or coarse "
            "(direction, POS of cue and target, relation) [default: pos; tested: coarse]",
        ),
    ] = "",
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    gap_in: Annotated[
        str,
        advanced(
            group="which instances",
            help="unit of the gap: words (of the text) or tokens (of the tree), for rule tested",
        ),
    ] = "",
    direction: Annotated[
        str, advanced(group="which instances", help="only one order: dependent-first or head-first")
    ] = "",
    relation: Annotated[
        list[str] | None,
        advanced(
            group="which instances", help="only dependencies with this relation; repeat for several"
        ),
    ] = None,
    projective: Annotated[
        bool | None,
        advanced(
            "--projective/--any-order",
            group="which instances",
            help="require that all words between depend on the head, or allow any order",
        ),
    ] = None,
    filter: Annotated[
        list[str] | None,
        advanced(
            "--filter",
            group="which instances",
            help="leave out one kind of subject or noise: conjuncts, numerals, quantities, "
            "collectives, expletives, clauses, "
            "imperatives, genderless, things, unmarked-plurals, honorifics, personless, genitives, "
            "own-subjects, typo, foreign, reparandum, goeswith, ambiguous, parallels, all or none; "
            "repeat for several [default: none; tested: all]",
        ),
    ] = None,
    min_n: MinN = None,
    alpha: Annotated[
        float | None,
        advanced(group="the test", help="false discovery rate, for rule tested [default: 0.05]"),
    ] = None,
    floor: Floor = None,
    undecided: Annotated[
        bool,
        advanced(
            "--undecided",
            group="the test",
            help="also take originals of constructions with too few instances for a verdict",
        ),
    ] = False,
    contrast: Annotated[
        list[str] | None,
        advanced(
            group="the pairs",
            help="RIGHT:WRONG, which value the wrong form has for a given right value, such as "
            "Dual:Sing, for rule tested; repeat for several [default: for Number Sing:Plur, "
            "Plur:Sing and Plur for all others; else the most frequent value]",
        ),
    ] = None,
    value_from: Annotated[
        list[str] | None,
        advanced(
            group="which instances",
            help="a noun without the feature takes the value of its dependents with this relation, "
            "such as det or clf; repeat for several",
        ),
    ] = None,
    distant: Annotated[
        bool,
        advanced(
            "--distant",
            group="the pairs",
            help="leave out originals in which a word between cue and target also reveals the "
            "value",
        ),
    ] = False,
    repair: Annotated[
        str,
        advanced(
            group="the treebank",
            help="repair known annotation gaps: auto, none or ewt-2.0 (English present-tense "
            "plurals)",
        ),
    ] = "auto",
    no_ghosts: Annotated[
        bool,
        advanced(
            "--no-ghosts",
            group="the treebank",
            help="leave out arcs to words inside multiword tokens",
        ),
    ] = False,
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    renumber: Renumber = False,
    workers: Workers = None,
    ray: Ray = "",
    out: OutFolder = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Mine agreement constructions and original sentences from a treebank.

    Examples:
        colorless mine UD_German-GSD
        colorless mine UD_English-EWT --preset gulordava2018 --vocabulary vocab.txt --out mined
    """
    from ..miner.mine import mine

    return mine


def languages(
    folder: Annotated[Path, typer.Argument(help="folder with one folder per treebank")],
    rule: Annotated[
        str, typer.Option(help="rule that decides on constructions: tested, strict or released")
    ] = "tested",
    feature: Features = None,
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    min_n: MinN = None,
    floor: Floor = None,
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    renumber: Renumber = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="also write the table to this CSV file")
    ] = None,
    workers: Workers = None,
    ray: Ray = "",
) -> Function:
    """Survey many treebanks: constructions, originals and forms found in each.

    Examples:
        colorless languages ud-treebanks-v2.16 --workers 4 --csv languages.csv
        colorless languages ud-treebanks-v2.16 --feature Gender --feature Person
    """
    from ..miner.coverage import languages

    return languages
