"""The verbs of language models: train, convert and score."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from .. import scoring
from .command import Function
from .options import DEFAULT_STORE, Constructions, Ray, StorePath, Workers, advanced

MODEL, ASKED, ITEMS = "Model", "Measure", "Items"
OUTPUT = "Output"

Device = Annotated[str, typer.Option(help="auto, cpu or cuda[:N]", rich_help_panel=MODEL)]


def train(
    model: Annotated[
        str, typer.Argument(help="kind of model: unigram, ngram, recurrent, causal or all")
    ],
    text: Annotated[
        list[Path] | None,
        typer.Argument(
            help="training text: one sentence per line, CoNLL-U or a treebank's folder [default: "
            "the newest treebank]"
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="size of a neural model: tiny or small; recurrent also paper; causal also medium "
            "or base [default: tiny]",
            rich_help_panel=MODEL,
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="published hyperparameters, for recurrent: gulordava2018 (LSTM), "
            "gulordava2018-srnn or gulordava2018-5gram",
            rich_help_panel=MODEL,
        ),
    ] = "",
    rnn_type: Annotated[
        str | None,
        advanced(
            help="recurrent: lstm, gru, srnn or srnn-relu [default: by size]",
        ),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="ngram: order N [default: 5]; recurrent: condition only on the last N - 1 words",
            rich_help_panel=MODEL,
        ),
    ] = None,
    prune: Annotated[
        str | None,
        advanced(
            help="ngram: drop n-grams that occur at most this often, one number per order: 0,0,1 "
            "[default: none]",
        ),
    ] = None,
    vocabulary_size: Annotated[
        int | None,
        advanced(
            min=1,
            help="recurrent: the N most frequent words [default: 50000]; causal: number of "
            "subwords "
            "[default: by size]",
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        advanced(min=1, help="maximum number of epochs [default: by size or preset]"),
    ] = None,
    mixed: Annotated[
        bool | None,
        advanced(
            "--mixed/--no-mixed",
            help="multiply matrices in bfloat16 where the GPU supports it [default: causal models "
            "only]",
        ),
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(
            help="train several models that differ in seed: a number N (seeds count up from "
            "--seed) or a list of seeds (1,2,3)",
            rich_help_panel=MODEL,
        ),
    ] = "",
    accuracy_on: Annotated[
        str,
        advanced(help="suite (file or name) to score after every epoch"),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            help="BCP-47 code of the text [default: the treebank's]", rich_help_panel=MODEL
        ),
    ] = "",
    device: Device = "auto",
    resume: Annotated[
        bool,
        advanced("--resume", help="continue an interrupted training"),
    ] = False,
    seed: Annotated[int, advanced(help="random seed of a neural model")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="folder for the model [default: models/…]", rich_help_panel=OUTPUT
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Train a small model on text, or on the newest treebank without the mined sentences.

    Examples:

    colorless train all

    colorless train recurrent wikipedia.txt --preset gulordava2018 --seeds 5 --language it
    """
    from ..scoring.train import train

    return train


def convert(
    checkpoint: Annotated[Path, typer.Argument(help="network pickled whole by PyTorch (.pt)")],
    vocabulary: Annotated[
        Path, typer.Option(help="its vocabulary, one word per line in the order of ids")
    ],
    out: Annotated[Path, typer.Option("--out", help="folder for the converted model")],
    order: Annotated[
        int | None,
        typer.Option(min=2, help="order N of a feed-forward n-gram network [default: none]"),
    ] = None,
    language: Annotated[str, typer.Option(help="BCP-47 code of the model's language")] = "",
) -> Function:
    """Convert a pickled recurrent network to a model folder without running code from the file.

    Examples:

    colorless convert hidden650_batch128_dropout0.2_lr20.0.pt --vocabulary vocab.txt --out lstm

    colorless convert ngram.pt --vocabulary vocab.txt --order 5 --out ngram-lstm --language it
    """
    return scoring.convert


