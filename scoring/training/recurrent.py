"""Training a word-level recurrent network, as the scorer asks it or as Gulordava et al. (2018) did.

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
how the scorer asks. The presets `gulordava2018…` are the paper's own procedure (its scripts
src/language_models/main.py and ngram_lstm.py, and the supplement, "Hyperparameters"): parallel
streams of text through which the state is carried, or windows that move along them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.backends.recurrent import Recurrent
from colorless_green.scoring.device import choose
from colorless_green.scoring.query import Query, Scorer
from colorless_green.scoring.recurrent.folder import EOS, check_shape, write_network
from colorless_green.scoring.recurrent.network import Network, Shape, State, detached
from colorless_green.scoring.training.curve import Quiz, Watch
from colorless_green.scoring.training.folder import ModelFolder, finish_model, toy_facts
from colorless_green.scoring.training.loop import (
    CHECKPOINT,
    Batch,
    Batches,
    Optimiser,
    Sentences,
    Task,
    by_length,
    card,
    finished_model,
    fit,
    held_out_batches,
    is_mixed,
    repeatable,
)
from colorless_green.scoring.training.sizes import NetworkSize, Request, network_size
from colorless_green.scoring.training.text import Line, TrainingText
from colorless_green.scoring.words import UNKNOWN, check_words, entry_word

KIND = "recurrent"
HELD_OUT_STREAMS = 10  # side by side; `eval_batch_size` of the paper's main.py
HELD_OUT_WINDOWS = 256  # that of its ngram_lstm.py
HELD_OUT_CHUNKS = 10  # read at once: the state is carried, so that the numbers are the same
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
) -> ModelFolder:
    """Trains a network on `text.train`; `folder` gets its weights after the epoch that was best on
    held-out text.

    With `resume` an interrupted training goes on from its checkpoint, and a finished one is
    returned as it is. After each epoch `curve.tsv` has a row more, with the quiz's accuracy of the
    network as it stands; the manifest does not list it, since seconds differ between equal
    trainings. `about` has the held-out perplexity per known word and sentence end, and how many
    words were unknown.

    Raises:
        InputError: for an unknown size, preset, type or device, for `mixed` without a GPU, for
            reserved words in the text, and for a checkpoint of another training.
    """
    place, size = choose(device), network_size(request)
    mixed = is_mixed(request.mixed, place, otherwise=False)
    about = card(text, KIND, request, size, mixed, seed)
    done = finished_model(folder, KIND, str(about["identity"])) if resume else None
    if done is not None:
        return done
    words, rare = vocabulary(text.train, size.max_vocabulary)
    ids = {word: n for n, word in enumerate(words)}
    shape = Shape(
        size.rnn_type, len(words), size.width, size.width, size.n_layers, size.dropout, size.tied,
        size.order,
    )  # fmt: skip
    check_shape(shape, "--size")
    with repeatable(seed, place, size.n_threads):
        network = initial(Network(shape)).to(place)
        scorer = Recurrent(network, shape, ids, place, signature="")
        task = _task(network, size, text, ids, rare, seed, str(about["identity"]), mixed)
        watch = Watch(folder, quiz, lambda: scorer)
        about |= fit(task, folder, resume=resume, progress=progress, watch=watch)
        about |= held_out_about(scorer, text.held_out)
    files = write_network(folder, network, shape, words)
    about |= {"vocabulary_size": len(words), **toy_facts(text, about, ids), "warnings": []}
    made = finish_model(folder, KIND, about, files, [*text.train, *text.held_out])
    (folder / CHECKPOINT).unlink(missing_ok=True)
    return made


def initial(network: Network) -> Network:
    """The network with the paper's first weights: ±0.1 for embedding and decoder, no bias."""
    with torch.no_grad():
        network.encoder.weight.uniform_(-0.1, 0.1)
        network.decoder.weight.uniform_(-0.1, 0.1)
        network.decoder.bias.zero_()
    return network


