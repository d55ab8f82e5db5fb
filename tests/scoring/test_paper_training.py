"""A component oracle: the paper's training against its script written out: one text, one loop,
plain SGD."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy

from colorless_green import Training
from colorless_green.scoring import train_one
from colorless_green.scoring.models.network import Network, NetworkConfig
from colorless_green.scoring.training._loop import repeatable
from colorless_green.scoring.training.recurrent import encode_shuffled, initialise
from tests.scoring.agreement_text import text

TEXT = text(150)
N_EPOCHS, ROWS, CHUNK, RATE, CLIP = 14, 4, 5, 20.0, 0.25


def batchified(ids: torch.Tensor, n_rows: int) -> torch.Tensor:
    """`batchify` of main.py: columns of a text, what does not fill the last place cut off."""
    length = len(ids) // n_rows
    return ids[: length * n_rows].view(n_rows, -1).t().contiguous()


def chunks(ids: torch.Tensor, n_rows: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return inputs and targets of every chunk, each `(time, n_rows)`."""
    inputs, targets = batchified(ids[:-1], n_rows), batchified(ids[1:], n_rows)
    starts = range(0, len(inputs), CHUNK)
    return [(inputs[at : at + CHUNK], targets[at : at + CHUNK]) for at in starts]


def by_the_script(
    network: Network, train_ids: torch.Tensor, held_out: torch.Tensor
) -> tuple[dict[str, torch.Tensor], list[float]]:
    """Return the kept weights and the held-out losses, as src/language_models/main.py has them."""
    best: dict[str, torch.Tensor] = {}
    losses: list[float] = []
    rate = RATE
    for _ in range(N_EPOCHS):
        state: Any = None
        for inputs, targets in chunks(train_ids, ROWS):
            if state is not None:
                state = tuple(each.detach() for each in state)
            network.zero_grad()
            output, state = network.rnn(network.encoder(inputs), state)
            loss = cross_entropy(network.decoder(output).flatten(0, 1), targets.flatten())
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP)
            for weight in network.parameters():
                assert weight.grad is not None
                weight.data.add_(weight.grad, alpha=-rate)
        total, state = 0.0, None
        with torch.no_grad():
            for inputs, targets in chunks(held_out, 10):
                output, state = network.rnn(network.encoder(inputs), state)
                logits = network.decoder(output).flatten(0, 1)
                total += len(inputs) * cross_entropy(logits, targets.flatten()).item()
        losses.append(total / len(batchified(held_out[:-1], 10)))
        if losses[-1] == min(losses):
            best = {name: value.detach().clone() for name, value in network.named_parameters()}
        else:
            rate /= 4.0
    return best, losses


@pytest.mark.slow
def test_a_network_by_streams_is_trained_as_the_papers_script_does(
    tmp_path: Path,
) -> None:
    training = Training(
        extends="gulordava2018", width=12, dropout=0.0, n_rows=ROWS, chunk=CHUNK, n_threads=1,
        epochs=N_EPOCHS, rate=RATE, clip=CLIP, vocabulary_size=40,  # the rest is unknown
    )  # fmt: skip
    made = train_one("recurrent", TEXT, tmp_path, training, seed=3, device="cpu")

    words = (tmp_path / "vocabulary.txt").read_text("utf-8").splitlines()
    ids = {word: number for number, word in enumerate(words)}
    assert len(words) == 42
    assert {"<unk>", "<eos>"} <= set(words)
    with repeatable(3, torch.device("cpu"), 1):
        network = initialise(Network(NetworkConfig("LSTM", 42, 12, 12, 2, 0.0, False)))
    sides = (encode_shuffled(lines, ids).ids.long() for lines in (TEXT.train, TEXT.held_out))
    weights, losses = by_the_script(network, *sides)

    assert made.card["held_out_nats"] == pytest.approx(losses, abs=1e-4)
    assert losses != sorted(losses, reverse=True)  # else no rate ever fell
    found = load_file(tmp_path / "weights.safetensors")
    assert found.keys() == weights.keys()
    for name, value in weights.items():
        torch.testing.assert_close(found[name], value, atol=1e-3, rtol=1e-3)
