"""Counting, order, ranks and samples of template grammars."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.seeds import generator
from colorless_green.nonce.grammar.count import arrangements
from colorless_green.nonce.grammar.expand import (
    below,
    count,
    derivation,
    enumerate_,
    permuted,
    sample,
)
from colorless_green.nonce.grammar.language import Derivation, Entry, Grammar, Shape
from colorless_green.nonce.grammar.load import parse_grammar
from colorless_green.nonce.grammar.surface import realised, sentence_text

HEAD = """
name = "toy"
language = "xx"
capital = false
[features]
Number = ["Sing", "Plur"]
Gender = ["Masc", "Fem"]
[indices]
n = "Number"
m = "Number"
g = "Gender"
[paradigms]
both = { Sing = "~", Plur = "~s" }
four = { "Masc Sing" = "~o", "Fem Sing" = "~a", "Masc Plur" = "~i", "Fem Plur" = "~e" }
"""
TEMPLATES = (
    "Noun[n]:nsubj Verb[n]",
    "Noun:obj Verb",
    "Det[n]:det Noun[n]",
    "(Noun[n] (Noun[m]):nmod):nsubj Verb[n]",
    "(Adj[n g]?:amod Noun[n g]):nsubj Verb[n] (Noun | Noun[Plur]):obj",
    "NP[n g]:nsubj NP:obj Verb[n]",
    "Noun:nsubj Noun:obj Noun:iobj Verb",
    "NP[Fem]:nsubj Verb",
)
PHRASES = 'NP = ["Noun", "Adj[n g]:amod Noun[n g]", "[Plur] Noun[Sing g] Noun[g]:conj"]'


def grammar(sentences: str, lexicon: str, phrases: str = "") -> Grammar:
    text = f"{HEAD}[phrases]\n{phrases}\n[sentences]\n{sentences}\n[lexicon]\n{lexicon}\n"
    return parse_grammar(text, "toy.toml")


def words(name: str, *stems: str, repeat: bool = True, paradigm: str = "both") -> str:
    entries = ", ".join(f'{{ stems = "{stem}", paradigm = "{paradigm}" }}' for stem in stems)
    return f'{name} = {{ upos = "X", repeat = {str(repeat).lower()}, entries = [{entries}] }}\n'


def texts(derivations: Iterator[Derivation]) -> list[str]:
    return [sentence_text(realised(each)) for each in derivations]


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Small grammars: templates of `TEMPLATES`, lists of one to four words, any restriction."""
    chosen = draw(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=3, unique=True))
    weights = draw(st.sampled_from(["", " @2"]))
    nouns = [
        f'{{ lemma = "n{number}", Gender = "{gender}", {forms} }}'
        for number, (gender, forms) in enumerate(
            draw(
                st.lists(
                    st.tuples(
                        st.sampled_from(["Masc", "Fem"]),
                        st.sampled_from(['Sing = "x", Plur = "xs"', 'Plur = "xs"', 'Sing = "x"']),
                    ),
                    max_size=3,
                )
            )
        )
    ]
    nouns += ['{ lemma = "f", Gender = "Fem", Sing = "f", Plur = "fs" }']
    nouns += ['{ lemma = "e", Gender = "Fem", Sing = "e", Plur = "es" }']
    nouns += ['{ lemma = "o", Gender = "Fem", Sing = "o", Plur = "os" }']
    repeat = str(draw(st.booleans())).lower()
    lexicon = (
        f'Noun = {{ upos = "NOUN", repeat = {repeat}, entries = [{", ".join(nouns)}] }}\n'
        + words("Verb", *[f"v{n}" for n in range(draw(st.integers(1, 3)))])
        + words("Adj", *[f"a{n}" for n in range(draw(st.integers(1, 2)))], paradigm="four")
        + 'Det = { upos = "DET", entries = ["the", { lemma = "a", with = "Sing" }] }\n'
    )
    rules = "\n".join(f'"t{n}" = "{rule}{weights}"' for n, rule in enumerate(chosen))
    return grammar(rules, lexicon, PHRASES)


def place(each: Derivation) -> tuple[object, ...]:
    """What tells one derivation from another."""
    shape = next(n for n, one in enumerate(each.grammar.shapes) if one is each.shape)
    return (shape, each.values, each.entries)


