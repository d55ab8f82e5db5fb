"""Component oracle. Scoring shared out: the same bits whoever scores, nothing lost, one model
everywhere."""

import importlib.util
import os
import shutil
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import active_children
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import Model, Training, load_model
from colorless_green.data import Item, Region, Suite
from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, InProcess, executor
from colorless_green.scoring import (
    Plan,
    Query,
    Questions,
    Score,
    Scorer,
    Surprisals,
    answer_plan,
    plan_suite,
    train_one,
)
from colorless_green.scoring.models.distributed import spread_over
from colorless_green.scoring.questions.answer_columns import answers_of
from tests.builders import mistake
from tests.scoring.judging import exact
from tests.scoring.ngram_oracle import training_text
from tests.scoring.tiny_models import causal_folder, gpt2, network_folder

pytestmark = pytest.mark.slow  # what they look at is dear to make

J = TypeVar("J")
R = TypeVar("R")

OPTIONS: dict[str, Any] = {"device": "cpu"}
KINDS = ("unigram", "ngram", "recurrent", "causal")
NOUNS = ("key", "keys", "cabinet", "nothing")
PREFIXES = [("the", a, "to", "the", b, "to", "the", c) for a, b, c in product(NOUNS, repeat=3)]
SMALL = 10  # questions a chunk: 13 chunks
SMALLER = 4  # 32 chunks, of which some are left for new workers whatever was done ahead
NO_RAY = importlib.util.find_spec("ray") is None


def item(number: int, prefix: Sequence[str]) -> Item:
    before = Region("prefix", tuple(prefix), " ".join(prefix))
    behind = [Region("target", tuple(each.split()), f" {each}") for each in ("is", "are here")]
    conditions = dict(zip(("right", "wrong"), ([(before, each)] for each in behind), strict=True))
    return Item(
        f"i{number}", "suite", f"i{number}", "en", "here", "",
        {name: tuple(every) for name, every in conditions.items()},
    )  # fmt: skip


SUITE = Suite("s", tuple(item(number, prefix) for number, prefix in enumerate(PREFIXES)))
PLANS = {unit: plan_suite(SUITE, unit) for unit in ("words", "text")}
N = 2 * len(PREFIXES)  # questions


def asked(scorer: Scorer, plan: Plan | None = None) -> Iterator[bytes]:
    """Each answer of a plan's, to the last bit, as soon as it is there."""
    for _, found in answer_plan(scorer, plan or PLANS[scorer.unit]):
        yield from exact(found)


