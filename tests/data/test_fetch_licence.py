"""What a repository says about its licence and its texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.fetch.licence import licence_of, spdx, stated, withholds_text
from tests.builders import shared

PARTS = {"NC": "NonCommercial", "SA": "ShareAlike", "ND": "NoDerivatives"}
README = """# Summary
A treebank. License: see below.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.0
License: CC BY-NC-SA 3.0
Includes text: {text}
Genre: news
"""


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
        assert spdx(text) == wanted, text


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("LGPL-LR", "LGPLLR"),
        ("Lesser General Public License For Linguistic Resources", "LGPLLR"),
        ("GNU GENERAL PUBLIC LICENSE 3.0", "GPL-3.0-only"),
        ("GNU GPL 3.0", "GPL-3.0-only"),
        ("Apache License\nVersion 2.0", "Apache-2.0"),
        ("see the website", ""),
        ("", ""),
    ],
)
def test_other_licences_are_known_by_their_names(text: str, licence: str) -> None:
    assert spdx(text) == licence


def test_the_first_licence_named_is_meant() -> None:
    """Licence files go on with a legal text, which may name others (so that of Italian-ISDT)."""
    text = "under Attribution-NonCommercial-ShareAlike 3.0 Unported.\nAttribution-ShareAlike 3.0"
    assert spdx(text) == "CC-BY-NC-SA-3.0"


def test_the_field_of_the_readme_decides_and_another_licence_in_the_file_is_reported() -> None:
    readme = README.format(text="yes")
    assert licence_of(readme, "CC BY-NC-SA 3.0") == ("CC-BY-NC-SA-3.0", "")
    assert licence_of(readme, "") == ("CC-BY-NC-SA-3.0", "")
    assert licence_of("", "CC BY 4.0") == ("CC-BY-4.0", "")
    assert licence_of(readme, "CC BY-SA 4.0") == (
        "CC-BY-NC-SA-3.0",
        "its README says CC-BY-NC-SA-3.0, its licence file CC-BY-SA-4.0",
    )
    assert licence_of("", "none") == ("", "it names no licence that is known here")


def test_fields_stand_at_the_beginning_of_a_line_and_the_last_counts() -> None:
    assert stated("License: A\r\nno License: B\r\nLicense: C \r\n") == {"License": "C"}


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
        if spdx(shared("treebanks", name, "LICENSE.txt").read_text("utf-8", "replace"))
        != spdx(licence)
    ]
    assert other == ["UD_Latin-UDante", "UD_Turkish-IMST"]
