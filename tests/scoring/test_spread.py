"""Scoring shared out: the same bits whoever scores, nothing lost, one model everywhere."""

import importlib.util
import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, product
from multiprocessing import active_children
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, InProcess, executor
from colorless_green.scoring import (
    Model,
    Query,
    Request,
    Score,
    Surprisals,
    load_model,
    looks_ahead,
    spread_over,
    train_one,
)
from tests.builders import mistake
from tests.scoring.ngram_oracle import training_text
from tests.scoring.tiny_models import causal_folder, gpt2, network_folder

J = TypeVar("J")
R = TypeVar("R")

OPTIONS: dict[str, Any] = {"device": "cpu"}
KINDS = ("unigram", "ngram", "recurrent", "causal")
NOUNS = ("key", "keys", "cabinet", "nothing")
PREFIXES = [("the", a, "to", "the", b, "to", "the", c) for a, b, c in product(NOUNS, repeat=3)]
WORDS = [Query(prefix, (("is",), ("are", "here"))) for prefix in sorted(PREFIXES)]
TEXT = [Query(" ".join(prefix), (" is", " are here")) for prefix in sorted(PREFIXES)]
SMALL = 10  # continuations a shard: 13 shards
NO_RAY = importlib.util.find_spec("ray") is None


def queries(model: Model) -> list[Query]:
    return WORDS if model.scorer.unit == "words" else TEXT


