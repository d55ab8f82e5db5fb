"""Component oracle: the evidence of a construction, beside its definition written out step by step
and beside SciPy."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from colorless_green.miner.verdict.evidence import (
    Evidence,
    evidence,
    lower_bound,
    n_needed,
    poisson_binomial_tail,
)
from tests.builders import few_examples
from tests.miner.mining import instances

SING, PLUR, DUAL = "Sing", "Plur", "Dual"
Row = dict[str, object]

shares = st.floats(0.0, 1.0)


@st.composite
def rows(draw: st.DrawFn, max_size: int = 60) -> list[Row]:
    """Instances, several of them in one sentence, each with the words like its cue."""
    found: list[Row] = []
    for _ in range(draw(st.integers(1, max_size))):
        cue = draw(st.sampled_from([SING, SING, PLUR, DUAL]))
        target = cue if draw(st.booleans()) else draw(st.sampled_from([SING, PLUR, DUAL]))
        n_alike = draw(st.integers(1, 5))
        n_matching = draw(st.integers(int(cue == target), n_alike - int(cue != target)))
        found.append(
            {
                "cue_value": cue,
                "target_value": target,
                "digest": draw(st.integers(0, max_size)),
                "document": draw(st.integers(0, 3)),
                "block": draw(st.integers(0, 12)),
                "cue_lemma": draw(st.sampled_from("abcdef")),
                "target_lemma": draw(st.sampled_from("xyz")),
                "n_alike": n_alike,
                "n_matching": n_matching,
            }
        )
    return found


def agrees(row: Row) -> bool:
    return row["cue_value"] == row["target_value"]


CLUSTERINGS = (("digest",), ("document",), ("block",), ("cue_lemma", "target_lemma"))


def plain_bound(of: list[Row], whole: list[Row]) -> float:
    """Return the 5 % quantile of Wilson's interval with n ÷ the largest design effect; 0 where
    there is none."""
    if not of:
        return 0.0
    n = len(of) / max(plain_effect(of, whole, by) for by in CLUSTERINGS)
    rate = sum(map(agrees, of)) / len(of)
    z = stats.norm.ppf(0.95)
    root = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return max(0.0, float((rate + z**2 / (2 * n) - root) / (1 + z**2 / n)))


def clusters(of: list[Row], by: tuple[str, ...]) -> list[list[Row]]:
    found: dict[object, list[Row]] = defaultdict(list)
    for row in of:
        found[tuple(row[name] for name in by)].append(row)
    return list(found.values())


def plain_similarity(of: list[Row], by: tuple[str, ...]) -> float:
    """How much more often two instances of a cluster have the same value, over all pairs, less
    what the number of pairs leaves to chance."""
    pairs = list(combinations(of, 2))
    within = [one["cue_value"] == other["cue_value"] for one, other in pairs
              if all(one[name] == other[name] for name in by)]  # fmt: skip
    between = [one["cue_value"] == other["cue_value"] for one, other in pairs
               if any(one[name] != other[name] for name in by)]  # fmt: skip
    if not within or not between:
        return 0.0
    chance = sum(between) / len(between)
    if chance == 1:
        return len(within) / (len(within) + 10)
    alike = (sum(within) + 10 * chance) / (len(within) + 10)
    noise = stats.norm.ppf(0.95) * np.sqrt(chance * (1 - chance) / len(within))
    return max(0.0, float(alike - chance - noise) / (1 - chance))


def plain_effect(of: list[Row], whole: list[Row], by: tuple[str, ...]) -> float:
    """Variance with clusters ÷ variance of single draws, or 1 + (Σm²/n − 1) × similarity."""
    n = len(of)
    rate = sum(map(agrees, of)) / n
    sizes = sum(len(each) ** 2 for each in clusters(of, by)) / n
    effect = 1 + (sizes - 1) * plain_similarity(whole, by)
    if rate in (0, 1) or len(clusters(of, by)) < 10:
        return max(1.0, effect)
    clustered = sum(sum(agrees(row) - rate for row in each) ** 2 for each in clusters(of, by))
    return max(1.0, effect, clustered / n**2 / (rate * (1 - rate) / n))


def plain_p(of: list[Row]) -> tuple[float | None, int]:
    informative: dict[object, Row] = {}
    for row in of:
        if 0 < int(str(row["n_matching"])) < int(str(row["n_alike"])):
            informative.setdefault(row["digest"], row)
    chosen = list(informative.values())
    if len(chosen) < 8:
        return None, len(chosen)
    tail = np.array([1.0])  # of the number of hits: one trial after the other
    for row in chosen:
        share = int(str(row["n_matching"])) / int(str(row["n_alike"]))
        tail = np.convolve(tail, [1 - share, share])
    return float(tail[sum(map(agrees, chosen)) :].sum()), len(chosen)


def plain(of: list[Row]) -> Evidence:
    ends = Counter(row[f"{end}_value"] for row in of for end in ("cue", "target"))
    most = min(ends, key=lambda value: (-ends[value], str(value)))
    other = [row for row in of if not row["cue_value"] == row["target_value"] == most]
    p, n_informative = plain_p(of)
    return Evidence(
        n=len(of),
        n_agree=sum(map(agrees, of)),
        deff=max(plain_effect(of, of, by) for by in CLUSTERINGS),
        bound=plain_bound(of, of),
        n_other=len(other),
        n_other_agree=sum(map(agrees, other)),
        bound_other=plain_bound(other, of),
        n_informative=n_informative,
        p=p,
    )


def close(one: Evidence, other: Evidence) -> bool:
    if (one.p is None) != (other.p is None):
        return False
    return all(
        getattr(one, name) is None
        or getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)
        for name in Evidence.__dataclass_fields__
    )


@few_examples
@given(rows())
def test_the_evidence_is_what_the_definition_says(of: list[Row]) -> None:
    assert close(evidence(instances(of)), plain(of))


@given(st.lists(shares, min_size=1, max_size=60), st.integers(0, 60))
def test_the_tail_is_that_of_scipy(of: list[float], n_hits: int) -> None:
    expected = stats.poisson_binom(of).sf(n_hits - 1)
    assert poisson_binomial_tail(n_hits, np.array(of)) == pytest.approx(expected, abs=1e-9)


@given(st.integers(401, 900), st.floats(0.2, 0.8), st.floats(-3, 3))
def test_beyond_four_hundred_the_normal_tail_is_near_the_exact_one(
    n: int, share: float, deviations: float
) -> None:
    n_hits = round(n * share + deviations * (n * share * (1 - share)) ** 0.5)
    exact = stats.binom.sf(n_hits - 1, n, share)
    assert poisson_binomial_tail(n_hits, np.full(n, share)) == pytest.approx(exact, abs=0.005)


@given(st.integers(1, 500), st.data())
def test_the_bound_is_the_lower_end_of_scipys_ninety_percent_interval(
    n: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, n))
    expected = stats.binomtest(hits, n).proportion_ci(0.9, method="wilson").low
    assert lower_bound(hits / n, n) == pytest.approx(expected, abs=1e-9)


@given(
    st.integers(10, 300),
    st.data(),
    st.floats(1, 6),
    st.floats(0.05, 0.95),
)
def test_as_many_instances_more_as_are_needed_bring_the_bound_to_the_floor(
    n: int, data: st.DataObject, deff: float, floor: float
) -> None:
    rate = data.draw(st.integers(0, n)) / n
    more = n_needed(rate, deff, n, floor)
    if more is None:
        assert rate <= floor
        assert lower_bound(rate, 1e12) <= floor + 1e-5
        return
    assert lower_bound(rate, (n + more) / deff) >= floor
    assert more >= 0
    if more:
        assert lower_bound(rate, n / deff) < floor
