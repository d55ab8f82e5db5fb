"""Component oracle. Outcomes to accuracies: each cell by itself; what models have in common; what
is shown."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item, Region, factors_of
from colorless_green.data.items.item_table import table_of
from colorless_green.data.statistics.intervals import accuracy_interval
from colorless_green.data.tables import Row
from colorless_green.scoring import Outcome, outcomes_frame
from colorless_green.scoring.outcomes.accuracy import accuracy_frame, factors_frame, for_people
from colorless_green.scoring.outcomes.run import Run
from tests.builders import few_examples

FIXED = ("kind", "construction", "value", "n_attractors")
NAMES = ("a", "b", "c")
KINDS = ("original", "nonce")
ITEMS = st.lists(
    st.tuples(
        st.sampled_from(KINDS), st.sampled_from(("", *NAMES)), st.sampled_from(("", "0", "12"))
    ),
    min_size=1,
    max_size=12,
)
CREDITS = st.sampled_from([1.0, 1.0, 0.0, 0.5, 1 / 3, None])


def item(number: int, kind: str, construction: str = "", n_attractors: str = "") -> Item:
    """Of a cluster with the two that follow it."""
    facts = {"construction": construction, "n_attr": n_attractors}
    wordings = {name: ((Region("whole", (name,), name),),) for name in ("right", "wrong")}
    return Item(
        item_id=f"i{number}", kind=kind, cluster_id=f"c{-number // 3}", language="en", source="t",
        licence="", conditions=wordings, facts={name: x for name, x in facts.items() if x},
    )  # fmt: skip


def outcome(one: Item, credit: float | None, prediction: str = "p") -> Outcome:
    note = "oov" if credit is None else "oov_kept;fragile" if credit == 0.0 else "noov"
    return Outcome(one.item_id, prediction, credit, credit, credit == 0.5, False, note)


def run(
    number: int,
    outs: Sequence[Outcome],
    *,
    group: str = "",
    method: str = "target",
    policy: str = "",
) -> Run:
    return Run(
        model=f"m{number}", outcomes=outcomes_frame(outs), number=str(number), suite="s",
        group=group, method=method, policy=policy,
    )  # fmt: skip


def rows_of(items: Sequence[Item], *runs: Run) -> list[Row]:
    return list(accuracy_frame(factors_frame(items), runs).iter_rows(named=True))


def fixed(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in FIXED if row[name] is not None}


@given(ITEMS, st.data())
def test_each_cell_is_counted_as_if_it_were_alone(
    facts: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    items = [item(n, *each) for n, each in enumerate(facts)]
    outs = [outcome(each, data.draw(CREDITS)) for each in items if data.draw(st.integers(0, 9))]
    rows = rows_of(items, run(1, outs))
    by_id = {each.item_id: each for each in items}
    cluster_of = dict(zip(by_id, table_of(items).clusters, strict=True))
    for row in rows:
        own = [
            each for each in outs if fixed(row).items() <= factors_of(by_id[each.item_id]).items()
        ]
        credits = [each.credit for each in own if each.credit is not None]
        clusters = [cluster_of[each.item_id] for each in own if each.credit is not None]
        drawn = accuracy_interval(credits, clusters)
        by_value: dict[str, list[float]] = {}
        for each in own:
            if each.credit is not None and (name := factors_of(by_id[each.item_id])["value"]):
                by_value.setdefault(name, []).append(each.credit)
        has_balance = len(by_value) > 1 and fixed(row).keys() <= {"kind", "construction"}
        if has_balance and fixed(row).keys() != {"construction"}:
            mean = fmean(map(fmean, by_value.values()))
            assert row["balanced"] == (pytest.approx(mean) if fixed(row) else None)
        else:
            assert row["balanced"] is None
        expected = {
            "run": "1", "model": "m1", "group": "", "method": "target", "policy": "", "suite": "s",
            "prediction": "p", "n_items": len(credits), "n_clusters": len(set(clusters)),
            "accuracy": sum(credits) / len(credits) if credits else None, "sd": None,
            "low": drawn.low if drawn else None, "high": drawn.high if drawn else None,
            "n_common": None, "accuracy_common": None, "n_ties": credits.count(0.5),
            "n_oov": len([each for each in own if each.credit in (None, 0.0)]),
        }  # fmt: skip
        assert {name: row[name] for name in expected} == expected
    keys = [tuple(fixed(row).items()) for row in rows]
    assert len(keys) == len(set(keys))
    told = [factors_of(by_id[each.item_id]) for each in outs]
    for marginal in ((), ("kind",), ("construction",), ("kind", "n_attractors")):
        cells = {tuple(each[name] for name in marginal) for each in told}
        wanted = {cell for cell in cells if all(cell)}
        assert {
            tuple(row[name] for name in marginal)
            for row in rows
            if set(fixed(row)) == set(marginal)
        } == wanted


@few_examples
@given(ITEMS, st.integers(2, 4), st.data())
def test_models_have_in_common_the_items_that_all_could_answer(
    facts: list[tuple[str, str, str]], n_models: int, data: st.DataObject
) -> None:
    items = [item(n, *each) for n, each in enumerate(facts)]
    drawn = [[outcome(each, data.draw(CREDITS)) for each in items] for _ in range(n_models)]
    runs = [run(n, outs) for n, outs in enumerate(drawn)]
    alone = run(99, [outcome(each, 1.0) for each in items], method="sentence")
    able = {
        each.item_id
        for n, each in enumerate(items)
        if all(outs[n].credit is not None for outs in drawn)
    }
    rows = rows_of(items, *runs, alone)
    for n, outs in enumerate(drawn):
        common = [each for each in outs if each.item_id in able]
        same = {
            tuple(fixed(row).items()): row
            for row in rows_of(items, run(n, common))
        }  # fmt: skip
        for row in (row for row in rows if row["run"] == str(n)):
            expected = same.get(tuple(fixed(row).items()))
            assert row["n_common"] == (expected["n_items"] if expected else 0)
            assert row["accuracy_common"] == (expected["accuracy"] if expected else None)
    assert all(row["n_common"] is None for row in rows if row["run"] == "99")


def test_models_of_one_group_get_a_row_of_their_mean_and_spread() -> None:
    items = [item(n, "nonce") for n in range(10)]
    runs = [
        run(number, [outcome(each, float(n < right)) for n, each in enumerate(items)], group=group)
        for number, group, right in ((1, "g", 8), (2, "g", 6), (3, "", 1), (4, "h", 1))
    ]
    (mean,) = (row for row in rows_of(items, *runs) if row["run"] is None and not fixed(row))
    assert mean["accuracy"] == pytest.approx(0.7)
    assert mean["sd"] == pytest.approx(math.sqrt(0.02))
    assert (mean["group"], mean["model"], mean["n_items"]) == ("g", None, 10)


def test_the_policy_stands_in_each_row() -> None:
    items = [item(0, "nonce", "a")]
    rows = rows_of(items, run(1, [outcome(items[0], 1.0)], policy="no first token"))
    assert {row["policy"] for row in rows} == {"no first token"}


@few_examples
@given(ITEMS, st.data())
def test_people_are_shown_no_items_twice_and_constructions_last(
    facts: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    items = [item(n, *each) for n, each in enumerate(facts)]
    runs = [run(n, [outcome(each, data.draw(CREDITS)) for each in items]) for n in (1, 2)]
    shown = list(for_people(accuracy_frame(factors_frame(items), runs)).iter_rows(named=True))
    told = [(each.item_id, factors_of(each)) for each in items]
    members = [
        (row["run"], frozenset(name for name, own in told if fixed(row).items() <= own.items()))
        for row in shown
    ]
    assert len(members) == len(set(members))
    assert {number for number, _ in members} == {"1", "2"}
    for kind in KINDS:  # whatever is to be seen of a kind is there
        of_kind = frozenset(name for name, own in told if own["kind"] == kind)
        assert not of_kind or ("1", of_kind) in members
        for name in NAMES:
            cell = frozenset(
                n for n, own in told if own["kind"] == kind and own["construction"] == name
            )
            assert not cell or ("1", cell) in members
    places = [
        3 if row["construction"] else 2 if row["n_attractors"] else 1 if row["value"] else 0
        for row in shown
    ]
    assert places == sorted(places)
    cells = [tuple(fixed(row).items()) for row in shown]
    assert [row["run"] for row in shown] == ["1", "2"] * (len(shown) // 2)
    assert cells[::2] == cells[1::2]  # the models of one cell under each other
