"""A vocabulary: the words that count as known."""

from pathlib import Path

from .errors import InputError
from .files import read_text


def read_vocabulary(path: Path) -> frozenset[str]:
    """Read a vocabulary: the words of a file, split at white space.

    Args:
        path: a text file in UTF-8.

    Returns:
        The words, as written.

    Raises:
        InputError: the file cannot be read, or has no word in it.

    >>> _ = Path("words.txt").write_text("the\\nThe\\n")
    >>> sorted(read_vocabulary(Path("words.txt")))
    ['The', 'the']
    """
    words = frozenset(read_text(path).split())
    if not words:
        raise InputError(str(path), "no word in it", "one word a line", kind="empty")
    return words
