"""How a causal Transformer is read: rows in, log-probabilities of what is wanted out.

A causal model that reads `a b c d` says on its way what follows `a`, `a b` and `a b c`. So the last
id of a sequence is never read, a sequence that begins another one costs nothing (all one-token
continuations of a prefix are one row: the prefix), and only those positions are projected onto the
vocabulary whose next id is wanted.

Texts that begin alike share a row where the model allows it (`_trie.py`); where it does not, each
distinct one is a row of its own, padded on the right, which is exact for every causal model. Which
of the two it is was found out at load (`selftest.py`). Nothing of the loop over batches waits for a
GPU: one transfer to it for a batch, one back for all of them.

Logits go into a buffer that is used again and again, and the log-sum-exp of a few rows at a time
overwrites them. On a CPU that is 1.05 times the bare product, where `log_softmax` of fresh logits
takes 1.25 times (512 rows, 50,257 columns: `bench/scoring.py`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.arrays import Integers, offsets_of
from ._trie import PackedRows, RowWidths, packed_rows
from .torch_device import MemoryBudget, batched, full_precision, to_device

TOGETHER = {"cpu": 1 << 19, "cuda": 1 << 27}  # logits overwritten at once: what a cache holds


@dataclass(frozen=True, slots=True)
class OutputHead:
    """A linear map onto the vocabulary and what some models do with its logits.

    cap · tanh(scale · (W h + b) / cap), or without the tanh where there is no cap: Gemma 2 has a
    cap (`final_logit_softcapping`), Cohere and Granite a scale. Weights of half precision are
    multiplied as such and added up in float32, which only GPUs do.
    """

    weight: torch.Tensor  # (vocabulary, width)
    bias: torch.Tensor | None
    scale: float = 1.0
    cap: float | None = None

    def logits(self, hidden: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """`(n, vocabulary)` for `(n, width)`, float32 or wider; in `out` if there is one."""
        hidden = hidden.to(self.weight.dtype)
        if self.weight.dtype.itemsize < 4:
            logits = torch.mm(hidden, self.weight.T, out_dtype=torch.float32)
        else:
            logits = torch.mm(hidden, self.weight.T, out=out)
        if self.bias is not None:
            logits += self.bias
        if self.scale != 1.0:
            logits *= self.scale
        return logits if self.cap is None else logits.div_(self.cap).tanh_().mul_(self.cap)


def projected(
    head: OutputHead | None,
    sets: torch.Tensor | None,
    memory: MemoryBudget,
    hidden: torch.Tensor,
    rows: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """ln p of `targets` after the states `rows` of `hidden`: ids, or below 0 sets.

    Without a head the states are logits already. `sets` is `(vocabulary, n)` of zeros and ones:
    its columns are the sets numbered −1, −2, ….
    """
    if head is None:
        logits = hidden.float().clone()
    elif head.weight.dtype.itemsize < 4:
        logits = head.logits(hidden)
    else:
        logits = head.logits(hidden, out=memory.logits(len(hidden), head.weight))
    chosen = logits[rows, targets if sets is None else targets.clamp(min=0)]
    normaliser, masses = normalise(logits, sets, TOGETHER[logits.device.type])
    if masses is not None:
        chosen = torch.where(targets < 0, masses[rows, (-1 - targets).clamp(min=0)], chosen)
    return chosen.double() - normaliser[rows].double()


def normalise(
    logits: torch.Tensor, sets: torch.Tensor | None, together: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the log-sum-exp of every row, and those over each of `sets`. Overwrites `logits`.

    Every entry of a row counts, rows beyond the tokenizer's entries and the end-of-text id
    included: that is the model's own distribution.
    """
    normalisers: list[torch.Tensor] = []
    masses: list[torch.Tensor] = []
    n = max(1, together // logits.shape[-1])
    for start in range(0, len(logits), n):
        block = logits[start : start + n]
        highest = block.amax(-1, keepdim=True)
        block.sub_(highest).exp_()
        normalisers.append(block.sum(-1).log() + highest[:, 0])
        if sets is not None:
            masses.append((block @ sets).log() + highest)
    return torch.cat(normalisers), torch.cat(masses) if sets is not None else None


MASK_CELLS = 1 << 26  # of a batch: 256 MiB of float32
N_SETS = 2  # numbered −1 and −2, see `projected`


@dataclass(frozen=True, slots=True)
class CausalReader:
    """A model, and how it may be read."""

    model: Any
    head: OutputHead | None  # None: only the model as a whole makes its logits
    n_ids: int  # how many the model knows
    n_logits: int  # how many it answers with; some pad their vocabulary, and that counts
    shape: RowWidths
    why: str  # it reads every text alone; "" where nothing stands against sharing
    device: torch.device
    memory: MemoryBudget
    sets: torch.Tensor | None = None  # (vocabulary, n), see `projected`


@dataclass(frozen=True, slots=True, eq=False)
class IdQueries:
    """Sequences of ids, and what is wanted of them."""

    ids: NDArray[np.int32]
    starts: Integers  # where in `ids` each sequence begins
    sequences: Integers  # of each thing wanted the sequence,
    positions: Integers  # the position in it after which it is wanted,
    targets: Integers  # and what: an id, or below 0 a set


@dataclass(frozen=True, slots=True, eq=False)
class ForwardPlan:
    """A plan of what the model reads, with each distinct question once."""

    layout: PackedRows
    nodes: Integers  # of which something is wanted, rising
    target_offsets: Integers  # (nodes + 1,): where in `targets` what is wanted of each begins
    targets: Integers
    target_index: Integers  # for each thing that was asked its place in `targets`


def prepared(queries: IdQueries, reader: CausalReader) -> ForwardPlan:
    """Plan what must be read, and no more of it than is asked for."""
    lengths = np.zeros_like(queries.starts)
    np.maximum.at(lengths, queries.sequences, queries.positions + 1)
    layout = packed_rows(queries.ids, queries.starts, lengths, reader.shape)
    nodes = layout.nodes[layout.node_starts[queries.sequences] + queries.positions]
    size = reader.n_logits + N_SETS
    keys, target_index = np.unique(nodes * size + queries.targets + N_SETS, return_inverse=True)
    nodes, counts = np.unique(keys // size, return_counts=True)
    return ForwardPlan(layout, nodes, offsets_of(counts), keys % size - N_SETS, target_index)


def read(reader: CausalReader, reading: ForwardPlan) -> NDArray[np.float64]:
    """ln p of each thing asked, in order. Equal questions get equal answers."""
    layout, memory, widths = reading.layout, reader.memory, np.diff(reading.layout.offsets)
    bounds = np.searchsorted(reading.nodes, layout.offsets)  # the nodes wanted of each row
    rows = np.repeat(np.arange(len(widths)), np.diff(bounds))
    columns = reading.nodes - layout.offsets[rows]

    def end_of(start: int) -> int:
        packed, width = start < layout.n_packed, int(widths[start])
        limit = min(memory.n_ids // width, MASK_CELLS // width**2 if packed else len(widths))
        return min(start + max(1, limit), layout.n_packed if packed else len(widths))

    def work(start: int, end: int) -> torch.Tensor:
        span = slice(bounds[start], bounds[end])
        selected = (rows[span] - start) * widths[start] + columns[span]
        return states(reader, layout, start, end, selected)

    which = np.repeat(np.arange(len(reading.nodes)), np.diff(reading.target_offsets))
    nodes, targets = to_device(torch.from_numpy(np.stack([which, reading.targets])), reader.device)
    answers: list[torch.Tensor] = []
    waiting: list[torch.Tensor] = []  # states, until there are enough for a product of many rows
    n_done = 0

    def flush() -> None:
        hidden = torch.cat(waiting)

        def project(start: int, end: int) -> torch.Tensor:
            span = slice(*reading.target_offsets[[n_done + start, n_done + end]].tolist())
            rows = nodes[span] - (n_done + start)
            return projected(
                reader.head, reader.sets, memory, hidden[start:end], rows, targets[span]
            )

        n = len(hidden)
        ends = batched(n, lambda start: min(n, start + memory.n_rows), project, memory.halve_rows)
        answers.extend(ends)

    with torch.inference_mode(), full_precision():
        for hidden in batched(len(widths), end_of, work, memory.halve_ids):
            waiting.append(hidden)
            if sum(map(len, waiting)) >= memory.n_rows:
                flush()
                n_done, waiting = n_done + sum(map(len, waiting)), []
        if waiting:
            flush()
        log_p = torch.cat(answers).cpu().numpy() if answers else np.zeros(0)
    return np.asarray(log_p, dtype=np.float64)[reading.target_index]


def states(
    reader: CausalReader, layout: PackedRows, start: int, end: int, positions: Integers
) -> torch.Tensor:
    """`(n, width)`, or logits where the model has no head apart: of rows `start` to `end` at the
    places `positions`, counted through all of them. The first row is the widest."""
    offsets = layout.offsets[start : end + 1]
    width = int(offsets[1] - offsets[0])
    columns = np.arange(width)
    inside = columns < np.diff(offsets)[:, None]
    index = np.where(inside, offsets[:-1, None] + columns, 0)
    parts = [np.where(inside, layout.ids[index], 0)]
    if start < layout.n_packed:
        parts.append(np.where(inside, layout.depths[index], 0))
        parts.append(np.where(inside, layout.ends[index], columns))  # padding sees itself alone
    else:
        parts.append(inside)
    flat = np.concatenate([array.ravel() for array in (*parts, positions)]).astype(np.int64)
    on_device = to_device(torch.from_numpy(flat), reader.device)
    n = inside.size
    grids = [on_device[k * n : (k + 1) * n].view(inside.shape) for k in range(len(parts))]
    if start < layout.n_packed:
        mask = mask_of(grids[2], reader.model.dtype)
        inputs = {"input_ids": grids[0], "position_ids": grids[1], "attention_mask": mask}
    else:
        inputs = {"input_ids": grids[0], "attention_mask": grids[1]}
    return body_output(reader.model, reader.head is not None, **inputs).flatten(0, 1)[
        on_device[len(parts) * n :]
    ]


def mask_of(ends: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """`(batch, 1, node, node)`: node i (third) sees node j (fourth) exactly if j ≤ i ≤ end of j.

    It is added to the scores: 0 where a node may look, the lowest finite number where not. A
    boolean mask would be added as 0 and 1 by eager attention and so hide nothing; −inf would make
    NaN of a row that sees nothing.
    """
    index = torch.arange(ends.shape[1], device=ends.device)
    seen = (index <= index[:, None]) & (index[:, None] <= ends[:, None, :])
    mask = torch.full(seen.shape, torch.finfo(dtype).min, dtype=dtype, device=ends.device)
    return mask.masked_fill_(seen, 0)[:, None]


def body_output(model: Any, apart: bool, **inputs: torch.Tensor) -> torch.Tensor:
    """Return the output of the body of `model`, or of all of it if body and head cannot be
    separated."""
    output: torch.Tensor
    if apart:
        output = model.base_model(**inputs, use_cache=False).last_hidden_state
    else:
        output = model(**inputs, use_cache=False).logits
    return output
