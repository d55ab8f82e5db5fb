"""Results in the order of the jobs, whoever finishes first, and never many at a time."""

import reprlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from colorless_green.data.errors import InputError

AHEAD = 4  # jobs per worker that may be ahead of the result waited for: a slow one stops no other
ATTEMPTS = 3  # a worker can die of what others do (memory); three in a row die of the job


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job: its result, or the exception it ended with."""

    result: Any
    error: BaseException | None = None


class Crew(Protocol):
    """The workers of one `map`, who answer in any order. Jobs are known by number, from 0."""

    def has_room(self) -> bool:
        """Whether another job could begin at once."""

    def begin(self, number: int, job: Any) -> None:
        """Has `job` done by somebody."""

    def finished(self, *, wait: bool) -> list[tuple[int, Answer]]:
        """(number, answer) of jobs done since the last call. With `wait`, returns only when there
        is news: an answer, or a worker that died and whose job is begun again (then perhaps
        nothing)."""


def in_order(crew: Crew, jobs: Iterable[Any], ahead: int) -> Iterator[Any]:
    """The results of `jobs` in their order, as `map` gives them, errors in their place.

    At most `ahead` jobs are pulled and not yet given. After a failure no further job is begun:
    those before it can still fail, and the earliest error is the one to raise.
    """
    stream = iter(jobs)
    done: dict[int, Answer] = {}
    n_begun = n_given = 0
    more = True
    while True:
        while more and n_begun - n_given < ahead and crew.has_room():
            try:
                job = next(stream)
            except StopIteration:
                more = False
                break
            except Exception as error:  # in its turn, as in one process
                done[n_begun] = Answer(None, error)
                more = False
            else:
                crew.begin(n_begun, job)
            n_begun += 1
        if n_given == n_begun:
            return
        for number, answer in crew.finished(wait=n_given not in done):
            done[number] = answer
            more = more and answer.error is None
        if n_given in done:
            answer = done.pop(n_given)
            n_given += 1
            if answer.error is not None:
                raise answer.error
            yield answer.result


def given_up(number: int, job: object, how: str) -> InputError:
    """The error for a job, `number` from 0, whose workers have all died; `how`, if it is known."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 80
    return InputError(
        f"job {number + 1}, {short.repr(job)}",
        f"each of the {ATTEMPTS} processes that tried it was ended ({how})",
        "more memory or fewer --workers; or leave this input out",
        kind="resources",
    )
