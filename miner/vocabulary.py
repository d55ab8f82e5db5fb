"""Which words a word-level model knows."""

from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text


def read_vocabulary(path: Path) -> frozenset[str]:
    """The words of a file, split at white space; case counts. Raises `InputError` if none."""
    words = frozenset(read_text(path).split())
    if not words:
        raise InputError(str(path), "no word in it", "one word a line", kind="empty")
    return words
