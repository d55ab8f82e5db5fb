"""How acceptable a whole sentence is, by the measures of Lau, Clark & Lappin (2017, Table 1).

With bits for logarithms, `S` the sentence's surprisal, `U` that under a unigram model and `n` the
number of its units (the end of the sentence counts where it was asked for):

    meanlp       −S / n
    normlp-div   −S / U
    normlp-sub   U − S
    slor         (U − S) / n
    penlp        −S / ((5 + n) / 6) ** 0.8      (Lau et al. 2020, §4)
    perchar      −S / number of characters      (acc_norm of lm-evaluation-harness)

The unigram model counts the very units the model reads in, whole words or its own subwords, over a
text that the user names, with one added to every count: tokenisers would be compared otherwise.
Here a measure is turned round, so that less is more acceptable, as with surprisal.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...data.arrays import Floats
from ..questions.answer_columns import Answers, Questions, stretch_words
from ..questions.region_surprisals import Weigh

END = ""  # the unit that ends a sentence


Segment = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Texts, as `Questions` have them, in the units of a model"""


def in_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text, for a model of whole words."""
    return list(map(stretch_words, texts))


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The number of times that each unit occurs in a text, and how texts are cut into them."""

    counts: Mapping[str, int]
    total: int
    segment: Segment = in_words

    def bits(self, unit: str) -> float:
        """Surprisal of a unit, one added to every count; a place is kept for what never came."""
        return -math.log2((self.counts.get(unit, 0) + 1) / (self.total + len(self.counts) + 1))

    def digest(self) -> str:
        """16 hex digits that stand for the counts."""
        lines = "\n".join(f"{unit}\t{n}" for unit, n in sorted(self.counts.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:16]


def word_counts(sentences: Iterable[Sequence[str]], segment: Segment = in_words) -> UnitCounts:
    """Count the units of sentences, as a unigram model of `slor` and the like needs them.

    Args:
        sentences: the units of each sentence, words or subwords.
        segment: cuts other texts into the same units.

    Returns:
        The counts; the end of each sentence counts as a unit, too.

    >>> counts = word_counts([("the", "key"), ("the", "keys")])
    >>> counts.total, counts.bits("the")
    (6, 1.8744691179161412)
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence)
        counts[END] += 1
    return UnitCounts(counts, counts.total(), segment)


MeasureFormula = Callable[[float, float, int], float]
"""(bits of the model, bits of the unigram model, number of units) → less is more acceptable"""
PER_CHARACTER = "perchar"  # whose units are characters

MEASURES: Mapping[str, MeasureFormula] = {
    "meanlp": lambda bits, unigram, n: bits / n,
    "normlp-div": lambda bits, unigram, n: bits / unigram,
    "normlp-sub": lambda bits, unigram, n: bits - unigram,
    "slor": lambda bits, unigram, n: (bits - unigram) / n,
    "penlp": lambda bits, unigram, n: bits / ((5 + n) / 6) ** 0.8,
    PER_CHARACTER: lambda bits, unigram, n: bits / n,
}
WITH_UNIGRAMS = ("normlp-div", "normlp-sub", "slor")


def measure(name: str, units: UnitCounts | None) -> Weigh:
    """Make a measure of whole sentences (Lau, Clark & Lappin 2017, Table 1) for one model.

    Args:
        name: a key of `MEASURES`: meanlp, normlp-div, normlp-sub, slor, penlp or perchar.
        units: counts of the model's units, for the measures that need them; else `None`.

    Returns:
        A function of questions and answers: the measure of each, less being more acceptable; NaN
        for a sentence without a unit.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> from colorless_green.scoring.questions.answer_columns import answers_of
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> questions = Questions([""], ["the"])
    >>> (answers,) = answers_of(load_model("uniform:words.txt").scorer, [questions])
    >>> measure("meanlp", None)(questions, answers)
    array([3.])
    """
    formula = MEASURES[name]

    def weigh(questions: Questions, answers: Answers) -> Floats:
        worth = np.full(len(answers), np.nan)
        bits, bounds = answers.bits.tolist(), answers.offsets.tolist()
        cut = units.segment(questions.continuations) if units is not None else ()
        for row, (start, end) in enumerate(pairwise(bounds)):
            if end > start:
                unigram = math.nan
                if units is not None:
                    scored = [*cut[row], *[END] * questions.ends][start - end :]
                    unigram = math.fsum(map(units.bits, scored))
                n = len(questions.continuations[row]) if name == PER_CHARACTER else end - start
                worth[row] = formula(math.fsum(bits[start:end]), unigram, n)
        return worth

    return weigh
