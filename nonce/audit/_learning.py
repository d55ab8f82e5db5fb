"""Counts of what was seen in other clusters than an item's own.

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

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from .audited_pairs import AuditPair

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
