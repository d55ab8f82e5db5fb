"""Circuits and modifiers from the names of suites."""

import csv

import pytest

from colorless_green.data import circuit, modifier_of
from tests.builders import shared


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fgd-embed3", "Long-Distance Dependencies"),
        ("fgd_hierarchy", "Long-Distance Dependencies"),
        ("npz_ambig_mod", "Garden-Path Effects"),
        ("center_embed", "Center Embedding"),
        ("nn-nv-rpl", "nn"),
        ("mine2", "mine"),
        ("_x", "_x"),
        ("", ""),
    ],
)
def test_the_circuit_is_told_by_what_a_name_begins_with(name: str, expected: str) -> None:
    assert circuit(name) == expected


def test_a_modifier_is_told_by_what_a_name_ends_with() -> None:
    names = ["mvrr_mod", "cleft_modifier", "mvrr", "cleft", "npz_ambig_mod", "cleft"]
    assert modifier_of(names) == (("mvrr", "mvrr_mod"), ("cleft", "cleft_modifier"))


@pytest.mark.shared
def test_circuits_and_modifiers_are_those_of_the_table() -> None:
    path = shared("published", "tables", "syntaxgym_suites.csv")
    with path.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["circuit"]]
    assert {row["suite"]: circuit(row["suite"]) for row in rows} == {
        row["suite"]: row["circuit"] for row in rows
    }
    assert modifier_of(row["suite"] for row in rows) == tuple(
        (row["modifier_pair_of"], row["suite"]) for row in rows if row["modifier_pair_of"]
    )
