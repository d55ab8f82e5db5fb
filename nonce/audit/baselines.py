"""The baselines of the audit: guesses at the right form that know no dependency.

Each gives an item a credit: 1 if it prefers the right form, 0 if the wrong one, half of it if it
cannot decide; of k values between which a guess is undecided, 1/k. They are
to minimal pairs what hypothesis-only baselines are to inference.

One more is a function that says in its docstring what is guessed (up to a colon, how a verdict
calls it), and a line in `BASELINES`.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from ...data.items.features import value_of
from ...data.items.item import Item
from ..variants.frequencies import UNSEEN, Frequencies
from ..variants.pseudo.letters import triples
from ._learning import Keys, Labels, LearningKey, PairJudge, SeenCount
from .audited_pairs import RELATION, AuditPair

TIE = 1e-9  # sums of logarithms that are equal on paper differ by less, those that are not by more
BOUNDARY = ""  # of a sentence; no word is empty
ORIGINAL, COMPOSED = "original", "composed"  # kinds of items
NONE = "none"  # the relation of an item with no nominal between cue and target
SMOOTHING = 0.5  # ln((g+.5)/(b+.5)) of a word seen g times in right sentences, b in wrong
NOUNS = frozenset({"NOUN", "PROPN"})
NOMINALS = NOUNS | {"PRON"}
WINDOW = 4  # words
STEP = 5  # characters: a prefix is not known by its exact length
NO_AGREEMENT, NO_ANNOTATION = "no facts of agreement", "no annotation of the words"
NO_DIFFERENCE = "no word in which the sentences differ"

Context: TypeAlias = frozenset[Hashable]
"""What stands before a target"""
Types: TypeAlias = tuple[frozenset[Hashable], frozenset[Hashable]]
"""What the right sentence has, and what the wrong one"""
Values: TypeAlias = Sequence[tuple[str, frozenset[str]]]
"""POS and values of each token before the target that has one of those in question"""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A guess at the right form."""

    guess: str  # what is guessed, for people
    judge: PairJudge
    keys: Keys | None = None  # what it learns of a pair; none: a fixed rule
    labels: Labels = lambda pair: ()  # between which it chooses, of what it learnt
    reversible: bool = False  # learns nothing of right and wrong: its opposite is a rule as good
    lacks: Callable[[AuditPair], str] = lambda pair: (
        ""
    )  # what a pair misses to be judged; "" if nothing
    chance: Callable[[AuditPair], float] = lambda pair: 0.5  # of a fair guess
    finds_cue: bool = False  # by construction: right where grammar is easy, and no fault of a set
    reach: int = 0  # words directly before the target that it looks at, at the least

    def meets_head(self, pair: AuditPair) -> bool:
        """Whether it looks at the head of a composed set itself: nothing stands between head and
        target, or too little. Such an item says nothing of a guess that passes over the head."""
        item, facts = pair.item, pair.item.agreement
        if not self.reach or item.kind != COMPOSED or facts is None:
            return False
        return item.facts.get(RELATION) == NONE or facts.gap < self.reach

    @property
    def phrase(self) -> str:
        """What it is called in a sentence."""
        name = self.guess.partition(":")[0].removesuffix(".")
        return name[0].lower() + name[1:]


def credit(margin: float) -> float:
    """1 for a positive margin of the right form over the wrong one, 0 for a negative, ½ for a
    tie."""
    return 0.5 if abs(margin) <= TIE else float(margin > 0)


def _share(scores: Mapping[str, float], right: str) -> float:
    """Of the values with the highest score, the share that `right` is: 1 alone, 1/k among k, 0 if
    it is not among them."""
    highest = max(scores.values())
    best = [value for value, score in scores.items() if highest - score <= TIE]
    return float(right in best) / len(best)


def _text(function: Callable[..., object]) -> str:
    return " ".join((function.__doc__ or "").split())


def _of_options(
    judge: PairJudge, keys: Keys, source: Callable[..., object], *, values_only: bool = False
) -> Baseline:
    """Chooses between values; where none is known, between the words in which the sentences
    differ, unless `values_only`."""

    def lacks(pair: AuditPair) -> str:
        if values_only and not pair.values:
            return NO_AGREEMENT
        return "" if pair.options else NO_DIFFERENCE

    return Baseline(
        guess=_text(source),
        judge=judge,
        keys=keys,
        labels=lambda pair: pair.options,
        lacks=lacks,
        chance=lambda pair: 1 / len(pair.options),
    )


def _majority_value(pair: AuditPair, seen: SeenCount) -> float:
    """Always the value that is more often right."""
    return _share({option: seen((option, None)) for option in pair.options}, pair.answer)


def _adjacent_word(pair: AuditPair, seen: SeenCount) -> float:
    """The adjacent word: the value that came more often after the word directly before the
    target."""
    word = _adjacent(pair)
    return _share({option: seen((option, word)) for option in pair.options}, pair.answer)


