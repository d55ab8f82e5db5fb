"""The reference pages of the site: made from the code, and nothing is missing in them."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green import cli
from colorless_green.data import FORMATS
from colorless_green.humans import Rules
from colorless_green.miner import FILTERS, built_in
from colorless_green.nonce import BASELINES, FINDINGS, THRESHOLDS, realiser_languages
from colorless_green.scoring import ELICITATIONS
from docs.reference import PAGES, VERBS
from tests.builders import whole_command

ROOT = Path(__file__).resolve().parents[1]
NO_RULES = {"planned", "required", "unambiguous"}  # `required.FACT`; the others go with a rule


def sections(page: str) -> dict[str, str]:
    """Heading → what stands below it."""
    parts = re.split(r"^## (.+)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def command_line() -> dict[str, str]:
    return sections(PAGES["cli"]())


@pytest.fixture(scope="module")
def interface() -> dict[str, str]:
    return sections(PAGES["api"]())


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_option_of_a_verb_is_in_its_section(
    verb: tuple[str, ...], command_line: dict[str, str]
) -> None:
    command = whole_command()
    for name in verb:
        command = command.get_command(None, name)
    shown = command_line[" ".join(("colorless", *verb))]
    options = [
        name
        for each in command.params
        if not getattr(each, "hidden", False) and each.param_type_name == "option"
        for name in each.opts
    ]
    assert options
    assert [each for each in options if each not in shown] == []
    assert "Examples:" in shown


@pytest.mark.slow
def test_every_verb_has_a_section(command_line: dict[str, str]) -> None:
    names = {f"colorless {name}" for name in cli.VERBS}
    names |= {f"colorless humans {name}" for name in cli.HUMANS_VERBS}
    assert set(command_line) == names | {"colorless"}


def test_every_public_name_has_a_section_with_its_arguments(interface: dict[str, str]) -> None:
    public = {
        name
        for name in cg.__all__
        if inspect.isfunction(getattr(cg, name)) or inspect.isclass(getattr(cg, name))
    }
    assert set(interface) == public
    assert public == set(cg.__all__) - {"__version__"}
    for name in public:
        found = getattr(cg, name)
        assert inspect.getdoc(found), name
        if inspect.isfunction(found):
            for argument in inspect.signature(found).parameters:
                assert re.search(rf"^    {argument}\b", interface[name], re.M), (name, argument)


def test_attributes_of_a_class_are_listed_with_what_they_mean(interface: dict[str, str]) -> None:
    entry = "- `.originals` (Suite): the sentences with their wrong forms, as a suite.\n"
    assert entry in interface["Mining"]
    assert [name for name, shown in interface.items() if "Attributes:" in shown] == []


def test_the_tables_have_every_entry_of_the_packages_own() -> None:
    rows = set(re.findall(r"^\| `([^`]+)`", PAGES["tables"](), re.M))
    thresholds = {each.name for each in THRESHOLDS}
    assert rows >= {*FILTERS, *built_in(), *FINDINGS, *thresholds, *realiser_languages()}


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("mining", FILTERS),
        ("sets", [name for name, each in FINDINGS.items() if each.family != "leak"]),
        ("sets", BASELINES),
        ("suites", FORMATS),
        ("scoring", ELICITATIONS),
        ("people", [each.name for each in fields(Rules) if each.name not in NO_RULES]),
    ],
)
def test_the_guide_leaves_out_no_name(page: str, names: Iterable[str]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert [each for each in names if f"`{each}`" not in text] == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("index.html", *(f"{each}/index.html" for each in PAGES)):
        assert (tmp_path / name).stat().st_size > 3000
