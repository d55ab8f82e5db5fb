"""The baselines of the audit: guesses at the right form that do not use the dependency.

Each gives an item a *credit*: 1 if it prefers the right form, 0 if the wrong one, 1/k if it cannot
decide between k. They are to minimal pairs what hypothesis-only baselines are to inference.

To add one, write a function and a line in `BASELINES`. Its docstring begins with *Guess by*; the
text from there to a colon is its name in a verdict.

A baseline that learns counts *clues* (a word, a bigram) under *labels* (right or wrong; singular or
plural). It learns only from other *clusters* (a sentence with all its variants) than the item's
own: who has read eight variants of a sentence knows the ninth. Nothing is trained anew: the counts
of an item's cluster are subtracted from the counts of all items.

This has a drawback. Suppose that a form is right as often as it is wrong. Without a cluster in
which it is right, it is more often wrong in the rest: a learner errs every time, only because the
set is balanced. Therefore a learner also counts as undecided if putting the cluster back makes a
tie with any exchange of its labels. This tells no label, and exact ties are rare unless by design.
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
"""(label, clue): a word in a right sentence, a word before a plural."""
KeyCounts: TypeAlias = Mapping[LearningKey, int]
TrainingCount: TypeAlias = Callable[[LearningKey], int]
"""Returns how often a key occurs in the pairs that a judge may learn from."""
Keys: TypeAlias = Callable[[AuditPair], Iterable[LearningKey]]
"""Returns the keys that a pair adds to the counts; one may come more than once."""
Labels: TypeAlias = Callable[[AuditPair], tuple[Hashable, ...]]
"""Returns the labels that a judge chooses from: right and wrong, or the values; () for none."""
PairJudge: TypeAlias = Callable[[AuditPair, TrainingCount], float]
"""Returns the credit of a pair."""


def leave_cluster_out(
    pairs: Sequence[AuditPair], keys: Keys, judge: PairJudge, labels: Labels
) -> list[float]:
    """Return the credit (0–1) of each pair, judged by the counts of all other clusters in its pool;
    it is 1/k for k labels if putting its own cluster back would make a tie."""
    totals: dict[str, Counter[LearningKey]] = {}  # pool → counts of all its pairs
    members: dict[tuple[str, str], list[int]] = {}  # pool and cluster → indices of pairs
    for index, pair in enumerate(pairs):
        totals.setdefault(pair.pool, Counter()).update(keys(pair))
        members.setdefault((pair.pool, pair.cluster), []).append(index)
    credits = [0.0] * len(pairs)
    for (pool, _), indices in members.items():
        inside = Counter(key for index in indices for key in keys(pairs[index]))
        elsewhere = _count_elsewhere(totals[pool], inside)
        with_cluster: dict[tuple[Hashable, ...], list[TrainingCount]] = {}  # by labels
        for index in indices:
            pair, choices = pairs[index], labels(pairs[index])
            if choices not in with_cluster:
                with_cluster[choices] = list(_counts_with_cluster(totals[pool], inside, choices))
            credit = judge(pair, elsewhere)  # between 0 and 1 only for a tie
            is_tie = any(0 < judge(pair, counts) < 1 for counts in with_cluster[choices])
            credits[index] = 1 / len(choices) if is_tie else credit
    return credits


def _count_elsewhere(total: KeyCounts, inside: KeyCounts) -> TrainingCount:
    """Return a function that counts a key, (label, clue), in all items (`total`) but those of a
    cluster (`inside`)."""
    return lambda key: total.get(key, 0) - inside.get(key, 0)


def _counts_with_cluster(
    total: KeyCounts, inside: KeyCounts, choices: Sequence[Hashable]
) -> Iterator[TrainingCount]:
    """Yield functions that count a key with the held-out cluster put back, one for each rotation of
    its labels `choices`: with its own labels first, then with exchanged ones. A clue that occurs in
    no other cluster stays uncounted."""
    cluster_clues = {clue for _, clue in inside}
    elsewhere = {
        clue
        for clue in cluster_clues
        if any(total.get((choice, clue), 0) > inside.get((choice, clue), 0) for choice in choices)
    }
    for shift in range(len(choices)):
        exchanged = dict(zip(choices, (*choices[shift:], *choices[:shift]), strict=True))

        # `exchanged` is a default value so that each function keeps its own
        def training_count(key: LearningKey, exchanged: Mapping[Any, Hashable] = exchanged) -> int:
            """Return how often the label occurs with the clue in the training data: in all items,
            less those of the held-out cluster, plus that cluster's with its labels exchanged."""
            label, clue = key
            if clue not in cluster_clues:
                return total.get(key, 0)
            if clue not in elsewhere:
                return 0
            in_exchanged_cluster = inside.get((exchanged.get(label, label), clue), 0)
            return total.get(key, 0) - inside.get(key, 0) + in_exchanged_cluster

        yield training_count


