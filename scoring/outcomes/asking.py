"""Ask a model about a suite as a method says: choose items, change sentences, judge the answers;
read the answers of an earlier run from the store."""

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
    JudgingRules,
    cell_values,
    outcomes_of,
)
from .method import SUITE_METRIC, Method, method_of
from .run import AskedSuite, Run

Answer: TypeAlias = Callable[[Plan], Iterable[tuple[Integers, Answers]]]
"""From a plan to rows of its questions and their answers, by a model or from a store"""
ALL = "all"  # the name of the prediction that all predictions of a suite hold
MAX_SHOWN_IDS = 5  # the number of item ids in a message


def elicitation_of(method: Method) -> Elicitation:
    """Return the way of asking (elicitation) that a method's measure needs. A measure of
    acceptability (such as slor) asks for the surprisal of whole sentences."""
    return ELICITATIONS["sentence" if method.measure in MEASURES else method.measure]


def method_suite_of(suite: Suite, method: Method) -> MethodSuite:
    """Change a suite into the suite that a model is asked about by a method, for example into whole
    sentences. `with_added_predictions` adds predictions to it."""
    method_suite = elicitation_of(method).change(suite, method.premise)
    return replace(method_suite, suite=with_added_predictions(method_suite.suite))


def with_added_predictions(suite: Suite) -> Suite:
    """Add predictions to a suite: the conjunction of those it has, and their single inequalities.

    Args:
        suite: the suite.

    Returns:
        The suite with more predictions: `all`, which holds if all predictions that are not optional
        hold (if there are several of these); and one for each inequality of a prediction that has
        several.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> suite = with_added_predictions(load_suite("keys.tsv"))
    >>> [prediction.name for prediction in suite.predictions]
    ['full', 'prefix', 'all']
    """
    predictions = suite.predictions
    obligatory = [prediction for prediction in predictions if not prediction.optional]
    conjoined = (conjunction(obligatory, ALL),) if len(obligatory) > 1 else ()
    formulas = [prediction.formula for prediction in predictions]
    parts = [
        part
        for prediction in predictions
        for part in inequalities(prediction)
        if part.formula not in formulas
    ]
    return replace(suite, predictions=(*predictions, *conjoined, *parts))


def demand_end(model: Model, method: Method) -> None:
    """Raise `InputError` if a method needs the surprisal of the end of a sentence, and the model
    cannot give one."""
    if method.eos != "none" and not says_end(model.scorer):
        wrong = f"{method.eos}, but {model.name} has no end-of-sentence token"
        raise InputError("eos", wrong, "none", kind="unsupported")


def plan_questions(suite: Suite, method: Method, scorer: Scorer) -> tuple[MethodSuite, Plan]:
    """Plan the questions to a model: texts whose surprisal it is asked for.

    Args:
        suite: the suite, as `prepare_suite` returns it.
        method: how the model is asked.
        scorer: the model.

    Returns:
        The suite that the method asks about, then the plan of its questions.
    """
    method_suite = method_suite_of(suite, method)
    ahead = looks_ahead(scorer)
    plan = plan_suite(
        method_suite.suite, scorer.unit, looks_ahead=ahead, eos=method.eos, minus=method_suite.minus
    )
    return method_suite, plan


def ask(
    method_suite: MethodSuite,
    plan: Plan,
    method: Method,
    answer: Answer,
    unigram_counts: UnitCounts | None = None,
) -> AskedSuite:
    """Get answers to the questions of a plan (texts whose surprisal is wanted), and combine them
    into surprisals of regions (parts of sentences) and of whole sentences.

    Args:
        method_suite: the suite that the method asks about.
        plan: the questions.
        method: how the model is asked.
        answer: from a plan to its answers, by the model or from a store.
        unigram_counts: counts of the model's units in a text, for the measures that need them.
    """
    weigh = measure(method.measure, unigram_counts) if method.measure in MEASURES else None
    surprisal = surprisal_of(plan, answer(plan), method_suite.suite.metric, weigh)
    return AskedSuite(method_suite, replace(plan, questions=()), surprisal)


