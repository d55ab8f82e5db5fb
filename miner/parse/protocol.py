"""What a parser is, and what it is told of its models."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class Parser(Protocol):
    """A parser that turns raw text into CoNLL-U, ours or that of another package.

    It knows nothing of files or of mining; `docs/tutorial-plugin.md` makes one.
    """

    @property
    def signature(self) -> str:
        """A line that identifies its parses: parser, version, language, models."""
        ...

    def parse(self, texts: Sequence[str]) -> Sequence[str]:
        """Parse paragraphs.

        Args:
            texts: paragraphs, each on one line and not blank.

        Returns:
            For each the CoNLL-U of its sentences, "" where the parser finds none. Every sentence
            has the comment `# text`; ids, if it has any, are replaced later. What one text gives
            must not depend on the others it is parsed with.
        """
        ...


@dataclass(frozen=True, slots=True)
class ParserModels:
    """The models that a parser loads, and the device they run on.

    Attributes:
        folder: the folder of the models; `None`: where the parser keeps them.
        package: the parser's own name for a set of models; `default` always exists.
        device: `auto`, `cpu`, `cuda` or `cuda:n`.
        download: whether missing models may be downloaded.
    """

    folder: Path | None
    package: str
    device: str
    download: bool
