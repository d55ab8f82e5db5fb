"""The verb score: read, call the pure part, write."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.errors import InputError
from colorless_green.data.executor import Executor, executor
from colorless_green.data.files import numbered_lines, write_folder
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, demand_ending, frame, write_table
from colorless_green.nonce.frequencies import frequencies_named
from colorless_green.nonce.item import KINDS
from colorless_green.nonce.load import notes_of
from colorless_green.nonce.rows import find_suite, save_suite
from colorless_green.nonce.suite import Suite, checked
from colorless_green.scoring.acceptability import Units, word_counts
from colorless_green.scoring.accuracy import JOINT, accuracy_rows, group_rows
from colorless_green.scoring.outcome import Outcome
from colorless_green.scoring.query import LoadOptions
from colorless_green.scoring.reading_times import Octave
from colorless_green.scoring.running import (
    ALL,
    Asker,
    Material,
    Run,
    asker,
    check_end,
    messages,
    rows_of,
    run_of,
    words_of,
)
from colorless_green.scoring.setting import Setting
from colorless_green.scoring.specs import Model, load_model
from colorless_green.scoring.spread import spread_over
from colorless_green.scoring.training.folder import is_model_folder


@dataclass(frozen=True, slots=True)
class Outputs:
    """What of a scoring is shown and written, and where."""

    out: Path | None = None  # folder of scores.tsv, outcomes.tsv, accuracy.tsv
    surprisals: Path | None = None  # file of word surprisals
    frequencies: str = ""  # that stand in it: wordfreq or a file
    aggregate: str = "first"  # of several predictions, which are shown: first, all or each

    def checked(self) -> "Outputs":
        """Raises `InputError` for frequencies that would stand nowhere."""
        if self.surprisals is not None:
            demand_ending(self.surprisals, "--surprisals")
        elif self.frequencies:
            wrong = "they stand beside word surprisals, and no file of these is asked for"
            raise InputError("--frequencies", wrong, "--surprisals FILE with it", kind="conflict")
        return self


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work."""

    n: int | None = None  # processes, or jobs at a time on Ray
    ray: str = ""
    devices: tuple[str, ...] = ()  # of this machine, one a process
    threads: int | None = None  # of torch in each; None: one if the work is shared out, else all

    def checked(self) -> "Workers":
        """Raises `InputError` for options that exclude each other."""
        if self.devices and (self.ray or self.n is not None):
            wrong = "has one process for each device, and no others"
            raise InputError(
                "--devices", wrong, "--devices alone, or --ray, or --workers", kind="conflict"
            )
        return self

    def executor(self, device: str) -> AbstractContextManager[Executor]:
        """The executor that these options ask for."""
        n = len(self.devices) or self.n
        return executor(n, self.ray, cpus=self.threads or 1, gpus=0 if device == "cpu" else 1)

    @property
    def n_threads(self) -> int | None:
        shared_out = bool(self.n is not None or self.ray or self.devices)
        return self.threads or (1 if shared_out else None)


ALONE = Workers()


@dataclass
class _Tables:
    """Rows that are written at the end, those that somebody asked for."""

    accuracies: list[Row]
    scores: list[Row]
    outcomes: list[Row]
    words: list[Row]
    messages: list[str]


def score_suites(
    names: Sequence[str],
    specs: Sequence[str],
    store: Store,
    *,
    options: LoadOptions,
    told: Setting,
    outputs: Outputs,
    now: str,
    workers: Workers = ALONE,
    progress: Progress = silent,
) -> Result:
    """Every model on every suite: surprisals and outcomes into the store, accuracies to show.
    Suites of one name go by what they were called here."""
    outputs.checked()
    if workers.checked().devices:
        options = replace(options, device=workers.devices[0])
    specs = list(dict.fromkeys(specs)) or _trained(store)
    called = list(dict.fromkeys(names or [""]))
    suites = _told_apart([_material(store, name, now) for name in called], called)
    octaves = [_octave(each.suite, outputs.frequencies) for each in suites]
    warned = [f"{each.suite.name}: {note}" for each in suites for note in notes_of(each.suite)]
    tables = _Tables([], [], [], [], warned)
    with workers.executor(options.device) as crew:
        for spec in specs:
            model = load_model(spec, options)
            tables.messages += [note for note in model.notes if note not in tables.messages]
            threads = workers.n_threads
            scorer = spread_over(model, options, crew, devices=workers.devices, n_threads=threads)
            who = asker(model, scorer, store, _units(model, told), progress)
            check_end(who, told.eos)
            for material, octave in zip(suites, octaves, strict=True):
                _take(tables, who, run_of(who, material, told, now), outputs, octave, told.eos)
    accuracies = [*tables.accuracies, *group_rows(tables.accuracies)]
    if outputs.out is not None:
        _write_scores(outputs.out, tables, accuracies)
    if outputs.surprisals is not None:
        write_table(outputs.surprisals, frame(tables.words, schema.WORDS))
    order = [each.suite.name for each in suites]
    return _scored(accuracies, tables.messages, order, outputs.aggregate)


def _material(store: Store, name: str, now: str) -> Material:
    """A suite by file or name, in the store."""
    suite, suite_id = find_suite(store, name)
    checked(suite, suite.name)
    if suite_id is None:
        with store.transaction():
            suite_id = save_suite(store, suite, "imported", treebank_id=None, now=now)
    return Material(suite, suite_id)


