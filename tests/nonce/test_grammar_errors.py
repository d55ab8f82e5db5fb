"""Every mistake in a grammar file is told with its line and its kind."""

from pathlib import Path

import pytest

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.nonce import (
    derivations,
    grammar_items,
    load_grammar,
    parse_grammar,
)
from tests.builders import mistake
from tests.nonce.grammars import small, texts

WORDS = """name = "toy"
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
NOUN = '  { lemma = "dog", Sing = "dog", Plur = "dogs" },'
IN_WORDS_AND_RULES: list[tuple[str, str, ErrorKind, int]] = [
    ("name =", "nme =", "unknown", 1),
    ('name = "toy"', "", "missing", 1),
    ('name = "toy"', "name = 3", "format", 1),
    ('name = "toy"', "name = ", "format", 1),
    ('name = "toy"', 'capital = 1\nname = "toy"', "format", 1),
    ('["Sing", "Plur"]', "3", "format", 4),
    ('["human", "thing"]', '["human", "Sing"]', "conflict", 6),
    ('n = "Number"', 'n = "Nmber"', "unknown", 8),
    ('n = "Number"', 'human = "Number"', "conflict", 8),
    ('[sounds.vowel]\nstarts = "a e"', '[sounds.vowel]\nstart = "a e"', "unknown", 12),
    ('form = "il"\nbefore = "vowel"', 'form = "il"\nbefore = "vowl"', "unknown", 19),
    ('form = "il"\n', "", "missing", 17),
    ('form = "il"\n', 'form = "il"\nglue = "up"\n', "unknown", 19),
    ('"di la" =', '"dila" =', "format", 22),
    ('"NP[n]:nsubj Verb[n] Stop?:punct"', "3", "format", 24),
    ('"Verb[Sing]"', '"Verb[Sing"', "format", 27),
    ('"Verb[Sing]"', '"Verb[Sing] Stop"', "format", 27),
    ('"Verb[Sing]"', '"Verb:dep Stop:punct"', "format", 27),
    ('"Verb[Sing]"', '"Verb?"', "format", 27),
    ('"Verb[Sing]"', '"Verb ([Sing] | Stop):dep"', "format", 27),
    ('"Verb[Sing]"', '"Vrb"', "unknown", 27),
    ('"Verb[Sing]"', '"Verb[q]"', "unknown", 27),
    ('"Verb[Sing]"', '"Verb[n m]"', "conflict", 27),
    ('"Verb[Sing]"', '"Verb[thing]"', "format", 27),
    ('"Noun[n]"', '"Noun[n] (Noun NP:dep):dep"', "format", 30),
    ("NP = ", "Noun = ", "conflict", 30),
    ('one = "NP[n]', 'one = "NP[n k]', "format", 24),
    ('{ Sing = "~s", Plur = "~" }', "3", "format", 32),
    ('{ Sing = "~s", Plur = "~" }', '{ Dual = "~" }', "unknown", 32),
    ('{ upos = "PUNCT", entries = ["."] }', "3", "format", 34),
    ('entries = ["."]', "entries = []", "format", 34),
    ('entries = ["."]', 'entry = ["."]', "unknown", 34),
    ('entries = ["."]', 'entries = ["."], glue = 1', "unknown", 34),
    ('entries = ["."]', 'entries = [".", "."]', "conflict", 34),
    ('entries = ["."]', "entries = [3]", "format", 34),
    ('"PUNCT"', '"PNCT"', "unknown", 34),
    (NOUN, '{ lemma = "dog", Dual = "dogs" },', "unknown", 40),
    (NOUN, '{ lemma = "dog", paradigm = "x" },', "unknown", 40),
    (NOUN, '{ lemma = "dog", Sing = "hot dog" },', "format", 40),
    (NOUN, '{ lemma = "dog", Sing = "dog", "Plur human" = "x" },', "format", 40),
    (NOUN, '{ stems = " " },', "format", 38),
    ('entries = ["."]', 'entries = ["."], repeat = "no"', "format", 34),
    (NOUN, '{ lemma = "dog", with = "Dual" },', "unknown", 40),
    (NOUN, '{ lemma = "dog", Number = "Dual" },', "unknown", 40),
    (NOUN, '{ lemma = "dog", feats = "Case" },', "format", 38),
    (NOUN, '{ lemma = "hot dog", tree = "ADJ NOUN" },', "format", 40),
]  # fmt: skip
SUITE = """name = "toy"
language = "xx"
[features]
Number = ["Sing", "Plur"]
Person = ["1", "2", "3"]
[indices]
n = "Number"
m = "Number"
p = "Person"
[sentences]
one = "Noun[n]:nsubj Other:obj Verb[n!]"
two = "Tail:obj Verb[n!] Noun[n]:nsubj"
[phrases]
NP = "Noun[n]"
[macros]
Tail = "Other"
[lexicon]
Noun = { upos = "NOUN", entries = [{ lemma = "x", Sing = "x", Plur = "xs" }] }
Other = { upos = "NOUN", entries = ["y", "z"] }
Verb = { upos = "VERB", entries = [{ lemma = "v", Sing = "v", Plur = "vs" }] }
Sheep = { upos = "NOUN", entries = [{ lemma = "sheep", Sing = "sheep", Plur = "sheep" }] }
Be = { upos = "AUX", entries = [{ lemma = "be", 1 = "am", 2 = "are", 3 = "is" }] }
[suite]
conditions = ["right", "wrong"]
average = ["Other"]
swap = []
[suite.facts]
n = "target_number"
[suite.predictions]
full = "(*;%right%) < (*;%wrong%)"
[suite.constructions]
two = { paper = "toy" }
"""
LAST = 'Verb[n!]"\ntwo'
IN_SUITES: list[tuple[str, str, ErrorKind, int]] = [
    ("average =", "avrage =", "unknown", 25),
    ('["Other"]', '"Other"', "format", 25),
    ('["Other"]', '["Othr"]', "unknown", 25),
    ("swap = []", 'swap = ["Noun"]', "format", 26),
    ('n = "target', 'x = "target', "unknown", 28),
    ('"target_number"', "3", "format", 28),
    ("two = { paper", "tow = { paper", "unknown", 32),
    ('{ paper = "toy" }', "3", "format", 32),
    ('{ paper = "toy" }', "{ paper = 3 }", "format", 32),
    ('["right", "wrong"]', '["right", "middle", "wrong"]', "format", 11),
    (LAST, 'Verb[n]"\ntwo', "format", 11),
    ("%wrong%", "%rong%", "unknown", 30),
    ("(*;%wrong%)", "(taget;%wrong%)", "unknown", 30),
    ("swap = []", 'swap = [["Noun", "Sheep"]]', "format", 11),
    ("swap = []", 'swap = [["Noun", "Other"]]', "conflict", 11),
    (LAST, 'Verb[n/m!]"\ntwo', "format", 11),
    # what the head word of a phrase lacks: it was passed over
    ('"Noun[n]:nsubj Other', '"NP[n p]:nsubj Be[p]:cop Other', "format", 11),
    ('"Noun[n]:nsubj Other', '"(Noun[n] | Sheep)[p]:nsubj Be[p]:cop Other', "format", 11),
    ('"Noun[n]:nsubj Other', '"(Tail:x Tail)[p]:nsubj Be[p]:cop Noun[n]:y Other', "format", 11),
    (LAST, 'Verb[n/p]"\ntwo', "unknown", 11),
    (LAST, 'Be[p/-p]"\ntwo', "unknown", 11),
    (LAST, 'Verb[n!] Sheep[n/-n/n]:obj"\ntwo', "conflict", 11),
    (LAST, 'Sheep[n!]"\ntwo', "conflict", 11),
    (LAST, 'Verb[n/n]"\ntwo', "conflict", 11),
    ('Other:obj Verb[n!]"\ntwo', 'Other#q:obj Verb#q[n!]"\ntwo', "format", 11),
    ('Other:obj Verb[n!]"\ntwo', 'NP#q:obj Verb[n!]"\ntwo', "unknown", 11),
    ("Tail = ", "NP = ", "conflict", 16),
    ("Tail = ", "Noun = ", "conflict", 16),
    ('Tail = "Other"', 'Tail = "Tail"', "format", 16),
    ('Plur = "sheep" }', 'Plur = "sheep", tree = "NOUN ADV:advmod@3" }', "format", 21),
]  # fmt: skip


@pytest.mark.parametrize(
    ("good", "old", "new", "kind", "line"),
    [*((WORDS, *row) for row in IN_WORDS_AND_RULES), *((SUITE, *row) for row in IN_SUITES)],
)
def test_a_mistake_is_told_with_its_line_and_its_kind(
    good: str, old: str, new: str, kind: ErrorKind, line: int
) -> None:
    assert good.count(old) >= 1
    with mistake(kind, f"toy.toml:{line}"):
        parse_grammar(good.replace(old, new, 1), "toy.toml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('one = "Noun[n]:nsubj', 'one = "Noun[n]{noun}:nsubj'), ("(*;%right%)", "(target;%right%)"),
        ('["Other"]', '["n"]'), ('["y", "z"] }', '["y", "z"], repeat = false }'),
    ],
)  # fmt: skip
def test_what_is_like_a_mistake_and_is_none_is_read(old: str, new: str) -> None:
    assert SUITE.count(old) >= 1
    assert parse_grammar(SUITE.replace(old, new, 1), "toy.toml").file.suite is not None


def tiny(key: str, entry: str = '"w"', rule: str = "W") -> str:
    return (
        f'name = "x"\nlanguage = "xx"\n{key}\n[features]\nKind = ["human", "thing"]\n'
        f'[sentences]\ns = "{rule}"\n[lexicon]\nW = {{ upos = "X", entries = [{entry}] }}\n'
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (tiny("phrases = 1"), 3),
        (tiny("sandhi = 1"), 3),
        (tiny("", '{ lemma = "w", with = "human" }', "W[thing]"), 7),  # no sentence can be made
        (tiny("", '"w", 1 2'), 9),
        (tiny("").rstrip(" }\n"), 9),
    ],
)
def test_a_mistake_in_a_tiny_grammar_is_told_likewise(text: str, line: int) -> None:
    with mistake("format", f"x.toml:{line}"):
        parse_grammar(text, "x.toml")


def test_a_grammar_without_mistakes_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.toml"
    path.write_text(WORDS.replace("\n", "\r\n"), encoding="utf-8")
    assert load_grammar(path).location == str(path)
    with mistake("missing", tmp_path / "no.toml"):
        load_grammar(tmp_path / "no.toml")


@pytest.mark.parametrize(
    ("rule", "rest"),
    [
        ("A:", ":"), ("A:NSUBJ", ":NSUBJ"), ("A A:x) A", ") A"), ("(A A:x", ""), ("A[]", "[]"),
        ("A[n", "[n"), ("A @0", "@0"), ("A @n", "@n"), ("A, B", ", B"), ("", ""),
        ("A[n/]", "[n/]"), ("A[n/-]", "[n/-]"), ("A#", "#"), ("A{", "{"), ("A{x", "{x"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_read_is_told_with_what_is_left_of_it(rule: str, rest: str) -> None:
    with pytest.raises(InputError) as caught:
        small(f'"t" = "{rule}"', 'A = { upos = "X", entries = [{ lemma = "a", Sing = "a" }] }')
    assert (caught.value.kind, caught.value.location) == ("format", "toy.toml:12")
    assert f"{rest}'" in caught.value.wrong + caught.value.right


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ("Adj[n]?:amod Noun[n]", "(Adj[n] | ):amod Noun[n]"),
        (" ( Adj[n]|Noun ) : amod  Noun [ n ] @ 2 ", "(Adj[n] | Noun):amod Noun[n] @2"),
        ("(M:x Noun) Adj:dep", "((Noun[n] Adj:dep):x Noun) Adj:dep"),
    ],
)
def test_two_ways_to_write_a_rule_make_the_same_sentences(rule: str, same: str) -> None:
    words = "".join(
        f'{name} = {{ upos = "X", entries = [{{ lemma = "{form}", Sing = "{form}", '
        f'Plur = "{form}s" }}] }}\n'
        for name, form in (("Noun", "n"), ("Adj", "a"))
    )
    macro = '[macros]\nM = "Noun[n] Adj:dep"'
    one, other = (texts(derivations(small(f'"t" = "{each}"', words, after=macro)))
                  for each in (rule, same))  # fmt: skip
    assert one == other != []


SHEEP = '{ lemma = "sheep", Number = "Plur" }, { lemma = "sun", Number = "Sing" }'


def with_rule(rule: str) -> str:
    return SUITE.replace('one = "Noun[n]:nsubj Other:obj Verb[n!]"', f'one = "{rule}"')


@pytest.mark.parametrize(
    ("rule", "old", "new", "kind", "line"),
    [
        ("Noun[n]{noun}:nsubj Verb[n!]", "(*;%right%) < (*;%wrong%)",
         "(target;%right%) < (target;%wrong%)", "missing", 11),
        ("Sheep[n]:nsubj Verb[n!]", 'average = ["Other"]', 'average = ["n"]', "format", 11),
        ("Sheep[n!]:nsubj Verb[n]", "", "", "format", 11),
    ],
)  # fmt: skip
def test_a_mistake_in_other_rules_is_told_likewise(
    rule: str, old: str, new: str, kind: ErrorKind, line: int
) -> None:
    text = with_rule(rule).replace('{ lemma = "sheep", Sing = "sheep", Plur = "sheep" }', SHEEP)
    with mistake(kind, f"toy.toml:{line}"):
        parse_grammar(text.replace(old, new), "toy.toml")


def test_what_changes_twice_has_no_sentence() -> None:
    text = with_rule("VP[n!] Noun[n]:nsubj")
    parse_grammar(text.replace('NP = "Noun[n]"', 'VP = "Verb[m]"'), "toy.toml")
    with mistake("format", "toy.toml:11"):
        parse_grammar(text.replace('NP = "Noun[n]"', 'VP = "Verb[m!]"'), "toy.toml")


def test_what_a_grammar_does_not_have_cannot_be_asked_of_it() -> None:
    grammar = parse_grammar(SUITE, "toy.toml", only=["two"])
    assert {shape.template for shape in grammar.shapes} == {"two"}
    with mistake("unknown", "toy.toml"):
        parse_grammar(SUITE, "toy.toml", only=["three"])
    with mistake("value", "toy.toml"):
        grammar_items(grammar, n=100, seed=0)
    with mistake("value", "toy.toml"):  # before the first is made
        derivations(parse_grammar(WORDS, "toy.toml"), n=10_000, seed=0)
    with mistake("missing", "toy.toml"):
        grammar_items(parse_grammar(SUITE[: SUITE.index("[suite]")], "toy.toml"))


def doubled(name: str, n: int) -> str:
    """Rules of which each has the one before it twice."""
    rules = "".join(f'{name}{k} = "{name}{k - 1} {name}{k - 1}:x"\n' for k in range(1, n))
    return f'{name}0 = "A"\n{rules}'


@pytest.mark.parametrize(
    ("rule", "more"),
    [
        ("A?:x " * 40 + "A", ""),
        ("P30", "[phrases]\n" + doubled("P", 31)),
        ("M30", "[macros]\n" + doubled("M", 31)),
        ("(" * 2_000 + "A" + ")" * 2_000, ""),
        ("A:x " * 40 + "A", "[paradigms]\nx = {}"),
    ],
)  # fmt: skip
def test_what_cannot_be_multiplied_out_is_refused_at_once(rule: str, more: str) -> None:
    """A grammar of a few lines ran until it was killed."""
    words = 'A = { upos = "X", repeat = false, entries = ["a", { lemma = "b", with = "Sing" }] }'
    if "[paradigms]" in more:  # every word with a number of its own, all tied to each other
        words = words.replace('"a"', '{ lemma = "a", Sing = "a" }')
    with pytest.raises(InputError):
        small(f'"t" = "{rule}"', words, after=more)


def test_what_changes_twice_by_way_of_another_phrase_has_no_sentence() -> None:
    """It ended in a traceback."""
    text = with_rule("Verb[n!] VP[n]:x").replace('NP = "Noun[n]"', 'VP = "Verb[m!]"')
    with mistake("format", "toy.toml:11"):
        parse_grammar(text, "toy.toml")


def test_a_template_without_a_mark_or_a_region_makes_sentences_without_a_target() -> None:
    """It was read, and its first item then ended in a traceback."""
    text = SUITE.replace("n!", "n").replace('["right", "wrong"]', '["only"]')
    text = text.replace("(*;%right%) < (*;%wrong%)", "(*;%only%) < 3")
    for grammar in (text, text.replace("Verb[n]", "Verb[n]{verb}")):
        item = next(grammar_items(parse_grammar(grammar, "toy.toml")))
        assert item.conditions.keys() == {"only"}
    with mistake("unknown", "toy.toml:30"):
        parse_grammar(text.replace("(*;%only%)", "(target;%only%)"), "toy.toml")
