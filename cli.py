"""The command `colorless`: verbs only. Each parses its options, calls one function of a room, and
prints what that returns. Results go to stdout, everything else to stderr."""

import gc
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colorless_green import __version__
from colorless_green.data import console
from colorless_green.data.errors import InputError
from colorless_green.data.progress import drawn

if TYPE_CHECKING:
    from colorless_green.data.store import Store

app = typer.Typer(
    help="Targeted syntactic evaluation: mine agreement from treebanks, make nonce twins, score "
    "language models, compare them with people.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
humans_app = typer.Typer(
    help="Judgments of people: design and run an experiment, import and analyse answers.",
    rich_markup_mode=None,
)
app.add_typer(humans_app, name="humans")

CYCLES = 50_000  # what mining makes is freed by counting: looking for cycles often costs 7 %
IN_MEMORY = "none"

StorePath = Annotated[str, typer.Option("--store", help="the project's file; 'none' keeps nothing")]
Seed = Annotated[int, typer.Option(help="the same seed gives the same bytes")]
AsJson = Annotated[bool, typer.Option("--json", help="rows as JSON lines on stdout, all of them")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no messages and no progress")]
Vocabulary = Annotated[
    Path | None,
    typer.Option(help="words the models know, at white space; without it, those of the treebank"),
]
Features = Annotated[
    list[str] | None,
    typer.Option(help="feature that agrees, by its exact name; again for more [default: Number]"),
]
MinGap = Annotated[int | None, typer.Option(min=0, help="least words between [default: 3]")]
MaxGap = Annotated[
    int | None,
    typer.Option(min=0, help="most; 0 for no limit [default: 13; no limit under strict]"),
]
MinN = Annotated[
    int | None, typer.Option(min=1, help="least instances, for rule tested [default: 10]")
]
Floor = Annotated[float | None, typer.Option(help="least share that agrees [default: 0.9]")]
Unimorph = Annotated[
    list[str] | None,
    typer.Option(help="LANGUAGE=FILE: a UniMorph list, for forms that the treebank lacks"),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="processes to share the work; the result is the same [default: 1, with --ray all of "
        "the cluster]"
    ),
]
Ray = Annotated[
    str,
    typer.Option(
        "--ray", help="do the work on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local"
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="leave out bad sentences and report them")
]
OutFolder = Annotated[Path | None, typer.Option("--out", help="also write the tables here")]
OutFile = Annotated[Path | None, typer.Option("--out", help="also write it to this file")]


class Oov(StrEnum):
    """What happens to an item of which a word-level model does not know a target."""

    exclude = "exclude"
    keep = "keep"


class NonceWords(StrEnum):
    """What content words are exchanged for."""

    real = "real"
    pseudo = "pseudo"


class Tail(StrEnum):
    """What becomes of the words after a target."""

    REPLACE = "replace"
    KEEP = "keep"


class Aggregate(StrEnum):
    """What stands for a suite with several predictions."""

    first = "first"
    all = "all"
    each = "each"


class Ties(StrEnum):
    """What a tie is worth."""

    share = "share"
    wrong = "wrong"


@app.command()
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="treebanks and published sets: it_isdt@2.16, UD_Italian-ISDT, blimp, "
            "multiblimp:nld, unimorph:ita",
        ),
    ] = None,
    language: Annotated[
        str, typer.Option(help="all treebanks of a language (code or English name)")
    ] = "",
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="the whole release, from its archive; with names or --language only these from it",
        ),
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="show what there is and what the cache has")
    ] = False,
    release: Annotated[
        str, typer.Option(help="of names without @RELEASE [default: the newest]")
    ] = "",
    mirror: Annotated[
        str, typer.Option(help="an address or a folder in the place of all hosts")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", help="put the folders here instead of in the cache")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Treebanks and published test sets, checked and with their licence."""
    from colorless_green.data.fetch import commands

    with drawn(not quiet) as progress:
        result = commands.fetch(
            names or [],
            language=language,
            everything=everything,
            listing=listing,
            release=release,
            mirror=mirror,
            out=out,
            now=_now(),
            progress=progress,
        )
    console.show(result, as_json, quiet)


@app.command()
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
    store: StorePath = "colorless.db",
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
        _store(store) if store != IN_MEMORY else nullcontext() as opened,
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
            now=_now(),
            progress=progress,
        )
    console.show(result, as_json, quiet)


