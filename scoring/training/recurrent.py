"""Training a word-level recurrent network, as the scorer asks it or as Gulordava et al. (2018) did.

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
how the scorer asks. The trainings `gulordava2018…` are the paper's own procedure (its scripts
src/language_models/main.py and ngram_lstm.py, and the supplement, "Hyperparameters"): parallel
streams of text through which the state is carried, or windows that move along them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from ...data.errors import InputError
from ...data.seeds import generator, shuffled
from ..models.backends.recurrent import Recurrent
from ..models.network import EOS, Network, NetworkConfig, State, check_shape, write_network
from ..models.training_text import Line, TrainingText
from ..models.words import UNKNOWN, check_words, entry_word
from . import _loop as loop
from ._batches import MOST, Batch, Batches, SentenceArray, by_length, ranked, streams, windows
from .sizes import NetworkSize

HELD_OUT_ROWS = 32  # sentences a batch when the held-out loss is measured, or more
HELD_OUT_STREAMS = 10  # side by side; `eval_batch_size` of the paper's main.py
HELD_OUT_WINDOWS = 256  # that of its ngram_lstm.py
HELD_OUT_CHUNKS = 10  # read at once: the state is carried, so that the numbers are the same


def build(
    text: TrainingText, folder: Path, size: NetworkSize, device: torch.device, seed: int
) -> loop.TrainingTask:
    """Return a new network, and the batches that its size says."""
    words, rare = vocabulary(text.train, size.max_vocabulary)
    ids = {word: n for n, word in enumerate(words)}
    widths = (size.width, size.width, size.n_layers, size.dropout, size.tied, size.order)
    shape = NetworkConfig(size.rnn_type, len(words), *widths)
    check_shape(shape, "training")
    network = initial(Network(shape)).to(device)
    scorer = Recurrent(network, shape, ids, device, signature="")
    state: State | None = None

    def logits(batch: Batch) -> torch.Tensor:
        nonlocal state
        new_state: State
        hidden, new_state = network(batch.ids, state if batch.goes_on else None)
        if isinstance(new_state, tuple):  # nothing is learned through what is past
            state = new_state[0].detach(), new_state[1].detach()
        else:
            state = new_state.detach()
        scores: torch.Tensor = network.decoder(hidden.flatten(0, 1)[batch.rows])
        return scores

    by_sentences, chunk = size.order is None and size.chunk is None, size.chunk or 1
    prepare = encoded if by_sentences else joined
    learned, held_out = prepare(text.train, ids), prepare(text.held_out, ids)
    lengths, asked_lengths = learned.lengths(MOST), held_out.lengths(MOST)
    asked_rows = ranked(asked_lengths, range(len(asked_lengths)), max(size.n_rows, HELD_OUT_ROWS))

    def cut(text: SentenceArray, orders: Sequence[Sequence[int]], n_rows: int, n: int) -> Batches:
        if by_sentences:
            return text.batches(orders, MOST, device, True)
        ids = text.ids.to(device)
        return windows(ids, n_rows, size.order) if size.order else streams(ids, n_rows, n)

    def batches(epoch: int) -> Batches:
        masked = SentenceArray(
            mask_rare_words(learned.ids, rare, ids[UNKNOWN], seed, epoch), learned.starts
        )
        orders = by_length(lengths, size.n_rows, seed, epoch) if by_sentences else ()
        return cut(masked, orders, size.n_rows, chunk)

    def evaluated() -> Batches:
        n_rows = HELD_OUT_STREAMS if size.order is None else HELD_OUT_WINDOWS
        return cut(held_out, asked_rows, n_rows, HELD_OUT_CHUNKS * chunk)

    return loop.TrainingTask(
        network,
        loop.Optimiser(network, size.optimiser),
        batches,
        evaluated,
        logits,
        scorer=lambda: scorer,
        write=lambda: write_network(folder, dict(network.named_parameters()), shape, words),
        card={"vocabulary_size": len(words), "warnings": []},
        vocabulary=ids,
    )


train = partial(loop.train, "recurrent", build)
"""A recurrent network, trained as `_loop.train` says. Its perplexity is per known word and sentence
end."""


@torch.no_grad()
def initial(network: Network) -> Network:
    """Return the network with the paper's first weights: ±0.1 for embedding and decoder, no
    bias."""
    network.encoder.weight.uniform_(-0.1, 0.1)
    network.decoder.weight.uniform_(-0.1, 0.1)
    network.decoder.bias.zero_()
    return network


def vocabulary(lines: Iterable[Line], limit: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """`<unk>`, `<eos>`, and the `limit` most frequent words, ties in the order of their characters;
    and the ids of words that stand in for unknown ones while the model learns.

    Where no word is left out, `<unk>` would have no example to learn from. Then those are the words
    that occur once (see `mask_rare_words`): leaving them out instead would make a third of a
    treebank's words, and with them most targets, unknown.

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
    words = (UNKNOWN, EOS, *sorted(entries, key=lambda word: (-entries[word], word))[:limit])
    if len(words) - 2 < len(entries):
        return words, frozenset()
    return words, frozenset(number for number, word in enumerate(words) if entries[word] == 1)


def encoded(lines: Collection[Line], ids: Mapping[str, int]) -> SentenceArray:
    """Return the sentences as ids, `<eos>` between them."""
    words = dict.fromkeys(chain.from_iterable(line.words for line in lines))
    numbers = {word: ids.get(entry_word(word), ids[UNKNOWN]) for word in words}
    lengths = np.fromiter((len(line.words) for line in lines), np.int64, len(lines))
    tokens = chain.from_iterable(line.words for line in lines)
    return SentenceArray.of(
        np.fromiter(map(numbers.__getitem__, tokens), np.int32, lengths.sum()), lengths, ids[EOS]
    )


def joined(lines: Collection[Line], ids: Mapping[str, int]) -> SentenceArray:
    """Return the same in an order drawn once and for all seeds: in running text a network would see
    the same subject for a thousand steps. The paper's corpus was shuffled by sentence."""
    return encoded(shuffled(generator(0, "order of sentences"), list(lines)), ids)


def mask_rare_words(
    ids: torch.Tensor, rare: frozenset[int], unknown: int, seed: int, epoch: int
) -> torch.Tensor:
    """Return a text `(n,)` with each word of `rare` made `unknown` in half of the cases."""
    if not rare:
        return ids
    rng = generator(seed, f"unknown words {epoch}")
    index = torch.isin(ids, torch.tensor(sorted(rare), dtype=ids.dtype)).nonzero().squeeze(1)
    hidden = torch.tensor([rng.random() < 0.5 for _ in range(len(index))], dtype=torch.bool)
    return ids.index_fill(0, index[hidden], unknown)
