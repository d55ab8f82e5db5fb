"""Rows of ids to a model that is no plain causal one: batches, and the head where it is wanted.

Masked models, and the decoders of sequence-to-sequence models, are read in whole rows of which a
few places matter. Their heads differ (a transform, a scale, a bias), so no head is called by name:
the model runs as it is, and a hook hands its head the wanted places of the body alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.arrays import Integers
from .selftest import NEAR, within_tolerance
from .torch_device import LOGITS, MemoryBudget, batched, ids_at_once, to_device

NEAREST = 1e-4  # of logits in float32, on the scale of the largest
T = TypeVar("T")

Logits: TypeAlias = Callable[[Integers, torch.Tensor, torch.Tensor], torch.Tensor]
"""What a model says of some rows, named by their numbers: logits at places, each given by which of
these rows it is in and where there"""

SelfTestLogits: TypeAlias = "Callable[[RowReader, bool, torch.Tensor, torch.Tensor], torch.Tensor]"
"""Logits of a self-test at places of a short row, read alone or (if true) beside a longer one"""


@dataclass(frozen=True, slots=True)
class RowReader:
    """A model with an encoder, and what its self-test found."""

    model: Any
    body: Any  # whose states the head reads; None where they cannot be told apart
    n_ids: int  # the vocabulary
    pad: int  # the model's own: some, like RoBERTa, count positions by it
    device: torch.device
    memory: MemoryBudget

    def padded(self, rows: Sequence[NDArray[np.int32]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids `(batch, time)` with padding after each row's end, and a mask, 1 where ids are."""
        lengths = np.array([len(row) for row in rows])
        inside = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(inside.shape, self.pad, np.int64)
        ids[inside] = np.concatenate(rows)
        on_device = to_device(torch.from_numpy(np.stack([ids, inside])), self.device)
        return on_device[0], on_device[1]

    def logits(
        self, inputs: Mapping[str, Any], nth: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        """Logits `(n, vocabulary)` at the places `index` of rows `nth`, both `(n)`; where head and
        body come apart, the head gets these places only, as one long row."""
        if self.body is None:
            logits: torch.Tensor = self.model(**inputs).logits[nth, index]
            return logits

        def wanted(_module: Any, _args: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state[nth, index].unsqueeze(0)
            return output

        hook = self.body.register_forward_hook(wanted)
        try:
            logits = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return logits

    def agrees(self, actual: torch.Tensor, expected: torch.Tensor) -> bool:
        """Return whether logits agree but for what the model's number type rounds."""
        return within_tolerance(
            actual.float(), expected.float(), max(NEAREST, NEAR[self.model.dtype])
        )

    def tested(self, body: Any, n: int, say: SelfTestLogits, at_least: int = 1) -> "RowReader":
        """The reader by its self-test: whether its head can be given the wanted places of `body`
        alone, and whether padding leaves its answers as they are; if not, rows are read one by one,
        else `at_least` that many ids. `say` answers at `n` places or fewer of a short row."""
        index = torch.arange(n, device=self.device)
        nth = torch.zeros_like(index)
        alone, grouped = (say(self, padded, nth, index) for padded in (False, True))
        apart = say(replace(self, body=body), False, nth[1:], index[1:])
        n_logits, memory = alone.shape[-1], MemoryBudget(1, 1)
        if self.agrees(grouped, alone):
            n_at_once = max(at_least, ids_at_once(self.model, self.device))
            memory = MemoryBudget(n_at_once, max(1, LOGITS[self.device.type] // n_logits))
        usable_body = body if self.agrees(apart, alone[1:]) else None
        return replace(self, body=usable_body, n_ids=min(self.n_ids, n_logits), memory=memory)

    def in_batches(
        self, lengths: Integers, n_cells: Integers, work: Callable[[int, int], T]
    ) -> Iterator[T]:
        """Yield the results of `work` on all rows in batches. Rows must be sorted longest first, so
        that what does not fit shows at once. `n_cells` counts the positions that are asked for
        before each row, and before the end of the last one."""
        memory = self.memory

        def end_of(start: int) -> int:
            room = start + memory.n_ids // int(lengths[start])
            fits = int(np.searchsorted(n_cells, n_cells[start] + memory.n_rows, "right")) - 1
            return max(start + 1, min(room, fits, len(lengths)))

        def shrink() -> None:
            memory.halve_ids()
            memory.halve_rows()

        return batched(len(lengths), end_of, work, shrink)

    def read(
        self, lengths: Integers, rows: Integers, columns: Integers, ids: Integers, logits: Logits
    ) -> NDArray[np.float64]:
        """ln p of `ids` at the places `columns` of `rows`; `lengths` is what each row counts
        in a batch. Equal questions get equal answers.

        The normaliser is a float32 log-sum-exp over all columns, those beyond the tokenizer's
        entries included, for that is the model's own distribution.
        """
        if not len(rows):
            return np.zeros(0)
        order = np.argsort(-lengths, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        width = int(lengths.max())
        keys, line = np.unique(rank[rows] * width + columns, return_inverse=True)
        firsts = np.searchsorted(keys // width, np.arange(len(order) + 1))
        which = np.argsort(line, kind="stable")  # what is wanted, place by place
        bounds = np.searchsorted(line[which], np.arange(len(keys) + 1))

        def work(start: int, end: int) -> torch.Tensor:
            low, high = firsts[start], firsts[end]
            chosen = which[bounds[low] : bounds[high]]
            cells = np.stack([keys[low:high] // width - start, keys[low:high] % width])
            pairs = np.stack([line[chosen] - low, ids[chosen]])
            nth, index = to_device(torch.from_numpy(cells), self.device)
            at_line, column = to_device(torch.from_numpy(pairs), self.device)
            scores = logits(order[start:end], nth, index).float()
            return scores[at_line, column].double() - scores.logsumexp(-1)[at_line].double()

        log_p = np.zeros(len(rows))
        parts = list(self.in_batches(lengths[order], firsts, work))
        log_p[which] = torch.cat(parts).cpu().numpy()
        return log_p


def untested(model: Any, device: torch.device) -> RowReader:
    """Return a reader for a model before anything is known of it."""
    pad = model.config.get_text_config().pad_token_id
    n_ids = model.get_input_embeddings().weight.shape[0]
    pad = pad if isinstance(pad, int) and pad >= 0 else 0
    return RowReader(model, None, n_ids, pad, device, MemoryBudget(64, 64))
