"""A trained model on disk: `model.json`, its files, what it has seen, and a manifest last."""

import json
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from io import SEEK_END
from itertools import chain
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from ...data.files import (
    MANIFEST,
    read_manifest,
    read_text,
    sha256_file,
    write_manifest,
    write_whole,
    write_whole_bytes,
)
from ..words import entry_word
from .text import TrainingText, fingerprint, fingerprints

MADE_BY = "colorless train"
MODEL = "model.json"
SEEN = "seen.u64"  # fingerprints of the training sentences, sorted


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A finished folder made by `train`.

    Attributes:
        path: the folder.
        kind: `unigram`, `ngram`, `recurrent` or `causal`.
        about: what model.json says: vocabulary size, held-out perplexity, seed, options …
    """

    path: Path
    kind: str
    about: Mapping[str, Any]

    @property
    def toy(self) -> str:
        """Why the model is a toy, one trained on too little to be held against others: it does no
        better than counting words. "" where it does better, and where the card does not say."""
        if not self.about.get("toy"):
            return ""
        perplexity, counted = self.about["held_out_perplexity"], self.about["unigram_perplexity"]
        shown = "unknown" if perplexity is None else f"{perplexity:,.0f}"
        return f"held-out perplexity {shown}, a unigram model has {counted:,.0f}"

    def digest(self) -> str:
        """SHA-256 (hex) that stands for every file of the folder; part of the signature."""
        return sha256_file(self.path / MANIFEST)


def toy_facts(
    text: TrainingText, about: Mapping[str, Any], known: Container[str] | None = None
) -> dict[str, object]:
    """Say whether a model is a toy: its held-out perplexity is not below that of a unigram model of
    the same text, asked for the same words (entries of `known`; None: all) and sentence ends.

    Words that do not occur in the text have a count of one together, as in `backends/unigram.py`;
    of a subword model, which has to spell them, this asks more. A text on which that
    decides is too small for it.
    """
    counts = Counter(chain.from_iterable(line.words for line in text.train))
    n_units = counts.total() + len(text.train) + 1
    held_out = Counter(chain.from_iterable(line.words for line in text.held_out))
    units = {word: n for word, n in held_out.items() if known is None or entry_word(word) in known}
    total = len(text.held_out) * math.log2(n_units / len(text.train))
    total += sum(n * math.log2(n_units / max(counts[word], 1)) for word, n in units.items())
    perplexity = 2 ** (total / (len(text.held_out) + sum(units.values())))
    measured = about["held_out_perplexity"]
    return {"unigram_perplexity": perplexity, "toy": measured is None or measured >= perplexity}


def finish_model(
    folder: Path,
    kind: str,
    about: Mapping[str, Any],
    files: Iterable[str],
    seen: TrainingText,
    *,
    made_by: str = MADE_BY,
) -> ModelFolder:
    """Writes `model.json`, the fingerprints of `seen` and the manifest beside `files`, which the
    trainer has written into `folder` already."""
    with write_whole_bytes(folder / SEEN) as stream:
        stream.write(fingerprints(chain(seen.train, seen.held_out)))
    with write_whole(folder / MODEL) as text:
        json.dump({"kind": kind, **about}, text, ensure_ascii=False, indent=1)
        text.write("\n")
    write_manifest(folder, [*files, SEEN, MODEL], {"made_by": made_by})
    return ModelFolder(folder, kind, {"kind": kind, **about})


def is_model_folder(path: Path) -> bool:
    """Tells whether a path is a folder that `train` has finished: its manifest comes last.

    Args:
        path: the path.

    Returns:
        Whether description and manifest are there; they are not read.

    >>> is_model_folder(Path("."))
    False
    """
    return path.is_dir() and (path / MODEL).is_file() and (path / MANIFEST).is_file()


def read_model(folder: Path, kind: str = "") -> ModelFolder:
    """Reads what a model folder says of itself, and checks its files by their manifest.

    Args:
        folder: the folder.
        kind: the only kind that will do; "": any.

    Returns:
        The folder.

    Raises:
        InputError: it is no model folder, a file was changed, or it is of another kind.

    >>> from colorless_green.scoring import Line, split_lines, train_one
    >>> text = split_lines([Line((f"w{n}",), f"w{n}") for n in range(100)], "text")
    >>> folder = train_one("unigram", text, Path("model"))
    >>> read_model(Path("model"), "unigram").about["vocabulary_size"]
    93
    """
    read_manifest(folder, "a folder made by colorless train, or colorless convert")
    return described(folder, kind)


def described(folder: Path, kind: str = "") -> ModelFolder:
    """The folder as it describes itself, its files unread."""
    try:
        about = json.loads(read_text(folder / MODEL))
        its_kind = str(about["kind"])
    except (ValueError, KeyError, TypeError):
        wrong, right = "this is no model description", "a folder made by colorless train"
        raise InputError(str(folder / MODEL), wrong, right, kind="format") from None
    if kind and its_kind != kind:
        wrong, right = f"a model of kind {its_kind!r}", f"one of kind {kind!r}"
        raise InputError(str(folder), wrong, right, kind="unsupported")
    return ModelFolder(folder, its_kind, about)


def is_trained_on(model: ModelFolder, text: TrainingText) -> bool:
    """Return whether the model was trained on this text, with as many sentences and words."""
    n_words = sum(len(line.words) for line in text.train)
    if (model.about.get("n_sentences"), model.about.get("n_words")) != (len(text.train), n_words):
        return False
    return (model.path / SEEN).read_bytes() == fingerprints(chain(text.train, text.held_out))


def seen_by(folder: ModelFolder, sentences: Iterable[tuple[str, ...]]) -> int:
    """Counts the sentences that were in a model's training text.

    Args:
        folder: the model's.
        sentences: each as its words; how they are spaced does not matter.

    Returns:
        How many of them were there, in the held-out part or the other.

    >>> from colorless_green.scoring import Line, split_lines, train_one
    >>> text = split_lines([Line((f"w{n}",), f"w{n}") for n in range(100)], "text")
    >>> seen_by(train_one("unigram", text, Path("model")), [("w1",), ("new",)])
    1
    """
    with open(folder.path / SEEN, "rb") as stream:
        n_seen = stream.seek(0, SEEK_END) // 8

        def at(index: int) -> int:
            stream.seek(8 * index)
            return int.from_bytes(stream.read(8), "big")

        def is_among(value: int) -> bool:
            place = bisect_left(range(n_seen), value, key=at)
            return place < n_seen and at(place) == value

        return sum(is_among(fingerprint(words)) for words in sentences)
