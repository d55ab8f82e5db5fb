"""Word probabilities from subwords whose blank stands in front (`--boundary`).

The probability of the subword "is" is that of all words that *begin* with it, "isn't" and "island"
included. Pimentel & Meister (2024, "How to Compute the Probability of a Word") and Oh & Schuler
(2024, "Leading Whitespaces of Language Models' Subword Vocabulary Pose a Confound …") correct it.
Let B be the ids that begin a word plus the end of the text, and P_B(x) their total probability
after x:

    p(w | c) = p(ids of w | c) · P_B(c w) / P_B(c)

For a first word without a blank the denominator is the probability of all ids that do not begin
with a blank. Here the factor P_B(c w) is applied to the last subword of a word and the divisor to
its first, so that the surprisals of regions still add up.

`space+eos` is the authors' set B: ids that start with the mark of a blank, and the end of the text.
A full stop or comma then continues the word before it. `space+eos+punct` adds to B the ids that
start with punctuation.
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

NO_CORRECTION = "none"
CORRECTIONS = (NO_CORRECTION, "space+eos", "space+eos+punct")
BLANK_MARKS = ("Ġ", "▁", " ")  # that stand for a blank: byte-level BPE, SentencePiece, plain
BEGIN, FIRST = -1, -2  # numbers of sets: B, and the ids that do not begin with a blank
BEGIN_COLUMN, FIRST_COLUMN = 0, 1  # the columns of these sets in `BoundaryIds.sets`


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryIds:
    """The ids that begin a word, and the sets of ids whose total probability is needed."""

    begins: NDArray[np.bool_]  # by id; the end of the text is in B, but begins no word
    sets: torch.Tensor  # (vocabulary, 2), zeros and ones: columns B and FIRST


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryMasses:
    """The masses that correct the scored ids. A mass is the total probability of a set of ids.

    Ids at `indices` need the mass at their position (the divisor), ids at `ended` the mass after
    them (the factor). A chain is a run of scored ids of one text.
    """

    indices: Integers
    sets: Integers  # BEGIN or FIRST, for each of `indices`
    inner: Integers  # ids whose mass is also the factor of the id before them
    ended: Integers

    def queries(
        self, sequences: Integers, positions: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Return three arrays with an entry for each mass to compute: its sequence, the position
        after which it is needed, and its set of ids. The masses of `indices` come first.

        `sequences` and `positions` say for each scored id in which sequence and after which
        position it is predicted.
        """
        end_sets = np.full(len(self.ended), BEGIN)
        return (
            np.concatenate([sequences[self.indices], sequences[self.ended]]),
            np.concatenate([positions[self.indices], positions[self.ended] + 1]),
            np.concatenate([self.sets, end_sets]),
        )

    def corrected(
        self, nats: NDArray[np.float64], log_masses: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the corrected ln p of each scored id, given its ln p (`nats`) and the logarithms
        of the masses, in the order of `queries`."""
        start_masses = np.zeros_like(nats)
        start_masses[self.indices], end_masses = np.split(log_masses, [len(self.indices)])
        corrected = nats - start_masses
        corrected[self.inner - 1] += start_masses[self.inner]  # the ids before end a word
        corrected[self.ended] += end_masses
        return corrected


def boundary_masses(
    borders: BoundaryIds,
    targets: Integers,
    positions: Integers,
    firsts: Integers,
    ended: Integers,
    n_lead: int,
) -> BoundaryMasses:
    """Return the masses that correct the scored ids `targets`, which are predicted after
    `positions`. A mass is the total probability of a set of ids.

    A chain is a run of scored ids of one text: `firsts` are the indices of the first id of each,
    `ended` those of the last ids at which a word ends. `n_lead` special ids precede every text.
    """
    begins = borders.begins[targets]
    is_first = positions + 1 == n_lead  # a text's first subword begins a word without a blank
    indices = np.flatnonzero(begins | is_first)
    inner = begins.copy()
    inner[firsts] = False
    sets = np.where(begins[indices], BEGIN, FIRST)
    return BoundaryMasses(indices, sets, np.flatnonzero(inner), ended)


def boundary_ids(
    tokenizer: Any, kind: str, n_logits: int, device: torch.device
) -> BoundaryIds | None:
    """Return the ids that begin words, for the word-boundary correction `kind`, one of
    `CORRECTIONS`; None if that is "none".

    Ids beyond the tokenizer's vocabulary are in the set `FIRST` only. Raises `InputError` for an
    unknown kind, and for a tokenizer that does not mark blanks at the start of words.
    """
    if kind not in CORRECTIONS:
        wrong = f"no such correction {kind!r}"
        raise InputError("boundary", wrong, nearest(kind, CORRECTIONS), kind="unknown")
    if kind == NO_CORRECTION:
        return None
    special = set(tokenizer.all_special_ids)
    entries = {n: text for text, n in tokenizer.get_vocab().items() if n not in special}
    with_blank = {n for n, text in entries.items() if text.startswith(BLANK_MARKS)}
    if not with_blank:
        wrong = "this tokenizer marks no blanks at the start of words"
        raise InputError("boundary", wrong, NO_CORRECTION, kind="unsupported")
    begins = set(with_blank)
    if kind.endswith("punct"):
        without_blank = entries.keys() - with_blank
        begins |= {n for n in without_blank if _begins_with_punctuation(tokenizer.decode([n]))}
    ends = {tokenizer.eos_token_id, tokenizer.get_vocab().get(SEPARATOR)} - {None}
    sets = torch.zeros(n_logits, 2)
    sets[sorted(begins | ends), BEGIN_COLUMN] = 1
    sets[:, FIRST_COLUMN] = 1
    sets[sorted(with_blank), FIRST_COLUMN] = 0
    does_begin = np.zeros(max(n_logits, *begins, *ends) + 1, dtype=bool)
    does_begin[sorted(begins)] = True
    return BoundaryIds(does_begin, sets.to(device))


def _begins_with_punctuation(text: str) -> bool:
    """Return whether a text's first character is punctuation; for "" it is not."""
    return unicodedata.category(text[:1] or " ").startswith("P")