def in_process(model: Model) -> list[Score]:
    """What one process answers, cut in the same way."""
    return list(spread_over(model, InProcess(), shard=SMALL).score(queries(model)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each kind, by that name."""
    place = tmp_path_factory.mktemp("models")
    text = training_text([" ".join(prefix) for prefix in PREFIXES if "nothing" not in prefix])
    train_one("unigram", text, place / "unigram")
    train_one("ngram", text, place / "ngram", Request(order=3))
    network_folder(place / "recurrent")
    causal_folder(place / "causal", gpt2())
    return place


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with executor(2) as processes:
        yield processes


def loaded(folder: Path, kind: str) -> Model:
    return load_model(f"{kind}:{folder / kind}", **OPTIONS)


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_bits_of_one(kind: str, folder: Path, two: Executor) -> None:
    model = loaded(folder, kind)
    found = list(spread_over(model, two, shard=SMALL).score(queries(model)))
    assert found == in_process(model)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_is_what_is_not_cut_but_for_rounding(kind: str, folder: Path) -> None:
    model = loaded(folder, kind)
    for one, other in zip(in_process(model), model.scorer.score(queries(model)), strict=True):
        for ours, theirs in zip(one.continuations, other.continuations, strict=True):
            assert ours.bits == pytest.approx(theirs.bits, abs=1e-4)
            assert (ours.spans, ours.oov) == (theirs.spans, theirs.oov)


def ray_workers() -> list[int]:
    """The processes of Ray's workers below this one."""
    parents: dict[int, int] = {}
    workers: list[int] = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            fields = (place / "stat").read_text("utf-8").rpartition(")")[2].split()
            parents[int(place.name)] = int(fields[1])
            if (place / "cmdline").read_bytes().startswith(b"ray::Worker"):
                workers.append(int(place.name))

    def ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in parents and ours(parents[pid]))

    return [pid for pid in workers if ours(pid)]


@pytest.mark.slow
@pytest.mark.skipif(NO_RAY, reason="needs the extra [cluster]")
def test_a_ray_gives_the_bits_of_one_process_also_when_workers_are_killed(folder: Path) -> None:
    with executor(2, "local") as crew:
        for kind in KINDS:
            model = loaded(folder, kind)
            found = list(spread_over(model, crew, shard=SMALL).score(queries(model)))
            assert found == in_process(model), kind
        scores = spread_over(model, crew, shard=SMALL).score(queries(model))
        first = next(scores)
        killed = ray_workers()
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        assert len(killed) == 2
        assert [first, *scores] == in_process(model)


@pytest.mark.parametrize("n_given", [1, 40])
def test_workers_killed_in_the_middle_lose_nothing(folder: Path, n_given: int) -> None:
    model = loaded(folder, "ngram")
    with executor(2) as crew:
        scores = spread_over(model, crew, shard=SMALL).score(WORDS)
        found = [next(scores) for _ in range(n_given)]
        workers = active_children()
        for worker in workers:
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
        found += scores
        assert len(set(active_children()) - set(workers)) == 2
    assert found == in_process(model)


class Counting:
    """An executor that keeps the jobs it was given."""

    def __init__(self) -> None:
        self.jobs: list[Any] = []

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        for job in jobs:
            self.jobs.append(job)
            yield function(job)


@given(
    st.lists(st.integers(0, 9), max_size=30).map(
        lambda counts: [Query(f"{n}", ("a",) * count) for n, count in enumerate(counts)]
    ),
    st.integers(1, 12),
)
def test_shards_are_the_queries_in_order_and_no_longer_than_need_be(
    asked: list[Query], size: int
) -> None:
    crew = Counting()
    list(spread_over(Model("watch", "watch", Watch(), None), crew, shard=size).score(asked))
    assert [*chain.from_iterable(crew.jobs)] == asked
    for shard in crew.jobs:
        *before, last = (len(query.continuations) for query in shard)
        assert sum(before) < size
        assert sum(before) + last >= size or shard is crew.jobs[-1]


def test_a_worker_loads_the_model_once_for_all_suites_and_keeps_no_other(
    folder: Path, tmp_path: Path
) -> None:
    """What is kept needs its files no more; what made room for another does."""
    for kind in ("ngram", "unigram"):
        shutil.copytree(folder / kind, tmp_path / kind)
    models = {kind: loaded(tmp_path, kind) for kind in ("ngram", "unigram")}

    def scores(kind: str, crew: Executor) -> list[Score]:
        return list(spread_over(models[kind], crew, shard=1).score(WORDS))

    with executor(2) as crew:
        first = scores("ngram", crew)
        (tmp_path / "ngram").rename(tmp_path / "away")
        for _ in range(2):
            assert scores("ngram", crew) == first
        scores("unigram", crew)
        with mistake("missing", tmp_path / "ngram"):
            scores("ngram", crew)


def test_in_one_process_the_model_itself_is_asked(folder: Path) -> None:
    model = loaded(folder, "recurrent")
    for path in (folder / "recurrent").iterdir():
        path.rename(path.with_suffix(f"{path.suffix}.away"))
    try:
        assert len(in_process(model)) == len(WORDS)
    finally:
        for path in (folder / "recurrent").iterdir():
            path.rename(path.with_suffix(""))


def test_a_model_that_changed_under_way_is_refused(tmp_path: Path, two: Executor) -> None:
    model = load_model(f"recurrent:{network_folder(tmp_path)}", **OPTIONS)
    network_folder(tmp_path, seed=1)
    with mistake("conflict", f"--model {model.spec}"):
        list(spread_over(model, two, shard=SMALL).score(WORDS))
    again = load_model(model.spec, **OPTIONS)  # the one that was refused is not kept
    assert list(spread_over(again, two, shard=SMALL).score(WORDS)) == in_process(again)


def test_a_model_that_cannot_be_read_under_way_is_the_error_of_its_backend(
    tmp_path: Path, two: Executor
) -> None:
    model = load_model(f"recurrent:{network_folder(tmp_path)}", **OPTIONS)
    (tmp_path / "weights.safetensors").write_bytes(b"{}")
    with pytest.raises(InputError) as expected:
        load_model(model.spec, **OPTIONS)
    with pytest.raises(InputError) as caught:
        list(spread_over(model, two, shard=SMALL).score(WORDS))
    assert caught.value.args == expected.value.args


def test_an_error_of_the_backend_comes_as_in_one_process(folder: Path, two: Executor) -> None:
    options: dict[str, Any] = {"device": "cpu", "bos": "none"}
    model = load_model(f"causal:{folder / 'causal'}", **options)
    asked = [*TEXT[:30], Query("", ("is",)), *TEXT[30:]]

    def told(crew: Executor) -> tuple[list[Score], InputError]:
        given: list[Score] = []
        with pytest.raises(InputError) as caught:
            given.extend(spread_over(model, crew, shard=SMALL).score(asked))
        return given, caught.value

    (alone, expected), (together, error) = told(InProcess()), told(two)
    assert alone == together == in_process(model)[:30]
    assert error.args == expected.args
    assert error.place == "query 'is'"


def test_paths_mean_the_same_in_a_worker_that_started_elsewhere(
    folder: Path, two: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(two.map(abs, range(8)))  # both are there
    monkeypatch.chdir(folder)
    model = load_model("ngram:ngram", **OPTIONS)
    assert list(spread_over(model, two, shard=SMALL).score(WORDS)) == in_process(model)


def test_a_worker_takes_the_device_of_its_number(folder: Path) -> None:
    """There is no 100th GPU: the second worker says that it was to take it, the first goes on."""
    model = loaded(folder, "recurrent")
    with executor(2) as crew:
        scores = spread_over(model, crew, devices=("cpu", "cuda:99"), shard=SMALL).score(WORDS)
        first = [next(scores) for _ in range(SMALL // 2)]
        with pytest.raises(InputError) as caught:
            next(scores)
    assert first == in_process(model)[: SMALL // 2]
    assert caught.value.place == "--device"
    assert "99" in caught.value.wrong


def test_more_workers_than_devices_share_them(folder: Path) -> None:
    model = loaded(folder, "recurrent")
    with executor(2) as crew:
        scorer = spread_over(model, crew, devices=("cpu",), shard=SMALL)
        assert list(scorer.score(WORDS)) == in_process(model)


@dataclass(frozen=True)
class Watch:
    """A scorer that looks ahead and notes how it is asked."""

    n_threads: list[int] = field(default_factory=list)
    signature: str = "model:watch"
    unit: str = "text"
    looks_ahead: bool = True
    notes: tuple[str, ...] = ("watched",)

    def score(self, asked: Iterable[Query]) -> Iterator[Score]:
        self.n_threads.append(torch.get_num_threads())
        return (Score((Surprisals((), (), ()),)) for _ in asked)


@pytest.mark.parametrize(("n_threads", "expected"), [(1, 1), (3, 3), (None, 2)])
def test_torch_has_so_many_threads_while_a_shard_is_scored(
    n_threads: int | None, expected: int
) -> None:
    watch, before = Watch(), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = Model("watch", "watch", watch, None)
        scorer = spread_over(model, InProcess(), n_threads=n_threads)
        for _ in scorer.score(TEXT):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert watch.n_threads == [expected]


def test_all_but_the_work_is_the_models_own() -> None:
    watch = Watch()
    scorer = spread_over(Model("watch", "watch", watch, None), InProcess())
    assert (scorer.signature, scorer.unit) == (watch.signature, watch.unit)
    assert looks_ahead(scorer)
    assert Model("watch", "watch", scorer, None).notes == ("watched",)
    assert not hasattr(scorer, "name")


def n_jobs(model: Model, asked: Sequence[Query]) -> int:
    crew = Counting()
    list(spread_over(model, crew, shard=1).score(asked))
    return len(crew.jobs)


def test_a_stream_is_read_once(folder: Path, tmp_path: Path) -> None:
    text = tmp_path / "stream.txt"
    text.write_text("".join(f"{' '.join(prefix)} is\n" for prefix in PREFIXES), "utf-8")
    spec = f"recurrent:{folder / 'recurrent'}"
    assert n_jobs(load_model(spec, **OPTIONS), WORDS) == len(WORDS)
    assert n_jobs(load_model(f"{spec}?stream={text}", **OPTIONS), WORDS) == 1


def test_no_queries_start_nobody(folder: Path) -> None:
    others = set(active_children())
    with executor(2) as crew:
        assert list(spread_over(loaded(folder, "unigram"), crew).score([])) == []
        assert set(active_children()) == others
