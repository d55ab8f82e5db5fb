"""The verbs of language models: train, convert and score."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from colorless_green.data import console
from colorless_green.data.progress import drawn
from colorless_green.verbs.options import (
    DEFAULT_STORE,
    As,
    AsJson,
    Device,
    OutFolder,
    Quiet,
    Ray,
    Seed,
    StorePath,
    Workers,
)
from colorless_green.verbs.wiring import now, open_store


class Oov(StrEnum):
    """What happens to an item of which a word-level model does not know a target."""

    exclude = "exclude"
    keep = "keep"


class Aggregate(StrEnum):
    """What stands for a suite with several predictions."""

    first = "first"
    all = "all"
    each = "each"


class Ties(StrEnum):
    """What a tie is worth."""

    share = "share"
    wrong = "wrong"


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
    device: Device = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="go on where it stopped")] = False,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", help="folder [default: models/…]")] = None,
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A small model, from text or from the newest treebank less the originals' sentences."""
    from colorless_green.scoring.learning import train_models
    from colorless_green.scoring.training.request import Request, numbers

    cut = None if prune is None else numbers(prune, "--prune")
    request = Request(size, preset, rnn_type, order, cut, vocabulary_size, epochs, mixed)
    with open_store(store) as opened, drawn(not quiet) as progress:
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
            now=now(),
            progress=progress,
        )
    console.show(result, form, as_json, quiet)


def convert(
    checkpoint: Annotated[Path, typer.Argument(help="a whole network pickled by PyTorch (.pt)")],
    vocabulary: Annotated[Path, typer.Option(help="its words, one a line, in the order of ids")],
    out: Annotated[Path, typer.Option("--out", help="folder to write")],
    order: Annotated[
        int | None, typer.Option(min=2, help="n of an n-gram network [default: none]")
    ] = None,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A pickled recurrent network to a model folder; nothing in the file is run."""
    from colorless_green.scoring.convert import convert_model

    console.show(convert_model(checkpoint, vocabulary, out, order=order), form, as_json, quiet)


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
    device: Device = "auto",
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
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Surprisals, outcomes and accuracies of models on suites."""
    from colorless_green.scoring.commands import Outputs, score_suites
    from colorless_green.scoring.commands import Workers as Crew
    from colorless_green.scoring.query import LoadOptions
    from colorless_green.scoring.setting import setting_of

    told = setting_of(
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
    with open_store(store) as opened, drawn(not quiet) as progress:
        result = score_suites(
            suites or [],
            model or [],
            opened,
            options=LoadOptions(device, dtype, bos, boundary, compiled),
            told=told,
            outputs=Outputs(out, surprisals, frequencies, aggregate.value),
            workers=Crew(workers, ray, tuple(filter(None, devices.split(","))), threads),
            now=now(),
            progress=progress,
        )
    console.show(result, form, as_json, quiet)
