"""Turn surprisals of regions into outcomes: the credit of each item under each prediction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ...data.arrays import Floats, Integers, Truths
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
    if values is None:
        cells = [cell for prediction in suite.predictions for cell in prediction.cells()]
        values = cell_values(plan, surprisal, cells, rules.minus)
    items = _item_marks(plan, surprisal, rules)
    # Arrays from here on have a value for each pair of an item and a prediction.
    row, prediction, judged = _judge_predictions(suite.predictions, plan.table, values, rules.ties)
    is_left_out, is_refused = items.left_out[row], items.refused[row]
    undefined = judged["undefined"].astype(bool) & ~is_refused
    tie = judged["tie"].astype(bool) & ~undefined & ~is_refused
    margin = np.where(is_refused | undefined, np.nan, judged["margin"])
    names_regions = [
        any(region != WHOLE for _, region in each.cells()) for each in suite.predictions
    ]
    shares = ~is_left_out & items.shares[row] & np.array(names_regions, bool)[prediction]
    fragile = ~is_left_out & ~undefined & ~tie & (np.abs(margin) < items.fragile_below[row])
    unshared = judged["unshared"].astype(bool) & ~is_left_out & ~undefined
    names = [each.name for each in suite.predictions]
    return pl.DataFrame(
        {
            "item_id": plan.table.frame["item_id"].gather(row),
            "prediction": pl.Series(names, dtype=pl.String).gather(prediction),
            "credit": pl.Series(np.where(is_left_out, np.nan, judged["credit"]), nan_to_null=True),
            "margin_bits": pl.Series(margin, nan_to_null=True),
            "tie": tie,
            "oov": items.oov[row],
            "note": _notes(items.reason[row], rules, (undefined, fragile, unshared, shares)),
        },
        OUTCOME_DTYPES,
    )


UNKNOWN_WORD, SAME_FORMS, NOT_READ = 1, 2, 3  # numbers of the reasons to leave an item out


class ItemMarks(NamedTuple):
    """The facts that hold of an item under all predictions: columns with a value for each item."""

    refused: Truths  # the model cannot read a sentence of it
    left_out: Truths  # it has no credit
    oov: Truths  # a word, before the target or scored, is unknown
    reason: NDArray[np.int8]  # to leave it out: `UNKNOWN_WORD`, `SAME_FORMS`, `NOT_READ`; 0: none
    shares: Truths  # a subword has letters of two of its regions
    fragile_below: Floats  # margin in bits below which another device may decide otherwise


def _item_marks(plan: Plan, surprisal: RegionSurprisals, rules: JudgingRules) -> ItemMarks:
    """Find for each item what holds under all predictions: if the model refuses it, if it gets no
    credit, if a word is unknown. The rules decide what an unknown word means."""
    n, item = len(plan.table), plan.item

    def any_of(sentences: Truths) -> Truths:
        """Return (items,) True for each item with one of these sentences."""
        return np.bincount(item[sentences], minlength=n) > 0

    refused = np.zeros(n, bool)
    refused[item[list(surprisal.refused)]] = True
    max_units = np.ones(n, np.int64)  # of the item's sentences
    np.maximum.at(max_units, item, surprisal.n_units)
    unknown = any_of(surprisal.oov) if rules.word_level else np.zeros(n, bool)
    equal = plan.table.frame["equal_forms"].to_numpy()
    reason = np.zeros(n, np.int8)
    for number, has_reason in ((UNKNOWN_WORD, unknown), (SAME_FORMS, equal), (NOT_READ, refused)):
        reason[has_reason] = number  # in place of an earlier one
    left_out = refused | equal | (unknown & (rules.oov == "exclude"))
    oov = unknown | any_of(surprisal.prefix_oov)
    shares, fragile_below = any_of(surprisal.shares), fragile_bits(rules.dtype, max_units)
    return ItemMarks(refused, left_out, oov, reason, shares, fragile_below)


def _judge_predictions(
    predictions: Sequence[Prediction],
    table: ItemTable,
    values: Mapping[RegionKey, Floats],
    ties: str,
) -> tuple[Integers, Integers, dict[str, NDArray[Any]]]:
    """Decide if each prediction holds, for the items that it is about.

    Returns three results, in which every pair of an item and a prediction has a place, item by
    item: the row of the item; the number of the prediction; and the columns of the judgments, by
    name: undefined, tie, margin, unshared, credit (see `formula.evaluation.judge`).
    """
    rows = [np.flatnonzero(applying(prediction, table)) for prediction in predictions]
    no_row = np.zeros(0, np.int64)  # for a suite without predictions
    row = np.concatenate([no_row, *rows])
    number = np.repeat(np.arange(len(rows)), [len(its_rows) for its_rows in rows])
    judged = [
        judge(
            prediction.formula,
            {cell: values[cell][its_rows] for cell in prediction.cells()},
            ties=ties,
        )
        for prediction, its_rows in zip(predictions, rows, strict=True)
    ]
    order = np.lexsort((number, row))  # by item, then by prediction

    def column(name: str) -> NDArray[Any]:
        """Return one column of the judgments of all predictions, item by item."""
        columns = [
            np.broadcast_to(getattr(judgment, name), len(its_rows))
            for judgment, its_rows in zip(judged, rows, strict=True)
        ]
        return np.concatenate(columns)[order] if columns else np.zeros(0)

    names = ("undefined", "tie", "margin", "unshared", "credit")
    return row[order], number[order], {name: column(name) for name in names}


def _notes(reason: NDArray[np.int8], rules: JudgingRules, marks: Sequence[Truths]) -> pl.Series:
    """Join the marks of each outcome into its note, such as `oov;fragile`; "" for no marks.

    Args:
        reason: number of the reason why the item is left out; 0 for none.
        rules: decides if an unknown word leaves an item out.
        marks: True where the outcome is undefined, fragile, an unshared tie, or has a subword of
            two regions: four columns.
    """
    unknown_word = OOV if rules.oov == "exclude" else OOV_KEPT
    reasons = {0: "", UNKNOWN_WORD: unknown_word, SAME_FORMS: EQUAL_FORMS, NOT_READ: REFUSED}
    names = (UNDEFINED, FRAGILE, UNSHARED_TIE, SHARED_SUBWORD)
    # Make one text for each combination of a reason and marks, in an order in which the index of a
    # combination is its reason, then a digit 0 or 1 for each mark.
    texts, index = [""], np.zeros(len(reason), np.int64)
    columns: list[tuple[NDArray[Any], list[str]]] = [(reason, list(reasons.values()))]
    columns += [(mark, ["", name]) for mark, name in zip(marks, names, strict=True)]
    for column, choices in columns:
        texts = [f"{text};{choice}".strip(";") for text in texts for choice in choices]
        index = index * len(choices) + column
    return pl.Series(texts).gather(index)


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
