"""Interpolated modified Kneser–Ney estimates in NumPy, equal to those of KenLM's `lmplz`.

Chen & Goodman 1999 ("An empirical study of smoothing techniques for language modeling", the
discounts are eq. 26), with the conventions at sentence starts, the fallback and the pruning of
Heafield et al. 2013 ("Scalable Modified Kneser-Ney Language Model Estimation").

The text is one stream of word indices, each sentence between one `<s>` and one `</s>`:

    stream   <s>  the  keys  are  </s>  <s>  yes  </s>
    depth      0    1     2    3     4    0    1     2

An n-gram ends wherever the depth is at least n - 1, except on `<s>` itself. All n-grams of one
order are numbered by sorting the pairs (number of the n-gram without its first word, first word),
so that they lie in suffix order and no key is longer than 64 bits, however high the order. What
`lmplz` counts with n - 1 `<s>` in front of a sentence is then counted already: it, too, lists only
n-grams with at most one.

This is the simple version, for text whose arrays fit in memory; `large.py` gives the same bytes for
text of any size.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.scoring.arpa import Section
from colorless_green.scoring.words import SPECIAL, check_words, entry_word

Ids: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

UNKNOWN_ID, START_ID, END_ID = range(len(SPECIAL))
FALLBACK = (0.5, 1.0, 1.5)  # lmplz --discount_fallback without values


@dataclass(frozen=True, slots=True)
class Text:
    """A text as indices into its vocabulary."""

    vocabulary: tuple[str, ...]  # <unk>, <s>, </s>, then every word of the text, sorted
    stream: Ids  # (n_positions,)
    depth: Ids  # (n_positions,): how far from the sentence's <s>


@dataclass(frozen=True, slots=True)
class Grams:
    """The distinct n-grams of one order, sorted by last word, then the one before, and so on."""

    words: Ids  # (n_grams, order)
    counts: Ids  # (n_grams,): how often in the text
    context: Ids  # (n_grams,): index of the n-gram without its last word, one order lower
    suffix: Ids  # (n_grams,): index of the n-gram without its first word, one order lower


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken from the counts 1, 2 and 3 or more of one order."""

    amounts: tuple[float, float, float]
    fallback: bool  # whether the counts of counts gave none


@dataclass(frozen=True, slots=True)
class Estimates:
    """A back-off model, as an ARPA file lists it."""

    vocabulary: tuple[str, ...]
    sections: tuple[Section, ...]  # order 1 first
    discounts: tuple[Discounts, ...]  # of each order


def estimate(
    sentences: Iterable[Sequence[str]],
    order: int,
    prune: Sequence[int] = (),
    progress: Progress = silent,
) -> Estimates:
    """The model of `order` (≥ 1); of a lower one where no n-gram is that long, or none is kept.

    `prune[n - 1]` drops the n-grams that occur so often or less; its last value holds for all
    higher orders; it starts with 0 and never falls. Adjusted counts and discounts are those of the
    whole text. The order of the sentences does not matter. Raises `InputError` for a text without
    sentences and for words that models keep for themselves.
    """
    assert order >= 1
    assert not prune or (prune[0] == 0 and list(prune) == sorted(prune))
    text = read_text(sentences)
    levels = []
    for grams in _levels(text, order):
        levels.append(grams)
        progress("count n-grams", len(levels), order)
    thresholds = thresholds_of(prune, len(levels))
    adjusted = [
        _adjusted(grams, above) for grams, above in zip(levels, [*levels[1:], None], strict=True)
    ]
    discounts = tuple(discounts_of(counts_of_counts(each)) for each in adjusted)
    sections = _sections(text, levels, adjusted, discounts, thresholds)
    kept = tuple(section for section in sections if len(section.words))
    return Estimates(text.vocabulary, kept, discounts[: len(kept)])