def _adjacent(pair: AuditPair) -> str:
    return pair.prefix[-1] if pair.prefix else BOUNDARY


def _by_types(types: Callable[[AuditPair], Types]) -> Baseline:
    """The sentence with the higher sum of ln((g+.5)/(b+.5)) over its types is the guess; g, b: how
    many right and wrong sentences had the type. What both sentences have weighs nothing."""

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        for side, kinds in zip((True, False), types(pair), strict=True):
            yield from ((side, kind) for kind in kinds)

    def weight(kind: Hashable, seen: SeenCount) -> float:
        # A difference of logs: swapping g and b gives exactly the negative.
        return math.log(seen((True, kind)) + SMOOTHING) - math.log(seen((False, kind)) + SMOOTHING)

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        right, wrong = types(pair)
        gains = [weight(kind, seen) for kind in right - wrong]
        losses = [-weight(kind, seen) for kind in wrong - right]
        return credit(math.fsum([*gains, *losses]))  # fsum: the order of a set does not show

    return Baseline(_text(types), judge, keys, lambda pair: (True, False))


def _words(pair: AuditPair) -> Types:
    """A bag of words: the sentence whose words have the higher sum of ln((g+.5)/(b+.5)), where g
    and b are the right and wrong sentences that had the word."""
    return frozenset(pair.right), frozenset(pair.wrong)


def _bigrams(pair: AuditPair) -> Types:
    """A bag of bigrams: as `words`, with pairs of neighbours, beginning and end of the sentence
    marked."""
    right, wrong = ((BOUNDARY, *words, BOUNDARY) for words in (pair.right, pair.wrong))
    return frozenset(pairwise(right)), frozenset(pairwise(wrong))


def _target_letters(pair: AuditPair) -> Types:
    """The letters of the target: as `words`, with its letters three by three, both ends marked."""
    sides = (pair.right_forms, pair.wrong_forms)
    right, wrong = (frozenset[str]().union(*map(triples, forms)) for forms in sides)
    return right, wrong


def _by_context(context: Callable[[AuditPair], Context], *, values_only: bool = False) -> Baseline:
    """The value whose contexts had what this one has more often: naive Bayes without a prior,
    which the majority value has to itself; what was seen with no value says nothing."""

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        return ((pair.answer, clue) for clue in (None, *context(pair)))  # None: one pair more

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        counts = [[seen((value, clue)) for value in pair.options] for clue in context(pair)]
        informative = [row for row in counts if any(row)]
        scores = {}
        for number, value in enumerate(pair.options):
            total = math.log(seen((value, None)) + 2 * SMOOTHING)
            scores[value] = math.fsum(
                [math.log(row[number] + SMOOTHING) - total for row in informative]
            )
        return _share(scores, pair.answer)

    return _of_options(judge, keys, context, values_only=values_only)


def _prefix_words(pair: AuditPair) -> Context:
    """The words of the prefix: the value before whose targets they stood more often (naive Bayes,
    without a prior: that is `majority_value`'s)."""
    return frozenset(pair.prefix)


def _window(pair: AuditPair) -> Context:
    """A window of four words: as `prefix_words`, with the four words before the target."""
    return frozenset(pair.prefix[-WINDOW:])


