"""States kept for the shared beginnings of many questions, and what they say of the next word.

What many texts begin with is read once: their ids form a tree, and all nodes of one depth are one
batch. Each takes the states of its parent and makes one step of every layer's cell; only the states
of one depth are kept. What follows a parent for each of its children (the product with the
recurrent weights) is computed once a parent, and the first layer's product with a word's embedding
once a distinct word. Vectors whose next word is wanted are put aside and projected onto the
vocabulary together, without a matrix of all logits; of all other nodes nothing is projected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np
import torch

from ....data.arrays import Integers
from .network import Network

N_NODES = 1_024  # stepped at once: the gates of 650 units are 10 MiB, which stays near the cores
N_ROWS = 4_096  # wanted rows put aside before they are projected: 10 MiB for 650 units
ROWS, COLUMNS = 256, 8_192  # of logits held at once: 8 MiB, in the cache of a core or near it

Product: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""`(n, width)` to `(n, rows of the weights)`, float32."""


def product(weight: torch.Tensor, bias: torch.Tensor) -> Product:
    """x ↦ x · weightᵀ + bias for `weight` `(rows, width)` and `bias` `(rows,)`, without gradients.

    On a CPU by oneDNN where torch has it: torch's own choice for such products is MKL, which keeps
    to AVX2 on processors that are not Intel's (220 against 95 GFLOP/s a core on an AMD EPYC with
    AVX-512, 256 × 650 × 8,192, torch 2.13). torch.compile calls the same operator for linear
    layers with constant weights.
    """
    weight, bias = weight.detach(), bias.detach()
    by_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if weight.device.type != "cpu" or by_onednn is None:
        return partial(torch.nn.functional.linear, weight=weight, bias=bias)
    return lambda vectors: by_onednn(vectors, weight, bias, "none", [], "")


@dataclass(frozen=True, slots=True)
class Projection:
    """A decoder, in blocks of COLUMNS words, the last one of fewer."""

    n_words: int
    blocks: tuple[Product, ...]

    @classmethod
    def of(cls, decoder: torch.nn.Linear) -> "Projection":
        """Return the projection of a network; its weights are not copied."""
        starts = range(0, decoder.out_features, COLUMNS)
        parts = [slice(start, start + COLUMNS) for start in starts]
        blocks = tuple(product(decoder.weight[part], decoder.bias[part]) for part in parts)
        return cls(decoder.out_features, blocks)

    def log_probabilities(
        self, hidden: torch.Tensor, which: Integers, following: Integers
    ) -> list[float]:
        """ln p of word `following[i]` after row `which[i]` of `hidden` `(rows, nhid)`, for each i.

        `which` never falls. Logits are float32, and a word's is the one that its normaliser was
        made with: p ≤ 1 whatever the size of the logits. The blocks' normalisers are put together
        in float64.
        """
        values: list[float] = []
        for start in range(0, len(hidden), ROWS):
            pairs = slice(*np.searchsorted(which, (start, start + ROWS)))
            words = torch.from_numpy(following[pairs]).to(hidden.device)
            rows = torch.from_numpy(which[pairs] - start).to(hidden.device)
            chosen = hidden.new_zeros(len(words))
            parts = []
            for base, block in zip(range(0, self.n_words, COLUMNS), self.blocks, strict=True):
                logits = block(hidden[start : start + ROWS])
                inside = ((words >= base) & (words < base + COLUMNS)).nonzero().squeeze(1)
                chosen[inside] = logits[rows[inside], words[inside] - base]
                parts.append(logits.logsumexp(-1))
            normalisers = torch.stack(parts).double().logsumexp(0)
            values += (chosen.double() - normalisers[rows]).tolist()
        return values


@dataclass(frozen=True, slots=True)
class IdContinuation:
    """Ids that are read after one of the states one starts from; from index `start` on wanted."""

    root: int
    ids: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class RecurrentStates:
    """The states of a network after n texts: `(layers, n, nhid)` each; only an LSTM has `memory`,
    which has width 0 for others."""

    output: torch.Tensor
    memory: torch.Tensor

    def at(self, indices: torch.Tensor) -> "RecurrentStates":
        """Return the states at `indices` `(m,)`."""
        return RecurrentStates(self.output[:, indices], self.memory[:, indices])


