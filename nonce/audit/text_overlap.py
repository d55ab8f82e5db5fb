"""Counting the sentences and prefixes of items that occur in a training text of any size.

Texts are compared word by word. A word is a run of letters, digits and combining marks; every other
character except blanks is a word by itself, and so is every character of a script without blanks.
So tokenised text matches, too, and no match ends inside a word.
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

MAX_BUFFERED = 100_000  # tokens of the training text that are searched at once
BLANKLESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese"""
JOINERS = "\u200c\u200d"  # inside words of Persian and Indian languages
FOUND_KEY = ""  # key of a node at which a stored text ends; its value: whether the text was found

WordTree: TypeAlias = dict[str, Any]
"""A trie (prefix tree) of texts, or a node of it: word → node, and `FOUND_KEY` → bool."""


class TextOverlap(NamedTuple):
    """Numbers of items that occur in a training text.

    Attributes:
        n_items: number of pairs that were searched for.
        n_right: number of pairs whose whole right sentence occurs in it.
        n_wrong: number of pairs whose whole wrong sentence occurs in it.
        n_prefixes: number of pairs whose prefix, the words that both sentences begin with, does.
    """

    n_items: int
    n_right: int
    n_wrong: int
    n_prefixes: int

    @property
    def summary(self) -> str:
        """Return the counts as a predicate, to follow the name of the text: *has the whole right
        sentence of 3 of 100 items, …*."""
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
    end_nodes: list[tuple[WordTree, ...]] = []  # for each item: of its right, wrong, prefix
    max_words = 0  # of a sentence
    for item in filter(is_pair, items):
        right, wrong = (
            words_of(sentence_text(item.conditions[name][0])) for name in (RIGHT, WRONG)
        )
        texts = (right, wrong, shared_words(right, wrong))
        end_nodes.append(tuple(_store(text, tree) for text in texts))
        max_words = max(max_words, len(right), len(wrong))
    tree[FOUND_KEY] = False  # an empty prefix is not found
    tokens: list[str] = []
    for number, (_, line) in enumerate(lines(path), start=1):
        tokens += words_of(line)
        if len(tokens) > MAX_BUFFERED:
            _mark_found(tree, tokens)
            # keep the last max_words - 1 tokens: a text that begins in them may go on
            del tokens[: max(len(tokens) - (max_words - 1), 0)]
            progress(f"lines of {path.name}", number, None)
    _mark_found(tree, tokens)
    is_found = [[node[FOUND_KEY] for node in nodes] for nodes in end_nodes]
    n_right, n_wrong, n_prefixes = map(sum, zip(*is_found, strict=True))
    return TextOverlap(len(end_nodes), n_right, n_wrong, n_prefixes)


def words_of(text: str) -> list[str]:
    """Split a text into its words and its other characters, without blanks."""
    return _word_pattern().findall(unicodedata.normalize("NFC", text))


@cache
def _word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word. It names combining marks, as `\\w` does not match vowel signs
    of Indian scripts."""
    marks = "".join(
        character for character in map(chr, range(0x10000))
        if unicodedata.category(character).startswith("M")
    )  # fmt: skip
    return re.compile(rf"(?:(?![{BLANKLESS}])[\w{marks}{JOINERS}])+|\S")


def _store(words: Sequence[str], tree: WordTree) -> WordTree:
    """Add a text, word by word, to the trie (prefix tree) and return the node at which it ends."""
    node = tree
    for word in words:
        node = node.setdefault(word, {})
    node[FOUND_KEY] = False
    return node


def _mark_found(tree: WordTree, tokens: Sequence[str]) -> None:
    """Mark (`FOUND_KEY`) every text stored in the trie that occurs as a contiguous run of
    `tokens`."""
    for start, token in enumerate(tokens):  # walk down the trie from every token
        node, index = tree.get(token), start + 1
        while node is not None:
            if FOUND_KEY in node:
                node[FOUND_KEY] = True
            node = node.get(tokens[index]) if index < len(tokens) else None
            index += 1
