"""Matching levels: a `Level`, the observer of a treebank that it starts, and its `Matcher`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from ....data.items.tree import Sentence, Tree
from ..frequencies import Frequencies
from ..lexicon import Donor, Lexicon


class ReplaceableWord(NamedTuple):
    """A word of an original that might be replaced, in the form in which levels receive it."""

    words: Tree  # of the original
    node: int  # its index in the tree
    form: str
    lemma: str
    upos: str
    feats: str
    wrong: str = ""  # of a target: its wrong form


Donors: TypeAlias = tuple[Donor, ...]
Drawn: TypeAlias = Mapping[int, Donor]
"""Word of the tree → the word drawn for it, or the word itself if it stays."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A level's functions that choose among candidates, with what they learned from a treebank.

    `width` is one of `widths`, which are tried in order until there are enough candidates; most
    levels have one. `facts` returns notes on a variant for its item.
    """

    narrow: Callable[[ReplaceableWord, Donors, int], Donors] = lambda word, pool, width: pool
    """(word, candidates, width) → the candidates that the level leaves"""
    stays: Callable[[ReplaceableWord], str] = lambda word: ""  # why the word must stay, or ""
    clashes: Callable[[Tree, Drawn, int, Donor], bool] = lambda words, drawn, node, donor: False
    """(tree, words drawn before, place, candidate) → whether the candidate must not stand there"""
    widths: tuple[int, ...] = (0,)
    facts: Callable[[Sequence[tuple[ReplaceableWord, Donor]], int], dict[str, str]] = (
        lambda drawn, width: {}
    )


class Observer(Protocol):
    """An observer that sees each sentence of a treebank once, and then makes the level's
    matcher."""

    def observe(self, sentence: Sentence) -> None:
        """Learn from one sentence."""

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return the level's matcher, after all sentences were observed."""


@dataclass(frozen=True, slots=True)
class LevelSetting:
    """The settings of a run that levels depend on."""

    language: str  # BCP-47
    frequencies: Frequencies | None = None  # None: those of the treebank
    texts: tuple[Path, ...] = ()  # further text whose word pairs count as seen


@dataclass(frozen=True, slots=True)
class Level:
    """A matching level: a named step in the similarity of a replacement to the word it replaces."""

    name: str
    observer: Callable[[LevelSetting], Observer]
    keeps_tail: bool = False  # words after the target stay as they are, from this level on
    rereads: bool = False  # variants with a new doubt about their label are drawn again
