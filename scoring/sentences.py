"""Sentences to learn from, of text files and of treebanks."""

from collections.abc import Iterator
from pathlib import Path

from colorless_green.miner.conllu import read
from colorless_green.miner.surface import surface_tokens
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import ENDINGS
from colorless_green.scoring.training.text import Line, plain_lines


def text_lines(path: Path, *, strictly: bool) -> Iterator[Line]:
    """Sentences of a CoNLL-U file (surface tokens and raw text), or of a text file with one
    sentence a line (see `plain_lines`). `strictly`: a bad sentence is an error; else it is left out
    (of a treebank that was mined, the bad ones were told then)."""
    if path.name.endswith(ENDINGS):
        for sentence in read(path, on_bad=None if strictly else lambda fault: None):
            yield line_of(sentence)
        return
    yield from (line for _, line in plain_lines(path))


def line_of(sentence: Sentence) -> Line:
    """A treebank's sentence as text to learn from."""
    tokens = list(surface_tokens(sentence))
    text = "".join([form if glued else f"{form} " for form, glued, _ in tokens[:-1]])
    return Line(tuple([form for form, _, _ in tokens]), text + tokens[-1][0])
