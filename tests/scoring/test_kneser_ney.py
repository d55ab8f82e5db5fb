"""A component oracle: the NumPy estimator against formulas and the laws of probability. (Against
KenLM's own files: test_large_text.)"""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from colorless_green.data.files import numbered_lines
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.training._kneser_ney import (
    BackoffModel,
    Discounts,
    discounts_of,
    estimate,
)
from tests.builders import mistake
from tests.scoring.ngram_oracle import Table, contexts, texts, total_p

EWT = Path(__file__).resolve().parents[2].parent / "shared/treebanks/UD_English-EWT"

Gram = tuple[str, ...]

prunes = st.sampled_from([(), (0,), (0, 0, 1), (0, 1), (0, 1, 2), (0, 0, 0, 1)])


def table_of(model: BackoffModel) -> Table:
    """Return what an ARPA file of `model` would list, with all digits."""
    table: Table = {}
    shorter: list[Gram] = [()]
    for section in model.sections:
        columns = (section.head, section.suffix, section.log10_p, section.log10_backoff)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        shorter = [(model.vocabulary[first], *shorter[suffix]) for first, suffix, _, _ in rows]
        values = [(log10_p, log10_backoff) for _, _, log10_p, log10_backoff in rows]
        table |= zip(shorter, values, strict=True)
    return table


def by_formula(sentences: Sequence[Gram], order: int, prune: Sequence[int] = ()) -> Table:
    """Return modified Kneser–Ney from Chen & Goodman's formulas, with dictionaries and no array:
    each sentence gets order - 1 `<s>` in front, and lower orders count what stands to the left."""
    raw: Counter[Gram] = Counter()
    for words in sentences:
        padded = ("<s>",) * (order - 1) + tuple(words) + ("</s>",)
        for end in range(order, len(padded) + 1):
            for n in range(1, order + 1):
                raw[padded[end - n : end]] += 1
    raw = Counter({gram: n for gram, n in raw.items() if "<s>" not in gram[1:]})
    neighbours = {gram: {g[0] for g in raw if g[1:] == gram} for gram in raw}
    adjusted = {
        gram: n if len(gram) == order or gram[0] == "<s>" else len(neighbours[gram])
        for gram, n in raw.items()
        if gram != ("<s>",)
    }
    n_types = len({gram[-1] for gram in adjusted}) + 1
    discounts = {n: discount_by_formula(adjusted, n) for n in range(1, order + 1)}
    kept = {
        gram: len(gram) == 1
        or raw[gram] > (*prune, *[max(prune, default=0)] * order)[len(gram) - 1]
        for gram in adjusted
    }

    def gamma(context: Gram) -> float:
        after = [gram for gram in adjusted if gram[:-1] == context]
        if not after:
            return 1.0
        taken = discounts[len(context) + 1]
        freed = sum(taken[min(adjusted[g], 3)] if kept[g] else adjusted[g] for g in after)
        return freed / sum(adjusted[g] for g in after)

    def p(gram: Gram) -> float:
        if not gram:
            return 1 / n_types
        total = sum(n for g, n in adjusted.items() if g[:-1] == gram[:-1])
        n = adjusted.get(gram, 0)
        own = (n - discounts[len(gram)][min(n, 3)]) / total
        return own + gamma(gram[:-1]) * p(gram[1:])

    table = {g: (math.log10(p(g)), math.log10(gamma(g))) for g in adjusted if kept[g]}
    table["<unk>",] = (math.log10(gamma(()) / n_types), 0.0)
    table["<s>",] = (0.0, math.log10(gamma(("<s>",))))
    return table


def discount_by_formula(adjusted: dict[Gram, int], n: int) -> tuple[float, ...]:
    t = Counter(count for gram, count in adjusted.items() if len(gram) == n)
    if t[1] and t[2] and t[3]:
        y = t[1] / (t[1] + 2 * t[2])
        amounts = [k - (k + 1) * y * t[k + 1] / t[k] for k in (1, 2, 3)]
        if all(1e-9 < amount <= k for k, amount in enumerate(amounts, start=1)):
            return (0.0, *amounts)
    return (0.0, 0.5, 1.0, 1.5)


def words_of(*sentences: str) -> list[Gram]:
    return [tuple(sentence.split()) for sentence in sentences]


@given(texts, st.integers(1, 7), prunes)
def test_arrays_and_formulas_give_the_same_model(
    text: list[Gram], order: int, prune: tuple[int, ...]
) -> None:
    found = table_of(estimate(text, order, prune))
    expected = by_formula(text, order, prune)
    assert sorted(found) == sorted(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-10), gram


@pytest.mark.slow
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_so_they_do_of_a_text_with_discounts_of_its_own(prune: tuple[int, ...]) -> None:
    rng = generator(0, "zipfian")
    sizes = [1 + int(rng.random() * 9) for _ in range(90)]
    text = [tuple(f"w{int(90 ** rng.random())}" for _ in range(size)) for size in sizes]
    model = estimate(text, 3, prune)
    assert [discount.fallback for discount in model.discounts].count(False) >= 2
    found, expected = table_of(model), by_formula(text, 3, prune)
    assert sorted(found) == sorted(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-10), gram


@given(texts, st.integers(1, 5), prunes, contexts)
def test_probabilities_sum_to_one_after_any_context(
    text: list[Gram], order: int, prune: tuple[int, ...], context: Gram
) -> None:
    model = estimate(text, order, prune)
    assert total_p(table_of(model), context) == pytest.approx(1, abs=1e-12)


