"""The parts that pseudo-words are made with, against slow and plain ways to the same answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce.pseudo.harmony import harmony_of
from colorless_green.nonce.pseudo.neighbours import neighbourhood, without_a_letter
from colorless_green.nonce.pseudo.spelling import capitals, letters_of, spelling_of
from colorless_green.nonce.pseudo.stem import shared_part
from tests.nonce.pseudo_laws import distance

words = st.text("abc", max_size=6)
VOWELS = frozenset("aeiouäöy")


@given(st.sets(words, max_size=8), words)
def test_a_word_at_most_one_edit_away_is_near(known: set[str], word: str) -> None:
    if any(distance(word, each) <= 1 for each in known):
        assert neighbourhood(known).near(word)


@given(st.sets(words, max_size=8), words)
def test_what_is_near_becomes_a_word_by_one_letter_dropped_and_one_put_in(
    known: set[str], word: str
) -> None:
    def near(one: str, other: str) -> bool:
        mine, theirs = {one, *without_a_letter(one)}, {other, *without_a_letter(other)}
        return not mine.isdisjoint(theirs) and distance(one, other) <= 2

    assert neighbourhood(known).near(word) == any(near(word, each) for each in known)


@given(st.lists(words, min_size=1, max_size=4))
def test_the_shared_part_is_the_longest_string_in_all_words(found: list[str]) -> None:
    part = shared_part(found)
    first = found[0]
    all_parts = [first[i:j] for i in range(len(first)) for j in range(i, len(first) + 1)]
    common = [each for each in [*all_parts, ""] if all(each in word for word in found)]
    assert part in common
    assert len(part) == max(map(len, common))
    assert shared_part(found[::-1]) == part


@pytest.mark.parametrize(
    ("word", "letters"),
    [
        ("stra\u0301n", ["s", "t", "r", "a\u0301", "n"]),  # a combining acute
        ("ọ́jọ́", ["ọ\u0301", "j", "ọ\u0301"]),
        ("שָׁלוֹם", ["שָׁ", "ל", "וֹ", "ם"]),  # niqqud
        ("مصدراً", ["م", "ص", "د", "ر", "اً"]),  # tanwin
        ("फिल्म", ["फ", "ि", "ल", "्", "म"]),  # vowel sign and virama are letters of their own
        ("ज़मीन", ["ज\u093c", "म", "ी", "न"]),  # nukta
        ("\u0301a", ["\u0301", "a"]),
    ],
)
def test_accents_and_points_belong_to_their_letter(word: str, letters: list[str]) -> None:
    assert letters_of(word) == letters
    assert "".join(letters) == word


letters = st.sampled_from(
    ["a", "b", "é", "e\u0301", "ß", "λ", "ό", "σ", "ж", "ё", "ש", "שָׁ", "מ", "ا", "اً", "फ", "ि", "्"]
)


@given(st.lists(st.lists(letters, min_size=1, max_size=6).map("".join), min_size=1))
def test_a_coded_word_has_one_character_a_letter_and_comes_back(found: list[str]) -> None:
    spelling = spelling_of(found)
    for word in found:
        assert spelling.plain(spelling.coded(word)) == word
        assert len(spelling.coded(word)) == len(letters_of(word))


@pytest.mark.parametrize(
    ("word", "like", "expected"),
    [
        ("dorm", "Haus", "Dorm"),
        ("dorm", "HAUS", "DORM"),
        ("dorm", "haus", "dorm"),
        ("dorm", "McDonald", "Dorm"),
        ("λοτοσ", "λόγος", "λοτος"),
        ("λοτοσ", "ΛΌΓΟΣ", "ΛΟΤΟΣ"),
        ("קטפמ", "עולם", "קטפם"),
    ],
)
def test_capitals_and_final_letters_are_those_of_the_model(
    word: str, like: str, expected: str
) -> None:
    assert spelling_of([like]).capitalised(word, like) == expected


def test_turkic_capitals_where_the_language_has_a_dotless_i() -> None:
    spelling = spelling_of(["ılık", "İlk", "Irmak", "iz"])
    assert [spelling.folded(word) for word in ("İlk", "Irmak")] == ["ilk", "ırmak"]
    assert spelling.capitalised("isım", "İlk") == "İsım"
    assert spelling.capitalised("isım", "IRMAK") == "İSIM"
    assert spelling_of(["Irmak", "iz"]).folded("Irmak") == "irmak"


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("a", "lower"),
        ("A", "title"),
        ("Ab", "title"),
        ("AB", "upper"),
        ("aB", "mixed"),
        ("ש", "lower"),
    ],
)
def test_the_shape_of_capitals(word: str, shape: str) -> None:
    assert capitals(word) == shape


def test_an_accent_that_marks_stress_is_counted_from_the_end() -> None:
    spelling = spelling_of([*greek(), "τηνεκυ"])
    assert spelling.stress_of("σύστημ") == ((2, "\u0301"),)
    assert spelling.without_stress("σύστημ") == "συστημ"
    assert spelling.with_stress("καρτεμ", ((2, "\u0301"),)) == "κάρτεμ"
    assert spelling.with_stress("τρμ", ((1, "\u0301"),)) is None


def greek() -> list[str]:
    """Sixty words with one accent each."""
    return [
        f"{one}{vowel}{other}α" for one in "βγδλ" for vowel in "άέήίόύ" for other in ("ρ", "σ", "τ")
    ]


def test_accents_that_come_twice_in_a_word_mark_no_stress() -> None:
    assert spelling_of([*greek(), *(word[:-1] + "ά" for word in greek())]).unstressed == {}
    assert spelling_of(["café", "voilà"]).unstressed == {}  # too few to tell


def test_where_the_ending_follows_the_stem_there_is_harmony() -> None:
    back = [c + v + d + w for c in "kltpsv" for v in "aou" for d in "ltn" for w in "aoui"]
    front = [word.translate(str.maketrans("aou", "äöy")) for word in back]
    joints = [(word, "ssa") for word in back] + [(word, "ssä") for word in front]
    harmony = harmony_of(joints * 3, [*back, *front], VOWELS)
    assert harmony.of("talo") == harmony.of("u") != harmony.of("kylä")
    assert harmony.of("ti") == frozenset()


def test_where_the_ending_does_not_there_is_none() -> None:
    stems = [c + v + d + w for c in "kltpsv" for v in "aou" for d in "ltn" for w in "aoui"]
    joints = [(stem, ending) for stem in stems for ending in ("ssa", "ssä")]
    assert harmony_of(joints * 3, stems, VOWELS).colours == {}
    assert harmony_of([], [], VOWELS).colours == {}
