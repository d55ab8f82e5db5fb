"""Word-level recurrent networks, trained here by `train recurrent` or made by `convert`.

`recurrent:DIR` starts every query from a zero state that has read one `<eos>`, as at the start of
every line that the network was trained on. An n-gram network reads the last n − 1 words only.

`recurrent:DIR?stream=FILE` is the protocol of the paper's script (colorlessgreenRNNs,
src/language_models/evaluate_target_word.py): all sentences of the test file, each ended by `<eos>`,
are read in order by one network whose state begins at zero and is never reset, twenty words at a
time. A word's surprisal then depends on its place in the file, so each question is located there:
at the first sentence that begins with its prefix and one of its continuations.

Beginnings that several texts share are read once: the ids form a tree, and all nodes of one depth
are one batch. Each node takes the states of its parent and makes one step of every layer; only the
states of one depth are kept. The product of a state with the recurrent weights is computed once per
parent, that of a word's embedding with the first layer's weights once per distinct word. States
whose next word is scored are collected and projected onto the vocabulary together, without a matrix
of all logits.
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
from ..network import EOS, EXPECTED_FOLDER, Network, NetworkConfig, State, read_config, read_network
from ..torch_device import choose_device, device_kind, full_precision
from ..words import (
    DIGEST_DIGITS,
    UNKNOWN,
    check_options,
    entries_of,
    path_of,
    signature_of,
    whole_words,
)

NODES_PER_STEP = 1_024  # of the tree: 10 MiB of gates for 650 units, near a core's cache
STATES_PER_PROJECTION = 4_096  # collected before they are projected: 10 MiB for 650 units
# Of the block of logits that is held at once: 8 MiB, near a core's cache.
STATES_PER_BLOCK, WORDS_PER_BLOCK = 256, 8_192

Words: TypeAlias = tuple[str, ...]
LinearFunction: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""Vectors `(n, width)` → products with a weight matrix, `(n, rows of the matrix)`, float32"""


def linear_function(weight: torch.Tensor, bias: torch.Tensor) -> LinearFunction:
    """Return the function x ↦ x · weightᵀ + bias, for `weight` `(rows, width)` and `bias`
    `(rows,)`.

    It has no gradients. On a CPU it uses oneDNN if torch has it: torch's own choice is MKL, which
    keeps to AVX2 on processors that are not Intel's (220 against 95 GFLOP/s a core on an AMD EPYC
    with AVX-512, 256 × 650 × 8,192, torch 2.13).
    """
    weight, bias = weight.detach(), bias.detach()
    by_onednn = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if weight.device.type != "cpu" or by_onednn is None:
        return partial(torch.nn.functional.linear, weight=weight, bias=bias)
    return lambda vectors: by_onednn(vectors, weight, bias, "none", [], "")


@dataclass(frozen=True, slots=True)
class Projection:
    """The map from states to words' log-probabilities, in blocks of `WORDS_PER_BLOCK` words."""

    n_words: int
    blocks: tuple[LinearFunction, ...]  # each from states to the logits of its words

    @classmethod
    def from_decoder(cls, decoder: torch.nn.Linear) -> "Projection":
        """Return the projection by a network's decoder, whose weights are not copied."""
        starts = range(0, decoder.out_features, WORDS_PER_BLOCK)
        parts = [slice(start, start + WORDS_PER_BLOCK) for start in starts]
        blocks = tuple(linear_function(decoder.weight[part], decoder.bias[part]) for part in parts)
        return cls(decoder.out_features, blocks)

    def log_probabilities(
        self, hidden: torch.Tensor, state_of: Integers, words: Integers
    ) -> list[float]:
        """Return ln p of word `words[i]` after the state `hidden[state_of[i]]`, for each i.

        `hidden` is `(states, nhid)`; `state_of` must be ascending. Logits are float32, and a word's
        logit is the very number that entered its normaliser, so that p ≤ 1 however large they are.
        The normalisers of blocks are summed in float64.
        """
        values: list[float] = []
        for start in range(0, len(hidden), STATES_PER_BLOCK):
            pairs = slice(*np.searchsorted(state_of, (start, start + STATES_PER_BLOCK)))
            ids = torch.from_numpy(words[pairs]).to(hidden.device)
            rows = torch.from_numpy(state_of[pairs] - start).to(hidden.device)
            chosen = hidden.new_zeros(len(ids))  # the logit of each word
            normalisers = []  # one for each block, (states,)
            first_words = range(0, self.n_words, WORDS_PER_BLOCK)
            for first_word, block in zip(first_words, self.blocks, strict=True):
                logits = block(hidden[start : start + STATES_PER_BLOCK])
                columns = ids - first_word
                inside = ((columns >= 0) & (columns < WORDS_PER_BLOCK)).nonzero().squeeze(1)
                chosen[inside] = logits[rows[inside], columns[inside]]
                normalisers.append(logits.logsumexp(-1))
            normaliser = torch.stack(normalisers).double().logsumexp(0)
            values += (chosen.double() - normaliser[rows]).tolist()
        return values


