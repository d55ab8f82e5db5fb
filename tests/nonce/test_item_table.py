"""Items as columns are the items: kept, cut and hashed without a difference."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import (
    Agreement,
    Item,
    ItemTable,
    Region,
    Suite,
    Target,
    Wording,
    factors_of,
    sentence_text,
    table_of,
    table_of_pairs,
    table_row,
    unpacked_table,
)
from tests.builders import few_examples
from tests.nonce.format_material import agreement_items, designed_suites, facts, pair_suites, texts

odd_words = st.lists(texts | st.sampled_from(["", "\x1f", "a\x1fb"]), max_size=3).map(tuple)


@st.composite
def odd_items(draw: st.DrawFn) -> Item:
    """Return an item of any conditions, of which sentences have regions of their own, some by
    one name."""
    regions = st.builds(Region, st.sampled_from("abc"), odd_words, texts)
    sentences = st.lists(regions, max_size=3).map(tuple)
    return Item(
        item_id=draw(st.uuids()).hex,
        kind=draw(st.sampled_from(["suite", "template"])),
        cluster_id=draw(texts),
        language=draw(texts),
        source=draw(texts),
        licence=draw(texts),
        conditions=draw(
            st.dictionaries(texts, st.lists(sentences, min_size=1, max_size=2).map(tuple))
        ),
        set_id=draw(texts),
        cell=draw(texts),
        targets=tuple(draw(st.lists(st.builds(Target, texts, texts, texts, texts), max_size=2))),
        facts=draw(facts),
    )


kept = st.lists(odd_items() | agreement_items(), max_size=4).map(tuple)
items = (designed_suites() | pair_suites()).map(lambda suite: suite.items) | kept


def bare(table: ItemTable) -> ItemTable:
    """Return the columns alone, without the objects that they are of."""
    return ItemTable(table.frame, table.sentences, table.details)


@few_examples
@given(items)
def test_a_construction_has_one_name_wherever_it_is_asked_for(own: tuple[Item, ...]) -> None:
    named = [item.construction for item in own]
    assert named == [factors_of(item)["construction"] for item in own]
    assert named == table_of(own).frame["construction"].to_list()


def test_the_construction_of_a_file_goes_before_its_paradigm() -> None:
    def named(**facts: str) -> str:
        return Item("i", "suite", "i", "und", "s", "", {}, facts=facts).construction

    assert named(uid="paradigm", construction="construction") == "construction"
    assert (named(uid="paradigm"), named()) == ("paradigm", "")


@pytest.mark.slow
@given(items)
def test_columns_are_the_items_and_bytes_are_the_columns(own: tuple[Item, ...]) -> None:
    table = table_of(own)
    again = unpacked_table(table.packed())
    assert again.objects == bare(table).objects == table.objects == own
    assert table_of(again) is again
    assert again.digest == table.digest == table_of(again.objects).digest
    assert again.packed() == table.packed()
    assert again.frame.equals(table.frame)
    assert list(again.details) == list(table.details)


@few_examples
@given(items, st.data())
def test_a_part_of_the_columns_is_that_part_of_the_items(
    own: tuple[Item, ...], data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(0, len(own) - 1), max_size=6)) if own else []
    some = slice(*sorted(data.draw(st.tuples(*[st.integers(-5, 5)] * 2))))
    for table in (table_of(own), bare(table_of(own))):
        taken = table.take(np.array(rows, np.int64))
        assert taken.objects == tuple(own[n] for n in rows)
        assert taken.digest == table_of(taken.objects).digest
        assert tuple(table[some]) == own[some]
        assert [table[n] for n in range(-len(own), len(own))] == [*own, *own]
        assert unpacked_table(taken.packed()).objects == taken.objects


@few_examples
@given(items)
def test_in_another_language_nothing_else_is_other(own: tuple[Item, ...]) -> None:
    expected = tuple(replace(each, language="xx") for each in own)
    for table in (table_of(own), bare(table_of(own))):
        assert table.in_language("xx").objects == expected


@few_examples
@given(items, st.data())
def test_a_sentence_with_other_regions_is_so_in_its_item_and_nothing_else_is_other(
    own: tuple[Item, ...], data: st.DataObject
) -> None:
    n = len(table_of(own).sentences.condition)
    chosen = data.draw(st.sets(st.integers(0, n - 1), max_size=4)) if n else set()
    numbers = iter(range(n))

    def other(wording: Wording) -> Wording:
        if next(numbers) not in chosen:
            return wording
        return (*wording, Region("new", ("a", "b", "."), "a b."), Region("a", ("odd",), ""))

    expected = tuple(
        replace(each, conditions={k: tuple(map(other, v)) for k, v in each.conditions.items()})
        for each in own
    )
    for table in (table_of(own), bare(table_of(own))):
        old = table.sentences
        new = {row: [*old.parts(row), ("new", "a b.", None), ("a", "", ("odd",))] for row in chosen}
        changed = table.changed(old.replaced(new))
        assert changed.objects == expected
        assert unpacked_table(changed.packed()).objects == expected
        assert [changed[row] for row in range(len(own))] == list(expected)
        wordings = [w for each in expected for every in each.conditions.values() for w in every]
        found = changed.sentences
        assert found.texts_of(np.arange(n)) == list(map(sentence_text, wordings))
        assert found.has_text().tolist() == [bool(sentence_text(w).strip()) for w in wordings]
        names = ("a", "new", "a")
        assert found.regions_are(names).tolist() == [
            tuple(region.region for region in w) == names for w in wordings
        ]


@few_examples
@given(kept, st.data())
def test_items_have_one_digest_only_where_they_are_alike(
    own: tuple[Item, ...], data: st.DataObject
) -> None:
    assert table_of(tuple(replace(each) for each in own)).digest == table_of(own).digest
    if not own:
        return
    number = data.draw(st.integers(0, len(own) - 1))
    told = own[number]
    changes: list[dict[str, Any]] = [
        {"item_id": f"{told.item_id}+"},
        {"kind": "original" if told.kind == "nonce" else "nonce"},
        {"cluster_id": f"{told.cluster_id}+"},
        {"language": f"{told.language}+"},
        {"set_id": f"{told.set_id}+"},
        {"cell": f"{told.cell}+"},
        {"facts": {**told.facts, "another": ""}},
        {"conditions": {**told.conditions, "another": ((),)}},
        {"conditions": {f"{name}+": each for name, each in told.conditions.items()}},
        {
            "conditions": {
                name: tuple((*each, Region("", (), "")) for each in own_ones)
                for name, own_ones in told.conditions.items()
            }
        },
        *({"agreement": each} for each in other_agreements(told)),
    ]
    for change in changes:
        other = replace(told, **change)
        if other != told:
            changed = (*own[:number], other, *own[number + 1 :])
            assert table_of(changed).digest != table_of(own).digest, change


def other_agreements(item: Item) -> list[Agreement]:
    """Agreements that differ from an item's in something by which accuracies are told."""
    own = item.agreement
    if own is None:
        return []
    told: list[dict[str, Any]] = [{name: "x"} for name in ("construction", "value", "level")]
    return [replace(own, **each) for each in (*told, {"attractors": (*own.attractors, 0)})]


