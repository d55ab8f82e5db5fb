"""The verb train: read, call the pure part, write."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import load, named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.miner.conllu import read
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.surface import spaces_before, surface_of
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import ENDINGS
from colorless_green.nonce.mined import raw_text
from colorless_green.scoring.training import TRAINERS
from colorless_green.scoring.training.folder import (
    MODEL,
    ModelFolder,
    is_model_folder,
    is_trained_on,
    read_model,
)
from colorless_green.scoring.training.text import Line, TrainingText, fingerprint, split

ALL = "all"
SIZES_OF_ALL = ("tiny", "small")  # sizes that every neural trainer has


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
