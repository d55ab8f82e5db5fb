"""A component oracle: figures measured on the paper's Italian answers and on BLiMP's, once more.

Where a figure comes from random splits or resamples, it was measured with other ones (200 splits,
1,000 resamples): the tolerance is stated beside it.
"""

import csv
import re
from collections.abc import Mapping

import pytest

from colorless_green import analyse, compare, read_judgments
from colorless_green.data import wilson
from colorless_green.data.store import MEMORY, Store
from colorless_green.humans import HUMANS, Imported, Tally, read_files
from colorless_green.humans.statistics.people import raters
from tests.builders import shared

pytestmark = pytest.mark.shared

MODEL = "hidden650_batch64_dropout0.2_lr10.0"
TABLE = ("published", "colorless", "evaluation_output", "Italian", "best_model_mturk.tab")
ANSWERS, SHARES = "ρ of right − wrong with margin", "ρ of accuracy with margin"
UNPUBLISHED = (
    "coordinate_structure_constraint_subject_extraction",
    "wh_questions_object_gap_long_distance",
    "subject_island",
)


@pytest.fixture(scope="module")
def italian() -> Imported:
    return read_files([shared(*TABLE)], ())


@pytest.fixture(scope="module")
def rows() -> list[Mapping[str, object]]:
    """What `humans analyse` says of the paper's table."""
    with Store(MEMORY) as store:
        read_judgments([shared(*TABLE)], store=store)
        return list(analyse("", store=store).rows)


def value(
    rows: list[Mapping[str, object]], statistic: str, kind: str, scheme: int = 0, **fields: object
) -> Mapping[str, object]:
    """The row of all constructions of a kind that has these fields; where p was found in several
    ways (t of as many items as clusters are worth, items permuted within sources), the row of
    one."""
    wanted = {"construction": "", "rater": HUMANS, "level": "", **fields}
    found = [
        row
        for row in rows
        if row["statistic"] == statistic
        and row["kind"] == kind
        and all(row[name] == each for name, each in wanted.items())
    ]
    assert len(found) == (2 if statistic == ANSWERS else 1)
    return found[scheme]


def of_kind(italian: Imported, kind: str) -> list[Tally]:
    return [tally for tally in italian.tallies if tally.condition == kind]


@pytest.mark.parametrize(
    ("kind", "right", "total", "low", "high"),
    [("original", 1050, 1113, 92.82, 95.55), ("nonce", 8974, 10163, 87.66, 88.91)],
)
def test_wilson_on_pooled_counts(
    italian: Imported, kind: str, right: int, total: int, low: float, high: float
) -> None:
    people = of_kind(italian, kind)
    assert (sum(t.right for t in people), sum(t.total for t in people)) == (right, total)
    found = wilson(right, total)
    assert found is not None
    assert (100 * found.low, 100 * found.high) == pytest.approx((low, high), abs=5.01e-3)


def test_how_many_answers_items_have(italian: Imported) -> None:
    counts: dict[int, int] = {}
    for each in italian.tallies:
        counts[each.total] = counts.get(each.total, 0) + 1
    expected = {5: 3, 6: 17, 7: 60, 8: 195, 9: 305, 10: 354, 11: 185, 12: 64, 13: 7}
    assert counts == expected
    for kind, mean in (("original", 9.353), ("nonce", 9.489)):
        own = of_kind(italian, kind)
        assert sum(t.total for t in own) / len(own) == pytest.approx(mean, abs=5.01e-4)


@pytest.mark.parametrize(
    ("kind", "alpha", "pairwise", "right", "ties", "wrong"),
    [("nonce", 0.274, 0.850, 1009, 12, 50), ("original", 0.177, 0.914, 117, 0, 2)],
)
def test_agreement_among_people(
    italian: Imported, kind: str, alpha: float, pairwise: float, right: int, ties: int, wrong: int
) -> None:
    """The easier set has the lower alpha."""
    people = of_kind(italian, kind)
    found = raters([(each.right, each.total - each.right) for each in people])
    assert found is not None
    assert found.alpha == pytest.approx(alpha, abs=5.01e-4)
    assert found.pairwise == pytest.approx(pairwise, abs=5.01e-4)
    majorities = [2 * each.right - each.total for each in people]
    assert sum(each > 0 for each in majorities) == right
    assert sum(each == 0 for each in majorities) == ties
    assert sum(each < 0 for each in majorities) == wrong


