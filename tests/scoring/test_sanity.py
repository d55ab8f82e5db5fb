"""Component oracle. Models that have learned nothing, or were broken on the way, do not pass for
models."""

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import load_model
from colorless_green.scoring import Query, Score, Surprisals
from colorless_green.scoring.models.sanity import SANITY_TEXTS, sanity_fault
from tests.scoring.tiny_models import causal_folder, gpt2


@dataclass(frozen=True)
class Bigrams:
    """Knows which words follow each other in one of the built-in texts; the rest is noise."""

    text: int | None
    seed: int = 0
    unit: str = "words"
    signature: str = "model:bigrams"

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        words = SANITY_TEXTS[self.text].split() if self.text is not None else []
        known = set(itertools.pairwise(words))
        for query in queries:
            words = [*query.prefix, *query.continuations[0]]
            noise = random.Random(f"{self.seed} {words}")
            bits = [
                (1.0 if pair in known else 9.0) + noise.random()
                for pair in itertools.pairwise(words)
            ]
            spans = tuple((n, n + 1) for n in range(len(bits)))
            yield Score((Surprisals(tuple(bits), spans, (False,) * len(bits)),))


@given(st.integers(0, len(SANITY_TEXTS) - 1), st.integers(0, 50))
def test_a_model_of_any_one_of_its_languages_passes(text: int, seed: int) -> None:
    assert sanity_fault(Bigrams(text, seed)) == ""


def test_a_model_to_which_order_is_nothing_hardly_ever_passes() -> None:
    passed = sum(not sanity_fault(Bigrams(None, seed)) for seed in range(60))
    assert passed <= 6


def test_random_weights_are_told_from_trained_ones(tmp_path: Path) -> None:
    folder = causal_folder(tmp_path, gpt2(n_positions=400))
    model = load_model(f"causal:{folder}", device="cpu")
    assert sanity_fault(model.scorer)
    assert len(model.notes) == 1  # which says so


@pytest.mark.parametrize("n_positions", [8, 64])
def test_texts_that_are_too_long_say_nothing_of_the_weights(
    n_positions: int, tmp_path: Path
) -> None:
    """A refused text has no bits, not 0 of them."""
    folder = causal_folder(tmp_path, gpt2(n_positions=n_positions))
    model = load_model(f"causal:{folder}", device="cpu")
    assert (sanity_fault(model.scorer), model.notes) == ("", ())


def test_a_model_that_answers_infinity_is_broken() -> None:
    @dataclass(frozen=True)
    class Endless(Bigrams):
        def score(self, queries: Iterable[Query]) -> Iterator[Score]:
            for _ in queries:
                yield Score((Surprisals((float("inf"),), ((0, 1),), (False,)),))

    assert sanity_fault(Endless(None))
