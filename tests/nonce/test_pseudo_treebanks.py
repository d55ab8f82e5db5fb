"""Pseudo-words of twelve languages that inflect in different ways: every law, and how many of the
nouns, verbs and adjectives can be served."""

from collections import Counter
from functools import cache

import pytest

from colorless_green.data.seeds import generator
from colorless_green.miner import (
    Analysis,
    count_analyses,
    paradigms_of,
    sentences,
    treebank,
)
from colorless_green.nonce import PseudowordModel, pseudo_words
from tests.builders import shared
from tests.nonce.pseudo_laws import broken_laws, distance

pytestmark = pytest.mark.shared

CLASSES = ("NOUN", "VERB", "ADJ")
EVERY = 3  # lexemes; more tells no more

# treebank: least share of the lexemes served (measured, rounded down), harmony, stress accents
EXPECTED: dict[str, tuple[float, bool, bool]] = {
    "UD_English-EWT": (0.83, False, False),
    "UD_Italian-VIT": (0.88, False, True),
    "UD_German-GSD": (0.73, False, False),
    "UD_Finnish-TDT": (0.72, True, False),
    "UD_Hungarian-Szeged": (0.76, True, False),
    "UD_Turkish-IMST": (0.82, True, False),
    "UD_Russian-GSD": (0.79, False, True),
    "UD_Hebrew-HTB": (0.88, False, False),
    "UD_Arabic-PUD": (0.80, False, False),
    "UD_Hindi-PUD": (0.79, False, False),
    "UD_Greek-GDT": (0.86, False, True),
    "UD_Basque-BDT": (0.88, False, False),
    "UD_Welsh-CCG": (0.81, False, False),
}
IN_CI = ("UD_Finnish-TDT", "UD_Hebrew-HTB", "UD_Hindi-PUD", "UD_Greek-GDT")
of_treebanks = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in IN_CI else pytest.mark.thorough) for name in EXPECTED],
)


@cache
def pseudo_of(name: str) -> PseudowordModel:
    """Return the pseudo-words of a treebank whose vocabulary is its own."""
    counts: Counter[Analysis] = Counter()
    found = sentences(treebank([shared("treebanks", name)]))
    count_analyses([sentence for _, sentence in found], counts)
    return pseudo_words(
        paradigms_of(counts, letters_only=False), frozenset(form for form, *_ in counts)
    )


@pytest.mark.slow
@of_treebanks
def test_the_laws_hold_and_most_lexemes_are_served(name: str) -> None:
    pseudo = pseudo_of(name)
    keys = [key for key in pseudo.lexemes if key[1] in CLASSES][::EVERY]
    broken: list[str] = []
    n_served = 0
    for lemma, upos in keys:
        form = next(iter(pseudo.lexemes[lemma, upos].forms))
        made = pseudo.coin(generator(0, f"{lemma} {upos}"), lemma, upos, form)
        if made is not None:
            n_served += 1
            broken += broken_laws(pseudo, lemma, upos, form, made)
            assert not isinstance(pseudo.cut_of(lemma, upos, form), str)
    assert broken == []
    assert n_served >= EXPECTED[name][0] * len(keys)


@pytest.mark.slow
@of_treebanks
def test_harmony_and_stress_are_found_in_the_languages_that_have_them(name: str) -> None:
    pseudo = pseudo_of(name)
    found = bool(pseudo.harmony), bool(pseudo.spelling.unstressed)
    assert found == EXPECTED[name][1:]


@pytest.mark.parametrize("name", ["UD_Hindi-PUD", "UD_Hebrew-HTB"])
def test_no_form_of_the_same_part_of_speech_is_one_letter_away(name: str) -> None:
    pseudo = pseudo_of(name)
    coded = pseudo.spelling.coded
    keys = [key for key in pseudo.lexemes if key[1] == "VERB"]
    forms = {coded(form) for key in keys for form in pseudo.lexemes[key].forms}
    for lemma, upos in keys[:40]:
        form = next(iter(pseudo.lexemes[lemma, upos].forms))
        made = pseudo.coin(generator(0, lemma), lemma, upos, form) or {}
        for word in set(map(coded, made.values())):
            assert min(distance(word, each) for each in forms) > 1


FINNISH = (frozenset("aou"), frozenset("äöy"))


@pytest.mark.slow
def test_finnish_words_of_one_colour_stay_of_one_colour() -> None:
    pseudo = pseudo_of("UD_Finnish-TDT")

    def colours(word: str) -> list[bool]:
        return [not colour.isdisjoint(word.lower()) for colour in FINNISH]

    for lemma, upos in [key for key in pseudo.lexemes if key[1] in CLASSES][::EVERY]:
        form = next(iter(pseudo.lexemes[lemma, upos].forms))
        for old, new in (pseudo.coin(generator(3, lemma), lemma, upos, form) or {}).items():
            assert colours(old) == colours(new), f"{old} {new}"
