"""A reader of masked and sequence-to-sequence models: batches of rows, logits at a few places.

These models are read in whole rows of ids, of which only a few places are scored. Their heads
differ (a transform, a scale, a bias), so no head is called by name: the model runs as it is, and a
hook passes on to its head only the body's states at the places that are scored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.arrays import Integers
from .selftest import TOLERANCE, within_tolerance
from .torch_device import MAX_LOGITS, MemoryBudget, ids_at_once, in_fitting_batches, to_device

MIN_TOLERANCE = 1e-4  # as a share of the largest logit
T = TypeVar("T")

Logits: TypeAlias = Callable[[Integers, torch.Tensor, torch.Tensor], torch.Tensor]
"""(numbers of rows, `nth`, `index`) → logits `(n, vocabulary)` at n places: place i is position
`index[i]` of the `nth[i]`-th of these rows"""

SelfTestLogits: TypeAlias = "Callable[[RowReader, bool, torch.Tensor, torch.Tensor], torch.Tensor]"
"""(reader, is_padded, `nth`, `index`) → logits at places of a short row, read alone or, if
`is_padded`, in a batch with a longer one"""


@dataclass(frozen=True, slots=True)
class RowReader:
    """A model with an encoder, and how its self-test found that it can be read."""

    model: Any
    body: Any  # the submodule whose states the head reads; None: the model runs only as a whole
    n_ids: int  # size of the vocabulary
    pad: int  # the model's padding id: some models, like RoBERTa, count positions by it
    device: torch.device
    memory: MemoryBudget

    def padded(self, rows: Sequence[NDArray[np.int32]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return rows of ids as one tensor `(batch, time)`, padded on the right, and a mask of the
        same shape: 1 at the ids and 0 at the padding."""
        lengths = np.array([len(row) for row in rows])
        inside = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(inside.shape, self.pad, np.int64)
        ids[inside] = np.concatenate(rows)
        ids_on_device, mask = to_device(torch.from_numpy(np.stack([ids, inside])), self.device)
        return ids_on_device, mask

    def logits(
        self, inputs: Mapping[str, Any], nth: torch.Tensor, index: torch.Tensor
    ) -> torch.Tensor:
        """Return logits `(n, vocabulary)` at the positions `index` of the rows `nth`, both `(n,)`.

        If the body is known, the head gets only these places, as one long row.
        """
        if self.body is None:
            logits: torch.Tensor = self.model(**inputs).logits[nth, index]
            return logits

        def select_places(_module: Any, _args: Any, output: Any) -> Any:
            """Keep only the states at the needed places, as a batch of one row."""
            output.last_hidden_state = output.last_hidden_state[nth, index].unsqueeze(0)
            return output

        hook = self.body.register_forward_hook(select_places)
        try:
            logits = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return logits

    def agrees(self, actual: torch.Tensor, expected: torch.Tensor) -> bool:
        """Return whether logits are equal except for rounding in the model's number type."""
        return within_tolerance(
            actual.float(), expected.float(), max(MIN_TOLERANCE, TOLERANCE[self.model.dtype])
        )

    def self_tested(
        self, body: Any, n_places: int, probe: SelfTestLogits, min_batch_ids: int = 1
    ) -> "RowReader":
        """Run the self-test, and return a copy of the reader with the settings that it allows.

        If padding changes the model's logits, rows will be read one by one; otherwise in batches of
        at least `min_batch_ids` ids. If the model gives the same logits when its head gets only
        some places of the states of `body`, the head will get only the places that are needed.
        `probe` returns the logits at up to `n_places` places of a short row.
        """
        index = torch.arange(n_places, device=self.device)
        nth = torch.zeros_like(index)  # all places are in row 0
        alone, padded = (probe(self, is_padded, nth, index) for is_padded in (False, True))
        selected = probe(replace(self, body=body), False, nth[1:], index[1:])
        n_logits, memory = alone.shape[-1], MemoryBudget(1, 1)
        if self.agrees(padded, alone):
            n_at_once = max(min_batch_ids, ids_at_once(self.model, self.device))
            memory = MemoryBudget(n_at_once, max(1, MAX_LOGITS[self.device.type] // n_logits))
        usable_body = body if self.agrees(selected, alone[1:]) else None
        return replace(self, body=usable_body, n_ids=min(self.n_ids, n_logits), memory=memory)

    def in_batches(
        self, lengths: Integers, place_offsets: Integers, work: Callable[[int, int], T]
    ) -> Iterator[T]:
        """Yield the results of `work(start, end)` on batches of rows.

        Rows must be sorted longest first, so that a batch too large for the memory comes first. The
        positions whose logits are needed are numbered row by row; `place_offsets` are the numbers
        at which rows begin, and the end of the last.
        """
        memory = self.memory

        def end_of(start: int) -> int:
            """Return the end of the batch of rows that begins at `start`."""
            end_by_ids = start + memory.n_ids // int(lengths[start])
            limit = place_offsets[start] + memory.n_rows
            end_by_places = int(np.searchsorted(place_offsets, limit, "right")) - 1
            return max(start + 1, min(end_by_ids, end_by_places, len(lengths)))

        def shrink() -> None:
            """Halve both limits of a batch, ids and positions."""
            memory.halve_ids()
            memory.halve_rows()

        return in_fitting_batches(len(lengths), end_of, work, shrink)

    def read(
        self, lengths: Integers, rows: Integers, columns: Integers, ids: Integers, logits: Logits
    ) -> NDArray[np.float64]:
        """Return ln p of each of `ids` at the position `columns` of the row `rows`; the same id at
        the same place always gets the same number.

        `lengths` are the lengths of all rows in ids, by which batches are filled; `logits` computes
        the logits at places of some rows. The normaliser is a float32 log-sum-exp over all the
        model's entries, those that the tokenizer lacks included, as that is the model's own
        distribution.
        """
        if not len(rows):
            return np.zeros(0)
        order = np.argsort(-lengths, kind="stable")  # the longest row first
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        width = int(lengths.max())
        # A place, coded as one number: the rank of its row, and its position in the row.
        places, place_of = np.unique(rank[rows] * width + columns, return_inverse=True)
        place_ranks, place_positions = np.divmod(places, width)
        place_offsets = np.searchsorted(place_ranks, np.arange(len(order) + 1))  # of sorted rows
        by_place = np.argsort(place_of, kind="stable")  # the ids to score, place by place
        id_offsets = np.searchsorted(place_of[by_place], np.arange(len(places) + 1))  # of places

        def work(start: int, end: int) -> torch.Tensor:
            """Return ln p of the ids to score in the sorted rows `start` to `end`."""
            low, high = place_offsets[start], place_offsets[end]
            chosen = by_place[id_offsets[low] : id_offsets[high]]
            batch_places = np.stack([place_ranks[low:high] - start, place_positions[low:high]])
            scored = np.stack([place_of[chosen] - low, ids[chosen]])
            nth, index = to_device(torch.from_numpy(batch_places), self.device)
            place, token_id = to_device(torch.from_numpy(scored), self.device)
            scores = logits(order[start:end], nth, index).float()
            return scores[place, token_id].double() - scores.logsumexp(-1)[place].double()

        log_p = np.zeros(len(rows))
        parts = list(self.in_batches(lengths[order], place_offsets, work))
        log_p[by_place] = torch.cat(parts).cpu().numpy()
        return log_p


def untested_reader(model: Any, device: torch.device) -> RowReader:
    """Return a reader of a model before its self-test: it reads small batches, and always runs the
    model as a whole."""
    declared = model.config.get_text_config().pad_token_id
    pad = declared if isinstance(declared, int) and declared >= 0 else 0
    n_ids = model.get_input_embeddings().weight.shape[0]
    return RowReader(model, None, n_ids, pad, device, MemoryBudget(n_ids=64, n_rows=64))
