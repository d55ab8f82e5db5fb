"""Pseudo-words in scripts of all kinds: points, final letters, capitals, stress and harmony."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

import pytest

from colorless_green.data.seeds import choose, generator
from colorless_green.miner import Analysis
from tests.nonce.pseudo_laws import broken_laws, capitals
from tests.nonce.test_pseudo_words import FIXED, language, nouns

Table = dict[Analysis, int]


def noun(lemma: str, *forms: str) -> Table:
    """Return a noun: forms of the singular and the plural, in turn."""
    feats = ("Number=Sing", "Number=Plur")
    return {(form, lemma, "NOUN", feats[n % 2]): 1 for n, form in enumerate(forms)}


def stems(*parts: Sequence[str], n: int = 80) -> list[str]:
    """Different stems of one letter of each of the parts, the same each time."""
    rng = generator(0, "stems")
    made = ("".join(choose(rng, part) for part in parts) for _ in range(10 * n))
    return list(dict.fromkeys(made))[:n]


def coined(lexicon: Sequence[Table], n_tries: int = 3) -> Iterator[tuple[str, str]]:
    """Form and pseudo-form of every noun, each law checked on the way."""
    pseudo = language(*lexicon)
    n_served = 0
    for table in lexicon:
        form, lemma = next(iter(table))[:2]
        for seed in range(n_tries):
            made = pseudo.coin(generator(seed, lemma), lemma, "NOUN", form)
            if made is not None:
                n_served += 1
                assert broken_laws(pseudo, lemma, "NOUN", form, made) == []
                yield from made.items()
    assert n_served > len(lexicon) * n_tries / 2


@pytest.mark.parametrize(
    ("consonants", "vowels", "ending"),
    [
        (("s", "t", "r", "n", "l"), ("a", "á", "e", "é"), "i"),
        (("j", "gb", "k", "l", "t"), ("ọ\u0301", "ọ", "a", "e"), "i"),
        (("שָׁ", "ל", "מ", "רַ", "ג"), ("ו", "וֹ", "י", "א"), "ת"),  # niqqud
        (("म", "ल", "ज\u093c", "न", "फ"), ("ा", "ि", "ी", "ु"), "ों"),  # nukta and vowel signs
    ],
)
def test_accents_and_points_stay_with_their_letters(
    consonants: Sequence[str], vowels: Sequence[str], ending: str
) -> None:
    found = stems(consonants, vowels, consonants, vowels, consonants, vowels, consonants)
    letters = sorted((*consonants, *vowels, *ending), key=len, reverse=True)
    whole = re.compile("|".join(map(re.escape, letters)))
    for _, new in coined([noun(stem, stem, stem + ending) for stem in found]):
        assert "".join(whole.findall(new)) == new


def test_hebrew_final_letters_stand_at_the_end_and_nowhere_else() -> None:
    finals = str.maketrans("כמנפצ", "ךםןףץ")
    letters = "אבגדהזחטלסעקרשת"
    lexicon = [
        noun(stem, stem[:-1] + stem[-1].translate(finals), stem + "ים")
        for stem in stems(letters, letters, "וי", letters, "כמנפצ")
    ]
    for _, new in coined(lexicon):
        assert not re.search("[ךםןףץ].", new)
        assert new[-1] not in "כמנפצ"


def test_greek_sigma_is_final_at_the_end_alone() -> None:
    found = stems("βγδλκπ", "αεοι", "ρσντ", "αεοι", "τσλμ", "αεοι", "σρ")
    lexicon = [noun(stem + "ος", stem + "ος", stem + "οι") for stem in found]
    for _, new in coined(lexicon, 1):
        assert not re.search("ς.", new)
        assert new[-1] != "σ"


def test_capitals_are_those_of_the_model() -> None:
    lexicon = [
        noun(f"{stem}o", f"{stem}o", f"{stem}i", f"{stem}o".title(), f"{stem}i".upper())
        for stem in FIXED
    ]
    assert {capitals(new) for _, new in coined(lexicon)} == {"lower", "title", "upper"}


def test_turkic_capitals_where_the_language_has_a_dotless_i() -> None:
    """*ılık* and *ilik* are two words, and *I* is the capital of the first letter of one alone."""

    def title(word: str) -> str:
        return {"i": "İ", "ı": "I"}.get(word[0], word[0].upper()) + word[1:]

    found = stems("ıi", "lrmn", "ıiea", "ktsp", "ıiea", "lrmnktsp")
    lexicon = [noun(f"{stem}o", f"{stem}o", f"{stem}u", title(f"{stem}o")) for stem in found]
    pseudo = language(*lexicon)
    n_titled = 0
    for stem in found:
        lemma = f"{stem}o"
        made = pseudo.coin(generator(0, stem), lemma, "NOUN", lemma)
        if made is not None:
            n_titled += made[lemma][0] in "ıi"
            assert made[title(lemma)] == title(made[lemma])
    assert n_titled > 20


def places_of_stress(word: str) -> list[int]:
    """Return the vowels with an acute, counted from the end of the word."""
    vowels = re.findall("[αειουη]\u0301?", unicodedata.normalize("NFD", word))
    return [n for n, vowel in enumerate(reversed(vowels)) if len(vowel) == 2]


def test_an_accent_that_marks_stress_stays_where_it_is_counted_from_the_end() -> None:
    found = stems("βγδλτπκ", "άέήί", "ρσν", "αιο", "τλμ")
    lexicon = [noun(f"{stem}α", f"{stem}α", f"{stem}ες") for stem in found]
    assert language(*lexicon).spelling.unstressed
    for old, new in coined(lexicon, 1):
        assert places_of_stress(new) == places_of_stress(old) == [2]


BACK, FRONT = "aou", "äöy"


def finnish(harmony: bool) -> list[Table]:
    """Nouns of back and of front vowels; without harmony each has endings of both."""
    back = stems("kltpsvmr", "aou", "ltnkrs", "aou", "ltnkrs", "aoui", n=240)
    front = [stem.translate(str.maketrans(BACK, FRONT)) for stem in back]
    if not harmony:
        return [noun(stem, f"{stem}ssa", stem, f"{stem}ssä") for stem in (*back, *front)]
    return [
        noun(stem, f"{stem}ss{vowel}", stem, f"{stem}ll{vowel}")
        for own, vowel in ((back, "a"), (front, "ä"))
        for stem in own
    ]


def colours(word: str) -> tuple[bool, bool]:
    return not set(BACK).isdisjoint(word), not set(FRONT).isdisjoint(word)


def test_where_the_ending_follows_the_stem_there_is_harmony() -> None:
    for old, new in coined(finnish(harmony=True)):
        assert colours(old) == colours(new)


def test_where_the_ending_does_not_there_is_none() -> None:
    pairs = list(coined(finnish(harmony=False)))
    assert any(colours(old) != colours(new) for old, new in pairs)


def test_without_words_there_is_neither_harmony_nor_stress() -> None:
    pseudo = language(nouns(["café", "voilà"]))
    assert not pseudo.harmony
    assert not pseudo.spelling.unstressed
