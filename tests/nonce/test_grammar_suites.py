"""What controlled suites need: counts, cells and wrong members, on Marvin & Linzen's templates.

Counts are those of the 22 files of LM_syneval, EMNLP2018/templates (Marvin & Linzen 2018); the
words here are made up, only the lengths of the lists are theirs.
"""

from collections import Counter

import pytest

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.expand import count, enumerate_
from colorless_green.nonce.grammar.language import Derivation, Grammar, cell, contrasts
from colorless_green.nonce.grammar.load import parse_grammar
from colorless_green.nonce.grammar.surface import realised, sentence_text

HEAD = """
name = "suite"
language = "en"
capital = false
[features]
Number = ["Sing", "Plur"]
[selection]
Licence = ["good", "intrusive", "bad"]
[indices]
a = "Number"
b = "Number"
c = "Licence"
[paradigms]
noun = { Sing = "~", Plur = "~s" }
verb = { Sing = "~s", Plur = "~" }
"""
NOUNS = {"MS": 10, "ES": 10, "IS": 10, "NS": 9, "BS": 2}
VERBS = {"MV": 7, "IV": 7, "EV": 4, "LMV": 5}
OTHERS = {"D": 1, "P": 6, "IP": 2, "BV": 3, "RMV": 7, "That": 1, "And": 1, "Will": 6, "WillI": 8}
CONDITIONS = {  # template, items, members of an item
    "simple_agrmt": ("D:det MS[a]:nsubj MV[a!]", 140, 2),
    "sent_comp": ("D:det BS[b]:nsubj BV (D:det MS[a]:nsubj MV[a!]):ccomp", 1_680, 2),
    "vp_coord": ("D:det MS[a]:nsubj MV[a] (And:cc MV[a!]):conj", 840, 2),
    "long_vp_coord": ("D:det MS[a]:nsubj LMV[a] (And:cc LMV[a!]):conj", 400, 2),
    "prep_anim": ("(D:det MS[a] (P:case D:det ES[b]):nmod):nsubj MV[a!]", 16_800, 2),
    "prep_inanim": ("(D:det IS[a] (IP:case D:det ES[b]):nmod):nsubj IV[a!]", 5_600, 2),
    "subj_rel": (
        "(D:det MS[a] (That:nsubj EV[a] (D:det ES[b]):obj):acl):nsubj MV[a!]", 11_200, 2,
    ),
    "obj_rel_across": (
        "(D:det MS[a] (That:obj (D:det ES[b]):nsubj EV[b]):acl):nsubj MV[a!]", 11_200, 2,
    ),
    "obj_rel_within": (
        "(D:det MS[b] (That:obj (D:det ES[a]):nsubj EV[a!]):acl):nsubj MV[b]", 11_200, 2,
    ),
    "simple_reflexives": ("D:det MS[a]:nsubj RMV ANPHR[a!]:obj", 280, 2),
    "reflexive_sent_comp": (
        "D:det BS[b]:nsubj BV (D:det MS[a]:nsubj RMV ANPHR[a!]:obj):ccomp", 3_360, 2,
    ),
    "reflexives_across": (
        "(D:det MS[a] (That:nsubj EV[a] (D:det ES[b]):obj):acl):nsubj RMV ANPHR[a!]:obj",
        22_400, 2,
    ),
    "simple_npi_anim": ("(Q[good!]:det MS[Plur]):nsubj Will", 120, 3),
    "simple_npi_inanim": ("(Q[good!]:det NS[Plur]):nsubj WillI", 144, 3),
    "npi_across_anim": (
        "(Q[good!]:det MS[Plur] (That:obj (D:det ES[Plur]):nsubj EV[Plur]):acl):nsubj Will",
        4_800, 3,
    ),
}  # fmt: skip


