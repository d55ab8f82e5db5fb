"""One model on one suite: what is asked, answered, kept and judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress
from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import conjunction, inequalities
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.acceptability import MEASURES, Units, measure
from colorless_green.scoring.accuracy import RunLabel
from colorless_green.scoring.evaluate import Answer, Answers, Judge, answers, judged, score_rows
from colorless_green.scoring.methods import METHODS, joined
from colorless_green.scoring.outcome import (
    EQUAL_FORMS,
    NO_PAIR,
    OOV,
    OOV_KEPT,
    REFUSED,
    UNDEFINED,
    Outcome,
)
from colorless_green.scoring.plan import Asked, Plan, plan_sentences, plan_suite
from colorless_green.scoring.query import Scorer, looks_ahead, says_end, word_level
from colorless_green.scoring.reading_times import Octave, word_rows
from colorless_green.scoring.rows import load_answers, save_answers, save_model, save_run
from colorless_green.scoring.setting import Setting, prepared
from colorless_green.scoring.specs import Model
from colorless_green.scoring.training.folder import seen_by

ALL = "all"  # the prediction that all of a suite's predictions hold
SHOWN = 5  # item ids in a message


@dataclass(frozen=True, slots=True)
class Material:
    """A suite with its row in the store."""

    suite: Suite
    suite_id: int

    @property
    def originals(self) -> list[tuple[str, ...]]:
        """The words of each original sentence."""
        return [
            item.agreement.tokens
            for item in self.suite.items
            if item.kind == "original" and item.agreement is not None
        ]


@dataclass(frozen=True, slots=True)
class Asker:
    """A model that can be asked, its answers kept in a store."""

    model: Model
    scorer: Scorer  # the model's own, or one that spreads its work
    store: Store
    model_id: int
    name: str
    units: Units | None  # its own units in a text, for the measures that need them
    progress: Progress

    def answers(self, wanted: Plan) -> dict[Asked, Answer]:
        """Every answer to a plan: what the store knows, and the rest from the model."""
        unit = self.scorer.unit

        def keep(new: Sequence[tuple[Asked, Answer]]) -> None:
            save_answers(self.store, self.model_id, unit, new)

        return answers(
            self.scorer,
            wanted,
            load_answers(self.store, self.model_id, wanted, unit),
            keep,
            progress=lambda task, done, n: self.progress(f"{self.name}: {task}", done, n),
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    label: RunLabel
    items: tuple[Item, ...]  # those that were wanted
    outcomes: tuple[Outcome, ...]
    plan: Plan
    answers: Answers
    metric: str
    exposed: int | None  # originals that were in the model's training text, where that is known
    n_originals: int


def asker(
    model: Model, scorer: Scorer, store: Store, units: Units | None, progress: Progress
) -> Asker:
    """A model with its row in the store."""
    with store.transaction():
        model_id, name = save_model(store, model)
    return Asker(model, scorer, store, model_id, name, units, progress)


def run_of(who: Asker, material: Material, told: Setting, now: str) -> Run:
    """One model on one suite, into the store. Raises `InputError` where the model cannot say what
    the setting asks for."""
    check_end(who, told.eos)
    suite = prepared(material.suite, told)
    method = METHODS["sentence" if told.method in MEASURES else told.method]
    asking = method.asking(suite, told.premise)
    asking = replace(asking, suite=with_parts(asking.suite))
    scorer = who.scorer
    ahead, less = looks_ahead(scorer), asking.less
    wanted = plan_suite(asking.suite, scorer.unit, looks_ahead=ahead, eos=told.eos, less=less)
    given = who.answers(wanted)
    weigh = measure(told.method, who.units) if told.method in MEASURES else None
    unit = "words" if word_level(scorer) else scorer.unit
    how = Judge(unit, suite.metric, weigh, told.oov, told.ties, who.model.dtype, less)
    every = list(judged(asking.suite, wanted, given, how))
    found = tuple(joined(suite, asking, method, every))
    own = seen_by(who.model.folder, material.originals) if who.model.folder else None
    with who.store.transaction():
        run_id = save_run(
            who.store,
            model_id=who.model_id,
            suite_id=material.suite_id,
            method=told.named(),
            options=_options(told, who.units, asking.suite),
            exposed=own,
            outcomes=found,
            now=now,
        )
    label = RunLabel(str(run_id), who.name, who.model.group, told.named(), suite.name)
    n_originals = len(material.originals)
    return Run(label, suite.items, found, wanted, given, suite.metric, own, n_originals)


def check_end(who: Asker, eos: str) -> None:
    """Raises `InputError` where the end of a sentence is asked of a model that has none."""
    if eos != "none" and not says_end(who.scorer):
        raise InputError(
            f"--eos {eos}",
            f"{who.name} has no sign for the end of a sentence",
            "--eos none",
            kind="unsupported",
        )


def with_parts(suite: Suite) -> Suite:
    """The suite with two things beside its own predictions: that all of them hold, where there are
    several, and each inequality of a prediction that has several."""
    own = suite.predictions
    of_all = [each for each in own if not each.optional]
    every = (conjunction(of_all, ALL),) if len(of_all) > 1 else ()
    parts = [part for each in own for part in inequalities(each)]
    parts = [part for part in parts if part.formula not in [each.formula for each in own]]
    return replace(suite, predictions=(*own, *every, *parts))


def _options(told: Setting, units: Units | None, asked: Suite) -> dict[str, str]:
    """What a run is known by, beside model and suite, and which prediction is its first."""
    told_of = {
        "oov": told.oov,
        "ties": told.ties,
        "prediction": asked.predictions[0].name if asked.predictions else "",
    }
    usual = Setting()
    for name in ("metric", "eos", "period", "premise", "limit", "sample"):
        if getattr(told, name) != getattr(usual, name):
            told_of[name] = str(getattr(told, name))
    if told.sample is not None:
        told_of["seed"] = str(told.seed)
    if units is not None:
        told_of["unigrams"] = units.digest()
    return told_of


def rows_of(run: Run) -> Iterator[Row]:
    """Rows of scores.tsv."""
    for row in score_rows(run.plan, run.answers, run.metric):
        yield {"run": run.label.run, "model": run.label.model, **row}


def words_of(who: Asker, run: Run, *, eos: str, octave: Octave | None) -> Iterator[Row]:
    """Rows of the file of word surprisals: every sentence of the items that were wanted."""
    scorer = who.scorer
    wanted = plan_sentences(run.items, scorer.unit, looks_ahead=looks_ahead(scorer), eos=eos)
    given = who.answers(wanted)
    label = run.label
    for row in word_rows(run.items, wanted, given, scorer.unit, octave):
        yield {"run": label.run, "model": label.model, "suite": label.suite, **row}


def messages(run: Run) -> Iterator[str]:
    """What a user should know of a run."""
    model = run.label.model
    first = run.outcomes[0].prediction if run.outcomes else ""
    own = [each for each in run.outcomes if each.prediction == first]
    for note, what in (
        (OOV, "left out for an unknown scored word"),
        (EQUAL_FORMS, "left out for two equal forms"),
        (NO_PAIR, f"left out: not of the kind that --method {run.label.method} asks for"),
        (REFUSED, f"left out: {_why(run)}"),
        (UNDEFINED, "undefined, counted as not satisfied"),
    ):
        found = [each.item_id for each in own if note in each.note.split(";")]
        if found:
            ids = f" ({', '.join(found[:SHOWN])}{', …' if len(found) > SHOWN else ''})"
            named = ids if note in (REFUSED, UNDEFINED) else ""
            yield f"{model}: {_items(len(found))} {what}{named}"
    n_unknown = sum(each.oov and _counts_unflagged(each) for each in own)
    if n_unknown:
        where = "before the target"
        if run.label.method.split()[0] in ("ew", "mw"):
            where += " or among the lemmas, of which the others count"
        yield f"{model}: {_items(n_unknown)} with an unknown word {where}, counted"
    if run.exposed:
        yield f"{model}: {run.exposed} of {run.n_originals} originals were in its training text"


def _counts_unflagged(outcome: Outcome) -> bool:
    """Whether it counts, and not as one with an unknown scored word."""
    return outcome.credit is not None and OOV_KEPT not in outcome.note.split(";")


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n} items"


def _why(run: Run) -> str:
    """Why the first text was refused."""
    reasons = (each.surprisals.refused for each in run.answers.values())
    return next((reason for reason in reasons if reason), "")
