"""The tables of releases, treebanks and sets, and names looked up in them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.catalogue import (
    REPOSITORY,
    checked_version,
    code_of_language,
    entries,
    entry_named,
    in_release,
    language_of,
    newest,
    of_release,
    order,
    parsed,
    published_sets,
    releases,
    set_named,
    unknown,
)
from colorless_green.data.fetch.listing import COMMIT


@pytest.mark.parametrize("release", releases(), ids=lambda release: release.version)
def test_each_release_has_as_many_treebanks_as_the_release_says(release: object) -> None:
    """Two independent facts: memberships by treebank, and the number stated of each release."""
    assert len(of_release(release.version)) == release.n_treebanks  # type: ignore[attr-defined]


def test_releases_stand_in_the_order_of_their_dates() -> None:
    found = releases()
    assert [each.version for each in found] == [f"2.{minor}" for minor in range(len(found))]
    assert [each.date for each in found] == sorted(each.date for each in found)
    assert all(re.fullmatch(r"1-[0-9]+", each.handle) for each in found)
    assert all(re.fullmatch(r"[0-9a-f]{64}|", each.sha256) for each in found)


def test_a_code_is_the_language_and_the_lower_case_name_of_the_repository() -> None:
    for entry in entries():
        assert REPOSITORY.fullmatch(entry.repository)
        assert entry.code == f"{language_of(entry)}_{entry.repository.partition('-')[2].lower()}"


def test_codes_and_repositories_present_and_former_are_all_different() -> None:
    names = [name for entry in entries() for name in (entry.code, entry.repository, *entry.former)]
    assert len(names) == len(set(names))


def test_treebanks_of_one_language_name_have_one_code() -> None:
    codes: dict[str, set[str]] = {}
    for entry in entries():
        codes.setdefault(entry.repository.partition("-")[0], set()).add(language_of(entry))
    assert [name for name, found in codes.items() if len(found) > 1] == []


@given(st.sampled_from(entries()), st.sampled_from([str.upper, str.lower, str]))
def test_a_treebank_is_found_by_all_its_names_in_any_case(entry: object, case: object) -> None:
    for name in (entry.code, entry.repository, *entry.former):  # type: ignore[attr-defined]
        assert entry_named(case(name)) is entry  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("UD_English", "UD_English-EWT"),
        ("cs_pdt", "UD_Czech-PDTC"),
        ("pl_sz", "UD_Polish-PDB"),
        ("UD_Portuguese-BR", "UD_Portuguese-GSD"),
        ("kmr_mg", "UD_Northern_Kurdish-Kurmanji"),
    ],
)
def test_a_former_name_means_the_treebank_it_became(name: str, repository: str) -> None:
    entry = entry_named(name)
    assert entry is not None
    assert entry.repository == repository


def test_a_treebank_that_paused_was_not_in_the_releases_between() -> None:
    entry = entry_named("pt_gsd")
    assert entry is not None
    assert [in_release(entry, version) for version in ("2.11", "2.12", "2.13")] == [1, 0, 1]


def test_a_release_newer_than_the_table_is_taken_to_have_what_the_last_one_had() -> None:
    there, gone = entry_named("it_isdt"), entry_named("ja_modern")
    assert there is not None
    assert gone is not None
    assert in_release(there, "2.99")
    assert not in_release(gone, "2.99")


@given(st.integers(0, 40), st.integers(0, 40))
def test_versions_are_ordered_as_numbers(a: int, b: int) -> None:
    assert (order(f"2.{a}") < order(f"2.{b}")) == (a < b)


@pytest.mark.parametrize(
    ("text", "version"),
    [("", newest()), ("2.16", "2.16"), ("r2.0", "2.0"), ("v2.5", "2.5"), ("2.0-test", "2.0-test")],
)
def test_a_version_may_have_the_letter_of_its_tag(text: str, version: str) -> None:
    assert checked_version(text, "--release") == version


@pytest.mark.parametrize("text", ["1.4", "two", "2", "2.", "2.16.1", "../2.16", "2.1٢", " 2.16"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_version(text, "--release")
    assert str(caught.value) == (
        f"--release: {text!r} is no release of Universal Dependencies 2; a version from 2.0 to "
        f"{newest()}"
    )


def test_a_name_is_taken_apart_at_its_marks() -> None:
    assert str(parsed("it_isdt@2.16")) == "Wanted(name='it_isdt', part='', version='2.16')"
    assert str(parsed("multiblimp:nld@x")) == "Wanted(name='multiblimp', part='nld', version='x')"


def test_a_language_goes_by_code_or_name() -> None:
    for text in ("grc", "Ancient Greek", "ancient_greek"):
        assert code_of_language(text, "--language") == "grc"
    with pytest.raises(InputError) as caught:
        code_of_language("Itallian", "--language")
    assert str(caught.value) == (
        "--language: no treebank of the language 'Itallian'; Italian, Lithuanian or Catalan"
    )


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("it_isd", "it_isdt, it_isst or it_vit"),
        ("it", "--language it for all treebanks of the language"),
        ("blmp", "blimp"),
        (
            "§§§",
            "a name that --list shows, or the full name of a repository, UD_Language-Name",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_names_like_it(name: str, remedy: str) -> None:
    said = str(unknown(name))
    assert said.startswith(f"{name!r}: neither a treebank nor a published set has this name; ")
    if name == "it_isd":
        assert "it_isdt" in said.rpartition("; ")[2]
    else:
        assert said.endswith(remedy)


def test_every_set_is_pinned_to_commits_but_one_that_has_a_repository_a_language() -> None:
    for published in published_sets():
        assert set_named(published.name.upper()) is published
        assert all(COMMIT.fullmatch(commit) for _, commit in published.revisions)
        assert ("" in dict(published.revisions)) == ("{part}" not in published.repository)
        pattern = re.compile(published.files.replace("{part}", "ita"))
        assert published.licence
        assert pattern.fullmatch("README.md") is None
