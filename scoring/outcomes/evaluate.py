"""Answers to surprisals of regions and sentences, and these to outcomes: one model on one suite."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ...data.arrays import Floats, Integers, Truths, entries_of
from ...data.formula.evaluation import judge
from ...data.formula.expression import RegionKey
from ...data.items.item_table import ItemTable
from ...data.items.prediction import WHOLE, Prediction
from ...data.items.sentences import code_of
from ...data.items.suite import Suite
from ..questions.answer_columns import Answers, Questions
from ..questions.outcome import (
    EQUAL_FORMS,
    FRAGILE,
    OOV,
    OOV_KEPT,
    OUTCOMES,
    REFUSED,
    UNDEFINED,
    UNSHARED_TIE,
)
from ..questions.plan import Plan, applying
from ..questions.query import HALF

Weigh: TypeAlias = Callable[[Questions, Answers], Floats]
"""What whole sentences are worth, less where they are more acceptable; see `acceptability.py`"""
NO_TEXT = "a condition without any text"
FRAGILE_NATS = {  # margins below which decisions turned over against float32
    "float32": 7e-5,  # another device, another batch
    "float16": 0.03,
    "bfloat16": 0.2,  # 8 bits of mantissa: logits near 20 come in steps of 1/8
}


@dataclass(frozen=True, slots=True, eq=False)
class RegionSurprisals:
    """The surprisals that a model gives the sentences and regions of a plan."""

    region: Floats  # (regions,): bits, by the metric; NaN where it has none, or no answer
    n_subwords: Integers  # (regions,)
    region_oov: Truths  # (regions,): whether it has an unknown one
    total: Floats  # (asked,): bits of all that was asked of a sentence
    n_units: Integers  # (asked,): how many subwords that are
    oov: Truths  # (asked,): whether one is unknown
    prefix_oov: Truths  # (asked,): whether something around it is
    known: Truths  # (asked,): whether there is an answer
    refused: Mapping[int, str]  # sentence that is asked about → why it cannot be answered


def surprisal_of(
    plan: Plan,
    answers: Iterable[tuple[Integers, Answers]],
    metric: str = "sum",
    weigh: Weigh | None = None,
) -> RegionSurprisals:
    """Sum answers up to the surprisals of a plan's regions and sentences.

    A subword belongs to the region its last character lies in, the end of the sentence to the one
    that `holds_end`. Of `*` all that was asked counts.

    Args:
        plan: what was asked.
        answers: rows of its questions with their answers, in any order.
        metric: one of METRICS.
        weigh: a measure of whole sentences, in the place of the metric.

    Returns:
        Bits, and what the model did not know, in the order of the plan's regions.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import answer_plan, plan_suite
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is old .\\n")
    >>> plan = plan_suite(load_suite("keys.tsv"), "words")
    >>> surprisal_of(plan, answer_plan(load_model("uniform:words.txt").scorer, plan)).total
    array([12., 15.])
    """
    n, n_regions = len(plan.sentence), len(plan.region)
    reduce = METRICS[metric]
    empty = np.zeros(0), np.zeros(0, np.int64)
    region = reduce(*empty, n_regions)
    total = reduce(*empty, n)
    n_subwords, n_units = np.zeros(n_regions, np.int64), np.zeros(n, np.int64)
    region_oov, oov, prefix_oov = np.zeros(n_regions, bool), np.zeros(n, bool), np.zeros(n, bool)
    known = plan.question < 0
    empty_sentences = np.flatnonzero(~plan.table.sentences.has_text()[plan.sentence])
    refused = dict.fromkeys(empty_sentences.tolist(), NO_TEXT)
    ordered = np.argsort(plan.question, kind="stable")
    of_question = np.searchsorted(plan.question[ordered], np.arange(plan.n_questions + 1))
    for rows, answer in answers:
        entries, of_row = entries_of(of_question, rows)
        sents = ordered[entries]  # sentences with these questions
        row = np.repeat(np.arange(len(rows)), np.diff(of_row))
        known[sents] = True
        prefix_oov[sents] = answer.prefix_oov[row] > 0
        for number, why in answer.refused.items():
            refused.update(dict.fromkeys(sents[row == number].tolist(), why))
        subword, bounds = entries_of(answer.offsets, row)
        which = np.repeat(np.arange(len(sents)), np.diff(bounds))  # of `sents`, for each subword
        values = answer.bits[subword]
        unknown = answer.oov[subword]
        n_units[sents] = np.diff(bounds)
        oov[sents] = np.bincount(which, unknown, len(sents)) > 0
        if weigh is not None:
            total[sents] = weigh(_questions_at(plan, rows), answer)[row]
        else:
            total[sents] = reduce(values, which, len(sents))
        regions, of_sentence = entries_of(plan.of_sentence, sents)
        reach = 2 + max(int(plan.end[regions].max(initial=0)), int(answer.ends.max(initial=0)))
        ends = np.repeat(np.arange(len(sents)), np.diff(of_sentence)) * reach + plan.end[regions]
        position = answer.positions[subword]
        index = np.searchsorted(ends, which * reach + position, side="right")
        inside = (position >= 0) & (index < of_sentence[which + 1])
        local = np.append(regions, -1)[np.where(inside, index, -1)]
        beyond = (position >= 0) & ~inside
        local[beyond] = plan.holds_end[sents[which[beyond]]]
        counted = local >= 0
        slot = plan.slot[local[counted]]
        slots, group = np.unique(slot, return_inverse=True)
        region[slots] = reduce(values[counted], group.ravel(), len(slots))
        n_subwords[slots] = np.bincount(group.ravel(), minlength=len(slots))
        region_oov[slots] = np.bincount(group.ravel(), unknown[counted], len(slots)) > 0
    missing = ~known
    missing[list(refused)] = True
    total[missing if weigh is None else missing | (n_units == 0)] = np.nan
    region[missing[plan.owner]] = np.nan
    return RegionSurprisals(
        region[plan.slot], n_subwords[plan.slot], region_oov[plan.slot],
        total, n_units, oov, prefix_oov, known, refused,
    )  # fmt: skip


def _questions_at(plan: Plan, rows: Integers) -> Questions:
    """Return these questions of a plan, which are of one kind."""
    start = 0
    for questions in plan.questions:
        if rows[0] < start + len(questions):
            return questions.take((rows - start).tolist())
        start += len(questions)
    raise AssertionError("rows of no question")


def _sum(values: Floats, group: Integers, n: int) -> Floats:
    sums = np.zeros(n)
    np.add.at(sums, group, values)  # in their order, as a loop adds: the same to the last bit
    return sums


def _mean(values: Floats, group: Integers, n: int) -> Floats:
    counts = np.bincount(group, minlength=n)
    return np.where(counts > 0, _sum(values, group, n) / np.maximum(counts, 1), np.nan)


def _max(values: Floats, group: Integers, n: int) -> Floats:
    maxima = np.full(n, -np.inf)
    np.maximum.at(maxima, group, values)
    return np.where(np.bincount(group, minlength=n) > 0, maxima, np.nan)


def _min(values: Floats, group: Integers, n: int) -> Floats:
    return -_max(-values, group, n)


def _median(values: Floats, group: Integers, n: int) -> Floats:
    counts = np.bincount(group, minlength=n)
    ordered = np.append(values[np.lexsort((values, group))], np.nan)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64) if n else counts
    low = ordered[np.where(counts > 0, starts + (counts - 1) // 2, -1)]
    high = ordered[np.where(counts > 0, starts + counts // 2, -1)]
    return np.where(counts % 2 == 1, low, (low + high) / 2)


METRICS: Mapping[str, Callable[[Floats, Integers, int], Floats]] = {
    "sum": _sum,
    "mean": _mean,
    "median": _median,
    "range": lambda values, group, n: _max(values, group, n) - _min(values, group, n),
    "max": _max,
    "min": _min,
}
"""How a region's subwords become one number (SyntaxGym's `meta.metric`): values, the group of each,
the number of groups. Of a region without text the sum is 0, and the others are none (NaN): a
formula that meets one is undefined."""


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
        return _mean(values, of, n)

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
    >>> from colorless_green.scoring import answer_plan, plan_suite
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
            "note": _notes(items.reason[row], rules, (undefined, fragile, unshared)),
        },
        OUTCOMES,
    )


class ItemMarks(NamedTuple):
    """Notes on items, whatever is predicted of them: columns by item."""

    refused: Truths  # the model cannot read a sentence of it
    left_out: Truths
    flagged: Truths  # some word, before the target or scored, is unknown
    reason: NDArray[np.int8]  # why it is left out, by the order of `_notes`
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
    return ItemMarks(refused, left_out, flagged, reason, fragile_bits(rules.dtype, longest))


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
    undefined, fragile, an unshared tie."""
    reasons = ("", OOV if rules.oov == "exclude" else OOV_KEPT, EQUAL_FORMS, REFUSED)
    names = (UNDEFINED, FRAGILE, UNSHARED_TIE)
    kinds = reason.astype(np.int64)
    for bit, marked in enumerate(marks):
        kinds[marked] |= 4 << bit
    texts = []
    for kind in range(32):
        held = [name for bit, name in enumerate(names) if kind & (4 << bit)]
        texts.append(";".join(filter(None, [reasons[kind & 3], *held])))
    return pl.Series(texts).gather(kinds)


