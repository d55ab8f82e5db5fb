"""What suites, audits and marks say word for word, where users meet it most."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green import export
from colorless_green.data import FORMATS, Suite, chance, parse_prediction, read_suite, write_suite
from colorless_green.data.errors import InputError
from colorless_green.nonce import audit_items, frequencies_named, read_marks, without_rejected
from tests.nonce.agreeing import agreeing
from tests.nonce.format_material import pair

ITEM = pair(1, "The keys", " are", " is", ".")
SUITE = Suite("s", (ITEM,))
BLIMP = {"sentence_good": "The key is here.", "sentence_bad": "The key are here."}
LISTED = ", ".join(sorted(FORMATS))


def marks(path: Path) -> object:
    path.write_text("item_id,mark\nq,reject\n", "utf-8")
    return without_rejected(SUITE, read_marks(path))


def unlicensed(path: Path) -> None:
    write_suite(Suite("s", (replace(ITEM, licence=""),)), path, "huggingface")


READING = {  # file, content → what is said behind the path
    ("x", ""): f": its content does not tell its format; colorless import {{path}} "
    f"--format NAME, one of {LISTED}",
    ("x.jsonl", '{"item_id": "i", "conditions": 1'): (
        ":1: not JSON (Expecting ',' delimiter at column 33); give one JSON object a line"
    ),
    ("x.jsonl", '{"sentence_good": 1, "sentence_bad": "a"}'): (
        ":1: 'sentence_good' is 1; give a value of type str"
    ),
    ("x.jsonl", (json.dumps({**BLIMP, "item_id": "i"}) + "\n") * 2): (
        ": item i: this item_id comes twice; give one line for each item"
    ),
    ("x.csv", "item_number;condition_name;region_number;content\n"): (
        ":1: no column 'region_name'; name the columns "
        "item_number, condition_name, region_number, region_name, content in the header"
    ),
    ("x.tsv", "sentence_id\ttoken_id\ttoken\tsurprisal\n"): (
        ": these are surprisals, not sentences; score SUITE --model table:{path}"
    ),
    ("x.csv", "good,bad\na,b,c\n"): (
        ":2: 3 cells, but 2 columns; "
        "write a cell for each, in quotes if it holds the delimiter, as a decimal sign may be"
    ),
    ("x.txt", "True\ta b\nTrue\ta c\n"): (":2: True where False is due; True and False by turns"),
}


@pytest.mark.parametrize(("file", "content"), READING)
def test_files_that_are_no_suite(tmp_path: Path, file: str, content: str) -> None:
    path = tmp_path / file
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(path, "jsonl" if '"item_id": "i", "conditions"' in content else "")
    assert str(caught.value) == f"{path}{READING[file, content]}".replace("{path}", str(path))


SAID: list[tuple[Callable[[Path], object], str]] = [  # {} is the path
    (
        lambda path: write_suite(SUITE, path),
        "{}: its name does not tell its format; --format with one of blimp, gold, harness, "
        "huggingface, jsonl, multiblimp, pair_table, syntaxgym, tab",
    ),
    (
        lambda path: write_suite(SUITE, path, "clams"),
        "--format: clams is read, but not written; pair_table or blimp for pairs, syntaxgym for "
        "other designs, jsonl for everything",
    ),
    (
        lambda path: write_suite(SUITE, path, "nofmt"),
        f"--format: no such name 'nofmt'; give one of {LISTED}",
    ),
    (
        unlicensed,
        "item 0000000000000001: nothing is known of the licence of s; "
        "--license-ok to publish it as of unknown licence, or another format",
    ),
    (
        lambda path: write_suite(SUITE, path, "tab"),
        "item 0000000000000001: no facts of agreement, which .tab is about; give another format",
    ),
    (
        lambda path: parse_prediction("(1;%a%) < ", "p", "here"),
        "here: column 11: the end in a formula; "
        "give a region like (3;%condition%), a number or a bracket",
    ),
    (
        lambda path: parse_prediction("1 < 2 < 3", "p", "here"),
        "here: column 7: '< 3' in a formula; give one comparison, or several joined by & or |",
    ),
    (
        lambda path: audit_items([ITEM], by=["colour"]),
        "by: no item has 'colour'; "
        "give one of cell, construction, kind, language, licence, set_id, source",
    ),
    (
        lambda path: audit_items([ITEM], against=["x"]),
        "against: no such name 'x'; "
        "give one of adjacent_word, after_subordinator, bigrams, first_noun, "
        "first_word, length, majority_value, nearest_noun, nearest_word, prefix_words, "
        "second_noun, shorter_in_letters, shorter_in_words, target_letters, unigram, "
        "vote_of_nouns, window, words",
    ),
    (
        lambda path: frequencies_named(str(path), "en"),
        "{}: there is no such file; give the path of a file",
    ),
    (
        marks,
        "{}:2: no item 'q' in the suite s; marks that were made on a page of this very suite",
    ),
]


@pytest.mark.parametrize("number", range(len(SAID)))
def test_mistakes_with_suites(tmp_path: Path, number: int) -> None:
    call, said = SAID[number]
    path = tmp_path / "x.none"
    with pytest.raises(InputError) as caught:
        call(path)
    assert str(caught.value) == said.replace("{}", str(path))


def test_what_is_told_beside_a_result() -> None:
    less = "(1;%a%)<(1;%b%)"
    assert parse_prediction(f"{less} & {less} | {less}", "p", "here").warnings == (
        "column 35: & and | without brackets bind alike, from left to right",
    )
    assert chance(parse_prediction(less, "p", "here")).how == "counted over 2 orders"
    assert audit_items([ITEM]).left_out["nearest_noun"] == "no facts of agreement"


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("L__NOUN__AX*", "L__NOUN__AUX__subject-copula"),
        ("L__NUON__VERB*", "L__NOUN__VERB__nsubj"),
        ("l__pron__aux*", "L__PRON__AUX__subject-auxiliary"),
        ("L__NOUN__ADP*", ""),
        ("X", ""),
    ],
)
def test_for_a_construction_that_is_not_there_the_nearest_in_each_part_is_proposed(
    pattern: str, meant: str
) -> None:
    names = (
        "L__ADJ__NOUN__amod",
        "L__NOUN__AUX__subject-copula",
        "L__NOUN__VERB__nsubj",
        "L__PRON__AUX__subject-auxiliary",
    )
    items = tuple(agreeing(name, ("keys", "are"), 0, 1, "is", construction=name) for name in names)
    with pytest.raises(InputError) as caught:
        export(Suite("s", items), construction=pattern)
    proposed = f"did you mean '{meant}'? " if meant else ""
    assert caught.value.right.startswith(f"{proposed}one of {meant or 'L__'}")
    assert all(name in caught.value.right for name in names)
