"""Words by kind: what may stand in a slot."""

from collections.abc import Mapping

import pytest

from colorless_green.miner import Analysis, Paradigms, procedure_named
from colorless_green.nonce import Lexicon

COUNTS = {
    ("1999", "1999", "NUM", "_"): 3,
    ("2004", "2004", "NUM", "_"): 1,
    ("17", "17", "NUM", "_"): 2,
    ("1,500", "1500", "NUM", "_"): 1,
    ("two", "two", "NUM", "_"): 4,
    ("Seven", "seven", "NUM", "_"): 1,
    ("seven", "seven", "NUM", "_"): 1,
    ("%", "%", "NOUN", "_"): 9,
    ("share", "share", "NOUN", "_"): 2,
    ("rate", "rate", "NOUN", "_"): 2,
}


def lexicon_of(counts: Mapping[Analysis, int], vocabulary: set[str]) -> Lexicon:
    rule = procedure_named("tested")
    return Lexicon(Paradigms(dict(counts)), frozenset(vocabulary), rule.replacement, rule.partner)


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return lexicon_of(COUNTS, {form for form, _, _, _ in COUNTS})


def donors(lexicon: Lexicon, form: str, upos: str) -> set[str]:
    return {each.form for each in lexicon.donors(form, upos, "_")}


def test_a_number_is_replaced_by_one_written_the_same_way(lexicon: Lexicon) -> None:
    assert donors(lexicon, "1999", "NUM") == {"2004"}
    assert donors(lexicon, "23", "NUM") == {"17"}
    assert donors(lexicon, "two", "NUM") == {"seven"}


def test_a_sign_replaces_no_word(lexicon: Lexicon) -> None:
    assert donors(lexicon, "share", "NOUN") == {"rate"}


def test_a_word_that_begins_a_sentence_is_one_word_with_its_small_form(lexicon: Lexicon) -> None:
    (seven,) = [each for each in lexicon.donors("two", "NUM", "_") if each.form == "seven"]
    assert seven.lemma == "seven"


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [
        ("Dogs", "dog", "dogs"), ("DOGS", "dog", "dogs"), ("Paris", "Paris", "Paris"),
        ("Hund", "Hund", "Hund"), ("Dogs", "_", "Dogs"),
    ],
)  # fmt: skip
def test_only_capitals_that_the_lemma_lacks_are_the_sentences(
    form: str, lemma: str, expected: str
) -> None:
    counts = {(form, lemma, "NOUN", "_"): 2, ("x", "x", "NOUN", "_"): 2}
    assert donors(lexicon_of(counts, {form, expected, "x"}), "x", "NOUN") == {expected}


CHANGES = {"gibt": "geben", "hilft": "helfen", "stirbt": "sterben", "wirbt": "werben"}
PLAIN = {"kommt": "kommen", "geht": "gehen", "lacht": "lachen", "singt": "singen"}


@pytest.mark.parametrize("odd", [{"spielt": "spiolen"}, {"lebt": "lewen"}, {"rennt": "reunen"}])
def test_a_pair_whose_stems_differ_as_no_other_pair_does_is_odd(odd: dict[str, str]) -> None:
    """*Gibt, geben* is not, since several verbs change so, nor one whose forms are seen often."""
    verbs = {**CHANGES, **PLAIN, **odd}
    counts = {
        (form, plural, "VERB", f"Number={value}"): 2
        for singular, plural in verbs.items()
        for form, value in ((singular, "Sing"), (plural, "Plur"))
    }
    lexicon = lexicon_of(counts, {form for form, _, _, _ in counts})
    number = ("Number=Sing", "Number", "Plur")
    pairs = lexicon.targets("weint", "VERB", *number)
    assert {pair.form for pair in pairs if lexicon.is_odd(pair)} == set(odd)
    often = dict.fromkeys(counts, 3)
    lexicon = lexicon_of(often, {form for form, _, _, _ in counts})
    assert not any(map(lexicon.is_odd, lexicon.targets("weint", "VERB", *number)))


def test_a_name_keeps_its_capital_and_a_word_gets_no_digits() -> None:
    names = {(form, form, "PROPN", "_"): 2 for form in ("Kenya", "Taiwan", "forestberry", "137Cs")}
    words = {(form, form, "NOUN", "_"): 2 for form in ("cell", "gene", "137Cs", "225Cs")}
    lexicon = lexicon_of(
        {**names, **words}, {"Kenya", "Taiwan", "forestberry", "137Cs", "cell", "gene", "225Cs"}
    )
    assert donors(lexicon, "Kenya", "PROPN") == {"Taiwan"}
    assert donors(lexicon, "cell", "NOUN") == {"gene"}
    assert donors(lexicon, "137Cs", "NOUN") == {"225Cs"}


def test_an_adjective_keeps_the_ending_of_its_declension() -> None:
    """German *ein großer Platz*, *der große Platz*: FEATS do not tell them apart."""
    counts = {(form, "_", "ADJ", "Case=Nom|Number=Sing"): 2 for form in ("roter", "rote", "netter")}
    rule = procedure_named("tested")
    donors = {
        language: {
            donor.form
            for donor in Lexicon(
                Paradigms(counts), frozenset(form for form, *_ in counts), rule.replacement,
                language=language,
            ).donors("roter", "ADJ", "Case=Nom|Number=Sing")
        }
        for language in ("de", "xx")
    }  # fmt: skip
    assert donors == {"de": {"netter"}, "xx": {"netter", "rote"}}
