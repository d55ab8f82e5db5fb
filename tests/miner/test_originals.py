"""Instances to originals or rejections, attractors, repair, and the published English set."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.miner.attractors import attractors
from colorless_green.miner.features import letter_class, with_value
from colorless_green.miner.mine import Mining, Request, mine, rule_named
from colorless_green.miner.repair import english_present
from colorless_green.miner.treebank import treebank
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats import tab
from colorless_green.nonce.mined import suite_of
from tests.builders import conllu, shared, write_conllu

SINGULAR, PLURAL = "Number=Sing|Tense=Pres", "Number=Plur|Tense=Pres"


def subject_verb(cue: str, target: str, lemma: str, value: str, number: int) -> str:
    """cue … target with three words between, in a VERB whose lemma is given."""
    feats = f"Number={value}|Tense=Pres"
    block = conllu(
        f"{cue}/NOUN/{value}/5",
        "x/ADP/-/5",
        "x/ADP/-/5",
        "x/ADP/-/5",
        f"{target}/VERB/{feats}/0",
        sent_id=f"s{number}",
    )
    return block.replace(f"\t{target.lower()}\tVERB", f"\t{lemma}\tVERB")


def mined(
    path: Path,
    rule: str,
    targets: dict[str, tuple[str, str]],
    vocabulary: frozenset[str] | None = None,
) -> Mining:
    """Ten sentences for each target: form → (lemma, value)."""
    blocks: list[str] = []
    for form, (lemma, value) in targets.items():
        for _ in range(10):
            blocks.append(subject_verb(f"c{value}", form, lemma, value, len(blocks)))
    source = treebank([write_conllu(path / "xx-ud-train.conllu", *blocks)])
    return mine(source, Request(rule), vocabulary=vocabulary)


@pytest.mark.parametrize(
    ("singular", "plural", "released", "strict"),
    [
        ("is", "are", True, True),
        ("has", "have", True, True),
        ("è", "sono", False, True),
        ("Has", "have", False, True),
    ],
)
def test_a_partner_must_begin_alike_under_released(
    tmp_path: Path, singular: str, plural: str, released: bool, strict: bool
) -> None:
    targets = {singular: ("be", "Sing"), plural: ("be", "Plur")}
    assert bool(mined(tmp_path, "released", targets).originals) is released
    assert bool(mined(tmp_path, "strict", targets).originals) is strict


def test_equal_forms_are_flagged_by_released_and_rejected_by_strict(tmp_path: Path) -> None:
    blocks = [
        subject_verb(f"c{value}", "put", "put", value, number)
        for number, value in enumerate(["Sing"] * 10 + ["Plur"] * 10)
    ]
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *blocks)])
    released = mine(source, Request("released"))
    assert all("equal_forms" in each.flags for each in released.originals)
    assert len(released.originals) == 20
    strict = mine(source, Request("strict"))
    assert strict.originals == ()
    assert Counter(each.reason for each in strict.rejections) == {
        "equal forms: put with Number=Plur too": 10,
        "equal forms: put with Number=Sing too": 10,
    }


def test_the_most_frequent_form_is_the_partner_and_the_first_of_equals(tmp_path: Path) -> None:
    targets = {"goes": ("go", "Sing"), "gang": ("go", "Plur"), "go": ("go", "Plur")}
    mining = mined(tmp_path, "released", targets)
    assert {each.wrong for each in mining.originals if each.value == "Sing"} == {"gang"}


def test_every_reason_for_a_rejection_is_told(tmp_path: Path) -> None:
    targets = {
        "goes": ("go", "Sing"),
        "go": ("go", "Plur"),
        "comes": ("come", "Sing"),
        "wins": ("win", "Sing"),
        "win": ("win", "Plur"),
    }
    vocabulary = frozenset(["cSing", "cPlur", "x", "goes", "go", "comes", "wins"])
    mining = mined(tmp_path, "released", targets, vocabulary)
    assert Counter(each.reason for each in mining.rejections) == {
        "no paradigm: come with Number=Plur": 10,
        "the other form is out of vocabulary: win": 10,
        "out of vocabulary: win": 10,
    }


def test_a_word_without_a_lemma_has_no_paradigm(tmp_path: Path) -> None:
    targets = {"goes": ("_", "Sing"), "go": ("_", "Plur")}
    mining = mined(tmp_path, "released", targets)
    assert mining.originals == ()
    assert {each.reason.partition(":")[0] for each in mining.rejections} == {"no paradigm"}


def test_a_noun_of_the_other_number_between_cue_and_target_is_an_attractor() -> None:
    upos = ("NOUN", "ADP", "DET", "NOUN", "AUX")
    feats = ("Number=Plur", "_", "Definite=Def", "Number=Sing", "Number=Plur")
    found = attractors(upos, feats, 0, 4, "Number", cue_upos="NOUN", value="Plur")
    assert found == (3,)


@pytest.mark.parametrize("between", ["Number=Plur", "_", "Number[psor]=Sing"])
def test_a_word_of_the_same_number_or_none_is_no_attractor(between: str) -> None:
    upos, feats = ("NOUN", "NOUN", "VERB"), ("Number=Plur", between, "Number=Plur")
    assert attractors(upos, feats, 0, 2, "Number", cue_upos="NOUN", value="Plur") == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mood=Ind|Tense=Pres|VerbForm=Fin", "Mood=Ind|Number=Plur|Tense=Pres|VerbForm=Fin"),
        (
            "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
            "Mood=Ind|Number=Sing|Tense=Pres|VerbForm=Fin",
        ),
        ("Number=Sing|Person=1|PronType=Prs", "Number=Sing|Person=1|PronType=Prs"),
        ("Number=Plur|Tense=Pres|VerbForm=Fin", "Number=Plur|Tense=Pres|VerbForm=Fin"),
        ("Tense=Past|VerbForm=Fin", "Tense=Past|VerbForm=Fin"),
        ("_", "_"),
    ],
)
def test_the_english_repair_does_what_it_says_and_does_it_once(before: str, after: str) -> None:
    assert english_present(before) == after
    assert english_present(after) == after


def test_a_value_is_set_by_the_exact_name() -> None:
    feats = "Case=Nom|Number[psor]=Plur|Number=Plur"
    assert with_value(feats, "Number", "Sing") == "Case=Nom|Number=Sing|Number[psor]=Plur"


@pytest.mark.parametrize(
    ("form", "expected"),
    [("apple", (False, True)), ("Yes", (True, False)), ("è", (False, True)), ("é", (False, False))],
)
def test_the_class_of_a_form_is_that_of_the_scripts(form: str, expected: tuple[bool, bool]) -> None:
    assert letter_class(form) == expected


def test_an_unknown_rule_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError) as caught:
        rule_named("lenient")
    assert str(caught.value) == "--rule: no such name 'lenient'; one of released, strict, tested"


EWT = ("treebanks", "UD_English-EWT-r2.0")


@pytest.fixture(scope="module")
def english() -> Mining:
    source = treebank([shared(*EWT, "en-ud-train.conllu.gz")])
    return mine(source, Request("released"), vocabulary=fifty_thousand())


def fifty_thousand() -> frozenset[str]:
    return read_vocabulary(shared("vocabularies", "english-wikipedia-50k.txt"))


@pytest.mark.shared
def test_the_stages_of_the_published_english_set(english: Mining) -> None:
    stages = english.stages  # mining facts §1.3
    assert english.repair == "ewt-2.0"
    assert (stages.n_arcs, stages.n_near, stages.n_kept) == (192_042, 40_701, 40_139)
    assert (stages.n_with_feature, stages.n_keys) == (7_600, 3_239)
    assert Counter(each.construction for each in english.originals) == {
        "L__NOUN_VERB_VERB": 25,
        "R__VERB_NOUN_CCONJ_VERB": 16,
    }


@pytest.mark.shared
def test_the_published_english_originals_are_ours_in_their_order(english: Mining) -> None:
    ours = [item for item in suite_of(english).items if item.agreement]
    path = shared("published", "colorless", "agreement", "English", "generated.tab")
    theirs = [item for item in tab.read(path).items if item.kind == "original"]
    assert [_identity(item) for item in ours] == sorted(_identity(item) for item in theirs)


def _identity(item: object) -> tuple[object, ...]:
    agreement = item.agreement  # type: ignore[attr-defined]
    return (
        agreement.construction,
        agreement.number,
        agreement.tokens,
        agreement.cue_index,
        agreement.target_index,
        agreement.right,
        agreement.wrong,
        agreement.value,
        item.facts["n_attr"],  # type: ignore[attr-defined]
    )


@pytest.mark.shared
def test_train_and_dev_as_one_treebank_give_29_and_18() -> None:
    source = treebank([shared(*EWT, f"en-ud-{part}.conllu.gz") for part in ("train", "dev")])
    mining = mine(source, Request("released"), vocabulary=fifty_thousand())
    assert Counter(each.construction for each in mining.originals) == {
        "L__NOUN_VERB_VERB": 29,
        "R__VERB_NOUN_CCONJ_VERB": 18,
    }


@pytest.mark.shared
def test_the_papers_words_give_nothing_on_its_own_treebank() -> None:
    source = treebank([shared(*EWT, "en-ud-train.conllu.gz")])
    mining = mine(source, Request("strict"), vocabulary=fifty_thousand())
    reasons = {each.name: each.reason for each in mining.constructions}
    assert reasons["X__NOUN_VERB_VERB"] == "1 do not agree"
    assert reasons["X__VERB_NOUN_CCONJ_VERB"] == (
        "1 do not agree; 14 with Plur, 9 with Sing, needs 10 of two values"
    )
    assert not any(each.accepted for each in mining.constructions)


# Mining facts §4.1: construction → (instances of Plur, of Sing, originals) under each rule.
RELEASED: dict[str, dict[str, tuple[int, int, int]]] = {
    "UD_Afrikaans-AfriBooms": {},
    "UD_French-Sequoia": {
        "L__NOUN_ADJ_AUX_AUX_VERB": (6, 7, 7),
        "R__VERB_NOUN_CCONJ_VERB": (7, 8, 6),
        "L__NOUN_ADJ_NOUN_VERB": (6, 13, 10),
    },
    "UD_Greek-GDT": {
        "R__NOUN_NOUN_CCONJ_NOUN": (6, 7, 2),
        "L__NOUN_VERB_VERB": (10, 10, 11),
        "R__VERB_NOUN_CCONJ_AUX_VERB": (13, 10, 6),
        "L__ADJ_ADJ_NOUN": (7, 8, 8),
        "L__DET_ADJ_NOUN": (10, 16, 9),
    },
    "UD_Czech-CLTT": {},
    "UD_Latvian-LVTB-r2.0": {"L__ADJ_NOUN_NOUN": (7, 18, 3)},
    "UD_Latin-UDante": {"L__PRON_VERB_VERB": (7, 11, 9)},
    "UD_Turkish-IMST": {},
    "UD_Welsh-CCG": {},
    "UD_Lithuanian-ALKSNIS-r2.4": {
        "L__ADJ_NOUN_NOUN": (11, 11, 4),
        "R__VERB_NOUN_PUNCT_VERB": (6, 9, 1),
    },
    "UD_Portuguese-Bosque": {
        "R__NOUN_NOUN_PUNCT_VERB": (15, 21, 20),
        "L__PRON_VERB_VERB": (7, 9, 11),
        "R__NOUN_ADJ_PUNCT_PRON_VERB": (7, 12, 9),
        "L__NOUN_NOUN_AUX_ADJ": (6, 21, 8),
        "L__NOUN_ADJ_PROPN_VERB": (7, 22, 20),
        "L__NOUN_PROPN_ADV_VERB": (8, 16, 10),
        "R__ADJ_ADJ_CCONJ_ADJ": (7, 12, 8),
        "R__NOUN_NOUN_VERB": (7, 22, 20),
        "L__NOUN_ADJ_VERB_VERB": (8, 6, 13),
    },
    "UD_English-EWT": {
        "R__VERB_NOUN_CCONJ_VERB": (16, 55, 44),
        "L__NOUN_VERB_VERB": (11, 22, 23),
        "R__VERB_VERB_CCONJ_VERB": (6, 14, 15),
    },
}
KEYS = {
    "UD_Afrikaans-AfriBooms": 252,
    "UD_French-Sequoia": 1_699,
    "UD_Greek-GDT": 1_824,
    "UD_Czech-CLTT": 429,
    "UD_Latvian-LVTB-r2.0": 1_006,
    "UD_Latin-UDante": 2_635,
    "UD_Turkish-IMST": 1_510,
    "UD_Welsh-CCG": 777,
    "UD_Lithuanian-ALKSNIS-r2.4": 887,
    "UD_Portuguese-Bosque": 4_641,
    "UD_English-EWT": 3_831,
    "UD_Italian-ParTUT": 1_520,
}
STRICT: dict[str, dict[str, tuple[int, int]]] = {
    "UD_Greek-GDT": {
        "X__VERB_NOUN_CCONJ_AUX_VERB": (13, 10),
        "X__DET_ADJ_NOUN": (10, 16),
    },
    "UD_Lithuanian-ALKSNIS-r2.4": {"X__ADJ_NOUN_NOUN": (11, 14)},
    "UD_Portuguese-Bosque": {"X__NOUN_ADJ_PROPN_VERB": (11, 24)},
}


def train_file(name: str) -> Path:
    (path,) = shared("treebanks", name).glob("*-ud-train.conllu.gz")
    return path


def accepted(mining: Mining) -> dict[str, tuple[int, int, int]]:
    n_originals = Counter(each.construction for each in mining.originals)
    return {
        each.name: (*_sums(each.table), n_originals[each.name])
        for each in mining.constructions
        if each.accepted
    }


def _sums(table: object) -> tuple[int, int]:
    """Instances by the cue's value, single cases left out (the table's own figures)."""
    cells = {cell: n for cell, n in table.items() if n > 1}  # type: ignore[attr-defined]
    plural, singular = (
        sum(n for (cue, _), n in cells.items() if cue == value) for value in ("Plur", "Sing")
    )
    return plural, singular


@pytest.mark.shared
@pytest.mark.parametrize("name", KEYS)
def test_released_gives_the_tables_figures(name: str) -> None:
    mining = mine(treebank([train_file(name)]), Request("released", repair="none"))
    assert mining.stages.n_keys == KEYS[name]
    if name in RELEASED:
        assert accepted(mining) == RELEASED[name]


@pytest.mark.shared
@pytest.mark.parametrize("name", RELEASED)
def test_strict_gives_the_tables_figures(name: str) -> None:
    mining = mine(treebank([train_file(name)]), Request("strict", repair="none"))
    found = {key: (plural, singular) for key, (plural, singular, _) in accepted(mining).items()}
    assert found == STRICT.get(name, {})


@pytest.mark.shared
def test_a_later_release_needs_no_repair_and_gives_fewer_originals_with_the_vocabulary() -> None:
    source = treebank([train_file("UD_English-EWT")])
    mining = mine(source, Request("released"), vocabulary=fifty_thousand())
    assert mining.repair == "none"
    assert {name: n for name, (_, _, n) in accepted(mining).items()} == {
        "R__VERB_NOUN_CCONJ_VERB": 38,
        "L__NOUN_VERB_VERB": 17,
        "R__VERB_VERB_CCONJ_VERB": 15,
    }


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n_instances"),
    [("UD_Italian-ParTUT", 3_140), ("UD_French-Sequoia", 3_922), ("UD_Turkish-IMST", 2_731)],
)
def test_as_many_instances_as_the_released_program_counts(name: str, n_instances: int) -> None:
    mining = mine(treebank([train_file(name)]), Request("released"))
    assert mining.stages.n_with_feature == n_instances


@pytest.mark.shared
def test_packed_and_plain_files_give_the_same_items(tmp_path: Path) -> None:
    packed = train_file("UD_Greek-GDT")
    plain = tmp_path / packed.name.removesuffix(".gz")
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    suites = [
        suite_of(mine(treebank([path], name="x"), Request("released"))).items
        for path in (packed, plain)
    ]
    assert [item.item_id for item in suites[0]] == [item.item_id for item in suites[1]]
