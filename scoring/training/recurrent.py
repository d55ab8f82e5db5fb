"""Training a word-level LSTM: sentences by themselves, or the streams of Gulordava et al. (2018).

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
how the scorer asks. The preset `gulordava2018` is the paper's own procedure (its script
src/language_models/main.py, and the supplement, "Hyperparameters"): parallel streams of text
through which the state is carried.
"""

import math
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.seeds import generator
from colorless_green.scoring.backends.recurrent import (
    EOS,
    Network,
    Recurrent,
    Shape,
    write_network,
)
from colorless_green.scoring.device import choose, full_precision
from colorless_green.scoring.query import Query
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
    seeded,
    threads,
)
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import SHORT, UNKNOWN, check_words, entry_word

KIND = "recurrent"


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


TINY = Schedule(8, 8, 8e-3, "steadily", 1.0)
SMALL = Schedule(8, 3, 4e-3, "steadily", 1.0)
PAPER = Schedule(20, 3, 1e-3, "steadily", 1.0)
GULORDAVA = Schedule(40, 40, 20.0, "by quarters", 0.25)
SIZES = {  # tiny learns the embedded sample's grammar in ten seconds; paper has the paper's width
    "tiny": Size(128, 1, 0.1, True, 32, None, 1, "adam", TINY),
    "small": Size(200, 1, 0.3, True, 32, None, None, "adam", SMALL),
    "paper": Size(650, 2, 0.2, True, 64, None, None, "adam", PAPER),
    "gulordava2018": Size(650, 2, 0.2, False, 128, 35, None, "sgd", GULORDAVA),
}


@dataclass(frozen=True, slots=True)
class Batch:
    """Ids and the ids that follow them, both `(time, batch)`."""

    ids: torch.Tensor
    targets: torch.Tensor  # IGNORED behind a row's end
    goes_on: bool  # whether it continues the batch before it


def train(
    text: TrainingText,
    folder: Path,
    *,
    seed: int = 0,
    size: str = "small",
    device: str = "auto",
    resume: bool = False,
    max_vocabulary: int = 50_000,
    progress: Progress = silent,
) -> ModelFolder:
    """An LSTM trained on `text.train`, in `folder`; the weights of its best epoch on held-out text.

    `size` is a key of SIZES. With `resume` an interrupted training goes on from its last whole
    epoch, and a finished one is returned as it is. `about` has the held-out perplexity per known
    word and sentence end, and how many words were unknown. Raises `InputError` for an unknown size
    or device, for reserved words in the text, and for a checkpoint of another training.
    """
    chosen, place = named(SIZES, size, "--size"), choose(device)
    setting = (KIND, size, chosen, max_vocabulary)
    wanted = identity(text, *setting, seed)
    done = finished_model(folder, KIND, wanted) if resume else None
    if done is not None:
        return done
    words, rare = vocabulary(text.train, max_vocabulary)
    ids = {word: n for n, word in enumerate(words)}
    shape = Shape(
        "LSTM", len(ids), chosen.width, chosen.width, chosen.n_layers, chosen.dropout, chosen.tied
    )
    with threads(chosen.n_threads), seeded(seed, place), full_precision():
        network = initial(Network(shape)).to(place)
        task = _task(network, chosen, text, ids, rare, seed, wanted)
        losses = fit(task, folder, resume, progress)
    files = write_network(folder, network, shape, words)
    about = {
        "size": size,
        "seed": seed,
        "group": f"{KIND}-{size}-{identity(text, *setting)[:SHORT]}",  # whatever the seed
        "options": {"max_vocabulary": max_vocabulary, **asdict(chosen)},
        "identity": wanted,
        "vocabulary_size": len(words),
        "n_parameters": sum(each.numel() for each in network.parameters()),
        "n_sentences": len(text.train),
        "n_words": sum(len(line.words) for line in text.train),
        "n_epochs": len(losses),
        "best_epoch": best(losses) + 1,
        "held_out_nats": list(losses),
        **held_out_about(Recurrent(network.eval(), ids, place, signature=""), text.held_out),
        "warnings": [],
    }
    made = finish_model(folder, KIND, about, files, [*text.train, *text.held_out])
    shutil.rmtree(folder / CHECKPOINT)
    return made