TIE = 1e-9  # equal sums of logarithms differ by less, through rounding; unequal ones by more
BOUNDARY = ""  # of a sentence; no word is empty
ORIGINAL = "original"  # kind of items
SMOOTHING = 0.5  # added to counts: ln((g+.5)/(b+.5)) for g right and b wrong sentences
WINDOW_WORDS = 4
STEP_CHARACTERS = 5  # lengths are counted in steps, so that a prefix is not known by its own length
NO_AGREEMENT, NO_ANNOTATION = "no facts of agreement", "no annotation of the words"
NO_DIFFERENCE = "no word in which the sentences differ"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A guess at the right form.

    Attributes:
        guess: description of what it guesses by.
        judge: returns the credit of a pair.
        keys: returns what it learns from a pair; None for a fixed rule.
        labels: returns the options that it chooses from: the values, the words that differ, or
            right and wrong; () for a rule that compares the two sentences.
        reversible: whether its opposite is as good a rule, as it learns nothing of right and wrong.
        lacks: returns what a pair lacks to be judged; "" for nothing.
        finds_cue: whether it may use the cue itself, and so be right where grammar is easy.
        reach: minimum number of words directly before the target that it uses.
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
        """Return the name that a sentence calls it by: `guess` up to its colon."""
        return self.guess.partition(":")[0].removesuffix(".")


def credit(margin: float) -> float:
    """Return 1 for a positive margin of the right form over the wrong one, 0 for a negative one, ½
    for a tie."""
    return 0.5 if abs(margin) <= TIE else float(margin > 0)


def _credit(scores: Mapping[str, float], right: str) -> float:
    """Return the credit for choosing the value with the highest score: 1/k if `right` is one of the
    k highest, else 0."""
    highest = max(scores.values())
    best = [value for value, score in scores.items() if highest - score <= TIE]
    return float(right in best) / len(best)


def _guess(function: Callable[..., object]) -> str:
    """Return the description of a baseline: its function's docstring without *Guess by*."""
    return " ".join((function.__doc__ or "").split()).removeprefix("Guess by ")


def _options(pair: AuditPair) -> tuple[str, ...]:
    """Return the labels that a baseline chooses from: the values, such as Plur and Sing, or for an
    item without values, the first words in which its two sentences differ."""
    return pair.options


def _sentence_labels(pair: AuditPair) -> tuple[bool, bool]:
    """Return the labels that a baseline chooses from: True (the right sentence) and False."""
    return True, False


def _lacks_options(pair: AuditPair) -> str:
    """Return the reason why a pair offers no choice between words or values; "" if it does."""
    return "" if pair.options else NO_DIFFERENCE


def _lacks_values(pair: AuditPair) -> str:
    """Return the reason why a pair offers no choice between values; "" if it does."""
    return NO_AGREEMENT if pair.item.agreement is None else _lacks_options(pair)


