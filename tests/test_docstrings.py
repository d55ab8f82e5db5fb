"""Docstrings of public names are complete, and their examples run as they stand."""

import ast
import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

RUN = re.compile(r">>> (?!.*# doctest: \+SKIP)")  # what is fetched, or needs a model, is not
ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for room in ("data", "miner", "nonce", "scoring", "humans")
    for path in (ROOT / room).rglob("*.py")
    if RUN.search(path.read_text(encoding="utf-8"))
)
STUBS = sorted(path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("*/__init__.pyi"))
ENTRY = re.compile(r" {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*):")
RECORDS = {"dataclass", "NamedTuple"}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(
        import_module(f"colorless_green.{name}"), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("room", [".", *STUBS])
def test_docstrings_of_public_names_are_complete(room: str) -> None:
    faults = [fault for where, node in _public(ROOT / room) for fault in _faults(where, node)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("code", "lacking"),
    [
        ('def f(a, *b, c=1, **d) -> int:\n """F."""', ["a", "b", "c", "d", "Returns:"]),
        (
            'def f(a, b) -> int:\n """F.\n\n    Args:\n        a, b: two.\n\n'
            '    Returns:\n        c: x.\n    """',
            [],
        ),
        ('def f(a) -> None:\n """F.\n\n    Args:\n        a: one\n            b: two\n    """', []),
        ('def f() -> Iterator[int]:\n """F.\n\n    Yields:\n        Each.\n    """', []),
        ('@dataclass(frozen=True)\nclass A:\n """A."""\n x: int\n _y: int\n', ["x"]),
        (
            'class A(NamedTuple):\n """A.\n\n    Attributes:\n        x: one.\n    """\n'
            " x: int\n y: int",
            ["y"],
        ),
        ("class A(Protocol):\n x: int", ["a docstring"]),
    ],
)
def test_what_a_docstring_lacks_is_named(code: str, lacking: list[str]) -> None:
    (node,) = ast.parse(code).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    assert list(_faults("f", node)) == [f"f: {part}" for part in lacking]


def _public(folder: Path) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """(module.name, definition) of each function and class that the stub of a folder names."""
    stub = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    for line in stub.body:
        if isinstance(line, ast.ImportFrom) and line.module:
            path = folder.joinpath(*line.module.split("."))
            path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            names = {alias.name for alias in line.names}
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
                    yield f"{line.module}.{node.name}", node


def _faults(where: str, node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """Yield what the docstring does not name: parameters, what is returned, fields of a record."""
    text = ast.get_docstring(node)
    if not text:
        yield f"{where}: a docstring"
        return
    if isinstance(node, ast.ClassDef):
        marks = [*node.bases, *node.decorator_list]
        called = {ast.unparse(mark).partition("(")[0] for mark in marks}
        wanted = [
            line.target.id
            for line in node.body
            if isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and "ClassVar" not in ast.unparse(line.annotation)
        ]
        wanted = [name for name in wanted if not name.startswith("_")] if called & RECORDS else []
        section = "Attributes:"
    else:
        all_of = node.args
        parameters = [*all_of.posonlyargs, *all_of.args, all_of.vararg, *all_of.kwonlyargs]
        wanted = [one.arg for one in (*parameters, all_of.kwarg) if one is not None]
        section = "Args:"
    named = _entries(text, section)
    yield from (f"{where}: {name}" for name in wanted if name not in named)
    if (
        isinstance(node, ast.FunctionDef)
        and node.returns is not None
        and ast.unparse(node.returns) not in ("None", "NoReturn")
        and not re.search(r"^(Returns|Yields):$", text, re.MULTILINE)
    ):
        yield f"{where}: Returns:"


def _entries(text: str, section: str) -> set[str]:
    """Return the names that a section of a docstring explains; several may share a line."""
    lines = iter(text.split("\n"))
    names: set[str] = set()
    if section in lines:  # the iterator stands behind it
        for line in lines:
            if line and not line.startswith(" "):
                break
            if entry := ENTRY.match(line):
                names.update(name.strip(" *") for name in entry[1].split(","))
    return names
