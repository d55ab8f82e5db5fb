"""What every backend promises, as claims that its tests go through one by one.

CASE = Case(load=…, other=…, queries=…, following=…, unknown=…)

@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim) -> None:
    claim(CASE)

A claim that cannot be made of a backend is named in the case with the reason. One that is named and
could be made fails, as does one that could not be made and is not named: nothing passes unseen.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from colorless_green.scoring import Query, Score, Scorer, Stretch, Surprisals


@dataclass(frozen=True)
class Case:
    """A backend with something to ask it."""

    load: Callable[[], Scorer]  # each call loads the same files with the same options anew
    other: Callable[[], Scorer]  # the same options, other weights
    queries: tuple[Query, ...]  # two or more, with prefixes and continuations of several lengths
    following: tuple[Stretch, ...] = ()  # all that can follow any prefix; () where none can list it
    unknown: Stretch | None = None
    """Outside the vocabulary, if there is such a thing: all of its words, and the only ones in
    `queries` that are"""
    noise_bits: float = 0.0  # what batching may change
    sum_error: float = 1e-9  # how far from 1 the probabilities of `following` may sum
    why_not: Mapping[str, str] = field(default_factory=dict)  # name of a claim → why it has none

    def __post_init__(self) -> None:
        continuations = [each for query in self.queries for each in query.continuations]
        assert len({query.prefix for query in self.queries}) > 1, "one prefix shows no order"
        assert any(len(query.continuations) > 1 for query in self.queries)
        assert len({len(each) for each in continuations if each}) > 1, "all of one length"
        assert set(self.why_not) <= set(map(claim_name, CLAIMS)), "a reason for no claim"
        assert all(self.why_not.values())


Claim: TypeAlias = Callable[[Case], None]


def _can_be_made(claim: Claim, case: Case, possible: bool) -> bool:
    """`possible`, after seeing that the case gives a reason exactly where it is not."""
    reason = case.why_not.get(claim_name(claim))
    assert possible or reason, f"the case must say why not: {claim_name(claim)}"
    assert not (possible and reason), f"the claim can be made: {claim_name(claim)}"
    return possible


def probabilities_sum_to_one_after_every_prefix(case: Case) -> None:
    """Over `following`; the end of a sentence and the unknown word are part of it, if modelled."""
    claim = probabilities_sum_to_one_after_every_prefix
    if not _can_be_made(claim, case, bool(case.following)):
        return
    assert len(set(case.following)) == len(case.following) > 1
    scorer = case.load()
    for query in case.queries:
        (score,) = scorer.score([Query(query.prefix, case.following)])
        total = sum(2 ** -sum(answer.bits) for answer in score.continuations)
        assert abs(1 - total) <= case.sum_error, (query.prefix, total)


def every_query_gets_the_answers_of_its_continuations_in_their_order(case: Case) -> None:
    scorer = case.load()
    scores = list(scorer.score(iter(case.queries)))
    assert len(scores) == len(case.queries)
    assert any(len(set(score.continuations)) > 1 for score in scores), "equal ones show no order"
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
    answers = [each for score in _scored(case.load(), case.queries) for each in score.continuations]
    bits = [each for answer in answers for each in answer.bits]
    assert bits
    assert all(0 <= each < math.inf for each in bits), answers


def every_number_has_its_span_and_spans_leave_out_only_blanks(case: Case) -> None:
    """Whole words: each its own span. Text: in order, within bounds, nothing but blanks left out
    (several subwords may share the span of one character)."""
    scorer = case.load()
    for query, score in zip(case.queries, _scored(scorer, case.queries), strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            assert len(answer.spans) == len(answer.bits) == len(answer.oov)
            assert bool(continuation) == bool(answer.bits)
            if scorer.unit == "words":
                assert answer.spans == tuple((i, i + 1) for i in range(len(continuation)))
                continue
            assert list(answer.spans) == sorted(answer.spans)
            assert all(0 <= start < end <= len(continuation) for start, end in answer.spans)
            covered = {index for start, end in answer.spans for index in range(start, end)}
            left_out = [each for i, each in enumerate(continuation) if i not in covered]
            assert not "".join(left_out).strip()


def a_longer_continuation_is_as_surprising_as_its_words_one_by_one(case: Case) -> None:
    """Claim the chain rule, where words are the units (subwords may merge across a cut)."""
    scorer = case.load()
    claim = a_longer_continuation_is_as_surprising_as_its_words_one_by_one
    if not _can_be_made(claim, case, scorer.unit == "words"):
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
    """In continuations, and counted in prefixes."""
    claim = unknown_words_are_flagged_and_known_ones_not
    if not _can_be_made(claim, case, case.unknown is not None):
        return
    assert case.unknown is not None
    scorer = case.load()
    with_unknown = [Query(query.prefix, (case.unknown,)) for query in case.queries]
    if not isinstance(case.unknown, str):
        with_unknown.append(Query(2 * case.unknown, (case.unknown,)))
    seen = set()
    for query in (*case.queries, *with_unknown):
        (score,) = _scored(scorer, [query])
        n_unknown = sum(_unknown(query.prefix, case.unknown))
        if scorer.unit == "text":  # an unknown word may be several unknown subwords
            assert bool(score.prefix_oov) == bool(n_unknown), query
        else:
            assert score.prefix_oov == n_unknown, query
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            wanted = _unknown(continuation, case.unknown)
            if isinstance(continuation, str):
                assert any(answer.oov) == any(wanted), (query, answer)
            else:
                assert list(answer.oov) == wanted, (query, answer)
            seen |= set(answer.oov)
    assert seen == {False, True}


def _unknown(stretch: Stretch, unknown: Stretch) -> list[bool]:
    """Of each word of a stretch whether it is one of the unknown ones; a text is one word."""
    if isinstance(stretch, str):
        assert isinstance(unknown, str)
        return [unknown.strip() in stretch]
    return [word in unknown for word in stretch]


def a_signature_is_pairs_of_key_and_value_in_one_line(case: Case) -> None:
    signature = case.load().signature
    pairs = [pair.partition(":") for pair in signature.split("|")]
    assert all(key and colon and value for key, colon, value in pairs), signature
    assert len({key for key, _, _ in pairs}) == len(pairs)
    assert signature.isprintable()


def a_signature_is_the_same_for_the_same_files_and_another_for_other_weights(case: Case) -> None:
    """Before and after it was asked, and loaded anew."""
    scorer = case.load()
    before = scorer.signature
    assert _scored(scorer, case.queries)
    assert scorer.signature == before == case.load().signature
    assert case.other().signature != before


def other_weights_give_other_numbers(case: Case) -> None:
    """Else the claim on signatures would say nothing."""
    ours, theirs = (_scored(load(), case.queries) for load in (case.load, case.other))
    assert [score.continuations for score in ours] != [score.continuations for score in theirs]


CLAIMS: tuple[Claim, ...] = (
    probabilities_sum_to_one_after_every_prefix,
    every_query_gets_the_answers_of_its_continuations_in_their_order,
    no_queries_get_no_answers,
    answers_do_not_depend_on_what_else_is_asked,
    surprisals_are_finite_and_not_negative,
    every_number_has_its_span_and_spans_leave_out_only_blanks,
    a_longer_continuation_is_as_surprising_as_its_words_one_by_one,
    unknown_words_are_flagged_and_known_ones_not,
    a_signature_is_pairs_of_key_and_value_in_one_line,
    a_signature_is_the_same_for_the_same_files_and_another_for_other_weights,
    other_weights_give_other_numbers,
)
OF_TEXT = {  # why claims cannot be made of models of raw text
    probabilities_sum_to_one_after_every_prefix.__name__: "no list has every text that can follow",
    a_longer_continuation_is_as_surprising_as_its_words_one_by_one.__name__: (
        "subwords may merge across a cut"
    ),
}
OF_BYTES = {  # and of those that are cut into bytes
    **OF_TEXT,
    unknown_words_are_flagged_and_known_ones_not.__name__: "every byte is known",
}


def claim_name(claim: Claim) -> str:
    return claim.__name__


def assert_near(one: Surprisals, other: Surprisals, noise_bits: float) -> None:
    """Assert the same subwords and flags, and numbers that differ by `noise_bits` at most."""
    assert (one.spans, one.oov) == (other.spans, other.oov)
    for left, right in zip(one.bits, other.bits, strict=True):
        assert abs(left - right) <= noise_bits, (one, other)


def _scored(scorer: Scorer, queries: Sequence[Query]) -> list[Score]:
    return list(scorer.score(queries))
