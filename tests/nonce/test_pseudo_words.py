"""Pseudo-words: their laws on made-up languages, and what is refused with which reason."""

import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.seeds import choose, generator
from colorless_green.miner import Analysis, Paradigms
from colorless_green.nonce import PseudowordModel, pseudo_words
from tests.builders import few_examples
from tests.nonce.pseudo_laws import broken_laws

SYLLABLES = [c + v for c in ("b", "d", "gr", "k", "l", "pl", "m", "n", "st", "t") for v in "aeiou"]
CODAS = ("n", "r", "sk", "t", "l")

stems = st.builds(
    lambda syllables, coda: "".join(syllables) + coda,
    st.lists(st.sampled_from(SYLLABLES), min_size=1, max_size=3),
    st.sampled_from(CODAS),
)
languages = st.lists(stems, min_size=25, max_size=60, unique=True)

NUMBER = ("Number=Sing", "Number=Plur")


def nouns(stems: Sequence[str], endings: tuple[str, str] = ("o", "i")) -> dict[Analysis, int]:
    """Every noun in both numbers, the plural with a capital too; the lemma is the singular."""
    counts: dict[Analysis, int] = {}
    for stem in stems:
        singular, plural = stem + endings[0], stem + endings[1]
        counts[singular, singular, "NOUN", NUMBER[0]] = 3
        counts[plural, singular, "NOUN", NUMBER[1]] = 2
        counts[plural.capitalize(), singular, "NOUN", NUMBER[1]] = 1
    return counts


def forms(lemma: str, upos: str, *pairs: str) -> dict[Analysis, int]:
    """Analyses from `form FEATS`; one token each."""
    return {(form, lemma, upos, feats): 1 for form, feats in (pair.split(" ") for pair in pairs)}


def language(
    *tables: Mapping[Analysis, int], words: frozenset[str] = frozenset()
) -> PseudowordModel:
    return pseudo_words(Paradigms({key: n for each in tables for key, n in each.items()}), words)


def drawn(n_words: int) -> list[str]:
    """Different stems of two syllables, the same each time."""
    rng = generator(0, "toy language")
    parts = (SYLLABLES, SYLLABLES, CODAS)
    made = ("".join(choose(rng, part) for part in parts) for _ in range(10 * n_words))
    return list(dict.fromkeys(made))[:n_words]


FIXED = drawn(80)


@few_examples
@given(languages, st.integers())
def test_all_forms_get_one_new_stem_and_keep_endings_and_capitals(
    stems: list[str], seed: int
) -> None:
    pseudo = language(nouns(stems))
    for stem in stems[:10]:
        made = pseudo.coin(generator(seed, stem), stem + "o", "NOUN", stem + "i")
        if made is not None:
            assert set(made) == {stem + "o", stem + "i", (stem + "i").capitalize()}
            assert broken_laws(pseudo, stem + "o", "NOUN", stem + "i", made) == []


@few_examples
@given(languages, st.integers())
def test_the_same_seed_gives_the_same_words(stems: list[str], seed: int) -> None:
    once, again = language(nouns(stems)), language(nouns(stems))
    again.coin(generator(seed + 1, "x"), stems[1] + "o", "NOUN", stems[1] + "o")  # asked in another
    for stem in stems[:5]:  # order: what was looked up before changes nothing
        word = (stem + "o", "NOUN", stem + "o")
        assert once.coin(generator(seed, stem), *word) == again.coin(generator(seed, stem), *word)


@few_examples
@given(languages, st.integers())
def test_no_two_words_of_a_sentence_become_one(stems: list[str], seed: int) -> None:
    pseudo = language(nouns(stems))
    rng, taken = generator(seed, "sentence"), set[str]()
    for stem in stems:
        made = pseudo.coin(rng, stem + "o", "NOUN", stem + "o", taken)
        if made is not None:
            assert taken.isdisjoint(made.values())
            assert len(set(made.values())) == len(made)
            taken.update(made.values())