def _length(pair: AuditPair) -> Context:
    """The length of the prefix without the cue and its determiner: as `prefix_words`, with its
    number of words and, in steps of five, of characters; of the whole prefix where no cue is
    known."""
    facts, words = pair.item.agreement, pair.prefix
    if facts is not None:  # a plural is longer by its ending, which is what grammar goes by
        cue = facts.cue_index
        is_determined = facts.upos[max(cue - 1, 0) : cue] == ("DET",)
        words = words[: cue - is_determined] + words[cue + 1 :]
    n_characters = len(" ".join(words))
    return frozenset({("words", len(words)), ("characters", n_characters // STEP)})


def _by_annotation(choose: Callable[[Values], frozenset[str] | None]) -> Baseline:
    """The value of one word before the target, by the annotation of the surface tokens, which
    suites from a `.tab` file or of sentences alone do not have. It is read under the name that cue
    or target has it under; undecided where no word tells one."""

    def lacks(pair: AuditPair) -> str:
        facts = pair.item.agreement
        if facts is None:
            return NO_AGREEMENT
        return "" if facts.upos and facts.feats else NO_ANNOTATION

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        facts = pair.agreement
        names = {facts.cue_feature or facts.feature, facts.target_feature or facts.feature}
        words = []
        for upos, feats in zip(
            facts.upos[: facts.target_index], facts.feats[: facts.target_index], strict=True
        ):  # several values where a token is annotated `Fem,Masc`
            marked = {value for name in names for value in (value_of(feats, name) or "").split(",")}
            if values := marked.intersection(pair.values):
                words.append((upos, frozenset(values)))
        options = choose(words) or pair.values
        return _share({value: float(value in options) for value in pair.values}, facts.value)

    return Baseline(
        _text(choose), judge, reversible=True, lacks=lacks, chance=lambda pair: 1 / len(pair.values)
    )


def _nearest_noun(words: Values) -> frozenset[str] | None:
    """The nearest noun: the value of the last noun, name or pronoun before the target."""
    return next((values for upos, values in reversed(words) if upos in NOMINALS), None)


def _first_noun(words: Values) -> frozenset[str] | None:
    """The first noun: the value of the first noun or name before the target."""
    return next((values for upos, values in words if upos in NOUNS), None)


def _nearest_word(words: Values) -> frozenset[str] | None:
    """The nearest word with the feature: the value of the last word before the target that has
    it."""
    return words[-1][1] if words else None


def _by_length(longer_by: Callable[[AuditPair], int]) -> Baseline:
    return Baseline(_text(longer_by), lambda pair, seen: credit(longer_by(pair)), reversible=True)


def _shorter_in_words(pair: AuditPair) -> int:
    """The sentence of fewer words."""
    return len(pair.wrong) - len(pair.right)


def _shorter_in_letters(pair: AuditPair) -> int:
    """The sentence of fewer characters."""
    return pair.wrong_length - pair.right_length


def _unigram(pairs: Sequence[AuditPair], frequencies: Frequencies | None) -> Baseline:
    """The more frequent form: of several words, by the mean of their log frequencies."""
    if frequencies is not None:
        frequency_class = frequencies.frequency_class
        return Baseline(
            _text(_unigram),
            lambda pair, seen: _more_frequent(pair, frequency_class),
            reversible=True,
        )
    # Frequencies of the suite itself, from other clusters than the pair's own: the originals as
    # they stand in their treebank; where there is none, both sentences of each pair, since counts
    # of right sentences alone would tell which words are right, not which are frequent.
    any_original = has_originals(pair.item for pair in pairs)
    sides = (True,) if any_original else (True, False)

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        if not any_original or pair.item.kind == ORIGINAL:
            yield from ((True, word) for word in pair.right)
            yield from ((False, word) for word in pair.wrong)

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        return _more_frequent(
            pair, lambda form: math.log2(sum(seen((side, form)) for side in sides) or UNSEEN)
        )

    return Baseline(
        _text(_unigram), judge, keys, lambda pair: (True, False), reversible=not any_original
    )


def _more_frequent(pair: AuditPair, frequency_class: Callable[[str], float]) -> float:
    if not pair.right_forms or not pair.wrong_forms:
        return credit(0.0)
    right, wrong = (
        math.fsum(map(frequency_class, forms)) / len(forms)
        for forms in (pair.right_forms, pair.wrong_forms)
    )
    return credit(right - wrong)


def has_originals(items: Iterable[Item]) -> bool:
    """Whether any item is a sentence as its treebank has it."""
    return any(item.kind == ORIGINAL for item in items)


BASELINES: Mapping[str, Baseline] = {
    "majority_value": _of_options(
        _majority_value, lambda pair: [(pair.answer, None)], _majority_value, values_only=True
    ),
    "unigram": _unigram((), None),  # see `baselines_of`
    "words": _by_types(_words),
    "bigrams": replace(_by_types(_bigrams), reach=1),
    "prefix_words": replace(_by_context(_prefix_words, values_only=True), finds_cue=True),
    "window": replace(_by_context(_window), reach=WINDOW),
    "adjacent_word": replace(
        _of_options(_adjacent_word, lambda pair: [(pair.answer, _adjacent(pair))], _adjacent_word),
        reach=1,
    ),
    "length": _by_context(_length),
    "nearest_noun": replace(_by_annotation(_nearest_noun), reach=1),
    "first_noun": replace(_by_annotation(_first_noun), finds_cue=True),
    "nearest_word": replace(_by_annotation(_nearest_word), reach=1),
    "target_letters": _by_types(_target_letters),
    "shorter_in_words": _by_length(_shorter_in_words),
    "shorter_in_letters": _by_length(_shorter_in_letters),
}
"""All baselines, in the order of the audit's table."""
CUE_FINDERS = frozenset(name for name, baseline in BASELINES.items() if baseline.finds_cue)
"""Right by the way items are made, where the cue is the first noun or one of the words before the
target: no measure of what needs no grammar"""


def baselines_of(
    pairs: Sequence[AuditPair], frequencies: Frequencies | None
) -> dict[str, Baseline]:
    """All baselines for these pairs; `frequencies` are those of `unigram`, `None` for counts of the
    suite itself."""
    return {**BASELINES, "unigram": _unigram(pairs, frequencies)}
