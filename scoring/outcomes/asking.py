"""Put a suite to a model, with the items, lead, blank and periods of a method; judge its answers;
read from the store what a run was answered."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product, takewhile
from typing import TypeAlias

import numpy as np
import polars as pl

from ...data.arrays import Integers
from ...data.errors import InputError
from ...data.items.item import Item
from ...data.items.item_table import ItemTable, table_of
from ...data.items.prediction import conjunction, inequalities
from ...data.items.sentences import RegionPart, penn
from ...data.items.suite import Suite, select_items
from ...data.seeds import generator, shuffled
from ...data.store import Store
from ..models.specs import Model
from ..questions.answer_columns import Answers
from ..questions.plan import Plan, plan_sentences, plan_suite, stored_answers
from ..questions.query import Scorer, looks_ahead, says_end, word_level
from ..questions.region_surprisals import MEASURES, UnitCounts, measure, surprisal_of
from .elicitation import CUT, ELICITATIONS, Elicitation, MethodSuite, item_outcomes
from .evaluate import (
    EQUAL_FORMS,
    NO_PAIR,
    OOV,
    OOV_KEPT,
    REFUSED,
    SHARED_SUBWORD,
    UNDEFINED,
    UNSHARED_TIE,
    Judge,
    cell_values,
    outcomes_of,
)
from .method import SUITES_OWN, Method, method_of
from .run import Asked, Run

Answer: TypeAlias = Callable[[Plan], Iterable[tuple[Integers, Answers]]]
"""Rows of a plan's questions with their answers: a model's, or a store's"""
ALL = "all"  # the prediction that all of a suite's predictions hold
SHOWN = 5  # item ids in a message


def elicitation(method: Method) -> Elicitation:
    """Return how a method asks: measures of acceptability ask for whole sentences."""
    return ELICITATIONS["sentence" if method.measure in MEASURES else method.measure]


def asking_of(suite: Suite, method: Method) -> MethodSuite:
    """Return the suite that a method asks a model about, with the parts of its predictions."""
    asking = elicitation(method).asking(suite, method.premise)
    return replace(asking, suite=with_parts(asking.suite))


def with_parts(suite: Suite) -> Suite:
    """Add two things to a suite's predictions: their conjunction, and their parts.

    Args:
        suite: the suite.

    Returns:
        The same with `all`, where several predictions must hold, and with each inequality of a
        prediction that has several.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> [prediction.name for prediction in with_parts(load_suite("keys.tsv")).predictions]
    ['full', 'prefix', 'all']
    """
    predictions = suite.predictions
    of_all = [prediction for prediction in predictions if not prediction.optional]
    conjoined = (conjunction(of_all, ALL),) if len(of_all) > 1 else ()
    parts = [part for prediction in predictions for part in inequalities(prediction)]
    parts = [
        part
        for part in parts
        if part.formula not in [prediction.formula for prediction in predictions]
    ]
    return replace(suite, predictions=(*predictions, *conjoined, *parts))


def demand_end(model: Model, method: Method) -> None:
    """Raise `InputError` if the end of the sentence counts and the model cannot say it."""
    if method.eos != "none" and not says_end(model.scorer):
        wrong = f"{method.eos}, but {model.name} has no end-of-sentence token"
        raise InputError("eos", wrong, "none", kind="unsupported")


def planned(suite: Suite, method: Method, scorer: Scorer) -> tuple[MethodSuite, Plan]:
    """Return what a method makes of a suite that is `prepared`, and the questions to a model."""
    asking = asking_of(suite, method)
    ahead = looks_ahead(scorer)
    plan = plan_suite(
        asking.suite, scorer.unit, looks_ahead=ahead, eos=method.eos, minus=asking.minus
    )
    return asking, plan


def ask(
    asking: MethodSuite,
    plan: Plan,
    method: Method,
    answer: Answer,
    units: UnitCounts | None = None,
) -> Asked:
    """Return a model's surprisals.

    Args:
        asking: what the method made of the suite.
        plan: the questions.
        method: how the model is asked.
        answer: the answers to a plan: the model's, or a store's.
        units: how often the model's units come in a text, for the measures that need it.
    """
    weigh = measure(method.measure, units) if method.measure in MEASURES else None
    surprisal = surprisal_of(plan, answer(plan), asking.suite.metric, weigh)
    return Asked(asking, replace(plan, questions=()), surprisal)


def judged(asked: Asked, suite: Suite, method: Method, model: Model) -> pl.DataFrame:
    """Return the outcomes of a suite's items, from a model's surprisals."""
    asking = asked.asking
    judge = Judge(word_level(model.scorer), method.oov, method.ties, model.dtype, asking.minus)
    cells = [cell for prediction in asking.suite.predictions for cell in prediction.cells()]
    values = cell_values(asked.plan, asked.surprisal, cells, asking.minus)
    outcomes = outcomes_of(asking.suite, asked.plan, asked.surprisal, judge, values)
    return item_outcomes(suite, asking, elicitation(method), outcomes, values)


