"""Rows of ids to a model that is no plain causal one: batches, and the head where it is wanted.

Masked models, and the decoders of sequence-to-sequence models, are read in whole rows of which a
few places matter. Their heads differ (a transform, a scale, a bias), so no head is called by name:
the model runs as it is, and a hook hands its head the wanted places of the body alone.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, tee
from typing import Any, NamedTuple, TypeAlias

import torch

from colorless_green.scoring.align import Cut, tiled
from colorless_green.scoring.batches import chunks
from colorless_green.scoring.query import Query, Score, Stretch, Surprisals

NEAR = {torch.float32: 1e-4, torch.bfloat16: 5e-2, torch.float16: 1e-2}  # of logits that agree
SHOWN = 40  # characters of a text in a message

Place: TypeAlias = tuple[int, int]
"""(index of a place in a row, id whose probability there is wanted)"""

Asked: TypeAlias = tuple[str, str, str]
"""(prefix, continuation, suffix), all raw text"""


class Row(NamedTuple):
    """Ids that a model reads in one go."""

    ids: tuple[int, ...]
    source: int = 0  # which of the encoder's texts they are read with, if there is an encoder


@dataclass(frozen=True, slots=True)
class Read:
    """A row, and what is wanted of it."""

    row: Row
    wanted: tuple[Place, ...]


Answer: TypeAlias = Callable[[Sequence[Read]], Sequence[float]]
"""What a model does with a batch: ln p for each wanted place of its reads, read after read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a batch may hold; one row always fits."""

    n_ids: int  # padding included
    n_places: int  # projected onto the vocabulary


ONE_BY_ONE = Limits(1, 1)  # for a model whose answers change with the padding beside them


def scored(
    queries: Iterable[Query],
    surprisals: Callable[[Sequence[Asked]], Iterable[tuple[Surprisals, int]]],
    n_together: int,
) -> Iterator[Score]:
    """One score for each query, in order; `surprisals` is asked for `n_together` continuations at a
    time, of whatever queries, and says with each how many words around it are unknown."""
    ahead, again = tee(queries)
    stream = (
        (raw(query.prefix), raw(each), raw(query.suffix or ""))
        for query in ahead
        for each in query.continuations
    )
    answers = chain.from_iterable(map(surprisals, chunks(stream, n_together)))
    for query in again:
        found = list(islice(answers, len(query.continuations)))
        yield Score(tuple(each for each, _ in found), found[0][1] if found else 0)


def raw(stretch: Stretch) -> str:
    """`stretch`, which the caller has seen to be text, as `unit` says."""
    assert isinstance(stretch, str), "a scorer of unit 'text' is asked for raw text"
    return stretch


def place(text: str) -> str:
    """How a text is named in a message."""
    return f"query {text if len(text) <= SHOWN else text[:SHOWN] + '…'!r}"


def cut(tokenizer: Any, texts: Iterable[str], as_target: bool = False) -> dict[str, Cut]:
    """Each distinct text in its subwords, without specials, nothing cut off; as what a decoder
    writes, if `as_target`."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    found = tokenizer(
        **{"text_target" if as_target else "text": distinct},
        add_special_tokens=False,
        return_offsets_mapping=True,
        return_attention_mask=False,
        verbose=False,
    )
    parts = zip(distinct, found["input_ids"], found["offset_mapping"], strict=True)
    return {text: Cut(tuple(ids), tiled(text, offsets)) for text, ids, offsets in parts}


