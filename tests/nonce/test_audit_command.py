"""The verb audit, from a file or the store to its rows, messages and the file of hard items."""

from pathlib import Path
from typing import Any

import pytest

from colorless_green.data.errors import InputError
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Result
from colorless_green.nonce.audit.commands import audit_suite
from colorless_green.nonce.formats import jsonl
from colorless_green.nonce.item import Item
from colorless_green.nonce.mining import mine_originals
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite
from tests.nonce.audit_material import agreeing_pair, sentences
from tests.test_cli import treebank


def run(*items: Item, **options: Any) -> Result:
    """The audit of a suite that is in the store."""
    with Store(MEMORY) as store:
        with store.transaction():
            save_suite(store, Suite("set", items), "imported", treebank_id=None, now="")
        return audit_suite("set", store, **options)


VERBS = ("opens open", "falls fall", "rusts rust", "turns turn")


def verbs() -> list[Item]:
    """Four singular originals, each with a variant; its right form is longer by a letter."""
    return [
        agreeing_pair(f"{cue}{n} x {verb.split()[0]}/Sing", verb.split()[1], cluster=str(n),
                      kind=kind)
        for n, verb in enumerate(VERBS)
        for cue, kind in (("key", "original"), ("nut", "nonce"))
    ]  # fmt: skip


def test_a_row_for_each_baseline_in_the_whole_and_in_each_cell(tmp_path: Path) -> None:
    result = run(*verbs())
    assert result.columns == (
        "suite", "construction", "value", "kind", "baseline", "n_items", "n_clusters", "accuracy",
        "low", "high", "chance", "warning",
    )  # fmt: skip
    found = {(row.get("kind"), row["baseline"]): row for row in result.rows}
    assert len(found) == len(result.rows) == 3 * 9  # 8 baselines can judge; and the hard items
    assert found[None, "shorter_in_letters"] == {
        "suite": "set", "baseline": "shorter_in_letters", "n_items": 8, "n_clusters": 4,
        "accuracy": 0.0, "low": 0.0, "high": 0.0, "chance": 0.5,
        "warning": "its opposite is above chance",
    }  # fmt: skip
    assert found["nonce", "majority_value"]["warning"] == "above chance"
    assert found["nonce", "hard"]["n_items"] == 0
    assert result.messages == [
        "set: 8 pairs, 4 clusters; what is learnt, from all clusters but the item's own; seed 0",
        "unigram: counts of the suite's own originals, in other clusters than the item's",
        "last_noun, first_noun, nearest_word: left out, no annotation of the words",
        "hard: 0 of 8 items, which no baseline gets right",
    ]


def test_rows_of_cells_without_a_warning_stand_at_the_end_and_are_hidden(tmp_path: Path) -> None:
    result = run(*verbs())
    shown, hidden = result.rows[: -result.n_hidden], result.rows[-result.n_hidden :]
    assert all(row.get("kind") is None or row["warning"] for row in shown)
    assert not any(row.get("warning") for row in hidden)
    assert len(hidden) > 1


def test_the_hard_items_are_written_as_a_suite(tmp_path: Path) -> None:
    items = [agreeing_pair(f"key{n} opens/Sing", "open") for n in range(3)]
    items.append(agreeing_pair("men shutten/Plur", "shut"))  # the rarer value, the longer form
    out = tmp_path / "hard.jsonl"
    result = run(*items, hard=out)
    kept = jsonl.read(out).items
    assert [item.item_id for item in kept] == [items[-1].item_id]
    assert result.found
    assert result.messages[-1] == (
        f"{out}: 1 items. By selection these baselines have 0 there (ties apart), a coin has 0.5, "
        "and the opposite of any baseline up to 1: report it beside the whole suite"
    )


def test_where_no_item_is_hard_nothing_is_written_and_found(tmp_path: Path) -> None:
    out = tmp_path / "hard.jsonl"
    result = run(*verbs(), hard=out)
    assert not out.exists()
    assert not result.found
    assert result.messages[-1] == (
        f"{out} is not written: there is no hard item; --against names fewer baselines"
    )


