"""The verbs of language models: train, convert and score."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import colorless_green
from colorless_green import scoring
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    Constructions,
    Ray,
    StorePath,
    Workers,
    advanced,
)

MODEL, ASKED, ITEMS = "Model", "What is asked", "Which items"
OUTPUT = "Output"

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
        advanced(
            help="recurrent: lstm, gru, srnn, srnn-relu [default: the size's]",
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
        advanced(
            help="ngram: drop n-grams that occur at most this often, by order: 0,0,1 "
            "[default: none]",
        ),
    ] = None,
    vocabulary_size: Annotated[
        int | None,
        advanced(
            min=1,
            help="recurrent: the N most frequent words [default: 50000]; causal: subwords "
            "[default: the size's]",
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        advanced(min=1, help="at most [default: the size's or preset's]"),
    ] = None,
    mixed: Annotated[
        bool | None,
        advanced(
            "--mixed/--no-mixed",
            help="multiply in bfloat16, on a GPU that can [default: causal models alone]",
        ),
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(
            help="several models of one setting: N of them, from --seed on, or their seeds, 1,2,3",
            rich_help_panel=MODEL,
        ),
    ] = "",
    accuracy_on: Annotated[
        str,
        advanced(help="a suite, by file or name, to score after every epoch"),
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
        advanced("--resume", help="go on where it was interrupted"),
    ] = False,
    seed: Annotated[int, advanced(help="of neural models")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="folder [default: models/…]", rich_help_panel=OUTPUT),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Train a small model, on text or on the newest treebank without the originals' sentences.

    Examples:

    colorless train all

    colorless train recurrent wikipedia.txt --preset gulordava2018 --seeds 5 --language it
    """
    return colorless_green.train


def convert(
    checkpoint: Annotated[Path, typer.Argument(help="a whole network pickled by PyTorch (.pt)")],
    vocabulary: Annotated[Path, typer.Option(help="its words, one a line, in the order of ids")],
    out: Annotated[Path, typer.Option("--out", help="folder to write")],
    order: Annotated[
        int | None, typer.Option(min=2, help="n of an n-gram network [default: none]")
    ] = None,
    language: Annotated[str, typer.Option(help="of its words, as a code: en")] = "",
) -> Function:
    """Convert a pickled recurrent network to a model folder; nothing in the file is run.

    Examples:

    colorless convert hidden650_batch128_dropout0.2_lr20.0.pt --vocabulary vocab.txt --out lstm

    colorless convert ngram.pt --vocabulary vocab.txt --order 5 --out ngram-lstm --language it
    """
    return scoring.convert


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
        advanced(
            group="how a model is asked",
            help="over a region's subwords: sum, mean, median, range, max, min "
            "[default: the suite's]",
        ),
    ] = None,
    eos: Annotated[
        str | None,
        advanced(
            group="how a model is asked",
            help="the end of the sentence: none, sentence (part of whole sentences) or region "
            "(also of the last region) [default: none]",
        ),
    ] = None,
    period: Annotated[
        str | None,
        advanced(
            group="how a model is asked",
            help="at the end of a sentence: keep, add or drop [default: keep]",
        ),
    ] = None,
    premise: Annotated[
        str | None,
        advanced(
            group="how a model is asked",
            help="what --method pmi sets targets after [default: nothing]",
        ),
    ] = None,
    unigrams: Annotated[
        Path | None,
        advanced(
            group="how a model is asked",
            help="text, one sentence a line, for the frequencies that slor and normlp weigh by",
        ),
    ] = None,
    oov: Annotated[
        Literal["exclude", "keep"] | None,
        advanced(
            group="how a model is asked",
            help="items with an unknown scored word [default: exclude]",
        ),
    ] = None,
    ties: Annotated[
        Literal["share", "wrong"] | None,
        advanced(
            group="how a model is asked",
            help="count as their share of orderings, or as wrong [default: share]",
        ),
    ] = None,
    aggregate: Annotated[
        Literal["first", "all", "each"],
        advanced(
            group="how a model is asked",
            help="of several predictions, show the first, all as one, or each",
        ),
    ] = "first",
    construction: Constructions = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="only the first N items", rich_help_panel=ITEMS)
    ] = None,
    sample: Annotated[
        int | None,
        advanced(group="which items", min=1, help="N items of each construction, by --seed"),
    ] = None,
    seed: Annotated[int, advanced(group="which items", help="of --sample")] = 0,
    device: Device = "auto",
    dtype: Annotated[
        str, advanced(group="the model", help="float32, bfloat16 or float16")
    ] = "float32",
    bos: Annotated[
        str,
        advanced(
            group="the model",
            help="what stands before a text: auto (as the model's files say), none, a token, or "
            "each of these that the files name, one after the other",
        ),
    ] = "auto",
    boundary: Annotated[
        str,
        advanced(
            group="the model",
            help="where a word counts as ended: none, space+eos or space+eos+punct",
        ),
    ] = "none",
    compile: Annotated[
        bool,
        advanced(
            "--compile",
            group="the model",
            help="by torch.compile; pays on a GPU, in long runs",
        ),
    ] = False,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines",
            help="rows for the audit's baselines, on the items that all models could answer",
            rich_help_panel=ASKED,
        ),
    ] = False,
    workers: Workers = None,
    ray: Ray = "",
    devices: Annotated[
        str,
        advanced(
            group="work",
            help="several GPUs of this machine, one process each: cuda:0,cuda:1,…",
        ),
    ] = "",
    threads: Annotated[
        int | None,
        advanced(
            group="work",
            min=1,
            help="of torch in each process [default: 1 if the work is shared, else all]",
        ),
    ] = None,
    surprisals: Annotated[
        Path | None,
        advanced(
            group="word by word",
            help="file for the surprisal of every word of whole sentences, for reading times",
        ),
    ] = None,
    frequencies: Annotated[
        str,
        advanced(
            group="word by word",
            help="of words, to stand in that file: wordfreq, or a file of words and counts",
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="folder to write the tables to", rich_help_panel=OUTPUT),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Score models on suites: surprisals, outcomes and accuracies.

    Examples:

    colorless score --model gpt2 --model package:smollm2

    colorless score number_prep.json --model gpt2 --setup hu2020 --out scores
    """
    return colorless_green.score
