"""Scores of raters and of the audit's baselines over suites, and tests and correlations between
raters.

A score is the unweighted mean of the accuracies on suites; it may be over all suites (the SG
score), those of a circuit (suites about one phenomenon), or those with or without a modifier.

Two raters are tested on the same items by flipping signs of differences: within a suite the signs
of whole clusters of items; over suites the signs of whole suites, which asks if the difference
would hold for other suites like these. With few suites p cannot be small; `p_floor` is the smallest
that is possible. Holm's adjustment is over the pairs of raters, and within suites over pairs and
suites. People take part by the choice of their majority (a tie counts half), and only over suites:
within a suite people are a sample, too, which `comparison.tsv` takes into account.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from statistics import fmean, stdev
from typing import Any

from ...data.statistics.differences import sign_flip
from ...data.statistics.rank_correlation import pearson, spearman
from ...data.statistics.significance import holm
from ...data.tables import Row
from ...scoring.outcomes.collection import (
    Unit,
    UnitScore,
    by_circuit,
    by_modifier,
    mean_of,
    unit_scores,
)
from ..judgments.judgment import levels
from ..statistics.rater_accuracy import HUMANS
from .collect import CollectedAnswers, EarnedCredits

SCORE, CIRCUIT, MODIFIER, OWN, SUITE = LEVELS = ("score", "circuit", "modifier", "own", "suite")
"""Levels of rows: all suites (the SG score), a circuit, suites with or without a modifier, all that
a rater answered (if that is more than what all raters answered), one suite (or paradigm)."""
MIN_SUITES_FOR_INTERVAL = 5  # for an interval over suites; resamples of two or three say nothing
Guesses = Mapping[str, EarnedCredits]
"""Baseline → its credits"""


def score_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Yield the rows of collection.tsv: an accuracy for each level, name and rater.

    The interval `low` to `high` is over items, `suites_low` to `suites_high` over suites. The `sd`
    of a group of models is the standard deviation (n − 1) over its models.

    Scores, circuits and modifiers are over the suites and items that all raters answered; a rater
    with too few of these has only a row on its own answers. If there are originals and nonce
    variants, each kind has a score under its name, and there is no score over both."""
    for level, name, by_rater in _scored_groups(collection):
        for rater in collection.raters:
            rater_scores = by_rater.get(rater, ())
            if row := _row(level, name, rater, rater_scores):
                models = collection.groups.get(rater, ())
                means = [mean for model in models if (mean := mean_of(by_rater.get(model, ())))]
                keys = [key for score in rater_scores for key in score.unit.keys]
                ties = collection.ties.get(rater, ())
                unknown = collection.unknown.get(rater, ())
                yield {
                    **row,
                    "sd": standard_deviation([mean.accuracy for mean in means]),
                    "n_ties": sum(key in ties for key in keys),
                    "n_oov": sum(key in unknown for key in keys),
                }


def _scored_groups(
    collection: CollectedAnswers,
) -> Iterator[tuple[str, str, Mapping[str, Sequence[UnitScore]]]]:
    """Yield (level, name, rater → its accuracies on units) for each score of collection.tsv: on a
    kind of items, a circuit, suites with or without a modifier, a rater's own answers, a unit."""
    units = collection.units_shared
    kinds = scored_kinds(collection.units)
    scores = {
        rater: [score for score in of_rater if score.unit.name in units.items]
        if rater in units.together
        else []
        for rater, of_rater in collection.scores.items()
    }
    for kind in kinds:
        yield SCORE, kind, {rater: _of_kind(own, kind) for rater, own in scores.items()}
    for level, grouped in ((CIRCUIT, by_circuit), (MODIFIER, by_modifier)):
        groups = {rater: grouped(of_rater) for rater, of_rater in scores.items()}
        names = list(dict.fromkeys(chain.from_iterable(groups.values())))
        for name in sorted(names) if level == CIRCUIT else names:
            yield level, name, {rater: by_name.get(name, ()) for rater, by_name in groups.items()}
    for rater, credits in collection.all_answers.items():
        n_shared = sum(score.n_items for score in scores[rater])
        if len(credits) > n_shared:
            all_scores = unit_scores(collection.units, credits)
            for kind in kinds:
                yield OWN, kind, {rater: _of_kind(all_scores, kind)}
    for unit in collection.units:
        on_unit = {
            rater: [score for score in of_rater if score.unit is unit]
            for rater, of_rater in collection.scores.items()
        }
        yield SUITE, unit.name, on_unit


