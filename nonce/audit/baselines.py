"""The baselines of the audit: guesses at the right form that know no dependency.

Each gives an item a credit: 1 if it prefers the right form, 0 if the wrong one, half of it if it
cannot decide; of k values between which a guess is undecided, 1/k. The list is that of the leak
audits in the project's facts on minimal pairs (§3.6: the analogue of hypothesis-only baselines).
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from colorless_green.nonce.audit.annotation import (
    first_noun_value,
    last_noun_value,
    nearest_word_value,
    unannotated,
)
from colorless_green.nonce.audit.credit import credit, share
from colorless_green.nonce.audit.elsewhere import Judge, Key, Keys, Labels, Seen
from colorless_green.nonce.audit.pair import Pair, agreement_of, values_of
from colorless_green.nonce.frequencies import UNSEEN, Frequencies
from colorless_green.nonce.item import Item

BOUNDARY = ""  # of a sentence; no word is empty
ORIGINAL = "original"
SMOOTHING = 0.5  # ln((g+.5)/(b+.5)), §3.6


@dataclass(frozen=True, slots=True)
class Baseline:
    """A guess under a name. `lacks` says what a pair misses to be judged; empty if nothing."""

    name: str
    judge: Judge
    keys: Keys | None = None  # what it learns of a pair; none: a fixed rule
    labels: Labels = lambda pair: ()  # between which it chooses, of what it learnt
    reversible: bool = False  # learns nothing of right and wrong: its opposite is a rule as good
    lacks: Callable[[Pair], str] = lambda pair: ""
    chance: Callable[[Pair], float] = lambda pair: 0.5  # of a fair guess


def baselines_of(pairs: Sequence[Pair], frequencies: Frequencies | None) -> tuple[Baseline, ...]:
    """All baselines, in the order of §3.6; `frequencies` are those of unigram, `None` for counts of
    the suite itself."""
    return (
        _by_value("majority_value", _majority, _value_keys),
        _unigram(pairs) if frequencies is None else _unigram_by(frequencies),
        _by_types("words", _types),
        _by_types("bigrams", _bigrams),
        _by_value("prefix_words", _prefix, _prefix_keys),
        _by_word("last_noun", last_noun_value),
        _by_word("first_noun", first_noun_value),
        _by_word("nearest_word", nearest_word_value),
        _by_types("target_letters", _trigrams),
        _shorter("shorter_in_words", lambda pair: len(pair.wrong) - len(pair.right)),
        _shorter("shorter_in_letters", lambda pair: pair.wrong_length - pair.right_length),
    )


def _by_value(name: str, judge: Judge, keys: Keys) -> Baseline:
    return Baseline(name, judge, keys, values_of, lacks=_no_value, chance=_one_of_values)


def _by_types(name: str, types: "Types") -> Baseline:
    return Baseline(name, _likelier(types), _sided(types), _sides)


def _by_word(name: str, judge: Judge) -> Baseline:
    return Baseline(name, judge, reversible=True, lacks=unannotated, chance=_one_of_values)


def _shorter(name: str, longer_by: Callable[[Pair], int]) -> Baseline:
    return Baseline(name, lambda pair, _: credit(longer_by(pair)), reversible=True)


def _sides(pair: Pair) -> tuple[bool, bool]:
    return True, False


def _no_value(pair: Pair) -> str:
    return "" if pair.item.agreement is not None else "no facts of agreement"


def _one_of_values(pair: Pair) -> float:
    return 1 / len(values_of(pair))


def _value_keys(pair: Pair) -> Iterator[Key]:
    yield agreement_of(pair).value, None  # one pair more of this value


def _majority(pair: Pair, seen: Seen) -> float:
    return share({each: seen((each, None)) for each in values_of(pair)}, agreement_of(pair).value)


# Sides: the right or wrong sentence as a set of types, their log-odds summed.

Types = Callable[[Pair], tuple[frozenset[Hashable], frozenset[Hashable]]]


def _sided(types: Types) -> Keys:
    """What a pair shows of its types: in which of its sentences each stands."""

    def keys(pair: Pair) -> Iterator[Key]:
        right, wrong = types(pair)
        yield from ((True, each) for each in right)
        yield from ((False, each) for each in wrong)

    return keys


def _likelier(types: Types) -> Judge:
    """The sentence with the higher sum of ln((g+.5)/(b+.5)) over its types is the guess; g, b: how
    many right and wrong sentences had the type. What both sentences have weighs nothing."""

    def weight(each: Hashable, seen: Seen) -> float:
        # A difference of logs: swapping g and b gives exactly the negative.
        return math.log(seen((True, each)) + SMOOTHING) - math.log(seen((False, each)) + SMOOTHING)

    def judge(pair: Pair, seen: Seen) -> float:
        right, wrong = types(pair)
        gains = [weight(each, seen) for each in right - wrong]
        losses = [-weight(each, seen) for each in wrong - right]
        return credit(math.fsum([*gains, *losses]))  # fsum: the order of a set does not show

    return judge


def _types(pair: Pair) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    return frozenset(pair.right), frozenset(pair.wrong)


def _bigrams(pair: Pair) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    right, wrong = ((BOUNDARY, *words, BOUNDARY) for words in (pair.right, pair.wrong))
    return frozenset(pairwise(right)), frozenset(pairwise(wrong))


def _trigrams(pair: Pair) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    return frozenset(_letters(pair.right_forms)), frozenset(_letters(pair.wrong_forms))


def _letters(forms: Iterable[str]) -> Iterator[str]:
    """Three letters in a row of each form, with a mark at either end."""
    for form in forms:
        marked = f"^{form}$"
        yield from (marked[start : start + 3] for start in range(len(marked) - 2))


# The context before the target, as evidence for a value.


def _prefix_types(pair: Pair) -> frozenset[str]:
    agreement = agreement_of(pair)
    return frozenset(token.lower() for token in agreement.tokens[: agreement.target_index])


def _prefix_keys(pair: Pair) -> Iterator[Key]:
    value = agreement_of(pair).value
    yield value, None  # one prefix more of this value
    yield from ((value, each) for each in _prefix_types(pair))


def _prefix(pair: Pair, seen: Seen) -> float:
    """The value whose prefixes had the words of this one more often: naive Bayes without a prior,
    which the majority value has to itself; words seen with no value say nothing."""
    values = values_of(pair)
    known = [each for each in _prefix_types(pair) if any(seen((value, each)) for value in values)]
    scores = {}
    for value in values:
        total = math.log(seen((value, None)) + 2 * SMOOTHING)
        logs = [math.log(seen((value, each)) + SMOOTHING) - total for each in known]
        scores[value] = math.fsum(logs)
    return share(scores, agreement_of(pair).value)


# Unigram frequency: the mean octave of the forms, so that length stays its own baseline.


def _unigram_by(frequencies: Frequencies) -> Baseline:
    octave = frequencies.octave
    return Baseline("unigram", lambda pair, _: _more_frequent(pair, octave), reversible=True)


def _unigram(pairs: Sequence[Pair]) -> Baseline:
    """Frequencies of the suite itself, from other clusters than the pair's own: the originals as
    they stand in their treebank; where there is none, both sentences of each pair, since counts of
    right sentences alone would tell which words are right, not which are frequent."""
    any_original = has_originals(pair.item for pair in pairs)

    def keys(pair: Pair) -> Iterator[Key]:
        if not any_original or pair.item.kind == ORIGINAL:
            yield from ((True, word) for word in pair.right)
            yield from ((False, word) for word in pair.wrong)

    def judge(pair: Pair, seen: Seen) -> float:
        sides = (True,) if any_original else (True, False)
        return _more_frequent(
            pair, lambda form: math.log2(sum(seen((side, form)) for side in sides) or UNSEEN)
        )

    return Baseline("unigram", judge, keys, _sides, reversible=not any_original)


def has_originals(items: Iterable[Item]) -> bool:
    """Whether any item is a sentence as its treebank has it."""
    return any(item.kind == ORIGINAL for item in items)


def _more_frequent(pair: Pair, octave: Callable[[str], float]) -> float:
    if not pair.right_forms or not pair.wrong_forms:
        return credit(0.0)
    right, wrong = (
        math.fsum(map(octave, forms)) / len(forms) for forms in (pair.right_forms, pair.wrong_forms)
    )
    return credit(right - wrong)