def _by_clue(clue: Callable[[AuditPair], str | None], **more: Any) -> Baseline:
    """Return a baseline that chooses the value that was right more often in pairs with the same
    clue. `clue` takes a pair and returns, for instance, the word before the target."""

    def judge(pair: AuditPair, counts: TrainingCount) -> float:
        """Return the credit for the choice made in a pair."""
        return _credit({value: counts((value, clue(pair))) for value in pair.options}, pair.answer)

    more = {"lacks": _lacks_options, **more}
    return Baseline(_guess(clue), judge, lambda pair: [(pair.answer, clue(pair))], _options, **more)


def _by_context(context: Callable[[AuditPair], Iterable[Hashable]], **more: Any) -> Baseline:
    """Return a baseline that chooses the value in whose contexts the pair's clues were more
    frequent: naive Bayes without the prior, which `majority_value` uses. Unseen clues are
    ignored."""

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        """Return the keys that a pair adds to the counts; the clue `None` counts pairs."""
        return ((pair.answer, clue) for clue in (None, *{*context(pair)}))

    def judge(pair: AuditPair, counts: TrainingCount) -> float:
        """Return the credit for the choice made in a pair."""
        clues = {*context(pair)}
        clue_counts = [{value: counts((value, clue)) for value in pair.options} for clue in clues]
        seen = [uses for uses in clue_counts if any(uses.values())]  # a clue's uses by value
        scores = {}
        for value in pair.options:
            log_total = math.log(counts((value, None)) + 2 * SMOOTHING)  # pairs with this value
            scores[value] = math.fsum(math.log(x[value] + SMOOTHING) - log_total for x in seen)
        return _credit(scores, pair.answer)

    return Baseline(_guess(context), judge, keys, _options, **{"lacks": _lacks_options, **more})


def _by_types(
    types: Callable[[Sequence[str], Sequence[str]], Iterable[Hashable]], **more: Any
) -> Baseline:
    """Return a baseline that chooses the sentence whose types (such as words) have the higher sum
    of ln((g+.5)/(b+.5)), where g right and b wrong sentences had the type; those of both weigh
    nothing. `types` returns a sentence's types, given its words and those in which it differs."""

    def both_types(pair: AuditPair) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
        """Return the types of the right sentence and of the wrong one."""
        return (
            frozenset(types(pair.right, pair.right_forms)),
            frozenset(types(pair.wrong, pair.wrong_forms)),
        )

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        """Return the keys that a pair adds to the counts; `True` labels the right sentence."""
        right, wrong = both_types(pair)
        return chain(((True, clue) for clue in right), ((False, clue) for clue in wrong))

    def judge(pair: AuditPair, counts: TrainingCount) -> float:
        """Return the credit for the choice made in a pair."""
        right, wrong = both_types(pair)
        # A difference of logs: swapping g and b gives exactly the negative.
        weights = {
            clue: math.log(counts((True, clue)) + SMOOTHING)
            - math.log(counts((False, clue)) + SMOOTHING)
            for clue in right ^ wrong
        }
        # With fsum the order of the set does not matter.
        return credit(math.fsum(w if clue in right else -w for clue, w in weights.items()))

    return Baseline(_guess(types), judge, keys, _sentence_labels, **more)


def _by_rule(rule: Callable[[Sequence[PrefixWord]], Values], **more: Any) -> Baseline:
    """Return a baseline that chooses the value which a rule finds in the annotation of the words
    before the target. Suites from `.tab` files or of plain sentences have no annotation."""

    def lacks(pair: AuditPair) -> str:
        """Return the reason why a rule cannot judge a pair; "" if it can."""
        facts = pair.item.agreement
        if facts is None:
            return NO_AGREEMENT
        return "" if facts.upos and facts.feats else NO_ANNOTATION

    def judge(pair: AuditPair, counts: TrainingCount) -> float:
        """Return the credit for the choice made in a pair."""
        assert pair.item.agreement is not None
        values = rule(annotated_prefix(pair.item.agreement, pair.item.facts)) or pair.options
        return _credit({value: float(value in values) for value in pair.options}, pair.answer)

    return Baseline(_guess(rule), judge, None, _options, reversible=True, lacks=lacks, **more)


