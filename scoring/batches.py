"""Small things that backends share: chunks, work ahead, bits."""

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")
LN_2 = math.log(2)


def bits(nats: Iterable[float]) -> tuple[float, ...]:
    """−log2 p from ln p. Rounding can leave a sure thing just above ln p = 0: that is 0 bits."""
    return tuple(0.0 if each >= 0 else -each / LN_2 for each in nats)


def chunks(values: Iterable[T], n: int) -> Iterator[list[T]]:
    """`values` in lists of `n`, the last one shorter."""
    iterator = iter(values)
    while chunk := list(islice(iterator, n)):
        yield chunk


def ahead(prepare: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """`map(prepare, values)`, each prepared by a thread while the one before it is used.

    An error of `prepare` is raised in its place, after what comes before it.
    """
    iterator = iter(values)
    with ThreadPoolExecutor(1) as pool:
        futures = (pool.submit(prepare, value) for value in iterator)
        waiting = next(futures, None)
        while waiting is not None:
            found = waiting.result()
            waiting = next(futures, None)
            yield found
