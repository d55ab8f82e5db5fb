"""How a causal Transformer is read: rows in, log-probabilities of what is wanted out.

A causal model that reads `a b c d` says on its way what follows `a`, `a b` and `a b c`. So the last
id of a sequence is never read, a sequence that begins another one costs nothing (all one-token
continuations of a prefix are one row: the prefix), and only those positions are projected onto the
vocabulary whose next id is wanted.

Texts that begin alike share a row where the model allows it; where it does not, each distinct one
is a row of its own, padded on the right, which is exact for every causal model. Which of the two it
is was found out at load (`selftest.py`). In a shared row every distinct beginning is read once:

    The keys to the cabinet are       node    0    1     2   3    4        5   6
    The keys to the cabinet is        reads   The  keys  to  the  cabinet  on  top
    The keys on top are               depth   0    1     2   3    4        2   3
                                      end     6    6     4   4    4        6   6

The nodes of a trie stand in depth-first order, each with its depth, which is its position in its
own text, and its end: the last node below it. Node i reads node j exactly if j ≤ i ≤ end of j. The
rule holds for several tries in a row too, for no end reaches over into the next one. All of it is
arithmetic on flat arrays. Sequences are sorted backwards, so that one that begins another stands
right behind it and adds no node. Then (sequence, position) pairs are ordered by position: what
shares a node stands side by side, and the node is that of the first.

Nothing of the loop over batches waits for a GPU: one transfer to it for a batch, one back for all
of them.

Logits go into a buffer that is used again and again, and the log-sum-exp of a few rows at a time
overwrites them. On a CPU that is 1.05 times the bare product, where `log_softmax` of fresh logits
takes 1.25 times (512 rows, 50,257 columns: `bench/scoring.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.arrays import Integers, offsets_of, range_indices, shared_prefix_lengths
from .torch_device import MemoryBudget, batched, full_precision, to_device

NARROW = 64  # a row's width
PART = 8  # the model's width over it: attention then costs 1/16 of the rest


@dataclass(frozen=True, slots=True)
class RowWidths:
    """The widths of rows that sequences are put into."""

    width: int  # rows are filled up to it, and wider only for long beginnings
    widest: int  # what is longer is read alone; 0: everything


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """Sequences in rows of nodes, the widest row first; rows read alone stand behind the others."""

    offsets: Integers  # (rows + 1,): which nodes are whose
    n_packed: int  # rows that hold tries; each of the others is one sequence
    ids: NDArray[np.int32]  # (nodes,)
    depths: NDArray[np.int32]  # (nodes,)
    ends: NDArray[np.int32]  # (nodes,), counted in the row
    node_starts: Integers  # where in `nodes` each sequence begins
    nodes: Integers
    """For each sequence and position the node that is asked there: of all that read the same
    beginning, the first"""


def packed_rows(
    ids: NDArray[np.int32], starts: Integers, lengths: Integers, shape: RowWidths
) -> PackedRows:
    """Return the rows in which sequences are read, `ids[start : start + length]` each."""
    order = _sorted(ids, starts, lengths)
    node_starts = np.zeros(len(starts), dtype=np.int64)
    starts, lengths = starts[order], lengths[order]
    begins = offsets_of(lengths)  # of each sequence's positions
    node_starts[order] = begins[:-1]
    common = np.zeros(len(order), dtype=np.int64)  # with the sequence before
    common[1:] = shared_prefix_lengths(
        ids, starts[:-1], starts[1:], np.minimum(lengths[:-1], lengths[1:])
    )
    heads = np.array(list(_heads(lengths.tolist(), common.tolist(), shape)), dtype=np.int64)
    reread = common.copy()
    reread[heads] = 0  # a row's first sequence is read from its start
    new = lengths - reread
    offsets, base, n_packed = _ordered(heads, new, lengths, shape.widest)

    sequence = np.repeat(np.arange(len(order)), lengths)
    depth = range_indices(np.zeros_like(lengths), lengths)
    fresh = depth >= reread[sequence]
    node = base[sequence] + depth - reread[sequence]
    by_depth = np.argsort(depth.astype(np.uint16 if depth.max(initial=0) < 1 << 16 else np.int64),
                          kind="stable")  # fmt: skip
    # what shares a node is a run there, whose last sequence is the last below it
    opens = np.flatnonzero(fresh[by_depth])
    final = sequence[by_depth][np.append(opens, len(fresh))[1:] - 1]
    opening = by_depth[opens]
    row_of = np.searchsorted(offsets, node[opening], side="right") - 1
    n_nodes = int(offsets[-1])
    own_ids, depths, ends = (np.zeros(n_nodes, dtype=np.int32) for _ in range(3))
    own_ids[node[opening]] = ids[starts[sequence[opening]] + depth[opening]]
    depths[node[opening]] = depth[opening]
    ends[node[opening]] = base[final] + new[final] - 1 - offsets[row_of]

    nodes = np.empty_like(node)
    opened = (depth >= common[sequence])[by_depth]
    nodes[by_depth] = node[by_depth][opened][np.cumsum(opened) - 1]
    return PackedRows(offsets, n_packed, own_ids, depths, ends, node_starts, nodes)


def _sorted(ids: NDArray[np.int32], starts: Integers, lengths: Integers) -> Integers:
    """Sequences backwards, those without ids left out; as bytes they compare as their ids do."""
    code = ">u2" if ids.max(initial=0) < 1 << 16 else ">u4"
    raw, size = ids.astype(code).tobytes(), np.dtype(code).itemsize
    bounds = zip((starts * size).tolist(), ((starts + lengths) * size).tolist(), strict=True)
    keys = [raw[start:end] for start, end in bounds]
    order = sorted(np.flatnonzero(lengths).tolist(), key=keys.__getitem__, reverse=True)
    return np.array(order, dtype=np.int64)


def _heads(lengths: list[int], common: list[int], shape: RowWidths) -> Iterator[int]:
    """Yield where rows begin. A full row ends, in its last third, where least is read again.

    Beyond its width a row takes another sequence that shares much with the one before and adds
    little: what that costs in attention and padding is less than reading it again from its start.
    """
    n, head, n_nodes, best = 0, -1, 0, -1
    while n < len(lengths):
        length, n_shared = lengths[n], common[n]
        added = length - n_shared
        together = n_nodes + added
        alone = head < 0 or max(length, lengths[head]) > shape.widest
        if added and (
            alone
            or together > shape.widest
            or (
                together > shape.width
                and (n_nodes + together) * added > n_shared * shape.width + length**2
            )
        ):
            if not alone and best > head and common[best] < n_shared:
                n = best
            head, n_nodes, best = n, lengths[n], -1
            yield head
        else:
            if added and 3 * n_nodes > 2 * shape.width and (best < 0 or n_shared <= common[best]):
                best = n
            n_nodes = together
        n += 1


def _ordered(
    heads: Integers, new: Integers, lengths: Integers, widest: int
) -> tuple[Integers, Integers, int]:
    """Rows by width: where each begins among the nodes, the first new node of each sequence, and
    how many rows hold tries."""
    bounds = offsets_of(new)
    widths = bounds[np.append(heads, len(new))[1:]] - bounds[heads]
    alone = lengths[heads] > widest
    order = np.lexsort((-widths, alone))
    offsets = offsets_of(widths[order])
    moved = np.empty_like(heads)
    moved[order] = offsets[:-1]
    base = bounds[:-1] + np.repeat(moved - bounds[heads], np.diff(np.append(heads, len(new))))
    return offsets, base, int((~alone).sum())


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
