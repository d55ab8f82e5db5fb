"""A sentence of a treebank as columns, and the smaller tree that an original item keeps of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple


class MultiwordToken(NamedTuple):
    """A multiword token: a surface token that stands for several words, as *del* for *di il*."""

    first: int  # 0-based index of its first word
    last: int  # 0-based index of its last word, which belongs to it
    form: str
    misc: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of a mined sentence, from which nonce variants are made; columns of equal length.

    Attributes:
        forms, lemmas, upos, feats, deprels: the columns of the `Sentence`.
        heads: 0-based index of each word's head, -1 for the root.
        tokens: 0-based index of the surface token that each word belongs to.
    """

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    tokens: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.forms)


@dataclass(slots=True)
class Sentence:
    """The words of one sentence as columns of equal length, and the other lines of its block.

    A sentence must not be changed: type checkers refuse to assign to its fields. It is not frozen
    because a frozen one takes five times as long to make, a fifteenth of all reading.

    Attributes:
        file: name of its file.
        line: number of its first line in the file, from 1.
        number: 0-based index among the sentences of the file.
        comments: raw lines, `#` included.
        forms, lemmas, upos, xpos, feats, deprels, deps, misc: columns as the file has them.
        heads: 0-based indices of the heads, -1 for the root.
        ranges: its multiword tokens.
        extras: (number of words before it, line) for each line that is not a word (range, empty
            node, stray comment), so that the block can be written back byte by byte.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> sentence = next(read(sample.treebank("en")))
    >>> sentence.sent_id, sentence.lemmas[2], sentence.heads
    ('en-sample-0001', 'editor', (2, 2, 3, -1, 5, 3, 3))
    """

    file: Final[str]
    line: Final[int]
    number: Final[int]
    comments: Final[tuple[str, ...]]
    forms: Final[tuple[str, ...]]
    lemmas: Final[tuple[str, ...]]
    upos: Final[tuple[str, ...]]
    xpos: Final[tuple[str, ...]]
    feats: Final[tuple[str, ...]]
    heads: Final[tuple[int, ...]]
    deprels: Final[tuple[str, ...]]
    deps: Final[tuple[str, ...]]
    misc: Final[tuple[str, ...]]
    ranges: Final[tuple[MultiwordToken, ...]] = ()
    extras: Final[tuple[tuple[int, str], ...]] = ()

    def __len__(self) -> int:
        return len(self.forms)

    def comment(self, key: str) -> str | None:
        """Return the value of the comment `# key = value`, or `None`."""
        return comment_in(self.comments, key)

    @property
    def sent_id(self) -> str:
        """Return the sentence's id, or `file:number` (from 1) where the file gives none."""
        return self.comment("sent_id") or f"{self.file}:{self.number + 1}"


def comment_in(comments: Sequence[str], key: str) -> str | None:
    """Return the value of the first comment `# key = value`, without blanks around it; `None` if no
    comment has the key."""
    usual = f"# {key} = "
    for line in comments:
        if line.startswith(usual):
            return line[len(usual) :].strip()
        if key in line:
            name, equals, value = line.partition("=")
            if equals and name.strip("# \t") == key:
                return value.strip()
    return None
