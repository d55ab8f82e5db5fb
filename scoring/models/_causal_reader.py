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
row, since no end reaches into the next trie. Sequences are sorted in descending order, so that a
sequence that begins another comes right after it and adds no node; one pass over them, with the
path of nodes to the present one, numbers the nodes and finds their ends.

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
from .torch_device import MemoryBudget, full_precision, in_fitting_batches, to_device

MIN_ROW_WIDTH = 64  # ids; shared rows are filled at least to this
WIDTH_RATIO = 8  # the model's width over the row width: attention then costs 1/16 of the rest


@dataclass(frozen=True, slots=True)
class RowWidths:
    """The widths, in ids, of rows that several sequences share."""

    width: int  # rows are filled up to this, and further only if that saves rereading
    max_length: int  # of a shared row; longer sequences get a row of their own; 0: all do


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
    ids: NDArray[np.int32], starts: Integers, lengths: Integers, widths: RowWidths
) -> PackedRows:
    """Pack sequences of ids into rows, in which sequences that begin alike share nodes.

    Sequence n is `ids[starts[n] : starts[n] + lengths[n]]`. A node is a place in a row: there one
    id is read after one beginning, for all sequences of the row that begin so.
    """
    order = _descending_order(ids, starts, lengths)
    node_starts = np.zeros(len(starts), dtype=np.int64)
    starts, lengths = starts[order], lengths[order]
    node_starts[order] = offsets_of(lengths)[:-1]
    n_common = np.zeros(len(order), dtype=np.int64)  # ids in common with the sequence before
    n_common[1:] = shared_prefix_lengths(
        ids, starts[:-1], starts[1:], np.minimum(lengths[:-1], lengths[1:])
    )
    heads = np.array(list(_row_heads(lengths.tolist(), n_common.tolist(), widths)), np.int64)
    n_present = n_common.copy()  # ids at the start of each whose nodes its row has already
    n_present[heads] = 0
    n_new = lengths - n_present
    node_ids = ids[range_indices(starts + n_present, n_new)]
    depths = range_indices(n_present, n_new)
    ends, nodes = _ends_and_nodes(lengths.tolist(), n_present.tolist(), n_common.tolist())
    # Until here nodes are numbered in the order of sequences; now the rows are sorted.
    row_starts = offsets_of(n_new)[np.append(heads, len(lengths))]
    row_widths, row_starts = np.diff(row_starts), row_starts[:-1]
    is_alone = lengths[heads] > widths.max_length
    row_order = np.lexsort((-row_widths, is_alone))
    in_sorted_rows = range_indices(row_starts[row_order], row_widths[row_order])
    new_number = np.argsort(in_sorted_rows)
    ends -= np.repeat(row_starts, row_widths)
    return PackedRows(
        offsets_of(row_widths[row_order]), int((~is_alone).sum()), node_ids[in_sorted_rows],
        depths[in_sorted_rows].astype(np.int32), ends[in_sorted_rows].astype(np.int32),
        node_starts, new_number[nodes],
    )  # fmt: skip


def _ends_and_nodes(
    lengths: list[int], n_present: list[int], n_common: list[int]
) -> tuple[Integers, Integers]:
    """Return the end of each node, the last node below it; and for each position of each sorted
    sequence the first node that reads this beginning.

    `n_present` are the ids at the start of each sequence that are nodes of its row already,
    `n_common` those that it shares with the sequence before. The others become nodes, numbered in
    this order.
    """
    path: list[int] = []  # the nodes of the present sequence whose end is not yet known
    first_path: list[int] = []  # the first nodes that read the same beginnings
    ends = [0] * sum(lengths)
    nodes: list[int] = []
    n_nodes = 0
    for length, present, common in zip(lengths, n_present, n_common, strict=True):
        if length > present:
            for node in path[present:]:
                ends[node] = n_nodes - 1
            path[present:] = range(n_nodes, n_nodes + length - present)
            n_nodes += length - present
        first_path[common:] = path[common:length]
        nodes += first_path
    for node in path:
        ends[node] = n_nodes - 1
    return np.array(ends[:n_nodes], np.int64), np.array(nodes, np.int64)


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


