"""What a pair is, how sentences are cut, and which words a text has."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import blimp
from colorless_green.nonce.formats.facts import from_facts, to_facts
from colorless_green.nonce.formats.pairs import (
    ONE_PREFIX,
    TWO_PREFIX,
    Parts,
    conditions_of,
    cut,
    distinct,
    pair_of,
    parted,
    plain_name,
)
from colorless_green.nonce.formats.penn import penn
from colorless_green.nonce.item import Wording
from colorless_green.nonce.suite import Suite
from tests.nonce.format_material import pair, pair_suites, texts, words

sentences = st.lists(words, min_size=1, max_size=5).map(" ".join).map(str.strip)


@given(pair_suites())
def test_parts_are_the_sentence(suite: Suite) -> None:
    for item in suite.items:
        found = pair_of(item)
        for sentence, parts in zip((found.right, found.wrong), found.parts or (), strict=False):
            assert parts.prefix + parts.gap + parts.word + parts.rest == sentence
            assert parts.word == parts.word.strip() != ""
            assert cut(sentence, parts.prefix, parts.word) == parts


@given(pair_suites())
def test_the_conditions_of_a_pair_are_a_pair_again(suite: Suite) -> None:
    for item in suite.items:
        found = pair_of(item)
        assert pair_of(replace(item, conditions=conditions_of(found))) == found


@given(sentences, sentences)
def test_a_parted_pair_differs_in_its_words_alone(right: str, wrong: str) -> None:
    found = parted(right, wrong)
    if found is None:
        return
    one, other = found
    assert (one.prefix, one.rest) == (other.prefix, other.rest)
    assert one.word != other.word or one.gap != other.gap
    assert one.prefix + one.gap + one.word + one.rest == right
    assert other.prefix + other.gap + other.word + other.rest == wrong


def test_sentences_are_parted_at_their_first_and_last_difference() -> None:
    right, wrong = "the keys here are lost", "the keys there is lost"
    assert parted(right, wrong) == (
        Parts("the keys", " ", "here are", " lost"),
        Parts("the keys", " ", "there is", " lost"),
    )
    assert parted("a b", "a b") is None
    assert parted("a b", "a b c") is None


def test_one_prefix_two_prefixes_or_neither() -> None:
    assert pair_of(pair(1, "The keys", " are", " is", ".")).method == ONE_PREFIX
    assert pair_of(pair(1, "The keys", " are", " are", ".", other="The key")).method == TWO_PREFIX
    assert pair_of(pair(1, "a", " b", " c", ".", other="an")).method == ""
    assert pair_of(pair(1, "a", " b", " b", ".")).method == ONE_PREFIX


BROKEN: dict[str, dict[str, tuple[Wording, ...]]] = {
    "its conditions are right, wrong, third; pairs have right and wrong; --format syntaxgym": {
        "third": ()
    },
    "2 sentences in the condition 'wrong'; pairs have one; --format syntaxgym": {"wrong": ((), ())},
    "an empty sentence; two sentences": {"wrong": ((),)},
}


@pytest.mark.parametrize("message", BROKEN)
def test_what_is_no_pair_is_refused(tmp_path: Path, message: str) -> None:
    whole = pair(1, "The keys", " are", " is", ".")
    item = replace(whole, conditions={**whole.conditions, **BROKEN[message]})
    suite = Suite("s", (item,))
    with pytest.raises(InputError) as caught:
        blimp.write(suite, tmp_path / "x.jsonl")
    assert str(caught.value) == f"item 0000000000000001: {message}"
    assert not (tmp_path / "x.jsonl").exists()


@given(texts)
def test_words_are_the_text_without_its_blanks(text: str) -> None:
    assert "".join(penn(text)) == "".join(text.split())
    assert all(penn(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A niece hasn't descended.", "A niece has n't descended ."),
        ("The author's (old) key, isn't it?", "The author 's ( old ) key , is n't it ?"),
        ("“We’re here,” J. said.", "“ We ’re here , ” J. said ."),
        ("in the U.S.", "in the U.S."),
        ("older than I.", "older than I ."),
        ("हिन्दी में।", "हिन्दी में ।"),
        ("well-known 3.5 % of it", "well-known 3.5 % of it"),
        ("l'auteur", "l'auteur"),
        ("", ""),
    ],
)
def test_words_are_cut_as_the_penn_treebank_cuts_them(text: str, expected: str) -> None:
    assert " ".join(penn(text)) == expected


@given(st.lists(texts, max_size=6))
def test_names_for_files_are_distinct_and_stay(labels: list[str]) -> None:
    names = distinct(labels)
    assert list(names) == list(dict.fromkeys(labels))
    assert len({name.casefold() for name in names.values()}) == len(names)
    again = distinct(list(names.values()))
    assert all(name == label for label, name in again.items())


def test_names_for_files_are_short_and_plain() -> None:
    assert plain_name("L__NOUN|[erg]/ü") == "L__NOUN_erg_"
    assert plain_name("") == "items"
    labels = ["x" * 200, "x" * 300, "X" * 200]
    assert [len(name) for name in distinct(labels).values()] == [120, 120, 120]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(texts, json_values, max_size=4))
def test_values_of_unknown_keys_come_back_as_they_were(values: dict[str, object]) -> None:
    assert from_facts(to_facts(values, "here")) == values
    assert all(isinstance(each, str) for each in to_facts(values, "here").values())
