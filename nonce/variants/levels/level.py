"""What a matching level is: a `Level`, its observer of sentences, and the `Matcher` it makes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from ....data.items.tree import Sentence, Tree
from ..frequencies import Frequencies
from ..lexicon import Donor, Lexicon


class ReplaceableWord(NamedTuple):
    """A word of an original that might be replaced."""

    words: Tree
    node: int  # the word, 0-based
    form: str
    lemma: str
    upos: str
    feats: str
    wrong: str = ""  # of a target: its other form


Donors: TypeAlias = tuple[Donor, ...]
Drawn: TypeAlias = Mapping[int, Donor]
"""Word of the tree → what stands there: what was drawn for it before, or itself where it stays."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A level with what it knows of a treebank. `width` is one of `widths`, tried from the first
    until there are enough candidates; most levels have one."""

    narrow: Callable[[ReplaceableWord, Donors, int], Donors] = lambda word, pool, width: pool
    """the candidates for a word; those for the target have a wrong form"""
    stays: Callable[[ReplaceableWord], str] = lambda word: ""  # why it must not be replaced at all
    clashes: Callable[[Tree, Drawn, int, Donor], bool] = lambda words, drawn, node, donor: False
    """whether a word clashes with what was drawn before it"""
    widths: tuple[int, ...] = (0,)
    facts: Callable[[Sequence[tuple[ReplaceableWord, Donor]], int], dict[str, str]] = (
        lambda drawn, width: {}
    )


class Observer(Protocol):
    """An observer that sees each sentence of a treebank once, then answers for its words."""

    def observe(self, sentence: Sentence) -> None:
        """Take note of a sentence."""

    def matcher(self, lexicon: Lexicon) -> Matcher:
        """Return what the level answers, after it has seen all sentences."""


@dataclass(frozen=True, slots=True)
class LevelSetting:
    """The settings of a run that levels depend on."""

    language: str  # BCP-47
    frequencies: Frequencies | None = None  # None: those of the treebank
    texts: tuple[Path, ...] = ()  # further text whose word pairs count as seen


@dataclass(frozen=True, slots=True)
class Level:
    """A named step in how alike a replacement must be."""

    name: str
    observer: Callable[[LevelSetting], Observer]
    keeps_tail: bool = False  # words after the target stay as they are, from this level on
    rereads: bool = False  # variants with a doubt that their original has not are drawn anew
