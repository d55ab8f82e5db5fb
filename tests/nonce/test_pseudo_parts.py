"""Component oracle: neighbours and shared parts of words, against plain ways to find them."""

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce.variants.pseudo._stem import common_part
from colorless_green.nonce.variants.pseudo.letters import is_near, neighbourhood, without_a_letter
from tests.nonce.pseudo_laws import distance

words = st.text("abc", max_size=6)


@given(st.sets(words, max_size=8), words)
def test_a_word_at_most_one_edit_away_is_near(known: set[str], word: str) -> None:
    if any(distance(word, each) <= 1 for each in known):
        assert is_near(word, neighbourhood(known))


@given(st.sets(words, max_size=8), words)
def test_what_is_near_becomes_a_word_by_one_letter_dropped_and_one_put_in(
    known: set[str], word: str
) -> None:
    def near(one: str, other: str) -> bool:
        mine, theirs = {one, *without_a_letter(one)}, {other, *without_a_letter(other)}
        return not mine.isdisjoint(theirs) and distance(one, other) <= 2

    assert is_near(word, neighbourhood(known)) == any(near(word, each) for each in known)


@given(st.lists(words, min_size=1, max_size=4))
def test_the_shared_part_is_the_longest_string_in_all_words(found: list[str]) -> None:
    part = common_part(found)
    first = found[0]
    all_parts = [first[i:j] for i in range(len(first)) for j in range(i, len(first) + 1)]
    common = [each for each in [*all_parts, ""] if all(each in word for word in found)]
    assert part in common
    assert len(part) == max(map(len, common))
    assert common_part(found[::-1]) == part
