"""Word-level recurrent networks, trained here by `train recurrent` or made by `convert`.

`recurrent:DIR` starts every query from a zero state that has read one `<eos>`, as at the start of
every line the network was trained on. An n-gram network knows no state but that of its last words.

`recurrent:DIR?stream=FILE` is the protocol of the paper's script (colorlessgreenRNNs,
src/language_models/evaluate_target_word.py): all sentences of the test file, each ended by `<eos>`,
are read in their order by one network that begins at zero and is never reset, twenty words at a
time. What a word costs depends on where in the file it stands, so a question is looked up there:
the first sentence that begins with its prefix and one of its continuations.

What many texts begin with is read once: their ids form a tree, and all nodes of one depth are one
batch. Each takes the states of its parent and makes one step of every layer's cell; only the states
of one depth are kept. What follows a parent for each of its children (the product with the
recurrent weights) is computed once a parent, and the first layer's product with a word's embedding
once a distinct word. Vectors whose next word is wanted are put aside and projected onto the
vocabulary together, without a matrix of all logits.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch

from ....data.arrays import Integers
from ....data.errors import InputError
from ....data.files import numbered_lines, sha256_file
from ...questions.query import LoadOptions, Query, Score, Stretch
from ..model_folder import read_model
from ..network import EOS, REMEDY, Network, NetworkConfig, State, read_network, read_shape
from ..torch_device import choose, describe, full_precision
from ..words import (
    SHORT,
    UNKNOWN,
    as_words,
    check_options,
    entry_word,
    existing,
    signed,
    whole_words,
)

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


LN_2 = math.log(2)
N_QUERIES = 8_192  # looked at together: what they begin with is read once, and levels are full
CHUNK = 20  # words, in the paper's script; the numbers are the same for any, but for rounding

Entries: TypeAlias = tuple[str, ...]
"""Words as the vocabulary spells them."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A file's sentences, each with its `<eos>`, and a digest that stands for the file."""

    location: str
    sentences: tuple[tuple[str, ...], ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A network that scores words."""

    network: Network
    shape: NetworkConfig
    ids: Mapping[str, int]  # word to line of the vocabulary
    device: torch.device
    signature: str
    stream: Stream | None = None
    unit: str = "words"
    n_queries: int = N_QUERIES

    @property
    def end(self) -> str:
        """The sign for the end of a sentence; a stream has what its file has."""
        return EOS if self.stream is None else ""

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; raises `InputError` for what is not in the stream."""
        layers = RecurrentLayers.of(self.network, self.shape.rnn_type)
        decoder = Projection.of(self.network.decoder)
        waiting = iter(queries)
        # A stream is read once for all of them.
        while chunk := list(islice(waiting, None if self.stream else self.n_queries)):
            with torch.inference_mode(), full_precision():
                texts, roots = self._texts(chunk, layers)
                nats = iter(log_probabilities(texts, roots, layers, decoder))
            for query in chunk:
                answers = []
                for continuation in query.continuations:
                    oov = self._oov(continuation)
                    scored = islice(nats, len(oov) + query.ends)
                    bits = [0.0 if nat >= 0 else -nat / LN_2 for nat in scored]
                    answers.append(whole_words(bits, oov, ends=query.ends))
                yield Score(tuple(answers), sum(self._oov(query.prefix)))

    def _texts(
        self, queries: Sequence[Query], layers: RecurrentLayers
    ) -> tuple[list[IdContinuation], RecurrentStates]:
        """Return the text to read for each continuation of each query, and the states to begin
        from."""
        if self.stream is not None:
            pairs = [
                (
                    _entries(query.prefix),
                    tuple(_entries(continuation) for continuation in query.continuations),
                )
                for query in queries
            ]
            positions = locate(self.stream, pairs)
            texts = [
                IdContinuation(root, self._ids(continuation), 0)
                for root, query in enumerate(queries)
                for continuation in query.continuations
            ]
            sequence = self._ids(tuple(chain.from_iterable(self.stream.sentences)))
            return texts, states_after(self.network, sequence, positions)
        eos = self.ids[EOS]
        texts = [
            IdContinuation(0, prefix + self._ids(continuation) + (eos,) * query.ends, len(prefix))
            for query in queries
            for prefix in (self._ids(query.prefix),)
            for continuation in query.continuations
        ]
        if self.shape.order is None:
            nowhere = np.zeros(1, np.int64)
            return texts, layers.step(layers.zero(1), nowhere, nowhere + eos)
        n_context = self.shape.order - 1
        windows = []  # each wanted word with those before it in reach, fewer at the start of a text
        for text in texts:
            sequence = (eos, *text.ids)
            for index in range(text.start + 1, len(sequence)):
                window = sequence[max(0, index - n_context) : index + 1]
                windows.append(IdContinuation(0, window, len(window) - 1))
        return windows, layers.zero(1)

    def _ids(self, stretch: Stretch) -> tuple[int, ...]:
        unknown = self.ids[UNKNOWN]
        return tuple(self.ids.get(word, unknown) for word in _entries(stretch))

    def _oov(self, stretch: Stretch) -> tuple[bool, ...]:
        return tuple(word_id == self.ids[UNKNOWN] for word_id in self._ids(stretch))


def _entries(stretch: Stretch) -> tuple[str, ...]:
    return tuple(entry_word(word) for word in as_words(stretch))


def read_stream(path: Path) -> Stream:
    """Return the sentences of a text file, one a line, words at blanks; a missing `<eos>` is added.

    Raises `InputError` for a file without words.
    """
    lines = (line.replace("\t", " ").split(" ") for _, line in numbered_lines(path))
    sentences = [tuple(filter(None, words)) for words in lines]
    ended = tuple(words if words[-1] == EOS else (*words, EOS) for words in sentences if words)
    if not ended:
        raise InputError(str(path), "the file has no sentence", "one sentence a line", kind="empty")
    return Stream(str(path), ended, sha256_file(path))


def locate(stream: Stream, pairs: Sequence[tuple[Entries, Sequence[Entries]]]) -> list[int]:
    """For each prefix with its continuations how many words of the stream stand before these.

    Raises `InputError` for one that no sentence begins with, and for the stream's very first word,
    which the paper's script never predicts.
    """
    texts = [[prefix + tail for tail in continuations or ((),)] for prefix, continuations in pairs]
    lengths = {len(text) for group in texts for text in group}
    starts = accumulate(map(len, stream.sentences), initial=0)
    first_position: dict[tuple[str, ...], int] = {}
    for start, sentence in zip(starts, stream.sentences, strict=False):
        for length in lengths:
            if length <= len(sentence):
                first_position.setdefault(sentence[:length], start)
    positions = []
    for (prefix, _), group in zip(pairs, texts, strict=True):
        beginnings = [first_position[text] for text in group if text in first_position]
        if not beginnings:
            wrong = f"no sentence begins with {' '.join(group[0])!r}"
            right = "the text file of the suite that is scored"
            raise InputError(stream.location, wrong, right, kind="missing")
        positions.append(min(beginnings) + len(prefix))
        if positions[-1] == 0:
            wrong = "its first word is scored, but nothing precedes it"
            right = "recurrent:DIR without ?stream"
            raise InputError(stream.location, wrong, right, kind="unsupported")
    return positions


def states_after(network: Network, ids: Sequence[int], lengths: Sequence[int]) -> RecurrentStates:
    """Return the states of `network` after the first n of `ids`, for each n of `lengths` in order.

    The network reads as in the original script: batch 1, CHUNK words a call, each call cut where a
    state is wanted.
    """
    distinct = set(lengths)
    cuts = sorted({0, *distinct, *range(CHUNK, max(distinct, default=0), CHUNK)})
    saved: dict[int, State] = {}
    state: State | None = None
    for start, cut in pairwise(cuts):
        read = torch.tensor(ids[start:cut], device=network.decoder.weight.device).unsqueeze(1)
        _, state = network(read, state)
        if cut in distinct:
            saved[cut] = state
    chosen = [saved[length] for length in lengths]
    outputs = torch.cat([state if torch.is_tensor(state) else state[0] for state in chosen], dim=1)
    memories = [state[1] for state in chosen if not torch.is_tensor(state)]
    return RecurrentStates(outputs, torch.cat(memories, dim=1) if memories else outputs[..., :0])


def load(spec: str, options: LoadOptions) -> Recurrent:
    """Return the network of `spec`: a folder, or `FOLDER?stream=FILE`.

    Raises `InputError` for a folder that is incomplete, was changed, or does not fit together, and
    for options it cannot obey: it knows float32 only and was never without an `<eos>` in front.
    A word-boundary correction concerns subwords only: whole words are left as they are.
    """
    check_options(options, "a recurrent model")
    if options.bos not in ("auto", EOS):
        wrong = f"{options.bos!r} for a recurrent model, which learned from lines after {EOS}"
        raise InputError("bos", wrong, f"auto or {EOS}", kind="value")
    location = f"--model recurrent:{spec}"
    path, question, option = spec.partition("?")
    name, _, text = option.partition("=")
    if question and (name != "stream" or not text):
        right = f"{path}?stream=FILE"
        raise InputError(location, f"no such option {option!r}", right, kind="unknown")
    folder = read_model(existing(path, "recurrent", REMEDY), "recurrent")
    device = choose(options.device)
    shape, words = read_shape(folder.path)
    if text and shape.order is not None:
        wrong = "an n-gram network has no state to carry through a stream"
        raise InputError(location, wrong, f"recurrent:{path}", kind="unsupported")
    stream = read_stream(existing(text, "recurrent", "a text file")) if text else None
    network = read_network(folder.path, shape).to(device).eval()
    signature = signed(
        model="recurrent",
        files=folder.digest()[:SHORT],
        bos=EOS,
        mode="reset" if stream is None else f"stream {stream.digest[:SHORT]}",
        device=describe(device),
        dtype="float32",
        torch=torch.__version__,
    )
    ids = {word: n for n, word in enumerate(words)}
    return Recurrent(network, shape, ids, device, signature, stream)