@given(grammars())
def test_the_count_is_the_number_of_derivations_and_none_comes_twice(toy: Grammar) -> None:
    found = [place(each) for each in enumerate_(toy)]
    assert len(found) == len(set(found)) == count(toy)


@settings(max_examples=25)
@given(grammars())
def test_the_derivations_are_those_that_trying_every_word_in_every_slot_finds(
    toy: Grammar,
) -> None:
    made = {(id(each.shape), each.values, each.entries) for each in enumerate_(toy)}
    assert made == {
        (id(shape), values, entries)
        for shape in toy.shapes
        for values in product(*(toy.features[feature] for feature in shape.variables))
        for entries in product(*(slot.words.entries for slot in shape.slots))
        if allowed(shape, values, entries)
    }


def allowed(shape: Shape, values: tuple[str, ...], entries: tuple[Entry, ...]) -> bool:
    """Whether these words can stand in these slots: each by itself, and no forbidden repeat."""
    once = [e for e, slot in zip(entries, shape.slots, strict=True) if not slot.words.repeat]
    if len(set(once)) < len(once):
        return False
    for entry, slot in zip(entries, shape.slots, strict=True):
        asked = {f: values[term] if isinstance(term, int) else term for f, term in slot.terms}
        if any(f in asked and asked[f] not in only for f, only in entry.only.items()):
            return False
        if tuple(asked[feature] for feature in entry.varies) not in entry.forms:
            return False
    return True


@given(grammars())
def test_the_derivation_at_a_rank_is_the_one_at_that_place_of_the_order(toy: Grammar) -> None:
    for rank, each in enumerate(islice(enumerate_(toy), 300)):
        assert place(derivation(toy, rank)) == place(each)


@given(grammars(), st.integers(0, 5))
def test_a_whole_sample_is_every_derivation_once(toy: Grammar, seed: int) -> None:
    found = [place(each) for each in sample(toy, count(toy), seed)]
    assert len(set(found)) == len(found) == count(toy)


