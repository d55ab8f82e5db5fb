"""One model's work shared out: chunks of questions, each answered wherever a worker is free.

The cut hangs on the questions alone, and every chunk is answered by itself, in this process too:
what a batch holds, and so the last bits of a number, is the same whoever did it. Sorted questions
that begin alike are parted at one place a chunk.
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

CHUNK = {"cpu": 256, "cuda": 4_096}
"""Questions at once to a model that does not say how many"""
COUNTS_THREADS = ("OMP_NUM_THREADS", "RAYON_NUM_THREADS")  # of torch, and of its tokenizers
SAME = "the same files and the same versions of everything wherever it is loaded"


@dataclass(frozen=True, slots=True)
class ScorerCopy:
    """A function from a chunk of questions to their answers that can travel: there it is the model
    of the same spec, loaded when first asked and kept for the next chunk and the next suite."""

    spec: str
    options: LoadOptions
    devices: tuple[str, ...]  # by worker number; none: what the options say
    folder: str  # what paths in `spec` start from
    signature: str
    n_threads: int | None

    def __call__(self, questions: Questions) -> Answers:
        with _threads(self.n_threads):
            (answers,) = answers_of(worker_scorer(self), [questions])
        return answers


@dataclass(frozen=True, slots=True)
class DistributedScorer:
    """A scorer that is asked here and answers from wherever it has copies.

    What it does not have itself (`looks_ahead`, `name`, …) is the model's own.
    """

    scorer: Scorer
    copy: ScorerCopy
    executor: Executor
    chunk: int

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
        """One score for each query, in order."""
        return scores_of(self, queries)

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions, in order."""
        if not isinstance(self.executor, InProcess):
            yield from self.executor.map(self.copy, chunks)
            return
        answers = answers_of(self.scorer, chunks)
        while True:  # who is told of an answer has the threads of before
            with _threads(self.copy.n_threads):
                answer = next(answers, None)
            if answer is None:
                return
            yield answer


def spread_over(
    model: Model,
    executor: Executor,
    *,
    devices: Sequence[str] = (),
    chunk: int | None = None,
    n_threads: int | None = 1,
) -> DistributedScorer:
    """Lets an executor do the work of a model.

    In one process the model itself answers; every other process loads it once, by its spec, and
    checks that it is the same. The same questions, `chunk` and `n_threads` give the same numbers,
    to the last bit, under every executor, on processors of one kind; on GPUs, whose free memory
    decides how much is read at once, but for rounding. With other threads sums go in another order:
    between 1 and 8 of them two of six models changed, a GPT-2 by 7e-7 bits, a random LSTM of 650
    units, which is chaotic, by 0.2.

    Args:
        model: the model.
        executor: what does the work.
        devices: of this machine; the nth worker has the nth, round and round. Empty: the model's.
        chunk: questions that go together; `None`: what the model likes, or CHUNK.
        n_threads: of torch, wherever it computes; `None` leaves it to torch, one suits as many
            workers as there are cores.

    Returns:
        A scorer; its `answers` raises the backend's `InputError`s as the model does, and one for a
        worker where another model, or another version of something, goes by the spec.
    """
    copy = ScorerCopy(
        model.spec, model.options, tuple(devices), os.getcwd(), model.scorer.signature, n_threads
    )
    device = model.device.partition(" ")[0]
    size = chunk or getattr(model.scorer, "chunk", 0) or CHUNK.get(device, CHUNK["cpu"])
    if getattr(model.scorer, "stream", None) is not None:
        size = sys.maxsize  # every chunk would read the whole stream
    return DistributedScorer(model.scorer, copy, executor, size)


_cached: dict[ScorerCopy, Scorer] = {}  # of this process: the model it was last asked for, no more


def worker_scorer(worker: ScorerCopy) -> Scorer:
    """Return the model in this process, loaded if it is not there. Raises `InputError` if it is
    another one than is wanted: then its numbers would be others."""
    if worker not in _cached:
        _cached.clear()  # first: two may be more than the memory holds
        _cached[worker] = _loaded(worker)
    return _cached[worker]


def _loaded(worker: ScorerCopy) -> Scorer:
    options = worker.options
    if worker.devices:
        options = replace(options, device=worker.devices[worker_number() % len(worker.devices)])
    if worker.n_threads is not None:  # before torch is there: else all workers have all cores
        os.environ.update(dict.fromkeys(COUNTS_THREADS, str(worker.n_threads)))
    with chdir(worker.folder) if Path(worker.folder).is_dir() else nullcontext():
        scorer = load_model(worker.spec, **asdict(options)).scorer
    if scorer.signature != worker.signature:
        wrong = f"a worker on {platform.node()} has {_changes(worker.signature, scorer.signature)}"
        raise InputError(f"--model {worker.spec}", wrong, SAME, kind="conflict")
    return scorer


def _changes(expected: str, actual: str) -> str:
    """Return the parts of one signature that another has not, each with the other's."""
    ours, theirs = (
        dict(part.split(":", 1) for part in signature.split("|"))
        for signature in (expected, actual)
    )
    return ", ".join(
        f"{key} {theirs.get(key, 'none')} for {ours.get(key, 'none')}"
        for key in {**ours, **theirs}
        if ours.get(key) != theirs.get(key)
    )


@contextmanager
def _threads(n: int | None) -> Iterator[None]:
    """Within it torch, if the model has loaded it, computes with `n` threads."""
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
