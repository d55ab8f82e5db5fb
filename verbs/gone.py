"""Advice for commands, options and values of version 1 that this version does not have. The next
version drops this module.

The table `gone.tsv` has a row for each: as it was written, and what to do instead.
"""

from pathlib import Path

from ..data.files import read_text

_TABLE = read_text(Path(__file__).with_suffix(".tsv"))
_CELLS = (line.partition("\t") for line in _TABLE.splitlines()[1:])
GONE = {removed: instead for removed, _, instead in _CELLS}
"""A command, or a command with an option and perhaps its value, as "humans export --to static" →
what to do instead"""
