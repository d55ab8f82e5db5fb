"""The docstring of a function says what it does and that of a class what it is: neither opens with
*Of, Whether, How, What, Which, Who, Where, That*, which ruff's D401 lets pass."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("data", "miner", "nonce", "scoring", "humans", "verbs")
UNMENDED = Path(__file__).with_name("unmended.txt")
RIDDLE = re.compile(r"\W*(?:of|whether|how|what|which|who|where|that)\b", re.IGNORECASE)


def test_docstrings_open_with_what_their_function_does_or_class_is() -> None:
    """Modules that are not mended yet are in `unmended.txt`, which only shrinks."""
    folders = (ROOT / room for room in ROOMS)
    modules = [*ROOT.glob("*.py"), *(path for folder in folders for path in folder.rglob("*.py"))]
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in modules}
    faults = _faults(sources, UNMENDED.read_text("utf-8").split())
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("source", "unmended", "fault"),
    [
        ('def f():\n """Return it."""', False, None),
        ('def f():\n """Offer it, whatever it is."""', False, None),
        ('def f():\n """What it is."""', False, "a.py:2: f: 'What it is.' is no opening"),
        ('def f():\n """*whether* so."""', False, "a.py:2: f: '*whether* so.' is no opening"),
        ('class A:\n def f(self):\n  """Of it."""', False, "a.py:3: f: 'Of it.' is no opening"),
        ('class A:\n """Who\'s who."""', False, 'a.py:2: A: "Who\'s who." is no opening'),
        ('async def f():\n """\n That."""', False, "a.py:2: f: 'That.' is no opening"),
        ('"""What a module holds."""', False, None),
        ('def f():\n """What it is."""', True, None),
        ('def f():\n """Return it."""', True, "a.py is mended: take it off the list"),
    ],
)
def test_what_is_refused(source: str, unmended: bool, fault: str | None) -> None:
    faults = _faults({"a.py": source}, ["a.py"] if unmended else [])
    assert faults == ([] if fault is None else [fault])


def test_a_listed_module_exists() -> None:
    assert _faults({}, ["gone.py"]) == ["gone.py is not there: take it off the list"]


def _faults(sources: dict[str, str], unmended: Iterable[str]) -> list[str]:
    """Return what is wrong with modules (path → source) and the list of those not mended yet."""
    faults = {path: _riddles(path, source) for path, source in sources.items()}
    for path in unmended:
        state = "mended" if path in faults else "not there"
        faults[path] = [] if faults.get(path) else [f"{path} is {state}: take it off the list"]
    return [fault for found in faults.values() for fault in found]


def _riddles(path: str, source: str) -> list[str]:
    """Return a line for each docstring of a function or class that opens with a refused word."""
    riddles = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(node) or ""
            if RIDDLE.match(text):
                opening = text.partition("\n")[0]
                line = node.body[0].lineno
                riddles.append(f"{path}:{line}: {node.name}: {opening!r} is no opening")
    return riddles
