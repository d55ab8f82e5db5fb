"""Intervals of many baselines at once: one set of resamples serves them all."""

from collections.abc import Sequence

import numpy as np

from colorless_green.nonce.intervals import (
    COVERAGE,
    DECIMALS,
    RESAMPLES,
    Floats,
    Interval,
    draws,
    numbered,
)


def intervals(
    credits: Floats, clusters: Sequence[str], *, seed: int, resamples: int = RESAMPLES
) -> list[Interval | None]:
    """`cluster_interval` of each column of `credits` (items × baselines, NaN where not judged).

    Columns that judge the same items share their resamples: a third of the time for all of them.
    """
    result: list[Interval | None] = [None] * credits.shape[1]
    groups: dict[bytes, list[int]] = {}
    for column in range(credits.shape[1]):
        groups.setdefault(np.isnan(credits[:, column]).tobytes(), []).append(column)
    for columns in groups.values():
        judged = ~np.isnan(credits[:, columns[0]])
        own = [name for name, here in zip(clusters, judged, strict=True) if here]
        if len(set(own)) < 2:
            continue
        names, owner = numbered(own)
        sizes = np.bincount(owner, minlength=len(names)).astype(float)
        sums = np.zeros((len(names), len(columns)))
        np.add.at(sums, owner, credits[judged][:, columns])
        blocks = [
            # Halves add up exactly in any order, so that BLAS may split its work as it likes.
            (weights @ sums) / (weights @ sizes)[:, None]
            for weights in draws(len(names), resamples, seed)
        ]
        tail = (1 - COVERAGE) / 2
        lows, highs = np.quantile(np.concatenate(blocks), [tail, 1 - tail], axis=0)
        for column, low, high in zip(columns, lows, highs, strict=True):
            result[column] = Interval(round(float(low), DECIMALS), round(float(high), DECIMALS))
    return result
