"""Whether the fingerprints beside a model are those of a text."""

from collections.abc import Iterable
from pathlib import Path

from colorless_green.scoring.training.text import Line, fingerprints


def holds(path: Path, lines: Iterable[Line], memory: int) -> bool:
    """Whether the file is the one that training on these sentences would write."""
    return path.read_bytes() == fingerprints(lines)
