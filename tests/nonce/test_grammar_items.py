"""Items of template grammars: counted as enumerated, drawn as enumerated, and only what is marked
differs between their conditions."""

import re
from collections import Counter
from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.data import Item, sentence_text
from colorless_green.data.errors import InputError
from colorless_green.nonce import (
    Grammar,
    derivations,
    grammar_items,
    item_counts,
    parse_grammar,
    predictions_of,
)
from tests.nonce.grammars import n_items, rows_of, text_of

HEAD = """
name = "toy"
language = "xx"
licence = "MIT"
capital = false
[features]
Number = ["Sing", "Plur"]
Gender = ["Masc", "Fem"]
[selection]
Kind = ["right", "middle", "wrong"]
[indices]
n = "Number"
m = "Number"
g = "Gender"
[paradigms]
noun = { Sing = "~", Plur = "~s" }
verb = { Sing = "~t", Plur = "~n" }
"""
TEMPLATES = {  # with two conditions each
    "plain": "Noun[n]:nsubj Verb[n!]",
    "near": "(Noun[n] (Other[m]):nmod):nsubj Verb[n!]",
    "optional": "Adv?:advmod Noun[n]:nsubj Verb[n!]",
    "both": "Noun[n]:nsubj Verb[n] (Verb[n!]):conj",
    "phrase": "NP[n]:nsubj Verb[n!] (NP[m]):obj",
    "row": "Noun#r[n]:nsubj Verb[n!] (Other#r[m]):obj",
    "fixed": "Noun[Plur]:nsubj Verb[Plur/Sing]",
    "gender": "Adj[g]:amod Noun[n]:nsubj Verb[n!]",
}
DESIGNS = ("", 'average = ["Other"]', 'average = ["m"]', 'average = ["g"]', 'average = ["Adv"]',
           'average = ["Other", "m"]', 'swap = [["Noun", "Other"]]',
           'average = ["m"]\nswap = [["Noun", "Other"]]')  # fmt: skip


DETERMINERS = """
[lexicon.Det]
upos = "DET"
entries = [
  { lemma = "no", right = "no", middle = "the", wrong = "most" },
  { lemma = "few", right = "few", middle = "the", wrong = "many" },
]
[lexicon.Low]
upos = "DET"
entries = [
  { lemma = "the", right = "the", middle = "no", wrong = "the" },
  { lemma = "the2", right = "the", middle = "few", wrong = "the" },
]
"""


def toy(sentences: str, design: str = "", sizes: tuple[int, int, int] = (2, 2, 2)) -> Grammar:
    nouns, others, verbs = (
        " ".join(f"{name}{n}" for n in range(size))
        for name, size in zip(("n", "o", "v"), sizes, strict=True)
    )
    return parse_grammar(
        f"""{HEAD}
[sentences]
{sentences}
[phrases]
NP = "Adv:advmod Other[n]"
[lexicon]
Adv = {{ upos = "ADV", entries = ["so", "too"] }}
Adj = {{ upos = "ADJ", entries = [{{ lemma = "a", Masc = "am", Fem = "af" }}] }}
Noun = {{ upos = "NOUN", paradigm = "noun", entries = [{{ stems = "{nouns}" }}] }}
Other = {{ upos = "NOUN", paradigm = "noun", entries = [{{ stems = "{others}" }}] }}
Verb = {{ upos = "VERB", paradigm = "verb", repeat = false, entries = [{{ stems = "{verbs}" }}] }}
{DETERMINERS}
[suite]
{design}
""",
        "toy.toml",
    )


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    chosen = draw(st.lists(st.sampled_from(sorted(TEMPLATES)), min_size=1, max_size=3, unique=True))
    size = draw(st.integers(1, 3))
    design = draw(st.sampled_from(DESIGNS))
    rules = "\n".join(f'{name} = "{TEMPLATES[name]}"' for name in chosen)
    try:
        return toy(rules, design, (size, size, draw(st.integers(2, 3))))
    except InputError:  # what is averaged or swapped does not stand in one of the templates
        assume(False)
        raise


def texts(item: Item) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(sentence_text, own)) for own in item.conditions.values())


@pytest.mark.slow
@given(grammars())
def test_as_many_items_and_sentences_are_made_as_counted(grammar: Grammar) -> None:
    items = list(grammar_items(grammar))
    rows = list(item_counts(grammar))
    assert n_items(grammar) == len(items) == sum(int(str(row["n_items"])) for row in rows)
    n_sentences = sum(len(own) for item in items for own in item.conditions.values())
    assert n_sentences == sum(int(str(row["n_sentences"])) for row in rows)
    made = Counter((item.facts["construction"], item.cell) for item in items)
    assert made == Counter({(row["template"], row["cell"]): row["n_items"] for row in rows})