def _row_heads(lengths: list[int], n_common: list[int], widths: RowWidths) -> Iterator[int]:
    """Yield the index of the first sequence of each row.

    `n_common` is the number of ids that each sequence shares with the one before. A full row is cut
    in its last third, where this number is smallest, so that little is read twice. A row grows
    beyond its width for a sequence that shares much and adds little, if the cost in attention and
    padding is below that of reading the sequence again from its start.
    """
    index, head, n_nodes, best_cut = 0, -1, 0, -1  # −1: there is none yet
    while index < len(lengths):
        length, n_shared = lengths[index], n_common[index]
        n_added = length - n_shared  # 0 if the sequence begins the one before
        n_together = n_nodes + n_added
        is_alone = head < 0 or max(length, lengths[head]) > widths.max_length
        growing_cost = (n_nodes + n_together) * n_added
        rereading_cost = n_shared * widths.width + length**2
        is_full = n_together > widths.max_length or (
            n_together > widths.width and growing_cost > rereading_cost
        )
        if n_added and (is_alone or is_full):
            if not is_alone and best_cut > head and n_common[best_cut] < n_shared:
                index = best_cut
            head, n_nodes, best_cut = index, lengths[index], -1
            yield head
        else:
            is_last_third = 3 * n_nodes > 2 * widths.width
            if n_added and is_last_third and (best_cut < 0 or n_shared <= n_common[best_cut]):
                best_cut = index
            n_nodes = n_together
        index += 1


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

    @property
    def is_half_precision(self) -> bool:
        """True if the weights have less than 32 bits."""
        return self.weight.dtype.itemsize < 4

    def logits(self, hidden: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """Return logits `(n, vocabulary)` for states `(n, width)`, in float32 or wider, written to
        `out` if it is given and the weights are not of half precision."""
        hidden = hidden.to(self.weight.dtype)
        if self.is_half_precision:
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
        logits = hidden.float().clone()  # `normalise` overwrites the copy
    elif head.is_half_precision:
        logits = head.logits(hidden)  # torch cannot write this product to a buffer
    else:
        logits = head.logits(hidden, out=memory.logits(len(hidden), head.weight))
    chosen = logits[rows, targets.clamp(min=0)]  # for a set a number that is replaced below
    normaliser, masses = normalise(logits, sets, NORMALISED_AT_ONCE[logits.device.type])
    if masses is not None:
        set_columns = (-1 - targets).clamp(min=0)  # set −1 is in column 0; 0 also for ids
        chosen = torch.where(targets < 0, masses[rows, set_columns], chosen)
    return chosen.double() - normaliser[rows].double()


def normalise(
    logits: torch.Tensor, sets: torch.Tensor | None, n_at_once: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the log-sum-exp of every row of `logits`, and that of the ids of each set alone (None
    if `sets` is None). Overwrites `logits`, `n_at_once` numbers at a time.

    All entries count, even those that the tokenizer lacks and the end of the text, since that is
    the model's own distribution.
    """
    normalisers: list[torch.Tensor] = []
    masses: list[torch.Tensor] = []
    n_rows = max(1, n_at_once // logits.shape[-1])
    for start in range(0, len(logits), n_rows):
        block = logits[start : start + n_rows]
        highest = block.amax(-1, keepdim=True)
        block.sub_(highest).exp_()  # so that no exponential is too large
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
    row_widths: RowWidths
    why_unshared: str  # reason why texts may not share a row; "" if they may
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
    layout = packed_rows(queries.ids, queries.starts, lengths, reader.row_widths)
    nodes = layout.nodes[layout.node_starts[queries.sequences] + queries.positions]
    # A (node, target) pair is coded as one number; targets go from −N_SETS to n_logits − 1.
    n_targets = reader.n_logits + N_SETS
    keys, target_index = np.unique(
        nodes * n_targets + queries.targets + N_SETS, return_inverse=True
    )
    targets = keys % n_targets - N_SETS
    nodes, counts = np.unique(keys // n_targets, return_counts=True)
    return ForwardPlan(layout, nodes, offsets_of(counts), targets, target_index)


class TargetScorer:
    """Takes the hidden states of nodes in ascending order, collects them until they fill one
    product with the head, and then computes ln p of their targets."""

    def __init__(self, reader: CausalReader, plan: ForwardPlan) -> None:
        self.reader, self.target_offsets = reader, plan.target_offsets
        node_of = np.repeat(np.arange(len(plan.nodes)), np.diff(plan.target_offsets))
        columns = torch.from_numpy(np.stack([node_of, plan.targets]))
        self.node_of, self.targets = to_device(columns, reader.device)
        self.log_p: list[torch.Tensor] = []
        self.waiting: list[torch.Tensor] = []  # states whose targets are not yet computed
        self.n_done = 0  # nodes whose targets are computed

    def add(self, hidden: torch.Tensor) -> None:
        """Take the states of the next nodes."""
        self.waiting.append(hidden)
        if sum(map(len, self.waiting)) >= self.reader.memory.n_rows:
            self.flush()

    def flush(self) -> None:
        """Compute ln p of the targets of all waiting states."""
        if not self.waiting:
            return
        hidden, memory = torch.cat(self.waiting), self.reader.memory
        n = len(hidden)

        def project(start: int, end: int) -> torch.Tensor:
            """Return ln p of the targets of the waiting states `start` to `end`."""
            first_node, end_node = self.n_done + start, self.n_done + end
            span = slice(*self.target_offsets[[first_node, end_node]].tolist())
            return target_log_p(
                self.reader.head, self.reader.sets, memory, hidden[start:end],
                rows=self.node_of[span] - first_node, targets=self.targets[span],
            )  # fmt: skip

        self.log_p += in_fitting_batches(
            n, lambda start: min(n, start + memory.n_rows), project, memory.halve_rows
        )
        self.n_done, self.waiting = self.n_done + n, []


def read(reader: CausalReader, plan: ForwardPlan) -> NDArray[np.float64]:
    """Run the model as planned, and return ln p of each target of the queries, in their order. The
    same target after the same ids always gets the same number."""
    layout, memory, widths = plan.layout, reader.memory, np.diff(plan.layout.offsets)
    bounds = np.searchsorted(plan.nodes, layout.offsets)  # where each row begins in `plan.nodes`
    rows = np.repeat(np.arange(len(widths)), np.diff(bounds))
    columns = plan.nodes - layout.offsets[rows]

    def end_of(start: int) -> int:
        """Return the end of the batch of rows that begins at `start`."""
        width = int(widths[start])
        if start >= layout.n_packed:
            return min(start + max(1, memory.n_ids // width), len(widths))
        n_rows = min(memory.n_ids // width, MAX_MASK_CELLS // width**2)
        return min(start + max(1, n_rows), layout.n_packed)

    def states_with_targets(start: int, end: int) -> torch.Tensor:
        """Return the states of the rows `start` to `end` that have targets."""
        span = slice(bounds[start], bounds[end])
        selected = (rows[span] - start) * widths[start] + columns[span]
        return hidden_states(reader, layout, start, end, selected)

    with torch.inference_mode(), full_precision():
        scorer = TargetScorer(reader, plan)
        for states in in_fitting_batches(
            len(widths), end_of, states_with_targets, memory.halve_ids
        ):
            scorer.add(states)
        scorer.flush()
        log_p = torch.cat(scorer.log_p).cpu().numpy() if scorer.log_p else np.zeros(0)
    return np.asarray(log_p, dtype=np.float64)[plan.target_index]


def hidden_states(
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
    index = np.where(inside, offsets[:-1, None] + columns, 0)  # nodes; 0 in the padding
    is_packed = start < layout.n_packed
    grids = {"input_ids": np.where(inside, layout.ids[index], 0)}
    if is_packed:
        grids["position_ids"] = np.where(inside, layout.depths[index], 0)
        grids["ends"] = np.where(inside, layout.ends[index], columns)  # padding sees itself alone
    else:
        grids["attention_mask"] = inside
    # All numbers go to the device in one transfer.
    flat = np.concatenate([array.ravel() for array in (*grids.values(), positions)])
    on_device = to_device(torch.from_numpy(flat.astype(np.int64)), reader.device)
    *parts, selected = torch.split(on_device, [inside.size] * len(grids) + [len(positions)])
    inputs = {name: part.view(inside.shape) for name, part in zip(grids, parts, strict=True)}
    if is_packed:
        inputs["attention_mask"] = mask_of(inputs.pop("ends"), reader.model.dtype)
    return body_output(reader.model, reader.head is not None, **inputs).flatten(0, 1)[selected]


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
