"""A sentence of a treebank: columns, and a token as a view of one row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from colorless_green.miner.features import parse_feats


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
    """What is kept of an original's sentence for making others of it: its words as columns, called
    as those of a `Sentence`, and for each word the surface token (0-based) it stands in."""

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]  # 0-based, −1 for the root
    deprels: tuple[str, ...]
    tokens: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.forms)


@dataclass(slots=True)
class Sentence:
    """The words of one sentence as columns of equal length, and whatever else its block held.

    `heads` are 0-based, −1 for the root; every other column is the string of the file. `extras`
    are the lines that are no words (ranges, empty nodes, stray comments), each with the number of
    words before it, so that writing gives the block back byte by byte. Nobody changes a sentence:
    it is not frozen only because a frozen one takes five times as long to make, a fifteenth of all
    reading; type checkers refuse to assign to its fields.
    """

    file: Final[str]
    line: Final[int]  # of its first line in the file, from 1
    number: Final[int]  # 0-based place among the sentences of the file
    comments: Final[tuple[str, ...]]  # raw lines, "#" included
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

    @property
    def place(self) -> str:
        """`file:line` of its first line, for messages."""
        return f"{self.file}:{self.line}"
