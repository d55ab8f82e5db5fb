"""Instances to originals or rejections, attractors, repair, and the published English set."""

from collections import Counter
from pathlib import Path

import pytest

from colorless_green.data import Item, format_named, read_vocabulary
from colorless_green.data.tables import read_tsv
from colorless_green.miner import (
    REPAIRS,
    MinedTreebank,
    Rule,
    mine_treebank,
    suite_of,
    treebank,
)
from tests.builders import relational, shared
from tests.miner.mining import accepted, clauses, mined, pairs_of


@pytest.mark.parametrize(
    ("singular", "plural", "released", "strict"),
    [
        ("is", "are", True, True),
        ("has", "have", True, True),
        ("è", "sono", False, True),
        ("é", "sono", True, True),
        ("Has", "have", False, True),
    ],
)
def test_a_partner_must_begin_alike_under_released(
    tmp_path: Path, singular: str, plural: str, released: bool, strict: bool
) -> None:
    blocks = clauses(10, Sing=(singular, "be"), Plur=(plural, "be"))
    assert bool(mined(tmp_path, "released", *blocks).agreements) is released
    assert bool(mined(tmp_path, "strict", *blocks).agreements) is strict


def test_equal_forms_are_flagged_by_released_and_rejected_by_strict(tmp_path: Path) -> None:
    blocks = clauses(10, Sing=("put", "put"), Plur=("put", "put"))
    released = mined(tmp_path, "released", *blocks)
    assert all("equal_forms" in each.flags for each in released.agreements)
    assert len(released.agreements) == 20
    strict = mined(tmp_path, "strict", *blocks)
    assert strict.agreements == ()
    assert list(Counter(each.reason for each in strict.rejections).values()) == [10, 10]
    assert all("put" in each.reason.lower() for each in strict.rejections)


def test_the_most_frequent_form_is_the_partner_and_the_first_of_equals(tmp_path: Path) -> None:
    blocks = clauses(10, Sing=("goes", "go"), Plur=("gang", "go")) + clauses(10, Plur=("go", "go"))
    pairs = pairs_of(mined(tmp_path, "released", *blocks))
    assert {wrong for right, wrong in pairs if right == "goes"} == {"gang"}


