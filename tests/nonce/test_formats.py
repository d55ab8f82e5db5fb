"""Suites as files: nothing is lost, and what is broken is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.tables import write_jsonl
from colorless_green.nonce.formats import format_of, jsonl, tab
from colorless_green.nonce.formats.jsonl import to_record
from colorless_green.nonce.formats.pairs import FULL
from colorless_green.nonce.item import Agreement, Item, Target, sentence_text, sentence_words
from colorless_green.nonce.mined import pair
from colorless_green.nonce.prediction import parse
from colorless_green.nonce.suite import Suite
from tests.builders import shared
from tests.nonce.format_material import pair as plain_pair


def plain(number: int) -> Item:
    return plain_pair(number, "The keys", " are", " is", " here.")


words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)


@st.composite
def items(draw: st.DrawFn) -> Item:
    tokens = tuple(draw(st.lists(words, min_size=5, max_size=9)))
    target = draw(st.integers(1, len(tokens) - 1))
    cue = draw(st.integers(0, target - 1))
    wrong = draw(words)
    variant = draw(st.integers(0, 3))
    agreement = Agreement(
        treebank="UD_X-Y",
        file="x-ud-train.conllu",
        sent_id=draw(words),
        rule="released",
        construction="L__NOUN_VERB_VERB",
        number=draw(st.integers(0, 40)),
        feature="Number",
        values=("Plur", "Sing"),
        value=draw(st.sampled_from(["Plur", "Sing"])),
        cue_index=cue,
        target_index=target,
        cue="c",
        cue_upos="NOUN",
        target_upos="VERB",
        target_feats="_",
        lemma=draw(words),
        right=tokens[target],
        wrong=wrong,
        gap=target - cue - 1,
        attractors=tuple(draw(st.lists(st.integers(0, 4), max_size=2))),
        tokens=tokens,
        upos=("X",) * len(tokens),
        feats=("_",) * len(tokens),
        spaces=("", *(draw(st.sampled_from(["", " "])) for _ in tokens[1:])),
        level="morphology" if variant else "",
        seed=draw(st.none() | st.integers()) if variant else None,
        variant=variant,
        substitutions=tuple(draw(st.lists(st.integers(0, 4), max_size=3))),
        flags=tuple(draw(st.lists(st.sampled_from(["ghost", "same_target"]), max_size=2))),
    )
    return Item(
        item_id=draw(st.uuids()).hex[:16],
        kind="nonce" if variant else "original",
        cluster_id="c0",
        language="und",
        source="UD_X-Y",
        licence="CC-BY-SA-4.0",
        conditions=pair(agreement),
        targets=(Target(draw(words), wrong, "l"),),
        agreement=agreement,
        facts={"n_attr": "1", "repair": "none"},
    )


@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.item_id))
def test_json_lines_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, given_items: list[Item]
) -> None:
    path = tmp_path_factory.mktemp("j") / "suite.jsonl"
    suite = Suite("suite", tuple(given_items))
    jsonl.write(suite, path)
    assert jsonl.read(path) == suite


@given(st.lists(items(), min_size=1, max_size=3, unique_by=lambda item: item.item_id))
def test_a_tab_file_written_read_and_written_again_has_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, given_items: list[Item]
) -> None:
    folder = tmp_path_factory.mktemp("t")
    numbered = [  # (pattern, constr_id, sent_id) is what the format knows an item by
        replace(item, agreement=replace(item.agreement, number=number))
        for number, item in enumerate(given_items)
        if item.agreement
    ]
    tab.write(Suite("suite", tuple(numbered)), folder / "suite.tab")
    tab.write(tab.read(folder / "suite.tab"), folder / "again.tab")
    assert (folder / "again.tab").read_bytes() == (folder / "suite.tab").read_bytes()


@given(items())
def test_words_and_text_of_both_conditions_differ_at_the_target_alone(item: Item) -> None:
    assert item.agreement is not None
    right, wrong = (item.conditions[name][0] for name in ("right", "wrong"))
    assert sentence_words(right) == item.agreement.tokens
    differences = [
        index
        for index, (a, b) in enumerate(
            zip(sentence_words(right), sentence_words(wrong), strict=True)
        )
        if a != b
    ]
    assert differences in ([], [item.agreement.target_index])
    assert sentence_text(right).replace(" ", "") == "".join(item.agreement.tokens)


BROKEN = {
    "no JSON": ("{", "not JSON"),
    "no object": ("[1]", "not a JSON object; one JSON object a line"),
    "no key": ('{"kind": "original"}', "no key 'conditions'; the keys of its format"),
    "unknown kind": ('{"kind": "x"}', "kind is 'x'; one of original, nonce, template, suite"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_told_with_its_place(tmp_path: Path, name: str) -> None:
    line, message = BROKEN[name]
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError) as caught:
        jsonl.read(path)
    assert str(caught.value).startswith(f"{path}:1: {message}")


@given(items(), st.sampled_from(["tokens", "cue_index", "flags", "item_id", "conditions"]))
def test_a_key_of_another_type_is_told(
    tmp_path_factory: pytest.TempPathFactory, item: Item, key: str
) -> None:
    path = tmp_path_factory.mktemp("b") / "x.jsonl"
    path.write_text(json.dumps({**jsonl.to_record(item), key: 1.5}) + "\n")
    with pytest.raises(InputError, match=f"'{key}' is 1.5"):
        jsonl.read(path)


@given(items())
def test_an_item_that_comes_twice_is_told(
    tmp_path_factory: pytest.TempPathFactory, item: Item
) -> None:
    path = tmp_path_factory.mktemp("d") / "x.jsonl"
    jsonl.write(Suite("x", (item, item)), path)
    with pytest.raises(InputError, match="this item_id comes twice; one line for each item"):
        jsonl.read(path)


def test_a_name_that_does_not_tell_its_format_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        format_of(tmp_path / "x.tsv", "").write(Suite("x", ()), tmp_path / "x.tsv", None)
    assert str(caught.value) == (
        f"{tmp_path / 'x.tsv'}: its name does not tell its format; --format with one of blimp, "
        "harness, huggingface, jsonl, syntaxgym, syntaxgym_csv, tab"
    )


def test_a_format_that_is_only_read_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        format_of(tmp_path, "clams").write(Suite("x", ()), tmp_path / "x.txt", None)
    assert str(caught.value) == "--format: 'clams' is only read; blimp, say, which holds as much"


@given(items(), st.booleans())
def test_json_lines_hold_any_predictions(
    tmp_path_factory: pytest.TempPathFactory, item: Item, optional: bool
) -> None:
    path = tmp_path_factory.mktemp("p") / "x.jsonl"
    third = parse("(*;%right%) < (*;%third%)", "third", "here", optional=True)
    suite = Suite("x", (item,), (FULL, third) if optional else (FULL,))
    jsonl.write(suite, path)
    assert jsonl.read(path) == suite


def test_a_prediction_that_some_lines_do_not_state_is_optional(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [to_record(plain(number)) for number in (1, 2)]
    stated = [{"full": FULL.source}, {"full": FULL.source, "third": "(*;%right%) < (*;%third%)"}]
    write_jsonl(
        path, ({**line, "predictions": own} for line, own in zip(lines, stated, strict=True))
    )
    assert [(each.name, each.optional) for each in jsonl.read(path).predictions] == [
        ("full", False),
        ("third", True),
    ]


def test_one_name_for_two_formulas_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [to_record(plain(number)) for number in (1, 2)]
    stated = [{"full": FULL.source}, {"full": "(*;%wrong%) < (*;%right%)"}]
    write_jsonl(
        path, ({**line, "predictions": own} for line, own in zip(lines, stated, strict=True))
    )
    with pytest.raises(InputError) as caught:
        jsonl.read(path)
    assert str(caught.value) == (
        f"{path}:2: the prediction 'full' has another formula than on a line before; one formula "
        "for each name"
    )


def test_another_metric_is_not_lost_silently(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        jsonl.write(Suite("x", (plain(1),), metric="mean"), tmp_path / "x.jsonl")
    assert str(caught.value) == (
        "suite x: its metric is 'mean', and JSON lines mean the sum; --format syntaxgym"
    )
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "n_originals"), [("English", 41), ("Italian", 119), ("Hebrew", 373)]
)
def test_the_published_sets_are_read(language: str, n_originals: int) -> None:
    folder = shared("published", "colorless", "agreement", language)
    (path,) = folder.glob("generated.tab*")
    suite = tab.read(path)
    originals = [item for item in suite.items if item.kind == "original"]
    assert len(originals) == n_originals
    assert len(suite.items) == 10 * n_originals
    assert len({item.cluster_id for item in suite.items}) == n_originals


def test_a_word_with_a_blank_keeps_its_place_in_a_tab_file(tmp_path: Path) -> None:
    agreement = Agreement(
        treebank="t", file="f", sent_id="s", rule="released", construction="L__NOUN_VERB",
        number=0, feature="Number", values=("Plur", "Sing"), value="Sing", cue_index=1,
        target_index=3, cue="c", cue_upos="NOUN", target_upos="VERB", target_feats="_", lemma="l",
        right="va", wrong="vont", gap=1, attractors=(), tokens=("1 000", "c", "x", "va"),
        upos=("X",) * 4, feats=("_",) * 4, spaces=("", " ", " ", " "),
    )  # fmt: skip
    item = Item("i", "original", "i", "fr", "t", "", pair(agreement), agreement=agreement)
    tab.write(Suite("s", (item,)), tmp_path / "s.tab")
    (again,) = tab.read(tmp_path / "s.tab").items
    assert again.agreement is not None
    assert again.agreement.tokens == ("1\u00a0000", "c", "x", "va")
    assert again.agreement.target_index == 3


def test_another_feature_is_nothing_for_a_tab_file(tmp_path: Path) -> None:
    agreement = Agreement(
        treebank="t", file="f", sent_id="s", rule="released", construction="L__NOUN_VERB",
        number=0, feature="Gender", values=("Fem", "Masc"), value="Fem", cue_index=0,
        target_index=1, cue="c", cue_upos="NOUN", target_upos="VERB", target_feats="_", lemma="l",
        right="a", wrong="b", gap=0, attractors=(), tokens=("c", "a"), upos=("X",) * 2,
        feats=("_",) * 2, spaces=("", " "),
    )  # fmt: skip
    item = Item("i", "original", "i", "fr", "t", "", pair(agreement), agreement=agreement)
    with pytest.raises(InputError) as caught:
        tab.write(Suite("s", (item,)), tmp_path / "s.tab")
    assert str(caught.value) == "item i: Gender agreement; .tab is about Number; jsonl"
    assert not (tmp_path / "s.tab").exists()
