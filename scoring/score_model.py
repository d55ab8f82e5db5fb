"""Score one model on one suite: a run of the store, its remarks, its word surprisals."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..data.arrays import Integers
from ..data.errors import InputError
from ..data.files import numbered_lines
from ..data.progress import Progress
from ..data.store import Store, now
from .models.distributed import DistributedScorer
from .models.model_folder import seen_by
from .models.specs import Model, speaks
from .outcomes.acceptability import UnitCounts, word_counts
from .outcomes.asking import Answer, ask, demand_end, judged, messages, planned
from .outcomes.method import EACH, Method
from .outcomes.run import Run
from .outcomes.score_rows import save_model, save_run
from .questions.answer_columns import Answers
from .questions.plan import Plan
from .questions.plan_answers import answer_plan
from .questions.query import policy_of
from .selection import SelectedSuite, Unsupported, language_codes


@dataclass(frozen=True)
class Rater:
    """A loaded model as it is asked: by which method, where its answers are kept, who computes.

    Attributes:
        model: the model.
        model_id: its number in the store.
        name: its name there.
        method: how it is asked.
        scorer: the model, or its copies in other processes.
        store: where answers and runs are kept.
        progress: called with (task, done, total).
    """

    model: Model
    model_id: int
    name: str
    method: Method
    scorer: DistributedScorer
    store: Store
    progress: Progress

    @cached_property
    def units(self) -> UnitCounts | None:
        """The counts of the model's units in the text that the method names."""
        return units_of(self.model, self.method)

    @cached_property
    def options(self) -> dict[str, str]:
        """The options that identify a run, without the suite and the items that are asked."""
        method = self.method
        counts = {} if self.units is None else {"unigrams": self.units.digest()}
        return {**method.options(), **counts, "record": f"{method.label} ({method.digest})"}

    @property
    def answer(self) -> Answer:
        """From a plan to its answers: those of the store, and the rest from the model."""

        def report(task: str, n_done: int, n: int | None) -> None:
            self.progress(f"{self.name}: {task}", n_done, n)

        def answers(plan: Plan) -> Iterator[tuple[Integers, Answers]]:
            return answer_plan(self.scorer, plan, self.store, self.model_id, progress=report)

        return answers


def rater(
    model: Model, method: Method, scorer: DistributedScorer, store: Store, progress: Progress
) -> Rater:
    """Return a model as it is asked, once it is kept in the store."""
    with store.transaction():
        model_id, name = save_model(store, model)
    return Rater(model, model_id, name, method, scorer, store, progress)


def score_model(
    rater: Rater, entry: SelectedSuite, options: dict[str, str], number: int
) -> Run | Unsupported:
    """Return the stored run of a model on a suite.

    Args:
        rater: the model.
        entry: the suite.
        options: what identifies the run beside model, suite and method.
        number: of the run, for tables.
    """
    model, method, suite, suite_id = rater.model, rater.method, entry.suite, entry.suite_id
    demand_end(model, method)
    asking, plan = planned(suite, method, model.scorer)
    is_variant = method.bos == EACH and model.options.bos != "auto"
    if is_variant and getattr(model.scorer, "needs_prefix", False) and plan.begins_a_text:
        wrong = "the first word of a text has no probability, since nothing precedes it"
        return Unsupported(f"{rater.name}, {policy_of(model.scorer)}: {wrong}")
    asked = ask(asking, plan, method, rater.answer, rater.units)
    outcomes = judged(asked, suite, method, model)
    prediction = next((known.name for known in asking.suite.predictions), "")
    exposed = None if model.folder is None else seen_by(model.folder, entry.originals)
    with rater.store.transaction():
        run_id = save_run(
            rater.store,
            model_id=rater.model_id,
            suite_id=suite_id,
            method=method.asked(),
            options={"prediction": prediction, **rater.options, **options},
            exposed=exposed,
            outcomes=outcomes,
            now=now(),
        )
    return Run(
        model=rater.name,
        outcomes=outcomes,
        run_id=run_id,
        number=str(number),
        suite_id=suite_id,
        suite=suite.name,
        group=model.group,
        method=method.asked(),
        policy=" ".join(filter(None, ("toy" if model.toy else "", policy_of(model.scorer)))),
        prediction=prediction,
        exposed=exposed,
        items=suite.items,
        asked=asked,
    )


def notes_on(run: Run, rater: Rater, entry: SelectedSuite) -> Iterator[str]:
    """Yield what a user should know of a run."""
    yield from messages(run)
    if run.exposed:
        n = f"{run.exposed} of {len(entry.originals)} originals"
        yield f"{run.model}: {n} were in its training text"
    codes = language_codes(entry.suite)
    if speaks(rater.model.languages, codes) is False:
        spoken, requested = ", ".join(rater.model.languages), ", ".join(codes)
        yield f"{run.model}: a model of {spoken}, asked about {requested} ({run.suite})"


def units_of(model: Model, method: Method) -> UnitCounts | None:
    """Return how often the model's units occur in the text that the method names, if any."""
    if method.unigrams is None:
        return None
    lines = [line.strip() for _, line in numbered_lines(method.unigrams) if line.strip()]
    if not lines:
        right = "one sentence a line"
        raise InputError(str(method.unigrams), "no text in it", right, kind="empty")
    if model.scorer.unit == "words":
        return word_counts(line.split() for line in lines)
    segmented = getattr(model.scorer, "segmented", None)
    if segmented is None:
        wrong = f"{method.measure}, but {model.name} does not say into which units it cuts a text"
        raise InputError(
            "measure", wrong, "a model of transformers, or a word-level one", kind="unsupported"
        )
    return word_counts(segmented(lines), segmented)
