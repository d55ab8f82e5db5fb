"""Trees and word lists for the tests of re-inflection, written as short as they can be read."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from colorless_green.miner import (
    Analysis,
    Sentence,
    Tree,
    count_analyses,
    paradigms_of,
    read,
    surface_forms,
    tree_of,
)
from colorless_green.nonce import Inflection, inflection
from tests.builders import relational, write_conllu

SING, PLUR = "Number=Sing", "Number=Plur"


def sentence_of(text: str) -> Sentence:
    """A sentence of blank-separated rows `form/lemma/UPOS/FEATS/head/deprel` (`-` for no FEATS)."""
    rows = [row.replace("/-/", "/_/") for row in text.split()]
    with tempfile.TemporaryDirectory() as folder:
        return next(read(write_conllu(Path(folder) / "x.conllu", relational(*rows))))


def tree(text: str) -> Tree:
    """The tree of such a sentence."""
    return tree_of(sentence_of(text))


def words(*texts: str) -> Inflection:
    """What a treebank of such sentences shows for Number."""
    sentences = [sentence_of(text) for text in texts]
    counts: Counter[Analysis] = Counter()
    count_analyses(sentences, counts)
    paradigms = paradigms_of(counts, letters_only=False)
    return inflection(paradigms, surface_forms(counts), sentences, "Number")


def listed(*rows: str) -> str:
    """Words that no other word of the sentence agrees with, as a sentence: `form/lemma/UPOS/FEATS`
    each."""
    return " ".join(f"{row}/0/root" if not n else f"{row}/1/dep" for n, row in enumerate(rows))


def text_of(forms: Sequence[str]) -> str:
    return " ".join(forms)
