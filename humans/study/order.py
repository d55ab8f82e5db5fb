"""The order of a list, and the side of the right option.

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
from . import Trial

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

Group: TypeAlias = tuple[str, str, str, bool | None]
"""All that constraints look at: kind, construction, value, whether the right option is first. An
order is searched for in numbers of groups, from 1."""


class Costs(dict[tuple[int, int, int, int, bool], int]):
    """The cost of a trial after the three before it (numbers of groups, 0 for none), by whether a
    block begins with it; each worked out once, and looked up hundreds of thousands of times."""

    def __init__(self, groups: Sequence[Group], weights: Mapping[str, int]) -> None:
        super().__init__()
        self.groups, self.weights = (("", "", "", None), *groups), weights

    def __missing__(self, key: tuple[int, int, int, int, bool]) -> int:
        *before, own = (self.groups[number] for number in key[:4])
        kind, construction, value, side = own
        broken = {
            "side": side is not None and all(each[3] is side for each in before),
            "value": value and all(each[2] == value for each in before),
            "start": key[4] and kind != "filler",
            "targets": kind == before[1][0] == before[2][0] == "target",
            "construction": construction and before[2][1] == construction,
        }
        self[key] = sum(self.weights[name] for name, is_broken in broken.items() if is_broken)
        return self[key]


def add_sides(trials: Sequence[Trial], seed: int, label: str) -> list[Trial]:
    """Return the trials with the right option first in exactly half of each kind × condition ×
    relation, and of each construction in it (one more or less where their number is odd)."""
    rng = generator(seed, f"sides\t{label}")

    def cell(trial: Trial) -> tuple[str, ...]:
        return trial.kind, trial.condition, trial.relation, trial.construction

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
    groups = [*dict.fromkeys(map(_group, trials))]
    number_of = {group: number for number, group in enumerate(groups, start=1)}
    weights = {
        name: 0 if name in NEED_FILLERS and not has_fillers else 1 << (BITS * rank)
        for rank, name in enumerate(CONSTRAINTS)
    }
    given_up = [dict.fromkeys([*CONSTRAINTS][:n], 0) for n in range(len(CONSTRAINTS))]
    costs = [Costs(groups, {**weights, **zeros}) for zeros in given_up]
    # as many of every kind × condition × side, and of constructions as far as that allows
    dealt = shuffled(rng, body)
    dealt.sort(key=lambda t: (t.kind, t.condition, t.relation, str(t.right_first), t.construction))
    ordered: list[Trial] = []
    prior = [0] * MEMORY
    cost = 0
    for number in range(n_blocks):
        members, block_checks = dealt[number::n_blocks], checks[number::n_blocks]
        earliest = max(WARM - len(ordered), LEAD if weights["start"] else 1)
        fixed = _check_positions(block_checks, len(members) + len(block_checks), earliest, rng)
        stock = Counter(number_of[_group(trial)] for trial in members)
        numbers = {position: number_of[_group(check)] for position, check in fixed.items()}
        of_block, row = _block_order(stock, numbers, prior[-MEMORY:], costs, rng)
        waiting: dict[int, list[Trial]] = {}  # those of one group in random order
        for trial in shuffled(rng, members):
            waiting.setdefault(number_of[_group(trial)], []).append(trial)
        for position, group in enumerate(row):
            trial = fixed[position] if position in fixed else waiting[group].pop()
            ordered.append(replace(trial, block=number + 1))
        prior += row
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
            wrong = f"{len(checks)} checks in a block of {length} trials leave no room for one"
            right = "fewer checks, fewer blocks, or more trials"
            raise InputError("checks", wrong, right, kind="value")
        fixed[choose(rng, free)] = check
    return fixed


def _group(trial: Trial) -> Group:
    return trial.kind, trial.construction, trial.value, trial.right_first


def _block_order(
    stock: Counter[int],
    checks: Mapping[int, int],
    prior: Sequence[int],
    costs: Sequence[Costs],
    rng: random.Random,
) -> tuple[int, list[int]]:
    """Return the best order of a block that was found, after the last trials `prior` it, and what
    it costs. Of some starts the first step heeds the later constraints alone."""
    best: tuple[int, list[int]] | None = None
    since = 0
    for start in range(RESTARTS):
        row = _greedy_order(stock.copy(), checks, prior, costs[start % len(costs)], rng)
        cost = _swap_trials(row, checks, costs[0])
        since += 1
        if best is None or cost < best[0]:
            best, since = (cost, row), 0
        if best[0] == 0 or since == PATIENCE:
            break
    assert best is not None
    return best[0], best[1][MEMORY:]


def _greedy_order(
    stock: Counter[int],
    checks: Mapping[int, int],
    prior: Sequence[int],
    costs: Costs,
    rng: random.Random,
) -> list[int]:
    """Return `prior` and one way through the block."""
    row = list(prior)
    for position in range(stock.total() + len(checks)):
        if position in checks:
            row.append(checks[position])
            continue
        a, b, c = row[-MEMORY:]
        by_group = {group: costs[a, b, c, group, position < LEAD] for group in stock}
        least = min(by_group.values())
        best = [group for group, cost in by_group.items() if cost == least]
        allowed = _urgent(best, stock, costs.groups)
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


def _urgent(allowed: Sequence[int], stock: Counter[int], groups: Sequence[Group]) -> Sequence[int]:
    """Return those that must go now: of a construction that makes up more than half of what is
    left, or targets where there are more than two for each other trial. All where nothing is
    urgent."""
    n_stock, n_targets, sizes = stock.total(), 0, Counter[str]()
    for group, n in stock.items():
        sizes[groups[group][1]] += n
        n_targets += n * (groups[group][0] == "target")
    urgent = [g for g in allowed if groups[g][1] and 2 * sizes[groups[g][1]] > n_stock]
    if not urgent and n_targets > MOST_TARGETS * (n_stock - n_targets):
        urgent = [g for g in allowed if groups[g][0] == "target"]
    return urgent or allowed


def _swap_trials(row: list[int], checks: Mapping[int, int], costs: Costs) -> int:
    """Exchange two trials of `row` (no checks) as long as that makes it cheaper, and return what it
    then costs. The block begins after `MEMORY` trials."""
    length, first = len(row), MEMORY + LEAD
    free = [i for i in range(MEMORY, length) if i - MEMORY not in checks]
    reach = [range(i, min(i + MEMORY + 1, length)) for i in range(length)]

    def cost(i: int) -> int:
        return costs[row[i - 3], row[i - 2], row[i - 1], row[i], i < first]

    paid = [0] * MEMORY + [cost(i) for i in range(MEMORY, length)]
    better = True
    while better:
        better = False
        for a in free:
            if not any(paid[a : a + MEMORY + 1]):
                continue
            for b in free:
                if row[a] == row[b]:
                    continue
                row[a], row[b] = row[b], row[a]
                affected = {*reach[a], *reach[b]}  # whose constraints look at one of the two
                saved = sum([paid[i] for i in affected])
                for i in affected:
                    saved -= cost(i)
                    if saved <= 0:
                        break
                else:
                    for i in affected:
                        paid[i] = cost(i)
                    better = True
                    break
                row[a], row[b] = row[b], row[a]
    return sum(paid)
