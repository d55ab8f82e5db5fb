"""How acceptable a whole sentence is, by the measures of Lau, Clark & Lappin (2017, Table 1).

With bits for logarithms, `S` the sentence's surprisal, `U` that under a unigram model and `n` the
number of its units (the end of the sentence counts where it was asked for):

    meanlp       −S / n
    normlp-div   −S / U
    normlp-sub   U − S
    slor         (U − S) / n
    penlp        −S / ((5 + n) / 6) ** 0.8      (Lau et al. 2020, §4)

The unigram model counts the very units the model reads in, whole words or its own subwords (by
their characters), over a text that the user names, with one added to every count: tokenisers would
be compared otherwise. Here a measure is turned round, so that less is more acceptable, as with
surprisal.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...data.arrays import Floats
from ..questions.answer_columns import Answers, Questions, stretch
from ..questions.query import Stretch
from ..questions.region_surprisals import Weigh

END = ""  # the unit that ends a sentence


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The number of times that each unit occurs in a text."""

    counts: Mapping[str, int]
    total: int

    def bits(self, unit: str) -> float:
        """Surprisal of a unit, one added to every count; a place is kept for what never came."""
        return -math.log2((self.counts.get(unit, 0) + 1) / (self.total + len(self.counts) + 1))

    def digest(self) -> str:
        """16 hex digits that stand for the counts."""
        lines = "\n".join(f"{unit}\t{n}" for unit, n in sorted(self.counts.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:16]


def word_counts(sentences: Iterable[Sequence[str]]) -> UnitCounts:
    """Count the units of sentences, as a unigram model of `slor` and the like needs them.

    Args:
        sentences: the units of each sentence, words or subwords.

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
    return UnitCounts(counts, counts.total())


MeasureFormula = Callable[[float, float, int], float]
"""(bits of the model, bits of the unigram model, number of units) → less is more acceptable"""

MEASURES: Mapping[str, MeasureFormula] = {
    "meanlp": lambda bits, unigram, n: bits / n,
    "normlp-div": lambda bits, unigram, n: bits / unigram,
    "normlp-sub": lambda bits, unigram, n: bits - unigram,
    "slor": lambda bits, unigram, n: (bits - unigram) / n,
    "penlp": lambda bits, unigram, n: bits / ((5 + n) / 6) ** 0.8,
}
WITH_UNIGRAMS = ("normlp-div", "normlp-sub", "slor")


def measure(name: str, units: UnitCounts | None, unit: str) -> Weigh:
    """Make a measure of whole sentences (Lau, Clark & Lappin 2017, Table 1) for one model.

    Args:
        name: a key of `MEASURES`: meanlp, normlp-div, normlp-sub, slor or penlp.
        units: counts of the model's units, for the measures that need them; else `None`.
        unit: what the model reads, `words` or `text`.

    Returns:
        A function of questions and answers: the measure of each, less being more acceptable; NaN
        for a sentence without a unit.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> from colorless_green.scoring.questions.answer_columns import answers_of
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> questions = Questions([""], ["the"])
    >>> (answers,) = answers_of(load_model("uniform:words.txt").scorer, [questions])
    >>> measure("meanlp", None, "words")(questions, answers)
    array([3.])
    """
    formula = MEASURES[name]

    def weigh(questions: Questions, answers: Answers) -> Floats:
        worth = np.full(len(answers), np.nan)
        bits, bounds = answers.bits.tolist(), answers.offsets.tolist()
        for row, (start, end) in enumerate(pairwise(bounds)):
            if end > start:
                unigram = math.nan
                if units is not None:
                    text = stretch(questions.continuations[row], unit)
                    pieces = _pieces(text, answers, start, end)
                    unigram = math.fsum(units.bits(piece) for piece in pieces)
                worth[row] = formula(math.fsum(bits[start:end]), unigram, end - start)
        return worth

    return weigh


def _pieces(text: Stretch, answers: Answers, start: int, end: int) -> Iterator[str]:
    """Return the units of an answer as texts."""
    for begin, stop in zip(answers.starts[start:end], answers.ends[start:end], strict=True):
        piece = text[max(int(begin), 0) : stop]
        yield piece if isinstance(piece, str) else "".join(piece)
