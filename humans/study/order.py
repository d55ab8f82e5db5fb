"""The order of a list, and the side of the right option.

The search is greedy, with restarts. It fills one position after the other with a random trial among
those that break the fewest constraints: frequent sorts of trials are more likely, and trials that
could not all be placed later come first. Then two trials change places wherever that repairs
something. If no start keeps all constraints, the best order found is used. One break of a
constraint costs more than all breaks of the constraints before it in `CONSTRAINTS`, so constraints
are given up in that order. The result names the constraints that an order breaks.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ...data.errors import InputError
from ...data.seeds import choose, generator, shuffled
from . import Trial

RESTARTS = 100
MAX_WORSE_STARTS = 12  # starts without a better order before the search ends
MAX_TARGETS_IN_A_ROW = 2
N_EARLIER = 3  # number of earlier trials that a constraint looks at
N_FIRST_FILLERS = 2  # fillers at the beginning of each block
N_BEFORE_CHECKS = 3  # trials of a list before its first check
BITS_PER_CONSTRAINT = 16  # bits of a cost that count the breaks of one constraint

CONSTRAINTS = {  # those that are given up first come first
    "side": "the right option at most three times in a row on one side",
    "value": "the same value at most three times in a row",
    "start": "fillers at the start",
    "targets": "at most two targets in a row",
    "construction": "no construction twice in a row",
}
NEED_FILLERS = ("start", "targets")
"""Constraints that are ignored in a list without fillers."""


class Group(NamedTuple):
    """The trials that are alike in all that constraints look at, and so are interchangeable. The
    search works on numbers of groups, from 1."""

    kind: str
    construction: str
    value: str  # of the agreement feature
    right_first: bool | None  # None: the trial does not have two options


class Costs(dict[tuple[int, int, int, int, bool], int]):
    """A cache of costs: (three groups before, group, is at the start of a block) → cost.

    Groups are numbers, 0 for no trial. The cost of a trial is the sum of the weights of the
    constraints that it breaks. A search looks costs up hundreds of thousands of times.
    """

    def __init__(self, groups: Sequence[Group], weights: Mapping[str, int]) -> None:
        super().__init__()
        self.groups, self.weights = (Group("", "", "", None), *groups), weights

    def __missing__(self, key: tuple[int, int, int, int, bool]) -> int:
        """Compute the cost of a trial, and keep it."""
        *numbers, is_at_start = key
        *before, group = (self.groups[number] for number in numbers)
        _, last_but_one, last = before
        kind, construction, value, right_first = group
        broken = {
            "side": right_first is not None
            and all(earlier.right_first is right_first for earlier in before),
            "value": value and all(earlier.value == value for earlier in before),
            "start": is_at_start and kind != "filler",
            "targets": kind == last.kind == last_but_one.kind == "target",
            "construction": construction and construction == last.construction,
        }
        self[key] = sum(self.weights[name] for name, is_broken in broken.items() if is_broken)
        return self[key]


def add_sides(trials: Sequence[Trial], seed: int, label: str) -> list[Trial]:
    """Choose which option of each trial is shown first, at random but balanced.

    The right option is first in half of the trials of each kind × condition × relation, and in half
    of those of each construction among them (one more or less for odd numbers). Return the trials
    with their options in the order shown; the order of the trials is not kept.
    """
    rng = generator(seed, f"sides\t{label}")

    def factors(trial: Trial) -> tuple[str, ...]:
        """Return what the sides are balanced over: kind, condition, relation, construction."""
        return trial.kind, trial.condition, trial.relation, trial.construction

    sided = [trial for trial in trials if len(trial.options) == 1]
    choices = [trial for trial in trials if len(trial.options) == 2]
    right_first = choose(rng, (True, False))
    for _, group in groupby(sorted(choices, key=factors), key=factors):
        for trial in shuffled(rng, list(group)):
            options = trial.options if right_first else trial.options[::-1]
            sided.append(replace(trial, options=options))
            right_first = not right_first
    return sided


def arrange(
    trials: Sequence[Trial], n_blocks: int, seed: int, label: str
) -> tuple[list[Trial], tuple[str, ...]]:
    """Deal the trials of a list to blocks and order each block.

    Blocks have equal lengths (one more or less), and each kind × condition × side is spread evenly
    over them. Attention checks are spread over each block: never among the first three trials of
    the list, never first or last in a block, and never among the two fillers that begin a block.

    Return the trials in their order, with their blocks, and the names of the constraints that the
    order breaks. Raises `InputError` if the blocks are too short for the checks.
    """
    rng = generator(seed, f"order\t{label}")
    checks = shuffled(rng, [trial for trial in trials if trial.kind == "check"])
    body = [trial for trial in trials if trial.kind != "check"]
    has_fillers = any(trial.kind == "filler" for trial in body)
    groups = [*dict.fromkeys(map(_trial_group, trials))]
    number_of = {group: number for number, group in enumerate(groups, start=1)}
    weights = {
        name: 0 if name in NEED_FILLERS and not has_fillers else 1 << BITS_PER_CONSTRAINT * rank
        for rank, name in enumerate(CONSTRAINTS)
    }
    # costs[n] ignores the first n constraints
    zero_weights = [dict.fromkeys([*CONSTRAINTS][:n], 0) for n in range(len(CONSTRAINTS))]
    costs = [Costs(groups, {**weights, **zeros}) for zeros in zero_weights]
    # every nth of the sorted trials goes to a block, so that blocks get similar trials
    dealt = shuffled(rng, body)
    dealt.sort(key=_dealing_order)
    ordered: list[Trial] = []
    prior = [0] * N_EARLIER  # groups of the trials so far, after as many that are no trial
    cost = 0  # of all blocks
    for number in range(n_blocks):
        members, block_checks = dealt[number::n_blocks], checks[number::n_blocks]
        earliest = max(N_BEFORE_CHECKS - len(ordered), N_FIRST_FILLERS if weights["start"] else 1)
        fixed = _check_positions(block_checks, len(members) + len(block_checks), earliest, rng)
        stock = Counter(number_of[_trial_group(trial)] for trial in members)
        check_groups = {place: number_of[_trial_group(check)] for place, check in fixed.items()}
        block_cost, row = _block_order(stock, check_groups, prior[-N_EARLIER:], costs, rng)
        waiting: dict[int, list[Trial]] = {}  # group → its trials in random order
        for trial in shuffled(rng, members):
            waiting.setdefault(number_of[_trial_group(trial)], []).append(trial)
        for position, group in enumerate(row):  # any trial of the group will do
            trial = fixed[position] if position in fixed else waiting[group].pop()
            ordered.append(replace(trial, block=number + 1))
        prior += row
        cost += block_cost
    n_breaks = {name: _n_breaks(cost, rank) for rank, name in enumerate(CONSTRAINTS)}
    return ordered, tuple(name for name, n in n_breaks.items() if n)


def _dealing_order(trial: Trial) -> tuple[str, ...]:
    """Return a key that sorts similar trials next to each other."""
    side = str(trial.right_first)  # as text, since None cannot be compared with True
    return trial.kind, trial.condition, trial.relation, side, trial.construction


def _n_breaks(cost: int, rank: int) -> int:
    """Read from a cost how often the constraint at place `rank` of `CONSTRAINTS` is broken: each
    constraint has some bits of the cost for its number."""
    return cost >> BITS_PER_CONSTRAINT * rank & (1 << BITS_PER_CONSTRAINT) - 1


def _check_positions(
    checks: Sequence[Trial], length: int, earliest: int, rng: random.Random
) -> dict[int, Trial]:
    """Choose random positions for the attention checks of a block, and return position (from 0) →
    check.

    The block is cut into as many equal stretches as there are checks, and each stretch gets one; no
    check comes before `earliest` or last.
    """
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


def _trial_group(trial: Trial) -> Group:
    """Return the group of a trial: all that the constraints on the order look at."""
    return Group(trial.kind, trial.construction, trial.value, trial.right_first)


def _block_order(
    stock: Counter[int],
    checks: Mapping[int, int],
    prior: Sequence[int],
    costs: Sequence[Costs],
    rng: random.Random,
) -> tuple[int, list[int]]:
    """Search for the cheapest order of a block; its cost adds up the constraints that it breaks.

    `stock` counts the trials of each group, `checks` has the group of the check at each fixed
    position, and `prior` the groups of the trials before the block. `costs[0]` counts all
    constraints; the others, which ignore some, only vary the greedy starts. Return the cost of the
    best order found, and the order as groups.
    """
    all_constraints, *_ = costs
    lowest: int | None = None
    best_row: list[int] = []
    n_worse = 0
    for start in range(RESTARTS):
        row = _greedy_order(stock.copy(), checks, prior, costs[start % len(costs)], rng)
        cost = _swap_trials(row, checks, all_constraints)
        n_worse += 1
        if lowest is None or cost < lowest:
            lowest, best_row, n_worse = cost, row, 0
        if lowest == 0 or n_worse == MAX_WORSE_STARTS:
            break
    assert lowest is not None  # there is a first start
    return lowest, best_row[N_EARLIER:]  # without the trials before the block


def _greedy_order(
    stock: Counter[int],
    checks: Mapping[int, int],
    prior: Sequence[int],
    costs: Costs,
    rng: random.Random,
) -> list[int]:
    """Order a block greedily: return the groups in `prior`, followed by those of the block.

    The parameters are as in `_block_order`; `stock` is used up.
    """
    row = list(prior)
    for position in range(stock.total() + len(checks)):
        if position in checks:
            row.append(checks[position])
            continue
        third_last, second_last, last = row[-N_EARLIER:]
        is_at_start = position < N_FIRST_FILLERS
        cost_of = {
            group: costs[third_last, second_last, last, group, is_at_start] for group in stock
        }
        least = min(cost_of.values())
        cheapest = [group for group, cost in cost_of.items() if cost == least]
        allowed = _urgent(cheapest, stock, costs.groups)
        # draw a group in proportion to what is left of it
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
    """Return the groups of trials among `allowed` that must be placed now, since later there is
    no room for them without breaking a constraint; all of `allowed` if none must.

    These are the groups of a construction that makes up more than half of the remaining trials;
    else targets, if more than two remain for each other trial.
    """
    n_left, n_targets, n_of_construction = stock.total(), 0, Counter[str]()
    for number, n in stock.items():
        n_of_construction[groups[number].construction] += n
        n_targets += n if groups[number].kind == "target" else 0
    frequent = {name for name, n in n_of_construction.items() if name and 2 * n > n_left}
    urgent = [number for number in allowed if groups[number].construction in frequent]
    if not urgent and n_targets > MAX_TARGETS_IN_A_ROW * (n_left - n_targets):
        urgent = [number for number in allowed if groups[number].kind == "target"]
    return urgent or allowed


def _swap_trials(row: list[int], checks: Mapping[int, int], costs: Costs) -> int:
    """Exchange two trials of `row` as long as that lowers its cost; return the final cost.

    `row` is changed. Its first `N_EARLIER` trials are before the block and, like checks, stay.
    """
    length, start_end = len(row), N_EARLIER + N_FIRST_FILLERS
    free = [i for i in range(N_EARLIER, length) if i - N_EARLIER not in checks]
    # the places whose cost depends on place i: its own and the next ones
    reach = [range(i, min(i + N_EARLIER + 1, length)) for i in range(length)]

    def cost(i: int) -> int:
        """Return the cost of the trial at place i of the row as it is now."""
        return costs[row[i - 3], row[i - 2], row[i - 1], row[i], i < start_end]

    # the cost at each place; the trials before the block are not counted
    paid = [0] * N_EARLIER + [cost(i) for i in range(N_EARLIER, length)]
    improved = True
    while improved:
        improved = False
        for a in free:
            if not any(paid[a : a + N_EARLIER + 1]):
                continue  # this trial is in no broken constraint
            for b in free:
                if row[a] == row[b]:
                    continue  # they are alike
                row[a], row[b] = row[b], row[a]
                affected = {*reach[a], *reach[b]}
                saved = sum([paid[i] for i in affected])
                for i in affected:
                    saved -= cost(i)
                    if saved <= 0:
                        break
                else:  # the exchange lowers the cost: keep it
                    for i in affected:
                        paid[i] = cost(i)
                    improved = True
                    break
                row[a], row[b] = row[b], row[a]  # undo the exchange
    return sum(paid)