def _row(level: str, name: str, rater: str, scores: Sequence[UnitScore]) -> Row | None:
    """Average a rater's accuracies over units (suites or constructions) into a row of
    collection.tsv; None if there are no accuracies."""
    mean = mean_of(scores, shares=rater == HUMANS)
    if mean is None:
        return None
    limits = mean.items
    over_suites = mean.units if mean.n_units >= MIN_SUITES_FOR_INTERVAL else None
    return {
        "level": level,
        "name": name,
        "rater": rater,
        "n_suites": mean.n_units,
        "n_items": mean.n_items,
        "accuracy": mean.accuracy,
        "low": limits.low if limits else None,
        "high": limits.high if limits else None,
        "suites_low": over_suites.low if over_suites else None,
        "suites_high": over_suites.high if over_suites else None,
        "chance": mean.chance,
    }


def kind_of_unit(unit: Unit) -> str:
    """Return the kind (such as original or nonce) of a unit's items, which all have the same."""
    return unit.items[0].kind


def scored_kinds(units: Sequence[Unit]) -> tuple[str, ...]:
    """Return the kinds that have a score of their own: all kinds if there are originals and nonce
    variants; else only "", which stands for everything."""
    kinds = levels(map(kind_of_unit, units))
    return kinds if {"original", "nonce"} <= set(kinds) else ("",)


def _of_kind(scores: Sequence[UnitScore], kind: str) -> list[UnitScore]:
    """Return the scores on those units whose items are of this kind; all of them for ""."""
    return [score for score in scores if kind in ("", kind_of_unit(score.unit))]


def standard_deviation(means: Sequence[float]) -> float | None:
    """Return the sample standard deviation (n − 1) of mean accuracies; None for fewer than two."""
    return stdev(means) if len(means) > 1 else None


def baseline_rows(collection: CollectedAnswers, guesses: Guesses) -> Iterator[Row]:
    """Yield rows of collection.tsv for the audit's baselines (guesses without grammar): their mean
    accuracies on the items on which raters are compared. The baseline stands as the rater."""
    for kind, name, baseline_scores in _baseline_scores(collection, guesses):
        if row := _row(SCORE, kind, name, baseline_scores):
            yield row


def above_baselines(
    collection: CollectedAnswers, guesses: Guesses
) -> dict[tuple[str, str, str], str]:
    """Tell for each kind of items, rater and baseline if the rater's mean accuracy is the higher.

    Returns (kind, rater, baseline) → `yes`; `no`; or `unclear`, if it is higher, but the interval
    of the difference includes 0.
    """
    verdicts = {}
    for kind, name, baseline_scores in _baseline_scores(collection, guesses):
        names = {score.unit.name for score in baseline_scores}
        for rater in collection.units_shared.together:
            rater_scores = [score for score in collection.scores[rater] if score.unit.name in names]
            differences, clusters, weights = [], [], []
            for score, guess in zip(rater_scores, baseline_scores, strict=True):
                pairs = zip(score.credits, guess.credits, strict=True)
                differences += [earned - guessed for earned, guessed in pairs]
                clusters += [f"{score.unit.suite}\t{cluster}" for cluster in score.clusters]
                weights += [1 / score.n_items] * score.n_items  # all units weigh the same
            test = sign_flip(differences, clusters, weights)
            is_higher = test is not None and test.value > 0
            is_sure = test is not None and test.low is not None and test.low > 0
            verdict = ("yes" if is_sure else "unclear") if is_higher else "no"
            verdicts[kind, rater, name] = verdict
    return verdicts


def _baseline_scores(
    collection: CollectedAnswers, guesses: Guesses
) -> Iterator[tuple[str, str, tuple[UnitScore, ...]]]:
    """Yield (kind of items, baseline, its accuracies on units) for every baseline that has a credit
    for all items on which raters are compared. A unit is a suite or construction."""
    shared = collection.units_shared.items
    for kind in scored_kinds(collection.units):
        units = [
            unit
            for unit in collection.units
            if unit.name in shared and kind in ("", kind_of_unit(unit))
        ]
        keys = set(chain.from_iterable(collection.common[unit.name].items for unit in units))
        for name, credits in guesses.items():
            if keys and keys <= credits.keys():
                shared_credits = {key: credits[key] for key in keys}
                yield kind, name, unit_scores(collection.units, shared_credits)


