"""A reader of causal Transformers: ids in rows go in, log-probabilities of scored ids come out.

A causal model that reads `a b c d` predicts on its way what follows `a`, `a b` and `a b c`. So the
last id of a sequence is never read, a sequence that begins another one costs nothing (all one-token
continuations of a prefix need one row: the prefix), and only positions whose next id is scored are
projected onto the vocabulary.

Texts that begin alike share a row if the model allows it, which a self-test finds out at load
(`selftest.py`). Otherwise each distinct text is a row of its own, padded on the right, which is
exact for every causal model. In a shared row every distinct beginning is read once:

    The keys to the cabinet are       node    0    1     2   3    4        5   6
    The keys to the cabinet is        reads   The  keys  to  the  cabinet  on  top
    The keys on top are               depth   0    1     2   3    4        2   3
                                      end     6    6     4   4    4        6   6

The texts form a trie, whose nodes stand in the row in depth-first order. A node is one id read
after one beginning. It has a depth, its position in its own text, and an end, the last node below
it. Node i attends to node j exactly if j ≤ i ≤ end of j. The rule also holds for several tries in a
row, since no end reaches into the next trie. All of it is computed on flat arrays: sequences are
sorted in descending order, so that a sequence that begins another comes right after it and adds no
node; then (sequence, position) pairs are sorted by position, so that pairs that share a node stand
side by side, and the node is that of the first.

The loop over batches never waits for a GPU: one transfer to it per batch, one back for all.

Logits go into a buffer that is reused, and the log-sum-exp of a few rows at a time overwrites
them. On a CPU that is 1.05 times the bare product, where `log_softmax` of fresh logits
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

MIN_ROW_WIDTH = 64  # ids: the narrowest that shared rows are made
WIDTH_RATIO = 8  # the model's width over the row width: attention then costs 1/16 of the rest


@dataclass(frozen=True, slots=True)
class RowWidths:
    """The widths, in ids, of rows that several sequences share."""

    width: int  # rows are filled up to this, and further only if that saves rereading
    widest: int  # longer sequences get a row of their own; 0: all do


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """Sequences packed into rows of nodes, widest first, then rows of one sequence each."""

    offsets: Integers  # (rows + 1,): where each row begins among the nodes
    n_packed: int  # rows that hold tries; each of the others holds one sequence
    ids: NDArray[np.int32]  # (nodes,)
    depths: NDArray[np.int32]  # (nodes,)
    ends: NDArray[np.int32]  # (nodes,), as an index in the row
    node_starts: Integers  # (sequences,): where each begins in `nodes`
    nodes: Integers
    """For each position of each sequence its node: the first of all nodes that read this
    beginning"""


def packed_rows(
    ids: NDArray[np.int32], starts: Integers, lengths: Integers, shape: RowWidths
) -> PackedRows:
    """Pack sequences of ids into rows, in which sequences that begin alike share nodes.

    Sequence n is `ids[starts[n] : starts[n] + lengths[n]]`. A node is one id read after one
    beginning; see the head of this module.
    """
    order = _descending_order(ids, starts, lengths)
    node_starts = np.zeros(len(starts), dtype=np.int64)
    starts, lengths = starts[order], lengths[order]
    begins = offsets_of(lengths)
    node_starts[order] = begins[:-1]
    common = np.zeros(len(order), dtype=np.int64)  # ids in common with the sequence before
    common[1:] = shared_prefix_lengths(
        ids, starts[:-1], starts[1:], np.minimum(lengths[:-1], lengths[1:])
    )
    heads = np.array(list(_row_heads(lengths.tolist(), common.tolist(), shape)), dtype=np.int64)
    reread = common.copy()
    reread[heads] = 0  # a row's first sequence is read from its start
    new = lengths - reread
    offsets, base, n_packed = _rows_by_width(heads, new, lengths, shape.widest)

    sequence = np.repeat(np.arange(len(order)), lengths)
    depth = range_indices(np.zeros_like(lengths), lengths)
    is_new = depth >= reread[sequence]  # whether this row has no node for it yet
    node = base[sequence] + depth - reread[sequence]
    by_depth = np.argsort(depth.astype(np.uint16 if depth.max(initial=0) < 1 << 16 else np.int64),
                          kind="stable")  # fmt: skip
    # Pairs that share a node form a run here; the run's last sequence has the last node below it.
    runs = np.flatnonzero(is_new[by_depth])
    final = sequence[by_depth][np.append(runs, len(is_new))[1:] - 1]
    opening = by_depth[runs]
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


def _descending_order(ids: NDArray[np.int32], starts: Integers, lengths: Integers) -> Integers:
    """Return the indices of the nonempty sequences, sorted by their ids in descending order.

    They are compared as big-endian bytes, which is fast and gives the same order.
    """
    code = ">u2" if ids.max(initial=0) < 1 << 16 else ">u4"
    raw, size = ids.astype(code).tobytes(), np.dtype(code).itemsize
    bounds = zip((starts * size).tolist(), ((starts + lengths) * size).tolist(), strict=True)
    keys = [raw[start:end] for start, end in bounds]
    order = sorted(np.flatnonzero(lengths).tolist(), key=keys.__getitem__, reverse=True)
    return np.array(order, dtype=np.int64)


def _row_heads(lengths: list[int], common: list[int], shape: RowWidths) -> Iterator[int]:
    """Yield the index of the first sequence of each row.

    `common` is the number of ids that each sequence shares with the one before. A full row is cut
    in its last third, where this number is smallest, so that little is read twice. A row grows
    beyond its width for a sequence that shares much and adds little, if the cost in attention and
    padding is below that of reading the sequence again from its start.
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


