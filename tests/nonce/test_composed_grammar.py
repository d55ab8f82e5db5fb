"""Composed sets have no form, case or agreement that a reader of the language would refuse."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Agreement, Item
from colorless_green.nonce import SuffixRules
from tests.builders import shared
from tests.nonce.composing import NOUNS, VERBS, clauses, mined

STEMS = [begin + end for begin in ("ba", "lo", "mi", "pre", "sto") for end in "kndt"]


def facts(item: Item) -> Agreement:
    assert item.agreement is not None
    return item.agreement


def heads(suite: cg.Suite) -> set[str]:
    return {facts(item).tokens[facts(item).cue_index].lower() for item in suite.items}


def predicates(suite: cg.Suite) -> set[str]:
    return {item.facts["predicate"] for item in suite.items}


def with_cases(rows: list[str]) -> list[str]:
    """Return a sentence whose subject is a nominative and whose other noun is a genitive."""
    cases = {1: "Nom", 4: "Gen"}
    return [
        row.replace("Number=", f"Case={cases[n]}|Number=") if n in cases else row
        for n, row in enumerate(rows)
    ]


def composed(folder: Path, change: Callable[[list[str]], list[str]], code: str = "en") -> cg.Suite:
    """Return composed sets of the regular language, each of whose sentences is changed."""
    return cg.compose(mined(folder, map(change, clauses()), code), sets=100)


def test_few_words_with_a_longer_suffix_are_enough_to_refuse_a_form() -> None:
    """As *-ieć* makes *-iały* in Polish, although nearly all verbs in *-ć* have *-ły* for it."""
    regular = [("", f"{end}{stem}ak", f"{end}{stem}ag") for stem in STEMS for end in "aeio"]
    rules = SuffixRules([*regular, ("", "mek", "mog"), ("", "shek", "shog")])
    assert rules.predict("", "gak") == "gag"
    assert rules.predict("", "pitek") in ("", "pitog")
    assert SuffixRules(regular).predict("", "pitak") == "pitag"


def test_the_letter_y_is_no_sign_of_vowel_harmony() -> None:
    """Czech *přijít* has *přišly*, which speaks against *odejíly*, whatever vowels are before."""
    regular = [("", f"{end}{stem}ot", f"{end}{stem}oly") for stem in STEMS for end in "aou"]
    rules = SuffixRules([*regular, ("", "přijít", "přišly"), ("", "syt", "syla")])
    assert not rules.harmony
    assert rules.predict("", "odejít") in ("", "odešly")


def test_an_ending_that_no_form_has_is_refused_if_many_were_learned() -> None:
    """Ukrainian *передача* has no plural in *-чи*, as no noun has."""
    many = [
        ("", f"{x}{y}{stem}a", f"{x}{y}{stem}i") for stem in STEMS for x, y in product("xyz", "ae")
    ]
    assert SuffixRules(many).predict("", "dača") == ""
    assert SuffixRules(many).predict("", "data") == "dati"
    assert SuffixRules(many[:30]).predict("", "dača") == "dači"


def test_nouns_of_a_gender_that_does_not_agree_are_no_heads(tmp_path: Path) -> None:
    """Plural neuters of Ancient Greek have singular verbs."""
    neuters = set(NOUNS[:4])

    def with_gender(rows: list[str]) -> list[str]:
        cells = [row.split("\t") for row in rows]
        for row in cells:
            if row[3] == "NOUN":
                row[5] = f"Gender={'Neut' if row[2] in neuters else 'Masc'}|{row[5]}"
        subject, verb = cells[1], cells[5]
        if subject[2] in neuters and "Plur" in subject[5]:
            verb[5] = verb[5].replace("Plur", "Sing")
            verb[1] = "is" if verb[2] == "be" else f"{verb[2]}s"
        return ["\t".join(row) for row in cells]

    assert neuters & heads(composed(tmp_path, lambda rows: rows))
    suite = composed(tmp_path, with_gender)
    assert heads(suite)
    assert not neuters & heads(suite)


def test_verbs_whose_subjects_have_another_case_in_some_tense_are_no_targets(
    tmp_path: Path,
) -> None:
    """Georgian and Hindi: the subject is an ergative in the past."""
    split = set(VERBS[:6])

    def with_ergatives(rows: list[str]) -> list[str]:
        rows = with_cases(rows)
        is_ergative = rows[-1].split("\t")[2] in split and rows[1].split("\t")[2] in NOUNS[::2]
        return [rows[0], rows[1].replace("Nom", "Erg") if is_ergative else rows[1], *rows[2:]]

    assert predicates(composed(tmp_path, with_cases)) & split
    suite = composed(tmp_path, with_ergatives)
    assert predicates(suite) & {*VERBS[6:]}
    assert not predicates(suite) & split


def test_forms_that_differ_in_a_movable_letter_are_one(tmp_path: Path) -> None:
    def with_movable(rows: list[str]) -> list[str]:
        return [row.replace("s\t", "ν\t", 1) if "\tVERB\t" in row else row for row in rows]

    assert "bleed" in predicates(composed(tmp_path, with_movable, "xx"))
    greek = composed(tmp_path, with_movable, "grc")
    assert predicates(greek)
    assert "bleed" not in predicates(greek)


def test_the_lemma_is_the_form_where_forms_nearly_always_are(tmp_path: Path) -> None:
    """*oxens* is the plural of *ox*, not of *oxen* (Polish *uczeń*, plural *uczniowie*)."""

    def with_ox(rows: list[str]) -> list[str]:
        rows = [row.replace("\tbanner\tbanner", "\tborder\tborder") for row in with_cases(rows)]
        return [row.replace("banners\tbanner", "oxens\tox") for row in rows]

    def with_genitives(rows: list[str]) -> list[str]:
        rows = with_ox(rows)
        return [*rows[:4], rows[4].replace("\tborder\tborder", "\toxgen\tox"), *rows[5:]]

    suite = composed(tmp_path, with_genitives)
    assert {"ox", "oxens"} <= heads(suite)
    assert "oxen" not in heads(suite)


def test_a_script_without_capitals_for_first_letters_gets_none(tmp_path: Path) -> None:
    """Georgian has capitals for whole words only."""
    suite = composed(tmp_path, lambda rows: [row.replace("the\tthe", "და\tთე") for row in rows])
    assert {facts(item).tokens[0] for item in suite.items} == {"და"}


@pytest.mark.shared
def test_a_form_that_only_stands_before_a_suffix_is_not_used() -> None:
    """Hebrew *חובותי* is a part of *חובותיו*, *his debts*."""
    suite = cg.compose(cg.mine(shared("treebanks/UD_Hebrew-IAHLTwiki")), sets=100)
    assert len(suite.items) > 1_000
    assert not any(token.endswith("חובותי") for item in suite.items for token in facts(item).tokens)


@pytest.mark.shared
def test_slovenian_clauses_begin_with_no_clitic() -> None:
    suite = cg.compose(cg.mine(shared("treebanks/UD_Slovenian-SSJ")), sets=100)
    firsts = {facts(item).tokens[0] for item in suite.items}
    assert "Mene" in firsts
    assert not firsts & {"Me", "Te"}


@pytest.mark.shared
def test_a_variant_of_the_accusative_does_not_tell_it_from_the_nominative() -> None:
    """Latin *urbis* beside *urbes*: *urbes artium fert* is right, with *urbes* as the object."""
    suite = cg.compose(cg.mine(shared("treebanks/UD_Latin-Perseus")), sets=100)
    firsts = {facts(item).tokens[0] for item in suite.items if "fert" in (
        facts(item).right, facts(item).wrong)}  # fmt: skip
    assert len(suite.items) > 1_000
    assert "Urbes" not in firsts