def vocabulary(lines: Iterable[Line], most: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """`<unk>`, `<eos>`, and the `most` most frequent words, ties in the order of their characters;
    and the ids of words that stand in for unknown ones while the model learns.

    Where no word is left out, `<unk>` would have no example to learn from. Then those are the words
    that occur once (see `veiled`): leaving them out instead would make a third of a treebank's
    words, and with them most targets, unknown.

    Raises:
        InputError: for reserved words.
    """
    counts = Counter(chain.from_iterable(line.words for line in lines))
    check_words(counts)
    if EOS in counts:
        wrong, right = f"it has the word {EOS!r}", f"text without {EOS}"
        raise InputError("training text", wrong, right, kind="format")
    entries: Counter[str] = Counter()
    for word, n in counts.items():
        entries[entry_word(word)] += n
    words = (UNKNOWN, EOS, *sorted(entries, key=lambda word: (-entries[word], word))[:most])
    if len(words) - 2 < len(entries):
        return words, frozenset()
    return words, frozenset(number for number, word in enumerate(words) if entries[word] == 1)


def encoded(lines: Sequence[Line], ids: Mapping[str, int]) -> Sentences:
    """The sentences as ids, `<eos>` between them."""
    words = dict.fromkeys(chain.from_iterable(line.words for line in lines))
    numbers = {word: ids.get(entry_word(word), ids[UNKNOWN]) for word in words}
    lengths = np.fromiter((len(line.words) for line in lines), np.int64, len(lines))
    asked = chain.from_iterable(line.words for line in lines)
    return Sentences.of(
        np.fromiter(map(numbers.__getitem__, asked), np.int32, lengths.sum()), lengths, ids[EOS]
    )


def joined(lines: Sequence[Line], ids: Mapping[str, int]) -> torch.Tensor:
    """All sentences as one text `(n,)`, `<eos>` first, between and last.

    The sentences are in an order drawn once and for all seeds: in running text a network would
    see the same subject for a thousand steps. The paper's corpus was shuffled by sentence.
    """
    order = shuffled(generator(0, "order of sentences"), range(len(lines)))
    return encoded([lines[nth] for nth in order], ids).ids


def veiled(
    ids: torch.Tensor, rare: frozenset[int], unknown: int, seed: int, epoch: int
) -> torch.Tensor:
    """A text `(n,)` with each word of `rare` made `unknown` in half of the cases."""
    if not rare:
        return ids
    rng = generator(seed, f"unknown words {epoch}")
    at = torch.isin(ids, torch.tensor(sorted(rare), dtype=ids.dtype)).nonzero().squeeze(1)
    hidden = torch.tensor([rng.random() < 0.5 for _ in range(len(at))], dtype=torch.bool)
    return ids.index_fill(0, at[hidden], unknown)


def _task(
    network: Network,
    size: NetworkSize,
    text: TrainingText,
    ids: Mapping[str, int],
    rare: frozenset[int],
    seed: int,
    wanted: str,
    mixed: bool,
) -> Task:
    device, unknown, order, chunk = (
        network.decoder.weight.device,
        ids[UNKNOWN],
        size.order,
        size.chunk,
    )
    state: State | None = None

    def logits(batch: Batch) -> torch.Tensor:
        nonlocal state
        with torch.autocast(device.type, torch.bfloat16, enabled=mixed and network.training):
            hidden, after = network(batch.ids, state if batch.goes_on else None)
            state = detached(after)
            found: torch.Tensor = network.decoder(hidden.flatten(0, 1)[batch.places])
            return found

    if order is None and chunk is None:
        learned, held_out = encoded(text.train, ids), encoded(text.held_out, ids)
        lengths, most = learned.lengths.tolist(), int(learned.lengths.max())
        longest = int(held_out.lengths.max())
        asked = held_out_batches(held_out.lengths.tolist(), size.n_rows)

        def batches(epoch: int) -> Batches:
            shown = Sentences(veiled(learned.ids, rare, unknown, seed, epoch), learned.starts)
            orders = by_length(lengths, size.n_rows, seed, epoch)
            return len(orders), (
                shown.batch(each, most, device, time_first=True) for each in orders
            )

        def evaluated() -> Batches:
            return len(asked), (
                held_out.batch(each, longest, device, time_first=True) for each in asked
            )
    else:
        whole, rest = joined(text.train, ids), joined(text.held_out, ids).to(device)

        def batches(epoch: int) -> Batches:
            shown = veiled(whole, rare, unknown, seed, epoch).to(device)
            if order is not None:
                return windows(shown, size.n_rows, order)
            return streams(shown, size.n_rows, chunk or 1)

        def evaluated() -> Batches:
            if order is not None:
                return windows(rest, HELD_OUT_WINDOWS, order)
            return streams(rest, HELD_OUT_STREAMS, HELD_OUT_CHUNKS * (chunk or 1))

    return Task(
        "train the recurrent model",
        wanted,
        seed,
        network,
        Optimiser(network, size.optimiser),
        size.schedule,
        batches,
        evaluated,
        logits,
    )


def _columns(text: torch.Tensor, n_rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A text cut into `n_rows` equal streams, `(length, n_rows)`, and what follows each word.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    n_rows = min(n_rows, len(text) - 1)
    length = (len(text) - 1) // n_rows
    ids = text[: n_rows * length].view(n_rows, length).T.contiguous()
    return ids, text[1 : n_rows * length + 1].view(n_rows, length).T.long().contiguous()


def streams(text: torch.Tensor, n_rows: int, chunk: int) -> Batches:
    """A text `(n,)` as `n_rows` parallel streams, `chunk` words of each a batch."""
    ids, targets = _columns(text, n_rows)
    starts = range(0, len(ids), chunk)
    return len(starts), (
        Batch(
            ids[start : start + chunk],
            targets[start : start + chunk].flatten(),
            slice(None),
            goes_on=start > 0,
        )
        for start in starts
    )


def windows(text: torch.Tensor, n_rows: int, order: int) -> Batches:
    """Every window of a text `(n,)` that an n-gram network of `order` reads, `n_rows` a batch: its
    last word is what is learned. The next batch stands one word further on.

    Windows reach across the ends of sentences, and none is shorter, as in the paper's script.
    """
    reach = order - 1
    longest = (len(text) - 1) // reach  # so that a stream holds a window at least
    ids, targets = _columns(text, max(1, min(n_rows, longest)))
    last = slice((reach - 1) * ids.shape[1], None)
    n = max(0, len(ids) - reach + 1)
    return n, (Batch(ids[at : at + reach], targets[at + reach - 1], last) for at in range(n))


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
