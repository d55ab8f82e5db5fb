"""Near-duplicates: variants that differ in one word, originals that are one frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import Item, Suite, sample
from colorless_green.nonce import is_near_duplicate, with_near_duplicates
from tests.nonce.agreeing import agreeing


def item(text: str, kind: str = "original", cluster: str = "a") -> Item:
    """An item from `word/UPOS` rows, the last of which is the target."""
    rows = [row.split("/") for row in text.split()]
    words, upos = [row[0] for row in rows], tuple(row[1] for row in rows)
    told = {"kind": kind, "cluster_id": cluster}
    return agreeing("i", words, 0, len(rows) - 1, "are", item=told, upos=upos)


def near(*items: Item) -> list[bool]:
    return [*map(is_near_duplicate, with_near_duplicates(items))]


FIRST = "the/DET old/ADJ key/NOUN to/ADP the/DET door/NOUN is/AUX"


@pytest.mark.parametrize(
    ("second", "of_variants", "of_originals"),
    [
        (FIRST.replace("is/", "was/"), True, True),  # the target is no part of the prefix
        (FIRST.replace("old", "new"), True, True),
        (FIRST.replace("old", "new").replace("key", "way"), False, True),
        (FIRST.replace("old", "new").replace("key", "way").replace("door", "sea"), False, False),
        (FIRST.replace("to/", "of/"), True, False),  # another frame
        (FIRST.replace("old/ADJ ", ""), False, False),
        (FIRST.replace("the", "The"), True, True),
    ],
)
def test_the_later_of_two_that_nearly_are_the_same_words_is_flagged(
    second: str, of_variants: bool, of_originals: bool
) -> None:
    assert near(item(FIRST, "nonce"), item(second, "nonce")) == [False, of_variants]
    assert near(item(FIRST), item(second)) == [False, of_originals]


def test_short_prefixes_are_not_one_frame_for_what_little_they_share() -> None:
    assert near(item("the/DET key/NOUN is/AUX"), item("the/DET door/NOUN is/AUX")) == [False] * 2
    assert near(item("key/NOUN is/AUX"), item("door/NOUN is/AUX")) == [False, False]


def test_variants_are_compared_within_their_original() -> None:
    assert near(item(FIRST, "nonce"), item(FIRST, "nonce", cluster="b")) == [False, False]
    assert near(item(FIRST), item(FIRST, "nonce")) == [False, False]


@given(st.lists(st.sampled_from([FIRST, FIRST.replace("old", "new"), "a/DET b/NOUN is/AUX"])))
def test_an_item_is_flagged_whatever_follows_it_and_nothing_else_changes(texts: list[str]) -> None:
    items = [item(text, "nonce") for text in texts]
    whole = with_near_duplicates(items)
    for n in range(len(items)):
        assert with_near_duplicates(items[:n]) == whole[:n]
    assert len(whole) == len(items)
    assert with_near_duplicates(whole) == whole


@pytest.mark.slow
def test_the_set_says_how_many_there_are() -> None:
    made = cg.make_nonce(cg.mine(str(sample.treebank("it"))), n=9)
    assert made.account is not None
    found = [each for each in made.items if is_near_duplicate(each)]
    table = made.account.to_frame()
    assert table["n_near_duplicates"].sum() == len(found) > 0
    (message,) = (each for each in made.account.messages if each.startswith("near-duplicates"))
    n_variants = sum(each.kind == "nonce" for each in found)
    assert f"{n_variants} variants" in message
    assert f"{len(found) - n_variants} originals" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "recipe", "n"),
    [
        (None, "default", 3),
        ("+frame", "default", 3),
        ("morphology", "default", 3),
        (None, "gulordava2018", 9),
    ],
)
def test_there_are_three_variants_of_an_original_and_nine_as_published(
    level: str | None, recipe: str, n: int
) -> None:
    made: Suite = cg.make_nonce(cg.mine(str(sample.treebank("en"))), level=level, recipe=recipe)
    numbers = [each.agreement.variant for each in made.items if each.agreement is not None]
    assert max(numbers) == n
