"""Suites as files of JSON lines and as `.tab`: nothing is lost, and what is broken is told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import (
    Item,
    Suite,
    parse_prediction,
    read_suite,
    sentence_text,
    sentence_words,
    write_suite,
)
from tests.builders import mistake, shared
from tests.nonce.agreeing import agreeing
from tests.nonce.format_material import (
    again,
    agreement_items,
    agreement_suites,
    holds_not,
    numbered,
    refuses,
)
from tests.nonce.format_material import pair as plain_pair

FULL = parse_prediction("(*;%right%) < (*;%wrong%)", "full", "here")


def plain(number: int) -> Item:
    return plain_pair(number, "The keys", " are", " is", " here.")


def records(path: Path, *items: Item) -> list[dict[str, Any]]:
    """Return what a file of JSON lines says of items."""
    write_suite(Suite("x", items), path)
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.mark.slow
@given(agreement_suites(), st.booleans(), st.booleans())
def test_json_lines_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, suite: Suite, full: bool, optional: bool
) -> None:
    third = parse_prediction("(*;%right%) < (*;%third%)", "third", "here", optional=True)
    stated = (FULL, third) if optional else (FULL,)
    suite = replace(suite, name="suite", predictions=stated if full else suite.predictions)
    assert again(suite, "jsonl", tmp_path_factory.mktemp("j") / "suite.jsonl") == suite


@given(agreement_items())
def test_words_and_text_of_both_conditions_differ_at_the_target_alone(item: Item) -> None:
    assert item.agreement is not None
    right, wrong = (item.conditions[name][0] for name in ("right", "wrong"))
    assert sentence_words(right) == item.agreement.tokens
    both = zip(sentence_words(right), sentence_words(wrong), strict=True)
    differences = [index for index, (a, b) in enumerate(both) if a != b]
    assert differences in ([], [item.agreement.target_index])
    spaces = zip(item.agreement.spaces, item.agreement.tokens, strict=True)
    assert sentence_text(right) == "".join(blank + token for blank, token in spaces)


@given(
    agreement_items(), st.sampled_from(["tokens", "cue_index", "flags", "item_id", "conditions"])
)
def test_a_key_of_another_type_is_told(
    tmp_path_factory: pytest.TempPathFactory, item: Item, key: str
) -> None:
    path = tmp_path_factory.mktemp("b") / "x.jsonl"
    (line,) = records(path, item)
    refuses("format", f"{path}:1", write_lines(path, [{**line, key: 1.5}]))


def test_an_item_that_comes_twice_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_suite(Suite("x", (plain(1), plain(1))), path)
    refuses("conflict", f"{path}: item {plain(1).item_id}", path)


def test_a_prediction_that_some_lines_do_not_state_is_optional(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = records(path, plain(1), plain(2))
    stated = [{"full": FULL.source}, {"full": FULL.source, "third": "(*;%right%) < (*;%third%)"}]
    write_lines(path, [{**a, "predictions": b} for a, b in zip(lines, stated, strict=True)])
    assert [(each.name, each.optional) for each in read_suite(path).predictions] == [
        ("full", False),
        ("third", True),
    ]


def test_one_name_for_two_formulas_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = records(path, plain(1), plain(2))
    stated = [{"full": FULL.source}, {"full": "(*;%wrong%) < (*;%right%)"}]
    write_lines(path, [{**a, "predictions": b} for a, b in zip(lines, stated, strict=True)])
    refuses("conflict", f"{path}:2", path)


def test_another_metric_is_not_lost_silently(tmp_path: Path) -> None:
    suite = Suite("x", (plain(1),), metric="mean")
    holds_not("unsupported", "suite x", suite, tmp_path / "x.jsonl")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "n_originals"), [("English", 41), ("Italian", 119), ("Hebrew", 373)]
)
def test_the_published_sets_are_read(language: str, n_originals: int) -> None:
    (path,) = shared("published", "colorless", "agreement", language).glob("generated.tab*")
    suite = read_suite(path, "tab")
    assert sum(item.kind == "original" for item in suite.items) == n_originals
    assert len(suite.items) == 10 * n_originals
    assert len({item.cluster_id for item in suite.items}) == n_originals


def test_a_word_with_a_blank_keeps_its_place_in_a_tab_file(tmp_path: Path) -> None:
    suite = Suite("s", (agreeing("i", ("1 000", "c", "x", "va"), 1, 3, "vont"),))
    (found,) = again(suite, "tab", tmp_path / "s.tab").items
    assert found.agreement is not None
    assert found.agreement.tokens == ("1\u00a0000", "c", "x", "va")
    assert found.agreement.target_index == 3


def test_another_feature_is_nothing_for_a_tab_file(tmp_path: Path) -> None:
    item = agreeing("i", ("c", "a"), 0, 1, "b", feature="Gender", values=("Fem", "Masc"))
    holds_not("unsupported", "item i", Suite("s", (item,)), tmp_path / "s.tab")


def test_words_outside_a_vocabulary_are_unknown_in_the_prefix_of_a_tab_file(tmp_path: Path) -> None:
    path = tmp_path / "s.tab"
    suite = Suite("s", (agreeing("i", ("le", "chat", "noir", "va"), 1, 3, "vont"),))
    write_suite(suite, path, vocabulary=frozenset({"le", "noir"}))
    header, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    for row in (dict(zip(header, row, strict=True)) for row in rows):
        assert (row["prefix"], row["sent"]) == ("le <unk> noir", "le chat noir va <eos>")
    assert len(rows) == 2


@given(agreement_suites())
def test_what_a_tab_file_holds_of_an_item_comes_back(
    tmp_path_factory: pytest.TempPathFactory, suite: Suite
) -> None:
    """Numbers, forms, places and value; the law of bytes is that of all formats."""
    with_numbers = numbered(suite)
    found = again(with_numbers, "tab", tmp_path_factory.mktemp("t") / "suite.tab")
    for one, other in zip(with_numbers.items, found.items, strict=True):
        ours, theirs = one.agreement, other.agreement
        assert ours is not None
        assert theirs is not None
        for name in ("construction", "number", "value", "target_index", "cue_index", "variant"):
            assert getattr(ours, name) == getattr(theirs, name)


def test_an_unknown_format_is_told(tmp_path: Path) -> None:
    with mistake("unknown", "--format"):
        read_suite(tmp_path, "none")
