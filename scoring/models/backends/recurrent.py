"""Word-level recurrent networks, trained here by `train recurrent` or made by `convert`.

`recurrent:DIR` starts every query from a zero state that has read one `<eos>`, as at the start of
every line the network was trained on. An n-gram network knows no state but that of its last words.

`recurrent:DIR?stream=FILE` is the protocol of the paper's script (colorlessgreenRNNs,
src/language_models/evaluate_target_word.py): all sentences of the test file, each ended by `<eos>`,
are read in their order by one network that begins at zero and is never reset, twenty words at a
time. What a word costs depends on where in the file it stands, so a question is looked up there:
the first sentence that begins with its prefix and one of its continuations.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch

from ....data.errors import InputError
from ....data.files import numbered_lines, sha256_file
from ...questions.query import LoadOptions, Query, Score, Stretch
from ..model_folder import read_model
from ..recurrent.network import EOS, REMEDY, Network, NetworkConfig, State, read_network, read_shape
from ..recurrent.state_cache import (
    IdContinuation,
    Projection,
    RecurrentLayers,
    RecurrentStates,
    log_probabilities,
)
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
