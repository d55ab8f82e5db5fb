"""A vocabulary: the words that a model is taken to know."""

from pathlib import Path
from unicodedata import normalize

from .errors import InputError
from .files import read_document


class Vocabulary(frozenset[str]):
    """A set of words in Unicode's composed form (NFC), which finds a word in any other form, too.

    >>> "cafe\\u0301" in Vocabulary({"caf\\u00e9"})
    True
    """

    __slots__ = ()

    def __contains__(self, word: object) -> bool:
        return super().__contains__(normalize("NFC", word) if isinstance(word, str) else word)


def read_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary: one word a line, which may hold blanks, or all words on a single line.

    Args:
        path: a text file in UTF-8.

    Returns:
        The words, compared by their Unicode normal form.

    Raises:
        InputError: the file cannot be read, or has no word in it.

    >>> _ = Path("words.txt").write_text("the\\ncon gái\\n")
    >>> sorted(read_vocabulary(Path("words.txt")))
    ['con gái', 'the']
    """
    lines = normalize("NFC", read_document(path)).split("\n")
    words = [word for line in lines if (word := line.strip())]
    if len(words) == 1:  # all words on one line
        words = words[0].split()
    if not words:
        raise InputError(str(path), "no word in it", "write one word a line", kind="empty")
    return Vocabulary(words)