def read_text(sentences: Iterable[Sequence[str]]) -> Text:
    """`sentences` as one stream; each is seen once, so that they may come from a generator."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    lengths: list[int] = []

    def numbered() -> Iterator[int]:
        for words in sentences:
            lengths.append(len(words))
            yield from map(numbers.__getitem__, words)

    flat = np.fromiter(numbered(), dtype=np.int64)
    if not lengths:
        raise InputError(
            "training text", "there are no sentences", "one sentence or more", kind="empty"
        )
    vocabulary, final = vocabulary_of(numbers)
    sizes = np.array(lengths, dtype=np.int64) + 2
    starts = np.cumsum(sizes) - sizes
    stream = np.zeros(sizes.sum(), dtype=np.int64)
    stream[starts] = START_ID
    stream[starts + sizes - 1] = END_ID
    stream[stream == 0] = final[flat]
    return Text(vocabulary, stream, np.arange(len(stream)) - np.repeat(starts, sizes))


def vocabulary_of(words: Mapping[str, int]) -> tuple[tuple[str, ...], Ids]:
    """The vocabulary of a text, and the index there of each of its words, in their order.

    Raises `InputError` for words that models keep for themselves.
    """
    check_words(words)
    vocabulary = (*SPECIAL, *sorted(set(map(entry_word, words))))
    place = {word: index for index, word in enumerate(vocabulary)}
    return vocabulary, np.array([place[entry_word(word)] for word in words], dtype=np.int64)


def thresholds_of(prune: Sequence[int], order: int) -> tuple[int, ...]:
    """Of each order from 1: n-grams that occur so often or less are dropped."""
    return (*prune, *[prune[-1] if prune else 0] * order)[:order]


def _levels(text: Text, order: int) -> Iterator[Grams]:
    """The n-grams of each order from 1, as far as there are any."""
    size = len(text.vocabulary)
    yield words_alone(np.bincount(text.stream, minlength=size))
    ending = text.stream  # index of the n-gram that ends at each position
    for n in range(2, order + 1):
        last = np.flatnonzero(text.depth >= n - 1)
        if not len(last):
            return
        keys = ending[last] * size + text.stream[last - n + 1]
        _, first, inverse, counts = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        seen = last[first]
        words = text.stream[seen[:, None] + np.arange(1 - n, 1)]
        yield Grams(words, counts, context=ending[seen - 1], suffix=ending[seen])
        ending = np.zeros_like(ending)
        ending[last] = inverse


def words_alone(counts: Ids) -> Grams:
    """The 1-grams of a vocabulary, from how often each is in the text."""
    everything = np.arange(len(counts)).reshape(-1, 1)
    nowhere = np.zeros_like(counts)  # the empty n-gram is context and suffix of each word
    return Grams(everything, counts, context=nowhere, suffix=nowhere)


def _adjusted(grams: Grams, above: Grams | None) -> Ids:
    """Kneser & Ney's counts: how many distinct words stand before each n-gram.

    `above` are the n-grams of the next order. The highest order, and n-grams that begin with
    `<s>`, keep their counts; `<unk>` and `<s>` are never predicted and have 0. (`lmplz` gives the
    last n-gram of each lower order its plain count in the counts of counts; that slip, which
    changes a discount in texts of a few words at most, is not copied.)
    """
    if above is None:
        result = grams.counts.copy()
    else:
        left_neighbours = np.bincount(above.suffix, minlength=len(grams.counts))
        result = np.where(grams.words[:, 0] == START_ID, grams.counts, left_neighbours)
    if grams.words.shape[1] == 1:
        result[[UNKNOWN_ID, START_ID]] = 0
    return result


def counts_of_counts(adjusted: Ids) -> Ids:
    """How many n-grams have the adjusted counts 1, 2, 3 and 4, (4,)."""
    return np.bincount(np.minimum(adjusted, 5), minlength=6)[1:5]


def discounts_of(t: Sequence[int] | Ids) -> Discounts:
    """Chen & Goodman's discounts from the numbers t1 … t4 of n-grams with count 1 … 4.

    Y = t1 / (t1 + 2 t2), D_k = k - (k + 1) Y t_(k+1) / t_k, in whole numbers up to the division.
    As in `lmplz`, all three fall back together where t1, t2 or t3 is 0 or a discount is negative;
    here also where one is exactly 0, since a context whose words all have that count would leave
    nothing to other words: probability 0, infinite surprisal.
    """
    t1, t2, t3, t4 = map(int, t)
    whole = t1 + 2 * t2
    over = (t1, 2 * t2 * whole - 3 * t1 * t3, 3 * t3 * whole - 4 * t1 * t4)
    if min(t1, t2, t3, *over) <= 0:
        return Discounts(FALLBACK, fallback=True)
    return Discounts(
        (over[0] / whole, over[1] / (t2 * whole), over[2] / (t3 * whole)), fallback=False
    )


def _sections(
    text: Text,
    levels: Sequence[Grams],
    adjusted: Sequence[Ids],
    discounts: Sequence[Discounts],
    thresholds: Sequence[int],
) -> tuple[Section, ...]:
    """Probabilities order by order, from below; then each order's back-off weights from above."""
    p = below_words(len(text.vocabulary))
    kept, log10_p, log10_gamma = [], [], []
    for grams, a, discount, threshold in zip(levels, adjusted, discounts, thresholds, strict=True):
        kept.append((grams.counts > threshold) | (grams is levels[0]))
        p, gamma = interpolated(grams, a, discount, kept[-1], p)
        if grams is levels[0]:
            p[START_ID] = 1  # by convention; it is never predicted
        log10_p.append(log10_of(p))
        log10_gamma.append(np.log10(gamma))
    backoffs = [*log10_gamma[1:], np.zeros(len(p))]  # weights belong to the order of the context
    return tuple(
        Section(grams.words[keep], logs[keep], backoff[keep])
        for grams, keep, logs, backoff in zip(levels, kept, log10_p, backoffs, strict=True)
    )


