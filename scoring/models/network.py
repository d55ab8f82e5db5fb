"""The recurrent networks of Gulordava et al. (2018), embedding, layers and decoder; their folders.

The names of parameters and of `NetworkConfig`'s fields are those of colorlessgreenRNNs
(src/language_models/model.py), so that its checkpoints need no translation. On disk a network is
`config.json` with the fields of `NetworkConfig`, `vocabulary.txt`, and `weights.safetensors`. The
vocabulary has one word a line, spelt as in `scoring/models/words.py`; a word's id is its line
number from 0. `<unk>` and `<eos>` are ordinary lines.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import safetensors
import safetensors.torch
import torch
from annotated_types import Ge, Lt

from ...data.errors import InputError
from ...data.files import MANIFEST, numbered_lines, read_text, write_whole, write_whole_bytes
from ...data.records import parse_json
from ...data.registry import nearest
from ...data.validate import validate_record
from .words import UNKNOWN, entry_word

CONFIG, VOCABULARY, WEIGHTS = FILES = ("config.json", "vocabulary.txt", "weights.safetensors")
EOS = "<eos>"
EXPECTED_FOLDER = "a folder made by colorless train recurrent or colorless convert"
WEIGHTS_PER_LAYER = 4  # matrix and bias for a layer's input, and for its last output
LAYER_TYPES: Mapping[str, Callable[..., torch.nn.RNNBase]] = {  # rnn_type → maker of its layers
    "LSTM": torch.nn.LSTM,
    "GRU": torch.nn.GRU,
    "RNN_TANH": partial(torch.nn.RNN, nonlinearity="tanh"),  # the paper's sRNN
    "RNN_RELU": partial(torch.nn.RNN, nonlinearity="relu"),
}

Size: TypeAlias = Annotated[int, Ge(1), Lt(1 << 31)]
State: TypeAlias = torch.Tensor | tuple[torch.Tensor, torch.Tensor]
"""A recurrent state `(layers, batch, nhid)`; for an LSTM two of these, output and memory"""


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """The configuration of a network, with the fields of `config.json`."""

    rnn_type: str  # one of LAYER_TYPES
    ntoken: Size  # lines of the vocabulary
    ninp: Size  # width of the embedding
    nhid: Size  # width of each layer
    nlayers: Size
    dropout: Annotated[float, Ge(0), Lt(1)]  # on embeddings, between layers and on the output
    tied: bool  # whether the decoder's weights are the embedding's
    order: Annotated[int, Ge(2)] | None = None
    """The n of an n-gram network, which predicts each word from the n − 1 before it, read from a
    zero state (the paper's 5-gram LSTM: 5). None: each word is predicted from all before it."""


class Network(torch.nn.Module):
    """A network with the parameter names of colorlessgreenRNNs."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(config.dropout)
        self.encoder = torch.nn.Embedding(config.ntoken, config.ninp)
        layer_dropout = config.dropout if config.nlayers > 1 else 0.0
        make_layers = LAYER_TYPES[config.rnn_type]
        self.rnn = make_layers(config.ninp, config.nhid, config.nlayers, dropout=layer_dropout)
        self.decoder = torch.nn.Linear(config.nhid, config.ntoken)
        if config.tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, ids: torch.Tensor, state: State | None = None) -> tuple[torch.Tensor, State]:
        """Return the hidden vectors `(time, batch, nhid)` after each of `ids` `(time, batch)`, and
        the last state.

        It starts from `state`, or from zeros. Padding after the end of a sequence changes nothing
        before it.
        """
        hidden, new_state = self.rnn(self.drop(self.encoder(ids)), state)
        return self.drop(hidden), new_state


def check_special_words(words: Collection[str], path: Path) -> None:
    """Raise `InputError` if a vocabulary lacks `<unk>` or `<eos>`, which every network needs."""
    for needed in (UNKNOWN, EOS):
        if needed not in words:
            right = "a line for each of <unk>, <eos>"
            raise InputError(str(path), f"{needed!r} is missing", right, kind="missing")


def check_config(config: NetworkConfig, location: str) -> None:
    """Raise `InputError` for a configuration with an invalid value, an unknown type of layer, or
    widths that differ although the decoder shares the embedding's weights (`tied`)."""
    validate_record(NetworkConfig, asdict(config), location)
    if config.rnn_type not in LAYER_TYPES:
        right = nearest(config.rnn_type, LAYER_TYPES)
        raise InputError(location, f"rnn_type is {config.rnn_type!r}", right, kind="unknown")
    if config.tied and config.ninp != config.nhid:
        wrong = f"ninp {config.ninp} and nhid {config.nhid} of a tied network"
        raise InputError(location, wrong, "equal widths, or tied: false", kind="conflict")


def read_config(folder: Path) -> tuple[NetworkConfig, tuple[str, ...]]:
    """Read the configuration of a network; return it, and the words of the vocabulary in the order
    of their ids.

    Raises `InputError` if they are invalid or do not fit together, or if the manifest does not list
    all files (its digest identifies the weights in the signature).
    """
    listed = json.loads(read_text(folder / MANIFEST))["files"]
    for name in FILES:
        if name not in listed:
            wrong = f"its {MANIFEST} does not list {name}"
            raise InputError(str(folder), wrong, EXPECTED_FOLDER, kind="format")
    line_of: dict[str, int] = {}  # word → number of its line
    for number, line in numbered_lines(folder / VOCABULARY):
        word, line_location = entry_word(line), f"{folder / VOCABULARY}:{number}"
        if not word or word in line_of:
            wrong = f"{word!r} stands on line {line_of[word]} too" if word else "the line is empty"
            raise InputError(line_location, wrong, "each word once, one a line", kind="format")
        line_of[word] = number
    check_special_words(line_of, folder / VOCABULARY)
    location = str(folder / CONFIG)
    facts = parse_json(read_text(folder / CONFIG), location, EXPECTED_FOLDER)
    if not isinstance(facts, dict):
        wrong = "this is not the configuration of a network"
        raise InputError(location, wrong, EXPECTED_FOLDER, kind="format")
    config = validate_record(NetworkConfig, facts, location)
    check_config(config, location)
    if config.ntoken != len(line_of):
        wrong = f"ntoken is {config.ntoken}, but {VOCABULARY} has {len(line_of)} lines"
        raise InputError(location, wrong, "as many as there are lines", kind="conflict")
    return config, tuple(line_of)


def read_network(folder: Path, config: NetworkConfig) -> Network:
    """Read a network with its weights. Raises `InputError` if one is missing, has another shape or
    is not finite.

    Only safetensors are read; a pickle is refused unopened, whatever its name.
    """
    location = str(folder / WEIGHTS)
    try:
        tensors = safetensors.torch.load_file(folder / WEIGHTS)
    except FileNotFoundError:
        raise InputError(
            location, "there is no such file", EXPECTED_FOLDER, kind="missing"
        ) from None
    except safetensors.SafetensorError as error:
        wrong = f"not a safetensors file ({error})"
        raise InputError(location, wrong, EXPECTED_FOLDER, kind="format") from None
    sizes = {name: tuple(value.shape) for name, value in tensors.items()}
    network = fitting_network(sizes, config, location, f"the weights {CONFIG} speaks of")
    for name, value in tensors.items():
        if value.dtype != torch.float32 or not value.isfinite().all():
            raise InputError(
                location, f"{name} is not finite float32", EXPECTED_FOLDER, kind="format"
            )
    if config.tied:  # the file has the shared weights once, the network expects both names
        tensors["decoder.weight"] = tensors["encoder.weight"]
    network.load_state_dict(tensors, assign=True)
    if config.tied:  # loading has made two parameters of them
        network.decoder.weight = network.encoder.weight
    return network


def fitting_network(
    sizes: Mapping[str, tuple[int, ...]], config: NetworkConfig, location: str, right: str
) -> Network:
    """Return a network whose weights have shapes but no values yet (on torch's meta device), after
    a check that `sizes`, the shapes of the weights in a file, are those of a network of `config`.

    A tied network has no decoder weights of its own. `right` is what the message suggests. Raises
    `InputError` with the first weight that is missing, unknown or of another size.
    """
    if WEIGHTS_PER_LAYER * config.nlayers > len(sizes):  # the number of layers may be absurd
        wrong = f"{len(sizes)} tensors for {config.nlayers} layers"
        raise InputError(location, wrong, right, kind="format")
    with torch.device("meta"):
        network = Network(config)
    expected = {name: tuple(value.shape) for name, value in network.named_parameters()}
    for name in sorted(sizes.keys() ^ expected.keys()):
        if name in sizes:
            raise InputError(location, f"an unknown tensor {name!r}", right, kind="unknown")
        raise InputError(location, f"no tensor {name!r}", right, kind="format")
    for name in sorted(expected):
        if sizes[name] != expected[name]:
            wrong = f"{name} has the shape {sizes[name]}, not {expected[name]}"
            raise InputError(location, wrong, right, kind="format")
    return network


def write_network(
    folder: Path, tensors: Mapping[str, torch.Tensor], config: NetworkConfig, words: Sequence[str]
) -> list[str]:
    """Write the three files of a network (`FILES`) to a folder, and return the files' names.

    `tensors` are the network's parameters by name, `words` its vocabulary in the order of ids.
    """
    weights = {name: value.detach().cpu() for name, value in tensors.items()}
    with write_whole_bytes(folder / WEIGHTS) as stream:
        stream.write(safetensors.torch.save(weights))
    with write_whole(folder / CONFIG) as text:
        json.dump(asdict(config), text, indent=1)
        text.write("\n")
    with write_whole(folder / VOCABULARY) as text:
        text.writelines(f"{word}\n" for word in words)
    return list(FILES)
