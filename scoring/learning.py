"""The verb train: read, call the pure part, write."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import fmean

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import EXTRAS, named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Cell, Row
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.treebank import ENDINGS
from colorless_green.nonce.rows import find_suite
from colorless_green.nonce.suite import Suite, checked
from colorless_green.scoring.evaluate import Judge, answers, judged
from colorless_green.scoring.plan import plan_suite
from colorless_green.scoring.query import Scorer, looks_ahead
from colorless_green.scoring.sentences import text_lines
from colorless_green.scoring.training import TRAINERS, causal_size, figure, recurrent_size, train
from colorless_green.scoring.training.curve import (
    CURVE,
    Quiz,
    kept_accuracy,
    read_curve,
    write_curves,
)
from colorless_green.scoring.training.folder import (
    MODEL,
    ModelFolder,
    is_model_folder,
    is_trained_on,
    read_model,
)
from colorless_green.scoring.training.request import ORDER, Request, check_request, seeds_of
from colorless_green.scoring.training.text import (
    LargeText,
    Line,
    TrainingText,
    fingerprint,
    split_files,
    split_lines,
)

ALL = "all"
SETTINGS: Mapping[str, Callable[[Request], recurrent_size.Setting | causal_size.Setting]] = {
    "recurrent": recurrent_size.setting,
    "causal": causal_size.setting,
}
SIZES_OF_ALL = ("tiny", "small")  # sizes that every neural trainer has
LARGE = 256 << 20  # bytes of text, which as records take some ten times as many
PACKED = 4  # what gzip makes of text, about
DEFAULT = Request()


@dataclass(frozen=True, slots=True)
class _Run:
    """What all trainings of one call share."""

    text: TrainingText | LargeText
    request: Request
    device: str
    resume: bool
    quiz: Quiz | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class _Made:
    """A model, whether it was there before, and which of several seeds it has."""

    model: ModelFolder
    before: bool
    seed: int | None


def train_models(
    kind: str,
    texts: Sequence[Path],
    store: Store,
    *,
    out: Path | None,
    request: Request = DEFAULT,
    seed: int = 0,
    seeds: str = "",
    accuracy_on: str = "",
    device: str,
    resume: bool,
    now: str,
    large: int = LARGE,
    progress: Progress = silent,
) -> Result:
    """One model of a kind, one for each of several seeds, or one of each kind whose packages are
    installed; from text files or from the newest treebank's sentences less those that gave an
    original.

    `seeds` is as of `seeds_of`: their folders are
    `seed-N`, with the learning curves of all in the folder above. `accuracy_on` names a suite that
    the model so far is asked after every epoch. Text files of `large` bytes or more are not held in
    memory, where the kind can do without. Raises `InputError` for options that the kind
    cannot serve.
    """
    _check(kind, request, device=device, resume=resume, seeds=seeds, accuracy_on=accuracy_on)
    chosen = seeds_of(seeds, seed) if seeds else (seed,)
    quiz = _quiz(accuracy_on, store) if accuracy_on else None
    text, treebank_id, origin = _training_text(kind, texts, store, request, large)
    run = _Run(text, request, device, resume, quiz, progress)
    plain = re.sub(r"[^\w.-]+", "-", origin).strip(".") or "text"
    digest = _digest(run.text, request, "seeds" if seeds else str(seed))
    folder = out or Path("models") / f"{plain}-{digest}"
    made: list[_Made] = []
    notes: list[str] = []
    for each in _installed() if kind == ALL else [kind]:
        above = folder / each if kind == ALL or out is None else folder
        places = _places(above, chosen) if seeds else {seed: above}
        for number, place in places.items():
            model, before = _train_one(each, place, run, number)
            made.append(_Made(model, before, number if seeds else None))
            with store.transaction():
                _remember(store, model, treebank_id, now)
        if kind in SETTINGS:
            notes += _draw(above, places, kind)
    return _told(made, quiz, notes)


def _places(above: Path, seeds: Sequence[int]) -> dict[int, Path]:
    if is_model_folder(above):
        raise InputError(
            str(above / MODEL),
            "this folder is a model",
            "--out with another folder",
            kind="conflict",
        )
    return {seed: above / f"seed-{seed}" for seed in seeds}


def _told(made: Sequence[_Made], quiz: Quiz | None, notes: Sequence[str]) -> Result:
    messages: list[str] = []
    for each in made:
        messages += [f"{each.model.path}: {note}" for note in each.model.about.get("warnings", ())]
        if each.before:
            messages.append(f"{each.model.path}: trained before with the same options")
    columns = ("model", "seed", "folder", "n_sentences", "vocabulary_size", "perplexity")
    rows: list[Row] = []
    for each in made:
        about = each.model.about
        found = (
            each.model.kind,
            each.seed,
            str(each.model.path),
            about["n_sentences"],
            about.get("vocabulary_size"),
            about.get("held_out_perplexity"),
        )
        row: dict[str, Cell] = dict(zip(columns, found, strict=True))
        if quiz is not None:
            row["accuracy"] = kept_accuracy(read_curve(each.model.path / CURVE), quiz.suite)
        if each.seed is None:
            del row["seed"]
        rows.append(row)
    return Result(rows, tuple(rows[0]), [*messages, *notes])


def _check(
    kind: str, request: Request, *, device: str, resume: bool, seeds: str, accuracy_on: str
) -> None:
    if kind != ALL:
        named(TRAINERS, kind, "MODEL")
    others = {
        "--device": device != "auto",
        "--resume": resume,
        "--seeds": seeds,
        "--accuracy-on": accuracy_on,
    }
    check_request(kind, request, others)
    if kind == ALL:
        named(dict.fromkeys(SIZES_OF_ALL), request.name, "--size")
    if kind in SETTINGS:  # before a long text is read
        SETTINGS[kind](request)


def _installed() -> list[str]:
    """The kinds that this environment can train."""
    neural = find_spec("torch") is not None and find_spec("transformers") is not None
    return [kind for kind in TRAINERS if neural or kind not in SETTINGS]


def _digest(text: TrainingText | LargeText, request: Request, seed: str) -> str:
    named_already = ("--size", "--preset")
    rest = {key: each for key, each in request.given().items() if key not in named_already}
    asked = f"{request.name} {rest}" if rest else request.name
    digest = hashlib.sha256(f"{asked}\t{seed}".encode())
    for line in chain(text.train, text.held_out):
        digest.update(f"\n{line.text}".encode())
    return digest.hexdigest()[:6]


def _train_one(kind: str, folder: Path, run: _Run, seed: int) -> tuple[ModelFolder, bool]:
    """The model, and whether it was there already."""
    if is_model_folder(folder):
        model = read_model(folder)
        if _is_asked_for(model, kind, run.request, seed) and is_trained_on(model, run.text):
            return model, True
        raise InputError(
            str(folder / MODEL),
            "this folder holds another model",
            "--out with another folder",
            kind="conflict",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong = f"cannot be made ({error.strerror or error})"
        raise InputError(
            str(folder), wrong, "--out with a folder that can be written", kind="unwritable"
        ) from None
    try:
        model = train(
            kind,
            run.text,
            folder,
            run.request,
            seed=seed,
            device=run.device,
            resume=run.resume,
            quiz=run.quiz,
            progress=run.progress,
        )
        return model, False
    except InputError:
        if not any(folder.iterdir()):  # nothing was begun: no trace of it
            folder.rmdir()
        raise


def _is_asked_for(model: ModelFolder, kind: str, request: Request, seed: int) -> bool:
    """Whether a model was made of the same request and seed, as far as its kind depends on them."""
    about = model.about
    if model.kind != kind:
        return False
    if kind == "ngram":
        order, found = request.order or ORDER, about.get("order")
        shorter = f"order {found} instead of {order}:"  # the text has no longer n-grams
        reached = found == order or any(each.startswith(shorter) for each in about["warnings"])
        return reached and about.get("prune") == list(request.prune or ())
    if kind in SETTINGS:
        wanted = (request.name, seed, SETTINGS[kind](request).options())
        return (about.get("size"), about.get("seed"), about.get("options")) == wanted
    return True


def _quiz(name: str, store: Store) -> Quiz:
    suite, _ = find_suite(store, name)
    checked(suite, suite.name)
    return Quiz(suite.name, partial(overall, suite))


def overall(suite: Suite, scorer: Scorer) -> float | None:
    """The mean credit (0–1) of all items under the suite's first prediction, which is the one that
    `score` shows: ties shared, items with an unknown target left out; None where none is left."""
    asked = replace(suite, predictions=suite.predictions[:1])
    wanted = plan_suite(asked, scorer.unit, looks_ahead=looks_ahead(scorer))
    given = answers(scorer, wanted, {}, lambda new: None)
    found = judged(asked, wanted, given, Judge(scorer.unit, suite.metric))
    credits = [each.outcome.credit for each in found if each.outcome.credit is not None]
    return fmean(credits) if credits else None


def _draw(above: Path, places: Mapping[int, Path], kind: str) -> list[str]:
    """Puts a figure beside every curve, and beside the table of all seeds' curves; what there is to
    say of it."""
    curves = {seed: read_curve(place / CURVE) for seed, place in places.items()}
    several = above not in places.values()
    if several:
        write_curves(above / CURVE, curves)
    if not figure.available():
        return [f"{above}: no {figure.FIGURE}, for want of Matplotlib: {EXTRAS['matplotlib']}"]
    drawn = {place: [curves[seed]] for seed, place in places.items()}
    if several:
        drawn[above] = list(curves.values())
    for place, own in drawn.items():
        if all(own):
            figure.draw_curves(
                place / figure.FIGURE, own, "subword" if kind == "causal" else "word"
            )
    return []


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


def _training_text(
    kind: str, texts: Sequence[Path], store: Store, request: Request, large: int
) -> tuple[TrainingText | LargeText, int | None, str]:
    """(text, treebank it comes from, a name for it); what is large is not held in memory where the
    kind can do without."""
    if kind == "ngram" and _n_bytes(texts) > large:
        name = _origin(texts)
        return split_files(texts, name), None, name
    lines, treebank_id, origin = _training_lines(texts, store)
    return _parted(lines, origin, request), treebank_id, origin


def _n_bytes(texts: Sequence[Path]) -> int:
    """How large plain text files are; 0 where one is no such file. As records their sentences take
    some ten times as much."""
    if any(path.name.endswith(ENDINGS) or not path.is_file() for path in texts):
        return 0
    return sum(path.stat().st_size * (PACKED if path.suffix == ".gz" else 1) for path in texts)


def _origin(texts: Sequence[Path]) -> str:
    return texts[0].name.split(".")[0] or "text"


def _training_lines(texts: Sequence[Path], store: Store) -> tuple[list[Line], int | None, str]:
    """(sentences, treebank they come from, a name for them)."""
    if texts:
        lines = [line for path in texts for line in text_lines(path, strictly=True)]
        return lines, None, _origin(texts)
    row = load_mining(store)
    files = mined_files(row) if row is not None else []
    if row is None or not files:
        raise InputError(
            "TEXT",
            "no text named and no treebank in the store",
            "text files, or colorless mine",
            kind="missing",
        )
    held_back = originals_seen(store)
    lines = [
        line
        for path in files
        for line in text_lines(path, strictly=False)
        if fingerprint(line.words) not in held_back
    ]
    return lines, int(row["treebank_id"]), str(row["name"])


def _parted(lines: Sequence[Line], origin: str, request: Request) -> TrainingText:
    """The text with its held-out part; for a preset this is as large as in the paper."""
    text = split_lines(lines, origin)
    if request.preset is None:
        return text
    sides: tuple[list[Line], list[Line]] = ([], [])
    for line in (*text.train, *text.held_out):
        sides[fingerprint(line.words) % recurrent_size.PRESET_SHARE == 0].append(line)
    if not sides[1]:
        raise InputError(origin, f"{len(lines)} sentences of text", "a hundred or so", kind="empty")
    return TrainingText(tuple(sides[0]), tuple(sides[1]))


def originals_seen(store: Store) -> frozenset[int]:
    """The fingerprints of every sentence in the store that gave an original."""
    query = "SELECT record FROM item WHERE kind = 'original'"
    return frozenset(
        fingerprint(json.loads(row["record"]).get("tokens", ())) for row in store.rows(query)
    )
