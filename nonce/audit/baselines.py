"""The baselines of the audit: guesses at the right form that know no dependency.

Each gives an item a credit: 1 if it prefers the right form, 0 if the wrong one, 1/k if it cannot
decide between k. They are to minimal pairs what hypothesis-only baselines are to inference.

To add one, write a function and a line in `BASELINES`. Its docstring begins with *Guess by*; the
text from there to a colon is its name in a verdict.

Counts of what was seen in other clusters than an item's own.

A bag of words that has read eight twins of a sentence knows the ninth. So whatever a baseline
learns, it learns from other clusters: an original and all its variants, or nothing of them. Counts
are additive, so nothing is trained anew: one pass adds up what every pair shows, a second takes
off what the pair's own cluster has shown.

Leaving out has a fault of its own. Where a set has a form as often right as wrong, what is left
without a cluster in which it is right has it more often wrong: a learner then errs every time, for
no other reason than that the set is balanced, and a leak beside it is drowned. Therefore a learner
is undecided also where the two sides come out equal once the cluster is back in, be it with its own
labels or with turned ones (right for wrong, one value for the other). That tells it nothing of the
labels, since all are tried, and costs little: an exact tie of sums is rare but by design.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, TypeAlias

from ...data.items.item import RIGHT, WRONG, Item, sentence_text
from ..variants.frequencies import UNSEEN, Frequencies
from ..variants.pseudo.letters import triples
from .audited_pairs import (
    FIRST_NOUN,
    NOMINALS,
    NOUNS,
    AuditPair,
    PrefixWord,
    Values,
    annotated_prefix,
)

LearningKey: TypeAlias = tuple[Hashable, Hashable]
"""(label, what was seen under it): a word in a right sentence, a word before a plural."""
SeenCount: TypeAlias = Callable[[LearningKey], int]
"""How often a key was shown by the pairs that a judge may learn from."""
Keys: TypeAlias = Callable[[AuditPair], Iterable[LearningKey]]
"""What a pair shows; a key may come more than once."""
Labels: TypeAlias = Callable[[AuditPair], tuple[Hashable, ...]]
"""The options that a judge chooses from: right and wrong, or the values; () for none."""
PairJudge: TypeAlias = Callable[[AuditPair, SeenCount], float]
"""The credit of a pair."""


def leave_cluster_out(
    pairs: Sequence[AuditPair], keys: Keys, judge: PairJudge, labels: Labels
) -> list[float]:
    """Return the credits of pairs, each judged by all other clusters of its pool; 1/k for k labels
    where its own cluster put back would make a tie."""
    totals: dict[str, Counter[LearningKey]] = {}
    members: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(pairs):
        totals.setdefault(pair.pool, Counter()).update(keys(pair))
        members.setdefault((pair.pool, pair.cluster), []).append(index)
    credits = [0.0] * len(pairs)
    for (pool, _), indices in members.items():
        inside = Counter(key for index in indices for key in keys(pairs[index]))
        elsewhere = _difference(totals[pool], inside)
        back: dict[tuple[Hashable, ...], list[SeenCount]] = {}
        for index in indices:
            pair, choices = pairs[index], labels(pairs[index])
            if choices not in back:
                back[choices] = list(_counts_with_cluster(totals[pool], inside, choices))
            credit = judge(pair, elsewhere)
            is_tie = any(0 < judge(pair, seen) < 1 for seen in back[choices])
            credits[index] = 1 / len(choices) if is_tie else credit
    return credits


def _difference(total: Mapping[LearningKey, int], inside: Mapping[LearningKey, int]) -> SeenCount:
    """Return how often a key was seen outside a cluster."""
    return lambda key: total.get(key, 0) - inside.get(key, 0)


def _counts_with_cluster(
    total: Mapping[LearningKey, int], inside: Mapping[LearningKey, int], choices: Sequence[Hashable]
) -> Iterator[SeenCount]:
    """Yield the counts with the pair's own cluster put back, its labels turned on by 0, 1, 2 …
    places; a key that was not seen elsewhere under any label stays unseen."""
    cluster_clues = {clue for _, clue in inside}
    elsewhere = {
        clue
        for clue in cluster_clues
        if any(total.get((choice, clue), 0) > inside.get((choice, clue), 0) for choice in choices)
    }
    for turn in range(len(choices)):
        turned = dict(zip(choices, (*choices[turn:], *choices[:turn]), strict=True))

        def seen(key: LearningKey, turned: Mapping[Hashable, Hashable] = turned) -> int:
            label, clue = key
            if clue not in cluster_clues:
                return total.get(key, 0)
            if clue not in elsewhere:
                return 0
            back = inside.get((turned.get(label, label), clue), 0)
            return total.get(key, 0) - inside.get(key, 0) + back

        yield seen


TIE = 1e-9  # sums of logarithms that are equal on paper differ by less, those that are not by more
BOUNDARY = ""  # of a sentence; no word is empty
ORIGINAL = "original"  # kind of items
SMOOTHING = 0.5  # ln((g+.5)/(b+.5)) of a word seen g times in right sentences, b in wrong
WINDOW = 4  # words
STEP = 5  # characters: a prefix is not known by its exact length
NO_AGREEMENT, NO_ANNOTATION = "no facts of agreement", "no annotation of the words"
NO_DIFFERENCE = "no word in which the sentences differ"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A guess at the right form.

    Attributes:
        guess: what it guesses by, for people.
        judge: gives the credit of a pair.
        keys: what it learns from a pair; None for a fixed rule.
        labels: the options that it chooses from: the values, the words that differ, or right and
            wrong; () for a rule that compares the two sentences.
        reversible: whether its opposite is as good a rule, as it learns nothing of right and wrong.
        lacks: says what a pair lacks to be judged; "" for nothing.
        finds_cue: whether the cue is among the words that it goes by, so that it is right where
            grammar is easy.
        reach: number of words directly before the target that it sees, at the least.
    """

    guess: str
    judge: PairJudge
    keys: Keys | None = None
    labels: Labels = lambda pair: ()
    reversible: bool = False
    lacks: Callable[[AuditPair], str] = lambda pair: ""
    finds_cue: bool = False
    reach: int = 0

    def chance(self, pair: AuditPair) -> float:
        """Return the credit of a fair guess."""
        return 1 / (len(self.labels(pair)) or 2)

    @property
    def phrase(self) -> str:
        """Return its name in a sentence."""
        return self.guess.partition(":")[0].removesuffix(".")


