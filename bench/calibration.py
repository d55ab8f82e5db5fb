"""Simulate studies and suites, to measure the error rates of tests and the coverage of intervals.

`python -m bench.calibration [--studies 3000] [--only accuracy,people]`: print every cell, and the
worst of each table below it. A *cell* is the rate for one design over many simulated studies.
People's answers are logistic, models' choices probit; the difficulties of an item for the two
correlate (r .7), and clusters have an intraclass correlation (latent); 10 % of answers are missing.
Under the null, people and models, or conditions, or two models are equally accurate in the
population. The interval of a mean should contain its true value in 95 % of studies (at least .92 in
every cell with a correlation up to .6), and a test at .05 should reject in 5 % (at most .065)."""

import math
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from colorless_green.data.arrays import Floats, Integers
from colorless_green.data.statistics.crossed import (
    Answers,
    condition_difference,
    majority_accuracy,
    people_accuracy,
)
from colorless_green.data.statistics.differences import sign_flip, square_and_add
from colorless_green.data.statistics.intervals import accuracy_interval
from colorless_green.data.statistics.rank_correlation import spearman_p

N_STUDIES = 300
ALPHA = 0.05
P_MISSING = 0.1  # of an answer
DIFFICULTY_CORRELATION = 0.7  # of an item's difficulties for people and for a model
EFFECT_SPREAD = 0.5  # SD in log-odds of a condition's effect, over people and over items
ACCURACIES, ICCS = (0.5, 0.8, 0.95, 0.99), (0.0, 0.3, 0.6)  # ICC: intraclass correlation
# (number of clusters, items in each):
CLUSTERINGS = ((18, 9), (41, 9), (100, 3), (30, 1), (119, 1), (500, 14))
SPREADS = ((0.0, 0.5), (0.8, 0.73), (1.2, 1.5))  # SD in log-odds: (of people, of items)
NORMAL = NormalDist()


class Design(NamedTuple):
    """The size of a study: its people, its items, and the number of lists that share the items."""

    people: int
    items: int
    lists: int = 1

    def __str__(self) -> str:
        in_lists = f" in {self.lists} lists" if self.lists > 1 else ""
        return f"{self.people}×{self.items}{in_lists}"


DESIGNS = (
    Design(25, 20), Design(30, 30), Design(20, 100), Design(10, 200, 4), Design(5, 40),
    Design(58, 118),
)  # fmt: skip


class Cell(NamedTuple):
    """One line of a table: the rate of a design, such as the coverage of an interval."""

    table: str
    name: str
    rate: float


def latent(rng: np.random.Generator, owner: Integers, correlation: float) -> Floats:
    """Draw a standard normal number for each item, correlated within clusters (`owner`: the item's
    cluster)."""
    shared = rng.standard_normal(int(owner.max()) + 1)[owner]
    own = rng.standard_normal(len(owner))
    result: Floats = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own
    return result


@lru_cache
def mean_log_odds(accuracy: float, spread: float) -> float:
    """Return the mean log-odds at which normal log-odds with this SD give this mean accuracy."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)  # averages over a normal distribution
    low, high = -30.0, 30.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        mean = float((weights / (1 + np.exp(-middle - spread * nodes))).sum() / weights.sum())
        low, high = (middle, high) if mean < accuracy else (low, middle)
    return low


class Study(NamedTuple):
    """A simulated study: its answers, and the difficulty and condition of each item."""

    answers: Answers
    hard: Floats  # difficulty of each item, standard normal
    is_second: np.ndarray  # the item is in the second condition


def simulate(
    rng: np.random.Generator,
    design: Design,
    accuracy: float,
    spreads: tuple[float, float],
    *,
    paired: str = "",
) -> Study:
    """Simulate a study of people.

    If `paired` is given, every item is in two conditions, of which a person sees `both` or `one`,
    and people and items differ in the effect of the condition.
    """
    by_person, by_item = spreads
    n_conditions = 2 if paired else 1
    # an item in two conditions is two columns of the answers, with one source and one difficulty
    source = np.repeat(np.arange(design.items), n_conditions)
    is_second = np.tile(np.arange(n_conditions), design.items) == 1
    hard = rng.standard_normal(design.items)
    people = by_person * rng.standard_normal((design.people, 1))
    effect_spread = EFFECT_SPREAD if paired else 0.0
    effects = rng.standard_normal((design.people, 1)) + rng.standard_normal(design.items)[source]
    # the SD of the sum; half an effect, which is the sum of two draws, is added or taken away
    spread = math.hypot(by_person, by_item, effect_spread * math.sqrt(2) / 2)
    half_effects = effect_spread * effects * np.where(is_second, 0.5, -0.5)
    mean = mean_log_odds(accuracy, spread)
    log_odds = mean + people - by_item * hard[source] + half_effects
    right = rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))
    is_answered = rng.random(log_odds.shape) >= P_MISSING
    person = np.arange(design.people)[:, None]
    is_answered &= (source + person) % design.lists == 0  # a person sees one list
    if paired == "one":  # the conditions alternate from item to item and person to person
        is_answered &= (source // design.lists + person) % 2 == is_second
    answered = is_answered.any(axis=0)
    total = is_answered[:, answered].astype(float)
    answers = Answers(right[:, answered] * total, total, source[answered])
    return Study(answers, hard[source][answered], is_second[answered])


def accuracy_coverage(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the coverage of the interval of a model's accuracy."""
    for (n, size), truth, correlation in product(CLUSTERINGS, ACCURACIES, ICCS):
        if size == 1 and correlation:  # one item a cluster is correlated with none
            continue
        owner = np.repeat(np.arange(n), size)
        hits = 0
        for _ in range(studies):
            credits = (latent(rng, owner, correlation) < NORMAL.inv_cdf(truth)).astype(float)
            found = accuracy_interval(credits, owner.tolist())
            hits += found is not None and found.low <= truth <= found.high
        yield Cell("coverage, accuracy of a model", f"{n}×{size}, {truth}, ICC {correlation}",
                   hits / studies)  # fmt: skip