def log_probabilities(
    texts: Sequence[IdContinuation],
    roots: RecurrentStates,
    cells: "RecurrentLayers",
    projection: Projection,
) -> list[float]:
    """ln p of every wanted id, text after text; what several want is computed once.

    A node of the tree is known by its parent and the id it reads, as one number. The last id of a
    text is read by no one.
    """
    texts = [text for text in texts if text.start < len(text.ids)]
    ids = np.fromiter(chain.from_iterable(text.ids for text in texts), np.int64)
    lengths, firsts, nodes = np.array(
        [(len(text.ids), text.start, text.root) for text in texts], np.int64
    ).reshape(-1, 3).T  # fmt: skip
    starts = lengths.cumsum() - lengths
    slots = np.full(len(ids), -1)  # for each wanted id where its answer stands in `values`
    waiting: list[tuple[torch.Tensor, Integers, Integers]] = []  # rows, then (row, word) pairs
    values: list[float] = []
    n_values = n_rows = 0
    states = roots
    for depth in range(max(lengths, default=0)):
        longer = np.flatnonzero(lengths > depth)
        keys = nodes[longer] * projection.n_words + ids[starts[longer] + depth]
        scored = firsts[longer] <= depth
        pairs, slot = np.unique(keys[scored], return_inverse=True)
        slots[starts[longer][scored] + depth] = n_values + slot
        used, which = np.unique(pairs // projection.n_words, return_inverse=True)
        rows = states.output[-1, torch.from_numpy(used).to(states.output.device)]
        waiting.append((rows, n_rows + which, pairs % projection.n_words))
        n_values, n_rows = n_values + len(pairs), n_rows + len(used)
        reads = lengths[longer] > depth + 1
        keys, nodes[longer[reads]] = np.unique(keys[reads], return_inverse=True)
        if n_rows >= N_ROWS or not len(keys):
            hidden, rows_of, words = zip(*waiting, strict=True)
            values += projection.log_probabilities(
                torch.cat(hidden), np.concatenate(rows_of), np.concatenate(words)
            )
            waiting, n_rows = [], 0
        if len(keys):
            states = cells.step(states, keys // projection.n_words, keys % projection.n_words)
    return [values[slot] for slot in slots[slots >= 0]]


@dataclass(frozen=True, slots=True)
class RecurrentLayers:
    """A network's layers, one step at a time. Each is its products with what it reads and with its
    own last output, `(n, width)` to `(n, blocks · nhid)`, in torch's order of gates."""

    rnn_type: str
    embedding: torch.Tensor  # (ntoken, ninp)
    width: int  # nhid
    layers: tuple[tuple[Product, Product], ...]

    @classmethod
    def of(cls, network: Network, rnn_type: str) -> "RecurrentLayers":
        """Return the layers of a network."""
        weights = dict(network.rnn.named_parameters())
        layers = tuple(
            (
                product(weights[f"weight_ih_l{n}"], weights[f"bias_ih_l{n}"]),
                product(weights[f"weight_hh_l{n}"], weights[f"bias_hh_l{n}"]),
            )
            for n in range(network.rnn.num_layers)
        )
        return cls(rnn_type, network.encoder.weight.detach(), network.rnn.hidden_size, layers)

    def zero(self, n: int) -> RecurrentStates:
        """Return the states before anything is read, n times."""
        output = self.embedding.new_zeros(len(self.layers), n, self.width)
        has_memory = self.rnn_type == "LSTM"
        return RecurrentStates(output, torch.zeros_like(output if has_memory else output[..., :0]))

    def step(self, states: RecurrentStates, parents: Integers, ids: Integers) -> RecurrentStates:
        """Return the states of nodes that read `ids` `(n,)` after `states` at `parents` `(n,)`."""
        device = self.embedding.device
        used, which = (
            torch.from_numpy(array).to(device) for array in np.unique(parents, return_inverse=True)
        )
        states = states.at(used)  # others have no children
        carried = [
            carry(output) for (_, carry), output in zip(self.layers, states.output, strict=True)
        ]
        result = self.zero(len(ids))
        for start in range(0, len(ids), N_NODES):
            span = slice(start, start + N_NODES)
            words, word = np.unique(ids[span], return_inverse=True)
            inputs = self.embedding[torch.from_numpy(words).to(device)]
            parent = which[span]
            for n, (reads, _) in enumerate(self.layers):
                read = reads(inputs) if n else reads(inputs)[torch.from_numpy(word).to(device)]
                previous = RecurrentStates(states.output[n, parent], states.memory[n, parent])
                state = self._cell(read, carried[n][parent], previous)
                result.output[n, span], result.memory[n, span] = state
                inputs = result.output[n, span]
        return result

    def _cell(
        self, read: torch.Tensor, carry: torch.Tensor, previous: RecurrentStates
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Output and memory after one step; gates in the order i, f, g, o of torch.nn.LSTM, and
        r, z, n of torch.nn.GRU. Its arguments are overwritten."""
        if self.rnn_type == "LSTM":
            admit, keep, offer, show = read.add_(carry).chunk(4, dim=1)
            retained = previous.memory.mul_(keep.sigmoid_())
            memory = retained.addcmul_(admit.sigmoid_(), offer.tanh_())
            return show.sigmoid_().mul_(memory.tanh()), memory
        if self.rnn_type == "GRU":
            reset_in, update_in, new_in = read.chunk(3, dim=1)
            reset_by, update_by, new_by = carry.chunk(3, dim=1)
            update = (update_in + update_by).sigmoid_()
            new = (new_in + (reset_in + reset_by).sigmoid_() * new_by).tanh_()
            return new.lerp_(previous.output, update), previous.memory
        total = read.add_(carry)
        return total.tanh_() if self.rnn_type == "RNN_TANH" else total.relu_(), previous.memory
