"""What the tutorials show is run: `python -m tests.tutorials` writes what their commands print.

A block of ```console has commands behind `$ `, each with the output shown below it, if any; `| head
-N` keeps the first N lines. A block of ```python is run as it stands. A block after the comment
`<!-- not run: REASON -->` is passed over.
"""

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.builders import colorless

DOCS = Path(__file__).resolve().parents[1] / "docs"
TUTORIALS = sorted(DOCS.glob("tutorial-*.md"))
WIDTH = 100
BLOCK = re.compile(
    r"(?P<mark><!-- not run: [^\n]+ -->\n+)?```(?P<kind>console|python)\n(?P<body>.*?)```", re.S
)


@dataclass(frozen=True)
class Step:
    """A command or a piece of Python, and what the page shows of its output."""

    kind: str
    source: str
    shown: str


def steps(text: str) -> Iterator[Step]:
    """Yield what a page asks its reader to run, in order."""
    for block in BLOCK.finditer(text):
        if block["mark"]:
            continue
        if block["kind"] == "python":
            yield Step("python", block["body"], "")
            continue
        for part in re.split(r"^\$ ", block["body"], flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield Step("console", command, shown)


def run(step: Step, folder: Path, names: dict[str, object]) -> str:
    """Return what a step prints: stdout, or the one line of its error."""
    if step.kind == "python":
        here = Path.cwd()
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(step.source, "tutorial", "exec"), names)
        finally:
            os.chdir(here)
        return printed.getvalue()
    words = shlex.split(step.source)
    n_lines = None
    if "|" in words:
        place = words.index("|")
        assert words[place + 1] == "head", step.source
        n_lines = -int(words[place + 2])
        words = words[:place]
    assert words[0] == "colorless", step.source
    with patch.dict(os.environ, COLUMNS=str(WIDTH)):
        done = colorless(*words[1:], cwd=folder)
    assert (done.error is None) == (done.returncode in (0, 1)), (step.source, done.stderr)
    if done.error is not None:
        return f"{done.error}\n"
    return "".join(f"{_cut(line)}\n" for line in done.stdout.splitlines()[:n_lines])


def _cut(line: str) -> str:
    return line.rstrip() if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"


def filled(text: str, folder: Path) -> str:
    """Return a page with the output of its commands made anew, where it shows any."""
    names: dict[str, object] = {}
    for step in steps(text):
        printed = run(step, folder, names)
        if step.kind == "console" and step.shown:
            before, command, after = text.partition(f"$ {step.source}\n{step.shown}")
            assert command, step.source
            text = f"{before}$ {step.source}\n{printed}{after}"
    return text


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:] or TUTORIALS):
        with TemporaryDirectory() as folder:
            text = page.read_text(encoding="utf-8")
            page.write_text(filled(text, Path(folder)), encoding="utf-8")