@app.command()
def parse(
    texts: Annotated[
        list[Path],
        typer.Argument(help="plain text, .gz or not; - for stdin; with --gold a parse in CoNLL-U"),
    ],
    language: Annotated[str, typer.Option(help="BCP-47 code")] = "",
    parser: Annotated[str, typer.Option(help="the parser's name")] = "stanza",
    models: Annotated[
        Path | None, typer.Option(help="folder of its models [default: the parser's own]")
    ] = None,
    package: Annotated[str, typer.Option(help="which of its models")] = "default",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda[:n]")] = "auto",
    download: Annotated[
        bool, typer.Option("--download", help="fetch models that are not there")
    ] = False,
    paragraphs: Annotated[
        str, typer.Option(help="where they end: line (each is one), blank (a blank line) or auto")
    ] = "auto",
    batch: Annotated[int, typer.Option(min=1, help="paragraphs parsed at a time")] = 200,
    gold: Annotated[
        list[Path] | None,
        typer.Option(help="set a parse beside the treebank of the same text, instead"),
    ] = None,
    out: OutFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Raw text to CoNLL-U, with Stanza or another parser."""
    from colorless_green.miner.parse import commands

    with drawn(not quiet) as progress:
        if gold:
            result = commands.compare_parse(texts, gold)
        else:
            result = commands.parse_texts(
                texts,
                language=language,
                parser=parser,
                models=models,
                package=package,
                device=device,
                download=download,
                division=paragraphs,
                batch=batch,
                out=out,
                write=console.write,
                progress=progress,
            )
    console.show(result, as_json, quiet)


@app.command()
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
    console.show(result, as_json, quiet)


@app.command()
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
    frequencies: Annotated[
        str, typer.Option(help="of words: treebank, wordfreq, or a file (word and count)")
    ] = "treebank",
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
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Nonce variants of mined originals: same morphology, other words."""
    from colorless_green.nonce.making import Outputs, Review, make_nonce
    from colorless_green.nonce.sources import Kind, Sources
    from colorless_green.nonce.substitute import Wanted

    keep_tail = None if tail is None else tail is Tail.KEEP
    if attractors is not None and not balance:
        raise InputError("--attractors", "no balanced sets were asked for", "--balance")
    with _store(store) as opened, drawn(not quiet) as progress:
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
            now=_now(),
            progress=progress,
        )
    console.show(result, as_json, quiet)


@app.command()
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
    frequencies: Annotated[
        str, typer.Option(help="of words: treebank, wordfreq, or a file (word and count)")
    ] = "treebank",
    seed: Seed = 0,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What of a suite could be solved without grammar: frequencies, word lists, nearest nouns."""
    from colorless_green.nonce.audit.commands import audit_suite

    with _store(store) as opened, drawn(not quiet) as progress:
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
    console.show(result, as_json, quiet)


@app.command()
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
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Items or sentences of a template grammar (docs/grammar.md): all, some drawn, or their number.

    Items are JSON lines, or what the ending of --out says.
    """
    from colorless_green.nonce.grammar import commands

    if shipped:
        console.show(commands.listed(), as_json, quiet)
    if suite and conllu:
        raise InputError("colorless grammar", "--suite and --conllu", "one of them")
    found = commands.grammar_of(file, only=only or (), capital=capital, period=period)
    if count:
        console.show(commands.counted(found), as_json, quiet)
    treebank = conllu or not (suite or found.design)
    lines = (commands.conllu_lines if treebank else commands.item_lines)(found, sample, seed)
    if out is None:
        commands.print_lines(lines, sys.stdout)
    elif treebank:
        commands.write_lines(lines, out)
    else:
        commands.write_items(found, sample, seed, out)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="a suite in another format")],
    format_name: Annotated[
        str, typer.Option("--format", help="docs/formats.md lists them [default: by its content]")
    ] = "",
    language: Annotated[str, typer.Option(help="BCP-47 code, where the file has none")] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="refuse a file of which something must be mended")
    ] = False,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A suite from another format (docs/formats.md) into the store."""
    from colorless_green.nonce.commands import import_suite

    with _store(store) as opened:
        result = import_suite(
            file,
            opened,
            format_name=format_name,
            language=language,
            now=_now(),
            strict=strict,
        )
    console.show(result, as_json, quiet)


@app.command()
def export(
    suite: Annotated[str, typer.Argument(help="file or name [default: the newest]")] = "",
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
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A suite to another format: the harness, BLiMP, SyntaxGym, Hugging Face, .tab."""
    from colorless_green.nonce.commands import export_suite

    with _store(store) as opened:
        result = export_suite(
            suite, opened, format_name=format_name, out=out, licence_ok=licence_ok
        )
    console.show(result, as_json, quiet)


