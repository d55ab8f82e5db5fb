"""The page of the command line: `python -m tests.cli_reference > docs/cli.md`."""

import os
import sys
from pathlib import Path
from unittest.mock import patch

from colorless_green import cli
from tests.builders import colorless

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
    with patch.dict(os.environ, COLUMNS="90", TERM="dumb", NO_COLOR="1"):
        shown = colorless(*verb, "--help", cwd=Path.cwd())
    title = " ".join(("colorless", *verb))
    lines = [line.rstrip() for line in shown.stdout.strip("\n").split("\n")]
    return "\n".join([f"## {title}", "", "```", *lines, "```", ""])


if __name__ == "__main__":
    sys.stdout.write(reference())
