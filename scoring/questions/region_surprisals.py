"""Answers to surprisals of regions and sentences, by the metric of a suite; or to how acceptable
whole sentences are, by the measures of Lau, Clark & Lappin (2017, Table 1).

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
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths, entries_of
from .answer_columns import Answers, Questions, stretch_words
from .plan import Plan

Weigh: TypeAlias = Callable[[Questions, Answers], Floats]
"""What whole sentences are worth, less where they are more acceptable"""
NO_TEXT = "a condition without any text"


@dataclass(frozen=True, slots=True, eq=False)
class RegionSurprisals:
    """The surprisals that a model gives the sentences and regions of a plan."""

    region: Floats  # (regions,): bits, by the metric; NaN where it has none, or no answer
    n_subwords: Integers  # (regions,)
    region_oov: Truths  # (regions,): whether it has an unknown one
    total: Floats  # (asked,): bits of all that was asked of a sentence
    n_units: Integers  # (asked,): how many subwords that are
    oov: Truths  # (asked,): whether one is unknown
    prefix_oov: Truths  # (asked,): whether something around it is
    shares: Truths  # (asked,): whether a subword has letters of two of its regions
    known: Truths  # (asked,): whether there is an answer
    refused: Mapping[int, str]  # sentence that is asked about → why it cannot be answered


def surprisal_of(
    plan: Plan,
    answers: Iterable[tuple[Integers, Answers]],
    metric: str = "sum",
    weigh: Weigh | None = None,
) -> RegionSurprisals:
    """Sum answers up to the surprisals of a plan's regions and sentences.

    A subword belongs to the region its last letter lies in, the end of the sentence to the one
    that `holds_end`. Of `*` all that was asked counts.

    Args:
        plan: what was asked.
        answers: rows of its questions with their answers, in any order.
        metric: one of METRICS.
        weigh: a measure of whole sentences, in the place of the metric.

    Returns:
        Bits, and what the model did not know, in the order of the plan's regions.

    >>> from pathlib import Path
    >>> from colorless_green import load_model, load_suite
    >>> from colorless_green.scoring import answer_plan, plan_suite
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is old .\\n")
    >>> plan = plan_suite(load_suite("keys.tsv"), "words")
    >>> surprisal_of(plan, answer_plan(load_model("uniform:words.txt").scorer, plan)).total
    array([12., 15.])
    """
    n, n_regions = len(plan.sentence), len(plan.region)
    reduce = METRICS[metric]
    empty = np.zeros(0), np.zeros(0, np.int64)
    region = reduce(*empty, n_regions)
    total = reduce(*empty, n)
    n_subwords, n_units = np.zeros(n_regions, np.int64), np.zeros(n, np.int64)
    region_oov, oov, prefix_oov = np.zeros(n_regions, bool), np.zeros(n, bool), np.zeros(n, bool)
    shares, known = np.zeros(n, bool), plan.question < 0
    empty_sentences = np.flatnonzero(~plan.table.sentences.has_text()[plan.sentence])
    refused = dict.fromkeys(empty_sentences.tolist(), NO_TEXT)
    ordered = np.argsort(plan.question, kind="stable")
    of_question = np.searchsorted(plan.question[ordered], np.arange(plan.n_questions + 1))
    for rows, answer in answers:
        entries, of_row = entries_of(of_question, rows)
        sents = ordered[entries]  # sentences with these questions
        row = np.repeat(np.arange(len(rows)), np.diff(of_row))
        known[sents] = True
        prefix_oov[sents] = answer.prefix_oov[row] > 0
        for number, why in answer.refused.items():
            refused.update(dict.fromkeys(sents[row == number].tolist(), why))
        subword, bounds = entries_of(answer.offsets, row)
        which = np.repeat(np.arange(len(sents)), np.diff(bounds))  # of `sents`, for each subword
        values = answer.bits[subword]
        unknown = answer.oov[subword]
        n_units[sents] = np.diff(bounds)
        oov[sents] = np.bincount(which, unknown, len(sents)) > 0
        if weigh is not None:
            total[sents] = weigh(_questions_at(plan, rows), answer)[row]
        else:
            total[sents] = reduce(values, which, len(sents))
        regions, of_sentence = entries_of(plan.of_sentence, sents)
        reach = 2 + max(int(plan.end[regions].max(initial=0)), int(answer.ends.max(initial=0)))
        ends = np.repeat(np.arange(len(sents)), np.diff(of_sentence)) * reach + plan.end[regions]
        position = answer.positions[subword]
        index = np.searchsorted(ends, which * reach + position, side="right")
        inside = (position >= 0) & (index < of_sentence[which + 1])
        local = np.append(regions, -1)[np.where(inside, index, -1)]
        start, border = np.maximum(answer.starts[subword], 0), plan.start[local]
        early = np.flatnonzero(inside & (start < border))
        texts = _questions_at(plan, rows).continuations if len(early) else []
        for n_th in early.tolist():
            text = texts[row[which[n_th]]]
            shares[sents[which[n_th]]] |= bool(text[start[n_th] : border[n_th]].strip())
        beyond = (position >= 0) & ~inside
        local[beyond] = plan.holds_end[sents[which[beyond]]]
        counted = local >= 0
        slot = plan.slot[local[counted]]
        slots, group = np.unique(slot, return_inverse=True)
        region[slots] = reduce(values[counted], group.ravel(), len(slots))
        n_subwords[slots] = np.bincount(group.ravel(), minlength=len(slots))
        region_oov[slots] = np.bincount(group.ravel(), unknown[counted], len(slots)) > 0
    missing = ~known
    missing[list(refused)] = True
    total[missing if weigh is None else missing | (n_units == 0)] = np.nan
    region[missing[plan.owner]] = np.nan
    return RegionSurprisals(
        region[plan.slot], n_subwords[plan.slot], region_oov[plan.slot],
        total, n_units, oov, prefix_oov, shares, known, refused,
    )  # fmt: skip


def _questions_at(plan: Plan, rows: Integers) -> Questions:
    """Return these questions of a plan, which are of one kind."""
    start = 0
    for questions in plan.questions:
        if rows[0] < start + len(questions):
            return questions.take((rows - start).tolist())
        start += len(questions)
    raise AssertionError("rows of no question")


def _sum(values: Floats, group: Integers, n: int) -> Floats:
    sums = np.zeros(n)
    np.add.at(sums, group, values)  # in their order, as a loop adds: the same to the last bit
    return sums


def mean_by_group(values: Floats, group: Integers, n: int) -> Floats:
    """Return the mean of the values of each group; NaN for one without."""
    counts = np.bincount(group, minlength=n)
    return np.where(counts > 0, _sum(values, group, n) / np.maximum(counts, 1), np.nan)


def _max(values: Floats, group: Integers, n: int) -> Floats:
    maxima = np.full(n, -np.inf)
    np.maximum.at(maxima, group, values)
    return np.where(np.bincount(group, minlength=n) > 0, maxima, np.nan)


def _min(values: Floats, group: Integers, n: int) -> Floats:
    return -_max(-values, group, n)


def _median(values: Floats, group: Integers, n: int) -> Floats:
    counts = np.bincount(group, minlength=n)
    ordered = np.append(values[np.lexsort((values, group))], np.nan)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64) if n else counts
    low = ordered[np.where(counts > 0, starts + (counts - 1) // 2, -1)]
    high = ordered[np.where(counts > 0, starts + counts // 2, -1)]
    return np.where(counts % 2 == 1, low, (low + high) / 2)


METRICS: Mapping[str, Callable[[Floats, Integers, int], Floats]] = {
    "sum": _sum,
    "mean": mean_by_group,
    "median": _median,
    "range": lambda values, group, n: _max(values, group, n) - _min(values, group, n),
    "max": _max,
    "min": _min,
}
"""How a region's subwords become one number (SyntaxGym's `meta.metric`): values, the group of each,
the number of groups. Of a region without text the sum is 0, and the others are none (NaN): a
formula that meets one is undefined."""


def region_frame(plan: Plan, surprisal: RegionSurprisals) -> pl.DataFrame:
    """Tabulate surprisals: the columns of scores.tsv without run and model, and texts.

    Args:
        plan: what was asked.
        surprisal: the answers.

    Returns:
        One row for each region of each sentence that was asked about. What the model could not read
        has none; what has no answer has empty values, which are not 0.
    """
    sentences, owner = plan.table.sentences, plan.owner
    readable = np.ones(len(plan.sentence), bool)
    readable[list(surprisal.refused)] = False
    rows = np.flatnonzero(readable[owner])
    of = owner[rows]
    known = surprisal.known[of]

    def where_known(values: NDArray[np.generic]) -> pl.Series:
        return pl.select(pl.when(pl.Series(known)).then(pl.Series(values[rows]))).to_series()

    return pl.DataFrame(
        {
            "item_id": plan.table.frame["item_id"].gather(plan.item[of]),
            "condition": pl.Series(sentences.conditions, dtype=pl.String).gather(
                plan.condition[of]
            ),
            "sentence_index": sentences.index[plan.sentence[of]],
            "region": pl.Series(sentences.names, dtype=pl.String).gather(plan.name[rows]),
            "text": pl.Series(sentences.texts, dtype=pl.String).gather(
                sentences.chunk[plan.region[rows]]
            ),
            "n_subwords": where_known(surprisal.n_subwords),
            "surprisal_bits": where_known(surprisal.region).fill_nan(None),
            "oov": where_known(surprisal.region_oov.astype(np.int64)),
        }
    )


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
