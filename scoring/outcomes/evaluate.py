"""Turn surprisals of regions into outcomes: the credit of each item under each prediction."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ...data.arrays import Floats, Truths
from ...data.formula.evaluation import judge
from ...data.formula.expression import RegionKey
from ...data.items.item_table import ItemTable
from ...data.items.prediction import WHOLE, Prediction
from ...data.items.sentences import code_of
from ...data.items.suite import Suite
from ..questions.plan import Plan, applying
from ..questions.query import HALF_PRECISION
from ..questions.region_surprisals import RegionSurprisals, mean_by_group

# notes of outcomes
OOV = "oov"  # left out: a word-level model does not know a scored word
OOV_KEPT = "oov_kept"  # the same, but counted, as the method says
EQUAL_FORMS = "equal_forms"  # left out: right and wrong form are the same word
REFUSED = "refused"  # left out: the model cannot read a sentence of the item, such as a long one
UNDEFINED = "undefined"  # no credit: the formula needs a region whose metric has no value
LEMMAS_LEFT_OUT = "lemmas_left_out"  # some lemmas of the item are unknown and do not count
NO_PAIR = "no_pair"  # left out: the method cannot ask about such an item
UNSHARED_TIE = "unshared_tie"  # no credit: equal sums that are not each other's mirror image
SHARED_SUBWORD = "shared_subword"  # a subword has letters of two regions and counts to the later
FRAGILE = "fragile"  # so near a tie that another device may decide otherwise


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one model on one item under one prediction.

    Attributes:
        item_id: the item.
        prediction: the name of the prediction.
        credit: 0 to 1, 1 if the prediction holds; `None` if the item is left out (the note says
            why).
        margin_bits: the difference of surprisals by which the prediction holds, negative if it
            fails; `None` if it cannot be computed.
        tie: True if the compared surprisals are equal.
        oov: True if a word of the item, before the target or scored, is unknown to the model.
        note: `oov`, `equal_forms` and other notes, joined by `;`.
    """

    item_id: str
    prediction: str
    credit: float | None
    margin_bits: float | None
    tie: bool
    oov: bool
    note: str = ""


OUTCOME_DTYPES = {
    "item_id": pl.String, "prediction": pl.String, "credit": pl.Float64,
    "margin_bits": pl.Float64, "tie": pl.Boolean, "oov": pl.Boolean, "note": pl.String,
}  # fmt: skip
"""The columns of a frame of outcomes; a missing credit or margin is null."""


