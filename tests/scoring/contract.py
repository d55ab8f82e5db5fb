"""What every backend promises, as claims that its tests go through one by one.

CASE = Case(load=…, other=…, queries=…, following=…, unknown=…)

@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim) -> None:
    claim(CASE)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colorless_green.scoring.query import Query, Score, Scorer, Stretch, Surprisals


@dataclass(frozen=True)
class Case:
    """A backend with something to ask it."""

    load: Callable[[], Scorer]  # each call loads the same files with the same options anew
    other: Callable[[], Scorer]  # the same options, other weights
    queries: tuple[Query, ...]  # two or more, with prefixes and continuations of several lengths
    following: tuple[Stretch, ...] = ()  # all that can follow any prefix; () where none can list it
    unknown: Stretch | None = None  # outside the vocabulary (whole words: all of them), if possible
    noise_bits: float = 0.0  # what batching may change
    sum_error: float = 1e-9  # how far from 1 the probabilities of `following` may sum


Claim: TypeAlias = Callable[[Case], None]


def probabilities_sum_to_one_after_every_prefix(case: Case) -> None:
    """Over `following`; the end of a sentence and the unknown word are part of it, if modelled."""
    if not case.following:
        return
    scorer = case.load()
    for query in case.queries:
        (score,) = scorer.score([Query(query.prefix, case.following)])
        total = sum(2 ** -sum(answer.bits) for answer in score.continuations)
        assert abs(1 - total) <= case.sum_error, (query.prefix, total)


def every_query_gets_its_answers_in_order(case: Case) -> None:
    scorer = case.load()
    scores = list(scorer.score(iter(case.queries)))
    assert len(scores) == len(case.queries)
    for query, score in zip(case.queries, scores, strict=True):
        assert len(score.continuations) == len(query.continuations)
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            (alone,) = _scored(scorer, [Query(query.prefix, (continuation,), query.suffix)])
            assert_near(answer, alone.continuations[0], case.noise_bits)


def no_queries_get_no_answers(case: Case) -> None:
    assert list(case.load().score([])) == []


def answers_do_not_depend_on_what_else_is_asked(case: Case) -> None:
    """Alone or together, forwards or backwards, once or twice: the prefix state is reset."""
    scorer = case.load()
    together = _scored(scorer, case.queries)
    backwards = _scored(scorer, case.queries[::-1])[::-1]
    twice = _scored(scorer, case.queries + case.queries)
    alone = [score for query in case.queries for score in _scored(case.load(), [query])]
    for others in (backwards, twice[: len(together)], twice[len(together) :], alone):
        assert len(others) == len(together)
        for one, other in zip(together, others, strict=True):
            assert one.prefix_oov == other.prefix_oov
            for left, right in zip(one.continuations, other.continuations, strict=True):
                assert_near(left, right, case.noise_bits)


def surprisals_are_finite_and_not_negative(case: Case) -> None:
    for score in _scored(case.load(), case.queries):
        for answer in score.continuations:
            assert all(0 <= bits < math.inf for bits in answer.bits), answer


def spans_cover_each_continuation(case: Case) -> None:
    """Whole words: each its own span. Text: in order, within bounds, nothing but blanks left out
    (several subwords may share the span of one character)."""
    scorer = case.load()
    for query, score in zip(case.queries, _scored(scorer, case.queries), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            assert len(answer.spans) == len(answer.bits) == len(answer.oov)
            if scorer.unit == "words":
                assert answer.spans == tuple((i, i + 1) for i in range(len(continuation)))
                continue
            assert list(answer.spans) == sorted(answer.spans)
            assert all(0 <= start < end <= len(continuation) for start, end in answer.spans)
            covered = {index for start, end in answer.spans for index in range(start, end)}
            left_out = [each for i, each in enumerate(continuation) if i not in covered]
            assert not "".join(left_out).strip()


def a_longer_continuation_is_as_surprising_as_its_words_one_by_one(case: Case) -> None:
    """The chain rule, where words are the units (subwords may merge across a cut)."""
    scorer = case.load()
    if scorer.unit != "words":
        return
    for query in case.queries:
        assert not isinstance(query.prefix, str)
        for continuation in query.continuations:
            assert not isinstance(continuation, str)
            steps = [
                Query(query.prefix + continuation[:i], (continuation[i : i + 1],))
                for i in range(len(continuation))
            ]
            bits = tuple(score.continuations[0].bits[0] for score in _scored(scorer, steps))
            (whole,) = _scored(scorer, [Query(query.prefix, (continuation,))])
            assert len(bits) == len(whole.continuations[0].bits)
            for one, other in zip(bits, whole.continuations[0].bits, strict=True):
                assert abs(one - other) <= case.noise_bits


def unknown_words_are_flagged_and_known_ones_not(case: Case) -> None:
    if case.unknown is None:
        return
    scorer = case.load()
    for query in case.queries:
        (score,) = _scored(scorer, [Query(query.prefix, (case.unknown,))])
        assert any(score.continuations[0].oov)
    if not isinstance(case.unknown, str):
        (score,) = _scored(scorer, [Query(2 * case.unknown, (case.unknown,))])
        assert score.prefix_oov == 2 * len(case.unknown)
    assert any(
        not any(answer.oov)
        for score in _scored(scorer, case.queries)
        for answer in score.continuations
    )


def the_signature_names_the_numbers(case: Case) -> None:
    """Pairs of key and value; the same for the same files, before and after; not for others."""
    scorer = case.load()
    before = scorer.signature
    _scored(scorer, case.queries)
    assert scorer.signature == before == case.load().signature
    assert case.other().signature != before
    pairs = [pair.partition(":") for pair in before.split("|")]
    assert all(key and colon and value for key, colon, value in pairs), before
    assert len({key for key, _, _ in pairs}) == len(pairs)
    assert before.isprintable()


def other_weights_give_other_numbers(case: Case) -> None:
    """Else the claim on signatures would say nothing."""
    ours, theirs = (_scored(load(), case.queries) for load in (case.load, case.other))
    assert [score.continuations for score in ours] != [score.continuations for score in theirs]


CLAIMS: tuple[Claim, ...] = (
    probabilities_sum_to_one_after_every_prefix,
    every_query_gets_its_answers_in_order,
    no_queries_get_no_answers,
    answers_do_not_depend_on_what_else_is_asked,
    surprisals_are_finite_and_not_negative,
    spans_cover_each_continuation,
    a_longer_continuation_is_as_surprising_as_its_words_one_by_one,
    unknown_words_are_flagged_and_known_ones_not,
    the_signature_names_the_numbers,
    other_weights_give_other_numbers,
)


def claim_name(claim: Claim) -> str:
    return claim.__name__


def assert_near(one: Surprisals, other: Surprisals, noise_bits: float) -> None:
    """The same subwords and flags, and numbers that differ by `noise_bits` at most."""
    assert (one.spans, one.oov) == (other.spans, other.oov)
    for left, right in zip(one.bits, other.bits, strict=True):
        assert abs(left - right) <= noise_bits, (one, other)


def _scored(scorer: Scorer, queries: Sequence[Query]) -> list[Score]:
    return list(scorer.score(queries))
