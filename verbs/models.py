"""The verbs of language models: train, convert and score."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from colorless_green import scoring
from colorless_green.verbs.call import call
from colorless_green.verbs.options import DEFAULT_STORE, As, AsJson, Quiet, StorePath

MODEL, ASKED, ITEMS = "Model", "What is asked", "Which items"
OUTPUT, ADVANCED = "Output", "Advanced"

Device = Annotated[str, typer.Option(help="auto, cpu or cuda[:n]", rich_help_panel=MODEL)]


def train(
    model: Annotated[str, typer.Argument(help="all, unigram, ngram, recurrent or causal")],
    text: Annotated[
        list[Path] | None,
        typer.Argument(help="one sentence a line, or CoNLL-U [default: the newest treebank]"),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="neural models: tiny, small; recurrent also paper; causal also medium, base "
            "[default: tiny]",
            rich_help_panel=MODEL,
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="recurrent: a published setting: gulordava2018 (LSTM), gulordava2018-srnn, "
            "gulordava2018-5gram",
            rich_help_panel=MODEL,
        ),
    ] = "",
    rnn_type: Annotated[
        str | None,
        typer.Option(
            help="recurrent: lstm, gru, srnn, srnn-relu [default: the size's]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="ngram: its n [default: 5]; recurrent: reads only the last n - 1 words",
            rich_help_panel=MODEL,
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(
            help="ngram: drop n-grams that occur at most this often, by order: 0,0,1 "
            "[default: none]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    vocabulary_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="recurrent: the N most frequent words [default: 50000]; causal: subwords "
            "[default: the size's]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            min=1, help="at most [default: the size's or preset's]", rich_help_panel=ADVANCED
        ),
    ] = None,
    mixed: Annotated[
        bool,
        typer.Option(
            "--mixed/--no-mixed",
            help="multiply in bfloat16, on a GPU that can",
            rich_help_panel=ADVANCED,
        ),
    ] = False,
    seeds: Annotated[
        str,
        typer.Option(
            help="several models of one setting: N of them, from --seed on, or their seeds, 1,2,3",
            rich_help_panel=MODEL,
        ),
    ] = "",
    accuracy_on: Annotated[
        str,
        typer.Option(
            help="a suite, by file or name, to score after every epoch", rich_help_panel=ADVANCED
        ),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            help="of the text, as a code: en [default: the treebank's]", rich_help_panel=MODEL
        ),
    ] = "",
    device: Device = "auto",
    resume: Annotated[
        bool,
        typer.Option("--resume", help="go on where it was interrupted", rich_help_panel=ADVANCED),
    ] = False,
    seed: Annotated[int, typer.Option(help="of neural models", rich_help_panel=ADVANCED)] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="folder [default: models/…]", rich_help_panel=OUTPUT),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train a small model, on text or on the newest treebank without the originals' sentences.

    Examples:

    colorless train all

    colorless train recurrent wikipedia.txt --preset gulordava2018 --seeds 5 --language it
    """
    call(scoring.train, locals())


