"""The rule `tested`: what it accepts, what it says, and which other form it takes."""

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.miner import (
    Construction,
    ConstructionKey,
    MinedTreebank,
    Thresholds,
    procedure_named,
    read_unimorph,
    suite_of,
)
from tests.builders import few_examples, mistake, relational
from tests.miner.mining import accepted, clause, clauses, contrary, instances_of, pairs_of
from tests.miner.mining import mined as mined_by

SING, PLUR = "Sing", "Plur"
Cells = dict[tuple[str, str], int]
GO = {"Sing": ("goes", "go"), "Plur": ("go", "go")}

values = st.sampled_from([SING, PLUR, "Dual"])
cells = st.dictionaries(st.tuples(values, values), st.integers(1, 40), min_size=1)


def mined(path: Path, *blocks: str, **options: object) -> MinedTreebank:
    return mined_by(path, "tested", *blocks, **options)  # type: ignore[arg-type]


def decided(
    tables: dict[ConstructionKey, Cells], thresholds: Thresholds = Thresholds()
) -> list[Construction]:
    return procedure_named("tested").decide(instances_of(tables), thresholds)


def verdict(table: Cells, **thresholds: float) -> Construction:
    """Return the verdict on one construction that stands alone."""
    asked = Thresholds(**thresholds)  # type: ignore[arg-type]
    (found,) = decided({ConstructionKey("Number", "L__NOUN__VERB__nsubj"): table}, asked)
    return found


def test_words_that_agree_more_often_than_chance_and_often_enough_are_accepted() -> None:
    found = verdict({(SING, SING): 30, (PLUR, PLUR): 12, (SING, PLUR): 2})
    assert (found.accepted, found.reason) == (True, "")


def cells_of(text: str) -> Cells:
    """How often values meet: `SS 30 SP 2` is Sing-Sing thirty times, Sing-Plur twice."""
    words = text.split()
    names = {"S": SING, "P": PLUR}
    return {
        (names[cell[0]], names[cell[1]]): int(n)
        for cell, n in zip(words[::2], words[1::2], strict=True)
    }


@pytest.mark.parametrize(
    ("table", "verdict_", "figures"),
    [
        ("SS 9", "rejected", "9 10"),
        ("SS 20", "rejected", "sing"),
        # the bound; what is not of the most frequent value
        ("SS 50 SP 2 PS 2", "rejected", "sing 4 0 92.6% 84% 85% 6"),
        ("SS 50 PP 50 SP 25", "rejected", "80.0% 74% 85%"),
        ("SS 24 PP 20 SP 5", "rejected", "89.8% 80% 85%"),
        ("SS 5 PP 3 SP 4", "rejected", "66.7% 43% 85% 7 3 0.19"),
        # as many digits as tell the bound from the floor, and how many instances are wanting
        ("SS 8 PP 7", "undecided", "100.0% 84.7% 85.0% 1"),
        ("SS 10 PP 10 PS 1", "undecided", "95.2% 81% 85% 12"),
        # what agrees in the most frequent value alone is no witness
        ("SS 60 PP 2 PS 1", "undecided", "3 2"),
        ("SS 200 PP 14 PS 10", "undecided", "24 14"),
    ],
)
def test_what_is_not_accepted_is_told_why(table: str, verdict_: str, figures: str) -> None:
    found = verdict(cells_of(table))
    assert (found.accepted, found.verdict) == (False, verdict_)
    told = found.reason.lower().translate(dict.fromkeys(map(ord, "(),;:="), " ")).split()
    assert {each for each in told if each[0].isdigit() or each == "sing"} == {*figures.split()}


def test_the_thresholds_are_the_users() -> None:
    table = {(SING, SING): 7, (PLUR, PLUR): 6, (PLUR, SING): 1}
    assert not verdict(table).accepted
    assert verdict(table, floor=0.6).accepted
    assert not verdict(table, floor=0.8).accepted
    assert not verdict(table, floor=0.6, min_n=15).accepted
    assert not verdict(table, floor=0.6, alpha=0.0005).accepted


def named(tables: list[Cells]) -> dict[ConstructionKey, Cells]:
    return {
        ConstructionKey("Number", f"L__NOUN__VERB__c{rank}"): table
        for rank, table in enumerate(tables)
    }