@dataclass(frozen=True, slots=True)
class IdContinuation:
    """Ids to read from the initial state number `root`; those from index `start` on are scored."""

    root: int
    ids: tuple[int, ...]
    start: int


@dataclass(frozen=True, slots=True)
class RecurrentStates:
    """The states of a network after n texts, `(layers, n, nhid)` each: the layers' outputs, and the
    memory of an LSTM (of width 0 in other networks)."""

    output: torch.Tensor
    memory: torch.Tensor

    def at(self, indices: torch.Tensor) -> "RecurrentStates":
        """Return the states after m of the n texts, those at `indices` `(m,)`."""
        return RecurrentStates(self.output[:, indices], self.memory[:, indices])


def log_probabilities(
    texts: Sequence[IdContinuation],
    roots: RecurrentStates,
    layers: "RecurrentLayers",
    projection: Projection,
) -> list[float]:
    """Return ln p of every scored id, text by text; the texts form a tree, in which a beginning
    that several share is read once.

    `roots` are the initial states. A node of the tree is coded as one number, made of its parent
    and the id that it reads. Each pass of the loop handles one depth: it collects the states after
    which ids are scored, then reads the ids of the next nodes. The last id of a text is never read.
    """
    texts = [text for text in texts if text.start < len(text.ids)]
    ids = np.fromiter(chain.from_iterable(text.ids for text in texts), np.int64)
    lengths, firsts, nodes = np.array(
        [(len(text.ids), text.start, text.root) for text in texts], np.int64
    ).reshape(-1, 3).T  # fmt: skip
    starts = lengths.cumsum() - lengths  # where each text begins in `ids`
    slots = np.full(len(ids), -1)  # index in `values` of each scored id; −1: not scored
    waiting: list[tuple[torch.Tensor, Integers, Integers]] = []  # states, (state, word) pairs
    values: list[float] = []
    n_slots = n_waiting = 0  # ids to score so far, states that wait
    states = roots
    for depth in range(max(lengths, default=0)):
        longer = np.flatnonzero(lengths > depth)  # texts that have an id here
        keys = nodes[longer] * projection.n_words + ids[starts[longer] + depth]  # (node, id)
        is_scored = firsts[longer] <= depth
        scored_keys, slot = np.unique(keys[is_scored], return_inverse=True)
        slots[starts[longer[is_scored]] + depth] = n_slots + slot
        scored_nodes, scored_words = np.divmod(scored_keys, projection.n_words)
        used, state_of = np.unique(scored_nodes, return_inverse=True)
        hidden = states.output[-1, torch.from_numpy(used).to(states.output.device)]
        waiting.append((hidden, n_waiting + state_of, scored_words))
        n_slots, n_waiting = n_slots + len(scored_keys), n_waiting + len(used)
        goes_on = lengths[longer] > depth + 1
        keys, nodes[longer[goes_on]] = np.unique(keys[goes_on], return_inverse=True)
        if n_waiting >= STATES_PER_PROJECTION or not len(keys):
            hidden_parts, state_parts, word_parts = zip(*waiting, strict=True)
            values += projection.log_probabilities(
                torch.cat(hidden_parts), np.concatenate(state_parts), np.concatenate(word_parts)
            )
            waiting, n_waiting = [], 0
        if len(keys):
            parents, next_ids = np.divmod(keys, projection.n_words)
            states = layers.step(states, parents, next_ids)
    return [values[slot] for slot in slots[slots >= 0]]


