"""The tables of releases, treebanks and sets; names looked up in them; licences that are stated."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.data.fetch.catalogue import (
    SetPart,
    TreebankEntry,
    find,
    parts_named,
    published_sets,
    releases,
    treebank_named,
    treebanks,
    treebanks_of_release,
    version_of,
)
from colorless_green.data.fetch.fetched_folder import licence_of, withholds_text
from colorless_green.data.languages import checked_language
from tests.builders import shared
from tests.data.misbehaving_server import refused

NEWEST = list(releases())[-1]
README = """# Summary
A treebank. License: see below.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.0
License: CC BY-NC-SA 3.0
Includes text: {text}
Genre: news
"""
PARTS = {"NC": "NonCommercial", "SA": "ShareAlike", "ND": "NoDerivatives"}


@pytest.mark.parametrize("version", releases())
def test_each_release_has_as_many_treebanks_as_the_release_says(version: str) -> None:
    """Two independent facts: memberships by treebank, and the number stated of each release."""
    assert len(treebanks_of_release(version)) == int(releases()[version]["n_treebanks"])


def test_releases_are_in_the_order_of_their_dates() -> None:
    rows = releases()
    assert list(rows) == [f"2.{minor}" for minor in range(len(rows))]
    dates = [row["date"] for row in rows.values()]
    assert dates == sorted(dates)
    assert all(re.fullmatch(r"1-[0-9]+", row["handle"]) for row in rows.values())
    assert all(re.fullmatch(r"[0-9a-f]{64}|", row["sha256"]) for row in rows.values())


def test_a_code_is_the_language_and_the_lower_case_name_of_the_repository() -> None:
    for entry in treebanks():
        assert re.fullmatch("UD_[A-Z][A-Za-z_]*-[A-Za-z0-9]+", entry.repository)
        assert entry.code == f"{entry.language}_{entry.repository.partition('-')[2].lower()}"


def test_codes_and_repositories_present_and_former_are_all_different() -> None:
    names = [
        name for entry in treebanks() for name in (entry.code, entry.repository, *entry.former)
    ]
    assert len(names) == len(set(names))


def test_treebanks_of_one_language_name_have_one_code() -> None:
    codes: dict[str, set[str]] = {}
    for entry in treebanks():
        codes.setdefault(entry.repository.partition("-")[0], set()).add(entry.language)
    assert [name for name, found in codes.items() if len(found) > 1] == []


@given(st.sampled_from(treebanks()), st.sampled_from([str.upper, str.lower, str]))
def test_a_treebank_is_found_by_all_its_names_in_any_case(
    entry: TreebankEntry, case: object
) -> None:
    for name in (entry.code, entry.repository, *entry.former):
        assert treebank_named(case(name)) is entry  # type: ignore[operator]


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
    entry = treebank_named(name)
    assert entry is not None
    assert entry.repository == repository


def test_a_treebank_that_paused_was_not_in_the_releases_between() -> None:
    entry = treebank_named("pt_gsd")
    assert entry is not None
    assert [entry.in_release(version) for version in ("2.11", "2.12", "2.13")] == [1, 0, 1]


def test_a_release_newer_than_the_table_is_taken_to_have_what_the_last_one_had() -> None:
    there, gone = treebank_named("it_isdt"), treebank_named("ja_modern")
    assert there is not None
    assert gone is not None
    assert there.in_release("2.99")
    assert not gone.in_release("2.99")


@given(st.integers(0, 18), st.integers(0, 18), st.integers(0, 18))
def test_versions_are_ordered_as_numbers(first: int, last: int, at: int) -> None:
    entry = TreebankEntry("x_y", "UD_X-Y", [f"2.{first}-2.{last}"], [])
    assert entry.in_release(f"2.{at}") == (first <= at <= last)


@pytest.mark.parametrize(
    ("text", "version"),
    [("", NEWEST), ("2.16", "2.16"), ("r2.0", "2.0"), ("v2.5", "2.5"), ("2.0-test", "2.0-test")],
)
def test_a_version_may_have_the_letter_of_its_tag(text: str, version: str) -> None:
    assert version_of(text, "release") == version


@pytest.mark.parametrize("text", ["1.4", "two", "2", "2.", "2.16.1", "../2.16", "2.1٢", " 2.16"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with refused("value", "release"):
        version_of(text, "release")


def test_a_name_is_taken_apart_at_its_marks() -> None:
    assert find("it_isdt@v2.16", "2.18") == (treebank_named("UD_Italian-ISDT"), "2.16")
    assert find("UD_English", "2.5") == (treebank_named("en_ewt"), "2.5")
    found, commit = find(f"MultiBLiMP:nld@{'a1' * 20}", "2.18")
    assert isinstance(found, list)
    (part,) = found
    assert (part.name, part.part, part.language, commit) == ("multiblimp", "nld", "nld", "a1" * 20)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("it_isd", "it_isdt"),
        ("it", "--language it"),
        ("it", "it_isdt"),
        ("blmp", "blimp"),
        ("§§§", ""),
    ],
)
def test_an_unknown_name_is_answered_with_names_like_it(name: str, near: str) -> None:
    with pytest.raises(InputError) as caught:
        find(name, "2.16")
    assert (caught.value.kind, caught.value.location) == ("unknown", repr(name))
    assert near in caught.value.right.casefold()


ROWS = [row for parts in published_sets().values() for row in parts if row.part != "*"]
ROWS += [parts_named(name, "ita")[0] for name in ("multiblimp", "unimorph")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}:{row.part}")
def test_a_part_is_pinned_and_has_its_language_and_licence(row: SetPart) -> None:
    assert re.fullmatch("[0-9a-f]{40}", row.revision) or (row.name, row.part) == ("unimorph", "ita")
    assert checked_language(row.language)
    assert row.licence
    assert re.fullmatch(row.files, "README.md") is None
    assert row.address.format(revision="x").startswith("https://")


@given(st.data(), st.sampled_from(ROWS))
def test_a_path_that_a_set_wants_ends_in_a_plain_name(data: st.DataObject, row: SetPart) -> None:
    path = data.draw(st.from_regex(row.files, fullmatch=True))
    assert re.fullmatch(r"([A-Za-z0-9_]+/)*[A-Za-z0-9_][A-Za-z0-9_.-]*", path)


def test_the_parts_of_a_set_have_one_archive() -> None:
    for parts in published_sets().values():
        if parts[-1].part != "*":
            assert len({(row.address, row.revision) for row in parts}) == 1


@given(
    st.lists(st.sampled_from(sorted(PARTS)), unique=True, max_size=2).map(sorted),
    st.sampled_from(["2.0", "2.5", "3.0", "4.0"]),
)
def test_a_creative_commons_licence_is_known_however_it_is_written(
    parts: list[str], version: str
) -> None:
    wanted = "-".join(["CC", "BY", *sorted(parts, key=["NC", "SA", "ND"].index), version])
    order = sorted(parts, key=["NC", "SA", "ND"].index)
    short, long = (
        "-".join(["BY", *order]),
        "-".join(["Attribution", *map(PARTS.__getitem__, order)]),
    )
    for text in (
        f"CC {short} {version}",
        f"License: cc-{short.lower()}-{version}",
        f"under the Creative Commons {short} {version} licence",
        f"see http://creativecommons.org/licenses/{short.lower()}/{version}/legalcode",
        f"the Creative Commons License {long} {version} International.",
        f"the {long.replace('-', '-' + chr(10))} License\n{version}",
    ):
        assert licence_of("", text)[0] == wanted, text


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("LGPL-LR", "LGPLLR"),
        ("Lesser General Public License For Linguistic Resources", "LGPLLR"),
        ("GNU GENERAL PUBLIC LICENSE 3.0", "GPL-3.0-only"),
        ("GNU GPL 3.0", "GPL-3.0-only"),
        ("Apache License\nVersion 2.0", "Apache-2.0"),
        ("Apache-2.0", "Apache-2.0"),
        ("Apache 2.0", "Apache-2.0"),
        ("MIT", "MIT"),
        ("MIT License\n\nCopyright", "MIT"),
        ("Permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
        ("Texte mit Lizenz", ""),
        ("GPL-3.0-or-later", "GPL-3.0-or-later"),
        ("GPL-2.0-only", "GPL-2.0-only"),
        ("GNU GENERAL PUBLIC LICENSE\n  Version 2, June 1991", "GPL-2.0-only"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3", "LGPL-3.0-only"),
        ("LGPL-2.1-or-later", "LGPL-2.1-or-later"),
        ("AGPL-3.0", "AGPL-3.0-only"),
        ("BSD-3-Clause", "BSD-3-Clause"),
        ("MPL-2.0", "MPL-2.0"),
        ("ODC-By", "ODC-By-1.0"),
        ("CC0-1.0", "CC0-1.0"),
        ("see the website", ""),
        ("", ""),
    ],
)
def test_other_licences_are_known_by_their_names(text: str, licence: str) -> None:
    assert licence_of("", text)[0] == licence


def test_the_first_licence_named_is_meant() -> None:
    """Licence files go on with a legal text, which may name others (so that of Italian-ISDT)."""
    text = "under Attribution-NonCommercial-ShareAlike 3.0 Unported.\nAttribution-ShareAlike 3.0"
    assert licence_of("", text)[0] == "CC-BY-NC-SA-3.0"


def test_the_field_of_the_readme_decides_and_another_licence_in_the_file_is_reported() -> None:
    readme = README.format(text="yes")
    assert licence_of(readme, "CC BY-NC-SA 3.0") == ("CC-BY-NC-SA-3.0", "")
    assert licence_of(readme, "") == ("CC-BY-NC-SA-3.0", "")
    assert licence_of("", "CC BY 4.0") == ("CC-BY-4.0", "")
    licence, note = licence_of(readme, "CC BY-SA 4.0")
    assert licence == "CC-BY-NC-SA-3.0"
    assert "CC-BY-NC-SA-3.0" in note
    assert "CC-BY-SA-4.0" in note
    licence, note = licence_of("", "none")
    assert licence == ""
    assert note


def test_fields_stand_at_the_beginning_of_a_line_and_the_last_counts() -> None:
    readme = "License: CC BY 4.0\r\nno License: MIT License\r\nLicense: CC BY-SA 4.0 \r\n"
    assert licence_of(readme, "") == ("CC-BY-SA-4.0", "")
    assert licence_of("no License: CC BY 4.0\n", "")[0] == ""


@pytest.mark.parametrize(("text", "withheld"), [("no", True), ("No", True), ("yes", False)])
def test_withheld_text_is_a_field_too(text: str, withheld: bool) -> None:
    assert withholds_text(README.format(text=text)) is withheld
    assert not withholds_text("")


@pytest.mark.shared
def test_licence_files_of_treebanks_agree_with_what_their_readmes_say() -> None:
    """Of 58 treebanks two files name another licence than the README: theirs is the mistake."""
    table = shared("treebanks", "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (UD_\S+) \|.*\| ([^|]+) \|$", table, re.MULTILINE)
    assert len(rows) == 58
    other = [
        name
        for name, licence in rows
        if licence_of(
            f"License: {licence}",
            shared("treebanks", name, "LICENSE.txt").read_text("utf-8", "replace"),
        )[1]
    ]
    assert other == ["UD_Latin-UDante", "UD_Turkish-IMST"]
