"""Surprisals of regions to outcomes: the credit of each item under each prediction."""

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
from ..questions.query import HALF
from ..questions.region_surprisals import RegionSurprisals, mean_by_group

OOV = "oov"  # left out: a word-level model does not know a scored word
OOV_KEPT = "oov_kept"  # the same, counted because the user asked for it
EQUAL_FORMS = "equal_forms"  # left out: right and wrong form are one word
REFUSED = "refused"  # left out: the model cannot read a sentence of it, as one that is too long
UNDEFINED = "undefined"  # nothing earned: the formula meets a region whose metric has no value
LEMMAS_LEFT_OUT = "lemmas_left_out"  # some lemmas of the item are unknown and do not count
NO_PAIR = "no_pair"  # left out: not of the kind that the method asks for
UNSHARED_TIE = "unshared_tie"  # nothing earned: equal sums that are not each other's mirror image
SHARED_SUBWORD = "shared_subword"  # a subword has letters of two regions, and counts to the later
FRAGILE = "fragile"  # so near a tie that another device may turn it over


@dataclass(frozen=True, slots=True)
class Outcome:
    """One item under one prediction of one model.

    Attributes:
        item_id: the item.
        prediction: name of the prediction.
        credit: 0 to 1; `None` where the item is left out (the note says why).
        margin_bits: how far the prediction is from failing, positive where it holds; `None` where
            it cannot be computed.
        tie: whether the compared sums are equal.
        oov: whether some word of it, before the target or scored, is unknown to the model.
        note: `oov`, `equal_forms` and the like, joined by `;`.
    """

    item_id: str
    prediction: str
    credit: float | None
    margin_bits: float | None
    tie: bool
    oov: bool
    note: str = ""


OUTCOMES = {
    "item_id": pl.String, "prediction": pl.String, "credit": pl.Float64,
    "margin_bits": pl.Float64, "tie": pl.Boolean, "oov": pl.Boolean, "note": pl.String,
}  # fmt: skip
"""The columns of a frame of outcomes; a credit or margin that an item has not is null."""


def outcomes_frame(outcomes: Iterable[Outcome]) -> pl.DataFrame:
    """Put outcomes into a frame.

    Args:
        outcomes: the outcomes.

    Returns:
        One row each, in order; columns are the fields of `Outcome`.

    >>> outcomes_frame([Outcome("a1", "p", 1.0, 2.5, False, False)])["credit"].to_list()
    [1.0]
    """
    rows = list(map(attrgetter(*OUTCOMES), outcomes))
    return pl.DataFrame(rows, OUTCOMES, orient="row", strict=False)


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


FRAGILE_NATS = {  # margins below which decisions turned over against float32
    "float32": 7e-5,  # another device, another batch
    "float16": 0.03,
    "bfloat16": 0.2,  # 8 bits of mantissa: logits near 20 come in steps of 1/8
}