@given(grammars())
def test_items_and_their_wordings_are_the_sentences_of_the_grammar(grammar: Grammar) -> None:
    """Against the derivations as they are without a design, and both orders of what is swapped."""
    made = Counter(
        (item.facts["construction"], sentence)
        for item in grammar_items(grammar)
        for sentence in texts(item)[0]
    )
    expected: Counter[tuple[str, str]] = Counter()
    assert grammar.file.suite is not None
    for each in derivations(grammar):
        text = text_of(each)
        swaps = {text, exchanged(text)} if grammar.file.suite.swap else {text}
        expected.update((each.shape.template, order) for order in swaps)
    assert made == expected


def exchanged(text: str) -> str:
    """Return the sentence with its words of the lists Noun and Other in each other's place, if
    it has both; their endings stay."""
    stems = sorted(re.findall(r"\b[no]\d", text))
    if [stem[0] for stem in stems] != ["n", "o"]:
        return text
    return re.sub(r"\b[no]\d", lambda match: stems[match[0] == stems[0]], text)


@pytest.mark.slow
@given(grammars(), st.integers(0, 3))
def test_a_whole_sample_is_every_item_once_and_begins_with_smaller_ones(
    grammar: Grammar, seed: int
) -> None:
    drawn = [item.item_id for item in grammar_items(grammar, n=n_items(grammar), seed=seed)]
    assert sorted(drawn) == sorted(item.item_id for item in grammar_items(grammar))
    assert len(set(drawn)) == len(drawn)
    some = [item.item_id for item in grammar_items(grammar, n=min(3, len(drawn)), seed=seed)]
    assert some == drawn[: len(some)]


@given(grammars())
def test_the_members_of_a_pair_differ_in_the_target_alone(grammar: Grammar) -> None:
    for item in islice(grammar_items(grammar), 50):
        for right, wrong in zip(item.conditions["right"], item.conditions["wrong"], strict=True):
            assert [each.region for each in right] == [each.region for each in wrong]
            differing = {
                one.region for one, other in zip(right, wrong, strict=True) if one != other
            }
            assert differing == {"target"}


@given(grammars())
def test_items_of_a_set_have_the_same_words_in_other_cells(grammar: Grammar) -> None:
    sets: dict[str, list[Item]] = {}
    for item in grammar_items(grammar):
        assert item.cluster_id == item.set_id != item.item_id
        sets.setdefault(item.set_id, []).append(item)
    for own in sets.values():
        assert len({item.cell for item in own}) == len(own)
        assert len({item.facts["construction"] for item in own}) == 1


def only_item(grammar: Grammar, place: int = 0) -> Item:
    return next(islice(grammar_items(grammar), place, None))


def test_an_item_says_where_it_is_from_and_what_it_tests() -> None:
    item = only_item(toy('t = "(Noun[n] Other[m]:nmod):nsubj Verb[n!]"'), 10)
    assert (item.kind, item.language, item.source, item.licence) == ("template", "xx", "toy", "MIT")
    assert (item.cell, item.facts) == ("Sing-Plur", {"construction": "t", "n": "Sing", "m": "Plur"})
    assert texts(item) == (("n0 o1s v0t",), ("n0 o1s v0n",))


def test_letters_get_names_and_templates_facts() -> None:
    design = """
[suite.facts]
n = "target_number"
[suite.constructions]
t = { construction = "simple", paper = "2018" }
"""
    item = only_item(toy('t = "(Noun[n] Other[m]:nmod):nsubj Verb[n!]"', design))
    assert item.facts == {"construction": "simple", "paper": "2018", "target_number": "Sing"}
    assert item.cell == "Sing"  # a letter that is no fact does not show


def test_regions_are_named_in_the_template_and_the_rest_is_before_between_and_after() -> None:
    rule = (
        "Adv:advmod Noun[n]{subject}:nsubj Adv:advmod (Verb[n!] Adv:advmod){predicate} Adv:advmod"
    )
    item = only_item(toy(f't = "{rule}"', '[suite.predictions]\nx = "(*;%right%) < (*;%wrong%)"'))
    (sentence,) = item.conditions["right"]
    assert [(each.region, each.text) for each in sentence] == [
        ("prefix", "so"), ("subject", " n0"), ("between", " so"), ("predicate", " v0t so"),
        ("rest", " so"),
    ]  # fmt: skip
    assert sentence_text(sentence) == "so n0 so v0t so so"


def test_prefix_and_rest_are_there_also_where_they_are_empty() -> None:
    (sentence,) = only_item(toy('t = "Verb[Sing/Plur]"')).conditions["right"]
    assert [(each.region, each.words) for each in sentence] == [
        ("prefix", ()), ("target", ("v0t",)), ("rest", ()),
    ]  # fmt: skip


