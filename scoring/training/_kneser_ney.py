"""Interpolated modified Kneser–Ney estimates in NumPy, equal to those of KenLM's `lmplz`.

Chen & Goodman 1999 ("An empirical study of smoothing techniques for language modeling", the
discounts are eq. 26), with the conventions at sentence starts, the fallback and the pruning of
Heafield et al. 2013 ("Scalable Modified Kneser-Ney Language Model Estimation"). Everything is in
memory: some 45 bytes for each distinct n-gram, 6 GB for 100 million words (BENCHMARKS.md).

N-grams are counted by sorting numbers. The text is one stream of word indices, each sentence
between one `<s>` and one `</s>`. An n-gram ends at each position that has n - 1 words of its
sentence before it, `<s>` included:

    stream             <s>  the  keys  are  </s>  <s>  yes  </s>
    3-grams end here              x     x    x               x

This gives the same n-grams as `lmplz`, which puts n - 1 `<s>` in front of a sentence but lists only
n-grams with at most one. The n-grams of each order are numbered in suffix order: sorted by the last
word, then the one before it, and so on. An n-gram is coded as a pair of numbers, those of the
n-grams without its first and without its last word: one key of 64 bits, whatever the order. Keys
sort as their n-grams do, and the rank of a key among the distinct ones is the n-gram's number, used
in the keys of the next order.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from ...data.arrays import Floats
from ...data.errors import InputError
from ...data.progress import Progress, silent
from ..models.arpa import Ids, NgramSection
from ..models.words import SPECIAL, check_words, entry_word

UNKNOWN_ID, START_ID, END_ID = range(len(SPECIAL))
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # lmplz --discount_fallback without values


@dataclass(frozen=True, slots=True)
class Discounts:
    """The amounts subtracted from the counts 1, 2 and 3 or more in one order."""

    amounts: tuple[float, float, float]
    fallback: bool  # whether these are the default amounts, as the text gave no valid ones


@dataclass(frozen=True, slots=True)
class BackoffModel:
    """A back-off n-gram model, as an ARPA file lists it."""

    vocabulary: tuple[str, ...]
    sections: tuple[NgramSection, ...]  # order 1 first
    discounts: tuple[Discounts, ...]  # of each order
    n_words: int  # of the text

    @property
    def n_grams(self) -> tuple[int, ...]:
        """Return the number of n-grams of each order that the model lists."""
        return tuple(len(section.head) for section in self.sections)


@dataclass(frozen=True, slots=True)
class NgramTable:
    """The distinct n-grams of one order, in suffix order."""

    head: Ids  # (n_grams,): the first word of each
    suffix: Ids  # (n_grams,): number of the n-gram without its first word, one order lower
    context: Ids  # (n_grams,): number of the n-gram without its last word, one order lower
    counts: Ids  # (n_grams,): occurrences in the text


def estimate(
    sentences: Iterable[Sequence[str]],
    order: int,
    prune: Sequence[int] = (),
    progress: Progress = silent,
) -> BackoffModel:
    """Return the n-gram model of a text. Its order is `order` (≥ 1), or lower if no n-gram is that
    long or none of these is kept.

    `sentences` are looked through once; their order does not matter. N-grams of order n that occur
    at most `prune[n - 1]` times are dropped; the last value holds for all higher orders, the first
    is 0, and none is lower than the one before it. Adjusted counts and discounts are those of the
    whole text. Raises `InputError` for a text without sentences, or with words that models keep for
    themselves.

    >>> model = estimate([("a", "a", "b", "a"), ("b", "a", "a", "b")], 3)
    >>> model.n_grams, round(float(model.sections[0].log10_p[3]), 6)
    ((5, 7, 7), -0.469434)
    """
    assert order >= 1
    assert not prune or (prune[0] == 0 and list(prune) == sorted(prune))
    vocabulary, stream = read_text(sentences)
    n_sentences = int(np.count_nonzero(stream == START_ID))
    n_words = len(stream) - 2 * n_sentences  # without <s> and </s>
    tables: list[NgramTable] = []
    for table in count_ngrams(stream, len(vocabulary), order):
        tables.append(table)
        progress("count n-grams", len(tables), order)
    del stream
    tables.reverse()  # so that the lowest order is taken first, and each freed after its use
    highest_threshold = prune[-1] if prune else 0
    thresholds = [-1, *prune[1:], *[highest_threshold] * len(tables)]  # −1: all words stay
    sections: list[NgramSection] = []
    discounts: list[Discounts] = []
    p = np.array([1 / (len(vocabulary) - 1)])  # order 0: all words but <s> are equally likely
    keep_below = np.ones(1, dtype=bool)  # the n-grams of the order below that are kept
    while tables:
        grams = tables.pop()
        keep = grams.counts > thresholds[len(sections)]
        if not keep.any():
            break
        longer = tables[-1].suffix if tables else None
        adjusted = adjusted_counts(grams, longer, is_lowest=not sections)
        discount = discounts_of(adjusted)
        discounts.append(discount)
        p, gamma = interpolate(grams, adjusted, discount, keep, p)
        if sections:  # the back-off weight is stored with the context, one order lower
            np.log10(gamma[keep_below], out=sections[-1].log10_backoff)
        else:
            p[START_ID] = 1  # by convention; it is never predicted
        # The number of each suffix among the n-grams that are kept.
        suffix = (np.cumsum(keep_below, dtype=np.uint32) - np.uint32(1))[grams.suffix[keep]]
        log10_p = p[keep]
        np.minimum(log10_p, 1, out=log10_p)  # rounding can lift the p of a certain word above 1
        np.log10(log10_p, out=log10_p)
        sections.append(NgramSection(grams.head[keep], suffix, log10_p, np.zeros(len(log10_p))))
        keep_below = keep
        progress("estimate", len(sections), len(sections) + len(tables))
    return BackoffModel(vocabulary, tuple(sections), tuple(discounts), n_words)


def read_text(sentences: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], Ids]:
    """Return the vocabulary (`<unk>`, `<s>`, `</s>`, then every word, sorted), and the text as one
    array of indices into the vocabulary, each sentence between `<s>` and `</s>`.

    Sentences are read once, so they may come from a generator.

    Raises:
        InputError: there are no sentences, or words that models keep for themselves.
    """
    # Words get numbers as they come, and their indices in the sorted vocabulary at the end.
    numbers: defaultdict[str, int] = defaultdict(count(len(SPECIAL)).__next__)
    number_of = numbers.__getitem__
    with_ends = ((START_ID, *map(number_of, words), END_ID) for words in sentences)
    stream = np.fromiter(chain.from_iterable(with_ends), dtype=np.uint32)
    if not len(stream):
        wrong = "there are no sentences"
        raise InputError("training text", wrong, "one sentence or more", kind="empty")
    check_words(numbers)
    entries = list(map(entry_word, numbers))
    vocabulary = (*SPECIAL, *sorted(set(entries)))
    index_of = {word: index for index, word in enumerate(vocabulary)}
    indices = np.array([*range(len(SPECIAL)), *map(index_of.__getitem__, entries)], dtype=np.uint32)
    return vocabulary, indices[stream]


def count_ngrams(stream: Ids, n_words: int, order: int) -> Iterator[NgramTable]:
    """Yield the table of n-grams of each order from 1 to `order`, as long as there are any.

    `n_words` is the size of the vocabulary that `stream` indexes.
    """
    head = np.arange(n_words, dtype=np.uint32)
    empty = np.zeros_like(head)  # the empty n-gram, number 0, is suffix and context of each word
    counts = np.bincount(stream, minlength=len(head)).astype(np.uint32)
    yield NgramTable(head, empty, empty, counts)
    numbers = stream  # number of the n-gram that ends at each position
    ends = np.ones(len(numbers), dtype=bool)  # whether an n-gram ends there
    for n in range(2, order + 1):
        n_shorter = np.uint64(len(head))
        ends[1:] = ends[:-1] & (stream[1:] != START_ID)
        ends[0] = False
        # The n-gram without its first word ends here, that without its last word one word earlier.
        keys = numbers[ends] * n_shorter
        keys += numbers[:-1][ends[1:]]
        if not len(keys):
            return
        sorter = np.argsort(keys) if n < order else None  # the last order needs no ranks: faster
        if sorter is None:
            keys.sort()
        else:
            keys = keys[sorter]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        counts = np.diff(starts, append=len(keys)).astype(np.uint32)
        suffix, context = (part.astype(np.uint32) for part in np.divmod(keys[starts], n_shorter))
        head = head[context]
        if sorter is not None:
            del keys
            number_at_end = np.empty(len(sorter), dtype=np.uint32)
            number_at_end[sorter] = np.repeat(np.arange(len(head), dtype=np.uint32), counts)
            del sorter
            numbers = np.zeros_like(numbers)
            numbers[ends] = number_at_end
        yield NgramTable(head, suffix, context, counts)


def adjusted_counts(grams: NgramTable, suffixes: Ids | None, *, is_lowest: bool) -> Ids:
    """Return the adjusted count of each n-gram, as Kneser & Ney define it: the number of distinct
    words that precede it.

    `suffixes` holds, for each n-gram of the next higher order, the number of the n-gram without its
    first word; it is None for the highest order. N-grams of the highest order, and those that begin
    with `<s>`, keep their plain counts; `<unk>` and `<s>` are never predicted and have 0. (`lmplz`
    uses the plain count for the last n-gram of each lower order when it computes discounts; this
    slip, which matters in tiny texts only, is not copied.)
    """
    if suffixes is None:
        adjusted = grams.counts.copy()
    else:
        n_preceding = np.bincount(suffixes, minlength=len(grams.counts)).astype(np.uint32)
        adjusted = np.where(grams.head == START_ID, grams.counts, n_preceding)
    if is_lowest:
        adjusted[[UNKNOWN_ID, START_ID]] = 0
    return adjusted


def discounts_of(adjusted: Ids) -> Discounts:
    """Return Chen & Goodman's discounts, the amounts to subtract from counts. They are computed
    from t1, t2, t3 and t4, the numbers of n-grams whose adjusted count is 1, 2, 3 and 4.

    Y = t1 / (t1 + 2 t2), D_k = k - (k + 1) Y t_(k+1) / t_k, in integers up to the division.
    As in `lmplz`, defaults replace all three if t1, t2 or t3 is 0 or a discount is negative; here
    also if a discount is 0, since a context whose words all have that count would leave nothing to
    other words: probability 0, infinite surprisal.
    """
    _, t1, t2, t3, t4, _ = np.bincount(np.minimum(adjusted, 5), minlength=6).tolist()
    total = t1 + 2 * t2
    parts = (t1, 2 * t2 * total - 3 * t1 * t3, 3 * t3 * total - 4 * t1 * t4)  # numerators of D_k
    if min(t1, t2, t3, *parts) <= 0:
        return Discounts(FALLBACK_DISCOUNTS, fallback=True)
    return Discounts(
        (parts[0] / total, parts[1] / (t2 * total), parts[2] / (t3 * total)), fallback=False
    )


def interpolate(
    grams: NgramTable, counts: Ids, discount: Discounts, keep: NDArray[np.bool_], p_lower: Floats
) -> tuple[Floats, Floats]:
    """Return p(w|h) of each n-gram, (n_grams,), and the back-off weight gamma(h) of each context,
    (n_contexts,).

    p(w|h) = (a - D) / A(h) + gamma(h) p(w|h'), where a is the adjusted count (`counts`), A(h) its
    sum over the words after h, h' is h without its first word, and gamma(h) the share that
    discounts and pruning free (1 if nothing follows h). Values of n-grams outside `keep` are
    meaningless and not used.
    """
    n_contexts = len(p_lower)
    amounts = np.array((0.0, *discount.amounts))[np.minimum(counts, 3)]  # D of each n-gram
    freed = np.bincount(
        grams.context, weights=np.where(keep, amounts, counts), minlength=n_contexts
    )
    total = np.bincount(grams.context, weights=counts, minlength=n_contexts)
    gamma = np.divide(freed, total, out=np.ones(n_contexts), where=total > 0)
    p = np.subtract(counts, amounts, out=amounts)  # in its memory, as arrays are large
    p /= total[grams.context]
    p += gamma[grams.context] * p_lower[grams.suffix]
    return p, gamma


def log10_of_text(model: BackoffModel, stream: Ids) -> Floats:
    """Return log10 p of each word of a text, given the words before it in its sentence.

    `stream` has indices into the model's vocabulary; values at `<s>` are meaningless. Each pass of
    the loop looks up the n-grams of one order: where one is listed, its log10 p replaces that of
    the order below; elsewhere the context's back-off weight is added.
    """
    n_entries = np.uint64(len(model.vocabulary))
    lowest, *higher = model.sections
    log10_p, log10_backoff = lowest.log10_p[stream], lowest.log10_backoff
    grams = stream.astype(np.int64)  # number of the n-gram that ends here, −1 if it is not listed
    is_start = stream == START_ID
    for n, section in enumerate(higher, start=2):
        context = np.concatenate([[-1], grams[:-1]])  # the shorter n-gram that ends one word before
        context[is_start] = -1
        log10_p += np.where(context < 0, 0.0, log10_backoff[context])
        ends = np.flatnonzero((context >= 0) & (grams >= 0))
        first_words = stream[ends - (n - 1)]
        keys = section.suffix * n_entries + section.head  # one number for each n-gram, ascending
        sought = grams[ends].astype(np.uint64) * n_entries + first_words
        rows = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
        is_listed = keys[rows] == sought
        grams[:] = -1
        grams[ends[is_listed]] = rows[is_listed]
        log10_p = np.where(grams < 0, log10_p, section.log10_p[grams])
        log10_backoff = section.log10_backoff
    return log10_p