def in_process(model: Model) -> list[bytes]:
    """Return what one process answers, cut in the same way."""
    return list(asked(spread_over(model, InProcess(), chunk=SMALL)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model of each kind, by that name."""
    place = tmp_path_factory.mktemp("models")
    text = training_text([" ".join(prefix) for prefix in PREFIXES if "nothing" not in prefix])
    train_one("unigram", text, place / "unigram")
    train_one("ngram", text, place / "ngram", Training(order=3))
    network_folder(place / "recurrent")
    causal_folder(place / "causal", gpt2())
    return place


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    """Two workers, who load torch once: what ends them (a mistake) stands behind what does not,
    and then asks models that need no torch."""
    with executor(2) as processes:
        yield processes


def loaded(folder: Path, kind: str) -> Model:
    return load_model(f"{kind}:{folder / kind}", **OPTIONS)


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_give_the_bits_of_one(kind: str, folder: Path, two: Executor) -> None:
    model = loaded(folder, kind)
    found = list(asked(spread_over(model, two, chunk=SMALL)))
    assert found == in_process(model)
    assert len(found) == N


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_is_what_is_not_cut_but_for_rounding(
    kind: str, folder: Path, two: Executor
) -> None:
    model = loaded(folder, kind)
    words = model.scorer.unit == "words"
    forms: tuple[Any, Any] = (("is",), ("are", "here")) if words else (" is", " are here")
    queries = [Query(tuple(each) if words else " ".join(each), forms) for each in PREFIXES]
    cut = spread_over(model, two, chunk=SMALL).score(queries)
    for one, other in zip(cut, model.scorer.score(queries), strict=True):
        for ours, theirs in zip(one.continuations, other.continuations, strict=True):
            assert ours.bits == pytest.approx(theirs.bits, abs=1e-4)
            assert (ours.spans, ours.oov) == (theirs.spans, theirs.oov)


def test_more_workers_than_devices_share_them(folder: Path, two: Executor) -> None:
    model = loaded(folder, "recurrent")
    scorer = spread_over(model, two, devices=("cpu",), chunk=SMALL)
    assert list(asked(scorer)) == in_process(model)


def test_paths_mean_the_same_in_a_worker_that_started_elsewhere(
    folder: Path, two: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(two.map(abs, range(8)))  # both are there
    monkeypatch.chdir(folder)
    model = load_model("ngram:ngram", **OPTIONS)
    assert list(asked(spread_over(model, two, chunk=SMALL))) == in_process(model)


def test_an_error_of_the_backend_comes_as_in_one_process(folder: Path, two: Executor) -> None:
    options: dict[str, Any] = {"device": "cpu", "bos": "none"}
    model = load_model(f"causal:{folder / 'causal'}", **options)
    (questions,) = PLANS["text"].questions
    chunks = [questions.take(range(n, min(n + SMALL, N))) for n in range(0, N, SMALL)]
    chunks.insert(3, Questions([""], ["is"]))

    def told(crew: Executor) -> tuple[list[bytes], InputError]:
        given: list[bytes] = []
        found = spread_over(model, crew).answers(chunks)
        with pytest.raises(InputError) as caught:
            given.extend(blob for each in found for blob in exact(each))
        return given, caught.value

    (alone, expected), (together, error) = told(InProcess()), told(two)
    assert alone == together == in_process(model)[: 3 * SMALL]
    assert error.args == expected.args
    assert error.location == "query 'is'"


def ray_workers() -> list[int]:
    """Return the processes of Ray's workers below this one."""
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


@pytest.mark.skipif(NO_RAY, reason="needs the extra [cluster]")
def test_a_ray_gives_the_bits_of_one_process_also_when_workers_are_killed(folder: Path) -> None:
    with executor(2, "local") as crew:
        for kind in KINDS:
            model = loaded(folder, kind)
            assert list(asked(spread_over(model, crew, chunk=SMALL))) == in_process(model), kind
        scores = asked(spread_over(model, crew, chunk=SMALL))
        first = next(scores)
        killed = ray_workers()
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        assert len(killed) == 2
        assert [first, *scores] == in_process(model)


@pytest.mark.parametrize("n_given", [1, 6])
def test_workers_killed_in_the_middle_lose_nothing(folder: Path, n_given: int) -> None:
    model = loaded(folder, "ngram")
    others = set(active_children())
    with executor(2) as crew:
        parts = answer_plan(spread_over(model, crew, chunk=SMALLER), PLANS["words"])
        found = [next(parts) for _ in range(n_given)]
        workers = set(active_children()) - others
        for worker in workers:
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
        found += parts
        assert len(set(active_children()) - others - workers) == 2
    assert [blob for _, part in found for blob in exact(part)] == in_process(model)


class Counting:
    """An executor that keeps the jobs it was given, and does them by another scorer."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.jobs: list[Questions] = []

    def map(self, function: object, jobs: Iterable[Any]) -> Iterator[Any]:
        for job in jobs:
            self.jobs.append(job)
            yield from answers_of(self.scorer, [job])


@given(st.sets(st.integers(0, 99), min_size=1, max_size=30), st.integers(1, 12))
def test_chunks_are_the_questions_in_order_and_all_full_but_the_last(
    numbers: set[int], size: int
) -> None:
    crew = Counting(Watch())
    suite = Suite("s", tuple(item(number, (str(number),)) for number in numbers))
    plan = plan_suite(suite, "text")
    (questions,) = plan.questions
    list(answer_plan(spread_over(Model("watch", "watch", Watch(), None), crew, chunk=size), plan))
    told = [each for job in crew.jobs for each in job.texts("text")]
    assert told == list(questions.texts("text"))
    *before, last = map(len, crew.jobs)
    assert set(before) <= {size}
    assert 0 < last <= size


def test_a_worker_loads_the_model_once_for_all_suites_and_keeps_no_other(
    folder: Path, tmp_path: Path
) -> None:
    """What is kept needs its files no more; what made room for another does."""
    for kind in ("ngram", "unigram"):
        shutil.copytree(folder / kind, tmp_path / kind)
    models = {kind: loaded(tmp_path, kind) for kind in ("ngram", "unigram")}

    def scores(kind: str, crew: Executor) -> list[bytes]:
        return list(asked(spread_over(models[kind], crew, chunk=1)))

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
        assert len(in_process(model)) == N
    finally:
        for path in (folder / "recurrent").iterdir():
            path.rename(path.with_suffix(""))


def counted(folder: Path, *words: str) -> Path:
    """Return a model that counts these words."""
    train_one("unigram", training_text([f"the {word} to the key" for word in words]), folder)
    return folder


def test_a_model_that_changed_under_way_is_refused(tmp_path: Path, two: Executor) -> None:
    model = load_model(f"unigram:{counted(tmp_path / 'm', 'key', 'keys')}", **OPTIONS)
    shutil.rmtree(tmp_path / "m")
    counted(tmp_path / "m", "key", "is", "are")
    with mistake("conflict", f"--model {model.spec}"):
        list(asked(spread_over(model, two, chunk=SMALL)))
    again = load_model(model.spec, **OPTIONS)  # the one that was refused is not kept
    assert list(asked(spread_over(again, two, chunk=SMALL))) == in_process(again)


def test_a_model_that_cannot_be_read_under_way_is_the_error_of_its_backend(
    tmp_path: Path, two: Executor
) -> None:
    model = load_model(f"unigram:{counted(tmp_path / 'm', 'key', 'keys')}", **OPTIONS)
    for path in (tmp_path / "m").iterdir():
        path.write_bytes(b"{")
    with pytest.raises(InputError) as expected:
        load_model(model.spec, **OPTIONS)
    with pytest.raises(InputError) as caught:
        list(asked(spread_over(model, two, chunk=SMALL)))
    assert caught.value.args == expected.value.args


def test_a_worker_takes_the_device_of_its_number(folder: Path) -> None:
    """There is no 100th GPU: the second worker says that it was to take it, the first goes on."""
    model = loaded(folder, "recurrent")
    with executor(2) as crew:
        scores = asked(spread_over(model, crew, devices=("cpu", "cuda:99"), chunk=SMALL))
        first = [next(scores) for _ in range(SMALL)]
        with pytest.raises(InputError) as caught:
            next(scores)
    assert first == in_process(model)[:SMALL]
    assert caught.value.location == "device"
    assert "99" in caught.value.wrong


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
        return (Score((Surprisals((), (), ()),) * len(each.continuations)) for each in asked)


@pytest.mark.parametrize(("n_threads", "expected"), [(1, 1), (3, 3), (None, 2)])
def test_torch_has_so_many_threads_while_a_chunk_is_scored(
    n_threads: int | None, expected: int
) -> None:
    watch, before = Watch(), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = Model("watch", "watch", watch, None)
        scorer = spread_over(model, InProcess(), chunk=SMALL, n_threads=n_threads)
        for _ in asked(scorer):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert watch.n_threads == [expected] * 13


def test_all_but_the_work_is_the_models_own() -> None:
    watch = Watch()
    scorer = spread_over(Model("watch", "watch", watch, None), InProcess())
    assert (scorer.signature, scorer.unit) == (watch.signature, watch.unit)
    assert scorer.looks_ahead
    assert Model("watch", "watch", scorer, None).notes == ("watched",)
    assert not hasattr(scorer, "name")


def n_jobs(model: Model) -> int:
    crew = Counting(model.scorer)
    list(asked(spread_over(model, crew, chunk=1)))
    return len(crew.jobs)


def test_a_stream_is_read_once(folder: Path, tmp_path: Path) -> None:
    text = tmp_path / "stream.txt"
    text.write_text("".join(f"{' '.join(prefix)} is are here\n" for prefix in PREFIXES), "utf-8")
    spec = f"recurrent:{folder / 'recurrent'}"
    assert n_jobs(load_model(spec, **OPTIONS)) == N
    assert n_jobs(load_model(f"{spec}?stream={text}", **OPTIONS)) == 1


def test_no_questions_start_nobody(folder: Path) -> None:
    others = set(active_children())
    nothing = plan_suite(Suite("s", ()), "words")
    with executor(2) as crew:
        assert list(asked(spread_over(loaded(folder, "unigram"), crew), nothing)) == []
        assert set(active_children()) == others
