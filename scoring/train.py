"""Train small language models, from text or from the newest treebank of a store."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

from ..data.errors import InputError
from ..data.files import demand_writable_folder
from ..data.items.suite import Suite, checked
from ..data.languages import checked_language
from ..data.load import find_suite, stored_originals
from ..data.progress import Progress, silent
from ..data.registry import EXTRAS, look_up
from ..data.store import Store, StoreLike, now, open_store
from ..data.tables import Cell
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, mined_treebank
from ..miner.treebank.treebank import ENDINGS, files_in, language_of_file
from .models.model_folder import (
    MADE_BY,
    MODEL,
    ModelFolder,
    Trained,
    fingerprint,
    is_model_folder,
    read_model,
)
from .models.training_text import Line, TrainingText, split_files, split_lines, text_lines
from .outcomes.evaluate import Judge, outcomes_of, surprisal_of
from .questions.plan import plan_suite
from .questions.plan_answers import answer_plan
from .questions.query import Scorer, looks_ahead
from .training.curve import (
    CURVE,
    FIGURE,
    EpochSuite,
    best_accuracy,
    draw_curves,
    read_curve,
    write_curves,
)
from .training.finish import is_trained_on
from .training.sizes import (
    ORDER,
    PRESET_SHARE,
    SIZES,
    NetworkSize,
    TrainRequest,
    TransformerSize,
    check_request,
    size_of,
)
from .training.trainers import TRAINERS, train_one

ALL = "all"
SIZES_OF_ALL = ("tiny", "small")  # sizes that every neural trainer has
LARGE = 256 << 20  # bytes of text, which as records take some ten times as many
PACKED = 4  # what gzip makes of text, about
NUMBERS = re.compile(r"\d+([ ,]+\d+)*")


def train(
    model: str,
    text: Mining | str | Path | Iterable[str | Path] | None = None,
    *,
    size: str | NetworkSize | TransformerSize | None = None,
    preset: str = "",
    rnn_type: str | None = None,
    order: int | None = None,
    prune: str | Sequence[int] | None = None,
    vocabulary_size: int | None = None,
    epochs: int | None = None,
    mixed: bool | None = None,
    seeds: str | int | Sequence[int] = "",
    accuracy_on: Suite | str | Path = "",
    language: str = "",
    device: str = "auto",
    resume: bool = False,
    seed: int = 0,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Trained:
    """Trains small language models. A model that is there already, of the same text and options,
    is not trained again.

    Args:
        model: unigram, ngram (Kneser & Ney as modified by Chen & Goodman, 1999), recurrent, causal,
            or all: one of each kind whose packages are installed.
        text: files with one sentence a line, CoNLL-U files or a treebank's folder; or a mining,
            whose treebank is taken less every sentence that gave an original. None is the newest
            mining of the store.
        size: of neural models: tiny (the default) or small; recurrent also paper; causal also
            medium and base.
        preset: a published setting of recurrent models (Gulordava et al. 2018): gulordava2018 (the
            LSTM), gulordava2018-srnn, gulordava2018-5gram.
        rnn_type: of recurrent models: lstm, gru, srnn or srnn-relu.
        order: n of an n-gram model (default 5), or of a recurrent one that reads n - 1 words.
        prune: of ngram: n-grams that occur so often or less are dropped, by order: 0,0,1.
        vocabulary_size: the N most frequent words of a recurrent model (default 50,000), others are
            unknown; subwords of a causal one.
        epochs: at most.
        mixed: products in bfloat16, on a GPU that can; by default of causal models alone.
        seeds: several models of one setting: how many, from `seed` on; or their seeds, "1,2,3".
        accuracy_on: a suite, or its file or name, to score after every epoch.
        language: of the text, as a code; by default that of the treebank or of the file names, else
            unknown.
        device: of neural models: auto, cpu, cuda or cuda:n.
        resume: goes on where a training was interrupted.
        seed: of neural models.
        out: a folder; by default a new one in `models`.
        store: where models are remembered, and treebanks and suites are found; the treebank of a
            mining is found where the mining is kept, which is also what None means beside one.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row a model, with its held-out perplexity, and what makes it a toy if it is one: that a
        unigram model of the same text has no higher perplexity; `folders`, `toys`.

    Raises:
        InputError: for options that the kind cannot serve, a text that cannot be read or is too
            short, a folder that holds another model or the output of another verb.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("text.txt").write_text("".join(f"the key {n} is old .\\n" for n in range(99)))
    >>> made = cg.train("unigram", "text.txt", out="unigram", language="en")
    >>> made.folders[0].name, made.to_frame()["vocabulary_size"][0]
    ('unigram', 96)
    """
    cut = None if prune is None else numbers(prune, "--prune")
    request = TrainRequest(
        size, preset or None, rnn_type, order, cut, vocabulary_size, mixed, epochs
    )
    extra = {
        "--device": device != "auto",
        "--resume": resume,
        "--seeds": seeds,
        "--accuracy-on": accuracy_on,
    }
    if model != ALL:
        look_up({**TRAINERS, ALL: None}, model, "MODEL")
    check_request(model, request, extra)
    if model == ALL:
        look_up(dict.fromkeys(SIZES_OF_ALL), request.name, "--size")
    elif model in SIZES:  # before a long text is read
        size_of(model, request)
    chosen, language = seeds_of(seeds, seed) if seeds else (seed,), checked_language(language)
    mining = text.kept if isinstance(text, Mining) else None
    files = [text] if isinstance(text, str | Path) else () if isinstance(text, Mining) else text
    with (
        open_store(mining.store if mining and store is None else store) as opened,
        open_store(mining.store if mining else opened) as mined,
    ):
        quiz = None
        if accuracy_on:
            suite, _ = find_suite(opened, accuracy_on)
            checked(suite, suite.name)
            quiz = EpochSuite(suite.name, partial(overall, suite))
        paths, mining_id = [*map(Path, files or ())], mining.id if mining else None
        result = _training_text(model, paths, mined, request, language, mining_id)
        source, treebank_id, origin = result
        if mining and not mining.is_in(opened):
            treebank_id = None  # the number of a row elsewhere
        options = {"device": device, "resume": resume, "quiz": quiz, "progress": progress}
        if out is not None:
            folder = Path(out)
        else:
            used = request.given()
            used = {option: used[option] for option in used if option not in ("--size", "--preset")}
            variant = " ".join(filter(None, ("seeds" if seeds else str(seed), language)))
            digest = hashlib.sha256(f"{request.name} {used or ''}".rstrip().encode())
            digest.update(f"\t{variant}".encode())
            for line in chain(source.train, source.held_out):
                digest.update(f"\n{line.text}".encode())
            plain = re.sub(r"[^\w.-]+", "-", origin).strip(".") or "text"
            folder = Path("models") / f"{plain}-{digest.hexdigest()[:6]}"
        neural = find_spec("torch") is not None and find_spec("transformers") is not None
        installed = [kind for kind in TRAINERS if neural or kind not in SIZES]
        rows: list[dict[str, Cell]] = []
        messages: list[str] = []
        notes: list[str] = []
        for kind in installed if model == ALL else [model]:
            base = folder / kind if model == ALL or out is None else folder
            if seeds and is_model_folder(base):
                wrong, right = "this folder is a model", "--out with another folder"
                raise InputError(str(base / MODEL), wrong, right, kind="conflict")
            # of all kinds, the options are those of the neural ones
            kind_request = TrainRequest() if model == ALL and kind not in SIZES else request
            outputs = (
                {number: base / f"seed-{number}" for number in chosen} if seeds else {seed: base}
            )
            for number, output in outputs.items():
                trained, reused = _train_one(kind, output, source, kind_request, number, options)
                card, path = trained.card, str(output.resolve())
                with opened.transaction():
                    opened.execute("DELETE FROM trained WHERE path = ?", (path,))
                    row = {"path": path, "kind": kind, "name": output.name, "created": now()}
                    opened.insert("trained", {**row, "treebank_id": treebank_id})
                rows.append({
                    "model": kind,
                    **({"seed": number} if seeds else {}),
                    "folder": str(output),
                    "n_sentences": card["n_sentences"],
                    "vocabulary_size": card.get("vocabulary_size"),
                    "perplexity": card.get("held_out_perplexity"),
                })  # fmt: skip
                if quiz is not None:
                    rows[-1]["accuracy"] = best_accuracy(read_curve(output / CURVE), quiz.suite)
                rows[-1]["toy"] = trained.toy
                messages += [f"{output}: {note}" for note in card.get("warnings", ())]
                messages += [f"{output}: a toy: {trained.toy}"] if trained.toy else []
                messages += [f"{output}: trained before with the same options"] if reused else []
            if kind in SIZES:
                notes += _draw_figures(base, outputs, kind)
    folders = tuple(Path(str(row["folder"])) for row in rows)
    toys = tuple(folder for folder, row in zip(folders, rows, strict=True) if row["toy"])
    columns = [name for name in rows[0] if name != "toy"]
    return Trained(rows, columns, [*messages, *notes], folders=folders, toys=toys)


def numbers(text: str | Sequence[int], option: str) -> tuple[int, ...]:
    """Whole numbers between commas or blanks. Raises `InputError` for anything else."""
    if not isinstance(text, str):
        return tuple(text)
    if not NUMBERS.fullmatch(text.strip()) or not text.isascii():
        right = "whole numbers with commas between them"
        raise InputError(option, f"{text!r}", right, kind="value")
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def seeds_of(text: str | int | Sequence[int], start: int) -> tuple[int, ...]:
    """Reads what `--seeds` means.

    Args:
        text: `N` is so many seeds, from `start` on; `N,M,…` are those. So are numbers instead.
        start: the first one of `N`; 0 where the seeds are named.

    Returns:
        The seeds, each once.

    Raises:
        InputError: there is none, one comes twice, or `start` stands beside named ones.

    >>> seeds_of("3", 10), seeds_of("5,7", 0)
    ((10, 11, 12), (5, 7))
    """
    text = str(text) if isinstance(text, int) else text
    seeds = numbers(text, "--seeds")
    if isinstance(text, str) and "," not in text and len(seeds) == 1:
        seeds = tuple(range(start, start + seeds[0]))
    elif start:
        raise InputError("--seed", f"{start} beside --seeds {text}", "one of them", kind="conflict")
    if not seeds:
        raise InputError("--seeds", "0 models", "1 or more", kind="value")
    twice = next((seed for n, seed in enumerate(seeds) if seed in seeds[:n]), None)
    if twice is not None:
        raise InputError("--seeds", f"{twice} comes twice", "every seed once", kind="conflict")
    return seeds


def _train_one(
    kind: str,
    folder: Path,
    text: TrainingText,
    request: TrainRequest,
    seed: int,
    options: Mapping[str, Any],
) -> tuple[ModelFolder, bool]:
    """The model, and whether it was there already."""
    if is_model_folder(folder):
        model = read_model(folder)
        if _matches(model, kind, request, seed, text.language) and is_trained_on(model, text):
            return model, True
        wrong, right = "this folder holds another model", "--out with another folder"
        raise InputError(str(folder / MODEL), wrong, right, kind="conflict")
    demand_writable_folder(folder, MADE_BY)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong = f"cannot be made ({error.strerror or error})"
        right = "--out with a folder that can be written"
        raise InputError(str(folder), wrong, right, kind="unwritable") from None
    try:
        return train_one(kind, text, folder, request, seed=seed, **options), False
    except InputError:
        if not any(folder.iterdir()):  # nothing was begun: no trace of it
            folder.rmdir()
        raise


def _matches(
    model: ModelFolder, kind: str, request: TrainRequest, seed: int, language: str
) -> bool:
    """Return whether a model was made from the same request and seed, as far as its kind depends on
    them, and for no other language."""
    card = model.card
    if model.kind != kind or (language and card.get("language") not in (None, "", language)):
        return False
    if kind == "ngram":
        order, stored = request.order or ORDER, card.get("order")
        shorter = f"order {stored} instead of {order}:"  # the text has no longer n-grams
        reached = stored == order or any(
            warning.startswith(shorter) for warning in card["warnings"]
        )
        return reached and card.get("prune") == list(request.prune or ())
    if kind in SIZES:
        expected = {"mixed": request.mixed, **asdict(size_of(kind, request))}
        stored = (card.get("size"), card.get("seed"), card.get("options"))
        return stored == (request.name, seed, expected)
    return True


def overall(suite: Suite, scorer: Scorer) -> float | None:
    """The mean credit (0–1) of all items under the suite's first prediction, which is the one that
    `score` shows: ties shared, items with an unknown target left out; None where none is left."""
    first_only = replace(suite, predictions=suite.predictions[:1])
    plan = plan_suite(first_only, scorer.unit, looks_ahead=looks_ahead(scorer))
    surprisal = surprisal_of(plan, answer_plan(scorer, plan), suite.metric)
    outcomes = outcomes_of(first_only, plan, surprisal, Judge(scorer.unit == "words"))
    credits = outcomes["credit"].drop_nulls().to_list()
    return fmean(credits) if credits else None


def _draw_figures(base: Path, outputs: Mapping[int, Path], kind: str) -> list[str]:
    """Puts a figure beside every curve, and beside the table of all seeds' curves; what there is to
    say of it."""
    curves = {seed: read_curve(output / CURVE) for seed, output in outputs.items()}
    figures = {output: [curves[seed]] for seed, output in outputs.items()}
    if base not in figures:
        write_curves(base / CURVE, curves)
        figures[base] = list(curves.values())
    if find_spec("matplotlib") is None:
        return [f"{base}: {FIGURE} is not drawn without Matplotlib: {EXTRAS['matplotlib']}"]
    for output, its_curves in figures.items():
        if all(its_curves):
            draw_curves(output / FIGURE, its_curves, "subword" if kind == "causal" else "word")
    return []


def _training_text(
    kind: str,
    texts: Sequence[Path],
    store: Store,
    request: TrainRequest,
    language: str,
    treebank_id: int | None,
) -> tuple[TrainingText, int | None, str]:
    """(text, treebank it comes from, a name for it); without texts, that of a mining, or of the
    newest. What is large is not held in memory where the kind can do without."""
    if texts:
        name = texts[0].name.split(".")[0] or "text"
        texts = [file for path in texts for file in (files_in(path) if path.is_dir() else [path])]
        languages = {language_of_file(path) for path in texts if path.name.endswith(ENDINGS)}
        if (
            not language
            and len(languages) == 1
            and all(path.name.endswith(ENDINGS) for path in texts)
        ):
            (language,) = languages
        plain = [path for path in texts if path.is_file() and not path.name.endswith(ENDINGS)]
        size = sum(path.stat().st_size * (PACKED if path.suffix == ".gz" else 1) for path in plain)
        if kind == "ngram" and plain == texts and size > LARGE:
            return replace(split_files(texts, name), language=language), None, name
        lines = [line for path in texts for line in text_lines(path, strictly=True)]
        return replace(_parted(lines, name, request), language=language), None, name
    row = load_mining(store, treebank_id)
    mined = mined_treebank(row)
    if row is None or mined is None:
        wrong = "no text named and no treebank in the store"
        raise InputError("TEXT", wrong, "text files, or colorless mine", kind="missing")
    held_back = originals_seen(store)
    lines = [
        line
        for path in mined.files
        for line in text_lines(path, strictly=False)
        if line.fingerprint not in held_back
    ]
    text = replace(
        _parted(lines, mined.name, request),
        language=language or mined.language,
        treebank=mined.name,
    )
    return text, int(row["treebank_id"]), mined.name


def _parted(lines: Sequence[Line], origin: str, request: TrainRequest) -> TrainingText:
    """The text with its held-out part; for a preset this is as large as in the paper."""
    text = split_lines(lines, origin)
    if request.preset is None:
        return text
    sides: tuple[list[Line], list[Line]] = ([], [])
    for line in (*text.train, *text.held_out):
        sides[line.fingerprint % PRESET_SHARE == 0].append(line)
    if not sides[1]:
        raise InputError(origin, f"{len(lines)} sentences of text", "a hundred or so", kind="empty")
    return TrainingText(tuple(sides[0]), tuple(sides[1]))


def originals_seen(store: Store) -> frozenset[int]:
    """The fingerprints of every sentence in the store that gave an original."""
    return frozenset(fingerprint(tokens) for tokens in stored_originals(store))
