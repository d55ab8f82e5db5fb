"""How often words are used: counts of a treebank, of a file, or of wordfreq.

Levels compare words in octaves, that is log2 of the count: one octave more is twice as frequent.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines
from colorless_green.data.registry import nearest

TREEBANK, WORDFREQ = "treebank", "wordfreq"
UNSEEN = 0.5  # what a word without a count is taken to have: an octave below a single use


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Word frequencies under a name that says where they are from."""

    name: str
    octave: Callable[[str], float]  # log2 of the count of a form, by its small letters


class _Octaves(dict[str, float]):
    """Form → octave, each form looked up by its small letters once."""

    def __init__(self, counts: Mapping[str, float]) -> None:
        super().__init__()
        self.counts = counts

    def __missing__(self, form: str) -> float:
        self[form] = octave = math.log2(self.counts.get(form.lower()) or UNSEEN)
        return octave


def counted(counts: Mapping[str, float], name: str = TREEBANK) -> Frequencies:
    """Frequencies from counts by form in small letters; a count of 0 is none."""
    return Frequencies(name, _Octaves(counts).__getitem__)


def frequencies_named(source: str, language: str) -> Frequencies | None:
    """What `--frequencies` names: `treebank` (`None`: the levels count it), `wordfreq`, or a file.

    Raises `InputError` where wordfreq is not installed or lacks the language, or the file is none.
    """
    if source == TREEBANK:
        return None
    if source == WORDFREQ:
        return _wordfreq(language.partition("-")[0])
    return read_frequencies(Path(source))


def read_frequencies(path: Path) -> Frequencies:
    """Frequencies of a file: a word and its count on each line, a TAB or a blank between.

    Words that differ in capitals alone are added. Raises `InputError` with the line that is none.
    """
    counts: dict[str, float] = {}
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        word, _, count = line.strip().replace("\t", " ").rpartition(" ")
        try:
            n = float(count)
        except ValueError:
            n = -1.0
        if not word or not 0 <= n < math.inf:
            raise InputError(
                f"{path}:{number}",
                f"{line.strip()[:40]!r} is no word with its count",
                "word 123",
                kind="format",
            )
        counts[word.strip().lower()] = counts.get(word.strip().lower(), 0.0) + n
    if not counts:
        raise InputError(
            str(path), "no word in it", "a word and its count on each line", kind="empty"
        )
    return counted(counts, path.name)


def _wordfreq(language: str) -> Frequencies:
    place = "--frequencies wordfreq"
    try:
        import wordfreq
    except ModuleNotFoundError:
        raise InputError(
            place,
            "the Python package wordfreq is not installed",
            "pip install 'colorless-green[frequencies]'",
            kind="dependency",
        ) from None
    if language not in wordfreq.available_languages():
        raise InputError(
            place,
            f"it has no words of the language {language!r}",
            nearest(language, sorted(wordfreq.available_languages())),
            kind="unknown",
        )
    table = wordfreq.get_frequency_dict(language)
    billion = 1e9  # counts in a thousand million words, so that rare ones are above one
    counts = {word: share * billion for word, share in table.items()}
    return counted(counts, f"{WORDFREQ} {version(WORDFREQ)}")