@dataclass(frozen=True, slots=True)
class Judge:
    """The rules by which surprisals become outcomes.

    Attributes:
        word_level: whether the model flags whole words as unknown (`query.word_level`).
        oov: `exclude` leaves out items of which a word-level model does not know a scored word,
            `keep` counts them.
        ties: `share` gives a tie its share of orderings, `wrong` nothing.
        dtype: the model's number type; decisions that it could turn over are marked `fragile`.
        minus: (condition, region) → the one whose surprisal is taken off it.
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
    """Average the surprisals of regions over the sentences of a condition.

    Args:
        plan: what was asked.
        surprisal: the answers.
        cells: the (condition, region) that are wanted.
        minus: (condition, region) → the one that is taken off it.

    Returns:
        (condition, region) → (items,) bits; NaN for items without.
    """
    sentences, n = plan.table.sentences, len(plan.table)
    item, condition, owner = plan.item, plan.condition, plan.owner
    is_first = plan.slot == np.arange(len(plan.slot))

    def mean(cell: RegionKey) -> Floats:
        code = code_of(cell[0], sentences.conditions)
        if cell[1] == WHOLE:
            rows = np.flatnonzero(condition == code)
            values, of = surprisal.total[rows], item[rows]
        else:
            selected = is_first & (plan.name == code_of(cell[1], sentences.names))
            rows = np.flatnonzero(selected & (condition[owner] == code))
            values, of = surprisal.region[rows], item[owner[rows]]
        return mean_by_group(values, of, n)

    values = {cell: mean(cell) for cell in dict.fromkeys(cells)}
    return {
        cell: value - mean(minus[cell]) if cell in minus else value
        for cell, value in values.items()
    }


def outcomes_of(
    suite: Suite,
    plan: Plan,
    surprisal: RegionSurprisals,
    rules: Judge,
    values: Mapping[RegionKey, Floats] | None = None,
) -> pl.DataFrame:
    """Decide the credit of every item under every prediction.

    Args:
        suite: whose predictions are looked at.
        plan: what was asked.
        surprisal: the answers.
        rules: how they become outcomes.
        values: `cell_values` of all that is predicted, where they are there already.

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
    >>> outcomes_of(suite, plan, found, Judge()).select("prediction", "credit").rows()
    [('full', 1.0), ('prefix', 1.0)]
    """
    if values is None:
        cells = [cell for prediction in suite.predictions for cell in prediction.cells()]
        values = cell_values(plan, surprisal, cells, rules.minus)
    items = _item_marks(plan, surprisal, rules)
    row, number, judged = _judged(suite.predictions, plan.table, values, rules.ties)
    excluded, cannot = items.left_out[row], items.refused[row]
    undefined = judged["undefined"].astype(bool) & ~cannot
    tie = judged["tie"].astype(bool) & ~undefined & ~cannot
    margin = np.where(cannot | undefined, np.nan, judged["margin"])
    by_region = [any(region != WHOLE for _, region in p.cells()) for p in suite.predictions]
    shares = ~excluded & items.shares[row] & np.array(by_region, bool)[number]
    fragile = ~excluded & ~undefined & ~tie & (np.abs(margin) < items.near[row])
    unshared = judged["unshared"].astype(bool) & ~excluded & ~undefined
    names = [prediction.name for prediction in suite.predictions]
    return pl.DataFrame(
        {
            "item_id": plan.table.frame["item_id"].gather(row),
            "prediction": pl.Series(names, dtype=pl.String).gather(number),
            "credit": pl.Series(np.where(excluded, np.nan, judged["credit"]), nan_to_null=True),
            "margin_bits": pl.Series(margin, nan_to_null=True),
            "tie": tie,
            "oov": items.flagged[row],
            "note": _notes(items.reason[row], rules, (undefined, fragile, unshared, shares)),
        },
        OUTCOMES,
    )


class ItemMarks(NamedTuple):
    """Notes on items, whatever is predicted of them: columns by item."""

    refused: Truths  # the model cannot read a sentence of it
    left_out: Truths
    flagged: Truths  # some word, before the target or scored, is unknown
    reason: NDArray[np.int8]  # why it is left out, by the order of `_notes`
    shares: Truths  # a subword has letters of two of its regions
    near: Floats  # bits below which another device may decide otherwise


def _item_marks(plan: Plan, surprisal: RegionSurprisals, rules: Judge) -> ItemMarks:
    """Return what is noted of each item of a plan."""
    n, item = len(plan.table), plan.item

    def any_of(sentences: Truths) -> Truths:
        return np.bincount(item[sentences], minlength=n) > 0

    refused = np.zeros(n, bool)
    refused[item[list(surprisal.refused)]] = True
    longest = np.ones(n, np.int64)
    np.maximum.at(longest, item, surprisal.n_units)
    unknown = any_of(surprisal.oov) if rules.word_level else np.zeros(n, bool)
    equal = plan.table.frame["equal_forms"].to_numpy()
    reason = np.where(refused, 3, np.where(equal, 2, unknown)).astype(np.int8)
    left_out = refused | equal | (unknown & (rules.oov == "exclude"))
    flagged = unknown | any_of(surprisal.prefix_oov)
    shares, near = any_of(surprisal.shares), fragile_bits(rules.dtype, longest)
    return ItemMarks(refused, left_out, flagged, reason, shares, near)


def _judged(
    predictions: Sequence[Prediction],
    table: ItemTable,
    values: Mapping[RegionKey, Floats],
    ties: str,
) -> tuple[Integers, Integers, dict[str, NDArray[Any]]]:
    """Return an item's row and a prediction's number for each that applies, item by item, and the
    columns of the judgments."""
    rows = [np.flatnonzero(applying(prediction, table)) for prediction in predictions]
    row = np.concatenate([np.zeros(0, np.int64), *rows])
    number = np.repeat(np.arange(len(rows)), [len(its_rows) for its_rows in rows])
    judged = [
        judge(
            prediction.formula,
            {cell: values[cell][its_rows] for cell in prediction.cells()},
            ties=ties,
        )
        for prediction, its_rows in zip(predictions, rows, strict=True)
    ]
    order = np.lexsort((number, row))

    def column(name: str) -> NDArray[Any]:
        parts = zip(judged, rows, strict=True)
        columns = [
            np.broadcast_to(getattr(outcome, name), len(its_rows)) for outcome, its_rows in parts
        ]
        return np.concatenate(columns)[order] if columns else np.zeros(0)

    names = ("undefined", "tie", "margin", "unshared", "credit")
    return row[order], number[order], {name: column(name) for name in names}


def _notes(reason: NDArray[np.int8], rules: Judge, marks: Sequence[Truths]) -> pl.Series:
    """Return the note of each outcome: why its item is left out, then whether the outcome is
    undefined, fragile, an unshared tie, or of regions that share a subword."""
    reasons = ("", OOV if rules.oov == "exclude" else OOV_KEPT, EQUAL_FORMS, REFUSED)
    names = (UNDEFINED, FRAGILE, UNSHARED_TIE, SHARED_SUBWORD)
    kinds = reason.astype(np.int64)
    for bit, marked in enumerate(marks):
        kinds[marked] |= 4 << bit
    texts = []
    for kind in range(64):
        held = [name for bit, name in enumerate(names) if kind & (4 << bit)]
        texts.append(";".join(filter(None, [reasons[kind & 3], *held])))
    return pl.Series(texts).gather(kinds)


def fragile_bits(dtype: str, n_subwords: ArrayLike = 1) -> Floats:
    """Return the margin below which another device may decide otherwise.

    A float32 head keeps half-precision models from ties, not from flips (on 200 decisions of a
    random GPT-2 bfloat16 turned over 1 to 3, float16 none). In half precision the errors of the
    subwords add up as independent ones do: of 825 pairs of whole sentences SmolLM2 in bfloat16
    turns over 7, and half of all margins move by more than 0.18 bits, one in twenty by more than
    0.85.

    Args:
        dtype: the model's number type; wider ones than float32 count as it.
        n_subwords: of the longest continuation asked for; one number or an array.

    Returns:
        Bits, in the shape of `n_subwords`.

    >>> round(float(fragile_bits("float32")), 6), round(float(fragile_bits("bfloat16", 4)), 2)
    (0.000101, 0.58)
    """
    n = np.asarray(n_subwords, dtype=float)
    nats = np.full(n.shape, FRAGILE_NATS.get(dtype, FRAGILE_NATS["float32"]))
    if dtype in HALF:
        nats *= np.sqrt(np.maximum(1, n))
    bits: Floats = nats / np.log(2)
    return bits
