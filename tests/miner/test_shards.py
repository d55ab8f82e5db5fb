"""A treebank in parts: the same bytes however it is cut and whoever reads it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, executor
from colorless_green.data.sample import treebank as sample
from colorless_green.miner import (
    MinedTreebank,
    Rule,
    mine_treebank,
    read,
    to_conllu,
    treebank,
)
from tests.builders import colorless, conllu, few_examples, write_conllu

RULES = ("released", "strict", "tested")
SAMPLE = Path(str(sample("it")))
Job = Callable[[object], object]


def italian(rule: str, **options: object) -> MinedTreebank:
    """Return the mining of the embedded Italian sample."""
    source = treebank([SAMPLE], language="it")
    return mine_treebank(source, Rule(extends=rule), **options)  # type: ignore[arg-type]


@cache
def whole(rule: str) -> MinedTreebank:
    return italian(rule, exceptions=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "n_bytes"),
    [
        pytest.param(rule, n, marks=() if each == number else pytest.mark.thorough)
        for number, rule in enumerate(RULES)
        for each, n in enumerate((60_000, 5_000, 1))
    ],
)
def test_a_file_cut_into_parts_gives_what_the_whole_gives(rule: str, n_bytes: int) -> None:
    n_jobs: list[int] = []

    def run(job: Job, parts: Iterable[object]) -> Iterable[object]:
        listed = list(parts)
        n_jobs.append(len(listed))
        return map(job, listed)

    assert italian(rule, exceptions=True, part_bytes=n_bytes, run=run) == whole(rule)
    assert n_jobs[0] > 1


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with executor(2) as workforce:
        yield workforce


@pytest.mark.parametrize("rule", RULES)
def test_several_processes_give_what_one_gives(rule: str, two: Executor) -> None:
    found = italian(rule, exceptions=True, part_bytes=100_000, run=two.map)
    assert found == whole(rule)


def test_several_processes_read_whole_files_too(tmp_path: Path, two: Executor) -> None:
    blocks = [to_conllu(each) for each in read(SAMPLE)]
    for part, own in (("train", blocks[:300]), ("dev", blocks[300:])):
        write_conllu(tmp_path / f"it-ud-{part}.conllu", *own)
    source = treebank([tmp_path], language="it")
    found = mine_treebank(source, Rule(), run=two.map)
    assert found == mine_treebank(source, Rule())


class Murderous:
    """A function that kills the process it runs in, the first time it comes to one of its jobs."""

    def __init__(self, function: Job, victim: object, mark: Path) -> None:
        self.function, self.victim, self.mark = function, victim, mark

    def __call__(self, job: object) -> object:
        if job == self.victim and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.function(job)


@pytest.mark.slow
def test_the_part_of_a_killed_worker_is_done_again_and_nothing_counted_twice(
    tmp_path: Path,
) -> None:
    mark = tmp_path / "killed"
    with executor(2) as workforce:

        def run(function: Job, jobs: Iterable[object]) -> object:
            parts = list(jobs)
            return workforce.map(Murderous(function, parts[-1], mark), parts)

        again = italian("tested", exceptions=True, part_bytes=100_000, run=run)
    assert mark.exists()
    assert again == whole("tested")


sizes = st.integers(1, 2_000)


@few_examples
@given(sizes, st.lists(st.booleans(), min_size=1, max_size=12))
def test_faults_and_repeated_ids_are_told_alike_however_a_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory, n_bytes: int, good: list[bool]
) -> None:
    """Every second sentence has the first one's id; those that are not good have a bad head."""
    blocks = [
        conllu("a/X/Sing/0", "b/X/Sing/1" if is_good else "b/X/Sing/9", sent_id=f"s{number % 2}")
        for number, is_good in enumerate(good)
    ]
    folder = tmp_path_factory.mktemp("cut")
    source = treebank([write_conllu(folder / "x-ud-train.conllu", *blocks)])

    def told(cut: int, lenient: bool) -> object:
        faults: list[str] = []
        try:
            mining = mine_treebank(
                source,
                Rule(min_gap=0),
                part_bytes=cut,
                on_bad=(lambda fault: faults.append(str(fault))) if lenient else None,
            )
        except InputError as error:
            return str(error), faults
        return mining.stages, mining.constructions, faults

    for lenient in (True, False):
        assert told(n_bytes, lenient) == told(1 << 30, lenient)


def test_a_parser_that_the_file_names_is_carried_along(tmp_path: Path) -> None:
    block = "# parsed_by = ours 1.0\n" + conllu("a/X/Sing/0")
    source = treebank([write_conllu(tmp_path / "x-ud-train.conllu", block)])
    assert mine_treebank(source, Rule()).parsed_by == "ours 1.0"


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_the_old_output_or_the_new_one(
    tmp_path: Path, stop: signal.Signals
) -> None:
    """Stopped at ever later moments, until one run comes through; at once, at first."""
    big = tmp_path / "it-ud-train.conllu"
    big.write_bytes(SAMPLE.read_bytes())
    arguments = ("mine", str(big), "--out", "out", "--store", "s.db", "-q")
    begun = time.monotonic()
    assert colorless(*arguments, "--rule", "strict", cwd=tmp_path).returncode == 0
    needed = time.monotonic() - begun
    old = (tmp_path / "out" / "constructions.tsv").read_bytes()
    command = [sys.executable, "-m", "colorless_green", *arguments, "--rule", "tested"]
    seen: set[bytes] = set()
    for moment in (0, 0.5, 0.8, 1, 1.3, 2, 4, 8):
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moment * needed)
        process.send_signal(stop)
        code = process.wait()
        files = {path.name for path in (tmp_path / "out").iterdir()}
        assert files == {"constructions.tsv", "originals.jsonl", "rejections.tsv", "manifest.json"}
        seen.add((tmp_path / "out" / "constructions.tsv").read_bytes())
        if code == 0:
            break
    assert old in seen
    done = colorless(*arguments, "--rule", "tested", cwd=tmp_path)
    assert done.returncode == 0
    new = (tmp_path / "out" / "constructions.tsv").read_bytes()
    assert seen <= {old, new}
    assert len([path for path in tmp_path.iterdir() if "colorless-" in path.name]) == 0