@dataclass(frozen=True, slots=True)
class RecurrentLayers:
    """A network's layers, run one step at a time.

    A layer is two linear functions, of its input and of its last output, each from `(n, width)` to
    `(n, gates · nhid)` in torch's order of gates.
    """

    rnn_type: str
    embedding: torch.Tensor  # (ntoken, ninp)
    width: int  # nhid
    layers: tuple[tuple[LinearFunction, LinearFunction], ...]

    @classmethod
    def from_network(cls, network: Network, rnn_type: str) -> "RecurrentLayers":
        """Return the layers of a network, whose weights are not copied."""
        weights = dict(network.rnn.named_parameters())
        layers = tuple(
            (
                linear_function(weights[f"weight_ih_l{n}"], weights[f"bias_ih_l{n}"]),
                linear_function(weights[f"weight_hh_l{n}"], weights[f"bias_hh_l{n}"]),
            )
            for n in range(network.rnn.num_layers)
        )
        return cls(rnn_type, network.encoder.weight.detach(), network.rnn.hidden_size, layers)

    def zero(self, n: int) -> RecurrentStates:
        """Return n zero states, those before anything is read."""
        output = self.embedding.new_zeros(len(self.layers), n, self.width)
        has_memory = self.rnn_type == "LSTM"
        return RecurrentStates(output, torch.zeros_like(output if has_memory else output[..., :0]))

    def step(self, states: RecurrentStates, parents: Integers, ids: Integers) -> RecurrentStates:
        """Read one more id in each of n texts, and return the n new states: text i reads `ids[i]`
        after the state number `parents[i]` of `states`."""
        device = self.embedding.device
        used, parent_of = (
            torch.from_numpy(array).to(device) for array in np.unique(parents, return_inverse=True)
        )
        states = states.at(used)  # the others have no children
        recurrent = [
            from_output(output)
            for (_, from_output), output in zip(self.layers, states.output, strict=True)
        ]
        result = self.zero(len(ids))
        for start in range(0, len(ids), NODES_PER_STEP):
            span = slice(start, start + NODES_PER_STEP)
            parent = parent_of[span]
            words, word_of = np.unique(ids[span], return_inverse=True)
            inputs = self.embedding[torch.from_numpy(words).to(device)]
            for n, (from_input, _) in enumerate(self.layers):
                product = from_input(inputs)
                if n == 0:  # computed once per distinct word
                    product = product[torch.from_numpy(word_of).to(device)]
                previous = RecurrentStates(states.output[n, parent], states.memory[n, parent])
                output, memory = self._layer_step(product, recurrent[n][parent], previous)
                result.output[n, span], result.memory[n, span] = output, memory
                inputs = result.output[n, span]
        return result

    def _layer_step(
        self, of_input: torch.Tensor, of_output: torch.Tensor, previous: RecurrentStates
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a layer's output and memory after one step; overwrites the arguments.

        `of_input` and `of_output` are the products of its input and of its last output, with gates
        in the order i, f, g, o of torch.nn.LSTM, or r, z, n of torch.nn.GRU.
        """
        if self.rnn_type == "LSTM":
            input_gate, forget_gate, new, output_gate = of_input.add_(of_output).chunk(4, dim=1)
            retained = previous.memory.mul_(forget_gate.sigmoid_())
            memory = retained.addcmul_(input_gate.sigmoid_(), new.tanh_())
            return output_gate.sigmoid_().mul_(memory.tanh()), memory
        if self.rnn_type == "GRU":
            reset_in, update_in, new_in = of_input.chunk(3, dim=1)
            reset_out, update_out, new_out = of_output.chunk(3, dim=1)
            update = (update_in + update_out).sigmoid_()
            new = (new_in + (reset_in + reset_out).sigmoid_() * new_out).tanh_()
            return new.lerp_(previous.output, update), previous.memory
        total = of_input.add_(of_output)
        return total.tanh_() if self.rnn_type == "RNN_TANH" else total.relu_(), previous.memory


LN_2 = math.log(2)
QUERIES_PER_CHUNK = 8_192  # shared beginnings are read once, and batches are full
WORDS_PER_CALL = 20  # as in the paper's script; any other gives the same numbers but for rounding


@dataclass(frozen=True, slots=True)
class Stream:
    """A file's sentences, each ended by `<eos>`, and a digest of the file."""

    location: str
    sentences: tuple[Words, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A recurrent network that scores words."""

    network: Network
    config: NetworkConfig
    ids: Mapping[str, int]  # word → line number in the vocabulary, from 0
    device: torch.device
    signature: str
    stream: Stream | None = None
    unit: str = "words"
    n_queries: int = QUERIES_PER_CHUNK

    @property
    def end(self) -> str:
        """The end-of-sentence token that can be scored; "" with a stream, whose text has these
        tokens itself."""
        return EOS if self.stream is None else ""

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield one score for each query (a prefix and its continuations), in order. Raises
        `InputError` for a text that is not in the stream, if there is one."""
        layers = RecurrentLayers.from_network(self.network, self.config.rnn_type)
        projection = Projection.from_decoder(self.network.decoder)
        remaining = iter(queries)
        n_queries = None if self.stream else self.n_queries  # a stream is read once for all
        while chunk := list(islice(remaining, n_queries)):
            with torch.inference_mode(), full_precision():
                texts, roots = self._texts(chunk, layers)
                log_p = iter(log_probabilities(texts, roots, layers, projection))
            for query in chunk:
                answers = []
                for continuation in query.continuations:
                    oov = self._oov(continuation)
                    scored = islice(log_p, len(oov) + query.ends)
                    bits = [0.0 if nats >= 0 else -nats / LN_2 for nats in scored]
                    answers.append(whole_words(bits, oov, ends=query.ends))
                yield Score(tuple(answers), sum(self._oov(query.prefix)))

    def _texts(
        self, queries: Sequence[Query], layers: RecurrentLayers
    ) -> tuple[list[IdContinuation], RecurrentStates]:
        """Return the texts of ids to read and score, one for each continuation (but for each
        scored word in an n-gram network), and the states from which they begin."""
        eos = self.ids[EOS]
        texts = []
        for number, query in enumerate(queries):
            # in a stream the network has read the prefix, to a state of this query
            root, prefix = (number, ()) if self.stream else (0, self._ids(query.prefix))
            ending = (eos,) if query.ends else ()
            for continuation in query.continuations:
                ids = prefix + self._ids(continuation) + ending
                texts.append(IdContinuation(root, ids, len(prefix)))
        if self.stream is not None:
            sequence = self._ids(tuple(chain.from_iterable(self.stream.sentences)))
            return texts, states_after(self.network, sequence, locate(self.stream, queries))
        if self.config.order is None:
            zero = np.zeros(1, np.int64)  # number of the only state, from which `<eos>` is read
            return texts, layers.step(layers.zero(1), parents=zero, ids=zero + eos)
        n_context = self.config.order - 1
        windows = []  # each scored word, with up to n − 1 words before it
        for text in texts:
            sequence = (eos, *text.ids)
            for index in range(text.start + 1, len(sequence)):
                window = sequence[max(0, index - n_context) : index + 1]
                windows.append(IdContinuation(0, window, len(window) - 1))
        return windows, layers.zero(1)

    def _ids(self, stretch: Stretch) -> tuple[int, ...]:
        """Return the ids of a text's words, that of `<unk>` for unknown ones."""
        unknown = self.ids[UNKNOWN]
        return tuple(self.ids.get(word, unknown) for word in entries_of(stretch))

    def _oov(self, stretch: Stretch) -> tuple[bool, ...]:
        """Return for each word of a text whether the vocabulary lacks it."""
        return tuple(word_id == self.ids[UNKNOWN] for word_id in self._ids(stretch))


def read_stream(path: Path) -> Stream:
    """Read a text file with one sentence a line and words separated by blanks; return its
    sentences, each with `<eos>` added if that is not its last word.

    Raises `InputError` for a file without words.
    """
    lines = (line.replace("\t", " ").split(" ") for _, line in numbered_lines(path))
    sentences = (tuple(filter(None, words)) for words in lines)
    ended = tuple(words if words[-1] == EOS else (*words, EOS) for words in sentences if words)
    if not ended:
        raise InputError(str(path), "the file has no sentence", "one sentence a line", kind="empty")
    return Stream(str(path), ended, sha256_file(path)[:DIGEST_DIGITS])


def locate(stream: Stream, queries: Sequence[Query]) -> list[int]:
    """Return, for each query (a prefix and its continuations), the number of words that the stream
    has before the continuation, in the first sentence that begins with the prefix and one of them.

    Raises `InputError` if there is no such sentence, and for the very first word of the stream,
    which the paper's script never predicts.
    """
    prefixes = [entries_of(query.prefix) for query in queries]
    texts = [
        [prefix + entries_of(continuation) for continuation in query.continuations or ((),)]
        for prefix, query in zip(prefixes, queries, strict=True)
    ]
    lengths = {len(text) for group in texts for text in group}
    starts = accumulate(map(len, stream.sentences), initial=0)
    first_start: dict[Words, int] = {}  # beginning of a sentence → words before it
    for start, sentence in zip(starts, stream.sentences, strict=False):
        for length in lengths:
            if length <= len(sentence):
                first_start.setdefault(sentence[:length], start)
    positions = []
    for prefix, group in zip(prefixes, texts, strict=True):
        found = [first_start[text] for text in group if text in first_start]
        if not found:
            wrong = f"no sentence begins with {' '.join(group[0])!r}"
            right = "the text file of the suite that is scored"
            raise InputError(stream.location, wrong, right, kind="missing")
        position = min(found) + len(prefix)
        if position == 0:
            wrong = "its first word is scored, but nothing precedes it"
            right = "recurrent:DIR without ?stream"
            raise InputError(stream.location, wrong, right, kind="unsupported")
        positions.append(position)
    return positions


def states_after(network: Network, ids: Sequence[int], lengths: Sequence[int]) -> RecurrentStates:
    """Return the states of `network` after the first n of `ids`, for each n of `lengths` in order.

    The network reads as in the original script, `WORDS_PER_CALL` words a call in a batch of 1; a
    call ends early where a state is needed.
    """
    needed = set(lengths)
    cuts = sorted({0, *needed, *range(WORDS_PER_CALL, max(needed, default=0), WORDS_PER_CALL)})
    saved: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # length → output and memory
    state: State | None = None
    for start, cut in pairwise(cuts):
        read = torch.tensor(ids[start:cut], device=network.decoder.weight.device).unsqueeze(1)
        _, state = network(read, state)
        if cut in needed:
            saved[cut] = state if isinstance(state, tuple) else (state, state[..., :0])
    outputs, memories = zip(*(saved[length] for length in lengths), strict=True)
    return RecurrentStates(torch.cat(outputs, dim=1), torch.cat(memories, dim=1))


def load(spec: str, options: LoadOptions) -> Recurrent:
    """Return the scorer of the network that `spec` names: `FOLDER`, or `FOLDER?stream=FILE`.

    Raises `InputError` for a folder that is incomplete, was changed, or has files that do not
    belong together, and for options that it does not support (only float32, and only `<eos>` in
    front).
    """
    check_options(options, "a recurrent model")
    if options.bos not in ("auto", EOS):
        wrong = f"{options.bos!r} for a recurrent model, which learned from lines after {EOS}"
        raise InputError("bos", wrong, f"auto or {EOS}", kind="value")
    location = f"--model recurrent:{spec}"
    path, question_mark, option = spec.partition("?")
    name, _, text_file = option.partition("=")
    if question_mark and (name != "stream" or not text_file):
        right = f"{path}?stream=FILE"
        raise InputError(location, f"no such option {option!r}", right, kind="unknown")
    folder = read_model(path_of(path, "recurrent", EXPECTED_FOLDER), "recurrent")
    device = choose_device(options.device)
    config, words = read_config(folder.path)
    if text_file and config.order is not None:
        wrong = "an n-gram network has no state to carry through a stream"
        raise InputError(location, wrong, f"recurrent:{path}", kind="unsupported")
    stream = read_stream(path_of(text_file, "recurrent", "a text file")) if text_file else None
    network = read_network(folder.path, config).to(device).eval()
    signature = signature_of(
        model="recurrent",
        files=folder.digest(),
        bos=EOS,
        mode="reset" if stream is None else f"stream {stream.digest}",
        device=device_kind(device),
        dtype="float32",
        torch=torch.__version__,
    )
    ids = {word: n for n, word in enumerate(words)}
    return Recurrent(network, config, ids, device, signature, stream)
