"""Training a word-level recurrent network, as the scorer asks it or as Gulordava et al. (2018) did.

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
how the scorer asks. The sizes `gulordava2018…` are the paper's own procedure (its scripts
src/language_models/main.py and ngram_lstm.py, and the supplement, "Hyperparameters"): parallel
streams of text through which the state is carried, or windows that move along them.
"""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic

import torch
from torch.nn.functional import cross_entropy

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.seeds import generator
from colorless_green.scoring.backends.recurrent import Recurrent
from colorless_green.scoring.device import choose, full_precision
from colorless_green.scoring.query import Query, Scorer
from colorless_green.scoring.recurrent.folder import EOS, check_shape, write_network
from colorless_green.scoring.recurrent.network import Network, Shape, State, detached
from colorless_green.scoring.training.curve import CURVE, Watch
from colorless_green.scoring.training.folder import ModelFolder, finish_model
from colorless_green.scoring.training.loop import (
    CHECKPOINT,
    EVALUATED,
    IGNORED,
    Schedule,
    Task,
    best,
    by_length,
    finished_model,
    fit,
    identity,
    repeatable,
    seeded,
    threads,
)
from colorless_green.scoring.training.streams import (
    Batch,
    joined,
    sentence_ids,
    sentences_batch,
    streams,
    veiled,
    veiled_text,
    vocabulary,
    windows,
)
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import SHORT, UNKNOWN

KIND = "recurrent"
HELD_OUT_STREAMS, HELD_OUT_WINDOWS = (
    10,
    256,
)  # side by side; `eval_batch_size` of the paper's scripts


@dataclass(frozen=True, slots=True)
class Size:
    """A network and how it is trained."""

    width: int  # of embedding and layers alike
    n_layers: int
    dropout: float
    tied: bool
    n_rows: int  # sentences, or parallel streams, in a batch
    chunk: int | None  # words of a stream that are learned from at once; None: by sentences
    n_threads: int | None  # on a CPU; None: torch's choice
    optimiser: str  # "adam" or "sgd"
    schedule: Schedule
    rnn_type: str = "LSTM"
    order: int | None = None  # of an n-gram network