def score(
    suites: Annotated[
        list[str] | None,
        typer.Argument(help="suites: files, folders or names in the store [default: the newest]"),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="a folder made by train, a Hugging Face name[@revision] or folder, or KIND:PATH "
            "with unigram, ngram, recurrent, causal, masked, seq2seq, table, package or uniform "
            "(all words of a list alike); repeat for several [default: all models of the language "
            "trained in this store]",
            rich_help_panel=MODEL,
        ),
    ] = None,
    setup: Annotated[
        str,
        typer.Option(
            help="measure as in a paper: linzen2016, gulordava2018, marvin2018, marvin2018-ngram, "
            "warstadt2020 or hu2020; options given beside it take precedence",
            rich_help_panel=ASKED,
        ),
    ] = "",
    method: Annotated[
        str | None,
        typer.Option(
            help="what is compared: target, sentence, one-prefix, two-prefix, pmi, ew or mw (all "
            "lemmas of an item), or an acceptability measure of whole sentences: meanlp, "
            "normlp-div, normlp-sub, slor or penlp [default: target]",
            rich_help_panel=ASKED,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        advanced(
            group="measure",
            help="how the subwords of a region are combined: sum, mean, median, range, max or min "
            "[default: the suite's]",
        ),
    ] = None,
    eos: Annotated[
        str | None,
        advanced(
            group="measure",
            help="count the end-of-sentence token: none, sentence (with whole sentences) or region "
            "(also with the last region) [default: none]",
        ),
    ] = None,
    period: Annotated[
        str | None,
        advanced(
            group="measure",
            help="final period of a sentence: keep, add or drop [default: keep]",
        ),
    ] = None,
    premise: Annotated[
        str | None,
        advanced(
            group="measure",
            help="neutral prefix for --method pmi [default: the empty string]",
        ),
    ] = None,
    unigrams: Annotated[
        Path | None,
        advanced(
            group="measure",
            help="text for the unigram probabilities of slor and normlp, one sentence per line",
        ),
    ] = None,
    oov: Annotated[
        Literal["exclude", "keep"] | None,
        advanced(
            group="measure",
            help="items with an out-of-vocabulary word in a scored position [default: exclude]",
        ),
    ] = None,
    ties: Annotated[
        Literal["share", "wrong"] | None,
        advanced(
            group="measure",
            help="credit for equal surprisals: share (1/2 for a pair) or wrong (0) [default: "
            "share]",
        ),
    ] = None,
    aggregate: Annotated[
        Literal["first", "all", "each"],
        advanced(
            group="measure",
            help="if a suite has several predictions, show the first, their conjunction (all), or "
            "each",
        ),
    ] = "first",
    construction: Constructions = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="only the first N items", rich_help_panel=ITEMS)
    ] = None,
    sample: Annotated[
        int | None,
        advanced(group="items", min=1, help="random sample of N items per construction"),
    ] = None,
    seed: Annotated[int, advanced(group="items", help="random seed of --sample")] = 0,
    device: Device = "auto",
    dtype: Annotated[
        str, advanced(group="model", help="number format: float32, bfloat16 or float16")
    ] = "float32",
    bos: Annotated[
        str,
        advanced(
            group="model",
            help="first token before a text: auto (as the model's files declare), none, a token, "
            "or "
            "each (score once with every token that the files declare, and with none)",
        ),
    ] = "auto",
    boundary: Annotated[
        str,
        advanced(
            group="model",
            help="correct for word boundaries: none, space+eos or space+eos+punct",
        ),
    ] = "none",
    compile: Annotated[
        bool,
        advanced(
            "--compile",
            group="model",
            help="use torch.compile; worth it on a GPU in long runs",
        ),
    ] = False,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines",
            help="add the audit's baselines, on the items that all models could answer",
            rich_help_panel=ASKED,
        ),
    ] = False,
    workers: Workers = None,
    ray: Ray = "",
    devices: Annotated[
        str,
        advanced(
            group="work",
            help="several GPUs of this machine, one process each: cuda:0,cuda:1",
        ),
    ] = "",
    threads: Annotated[
        int | None,
        advanced(
            group="work",
            min=1,
            help="PyTorch threads per process [default: 1 with several processes, else all cores]",
        ),
    ] = None,
    surprisals: Annotated[
        Path | None,
        advanced(
            group="word by word",
            help="also write the surprisal of every word to this file, for reading times",
        ),
    ] = None,
    frequencies: Annotated[
        str,
        advanced(
            group="word by word",
            help="add word frequencies to that file: wordfreq, or a file of words and counts",
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="also write the tables to this folder", rich_help_panel=OUTPUT),
    ] = None,
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """Score models on suites: surprisals, outcomes and accuracies.

    Examples:

    colorless score --model gpt2 --model package:smollm2

    colorless score number_prep.json --model gpt2 --setup hu2020 --out scores
    """
    from ..scoring.score import score

    return score