def convert(
    checkpoint: Annotated[Path, typer.Argument(help="a whole network pickled by PyTorch (.pt)")],
    vocabulary: Annotated[Path, typer.Option(help="its words, one a line, in the order of ids")],
    out: Annotated[Path, typer.Option("--out", help="folder to write")],
    order: Annotated[
        int | None, typer.Option(min=2, help="n of an n-gram network [default: none]")
    ] = None,
    language: Annotated[str, typer.Option(help="of its words, as a code: en")] = "",
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Convert a pickled recurrent network to a model folder; nothing in the file is run.

    Examples:

    colorless convert hidden650_batch128_dropout0.2_lr20.0.pt --vocabulary vocab.txt --out lstm

    colorless score NM_hidden.tab --model lstm
    """
    call(scoring.convert, locals())


def score(
    suites: Annotated[
        list[str] | None, typer.Argument(help="files or names [default: the newest suite]")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="a folder made by train, a hub name[@revision] or folder of transformers, or "
            "KIND:PATH with unigram, ngram, recurrent, causal, masked, seq2seq, table or package; "
            "repeat for several [default: all trained in this store for the language]",
            rich_help_panel=MODEL,
        ),
    ] = None,
    setup: Annotated[
        str,
        typer.Option(
            help="a published set-up: linzen2016, gulordava2018, marvin2018, marvin2018-ngram, "
            "warstadt2020, hu2020; other options take precedence",
            rich_help_panel=ASKED,
        ),
    ] = "",
    method: Annotated[
        str | None,
        typer.Option(
            help="target, sentence, one-prefix, two-prefix, pmi, ew or mw (all lemmas of an item); "
            "of whole sentences also meanlp, normlp-div, normlp-sub, slor, penlp [default: target]",
            rich_help_panel=ASKED,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="over a region's subwords: sum, mean, median, range, max, min "
            "[default: the suite's]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    eos: Annotated[
        str | None,
        typer.Option(
            help="the end of the sentence: none, sentence (part of whole sentences) or region "
            "(also of the last region) [default: none]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(
            help="at the end of a sentence: keep, add or drop [default: keep]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    premise: Annotated[
        str | None,
        typer.Option(
            help="what --method pmi sets targets after [default: nothing]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    unigrams: Annotated[
        Path | None,
        typer.Option(
            help="text, one sentence a line, for the frequencies that slor and normlp weigh by",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    oov: Annotated[
        Literal["exclude", "keep"] | None,
        typer.Option(
            help="items with an unknown scored word [default: exclude]", rich_help_panel=ADVANCED
        ),
    ] = None,
    ties: Annotated[
        Literal["share", "wrong"] | None,
        typer.Option(
            help="count as their share of orderings, or as wrong [default: share]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    aggregate: Annotated[
        Literal["first", "all", "each"],
        typer.Option(
            help="of several predictions, show the first, all as one, or each",
            rich_help_panel=ADVANCED,
        ),
    ] = "first",
    construction: Annotated[
        list[str] | None,
        typer.Option(
            help="only items of this construction, by name or pattern: *nsubj; repeat for several",
            rich_help_panel=ITEMS,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="only the first N items", rich_help_panel=ITEMS)
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1, help="N items of each construction, drawn by --seed", rich_help_panel=ITEMS
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="of --sample", rich_help_panel=ADVANCED)] = 0,
    device: Device = "auto",
    dtype: Annotated[
        str, typer.Option(help="float32, bfloat16 or float16", rich_help_panel=ADVANCED)
    ] = "float32",
    bos: Annotated[
        str,
        typer.Option(
            help="what stands before a text: auto, always or none", rich_help_panel=ADVANCED
        ),
    ] = "auto",
    boundary: Annotated[
        str,
        typer.Option(
            help="where a word counts as ended: none, space+eos or space+eos+punct",
            rich_help_panel=ADVANCED,
        ),
    ] = "none",
    compile: Annotated[
        bool,
        typer.Option(
            "--compile",
            help="by torch.compile; pays on a GPU, in long runs",
            rich_help_panel=ADVANCED,
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            help="processes to share the work; the numbers are the same [default: 1, with --ray "
            "all of the cluster]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    ray: Annotated[
        str,
        typer.Option(
            "--ray",
            help="do the work on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local",
            rich_help_panel=ADVANCED,
        ),
    ] = "",
    devices: Annotated[
        str,
        typer.Option(
            help="several GPUs of this machine, one process each: cuda:0,cuda:1,…",
            rich_help_panel=ADVANCED,
        ),
    ] = "",
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="of torch in each process [default: 1 if the work is shared, else all]",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    surprisals: Annotated[
        Path | None,
        typer.Option(
            help="file for the surprisal of every word of whole sentences, for reading times",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    frequencies: Annotated[
        str,
        typer.Option(
            help="of words, to stand in that file: wordfreq, or a file of words and counts",
            rich_help_panel=ADVANCED,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="folder to write the tables to", rich_help_panel=OUTPUT),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Score models on suites: surprisals, outcomes and accuracies.

    Examples:

    colorless score --model gpt2 --model package:smollm2

    colorless score number_prep.json --model gpt2 --setup hu2020 --out scores
    """
    call(scoring.score, locals())