@app.command()
def train(
    model: Annotated[str, typer.Argument(help="all, unigram, ngram, recurrent or causal")],
    text: Annotated[
        list[Path] | None,
        typer.Argument(help="one sentence a line, or CoNLL-U [default: the newest treebank]"),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="of neural models: tiny, small; recurrent also paper; causal also medium, base "
            "[default: tiny]"
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="a published setting of recurrent: gulordava2018 (LSTM), gulordava2018-srnn, "
            "gulordava2018-5gram"
        ),
    ] = None,
    rnn_type: Annotated[
        str | None,
        typer.Option(help="of recurrent: lstm, gru, srnn, srnn-relu [default: the size's]"),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(
            min=2, help="n of ngram [default: 5]; of recurrent that reads the last n - 1 words"
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(
            help="of ngram: drop n-grams that occur so often or less, by order: 0,0,1 "
            "[default: none]"
        ),
    ] = None,
    vocabulary_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="recurrent: so many most frequent words, others are unknown [default: 50000]; "
            "causal: subwords [default: the size's]",
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="at most [default: the size's or preset's]")
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed/--no-mixed", help="products in bfloat16, on a GPU that can")
    ] = False,
    seeds: Annotated[
        str,
        typer.Option(help="several models of one setting: so many, from --seed on, or 1,2,3"),
    ] = "",
    accuracy_on: Annotated[
        str, typer.Option(help="a suite, by file or name, to score after every epoch")
    ] = "",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda[:n]")] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="go on where it stopped")] = False,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", help="folder [default: models/…]")] = None,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A small model, from text or from the newest treebank less the originals' sentences."""
    from colorless_green.scoring.learning import train_models
    from colorless_green.scoring.training.request import Request, numbers

    cut = None if prune is None else numbers(prune, "--prune")
    request = Request(size, preset, rnn_type, order, cut, vocabulary_size, epochs, mixed)
    with _store(store) as opened, drawn(not quiet) as progress:
        result = train_models(
            model,
            text or [],
            opened,
            out=out,
            request=request,
            seed=seed,
            seeds=seeds,
            accuracy_on=accuracy_on,
            device=device,
            resume=resume,
            now=_now(),
            progress=progress,
        )
    console.show(result, as_json, quiet)


