"""Train small language models, from text or from the newest treebank of a store; convert published
ones."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from ..data.configuration import configured
from ..data.errors import InputError
from ..data.files import demand_writable_folder
from ..data.languages import checked_language
from ..data.progress import Progress, silent
from ..data.registry import load
from ..data.store import Store, StoreLike, now, open_store
from ..data.stored_suites import stored_original_tokens
from ..data.tables import Cell
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, mined_treebank
from ..miner.treebank.treebank import ENDINGS, files_in, language_of_file
from .models.model_folder import (
    MADE_BY,
    MODEL_CARD,
    ModelFolder,
    Trained,
    fingerprint,
    is_model_folder,
    read_model,
)
from .models.training_text import Line, TrainingText, split_files, split_lines, text_lines
from .training.sizes import ORDER, SIZES, TRAINERS, Training, check_training, size_of, train_one
from .training.trained_files import (
    CURVE,
    EpochSuite,
    best_accuracy,
    find_quiz,
    is_trained_on,
    read_curve,
    write_curves,
)

ALL = "all"
CHECKPOINTS = {"pickle": ".scoring.training.checkpoint:convert_checkpoint"}
"""Kind of checkpoint → the function that converts it, which needs torch."""
LIST_OF_NUMBERS = re.compile(r"(\d+)([ ,]+\d+)*,?", re.ASCII)


def train(
    model: str,
    text: Mining | str | Path | Iterable[str | Path] | None = None,
    *,
    training: Training | str | Path | None = None,
    order: int | None = None,
    seeds: str | int | Sequence[int] = "0,",
    language: str = "",
    device: str = "auto",
    resume: bool = False,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Trained:
    """Train small language models on text, or on a treebank without the mined sentences. A model
    that is there already, of the same text and settings, is not trained again.

    Args:
        model: unigram, ngram (Kneser-Ney), recurrent, causal, or all: one of each kind whose
            packages are installed.
        text: files with one sentence a line, CoNLL-U files or a treebank's folder (in Python
            also a mining) [default: the treebank of the newest mining].
        training: settings of the training: tiny, small, paper, medium, base, gulordava2018,
            gulordava2018-srnn, gulordava2018-5gram, or a TOML file [default: tiny].
        order: n of an n-gram model, or of a recurrent one that reads n - 1 words [default: 5 of an
            n-gram model].
        seeds: random seeds of neural models: a number of models, or the seeds: 7, or 1,2,3 (a comma
            makes 7, one seed).
        language: BCP-47 code of the text [default: that of the treebank or of the file names].
        device: of neural models: auto, cpu, cuda or cuda:N.
        resume: continue an interrupted training.
        out: folder for the model, or for one of each seed and kind [default: a new one in models].
        store: the project's database, where models are noted, and minings and suites are found.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row a model, with its held-out perplexity, and what makes it a toy if it is one: that a
        unigram model of the same text has no higher perplexity; `folders`, `toys`.

    Raises:
        InputError: for settings that the kind cannot serve, a text that cannot be read or is too
            short, a folder that holds another model or the output of another command.

    Commands:
        colorless train all
        colorless train recurrent wikipedia.txt --training gulordava2018 --seeds 5 --language it

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("text.txt").write_text("".join(f"the key {n} is old .\\n" for n in range(99)))
    >>> made = cg.train("unigram", "text.txt", out="unigram", language="en")
    >>> made.folders[0].name, made.to_frame()["vocabulary_size"][0]
    ('unigram', 96)
    """
    settings = configured(Training, training, order=order)
    language = checked_language(language)
    request = TrainRequest(model, settings, seeds_of(seeds), language, device, resume)
    check_request(request)
    mining = text.kept if isinstance(text, Mining) else None
    files = () if text is None or isinstance(text, Mining) else text
    paths = [Path(files)] if isinstance(files, str | Path) else [*map(Path, files)]
    with (
        open_store(mining.store if mining and store is None else store) as opened,
        open_store(mining.store if mining else opened) as mined,
    ):
        epoch_suite = find_quiz(opened, settings.accuracy_on or "")
        source = find_text(request, paths, mined, mining.id if mining else None)
        jobs = jobs_of(request, Path(out) if out else default_folder(request, source), bool(out))
        options = {"device": device, "resume": resume, "quiz": epoch_suite, "progress": progress}
        # a mining in another store: its treebank has another number here, or none
        is_foreign = mining is not None and not mining.is_in(opened)
        models: list[tuple[ModelFolder, bool]] = []
        for job in jobs:
            models.append(train_or_find(job, source.text, options))
            note_in_store(opened, job, None if is_foreign else source.treebank_id)
    write_curves_of_seeds(jobs)
    newest = "" if paths or mining else source.name
    return trained_table(request, jobs, models, epoch_suite, newest)


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """The options of a call of `train`: one kind of model or all, with a model for each seed."""

    model: str
    training: Training
    seeds: tuple[int, ...]
    language: str
    device: str
    resume: bool

    def kinds(self) -> list[str]:
        """Return the kinds of model to train. All kinds are those whose packages are installed."""
        neural = find_spec("torch") is not None and find_spec("transformers") is not None
        installed = [kind for kind in TRAINERS if neural or kind not in SIZES]
        return installed if self.model == ALL else [self.model]


class TrainingSource(NamedTuple):
    """A training text, its name, and the number of its treebank in the store (None for files)."""

    text: TrainingText
    name: str
    treebank_id: int | None = None


class TrainingJob(NamedTuple):
    """One model to train: its kind, settings, seed and folder."""

    kind: str
    training: Training
    seed: int
    folder: Path
    of_kind: Path  # the folder of its kind, with a folder for each seed if there are several


def seeds_of(seeds: str | int | Sequence[int]) -> tuple[int, ...]:
    """Read the option `seeds`.

    Args:
        seeds: `N` for the N seeds from 0 on; `N,` for the one seed N; `N,M,…`, or numbers in a
            list, for these seeds.

    Returns:
        The seeds, in order.

    Raises:
        InputError: they are no whole numbers, there is none, or one comes twice.

    >>> seeds_of("3"), seeds_of("7,"), seeds_of("5,7")
    ((0, 1, 2), (7,), (5, 7))
    """
    text = str(seeds)
    if isinstance(seeds, Sequence) and not isinstance(seeds, str):
        text = ",".join(map(str, seeds)) + ","  # the comma at the end makes one number a seed
    if not LIST_OF_NUMBERS.fullmatch(text.strip()):
        right = "a number of seeds, or whole numbers with commas between them"
        raise InputError("seeds", f"{seeds!r}", right, kind="value")
    named = tuple(int(digits) for digits in re.findall(r"\d+", text))
    if text.strip().isdecimal():  # a number of seeds
        named = tuple(range(int(text)))
    if not named:
        raise InputError("seeds", "0 models", "1 or more", kind="value")
    repeated = next((seed for n, seed in enumerate(named) if seed in named[:n]), None)
    if repeated is not None:
        raise InputError("seeds", f"{repeated} comes twice", "every seed once", kind="conflict")
    return named


def check_request(request: TrainRequest) -> None:
    """Raise `InputError` for an unknown kind of model, or for options and settings that the kind
    does not use. This comes before a text is read, which may take long."""
    defaults = {"device": "auto", "resume": False, "seeds": (0,)}
    given = [name for name, value in defaults.items() if getattr(request, name) != value]
    check_training(request.model, request.training, given)
    if request.model in SIZES:
        size_of(request.model, request.training)


def find_text(
    request: TrainRequest, paths: Sequence[Path], store: Store, mining_id: int | None
) -> TrainingSource:
    """Find the text to train on: that of the files or, without files, of the treebank of a mining.
    The text of files for an n-gram model is not read into memory.

    Args:
        request: the options of `train`.
        paths: files of text, CoNLL-U files, or folders of a treebank.
        store: the store with the mining.
        mining_id: its number there; None for the newest mining.
    """
    if not paths:
        return _treebank_text(request, store, mining_id)
    name = paths[0].name.split(".")[0] or "text"
    files = [file for path in paths for file in (files_in(path) if path.is_dir() else [path])]
    treebank_files = [path for path in files if path.name.endswith(ENDINGS)]
    languages = {language_of_file(path) for path in treebank_files}
    language = request.language
    if not language and len(languages) == 1 and treebank_files == files:
        (language,) = languages
    # an n-gram model is trained in several passes over its files, which a pipe does not allow
    if request.model == "ngram" and not treebank_files and all(map(Path.is_file, files)):
        text = split_files(files, name)
    else:
        lines = [line for path in files for line in text_lines(path, strictly=True)]
        text = _held_out_split(lines, name, request.training.held_out)
    return TrainingSource(replace(text, language=language), name)


def _treebank_text(request: TrainRequest, store: Store, mining_id: int | None) -> TrainingSource:
    """Return the text of the treebank of a mining (None: the newest), without the sentences that
    items in the store were made from. Raises `InputError` if the store has no mining."""
    row = load_mining(store, mining_id)
    mined = mined_treebank(row)
    if row is None or mined is None:
        wrong = "no text is named, and the store has no mining"
        right = "name text files, or run `colorless mine` first (in Python: give store=)"
        raise InputError("text", wrong, right, kind="missing")
    of_originals = fingerprints_of_originals(store)
    lines = [
        line
        for path in mined.files
        for line in text_lines(path, strictly=False)
        if line.fingerprint not in of_originals
    ]
    text = _held_out_split(lines, mined.name, request.training.held_out)
    text = replace(text, language=request.language or mined.language, treebank=mined.name)
    return TrainingSource(text, mined.name, int(row["treebank_id"]))


def _held_out_split(lines: Sequence[Line], location: str, share: int | None) -> TrainingText:
    """Split sentences into those to train on and those held out. About one in `share` is held out,
    by its fingerprint (a hash value); if `share` is None, `split_lines` decides. Raises
    `InputError` if one part would be empty."""
    text = split_lines(lines, location)
    if share is None:
        return text
    both = (*text.train, *text.held_out)
    held_out = [line for line in both if line.fingerprint % share == 0]
    train_lines = [line for line in both if line.fingerprint % share != 0]
    if not (train_lines and held_out):
        wrong = f"{len(lines)} sentences of text"
        raise InputError(location, wrong, "a hundred or so", kind="empty")
    return TrainingText(tuple(train_lines), tuple(held_out))


def fingerprints_of_originals(store: Store) -> frozenset[int]:
    """Return the fingerprints (hash values) of the treebank sentences that items in the store were
    made from (originals), so that no model is trained on them."""
    return frozenset(fingerprint(tokens) for tokens in stored_original_tokens(store))


def default_folder(request: TrainRequest, source: TrainingSource) -> Path:
    """Return the folder for models if the user named none. It is in `models`, and its name depends
    on the text, the settings, the seeds and the language, so that equal calls find it again."""
    seed = "seeds" if len(request.seeds) > 1 else str(request.seeds[0])
    variant = " ".join(filter(None, (seed, request.language)))
    digest = hashlib.sha256(f"{request.training.identity}\t{variant}".encode())
    for line in chain(source.text.train, source.text.held_out):
        digest.update(f"\n{line.text}".encode())
    stem = re.sub(r"[^\w.-]+", "-", source.name).strip(".") or "text"
    return Path("models") / f"{stem}-{digest.hexdigest()[:6]}"


def jobs_of(request: TrainRequest, folder: Path, named: bool) -> list[TrainingJob]:
    """List the models to train: a job for each kind and seed of a request.

    Each kind has a folder of its own in `folder`; but if the user named `folder` (`named`) for one
    kind, it is that kind's. Each of several seeds has a folder in the folder of its kind. Raises
    `InputError` if a folder for several seeds is itself a model folder.
    """
    jobs = []
    for kind in request.kinds():
        of_kind = folder if named and request.model != ALL else folder / kind
        # if all kinds are trained, the settings are for the neural ones
        training = Training() if request.model == ALL and kind not in SIZES else request.training
        seeds = request.seeds if kind in SIZES else request.seeds[:1]
        if len(seeds) > 1 and is_model_folder(of_kind):
            wrong = "this folder is a model"
            raise InputError(str(of_kind / MODEL_CARD), wrong, "another folder", kind="conflict")
        for seed in seeds:
            output = of_kind / f"seed-{seed}" if len(seeds) > 1 else of_kind
            jobs.append(TrainingJob(kind, training, seed, output, of_kind))
    return jobs


def train_or_find(
    job: TrainingJob, text: TrainingText, options: Mapping[str, Any]
) -> tuple[ModelFolder, bool]:
    """Train the model of a job, or find it in its folder. Return it, and True if it was there.

    Raises `InputError` if the folder holds another model or cannot be written.
    """
    kind, training, seed, folder, _ = job
    if is_model_folder(folder):
        model = read_model(folder)
        if _fits_job(model, job, text.language) and is_trained_on(model, text):
            return model, True
        wrong = "this folder holds another model"
        raise InputError(str(folder / MODEL_CARD), wrong, "another folder", kind="conflict")
    demand_writable_folder(folder, MADE_BY)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong, right = f"cannot be made ({error.strerror or error})", "a folder that can be written"
        raise InputError(str(folder), wrong, right, kind="unwritable") from None
    try:
        return train_one(kind, text, folder, training, seed=seed, **options), False
    except InputError:
        if not any(folder.iterdir()):  # nothing was written: the folder goes again
            folder.rmdir()
        raise


def _fits_job(model: ModelFolder, job: TrainingJob, language: str) -> bool:
    """Return True if a model was trained with a job's settings and seed, as far as its kind depends
    on them, and is not said to be of another language."""
    card, kind, training = model.card, job.kind, job.training
    if model.kind != kind or (language and card.get("language") not in (None, "", language)):
        return False
    if kind == "ngram":
        order, stored = training.order or ORDER, card.get("order")
        # the beginning of a warning that the text has no longer n-grams
        was_lowered = f"order {stored} instead of {order}:"
        has_order = stored == order or any(
            warning.startswith(was_lowered) for warning in card["warnings"]
        )
        return has_order and card.get("prune") == list(training.prune or ())
    if kind in SIZES:
        expected = {"mixed": training.mixed, **asdict(size_of(kind, training))}
        return (card.get("seed"), card.get("options")) == (job.seed, expected)
    return True


def note_in_store(store: Store, job: TrainingJob, treebank_id: int | None) -> None:
    """Write a trained model into the store; an earlier row for its folder is replaced."""
    path = str(job.folder.resolve())
    with store.transaction():
        store.execute("DELETE FROM trained WHERE path = ?", (path,))
        row = {"path": path, "kind": job.kind, "name": job.folder.name, "created": now()}
        store.insert("trained", {**row, "treebank_id": treebank_id})


def write_curves_of_seeds(jobs: Sequence[TrainingJob]) -> None:
    """Write the learning curves of models that differ only in their seed into one file, in the
    folder of their kind."""
    neural_jobs = (job for job in jobs if job.kind in SIZES)
    for of_kind, group in groupby(neural_jobs, key=lambda job: job.of_kind):
        curves = {job.seed: read_curve(job.folder / CURVE) for job in group}
        if len(curves) > 1:
            write_curves(of_kind / CURVE, curves)


def trained_table(
    request: TrainRequest,
    jobs: Sequence[TrainingJob],
    models: Sequence[tuple[ModelFolder, bool]],
    epoch_suite: EpochSuite | None,
    newest: str,
) -> Trained:
    """Make the table that `train` returns, with a row for each model.

    Args:
        request: the options of `train`.
        jobs: the models that were to be trained.
        models: for each job the model, and True if it was there before.
        epoch_suite: the suite scored after each epoch, if any.
        newest: the name of the treebank used because no text was named; else "".
    """
    training = request.training
    messages = [f"training {training.label} ({training.digest})"]
    if newest:
        messages.append(f"text: {newest}, the newest mining, without the sentences of originals")
    rows: list[dict[str, Cell]] = []
    for job, (model, was_there) in zip(jobs, models, strict=True):
        card, output = model.card, job.folder  # the card: what model.json says
        row: dict[str, Cell] = {"model": job.kind}
        if len(request.seeds) > 1:
            row["seed"] = job.seed if job.kind in SIZES else None
        row |= {
            "folder": str(output),
            "n_sentences": card["n_sentences"],
            "vocabulary_size": card.get("vocabulary_size"),
            "perplexity": card.get("held_out_perplexity"),
        }
        if epoch_suite is not None:
            row["accuracy"] = best_accuracy(read_curve(output / CURVE), epoch_suite.suite)
        rows.append({**row, "toy": model.toy})
        messages += [f"{output}: {note}" for note in card.get("warnings", ())]
        messages += [f"{output}: a toy: {model.toy}"] if model.toy else []
        messages += [f"{output}: trained before with the same options"] if was_there else []
    toys = tuple(job.folder for job, row in zip(jobs, rows, strict=True) if row["toy"])
    columns = [name for name in rows[0] if name != "toy"]
    return Trained(rows, columns, messages, folders=tuple(job.folder for job in jobs), toys=toys)


def convert(
    checkpoint: str | Path,
    *,
    vocabulary: str | Path,
    out: str | Path,
    order: int | None = None,
    language: str = "",
) -> Trained:
    """Convert a pickled recurrent network to a model folder without running code from the file.

    Nothing is written unless everything fits. Numbers of another width become float32.

    Args:
        checkpoint: network pickled whole by PyTorch, as its word_language_model does (.pt).
        vocabulary: its vocabulary, one word per line in the order of ids (vocab.txt of
            colorlessgreenRNNs).
        out: folder for the converted model.
        order: n of an n-gram network, which its file does not say.
        language: BCP-47 code of the words.

    Returns:
        One row about the network; `folders`.

    Raises:
        InputError: for a file that is no such checkpoint or wants to run anything, for tensors or
            words that do not fit together, and for a folder in use.

    Commands:
        colorless convert hidden650_batch128_dropout0.2_lr20.0.pt --vocabulary vocab.txt --out lstm
        colorless convert ngram.pt --vocabulary vocab.txt --order 5 --out ngram-lstm --language it

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("vocab.txt").write_text("the\\n")
    >>> cg.convert("lstm.pt", vocabulary="vocab.txt", out="lstm")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    colorless_green.data.errors.InputError: vocab.txt: ...
    """
    convert_checkpoint: Callable[..., Trained] = load(CHECKPOINTS, "pickle", "convert", "")
    return convert_checkpoint(Path(checkpoint), Path(vocabulary), Path(out), order, language)
