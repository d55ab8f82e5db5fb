"""Training a word-level recurrent network, as the scorer asks it or as Gulordava et al. (2018) did.

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
how the scorer asks. The presets `gulordava2018…` are the paper's own procedure (its scripts
src/language_models/main.py and ngram_lstm.py, and the supplement, "Hyperparameters"): parallel
streams of text through which the state is carried, or windows that move along them.
"""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

import torch
from torch.nn.functional import cross_entropy

from colorless_green.data.progress import Progress, silent
from colorless_green.data.seeds import generator
from colorless_green.scoring.backends.recurrent import Recurrent
from colorless_green.scoring.device import choose, full_precision
from colorless_green.scoring.query import Query, Scorer
from colorless_green.scoring.recurrent.folder import EOS, check_shape, write_network
from colorless_green.scoring.recurrent.network import Network, Shape, State, detached
from colorless_green.scoring.training.curve import CURVE, Quiz, watching
from colorless_green.scoring.training.folder import ModelFolder, finish_model
from colorless_green.scoring.training.loop import (
    CHECKPOINT,
    EVALUATED,
    IGNORED,
    Task,
    by_length,
    check_mixed,
    finished_model,
    fit,
    identity,
    measures,
    products,
    repeatable,
    seeded,
    threads,
)
from colorless_green.scoring.training.recurrent_size import Setting, setting
from colorless_green.scoring.training.request import Request
from colorless_green.scoring.training.sizes import NetworkSize
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
HELD_OUT_STREAMS = 10  # side by side; `eval_batch_size` of the paper's main.py
HELD_OUT_WINDOWS = 256  # that of its ngram_lstm.py
DEFAULT = Request()


def train(
    text: TrainingText,
    folder: Path,
    request: Request = DEFAULT,
    *,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    quiz: Quiz | None = None,
    progress: Progress = silent,
    clock: Callable[[], float] = monotonic,
) -> ModelFolder:
    """A network trained on `text.train`, in `folder`: its weights after the epoch that was best on
    held-out text.

    With `resume` an interrupted training goes on from its last whole epoch, and a finished one is
    returned as it is. After each epoch `curve.tsv` has a row more, with the quiz's accuracy of the
    network as it stands; the manifest does not list it, since seconds differ between equal
    trainings. `about` has the held-out perplexity per known word and sentence end, and how many
    words were unknown. Raises `InputError` for an unknown size, preset, type or device, for `mixed`
    without a GPU, for reserved words in the text, and for a checkpoint of another training.
    """
    place, chosen = choose(device), setting(request)
    check_mixed(chosen.mixed, place)
    wanted = identity(text, KIND, chosen, seed)
    done = finished_model(folder, KIND, wanted) if resume else None
    if done is not None:
        return done
    words, rare = vocabulary(text.train, chosen.max_vocabulary)
    ids, shape = {word: n for n, word in enumerate(words)}, _shape(chosen.size, len(words))
    check_shape(shape, "--size")
    with threads(chosen.size.n_threads), seeded(seed, place), full_precision(), repeatable(place):
        network = initial(Network(shape)).to(place)
        scorer = Recurrent(network, shape, ids, place, signature="")
        task = _task(network, chosen, text, ids, rare, seed, wanted)
        watch = watching(folder / CURVE, quiz, lambda: scorer, clock)
        losses = fit(task, folder, resume, progress, watch)
        network.eval()
        held_out = held_out_about(scorer, text.held_out)
    files = write_network(folder, network, shape, words)
    about = {
        **text.origin(),
        "size": request.name,
        "seed": seed,
        "group": f"{KIND}-{request.name}-{identity(text, KIND, chosen)[:SHORT]}",  # of all seeds
        "options": chosen.options(),
        "identity": wanted,
        "vocabulary_size": network.encoder.num_embeddings,
        **measures(text, network, losses),
        **held_out,
        "warnings": [],
    }
    made = finish_model(folder, KIND, about, files, [*text.train, *text.held_out])
    shutil.rmtree(folder / CHECKPOINT)
    return made


def _shape(size: NetworkSize, n_words: int) -> Shape:
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
    chosen: Setting,
    text: TrainingText,
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
    wanted: str,
) -> Task[Batch]:
    size = chosen.size
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
        _loss(network, chosen.mixed),
    )


Batches = Callable[[int], Sequence[Batch]]
"""The training batches of an epoch (from 0), in order."""


def _by_sentences(
    size: NetworkSize,
    lines: Sequence[Line],
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
) -> Batches:
    sentences = [sentence_ids(line.words, ids) for line in lines]
    lengths = [len(each) for each in sentences]

    def batches(epoch: int) -> Sequence[Batch]:
        shown = veiled(sentences, rare, ids[UNKNOWN], generator(seed, f"unknown words {epoch}"))
        orders = by_length(lengths, size.n_rows, seed, epoch)
        return [sentences_batch([shown[nth] for nth in each]) for each in orders]

    return batches


def _by_streams(
    size: NetworkSize,
    lines: Sequence[Line],
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
) -> Batches:
    text = joined(lines, ids)

    def batches(epoch: int) -> Sequence[Batch]:
        shown = veiled_text(text, rare, ids[UNKNOWN], seed, epoch)
        return _along(shown, size, size.n_rows, size.n_rows)

    return batches


def _along(
    text: torch.Tensor, size: NetworkSize, n_streams: int, n_windows: int
) -> Sequence[Batch]:
    if size.order is not None:
        return windows(text, n_windows, size.order)
    assert size.chunk is not None  # else it is learned sentence by sentence
    return streams(text, n_streams, size.chunk)


def _held_out(size: NetworkSize, lines: Sequence[Line], ids: Mapping[str, int]) -> Sequence[Batch]:
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
        with products(place, mixed=mixed and network.training):
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
