"""How a causal Transformer is read: rows in, log-probabilities of what is wanted out.

Texts that begin alike share a row where the model allows it (`trie.py`, `packed.py`); where it
does not, each distinct one is a row of its own, padded on the right, which is exact for every
causal model. Which of the two it is was found out at load (`selftest.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from colorless_green.scoring.batches import Chain, Row, batches, padded, shared_rows
from colorless_green.scoring.device import full_precision
from colorless_green.scoring.memory import Memory, within
from colorless_green.scoring.packed import pack
from colorless_green.scoring.projection import Head, Projection
from colorless_green.scoring.trie import Grove, plant

MASK_CELLS = 1 << 26  # of a batch: 256 MiB of float32


@dataclass(frozen=True, slots=True)
class Reader:
    """A model, and how it may be read."""

    model: Any
    head: Head | None  # None: only the model as a whole makes its logits
    n_ids: int  # how many the model knows
    n_logits: int  # how many it answers with; some pad their vocabulary, and that counts
    packs_to: int  # how many ids a row of texts that begin alike may have; 0: none
    why: str  # not more: "" where nothing stands against it
    crossover: float  # see `trie.plant`
    device: torch.device
    memory: Memory
    sets: torch.Tensor | None = None  # (vocabulary, n), see `projection.Projection`


def answers(reader: Reader, chains: Sequence[Chain]) -> list[tuple[float, ...]]:
    """For each chain ln p of each thing it wants, in order.

    What several chains want is computed once, so that equal questions get equal answers.
    """
    near = [n for n, each in enumerate(chains) if len(each.read()) <= reader.packs_to]
    far = [n for n, each in enumerate(chains) if len(each.read()) > reader.packs_to]
    found: dict[int, tuple[float, ...]] = {}
    with torch.inference_mode(), full_precision():
        for indices, how in ((near, _packed), (far, _plain)):
            some = [chains[n] for n in indices]
            found.update(zip(indices, how(reader, some), strict=True))
    return [found[n] for n in range(len(chains))]


def _packed(reader: Reader, chains: Sequence[Chain]) -> Iterator[tuple[float, ...]]:
    planting = plant(chains, reader.crossover, reader.packs_to)
    values = _read(
        reader,
        [len(grove.ids) for grove in planting.groves],
        [grove.wanted for grove in planting.groves],
        lambda batch: packed_states(reader, [planting.groves[n] for n in batch]),
        lambda width: MASK_CELLS // width**2,
    )
    return (tuple(values[place] for place in places) for places in planting.places)


def _plain(reader: Reader, chains: Sequence[Chain]) -> Iterator[tuple[float, ...]]:
    rows, places = shared_rows(chains)
    values = _read(
        reader,
        [len(row.ids) for row in rows],
        [row.wanted for row in rows],
        lambda batch: plain_states(reader, [rows[n] for n in batch]),
        lambda width: len(rows),
    )
    slots = [{pair: slot for slot, pair in enumerate(row.wanted)} for row in rows]
    return (
        tuple(
            values[nth, slots[nth][pair]] for nth, pair in zip(place, chain.wanted(), strict=True)
        )
        for chain, place in zip(chains, places, strict=True)
    )


def _read(
    reader: Reader,
    lengths: Sequence[int],
    wanted: Sequence[Sequence[tuple[int, int]]],
    body: Callable[[Sequence[int]], torch.Tensor],
    n_rows: Callable[[int], int],
) -> dict[tuple[int, int], float]:
    """(row, place in what is wanted of it) → ln p. `n_rows`: how many of a width go together."""
    projection = Projection(reader.head, reader.sets, reader.memory, reader.device)

    def batched(rows: Sequence[int]) -> Iterator[list[int]]:
        own = [lengths[row] for row in rows]
        for batch in batches(own, reader.memory.n_ids):
            most = max(1, n_rows(own[batch[0]]))
            for start in range(0, len(batch), most):
                yield [rows[index] for index in batch[start : start + most]]

    for batch, hidden in within(range(len(lengths)), batched, body, reader.memory.read_less):
        nodes: dict[tuple[int, int], list[tuple[int, tuple[int, int]]]] = {}
        for index, row in enumerate(batch):
            for slot, (node, what) in enumerate(wanted[row]):
                nodes.setdefault((index, node), []).append((what, (row, slot)))
        at = torch.tensor(list(nodes), device=reader.device)
        projection.add(hidden[at[:, 0], at[:, 1]], list(nodes.values()))
    projection.flush()
    return projection.answers


def packed_states(reader: Reader, groves: Sequence[Grove]) -> torch.Tensor:
    """`(batch, node, width)`, or logits where the model has no head apart."""
    batch = pack(groves, reader.model.dtype, reader.device)
    return states(
        reader.model,
        reader.head is not None,
        input_ids=batch.ids,
        attention_mask=batch.mask,
        position_ids=batch.positions,
    )


def plain_states(reader: Reader, rows: Sequence[Row]) -> torch.Tensor:
    """`(batch, time, width)`, or logits where the model has no head apart."""
    ids, mask = padded(rows, reader.device)
    return states(reader.model, reader.head is not None, input_ids=ids, attention_mask=mask)


def states(model: Any, apart: bool, **inputs: torch.Tensor) -> torch.Tensor:
    """What the body of `model` says, or all of it where body and head do not come apart."""
    found: torch.Tensor
    if apart:
        found = model.base_model(**inputs, use_cache=False).last_hidden_state
    else:
        found = model(**inputs, use_cache=False).logits
    return found
