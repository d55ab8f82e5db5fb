"""The rule `tested`: what it accepts, what it says, and which other form it takes."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.miner.mine import Mining, Request, mine
from colorless_green.miner.rule import Key, Thresholds
from colorless_green.miner.rules.tested import decide, distance
from colorless_green.miner.treebank import treebank
from colorless_green.miner.unimorph.wordlist import read_unimorph
from colorless_green.nonce.mined import suite_of
from tests.builders import relational, write_conllu

SING, PLUR = "Sing", "Plur"
Cells = dict[tuple[str, str], int]

cells = st.dictionaries(
    st.tuples(st.sampled_from([SING, PLUR, "Dual"]), st.sampled_from([SING, PLUR, "Dual"])),
    st.integers(1, 40),
    min_size=1,
)


def verdict(table: Cells, **thresholds: float) -> tuple[bool, str]:
    """The verdict on one construction that stands alone."""
    asked = Thresholds(**thresholds)  # type: ignore[arg-type]
    (found,) = decide({Key("Number", "L__NOUN__VERB__nsubj"): table}, asked)
    return found.accepted, found.reason


def test_words_that_agree_more_often_than_chance_and_often_enough_are_accepted() -> None:
    assert verdict({(SING, SING): 30, (PLUR, PLUR): 12, (SING, PLUR): 2}) == (True, "")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({(SING, SING): 9}, "9 instances, needs 10"),
        ({(SING, SING): 20}, "one value only (Sing)"),
        (
            {(SING, SING): 50, (SING, PLUR): 2, (PLUR, SING): 2},
            "no more than by chance (q = 0.66)",
        ),
        ({(SING, SING): 50, (PLUR, PLUR): 50, (SING, PLUR): 25}, "80% agree, needs 90%"),
        ({(SING, SING): 24, (PLUR, PLUR): 20, (SING, PLUR): 5}, "89.8% agree, needs 90.0%"),
        (
            {(SING, SING): 5, (PLUR, PLUR): 3, (SING, PLUR): 4},
            "no more than by chance (q = 0.12); 67% agree, needs 90%",
        ),
    ],
)
def test_what_is_rejected_is_told_why(table: Cells, reason: str) -> None:
    assert verdict(table) == (False, reason)


def test_the_thresholds_are_the_users() -> None:
    table = {(SING, SING): 4, (PLUR, PLUR): 3, (SING, PLUR): 1}
    assert verdict(table) == (False, "8 instances, needs 10")
    assert verdict(table, min_n=8, floor=0.8, alpha=0.5) == (True, "")


@given(st.lists(cells, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_constructions_changes_no_verdict(
    tables: list[Cells], random: object
) -> None:
    named = {Key("Number", f"c{number}"): table for number, table in enumerate(tables)}
    shuffled = list(named.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    forward = {each.name: each for each in decide(named, Thresholds())}
    assert {each.name: each for each in decide(dict(shuffled), Thresholds())} == forward


@given(st.lists(cells, min_size=1, max_size=6))
def test_what_is_accepted_passes_every_threshold(tables: list[Cells]) -> None:
    named = {Key("Number", f"c{number}"): table for number, table in enumerate(tables)}
    for found in decide(named, Thresholds()):
        if found.n < 10:
            assert found.q is None
            assert not found.accepted
            continue
        assert found.p is not None
        assert found.q is not None
        assert found.q >= found.p * (1 - 1e-12)
        assert found.low is not None
        assert found.low <= found.rate
        if found.accepted:
            assert found.q <= 0.05
            assert found.rate >= 0.9
            assert len(found.values) >= 2


def mined(path: Path, *blocks: str, language: str = "xx", **options: object) -> Mining:
    source = treebank([write_conllu(path / "xx-ud-train.conllu", *blocks)], language=language)
    return mine(source, Request("tested", **options))  # type: ignore[arg-type]


def clauses(n: int, **forms: tuple[str, str]) -> list[str]:
    """`n` sentences for each value: a subject, three words, and the form of the verb `go`."""
    return [
        relational(
            f"c{value}/cue/NOUN/Number={value}/5/nsubj",
            *["x/x/ADP/_/5/obl"] * 3,
            f"{form}/{lemma}/VERB/Number={value}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, (form, lemma) in forms.items()
        for number in range(n)
    ]


def test_an_accepted_construction_gives_originals_with_the_other_form(tmp_path: Path) -> None:
    mining = mined(tmp_path, *clauses(8, Sing=("goes", "go"), Plur=("go", "go")))
    assert {(each.right, each.wrong) for each in mining.originals} == {
        ("goes", "go"),
        ("go", "goes"),
    }
    assert {each.construction for each in mining.originals} == {"L__NOUN__VERB__nsubj"}
    assert len(mining.originals) == 16


def test_a_form_that_is_right_as_well_is_no_wrong_form(tmp_path: Path) -> None:
    blocks = clauses(8, Sing=("put", "put"), Plur=("put", "put"))
    mining = mined(tmp_path, *blocks)
    assert mining.originals == ()
    assert {each.reason.partition(":")[0] for each in mining.rejections} == {"equal forms"}


def test_the_other_form_takes_the_targets_capital(tmp_path: Path) -> None:
    mining = mined(tmp_path, *clauses(8, Sing=("goes", "go"), Plur=("Go", "go")))
    assert {(each.right, each.wrong) for each in mining.originals} == {
        ("goes", "go"),
        ("Go", "Goes"),
    }


def test_the_other_form_of_a_word_in_capitals_is_in_capitals(tmp_path: Path) -> None:
    mining = mined(tmp_path, *clauses(8, Sing=("GOES", "go"), Plur=("go", "go")))
    assert ("GOES", "GO") in {(each.right, each.wrong) for each in mining.originals}


def test_of_several_other_forms_the_one_spelled_alike_is_taken(tmp_path: Path) -> None:
    """Basque auxiliaries carry no Tense: *zuten* is the more frequent plural, but a past."""
    blocks = clauses(10, Sing=("du", "ukan"), Plur=("zuten", "ukan"))
    blocks += clauses(4, Plur=("dute", "ukan")) + clauses(1, Plur=("duu", "ukan"))
    renamed = [block.replace("sent_id = ", f"sent_id = {n}-") for n, block in enumerate(blocks)]
    pairs = {(each.right, each.wrong) for each in mined(tmp_path, *renamed).originals}
    assert ("du", "duu") in pairs  # a tenth of the uses of the most frequent form
    rare = clauses(30, Plur=("zuten", "ukan"))
    more = [block.replace("sent_id = ", f"sent_id = m{n}-") for n, block in enumerate(rare)]
    pairs = {(each.right, each.wrong) for each in mined(tmp_path, *renamed, *more).originals}
    assert ("du", "dute") in pairs  # now *duu* is a slip


def test_of_equally_near_forms_the_one_with_the_same_ending_is_taken(tmp_path: Path) -> None:
    """*dela* is as far from *dira* as from *direla*."""
    blocks = clauses(12, Sing=("dela", "izan"), Plur=("dira", "izan"))
    blocks += clauses(4, Plur=("direla", "izan"))
    renamed = [block.replace("sent_id = ", f"sent_id = {n}-") for n, block in enumerate(blocks)]
    pairs = {(each.right, each.wrong) for each in mined(tmp_path, *renamed).originals}
    assert distance("dela", "dira") == distance("dela", "direla")
    assert ("dela", "direla") in pairs


def test_a_form_that_mostly_has_the_other_value_has_no_wrong_form(tmp_path: Path) -> None:
    blocks = clauses(20, Sing=("hain", "ho"), Plur=("hain", "ho")) + clauses(1, Plur=("hai", "ho"))
    renamed = [block.replace("sent_id = ", f"sent_id = {n}-") for n, block in enumerate(blocks)]
    mining = mined(tmp_path, *renamed)
    assert not [each for each in mining.originals if each.right == "hain"]


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_of_two_words_is_that_of_the_plain_recursion(one: str, other: str) -> None:
    @cache
    def plain(i: int, j: int) -> int:
        if 0 in (i, j):
            return i + j
        exchanged = plain(i - 1, j - 1) + (one[i - 1] != other[j - 1])
        return min(plain(i - 1, j) + 1, plain(i, j - 1) + 1, exchanged)

    assert distance(one, other) == plain(len(one), len(other))


def test_a_gender_that_plurals_do_not_tell_is_no_obstacle(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"c{value}/cue/NOUN/Number={value}/5/nsubj",
            *["x/x/ADP/_/5/obl"] * 3,
            f"{form}/go/VERB/{feats}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, form, feats in (
            (SING, "šel", "Gender=Masc|Number=Sing"),
            (PLUR, "šli", "Number=Plur"),
        )
        for number in range(8)
    ]
    mining = mined(tmp_path, *blocks)
    assert ("šel", "šli") in {(each.right, each.wrong) for each in mining.originals}


def gendered(value: str, noun: str, form: str, feats: str, n: int = 8) -> list[str]:
    """Sentences whose noun has the FEATS `noun` and whose participle is `form` with `feats`."""
    return [
        relational(
            f"c{value}/cue/NOUN/{noun}/5/nsubj",
            *["x/x/ADP/_/5/obl"] * 3,
            f"{form}/go/VERB/{feats}/0/root",
            sent_id=f"{form}{number}",
        )
        for number in range(n)
    ]


def test_the_other_form_does_not_contradict_the_gender_of_the_target(tmp_path: Path) -> None:
    blocks = gendered(SING, "Number=Sing", "andata", "Gender=Fem|Number=Sing")
    blocks += gendered(PLUR, "Number=Plur", "andati", "Gender=Masc|Number=Plur")
    mining = mined(tmp_path, *blocks)
    assert mining.originals == ()
    assert {each.reason.partition(":")[0] for each in mining.rejections} == {"no paradigm"}


def test_where_the_target_tells_no_gender_the_other_form_has_the_cues(tmp_path: Path) -> None:
    blocks = gendered(PLUR, "Gender=Masc|Number=Plur", "šli", "Number=Plur")
    blocks += gendered(SING, "Gender=Masc|Number=Sing", "šel", "Gender=Masc|Number=Sing")
    blocks += gendered(SING, "Gender=Fem|Number=Sing", "šla", "Gender=Fem|Number=Sing", 12)
    pairs = {(each.right, each.wrong) for each in mined(tmp_path, *blocks).originals}
    assert ("šli", "šel") in pairs
    assert ("šli", "šla") not in pairs
    assert ("šla", "šli") in pairs


def test_cue_and_target_in_one_token_give_no_original(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"1-2 {noun}{verb}",
            f"{noun}/cue/NOUN/Number={value}/2/nsubj",
            f"{verb}/go/VERB/Number={value}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, noun, verb in ((SING, "a", "b"), (PLUR, "c", "d"))
        for number in range(8)
    ]
    mining = mined(tmp_path, *blocks, gap_in="tokens", min_gap=0)
    assert mining.originals == ()
    assert {each.reason for each in mining.rejections} == {"cue and target are one token"}


def test_with_a_vocabulary_the_whole_multiword_token_must_be_known(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"yeled/yeled/NOUN/Number={value}/6/nsubj",
            *["x/x/ADP/_/6/obl"] * 3,
            f"5-6 ve{verb}",
            "ve/ve/CCONJ/_/6/cc",
            f"{verb}/halax/VERB/Number={value}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, verb in ((SING, "halax"), (PLUR, "halxu"))
        for number in range(8)
    ]
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *blocks)])
    tokens = frozenset({"yeled", "x", "vehalax", "vehalxu"})
    assert len(mine(source, Request("tested"), vocabulary=tokens).originals) == 16
    words = frozenset({"yeled", "x", "vehalax", "halxu"})
    assert mine(source, Request("tested"), vocabulary=words).originals == ()


@pytest.mark.parametrize("rule", ["released", "strict", "tested"])
def test_every_instance_of_an_accepted_construction_is_an_original_or_a_rejection(
    tmp_path: Path, rule: str
) -> None:
    forms = {SING: ("goes", "go"), PLUR: ("go", "go"), "Dual": ("got", "go")}
    blocks = clauses(12, **{value: pair for value, pair in forms.items() if value != "Dual"})
    blocks += clauses(1, Dual=forms["Dual"])
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *blocks)])
    mining = mine(source, Request(rule))
    (name,) = {each.name for each in mining.constructions if each.accepted}
    n = next(each.n for each in mining.constructions if each.name == name)
    assert len(mining.originals) + len(mining.rejections) == n


@pytest.mark.parametrize("name", ["", "number", "Number,Gender", "Number[Psor]"])
def test_what_is_no_name_of_a_feature_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        mined(tmp_path, *clauses(1, Sing=("goes", "go")), features=(name,))
    assert str(caught.value) == (
        f"--feature: {name!r}; one name, as Number or Number[psor]; again for more"
    )


def test_a_feature_that_is_named_twice_is_mined_once(tmp_path: Path) -> None:
    blocks = clauses(8, Sing=("goes", "go"), Plur=("go", "go"))
    once = mined(tmp_path, *blocks)
    twice = mined(tmp_path, *blocks, features=("Number", "Number"))
    assert twice.originals == once.originals


def test_gender_itself_is_looked_up_by_gender(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"c{value}/cue/NOUN/Gender={value}/5/nsubj",
            *["x/x/ADP/_/5/obl"] * 3,
            f"{form}/go/VERB/Gender={value}|Number=Sing/0/root",
            sent_id=f"{value}{number}",
        )
        for value, form in (("Masc", "šel"), ("Fem", "šla"))
        for number in range(8)
    ]
    mining = mined(tmp_path, *blocks, features=("Gender",))
    assert {(each.right, each.wrong) for each in mining.originals} == {
        ("šel", "šla"),
        ("šla", "šel"),
    }


def test_several_features_are_judged_apart_in_one_run(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"c/cue/NOUN/Gender={gender}|Number={number}/5/nsubj",
            *["x/x/ADP/_/5/obl"] * 3,
            f"{gender}{number}/go/VERB/Gender={gender}|Number={number}/0/root",
            sent_id=f"{gender}{number}{rank}",
        )
        for gender in ("Masc", "Fem")
        for number in (SING, PLUR)
        for rank in range(5)
    ]
    mining = mined(tmp_path, *blocks, features=("Number", "Gender"))
    accepted = {(each.feature, each.name) for each in mining.constructions if each.accepted}
    assert accepted == {
        ("Number", "L__NOUN__VERB__nsubj@Number"),
        ("Gender", "L__NOUN__VERB__nsubj@Gender"),
    }
    pairs = {(each.feature, each.right, each.wrong) for each in mining.originals}
    assert ("Number", "MascSing", "MascPlur") in pairs
    assert ("Gender", "MascSing", "FemSing") in pairs
    assert len(pairs) == 8


def test_a_word_inside_a_multiword_token_agrees_as_itself(tmp_path: Path) -> None:
    blocks = [
        relational(
            "1-2 hayeled" if value == SING else "1-2 hayeladim",
            "ha/ha/DET/_/2/det",
            f"{noun}/yeled/NOUN/Number={value}/6/nsubj",
            *["x/x/ADP/_/6/obl"] * 3,
            f"{verb}/halax/VERB/Number={value}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, noun, verb in ((SING, "yeled", "halax"), (PLUR, "yeladim", "halxu"))
        for number in range(8)
    ]
    mining = mined(tmp_path, *blocks)
    original = mining.originals[0]
    assert original.forms == ("hayeled", "x", "x", "x", "halax")
    assert (original.cue_index, original.cue, original.cue_upos) == (0, "hayeled", "NOUN")
    assert original.target_index == 4
    assert original.upos[0] == "DET+NOUN"


def test_a_target_inside_a_multiword_token_keeps_what_stands_around_it(tmp_path: Path) -> None:
    blocks = [
        relational(
            f"yeled/yeled/NOUN/Number={value}/6/nsubj",
            *["x/x/ADP/_/6/obl"] * 3,
            f"5-6 ve{verb}",
            "ve/ve/CCONJ/_/6/cc",
            f"{verb}/halax/VERB/Number={value}/0/root",
            sent_id=f"{value}{number}",
        )
        for value, verb in ((SING, "halax"), (PLUR, "halxu"))
        for number in range(8)
    ]
    mining = mined(tmp_path, *blocks)
    original = mining.originals[0]
    assert (original.right, original.wrong) == ("vehalax", "vehalxu")
    assert (original.before, original.after, original.flags[0]) == ("ve", "", "multiword")


def test_gaps_can_be_counted_in_words_or_in_tokens(tmp_path: Path) -> None:
    block = relational(
        "c/cue/NOUN/Number=Sing/6/nsubj",
        "2-4 xyz",
        *["x/x/ADP/_/6/obl"] * 3,
        "y/y/ADV/_/6/advmod",
        "t/t/VERB/Number=Sing/0/root",
    )
    assert mined(tmp_path, block).stages.n_with_feature == 0  # two words: xyz y
    assert mined(tmp_path, block, gap_in="tokens").stages.n_with_feature == 1
    assert mined(tmp_path, block, min_gap=2).stages.n_with_feature == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gap_in": "letters"}, "--gap-in: no such name 'letters'; one of tokens, words"),
        ({"by": "size"}, "--by: no such name 'size'; one of coarse, deprel, pos"),
        ({"max_gap": 2}, "--max-gap: 2, less than the least gap; ≥ 3"),
        ({"floor": 1.5}, "--floor: 1.5; a share from 0 to 1"),
        ({"direction": "up"}, "--direction: no such name 'up'; dependent-first or head-first"),
        ({"filters": ("all", "typo")}, "--filter: 'all' beside other names; all alone"),
    ],
)
def test_a_request_that_makes_no_sense_is_told_so(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        mined(tmp_path, *clauses(1, Sing=("goes", "go")), **options)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            Request("released", gap_in="tokens"),
            "--gap-in: the rule released merges multiword tokens; words, or --rule tested",
        ),
        (Request("strict", floor=0.5), "--floor: the rule strict makes no test; --rule tested"),
    ],
)
def test_an_option_that_a_rule_does_not_know_is_an_error(
    tmp_path: Path, request_: Request, message: str
) -> None:
    block = clauses(1, Sing=("goes", "go"))
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *block)])
    with pytest.raises(InputError) as caught:
        mine(source, request_)
    assert str(caught.value) == message


def test_the_exceptions_are_the_instances_that_disagree(tmp_path: Path) -> None:
    blocks = clauses(12, Sing=("goes", "go"), Plur=("go", "go"))
    odd = relational(
        "cSing/cue/NOUN/Number=Sing/5/nsubj",
        *["x/x/ADP/_/5/obl"] * 3,
        "go/go/VERB/Number=Plur/0/root",
        sent_id="odd",
    )
    source = treebank([write_conllu(tmp_path / "xx-ud-train.conllu", *blocks, odd)])
    (found,) = mine(source, Request("tested"), exceptions=True).disagreements
    assert (found.sent_id, found.cue_index, found.target_index) == ("odd", 0, 4)
    assert (found.cue_value, found.target_value, found.text) == (SING, PLUR, "cSing x x x go")
    assert mine(source, Request("tested")).disagreements == ()


def test_the_name_of_a_suite_tells_the_features_that_were_mined(tmp_path: Path) -> None:
    blocks = clauses(8, Sing=("goes", "go"), Plur=("go", "go"))
    assert suite_of(mined(tmp_path, *blocks)).name == "xx-ud-train/tested/originals"
    both = mined(tmp_path, *blocks, features=("Number", "Person"))
    assert suite_of(both).name == "xx-ud-train/tested/Number,Person/originals"


def test_a_form_that_the_treebank_lacks_may_come_from_unimorph_with_its_licence(
    tmp_path: Path,
) -> None:
    blocks = clauses(8, Sing=("loopt", "lopen"), Plur=("gaan", "gaan"))
    source = treebank([write_conllu(tmp_path / "nl_x-ud-train.conllu", *blocks)])
    assert mine(source, Request("tested")).originals == ()
    path = tmp_path / "nld.tsv"
    path.write_text("lopen\tloopt\tV;SG\nlopen\tlopen\tV;PL\n", encoding="utf-8")
    mining = mine(source, Request("tested"), unimorph=read_unimorph(path, language="nl"))
    assert {(each.right, each.wrong) for each in mining.originals} == {("loopt", "lopen")}
    assert {item.facts["wrong_form_licence"] for item in suite_of(mining).items} == {"CC-BY-SA-3.0"}
