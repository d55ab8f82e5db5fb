"""Whether people and a model differ in a cell: sign flips over sources, and Holm over cells."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from colorless_green.humans.statistics.correlation import SAME
from colorless_green.humans.statistics.rank import BLOCK
from colorless_green.nonce.intervals import SEED, Floats, numbered, uniform

EXACT_SOURCES = 14  # 2^14 sign vectors are fewer than the random ones
SIGN_FLIPS = 20_000


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Whether a mean of differences is 0, by flipping the sign of whole sources."""

    p: float  # two-sided
    floor: float  # the smallest p that so many sources can give


def sign_flip(
    differences: Sequence[float], sources: Sequence[str], *, seed: int = SEED
) -> SignFlip | None:
    """Tests T = mean over sources of the mean difference within a source; None without items.

    p is the share of sign vectors with |T*| ≥ |T|: all of them up to `EXACT_SOURCES` sources, else
    `SIGN_FLIPS` random ones, with 1 added above and below. Its floor is 2^(1 − sources), or that of
    the sampling.
    """
    if not differences:
        return None
    names, owner = numbered(sources)
    sums = np.bincount(owner, weights=np.asarray(differences, dtype=float), minlength=len(names))
    means = sums / np.bincount(owner, minlength=len(names))
    limit = abs(float(means.sum())) - SAME * len(names)
    exact = len(names) <= EXACT_SOURCES
    signs = [_all_signs(len(names))] if exact else _random_signs(len(names), seed)
    blocks: Iterable[Floats] = signs
    n_extreme = sum(int((np.abs((block * means).sum(axis=1)) >= limit).sum()) for block in blocks)
    if exact:
        return SignFlip(n_extreme / (1 << len(names)), 2.0 ** (1 - len(names)))
    return SignFlip((1 + n_extreme) / (1 + SIGN_FLIPS), 1 / (1 + SIGN_FLIPS))


def _all_signs(n: int) -> Floats:
    """Every vector of signs, of shape (2^n, n)."""
    bits = (np.arange(1 << n)[:, None] >> np.arange(n)[None, :]) & 1
    result: Floats = 1.0 - 2.0 * bits.astype(float)
    return result


def _random_signs(n: int, seed: int) -> Iterator[Floats]:
    """`SIGN_FLIPS` random vectors of signs, as blocks of shape (flips, n)."""
    stream = np.random.PCG64(seed)
    rows = max(1, BLOCK // n)
    for start in range(0, SIGN_FLIPS, rows):
        n_rows = min(rows, SIGN_FLIPS - start)
        numbers = uniform(stream, n_rows * n).reshape(n_rows, n)
        yield np.where(numbers < 0.5, -1.0, 1.0)


def holm(ps: Sequence[float | None]) -> tuple[float | None, ...]:
    """p-values adjusted for how many there are (Holm 1979), in the order given; None stays None.

    Sorted, the k-th of m (from 1) is multiplied by m − k + 1, then made no smaller than the one
    before and no larger than 1.
    """
    ranked = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, place) in enumerate(ranked):
        highest = max(highest, min(1.0, p * (len(ranked) - rank)))
        adjusted[place] = highest
    return tuple(adjusted)
