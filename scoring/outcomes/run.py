"""One model on one suite: what is asked, what becomes of the answers, what is remembered."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import polars as pl

from ...data.arrays import Floats, Integers
from ...data.errors import InputError
from ...data.items.prediction import RegionKey, conjunction, inequalities
from ...data.items.suite import Suite
from ...data.store import Store
from ..models.specs import Model
from ..questions.answer_columns import Answers
from ..questions.methods import METHODS, MethodSuite, item_outcomes
from ..questions.outcome import (
    EQUAL_FORMS,
    NO_PAIR,
    OOV,
    OOV_KEPT,
    REFUSED,
    UNDEFINED,
    UNSHARED_TIE,
)
from ..questions.plan import Plan, plan_sentences, plan_suite
from ..questions.plan_answers import stored_answers
from ..questions.query import looks_ahead, says_end, word_level
from .acceptability import MEASURES, UnitCounts, measure
from .accuracy import RunLabel
from .evaluate import Judge, RegionSurprisals, cell_values, outcomes_of, surprisal_of
from .setting import ScoreSetting, prepared, setting_in

ALL = "all"  # the prediction that all of a suite's predictions hold
SHOWN = 5  # item ids in a message


@dataclass(frozen=True, slots=True, eq=False)
class RunResult:
    """The results of asking a model about a suite."""

    plan: Plan  # less its questions, which are as long as all texts together
    surprisal: RegionSurprisals
    outcomes: pl.DataFrame  # of the suite's items: `outcome.OUTCOMES`
    values: Mapping[RegionKey, Floats]  # (condition, region) → bits of the items that were asked
    asking: MethodSuite


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One model on one suite, finished and stored."""

    run_id: int
    model_id: int
    suite_id: int
    label: RunLabel
    suite: Suite  # as it was asked: the items that were wanted, with the periods of the setting
    setting: ScoreSetting
    looks_ahead: bool  # of the model
    result: RunResult

    @property
    def outcomes(self) -> pl.DataFrame:
        """The outcomes of the suite's items."""
        return self.result.outcomes

    @property
    def predictions(self) -> tuple[str, ...]:
        """The names of what was asked about."""
        return tuple(prediction.name for prediction in self.result.asking.suite.predictions)


def asking_of(suite: Suite, setting: ScoreSetting) -> MethodSuite:
    """The suite that the method asks a model about."""
    name = "sentence" if setting.method in MEASURES else setting.method
    asking = METHODS[name].asking(suite, setting.premise)
    return replace(asking, suite=with_parts(asking.suite))


