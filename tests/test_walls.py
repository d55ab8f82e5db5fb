"""Walls of the house that import-linter does not hold (`pyproject.toml` has those that it does)."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "colorless_green"
ROOMS = ("data", "miner", "nonce", "scoring", "humans", "verbs", "cli")
MOST_LOOSE = 10  # files of a room outside its folders; `data` is the ground floor, and loose
MOST_PUBLIC = {"data": 66, "miner": 40, "nonce": 71, "scoring": 70, "humans": 78}  # may only fall


def sources() -> Iterator[Path]:
    for room in ROOMS[:-1]:
        yield from (ROOT / room).rglob("*.py")
    yield from ROOT.glob("*.py")


@cache
def graph() -> grimp.ImportGraph:
    """Every import of the package's modules, lazy ones and those for types alone too."""
    return grimp.build_graph(PACKAGE, cache_dir=None)


def absolute_names(text: str) -> list[str]:
    """Return what a module imports by our own name, or names in a string as `module:attribute`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            found.append(node.module or "")
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += re.findall(rf"^{PACKAGE}\.[\w.]+(?=:\w+$)", node.value)
    return [name for name in found if name.split(".")[0] == PACKAGE]


def test_the_package_imports_itself_relatively() -> None:
    """So that a checkout, in which no folder has our name, explains itself to editors and tools."""
    absolute = {
        path.relative_to(ROOT).as_posix(): names
        for path in sources()
        if (names := absolute_names(path.read_text("utf-8")))
    }
    assert absolute == {}


@pytest.mark.parametrize(
    "line",
    [
        "from colorless_green import mine",
        "import colorless_green.data.errors as errors",
        "def f():\n    from colorless_green.data import errors",
        'TABLE = {"x": "colorless_green.scoring.x:load"}',
    ],
)
def test_an_absolute_import_is_seen(line: str) -> None:
    assert absolute_names(line)


def named_modules(text: str) -> list[str]:
    """Return the modules of ours that strings name, as `.module:attribute`: those that need
    torch."""
    constants = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    names = [re.fullmatch(r"\.([\w.]+):\w+", text) for text in constants if isinstance(text, str)]
    return [name[1] for name in names if name]


def test_modules_that_strings_name_are_there() -> None:
    named = {name for path in sources() for name in named_modules(path.read_text("utf-8"))}
    assert len(named) > 5
    assert {name for name in named if f"{PACKAGE}.{name}" not in graph().modules} == set()


def circles(imported: dict[str, set[str]]) -> list[list[str]]:
    """Return the sets of modules that reach one another by imports."""
    reached: dict[str, set[str]] = {}
    for module in imported:
        seen: set[str] = set()
        pending = [module]
        while pending:
            for target in imported.get(pending.pop(), set()) - seen:
                seen.add(target)
                pending.append(target)
        reached[module] = seen
    within = {
        frozenset({other for other in reached[module] if module in reached.get(other, set())})
        for module in imported
        if module in reached[module]
    }
    return sorted(sorted(circle) for circle in within)


def test_no_circle_of_modules() -> None:
    """A package's face counts, too: what a module takes from the `__init__.py` above it."""
    imported = {
        module: graph().find_modules_directly_imported_by(module) for module in graph().modules
    }
    assert circles(imported) == []


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]
    assert circles({"a": {"a.b"}, "a.b": {"a"}}) == [["a", "a.b"]]


def intrusions(imports: set[tuple[str, str]]) -> list[str]:
    """Import of a private module, whose name or folder begins with `_`, from another folder."""
    return sorted(
        f"{importer} -> {imported}"
        for importer, imported in imports
        for parts in [imported.split(".")]
        for at in range(len(parts))
        if parts[at].startswith("_") and importer.split(".")[:at] != parts[:at]
    )


def test_private_modules_stay_in_their_folder() -> None:
    imports = {
        (module, imported)
        for module in graph().modules
        for imported in graph().find_modules_directly_imported_by(module)
    }
    assert intrusions(imports) == []
    assert any(part.startswith("_") for _, module in imports for part in module.split("."))