NO_INTERVAL = "no interval of the difference: with so few sources no p is below .05"
MIN_CORRELATED_SUITES = 3  # suites, for a correlation; two points always lie on a line


def paired_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Yield the rows of paired.tsv: the difference of each two raters' accuracies with its test,
    first over the suites that all raters answered (if these are at least two), then in each suite.

    In a row over suites `name` is a kind of items that has a score of its own, else "", and
    accuracies are unweighted means of the suites' accuracies."""
    over_suites: list[dict[str, Any]] = []
    within_suites: list[dict[str, Any]] = []
    shared = collection.units_shared
    credits = dict(collection.answers)
    if HUMANS in credits:
        credits[HUMANS] = {key: collection.majorities[key] for key in credits[HUMANS]}
    for raters in combinations(collection.listed, 2):
        row_of_unit = {
            unit.name: row for unit in collection.units if (row := _unit_row(unit, raters, credits))
        }
        if HUMANS not in raters:
            within_suites += row_of_unit.values()
        is_compared = {*raters} <= {*shared.together}
        for kind in scored_kinds(collection.units) if is_compared else ():
            rows = [
                row_of_unit[unit.name] for unit in collection.units
                if unit.name in row_of_unit and unit.name in shared.items
                and kind in ("", kind_of_unit(unit))
            ]  # fmt: skip
            if len(rows) > 1:
                accuracies = [(row["accuracy"], row["other_accuracy"], row["name"]) for row in rows]
                n_items = sum(row["n_items"] for row in rows)
                over_suites.append(_pair_row(kind, raters, accuracies, len(rows), n_items))
    for rows in (over_suites, within_suites):
        for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
            yield {**row, "p_holm": p}


def _unit_row(
    unit: Unit, raters: tuple[str, str], credits: Mapping[str, EarnedCredits]
) -> dict[str, Any] | None:
    """Make the row of paired.tsv for two raters on the items of a unit (suite or construction) that
    both answered; None if there are none. `credits` is rater → its credits."""
    earned, other_earned = (credits[rater] for rater in raters)
    answered = [
        (earned[key], other_earned[key], cluster)
        for key, cluster in zip(unit.keys, unit.clusters, strict=True)
        if key in earned and key in other_earned
    ]
    return _pair_row(unit.name, raters, answered, 1, len(answered)) if answered else None


def _pair_row(
    name: str,
    raters: tuple[str, str],
    pairs: Sequence[tuple[float, float, str]],
    n_suites: int,
    n_items: int,
) -> dict[str, Any]:
    """Make the row of paired.tsv for two raters.

    Args:
        name: the suite or kind of items, for the row.
        raters: the two raters.
        pairs: the credits of the first and of the second rater on an item, and the item's cluster;
            or their accuracies on a suite, and the suite.
        n_suites: number of suites, for the row.
        n_items: number of items, for the row.
    """
    rater, other = raters
    values, other_values, clusters = zip(*pairs, strict=True)
    differences = [value - other_value for value, other_value, _ in pairs]
    test = sign_flip(differences, clusters)
    assert test is not None  # there are pairs
    return {
        "name": name,
        "rater": rater,
        "other": other,
        "n_suites": n_suites,
        "n_items": n_items,
        "accuracy": fmean(values),
        "other_accuracy": fmean(other_values),
        "difference": fmean(differences),
        "low": test.low,
        "high": test.high,
        "p": test.p,
        "p_floor": test.floor,
        "note": NO_INTERVAL if test.limits is None else "",
    }


def correlation_rows(collection: CollectedAnswers) -> Iterator[Row]:
    """Yield the rows of correlations.tsv: for each two raters Pearson's and Spearman's correlation
    of their accuracies, over the suites that all raters answered, if these are at least three. A
    correlation is None if a rater's accuracies do not vary. Warstadt et al. 2020 (Figure 1) give
    Pearson's r over BLiMP's 67 paradigms."""
    shared = collection.units_shared
    accuracies = {
        rater: [s.accuracy for s in collection.scores[rater] if s.unit.name in shared.items]
        for rater in collection.listed
        if rater in shared.together
    }
    for rater, other in combinations(accuracies, 2):
        values, other_values = accuracies[rater], accuracies[other]
        if len(values) >= MIN_CORRELATED_SUITES:
            yield {
                "rater": rater,
                "other": other,
                "n_suites": len(values),
                "pearson": pearson(values, other_values),
                "spearman": spearman(values, other_values),
            }
