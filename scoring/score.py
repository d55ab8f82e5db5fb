"""Score language models on suites: surprisals, outcomes and accuracies."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..data import schema
from ..data.arrays import Integers
from ..data.errors import InputError
from ..data.executor import executor
from ..data.files import demand_writable_folder, numbered_lines, write_folder
from ..data.formats.detect import is_suite
from ..data.items.suite import Suite
from ..data.load import demand_store, reader_notes
from ..data.progress import Progress, silent
from ..data.registry import look_up
from ..data.store import Store, StoreLike, home, now, open_store
from ..data.tables import Row, demand_ending, frame, write_table
from ..nonce.variants.frequencies import frequencies_named
from .models.distributed import spread_over
from .models.model_folder import seen_by
from .models.specs import Model, speaks
from .outcomes.acceptability import UnitCounts, word_counts
from .outcomes.accuracy import COMPOSED, RunLabel
from .outcomes.baseline_rows import BaselineOutcomes, guesses_on
from .outcomes.run import Run, ask, messages, options_of
from .outcomes.score_rows import save_model, save_run
from .outcomes.scores import Scores, accuracies, scores_of, selected_predictions
from .outcomes.setting import ScoreSetting, setting_of
from .questions.answer_columns import Answers
from .questions.outcome import OOV
from .questions.plan import Plan, plan_sentences
from .questions.plan_answers import answer_plan
from .questions.query import LoadOptions, looks_ahead, policy_of
from .questions.reading_times import FrequencyClass, word_rows
from .selection import (
    EACH,
    Models,
    SelectedSuite,
    Suites,
    language_codes,
    loaded_models,
    select_models,
    select_suites,
)

AGGREGATES = ("first", "all", "each")


def score(
    suites: Suites | None = None,
    models: Models | None = None,
    *,
    setup: str = "",
    method: str | None = None,
    metric: str | None = None,
    eos: str | None = None,
    period: str | None = None,
    premise: str | None = None,
    unigrams: str | Path | None = None,
    oov: str | None = None,
    ties: str | None = None,
    aggregate: str = "first",
    construction: str | Sequence[str] | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    device: str = "auto",
    dtype: str = "float32",
    bos: str = "auto",
    boundary: str = "none",
    compile: bool = False,
    baselines: bool = False,
    workers: int | None = None,
    ray: str = "",
    devices: str = "",
    threads: int | None = None,
    surprisals: str | Path | None = None,
    frequencies: str = "",
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Scores:
    """Scores language models on suites: how often the right form is the less surprising one.

    Surprisals in the store are not computed again, so an interrupted run continues.

    Args:
        suites: one or several of: a suite, a file or folder of any format that `load_suite` reads,
            a benchmark or its folder, the name of a suite in the store. None is the store's newest.
        models: one or several of: a spec or path (see `load_model`), a loaded model, what `train`
            returned. None, like an empty list, is every model trained in the store for the suites'
            language.
        setup: a published set-up, of whose conventions the other options change single ones:
            linzen2016, gulordava2018, marvin2018, marvin2018-ngram, warstadt2020, hu2020.
        method: target (the default: what the suite predicts), sentence, one-prefix, two-prefix,
            pmi, ew, mw, or a measure of whole sentences: meanlp, normlp-div, normlp-sub, slor,
            penlp.
        metric: over a region's subwords: sum, mean, median, range, max or min; by default the
            suite's, which as a rule is sum.
        eos: the end of the sentence: none, sentence (part of whole sentences) or region (also of
            the last region).
        period: at the end of each sentence: keep, add or drop.
        premise: what `pmi` sets targets after.
        unigrams: a text, one sentence per line, for the unigram probabilities of slor and normlp.
        oov: items with a scored word that a word-level model does not know: exclude or keep.
        ties: worth the share of orderings under which the prediction holds (share), or nothing
            (wrong).
        aggregate: which of several predictions are shown: the first, all as one, or each.
        construction: only items of these constructions, by name or pattern (`*nsubj`).
        limit: only the first N items.
        sample: N items of each construction, drawn by `seed`.
        seed: of the sample.
        device: auto, cpu, cuda or cuda:n.
        dtype: float32, bfloat16 or float16.
        bos: the first token before a text: auto, none or a token (see `load_model`; of several
            models, those that lack the token are left out, with a message); each asks every
            model with each first token that its files name, and without one.
        boundary: where a word counts as ended: none, space+eos or space+eos+punct.
        compile: by torch.compile, which pays on a GPU in long runs.
        baselines: also rows for the audit's baselines, on the items that all models could answer;
            composed sets always have them.
        workers: processes to share the work; the numbers are the same.
        ray: the address of a Ray cluster that does the work.
        devices: several GPUs of this machine, a process each: cuda:0,cuda:1.
        threads: of torch in each process; by default one if the work is shared, else all.
        surprisals: a table to write with one row per word of whole sentences, for reading times.
        frequencies: of words, to stand in that table: wordfreq, or a file of words and counts.
        out: a folder for accuracy.tsv, outcomes.tsv and scores.tsv; of composed sets also
            cells.tsv, one row per suite and model.
        store: where surprisals and runs are kept. None is where the first suite is kept; if that is
            nowhere, in memory.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        Accuracies with intervals, outcomes, surprisals.

    Raises:
        InputError: for options that do not exist or go together, a suite or model that cannot be
            found or read, a suite without items, a construction that the suite does not have.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("pairs.csv").write_text("good,bad\\nThe keys are old.,The keys is old.\\n")
    >>> scores = cg.score("pairs.csv", "uniform:words.txt", oov="keep")
    >>> scores.accuracy().select("prediction", "n_items", "accuracy", "n_ties").rows()
    [('full', 1, 0.5, 1), ('prefix', 1, 0.5, 1), ('all', 1, 0.25, 1)]

    The method of one prefix is that of Linzen, Dupoux & Goldberg (2016); minimal pairs of nonce
    sentences are those of Gulordava et al. (2018).
    """
    patterns = (construction,) if isinstance(construction, str) else tuple(construction or ())
    setting = setting_of(
        setup,
        {
            "method": method, "metric": metric, "eos": eos, "period": period, "premise": premise,
            "unigrams": None if unigrams is None else Path(unigrams), "oov": oov, "ties": ties,
            "construction": patterns, "limit": limit, "sample": sample, "seed": seed,
        },
    )  # fmt: skip
    look_up(dict.fromkeys(AGGREGATES), aggregate, "--aggregate")
    if surprisals is not None:
        demand_ending(Path(surprisals), "--surprisals")
    elif frequencies:
        wrong = "they are written beside word surprisals, which are not requested"
        raise InputError("--frequencies", wrong, "--surprisals FILE with it", kind="conflict")
    if out is not None:
        demand_writable_folder(Path(out), "colorless score")
    worker_devices = tuple(filter(None, devices.split(",")))
    if worker_devices and (ray or workers is not None):
        wrong, right = "has one process for each device, and no others", "--devices alone"
        raise InputError("--devices", wrong, f"{right}, or --ray, or --workers", kind="conflict")
    token = "auto" if bos == EACH else bos
    options = LoadOptions(
        worker_devices[0] if worker_devices else device, dtype, token, boundary, compile
    )
    n_threads = threads or (1 if workers is not None or ray or worker_devices else None)
    gpus = 0 if options.device == "cpu" else 1
    named_suites = [suites] if isinstance(suites, Suite | str | Path) else list(suites or [""])
    stores = [suite.kept.store for suite in named_suites if isinstance(suite, Suite) and suite.kept]
    named_only = all(isinstance(e, str | Path) and not is_suite(Path(e)) for e in named_suites if e)
    chosen_store = stores[0] if stores and store is None else store
    if named_only:
        demand_store(named_suites[0], chosen_store)
    with open_store(chosen_store, existing=named_only) as opened:
        entries = select_suites(opened, named_suites, setting)
        remarks = [
            f"{entry.suite.name}: {note}" for entry in entries for note in reader_notes(entry.suite)
        ]
        frequency_classes = [_frequency_class(entry.suite, frequencies) for entry in entries]
        requested, choice = select_models(opened, models, [entry.suite for entry in entries])
        remarks += choice
        runs: list[Run] = []
        words: list[Row] = []
        with executor(len(worker_devices) or workers, ray, cpus=threads or 1, gpus=gpus) as pool:
            for model in loaded_models(list(requested), options, remarks, each_bos=bos == EACH):
                scorer = spread_over(model, pool, devices=worker_devices, n_threads=n_threads)
                with opened.transaction():
                    model_id, name = save_model(opened, model)

                def report(task: str, n_done: int, n: int | None, of: str = name) -> None:
                    progress(f"{of}: {task}", n_done, n)

                answer = partial(
                    answer_plan, scorer, store=opened, model_id=model_id, progress=report
                )
                units = units_of(model, setting)
                for entry, frequency_class in zip(entries, frequency_classes, strict=True):
                    try:
                        run, run_notes = _run(
                            opened, model, model_id, name, entry, setting, answer, units
                        )
                    except InputError as error:  # a text whose first word nothing stands before
                        if bos != EACH or model.options.bos == token or error.kind != "unsupported":
                            raise
                        remarks.append(f"{name}, {policy_of(scorer)}: {error}")
                        continue
                    runs.append(run)
                    remarks += run_notes
                    if surprisals is not None:
                        words += _words(run, answer, frequency_class)
                remarks += [note for note in model.notes if note not in remarks]
        guesses: list[BaselineOutcomes] = []
        of_composed = all(set(entry.suite.table.frame["kind"]) == {COMPOSED} for entry in entries)
        for entry in entries if baselines or of_composed else ():
            suite_runs = [run for run in runs if run.suite is entry.suite]
            displayed = selected_predictions(
                [name for run in suite_runs[:1] for name in run.predictions], aggregate
            )
            answered = [run.outcomes for run in suite_runs]
            primary = next(iter(displayed), "")
            guesses += guesses_on(opened, entry.suite, entry.suite_id, answered, primary, progress)
        table = accuracies(runs, guesses)
        counted = any(run.outcomes["credit"].count() for run in runs)
        notes = (run.outcomes["note"].str.split(";") for run in runs)
        if not counted and any(column.list.contains(OOV).any() for column in notes):
            remarks.append(
                "no item counts: the models know none of the scored words; try --oov keep"
            )
        scores = scores_of(table, remarks, aggregate)
        scores = replace(
            scores, store=home(opened), runs=tuple(runs), found=counted, baselines=tuple(guesses),
            of_composed=of_composed,
        )  # fmt: skip
        if surprisals is not None:
            write_table(Path(surprisals), frame(words, schema.WORDS))
        if out is not None:
            with write_folder(Path(out), {"made_by": "colorless score"}) as folder:
                write_table(folder / "scores.tsv", scores.surprisals)
                write_table(folder / "outcomes.tsv", scores.outcomes)
                write_table(folder / "accuracy.tsv", scores.table)
                if of_composed:
                    write_table(folder / "cells.tsv", scores.cells)
        return scores


def _run(
    store: Store,
    model: Model,
    model_id: int,
    name: str,
    entry: SelectedSuite,
    setting: ScoreSetting,
    answer: Callable[[Plan], Iterator[tuple[Integers, Answers]]],
    units: UnitCounts | None,
) -> tuple[Run, list[str]]:
    """One model on one suite, into the store, and what is to say of it."""
    suite, suite_id, scorer = entry.suite, entry.suite_id, model.scorer
    answered = ask(suite, setting, model, answer, units)
    exposed = None if model.folder is None else seen_by(model.folder, entry.originals)
    with store.transaction():
        run_id = save_run(
            store,
            model_id=model_id,
            suite_id=suite_id,
            method=setting.named(),
            options=options_of(setting, answered.asking, units),
            exposed=exposed,
            outcomes=answered.outcomes,
            now=now(),
        )
    policy = " ".join(filter(None, ("toy" if model.toy else "", policy_of(scorer))))
    label = RunLabel(str(run_id), name, model.group, setting.named(), suite.name, policy)
    ahead = looks_ahead(scorer)
    run = Run(run_id, model_id, suite_id, label, suite, setting, ahead, answered)
    notes = list(messages(run))
    if exposed:
        n = f"{exposed} of {len(entry.originals)} originals"
        notes.append(f"{name}: {n} were in its training text")
    codes = language_codes(suite)
    if speaks(model.languages, codes) is False:
        spoken, requested = ", ".join(model.languages), ", ".join(codes)
        notes.append(f"{name}: a model of {spoken}, asked about {requested} ({suite.name})")
    return run, notes


def _words(
    run: Run,
    answer: Callable[[Plan], Iterator[tuple[Integers, Answers]]],
    frequency_class: FrequencyClass | None,
) -> Iterator[Row]:
    """Rows of the file of word surprisals: every sentence of the items that were wanted."""
    unit, eos = run.result.plan.unit, run.setting.eos
    plan = plan_sentences(run.suite.items, unit, looks_ahead=run.looks_ahead, eos=eos)
    for row in word_rows(plan, answer(plan), frequency_class):
        yield {"run": run.label.run, "model": run.label.model, "suite": run.label.suite, **row}


def _frequency_class(suite: Suite, source: str) -> FrequencyClass | None:
    if not source:
        return None
    frequencies = frequencies_named(source, suite.table.frame["language"][0] if suite.items else "")
    if frequencies is None:
        wrong = f"{source!r} counts no words here"
        raise InputError("--frequencies", wrong, "wordfreq, or a file", kind="value")
    return frequencies.frequency_class


def units_of(model: Model, setting: ScoreSetting) -> UnitCounts | None:
    """The units of the model in the text that the setting names, counted."""
    if setting.unigrams is None:
        return None
    lines = [line.strip() for _, line in numbered_lines(setting.unigrams) if line.strip()]
    if not lines:
        location = str(setting.unigrams)
        raise InputError(location, "no text in it", "one sentence a line", kind="empty")
    if model.scorer.unit == "words":
        return word_counts(line.split() for line in lines)
    segmented = getattr(model.scorer, "segmented", None)
    if segmented is None:
        wrong = f"{model.name} does not say into which units it cuts a text"
        location, right = f"--method {setting.method}", "a causal or word-level model"
        raise InputError(location, wrong, right, kind="unsupported")
    return word_counts(segmented(lines))