def test_agreement_among_blimps_people() -> None:
    """335 pairs of the 67 published paradigms, approved tasks."""
    counts: dict[str, list[int]] = {}
    with open(
        shared("published", "humans", "blimp", "judgments.csv"), encoding="utf-8", newline=""
    ) as stream:
        for row in csv.DictReader(stream):
            paradigm = row["item"].rpartition("/")[0]
            published = paradigm and paradigm not in UNPUBLISHED
            if published and row["status"] == "Approved" and row["correct"]:
                counts.setdefault(row["item"], [0, 0])[int(row["correct"])] += 1
    found = raters(list(counts.values()))
    assert found is not None
    assert found.n_items == 335
    assert found.alpha == pytest.approx(0.1346, abs=5.01e-5)
    assert found.pairwise == pytest.approx(0.8245, abs=5.01e-5)


def test_every_spearman_by_condition_and_overall(rows: list[Mapping[str, object]]) -> None:
    """Paper: p < 0.05 and p < 0.001, over 1,071 nonce items; one of them has one word as both
    forms, and only `compare --published` counts it."""
    expected = {
        ("original", ANSWERS): 0.2323,
        ("nonce", ANSWERS): 0.4271,
        ("original", SHARES): 0.3772,
        ("nonce", SHARES): 0.4500,
    }
    for (kind, statistic), rho in expected.items():
        found = value(rows, statistic, kind, rater=MODEL)
        assert found["value"] == pytest.approx(rho, abs=5.01e-5)
    p = value(rows, ANSWERS, "original", rater=MODEL)["p"]
    assert p == pytest.approx(0.0113, abs=5.01e-5)  # 119 sources: an ordinary t
    nonce = value(rows, ANSWERS, "nonce", rater=MODEL)["p"]
    assert isinstance(nonce, float)
    assert nonce < 0.001
    with Store(MEMORY) as store:
        read_judgments([shared(*TABLE)], store=store)
        notes = compare(store=store, published="gulordava2018").messages
    told = [re.search(r"(original|nonce): ([.0-9]+) \[.*, (\d+) items", note) for note in notes]
    assert [each.groups() for each in told if each] == [
        ("original", "0.232", "119"), ("nonce", "0.426", "1071")
    ]  # fmt: skip


def test_majorities_of_few_people_are_right_less_often(rows: list[Mapping[str, object]]) -> None:
    for q, expected in ((3, 0.924), (5, 0.936)):
        found = value(rows, f"majority of {q} right, ties half", "nonce")["value"]
        assert found == pytest.approx(expected, abs=1e-3)


def test_people_and_model_agree_within_sources(rows: list[Mapping[str, object]]) -> None:
    """Not only between them. An original has nothing within its source to permute."""
    assert value(rows, ANSWERS, "nonce", 1, rater=MODEL)["p"] == pytest.approx(0.007, abs=0.006)
    assert value(rows, ANSWERS, "original", 1, rater=MODEL)["p"] == 1


def test_human_minus_model_and_its_interval() -> None:
    """Like with like, over sources; the limits were computed apart, of 119 sources as of 117."""
    with Store(MEMORY) as store:
        read_judgments([shared(*TABLE)], store=store)
        cells = compare(store=store).cells.filter(rater=MODEL, construction="")
    rows = {row["kind"]: row for row in cells.iter_rows(named=True)}
    for measure, kind, expected in (
        ("majority", "original", (5.0, -0.3, 11.1)),
        ("majority", "nonce", (8.2, 2.9, 13.6)),
        ("share", "original", (5.0, 0.6, 10.6)),
        ("share", "nonce", (6.8, 2.2, 11.4)),
    ):
        ends = ("difference", "difference_low", "difference_high")
        found = [100 * rows[kind][f"{measure}_{end}"] for end in ends]
        assert found == pytest.approx(expected, abs=0.2)
    assert [rows[kind]["better"] for kind in ("original", "nonce")] == [None, "people"]


@pytest.mark.parametrize(
    ("kind", "rater", "errors"),
    [
        ("original", HUMANS, [0.69, 1.85, 9.96, None]),
        ("original", MODEL, [1.65, 7.18, 13.33, None]),
        ("nonce", HUMANS, [0.51, 1.31, 3.52, 3.76]),
        ("nonce", MODEL, [0.99, 3.02, 4.91, 11.11]),
    ],
)
def test_standard_errors_by_attractors(
    rows: list[Mapping[str, object]], kind: str, rater: str, errors: list[float | None]
) -> None:
    """Figure 2's: over items. The model's tied item has no attractors and counts half here, which
    moves its standard error by 0.005 points."""
    for level, expected in zip(("0", "1", "2", "3+"), errors, strict=True):
        row = value(rows, "accuracy by attractors", kind, rater=rater, level=level)
        found = row["se"]
        assert isinstance(found, float | None)
        if expected is None:
            assert found is None
        else:
            assert 100 * (found or 0.0) == pytest.approx(expected, abs=0.011)
