"""The page as it is shipped: built from its sources, with its licences, and with every text."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from colorless_green.humans import texts as shipped

EXPORTS = Path(__file__).resolve().parents[2] / "humans" / "exports"
PAGE, STATIC = EXPORTS / "page", EXPORTS / "static"
LANGUAGES = ("de", "en", "es", "fr", "he", "it", "ru")


def texts(language: str) -> dict[str, str]:
    own = shipped(language)
    assert own is not None
    return dict(own.page)


@pytest.mark.slow
def test_the_shipped_page_is_what_its_sources_build(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    copy = tmp_path / "page"
    shutil.copytree(PAGE, copy, ignore=shutil.ignore_patterns("node_modules"))
    if (PAGE / "node_modules" / "esbuild").is_dir():
        (copy / "node_modules").symlink_to(PAGE / "node_modules")
    else:
        done = subprocess.run([npm, "ci"], cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"needs a registry that npm reaches: {done.stderr.strip()[-200:]}")
    subprocess.run([npm, "run", "build"], cwd=copy, capture_output=True, check=True)
    built = {path.relative_to(tmp_path / "static"): path.read_bytes() for path in files(tmp_path)}
    shipped = {path.relative_to(STATIC): path.read_bytes() for path in files(EXPORTS)}
    assert built.keys() == shipped.keys()
    assert [path for path in built if built[path] != shipped[path]] == []


def files(folder: Path) -> list[Path]:
    return [path for path in sorted((folder / "static").rglob("*")) if path.is_file()]


def test_the_lock_file_has_a_hash_for_every_package_and_no_address() -> None:
    text = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(text)["packages"]
    assert "://" not in text
    assert all("integrity" in each for name, each in packages.items() if name)
    exact = re.compile(r"\d+\.\d+\.\d+")
    wanted = json.loads((PAGE / "package.json").read_text(encoding="utf-8"))
    for version in (*wanted["dependencies"].values(), *wanted["devDependencies"].values()):
        assert exact.fullmatch(version)


def test_every_language_says_everything_with_the_same_places() -> None:
    english = texts("en")
    for language in LANGUAGES:
        own = texts(language)
        assert own.keys() == english.keys()
        for name, text in own.items():
            assert text.strip() == text
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[name]))


def test_italian_says_lei_in_every_text() -> None:
    own = shipped("it")
    assert own is not None
    checks = [text for name, text in own.check.items() if name != "words"]
    for text in (*texts("it").values(), *own.instructions.values(), *checks):
        assert not re.search(
            r"\b(?:tu|te|ti|tuoi?|tu[ae]|leggi|scegli|premi|scrivi|puoi)\b", text, re.I
        )


def test_no_french_mark_begins_a_line() -> None:
    """The space before it is one that no line breaks at: a question mark stood alone on a phone."""
    own = shipped("fr")
    assert own is not None
    checks = [text for name, text in own.check.items() if name != "words"]
    for text in (*texts("fr").values(), *own.instructions.values(), *checks):
        assert not re.search(r" [?!:;»]|« ", text)


def test_every_text_is_used_and_every_one_used_is_there() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (PAGE / "src").glob("*.js"))
    named = set(re.findall(r'["\x60]([a-z][a-z_]*)["\x60]', sources))
    made = {"about_", "feedback_", "progress_", "question_"}
    unused = [
        name
        for name in texts("en")
        if name.removesuffix("_text") not in named
        and name not in named
        and not any(name.startswith(each) for each in made)
    ]
    assert unused == []
    assert set(re.findall(r'say\("([a-z_]+)"', sources)) <= texts("en").keys()


def test_the_page_makes_nothing_of_text_and_loads_nothing_from_elsewhere() -> None:
    for path in (PAGE / "src").glob("*.js"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", source)
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert 'style="' not in page
    assert "url(" not in (STATIC / "page.css").read_text(encoding="utf-8")


def test_the_licences_of_what_is_in_the_page_come_with_it() -> None:
    text = (STATIC / "THIRD_PARTY.txt").read_text(encoding="utf-8")
    for name in ("auto-bind 4.0.0", "jspsych 8.3.0", "random-words 1.3.0", "seedrandom 3.0.5"):
        assert f"{name} (MIT)" in text
    assert text.count("WITHOUT WARRANTY OF ANY KIND") == 4
