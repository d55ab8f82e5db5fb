"""The verb audit, from a file or the store to its rows, messages and the file of hard items."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green import audit, mine
from colorless_green.data import Item, Suite, read_suite, save_suite
from colorless_green.data.errors import ErrorKind
from colorless_green.data.store import MEMORY, Store
from colorless_green.nonce import ABOVE, BELOW, AuditResult
from tests.builders import mistake
from tests.nonce.audit_material import agreeing_pair, sentences
from tests.test_cli import treebank


def run(*items: Item, **options: Any) -> AuditResult:
    """The audit of a suite that is in the store."""
    with Store(MEMORY) as store:
        with store.transaction():
            save_suite(store, Suite("set", items), "imported", treebank_id=None, now="")
        return audit("set", store=store, **options)


def figure(result: AuditResult, baseline: str, kind: str | None = None) -> dict[str, Any]:
    """The row of a baseline, of the whole or of the items of one kind."""
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
        "warning": BELOW,
    }  # fmt: skip
    assert figure(result, "majority_value", "nonce")["warning"] == ABOVE
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


def test_rows_of_cells_by_value_are_at_the_end_and_hidden() -> None:
    result = run(*verbs())
    shown, hidden = result.rows[: -result.n_hidden], result.rows[-result.n_hidden :]
    assert {row.get("kind") for row in shown} == {None}
    assert {row.get("value") for row in hidden} == {"Sing"}


def test_warnings_of_a_cell_that_holds_no_value_are_shown() -> None:
    items = [replace(each, cell="A" if each.kind == "nonce" else "B") for each in verbs()]
    result = run(*items, by=["cell"])
    shown, hidden = result.rows[: -result.n_hidden], result.rows[-result.n_hidden :]
    assert {row.get("cell") for row in shown} == {None, "A", "B"}
    assert all("cell" not in row or row["warning"] for row in shown)
    assert {row["baseline"] for row in hidden if row.get("warning")} == {"prefix_words"}


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
