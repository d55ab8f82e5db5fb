"""Every mistake in a grammar file: one line, with file, line and remedy."""

from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.load import load_grammar, parse_grammar

GOOD = """name = "toy"
language = "xx"
[features]
Number = ["Sing", "Plur"]
[selection]
Kind = ["human", "thing"]
[indices]
n = "Number"
m = "Number"
k = "Kind"
[sounds.vowel]
starts = "a e"
[[sandhi]]
form = "la"
before = "vowel"
becomes = "l'"
[[sandhi]]
form = "il"
before = "vowel"
becomes = "l'"
[contractions]
"di la" = "della"
[sentences]
one = "NP[n]:nsubj Verb[n] Stop?:punct"
two = [
  "Verb Stop:punct",
  "Verb[Sing]",
]
[phrases]
NP = "Noun[n]"
[paradigms]
verb = { Sing = "~s", Plur = "~" }
[lexicon]
Stop = { upos = "PUNCT", entries = ["."] }
Verb = { upos = "VERB", paradigm = "verb", entries = ["run", "sing"] }
[lexicon.Noun]
upos = "NOUN"
entries = [
  { lemma = "cat", Sing = "cat", Plur = "cats", with = "human" },
  { lemma = "dog", Sing = "dog", Plur = "dogs" },
]
"""
KEYS = (
    "name, language, licence, capital, stop, features, selection, indices, paradigms, lexicon, "
    "macros, phrases, sentences, sounds, contractions, suite, sandhi"
)
ENTRY_KEYS = "one of stems, lemma, paradigm, feats, with, form, tree, a feature or its values"
UPOS = (
    "ADJ, ADP, ADV, AUX, CCONJ, DET, INTJ, NOUN, NUM, PART, PRON, PROPN, PUNCT, SCONJ, SYM, VERB, X"
)
NOUN = '  { lemma = "dog", Sing = "dog", Plur = "dogs" },'
TREE = 'one UPOS:relation for each word, the head without one: "AUX*:cop ADJ"'
CASES = [
    # the file
    ("name =", "nme =", f"1: unknown key 'nme'; one of {KEYS}"),
    ('name = "toy"', "", "1: there is no 'name'; name, language, features, lexicon, "
     "sentences"),
    ('name = "toy"', "name = 3", "1: name is 3; text in quotes, \"…\""),
    ('name = "toy"', "name = ", "1: this is no TOML (Invalid value); valid TOML"),
    ('name = "toy"', 'capital = 1\nname = "toy"', "1: capital is 1; true or false"),
    # features and letters
    ('["Sing", "Plur"]', "3", "4: Number is 3; a list of values, [\"Sing\", \"Plur\"]"),
    ('["human", "thing"]', '["human", "Sing"]', "6: the value 'Sing' belongs to Number already; "
     "another name: a value says which feature it is of"),
    ('n = "Number"', 'n = "Nmber"', "8: no such feature 'Nmber'; one of Number, Kind"),
    ('n = "Number"', 'human = "Number"', "8: 'human' is a value too; another letter"),
    # spelling
    ('[sounds.vowel]\nstarts = "a e"', '[sounds.vowel]\nstart = "a e"', "11: the sound 'vowel' "
     "cannot be read; starts = \"a e i o u\""),
    ('form = "il"\nbefore = "vowel"', 'form = "il"\nbefore = "vowl"', "17: no such sound 'vowl'; "
     "one of vowel"),
    ('form = "il"\n', "", "17: the sandhi rule cannot be read; form, before and becomes; upos, "
     "drops and glue if wanted"),
    ('form = "il"\n', 'form = "il"\nglue = "up"\n', "17: glue is 'up'; one of left, right, both, "
     "clitic"),
    ('"di la" =', '"dila" =', "22: the contraction 'dila' cannot be read; \"di il\" = \"del\""),
    # rules
    ('"NP[n]:nsubj Verb[n] Stop?:punct"', "3", "24: one is 3; a rule in quotes, or a list of them"),
    ('"Verb[Sing]"', '"Verb[Sing"', "27: the rule 'Verb[Sing' has the end at column 10; ']'"),
    ('"Verb[Sing]"', '"Verb[Sing] Stop"', "25: two: 2 items of one alternative have no relation; "
     "exactly one, the head; the others say how they hang on it"),
    ('"Verb[Sing]"', '"Verb:dep Stop:punct"', "25: two: 0 items of one alternative have no "
     "relation; exactly one, the head; the others say how they hang on it"),
    ('"Verb[Sing]"', '"Verb?"', "25: two: the head can be absent; a head that is always there"),
    ('"Verb[Sing]"', '"Verb ([Sing] | Stop):dep"', "25: two: an empty alternative has values; "
     "none, or words with them"),
    ('"Verb[Sing]"', '"Vrb"', "25: two: no word list or phrase 'Vrb'; one of Stop, Verb, Noun, NP"),
    ('"Verb[Sing]"', '"Verb[q]"', "25: two: no index or value 'q'; one of n, m, k, Sing, Plur, "
     "human, thing"),
    ('"Verb[Sing]"', '"Verb[n m]"', "25: two: 'n' and 'm' are both of Number; one of them"),
    ('"Verb[Sing]"', '"Verb[thing]"', "25: two: no word of 'Verb' has to do with Kind ('thing'); "
     "Verb without thing"),
    ('"Noun[n]"', '"Noun[n] (Noun NP:dep):dep"', "30: the phrase 'NP' holds itself (NP → NP); "
     "a phrase for each level"),
    ("NP = ", "Noun = ", "30: 'Noun' is a word list too; another name"),
    ('one = "NP[n]', 'one = "NP[n k]', "24: the template 'one' leaves Kind open on Noun: no word "
     "there always shows it; a value, or an index shared with a word that shows it"),
    # words
    ('{ Sing = "~s", Plur = "~" }', "3", "32: paradigm 'verb' is no table of strings; "
     "Plur = \"~s\""),
    ('{ Sing = "~s", Plur = "~" }', '{ Dual = "~" }', "32: paradigm 'verb' has the key 'Dual'; "
     "one of Sing, Plur, human, thing"),
    ('{ upos = "PUNCT", entries = ["."] }', "3", "34: word list 'Stop': this is no table; "
     "upos = … and entries = […]"),
    ('entries = ["."]', "entries = []", "34: word list 'Stop': it has no entries; "
     "entries = [\"word\", …]"),
    ('entries = ["."]', 'entry = ["."]', "34: word list 'Stop': unknown key 'entry'; one of upos, "
     "entries, feats, repeat, glue, paradigm, with, tree"),
    ('entries = ["."]', 'entries = ["."], glue = 1', "34: word list 'Stop': glue is 1; "
     "one of left, right, both, clitic"),
    ('entries = ["."]', 'entries = [".", "."]', "34: word list 'Stop': '.' stands in it twice; "
     "each word once"),
    ('entries = ["."]', "entries = [3]", "34: word list 'Stop': the entry 3 is no word; "
     "a \"word\", or a table with stems or lemma"),
    ('"PUNCT"', '"PNCT"', f"34: word list 'Stop': upos is 'PNCT'; one of {UPOS}"),
    (NOUN, '{ lemma = "dog", Dual = "dogs" },', "40: word list 'Noun': unknown key 'Dual'; "
     + ENTRY_KEYS),
    (NOUN, '{ lemma = "dog", paradigm = "x" },', "40: word list 'Noun': no such paradigm 'x'; "
     "one of verb"),
    (NOUN, '{ lemma = "dog", Sing = "hot dog" },', "40: word list 'Noun': the form 'hot dog' has "
     "2 words, its tree 1; as many as in the lemma and in tree = \"AUX*:cop ADJ\""),
    (NOUN, '{ lemma = "dog", Sing = "dog", "Plur human" = "x" },', "40: word list 'Noun': its "
     "forms stand under different features; all under the same ones"),
    (NOUN, '{ stems = " " },', "38: word list 'Noun': the entry {'stems': ' '} is no word; "
     "a \"word\", or a table with stems or lemma"),
    ('entries = ["."]', 'entries = ["."], repeat = "no"', "34: word list 'Stop': repeat is 'no'; "
     "true or false"),
    (NOUN, '{ lemma = "dog", with = "Dual" },', "40: word list 'Noun': no such value 'Dual'; "
     "one of Sing, Plur, human, thing"),
    (NOUN, '{ lemma = "dog", Number = "Dual" },', "40: word list 'Noun': Number is 'Dual'; "
     "one of Sing, Plur"),
    (NOUN, '{ lemma = "dog", Number = "Sing", Plur = "x" },', "40: word list 'Noun': Number is "
     "fixed, but its forms vary in it; one of the two"),
    (NOUN, '{ lemma = "dog", feats = "Case" },', "40: word list 'Noun': feats has 'Case'; "
     "Name=Value pairs joined by |"),
    (NOUN, '{ lemma = "hot dog", tree = "ADJ NOUN" },', "40: word list 'Noun': tree is 'ADJ NOUN'; "
     + TREE),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), CASES)