@given(grammars(), st.integers(0, 5))
def test_a_sample_begins_with_the_smaller_sample_of_the_same_seed(toy: Grammar, seed: int) -> None:
    n = min(12, count(toy))
    larger = [place(each) for each in sample(toy, n, seed)]
    assert [place(each) for each in sample(toy, n // 2, seed)] == larger[: n // 2]


@given(st.lists(st.frozensets(st.integers(0, 5), max_size=5), max_size=5))
def test_arrangements_are_the_choices_of_different_members(sets: list[frozenset[int]]) -> None:
    tried = sum(len(set(chosen)) == len(chosen) for chosen in product(*sets))
    assert arrangements(tuple(sets)) == tried


@given(st.integers(1, 40), st.integers(0, 99))
def test_permuted_gives_every_number_once(size: int, seed: int) -> None:
    assert sorted(permuted(random.Random(seed), size)) == list(range(size))


def test_every_order_is_equally_likely() -> None:
    rng = generator(0, "orders")
    found = Counter(tuple(permuted(rng, 3)) for _ in range(6_000))
    assert set(found) == set(permutations(range(3)))
    assert all(900 < n < 1_100 for n in found.values())  # 1,000 ± 29 (one sd) each


@pytest.mark.parametrize("bound", [1, 7, 2**53 + 1, 10**40])
def test_below_reaches_all_parts_of_its_range(bound: int) -> None:
    rng = generator(1, "below")
    found = [below(rng, bound) for _ in range(2_000)]
    assert all(0 <= each < bound for each in found)
    parts = Counter(each * 7 // bound for each in found)
    assert bound < 7 or all(parts[part] > 200 for part in range(7))  # 286 ± 16 expected


def test_a_number_above_what_one_random_call_can_tell_apart_is_not_rounded() -> None:
    rng = generator(2, "below")
    assert len({below(rng, 10**40) % 2**53 for _ in range(100)}) == 100


def test_the_order_is_rules_then_values_then_words() -> None:
    toy = grammar(
        'one = "Noun[n]:nsubj Verb[n]"\ntwo = "Verb Stop?:punct"',
        words("Noun", "cat", "dog") + words("Verb", "run") + words("Stop", "x", paradigm="both"),
    )
    assert texts(enumerate_(toy)) == [
        "cat run", "dog run", "cats runs", "dogs runs",
        "run x", "run xs", "runs x", "runs xs", "run", "runs",
    ]  # fmt: skip


def test_words_of_a_list_without_repeats_differ_and_are_counted_so() -> None:
    toy = grammar('one = "Verb:dep Verb:dep Verb"', words("Verb", *"abcd", repeat=False))
    assert count(toy) == 4 * 3 * 2 * 2**3
    assert all(len(set(each.entries)) == 3 for each in enumerate_(toy))


def test_counting_does_not_generate() -> None:
    toy = grammar(f'one = "{"Verb:dep " * 30}Verb"', words("Verb", *[f"v{n}" for n in range(40)]))
    assert count(toy) == 80**31
    assert len(texts(sample(toy, 3, 0))) == 3


def test_without_weights_every_derivation_is_equally_likely() -> None:
    toy = grammar(
        'one = "Verb"\ntwo = "Verb:dep Noun"', words("Noun", "x") + words("Verb", "a", "b")
    )
    first = Counter(texts(sample(toy, 1, seed))[0] for seed in range(2_400))
    assert len(first) == count(toy) == 12
    assert all(140 < n < 260 for n in first.values())  # 200 ± 14 (one sd) each


def test_weights_share_out_templates_whatever_their_sizes() -> None:
    toy = grammar(
        'one = "Verb @3"\ntwo = "Noun:dep Verb @1"',
        words("Noun", *"pqrs") + words("Verb", *[f"v{n}" for n in range(500)]),
    )
    found = Counter(each.shape.template for each in sample(toy, 800, 0))
    assert 560 < found["one"] < 640  # 600 ± 12


def test_weights_share_out_the_alternatives_of_a_phrase() -> None:
    toy = grammar(
        'one = "(Noun[Sing] @4 | Noun[Plur] @1):dep Verb"',
        words("Noun", *[f"n{n}" for n in range(900)]) + words("Verb", "v"),
    )
    assert [shape.weight for shape in toy.shapes] == pytest.approx([0.8, 0.2])
    singular = sum(each.shape is toy.shapes[0] for each in sample(toy, 500, 0))
    assert 370 < singular < 430  # 400 ± 9


def test_an_alternative_that_cannot_be_leaves_its_share_to_the_others() -> None:
    toy = grammar(
        'one = "NP[Fem]:dep Verb @1"\ntwo = "Verb @1"',
        words("Verb", *[f"v{n}" for n in range(300)])
        + 'Man = { upos = "X", entries = [{ lemma = "m", Gender = "Masc" }] }\n'
        + 'Woman = { upos = "X", entries = [{ lemma = "w", Gender = "Fem" }] }\n',
        'NP = ["Man @9", "Woman @1"]',
    )
    assert [shape.weight for shape in toy.shapes] == [1.0, 1.0]


def test_a_used_up_alternative_is_drawn_no_more() -> None:
    toy = grammar(
        'one = "Noun @1000"\ntwo = "Verb @1"', words("Noun", "a") + words("Verb", "b", "c")
    )
    assert sorted(texts(sample(toy, 6, 3))) == ["a", "as", "b", "bs", "c", "cs"]


def test_more_sentences_than_there_are_is_an_error_before_the_first() -> None:
    toy = grammar('one = "Verb"', words("Verb", "a"))
    with pytest.raises(InputError) as error:
        sample(toy, 3, 0)
    assert str(error.value) == "toy.toml: 3 sentences of a grammar that has 2; 2 at most"


def test_what_a_phrase_is_asked_is_asked_of_its_head_unless_it_says_otherwise() -> None:
    toy = grammar(
        'one = "NP[n]:nsubj Verb[n]"',
        words("Noun", "x") + words("Verb", "v"),
        'NP = ["Noun", "[Plur] Noun[Sing] Noun[Sing]:conj"]',
    )
    assert texts(enumerate_(toy)) == ["x v", "xs vs", "x x vs"]