@few_examples
@given(st.lists(cells, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_constructions_changes_no_verdict(
    tables: list[Cells], random: Random
) -> None:
    shuffled = list(named(tables).items())
    random.shuffle(shuffled)
    forward = {each.name: each for each in decided(named(tables))}
    assert {each.name: each for each in decided(dict(shuffled))} == forward


@given(st.lists(cells, min_size=1, max_size=6))
def test_what_is_accepted_passes_every_threshold(tables: list[Cells]) -> None:
    for found in decided(named(tables)):
        assert bool(found.reason) is not found.accepted
        if found.n < 10:
            assert found.verdict == "rejected"
            assert (found.q, found.evidence) == (None, None)
            continue
        assert found.p is not None  # every sentence is informative
        assert found.q is not None
        assert found.q >= found.p * (1 - 1e-12)
        assert found.low is not None
        assert found.low <= found.rate
        assert found.evidence is not None
        assert (found.evidence.n, found.evidence.n_agree) == (found.n, found.n_agree)
        passes = (
            found.q <= 0.05
            and found.evidence.bound >= 0.85
            and found.evidence.bound_other >= 0.5
            and len(found.values) >= 2
        )
        assert found.accepted is passes
        if found.undecided:
            assert found.rate >= 0.9
            assert len(found.values) >= 2
            assert 2 * found.evidence.n_other_agree > found.evidence.n_other


@given(cells)
def test_a_verdict_that_waits_for_more_instances_names_how_many(table: Cells) -> None:
    """So many more of the same rate and no fewer; what else is short may still be so."""
    found = verdict(table)
    wanting = re.search(r": (\d+) more", found.reason)
    if wanting is None or found.evidence is None:
        return
    assert found.evidence.bound < 0.85
    n = found.n + int(wanting[1])
    rate = found.rate
    assert wilson_bound(rate, n) >= 0.85
    assert wilson_bound(rate, found.n + 0.9 * int(wanting[1])) < 0.85 + 0.01


def wilson_bound(rate: float, n: float) -> float:
    """Return the p at which the score test at 5 %, one-sided, just keeps a rate seen in n
    instances."""
    low, high = 0.0, rate
    for _ in range(60):
        middle = (low + high) / 2
        z = (rate - middle) / (middle * (1 - middle) / n) ** 0.5 if middle else float("inf")
        low, high = (middle, high) if z > 1.6448536269514722 else (low, middle)
    return low


BASQUE = [*clauses(10, Sing=("du", "ukan"), Plur=("zuten", "ukan")),
          *clauses(4, Plur=("dute", "ukan")), *clauses(1, Plur=("duu", "ukan"))]  # fmt: skip
HAVE = clauses(1, Sing=("has", "have"), Plur=("have", "have")) * 30
HAVE += clauses(1, Sing=("have", "have"))
DELA = clauses(12, Sing=("dela", "izan"), Plur=("dira", "izan"))


def gendered(n: int, cue: str, target: str) -> list[str]:
    return [clause(cue, target)] * n


@pytest.mark.parametrize(
    ("blocks", "given", "not_given"),
    [
        pytest.param(clauses(8, **GO), "goes-go go-goes", "", id="the other form"),
        pytest.param(
            clauses(8, Sing=("put", "put"), Plur=("put", "put")), "", "put",
            id="a form that is right as well is no wrong form",
        ),
        pytest.param(
            clauses(8, Sing=("goes", "go"), Plur=("Go", "go")), "goes-go Go-Goes", "",
            id="it takes the target's capital",
        ),
        pytest.param(
            clauses(8, Sing=("GOES", "go"), Plur=("go", "go")), "GOES-GO", "",
            id="that of a word in capitals is in capitals",
        ),
        # Basque auxiliaries carry no Tense: *zuten* is the more frequent plural, but a past
        pytest.param(
            BASQUE, "du-duu", "", id="the one spelled alike, in a tenth of the most frequent uses"
        ),
        pytest.param(
            [*BASQUE, *clauses(30, Plur=("zuten", "ukan"))], "du-dute", "",
            id="the one spelled alike that is no slip",
        ),
        pytest.param(  # *dela* is as far from *dira* as from *direla*
            [*DELA, *clauses(4, Plur=("direla", "izan"))], "dela-direla", "",
            id="of equally near forms the one with the same ending",
        ),
        pytest.param(
            clauses(20, Sing=("hain", "ho"), Plur=("hain", "ho")) + clauses(1, Plur=("hai", "ho")),
            "", "hain", id="a form that mostly has the other value has none",
        ),
        pytest.param(
            clauses(10, Sing=("has", "have"), Plur=("HAVE", "have")), "has-have", "",
            id="a shouted form is written as the target is",
        ),
        pytest.param(
            HAVE,
            "has-have", "", id="an error of annotation does not hide the other form",
        ),
        pytest.param(
            gendered(8, "Number=Sing", "šel/go/Gender=Masc|Number=Sing")
            + gendered(8, "Number=Plur", "šli/go/Number=Plur"),
            "šel-šli", "", id="a gender that plurals do not tell is no obstacle",
        ),
        pytest.param(
            gendered(8, "Number=Sing", "andata/go/Gender=Fem|Number=Sing")
            + gendered(8, "Number=Plur", "andati/go/Gender=Masc|Number=Plur"),
            "", "andata andati", id="it does not contradict the gender of the target",
        ),
        pytest.param(
            gendered(8, "Gender=Masc|Number=Plur", "šli/go/Number=Plur")
            + gendered(8, "Gender=Masc|Number=Sing", "šel/go/Gender=Masc|Number=Sing")
            + gendered(12, "Gender=Fem|Number=Sing", "šla/go/Gender=Fem|Number=Sing"),
            "šli-šel šla-šli", "", id="where the target tells no gender it has the cue's",
        ),
    ],
)  # fmt: skip
def test_an_accepted_construction_gives_originals_with_the_other_form(
    tmp_path: Path, blocks: list[str], given: str, not_given: str
) -> None:
    """`given`: right and wrong forms, each the only wrong one; `not_given`: without an original."""
    mining = mined(tmp_path, *blocks)
    assert accepted(mining) == {"L__NOUN__VERB__nsubj"}
    assert len(mining.agreements) + len(mining.rejections) == len(blocks)
    pairs = pairs_of(mining)
    for pair in given.split():
        right, _, wrong = pair.partition("-")
        assert {each for each in pairs if each[0] == right} == {(right, wrong)}
    assert not {right for right, _ in pairs} & set(not_given.split())


def test_cue_and_target_in_one_token_give_no_original(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"1-2 {noun}{verb}",
            f"{noun}/cue/NOUN/Number={value}/2/nsubj",
            f"{verb}/go/VERB/Number={value}/0/root",
            f"o/o/NOUN/{contrary(f'Number={value}')}/2/obl",
        )
        for value, noun, verb in ((SING, "a", "b"), (PLUR, "c", "d"))
    ] * 8
    mining = mined(tmp_path, *blocks, gap_in="tokens", min_gap=0)
    assert (len(mining.agreements), len(mining.rejections)) == (0, 16)


INSIDE = [
    relational(
        f"yeled/yeled/NOUN/Number={value}/6/nsubj",
        *["x/x/ADP/_/6/obl"] * 3,
        f"5-6 ve{verb}",
        "ve/ve/CCONJ/_/6/cc",
        f"{verb}/halax/VERB/Number={value}/0/root",
        f"o/o/NOUN/{contrary(f'Number={value}')}/6/obl",
    )
    for value, verb in ((SING, "halax"), (PLUR, "halxu"))
] * 8
"""Sentences whose verb stands inside a multiword token."""


def test_with_a_vocabulary_the_whole_multiword_token_must_be_known(tmp_path: Path) -> None:
    tokens = frozenset({"yeled", "x", "vehalax", "vehalxu", "o"})
    assert len(mined(tmp_path, *INSIDE, vocabulary=tokens).agreements) == 16
    words = frozenset({"yeled", "x", "vehalax", "halxu", "o"})
    assert mined(tmp_path, *INSIDE, vocabulary=words).agreements == ()


@pytest.mark.parametrize("rule", ["released", "strict", "tested"])
def test_every_instance_of_an_accepted_construction_is_an_original_or_a_rejection(
    tmp_path: Path, rule: str
) -> None:
    mining = mined_by(tmp_path, rule, *clauses(12, **GO), *clauses(1, Dual=("got", "go")))
    (name,) = accepted(mining)
    n = next(each.n for each in mining.constructions if each.name == name)
    assert len(mining.agreements) + len(mining.rejections) == n


@pytest.mark.parametrize("name", ["", "number", "Number,Gender", "Number[Psor]"])
def test_what_is_no_name_of_a_feature_is_refused(tmp_path: Path, name: str) -> None:
    with mistake("value", "feature"):
        mined(tmp_path, *clauses(1, Sing=("goes", "go")), features=(name,))


def test_several_features_are_judged_apart_in_one_run(tmp_path: Path) -> None:
    blocks = [
        clause(
            f"Gender={gender}|Number={number}",
            f"{gender}{number}/go/Gender={gender}|Number={number}",
        )
        for gender in ("Masc", "Fem")
        for number in (SING, PLUR)
    ] * 5
    mining = mined(tmp_path, *blocks, features=("Number", "Gender"))
    assert {(each.feature, each.name) for each in mining.constructions if each.accepted} == {
        ("Number", "L__NOUN__VERB__nsubj@Number"),
        ("Gender", "L__NOUN__VERB__nsubj@Gender"),
    }
    pairs = {(each.feature, each.right, each.wrong) for each in mining.agreements}
    assert ("Number", "MascSing", "MascPlur") in pairs
    assert ("Gender", "MascSing", "FemSing") in pairs
    assert len(pairs) == 8


def test_a_word_inside_a_multiword_token_agrees_as_itself(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"1-2 ha{noun}",
            "ha/ha/DET/_/2/det",
            f"{noun}/yeled/NOUN/Number={value}/6/nsubj",
            *["x/x/ADP/_/6/obl"] * 3,
            f"{verb}/halax/VERB/Number={value}/0/root",
            f"o/o/NOUN/{contrary(f'Number={value}')}/6/obl",
        )
        for value, noun, verb in ((SING, "yeled", "halax"), (PLUR, "yeladim", "halxu"))
    ] * 8
    original = mined(tmp_path, *blocks).agreements[0]
    assert original.tokens == ("hayeled", "x", "x", "x", "halax", "o")
    assert (original.cue_index, original.cue, original.cue_upos) == (0, "hayeled", "NOUN")
    assert original.target_index == 4
    assert original.upos[0] == "DET+NOUN"


