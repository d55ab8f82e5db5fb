"""Training a word-level recurrent network, as the scorer reads text or as Gulordava et al. (2018)
did.

By default every sentence is a sequence of its own, `<eos>` w1 … wn `<eos>`, from a zero state: just
as the scorer reads it. The trainings `gulordava2018…` are the paper's own procedure (its scripts
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
from ..models.network import EOS, Network, NetworkConfig, State, check_config, write_network
from ..models.training_text import Line, TrainingText
from ..models.words import UNKNOWN, check_words, entry_word
from . import _loop as loop
from ._batches import (
    MAX_BATCH,
    Batch,
    Batches,
    SentenceArray,
    batches_by_length,
    random_batches,
    stream_batches,
    window_batches,
)
from .sizes import NetworkSize

HELD_OUT_ROWS = 32  # sentences in a batch of held-out text, at least
HELD_OUT_STREAMS = 10  # parallel streams of held-out text; `eval_batch_size` of the paper's main.py
HELD_OUT_WINDOWS = 256  # windows in a held-out batch; `eval_batch_size` of its ngram_lstm.py
HELD_OUT_CHUNKS = 10  # chunks read at once: the state is carried on, so the loss is the same


class StatefulReader:
    """A network that reads batches, and keeps its state for a batch that continues the last one."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.state: State | None = None

    def logits(self, batch: Batch) -> torch.Tensor:
        """Return the logits of a batch's targets. The state is carried on if the batch goes on, but
        its gradients are not."""
        new_state: State
        hidden, new_state = self.network(batch.ids, self.state if batch.goes_on else None)
        if isinstance(new_state, tuple):
            output, memory = new_state
            self.state = output.detach(), memory.detach()
        else:
            self.state = new_state.detach()
        scores: torch.Tensor = self.network.decoder(hidden.flatten(0, 1)[batch.rows])
        return scores


def build(
    text: TrainingText, folder: Path, size: NetworkSize, device: torch.device, seed: int
) -> loop.TrainingTask:
    """Return the task of training a new network of `size` on a text, with its batches."""
    words, rare = vocabulary(text.train, size.max_vocabulary)
    ids = {word: n for n, word in enumerate(words)}
    widths = (size.width, size.width, size.n_layers, size.dropout, size.tied, size.order)
    config = NetworkConfig(size.rnn_type, len(words), *widths)
    check_config(config, "training")
    network = initialise(Network(config)).to(device)
    scorer = Recurrent(network, config, ids, device, signature="")
    by_sentences, chunk = size.order is None and size.chunk is None, size.chunk or 1
    prepare = encode if by_sentences else encode_shuffled
    learned, held_out = prepare(text.train, ids), prepare(text.held_out, ids)
    lengths, held_out_lengths = learned.lengths(MAX_BATCH), held_out.lengths(MAX_BATCH)
    held_out_order = batches_by_length(
        held_out_lengths, range(len(held_out_lengths)), max(size.n_rows, HELD_OUT_ROWS)
    )

    def cut(
        text: SentenceArray, orders: Sequence[Sequence[int]], n_rows: int, n_words: int
    ) -> Batches:
        """Cut a text into batches: of sentences, whose numbers are `orders`; of `n_rows` windows;
        or of `n_rows` streams with `n_words` words each, as the network's size says."""
        if by_sentences:
            return text.batches(orders, MAX_BATCH, device, time_first=True)
        ids = text.ids.to(device)
        if size.order:
            return window_batches(ids, n_rows, size.order)
        return stream_batches(ids, n_rows, n_words)

    def batches(epoch: int) -> Batches:
        """Return the training batches of an epoch, with rare words masked anew."""
        masked = SentenceArray(
            mask_rare_words(learned.ids, rare, ids[UNKNOWN], seed, epoch), learned.starts
        )
        orders = random_batches(lengths, size.n_rows, seed, epoch) if by_sentences else ()
        return cut(masked, orders, size.n_rows, chunk)

    def held_out_batches() -> Batches:
        """Return the batches of held-out text, the same after every epoch."""
        n_rows = HELD_OUT_STREAMS if size.order is None else HELD_OUT_WINDOWS
        return cut(held_out, held_out_order, n_rows, HELD_OUT_CHUNKS * chunk)

    return loop.TrainingTask(
        network,
        loop.Optimiser(network, size.optimiser),
        batches,
        held_out_batches,
        StatefulReader(network).logits,
        scorer=lambda: scorer,
        write=lambda: write_network(folder, dict(network.named_parameters()), config, words),
        card={"vocabulary_size": len(words), "warnings": []},
        vocabulary=ids,
    )


train = partial(loop.train, "recurrent", build)
"""A recurrent network, trained as `_loop.train` says. Its perplexity is per known word and sentence
end."""


@torch.no_grad()
def initialise(network: Network) -> Network:
    """Set a network's weights in place to the paper's initial ones, and return the network: uniform
    between −0.1 and 0.1 in embedding and decoder, and 0 for the decoder's bias."""
    network.encoder.weight.uniform_(-0.1, 0.1)
    network.decoder.weight.uniform_(-0.1, 0.1)
    network.decoder.bias.zero_()
    return network


def vocabulary(lines: Iterable[Line], limit: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """Return the vocabulary, and the ids of the words that are trained as `<unk>` half of the time.

    The vocabulary is `<unk>`, `<eos>` and the `limit` most frequent words, ties in alphabetical
    order. If it has all words of the text, `<unk>` has no example to learn from; then the words
    that occur once serve as such (see `mask_rare_words`). To leave them out instead would make a
    third of a treebank's words, and with them most targets, unknown.

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
    by_frequency = sorted(entries, key=lambda word: (-entries[word], word))
    words = (UNKNOWN, EOS, *by_frequency[:limit])
    if limit < len(entries):
        return words, frozenset()
    return words, frozenset(number for number, word in enumerate(words) if entries[word] == 1)


def encode(lines: Collection[Line], ids: Mapping[str, int]) -> SentenceArray:
    """Return sentences as one array of word ids, with `<eos>` before the first and after each;
    words that `ids` lacks become `<unk>`."""
    words = set(chain.from_iterable(line.words for line in lines))
    id_of = {word: ids.get(entry_word(word), ids[UNKNOWN]) for word in words}
    lengths = np.fromiter((len(line.words) for line in lines), np.int64, len(lines))
    tokens = chain.from_iterable(line.words for line in lines)
    text_ids = np.fromiter(map(id_of.__getitem__, tokens), np.int32, lengths.sum())
    return SentenceArray.from_ids(text_ids, lengths, separator=ids[EOS])


def encode_shuffled(lines: Collection[Line], ids: Mapping[str, int]) -> SentenceArray:
    """Return the sentences as ids in a random order, the same for all seeds.

    In running text a network would read about one subject for a thousand steps. The paper's corpus
    was shuffled by sentence.
    """
    return encode(shuffled(generator(0, "order of sentences"), list(lines)), ids)


def mask_rare_words(
    ids: torch.Tensor, rare: frozenset[int], unknown: int, seed: int, epoch: int
) -> torch.Tensor:
    """Return the ids of a text with a random half of the occurrences of `rare` ids replaced by
    `unknown`."""
    if not rare:
        return ids
    rng = generator(seed, f"unknown words {epoch}")
    index = torch.isin(ids, torch.tensor(sorted(rare), dtype=ids.dtype)).nonzero().squeeze(1)
    is_masked = torch.tensor([rng.random() < 0.5 for _ in range(len(index))], dtype=torch.bool)
    return ids.index_fill(0, index[is_masked], unknown)
