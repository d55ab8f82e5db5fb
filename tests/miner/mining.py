"""Treebanks made of blocks, mined; and the files of the shared ones."""

from pathlib import Path
from typing import Any

import pytest

from colorless_green.miner import MinedTreebank, Request, Sentence, UniMorph, mine, read, treebank
from tests.builders import SHARED, relational, write_conllu

BETWEEN = ("x/x/ADP/_/5/obl",) * 3
"""Three words that hang on the fifth: the least that stands between cue and target."""

ALL_FILES = pytest.mark.parametrize(
    "path",
    sorted(SHARED.glob("treebanks/*/*.conllu.gz")) if SHARED.exists() else [SHARED / "treebanks"],
    ids=lambda path: path.name,
)


def mined(
    folder: Path,
    rule: str,
    *blocks: str,
    language: str = "",
    vocabulary: frozenset[str] | None = None,
    unimorph: UniMorph | None = None,
    exceptions: bool = False,
    **options: object,
) -> MinedTreebank:
    """What a rule finds in a treebank of these blocks, each with a number before its id."""
    numbered = (block.replace("sent_id = ", f"sent_id = {n}-") for n, block in enumerate(blocks))
    path = write_conllu(folder / "xx-ud-train.conllu", *numbered)
    request = Request(rule, **options)  # type: ignore[arg-type]
    return mine(
        treebank([path], language=language),
        request,
        vocabulary=vocabulary,
        unimorph=unimorph,
        exceptions=exceptions,
    )


def events(path: Path, **options: Any) -> list[Sentence | str]:
    """Sentences and messages of faults, in the order in which they come."""
    found: list[Sentence | str] = []
    for sentence in read(path, on_bad=lambda fault: found.append(str(fault)), **options):
        found.append(sentence)
    return found


def clause(cue: str, target: str, *more: str) -> str:
    """A subject with the FEATS `cue`, three words, and a verb `form/lemma/FEATS`; then words from
    position 6 on."""
    form, lemma, feats = target.split("/")
    subject = f"c{cue.rpartition('=')[2]}/cue/NOUN/{cue}/5/nsubj"
    return relational(subject, *BETWEEN, f"{form}/{lemma}/VERB/{feats}/0/root", *more)


def clauses(n: int, **forms: tuple[str, str]) -> list[str]:
    """`n` clauses for each Number: the form and lemma of its verb."""
    return [
        clause(f"Number={value}", f"{form}/{lemma}/Number={value}")
        for value, (form, lemma) in forms.items()
        for _ in range(n)
    ]


def pairs_of(mining: MinedTreebank) -> set[tuple[str, str]]:
    """The right and the wrong form of each original."""
    return {(each.right, each.wrong) for each in mining.originals}


def accepted(mining: MinedTreebank) -> set[str]:
    """The names of the constructions that the rule accepts."""
    return {each.name for each in mining.constructions if each.accepted}