def _told_apart(suites: Sequence[Material], called: Sequence[str]) -> list[Material]:
    """Suites by their own names where these differ."""
    n = Counter(each.suite.name for each in suites)
    return [
        each if n[each.suite.name] == 1 else replace(each, suite=replace(each.suite, name=name))
        for each, name in zip(suites, called, strict=True)
    ]


def _octave(suite: Suite, source: str) -> Octave | None:
    if not source:
        return None
    language = suite.items[0].language if suite.items else ""
    found = frequencies_named(source, language)
    if found is None:
        raise InputError(
            "--frequencies", f"{source!r} counts no words here", "wordfreq, or a file", kind="value"
        )
    return found.octave


def _units(model: Model, told: Setting) -> Units | None:
    """The units of the model in the text that the setting names, counted."""
    if told.unigrams is None:
        return None
    lines = [line.strip() for _, line in numbered_lines(told.unigrams) if line.strip()]
    if not lines:
        raise InputError(str(told.unigrams), "no text in it", "one sentence a line", kind="empty")
    if model.scorer.unit == "words":
        return word_counts(line.split() for line in lines)
    segmented = getattr(model.scorer, "segmented", None)
    if segmented is None:
        raise InputError(
            f"--method {told.method}",
            f"{model.name} does not say into which units it cuts a text",
            "a causal or word-level model",
            kind="unsupported",
        )
    return word_counts(segmented(lines))


def _take(
    tables: _Tables, who: Asker, run: Run, outputs: Outputs, octave: Octave | None, eos: str
) -> None:
    tables.accuracies += accuracy_rows(run.items, run.outcomes, run.label)
    tables.messages += messages(run)
    if outputs.out is not None:
        tables.scores += rows_of(run)
        tables.outcomes += [_outcome_row(each, run) for each in run.outcomes]
    if outputs.surprisals is not None:
        tables.words += words_of(who, run, eos=eos, octave=octave)


def _scored(
    accuracies: Sequence[Row], messages: Sequence[str], suites: Sequence[str], aggregate: str
) -> Result:
    """For people: by suite and kind, then by construction, the models of one cell under each
    other; of several predictions the first, or that all hold, or each."""
    wanted = _predictions(accuracies, aggregate)

    def shown(row: Row) -> bool:
        whole = bool(row.get("kind")) and not row.get("value") and not row.get("n_attractors")
        return whole and row["prediction"] in wanted[row["suite"]]

    columns = [
        "suite",
        "prediction",
        "kind",
        "construction",
        "model",
        "n_items",
        "accuracy",
        "low",
        "high",
        "n_ties",
        "n_oov",
    ]
    first = [row for row in accuracies if shown(row)]
    for column in ("suite", "prediction"):
        if len({row[column] for row in first}) < 2:
            columns.remove(column)
    first.sort(
        key=lambda row: (
            suites.index(str(row["suite"])),
            bool(row.get("construction")),
            KINDS.index(str(row["kind"])),
            row.get("construction") or "",
        )
    )
    rest = [row for row in accuracies if not shown(row)]
    return Result([*first, *rest], tuple(columns), messages, n_hidden=len(rest))


def _predictions(accuracies: Sequence[Row], aggregate: str) -> dict[object, set[object]]:
    """Which predictions of each suite are shown."""
    every: dict[object, list[object]] = {}
    for row in accuracies:
        names = every.setdefault(row["suite"], [])
        if row["prediction"] not in names:
            names.append(row["prediction"])
    return {suite: set(_aggregated(names, aggregate)) for suite, names in every.items()}


def _aggregated(names: Sequence[object], aggregate: str) -> Sequence[object]:
    if aggregate == "each":
        return names
    if aggregate == "all" and ALL in names:
        return [ALL]
    own = names[0]
    return [own, *(name for name in names if name in (JOINT, f"{JOINT} {own}"))]


def _trained(store: Store) -> list[str]:
    """The folders of the models trained in this store that are still there."""
    paths = [str(row["path"]) for row in store.rows("SELECT path FROM trained ORDER BY trained_id")]
    here = [path for path in paths if is_model_folder(Path(path))]
    if not here:
        raise InputError(
            "--model",
            "no model was named and none is trained in this store",
            "colorless train all",
            kind="missing",
        )
    return here


def _outcome_row(outcome: Outcome, run: Run) -> Row:
    return {
        "run": run.label.run,
        "model": run.label.model,
        "method": run.label.method,
        "item_id": outcome.item_id,
        "prediction": outcome.prediction,
        "credit": outcome.credit,
        "margin_bits": outcome.margin_bits,
        "tie": int(outcome.tie),
        "oov": int(outcome.oov),
        "note": outcome.note,
    }


def _write_scores(out: Path, tables: _Tables, accuracies: Sequence[Row]) -> None:
    with write_folder(out, {"made_by": "colorless score"}) as folder:
        write_table(folder / "scores.tsv", frame(tables.scores, schema.SCORES))
        write_table(folder / "outcomes.tsv", frame(tables.outcomes, schema.OUTCOMES))
        write_table(folder / "accuracy.tsv", frame(accuracies, schema.ACCURACY))
