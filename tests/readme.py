"""The README's commands and their output: `python -m tests.readme FOLDER` writes what they print.

FOLDER is an empty folder that holds the treebanks the README names.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"```console\n\$ (?P<command>colorless [^\n]*)\n(?P<output>.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
PACKAGE = "SmolLM2"  # the model whose numbers differ between machines
WIDTH = 100


def examples() -> list[tuple[str, str]]:
    """(command, output) of every console block."""
    text = README.read_text(encoding="utf-8")
    return [(match["command"], match["output"]) for match in BLOCK.finditer(text)]


def python() -> str:
    """Return the README's one block of Python."""
    (found,) = PYTHON.findall(README.read_text(encoding="utf-8"))
    return str(found)


def run(command: str, folder: Path) -> str:
    """Return what a command prints on stdout, cut to the README's width; `| head -N` keeps N
    lines."""
    words = shlex.split(command)
    n_lines = None
    if "|" in words:
        place = words.index("|")
        assert words[place + 1] == "head", command
        n_lines = -int(words[place + 2])
        words = words[:place]
    done = subprocess.run(
        [sys.executable, "-m", "colorless_green", *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": str(WIDTH)},
        check=True,
    )
    return "".join(f"{_cut(line)}\n" for line in done.stdout.splitlines()[:n_lines])


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"


def masked(line: str) -> str:
    """Return a line without the shares of a neural model, which differ in the last digits."""
    if PACKAGE in line:
        return re.sub(r"\s+", " ", re.sub(r"\d\.\d+|\d+e-\d+", "#", line))
    return line


def shares(line: str) -> list[float]:
    """Return the shares in a line of a neural model."""
    return [float(each) for each in re.findall(r"\d\.\d+", line)] if PACKAGE in line else []


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    text = README.read_text(encoding="utf-8")
    for command, _ in examples():
        shown = run(command, folder)
        text = BLOCK.sub(
            lambda match, command=command, shown=shown: (  # type: ignore[misc]
                f"```console\n$ {command}\n{shown}```" if match["command"] == command else match[0]
            ),
            text,
        )
    README.write_text(text, encoding="utf-8")
