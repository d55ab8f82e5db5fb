"""Every mistake in a section [suite], in marks, rows and macros: one line with its place."""

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.expand import of_templates
from colorless_green.nonce.grammar.items import material, sampled_items
from colorless_green.nonce.grammar.load import parse_grammar

GOOD = """name = "toy"
language = "xx"
[features]
Number = ["Sing", "Plur"]
Person = ["1", "2", "3"]
[indices]
n = "Number"
m = "Number"
p = "Person"
[sentences]
one = "Noun[n]:nsubj Other[m]:obj Verb[n!]"
two = "Tail:obj Verb[n!] Noun[n]:nsubj"
[phrases]
NP = "Noun[n]"
[macros]
Tail = "Other[m]"
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
""".replace("Other[m]", "Other")
ONE = "11: the template 'one' "
CASES = [
    # the section
    ("average =", "avrage =", "25: unknown name 'avrage'; one of conditions, facts, average, swap, "
     "predictions, constructions"),
    ('["Other"]', '"Other"', "25: average is 'Other'; a list of names, [\"right\", \"wrong\"]"),
    ('["Other"]', '["Other", "Other"]', "25: average has a name twice; each name once"),
    ('["Other"]', '["Othr"]', "25: unknown name 'Othr'; one of n, m, p, Noun, Other, Verb, Sheep, "
     "Be"),
    ("swap = []", 'swap = ["Noun"]', "26: swap is ['Noun']; pairs of word lists, "
     "[[\"Noun\", \"Other\"]]"),
    ('n = "target', 'x = "target', "28: unknown name 'x'; one of n, m, p, Noun, Other, Verb, "
     "Sheep, Be"),
    ('"target_number"', "3", "28: n is 3; text in quotes, \"…\""),
    ("two = { paper", "tow = { paper", "32: unknown name 'tow'; one of one, two"),
    ('{ paper = "toy" }', "3", "32: two is 3; a table [suite.constructions.two]"),
    ('{ paper = "toy" }', "{ paper = 3 }", "32: paper is 3; text in quotes, \"…\""),
    ('["right", "wrong"]', '["right", "middle", "wrong"]', ONE + "is marked for 2 conditions, and "
     "3 are named (right, middle, wrong); a mark for each condition"),
    ("Verb[n!]\"\ntwo", "Verb[n]\"\ntwo", ONE + "marks nothing, and 2 are named (right, wrong); "
     "a mark for each condition"),
    ("%wrong%", "%rong%", "30: no template has what the prediction 'full' speaks of; conditions "
     "right, wrong and regions prefix, target, between, rest, *"),
    ("(*;%wrong%)", "(taget;%wrong%)", "30: no template has what the prediction 'full' speaks of; "
     "conditions right, wrong and regions prefix, target, between, rest, *"),
    ('one = "Noun[n]:nsubj', 'one = "Noun[n]{noun}:nsubj', None),
    ("(*;%right%)", "(target;%right%)", None),
    # what is averaged and swapped
    ('["Other"]', '["n"]', None),
    ("swap = []", 'swap = [["Noun", "Sheep"]]', ONE + "cannot swap Noun and Sheep; both of them, "
     "once each"),
    ("swap = []", 'swap = [["Noun", "Other"]]', ONE + "swaps Noun and Other; words that all fit "
     "both places"),
    # marks
    ("Verb[n!]\"\ntwo", "Verb[n/m!]\"\ntwo", "11: the rule 'Noun[n]:nsubj Other:obj Verb[n/m!]' "
     "has '!]' at column 33; ']'"),
    ("Verb[n!]\"\ntwo", "Verb[n/p]\"\ntwo", "11: one: 'p' is no index or value of Number; one of "
     "n, m, Sing, Plur"),
    ("Verb[n!]\"\ntwo", "Be[p/-p]\"\ntwo", "11: one: '-p', but Person has 3 values; - for features "
     "of two values"),
    ("Verb[n!]\"\ntwo", "Verb[n!] Sheep[m!]:obj\"\ntwo", ONE + "marks words of different indices "
     "with !; one index: the marked words flip together"),
    ("Verb[n!]\"\ntwo", "Verb[n!] Sheep[n/-n/n]:obj\"\ntwo", ONE + "marks words for different "
     "numbers of conditions; as many values in all its marks"),
    ("Verb[n!]\"\ntwo", "Sheep[n!]\"\ntwo", ONE + "has 'sheep' in its conditions 1 and 2 alike; a "
     "marked word that always looks different there"),
    ("Verb[n!]\"\ntwo", "Verb[n/n]\"\ntwo", ONE + "has 'v' in its conditions 1 and 2 alike; a "
     "marked word that always looks different there"),
    ('NP = "Noun[n]"', 'NP = "[n!] Noun[n]"', "14: NP: a phrase passes on what changes; values "
     "that are the same in all conditions; mark the words"),
    # rows
    ("Other:obj Verb[n!]\"\ntwo", "Other#q:obj Verb#q[n!]\"\ntwo", ONE + "has a row of lists of "
     "different lengths (Other 2, Verb 1); lists of one length"),
    ("Other:obj Verb[n!]\"\ntwo", "NP#q:obj Verb[n!]\"\ntwo", "11: one: the phrase 'NP' stands in "
     "a row; word lists in rows"),
    ('["y", "z"] }', '["y", "z"], repeat = false }', None),
    # macros
    ("Tail = ", "NP = ", "16: 'NP' is a phrase too; another name"),
    ("Tail = ", "Noun = ", "16: 'Noun' is a word list too; another name"),
    ('Tail = "Other"', 'Tail = "Tail"', "12: two: no word list or phrase 'Tail'; one of Noun, "
     "Other, Verb, Sheep, Be, NP"),
    # trees
    ('Plur = "sheep" }', 'Plur = "sheep", tree = "NOUN ADV:advmod@3" }', "21: word list 'Sheep': "
     "tree is 'NOUN ADV:advmod@3'; one UPOS:relation for each word, the head without one: "
     "\"AUX*:cop ADJ\""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), CASES)
