"""What a file format of suites is: the functions that read and write it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..items.suite import Suite

Write: TypeAlias = Callable[[Suite, Path, frozenset[str] | None], None]
"""The vocabulary is for formats that mark unknown words."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format of suites: how one is read, and how it is written if it can be."""

    read: Callable[[Path], Suite]
    write: Write | None = None
    needs_licence: bool = False
    """Whether items without a known licence are refused unless they are asked for."""
