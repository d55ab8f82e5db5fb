"""Randomness that is the same on every machine and in every version of Python.

Python promises for `random.Random` only that `random()` keeps its sequence from version to version
(library manual, `random`, "Notes on Reproducibility"). So choosing and shuffling are built on it
here. The sequences given must have a defined order; they must not come from a set.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def generator(seed: int, item_id: str) -> random.Random:
    """Return a random generator for one item, the same for the same arguments on every machine.

    Its seed is made with SHA-256, since `hash()` of a string changes with PYTHONHASHSEED.
    """
    digest = hashlib.sha256(f"{seed}\t{item_id}".encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def choose(rng: random.Random, options: Sequence[T]) -> T:
    """Return one of `options`, each equally likely; `options` must not be empty."""
    return options[int(rng.random() * len(options))]


def shuffled(rng: random.Random, values: Sequence[T]) -> list[T]:
    """Return `values` in random order (Fisher and Yates), every order equally likely."""
    result = list(values)
    for end in range(len(result) - 1, 0, -1):
        place = int(rng.random() * (end + 1))  # one of 0 to `end`
        result[end], result[place] = result[place], result[end]
    return result
