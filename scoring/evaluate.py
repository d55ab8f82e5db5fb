"""Queries to answers to outcomes: one model on one suite."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from colorless_green.data.progress import Progress, silent
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import Cell, Prediction, credit, has_tie, undefined
from colorless_green.nonce.suite import WHOLE, Suite, applies
from colorless_green.scoring.outcome import (
    EQUAL_FORMS,
    FRAGILE,
    OOV,
    OOV_KEPT,
    REFUSED,
    UNDEFINED,
    Outcome,
)
from colorless_green.scoring.plan import (
    Asked,
    Plan,
    Request,
    n_subwords,
    queries_of,
    region_at,
    region_bits,
)
from colorless_green.scoring.precision import fragile_bits
from colorless_green.scoring.query import Scorer, Surprisals

Values = Mapping[tuple[str, str], float]
"""(condition, region) → bits"""
Measure = Callable[[Request, Surprisals], float]
"""What a whole sentence is worth, less where it is more acceptable; see `acceptability.py`"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one continuation after its prefix."""

    surprisals: Surprisals
    prefix_oov: int


Answers = Mapping[Asked, Answer]
NOTHING = Answer(Surprisals((), (), ()), 0)  # of an empty continuation, which nobody is asked for


@dataclass(frozen=True, slots=True)
class Judge:
    """How answers become outcomes."""

    unit: str  # "words" of a model that flags whole words as unknown (`query.word_level`)
    metric: str = "sum"
    measure: Measure | None = None  # of whole sentences, in the place of the metric
    oov: str = "exclude"
    """"exclude" leaves out items of which a word-level model does not know a scored word, "keep"
    counts them"""
    ties: str = "share"  # "share" gives a tie its share of orderings, "wrong" nothing
    dtype: str = "float32"  # decisions that this number type could turn over are marked
    less: Mapping[Cell, Cell] = field(default_factory=dict)
    """Whose surprisal is taken off that of a (condition, region)"""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with what it came of."""

    item: Item
    outcome: Outcome
    values: Values


def answers(
    scorer: Scorer,
    plan: Plan,
    known: Answers = MappingProxyType({}),
    keep: Callable[[Sequence[tuple[Asked, Answer]]], None] = lambda new: None,
    *,
    batch: int = 400,
    progress: Progress = silent,
) -> dict[Asked, Answer]:
    """Every answer the plan needs: those known already, and the rest from the model.

    `keep` is handed the new ones as soon as `batch` of them are there (the last of a query's may be
    some more), so that an interrupted run loses no more than that.
    """
    wanted = queries_of(each.asked for each in plan.requests if each.asked not in known)
    # what begins alike stands together
    queries = sorted(wanted, key=lambda query: (query.prefix, query.continuations[0]))
    found = dict(known)
    new: list[tuple[Asked, Answer]] = []
    scores = scorer.score(queries)
    for done, (query, score) in enumerate(zip(queries, scores, strict=True), start=1):
        for continuation, surprisals in zip(query.continuations, score.continuations, strict=True):
            asked = Asked(query.prefix, continuation, query.suffix, query.ends)
            new.append((asked, Answer(surprisals, score.prefix_oov)))
        if len(new) >= batch or done == len(queries):
            keep(new)
            found.update(new)
            new = []
        progress("queries scored", done, len(queries))
    return found


def judged(suite: Suite, plan: Plan, given: Answers, judge: Judge) -> Iterator[Judged]:
    """The credit of every item under every prediction, in the order of the suite."""
    requests: dict[str, list[Request]] = {}
    for request in plan.requests:
        requests.setdefault(request.item_id, []).append(request)
    for item in suite.items:
        own = [(each, given.get(each.asked, NOTHING)) for each in requests.get(item.item_id, [])]
        refused = any(answer.surprisals.refused for _, answer in own)
        longest = max((len(each.surprisals.bits) for _, each in own), default=1)
        near = fragile_bits(judge.dtype, longest)
        values = {} if refused else values_of(own, judge)
        unknown = judge.unit == "words" and any(any(each.surprisals.oov) for _, each in own)
        flagged = unknown or any(each.prefix_oov for _, each in own)
        if refused:
            note = REFUSED
        elif _equal_forms(item):
            note = EQUAL_FORMS
        elif unknown:
            note = OOV if judge.oov == "exclude" else OOV_KEPT
        else:
            note = ""
        for prediction in (each for each in suite.predictions if applies(each, item)):
            outcome = _outcome(item, prediction, values, note, flagged, judge.ties, near)
            yield Judged(item, outcome, values)


def values_of(own: Sequence[tuple[Request, Answer]], judge: Judge) -> dict[tuple[str, str], float]:
    """(condition, region) → bits, averaged over the wordings of the condition."""
    collected: dict[tuple[str, str], list[float]] = {}
    for request, answer in own:
        values = region_bits(request, answer.surprisals, judge.metric)
        if judge.measure is not None:
            values[WHOLE] = judge.measure(request, answer.surprisals)
        for region, bits in values.items():
            collected.setdefault((request.condition, region), []).append(bits)
    means = {cell: sum(bits) / len(bits) for cell, bits in collected.items()}
    off = {cell: means[judge.less[cell]] for cell in means if judge.less.get(cell) in means}
    return {cell: bits - off.get(cell, 0.0) for cell, bits in means.items()}


def _equal_forms(item: Item) -> bool:
    return item.agreement is not None and item.agreement.right == item.agreement.wrong


def _outcome(
    item: Item,
    prediction: Prediction,
    values: Values,
    note: str,
    flagged: bool,
    ties: str,
    near: float,
) -> Outcome:
    name, formula = prediction.name, prediction.formula
    if note == REFUSED:
        return Outcome(item.item_id, name, None, None, False, flagged, note)
    needed = {cell: values[cell] for cell in prediction.cells()}
    if undefined(formula, needed):
        notes = ";".join(each for each in (note, UNDEFINED) if each)
        left_out = note in (EQUAL_FORMS, OOV)
        return Outcome(item.item_id, name, None if left_out else 0.0, None, False, flagged, notes)
    tie = has_tie(formula, needed)
    margin = formula.margin(needed)
    if note in (EQUAL_FORMS, OOV):
        return Outcome(item.item_id, name, None, margin, tie, flagged, note)
    earned = float(formula.holds(needed)) if ties == "wrong" else credit(formula, needed)
    fragile = FRAGILE if not tie and abs(margin) < near else ""
    notes = ";".join(each for each in (note, fragile) if each)
    return Outcome(item.item_id, name, earned, margin, tie, flagged, notes)


def score_rows(
    plan: Plan, given: Answers, metric: str
) -> Iterator[dict[str, str | int | float | None]]:
    """Rows of scores.tsv, less run and model: one for each region of each wording. What the model
    could not read has none; what has no answer has empty values, which are not 0."""
    for request in plan.requests:
        answer = given.get(request.asked, NOTHING).surprisals
        if answer.refused:
            continue
        asked = request.asked
        lacking = asked not in given and bool(asked.continuation or asked.ends)
        bits = region_bits(request, answer, metric)
        for each in request.regions:
            value = bits[each.region]
            yield {
                "item_id": request.item_id,
                "condition": request.condition,
                "sentence_index": request.sentence_index,
                "region": each.region,
                "n_subwords": None if lacking else n_subwords(request, answer, each.region),
                "surprisal_bits": None if lacking or math.isnan(value) else value,
                "oov": None if lacking else int(_has_unknown(request, answer, each.region)),
            }


def _has_unknown(request: Request, answer: Surprisals, region: str) -> bool:
    flagged = zip(answer.spans, answer.oov, strict=True)
    return any(unknown and region_at(request, span) == region for span, unknown in flagged)
