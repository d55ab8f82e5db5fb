"""In what order a list is shown, and on which side the right option stands.

Greedy with restarts: each place takes a trial at random among those that break least, every sort
of trial with the weight of what is left of it, and those first that could not all be placed later;
then two trials change places wherever that mends something. Where no start leads to an order that
keeps all constraints, the best one is taken: one break of a constraint weighs more than all breaks
of those before it in `CONSTRAINTS`, so that they are given up in that order. What an order breaks
is told.
"""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from ...data.errors import InputError
from ...data.seeds import choose, generator, shuffled
from .stimulus import Stimulus
from .study import Trial

RESTARTS = 100
PATIENCE = 12  # starts without a better order: the constraints cannot all be kept
MOST_TARGETS = 2  # in a row
MOST_ALIKE = 3  # of one right value, or with the right option on one side
MEMORY = 3  # trials back that a constraint looks
LEAD = 2  # fillers at the beginning of a block
SHARED = ("kind", "task", "item", "source", "construction", "condition", "prefix", "language")
"""What a trial has of what is shown in it."""
WARM = 3  # trials of a list before the first check


@dataclass(frozen=True, slots=True)
class TrialOrder:
    """A list by blocks, and the constraints that it breaks somewhere."""

    blocks: tuple[tuple[Stimulus, ...], ...]
    relaxed: tuple[str, ...]


CONSTRAINTS = ("side", "value", "start", "targets", "construction")
"""Not more than three times in a row the right option on one side; nor the same value right; two
fillers at the beginning of a block; not more than two targets in a row; no construction twice in a
row. Those that are given up first stand first."""

NEED_FILLERS = ("start", "targets")
"""What means nothing in a list without fillers."""

Group: TypeAlias = tuple[str, str, str, bool | None]
"""All that constraints look at: kind, construction, value, whether the right option is first."""


def add_sides(stimuli: Sequence[Stimulus], seed: int, label: str) -> tuple[Stimulus, ...]:
    """The stimuli with the right option first in exactly half of each kind × condition, and of each
    construction in it (one more or less where their number is odd)."""
    rng = generator(seed, f"sides\t{label}")

    def cell(stimulus: Stimulus) -> tuple[str, str, str]:
        return stimulus.kind, stimulus.condition, stimulus.construction

    choices = [stimulus for stimulus in stimuli if stimulus.second]
    trials = [stimulus for stimulus in stimuli if not stimulus.second]
    right_first = choose(rng, (True, False))
    for _, group in groupby(sorted(choices, key=cell), key=cell):
        for stimulus in shuffled(rng, list(group)):
            trials.append(replace(stimulus, right_first=right_first))
            right_first = not right_first
    return tuple(trials)


def arrange(trials: Sequence[Stimulus], n_blocks: int, seed: int, label: str) -> TrialOrder:
    """The trials of a list in blocks of equal length (one more or less), every kind × condition and
    side spread over the blocks.

    Checks stand about evenly, never among the first three trials of a list nor first or last in a
    block (nor among its two first, where it begins with fillers). Raises `InputError` where blocks
    are too short for them.
    """
    rng = generator(seed, f"order\t{label}")
    checks = shuffled(rng, [trial for trial in trials if trial.kind == "check"])
    body = [trial for trial in trials if trial.kind != "check"]
    has_fillers = any(trial.kind == "filler" for trial in body)
    weights = {
        name: 0 if name in NEED_FILLERS and not has_fillers else 1 << (16 * rank)
        for rank, name in enumerate(CONSTRAINTS)
    }
    blocks: list[tuple[Stimulus, ...]] = []
    prior: list[Group] = []
    broken: Counter[str] = Counter()
    for number, members in enumerate(_deal(body, n_blocks, rng)):
        block_checks = checks[number::n_blocks]
        earliest = max(WARM - len(prior), LEAD if weights["start"] else 1)
        fixed = _check_positions(block_checks, len(members) + len(block_checks), earliest, rng)
        groups = _block_order(members, fixed, prior[-MEMORY:], weights, rng)
        waiting: dict[Group, list[Stimulus]] = {}  # those of one group in random order
        for trial in shuffled(rng, members):
            waiting.setdefault(_group(trial), []).append(trial)
        blocks.append(
            tuple(
                fixed[position] if position in fixed else waiting[group].pop()
                for position, group in enumerate(groups)
            )
        )
        for position, group in enumerate(groups):
            prior.append(group)
            broken.update(_broken(prior, len(prior) - 1, position))
    active = [name for name in CONSTRAINTS if weights[name]]
    return TrialOrder(tuple(blocks), tuple(name for name in active if broken[name]))


def _deal(trials: Sequence[Stimulus], n_blocks: int, rng: random.Random) -> list[list[Stimulus]]:
    """Blocks with the same number of every kind × condition × side, and of constructions as far as
    that allows; one more or less."""

    def cell(trial: Stimulus) -> tuple[str, str, str, str]:
        return trial.kind, trial.condition, str(trial.right_first), trial.construction

    dealt = sorted(shuffled(rng, list(trials)), key=cell)
    return [dealt[number::n_blocks] for number in range(n_blocks)]


