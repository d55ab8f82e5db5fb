"""Turn a model's answers into surprisals of regions (named parts of a sentence) and of sentences.

A metric combines the surprisals of a region's subwords into one number. Instead, a measure of Lau,
Clark & Lappin (2017, Table 1) can say how acceptable a whole sentence is. `S` is the surprisal of
the sentence in bits, `U` its surprisal under a unigram model, `n` the number of its units, which
are what the model reads, words or subwords (with the end of the sentence, if that was asked for):

    meanlp       −S / n
    normlp-div   −S / U
    normlp-sub   U − S
    slor         (U − S) / n
    penlp        −S / ((5 + n) / 6) ** 0.8      (Lau et al. 2020, §4)
    perchar      −S / number of characters      (acc_norm of lm-evaluation-harness)

The unigram model counts the same units, in a text that the user names, with one added to every
count. In this module a measure has the opposite sign, so that less is more acceptable, as with
surprisal.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...data.arrays import Floats, Integers, Truths, entries_of
from .answer_columns import Answers, Questions, stretch_words
from .plan import Plan

Weigh: TypeAlias = Callable[[Questions, Answers], Floats]
"""From questions and answers to a measure of each sentence; less is more acceptable"""
NO_TEXT = "a condition without any text"


@dataclass(frozen=True, slots=True, eq=False)
class RegionSurprisals:
    """The surprisals that a model gives the sentences and regions of a plan."""

    region: Floats  # (regions,): bits, by the metric; NaN without a value or an answer
    n_subwords: Integers  # (regions,): subwords of the region
    region_oov: Truths  # (regions,): a subword of the region is unknown to the model
    total: Floats  # (asked,): bits of the whole continuation, or its measure
    n_units: Integers  # (asked,): subwords of the continuation
    oov: Truths  # (asked,): a subword of the continuation is unknown to the model
    prefix_oov: Truths  # (asked,): a word of the prefix or suffix is unknown
    shares: Truths  # (asked,): a subword has letters of two regions
    known: Truths  # (asked,): there is an answer
    refused: Mapping[int, str]  # index of a sentence → why the model cannot answer


def surprisal_of(
    plan: Plan,
    answers: Iterable[tuple[Integers, Answers]],
    metric: str = "sum",
    measure_sentences: Weigh | None = None,
) -> RegionSurprisals:
    """Combine the surprisals of subwords into those of a plan's regions and sentences.

    A subword belongs to the region of its last letter, the end of the sentence to the region
    `plan.holds_end`. The total of a sentence is over its whole continuation.

    Args:
        plan: what was asked.
        answers: rows of its questions, and their answers, in any order.
        metric: one of METRICS, by which the surprisals of subwords are combined.
        measure_sentences: a measure of whole sentences, used for totals in place of the metric.

    Returns:
        Surprisals in bits, and marks of unknown words, for each region and sentence of the plan.

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
    combine = METRICS[metric]
    # the values of regions and sentences without subwords
    no_subwords = np.zeros(0), np.zeros(0, np.int64)
    region, total = combine(*no_subwords, n_regions), combine(*no_subwords, n)
    n_subwords, n_units = np.zeros(n_regions, np.int64), np.zeros(n, np.int64)
    region_oov, oov, prefix_oov = np.zeros(n_regions, bool), np.zeros(n, bool), np.zeros(n, bool)
    shares, known = np.zeros(n, bool), plan.question < 0  # an empty continuation needs no answer
    without_text = np.flatnonzero(~plan.table.sentences.has_text()[plan.sentence])
    refused = dict.fromkeys(without_text.tolist(), NO_TEXT)
    # the sentences in the order of their questions, and where those of each question begin
    by_question = np.argsort(plan.question, kind="stable")
    sentence_bounds = np.searchsorted(plan.question[by_question], np.arange(plan.n_questions + 1))
    for rows, answer in answers:
        entries, bounds_of_row = entries_of(sentence_bounds, rows)
        sents = by_question[entries]
        row = np.repeat(np.arange(len(rows)), np.diff(bounds_of_row))
        subwords = _subwords_of(answer, sents, row)
        owner = subwords.owner
        bits, unknown = answer.bits[subwords.in_answer], answer.oov[subwords.in_answer]
        known[sents] = True
        for refused_row, reason in answer.refused.items():
            refused.update(dict.fromkeys(sents[row == refused_row].tolist(), reason))
        # facts of sentences
        prefix_oov[sents] = answer.prefix_oov[row] > 0
        n_units[sents] = np.bincount(owner, minlength=len(sents))
        oov[sents] = np.bincount(owner, unknown, len(sents)) > 0
        if measure_sentences is not None:
            total[sents] = measure_sentences(_questions_at(plan, rows), answer)[row]
        else:
            total[sents] = combine(bits, owner, len(sents))
        # facts of regions
        its_region, is_inside = _regions_of_subwords(plan, subwords)
        shares[_sentences_with_shared(plan, rows, subwords, its_region, is_inside)] = True
        has_region = its_region >= 0
        # several regions with one name count as the first of them, their slot
        slots, group = np.unique(plan.slot[its_region[has_region]], return_inverse=True)
        region[slots] = combine(bits[has_region], group.ravel(), len(slots))
        n_subwords[slots] = np.bincount(group.ravel(), minlength=len(slots))
        region_oov[slots] = np.bincount(group.ravel(), unknown[has_region], len(slots)) > 0
    missing = ~known
    missing[list(refused)] = True
    # a measure divides by the number of units, so without units it has no value
    total[missing if measure_sentences is None else missing | (n_units == 0)] = np.nan
    region[missing[plan.owner]] = np.nan
    return RegionSurprisals(
        region[plan.slot], n_subwords[plan.slot], region_oov[plan.slot],
        total, n_units, oov, prefix_oov, shares, known, refused,
    )  # fmt: skip


