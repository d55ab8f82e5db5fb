"""A component oracle: the paper's Italian figures, from its answers and one of its models."""

from collections.abc import Sequence

import pytest

from colorless_green.data import wilson
from colorless_green.data.statistics.rank_correlation import (
    spearman,
    spearman_interval,
    spearman_p,
)
from colorless_green.humans import HUMANS, Imported, RaterAccuracy, Tally, rated, read_files
from colorless_green.humans.papers.gulordava2018 import published_comparison
from colorless_green.humans.statistics.accuracy_estimates import (
    item_accuracy,
    item_interval,
    pooled_accuracy,
)
from colorless_green.humans.statistics.rater_accuracy import ties_wrong
from tests.builders import shared
from tests.humans.answer_material import credits_of
from tests.humans.pages import numbers
from tests.humans.stored import Kept

pytestmark = pytest.mark.shared

MODEL = "hidden650_batch64_dropout0.2_lr10.0"

# Construction, then per cent right of originals and nonce: people (Gulordava et al. 2018, Table 3),
# people pooled, and the file's single best model (the paper's table has means of five).
CELLS = """
L__DET_ADJ_NOUN             98.690 98.111  98.485 98.157  100.0  92.063
L__NOUN_VERB_PRON_VERB      93.148 95.405  92.982 95.480  100.0  96.296
L__NOUN_VERB_VERB           96.991 92.286  96.813 92.210  88.889 94.650
R__ADJ_ADJ_CCONJ_ADJ        98.531 97.998  98.347 97.946  100.0  99.145
R__NOUN_ADJ_PUNCT_PRON_VERB 95.889 89.488  95.652 89.549  100.0  87.778
R__NOUN_NOUN_ADV_ADJ        91.510 79.358  91.453 79.197  100.0  78.632
R__NOUN_NOUN_VERB           87.065 73.372  86.471 72.926  77.778 73.457
R__VERB_NOUN_CCONJ_VERB     94.043 86.798  94.220 86.688  94.444 75.926
"""


@pytest.fixture(scope="module")
def italian() -> Imported:
    folder = shared("published", "colorless", "evaluation_output", "Italian")
    return read_files([folder / "best_model_mturk.tab"], ())


@pytest.fixture(scope="module")
def rows(italian: Imported) -> tuple[RaterAccuracy, ...]:
    """Ties wrong, as in the paper: the one tied item changes the model's figures."""
    assert italian.suite is not None
    credits = {m: ties_wrong(c) for m, c in credits_of(italian).items()}
    return rated(italian.suite.name, italian.suite.items, italian.tallies, credits)


def of_kind(italian: Imported, kind: str) -> list[Tally]:
    return [tally for tally in italian.tallies if tally.condition == kind]


def percent(share: float | None) -> float:
    assert share is not None
    return 100 * share


def test_all_items_and_answers_are_read(italian: Imported) -> None:
    """119 originals and 1,071 nonce; 5 to 13 answers an item, 9.5 in the mean (Gulordava et al.
    2018, §5)."""
    totals = [tally.total for tally in italian.tallies]
    assert (len(of_kind(italian, "original")), len(of_kind(italian, "nonce"))) == (119, 1071)
    assert len({tally.source for tally in italian.tallies}) == 119
    assert (min(totals), max(totals)) == (5, 13)
    assert sum(totals) / len(totals) == pytest.approx(9.476, abs=5e-4)


def test_people_are_right_in_94_5_and_88_4_per_cent(italian: Imported) -> None:
    """Table 3, last row; pooling all answers would give other figures."""
    original, nonce = of_kind(italian, "original"), of_kind(italian, "nonce")
    assert percent(item_accuracy(original)) == pytest.approx(94.527, abs=5e-4)
    assert percent(item_accuracy(nonce)) == pytest.approx(88.414, abs=5e-4)
    assert percent(pooled_accuracy(original)) == pytest.approx(94.340, abs=5e-4)
    assert percent(pooled_accuracy(nonce)) == pytest.approx(88.301, abs=5e-4)


@pytest.mark.parametrize("line", CELLS.split("\n")[1:-1])
def test_every_cell_of_table_3_is_reproduced(
    italian: Imported, rows: Sequence[RaterAccuracy], line: str
) -> None:
    name, *numbers = line.split()
    figures = [float(number) for number in numbers]
    for place, kind in enumerate(("original", "nonce")):
        own = [tally for tally in of_kind(italian, kind) if tally.construction == name]
        assert percent(item_accuracy(own)) == pytest.approx(figures[place], abs=5.01e-4)
        assert percent(pooled_accuracy(own)) == pytest.approx(figures[2 + place], abs=5.01e-4)
        (model,) = [
            row for row in rows if (row.kind, row.construction, row.rater) == (kind, name, MODEL)
        ]
        assert percent(model.accuracy) == pytest.approx(figures[4 + place], abs=5.01e-4)


def test_own_people_agree_with_the_published_table_in_every_printed_digit(
    italian: Imported,
) -> None:
    assert italian.suite is not None
    found = list(published_comparison(italian.suite.items, italian.tallies, credits_of(italian)))
    people = {(row.row, row.origin): row.value for row in found if row.rater == HUMANS}
    cells = [row for row, origin in people if origin == "published"]
    assert len(cells) == 18
    for cell in cells:
        published = people[cell, "published"]
        assert round(100 * people[cell, "own"], 1) == round(100 * published, 1)
    model = {row.row: row.value for row in found if row.rater == MODEL}
    assert percent(model["all, original"]) == pytest.approx(93.277, abs=5e-4)
    assert percent(model["all, nonce"]) == pytest.approx(86.555, abs=5e-4)