def with_parts(suite: Suite) -> Suite:
    """Adds two things to a suite's predictions: their conjunction, and their parts.

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


def ask(
    suite: Suite,
    setting: ScoreSetting,
    model: Model,
    answer: Callable[[Plan], Iterable[tuple[Integers, Answers]]],
    units: UnitCounts | None = None,
) -> RunResult:
    """Ask a model about a suite that is `prepared` already.

    Args:
        suite: the suite to ask about.
        setting: how to ask.
        model: the model to ask.
        answer: the answers to a plan: the model's, or a store's.
        units: how often the model's units come in a text, for the measures that need it.

    Raises:
        InputError: the model cannot say what the setting asks for.
    """
    scorer, method = model.scorer, setting.method
    if setting.eos != "none" and not says_end(scorer):
        wrong = f"{model.name} has no end-of-sentence token"
        raise InputError(f"--eos {setting.eos}", wrong, "--eos none", kind="unsupported")
    asking = asking_of(suite, setting)
    plan = plan_suite(
        asking.suite,
        scorer.unit,
        looks_ahead=looks_ahead(scorer),
        eos=setting.eos,
        minus=asking.minus,
    )
    weigh = measure(method, units, scorer.unit) if method in MEASURES else None
    surprisal = surprisal_of(plan, answer(plan), suite.metric, weigh)
    rules = Judge(word_level(scorer), setting.oov, setting.ties, model.dtype, asking.minus)
    cells = [cell for prediction in asking.suite.predictions for cell in prediction.cells()]
    values = cell_values(plan, surprisal, cells, asking.minus)
    outcomes = outcomes_of(asking.suite, plan, surprisal, rules, values)
    item_method = METHODS["sentence" if method in MEASURES else method]
    outcomes = item_outcomes(suite, asking, item_method, outcomes, values)
    return RunResult(replace(plan, questions=()), surprisal, outcomes, values, asking)


def options_of(
    setting: ScoreSetting, asking: MethodSuite, units: UnitCounts | None
) -> dict[str, str]:
    """Return the options that identify a run beyond model and suite, and its first prediction."""
    primary = next((prediction.name for prediction in asking.suite.predictions), "")
    options = {"oov": setting.oov, "ties": setting.ties, "prediction": primary, **setting.options()}
    if units is not None:
        options["unigrams"] = units.digest()
    return options


@dataclass(frozen=True, slots=True, eq=False)
class StoredScores:
    """The questions of a run, with the surprisals that are stored."""

    plan: Plan  # its items are as they were asked: with the periods of the setting
    surprisal: RegionSurprisals
    sentences: Floats  # (asked,): bits of all that was asked of a sentence, whatever the metric
    is_whole: bool  # every sentence from its first word to its last


def recalled(store: Store, run_id: int, suite: Suite) -> StoredScores | None:
    """Read the surprisals of a run's sentences from the store, by region; no model is asked again.

    A run asks for the regions that its predictions name and those between them. Whole sentences are
    there where somebody asked for them: by `--method sentence`, by a prediction with `*`, or by
    `--surprisals`. What unit a model reads is not stored, so each is tried.

    Returns:
        Whole sentences if the store has them all, else the regions that the run asked for; None if
        it has not even those (a run whose numbers came with a file).
    """
    row = store.one("SELECT model_id, method, options FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    setting = setting_in(row["method"], json.loads(row["options"]))
    suite = prepared(suite, setting)
    if not suite.items:
        return None

    def stored(
        part: Suite, metric: str, whole_sentences: bool, unit: str, ahead: bool
    ) -> tuple[Plan, RegionSurprisals]:
        options: dict[str, Any] = {"looks_ahead": ahead, "eos": setting.eos}
        if whole_sentences:
            plan = plan_sentences(part.items, unit, **options)
        else:
            plan = plan_suite(asking_of(part, setting).suite, unit, **options)
        return plan, surprisal_of(plan, stored_answers(store, row["model_id"], plan), metric)

    probe = replace(suite, items=suite.table[:1])
    for mode in product((True, False), ("text", "words"), (False, True)):
        if stored(probe, suite.metric, *mode)[1].known.all():  # also if nothing is asked of it
            plan, surprisal = stored(suite, suite.metric, *mode)
            if plan.n_questions and surprisal.known.all():
                return StoredScores(plan, surprisal, stored(suite, "sum", *mode)[1].total, mode[0])
    return None


def messages(run: Run) -> Iterator[str]:
    """Yield what a user should know of a run."""
    model, method, outcomes = run.label.model, run.label.method, run.outcomes
    if not outcomes.height:
        return
    of_first = outcomes.filter(pl.col("prediction") == outcomes["prediction"][0])
    notes = of_first["note"].str.split(";")
    why = "; ".join(dict.fromkeys(run.result.surprisal.refused.values()))
    for note, meaning in (
        (OOV, "left out, since a scored word is unknown"),
        (EQUAL_FORMS, "left out, since both forms are equal"),
        (NO_PAIR, f"left out: not of the kind that --method {method} asks for"),
        (REFUSED, f"left out: {why}"),
        (UNDEFINED, "undefined, counted as not satisfied"),
        (UNSHARED_TIE, "with equal sums that are not alike, counted as not satisfied"),
    ):
        ids = of_first.filter(notes.list.contains(note))["item_id"].to_list()
        if ids:
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
