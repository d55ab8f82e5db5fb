"""Embedding, recurrent layers, decoder: the networks of Gulordava et al. (2018), for training.

The names of parameters and of `Shape`'s fields are those of colorlessgreenRNNs
(src/language_models/model.py), so that its checkpoints need no translation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeAlias

import torch
from annotated_types import Ge, Lt

CELLS: Mapping[str, Callable[..., torch.nn.RNNBase]] = {  # rnn_type → the layers
    "LSTM": torch.nn.LSTM,
    "GRU": torch.nn.GRU,
    "RNN_TANH": partial(torch.nn.RNN, nonlinearity="tanh"),  # the paper's sRNN
    "RNN_RELU": partial(torch.nn.RNN, nonlinearity="relu"),
}

Size: TypeAlias = Annotated[int, Ge(1), Lt(1 << 31)]
State: TypeAlias = torch.Tensor | tuple[torch.Tensor, torch.Tensor]
"""`(layers, batch, nhid)`; of an LSTM two of these, its output and its memory."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What `config.json` says of a network."""

    rnn_type: str  # one of CELLS
    ntoken: Size  # lines of the vocabulary
    ninp: Size  # width of the embedding
    nhid: Size  # width of each layer
    nlayers: Size
    dropout: Annotated[float, Ge(0), Lt(1)]  # on embeddings, between layers and on the output
    tied: bool  # whether the decoder's weights are the embedding's
    order: Annotated[int, Ge(2)] | None = None
    """Of an n-gram network: n; each word is predicted from the n − 1 before it, read from a zero
    state (the paper's 5-gram LSTM: 5). None: from all words before it."""


class Network(torch.nn.Module):
    """A network with the parameter names of colorlessgreenRNNs."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(shape.dropout)
        self.encoder = torch.nn.Embedding(shape.ntoken, shape.ninp)
        between = shape.dropout if shape.nlayers > 1 else 0.0
        layers = CELLS[shape.rnn_type]
        self.rnn = layers(shape.ninp, shape.nhid, shape.nlayers, dropout=between)
        self.decoder = torch.nn.Linear(shape.nhid, shape.ntoken)
        if shape.tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, ids: torch.Tensor, state: State | None = None) -> tuple[torch.Tensor, State]:
        """Hidden vectors `(time, batch, nhid)` after each of `ids` `(time, batch)`, and the state.

        Without `state` it starts from zeros. What stands behind a row's end changes nothing
        before it.
        """
        hidden, after = self.rnn(self.drop(self.encoder(ids)), state)
        return self.drop(hidden), after


def detached(state: State) -> State:
    """The state without its history: nothing is learned through it."""
    if isinstance(state, torch.Tensor):
        return state.detach()
    return state[0].detach(), state[1].detach()
