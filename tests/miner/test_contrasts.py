"""One wrong value for each right one: how it is chosen, asked for, and what the item says of it."""

from pathlib import Path

import pytest

from colorless_green.data import agreement_value
from colorless_green.data.errors import ErrorKind
from colorless_green.miner import MinedTreebank, Rule
from tests.builders import mistake, relational
from tests.miner.mining import clause, clauses, mined, pairs_of

SLOVENIAN = {"Sing": ("je", "biti"), "Plur": ("so", "biti"), "Dual": ("sta", "biti")}
NUMBERS = ("Sing", "Plur", "Dual", "Tri", "Pauc")


def three(path: Path, **options: object) -> MinedTreebank:
    """Ten clauses of each number; the plural is the most frequent."""
    blocks = clauses(10, **SLOVENIAN) + clauses(5, Plur=SLOVENIAN["Plur"])
    return mined(path, "tested", *blocks, **options)  # type: ignore[arg-type]


def test_each_right_value_has_one_wrong_value_and_all_wrong_forms_are_told(tmp_path: Path) -> None:
    found = {(each.value, each.right, each.wrong_value, each.wrong, tuple(each.wrong_forms.items()))
             for each in three(tmp_path).agreements}  # fmt: skip
    assert found == {
        ("Sing", "je", "Plur", "so", (("Plur", "so"), ("Dual", "sta"))),
        ("Plur", "so", "Sing", "je", (("Sing", "je"), ("Dual", "sta"))),
        ("Dual", "sta", "Plur", "so", (("Plur", "so"), ("Sing", "je"))),
    }


def test_a_contrast_is_the_users(tmp_path: Path) -> None:
    mining = three(tmp_path, contrasts=("Dual:Sing", "Plur:Dual"))
    assert pairs_of(mining) == {("je", "so"), ("so", "sta"), ("sta", "je")}


def test_where_the_contrast_has_no_form_there_is_a_rejection_and_no_other_value(
    tmp_path: Path,
) -> None:
    blocks = clauses(10, **SLOVENIAN) + clauses(3, Sing=("gre", "iti"), Dual=("gresta", "iti"))
    mining = mined(tmp_path, "tested", *blocks)
    assert "gre" not in {each.right for each in mining.agreements}
    reasons = {each.reason for each in mining.rejections}
    assert len(mining.rejections) == 6
    assert all("Plur" in each for each in reasons)


@pytest.mark.parametrize(
    ("rule", "asked", "kind"),
    [
        ("tested", ("Plur",), "value"),
        ("tested", ("Plur:Plur",), "value"),
        ("tested", ("Plur:Sing:Dual",), "value"),
        ("tested", ("Plur:Sing", "Plur:Dual"), "conflict"),
        ("released", ("Plur:Sing",), "unsupported"),
    ],
)
def test_a_contrast_that_makes_no_sense_is_told_so(
    rule: str, asked: tuple[str, ...], kind: ErrorKind
) -> None:
    with mistake(kind, "Rule: contrasts"):
        Rule(extends=rule, contrasts=asked)


def test_a_contrast_with_a_value_that_no_word_has_is_told_so(tmp_path: Path) -> None:
    with mistake("unknown", "contrasts"):
        three(tmp_path, contrasts=("Plur:Sign",))


@pytest.mark.parametrize(
    ("feature", "value", "found"),
    [
        ("Number", "Ptan", "Plur"),
        ("Number", "Coll", "Sing"),
        ("Number", "Count", "Plur"),
        ("Number", "Dual", "Dual"),
        ("Number[psor]", "Ptan", "Plur"),
        ("Number~Number[abs]", "Ptan", "Plur"),
        ("Number", "Plur,Ptan", "Plur"),
        ("NumberX", "Ptan", "Ptan"),
        ("Gender", "Com", "Com"),
    ],
)
def test_values_that_agreement_does_not_tell_apart_are_one(
    feature: str, value: str, found: str
) -> None:
    assert agreement_value(feature, value) == found


def test_a_plurale_tantum_agrees_as_a_plural(tmp_path: Path) -> None:
    blocks = clauses(20, Sing=("goes", "go"), Plur=("go", "go"))
    blocks += [clause("Number=Ptan", "go/go/Number=Plur")] * 2
    mining = mined(tmp_path, "tested", *blocks)
    (own, _) = (each for each in mining.agreements if each.cue == "cPtan")
    assert (own.value, own.right, own.wrong) == ("Plur", "go", "goes")


def test_a_plurale_tantum_is_no_attractor_beside_a_plural(tmp_path: Path) -> None:
    subject = "keys/key/NOUN/Number=Plur/5/nsubj"
    between = ("to/to/ADP/_/3/case", "scissors/scissors/NOUN/Number=Ptan/1/nmod", "x/x/ADV/_/5/x")
    blocks = clauses(20, Sing=("goes", "go"), Plur=("go", "go"))
    blocks.append(relational(subject, *between, "go/go/VERB/Number=Plur/0/root"))
    (own,) = (e for e in mined(tmp_path, "tested", *blocks).agreements if e.cue == "keys")
    assert own.attractors == ()


def test_forms_that_differ_in_person_too_are_flagged_and_come_last(tmp_path: Path) -> None:
    """No third person plural of *wirft* is shown, only the first."""
    third, first = "Number=Sing|Person=3", "Number=Plur|Person=1"
    blocks = [clause("Number=Sing", f"wirft/werfen/{third}")] * 2
    blocks += [clause("Number=Plur", f"werfen/werfen/{first}")]
    blocks += [clause("Number=Sing", f"geht/gehen/{third}")] * 12
    blocks += [clause("Number=Plur", "gehen/gehen/Number=Plur|Person=3")] * 12
    mining = mined(tmp_path, "tested", *blocks)
    ranked = sorted(mining.agreements, key=lambda each: each.number)
    flagged = ["person_too" in each.flags for each in ranked]
    assert flagged == [False] * 24 + [True] * 3
    assert {each.right for each in ranked[24:]} == {"wirft", "werfen"}
