"""What a parser is, and how one is found by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from colorless_green.data.registry import load
from colorless_green.miner.parse import GROUP, PARSERS

OPTION = "--parser"


class Parser(Protocol):
    """Anything that turns raw text into CoNLL-U. Knows nothing of files or of mining."""

    @property
    def signature(self) -> str:
        """What identifies its parses, on one line: parser, version, language, models."""
        ...

    def parse(self, texts: Sequence[str]) -> Sequence[str]:
        """For each text (a paragraph on one line, not blank) the CoNLL-U of its sentences.

        Every sentence has the comment `# text`; ids, if it has any, are replaced later. A text in
        which the parser finds no sentence gives "". What one text gives must not hang on the
        others it is parsed with.
        """
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """Which models a parser loads, and where they run."""

    folder: Path | None  # None: where the parser keeps them
    package: str  # the parser's own name for a set of models; "default" always exists
    device: str  # "auto", "cpu", "cuda" or "cuda:n"
    download: bool  # may what is missing be fetched?


class Load(Protocol):
    """What an entry of the table is: makes a parser for a language (BCP-47).

    Raises `InputError` for whatever is missing, with the folder searched and the file.
    """

    def __call__(self, language: str, models: Models) -> Parser: ...


def parser_named(name: str) -> Load:
    """The parser registered under a name. Raises `InputError` that lists those there are."""
    found: Load = load(PARSERS, name, OPTION, GROUP)
    return found
