"""Score one model on one suite, or the audit's baselines on the items that models answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ..data.arrays import Integers
from ..data.errors import InputError
from ..data.files import numbered_lines
from ..data.items.suite import Suite
from ..data.progress import Progress, silent
from ..data.store import Store, now
from .models.distributed import DistributedScorer
from .models.model_folder import seen_by
from .models.specs import Model, speaks
from .outcomes.asking import ask, demand_end, item_remarks, judge_answers, plan_questions
from .outcomes.evaluate import OUTCOME_DTYPES
from .outcomes.method import EACH_BOS, Method
from .outcomes.run import BASELINE, Run, save_run
from .questions.answer_columns import Answers
from .questions.plan import Plan, answer_plan
from .questions.query import policy_of
from .questions.region_surprisals import UnitCounts, word_counts
from .selection import SelectedSuite, Unsupported, language_codes


@dataclass(frozen=True)
class Rater:
    """A loaded model with all that is needed to ask it: a method, a store, perhaps other processes.

    Attributes:
        model: the model.
        model_id: its number in the store.
        name: its name in the store and in tables.
        method: how it is asked.
        scorer: answers queries: the model, or copies of it in other processes.
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
    def unigram_counts(self) -> UnitCounts | None:
        """The counts of the model's units (words or subwords) in the text that the method names;
        None if it names none."""
        return count_units(self.model, self.method)

    @cached_property
    def identifying_options(self) -> dict[str, str]:
        """The options of the method that tell this model's runs on a suite apart: name → value."""
        method, counts = self.method, self.unigram_counts
        digest = {} if counts is None else {"unigrams": counts.digest()}
        return {**method.run_options(), **digest, "record": f"{method.label} ({method.digest})"}

    def answer(self, plan: Plan) -> Iterator[tuple[Integers, Answers]]:
        """Yield numbers of questions in a plan, and the answers to them. They come from the store;
        the model is asked for those that the store does not have."""

        def report(task: str, n_done: int, n_total: int | None) -> None:
            """Report progress under the model's name."""
            self.progress(f"{self.name}: {task}", n_done, n_total)

        return answer_plan(self.scorer, plan, self.store, self.model_id, progress=report)


def score_model(
    rater: Rater, entry: SelectedSuite, options: dict[str, str], number: int
) -> Run | Unsupported:
    """Ask a model about a suite, decide its outcomes, and keep them in the store as a run.

    Args:
        rater: the model.
        entry: the suite.
        options: the choice of items, which tells runs of one model and method apart.
        number: the number of the run in tables.

    Returns:
        The run; or `Unsupported` with the reason, if the model has no probability for the first
        word of a text because no token stands before it.
    """
    model, method, suite, suite_id = rater.model, rater.method, entry.suite, entry.suite_id
    demand_end(model, method)
    method_suite, plan = plan_questions(suite, method, model.scorer)
    # with bos=each, a model is also asked with first tokens other than its usual one, or with none
    is_other_bos = method.bos == EACH_BOS and model.options.bos != "auto"
    if is_other_bos and getattr(model.scorer, "needs_prefix", False) and plan.begins_a_text:
        wrong = "the first word of a text has no probability, since nothing precedes it"
        return Unsupported(f"{rater.name}, {policy_of(model.scorer)}: {wrong}")
    asked = ask(method_suite, plan, method, rater.answer, rater.unigram_counts)
    outcomes = judge_answers(asked, suite, method, model)
    names = (known.name for known in method_suite.suite.predictions)
    prediction = next(names, "")  # the first one's
    exposed = None if model.folder is None else seen_by(model.folder, entry.originals)
    with rater.store.transaction():
        run_id = save_run(
            rater.store,
            model_id=rater.model_id,
            suite_id=suite_id,
            method=method.asking_text(),
            options={"prediction": prediction, **rater.identifying_options, **options},
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
        method=method.asking_text(),
        policy=" ".join(filter(None, ("toy" if model.toy else "", policy_of(model.scorer)))),
        prediction=prediction,
        exposed=exposed,
        items=suite.items,
        asked=asked,
    )


def notes_on(run: Run, rater: Rater, entry: SelectedSuite) -> Iterator[str]:
    """Yield remarks on a run for the user: that items were left out, that the model was trained on
    sentences that the items were made from (originals), or that it is of another language."""
    yield from item_remarks(run)
    if run.exposed:
        share = f"{run.exposed} of {len(entry.originals)} originals"
        yield f"{run.model}: {share} were in its training text"
    codes = language_codes(entry.suite)
    if speaks(rater.model.languages, codes) is False:
        spoken, requested = ", ".join(rater.model.languages), ", ".join(codes)
        yield f"{run.model}: a model of {spoken}, asked about {requested} ({run.suite})"


def count_units(model: Model, method: Method) -> UnitCounts | None:
    """Count a model's units (words or subwords) in the text that a method names; None if it names
    none. Raises `InputError` if it has no text, or if the model does not tell its units."""
    if method.unigrams is None:
        return None
    lines = [line.strip() for _, line in numbered_lines(method.unigrams) if line.strip()]
    if not lines:
        right = "one sentence a line"
        raise InputError(str(method.unigrams), "no text in it", right, kind="empty")
    if model.scorer.unit == "words":
        return word_counts(line.split() for line in lines)
    segment = getattr(model.scorer, "segmented", None)
    if segment is None:
        wrong = f"{method.measure}, but {model.name} does not say into which units it cuts a text"
        raise InputError(
            "measure", wrong, "a model of transformers, or a word-level one", kind="unsupported"
        )
    return word_counts(segment(lines), segment)


FINDS_CUE = "finds the cue"  # policy of a baseline that sees the cue, with which a target agrees


def guesses_on(
    store: Store,
    suite: Suite,
    suite_id: int,
    outcomes: Sequence[pl.DataFrame],
    prediction: str,
    progress: Progress = silent,
) -> tuple[list[Run], str]:
    """Score the audit's baselines (guesses without grammar) on the pairs of a suite that every
    model answered.

    Args:
        store: where frequencies of the treebank, and earlier results of baselines, are looked up.
        suite: the suite as it was asked about.
        suite_id: the number of the full suite in the store.
        outcomes: the outcomes of each model.
        prediction: the prediction that is shown of the models; "" if there is none.
        progress: called with (task, done, total).

    Returns:
        A run for each baseline, and the audit's sentence on the strongest one. There are no runs,
        and the sentence is "", if there is no prediction or the suite has no pairs.
    """
    if not prediction or not suite.table.is_pair().any():
        return [], ""
    from ..nonce.audit.audit import suite_guesses  # here, since importing it takes 0.1 s
    from ..nonce.audit.baselines import CUE_FINDERS

    answered_by_all = set(suite.table.frame["item_id"])
    for frame in outcomes:
        answered_by_all.intersection_update(frame.drop_nulls("credit")["item_id"])
    guesses = suite_guesses(suite, suite_id, store, progress)
    table = guesses.credits.filter(pl.col("item_id").is_in(answered_by_all)).with_columns(
        prediction=pl.lit(prediction),
        margin_bits=pl.lit(None, pl.Float64),
        tie=pl.lit(False),
        oov=pl.lit(False),
        note=pl.lit(""),
    )
    runs = [
        Run(
            model=str(name),
            outcomes=rows.select(list(OUTCOME_DTYPES)),
            suite_id=suite_id,
            suite=suite.name,
            method=BASELINE,
            policy=FINDS_CUE if name in CUE_FINDERS else "",
        )
        for (name,), rows in table.group_by("baseline", maintain_order=True)
    ]
    return runs, f"{suite.name}: {guesses.verdict}"