def _check_positions(
    checks: Sequence[Stimulus], length: int, earliest: int, rng: random.Random
) -> dict[int, Stimulus]:
    """Place in the block (from 0) → check: one in each of so many equal stretches."""
    fixed: dict[int, Stimulus] = {}
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


def _group(trial: Stimulus) -> Group:
    return trial.kind, trial.construction, trial.value, trial.right_first


def _block_order(
    members: Sequence[Stimulus],
    fixed: Mapping[int, Stimulus],
    prior: Sequence[Group],
    weights: Mapping[str, int],
    rng: random.Random,
) -> list[Group]:
    """The best order of a block that was found, after the last trials `prior` it. Of some starts
    the first step heeds the later constraints alone."""
    best: tuple[int, list[Group]] | None = None
    since = 0
    checks = {position: _group(check) for position, check in fixed.items()}
    for start in range(RESTARTS):
        given_up = CONSTRAINTS[: start % len(CONSTRAINTS)]
        heeded = {**weights, **dict.fromkeys(given_up, 0)}
        row = _greedy_order(Counter(map(_group, members)), checks, prior, heeded, rng)
        cost = _swap_trials(row, checks, len(prior), weights)
        since += 1
        if best is None or cost < best[0]:
            best, since = (cost, row), 0
        if best[0] == 0 or since == PATIENCE:
            break
    assert best is not None
    return best[1][len(prior) :]


def _greedy_order(
    stock: Counter[Group],
    checks: Mapping[int, Group],
    prior: Sequence[Group],
    weights: Mapping[str, int],
    rng: random.Random,
) -> list[Group]:
    """`prior` and one way through the block."""
    row = list(prior)
    for position in range(stock.total() + len(checks)):
        if position in checks:
            row.append(checks[position])
            continue
        costs = [_cost([*row[-MEMORY:], group], -1, position, weights) for group in stock]
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
    """Those that must go now: of a construction that makes up more than half of what is left, or
    targets where there are more than two for each other trial. All where nothing is urgent."""
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
    row: list[Group], checks: Mapping[int, Group], start: int, weights: Mapping[str, int]
) -> int:
    """Exchanges two places of `row` (not those of checks) as long as that makes it cheaper; what it
    then costs. The block begins at `start`."""
    free = [i for i in range(start, len(row)) if i - start not in checks]
    costs = [0] * start + [_cost(row, i, i - start, weights) for i in range(start, len(row))]

    def around(*changed: int) -> dict[int, None]:
        """The places whose constraints look at one of those."""
        return dict.fromkeys(
            near for i in changed for near in range(i, min(i + MEMORY + 1, len(row)))
        )

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
                affected = around(a, b)
                new_costs = [_cost(row, i, i - start, weights) for i in affected]
                if sum(new_costs) < sum([costs[i] for i in affected]):
                    for i, new in zip(affected, new_costs, strict=True):
                        costs[i] = new
                    better = True
                    break
                row[a], row[b] = row[b], row[a]
    return sum(costs)


def _cost(row: Sequence[Group], index: int, position: int, weights: Mapping[str, int]) -> int:
    return sum([weights[name] for name in _broken(row, index % len(row), position)])


def _broken(row: Sequence[Group], index: int, position: int) -> list[str]:
    """The constraints that the trial at `index` breaks, whose place in its block (from 0) is
    `position`."""
    kind, construction, value, side = row[index]
    broken = []
    if construction and index and row[index - 1][1] == construction:
        broken.append("construction")
    if kind == "target" and _repeats(row, index, 0, MOST_TARGETS):
        broken.append("targets")
    if position < LEAD and kind != "filler":
        broken.append("start")
    if value and _repeats(row, index, 2, MOST_ALIKE):
        broken.append("value")
    if side is not None and _repeats(row, index, 3, MOST_ALIKE):
        broken.append("side")
    return broken


def _repeats(row: Sequence[Group], index: int, field: int, n_before: int) -> bool:
    """Whether the trials before, `n_before` of them, all have the same in a field."""
    if index < n_before:
        return False
    value = row[index][field]
    for earlier in range(index - n_before, index):  # noqa: SIM110 (hundreds of thousands of times a list)
        if row[earlier][field] != value:
            return False
    return True


def list_trials(
    practice: Sequence[Stimulus], order: TrialOrder, number: int
) -> Iterator[tuple[Trial, str]]:
    """Yield the trials of list `number`, practice first, each with its right answer."""
    rows = [(f"{number}-p{position}", 1, position, s) for position, s in enumerate(practice, 1)]
    position = 0
    for block, stimuli in enumerate(order.blocks, start=1):
        for stimulus in stimuli:
            position += 1
            rows.append((f"{number}-{position}", block, position, stimulus))
    for trial_id, block, position, stimulus in rows:
        shared = {field: getattr(stimulus, field) for field in SHARED}
        trial = Trial(
            trial_id=trial_id,
            list=number,
            block=block,
            position=position,
            options=stimulus.options,
            **shared,
        )
        yield trial, stimulus.right
