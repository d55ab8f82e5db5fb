"""A treebank read in parts, each by whichever worker is free, and put together again in order.

The first pass counts each part by itself and adds the counts up in the order of the treebank, so
that the sums (and the order in which keys and forms were first seen) are those of one reader,
however many there were. The second goes back for the sentences that hold what was accepted.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.miner.conllu import OnBad, read
from colorless_green.miner.counts import Counts, Search, count
from colorless_green.miner.repair import REPAIRS, repaired
from colorless_green.miner.rule import Key
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import Treebank, distinct

Run: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or what does the same on several workers: results in the order of the jobs."""
BYTES_SHOWN = 1 << 20


@dataclass(frozen=True, slots=True)
class Job:
    """A part of the treebank to be read, and how."""

    path: Path
    repair: str  # a name in `REPAIRS`, or anything else for none
    lenient: bool  # bad sentences are left out and told, not fatal
    search: Search


@dataclass(frozen=True, slots=True)
class Part:
    """What the first pass found in one part."""

    counts: Counts
    faults: tuple[InputError, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The counts of a treebank, and where its instances stand."""

    jobs: tuple[Job, ...]
    counts: Counts
    places: tuple[dict[Key, "array[int]"], ...]  # for each job: key → numbers of sentences


def survey(
    source: Treebank,
    search: Search,
    *,
    repair: str,
    on_bad: OnBad | None = None,
    run: Run = map,
    progress: Progress = silent,
) -> Survey:
    """The first pass. Faults are told in the order of the treebank; raises the first one where
    `on_bad` is `None`."""
    jobs = tuple(Job(path, repair, on_bad is not None, search) for path in source.files)
    sizes = [job.path.stat().st_size for job in jobs]
    total = Counts()
    places: list[dict[Key, array[int]]] = []
    for done, part in enumerate(run(count_part, jobs), start=1):
        for fault in part.faults:
            assert on_bad is not None
            on_bad(fault)
        places.append(part.counts.places)
        if done == 1:
            total = part.counts
        else:
            total.add(part.counts)
        progress("reading, MB", sum(sizes[:done]) // BYTES_SHOWN, sum(sizes) // BYTES_SHOWN)
    return Survey(jobs, total, tuple(places))


def count_part(job: Job) -> Part:
    """Counts one part."""
    faults: list[InputError] = []
    on_bad = faults.append if job.lenient else None
    stream = distinct(read(job.path, on_bad=on_bad), job.path, on_bad)
    counts = count(repaired(stream, REPAIRS.get(job.repair)), job.search)
    return Part(counts, tuple(faults))


def sentences_with(found: Survey, keys: Iterable[Key], run: Run = map) -> Iterator[Sentence]:
    """The second pass: the sentences that hold an instance of one of `keys`, in order."""
    wanted = tuple(keys)
    jobs = []
    for job, places in zip(found.jobs, found.places, strict=True):
        numbers = frozenset(number for key in wanted for number in places.get(key, ()))
        if numbers:
            jobs.append((job, numbers))
    for sentences in run(read_part, jobs):
        yield from sentences


def read_part(job_and_numbers: tuple[Job, Set[int]]) -> list[Sentence]:
    """The sentences of one part that have these numbers."""
    job, numbers = job_and_numbers
    on_bad = (lambda fault: None) if job.lenient else None
    stream = read(job.path, on_bad=on_bad, only=numbers)
    return list(repaired(stream, REPAIRS.get(job.repair)))
