"""One model's work shared out: queries in shards, each scored wherever a worker is free.

The cut hangs on the queries alone, and every shard is scored by itself, in this process too: what
a batch holds, and so the last bits of a number, is the same whoever did it. Sorted queries that
begin alike are parted at one place a shard: for 4,044 BLiMP continuations in shards of 256 a causal
model reads 0.1 % more subwords than without a cut, and an n-gram model takes 1.1 times as long.
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, seat
from colorless_green.scoring.query import LoadOptions, Query, Score, Scorer
from colorless_green.scoring.specs import Model, load_model

SHARD = {"cpu": 256, "cuda": 4_096}
"""Continuations: 4 to 7 s of one core for sentences and 135 M parameters; what fills a GPU"""
COUNTS_THREADS = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS")  # of torch, and of its tokenizers
SAME = "the same files and the same versions of everything wherever it is loaded"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The model that a worker must have."""

    spec: str
    options: LoadOptions
    devices: tuple[str, ...]  # by seat; none: what the options say
    folder: str  # what paths in `spec` start from
    signature: str
    n_threads: int | None


class Copy:
    """A function from a shard to its scores that can travel: there it is the model of the same
    spec, loaded when first asked and kept for the next shard and the next suite."""

    def __init__(self, wanted: Wanted, here: Scorer | None = None) -> None:
        self.wanted, self.here = wanted, here

    def __reduce__(self) -> tuple[type["Copy"], tuple[Wanted]]:
        return Copy, (self.wanted,)

    def __call__(self, queries: Sequence[Query]) -> list[Score]:
        scorer = kept(self.wanted) if self.here is None else self.here
        with _threads(self.wanted.n_threads):
            return list(scorer.score(queries))


@dataclass(frozen=True, slots=True)
class Spread:
    """A scorer that is asked here and answers from wherever it has copies.

    What it does not have itself (`looks_ahead`, `name`, …) is the model's own.
    """

    scorer: Scorer
    copy: Copy
    executor: Executor
    shard: int

    @property
    def signature(self) -> str:
        """The model's own: who scored does not show."""
        return self.scorer.signature

    @property
    def unit(self) -> str:
        """The model's own."""
        return self.scorer.unit

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scorer, name)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """One score for each query, in order; those of a shard come together."""
        for scores in self.executor.map(self.copy, shards(queries, self.shard)):
            yield from scores


def spread_over(
    model: Model,
    executor: Executor,
    *,
    devices: Sequence[str] = (),
    shard: int | None = None,
    n_threads: int | None = 1,
) -> Spread:
    """The scorer of `model`, its work done by `executor`.

    In one process the model itself answers; every other process loads it once, by its spec, and
    checks that it is the same. With several `devices` on this machine the nth worker has the nth,
    round and round.

    `shard` is how many continuations go together; None is SHARD for the model's device. Torch
    computes each with `n_threads` threads, wherever that is; None leaves it to torch, one suits as
    many workers as there are cores. The same queries, `shard` and `n_threads` give the same
    numbers, to the last bit, under every executor, on processors of one kind; on GPUs, whose free
    memory decides how much is read at once, but for rounding. With other threads sums go in
    another order: between 1 and 8 of them two of six models changed, a GPT-2 by 7e-7 bits, a
    random LSTM of 650 units, which is chaotic, by 0.2.

    Its `score` raises the backend's `InputError`s as the model does, and one for a worker where
    another model, or another version of something, goes by the spec.
    """
    wanted = Wanted(
        model.spec, model.options, tuple(devices), os.getcwd(), model.scorer.signature, n_threads
    )
    size = shard or SHARD.get(model.device.partition(" ")[0], SHARD["cpu"])
    if getattr(model.scorer, "stream", None) is not None:
        size = sys.maxsize  # every shard would read the whole stream
    return Spread(model.scorer, Copy(wanted, model.scorer), executor, size)


def shards(queries: Iterable[Query], size: int) -> Iterator[list[Query]]:
    """`queries` in their order, each stretch as short as it can be with `size` continuations; the
    last has what is left. No query is parted."""
    shard: list[Query] = []
    n_continuations = 0
    for query in queries:
        shard.append(query)
        n_continuations += len(query.continuations)
        if n_continuations >= size:
            yield shard
            shard, n_continuations = [], 0
    if shard:
        yield shard


_kept: dict[Wanted, Scorer] = {}  # of this process: the model it was last asked for, no more


def kept(wanted: Wanted) -> Scorer:
    """The model in this process, loaded if it is not there. Raises `InputError` if it is another
    one than is wanted: then its numbers would be others."""
    if wanted not in _kept:
        _kept.clear()  # first: two may be more than the memory holds
        _kept[wanted] = _loaded(wanted)
    return _kept[wanted]


def _loaded(wanted: Wanted) -> Scorer:
    options = wanted.options
    if wanted.devices:
        options = replace(options, device=wanted.devices[seat() % len(wanted.devices)])
    if wanted.n_threads is not None:  # before torch is there: else all workers have all cores
        os.environ.update(dict.fromkeys(COUNTS_THREADS, str(wanted.n_threads)))
    with chdir(wanted.folder) if Path(wanted.folder).is_dir() else nullcontext():
        scorer = load_model(wanted.spec, **asdict(options)).scorer
    if scorer.signature != wanted.signature:
        wrong = f"a worker on {platform.node()} has {_other(wanted.signature, scorer.signature)}"
        raise InputError(f"--model {wanted.spec}", wrong, SAME, kind="conflict")
    return scorer


def _other(wanted: str, found: str) -> str:
    """The parts of one signature that another has not, each with the other's."""
    here, there = (dict(part.split(":", 1) for part in each.split("|")) for each in (wanted, found))
    differing = [key for key in {**here, **there} if here.get(key) != there.get(key)]
    return ", ".join(
        f"{key} {there.get(key, 'none')} for {here.get(key, 'none')}" for key in differing
    )


@contextmanager
def _threads(n: int | None) -> Iterator[None]:
    """Within it torch, if the model has loaded it, computes with `n` threads."""
    torch: Any = sys.modules.get("torch")
    if n is None or torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)
