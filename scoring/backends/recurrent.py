"""Word-level recurrent networks, trained here by `train recurrent` or made by `convert`.

`recurrent:DIR` starts every query from a zero state that has read one `<eos>`, as at the start of
every line the network was trained on; `recurrent:DIR?stream=FILE` carries the state through all of
FILE, as the paper's script does. An n-gram network knows no state but that of its last words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from colorless_green.data.errors import InputError
from colorless_green.scoring.batches import bits, chunks
from colorless_green.scoring.device import choose, describe, full_precision
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.recurrent.carried import (
    Cells,
    States,
    Text,
    cells,
    log_probabilities,
)
from colorless_green.scoring.recurrent.folder import (
    CONFIG,
    EOS,
    REMEDY,
    VOCABULARY,
    WEIGHTS,
    check_listed,
    read_network,
    read_shape,
    read_vocabulary,
    write_network,
)
from colorless_green.scoring.recurrent.network import Network, Shape
from colorless_green.scoring.recurrent.projection import projection
from colorless_green.scoring.recurrent.stream import Stream, located, read_stream, states
from colorless_green.scoring.training.folder import read_model
from colorless_green.scoring.words import (
    SHORT,
    UNKNOWN,
    as_words,
    entry_word,
    existing,
    signed,
    whole_words,
)

__all__ = ["EOS", "Network", "Recurrent", "Shape", "load", "write_network"]

N_QUERIES = 8_192  # looked at together: what they begin with is read once, and levels are full


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A network that scores words."""

    network: Network
    shape: Shape
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
        layers = cells(self.network, self.shape.rnn_type)
        decoder = projection(self.network.decoder)
        n_together = self.n_queries
        if self.stream is not None:  # one pass for all of them
            queries = list(queries)
            n_together = len(queries)
        for chunk in chunks(queries, n_together):
            with torch.inference_mode(), full_precision():
                texts, roots = self._asked(chunk, layers)
                found = log_probabilities(texts, roots, layers, decoder)
            yield from self._scores(chunk, found)

    def _asked(self, queries: Sequence[Query], layers: Cells) -> tuple[list[Text], States]:
        if self.stream is not None:
            return self._in_stream(self.stream, queries)
        if self.shape.order is not None:
            texts = [each for asked in self._pairs(queries) for each in self._windows(*asked)]
            return texts, layers.zero(1)
        texts = [Text(0, prefix + rest, len(prefix)) for prefix, rest in self._pairs(queries)]
        nowhere = torch.zeros(1, dtype=torch.long, device=self.device)
        return texts, layers.step(layers.zero(1), nowhere, nowhere + self.ids[EOS])

    def _in_stream(self, stream: Stream, queries: Sequence[Query]) -> tuple[list[Text], States]:
        asked = [
            (_entries(query.prefix), tuple(_entries(each) for each in query.continuations))
            for query in queries
        ]
        places = located(stream, asked)
        texts = [
            Text(root, self._ids(continuation), 0)
            for root, query in enumerate(queries)
            for continuation in query.continuations
        ]
        return texts, states(self.network, self._ids(stream.words()), places)

    def _windows(self, prefix: tuple[int, ...], rest: tuple[int, ...]) -> Iterator[Text]:
        """Each wanted word with the order − 1 words before it, fewer at the start of a text."""
        assert self.shape.order is not None
        reach = self.shape.order - 1
        whole = (self.ids[EOS], *prefix, *rest)
        for index in range(len(prefix) + 1, len(whole)):
            window = whole[max(0, index - reach) : index + 1]
            yield Text(0, window, len(window) - 1)

    def _pairs(self, queries: Sequence[Query]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Prefix and continuation of all questions, as ids."""
        for query in queries:
            prefix = self._ids(query.prefix)
            for continuation in query.continuations:
                yield prefix, self._ids(continuation) + (self.ids[EOS],) * query.ends

    def _scores(
        self, queries: Sequence[Query], found: Iterable[tuple[float, ...]]
    ) -> Iterator[Score]:
        nats = (each for values in found for each in values)  # one by one: windows are texts too
        for query in queries:
            answers = tuple(
                self._surprisals(each, nats, query.ends) for each in query.continuations
            )
            yield Score(answers, sum(self._oov(query.prefix)))

    def _surprisals(self, continuation: Stretch, nats: Iterator[float], ends: bool) -> Surprisals:
        oov = self._oov(continuation)
        found = bits([next(nats) for _ in range(len(oov) + ends)])
        return whole_words(found, oov, ends=ends)

    def _ids(self, stretch: Stretch) -> tuple[int, ...]:
        unknown = self.ids[UNKNOWN]
        return tuple(self.ids.get(word, unknown) for word in _entries(stretch))

    def _oov(self, stretch: Stretch) -> tuple[bool, ...]:
        return tuple(each == self.ids[UNKNOWN] for each in self._ids(stretch))


def _entries(stretch: Stretch) -> tuple[str, ...]:
    return tuple(entry_word(word) for word in as_words(stretch))


def load(spec: str, options: LoadOptions) -> Recurrent:
    """The network of `spec`: a folder, or `FOLDER?stream=FILE`.

    Raises `InputError` for a folder that is incomplete, was changed, or does not fit together, and
    for options it cannot obey: it knows float32 only and was never without an `<eos>` in front.
    A word-boundary correction concerns subwords only: whole words are left as they are.
    """
    _check_options(options)
    where, text = _parts(spec)
    folder = read_model(existing(where, "recurrent", REMEDY), "recurrent")
    check_listed(folder.path)
    device = choose(options.device)
    words = read_vocabulary(folder.path / VOCABULARY)
    shape = read_shape(folder.path / CONFIG, len(words))
    if text is not None and shape.order is not None:
        raise InputError(
            f"--model recurrent:{spec}",
            "an n-gram network has no state to carry through a stream",
            f"recurrent:{where}",
            kind="unsupported",
        )
    stream = None if text is None else read_stream(existing(text, "recurrent", "a text file"))
    network = read_network(folder.path / WEIGHTS, shape).to(device).eval()
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


def _parts(spec: str) -> tuple[str, str | None]:
    """Folder and stream of a spec."""
    where, question, option = spec.partition("?")
    name, equals, value = option.partition("=")
    if not question:
        return where, None
    if name != "stream" or not equals or not value:
        raise InputError(
            f"--model recurrent:{spec}",
            f"no such option {option!r}",
            f"{where}?stream=FILE",
            kind="unknown",
        )
    return where, value


def _check_options(options: LoadOptions) -> None:
    if options.dtype != "float32":
        raise InputError(
            "--dtype",
            f"{options.dtype!r} for a recurrent model, which has no choice of it",
            "float32",
            kind="value",
        )
    if options.bos not in ("auto", EOS):
        raise InputError(
            "--bos",
            f"{options.bos!r} for a recurrent model, which learned from lines after {EOS}",
            f"auto or {EOS}",
            kind="value",
        )
