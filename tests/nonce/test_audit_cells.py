"""Figures by cell: intervals as everywhere, columns, the order of the items; and the verb, from a
file or the store to its rows, messages and the file of hard items."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import audit, mine
from colorless_green.data import Item, Suite, read_suite, save_suite
from colorless_green.data.errors import ErrorKind
from colorless_green.data.statistics.intervals import accuracy_interval
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Row
from colorless_green.nonce import ABOVE_CHANCE, BELOW_CHANCE, AuditResult, audit_items
from tests.builders import few_examples, mistake
from tests.nonce.audit_material import agreeing_pair, sentences
from tests.test_cli import treebank

MATERIAL = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(["original", "nonce", "suite"]),
        st.sampled_from(["Sing", "Plur"]),
        st.lists(st.sampled_from(["the", "old", "key"]), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=12,
)


def items(rows: list[tuple[str, str, str, list[str]]]) -> list[Item]:
    """Pairs of agreement, and mere sentences (`suite`), which some baselines pass over."""
    return [
        sentences(f"{' '.join(words)} {n} x", f"{n} {value}", cluster=cluster)
        if kind == "suite"
        else agreeing_pair(
            f"{' '.join(words)} {n} {'opens' if value == 'Sing' else 'open'}/{value}",
            "open" if value == "Sing" else "opens",
            cluster=cluster,
            kind=kind,
        )
        for n, (cluster, kind, value, words) in enumerate(rows)
    ]


def hard_rows(result: AuditResult) -> list[Row]:
    """Of the whole first, then of each cell."""
    return [row for row in result.rows if row["baseline"] == "hard"]


@few_examples
@given(MATERIAL, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    rows: list[tuple[str, str, str, list[str]]], rng: random.Random
) -> None:
    given_items = items(rows)
    other = rng.sample(given_items, len(given_items))
    one, two = (audit_items(each) for each in (given_items, other))
    assert one.figures == two.figures
    assert hard_rows(one) == hard_rows(two)
    assert {item.item_id for item in one.hard} == {item.item_id for item in two.hard}


@given(MATERIAL)
def test_the_whole_is_the_mean_of_its_cells_by_their_size(
    rows: list[tuple[str, str, str, list[str]]],
) -> None:
    result = audit_items(items(rows), by=("kind",))
    for whole in (figure for figure in result.figures if not figure.cell):
        parts = [each for each in result.figures if each.cell and each.baseline == whole.baseline]
        assert sum(each.n_items for each in parts) == whole.n_items
        mean = sum(each.accuracy * each.n_items for each in parts) / whole.n_items
        assert mean == pytest.approx(whole.accuracy)


Credits = Mapping[str, Mapping[str, float]]
"""Item id → baseline → what it is worth there."""


def credits_of(given_items: list[Item]) -> Credits:
    """Of each item, by an audit in which it is a cell of its own."""
    result = audit_items([replace(item, cell=item.item_id) for item in given_items], by=("cell",))
    found: dict[str, dict[str, float]] = {item.item_id: {} for item in given_items}
    for figure in result.figures:
        if figure.cell:
            found[str(figure.cell[0])][figure.baseline] = figure.accuracy
    return found


@few_examples
@given(MATERIAL)
def test_intervals_are_those_of_accuracies_everywhere(
    rows: list[tuple[str, str, str, list[str]]],
) -> None:
    given_items = items(rows)
    credits = credits_of(given_items)
    for figure in audit_items(given_items, by=("kind",)).figures:
        own = [
            item
            for item in given_items
            if figure.cell in ((), (item.kind,)) and figure.baseline in credits[item.item_id]
        ]
        values = [credits[item.item_id][figure.baseline] for item in own]
        clusters = [item.cluster_id for item in own]
        expected = accuracy_interval(values, clusters)
        assert (figure.low is None) == (expected is None)
        if expected:
            limits = (expected.low, expected.high)
            assert (figure.low, figure.high) == pytest.approx(limits, abs=1e-9)
        assert (figure.n_items, figure.n_clusters) == (len(own), len(set(clusters)))
        assert figure.accuracy == pytest.approx(sum(values) / len(values))


@given(MATERIAL, st.sampled_from([(), ("words",), ("shorter_in_letters", "majority_value")]))
def test_hard_are_the_items_on_which_no_baseline_is_better_than_undecided(
    rows: list[tuple[str, str, str, list[str]]], against: tuple[str, ...]
) -> None:
    given_items = items(rows)
    credits = credits_of(given_items)
    hard = [
        item
        for item in given_items
        if all(
            credit <= 0.5
            for baseline, credit in credits[item.item_id].items()
            if not against or baseline in against
        )
    ]
    result = audit_items(given_items, by=("kind",), against=against)
    assert list(result.hard) == hard
    whole = hard_rows(result)[0]
    assert whole["n_items"] == len(hard)
    assert whole["n_clusters"] == len({item.cluster_id for item in hard})


def test_mined_items_stand_by_construction_value_and_kind_others_by_their_construction() -> None:
    mined, other = agreeing_pair("a b/Sing", "c"), sentences("a", "b", construction="subj_rel")
    for given_items, columns in (
        ([mined], ("construction", "value", "kind")),
        (
            [sentences("a", "b", uid="passive_1", phenomenon="argument_structure")],
            ("construction",),
        ),
        ([sentences("a", "b", phenomenon="argument_structure")], ("phenomenon",)),
        ([sentences("a", "b", author="x")], ()),
        ([mined, replace(other, language="fr")], ("language", "construction", "value", "kind")),
    ):
        assert audit_items(given_items).cell_columns == columns


def sizes(given_items: list[Item], *by: str) -> dict[tuple[str | None, ...], int]:
    """How many items each cell has, as a baseline that judges all of them sees them."""
    figures = audit_items(given_items, by=by).figures
    return {each.cell: each.n_items for each in figures if each.baseline == "shorter_in_words"}


def test_any_fact_can_make_a_cell_and_none_the_whole_alone() -> None:
    mined = agreeing_pair("a b/Sing", "c")
    others = [sentences("a", "b", author="x"), sentences("c", "d")]
    cells = sizes([mined, *others], "n_attractors", "author")
    assert cells == {(): 3, ("", ""): 1, ("", "x"): 1, ("0", ""): 1}
    assert list(cells) == sorted(cells)
    assert sizes(others) == {(): 2}


def test_a_column_that_no_item_has_is_told() -> None:
    with mistake("unknown", "by"):
        audit_items([sentences("a", "b", uid="x")], by=("colour",))


def test_a_warning_in_a_cell_of_one_value_names_the_value() -> None:
    rows = [agreeing_pair(f"a{n} opens/Sing", "open") for n in range(5)]
    rows += [agreeing_pair(f"b{n} open/Plur", "opens") for n in range(2)]
    for given_items, told in (
        (rows, {(): False, ("Plur",): False, ("Sing",): True}),
        (rows[:5], {(): False, ("Sing",): False}),
    ):
        figures = audit_items(given_items, by=("value",)).figures
        majority = [each for each in figures if each.baseline == "majority_value"]
        assert {each.cell: "Sing" in each.warning for each in majority} == told
        assert all(each.warning for each in majority) == (len(given_items) == 5)


def run(*items: Item, **options: Any) -> AuditResult:
    """Return the audit of a suite that is in the store."""
    with Store(MEMORY) as store:
        with store.transaction():
            save_suite(store, Suite("set", items), "imported", treebank_id=None, now="")
        return audit("set", store=store, **options)


def figure(result: AuditResult, baseline: str, kind: str | None = None) -> dict[str, Any]:
    """Return the row of a baseline, of the whole or of the items of one kind."""
    cell = ({"kind": kind, "construction": "L__NOUN_VERB"} if kind else {}) | {"baseline": baseline}
    names = ("baseline", "construction", "kind", "relation", "first_noun")
    (row,) = [row for row in result.rows if {n: row[n] for n in names if n in row} == cell]
    return dict(row)


VERBS = (
    "opens open", "falls fall", "rusts rust", "turns turn", "burns burn", "bends bend",
    "leaks leak",
    "rises rise",
)  # fmt: skip


def verbs() -> list[Item]:
    """Eight singular originals, each with a variant; its right form is longer by a letter."""
    return [
        agreeing_pair(
            f"{cue}{n} x {verb.split()[0]}/Sing", verb.split()[1], cluster=str(n), kind=kind
        )
        for n, verb in enumerate(VERBS)
        for cue, kind in (("key", "original"), ("nut", "nonce"))
    ]


def test_a_row_for_each_baseline_in_the_whole_and_in_each_cell() -> None:
    result = run(*verbs())
    assert result.columns == (
        "baseline", "n_items", "accuracy", "low", "high", "chance", "warning",
    )  # fmt: skip
    assert len(result.rows) == 3 * 12  # 11 baselines can judge; and the hard items
    assert figure(result, "shorter_in_letters") == {
        "suite": "set", "baseline": "shorter_in_letters", "n_items": 16, "n_clusters": 8,
        "accuracy": 0.0, "low": 0.0, "high": pytest.approx(0.3124, abs=1e-3), "chance": 0.5,
        "warning": BELOW_CHANCE,
    }  # fmt: skip
    assert figure(result, "majority_value", "nonce")["warning"] == ABOVE_CHANCE
    assert figure(result, "hard", "nonce")["n_items"] == 0


def test_the_verdict_is_a_message_a_field_and_an_attribute() -> None:
    result = run(*verbs())
    (told,) = [row for row in result.rows if row.get("verdict")]
    assert (told["baseline"], told.get("kind")) == ("majority_value", None)
    assert result.verdict == result.messages[0] == f"set: {told['verdict']}"
    assert result.verdict == ("set: the majority value is right in all 16 items")


def test_sets_have_joint_accuracies_beside_their_chance() -> None:
    items = [replace(each, set_id=each.cluster_id) for each in verbs()]
    whole = figure(run(*items), "shorter_in_letters")
    assert (whole["n_sets"], whole["joint"], whole["joint_chance"]) == (8, 0.0, 0.25)
    assert "joint" in run(*items).columns
    assert "joint" not in run(*verbs()).columns


def test_the_hard_items_are_written_as_a_suite(tmp_path: Path) -> None:
    items = [agreeing_pair(f"key{n} opens/Sing", "open") for n in range(3)]
    items.append(agreeing_pair("men shutten/Plur", "shut"))  # the rarer value, the longer form
    result = run(*items, hard=tmp_path / "hard.jsonl")
    kept = read_suite(tmp_path / "hard.jsonl").items
    assert [item.item_id for item in kept] == [items[-1].item_id]
    assert result.found
    assert figure(result, "hard")["n_items"] == 1


def test_where_no_item_is_hard_nothing_is_written_and_found(tmp_path: Path) -> None:
    result = run(*verbs(), hard=tmp_path / "hard.jsonl")
    assert not (tmp_path / "hard.jsonl").exists()
    assert not result.found
    assert str(tmp_path / "hard.jsonl") in result.messages[-1]


def test_hard_is_against_the_baselines_named(tmp_path: Path) -> None:
    against = ["shorter_in_letters", "shorter_in_words"]
    result = run(*verbs(), hard=tmp_path / "hard.jsonl", against=against)
    assert len(read_suite(tmp_path / "hard.jsonl").items) == len(verbs())
    assert figure(result, "hard")["n_items"] == len(verbs())
    assert any(all(name in told for name in against) for told in result.messages)


def test_frequencies_are_those_of_the_mined_treebank_that_the_store_knows(tmp_path: Path) -> None:
    path = treebank(tmp_path)
    with Store(tmp_path / "s.db") as store:
        assert mine(path, rule="released", store=store).found
        before = audit(store=store)
        path.write_text("")
        after = audit(store=store)
    told = [
        sum("xx_toy-ud-train" in each for each in result.messages) for result in (before, after)
    ]
    assert told[0] == told[1] + 1  # the suite itself is named after the treebank
    assert figure(before, "unigram")["n_items"] == figure(after, "unigram")["n_items"]


ODD = Item(
    "odd", "suite", "odd", "en", "set", "",
    {**sentences("a", "b").conditions, "third": sentences("c", "d").conditions["right"]},
)  # fmt: skip


def test_what_is_no_pair_is_left_out() -> None:
    assert figure(run(sentences("a b", "a c"), ODD), "words")["n_items"] == 1


@pytest.mark.parametrize(
    ("items", "options", "kind", "place"),
    [
        ((ODD,), {}, "empty", "set"),
        ((sentences("a b", "a c"),), {"against": ["nothing"]}, "unknown", "against"),
        # no row can hold a fact under the name of a figure
        ((sentences("a b", "a c", chance="x"),), {"by": ["chance"]}, "conflict", "by"),
    ],
)
def test_what_cannot_be_audited_is_told(
    items: tuple[Item, ...], options: dict[str, Any], kind: ErrorKind, place: str
) -> None:
    with mistake(kind, place):
        run(*items, **options)
