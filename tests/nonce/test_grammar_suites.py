"""What controlled suites need: counts, cells and wrong members, on Marvin & Linzen's templates.

Counts are those of the 22 files of LM_syneval, EMNLP2018/templates (Marvin & Linzen 2018); the
words here are made up, only the lengths of the lists are theirs.
"""

import pytest

from colorless_green.nonce import (
    Grammar,
    Item,
    all_items,
    count,
    counts,
    material,
    n_items,
    parse_grammar,
    sentence_text,
)

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


NAMES = {0: "", 2: 'conditions = ["right", "wrong"]', 3: 'conditions = ["a", "b", "c"]'}


def suite(template: str, n_members: int = 0) -> Grammar:
    text = f'{HEAD}\n[sentences]\nt = "{template}"\n[lexicon]\n{LEXICON}[suite]\n'
    predictions = '[suite.predictions]\nx = "(target;%a%) < (target;%b%)"\n' * (n_members == 3)
    return parse_grammar(text + NAMES[n_members] + "\n" + predictions, "suite.toml")


def members(item: Item) -> list[str]:
    return [sentence_text(wording) for (wording,) in item.conditions.values()]


def first(template: str, n_members: int = 0) -> list[str]:
    return members(next(all_items(material(suite(template, n_members)))))


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_templates_have_as_many_items_as_the_published_files(name: str) -> None:
    template, n, n_members = CONDITIONS[name]
    found = material(suite(template, n_members))
    assert count(found.grammar) == n_items(found) == n
    item = next(all_items(found))
    assert len(set(members(item))) == n_members


def test_the_wrong_member_differs_in_the_marked_word_alone() -> None:
    for item in all_items(material(suite(CONDITIONS["vp_coord"][0]))):
        right, wrong = (each.split() for each in members(item))
        changed = [n for n, pair in enumerate(zip(right, wrong, strict=True)) if len(set(pair)) > 1]
        assert changed == [4]


def test_a_triple_takes_the_row_of_a_parallel_list_once() -> None:
    assert first(CONDITIONS["simple_npi_anim"][0], 3) == [
        "no ms0s will0", "the ms0s will0", "most ms0s will0",
    ]  # fmt: skip


def test_marked_words_of_one_index_flip_together() -> None:
    assert first("D:det MS[a]:nsubj MV[a!] (And:cc MV[a!]):conj") == [
        "d0 ms0 mv0s and0 mv1s", "d0 ms0 mv0 and0 mv1",
    ]  # fmt: skip


def test_a_cell_is_the_values_of_the_templates_own_letters() -> None:
    found = material(suite(CONDITIONS["subj_rel"][0]))
    cells = {row["cell"]: row["n_items"] for row in counts(found)}
    assert cells == {  # of equal size, as in the published files
        f"{one}-{other}": 2_800 for one in ("Sing", "Plur") for other in ("Sing", "Plur")
    }
