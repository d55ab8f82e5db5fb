"""Component oracle: baselines on published sets, and the figures that other code measured."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from colorless_green.data import read_suite
from colorless_green.nonce import audit_items
from colorless_green.nonce.audit.audited_pairs import pairs_of
from colorless_green.nonce.audit.baselines import LearningKey, baselines_of
from tests.builders import shared

FOLDER = ("published", "blimp", "data")


def accuracies(path: Path, form: str, kind: str = "") -> dict[str, float]:
    """Of each baseline, on the whole set or on the items of one kind."""
    result = audit_items(read_suite(path, form).items, by=("kind",))
    cell = (kind,) if kind else ()
    return {each.baseline: each.accuracy for each in result.figures if each.cell[:1] == cell}


@cache
def paradigm(name: str) -> dict[str, float]:
    """In halves, as the other code has it: trained on lines 1, 3, 5 …, tested on 2, 4, 6 …; a fixed
    rule on all lines."""
    pairs = pairs_of(read_suite(shared(*FOLDER, f"{name}.jsonl.gz"), "blimp").items)
    clusters = list(dict.fromkeys(pair.cluster for pair in pairs))
    teaching = set(clusters[::2])
    found: dict[str, float] = {}
    for name, baseline in baselines_of(pairs, None).items():
        judged = [pair for pair in pairs if not baseline.lacks(pair)]
        seen: Counter[LearningKey] = Counter()
        if baseline.keys is not None:
            for pair in judged:
                seen.update(baseline.keys(pair) if pair.cluster in teaching else ())
            judged = [pair for pair in judged if pair.cluster not in teaching]
        credits = [baseline.judge(pair, seen.__getitem__) for pair in judged]
        found |= {name: round(sum(credits) / len(credits), 6)} if credits else {}
    return found


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "words", "bigrams"),
    [
        ("passive_1", 1.000, None),
        ("npi_present_1", 1.000, 0.919),
        ("regular_plural_subject_verb_agreement_1", 0.681, 0.598),
        ("determiner_noun_agreement_1", 0.528, 0.831),
    ],
)
def test_bags_of_words_and_bigrams_do_as_they_did(
    name: str, words: float, bigrams: float | None
) -> None:
    assert paradigm(name)["words"] == pytest.approx(words, abs=0.005)
    if bigrams is not None:
        assert paradigm(name)["bigrams"] == pytest.approx(bigrams, abs=0.005)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "baseline", "share"),
    [
        ("principle_A_case_1", "shorter_in_letters", 1.0),
        ("principle_A_domain_1", "shorter_in_letters", 1.0),
        ("superlative_quantifiers_1", "shorter_in_letters", 0.0),
        ("principle_A_case_2", "shorter_in_letters", 0.008),
        ("animate_subject_trans", "shorter_in_words", 0.88),
    ],
)
def test_length_tells_what_it_told(name: str, baseline: str, share: float) -> None:
    assert paradigm(name)[baseline] == pytest.approx(share, abs=0.005)


PHENOMENA = {  # paradigms there are, words, bigrams, shorter in words, in letters
    "determiner_noun_agreement": (8, 0.508, 0.706, 0.500, 0.508),
    "subject_verb_agreement": (6, 0.555, 0.644, 0.500, 0.513),
    "island_effects": (8, 0.596, 0.946, 0.500, 0.498),
    "anaphor_agreement": (2, 0.724, 0.715, 0.500, 0.391),
    "ellipsis": (2, 0.747, 1.000, 0.449, 0.396),
    "binding": (7, 0.765, 0.837, 0.500, 0.564),
    "npi_licensing": (7, 0.786, 0.976, 0.500, 0.458),
    "quantifiers": (4, 0.875, 1.000, 0.500, 0.350),
    "argument_structure": (9, 0.989, 0.945, 0.592, 0.589),
    "control_raising": (5, 0.999, 0.999, 0.494, 0.490),
    "irregular_forms": (2, 1.000, 0.966, 0.500, 0.461),
    "filler_gap_dependency": (7, 1.000, 1.000, 0.500, 0.380),
}
COLUMNS = ("words", "bigrams", "shorter_in_words", "shorter_in_letters")


@pytest.mark.shared
@pytest.mark.parametrize(
    "terms",
    [
        ("irregular_forms", "quantifiers", "control_raising"),
        pytest.param(tuple(PHENOMENA), marks=pytest.mark.thorough),
    ],
    ids=["some", "all"],
)
def test_each_mean_of_a_phenomenon_leaves_a_possible_value_for_the_paradigm_that_is_not_here(
    terms: Sequence[str],
) -> None:
    """One paradigm of each phenomenon is not here: n times the mean less the others is its own."""
    found: dict[str, list[list[float]]] = {}
    for path in sorted(shared(*FOLDER).glob("*.jsonl.gz")):
        facts = read_suite(path, "blimp").items[0].facts
        term = facts["phenomenon"].replace("s-selection", "argument_structure")
        if term not in terms:
            continue
        figures = paradigm(path.name.removesuffix(".jsonl.gz"))
        found.setdefault(term, []).append([figures[name] for name in COLUMNS])
    assert set(found) == set(terms)
    for term in terms:
        n_paradigms, *means = PHENOMENA[term]
        here = found[term]
        assert len(here) == n_paradigms - 1
        rounding = 0.0005 * n_paradigms + 0.001
        for column, mean in enumerate(means):
            rest = mean * n_paradigms - sum(row[column] for row in here)
            assert -rounding <= rest <= 1 + rounding, (term, COLUMNS[column])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "singular"), [("English", 0.585), ("Italian", 0.538), ("Hebrew", 0.678)]
)
def test_the_majority_value_gets_of_the_papers_originals_the_share_that_is_singular(
    language: str, singular: float
) -> None:
    (path,) = shared("published", "colorless", "agreement", language).glob("generated.tab*")
    found = accuracies(path, "tab", kind="original")
    assert found["majority_value"] == pytest.approx(singular, abs=0.0005)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "bigrams", "window", "length"),
    [
        ("he_simple_agrmt", 0.5, 0.5, 0.5),
        ("de_simple_agrmt", 0.7, 1.0, 0.65),
        ("fr_simple_agrmt", 0.771, 1.0, 0.65),
    ],
)
def test_a_set_balanced_by_design_tells_nothing_but_what_neighbours_tell(
    name: str, bigrams: float, window: float, length: float
) -> None:
    """The subject stands in the window, and a plural is often longer. Each verb of CLAMS is as
    often right as wrong: without the rule for ties 0 instead of ½."""
    path = shared("published", "clams", f"{name}.txt.gz")
    found = accuracies(path, "clams")
    for each, share in (
        ("bigrams", bigrams),
        ("adjacent_word", bigrams),
        ("window", window),
        ("length", length),
    ):
        assert found.pop(each) == pytest.approx(share, abs=0.0005), each
    assert set(found.values()) == {0.5}
