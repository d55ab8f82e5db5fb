"""What users are told of mistakes in grammars, language files and levels, word for word."""

from collections.abc import Callable
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce import (
    derivations,
    grammar_items,
    levels_up_to,
    load_grammar,
    load_realiser,
    parse_grammar,
)

GRAMMAR = """name = "toy"
language = "xx"
[features]
Number = ["Sing", "Plur"]
[indices]
n = "Number"
[sentences]
one = "Noun[n]:nsubj Verb[n!]"
[lexicon]
Verb = { upos = "VERB", entries = [{ lemma = "v", Sing = "vs", Plur = "v" }] }
Noun = { upos = "NOUN", entries = [{ lemma = "x", Sing = "x", Plur = "xs" }] }
[suite]
"""
KEYS = (
    "name, language, licence, capital, stop, features, selection, indices, paradigms, lexicon, "
    "macros, phrases, sentences, sounds, contractions, suite, sandhi"
)
LISTS = "upos, entries, feats, repeat, glue, paradigm, with, tree"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name =", "nme =", f"1: unknown key 'nme'; did you mean 'name'? one of {KEYS}"),
        ('name = "toy"', "", "1: there is no 'name'; write name = …"),
        ('name = "toy"', "name = ", "1: this is not TOML (Invalid value); write valid TOML"),
        ('"Number"', '"Nmber"', "6: unknown name 'Nmber'; did you mean 'Number'? one of Number"),
        ("Verb[n!]", "Verb[n!", "8: the rule 'Noun[n]:nsubj Verb[n!' cannot be read "
         "from '[n!' on; write Name[n]{region}?:relation or (A | B):relation, and @weight at "
         "the end"),
        ("Verb[n!]", "Vrb[n!]", "8: the rule 'Noun[n]:nsubj Vrb[n!]' has 'Vrb', which is "
         "no word list or phrase; did you mean 'Verb'? one of Verb, Noun"),
        ("Verb[n!]", "Verb[q!]", "8: the rule 'Noun[n]:nsubj Verb[q!]' has 'q', which is no letter "
         "or value; give one of n, Sing, Plur"),
        ("Noun[n]:nsubj", "Noun[n]", "8: the rule 'Noun[n] Verb[n!]' has 2 items "
         "without a relation, or one that can be absent; write exactly one, the head; the "
         "others say how they depend on it"),
        ("Verb[n!]", "Verb[n]", "8: the template 'one' marks nothing, and 2 are named (right, "
         "wrong); write a mark for each condition"),
        ('upos = "NOUN",', 'entry = "x",', f"11: unknown key 'entry'; did you "
         f"mean 'entries'? one of {LISTS}"),
        ('Plur = "xs"', 'Dual = "xs"', "11: word list 'Noun': unknown key 'Dual'; "
        "give one of stems, "
         "lemma, form, paradigm, feats, with, tree, Number, Sing, Plur"),
    ],
)  # fmt: skip
def test_mistakes_in_a_grammar(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_grammar(GRAMMAR.replace(old, new, 1), "toy.toml")
    assert str(caught.value) == f"toy.toml:{message}"


TOY = parse_grammar(GRAMMAR, "toy.toml")
BARE = parse_grammar(GRAMMAR.replace("[suite]\n", ""), "toy.toml")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_grammar(Path("no.toml")),
         "no.toml: there is no such file; give the path of a file"),
        (lambda: parse_grammar(GRAMMAR, "toy.toml", only=["two"]),
         "toy.toml: no such template 'two'; give one of one"),
        (lambda: derivations(TOY, n=3, seed=0), "toy.toml: 3 are asked for, and it makes 2; "
         "ask for 2 at most"),
        (lambda: grammar_items(TOY, n=3, seed=0),
         "toy.toml: 3 are asked for, and it makes 2; ask for 2 at most"),
        (lambda: grammar_items(BARE),
         "toy.toml: it has no section [suite]; write a section [suite], or use --make treebank"),
        (lambda: load_grammar("basque"), "grammar: no grammar 'basque'; give one of "
         "marvin_linzen, reflexives, finnish, hebrew, russian, or a TOML file"),
        (lambda: levels_up_to("semantics"), "level: no such name 'semantics'; give one of "
         "morphology, +frequency, +frame, +unseen"),
    ],
)  # fmt: skip
def test_what_there_is_not(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('language = "x-X"', ": language is 'x-X'; give a BCP-47 code without region, as \"it\""),
        ('language = "xx"\nattach2 = "x"', ": unknown key 'attach2'; did you mean 'attach'? one of "
         "language, about, "
         "attach, sound, ending, alternation, contraction, seam, closed, fixed"),
        ('language = "xx"\n[[alternation]]\nshapes = { W = "a", else = "b" }',
         ": alternation 1: no such sound 'W'; write [[sound]] tables first"),
    ],
)  # fmt: skip
def test_mistakes_in_a_language_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_realiser(path)
    assert str(caught.value) == f"{path}{message}"