def outcomes_frame(outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """Put outcomes into a frame.

    Args:
        outcomes: the outcomes.

    Returns:
        One row each, in order; columns are the fields of `Outcome`.

    >>> outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])["credit"].to_list()
    [1.0]
    """
    rows = list(map(attrgetter(*OUTCOME_DTYPES), outcomes))
    return pl.DataFrame(rows, OUTCOME_DTYPES, orient="row", strict=False)


def outcomes_in(frame: pl.DataFrame) -> Iterator[Outcome]:
    """Read the outcomes of a frame.

    Args:
        frame: as `outcomes_frame` makes it.

    Returns:
        The outcomes, row by row.

    >>> table = outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])
    >>> next(outcomes_in(table)).margin_bits
    2.5
    """
    return (Outcome(*row) for row in frame.iter_rows())


FRAGILE_NATS = {
    "float32": 7e-5,
    "float16": 0.03,
    "bfloat16": 0.2,  # 8 bits of mantissa: logits near 20 come in steps of 1/8
}
"""Number type → the margin below which credits differed from those in float32; for float32 itself,
from those on another device or in another batch"""


@dataclass(frozen=True, slots=True)
class JudgingRules:
    """The rules by which surprisals become outcomes.

    Attributes:
        word_level: True if the model marks whole words as unknown (`query.word_level`).
        oov: `exclude` leaves out an item with a scored word that a word-level model does not know,
            `keep` counts it.
        ties: `share` gives a tie the share of orderings that are right, `wrong` gives it nothing.
        dtype: the model's number type; credits that its rounding could change are noted `fragile`.
        minus: (condition, region) → the one whose surprisal is subtracted.
    """

    word_level: bool = False
    oov: str = "exclude"
    ties: str = "share"
    dtype: str = "float32"
    minus: Mapping[RegionKey, RegionKey] = field(default_factory=dict)


def cell_values(
    plan: Plan,
    surprisal: RegionSurprisals,
    cells: Iterable[RegionKey],
    minus: Mapping[RegionKey, RegionKey],
) -> dict[RegionKey, Floats]:
    """Average the surprisals of regions over the sentences of a condition. A (condition, region) is
    called a cell.

    Args:
        plan: what was asked.
        surprisal: the answers.
        cells: the cells to average.
        minus: cell → the one whose mean is subtracted from it.

    Returns:
        Cell → (items,) mean surprisal in bits; NaN for items without the cell.
    """
    sentences, n_items = plan.table.sentences, len(plan.table)
    item, condition, owner = plan.item, plan.condition, plan.owner
    # Regions of a sentence that share a name have one surprisal, which the first of them holds.
    is_first = plan.slot == np.arange(len(plan.slot))

    def mean(cell: RegionKey) -> Floats:
        """Return (items,) the mean surprisal in bits of a cell; NaN for items without it."""
        condition_name, region = cell
        code = code_of(condition_name, sentences.conditions)
        if region == WHOLE:
            rows = np.flatnonzero(condition == code)
            return mean_by_group(surprisal.total[rows], item[rows], n_items)
        has_name = is_first & (plan.name == code_of(region, sentences.names))
        rows = np.flatnonzero(has_name & (condition[owner] == code))
        return mean_by_group(surprisal.region[rows], item[owner[rows]], n_items)

    values = {cell: mean(cell) for cell in dict.fromkeys(cells)}
    return {
        cell: value - mean(minus[cell]) if cell in minus else value
        for cell, value in values.items()
    }


def outcomes_of(
    suite: Suite,
    plan: Plan,
    surprisal: RegionSurprisals,
    rules: JudgingRules,
    values: Mapping[RegionKey, Floats] | None = None,
) -> pl.DataFrame:
    """Decide the credit of every item under every prediction.

    Args:
        suite: the suite whose predictions are decided.
        plan: what was asked.
        surprisal: the answers.
        rules: the rules by which they become outcomes.
        values: `cell_values` of all predictions, if they were computed before.

    Returns:
        One row per item and prediction, in the order of the suite: the columns of `Outcome`.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import answer_plan, plan_suite, surprisal_of
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is old .\\n")
    >>> suite, scorer = load_suite("keys.tsv"), load_model("uniform:words.txt").scorer
    >>> plan = plan_suite(suite, scorer.unit)
    >>> found = surprisal_of(plan, answer_plan(scorer, plan))
    >>> outcomes_of(suite, plan, found, JudgingRules()).select("prediction", "credit").rows()
    [('full', 1.0), ('prefix', 1.0)]
    """
    if not suite.predictions:
        return outcomes_frame([])
    if values is None:
        cells = [cell for prediction in suite.predictions for cell in prediction.cells()]
        values = cell_values(plan, surprisal, cells, rules.minus)
    judged = pl.concat(
        _judge_items(prediction, plan.table, values, rules.ties) for prediction in suite.predictions
    )
    table = judged.join(_item_marks(plan, surprisal, rules), on="row", maintain_order="left")
    is_counted, is_read = pl.col("left_out").not_(), pl.col("refused").not_()
    is_defined = pl.col("undefined").not_()
    margin = pl.when(is_read, is_defined).then(pl.col("margin"))
    is_tie = pl.col("tie") & is_read & is_defined
    is_fragile = is_counted & is_defined & ~is_tie & (margin.abs() < pl.col("fragile_below"))
    marks = {
        UNDEFINED: is_read & ~is_defined,
        FRAGILE: is_fragile,
        UNSHARED_TIE: pl.col("unshared") & is_counted & is_defined,
        SHARED_SUBWORD: pl.col("shares") & pl.col("names_regions") & is_counted,
    }
    notes = [pl.col("reason"), *(pl.when(mark).then(pl.lit(name)) for name, mark in marks.items())]
    return table.sort("row", maintain_order=True).select(
        "item_id",
        "prediction",
        pl.when(is_counted).then(pl.col("credit")).alias("credit"),
        margin.alias("margin_bits"),
        is_tie.alias("tie"),
        "oov",
        pl.concat_str(notes, separator=";", ignore_nulls=True).alias("note"),
    )


def _item_marks(plan: Plan, surprisal: RegionSurprisals, rules: JudgingRules) -> pl.DataFrame:
    """Find for each item what holds under all predictions.

    The columns are the item's `row` and `item_id`; `refused`: the model cannot read a sentence of
    it; `left_out`: it has no credit; `reason`: the note why, or that it is kept although a scored
    word is unknown, null for none; `oov`: a word, before the target or scored, is unknown;
    `shares`: a subword has letters of two of its regions; `fragile_below`: margin in bits below
    which another device may decide otherwise.
    """
    n, item = len(plan.table), plan.item

    def any_of(sentences: Truths) -> Truths:
        """Return (items,) True for each item with one of these sentences."""
        return np.bincount(item[sentences], minlength=n) > 0

    refused = np.zeros(n, bool)
    refused[item[list(surprisal.refused)]] = True
    max_units = np.ones(n, np.int64)  # of the item's sentences
    np.maximum.at(max_units, item, surprisal.n_units)
    unknown = any_of(surprisal.oov) if rules.word_level else np.zeros(n, bool)
    excludes_unknown = rules.oov == "exclude"
    equal_forms = pl.col("equal_forms")
    marks = plan.table.frame.select(
        "item_id",
        "equal_forms",
        pl.Series("row", np.arange(n)),
        pl.Series("refused", refused),
        pl.Series("unknown", unknown),
        pl.Series("oov", unknown | any_of(surprisal.prefix_oov)),
        pl.Series("shares", any_of(surprisal.shares)),
        pl.Series("fragile_below", fragile_bits(rules.dtype, max_units)),
    )
    return marks.with_columns(
        left_out=pl.col("refused") | equal_forms | (pl.col("unknown") & excludes_unknown),
        reason=pl.when("refused").then(pl.lit(REFUSED))
        .when("equal_forms").then(pl.lit(EQUAL_FORMS))
        .when("unknown").then(pl.lit(OOV if excludes_unknown else OOV_KEPT)),
    )  # fmt: skip


def _judge_items(
    prediction: Prediction, table: ItemTable, values: Mapping[RegionKey, Floats], ties: str
) -> pl.DataFrame:
    """Decide if a prediction holds, for the items that it is about: the `row` of each, the columns
    of `FormulaResult` (credit, margin, tie …), and whether the prediction `names_regions`."""
    rows, cells = np.flatnonzero(applying(prediction, table)), prediction.cells()
    result = judge(prediction.formula, {cell: values[cell][rows] for cell in cells}, ties=ties)
    columns = {
        entry.name: np.broadcast_to(getattr(result, entry.name), len(rows))
        for entry in fields(result)
    }
    return pl.DataFrame({"row": rows, **columns}, nan_to_null=True).with_columns(
        prediction=pl.lit(prediction.name),
        names_regions=pl.lit(any(region != WHOLE for _, region in cells)),
    )


def fragile_bits(dtype: str, n_subwords: ArrayLike = 1) -> Floats:
    """Return the margin in bits below which another device may give another credit.

    With a head in float32, half-precision models have no false ties, but some credits change: for a
    random GPT-2, 1 to 3 of 200 in bfloat16 and none in float16. In half precision the errors of
    subwords add up like independent ones: for SmolLM2 in bfloat16, the credits of 7 of 825 pairs
    of whole sentences change; half of all margins move by more than 0.18 bits, one in twenty by
    more than 0.85.

    Args:
        dtype: the model's number type; a wider one than float32 counts as float32.
        n_subwords: the number of subwords of the longest continuation; one number or an array.

    Returns:
        Bits, in the shape of `n_subwords`.

    >>> round(float(fragile_bits("float32")), 6), round(float(fragile_bits("bfloat16", 4)), 2)
    (0.000101, 0.58)
    """
    n = np.asarray(n_subwords, dtype=float)
    nats = np.full(n.shape, FRAGILE_NATS.get(dtype, FRAGILE_NATS["float32"]))
    if dtype in HALF_PRECISION:  # independent errors grow with the square root of their number
        nats *= np.sqrt(np.maximum(1, n))
    bits: Floats = nats / np.log(2)
    return bits