def test_intervals_over_sources_are_far_wider_than_those_that_ignore_them(
    italian: Imported,
) -> None:
    """Measured with 1,000 other resamples: [92.4, 96.5] and [85.3, 91.2]; Wilson on 8,974 of
    10,163 answers [87.66, 88.91]."""
    original, nonce = (item_interval(of_kind(italian, kind)) for kind in ("original", "nonce"))
    naive = wilson(8974, 10163)
    assert original is not None
    assert nonce is not None
    assert naive is not None
    assert (percent(original.low), percent(original.high)) == pytest.approx((92.4, 96.5), abs=0.4)
    assert (percent(nonce.low), percent(nonce.high)) == pytest.approx((85.3, 91.2), abs=0.4)
    assert (percent(naive.low), percent(naive.high)) == pytest.approx((87.66, 88.91), abs=5e-3)
    assert 4 * (naive.high - naive.low) < nonce.high - nonce.low


@pytest.mark.parametrize(
    ("kind", "rho", "share_rho", "p", "low", "high"),
    [
        ("original", 0.2323, 0.3772, (0.005, 0.02), 0.013, 0.417),
        ("nonce", 0.4262, 0.4486, (0.0, 0.0002), 0.336, 0.502),
    ],
)
def test_people_and_the_model_correlate_as_in_the_paper(
    italian: Imported,
    kind: str,
    rho: float,
    share_rho: float,
    p: tuple[float, float],
    low: float,
    high: float,
) -> None:
    """Gulordava et al. 2018, §5: p < 0.05 on originals and p < 0.001 on nonce sentences, of
    right minus wrong answers with the difference in log probability."""
    credits = credits_of(italian)[MODEL]
    people = of_kind(italian, kind)
    margins = [credits[tally.item][1] or 0.0 for tally in people]
    differences = [2.0 * tally.right - tally.total for tally in people]
    sources = [tally.source for tally in people]
    found = spearman_interval(differences, margins, sources)
    shares = [tally.right / tally.total for tally in people]
    assert found is not None
    assert spearman(differences, margins) == pytest.approx(rho, abs=5e-5)
    tested = spearman_p(differences, margins, sources)
    assert tested is not None
    assert p[0] <= tested <= p[1]
    assert found.low == pytest.approx(low, abs=0.035)
    assert found.high == pytest.approx(high, abs=0.02)
    assert spearman(shares, margins) == pytest.approx(share_rho, abs=5e-5)


def test_accuracy_falls_with_attractors_as_in_figure_2(italian: Imported) -> None:
    credits = ties_wrong(credits_of(italian)[MODEL])
    expected = {
        "original": {0: (85, 96.21, 97.65), 1: (23, 93.31, 86.96), 2: (10, 85.15, 80.0),
                     3: (1, 72.73, 0.0)},
        "nonce": {0: (765, 92.46, 91.76), 1: (207, 82.30, 74.88), 2: (90, 70.0, 68.89),
                  3: (9, 69.60, 88.89)},
    }  # fmt: skip
    for kind, by_number in expected.items():
        for number, (n_items, people, model) in by_number.items():
            own = [t for t in of_kind(italian, kind) if t.n_attractors == number]
            assert len(own) == n_items
            assert percent(item_accuracy(own)) == pytest.approx(people, abs=5.01e-3)
            right = [credits[tally.item][0] or 0.0 for tally in own]
            assert 100 * sum(right) / len(right) == pytest.approx(model, abs=5.01e-3)


def test_like_with_like_people_do_better_on_nonce_sentences(rows: Sequence[RaterAccuracy]) -> None:
    """The procedures' own figures (119 sources): nonce +8.2 [2.9, 13.6] by majority and choice,
    +6.8 [2.2, 11.4] by shares; originals +5.0 [−.3, 11.1] by majority and choice: no conclusion. Of
    16 cells no majority differs."""
    cells = {(row.kind, row.construction): row for row in rows if row.rater == MODEL}
    nonce, original = (cells[kind, ""].compared for kind in ("nonce", "original"))
    assert nonce is not None
    assert original is not None
    assert (nonce.better, original.better) == ("people", "")
    for found, *expected in (
        (nonce.majority, 8.2, 2.9, 13.6), (nonce.share, 6.8, 2.2, 11.4),
        (original.majority, 5.0, -0.3, 11.1),
    ):  # fmt: skip
        assert found is not None
        figures = percent(found.value), percent(found.low), percent(found.high)
        assert figures == pytest.approx(expected, abs=0.06)
    single = [row.compared for (_, name), row in cells.items() if name and row.compared]
    assert not any(each.better or (each.majority and each.majority.sign) for each in single)


def test_a_report_of_the_papers_answers_has_its_figures() -> None:
    """What the paper prints of people is what the page answers with."""
    kept = Kept()
    folder = shared("published", "colorless", "evaluation_output", "Italian")
    kept.imported(folder / "best_model_mturk.tab")
    page = kept.report()
    people = {
        row["sentences"].text: row["right, %"].text
        for row in page.rows("accuracy")
        if row["rater"].text == "people"
    }
    assert people == {"originals": "94.5", "nonce variants": "88.4"}
    assert 88.4 in numbers(page.root.one("div", "answer").text)
