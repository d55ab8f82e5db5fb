"""Several suites: who is a rater, tests between raters, correlations."""

import numpy as np
import pytest

from colorless_green.data.tables import read_tsv
from tests.humans.stored import Kept
from tests.humans.suites_material import LEVELS as MODELS
from tests.humans.suites_material import (
    NAMES,
    many,
    margins,
    own_margins,
    scored,
    stored,
    suite,
)

Rows = list[dict[str, str]]


def tables_of(kept: Kept, *names: str) -> dict[str, Rows]:
    folder = kept.folder / "tables"
    kept.compare(*names or ("*",), out=folder)
    return {path.stem: list(read_tsv(path)) for path in folder.glob("*.tsv")}


@pytest.fixture(scope="module")
def tables() -> dict[str, Rows]:
    return tables_of(stored())


def credits(place: int, model: str) -> list[float]:
    return [float((each or 0.0) > 0) for each in own_margins(place, model).values()]


def score(model: str) -> float:
    """Return the unweighted mean over suites."""
    return float(np.mean([np.mean(credits(place, model)) for place in range(len(NAMES))]))


def only(rows: Rows, **wanted: str) -> dict[str, str]:
    (found,) = (row for row in rows if all(row[k] == v for k, v in wanted.items()))
    return found


def test_people_come_first_and_a_group_stands_after_its_models(tables: dict[str, Rows]) -> None:
    rows = [row for row in tables["collection"] if row["level"] == "score"]
    assert [row["rater"] for row in rows] == ["humans", *MODELS, "seeds"]
    shown = dict.fromkeys(
        name for row in tables["correlations"] for name in (row["rater"], row["other"])
    )
    assert list(shown) == ["humans", "good", "fair", "seeds"]


def test_scores_are_means_over_suites_that_count_once(tables: dict[str, Rows]) -> None:
    levels = dict.fromkeys(row["level"] for row in tables["collection"])
    assert list(levels) == ["score", "circuit", "modifier", "suite"]
    for model in MODELS:
        found = only(tables["collection"], level="score", rater=model)
        assert float(found["accuracy"]) == pytest.approx(score(model))
        for place, name in enumerate(NAMES):
            own = only(tables["collection"], level="suite", rater=model, name=name)
            assert float(own["accuracy"]) == pytest.approx(np.mean(credits(place, model)))
    people = only(tables["collection"], level="score", rater="humans")
    assert float(people["accuracy"]) == pytest.approx(0.7)  # 9, 8, 7, 6 and 5 of 10


def test_a_group_has_the_mean_credit_of_its_models_and_the_sd_of_their_scores(
    tables: dict[str, Rows],
) -> None:
    for place, name in enumerate(NAMES):
        pair = [credits(place, model) for model in ("seed-1", "seed-2")]
        group = only(tables["collection"], level="suite", rater="seeds", name=name)
        assert float(group["accuracy"]) == pytest.approx(np.mean(pair))
    group = only(tables["collection"], level="score", rater="seeds")
    sd = np.std([score("seed-1"), score("seed-2")], ddof=1)
    assert float(group["sd"]) == pytest.approx(sd)


def test_ties_and_unknown_words_are_counted_where_they_are() -> None:
    own = suite("s", 6)
    found = dict(zip((e.item_id for e in own.items), [1.0, 0.0, -1.0, None, 0.0, 2.0], strict=True))
    kept = Kept()
    scored(kept, own, {"m": found})
    scored(kept, suite("t", 3), {"m": margins(suite("t", 3), "m")})
    row = only(tables_of(kept)["collection"], level="suite", name="s")
    assert (row["n_items"], row["n_ties"], row["n_oov"]) == ("5", "2", "1")
    assert float(row["accuracy"]) == 3 / 5


def test_pairs_are_compared_on_the_items_that_both_have() -> None:
    own = suite("s", 5)
    ids = [each.item_id for each in own.items]
    first = dict(zip(ids, [1.0, 1.0, 1.0, -1.0, None], strict=True))
    second = dict(zip(ids, [-1.0, 1.0, None, -1.0, 1.0], strict=True))
    kept = Kept()
    scored(kept, own, {"one": first, "two": second})
    (row,) = (row for row in tables_of(kept, "s")["paired"] if row["name"])
    numbers = [float(row[name]) for name in ("n_items", "accuracy", "other_accuracy", "difference")]
    assert numbers == [3, pytest.approx(2 / 3), pytest.approx(1 / 3), pytest.approx(1 / 3)]
    assert (float(row["p"]), float(row["p_floor"])) == (1, 0.25)  # three items


def test_over_suites_the_difference_is_that_of_the_scores_and_suites_are_flipped(
    tables: dict[str, Rows],
) -> None:
    over = [row for row in tables["paired"] if not row["name"]]
    within = [row for row in tables["paired"] if row["name"]]
    assert len(over) == 6  # pairs of four raters
    assert len(within) == 3 * len(NAMES)  # people are a sample within a suite: comparison.tsv
    assert all(float(row["p_floor"]) == 2.0 ** (1 - len(NAMES)) for row in over)
    best = only(over, rater="good", other="fair")
    assert float(best["difference"]) == pytest.approx(score("good") - score("fair"))
    for family in (over, within):
        assert all(float(row["p_holm"] or 0) >= float(row["p"] or 0) for row in family)


def test_correlations_are_over_the_suites_that_both_have(tables: dict[str, Rows]) -> None:
    people = [0.9, 0.8, 0.7, 0.6, 0.5]
    good = [np.mean(credits(place, "good")) for place in range(len(NAMES))]
    pair = only(tables["correlations"], rater="humans", other="good")
    assert pair["n_suites"] == str(len(NAMES))
    assert float(pair["pearson"]) == pytest.approx(np.corrcoef(people, good)[0, 1])
    kept = many(Kept(), people=False)
    flat = tables_of(kept, *NAMES[:2])
    assert flat["correlations"] == []  # two suites always lie on a line