def test_a_mistake_is_named_with_its_line_and_what_would_be_right(
    old: str, new: str, message: str | None
) -> None:
    assert GOOD.count(old) >= 1
    text = GOOD.replace(old, new, 1)
    if message is None:  # no mistake
        assert parse_grammar(text, "toy.toml").design is not None
        return
    with pytest.raises(InputError) as error:
        parse_grammar(text, "toy.toml")
    assert str(error.value) == f"toy.toml:{message}"


SHEEP = '{ lemma = "sheep", Number = "Plur" }, { lemma = "sun", Number = "Sing" }'


def with_rule(rule: str, words: str = "") -> str:
    return GOOD.replace('one = "Noun[n]:nsubj Other:obj Verb[n!]"', f'one = "{rule}"') + words


@pytest.mark.parametrize(
    ("rule", "old", "new", "message"),
    [
        (
            "Other#q:obj Verb[n!] Other#q:obl Other:iobj",
            '["y", "z"] }',
            '["y", "z"], repeat = false }',
            "11: the template 'one' has 'Other' in a row and elsewhere; repeat = true, or a list "
            "of its own",
        ),
        (
            "Noun[n]{noun}:nsubj Verb[n!]",
            "(*;%right%) < (*;%wrong%)",
            "(target;%right%) < (target;%wrong%)",
            "11: nothing is predicted of the template 'one'; [suite.predictions] of right, wrong",
        ),
        (
            "Sheep[n]:nsubj Verb[n!]",
            'average = ["Other"]',
            'average = ["n"]',
            "11: the template 'one' averages over what only some items can have; words that go "
            "with everything averaged over",
        ),
        (
            "Two:obj Verb[n!]",
            'Sheep = { upos = "NOUN", entries = [' + SHEEP,
            'Two = { upos = "X", entries = [{ lemma = "a b c", tree = "X X:dep@3 X:dep@2" }',
            "21: word list 'Two': tree is 'X X:dep@3 X:dep@2'; after @ the number of a word nearer "
            "the head",
        ),
    ],
)
def test_a_mistake_in_other_rules_is_named_likewise(
    rule: str, old: str, new: str, message: str
) -> None:
    text = with_rule(rule).replace('{ lemma = "sheep", Sing = "sheep", Plur = "sheep" }', SHEEP)
    with pytest.raises(InputError) as error:
        parse_grammar(text.replace(old, new), "toy.toml")
    assert str(error.value) == f"toy.toml:{message}"


def test_what_changes_twice_has_no_sentence() -> None:
    rule = "VP[n!] Noun[n]:nsubj"
    text = with_rule(rule).replace('NP = "Noun[n]"', 'VP = "Verb[m!]"')
    parse_grammar(text.replace("Verb[m!]", "Verb[m]"), "toy.toml")
    with pytest.raises(InputError) as error:
        parse_grammar(text.replace('VP = "Verb[m!]"', 'VP = "[m] Verb[m!]"'), "toy.toml")
    assert str(error.value) == (
        "toy.toml:11: the template 'one' has no sentence; words and phrases whose features can meet"
    )


def test_a_grammar_without_a_suite_makes_no_items() -> None:
    text = GOOD[: GOOD.index("[suite]")]
    with pytest.raises(InputError) as error:
        material(parse_grammar(text, "toy.toml"))
    assert str(error.value) == "toy.toml: it has no section [suite]; [suite], or --conllu"


def test_a_template_that_is_not_there_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(InputError) as error:
        of_templates(parse_grammar(GOOD, "toy.toml"), ["three"])
    assert str(error.value) == "toy.toml: no such template 'three'; one of one, two"


def test_more_items_than_there_are_is_an_error() -> None:
    with pytest.raises(InputError) as error:
        sampled_items(material(parse_grammar(GOOD, "toy.toml")), 100, 0)
    assert str(error.value) == "toy.toml: 100 items of a grammar that makes 4; 4 at most"