def _rows_by_width(
    heads: Integers, new: Integers, lengths: Integers, widest: int
) -> tuple[Integers, Integers, int]:
    """Sort rows by width, widest first; rows of a single sequence come last.

    `heads` are the indices of the first sequence of each row, `new` the number of nodes that each
    sequence adds. Returns the index of the first node of each row (and the end of the last), the
    index of the first new node of each sequence, and the number of rows that sequences share.
    """
    bounds = offsets_of(new)
    widths = bounds[np.append(heads, len(new))[1:]] - bounds[heads]
    alone = lengths[heads] > widest
    order = np.lexsort((-widths, alone))
    offsets = offsets_of(widths[order])
    moved = np.empty_like(heads)
    moved[order] = offsets[:-1]
    base = bounds[:-1] + np.repeat(moved - bounds[heads], np.diff(np.append(heads, len(new))))
    return offsets, base, int((~alone).sum())


NORMALISED_AT_ONCE = {"cpu": 1 << 19, "cuda": 1 << 27}  # logits whose log-sum-exp is taken at once


@dataclass(frozen=True, slots=True)
class OutputHead:
    """A linear map onto the vocabulary, with the scale and cap that some models apply to logits.

    cap · tanh(scale · (W h + b) / cap), or scale · (W h + b) if there is no cap: Gemma 2 has a cap
    (`final_logit_softcapping`), Cohere and Granite a scale. Weights of half precision are
    multiplied as such and added up in float32, which only GPUs do.
    """

    weight: torch.Tensor  # (vocabulary, width)
    bias: torch.Tensor | None
    scale: float = 1.0
    cap: float | None = None

    def logits(self, hidden: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """Return logits `(n, vocabulary)` for states `(n, width)`, in float32 or wider, written to
        `out` if it is given."""
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


def target_log_p(
    head: OutputHead | None,
    sets: torch.Tensor | None,
    memory: MemoryBudget,
    hidden: torch.Tensor,
    rows: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """Return ln p of each target after the hidden state of its row, `hidden[rows]`. A target is an
    id or, if it is below 0, a set of ids, whose total probability is meant.

    If `head` is None, `hidden` holds logits, not states. `sets` is `(vocabulary, n)`, zeros and
    ones; its columns are the sets numbered −1, −2, ….
    """
    if head is None:
        logits = hidden.float().clone()
    elif head.weight.dtype.itemsize < 4:
        logits = head.logits(hidden)
    else:
        logits = head.logits(hidden, out=memory.logits(len(hidden), head.weight))
    chosen = logits[rows, targets if sets is None else targets.clamp(min=0)]
    normaliser, masses = normalise(logits, sets, NORMALISED_AT_ONCE[logits.device.type])
    if masses is not None:
        chosen = torch.where(targets < 0, masses[rows, (-1 - targets).clamp(min=0)], chosen)
    return chosen.double() - normaliser[rows].double()


def normalise(
    logits: torch.Tensor, sets: torch.Tensor | None, together: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the log-sum-exp of every row of `logits`, and that of the ids of each set alone (None
    if `sets` is None). Overwrites `logits`, `together` numbers at a time.

    All entries count, even those that the tokenizer lacks and the end of the text, since that is
    the model's own distribution.
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


MAX_MASK_CELLS = 1 << 26  # in a batch: 256 MiB of float32
N_SETS = 2  # numbered −1 and −2, see `target_log_p`


@dataclass(frozen=True, slots=True)
class CausalReader:
    """A model, and the way of reading it that its self-test found to be exact."""

    model: Any
    head: OutputHead | None  # None: logits come from the whole model only
    n_ids: int  # ids that the model can read
    n_logits: int  # logits per position; some models pad their vocabulary, which counts
    shape: RowWidths
    why: str  # reason why texts may not share a row; "" if they may
    device: torch.device
    memory: MemoryBudget
    sets: torch.Tensor | None = None  # (vocabulary, n), see `target_log_p`


@dataclass(frozen=True, slots=True, eq=False)
class IdQueries:
    """Sequences of ids, and the targets whose probability is needed, one array entry per target."""

    ids: NDArray[np.int32]
    starts: Integers  # where in `ids` each sequence begins
    sequences: Integers  # number of the target's sequence
    positions: Integers  # position in it after which the target is predicted
    targets: Integers  # an id, or if below 0 a set of ids


@dataclass(frozen=True, slots=True, eq=False)
class ForwardPlan:
    """A plan of what the model reads; each distinct (node, target) pair is computed once."""

    layout: PackedRows
    nodes: Integers  # nodes with targets, in ascending order
    target_offsets: Integers  # (nodes + 1,): where the targets of each begin in `targets`
    targets: Integers
    target_index: Integers  # index in `targets` of each target of the queries


def forward_plan(queries: IdQueries, reader: CausalReader) -> ForwardPlan:
    """Return a plan that reads each sequence no further than its last target needs."""
    lengths = np.zeros_like(queries.starts)
    np.maximum.at(lengths, queries.sequences, queries.positions + 1)
    layout = packed_rows(queries.ids, queries.starts, lengths, reader.shape)
    nodes = layout.nodes[layout.node_starts[queries.sequences] + queries.positions]
    size = reader.n_logits + N_SETS
    keys, target_index = np.unique(nodes * size + queries.targets + N_SETS, return_inverse=True)
    nodes, counts = np.unique(keys // size, return_counts=True)
    return ForwardPlan(layout, nodes, offsets_of(counts), keys % size - N_SETS, target_index)


def read(reader: CausalReader, plan: ForwardPlan) -> NDArray[np.float64]:
    """Run the model as planned, and return ln p of each target of the queries, in their order. The
    same target after the same ids always gets the same number."""
    layout, memory, widths = plan.layout, reader.memory, np.diff(plan.layout.offsets)
    bounds = np.searchsorted(plan.nodes, layout.offsets)  # where rows begin in `nodes`
    rows = np.repeat(np.arange(len(widths)), np.diff(bounds))
    columns = plan.nodes - layout.offsets[rows]

    def end_of(start: int) -> int:
        """Return the end of the batch of rows that begins at `start`."""
        packed, width = start < layout.n_packed, int(widths[start])
        limit = min(memory.n_ids // width, MAX_MASK_CELLS // width**2 if packed else len(widths))
        return min(start + max(1, limit), layout.n_packed if packed else len(widths))

    def hidden_states(start: int, end: int) -> torch.Tensor:
        """Return the states of the rows `start` to `end` that have targets."""
        span = slice(bounds[start], bounds[end])
        selected = (rows[span] - start) * widths[start] + columns[span]
        return states(reader, layout, start, end, selected)

    node_of = np.repeat(np.arange(len(plan.nodes)), np.diff(plan.target_offsets))
    nodes, targets = to_device(torch.from_numpy(np.stack([node_of, plan.targets])), reader.device)
    answers: list[torch.Tensor] = []
    waiting: list[torch.Tensor] = []  # states, collected until they fill one product with the head
    n_done = 0

    def flush() -> None:
        """Compute ln p of the targets of the waiting states, and append it to `answers`."""
        hidden = torch.cat(waiting)

        def project(start: int, end: int) -> torch.Tensor:
            """Return ln p of the targets of the waiting states `start` to `end`."""
            span = slice(*plan.target_offsets[[n_done + start, n_done + end]].tolist())
            rows = nodes[span] - (n_done + start)
            return target_log_p(
                reader.head, reader.sets, memory, hidden[start:end], rows, targets[span]
            )

        n = len(hidden)
        ends = batched(n, lambda start: min(n, start + memory.n_rows), project, memory.halve_rows)
        answers.extend(ends)

    with torch.inference_mode(), full_precision():
        for hidden in batched(len(widths), end_of, hidden_states, memory.halve_ids):
            waiting.append(hidden)
            if sum(map(len, waiting)) >= memory.n_rows:
                flush()
                n_done, waiting = n_done + sum(map(len, waiting)), []
        if waiting:
            flush()
        log_p = torch.cat(answers).cpu().numpy() if answers else np.zeros(0)
    return np.asarray(log_p, dtype=np.float64)[plan.target_index]


def states(
    reader: CausalReader, layout: PackedRows, start: int, end: int, positions: Integers
) -> torch.Tensor:
    """Run the model on a batch, the rows `start` to `end`; return its hidden states `(n, width)` at
    n positions, or the logits there if the model's head is not separate.

    `positions` are indices into the padded batch, counted row by row. The first row must be the
    widest.
    """
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
    """Return an attention mask `(batch, 1, node, node)`: node i (third axis) attends to node j
    (fourth axis) exactly if j ≤ i ≤ end of j.

    It is added to the attention scores: 0 if node i may attend to node j, otherwise the lowest
    finite number. Eager attention would add a boolean mask as 0 and 1, which hides nothing; −inf
    would make a row that may attend to nothing NaN.
    """
    index = torch.arange(ends.shape[1], device=ends.device)
    is_visible = (index <= index[:, None]) & (index[:, None] <= ends[:, None, :])
    mask = torch.full(is_visible.shape, torch.finfo(dtype).min, dtype=dtype, device=ends.device)
    return mask.masked_fill_(is_visible, 0)[:, None]


def body_output(model: Any, is_separate: bool, **inputs: torch.Tensor) -> torch.Tensor:
    """Return the hidden states of the body of `model` if body and head are separate, else the
    logits of the whole model."""
    output: torch.Tensor
    if is_separate:
        output = model.base_model(**inputs, use_cache=False).last_hidden_state
    else:
        output = model(**inputs, use_cache=False).logits
    return output