def judge_answers(asked: AskedSuite, suite: Suite, method: Method, model: Model) -> pl.DataFrame:
    """Decide from a model's surprisals which predictions hold for each item of a suite.

    Args:
        asked: the suite that was asked about, with the surprisals.
        suite: the suite before the method changed it, whose items get the outcomes.
        method: how unknown words and ties count.
        model: the model, whose number type and kind of words matter.

    Returns:
        A row for each item and prediction, with credit and margin: the columns of `Outcome`.
    """
    method_suite = asked.method_suite
    judge = JudgingRules(
        word_level(model.scorer), method.oov, method.ties, model.dtype, method_suite.minus
    )
    cells = [cell for prediction in method_suite.suite.predictions for cell in prediction.cells()]
    values = cell_values(asked.plan, asked.surprisal, cells, method_suite.minus)
    outcomes = outcomes_of(method_suite.suite, asked.plan, asked.surprisal, judge, values)
    return item_outcomes(suite, method_suite, elicitation_of(method), outcomes, values)


def surprisals_from_store(store: Store, run_id: int, suite: Suite) -> AskedSuite | None:
    """Read the surprisals of a run's sentences from the store, without asking the model again.

    A run has answers for the regions that its predictions name and those between them. The store
    has answers for whole sentences if another run asked for them. It does not say if the model
    reads words or text, nor if it looks ahead, so each combination is tried on the first item.

    Returns:
        The surprisals of whole sentences if the store has them all, or else of the regions that the
        run asked for; None if it has neither (the numbers of the run came with a file).
    """
    row = store.one("SELECT model_id, method, options FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    options = json.loads(row["options"])
    method = method_of(row["method"], options)
    patterns = options["construction"].split("\n") if "construction" in options else ()
    limit = int(options["limit"]) if "limit" in options else None
    suite = prepare_suite(suite, method, patterns, limit)
    first_item = replace(suite, items=suite.table[:1])
    if not suite.items:
        return None
    for whole, unit, ahead in product((True, False), ("text", "words"), (False, True)):
        read = partial(
            _asked_from_store, store, row["model_id"],
            method=method, whole=whole, unit=unit, ahead=ahead,
        )  # fmt: skip
        if read(first_item).surprisal.known.all():  # true also if there is no question about it
            asked = read(suite)
            if asked.plan.n_questions and asked.surprisal.known.all():
                return asked
    return None


def _asked_from_store(
    store: Store, model_id: int, suite: Suite, method: Method, whole: bool, unit: str, ahead: bool
) -> AskedSuite:
    """Return a suite with the surprisals that the store has for it. Surprisals that it lacks are
    marked as not known.

    Args:
        store: the store.
        model_id: the number of the model there.
        suite: the suite.
        method: how the model was asked.
        whole: True for whole sentences, False for the regions that predictions need.
        unit: what the model reads, `words` or `text`.
        ahead: True if the model looks ahead.
    """
    if whole:
        method_suite = MethodSuite(suite)
        plan = plan_sentences(suite.items, unit, looks_ahead=ahead, eos=method.eos)
    else:
        method_suite = method_suite_of(suite, method)
        plan = plan_suite(method_suite.suite, unit, looks_ahead=ahead, eos=method.eos)
    surprisal = surprisal_of(plan, stored_answers(store, model_id, plan), suite.metric)
    return AskedSuite(method_suite, plan, surprisal)


def item_remarks(run: Run) -> Iterator[str]:
    """Yield remarks for the user: how many items of a run were left out, or count in a special way,
    and why. A run whose questions are not known has no remarks."""
    model, method, outcomes = run.model, run.method, run.outcomes
    if run.asked is None or not outcomes.height:
        return
    of_first = outcomes.filter(pl.col("prediction") == outcomes["prediction"][0])
    notes = of_first["note"].str.split(";")
    present = set(notes.explode())
    reasons = "; ".join(dict.fromkeys(run.asked.surprisal.refused.values()))
    for note, meaning in (
        (OOV, "left out, since a scored word is unknown"),
        (EQUAL_FORMS, "left out, since both forms are equal"),
        (NO_PAIR, f"left out: not of the kind that the method {method} asks for"),
        (REFUSED, f"left out: {reasons}"),
        (UNDEFINED, "undefined, counted as not satisfied"),
        (SHARED_SUBWORD, "with a subword of two regions, which counts to the later"),
        (UNSHARED_TIE, "with equal sums that are not alike, counted as not satisfied"),
    ):
        if note in present:
            ids = of_first.filter(notes.list.contains(note))["item_id"].to_list()
            sentence = f"{model}: {_count_items(len(ids))} {meaning}"
            if note in (REFUSED, UNDEFINED, UNSHARED_TIE):
                more = ", …" if len(ids) > MAX_SHOWN_IDS else ""
                sentence += f" ({', '.join(ids[:MAX_SHOWN_IDS])}{more})"
            yield sentence
    counted = ~notes.list.contains(OOV_KEPT) & of_first["credit"].is_not_null()
    n_unknown = int((of_first["oov"] & counted).sum())
    if n_unknown:
        position = "before the target"
        if method.split()[0] in ("ew", "mw"):
            position += " or among the lemmas, of which the others count"
        yield f"{model}: {_count_items(n_unknown)} with an unknown word {position}, counted"


def _count_items(n: int) -> str:
    """Return the number of items as a text, such as `2 items`."""
    return "1 item" if n == 1 else f"{n} items"


FINAL_MARKS = ".!?…‼⁇⁈⁉。．｡！？؟۔।॥։።፧"  # marks at the end of a sentence, in many scripts
CLOSING_MARKS = "\"'”’“‘»«›‹)]」』"  # quotation marks and brackets that may follow them
SENTENCE_END = re.compile(
    rf"(?:\s*[{FINAL_MARKS}])+(?P<closing>(?:\s*[{re.escape(CLOSING_MARKS)}])*)\s*$"
)
PERIOD = "period"  # the name of the region of a period that was added


def prepare_suite(
    suite: Suite, method: Method, construction: Sequence[str] = (), limit: int | None = None
) -> Suite:
    """Make a suite ready to be asked about: choose its items and change its sentences.

    Args:
        suite: the suite.
        method: its sample, period, lead, blank and metric are used.
        construction: only items of these constructions; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The suite with the chosen items, whose sentences have the lead, blank and period that the
        method says, and with the method's metric.

    >>> from pathlib import Path
    >>> from colorless_green import load_suite
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is .\\n")
    >>> suite = prepare_suite(load_suite("keys.tsv"), Method(period="drop"))
    >>> [region.text for region in suite.items[0].conditions["right"][0]]
    ['the keys', ' are', '']
    """
    table = choose_items(suite.table, method, construction, limit)
    if method.period != "keep":
        table = _change_each(table, with_period if method.period == "add" else without_period)
    if method.lead.strip():
        table = _change_each(table, partial(with_lead, lead=method.lead))
    if method.blank:
        table = _change_each(table, with_blank)
    metric = suite.metric if method.metric == SUITE_METRIC else method.metric
    return replace(suite, items=table, metric=metric)


def choose_items(
    items: Sequence[Item],
    method: Method,
    construction: Sequence[str] = (),
    limit: int | None = None,
) -> ItemTable:
    """Choose the items that are asked about.

    A set of items is taken as a whole, so there may be a few more than requested. The choice
    depends on the seed and the ids only, so that every model is asked about the same items.

    Args:
        items: the items of a suite.
        method: its `sample` and `seed` are used.
        construction: only items of these constructions; patterns with `*`. Empty: all.
        limit: only the first so many items; None: all.

    Returns:
        The first `limit` items of the constructions, and of these at most `sample` of each
        construction, in the order of the suite.

    >>> from colorless_green.data import Item
    >>> items = [Item(name, "suite", name, "en", "", "", {}) for name in ("a1", "a2", "a3")]
    >>> len(choose_items(items, Method(), limit=2))
    2
    """
    table = table_of(select_items(items, construction))
    if limit is not None and limit < len(table):
        sets = table.frame["set_id"]
        begun_sets = sets[:limit].filter(sets[:limit] != "")
        remaining_members = sets[limit:].is_in(begun_sets.to_list()).arg_true().to_numpy() + limit
        table = table.take(np.concatenate([np.arange(limit), remaining_members]))
    return table if method.sample is None else _sample(table, method.sample, method.seed)


def _sample(table: ItemTable, n: int, seed: int) -> ItemTable:
    """Draw `n` items of each construction at random; a set is drawn as a whole."""
    rows_by_set: dict[str, dict[str, list[int]]] = {}
    columns = (table.frame[name] for name in ("construction", "set_id", "item_id"))
    for row, (construction, set_id, item_id) in enumerate(zip(*columns, strict=True)):
        rows_by_set.setdefault(construction, {}).setdefault(set_id or item_id, []).append(row)
    chosen: list[int] = []
    for construction, sets in rows_by_set.items():
        sampled: list[int] = []
        for set_id in shuffled(generator(seed, f"sample {construction}"), sorted(sets)):
            if len(sampled) < n:
                sampled += sets[set_id]
        chosen += sampled
    return table.take(np.array(sorted(chosen), np.int64))


def _change_each(
    table: ItemTable, change: Callable[[Sequence[RegionPart]], Sequence[RegionPart]]
) -> ItemTable:
    """Change the sentences of items. `change` takes the regions of a sentence and returns the new
    ones; it returns the same object if it leaves the sentence as it is."""
    sentences = table.sentences
    old_regions = enumerate(map(sentences.parts, range(len(sentences.condition))))
    new_regions = {row: new for row, old in old_regions if (new := change(old)) is not old}
    return table.changed(sentences.replaced(new_regions)) if new_regions else table


def with_lead(parts: Sequence[RegionPart], lead: str) -> Sequence[RegionPart]:
    """Put words (a lead) before a sentence, and write the sentence's first letter small.

    The letter stays a capital in a word of capitals (*I*, *UN*), and if the lead ends a sentence. A
    name or a German noun at the beginning becomes small, too, unless the lead ends a sentence. The
    lead is added to the first region (part of the sentence) with text.
    """
    first = next((index for index, (_, text, _) in enumerate(parts) if text.strip()), None)
    if first is None:
        return parts
    name, text, words = parts[first]
    initial, *others = words or penn(text)
    text, lead = text.lstrip(), lead.strip()
    keeps_capital = initial == "I" or (len(initial) > 1 and initial.isupper())
    if SENTENCE_END.search(lead) is None and not keeps_capital:
        text, initial = text[:1].lower() + text[1:], initial[:1].lower() + initial[1:]
    region = (name, f"{lead} {text}", (*penn(lead), initial, *others))
    return [*parts[:first], region, *parts[first + 1 :]]


def with_blank(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Put a blank before a sentence that begins without one."""
    first = next((index for index, (_, text, _) in enumerate(parts) if text), None)
    if first is None:
        return parts
    name, text, words = parts[first]
    if text[0].isspace():
        return parts
    return [*parts[:first], (name, f" {text}", words or tuple(penn(text))), *parts[first + 1 :]]


def with_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Add a period to a sentence that has no such mark at its end, as a region (part) of its own.
    If the sentence is divided into prefix, target and rest, the period is added to the rest."""
    if SENTENCE_END.search("".join(text for _, text, _ in parts)):
        return parts
    if tuple(name for name, _, _ in parts) == CUT:
        *leading, (name, text, words) = parts
        old_words = penn(text) if words is None else words
        return [*leading, (name, f"{text}.", (*old_words, "."))]
    return [*parts, (PERIOD, ".", None)]


def without_period(parts: Sequence[RegionPart]) -> Sequence[RegionPart]:
    """Drop the period, or the like, at the end of a sentence. Quotation marks and brackets behind
    it stay. A region (part of the sentence) with nothing else becomes empty."""
    if not parts:
        return parts
    last = max((index for index, (_, text, _) in enumerate(parts) if text.strip()), default=0)
    name, text, words = parts[last]
    sentence_end = SENTENCE_END.search(text)
    if sentence_end is None:
        return parts
    remaining = list(penn(text) if words is None else words)
    stop = len(remaining) - _n_last_words_of(remaining, CLOSING_MARKS)
    start = stop - _n_last_words_of(remaining[:stop], FINAL_MARKS)
    del remaining[start:stop]
    region = (name, text[: sentence_end.start()] + sentence_end["closing"], tuple(remaining))
    return [*parts[:last], region, *parts[last + 1 :]]


def _n_last_words_of(words: Sequence[str], signs: str) -> int:
    """Return how many of the last words consist of these signs only, such as `."` of periods and
    quotation marks."""
    return sum(1 for _ in takewhile(lambda word: not word.strip(signs), reversed(words)))
