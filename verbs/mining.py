"""The verbs that look for agreement in treebanks: mine and languages."""

from pathlib import Path
from typing import Annotated

import typer

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
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
        list[Path], typer.Argument(help="CoNLL-U files or folders, one treebank; - for stdin")
    ],
    rule: Annotated[
        str | None,
        typer.Option(
            help="tested (more agreement than chance, and enough of it), strict (the words of "
            "Gulordava et al. 2018) or released (what made their sets) [default: tested]"
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="gulordava2018: everything as for the published sets")
    ] = "",
    feature: Features = None,
    language: Annotated[str, typer.Option(help="BCP-47 code [default: from the path]")] = "",
    name: Annotated[str, typer.Option(help="the treebank's name [default: from the path]")] = "",
    vocabulary: Vocabulary = None,
    show_exceptions: Annotated[
        bool, typer.Option("--show-exceptions", help="show the sentences that do not agree")
    ] = False,
    pattern: Annotated[
        list[str] | None,
        advanced(
            group="which instances",
            help="arc (any dependency), the name of a path such as subject-copula, all, or a TOML "
            "file of your own; repeat for several [default: arc; tested: all and arc]",
        ),
    ] = None,
    by: Annotated[
        str,
        advanced(
            group="which instances",
            help="constructions by pos, by deprel (POS and relation) or coarse (direction, POS of "
            "the ends, relation) [default: pos; tested: coarse]",
        ),
    ] = "",
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    gap_in: Annotated[
        str,
        advanced(
            group="which instances", help="words of the text, or tokens of the tree (rule tested)"
        ),
    ] = "",
    direction: Annotated[
        str, advanced(group="which instances", help="dependent-first or head-first")
    ] = "",
    relation: Annotated[
        list[str] | None,
        advanced(
            group="which instances", help="dependencies of this relation only; repeat for several"
        ),
    ] = None,
    projective: Annotated[
        bool | None,
        advanced(
            "--projective/--any-order",
            group="which instances",
            help="everything between hangs on the head, or need not",
        ),
    ] = None,
    filter: Annotated[
        list[str] | None,
        advanced(
            "--filter",
            group="which instances",
            help="leave out: conjuncts, numerals, quantities, collectives, expletives, clauses, "
            "imperatives, genderless, things, unmarked-plurals, honorifics, personless, genitives, "
            "own-subjects, typo, foreign, reparandum, goeswith, ambiguous, parallels, all or none; "
            "repeat for several [default: none; tested: all]",
        ),
    ] = None,
    min_n: MinN = None,
    alpha: Annotated[
        float | None,
        advanced(group="the test", help="false-discovery rate, for rule tested [default: 0.05]"),
    ] = None,
    floor: Floor = None,
    undecided: Annotated[
        bool,
        advanced(
            "--undecided",
            group="the test",
            help="originals also of constructions that agree in too few instances to be sure",
        ),
    ] = False,
    contrast: Annotated[
        list[str] | None,
        advanced(
            group="the pairs",
            help="RIGHT:WRONG: the wrong form's value beside a right one, as Dual:Sing; repeat for "
            "several, for rule tested [default: of Number Sing:Plur, Plur:Sing, all others to "
            "Plur; else the value most often agreed in]",
        ),
    ] = None,
    value_from: Annotated[
        list[str] | None,
        advanced(
            group="which instances",
            help="a noun without the feature has the value of its dependents of this relation, as "
            "det or clf; repeat for several",
        ),
    ] = None,
    distant: Annotated[
        bool,
        advanced(
            "--distant",
            group="the pairs",
            help="leave out originals in which a word between cue and target tells the value, too",
        ),
    ] = False,
    repair: Annotated[
        str,
        advanced(
            group="the treebank", help="auto, none or ewt-2.0 (plural of English present verbs)"
        ),
    ] = "auto",
    no_ghosts: Annotated[
        bool,
        advanced(
            "--no-ghosts",
            group="the treebank",
            help="leave out arcs of words inside multiword tokens",
        ),
    ] = False,
    unimorph: Unimorph = None,
    second: Annotated[
        list[Path] | None,
        advanced(
            group="the treebank",
            help="another parser's parse of the same text; repeat for several files",
        ),
    ] = None,
    min_agreement: Annotated[
        float | None,
        advanced(
            group="the treebank",
            help="with --second: least share of words parsed alike [default: 0.9]",
        ),
    ] = None,
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
    return colorless_green.mine


def languages(
    folder: Annotated[Path, typer.Argument(help="a folder of treebanks, each a folder of its own")],
    rule: Annotated[str, typer.Option(help="tested, strict or released")] = "tested",
    feature: Features = None,
    min_gap: MinGap = None,
    max_gap: MaxGap = None,
    min_n: MinN = None,
    floor: Floor = None,
    unimorph: Unimorph = None,
    skip_bad: SkipBad = False,
    renumber: Renumber = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="also write the table here")] = None,
    workers: Workers = None,
    ray: Ray = "",
) -> Function:
    """Tell what each of many treebanks offers: constructions, originals, other forms.

    Examples:
        colorless languages ud-treebanks-v2.16 --workers 4 --csv languages.csv
        colorless languages ud-treebanks-v2.16 --feature Gender --feature Person
    """
    return colorless_green.languages