def test_a_clitic_and_what_it_leans_on_are_one_token_of_one_region() -> None:
    text = (
        HEAD
        + '[sentences]\nt = "Noun[n]:nsubj Verb[n] (And:cc Verb[n!]):conj"\n[suite]\n[lexicon]\n'
        'And = { upos = "CCONJ", entries = ["u"], glue = "clitic" }\n'
        'Noun = { upos = "NOUN", paradigm = "noun", entries = ["n"] }\n'
        'Verb = { upos = "VERB", paradigm = "verb", entries = ["v"] }\n'
    )
    (sentence,) = next(grammar_items(parse_grammar(text, "toy.toml"))).conditions["right"]
    assert [(each.region, each.words) for each in sentence] == [
        ("prefix", ("n", "vt")), ("target", ("uvt",)), ("rest", ()),
    ]  # fmt: skip


def test_marked_words_of_one_letter_change_together() -> None:
    item = only_item(toy('t = "Noun[n]:nsubj Verb[n!] (Adv:cc Verb[n!]):conj"'))
    assert texts(item) == (("n0 v0t so v1t",), ("n0 v0n so v1n",))


def test_conditions_have_the_values_written_between_strokes() -> None:
    rule = "(Noun[n/n/-n] Other[n/-n/n]:nmod):nsubj Verb[n]{verb}"
    design = (
        'conditions = ["base", "far", "near"]\n[suite.predictions]\nx = "(*;%base%) < (*;%near%)"'
    )
    assert texts(only_item(toy(f't = "{rule}"', design))) == (
        ("n0 o0 v0t",), ("n0 o0s v0t",), ("n0s o0 v0t",),
    )  # fmt: skip


def test_a_row_is_one_choice_and_its_words_change_together() -> None:
    rule = "(Det#q[right!]:det Noun[Plur] (Low#q[right!]:det Other[Plur]):nmod):nsubj Verb[Plur]"
    design = 'conditions = ["right", "middle", "wrong"]'
    found = toy(f't = "{rule}"', design)
    assert n_items(found) == 2 * 2 * 2 * 2  # rows, nouns, nouns, verbs
    assert {texts(each)[1][0].split()[2] for each in grammar_items(found)} == {"no", "few"}
    assert texts(next(grammar_items(found))) == (
        ("no n0s the o0s v0n",), ("the n0s no o0s v0n",), ("most n0s the o0s v0n",),
    )  # fmt: skip
    for item in grammar_items(found):
        words = [own[0].split() for own in texts(item)]
        assert words[0][0] == words[1][2]  # the licensor, in both its places


def test_a_phrase_that_is_asked_for_what_changes_changes_as_a_whole() -> None:
    text = (
        HEAD
        + """
[sentences]
t = "NP[n/-n]:nsubj Verb[n]{verb}"
[phrases]
NP = "Det[n]:det Noun[n]"
[suite]
[suite.predictions]
x = "(verb;%right%) < (verb;%wrong%)"
[lexicon]
Det = { upos = "DET", entries = [{ lemma = "d", Sing = "dx", Plur = "dy" }] }
Noun = { upos = "NOUN", paradigm = "noun", entries = ["n"] }
Verb = { upos = "VERB", paradigm = "verb", entries = ["v"] }
"""
    )
    assert texts(only_item(parse_grammar(text, "toy.toml"))) == (("dx n vt",), ("dy ns vt",))


def test_a_prediction_is_one_of_the_items_that_have_what_it_speaks_of() -> None:
    design = """
[suite.constructions]
three = { conditions = ["right", "middle", "wrong"] }
[suite.predictions]
pair = "(target;%right%) < (target;%wrong%)"
middle = "(target;%right%) < (target;%middle%)"
"""
    rules = 'two = "Noun[n]:nsubj Verb[n!]"\nthree = "Det[right!]:det Noun[Plur]"'
    found = toy(rules, design)
    names = {
        item.facts["construction"]: [each.name for each in predictions_of(found, item)]
        for item in grammar_items(found)
    }
    assert names == {"two": ["pair"], "three": ["pair", "middle"]}
    assert [each.name for each in predictions_of(found)] == ["pair"]


def test_without_predictions_a_suite_has_those_of_pairs() -> None:
    found = toy('t = "Noun[n]:nsubj Verb[n!]"')
    assert [(each.name, each.source) for each in predictions_of(found)] == [
        ("agreement", "(target;%right%) < (target;%wrong%)"),
        ("full", "(*;%right%) < (*;%wrong%)"),
    ]


def test_a_final_stop_is_a_word_of_the_tree_where_the_template_has_none() -> None:
    text = (
        HEAD.replace("[features]", 'stop = "!"\n[features]', 1)
        + '[sentences]\none = "Verb[Sing]"\ntwo = "Verb[Sing] Stop:punct"\n[lexicon]\n'
        + 'Verb = { upos = "VERB", paradigm = "verb", entries = ["v"] }\n'
        + 'Stop = { upos = "PUNCT", entries = ["."], glue = "left" }\n'
    )
    own, given = derivations(parse_grammar(text, "toy.toml"))
    assert [text_of(each) for each in (own, given)] == ["vt!", "vt."]
    ((_, *stop),) = (row[2:8] for row in rows_of(own)[1:])
    assert (stop[0], stop[3:]) == ("PUNCT", ["1", "punct"])