def vocabulary(lines: Iterable[Line], most: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """`<unk>`, `<eos>`, and the `most` most frequent words, ties in the order of their characters;
    and the ids of words that stand in for unknown ones while the model learns.

    Where no word is left out, `<unk>` would have no example to learn from. Then those are the words
    that occur once (see `veiled`): leaving them out instead would make a third of a treebank's
    words, and with them most targets, unknown. Raises `InputError` for reserved words.
    """
    counts = Counter(word for line in lines for word in line.words)
    check_words(counts)
    if EOS in counts:
        raise InputError("training text", f"it has the word {EOS!r}", f"text without {EOS}")
    entries: Counter[str] = Counter()
    for word, n in counts.items():
        entries[entry_word(word)] += n
    words = (UNKNOWN, EOS, *sorted(entries, key=lambda word: (-entries[word], word))[:most])
    if len(words) - 2 < len(entries):
        return words, frozenset()
    return words, frozenset(number for number, word in enumerate(words) if entries[word] == 1)


def veiled(
    sentences: Sequence[Sequence[int]], rare: frozenset[int], unknown: int, rng: random.Random
) -> list[Sequence[int]]:
    """The sentences with each word of `rare` made `unknown` in half of the cases."""
    return [
        [unknown if each in rare and rng.random() < 0.5 else each for each in sentence]
        if rare.intersection(sentence)
        else sentence
        for sentence in sentences
    ]


def initial(network: Network) -> Network:
    """The network with the paper's first weights: ±0.1 for embedding and decoder, no bias."""
    with torch.no_grad():
        network.encoder.weight.uniform_(-0.1, 0.1)
        network.decoder.weight.uniform_(-0.1, 0.1)
        network.decoder.bias.zero_()
    return network


def _task(
    network: Network,
    size: Size,
    text: TrainingText,
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
    wanted: str,
) -> Task[Batch]:
    train_ids, held_out_ids = (
        [_sentence(line.words, ids) for line in lines] for lines in (text.train, text.held_out)
    )
    adam = size.optimiser == "adam"
    optimiser = (torch.optim.Adam if adam else torch.optim.SGD)(
        network.parameters(), lr=size.schedule.rate, fused=True
    )
    lengths = [len(each) for each in train_ids]
    order = sorted(range(len(held_out_ids)), key=lambda nth: len(held_out_ids[nth]))
    held_out = [
        sentences_batch([held_out_ids[nth] for nth in order[start : start + EVALUATED]])
        for start in range(0, len(order), EVALUATED)
    ]

    def batches(epoch: int) -> Sequence[Batch]:
        rng = generator(seed, f"unknown words {epoch}")
        shown = veiled(train_ids, rare, ids[UNKNOWN], rng)
        if size.chunk is not None:
            return streams(shown, size.n_rows, size.chunk)
        orders = by_length(lengths, size.n_rows, seed, epoch)
        return [sentences_batch([shown[nth] for nth in each]) for each in orders]

    return Task(
        "train the recurrent model",
        wanted,
        seed,
        network,
        optimiser,
        size.schedule,
        batches,
        held_out,
        _loss(network),
    )


def _sentence(words: Iterable[str], ids: Mapping[str, int]) -> list[int]:
    unknown = ids[UNKNOWN]
    return [ids[EOS], *(ids.get(entry_word(word), unknown) for word in words), ids[EOS]]


def sentences_batch(sentences: Sequence[Sequence[int]]) -> Batch:
    """Sentences (with `<eos>` at both ends) side by side, padded behind their ends."""
    longest = max(map(len, sentences)) - 1
    ids = torch.zeros(longest, len(sentences), dtype=torch.long)
    targets = torch.full_like(ids, IGNORED)
    for nth, sentence in enumerate(sentences):
        whole = torch.tensor(sentence)
        ids[: len(whole) - 1, nth] = whole[:-1]
        targets[: len(whole) - 1, nth] = whole[1:]
    return Batch(ids, targets, goes_on=False)


def streams(sentences: Sequence[Sequence[int]], n_rows: int, chunk: int) -> list[Batch]:
    """All sentences as one text with one `<eos>` between, cut into `n_rows` equal streams.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    joined = [sentences[0][0], *(each for sentence in sentences for each in sentence[1:])]
    n_rows = min(n_rows, len(joined) - 1)
    length = (len(joined) - 1) // n_rows
    ids = torch.tensor(joined[: n_rows * length]).view(n_rows, length).T
    targets = torch.tensor(joined[1 : n_rows * length + 1]).view(n_rows, length).T
    return [
        Batch(ids[start : start + chunk], targets[start : start + chunk], goes_on=start > 0)
        for start in range(0, length, chunk)
    ]


def _loss(network: Network) -> Callable[[Batch], tuple[torch.Tensor, int]]:
    state: tuple[torch.Tensor, torch.Tensor] | None = None

    def loss(batch: Batch) -> tuple[torch.Tensor, int]:
        nonlocal state
        place = network.decoder.weight.device
        ids, targets = batch.ids.to(place), batch.targets.to(place)
        hidden, after = network(ids, state if batch.goes_on else None)
        state = (after[0].detach(), after[1].detach())
        counted = targets != IGNORED
        logits = network.decoder(hidden[counted])
        return cross_entropy(logits, targets[counted], reduction="sum"), len(logits)

    return loss


def held_out_about(scorer: Recurrent, lines: Sequence[Line]) -> dict[str, object]:
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