def test_a_mistake_is_named_with_its_line_and_what_would_be_right(
    old: str, new: str, message: str
) -> None:
    assert GOOD.count(old) >= 1
    with pytest.raises(InputError) as error:
        parse_grammar(GOOD.replace(old, new, 1), "toy.toml")
    assert str(error.value) == f"toy.toml:{message}"


def small(key: str, entry: str = '"w"', rule: str = "W") -> str:
    return (
        f'name = "x"\nlanguage = "xx"\n{key}\n[features]\nKind = ["human", "thing"]\n'
        f'[sentences]\ns = "{rule}"\n[lexicon]\nW = {{ upos = "X", entries = [{entry}] }}\n'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (small("phrases = 1"), "3: phrases is no table; a table [phrases]"),
        (small("sandhi = 1"), "3: sandhi is no list of tables; [[sandhi]]"),
        (
            small("", '{ lemma = "w", with = "human" }', "W[thing]"),
            "7: the template 's' has no sentence; words and phrases whose features can meet",
        ),
        (small("", '"w", 1 2'), "9: this is no TOML (Unclosed array); valid TOML"),
        (small("").rstrip(" }\n"), "9: this is no TOML (Unclosed inline table); valid TOML"),
    ],
)
def test_a_mistake_in_a_small_grammar_is_named_likewise(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_grammar(text, "x.toml")
    assert str(error.value) == f"x.toml:{message}"


def test_a_grammar_without_mistakes_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.toml"
    path.write_text(GOOD.replace("\n", "\r\n"), encoding="utf-8")
    assert load_grammar(path).place == str(path)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load_grammar(tmp_path / "no.toml")
    assert str(error.value) == f"{tmp_path / 'no.toml'}: there is no such file; the path of a file"