def below_words(n_types: int) -> Floats:
    """What 1-grams fall back to: every word but `<s>` is equally likely."""
    return np.array([1 / (n_types - 1)])


def interpolated(
    grams: Grams, a: Ids, discount: Discounts, kept: NDArray[np.bool_], p_lower: Floats
) -> tuple[Floats, Floats]:
    """p(w|h) of each n-gram, (n_grams,), and gamma(h) of each context, (n_contexts,).

    p(w|h) = (a - D) / A(h) + gamma(h) p(w|h'), where A(h) sums a over the words after h, h' lacks
    h's first word, and gamma(h) is the share that discounts and pruning free; 1 where nothing
    follows h. Values of n-grams that are not kept have no meaning, and nothing kept uses them.
    """
    n_contexts = len(p_lower)

    def times(which: NDArray[np.bool_]) -> Ids:
        return np.bincount(grams.context[which], minlength=n_contexts)

    total = np.bincount(grams.context, weights=a, minlength=n_contexts)
    pruned = np.bincount(grams.context, weights=np.where(kept, 0, a), minlength=n_contexts)
    n_by_count = [times(kept & (a == 1)), times(kept & (a == 2)), times(kept & (a > 2))]
    gamma = np.divide(
        freed(n_by_count, pruned, discount), total, out=np.ones(n_contexts), where=total > 0
    )
    own = (a - taken(a, discount)) / total[grams.context]
    return own + gamma[grams.context] * p_lower[grams.suffix], gamma


def log10_of(p: Floats) -> Floats:
    """log10 p; rounding can have lifted the p of a sure word above 1."""
    logs: Floats = np.log10(np.minimum(p, 1))
    return logs


def taken(a: Ids, discount: Discounts) -> Floats:
    """What is taken from each adjusted count."""
    amounts: Floats = np.array((0.0, *discount.amounts))
    return amounts[np.minimum(a, 3)]


def freed(n_by_count: Sequence[Ids], pruned: Ids | Floats, discount: Discounts) -> Floats:
    """What all n-grams after a context leave to others, for each context.

    `n_by_count` says how many of those kept have the adjusted counts 1, 2, and 3 or more, `pruned`
    is the sum of the adjusted counts of the others. Whole numbers until here, so that the order
    in which they were added does not show.
    """
    one, two, more = (amount * n for amount, n in zip(discount.amounts, n_by_count, strict=True))
    total: Floats = one + two + more + pruned
    return total
