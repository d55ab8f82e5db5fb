"""The documentation is run, not believed: tutorials, links, and which pages there are."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import colorless_green as cg
from docs import reference
from tests.tutorials import DOCS, TUTORIALS, run, steps

ROOT = DOCS.parent
PLUGIN = DOCS / "examples" / "plugin"
PAGES = sorted(DOCS.glob("*.md"))
LINK = re.compile(r"\]\(((?!https?:)[^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the names by which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", each)).lower() for each in headings]
    return {each.strip().replace(" ", "-") for each in plain}


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed the example of a plug-in."""
    folder = tmp_path_factory.mktemp("plugin")
    options = ["--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target"]
    command = [sys.executable, "-m", "pip", "install", *options, str(folder), str(PLUGIN)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda each: each.stem)
def test_every_command_of_a_tutorial_does_what_the_page_shows(
    page: Path, tmp_path: Path, plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem == "tutorial-plugin":
        monkeypatch.syspath_prepend(str(plugin))
    names: dict[str, object] = {}
    found = list(steps(page.read_text(encoding="utf-8")))
    assert len(found) > 3
    for step in found:
        printed = run(step, tmp_path, names)
        if step.shown:
            assert printed == step.shown, step.source


def test_what_the_tutorial_shows_of_the_plugin_is_in_it() -> None:
    announced = (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")
    entries = re.findall(
        r"```toml\n(.*?)```", (DOCS / "tutorial-plugin.md").read_text("utf-8"), re.S
    )[0]
    assert entries.strip() in announced


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "BENCHMARKS.md"])
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_the_site_and_its_first_page_list_every_page() -> None:
    configured = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    first = (DOCS / "index.md").read_text(encoding="utf-8")
    names = {each.name for each in PAGES}
    made = {f"{each}.md" for each in reference.PAGES}
    assert set(re.findall(r": ([\w-]+\.md)$", configured, re.M)) == names | made
    assert set(re.findall(r"\(([\w-]+\.md)\)", first)) == names - {"index.md"}


def test_the_page_on_settings_shows_settings_and_names_as_they_are(tmp_path: Path) -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    example, printed = re.findall(r"```toml\n(.*?)```", text, re.S)
    assert printed == cg.Rule().to_toml().strip() + "\n"
    (tmp_path / "near.toml").write_text(example, encoding="utf-8")
    rule = cg.Rule(extends=str(tmp_path / "near.toml"))
    assert set(rule.differing()) == {"min_gap", "max_gap", "filters"}
    plain, changed = cg.Rule(), cg.Rule(max_gap=8).label
    assert f"rule {plain.label} ({plain.digest})" in text
    assert f"`{changed}`" in text
    assert f"UD_Italian-VIT/{changed}/composed" in text
    assert f"nonce{cg.Recipe(n=5).label.removeprefix('default')}`" in text
    kinds = (cg.Rule, cg.Recipe, cg.Method, cg.Training)
    assert all(f"| {kind.NOUN} | `--{kind.NOUN}` |" in text for kind in kinds)
    assert all(f"| `{kind.DEFAULT}` |" in text for kind in kinds)


@pytest.mark.slow
def test_every_page_that_is_named_anywhere_is_there() -> None:
    named = re.compile(r"docs/([\w-]+\.md)")
    gone = []
    for top, folders, files in os.walk(ROOT):
        folders[:] = [
            each
            for each in folders
            if each not in {"build", "dist", "demo", "node_modules"} and not each.startswith(".")
        ]
        for path in (Path(top, name) for name in files if name != "CHANGELOG.md"):
            if path.suffix in {".py", ".md", ".toml", ".yml"}:
                text = path.read_text(encoding="utf-8", errors="replace")
                gone += [(path, each) for each in named.findall(text) if not (DOCS / each).exists()]
    assert gone == []


def test_the_pages_stay_short() -> None:
    assert len(PAGES) <= 17
    assert sum(len(each.read_text(encoding="utf-8").split()) for each in PAGES) <= 16_000