def _by_length(length: Callable[[AuditPair, str], float]) -> Baseline:
    """Return a baseline that chooses the shorter sentence. `length` takes a pair and RIGHT or
    WRONG, and returns that sentence's length."""
    return Baseline(
        _guess(length),
        lambda pair, counts: credit(length(pair, WRONG) - length(pair, RIGHT)),
        reversible=True,
    )


def _unigram(pairs: Sequence[AuditPair], frequencies: Frequencies | None) -> Baseline:
    """Guess by the target's frequency: the more frequent form; of several words, by the mean of
    their log frequencies."""
    # Without a table, frequencies are counted in the other clusters of the suite: in its originals,
    # which are as frequent as in their treebank. If there are none, both sentences of each pair are
    # counted: right sentences alone would show which words are right, not which are frequent.
    any_original = has_originals(pair.item for pair in pairs)
    counted_labels = (True,) if any_original else (True, False)  # of right, of wrong sentences

    def keys(pair: AuditPair) -> Iterator[LearningKey]:
        """Yield the words of an original, or if there are no originals, of any pair."""
        if not any_original or pair.item.kind == ORIGINAL:
            yield from ((True, word) for word in pair.right)
            yield from ((False, word) for word in pair.wrong)

    def judge(pair: AuditPair, counts: TrainingCount) -> float:
        """Return the credit for choosing the form whose words are more frequent."""

        def log_frequency(form: str) -> float:
            """Return log2 of a form's frequency in the table, or of its count in the suite."""
            if frequencies is not None:
                return frequencies.frequency_class(form)
            return math.log2(sum(counts((label, form)) for label in counted_labels) or UNSEEN)

        both = (pair.right_forms, pair.wrong_forms)
        if not all(both):  # one sentence only lacks words of the other: no form is to be chosen
            return credit(0.0)
        right, wrong = (math.fsum(map(log_frequency, forms)) / len(forms) for forms in both)
        return credit(right - wrong)

    baseline = Baseline(_guess(_unigram), judge, reversible=True)
    if frequencies is not None:
        return baseline
    return replace(baseline, keys=keys, labels=_sentence_labels, reversible=not any_original)


def has_originals(items: Iterable[Item]) -> bool:
    """Return whether any item is an original: a sentence as its treebank has it."""
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
    return pair.prefix[-WINDOW_WORDS:]


def _length(pair: AuditPair) -> list[Hashable]:
    """Guess by the length of the prefix: as `prefix_words`, with its number of words and, in steps
    of five, of characters, not counting a known cue and its determiner."""
    facts, words = pair.item.agreement, pair.prefix
    if facts is not None:  # the cue's ending makes it longer, and grammar uses that
        cue = facts.cue_index
        has_determiner = facts.upos[max(cue - 1, 0) : cue] == ("DET",)
        start = cue - 1 if has_determiner else cue
        words = words[:start] + words[cue + 1 :]
    return [("words", len(words)), ("characters", len(" ".join(words)) // STEP_CHARACTERS)]


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
    "majority_value": _by_clue(_majority_value, lacks=_lacks_values),
    "unigram": _unigram((), None),  # see `baselines_of`
    "words": _by_types(_words),
    "bigrams": _by_types(_bigrams, reach=1),
    "prefix_words": _by_context(_prefix_words, lacks=_lacks_values, finds_cue=True),
    "window": _by_context(_window, reach=WINDOW_WORDS),
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
    "shorter_in_words": _by_length(_n_words),
    "shorter_in_letters": _by_length(_n_characters),
}
"""All baselines, in the order of the audit's table."""
CUE_FINDERS = frozenset(name for name, baseline in BASELINES.items() if baseline.finds_cue)
"""Names of baselines that may use the cue itself, and so are right where grammar is easy."""


def baselines_of(
    pairs: Sequence[AuditPair], frequencies: Frequencies | None
) -> dict[str, Baseline]:
    """Return name → baseline for these pairs. `frequencies`: those that `unigram` uses; `None` for
    counts of the suite itself."""
    return {**BASELINES, "unigram": _unigram(pairs, frequencies)}