@app.command()
def convert(
    checkpoint: Annotated[Path, typer.Argument(help="a whole network pickled by PyTorch (.pt)")],
    vocabulary: Annotated[Path, typer.Option(help="its words, one a line, in the order of ids")],
    out: Annotated[Path, typer.Option("--out", help="folder to write")],
    order: Annotated[
        int | None, typer.Option(min=2, help="n of an n-gram network [default: none]")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A pickled recurrent network to a model folder; nothing in the file is run."""
    from colorless_green.scoring.convert import convert_model

    console.show(convert_model(checkpoint, vocabulary, out, order=order), as_json, quiet)


@app.command()
def score(
    suites: Annotated[
        list[str] | None, typer.Argument(help="files or names [default: the newest suite]")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="unigram:PATH, ngram:PATH, recurrent:DIR, causal: masked: or seq2seq: with a path "
            "or hub name[@revision], package:NAME, or a folder made by train; again for more "
            "[default: all trained in this store]"
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda[:n]")] = "auto",
    dtype: Annotated[str, typer.Option(help="float32, bfloat16 or float16")] = "float32",
    bos: Annotated[str, typer.Option(help="auto, always or none")] = "auto",
    boundary: Annotated[
        str,
        typer.Option(help="where a word counts as ended: none, space+eos or space+eos+punct"),
    ] = "none",
    compiled: Annotated[
        bool, typer.Option("--compile", help="by torch.compile; pays on a GPU, in long runs")
    ] = False,
    setup: Annotated[
        str,
        typer.Option(
            help="a published set-up: linzen2016, gulordava2018, marvin2018, marvin2018-ngram, "
            "warstadt2020, hu2020; other options take precedence"
        ),
    ] = "",
    method: Annotated[
        str | None,
        typer.Option(
            help="target, sentence, one-prefix, two-prefix, pmi, ew or mw (all lemmas of an item); "
            "of whole sentences also meanlp, normlp-div, normlp-sub, slor, penlp [default: target]"
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="of a region's subwords: sum, mean, median, range, max, min [default: the suite's]"
        ),
    ] = None,
    eos: Annotated[
        str | None,
        typer.Option(
            help="the end of the sentence: none, sentence (part of whole sentences) or region "
            "(also of the last region) [default: none]"
        ),
    ] = None,
    period: Annotated[
        str | None, typer.Option(help="at the end: keep, add or drop [default: keep]")
    ] = None,
    premise: Annotated[
        str | None, typer.Option(help="what --method pmi sets targets after [default: nothing]")
    ] = None,
    unigrams: Annotated[
        Path | None, typer.Option(help="text, one sentence a line, that slor and normlp weigh by")
    ] = None,
    oov: Annotated[
        Oov | None, typer.Option(help="items with an unknown scored word [default: exclude]")
    ] = None,
    ties: Annotated[
        Ties | None, typer.Option(help="share of orderings, or wrong [default: share]")
    ] = None,
    aggregate: Annotated[
        Aggregate, typer.Option(help="of several predictions: show the first, all as one, or each")
    ] = Aggregate.first,
    limit: Annotated[int | None, typer.Option(min=1, help="the first so many items")] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="so many items of each construction, by --seed")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: Ray = "",
    devices: Annotated[
        str, typer.Option(help="several GPUs of this machine, a process each: cuda:0,cuda:1,…")
    ] = "",
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, help="of torch in each process [default: 1 if the work is shared out, else all]"
        ),
    ] = None,
    surprisals: Annotated[
        Path | None,
        typer.Option(help="file for word by word surprisals of whole sentences, for reading times"),
    ] = None,
    frequencies: Annotated[
        str, typer.Option(help="that stand in it: wordfreq, or a file of words and counts")
    ] = "",
    out: OutFolder = None,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Surprisals, outcomes and accuracies of models on suites."""
    from colorless_green.scoring.commands import Outputs, score_suites
    from colorless_green.scoring.commands import Workers as Crew
    from colorless_green.scoring.query import LoadOptions
    from colorless_green.scoring.setting import setting

    told = setting(
        setup,
        {
            "method": method,
            "metric": metric,
            "eos": eos,
            "period": period,
            "premise": premise,
            "unigrams": unigrams,
            "oov": oov and oov.value,
            "ties": ties and ties.value,
            "limit": limit,
            "sample": sample,
            "seed": seed,
        },
    )
    with _store(store) as opened, drawn(not quiet) as progress:
        result = score_suites(
            suites or [],
            model or [],
            opened,
            options=LoadOptions(device, dtype, bos, boundary, compiled),
            told=told,
            outputs=Outputs(out, surprisals, frequencies, aggregate.value),
            workers=Crew(workers, ray, tuple(filter(None, devices.split(","))), threads),
            now=_now(),
            progress=progress,
        )
    console.show(result, as_json, quiet)


@humans_app.command("import")
def humans_import(
    files: Annotated[list[Path], typer.Argument(help="judgments, and a Prolific export beside")],
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            help="colorless, generic, gulordava, gulordava_raw, ibex, jatos, jspsych, mturk or "
            "pcibex [default: told by the files]",
        ),
    ] = "",
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", help="OURS=THEIRS: a column's name; again for more; or a map file"),
    ] = None,
    suite: Annotated[str, typer.Option(help="what was judged [default: the newest]")] = "",
    items: Annotated[
        Path | None, typer.Option(help="table of the items shown: fillers and checks, or all")
    ] = None,
    language: Annotated[str, typer.Option(help="BCP-47 code of a file with its own items")] = "",
    study: Annotated[
        Path | None, typer.Option(help="TOML or JSON with the rules of exclusion, [exclude]")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="RULE or RULE=VALUE, as max_filler_errors=0.2; again for more"),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="key of the pseudonyms [default: beside the store]")
    ] = None,
    platform: Annotated[
        str, typer.Option(help="whose ids people have [default: told by the files]")
    ] = "",
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep-columns", help="a column about people to keep; again for more"),
    ] = None,
    out: OutFolder = None,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judgments of people into the store."""
    from colorless_green.humans.importing import Request, import_judgments

    request = Request(
        format_name=format_name,
        maps=maps or (),
        suite=suite,
        items=items,
        language=language,
        study=study,
        exclude=exclude or (),
        key=key,
        platform=platform,
        keep=keep or (),
        out=out,
    )
    with _store(store) as opened:
        result = import_judgments(files, opened, request, now=_now())
    console.show(result, as_json, quiet)


@humans_app.command("analyse")
def humans_analyse(
    suite: Annotated[str, typer.Argument(help="name [default: scored or judged last]")] = "",
    formula: Annotated[
        str,
        typer.Option(
            help="of the mixed model, as lme4 writes it: 'correct ~ condition * attractor + "
            "(1 | participant) + (1 | source)' [default: what varies, with both intercepts]"
        ),
    ] = "",
    model: Annotated[str, typer.Option(help="whose margin stands in the formula")] = "",
    coding: Annotated[str, typer.Option(help="of conditions: treatment or sum")] = "treatment",
    tidy: Annotated[
        Path | None, typer.Option(help="folder for single answers and an R script that fits them")
    ] = None,
    out: OutFile = None,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Accuracies, agreement, reliability and a mixed model of people's judgments."""
    from colorless_green.humans.analysing import analyse

    with _existing_store(store) as opened:
        result = analyse(
            suite, opened, formula=formula, model=model, coding=coding, tidy=tidy, out=out
        )
    console.show(result, as_json, quiet)