def test_every_reason_for_a_rejection_is_told(tmp_path: Path) -> None:
    """*come* has no other form, that of *wins* is no word, and *win* is none itself."""
    blocks = clauses(10, Sing=("goes", "go"), Plur=("go", "go"))
    blocks += clauses(10, Sing=("comes", "come")) + clauses(10, Sing=("wins", "win"))
    blocks += clauses(10, Plur=("win", "win"))
    words = frozenset(["cSing", "cPlur", "x", "goes", "go", "comes", "wins"])
    mining = mined(tmp_path, "released", *blocks, vocabulary=words)
    assert pairs_of(mining) == {("goes", "go"), ("go", "goes")}
    reasons = Counter((int(each.sent_id.partition("-")[0]) // 10, each.reason)
                      for each in mining.rejections)  # fmt: skip
    assert sorted((tens, n) for (tens, _), n in reasons.items()) == [(2, 10), (3, 10), (4, 10)]
    assert len({reason for _, reason in reasons}) == 3
    assert all(("come" if tens == 2 else "win") in reason.lower() for tens, reason in reasons)


def test_a_word_without_a_lemma_has_no_paradigm(tmp_path: Path) -> None:
    mining = mined(tmp_path, "released", *clauses(10, Sing=("goes", "_"), Plur=("go", "_")))
    assert (len(mining.agreements), len(mining.rejections)) == (0, 20)


@pytest.mark.parametrize(
    ("between", "attracts"),
    [
        ("NOUN/Number=Sing", True),
        ("NOUN/Number=Plur", False),
        ("NOUN/_", False),
        ("NOUN/Number[psor]=Sing", False),
        ("PRON/Number=Sing", False),
    ],
)
def test_a_word_of_the_cues_kind_and_another_number_is_an_attractor(
    tmp_path: Path, between: str, attracts: bool
) -> None:
    own = relational(
        "keys/key/NOUN/Number=Plur/5/nsubj",
        "of/of/ADP/_/4/case",
        "the/the/DET/Definite=Def/4/det",
        f"door/door/{between}/1/nmod",
        "go/go/VERB/Number=Plur/0/root",
        sent_id="own",
    )
    blocks = clauses(20, Sing=("goes", "go"), Plur=("go", "go"))
    mining = mined(tmp_path, "tested", *blocks, own)
    (found,) = (each for each in mining.agreements if each.sent_id.endswith("own"))
    assert found.attractors == ((3,) if attracts else ())


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
    assert REPAIRS["ewt-2.0"](before) == after
    assert REPAIRS["ewt-2.0"](after) == after


EWT = ("treebanks", "UD_English-EWT-r2.0")


@pytest.fixture(scope="module")
def known() -> frozenset[str]:
    return read_vocabulary(shared("vocabularies", "english-wikipedia-50k.txt"))


@pytest.fixture(scope="module")
def english(known: frozenset[str]) -> MinedTreebank:
    source = treebank([shared(*EWT, "en-ud-train.conllu.gz")])
    return mine_treebank(source, Rule(extends="released"), vocabulary=known)


def n_originals(mining: MinedTreebank) -> dict[str, int]:
    return dict(Counter(each.construction for each in mining.agreements))


@pytest.mark.shared
def test_the_stages_of_the_published_english_set(english: MinedTreebank) -> None:
    stages = english.stages  # expected: those of the released program
    assert english.repair == "ewt-2.0"
    assert (stages.n_arcs, stages.n_near, stages.n_kept) == (192_042, 40_701, 40_139)
    assert (stages.n_with_feature, stages.n_keys) == (7_600, 3_239)
    assert n_originals(english) == {"L__NOUN_VERB_VERB": 25, "R__VERB_NOUN_CCONJ_VERB": 16}


@pytest.mark.shared
def test_the_published_english_originals_are_ours_in_their_order(english: MinedTreebank) -> None:
    ours = [item for item in suite_of(english).items if item.agreement]
    path = shared("published", "colorless", "agreement", "English", "generated.tab")
    theirs = [item for item in format_named("tab").read(path).items if item.kind == "original"]
    assert [_identity(item) for item in ours] == sorted(_identity(item) for item in theirs)


def _identity(item: Item) -> tuple[str, int, tuple[object, ...]]:
    found = item.agreement
    assert found is not None
    rest = (found.tokens, found.cue_index, found.target_index, found.right, found.wrong)
    return found.construction, found.number, (*rest, found.value, item.facts["n_attr"])


@pytest.mark.shared
def test_train_and_dev_as_one_treebank_give_29_and_18(known: frozenset[str]) -> None:
    source = treebank([shared(*EWT, f"en-ud-{part}.conllu.gz") for part in ("train", "dev")])
    mining = mine_treebank(source, Rule(extends="released"), vocabulary=known)
    assert n_originals(mining) == {"L__NOUN_VERB_VERB": 29, "R__VERB_NOUN_CCONJ_VERB": 18}


@pytest.mark.shared
def test_the_papers_words_give_nothing_on_its_own_treebank(known: frozenset[str]) -> None:
    source = treebank([shared(*EWT, "en-ud-train.conllu.gz")])
    mining = mine_treebank(source, Rule(extends="strict"), vocabulary=known)
    found = {each.name: each for each in mining.constructions}
    assert accepted(mining) == set()
    subjects, verbs = found["X__NOUN_VERB_VERB"], found["X__VERB_NOUN_CCONJ_VERB"]
    assert [each.n - each.n_agree for each in (subjects, verbs)] == [1, 1]
    assert (verbs.table["Plur", "Plur"], verbs.table["Sing", "Sing"]) == (14, 9)


HERE = Path(__file__).parent
TREEBANKS = {row["treebank"]: row for row in read_tsv(HERE / "treebanks.tsv")}
"""Keys, instances as the released program counts them, and how many
constructions each rule accepts, as far as they are known."""
CONSTRUCTIONS = list(read_tsv(HERE / "constructions.tsv"))
"""The accepted ones: instances of Plur and Sing (single cases left out), originals."""


def train_file(name: str) -> Path:
    (path,) = shared("treebanks", name).glob("*-ud-train.conllu.gz")
    return path


def figures(mining: MinedTreebank) -> list[tuple[str, ...]]:
    """Return constructions with their instances of Plur and Sing, and originals, as strings."""
    originals = n_originals(mining)
    found = []
    for each in mining.constructions:
        if each.accepted:
            cues = Counter[str]()
            for (cue, _), n in each.table.items():
                cues[cue] += n if n > 1 else 0
            counts = (cues["Plur"], cues["Sing"], originals.get(each.name, 0))
            found.append((each.name, *map(str, counts)))
    return sorted(found)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (name, rule)
        for name, row in TREEBANKS.items()
        for rule in ("released", "strict")
        if rule == "released" or row["n_strict"]
    ],
)
def test_a_rule_gives_the_tables_figures(name: str, rule: str) -> None:
    row = TREEBANKS[name]
    mining = mine_treebank(treebank([train_file(name)]), Rule(extends=rule, repair="none"))
    if rule == "released":
        assert str(mining.stages.n_keys) == row["n_keys"]
        assert row["n_instances"] in ("", str(mining.stages.n_with_feature))
    if row[f"n_{rule}"]:
        expected = sorted(
            (each["construction"], each["n_plur"], each["n_sing"], each["n_originals"])
            for each in CONSTRUCTIONS
            if (each["treebank"], each["rule"]) == (name, rule)
        )
        assert str(len(expected)) == row[f"n_{rule}"]
        n_told = 4 if rule == "released" else 3
        assert [each[:n_told] for each in figures(mining)] == [each[:n_told] for each in expected]


@pytest.mark.shared
def test_a_later_release_needs_no_repair_and_gives_fewer_originals_with_the_vocabulary(
    known: frozenset[str],
) -> None:
    source = treebank([train_file("UD_English-EWT")])
    mining = mine_treebank(source, Rule(extends="released"), vocabulary=known)
    assert mining.repair == "none"
    assert n_originals(mining) == {
        "R__VERB_NOUN_CCONJ_VERB": 38,
        "L__NOUN_VERB_VERB": 17,
        "R__VERB_VERB_CCONJ_VERB": 15,
    }