def region_frame(plan: Plan, surprisal: RegionSurprisals) -> pl.DataFrame:
    """Tabulate surprisals: the columns of scores.tsv without run and model.

    Args:
        plan: what was asked.
        surprisal: the answers.

    Returns:
        One row for each region of each sentence that was asked about. What the model could not read
        has none; what has no answer has empty values, which are not 0.
    """
    sentences, owner = plan.table.sentences, plan.owner
    readable = np.ones(len(plan.sentence), bool)
    readable[list(surprisal.refused)] = False
    rows = np.flatnonzero(readable[owner])
    of = owner[rows]
    known = surprisal.known[of]

    def where_known(values: NDArray[np.generic]) -> pl.Series:
        return pl.select(pl.when(pl.Series(known)).then(pl.Series(values[rows]))).to_series()

    return pl.DataFrame(
        {
            "item_id": plan.table.frame["item_id"].gather(plan.item[of]),
            "condition": pl.Series(sentences.conditions, dtype=pl.String).gather(
                plan.condition[of]
            ),
            "sentence_index": sentences.index[plan.sentence[of]],
            "region": pl.Series(sentences.names, dtype=pl.String).gather(plan.name[rows]),
            "n_subwords": where_known(surprisal.n_subwords),
            "surprisal_bits": where_known(surprisal.region).fill_nan(None),
            "oov": where_known(surprisal.region_oov.astype(np.int64)),
        }
    )


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
