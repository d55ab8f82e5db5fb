"""A name is one set: what suites of a store are called, by name and by number."""

from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Item, Region, Suite, save_suite
from colorless_green.data.store import Store, now
from colorless_green.data.stored_suites import find_suite
from tests.builders import colorless, mistake


def suite(name: str, word: str, made: str = "") -> Suite:
    """Return a suite of one pair."""
    conditions = {
        side: ((Region("all", (word, side), f"{word} {side}"),),) for side in ("right", "wrong")
    }
    item = Item(word, "suite", word, "en", "", "", conditions)
    return Suite(name, (item,), meta={"made": made} if made else {})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a store in which @1 and @3 share a name, as stores of version 1 have it."""
    path = tmp_path / "colorless.db"
    with Store(path) as opened, opened.transaction():
        for name, word, made in (("n", "a", "n 3"), ("other", "b", ""), ("n", "c", "n 9")):
            save_suite(opened, suite(name, word, made), "nonce", treebank_id=None, now=now())
    return path


def word_of(store: Path, name: str) -> str:
    with Store(store) as opened:
        return find_suite(opened, name)[0].items[0].item_id


def test_a_number_names_one_suite(store: Path) -> None:
    assert [word_of(store, name) for name in ("@1", "@2", "@3", "other", "")] == list("abcbc")


@pytest.mark.parametrize("name", ["@4", "@0", "@-1", "@1x", "@", "@" + "9" * 30])
def test_a_number_that_is_none_is_a_mistake(store: Path, name: str) -> None:
    with mistake("missing", name), Store(store) as opened:
        find_suite(opened, name)


def test_a_name_of_two_sets_is_a_mistake_that_lists_both(store: Path) -> None:
    with mistake("conflict", "n"), Store(store) as opened:
        find_suite(opened, "n")
    done = colorless("export n --out n.jsonl", cwd=store.parent)
    assert done.returncode == 2
    assert "@1: 1 items, n 3" in done.stderr
    assert "@3: 1 items, n 9" in done.stderr


def test_the_same_content_twice_is_no_other_set(store: Path) -> None:
    with Store(store) as opened, opened.transaction():
        treebank = {"key": "k", "name": "t", "language": "en", "licence": "", "files": "[]",
                    "vocabulary": "", "rule": "", "feature": "", "repair": "", "request": "{}",
                    "parsed_by": "", "stages": "{}", "skipped": "[]", "digests": "[]",
                    "used": 0, "created": now()}  # fmt: skip
        number = opened.insert("treebank", treebank)
        save_suite(opened, suite("other", "b"), "nonce", treebank_id=number, now=now())
    assert word_of(store, "other") == "b"


@pytest.mark.parametrize("verb", ["export", "audit", "show"])
def test_every_verb_takes_numbers_and_refuses_a_name_of_two(store: Path, verb: str) -> None:
    for name, kind in (("n", "conflict"), ("@9", "missing")):
        done = colorless(verb, name, cwd=store.parent)
        assert done.error is not None
        assert done.error.kind == kind


def test_the_newest_is_said_where_no_suite_was_named(store: Path) -> None:
    done = colorless("export --out n.jsonl", cwd=store.parent)
    assert "n (@3): the newest suite" in done.stderr
    done = colorless("export @3 --out n.jsonl", cwd=store.parent)
    assert "newest" not in done.stderr


def test_status_shows_numbers_how_suites_were_made_and_shared_names(store: Path) -> None:
    shown = cg.status(store=store)
    rows = [(row["id"], row["name"], row["about"]) for row in shown.rows if row["what"] == "suite"]
    assert [row[:2] for row in rows] == [(3, "n"), (2, "other"), (1, "n")]
    assert "n 9" in str(rows[0][2])
    assert any(message.startswith("n: stands for @1 and @3") for message in shown.messages)


def test_import_says_the_number_of_what_it_kept(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("good,bad\nThe keys are here.,The keys is here.\n")
    done = colorless("import pairs.csv --as csv", cwd=tmp_path)
    assert done.stdout.splitlines()[1].startswith("1,pairs,suite,1")