@given(texts, st.integers(2, 5), prunes)
def test_every_prefix_and_suffix_of_a_listed_ngram_is_listed(
    text: list[Gram], order: int, prune: tuple[int, ...]
) -> None:
    table = table_of(estimate(text, order, prune))
    for gram in table:
        assert len(gram) == 1 or (gram[1:] in table and gram[:-1] in table)


@given(texts, st.integers(2, 5), st.integers(0, 9))
def test_the_order_of_the_sentences_does_not_matter(
    text: list[Gram], order: int, seed: int
) -> None:
    shuffle = shuffled(generator(seed, "sentences"), text)
    assert table_of(estimate(shuffle, order)) == table_of(estimate(text, order))


@given(texts, st.integers(1, 4))
def test_sentences_may_come_from_a_generator(text: list[Gram], order: int) -> None:
    stream = (words for words in text)
    assert table_of(estimate(stream, order)) == table_of(estimate(text, order))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=60))
@example([1] * 4 + [2] + [3])  # D2 = 2 - 3 · 2/3 · 1/1 is exactly 0
def test_discounts_leave_something_to_every_context(counts: list[int]) -> None:
    import numpy as np

    amounts = discounts_of(np.array(counts, dtype=np.uint32)).amounts
    assert all(0 < amount <= k for k, amount in enumerate(amounts, start=1))


def test_discounts_are_those_of_chen_and_goodman() -> None:
    import numpy as np

    counts = np.array([1, 2, 3, 4, 9], dtype=np.uint32)
    found = discounts_of(np.repeat(counts, [40, 10, 5, 2, 3]))  # Y = 40 / 60
    assert found.amounts == pytest.approx((1 - 1 / 3, 2 - 1, 3 - 4 * 2 / 3 * 2 / 5))
    assert not found.fallback


@pytest.mark.parametrize(
    "counts",
    [[], [1, 1, 2], [2, 3, 4], [1, 3, 4], [1, 2, 3, 3], [1, 2, 3, 4, 4, 4, 4, 4]],
    ids=["nothing", "no 3", "no 1", "no 2", "D2 below 0", "D3 below 0"],
)
def test_all_three_discounts_fall_back_together(counts: list[int]) -> None:
    import numpy as np

    found = discounts_of(np.array(counts, dtype=np.uint32))
    assert found == Discounts((0.5, 1.0, 1.5), fallback=True)


def test_a_text_of_short_sentences_gives_a_lower_order() -> None:
    model = estimate(words_of("yes", "no", "yes yes"), 6)
    assert len(model.sections) == len(model.discounts) == 4  # <s> yes yes </s>


def test_an_order_that_pruning_empties_is_left_out() -> None:
    model = estimate(words_of("a b c", "a b d", "a b c e"), 4, (0, 0, 2))
    assert model.n_grams == (8, 8, 1)  # <s> a b


def test_an_empty_sentence_is_only_its_end() -> None:
    table = table_of(estimate([(), ("a",)], 2))
    assert ("<s>", "</s>") in table


def test_words_that_differ_in_the_kind_of_blank_are_one() -> None:
    model = estimate([("nhà nước", "x"), ("nhà\u00a0nước", "y"), ("nhà\tnước",)], 2)
    assert model.vocabulary == ("<unk>", "<s>", "</s>", "nhà\u00a0nước", "x", "y")


@pytest.mark.parametrize(
    ("sentences", "kind"),
    [([], "empty"), ([("a", "")], "format"), ([("a", "<s>")], "format")],
)
def test_a_text_that_cannot_be_learnt_is_refused(sentences: list[Gram], kind: Any) -> None:
    with mistake(kind, "training text"):
        estimate(sentences, 3)


def ewt_dev(order: int, prune: tuple[int, ...] = ()) -> BackoffModel:
    path = EWT / "en_ewt-ud-dev.conllu.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    sentences: list[list[str]] = [[]]
    for _, line in numbered_lines(path):
        cells = line.split("\t")
        if cells[0].isdecimal():
            sentences[-1].append(cells[1])
        elif not line:
            sentences.append([])
    return estimate([words for words in sentences if words], order, prune)


@pytest.mark.shared
def test_a_real_treebank_gives_the_counts_and_discounts_of_the_formulas() -> None:
    # measured with a plain estimator on UD_English-EWT 2.x dev, order 5
    model = ewt_dev(5)
    assert len(model.vocabulary) - 1 == 5_496
    assert model.n_grams == (5_497, 18_051, 22_964, 22_487, 20_972)
    expected = [
        (0.6908, 0.9981, 1.9340),
        (0.8524, 1.3065, 1.3825),
        (0.9396, 1.4458, 1.6750),
        (0.9790, 1.7038, 1.2051),
        (0.5, 1.0, 1.5),
    ]
    for found, amounts in zip(model.discounts, expected, strict=True):
        assert found.amounts == pytest.approx(amounts, abs=5e-5)
    assert [discount.fallback for discount in model.discounts] == [False] * 4 + [True]


@pytest.mark.shared
@pytest.mark.parametrize("prune", [(), (0, 0, 1, 1, 1)])
def test_a_real_treebank_sums_to_one(prune: tuple[int, ...]) -> None:
    model = ewt_dev(5, prune)
    if prune:
        assert model.n_grams == (5_497, 18_051, 1_352, 501, 231)
    table = table_of(model)
    for context in ("", "<s>", "<s> The", "I do not", "in the end", "<unk> <unk>"):
        assert total_p(table, context.split()) == pytest.approx(1, abs=1e-11), context
