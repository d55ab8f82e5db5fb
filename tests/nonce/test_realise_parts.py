"""Capitals, sounds and language files."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.nonce import load_realiser, realiser, realiser_languages
from tests.builders import mistake
from tests.nonce.realising import planned


def in_its_place(
    form: str, like: str, upos: str, *, initial: bool = False, language: str = "und"
) -> str:
    """Return a form in place of `like`, at the beginning of a sentence or inside."""
    around = "," if initial else "so"
    words = [f"{like}/{upos}/-/0", f"{around}/X/-/0", "so/X/-/0"]
    node = 0 if initial else 1
    words[0], words[node] = words[node], words[0]
    return planned(language, " ".join(words)).realise({node: form}).forms[node]


@pytest.mark.parametrize(
    ("form", "like", "upos", "initial", "text"),
    [
        ("dog", "The", "NOUN", True, "Dog"), ("dog", "the", "NOUN", True, "dog"),
        ("Haus", "Garten", "NOUN", False, "Haus"), ("Haus", "garten", "NOUN", True, "Haus"),
        ("big", "American", "ADJ", False, "big"), ("huge", "REALLY", "ADV", False, "HUGE"),
        ("door", "TV", "NOUN", False, "door"), ("door", "TV", "NOUN", True, "Door"),
        ("Rossi", "ENI", "PROPN", True, "Rossi"), ("d'Arc", "Rossi", "PROPN", True, "d'Arc"),
        ("élan", "Dog", "NOUN", True, "Élan"), ("იყო", "ეს", "AUX", True, "იყო"),
        ("42", "Dog", "NUM", True, "42"),
    ],
)  # fmt: skip
def test_capitals_of_the_place(form: str, like: str, upos: str, initial: bool, text: str) -> None:
    assert in_its_place(form, like, upos, initial=initial) == text


def test_capitals_that_languages_write_their_own_way() -> None:
    assert in_its_place("istanbul", "Ev", "NOUN", initial=True, language="tr") == "İstanbul"
    assert in_its_place("ijs", "Water", "NOUN", initial=True, language="nl") == "IJs"


def test_a_sentence_in_capitals_stays_one() -> None:
    loud = planned("en", "STOP/VERB/-/0 THAT/DET/-/3 CAT/NOUN/-/1 NOW/ADV/-/1")
    assert loud.realise({2: "dog"}).forms == ("STOP", "THAT", "DOG", "NOW")


@given(
    st.text(alphabet="abcÀÉßıİاב中1-'", min_size=1, max_size=8),
    st.sampled_from(["und", "tr", "nl"]),
)
def test_a_word_in_its_own_place_is_itself_or_gains_capitals(form: str, language: str) -> None:
    for like, upos in ((form, "PROPN"), (form.lower(), "NOUN")):
        assert in_its_place(form, like, upos, initial=True, language=language) == form


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
    stems = [stem for each in realiser("fr").rules.sound if each.name == "H" for stem in each.stems]
    assert len(set(stems)) >= 150
    assert len(set(stems)) == len(stems)


def test_every_language_file_loads_and_names_its_language() -> None:
    assert {"en", "it", "fr", "de", "es", "pt", "ca", "he", "ar"} <= set(realiser_languages())
    for code in realiser_languages():
        assert realiser(code).rules.language == code
        assert realiser(code).rules.about


def test_a_language_is_found_by_its_code_without_region() -> None:
    assert realiser("pt-BR").rules.language == "pt"
    assert realiser("pt-BR").rules == realiser("pt").rules
    assert not realiser("und").rules.about
    assert not realiser("../en").rules.about


def test_a_file_of_ones_own_loads(tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(GOOD, encoding="utf-8")
    mine = load_realiser(path)
    assert (mine.rules.language, mine.sound("apple"), mine.sound("pear")) == ("xx", "V", "C")


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


@pytest.mark.parametrize(
    ("old", "new", "kind", "entry"),
    [
        ('"xx"', '"x-X"', "format", ""),
        ("attach", "attach2", "unknown", ""),
        ('"\'"', '"x"', "unknown", ""),
        ('"\'"', "3", "unknown", ""),
        ("[[fixed]]", "[fixed]", "format", ""),
        ('name = "V"', 'name = "else"', "format", ": sound 1"),
        ('name = "V"', 'nam = "V"', "unknown", ": sound 1"),
        ('"[aeiou]"', '"[aeiou"', "format", ": sound 1"),
        ('"[aeiou]"', '"[aeiou]"\nupper = 1', "format", ": sound 1"),
        ('pattern = ""', 'pattern = "[bc]"', "format", ": sound 2"),
        ("shapes =", "shape =", "unknown", ": alternation 1"),
        ('{ V = "an", else = "a" }', "3", "format", ": alternation 1"),
        ("{ V =", "{ W =", "unknown", ": alternation 1"),
        ("shapes = { V", "after = true\nshapes = { V", "unknown", ": alternation 1"),
        (', else = "a"', "", "missing", ": alternation 1"),
        ('V = "an"', "V = 3", "format", ": alternation 1"),
        ("shapes", "after = 1\nshapes", "format", ": alternation 1"),
        ("shapes", 'when = "Gender"\nshapes', "format", ": alternation 1"),
        ('["DET"]', '["ARTICLE"]', "unknown", ": alternation 1"),
        ('["DET"]', '"DET"', "format", ": alternation 1"),
        ('"to a" = "ta"', "", "format", ": contraction 1"),
        ('"to a"', '"to"', "format", ": contraction 1"),
        ("joined =", "optional = 1\njoined =", "format", ": contraction 1"),
        ("pattern = 'a\\|a'\n", "", "missing", ": seam 1"),
        ('before = ["PRON"]\n', "", "missing", ": closed 1"),
        ('same = "sound"', 'same = "rhyme"', "unknown", ": fixed 1"),
        ('words = "of"\n', "", "missing", ": fixed 1"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_language_file_says_in_which_entry(
    tmp_path: Path, old: str, new: str, kind: ErrorKind, entry: str
) -> None:
    path = tmp_path / "x.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with mistake(kind, f"{path}{entry}"):
        load_realiser(path)


def test_what_is_no_toml_is_no_language_file(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("language =", encoding="utf-8")
    with mistake("format", f"{path}:1"):
        load_realiser(path)


def test_the_example_of_the_page_on_plugins_loads(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "tutorial-plugin.md"
    _, example = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "docs.toml").write_text(example, encoding="utf-8")
    assert load_realiser(tmp_path / "docs.toml").rules.language == "xx"
