"""Ratings of right and wrong sentences, as given and as z-scores within each person.

People use a scale differently; a z-score compares a rating with all ratings of the same person.
Magnitudes are ratios to a reference (Bard et al. 1996), so their logarithms are analysed.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ...data.arrays import Floats
from ...data.statistics.intervals import accuracy_interval, cluster_interval
from ...data.statistics.rank_correlation import spearman, spearman_interval, spearman_p
from ..collection.collect import SuiteResults
from ..judgments.judgment import IS_RATING, levels
from ..judgments.lookup import normal_sentence, wordings_of
from ..statistics.people import split_halves
from ..statistics.rater_accuracy import HUMANS, MIN_CORRELATED_ITEMS, margins_of
from . import Measure, method_name
from .correlations import BY_PEOPLE, BY_T, NO_VARIATION

RIGHT, WRONG = "right", "wrong"  # conditions of an item
MEANS: Mapping[str, str] = {
    RIGHT: "mean rating of right sentences",
    WRONG: "mean rating of wrong sentences",
}
DIFFERENCE, HIGHER = "rating, right − wrong", "items rated higher when right"
RATING_RHO = "ρ of rating, right − wrong, with margin"
CEILING_OF_RATINGS = "noise ceiling of ratings"
FLAT = "people whose ratings are all alike"  # they have no z-scores
SIDELESS = "ratings of sentences neither right nor wrong"
NO_MAGNITUDE = "magnitudes not above 0"
GIVEN, LOGARITHM, Z = "as given", "natural logarithm", "z per person"
MAGNITUDE = "magnitude"  # the name of a scale
RATED_KINDS = ("target", "filler")  # kinds of trial that z-scores are computed from
TIE_WIDTH = 1e-9  # mean ratings that differ by no more are a tie


def rating_measures(results: SuiteResults) -> Iterator[Measure]:
    """Yield the measures of ratings, for each kind of item and then for each construction.

    These are the mean ratings of right and of wrong sentences (over people, then over items), the
    mean difference over items of which both were rated, and the share of these items whose right
    sentence was rated higher (a tie counts half). Intervals are over sources. All of them come
    twice: from ratings as given (magnitudes as logarithms) and from z-scores. Then come the numbers
    of people without z-scores and of ratings left out. Nothing comes if no target was rated.

    A z-score uses the mean and standard deviation (n − 1) of all targets and fillers that a person
    rated; a person whose ratings are all the same has none. A sentence is right or wrong if its
    text is that of the item's condition `right` or `wrong`. If its text is in neither or in both,
    the condition that the file names decides.
    """
    table = _rating_table(results)
    targets = table.filter(pl.col("side").is_not_null())
    if targets.is_empty():
        return
    base = LOGARITHM if results.scale == MAGNITUDE else GIVEN
    for level in (base, Z):
        note = f"scale {results.scale or 'not known'}" if level == GIVEN else ""
        ratings = targets.filter(pl.col("side") != "").drop_nulls(level)
        for kind, construction, group in _by_kind_and_construction(ratings):
            yield from _summarise(group.rename({level: "value"}), kind, construction, level, note)
    for kind in levels(targets["kind"]):
        of_kind = targets.filter(pl.col("side") != "", kind=kind).drop_nulls(Z)
        yield from _correlations_with_margins(results, kind, of_kind)
    rated = table.drop_nulls(base)
    n_people, n_with_z = (frame["person"].n_unique() for frame in (rated, rated.drop_nulls(Z)))
    n_undefined = len(table) - len(rated)
    for statistic, n, total, remark in (
        (FLAT, n_people - n_with_z, n_people, "n: people; they have no z-scores"),
        (SIDELESS, (targets["side"] == "").sum(), len(targets), "n: ratings"),
        (NO_MAGNITUDE, n_undefined, len(table), "n: ratings; they have no logarithm"),
    ):
        if n:
            yield Measure(statistic, float(n), n=total, note=remark)


def _rating_table(results: SuiteResults) -> pl.DataFrame:
    """Return a table with a row for each rating of a target or filler.

    It has the columns item, source, construction, kind (of the item), person and side (RIGHT,
    WRONG, "" for a target that is neither, null for a filler), and three columns for the rating: as
    given, its logarithm and its z-score, each null if undefined.
    """
    rated = results.judged.trials.filter(IS_RATING, pl.col("kind").is_in(RATED_KINDS))
    wordings = {
        name: wordings_of(results.items[name])
        for name in rated.filter(kind="target")["item"].unique()
        if name in results.items
    }
    sides: list[str | None] = []
    kinds: list[str] = []
    fields = ("kind", "item", "option_1", "condition")
    for trial_kind, item, sentence, condition in rated.select(fields).iter_rows():
        side = None
        if trial_kind == "target":
            _, _, named_in_file = condition.rpartition(" ")  # our own studies write "nonce wrong"
            side = wordings.get(item, {}).get(normal_sentence(sentence), named_in_file)
            side = side if side in MEANS else ""
        sides.append(side)
        kinds.append(results.items[item].kind if item in results.items else condition)
    logarithm = pl.when(pl.col(GIVEN) > 0).then(pl.col(GIVEN).log())
    base = pl.col(LOGARITHM if results.scale == MAGNITUDE else GIVEN)
    mean, spread = base.mean().over("person"), base.std().over("person")
    varies = base.drop_nulls().n_unique().over("person") > 1
    table = rated.select(
        "item", "source", "construction",
        pl.col("participant").alias("person"), pl.col("rating").alias(GIVEN),
        pl.Series("kind", kinds, pl.String), pl.Series("side", sides, pl.String),
    )  # fmt: skip
    return table.with_columns(logarithm.alias(LOGARITHM)).with_columns(
        pl.when(varies).then((base - mean) / spread).alias(Z)
    )


def _correlations_with_margins(
    results: SuiteResults, kind: str, ratings: pl.DataFrame
) -> Iterator[Measure]:
    """Yield the noise ceiling of items' differences of z-scores, right minus wrong sentence, and
    the rank correlation of these with each model's margins."""
    item_ids = ratings["item"].unique().sort().to_list()
    people = ratings["person"].unique(maintain_order=True).to_list()
    differences_of = _item_differences(ratings, item_ids, people)
    (differences,) = differences_of(np.ones((1, len(people)))).tolist()
    rated = {
        item: difference
        for item, difference in zip(item_ids, differences, strict=True)
        if not math.isnan(difference)
    }
    sources = dict(ratings.select("item", "source").iter_rows())
    split = split_halves(len(people), differences_of)
    ceiling = split.ceiling if split else None
    if split is not None:
        note = BY_PEOPLE if ceiling else f"{BY_PEOPLE}, not above 0"
        yield Measure(CEILING_OF_RATINGS, ceiling, kind, level=Z, n=len(rated), note=note)
    for model, outcomes in results.matched.items():
        margins = margins_of(outcomes)
        items = [item for item in rated if item in margins]
        if len(items) < MIN_CORRELATED_ITEMS:
            continue
        x, y = [rated[item] for item in items], [margins[item] for item in items]
        clusters = [sources[item] for item in items]
        rho, limits, p, note = spearman(x, y), None, None, NO_VARIATION
        if rho is not None:
            limits, p = spearman_interval(x, y, clusters), spearman_p(x, y, clusters)
            notes = [BY_T] if p is not None else []
            if ceiling:
                notes.append(f"{rho / ceiling:.2f} of the ceiling")
            note = "; ".join(notes)
        yield Measure(
            RATING_RHO, rho, kind, rater=model, level=Z, n=len(items), limits=limits, p=p, note=note
        )