def people_coverage(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the coverage of two intervals: of people's share of right answers, and of the share of
    items that their majority has right."""
    for design, truth, spreads in product(DESIGNS, (0.6, 0.8, 0.9, 0.95), SPREADS):
        majority = population_majority(design, truth, spreads)
        hits = np.zeros(2)
        for _ in range(studies):
            answers = simulate(rng, design, truth, spreads).answers
            found = people_accuracy(answers), majority_accuracy(answers)
            hits += [
                interval is not None and interval.low <= true <= interval.high
                for interval, true in zip(found, (truth, majority), strict=True)
            ]
        name = f"{design}, {truth}, SD {spreads[0]}, {spreads[1]}"
        for kind, rate in zip(("share", "majority"), hits / studies, strict=True):
            yield Cell(f"coverage, {kind} of people", name, float(rate))


@lru_cache
def population_majority(
    design: Design, accuracy: float, spreads: tuple[float, float], n: int = 400
) -> float:
    """Estimate the share of items that most people of such a study answer right, from `n`
    simulated studies."""
    rng = np.random.default_rng(0)
    found = (majority_accuracy(simulate(rng, design, accuracy, spreads).answers) for _ in range(n))
    return min(0.999, float(np.mean([estimate.mean for estimate in found if estimate is not None])))


def like_with_like_errors(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the rate at which people and an equally accurate model are found to differ."""
    names = "share − choice", "majority − choice", "share − choice share"
    for design, truth, spreads in product(DESIGNS, (0.8, 0.9, 0.95), SPREADS):
        majority = population_majority(design, truth, spreads)
        hits = np.zeros(3)
        for _ in range(studies):
            made = simulate(rng, design, truth, spreads)
            answers, owner = made.answers, made.answers.owner.tolist()
            own = math.sqrt(1 - DIFFICULTY_CORRELATION**2) * rng.standard_normal(len(owner))
            hard = DIFFICULTY_CORRELATION * made.hard + own  # the items' difficulty for the model
            # two models, one as accurate as people, one as people's majority
            choices, majority_choices = (
                accuracy_interval((hard < NORMAL.inv_cdf(accuracy)).astype(float), owner)
                for accuracy in (truth, majority)
            )
            shares = 1 / (1 + np.exp(2 * hard - mean_log_odds(truth, 2.0)))
            people = people_accuracy(answers)
            pairs = (
                (people, choices),
                (majority_accuracy(answers), majority_choices),
                (people, accuracy_interval(shares, owner, least_effect=0.0)),
            )
            hits += [
                ours is not None and model is not None and square_and_add(ours, model).sign != 0
                for ours, model in pairs
            ]
        name = f"{design}, {truth}, SD {spreads[0]}, {spreads[1]}"
        for kind, rate in zip(names, hits / studies, strict=True):
            yield Cell(f"type I, {kind}", name, float(rate))


def condition_errors(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the rate at which two equally difficult conditions are found to differ."""
    for design, truth, spreads, paired in product(DESIGNS, (0.8, 0.9), SPREADS, ("one", "both")):
        tests = (
            condition_difference(made.answers, made.is_second)
            for made in (
                simulate(rng, design, truth, spreads, paired=paired) for _ in range(studies)
            )
        )
        hits = sum(test is not None and test.p is not None and test.p < ALPHA for test in tests)
        name = f"{design}, {truth}, SD {spreads[0]}, {spreads[1]}, sees {paired}"
        yield Cell("type I, original − nonce", name, hits / studies)


def model_errors(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the rate at which two equally accurate models are found to differ."""
    for (n, size), truth, correlation in product(CLUSTERINGS[:-1], ACCURACIES, ICCS):
        owner = np.repeat(np.arange(n), size)
        hits = 0
        for _ in range(studies):
            first, second = (latent(rng, owner, correlation) for _ in range(2))
            limit = NORMAL.inv_cdf(truth)
            difference = (first < limit).astype(float) - (second < limit)
            test = sign_flip(difference, owner.tolist())
            hits += test is not None and test.p is not None and test.p < ALPHA
        name = f"{n}×{size}, {truth}, ICC {correlation}"
        yield Cell("type I, two models", name, hits / studies)


def correlation_errors(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the rate at which unrelated numbers are found to correlate."""
    for (n, size), one, other in product(CLUSTERINGS[:-1], ICCS, ICCS):
        if one > other or (size == 1 and other):  # the same cell, or no correlation at all
            continue
        owner = np.repeat(np.arange(n), size)
        names = owner.tolist()
        ps = (
            spearman_p(latent(rng, owner, one), latent(rng, owner, other), names)
            for _ in range(studies)
        )
        hits = sum(p is not None and p < ALPHA for p in ps)
        yield Cell("type I, Spearman's ρ", f"{n}×{size}, ICC {one}, {other}", hits / studies)


def seed_coverage(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the coverage of the interval of a model's mean accuracy over seeds."""
    for (n, size), seeds, truth in product(CLUSTERINGS[:3], (3, 5, 10), (0.8, 0.95)):
        owner = np.repeat(np.arange(n), size)
        hits = 0
        for _ in range(studies):
            shared, limit = latent(rng, owner, 0.3), NORMAL.inv_cdf(truth)
            # the threshold of each seed, with SD 0.1 around the one that gives the true accuracy
            level = 0.1 * rng.standard_normal(seeds)[:, None] + limit * math.hypot(1, 0.1)
            own = rng.standard_normal((seeds, len(owner)))
            credits = math.sqrt(0.8) * shared + math.sqrt(0.2) * own < level  # (seeds, items)
            found = accuracy_interval(
                credits.mean(axis=0), owner.tolist(), seeds=credits.mean(axis=1).tolist()
            )
            hits += found is not None and found.low <= truth <= found.high
        yield Cell("coverage, mean of seeds", f"{n}×{size}, {seeds} seeds, {truth}", hits / studies)


def monotony_breaches(rng: np.random.Generator, studies: int) -> Iterator[Cell]:
    """Yield the largest fall of an interval's limit when one more item is right; it should be 0.

    Nothing is simulated: items become wrong one by one, cluster by cluster (`packed`) or spread
    over all clusters.
    """
    del rng, studies
    for n, size in CLUSTERINGS[:-1]:
        for name, order in (
            ("packed", np.arange(n * size)),
            ("spread", np.arange(n * size).reshape(n, size).T.ravel()),
        ):
            credits, breach = np.ones(n * size), 0.0
            low, high = 1.0, 1.0  # of the interval with one error less
            owner = np.repeat(np.arange(n), size).tolist()
            for wrong in order[: min(60, n * size)]:
                credits[wrong] = 0.0
                found = accuracy_interval(credits, owner)
                assert found is not None
                breach = max(breach, found.low - low, found.high - high)
                low, high = found.low, found.high
            yield Cell("breach of monotony", f"{n}×{size}, {name}", breach)


TABLES: dict[str, Callable[[np.random.Generator, int], Iterator[Cell]]] = {
    "accuracy": accuracy_coverage, "people": people_coverage, "like": like_with_like_errors,
    "conditions": condition_errors, "models": model_errors, "correlation": correlation_errors,
    "seeds": seed_coverage, "counts": monotony_breaches,
}  # fmt: skip


def main() -> None:
    """Print every cell of the selected tables, and the worst of each."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=N_STUDIES)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    print(f"| {options.studies:,} studies a cell | | |\n|---|---|--:|")
    for name, cells in TABLES.items():
        if only and name not in only:
            continue
        rates: dict[str, list[float]] = {}
        for cell in cells(np.random.default_rng(2018), options.studies):
            rates.setdefault(cell.table, []).append(cell.rate)
            print(f"| {cell.table} | {cell.name} | {cell.rate:.3f} |", flush=True)
        for table, values in rates.items():
            worst = min(values) if table.startswith("coverage") else max(values)
            print(f"| **{table}** | worst of {len(values)} | **{worst:.3f}** |", flush=True)


if __name__ == "__main__":
    main()