def lists(sizes: dict[str, int], upos: str, paradigm: str) -> str:
    return "".join(
        f'{name} = {{ upos = "{upos}", repeat = false, {paradigm} entries = '
        f'[{{ stems = "{" ".join(f"{name.lower()}{n}" for n in range(size))}" }}] }}\n'
        for name, size in sizes.items()
    )


LEXICON = (
    lists(NOUNS, "NOUN", 'paradigm = "noun",')
    + lists(VERBS, "VERB", 'paradigm = "verb",')
    + lists(OTHERS, "X", "").replace("repeat = false, ", "")
    + 'ANPHR = { upos = "PRON", entries = [{ lemma = "he", Sing = "himself", Plur = "themselves" },'
    + ' { lemma = "she", Sing = "herself", Plur = "themselves" }] }\n'
    + 'Q = { upos = "DET", entries = ['
    + '{ lemma = "no", good = "no", intrusive = "the", bad = "most" }, '
    + '{ lemma = "few", good = "few", intrusive = "the", bad = "many" }] }\n'
)


def suite(template: str, lexicon: str = LEXICON) -> Grammar:
    text = f'{HEAD}\n[sentences]\nt = "{template}"\n[lexicon]\n{lexicon}'
    return parse_grammar(text, "suite.toml")


def text(derivation: Derivation) -> str:
    return sentence_text(realised(derivation))


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_templates_have_as_many_items_as_the_published_files(name: str) -> None:
    template, n_items, n_members = CONDITIONS[name]
    grammar = suite(template)
    assert count(grammar) == n_items
    assert 1 + len(contrasts(next(enumerate_(grammar)))) == n_members


def test_the_wrong_member_differs_in_the_marked_word_alone() -> None:
    for right in enumerate_(suite(CONDITIONS["vp_coord"][0])):
        (wrong,) = contrasts(right)
        pairs = zip(realised(right).words, realised(wrong).words, strict=True)
        changed = [index for index, (one, other) in enumerate(pairs) if one != other]
        assert changed == [4]
        marked = [word.marked for word in realised(right).words]
        assert marked == [False, False, False, False, True]


def test_a_triple_takes_the_row_of_a_parallel_list_once() -> None:
    first = next(enumerate_(suite(CONDITIONS["simple_npi_anim"][0])))
    members = [text(each) for each in (first, *contrasts(first))]
    assert members == ["no ms0s will0", "the ms0s will0", "most ms0s will0"]


def test_marked_words_of_one_index_flip_together() -> None:
    first = next(enumerate_(suite("D:det MS[a]:nsubj MV[a!] (And:cc MV[a!]):conj")))
    assert [text(each) for each in (first, *contrasts(first))] == [
        "d0 ms0 mv0s and0 mv1s",
        "d0 ms0 mv0 and0 mv1",
    ]


def test_a_cell_is_the_values_of_the_templates_own_letters() -> None:
    cells = Counter(
        tuple(sorted(cell(each).items())) for each in enumerate_(suite(CONDITIONS["subj_rel"][0]))
    )
    assert set(cells.values()) == {2_800}  # of equal size, as in the published files
    assert (("a", "Sing"), ("b", "Plur")) in cells


def test_a_template_without_marks_has_no_wrong_member() -> None:
    assert contrasts(next(enumerate_(suite("D:det MS[a]:nsubj MV[a]")))) == ()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "D:det MS[a!]:nsubj MV[b!]",
            "marks words of different indices with !; one index: the marked words flip together",
        ),
        (
            "Only[a!]:nsubj MV[a]",
            "marks 'only' with !; words that have a form for every value of Number",
        ),
    ],
)
def test_a_mark_that_cannot_flip_is_an_error(template: str, message: str) -> None:
    lexicon = LEXICON + 'Only = { upos = "X", entries = [{ lemma = "only", Number = "Sing" }] }\n'
    with pytest.raises(InputError) as error:
        suite(template, lexicon)
    assert str(error.value) == f"suite.toml:18: the template 't' {message}"
