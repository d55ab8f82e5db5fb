"""The docstring of a function says what it does and that of a class what it is: neither opens with
*Of, Whether, How, What, Which, Who, Where, That*, which ruff's D401 lets pass."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("data", "miner", "nonce", "scoring", "humans", "verbs")
RIDDLE = re.compile(r"\W*(?:of|whether|how|what|which|who|where|that)\b", re.IGNORECASE)


def test_docstrings_open_with_what_their_function_does_or_class_is() -> None:
    folders = (ROOT / room for room in ROOMS)
    modules = [*ROOT.glob("*.py"), *(path for folder in folders for path in folder.rglob("*.py"))]
    sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in modules}
    faults = [line for path, source in sources.items() for line in _riddles(path, source)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ('def f():\n """Return it."""', None),
        ('def f():\n """Offer it, whatever it is."""', None),
        ('def f():\n """What it is."""', "a.py:2: f: 'What it is.' is no opening"),
        ('def f():\n """*whether* so."""', "a.py:2: f: '*whether* so.' is no opening"),
        ('class A:\n def f(self):\n  """Of it."""', "a.py:3: f: 'Of it.' is no opening"),
        ('class A:\n """Who\'s who."""', 'a.py:2: A: "Who\'s who." is no opening'),
        ('async def f():\n """\n That."""', "a.py:2: f: 'That.' is no opening"),
        ('"""What a module holds."""', None),
    ],
)
def test_what_is_refused(source: str, fault: str | None) -> None:
    assert _riddles("a.py", source) == ([] if fault is None else [fault])


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