def test_a_toy_language_has_a_pseudo_word_for_nearly_every_noun() -> None:
    pseudo = language(nouns(FIXED))
    rng = generator(0, "all")
    served = [pseudo.coin(rng, stem + "o", "NOUN", stem + "o") for stem in FIXED]
    assert sum(made is not None for made in served) >= 0.9 * len(FIXED)


def test_words_of_the_vocabulary_are_never_made_in_whatever_capitals() -> None:
    free = language(nouns(FIXED))
    lemma = FIXED[0] + "o"
    made = [free.coin(generator(seed, "x"), lemma, "NOUN", lemma) for seed in range(60)]
    words = {word for each in made if each for word in each.values()}
    assert len(words) > 20
    pseudo = language(nouns(FIXED), words=frozenset(word.upper() for word in words))
    for seed in range(60):
        again = pseudo.coin(generator(seed, "x"), lemma, "NOUN", lemma)
        assert again is None or words.isdisjoint(again.values())


@pytest.mark.slow
def test_the_order_of_hashes_changes_nothing() -> None:
    program = (
        "from tests.nonce.test_pseudo_words import *\n"
        "pseudo = language(nouns(FIXED))\n"
        "for stem in FIXED:\n"
        "    print(pseudo.coin(generator(7, stem), stem + 'o', 'NOUN', stem + 'o'))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


COLOURS: dict[Analysis, int] = {
    ("colour", "colour", "NOUN", "_"): 50,
    ("kulör", "colour", "NOUN", "_"): 1,
}
REFUSED: dict[str, list[tuple[dict[Analysis, int], str, str, str]]] = {  # by the reason
    "closed class": [({}, "be", "AUX", "is")],
    "unknown lexeme": [({}, "be", "VERB", "is")],
    "no stem": [
        (forms("go", "VERB", "went Tense=Past", "go Tense=Pres"), "go", "VERB", "went"),
        (forms("a", "NOUN", "a Number=Sing"), "a", "NOUN", "a"),
    ],
    "rare endings": [
        (forms("stand", "VERB", "stood Tense=Past", "stand Tense=Pres"), "stand", "VERB", "stood")
    ],
    "capitals inside": [
        (forms("iPhone", "NOUN", "iPhone Number=Sing"), "iPhone", "NOUN", "iPhone")
    ],
    "no letters": [
        (forms("a.b.c", "ADJ", "a.b.c _"), "a.b.c", "ADJ", "a.b.c"),
        (forms("人民", "NOUN", "人民 _"), "人民", "NOUN", "人民"),
    ],
    "long stem": [
        (forms("pneumonoconiosis", "NOUN", "pneumonoconiosis Number=Sing"), "pneumonoconiosis",
         "NOUN", "pneumonoconiosis")
    ],
    "stray form": [(COLOURS, "colour", "NOUN", "kulör")],
}  # fmt: skip


def test_what_has_no_pseudo_word_is_told_why() -> None:
    told: dict[str, set[str]] = {}
    for reason, words in REFUSED.items():
        for table, *word in words:
            pseudo = language(nouns(FIXED), table)
            assert pseudo.coin(generator(0, "x"), *word) is None
            why = pseudo.cut_of(*word)
            assert isinstance(why, str)
            told.setdefault(reason, set()).add(why)
    assert all(len(reasons) == 1 and "" not in reasons for reasons in told.values())
    assert len(set.union(*told.values())) == len(REFUSED)  # one for each, and no two alike
    cut = language(nouns(FIXED)).cut_of(FIXED[0] + "o", "NOUN", FIXED[0] + "i")
    assert not isinstance(cut, str)


def regular_verbs() -> dict[Analysis, int]:
    return {
        (stem + ending, stem, "VERB", feats): 1
        for stem in FIXED
        for ending, feats in (("", "Tense=Pres"), ("s", "Tense=Pres"), ("ed", "Tense=Past"))
    }


def test_of_a_strong_verb_the_present_alone_is_made() -> None:
    strong = forms(
        "planusk", "VERB", "planosk Tense=Past", "planusk Tense=Pres", "planusks Tense=Pres"
    )
    pseudo = language(regular_verbs(), strong)
    made = pseudo.coin(generator(1, "x"), "planusk", "VERB", "planusks")
    assert made is not None
    assert list(made) == ["planusk", "planusks"]
    assert made["planusks"] == made["planusk"] + "s"


def test_a_stray_form_is_left_out_of_a_frequent_lexeme() -> None:
    lemma = FIXED[0] + "o"
    stray: dict[Analysis, int] = {("zzzz", lemma, "NOUN", "Number=Sing"): 1}
    frequent = {key: 10 * n for key, n in nouns(FIXED[:1]).items()}
    pseudo = language(nouns(FIXED[1:]), frequent, stray)
    made = pseudo.coin(generator(0, "x"), lemma, "NOUN", lemma)
    assert made is not None
    assert "zzzz" not in made


def test_a_lone_form_keeps_the_ending_that_is_usual_for_its_features() -> None:
    lone: dict[Analysis, int] = {("gramonti", "?", "NOUN", NUMBER[1]): 1}
    cut = language(nouns(FIXED), lone).cut_of("?", "NOUN", "gramonti")
    assert not isinstance(cut, str)
    assert (cut.stem, cut.affixes["gramonti"].ending) == ("gramont", "i")


def test_without_lemmas_every_form_is_a_lexeme_of_its_own() -> None:
    table = {(form, "_", upos, feats): n for (form, _, upos, feats), n in nouns(FIXED).items()}
    form = FIXED[0] + "i"
    made = language(table).coin(generator(0, "x"), "_", "NOUN", form)
    assert made is not None
    assert list(made) == [form]


def test_a_form_of_a_word_list_is_made_with_those_of_the_treebank() -> None:
    stem = FIXED[0]
    pseudo = language(nouns(FIXED[1:]), forms(stem + "o", "NOUN", f"{stem}o {NUMBER[0]}"))
    made = pseudo.coin(generator(0, "x"), stem + "o", "NOUN", stem + "i")
    assert made is not None
    assert made[stem + "i"][:-1] == made[stem + "o"][:-1]


def test_what_is_typed_wrong_or_short_or_foreign_says_nothing() -> None:
    stem = FIXED[0]
    wrong = forms(stem + "o", "NOUN", "xy Typo=Yes", "zz Abbr=Yes", "qq Foreign=Yes")
    made = language(nouns(FIXED), wrong).coin(generator(0, "x"), stem + "o", "NOUN", stem + "o")
    assert made is not None
    assert len(made) == 3


def test_a_prefix_that_many_words_have_is_kept() -> None:
    verbs = {
        (form, stem + "en", "VERB", feats): 1
        for stem in FIXED
        for form, feats in ((stem + "en", "VerbForm=Inf"), ("ge" + stem + "t", "VerbForm=Part"))
    }
    stem = FIXED[3]
    made = language(verbs).coin(generator(0, "x"), stem + "en", "VERB", stem + "en")
    assert made is not None
    new = made[stem + "en"].removesuffix("en")
    assert made[f"ge{stem}t"] == f"ge{new}t"


def test_a_short_stem_may_grow_by_two_letters_and_others_by_one() -> None:
    pseudo = language(nouns(["dan", "tor", "lit", *FIXED]))
    for stem, most in (("dan", 2), (FIXED[0], 1)):
        for seed in range(40):
            made = pseudo.coin(generator(seed, stem), stem + "o", "NOUN", stem + "o")
            if made:
                assert -1 <= len(made[stem + "o"]) - len(stem + "o") <= most


def test_an_empty_treebank_has_no_pseudo_words() -> None:
    pseudo = language()
    assert pseudo.coin(random.Random(0), "a", "NOUN", "a") is None
    assert isinstance(pseudo.cut_of("a", "NOUN", "a"), str)
