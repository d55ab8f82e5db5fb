"""The verbs train and score: read, call the pure part, write."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.folders import write_folder
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import load, named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, write_tsv
from colorless_green.miner.conllu import read
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.surface import spaces_before, surface_of
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import ENDINGS
from colorless_green.nonce.commands import find_suite
from colorless_green.nonce.item import KINDS
from colorless_green.nonce.mined import raw_text
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
from colorless_green.scoring.training import TRAINERS
from colorless_green.scoring.training.folder import (
    MODEL,
    ModelFolder,
    is_model_folder,
    is_trained_on,
    read_model,
    seen_by,
)
from colorless_green.scoring.training.text import Line, TrainingText, fingerprint, split

ALL = "all"
SIZES_OF_ALL = ("tiny", "small")  # sizes that every neural trainer has
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


def train_models(
    kind: str,
    texts: Sequence[Path],
    store: Store,
    *,
    out: Path | None,
    size: str,
    seed: int,
    device: str,
    resume: bool,
    now: str,
    progress: Progress = silent,
) -> Result:
    """One model of a kind, or of each kind whose packages are installed, from text files or from
    the newest treebank's sentences less those that gave an original."""
    if kind == ALL:
        named(dict.fromkeys(SIZES_OF_ALL), size, "--size")
        kinds = _installed()
    else:
        named(TRAINERS, kind, "MODEL")
        kinds = [kind]
    lines, treebank_id, origin = _training_lines(texts, store)
    text = split(lines, origin)
    plain = re.sub(r"[^\w.-]+", "-", origin).strip(".") or "text"
    folder = out or Path("models") / f"{plain}-{_digest(text, size, seed)}"
    rows: list[Row] = []
    messages: list[str] = []
    for each in kinds:
        place = folder / each if kind == ALL or out is None else folder
        model, before = _train_one(
            each, text, place, size=size, seed=seed, device=device, resume=resume, progress=progress
        )
        messages += [f"{place}: {warning}" for warning in model.about.get("warnings", ())]
        if before:
            messages.append(f"{place}: trained before with the same options")
        with store.transaction():
            _remember(store, model, treebank_id, now)
        rows.append(
            {
                "model": each,
                "folder": str(place),
                "n_sentences": len(text.train),
                "vocabulary_size": model.about.get("vocabulary_size"),
                "perplexity": model.about.get("held_out_perplexity"),
            }
        )
    return Result(
        rows, ("model", "folder", "n_sentences", "vocabulary_size", "perplexity"), messages
    )


def _installed() -> list[str]:
    """The kinds that this environment can train."""
    neural = find_spec("torch") is not None and find_spec("transformers") is not None
    return [kind for kind in TRAINERS if neural or kind in ("unigram", "ngram")]


def _digest(text: TrainingText, size: str, seed: int) -> str:
    content = "\n".join(line.text for line in (*text.train, *text.held_out))
    return hashlib.sha256(f"{size}\t{seed}\n{content}".encode()).hexdigest()[:6]


def _train_one(
    kind: str,
    text: TrainingText,
    folder: Path,
    *,
    size: str,
    seed: int,
    device: str,
    resume: bool,
    progress: Progress,
) -> tuple[ModelFolder, bool]:
    """The model, and whether it was there already."""
    if is_model_folder(folder):
        model = read_model(folder)
        options_of = (model.kind, model.about.get("seed", seed), model.about.get("size", size))
        if options_of == (kind, seed, size) and is_trained_on(model, text):
            return model, True
        raise InputError(
            str(folder / MODEL), "this folder holds another model", "--out with another folder"
        )
    trainer = load(TRAINERS, kind, "MODEL", "colorless_green.trainers")
    options: dict[str, Any] = {"seed": seed, "progress": progress}
    if kind in ("recurrent", "causal"):
        options |= {"size": size, "device": device, "resume": resume}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong = f"cannot be made ({error.strerror or error})"
        raise InputError(str(folder), wrong, "--out with a folder that can be written") from None
    trained: ModelFolder = trainer(text, folder, **options)
    return trained, False


def _remember(store: Store, model: ModelFolder, treebank_id: int | None, now: str) -> None:
    path = str(model.path.resolve())
    store.execute("DELETE FROM trained WHERE path = ?", (path,))
    store.insert(
        "trained",
        {
            "path": path,
            "kind": model.kind,
            "name": model.path.name,
            "treebank_id": treebank_id,
            "created": now,
        },
    )


def _training_lines(texts: Sequence[Path], store: Store) -> tuple[list[Line], int | None, str]:
    """(sentences, treebank they come from, a name for them)."""
    if texts:
        lines = [line for path in texts for line in text_lines(path, strictly=True)]
        return lines, None, texts[0].name.split(".")[0] or "text"
    row = load_mining(store)
    files = mined_files(row) if row is not None else []
    if row is None or not files:
        raise InputError(
            "TEXT", "no text named and no treebank in the store", "text files, or colorless mine"
        )
    held_back = originals_seen(store)
    lines = [
        line
        for path in files
        for line in text_lines(path, strictly=False)
        if fingerprint(line.words) not in held_back
    ]
    return lines, int(row["treebank_id"]), str(row["name"])


def originals_seen(store: Store) -> frozenset[int]:
    """The fingerprints of every sentence in the store that gave an original."""
    query = "SELECT record FROM item WHERE kind = 'original'"
    return frozenset(
        fingerprint(json.loads(row["record"]).get("tokens", ())) for row in store.rows(query)
    )


def text_lines(path: Path, *, strictly: bool) -> Iterator[Line]:
    """Sentences of a CoNLL-U file (surface tokens and raw text), or of a text file with one
    sentence a line (words at blanks). `strictly`: a bad sentence is an error; else it is left out
    (of a treebank that was mined, the bad ones were told then)."""
    if path.name.endswith(ENDINGS):
        for sentence in read(path, on_bad=None if strictly else lambda fault: None):
            yield line_of(sentence)
        return
    for _, line in numbered_lines(path):
        if line.strip():
            yield Line(tuple(line.split()), line.strip())


def line_of(sentence: Sentence) -> Line:
    """A treebank's sentence as text to learn from."""
    surface = surface_of(sentence, "merged")
    return Line(surface.forms, raw_text(surface.forms, spaces_before(surface)))


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
