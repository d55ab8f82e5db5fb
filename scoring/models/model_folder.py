"""Models that are handed over: a folder of a trained one (`model.json`, files, fingerprints of its
text, and a manifest last), or one of transformers in memory."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import Any, TypeAlias

from ...data.errors import InputError
from ...data.files import MANIFEST, read_manifest, read_text, sha256_file
from ...data.result import Result

MADE_BY = "colorless train"
MODEL = "model.json"
SEEN = "seen.u64"  # fingerprints of the training sentences, sorted


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A finished folder made by `train`.

    Attributes:
        path: the folder.
        kind: `unigram`, `ngram`, `recurrent` or `causal`.
        card: what model.json says: vocabulary size, held-out perplexity, seed, options …
    """

    path: Path
    kind: str
    card: Mapping[str, Any]

    @property
    def toy(self) -> str:
        """Why the model is a toy, one trained on too little to be held against others: it does no
        better than counting words. "" where it does better, and where the card does not say."""
        if not self.card.get("toy"):
            return ""
        perplexity, counted = self.card["held_out_perplexity"], self.card["unigram_perplexity"]
        perplexity_text = "unknown" if perplexity is None else f"{perplexity:,.0f}"
        return f"held-out perplexity {perplexity_text}, a unigram model has {counted:,.0f}"

    def digest(self) -> str:
        """SHA-256 (hex) that stands for every file of the folder; part of the signature."""
        return sha256_file(self.path / MANIFEST)


@dataclass(frozen=True, repr=False, eq=False)
class Trained(Result):
    """Trained models, new or found from an earlier run. `score` accepts it as models.

    Attributes:
        folders: one for each model.
        toys: of these, those that do no better than counting words: what they are asked says
            nothing of their kind.
    """

    folders: tuple[Path, ...] = ()
    toys: tuple[Path, ...] = ()


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
    """Read what a model folder says of itself, and check its files by their manifest.

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
    >>> read_model(Path("model"), "unigram").card["vocabulary_size"]
    93
    """
    read_manifest(folder, "a folder made by colorless train, or colorless convert")
    return described(folder, kind)


def described(folder: Path, kind: str = "") -> ModelFolder:
    """Return the folder as it describes itself, its files unread."""
    try:
        card = json.loads(read_text(folder / MODEL))
        its_kind = str(card["kind"])
    except (ValueError, KeyError, TypeError):
        wrong, right = "this is no model description", "a folder made by colorless train"
        raise InputError(str(folder / MODEL), wrong, right, kind="format") from None
    if kind and its_kind != kind:
        wrong, right = f"a model of kind {its_kind!r}", f"one of kind {kind!r}"
        raise InputError(str(folder), wrong, right, kind="unsupported")
    return ModelFolder(folder, its_kind, card)


def fingerprint(words: Iterable[str]) -> int:
    """Return 64 bits that say which sentence this is, whatever its spacing: SHA-256 over its
    characters without white space, so that tokenised and raw text of one sentence are the same."""
    characters = "".join("".join(words).split())
    return int.from_bytes(hashlib.sha256(characters.encode()).digest()[:8], "big")


def seen_by(folder: ModelFolder, sentences: Iterable[tuple[str, ...]]) -> int:
    """Count the sentences that were in a model's training text.

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

        def fingerprint_at(index: int) -> int:
            stream.seek(8 * index)
            return int.from_bytes(stream.read(8), "big")

        def is_among(value: int) -> bool:
            index = bisect_left(range(n_seen), value, key=fingerprint_at)
            return index < n_seen and fingerprint_at(index) == value

        return sum(is_among(fingerprint(words)) for words in sentences)


Given: TypeAlias = tuple[Any, Any] | tuple[Any, Any, str]
"""A model of transformers, its tokenizer, and the name that it goes by in tables"""


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """A model, its tokenizer, and the name it goes by; "" for that of its configuration."""

    model: Any
    tokenizer: Any
    name: str = ""

    @property
    def spec(self) -> str:
        """Return its name, the location in messages."""
        return self.name


def is_given(value: Any) -> bool:
    """Return whether a tuple is a model beside its tokenizer, and not several models' names."""
    names = (Trained, str, Path, tuple)
    is_tuple = isinstance(value, tuple) and len(value) in (2, 3)
    return is_tuple and not isinstance(value[0], names) and not hasattr(value[0], "scorer")
