"""The contract of the backends: a scorer that keeps it, and for every claim one that breaks it."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pytest

from colorless_green.scoring import Query, Score, Surprisals
from tests.scoring import contract
from tests.scoring.contract import CLAIMS, OF_TEXT, Case, Claim, claim_name

WORDS = ("the", "keys", "are", "is", "<unk>")
QUERIES = (
    Query((), (("the",), ("keys", "are"), ())),
    Query(("the", "keys"), (("are",), ("is",))),
    Query(("the", "rust"), (("is", "the"),)),
)


@dataclass
class Toy:
    """A word after a word: the nearer they stand in the list, the likelier."""

    sharpness: float = 1.0
    signature: str = ""
    unit: str = "words"

    def __post_init__(self) -> None:
        self.signature = self.signature or f"toy:{self.sharpness}|words:{len(WORDS)}"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            prefix = query.prefix
            answers = []
            for continuation in query.continuations:
                words = (*prefix, *continuation)
                bits = [self.bits(words[:i], words[i]) for i in range(len(prefix), len(words))]
                spans = tuple((n, n + 1) for n in range(len(bits)))
                oov = tuple(word not in WORDS for word in continuation)
                answers.append(Surprisals(tuple(bits), spans, oov))
            yield Score(tuple(answers), sum(word not in WORDS for word in prefix))

    def bits(self, before: Sequence[str], word: str) -> float:
        """−log2 p of a word behind others."""
        places = [self.place(before[-1]) if before else 0, self.place(word)]
        weights = [2 ** (-self.sharpness * abs(places[0] - n)) for n in range(len(WORDS))]
        return math.log2(sum(weights) / weights[places[1]])

    @staticmethod
    def place(word: str) -> int:
        return WORDS.index(word if word in WORDS else "<unk>")


def case(broken: type[Toy] = Toy) -> Case:
    return Case(
        load=broken,
        other=partial(broken, 0.5),
        queries=QUERIES,
        following=tuple((word,) for word in WORDS),
        unknown=("rust",),
        noise_bits=1e-12,
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_a_scorer_that_keeps_the_contract_passes_every_claim(claim: Claim) -> None:
    claim(case())


class Unnormalised(Toy):
    def bits(self, before: Sequence[str], word: str) -> float:
        return super().bits(before, word) + 0.01


class Backwards(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            yield replace(score, continuations=score.continuations[::-1])


class Chatty(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        yield from super().score([*queries] or QUERIES)


class Carried(Toy):
    """Every query goes on from where the one before ended."""

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        last: tuple[str, ...] = ()
        for query in queries:
            own = replace(query, prefix=(*last, *query.prefix))
            for score in super().score([own]):
                yield replace(score, prefix_oov=sum(w not in WORDS for w in query.prefix))
            last = tuple(query.continuations[0])


class Negative(Toy):
    def bits(self, before: Sequence[str], word: str) -> float:
        return -super().bits(before, word)


class Spanless(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            yield Score(tuple(replace(each, spans=()) for each in score.continuations), 0)


class Hasty(Toy):
    """Long continuations are cheaper than their words."""

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            yield Score(
                tuple(
                    replace(each, bits=tuple(bits / len(each.bits) for bits in each.bits))
                    for each in score.continuations
                ),
                score.prefix_oov,
            )


class KnowsAll(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            known = (replace(each, oov=(False,) * len(each.bits)) for each in score.continuations)
            yield Score(tuple(known), score.prefix_oov)


class KnowsNothing(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            some = (replace(each, oov=(True,) * len(each.bits)) for each in score.continuations)
            yield Score(tuple(some), score.prefix_oov)


class OverlooksPrefixes(Toy):
    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for score in super().score(queries):
            yield replace(score, prefix_oov=0)


class Unsigned(Toy):
    def __post_init__(self) -> None:
        self.signature = f"toy {self.sharpness}"


class SignedAlike(Toy):
    def __post_init__(self) -> None:
        self.signature = "toy:1"


class Equal(Toy):
    """Other weights, the same numbers."""

    def __post_init__(self) -> None:
        self.signature = f"toy:{self.sharpness}"
        self.sharpness = 1.0


BROKEN: tuple[tuple[Callable[[Case], None], type[Toy]], ...] = (
    (contract.probabilities_sum_to_one_after_every_prefix, Unnormalised),
    (contract.every_query_gets_the_answers_of_its_continuations_in_their_order, Backwards),
    (contract.no_queries_get_no_answers, Chatty),
    (contract.answers_do_not_depend_on_what_else_is_asked, Carried),
    (contract.surprisals_are_finite_and_not_negative, Negative),
    (contract.every_number_has_its_span_and_spans_leave_out_only_blanks, Spanless),
    (contract.a_longer_continuation_is_as_surprising_as_its_words_one_by_one, Hasty),
    (contract.unknown_words_are_flagged_and_known_ones_not, KnowsAll),
    (contract.unknown_words_are_flagged_and_known_ones_not, KnowsNothing),
    (contract.unknown_words_are_flagged_and_known_ones_not, OverlooksPrefixes),
    (contract.a_signature_is_pairs_of_key_and_value_in_one_line, Unsigned),
    (
        contract.a_signature_is_the_same_for_the_same_files_and_another_for_other_weights,
        SignedAlike,
    ),
    (contract.other_weights_give_other_numbers, Equal),
)


@pytest.mark.parametrize(("claim", "broken"), BROKEN)
def test_a_scorer_that_breaks_a_claim_is_caught_by_it(claim: Claim, broken: type[Toy]) -> None:
    with pytest.raises(AssertionError):
        claim(case(broken))


def test_every_claim_can_be_broken() -> None:
    assert {claim for claim, _ in BROKEN} == set(CLAIMS)


@pytest.mark.parametrize("name", sorted(OF_TEXT))
def test_a_claim_is_not_passed_over_without_a_reason_nor_with_one_that_is_none(name: str) -> None:
    (claim,) = (each for each in CLAIMS if claim_name(each) == name)
    with pytest.raises(AssertionError):
        claim(replace(case(), why_not={name: "no reason"}))
    silent = replace(case(), following=(), load=partial(Toy, unit="text"))
    with pytest.raises(AssertionError):
        claim(silent)
    claim(replace(silent, why_not={name: "a reason"}))


def test_a_case_that_could_show_nothing_is_refused() -> None:
    one = Query(("the",), (("keys",),))
    for queries in ((one,), (one, Query(("keys",), (("are",),)))):
        with pytest.raises(AssertionError):
            replace(case(), queries=queries)
