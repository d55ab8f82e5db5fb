"""Whole-module checkpoints as PyTorch's word_language_model saves them, with random weights."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

WORDS = (
    "<unk>",
    "<eos>",
    "the",
    "key",
    "keys",
    "to",
    "cabinet",
    "is",
    "are",
    "here",
    "con\u00a0gái",
    ".",
)


class RNNModel(torch.nn.Module):
    """Attributes as in colorlessgreenRNNs, src/language_models/model.py."""

    def __init__(self, kind: str, ninp: int, nhid: int, nlayers: int, tied: bool) -> None:
        super().__init__()
        self.drop = torch.nn.Dropout(0.25)
        self.encoder = torch.nn.Embedding(len(WORDS), ninp)
        if kind in ("LSTM", "GRU"):
            self.rnn = getattr(torch.nn, kind)(ninp, nhid, nlayers, dropout=0.25)
        else:
            mode = kind.removeprefix("RNN_").lower()
            self.rnn = torch.nn.RNN(ninp, nhid, nlayers, nonlinearity=mode, dropout=0.25)
        self.decoder = torch.nn.Linear(nhid, len(WORDS))
        if tied:
            self.decoder.weight = self.encoder.weight
        self.rnn_type, self.nhid, self.nlayers = kind, nhid, nlayers

    def forward(self, ids: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        """Logits `(time, vocabulary)` after each of `ids` `(time,)`, and the state."""
        hidden, after = self.rnn(self.encoder(ids), state)
        return self.decoder(hidden), after


@contextmanager
def module_called_model() -> Iterator[None]:
    """Within it the class is `model.RNNModel`, as in the published files."""
    module: Any = ModuleType("model")
    before, module.RNNModel = RNNModel.__module__, RNNModel
    module.__file__ = __file__  # the older format puts a class's source into the file
    sys.modules["model"], RNNModel.__module__ = module, "model"
    try:
        yield
    finally:
        RNNModel.__module__ = before
        del sys.modules["model"]


def tensors(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Its weights by name; the decoder's left out if they are the embedding's."""
    return {name: value.detach() for name, value in model.named_parameters()}


def checkpoint(
    path: Path,
    kind: str = "LSTM",
    *,
    tied: bool = False,
    zipped: bool = False,
    fill: Callable[[torch.nn.Module], None] = lambda model: None,
) -> dict[str, torch.Tensor]:
    """Write a checkpoint; its weights."""
    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        model = RNNModel(kind, 6, 6 if tied else 7, 2, tied)
    fill(model)
    with module_called_model():
        torch.save(model, path, _use_new_zipfile_serialization=zipped)
    return tensors(model)


def vocabulary(path: Path) -> Path:
    """Return the vocabulary of such a checkpoint, in the published form."""
    path.write_text("".join(f"{each.replace(chr(0xA0), '')}\n" for each in WORDS), "utf-8")
    return path