TINY = Schedule(8, 8, 8e-3, "steadily", 1.0)
SMALL = Schedule(8, 3, 4e-3, "steadily", 1.0)
PAPER = Schedule(20, 3, 1e-3, "steadily", 1.0)
GULORDAVA = Schedule(40, 40, 20.0, "by quarters", 0.25)
GULORDAVA_SRNN = Schedule(60, 60, 1.0, "by quarters", 0.25)
GULORDAVA_NGRAM = Schedule(40, 40, 10.0, "by quarters", 0.25)
SIZES = {  # tiny learns the embedded sample's grammar in ten seconds; paper has the paper's width
    "tiny": Size(128, 1, 0.1, True, 32, None, 1, "adam", TINY),
    "small": Size(200, 1, 0.3, True, 32, None, None, "adam", SMALL),
    "paper": Size(650, 2, 0.2, True, 64, None, None, "adam", PAPER),
    # settings among the best five of each family in most languages (supplement, Tables 1–3)
    "gulordava2018": Size(650, 2, 0.2, False, 128, 35, None, "sgd", GULORDAVA),
    "gulordava2018-srnn": Size(
        650, 2, 0.0, False, 64, 35, None, "sgd", GULORDAVA_SRNN, rnn_type="RNN_TANH"
    ),
    "gulordava2018-5gram": Size(
        650, 2, 0.2, False, 1024, None, None, "sgd", GULORDAVA_NGRAM, order=5
    ),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """What a training was asked for, beside text and seed."""

    size: Size
    max_vocabulary: int
    mixed: bool  # products in bfloat16 on a GPU, all else in float32


def train(
    text: TrainingText,
    folder: Path,
    *,
    seed: int = 0,
    size: str = "small",
    rnn_type: str | None = None,
    order: int | None = None,
    device: str = "auto",
    mixed: bool = False,
    resume: bool = False,
    max_vocabulary: int = 50_000,
    accuracy: Callable[[Scorer], float] | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = monotonic,
) -> ModelFolder:
    """A network trained on `text.train`, in `folder`: its weights after the epoch that was best on
    held-out text.

    `size` is a key of SIZES; `rnn_type` (a key of CELLS) and `order` (of an n-gram network) stand
    in for the size's own. `mixed` computes products in bfloat16. With `resume` an interrupted
    training goes on from its last whole epoch, and a finished one is returned as it is. After each
    epoch `curve.tsv` has a row more, with `accuracy` of the network as it stands; the manifest does
    not list it, since seconds differ between equal trainings. `about` has the held-out perplexity
    per known word and sentence end, and how many words were unknown. Raises `InputError` for an
    unknown size, type or device, for `mixed` without a GPU, for reserved words in the text, and for
    a checkpoint of another training.
    """
    place = choose(device)
    setting = _setting(size, rnn_type, order, max_vocabulary, mixed, place)
    wanted = identity(text, KIND, setting, seed)
    done = finished_model(folder, KIND, wanted) if resume else None
    if done is not None:
        return done
    words, rare = vocabulary(text.train, max_vocabulary)
    ids, shape = {word: n for n, word in enumerate(words)}, _shape(setting.size, len(words))
    check_shape(shape, "--size")
    with threads(setting.size.n_threads), seeded(seed, place), full_precision(), repeatable(place):
        network = initial(Network(shape)).to(place)
        scorer = Recurrent(network, shape, ids, place, signature="")
        watch = Watch(folder / CURVE, None if accuracy is None else lambda: accuracy(scorer), clock)
        task = _task(network, setting, text, ids, rare, seed, wanted)
        losses = fit(task, folder, resume, progress, watch)
        network.eval()
        held_out = held_out_about(scorer, text.held_out)
    files = write_network(folder, network, shape, words)
    about = {
        "size": size,
        "seed": seed,
        "group": f"{KIND}-{size}-{identity(text, KIND, setting)[:SHORT]}",  # whatever the seed
        "options": {"max_vocabulary": max_vocabulary, "mixed": mixed, **asdict(setting.size)},
        "identity": wanted,
        **_measures(text, network, losses),
        **held_out,
        "warnings": [],
    }
    made = finish_model(folder, KIND, about, files, [*text.train, *text.held_out])
    shutil.rmtree(folder / CHECKPOINT)
    return made


def _measures(text: TrainingText, network: Network, losses: Sequence[float]) -> dict[str, object]:
    return {
        "vocabulary_size": network.encoder.num_embeddings,
        "n_parameters": sum(each.numel() for each in network.parameters()),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
        "n_epochs": len(losses),
        "best_epoch": best(losses) + 1,
        "held_out_nats": list(losses),
    }


def train_seeds(
    text: TrainingText, folder: Path, *, seeds: Sequence[int], **options: object
) -> tuple[ModelFolder, ...]:
    """A network for each of `seeds`, in `folder/seed-N`, all of one group; `options` as of `train`.

    Raises `InputError` where a seed comes twice, before any is trained.
    """
    twice = next((seed for n, seed in enumerate(seeds) if seed in seeds[:n]), None)
    if twice is not None:
        raise InputError("--seeds", f"{twice} comes twice", "every seed once")
    train_one: Callable[..., ModelFolder] = train
    return tuple(train_one(text, folder / f"seed-{seed}", seed=seed, **options) for seed in seeds)


def _setting(
    size: str,
    rnn_type: str | None,
    order: int | None,
    max_vocabulary: int,
    mixed: bool,
    place: torch.device,
) -> Setting:
    chosen = named(SIZES, size, "--size")
    if mixed and place.type != "cuda":
        raise InputError("--mixed", f"there is no gain of it on {place.type}", "--device cuda")
    changed = replace(chosen, rnn_type=rnn_type or chosen.rnn_type, order=order or chosen.order)
    return Setting(changed, max_vocabulary, mixed)


def _shape(size: Size, n_words: int) -> Shape:
    return Shape(
        size.rnn_type,
        n_words,
        size.width,
        size.width,
        size.n_layers,
        size.dropout,
        size.tied,
        size.order,
    )


def initial(network: Network) -> Network:
    """The network with the paper's first weights: ±0.1 for embedding and decoder, no bias."""
    with torch.no_grad():
        network.encoder.weight.uniform_(-0.1, 0.1)
        network.decoder.weight.uniform_(-0.1, 0.1)
        network.decoder.bias.zero_()
    return network


def _task(
    network: Network,
    setting: Setting,
    text: TrainingText,
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
    wanted: str,
) -> Task[Batch]:
    size = setting.size
    optimiser = (torch.optim.Adam if size.optimiser == "adam" else torch.optim.SGD)(
        network.parameters(), lr=size.schedule.rate, fused=True
    )
    by_sentences = size.chunk is None and size.order is None
    batches = (_by_sentences if by_sentences else _by_streams)(size, text.train, ids, rare, seed)
    return Task(
        "train the recurrent model",
        wanted,
        seed,
        network,
        optimiser,
        size.schedule,
        batches,
        _held_out(size, text.held_out, ids),
        _loss(network, setting.mixed),
    )


Batches = Callable[[int], Sequence[Batch]]
"""The training batches of an epoch (from 0), in order."""


def _by_sentences(
    size: Size, lines: Sequence[Line], ids: Mapping[str, int], rare: frozenset[int], seed: int
) -> Batches:
    sentences = [sentence_ids(line.words, ids) for line in lines]
    lengths = [len(each) for each in sentences]

    def batches(epoch: int) -> Sequence[Batch]:
        shown = veiled(sentences, rare, ids[UNKNOWN], generator(seed, f"unknown words {epoch}"))
        orders = by_length(lengths, size.n_rows, seed, epoch)
        return [sentences_batch([shown[nth] for nth in each]) for each in orders]

    return batches


def _by_streams(
    size: Size, lines: Sequence[Line], ids: Mapping[str, int], rare: frozenset[int], seed: int
) -> Batches:
    text = joined(lines, ids)

    def batches(epoch: int) -> Sequence[Batch]:
        shown = veiled_text(text, rare, ids[UNKNOWN], seed, epoch)
        return _along(shown, size, size.n_rows, size.n_rows)

    return batches


def _along(text: torch.Tensor, size: Size, n_streams: int, n_windows: int) -> Sequence[Batch]:
    if size.order is not None:
        return windows(text, n_windows, size.order)
    assert size.chunk is not None  # else it is learned sentence by sentence
    return streams(text, n_streams, size.chunk)


def _held_out(size: Size, lines: Sequence[Line], ids: Mapping[str, int]) -> Sequence[Batch]:
    if size.chunk is not None or size.order is not None:
        return _along(joined(lines, ids), size, HELD_OUT_STREAMS, HELD_OUT_WINDOWS)
    ranked = sorted((sentence_ids(line.words, ids) for line in lines), key=len)
    return [
        sentences_batch(ranked[start : start + EVALUATED])
        for start in range(0, len(ranked), EVALUATED)
    ]


def _loss(network: Network, mixed: bool = False) -> Callable[[Batch], tuple[torch.Tensor, int]]:
    state: State | None = None

    def loss(batch: Batch) -> tuple[torch.Tensor, int]:
        nonlocal state
        place = network.decoder.weight.device
        ids = batch.ids.to(place, non_blocking=True)
        targets = batch.targets.to(place, torch.long, non_blocking=True).flatten()
        with torch.autocast(place.type, torch.bfloat16, enabled=mixed):
            hidden, after = network(ids, state if batch.goes_on else None)
            state = detached(after)
            counted = (batch.targets != IGNORED).flatten()  # on the CPU: the GPU need not answer
            hidden = hidden.flatten(0, 1)
            if not counted.all():
                chosen = counted.nonzero().squeeze(1).to(place)
                hidden, targets = hidden[chosen], targets[chosen]
            logits = network.decoder(hidden)
        return cross_entropy(logits.float(), targets, reduction="sum"), len(logits)

    return loss


def held_out_about(scorer: Scorer, lines: Sequence[Line]) -> dict[str, object]:
    """What the network makes of held-out sentences, asked as the scorer asks it."""
    known: list[float] = []
    n_units = 0
    for score in scorer.score(Query((), ((*line.words, EOS),)) for line in lines):
        (answer,) = score.continuations
        known += [each for each, oov in zip(answer.bits, answer.oov, strict=True) if not oov]
        n_units += len(answer.bits)
    return {
        "held_out_sentences": len(lines),
        "held_out_words": n_units - len(lines),
        "held_out_oov": n_units - len(known),
        "held_out_perplexity": 2 ** (math.fsum(known) / len(known)),
    }
