"""The page of the command line: `python -m tests.cli_reference > docs/cli.md`."""

import os
import subprocess
import sys

from colorless_green import cli

VERBS = (
    *((verb,) for verb in cli.VERBS),
    *(("humans", verb) for verb in cli.HUMANS_VERBS),
)
INTRODUCTION = """# The command line

Made from `--help`; a test holds it to that. Results go to stdout (a table for people, JSON lines
with `--json`), everything else to stderr. Exit codes: 0 done; 1 done, but what was asked for was
not found; 2 bad usage or bad input; 130 interrupted. An error is one line:
`place: what is wrong; what would be right`.
"""


def reference() -> str:
    """The whole page."""
    parts = [INTRODUCTION, block(()), *(block(verb) for verb in VERBS)]
    return "\n".join(parts)


def block(verb: tuple[str, ...]) -> str:
    """One verb's help as a section."""
    command = [sys.executable, "-m", "colorless_green", *verb, "--help"]
    environment = {**os.environ, "COLUMNS": "90", "TERM": "dumb", "NO_COLOR": "1"}
    shown = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    title = " ".join(("colorless", *verb))
    lines = [line.rstrip() for line in shown.stdout.strip("\n").split("\n")]
    return "\n".join([f"## {title}", "", "```", *lines, "```", ""])


if __name__ == "__main__":
    sys.stdout.write(reference())