def credit(margin: float) -> float:
    """Return 1 for a positive margin of the right form over the wrong one, 0 for a negative one, ½
    for a tie."""
    return 0.5 if abs(margin) <= TIE else float(margin > 0)


def _share(scores: Mapping[str, float], right: str) -> float:
    """Return 1/k if `right` is one of the k values with the highest score, else 0."""
    highest = max(scores.values())
    best = [value for value, score in scores.items() if highest - score <= TIE]
    return float(right in best) / len(best)


def _text(function: Callable[..., object]) -> str:
    """Return what a baseline guesses by, from a docstring."""
    return " ".join((function.__doc__ or "").split()).removeprefix("Guess by ")


def _options(pair: AuditPair) -> tuple[str, ...]:
    """Return what a baseline chooses from: the values or, where none is known, the words in which
    the sentences differ."""
    return pair.options


def _sides(pair: AuditPair) -> tuple[bool, bool]:
    """Return what a baseline chooses from: the right sentence and the wrong one."""
    return True, False


def _without_options(pair: AuditPair) -> str:
    """Say that there is nothing to choose from."""
    return "" if pair.options else NO_DIFFERENCE


def _without_values(pair: AuditPair) -> str:
    """Say that there are no values to choose from."""
    return NO_AGREEMENT if pair.item.agreement is None else _without_options(pair)


def _by_clue(clue: Callable[[AuditPair], str | None], **more: Any) -> Baseline:
    """Return a baseline that chooses the value that was right more often with the same clue."""

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        return _share({option: seen((option, clue(pair))) for option in pair.options}, pair.answer)

    more = {"lacks": _without_options, **more}
    return Baseline(_text(clue), judge, lambda pair: [(pair.answer, clue(pair))], _options, **more)


def _by_context(context: Callable[[AuditPair], Iterable[Hashable]], **more: Any) -> Baseline:
    """Return a baseline that chooses the value in whose contexts the features were more frequent:
    naive Bayes without a prior, which is `majority_value`'s. Unseen features say nothing."""

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        return ((pair.answer, clue) for clue in (None, *{*context(pair)}))  # None: one pair more

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        counts = [[seen((value, clue)) for value in pair.options] for clue in {*context(pair)}]
        informative = [row for row in counts if any(row)]
        scores = {}
        for number, value in enumerate(pair.options):
            total = math.log(seen((value, None)) + 2 * SMOOTHING)
            scores[value] = math.fsum(
                [math.log(row[number] + SMOOTHING) - total for row in informative]
            )
        return _share(scores, pair.answer)

    return Baseline(_text(context), judge, keys, _options, **{"lacks": _without_options, **more})