def recalled(store: Store, run_id: int, suite: Suite) -> Asked | None:
    """Read the surprisals of a run's sentences from the store, by region; no model is asked again.

    A run asks for the regions that its predictions name and those between them. Whole sentences are
    there where somebody asked for them: by the measure sentence, or by a prediction with `*`. What
    unit a model reads is not stored, so each is tried.

    Returns:
        Whole sentences if the store has them all, else the regions that the run asked for; None if
        it has not even those (a run whose numbers came with a file).
    """
    row = store.one("SELECT model_id, method, options FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    options = json.loads(row["options"])
    method = method_of(row["method"], options)
    patterns = options["construction"].split("\n") if "construction" in options else ()
    limit = int(options["limit"]) if "limit" in options else None
    suite = prepared(suite, method, patterns, limit)
    probe = replace(suite, items=suite.table[:1])
    for mode in product((True, False), ("text", "words"), (False, True)) if suite.items else ():
        found = _stored(store, row["model_id"], probe, method, *mode)
        if found.surprisal.known.all():  # also if nothing is asked of it
            found = _stored(store, row["model_id"], suite, method, *mode)
            if found.plan.n_questions and found.surprisal.known.all():
                return found
    return None


def _stored(
    store: Store, model_id: int, suite: Suite, method: Method, whole: bool, unit: str, ahead: bool
) -> Asked:
    """Return what the store has of a model's answers, of whole sentences or of regions."""
    if whole:
        asking = MethodSuite(suite)
        plan = plan_sentences(suite.items, unit, looks_ahead=ahead, eos=method.eos)
    else:
        asking = asking_of(suite, method)
        plan = plan_suite(asking.suite, unit, looks_ahead=ahead, eos=method.eos)
    surprisal = surprisal_of(plan, stored_answers(store, model_id, plan), suite.metric)
    return Asked(asking, plan, surprisal)


def messages(run: Run) -> Iterator[str]:
    """Yield what a user should know of a run."""
    model, method, outcomes = run.model, run.method, run.outcomes
    if run.asked is None or not outcomes.height:
        return
    of_first = outcomes.filter(pl.col("prediction") == outcomes["prediction"][0])
    notes = of_first["note"].str.split(";")
    present = set(";".join(of_first["note"].unique()).split(";"))
    why = "; ".join(dict.fromkeys(run.asked.surprisal.refused.values()))
    for note, meaning in (
        (OOV, "left out, since a scored word is unknown"),
        (EQUAL_FORMS, "left out, since both forms are equal"),
        (NO_PAIR, f"left out: not of the kind that the method {method} asks for"),
        (REFUSED, f"left out: {why}"),
        (UNDEFINED, "undefined, counted as not satisfied"),
        (SHARED_SUBWORD, "with a subword of two regions, which counts to the later"),
        (UNSHARED_TIE, "with equal sums that are not alike, counted as not satisfied"),
    ):
        if note in present:
            ids = of_first.filter(notes.list.contains(note))["item_id"].to_list()
            sentence = f"{model}: {_items(len(ids))} {meaning}"
            if note in (REFUSED, UNDEFINED, UNSHARED_TIE):
                sentence += f" ({', '.join(ids[:SHOWN])}{', …' if len(ids) > SHOWN else ''})"
            yield sentence
    counted = ~notes.list.contains(OOV_KEPT) & of_first["credit"].is_not_null()
    n_unknown = int((of_first["oov"] & counted).sum())
    if n_unknown:
        position = "before the target"
        if method.split()[0] in ("ew", "mw"):
            position += " or among the lemmas, of which the others count"
        yield f"{model}: {_items(n_unknown)} with an unknown word {position}, counted"


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n} items"


MARKS = ".!?…‼⁇⁈⁉。．｡！？؟۔।॥։።፧"  # that end a sentence, of whatever script
CLOSING = "\"'”’“‘»«›‹)]」』"  # that may stand behind them
STOP = re.compile(rf"(?:\s*[{MARKS}])+(?P<closing>(?:\s*[{re.escape(CLOSING)}])*)\s*$")
PERIOD = "period"  # the region of one that was added


def prepared(
    suite: Suite, method: Method, construction: Sequence[str] = (), limit: int | None = None
) -> Suite:
    """Make a suite ready to be asked about.

    Args:
        suite: the suite.
        method: how it is asked.
        construction: only items of these; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The suite with the items that are chosen, and the sentence ends and metric of the method.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> suite = prepared(load_suite("keys.tsv"), Method(period="drop"))
    >>> [region.text for region in suite.items[0].conditions["right"][0]]
    ['the keys', ' are', '']
    """
    table = chosen_items(suite.table, method, construction, limit)
    if method.period != "keep":
        table = _changed(table, with_period if method.period == "add" else without_period)
    if method.lead.strip():
        table = _changed(table, partial(with_lead, lead=method.lead))
    if method.blank:
        table = _changed(table, with_blank)
    metric = suite.metric if method.metric == SUITES_OWN else method.metric
    return replace(suite, items=table, metric=metric)


