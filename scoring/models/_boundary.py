"""Word probabilities from subwords whose blank stands in front (`--boundary`).

The subwords of "is" have the probability of every word that *begins* so: "isn't" and "island" are
in it. Pimentel & Meister (2024, "How to Compute the Probability of a Word") and Oh & Schuler (2024,
"Leading Whitespaces of Language Models' Subword Vocabulary Pose a Confound …") put that right: with
B the ids that begin a word, and the end of the text, and P_B(x) what they have together after x,

    p(w | c) = p(ids of w | c) · P_B(c w) / P_B(c)

and for a first word without a blank, what does not begin with one stands in the denominator. Here
the last subword of a word gets the factor, its first one the divisor, so that regions sum up right.

`space+eos` is the authors' set: ids that start with the mark of a blank, and the end of the text.
Then a full stop or comma continues the word before it. `space+eos+punct` counts ids that start with
punctuation to B as well.
"""

import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...data.arrays import Integers
from ...data.errors import InputError
from ...data.registry import nearest
from .hf import SEPARATOR

NONE = "none"
KINDS = (NONE, "space+eos", "space+eos+punct")
MARKS = ("Ġ", "▁", " ")  # of a blank: byte-level, SentencePiece, plain
BEGIN, FIRST = -1, -2  # the sets: B, and what may start a text that does not start with a blank


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryIds:
    """The ids that begin a word, and the sets whose masses are needed."""

    begins: NDArray[np.bool_]  # of each id; the end of the text is in B, but begins no word
    sets: torch.Tensor  # (vocabulary, 2), zeros and ones: B, FIRST


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryMasses:
    """The masses that correct the wanted ids of some chains: of `indices` the one before the id,
    then of `ended` the one behind it."""

    indices: Integers
    sets: Integers  # of each of `indices`: which
    inner: Integers  # those of `indices` whose mass is a factor of the id before, too
    ended: Integers

    def queries(
        self, sequences: Integers, positions: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Sequences, positions and sets of these masses, for ids wanted after `positions`."""
        end_sets = np.full(len(self.ended), BEGIN)
        return (
            np.concatenate([sequences[self.indices], sequences[self.ended]]),
            np.concatenate([positions[self.indices], positions[self.ended] + 1]),
            np.concatenate([self.sets, end_sets]),
        )

    def corrected(
        self, nats: NDArray[np.float64], log_masses: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """ln p of each wanted id, by the masses found."""
        start_masses = np.zeros_like(nats)
        start_masses[self.indices], end_masses = np.split(log_masses, [len(self.indices)])
        nats = nats - start_masses
        nats[self.inner - 1] += start_masses[self.inner]
        nats[self.ended] += end_masses
        return nats


def masses(
    borders: BoundaryIds,
    targets: Integers,
    positions: Integers,
    firsts: Integers,
    ended: Integers,
    n_lead: int,
) -> BoundaryMasses:
    """Return what corrects the ids `targets`, which are asked for after the positions `positions`.

    `firsts` are the first ids of each chain, `ended` the last ids of those that end with a word;
    `n_lead` ids precede every text.
    """
    begins = borders.begins[targets]
    indices = np.flatnonzero(begins | (positions + 1 == n_lead))
    inner = begins.copy()
    inner[firsts] = False
    return BoundaryMasses(
        indices, np.where(begins[indices], BEGIN, FIRST), np.flatnonzero(inner), ended
    )


def borders(tokenizer: Any, kind: str, n_logits: int, device: torch.device) -> BoundaryIds | None:
    """Return the borders for one of `KINDS`; None for "none".

    Ids beyond the tokenizer's entries are in neither set but `FIRST`. Raises `InputError` for
    another kind, and for a tokenizer that does not mark blanks at the start of words.
    """
    if kind not in KINDS:
        wrong = f"no such correction {kind!r}"
        raise InputError("boundary", wrong, nearest(kind, KINDS), kind="unknown")
    if kind == NONE:
        return None
    entries = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    special = set(tokenizer.all_special_ids)
    marked = {n for entry, n in entries if entry.startswith(MARKS) and n not in special}
    if not marked:
        wrong = "this tokenizer marks no blanks at the start of words"
        raise InputError("boundary", wrong, NONE, kind="unsupported")
    begins = set(marked)
    if kind.endswith("punct"):
        unmarked = (n for _, n in entries if n not in marked and n not in special)
        begins |= {n for n in unmarked if _punctuation(tokenizer.decode([n]))}
    ends = {tokenizer.eos_token_id, tokenizer.get_vocab().get(SEPARATOR)} - {None}
    sets = torch.zeros(n_logits, 2)
    sets[sorted(begins | ends), 0] = 1
    sets[:, 1] = 1
    sets[sorted(marked), 1] = 0
    flags = np.zeros(max(n_logits, *begins, *ends) + 1, dtype=bool)
    flags[sorted(begins)] = True
    return BoundaryIds(flags, sets.to(device))


def _punctuation(text: str) -> bool:
    return unicodedata.category(text[:1] or " ").startswith("P")