class _Subwords(NamedTuple):
    """The subwords of some answers, once for each sentence whose question an answer belongs to."""

    answer: Answers
    sents: Integers  # (sentences,): their indices in the plan
    row: Integers  # (sentences,): the row of the answer to each
    in_answer: Integers  # (subwords,): the index of each subword in the answer
    owner: Integers  # (subwords,): the index in `sents` of the sentence of each


def _subwords_of(answer: Answers, sents: Integers, row: Integers) -> _Subwords:
    """Return the subwords of the sentences `sents` of a plan, given the `row` of the answer to
    each."""
    in_answer, bounds = entries_of(answer.offsets, row)
    return _Subwords(
        answer, sents, row, in_answer, owner=np.repeat(np.arange(len(sents)), np.diff(bounds))
    )


def _regions_of_subwords(plan: Plan, subwords: _Subwords) -> tuple[Integers, Truths]:
    """Return two columns over subwords: the region that each counts to, −1 for none; and True if
    the subword's last letter lies in a region, False for the end of the sentence and for what lies
    outside.

    The region is the first whose end lies behind the subword's last letter; the end of the sentence
    belongs to `plan.holds_end`.
    """
    answer, sents, _, subword, owner = subwords
    regions, of_sentence = entries_of(plan.of_sentence, sents)
    # positions of each sentence are shifted by `reach`, so that one search does for all
    reach = 2 + max(int(plan.end[regions].max(initial=0)), int(answer.ends.max(initial=0)))
    ends = np.repeat(np.arange(len(sents)), np.diff(of_sentence)) * reach + plan.end[regions]
    position = answer.positions[subword]
    index = np.searchsorted(ends, owner * reach + position, side="right")
    is_inside = (position >= 0) & (index < of_sentence[owner + 1])
    its_region = np.append(regions, -1)[np.where(is_inside, index, -1)]
    is_end = (position >= 0) & ~is_inside
    its_region[is_end] = plan.holds_end[sents[owner[is_end]]]
    return its_region, is_inside


def _sentences_with_shared(
    plan: Plan, rows: Integers, subwords: _Subwords, its_region: Integers, is_inside: Truths
) -> list[int]:
    """Return the sentences in which a subword has letters of two regions: it begins, blanks aside,
    before the region that it counts to. `rows` are those of the questions, and the last two
    parameters what `_regions_of_subwords` returned."""
    start = np.maximum(subwords.answer.starts[subwords.in_answer], 0)
    border = plan.start[its_region]
    straddling = np.flatnonzero(is_inside & (start < border)).tolist()
    texts = _questions_at(plan, rows).continuations if straddling else []
    sentences: list[int] = []
    for subword in straddling:
        sentence = subwords.owner[subword]
        before_border = texts[subwords.row[sentence]][start[subword] : border[subword]]
        if before_border.strip():
            sentences.append(int(subwords.sents[sentence]))
    return sentences


def _questions_at(plan: Plan, rows: Integers) -> Questions:
    """Return the questions in some rows of a plan. The rows must be all of questions with the end
    of the sentence, or all of questions without it."""
    offset = 0
    for questions in plan.questions:
        if rows[0] < offset + len(questions):
            return questions.take((rows - offset).tolist())
        offset += len(questions)
    raise AssertionError("rows of no question")


def _sum(values: Floats, group: Integers, n: int) -> Floats:
    """Return (n,) the sum of the values in each group; `group` numbers the group of each value.

    The values are added in their order, so that the sums equal those of a loop to the last bit.
    """
    sums = np.zeros(n)
    np.add.at(sums, group, values)
    return sums


def mean_by_group(values: Floats, group: Integers, n: int) -> Floats:
    """Return (n,) the mean of the values in each group, NaN for an empty one; `group` numbers the
    group of each value."""
    counts = np.bincount(group, minlength=n)
    return np.where(counts > 0, _sum(values, group, n) / np.maximum(counts, 1), np.nan)


def _max(values: Floats, group: Integers, n: int) -> Floats:
    """Return (n,) the largest value in each group, NaN for an empty one."""
    maxima = np.full(n, -np.inf)
    np.maximum.at(maxima, group, values)
    return np.where(np.bincount(group, minlength=n) > 0, maxima, np.nan)


def _min(values: Floats, group: Integers, n: int) -> Floats:
    """Return (n,) the smallest value in each group, NaN for an empty one."""
    return -_max(-values, group, n)


