"""A trained model on disk: `model.json`, its files, what it has seen, and a manifest last."""

import json
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from io import SEEK_END
from itertools import chain
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
from colorless_green.scoring.training.text import (
    LargeText,
    Line,
    TrainingText,
    fingerprint,
    fingerprints,
)
from colorless_green.scoring.words import entry_word

MODEL = "model.json"
SEEN = "seen.u64"  # fingerprints of the training sentences, sorted
MEMORY = 1 << 28  # bytes for sorting those of a text that is not in memory


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A finished folder made by `train`."""

    path: Path
    kind: str  # "unigram", "ngram", "recurrent" or "causal"
    about: Mapping[str, Any]  # model.json: vocabulary size, held-out perplexity, seed, options …

    @property
    def toy(self) -> str:
        """Why the model is a toy, one trained on too little to be held against others: it does no
        better than counting words. "" where it does better, and where the card does not say."""
        if not self.about.get("toy"):
            return ""
        found, counted = self.about["held_out_perplexity"], self.about["unigram_perplexity"]
        told = "unknown" if found is None else f"{found:,.0f}"
        return f"held-out perplexity {told}, a unigram model has {counted:,.0f}"

    def digest(self) -> str:
        """SHA-256 (hex) that stands for every file of the folder; part of the signature."""
        return sha256_file(self.path / MANIFEST)


def toy_facts(
    text: TrainingText, about: Mapping[str, Any], known: Container[str] | None = None
) -> dict[str, object]:
    """Whether a model is a toy: its held-out perplexity is not below that of a unigram model of the
    same text, asked for the same words (entries of `known`; None: all) and sentence ends.

    Words that do not occur in the text have a count of one together, as in `backends/unigram.py`;
    of a subword model, which has to spell them, this asks more. A text on which that
    decides is too small for it.
    """
    counts = Counter(chain.from_iterable(line.words for line in text.train))
    n_units = counts.total() + len(text.train) + 1
    asked = Counter(chain.from_iterable(line.words for line in text.held_out))
    bits = {
        word: math.log2(n_units / max(counts[word], 1))
        for word in asked
        if known is None or entry_word(word) in known
    }
    n_ends, end = len(text.held_out), math.log2(n_units / len(text.train))
    total = n_ends * end + sum(asked[word] * each for word, each in bits.items())
    perplexity = 2 ** (total / (n_ends + sum(asked[word] for word in bits)))
    found = about["held_out_perplexity"]
    return {"unigram_perplexity": perplexity, "toy": found is None or found >= perplexity}


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
    return described(folder, kind, about, files, made_by=made_by)


def described(
    folder: Path,
    kind: str,
    about: Mapping[str, Any],
    files: Iterable[str],
    *,
    made_by: str = "colorless train",
) -> ModelFolder:
    """Writes `model.json` and the manifest beside `files` and the fingerprints, which are there."""
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
    read_manifest(folder, "a folder made by colorless train, or colorless convert")
    try:
        about = json.loads(read_text(folder / MODEL))
        found = str(about["kind"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            str(folder / MODEL),
            "this is no model description",
            "a folder made by colorless train",
            kind="format",
        ) from None
    if kind and found != kind:
        raise InputError(
            str(folder), f"a model of kind {found!r}", f"one of kind {kind!r}", kind="unsupported"
        )
    return ModelFolder(folder, found, about)


def is_trained_on(model: ModelFolder, text: TrainingText | LargeText) -> bool:
    """Whether the model's training text is this one: as many sentences and words, and the same."""
    n_words = sum(len(line.words) for line in text.train)
    if (model.about.get("n_sentences"), model.about.get("n_words")) != (len(text.train), n_words):
        return False
    if isinstance(text, TrainingText):
        seen = (model.path / SEEN).read_bytes()
        return seen == fingerprints((*text.train, *text.held_out))
    from colorless_green.scoring.training.seen import holds

    return holds(model.path / SEEN, chain(text.train, text.held_out), MEMORY)


def seen_by(folder: ModelFolder, sentences: Iterable[tuple[str, ...]]) -> int:
    """How many of `sentences` (as words) were in the model's training text."""
    with open(folder.path / SEEN, "rb") as stream:
        n_seen = stream.seek(0, SEEK_END) // 8

        def at(index: int) -> int:
            stream.seek(8 * index)
            return int.from_bytes(stream.read(8), "big")

        wanted = (fingerprint(words) for words in sentences)
        return sum(_is_among(value, at, n_seen) for value in wanted)


def _is_among(value: int, at: Callable[[int], int], n: int) -> bool:
    """Whether `value` is one of the n rising numbers that `at` tells."""
    place = bisect_left(range(n), value, key=at)
    return place < n and at(place) == value
