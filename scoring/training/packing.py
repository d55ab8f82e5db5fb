"""N-grams as a few 64-bit numbers each, whose order is the order of the n-grams.

The words' indices stand side by side, from the most important bits of the first number on, as many
to a number as fit whole: with 20 bits a word and three words a number, `the keys are here` is

    here are keys | the

in suffix order, where the last word counts first. An n-gram without its first word is then the same
numbers with the last index blanked, so that all n-grams with the same end stand together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.scoring.training.runs import Rows

Column: TypeAlias = NDArray[np.uint64]  # (n_grams,): one word of each

N_BITS = 64


@dataclass(frozen=True, slots=True)
class Packing:
    """How many bits a word takes."""

    bits: int

    @property
    def per_number(self) -> int:
        return N_BITS // self.bits

    def n_numbers(self, n_words: int) -> int:
        """How many numbers an n-gram of so many words takes."""
        return -(-n_words // self.per_number)

    def packed(self, words: Sequence[Column]) -> Rows:
        """(n_grams, n_numbers) from the words, the one that counts first being the first."""
        rows = np.zeros((len(words[0]), self.n_numbers(len(words))), dtype=np.uint64)
        for index, column in enumerate(words):
            rows[:, index // self.per_number] |= column << self._shift(index)
        return rows

    def word(self, rows: Rows, index: int) -> Column:
        """The words that were the `index`-th when they were packed (from 0)."""
        mask = np.uint64((1 << self.bits) - 1)
        return (rows[:, index // self.per_number] >> self._shift(index)) & mask

    def leading(self, rows: Rows, n_words: int) -> Rows:
        """The numbers of the first `n_words` words, of rows that hold more."""
        kept = rows[:, : self.n_numbers(n_words)].copy()
        shift = self._shift(n_words - 1)
        kept[:, -1] = (kept[:, -1] >> shift) << shift
        return kept

    def _shift(self, index: int) -> np.uint64:
        """Bits below a word; the first ones stand highest."""
        return np.uint64(self.bits * (self.per_number - 1 - index % self.per_number))


def packing_of(n_types: int) -> Packing:
    """The one for indices below `n_types`."""
    return Packing(max(1, (n_types - 1).bit_length()))
