"""The package as it is shipped, and rules of the house that no linter knows."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("data", "miner", "nonce", "scoring", "humans", "verbs")


def sources() -> list[Path]:
    folders = [ROOT / room for room in (*ROOMS, "tests", "bench")]
    return [ROOT / "cli.py", *(path for folder in folders for path in folder.rglob("*.py"))]


def test_no_file_imports_a_room_by_its_bare_name() -> None:
    """`import miner` works from the checkout alone, by accident."""
    bare = re.compile(rf"^\s*(?:from|import) (?:{'|'.join((*ROOMS, 'cli'))})\b", re.MULTILINE)
    assert [path.name for path in sources() if bare.search(path.read_text("utf-8"))] == []


def test_tests_reach_rooms_by_their_public_names() -> None:
    """All but component oracles, which say in their first line what they are."""
    module = re.compile(
        r"^\s*(?:from|import) colorless_green\.(?:miner|nonce|scoring|humans)\.", re.M
    )
    reaching = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if module.search(text := path.read_text("utf-8"))
        and "omponent oracle" not in text.partition("\n")[0]
    ]
    assert reaching == []


def test_every_public_name_of_a_room_is_there() -> None:
    for room in ("miner", "nonce", "scoring", "humans"):
        offered = import_module(f"colorless_green.{room}")
        for name in offered.__all__:
            assert getattr(offered, name) is not None, f"{room}.{name}"


MOST_BYTES = 3 << 20  # of either archive


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel and a source archive of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_wheel_holds_one_package_with_its_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"colorless_green"}
    for needed in (
        "__init__.pyi",
        "nonce/__init__.pyi",
        "data/fetch/releases.tsv",
        "data/fetch/treebanks.tsv",
        "data/sample/en.conllu",
        "data/sample/it.toml",
        "miner/search/nouns.toml",
        "miner/search/patterns/languages.toml",
        "miner/search/patterns/ud.toml",
        "miner/originals/unimorph/languages.toml",
        "nonce/variants/ambiguity/languages.toml",
        "nonce/composed/languages.toml",
        "data/base.css",
        "nonce/page/page.css",
        "humans/page/templates/page.js",
        "nonce/page/page.html.jinja",
        "nonce/page/scripts/review.js",
        "nonce/variants/realise/languages/en.toml",
        "miner/originals/unimorph/ud.tsv",
        "data/published/gulordava2018.csv",
        "data/published/hu2020_syntaxgym.csv",
        "data/published/warstadt2020.csv",
        "humans/page/templates/page.html.jinja",
        "humans/study/texts/he.toml",
        "humans/exports/static/THIRD_PARTY.txt",
        "humans/exports/static/index.html",
        "humans/exports/static/page.js",
        "nonce/grammar/templates/marvin_linzen.toml",
        "py.typed",
        "cli.py",
        "verbs/command.py",
    ):
        assert f"colorless_green/{needed}" in names
    for needed in ("LICENSE", "NOTICE", "humans/exports/static/THIRD_PARTY.txt"):
        assert any(name.endswith(f".dist-info/licenses/{needed}") for name in names)
    unwanted = ("/tests/", "/bench/", "/docs/", "/node_modules/", "/exports/page/", "/.")
    assert not [name for name in names if any(part in name for part in unwanted)]
    assert not [name for name in names if name.endswith(".pyc")]


@pytest.mark.slow
def test_the_source_archive_has_no_loop_of_links(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = opened.getnames()
    assert not [
        name for name in names if re.search(r"\.dev|node_modules|\.venv|\.db$|\.pyc$", name)
    ]
    for needed in ("tests/test_layout.py", "LICENSE", "NOTICE", "CITATION.cff", "pyproject.toml"):
        assert any(name.endswith(f"/{needed}") for name in names)
    assert archive.stat().st_size < MOST_BYTES


def test_every_package_in_the_page_s_script_has_its_licence_beside_it() -> None:
    """jsPsych and what it contains; the list is written where the script is built."""
    notices = (ROOT / "humans/exports/static/THIRD_PARTY.txt").read_text(encoding="utf-8")
    packages = re.findall(r"^([\w-]+) \d+\.\d+\.\d+ \(([\w.-]+)\)$", notices, re.MULTILINE)
    assert {name for name, _ in packages} == {"auto-bind", "jspsych", "random-words", "seedrandom"}
    assert {licence for _, licence in packages} == {"MIT"}
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").lower()
    assert all(name in notice for name, _ in packages)


def test_versions_agree() -> None:
    from colorless_green import __version__

    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(__version__)}$", citation, re.MULTILINE)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {__version__}" in changes


def test_every_requirement_is_pinned_and_has_a_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for extra in extras.values() for each in extra)]
    for requirement in wanted:
        name = re.split(r"[><=\[]", requirement)[0].lower().replace("_", "-")
        if name == "colorless-green":
            continue
        assert name in pinned, name
    assert all(">=" in each and "<" in each for each in project["dependencies"])


def test_no_stray_file_is_in_the_root() -> None:
    """What an example or a trial leaves behind is not the project's."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("no copy of the repository")
    top = {name.partition("/")[0] for name in done.stdout.splitlines()}
    folders = {*ROOMS, "tests", "bench", "docs", ".ci", ".dev"}
    pages = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "BENCHMARKS.md", "mkdocs.yml"}
    package = {"__init__.py", "__init__.pyi", "__main__.py", "cli.py", "py.typed"}
    built = {"pyproject.toml", "constraints.txt", "Makefile", ".gitignore"}
    assert top <= folders | pages | package | built | {"LICENSE", "NOTICE", "CITATION.cff"}


def test_modules_stay_small() -> None:
    long = {
        str(path.relative_to(ROOT)): n_lines
        for path in sources()
        if "tests" not in path.parts
        for n_lines in [len(path.read_text("utf-8").splitlines())]
        if n_lines > 480
    }
    assert long == {}
