"""Component oracle: counting, order and samples of template grammars, against all that could be
tried."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce import (
    Derivation,
    Grammar,
    derivations,
    n_derivations,
    parse_grammar,
)
from colorless_green.nonce.grammar.grammar import Shape, arrangements, unranked
from colorless_green.nonce.grammar.grammar_file import LexicalEntry
from tests.builders import few_examples
from tests.nonce.grammars import rows_of, texts

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
PHRASES = 'NP = ["Noun", "Adj[n g]:amod Noun[n g]", "Noun[Plur g] Noun[g]:conj"]'


def grammar(sentences: str, lexicon: str, phrases: str = "") -> Grammar:
    text = f"{HEAD}[phrases]\n{phrases}\n[sentences]\n{sentences}\n[lexicon]\n{lexicon}\n"
    return parse_grammar(text, "toy.toml")


def words(name: str, *stems: str, repeat: bool = True, paradigm: str = "both") -> str:
    entries = ", ".join(f'{{ stems = "{stem}", paradigm = "{paradigm}" }}' for stem in stems)
    return f'{name} = {{ upos = "X", repeat = {str(repeat).lower()}, entries = [{entries}] }}\n'


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


def made(found: Iterable[Derivation]) -> list[tuple[object, ...]]:
    """Template and CoNLL-U rows of derivations; several may have the same."""
    return [(each.shape.template, *map(tuple, rows_of(each))) for each in found]


@pytest.mark.slow
@few_examples
@given(grammars(), st.integers(0, 5))
def test_a_whole_sample_is_every_derivation_once(toy: Grammar, seed: int) -> None:
    found = Counter(made(derivations(toy)))
    assert found.total() == n_derivations(toy)
    assert Counter(made(derivations(toy, n=n_derivations(toy), seed=seed))) == found


def test_the_order_is_rules_then_values_then_words() -> None:
    toy = grammar(
        'one = "Noun[n]:nsubj Verb[n]"\ntwo = "Verb Stop?:punct"',
        words("Noun", "cat", "dog") + words("Verb", "run") + words("Stop", "x", paradigm="both"),
    )
    assert texts(derivations(toy)) == [
        "cat run", "dog run", "cats runs", "dogs runs",
        "run x", "run xs", "runs x", "runs xs", "run", "runs",
    ]  # fmt: skip


def test_words_of_a_list_without_repeats_differ_and_are_counted_so() -> None:
    toy = grammar('one = "Verb:dep Verb:dep Verb"', words("Verb", *"abcd", repeat=False))
    assert n_derivations(toy) == 4 * 3 * 2 * 2**3
    assert all(len({row[2] for row in rows_of(each)}) == 3 for each in derivations(toy))


def test_counting_does_not_generate_and_large_numbers_are_not_rounded() -> None:
    verbs = [f"v{n}x" for n in range(40)]
    toy = grammar(f'one = "{"Verb:dep " * 11}Verb"', words("Verb", *verbs))
    assert n_derivations(toy) == 80**12
    found = [each.split() for each in texts(derivations(toy, n=600, seed=0))]
    for place in (0, 5, 11):
        assert {own[place] for own in found} == {f"{v}{end}" for v in verbs for end in ("", "s")}


def test_without_weights_every_derivation_is_equally_likely() -> None:
    toy = grammar(
        'one = "Verb"\ntwo = "Verb:dep Noun"', words("Noun", "x") + words("Verb", "a", "b")
    )
    first = Counter(texts(derivations(toy, n=1, seed=seed))[0] for seed in range(2_400))
    assert len(first) == n_derivations(toy) == 12
    assert all(140 < n < 260 for n in first.values())  # 200 ± 14 (one sd) each


def test_every_order_is_equally_likely() -> None:
    toy = grammar('one = "Verb[Sing]"', words("Verb", *"abc"))
    orders = Counter(tuple(texts(derivations(toy, n=3, seed=seed))) for seed in range(1_200))
    assert set(orders) == set(permutations("abc"))
    assert all(150 < n < 250 for n in orders.values())  # 200 ± 13 (one sd) each


def test_weights_share_out_templates_whatever_their_sizes() -> None:
    toy = grammar(
        'one = "Verb @3"\ntwo = "Noun:dep Verb @1"',
        words("Noun", *"pqrs") + words("Verb", *[f"v{n}" for n in range(500)]),
    )
    found = Counter(each.shape.template for each in derivations(toy, n=800, seed=0))
    assert 560 < found["one"] < 640  # 600 ± 12


def test_weights_share_out_the_alternatives_of_a_phrase() -> None:
    toy = grammar(
        'one = "(Noun[Sing] @4 | Noun[Plur] @1):dep Verb"',
        words("Noun", *[f"n{n}" for n in range(900)]) + words("Verb", "v"),
    )
    assert [shape.weight for shape in toy.shapes] == pytest.approx([0.8, 0.2])
    singular = sum(each.shape is toy.shapes[0] for each in derivations(toy, n=500, seed=0))
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


def test_what_a_phrase_is_asked_is_asked_of_its_head() -> None:
    toy = grammar(
        'one = "NP[n]:nsubj Verb[n]"',
        words("Noun", "x") + words("Verb", "v"),
        'NP = ["Noun", "Noun[Plur] Noun[Sing]:conj"]',
    )
    assert texts(derivations(toy)) == ["x v", "xs vs", "xs x vs"]


def key(each: Derivation) -> tuple[object, ...]:
    """Return what tells one derivation from another."""
    return (each.shape.number, each.values, each.entries)


@pytest.mark.slow
@few_examples
@given(grammars())
def test_the_derivations_are_those_that_trying_every_word_in_every_slot_finds(
    toy: Grammar,
) -> None:
    made = [key(each) for each in derivations(toy)]
    assert len(made) == len(set(made)) == n_derivations(toy)
    assert set(made) == {
        (shape.number, values, entries)
        for shape in toy.shapes
        for values in product(*shape.domains)
        for entries in product(*(slot.words.entries for slot in shape.slots))
        if allowed(shape, values, entries)
    }


def allowed(shape: Shape, values: tuple[str, ...], entries: tuple[LexicalEntry, ...]) -> bool:
    """Whether these words can stand in these slots: each by itself, and no forbidden repeat."""
    once = [e for e, slot in zip(entries, shape.slots, strict=True) if not slot.words.repeat]
    if len(set(once)) < len(once):
        return False
    for entry, slot in zip(entries, shape.slots, strict=True):
        asked = slot.values(values)
        if any(f in asked and asked[f] not in only for f, only in entry.only.items()):
            return False
        if tuple(asked[feature] for feature in entry.varies) not in entry.forms:
            return False
    return True


@given(grammars())
def test_the_derivation_at_a_rank_is_the_one_at_that_place_of_the_order(toy: Grammar) -> None:
    ranked = (unranked(toy, rank) for rank in range(n_derivations(toy)))
    for one, other in islice(zip(ranked, derivations(toy), strict=True), 300):
        assert key(one) == key(other)


@given(st.lists(st.frozensets(st.integers(0, 5), max_size=5), max_size=5))
def test_arrangements_are_the_choices_of_different_members(sets: list[frozenset[int]]) -> None:
    tried = sum(len(set(chosen)) == len(chosen) for chosen in product(*sets))
    assert arrangements(tuple(sets)) == tried
