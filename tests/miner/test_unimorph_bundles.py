"""Component oracle: laws of UniMorph bundles, and what UD's tags are called in them."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import colorless_green
from colorless_green.data import parse_feats
from colorless_green.data.tables import read_tsv
from colorless_green.miner import read_unimorph
from colorless_green.miner.originals.feature_bundle import (
    bundle_of,
    compatible,
    holds,
    merged,
    readings,
    unimorph_value,
)
from tests.builders import mistake

DATA = Path(colorless_green.__file__).parent / "miner" / "originals" / "unimorph"
SCHEMA = {row["value"] for row in read_tsv(DATA / "schema.tsv")}
PLAIN = st.sampled_from([*sorted(SCHEMA), "LGSPEC1", "PSS3S", "PSS2PF", "ARGNO1P"])
SUMS = st.lists(PLAIN, min_size=1, max_size=2).map("+".join)
EITHER = st.lists(SUMS, min_size=1, max_size=2).map("/".join)
SLOTS = st.builds(
    lambda name, inner: f"{name}({','.join(inner)})",
    st.sampled_from(["NOM", "ACC", "ERG", "PSS"]),
    st.lists(EITHER, min_size=1, max_size=2),
)
VALUES = st.one_of(PLAIN, SUMS, EITHER, EITHER.map("{{{}}}".format), SLOTS)
BUNDLES = st.lists(VALUES, min_size=1, max_size=3)  # twice as long stays under 256 letters


def said(bundle: str) -> set[frozenset[tuple[str, frozenset[str]]]]:
    """The readings of a bundle as a set."""
    return {frozenset(reading.items()) for reading in readings(bundle)}


def agree(one: str, other: str) -> bool:
    """Whether two bundles can be true of one form."""
    pairs = product(readings(one), readings(other))
    return any(compatible(*pair) for pair in pairs)


@given(BUNDLES)
def test_the_order_of_values_means_nothing(values: list[str]) -> None:
    turned = values[::-1]
    assert said(";".join(values)) == said(";".join(turned))
    doubled = [*values, *turned]
    assert said(";".join(doubled)) == said(";".join(values))


@given(st.lists(st.lists(PLAIN, min_size=1, max_size=3), min_size=1, max_size=3))
def test_the_order_inside_a_composite_value_means_nothing(parts: list[list[str]]) -> None:
    one = "/".join("+".join(part) for part in parts)
    other = "/".join("+".join(part[::-1]) for part in parts[::-1])
    assert said(f"N;{one}") == said(f"N;{{{other}}}")
    assert said(f"PSS({one},SG)") == said(f"PSS(SG,{other})")


@given(BUNDLES, EITHER)
def test_an_alternative_is_as_good_as_two_bundles(values: list[str], either: str) -> None:
    assume(either not in values)
    options = [";".join([*values, each]) for each in either.split("/")]
    assert said(";".join([*values, either])) == set().union(*map(said, options))


@given(BUNDLES, BUNDLES)
def test_compatible_readings_merge_into_one_that_says_what_both_say(
    one: list[str], other: list[str]
) -> None:
    for left, right in product(readings(";".join(one)), readings(";".join(other))):
        assert compatible(left, right) == compatible(right, left)
        if compatible(left, right):
            both = merged(left, right)
            assert holds(both, left)
            assert holds(both, right)
            assert compatible(both, left)
            assert compatible(both, right)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("V;IND;PST;3;SG", "V;PST", True),  # what one does not say contradicts nothing
        ("V;IND;PST;3;SG", "V;IND;PST;PL", False),
        ("ADJ;MASC+FEM", "ADJ;MASC", True),
        ("ADJ;MASC+FEM", "ADJ;NEUT", False),
        ("ADJ;MASC/FEM", "ADJ;FEM", True),
        ("N;IN+ESS", "N;ESS", True),
        ("N;IN+ESS", "N;IN+ALL", False),
        ("N;IN+ESS", "N;AT+ESS", False),
        ("V;IND;PRS;PL", "V;NFIN", False),  # the indicative is finite
        ("V.PTCP;PST", "V;PST;SG", True),
        ("V.PTCP;PST", "V;IND;PST;SG", False),
        ("V;V.PTCP;PST", "V.PTCP;PST", True),
        ("V;V.PTCP;PST", "V;NFIN", False),
        ("V;PRS;NOM(3,SG)", "V;PRS;3;SG", True),
        ("V;PRS;NOM(3,SG)", "V;PRS;PL", False),
        ("V;NOM(3,SG);ACC(1,PL)", "V;3;SG;ARGAC1P", True),
        ("V;NOM(3,SG);ACC(1,PL)", "V;3;SG;ACC(2,PL)", False),
        ("N;ACC(PL)", "N;PL;ACC", True),
        ("N;ACC(PL)", "N;PL;NOM", False),
        ("V;V.PTCP;ACC(PL)", "V.PTCP;SG;ACC", False),
        ("N;SG;PSS3P", "N;SG;PSS(3,PL)", True),
        ("N;SG;PSS3P", "N;PL;PSS3P", False),  # the number of the possessor is not the noun's
        ("N;PL;PSSD", "N;PL;NDEF", False),
        ("N;INDF", "N;NDEF", True),
        ("ADJ;SPRL", "ADJ;RL", True),
        ("N;LGSPEC1", "N;LGSPEC2", True),
        ("N;PROPN", "N", True),
        ("N", "V", False),
    ],
)
def test_bundles_are_compatible_where_they_share_a_dimension_and_differ(
    one: str, other: str, expected: bool
) -> None:
    assert agree(one, other) is expected


@pytest.mark.parametrize(
    "text",
    [
        "N;;SG",
        "N;SG;",
        "N;MASC+",
        "N;{}",
        "N;PSS(3,SG",
        "N;SG)",
        "N;(3}",
        "N;{A/{B/C}}",
        "N" * 257,  # more than 256 characters
        f"N;{'{A/B}' * 9}",  # more than 256 alternatives
    ],
)
def test_a_bundle_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(f"a\tb\tN\na\tb\t{text}\n", encoding="utf-8")
    with mistake("format", f"{path}:2"):
        read_unimorph(path)


def test_where_alternatives_multiply_they_say_nothing() -> None:
    many = [f"LGSPEC{i}/LGSPEC{i + 1}" for i in range(0, 40, 2)]
    assert said(";".join([*many, "N", "SG"])) == said("N;SG")


def test_every_value_of_the_correspondence_is_in_the_schema() -> None:
    rows = [row for row in read_tsv(DATA / "ud.tsv") if row["feature"] != "Layer"]
    assert rows
    assert [row for row in rows if not set(row["unimorph"].split("+")) <= SCHEMA] == []


@pytest.mark.parametrize(
    ("feature", "value", "expected"),
    [
        ("Number", "Plur", "PL"),
        ("Number", "Ptan", None),
        ("Number", "Plur,Ptan", "PL"),
        ("Number", "Plur,Sing", "PL/SG"),
        ("Person", "1,2,3", "1/2/3"),
        ("Gender", "Com", "MASC+FEM"),
        ("Gender", "Com,Neut", "MASC+FEM/NEUT"),
        ("Tense", "Imp", "IPFV"),
        ("Mood", "Imp", "IMP"),
        ("Tense", "Pqp", "PST+PRF"),
        ("Case", "Loc", "ESS"),
        ("Case", "Ess", "FRML"),
        ("Case", "Ine", "IN+ESS"),
        ("Case", "Par", "PRT"),
        ("Degree", "Pos", None),
        ("Degree", "Sup", "RL"),
        ("VerbForm", "Sup", "V.CVB"),
        ("Case", "Sup", "ON+ESS"),
        ("Definite", "Cons", "PSSD"),
        ("Poss", "Yes", None),
        ("Number[psor]", "Plur", "PSS(PL)"),
        ("Person[subj]", "3", "NOM(3)"),
        ("Number[psed]", "Sing", None),
        ("Number[psor]", "Ptan", None),
    ],
)
def test_a_value_of_ud_has_at_most_one_counterpart(
    feature: str, value: str, expected: str | None
) -> None:
    assert unimorph_value(feature, value) == expected


@pytest.mark.parametrize(
    ("upos", "feats", "bundle", "rest"),
    [
        ("NOUN", "Case=Nom|Number=Sing", "N;NOM;SG", []),
        ("AUX", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin", "V;FIN;IND;3;SG", []),
        ("VERB", "VerbForm=Part|Voice=Pass", "V;V.PTCP;PASS", []),
        ("SCONJ", "_", "CONJ", []),
        ("NOUN", "Number[psor]=Sing|Person[psor]=3", "N;PSS(3,SG)", []),
        ("VERB", "Number[abs]=Plur|Number[erg]=Sing", "V;ABS(PL);ERG(SG)", []),
        ("NOUN", "Foreign=Yes|Number=Ptan", "N", ["Foreign=Yes", "Number=Ptan"]),
        ("PUNCT", "_", "", ["UPOS=PUNCT"]),
    ],
)
def test_a_word_of_ud_has_a_bundle_and_a_rest(
    upos: str, feats: str, bundle: str, rest: Sequence[str]
) -> None:
    assert said(bundle_of(upos, feats)) == said(bundle)
    features = {"UPOS": upos, **parse_feats(feats)}
    left_out = [
        f"{each}={value}" for each, value in features.items() if unimorph_value(each, value) is None
    ]
    assert left_out == rest
