"""How well people's accuracies repeat, and so how well any model could correlate with them.

Half of the answers is set against the other half. Spearman and Brown's formula takes the
correlation of halves to that of wholes, and its root is the noise ceiling: what a model that knew
the truth would reach. Where it is known who answered, people are split; where only counts are
known, each item's answers are, which takes all people for alike and is said in the result.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from colorless_green.humans.judgment import Judgment, Tally
from colorless_green.humans.statistics.people import Answers
from colorless_green.humans.statistics.rank import BLOCK, row_spearman
from colorless_green.nonce.intervals import DECIMALS, SEED, Floats, Integers, uniform

SPLITS = 1_000


@dataclass(frozen=True, slots=True)
class Reliability:
    """Split-half reliability of item accuracies."""

    halves: float  # Spearman's rho between halves, mean over splits
    whole: float | None  # Spearman–Brown: 2r / (1 + r); None for r = −1
    ceiling: float | None  # its root; None where it is not above 0


def split_by_people(
    judgments: Sequence[Judgment],
    *,
    splits: int = SPLITS,
    seed: int = SEED,
    cells: int = BLOCK,
) -> Reliability | None:
    """People split at random into halves; an item with no answer in a half is out of that split.

    None with fewer than two people, or where most splits have no variation. `cells` bounds the
    matrices that are held at once, and changes nothing.
    """
    answers = Answers.of(judgments)
    if answers.n_people < 2:
        return None
    keys = uniform(np.random.PCG64(seed), splits * answers.n_people)
    rank = np.argsort(np.argsort(keys.reshape(splits, -1), axis=1, kind="stable"), axis=1)
    halves = (rank < answers.n_people // 2).astype(float)

    def rhos() -> Iterator[Floats]:
        for block in answers.blocks(halves, cells):
            first, first_total = answers.by_item(halves[block])
            second, second_total = answers.by_item(1.0 - halves[block])
            yield row_spearman(_shares(first, first_total), _shares(second, second_total))

    return _reliability(np.concatenate(list(rhos())))


def split_by_counts(
    tallies: Sequence[Tally], *, splits: int = SPLITS, seed: int = SEED
) -> Reliability | None:
    """Each item's answers split at random into halves, as if every answer came from another person.

    The right ones in a half are drawn hypergeometrically; the odd answer goes to either half by
    coin. Items with fewer than two answers are left out. None without two items, or where most
    splits have no variation.
    """
    own = sorted((each for each in tallies if each.total > 1), key=lambda each: each.item)
    if len(own) < 2:
        return None
    right = np.array([each.right for each in own], dtype=float)
    total = np.array([each.total for each in own], dtype=float)
    stream = np.random.PCG64(seed)
    step = max(1, BLOCK // len(own))

    def rhos() -> Iterator[Floats]:
        for start in range(0, splits, step):
            shape = (min(step, splits - start), len(own))
            coins = uniform(stream, shape[0] * shape[1]).reshape(shape).round()
            chances = uniform(stream, shape[0] * shape[1]).reshape(shape)
            size = total // 2 + coins * (total % 2)
            first = _first_halves(own, coins, chances)
            yield row_spearman(first / size, (right - first) / (total - size))

    return _reliability(np.concatenate(list(rhos())))


def _first_halves(own: Sequence[Tally], coins: Floats, chances: Floats) -> Floats:
    """Right answers in the first half, by inverting the distribution; shape (splits, items). A coin
    of 1 gives it the odd answer."""
    result = np.empty_like(chances)
    alike: dict[tuple[int, int], list[int]] = {}
    for place, each in enumerate(own):
        alike.setdefault((each.right, each.total), []).append(place)
    for (right, total), places in alike.items():
        chance = chances[:, places]
        small = np.searchsorted(_hypergeometric(right, total, total // 2), chance, "right")
        large = np.searchsorted(_hypergeometric(right, total, (total + 1) // 2), chance, "right")
        result[:, places] = np.where(coins[:, places] == 1, large, small)
    return result


def _hypergeometric(right: int, total: int, drawn: int) -> Floats:
    """P(at most k right ones among `drawn` of `total`), for k from 0 to `drawn`; the last is 1."""
    ways = [math.comb(right, k) * math.comb(total - right, drawn - k) for k in range(drawn + 1)]
    below: Integers = np.cumsum(np.array(ways, dtype=object))
    return np.array([each / math.comb(total, drawn) for each in below], dtype=float)


def _shares(right: Floats, total: Floats) -> Floats:
    result: Floats = np.divide(right, total, out=np.full_like(right, np.nan), where=total > 0)
    return result


def _reliability(rhos: Floats) -> Reliability | None:
    defined = rhos[~np.isnan(rhos)]
    if 2 * len(defined) < len(rhos):
        return None
    halves = round(math.fsum(defined) / len(defined), DECIMALS)
    whole = 2 * halves / (1 + halves) if halves > -1 else None
    ceiling = math.sqrt(whole) if whole is not None and whole > 0 else None
    return Reliability(halves, whole, ceiling)
