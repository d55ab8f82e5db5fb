"""A trained model on disk: `model.json`, its files, what it has seen, and a manifest last."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import (
    MANIFEST,
    read_manifest,
    read_text,
    sha256_file,
    write_manifest,
    write_whole,
    write_whole_bytes,
)
from colorless_green.scoring.training.text import Line, TrainingText, fingerprint, fingerprints

MODEL = "model.json"
SEEN = "seen.u64"  # fingerprints of the training sentences


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A finished folder made by `train`."""

    path: Path
    kind: str  # "unigram", "ngram", "recurrent" or "causal"
    about: Mapping[str, Any]  # model.json: vocabulary size, held-out perplexity, seed, options …

    def digest(self) -> str:
        """SHA-256 (hex) that stands for every file of the folder; part of the signature."""
        return sha256_file(self.path / MANIFEST)


def finish_model(
    folder: Path,
    kind: str,
    about: Mapping[str, Any],
    files: Iterable[str],
    seen: Iterable[Line],
    *,
    made_by: str = "colorless train",
) -> ModelFolder:
    """Writes `model.json`, the fingerprints of `seen` and the manifest beside `files`, which the
    trainer has written into `folder` already."""
    with write_whole_bytes(folder / SEEN) as stream:
        stream.write(fingerprints(tuple(seen)))
    with write_whole(folder / MODEL) as text:
        json.dump({"kind": kind, **about}, text, ensure_ascii=False, indent=1)
        text.write("\n")
    write_manifest(folder, [*files, SEEN, MODEL], {"made_by": made_by})
    return ModelFolder(folder, kind, {"kind": kind, **about})


def is_model_folder(path: Path) -> bool:
    """Whether `path` is a folder that `train` has finished: its manifest comes last."""
    return path.is_dir() and (path / MODEL).is_file() and (path / MANIFEST).is_file()


def read_model(folder: Path, kind: str = "") -> ModelFolder:
    """The folder after its manifest is checked; `kind` where only one kind will do."""
    read_manifest(folder)
    try:
        about = json.loads(read_text(folder / MODEL))
        found = str(about["kind"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            str(folder / MODEL), "this is no model description", "a folder made by colorless train"
        ) from None
    if kind and found != kind:
        raise InputError(str(folder), f"a model of kind {found!r}", f"one of kind {kind!r}")
    return ModelFolder(folder, found, about)


def is_trained_on(model: ModelFolder, text: TrainingText) -> bool:
    """Whether the model's training text is this one: as many sentences and words, and the same."""
    n_words = sum(len(line.words) for line in text.train)
    return (
        model.about.get("n_sentences") == len(text.train)
        and model.about.get("n_words") == n_words
        and (model.path / SEEN).read_bytes() == fingerprints((*text.train, *text.held_out))
    )


def seen_by(folder: ModelFolder, sentences: Iterable[tuple[str, ...]]) -> int:
    """How many of `sentences` (as words) were in the model's training text."""
    packed = (folder.path / SEEN).read_bytes()
    values = {packed[start : start + 8] for start in range(0, len(packed), 8)}
    return sum(fingerprint(words).to_bytes(8, "big") in values for words in sentences)