def chosen_items(
    items: Sequence[Item],
    method: Method,
    construction: Sequence[str] = (),
    limit: int | None = None,
) -> ItemTable:
    """Choose the items that are asked about.

    The items of a set stay together, so there can be some more of them; the choice depends on the
    seed and the ids alone, so that every model is asked the same.

    Args:
        items: the items of a suite.
        method: its `sample` and `seed`.
        construction: only items of these; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The items of the constructions: the first `limit` of them, or `sample` of each, in the order
        of the suite.

    >>> from colorless_green.data import Item
    >>> items = [Item(name, "suite", name, "en", "", "", {}) for name in ("a1", "a2", "a3")]
    >>> len(chosen_items(items, Method(), limit=2))
    2
    """
    table = table_of(select_items(items, construction))
    if limit is not None and limit < len(table):
        sets = table.frame["set_id"]
        begun = sets[:limit].filter(sets[:limit] != "")
        completing = sets[limit:].is_in(begun.to_list()).arg_true().to_numpy() + limit
        table = table.take(np.concatenate([np.arange(limit), completing]))
    return table if method.sample is None else _sample(table, method.sample, method.seed)


def _sample(table: ItemTable, n: int, seed: int) -> ItemTable:
    """Draw `n` items of each construction, sets as a whole."""
    groups: dict[str, dict[str, list[int]]] = {}
    columns = (table.frame[name] for name in ("construction", "set_id", "item_id"))
    for row, (construction, set_id, item_id) in enumerate(zip(*columns, strict=True)):
        groups.setdefault(construction, {}).setdefault(set_id or item_id, []).append(row)
    chosen: list[int] = []
    for name, units in groups.items():
        sampled: list[int] = []
        for unit in shuffled(generator(seed, f"sample {name}"), sorted(units)):
            sampled += units[unit] if len(sampled) < n else []
        chosen += sampled
    return table.take(np.array(sorted(chosen), np.int64))


def _changed(
    table: ItemTable, change: Callable[[Sequence[RegionPart]], Sequence[RegionPart]]
) -> ItemTable:
    """Return the items with every sentence changed; `change` returns one as it is for no change."""
    sentences = table.sentences
    old_parts = enumerate(map(sentences.parts, range(len(sentences.condition))))
    parts = {row: new for row, old in old_parts if (new := change(old)) is not old}
    return table.changed(sentences.replaced(parts)) if parts else table


def with_lead(parts: Sequence[RegionPart], lead: str) -> Sequence[RegionPart]:
    """Put words before the first region with text, whose first letter becomes small unless it is a
    word of capitals (*I*, *UN*) or a sentence ends with the lead. A name at the beginning, or a
    German noun, becomes small too: take a lead that ends a sentence there."""
    first = next((index for index, (_, text, _) in enumerate(parts) if text.strip()), None)
    if first is None:
        return parts
    name, text, words = parts[first]
    own, text, lead = list(words or penn(text)), text.lstrip(), lead.strip()
    keeps_capital = own[0] == "I" or (len(own[0]) > 1 and own[0].isupper())
    if STOP.search(lead) is None and not keeps_capital:
        text, own[0] = text[:1].lower() + text[1:], own[0][:1].lower() + own[0][1:]
    opened = (name, f"{lead} {text}", (*penn(lead), *own))
    return [*parts[:first], opened, *parts[first + 1 :]]


def with_blank(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Put a blank before a sentence that begins without one."""
    first = next((index for index, (_, text, _) in enumerate(parts) if text), None)
    if first is None or parts[first][1][0].isspace():
        return parts
    name, text, words = parts[first]
    return [*parts[:first], (name, f" {text}", words or tuple(penn(text))), *parts[first + 1 :]]


def with_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Add a period as a region of its own; to a sentence that is cut in prefix, target and rest as
    part of the rest, so that it stays a pair."""
    if STOP.search("".join(text for _, text, _ in parts)):
        return parts
    if tuple(name for name, _, _ in parts) == CUT:
        *leading, (name, text, words) = parts
        return [*leading, (name, f"{text}.", (*(penn(text) if words is None else words), "."))]
    return [*parts, (PERIOD, ".", None)]


def without_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Drop the period of the last region with text; a region that is nothing else becomes empty.
    Quotation marks and brackets that close behind it stay."""
    filled = [index for index, (_, text, _) in enumerate(parts) if text.strip()]
    stop = STOP.search(parts[filled[-1]][1]) if filled else None
    if stop is None:
        return parts
    name, text, words = parts[filled[-1]]
    remaining = list(penn(text) if words is None else words)
    closing = _n_at_end(remaining, CLOSING)
    end = len(remaining) - closing
    del remaining[end - _n_at_end(remaining[:end], MARKS) : end]
    bare = (name, text[: stop.start()] + stop["closing"], tuple(remaining))
    return [*parts[: filled[-1]], bare, *parts[filled[-1] + 1 :]]


def _n_at_end(words: Sequence[str], signs: str) -> int:
    """Count the words at the end that consist of these signs alone."""
    return sum(1 for _ in takewhile(lambda word: not word.strip(signs), reversed(words)))
