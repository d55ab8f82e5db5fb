"""Put a suite to a model, and judge its answers; read from the store what a run was answered."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import TypeAlias

import polars as pl

from ...data.arrays import Integers
from ...data.errors import InputError
from ...data.items.prediction import conjunction, inequalities
from ...data.items.suite import Suite
from ...data.store import Store
from ..models.specs import Model
from ..questions.answer_columns import Answers
from ..questions.elicitation import ELICITATIONS, Elicitation, MethodSuite, item_outcomes
from ..questions.outcome import (
    EQUAL_FORMS,
    NO_PAIR,
    OOV,
    OOV_KEPT,
    REFUSED,
    SHARED_SUBWORD,
    UNDEFINED,
    UNSHARED_TIE,
)
from ..questions.plan import Plan, plan_sentences, plan_suite
from ..questions.plan_answers import stored_answers
from ..questions.query import Scorer, looks_ahead, says_end, word_level
from ..questions.region_surprisals import surprisal_of
from .acceptability import MEASURES, UnitCounts, measure
from .evaluate import Judge, cell_values, outcomes_of
from .method import Method, method_of
from .preparation import prepared
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
