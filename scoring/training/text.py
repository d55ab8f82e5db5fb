"""Training text: sentences with their words and raw text, a held-out part, and what was seen."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from colorless_green.data.errors import InputError

HELD_OUT_SHARE = 20  # one sentence in so many is held out
HELD_OUT_MOST = 2_000  # more sentences make the held-out perplexity slower, hardly more exact


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence: words for word-level models, raw text for subword models."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class TrainingText:
    """What a model learns from, and what its perplexity is measured on."""

    train: tuple[Line, ...]
    held_out: tuple[Line, ...]


def fingerprint(words: Iterable[str]) -> int:
    """64 bits that say which sentence this is, whatever its spacing: SHA-256 over its characters
    without white space, so that tokenised and raw text of one sentence are the same."""
    characters = "".join("".join(words).split())
    return int.from_bytes(hashlib.sha256(characters.encode()).digest()[:8], "big")


def fingerprints(lines: Sequence[Line]) -> bytes:
    """The fingerprints of all sentences, sorted, each once, as 64-bit big-endian integers."""
    values = sorted({fingerprint(line.words) for line in lines})
    return b"".join(value.to_bytes(8, "big") for value in values)


def split(lines: Iterable[Line], place: str) -> TrainingText:
    """Every twentieth distinct sentence (by fingerprint, so independent of order) is held out.

    Copies of a sentence go to the same side. Raises `InputError` where too little is left.
    """
    train: list[Line] = []
    held_out: list[Line] = []
    for line in lines:
        if not line.words:
            continue
        chosen = fingerprint(line.words) % HELD_OUT_SHARE == 0
        (held_out if chosen and len(held_out) < HELD_OUT_MOST else train).append(line)
    if len(train) < 2 or not held_out:
        raise InputError(
            place, f"{len(train) + len(held_out)} sentences of text", "at least forty or so"
        )
    return TrainingText(tuple(train), tuple(held_out))
