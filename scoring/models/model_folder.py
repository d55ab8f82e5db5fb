"""Models that are not named by a spec: the folder of a trained model (`model.json`, its files,
fingerprints of its training text, and a manifest), or a model of transformers in memory."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ...data.errors import InputError
from ...data.files import MANIFEST, read_manifest, read_text, sha256_file
from ...data.records import parse_json, text
from ...data.result import Result
from .words import DIGEST_DIGITS

MADE_BY = "colorless train"
MODEL_CARD = "model.json"
FINGERPRINTS = "seen.u64"  # file with the fingerprints of the training sentences, sorted
FINGERPRINT_BYTES = 8
FINGERPRINT_TYPE = ">u8"  # of NumPy: 64 bits, big-endian


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
        """The reason why the model is a toy, too poor to be compared with others: its held-out
        perplexity is not below that of a unigram model. "" if it is lower or not on the card."""
        if not self.card.get("toy"):
            return ""
        perplexity, unigram = self.card["held_out_perplexity"], self.card["unigram_perplexity"]
        perplexity_text = "unknown" if perplexity is None else f"{perplexity:,.0f}"
        return f"held-out perplexity {perplexity_text}, a unigram model has {unigram:,.0f}"

    def digest(self) -> str:
        """Return a digest of the manifest, which identifies all files of the folder."""
        return sha256_file(self.path / MANIFEST)[:DIGEST_DIGITS]


@dataclass(frozen=True, repr=False, eq=False)
class Trained(Result):
    """Trained models, new or found from an earlier run. `score` accepts it as models.

    Attributes:
        folders: one for each model.
        toys: the folders of models that predict no better than word counts do; their scores say
            nothing of their kind of model.
    """

    folders: tuple[Path, ...] = ()
    toys: tuple[Path, ...] = ()


def is_model_folder(path: Path) -> bool:
    """Tell whether a path is a folder that `train` has finished: its manifest comes last.

    Args:
        path: the path.

    Returns:
        Whether description and manifest are there; they are not read.

    >>> is_model_folder(Path("."))
    False
    """
    return path.is_dir() and (path / MODEL_CARD).is_file() and (path / MANIFEST).is_file()


def read_model(folder: Path, kind: str = "") -> ModelFolder:
    """Read what a model folder says of itself, and check its files by their manifest.

    Args:
        folder: the folder.
        kind: the kind that the model must have; "" allows every kind.

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
    return read_description(folder, kind)


def read_description(folder: Path, kind: str = "") -> ModelFolder:
    """Return a model folder as its model.json describes it, without checking its other files.

    Raises `InputError` if model.json is invalid, or if `kind` is given and the model is of another
    kind.
    """
    location = str(folder / MODEL_CARD)
    card = parse_json(read_text(folder / MODEL_CARD), location, "a folder made by colorless train")
    found_kind = text(card, "kind", location)
    if kind and found_kind != kind:
        wrong, right = f"a model of kind {found_kind!r}", f"one of kind {kind!r}"
        raise InputError(str(folder), wrong, right, kind="unsupported")
    return ModelFolder(folder, found_kind, card)


def fingerprint(words: Iterable[str]) -> int:
    """Return a 64-bit fingerprint of a sentence: the first 8 bytes of the SHA-256 of its
    characters.

    White space is left out, so that the tokenised and the raw text of a sentence have the same
    fingerprint.
    """
    characters = "".join("".join(words).split())
    digest = hashlib.sha256(characters.encode()).digest()
    return int.from_bytes(digest[:FINGERPRINT_BYTES], "big")


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
    import numpy as np

    seen = np.fromfile(folder.path / FINGERPRINTS, FINGERPRINT_TYPE)
    values = np.fromiter(map(fingerprint, sentences), FINGERPRINT_TYPE)
    n_before, n_until = (np.searchsorted(seen, values, side) for side in ("left", "right"))
    return int((n_before < n_until).sum())


Given: TypeAlias = tuple[Any, Any] | tuple[Any, Any, str]
"""A model of transformers, its tokenizer and, optionally, its name in tables"""


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """A model in memory, its tokenizer and its name. If the name is "", the name in the model's
    configuration is used."""

    model: Any
    tokenizer: Any
    name: str = ""

    @property
    def spec(self) -> str:
        """The model's name, used as the location in error messages."""
        return self.name


def is_given(value: Any) -> bool:
    """Return whether a value is a tuple of a model in memory and its tokenizer, rather than a tuple
    of several models (their specs, or models that `load_model` returned)."""
    if not isinstance(value, tuple) or len(value) not in (2, 3):
        return False
    first = value[0]
    is_loaded = hasattr(first, "scorer")  # a `Model`, whose module imports this one
    return not is_loaded and not isinstance(first, Trained | str | Path | tuple)
