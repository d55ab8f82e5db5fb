"""What is needed to go on with a training: weights, the optimiser's tensors, the epochs so far."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import safetensors
import safetensors.torch
import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, write_whole, write_whole_bytes
from colorless_green.scoring.training.curve import Epoch

STATE = "state.json"


class Trained(Protocol):
    """The part of a training that a checkpoint holds."""

    @property
    def identity(self) -> str:
        """A digest of text, options and seed: a checkpoint of another one is refused."""
        ...

    @property
    def module(self) -> torch.nn.Module: ...

    @property
    def optimiser(self) -> torch.optim.Optimizer: ...


def weights_name(epoch: int) -> str:
    """The weights as they were after `epoch` (from 0)."""
    return f"weights-{epoch}.safetensors"


def optimiser_name(epoch: int) -> str:
    """The optimiser's tensors as they were after `epoch` (from 0)."""
    return f"optimiser-{epoch}.safetensors"


def save(trained: Trained, place: Path, epochs: Sequence[Epoch], best: int) -> None:
    """Writes the checkpoint after the last of `epochs`, `state.json` last; then all is removed but
    this epoch's files and the weights of the epoch `best` (from 0)."""
    epoch = len(epochs) - 1
    weights = {name: value.detach() for name, value in trained.module.named_parameters()}
    tensors = {
        f"{nth}.{key}": value
        for nth, state in trained.optimiser.state_dict()["state"].items()
        for key, value in state.items()
        if isinstance(value, torch.Tensor)
    }
    for name, content in ((weights_name(epoch), weights), (optimiser_name(epoch), tensors)):
        with write_whole_bytes(place / name) as stream:
            stream.write(safetensors.torch.save(content))
    with write_whole(place / STATE) as text:
        json.dump({"identity": trained.identity, "epochs": [asdict(each) for each in epochs]}, text)
    kept = {STATE, weights_name(epoch), optimiser_name(epoch), weights_name(best)}
    for path in sorted(place.iterdir()):
        if path.name not in kept:
            path.unlink()


def restore(trained: Trained, place: Path) -> tuple[Epoch, ...]:
    """Puts the checkpoint in `place` into `trained`; its epochs, () where there is none."""
    if not (place / STATE).is_file():
        return ()
    try:
        state: dict[str, Any] = json.loads(read_text(place / STATE))
        epochs = tuple(Epoch(**each) for each in state["epochs"])
        if state["identity"] == trained.identity:
            load_weights(trained.module, place / weights_name(len(epochs) - 1))
            _load_optimiser(trained.optimiser, place / optimiser_name(len(epochs) - 1))
            return epochs
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError):
        raise InputError(
            str(place), "the checkpoint is damaged", "train without --resume", kind="format"
        ) from None
    raise InputError(
        str(place),
        "the checkpoint belongs to another text, seed, size or option",
        "the same ones, or train without --resume",
        kind="changed",
    )


def load_weights(module: torch.nn.Module, path: Path) -> None:
    """Puts the weights in a file of `save` into `module`."""
    found = safetensors.torch.load_file(path)
    with torch.no_grad():
        for name, value in module.named_parameters():
            value.copy_(found[name])


def _load_optimiser(optimiser: torch.optim.Optimizer, path: Path) -> None:
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in safetensors.torch.load_file(path).items():
        nth, _, key = name.partition(".")
        states.setdefault(int(nth), {})[key] = value
    groups = optimiser.state_dict()["param_groups"]
    optimiser.load_state_dict({"state": states, "param_groups": groups})
