"""The README's commands and their output: `python -m tests.readme FOLDER` writes what they print.

FOLDER is an empty folder that holds the treebank the README names.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"```console\n\$ (?P<command>colorless [^\n]*)\n(?P<output>.*?)```", re.DOTALL)
WIDTH = 136


def examples() -> list[tuple[str, str]]:
    """(command, output) of every console block."""
    text = README.read_text(encoding="utf-8")
    return [(match["command"], match["output"]) for match in BLOCK.finditer(text)]


def run(command: str, folder: Path) -> str:
    """What a command prints on stdout, cut to the README's width as the README shows it."""
    done = subprocess.run(
        [sys.executable, "-m", "colorless_green", *command.split()[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=True,
    )
    return "".join(f"{_cut(line)}\n" for line in done.stdout.splitlines())


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"


def masked(line: str) -> str:
    """A line without the numbers of a neural model, which differ between machines."""
    if line.startswith(("recurrent ", "causal ")):
        return re.sub(r"\s+", " ", re.sub(r"\d[\d.]*", "#", line))
    return line


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
