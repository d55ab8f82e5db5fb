"""One model on one suite: what is asked, and what becomes of the answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.nonce.prediction import conjunction, inequalities
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.acceptability import MEASURES, Units, measure
from colorless_green.scoring.accuracy import RunLabel
from colorless_green.scoring.evaluate import Answers, Judge, Judged, judged
from colorless_green.scoring.methods import METHODS, Asking, joined
from colorless_green.scoring.outcome import (
    EQUAL_FORMS,
    NO_PAIR,
    OOV,
    OOV_KEPT,
    REFUSED,
    UNDEFINED,
    Outcome,
)
from colorless_green.scoring.plan import Plan, plan_suite
from colorless_green.scoring.query import looks_ahead, says_end, word_level
from colorless_green.scoring.setting import Setting
from colorless_green.scoring.specs import Model

ALL = "all"  # the prediction that all of a suite's predictions hold
SHOWN = 5  # item ids in a message


@dataclass(frozen=True, slots=True)
class Run:
    """One model on one suite, finished and stored; its surprisals are in the store alone."""

    run_id: int
    model_id: int
    suite_id: int
    label: RunLabel
    suite: Suite  # as it was asked: the items that were wanted, with the periods of the setting
    setting: Setting
    unit: str  # of the model
    looks_ahead: bool
    outcomes: tuple[Outcome, ...]

    @property
    def plan(self) -> Plan:
        """What the model was asked."""
        return plan_of(self.suite, self.setting, self.unit, self.looks_ahead)


def asking_of(suite: Suite, setting: Setting) -> Asking:
    """The suite that the method asks a model about."""
    name = "sentence" if setting.method in MEASURES else setting.method
    asking = METHODS[name].asking(suite, setting.premise)
    return replace(asking, suite=with_parts(asking.suite))


def plan_of(suite: Suite, setting: Setting, unit: str, looks_ahead: bool) -> Plan:
    """The questions of a suite, which is `prepared` already."""
    asking = asking_of(suite, setting)
    eos, less = setting.eos, asking.less
    return plan_suite(asking.suite, unit, looks_ahead=looks_ahead, eos=eos, less=less)


def with_parts(suite: Suite) -> Suite:
    """The suite with two things beside its own predictions: that all of them hold, where there are
    several, and each inequality of a prediction that has several."""
    own = suite.predictions
    of_all = [each for each in own if not each.optional]
    every = (conjunction(of_all, ALL),) if len(of_all) > 1 else ()
    parts = [part for each in own for part in inequalities(each)]
    parts = [part for part in parts if part.formula not in [each.formula for each in own]]
    return replace(suite, predictions=(*own, *every, *parts))


def outcomes_of(
    suite: Suite,
    setting: Setting,
    model: Model,
    ask: Callable[[Plan], Answers],
    units: Units | None = None,
) -> tuple[list[Judged], tuple[Outcome, ...], Answers]:
    """What a model makes of a suite that is `prepared` already.

    Args:
        ask: the answers to a plan: the model's, or a store's.
        units: how often the model's units come in a text, for the measures that need it.

    Returns:
        What was judged, one by one; the outcomes of the suite's items; the answers.

    Raises:
        InputError: the model cannot say what the setting asks for.
    """
    scorer, method = model.scorer, setting.method
    if setting.eos != "none" and not says_end(scorer):
        wrong = f"{model.name} has no sign for the end of a sentence"
        raise InputError(f"--eos {setting.eos}", wrong, "--eos none", kind="unsupported")
    asking = asking_of(suite, setting)
    wanted = plan_of(suite, setting, scorer.unit, looks_ahead(scorer))
    given = ask(wanted)
    weigh = measure(method, units) if method in MEASURES else None
    unit = "words" if word_level(scorer) else scorer.unit
    how = Judge(unit, suite.metric, weigh, setting.oov, setting.ties, model.dtype, asking.less)
    found = list(judged(asking.suite, wanted, given, how))
    way = METHODS["sentence" if method in MEASURES else method]
    return found, tuple(joined(suite, asking, way, found)), given


def options_of(setting: Setting, suite: Suite, units: Units | None) -> dict[str, str]:
    """What a run is known by, beside model and suite, and which prediction is its first."""
    predictions = asking_of(suite, setting).suite.predictions
    found = {
        "oov": setting.oov,
        "ties": setting.ties,
        "prediction": predictions[0].name if predictions else "",
    }
    usual = Setting()
    for name in ("metric", "eos", "period", "premise", "limit", "sample"):
        if getattr(setting, name) != getattr(usual, name):
            found[name] = str(getattr(setting, name))
    if setting.construction:
        found["construction"] = "\n".join(setting.construction)
    if setting.sample is not None:
        found["seed"] = str(setting.seed)
    if units is not None:
        found["unigrams"] = units.digest()
    return found


def messages(run: Run, given: Answers) -> Iterator[str]:
    """What a user should know of a run."""
    model, method = run.label.model, run.label.method
    first = run.outcomes[0].prediction if run.outcomes else ""
    own = [each for each in run.outcomes if each.prediction == first]
    refusals = (answer.surprisals.refused for answer in given.values())
    why = next(filter(None, refusals), "")
    for note, what in (
        (OOV, "left out for an unknown scored word"),
        (EQUAL_FORMS, "left out for two equal forms"),
        (NO_PAIR, f"left out: not of the kind that --method {method} asks for"),
        (REFUSED, f"left out: {why}"),
        (UNDEFINED, "undefined, counted as not satisfied"),
    ):
        found = [each.item_id for each in own if note in each.note.split(";")]
        if found:
            ids = f" ({', '.join(found[:SHOWN])}{', …' if len(found) > SHOWN else ''})"
            yield f"{model}: {_items(len(found))} {what}{ids * (note in (REFUSED, UNDEFINED))}"
    n_unknown = sum(
        each.oov and each.credit is not None and OOV_KEPT not in each.note.split(";")
        for each in own
    )
    if n_unknown:
        where = "before the target"
        if method.split()[0] in ("ew", "mw"):
            where += " or among the lemmas, of which the others count"
        yield f"{model}: {_items(n_unknown)} with an unknown word {where}, counted"


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n} items"