def test_hard_is_against_the_baselines_named(tmp_path: Path) -> None:
    out = tmp_path / "hard.jsonl"
    against = ["shorter_in_letters", "shorter_in_words"]
    result = run(*verbs(), hard=out, against=against)
    assert len(jsonl.read(out).items) == 8
    assert result.messages[-2] == (
        "hard: 8 of 8 items, which none of shorter_in_letters, shorter_in_words gets right"
    )


def test_the_same_suite_and_seed_give_the_same_result_another_seed_other_limits(
    tmp_path: Path,
) -> None:
    items = [*verbs(), *(agreeing_pair(f"nuts{n} fall/Plur", "falls") for n in range(3))]
    assert run(*items, seed=3) == run(*items, seed=3)
    limits = [[row.get("low") for row in run(*items, seed=seed).rows] for seed in (3, 4)]
    assert limits[0] != limits[1]


def test_frequencies_are_those_of_a_file_where_one_is_named(tmp_path: Path) -> None:
    table = tmp_path / "counts.tsv"
    table.write_text("open\t9\nopens\t2\nfalls\t7\nfall\t1\nrusts\t5\nturns\t5\n")
    result = run(*verbs(), frequencies=str(table))
    (row,) = [
        row for row in result.rows if row["baseline"] == "unigram" and row.get("kind") is None
    ]
    assert row["accuracy"] == 0.75
    assert result.messages[1] == "unigram: counts.tsv"


def test_frequencies_are_those_of_the_mined_treebank_that_the_store_knows(tmp_path: Path) -> None:
    path = treebank(tmp_path)
    with Store(tmp_path / "s.db") as store:
        assert mine_originals([path], store, now="").found
        told = audit_suite("", store).messages[1]
        assert told == "unigram: counts of the treebank xx_toy-ud-train"
        path.write_text("")
        told = audit_suite("", store).messages[1]
        assert told.startswith("unigram: counts of the suite's own originals")


def test_what_is_no_pair_is_left_out_and_counted(tmp_path: Path) -> None:
    odd = Item("odd", "suite", "odd", "en", "set", "", {
        **sentences("a", "b").conditions, "third": sentences("c", "d").conditions["right"],
    })  # fmt: skip
    result = run(sentences("a b", "a c"), odd)
    assert "1 of 2 items are no right and wrong sentence: left out" in result.messages


def test_a_suite_without_a_pair_is_told(tmp_path: Path) -> None:
    odd = Item("odd", "suite", "odd", "en", "set", "", {
        "match": sentences("a", "b").conditions["right"],
    })  # fmt: skip
    with pytest.raises(InputError) as caught:
        run(odd)
    assert str(caught.value) == (
        "set: no item in it is a right and a wrong sentence; a suite of pairs"
    )


def test_an_unknown_split_or_baseline_is_told_with_those_there_are(tmp_path: Path) -> None:
    item = sentences("a b", "a c")
    with pytest.raises(InputError) as caught:
        run(item, split="thirds")
    assert str(caught.value) == "--split: no such name 'thirds'; one of clusters, halves"
    with pytest.raises(InputError) as caught:
        run(item, against=["nothing"])
    assert str(caught.value) == (
        "--against: no such name 'nothing'; one of bigrams, first_noun, last_noun, majority_value, "
        "nearest_word, prefix_words, shorter_in_letters, shorter_in_words, target_letters, "
        "unigram, words"
    )


def test_hard_items_are_not_asked_for_in_halves(tmp_path: Path) -> None:
    item = sentences("a b", "a c")
    with pytest.raises(InputError) as caught:
        run(item, split="halves", hard=tmp_path / "hard.jsonl")
    assert str(caught.value) == ("--hard: in halves, one half is not judged; --split clusters")
    assert not any(row["baseline"] == "hard" for row in run(item, split="halves").rows)


def test_a_fact_called_as_a_figure_is_cannot_make_a_cell(tmp_path: Path) -> None:
    item = sentences("a b", "a c", chance="x")
    with pytest.raises(InputError) as caught:
        run(item, by=["chance"])
    assert str(caught.value) == "--by: 'chance' is a column of the figures; another fact"
