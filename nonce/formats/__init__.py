"""File formats of suites, one a file. A module defines `FORMAT`, a record of its two functions."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load
from colorless_green.nonce.suite import Suite

FORMATS = {
    "jsonl": "colorless_green.nonce.formats.jsonl:FORMAT",
    "tab": "colorless_green.nonce.formats.tab:FORMAT",
}
GROUP = "colorless_green.formats"
ENDINGS = {".jsonl": "jsonl", ".tab": "tab"}


@dataclass(frozen=True, slots=True)
class Format:
    """How a suite is read from a file and written to one."""

    read: Callable[[Path], Suite]
    write: Callable[[Suite, Path, frozenset[str] | None], None]
    """The vocabulary is for formats that mark unknown words."""


def format_of(path: Path, name: str) -> Format:
    """The format called `name`, or the one that the file's ending tells (`.gz` or not).

    Raises `InputError` for an unknown name or ending.
    """
    if not name:
        plain = path.name.removesuffix(".gz")
        name = next((known for end, known in ENDINGS.items() if plain.endswith(end)), "")
        if not name:
            raise InputError(
                str(path),
                "its name does not tell its format",
                f"--format with one of {', '.join(sorted(FORMATS))}",
            )
    found: Format = load(FORMATS, name, "--format", GROUP)
    return found
