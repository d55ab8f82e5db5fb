"""A sentence of a treebank: columns, and a token as a view of one row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from .features import parse_feats


class MultiwordToken(NamedTuple):
    """A multiword token: the surface form of several words."""

    first: int  # 0-based index of its first word
    last: int  # of its last word, inclusive
    form: str
    misc: str


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a sentence (UD columns 1–8; ranges and empty nodes are not words)."""

    index: int  # 0-based place among the words of the sentence
    form: str
    lemma: str
    upos: str
    feats: Mapping[str, str]  # {"Number": "Plur"}; several values stay joined: "Fem,Masc"
    head: int | None  # index of the head; None for the root
    deprel: str


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of an original's sentence, from which variants are made.

    Attributes:
        forms, lemmas, upos, feats, deprels: as of a `Sentence`.
        heads: 0-based, -1 for the root.
        tokens: the surface token (0-based) that each word stands in.
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
    """The words of one sentence as columns of equal length, and whatever else its block held.

    Nobody changes a sentence: it is not frozen only because a frozen one takes five times as long
    to make, a fifteenth of all reading; type checkers refuse to assign to its fields.

    Attributes:
        file: name of its file.
        line: number of its first line in the file, from 1.
        number: 0-based place among the sentences of the file.
        comments: raw lines, `#` included.
        forms, lemmas, upos, xpos, feats, deprels, deps, misc: columns as the file has them.
        heads: 0-based indices of the heads, -1 for the root.
        ranges: its multiword tokens.
        extras: (number of words before it, line) for each line that is no word (range, empty node,
            stray comment), so that writing gives the block back byte by byte.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import read
    >>> sentence = next(read(sample.treebank("en")))
    >>> sentence.sent_id, sentence.token(2).lemma, sentence.heads
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

    def token(self, index: int) -> Token:
        """The word at a 0-based index."""
        head = self.heads[index]
        return Token(
            index,
            self.forms[index],
            self.lemmas[index],
            self.upos[index],
            parse_feats(self.feats[index]),
            None if head < 0 else head,
            self.deprels[index],
        )

    def comment(self, key: str) -> str | None:
        """The value of the comment `# key = value`, or `None`."""
        start = f"# {key} ="
        for line in self.comments:
            if line.startswith(start):
                return line[len(start) :].removeprefix(" ")
        return None

    @property
    def sent_id(self) -> str:
        """The sentence's id, or `file:number` (from 1) where the file gives none."""
        return (self.comment("sent_id") or "").strip() or f"{self.file}:{self.number + 1}"