def _by_types(
    types: Callable[[Sequence[str], Sequence[str]], Iterable[Hashable]],
    **more: Any,
) -> Baseline:
    """Return a baseline that chooses the sentence with the higher sum of ln((g+.5)/(b+.5)) over its
    types; g and b right and wrong sentences had the type. Types of both sentences weigh nothing.
    `types` are those of a sentence's words, and of the words in which it differs."""

    def sides(pair: AuditPair) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
        """Return the types of the right sentence and of the wrong one."""
        return (
            frozenset(types(pair.right, pair.right_forms)),
            frozenset(types(pair.wrong, pair.wrong_forms)),
        )

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        right, wrong = sides(pair)
        return chain(((True, kind) for kind in right), ((False, kind) for kind in wrong))

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        right, wrong = sides(pair)
        # A difference of logs: swapping g and b gives exactly the negative.
        weights = {
            kind: math.log(seen((True, kind)) + SMOOTHING)
            - math.log(seen((False, kind)) + SMOOTHING)
            for kind in right ^ wrong
        }  # fsum: the order of a set does not show
        return credit(math.fsum(w if kind in right else -w for kind, w in weights.items()))

    return Baseline(_text(types), judge, keys, _sides, **more)


def _by_rule(rule: Callable[[Sequence[PrefixWord]], Values], **more: Any) -> Baseline:
    """Return a baseline that takes the value from the annotation of the words before the target,
    which suites from a `.tab` file or of sentences alone do not have."""

    def lacks(pair: AuditPair) -> str:
        facts = pair.item.agreement
        if facts is None:
            return NO_AGREEMENT
        return "" if facts.upos and facts.feats else NO_ANNOTATION

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        assert pair.item.agreement is not None
        values = rule(annotated_prefix(pair.item.agreement, pair.item.facts)) or pair.options
        return _share({value: float(value in values) for value in pair.options}, pair.answer)

    return Baseline(_text(rule), judge, None, _options, reversible=True, lacks=lacks, **more)


def _by_number(number: Callable[[AuditPair, str], float]) -> Baseline:
    """Return a baseline that chooses the sentence with the lower number."""
    return Baseline(
        _text(number),
        lambda pair, seen: credit(number(pair, WRONG) - number(pair, RIGHT)),
        reversible=True,
    )


def _unigram(pairs: Sequence[AuditPair], frequencies: Frequencies | None) -> Baseline:
    """Guess by the target's frequency: the more frequent form; of several words, by the mean of
    their log frequencies."""
    # Without a table, frequencies are those of the suite itself, from other clusters than the
    # pair's own: the originals as they stand in their treebank; where there is none, both sentences
    # of each pair, since counts of right sentences alone would tell which words are right, not
    # which are frequent.
    any_original = has_originals(pair.item for pair in pairs)
    sides = (True,) if any_original else (True, False)

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        if not any_original or pair.item.kind == ORIGINAL:
            yield from ((True, word) for word in pair.right)
            yield from ((False, word) for word in pair.wrong)

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        def frequency(form: str) -> float:
            if frequencies is not None:
                return frequencies.frequency_class(form)
            return math.log2(sum(seen((side, form)) for side in sides) or UNSEEN)

        both = (pair.right_forms, pair.wrong_forms)
        means = [math.fsum(map(frequency, forms)) / len(forms) for forms in both if forms]
        return credit(means[0] - means[1]) if len(means) == 2 else credit(0.0)

    baseline = Baseline(_text(_unigram), judge, reversible=True)
    if frequencies is not None:
        return baseline
    return replace(baseline, keys=keys, labels=_sides, reversible=not any_original)


def has_originals(items: Iterable[Item]) -> bool:
    """Return whether any item is a sentence as its treebank has it."""
    return any(item.kind == ORIGINAL for item in items)


def _majority_value(pair: AuditPair) -> None:
    """Guess by the majority value: always the value that is more often right."""


def _adjacent_word(pair: AuditPair) -> str:
    """Guess by the adjacent word: the value that came more often after the word directly before the
    target."""
    return pair.prefix[-1] if pair.prefix else BOUNDARY


def _words(words: Sequence[str], forms: Sequence[str]) -> Sequence[str]:
    """Guess by a bag of words: the sentence whose words have the higher sum of ln((g+.5)/(b+.5)),
    where g and b are the right and wrong sentences that had the word."""
    return words


def _bigrams(words: Sequence[str], forms: Sequence[str]) -> Iterable[Hashable]:
    """Guess by a bag of bigrams: as `words`, with pairs of neighbours, beginning and end of the
    sentence marked."""
    return pairwise((BOUNDARY, *words, BOUNDARY))


def _target_letters(words: Sequence[str], forms: Sequence[str]) -> Iterable[str]:
    """Guess by the letters of the target: as `words`, with its letters three by three, both ends
    marked."""
    return chain.from_iterable(map(triples, forms))


def _prefix_words(pair: AuditPair) -> Sequence[str]:
    """Guess by the words of the prefix: the value before whose targets they were more frequent
    (naive Bayes, without a prior: that is `majority_value`'s)."""
    return pair.prefix


