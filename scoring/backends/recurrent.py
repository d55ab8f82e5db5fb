"""Word-level recurrent networks, trained here by `train recurrent` or converted to the same files.

A folder holds `config.json` (the names of colorlessgreenRNNs, src/language_models/model.py),
`vocabulary.txt` (one word a line, spelt as in `scoring/words.py`; its line number from 0 is its id;
`<unk>` and `<eos>` are ordinary lines) and `weights.safetensors`. Every query starts from a zero
state that has read one `<eos>`, as at the start of every line the network was trained on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import (
    MANIFEST,
    numbered_lines,
    read_text,
    write_whole,
    write_whole_bytes,
)
from colorless_green.scoring.batches import (
    Chain,
    Row,
    bits,
    chunks,
    log_probabilities,
    padded,
    projected,
)
from colorless_green.scoring.device import choose, describe, full_precision
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
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

CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.txt", "weights.safetensors"
EOS = "<eos>"
REMEDY = "a folder made by colorless train recurrent"
N_QUERIES = 2_048  # looked at together: enough to share prefixes and to fill batches
BUDGET = 8_192  # words a batch
LOGITS = 1 << 24  # projected at once: 64 MiB of float32


@dataclass(frozen=True, slots=True)
class Shape:
    """What `config.json` says of a network."""

    rnn_type: str  # "LSTM"
    ntoken: int  # lines of the vocabulary
    ninp: int  # width of the embedding
    nhid: int  # width of each layer
    nlayers: int
    dropout: float  # on embeddings, between layers and on the output, in training only
    tied: bool  # whether the decoder's weights are the embedding's


class Network(torch.nn.Module):
    """Embedding, LSTM, decoder, with the parameter names of colorlessgreenRNNs."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        between = shape.dropout if shape.nlayers > 1 else 0.0
        self.drop = torch.nn.Dropout(shape.dropout)
        self.encoder = torch.nn.Embedding(shape.ntoken, shape.ninp)
        self.rnn = torch.nn.LSTM(shape.ninp, shape.nhid, shape.nlayers, dropout=between)
        self.decoder = torch.nn.Linear(shape.nhid, shape.ntoken)
        if shape.tied:
            self.decoder.weight = self.encoder.weight

    def forward(
        self, ids: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        """Hidden vectors `(time, batch, nhid)` after each of `ids` `(time, batch)`, and the state.

        Without `state` it starts from zeros. What stands behind a row's end changes nothing
        before it.
        """
        hidden, state = self.rnn(self.drop(self.encoder(ids)), state)
        return self.drop(hidden), state


@dataclass(frozen=True, slots=True)
class Recurrent:
    """A network that scores words."""

    network: Network
    ids: Mapping[str, int]  # word to line of the vocabulary
    device: torch.device
    signature: str
    unit: str = "words"
    budget: int = BUDGET

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; raises `InputError` where a number is none."""
        for chunk in chunks(queries, N_QUERIES):
            yield from self._score(chunk)

    def _score(self, queries: Sequence[Query]) -> Iterator[Score]:
        chains = [
            self._chain(query.prefix, continuation)
            for query in queries
            for continuation in query.continuations
        ]
        answers = iter(log_probabilities(chains, self._answer, self.budget))
        for query in queries:
            found = tuple(self._surprisals(each, next(answers)) for each in query.continuations)
            yield Score(found, sum(self._oov(query.prefix)))

    def _chain(self, prefix: Stretch, continuation: Stretch) -> Chain:
        before = (self.ids[EOS], *self._ids(prefix))
        return Chain((*before, *self._ids(continuation)), len(before))

    def _ids(self, stretch: Stretch) -> tuple[int, ...]:
        unknown = self.ids[UNKNOWN]
        return tuple(self.ids.get(entry_word(word), unknown) for word in as_words(stretch))

    def _oov(self, stretch: Stretch) -> tuple[bool, ...]:
        return tuple(each == self.ids[UNKNOWN] for each in self._ids(stretch))

    def _surprisals(self, continuation: Stretch, nats: Sequence[float]) -> Surprisals:
        return whole_words(bits(nats), self._oov(continuation))

    def _answer(self, rows: Sequence[Row]) -> list[float]:
        with torch.inference_mode(), full_precision():
            ids, _ = padded(rows, self.device)
            hidden, _ = self.network(ids.T)
            n_at_once = max(1, LOGITS // len(self.ids))
            return projected(hidden.transpose(0, 1), rows, self.network.decoder, n_at_once)


def load(spec: str, options: LoadOptions) -> Recurrent:
    """The network in the folder `spec`.

    Raises `InputError` for a folder that is incomplete, was changed, or does not fit together, and
    for options it cannot obey: it knows float32 only and was never without an `<eos>` in front.
    A word-boundary correction concerns subwords only: whole words are left as they are.
    """
    _check_options(options)
    folder = read_model(existing(spec, "recurrent", REMEDY), "recurrent")
    _check_listed(folder.path)
    device = choose(options.device)
    words = read_vocabulary(folder.path / VOCABULARY)
    shape = read_shape(folder.path / CONFIG, len(words))
    network = read_network(folder.path / WEIGHTS, shape).to(device).eval()
    signature = signed(
        model="recurrent",
        files=folder.digest()[:SHORT],
        bos=EOS,
        device=describe(device),
        dtype="float32",
        torch=torch.__version__,
    )
    return Recurrent(network, {word: n for n, word in enumerate(words)}, device, signature)


def _check_options(options: LoadOptions) -> None:
    if options.dtype != "float32":
        raise InputError(
            "--dtype",
            f"{options.dtype!r} for a recurrent model, which has no choice of it",
            "float32",
        )
    if options.bos not in ("auto", "always"):
        raise InputError(
            "--bos",
            f"{options.bos!r} for a recurrent model, which learned from lines after {EOS}",
            "auto or always",
        )


def _check_listed(folder: Path) -> None:
    """The manifest stands for the weights in the signature, so it must know them."""
    listed = json.loads(read_text(folder / MANIFEST))["files"]
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if name not in listed:
            raise InputError(str(folder), f"its {MANIFEST} does not list {name}", REMEDY)


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The words of a vocabulary file by their ids.

    Raises `InputError` where a line is empty or comes twice, or `<unk>` or `<eos>` is missing.
    """
    words: dict[str, int] = {}
    for number, line in numbered_lines(path):
        word = entry_word(line)
        if not word:
            raise InputError(f"{path}:{number}", "the line is empty", "one word a line")
        if word in words:
            raise InputError(
                f"{path}:{number}", f"{word!r} stands on line {words[word]} too", "every word once"
            )
        words[word] = number
    for needed in (UNKNOWN, EOS):
        if needed not in words:
            raise InputError(str(path), f"{needed!r} is missing", "a line for each of <unk>, <eos>")
    return tuple(words)


def read_shape(path: Path, n_words: int) -> Shape:
    """The checked `config.json` of a network with a vocabulary of `n_words`."""
    try:
        found: Any = json.loads(read_text(path))
        shape = Shape(**{field.name: found[field.name] for field in fields(Shape)})
    except (ValueError, TypeError, KeyError):
        raise InputError(str(path), "this is no network's shape", REMEDY) from None
    sizes = (shape.ntoken, shape.ninp, shape.nhid, shape.nlayers)
    if shape.rnn_type != "LSTM":
        raise InputError(str(path), f"rnn_type is {shape.rnn_type!r}", "LSTM")
    if not all(type(size) is int and size > 0 for size in sizes):
        raise InputError(
            str(path), f"sizes are {', '.join(map(str, sizes))}", "whole numbers above 0"
        )
    if type(shape.dropout) not in (int, float) or not 0 <= shape.dropout < 1:
        raise InputError(str(path), f"dropout is {shape.dropout!r}", "a number from 0 to below 1")
    if shape.tied not in (True, False) or (shape.tied and shape.ninp != shape.nhid):
        raise InputError(
            str(path),
            f"tied is {shape.tied!r}, ninp {shape.ninp}, nhid {shape.nhid}",
            "true or false, and equal widths if true",
        )
    if shape.ntoken != n_words:
        raise InputError(
            str(path),
            f"ntoken is {shape.ntoken}, but {VOCABULARY} has {n_words} lines",
            "as many as there are lines",
        )
    return shape


def read_network(path: Path, shape: Shape) -> Network:
    """The network with its weights, each of which must be there, of the right shape and finite.

    Only safetensors are read; a pickle is refused unopened, whatever the file is called.
    """
    with torch.device("meta"):  # shapes only: a wrong config.json costs no memory
        network = Network(shape)
    try:
        found = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", REMEDY) from None
    except safetensors.SafetensorError as error:
        raise InputError(str(path), f"not a safetensors file ({error})", REMEDY) from None
    wanted = {name: tuple(value.shape) for name, value in network.named_parameters()}
    shapes = {name: tuple(value.shape) for name, value in found.items()}
    if shapes != wanted:
        raise InputError(str(path), _difference(shapes, wanted), f"the weights {CONFIG} speaks of")
    for name, value in found.items():
        if value.dtype != torch.float32 or not value.isfinite().all():
            raise InputError(str(path), f"{name} is not finite float32", REMEDY)
    if shape.tied:
        found["decoder.weight"] = found["encoder.weight"]
    network.load_state_dict(found, assign=True)
    if shape.tied:
        network.decoder.weight = network.encoder.weight
    return network


Shapes = Mapping[str, tuple[int, ...]]


def _difference(found: Shapes, wanted: Shapes) -> str:
    name = sorted(set(found.items()) ^ set(wanted.items()))[0][0]
    if name not in wanted:
        return f"an unknown tensor {name!r}"
    if name not in found:
        return f"no tensor {name!r}"
    return f"{name} has the shape {found[name]}, not {wanted[name]}"


def write_network(folder: Path, network: Network, shape: Shape, words: Sequence[str]) -> list[str]:
    """Writes the three files that `load` reads; their names."""
    tensors = {name: value.detach().cpu() for name, value in network.named_parameters()}
    with write_whole_bytes(folder / WEIGHTS) as stream:
        stream.write(safetensors.torch.save(tensors))
    with write_whole(folder / CONFIG) as text:
        json.dump(asdict(shape), text, indent=1)
        text.write("\n")
    with write_whole(folder / VOCABULARY) as text:
        text.writelines(f"{word}\n" for word in words)
    return [CONFIG, VOCABULARY, WEIGHTS]
