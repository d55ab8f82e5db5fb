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
from .torch_device import LOGITS, MemoryBudget, batched, ids_at_once, to_device

MIN_TOLERANCE = 1e-4  # as a share of the largest logit
T = TypeVar("T")

Logits: TypeAlias = Callable[[Integers, torch.Tensor, torch.Tensor], torch.Tensor]
"""(numbers of rows, `nth`, `index`) → logits `(n, vocabulary)` at n places: place i is position
`index[i]` of the `nth[i]`-th of these rows"""

SelfTestLogits: TypeAlias = "Callable[[RowReader, bool, torch.Tensor, torch.Tensor], torch.Tensor]"
"""(reader, padded, `nth`, `index`) → logits at places of a short row, read alone or, if `padded`,
in a batch with a longer one"""


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
        on_device = to_device(torch.from_numpy(np.stack([ids, inside])), self.device)
        return on_device[0], on_device[1]

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

    def tested(self, body: Any, n: int, probe: SelfTestLogits, at_least: int = 1) -> "RowReader":
        """Run the self-test, and return a copy of the reader with the settings that it allows.

        If padding changes the model's logits, rows will be read one by one; otherwise in batches of
        at least `at_least` ids. If the model gives the same logits when its head gets only some
        places of the states of `body`, the head will get only the places that are needed. `probe`
        returns the logits at up to `n` places of a short row.
        """
        index = torch.arange(n, device=self.device)
        nth = torch.zeros_like(index)
        alone, padded_logits = (probe(self, padded, nth, index) for padded in (False, True))
        selected = probe(replace(self, body=body), False, nth[1:], index[1:])
        n_logits, memory = alone.shape[-1], MemoryBudget(1, 1)
        if self.agrees(padded_logits, alone):
            n_at_once = max(at_least, ids_at_once(self.model, self.device))
            memory = MemoryBudget(n_at_once, max(1, LOGITS[self.device.type] // n_logits))
        usable_body = body if self.agrees(selected, alone[1:]) else None
        return replace(self, body=usable_body, n_ids=min(self.n_ids, n_logits), memory=memory)

    def in_batches(
        self, lengths: Integers, n_places: Integers, work: Callable[[int, int], T]
    ) -> Iterator[T]:
        """Yield the results of `work(start, end)` on batches of rows.

        Rows must be sorted longest first, so that a batch too large for the memory comes first.
        `n_places` holds, for each row and for the end, the number of positions whose logits are
        needed before it.
        """
        memory = self.memory

        def end_of(start: int) -> int:
            """Return the end of the batch of rows that begins at `start`."""
            room = start + memory.n_ids // int(lengths[start])
            fits = int(np.searchsorted(n_places, n_places[start] + memory.n_rows, "right")) - 1
            return max(start + 1, min(room, fits, len(lengths)))

        def shrink() -> None:
            """Halve both limits of a batch, ids and positions."""
            memory.halve_ids()
            memory.halve_rows()

        return batched(len(lengths), end_of, work, shrink)

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
        order = np.argsort(-lengths, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        width = int(lengths.max())
        keys, place_of = np.unique(rank[rows] * width + columns, return_inverse=True)
        firsts = np.searchsorted(keys // width, np.arange(len(order) + 1))
        by_place = np.argsort(place_of, kind="stable")  # the ids to score, place by place
        bounds = np.searchsorted(place_of[by_place], np.arange(len(keys) + 1))

        def work(start: int, end: int) -> torch.Tensor:
            """Return ln p of the ids to score in the sorted rows `start` to `end`."""
            low, high = firsts[start], firsts[end]
            chosen = by_place[bounds[low] : bounds[high]]
            places = np.stack([keys[low:high] // width - start, keys[low:high] % width])
            pairs = np.stack([place_of[chosen] - low, ids[chosen]])
            nth, index = to_device(torch.from_numpy(places), self.device)
            at_place, column = to_device(torch.from_numpy(pairs), self.device)
            scores = logits(order[start:end], nth, index).float()
            return scores[at_place, column].double() - scores.logsumexp(-1)[at_place].double()

        log_p = np.zeros(len(rows))
        parts = list(self.in_batches(lengths[order], firsts, work))
        log_p[by_place] = torch.cat(parts).cpu().numpy()
        return log_p


def untested_reader(model: Any, device: torch.device) -> RowReader:
    """Return a reader of a model before its self-test: it reads small batches, and always runs the
    model as a whole."""
    pad = model.config.get_text_config().pad_token_id
    n_ids = model.get_input_embeddings().weight.shape[0]
    pad = pad if isinstance(pad, int) and pad >= 0 else 0
    return RowReader(model, None, n_ids, pad, device, MemoryBudget(64, 64))
