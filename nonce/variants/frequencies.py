"""Frequencies of words: counts of a treebank, of a file, or of wordfreq.

Levels compare log2 of the counts, in octaves: a word one octave higher is twice as frequent.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ...data.errors import InputError
from ...data.files import numbered_lines
from ...data.registry import nearest

TREEBANK, WORDFREQ = "treebank", "wordfreq"
UNSEEN = 0.5  # the count that a word gets if it was never seen: half a use


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Word frequencies and where they are from.

    Attributes:
        name: their name in reports.
        frequency_class: form → log2 of its count, capitals aside; −1 for a word without a count.
    """

    name: str
    frequency_class: Callable[[str], float]


def frequencies_from(counts: Mapping[str, float], name: str = TREEBANK) -> Frequencies:
    """Make frequencies of counts of words.

    Args:
        counts: form in small letters → uses; 0 counts as unseen.
        name: their name in reports.

    Returns:
        Frequencies in octaves. A word without a count counts as half a use.

    >>> class_of = frequencies_from({"keys": 8, "cabinets": 1}).frequency_class
    >>> class_of("Keys"), class_of("cabinets"), class_of("green")
    (3.0, 0.0, -1.0)
    """

    @cache
    def frequency_class(form: str) -> float:
        """Return log2 of the count of a form, capitals aside."""
        return math.log2(counts.get(form.lower()) or UNSEEN)

    return Frequencies(name, frequency_class)


def frequencies_named(source: str, language: str) -> Frequencies | None:
    """Return the frequencies that the option `--frequencies` names.

    Args:
        source: `treebank`, `wordfreq`, or a file with a word and its count on each line, between
            them a tab or a blank; counts of words that differ only in capitals are added.
        language: BCP-47 code of the words, for `wordfreq`.

    Returns:
        The frequencies; None for `treebank`, whose words the caller counts.

    Raises:
        InputError: wordfreq is not installed or lacks the language, or the file cannot be read.

    >>> _ = Path("counts.txt").write_text("Keys 5\\nkeys 3\\n")
    >>> frequencies_named("counts.txt", "en").frequency_class("keys")
    3.0
    """
    if source == TREEBANK:
        return None
    if source == WORDFREQ:
        return _frequencies_of_wordfreq(language.partition("-")[0])
    return _frequencies_in_file(Path(source))


def _frequencies_in_file(path: Path) -> Frequencies:
    """Read frequencies from a file with a word and its count on each line, between them a tab or a
    blank. Counts of words that differ only in capitals are added."""
    counts: dict[str, float] = defaultdict(float)
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        word, _, count = line.strip().replace("\t", " ").rpartition(" ")
        try:
            n = float(count)
        except ValueError:
            n = -1.0  # refused below, like any other number that is no count
        if not word or not 0 <= n < math.inf:
            wrong = f"{line.strip()[:40]!r} is no word with its count"
            raise InputError(f"{path}:{number}", wrong, "word 123", kind="format")
        counts[word.strip().lower()] += n
    if not counts:
        right = "a word and its count on each line"
        raise InputError(str(path), "no word in it", right, kind="empty")
    return frequencies_from(counts, path.name)


def _frequencies_of_wordfreq(language: str) -> Frequencies:
    """Return the frequencies of the Python package wordfreq for a language. Raises `InputError` if
    it is not installed or lacks the language."""
    location = "frequencies"
    try:
        import wordfreq
    except ModuleNotFoundError:
        wrong = "the Python package wordfreq is not installed"
        right = "pip install 'colorless-green[frequencies]'"
        raise InputError(location, wrong, right, kind="dependency") from None
    languages = sorted(wordfreq.available_languages())
    if language not in languages:
        wrong = f"it has no words of the language {language!r}"
        raise InputError(location, wrong, nearest(language, languages), kind="unknown")
    table = wordfreq.get_frequency_dict(language)
    billion = 1e9  # counts in a thousand million words, so that rare ones are above one
    counts = {word: share * billion for word, share in table.items()}
    return frequencies_from(counts, f"{WORDFREQ} {version(WORDFREQ)}")