@few_examples
@given(kept)
def test_originals_are_told_by_their_tokens(own: tuple[Item, ...]) -> None:
    expected = [each.agreement.tokens for each in own if each.kind == "original" and each.agreement]
    for table in (table_of(own), bare(table_of(own))):
        assert list(table.tokens_of_originals()) == expected


@few_examples
@given(st.lists(st.tuples(texts, facts, st.lists(texts, min_size=2, max_size=6)), max_size=5))
def test_pairs_made_in_columns_are_those_made_of_objects(
    told: list[tuple[str, dict[str, str], list[str]]],
) -> None:
    pairs = [
        (
            table_row(dict.fromkeys(OWN, name) | {"item_id": f"{n}", "kind": "suite"}, known),
            given_ones[:2] if len(given_ones) < 6 else given_ones,
        )
        for n, (name, known, given_ones) in enumerate(told)
    ]
    table = table_of_pairs(pairs)
    other = table_of(tuple(replace(each) for each in table))
    assert other.objects == table.objects
    assert [len(each.conditions) for each in table] == [2] * len(told)
    for item, (_, own) in zip(table, pairs, strict=True):
        spelt = [region.text for (wording,) in item.conditions.values() for region in wording]
        assert spelt == list(own)
    assert other.digest == table.digest
    assert other.frame.equals(table.frame)
    assert unpacked_table(table.packed()).objects == table.objects


OWN = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")


def test_a_suite_is_equal_whatever_holds_its_items() -> None:
    item = Item("i", "suite", "i", "en", "here", "", {"a": ((Region("r", ("w",), "w"),),)})
    by_tuple, by_table = Suite("s", (item,), ()), Suite("s", table_of((item,)), ())
    assert by_tuple == by_table
    assert by_table == by_tuple
    assert by_tuple.table == by_table.items
    assert by_tuple.table.digest == by_table.table.digest
    assert replace(by_table, items=()).table == ()