@humans_app.command("design")
def humans_design(
    suite: Annotated[str, typer.Argument(help="file or name [default: the newest]")] = "",
    out: Annotated[Path, typer.Option("--out", help="a new folder for the study")] = Path("study"),
    task: Annotated[str, typer.Option(help="form, sentence, rating or reading")] = "form",
    lists: Annotated[
        int | None, typer.Option(min=1, help="how many [default: as many as versions]")
    ] = None,
    construction: Annotated[
        list[str] | None, typer.Option(help="only its items are targets; again for more")
    ] = None,
    per_construction: Annotated[
        int | None, typer.Option(min=1, help="most sources of each [default: all]")
    ] = None,
    fillers: Annotated[
        str,
        typer.Option(
            help="a table or suite to draw as many fillers as targets from; rest: the "
            "constructions that --construction leaves [its default]; or none"
        ),
    ] = "",
    checks: Annotated[
        int | None, typer.Option(min=0, help="attention checks [default: 1 for 25 trials]")
    ] = None,
    practice: Annotated[int, typer.Option(min=0, help="trials with feedback before all")] = 3,
    blocks: Annotated[int, typer.Option(min=1, help="parts with a break between them")] = 1,
    scale: Annotated[str, typer.Option(help="of ratings: 5, 7, slider or magnitude")] = "7",
    language: Annotated[str, typer.Option(help="BCP-47 code [default: the items']")] = "",
    seed: Seed = 0,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A study from a suite: lists, order, fillers, checks, practice, in a folder to fill in."""
    from colorless_green.humans.designing import Plan, design_study

    plan = Plan(
        task=task,
        n_lists=lists,
        constructions=construction or (),
        per_construction=per_construction,
        fillers=fillers,
        n_checks=checks,
        n_practice=practice,
        n_blocks=blocks,
        seed=seed,
        language=language,
        scale=scale,
    )
    with _store(store) as opened:
        result = design_study(suite, opened, plan, out=out)
    console.show(result, as_json, quiet)


@humans_app.command("power")
def humans_power(
    sources: Annotated[
        list[int], typer.Option(min=2, help="originals each person sees one version of; or more")
    ],
    participants: Annotated[
        list[int] | None,
        typer.Option(min=2, help="how many people; again for more [default: 10 to 160]"),
    ] = None,
    accuracy_1: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the first condition")
    ] = 0.94,
    accuracy_2: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="share right in the second condition")
    ] = 0.88,
    base_log_odds: Annotated[
        float | None, typer.Option(help="of the first condition, in place of the shares")
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="second minus first condition, in log-odds")
    ] = None,
    versions: Annotated[int, typer.Option(min=2, help="of a source, one in condition 1")] = 2,
    per_participant: Annotated[
        int | None, typer.Option(min=1, help="sources a person sees [default: all]")
    ] = None,
    spread_participants: Annotated[float, typer.Option(min=0, help="SD, in log-odds")] = 0.8,
    spread_sources: Annotated[float, typer.Option(min=0, help="SD, in log-odds")] = 0.73,
    spread_effect: Annotated[float, typer.Option(min=0, help="SD over sources")] = 0.0,
    dropout: Annotated[float, typer.Option(min=0, max=0.9, help="share of people lost")] = 0.1,
    alpha: Annotated[float, typer.Option(min=0.001, max=0.5, help="of the test")] = 0.05,
    target: Annotated[float, typer.Option(min=0.1, max=0.99, help="power wanted")] = 0.8,
    studies: Annotated[int, typer.Option(min=50, help="made up for each number")] = 500,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """How many people a difference between two conditions needs, by simulation."""
    from colorless_green.humans.planning import Assumed, plan_power
    from colorless_green.humans.power import Plan

    assumed = Assumed(
        accuracies=(accuracy_1, accuracy_2),
        log_odds=(base_log_odds, effect),
        spreads=(spread_participants, spread_sources, spread_effect),
    )
    plan = Plan(
        n_sources=0,
        n_versions=versions,
        per_participant=per_participant,
        dropout=dropout,
        alpha=alpha,
        studies=studies,
        seed=seed,
    )
    with drawn(not quiet) as progress:
        result = plan_power(
            assumed, plan, sources, participants or (), target=target, progress=progress
        )
    console.show(result, as_json, quiet)


@humans_app.command("export")
def humans_export(
    study: Annotated[Path, typer.Argument(help="a folder that colorless humans design made")],
    to: Annotated[str, typer.Option("--to", help="static, jatos, datapipe, pcibex, mturk or csv")],
    out: Annotated[Path, typer.Option("--out", help="the folder to write")],
    experiment: Annotated[str, typer.Option(help="DataPipe's id of the experiment")] = "",
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="no cell of a table that is run as a formula")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """A study for another platform: pages without a server, PCIbex, Mechanical Turk, a table."""
    from colorless_green.humans.exporting import export_study
    from colorless_green.humans.exports import ExportOptions

    result = export_study(study, to, out, ExportOptions(experiment, excel_safe))
    console.show(result, False, quiet)


@humans_app.command("serve")
def humans_serve(
    study: Annotated[Path, typer.Argument(help="a folder that colorless humans design made")],
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free")] = 8000,
    db: Annotated[
        Path | None, typer.Option("--db", help="file of answers [default: STUDY/answers.db]")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A study as a web page, until Ctrl-C; then how many answers there are."""
    from colorless_green.humans.web.serving import Place, serve_study

    place = Place(host, port, db)
    result = serve_study(study, place, announce=lambda line: typer.echo(line, err=True))
    console.show(result, as_json, quiet)


@humans_app.command("answers")
def humans_answers(
    study: Annotated[Path, typer.Argument(help="a folder that colorless humans serve has served")],
    out: OutFolder = None,
    add: Annotated[
        list[Path] | None,
        typer.Option(help="a file that the page gave to a participant; again for more"),
    ] = None,
    erase: Annotated[
        list[str] | None, typer.Option(help="a participant's code: all of theirs goes; again")
    ] = None,
    db: Annotated[
        Path | None, typer.Option("--db", help="file of answers [default: STUDY/answers.db]")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What a served study has collected; with --out, tables that humans import takes."""
    from colorless_green.humans.web.answers import Asked, collect_answers

    asked = Asked(answers=db, out=out, add=add or (), erase=erase or ())
    console.show(collect_answers(study, asked, now=_now()), as_json, quiet)


@app.command()
def compare(
    suites: Annotated[
        list[str] | None,
        typer.Argument(help="names or patterns ('fgd*') [default: the newest that was scored]"),
    ] = None,
    published: Annotated[
        str,
        typer.Option(
            help="set one's results in a paper's tables: gulordava2018, marvin2018, "
            "hu2020-syntaxgym, hu2020-reflexives or warstadt2020"
        ),
    ] = "",
    results: Annotated[
        Path | None,
        typer.Option(help="recompute a paper's figures from this file or folder of its results"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="also write it to this file, or all tables into this folder"),
    ] = None,
    store: StorePath = "colorless.db",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Models beside people, over several suites, and beside published figures."""
    from colorless_green.humans.commands import compare_suites, recompute_results

    if results is not None:
        console.show(recompute_results(results, out=out), as_json, quiet)
    with _existing_store(store) as opened:
        result = compare_suites(suites or (), opened, published=published, out=out)
    console.show(result, as_json, quiet)


@app.command()
def report(
    suites: Annotated[
        list[str] | None,
        typer.Argument(help="names or patterns ('fgd*') [default: the newest that was scored]"),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="the page to write")] = Path("report.html"),
    store: StorePath = "colorless.db",
    quiet: Quiet = False,
) -> None:
    """One HTML page with everything, readable without this tool or a network."""
    from colorless_green.humans.commands import write_report

    with _existing_store(store) as opened:
        result = write_report(suites or (), opened, out=out)
    console.show(result, False, quiet)


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(help="where everything goes")] = Path("demo"),
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """All of the above on the embedded sample, with simulated judgments labelled as such."""
    from colorless_green.humans.demo import run_demo

    with drawn(not quiet) as progress:
        for result in run_demo(folder, seed=seed, now=_now(), progress=progress):
            console.print_result(result, as_json=False, quiet=quiet)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="show the version")] = False,
) -> None:
    if version:
        typer.echo(f"colorless-green {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@humans_app.callback(invoke_without_command=True)
def about_humans(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _store(path: str) -> "Store":
    from colorless_green.data.store import MEMORY, Store

    return Store(MEMORY if path == IN_MEMORY else Path(path))


def _existing_store(path: str) -> "Store":
    """The store of a verb that only reads: a mistyped folder must not get an empty one."""
    if not Path(path).exists():
        raise InputError(path, "there is no store of this name", "colorless mine makes one")
    return _store(path)


def main() -> None:
    """The command `colorless`."""
    gc.set_threshold(CYCLES)
    sys.exit(console.run(app, sys.argv[1:]))