def specials(tokenizer: Any, as_target: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that the tokenizer itself puts before and behind a text, found out on "a"."""
    text = {"text_target" if as_target else "text": "a"}
    bare = tokenizer(**text, add_special_tokens=False)["input_ids"]
    dressed = tokenizer(**text)["input_ids"]
    starts = [n for n in range(len(dressed)) if dressed[n : n + len(bare)] == bare]
    start = starts[0] if starts else 0
    return tuple(dressed[:start]), tuple(dressed[start + len(bare) :])


def asked_once(
    wanted: Sequence[Sequence[tuple[Row, Place]]],
    answer: Answer,
    limits: Limits,
    length: Callable[[Row], int] = lambda row: len(row.ids),
) -> list[list[float]]:
    """ln p for each (row, place) of `wanted`. Equal rows are read once, equal places in them asked
    once, so that equal questions get equal answers. `length` is what a row counts in a batch."""
    rows: dict[Row, dict[Place, float]] = {}
    for every in wanted:
        for row, each in every:
            rows.setdefault(row, {})[each] = math.nan
    reads = [Read(row, tuple(found)) for row, found in rows.items()]
    n_wanted = [len(read.wanted) for read in reads]
    for batch in batches([length(row) for row in rows], n_wanted, limits):
        values = iter(halved([reads[index] for index in batch], answer))
        for index in batch:
            rows[reads[index].row] = {each: next(values) for each in reads[index].wanted}
    return [[rows[row][each] for row, each in every] for every in wanted]


def batches(lengths: Sequence[int], n_wanted: Sequence[int], limits: Limits) -> Iterator[list[int]]:
    """Indices in batches, longest first, so that what does not fit shows at once."""
    batch: list[int] = []
    n_places = 0
    for index in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        longest = lengths[batch[0] if batch else index]
        n_places += n_wanted[index]
        full = (len(batch) + 1) * longest > limits.n_ids or n_places > limits.n_places
        if batch and full:
            yield batch
            batch, n_places = [], n_wanted[index]
        batch.append(index)
    if batch:
        yield batch


def halved(reads: Sequence[Read], answer: Answer) -> Sequence[float]:
    """What `answer` says, of all of `reads` at once or, where the memory of a GPU ends, of ever
    fewer."""
    try:
        return answer(reads)
    except torch.OutOfMemoryError:
        if len(reads) == 1:
            raise
    torch.cuda.empty_cache()
    half = len(reads) // 2
    return [*halved(reads[:half], answer), *halved(reads[half:], answer)]


def padded(
    rows: Sequence[tuple[int, ...]], pad: int, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids `(batch, time)`, `pad` after each row's end, and a mask of that shape, 1 where ids are.

    The mask goes by the rows' lengths. `pad` is the model's own: some, like RoBERTa, count
    positions by it.
    """
    longest = max(map(len, rows))
    ids = [[*row, *[pad] * (longest - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def logits_at(
    model: Any, body: Any, inputs: Mapping[str, Any], nth: torch.Tensor, index: torch.Tensor
) -> torch.Tensor:
    """Logits `(n, vocabulary)` at the places `index` of rows `nth`, both `(n)`.

    `body` is the part of the model whose states its head reads; of these the head gets the wanted
    ones only, as one long row. None: the whole of the model's logits is computed.
    """
    if body is None:
        found: torch.Tensor = model(**inputs).logits[nth, index]
        return found

    def wanted(_module: Any, _args: Any, output: Any) -> Any:
        output.last_hidden_state = output.last_hidden_state[nth, index].unsqueeze(0)
        return output

    hook = body.register_forward_hook(wanted)
    try:
        found = model(**inputs).logits[0]
    finally:
        hook.remove()
    return found


def read_off(logits: torch.Tensor, reads: Sequence[Read]) -> list[float]:
    """ln p for each place of `reads`, read after read; `logits` has a line for each `places`.

    The normaliser is a float32 log-sum-exp over all columns, those beyond the tokenizer's entries
    included, for that is the model's own distribution.
    """
    lines = {each: line for line, each in enumerate(places(reads))}
    wanted = [
        (lines[nth, index], token) for nth, read in enumerate(reads) for index, token in read.wanted
    ]
    line, column = torch.tensor(wanted, device=logits.device).T
    logits = logits.float()
    chosen = logits[line, column].double() - logits.logsumexp(-1)[line].double()
    values: list[float] = chosen.tolist()
    return values


def places(reads: Sequence[Read]) -> list[tuple[int, int]]:
    """(which read, which index in it) of each distinct place, in order."""
    every = ((nth, index) for nth, read in enumerate(reads) for index, _ in read.wanted)
    return list(dict.fromkeys(every))


def alike(found: torch.Tensor, wanted: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether two tensors of logits differ by no more than `dtype` rounds, on their scale."""
    if found.shape != wanted.shape:
        return False
    scale = max(1.0, wanted.abs().max().item())
    return (found.float() - wanted.float()).abs().max().item() <= NEAR[dtype] * scale