def _item_differences(
    ratings: pl.DataFrame, items: Sequence[str], people: Sequence[str]
) -> Callable[[Floats], Floats]:
    """Return a function from halves of the people to each item's difference: the mean z-score of
    its right sentence minus that of its wrong one, NaN where nobody in the half rated one of them.

    It takes an array of shape (splits, people), 1 for those in the half, 0 for the others, and
    returns one of shape (splits, items). `ratings` has the columns item, person, side and z-score.
    """
    cells = tuple(
        ratings[name].replace_strict({key: n for n, key in enumerate(keys)}).to_numpy()
        for name, keys in (("side", MEANS), ("person", people), ("item", items))
    )
    sums, counts = np.zeros((2, len(MEANS), len(people), len(items)))
    if len(ratings):
        np.add.at(sums, cells, ratings[Z].to_numpy())
        np.add.at(counts, cells, 1)

    def differences(half: Floats) -> Floats:
        """Return each item's difference among the people of each half."""
        with np.errstate(invalid="ignore"):
            right_means, wrong_means = (half @ sums) / (half @ counts)
        difference: Floats = right_means - wrong_means
        return difference

    return differences


def _by_kind_and_construction(ratings: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Split ratings of sentences by kind of item, then by construction.

    Yield (kind, construction, ratings): first all ratings of each kind, with construction "", then
    those of each construction of each kind, by name."""
    kinds = levels(ratings["kind"])
    for kind in kinds:
        yield kind, "", ratings.filter(kind=kind)
    for kind in kinds:
        of_kind = ratings.filter(kind=kind)
        for name in sorted({*of_kind["construction"]} - {""}):
            yield kind, name, of_kind.filter(construction=name)


def _summarise(
    ratings: pl.DataFrame, kind: str, construction: str, level: str, note: str
) -> Iterator[Measure]:
    """Yield the mean ratings, differences and shares of the items of one kind and construction.

    `ratings` has the columns item, source, side and value; `level` names what the values are
    (ratings as given, logarithms or z-scores).
    """
    means = {
        side: ratings.filter(side=side)
        .group_by("item")
        .agg(pl.col("source").first(), pl.col("value").mean())
        .sort("item")
        for side in MEANS
    }
    both = means[RIGHT].join(means[WRONG], on="item", suffix="_wrong", maintain_order="left")
    difference = both.with_columns(pl.col("value") - pl.col("value_wrong"))
    half_if_tied = pl.when(pl.col("value").abs() <= TIE_WIDTH).then(0.5)
    is_higher = half_if_tied.otherwise(pl.col("value") > 0)
    higher = difference.with_columns(is_higher.alias("value"))
    for statistic, frame in (
        *((MEANS[side], means[side]) for side in MEANS),
        (DIFFERENCE, difference),
        (HIGHER, higher),
    ):
        if frame.is_empty():
            continue
        values, sources = frame["value"].to_list(), frame["source"].to_list()
        interval_of = accuracy_interval if statistic == HIGHER else cluster_interval  # of shares
        limits, mean = interval_of(values, sources), math.fsum(values) / len(values)
        notes, n = ", ".join(filter(None, [method_name(limits), note])), len(values)
        names = kind, construction, HUMANS, level
        yield Measure(statistic, mean, *names, n=n, limits=limits, note=notes)
