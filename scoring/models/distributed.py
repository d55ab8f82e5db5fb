"""One model's work shared among workers: questions (texts whose surprisal is wanted) are divided
into chunks, and each chunk is answered by the next free worker.

How questions are cut into chunks depends on the questions alone, and every chunk is answered by
itself, also in this process. So batches, and with them the last bits of a number, are the same
whoever computes them. The price: sorted questions that begin alike are separated once a chunk.
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.executor import Executor, InProcess, worker_number
from ..questions.answer_columns import Answers, Questions, answers_of, scores_of
from ..questions.query import LoadOptions, Query, Score, Scorer
from .specs import Model, load_model
from .words import signature_facts

CHUNK_SIZES = {"cpu": 256, "cuda": 4_096}
"""Questions in a chunk, by device, for a scorer that has no `chunk` of its own"""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS")  # of torch and of tokenizers
SAME_VERSIONS = "the same files and the same versions of everything wherever it is loaded"


@dataclass(frozen=True, slots=True)
class ScorerCopy:
    """A picklable function that answers a chunk of questions in a worker process.

    The worker loads the model of this spec at the first call and keeps it for later ones.
    """

    spec: str
    options: LoadOptions
    devices: tuple[str, ...]  # worker n uses number n, in rotation; empty: the options' device
    folder: str  # that relative paths in `spec` start from
    signature: str
    n_threads: int | None

    def __call__(self, questions: Questions) -> Answers:
        """Return the answers to a chunk of questions, computed with `n_threads` threads."""
        with _thread_limit(self.n_threads):
            (answers,) = answers_of(worker_scorer(self), [questions])
        return answers


@dataclass(frozen=True, slots=True)
class DistributedScorer:
    """A scorer whose questions an executor answers, by copies of one model.

    All other attributes (`looks_ahead`, `name`, …) are those of the model's own scorer.
    """

    scorer: Scorer
    copy: ScorerCopy
    executor: Executor
    chunk: int

    @property
    def signature(self) -> str:
        """The signature of the model's own scorer, since a number does not depend on the worker
        that computed it."""
        return self.scorer.signature

    @property
    def unit(self) -> str:
        """The unit of the model's scorer: "words" or "text"."""
        return self.scorer.unit

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scorer, name)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield one score for each query, in order."""
        return scores_of(self, queries)

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions, in order."""
        if not isinstance(self.executor, InProcess):
            yield from self.executor.map(self.copy, chunks)
            return
        remaining = answers_of(self.scorer, chunks)
        while True:
            with _thread_limit(self.copy.n_threads):  # not around `yield`: the caller has its own
                answers = next(remaining, None)
            if answers is None:
                return
            yield answers


def spread_over(
    model: Model,
    executor: Executor,
    *,
    devices: Sequence[str] = (),
    chunk: int | None = None,
    n_threads: int | None = 1,
) -> DistributedScorer:
    """Return a scorer that lets an executor do the work of a model.

    In one process the model itself answers; every other process loads it once, by its spec, and
    checks that it is the same. The same questions, `chunk` and `n_threads` give the same numbers,
    to the last bit, under every executor, on processors of one kind; on GPUs they are the same
    except for rounding, since free memory decides the batch size. Another number of threads changes
    the order of sums: from 1 to 8 threads two of six models changed, a GPT-2 by 7e-7 bits, a random
    LSTM of 650 units, which is chaotic, by 0.2 bits.

    Args:
        model: the model.
        executor: what does the work.
        devices: of this machine; the nth worker has the nth, round and round. Empty: the model's.
        chunk: questions that go together; `None`: what the model likes, or `CHUNK_SIZES`.
        n_threads: of torch, wherever it computes; `None` leaves it to torch, one suits as many
            workers as there are cores.

    Returns:
        A scorer. Its `answers` raises the `InputError`s of the model, and one if the spec stands
        for another model or another version of something on a worker.
    """
    copy = ScorerCopy(
        model.spec, model.options, tuple(devices), os.getcwd(), model.scorer.signature, n_threads
    )
    device, _, _ = model.device.partition(" ")  # without the name of a GPU
    default = CHUNK_SIZES.get(device, CHUNK_SIZES["cpu"])
    size = chunk or getattr(model.scorer, "chunk", 0) or default
    if getattr(model.scorer, "stream", None) is not None:
        size = sys.maxsize  # one chunk, since every chunk would read the whole stream
    return DistributedScorer(model.scorer, copy, executor, size)


_cached: dict[ScorerCopy, Scorer] = {}  # in a worker process: its last model, and no other


def worker_scorer(worker: ScorerCopy) -> Scorer:
    """Return this worker process's scorer for the model, loading it on first use (one model is kept
    at a time).

    Raises `InputError` if the model on this machine is not identical to the one requested, since
    its scores would differ.
    """
    if worker not in _cached:
        _cached.clear()  # before loading: memory may not hold two models
        _cached[worker] = _load_copy(worker)
    return _cached[worker]


def _load_copy(worker: ScorerCopy) -> Scorer:
    """Load the model of `worker` on this process's device, and return its scorer.

    Sets environment variables for the number of threads. Raises `InputError` as `worker_scorer`.
    """
    options = worker.options
    if worker.devices:
        options = replace(options, device=worker.devices[worker_number() % len(worker.devices)])
    if worker.n_threads is not None:  # before torch is imported: else it would use all cores
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(worker.n_threads)))
    with chdir(worker.folder) if Path(worker.folder).is_dir() else nullcontext():
        scorer = load_model(worker.spec, **asdict(options)).scorer
    if scorer.signature != worker.signature:
        differences = _differences(worker.signature, scorer.signature)
        wrong = f"a worker on {platform.node()} has {differences}"
        raise InputError(f"--model {worker.spec}", wrong, SAME_VERSIONS, kind="conflict")
    return scorer


def _differences(expected: str, actual: str) -> str:
    """Return the differences between two signatures as text, "KEY ACTUAL for EXPECTED, …"."""
    old, new = signature_facts(expected), signature_facts(actual)
    return ", ".join(
        f"{key} {new.get(key, 'none')} for {old.get(key, 'none')}"
        for key in {**old, **new}
        if old.get(key) != new.get(key)
    )


@contextmanager
def _thread_limit(n: int | None) -> Iterator[None]:
    """Let torch use `n` threads within the block. Nothing is changed if `n` is None, or if torch
    has not been imported."""
    torch: Any = sys.modules.get("torch")
    if n is None or torch is None:
        yield
        return
    previous = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(previous)