def test_an_intrusion_is_seen() -> None:
    assert intrusions({("a.b.c", "a.b._d"), ("a.b.e.f", "a.b._d")}) == []
    assert intrusions({("a.c", "a.b._d")}) == ["a.c -> a.b._d"]


def test_a_room_has_few_loose_files() -> None:
    loose = {
        room: len([path for path in (ROOT / room).glob("*.py") if path.stem != "__init__"])
        for room in ("miner", "nonce", "scoring", "humans")
    }
    assert {room: n_files for room, n_files in loose.items() if n_files > MOST_LOOSE} == {}


def test_a_file_name_stands_for_one_thing() -> None:
    """No two rooms have a file of one name, but where it is the same thing in both."""
    same = {"detect"}  # which format a file has: of suites, of answers
    rooms_of: dict[str, set[str]] = {}
    for path in sources():
        if path.stem not in ("__init__", *same):
            rooms_of.setdefault(path.stem.lstrip("_"), set()).add(path.relative_to(ROOT).parts[0])
    assert {name: rooms for name, rooms in rooms_of.items() if len(rooms) > 1} == {}


@pytest.mark.parametrize("room", MOST_PUBLIC)
def test_public_names_are_few_and_fewer(room: str) -> None:
    offered = import_module(f"{PACKAGE}.{room}").__all__
    assert len(offered) <= MOST_PUBLIC[room]


def rooms_script() -> ModuleType:
    specification = spec_from_file_location("rooms", ROOT / "docs/rooms.py")
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_picture_of_the_rooms_is_as_the_imports_are() -> None:
    """`python docs/rooms.py` draws it anew."""
    script = rooms_script()
    assert (ROOT / "docs/rooms.svg").read_text("utf-8") == script.drawing()
    for room in ("", *ROOMS[:-1]):
        arrows = script.imports_between(script.imports(), room)
        assert script.arrows_back(script.floors(arrows), arrows) == set()


def to_add() -> list[str]:
    """Return the rows of CONTRIBUTING's table of what to touch."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("## To add")[2].partition("\n## ")[0]
    return [line for line in table.splitlines() if line.startswith("| ")][2:]


def lacking(row: str) -> list[str]:
    """Files that a row names and that are not there; names that it says a file has, and has not.

    NAME and CODE stand for any name. A bare file name is one in the folder of the row's first file.
    """
    cells = row.split("|")
    folder = next(
        (Path(name).parent for name in re.findall(r"`([\w/*.]+/[\w*.]*)`", cells[2])), None
    )
    wrong = []
    for name in re.findall(r"`([\w/*.-]+(?:/|\.(?:py|toml|md|csv)))`", row):
        pattern = re.sub(r"\b(NAME|CODE)\b", "*", name.rstrip("/"))
        near = [] if folder is None else list((ROOT / folder).glob(pattern))
        if not near and not list(ROOT.glob(pattern)):
            wrong.append(name)
    for names, file in re.findall(r"((?:`[A-Z_]+`(?:, )?)+) in `([\w/.]+\.py)`", row):
        path = ROOT / file
        text = path.read_text("utf-8") if path.is_file() else ""
        wrong += [
            f"{name} in {file}"
            for name in re.findall(r"\w+", names)
            if not re.search(rf"^{name}\b", text, re.MULTILINE)
        ]
    return wrong


def test_what_to_touch_is_there() -> None:
    rows = to_add()
    assert len(rows) > 15
    assert {row: wrong for row in rows if (wrong := lacking(row))} == {}


def test_a_row_that_leads_nowhere_is_seen() -> None:
    assert lacking("| a thing | `miner/nowhere/NAME.py` | |") == ["miner/nowhere/NAME.py"]
    assert lacking("| a thing | `data/errors.py` | `NOTHING` in `data/errors.py` |") == [
        "NOTHING in data/errors.py"
    ]
