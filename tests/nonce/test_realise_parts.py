"""Capitals, sounds and language files."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.realise import load_realiser, realiser, recased
from colorless_green.nonce.realise.load import language_of, languages, parse_language


@pytest.mark.parametrize(
    ("form", "like", "upos", "initial", "text"),
    [
        ("dog", "The", "NOUN", True, "Dog"),
        ("dog", "the", "NOUN", True, "dog"),
        ("Haus", "Garten", "NOUN", False, "Haus"),
        ("Haus", "garten", "NOUN", True, "Haus"),
        ("big", "American", "ADJ", False, "big"),
        ("huge", "REALLY", "ADV", False, "HUGE"),
        ("door", "TV", "NOUN", False, "door"),
        ("door", "TV", "NOUN", True, "Door"),
        ("Rossi", "ENI", "PROPN", True, "Rossi"),
        ("d'Arc", "Rossi", "PROPN", True, "d'Arc"),
        ("élan", "Dog", "NOUN", True, "Élan"),
        ("იყო", "ეს", "AUX", True, "იყო"),
        ("42", "Dog", "NUM", True, "42"),
    ],
)
def test_capitals_of_the_place(form: str, like: str, upos: str, initial: bool, text: str) -> None:
    assert recased(form, like, upos, initial=initial) == text


def test_capitals_that_languages_write_their_own_way() -> None:
    assert recased("istanbul", "Ev", "NOUN", initial=True, language="tr") == "İstanbul"
    assert recased("ijs", "Water", "NOUN", initial=True, language="nl") == "IJs"
    assert recased("dog", "x", "NOUN", loud=True) == "DOG"


@given(st.text(alphabet="abcÀÉßıİاב中1-'", max_size=8), st.sampled_from(["", "tr", "nl"]))
def test_a_word_recased_like_itself_is_itself_or_gains_capitals(form: str, language: str) -> None:
    assert recased(form, form, "PROPN", initial=True, language=language) == form
    assert recased(form, form.lower(), "NOUN", initial=True, language=language) == form


@pytest.mark.parametrize(
    ("form", "sound"),
    [
        ("Stadt", "CC"), ("opera", "VC"), ("Öl", "VC"), ("йод", "CV"), ("ἄνθρωπος", "VC"),
        ("აბა", "VC"), ("अब", "VC"), ("की", "CV"), ("中国", ""), ("كتاب", ""), ("5", ""), ("", ""),
        ("«ami", "VC"), ("a", "V"),
    ],
)  # fmt: skip
def test_without_classes_the_first_two_letters_tell(form: str, sound: str) -> None:
    assert realiser("mt").sound(form) == sound


@pytest.mark.parametrize(
    ("form", "sound"),
    [
        *((form, "H") for form in ("héros", "haut", "haine", "hasard", "honte", "hibou", "haricot",
         "huit", "hockey", "handicap", "hors", "oui", "onze", "onzième", "ouistiti", "uhlan",
         "hérisson", "Hollande", "hiérarchie", "XIe")),
        *((form, "V") for form in ("homme", "huître", "huile", "héroïne", "héroïque", "haltère",
         "humain", "hameçon", "herbe", "hôtel", "y", "yeux", "Yves", "Yonne", "ONU", "œuvre")),
        *((form, "C") for form in ("yaourt", "yacht", "Yémen", "chat", "FMI")),
    ],
)  # fmt: skip
def test_french_mute_and_aspirated_beginnings(form: str, sound: str) -> None:
    assert realiser("fr").sound(form) == sound


def test_french_knows_at_least_150_stems_with_aspirated_h() -> None:
    stems = [stem for each in language_of("fr").sounds if each.name == "H" for stem in each.stems]
    assert len(set(stems)) >= 150
    assert len(set(stems)) == len(stems)


def test_every_language_file_loads_and_names_its_language() -> None:
    assert {"en", "it", "fr", "de", "es", "pt", "ca", "he", "ar"} <= set(languages())
    for code in languages():
        assert language_of(code).code == code
        assert language_of(code).about


def test_a_language_is_found_by_its_code_without_region() -> None:
    assert realiser("pt-BR").language == "pt"
    assert realiser("pt-BR") is realiser("pt")
    assert not realiser("und").has_rules
    assert not realiser("../en").has_rules


def test_a_file_of_ones_own_loads(tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(GOOD, encoding="utf-8")
    mine = load_realiser(path)
    assert (mine.language, mine.sound("apple"), mine.sound("pear")) == ("xx", "V", "C")


GOOD = """language = "xx"
attach = "'"
[[sound]]
name = "V"
pattern = "[aeiou]"
[[sound]]
name = "C"
pattern = ""
[[alternation]]
upos = ["DET"]
shapes = { V = "an", else = "a" }
[[contraction]]
joined = { "to a" = "ta" }
[[seam]]
pattern = 'a\\|a'
becomes = "a|"
[[closed]]
before = ["PRON"]
[[fixed]]
same = "sound"
words = "of"
"""
UPOS = (
    "ADJ, ADP, ADV, AUX, CCONJ, DET, INTJ, NOUN, NUM, PART, PRON, PROPN, PUNCT, SCONJ, SYM, VERB, X"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"xx"', '"x-X"',
         ": language is 'x-X'; a BCP-47 code without region, as \"it\""),
        ("attach", "attach2",
         ": unknown key 'attach2'; one of language, about, attach, sound, ending, alternation, "
         "contraction, seam, closed, fixed"),
        ('"\'"', '"x"', ": attach is 'x'; an apostrophe, or nothing"),
        ('"\'"', "3", ': attach is 3; text in quotes, "…"'),
        ("[[fixed]]", "[fixed]", ": fixed is no list of tables; fixed = [{ … }, …]"),
        ('name = "V"', 'name = "else"', ": sound 1: name is 'else'; a short word, not 'else'"),
        ('name = "V"', 'nam = "V"',
         ": sound 1: unknown key 'nam'; one of name, pattern, stems, words, upper"),
        ('"[aeiou]"', '"[aeiou"',
         ": sound 1: pattern is no pattern (unterminated character set at position 0); a regular "
         "expression"),
        ('"[aeiou]"', '"[aeiou]"\nupper = 1', ": sound 1: upper is 1; true or false"),
        ('pattern = ""', 'pattern = "[bc]"',
         ': sound 2: the last sound leaves words out; pattern = ""'),
        ("shapes =", "shape =",
         ": alternation 1: unknown key 'shape'; one of shapes, upos, when, before, next, after"),
        ('{ V = "an", else = "a" }', "3",
         ': alternation 1: shapes is 3; { V = "an", else = "a" }'),
        ("{ V =", "{ W =", ": alternation 1: no such sound 'W'; else or one of C, V"),
        ("{ V", 'after = true\nshapes = { V',
         ": alternation 1: no such sound 'V'; else or one of none: write [[sound]] first"),
        (', else = "a"', "",
         ": alternation 1: the shapes have no 'else'; a shape before every other sound"),
        ('V = "an"', "V = 3",
         ': alternation 1: V is 3; a form in quotes, "…", or a list of them'),
        ("shapes", "after = 1\nshapes", ": alternation 1: after is 1; true or false"),
        ("shapes", 'when = "Gender"\nshapes',
         ": alternation 1: when is 'Gender'; features as UD writes them, \"A=B|C=D\""),
        ('["DET"]', '["ARTICLE"]', f": alternation 1: upos has 'ARTICLE'; a list of {UPOS}"),
        ('["DET"]', '"DET"', f": alternation 1: upos is 'DET'; a list of {UPOS}"),
        ('"to a" = "ta"', "",
         ': contraction 1: joined is {}; joined = { "di il" = "del" }'),
        ('"to a"', '"to"', ": contraction 1: 'to' is 'ta'; \"di il\" = \"del\""),
        ("joined =", "optional = 1\njoined =", ": contraction 1: optional is 1; true or false"),
        ("pattern = 'a\\|a'\n", "",
         ': seam 1: there is no pattern; pattern = "ل\\\\|ال", becomes = "ل|ل"'),
        ('before = ["PRON"]\n', "",
         ": closed 1: no condition; one of upos, feats, form, before, next, previous"),
        ('same = "sound"', 'same = "rhyme"',
         ": fixed 1: same is 'rhyme'; \"sound\" or \"letter\""),
        ('words = "of"\n', "",
         ': fixed 1: no condition; after = ["DET"] or words = "du au"'),
    ],
)  # fmt: skip
def test_a_mistake_in_a_language_file_says_where_and_what(old: str, new: str, message: str) -> None:
    parse_language(GOOD, "x.toml")
    text = GOOD.replace(old if old != "{ V" else "shapes = { V", new, 1)
    with pytest.raises(InputError) as error:
        parse_language(text, "x.toml")
    assert str(error.value) == f"x.toml{message}"


def test_what_is_no_toml_is_said_to_be_none() -> None:
    with pytest.raises(InputError) as error:
        parse_language("language =", "x.toml")
    assert str(error.value) == (
        "x.toml: this is no TOML (Invalid value (at end of document)); valid TOML"
    )


def test_the_page_lists_every_language_and_its_example_loads() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "realise.md").read_text(encoding="utf-8")
    listed = [line.strip("| ").split(" | ") for line in page.splitlines() if "| `" in line[:3]]
    for code in languages():
        assert [about for codes, about, *_ in listed if f"`{code}`" in codes] == [
            language_of(code).about
        ]
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert parse_language(example, "docs").code == "xx"
