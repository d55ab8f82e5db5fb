"""Sentences and prefixes of items that are in a training text, however large.

Texts are compared word by word: a word is letters, digits and what combines with them, each other
character but blanks is one by itself, as is each of a script that writes no blanks. So a tokenised
text matches, and nothing ends inside a word.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...data.items.item import RIGHT, WRONG, Item, is_pair, sentence_text
from ...data.progress import Progress, silent
from ...data.records import lines
from .audited_pairs import shared_words

TOKENS = 100_000  # looked through at once
BLANKLESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese"""
JOINERS = "\u200c\u200d"  # inside words of Persian and Indian languages
FOUND = ""  # key of a node where a text ends: whether it was found; no word is empty

WordTree: TypeAlias = dict[str, Any]
"""A node of the tree of all texts that are looked for: word → node; `FOUND` → bool."""


class TextOverlap(NamedTuple):
    """The numbers of items of a suite that are in a training text.

    Attributes:
        n_items: pairs looked for.
        n_right: those whose whole right sentence is in it.
        n_wrong: those whose whole wrong sentence is.
        n_prefixes: those whose prefix is, the words that both sentences begin with.
    """

    n_items: int
    n_right: int
    n_wrong: int
    n_prefixes: int

    @property
    def told(self) -> str:
        """Return the counts as a sentence about the text."""
        return (
            f"has the whole right sentence of {self.n_right:,} of {self.n_items:,} items, the "
            f"whole wrong one of {self.n_wrong:,}, and the prefix of {self.n_prefixes:,}"
        )


def overlap_with(items: Iterable[Item], path: Path, progress: Progress = silent) -> TextOverlap:
    """Count the items whose sentences and prefixes are in a text.

    Args:
        items: what is not one right and one wrong sentence is passed over.
        path: a UTF-8 text, packed or not, which is read line by line; a sentence may go on in the
            next line.
        progress: called with (task, lines read, None).

    Returns:
        The counts; letters have their case as it is.

    Raises:
        InputError: the text cannot be read, or is not UTF-8.
    """
    tree: WordTree = {}
    ends: list[tuple[WordTree, ...]] = []
    n_words = 0
    for item in filter(is_pair, items):
        right, wrong = (
            words_of(sentence_text(item.conditions[name][0])) for name in (RIGHT, WRONG)
        )
        texts = (right, wrong, shared_words(right, wrong))
        ends.append(tuple(_end_of(text, tree) for text in texts))
        n_words = max(n_words, len(right), len(wrong))
    tree[FOUND] = False  # no words
    tokens: list[str] = []
    for number, (_, line) in enumerate(lines(path), start=1):
        tokens += words_of(line)
        if len(tokens) > TOKENS:
            _mark_found(tree, tokens)
            del tokens[: max(len(tokens) + 1 - n_words, 0)]  # the rest may begin a text
            progress(f"lines of {path.name}", number, None)
    _mark_found(tree, tokens)
    found = [[end[FOUND] for end in item_ends] for item_ends in ends]
    return TextOverlap(len(found), *map(sum, zip(*found, strict=True)))


def words_of(text: str) -> list[str]:
    """Split a text into words and other characters that are no blanks."""
    return _word_pattern().findall(unicodedata.normalize("NFC", text))


@cache
def _word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word; `\\w` alone would end one at a vowel sign."""
    marks = "".join(
        character for character in map(chr, range(0x10000))
        if unicodedata.category(character).startswith("M")
    )  # fmt: skip
    return re.compile(rf"(?:(?![{BLANKLESS}])[\w{marks}{JOINERS}])+|\S")


def _end_of(words: Sequence[str], tree: WordTree) -> WordTree:
    """Put a text into the tree and return the node where it ends."""
    node = tree
    for word in words:
        node = node.setdefault(word, {})
    node[FOUND] = False
    return node


def _mark_found(tree: WordTree, tokens: Sequence[str]) -> None:
    """Mark the texts that are among the tokens."""
    for start, first in enumerate(map(tree.get, tokens), start=1):
        node, index = first, start
        while node is not None:
            if FOUND in node:
                node[FOUND] = True
            node = node.get(tokens[index]) if index < len(tokens) else None
            index += 1
