"""A component oracle: what is learnt from other clusters is what a naive recount finds there, and
no more."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce.audit.audited_pairs import AuditPair, pairs_of
from colorless_green.nonce.audit.baselines import (
    LearningKey,
    SeenCount,
    leave_cluster_out,
)
from tests.nonce.audit_material import sentences

Row: TypeAlias = tuple[str, str, list[str]]
WORDS = st.lists(st.sampled_from("abcd"), max_size=5)
SUITES = st.lists(
    st.tuples(st.sampled_from("ABC"), st.sampled_from(["p", "q"]), WORDS), max_size=12
)
CREDITS = st.sampled_from([0.0, 0.5, 1.0])
ALL_KEYS: list[LearningKey] = [(side, word) for side in (True, False) for word in "abcdx"]


def suite(rows: list[Row]) -> list[AuditPair]:
    """One pair a row (cluster, paradigm, words); a number makes every right sentence another."""
    return pairs_of(
        [
            sentences(
                f"{' '.join(words)} {n}", " ".join(["x", *words[2:]]), cluster=cluster, uid=uid
            )
            for n, (cluster, uid, words) in enumerate(rows)
        ]
    )


def right_words(pair: AuditPair) -> Iterable[LearningKey]:
    return ((True, word) for word in pair.right)


def both_sides(pair: AuditPair) -> Iterable[LearningKey]:
    yield from ((True, word) for word in pair.right)
    yield from ((False, word) for word in pair.wrong)


def sides(pair: AuditPair) -> tuple[bool, bool]:
    return True, False


def of_none(pair: AuditPair) -> tuple[()]:
    return ()


def counts(pairs: Sequence[AuditPair], turned: bool = False) -> Counter[LearningKey]:
    """A naive count of what pairs show, with right and wrong exchanged if `turned`."""
    return Counter((side != turned, word) for pair in pairs for side, word in both_sides(pair))


@given(SUITES)
def test_what_learns_without_labels_sees_all_other_clusters_of_its_pool_and_never_its_own(
    rows: list[Row],
) -> None:
    pairs = suite(rows)
    looked: list[tuple[AuditPair, Counter[LearningKey]]] = []

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        looked.append((pair, Counter({key: seen(key) for key in ALL_KEYS})))
        return 1.0

    assert leave_cluster_out(pairs, both_sides, judge, of_none) == [1.0] * len(pairs)
    assert len(looked) == len(pairs)
    for pair, found in looked:
        naive = counts([other for other in pairs if others(pair, other)])
        assert found == {key: naive[key] for key in ALL_KEYS}


def others(pair: AuditPair, other: AuditPair) -> bool:
    return other.pool == pair.pool and other.cluster != pair.cluster


@given(SUITES)
def test_a_learner_is_asked_again_with_its_cluster_back_in_under_either_label(
    rows: list[Row],
) -> None:
    """Words that no other cluster has stay unseen: else every learner would know its own."""
    pairs = suite(rows)
    looked: dict[int, list[Counter[LearningKey]]] = {}

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        looked.setdefault(id(pair), []).append(Counter({key: seen(key) for key in ALL_KEYS}))
        return 1.0

    leave_cluster_out(pairs, both_sides, judge, sides)
    for pair in pairs:
        elsewhere = counts([other for other in pairs if others(pair, other)])
        own = [other for other in pairs if (other.pool, other.cluster) == (pair.pool, pair.cluster)]
        expected = [elsewhere]
        for turned in (False, True):
            back = elsewhere + counts(own, turned)
            words = {word for _, word in elsewhere}
            expected.append(Counter({key: n for key, n in back.items() if key[1] in words}))
        found = looked[id(pair)]
        assert found == [{key: each[key] for key in ALL_KEYS} for each in expected]


@given(st.lists(st.tuples(CREDITS, CREDITS, CREDITS), max_size=6))
def test_a_verdict_stands_unless_the_cluster_back_in_makes_a_tie(
    rows: list[tuple[float, float, float]],
) -> None:
    pairs = suite([(str(n), "p", ["a"]) for n in range(len(rows))])
    answers = {id(pair): iter(row) for pair, row in zip(pairs, rows, strict=True)}

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        return next(answers[id(pair)])

    credits = leave_cluster_out(pairs, right_words, judge, sides)
    assert credits == [0.5 if 0.5 in row[1:] else row[0] for row in rows]


@given(SUITES)
def test_what_is_learnt_from_other_clusters_does_not_hang_on_the_order(rows: list[Row]) -> None:
    pairs = suite(rows)

    def judge(pair: AuditPair, seen: SeenCount) -> float:
        return float(sum(seen((True, word)) for word in pair.right))

    credits = leave_cluster_out(pairs, both_sides, judge, sides)
    backwards = leave_cluster_out(pairs[::-1], both_sides, judge, sides)
    assert backwards[::-1] == credits


@given(st.lists(st.tuples(*map(st.sampled_from, ("ABCD", "abcd", "1234"))), max_size=8))
def test_clusters_hang_together_as_the_sentences_they_share_do(
    rows: list[tuple[str, str, str]],
) -> None:
    """And the sets. Against the plain way: merge whatever overlaps, until nothing does."""
    pairs = pairs_of(
        [
            replace(sentences(f"{text.upper()} .", "x", cluster=cluster), set_id=set_id)
            for cluster, text, set_id in rows
        ]
    )
    groups = [{*row} for row in rows]
    while True:
        for one in groups:
            for other in groups:
                if one is not other and one & other:
                    one |= other
                    groups.remove(other)
                    break
            else:
                continue
            break
        else:
            break
    for pair in pairs:
        (own,) = [group for group in groups if pair.item.cluster_id in group]
        assert pair.cluster == min(name for name in own if name.isupper())