def _window(pair: AuditPair) -> Sequence[str]:
    """Guess by a window of four words: as `prefix_words`, with the four words before the target."""
    return pair.prefix[-WINDOW:]


def _length(pair: AuditPair) -> list[Hashable]:
    """Guess by the length of the prefix: as `prefix_words`, with its number of words and, in steps
    of five, of characters, not counting a known cue and its determiner."""
    facts, words = pair.item.agreement, pair.prefix
    if facts is not None:  # a plural is longer by its ending, which is what grammar goes by
        cue = facts.cue_index
        is_determined = facts.upos[max(cue - 1, 0) : cue] == ("DET",)
        words = words[: cue - is_determined] + words[cue + 1 :]
    return [("words", len(words)), ("characters", len(" ".join(words)) // STEP)]


def _first_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the first noun: the value of the first noun or name before the target."""
    return next(iter(_noun_values(words)), Values())


def _second_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the second noun: the value of the second noun or name before the target."""
    return next(iter(_noun_values(words)[1:]), Values())


def _nearest_noun(words: Sequence[PrefixWord]) -> Values:
    """Guess by the nearest noun: the value of the last noun, name or pronoun before the target."""
    nominals = (word.values for word in reversed(words) if word.upos in NOMINALS and word.values)
    return next(nominals, Values())


def _after_subordinator(words: Sequence[PrefixWord]) -> Values:
    """Guess by the noun after the last subordinator: the value of the first noun or name after the
    last subordinating conjunction, relative word or comma before the target; of the first noun
    where there is none of these."""
    openings = [index for index, word in enumerate(words) if word.opens_clause]
    return _first_noun(words[openings[-1] :] if openings else words)


def _vote_of_nouns(words: Sequence[PrefixWord]) -> Values:
    """Guess by the vote of all nouns: the value that most nouns and names before the target
    have."""
    votes: Counter[str] = Counter()
    for values in _noun_values(words):
        votes.update(values)
    return Values(value for value in votes if votes[value] == max(votes.values()))


def _first_word(words: Sequence[PrefixWord]) -> Values:
    """Guess by the first word with the feature: the value of the first word before the target
    that has it."""
    return next((word.values for word in words if word.values), Values())


def _nearest_word(words: Sequence[PrefixWord]) -> Values:
    """Guess by the nearest word with the feature: the value of the last word before the target
    that has it."""
    return _first_word(words[::-1])


def _noun_values(words: Sequence[PrefixWord]) -> list[Values]:
    """Return the values of the nouns and names that carry any, in their order."""
    return [word.values for word in words if word.upos in NOUNS and word.values]


def _n_words(pair: AuditPair, side: str) -> int:
    """Guess by the shorter sentence in words: the one of fewer."""
    return len(pair.right if side == RIGHT else pair.wrong)


def _n_characters(pair: AuditPair, side: str) -> int:
    """Guess by the shorter sentence in letters: the one of fewer characters."""
    return len(sentence_text(pair.item.conditions[side][0]).strip())


BASELINES: Mapping[str, Baseline] = {
    "majority_value": _by_clue(_majority_value, lacks=_without_values),
    "unigram": _unigram((), None),  # see `baselines_of`
    "words": _by_types(_words),
    "bigrams": _by_types(_bigrams, reach=1),
    "prefix_words": _by_context(_prefix_words, lacks=_without_values, finds_cue=True),
    "window": _by_context(_window, reach=WINDOW),
    "adjacent_word": _by_clue(_adjacent_word, reach=1),
    "length": _by_context(_length),
    "nearest_noun": _by_rule(_nearest_noun, reach=1),
    "nearest_word": _by_rule(_nearest_word, reach=1),
    FIRST_NOUN: _by_rule(_first_noun, finds_cue=True),
    "first_word": _by_rule(_first_word, finds_cue=True),
    "second_noun": _by_rule(_second_noun, finds_cue=True),
    "after_subordinator": _by_rule(_after_subordinator, finds_cue=True),
    "vote_of_nouns": _by_rule(_vote_of_nouns, finds_cue=True),
    "target_letters": _by_types(_target_letters),
    "shorter_in_words": _by_number(_n_words),
    "shorter_in_letters": _by_number(_n_characters),
}
"""All baselines, in the order of the audit's table."""
CUE_FINDERS = frozenset(name for name, baseline in BASELINES.items() if baseline.finds_cue)
"""Baselines that have the cue among the words they go by, and are right where it decides."""


def baselines_of(
    pairs: Sequence[AuditPair], frequencies: Frequencies | None
) -> dict[str, Baseline]:
    """Return all baselines for these pairs; `frequencies` are those of `unigram`, `None` for counts
    of the suite itself."""
    return {**BASELINES, "unigram": _unigram(pairs, frequencies)}
