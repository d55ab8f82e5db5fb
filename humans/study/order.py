"""In what order a list is shown, and on which side the right option is.

Greedy with restarts: each position takes a trial at random among those that break least, every sort
of trial with the weight of what is left of it, and those first that could not all be placed later;
then two trials change places wherever that mends something. Where no start leads to an order that
keeps all constraints, the best one is taken: one break of a constraint weighs more than all breaks
of those before it in `CONSTRAINTS`, so that they are given up in that order. The constraints that
an order breaks are named.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeAlias

from ...data.errors import InputError
from ...data.seeds import choose, generator, shuffled
from .trial import Trial

RESTARTS = 100
PATIENCE = 12  # starts without a better order: the constraints cannot all be kept
MOST_TARGETS = 2  # in a row
MEMORY = 3  # trials back that a constraint looks
LEAD = 2  # fillers at the beginning of a block
WARM = 3  # trials of a list before the first check
BITS = 16  # of a cost: breaks of one constraint

CONSTRAINTS = {  # those that are given up first come first
    "side": "the right option at most three times in a row on one side",
    "value": "the same value at most three times in a row",
    "start": "fillers at the start",
    "targets": "at most two targets in a row",
    "construction": "no construction twice in a row",
}
NEED_FILLERS = ("start", "targets")
"""What means nothing in a list without fillers."""

Weights: TypeAlias = Mapping[str, int]
Group: TypeAlias = tuple[str, str, str, bool | None]
"""All that constraints look at: kind, construction, value, whether the right option is first."""


def add_sides(trials: Sequence[Trial], seed: int, label: str) -> list[Trial]:
    """Return the trials with the right option first in exactly half of each kind × condition, and
    of each construction in it (one more or less where their number is odd)."""
    rng = generator(seed, f"sides\t{label}")

    def cell(trial: Trial) -> tuple[str, str, str]:
        return trial.kind, trial.condition, trial.construction

    sided = [trial for trial in trials if len(trial.options) == 1]
    choices = [trial for trial in trials if len(trial.options) == 2]
    right_first = choose(rng, (True, False))
    for _, group in groupby(sorted(choices, key=cell), key=cell):
        for trial in shuffled(rng, list(group)):
            options = trial.options if right_first else trial.options[::-1]
            sided.append(replace(trial, options=options))
            right_first = not right_first
    return sided


def arrange(
    trials: Sequence[Trial], n_blocks: int, seed: int, label: str
) -> tuple[list[Trial], tuple[str, ...]]:
    """Put the trials of a list in blocks of equal length (one more or less), every kind × condition
    and side spread over the blocks; return them with their blocks, and the constraints broken.

    Checks are about evenly spread, never among the first three trials of a list nor first or last
    in a block (nor among its two first, where it begins with fillers). Raises `InputError` where
    blocks are too short for them.
    """
    rng = generator(seed, f"order\t{label}")
    checks = shuffled(rng, [trial for trial in trials if trial.kind == "check"])
    body = [trial for trial in trials if trial.kind != "check"]
    has_fillers = any(trial.kind == "filler" for trial in body)
    weights = {
        name: 0 if name in NEED_FILLERS and not has_fillers else 1 << (BITS * rank)
        for rank, name in enumerate(CONSTRAINTS)
    }
    # as many of every kind × condition × side, and of constructions as far as that allows
    dealt = shuffled(rng, body)
    dealt.sort(key=lambda t: (t.kind, t.condition, str(t.right_first), t.construction))
    ordered: list[Trial] = []
    prior: list[Group] = []
    cost = 0
    for number in range(n_blocks):
        members, block_checks = dealt[number::n_blocks], checks[number::n_blocks]
        earliest = max(WARM - len(prior), LEAD if weights["start"] else 1)
        fixed = _check_positions(block_checks, len(members) + len(block_checks), earliest, rng)
        of_block, groups = _block_order(members, fixed, prior[-MEMORY:], weights, rng)
        waiting: dict[Group, list[Trial]] = {}  # those of one group in random order
        for trial in shuffled(rng, members):
            waiting.setdefault(_group(trial), []).append(trial)
        for position, group in enumerate(groups):
            trial = fixed[position] if position in fixed else waiting[group].pop()
            ordered.append(replace(trial, block=number + 1))
        prior += groups
        cost += of_block
    breaks = {name: cost >> BITS * rank & (1 << BITS) - 1 for rank, name in enumerate(CONSTRAINTS)}
    return ordered, tuple(name for name, n in breaks.items() if n)


def _check_positions(
    checks: Sequence[Trial], length: int, earliest: int, rng: random.Random
) -> dict[int, Trial]:
    """Return position in the block (from 0) → check: one in each of so many equal stretches."""
    fixed: dict[int, Trial] = {}
    for number, check in enumerate(checks):
        low = max(number * length // len(checks), earliest)
        high = min((number + 1) * length // len(checks), length - 1)
        free = [position for position in range(low, high) if position not in fixed]
        if not free:
            wrong = f"{len(checks)} checks in a block of {length} trials leave no place for one"
            right = "fewer checks, fewer blocks, or more trials"
            raise InputError("checks", wrong, right, kind="value")
        fixed[choose(rng, free)] = check
    return fixed


def _group(trial: Trial) -> Group:
    return trial.kind, trial.construction, trial.value, trial.right_first


def _block_order(
    members: Sequence[Trial],
    fixed: Mapping[int, Trial],
    prior: Sequence[Group],
    weights: Weights,
    rng: random.Random,
) -> tuple[int, list[Group]]:
    """Return the best order of a block that was found, after the last trials `prior` it, and what
    it costs. Of some starts the first step heeds the later constraints alone."""
    best: tuple[int, list[Group]] | None = None
    since = 0
    checks = {position: _group(check) for position, check in fixed.items()}
    for start in range(RESTARTS):
        given_up = [*CONSTRAINTS][: start % len(CONSTRAINTS)]
        heeded = {**weights, **dict.fromkeys(given_up, 0)}
        row = _greedy_order(Counter(map(_group, members)), checks, prior, heeded, rng)
        cost = _swap_trials(row, checks, len(prior), weights)
        since += 1
        if best is None or cost < best[0]:
            best, since = (cost, row), 0
        if best[0] == 0 or since == PATIENCE:
            break
    assert best is not None
    return best[0], best[1][len(prior) :]


def _greedy_order(
    stock: Counter[Group],
    checks: Mapping[int, Group],
    prior: Sequence[Group],
    weights: Weights,
    rng: random.Random,
) -> list[Group]:
    """Return `prior` and one way through the block."""
    row = list(prior)
    for position in range(stock.total() + len(checks)):
        if position in checks:
            row.append(checks[position])
            continue
        tail = row[-MEMORY:]
        costs = [_cost([*tail, group], len(tail), position, weights) for group in stock]
        best = [group for group, cost in zip(stock, costs, strict=True) if cost == min(costs)]
        allowed = _urgent(best, stock)
        threshold = rng.random() * sum(stock[group] for group in allowed)
        for chosen in allowed:
            threshold -= stock[chosen]
            if threshold < 0:
                break
        row.append(chosen)
        stock[chosen] -= 1
        if not stock[chosen]:
            del stock[chosen]
    return row


def _urgent(allowed: Sequence[Group], stock: Counter[Group]) -> Sequence[Group]:
    """Return those that must go now: of a construction that makes up more than half of what is
    left, or targets where there are more than two for each other trial. All where nothing is
    urgent."""
    n_stock = stock.total()
    sizes: Counter[str] = Counter()
    for (_, construction, _, _), n in stock.items():
        sizes[construction] += n
    n_targets = sum(n for (kind, *_), n in stock.items() if kind == "target")
    urgent = [group for group in allowed if group[1] and 2 * sizes[group[1]] > n_stock]
    if not urgent and n_targets > MOST_TARGETS * (n_stock - n_targets):
        urgent = [group for group in allowed if group[0] == "target"]
    return urgent or allowed


def _swap_trials(
    row: list[Group], checks: Mapping[int, Group], start: int, weights: Weights
) -> int:
    """Exchange two trials of `row` (no checks) as long as that makes it cheaper, and return what it
    then costs. The block begins at `start`."""
    free = [i for i in range(start, len(row)) if i - start not in checks]
    costs = [0] * start + [_cost(row, i, i - start, weights) for i in range(start, len(row))]
    reach = [range(i, min(i + MEMORY + 1, len(row))) for i in range(len(row))]
    better = True
    while better:
        better = False
        for a in free:
            if not any(costs[a : a + MEMORY + 1]):
                continue
            for b in free:
                if row[a] == row[b]:
                    continue
                row[a], row[b] = row[b], row[a]
                affected = {*reach[a], *reach[b]}  # whose constraints look at one of the two
                saved = sum([costs[i] for i in affected])
                for i in affected:
                    saved -= _cost(row, i, i - start, weights)
                    if saved <= 0:
                        break
                else:
                    for i in affected:
                        costs[i] = _cost(row, i, i - start, weights)
                    better = True
                    break
                row[a], row[b] = row[b], row[a]
    return sum(costs)


def _cost(row: Sequence[Group], index: int, position: int, weights: Weights) -> int:
    """Return what the trial at `index` breaks, whose position in its block is `position` (from 0);
    called hundreds of thousands of times a list."""
    kind, construction, value, side = row[index]
    before = row[max(0, index - MEMORY) : index]
    cost = 0
    if construction and before and before[-1][1] == construction:
        cost += weights["construction"]
    if kind == "target" and len(before) >= MOST_TARGETS and before[-1][0] == before[-2][0] == kind:
        cost += weights["targets"]
    if position < LEAD and kind != "filler":
        cost += weights["start"]
    if len(before) == MEMORY:
        (_, _, value_1, side_1), (_, _, value_2, side_2), (_, _, value_3, side_3) = before
        if value and value == value_1 == value_2 == value_3:
            cost += weights["value"]
        if side is not None and side == side_1 == side_2 == side_3:
            cost += weights["side"]
    return cost