def test_a_target_inside_a_multiword_token_keeps_what_stands_around_it(tmp_path: Path) -> None:
    original = mined(tmp_path, *INSIDE).agreements[0]
    assert (original.right, original.wrong) == ("vehalax", "vehalxu")
    assert (original.before, original.after, original.flags[0]) == ("ve", "", "multiword")


def test_the_exceptions_are_the_instances_that_disagree(tmp_path: Path) -> None:
    blocks = *clauses(12, **GO), clause("Number=Sing", "go/go/Number=Plur")
    (found,) = mined(tmp_path, *blocks, exceptions=True).disagreements
    assert (found.sent_id, found.cue_index, found.target_index) == ("24-s1", 0, 4)
    assert (found.cue_value, found.target_value, found.text) == (SING, PLUR, "cSing x x x go o")
    assert mined(tmp_path, *blocks).disagreements == ()


def test_the_name_of_a_suite_tells_the_features_that_were_mined(tmp_path: Path) -> None:
    blocks = clauses(8, **GO)
    assert suite_of(mined(tmp_path, *blocks)).name == "xx-ud-train/tested/originals"
    both = mined(tmp_path, *blocks, features=("Number", "Person"))
    assert suite_of(both).name == "xx-ud-train/tested/Number,Person/originals"


def test_a_form_that_the_treebank_lacks_may_come_from_unimorph_with_its_licence(
    tmp_path: Path,
) -> None:
    blocks = clauses(8, Sing=("loopt", "lopen"), Plur=("gaan", "gaan"))  # two collocations
    assert mined(tmp_path, *blocks, language="nl", undecided=True).agreements == ()
    path = tmp_path / "nld.tsv"
    path.write_text("lopen\tloopt\tV;SG\nlopen\tlopen\tV;PL\n", encoding="utf-8")
    words = read_unimorph(path, language="nl")
    mining = mined(tmp_path, *blocks, language="nl", unimorph=words, undecided=True)
    assert pairs_of(mining) == {("loopt", "lopen")}
    assert {item.facts["wrong_form_licence"] for item in suite_of(mining).items} == {"CC-BY-SA-3.0"}
