"""Component oracle: laws of UniMorph bundles, and what UD's tags are called in them."""

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


def said(bundle: str) -> set[frozenset[tuple[str, str]]]:
    """Return the readings of a bundle as a set."""
    return set(readings(bundle))


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
def test_compatible_readings_are_compatible_with_what_both_say(
    one: list[str], other: list[str]
) -> None:
    for left, right in product(readings(";".join(one)), readings(";".join(other))):
        assert compatible(left, right) == compatible(right, left)
        if compatible(left, right):
            assert compatible(left | right, left)
            assert compatible(left | right, right)


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


def table(name: str) -> list[list[str]]:
    """Return the rows of a part of bundles.txt; `-` is an empty cell."""
    text = Path(__file__).with_name("bundles.txt").read_text(encoding="utf-8")
    (part,) = (part for part in text.split("\n\n") if part.startswith(f"# {name}\n"))
    lines = (line.partition(" # ")[0] for line in part.strip().split("\n")[1:])
    return [["" if cell == "-" else cell for cell in line.split(" ")] for line in lines]


@pytest.mark.parametrize(("one", "other", "expected"), table("pairs"))
def test_bundles_are_compatible_where_they_share_a_dimension_and_differ(
    one: str, other: str, expected: str
) -> None:
    assert agree(one, other) is (expected == "yes")


@pytest.mark.parametrize(("feature", "value", "expected"), table("values"))
def test_a_value_of_ud_has_at_most_one_counterpart(feature: str, value: str, expected: str) -> None:
    assert unimorph_value(feature, value) == (expected or None)


@pytest.mark.parametrize(("upos", "feats", "bundle", "rest"), table("words"))
def test_a_word_of_ud_has_a_bundle_and_a_rest(
    upos: str, feats: str, bundle: str, rest: str
) -> None:
    assert said(bundle_of(upos, feats)) == said(bundle)
    features = {"UPOS": upos, **parse_feats(feats)}
    left_out = [
        f"{each}={value}" for each, value in features.items() if unimorph_value(each, value) is None
    ]
    assert "|".join(left_out) == rest
