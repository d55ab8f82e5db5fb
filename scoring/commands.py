"""The verb score: read, call the pure part, write."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.folders import write_folder
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, write_tsv
from colorless_green.nonce.commands import find_suite
from colorless_green.nonce.item import KINDS
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite, checked
from colorless_green.scoring.accuracy import ACCURACY_COLUMNS, RunLabel, accuracy_rows, group_rows
from colorless_green.scoring.evaluate import (
    Answer,
    Asked,
    answers,
    check_lengths,
    outcomes,
    score_rows,
)
from colorless_green.scoring.outcome import OUTCOME_COLUMNS, Outcome
from colorless_green.scoring.plan import plan
from colorless_green.scoring.query import LoadOptions, looks_ahead
from colorless_green.scoring.rows import load_answers, save_answers, save_model, save_run
from colorless_green.scoring.specs import Model, load_model
from colorless_green.scoring.training.folder import (
    is_model_folder,
    seen_by,
)

METHOD = "target"  # the target given its prefix: the whole word, all its subwords
SCORE_COLUMNS = (
    "run",
    "model",
    "item_id",
    "condition",
    "sentence_index",
    "region",
    "n_subwords",
    "surprisal_bits",
    "oov",
)


def score_suites(
    names: Sequence[str],
    specs: Sequence[str],
    store: Store,
    *,
    options: LoadOptions,
    oov: str,
    ties: str,
    out: Path | None,
    now: str,
    progress: Progress = silent,
) -> Result:
    """Every model on every suite: surprisals and outcomes into the store, accuracies to show."""
    specs = list(dict.fromkeys(specs)) or _trained(store)
    accuracies: list[Row] = []
    tables: dict[str, list[Row]] = {"scores.tsv": [], "outcomes.tsv": []}
    messages: list[str] = []
    for name in dict.fromkeys(names or [""]):
        suite, suite_id = find_suite(store, name)
        checked(suite, suite.name)
        if suite_id is None:
            with store.transaction():
                suite_id = save_suite(store, suite, "imported", treebank_id=None, now=now)
        for spec in specs:
            model = load_model(spec, options)
            label, found, scores, exposed = _score_one(
                model, suite, suite_id, store, oov=oov, ties=ties, now=now, progress=progress
            )
            accuracies += accuracy_rows(suite.items, found, label)
            tables["scores.tsv"] += [
                {"run": label.run, "model": label.model, **row} for row in scores
            ]
            tables["outcomes.tsv"] += [_outcome_row(each, label) for each in found]
            messages += [note for note in model.notes if note not in messages]
            messages += _run_messages(label.model, found, exposed, len(_original_words(suite)))
    accuracies += group_rows(accuracies)
    if out is not None:
        _write_scores(out, tables, accuracies)
    return _scored(accuracies, messages)


def _scored(accuracies: Sequence[Row], messages: Sequence[str]) -> Result:
    """For people: by kind, then by construction, the models of one cell under each other."""

    def shown(row: Row) -> bool:
        return bool(row.get("kind")) and not row.get("value") and not row.get("n_attractors")

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
    for column in ("suite", "prediction"):
        if len({row[column] for row in accuracies}) < 2:
            columns.remove(column)
    first = [row for row in accuracies if shown(row)]
    first.sort(
        key=lambda row: (
            row["suite"],
            bool(row.get("construction")),
            KINDS.index(str(row["kind"])),
            row.get("construction") or "",
        )
    )
    rest = [row for row in accuracies if not shown(row)]
    return Result([*first, *rest], tuple(columns), messages, n_hidden=len(rest))


def _trained(store: Store) -> list[str]:
    """The folders of the models trained in this store that are still there."""
    paths = [str(row["path"]) for row in store.rows("SELECT path FROM trained ORDER BY trained_id")]
    here = [path for path in paths if is_model_folder(Path(path))]
    if not here:
        raise InputError(
            "--model", "no model was named and none is trained in this store", "colorless train all"
        )
    return here


def _score_one(
    model: Model,
    suite: Suite,
    suite_id: int,
    store: Store,
    *,
    oov: str,
    ties: str,
    now: str,
    progress: Progress,
) -> tuple[RunLabel, list[Outcome], list[Row], int | None]:
    unit = model.scorer.unit
    wanted = plan(suite, unit, looks_ahead=looks_ahead(model.scorer))
    check_lengths(wanted.queries, suite.name)
    with store.transaction():
        model_id, name = save_model(store, model)

    def keep(new: Sequence[tuple[Asked, Answer]]) -> None:
        save_answers(store, model_id, unit, new)

    given = answers(
        model.scorer,
        wanted,
        load_answers(store, model_id, wanted, unit),
        keep,
        progress=lambda task, done, total: progress(f"{name}: {task}", done, total),
    )
    found = list(outcomes(suite, wanted, given, unit=unit, oov=oov, ties=ties, dtype=model.dtype))
    exposed = seen_by(model.folder, _original_words(suite)) if model.folder else None
    with store.transaction():
        run_id = save_run(
            store,
            model_id=model_id,
            suite_id=suite_id,
            method=METHOD,
            options={"oov": oov, "ties": ties},
            exposed=exposed,
            outcomes=found,
            now=now,
        )
    label = RunLabel(str(run_id), name, model.group, METHOD, suite.name)
    return label, found, list(score_rows(wanted, given, suite.metric)), exposed


def _original_words(suite: Suite) -> list[tuple[str, ...]]:
    return [
        item.agreement.tokens
        for item in suite.items
        if item.kind == "original" and item.agreement is not None
    ]


def _outcome_row(outcome: Outcome, label: RunLabel) -> Row:
    return {
        "run": label.run,
        "model": label.model,
        "method": label.method,
        "item_id": outcome.item_id,
        "prediction": outcome.prediction,
        "credit": outcome.credit,
        "margin_bits": outcome.margin_bits,
        "tie": int(outcome.tie),
        "oov": int(outcome.oov),
        "note": outcome.note,
    }


def _run_messages(
    model: str, found: Sequence[Outcome], exposed: int | None, n_originals: int
) -> Iterator[str]:
    for note, what in (("oov", "an unknown target"), ("equal_forms", "two equal forms")):
        n_left_out = sum(outcome.note == note for outcome in found)
        if n_left_out:
            yield f"{model}: {n_left_out} items left out for {what}"
    n_unknown = sum(outcome.oov and not outcome.note for outcome in found)
    if n_unknown:
        yield f"{model}: {n_unknown} items with an unknown word before the target, counted"
    if exposed:
        yield f"{model}: {exposed} of {n_originals} originals were in its training text"


def _write_scores(out: Path, tables: dict[str, list[Row]], accuracies: Sequence[Row]) -> None:
    with write_folder(out, {"made_by": "colorless score"}) as folder:
        write_tsv(folder / "scores.tsv", SCORE_COLUMNS, tables["scores.tsv"])
        write_tsv(folder / "outcomes.tsv", OUTCOME_COLUMNS, tables["outcomes.tsv"])
        write_tsv(folder / "accuracy.tsv", ACCURACY_COLUMNS, accuracies)
