"""Score language models on suites: surprisals, outcomes and accuracies."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from ..data.configuration import configured, settings_in
from ..data.errors import InputError
from ..data.executor import Executor, executor
from ..data.files import demand_writable_folder, write_folder
from ..data.formats.detect import is_suite
from ..data.items.suite import Suite
from ..data.load import reader_notes
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.store import Store, StoreLike, open_store, reference_to
from ..data.stored_suites import demand_store, find_suite, newest_note
from ..data.tables import write_table
from ..data.validate import check_fields
from .models.distributed import spread_over
from .models.specs import Model
from .models.words import text_digest
from .outcomes.accuracy import COMPOSED
from .outcomes.asking import prepare_suite
from .outcomes.computed import computed_runs
from .outcomes.evaluate import OOV
from .outcomes.method import EACH_BOS, Method
from .outcomes.run import Run, save_model
from .outcomes.run_record import (
    MADE_BY,
    RUN,
    ModelRecord,
    RunRecord,
    differences,
    find_record,
    model_record,
    read_recorded_suites,
    run_record,
    suite_record,
    write_record,
)
from .outcomes.scores import (
    Scores,
    accuracies,
    marginal_of,
    ordered_for_people,
    selected_predictions,
)
from .score_model import Rater, guesses_on, notes_on, score_model
from .selection import (
    Models,
    SelectedSuite,
    Suites,
    Unsupported,
    loaded_models,
    select_models,
    select_suites,
)

POLICY_NOTE = "policy: the first token that a model is given, and in what numbers it computes"
COLUMNS_NOTE = (
    "opposed: first noun and nouns between have the other number than the head; none, same, "
    "opposite: the nouns between, where the head is first; sets_solved: right in every item"
)


@dataclass(frozen=True, kw_only=True)
class ScoreRequest:
    """The options of a call of `score`, but for its suites, models and store.

    Attributes:
        method: how models are asked, and how answers count.
        construction: names or patterns of the constructions to ask about; empty: all.
        limit: the number of items to ask about, from the first on; None: all.
        by: the columns by which accuracies are shown.
        baselines: True to score the audit's baselines, too.
        devices: one device for all models, or several of this machine, with a process each.
        workers: the number of processes that share the work.
        ray: the address of a Ray cluster; "" for none.
        out: the folder to write tables to; None: nothing is written.
    """

    method: Method
    construction: tuple[str, ...] = ()
    limit: Annotated[int, Ge(1)] | None = None
    by: tuple[str, ...] = ()
    baselines: bool = False
    devices: tuple[str, ...] = ("auto",)
    workers: Annotated[int, Ge(1)] | None = None
    ray: str = ""
    out: Path | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        marginal_of(self.by)  # raises for a column that accuracies cannot be shown by
        self.method.demand_unigrams()
        if len(self.devices) > 1 and (self.ray or self.workers is not None):
            wrong, right = "each of several has one process", "several devices alone, or one"
            raise InputError("device", wrong, right, kind="conflict")

    @property
    def options(self) -> dict[str, str]:
        """The choice of items, as a run in the store keeps it: name → text."""
        options = {"construction": "\n".join(self.construction), "limit": str(self.limit or "")}
        return {name: text for name, text in options.items() if text}

    def prepare(self, suite: Suite) -> Suite:
        """Return a suite with the items, and the changes to sentences, that are requested."""
        return prepare_suite(suite, self.method, self.construction, self.limit)


def score(
    suites: Suites | None = None,
    model: Models | None = None,
    *,
    method: Method | str | Path | None = None,
    by: Names = None,
    baselines: bool = False,
    construction: Names = None,
    limit: int | None = None,
    device: str = "auto",
    workers: int | None = None,
    ray: str = "",
    from_: str | Path | Sequence[str | Path] | None = None,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Scores:
    """Score models on suites: surprisals, outcomes and accuracies.

    Surprisals in the store are not computed again, so an interrupted run continues.

    Args:
        suites: suites, files or folders, or names in the store [default: the newest suite]; or the
            run.toml that --out wrote, alone: the same models, suites and method again
        model: a folder made by train, a Hugging Face name[@revision] or folder, or KIND:PATH
            [default: every model trained in the store for the suites' language]
        method: how models are asked and what counts: a name, such as sentence or hu2020, or a file
            [default: target]
        by: show accuracies by these columns: kind, level, construction, value, n_attractors,
            relation [default: by kind, and by each of the others within it]
        baselines: add the audit's baselines, on the items that all models could answer
        construction: only these constructions; * matches anything
        limit: only the first N items
        device: auto, cpu, cuda or cuda:N; or several, such as cuda:0,cuda:1, with a process each
        workers: processes that share the work; the numbers are the same
        ray: address of a Ray cluster that does the work
        from_: results that another program computed: samples of lm-evaluation-harness (a file, or a
            run's folder), predictions of BabyLM's pipeline, a table of sentences and scores,
            outcomes.tsv; --model names the model
        out: also write accuracy.tsv, outcomes.tsv and scores.tsv to this folder, of composed sets
            also cells.tsv, and run.toml, by which `score` makes them again
        store: the project's database, where surprisals and runs are kept; none keeps nothing
        progress: called with (task, done, total)

    Returns:
        Accuracies with intervals, outcomes, surprisals.

    Raises:
        InputError: for settings that do not exist or go together, a suite or model that cannot be
            found or read, a suite without items, a construction that the suite does not have, a
            run.toml that is none or names a model in memory.

    Commands:
        colorless score --model gpt2 --model package:smollm2
        colorless score number_prep.json --model gpt2 --method hu2020 --out scores

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> scores = cg.score("pairs.csv", "uniform:words.txt", method=cg.Method(oov="keep"))
    >>> scores.accuracy().select("prediction", "n_items", "accuracy", "n_ties").rows()
    [('full', 1, 0.5, 1), ('prefix', 1, 0.5, 1), ('all', 1, 0.25, 1)]

    The method of one prefix is that of Linzen, Dupoux & Goldberg (2016); minimal pairs of nonce
    sentences are those of Gulordava et al. (2018).
    """
    request = ScoreRequest(
        method=configured(Method, method),
        construction=tuple(listed(construction)),
        limit=limit,
        by=tuple(listed(by)),
        baselines=baselines,
        devices=tuple(filter(None, device.split(","))) or ("auto",),
        workers=workers,
        ray=ray,
        out=None if out is None else Path(out),
    )
    # "" names the newest suite
    named = [suites] if isinstance(suites, Suite | str | Path) else list(suites or [""])
    record = find_record(named)
    if record is not None:
        refuse_options_of_record({"model": model, "method": method, **recorded_options(request)})
        named, request = [*read_recorded_suites(record)], request_of_record(record, request)
    if request.out is not None:
        demand_writable_folder(request.out, MADE_BY)
    with open_store_of(named, store) as opened:
        entries = select_suites(opened, named, request.prepare)
        if record is not None:
            entries = [*with_recorded_places(entries, record, opened)]
        if from_ is not None:
            runs, models, remarks = read_results(opened, entries, from_, model)
        else:
            chosen = model if record is None else record
            runs, models, remarks = score_models(opened, entries, chosen, request, progress)
        baseline_runs, verdicts = score_baselines(opened, entries, runs, request, progress)
        remarks = [*newest_note(named[0], entries[0].suite), *remarks, *verdicts]
        new_record = record_of(request, entries, models, baseline_runs)
        remarks += differences(record, new_record) if record is not None else ()
        scores = assemble_scores(runs, baseline_runs, entries, remarks, request, opened)
        if request.out is not None:
            write_tables(scores, request.out, new_record, [entry.full_suite for entry in entries])
        return scores


def recorded_options(source: ScoreRequest | RunRecord) -> dict[str, Any]:
    """Return the options of a call that run.toml records as they are: name → value."""
    return {name: getattr(source, name) for name in ("construction", "limit", "by", "baselines")}


def refuse_options_of_record(options: Mapping[str, object]) -> None:
    """Raise `InputError` if one of these options (name → value) is set. A run.toml, which records
    an earlier call of `score`, sets them all itself."""
    for name, value in options.items():
        if value:
            right = f"leave it out, or change {RUN}"
            raise InputError(name, f"{RUN} says it itself", right, kind="conflict")


def request_of_record(record: RunRecord, request: ScoreRequest) -> ScoreRequest:
    """Return the request that a record was made by, with the devices, workers and output folder of
    a new request.

    Raises `InputError` for a model that cannot be asked again: a program had it in memory, or its
    numbers came with a file.
    """
    for model in record.models:
        if model.where in ("memory", "file"):
            wrong = "a program had it in memory, which is gone"
            right = "save the model, and score its folder"
            if model.where == "file":
                wrong, right = "another program computed its numbers", f"--from {model.place}"
            raise InputError(model.name, wrong, right, kind="missing")
    devices = tuple(record.device.split(",")) if request.devices == ("auto",) else request.devices
    return replace(
        request,
        method=settings_in(Method, record.method, f"{RUN}: method", Path()),
        devices=devices,
        **recorded_options(record),
    )


def with_recorded_places(
    entries: Sequence[SelectedSuite], record: RunRecord, store: Store
) -> Iterator[SelectedSuite]:
    """Yield the suites of a record with the files that they came from. One that came from no file
    gets its number in the store, whose treebank baselines use."""
    for entry, suite in zip(entries, record.suites, strict=True):
        if suite.written:  # it came from no file, and was written beside run.toml
            _, stored_id = find_suite(store, entry.full_suite)
            yield replace(entry, stored_id=stored_id)
        else:
            yield replace(entry, place=(Path(suite.path), suite.part))


def record_of(
    request: ScoreRequest,
    entries: Sequence[SelectedSuite],
    models: Sequence[ModelRecord],
    baseline_runs: Sequence[Run],
) -> RunRecord:
    """Return the content of run.toml: what `score` needs to give its numbers again."""
    results = "".join(run.model + run.outcomes.write_csv() for run in baseline_runs)
    return run_record(
        [
            suite_record(entry.full_suite, entry.suite.name, entry.place, number)
            for number, entry in enumerate(entries, start=1)
        ],
        models,
        request.method,
        **recorded_options(request),
        device=",".join(request.devices),
        baselines_digest=text_digest(results) if results else "",
    )


@contextmanager
def open_store_of(suites: Sequence[Suite | str | Path], store: StoreLike) -> Iterator[Store]:
    """Open the store that is named; if none is, the store of the first suite that is kept in one,
    or else one in memory. If all suites are names in a store, or "" (the newest), it must exist."""
    stores = [suite.kept.store for suite in suites if isinstance(suite, Suite) and suite.kept]
    chosen = stores[0] if stores and store is None else store
    named = [suite for suite in suites if suite]
    all_are_names = all(isinstance(s, str | Path) and not is_suite(Path(s)) for s in named)
    if all_are_names:
        demand_store(suites[0], chosen)
    with open_store(chosen, existing=all_are_names) as opened:
        yield opened


def score_models(
    store: Store,
    entries: Sequence[SelectedSuite],
    models: Models | RunRecord | None,
    request: ScoreRequest,
    progress: Progress,
) -> tuple[list[Run], list[ModelRecord], list[str]]:
    """Ask every model about every suite; `models` may be the record of an earlier call. Return the
    runs, a record of each model for run.toml, and remarks for the user."""
    method = request.method
    remarks = [f"{e.suite.name}: {note}" for e in entries for note in reader_notes(e.suite)]
    suites = [entry.suite for entry in entries]
    requested, notes = select_models(store, models, suites, trusted=method.trust_remote_code)
    remarks += notes
    runs, records = list[Run](), list[ModelRecord]()
    options = method.load_options(request.devices[0])
    with open_executor(request) as pool:
        for model in loaded_models(requested, options, each_bos=method.bos == EACH_BOS):
            if isinstance(model, Unsupported):
                remarks.append(model.reason)
                continue
            rater = make_rater(model, pool, store, request, progress)
            if isinstance(models, RunRecord):  # names are those of the tables made before
                rater = replace(rater, name=model.name)
            records.append(model_record(model, rater.name))
            for entry in entries:
                run = score_model(rater, entry, request.options, len(runs) + 1)
                if isinstance(run, Unsupported):
                    remarks.append(run.reason)
                    continue
                runs.append(run)
                remarks += notes_on(run, rater, entry)
            remarks += [note for note in model.notes if note not in remarks]
    return runs, records, [*remarks, f"method {method.label} ({method.digest})"]


def read_results(
    store: Store,
    entries: Sequence[SelectedSuite],
    files: str | Path | Sequence[str | Path],
    name: Models | None,
) -> tuple[list[Run], list[ModelRecord], list[str]]:
    """Read results that another program computed. Return runs, records of the models for run.toml,
    and remarks. `name` is the model's name in tables; None for the one that the files say."""
    if not isinstance(name, str | None):
        wrong, right = "results of others are of one model", "its name, or none"
        raise InputError("model", wrong, right, kind="value")
    paths = [files] if isinstance(files, str | Path) else files
    suites = [(entry.suite, entry.suite_id) for entry in entries]
    runs, remarks = computed_runs(store, suites, [str(path) for path in paths], name or "")
    records = [
        ModelRecord(name=model, where="file", place=", ".join(map(str, paths)))
        for model in dict.fromkeys(run.model for run in runs)
    ]
    return runs, records, remarks


def open_executor(request: ScoreRequest) -> AbstractContextManager[Executor]:
    """Open the pool of processes (here, or a Ray cluster) in which a request's models compute."""
    n_processes = len(request.devices) if len(request.devices) > 1 else request.workers
    gpus_each = 0 if request.devices[0] == "cpu" else 1  # of a process
    return executor(n_processes, request.ray, cpus=threads_per_process(), gpus=gpus_each)


def threads_per_process() -> int:
    """Return the number of torch's threads in each process: `OMP_NUM_THREADS`, else 1."""
    value = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, int(value)) if value.isdecimal() else 1


def make_rater(
    model: Model, pool: Executor, store: Store, request: ScoreRequest, progress: Progress
) -> Rater:
    """Make a `Rater` from a loaded model: keep the model in the store, and spread its work over the
    processes of an executor."""
    devices = request.devices if len(request.devices) > 1 else ()
    is_shared = bool(devices or request.ray or request.workers is not None)
    n_threads = threads_per_process() if is_shared else None  # None: as many as torch chooses
    scorer = spread_over(model, pool, devices=devices, n_threads=n_threads)
    with store.transaction():
        model_id, name = save_model(store, model)
    return Rater(model, model_id, name, request.method, scorer, store, progress)


def score_baselines(
    store: Store,
    entries: Sequence[SelectedSuite],
    runs: Sequence[Run],
    request: ScoreRequest,
    progress: Progress,
) -> tuple[list[Run], list[str]]:
    """Return the runs of the audit's baselines (guesses without grammar), and for each suite a
    sentence on the strongest. Both are empty unless baselines are requested or all suites are
    composed sets."""
    baseline_runs, verdicts = list[Run](), list[str]()
    if not (request.baselines or all_composed(entries)):
        return baseline_runs, verdicts

    for entry in entries:
        suite_runs = [run for run in runs if run.items is entry.suite.items]
        if not suite_runs:
            continue
        names = [suite_runs[0].prediction]
        if suite_runs[0].asked is not None:  # else another program computed the results
            names = [known.name for known in suite_runs[0].asked.method_suite.suite.predictions]
        prediction = next(iter(selected_predictions(names, request.method.predictions)), "")
        outcomes = [run.outcomes for run in suite_runs]
        guesses, verdict = guesses_on(
            store, entry.suite, entry.suite_id, outcomes, prediction, progress
        )
        baseline_runs += guesses
        verdicts += [verdict] if guesses else []
    return baseline_runs, verdicts


def all_composed(entries: Sequence[SelectedSuite]) -> bool:
    """Return True if all suites are composed sets."""
    return all(set(entry.suite.table.frame["kind"]) == {COMPOSED} for entry in entries)


def assemble_scores(
    runs: Sequence[Run],
    baseline_runs: Sequence[Run],
    entries: Sequence[SelectedSuite],
    remarks: Sequence[str],
    request: ScoreRequest,
    store: Store,
) -> Scores:
    """Compute the accuracies of runs and baselines, and put all that `score` returns into one
    object. If no item counts because the models know none of the words, a remark is added."""
    has_credits = any(run.outcomes["credit"].count() for run in runs)
    notes = (run.outcomes["note"].str.split(";") for run in runs)
    if not has_credits and any(column.list.contains(OOV).any() for column in notes):
        advice = "no item counts: the models know none of the scored words; try --set oov=keep"
        remarks = [*remarks, advice]
    if any(run.policy for run in runs):
        remarks = [*remarks, POLICY_NOTE]
    is_composed = all_composed(entries)
    scores = Scores(
        messages=[*remarks, *([COLUMNS_NOTE] if is_composed and not request.by else [])],
        found=has_credits,
        table=accuracies(runs, baseline_runs),
        store=reference_to(store),
        runs=tuple(runs),
        baselines=tuple(baseline_runs),
        of_composed=is_composed,
        by=marginal_of(request.by),
    )
    return ordered_for_people(scores, request.method.predictions)


def write_tables(scores: Scores, out: Path, record: RunRecord, suites: Sequence[Suite]) -> None:
    """Write the tables of scores, and run.toml, by which `score` can make them again, to a folder.
    `suites` are the full suites, not only the items that were asked."""
    with write_folder(out, {"made_by": MADE_BY}) as folder:
        write_record(folder, record, suites, out)
        write_table(folder / "scores.tsv", scores.surprisals)
        write_table(folder / "outcomes.tsv", scores.outcomes)
        write_table(folder / "accuracy.tsv", scores.table)
        if scores.of_composed:
            write_table(folder / "cells.tsv", scores.cells)