def _median(values: Floats, group: Integers, n: int) -> Floats:
    """Return (n,) the median of the values in each group, NaN for an empty one."""
    counts = np.bincount(group, minlength=n)
    # the values by group and size; NaN as the last, which index −1 finds for empty groups
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
"""Metrics, which combine the surprisals of a region's subwords (SyntaxGym's `meta.metric`): from
values, the group of each value and the number of groups to one number a group. For a region without
text the sum is 0, and any other metric NaN, which makes a formula undefined."""


def region_frame(plan: Plan, surprisal: RegionSurprisals) -> pl.DataFrame:
    """Tabulate the surprisals of regions: the columns of scores.tsv without those of the run.

    Args:
        plan: what was asked.
        surprisal: the answers.

    Returns:
        One row for each region of each sentence that was asked about. A sentence that the model
        could not read has no rows; one without an answer has empty values, which are not 0.
    """
    sentences, owner = plan.table.sentences, plan.owner
    readable = np.ones(len(plan.sentence), bool)
    readable[list(surprisal.refused)] = False
    rows = np.flatnonzero(readable[owner])
    sentence = owner[rows]
    known = surprisal.known[sentence]

    def where_known(values: NDArray[np.generic]) -> pl.Series:
        """Return those of the values that belong to the rows of the table, null for sentences that
        have no answer."""
        return pl.select(pl.when(pl.Series(known)).then(pl.Series(values[rows]))).to_series()

    return pl.DataFrame(
        {
            "item_id": plan.table.frame["item_id"].gather(plan.item[sentence]),
            "condition": pl.Series(sentences.conditions, dtype=pl.String).gather(
                plan.condition[sentence]
            ),
            "sentence_index": sentences.index[plan.sentence[sentence]],
            "region": pl.Series(sentences.names, dtype=pl.String).gather(plan.name[rows]),
            "text": pl.Series(sentences.texts, dtype=pl.String).gather(
                sentences.chunk[plan.region[rows]]
            ),
            "n_subwords": where_known(surprisal.n_subwords),
            "surprisal_bits": where_known(surprisal.region).fill_nan(None),
            "oov": where_known(surprisal.region_oov.astype(np.int64)),
        }
    )


END_UNIT = ""  # the unit that ends a sentence

Segment = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""From texts, as `Questions` have them, to the units of each that a model reads"""


def in_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text, for a model of whole words."""
    return list(map(stretch_words, texts))


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """Counts of a model's units (words or subwords) in a text: a unigram model.

    Attributes:
        counts: unit → its number of occurrences.
        total: the number of all occurrences.
        segment: cuts other texts into units.
    """

    counts: Mapping[str, int]
    total: int
    segment: Segment = in_words

    def bits(self, unit: str) -> float:
        """Return the surprisal in bits of a unit under the unigram model. One is added to the count
        of every unit, and of one more unit that stands for all unknown ones."""
        return -math.log2((self.counts.get(unit, 0) + 1) / (self.total + len(self.counts) + 1))

    def digest(self) -> str:
        """Return 16 hexadecimal digits that identify the counts."""
        lines = "\n".join(f"{unit}\t{n}" for unit, n in sorted(self.counts.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:16]


def word_counts(sentences: Iterable[Sequence[str]], segment: Segment = in_words) -> UnitCounts:
    """Count the units of sentences, for the unigram model of the measures that need one.

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
        counts[END_UNIT] += 1
    return UnitCounts(counts, counts.total(), segment)


MeasureFormula = Callable[[float, float, int], float]
"""(surprisal in bits, surprisal under the unigram model, number of units) → the measure"""
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


def measure(name: str, unigrams: UnitCounts | None) -> Weigh:
    """Make a measure of whole sentences (Lau, Clark & Lappin 2017, Table 1) for one model.

    Args:
        name: a key of `MEASURES`: meanlp, normlp-div, normlp-sub, slor, penlp or perchar.
        unigrams: counts of the model's units; `None` for a measure that needs none.

    Returns:
        A function from questions and answers to the measure of each sentence: less is more
        acceptable, NaN for a sentence without a unit.

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

    def measure_sentences(questions: Questions, answers: Answers) -> Floats:
        """Return (questions,) the measure of each sentence."""
        values = np.full(len(answers), np.nan)
        bits, bounds = answers.bits.tolist(), answers.offsets.tolist()
        units = unigrams.segment(questions.continuations) if unigrams is not None else ()
        for row, (start, end) in enumerate(pairwise(bounds)):
            n_scored = end - start
            if n_scored:
                unigram_bits = math.nan
                if unigrams is not None:
                    all_units = [*units[row], *([END_UNIT] if questions.ends else [])]
                    # the last ones: the model may have no surprisal for the first unit
                    unigram_bits = math.fsum(map(unigrams.bits, all_units[-n_scored:]))
                n = len(questions.continuations[row]) if name == PER_CHARACTER else n_scored
                values[row] = formula(math.fsum(bits[start:end]), unigram_bits, n)
        return values

    return measure_sentences
